// SPDX-License-Identifier: MIT
// Shear: skin next to each other, and skin that lies on skin, moves along with each other.
#include "scene/guard_work.h"

// How much farther from skinning one place may be than the next: this part of the distance between them at rest, and a
// little of the size. Where it is more, both give way, so that skin between what swings and what does not (a hem, a
// cuff, the edge of a plate) is sheared little by little.
#define MAX_SHEAR_RATIO 0.35f
#define FREE_SHEAR 0.002f
#define SHEAR_SWEEPS 8

// The same between what lies on each other, so that neither sinks into the other.
#define MAX_LAYER_SHEAR_RATIO 0.3f
#define FREE_LAYER_SHEAR 0.0002f

// Skinning is no measure around a place where it makes an edge so much shorter or longer than at rest itself, in a bend
// or a twist. Over this range of lengths it becomes one, so that skin does not jump.
#define CRUMPLED_LENGTH 0.6f
#define TORN_LENGTH 1.6f
#define CRUMPLED_RANGE 0.1f

// Each sweep looks only where the one before, or itself, has moved something: elsewhere it would find what was found
// before. Of each place in `needs`, which is free here: the sweep after the one that moved it last.
static bool HasMoved( const supGuardWork* work, int32_t place, int32_t sweep )
{
	return work->needs[place] >= (float)sweep;
}

static void MovePlace( const supGuardWork* work, int32_t place, float share, supVec3 way, int32_t sweep )
{
	work->shifts[place] = supMulAdd( work->shifts[place], share, way );
	work->needs[place] = (float)( sweep + 1 );
}

static bool IsLonger( supVec3 a, float most )
{
	// written so that what is not a number stays as it is
	return supLengthSquared( a ) > most * most;
}

// How far both sides give way, each by half: the way from one to the other less what it may be, and not more than it is
// too long by another measure.
static supVec3 HalfExcess( supVec3 way, float most, supVec3 other )
{
	float length = supLength( way ), excess = supMinFloat( length, supLength( other ) ) - most;
	return supScale( 0.5f * excess / length, way );
}

// How far skinning is a measure around a place: 1, or less where it crumples or tears the skin there.
static float FindTrust( const supGuardWork* work, int32_t place )
{
	const supGuardMesh* mesh = work->mesh;
	float trust = 1.0f;
	for ( int32_t k = mesh->starts[place]; k < mesh->edgeEnds[place] && trust > 0.0f; ++k )
	{
		int32_t other = mesh->neighbours[k];
		float length = supDistance( work->skin[mesh->vertices[place]], work->skin[mesh->vertices[other]] );
		float rest = mesh->distances[k], range = CRUMPLED_RANGE * rest;
		float within = supMinFloat( length - CRUMPLED_LENGTH * rest, TORN_LENGTH * rest - length );
		trust = within < range ? supMinFloat( trust, supMaxFloat( within, 0.0f ) / range ) : trust;
	}
	return trust;
}

// One sweep over neighbours. Linear blend skinning makes twisted limbs collapse, and what is round is sheared against
// it: what counts is what is sheared by both ways of skinning. Dual offsets are there from the first sweep that finds
// any.
static bool ShareAlongEdges( const supGuardWork* work, int32_t sweep, bool* hasDual )
{
	const supGuardMesh* mesh = work->mesh;
	bool isSheared = false;
	for ( int32_t a = 0; a < mesh->placeCount; ++a )
	{
		for ( int32_t k = mesh->starts[a]; k < mesh->edgeEnds[a]; ++k )
		{
			int32_t b = mesh->neighbours[k];
			if ( b < a || ( HasMoved( work, a, sweep ) == false && HasMoved( work, b, sweep ) == false ) )
			{
				continue;
			}
			float most = MAX_SHEAR_RATIO * mesh->distances[k] + FREE_SHEAR * mesh->size;
			supVec3 way = supSub( work->shifts[b], work->shifts[a] );
			if ( IsLonger( way, most ) == false || work->allowed[a] * work->allowed[b] < 1.0f )
			{
				continue;
			}
			float trust = supMinFloat( FindTrust( work, a ), FindTrust( work, b ) );
			if ( trust <= 0.0f )
			{
				continue;
			}
			if ( *hasDual == false )
			{
				supGuard_FillShifts( work, supGuard_FindAllDual( work ), work->skin, work->dualShifts );
				*hasDual = true;
			}
			supVec3 dualWay = supAdd( way, supSub( work->dualShifts[b], work->dualShifts[a] ) );
			if ( IsLonger( dualWay, most ) )
			{
				supVec3 half = HalfExcess( way, most, dualWay );
				MovePlace( work, a, trust, half, sweep );
				MovePlace( work, b, -trust, half, sweep );
				isSheared = true;
			}
		}
	}
	return isSheared;
}

