// SPDX-License-Identifier: MIT
// The rigid parts of a character: one link for each bone that moves flesh, with mass and inertia from the volume around
// it, and the joints between links.
//
// Frames: at rest the frame of a link is that of the world, moved to its centre of mass. So R_o is the identity and c_o
// is minus the centre, and where everything is at rest all rotations are the identity.
//
// Bones with next to no flesh (handles, ends, helpers) have no link of their own and ride with the nearest bone above
// that has, or below it where none above has. Where several links would hang on nothing, the bone that they all come
// from becomes a light link.
//
// Joints are guessed from the clips: a joint that turns about one axis only is a hinge, about two a universal joint,
// one that never turns is fixed, all others are balls. How far each turns is what the clips show, rest included, and a
// margin. Without clips all are balls that stop before a bone would fold back into its parent.
#pragma once

#include "method/layered/algebra.h"
#include "method/method.h"
#include "volume/body/bones.h"
#include "volume/body/rest_surface.h"

// Nothing holds a root.
enum
{
	sup_jointFree = sup_jointGuessed
};

// Rows of multipliers of each kind.
extern const int32_t supJointRows[sup_jointKindCount];

// Radians from rest, right-handed about an axis; a limit beyond a half turn is none.
typedef struct supTurnLimits
{
	double lower;
	double upper;
} supTurnLimits;

typedef struct supLink
{
	int32_t node;   // of the character, whose motion it follows
	int32_t parent; // link, always before its children; -1 for a root
	int32_t kind;   // supJointKind of the joint to the parent
	double mass;    // kg
	supVec3d center;
	// about the centre
	supMat3d inertia;
	// where the joint to the parent is, at rest; the centre for a root
	supVec3d anchor;
	// hinge: the axis; universal: one axis fixed in the parent, one in the link, at right angles at rest; ball: the
	// direction of the bone
	supVec3d axis;
	supVec3d secondAxis;
	// about the axes that the kind has; ball: the twist about the bone
	supTurnLimits turns[2];
	// ball: how far the bone turns away from a direction in the parent
	supVec3d middle;
	double swing;
	// limits are as someone said; others are guesses, which give way to the clip
	bool isTold;
	// times the parameter
	double strength;
	// Hz and 1/s, in place of the parameters; below 0: those
	double stiffness;
	double damping;
	// of the link and its subtree, about the anchor, as one number: what the joint has to turn, kg m^2
	double turned;
	// the same for moving: kg
	double carried;
} supLink;

typedef struct supLinks
{
	supArena arena;
	int32_t count;
	supLink* links;
	// link of each bone
	int32_t boneCount;
	int32_t* linkOfBone;
} supLinks;

typedef struct supLinksDef
{
	const supCharacter* character;
	const supRestSurface* surface;
	const supBones* bones;
	float density; // kg/m^3
	// Skin that is counted elsewhere: points, their masses, and SUP_MAX_INFLUENCES bones and weights each.
	int32_t skinCount;
	const supVec3* skinPoints;
	const double* skinMasses;
	const uint16_t* skinBones;
	const float* skinWeights;
	// all joints that nothing is said about are balls without limits
	bool onlyBalls;
	int32_t jointCount;
	const supJointSetting* joints;
	const supTasks* tasks;
} supLinksDef;

// False and an error where out of memory or where there is no volume.
// - links is zero-initialised
bool supLinks_Init( supLinks* links, const supLinksDef* def, supError* error );
void supLinks_Destroy( supLinks* links );

// Poses of each clip that are looked at.
#define SUP_JOINT_POSES 48

// joints.c: looks at all clips of the character and sets kind, axes and limits of all links.
bool supGuessJoints( supLinks* links, const supLinksDef* def, supError* error );

// Where a pose puts a link: the rotation against rest, the centre of mass, and the joint to the parent.
typedef struct supLinkPlace
{
	supVec3d center;
	supQuatd rotation;
	supVec3d joint;
} supLinkPlace;

// From world matrices of a pose and those at rest, inverted.
// - inverses has one for each link
supLinkPlace supPlaceLink( const supLink* link, supMat34 world, supMat34 restInverse );
