// SPDX-License-Identifier: MIT
// Narrow phase by depth maps (paper 000, section 5.3, after Galoppo et al. 2006): the other surface is drawn along the
// direction of contact into a small grid, and a vertex that is behind what it sees there penetrates.
//
// Drawn by hand, so that it runs anywhere, and with all layers: a cell keeps a list of the triangles that it sees
// instead of one depth. A vertex then asks for the height of each of them at its own place, not at the cell's middle,
// so that nothing is lost to the size of cells. The nearest of them, above it or below, says by the side that it shows
// whether the vertex is inside. That needs no normals of edges and vertices, and is right where surfaces have several
// layers. What is touched is then the nearest among what the cells around see; far from there (a deep penetration of
// something slanted) it is the place that was seen. A vertex that sees nothing is tested exactly, and so is one that
// is in front of a part which is itself inside of another (a fin in a body): what it sees nearest says that it is
// outside, all that is above it together say that it is not.
#include "contact/narrow.h"

#include <math.h>

// Triangles that are seen edge-on are left to their neighbours.
#define MIN_FACING_COSINE 0.02f

// ---------------------------------------------------------------------------------------------------------------------
// Drawing

// From the other towards the vertices: what faces them, less what they face.
static supVec3 FindDirection( const supNarrowWork* w, int32_t first, int32_t end )
{
	const supBodyState* other = w->detector->bodies + w->items[first].body;
	supVec3 sum = supVec3_zero, own = w->body->clusters[w->cluster].axis;
	for ( int32_t i = first; i < end; ++i )
	{
		supVec3 axis = other->clusters[w->items[i].cluster].axis;
		sum = supDot( axis, own ) < SUP_FACING_OTHER ? supAdd( sum, axis ) : sum;
	}
	supVec3 direction = supSub( supNormalize( sum ), own );
	direction = supLength( direction ) > 0.1f ? direction : supNeg( own );
	return supLengthSquared( direction ) > 0.0f ? supNormalize( direction ) : supMakeVec3( 0.0f, 1.0f, 0.0f );
}

static supVec2 Project( const supDepthMap* map, supVec3 p )
{
	return ( supVec2 ){ supDot( map->right, p ), supDot( map->up, p ) };
}

// The grid covers the vertices of the cluster.
static bool PlaceGrid( const supNarrowWork* w, supDepthMap* map )
{
	supVec3 d = map->direction;
	supVec3 helper = fabsf( d.x ) < 0.7f ? supMakeVec3( 1.0f, 0.0f, 0.0f ) : supMakeVec3( 0.0f, 1.0f, 0.0f );
	map->right = supNormalize( supCross( helper, d ) );
	map->up = supCross( d, map->right );
	const supSkinCluster* own = w->body->skin->clusters + w->cluster;
	supVec2 lower = { INFINITY, INFINITY }, upper = { -INFINITY, -INFINITY };
	for ( int32_t v = own->firstVertex; v < own->firstVertex + own->vertexCount; ++v )
	{
		if ( supIsUsable( w->body->body.positions[v] ) )
		{
			supVec2 q = Project( map, w->body->body.positions[v] );
			lower = ( supVec2 ){ supMinFloat( lower.x, q.x ), supMinFloat( lower.y, q.y ) };
			upper = ( supVec2 ){ supMaxFloat( upper.x, q.x ), supMaxFloat( upper.y, q.y ) };
		}
	}
	// no cell is smaller than the margin, so that the cells around a vertex see all that is near; one more at each side
	// for what is beside the vertices
	float least = w->detector->settings.margin + w->detector->rounding + 1e-6f * w->body->skin->size;
	float side = supMaxFloat( upper.x - lower.x, upper.y - lower.y ) / (float)( SUP_MAP_SIDE - 2 );
	side = supMaxFloat( side, least );
	map->cells = 1.0f / side;
	map->lower = ( supVec2 ){ lower.x - side, lower.y - side };
	// false for NaN: no vertex at all, or something astronomical
	return map->cells > 0.0f && supIsFinite( map->lower.x ) && supIsFinite( map->lower.y );
}

static int32_t CellOf( float value, float lower, float cells )
{
	return (int32_t)supClampFloat( ( value - lower ) * cells, 0.0f, (float)( SUP_MAP_SIDE - 1 ) );
}