// The same between layers.
static bool ShareBetweenLayers( const supGuardWork* work, int32_t sweep )
{
	const supGuardMesh* mesh = work->mesh;
	bool isSheared = false;
	for ( int32_t i = 0; i < mesh->layerCount; ++i )
	{
		const supLayerLink* link = mesh->layers + i;
		if ( HasMoved( work, link->place, sweep ) == false && HasMoved( work, link->others[0], sweep ) == false &&
			 HasMoved( work, link->others[1], sweep ) == false && HasMoved( work, link->others[2], sweep ) == false )
		{
			continue;
		}
		float most = MAX_LAYER_SHEAR_RATIO * link->distance + FREE_LAYER_SHEAR * mesh->size;
		supVec3 way = supScale( -1.0f, work->shifts[link->place] );
		float squares = 0.0f, allowed = work->allowed[link->place];
		for ( int32_t k = 0; k < 3; ++k )
		{
			way = supMulAdd( way, link->weights[k], work->shifts[link->others[k]] );
			squares += link->weights[k] * link->weights[k];
			allowed = supMinFloat( allowed, work->allowed[link->others[k]] );
		}
		if ( IsLonger( way, most ) && allowed >= 1.0f )
		{
			supVec3 half = HalfExcess( way, most, way );
			MovePlace( work, link->place, 1.0f, half, sweep );
			for ( int32_t k = 0; k < 3; ++k )
			{
				MovePlace( work, link->others[k], -link->weights[k] / squares, half, sweep );
			}
			isSheared = true;
		}
	}
	return isSheared;
}

static bool ShareShear( const supGuardWork* work, int32_t sweep, bool* hasDual )
{
	bool isSheared = ShareAlongEdges( work, sweep, hasDual );
	return ShareBetweenLayers( work, sweep ) || isSheared;
}

// Before anything is blended: what the method draws, as skin can bear it. True where that is something else.
bool supGuard_LimitShear( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	memcpy( work->drawn, work->made, (size_t)mesh->vertexCount * sizeof( supVec3 ) );
	supGuard_RideShells( work );
	supGuard_FillShifts( work, work->skin, work->drawn, work->shifts );
	supGuard_FindAllowed( work, false, SUP_LIMIT_CONTACT_REACH );
	memset( work->needs, 0, (size_t)mesh->placeCount * sizeof( float ) );
	bool hasDual = false, isSheared = false;
	for ( int32_t sweep = 0; sweep < SHEAR_SWEEPS && ShareShear( work, sweep, &hasDual ); ++sweep )
	{
		isSheared = true;
	}
	if ( isSheared )
	{
		// where they were before
		supGuard_FillShifts( work, work->skin, work->drawn, work->dualShifts );
	}
	for ( int32_t i = 0; isSheared && i < work->actor->surfaceCount; ++i )
	{
		supVec3* positions = work->actor->surfaces[i].positions;
		int32_t first = mesh->vertexStarts[i];
		for ( int32_t k = first; k < mesh->vertexStarts[i + 1]; ++k )
		{
			supVec3 now = work->shifts[mesh->places[k]], before = work->dualShifts[mesh->places[k]];
			if ( now.x != before.x || now.y != before.y || now.z != before.z )
			{
				positions[k - first] = supAdd( work->drawn[k], supSub( now, before ) );
			}
		}
	}
	return isSheared;
}
