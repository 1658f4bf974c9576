// SPDX-License-Identifier: MIT
// Rounder tets, and which of them touch the body.
#include "math/matrix.h"
#include "volume/lattice/control_lattice_internal.h"

#define PASSES 8
#define STEPS 4

// ---------------------------------------------------------------------------------------------------------------------
// Quality

static void Widen( supVec3 v, double out[3] )
{
	out[0] = v.x;
	out[1] = v.y;
	out[2] = v.z;
}

static double SixVolumes( const supVec3 c[4] )
{
	double p[4][3], e[3][3], cross[3];
	for ( int32_t i = 0; i < 4; ++i )
	{
		Widen( c[i], p[i] );
	}
	for ( int32_t i = 0; i < 3; ++i )
	{
		for ( int32_t k = 0; k < 3; ++k )
		{
			e[i][k] = p[i + 1][k] - p[0][k];
		}
	}
	supCross3d( e[1], e[2], cross );
	return supDot3d( e[0], cross );
}

double supTetRoundness( const supVec3 c[4] )
{
	static const int8_t edges[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
	double sum = 0.0;
	for ( int32_t i = 0; i < 6; ++i )
	{
		supVec3 a = c[edges[i][0]], b = c[edges[i][1]];
		double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
		sum += x * x + y * y + z * z;
	}
	// 72 sqrt( 3 ) V / sum^(3/2)
	return sum > 0.0 ? 20.784609690826528 * SixVolumes( c ) / ( sum * sqrt( sum ) ) : 0.0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Smoothing

typedef struct Smoother
{
	supLatticeSites* sites;
	const supLatticeTets* tets;
	int32_t* starts;
	int32_t* around;
} Smoother;

// The worst, or something not above `least` where it is not.
static double WorstAround( const Smoother* s, int32_t site, double least )
{
	double worst = 2.0;
	for ( int32_t k = s->starts[site]; k < s->starts[site + 1] && worst > least; ++k )
	{
		supVec3 corners[4];
		for ( int32_t i = 0; i < 4; ++i )
		{
			corners[i] = s->sites->list.data[s->tets->corners[s->around[k]][i]].place;
		}
		double ratio = supTetRoundness( corners );
		worst = ratio < worst ? ratio : worst;
	}
	return worst;
}

static supVec3 MiddleAround( const Smoother* s, int32_t site )
{
	supVec3 sum = supVec3_zero;
	int32_t count = 0;
	for ( int32_t k = s->starts[site]; k < s->starts[site + 1]; ++k )
	{
		for ( int32_t i = 0; i < 4; ++i )
		{
			int32_t other = s->tets->corners[s->around[k]][i];
			if ( other != site )
			{
				sum = supAdd( sum, s->sites->list.data[other].place );
				count += 1;
			}
		}
	}
	return supScale( 1.0f / (float)count, sum );
}

// Along the axes and diagonals, and towards the middle, in steps of several lengths.
static bool Improve( Smoother* s, int32_t site, float room, float spacing, double enough )
{
	double best = WorstAround( s, site, -2.0 );
	if ( best >= enough || s->starts[site] == s->starts[site + 1] )
	{
		return false;
	}
	supVec3* place = &s->sites->list.data[site].place;
	supVec3 before = *place, chosen = before, middle = MiddleAround( s, site );
	for ( int32_t step = 0; step < STEPS; ++step )
	{
		float length = 0.3f * spacing / (float)( 1 << step );
		for ( int32_t i = 0; i < 27; ++i )
		{
			supVec3 d = { (float)( i % 3 - 1 ), (float)( i / 3 % 3 - 1 ), (float)( i / 9 - 1 ) };
			*place = i == 13 ? supLerp( before, middle, 1.0f / (float)( 1 << step ) )
							 : supMulAdd( before, length, supNormalize( d ) );
			bool mayStand = supDistance( *place, s->sites->list.data[site].origin ) <= room;
			double worst = mayStand ? WorstAround( s, site, best ) : best;
			if ( worst > best + 1e-4 )
			{
				best = worst;
				chosen = *place;
			}
		}
	}
	*place = chosen;
	return chosen.x != before.x || chosen.y != before.y || chosen.z != before.z;
}

static bool FillStars( Smoother* s, int32_t siteCount )
{
	s->starts = supAllocZeroed( ( (size_t)siteCount + 1 ) * sizeof( int32_t ) );
	s->around = supAllocArray( 4 * (size_t)s->tets->count, sizeof( int32_t ) );
	if ( s->starts == NULL || s->around == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < 4 * s->tets->count; ++i )
	{
		s->starts[s->tets->corners[i / 4][i % 4] + 1] += 1;
	}
	for ( int32_t i = 0; i < siteCount; ++i )
	{
		s->starts[i + 1] += s->starts[i];
	}
	for ( int32_t i = 0; i < 4 * s->tets->count; ++i )
	{
		s->around[s->starts[s->tets->corners[i / 4][i % 4]]++] = i / 4;
	}
	memmove( s->starts + 1, s->starts, (size_t)siteCount * sizeof( int32_t ) );
	s->starts[0] = 0;
	return true;
}

bool supSmoothLattice( supLatticeSites* sites, const supLatticeTets* tets, const float* rooms, float spacing,
					   double enough )
{
	Smoother s = { sites, tets, NULL, NULL };
	bool ok = FillStars( &s, sites->list.count ), changed = ok;
	for ( int32_t pass = 0; pass < PASSES && changed; ++pass )
	{
		changed = false;
		for ( int32_t i = 0; i < sites->list.count; ++i )
		{
			changed = ( rooms[i] > 0.0f && Improve( &s, i, rooms[i], spacing, enough ) ) || changed;
		}
	}
	supFree( s.starts );
	supFree( s.around );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Touching

#define MOST_POLYGON 8

// A polygon cut by the half-space of points p with n . p <= d. Returns how many corners are left.
static int32_t Cut( double polygon[MOST_POLYGON][3], int32_t count, const double n[3], double d )
{
	double out[MOST_POLYGON][3];
	int32_t left = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		const double *a = polygon[i], *b = polygon[( i + 1 ) % count];
		double da = supDot3d( n, a ) - d, db = supDot3d( n, b ) - d;
		if ( da <= 0.0 && left < MOST_POLYGON )
		{
			memcpy( out[left++], a, sizeof( out[0] ) );
		}
		if ( ( da < 0.0 ) != ( db < 0.0 ) && da != db && left < MOST_POLYGON )
		{
			double t = da / ( da - db );
			for ( int32_t k = 0; k < 3; ++k )
			{
				out[left][k] = a[k] + t * ( b[k] - a[k] );
			}
			left += 1;
		}
	}
	memcpy( polygon, out, sizeof( out ) );
	return left;
}

typedef struct Touching
{
	const supLatticeBody* body;
	double normals[4][3];
	double distances[4];
	int32_t most;
	int32_t count;
	supSurfacePlace* places; // NULL where nobody wants to know
} Touching;

static bool TouchTriangle( int32_t triangle, void* context )
{
	Touching* touching = context;
	double polygon[MOST_POLYGON][3];
	supVec3 corners[3];
	for ( int32_t i = 0; i < 3; ++i )
	{
		corners[i] = touching->body->surface->positions[touching->body->indices[3 * (size_t)triangle + (size_t)i]];
		Widen( corners[i], polygon[i] );
	}
	int32_t count = 3;
	for ( int32_t i = 0; i < 4 && count > 0; ++i )
	{
		count = Cut( polygon, count, touching->normals[i], touching->distances[i] );
	}
	if ( count == 0 )
	{
		return true;
	}
	if ( touching->places != NULL )
	{
		double middle[3] = { 0 };
		for ( int32_t i = 0; i < 3 * count; ++i )
		{
			middle[i % 3] += polygon[i / 3][i % 3] / count;
		}
		supVec3 cross = supCross( supSub( corners[1], corners[0] ), supSub( corners[2], corners[0] ) );
		touching->places[touching->count].place = supMakeVec3( (float)middle[0], (float)middle[1], (float)middle[2] );
		touching->places[touching->count].normal = supNormalize( cross );
	}
	touching->count += 1;
	return touching->count < touching->most;
}

static void Query( Touching* touching, const supVec3 c[4] )
{
	static const int8_t faces[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < 4; ++i )
	{
		double p[3][3], u[3], v[3];
		for ( int32_t k = 0; k < 3; ++k )
		{
			Widen( c[faces[i][k]], p[k] );
		}
		for ( int32_t k = 0; k < 3; ++k )
		{
			u[k] = p[1][k] - p[0][k];
			v[k] = p[2][k] - p[0][k];
		}
		supCross3d( u, v, touching->normals[i] );
		// what only just touches counts as touching
		double length = sqrt( supDot3d( touching->normals[i], touching->normals[i] ) );
		touching->distances[i] = supDot3d( touching->normals[i], p[0] ) + 1e-6 * length * touching->body->size;
		box = supBox_Include( box, c[i] );
	}
	supTree_Query( touching->body->tree, box, TouchTriangle, touching );
}

bool supLatticeBody_Touches( const supLatticeBody* body, const supVec3 c[4] )
{
	Touching touching = { .body = body, .most = 1 };
	Query( &touching, c );
	return touching.count > 0 ||
		   supLatticeBody_IsInside( body, supScale( 0.25f, supAdd( supAdd( c[0], c[1] ), supAdd( c[2], c[3] ) ) ) );
}

int32_t supLatticeBody_FindSurface( const supLatticeBody* body, const supVec3 corners[4], supSurfacePlace* places,
									int32_t most )
{
	Touching touching = { .body = body, .most = most, .places = places };
	Query( &touching, corners );
	return touching.count;
}
