// SPDX-License-Identifier: MIT
// How much of skinning each place needs, so that edges are neither torn nor crushed, triangles do not fold, and nothing
// is farther from skinning than flesh there is thick.
#include "core/tasks.h"
#include "scene/guard_kernel.h"
#include "scene/guard_work.h"

#include <float.h>
#include <math.h>

// How much longer than at rest, and than skinning makes it, an edge may be: as much of itself as in a tube that is
// twisted by half a turn and keeps its girth, and in any case a little of the size, since edges of fine meshes are
// short; never more than this part of the size.
#define MAX_STRETCH_RATIO 0.75f
#define FREE_STRETCH 0.005f
#define MAX_STRETCH 0.025f

// Linear blend skinning makes twisted limbs collapse. An edge may also be as long as dual quaternion skinning makes it,
// and a little more, unless that tears it as well; by not more than this part of the size.
#define DUAL_SLACK_RATIO 0.1f
#define MAX_DUAL_STRETCH 0.029f

// How short it may be: this part of what it is at rest and under skinning, less a little of the size.
#define MIN_LENGTH_RATIO 0.5f
#define FREE_SQUEEZE 0.001f

// Cosine between a triangle and the skin around it: less than the first is a fold, unless it is less than the second
// under skinning too. A fold is taken back by so much, once a frame; over this range of cosines by less, so that skin
// does not jump where it begins to fold.
#define FOLDED_COSINE -0.1f
#define FLAT_COSINE 0.3f
#define FOLD_WEIGHT 0.8f
#define FOLD_RANGE 0.2f

// Of the area under skinning: what is drawn smaller shows less of its back.
#define SLIVER_AREA 0.5f

// Of the square of the size: smaller triangles have no side that shows.
#define LEAST_AREA 1e-6f

// Skinning is no measure for skin that it crumples itself, in a bend or a twist: triangles of less than this part of
// their area at rest.
#define CRUMPLED_AREA 0.5f
// Beyond that, the same part again until they count fully.
#define CRUMPLED_RANGE 0.4f

// How much farther from skinning a place may be than its neighbours on average: this part of the distance to them at
// rest, and a little of the size. More is a spike.
#define MAX_BUMP_RATIO 0.2f
#define FREE_BUMP 0.002f

// What rounding may make of a limit, and more.
#define ROUNDED_DOWN 0.999f

// Square of the part of its reach within which a vertex is as the method has it.
#define FREE_SQUARE 0.1f

// The blend fades over this part of the size around a place, and over this many times how far the place was from
// skinning, so that fading itself stretches nothing by more than a quarter.
#define FADE_WIDTH 0.06f
#define FADE_RATIO 4.0f

// The least weight w at which | edge + w change | is `limit`: on the way down to it, or up.
static float FindWeight( supVec3 edge, supVec3 change, float limit, bool isLong )
{
	float a = supLengthSquared( change ), b = supDot( edge, change );
	float c = supLengthSquared( edge ) - limit * limit;
	float root = sqrtf( supMaxFloat( b * b - a * c, 0.0f ) );
	float weight = a > 0.0f ? ( isLong ? -b - root : root - b ) / a : 0.0f;
	return supClampFloat( weight, 0.0f, 1.0f );
}

static void Raise( const supGuardWork* work, int32_t vertex, float weight, float distance )
{
	int32_t place = work->mesh->places[vertex];
	float width = work->widening * supMaxFloat( FADE_WIDTH * work->mesh->size, FADE_RATIO * distance );
	if ( weight > work->needs[place] )
	{
		work->needs[place] = weight;
		work->widths[place] = supMaxFloat( work->widths[place], width );
	}
}

// How long dual quaternions make an edge; 0 where they tear it.
static float DualLength( const supGuardWork* work, int32_t a, int32_t b, float longer )
{
	float length = supDistance( supGuard_Dual( work, a ), supGuard_Dual( work, b ) );
	return length <= ( 1.0f + MAX_STRETCH_RATIO ) * longer ? length : 0.0f;
}

// A base of the method's own keeps the girth of twisted limbs, as dual quaternions do.
static supEdgeLimits LimitsOf( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	return ( supEdgeLimits ){ .stretchRatio = MAX_STRETCH_RATIO,
							  .freeStretch = FREE_STRETCH * mesh->size,
							  .maxStretch = ( work->isBase ? MAX_DUAL_STRETCH : MAX_STRETCH ) * mesh->size,
							  .minRatio = MIN_LENGTH_RATIO,
							  .freeSqueeze = FREE_SQUEEZE * mesh->size };
}

