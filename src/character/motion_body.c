// SPDX-License-Identifier: MIT
// Motions for any body. The topmost nodes that carry something move as one, in the world, about the middle of the sole;
// joints of a chain swing one after another.
#include "character/motion.h"

#include "character/character.h"
#include "character/humanoid.h"

#define KEYS_PER_SECOND 30.0f

// Degrees by which a whole chain bends to either side, and by how much of a turn its end lags behind its start.
#define CHAIN_SWING 45.0f
#define CHAIN_LAG 0.3f

// A node that is moved.
typedef struct Mover
{
	int32_t node;
	// Above it and its own, at rest.
	supMat34 parent;
	supMat34 parentInverse;
	supTransform rest;
	// Of a chain: how many joints it has, the number of this one, and the axis it swings about in the world.
	int32_t chainLength;
	int32_t chainIndex;
	supVec3 axis;
} Mover;

typedef struct Body
{
	const supCharacter* character;
	supArena arena;
	supPose* pose;
	const supMat34* worlds;
	int32_t moverCount;
	Mover* movers;
	// the middle of the sole, and the largest extent
	supVec3 pivot;
	float size;
} Body;

// ---------------------------------------------------------------------------------------------------------------------
// Chains

typedef struct Joints
{
	int32_t* childCounts; // of joints, by node
	int32_t* parents;     // the nearest joint above, -1 without
	bool* isLimb;         // of a humanoid
} Joints;

static void MarkLimbs( const supCharacter* character, bool* isLimb )
{
	supHumanoid person;
	if ( supRecognizeHumanoid( character, &person ) == false )
	{
		return;
	}
	for ( int32_t side = 0; side < 2; ++side )
	{
		for ( int32_t part = sup_partShoulder; part < sup_partCount; ++part )
		{
			int32_t node = person.limb[side][part];
			if ( node >= 0 )
			{
				isLimb[node] = true;
			}
		}
	}
	for ( int32_t i = 0; i < person.neckCount; ++i )
	{
		isLimb[person.neck[i]] = true;
	}
	if ( person.head >= 0 )
	{
		isLimb[person.head] = true;
	}
}

static bool FindJoints( const supCharacter* character, supArena* arena, Joints* joints )
{
	size_t count = (size_t)character->nodeCount;
	joints->childCounts = supArena_AllocZeroed( arena, count * sizeof( int32_t ) );
	joints->parents = supArena_AllocZeroed( arena, count * sizeof( int32_t ) );
	joints->isLimb = supArena_AllocZeroed( arena, count * sizeof( bool ) );
	if ( arena->failed )
	{
		return false;
	}
	MarkLimbs( character, joints->isLimb );
	for ( int32_t i = 0; i < character->nodeCount; ++i )
	{
		int32_t up = character->nodes[i].parent;
		while ( up >= 0 && character->isJoint[up] == false )
		{
			up = character->nodes[up].parent;
		}
		joints->parents[i] = up;
		if ( character->isJoint[i] && up >= 0 )
		{
			joints->childCounts[up] += 1;
		}
	}
	// fingers, twist bones and the like belong to their limbs
	for ( int32_t k = 0; k < character->nodeCount; ++k )
	{
		int32_t i = character->nodeOrder[k];
		int32_t up = joints->parents[i];
		bool isHead = up >= 0 && joints->isLimb[up] && supJointNameHas( character->nodes[up].name, "head" );
		joints->isLimb[i] = joints->isLimb[i] || ( up >= 0 && joints->isLimb[up] && isHead == false );
	}
	return true;
}

// The chain that ends at this joint: how many joints, from its first one. 0 where it is none.
static int32_t FindChain( const supCharacter* character, const Joints* joints, int32_t end, int32_t* first )
{
	if ( character->isJoint[end] == false || joints->childCounts[end] > 0 || joints->isLimb[end] )
	{
		return 0;
	}
	int32_t length = 1;
	*first = end;
	for ( int32_t up = joints->parents[end]; up >= 0 && joints->childCounts[up] == 1 && joints->isLimb[up] == false;
		  up = joints->parents[up] )
	{
		*first = up;
		length += 1;
	}
	return length >= 2 ? length : 0;
}

