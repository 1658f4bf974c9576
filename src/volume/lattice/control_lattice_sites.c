// SPDX-License-Identifier: MIT
// Where the vertices of a control lattice go that lie on no bone: around the surface, and a few inside.
#include "volume/lattice/control_lattice_internal.h"

// Area of the surface for each place that is looked at, in squares of the spacing: around thin limbs the surface that
// sites lie on is many times as large.
#define SAMPLE_AREA 0.02

// The second layer lies between these distances from the surface, its sites so far from all others, in spacings.
#define FAR_START 0.5f
#define FAR_END 0.9f
#define OUTER_SITE_DISTANCE 0.85f
#define FAR_STEP 0.5f
#define MOST_FAR_STEPS 300

// Points inside are so far from all others, from bones and from the surface, in spacings.
#define INNER_SITE_DISTANCE 0.9f
#define INNER_FROM_BONE 0.6f
#define INNER_FROM_SKIN 0.3f

// Places inside that are looked at, in spacings apart, and along the longest side at most.
#define INNER_STEP 0.45f
#define MOST_INNER_STEPS 200

// ---------------------------------------------------------------------------------------------------------------------
// The grid

static uint32_t HashCell( const supLatticeSites* sites, int32_t x, int32_t y, int32_t z )
{
	uint32_t hash = supScramble( (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u );
	return hash & (uint32_t)( sites->headCount - 1 );
}

static int32_t CellOf( const supLatticeSites* sites, float x )
{
	return (int32_t)floorf( x / sites->cell );
}

bool supLatticeSites_Init( supLatticeSites* sites, float cell, int32_t expected )
{
	sites->cell = cell;
	sites->headCount = 64;
	while ( sites->headCount < expected )
	{
		sites->headCount *= 2;
	}
	sites->heads = supAllocArray( (size_t)sites->headCount, sizeof( int32_t ) );
	if ( sites->heads != NULL )
	{
		memset( sites->heads, 0xFF, (size_t)sites->headCount * sizeof( int32_t ) );
	}
	return sites->heads != NULL;
}

void supLatticeSites_Destroy( supLatticeSites* sites )
{
	SUP_FREE_ARRAY( &sites->list );
	supFree( sites->heads );
	sites->heads = NULL;
}

bool supLatticeSites_Add( supLatticeSites* sites, supVec3 p, supLatticePin pin, supSiteKind kind )
{
	uint32_t hash = HashCell( sites, CellOf( sites, p.x ), CellOf( sites, p.y ), CellOf( sites, p.z ) );
	supLatticeSite site = { p, p, pin, kind, sites->heads[hash] };
	sites->heads[hash] = sites->list.count;
	return SUP_PUSH( &sites->list, site );
}

bool supLatticeSites_HasNear( const supLatticeSites* sites, supVec3 p, float distance )
{
	int32_t x = CellOf( sites, p.x ), y = CellOf( sites, p.y ), z = CellOf( sites, p.z );
	for ( int32_t i = 0; i < 27; ++i )
	{
		uint32_t hash = HashCell( sites, x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1 );
		for ( int32_t k = sites->heads[hash]; k >= 0; k = sites->list.data[k].next )
		{
			if ( supDistance( sites->list.data[k].place, p ) < distance )
			{
				return true;
			}
		}
	}
	return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Around the surface

typedef struct Sample
{
	supVec3 place;
	// of the triangle, unit length
	supVec3 normal;
} Sample;

typedef SUP_ARRAY( Sample ) Samples;

// One for each SAMPLE_AREA, however the triangles are cut.
static bool GatherSamples( const supLatticeBody* body, float spacing, Samples* samples )
{
	double each = SAMPLE_AREA * (double)spacing * spacing, sum = 0.5 * each;
	const supVec3* p = body->surface->positions;
	bool ok = true;
	for ( int32_t i = 0; i < body->surface->triangleCount && ok; ++i )
	{
		const uint32_t* c = body->indices + 3 * (size_t)i;
		supVec3 n = supCross( supSub( p[c[1]], p[c[0]] ), supSub( p[c[2]], p[c[0]] ) );
		float length = supLength( n );
		sum += 0.5 * length;
		while ( sum >= each && ok )
		{
			sum -= each;
			uint32_t number = (uint32_t)samples->count;
			float u = supScrambleFloat( 2 * number ), v = supScrambleFloat( 2 * number + 1 );
			bool over = u + v > 1.0f;
			u = over ? 1.0f - u : u;
			v = over ? 1.0f - v : v;
			supVec3 q = supMulAdd( supMulAdd( p[c[0]], u, supSub( p[c[1]], p[c[0]] ) ), v, supSub( p[c[2]], p[c[0]] ) );
			ok = SUP_PUSH( samples, ( Sample ){ q, supScale( 1.0f / length, n ) } );
		}
	}
	return ok;
}

static void Shuffle( Samples* samples )
{
	for ( int32_t i = samples->count - 1; i > 0; --i )
	{
		int32_t k = (int32_t)( supScramble( (uint32_t)i ) % (uint32_t)( i + 1 ) );
		Sample sample = samples->data[i];
		samples->data[i] = samples->data[k];
		samples->data[k] = sample;
	}
}

bool supFindOutside( const supLatticeBody* body, supVec3 from, supVec3 normal, float spacing, supVec3* place )
{
	float offset = SUP_LATTICE_OFFSET * spacing, start = 1e-3f * spacing;
	supTreeHit hit;
	if ( supTree_CastRay( body->tree, supMulAdd( from, start, normal ), normal, 2.0f * offset, &hit ) )
	{
		offset = 0.5f * ( hit.distance + start );
	}
	*place = supMulAdd( from, offset, normal );
	return supLatticeBody_IsInside( body, *place ) == false &&
		   supTree_FindClosest( body->tree, *place, 0.45f * offset, &hit ) == false;
}

bool supLatticeSites_AddOuter( supLatticeSites* sites, const supLatticeBody* body, float spacing )
{
	Samples samples = { 0 };
	bool ok = GatherSamples( body, spacing, &samples );
	Shuffle( &samples );
	for ( int32_t i = 0; i < 2 * samples.count && ok; ++i )
	{
		// both sides of the surface: open sheets have two outsides
		const Sample* sample = samples.data + i / 2;
		supVec3 normal = i % 2 == 0 ? sample->normal : supNeg( sample->normal );
		supVec3 place = supMulAdd( sample->place, SUP_LATTICE_OFFSET * spacing, normal );
		if ( supLatticeSites_HasNear( sites, place, 0.8f * spacing ) == false &&
			 supFindOutside( body, sample->place, normal, spacing, &place ) &&
			 supLatticeSites_HasNear( sites, place, spacing ) == false )
		{
			ok = supLatticeSites_Add( sites, place, ( supLatticePin ){ -1, -1, 0.0f }, sup_siteOuter );
		}
	}
	SUP_FREE_ARRAY( &samples );
	return ok;
}

// A second layer. Tets at the surface reach no farther than that, and so do not tie one part of the body to another.
// Most of its sites belong to tets that miss the body and go with them.
bool supLatticeSites_AddFar( supLatticeSites* sites, const supLatticeBody* body, float spacing )
{
	float margin = FAR_END * spacing, step = supMaxFloat( FAR_STEP * spacing, body->size / MOST_FAR_STEPS );
	supVec3 lower = supSub( body->bounds.lower, supMakeVec3( margin, margin, margin ) );
	supVec3 size = supAdd( supBox_Size( body->bounds ), supMakeVec3( 2 * margin, 2 * margin, 2 * margin ) );
	int32_t nx = (int32_t)( size.x / step ) + 1, ny = (int32_t)( size.y / step ) + 1,
			nz = (int32_t)( size.z / step ) + 1;
	bool ok = true;
	for ( int32_t i = 0; i < nx * ny * nz && ok; ++i )
	{
		uint32_t number = 3 * (uint32_t)i + 1000003u;
		supVec3 cell = { (float)( i % nx ) + supScrambleFloat( number ),
						 (float)( i / nx % ny ) + supScrambleFloat( number + 1 ),
						 (float)( i / nx / ny ) + supScrambleFloat( number + 2 ) };
		supVec3 place = supMulAdd( lower, step, cell );
		supTreeHit hit;
		if ( supTree_FindClosest( body->tree, place, FAR_END * spacing, &hit ) && hit.distance > FAR_START * spacing &&
			 supLatticeSites_HasNear( sites, place, OUTER_SITE_DISTANCE * spacing ) == false &&
			 supLatticeBody_IsInside( body, place ) == false )
		{
			ok = supLatticeSites_Add( sites, place, ( supLatticePin ){ -1, -1, 0.0f }, sup_siteOuter );
		}
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Inside

static bool IsNearBone( const supLatticeSkeleton* skeleton, supVec3 p, float near )
{
	for ( int32_t i = 0; i < skeleton->bones.count; ++i )
	{
		const supLatticeBone* bone = skeleton->bones.data + i;
		supSegment segment = { skeleton->joints.data[bone->a].rest, skeleton->joints.data[bone->b].rest };
		if ( supDistanceToSegment( &segment, p ) < near )
		{
			return true;
		}
	}
	return false;
}

static bool TryInner( supLatticeSites* sites, const supLatticeBody* body, const supLatticeSkeleton* skeleton, supVec3 p,
					  float spacing )
{
	supTreeHit hit;
	if ( supLatticeSites_HasNear( sites, p, INNER_SITE_DISTANCE * spacing ) ||
		 IsNearBone( skeleton, p, INNER_FROM_BONE * spacing ) || supLatticeBody_IsInside( body, p ) == false ||
		 supTree_FindClosest( body->tree, p, INNER_FROM_SKIN * spacing, &hit ) )
	{
		return true;
	}
	return supLatticeSites_Add( sites, p, ( supLatticePin ){ -1, -1, 0.0f }, sup_siteInner );
}

bool supLatticeSites_AddInner( supLatticeSites* sites, const supLatticeBody* body, const supLatticeSkeleton* skeleton,
							   float spacing )
{
	supVec3 size = supBox_Size( body->bounds );
	float step = supMaxFloat( INNER_STEP * spacing, body->size / MOST_INNER_STEPS );
	int32_t nx = (int32_t)( size.x / step ) + 1, ny = (int32_t)( size.y / step ) + 1,
			nz = (int32_t)( size.z / step ) + 1;
	bool ok = true;
	for ( int32_t i = 0; i < nx * ny * nz && ok; ++i )
	{
		uint32_t number = 3 * (uint32_t)i;
		supVec3 cell = { (float)( i % nx ) + supScrambleFloat( number ),
						 (float)( i / nx % ny ) + supScrambleFloat( number + 1 ),
						 (float)( i / nx / ny ) + supScrambleFloat( number + 2 ) };
		ok = TryInner( sites, body, skeleton, supMulAdd( body->bounds.lower, step, cell ), spacing );
	}
	return ok;
}
