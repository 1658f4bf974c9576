// SPDX-License-Identifier: MIT
// Dijkstra's algorithm with buckets one step wide. No step is shorter than 1, so nothing that leaves a bucket comes
// back into it: its voxels are final when it is opened, in whatever order they are taken (Dial 1969, with real
// lengths). No step is longer than sqrt 3, so two buckets ahead of the open one are all there are.
#include "volume/voxels/voxel_graph.h"

#include "core/array.h"

#include <float.h>

#define BUCKETS 3

typedef SUP_ARRAY( int32_t ) Bucket;

typedef struct Search
{
	const supVoxels* voxels;
	supVoxelMetric metric;
	float* distances;
	int32_t* owners;
	Bucket buckets[BUCKETS];
} Search;

static const float s_lengths[4] = { 0.0f, 1.0f, 1.41421356f, 1.73205081f };

// ---------------------------------------------------------------------------------------------------------------------
// Steps

// The 3 x 3 x 3 cells around a voxel, bit x + 3 y + 9 z counted from the lowest.
static uint32_t Neighbourhood( const supVoxels* v, supVoxelCell cell )
{
	uint32_t mask = 0;
	for ( int32_t dz = 0; dz < 3; ++dz )
	{
		for ( int32_t dy = 0; dy < 3; ++dy )
		{
			const uint64_t* row =
				v->bits + (size_t)( ( cell.z + dz ) * ( v->ny + 2 ) + cell.y + dy ) * (size_t)v->wordsPerRow;
			// bits x, x + 1, x + 2 of the row: it starts with the border
			int32_t word = cell.x >> 6, shift = cell.x & 63;
			uint64_t bits = row[word] >> shift;
			bits |= shift > 61 ? row[word + 1] << ( 64 - shift ) : 0;
			mask |= (uint32_t)( bits & 7 ) << ( 3 * dy + 9 * dz );
		}
	}
	return mask;
}

static bool Has( uint32_t mask, int32_t x, int32_t y, int32_t z )
{
	return ( mask >> ( x + 1 + 3 * ( y + 1 ) + 9 * ( z + 1 ) ) & 1 ) != 0;
}

static bool IsOpen( uint32_t mask, supVoxelCell o )
{
	int32_t x = o.x, y = o.y, z = o.z;
	if ( Has( mask, x, y, z ) == false )
	{
		return false;
	}
	int32_t axes = ( x != 0 ) + ( y != 0 ) + ( z != 0 );
	if ( axes == 1 )
	{
		return true;
	}
	// a zero component makes these the voxel itself or its goal, so that one formula would say yes to everything
	if ( axes == 2 )
	{
		return x == 0 ? Has( mask, 0, y, 0 ) || Has( mask, 0, 0, z )
					  : Has( mask, x, 0, 0 ) || ( y == 0 ? Has( mask, 0, 0, z ) : Has( mask, 0, y, 0 ) );
	}
	bool xy = Has( mask, x, y, 0 ), yz = Has( mask, 0, y, z ), zx = Has( mask, x, 0, z );
	return ( Has( mask, x, 0, 0 ) && ( xy || zx ) ) || ( Has( mask, 0, y, 0 ) && ( xy || yz ) ) ||
		   ( Has( mask, 0, 0, z ) && ( yz || zx ) );
}

uint32_t supVoxels_OpenSteps( const supVoxels* voxels, supVoxelCell cell )
{
	uint32_t mask = Neighbourhood( voxels, cell );
	uint32_t steps = 0;
	for ( int32_t k = 0; k < 26; ++k )
	{
		steps |= IsOpen( mask, supVoxelOffsets[k] ) ? 1u << k : 0u;
	}
	return steps;
}

// Deep inside everything is open.
#define ALL_CELLS 0x7FFFFFFu
#define ALL_STEPS 0x3FFFFFFu

static uint32_t FindSteps( const Search* search, supVoxelCell cell )
{
	uint32_t mask = Neighbourhood( search->voxels, cell );
	int32_t width = search->metric == sup_voxelManhattan ? 6 : 26;
	if ( mask == ALL_CELLS )
	{
		return width == 6 ? 0x3Fu : ALL_STEPS;
	}
	uint32_t steps = 0;
	for ( int32_t k = 0; k < width; ++k )
	{
		steps |= IsOpen( mask, supVoxelOffsets[k] ) ? 1u << k : 0u;
	}
	return steps;
}

// ---------------------------------------------------------------------------------------------------------------------
// Sampling

// The cells of a 2 x 2 x 2 block that are connected with one of them across faces; bit x + 2 y + 4 z.
static uint32_t Connected( uint32_t present, uint32_t first )
{
	uint32_t reached = first, before = 0;
	while ( reached != before )
	{
		before = reached;
		reached |= ( reached & 0x55u ) << 1 | ( reached & 0xAAu ) >> 1;
		reached |= ( reached & 0x33u ) << 2 | ( reached & 0xCCu ) >> 2;
		reached |= ( reached & 0x0Fu ) << 4 | ( reached & 0xF0u ) >> 4;
		reached &= present;
	}
	return reached;
}

// Lower cell of the two around a coordinate, and the share of the upper one.
static int32_t CellBelow( const supVoxels* voxels, int axis, float value, int32_t n, int32_t own, float* share )
{
	double t = ( (double)value - voxels->center[axis] ) / voxels->size + 0.5 * n - 0.5;
	int32_t cell = t < own ? own - 1 : own;
	*share = supClampFloat( (float)( t - cell ), 0.0f, 1.0f );
	return cell;
}

