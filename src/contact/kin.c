// SPDX-License-Identifier: MIT
// Parts of a body that are where they are at rest, as seen from each other, do not touch.
//
// Each cluster X has a rigid motion F_X that takes it from rest to where it is now, but for its bend d_X, the farthest
// that a corner of its triangles is from where F_X takes it. Seen from X a point of a cluster Y, of mean m and radius r
// at rest, is off by no more than
//
//     D = d_X + d_Y + | F_X m - F_Y m | + r || R_X - R_Y ||_2
//
// so that a vertex and a triangle of the two that were l apart at rest are at least l - D apart now. A contact needs
// less than SUP_REST_SHARE_FRONT = 1/2 of l: there is none where l > 2 D. The least l of all vertices and triangles
// that are not neighbours is known for clusters that lie side by side (supContactSkin.kinDistances).
//
// What moves fast is looked at before and after the step. In between points move straight, which is what R does
// linearly from one to the other: it shrinks by no more than the cosine of half the angle that it turns by. Below a
// right angle that is more than 1/2, and l / 2 - D > 0 keeps the two apart all the way.
#include "contact/detection.h"
#include "contact/skin_build.h"
#include "core/tasks.h"

#define CLUSTER_GRAIN 16

// The norm of a difference of rotations is that of two of its three singular values, which are equal: a half of the sum
// of squares, and a hair more for what is rounded.
#define HALF 0.5001f

// Axes of a right-handed frame; false where the two directions are almost one, or not numbers.
static bool MakeAxes( supVec3 along, supVec3 across, supVec3 axes[3] )
{
	float length = supLength( along );
	axes[0] = supScale( 1.0f / length, along );
	supVec3 rest = supMulAdd( across, -supDot( across, axes[0] ), axes[0] );
	float width = supLength( rest );
	axes[1] = supScale( 1.0f / width, rest );
	axes[2] = supCross( axes[0], axes[1] );
	// false for NaN
	return length > 0.0f && width > 1e-4f * supLength( across ) && supIsUsable( axes[2] );
}

typedef struct Corners
{
	const supContactSkin* skin;
	const supSkinCluster* cluster;
} Corners;

// Of all vertices of the cluster's triangles.
static int32_t CountCorners( const Corners* c )
{
	return c->cluster->vertexCount + c->cluster->borderCount;
}

static int32_t Corner( const Corners* c, int32_t i )
{
	return i < c->cluster->vertexCount ? c->cluster->firstVertex + i
									   : c->skin->borders[c->cluster->firstBorder + i - c->cluster->vertexCount];
}

static bool FrameOf( const Corners* c, const supSkinFrame* rest, const supVec3* positions, supVec3* origin,
					 supVec3 axes[3] )
{
	int32_t count = CountCorners( c );
	supVec3 sum = supVec3_zero;
	for ( int32_t i = 0; i < count; ++i )
	{
		sum = supAdd( sum, positions[Corner( c, i )] );
	}
	*origin = supScale( 1.0f / (float)count, sum );
	supVec3 along = supVec3_zero, across = supVec3_zero;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t v = Corner( c, i );
		supVec3 at = supSub( positions[v], *origin ), lever = supSub( c->skin->rest[v], rest->mean );
		along = supMulAdd( along, supDot( lever, rest->along ), at );
		across = supMulAdd( across, supDot( lever, rest->across ), at );
	}
	return MakeAxes( along, across, axes );
}

// ---------------------------------------------------------------------------------------------------------------------
// At rest

