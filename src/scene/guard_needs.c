// SPDX-License-Identifier: MIT
// How much of skinning each place needs, so that edges are neither torn nor crushed, triangles do not fold, and nothing
// is farther from skinning than flesh there is thick.
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
// under skinning too. A fold is taken back by so much; over this range of cosines by less, so that skin
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

// The least weight w at which | edge + w change | is `limit`: on the way down to it, or up.
static float FindWeight( supVec3 edge, supVec3 change, float limit, bool isLong )
{
	float a = supLengthSquared( change ), b = supDot( edge, change );
	float c = supLengthSquared( edge ) - limit * limit;
	float root = sqrtf( supMaxFloat( b * b - a * c, 0.0f ) );
	float weight = a > 0.0f ? ( isLong ? -b - root : root - b ) / a : 0.0f;
	return supClampFloat( weight, 0.0f, 1.0f );
}

static void Raise( const supGuardWork* work, int32_t vertex, float weight )
{
	float* need = work->needs + work->mesh->places[vertex];
	*need = weight > *need ? weight : *need;
}

// How long dual quaternions make an edge; 0 where they tear it.
static float DualLength( const supGuardWork* work, int32_t instance, int32_t edge, float longer )
{
	const supVec3* dual = supGuard_FindDual( work, instance );
	const int32_t* ends = work->mesh->edges + 2 * (ptrdiff_t)edge;
	float length = supDistance( dual[ends[0]], dual[ends[1]] );
	return length <= ( 1.0f + MAX_STRETCH_RATIO ) * longer ? length : 0.0f;
}

// How far skinning and what is drawn are apart at both ends says whether an edge needs a closer look at all.
static bool CheckEdge( const supGuardWork* work, int32_t instance, int32_t edge )
{
	const supGuardMesh* mesh = work->mesh;
	int32_t first = mesh->vertexStarts[instance];
	const supVec3* drawn = work->drawn + first;
	const supVec3* skin = work->skin + first;
	int32_t a = mesh->edges[2 * (ptrdiff_t)edge], b = mesh->edges[2 * (ptrdiff_t)edge + 1];
	supVec3 now = supSub( drawn[b], drawn[a] ), then = supSub( skin[b], skin[a] ), change = supSub( then, now );
	supVec3 linear = supSub( work->linear[first + b], work->linear[first + a] );
	float skinned = supLengthSquared( linear ), base = supLengthSquared( then ), rest = mesh->lengths[edge];
	if ( supLengthSquared( change ) <= 0.0625f * base &&
		 ( work->linear == work->skin || base <= 1.5f * supMaxFloat( skinned, rest * rest ) ) )
	{
		return false;
	}
	// a base that keeps its volume stretches edges: they are held to the same measure as those of all methods
	skinned = sqrtf( skinned );
	float size = mesh->size, length = supLength( now );
	float longer = supMaxFloat( rest, skinned ), shorter = supMinFloat( rest, skinned );
	float most = longer + supMinFloat( MAX_STRETCH_RATIO * longer + FREE_STRETCH * size, MAX_STRETCH * size );
	float least = MIN_LENGTH_RATIO * shorter - FREE_SQUEEZE * size;
	if ( length <= most && length >= least )
	{
		return false;
	}
	if ( length > most )
	{
		float dual = DualLength( work, instance, edge, longer );
		dual = supMinFloat( ( 1.0f + DUAL_SLACK_RATIO ) * dual, longer + MAX_DUAL_STRETCH * size );
		most = supMaxFloat( most, dual );
		if ( length <= most )
		{
			return false;
		}
	}
	float weight = FindWeight( now, change, length > most ? most : least, length > most );
	Raise( work, first + a, weight );
	Raise( work, first + b, weight );
	return weight > 0.0f;
}

// The weight that keeps a vertex within its reach r: a distance d from skinning becomes d / ( 1 + ( d / r )^4 )^( 1 / 4
// ), which is d up to about half of r, and r at most. Twisted limbs, which linear blend skinning makes collapse, are
// held against dual quaternions where these are nearer.
static float LimitDistance( const supGuardWork* work, int32_t instance, int32_t vertex, float reach )
{
	supVec3 drawn = work->drawn[vertex];
	float square = supLengthSquared( supSub( drawn, work->skin[vertex] ) ) / ( reach * reach );
	if ( square < 0.1f )
	{
		return 0.0f;
	}
	supVec3 other = supGuard_FindDual( work, instance )[vertex - work->mesh->vertexStarts[instance]];
	float dual = supLengthSquared( supSub( drawn, other ) ) / ( reach * reach );
	square = dual < square ? dual : square;
	// written so that what is not a number goes back altogether
	float fourth = square * square;
	return fourth < FLT_MAX ? 1.0f - 1.0f / sqrtf( sqrtf( 1.0f + fourth ) ) : 1.0f;
}

// The weight that takes a spike back to what is allowed around it.
static float LimitBump( const supGuardWork* work, const supVec3* shifts, int32_t place )
{
	const supGuardMesh* mesh = work->mesh;
	int32_t first = mesh->starts[place], count = mesh->edgeEnds[place] - first;
	supVec3 own = shifts[place], mean = supVec3_zero;
	float distance = 0.0f;
	for ( int32_t k = first; k < first + count; ++k )
	{
		mean = supAdd( mean, shifts[mesh->neighbours[k]] );
		distance += mesh->distances[k];
	}
	float share = count > 0 ? 1.0f / (float)count : 0.0f;
	float most = MAX_BUMP_RATIO * share * distance + FREE_BUMP * mesh->size;
	supVec3 bump = supMulAdd( own, -share, mean );
	return count > 0 && supLengthSquared( bump ) > most * most ? FindWeight( bump, supScale( -1.0f, own ), most, true )
															   : 0.0f;
}

