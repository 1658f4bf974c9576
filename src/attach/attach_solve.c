// SPDX-License-Identifier: MIT
// A step: packs first, many at once; then what slides, assembles or overlaps, one after the other.
#include "attach/attach_kernel.h"
#include "attach/attach_set.h"
#include "core/tasks.h"

// Constraints of a piece of a loop, about 2 us.
#define GRAIN 512

supVec3 supFindCommonPoint( const float* x, const int32_t* points, int32_t count )
{
	double sum = 0.0, move[3] = { 0 };
	supVec3 base = supReadPoint( x, points[0] );
	for ( int32_t i = 0; i < count; ++i )
	{
		float w = supReadInverseMass( x, points[i] );
		supVec3 p = supReadPoint( x, points[i] );
		if ( w <= 0.0f )
		{
			return p;
		}
		double mass = 1.0 / (double)w;
		sum += mass;
		move[0] += mass * (double)( p.x - base.x );
		move[1] += mass * (double)( p.y - base.y );
		move[2] += mass * (double)( p.z - base.z );
	}
	return supAdd( base, supMakeVec3( (float)( move[0] / sum ), (float)( move[1] / sum ), (float)( move[2] / sum ) ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Packs

typedef struct PackRun
{
	supAttachJob job;
	int32_t pairCount;
} PackRun;

#define DEFINE_RANGE( name, kernel, shift )                                                                            \
	static void name( int32_t begin, int32_t end, int32_t worker, void* context )                                      \
	{                                                                                                                  \
		(void)worker;                                                                                                  \
		const PackRun* run = context;                                                                                  \
		SUP_CALL_KERNEL( kernel )( &run->job, begin + ( shift ), end + ( shift ) );                                    \
	}

DEFINE_RANGE( MeetNails, supMeetNails, 0 )
DEFINE_RANGE( MeetVelocities, supMeetVelocities, 0 )
DEFINE_RANGE( MeetPairs, supMeetPairs, 0 )
DEFINE_RANGE( MeetGroups, supMeetGroups, run->pairCount )
DEFINE_RANGE( MeetLines, supMeetLines, 0 )
DEFINE_RANGE( MeetTriangles, supMeetTriangles, 0 )
DEFINE_RANGE( MeetTets, supMeetTets, 0 )

static void MeetPacks( const supAttach* attach, const supAttachPoints* points, bool velocities )
{
	PackRun run = { .job = { .x = points->x,
							 .v = points->v,
							 .oldX = points->oldX,
							 .dt = points->dt,
							 .inverseDt = 1.0f / points->dt,
							 .velocities = velocities,
							 .nails = attach->nails,
							 .nailGoals = attach->nailGoals,
							 .velocityPoints = attach->velocityPoints,
							 .velocityGoals = attach->velocityGoals,
							 .groupStarts = attach->groupStarts,
							 .groupPoints = attach->groupPoints,
							 .groupShares = attach->groupShares },
					.pairCount = attach->pairCount };
	for ( int32_t n = 2; n <= 4; ++n )
	{
		run.job.corners[n] = attach->corners[n];
		run.job.cornerWeights[n] = attach->cornerWeights[n];
		run.job.cornerMoves[n] = attach->cornerMoves[n];
	}
	const supStage stages[7] = {
		{ MeetNails, attach->nailCount, GRAIN },       { MeetVelocities, attach->velocityCount, GRAIN },
		{ MeetPairs, attach->pairCount, GRAIN },       { MeetGroups, attach->groupCount - attach->pairCount, GRAIN },
		{ MeetLines, attach->cornerCounts[2], GRAIN }, { MeetTriangles, attach->cornerCounts[3], GRAIN },
		{ MeetTets, attach->cornerCounts[4], GRAIN },
	};
	supRunStages( points->tasks, stages, 7, 1, &run );
}

// ---------------------------------------------------------------------------------------------------------------------
// One after the other

// Moves a point, and its velocity with it.
static void MovePoint( const supAttachPoints* points, int32_t p, supVec3 d )
{
	float* x = points->x + 4 * (int64_t)p;
	float* v = points->v + 4 * (int64_t)p;
	float inverse = 1.0f / points->dt;
	x[0] += d.x;
	x[1] += d.y;
	x[2] += d.z;
	v[0] += inverse * d.x;
	v[1] += inverse * d.y;
	v[2] += inverse * d.z;
}

// To a place exactly; the velocity as if moved by d.
static void PlacePoint( const supAttachPoints* points, int32_t p, supVec3 place, supVec3 d )
{
	MovePoint( points, p, d );
	memcpy( points->x + 4 * (int64_t)p, &place, sizeof( place ) );
}

// What is left of the gap at the end of this step, 1 at the start of an assembly.
static float GapLeft( const supAttachItem* item )
{
	return supAttachItem_IsAssembling( item ) ? 1.0f - (float)( item->step + 1 ) / (float)item->assemblySteps : 0.0f;
}

static void MeetNail( const supAttachItem* item, const int32_t* points, const supVec3* offsets,
					  const supAttachPoints* step )
{
	supVec3 goal = supMulAdd( item->goal, GapLeft( item ), offsets[0] );
	PlacePoint( step, points[0], goal, supSub( goal, supReadPoint( step->x, points[0] ) ) );
}

static void MeetVelocity( const supAttachItem* item, const int32_t* points, const supAttachPoints* step )
{
	supVec3 place = supMulAdd( supReadPoint( step->oldX, points[0] ), step->dt, item->goal );
	memcpy( step->x + 4 * (int64_t)points[0], &place, sizeof( place ) );
	memcpy( step->v + 4 * (int64_t)points[0], &item->goal, sizeof( item->goal ) );
}

// In double precision, and what is left of the gap is counted from its own middle: nothing that rounding does to the
// offsets may look like a force from outside.
static void MeetJoint( const supAttachItem* item, const int32_t* points, const supVec3* offsets,
					   const supAttachPoints* step )
{
	double left = (double)GapLeft( item ), mass = 0.0, middle[3] = { 0 };
	int32_t first = 0, count = item->count;
	for ( int32_t i = 0; i < item->count; ++i )
	{
		if ( supReadInverseMass( step->x, points[i] ) <= 0.0f )
		{
			// the middle is where the point is that cannot be moved
			first = i;
			count = i + 1;
		}
	}
	const float* base = step->x + 4 * (int64_t)points[0];
	const float origin[3] = { base[0], base[1], base[2] };
	for ( int32_t i = first; i < count; ++i )
	{
		const float* x = step->x + 4 * (int64_t)points[i];
		double m = first > 0 || count < item->count ? 1.0 : 1.0 / (double)x[3];
		mass += m;
		for ( int k = 0; k < 3; ++k )
		{
			middle[k] += m * ( (double)x[k] - (double)origin[k] - left * (double)( &offsets[i].x )[k] );
		}
	}
	for ( int32_t i = 0; i < item->count; ++i )
	{
		float* x = step->x + 4 * (int64_t)points[i];
		float* v = step->v + 4 * (int64_t)points[i];
		for ( int k = 0; k < 3 && x[3] > 0.0f; ++k )
		{
			double goal = middle[k] / mass + left * (double)( &offsets[i].x )[k];
			v[k] += (float)( ( goal - ( (double)x[k] - (double)origin[k] ) ) / (double)step->dt );
			x[k] = (float)( (double)origin[k] + goal );
		}
	}
}

// How a corner gives: as its own mass; or together with all points of the constraint that has it, which a common
// movement does not hurt; or not at all where a nail has it.
typedef struct Corner
{
	int32_t point;
	int32_t memberCount;
	const int32_t* members; // NULL: moves alone
	double weight;
	double mobility;
} Corner;

static Corner MakeCorner( supAttach* attach, const supAttachItem* self, int32_t point, double weight, const float* x )
{
	Corner corner = { point, 0, NULL, weight, (double)supReadInverseMass( x, point ) };
	int32_t owner = attach->owner[point];
	const supAttachItem* other = owner >= 0 ? attach->items.data + owner : NULL;
	if ( other == NULL || other == self || attach->sweeps > 1 )
	{
		return corner;
	}
	corner.mobility = 0.0;
	if ( other->kind < sup_attachJoint || other->kind > sup_attachTet )
	{
		return corner;
	}
	int32_t g = attach->group[point];
	corner.members = g >= 0 ? attach->groupPoints + attach->groupStarts[g] : attach->points.data + other->first;
	corner.memberCount = g >= 0 ? attach->groupStarts[g + 1] - attach->groupStarts[g] : other->count;
	double mass = 0.0;
	for ( int32_t k = 0; k < corner.memberCount; ++k )
	{
		// one that cannot be moved has infinite mass
		mass += 1.0 / (double)supReadInverseMass( x, corner.members[k] );
	}
	corner.mobility = 1.0 / mass;
	return corner;
}

static void MoveCorner( const Corner* corner, supVec3 d, const supAttachPoints* step )
{
	if ( corner->members == NULL )
	{
		MovePoint( step, corner->point, d );
	}
	for ( int32_t k = 0; k < corner->memberCount; ++k )
	{
		MovePoint( step, corner->members[k], d );
	}
}

// Corners of the same constraint give together.
static int32_t JoinCorners( Corner* corners, int32_t count )
{
	int32_t kept = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t k = 0;
		while ( k < kept && ( corners[i].members == NULL || corners[k].members != corners[i].members ) )
		{
			k += 1;
		}
		if ( k < kept )
		{
			corners[k].weight += corners[i].weight;
		}
		else
		{
			corners[kept++] = corners[i];
		}
	}
	return kept;
}

// The corner's share in the gap is `weight`: -1 for the attached point. Eq. 28 with any mobilities.
static void MeetCorners( Corner* corners, int32_t count, supVec3 gap, const supAttachPoints* step )
{
	count = JoinCorners( corners, count );
	double sum = 0.0;
	for ( int32_t i = 0; i < count; ++i )
	{
		sum += corners[i].mobility * corners[i].weight * corners[i].weight;
	}
	for ( int32_t i = 0; i < count && sum > 0.0; ++i )
	{
		float move = (float)( -corners[i].weight * corners[i].mobility / sum );
		if ( move != 0.0f )
		{
			MoveCorner( corners + i, supScale( move, gap ), step );
		}
	}
}

static supVec3 MeasureGap( const int32_t* points, const float* weights, int32_t cornerCount, const float* x )
{
	supVec3 gap = supVec3_zero, x0 = supReadPoint( x, points[0] );
	for ( int32_t i = 0; i < cornerCount; ++i )
	{
		gap = supMulAdd( gap, weights[i], supSub( supReadPoint( x, points[i + 1] ), x0 ) );
	}
	return gap;
}

static void MeetWeighted( supAttach* attach, supAttachItem* item, const int32_t* points, const float* weights,
						  int32_t cornerCount, supVec3 rest, const supAttachPoints* step )
{
	Corner corners[5];
	corners[0] = MakeCorner( attach, item, points[0], -1.0, step->x );
	for ( int32_t i = 0; i < cornerCount; ++i )
	{
		corners[i + 1] = MakeCorner( attach, item, points[i + 1], (double)weights[i], step->x );
		if ( item->kind == sup_attachSurface && attach->sweeps == 1 )
		{
			// a point slid here earlier in this step: what it left exact stays so
			bool taken = attach->stamps[points[i + 1]] == attach->stamp;
			attach->sharedCount += taken && corners[i + 1].mobility > 0.0;
			corners[i + 1].mobility = taken ? 0.0 : corners[i + 1].mobility;
		}
	}
	supVec3 gap = supAdd( MeasureGap( points, weights, cornerCount, step->x ), rest );
	MeetCorners( corners, cornerCount + 1, gap, step );
	for ( int32_t i = 0; item->kind == sup_attachSurface && i < cornerCount; ++i )
	{
		attach->stamps[points[i + 1]] = attach->stamp;
	}
}

// Line and triangle: weights of the foot of the predicted point, in place.
static void FollowPoint( supAttachItem* item, const int32_t* points, const float* x )
{
	supVec3 p0 = supReadPoint( x, points[0] ), p1 = supReadPoint( x, points[1] ), p2 = supReadPoint( x, points[2] );
	if ( item->kind == sup_attachLine )
	{
		supVec3 e = supSub( p2, p1 );
		float square = supDot( e, e );
		float t = square > 0.0f ? supDot( supSub( p0, p1 ), e ) / square : item->weights[1];
		item->weights[1] = supClampFloat( t, 0.0f, 1.0f );
		item->weights[0] = 1.0f - item->weights[1];
		return;
	}
	supTriangle triangle = { p1, p2, supReadPoint( x, points[3] ) };
	supTrianglePoint foot = supClosestPointOnTriangle( &triangle, p0 );
	item->weights[0] = 1.0f - foot.u - foot.v;
	item->weights[1] = foot.u;
	item->weights[2] = foot.v;
}

static void MeetSurface( supAttach* attach, supAttachItem* item, const int32_t* points, const supAttachPoints* step )
{
	const supAttachSurface* surface = attach->surfaces.data + item->surface;
	supTreeHit hit;
	if ( supTree_FindClosest( surface->tree, supReadPoint( step->x, points[0] ), INFINITY, &hit ) == false )
	{
		return;
	}
	const int32_t* t = surface->triangles + 3 * (int64_t)hit.triangle;
	const int32_t corners[4] = { points[0], t[0], t[1], t[2] };
	const float weights[3] = { 1.0f - hit.u - hit.v, hit.u, hit.v };
	// the gap turns as the point slides: its length is what shrinks
	supVec3 gap = MeasureGap( corners, weights, 3, step->x );
	float left = GapLeft( item ) * attach->offsets.data[item->first].x, length = supLength( gap );
	float kept = left > 0.0f ? supMinFloat( left / supMaxFloat( length, left ), 1.0f ) : 0.0f;
	MeetWeighted( attach, item, corners, weights, 3, supScale( -kept, gap ), step );
}

static void MeetSlow( supAttach* attach, supAttachItem* item, const supAttachPoints* step )
{
	const int32_t* points = attach->points.data + item->first;
	const supVec3* offsets = attach->offsets.data + item->first;
	switch ( item->kind )
	{
		case sup_attachNail:
			MeetNail( item, points, offsets, step );
			break;
		case sup_attachVelocity:
			MeetVelocity( item, points, step );
			break;
		case sup_attachJoint:
			MeetJoint( item, points, offsets, step );
			break;
		case sup_attachSurface:
			MeetSurface( attach, item, points, step );
			break;
		default:
			if ( item->slides )
			{
				FollowPoint( item, points, step->x );
			}
			MeetWeighted( attach, item, points, item->weights, item->count - 1, supScale( GapLeft( item ), offsets[0] ),
						  step );
			break;
	}
}

// Surfaces as predicted and as the packs have left them.
static void RefitSurfaces( supAttach* attach, const supAttachPoints* step )
{
	for ( int32_t i = 0; i < attach->surfaces.count; ++i )
	{
		attach->surfaces.data[i].used = false;
	}
	for ( int32_t i = 0; i < attach->slowCount; ++i )
	{
		const supAttachItem* item = attach->items.data + attach->slow[i];
		if ( item->kind != sup_attachSurface || attach->surfaces.data[item->surface].used )
		{
			continue;
		}
		supAttachSurface* surface = attach->surfaces.data + item->surface;
		surface->used = true;
		for ( int32_t k = 0; k < surface->vertexCount; ++k )
		{
			surface->positions[k] = supReadPoint( step->x, surface->vertices[k] );
		}
		supTree_Refit( surface->tree, surface->positions, step->tasks );
	}
}

void supAttach_Solve( supAttach* attach, const supAttachPoints* points )
{
	supAttach_RefreshOwners( attach );
	if ( attach->packsDirty )
	{
		supAttach_Repack( attach, points->x );
	}
	MeetPacks( attach, points, false );
	if ( attach->slowCount == 0 )
	{
		return;
	}
	RefitSurfaces( attach, points );
	attach->stamp = attach->stamp < INT32_MAX ? attach->stamp + 1 : 1;
	for ( int32_t sweep = 0; sweep < attach->sweeps; ++sweep )
	{
		for ( int32_t i = 0; i < attach->slowCount; ++i )
		{
			MeetSlow( attach, attach->items.data + attach->slow[i], points );
		}
	}
	for ( int32_t i = 0; i < attach->slowCount; ++i )
	{
		supAttachItem* item = attach->items.data + attach->slow[i];
		if ( supAttachItem_IsAssembling( item ) )
		{
			item->step += 1;
			attach->packsDirty = attach->packsDirty || supAttachItem_IsAssembling( item ) == false;
		}
	}
}

void supAttach_SolveVelocities( supAttach* attach, const supAttachPoints* points )
{
	MeetPacks( attach, points, true );
}
