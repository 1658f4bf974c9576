// SPDX-License-Identifier: MIT
#include "contact/deep.h"

#include "contact/crossing.h"
#include "contact/narrow.h"
#include "geometry/overlap.h"

#define OUTSIDE ( -1 )
#define INSIDE ( -2 )
#define SWALLOWED ( -3 )

// Surfaces that one ray goes through; what is beyond them is not seen.
#define MOST_CROSSINGS 32

// The sum of a part's area vectors, in parts of the sum of their lengths, that is one side of something rather than all
// around it.
#define MIN_AREA_SUM_RATIO 0.25f

// Of the vertices of a part of its own body, so many must have a way out.
#define MOST_OF_ALL 0.75f

// Of a part, to find the shallowest of several ways.
#define MOST_SAMPLES 48

// Along none of them edges of boxes and grids lie.
static const supVec3 s_rays[3] = { { 0.8017f, 0.2673f, 0.5345f },
								   { -0.4082f, 0.9063f, 0.1094f },
								   { 0.3015f, -0.3651f, 0.8808f } };

bool supDeepWork_Init( supDeepWork* work, const supContactSkin* const* skins, int32_t count )
{
	size_t clusters = 0, vertices = 0, patches = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		size_t some = (size_t)skins[i]->vertexCount;
		vertices = some > vertices ? some : vertices;
		some = (size_t)skins[i]->clusterCount;
		clusters = some > clusters ? some : clusters;
		some = (size_t)skins[i]->patchCount;
		patches = some > patches ? some : patches;
	}
	work->seen = supArena_AllocArray( &work->arena, vertices, sizeof( supVec3 ) );
	work->parts = supArena_AllocArray( &work->arena, vertices, sizeof( int32_t ) );
	work->members = supArena_AllocArray( &work->arena, vertices, sizeof( int32_t ) );
	work->clusterBoxes = supArena_AllocArray( &work->arena, ( clusters + 7 ) / 8, sizeof( supBoxBlock ) );
	work->triangleBoxes = supArena_AllocArray( &work->arena, clusters * SUP_CLUSTER_BLOCKS, sizeof( supBoxBlock ) );
	work->patchBoxes = supArena_AllocArray( &work->arena, patches, sizeof( supBox ) );
	if ( work->arena.failed )
	{
		supDeepWork_Destroy( work );
		return false;
	}
	// lanes beyond the last are never asked for
	memset( work->clusterBoxes, 0, ( clusters + 7 ) / 8 * sizeof( supBoxBlock ) );
	memset( work->triangleBoxes, 0, clusters * SUP_CLUSTER_BLOCKS * sizeof( supBoxBlock ) );
	return true;
}