int32_t supVoxels_Around( const supVoxels* voxels, supVec3 p, int32_t around[8], float weights[8] )
{
	int32_t own = supVoxels_FindAt( voxels, p );
	if ( own < 0 )
	{
		return 0;
	}
	supVoxelCell c = voxels->cells[own];
	float share[3];
	int32_t x = CellBelow( voxels, 0, p.x, voxels->nx, c.x, share );
	int32_t y = CellBelow( voxels, 1, p.y, voxels->ny, c.y, share + 1 );
	int32_t z = CellBelow( voxels, 2, p.z, voxels->nz, c.z, share + 2 );
	int32_t found[8];
	uint32_t present = 0;
	for ( int32_t i = 0; i < 8; ++i )
	{
		found[i] = supVoxels_Find( voxels, x + ( i & 1 ), y + ( i >> 1 & 1 ), z + ( i >> 2 ) );
		present |= found[i] >= 0 ? 1u << i : 0u;
	}
	uint32_t first = 1u << ( ( c.x - x ) + 2 * ( c.y - y ) + 4 * ( c.z - z ) );
	int32_t count = 0;
	float sum = 0.0f;
	for ( uint32_t bits = Connected( present, first ); bits != 0; bits &= bits - 1 )
	{
		int32_t i = __builtin_ctz( bits );
		around[count] = found[i];
		weights[count] = ( ( i & 1 ) != 0 ? share[0] : 1.0f - share[0] ) *
						 ( ( i & 2 ) != 0 ? share[1] : 1.0f - share[1] ) *
						 ( ( i & 4 ) != 0 ? share[2] : 1.0f - share[2] );
		sum += weights[count];
		count += 1;
	}
	// the point's own voxel alone has an eighth or more
	for ( int32_t i = 0; i < count; ++i )
	{
		weights[i] /= sum;
	}
	return count;
}

// ---------------------------------------------------------------------------------------------------------------------
// Search

// A voxel is put again into the bucket of each better distance; older entries are told by their bucket.
static bool Offer( Search* search, int32_t voxel, float distance, int32_t owner )
{
	float old = search->distances[voxel];
	if ( distance > old )
	{
		return true;
	}
	if ( search->owners != NULL && ( distance < old || owner < search->owners[voxel] ) )
	{
		search->owners[voxel] = owner;
	}
	if ( distance == old )
	{
		return true;
	}
	search->distances[voxel] = distance;
	return SUP_PUSH( &search->buckets[(int32_t)distance % BUCKETS], voxel );
}

static bool LeaveVoxel( Search* search, int32_t voxel )
{
	const supVoxels* v = search->voxels;
	supVoxelCell c = v->cells[voxel];
	float distance = search->distances[voxel];
	int32_t owner = search->owners != NULL ? search->owners[voxel] : 0;
	for ( uint32_t steps = FindSteps( search, c ); steps != 0; steps &= steps - 1 )
	{
		int32_t k = __builtin_ctz( steps );
		supVoxelCell o = supVoxelOffsets[k];
		int32_t next = supVoxels_Find( v, c.x + o.x, c.y + o.y, c.z + o.z );
		float length = s_lengths[k < 6 ? 1 : ( k < 18 ? 2 : 3 )];
		if ( Offer( search, next, distance + length, owner ) == false )
		{
			return false;
		}
	}
	return true;
}

static bool OpenBucket( Search* search, int32_t level )
{
	Bucket* bucket = &search->buckets[level % BUCKETS];
	for ( int32_t i = 0; i < bucket->count; ++i )
	{
		int32_t voxel = bucket->data[i];
		// left for an earlier bucket since, or named twice in this one: the second visit changes nothing
		if ( (int32_t)search->distances[voxel] == level && LeaveVoxel( search, voxel ) == false )
		{
			return false;
		}
	}
	bucket->count = 0;
	return true;
}

// Whole voxels are numbers up to here, and a bone that is farther away is not the nearest to anything.
#define MAX_START 1e7f

static float StartOf( const supVoxelSource* source )
{
	return source->start >= 0.0f ? supMinFloat( source->start, MAX_START ) : 0.0f;
}

static bool Run( Search* search, const supVoxelSource* sources, int32_t sourceCount )
{
	int32_t next = 0;
	int32_t level = sourceCount > 0 ? (int32_t)StartOf( sources ) : 0;
	for ( int32_t empty = 0; empty < BUCKETS || next < sourceCount; ++level )
	{
		// nothing is left to spread: on to the next source, however far it is
		level = empty >= BUCKETS ? (int32_t)StartOf( sources + next ) : level;
		for ( ; next < sourceCount && (int32_t)StartOf( sources + next ) == level; ++next )
		{
			if ( Offer( search, sources[next].voxel, StartOf( sources + next ), sources[next].owner ) == false )
			{
				return false;
			}
		}
		empty = search->buckets[level % BUCKETS].count == 0 ? empty + 1 : 0;
		if ( OpenBucket( search, level ) == false )
		{
			return false;
		}
	}
	return true;
}

bool supComputeVoxelDistances( const supVoxels* voxels, supVoxelMetric metric, const supVoxelSource* sources,
							   int32_t sourceCount, float* distances, int32_t* owners )
{
	Search search = { .voxels = voxels, .metric = metric, .distances = distances, .owners = owners };
	for ( int32_t i = 0; i < voxels->count; ++i )
	{
		distances[i] = FLT_MAX;
		if ( owners != NULL )
		{
			owners[i] = -1;
		}
	}
	bool ok = Run( &search, sources, sourceCount );
	for ( int32_t i = 0; i < BUCKETS; ++i )
	{
		SUP_FREE_ARRAY( &search.buckets[i] );
	}
	return ok;
}
