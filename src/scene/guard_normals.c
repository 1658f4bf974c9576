// SPDX-License-Identifier: MIT
// Areas of triangles, and normals of skin that is not drawn where its method made it.
#include "core/tasks.h"
#include "core/wide.h"
#include "scene/guard_kernel.h"
#include "scene/guard_work.h"

#include <math.h>

// Of the size: skin that is drawn so far from where the method made it has other normals altogether.
#define NORMAL_FADE 0.003f

// Flesh that is sheared beyond what skin can bear has normals that may point anywhere. Where their cosine with those of
// the drawn surface is below this, over this range, that distance is so many times shorter.
#define DOUBTFUL_COSINE 0.95f
#define DOUBTFUL_RANGE 0.15f
#define DOUBT 20.0f

// Of the cosines between the triangles around a place: below this, over this range, they are crumpled and say nothing.
#define TRUSTED_COSINE 0.85f
#define TRUSTED_RANGE 0.1f

// A normal that stands on its surface this well needs no other; one that stands worse than another by so much gives way
// to it altogether.
#define GOOD_FIT 0.9f
#define WORSE_FIT 0.2f

// Vertices whose normals are skinned at once, where any of them is needed.
#define BLOCK SUP_GUARD_DUAL_BLOCK

// ---------------------------------------------------------------------------------------------------------------------
// Areas

static void FillRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supFillAreas )( context, begin, end );
}

static void SumRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supSumAreas )( context, begin, end );
}

void supGuard_FillAreas( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		int32_t first = mesh->triangleStarts[i];
		// what it writes beyond its last triangle the next instance overwrites
		supAreaJob job = { .count = mesh->triangleStarts[i + 1] - first,
						   .indices = supInstanceMesh( work->actor->flesh->character, i )->indices,
						   .positions = work->drawn + mesh->vertexStarts[i],
						   .areas = work->areas + first };
		supParallelFor( work->tasks, supCountEights( job.count ), SUP_GUARD_GRAIN, FillRange, &job );
	}
	supSumJob job = { .starts = mesh->triangleListStarts,
					  .triangles = mesh->triangleLists,
					  .areas = work->areas,
					  .sums = work->areaSums };
	supParallelFor( work->tasks, mesh->placeCount, 8 * SUP_GUARD_GRAIN, SumRange, &job );
}

// Twice the area of a triangle, along its normal.
static supFloat4 FindArea( const supVec3* p, const uint32_t* corners )
{
	supFloat4 a = supLoad4( &p[corners[0]].x );
	supFloat4 b = supLoad4( &p[corners[1]].x ) - a, c = supLoad4( &p[corners[2]].x ) - a;
	return __builtin_shufflevector( b, b, 1, 2, 0, 3 ) * __builtin_shufflevector( c, c, 2, 0, 1, 3 ) -
		   __builtin_shufflevector( b, b, 2, 0, 1, 3 ) * __builtin_shufflevector( c, c, 1, 2, 0, 3 );
}

supVec3 supGuard_SumAreas( const supGuardWork* work, const supVec3* positions, int32_t place )
{
	const supGuardMesh* mesh = work->mesh;
	const uint32_t* indices = NULL;
	const supVec3* points = NULL;
	supFloat4 sum = supSplat4( 0.0f );
	int32_t instance = -1, begin = 0, end = 0;
	for ( int32_t k = mesh->triangleListStarts[place]; k < mesh->triangleListStarts[place + 1]; ++k )
	{
		int32_t triangle = mesh->triangleLists[k];
		while ( triangle >= end )
		{
			instance += 1;
			begin = end;
			end = mesh->triangleStarts[instance + 1];
			indices = NULL;
		}
		if ( indices == NULL )
		{
			indices = supInstanceMesh( work->actor->flesh->character, instance )->indices;
			points = positions + mesh->vertexStarts[instance];
		}
		sum = sum + FindArea( points, indices + 3 * (ptrdiff_t)( triangle - begin ) );
	}
	return ( supVec3 ){ sum[0], sum[1], sum[2] };
}

