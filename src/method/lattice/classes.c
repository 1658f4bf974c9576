// SPDX-License-Identifier: MIT
// What each voxel is made of: its layer, what holds it, and how soft it has been made.
//
// Skin is a shell: what it hangs on is what lies beneath, fat over a belly and muscle or bone over an arm. So its
// stiffness of matching is the skin's own, but its tether is that of the nearest voxel that is not skin.
#include "method/lattice/lattice.h"
#include "volume/softness/softness.h"
#include "volume/voxels/voxel_graph.h"

// steps of softness within a region
#define SOFT_LEVELS 8

// ---------------------------------------------------------------------------------------------------------------------
// Beneath the skin

// For skin voxels the layer of the nearest voxel below, of equally near ones the innermost; for others their own.
static bool FindTethers( const supLatticeBuilder* b, uint8_t* tethers )
{
	const supVoxels* v = &b->body.voxels;
	int32_t skin = b->body.layers.layerCount - 1, count = 0;
	supVoxelSource* sources = supAllocArray( (size_t)v->count, sizeof( supVoxelSource ) );
	float* distances = supAllocArray( (size_t)v->count, sizeof( float ) );
	int32_t* owners = supAllocArray( (size_t)v->count, sizeof( int32_t ) );
	bool ok = sources != NULL && distances != NULL && owners != NULL;
	for ( int32_t i = 0; ok && i < v->count; ++i )
	{
		if ( b->body.layers.layers[i] != skin )
		{
			sources[count++] = ( supVoxelSource ){ i, b->body.layers.layers[i], 0.0f };
		}
	}
	ok = ok && supComputeVoxelDistances( v, sup_voxelEuclidean, sources, count, distances, owners );
	for ( int32_t i = 0; ok && i < v->count; ++i )
	{
		tethers[i] = owners[i] >= 0 ? (uint8_t)owners[i] : (uint8_t)skin;
	}
	supFree( sources );
	supFree( distances );
	supFree( owners );
	return ok || supSetMemoryError( b->error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Soft regions

// Looser bones than this swing with the flesh around them.
#define MIN_BONE_LOOSENESS 0.5f

// At the middles of the voxels.
typedef struct Softness
{
	float* values;
	int32_t* regions;
	// bones stay bones however soft the flesh around them is
	bool* isHeld;
} Softness;

// Regions of softness 0 leave it to the layers what is soft.
static bool AreFirm( const supFleshDef* def )
{
	bool firm = def->softRegionCount > 0;
	for ( int32_t i = 0; i < def->softRegionCount; ++i )
	{
		firm = firm && def->softRegions[i].softness == 0.0f;
	}
	return firm;
}

static bool FindSoftness( supLatticeBuilder* b, Softness* to )
{
	const supFleshDef* def = b->input->def;
	if ( AreFirm( def ) )
	{
		return true;
	}
	const supVoxels* v = &b->body.voxels;
	supVec3* centers = supAllocArray( (size_t)v->count, sizeof( supVec3 ) );
	if ( centers == NULL )
	{
		return supSetMemoryError( b->error );
	}
	for ( int32_t i = 0; i < v->count; ++i )
	{
		centers[i] = supVoxels_CellCenter( v, v->cells[i] );
	}
	supSoftness softness = { 0 };
	supSoftnessDef softDef = { .character = b->input->character,
							   .surface = &b->body.surface,
							   .bones = &b->body.bones,
							   .regions = def->softRegions,
							   .regionCount = def->softRegionCount,
							   .resolution = SUP_SOFTNESS_RESOLUTION,
							   .tasks = b->input->tasks };
	bool ok = supSoftness_Init( &softness, &softDef, b->error );
	if ( ok )
	{
		supSoftness_SampleMany( &softness, centers, v->count, to->values, to->regions, b->input->tasks );
		size_t vertices = (size_t)b->body.surface.vertexCount;
		b->shells =
			softness.isAutomatic ? supArena_CopyArray( b->arena, softness.isRigid, vertices, sizeof( bool ) ) : NULL;
		for ( int32_t i = 0; i < v->count && softness.isAutomatic; ++i )
		{
			to->isHeld[i] = supSoftness_Sample( &softness, centers[i] ).looseness < MIN_BONE_LOOSENESS;
		}
		supSoftness_Destroy( &softness );
	}
	supFree( centers );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Classes

static bool IsSame( const supLatticeClass* a, const supLatticeClass* b )
{
	return a->layer == b->layer && a->tether == b->tether && a->region == b->region && a->isBone == b->isBone &&
		   a->softness == b->softness;
}

static int32_t FindClass( supLatticeFlesh* f, supLatticeClass class )
{
	for ( int32_t i = 0; i < f->classCount; ++i )
	{
		if ( IsSame( f->classes + i, &class ) )
		{
			return i;
		}
	}
	if ( f->classCount < SUP_LATTICE_MAX_CLASSES )
	{
		f->classes[f->classCount] = class;
		return f->classCount++;
	}
	return -1;
}

// With more kinds of voxels than there are classes, softness has fewer steps.
static int32_t NearestClass( supLatticeFlesh* f, supLatticeClass class )
{
	int32_t found = FindClass( f, class );
	for ( int32_t i = 0; found < 0 && i < f->classCount; ++i )
	{
		const supLatticeClass* other = f->classes + i;
		found = other->layer == class.layer && other->isBone == class.isBone ? i : -1;
	}
	return found >= 0 ? found : 0;
}

// A bone within a limb that is soft and no thicker than this swings with it: an ear, a tail. Bones deep inside hold.
// Softness fades towards the bone, so what counts is how soft its neighbours are.
#define THIN_DEPTH 1

static void FreeThinBone( const supLatticeBuilder* b, int32_t voxel, const Softness* soft, supLatticeClass* class )
{
	supVoxelCell c = b->body.voxels.cells[voxel];
	float softest = 0.5f;
	for ( int32_t k = 0; k < 26 && b->body.layers.depths[voxel] <= THIN_DEPTH; ++k )
	{
		supVoxelCell o = supVoxelOffsets[k];
		int32_t next = supVoxels_Find( &b->body.voxels, c.x + o.x, c.y + o.y, c.z + o.z );
		if ( next >= 0 && soft->values[next] > softest && soft->regions[next] < SUP_LATTICE_NO_REGION )
		{
			softest = soft->values[next];
			*class = ( supLatticeClass ){
				.layer = 1, .tether = 1, .region = (uint8_t)soft->regions[next], .softness = softest
			};
		}
	}
}

static supLatticeClass MakeClass( const supLatticeBuilder* b, int32_t voxel, uint8_t tether, const Softness* soft )
{
	supLatticeClass class = { .layer = b->body.layers.layers[voxel],
							  .tether = tether,
							  .region = SUP_LATTICE_NO_REGION,
							  .isBone = b->body.layers.layers[voxel] == 0 };
	// armour, machines, eyes: what its author hung on a joint without a skin is soft only where it is painted
	if ( b->rigid[voxel] && soft->values[voxel] <= 0.0f )
	{
		class.isBone = 1;
	}
	else if ( class.isBone != 0 && soft->isHeld[voxel] == false )
	{
		FreeThinBone( b, voxel, soft, &class );
	}
	// classes are numbered in a byte
	else if ( class.isBone == 0 && soft->values[voxel] > 0.0f && soft->regions[voxel] < SUP_LATTICE_NO_REGION )
	{
		class.region = (uint8_t)soft->regions[voxel];
		class.softness = soft->values[voxel];
	}
	class.softness = (float)(int32_t)( class.softness * SOFT_LEVELS + 0.5f ) / SOFT_LEVELS;
	return class;
}

bool supLattice_BuildClasses( supLatticeBuilder* b )
{
	supLatticeFlesh* f = b->flesh;
	size_t count = (size_t)f->voxelCount;
	f->voxelClasses = supArena_Alloc( b->arena, count );
	f->layers = supArena_CopyArray( b->arena, b->body.layers.layers, count, sizeof( uint8_t ) );
	f->classes = supArena_AllocArray( b->arena, SUP_LATTICE_MAX_CLASSES, sizeof( supLatticeClass ) );
	uint8_t* tethers = supAlloc( count );
	Softness soft = { .values = supAllocZeroed( count * sizeof( float ) ),
					  .regions = supAllocZeroed( count * sizeof( int32_t ) ),
					  .isHeld = supAllocZeroed( count * sizeof( bool ) ) };
	bool ok = ( b->arena->failed == false && tethers != NULL && soft.values != NULL && soft.regions != NULL &&
				soft.isHeld != NULL ) ||
			  supSetMemoryError( b->error );
	ok = ok && FindTethers( b, tethers ) && FindSoftness( b, &soft );
	for ( int32_t i = 0; ok && i < f->voxelCount; ++i )
	{
		f->voxelClasses[i] = (uint8_t)NearestClass( f, MakeClass( b, i, tethers[i], &soft ) );
	}
	supFree( tethers );
	supFree( soft.values );
	supFree( soft.regions );
	supFree( soft.isHeld );
	return ok;
}
