// SPDX-License-Identifier: MIT
// Shear: skin next to each other, and skin that lies on skin, moves along with each other.
#include "core/tasks.h"
#include "scene/guard_kernel.h"
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
// or a twist.
#define CRUMPLED_LENGTH 0.6f
#define TORN_LENGTH 1.6f

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

// Does skinning crumple the skin around a place?
static bool MeasureCrumpling( const supGuardWork* work, int32_t place )
{
	const supGuardMesh* mesh = work->mesh;
	supVec3 own = work->skin[supGuardMesh_Vertex( mesh, place )];
	bool isCrumpled = false;
	for ( int32_t k = mesh->starts[place]; k < mesh->edgeEnds[place]; ++k )
	{
		float length = supDistance( own, work->skin[supGuardMesh_Vertex( mesh, mesh->neighbours[k] )] );
		float rest = mesh->distances[k];
		isCrumpled = isCrumpled || length < CRUMPLED_LENGTH * rest || length > TORN_LENGTH * rest;
	}
	return isCrumpled;
}

enum
{
	crumplingUnknown,
	crumplingNone,
	crumplingSome,
};

static bool IsCrumpled( const supGuardWork* work, int32_t place )
{
	uint8_t* crumpling = work->crumpled + place;
	if ( *crumpling == crumplingUnknown )
	{
		*crumpling = MeasureCrumpling( work, place ) ? crumplingSome : crumplingNone;
	}
	return *crumpling == crumplingSome;
}

// ---------------------------------------------------------------------------------------------------------------------
// Where to look

static void MarkLink( const supGuardWork* work, int32_t link )
{
	work->linkMarks[link / 8] |= (uint8_t)( 1 << link % 8 );
}

// A place moves: what it is linked to is looked at again.
static void Move( const supGuardWork* work, int32_t place, supVec3 shift )
{
	const supGuardMesh* mesh = work->mesh;
	work->shifts[place] = ( supVec4 ){ shift.x, shift.y, shift.z, 0.0f };
	work->placeMarks[place] = 1;
	for ( int32_t link = mesh->linkStarts[place]; link < mesh->linkStarts[place + 1]; ++link )
	{
		MarkLink( work, link );
	}
	for ( int32_t k = mesh->starts[place]; k < mesh->edgeEnds[place]; ++k )
	{
		int32_t other = mesh->neighbours[k];
		for ( int32_t link = mesh->linkStarts[other]; other < place && link < mesh->linkStarts[other + 1]; ++link )
		{
			if ( mesh->linkTo[link] == place )
			{
				MarkLink( work, link );
			}
		}
	}
	for ( int32_t k = mesh->layerListStarts[place]; k < mesh->layerListStarts[place + 1]; ++k )
	{
		work->layerMarks[mesh->layerLists[k]] = 1;
	}
}

static void MarkLinkRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supMarkLongLinks )( context, begin, end );
}

static void MarkLayerRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supMarkLongLayers )( context, begin, end );
}

void supGuard_MarkLinks( const supGuardWork* work, float ratio, float free )
{
	const supGuardMesh* mesh = work->mesh;
	supLinkJob links = { .count = mesh->linkCount,
						 .from = mesh->linkFrom,
						 .to = mesh->linkTo,
						 .distances = mesh->linkDistances,
						 .shifts = work->shifts,
						 .ratio = ratio,
						 .free = free * mesh->size,
						 .marks = work->linkMarks };
	supParallelFor( work->tasks, supCountEights( mesh->linkCount ), SUP_GUARD_GRAIN, MarkLinkRange, &links );
}

// What is sheared too far before anything has moved.
static void MarkSheared( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	supGuard_MarkLinks( work, MAX_SHEAR_RATIO, FREE_SHEAR );
	supLayerJob layers = { .links = mesh->layers,
						   .shifts = work->shifts,
						   .ratio = MAX_LAYER_SHEAR_RATIO,
						   .free = FREE_LAYER_SHEAR * mesh->size,
						   .marks = work->layerMarks };
	supParallelFor( work->tasks, mesh->layerCount, 8 * SUP_GUARD_GRAIN, MarkLayerRange, &layers );
}

// ---------------------------------------------------------------------------------------------------------------------
// Sharing

// Linear blend skinning makes twisted limbs collapse, and what is round is sheared against it: what counts is what is
// sheared by both ways of skinning.
static bool ShareAlongLink( const supGuardWork* work, int32_t link )
{
	const supGuardMesh* mesh = work->mesh;
	int32_t a = mesh->linkFrom[link], b = mesh->linkTo[link];
	float most = MAX_SHEAR_RATIO * mesh->linkDistances[link] + FREE_SHEAR * mesh->size;
	supVec3 from = supDropW( work->shifts[a] ), to = supDropW( work->shifts[b] ), way = supSub( to, from );
	if ( IsLonger( way, most ) == false || work->allowed[a] * work->allowed[b] < 1.0f || IsCrumpled( work, a ) ||
		 IsCrumpled( work, b ) )
	{
		return false;
	}
	supVec3 dualFrom = supGuard_Shift( work, NULL, work->skin, a ),
			dualTo = supGuard_Shift( work, NULL, work->skin, b );
	supVec3 dualWay = supAdd( way, supSub( dualTo, dualFrom ) );
	if ( IsLonger( dualWay, most ) == false )
	{
		return false;
	}
	supVec3 half = HalfExcess( way, most, dualWay );
	Move( work, a, supAdd( from, half ) );
	Move( work, b, supSub( to, half ) );
	return true;
}