bool supHasChains( const supCharacter* character )
{
	supArena arena = { 0 };
	Joints joints;
	int32_t first;
	bool found = false;
	bool ok = FindJoints( character, &arena, &joints );
	for ( int32_t i = 0; ok && found == false && i < character->nodeCount; ++i )
	{
		found = FindChain( character, &joints, i, &first ) > 0;
	}
	supArena_Destroy( &arena );
	return found;
}

// ---------------------------------------------------------------------------------------------------------------------
// Movers

static bool SetMover( Body* body, Mover* mover, int32_t node )
{
	const supNode* own = body->character->nodes + node;
	mover->node = node;
	mover->rest = own->rest;
	mover->parent = own->parent >= 0 ? body->worlds[own->parent] : supMat34_identity;
	return own->hasMatrix == false && supInvertMat34( mover->parent, &mover->parentInverse );
}

static void AddChains( Body* body, const Joints* joints )
{
	const supCharacter* character = body->character;
	for ( int32_t end = 0; end < character->nodeCount; ++end )
	{
		int32_t first;
		int32_t length = FindChain( character, joints, end, &first );
		if ( length == 0 )
		{
			continue;
		}
		// chains that stand or hang swing to the side, those that lie turn to the side
		supVec3 along = supSub( body->worlds[end].t, body->worlds[first].t );
		bool isUpright = along.y * along.y > 0.5f * supLengthSquared( along );
		int32_t index = length - 1;
		for ( int32_t node = end; index >= 0; node = joints->parents[node], --index )
		{
			Mover* mover = body->movers + body->moverCount;
			*mover = ( Mover ){ .chainLength = length, .chainIndex = index };
			mover->axis = isUpright ? supMakeVec3( 0.0f, 0.0f, 1.0f ) : supMakeVec3( 0.0f, 1.0f, 0.0f );
			// the topmost joint stays: it carries the whole body
			body->moverCount += joints->parents[node] >= 0 && SetMover( body, mover, node ) ? 1 : 0;
		}
	}
}

// Nodes that joints or meshes hang on, as far up as they can be moved.
static bool AddTops( Body* body )
{
	const supCharacter* character = body->character;
	bool* carries = supArena_AllocZeroed( &body->arena, (size_t)character->nodeCount * sizeof( bool ) );
	bool* isMoved = supArena_AllocZeroed( &body->arena, (size_t)character->nodeCount * sizeof( bool ) );
	if ( body->arena.failed )
	{
		return false;
	}
	for ( int32_t k = character->nodeCount - 1; k >= 0; --k )
	{
		int32_t i = character->nodeOrder[k];
		carries[i] = carries[i] || character->isJoint[i] || character->firstInstances[i] >= 0;
		if ( carries[i] && character->nodes[i].parent >= 0 )
		{
			carries[character->nodes[i].parent] = true;
		}
	}
	for ( int32_t k = 0; k < character->nodeCount; ++k )
	{
		int32_t i = character->nodeOrder[k];
		int32_t up = character->nodes[i].parent;
		Mover* mover = body->movers + body->moverCount;
		isMoved[i] = up >= 0 && isMoved[up];
		if ( isMoved[i] == false && carries[i] )
		{
			*mover = ( Mover ){ 0 };
			isMoved[i] = SetMover( body, mover, i );
			body->moverCount += isMoved[i] ? 1 : 0;
		}
	}
	return true;
}

