// SPDX-License-Identifier: MIT
// Gaps narrower than a voxel: between lips, between fingers, between a thumb and the thigh it lies at. Both sides touch
// the same voxels, or voxels that are neighbours, and nothing about the voxels tells.
//
// Lines along the three axes, a few through each cell, are cut by the surface into what is inside and what is not. Out
// of the body and in again within two cells is a gap; it lies between the middles of two cells and speaks against their
// common face. A way from middle to middle that is all inside speaks for it. A face is closed where gaps outnumber such
// ways and where different bones carry both sides: what is painted alike (a coat and the body in it) moves together
// anyway, and does so better in one piece.
//
// Lines that the surface does not enter as often as it leaves them (open meshes, parts inside out) say nothing.
#include "core/array.h"
#include "core/sort.h"
#include "method/lattice/lattice.h"
#include "volume/weights/point_weights.h"

// Lines through a cell along each direction. Even, so that none lies in a plane of symmetry.
#define LINES 4
// Gaps from a part of a voxel, below which surfaces touch, to so many voxels.
#define MIN_GAP_VOXELS 1.0e-3
#define MAX_GAP_VOXELS 2.0
// As many ways through flesh as this part of all gaps and ways do not hold it together.
#define FEW_WAYS 0.2f
// Voxels that the rim of a gap reaches beyond the lines that found it.
#define RIM 4
// The part of their weights that two places may have in common and still be carried by different bones.
#define MAX_SHARED_WEIGHT 0.5f

// What lines meet more often than this on average is a heap of triangles and no body.
#define MOST_HITS 64

// Coordinates along a line, in cells, as whole numbers that sort.
#define FRACTION 4194304.0

typedef struct Gap
{
	int32_t voxel;
	int32_t axis;
	supVec3 ends[2];
} Gap;

typedef struct Finder
{
	supLatticeBuilder* builder;
	const supVoxels* voxels;
	int32_t size[3];
	double lower[3];
	// the axis at hand, and the lines across the other two
	int axis;
	int32_t lineCount[2];
	// line | place along it | whether the body ends there
	SUP_ARRAY( uint64_t ) hits;
	SUP_ARRAY( Gap ) gaps;
	// of each voxel and axis: ways through flesh to the next one
	uint8_t* ways;
	bool ok;
} Finder;

// ---------------------------------------------------------------------------------------------------------------------
// Where lines meet the surface

// Twice the signed area of a, b and p; the same but for its sign whichever way round an edge is taken.
static double Side( const double* a, const double* b, double u, double v )
{
	bool isSwapped = a[0] > b[0] || ( a[0] == b[0] && a[1] > b[1] );
	const double *from = isSwapped ? b : a, *to = isSwapped ? a : b;
	double area = ( to[0] - from[0] ) * ( v - from[1] ) - ( to[1] - from[1] ) * ( u - from[0] );
	return isSwapped ? -area : area;
}

static void AddHit( Finder* f, int64_t line, double place, bool isEnd )
{
	double most = (double)f->size[f->axis];
	place = place < 0.0 ? 0.0 : ( place > most ? most : place );
	uint64_t key = (uint64_t)line << 32 | (uint64_t)( place * FRACTION ) << 1 | (uint64_t)isEnd;
	f->ok = f->ok && SUP_PUSH( &f->hits, key );
}

// Where a triangle lies in a row of lines; empty where it does not reach it. Up to rounding, far below a line's
// distance from the next.
static void ClipToRow( double corners[3][3], double v, double* lower, double* upper )
{
	*lower = INFINITY;
	*upper = -INFINITY;
	for ( int i = 0; i < 3; ++i )
	{
		const double *a = corners[i], *b = corners[( i + 1 ) % 3];
		double height = b[1] - a[1];
		// nearly in the row: all of the edge
		bool isFlat = fabs( height ) < 1.0e-6;
		for ( int end = 0; end < 2 && fmin( a[1], b[1] ) <= v && fmax( a[1], b[1] ) >= v; ++end )
		{
			double part = isFlat ? (double)end : ( v - a[1] ) / height;
			double u = a[0] + part * ( b[0] - a[0] );
			*lower = fmin( *lower, u );
			*upper = fmax( *upper, u );
		}
	}
}

