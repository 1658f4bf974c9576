// SPDX-License-Identifier: MIT
#include "volume/weights/bridges.h"

#include "core/sort.h"
#include "core/tasks.h"
#include "geometry/weld.h"
#include "volume/weights/point_weights.h"

#include <math.h>

#define GRAIN 256

// The part of their weights from which on two places are carried alike.
#define SAME_WEIGHT_RATIO 0.5f
// Bones that carry less of a place do not count.
#define LEAST_WEIGHT 0.1f

// In lengths of the element: farther from the skin, or with places farther from each other, there is flesh between them
// and no gap.
#define MOST_DEPTH 1.5f
#define MOST_SPAN 2.5f
// In the same: a clip parts what it moves this much farther from each other than at rest.
#define PARTING_DISTANCE_RATIO 1.0f
// Radius of the ball that a path over the skin must stay in, in distances between places and lengths of elements.
#define MAX_DETOUR_RATIO 2.0f

// Joints from bone to bone.
#define SAME_SHELL_STEPS 2
#define OTHER_SHELL_STEPS 4

// Poses that are looked at, about so many of all clips.
#define MOST_POSES 96

// ---------------------------------------------------------------------------------------------------------------------
// The skin as a graph of triangles

static int32_t NextCorner( int32_t corner )
{
	return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static void FindShells( supBridges* b )
{
	int32_t count = b->surface->triangleCount;
	for ( int32_t i = 0; i < count; ++i )
	{
		b->shells[i] = i;
	}
	for ( int32_t i = 0; i < 3 * count; ++i )
	{
		supUnite( b->shells, i / 3, b->rings[i] / 3 );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		b->shells[i] = supFindRoot( b->shells, i );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Where clips carry the bones

static int32_t CountPoses( const supCharacter* character, int32_t* perClip )
{
	int32_t clips = supCharacter_ClipCount( character );
	int32_t each = clips > 0 ? MOST_POSES / clips : 0;
	*perClip = each < 1 ? 1 : ( each > SUP_BRIDGE_POSES ? SUP_BRIDGE_POSES : each );
	return *perClip * ( clips < MOST_POSES ? clips : MOST_POSES );
}

float supBridges_PoseTime( float start, float end, int32_t index, int32_t count )
{
	return start + ( (float)index + 0.5f ) / (float)count * ( end - start );
}

static bool FindMoves( supBridges* b, const supCharacter* character, supArena* scratch )
{
	int32_t perClip, boneCount = b->bones->count;
	b->poseCount = CountPoses( character, &perClip );
	b->moves = supArena_AllocArray( &b->arena, (size_t)b->poseCount * (size_t)boneCount + 1, sizeof( supMat34 ) );
	supMat34* inverses = supArena_AllocArray( scratch, (size_t)boneCount, sizeof( supMat34 ) );
	supPose* pose = supCreatePose( character );
	bool ok = b->arena.failed == false && scratch->failed == false && pose != NULL;
	for ( int32_t i = 0; ok && i < boneCount; ++i )
	{
		inverses[i] = supMat34_identity;
		supInvertMat34( supPose_Worlds( pose )[b->bones->nodes[i]], inverses + i );
	}
	for ( int32_t p = 0; ok && p < b->poseCount; ++p )
	{
		const supClip* clip = supCharacter_Clip( character, p / perClip );
		supPose_SetRest( pose );
		supPose_ApplyClip( pose, clip, supBridges_PoseTime( clip->start, clip->end, p % perClip, perClip ) );
		const supMat34* worlds = supPose_Worlds( pose );
		for ( int32_t i = 0; i < boneCount; ++i )
		{
			b->moves[(size_t)p * (size_t)boneCount + (size_t)i] =
				supMulMat34( worlds[b->bones->nodes[i]], inverses[i] );
		}
	}
	supDestroyPose( pose );
	return ok;
}

static supVec3 Carry( const supBridges* b, int32_t pose, const supSkinPlace* place )
{
	const supMat34* moves = b->moves + (size_t)pose * (size_t)b->bones->count;
	supVec3 sum = supVec3_zero;
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES && place->weights[i] > 0.0f; ++i )
	{
		sum = supMulAdd( sum, place->weights[i], supTransformPoint( moves[place->joints[i]], place->point ) );
	}
	return sum;
}

static bool DoClipsPart( const supBridges* b, const supSkinPlace* one, const supSkinPlace* other, float far )
{
	bool are = false;
	for ( int32_t i = 0; i < b->poseCount && are == false; ++i )
	{
		are = supDistance( Carry( b, i, one ), Carry( b, i, other ) ) > far;
	}
	return are;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bones

// Of a bone below its root. Parents do not run in circles (supBones_Init), but may come behind their children.
static bool FindDepths( supBridges* b, supArena* scratch )
{
	const supBones* bones = b->bones;
	int32_t* chain = supArena_AllocArray( scratch, (size_t)bones->count, sizeof( int32_t ) );
	b->depths = supArena_AllocArray( &b->arena, (size_t)bones->count, sizeof( int32_t ) );
	if ( chain == NULL || b->depths == NULL )
	{
		return false;
	}
	memset( b->depths, 0xff, (size_t)bones->count * sizeof( int32_t ) );
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		int32_t count = 0, bone = i;
		for ( ; bone >= 0 && b->depths[bone] < 0; bone = bones->parents[bone] )
		{
			chain[count++] = bone;
		}
		for ( int32_t depth = bone >= 0 ? b->depths[bone] : -1; count > 0; )
		{
			b->depths[chain[--count]] = ++depth;
		}
	}
	return true;
}

// Joints from bone to bone, OTHER_SHELL_STEPS at most; as many between those of two skeletons.
static int32_t CountSteps( const supBridges* b, int32_t one, int32_t other )
{
	int32_t steps = 0;
	for ( ; one != other && steps < OTHER_SHELL_STEPS; ++steps )
	{
		bool isFirst = b->depths[one] >= b->depths[other];
		int32_t up = b->bones->parents[isFirst ? one : other];
		if ( up < 0 )
		{
			return OTHER_SHELL_STEPS;
		}
		one = isFirst ? up : one;
		other = isFirst ? other : up;
	}
	return steps;
}

static int32_t FewestSteps( const supBridges* bridges, const supSkinPlace* a, const supSkinPlace* b )
{
	int32_t fewest = OTHER_SHELL_STEPS;
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES && a->weights[i] >= LEAST_WEIGHT; ++i )
	{
		for ( int32_t k = 0; k < SUP_MAX_INFLUENCES && b->weights[k] >= LEAST_WEIGHT; ++k )
		{
			int32_t steps = CountSteps( bridges, a->joints[i], b->joints[k] );
			fewest = steps < fewest ? steps : fewest;
		}
	}
	return fewest;
}

// ---------------------------------------------------------------------------------------------------------------------
// Paths over the skin

// Triangle by triangle across edges that pass through the ball.
static bool AreConnected( supBridges* b, int32_t from, int32_t to, supVec3 middle, float radius )
{
	const supRestSurface* s = b->surface;
	int32_t count = 0;
	b->search += 1;
	b->seen[from] = b->search;
	b->stack[count++] = from;
	while ( count > 0 && b->seen[to] != b->search )
	{
		int32_t triangle = b->stack[--count];
		for ( int32_t corner = 3 * triangle; corner < 3 * triangle + 3; ++corner )
		{
			supSegment edge = { s->positions[s->indices[corner]], s->positions[s->indices[NextCorner( corner )]] };
			bool isNear = b->crossed[corner] != b->search && b->rings[corner] != corner &&
						  supDistanceToSegment( &edge, middle ) <= radius;
			for ( int32_t i = b->rings[corner]; isNear && i != corner; i = b->rings[i] )
			{
				b->crossed[i] = b->search;
				if ( b->seen[i / 3] != b->search )
				{
					b->seen[i / 3] = b->search;
					b->stack[count++] = i / 3;
				}
			}
		}
	}
	return b->seen[to] == b->search;
}

// ---------------------------------------------------------------------------------------------------------------------

bool supBridges_Init( supBridges* b, const supCharacter* character, const supRestSurface* surface,
					  const supBones* bones, supError* error )
{
	size_t vertices = (size_t)surface->vertexCount, triangles = (size_t)surface->triangleCount;
	supArena scratch = { 0 };
	b->surface = surface;
	b->bones = bones;
	b->joints = supArena_AllocArray( &b->arena, SUP_MAX_INFLUENCES * vertices, sizeof( uint16_t ) );
	b->weights = supArena_AllocArray( &b->arena, SUP_MAX_INFLUENCES * vertices, sizeof( float ) );
	b->rings = supArena_AllocArray( &b->arena, 3 * triangles, sizeof( int32_t ) );
	b->shells = supArena_AllocArray( &b->arena, triangles, sizeof( int32_t ) );
	b->seen = supArena_AllocZeroed( &b->arena, ( triangles + 1 ) * sizeof( int32_t ) );
	b->crossed = supArena_AllocZeroed( &b->arena, ( 3 * triangles + 1 ) * sizeof( int32_t ) );
	b->stack = supArena_AllocArray( &b->arena, triangles, sizeof( int32_t ) );
	int32_t* places = supArena_AllocArray( &scratch, vertices, sizeof( int32_t ) );
	bool ok = ( b->arena.failed == false && scratch.failed == false &&
				supWeld( surface->positions, surface->vertexCount, &scratch, places ) &&
				supRestSurface_FindRings( surface, places, &scratch, b->rings ) && FindDepths( b, &scratch ) &&
				FindMoves( b, character, &scratch ) ) ||
			  supSetMemoryError( error );
	supArena_Destroy( &scratch );
	ok = ok && supWeighVertices( character, surface, bones, b->joints, b->weights, NULL, error );
	b->tree =
		ok ? supCreateTree( surface->positions, surface->vertexCount, surface->indices, surface->triangleCount, error )
		   : NULL;
	if ( b->tree == NULL )
	{
		supBridges_Destroy( b );
		return false;
	}
	FindShells( b );
	return true;
}

void supBridges_Destroy( supBridges* bridges )
{
	supDestroyTree( bridges->tree );
	supArena_Destroy( &bridges->arena );
	*bridges = ( supBridges ){ 0 };
}

typedef struct Finding
{
	const supBridges* bridges;
	const supVec3* points;
	supSkinPlace* places;
} Finding;

static void FindRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Finding* f = context;
	const supBridges* b = f->bridges;
	for ( int32_t i = begin; i < end; ++i )
	{
		supTreeHit hit;
		bool found = supFindOwnSkin( b->tree, b->surface, f->points[i], &hit );
		f->places[i] = ( supSkinPlace ){ .from = f->points[i], .triangle = -1 };
		if ( found )
		{
			const uint32_t* corners = b->surface->indices + 3 * (size_t)hit.triangle;
			const float shares[3] = { 1.0f - hit.u - hit.v, hit.u, hit.v };
			f->places[i].triangle = hit.triangle;
			f->places[i].point = hit.point;
			supMixWeights( b->joints, b->weights, corners, shares, f->places[i].joints, f->places[i].weights );
		}
	}
}