static bool Measure( Body* body )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < body->character->instanceCount; ++i )
	{
		int32_t count = body->character->meshes[body->character->instances[i].mesh].vertexCount;
		supVec3* positions = supAllocArray( (size_t)count, sizeof( supVec3 ) );
		if ( positions == NULL )
		{
			return false;
		}
		supSkinOutput output = { .positions = positions };
		supSkinInstance( body->pose, i, sup_skinningLinear, NULL, &output );
		for ( int32_t k = 0; k < count; ++k )
		{
			box = supBox_Include( box, positions[k] );
		}
		supFree( positions );
	}
	supVec3 extent = supBox_Size( box );
	body->size = supMaxFloat( extent.x, supMaxFloat( extent.y, extent.z ) );
	body->pivot =
		supMakeVec3( 0.5f * ( box.lower.x + box.upper.x ), box.lower.y, 0.5f * ( box.lower.z + box.upper.z ) );
	return true;
}

static bool PrepareBody( Body* body, supBodyMotion motion )
{
	Joints joints;
	size_t count = (size_t)body->character->nodeCount;
	body->pose = supCreatePose( body->character );
	body->movers = supArena_AllocArray( &body->arena, count + 1, sizeof( Mover ) );
	if ( body->pose == NULL || body->arena.failed || Measure( body ) == false )
	{
		return false;
	}
	body->worlds = supPose_Worlds( body->pose );
	bool swings = motion == sup_bodySwing || motion == sup_bodyShake;
	if ( FindJoints( body->character, &body->arena, &joints ) == false )
	{
		return false;
	}
	if ( swings )
	{
		AddChains( body, &joints );
	}
	return motion == sup_bodySwing || AddTops( body );
}

// ---------------------------------------------------------------------------------------------------------------------
// Motion

// Of the whole body: a turn about the pivot, and a shift.
static void MoveBody( const Body* body, supBodyMotion motion, float t, supQuat* turn, supVec3* shift )
{
	float degrees = 0.0f;
	supVec3 axis = { 0.0f, 1.0f, 0.0f };
	*shift = supVec3_zero;
	if ( motion == sup_bodyShake )
	{
		degrees = 7.0f * supEvaluateCurve( sup_curveWave, 4, 0, t );
		axis = supMakeVec3( 0.0f, 0.0f, 1.0f );
		shift->x = -0.03f * body->size * supEvaluateCurve( sup_curveWave, 4, 0, t );
		shift->y = 0.02f * body->size * supEvaluateCurve( sup_curveLift, 4, 0, t );
	}
	else if ( motion == sup_bodyTurn )
	{
		degrees = 180.0f * ( supEvaluateCurve( sup_curveRamp, 0.14f, 0.25f, t ) +
							 supEvaluateCurve( sup_curveRamp, 0.14f, 0.75f, t ) );
	}
	else
	{
		degrees = 5.0f * supEvaluateCurve( sup_curveWave, 1, 0.25f, t );
		axis = supMakeVec3( 1.0f, 0.0f, 0.0f );
		shift->y = 0.12f * body->size * supEvaluateCurve( sup_curveArc, 0.36f, 0.5f, t );
	}
	*turn = supMakeQuatAxisAngle( axis, degrees * ( SUP_PI / 180.0f ) );
}

static supTransform PlaceMover( const Body* body, const Mover* mover, supBodyMotion motion, float t )
{
	supQuat turn;
	supVec3 shift = supVec3_zero;
	supVec3 pivot = body->pivot;
	if ( mover->chainLength > 0 )
	{
		float share = 1.0f / (float)mover->chainLength;
		float lag = CHAIN_LAG * share * (float)mover->chainIndex;
		float swing = motion == sup_bodySwing ? CHAIN_SWING : 0.5f * CHAIN_SWING;
		float rate = motion == sup_bodySwing ? 2.0f : 4.0f;
		float degrees = swing * share * supEvaluateCurve( sup_curveWave, rate, -lag, t );
		turn = supMakeQuatAxisAngle( mover->axis, degrees * ( SUP_PI / 180.0f ) );
		pivot = supTransformPoint( mover->parent, mover->rest.translation );
	}
	else
	{
		MoveBody( body, motion, t, &turn, &shift );
	}
	supMat3 axes = supMakeMat3Quat( turn );
	supMat34 world = { axes.cx, axes.cy, axes.cz, supAdd( shift, supSub( pivot, supMulMV( axes, pivot ) ) ) };
	// the turn of the world, seen from the parent; a mirrored parent turns the same way as its opposite
	supMat3 parent = supLinearPart( mover->parent );
	float sign = supDeterminant( parent ) < 0.0f ? -1.0f : 1.0f;
	parent = ( supMat3 ){ supScale( sign, parent.cx ), supScale( sign, parent.cy ), supScale( sign, parent.cz ) };
	supQuat up = supPolarRotation( parent );
	supQuat seen = supMulQuat( supConjugate( up ), supMulQuat( turn, up ) );
	supVec3 place = supTransformPoint( world, supTransformPoint( mover->parent, mover->rest.translation ) );
	return ( supTransform ){ supTransformPoint( mover->parentInverse, place ),
							 supNormalizeQuat( supMulQuat( seen, mover->rest.rotation ) ), mover->rest.scale };
}