void supMakeSkinFrame( const supContactSkin* skin, int32_t index )
{
	Corners c = { skin, skin->clusters + index };
	supSkinFrame* frame = skin->frames + index;
	*frame = ( supSkinFrame ){ .radius = -1.0f };
	int32_t count = CountCorners( &c );
	supVec3 sum = supVec3_zero;
	for ( int32_t i = 0; i < count; ++i )
	{
		sum = supAdd( sum, skin->rest[Corner( &c, i )] );
	}
	frame->mean = supScale( 1.0f / (float)count, sum );
	float radius = 0.0f, width = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		supVec3 lever = supSub( skin->rest[Corner( &c, i )], frame->mean );
		float length = supLength( lever );
		frame->along = length > radius ? supScale( 1.0f / length, lever ) : frame->along;
		radius = supMaxFloat( radius, length );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		supVec3 lever = supSub( skin->rest[Corner( &c, i )], frame->mean );
		lever = supMulAdd( lever, -supDot( lever, frame->along ), frame->along );
		float length = supLength( lever );
		frame->across = length > width ? supScale( 1.0f / length, lever ) : frame->across;
		width = supMaxFloat( width, length );
	}
	supVec3 origin;
	if ( FrameOf( &c, frame, skin->rest, &origin, frame->axes ) )
	{
		frame->radius = radius;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Now

static supVec3 Turn( const supVec3 columns[3], supVec3 v )
{
	return supMulAdd( supMulAdd( supScale( v.x, columns[0] ), v.y, columns[1] ), v.z, columns[2] );
}

static void MeasureBend( const supBodyState* b, int32_t index, const supVec3* positions, supClusterMotion* motion )
{
	Corners c = { b->skin, b->skin->clusters + index };
	const supSkinFrame* rest = b->skin->frames + index;
	supVec3 now[3];
	motion->bend = INFINITY;
	if ( rest->radius < 0.0f || FrameOf( &c, rest, positions, &motion->origin, now ) == false )
	{
		return;
	}
	const supVec3* m = rest->axes;
	motion->turn[0] = supMulAdd( supMulAdd( supScale( m[0].x, now[0] ), m[1].x, now[1] ), m[2].x, now[2] );
	motion->turn[1] = supMulAdd( supMulAdd( supScale( m[0].y, now[0] ), m[1].y, now[1] ), m[2].y, now[2] );
	motion->turn[2] = supMulAdd( supMulAdd( supScale( m[0].z, now[0] ), m[1].z, now[1] ), m[2].z, now[2] );
	float most = 0.0f;
	for ( int32_t i = 0; i < CountCorners( &c ); ++i )
	{
		int32_t v = Corner( &c, i );
		supVec3 there = supAdd( motion->origin, Turn( motion->turn, supSub( b->skin->rest[v], rest->mean ) ) );
		float squared = supLengthSquared( supSub( positions[v], there ) );
		most = squared <= most ? most : squared;
	}
	// not for NaN
	motion->bend = most < INFINITY ? sqrtf( most ) : INFINITY;
}

static void BendRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supDetector* detector = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supPlace place = detector->clusterPlaces[i];
		const supBodyState* b = detector->bodies + place.body;
		if ( b->body.positions == NULL || b->body.self == false )
		{
			continue;
		}
		supClusterState* state = b->clusters + place.index;
		MeasureBend( b, place.index, b->body.positions, &state->now );
		state->before.bend = INFINITY;
		// a pair may be fast where one of the two has half of it
		if ( b->moves && 2.0f * state->motion > SUP_SLOW * detector->settings.margin )
		{
			MeasureBend( b, place.index, b->body.previous, &state->before );
		}
		else if ( b->moves )
		{
			// as it is now, to within what it moves
			state->before = state->now;
			state->before.bend += state->motion;
			state->before.origin = supSub( state->now.origin, b->shift );
		}
	}
}

void supMeasureBends( supDetector* detector, const supTasks* tasks )
{
	if ( detector->atRest == false )
	{
		supParallelFor( tasks, detector->clusterTotal, CLUSTER_GRAIN, BendRange, detector );
	}
}

// No vertex of the first and no triangle of the other that are not neighbours are nearer at rest. Clusters are asked
// for in ascending order, and so are their kin listed.
static float RestDistance( const supContactSkin* skin, int32_t index, int32_t other, int32_t* kin )
{
	while ( *kin < skin->kinStarts[index + 1] && skin->kins[*kin] < other )
	{
		*kin += 1;
	}
	if ( *kin < skin->kinStarts[index + 1] && skin->kins[*kin] == other )
	{
		return skin->kinDistances[*kin];
	}
	const supSkinCluster *a = skin->clusters + index, *b = skin->clusters + other;
	return supDistance( a->center, b->center ) - a->radius - b->radius;
}

// How far points of the other may be from where the first takes them.
static float SeenFrom( const supSkinFrame* rest, const supClusterMotion* motion, const supSkinFrame* restOther,
					   const supClusterMotion* other )
{
	supVec3 there = supAdd( motion->origin, Turn( motion->turn, supSub( restOther->mean, rest->mean ) ) );
	float turn = 0.0f;
	for ( int32_t k = 0; k < 3; ++k )
	{
		turn += supLengthSquared( supSub( motion->turn[k], other->turn[k] ) );
	}
	return supDistance( there, other->origin ) + restOther->radius * sqrtf( HALF * turn );
}

static bool AreApart( float rest, float rounding, const supSkinFrame* x, const supClusterMotion* motionX,
					  const supSkinFrame* y, const supClusterMotion* motionY )
{
	float bend = motionX->bend + motionY->bend + rounding;
	// false for NaN
	return rest > 2.0f * bend && ( rest > 2.0f * ( bend + SeenFrom( x, motionX, y, motionY ) ) ||
								   rest > 2.0f * ( bend + SeenFrom( y, motionY, x, motionX ) ) );
}

static bool TurnsLittle( const supClusterMotion* before, const supClusterMotion* now )
{
	float trace = 0.0f;
	for ( int32_t k = 0; k < 3; ++k )
	{
		trace += supDot( before->turn[k], now->turn[k] );
	}
	// 1 + 2 cos of the angle
	return trace > 1.01f;
}

bool supAreAsAtRest( const supDetector* detector, const supBodyState* b, int32_t index, int32_t other, bool fast,
					 int32_t* kin )
{
	if ( detector->atRest )
	{
		return false;
	}
	const supSkinFrame *x = b->skin->frames + index, *y = b->skin->frames + other;
	const supClusterState *stateX = b->clusters + index, *stateY = b->clusters + other;
	// what frames lose is no more than what coordinates do
	float rest = RestDistance( b->skin, index, other, kin ), rounding = 4.0f * detector->rounding;
	return AreApart( rest, rounding, x, &stateX->now, y, &stateY->now ) &&
		   ( fast == false ||
			 ( TurnsLittle( &stateX->before, &stateX->now ) && TurnsLittle( &stateY->before, &stateY->now ) &&
			   AreApart( rest, rounding, x, &stateX->before, y, &stateY->before ) ) );
}
