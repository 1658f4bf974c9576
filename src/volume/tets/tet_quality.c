// SPDX-License-Identifier: MIT
#include "volume/tets/tet_quality.h"

#include "core/reduce.h"
#include "volume/tets/tet_topology.h"

typedef struct Vec
{
	double x, y, z;
} Vec;

static Vec Subtract( supVec3 a, supVec3 b )
{
	return ( Vec ){ (double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z };
}

static Vec Cross( Vec a, Vec b )
{
	return ( Vec ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static double Dot( Vec a, Vec b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

void supTets_Dihedrals( const supTets* tets, int32_t tet, float angles[6] )
{
	const int32_t* corners = tets->indices + 4 * (size_t)tet;
	Vec normals[4];
	for ( int32_t i = 0; i < 4; ++i )
	{
		const int8_t* face = supTetFaces[i];
		supVec3 a = tets->points[corners[face[0]]];
		Vec n = Cross( Subtract( tets->points[corners[face[1]]], a ), Subtract( tets->points[corners[face[2]]], a ) );
		double length = sqrt( Dot( n, n ) );
		double scale = length > 0.0 ? 1.0 / length : 0.0;
		normals[i] = ( Vec ){ scale * n.x, scale * n.y, scale * n.z };
	}
	for ( int32_t i = 0; i < 6; ++i )
	{
		// at an edge meet the faces opposite the two other corners
		const int8_t* other = supTetEdges[5 - i];
		Vec n = normals[other[0]], m = normals[other[1]];
		Vec c = Cross( n, m );
		angles[i] = supAtan2( (float)sqrt( Dot( c, c ) ), (float)-Dot( n, m ) ) * ( 180.0f / SUP_PI );
	}
}

// In double and without a cube root of the C library: Newton from a power of two.
static double CubeRoot( double a )
{
	if ( !( a > 0.0 ) )
	{
		return 0.0;
	}
	int exponent = 0;
	frexp( a, &exponent );
	double x = ldexp( 1.0, exponent / 3 + 1 );
	for ( int i = 0; i < 64; ++i )
	{
		double next = ( 2.0 * x + a / ( x * x ) ) / 3.0;
		if ( next >= x )
		{
			break;
		}
		x = next;
	}
	return x;
}

float supTets_MeanRatio( const supTets* tets, int32_t tet )
{
	const int32_t* corners = tets->indices + 4 * (size_t)tet;
	double sum = 0.0;
	for ( int32_t i = 0; i < 6; ++i )
	{
		Vec edge = Subtract( tets->points[corners[supTetEdges[i][1]]], tets->points[corners[supTetEdges[i][0]]] );
		sum += Dot( edge, edge );
	}
	double volume = supTets_Volume( tets, tet );
	double root = CubeRoot( 3.0 * fabs( volume ) );
	double ratio = sum > 0.0 ? 12.0 * root * root / sum : 0.0;
	return (float)( volume < 0.0 ? -ratio : ratio );
}

// ---------------------------------------------------------------------------------------------------------------------
// All together

typedef struct MeasureLoop
{
	const supTets* tets;
} MeasureLoop;

typedef struct Partial
{
	supTetQuality quality;
	double ratios;
	int32_t tetCount;
} Partial;

static void MeasureBlock( int32_t begin, int32_t end, void* partial, void* context )
{
	const supTets* tets = ( (const MeasureLoop*)context )->tets;
	Partial* p = partial;
	supTetQuality* q = &p->quality;
	q->minDihedral = 180.0f;
	q->minMeanRatio = 1.0f;
	for ( int32_t i = begin; i < end; ++i )
	{
		float angles[6];
		supTets_Dihedrals( tets, i, angles );
		for ( int32_t k = 0; k < 6; ++k )
		{
			int32_t bin = (int32_t)( angles[k] * ( (float)SUP_DIHEDRAL_BINS / 180.0f ) );
			q->dihedrals[bin < SUP_DIHEDRAL_BINS ? bin : SUP_DIHEDRAL_BINS - 1] += 1;
			q->minDihedral = supMinFloat( q->minDihedral, angles[k] );
			q->maxDihedral = supMaxFloat( q->maxDihedral, angles[k] );
		}
		float ratio = supTets_MeanRatio( tets, i );
		double volume = supTets_Volume( tets, i );
		q->minMeanRatio = supMinFloat( q->minMeanRatio, ratio );
		q->volume += volume;
		q->inverted += volume > 0.0 ? 0 : 1;
		p->ratios += (double)ratio;
	}
	p->tetCount = end - begin;
}

static void CombineBlocks( void* total, const void* partial, void* context )
{
	(void)context;
	Partial* a = total;
	const Partial* b = partial;
	a->quality.minDihedral = supMinFloat( a->quality.minDihedral, b->quality.minDihedral );
	a->quality.maxDihedral = supMaxFloat( a->quality.maxDihedral, b->quality.maxDihedral );
	a->quality.minMeanRatio = supMinFloat( a->quality.minMeanRatio, b->quality.minMeanRatio );
	a->quality.volume += b->quality.volume;
	a->quality.inverted += b->quality.inverted;
	for ( int32_t i = 0; i < SUP_DIHEDRAL_BINS; ++i )
	{
		a->quality.dihedrals[i] += b->quality.dihedrals[i];
	}
	a->ratios += b->ratios;
	a->tetCount += b->tetCount;
}

// Parts that have a tet.
static bool CountParts( const supTets* tets, int32_t* count, supError* error )
{
	supArena scratch = { 0 };
	int32_t* parts = NULL;
	int32_t all = 0;
	bool ok = supTets_Parts( tets, &scratch, &all, &parts, error );
	bool* used = ok ? supArena_AllocZeroed( &scratch, (size_t)all ) : NULL;
	*count = 0;
	for ( int32_t i = 0; used != NULL && i < tets->tetCount; ++i )
	{
		int32_t part = parts[tets->indices[4 * (size_t)i]];
		*count += used[part] ? 0 : 1;
		used[part] = true;
	}
	supArena_Destroy( &scratch );
	return used != NULL ? true : supSetMemoryError( error );
}

bool supMeasureTets( const supTets* tets, const supTasks* tasks, supTetQuality* quality, supError* error )
{
	supClearError( error );
	Partial total = { .quality = { .minDihedral = 180.0f, .minMeanRatio = 1.0f } };
	*quality = ( supTetQuality ){ 0 };
	if ( tets->tetCount == 0 )
	{
		return true;
	}
	MeasureLoop loop = { tets };
	supReduce( tasks, tets->tetCount, sizeof( Partial ), MeasureBlock, CombineBlocks, &total, &loop );
	*quality = total.quality;
	quality->meanMeanRatio = (float)( total.ratios / total.tetCount );
	return CountParts( tets, &quality->parts, error );
}
