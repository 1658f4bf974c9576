// SPDX-License-Identifier: MIT
#include "volume/body/layers.h"

#include "core/sort.h"
#include "volume/voxels/voxel_graph.h"

#include <float.h>

#define MOST_WIDTH SUP_MAX_VOXEL_RESOLUTION

supLayersDef supDefaultLayersDef( void )
{
	return ( supLayersDef ){ .layerCount = 4 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Settings

static bool CheckShares( const supLayersDef* def, const float* shares, supError* error )
{
	float sum = 0.0f;
	for ( int32_t i = 0; shares != NULL && i < def->layerCount - 2; ++i )
	{
		sum += shares[i];
		if ( !( shares[i] >= 0.0f && shares[i] <= 1e6f ) )
		{
			return supSetError( error, sup_errorArgument, "layers", "share %d must be 0 to 1e6 (got %g)", i,
								(double)shares[i] );
		}
	}
	if ( shares != NULL && def->layerCount > 2 && !( sum > 0.0f ) )
	{
		return supSetError( error, sup_errorArgument, "layers", "all shares are 0" );
	}
	return true;
}

static bool CheckDef( const supLayersDef* def, int32_t boneCount, supError* error )
{
	if ( def->layerCount < 2 || def->layerCount > SUP_MAX_LAYERS )
	{
		return supSetError( error, sup_errorArgument, "layers", "must have 2 (bone, skin) to %d layers (got %d)",
							SUP_MAX_LAYERS, def->layerCount );
	}
	bool ok = CheckShares( def, def->shares, error );
	for ( int32_t i = -1; ok && i < def->partCount; ++i )
	{
		int32_t width = i < 0 ? def->boneWidth : def->parts[i].boneWidth;
		if ( width < ( i < 0 ? 0 : -1 ) || width > MOST_WIDTH )
		{
			return supSetError( error, sup_errorArgument, "layers", "bone width must be 0 to %d (got %d)", MOST_WIDTH,
								width );
		}
		if ( i >= 0 && ( def->parts[i].bone < 0 || def->parts[i].bone >= boneCount ) )
		{
			return supSetError( error, sup_errorArgument, "layers", "bone %d does not exist; there are %d",
								def->parts[i].bone, boneCount );
		}
		ok = i < 0 || CheckShares( def, def->parts[i].shares, error );
	}
	return ok;
}

// Everything about one bone: its width, and where each layer between ends on the way from bone to skin.
typedef struct Part
{
	int32_t width;
	float ends[SUP_MAX_LAYERS];
} Part;

static void SetEnds( Part* part, int32_t between, const float* shares )
{
	float sum = 0.0f, before = 0.0f;
	for ( int32_t i = 0; i < between; ++i )
	{
		sum += shares != NULL ? shares[i] : 1.0f;
	}
	for ( int32_t i = 0; i < between; ++i )
	{
		before += shares != NULL ? shares[i] : 1.0f;
		part->ends[i] = before / sum;
	}
}

static Part* MakeParts( supArena* scratch, int32_t boneCount, const supLayersDef* def )
{
	Part* parts = supArena_AllocArray( scratch, (size_t)boneCount, sizeof( Part ) );
	for ( int32_t i = 0; parts != NULL && i < boneCount; ++i )
	{
		parts[i].width = def->boneWidth;
		SetEnds( parts + i, def->layerCount - 2, def->shares );
	}
	for ( int32_t i = 0; parts != NULL && i < def->partCount; ++i )
	{
		const supLayerPart* part = def->parts + i;
		if ( part->boneWidth >= 0 )
		{
			parts[part->bone].width = part->boneWidth;
		}
		if ( part->shares != NULL )
		{
			SetEnds( parts + part->bone, def->layerCount - 2, part->shares );
		}
	}
	return parts;
}

// ---------------------------------------------------------------------------------------------------------------------
// Distances

typedef struct Builder
{
	const supVoxels* voxels;
	const supBoneVoxels* boneVoxels;
	const supLayersDef* def;
	supLayers* layers;
	supArena scratch;
	Part* parts;
	int32_t mostWidth;
	bool* isTouched;
	// from the bone layer, negative inside of it; from the skin
	float* boneDistances;
	float* skinDistances;
	supVoxelSource* sources;
} Builder;

// A wide bone starts earlier by as much as it is wider, so that the layers of all are left at the same time. A voxel
// that several touch goes to the first of the widest.
static bool MeasureFromBones( Builder* b )
{
	const supBoneVoxels* bv = b->boneVoxels;
	int32_t count = 0;
	for ( int32_t width = b->mostWidth; width >= 0; --width )
	{
		for ( int32_t bone = 0; bone < bv->boneCount; ++bone )
		{
			for ( int32_t i = bv->starts[bone]; b->parts[bone].width == width && i < bv->starts[bone + 1]; ++i )
			{
				b->isTouched[bv->voxels[i]] = true;
				b->sources[count++] = ( supVoxelSource ){ bv->voxels[i], bone, (float)( b->mostWidth - width ) };
			}
		}
	}
	return supComputeVoxelDistances( b->voxels, sup_voxelManhattan, b->sources, count, b->boneDistances,
									 b->layers->bones );
}

static bool HasOpenFace( const supVoxels* v, supVoxelCell c )
{
	for ( int32_t k = 0; k < 6; ++k )
	{
		supVoxelCell o = supVoxelOffsets[k];
		if ( supVoxels_Find( v, c.x + o.x, c.y + o.y, c.z + o.z ) < 0 )
		{
			return true;
		}
	}
	return false;
}

static bool MeasureFromSkin( Builder* b )
{
	const supVoxels* v = b->voxels;
	int32_t count = 0;
	for ( int32_t i = 0; i < v->count; ++i )
	{
		if ( HasOpenFace( v, v->cells[i] ) )
		{
			b->sources[count++] = ( supVoxelSource ){ i, 0, 0.0f };
		}
	}
	if ( supComputeVoxelDistances( v, sup_voxelManhattan, b->sources, count, b->skinDistances, NULL ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < v->count; ++i )
	{
		b->layers->depths[i] = (int32_t)b->skinDistances[i];
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Layers

static int32_t ChooseLayer( const Builder* b, int32_t voxel )
{
	int32_t last = b->def->layerCount - 1;
	float bone = b->boneDistances[voxel] - (float)b->mostWidth;
	float skin = b->skinDistances[voxel];
	// a limb two voxels thick with its bone on the border between them is not all bone
	bool isSkin = skin == 0.0f;
	if ( isSkin ? b->boneVoxels->isPassed[voxel] : b->isTouched[voxel] )
	{
		return 0;
	}
	if ( isSkin )
	{
		return last;
	}
	// with two layers alone there is nothing between
	if ( bone <= 0.0f || last == 1 )
	{
		return 0;
	}
	float way = ( bone - 0.5f ) / ( bone + skin - 1.0f );
	const float* ends = b->parts[b->layers->bones[voxel]].ends;
	int32_t layer = 1;
	while ( layer < last - 1 && way > ends[layer - 1] )
	{
		layer += 1;
	}
	return layer;
}

static bool Allocate( Builder* b, int32_t boneCount )
{
	supArena* arena = &b->layers->arena;
	size_t n = (size_t)b->voxels->count;
	size_t touched = (size_t)b->boneVoxels->starts[boneCount];
	b->layers->layers = supArena_AllocArray( arena, n, sizeof( uint8_t ) );
	b->layers->bones = supArena_AllocArray( arena, n, sizeof( int32_t ) );
	b->layers->depths = supArena_AllocArray( arena, n, sizeof( int32_t ) );
	b->layers->boneCounts = supArena_AllocZeroed( arena, (size_t)boneCount * sizeof( int32_t ) );
	b->parts = MakeParts( &b->scratch, boneCount, b->def );
	b->isTouched = supArena_AllocZeroed( &b->scratch, n * sizeof( bool ) );
	b->boneDistances = supArena_AllocArray( &b->scratch, n, sizeof( float ) );
	b->skinDistances = supArena_AllocArray( &b->scratch, n, sizeof( float ) );
	b->sources = supArena_AllocArray( &b->scratch, touched > n ? touched : n, sizeof( supVoxelSource ) );
	return arena->failed == false && b->scratch.failed == false;
}

static bool Build( Builder* b, int32_t boneCount )
{
	if ( Allocate( b, boneCount ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < boneCount; ++i )
	{
		b->mostWidth = b->parts[i].width > b->mostWidth ? b->parts[i].width : b->mostWidth;
	}
	if ( MeasureFromBones( b ) == false || MeasureFromSkin( b ) == false )
	{
		return false;
	}
	supLayers* layers = b->layers;
	layers->layerCount = b->def->layerCount;
	for ( int32_t i = 0; i < b->voxels->count; ++i )
	{
		int32_t layer = ChooseLayer( b, i );
		layers->layers[i] = (uint8_t)layer;
		layers->counts[layer] += 1;
		layers->boneCounts[layers->bones[i]] += 1;
	}
	return true;
}

bool supLayers_Init( supLayers* layers, const supVoxels* voxels, const supBones* bones, const supBoneVoxels* boneVoxels,
					 const supLayersDef* def, supError* error )
{
	supClearError( error );
	if ( CheckDef( def, bones->count, error ) == false )
	{
		return false;
	}
	Builder builder = { .voxels = voxels, .boneVoxels = boneVoxels, .def = def, .layers = layers };
	bool ok = Build( &builder, bones->count );
	supArena_Destroy( &builder.scratch );
	if ( ok == false )
	{
		supLayers_Destroy( layers );
		return supSetMemoryError( error );
	}
	return true;
}

void supLayers_Destroy( supLayers* layers )
{
	supArena_Destroy( &layers->arena );
	*layers = ( supLayers ){ 0 };
}

int32_t supSuggestResolution( const supVoxels* voxels, const supBones* bones, int32_t bone )
{
	float length = 0.0f;
	for ( int32_t i = bones->segmentStarts[bone]; i < bones->segmentStarts[bone + 1]; ++i )
	{
		supVec3 d = supSub( bones->segments[i].b, bones->segments[i].a );
		length = supMaxFloat( length, supMaxFloat( fabsf( d.x ), supMaxFloat( fabsf( d.y ), fabsf( d.z ) ) ) );
	}
	int32_t n = voxels->nx > voxels->ny ? voxels->nx : voxels->ny;
	n = n > voxels->nz ? n : voxels->nz;
	double needed = length > 0.0f ? ceil( 2.0 * n * voxels->size / (double)length ) : SUP_MAX_VOXEL_RESOLUTION;
	return needed < SUP_MAX_VOXEL_RESOLUTION ? (int32_t)needed : SUP_MAX_VOXEL_RESOLUTION;
}
