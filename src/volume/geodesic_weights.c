// SPDX-License-Identifier: MIT
#include "volume/geodesic_weights.h"

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

typedef struct Loop
{
	const supGeodesicDef* def;
	// voxels per unit
	float scale;
	Binding* bindings;
	// one row of points for each bone, in voxels; FLT_MAX where it cannot be reached
	float* distances;
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
	for ( int32_t bone = begin; bone < end; ++bone )
	{
		float* row = loop->distances + (size_t)bone * (size_t)def->pointCount;
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
			for ( int32_t k = 0; k < b->count; ++k )
			{
				sum += field[b->voxels[k]] < FLT_MAX ? b->weights[k] * field[b->voxels[k]] : 0.0f;
			}
			row[i] = field[b->voxels[0]] < FLT_MAX ? sum : FLT_MAX;
		}
	}
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

typedef struct Entry
{
	float weight;
	int32_t bone;
} Entry;

// Keeps the nine heaviest, first bones first among equals.
static void Insert( Entry* entries, int32_t* count, Entry entry )
{
	int32_t i = *count < SUP_MAX_INFLUENCES + 1 ? ( *count )++ : SUP_MAX_INFLUENCES + 1;
	for ( ; i > 0 && entries[i - 1].weight < entry.weight; --i )
	{
		if ( i <= SUP_MAX_INFLUENCES )
		{
			entries[i] = entries[i - 1];
		}
	}
	if ( i <= SUP_MAX_INFLUENCES )
	{
		entries[i] = entry;
	}
}

static void WeighPoint( const Loop* loop, int32_t point )
{
	Entry entries[SUP_MAX_INFLUENCES + 1];
	int32_t count = 0, boneCount = loop->def->bones->boneCount;
	const float* distances = loop->distances + point;
	size_t stride = (size_t)loop->def->pointCount;
	float least = FLT_MAX;
	for ( int32_t bone = 0; bone < boneCount; ++bone )
	{
		least = supMinFloat( least, distances[(size_t)bone * stride] );
	}
	for ( int32_t bone = 0; bone < boneCount; ++bone )
	{
		float distance = distances[(size_t)bone * stride];
		float nearness = distance < FLT_MAX ? Nearness( loop, distance, least ) : 0.0f;
		if ( nearness > 0.0f )
		{
			Insert( entries, &count, ( Entry ){ nearness * Falloff( loop, distance ), bone } );
		}
	}
	float ninth = count > SUP_MAX_INFLUENCES ? entries[SUP_MAX_INFLUENCES].weight : 0.0f;
	count = count < SUP_MAX_INFLUENCES ? count : SUP_MAX_INFLUENCES;
	float sum = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		sum += entries[i].weight - ninth;
	}
	// nine equal ones leave nothing to share out
	if ( !( sum > 0.0f ) )
	{
		ninth = 0.0f;
		sum = 0.0f;
		for ( int32_t i = 0; i < count; ++i )
		{
			sum += entries[i].weight;
		}
	}
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES; ++i )
	{
		size_t slot = (size_t)point * SUP_MAX_INFLUENCES + (size_t)i;
		float weight = i < count ? ( entries[i].weight - ninth ) / sum : 0.0f;
		loop->weights[slot] = weight;
		loop->joints[slot] = weight > 0.0f ? (uint16_t)entries[i].bone : 0;
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
	loop->distances = supArena_AllocArray( arena, points * (size_t)def->bones->boneCount, sizeof( float ) );
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
		return supSetError( error, sup_errorArgument, "weights", "alpha is %g; it goes from 0 to 1",
							(double)def->alpha );
	}
	if ( !( def->reach == 0.0f || ( def->reach > 1.0f && def->reach <= 100.0f ) ) )
	{
		return supSetError( error, sup_errorArgument, "weights", "the reach is %g; it is above 1, up to 100, or 0",
							(double)def->reach );
	}
	if ( !( def->unit >= 0.0f && supIsFinite( def->unit ) ) )
	{
		return supSetError( error, sup_errorArgument, "weights", "the unit is %g m; it is a length",
							(double)def->unit );
	}
	if ( def->bones->boneCount > UINT16_MAX )
	{
		return supSetError( error, sup_errorTooLarge, "weights", "%d bones; there can be %d", def->bones->boneCount,
							UINT16_MAX );
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
		supParallelFor( def->tasks, def->bones->boneCount, 1, MeasureBones, &loop );
		ok = atomic_load( &loop.failed ) == false;
	}
	if ( ok )
	{
		supParallelFor( def->tasks, def->pointCount, 64, WeighRange, &loop );
	}
	supArena_Destroy( &arena );
	return ok || supSetMemoryError( error );
}
