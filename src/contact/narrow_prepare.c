// SPDX-License-Identifier: MIT
// From pairs of patches to clusters that are ready for the narrow phase.
#include "contact/narrow.h"
#include "core/tasks.h"

#include <stdatomic.h>

#define PATCH_GRAIN 2
#define CLUSTER_GRAIN 8

// ---------------------------------------------------------------------------------------------------------------------
// Partners of each patch

static supPatchState* PatchOf( const supDetector* detector, int32_t patch )
{
	supPlace place = detector->patchPlaces[patch];
	return detector->bodies[place.body].patches + place.index;
}

static void AddPartner( supDetector* detector, int32_t patch, int32_t partner, supVec3 direction )
{
	supPatchState* state = PatchOf( detector, patch );
	supPartner* partners = detector->partners + state->firstPartner;
	int32_t at = state->partnerCount++;
	for ( ; at > 0 && partners[at - 1].patch > partner; --at )
	{
		partners[at] = partners[at - 1];
	}
	partners[at] = ( supPartner ){ partner, direction };
}

// Of each patch, in ascending order.
void supListPartners( supDetector* detector )
{
	for ( int32_t i = 0; i < detector->pairCount; ++i )
	{
		const supPatchPair* pair = detector->pairs + i;
		PatchOf( detector, pair->first )->partnerCount += 1;
		PatchOf( detector, pair->second )->partnerCount += pair->first != pair->second;
	}
	int32_t sum = 0;
	for ( int32_t i = 0; i < detector->patchTotal; ++i )
	{
		supPatchState* patch = PatchOf( detector, i );
		patch->firstPartner = sum;
		sum += patch->partnerCount;
		patch->partnerCount = 0;
	}
	for ( int32_t i = 0; i < detector->pairCount; ++i )
	{
		const supPatchPair* pair = detector->pairs + i;
		AddPartner( detector, pair->first, pair->second, pair->direction );
		if ( pair->first != pair->second )
		{
			AddPartner( detector, pair->second, pair->first, supNeg( pair->direction ) );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Clusters within reach of a partner

// Of another body.
static bool IsNearPartner( const supDetector* detector, const supBodyState* b, const supPatchState* patch, supBox box )
{
	box = supBox_Grow( box, detector->reach );
	for ( int32_t i = patch->firstPartner; i < patch->firstPartner + patch->partnerCount; ++i )
	{
		supPlace place = detector->patchPlaces[detector->partners[i].patch];
		const supBodyState* other = detector->bodies + place.body;
		supBox seen = supSeeFrom( box, b, other );
		if ( other == b || supBox_Touch( &seen, &other->patches[place.index].box ) == false )
		{
			continue;
		}
		const supSkinPatch* theirs = other->skin->patches + place.index;
		int32_t first = theirs->firstCluster, end = first + theirs->clusterCount;
		for ( int32_t base = first / 8 * 8; base < end; base += 32 )
		{
			if ( supMaskTouching( other, base, first, end, &seen ) != 0 )
			{
				return true;
			}
		}
	}
	return false;
}

// May a vertex of the cluster touch one of those that the bits tell, from `base` on?
static bool MayTouchOwn( const supDetector* detector, const supBodyState* b, int32_t base, uint32_t bits,
						 supKinView* view )
{
	float squared[32];
	bits = supMaskNearOwn( detector, b, view->cluster, base, bits, false, squared );
	bits &= ~supMaskAsAtRest( detector, b, base, bits, view );
	while ( bits != 0 && supContactSkin_TouchAtRest( b->skin, view->cluster, base + __builtin_ctz( bits ) ) )
	{
		bits &= bits - 1;
	}
	return bits != 0;
}

// Clusters of the same body within reach: is there one that may be touched? Or marks them all.
static bool LookAtOwn( const supDetector* detector, const supBodyState* b, const supPatchState* patch, int32_t cluster,
					   bool mark )
{
	supBox box = supBox_Grow( b->clusters[cluster].box, detector->reach );
	supKinView view;
	if ( mark == false )
	{
		view = supLookAtKin( b, cluster );
	}
	for ( int32_t i = patch->firstPartner; i < patch->firstPartner + patch->partnerCount; ++i )
	{
		supPlace place = detector->patchPlaces[detector->partners[i].patch];
		if ( detector->bodies + place.body != b || supBox_Touch( &box, &b->patches[place.index].box ) == false )
		{
			continue;
		}
		const supSkinPatch* other = b->skin->patches + place.index;
		int32_t first = other->firstCluster, end = first + other->clusterCount;
		for ( int32_t base = first / 8 * 8; base < end; base += 32 )
		{
			uint32_t bits = supMaskTouching( b, base, first, end, &box );
			if ( mark == false && bits != 0 && MayTouchOwn( detector, b, base, bits, &view ) )
			{
				return true;
			}
			for ( ; mark && bits != 0; bits &= bits - 1 )
			{
				atomic_store_explicit( b->looked + base + __builtin_ctz( bits ), 1, memory_order_relaxed );
			}
		}
	}
	return false;
}

static void ChooseRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supDetector* detector = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supPlace place = detector->patchPlaces[i];
		const supBodyState* b = detector->bodies + place.body;
		const supSkinPatch* patch = b->skin->patches + place.index;
		const supPatchState* state = b->patches + place.index;
		for ( int32_t k = patch->firstCluster; k < patch->firstCluster + patch->clusterCount; ++k )
		{
			bool present = b->body.positions != NULL && supBox_IsEmpty( b->clusters[k].box ) == false;
			bool touches = present && b->body.self && LookAtOwn( detector, b, state, k, false );
			if ( touches )
			{
				LookAtOwn( detector, b, state, k, true );
			}
			b->needed[k] =
				present && ( detector->crowded || touches || IsNearPartner( detector, b, state, b->clusters[k].box ) );
		}
	}
}

void supChooseClusters( supDetector* detector, const supTasks* tasks )
{
	for ( int32_t i = 0; i < detector->clusterTotal; ++i )
	{
		supPlace place = detector->clusterPlaces[i];
		atomic_init( detector->bodies[place.body].looked + place.index, 0 );
	}
	supParallelFor( tasks, detector->patchTotal, PATCH_GRAIN, ChooseRange, detector );
	detector->activeCount = detector->preparedCount = 0;
	for ( int32_t i = 0; i < detector->clusterTotal; ++i )
	{
		supPlace place = detector->clusterPlaces[i];
		const supBodyState* b = detector->bodies + place.body;
		if ( b->needed[place.index] )
		{
			detector->active[detector->activeCount++] = i;
		}
		if ( b->needed[place.index] || atomic_load_explicit( b->looked + place.index, memory_order_relaxed ) )
		{
			detector->prepared[detector->preparedCount++] = i;
			b->needed[place.index] = 1;
		}
	}
	detector->stats.clusters = detector->activeCount;
}

// ---------------------------------------------------------------------------------------------------------------------
// Triangles side by side, normals, cones

// Normals of its own vertices, and the cone around all.
static void PrepareNormals( const supBodyState* b, int32_t index, const supVec3* areas )
{
	const supSkinCluster* cluster = b->skin->clusters + index;
	const int32_t* corners = b->skin->corners + 3 * (size_t)cluster->firstTriangle;
	size_t room = (size_t)( cluster->vertexCount + 7 ) / 8 * 8 * sizeof( float );
	supAreaSums sums;
	memset( sums.x, 0, room );
	memset( sums.y, 0, room );
	memset( sums.z, 0, room );
	for ( int32_t i = 0; i < cluster->triangleCount; ++i )
	{
		supVec3 area = areas[i];
		for ( int32_t k = 0; k < 3; ++k )
		{
			int32_t v = corners[3 * i + k] - cluster->firstVertex;
			if ( v >= 0 && v < cluster->vertexCount )
			{
				sums.x[v] += area.x;
				sums.y[v] += area.y;
				sums.z[v] += area.z;
			}
		}
	}
	supVec3 axis = b->clusters[index].axis;
	const supTriangleBlock* blocks = b->blocks + (size_t)index * SUP_CLUSTER_BLOCKS;
	float least = SUP_CALL_KERNEL( supFinishNormals )( &sums, cluster->vertexCount, blocks, cluster->triangleCount,
													   axis, b->normals + cluster->firstVertex );
	supConeBlock* cone = b->cones + index / 8;
	int32_t lane = index % 8;
	// a hair wider than what was rounded
	float cosine = supMaxFloat( least - 1e-3f, -1.0f );
	cone->axis[0][lane] = axis.x;
	cone->axis[1][lane] = axis.y;
	cone->axis[2][lane] = axis.z;
	cone->cosine[lane] = cosine;
	cone->sine[lane] = sqrtf( supMaxFloat( 1.0f - cosine * cosine, 0.0f ) );
}

static void PrepareCluster( const supBodyState* b, int32_t index )
{
	const supSkinCluster* cluster = b->skin->clusters + index;
	supTriangleBlock* blocks = b->blocks + (size_t)index * SUP_CLUSTER_BLOCKS;
	supVec3 areas[SUP_CLUSTER_TRIANGLES], sum = supVec3_zero;
	const int32_t* corners = b->skin->corners + 3 * (size_t)cluster->firstTriangle;
	SUP_CALL_KERNEL( supFillBlocks )( b->body.positions, corners, cluster->triangleCount, blocks, areas );
	for ( int32_t i = 0; i < cluster->triangleCount; ++i )
	{
		sum = supAdd( sum, areas[i] );
	}
	b->clusters[index].axis = supNormalize( sum );
	if ( b->body.self )
	{
		PrepareNormals( b, index, areas );
	}
}

static void PrepareRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supDetector* detector = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supPlace place = detector->clusterPlaces[detector->prepared[i]];
		PrepareCluster( detector->bodies + place.body, place.index );
	}
}

void supPrepareClusters( supDetector* detector, const supTasks* tasks )
{
	supParallelFor( tasks, detector->preparedCount, CLUSTER_GRAIN, PrepareRange, detector );
}