// ---------------------------------------------------------------------------------------------------------------------
// Normals

// By the rotation that takes one direction to another the shortest way.
static supVec3 Turn( supVec3 v, supVec3 from, supVec3 to )
{
	float cosine = supDot( from, to );
	supVec3 axis = supCross( from, to );
	supVec3 turned = supMulAdd( supScale( cosine, v ), 1.0f, supCross( axis, v ) );
	return cosine > -0.9f ? supMulAdd( turned, supDot( axis, v ) / ( 1.0f + cosine ), axis ) : v;
}

// Skin around a place that faces the way that a normal does, under skinning and as drawn.
typedef struct Facing
{
	supVec3 from, to;
	float fromSize, toSize; // sums of lengths, where those are lengths of sums
} Facing;

// A hard edge has a normal for each side: what turns on one side says nothing about the other. Vertices of one place
// that have the same normal get the same, so that seams do not show.
static Facing SumFacing( const supGuardWork* work, int32_t place, supVec3 normal )
{
	const supGuardMesh* mesh = work->mesh;
	Facing facing = { 0 };
	int32_t instance = 0;
	for ( int32_t k = mesh->triangleListStarts[place]; k < mesh->triangleListStarts[place + 1]; ++k )
	{
		int32_t triangle = mesh->triangleLists[k];
		while ( mesh->triangleStarts[instance + 1] <= triangle )
		{
			instance += 1;
		}
		const uint32_t* indices = supInstanceMesh( work->actor->flesh->character, instance )->indices;
		const uint32_t* corners = indices + 3 * (ptrdiff_t)( triangle - mesh->triangleStarts[instance] );
		int32_t first = mesh->vertexStarts[instance];
		supVec3 from = supGuard_Area( work->skin + first, corners ), to = supGuard_Area( work->drawn + first, corners );
		float along = supMaxFloat( supDot( from, normal ), 0.0f ), square = supLengthSquared( from );
		float weight = square > 0.0f ? along * along / square : 0.0f;
		weight *= weight;
		facing.from = supMulAdd( facing.from, weight, from );
		facing.to = supMulAdd( facing.to, weight, to );
		facing.fromSize += weight * sqrtf( square );
		facing.toSize += weight * supLength( to );
	}
	return facing;
}

// How far the drawn surface says where a normal points, from 0 to 1: not where skinning crumples the skin or it is
// drawn folded.
static float FindTrust( const Facing* facing, supVec3 normal )
{
	float from = facing->fromSize > 0.0f ? supDot( facing->from, normal ) / facing->fromSize : 0.0f;
	float to = facing->toSize > 0.0f ? supLength( facing->to ) / facing->toSize : 0.0f;
	return supClampFloat( ( supMinFloat( from, to ) - TRUSTED_COSINE ) / TRUSTED_RANGE, 0.0f, 1.0f );
}

// How well a normal stands on the surface around a place, up to 1: less on a ridge, and in a crease hardly at all.
static float FindFit( const supGuardWork* work, const supVec3* positions, int32_t place, supVec3 sum, supVec3 normal )
{
	const supGuardMesh* mesh = work->mesh;
	float size = 0.0f;
	int32_t instance = 0;
	for ( int32_t k = mesh->triangleListStarts[place]; k < mesh->triangleListStarts[place + 1]; ++k )
	{
		int32_t triangle = mesh->triangleLists[k];
		while ( mesh->triangleStarts[instance + 1] <= triangle )
		{
			instance += 1;
		}
		const uint32_t* indices = supInstanceMesh( work->actor->flesh->character, instance )->indices;
		const uint32_t* corners = indices + 3 * (ptrdiff_t)( triangle - mesh->triangleStarts[instance] );
		size += supLength( supGuard_Area( positions + mesh->vertexStarts[instance], corners ) );
	}
	return size > 0.0f ? supDot( sum, normal ) / size : 0.0f;
}

