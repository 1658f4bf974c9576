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
#include "contact/rest_culling_kernel.h"
#include "contact/skin_build.h"
#include "core/tasks.h"

#define CLUSTER_GRAIN 16

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

static supClusterVertices CornersOf( const supContactSkin* skin, int32_t index, const supVec3* positions )
{
	const supSkinCluster* cluster = skin->clusters + index;
	return ( supClusterVertices ){ .positions = positions,
								   .first = cluster->firstVertex,
								   .count = cluster->vertexCount,
								   .borders = skin->borders + cluster->firstBorder,
								   .borderCount = cluster->borderCount };
}

static bool FrameOf( const supContactSkin* skin, int32_t index, const supVec3* positions, supCornerLanes* lanes,
					 supVec3 axes[3] )
{
	const supSkinFrame* frame = skin->frames + index;
	supClusterVertices corners = CornersOf( skin, index, positions );
	SUP_CALL_KERNEL( supGatherCorners )
	( &corners, skin->levers + frame->firstLever, frame->along, frame->across, lanes );
	return MakeAxes( lanes->along, lanes->across, axes );
}

// ---------------------------------------------------------------------------------------------------------------------
// At rest

static supVec3 LeverOf( const float* levers, int32_t i )
{
	const float* block = levers + i / 8 * 24 + i % 8;
	return supMakeVec3( block[0], block[8], block[16] );
}

// Of all vertices of the cluster's triangles, from their mean.
static supVec3 FillLevers( const supContactSkin* skin, int32_t index, float* levers )
{
	supClusterVertices corners = CornersOf( skin, index, skin->rest );
	int32_t count = corners.count + corners.borderCount;
	supVec3 sum = supVec3_zero;
	for ( int32_t i = 0; i < count; ++i )
	{
		sum = supAdd( sum, skin->rest[i < corners.count ? corners.first + i : corners.borders[i - corners.count]] );
	}
	supVec3 mean = supScale( 1.0f / (float)count, sum );
	memset( levers, 0, (size_t)( ( count + 7 ) / 8 * 24 ) * sizeof( float ) );
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t v = i < corners.count ? corners.first + i : corners.borders[i - corners.count];
		supVec3 lever = supSub( skin->rest[v], mean );
		float* block = levers + i / 8 * 24 + i % 8;
		block[0] = lever.x;
		block[8] = lever.y;
		block[16] = lever.z;
	}
	return mean;
}

