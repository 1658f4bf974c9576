// SPDX-License-Identifier: MIT
// Poses that scale bones (squash and stretch): lengths and volumes at rest follow, else the constraints would undo what
// the animator did. What they follow is the rest pose with the scales and places of joints of this one, in which
// nothing is turned: who squashes a body makes its joints wider and brings them nearer to each other. Particles skinned
// there tell how long an edge and how large a tet is to be. All of it is left out where no bone is scaled.
#include "character/pose.h"
#include "core/tasks.h"
#include "method/position/position.h"

#define GRAIN 512

// A scale that differs by less than this part is rounding.
#define NO_CHANGE 1e-4f

// What is scaled to nothing is still this large, so that it has a direction to come back in.
#define LEAST_SCALE 1e-3f
#define LEAST_GROWTH ( LEAST_SCALE * LEAST_SCALE * LEAST_SCALE )

typedef struct Scaling
{
	const supPositionFlesh* flesh;
	const supPositionView* view;
	float* stretch;
	float* bind;
	float* volume;
} Scaling;

static bool IsScaled( supVec3 scale, supVec3 rest )
{
	return supDistance( scale, rest ) > NO_CHANGE * supLength( rest );
}

bool supPosition_MayScale( const supPositionFlesh* flesh, const supPose* pose )
{
	const supCharacter* character = pose->character;
	for ( int32_t i = 0; i < character->nodeCount && character->nodeCount <= flesh->nodeCount; ++i )
	{
		const supNode* node = character->nodes + i;
		supVec3 rest = node->rest.scale;
		// half of what counts, so that no pose between two that pass counts
		if ( node->hasMatrix == false &&
			 supDistance( pose->locals[i].scale, rest ) > 0.5f * NO_CHANGE * supLength( rest ) )
		{
			return true;
		}
	}
	return false;
}

// The nodes at rest but for their scales and places. False where the scales are at rest, too.
static bool ScaleNodes( const supPose* pose, supMat34* worlds )
{
	const supCharacter* character = pose->character;
	bool scaled = false;
	for ( int32_t i = 0; i < character->nodeCount && scaled == false; ++i )
	{
		const supNode* node = character->nodes + i;
		scaled = node->hasMatrix == false && IsScaled( pose->locals[i].scale, node->rest.scale );
	}
	for ( int32_t i = 0; scaled && i < character->nodeCount; ++i )
	{
		int32_t index = character->nodeOrder[i];
		const supNode* node = character->nodes + index;
		supTransform local = node->rest;
		local.scale = pose->locals[index].scale;
		local.translation = pose->locals[index].translation;
		supMat34 m = node->hasMatrix ? node->matrix : supMakeMat34Transform( local );
		worlds[index] = node->parent >= 0 ? supMulMat34( worlds[node->parent], m ) : m;
	}
	return scaled;
}

static void SkinRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Scaling* s = context;
	const supPositionFlesh* flesh = s->flesh;
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 sum = supVec3_zero;
		for ( int32_t k = 0; k < flesh->influences; ++k )
		{
			size_t slot = (size_t)i * (size_t)flesh->influences + (size_t)k;
			supVec3 p = supTransformPoint( s->view->scaledBones[flesh->joints[slot]], flesh->rest[i] );
			sum = supMulAdd( sum, flesh->weights[slot], p );
		}
		s->view->scaledRest[i] = sum;
	}
}

// Written so that what is not a number becomes the least.
static float AtLeast( float scale, float least )
{
	return scale > least ? scale : least;
}

static void ScaleEdges( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Scaling* s = context;
	for ( int32_t i = SUP_PACK * begin; i < SUP_PACK * end; ++i )
	{
		const supStretchPack* pack = s->flesh->stretchPacks + i / SUP_PACK;
		int32_t lane = i % SUP_PACK;
		float length =
			supDistance( s->view->scaledRest[pack->first[lane] / 16], s->view->scaledRest[pack->second[lane] / 16] );
		s->stretch[i] = AtLeast( length / pack->length[lane], LEAST_SCALE );
	}
}