// Where skin is crumpled by skinning, its normal says less than that of the method: that one is turned then, as the
// surface is turned from where the method made it.
static supVec3 ChooseTurned( const supGuardWork* work, int32_t place, supVec3 own, supVec3 turned, supVec3 from,
							 supVec3 to, supVec3 made )
{
	float fit = FindFit( work, work->skin, place, from, own );
	if ( fit >= GOOD_FIT )
	{
		return turned;
	}
	supVec3 sum = supGuard_SumAreas( work, work->made, place );
	float share = ( FindFit( work, work->made, place, sum, made ) - fit ) / WORSE_FIT;
	if ( !( share > 0.0f ) )
	{
		return turned;
	}
	supVec3 kept = Turn( made, supNormalize( sum ), supNormalize( to ) );
	return supNormalize( supLerp( turned, kept, supMinFloat( share, 1.0f ) ) );
}

// `own` is the normal of skinning.
static void TurnNormal( const supGuardWork* work, int32_t vertex, supVec3 own, supVec3* normal )
{
	float moved = supDistance( work->made[vertex], work->drawn[vertex] ) / ( NORMAL_FADE * work->mesh->size );
	// what is not a number has no direction either
	if ( !( moved > 0.0f ) || supIsFiniteVec3( own ) == false )
	{
		return;
	}
	int32_t place = work->mesh->places[vertex];
	supVec3 from = supGuard_SumAreas( work, work->skin, place ), to = supGuard_SumAreas( work, work->drawn, place );
	if ( !( supDot( from, from ) > 0.0f ) || !( supDot( to, to ) > 0.0f ) )
	{
		return;
	}
	supVec3 turned = Turn( own, supNormalize( from ), supNormalize( to ) );
	Facing facing = SumFacing( work, place, own );
	float trust = FindTrust( &facing, own ), doubt = 0.0f;
	if ( trust > 0.0f )
	{
		turned = supLerp( turned, Turn( own, supNormalize( facing.from ), supNormalize( facing.to ) ), trust );
		doubt = supClampFloat( ( DOUBTFUL_COSINE - supDot( *normal, turned ) ) / DOUBTFUL_RANGE, 0.0f, 1.0f );
	}
	turned = ChooseTurned( work, place, own, turned, from, to, *normal );
	float share = supMinFloat( moved * ( 1.0f + DOUBT * trust * doubt ), 1.0f );
	*normal = supNormalize( supLerp( *normal, turned, share ) );
}

// A block of vertices of an instance.
static void TurnBlock( const supGuardWork* work, int32_t instance, int32_t begin, int32_t end )
{
	int32_t first = work->mesh->vertexStarts[instance];
	size_t size = (size_t)( end - begin ) * sizeof( supVec3 );
	if ( memcmp( work->made + first + begin, work->drawn + first + begin, size ) == 0 )
	{
		return;
	}
	supVec3 normals[BLOCK];
	supGuard_SkinNormals( work, instance, begin, end, normals );
	for ( int32_t k = begin; k < end; ++k )
	{
		TurnNormal( work, first + k, normals[k - begin], work->actor->surfaces[instance].normals + k );
	}
}

typedef struct TurnContext
{
	const supGuardWork* work;
	int32_t instance;
} TurnContext;

static void TurnRange( int32_t begin, int32_t end, int32_t worker, void* contextPointer )
{
	(void)worker;
	const TurnContext* context = contextPointer;
	int32_t count = context->work->actor->surfaces[context->instance].vertexCount;
	for ( int32_t i = begin; i < end; ++i )
	{
		TurnBlock( context->work, context->instance, BLOCK * i, BLOCK * ( i + 1 ) < count ? BLOCK * ( i + 1 ) : count );
	}
}

// Where skin is not drawn where the method made it, it has the normals of skinning, turned as the surface is turned
// around each place: hard edges stay hard, and seams do not show.
void supGuard_TurnNormals( const supGuardWork* work )
{
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		TurnContext context = { work, i };
		int32_t blocks = ( work->actor->surfaces[i].vertexCount + BLOCK - 1 ) / BLOCK;
		supParallelFor( work->tasks, blocks, 8, TurnRange, &context );
	}
}