// Cosine between a triangle and the skin around its corners. Smaller triangles than `least` count as that large: the
// direction of a sliver says little.
static float CosineAround( const supVec3* areas, supVec3 own, float least, const int32_t* places,
						   const uint32_t* corners )
{
	supVec3 around =
		supAdd( areas[places[corners[0]]], supAdd( areas[places[corners[1]]], areas[places[corners[2]]] ) );
	float product = supMaxFloat( supLength( own ), least ) * supLength( around );
	return product > 0.0f ? supDot( own, around ) / product : 1.0f;
}

// How much of a fold a triangle is, from 0 to 1: its back shows amid skin that shows its front, and skinning has it as
// it should be.
static float FindFold( const supGuardWork* work, supVec3 now, supVec3 then, const int32_t* places,
					   const uint32_t* corners, float leastArea )
{
	float area = supLength( then );
	if ( area <= leastArea )
	{
		return 0.0f;
	}
	float folded = FOLDED_COSINE - CosineAround( work->dualShifts, now, SLIVER_AREA * area, places, corners );
	if ( folded <= 0.0f )
	{
		return 0.0f;
	}
	float flat = CosineAround( work->shifts, then, 0.0f, places, corners ) - FLAT_COSINE;
	float fold = supClampFloat( folded / FOLD_RANGE, 0.0f, 1.0f ) * supClampFloat( flat / FOLD_RANGE, 0.0f, 1.0f );
	return fold * supClampFloat( ( area / leastArea - 1.0f ) / CRUMPLED_RANGE, 0.0f, 1.0f );
}

// Triangles that show their back amid skin that shows its front, where skinning has them as they should be.
static bool CheckTriangles( const supGuardWork* work, int32_t instance, const float* areas )
{
	const supGuardMesh* mesh = work->mesh;
	const supMesh* triangles = supGuard_Mesh( work->actor, instance );
	int32_t first = mesh->vertexStarts[instance];
	const int32_t* places = mesh->places + first;
	const supVec3 *drawn = work->drawn + first, *skin = work->skin + first;
	bool isNeeded = false;
	for ( int32_t i = 0; i + 2 < triangles->indexCount; i += 3 )
	{
		const uint32_t* corners = triangles->indices + i;
		supVec3 now = supGuard_Area( drawn, corners ), then = supGuard_Area( skin, corners );
		// twice the area, as the vectors are
		float least = 2.0f * supMaxFloat( CRUMPLED_AREA * areas[i / 3], LEAST_AREA * mesh->size * mesh->size );
		float fold = FindFold( work, now, then, places, corners, least );
		if ( fold > 0.0f )
		{
			isNeeded = true;
			for ( int32_t k = 0; k < 3; ++k )
			{
				Raise( work, first + (int32_t)corners[k], fold * FOLD_WEIGHT );
			}
		}
	}
	return isNeeded;
}

bool supGuard_FindNeeds( const supGuardWork* work, bool isFold )
{
	const supGuardMesh* mesh = work->mesh;
	bool isNeeded = false;
	const float* areas = mesh->areas;
	if ( isFold )
	{
		supGuard_SumAreas( work, work->skin, work->shifts );
		supGuard_SumAreas( work, work->drawn, work->dualShifts );
	}
	memset( work->needs, 0, (size_t)mesh->placeCount * sizeof( float ) );
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		for ( int32_t e = mesh->edgeStarts[i]; isFold == false && e < mesh->edgeStarts[i + 1]; ++e )
		{
			isNeeded = CheckEdge( work, i, e ) || isNeeded;
		}
		isNeeded = ( isFold && CheckTriangles( work, i, areas ) ) || isNeeded;
		areas += supGuard_Mesh( work->actor, i )->indexCount / 3;
	}
	return isNeeded;
}

// A spike is one by both ways of skinning: linear blend skinning itself is pinched where limbs are twisted. True where
// anything is needed, be it for other reasons.
static bool LimitBumps( const supGuardWork* work )
{
	bool hasDual = false, isNeeded = false;
	for ( int32_t i = 0; i < work->mesh->placeCount; ++i )
	{
		float weight = LimitBump( work, work->shifts, i );
		if ( weight > SUP_LEAST_GUARD_WEIGHT && hasDual == false )
		{
			supGuard_FillShifts( work, supGuard_FindAllDual( work ), work->drawn, work->dualShifts );
			hasDual = true;
		}
		weight = weight > SUP_LEAST_GUARD_WEIGHT ? supMinFloat( weight, LimitBump( work, work->dualShifts, i ) ) : 0.0f;
		work->needs[i] = supMaxFloat( work->needs[i], weight );
		isNeeded = isNeeded || work->needs[i] > SUP_LEAST_GUARD_WEIGHT;
	}
	return isNeeded;
}

// Nothing is farther from skinning than its reach, nor than what is around it.
bool supGuard_FindDistanceNeeds( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	memset( work->needs, 0, (size_t)mesh->placeCount * sizeof( float ) );
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		for ( int32_t k = mesh->vertexStarts[i]; k < mesh->vertexStarts[i + 1]; ++k )
		{
			int32_t place = mesh->places[k];
			float weight = LimitDistance( work, i, k, mesh->reaches[place] );
			work->needs[place] = supMaxFloat( work->needs[place], weight );
		}
	}
	supGuard_FillShifts( work, work->skin, work->drawn, work->shifts );
	bool isNeeded = LimitBumps( work );
	// shells on others go where these are held back to
	for ( int32_t i = 0; i < mesh->riderCount; ++i )
	{
		work->needs[mesh->places[mesh->riders[i].vertex]] = 0.0f;
	}
	return isNeeded;
}
