// SPDX-License-Identifier: MIT
#include "volume/binding/skin_layer.h"

#include "core/tasks.h"
#include "geometry/tree.h"
#include "volume/binding/skin_sheets.h"

#include <float.h>

#define LAYER_SHARE 0.4f
#define GRAIN 512

// Thickness changes by at most this part of the distance between two points.
#define SLOPE 0.5f
#define SLOPE_PASSES 16

// Steps towards a direction that all triangles of a fan have above them, and how far above at least.
#define DIRECTION_STEPS 256
#define LEAST_COSINE 0.02f

// Surfaces that a ray inwards passes through before it gives up.
#define MOST_PASSED 32

// A tet must have this part of the volume that a third of a prism with parallel sides has.
#define LEAST_VOLUME 0.05

// Triangles lower than this part of their length are needles.
#define NEEDLE_HEIGHT_RATIO 1e-3f

// How often tets may be made thinner, by which factor, and how thin compared with the size of the whole.
#define MAX_THINNINGS 24
#define THINNING_FACTOR 0.7f
#define MIN_THICKNESS_RATIO 1e-5f

supSkinLayerDef supDefaultSkinLayerDef( void )
{
	return ( supSkinLayerDef ){ .share = LAYER_SHARE };
}

void supSkinLayer_Destroy( supSkinLayer* layer )
{
	supTets_Destroy( &layer->tets );
	*layer = ( supSkinLayer ){ 0 };
}

typedef struct Builder
{
	const supSkinLayerDef* def;
	supSkinLayer* layer;
	supSkinSheets sheets;
	supArena scratch;
	supTree* tree;
	float size;
	// area vectors of the triangles
	supVec3* areas;
	// inwards, of unit length
	supVec3* directions;
	// 1: this triangle has no tets
	uint8_t* leftOut;
	float* next;
} Builder;

// ---------------------------------------------------------------------------------------------------------------------
// Input

static bool CheckDef( const supSkinLayerDef* def, float* size, supError* error )
{
	if ( def->triangleCount <= 0 )
	{
		return supSetError( error, sup_errorArgument, "skin layer", "the mesh has no triangles" );
	}
	if ( supIsFinite( def->thickness ) == false || def->thickness <= 0.0f )
	{
		return supSetError( error, sup_errorArgument, "skin layer", "thickness must be above 0 m (got %g)",
							(double)def->thickness );
	}
	if ( !( def->share > 0.0f && def->share < 0.5f ) )
	{
		return supSetError( error, sup_errorArgument, "skin layer", "share must be 0 to 0.5 (got %g)",
							(double)def->share );
	}
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < def->vertexCount; ++i )
	{
		supVec3 p = def->positions[i];
		float largest = supMaxFloat( fabsf( p.x ), supMaxFloat( fabsf( p.y ), fabsf( p.z ) ) );
		if ( !( largest <= SUP_MAX_COORDINATE ) )
		{
			return supSetError( error, sup_errorArgument, "skin layer", "vertex %d is not finite or too far away", i );
		}
		box = supBox_Include( box, p );
	}
	for ( int64_t i = 0; i < 3 * (int64_t)def->triangleCount; ++i )
	{
		if ( def->indices[i] >= (uint32_t)def->vertexCount )
		{
			return supSetError( error, sup_errorArgument, "skin layer", "triangle %lld uses vertex %u of %d",
								(long long)( i / 3 ), def->indices[i], def->vertexCount );
		}
	}
	supVec3 extent = supBox_Size( box );
	*size = supMaxFloat( extent.x, supMaxFloat( extent.y, extent.z ) );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Directions

static void FillAreas( Builder* b )
{
	const supSkinSheets* s = &b->sheets;
	for ( int32_t i = 0; i < s->triangleCount; ++i )
	{
		const int32_t* c = s->corners + 3 * (ptrdiff_t)i;
		supVec3 a = s->points[c[0]];
		b->areas[i] = supCross( supSub( s->points[c[1]], a ), supSub( s->points[c[2]], a ) );
	}
}

// The angle at a corner, or something that grows with it: enough to weigh the triangles around a point evenly however
// they are cut.
static float WeightAt( const supSkinSheets* s, int32_t triangle, int32_t point )
{
	const int32_t* c = s->corners + 3 * (ptrdiff_t)triangle;
	int32_t k = c[0] == point ? 0 : ( c[1] == point ? 1 : 2 );
	supVec3 u = supNormalize( supSub( s->points[c[( k + 1 ) % 3]], s->points[point] ) );
	supVec3 v = supNormalize( supSub( s->points[c[( k + 2 ) % 3]], s->points[point] ) );
	return supAcos( supDot( u, v ) );
}

