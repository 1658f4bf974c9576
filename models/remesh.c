// SPDX-License-Identifier: MIT
// Half edge h belongs to triangle h / 3 and runs from corner h to the next corner of that triangle. Twins run the other
// way. A collapsed triangle has corner[3t] < 0.
#include "remesh.h"

#include "core/array.h"

#define PASSES 12

typedef struct HeapItem
{
	float cost;
	int32_t edge; // half edge
	int32_t stamp;
} HeapItem;

typedef struct Surface
{
	const sculptShape* shape;
	float detail;
	int32_t vertexCount; // alive
	int32_t vertexCapacity;
	int32_t triangleCapacity;
	supVec3* positions;
	float* sizes;      // wanted edge length around each vertex, up to a common factor
	int32_t* outgoing; // a half edge from each vertex, -1 for a dead one
	int32_t* stamps;   // of vertices, raised when they move
	int32_t* corner;
	int32_t* twin;
	SUP_ARRAY( HeapItem ) heap;
} Surface;

static int32_t Next( int32_t h )
{
	return h % 3 == 2 ? h - 2 : h + 1;
}

static int32_t Previous( int32_t h )
{
	return h % 3 == 0 ? h + 2 : h - 1;
}

static int32_t Target( const Surface* s, int32_t h )
{
	return s->corner[Next( h )];
}

// The next half edge out of the same vertex.
static int32_t Rotate( const Surface* s, int32_t h )
{
	return s->twin[Previous( h )];
}

// ---------------------------------------------------------------------------------------------------------------------
// Building

static bool LinkTwins( Surface* s, int32_t triangleCount )
{
	// hash of directed edges
	size_t capacity = 1;
	while ( capacity < (size_t)triangleCount * 6 )
	{
		capacity *= 2;
	}
	int32_t* table = supAllocArray( capacity, sizeof( int32_t ) );
	if ( table == NULL )
	{
		return false;
	}
	memset( table, 0xFF, capacity * sizeof( int32_t ) );
	for ( int32_t h = 0; h < 3 * triangleCount; ++h )
	{
		s->twin[h] = -1;
		uint64_t from = (uint64_t)s->corner[h], to = (uint64_t)Target( s, h );
		// look for the opposite direction, else leave this one to be found
		for ( int pass = 0; pass < 2; ++pass )
		{
			uint64_t a = pass == 0 ? to : from, b = pass == 0 ? from : to;
			size_t slot =
				(size_t)( ( a * 0x9E3779B97F4A7C15ull ^ b * 0xC2B2AE3D27D4EB4Full ) >> 20 ) & ( capacity - 1 );
			while ( table[slot] >= 0 &&
					( (uint64_t)s->corner[table[slot]] != a || (uint64_t)Target( s, table[slot] ) != b ) )
			{
				slot = ( slot + 1 ) & ( capacity - 1 );
			}
			if ( pass == 0 && table[slot] >= 0 )
			{
				s->twin[h] = table[slot];
				s->twin[table[slot]] = h;
				break;
			}
			if ( pass == 1 )
			{
				table[slot] = h;
			}
		}
	}
	supFree( table );
	return true;
}

static void DestroySurface( Surface* s )
{
	supFree( s->positions );
	supFree( s->sizes );
	supFree( s->outgoing );
	supFree( s->stamps );
	supFree( s->corner );
	supFree( s->twin );
	SUP_FREE_ARRAY( &s->heap );
}

static bool CreateSurface( Surface* s, const polyMesh* mesh, const sculptShape* shape, float detail )
{
	size_t vertices = (size_t)mesh->vertexCount, corners = (size_t)mesh->triangleCount * 3;
	*s = ( Surface ){ .shape = shape, .detail = detail, .vertexCount = mesh->vertexCount };
	s->vertexCapacity = mesh->vertexCount;
	s->triangleCapacity = mesh->triangleCount;
	s->positions = supAllocArray( vertices, sizeof( supVec3 ) );
	s->sizes = supAllocArray( vertices, sizeof( float ) );
	s->outgoing = supAllocArray( vertices, sizeof( int32_t ) );
	s->stamps = supAllocArray( vertices, sizeof( int32_t ) );
	s->corner = supAllocArray( corners, sizeof( int32_t ) );
	s->twin = supAllocArray( corners, sizeof( int32_t ) );
	if ( s->positions == NULL || s->sizes == NULL || s->outgoing == NULL || s->stamps == NULL || s->corner == NULL ||
		 s->twin == NULL )
	{
		return false;
	}
	memcpy( s->positions, mesh->positions, vertices * sizeof( supVec3 ) );
	memcpy( s->corner, mesh->triangles, corners * sizeof( int32_t ) );
	memset( s->stamps, 0, vertices * sizeof( int32_t ) );
	memset( s->outgoing, 0xFF, vertices * sizeof( int32_t ) );
	for ( size_t i = 0; i < vertices; ++i )
	{
		s->sizes[i] = sculptShape_EdgeLength( s->shape, s->positions[i], s->detail );
	}
	for ( int32_t h = 0; h < 3 * mesh->triangleCount; ++h )
	{
		s->outgoing[s->corner[h]] = h;
	}
	return LinkTwins( s, mesh->triangleCount );
}

