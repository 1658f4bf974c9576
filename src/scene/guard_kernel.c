// SPDX-License-Identifier: MIT
#include "scene/guard_kernel.h"

#include "core/wide_points.h"

#include <math.h>

// Eight points of 12 bytes; `stride` indices apart.
SUP_WIDE supVec3x8 GatherPoints( const supVec3* points, const int32_t* index, int stride )
{
	const float* p = &points->x;
	supFloat8 rows[4];
	for ( int k = 0; k < 4; ++k )
	{
		rows[k] = supJoin4( supLoad4( p + 3 * (int64_t)index[stride * k] ),
							supLoad4( p + 3 * (int64_t)index[stride * ( k + 4 )] ) );
	}
	supTransposeHalves( rows );
	return ( supVec3x8 ){ rows[0], rows[1], rows[2] };
}

SUP_WIDE supVec3x8 GatherWidePoints( const supVec4* points, const int32_t* index )
{
	return supGather8( &points->x, index );
}

// Eight in a row.
SUP_WIDE supVec3x8 LoadWidePoints( const supVec4* points )
{
	const float* p = &points->x;
	supFloat8 rows[4];
	for ( int k = 0; k < 4; ++k )
	{
		rows[k] = supJoin4( supLoad4( p + 4 * k ), supLoad4( p + 16 + 4 * k ) );
	}
	supTransposeHalves( rows );
	return ( supVec3x8 ){ rows[0], rows[1], rows[2] };
}

SUP_WIDE supVec3x8 LoadPoints( const supVec3* points )
{
	const float* p = &points->x;
	supFloat8 rows[4];
	for ( int k = 0; k < 4; ++k )
	{
		rows[k] = supJoin4( supLoad4( p + 3 * k ), supLoad4( p + 12 + 3 * k ) );
	}
	supTransposeHalves( rows );
	return ( supVec3x8 ){ rows[0], rows[1], rows[2] };
}

// Bits of the items that there are: the last eight may be fewer.
SUP_WIDE uint8_t CutMarks( uint32_t bits, int32_t first, int32_t count )
{
	return (uint8_t)( count - first >= 8 ? bits : bits & ( ( 1u << ( count - first ) ) - 1 ) );
}

// The indices of eight items of `size` indices each; where there are fewer the last ones are `fill` again.
SUP_WIDE const int32_t* FillIndices( const int32_t* indices, int32_t first, int32_t count, int size, int32_t* padded )
{
	const int32_t* from = indices + (ptrdiff_t)size * first;
	if ( count - first >= 8 )
	{
		return from;
	}
	for ( int k = 0; k < 8 * size; ++k )
	{
		padded[k] = k < size * ( count - first ) ? from[k] : from[k % size];
	}
	return padded;
}

// ---------------------------------------------------------------------------------------------------------------------
// Shear

void SUP_KERNEL( supMarkLongLinks )( const supLinkJob* job, int32_t begin, int32_t end )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t fromPadded[8], toPadded[8];
		const int32_t* from = FillIndices( job->from, 8 * i, job->count, 1, fromPadded );
		const int32_t* to = FillIndices( job->to, 8 * i, job->count, 1, toPadded );
		supVec3x8 way = supSub8( GatherWidePoints( job->shifts, to ), GatherWidePoints( job->shifts, from ) );
		// lengths are padded to a multiple of eight
		supFloat8 most = job->ratio * supLoad8( job->distances + 8 * (ptrdiff_t)i ) + job->free;
		job->marks[i] = CutMarks( supMaskBits8( supDot8( way, way ) > most * most ), 8 * i, job->count );
	}
}

void SUP_KERNEL( supMarkLongLayers )( const supLayerJob* job, int32_t begin, int32_t end )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		const supLayerLink* link = job->links + i;
		const float* shifts = &job->shifts->x;
		supFloat4 way = -1.0f * supLoad4( shifts + 4 * (ptrdiff_t)link->place );
		for ( int k = 0; k < 3; ++k )
		{
			way = way + link->weights[k] * supLoad4( shifts + 4 * (ptrdiff_t)link->others[k] );
		}
		float most = job->ratio * link->distance + job->free;
		job->marks[i] = way[0] * way[0] + way[1] * way[1] + way[2] * way[2] > most * most;
	}
}