// An edge that is longer or shorter than it may be.
static bool TakeBackEdge( const supGuardWork* work, int32_t instance, int32_t edge )
{
	const supGuardMesh* mesh = work->mesh;
	supEdgeLimits limits = LimitsOf( work );
	int32_t a = mesh->vertexStarts[instance] + mesh->edges[2 * (ptrdiff_t)edge];
	int32_t b = mesh->vertexStarts[instance] + mesh->edges[2 * (ptrdiff_t)edge + 1];
	supVec3 now = supSub( work->drawn[b], work->drawn[a] ), then = supSub( work->skin[b], work->skin[a] );
	float skinned = supDistance( work->linear[a], work->linear[b] ), rest = mesh->lengths[edge];
	float length = supLength( now ), longer = supMaxFloat( rest, skinned ), shorter = supMinFloat( rest, skinned );
	float most = longer + supMinFloat( limits.stretchRatio * longer + limits.freeStretch, limits.maxStretch );
	float least = limits.minRatio * shorter - limits.freeSqueeze;
	if ( length > most )
	{
		float dual = DualLength( work, a, b, longer );
		dual = supMinFloat( ( 1.0f + DUAL_SLACK_RATIO ) * dual, longer + MAX_DUAL_STRETCH * mesh->size );
		most = supMaxFloat( most, dual );
		if ( length <= most )
		{
			return false;
		}
	}
	float weight = FindWeight( now, supSub( then, now ), length > most ? most : least, length > most );
	Raise( work, a, weight, supDistance( work->drawn[a], work->skin[a] ) );
	Raise( work, b, weight, supDistance( work->drawn[b], work->skin[b] ) );
	return weight > work->leastNeed;
}

// The weight that keeps a vertex within its reach r: a distance d from skinning becomes d / ( 1 + ( d / r )^4 )^( 1 / 4
// ), which is d up to about half of r, and r at most. Twisted limbs, which linear blend skinning makes collapse, are
// held against dual quaternions where these are nearer.
static float LimitDistance( const supGuardWork* work, int32_t vertex, float reach )
{
	supVec3 drawn = work->drawn[vertex];
	float square = supLengthSquared( supSub( drawn, work->skin[vertex] ) ) / ( reach * reach );
	float dual = supLengthSquared( supSub( drawn, supGuard_Dual( work, vertex ) ) ) / ( reach * reach );
	square = dual < square ? dual : square;
	// written so that what is not a number goes back altogether
	float fourth = square * square;
	return fourth < FLT_MAX ? 1.0f - 1.0f / sqrtf( sqrtf( 1.0f + fourth ) ) : 1.0f;
}

// How a place is held against skinning.
static supVec3 ShiftOf( const supGuardWork* work, int32_t place, bool isDual )
{
	return isDual ? supGuard_Shift( work, NULL, work->drawn, place ) : supDropW( work->shifts[place] );
}

// The weight that takes a spike back to what is allowed around it.
static float LimitBump( const supGuardWork* work, int32_t place, bool isDual )
{
	const supGuardMesh* mesh = work->mesh;
	int32_t first = mesh->starts[place], count = mesh->edgeEnds[place] - first;
	supVec3 own = ShiftOf( work, place, isDual ), mean = supVec3_zero;
	for ( int32_t k = first; k < first + count; ++k )
	{
		mean = supAdd( mean, ShiftOf( work, mesh->neighbours[k], isDual ) );
	}
	float share = count > 0 ? 1.0f / (float)count : 0.0f;
	float most = MAX_BUMP_RATIO * share * mesh->aroundLengths[place] + FREE_BUMP * mesh->size;
	supVec3 bump = supMulAdd( own, -share, mean );
	return count > 0 && supLengthSquared( bump ) > most * most ? FindWeight( bump, supScale( -1.0f, own ), most, true )
															   : 0.0f;
}

// Cosine between a triangle and the skin around its corners. Smaller triangles than `least` count as that large: the
// direction of a sliver says little.
static float CosineAround( supVec3 own, float least, const supVec3 sums[3] )
{
	supVec3 around = supAdd( sums[0], supAdd( sums[1], sums[2] ) );
	float product = supMaxFloat( supLength( own ), least ) * supLength( around );
	return product > 0.0f ? supDot( own, around ) / product : 1.0f;
}

