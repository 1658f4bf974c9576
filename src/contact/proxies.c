// SPDX-License-Identifier: MIT
// Boxes around clusters and patches, and the convex proxies of patches.
//
// A proxy is the convex hull of up to 32 vertices that were extreme at rest, where they are now. Every other vertex of
// the patch is a fixed mix of four of them plus its displacement from that (paper 000, section 5.3: the hull grown by
// the largest skin displacement of this frame). The mix is inside the hull whatever the hull has become, so that hull
// and radius contain the patch, however it is bent.
#include "contact/narrow_kernel.h"
#include "core/tasks.h"

#include <stdatomic.h>

#define CLUSTER_GRAIN 16
#define PATCH_GRAIN 4
#define PAIR_GRAIN 8

// The shift is the median of so many vertices' motion. Any shift is right; this one is good, also where some vertices
// are far out.
#define SHIFT_SAMPLES 32

static float TakeMedian( float* values, int32_t count )
{
	for ( int32_t i = 1; i < count; ++i )
	{
		float value = values[i];
		int32_t at = i;
		for ( ; at > 0 && values[at - 1] > value; --at )
		{
			values[at] = values[at - 1];
		}
		values[at] = value;
	}
	return count > 0 ? values[count / 2] : 0.0f;
}

static supVec3 FindShift( const supBodyState* b )
{
	int32_t vertices = b->skin->vertexCount;
	int32_t step = vertices / SHIFT_SAMPLES + 1;
	float x[SHIFT_SAMPLES], y[SHIFT_SAMPLES], z[SHIFT_SAMPLES];
	int32_t count = 0;
	for ( int32_t v = 0; v < vertices; v += step )
	{
		supVec3 now = b->body.positions[v], before = b->body.previous[v];
		if ( supIsUsable( now ) && supIsUsable( before ) )
		{
			supVec3 motion = supSub( now, before );
			x[count] = motion.x;
			y[count] = motion.y;
			z[count++] = motion.z;
		}
	}
	return supMakeVec3( TakeMedian( x, count ), TakeMedian( y, count ), TakeMedian( z, count ) );
}

// How large coordinates are, not counting a few vertices that are far out: what they lose by rounding is theirs.
static float FindScale( const supBodyState* b )
{
	int32_t vertices = b->skin->vertexCount;
	int32_t step = vertices / SHIFT_SAMPLES + 1;
	float sizes[SHIFT_SAMPLES];
	int32_t count = 0;
	for ( int32_t v = 0; v < vertices; v += step )
	{
		supVec3 p = b->body.positions[v];
		if ( supIsUsable( p ) )
		{
			sizes[count++] = supMaxFloat( supMaxFloat( fabsf( p.x ), fabsf( p.y ) ), fabsf( p.z ) );
		}
	}
	return 2.0f * TakeMedian( sizes, count ) + b->skin->size + supLength( b->shift );
}

// Returns 1 where it cannot be used, and is left out.
static inline int32_t IncludeVertex( supClusterBounds* bounds, const supBodyState* b, int32_t vertex )
{
	supVec3 now = b->body.positions[vertex];
	if ( supIsUsable( now ) == false )
	{
		return 1;
	}
	bounds->box = supBox_Include( bounds->box, now );
	if ( b->moves )
	{
		supVec3 before = supGetBefore( b, vertex, b->shift );
		bounds->box = supBox_Include( bounds->box, before );
		bounds->motionSquared = supMaxFloat( bounds->motionSquared, supLengthSquared( supSub( now, before ) ) );
	}
	return 0;
}

// Of a cluster some of whose vertices cannot be used. Returns how many of its own.
static int32_t BoundSome( const supBodyState* b, const supSkinCluster* cluster, supClusterBounds* bounds )
{
	*bounds = ( supClusterBounds ){ .box = supBox_empty };
	int32_t notFinite = 0;
	for ( int32_t v = cluster->firstVertex; v < cluster->firstVertex + cluster->vertexCount; ++v )
	{
		notFinite += IncludeVertex( bounds, b, v );
	}
	for ( int32_t k = cluster->firstBorder; k < cluster->firstBorder + cluster->borderCount; ++k )
	{
		IncludeVertex( bounds, b, b->skin->borders[k] );
	}
	return notFinite;
}

static void BoundClusters( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supDetector* detector = context;
	int32_t notFinite = 0;
	for ( int32_t i = begin; i < end; ++i )
	{
		supPlace place = detector->clusterPlaces[i];
		supBodyState* b = detector->bodies + place.body;
		if ( b->body.positions == NULL )
		{
			continue;
		}
		const supSkinCluster* cluster = b->skin->clusters + place.index;
		supClusterVertices vertices = { .positions = b->body.positions,
										.previous = b->moves ? b->body.previous : NULL,
										.shift = b->shift,
										.first = cluster->firstVertex,
										.count = cluster->vertexCount,
										.borders = b->skin->borders + cluster->firstBorder,
										.borderCount = cluster->borderCount };
		supClusterBounds bounds;
		if ( SUP_CALL_KERNEL( supBoundVertices )( &vertices, &bounds ) == false )
		{
			notFinite += BoundSome( b, cluster, &bounds );
		}
		b->clusters[place.index].box = bounds.box;
		supSetInBlock( b->boxBlocks + place.index / 8, place.index % 8, bounds.box );
		b->clusters[place.index].motion = sqrtf( bounds.motionSquared );
	}
	if ( notFinite > 0 )
	{
		atomic_fetch_add( &detector->notFinite, notFinite );
	}
}

