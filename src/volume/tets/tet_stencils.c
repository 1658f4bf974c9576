// SPDX-License-Identifier: MIT
// Lattice tets become tets of the body (Labelle & Shewchuk 2007, figure 3). With corners inside (+), on the surface (0)
// and outside (-), cuts on edges from + to -:
//
//     no -                 the tet itself; if all are 0 only where it is marked
//     one +                a tet: the + and on each edge from it a 0 or a cut
//     two +, one -, one 0  a pyramid: two tets
//     two +, two -         a prism: three tets
//     three +, one -       a prism: three tets
//
// A face with + + - leaves a quad, and both tets at it must cut it along the same diagonal. Where the black edge of the
// face is cut, the diagonal ends at that cut. Where the black edge is + +, it starts from the one with an even number
// of positive components in the way from the -: from the other one in the next face around that edge. These choices
// keep angles from becoming small, and no prism gets three diagonals in a circle. Components are counted in the octant
// of the grid that the edge lies in, so that mirrored bodies get mirrored diagonals; that changes the choice of the
// paper's "parity rule" for all faces around one edge together, which it leaves open.
#include "core/tasks.h"
#include "volume/tets/tet_lattice.h"

// A lattice tet: two centres, two corners.
typedef struct Cell
{
	int32_t points[4];
	supTetSite at[4];
	int8_t states[4];
} Cell;

typedef struct FillLoop
{
	const supTetLattice* lattice;
	// of each lattice point: its place in the list, -1 outside
	int32_t* ids;
	supTets* tets;
} FillLoop;

static bool IsBlack( int32_t a, int32_t b )
{
	return ( a < 2 ) == ( b < 2 );
}

// - the body has a part of the tet
static int32_t CountStencil( const int8_t states[4] )
{
	int32_t inside = 0, outside = 0;
	for ( int32_t i = 0; i < 4; ++i )
	{
		inside += states[i] > 0 ? 1 : 0;
		outside += states[i] < 0 ? 1 : 0;
	}
	if ( outside == 0 || inside == 1 )
	{
		return 1;
	}
	return inside + outside == 3 ? 2 : 3;
}

typedef void CellFcn( const Cell* cell, void* context );

