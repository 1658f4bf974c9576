// SPDX-License-Identifier: MIT
#include "volume/weights/geodesic_weights.h"

#include "core/tasks.h"

#include <float.h>
#include <stdatomic.h>

// Half a voxel: what a distance between voxels does not know.
#define EPSILON 0.5f

#define UNITS_PER_AXIS 100.0f

// Voxels added to the distances that are compared with each other, so that in thin limbs too the blend from one bone to
// the next is wider than a voxel.
#define LEAST_BLEND 2.0f

supGeodesicDef supDefaultGeodesicDef( void )
{
	return ( supGeodesicDef ){ .metric = sup_voxelEuclidean, .alpha = 0.5f, .reach = 1.5f };
}

typedef struct Binding
{
	int32_t count;
	int32_t voxels[8];
	float weights[8];
} Binding;

// Bones are measured in groups, and each point keeps the nearest: a table of all points and bones would be larger than
// everything else together.
#define GROUP 16

// One more than can have weight: the others fade towards it.
#define KEPT ( SUP_MAX_INFLUENCES + 1 )

// Sorted by distance, the first bones first among equals. Where fewer are in reach the rest are FLT_MAX.
typedef struct Nearest
{
	float distances[KEPT];
	uint16_t bones[KEPT];
} Nearest;

typedef struct Loop
{
	const supGeodesicDef* def;
	// units per voxel
	float scale;
	Binding* bindings;
	int32_t firstBone;
	int32_t groupCount;
	// one row of points for each bone of the group, in voxels; FLT_MAX where it cannot be reached
	float* distances;
	Nearest* nearest;
	// scratch of each worker: distances of all voxels, and sources
	float** fields;
	supVoxelSource** sources;
	atomic_bool failed;
	uint16_t* joints;
	float* weights;
} Loop;

// ---------------------------------------------------------------------------------------------------------------------
// Points among voxels

static int32_t ClampInt( int32_t a, int32_t lower, int32_t upper )
{
	return a < lower ? lower : ( a > upper ? upper : a );
}

// For points that no voxel holds: cubes of cells around the point's, one larger than the other, until one holds voxels.
// Of these the nearest by centres, the first of equals.
static int32_t FindNearest( const supVoxels* v, supVec3 p )
{
	supVoxelCell c = supVoxels_CellAt( v, p );
	float best = FLT_MAX;
	int32_t nearest = 0;
	for ( int32_t r = 1; best == FLT_MAX && r <= SUP_MAX_VOXEL_RESOLUTION; r *= 2 )
	{
		int32_t lastX = ClampInt( c.x + r, 0, v->nx - 1 ), lastY = ClampInt( c.y + r, 0, v->ny - 1 );
		int32_t lastZ = ClampInt( c.z + r, 0, v->nz - 1 );
		for ( int32_t z = ClampInt( c.z - r, 0, lastZ ); z <= lastZ; ++z )
		{
			for ( int32_t y = ClampInt( c.y - r, 0, lastY ); y <= lastY; ++y )
			{
				for ( int32_t x = ClampInt( c.x - r, 0, lastX ); x <= lastX; ++x )
				{
					int32_t i = supVoxels_Find( v, x, y, z );
					float d = i >= 0 ? supDistance( supVoxels_CellCenter( v, v->cells[i] ), p ) : FLT_MAX;
					nearest = d < best ? i : nearest;
					best = supMinFloat( d, best );
				}
			}
		}
	}
	return nearest;
}