// Starts from the mean normal; as long as some triangle is hardly above it, leans towards that triangle's normal.
static supVec3 FindNormal( const Builder* b, int32_t point )
{
	const supSkinSheets* s = &b->sheets;
	int32_t begin = s->fanStarts[point], end = s->fanStarts[point + 1];
	supVec3 sum = supVec3_zero;
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t triangle = s->fans[i];
		sum = supMulAdd( sum, WeightAt( s, triangle, point ), supNormalize( b->areas[triangle] ) );
	}
	supVec3 best = supNormalize( sum ), normal = best;
	float bestCosine = -2.0f;
	for ( int32_t step = 0; step < DIRECTION_STEPS; ++step )
	{
		float least = 2.0f;
		supVec3 worst = supVec3_zero;
		for ( int32_t i = begin; i < end; ++i )
		{
			supVec3 n = supNormalize( b->areas[s->fans[i]] );
			float cosine = supDot( n, normal );
			// needles without a normal of their own follow the others
			if ( supDot( n, n ) > 0.0f && cosine < least )
			{
				least = cosine;
				worst = n;
			}
		}
		if ( least > bestCosine )
		{
			bestCosine = least;
			best = normal;
		}
		if ( least > 0.25f )
		{
			break;
		}
		// steps that get smaller settle between the worst two or three
		normal = supNormalize( supMulAdd( normal, 2.0f / (float)( step + 8 ), worst ) );
	}
	return bestCosine >= LEAST_COSINE && bestCosine < 2.0f ? best : supVec3_zero;
}

// The way inwards to the far side of the same part of the skin, as seen from inside; FLT_MAX if there is none. Other
// parts that overlap it (clothes, the next shell of a doll) are passed through.
static float FindDepth( const Builder* b, int32_t point )
{
	const supSkinSheets* s = &b->sheets;
	supVec3 inwards = b->directions[point];
	float step = 1e-5f * b->size, way = step;
	float most = b->def->thickness / b->def->share;
	for ( int32_t i = 0; i < MOST_PASSED && way < most; ++i )
	{
		supTreeHit hit;
		supVec3 origin = supMulAdd( s->points[point], way, inwards );
		if ( supTree_CastRay( b->tree, origin, inwards, most - way, &hit ) == false )
		{
			return FLT_MAX;
		}
		bool own = s->parts[s->corners[3 * (ptrdiff_t)hit.triangle]] == s->parts[point];
		if ( own && hit.front == false )
		{
			return way + hit.distance;
		}
		way += hit.distance + step;
	}
	return FLT_MAX;
}

