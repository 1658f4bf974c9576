// SPDX-License-Identifier: MIT
// Exact narrow phase: each vertex against every triangle within reach. detector.h says what counts as a contact.
#include "contact/narrow.h"
#include "geometry/overlap.h"

// Where a triangle's normal is that near to a front's, so are the normals at its edges.
#define SAME_FRONT_COSINE 0.85f

// Within 60 degrees, as a cosine.
#define BEHIND_COSINE 0.5f

static bool IsBetter( const supCandidate* a, const supCandidate* b )
{
	float x = fabsf( a->contact.gap ), y = fabsf( b->contact.gap );
	return x < y || ( x == y && a->triangle < b->triangle );
}

// In order, the nearest first; those that point the same way become one.
static void AddFront( supNarrowWork* w, supCandidate candidate )
{
	supCandidate* list = w->fronts;
	for ( int32_t i = 0; i < w->frontCount; ++i )
	{
		if ( supDot( list[i].contact.normal, candidate.contact.normal ) > SUP_SAME_WAY )
		{
			if ( IsBetter( list + i, &candidate ) )
			{
				return;
			}
			memmove( list + i, list + i + 1, (size_t)( w->frontCount - i - 1 ) * sizeof( supCandidate ) );
			w->frontCount -= 1;
			break;
		}
	}
	int32_t at = w->frontCount < SUP_NARROW_FRONTS ? w->frontCount : SUP_NARROW_FRONTS - 1;
	if ( w->frontCount == SUP_NARROW_FRONTS && IsBetter( &candidate, list + at ) == false )
	{
		return;
	}
	w->frontCount = at + 1;
	for ( ; at > 0 && IsBetter( &candidate, list + at - 1 ); --at )
	{
		list[at] = list[at - 1];
	}
	list[at] = candidate;
}

static bool IsAsAtRest( const supNarrowWork* w, int32_t triangle, float distance, float share )
{
	const supContactSkin* skin = w->body->skin;
	const int32_t* corners = skin->corners + 3 * (size_t)triangle;
	supTriangle t = { skin->rest[corners[0]], skin->rest[corners[1]], skin->rest[corners[2]] };
	return w->detector->atRest == false && distance / share >= supDistanceToTriangle( &t, skin->rest[w->vertex] );
}

// Did they face away from each other at rest, or aside? The two sides of a sheet face each other in any pose: to be
// behind the other one is no fold.
static bool HasTurnedTowards( const supNarrowWork* w, int32_t triangle )
{
	const supContactSkin* skin = w->body->skin;
	supVec3 own = supContactSkin_AreaAround( skin, skin->rest, w->vertex );
	supVec3 theirs = supContactSkin_Area( skin, skin->rest, triangle );
	float product = supDot( own, theirs );
	return product > -SUP_FACING_FOLD * supLength( own ) * supLength( theirs );
}

static void AddBehind( supNarrowWork* w, const supCandidate* candidate, bool isFold )
{
	bool* has = isFold ? &w->mayBeFolded : &w->isBehind;
	supCandidate* best = isFold ? &w->fold : &w->behind;
	if ( *has == false || IsBetter( candidate, best ) )
	{
		*best = *candidate;
		*has = true;
	}
}

void supTestTriangle( supNarrowWork* w, const supBodyState* other, int32_t triangle, supVec3 normal )
{
	const supDetectorSettings* settings = &w->detector->settings;
	bool self = other == w->body;
	supSurfaceNow surface = { other->skin, other->body.positions };
	float depth = w->isBehind ? -w->behind.contact.gap : settings->depth;
	supCandidate candidate = { .triangle = triangle };
	if ( ( self && supContactSkin_IsCorner( other->skin, w->vertex, triangle ) ) ||
		 supTestVertexTriangle( &surface, w->p, triangle, normal, settings->margin, depth, &candidate.contact ) ==
			 false )
	{
		return;
	}
	bool isNeighbour = self && supContactSkin_AreNear( other->skin, w->vertex, triangle );
	if ( isNeighbour && w->detector->atRest )
	{
		return;
	}
	bool behind = candidate.contact.gap < 0.0f;
	float facing = behind || self ? supDot( normal, supNormalOfVertex( w ) ) : 0.0f;
	if ( ( behind || self ) && !( facing < ( self ? SUP_FACING_SELF : SUP_FACING_OTHER ) ) )
	{
		return;
	}
	float distance = fabsf( candidate.contact.gap );
	bool isFold = self && behind && ( isNeighbour || IsAsAtRest( w, triangle, distance, SUP_REST_SHARE_BEHIND ) );
	float share = behind ? SUP_REST_SHARE_FOLD : SUP_REST_SHARE_FRONT;
	if ( self && ( ( isNeighbour && behind == false ) || IsAsAtRest( w, triangle, distance, share ) ||
				   ( isFold && HasTurnedTowards( w, triangle ) == false ) ) )
	{
		return;
	}
	if ( behind )
	{
		AddBehind( w, &candidate, isFold );
	}
	else
	{
		AddFront( w, candidate );
	}
}