void supBridges_FindPlaces( const supBridges* bridges, const supVec3* points, int32_t count, const supTasks* tasks,
							supSkinPlace* places )
{
	Finding finding = { bridges, points, places };
	supParallelFor( tasks, count, GRAIN, FindRange, &finding );
}

supSkinPlace supBridges_VertexPlace( const supBridges* b, int32_t vertex, int32_t triangle )
{
	size_t slot = SUP_MAX_INFLUENCES * (size_t)vertex;
	supVec3 p = b->surface->positions[vertex];
	supSkinPlace place = { .from = p, .point = p, .triangle = triangle };
	memcpy( place.joints, b->joints + slot, sizeof( place.joints ) );
	memcpy( place.weights, b->weights + slot, sizeof( place.weights ) );
	return place;
}

bool supBridges_AreApart( supBridges* bridges, const supSkinPlace* a, const supSkinPlace* b, float reach )
{
	if ( a->triangle < 0 || b->triangle < 0 || a->triangle == b->triangle ||
		 supWeightBond( a->joints, a->weights, b->joints, b->weights, SUP_MAX_INFLUENCES ) >= SAME_WEIGHT_RATIO )
	{
		return false;
	}
	float distance = supDistance( a->point, b->point );
	if ( supDistance( a->from, a->point ) > MOST_DEPTH * reach ||
		 supDistance( b->from, b->point ) > MOST_DEPTH * reach || distance > MOST_SPAN * reach )
	{
		return false;
	}
	bool isOneShell = bridges->shells[a->triangle] == bridges->shells[b->triangle];
	bool mayPart = FewestSteps( bridges, a, b ) >= ( isOneShell ? SAME_SHELL_STEPS : OTHER_SHELL_STEPS ) ||
				   DoClipsPart( bridges, a, b, distance + PARTING_DISTANCE_RATIO * reach );
	supVec3 middle = supLerp( a->point, b->point, 0.5f );
	return mayPart && ( isOneShell == false || AreConnected( bridges, a->triangle, b->triangle, middle,
															 MAX_DETOUR_RATIO * ( distance + reach ) ) == false );
}
