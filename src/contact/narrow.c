// SPDX-License-Identifier: MIT
#include "contact/narrow.h"

// ---------------------------------------------------------------------------------------------------------------------
// Clusters within reach

// Where listing goes on.
typedef struct Cursor
{
	int32_t partner;
	int32_t partnerEnd;
	int32_t cluster; // of the partner; -1: its first
	supKinView kin;  // of the cluster at work, where its body touches itself
} Cursor;

// In the order of bodies, the nearest clusters of each first: whatever is found early makes the rest cheaper.
static void AddItem( supNarrowWork* w, supNarrowItem item )
{
	int32_t at = w->itemCount++;
	for ( ; at > 0 && w->items[at - 1].body == item.body && w->items[at - 1].distance > item.distance; --at )
	{
		w->items[at] = w->items[at - 1];
	}
	w->items[at] = item;
}

static Cursor StartListing( const supNarrowWork* w )
{
	const supPatchState* patch = w->body->patches + w->body->skin->clusters[w->cluster].patch;
	Cursor cursor = { .partner = patch->firstPartner, .partnerEnd = patch->firstPartner + patch->partnerCount };
	cursor.cluster = -1;
	if ( w->detector->crowded )
	{
		cursor.partner = 0;
		cursor.partnerEnd = w->detector->patchTotal;
	}
	if ( w->body->body.self )
	{
		cursor.kin = supLookAtKin( w->body, w->cluster );
	}
	return cursor;
}

// Of 32 from `base` on: those that are listed, and what is known of them.
typedef struct Choice
{
	uint32_t bits;
	uint32_t kept;
	float squared[32];
} Choice;

static void ChooseOwn( const supNarrowWork* w, int32_t base, Choice* choice, Cursor* cursor )
{
	choice->bits = supMaskNearOwn( w->detector, w->body, w->cluster, base, choice->bits, true, choice->squared );
	choice->kept = supMaskAsAtRest( w->detector, w->body, base, choice->bits, &cursor->kin );
	for ( uint32_t bits = choice->bits; bits != 0; bits &= bits - 1 )
	{
		int32_t i = __builtin_ctz( bits );
		if ( supContactSkin_TouchAtRest( w->body->skin, w->cluster, base + i ) )
		{
			choice->bits &= ~( 1u << i );
		}
	}
}

static void ChooseOther( const supNarrowWork* w, const supBodyState* other, int32_t base, Choice* choice )
{
	const supBox* box = &w->body->clusters[w->cluster].box;
	for ( uint32_t bits = choice->bits; bits != 0; bits &= bits - 1 )
	{
		int32_t i = __builtin_ctz( bits );
		choice->squared[i] = supBoxDistanceSquared( box, &other->clusters[base + i].box );
	}
}

// Lists clusters of the partner at the cursor. False where the list is full before the end.
static bool ListPatch( supNarrowWork* w, Cursor* cursor )
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
	int32_t first = cursor->cluster >= 0 ? cursor->cluster : patch->firstCluster;
	int32_t end = patch->firstCluster + patch->clusterCount;
	for ( int32_t base = first / 8 * 8; base < end; base += 32 )
	{
		Choice choice;
		choice.bits = supMaskTouching( other, base, first, end, &box );
		choice.kept = 0;
		if ( choice.bits == 0 )
		{
			continue;
		}
		if ( other == w->body )
		{
			ChooseOwn( w, base, &choice, cursor );
		}
		else
		{
			ChooseOther( w, other, base, &choice );
		}
		for ( uint32_t bits = choice.bits; bits != 0; bits &= bits - 1 )
		{
			int32_t i = __builtin_ctz( bits ), index = base + i;
			if ( w->itemCount == SUP_NARROW_ITEMS )
			{
				cursor->cluster = index;
				cursor->kin.at = w->body->skin->kinStarts[w->cluster];
				return false;
			}
			if ( other->needed[index] != 0 )
			{
				bool fast = supIsFast( w->detector, w->body, w->cluster, other, index );
				bool kept = ( choice.kept >> i & 1u ) != 0;
				AddItem( w, ( supNarrowItem ){ place.body, index, fast, kept, choice.squared[i] } );
			}
		}
	}
	return true;
}

