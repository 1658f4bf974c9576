// SPDX-License-Identifier: MIT
#include "creature_clip.h"

#define KEYS_PER_SECOND 30.0f

struct creaturePose
{
	const creature* creature;
	supQuat* rotations;
	supVec3 shift; // where the root joint is
	bool standing; // the lowest point goes to `floor`
	float floor;
};

// ---------------------------------------------------------------------------------------------------------------------
// Posing

static int32_t FindJoint( const creature* c, const char* name )
{
	for ( int32_t i = 0; i < c->joints.count; ++i )
	{
		if ( strcmp( c->joints.data[i].name, name ) == 0 )
		{
			return i;
		}
	}
	return -1;
}

void creatureTurn( creaturePose* pose, const char* joint, float axisX, float axisY, float axisZ, float degrees )
{
	int32_t i = FindJoint( pose->creature, joint );
	if ( i >= 0 )
	{
		supQuat turn = supMakeQuatAxisAngle( supMakeVec3( axisX, axisY, axisZ ), degrees * ( SUP_PI / 180.0f ) );
		pose->rotations[i] = supMulQuat( turn, pose->rotations[i] );
	}
}

float creatureHipHeight( const creaturePose* pose )
{
	return pose->creature->joints.data[0].position.y;
}

float creatureArmsDown( const creaturePose* pose )
{
	return pose->creature->armsDown;
}

float creatureLyingTilt( const creaturePose* pose )
{
	return pose->creature->lyingTilt;
}

supVec3 creatureRest( const creaturePose* pose, const char* joint )
{
	int32_t i = FindJoint( pose->creature, joint );
	return i >= 0 ? pose->creature->joints.data[i].position : supVec3_zero;
}

supMat34 creaturePlace( const creaturePose* pose, const char* joint )
{
	const creature* c = pose->creature;
	supQuat turn = supQuat_identity;
	supVec3 p = supVec3_zero;
	for ( int32_t i = FindJoint( c, joint ); i >= 0; i = c->joints.data[i].parent )
	{
		int32_t parent = c->joints.data[i].parent;
		supVec3 origin = parent < 0 ? supVec3_zero : c->joints.data[parent].position;
		supVec3 offset = parent < 0 ? pose->shift : supSub( c->joints.data[i].position, origin );
		turn = supMulQuat( pose->rotations[i], turn );
		p = supAdd( offset, supRotate( pose->rotations[i], p ) );
	}
	supMat3 axes = supMakeMat3Quat( supNormalizeQuat( turn ) );
	return ( supMat34 ){ axes.cx, axes.cy, axes.cz, p };
}

supVec3 creatureBoneAxis( const creaturePose* pose, const char* joint, const char* end )
{
	const creature* c = pose->creature;
	int32_t i = FindJoint( c, joint ), k = FindJoint( c, end );
	if ( i < 0 || k < 0 )
	{
		return supVec3_zero;
	}
	return supNormalize( supSub( c->joints.data[k].position, c->joints.data[i].position ) );
}

void creatureFloor( creaturePose* pose, float height )
{
	pose->standing = true;
	pose->floor = height;
}

void creatureShift( creaturePose* pose, float x, float y, float z )
{
	pose->shift = supAdd( pose->shift, supMakeVec3( x, y, z ) );
}

float creatureSin( float turns )
{
	return supComputeCosSin( 2.0f * SUP_PI * turns ).sine;
}

float creatureCos( float turns )
{
	return supComputeCosSin( 2.0f * SUP_PI * turns ).cosine;
}

float creatureRamp( float from, float to, float t )
{
	float u = supClampFloat( ( t - from ) / ( to - from ), 0.0f, 1.0f );
	return u * u * ( 3.0f - 2.0f * u );
}

// ---------------------------------------------------------------------------------------------------------------------
// Sampling

// World matrix times inverse bind matrix of each joint; at rest all axes are the world's.
static void ComputePalette( const creaturePose* pose, supMat34* palette )
{
	const creature* c = pose->creature;
	for ( int32_t i = 0; i < c->joints.count; ++i )
	{
		const creatureJointDef* joint = c->joints.data + i;
		supMat3 turn = supMakeMat3Quat( supNormalizeQuat( pose->rotations[i] ) );
		supVec3 origin = pose->shift;
		if ( joint->parent >= 0 )
		{
			supMat34 up = palette[joint->parent];
			turn = supMulMM( ( supMat3 ){ up.cx, up.cy, up.cz }, turn );
			origin = supTransformPoint( up, joint->position );
		}
		palette[i] = ( supMat34 ){ turn.cx, turn.cy, turn.cz, supSub( origin, supMulMV( turn, joint->position ) ) };
	}
}