void supDeepWork_Destroy( supDeepWork* work )
{
	supArena_Destroy( &work->arena );
	*work = ( supDeepWork ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// The other body as seen along a direction

typedef struct View
{
	const supDeepWork* work;
	supDeepBody body;
	bool isOwn; // whoever looks is of this body
	supVec3 right, up, along;
} View;

static supVec3 See( const View* view, supVec3 p )
{
	return supMakeVec3( supDot( view->right, p ), supDot( view->up, p ), supDot( view->along, p ) );
}

// Around a cluster and its triangles.
static supBox BoundCluster( supDeepWork* work, const supContactSkin* skin, int32_t index )
{
	const supSkinCluster* cluster = skin->clusters + index;
	supBoxBlock* blocks = work->triangleBoxes + (size_t)index * SUP_CLUSTER_BLOCKS;
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < cluster->triangleCount; ++i )
	{
		const int32_t* corners = skin->corners + 3 * (size_t)( cluster->firstTriangle + i );
		supBox own = supBox_empty;
		for ( int32_t k = 0; k < 3; ++k )
		{
			own = supBox_Include( own, work->seen[corners[k]] );
			box = supBox_Include( box, work->seen[corners[k]] );
		}
		supSetInBlock( blocks + i / 8, i % 8, own );
	}
	supSetInBlock( work->clusterBoxes + index / 8, index % 8, box );
	return box;
}

static View LookAlong( supDeepWork* work, supDeepBody viewer, supDeepBody body, supVec3 direction )
{
	const supContactSkin* skin = body.skin;
	View view = { .work = work, .body = body, .isOwn = viewer.positions == body.positions, .along = direction };
	supVec3 other = fabsf( direction.x ) < 0.6f ? supMakeVec3( 1.0f, 0.0f, 0.0f ) : supMakeVec3( 0.0f, 1.0f, 0.0f );
	view.right = supNormalize( supCross( other, direction ) );
	view.up = supCross( direction, view.right );
	for ( int32_t i = 0; i < skin->vertexCount; ++i )
	{
		work->seen[i] = See( &view, body.positions[i] );
	}
	for ( int32_t i = 0; i < skin->patchCount; ++i )
	{
		const supSkinPatch* patch = skin->patches + i;
		work->patchBoxes[i] = supBox_empty;
		for ( int32_t c = patch->firstCluster; c < patch->firstCluster + patch->clusterCount; ++c )
		{
			work->patchBoxes[i] = supBox_Unite( work->patchBoxes[i], BoundCluster( work, skin, c ) );
		}
	}
	return view;
}

typedef struct Crossing
{
	float at;        // along the direction
	int32_t leaving; // 1, or -1: entering
	int32_t triangle;
	float bary[3];
} Crossing;

static bool CrossTriangle( const View* view, supVec3 q, int32_t triangle, Crossing* crossing )
{
	const int32_t* c = view->body.skin->corners + 3 * (size_t)triangle;
	const supVec3* seen = view->work->seen;
	supVec3 p[3] = { supSub( seen[c[0]], q ), supSub( seen[c[1]], q ), supSub( seen[c[2]], q ) };
	supRayCrossing found;
	if ( supCrossTriangle( p, c, &found ) == false )
	{
		return false;
	}
	*crossing =
		( Crossing ){ q.z + found.at, found.leaving, triangle, { found.bary[0], found.bary[1], found.bary[2] } };
	return true;
}

static bool IsAbove( const supBox* box, supVec3 q )
{
	return box->lower.x <= q.x && box->upper.x >= q.x && box->lower.y <= q.y && box->upper.y >= q.y &&
		   box->upper.z >= q.z;
}

// What is met, the nearest first.
typedef struct Ray
{
	supVec3 q;       // where it begins
	int32_t winding; // how often it leaves minus how often it enters
	int32_t count;
	Crossing list[MOST_CROSSINGS];
} Ray;

static void CastInto( const View* view, Ray* ray, int32_t index )
{
	const supSkinCluster* cluster = view->body.skin->clusters + index;
	const supBoxBlock* blocks = view->work->triangleBoxes + (size_t)index * SUP_CLUSTER_BLOCKS;
	uint32_t bits = SUP_CALL_KERNEL( supMaskAbove )( blocks, cluster->triangleCount, ray->q );
	for ( ; bits != 0; bits &= bits - 1 )
	{
		Crossing crossing;
		if ( CrossTriangle( view, ray->q, cluster->firstTriangle + __builtin_ctz( bits ), &crossing ) == false )
		{
			continue;
		}
		ray->winding += crossing.leaving;
		int32_t at = ray->count < MOST_CROSSINGS ? ray->count++ : MOST_CROSSINGS - 1;
		for ( ; at > 0 && ray->list[at - 1].at > crossing.at; --at )
		{
			ray->list[at] = ray->list[at - 1];
		}
		ray->list[at] = crossing;
	}
}

// Can a ray from a vertex of the same body meet something of the cluster that is elsewhere? A hair more for what is
// rounded.
static bool MayBeElsewhere( const View* view, int32_t vertex, int32_t index, float z )
{
	const supSkinCluster* cluster = view->body.skin->clusters + index;
	float way = view->work->clusterBoxes[index / 8].lower[2][index % 8] - z;
	float rest = supDistance( view->body.skin->rest[vertex], cluster->center ) + cluster->radius;
	return way <= 1.01f * SUP_REST_SHARE_BEHIND * rest;
}

// All that is met, or of its own body all that can be elsewhere.
static void Cast( const View* view, int32_t vertex, Ray* ray )
{
	const supContactSkin* skin = view->body.skin;
	for ( int32_t i = 0; i < skin->patchCount; ++i )
	{
		int32_t first = skin->patches[i].firstCluster, end = first + skin->patches[i].clusterCount;
		end = IsAbove( view->work->patchBoxes + i, ray->q ) ? end : 0;
		for ( int32_t base = first / 8 * 8; base < end; base += 32 )
		{
			int32_t count = end - base < 32 ? end - base : 32;
			uint32_t bits = SUP_CALL_KERNEL( supMaskAbove )( view->work->clusterBoxes + base / 8, count, ray->q );
			bits &= first > base ? ~( ( 1u << ( first - base ) ) - 1u ) : UINT32_MAX;
			for ( ; bits != 0; bits &= bits - 1 )
			{
				int32_t index = base + __builtin_ctz( bits );
				if ( view->isOwn == false || MayBeElsewhere( view, vertex, index, ray->q.z ) )
				{
					CastInto( view, ray, index );
				}
			}
		}
	}
}

// Was a vertex of the same body so far from there at rest that it is no place of its own limb?
static bool IsElsewhere( const View* view, int32_t vertex, const Crossing* crossing, float way )
{
	const supContactSkin* skin = view->body.skin;
	const int32_t* c = skin->corners + 3 * (size_t)crossing->triangle;
	supTriangle rest = { skin->rest[c[0]], skin->rest[c[1]], skin->rest[c[2]] };
	return way <= SUP_REST_SHARE_BEHIND * supDistanceToTriangle( &rest, skin->rest[vertex] );
}

// Where the ray from a vertex at q leaves the body for good. False where it is not inside.
static bool FindExit( const View* view, int32_t vertex, supVec3 q, Crossing* exit )
{
	Ray ray;
	ray.q = q;
	ray.winding = ray.count = 0;
	Cast( view, vertex, &ray );
	const Crossing* list = ray.list;
	for ( int32_t i = 0; i < ray.count && view->isOwn; ++i )
	{
		if ( IsElsewhere( view, vertex, list + i, list[i].at - q.z ) )
		{
			*exit = list[i];
			return list[i].leaving > 0;
		}
	}
	for ( int32_t i = 0; i < ray.count && ray.winding > 0 && view->isOwn == false; ++i )
	{
		ray.winding -= list[i].leaving;
		*exit = list[i];
		if ( ray.winding <= 0 )
		{
			return true;
		}
	}
	return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Inside

static supBox BoxOf( supDeepBody body )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < body.skin->vertexCount; ++i )
	{
		box = supIsUsable( body.positions[i] ) ? supBox_Include( box, body.positions[i] ) : box;
	}
	return box;
}