static void ListItems( supNarrowWork* w, Cursor* cursor )
{
	w->itemCount = 0;
	while ( cursor->partner < cursor->partnerEnd && ListPatch( w, cursor ) )
	{
		cursor->partner += 1;
		cursor->cluster = -1;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// What it comes to

static void Keep( supNarrowWork* w, int32_t otherBody, const supCandidate* candidate, bool fold )
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
								 .gap = c->gap,
								 .fold = fold };
}

// Is there another front between the vertex and the place behind which it seems to be? Then it is outside, and that
// place is the far side of something thin.
static bool IsCovered( const supNarrowWork* w, int32_t firstItem, int32_t itemEnd, const supCandidate* candidate )
{
	supVec3 target = candidate->contact.point;
	supBox box = supBox_Include( ( supBox ){ w->p, w->p }, target );
	for ( int32_t k = firstItem; k < itemEnd; ++k )
	{
		const supNarrowItem* item = w->items + k;
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
static bool ContactOfCrossing( const supNarrowWork* w, const supBodyState* other, supCandidate* candidate )
{
	const supCrossing* crossing = &w->crossing;
	const int32_t* corners = other->skin->corners + 3 * (size_t)crossing->triangle;
	supVec3 a = other->body.positions[corners[0]], b = other->body.positions[corners[1]];
	supVec3 c = other->body.positions[corners[2]];
	supVec3 point =
		supMulAdd( supMulAdd( supScale( crossing->bary[0], a ), crossing->bary[1], b ), crossing->bary[2], c );
	supVec3 normal = supNormalize( supCross( supSub( b, a ), supSub( c, a ) ) );
	float gap = supDot( normal, supSub( w->p, point ) );
	*candidate =
		( supCandidate ){ crossing->triangle,
						  { { crossing->bary[0], crossing->bary[1], crossing->bary[2] }, normal, gap, point } };
	return gap < 0.0f;
}

// What a vertex is behind of on its own body, the nearer of the two. Nothing near it tells the far side of its own
// limb, which it is always behind of and comes near to where the limb is twisted or squashed, from the front of another
// one: whether it is inside of something does. False where it is not.
static bool IsBehindOwn( supNarrowWork* w, bool* isFold )
{
	*isFold = w->mayBeFolded && w->body->skin->within[w->vertex] == false &&
			  ( w->isBehind == false || w->fold.contact.gap > w->behind.contact.gap );
	return ( *isFold || w->isBehind ) && supIsWithinOwn( w->body, w->vertex, supNormalOfVertex( w ) );
}

// One penetration (`certain` where nothing can be between): behind the triangle that the vertex went through, or the
// nearest that it is behind. Otherwise all fronts.
static void FinishBody( supNarrowWork* w, int32_t firstItem, int32_t itemEnd, bool certain )
{
	int32_t body = w->items[firstItem].body;
	supCandidate crossed;
	if ( w->crossing.time <= 1.0f && w->crossing.entering &&
		 ContactOfCrossing( w, w->detector->bodies + body, &crossed ) )
	{
		bool sameSide = w->isBehind && supDot( w->behind.contact.normal, crossed.contact.normal ) > SUP_SAME_WAY;
		Keep( w, body, sameSide ? &w->behind : &crossed, false );
		return;
	}
	bool isOwn = w->detector->bodies + body == w->body && w->detector->atRest == false, isFold = false;
	bool isBehind = isOwn ? IsBehindOwn( w, &isFold ) : w->isBehind;
	if ( isBehind && isFold )
	{
		Keep( w, body, &w->fold, true );
		return;
	}
	if ( isBehind && ( certain || IsCovered( w, firstItem, itemEnd, &w->behind ) == false ) )
	{
		Keep( w, body, &w->behind, false );
		return;
	}
	for ( int32_t i = 0; i < w->frontCount; ++i )
	{
		Keep( w, body, w->fronts + i, false );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// All vertices of a cluster

supVec3 supNormalOfVertex( supNarrowWork* w )
{
	if ( w->hasNormal )
	{
		return w->normal;
	}
	const supBodyState* b = w->body;
	supVec3 sum = supVec3_zero;
	for ( int32_t i = b->skin->fanStarts[w->vertex]; i < b->skin->fanStarts[w->vertex + 1]; ++i )
	{
		const int32_t* corners = b->skin->corners + 3 * (size_t)b->skin->fans[i];
		supVec3 p = b->body.positions[corners[0]];
		supVec3 area =
			supCross( supSub( b->body.positions[corners[1]], p ), supSub( b->body.positions[corners[2]], p ) );
		sum = supIsUsable( area ) ? supAdd( sum, area ) : sum;
	}
	w->hasNormal = true;
	w->normal = supNormalize( sum );
	return w->normal;
}

static void CopyCone( const supConeBlock* from, int32_t lane, supConeBlock* to, int32_t at )
{
	for ( int32_t k = 0; k < 3; ++k )
	{
		to->axis[k][at] = from->axis[k][lane];
		to->center[k][at] = from->center[k][lane];
	}
	to->cosine[at] = from->cosine[lane];
	to->sine[at] = from->sine[lane];
	to->radius[at] = from->radius[lane];
}

// The vertices of the cluster at work as the triangles of its own body see them.
static supGroupQuery MakeGroup( const supNarrowWork* w )
{
	const supSkinCluster* own = w->body->skin->clusters + w->cluster;
	const supConeBlock* cone = w->body->cones + w->cluster / 8;
	int32_t lane = w->cluster % 8;
	supGroupQuery group = { .box = supBox_empty,
							.axis = { cone->axis[0][lane], cone->axis[1][lane], cone->axis[2][lane] },
							.cosine = cone->cosine[lane],
							.sine = cone->sine[lane],
							.margin = w->detector->settings.margin,
							.depth = w->detector->settings.depth,
							.rounding = w->detector->rounding };
	for ( int32_t v = own->firstVertex; v < own->firstVertex + own->vertexCount; ++v )
	{
		supVec3 p = w->body->body.positions[v];
		group.box = supIsUsable( p ) ? supBox_Include( group.box, p ) : group.box;
	}
	return group;
}

static void AddTest( supNarrowWork* w, const supBodyState* other, supNarrowTest test, supBox box )
{
	int32_t block = w->testCount / 8, lane = w->testCount % 8;
	w->tests[w->testCount++] = test;
	supSetInBlock( w->boxes + block, lane, box );
	if ( other == w->body )
	{
		if ( lane == 0 )
		{
			w->cones[block] = ( supConeBlock ){ 0 };
		}
		CopyCone( other->cones + test.cluster / 8, test.cluster % 8, w->cones + block, lane );
	}
}

static void AddPath( supNarrowWork* w, int32_t cluster, supBox box )
{
	supSetInBlock( w->pathBoxes + w->pathCount / 8, w->pathCount % 8, box );
	w->paths[w->pathCount++] = cluster;
}

static void FillLast( supBoxBlock* blocks, int32_t count )
{
	for ( int32_t i = count; i % 8 != 0; ++i )
	{
		supSetInBlock( blocks + i / 8, i % 8, supBox_empty );
	}
}

// Where a vertex must be, or its path, to be worth looking at.
typedef struct Bounds
{
	supBox tests;
	supBox paths;
} Bounds;

// Of the items [first, end), all of one body, those that may be touched or gone through.
static Bounds ChooseTests( supNarrowWork* w, int32_t first, int32_t end )
{
	const supBodyState* other = w->detector->bodies + w->items[first].body;
	Bounds bounds = { supBox_empty, supBox_empty };
	bool self = other == w->body;
	supGroupQuery group = self ? MakeGroup( w ) : ( supGroupQuery ){ 0 };
	w->testCount = w->pathCount = 0;
	for ( int32_t i = first; i < end; ++i )
	{
		const supNarrowItem* item = w->items + i;
		if ( item->kept )
		{
			continue;
		}
		supBox box = other->clusters[item->cluster].box;
		if ( item->fast )
		{
			AddPath( w, item->cluster, box );
			bounds.paths = supBox_Unite( bounds.paths, box );
		}
		const supTriangleBlock* blocks = other->blocks + (size_t)item->cluster * SUP_CLUSTER_BLOCKS;
		int32_t count = other->skin->clusters[item->cluster].triangleCount;
		uint32_t among = self ? SUP_CALL_KERNEL( supMaskNearGroup )( blocks, count, &group, &box ) : UINT32_MAX;
		if ( among != 0 )
		{
			AddTest( w, other, ( supNarrowTest ){ item->cluster, among }, box );
			bounds.tests = supBox_Unite( bounds.tests, box );
		}
	}
	FillLast( w->boxes, w->testCount );
	FillLast( w->pathBoxes, w->pathCount );
	float reach = w->detector->reach, rounding = w->detector->rounding;
	bounds.tests = w->testCount > 0 ? supBox_Grow( bounds.tests, reach ) : bounds.tests;
	// maps test everything that came from within reach
	bounds.paths = self ? bounds.paths : bounds.tests;
	bounds.paths = w->pathCount > 0 ? supBox_Grow( bounds.paths, rounding ) : supBox_empty;
	return bounds;
}

// False where it takes no part, or is nowhere near.
static bool BeginVertex( supNarrowWork* w, int32_t vertex, const supBodyState* other, const Bounds* bounds )
{
	bool self = other == w->body;
	w->vertex = vertex;
	w->p = w->body->body.positions[vertex];
	supBox path = { w->p, w->p };
	bool isNear = supBox_Touch( &path, &bounds->tests );
	if ( isNear == false && w->pathCount > 0 )
	{
		path = supBox_Include( path, supGetBefore( w->body, vertex, other->shift ) );
		isNear = supBox_Touch( &path, &bounds->paths );
	}
	if ( isNear == false || supIsUsable( w->p ) == false )
	{
		return false;
	}
	// the clusters of a body were chosen by the normals of the vertex's own
	w->hasNormal = self;
	w->normal = self ? w->body->normals[vertex] : supVec3_zero;
	w->frontCount = 0;
	w->isBehind = w->mayBeFolded = false;
	w->crossing.time = INFINITY;
	w->foundCount = w->body->counts[vertex];
	memcpy( w->found, w->body->found + (size_t)vertex * SUP_VERTEX_CONTACTS,
			(size_t)w->foundCount * sizeof( supFound ) );
	return true;
}

static void EndVertex( const supNarrowWork* w )
{
	memcpy( w->body->found + (size_t)w->vertex * SUP_VERTEX_CONTACTS, w->found,
			(size_t)w->foundCount * sizeof( supFound ) );
	w->body->counts[w->vertex] = (uint8_t)w->foundCount;
}

// The items [first, end), all of one body.
static void TestBody( supNarrowWork* w, int32_t first, int32_t end )
{
	const supSkinCluster* own = w->body->skin->clusters + w->cluster;
	const supBodyState* other = w->detector->bodies + w->items[first].body;
	bool maps = w->detector->settings.narrow == sup_narrowMaps && other != w->body;
	Bounds bounds = ChooseTests( w, first, end );
	if ( w->testCount == 0 && w->pathCount == 0 )
	{
		return;
	}
	supDepthMap map;
	maps = maps && supDrawMap( w, first, end, &map );
	for ( int32_t v = own->firstVertex; v < own->firstVertex + own->vertexCount; ++v )
	{
		if ( BeginVertex( w, v, other, &bounds ) )
		{
			if ( w->pathCount > 0 )
			{
				supFollowPaths( w, other );
			}
			bool certain = maps && supLookIntoMap( w, &map );
			if ( certain == false )
			{
				supTestItems( w, other );
			}
			FinishBody( w, first, end, certain );
			EndVertex( w );
		}
	}
}

int32_t supRunNarrow( const supDetector* detector, int32_t body, int32_t cluster )
{
	const supBodyState* b = detector->bodies + body;
	const supSkinCluster* own = b->skin->clusters + cluster;
	supNarrowWork w;
	w.detector = detector;
	w.body = b;
	w.cluster = cluster;
	w.dropped = 0;
	memset( b->counts + own->firstVertex, 0, (size_t)own->vertexCount );
	Cursor cursor = StartListing( &w );
	while ( cursor.partner < cursor.partnerEnd )
	{
		ListItems( &w, &cursor );
		for ( int32_t first = 0, end = 0; first < w.itemCount; first = end )
		{
			while ( end < w.itemCount && w.items[end].body == w.items[first].body )
			{
				++end;
			}
			TestBody( &w, first, end );
		}
	}
	return w.dropped;
}
