// SPDX-License-Identifier: MIT
#include "io/motion/vmc_skeleton.h"

#include "core/core.h"

// metres
#define LONGEST_BONE 10.0f

typedef struct Bone
{
	const char* name;
	int32_t parent; // -1: the root
	supVec3 place;  // from the parent, in metres, of a person of 1.7 m
} Bone;

// clang-format off
enum
{
	hips, leftUpperLeg, rightUpperLeg, leftLowerLeg, rightLowerLeg, leftFoot, rightFoot, spine, chest, neck, head,
	leftShoulder, rightShoulder, leftUpperArm, rightUpperArm, leftLowerArm, rightLowerArm, leftHand, rightHand,
	leftToes, rightToes, leftEye, rightEye, jaw,
	leftThumb, leftIndex = leftThumb + 3, leftMiddle = leftIndex + 3, leftRing = leftMiddle + 3, leftLittle = leftRing + 3,
	rightThumb = leftLittle + 3, rightIndex = rightThumb + 3, rightMiddle = rightIndex + 3, rightRing = rightMiddle + 3,
	rightLittle = rightRing + 3, upperChest = rightLittle + 3,
};

#define PAIR( name, left, right, x, y, z ) { "Left" name, left, { x, y, z } }, { "Right" name, right, { -x, y, z } }
#define FINGER( name, hand, first, sign, x, y, z, x1, z1, x2, z2 ) \
	{ name "Proximal", hand, { sign x, y, z } }, { name "Intermediate", first, { sign x1, 0.0f, z1 } }, \
	{ name "Distal", first + 1, { sign x2, 0.0f, z2 } }
#define HAND( side, hand, thumb, sign ) \
	FINGER( side "Thumb", hand, thumb, sign, 0.02f, -0.01f, 0.03f, 0.035f, 0.025f, 0.03f, 0.015f ), \
	FINGER( side "Index", hand, thumb + 3, sign, 0.09f, 0.0f, 0.025f, 0.035f, 0.0f, 0.025f, 0.0f ), \
	FINGER( side "Middle", hand, thumb + 6, sign, 0.09f, 0.0f, 0.0f, 0.04f, 0.0f, 0.03f, 0.0f ), \
	FINGER( side "Ring", hand, thumb + 9, sign, 0.085f, 0.0f, -0.02f, 0.035f, 0.0f, 0.025f, 0.0f ), \
	FINGER( side "Little", hand, thumb + 12, sign, 0.08f, 0.0f, -0.04f, 0.03f, 0.0f, 0.02f, 0.0f )

// in the order of Unity's enumeration
static const Bone s_bones[SUP_VMC_BONES] = {
	{ "Hips", -1, { 0.0f, 1.0f, 0.0f } },
	PAIR( "UpperLeg", hips, hips, 0.09f, -0.05f, 0.0f ),
	PAIR( "LowerLeg", leftUpperLeg, rightUpperLeg, 0.0f, -0.43f, 0.0f ),
	PAIR( "Foot", leftLowerLeg, rightLowerLeg, 0.0f, -0.43f, 0.0f ),
	{ "Spine", hips, { 0.0f, 0.1f, 0.0f } },
	{ "Chest", spine, { 0.0f, 0.12f, 0.0f } },
	{ "Neck", upperChest, { 0.0f, 0.14f, 0.0f } },
	{ "Head", neck, { 0.0f, 0.08f, 0.0f } },
	PAIR( "Shoulder", upperChest, upperChest, 0.03f, 0.1f, 0.0f ),
	PAIR( "UpperArm", leftShoulder, rightShoulder, 0.12f, 0.0f, 0.0f ),
	PAIR( "LowerArm", leftUpperArm, rightUpperArm, 0.27f, 0.0f, 0.0f ),
	PAIR( "Hand", leftLowerArm, rightLowerArm, 0.25f, 0.0f, 0.0f ),
	PAIR( "Toes", leftFoot, rightFoot, 0.0f, -0.07f, 0.13f ),
	PAIR( "Eye", head, head, 0.03f, 0.06f, 0.08f ),
	{ "Jaw", head, { 0.0f, 0.02f, 0.05f } },
	HAND( "Left", leftHand, leftThumb, + ),
	HAND( "Right", rightHand, rightThumb, - ),
	{ "UpperChest", chest, { 0.0f, 0.12f, 0.0f } },
};
// clang-format on