// Two of three rays say so: holes do not matter much.
static void FindInside( supDeepWork* work, supDeepBody a, supDeepBody b )
{
	supBox box = BoxOf( b );
	// how many rays have said so: those with none after two are out, those with two after two need no third
	for ( int32_t ray = 0; ray < 3; ++ray )
	{
		View view = LookAlong( work, a, b, supNormalize( s_rays[ray] ) );
		for ( int32_t i = 0; i < a.skin->vertexCount; ++i )
		{
			supVec3 p = a.positions[i];
			supBox place = { p, p };
			int32_t* votes = work->parts + i;
			*votes = ray == 0 ? 0 : *votes;
			bool isOpen = ray < 2 || *votes == 1;
			if ( isOpen && supIsUsable( p ) && supBox_Touch( &place, &box ) )
			{
				Crossing exit;
				*votes += FindExit( &view, i, See( &view, p ), &exit );
			}
		}
	}
	for ( int32_t i = 0; i < a.skin->vertexCount; ++i )
	{
		work->parts[i] = work->parts[i] >= 2 ? INSIDE : OUTSIDE;
	}
}

// All that hangs together with a vertex, into work->members from `first` on. Returns their end.
static int32_t GatherPart( const supDeepWork* work, const supContactSkin* skin, int32_t vertex, int32_t first,
						   int32_t part )
{
	int32_t end = first;
	work->members[end++] = vertex;
	work->parts[vertex] = part;
	for ( int32_t i = first; i < end; ++i )
	{
		int32_t v = work->members[i];
		for ( int32_t f = skin->fanStarts[v]; f < skin->fanStarts[v + 1]; ++f )
		{
			const int32_t* corners = skin->corners + 3 * (size_t)skin->fans[f];
			for ( int32_t k = 0; k < 3; ++k )
			{
				if ( work->parts[corners[k]] == INSIDE )
				{
					work->parts[corners[k]] = part;
					work->members[end++] = corners[k];
				}
			}
		}
	}
	return end;
}