static bool SampleBody( const Body* body, supBodyMotion motion, supOwnedClip* owned, const char* name )
{
	static const float seconds[] = { 2.0f, 2.0f, 3.0f, 0.8f };
	int32_t keyCount = (int32_t)( seconds[motion] * KEYS_PER_SECOND + 0.5f ) + 1;
	supArena* arena = &owned->arena;
	float* times = supArena_AllocArray( arena, (size_t)keyCount, sizeof( float ) );
	supChannel* channels = supArena_AllocArray( arena, 2 * (size_t)body->moverCount + 1, sizeof( supChannel ) );
	owned->clip.name = supArena_CopyString( arena, name );
	owned->clip.end = seconds[motion];
	owned->clip.channels = channels;
	for ( int32_t key = 0; arena->failed == false && key < keyCount; ++key )
	{
		times[key] = seconds[motion] * (float)key / (float)( keyCount - 1 );
	}
	for ( int32_t i = 0; arena->failed == false && i < body->moverCount; ++i )
	{
		const Mover* mover = body->movers + i;
		supQuat* turns = supArena_AllocArray( arena, (size_t)keyCount, sizeof( supQuat ) );
		supVec3* shifts = supArena_AllocArray( arena, (size_t)keyCount, sizeof( supVec3 ) );
		for ( int32_t key = 0; arena->failed == false && key < keyCount; ++key )
		{
			supTransform local = PlaceMover( body, mover, motion, (float)key / (float)( keyCount - 1 ) );
			supQuat q = local.rotation;
			bool flip = key > 0 && supDotQuat( turns[key - 1], q ) < 0.0f;
			turns[key] = flip ? ( supQuat ){ -q.x, -q.y, -q.z, -q.w } : q;
			shifts[key] = local.translation;
		}
		supChannel channel = { .node = mover->node,
							   .path = sup_channelRotation,
							   .interpolation = sup_interpolationLinear,
							   .keyCount = keyCount,
							   .width = 4,
							   .times = times,
							   .values = arena->failed ? NULL : &turns[0].x };
		channels[owned->clip.channelCount++] = channel;
		if ( mover->chainLength == 0 )
		{
			channel.path = sup_channelTranslation;
			channel.width = 3;
			channel.values = arena->failed ? NULL : &shifts[0].x;
			channels[owned->clip.channelCount++] = channel;
		}
	}
	return arena->failed == false;
}

supClip* supCreateBodyClip( const supCharacter* character, supBodyMotion motion, const char* name, supError* error )
{
	Body body = { .character = character };
	supOwnedClip* owned = supAllocZeroed( sizeof( supOwnedClip ) );
	bool ok = owned != NULL && PrepareBody( &body, motion ) && SampleBody( &body, motion, owned, name );
	supDestroyPose( body.pose );
	supArena_Destroy( &body.arena );
	if ( ok == false )
	{
		supSetMemoryError( error );
		supDestroyClip( owned != NULL ? &owned->clip : NULL );
		return NULL;
	}
	return &owned->clip;
}