// How much of a fold a triangle is, from 0 to 1: its back shows amid skin that shows its front, and skinning has it as
// it should be.
static float FindFold( const supGuardWork* work, supVec3 now, supVec3 then, const int32_t places[3], float leastArea )
{
	supVec3 sums[3];
	for ( int32_t k = 0; k < 3; ++k )
	{
		sums[k] = supDropW( work->areaSums[places[k]] );
	}
	float area = supLength( then );
	float folded = FOLDED_COSINE - CosineAround( now, SLIVER_AREA * area, sums );
	if ( folded <= 0.0f || area <= leastArea )
	{
		return 0.0f;
	}
	for ( int32_t k = 0; k < 3; ++k )
	{
		sums[k] = supGuard_SumAreas( work, work->skin, places[k] );
	}
	float flat = CosineAround( then, 0.0f, sums ) - FLAT_COSINE;
	float fold = supClampFloat( folded / FOLD_RANGE, 0.0f, 1.0f ) * supClampFloat( flat / FOLD_RANGE, 0.0f, 1.0f );
	return fold * supClampFloat( ( area / leastArea - 1.0f ) / CRUMPLED_RANGE, 0.0f, 1.0f );
}

// A triangle that shows its back amid skin that shows its front, where skinning has it as it should be.
static bool CheckTriangle( const supGuardWork* work, int32_t instance, const uint32_t* corners, int32_t triangle )
{
	const supGuardMesh* mesh = work->mesh;
	int32_t first = mesh->vertexStarts[instance];
	const supVec3 *drawn = work->drawn + first, *skin = work->skin + first;
	const int32_t* all = mesh->places + first;
	int32_t places[3] = { all[corners[0]], all[corners[1]], all[corners[2]] };
	// twice the area, as the vectors are
	float least = 2.0f * supMaxFloat( CRUMPLED_AREA * mesh->areas[triangle], LEAST_AREA * mesh->size * mesh->size );
	float fold = FindFold( work, supDropW( work->areas[triangle] ), supGuard_Area( skin, corners ), places, least );
	for ( int32_t k = 0; k < 3 && fold > 0.0f; ++k )
	{
		uint32_t corner = corners[k];
		Raise( work, first + (int32_t)corner, fold * FOLD_WEIGHT, supDistance( drawn[corner], skin[corner] ) );
	}
	return fold > 0.0f;
}

static void MarkFoldRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supMarkFolds )( context, begin, end );
}

static bool CheckTriangles( const supGuardWork* work, int32_t instance )
{
	const supGuardMesh* mesh = work->mesh;
	int32_t first = mesh->triangleStarts[instance], count = mesh->triangleStarts[instance + 1] - first;
	const uint32_t* indices = supInstanceMesh( work->actor->flesh->character, instance )->indices;
	supFoldJob job = { .count = count,
					   .indices = indices,
					   .places = mesh->places + mesh->vertexStarts[instance],
					   .areas = work->areas + first,
					   .sums = work->areaSums,
					   .marks = work->marks };
	int32_t eights = supCountEights( count );
	supParallelFor( work->tasks, eights, SUP_GUARD_GRAIN, MarkFoldRange, &job );
	bool isNeeded = false;
	for ( int32_t i = supNextMark( work->marks, 0, eights ); i < eights; i = supNextMark( work->marks, i + 1, eights ) )
	{
		for ( int32_t k = 0; k < 8; ++k )
		{
			int32_t triangle = 8 * i + k;
			isNeeded = ( ( work->marks[i] >> k & 1 ) != 0 &&
						 CheckTriangle( work, instance, indices + 3 * (ptrdiff_t)triangle, first + triangle ) ) ||
					   isNeeded;
		}
	}
	return isNeeded;
}

static void MarkEdgeRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supMarkChangedEdges )( context, begin, end );
}

static bool CheckEdges( const supGuardWork* work, int32_t instance )
{
	const supGuardMesh* mesh = work->mesh;
	int32_t first = mesh->edgeStarts[instance], vertex = mesh->vertexStarts[instance];
	supEdgeJob job = { .count = mesh->edgeStarts[instance + 1] - first,
					   .ends = mesh->edges + 2 * (ptrdiff_t)first,
					   .lengths = mesh->lengths + first,
					   .drawn = work->drawn + vertex,
					   .skin = work->skin + vertex,
					   .linear = work->linear + vertex,
					   .limits = LimitsOf( work ),
					   .marks = work->marks };
	int32_t eights = supCountEights( job.count );
	supParallelFor( work->tasks, eights, SUP_GUARD_GRAIN, MarkEdgeRange, &job );
	bool isNeeded = false;
	for ( int32_t i = supNextMark( work->marks, 0, eights ); i < eights; i = supNextMark( work->marks, i + 1, eights ) )
	{
		for ( int32_t k = 0; k < 8; ++k )
		{
			isNeeded =
				( ( work->marks[i] >> k & 1 ) != 0 && TakeBackEdge( work, instance, first + 8 * i + k ) ) || isNeeded;
		}
	}
	return isNeeded;
}