static void BindRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Loop* loop = context;
	const supVoxels* v = loop->def->voxels;
	for ( int32_t i = begin; i < end; ++i )
	{
		Binding* binding = loop->bindings + i;
		binding->count = supVoxels_Around( v, loop->def->points[i], binding->voxels, binding->weights );
		if ( binding->count == 0 )
		{
			*binding = ( Binding ){ 1, { FindNearest( v, loop->def->points[i] ) }, { 1.0f } };
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Distances, bone by bone

static void MeasureBones( int32_t begin, int32_t end, int32_t worker, void* context )
{
	Loop* loop = context;
	const supGeodesicDef* def = loop->def;
	float* field = loop->fields[worker];
	supVoxelSource* sources = loop->sources[worker];
	for ( int32_t k = begin; k < end; ++k )
	{
		int32_t bone = loop->firstBone + k;
		float* row = loop->distances + (size_t)k * (size_t)def->pointCount;
		int32_t first = def->bones->starts[bone];
		int32_t count = def->bones->starts[bone + 1] - first;
		for ( int32_t i = 0; i < count; ++i )
		{
			sources[i] = ( supVoxelSource ){ def->bones->voxels[first + i], bone, 0.0f };
		}
		if ( supComputeVoxelDistances( def->voxels, def->metric, sources, count, field, NULL ) == false )
		{
			atomic_store( &loop->failed, true );
			return;
		}
		for ( int32_t i = 0; i < def->pointCount; ++i )
		{
			const Binding* b = loop->bindings + i;
			// the voxels around a point are connected: all are reached or none is
			float sum = 0.0f;
			for ( int32_t j = 0; j < b->count; ++j )
			{
				sum += field[b->voxels[j]] < FLT_MAX ? b->weights[j] * field[b->voxels[j]] : 0.0f;
			}
			row[i] = field[b->voxels[0]] < FLT_MAX ? sum : FLT_MAX;
		}
	}
}

static void Insert( Nearest* nearest, float distance, int32_t bone )
{
	int32_t i = KEPT - 1;
	if ( distance >= nearest->distances[i] )
	{
		return;
	}
	for ( ; i > 0 && nearest->distances[i - 1] > distance; --i )
	{
		nearest->distances[i] = nearest->distances[i - 1];
		nearest->bones[i] = nearest->bones[i - 1];
	}
	nearest->distances[i] = distance;
	nearest->bones[i] = (uint16_t)bone;
}

static void MergeRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Loop* loop = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		Nearest* nearest = loop->nearest + i;
		for ( int32_t k = 0; loop->firstBone == 0 && k < KEPT; ++k )
		{
			nearest->distances[k] = FLT_MAX;
		}
		for ( int32_t k = 0; k < loop->groupCount; ++k )
		{
			Insert( nearest, loop->distances[(size_t)k * (size_t)loop->def->pointCount + (size_t)i],
					loop->firstBone + k );
		}
	}
}

static bool FindNearestBones( Loop* loop )
{
	const supGeodesicDef* def = loop->def;
	int32_t boneCount = def->bones->boneCount;
	for ( loop->firstBone = 0; loop->firstBone < boneCount; loop->firstBone += GROUP )
	{
		int32_t left = boneCount - loop->firstBone;
		loop->groupCount = left < GROUP ? left : GROUP;
		supParallelFor( def->tasks, loop->groupCount, 1, MeasureBones, loop );
		if ( atomic_load( &loop->failed ) )
		{
			return false;
		}
		supParallelFor( def->tasks, def->pointCount, 64, MergeRange, loop );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Weights, point by point

// 1 for the nearest bone, 0 from `reach` times its distance on; the square makes it smooth there.
static float Nearness( const Loop* loop, float distance, float least )
{
	float reach = loop->def->reach;
	if ( reach == 0.0f )
	{
		return 1.0f;
	}
	float ratio = ( distance + LEAST_BLEND ) / ( least + LEAST_BLEND );
	float x = supMaxFloat( ( reach - ratio ) / ( reach - 1.0f ), 0.0f );
	return x * x;
}

static float Falloff( const Loop* loop, float distance )
{
	float d = ( distance + EPSILON ) * loop->scale;
	float a = loop->def->alpha;
	float x = 1.0f / ( ( 1.0f - a ) * d + a * d * d );
	return x * x;
}

static void WeighPoint( const Loop* loop, int32_t point )
{
	const Nearest* nearest = loop->nearest + point;
	float entries[KEPT];
	int32_t count = 0;
	// the nearer the heavier, so that these are in order too
	for ( ; count < KEPT && nearest->distances[count] < FLT_MAX; ++count )
	{
		float distance = nearest->distances[count];
		entries[count] = Nearness( loop, distance, nearest->distances[0] ) * Falloff( loop, distance );
	}
	float ninth = count > SUP_MAX_INFLUENCES ? entries[SUP_MAX_INFLUENCES] : 0.0f;
	count = count < SUP_MAX_INFLUENCES ? count : SUP_MAX_INFLUENCES;
	float sum = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		sum += entries[i] - ninth;
	}
	// nine equal ones leave nothing to share out
	if ( !( sum > 0.0f ) )
	{
		ninth = 0.0f;
		sum = 0.0f;
		for ( int32_t i = 0; i < count; ++i )
		{
			sum += entries[i];
		}
	}
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES; ++i )
	{
		size_t slot = (size_t)point * SUP_MAX_INFLUENCES + (size_t)i;
		float weight = i < count ? ( entries[i] - ninth ) / sum : 0.0f;
		loop->weights[slot] = weight;
		loop->joints[slot] = weight > 0.0f ? nearest->bones[i] : 0;
	}
}

