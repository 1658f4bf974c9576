// SPDX-License-Identifier: MIT
// What each voxel is made of: its layer, what holds it, and how soft it has been made.
//
// Skin is a shell: what it hangs on is what lies beneath, fat over a belly and muscle or bone over an arm. So its
// stiffness of matching is the skin's own, but its tether is that of the nearest voxel that is not skin.
#include "method/lattice/lattice.h"
#include "volume/voxel_graph.h"

// steps of softness within a region that are told apart
#define SOFT_LEVELS 8

// ---------------------------------------------------------------------------------------------------------------------
// Beneath the skin

// For skin voxels the layer of the nearest voxel below, of equally near ones the innermost; for others their own.
static bool FindTethers( const supLatticeBuilder* b, uint8_t* tethers )
{
	const supVoxels* v = &b->voxels;
	int32_t skin = b->layers.layerCount - 1, count = 0;
	supVoxelSource* sources = supAllocArray( (size_t)v->count, sizeof( supVoxelSource ) );
	float* distances = supAllocArray( (size_t)v->count, sizeof( float ) );
	int32_t* owners = supAllocArray( (size_t)v->count, sizeof( int32_t ) );
	bool ok = sources != NULL && distances != NULL && owners != NULL;
	for ( int32_t i = 0; ok && i < v->count; ++i )
	{
		if ( b->layers.layers[i] != skin )
		{
			sources[count++] = ( supVoxelSource ){ i, b->layers.layers[i], 0.0f };
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

typedef struct Softness
{
	float value;
	uint8_t region;
} Softness;

static void Soften( Softness* softness, float value, int32_t region )
{
	if ( value > softness->value )
	{
		*softness = ( Softness ){ supMinFloat( value, 1.0f ), (uint8_t)region };
	}
}

// 1 inside, down to 0 over the border.
static float FadeOut( float outside, float border )
{
	return supClampFloat( 1.0f - outside / border, 0.0f, 1.0f );
}

static float BorderOf( const supLatticeBuilder* b, const supSoftRegion* region )
{
	return region->border > 0.0f ? region->border : 0.05f * b->flesh->longest;
}

static void SoftenPlaces( const supLatticeBuilder* b, const supSoftRegion* region, int32_t index, Softness* softness )
{
	int32_t bone = -1;
	for ( int32_t i = 0; i < b->bones.count && region->shape == sup_softNode; ++i )
	{
		bone = b->bones.nodes[i] == region->node ? i : bone;
	}
	for ( int32_t i = 0; i < b->voxels.count; ++i )
	{
		float value = region->shape == sup_softAll || ( bone >= 0 && b->layers.bones[i] == bone ) ? 1.0f : 0.0f;
		if ( region->shape == sup_softSphere )
		{
			supVec3 p = supVoxels_CellCenter( &b->voxels, b->voxels.cells[i] );
			value = FadeOut( supDistance( p, region->center ) - region->radius, BorderOf( b, region ) );
		}
		Soften( softness + i, region->softness * value, index );
	}
}

// What is painted on vertices, or a list of them, goes to the voxels around and fades out from there.
static bool SoftenVertices( const supLatticeBuilder* b, const supSoftRegion* region, int32_t index, Softness* softness )
{
	const supVoxels* v = &b->voxels;
	const supCharacter* character = b->input->character;
	supRestSurface surface = { 0 };
	if ( supRestSurface_Init( &surface, character, b->input->tasks, b->error ) == false )
	{
		return false;
	}
	float* painted = supAllocZeroed( (size_t)v->count * sizeof( float ) );
	supVoxelSource* sources = supAllocArray( (size_t)v->count, sizeof( supVoxelSource ) );
	float* distances = supAllocArray( (size_t)v->count, sizeof( float ) );
	int32_t* owners = supAllocArray( (size_t)v->count, sizeof( int32_t ) );
	bool ok = painted != NULL && sources != NULL && distances != NULL && owners != NULL;
	for ( int32_t i = 0; ok && i < supCharacter_InstanceCount( character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		bool isList = region->shape == sup_softVertices && region->instance == i;
		bool isPainted = region->shape == sup_softPainted && mesh->softness != NULL;
		int32_t count = isList ? region->vertexCount : ( isPainted ? mesh->vertexCount : 0 );
		for ( int32_t k = 0; k < count; ++k )
		{
			int32_t vertex = isList ? region->vertices[k] : k;
			bool exists = vertex >= 0 && vertex < mesh->vertexCount;
			int32_t voxel = exists ? supVoxels_FindAt( v, surface.positions[surface.vertexStarts[i] + vertex] ) : -1;
			if ( voxel >= 0 )
			{
				painted[voxel] = supMaxFloat( painted[voxel], isList ? 1.0f : mesh->softness[vertex] );
			}
		}
	}
	int32_t count = 0;
	for ( int32_t i = 0; ok && i < v->count; ++i )
	{
		if ( painted[i] > 0.0f )
		{
			sources[count++] = ( supVoxelSource ){ i, i, 0.0f };
		}
	}
	ok = ok && supComputeVoxelDistances( v, sup_voxelEuclidean, sources, count, distances, owners );
	for ( int32_t i = 0; ok && count > 0 && i < v->count; ++i )
	{
		if ( owners[i] >= 0 )
		{
			// what lies below the painted skin goes along
			float depth = 2.0f * BorderOf( b, region );
			float value = painted[owners[i]] * FadeOut( distances[i] * b->flesh->voxelSize - depth, depth );
			Soften( softness + i, region->softness * value, index );
		}
	}
	supFree( painted );
	supFree( sources );
	supFree( distances );
	supFree( owners );
	supRestSurface_Destroy( &surface );
	return ok || supSetMemoryError( b->error );
}

static bool FindSoftness( const supLatticeBuilder* b, Softness* softness )
{
	const supFleshDef* def = b->input->def;
	supSoftRegion painted = supDefaultSoftRegion();
	int32_t count = def->softRegionCount > 0 ? def->softRegionCount : 1;
	// classes are numbered in a byte
	count = count < SUP_LATTICE_NO_REGION ? count : SUP_LATTICE_NO_REGION;
	bool ok = true;
	for ( int32_t i = 0; i < count && ok; ++i )
	{
		const supSoftRegion* region = def->softRegionCount > 0 ? def->softRegions + i : &painted;
		if ( region->shape == sup_softPainted || region->shape == sup_softVertices )
		{
			ok = SoftenVertices( b, region, i, softness );
		}
		else
		{
			SoftenPlaces( b, region, i, softness );
		}
	}
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

// With more kinds of voxels than there are classes, softness is told apart less finely.
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
#define THIN_DEPTH 1

bool supLattice_BuildClasses( supLatticeBuilder* b )
{
	supLatticeFlesh* f = b->flesh;
	size_t count = (size_t)f->voxelCount;
	f->voxelClasses = supArena_Alloc( b->arena, count );
	f->layers = supArena_CopyArray( b->arena, b->layers.layers, count, sizeof( uint8_t ) );
	f->classes = supArena_AllocArray( b->arena, SUP_LATTICE_MAX_CLASSES, sizeof( supLatticeClass ) );
	uint8_t* tethers = supAlloc( count );
	Softness* softness = supAllocZeroed( count * sizeof( Softness ) );
	bool ok = ( b->arena->failed == false && tethers != NULL && softness != NULL ) || supSetMemoryError( b->error );
	ok = ok && FindTethers( b, tethers ) && FindSoftness( b, softness );
	for ( int32_t i = 0; ok && i < f->voxelCount; ++i )
	{
		float value = (float)(int32_t)( softness[i].value * SOFT_LEVELS + 0.5f ) / SOFT_LEVELS;
		bool isBone = b->layers.layers[i] == 0;
		bool isFreed = isBone && value > 0.5f && b->layers.depths[i] <= THIN_DEPTH;
		supLatticeClass class = { .layer = isFreed ? 1 : b->layers.layers[i],
								  .tether = isFreed ? 1 : tethers[i],
								  .region = value > 0.0f ? softness[i].region : SUP_LATTICE_NO_REGION,
								  .isBone = isBone && isFreed == false,
								  .softness = value };
		if ( class.isBone != 0 )
		{
			class.region = SUP_LATTICE_NO_REGION;
			class.softness = 0.0f;
		}
		f->voxelClasses[i] = (uint8_t)NearestClass( f, class );
	}
	supFree( tethers );
	supFree( softness );
	return ok;
}