static void GrowRange( int32_t begin, int32_t end, int32_t worker, void* contextPointer )
{
	(void)worker;
	Builder* b = contextPointer;
	for ( int32_t i = begin; i < end; ++i )
	{
		b->directions[i] = supNeg( FindNormal( b, i ) );
		float depth = FindDepth( b, i );
		float most = depth < FLT_MAX ? b->def->share * depth : b->def->thickness;
		b->layer->thickness[i] = supMinFloat( b->def->thickness, most );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Thickness

static void SlopeRange( int32_t begin, int32_t end, int32_t worker, void* contextPointer )
{
	(void)worker;
	Builder* b = contextPointer;
	const supSkinSheets* s = &b->sheets;
	for ( int32_t i = begin; i < end; ++i )
	{
		float least = b->layer->thickness[i];
		for ( int32_t k = s->fanStarts[i]; k < s->fanStarts[i + 1]; ++k )
		{
			const int32_t* c = s->corners + 3 * (ptrdiff_t)s->fans[k];
			for ( int32_t m = 0; m < 3; ++m )
			{
				float most = b->layer->thickness[c[m]] + SLOPE * supDistance( s->points[i], s->points[c[m]] );
				least = supMinFloat( least, most );
			}
		}
		b->next[i] = least;
	}
}

// Thin places make their neighbours thinner, so that nothing changes abruptly.
static void LimitSlope( Builder* b )
{
	size_t bytes = (size_t)b->sheets.pointCount * sizeof( float );
	bool changed = true;
	for ( int32_t i = 0; i < SLOPE_PASSES && changed; ++i )
	{
		supParallelFor( b->def->tasks, b->sheets.pointCount, GRAIN, SlopeRange, b );
		changed = memcmp( b->layer->thickness, b->next, bytes ) != 0;
		memcpy( b->layer->thickness, b->next, bytes );
	}
}

static void PlaceInner( Builder* b )
{
	supTets* tets = &b->layer->tets;
	for ( int32_t i = 0; i < b->sheets.pointCount; ++i )
	{
		tets->points[b->layer->outerCount + i] =
			supMulAdd( b->sheets.points[i], b->layer->thickness[i], b->directions[i] );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Prisms

// Corners by rising number; odd where that mirrors the triangle. The diagonals of the sides run from the outer corner
// of the smaller number to the inner one of the larger.
static void CutPrism( const Builder* b, int32_t triangle, int32_t tets[12] )
{
	int32_t c[3];
	memcpy( c, b->sheets.corners + 3 * (ptrdiff_t)triangle, sizeof( c ) );
	bool odd = false;
	for ( int32_t pass = 0; pass < 3; ++pass )
	{
		int32_t k = pass % 2;
		if ( c[k] > c[k + 1] )
		{
			int32_t t = c[k];
			c[k] = c[k + 1];
			c[k + 1] = t;
			odd = odd == false;
		}
	}
	int32_t inner = b->layer->outerCount;
	const int32_t cut[12] = { c[0],         c[2],         c[1], c[2] + inner, c[0],         c[1],
							  c[1] + inner, c[2] + inner, c[0], c[0] + inner, c[2] + inner, c[1] + inner };
	memcpy( tets, cut, sizeof( cut ) );
	for ( int32_t i = 0; i < 3 && odd; ++i )
	{
		int32_t t = tets[4 * i + 2];
		tets[4 * i + 2] = tets[4 * i + 3];
		tets[4 * i + 3] = t;
	}
}

static bool IsSound( const Builder* b, int32_t triangle )
{
	const int32_t* c = b->sheets.corners + 3 * (ptrdiff_t)triangle;
	int32_t indices[12];
	CutPrism( b, triangle, indices );
	supTets prism = { .points = b->layer->tets.points, .indices = indices };
	double thickness = DBL_MAX;
	for ( int32_t i = 0; i < 3; ++i )
	{
		double own = (double)b->layer->thickness[c[i]];
		thickness = own < thickness ? own : thickness;
	}
	double least = LEAST_VOLUME * 0.5 * (double)supLength( b->areas[triangle] ) * thickness / 3.0;
	for ( int32_t i = 0; i < 3; ++i )
	{
		if ( !( supTets_Volume( &prism, i ) > least ) )
		{
			return false;
		}
	}
	return least > 0.0;
}

static bool IsNeedle( const Builder* b, int32_t triangle )
{
	const int32_t* c = b->sheets.corners + 3 * (ptrdiff_t)triangle;
	float longest = 0.0f;
	for ( int32_t i = 0; i < 3; ++i )
	{
		longest = supMaxFloat( longest, supDistance( b->sheets.points[c[i]], b->sheets.points[c[( i + 1 ) % 3]] ) );
	}
	return supLength( b->areas[triangle] ) < NEEDLE_HEIGHT_RATIO * longest * longest;
}

// Makes the corners of unsound prisms thinner. Returns how many prisms there were.
static int32_t Thin( Builder* b )
{
	const supSkinSheets* s = &b->sheets;
	memset( b->next, 0, (size_t)s->pointCount * sizeof( float ) );
	int32_t unsound = 0;
	for ( int32_t i = 0; i < s->triangleCount; ++i )
	{
		if ( b->leftOut[i] == 0 && IsSound( b, i ) == false )
		{
			unsound += 1;
			// a needle has no volume however thin it is, and must not take its neighbours with it
			if ( IsNeedle( b, i ) )
			{
				b->leftOut[i] = 1;
				continue;
			}
			for ( int32_t k = 0; k < 3; ++k )
			{
				b->next[s->corners[3 * (ptrdiff_t)i + k]] = 1.0f;
			}
		}
	}
	for ( int32_t i = 0; i < s->pointCount; ++i )
	{
		b->layer->thickness[i] *= b->next[i] > 0.0f ? THINNING_FACTOR : 1.0f;
	}
	return unsound;
}

static bool IsThickEnough( const Builder* b, int32_t triangle )
{
	const int32_t* c = b->sheets.corners + 3 * (ptrdiff_t)triangle;
	bool enough = true;
	for ( int32_t i = 0; i < 3; ++i )
	{
		enough = enough && b->layer->thickness[c[i]] >= MIN_THICKNESS_RATIO * b->size &&
				 supDot( b->directions[c[i]], b->directions[c[i]] ) > 0.0f;
	}
	return enough;
}

static void LeaveOut( Builder* b )
{
	for ( int32_t i = 0; i < b->sheets.triangleCount; ++i )
	{
		if ( b->leftOut[i] == 0 && ( IsThickEnough( b, i ) == false || IsSound( b, i ) == false ) )
		{
			b->leftOut[i] = 1;
		}
	}
}

// What cannot have a layer is left out first, so that it does not make its neighbours thin in vain.
static void SettleThickness( Builder* b )
{
	for ( int32_t i = 0; i < b->sheets.triangleCount; ++i )
	{
		b->leftOut[i] = IsThickEnough( b, i ) ? 0 : 1;
	}
	LimitSlope( b );
	for ( int32_t i = 0; i < MAX_THINNINGS; ++i )
	{
		PlaceInner( b );
		if ( Thin( b ) == 0 )
		{
			return;
		}
		LimitSlope( b );
	}
	PlaceInner( b );
	LeaveOut( b );
}

// ---------------------------------------------------------------------------------------------------------------------

static void WriteTets( Builder* b )
{
	supSkinLayer* layer = b->layer;
	const supSkinSheets* s = &b->sheets;
	memset( b->next, 0, (size_t)s->pointCount * sizeof( float ) );
	for ( int32_t i = 0; i < s->triangleCount; ++i )
	{
		if ( b->leftOut[i] != 0 )
		{
			layer->report.leftOut += 1;
			continue;
		}
		CutPrism( b, i, layer->tets.indices + 4 * (ptrdiff_t)layer->tets.tetCount );
		for ( int32_t k = 0; k < 3; ++k )
		{
			layer->report.volume += supTets_Volume( &layer->tets, layer->tets.tetCount++ );
			b->next[s->corners[3 * (ptrdiff_t)i + k]] = 1.0f;
		}
	}
	supSkinLayerReport* report = &layer->report;
	double sum = 0.0;
	int32_t used = 0;
	for ( int32_t i = 0; i < s->pointCount; ++i )
	{
		float own = layer->thickness[i] * b->next[i];
		layer->thickness[i] = own;
		if ( own > 0.0f )
		{
			report->smallestThickness = used == 0 ? own : supMinFloat( report->smallestThickness, own );
			sum += (double)own;
			used += 1;
		}
	}
	report->meanThickness = used > 0 ? (float)( sum / used ) : 0.0f;
}

static bool Allocate( Builder* b )
{
	supSkinLayer* layer = b->layer;
	supArena* arena = &layer->tets.arena;
	size_t points = (size_t)b->sheets.pointCount, triangles = (size_t)b->sheets.triangleCount;
	layer->outerCount = b->sheets.pointCount;
	layer->tets.pointCount = 2 * b->sheets.pointCount;
	layer->tets.points = supArena_AllocArray( arena, 2 * points, sizeof( supVec3 ) );
	layer->tets.indices = supArena_AllocArray( arena, 12 * triangles, sizeof( int32_t ) );
	layer->thickness = supArena_AllocArray( arena, points, sizeof( float ) );
	layer->vertexPoints =
		supArena_CopyArray( arena, b->sheets.vertexPoints, (size_t)b->def->vertexCount, sizeof( int32_t ) );
	b->areas = supArena_AllocArray( &b->scratch, triangles, sizeof( supVec3 ) );
	b->directions = supArena_AllocArray( &b->scratch, points, sizeof( supVec3 ) );
	b->leftOut = supArena_AllocArray( &b->scratch, triangles, 1 );
	b->next = supArena_AllocArray( &b->scratch, points, sizeof( float ) );
	return arena->failed == false && b->scratch.failed == false;
}

static bool Build( Builder* b, supError* error )
{
	if ( supBuildSkinSheets( b->def, &b->scratch, &b->sheets, &b->layer->report ) == false || Allocate( b ) == false )
	{
		return supSetMemoryError( error );
	}
	b->tree = supCreateTree( b->sheets.points, b->sheets.pointCount, (const uint32_t*)b->sheets.corners,
							 b->sheets.triangleCount, error );
	if ( b->tree == NULL )
	{
		return false;
	}
	memcpy( b->layer->tets.points, b->sheets.points, (size_t)b->sheets.pointCount * sizeof( supVec3 ) );
	FillAreas( b );
	supParallelFor( b->def->tasks, b->sheets.pointCount, GRAIN, GrowRange, b );
	SettleThickness( b );
	WriteTets( b );
	supDestroyTree( b->tree );
	return true;
}

bool supSkinLayer_Init( supSkinLayer* layer, const supSkinLayerDef* def, supError* error )
{
	supClearError( error );
	Builder builder = { .def = def, .layer = layer };
	if ( CheckDef( def, &builder.size, error ) == false )
	{
		return false;
	}
	bool ok = Build( &builder, error );
	supArena_Destroy( &builder.scratch );
	if ( ok == false )
	{
		supSkinLayer_Destroy( layer );
	}
	return ok;
}