// ---------------------------------------------------------------------------------------------------------------------
// Heap of edges, cheapest first; entries of vertices that moved meanwhile are dropped when they surface

static float EdgeCost( const Surface* s, int32_t h )
{
	int32_t a = s->corner[h], b = Target( s, h );
	return supDistance( s->positions[a], s->positions[b] ) / ( s->sizes[a] + s->sizes[b] );
}

static bool Before( const HeapItem* a, const HeapItem* b )
{
	return a->cost < b->cost || ( a->cost == b->cost && a->edge < b->edge );
}

static int32_t EdgeStamp( const Surface* s, int32_t h )
{
	return s->stamps[s->corner[h]] + s->stamps[Target( s, h )];
}

static bool PushEdge( Surface* s, int32_t h )
{
	h = h < s->twin[h] ? h : s->twin[h];
	if ( SUP_PUSH( &s->heap, ( HeapItem ){ EdgeCost( s, h ), h, EdgeStamp( s, h ) } ) == false )
	{
		return false;
	}
	HeapItem* items = s->heap.data;
	int32_t i = s->heap.count - 1;
	while ( i > 0 && Before( items + i, items + ( i - 1 ) / 2 ) )
	{
		HeapItem swap = items[i];
		items[i] = items[( i - 1 ) / 2];
		items[( i - 1 ) / 2] = swap;
		i = ( i - 1 ) / 2;
	}
	return true;
}

static HeapItem PopEdge( Surface* s )
{
	HeapItem* items = s->heap.data;
	HeapItem top = items[0];
	items[0] = items[--s->heap.count];
	int32_t i = 0;
	for ( ;; )
	{
		int32_t child = 2 * i + 1;
		if ( child >= s->heap.count )
		{
			break;
		}
		child += child + 1 < s->heap.count && Before( items + child + 1, items + child );
		if ( Before( items + i, items + child ) )
		{
			break;
		}
		HeapItem swap = items[i];
		items[i] = items[child];
		items[child] = swap;
		i = child;
	}
	return top;
}

// ---------------------------------------------------------------------------------------------------------------------
// Collapsing

static int32_t Valence( const Surface* s, int32_t vertex )
{
	int32_t count = 0;
	int32_t h = s->outgoing[vertex];
	do
	{
		count += 1;
		h = Rotate( s, h );
	} while ( h != s->outgoing[vertex] );
	return count;
}

static bool AreNeighbours( const Surface* s, int32_t a, int32_t b )
{
	int32_t h = s->outgoing[a];
	do
	{
		if ( Target( s, h ) == b )
		{
			return true;
		}
		h = Rotate( s, h );
	} while ( h != s->outgoing[a] );
	return false;
}

// The link condition: a closed manifold stays one.
static bool KeepsManifold( const Surface* s, int32_t h )
{
	int32_t a = s->corner[h], b = Target( s, h );
	int32_t common = 0;
	int32_t e = s->outgoing[a];
	do
	{
		common += Target( s, e ) != b && AreNeighbours( s, Target( s, e ), b );
		e = Rotate( s, e );
	} while ( e != s->outgoing[a] );
	int32_t left = s->corner[Previous( h )], right = s->corner[Previous( s->twin[h] )];
	return common == 2 && Valence( s, left ) > 3 && Valence( s, right ) > 3;
}

static supVec3 TriangleNormal( supVec3 a, supVec3 b, supVec3 c )
{
	return supCross( supSub( b, a ), supSub( c, a ) );
}