// Did they face away from each other at rest, each right behind the other, as the far sides of one limb do?
static bool WereBackToBack( const supNarrowWork* w, int32_t triangle )
{
	const supContactSkin* skin = w->body->skin;
	supVec3 way = supSub( skin->rest[skin->corners[3 * (size_t)triangle]], skin->rest[w->vertex] );
	supVec3 own = supContactSkin_AreaAround( skin, skin->rest, w->vertex );
	supVec3 theirs = supContactSkin_Area( skin, skin->rest, triangle );
	float least = BEHIND_COSINE * supLength( way );
	return supDot( own, way ) < -least * supLength( own ) && supDot( theirs, way ) > least * supLength( theirs );
}

// The first of all triangles that the vertex has gone through. Who comes back through the far side of its own limb goes
// where it belongs.
static void FollowPath( supNarrowWork* w, const supBodyState* other, int32_t triangle, supVec3 normal )
{
	bool self = other == w->body;
	if ( self && ( supDot( normal, supNormalOfVertex( w ) ) >= SUP_FACING_SELF ||
				   supContactSkin_AreNear( other->skin, w->vertex, triangle ) ) )
	{
		return;
	}
	const int32_t* corners = other->skin->corners + 3 * (size_t)triangle;
	supMovingPair pair = { .before[0] = supGetBefore( w->body, w->vertex, other->shift ), .now[0] = w->p };
	for ( int32_t k = 0; k < 3; ++k )
	{
		pair.before[1 + k] = supGetBefore( other, corners[k], other->shift );
		pair.now[1 + k] = other->body.positions[corners[k]];
	}
	supCrossing crossing = { .triangle = triangle };
	crossing.time = supFindCrossing( &pair, &crossing.entering, crossing.bary );
	if ( crossing.time < w->crossing.time && ( self == false || WereBackToBack( w, triangle ) == false ) )
	{
		w->crossing = crossing;
	}
}

static int32_t FindNearest( uint32_t bits, const float* squared )
{
	int32_t best = __builtin_ctz( bits );
	for ( bits &= bits - 1; bits != 0; bits &= bits - 1 )
	{
		int32_t i = __builtin_ctz( bits );
		best = squared[i] < squared[best] ? i : best;
	}
	return best;
}

// Not farther than what was found that way already.
static bool CanMatter( const supNarrowWork* w, supVec3 normal, float squared )
{
	if ( w->isBehind && squared <= w->behind.contact.gap * w->behind.contact.gap )
	{
		return true;
	}
	for ( int32_t i = 0; i < w->frontCount; ++i )
	{
		const supPairContact* front = &w->fronts[i].contact;
		if ( supDot( front->normal, normal ) > SAME_FRONT_COSINE && squared > front->gap * front->gap )
		{
			return false;
		}
	}
	return true;
}

// How far it is looked behind itself, as long as nothing nearer has been found that it is behind of.
static float GetDepth( const supNarrowWork* w )
{
	return w->isBehind ? -w->behind.contact.gap : w->detector->settings.depth;
}

