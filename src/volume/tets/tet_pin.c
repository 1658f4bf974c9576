// SPDX-License-Identifier: MIT
// Which lattice points must be inside, and which lattice tets part of the body, whatever the values say? See "Thin
// parts" in tet_mesher.h.
//
// The surface is looked at in places close enough to each other that every point of it is within 0.17 cubes of one.
// - follow, thin: where there is sure to be a lattice point inside, the one nearest to the middle between both sides is
//   pinned, so that the part cannot fall into beads.
// - follow, thinner than that: the lattice tets that hold the middle are marked, a layer one tet thick.
// - contain: all corners of the lattice tet that holds the place are pinned, which makes the tet part of the body.
#include "core/tasks.h"
#include "volume/tets/tet_lattice.h"

#include <stdatomic.h>

// Places in rows this far apart, in cubes: the diagonal of half a square is 0.17.
#define SPACING 0.24

// From the corners of a triangle to its middle.
#define INSET 0.01

// Thinner than this is thin, in cubes.
#define THIN 1.75

// Half as thick as a body that is sure to hold a lattice point: the covering radius of the lattice, sqrt(5) / 4.
#define COVERING_RADIUS 0.5591

// Tets this near to a middle are marked too, in cubes: what is symmetric stays so, and layers hang together.
#define REACH 0.03

// Values this far below zero where the body should be, in cubes: there is none.
#define EMPTY_DEPTH 0.3f

typedef struct PinLoop
{
	supTetLattice* lattice;
	_Atomic( uint8_t )* pinned;
	_Atomic( uint32_t )* marks;
} PinLoop;

typedef struct Sheet
{
	supTetPlace a, b, c;
	// outwards, of unit length; zero where the triangle has none
	supTetPlace normal;
	double area, longest;
} Sheet;

static supTetPlace FromVec3( supVec3 p )
{
	return ( supTetPlace ){ (double)p.x, (double)p.y, (double)p.z };
}

static supTetPlace Along( supTetPlace p, double t, supTetPlace d )
{
	return ( supTetPlace ){ p.x + t * d.x, p.y + t * d.y, p.z + t * d.z };
}

static supTetPlace Between( supTetPlace p, supTetPlace q, double t )
{
	return ( supTetPlace ){ ( 1.0 - t ) * p.x + t * q.x, ( 1.0 - t ) * p.y + t * q.y, ( 1.0 - t ) * p.z + t * q.z };
}

static double Distance( supTetPlace p, supTetPlace q )
{
	double x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
	return sqrt( x * x + y * y + z * z );
}

// The longest edge becomes a b.
static Sheet MakeSheet( const supTetSource* source, int32_t triangle )
{
	const uint32_t* corners = source->indices + 3 * (size_t)triangle;
	supTetPlace p[3];
	for ( int32_t k = 0; k < 3; ++k )
	{
		p[k] = FromVec3( source->positions[corners[k]] );
	}
	double length[3] = { Distance( p[0], p[1] ), Distance( p[1], p[2] ), Distance( p[2], p[0] ) };
	int32_t first = length[0] >= length[1] ? ( length[0] >= length[2] ? 0 : 2 ) : ( length[1] >= length[2] ? 1 : 2 );
	Sheet s = { .a = p[first], .b = p[( first + 1 ) % 3], .c = p[( first + 2 ) % 3], .longest = length[first] };
	supTetPlace e = Along( s.b, -1.0, s.a ), f = Along( s.c, -1.0, s.a );
	supTetPlace n = { e.y * f.z - e.z * f.y, e.z * f.x - e.x * f.z, e.x * f.y - e.y * f.x };
	double size = sqrt( n.x * n.x + n.y * n.y + n.z * n.z );
	s.area = 0.5 * size;
	// needles have no direction worth following
	double scale = size > 1e-9 * s.longest * s.longest ? 1.0 / size : 0.0;
	s.normal = ( supTetPlace ){ scale * n.x, scale * n.y, scale * n.z };
	return s;
}

// How far is it through the body to the far side? INFINITY where another part begins first, or nothing is there.
static float MeasureThickness( const supTetSource* source, const Sheet* sheet, supTetPlace p, float most )
{
	double start = 1e-5 * source->longest;
	supTreeHit hit;
	supVec3 inwards = supMakeVec3( (float)-sheet->normal.x, (float)-sheet->normal.y, (float)-sheet->normal.z );
	bool found =
		supTree_CastRay( source->tree, supTetPlace_ToVec3( Along( p, -start, sheet->normal ) ), inwards, most, &hit );
	return found && hit.front == false ? hit.distance + (float)start : INFINITY;
}