static bool ShareAlongEdges( const supGuardWork* work )
{
	int32_t count = supCountEights( work->mesh->linkCount );
	bool isSheared = false;
	for ( int32_t i = supNextMark( work->linkMarks, 0, count ); i < count;
		  i = supNextMark( work->linkMarks, i + 1, count ) )
	{
		// those that are marked behind the one at hand, by itself as well, have their turn in the next sweep
		for ( int32_t k = 0; k < 8; ++k )
		{
			bool isMarked = ( work->linkMarks[i] >> k & 1 ) != 0;
			work->linkMarks[i] &= ( uint8_t ) ~( 1 << k );
			isSheared = ( isMarked && ShareAlongLink( work, 8 * i + k ) ) || isSheared;
		}
	}
	return isSheared;
}

// The same between layers.
static bool ShareBetween( const supGuardWork* work, const supLayerLink* link )
{
	float most = MAX_LAYER_SHEAR_RATIO * link->distance + FREE_LAYER_SHEAR * work->mesh->size;
	supVec3 way = supScale( -1.0f, supDropW( work->shifts[link->place] ) );
	float squares = 0.0f, allowed = work->allowed[link->place];
	for ( int32_t k = 0; k < 3; ++k )
	{
		way = supMulAdd( way, link->weights[k], supDropW( work->shifts[link->others[k]] ) );
		squares += link->weights[k] * link->weights[k];
		allowed = supMinFloat( allowed, work->allowed[link->others[k]] );
	}
	if ( IsLonger( way, most ) == false || !( allowed >= 1.0f ) )
	{
		return false;
	}
	supVec3 half = HalfExcess( way, most, way );
	Move( work, link->place, supAdd( supDropW( work->shifts[link->place] ), half ) );
	for ( int32_t k = 0; k < 3; ++k )
	{
		supVec3 other = supDropW( work->shifts[link->others[k]] );
		Move( work, link->others[k], supMulAdd( other, -link->weights[k] / squares, half ) );
	}
	return true;
}

static bool ShareBetweenLayers( const supGuardWork* work )
{
	int32_t count = work->mesh->layerCount;
	bool isSheared = false;
	for ( int32_t i = supNextMark( work->layerMarks, 0, count ); i < count;
		  i = supNextMark( work->layerMarks, i + 1, count ) )
	{
		work->layerMarks[i] = 0;
		isSheared = ShareBetween( work, work->mesh->layers + i ) || isSheared;
	}
	return isSheared;
}

static bool ShareShear( const supGuardWork* work )
{
	bool isSheared = ShareAlongEdges( work );
	return ShareBetweenLayers( work ) || isSheared;
}

// The vertices of a place that has moved, as far as `needs` says.
static void MovePlace( const supGuardWork* work, int32_t place )
{
	const supGuardMesh* mesh = work->mesh;
	supVec3 now = supDropW( work->shifts[place] ), before = supGuard_Shift( work, work->skin, work->drawn, place );
	if ( now.x == before.x && now.y == before.y && now.z == before.z )
	{
		work->placeMarks[place] = 0;
		return;
	}
	supVec3 way = supScale( work->needs[place], supSub( now, before ) );
	for ( int32_t k = mesh->vertexListStarts[place]; k < mesh->vertexListStarts[place + 1]; ++k )
	{
		work->moved[mesh->vertexLists[k]] = supAdd( work->drawn[mesh->vertexLists[k]], way );
	}
}

// Gives back what would strain the skin far more than it was. True where that is anything.
static bool GiveWay( const supGuardWork* work )
{
	int32_t count = work->mesh->placeCount;
	bool isAny = false;
	for ( int32_t i = supNextMark( work->placeMarks, 0, count ); i < count;
		  i = supNextMark( work->placeMarks, i + 1, count ) )
	{
		float gain = supGuard_FindGain( work, work->drawn, work->moved, i );
		work->needs[i] *= gain;
		isAny = isAny || gain < 1.0f;
	}
	return isAny;
}

static void MovePlaces( const supGuardWork* work )
{
	int32_t count = work->mesh->placeCount;
	for ( int32_t i = supNextMark( work->placeMarks, 0, count ); i < count;
		  i = supNextMark( work->placeMarks, i + 1, count ) )
	{
		MovePlace( work, i );
	}
}

static void DrawMoved( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	memcpy( work->moved, work->drawn, (size_t)mesh->vertexCount * sizeof( supVec3 ) );
	for ( int32_t i = 0; i < mesh->placeCount; ++i )
	{
		work->needs[i] = 1.0f;
	}
	MovePlaces( work );
	for ( int32_t pass = 0; pass < SUP_GUARD_GAIN_PASSES && GiveWay( work ); ++pass )
	{
		MovePlaces( work );
	}
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		const supActorSurface* surface = work->actor->surfaces + i;
		memcpy( surface->positions, work->moved + mesh->vertexStarts[i],
				(size_t)surface->vertexCount * sizeof( supVec3 ) );
	}
}

// Before anything is blended: what the method draws, as skin can bear it. True where that is something else.
bool supGuard_LimitShear( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	memcpy( work->drawn, work->made, (size_t)mesh->vertexCount * sizeof( supVec3 ) );
	supGuard_RideShells( work );
	supGuard_FillShifts( work );
	supGuard_FindAllowed( work, false, SUP_LIMIT_CONTACT_REACH );
	memset( work->crumpled, crumplingUnknown, (size_t)mesh->placeCount );
	memset( work->placeMarks, 0, (size_t)mesh->placeCount );
	MarkSheared( work );
	bool isSheared = false;
	for ( int32_t sweep = 0; sweep < SHEAR_SWEEPS && ShareShear( work ); ++sweep )
	{
		isSheared = true;
	}
	if ( isSheared )
	{
		DrawMoved( work );
	}
	return isSheared;
}