// Of the skin, posed by linear blending.
static float LowestPoint( const supMesh* skin, const supMat34* palette )
{
	float lowest = 1e9f;
	for ( int32_t i = 0; i < skin->vertexCount; ++i )
	{
		supVec3 p = skin->positions[i];
		float y = 0.0f;
		for ( int32_t k = skin->influences * i; k < skin->influences * ( i + 1 ) && skin->weights[k] > 0.0f; ++k )
		{
			const supMat34* m = palette + skin->joints[k];
			y += skin->weights[k] * ( m->cx.y * p.x + m->cy.y * p.y + m->cz.y * p.z + m->t.y );
		}
		lowest = supMinFloat( lowest, y );
	}
	return lowest;
}

// A joint that stays at rest throughout needs no channel.
static bool StaysAt( const float* values, int32_t keyCount, int32_t width, const float* rest )
{
	for ( int32_t i = 0; i < keyCount * width; ++i )
	{
		if ( values[i] != rest[i % width] )
		{
			return false;
		}
	}
	return true;
}

// Returns how many it added: none where nothing moves.
static int32_t AddChannel( supChannel* out, const supChannel* channel, const float* rest )
{
	if ( StaysAt( channel->values, channel->keyCount, channel->width, rest ) )
	{
		return 0;
	}
	*out = *channel;
	return 1;
}

supClip buildClip( supArena* arena, const creature* c, const creatureClipDef* def, const supMesh* skin )
{
	int32_t jointCount = c->joints.count;
	int32_t keyCount = (int32_t)( def->duration * KEYS_PER_SECOND + 0.5f ) + 1;
	float* times = supArena_AllocArray( arena, (size_t)keyCount, sizeof( float ) );
	supQuat* rotations = supArena_AllocArray( arena, (size_t)keyCount * (size_t)jointCount, sizeof( supQuat ) );
	supVec3* shifts = supArena_AllocArray( arena, (size_t)keyCount, sizeof( supVec3 ) );
	supChannel* channels = supArena_AllocArray( arena, (size_t)jointCount + 1, sizeof( supChannel ) );
	supQuat* current = supArena_AllocArray( arena, (size_t)jointCount, sizeof( supQuat ) );
	supMat34* palette = supArena_AllocArray( arena, (size_t)jointCount, sizeof( supMat34 ) );
	supClip clip = { .name = def->name, .channels = channels };
	if ( arena->failed )
	{
		return clip;
	}
	for ( int32_t key = 0; key < keyCount; ++key )
	{
		float phase = (float)key / (float)( keyCount - 1 );
		times[key] = phase * def->duration;
		creaturePose pose = { .creature = c, .rotations = current, .shift = c->joints.data[0].position };
		for ( int32_t i = 0; i < jointCount; ++i )
		{
			current[i] = supQuat_identity;
		}
		def->function( &pose, phase, def->duration );
		if ( pose.standing )
		{
			ComputePalette( &pose, palette );
			pose.shift.y += pose.floor - LowestPoint( skin, palette );
		}
		shifts[key] = pose.shift;
		for ( int32_t i = 0; i < jointCount; ++i )
		{
			supQuat q = supNormalizeQuat( current[i] );
			supQuat* track = rotations + i * keyCount;
			// neighbouring keys on the same side, so that every player takes the short way
			bool opposite = key > 0 && supDotQuat( track[key - 1], q ) < 0.0f;
			track[key] = opposite ? ( supQuat ){ -q.x, -q.y, -q.z, -q.w } : q;
		}
	}
	clip.end = times[keyCount - 1];
	supChannel common = { .interpolation = sup_interpolationLinear, .keyCount = keyCount, .times = times };
	common.path = sup_channelRotation;
	common.width = 4;
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		common.node = i;
		common.values = (const float*)( rotations + i * keyCount );
		clip.channelCount += AddChannel( channels + clip.channelCount, &common, &supQuat_identity.x );
	}
	common.path = sup_channelTranslation;
	common.width = 3;
	common.node = 0;
	common.values = (const float*)shifts;
	clip.channelCount += AddChannel( channels + clip.channelCount, &common, &c->joints.data[0].position.x );
	return clip;
}