static void BoundPatches( supBodyState* b )
{
	b->box = supBox_empty;
	for ( int32_t i = 0; i < b->skin->patchCount; ++i )
	{
		const supSkinPatch* patch = b->skin->patches + i;
		supBox box = supBox_empty;
		float motion = 0.0f;
		for ( int32_t k = patch->firstCluster; k < patch->firstCluster + patch->clusterCount; ++k )
		{
			box = supBox_Unite( box, b->clusters[k].box );
			motion = supMaxFloat( motion, b->clusters[k].motion );
		}
		b->patches[i].box = box;
		b->patches[i].motion = motion;
		b->box = supBox_Unite( b->box, box );
	}
}

void supUpdateBounds( supDetector* detector, const supTasks* tasks )
{
	atomic_store( &detector->notFinite, 0 );
	for ( int32_t i = 0; i < detector->bodyCount; ++i )
	{
		supBodyState* b = detector->bodies + i;
		b->moves = b->body.positions != NULL && b->body.previous != NULL;
		b->shift = b->moves ? FindShift( b ) : supVec3_zero;
		b->scale = b->body.positions != NULL ? FindScale( b ) : 0.0f;
	}
	supParallelFor( tasks, detector->clusterTotal, CLUSTER_GRAIN, BoundClusters, detector );
	for ( int32_t i = 0; i < detector->bodyCount; ++i )
	{
		detector->bodies[i].box = supBox_empty;
		if ( detector->bodies[i].body.positions != NULL )
		{
			BoundPatches( detector->bodies + i );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Proxies

// A point that is not finite stays away, and mixes with it are held by another of the four.
static void MeasureProxy( const supBodyState* b, int32_t index, supPatchState* state )
{
	const supSkinPatch* patch = b->skin->patches + index;
	supVec3 fallback = supVec3_zero;
	for ( int32_t i = 0; i < patch->pointCount; ++i )
	{
		supVec3 p = b->body.positions[patch->points[i]];
		fallback = supIsUsable( p ) ? p : fallback;
		state->points[i] = p;
	}
	for ( int32_t i = 0; i < patch->pointCount; ++i )
	{
		state->points[i] = supIsUsable( state->points[i] ) ? state->points[i] : fallback;
	}
	state->pointCount = patch->pointCount;
	float largest = 0.0f;
	for ( int32_t i = patch->firstMember; i < patch->firstMember + patch->memberCount; ++i )
	{
		const supSkinMember* member = b->skin->members + i;
		supVec3 p = b->body.positions[member->vertex];
		supVec3 mix = supScale( member->weights[0], state->points[member->points[0]] );
		for ( int32_t k = 1; k < 4; ++k )
		{
			mix = supMulAdd( mix, member->weights[k], state->points[member->points[k]] );
		}
		float squared = supLengthSquared( supSub( p, mix ) );
		largest = supIsUsable( p ) ? supMaxFloat( largest, squared ) : largest;
	}
	// the mix is off by a few roundings of the coordinates
	supVec3 lower = state->box.lower, upper = state->box.upper;
	float rounding = 1e-6f * ( supLength( lower ) + supLength( upper ) );
	state->radius = sqrtf( largest ) + state->motion + rounding;
}

static void MeasureRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supDetector* detector = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supPlace place = detector->patchPlaces[i];
		const supBodyState* b = detector->bodies + place.body;
		if ( b->patches[place.index].needed )
		{
			MeasureProxy( b, place.index, b->patches + place.index );
		}
	}
}

// Of the patches that the broad phase found pairs of whose distance counts.
void supMeasureProxies( supDetector* detector, const supTasks* tasks )
{
	supParallelFor( tasks, detector->patchTotal, PATCH_GRAIN, MeasureRange, detector );
}

bool supAreOfOneBody( const supDetector* detector, const supPatchPair* pair )
{
	return detector->patchPlaces[pair->first].body == detector->patchPlaces[pair->second].body;
}

static bool AreNear( const supDetector* detector, supPatchPair* pair )
{
	supPlace first = detector->patchPlaces[pair->first], second = detector->patchPlaces[pair->second];
	const supBodyState* a = detector->bodies + first.body;
	const supBodyState* b = detector->bodies + second.body;
	pair->direction = supVec3_zero;
	if ( a == b )
	{
		return true;
	}
	const supPatchState* p = a->patches + first.index;
	const supPatchState* q = b->patches + second.index;
	supConvex hull = { p->points, p->pointCount, p->radius };
	supConvex other = { q->points, q->pointCount, q->radius };
	supGjkResult result = supMeasureConvexDistance( &hull, &other );
	float drift = supDistance( a->shift, b->shift );
	pair->direction = supNeg( result.normal );
	return result.distance <= detector->reach + drift;
}

static void FilterRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supDetector* detector = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supPatchPair* pair = detector->pairs + i;
		pair->near = AreNear( detector, pair );
	}
}

// Keeps the pairs whose proxies are within reach, in their order.
void supFilterPairs( supDetector* detector, const supTasks* tasks )
{
	supParallelFor( tasks, detector->pairCount, PAIR_GRAIN, FilterRange, detector );
	int32_t count = 0;
	for ( int32_t i = 0; i < detector->pairCount; ++i )
	{
		if ( detector->pairs[i].near )
		{
			detector->pairs[count++] = detector->pairs[i];
		}
	}
	detector->pairCount = count;
}