// Corners in cells: across the lines, along them.
static void HitRow( Finder* f, double corners[3][3], double area, int32_t row )
{
	double v = ( row + 0.5 ) / LINES, lower, upper;
	ClipToRow( corners, v, &lower, &upper );
	if ( lower > upper )
	{
		return;
	}
	// one more at both ends, for the rounding
	double first = fmax( lower * LINES - 1.5, 0.0 ), last = fmin( upper * LINES + 0.5, f->lineCount[0] - 1 );
	for ( int32_t j = (int32_t)first; j <= last; ++j )
	{
		double u = ( j + 0.5 ) / LINES;
		double s0 = Side( corners[1], corners[2], u, v ), s1 = Side( corners[2], corners[0], u, v ),
			   s2 = Side( corners[0], corners[1], u, v );
		bool isHit = area > 0.0 ? s0 >= 0.0 && s1 >= 0.0 && s2 >= 0.0 : s0 <= 0.0 && s1 <= 0.0 && s2 <= 0.0;
		double sum = s0 + s1 + s2;
		if ( isHit && sum != 0.0 )
		{
			double place = ( s0 * corners[0][2] + s1 * corners[1][2] + s2 * corners[2][2] ) / sum;
			AddHit( f, (int64_t)row * f->lineCount[0] + j, place, area > 0.0 );
		}
	}
}

// Row by row: a long thin triangle across all of them costs what it covers, not the box around it.
static void HitTriangle( Finder* f, double corners[3][3] )
{
	double area = Side( corners[0], corners[1], corners[2][0], corners[2][1] );
	double a = corners[0][1], b = corners[1][1], c = corners[2][1];
	double first = fmax( fmin( fmin( a, b ), c ) * LINES - 0.5, 0.0 ),
		   last = fmin( fmax( fmax( a, b ), c ) * LINES - 0.5, f->lineCount[1] - 1 );
	for ( int32_t row = (int32_t)first; row <= last && area != 0.0; ++row )
	{
		HitRow( f, corners, area, row );
	}
}