static void TestCluster( supNarrowWork* w, const supBodyState* other, supNarrowTest test, supNearQuery* query )
{
	const supSkinCluster* cluster = other->skin->clusters + test.cluster;
	const supTriangleBlock* blocks = other->blocks + (size_t)test.cluster * SUP_CLUSTER_BLOCKS;
	query->depth = GetDepth( w );
	if ( other == w->body && w->detector->atRest == false )
	{
		query->restCenters = other->skin->restCenters + (size_t)test.cluster * 3 * SUP_CLUSTER_TRIANGLES;
	}
	float squared[SUP_CLUSTER_TRIANGLES];
	uint32_t bits = SUP_CALL_KERNEL( supMaskNear )( blocks, cluster->triangleCount, test.among, query, squared );
	// the nearest first: often it makes the rest needless
	for ( int32_t i = bits != 0 ? FindNearest( bits, squared ) : -1; i >= 0;
		  i = bits != 0 ? __builtin_ctz( bits ) : -1 )
	{
		bits &= ~( 1u << i );
		supVec3 normal = supNormalInBlock( blocks, i );
		if ( CanMatter( w, normal, squared[i] ) )
		{
			supTestTriangle( w, other, cluster->firstTriangle + i, normal );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// One vertex against all clusters of a body

static float GetReach( const supNarrowWork* w )
{
	return supMaxFloat( w->detector->settings.margin, GetDepth( w ) ) + w->detector->rounding;
}

static bool IsWithinReach( const supNarrowWork* w, const supBodyState* other, int32_t cluster )
{
	float squared = supBoxDistanceSquared( &other->clusters[cluster].box, &( supBox ){ w->p, w->p } );
	float reach = GetReach( w );
	return squared <= reach * reach;
}

static supNearQuery MakeQuery( supNarrowWork* w, bool self )
{
	return ( supNearQuery ){ .p = w->p,
							 .normal = supNormalOfVertex( w ),
							 .margin = w->detector->settings.margin,
							 .rounding = w->detector->rounding,
							 .facingFront = self ? SUP_FACING_SELF : 2.0f,
							 .facingBehind = self ? SUP_FACING_SELF : SUP_FACING_OTHER,
							 .rest = w->body->skin->rest[w->vertex],
							 .restFront = SUP_REST_SHARE_FRONT * SUP_REST_SHARE_FRONT,
							 .restBehind = SUP_REST_SHARE_FOLD * SUP_REST_SHARE_FOLD };
}

static supOwnQuery MakeOwnQuery( const supNarrowWork* w )
{
	return ( supOwnQuery ){ .p = w->p,
							.normal = w->normal,
							.rest = w->body->skin->rest[w->vertex],
							.margin = w->detector->settings.margin,
							.depth = GetDepth( w ),
							.rounding = w->detector->rounding,
							.restFront = SUP_REST_SHARE_FRONT,
							.restBehind = SUP_REST_SHARE_FOLD };
}

// Those of up to 32 tests from `base` on that are worth a closer look.
static uint32_t MaskTests( const supNarrowWork* w, int32_t base, bool byRest )
{
	int32_t count = w->testCount - base < 32 ? w->testCount - base : 32;
	if ( byRest )
	{
		supOwnQuery query = MakeOwnQuery( w );
		return SUP_CALL_KERNEL( supMaskOwn )( w->boxes + base / 8, w->cones + base / 8, count, &query );
	}
	float reach = GetReach( w );
	return SUP_CALL_KERNEL( supMaskWithin )( w->boxes + base / 8, count, w->p, reach * reach );
}

void supTestItems( supNarrowWork* w, const supBodyState* other )
{
	bool self = other == w->body, byRest = self && w->detector->atRest == false, isReady = false;
	supNearQuery query;
	for ( int32_t base = 0; base < w->testCount; base += 32 )
	{
		for ( uint32_t bits = MaskTests( w, base, byRest ); bits != 0; bits &= bits - 1 )
		{
			supNarrowTest test = w->tests[base + __builtin_ctz( bits )];
			// less far than those were asked for, once it is behind something
			if ( w->isBehind && IsWithinReach( w, other, test.cluster ) == false )
			{
				continue;
			}
			if ( isReady == false )
			{
				query = MakeQuery( w, self );
				isReady = true;
			}
			TestCluster( w, other, test, &query );
		}
	}
}

// Through the triangles of a cluster.
static void FollowInto( supNarrowWork* w, const supBodyState* other, int32_t index, const supBox* path )
{
	const supSkinCluster* cluster = other->skin->clusters + index;
	const supTriangleBlock* blocks = other->blocks + (size_t)index * SUP_CLUSTER_BLOCKS;
	// where triangles were is no farther from where they will be than this
	supBox grown = supBox_Grow( *path, other->clusters[index].motion );
	uint32_t bits = SUP_CALL_KERNEL( supMaskInBox )( blocks, cluster->triangleCount, &grown );
	for ( ; bits != 0; bits &= bits - 1 )
	{
		int32_t k = __builtin_ctz( bits );
		FollowPath( w, other, cluster->firstTriangle + k, supNormalInBlock( blocks, k ) );
	}
}

void supFollowPaths( supNarrowWork* w, const supBodyState* other )
{
	supBox path = supBox_Include( ( supBox ){ w->p, w->p }, supGetBefore( w->body, w->vertex, other->shift ) );
	path = supBox_Grow( path, w->detector->rounding );
	for ( int32_t base = 0; base < w->pathCount; base += 32 )
	{
		int32_t count = w->pathCount - base < 32 ? w->pathCount - base : 32;
		uint32_t bits = SUP_CALL_KERNEL( supMaskBoxes )( w->pathBoxes + base / 8, count, &path );
		for ( ; bits != 0; bits &= bits - 1 )
		{
			FollowInto( w, other, w->paths[base + __builtin_ctz( bits )], &path );
		}
	}
}