// Does a cell, grown by a hair, touch the triangle? Separating lines: the triangle's edges; its box has been looked at.
static bool Touches( const supVec2 q[3], float x, float y )
{
	float area = ( q[1].x - q[0].x ) * ( q[2].y - q[0].y ) - ( q[1].y - q[0].y ) * ( q[2].x - q[0].x );
	float sign = area < 0.0f ? -1.0f : 1.0f;
	for ( int32_t k = 0; k < 3; ++k )
	{
		supVec2 a = q[k], b = q[( k + 1 ) % 3];
		float nx = sign * ( a.y - b.y ), ny = sign * ( b.x - a.x );
		float inside = nx * ( x + 0.5f - a.x ) + ny * ( y + 0.5f - a.y );
		if ( inside < -0.51f * ( fabsf( nx ) + fabsf( ny ) ) )
		{
			return false;
		}
	}
	return true;
}

// Into every cell that it touches. False where there is no room left.
static bool DrawTriangle( supDepthMap* map, int32_t triangle )
{
	supVec2 q[3], lower = { INFINITY, INFINITY }, upper = { -INFINITY, -INFINITY };
	for ( int32_t k = 0; k < 3; ++k )
	{
		q[k] = Project( map, map->other->body.positions[map->other->skin->corners[3 * (size_t)triangle + (size_t)k]] );
		q[k].x = ( q[k].x - map->lower.x ) * map->cells;
		q[k].y = ( q[k].y - map->lower.y ) * map->cells;
		lower = ( supVec2 ){ supMinFloat( lower.x, q[k].x ), supMinFloat( lower.y, q[k].y ) };
		upper = ( supVec2 ){ supMaxFloat( upper.x, q[k].x ), supMaxFloat( upper.y, q[k].y ) };
	}
	if ( upper.x < 0.0f || upper.y < 0.0f || lower.x > SUP_MAP_SIDE || lower.y > SUP_MAP_SIDE )
	{
		return true;
	}
	int32_t x0 = CellOf( lower.x, 0.01f, 1.0f ), x1 = CellOf( upper.x, -0.01f, 1.0f );
	int32_t y0 = CellOf( lower.y, 0.01f, 1.0f ), y1 = CellOf( upper.y, -0.01f, 1.0f );
	for ( int32_t y = y0; y <= y1; ++y )
	{
		for ( int32_t x = x0; x <= x1; ++x )
		{
			if ( Touches( q, (float)x, (float)y ) == false )
			{
				continue;
			}
			if ( map->count == SUP_MAP_ENTRIES )
			{
				return false;
			}
			int16_t* head = map->firsts + y * SUP_MAP_SIDE + x;
			map->triangles[map->count] = triangle;
			map->nexts[map->count] = *head;
			*head = (int16_t)map->count++;
		}
	}
	return true;
}