// ---------------------------------------------------------------------------------------------------------------------
// Direction

typedef struct Part
{
	int32_t first, end; // of work->members
	supVec3 area;       // sum
	float size;         // sum of lengths
	supVec3 middle;
	float extent; // of its triangles
} Part;

static Part MeasurePart( const supDeepWork* work, supDeepBody a, int32_t first, int32_t end )
{
	Part part = { .first = first, .end = end };
	supVec3 sum = supVec3_zero;
	supBox box = supBox_empty;
	for ( int32_t i = first; i < end; ++i )
	{
		int32_t v = work->members[i];
		sum = supAdd( sum, a.positions[v] );
		for ( int32_t f = a.skin->fanStarts[v]; f < a.skin->fanStarts[v + 1]; ++f )
		{
			const int32_t* c = a.skin->corners + 3 * (size_t)a.skin->fans[f];
			supVec3 p = a.positions[c[0]], q = a.positions[c[1]], r = a.positions[c[2]];
			supVec3 area = supCross( supSub( q, p ), supSub( r, p ) );
			box = supBox_Include( supBox_Include( supBox_Include( box, p ), q ), r );
			part.area = supIsUsable( area ) ? supAdd( part.area, area ) : part.area;
			part.size += supIsUsable( area ) ? supLength( area ) : 0.0f;
		}
	}
	part.middle = supScale( 1.0f / (float)( end - first ), sum );
	part.extent = supLength( supBox_Size( box ) );
	return part;
}

// How far the farthest of a part's vertices is from the outside; INFINITY if there is none.
static float MeasureWay( supDeepWork* work, supDeepBody a, supDeepBody b, const Part* part, supVec3 direction )
{
	View view = LookAlong( work, a, b, direction );
	int32_t step = ( part->end - part->first ) / MOST_SAMPLES + 1;
	float farthest = -1.0f;
	for ( int32_t i = part->first; i < part->end; i += step )
	{
		int32_t v = work->members[i];
		supVec3 q = See( &view, a.positions[v] );
		Crossing exit;
		if ( FindExit( &view, v, q, &exit ) )
		{
			farthest = supMaxFloat( farthest, exit.at - q.z );
		}
	}
	return farthest >= 0.0f ? farthest : INFINITY;
}

static supVec3 FindShallowest( supDeepWork* work, supDeepBody a, supDeepBody b, const Part* part )
{
	supBox box = BoxOf( b );
	supVec3 apart = supNormalize( supSub( part->middle, supLerp( box.lower, box.upper, 0.5f ) ) );
	supVec3 best = supMakeVec3( 0.0f, 1.0f, 0.0f );
	float shortest = INFINITY;
	for ( int32_t i = 0; i < 7; ++i )
	{
		float sign = i % 2 == 0 ? 1.0f : -1.0f;
		supVec3 axis = { i / 2 == 1 ? sign : 0.0f, i / 2 == 0 ? sign : 0.0f, i / 2 == 2 ? sign : 0.0f };
		supVec3 direction = i < 6 ? axis : apart;
		float way = supLengthSquared( direction ) > 0.5f ? MeasureWay( work, a, b, part, direction ) : INFINITY;
		best = way < shortest ? direction : best;
		shortest = supMinFloat( way, shortest );
	}
	return best;
}

// Is it inside with one side of it, rather than all around?
static bool IsOneSided( const Part* part )
{
	return supLength( part->area ) > MIN_AREA_SUM_RATIO * part->size;
}

static supVec3 FindDirection( supDeepWork* work, supDeepBody a, supDeepBody b, const Part* part )
{
	return IsOneSided( part ) ? supScale( -1.0f / supLength( part->area ), part->area )
							  : FindShallowest( work, a, b, part );
}

// ---------------------------------------------------------------------------------------------------------------------