void supMakeSkinFrame( const supContactSkin* skin, int32_t index )
{
	const supSkinCluster* cluster = skin->clusters + index;
	supSkinFrame* frame = skin->frames + index;
	float* levers = skin->levers + frame->firstLever;
	int32_t count = cluster->vertexCount + cluster->borderCount;
	*frame = ( supSkinFrame ){ .radius = -1.0f, .firstLever = frame->firstLever };
	frame->mean = FillLevers( skin, index, levers );
	float radius = 0.0f, width = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		supVec3 lever = LeverOf( levers, i );
		float length = supLength( lever );
		frame->along = length > radius ? supScale( 1.0f / length, lever ) : frame->along;
		radius = supMaxFloat( radius, length );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		supVec3 lever = LeverOf( levers, i );
		lever = supMulAdd( lever, -supDot( lever, frame->along ), frame->along );
		float length = supLength( lever );
		frame->across = length > width ? supScale( 1.0f / length, lever ) : frame->across;
		width = supMaxFloat( width, length );
	}
	supCornerLanes lanes;
	if ( FrameOf( skin, index, skin->rest, &lanes, frame->axes ) )
	{
		frame->radius = radius;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Now

static void MeasureBend( const supBodyState* b, int32_t index, const supVec3* positions, supClusterMotion* motion )
{
	const supSkinCluster* cluster = b->skin->clusters + index;
	const supSkinFrame* rest = b->skin->frames + index;
	supCornerLanes lanes;
	supVec3 now[3];
	*motion = ( supClusterMotion ){ .bend = INFINITY };
	if ( rest->radius < 0.0f || FrameOf( b->skin, index, positions, &lanes, now ) == false )
	{
		return;
	}
	const supVec3* m = rest->axes;
	motion->origin = lanes.origin;
	motion->turn[0] = supMulAdd( supMulAdd( supScale( m[0].x, now[0] ), m[1].x, now[1] ), m[2].x, now[2] );
	motion->turn[1] = supMulAdd( supMulAdd( supScale( m[0].y, now[0] ), m[1].y, now[1] ), m[2].y, now[2] );
	motion->turn[2] = supMulAdd( supMulAdd( supScale( m[0].z, now[0] ), m[1].z, now[1] ), m[2].z, now[2] );
	int32_t count = cluster->vertexCount + cluster->borderCount;
	motion->bend = sqrtf(
		SUP_CALL_KERNEL( supFindFarthestOff )( &lanes, count, b->skin->levers + rest->firstLever, motion->turn ) );
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

// What is known of where it was; a bend of INFINITY where that is no help.
static supClusterMotion FindBefore( const supDetector* detector, const supBodyState* b, int32_t index,
									const supClusterMotion* now )
{
	float way = b->clusters[index].motion;
	supClusterMotion before = { .bend = INFINITY };
	// a pair may be fast where one of the two has half of it
	if ( b->moves && 2.0f * way > SUP_SLOW * detector->settings.margin )
	{
		MeasureBend( b, index, b->body.previous, &before );
		before.bend = TurnsLittle( &before, now ) ? before.bend : INFINITY;
	}
	else if ( b->moves )
	{
		// as it is now, to within what it moves
		before = *now;
		before.bend += way;
		before.origin = supSub( now->origin, b->shift );
	}
	return before;
}

static void SetMotion( supMotionBlock* block, int32_t lane, const supClusterMotion* motion )
{
	block->bend[lane] = motion->bend;
	block->origin[0][lane] = motion->origin.x;
	block->origin[1][lane] = motion->origin.y;
	block->origin[2][lane] = motion->origin.z;
	for ( int32_t k = 0; k < 3; ++k )
	{
		block->turn[k][0][lane] = motion->turn[k].x;
		block->turn[k][1][lane] = motion->turn[k].y;
		block->turn[k][2][lane] = motion->turn[k].z;
	}
}

static supClusterMotion GetMotion( const supMotionBlock* blocks, int32_t index )
{
	const supMotionBlock* block = blocks + index / 8;
	int32_t lane = index % 8;
	supClusterMotion motion = {
		.bend = block->bend[lane],
		.origin = { block->origin[0][lane], block->origin[1][lane], block->origin[2][lane] },
	};
	for ( int32_t k = 0; k < 3; ++k )
	{
		motion.turn[k] = supMakeVec3( block->turn[k][0][lane], block->turn[k][1][lane], block->turn[k][2][lane] );
	}
	return motion;
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
		supClusterMotion now, before;
		MeasureBend( b, place.index, b->body.positions, &now );
		before = FindBefore( detector, b, place.index, &now );
		b->frames[place.index / 8].motion[place.index % 8] = b->clusters[place.index].motion;
		SetMotion( b->nows + place.index / 8, place.index % 8, &now );
		SetMotion( b->befores + place.index / 8, place.index % 8, &before );
	}
}

void supMeasureBends( supDetector* detector, const supTasks* tasks )
{
	if ( detector->atRest == false )
	{
		supParallelFor( tasks, detector->clusterTotal, CLUSTER_GRAIN, BendRange, detector );
	}
}

supKinView supLookAtKin( const supBodyState* b, int32_t cluster )
{
	return ( supKinView ){ .cluster = cluster,
						   .at = b->skin->kinStarts[cluster],
						   .now = GetMotion( b->nows, cluster ),
						   .before = GetMotion( b->befores, cluster ) };
}

// Their least distances at rest, as far as they are known. Blocks are asked for in ascending order, and so listed.
static const float* FindKnown( const supContactSkin* skin, supKinView* view, int32_t block )
{
	int32_t end = skin->kinStarts[view->cluster + 1];
	while ( view->at < end && skin->kinBlocks[view->at] < block )
	{
		view->at += 1;
	}
	bool isKnown = view->at < end && skin->kinBlocks[view->at] == block;
	return isKnown ? skin->kinDistances + 8 * (size_t)view->at : NULL;
}

uint32_t supMaskAsAtRest( const supDetector* detector, const supBodyState* b, int32_t base, uint32_t bits,
						  supKinView* view )
{
	if ( detector->atRest )
	{
		return 0;
	}
	supApartQuery query = { .view = view,
							.cluster = b->skin->clusters + view->cluster,
							.frame = b->skin->frames + view->cluster,
							.motion = b->clusters[view->cluster].motion,
							.slow = b->moves ? SUP_SLOW * detector->settings.margin : INFINITY,
							// what frames lose is no more than what coordinates do
							.rounding = 4.0f * detector->rounding };
	uint32_t kept = 0;
	for ( int32_t i = 0; 8 * i < 32; ++i )
	{
		int32_t block = base / 8 + i;
		if ( ( bits >> ( 8 * i ) & 0xFFu ) != 0 )
		{
			query.known = FindKnown( b->skin, view, block );
			query.frames = b->frames + block;
			query.cones = b->cones + block;
			query.nows = b->nows + block;
			query.befores = b->befores + block;
			kept |= SUP_CALL_KERNEL( supMaskApart )( &query ) << ( 8 * i );
		}
	}
	return kept & bits;
}