static void ScaleBinds( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Scaling* s = context;
	for ( int32_t i = SUP_PACK * begin; i < SUP_PACK * end; ++i )
	{
		const supBindPack* pack = s->flesh->bindPacks + i / SUP_PACK;
		int32_t lane = i % SUP_PACK;
		supVec3 anchor = supTransformPoint( s->view->scaledBones[s->flesh->bindBones[i]], s->flesh->bindAnchors[i] );
		float length = supDistance( s->view->scaledRest[pack->particle[lane] / 16], anchor );
		s->bind[i] = AtLeast( length / pack->length[lane], LEAST_SCALE );
	}
}

static void ScaleTets( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Scaling* s = context;
	for ( int32_t i = SUP_PACK * begin; i < SUP_PACK * end; ++i )
	{
		const supVolumePack* pack = s->flesh->volumePacks + i / SUP_PACK;
		supVec3 p[4];
		for ( int32_t k = 0; k < 4; ++k )
		{
			p[k] = s->view->scaledRest[pack->corners[k][i % SUP_PACK] / 16];
		}
		float volume = supDot( supCross( supSub( p[1], p[0] ), supSub( p[2], p[0] ) ), supSub( p[3], p[0] ) );
		s->volume[i] = volume / pack->volume[i % SUP_PACK];
	}
}

// By how much the parts, and all of them together, are to grow; in a fixed order. Tets that the scales turn inside out
// count with their sign, so that the sum is what the surface encloses: a body that is squashed flat folds many of them.
// Each of them alone is to be at least as large as nothing.
static void SumGrowths( const Scaling* s )
{
	const supPositionFlesh* flesh = s->flesh;
	float* growths = s->view->partGrowths;
	double before = 0.0, larger = 0.0;
	memset( growths, 0, (size_t)flesh->partCount * sizeof( float ) );
	for ( int32_t i = 0; i < SUP_PACK * flesh->volume.packCount; ++i )
	{
		const supVolumePack* pack = flesh->volumePacks + i / SUP_PACK;
		int32_t lane = i % SUP_PACK;
		s->volume[i] = supIsFinite( s->volume[i] ) ? s->volume[i] : 1.0f;
		// a pack that is not full repeats its first
		if ( lane == 0 || pack->corners[0][lane] != pack->corners[0][0] )
		{
			int32_t part = flesh->particleParts[pack->corners[0][lane] / 16];
			double change = (double)( ( s->volume[i] - 1.0f ) * pack->volume[lane] );
			before += (double)pack->volume[lane];
			larger += change;
			growths[part] += flesh->partVolumes[part] > 0.0 ? (float)( change / flesh->partVolumes[part] ) : 0.0f;
		}
		s->volume[i] = AtLeast( s->volume[i], LEAST_GROWTH );
	}
	for ( int32_t i = 0; i < flesh->partCount; ++i )
	{
		growths[i] = AtLeast( 1.0f + growths[i], LEAST_GROWTH );
	}
	s->view->header->growth = AtLeast( (float)( 1.0 + ( before > 0.0 ? larger / before : 0.0 ) ), LEAST_GROWTH );
}

bool supPosition_ScaleRest( const supPositionFlesh* flesh, const supPositionView* view, const supPose* pose,
							const supTasks* tasks )
{
	if ( pose->character->nodeCount > flesh->nodeCount || ScaleNodes( pose, view->scaledNodes ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < flesh->boneCount; ++i )
	{
		view->scaledBones[i] = supMulMat34( view->scaledNodes[flesh->boneNodes[i]], flesh->boneInverses[i] );
	}
	Scaling s = { .flesh = flesh, .view = view, .stretch = view->scales };
	s.bind = s.stretch + SUP_PACK * (size_t)flesh->stretch.packCount;
	s.volume = s.bind + SUP_PACK * (size_t)flesh->bind.packCount;
	supParallelFor( tasks, flesh->particleCount, GRAIN, SkinRange, &s );
	supParallelFor( tasks, flesh->stretch.packCount, GRAIN / SUP_PACK, ScaleEdges, &s );
	supParallelFor( tasks, flesh->bind.packCount, GRAIN / SUP_PACK, ScaleBinds, &s );
	supParallelFor( tasks, flesh->volume.packCount, GRAIN / SUP_PACK, ScaleTets, &s );
	SumGrowths( &s );
	return true;
}