// No triangle around `vertex` may turn over when it moves to p; those that touch `other` vanish and do not count.
static bool KeepsFacing( const Surface* s, int32_t vertex, int32_t other, supVec3 p )
{
	int32_t h = s->outgoing[vertex];
	do
	{
		int32_t b = Target( s, h ), c = s->corner[Previous( h )];
		if ( b != other && c != other )
		{
			supVec3 before = TriangleNormal( s->positions[vertex], s->positions[b], s->positions[c] );
			supVec3 after = TriangleNormal( p, s->positions[b], s->positions[c] );
			float limit = 0.25f * sqrtf( supDot( before, before ) * supDot( after, after ) );
			// slivers have no direction worth keeping
			if ( supDot( before, after ) < limit && supDot( before, before ) > 1e-20f )
			{
				return false;
			}
		}
		h = Rotate( s, h );
	} while ( h != s->outgoing[vertex] );
	return true;
}

// Merges the start of h into its target.
static void Collapse( Surface* s, int32_t h, supVec3 p )
{
	int32_t t = s->twin[h];
	int32_t gone = s->corner[h], kept = Target( s, h );
	int32_t e = s->outgoing[gone];
	int32_t first = e;
	do
	{
		int32_t following = Rotate( s, e );
		s->corner[e] = kept;
		e = following;
	} while ( e != first );

	// the two triangles beside the edge close up
	int32_t left = s->corner[Previous( h )], right = s->corner[Previous( t )];
	int32_t la = s->twin[Next( h )], lb = s->twin[Previous( h )];
	int32_t ra = s->twin[Next( t )], rb = s->twin[Previous( t )];
	s->twin[la] = lb;
	s->twin[lb] = la;
	s->twin[ra] = rb;
	s->twin[rb] = ra;
	s->outgoing[left] = la;
	s->outgoing[right] = ra;
	s->outgoing[kept] = lb;
	s->outgoing[gone] = -1;
	s->corner[h - h % 3] = -1;
	s->corner[t - t % 3] = -1;
	s->positions[kept] = p;
	s->sizes[kept] = 0.5f * ( s->sizes[kept] + s->sizes[gone] );
	s->stamps[kept] += 1;
	s->stamps[gone] += 1;
	s->vertexCount -= 1;
}

// Collapses into the middle, onto the surface where asked for. False where that would spoil the surface.
static bool TryCollapse( Surface* s, int32_t h, bool project )
{
	if ( KeepsManifold( s, h ) == false )
	{
		return false;
	}
	int32_t a = s->corner[h], b = Target( s, h );
	float length = supDistance( s->positions[a], s->positions[b] );
	supVec3 p = supLerp( s->positions[a], s->positions[b], 0.5f );
	p = project ? sculptShape_Project( s->shape, p, supMaxFloat( length, 1e-6f ) ) : p;
	if ( KeepsFacing( s, a, b, p ) == false || KeepsFacing( s, b, a, p ) == false )
	{
		return false;
	}
	Collapse( s, h, p );
	return true;
}

static bool IsEdge( const Surface* s, int32_t h )
{
	return s->corner[h - h % 3] >= 0 && h < s->twin[h];
}

// Takes away short edges in any order, shortest in the main: enough while the triangles are much smaller than in the
// end, when also their midpoints lie close to the surface.
static void Thin( Surface* s, int32_t vertexCount )
{
	float total = 0.0f;
	for ( int32_t h = 0; h < 3 * s->triangleCapacity; ++h )
	{
		total += EdgeCost( s, h );
	}
	float limit = 0.4f * total / (float)( 3 * s->triangleCapacity );
	for ( int round = 0; round < 32 && s->vertexCount > vertexCount; ++round, limit *= 1.15f )
	{
		for ( int32_t h = 0; h < 3 * s->triangleCapacity && s->vertexCount > vertexCount; ++h )
		{
			if ( IsEdge( s, h ) && EdgeCost( s, h ) < limit )
			{
				TryCollapse( s, h, false );
			}
		}
	}
}

static bool CollapseTo( Surface* s, int32_t vertexCount )
{
	for ( int32_t h = 0; h < 3 * s->triangleCapacity; ++h )
	{
		if ( IsEdge( s, h ) && PushEdge( s, h ) == false )
		{
			return false;
		}
	}
	while ( s->vertexCount > vertexCount && s->heap.count > 0 )
	{
		HeapItem item = PopEdge( s );
		int32_t h = item.edge;
		if ( s->corner[h - h % 3] < 0 || EdgeStamp( s, h ) != item.stamp )
		{
			continue;
		}
		int32_t kept = Target( s, h );
		if ( TryCollapse( s, h, true ) == false )
		{
			continue;
		}
		int32_t e = s->outgoing[kept];
		do
		{
			if ( PushEdge( s, e ) == false )
			{
				return false;
			}
			e = Rotate( s, e );
		} while ( e != s->outgoing[kept] );
	}
	return s->vertexCount == vertexCount;
}

