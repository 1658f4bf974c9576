// SPDX-License-Identifier: MIT
// The motions of a humanoid. Each row adds an angle to a joint, in the order of the rows.
#include "character/motion.h"

#include "core/core.h"

#include <string.h>

// Arms from the horizontal down to the sides, elbows bent.
#define LOWER_ARMS( degrees, elbow )                                                                                   \
	{ sup_personShoulder, 'z', -0.12f * ( degrees ), sup_curveConstant, 0, 0, false },                                 \
		{ sup_personUpperArm, 'z', -0.88f * ( degrees ), sup_curveConstant, 0, 0, false },                             \
	{                                                                                                                  \
		sup_personLowerArm, 'y', -( elbow ), sup_curveConstant, 0, 0, false                                            \
	}

// Bends hip, knee and ankle so that the foot stays level.
#define BEND_LEGS( knee, curve, rate, offset, alternate )                                                              \
	{ sup_personUpperLeg, 'x', -0.5f * ( knee ), curve, rate, offset, alternate },                                     \
		{ sup_personLowerLeg, 'x', ( knee ), curve, rate, offset, alternate },                                         \
	{                                                                                                                  \
		sup_personFoot, 'x', -0.5f * ( knee ), curve, rate, offset, alternate                                          \
	}

// Legs swing either way by `leg`; the knee bends by `knee` on the way forward and by `stand` under the weight; the heel
// rises at the end of the stance; arms swing against the legs; hips turn against chest and head.
#define STRIDE( leg, knee, stand, arm, twist )                                                                         \
	{ sup_personUpperLeg, 'x', -( leg ), sup_curveWave, 1, 0.25f, true },                                              \
		{ sup_personUpperLeg, 'x', -0.3f * ( knee ), sup_curveLift, 1, 0.46f, true },                                  \
		{ sup_personUpperLeg, 'x', -0.3f * ( stand ), sup_curveHalf, 1, 0, true },                                     \
		{ sup_personLowerLeg, 'x', ( knee ), sup_curveLift, 1, 0.46f, true },                                          \
		{ sup_personLowerLeg, 'x', ( stand ), sup_curveHalf, 1, 0, true },                                             \
		{ sup_personFoot, 'x', ( leg ), sup_curveWave, 1, 0.25f, true },                                               \
		{ sup_personFoot, 'x', -0.7f * ( knee ), sup_curveLift, 1, 0.46f, true },                                      \
		{ sup_personFoot, 'x', -0.7f * ( stand ), sup_curveHalf, 1, 0, true },                                         \
		{ sup_personFoot, 'x', 0.7f * ( leg ), sup_curveLift, 1, 0.75f, true },                                        \
		{ sup_personToes, 'x', -0.6f * ( leg ), sup_curveLift, 1, 0.75f, true },                                       \
		{ sup_personUpperArm, 'x', ( arm ), sup_curveWave, 1, 0.25f, true },                                           \
		{ sup_personHips, 'y', ( twist ), sup_curveWave, 1, 0.25f, false },                                            \
		{ sup_personHips, 'z', -0.35f * ( twist ), sup_curveWave, 1, 0, false },                                       \
		{ sup_personSpine, 'y', -0.8f * ( twist ), sup_curveWave, 1, 0.25f, false },                                   \
		{ sup_personChest, 'y', -0.8f * ( twist ), sup_curveWave, 1, 0.25f, false },                                   \
	{                                                                                                                  \
		sup_personHead, 'y', 0.6f * ( twist ), sup_curveWave, 1, 0.25f, false                                          \
	}

#define LEAN( degrees )                                                                                                \
	{ sup_personSpine, 'x', 0.5f * ( degrees ), sup_curveConstant, 0, 0, false },                                      \
		{ sup_personChest, 'x', 0.5f * ( degrees ), sup_curveConstant, 0, 0, false },                                  \
		{ sup_personNeck, 'x', -0.4f * ( degrees ), sup_curveConstant, 0, 0, false },                                  \
	{                                                                                                                  \
		sup_personHead, 'x', -0.4f * ( degrees ), sup_curveConstant, 0, 0, false                                       \
	}

static const supMotionTerm s_walk[] = {
	LOWER_ARMS( 64.0f, 18.0f ),
	STRIDE( 24.0f, 52.0f, 8.0f, 26.0f, 7.0f ),
	LEAN( 3.0f ),
	{ sup_personShift, 'x', 0.03f, sup_curveWave, 1, 0, false },
};