int32_t supFindVmcBone( const char* name )
{
	for ( int32_t i = 0; i < SUP_VMC_BONES; ++i )
	{
		if ( strcmp( s_bones[i].name, name ) == 0 )
		{
			return i;
		}
	}
	return -1;
}

static bool Has( uint64_t seen, int32_t bone )
{
	return ( seen >> bone & 1 ) != 0;
}

// Rotations alone make no skeleton: some senders leave all places at zero.
static bool IsStanding( uint64_t seen, const supVec3* places )
{
	for ( int32_t i = leftLowerLeg; i <= rightFoot; ++i )
	{
		if ( Has( seen, i ) == false || !( -places[i].y > 0.7f * supLength( places[i] ) ) ||
			 supLength( places[i] ) < 0.01f || supLength( places[i] ) > LONGEST_BONE )
		{
			return false;
		}
	}
	return Has( seen, leftUpperLeg ) && Has( seen, rightUpperLeg );
}

// An avatar without these has its next bone hang from the one before.
static bool IsOptional( int32_t bone )
{
	return bone == spine || bone == chest || bone == upperChest || bone == neck || bone == leftShoulder ||
		   bone == rightShoulder;
}

// The sender's hips move, so that nothing tells how high they are at rest but the legs, and the soles below the lowest
// joint.
static float FindHipHeight( const supVec3* lengths )
{
	float lowest = 0.0f;
	for ( int32_t side = 0; side < 2; ++side )
	{
		float ankle = lengths[leftUpperLeg + side].y + lengths[leftLowerLeg + side].y + lengths[leftFoot + side].y;
		lowest = supMinFloat( lowest, supMinFloat( ankle, ankle + lengths[leftToes + side].y ) );
	}
	return -1.02f * lowest;
}

static void ChooseLengths( uint64_t seen, const supVec3* places, supVec3* lengths )
{
	bool told = IsStanding( seen, places );
	for ( int32_t i = 0; i < SUP_VMC_BONES; ++i )
	{
		lengths[i] = s_bones[i].place;
		if ( told && Has( seen, i ) && supLength( places[i] ) < LONGEST_BONE )
		{
			lengths[i] = places[i];
		}
		else if ( told && IsOptional( i ) )
		{
			lengths[i] = supVec3_zero;
		}
	}
	lengths[hips] = told ? supMakeVec3( 0.0f, FindHipHeight( lengths ), 0.0f ) : s_bones[hips].place;
}

supCharacter* supCreateVmcSkeleton( uint64_t seen, const supVec3* places, supError* error )
{
	supVec3 lengths[SUP_VMC_BONES];
	supNode nodes[1 + SUP_VMC_BONES];
	ChooseLengths( seen, places, lengths );
	nodes[0] = ( supNode ){ .name = "Root", .parent = -1, .rest = supTransform_identity };
	for ( int32_t i = 0; i < SUP_VMC_BONES; ++i )
	{
		nodes[1 + i] = ( supNode ){ .name = s_bones[i].name,
									.parent = 1 + s_bones[i].parent,
									.rest = { lengths[i], supQuat_identity, { 1.0f, 1.0f, 1.0f } } };
	}
	supCharacterDef def = supDefaultCharacterDef();
	def.name = "VMC";
	def.nodeCount = SUP_COUNT( nodes );
	def.nodes = nodes;
	return supCreateCharacter( &def, error );
}

const supClip* supGetVmcClip( void )
{
	static const float time = 0.0f;
	static const float turn[4] = { 0.0f, 0.0f, 0.0f, 1.0f };
#define TURN( node )                                                                                                   \
	{                                                                                                                  \
		node, sup_channelRotation, sup_interpolationLinear, 1, 4, &time, turn                                          \
	}
#define TURN5( node ) TURN( node ), TURN( node + 1 ), TURN( node + 2 ), TURN( node + 3 ), TURN( node + 4 )
	static const supChannel channels[SUP_VMC_BONES] = {
		TURN5( 1 ),  TURN5( 6 ),  TURN5( 11 ), TURN5( 16 ), TURN5( 21 ), TURN5( 26 ),
		TURN5( 31 ), TURN5( 36 ), TURN5( 41 ), TURN5( 46 ), TURN5( 51 ),
	};
	static const supClip clip = { .name = "VMC", .channelCount = SUP_VMC_BONES, .channels = channels };
	return &clip;
}