// ---------------------------------------------------------------------------------------------------------------------
// Evening out

static float Cotangent( supVec3 at, supVec3 b, supVec3 c )
{
	supVec3 u = supSub( b, at ), v = supSub( c, at );
	float sine = supLength( supCross( u, v ) );
	return supDot( u, v ) / supMaxFloat( sine, 1e-20f );
}

// The Delaunay criterion: opposite angles sum to more than half a turn.
static bool WantsFlip( const Surface* s, int32_t h )
{
	int32_t t = s->twin[h];
	supVec3 a = s->positions[s->corner[h]], b = s->positions[Target( s, h )];
	supVec3 c = s->positions[s->corner[Previous( h )]], d = s->positions[s->corner[Previous( t )]];
	if ( Cotangent( c, a, b ) + Cotangent( d, a, b ) >= -1e-3f )
	{
		return false;
	}
	// the new pair must not fold
	supVec3 n = supAdd( TriangleNormal( a, b, c ), TriangleNormal( b, a, d ) );
	supVec3 n0 = TriangleNormal( c, a, d ), n1 = TriangleNormal( d, b, c );
	return supDot( n, n0 ) > 0.0f && supDot( n, n1 ) > 0.0f && supDot( n0, n1 ) > 0.0f;
}

static bool Flip( Surface* s, int32_t h )
{
	int32_t t = s->twin[h];
	int32_t a = s->corner[h], b = Target( s, h );
	int32_t c = s->corner[Previous( h )], d = s->corner[Previous( t )];
	if ( AreNeighbours( s, c, d ) || Valence( s, a ) <= 3 || Valence( s, b ) <= 3 )
	{
		return false;
	}
	// triangles (a b c) and (b a d) become (c d b) and (d c a)
	int32_t h1 = Next( h ), h2 = Previous( h ), t1 = Next( t ), t2 = Previous( t );
	int32_t bc = s->twin[h1], ca = s->twin[h2], ad = s->twin[t1], db = s->twin[t2];
	s->corner[h] = c;
	s->corner[h1] = d;
	s->corner[h2] = b;
	s->corner[t] = d;
	s->corner[t1] = c;
	s->corner[t2] = a;
	s->twin[h1] = db;
	s->twin[db] = h1;
	s->twin[h2] = bc;
	s->twin[bc] = h2;
	s->twin[t1] = ca;
	s->twin[ca] = t1;
	s->twin[t2] = ad;
	s->twin[ad] = t2;
	s->outgoing[a] = t2;
	s->outgoing[b] = h2;
	s->outgoing[c] = h;
	s->outgoing[d] = t;
	return true;
}

static void FlipPass( Surface* s )
{
	for ( int round = 0; round < 4; ++round )
	{
		int32_t flips = 0;
		for ( int32_t h = 0; h < 3 * s->triangleCapacity; ++h )
		{
			if ( IsEdge( s, h ) && WantsFlip( s, h ) )
			{
				flips += Flip( s, h );
			}
		}
		if ( flips == 0 )
		{
			break;
		}
	}
}

// Of those around `vertex` if it were at p: area over the square of the longest edge, 1 for an even triangle.
static float WorstTriangle( const Surface* s, int32_t vertex, supVec3 p )
{
	float worst = 1.0f;
	int32_t h = s->outgoing[vertex];
	do
	{
		supVec3 b = s->positions[Target( s, h )], c = s->positions[s->corner[Previous( h )]];
		float longest = supMaxFloat( supDistance( p, b ), supMaxFloat( supDistance( p, c ), supDistance( b, c ) ) );
		float area = supLength( TriangleNormal( p, b, c ) ) / supMaxFloat( longest * longest, 1e-20f );
		worst = supMinFloat( worst, 1.1547f * area );
		h = Rotate( s, h );
	} while ( h != s->outgoing[vertex] );
	return worst;
}