static void WeighRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	for ( int32_t i = begin; i < end; ++i )
	{
		WeighPoint( context, i );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// All of it

static int32_t MostVoxelsOfABone( const supBoneVoxels* bones )
{
	int32_t most = 0;
	for ( int32_t i = 0; i < bones->boneCount; ++i )
	{
		int32_t count = bones->starts[i + 1] - bones->starts[i];
		most = count > most ? count : most;
	}
	return most;
}

static bool Allocate( Loop* loop, supArena* arena, int32_t workers )
{
	const supGeodesicDef* def = loop->def;
	size_t points = (size_t)def->pointCount;
	size_t sourceCount = (size_t)MostVoxelsOfABone( def->bones );
	loop->bindings = supArena_AllocArray( arena, points, sizeof( Binding ) );
	loop->distances = supArena_AllocArray( arena, points * GROUP, sizeof( float ) );
	loop->nearest = supArena_AllocArray( arena, points, sizeof( Nearest ) );
	loop->fields = supArena_AllocArray( arena, (size_t)workers, sizeof( float* ) );
	loop->sources = supArena_AllocArray( arena, (size_t)workers, sizeof( supVoxelSource* ) );
	for ( int32_t i = 0; arena->failed == false && i < workers; ++i )
	{
		loop->fields[i] = supArena_AllocArray( arena, (size_t)def->voxels->count, sizeof( float ) );
		loop->sources[i] = supArena_AllocArray( arena, sourceCount, sizeof( supVoxelSource ) );
	}
	return arena->failed == false;
}

static bool CheckDef( const supGeodesicDef* def, supError* error )
{
	if ( !( def->alpha >= 0.0f && def->alpha <= 1.0f ) )
	{
		return supSetError( error, sup_errorArgument, "weights", "alpha must be 0 to 1 (got %g)", (double)def->alpha );
	}
	if ( !( def->reach == 0.0f || ( def->reach > 1.0f && def->reach <= 100.0f ) ) )
	{
		return supSetError( error, sup_errorArgument, "weights", "reach must be 0, or above 1 and up to 100 (got %g)",
							(double)def->reach );
	}
	if ( !( def->unit >= 0.0f && supIsFinite( def->unit ) ) )
	{
		return supSetError( error, sup_errorArgument, "weights", "unit must be a positive length in metres (got %g)",
							(double)def->unit );
	}
	if ( def->bones->boneCount > UINT16_MAX )
	{
		return supSetError( error, sup_errorTooLarge, "weights", "too many bones: %d (at most %d)",
							def->bones->boneCount, UINT16_MAX );
	}
	return true;
}

static float VoxelsPerUnit( const supGeodesicDef* def )
{
	const supVoxels* v = def->voxels;
	int32_t n = v->nx > v->ny ? v->nx : v->ny;
	n = n > v->nz ? n : v->nz;
	return def->unit > 0.0f ? (float)( (double)def->unit / v->size ) : (float)n / UNITS_PER_AXIS;
}

bool supComputeGeodesicWeights( const supGeodesicDef* def, uint16_t* joints, float* weights, supError* error )
{
	supClearError( error );
	if ( CheckDef( def, error ) == false )
	{
		return false;
	}
	Loop loop = { .def = def, .scale = 1.0f / VoxelsPerUnit( def ), .joints = joints, .weights = weights };
	supArena arena = { 0 };
	bool ok = Allocate( &loop, &arena, supGetWorkerCount( def->tasks ) );
	if ( ok )
	{
		supParallelFor( def->tasks, def->pointCount, 64, BindRange, &loop );
		ok = FindNearestBones( &loop );
	}
	if ( ok )
	{
		supParallelFor( def->tasks, def->pointCount, 64, WeighRange, &loop );
	}
	supArena_Destroy( &arena );
	return ok || supSetMemoryError( error );
}
