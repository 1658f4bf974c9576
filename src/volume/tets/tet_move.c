// SPDX-License-Identifier: MIT
#include "volume/tets/tet_move.h"

#include "core/tasks.h"

#include <math.h>

// After so many halvings a point stays.
#define HALVINGS 6

// Bounds of tets that change: angles of 12 and 162 degrees, by their cosines, and a mean ratio. Stencils may have
// worse ones; points of such tets stay.
#define COS_LEAST 0.978148
#define COS_MOST -0.951057
#define LEAST_RATIO 0.2

bool supTetMoves_Init( supTetMoves* moves, supTets* tets, int32_t capacity, const supTasks* tasks, supArena* arena )
{
	size_t count = (size_t)capacity;
	moves->tets = tets;
	moves->tasks = tasks;
	moves->points = supArena_AllocArray( arena, count, sizeof( int32_t ) );
	moves->numbers = supArena_AllocArray( arena, (size_t)tets->pointCount, sizeof( int32_t ) );
	moves->from = supArena_AllocArray( arena, count, sizeof( supVec3 ) );
	moves->way = supArena_AllocArray( arena, count, sizeof( supVec3 ) );
	moves->done = supArena_AllocArray( arena, count, sizeof( float ) );
	moves->step = supArena_AllocArray( arena, count, sizeof( float ) );
	moves->changed = supArena_AllocArray( arena, count, sizeof( uint8_t ) );
	moves->tooFar = supArena_AllocZeroed( arena, count );
	moves->touched = supArena_AllocArray( arena, (size_t)tets->tetCount, sizeof( int32_t ) );
	return arena->failed == false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Angles

typedef struct Normal
{
	double x, y, z, length;
} Normal;

static Normal FaceNormal( supVec3 a, supVec3 b, supVec3 c )
{
	double ux = (double)b.x - (double)a.x, uy = (double)b.y - (double)a.y, uz = (double)b.z - (double)a.z;
	double vx = (double)c.x - (double)a.x, vy = (double)c.y - (double)a.y, vz = (double)c.z - (double)a.z;
	Normal n = { uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx, 0.0 };
	n.length = sqrt( n.x * n.x + n.y * n.y + n.z * n.z );
	return n;
}

bool supTets_IsGood( const supTets* tets, int32_t tet )
{
	const int32_t* c = tets->indices + 4 * (size_t)tet;
	const supVec3* p = tets->points;
	double volume = supTets_Volume( tets, tet ), squares = 0.0;
	for ( int32_t i = 0; i < 4; ++i )
	{
		for ( int32_t k = i + 1; k < 4; ++k )
		{
			squares += (double)supLengthSquared( supSub( p[c[i]], p[c[k]] ) );
		}
	}
	// mean ratio: 12 ( 3 V )^( 2 / 3 ) / squares, to the third power
	double least = LEAST_RATIO * squares / 12.0;
	if ( volume <= 0.0 || 9.0 * volume * volume < least * least * least )
	{
		return false;
	}
	const Normal n[4] = { FaceNormal( p[c[1]], p[c[2]], p[c[3]] ), FaceNormal( p[c[0]], p[c[3]], p[c[2]] ),
						  FaceNormal( p[c[0]], p[c[1]], p[c[3]] ), FaceNormal( p[c[0]], p[c[2]], p[c[1]] ) };
	for ( int32_t i = 0; i < 4; ++i )
	{
		for ( int32_t k = i + 1; k < 4; ++k )
		{
			// the angle within is the other way round from that between normals
			double dot = -( n[i].x * n[k].x + n[i].y * n[k].y + n[i].z * n[k].z ), scale = n[i].length * n[k].length;
			if ( dot > COS_LEAST * scale || dot < COS_MOST * scale )
			{
				return false;
			}
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Ways

void supTetMoves_ListTets( supTetMoves* s )
{
	memset( s->numbers, -1, (size_t)s->tets->pointCount * sizeof( int32_t ) );
	for ( int32_t i = 0; i < s->count; ++i )
	{
		s->numbers[s->points[i]] = i;
	}
	s->tetCount = 0;
	for ( int32_t i = 0; s->count > 0 && i < s->tets->tetCount; ++i )
	{
		const int32_t* c = s->tets->indices + 4 * (size_t)i;
		if ( s->numbers[c[0]] >= 0 || s->numbers[c[1]] >= 0 || s->numbers[c[2]] >= 0 || s->numbers[c[3]] >= 0 )
		{
			s->touched[s->tetCount++] = i;
		}
	}
}

void supTetMoves_FindMeans( supTetMoves* s )
{
	for ( int32_t i = 0; i < s->count; ++i )
	{
		s->from[i] = s->tets->points[s->points[i]];
		s->way[i] = supVec3_zero;
		s->step[i] = 0.0f;
		s->done[i] = 0.0f;
	}
	for ( int32_t i = 0; i < s->tetCount; ++i )
	{
		const int32_t* c = s->tets->indices + 4 * (size_t)s->touched[i];
		const supVec3* p = s->tets->points;
		supVec3 sum = supAdd( supAdd( p[c[0]], p[c[1]] ), supAdd( p[c[2]], p[c[3]] ) );
		for ( int32_t k = 0; k < 4; ++k )
		{
			int32_t m = s->numbers[c[k]];
			if ( m >= 0 )
			{
				s->way[m] = supAdd( s->way[m], supSub( sum, p[c[k]] ) );
				s->step[m] += 3.0f;
			}
		}
	}
	for ( int32_t i = 0; i < s->count; ++i )
	{
		s->way[i] = s->step[i] > 0.0f ? supScale( 1.0f / s->step[i], s->way[i] ) : s->from[i];
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Steps

static void CheckRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supTetMoves* s = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		const int32_t* c = s->tets->indices + 4 * (size_t)s->touched[i];
		int32_t numbers[4];
		bool changed = false;
		for ( int32_t k = 0; k < 4; ++k )
		{
			numbers[k] = s->numbers[c[k]];
			changed = changed || ( numbers[k] >= 0 && s->changed[numbers[k]] != 0 );
		}
		if ( changed == false || supTets_IsGood( s->tets, s->touched[i] ) )
		{
			continue;
		}
		for ( int32_t k = 0; k < 4; ++k )
		{
			if ( numbers[k] >= 0 )
			{
				atomic_store_explicit( s->tooFar + numbers[k], 1, memory_order_relaxed );
			}
		}
	}
}

// Shorter steps where tets say so. False where none did.
static bool Shorten( supTetMoves* s, int32_t round )
{
	bool any = false;
	for ( int32_t i = 0; i < s->count; ++i )
	{
		bool shorter = atomic_load_explicit( s->tooFar + i, memory_order_relaxed ) != 0 && s->step[i] > 0.0f;
		s->changed[i] = shorter ? 1 : 0;
		if ( shorter )
		{
			s->step[i] = round < HALVINGS ? 0.5f * s->step[i] : 0.0f;
			any = true;
		}
		atomic_store_explicit( s->tooFar + i, 0, memory_order_relaxed );
	}
	return any;
}

// One step of all. It ends: from some round on points that are in the way stay.
void supTetMoves_Step( supTetMoves* s )
{
	for ( int32_t i = 0; i < s->count; ++i )
	{
		s->step[i] = 1.0f - s->done[i];
		s->changed[i] = 1;
	}
	bool again = true;
	for ( int32_t round = 0; again; ++round )
	{
		for ( int32_t i = 0; i < s->count; ++i )
		{
			s->tets->points[s->points[i]] = supMulAdd( s->from[i], s->done[i] + s->step[i], s->way[i] );
		}
		supParallelFor( s->tasks, s->tetCount, 256, CheckRange, s );
		again = Shorten( s, round );
	}
	for ( int32_t i = 0; i < s->count; ++i )
	{
		s->done[i] += s->step[i];
	}
}