void SUP_KERNEL( supFillShifts )( const supShiftJob* job, int32_t begin, int32_t end )
{
	const float *from = &job->from->x, *to = &job->to->x;
	for ( int32_t i = begin; i < end; ++i )
	{
		supFloat4 sum = supSplat4( 0.0f );
		for ( int32_t k = job->starts[i]; k < job->starts[i + 1]; ++k )
		{
			ptrdiff_t vertex = 3 * (ptrdiff_t)job->vertices[k];
			sum = sum + job->shares[i] * ( supLoad4( to + vertex ) - supLoad4( from + vertex ) );
		}
		supStore4( &job->shifts[i].x, sum );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Edges

SUP_WIDE supInt8 IsWithin( const supEdgeLimits* limits, supFloat8 length, supFloat8 rest, supFloat8 skinned )
{
	supFloat8 longer = supMax8( rest, skinned ), shorter = supMin8( rest, skinned );
	supFloat8 more = supMin8( limits->stretchRatio * longer + limits->freeStretch, supSplat8( limits->maxStretch ) );
	return ( length <= longer + more ) & ( length >= limits->minRatio * shorter - limits->freeSqueeze );
}

void SUP_KERNEL( supMarkChangedEdges )( const supEdgeJob* job, int32_t begin, int32_t end )
{
	bool hasBase = job->linear != job->skin;
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t padded[16];
		const int32_t* ends = FillIndices( job->ends, 8 * i, job->count, 2, padded );
		supVec3x8 now = supSub8( GatherPoints( job->drawn, ends + 1, 2 ), GatherPoints( job->drawn, ends, 2 ) );
		supVec3x8 then = supSub8( GatherPoints( job->skin, ends + 1, 2 ), GatherPoints( job->skin, ends, 2 ) );
		supVec3x8 change = supSub8( then, now );
		supFloat8 base = supDot8( then, then ), skinned = base;
		supInt8 isKept = supDot8( change, change ) <= 0.0625f * base;
		if ( hasBase == false && supMaskBits8( ~isKept ) == 0 )
		{
			job->marks[i] = 0;
			continue;
		}
		float lengths[8];
		for ( int k = 0; k < 8; ++k )
		{
			lengths[k] = job->lengths[8 * i + k < job->count ? 8 * i + k : 8 * i];
		}
		supFloat8 rest = supLoad8( lengths );
		if ( hasBase )
		{
			// a base that keeps its volume stretches edges: they are held to the same measure as those of all methods
			supVec3x8 linear =
				supSub8( GatherPoints( job->linear, ends + 1, 2 ), GatherPoints( job->linear, ends, 2 ) );
			skinned = supDot8( linear, linear );
			// (1.25 times the root of this is where an edge begins to look torn)
			isKept &= base <= 1.08f * supMax8( skinned, rest * rest );
		}
		isKept |= IsWithin( &job->limits, supSqrt8( supDot8( now, now ) ), rest, supSqrt8( skinned ) );
		job->marks[i] = CutMarks( supMaskBits8( ~isKept ), 8 * i, job->count );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Triangles

void SUP_KERNEL( supFillAreas )( const supAreaJob* job, int32_t begin, int32_t end )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t padded[24];
		const int32_t* corners = FillIndices( (const int32_t*)job->indices, 8 * i, job->count, 3, padded );
		supVec3x8 a = GatherPoints( job->positions, corners, 3 );
		supVec3x8 b = supSub8( GatherPoints( job->positions, corners + 1, 3 ), a );
		supVec3x8 area = supCross8( b, supSub8( GatherPoints( job->positions, corners + 2, 3 ), a ) );
		supFloat8 rows[4] = { area.x, area.y, area.z, supSplat8( 0.0f ) };
		supTransposeHalves( rows );
		float* areas = &job->areas[8 * (ptrdiff_t)i].x;
		for ( int k = 0; k < 4; ++k )
		{
			supStore4( areas + 4 * k, supLow4( rows[k] ) );
			supStore4( areas + 16 + 4 * k, supHigh4( rows[k] ) );
		}
	}
}

void SUP_KERNEL( supSumAreas )( const supSumJob* job, int32_t begin, int32_t end )
{
	const float* areas = &job->areas->x;
	for ( int32_t i = begin; i < end; ++i )
	{
		supFloat4 sum = supSplat4( 0.0f );
		for ( int32_t k = job->starts[i]; k < job->starts[i + 1]; ++k )
		{
			sum = sum + supLoad4( areas + 4 * (ptrdiff_t)job->triangles[k] );
		}
		supStore4( &job->sums[i].x, sum );
	}
}

void SUP_KERNEL( supMarkFolds )( const supFoldJob* job, int32_t begin, int32_t end )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t padded[24], places[3][8];
		const int32_t* corners = FillIndices( (const int32_t*)job->indices, 8 * i, job->count, 3, padded );
		for ( int k = 0; k < 8; ++k )
		{
			places[0][k] = job->places[corners[3 * k]];
			places[1][k] = job->places[corners[3 * k + 1]];
			places[2][k] = job->places[corners[3 * k + 2]];
		}
		supVec3x8 around =
			supAdd8( GatherWidePoints( job->sums, places[0] ),
					 supAdd8( GatherWidePoints( job->sums, places[1] ), GatherWidePoints( job->sums, places[2] ) ) );
		supVec3x8 own = LoadWidePoints( job->areas + 8 * (ptrdiff_t)i );
		job->marks[i] = CutMarks( supMaskBits8( supDot8( own, around ) < 0.0f ), 8 * i, job->count );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Distances

void SUP_KERNEL( supMarkFar )( const supReachJob* job, int32_t begin, int32_t end )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		float reaches[8];
		for ( int k = 0; k < 8; ++k )
		{
			int32_t vertex = 8 * i + k < job->count ? 8 * i + k : 8 * i;
			reaches[k] = job->reaches[job->places[vertex]];
		}
		supVec3x8 way =
			supSub8( LoadPoints( job->drawn + 8 * (ptrdiff_t)i ), LoadPoints( job->skin + 8 * (ptrdiff_t)i ) );
		supFloat8 reach = supLoad8( reaches );
		supInt8 isNear = supDot8( way, way ) / ( reach * reach ) < job->least;
		job->marks[i] = CutMarks( supMaskBits8( ~isNear ), 8 * i, job->count );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Blending

SUP_WIDE bool AreBlended( const supBlendJob* job, int32_t first )
{
	bool isBlended = false;
	for ( int k = 0; k < 8; ++k )
	{
		isBlended |= !( job->weights[job->places[first + k]] <= 0.0f );
	}
	return isBlended;
}

void SUP_KERNEL( supBlendSkin )( const supBlendJob* job, int32_t begin, int32_t end )
{
	for ( int32_t i = begin; i < end; )
	{
		if ( i + 8 <= end && AreBlended( job, i ) == false )
		{
			memcpy( job->out + i, job->made + i, 8 * sizeof( supVec3 ) );
			i += 8;
			continue;
		}
		for ( int32_t last = i + 8 < end ? i + 8 : end; i < last; ++i )
		{
			float weight = job->weights[job->places[i]];
			supVec3 made = job->made[i], skin = job->skin[i];
			// written so that what is not a number goes back altogether
			job->out[i] = weight <= 0.0f ? made : ( weight < 1.0f ? supLerp( made, skin, weight ) : skin );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Contacts

static bool IsOf( const supNearJob* job, const supContact* contact )
{
	bool isFirst = contact->actor == job->actor, isSecond = contact->otherActor == job->actor;
	return ( isFirst || isSecond ) && ( job->onlyOthers && isFirst && isSecond ) == false;
}

void SUP_KERNEL( supFindNearest )( const supNearJob* job, int32_t begin, int32_t end )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3x8 p = LoadPoints( job->positions + 8 * (ptrdiff_t)i );
		supFloat8 nearest = supSplat8( INFINITY );
		for ( int32_t c = 0; c < job->contactCount; ++c )
		{
			if ( IsOf( job, job->contacts + c ) )
			{
				supVec3 place = job->contacts[c].place;
				supVec3x8 way = { place.x - p.x, place.y - p.y, place.z - p.z };
				supFloat8 square = supDot8( way, way );
				// so that what is not a number stays
				nearest = supSelect8( square >= nearest, nearest, square );
			}
		}
		supStore8( job->squares + 8 * (ptrdiff_t)i, nearest );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

bool SUP_KERNEL( supAreFinite )( const float* values, size_t count )
{
	// not a number but for finite ones, of which it is 0
	supFloat8 sum = supSplat8( 0.0f );
	size_t i = 0;
	for ( ; i + 8 <= count; i += 8 )
	{
		sum = sum + 0.0f * supLoad8( values + i );
	}
	float rest = 0.0f;
	for ( ; i < count; ++i )
	{
		rest = rest + 0.0f * values[i];
	}
	return supSum8( sum ) + rest == 0.0f;
}