static void HitSurface( Finder* f )
{
	const supRestSurface* surface = &f->builder->body.surface;
	int across[2] = { ( f->axis + 1 ) % 3, ( f->axis + 2 ) % 3 };
	f->lineCount[0] = LINES * f->size[across[0]];
	f->lineCount[1] = LINES * f->size[across[1]];
	f->hits.count = 0;
	int64_t most = (int64_t)MOST_HITS * f->lineCount[0] * f->lineCount[1];
	for ( int32_t i = 0; i < surface->triangleCount && f->ok && f->hits.count <= most; ++i )
	{
		double corners[3][3];
		for ( int k = 0; k < 3; ++k )
		{
			supVec3 p = surface->positions[surface->indices[3 * (size_t)i + (size_t)k]];
			const double place[3] = { (double)p.x, (double)p.y, (double)p.z };
			const int order[3] = { across[0], across[1], f->axis };
			for ( int c = 0; c < 3; ++c )
			{
				corners[k][c] = ( place[order[c]] - f->lower[order[c]] ) / f->voxels->size;
			}
		}
		HitTriangle( f, corners );
	}
	f->hits.count = f->hits.count <= most ? f->hits.count : 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// What lines say about faces

static int32_t VoxelAt( const Finder* f, int64_t line, int32_t cell )
{
	int32_t c[3];
	c[f->axis] = cell;
	c[( f->axis + 1 ) % 3] = (int32_t)( line % f->lineCount[0] ) / LINES;
	c[( f->axis + 2 ) % 3] = (int32_t)( line / f->lineCount[0] ) / LINES;
	return supVoxels_Find( f->voxels, c[0], c[1], c[2] );
}

// Written without an array that the axis indexes: clang 14 for WebAssembly gives two calls in a row one such array, and
// the second its place to both.
static supVec3 PlaceOf( const Finder* f, int64_t line, double place )
{
	double u = ( (double)( line % f->lineCount[0] ) + 0.5 ) / LINES;
	double v = ( (double)( line / f->lineCount[0] ) + 0.5 ) / LINES;
	double x = f->axis == 0 ? place : ( f->axis == 1 ? v : u );
	double y = f->axis == 0 ? u : ( f->axis == 1 ? place : v );
	double z = f->axis == 0 ? v : ( f->axis == 1 ? u : place );
	return supMakeVec3( (float)( f->lower[0] + x * f->voxels->size ), (float)( f->lower[1] + y * f->voxels->size ),
						(float)( f->lower[2] + z * f->voxels->size ) );
}

// Inside from a place to another one: a way across every face with both middles in between.
static void AddWays( const Finder* f, int64_t line, double from, double to )
{
	int32_t first = (int32_t)( from + 0.5 );
	for ( int32_t cell = first; cell + 1.5 <= to; ++cell )
	{
		int32_t voxel = VoxelAt( f, line, cell );
		if ( cell + 0.5 >= from && voxel >= 0 )
		{
			f->ways[3 * voxel + f->axis] += 1;
		}
	}
}

static void AddGap( Finder* f, int64_t line, double from, double to )
{
	double middle = 0.5 * ( from + to );
	if ( to - from > MAX_GAP_VOXELS || middle < 0.5 )
	{
		return;
	}
	int32_t cell = (int32_t)( middle - 0.5 );
	int32_t voxel = VoxelAt( f, line, cell );
	if ( voxel >= 0 && cell + 1 < f->size[f->axis] && VoxelAt( f, line, cell + 1 ) >= 0 )
	{
		Gap gap = { voxel, f->axis, { PlaceOf( f, line, from ), PlaceOf( f, line, to ) } };
		f->ok = f->ok && SUP_PUSH( &f->gaps, gap );
	}
}

// Does a line enter the body as often as it leaves it, and never leaves it first?
static bool IsSound( const uint64_t* hits, int32_t count )
{
	int32_t depth = 0;
	for ( int32_t i = 0; i < count && depth >= 0; ++i )
	{
		depth += ( hits[i] & 1 ) != 0 ? -1 : 1;
	}
	return depth == 0;
}

static void ReadLine( Finder* f, const uint64_t* hits, int32_t count )
{
	int64_t line = (int64_t)( hits[0] >> 32 );
	int32_t depth = 0;
	double entered = 0.0, left = -1.0;
	for ( int32_t i = 0; i < count; ++i )
	{
		double place = (double)( ( hits[i] & 0xFFFFFFFFu ) >> 1 ) / FRACTION;
		depth += ( hits[i] & 1 ) != 0 ? -1 : 1;
		if ( depth == 0 )
		{
			left = place;
		}
		else if ( depth == 1 && ( hits[i] & 1 ) == 0 && left < 0.0 )
		{
			entered = place;
		}
		// out and in again at one place is no way out
		else if ( depth == 1 && ( hits[i] & 1 ) == 0 && place - left >= MIN_GAP_VOXELS )
		{
			AddWays( f, line, entered, left );
			AddGap( f, line, left, place );
			entered = place;
		}
	}
	AddWays( f, line, entered, left );
}

static bool ReadAxis( Finder* f )
{
	HitSurface( f );
	size_t count = (size_t)f->hits.count;
	uint64_t* scratch = supAllocArray( count + 1, sizeof( uint64_t ) );
	if ( f->ok == false || scratch == NULL )
	{
		supFree( scratch );
		return supSetMemoryError( f->builder->error );
	}
	supSortKeys( f->hits.data, scratch, count, 64 );
	supFree( scratch );
	for ( int32_t i = 0, end; i < f->hits.count; i = end )
	{
		for ( end = i; end < f->hits.count && f->hits.data[end] >> 32 == f->hits.data[i] >> 32; )
		{
			end += 1;
		}
		if ( IsSound( f->hits.data + i, end - i ) )
		{
			ReadLine( f, f->hits.data + i, end - i );
		}
	}
	return f->ok || supSetMemoryError( f->builder->error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Faces

float supLattice_Likeness( const uint16_t* jointsA, const float* weightsA, const uint16_t* jointsB,
						   const float* weightsB )
{
	float sum = 0.0f;
	for ( int i = 0; i < SUP_MAX_INFLUENCES; ++i )
	{
		for ( int k = 0; k < SUP_MAX_INFLUENCES; ++k )
		{
			sum += jointsA[i] == jointsB[k] ? supMinFloat( weightsA[i], weightsB[k] ) : 0.0f;
		}
	}
	return sum;
}

// Closes the faces that gaps with different bones on both sides speak against.
static void CloseFaces( Finder* f, const uint16_t* joints, const float* weights, uint8_t* counts )
{
	for ( int32_t i = 0; i < f->gaps.count; ++i )
	{
		size_t a = 2 * (size_t)i * SUP_MAX_INFLUENCES, b = a + SUP_MAX_INFLUENCES;
		const Gap* gap = f->gaps.data + i;
		float likeness = supLattice_Likeness( joints + a, weights + a, joints + b, weights + b );
		uint8_t* faceCount = counts + 3 * (size_t)gap->voxel + gap->axis;
		*faceCount += likeness < MAX_SHARED_WEIGHT && *faceCount < 255;
	}
	for ( int32_t i = 0; i < 3 * f->voxels->count; ++i )
	{
		float gaps = (float)counts[i], ways = (float)f->ways[i];
		if ( gaps > 0.0f && ways <= FEW_WAYS * ( gaps + ways ) )
		{
			supLattice_CloseFace( f->builder, i % 3, f->voxels->cells[i / 3] );
		}
	}
}

// Is a face beside one that is closed, in the same plane?
static bool IsBesideClosed( const Finder* f, int axis, supVoxelCell c )
{
	for ( int side = 0; side < 4; ++side )
	{
		int32_t at[3] = { c.x, c.y, c.z };
		at[( axis + 1 + side / 2 ) % 3] += side % 2 == 1 ? 1 : -1;
		supVoxelCell beside = { (int16_t)at[0], (int16_t)at[1], (int16_t)at[2] };
		if ( supVoxels_Find( f->voxels, at[0], at[1], at[2] ) >= 0 &&
			 supLattice_IsFaceClosed( f->builder, axis, beside ) )
		{
			return true;
		}
	}
	return false;
}

// At the rim of a gap both sides touch a face that no line passes from one into the other. It goes with those beside it
// where there is no way through flesh and the voxels are carried by different bones.
static void CloseRims( Finder* f )
{
	const supLatticeFlesh* flesh = f->builder->flesh;
	for ( int32_t round = 0, before = -1; round < RIM && before != f->builder->closedCount; ++round )
	{
		before = f->builder->closedCount;
		for ( int32_t i = 0; i < 3 * f->voxels->count; ++i )
		{
			int axis = i % 3;
			supVoxelCell c = f->voxels->cells[i / 3];
			int32_t next = supVoxels_Find( f->voxels, c.x + ( axis == 0 ), c.y + ( axis == 1 ), c.z + ( axis == 2 ) );
			if ( f->ways[i] > 0 || next < 0 || IsBesideClosed( f, axis, c ) == false )
			{
				continue;
			}
			size_t a = (size_t)( i / 3 ) * SUP_MAX_INFLUENCES, b = (size_t)next * SUP_MAX_INFLUENCES;
			if ( supLattice_Likeness( flesh->joints + a, flesh->weights + a, flesh->joints + b, flesh->weights + b ) <
				 MAX_SHARED_WEIGHT )
			{
				supLattice_CloseFace( f->builder, axis, c );
			}
		}
	}
}

static bool WeighGaps( Finder* f )
{
	supLatticeBuilder* b = f->builder;
	size_t count = 2 * (size_t)f->gaps.count;
	supVec3* places = supAllocArray( count, sizeof( supVec3 ) );
	uint16_t* joints = supAllocArray( count * SUP_MAX_INFLUENCES, sizeof( uint16_t ) );
	float* weights = supAllocArray( count * SUP_MAX_INFLUENCES, sizeof( float ) );
	uint8_t* counts = supAllocZeroed( 3 * (size_t)f->voxels->count );
	bool ok =
		( places != NULL && joints != NULL && weights != NULL && counts != NULL ) || supSetMemoryError( b->error );
	for ( int32_t i = 0; ok && i < f->gaps.count; ++i )
	{
		places[2 * i] = f->gaps.data[i].ends[0];
		places[2 * i + 1] = f->gaps.data[i].ends[1];
	}
	ok = ok && supWeighPoints( b->input->character, &b->body.surface, &b->body.bones, places, (int32_t)count, joints,
							   weights, b->input->tasks, b->error );
	if ( ok )
	{
		CloseFaces( f, joints, weights, counts );
	}
	supFree( places );
	supFree( joints );
	supFree( weights );
	supFree( counts );
	return ok;
}

bool supLattice_FindGaps( supLatticeBuilder* b )
{
	const supVoxels* v = &b->body.voxels;
	Finder f = { .builder = b, .voxels = v, .size = { v->nx, v->ny, v->nz }, .ok = true };
	for ( int i = 0; i < 3; ++i )
	{
		f.lower[i] = v->center[i] - 0.5 * f.size[i] * v->size;
	}
	f.ways = supAllocZeroed( 3 * (size_t)v->count );
	bool ok = f.ways != NULL || supSetMemoryError( b->error );
	for ( f.axis = 0; f.axis < 3 && ok; ++f.axis )
	{
		ok = ReadAxis( &f );
	}
	ok = ok && ( f.gaps.count == 0 || WeighGaps( &f ) );
	if ( ok && b->closedCount > 0 )
	{
		CloseRims( &f );
	}
	SUP_FREE_ARRAY( &f.hits );
	SUP_FREE_ARRAY( &f.gaps );
	supFree( f.ways );
	return ok;
}