bool supGuard_FindNeeds( const supGuardWork* work, bool isFold )
{
	const supGuardMesh* mesh = work->mesh;
	bool isNeeded = false;
	if ( isFold )
	{
		supGuard_FillAreas( work );
	}
	memset( work->needs, 0, (size_t)mesh->placeCount * sizeof( float ) );
	memset( work->widths, 0, (size_t)mesh->placeCount * sizeof( float ) );
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		isNeeded = ( isFold ? CheckTriangles( work, i ) : CheckEdges( work, i ) ) || isNeeded;
	}
	return isNeeded;
}

// ---------------------------------------------------------------------------------------------------------------------
// Distances

static void MarkFarRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supMarkFar )( context, begin, end );
}

static bool RaiseFar( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	supReachJob job = { .count = mesh->vertexCount,
						.drawn = work->drawn,
						.skin = work->skin,
						.places = mesh->places,
						.reaches = mesh->reaches,
						.least = FREE_SQUARE,
						.marks = work->marks };
	int32_t eights = supCountEights( mesh->vertexCount );
	supParallelFor( work->tasks, eights, SUP_GUARD_GRAIN, MarkFarRange, &job );
	bool isNeeded = false;
	for ( int32_t i = supNextMark( work->marks, 0, eights ); i < eights; i = supNextMark( work->marks, i + 1, eights ) )
	{
		for ( int32_t k = 0; k < 8; ++k )
		{
			if ( ( work->marks[i] >> k & 1 ) != 0 )
			{
				int32_t place = mesh->places[8 * i + k];
				float weight = LimitDistance( work, 8 * i + k, mesh->reaches[place] );
				work->needs[place] = supMaxFloat( work->needs[place], weight );
				isNeeded = isNeeded || work->needs[place] > SUP_LEAST_GUARD_WEIGHT;
			}
		}
	}
	return isNeeded;
}

// Only where a place is shifted otherwise than some neighbour, by more than a spike may be higher than all of them, can
// it be one. Marks such places.
static void MarkBumps( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	supGuard_MarkLinks( work, ROUNDED_DOWN * MAX_BUMP_RATIO, ROUNDED_DOWN * FREE_BUMP );
	memset( work->placeMarks, 0, (size_t)mesh->placeCount );
	int32_t eights = supCountEights( mesh->linkCount );
	for ( int32_t i = supNextMark( work->linkMarks, 0, eights ); i < eights;
		  i = supNextMark( work->linkMarks, i + 1, eights ) )
	{
		for ( int32_t k = 0; k < 8; ++k )
		{
			if ( ( work->linkMarks[i] >> k & 1 ) != 0 )
			{
				work->placeMarks[mesh->linkFrom[8 * i + k]] = 1;
				work->placeMarks[mesh->linkTo[8 * i + k]] = 1;
			}
		}
	}
}

// A spike is one by both ways of skinning: linear blend skinning itself is pinched where limbs are twisted.
static bool RaiseBumps( const supGuardWork* work )
{
	int32_t count = work->mesh->placeCount;
	bool isNeeded = false;
	MarkBumps( work );
	for ( int32_t i = supNextMark( work->placeMarks, 0, count ); i < count;
		  i = supNextMark( work->placeMarks, i + 1, count ) )
	{
		float weight = LimitBump( work, i, false );
		if ( weight > SUP_LEAST_GUARD_WEIGHT )
		{
			weight = supMinFloat( weight, LimitBump( work, i, true ) );
			work->needs[i] = supMaxFloat( work->needs[i], weight );
			isNeeded = isNeeded || work->needs[i] > SUP_LEAST_GUARD_WEIGHT;
		}
	}
	return isNeeded;
}

// Nothing is farther from skinning than its reach, nor than what is around it.
bool supGuard_FindDistanceNeeds( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	memset( work->needs, 0, (size_t)mesh->placeCount * sizeof( float ) );
	bool isNeeded = RaiseFar( work );
	supGuard_FillShifts( work );
	isNeeded = RaiseBumps( work ) || isNeeded;
	// shells on others go where these are held back to
	for ( int32_t i = 0; i < mesh->riderCount; ++i )
	{
		work->needs[mesh->places[mesh->riders[i].vertex]] = 0.0f;
	}
	return isNeeded;
}