// The twelve tets between the cube of a centre and the next cubes along x, y and z that the body has a part of. To
// contain the surface whole ones are enough.
static void VisitCells( const supTetLattice* l, int32_t center, CellFcn* visit, void* context )
{
	supTetSite p = l->points[center];
	int32_t corners[8], least = l->source->def->mode == sup_tetsContain ? 4 : 1;
	for ( int32_t k = 0; k < 8; ++k )
	{
		corners[k] = supTetLattice_Neighbour( l, p, 6 + k );
	}
	for ( int32_t axis = 0; axis < 3; ++axis )
	{
		int32_t next = supTetLattice_Neighbour( l, p, 2 * axis + 1 );
		for ( int32_t k = 0; next >= 0 && k < 4; ++k )
		{
			Cell cell = { { center, next, corners[supTetCubeFaces[axis][k]],
							corners[supTetCubeFaces[axis][( k + 1 ) % 4]] },
						  { { 0 } },
						  { 0 } };
			int32_t inside = 0;
			for ( int32_t i = 0; i < 4; ++i )
			{
				cell.at[i] = l->points[cell.points[i]];
				cell.states[i] = l->states[cell.points[i]];
				inside += cell.states[i] > 0 ? 1 : 0;
			}
			if ( inside >= least || ( l->marks[center] >> ( 4 * axis + k ) & 1 ) != 0 )
			{
				visit( &cell, context );
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Counting

static void CountCell( const Cell* cell, void* context )
{
	*(int32_t*)context += CountStencil( cell->states );
}

static int32_t ChunkEnd( const supTetLattice* l, int32_t chunk )
{
	int32_t end = ( chunk + 1 ) * SUP_TET_LATTICE_CHUNK;
	return end < l->centerCount ? end : l->centerCount;
}

static int32_t CountChunks( const supTetLattice* l )
{
	return ( l->centerCount + SUP_TET_LATTICE_CHUNK - 1 ) / SUP_TET_LATTICE_CHUNK;
}

static void CountRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supTetLattice* l = context;
	for ( int32_t chunk = begin; chunk < end; ++chunk )
	{
		int32_t count = 0;
		for ( int32_t i = chunk * SUP_TET_LATTICE_CHUNK; i < ChunkEnd( l, chunk ); ++i )
		{
			VisitCells( l, i, CountCell, &count );
		}
		l->chunkStarts[chunk] = count;
	}
}

bool supTetLattice_CountTets( supTetLattice* lattice, supError* error )
{
	int32_t chunks = CountChunks( lattice );
	if ( lattice->chunkStarts == NULL )
	{
		lattice->chunkStarts = supArena_AllocArray( &lattice->arena, (size_t)chunks + 1, sizeof( int32_t ) );
	}
	if ( lattice->chunkStarts == NULL )
	{
		return supSetMemoryError( error );
	}
	supParallelFor( lattice->tasks, chunks, 1, CountRange, lattice );
	// a tet count that does not fit is one that nobody asks for; it stops at the largest number
	int64_t sum = 0;
	for ( int32_t i = 0; i < chunks; ++i )
	{
		int32_t here = lattice->chunkStarts[i];
		lattice->chunkStarts[i] = (int32_t)( sum < INT32_MAX ? sum : INT32_MAX );
		sum += here;
	}
	lattice->tetCount = (int32_t)( sum < INT32_MAX ? sum : INT32_MAX );
	lattice->chunkStarts[chunks] = lattice->tetCount;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Places

static supVec3 PlaceCut( const supTetLattice* l, int32_t owner, int32_t bit, float t )
{
	supTetSite s = supTetSiteSteps[supTetLattice_OwnEdge( bit )];
	supTetPlace p = supTetLattice_Place( l, l->points[owner] );
	double scale = 0.5 * l->grid.size * (double)t;
	return supMakeVec3( (float)( p.x + scale * s.x ), (float)( p.y + scale * s.y ), (float)( p.z + scale * s.z ) );
}

static supVec3 PlacePoint( const supTetLattice* l, int32_t i )
{
	int32_t edge = l->warps[i];
	if ( edge == SUP_TET_LATTICE_EDGES )
	{
		return supTetPlace_ToVec3( supTetLattice_Place( l, l->points[i] ) );
	}
	int32_t other = supTetLattice_Neighbour( l, l->points[i], edge );
	supTetLatticeEdge e = supTetLattice_Edge( i, i < l->centerCount, other, edge );
	return PlaceCut( l, e.owner, e.bit, l->cuts[supTetLattice_CutIndex( l, e )] );
}

static void PlaceRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const FillLoop* loop = context;
	const supTetLattice* l = loop->lattice;
	supVec3* cutPoints = loop->tets->points + ( loop->tets->pointCount - l->cutCount );
	for ( int32_t i = begin; i < end; ++i )
	{
		if ( l->states[i] >= 0 )
		{
			loop->tets->points[loop->ids[i]] = PlacePoint( l, i );
		}
		int32_t next = l->cutStarts[i];
		for ( uint32_t mask = l->cutMasks[i]; mask != 0; mask &= mask - 1 )
		{
			cutPoints[next] = PlaceCut( l, i, __builtin_ctz( mask ), l->cuts[next] );
			next += 1;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Stencils

typedef struct Emitter
{
	const FillLoop* loop;
	int32_t* next;
} Emitter;

static int32_t PointId( const Emitter* e, const Cell* cell, int32_t i )
{
	return e->loop->ids[cell->points[i]];
}

static int32_t EdgeBetween( supTetSite p, supTetSite q )
{
	int32_t x = q.x - p.x, y = q.y - p.y, z = q.z - p.z;
	if ( ( x & 1 ) != 0 )
	{
		return 6 + ( x > 0 ? 1 : 0 ) + ( y > 0 ? 2 : 0 ) + ( z > 0 ? 4 : 0 );
	}
	return x != 0 ? ( x > 0 ? 1 : 0 ) : ( y != 0 ? ( y > 0 ? 3 : 2 ) : ( z > 0 ? 5 : 4 ) );
}

static int32_t CutId( const Emitter* e, const Cell* cell, int32_t i, int32_t j )
{
	const supTetLattice* l = e->loop->lattice;
	int32_t edge = EdgeBetween( cell->at[i], cell->at[j] );
	supTetLatticeEdge cut = supTetLattice_Edge( cell->points[i], i < 2, cell->points[j], edge );
	return e->loop->tets->pointCount - l->cutCount + supTetLattice_CutIndex( l, cut );
}

static void Emit( Emitter* e, int32_t a, int32_t b, int32_t c, int32_t d )
{
	int32_t* corners = e->next;
	e->next += 4;
	const int32_t in[4] = { a, b, c, d };
	memcpy( corners, in, sizeof( in ) );
	const supTets* tets = e->loop->tets;
	if ( supTets_Volume( tets, (int32_t)( ( corners - tets->indices ) / 4 ) ) < 0.0 )
	{
		corners[2] = d;
		corners[3] = c;
	}
}

static bool IsOddOctant( int32_t middle, int32_t way )
{
	return middle < 0 ? way < 0 : way > 0;
}

// The quad that a face with a and b inside and m outside leaves: does its diagonal start from a?
static bool StartsFromFirst( const Emitter* e, const Cell* cell, int32_t a, int32_t b, int32_t m )
{
	if ( IsBlack( a, b ) == false )
	{
		return IsBlack( b, m );
	}
	const supVoxels* g = &e->loop->lattice->grid;
	supTetSite p = cell->at[a], q = cell->at[b], r = cell->at[m];
	int32_t positive = ( IsOddOctant( p.x + q.x - 2 * g->nx, p.x - r.x ) ? 1 : 0 ) +
					   ( IsOddOctant( p.y + q.y - 2 * g->ny, p.y - r.y ) ? 1 : 0 ) +
					   ( IsOddOctant( p.z + q.z - 2 * g->nz, p.z - r.z ) ? 1 : 0 );
	return positive % 2 == 0;
}

// Three tets between two triangles; of each quad the diagonal starts from the first one's corner that comes first in
// the order x, y, z.
static void EmitPrism( Emitter* e, const int32_t t[3], const int32_t u[3], int32_t x, int32_t y, int32_t z )
{
	Emit( e, t[x], t[y], t[z], u[z] );
	Emit( e, t[x], t[y], u[y], u[z] );
	Emit( e, t[x], u[x], u[y], u[z] );
}

static void EmitTwoTwo( Emitter* e, const Cell* cell, const int32_t in[2], const int32_t out[2] )
{
	const int32_t t[3] = { PointId( e, cell, in[0] ), CutId( e, cell, in[0], out[0] ),
						   CutId( e, cell, in[0], out[1] ) };
	const int32_t u[3] = { PointId( e, cell, in[1] ), CutId( e, cell, in[1], out[0] ),
						   CutId( e, cell, in[1], out[1] ) };
	// the diagonals of the two faces never start from the same point
	if ( StartsFromFirst( e, cell, in[0], in[1], out[0] ) )
	{
		EmitPrism( e, t, u, 2, 0, 1 );
	}
	else
	{
		EmitPrism( e, t, u, 1, 0, 2 );
	}
}

static void EmitThreeOne( Emitter* e, const Cell* cell, const int32_t in[3], int32_t out )
{
	int32_t t[3], u[3];
	// the one at the other end of the cut black edge comes last
	int32_t last = IsBlack( in[0], out ) ? 0 : ( IsBlack( in[1], out ) ? 1 : 2 );
	int32_t x = ( last + 1 ) % 3, y = ( last + 2 ) % 3;
	for ( int32_t i = 0; i < 3; ++i )
	{
		t[i] = PointId( e, cell, in[i] );
		u[i] = CutId( e, cell, in[i], out );
	}
	bool first = StartsFromFirst( e, cell, in[x], in[y], out );
	EmitPrism( e, t, u, first ? x : y, first ? y : x, last );
}

static void EmitPyramid( Emitter* e, const Cell* cell, const int32_t in[2], int32_t on, int32_t out )
{
	int32_t a = PointId( e, cell, in[0] ), b = PointId( e, cell, in[1] ), top = PointId( e, cell, on );
	int32_t c = CutId( e, cell, in[0], out ), d = CutId( e, cell, in[1], out );
	if ( StartsFromFirst( e, cell, in[0], in[1], out ) )
	{
		Emit( e, a, b, d, top );
		Emit( e, a, d, c, top );
	}
	else
	{
		Emit( e, a, b, c, top );
		Emit( e, b, d, c, top );
	}
}

static void EmitCell( const Cell* cell, void* context )
{
	Emitter* e = context;
	int32_t in[4], on[4], out[4], inside = 0, zeros = 0, outside = 0;
	for ( int32_t i = 0; i < 4; ++i )
	{
		if ( cell->states[i] > 0 )
		{
			in[inside++] = i;
		}
		else if ( cell->states[i] < 0 )
		{
			out[outside++] = i;
		}
		else
		{
			on[zeros++] = i;
		}
	}
	if ( outside == 0 || inside == 1 )
	{
		int32_t ids[4];
		for ( int32_t i = 0; i < 4; ++i )
		{
			ids[i] = cell->states[i] < 0 ? CutId( e, cell, in[0], i ) : PointId( e, cell, i );
		}
		Emit( e, ids[0], ids[1], ids[2], ids[3] );
	}
	else if ( inside == 3 )
	{
		EmitThreeOne( e, cell, in, out[0] );
	}
	else if ( outside == 2 )
	{
		EmitTwoTwo( e, cell, in, out );
	}
	else
	{
		EmitPyramid( e, cell, in, on[0], out[0] );
	}
}

static void EmitRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const FillLoop* loop = context;
	const supTetLattice* l = loop->lattice;
	for ( int32_t chunk = begin; chunk < end; ++chunk )
	{
		Emitter e = { loop, loop->tets->indices + 4 * (size_t)l->chunkStarts[chunk] };
		for ( int32_t i = chunk * SUP_TET_LATTICE_CHUNK; i < ChunkEnd( l, chunk ); ++i )
		{
			VisitCells( l, i, EmitCell, &e );
		}
	}
}

bool supTetLattice_Fill( const supTetLattice* lattice, supTets* tets, supError* error )
{
	const supTetLattice* l = lattice;
	supArena scratch = { 0 };
	FillLoop loop = { l, supArena_AllocArray( &scratch, (size_t)l->count, sizeof( int32_t ) ), tets };
	int32_t count = 0;
	for ( int32_t i = 0; loop.ids != NULL && i < l->count; ++i )
	{
		loop.ids[i] = l->states[i] >= 0 ? count++ : -1;
	}
	tets->pointCount = count + l->cutCount;
	tets->tetCount = l->tetCount;
	tets->points = supArena_AllocArray( &tets->arena, (size_t)tets->pointCount, sizeof( supVec3 ) );
	tets->indices = supArena_AllocArray( &tets->arena, 4 * (size_t)tets->tetCount, sizeof( int32_t ) );
	bool ok = scratch.failed == false && tets->arena.failed == false;
	if ( ok )
	{
		supParallelFor( l->tasks, l->count, 1024, PlaceRange, &loop );
		supParallelFor( l->tasks, CountChunks( l ), 1, EmitRange, &loop );
	}
	supArena_Destroy( &scratch );
	return ok ? true : supSetMemoryError( error );
}
