// SPDX-License-Identifier: MIT
#include "geometry/delaunay.h"

// Steps of the grid along an axis. Differences of coordinates are at most this: see InSphere.
#define GRID ( 1 << 24 )

// Steps across the bounds. The large tet around the grid has room for a ball of 0.28 of its edge.
#define SPAN ( 1 << 20 )

// A point is moved by up to so many steps, and again by twice as many where that leaves a tie.
#define JITTER 4
#define TRIES 12

__extension__ typedef __int128 Int128;

// The corners of the face opposite each corner, counter-clockwise from outside.
static const int8_t s_faces[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };

// ---------------------------------------------------------------------------------------------------------------------
// Predicates

typedef struct Difference
{
	int64_t x, y, z;
} Difference;

static Difference Subtract( const supDelaunaySite* a, const supDelaunaySite* b )
{
	return ( Difference ){ (int64_t)a->x - b->x, (int64_t)a->y - b->y, (int64_t)a->z - b->z };
}

// With differences of at most 2^24 this is at most 6 * 2^72.
static Int128 Triple( Difference a, Difference b, Difference c )
{
	// 2^49 each
	int64_t x = b.y * c.z - b.z * c.y, y = b.z * c.x - b.x * c.z, z = b.x * c.y - b.y * c.x;
	return (Int128)a.x * x + (Int128)a.y * y + (Int128)a.z * z;
}

static int32_t Sign( supDelaunay* d, Int128 value )
{
	d->isTied = d->isTied || value == 0;
	return ( value > 0 ) - ( value < 0 );
}

// Positive where a, b, c are counter-clockwise seen from p.
static int32_t Side( supDelaunay* d, int32_t a, int32_t b, int32_t c, const supDelaunaySite* p )
{
	const supDelaunaySite* s = d->sites.data;
	return -Sign( d, Triple( Subtract( s + a, p ), Subtract( s + b, p ), Subtract( s + c, p ) ) );
}