// Every vertex slides along the surface towards the middle of its neighbours, the far ones and those in coarse regions
// counting more.
static void SlidePass( Surface* s, bool snap )
{
	for ( int32_t i = 0; i < s->vertexCapacity; ++i )
	{
		if ( s->outgoing[i] < 0 )
		{
			continue;
		}
		supVec3 sum = supVec3_zero;
		supVec3 normal = supVec3_zero;
		float total = 0.0f;
		float longest = 0.0f;
		int32_t h = s->outgoing[i];
		do
		{
			supVec3 q = s->positions[Target( s, h )], r = s->positions[s->corner[Previous( h )]];
			float length = supDistance( s->positions[i], q );
			float weight = length / s->sizes[Target( s, h )];
			sum = supMulAdd( sum, weight, q );
			total += weight;
			longest = supMaxFloat( longest, length );
			normal = supAdd( normal, TriangleNormal( s->positions[i], q, r ) );
			h = Rotate( s, h );
		} while ( h != s->outgoing[i] );
		normal = supNormalize( normal );
		supVec3 move = supSub( supScale( 1.0f / total, sum ), s->positions[i] );
		move = supMulAdd( move, -supDot( move, normal ), normal );
		supVec3 p = sculptShape_Project( s->shape, supMulAdd( s->positions[i], 0.5f, move ), longest );
		supVec3 snapped = snap ? sculptShape_Snap( s->shape, p, 0.45f * longest ) : p;
		p = snap && WorstTriangle( s, i, snapped ) > 0.2f ? snapped : p;
		if ( KeepsFacing( s, i, -1, p ) )
		{
			s->positions[i] = p;
		}
	}
	for ( int32_t i = 0; i < s->vertexCapacity; ++i )
	{
		if ( s->outgoing[i] >= 0 )
		{
			s->sizes[i] = sculptShape_EdgeLength( s->shape, s->positions[i], s->detail );
		}
	}
}

static void Compact( const Surface* s, polyMesh* mesh )
{
	int32_t vertices = 0;
	for ( int32_t i = 0; i < s->vertexCapacity; ++i )
	{
		// stamps have served: they now hold the new numbers
		s->stamps[i] = vertices;
		if ( s->outgoing[i] >= 0 )
		{
			mesh->positions[vertices++] = s->positions[i];
		}
	}
	int32_t triangles = 0;
	for ( int32_t t = 0; t < s->triangleCapacity; ++t )
	{
		if ( s->corner[3 * t] >= 0 )
		{
			for ( int k = 0; k < 3; ++k )
			{
				mesh->triangles[3 * triangles + k] = s->stamps[s->corner[3 * t + k]];
			}
			triangles += 1;
		}
	}
	mesh->vertexCount = vertices;
	mesh->triangleCount = triangles;
}

bool remesh( polyMesh* mesh, const sculptShape* shape, int32_t vertexCount, float detail )
{
	Surface surface;
	bool ok = CreateSurface( &surface, mesh, shape, detail );
	if ( ok )
	{
		Thin( &surface, 2 * vertexCount );
		ok = CollapseTo( &surface, vertexCount );
	}
	for ( int pass = 0; ok && pass < PASSES; ++pass )
	{
		FlipPass( &surface );
		// edges of triangles come to follow the edges of colours
		SlidePass( &surface, pass >= PASSES / 2 );
	}
	if ( ok )
	{
		FlipPass( &surface );
		Compact( &surface, mesh );
	}
	DestroySurface( &surface );
	return ok;
}

bool sculptShape_Skin( const sculptShape* shape, int32_t vertexCount, float detail, polyMesh* mesh )
{
	supVec3 size = supBox_Size( shape->bounds );
	float spacing = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) ) / 48.0f;
	// fingers must not grow together
	float finest = spacing;
	for ( int32_t i = 0; i < shape->solidCount; ++i )
	{
		const sculptSolid* solid = shape->solids + i;
		bool isLimb = solid->use == sculpt_add && solid->kind == sculpt_cone;
		finest = isLimb ? supMinFloat( finest, supMinFloat( solid->ra, solid->rb ) ) : finest;
	}
	for ( int attempt = 0; attempt < 6; ++attempt )
	{
		if ( polygonise( shape, spacing, mesh ) == false )
		{
			return false;
		}
		// several small triangles for each wanted one, so that the density can follow the parts
		float ratio = (float)mesh->vertexCount / (float)vertexCount;
		if ( ratio >= 3.0f && spacing <= finest )
		{
			bool ok = remesh( mesh, shape, vertexCount, detail );
			if ( ok == false )
			{
				polyMesh_Destroy( mesh );
			}
			return ok;
		}
		polyMesh_Destroy( mesh );
		spacing = supMinFloat( spacing * sqrtf( supMaxFloat( ratio, 0.05f ) / 4.0f ), finest );
	}
	return false;
}