bool supDrawMap( const supNarrowWork* w, int32_t first, int32_t end, supDepthMap* map )
{
	map->other = w->detector->bodies + w->items[first].body;
	map->direction = FindDirection( w, first, end );
	map->count = 0;
	memset( map->firsts, 0xFF, sizeof( map->firsts ) );
	if ( PlaceGrid( w, map ) == false )
	{
		return false;
	}
	supBox near = supBox_Grow( w->body->clusters[w->cluster].box, w->detector->reach );
	for ( int32_t i = first; i < end; ++i )
	{
		const supSkinCluster* cluster = map->other->skin->clusters + w->items[i].cluster;
		const supTriangleBlock* blocks = map->other->blocks + (size_t)w->items[i].cluster * SUP_CLUSTER_BLOCKS;
		uint32_t bits = SUP_CALL_KERNEL( supMaskInBox )( blocks, cluster->triangleCount, &near );
		for ( ; bits != 0; bits &= bits - 1 )
		{
			if ( DrawTriangle( map, cluster->firstTriangle + __builtin_ctz( bits ) ) == false )
			{
				return false;
			}
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Looking

// The triangle straight above or below a point.
typedef struct Sight
{
	int32_t triangle; // -1: none
	float height;     // above the point, along the direction; negative below
	bool front;       // it faces the direction
	float bary[3];
	supVec3 normal;
	// how often the line upwards leaves the other, less how often it enters it
	int32_t winding;
} Sight;

static supVec3 UnitNormal( const supVec3 corners[3] )
{
	return supNormalize( supCross( supSub( corners[1], corners[0] ), supSub( corners[2], corners[0] ) ) );
}

static void GetCorners( const supDepthMap* map, int32_t triangle, supVec3 corners[3] )
{
	const int32_t* numbers = map->other->skin->corners + 3 * (size_t)triangle;
	for ( int32_t k = 0; k < 3; ++k )
	{
		corners[k] = map->other->body.positions[numbers[k]];
	}
}

// Where the line through p along the direction meets the triangle. Edges belong to both of their triangles.
static bool LookAt( const supDepthMap* map, supVec3 p, int32_t triangle, Sight* sight )
{
	supVec3 corners[3];
	GetCorners( map, triangle, corners );
	supVec2 q[3];
	for ( int32_t k = 0; k < 3; ++k )
	{
		q[k] = Project( map, supSub( corners[k], p ) );
	}
	float w[3], sum = 0.0f;
	for ( int32_t k = 0; k < 3; ++k )
	{
		supVec2 a = q[( k + 1 ) % 3], b = q[( k + 2 ) % 3];
		w[k] = a.x * b.y - a.y * b.x;
		sum += w[k];
	}
	bool inside = ( w[0] >= 0.0f && w[1] >= 0.0f && w[2] >= 0.0f ) || ( w[0] <= 0.0f && w[1] <= 0.0f && w[2] <= 0.0f );
	supVec3 normal = UnitNormal( corners );
	float slope = supDot( normal, map->direction );
	if ( inside == false || sum == 0.0f || fabsf( slope ) < MIN_FACING_COSINE )
	{
		return false;
	}
	sight->triangle = triangle;
	sight->front = slope > 0.0f;
	sight->height = 0.0f;
	sight->normal = normal;
	for ( int32_t k = 0; k < 3; ++k )
	{
		sight->bary[k] = w[k] / sum;
		sight->height += sight->bary[k] * supDot( map->direction, supSub( corners[k], p ) );
	}
	return true;
}

// The nearest triangle above or below the point.
static Sight LookAlong( const supDepthMap* map, supVec3 p, int32_t cell )
{
	Sight best = { .triangle = -1, .height = INFINITY }, sight;
	int32_t winding = 0;
	for ( int32_t i = map->firsts[cell]; i >= 0; i = map->nexts[i] )
	{
		if ( LookAt( map, p, map->triangles[i], &sight ) )
		{
			winding += sight.height > 0.0f ? ( sight.front ? 1 : -1 ) : 0;
			best = fabsf( sight.height ) < fabsf( best.height ) ? sight : best;
		}
	}
	best.winding = winding;
	return best;
}

// What the triangles of a cell are to the vertex, on the side that it is on. Seen from several cells is tested again.
static void TestCell( supNarrowWork* w, const supDepthMap* map, int32_t cell, bool inside )
{
	const supDetectorSettings* settings = &w->detector->settings;
	for ( int32_t i = map->firsts[cell]; i >= 0; i = map->nexts[i] )
	{
		supVec3 corners[3];
		GetCorners( map, map->triangles[i], corners );
		supVec3 normal = UnitNormal( corners );
		float height = supDot( normal, supSub( w->p, corners[0] ) );
		float depth = w->isBehind ? -w->behind.contact.gap : settings->depth;
		if ( inside ? height <= 0.0f && height >= -depth : height >= 0.0f && height <= settings->margin )
		{
			supTestTriangle( w, map->other, map->triangles[i], normal );
		}
	}
}

// Behind what is straight above, where nothing nearer was found.
static void KeepSight( supNarrowWork* w, const supDepthMap* map, const Sight* sight )
{
	supVec3 point = supMulAdd( w->p, sight->height, map->direction );
	float gap = -sight->height * supDot( map->direction, sight->normal );
	if ( gap >= -w->detector->settings.depth && supDot( sight->normal, supNormalOfVertex( w ) ) < SUP_FACING_OTHER )
	{
		w->isBehind = true;
		w->behind =
			( supCandidate ){ sight->triangle,
							  { { sight->bary[0], sight->bary[1], sight->bary[2] }, sight->normal, gap, point } };
	}
}

bool supLookIntoMap( supNarrowWork* w, const supDepthMap* map )
{
	supVec2 q = Project( map, w->p );
	int32_t x = CellOf( q.x, map->lower.x, map->cells ), y = CellOf( q.y, map->lower.y, map->cells );
	Sight nearest = LookAlong( map, w->p, y * SUP_MAP_SIDE + x );
	bool inside = ( nearest.height > 0.0f ) == nearest.front;
	if ( nearest.triangle < 0 || ( inside == false && nearest.winding > 0 ) )
	{
		return false;
	}
	for ( int32_t k = 0; k < 9; ++k )
	{
		int32_t cx = x + k % 3 - 1, cy = y + k / 3 - 1;
		if ( cx >= 0 && cy >= 0 && cx < SUP_MAP_SIDE && cy < SUP_MAP_SIDE )
		{
			TestCell( w, map, cy * SUP_MAP_SIDE + cx, inside );
		}
	}
	w->isBehind = w->isBehind && inside;
	w->frontCount = inside ? 0 : w->frontCount;
	if ( inside && w->isBehind == false && nearest.height > 0.0f )
	{
		KeepSight( w, map, &nearest );
	}
	return true;
}