static const supMotionTerm s_run[] = {
	LOWER_ARMS( 66.0f, 80.0f ),
	STRIDE( 42.0f, 95.0f, 18.0f, 48.0f, 10.0f ),
	LEAN( 14.0f ),
	{ sup_personShift, 'x', 0.015f, sup_curveWave, 1, 0, false },
	{ sup_personFlight, 'y', 0.1f, sup_curveLift, 2, 0.25f, false },
};

static const supMotionTerm s_jump[] = {
	LOWER_ARMS( 64.0f, 15.0f ),
	// gather, take off at 0.36, land at 0.64 and give way
	BEND_LEGS( 80.0f, sup_curvePulse, 0.16f, 0.24f, false ),
	BEND_LEGS( 30.0f, sup_curveArc, 0.14f, 0.5f, false ),
	BEND_LEGS( 70.0f, sup_curvePulse, 0.16f, 0.74f, false ),
	{ sup_personSpine, 'x', 24.0f, sup_curvePulse, 0.16f, 0.24f, false },
	{ sup_personHead, 'x', -18.0f, sup_curvePulse, 0.16f, 0.24f, false },
	{ sup_personSpine, 'x', 20.0f, sup_curvePulse, 0.16f, 0.74f, false },
	{ sup_personHead, 'x', -14.0f, sup_curvePulse, 0.16f, 0.74f, false },
	{ sup_personUpperArm, 'x', 45.0f, sup_curvePulse, 0.16f, 0.24f, false },
	{ sup_personUpperArm, 'x', -120.0f, sup_curvePulse, 0.22f, 0.48f, false },
	{ sup_personToes, 'x', 25.0f, sup_curveArc, 0.14f, 0.5f, false },
	{ sup_personFlight, 'y', 0.3f, sup_curveArc, 0.14f, 0.5f, false },
};

static const supMotionTerm s_dance[] = {
	LOWER_ARMS( 38.0f, 60.0f ),
	// knees bounce on each beat, and a foot is lifted on every other one
	BEND_LEGS( 26.0f, sup_curveConstant, 0, 0, false ),
	BEND_LEGS( 14.0f, sup_curveWave, 8, 0, false ),
	BEND_LEGS( 38.0f, sup_curveLift, 4, 0.25f, true ),
	{ sup_personHips, 'y', 14.0f, sup_curveWave, 4, 0, false },
	{ sup_personHips, 'z', 8.0f, sup_curveWave, 4, 0.25f, false },
	{ sup_personShift, 'x', 0.07f, sup_curveWave, 4, 0.25f, false },
	// legs stay where they stand
	{ sup_personUpperLeg, 'Y', -14.0f, sup_curveWave, 4, 0, false },
	{ sup_personUpperLeg, 'Z', -12.0f, sup_curveWave, 4, 0.25f, false },
	{ sup_personFoot, 'Z', 4.0f, sup_curveWave, 4, 0.25f, false },
	{ sup_personSpine, 'y', -9.0f, sup_curveWave, 4, 0, false },
	{ sup_personChest, 'y', -13.0f, sup_curveWave, 4, 0, false },
	{ sup_personChest, 'z', -10.0f, sup_curveWave, 4, 0.25f, false },
	{ sup_personSpine, 'x', 5.0f, sup_curveConstant, 0, 0, false },
	{ sup_personNeck, 'x', 5.0f, sup_curveWave, 8, 0.1f, false },
	{ sup_personHead, 'z', 9.0f, sup_curveWave, 4, 0.3f, false },
	{ sup_personHead, 'y', 16.0f, sup_curveWave, 2, 0, false },
	{ sup_personUpperArm, 'x', -30.0f, sup_curveConstant, 0, 0, false },
	{ sup_personUpperArm, 'x', 24.0f, sup_curveWave, 4, 0, true },
	{ sup_personUpperArm, 'z', 26.0f, sup_curveWave, 2, 0, true },
	{ sup_personLowerArm, 'y', -30.0f, sup_curveWave, 4, 0.1f, true },
	{ sup_personHand, 'z', 20.0f, sup_curveWave, 8, 0, false },
};

