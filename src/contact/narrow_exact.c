// SPDX-License-Identifier: MIT
// Exact narrow phase: the vertices of one cluster against all clusters that they can reach. detector.h says what counts
// as a contact.
//
//   list of clusters within reach ──▶ for each vertex, body by body: local minima of the distance, and the first
//   crossing of its path ──▶ one penetration or several fronts ──▶ the deepest of all bodies
//
// Whoever runs a cluster writes only what belongs to its vertices, and looks at triangles in ascending order, so that
// nothing depends on threads.
#include "contact/detection.h"
#include "contact/narrow_kernel.h"
#include "contact/pair.h"
#include "geometry/overlap.h"

// Clusters that are held at once. With more, parts of a body are taken as bodies of their own: a vertex then may get
// more hits than one.
#define MOST_ITEMS 1024

#define MOST_CANDIDATES 8

// Paths are followed where things move farther in a step than this part of the margin.
#define SLOW 0.5f

// Fronts that point the same way within this cosine are one.
#define SAME_WAY 0.5f

// A character is near itself, and behind itself, only where the distance is below these parts of the distance at rest.
// For a vertex that is on the surface anyway nothing else tells the far side of its own limb from the front of another
// that it is behind of.
#define REST_SHARE_FRONT 0.5f
#define REST_SHARE_BEHIND 0.25f

typedef struct Item
{
	int32_t body;
	int32_t cluster;
	bool fast;
} Item;

typedef struct Candidate
{
	int32_t triangle;
	supPairContact contact;
} Candidate;

typedef struct Crossing
{
	float time; // INFINITY: none
	bool entering;
	int32_t triangle;
	float bary[3];
} Crossing;

typedef struct Work
{
	const supDetector* detector;
	const supBodyState* body;
	int32_t cluster;
	int32_t itemCount;
	Item items[MOST_ITEMS];

	// the vertex at work
	int32_t vertex;
	supVec3 p;
	supVec3 normal; // of all triangles around it
	bool hasNormal;
	// what was found in the body at work
	int32_t frontCount;
	Candidate fronts[MOST_CANDIDATES];
	int32_t behindCount;
	Candidate behinds[MOST_CANDIDATES];
	Crossing crossing;
	// and in all
	int32_t foundCount;
	supFound found[SUP_VERTEX_CONTACTS];
	int32_t dropped;
} Work;

// ---------------------------------------------------------------------------------------------------------------------
// Clusters within reach

static bool CanFace( const supClusterState* a, const supClusterState* b )
{
	float between = supAcos( supDot( a->axis, b->axis ) );
	// SUP_FACING_SELF is the cosine of a right angle
	return between + a->spread + b->spread >= 0.5f * SUP_PI;
}

static bool IsWithinReach( const Work* w, const supBodyState* other, int32_t index, const supBox* box )
{
	if ( other->needed[index] == false || supBox_Touch( box, &other->clusters[index].box ) == false )
	{
		return false;
	}
	return other != w->body || ( CanFace( w->body->clusters + w->cluster, other->clusters + index ) &&
								 supContactSkin_TouchAtRest( other->skin, w->cluster, index ) == false );
}

static bool IsFast( const Work* w, const supBodyState* other, int32_t index )
{
	float drift = other == w->body ? 0.0f : supDistance( w->body->shift, other->shift );
	float motion = w->body->clusters[w->cluster].motion + other->clusters[index].motion + drift;
	return motion > SLOW * w->detector->settings.margin && ( w->body->moves || other->moves );
}

// Where listing goes on.
typedef struct Cursor
{
	int32_t partner;
	int32_t partnerEnd;
	int32_t cluster; // of the partner; -1: its first
} Cursor;

static Cursor StartListing( const Work* w )
{
	const supPatchState* patch = w->body->patches + w->body->skin->clusters[w->cluster].patch;
	return w->detector->crowded ? ( Cursor ){ 0, w->detector->patchTotal, -1 }
								: ( Cursor ){ patch->firstPartner, patch->firstPartner + patch->partnerCount, -1 };
}

// Lists clusters of the partner at the cursor. False where the list is full before the end.
static bool ListPatch( Work* w, Cursor* cursor )
{
	int32_t number = w->detector->crowded ? cursor->partner : w->detector->partners[cursor->partner].patch;
	supPlace place = w->detector->patchPlaces[number];
	const supBodyState* other = w->detector->bodies + place.body;
	if ( other->body.positions == NULL || ( other == w->body && other->body.self == false ) )
	{
		return true;
	}
	const supSkinPatch* patch = other->skin->patches + place.index;
	supBox box = supBox_Grow( w->body->clusters[w->cluster].box, w->detector->reach );
	box = supSeeFrom( box, w->body, other );
	if ( supBox_Touch( &box, &other->patches[place.index].box ) == false )
	{
		return true;
	}
	int32_t i = cursor->cluster >= 0 ? cursor->cluster : patch->firstCluster;
	for ( ; i < patch->firstCluster + patch->clusterCount; ++i )
	{
		if ( w->itemCount == MOST_ITEMS )
		{
			cursor->cluster = i;
			return false;
		}
		if ( IsWithinReach( w, other, i, &box ) )
		{
			w->items[w->itemCount++] = ( Item ){ place.body, i, IsFast( w, other, i ) };
		}
	}
	return true;
}