// ---------------------------------------------------------------------------------------------------------------------
// Pins

static void Pin( const PinLoop* loop, supTetSite p )
{
	int32_t i = supTetLattice_Find( loop->lattice, p.x, p.y, p.z );
	SUP_DEBUG_ASSERT( i >= 0 );
	if ( i >= 0 )
	{
		atomic_store_explicit( loop->pinned + i, sup_tetPinned, memory_order_relaxed );
	}
}

// The lattice point nearest to a place; several where they are equally near,
// so that what is symmetric stays so.
static void PinNearest( const PinLoop* loop, supTetPlace place )
{
	const supVoxels* g = &loop->lattice->grid;
	const double u[3] = { ( place.x - g->center[0] ) / g->size * 2.0 + g->nx,
						  ( place.y - g->center[1] ) / g->size * 2.0 + g->ny,
						  ( place.z - g->center[2] ) / g->size * 2.0 + g->nz };
	supTetSite points[16];
	double squares[16], least = INFINITY;
	for ( int32_t i = 0; i < 16; ++i )
	{
		int32_t at[3];
		squares[i] = 0.0;
		for ( int32_t a = 0; a < 3; ++a )
		{
			// even coordinates around u for corners, odd ones for centres
			int32_t kind = i >> 3;
			at[a] = 2 * (int32_t)floor( 0.5 * ( u[a] - kind ) ) + kind + 2 * ( i >> a & 1 );
			squares[i] += ( u[a] - at[a] ) * ( u[a] - at[a] );
		}
		points[i] = ( supTetSite ){ (int16_t)at[0], (int16_t)at[1], (int16_t)at[2] };
		least = squares[i] < least ? squares[i] : least;
	}
	for ( int32_t i = 0; i < 16; ++i )
	{
		if ( squares[i] <= least + 2e-3 )
		{
			Pin( loop, points[i] );
		}
	}
}

// The value at a place, linear within its lattice tet; -2 cubes where nothing is known.
static float Interpolate( const supTetLattice* l, supTetPlace place )
{
	supTetCell tet;
	float sum = 0.0f, nothing = (float)( -2.0 * l->grid.size );
	if ( supTetLattice_Locate( l, place, &tet ) == false )
	{
		return nothing;
	}
	for ( int32_t i = 0; i < 4; ++i )
	{
		int32_t k = supTetLattice_Find( l, tet.corners[i].x, tet.corners[i].y, tet.corners[i].z );
		sum += tet.weights[i] * ( k >= 0 ? l->values[k] : nothing );
	}
	return sum;
}