// Does the sphere through a tet's corners hold p? The determinant of the four rows (d, |d|^2), d the corner less p: a
// row's last number is at most 3 * 2^48, its minor 6 * 2^72, so all four together are below 2^127.
static bool InSphere( supDelaunay* d, const supDelaunayTet* tet, const supDelaunaySite* p )
{
	Difference r[4];
	Int128 sum = 0;
	for ( int32_t i = 0; i < 4; ++i )
	{
		r[i] = Subtract( d->sites.data + tet->corners[i], p );
	}
	for ( int32_t i = 0; i < 4; ++i )
	{
		const int8_t* f = s_faces[i];
		int64_t square = r[i].x * r[i].x + r[i].y * r[i].y + r[i].z * r[i].z;
		sum += (Int128)square * Triple( r[f[0]], r[f[1]], r[f[2]] );
	}
	return Sign( d, sum ) > 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// The grid

static supDelaunaySite PutOnGrid( const supDelaunay* d, supVec3 point )
{
	const double p[3] = { point.x, point.y, point.z };
	int32_t c[3];
	for ( int32_t i = 0; i < 3; ++i )
	{
		double value = GRID / 2 + ( p[i] - d->origin[i] ) * d->scale;
		value = value < GRID / 2 - SPAN ? GRID / 2 - SPAN : ( value > GRID / 2 + SPAN ? GRID / 2 + SPAN : value );
		c[i] = (int32_t)value;
	}
	return ( supDelaunaySite ){ c[0], c[1], c[2], -1 };
}

static uint32_t Scramble( uint32_t x )
{
	x = ( x ^ ( x >> 16 ) ) * 0x7feb352du;
	x = ( x ^ ( x >> 15 ) ) * 0x846ca68bu;
	return x ^ ( x >> 16 );
}

static void Jitter( supDelaunaySite* site, int32_t number, int32_t attempt )
{
	int32_t most = JITTER << attempt;
	int32_t* c[3] = { &site->x, &site->y, &site->z };
	for ( int32_t i = 0; i < 3; ++i )
	{
		uint32_t random = Scramble( ( (uint32_t)number * 16u + (uint32_t)attempt ) * 4u + (uint32_t)i + 1u );
		*c[i] += (int32_t)( random % (uint32_t)( 2 * most + 1 ) ) - most;
	}
}

bool supDelaunay_Init( supDelaunay* d, supBox bounds )
{
	supVec3 size = supBox_Size( bounds );
	double most = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
	d->origin[0] = 0.5 * ( (double)bounds.lower.x + bounds.upper.x );
	d->origin[1] = 0.5 * ( (double)bounds.lower.y + bounds.upper.y );
	d->origin[2] = 0.5 * ( (double)bounds.lower.z + bounds.upper.z );
	d->scale = most > 0.0 ? SPAN / most : 1.0;
	const supDelaunaySite corners[4] = {
		{ 0, 0, 0, 0 }, { GRID, GRID, 0, 0 }, { GRID, 0, GRID, 0 }, { 0, GRID, GRID, 0 }
	};
	bool ok = true;
	for ( int32_t i = 0; i < 4; ++i )
	{
		ok = ok && SUP_PUSH( &d->sites, corners[i] );
	}
	supDelaunayTet first = { { 0, 1, 2, 3 }, { -1, -1, -1, -1 } };
	if ( ok && Side( d, 1, 2, 3, d->sites.data ) > 0 )
	{
		// the corner would see its own face from outside
		first.corners[2] = 3;
		first.corners[3] = 2;
	}
	d->isTied = false;
	return ok && SUP_PUSH( &d->tets, first ) && SUP_PUSH( &d->marks, 0 );
}

void supDelaunay_Destroy( supDelaunay* d )
{
	SUP_FREE_ARRAY( &d->sites );
	SUP_FREE_ARRAY( &d->tets );
	SUP_FREE_ARRAY( &d->spare );
	SUP_FREE_ARRAY( &d->cavity );
	SUP_FREE_ARRAY( &d->faces );
	SUP_FREE_ARRAY( &d->fresh );
	SUP_FREE_ARRAY( &d->marks );
}

// ---------------------------------------------------------------------------------------------------------------------
// Inserting

// Over faces that have p on their far side. In a Delaunay triangulation this always ends.
static int32_t Walk( supDelaunay* d, const supDelaunaySite* p, int32_t start )
{
	int32_t tet = start;
	for ( ;; )
	{
		const supDelaunayTet* t = d->tets.data + tet;
		int32_t next = -1;
		for ( int32_t i = 0; i < 4 && next < 0; ++i )
		{
			const int8_t* f = s_faces[i];
			if ( t->neighbours[i] >= 0 && Side( d, t->corners[f[0]], t->corners[f[1]], t->corners[f[2]], p ) > 0 )
			{
				next = t->neighbours[i];
			}
		}
		if ( next < 0 )
		{
			return tet;
		}
		tet = next;
	}
}

static int32_t NextMark( supDelaunay* d )
{
	return ++d->mark;
}

// All tets whose spheres hold p, and the faces around them. Two marks: in the cavity, and looked at but not in it.
static bool FindCavity( supDelaunay* d, const supDelaunaySite* p, int32_t seed )
{
	int32_t inside = NextMark( d ), beside = NextMark( d );
	d->cavity.count = 0;
	d->faces.count = 0;
	d->marks.data[seed] = inside;
	bool ok = SUP_PUSH( &d->cavity, seed );
	for ( int32_t k = 0; k < d->cavity.count && ok; ++k )
	{
		int32_t tet = d->cavity.data[k];
		for ( int32_t i = 0; i < 4 && ok; ++i )
		{
			const supDelaunayTet* t = d->tets.data + tet;
			int32_t next = t->neighbours[i];
			if ( next >= 0 && d->marks.data[next] != inside && d->marks.data[next] != beside )
			{
				bool holds = InSphere( d, d->tets.data + next, p );
				d->marks.data[next] = holds ? inside : beside;
				ok = holds == false || SUP_PUSH( &d->cavity, next );
			}
			if ( ok && ( next < 0 || d->marks.data[next] == beside ) )
			{
				const int8_t* f = s_faces[i];
				supDelaunayFace face = { { t->corners[f[0]], t->corners[f[1]], t->corners[f[2]] }, next, -1 };
				for ( int32_t j = 0; j < 4 && next >= 0; ++j )
				{
					face.opposite = d->tets.data[next].neighbours[j] == tet ? j : face.opposite;
				}
				ok = SUP_PUSH( &d->faces, face );
			}
		}
	}
	return ok;
}

static bool SeesAllFaces( supDelaunay* d, const supDelaunaySite* p )
{
	for ( int32_t i = 0; i < d->faces.count; ++i )
	{
		const int32_t* c = d->faces.data[i].corners;
		if ( Side( d, c[0], c[1], c[2], p ) >= 0 )
		{
			return false;
		}
	}
	return true;
}

static int32_t TakeTet( supDelaunay* d )
{
	if ( d->spare.count > 0 )
	{
		return d->spare.data[--d->spare.count];
	}
	supDelaunayTet empty = { { -1, -1, -1, -1 }, { -1, -1, -1, -1 } };
	return SUP_PUSH( &d->tets, empty ) && SUP_PUSH( &d->marks, 0 ) ? d->tets.count - 1 : -1;
}

// Two new tets share the face over an edge of the cavity's border: the edge runs one way in one and back in the other.
// A border has few faces, and each edge is looked for among those that are not yet joined.
static void JoinFresh( supDelaunay* d )
{
	for ( int32_t i = 0; i < d->fresh.count; ++i )
	{
		for ( int32_t e = 0; e < 3; ++e )
		{
			supDelaunayTet* t = d->tets.data + d->fresh.data[i];
			int32_t from = t->corners[e], to = t->corners[( e + 1 ) % 3], across = ( e + 2 ) % 3;
			for ( int32_t k = i + 1; k < d->fresh.count && t->neighbours[across] < 0; ++k )
			{
				supDelaunayTet* other = d->tets.data + d->fresh.data[k];
				for ( int32_t j = 0; j < 3; ++j )
				{
					if ( other->corners[j] == to && other->corners[( j + 1 ) % 3] == from )
					{
						t->neighbours[across] = d->fresh.data[k];
						other->neighbours[( j + 2 ) % 3] = d->fresh.data[i];
					}
				}
			}
		}
	}
}

// The cavity's tets make room for one over each of its faces.
static bool FillCavity( supDelaunay* d, int32_t site )
{
	bool ok = true;
	for ( int32_t i = 0; i < d->cavity.count && ok; ++i )
	{
		d->tets.data[d->cavity.data[i]].corners[0] = -1;
		ok = SUP_PUSH( &d->spare, d->cavity.data[i] );
	}
	d->fresh.count = 0;
	for ( int32_t i = 0; i < d->faces.count && ok; ++i )
	{
		supDelaunayFace face = d->faces.data[i];
		int32_t tet = TakeTet( d );
		ok = tet >= 0 && SUP_PUSH( &d->fresh, tet );
		if ( ok )
		{
			d->tets.data[tet] = ( supDelaunayTet ){ { face.corners[0], face.corners[2], face.corners[1], site },
													{ -1, -1, -1, face.outside } };
			for ( int32_t k = 0; k < 4; ++k )
			{
				d->sites.data[d->tets.data[tet].corners[k]].tet = tet;
			}
			if ( face.outside >= 0 )
			{
				d->tets.data[face.outside].neighbours[face.opposite] = tet;
			}
		}
	}
	if ( ok )
	{
		JoinFresh( d );
	}
	return ok;
}

int32_t supDelaunay_Insert( supDelaunay* d, supVec3 point )
{
	int32_t number = d->sites.count;
	supDelaunaySite place = PutOnGrid( d, point ), site = place;
	int32_t start = d->sites.data[number - 1].tet;
	bool isPlaced = false;
	for ( int32_t attempt = 0; attempt < TRIES && isPlaced == false; ++attempt )
	{
		site = place;
		Jitter( &site, number, attempt );
		d->isTied = false;
		int32_t seed = Walk( d, &site, start );
		d->isTied = false;
		if ( FindCavity( d, &site, seed ) == false )
		{
			return -1;
		}
		isPlaced = SeesAllFaces( d, &site ) && d->isTied == false;
	}
	bool ok = isPlaced && SUP_PUSH( &d->sites, site ) && FillCavity( d, number );
	return ok ? number : -1;
}

int32_t supDelaunay_Locate( supDelaunay* d, supVec3 point, int32_t start )
{
	supDelaunaySite site = PutOnGrid( d, point );
	return Walk( d, &site, start );
}

// Around a, from tet to tet.
bool supDelaunay_HasEdge( supDelaunay* d, int32_t a, int32_t b, bool* known )
{
	int32_t mark = NextMark( d );
	d->cavity.count = 0;
	d->marks.data[d->sites.data[a].tet] = mark;
	bool found = false, ok = SUP_PUSH( &d->cavity, d->sites.data[a].tet );
	for ( int32_t k = 0; k < d->cavity.count && ok && found == false; ++k )
	{
		const supDelaunayTet* t = d->tets.data + d->cavity.data[k];
		for ( int32_t i = 0; i < 4 && ok; ++i )
		{
			int32_t next = t->neighbours[i];
			found = found || t->corners[i] == b;
			if ( t->corners[i] != a && next >= 0 && d->marks.data[next] != mark )
			{
				d->marks.data[next] = mark;
				ok = SUP_PUSH( &d->cavity, next );
			}
		}
	}
	*known = *known && ok;
	return found;
}