static void ListItems( Work* w, Cursor* cursor )
{
	w->itemCount = 0;
	while ( cursor->partner < cursor->partnerEnd && ListPatch( w, cursor ) )
	{
		cursor->partner += 1;
		cursor->cluster = -1;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// One vertex against one cluster

static bool IsBetter( const Candidate* a, const Candidate* b )
{
	float x = fabsf( a->contact.gap ), y = fabsf( b->contact.gap );
	return x < y || ( x == y && a->triangle < b->triangle );
}

// In order, the nearest first. Fronts that point the same way become one.
static void AddCandidate( Candidate* list, int32_t* count, bool merge, Candidate candidate )
{
	for ( int32_t i = 0; merge && i < *count; ++i )
	{
		if ( supDot( list[i].contact.normal, candidate.contact.normal ) > SAME_WAY )
		{
			if ( IsBetter( list + i, &candidate ) )
			{
				return;
			}
			memmove( list + i, list + i + 1, (size_t)( *count - i - 1 ) * sizeof( Candidate ) );
			*count -= 1;
			break;
		}
	}
	int32_t at = *count < MOST_CANDIDATES ? *count : MOST_CANDIDATES - 1;
	if ( *count == MOST_CANDIDATES && IsBetter( &candidate, list + at ) == false )
	{
		return;
	}
	for ( ; at > 0 && IsBetter( &candidate, list + at - 1 ); --at )
	{
		list[at] = list[at - 1];
	}
	list[at] = candidate;
	*count += *count < MOST_CANDIDATES;
}

static bool IsAsAtRest( const Work* w, int32_t triangle, float gap )
{
	const supContactSkin* skin = w->body->skin;
	const int32_t* corners = skin->corners + 3 * (size_t)triangle;
	supTriangle t = { skin->rest[corners[0]], skin->rest[corners[1]], skin->rest[corners[2]] };
	float share = gap < 0.0f ? -REST_SHARE_BEHIND : REST_SHARE_FRONT;
	return w->detector->atRest == false && gap / share >= supDistanceToTriangle( &t, skin->rest[w->vertex] );
}

static void TestTriangle( Work* w, const supBodyState* other, int32_t triangle, supVec3 normal )
{
	const supDetectorSettings* settings = &w->detector->settings;
	bool self = other == w->body;
	supSurfaceNow surface = { other->skin, other->body.positions };
	Candidate candidate = { .triangle = triangle };
	if ( ( self && supContactSkin_AreNear( other->skin, w->vertex, triangle ) ) ||
		 supTestVertexTriangle( &surface, w->p, triangle, normal, settings->margin, settings->depth,
								&candidate.contact ) == false )
	{
		return;
	}
	bool behind = candidate.contact.gap < 0.0f;
	float facing = supDot( normal, self ? w->body->normals[w->vertex] : w->normal );
	if ( ( behind || self ) && !( facing < ( self ? SUP_FACING_SELF : SUP_FACING_OTHER ) ) )
	{
		return;
	}
	if ( self && IsAsAtRest( w, triangle, candidate.contact.gap ) )
	{
		return;
	}
	if ( behind )
	{
		AddCandidate( w->behinds, &w->behindCount, false, candidate );
	}
	else
	{
		AddCandidate( w->fronts, &w->frontCount, true, candidate );
	}
}

// The first of all triangles that the vertex has gone through.
static void FollowPath( Work* w, const supBodyState* other, int32_t triangle, supVec3 normal )
{
	bool self = other == w->body;
	if ( self && ( supContactSkin_AreNear( other->skin, w->vertex, triangle ) ||
				   supDot( normal, w->body->normals[w->vertex] ) >= SUP_FACING_SELF ) )
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
	Crossing crossing = { .triangle = triangle };
	crossing.time = supFindCrossing( &pair, &crossing.entering, crossing.bary );
	if ( crossing.time < w->crossing.time )
	{
		w->crossing = crossing;
	}
}

static supVec3 NormalOfVertex( const supBodyState* b, int32_t vertex )
{
	const supContactSkin* skin = b->skin;
	supVec3 sum = supVec3_zero;
	for ( int32_t i = skin->fanStarts[vertex]; i < skin->fanStarts[vertex + 1]; ++i )
	{
		const int32_t* corners = skin->corners + 3 * (size_t)skin->fans[i];
		supVec3 p = b->body.positions[corners[0]];
		supVec3 area =
			supCross( supSub( b->body.positions[corners[1]], p ), supSub( b->body.positions[corners[2]], p ) );
		sum = supIsUsable( area ) ? supAdd( sum, area ) : sum;
	}
	return supNormalize( sum );
}

static void TestCluster( Work* w, const Item* item )
{
	const supBodyState* other = w->detector->bodies + item->body;
	const supDetectorSettings* settings = &w->detector->settings;
	const supSkinCluster* cluster = other->skin->clusters + item->cluster;
	const supTriangleBlock* blocks = other->blocks + (size_t)item->cluster * SUP_CLUSTER_BLOCKS;
	bool self = other == w->body;
	if ( self == false && w->hasNormal == false )
	{
		w->normal = NormalOfVertex( w->body, w->vertex );
		w->hasNormal = true;
	}
	supNearQuery query = { .p = w->p,
						   .normal = self ? w->body->normals[w->vertex] : w->normal,
						   .margin = settings->margin,
						   .depth = settings->depth,
						   .rounding = w->detector->rounding,
						   .facingFront = self ? SUP_FACING_SELF : 2.0f,
						   .facingBehind = self ? SUP_FACING_SELF : SUP_FACING_OTHER };
	uint32_t bits = SUP_CALL_KERNEL( supMaskNear )( blocks, cluster->triangleCount, &query );
	uint32_t paths = 0;
	if ( item->fast )
	{
		supBox path = supBox_Include( ( supBox ){ w->p, w->p }, supGetBefore( w->body, w->vertex, other->shift ) );
		path = supBox_Grow( path, w->detector->rounding );
		paths = SUP_CALL_KERNEL( supMaskInBox )( blocks, cluster->triangleCount, &path );
	}
	for ( uint32_t left = bits | paths; left != 0; left &= left - 1 )
	{
		int32_t i = __builtin_ctz( left );
		const supTriangleBlock* block = blocks + i / 8;
		supVec3 normal = { block->normal[0][i % 8], block->normal[1][i % 8], block->normal[2][i % 8] };
		if ( bits >> i & 1 )
		{
			TestTriangle( w, other, cluster->firstTriangle + i, normal );
		}
		if ( paths >> i & 1 )
		{
			FollowPath( w, other, cluster->firstTriangle + i, normal );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// What it comes to

static void Keep( Work* w, int32_t otherBody, const Candidate* candidate )
{
	const supPairContact* c = &candidate->contact;
	int32_t at = w->foundCount;
	if ( at == SUP_VERTEX_CONTACTS )
	{
		w->dropped += 1;
		if ( c->gap >= w->found[at - 1].gap )
		{
			return;
		}
		at -= 1;
	}
	else
	{
		w->foundCount += 1;
	}
	for ( ; at > 0 && c->gap < w->found[at - 1].gap; --at )
	{
		w->found[at] = w->found[at - 1];
	}
	w->found[at] = ( supFound ){ .otherBody = otherBody,
								 .triangle = candidate->triangle,
								 .bary = { c->bary[0], c->bary[1], c->bary[2] },
								 .normal = c->normal,
								 .gap = c->gap };
}

// Is there another front between the vertex and the place behind which it seems to be? Then it is outside, and that
// place is the far side of something thin.
static bool IsCovered( const Work* w, int32_t firstItem, int32_t itemEnd, const Candidate* candidate )
{
	supVec3 target = candidate->contact.point;
	supBox box = supBox_Include( ( supBox ){ w->p, w->p }, target );
	for ( int32_t k = firstItem; k < itemEnd; ++k )
	{
		const Item* item = w->items + k;
		const supBodyState* other = w->detector->bodies + item->body;
		const supSkinCluster* cluster = other->skin->clusters + item->cluster;
		const supTriangleBlock* blocks = other->blocks + (size_t)item->cluster * SUP_CLUSTER_BLOCKS;
		if ( supBox_Touch( &box, &other->clusters[item->cluster].box ) == false )
		{
			continue;
		}
		uint32_t bits = SUP_CALL_KERNEL( supMaskInBox )( blocks, cluster->triangleCount, &box );
		for ( ; bits != 0; bits &= bits - 1 )
		{
			int32_t triangle = cluster->firstTriangle + __builtin_ctz( bits );
			const int32_t* corners = other->skin->corners + 3 * (size_t)triangle;
			supVec3 p[3] = { other->body.positions[corners[0]], other->body.positions[corners[1]],
							 other->body.positions[corners[2]] };
			bool own = other == w->body && supContactSkin_AreNear( other->skin, w->vertex, triangle );
			if ( own == false && triangle != candidate->triangle && supSegmentEnters( p, w->p, target ) )
			{
				return true;
			}
		}
	}
	return false;
}

// The triangle that the vertex went through, as a contact. False where it is in front of it after all.
static bool ContactOfCrossing( const Work* w, const supBodyState* other, Candidate* candidate )
{
	const Crossing* crossing = &w->crossing;
	const int32_t* corners = other->skin->corners + 3 * (size_t)crossing->triangle;
	supVec3 a = other->body.positions[corners[0]], b = other->body.positions[corners[1]];
	supVec3 c = other->body.positions[corners[2]];
	supVec3 point =
		supMulAdd( supMulAdd( supScale( crossing->bary[0], a ), crossing->bary[1], b ), crossing->bary[2], c );
	supVec3 normal = supNormalize( supCross( supSub( b, a ), supSub( c, a ) ) );
	float gap = supDot( normal, supSub( w->p, point ) );
	*candidate = ( Candidate ){ crossing->triangle,
								{ { crossing->bary[0], crossing->bary[1], crossing->bary[2] }, normal, gap, point } };
	return gap < 0.0f;
}

// One penetration: behind the triangle that the vertex went through, or the nearest that it is behind. Otherwise all
// fronts.
static void FinishBody( Work* w, int32_t firstItem, int32_t itemEnd )
{
	int32_t body = w->items[firstItem].body;
	Candidate crossed;
	if ( w->crossing.time <= 1.0f && w->crossing.entering &&
		 ContactOfCrossing( w, w->detector->bodies + body, &crossed ) )
	{
		for ( int32_t i = 0; i < w->behindCount; ++i )
		{
			if ( supDot( w->behinds[i].contact.normal, crossed.contact.normal ) > SAME_WAY )
			{
				Keep( w, body, w->behinds + i );
				return;
			}
		}
		Keep( w, body, &crossed );
		return;
	}
	for ( int32_t i = 0; i < w->behindCount; ++i )
	{
		if ( IsCovered( w, firstItem, itemEnd, w->behinds + i ) == false )
		{
			Keep( w, body, w->behinds + i );
			return;
		}
	}
	for ( int32_t i = 0; i < w->frontCount; ++i )
	{
		Keep( w, body, w->fronts + i );
	}
}

static bool ComesNear( const Work* w, const Item* item )
{
	const supBodyState* other = w->detector->bodies + item->body;
	supBox box = { w->p, w->p };
	if ( item->fast )
	{
		box = supBox_Include( box, supGetBefore( w->body, w->vertex, other->shift ) );
	}
	box = supBox_Grow( box, w->detector->reach );
	return supBox_Touch( &box, &other->clusters[item->cluster].box );
}

static void TestVertex( Work* w )
{
	for ( int32_t first = 0, end = 0; first < w->itemCount; first = end )
	{
		w->frontCount = 0;
		w->behindCount = 0;
		w->crossing.time = INFINITY;
		for ( ; end < w->itemCount && w->items[end].body == w->items[first].body; ++end )
		{
			if ( ComesNear( w, w->items + end ) )
			{
				TestCluster( w, w->items + end );
			}
		}
		FinishBody( w, first, end );
	}
}

int32_t supNarrowExact( const supDetector* detector, int32_t body, int32_t cluster )
{
	const supBodyState* b = detector->bodies + body;
	const supSkinCluster* own = b->skin->clusters + cluster;
	Work w;
	w.detector = detector;
	w.body = b;
	w.cluster = cluster;
	w.dropped = 0;
	memset( b->counts + own->firstVertex, 0, (size_t)own->vertexCount );
	Cursor cursor = StartListing( &w );
	while ( cursor.partner < cursor.partnerEnd )
	{
		ListItems( &w, &cursor );
		for ( int32_t v = own->firstVertex; w.itemCount > 0 && v < own->firstVertex + own->vertexCount; ++v )
		{
			w.vertex = v;
			w.p = b->body.positions[v];
			w.hasNormal = false;
			if ( supIsUsable( w.p ) == false )
			{
				continue;
			}
			supFound* found = b->found + (size_t)v * SUP_VERTEX_CONTACTS;
			w.foundCount = b->counts[v];
			memcpy( w.found, found, (size_t)w.foundCount * sizeof( supFound ) );
			TestVertex( &w );
			memcpy( found, w.found, (size_t)w.foundCount * sizeof( supFound ) );
			b->counts[v] = (uint8_t)w.foundCount;
		}
	}
	return w.dropped;
}