static void PinTet( const PinLoop* loop, supTetPlace place )
{
	supTetCell tet;
	if ( supTetLattice_Locate( loop->lattice, place, &tet ) )
	{
		for ( int32_t i = 0; i < 4; ++i )
		{
			Pin( loop, tet.corners[i] );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Marks

// A lattice tet by its centre and the bit there; -1 where the lattice has none.
typedef struct Mark
{
	int32_t center;
	int32_t bit;
} Mark;

static supTetSite SiteAt( supTetSite p, int32_t axis, int32_t steps )
{
	return ( supTetSite ){ (int16_t)( p.x + ( axis == 0 ? steps : 0 ) ), (int16_t)( p.y + ( axis == 1 ? steps : 0 ) ),
						   (int16_t)( p.z + ( axis == 2 ? steps : 0 ) ) };
}

static int32_t CornerBits( supTetSite center, supTetSite corner )
{
	return ( corner.x > center.x ? 1 : 0 ) + ( corner.y > center.y ? 2 : 0 ) + ( corner.z > center.z ? 4 : 0 );
}

// - a and b are centres of cubes that share a face, p and q the ends of an edge of it
static Mark FindMark( const supTetLattice* l, supTetSite a, supTetSite b, supTetSite p, supTetSite q )
{
	int32_t axis = a.x != b.x ? 0 : ( a.y != b.y ? 1 : 2 );
	supTetSite lower = a.x + a.y + a.z < b.x + b.y + b.z ? a : b;
	int32_t from = CornerBits( lower, p ), to = CornerBits( lower, q );
	const int8_t* face = supTetCubeFaces[axis];
	int32_t k = 0;
	while ( k < 3 && ( face[k] != from || face[k + 1] != to ) && ( face[k] != to || face[k + 1] != from ) )
	{
		k += 1;
	}
	return ( Mark ){ supTetLattice_Find( l, lower.x, lower.y, lower.z ), 4 * axis + k };
}

static void MarkTet( const PinLoop* loop, supTetPlace place )
{
	supTetCell tet;
	if ( supTetLattice_Locate( loop->lattice, place, &tet ) )
	{
		Mark mark = FindMark( loop->lattice, tet.corners[0], tet.corners[1], tet.corners[2], tet.corners[3] );
		SUP_DEBUG_ASSERT( mark.center >= 0 );
		if ( mark.center >= 0 )
		{
			atomic_fetch_or_explicit( loop->marks + mark.center, 1u << mark.bit, memory_order_relaxed );
		}
	}
}

// All tets at a place, also where it lies between them.
static void MarkAround( const PinLoop* loop, supTetPlace p )
{
	double reach = REACH * loop->lattice->grid.size;
	for ( int32_t k = 0; k < 8; ++k )
	{
		MarkTet( loop,
				 ( supTetPlace ){ p.x + ( ( k & 1 ) != 0 ? reach : -reach ), p.y + ( ( k & 2 ) != 0 ? reach : -reach ),
								  p.z + ( ( k & 4 ) != 0 ? reach : -reach ) } );
	}
}

static void PinThin( const PinLoop* loop, const Sheet* sheet, supTetPlace p, float thickness )
{
	const supTetLattice* l = loop->lattice;
	double size = l->grid.size;
	if ( (double)thickness < 2.0 * COVERING_RADIUS * size )
	{
		MarkAround( loop, Along( p, -0.5 * (double)thickness, sheet->normal ) );
	}
	else if ( (double)thickness < THIN * size )
	{
		PinNearest( loop, Along( p, -0.5 * (double)thickness, sheet->normal ) );
	}
	else if ( Interpolate( l, Along( p, -COVERING_RADIUS * size, sheet->normal ) ) < -EMPTY_DEPTH * (float)size )
	{
		// one side only, or inside out
		MarkAround( loop, p );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Places

static void Visit( const PinLoop* loop, const Sheet* sheet, supTetPlace p )
{
	const supTetLattice* l = loop->lattice;
	if ( l->source->def->mode == sup_tetsContain )
	{
		PinTet( loop, p );
		return;
	}
	PinThin( loop, sheet, p, MeasureThickness( l->source, sheet, p, (float)( THIN * l->grid.size ) ) );
}

static supTetPlace MiddleOf( const Sheet* s )
{
	return Between( Between( s->a, s->b, 0.5 ), s->c, 1.0 / 3.0 );
}

// Rows from the longest edge to the corner opposite, a little inside: a ray from the edge of a box would run along its
// next face, and rounding would decide what it meets.
static void VisitRows( const PinLoop* loop, const Sheet* sheet )
{
	double spacing = SPACING * loop->lattice->grid.size;
	Sheet inner = *sheet, *s = &inner;
	supTetPlace middle = MiddleOf( sheet );
	s->a = Between( s->a, middle, INSET );
	s->b = Between( s->b, middle, INSET );
	s->c = Between( s->c, middle, INSET );
	int32_t rows = (int32_t)ceil( 2.0 * s->area / s->longest / spacing );
	for ( int32_t r = 0; r <= rows; ++r )
	{
		double v = rows > 0 ? (double)r / rows : 0.0;
		supTetPlace from = Between( s->a, s->c, v ), to = Between( s->b, s->c, v );
		int32_t steps = (int32_t)ceil( ( 1.0 - v ) * s->longest / spacing );
		for ( int32_t i = 0; i <= steps; ++i )
		{
			Visit( loop, s, Between( from, to, steps > 0 ? (double)i / steps : 0.0 ) );
		}
	}
}

static void PinRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const PinLoop* loop = context;
	const supTetSource* source = loop->lattice->source;
	for ( int32_t i = begin; i < end; ++i )
	{
		Sheet s = MakeSheet( source, i );
		if ( s.longest > SPACING * loop->lattice->grid.size )
		{
			VisitRows( loop, &s );
		}
		else if ( source->def->mode == sup_tetsFollow )
		{
			PinThin( loop, &s, MiddleOf( &s ), source->thickness[i] );
		}
		if ( source->def->mode == sup_tetsContain )
		{
			PinTet( loop, s.a );
			PinTet( loop, s.b );
			PinTet( loop, s.c );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Layers

// The corners of one of the twelve tets of a centre.
static void FindCorners( supTetSite center, int32_t bit, supTetSite corners[4] )
{
	int32_t axis = bit >> 2, k = bit & 3;
	corners[0] = center;
	corners[1] = SiteAt( center, axis, 2 );
	for ( int32_t i = 0; i < 2; ++i )
	{
		supTetSite s = supTetSiteSteps[6 + supTetCubeFaces[axis][( k + i ) & 3]];
		corners[2 + i] =
			( supTetSite ){ (int16_t)( center.x + s.x ), (int16_t)( center.y + s.y ), (int16_t)( center.z + s.z ) };
	}
}

static void HoldCorners( supTetLattice* l, int32_t center )
{
	for ( uint32_t marks = l->marks[center]; marks != 0; marks &= marks - 1 )
	{
		supTetSite corners[4];
		FindCorners( l->points[center], __builtin_ctz( marks ), corners );
		for ( int32_t i = 0; i < 4; ++i )
		{
			int32_t point = supTetLattice_Find( l, corners[i].x, corners[i].y, corners[i].z );
			l->pinned[point] = l->pinned[point] == sup_tetFree ? sup_tetHeld : l->pinned[point];
		}
	}
}

static bool IsMarked( const supTetLattice* l, Mark mark )
{
	return mark.center >= 0 && ( l->marks[mark.center] >> mark.bit & 1 ) != 0;
}

// How many of the four tets behind the faces of a tet are marked? Two share the edge between its centres, and two the
// edge between its corners.
static int32_t CountMarkedNeighbours( const supTetLattice* l, int32_t center, int32_t bit )
{
	supTetSite c[4];
	FindCorners( l->points[center], bit, c );
	int32_t axis = bit >> 2, k = bit & 3, count = 0;
	count += IsMarked( l, ( Mark ){ center, 4 * axis + ( ( k + 1 ) & 3 ) } ) ? 1 : 0;
	count += IsMarked( l, ( Mark ){ center, 4 * axis + ( ( k + 3 ) & 3 ) } ) ? 1 : 0;
	int32_t along = c[2].x != c[3].x ? 0 : ( c[2].y != c[3].y ? 1 : 2 ), across = 3 - axis - along;
	int32_t low = across == 0 ? c[0].x : ( across == 1 ? c[0].y : c[0].z );
	int32_t high = across == 0 ? c[2].x : ( across == 1 ? c[2].y : c[2].z );
	int32_t step = high > low ? 2 : -2;
	for ( int32_t i = 0; i < 2; ++i )
	{
		count += IsMarked( l, FindMark( l, c[i], SiteAt( c[i], across, step ), c[2], c[3] ) ) ? 1 : 0;
	}
	return count;
}

// A middle that passes through the tip of a tet is between two places that were looked at: the tets before and after
// would hang together by an edge. Such tets are marked too, in higher bits at first, so that the order does not count.
static void CloseGaps( supTetLattice* l )
{
	for ( int32_t i = 0; i < l->centerCount; ++i )
	{
		uint32_t more = 0;
		for ( int32_t bit = 0; l->pinned[i] != sup_tetFree && bit < 12; ++bit )
		{
			bool open = ( l->marks[i] >> bit & 1 ) == 0;
			more |= open && CountMarkedNeighbours( l, i, bit ) >= 2 ? 1u << bit : 0;
		}
		l->marks[i] |= more << 12;
	}
}

static void CloseLayers( supTetLattice* l )
{
	for ( int32_t i = 0; i < l->centerCount; ++i )
	{
		HoldCorners( l, i );
	}
	CloseGaps( l );
	for ( int32_t i = 0; i < l->centerCount; ++i )
	{
		l->marks[i] = ( l->marks[i] | l->marks[i] >> 12 ) & 0xfff;
	}
}

void supTetLattice_Pin( supTetLattice* lattice )
{
	// setting bits commutes
	PinLoop loop = { lattice, (_Atomic( uint8_t )*)lattice->pinned, (_Atomic( uint32_t )*)lattice->marks };
	supParallelFor( lattice->tasks, lattice->source->def->triangleCount, 64, PinRange, &loop );
	CloseLayers( lattice );
}

static void MeasureRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supTetSource* source = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		Sheet s = MakeSheet( source, i );
		source->thickness[i] = MeasureThickness( source, &s, MiddleOf( &s ), INFINITY );
	}
}

void supTetSource_MeasureThickness( supTetSource* source )
{
	supParallelFor( source->def->tasks, source->def->triangleCount, 64, MeasureRange, source );
}