// Hits of a part along a direction from `hits` on, and the longest way. Returns how many.
static int32_t FollowWay( supDeepWork* work, supDeepBody a, supDeepBody b, const Part* part, supVec3 direction,
						  supContactHit* hits, int32_t capacity, float* longest )
{
	View view = LookAlong( work, a, b, direction );
	int32_t count = 0;
	*longest = 0.0f;
	for ( int32_t i = part->first; i < part->end && count < capacity; ++i )
	{
		int32_t v = work->members[i];
		supVec3 q = See( &view, a.positions[v] );
		Crossing exit;
		if ( FindExit( &view, v, q, &exit ) )
		{
			const int32_t* corners = b.skin->corners + 3 * (size_t)exit.triangle;
			*longest = supMaxFloat( *longest, exit.at - q.z );
			hits[count++] = ( supContactHit ){ .vertex = v,
											   .triangle = exit.triangle,
											   .corners = { corners[0], corners[1], corners[2] },
											   .bary = { exit.bary[0], exit.bary[1], exit.bary[2] },
											   .normal = direction,
											   .gap = q.z - exit.at };
		}
	}
	return count;
}

// Of those, ways that go out of what stays where it is.
static int32_t CountSwallowed( const supDeepWork* work, const supContactHit* hits, int32_t count )
{
	int32_t swallowed = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		const int32_t* corners = hits[i].corners;
		swallowed += work->parts[corners[0]] == SWALLOWED || work->parts[corners[1]] == SWALLOWED ||
					 work->parts[corners[2]] == SWALLOWED;
	}
	return swallowed;
}

// Hits of a part from `hits` on. Returns how many: 0 where none is deep. The rim of a part is outside, so that nothing
// of it is deeper than it is wide: a way that is longer goes through the length of something.
static int32_t LeadOut( supDeepWork* work, supDeepBody a, supDeepBody b, const Part* part, float depth,
						supContactHit* hits, int32_t capacity )
{
	float longest;
	int32_t count = FollowWay( work, a, b, part, FindDirection( work, a, b, part ), hits, capacity, &longest );
	if ( longest > part->extent )
	{
		count = FollowWay( work, a, b, part, FindShallowest( work, a, b, part ), hits, capacity, &longest );
	}
	bool isOut = longest > depth && longest <= part->extent;
	bool isOwn = a.positions == b.positions;
	return isOut && ( isOwn == false || 2 * CountSwallowed( work, hits, count ) <= count ) ? count : 0;
}

// A limb of its own body that is inside all around is there with its bones, and where only some of a part have a way
// out they would be torn off the rest.
static bool IsStuck( supDeepWork* work, supDeepBody a, const Part* part )
{
	if ( IsOneSided( part ) == false )
	{
		return true;
	}
	View view = LookAlong( work, a, a, FindDirection( work, a, a, part ) );
	int32_t count = 0;
	for ( int32_t i = part->first; i < part->end; ++i )
	{
		Crossing exit;
		count += FindExit( &view, work->members[i], See( &view, a.positions[work->members[i]] ), &exit );
	}
	return (float)count < MOST_OF_ALL * (float)( part->end - part->first );
}

// All parts, one after another in work->members, but for those that stay where they are. Returns the end of the last.
static int32_t FindParts( supDeepWork* work, supDeepBody a, supDeepBody b )
{
	int32_t part = 0, end = 0;
	work->stuckCount = 0;
	for ( int32_t i = 0; i < a.skin->vertexCount; ++i )
	{
		if ( work->parts[i] != INSIDE )
		{
			continue;
		}
		int32_t first = end;
		end = GatherPart( work, a.skin, i, first, part++ );
		Part measured = MeasurePart( work, a, first, end );
		if ( a.positions == b.positions && IsStuck( work, a, &measured ) )
		{
			for ( int32_t k = first; k < end; ++k )
			{
				work->parts[work->members[k]] = SWALLOWED;
			}
			work->stuckCount += end - first;
			end = first;
		}
	}
	return end;
}

int32_t supFindDeep( supDeepWork* work, supDeepBody a, supDeepBody b, float depth, supContactHit* hits,
					 int32_t capacity )
{
	int32_t count = 0;
	FindInside( work, a, b );
	int32_t memberCount = FindParts( work, a, b );
	for ( int32_t first = 0, end = 0; first < memberCount; first = end )
	{
		while ( end < memberCount && work->parts[work->members[end]] == work->parts[work->members[first]] )
		{
			end += 1;
		}
		Part measured = MeasurePart( work, a, first, end );
		count += LeadOut( work, a, b, &measured, depth, hits + count, capacity - count );
	}
	return count;
}