static const supMotionTerm s_shake[] = {
	LOWER_ARMS( 24.0f, 70.0f ),
	{ sup_personUpperArm, 'z', -20.0f, sup_curveWave, 1, 0, false },
	BEND_LEGS( 24.0f, sup_curveConstant, 0, 0, false ),
	BEND_LEGS( 9.0f, sup_curveWave, 8, 0, false ),
	{ sup_personHips, 'y', 22.0f, sup_curveWave, 4, 0, false },
	{ sup_personUpperLeg, 'Y', -22.0f, sup_curveWave, 4, 0, false },
	{ sup_personHips, 'z', 7.0f, sup_curveWave, 4, 0.25f, false },
	{ sup_personUpperLeg, 'Z', -10.0f, sup_curveWave, 4, 0.25f, false },
	{ sup_personFoot, 'Z', 3.0f, sup_curveWave, 4, 0.25f, false },
	{ sup_personShift, 'x', 0.05f, sup_curveWave, 4, 0.25f, false },
	{ sup_personSpine, 'y', -14.0f, sup_curveWave, 4, 0, false },
	{ sup_personChest, 'y', -18.0f, sup_curveWave, 4, 0, false },
	{ sup_personChest, 'z', -8.0f, sup_curveWave, 4, 0.25f, false },
	{ sup_personHead, 'z', 10.0f, sup_curveWave, 4, 0.1f, false },
	{ sup_personUpperArm, 'x', -20.0f, sup_curveConstant, 0, 0, false },
	{ sup_personUpperArm, 'x', 25.0f, sup_curveWave, 4, 0, true },
	{ sup_personHand, 'z', 25.0f, sup_curveWave, 8, 0, false },
};

static const supMotionTerm s_turn[] = {
	LOWER_ARMS( 52.0f, 25.0f ),
	{ sup_personHips, 'y', 180.0f, sup_curveRamp, 0.14f, 0.25f, false },
	{ sup_personHips, 'y', 180.0f, sup_curveRamp, 0.14f, 0.75f, false },
	// the chest leads and overshoots
	{ sup_personChest, 'y', 20.0f, sup_curvePulse, 0.14f, 0.14f, false },
	{ sup_personChest, 'y', 20.0f, sup_curvePulse, 0.14f, 0.64f, false },
	{ sup_personHead, 'y', 30.0f, sup_curvePulse, 0.14f, 0.1f, false },
	{ sup_personHead, 'y', 30.0f, sup_curvePulse, 0.14f, 0.6f, false },
	BEND_LEGS( 12.0f, sup_curveConstant, 0, 0, false ),
	BEND_LEGS( 34.0f, sup_curveLift, 6, 0, true ),
	{ sup_personUpperArm, 'x', 10.0f, sup_curveWave, 6, 0, true },
};

static const supMotionTerm s_hop[] = {
	LOWER_ARMS( 50.0f, 45.0f ),
	// on the ground around the start of the clip
	BEND_LEGS( 14.0f, sup_curveConstant, 0, 0, false ),
	BEND_LEGS( 44.0f, sup_curvePulse, 0.3f, 0, false ),
	{ sup_personSpine, 'x', 12.0f, sup_curvePulse, 0.3f, 0, false },
	{ sup_personHead, 'x', -8.0f, sup_curvePulse, 0.3f, 0, false },
	{ sup_personUpperArm, 'z', 16.0f, sup_curvePulse, 0.4f, 0.6f, false },
	{ sup_personUpperArm, 'x', 15.0f, sup_curvePulse, 0.4f, 0, false },
	{ sup_personToes, 'x', 20.0f, sup_curveArc, 0.3f, 0.5f, false },
	{ sup_personFlight, 'y', 0.17f, sup_curveArc, 0.32f, 0.5f, false },
};

static const supPersonMotion s_motions[] = {
	{ "walk", 1.1f, SUP_COUNT( s_walk ), s_walk },    { "run", 0.7f, SUP_COUNT( s_run ), s_run },
	{ "jump", 1.6f, SUP_COUNT( s_jump ), s_jump },    { "dance", 4.0f, SUP_COUNT( s_dance ), s_dance },
	{ "shake", 2.0f, SUP_COUNT( s_shake ), s_shake }, { "turn", 3.0f, SUP_COUNT( s_turn ), s_turn },
	{ "hop", 0.6f, SUP_COUNT( s_hop ), s_hop },
};

const supPersonMotion* supFindPersonMotion( const char* name )
{
	for ( int32_t i = 0; i < SUP_COUNT( s_motions ); ++i )
	{
		if ( strcmp( s_motions[i].name, name ) == 0 )
		{
			return s_motions + i;
		}
	}
	return NULL;
}
