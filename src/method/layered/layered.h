// SPDX-License-Identifier: MIT
// The method: rigid links under a soft skin, one system (Galoppo, Otaduy, Tekin, Gross & Lin 2007). README.md has the
// equations and says what differs from the paper.
//
//     x_a = Σ_f w_af ( c_f + R_f ( u_a + q_a - c0_f ) )       node a, frames f that move it
//
// Frames are links and what lies between two of them (joint_frames.c).
//
// Unknowns are velocities: of each link the centre's in the world and the turning in the link's own frame (6), and of
// each node that of its displacement in the space of the rest pose (3).
#pragma once

#include "character/pose.h"
#include "core/clock.h"
#include "method/layered/links.h"
#include "method/layered/skin.h"
#include "volume/binding/surface_binding.h"

// In the order of the table in layered.c.
typedef enum supLayeredParameter
{
	sup_layeredSoftness,
	sup_layeredFrequency,
	sup_layeredStrength,
	sup_layeredRoot,
	sup_layeredTracking,
	sup_layeredJointStiffness,
	sup_layeredJointDamping,
	sup_layeredExaggeration,
	sup_layeredSag,
	sup_layeredLimits,
	sup_layeredJoints,
	sup_layeredBetween,
	sup_layeredVolume,
	sup_layeredThickness,
	sup_layeredRigid,
	sup_layeredStiffness,
	sup_layeredSlowest,
	sup_layeredPoisson,
	sup_layeredDensity,
	sup_layeredDamping,
	sup_layeredDrag,
	sup_layeredParameterCount
} supLayeredParameter;

#define SUP_MOST_LAYERED_BETWEEN 15

// What skin rides on: a link, or a frame on the way from one to another. See joint_frames.c.
typedef struct supFrame
{
	int32_t links[2]; // the second is -1 where it is a link itself
	double parts[2];  // of each, which sum to 1
	supVec3d center;  // at rest
} supFrame;

typedef struct supFramePlace
{
	supVec3d center;
	supQuatd rotation;
} supFramePlace;

// Of the centre, in the world, and turning, in the frame.
typedef struct supFrameSpeed
{
	supVec3d velocity;
	supVec3d spin;
} supFrameSpeed;

// Velocities of a frame from those of its links: ċ = Σ ( part ċ_i + lever ω_i ), ω = Σ spin ω_i.
typedef struct supFrameMap
{
	supMat3d levers[2];
	supMat3d spins[2];
} supFrameMap;

// The same of one link's six velocities, as condense.c needs it: [ linear, lever; 0, spin ].
typedef struct supEndMap
{
	supMat3d linear;
	supMat3d lever;
	supMat3d spin;
} supEndMap;

// A triangle of the skin, see skin_volume.c.
typedef struct supSkinTriangle
{
	int32_t nodes[3];
} supSkinTriangle;

// Two frames with nodes in common, or a joint between them; or one frame with itself. The blocks of the skeleton's
// matrix that their nodes add to, by ends of both frames, and those nodes.
typedef struct supFramePair
{
	int32_t i, j; // i <= j
	int32_t blocks[2][2];
	int32_t transposed[2][2];
	int32_t start, end; // in pairNodes and pairWeights
} supFramePair;

typedef struct supLayeredFlesh
{
	supArena arena;
	supLinks links;
	supMat34* restInverses; // of each link's node
	supSkinLayer layer;
	const float* tetStiffness;
	supSkinBody skin;

	// frames: links first, then those between
	int32_t between; // on the way from a link to the next
	int32_t frameCount;
	supFrame* frames;
	const uint16_t* pointFrames; // SUP_MAX_INFLUENCES of each point of the layer
	const float* pointFrameWeights;
	// frames of each outer point, rigid ones too, and nodes of each frame
	int32_t* nodeStarts;
	int32_t* nodeFrames;
	double* nodeWeights;
	int32_t* frameStarts;
	int32_t* frameNodes;
	double* frameWeights;
	int32_t pairCount;
	supFramePair* pairs;
	int32_t* pairNodes;
	double* pairWeights; // products of two weights

	// the skeleton: 6 velocities a link and the multipliers of the joint to its parent. Values are those of actors.
	supBlockMatrix bones;
	supSymbolic symbolic;

	// skin weights of the points of the layer, outer and inner: SUP_MAX_INFLUENCES links each
	const uint16_t* pointLinks;
	const float* pointWeights;
	// weights of frames less those of links, of each point
	int32_t* shiftStarts;
	uint16_t* shiftFrames;
	float* shiftWeights;
	supSurfaceBinding binding;
	int32_t triangleCount; // of the skin, between nodes
	supSkinTriangle* triangles;
	int32_t heldCount; // points that hold a vertex
	int32_t* held;
	int32_t looseCount; // those of them that have no tets
	int32_t* loose;
	float size; // largest extent at rest, m
} supLayeredFlesh;

// A link in motion.
typedef struct supLinkState
{
	supVec3d center;
	supQuatd rotation;
	supVec3d velocity;
	supVec3d spin; // in its own frame
} supLinkState;

// Momentum that the body lacks: linear, and turning about the origin of the world.
typedef struct supFlow
{
	supVec3d linear;
	supVec3d turning;
} supFlow;

typedef struct supLayeredHeader
{
	supSkinLengths lengths;
	double moved; // farthest that a node or link moved in the last substep, m
	int32_t askedCount;
	int32_t goalCount;  // places that were asked for and have been met since
	int32_t touchCount; // what drags the flesh, and behind it contacts that were answered
	int32_t pullCount;
	int32_t limitCount;
	int32_t giverCount;
	int32_t rounds;  // of the last answer
	bool isAnswered; // contacts, in this substep
	supFlow lost;    // in this substep, by skin that was stopped at its ends, or gave way to keep its volume
	supVec3d shift;  // of the centre of mass, by the same
	bool isSlowed;   // a link turned faster than a step can take and was slowed down
} supLayeredHeader;

// Rows of multipliers of a joint: the Jacobian with respect to the velocities of both links, and how far off it is.
typedef struct supJointRow
{
	double parent[6];
	double child[6];
	double error;
} supJointRow;

// What a joint is driven with, see joint_loads.c: in the child's frame.
typedef struct supJointDrive
{
	supVec3d torque;
	supMat3d own;
	supMat3d above;
	double free[6]; // multipliers
	double answered[6];
	supJointLoad load; // of the last substep, in the world
} supJointDrive;

// A limit of a joint as it is at the beginning of a substep. See limits.c.
typedef struct supLimit
{
	int32_t link;
	bool isOn;
	supJointRow row;
	double stiffness; // of the row while it is on
	double summed;    // what of it M_b* has
	double pushed;    // what b* has
	double target;    // J v + what is left of the way / h: not to become negative
	double impulse;   // out: N m s
} supLimit;

// A node that is touched or held: what its velocity is to be. See response.c.
typedef struct supNodeTouch
{
	int32_t node;
	// unit length, away from what it touches
	supVec3d normal;
	// held: the velocity that it is to have in all directions. Touched: at least normal . velocity along the normal,
	// and along the surface that of what it touches.
	bool isHeld;
	supVec3d velocity;
	double friction;
	// how far a unit impulse moves what it touches, m/s per N s; 0 where that does not give. Held: how soft the hold
	// is.
	double give;
	// 1 + the rigid body that it touches, and the lever there; 0: none that moves
	int32_t rigid;
	supVec3d lever;
	// Two nodes that touch, of one body or two: the first of them says what their relative velocity is to be and where
	// the other is, which follows: it only gets the opposite impulse.
	bool isPair;
	bool isFollower;
	// as free motion or an answer before has it, it would get in: it is going to push
	bool isMet;
	int32_t otherParty;
	int32_t otherTouch;
	// the impulse is what it was found to be, and no row: one of a pair whose other body is not at hand
	bool isGiven;
	// out: N s, on the node
	supVec3d impulse;
	// out: N m s, on the body. Two nodes that touch are a little apart, and their impulses would turn both bodies
	// together: half of that is taken from each.
	supVec3d couple;
	// out: skin around a node gets what this lacks, and is a little apart from it
	supFlow lost;
	// supTouchState, and how often it has turned back
	int32_t state;
	int32_t turns;
} supNodeTouch;

// What a touch is made of, see response.c.
typedef struct supTouchWork
{
	int32_t first, count; // in jacobians
	supMat3d blend;       // R_W
	supMat3d mobility;    // W
	supVec3d velocity;    // of the node, before the answer
	// of the whole row: W + give, or that of both nodes
	supMat3d reach;
	supVec3d slip;
	int32_t rows;
	int32_t chosen; // 1 + the state that rows are for, 0: none yet
	supVec3d directions[3];
	supMat3d firm;    // Dᵀ M_λ^-1 D: the impulse that a velocity is met with
	supMat3d summed;  // what of it M_b* has
	supVec3d pushed;  // what b* has
	double target[3]; // b_λ
} supTouchWork;

// A node that is touched, see contact_compliance.c.
typedef struct supGiver
{
	int32_t node;
	bool isAlone; // no neighbour is
	bool isPlace; // keeps what it gets
	supVec3d normal;
	double own;      // d
	double all;      // b
	double part;     // p / neighbours
	double held;     // 1 - part of what neighbours that are not touched do
	double way;      // z
	double share;    // t
	double freeMass; // of neighbours that are not touched, which get what the node lacks
} supGiver;

// J_cond of a touched node for one of its links.
typedef struct supTouchJacobian
{
	int32_t link;
	double rows[3][6];
} supTouchJacobian;

// Places of the body that attachments move, at most, and points of all of them together.
#define SUP_MAX_ASKED 128
#define SUP_MAX_ASKED_POINTS 12288

// The points of the layer that a place depends on: a range of supLayeredView.askedPoints and askedWeights.
typedef struct supAskedPlace
{
	int32_t first;
	int32_t count;
} supAskedPlace;

// The most touches of a substep, and links of all touched nodes together.
#define SUP_MAX_TOUCHES 2048
#define SUP_MAX_TOUCHED_LINKS ( 3 * SUP_MAX_TOUCHES )

// Nodes that are touched, or hold places.
#define SUP_MAX_GIVERS ( SUP_MAX_TOUCHES + SUP_MAX_ASKED_POINTS )

// Of a joint.
#define SUP_MOST_LIMITS 2

// Where things are in an actor's block of state.
typedef struct supLayeredView
{
	// saved
	supLayeredHeader* header;
	supLinkState* links;
	supLinkPlace* targets;
	// of each link: its joint as seen from the parent's centre, in the parent's frame. Clips move it.
	supVec3d* arms;
	double* ways;          // of each link, which way around frames above it turn: 1 or -1, 0 before the first substep
	double* goalSpeeds;    // of each link's place in the clip, in the last substep: of the centre, and turning
	double* missed;        // impulses that blocks in place of M̃_s^-1 left out in the last substep, see free_motion.c
	supJointDrive* drives; // of each link
	double* q;             // displacements of the nodes, and their velocities
	double* v;
	uint8_t* touched;     // 1 where something pressed on it, or next to it, in the last substep
	double* bearing;      // what pressed on it there in the last substep, N s
	supAskedPlace* asked; // SUP_MAX_ASKED
	int32_t* askedPoints;
	float* askedWeights;
	double* askedGoals;  // where they are to be
	double* askedForces; // what it took, N
	supVec4* x;          // points as particles: in the world, inverse mass, which is 0 for the inner ones
	size_t savedSize;

	// shared by actors of the same flesh; NULL without a step
	const supMat3d* smooth;  // of each node, what stands for M̃_s^-1 where motion is smooth; see skin.h
	const supMat3d* softest; // the inverse of its diagonal block

	// of a substep
	struct supLayeredRun* run; // only while contacts are answered
	supLinkState* oldLinks;
	supLinkPlace* oldTargets;
	supVec3d* oldArms;
	double* oldQ;
	double* solvedV;     // v before skin was stopped at its ends
	supMat3d* rotations; // of each frame
	supVec3d* centers;
	supFrameMap* maps;
	supEndMap* endMaps;   // two of each frame
	supFrameSpeed* gains; // of each frame: what its velocity gains while those of its links stay the same
	supVec3d* frameSpins;
	supMat3d* compliances; // C, what stands for M̃_s^-1 in answers: softest + share ( smooth - softest ), times slack
	double* shares;        // 1 where nothing touches
	double* slacks;        // less than 1 where it is stretched out or pressed flat
	int32_t* giverOf;      // 1 + its place in givers; 0 where nothing touches
	supGiver* givers;      // those of the last answer; room for as many again
	double* nodeSums;      // SUP_NODE_SUMS each
	double* pairSums;      // the same of each pair
	double* frameSums;     // SUP_FRAME_SUMS each
	supMat34* throws;      // of each frame: from a point at rest to its exaggerated inertia, in the frame
	double* motions;       // of each frame, what loops over nodes need; see nodes_kernel.h
	double* expected;      // spin that each link is going to have where it follows the clip
	double* frameForces;   // of each frame, six
	double* lags;          // of each frame: quadratic velocity force and torque
	double* boneValues;    // M̃_b and joints
	double* condensed;     // M̂_cond and joints
	double* contactValues; // M_b*
	double* boneForces;    // right-hand sides and solutions of the skeleton
	double* boneSpeeds;
	double* boneRest;
	double* boneWay;
	double* boneProduct;
	double* boneFresh;
	double* bonePush;
	double* skinForces;
	double* skinFree;
	double* skinLag;
	void* factor;  // of the skeleton
	void* scratch; // of solves
	// as free motion and what drags the flesh left them: contacts start from here each time they are met
	supLinkState* freeLinks;
	double* freeV;
	double* askedMatrix;   // how asked places move each other
	supNodeTouch* touches; // SUP_MAX_TOUCHES
	supTouchWork* work;
	supTouchJacobian* jacobians;
	supLimit* limits; // SUP_MOST_LIMITS a link
	supVec4* written; // what x was when handed out

	// of the surface
	supVec4* points;
	supVec4* oldPoints; // at the beginning of the substep
	supVec3* pose;
	supVec3* fresh;
	supWideMatrix* palette;
	supMat34* base;  // of each frame, as the clip has its links
	supVec4* framed; // points that frames are of
	supBindFrame* frames;
	size_t size;
} supLayeredView;

// Of a node: m² B (6), m² B [p]x (9), m² [p]xᵀ B [p]x (6), and zeros
#define SUP_NODE_SUMS 24
// Σ m w, Σ m w p, Σ m w p pᵀ (6), Σ m w q̇, Σ m w p q̇ᵀ (9)
#define SUP_FRAME_SUMS 22

// - block NULL: only the size
supLayeredView supLayered_View( const supLayeredFlesh* flesh, const void* block );

// create.c
void* supLayered_CreateFlesh( const supFleshInput* input, supError* error );
void supLayered_DestroyFlesh( void* flesh );

// pattern.c: what follows from links, skin and the links of the points.
bool supLayeredFlesh_Finish( supLayeredFlesh* flesh, supError* error );
// What follows from the binding.
bool supLayeredFlesh_FinishBinding( supLayeredFlesh* flesh, supError* error );

// system.c: matrices and products of a substep; all of the configuration at its beginning.
// The columns of the paper's Table 1, and what comes after the answers to contacts: positions.
typedef enum supLayeredStage
{
	sup_stageFreeSetup,
	sup_stageFreeBones,
	sup_stageFreeSkin,
	sup_stageTouchSetup,
	sup_stageTouchBones,
	sup_stageTouchSkin,
	sup_stageTouchEnd,
} supLayeredStage;

typedef struct supLayeredRun
{
	const supLayeredFlesh* flesh;
	supLayeredView view;
	const supSubstep* step;
	const float* parameters;
	const float* jointStrengths;
	supVec3d gravity;
	double dt;
	supSkinStep skinStep;
	const supTasks* tasks;
	supTrouble* trouble;
	supStageTimes* stages;
	supFactor factor;
} supLayeredRun;

// A stage ends, and the next begins.
static inline void supLayered_EndStage( const supLayeredRun* run, supLayeredStage stage )
{
	if ( run->stages != NULL )
	{
		double now = supGetMilliseconds();
		run->stages->milliseconds[stage] += now - run->stages->from;
		run->stages->from = now;
	}
}

static inline void supLayered_BeginStages( const supLayeredRun* run )
{
	if ( run->stages != NULL )
	{
		run->stages->from = supGetMilliseconds();
	}
}

supLayeredRun supLayered_Start( const supLayeredFlesh* flesh, void* block, const supSubstep* step );
void supLayered_AssembleSkeleton( supLayeredRun* run );
// condense.c
// Adds the mass of what rides on a frame, about its centre, to blocks of its links.
// - own: the frame with itself
void supLayered_AddFrameMass( const supLayeredRun* run, const supFramePair* own, double mass, const supMat3d* coupling,
							  const supMat3d* inertia, double* values );
// values := M̃_b - M_bs B M_bsᵀ with joints, where B are blocks of nodes in place of M̃_s^-1.
void supLayered_Condense( supLayeredRun* run, const supMat3d* blocks, double* values );
// SUP_FRAME_SUMS of every frame, for displacements q of the skin and their velocities v.
void supLayered_SumFrames( supLayeredRun* run, const double* q, const double* v );
// Of the skin on a frame, about the frame's centre.
supMat3d supFrameInertia( const double* sums );
// The spin of a link, as far as a step can take it.
supVec3d supLayered_SafeSpin( const supLayeredRun* run, int32_t link );
// y_a := M_bsᵀ v
void supLayered_CarryToSkin( const supLayeredRun* run, const double* v, double* y );
// f += scale M_bs y
void supLayered_CarryToBones( const supLayeredRun* run, double scale, const double* y, double* f );
// How far a node may move from its place, m.
double supLayered_MostStretch( const supLayeredFlesh* flesh, int32_t node );
// How far it swings at least before it is stopped, m; 0 where something touches it.
double supLayered_LeastSwing( const supLayeredRun* run, int32_t node );
// From a node through the skin to the bones, at rest, and what part of that it may be pressed in.
#define SUP_MOST_PRESSED 0.9
supVec3d supLayered_InwardWay( const supLayeredFlesh* flesh, int32_t node );
// Where a node is in the space of the rest pose.
static inline supVec3d supLayered_Point( const supLayeredFlesh* flesh, const double* q, int32_t node )
{
	return supAddVec3d( supWidenVec3( flesh->skin.points[node] ), supLoadVec3d( q + 3 * (int64_t)node ) );
}

// The same as seen from the centre of a frame, in the frame.
static inline supVec3d supLayered_Arm( const supLayeredFlesh* flesh, const double* q, int32_t node, int32_t frame )
{
	return supSubVec3d( supLayered_Point( flesh, q, node ), flesh->frames[frame].center );
}

supVec3d supLayered_NodeVelocity( const supLayeredRun* run, int32_t node );
// The way that its skin has gone in the substep, a second: what was stopped at its end has not gone where its velocity
// says. And the velocity of the node with it.
supVec3d supLayered_SkinPace( const supLayeredRun* run, int32_t node );
supVec3d supLayered_NodePace( const supLayeredRun* run, int32_t node );

// joint_frames.c
bool supLayeredFlesh_MakeFrames( supLayeredFlesh* flesh, supError* error );
// - links: as any moment has them; ways: as the beginning of the substep has them
supFramePlace supLayered_PlaceFrame( const supLayeredFlesh* flesh, int32_t frame, const supLinkState* links,
									 const double* ways );
// Of a frame that is no link.
// - ends: its two links; way: which way around it turns, 0 for the shorter
supFramePlace supLayered_BetweenPlace( const supLayeredFlesh* flesh, int32_t frame, const supLinkState ends[2],
									   double way );
// Which way around it turns where the clip has its links.
double supLayered_BaseWay( const supLayeredFlesh* flesh, const supLayeredView* view, int32_t frame );
supFrameMap supLayered_MapFrame( const supLayeredFlesh* flesh, int32_t frame, const supLinkState* links,
								 const double* ways );
// - ends: six velocities of each of the frame's links
supFrameSpeed supLayered_CombineSpeeds( const supFrame* frame, const supFrameMap* map, const double* const ends[2] );
supFrameSpeed supLayered_FrameSpeed( const supFrame* frame, const supFrameMap* map, const supLinkState* links );
// - v: a vector of the skeleton
supFrameSpeed supLayered_SolvedSpeed( const supLayeredRun* run, int32_t frame, const double* v );
// A force on a frame and a torque, in the frame, added to a vector of the skeleton.
void supLayered_PushFrame( const supLayeredRun* run, int32_t frame, supVec3d force, supVec3d torque, double* bones );
// Places, maps and spins of all frames, at the beginning of a substep.
void supLayered_StartFrames( supLayeredRun* run );
// A point of the layer, outer or inner, from the centre of a frame.
supVec3d supLayered_PointArm( const supLayeredRun* run, int32_t point, int32_t frame );
// What a link's six velocities do to a point: ẋ = moves v, and in the space of the rest pose lags v, of which M_bsᵀ is
// the node's mass times.
typedef struct supPointLink
{
	int32_t link;
	double moves[3][6];
	double lags[3][6];
} supPointLink;

// Returns how many links move a point.
// - blend: R_W
int32_t supLayered_FindPointLinks( const supLayeredRun* run, int32_t point, supPointLink links[SUP_MAX_INFLUENCES],
								   supMat3d* blend );

// skin_volume.c
bool supLayeredFlesh_FindTriangles( supLayeredFlesh* flesh, supError* error );
// Ends free motion: keeps skin that nothing touches near its place, and its volume. Links are where they are going.
void supLayered_SettleSkin( supLayeredRun* run );

// harden.c: forces on skin that loose bodies displace far, added to skinForces.
void supLayered_HardenLooseSkin( supLayeredRun* run );

// contact_compliance.c: what stands for the skin in answers to contacts.
// At the beginning of a substep, with nothing touched.
void supLayered_FindCompliances( supLayeredRun* run );
// Whether touches are going to push.
void supLayered_MarkMet( const supContactParty* parties, int32_t partyCount );
// Compliances and the condensed matrix for the touches and asked places that there are.
void supLayered_FindGive( supLayeredRun* run );
void supLayered_StiffenTouched( supLayeredRun* run );
// At the end of a substep.
void supLayered_KeepBearing( const supLayeredRun* run );
// The same of places that are held.
void supLayered_StiffenHeld( supLayeredRun* run );
// W, how far a node itself gives.
supMat3d supLayered_Give( const supLayeredRun* run, int32_t node );
// What a velocity of a node's skin is worth to the whole body, about the origin of the world.
void supLayered_AddFlow( const supLayeredRun* run, int32_t node, double scale, supVec3d v, supFlow* sum );
// The same of all nodes. Uses frameForces.
void supLayered_AddSkinFlow( const supLayeredRun* run, double scale, const double* v, supFlow* sum );
// Moves the skin under a touch and around it.
// - push: in the space of the rest pose
void supLayered_Dent( const supLayeredRun* run, supNodeTouch* touch, supVec3d push );

// momentum.c: what the velocities that were solved for are worth, and what is missing of it where positions led.
void supLayered_GiveMomentum( supLayeredRun* run );

// joint_rows.c: constraint rows of the joint between a link and its parent.
// - arm: the joint as seen from the parent's centre, in the parent's frame
int32_t supMakeJointRows( supVec3d arm, const supLink* link, const supLinkState* parent, const supLinkState* child,
						  supJointRow rows[6] );

// close_joints.c: moves links so that their joints meet; velocities stay.
void supLayered_CloseJoints( supLayeredRun* run );
// What resists being moved: a link with its skin, and where it is a root what holds it.
double supLayered_Resistance( const supLayeredRun* run, int32_t link );

// limits.c
// Angle about an axis, of a turn of a link against its parent.
double supFindTurn( supQuatd turn, supVec3d axis );
double supAngleBetween( supVec3d a, supVec3d b );
// Rows of the limits of a joint; returns how many there are.
int32_t supMakeLimitRows( const supLink* link, const supLinkState* parent, const supLinkState* child,
						  supJointRow rows[SUP_MOST_LIMITS] );
// All limits as they are at the beginning of a substep.
void supLayered_FindLimits( supLayeredRun* run );

// control.c: torques that follow the clip, and springs in joints; matrices and forces.
void supLayered_AddControl( supLayeredRun* run );
// How firmly the joint above a link, or a root, follows the clip.
double supLayered_Strength( const supLayeredRun* run, const supLink* link );
// Part of what is missing to the clip that a step makes up for: 1 from strength 1 on.
double supLayered_FollowedPart( const supLayeredRun* run, const supLink* link );

// joint_loads.c
// - own, above: what a drive adds to the child's rows, times scale; of the parent with the opposite sign
void supLayered_AddDrive( supLayeredRun* run, int32_t link, supVec3d torque, double scale, const supMat3d* own,
						  const supMat3d* above );
// - boneSpeeds: of free motion, or of an answer to contacts
void supLayered_KeepMultipliers( const supLayeredRun* run, bool isAnswer );
// Once velocities are final, before momentum is given back.
void supLayered_FindLoads( supLayeredRun* run );
bool supLayered_TellJointLoad( const void* flesh, const void* state, int32_t node, supJointLoad* load );

// feed_forward.c: what the clip's own motion takes of torques; forces.
void supLayered_FeedForward( supLayeredRun* run );

// free_motion.c: phases 1 and 2 (velocities), and 3 or 8 (positions).
void supLayered_MoveFreely( supLayeredRun* run );
void supLayered_UpdatePositions( supLayeredRun* run );
// The product of two vectors of the skeleton, velocities alone, without multipliers.
double supLayered_DotSpeeds( const supLayeredFlesh* flesh, const double* a, const double* b );

// touches.c: what touches are made of.
// - false: there is no room for the links of all touches, and this one is left out
bool supLayered_PrepareTouch( const supLayeredRun* run, const supNodeTouch* touch, supTouchWork* work,
							  int32_t* jacobianCount );
// - otherWork: of the second node, or NULL
void supLayered_PrepareRows( const supNodeTouch* touch, supTouchWork* work, const supTouchWork* otherWork );
void supLayered_ChooseRows( const supNodeTouch* touch, supTouchWork* work );
// The part of a touch's impulse that is given: friction of a node that slides.
supVec3d supLayered_GivenImpulse( const supNodeTouch* touch );
// J_cond v
supVec3d supLayered_Anticipate( const supLayeredRun* run, const supTouchWork* work, const double* v );
// f += J_condᵀ push
void supLayered_AddPush( const supLayeredRun* run, const supTouchWork* work, supVec3d push, double* f );
// rigid_touch.c: rigid bodies that are touched.
// The speed of what is at the end of a lever.
supVec3d supContactRigid_SpeedAt( const double* v, supVec3d lever );
void supContactRigid_AddPush( double* f, supVec3d lever, supVec3d push );
void supContactRigid_StartMatrix( supContactRigid* rigid );
void supContactRigid_AddSquare( supContactRigid* rigid, supVec3d lever, const supMat3d* firm );
void supContactRigid_Factor( supContactRigid* rigid );
void supContactRigid_Solve( const supContactRigid* rigid, const double* from, double* to );
void supContactRigid_Multiply( const supContactRigid* rigid, const double* from, double* to );
double supContactRigid_Dot( const double* a, const double* b );

// response.c: phases 5 to 7 for touches that are known; velocities only. Bodies that touch each other are solved
// together. Each party's work is its supLayeredRun, touches and their number are in its view.
typedef enum supTouchState
{
	sup_touchOff,
	sup_touchStick,
	sup_touchSlide,
} supTouchState;

void supLayered_Respond( const supContactParty* parties, int32_t partyCount );

// attachment_response.c
bool supLayered_ComputeResponse( const void* flesh, void* state, const supSubstep* step, int32_t count,
								 const int32_t* particles, const float* weights, supMat3* columns );
// What attachments did to the points becomes motion of links and skin: freeLinks and freeV, and positions.
void supLayered_BeginAttachments( supLayeredRun* run );
void supLayered_BeginHeldPlaces( const void* flesh, void* block );
void supLayered_AddHeldPlace( const void* flesh, void* block, int32_t count, const int32_t* particles,
							  const float* weights );
// The same once more, where contacts have moved the places since.
void supLayered_SolveAttachments( supLayeredRun* run );
bool supLayered_GetAttachmentForce( const void* flesh, const void* state, int32_t count, const int32_t* particles,
									const float* weights, supVec3* force );
// step.c: positions anew from freeLinks and freeV, and the contacts that were answered.
void supLayered_Reposition( supLayeredRun* run );

// step.c
size_t supLayered_StateSize( const void* flesh );
size_t supLayered_SavedSize( const void* flesh );
void supLayered_Restore( const void* flesh, void* state, const supTasks* tasks );
void* supLayered_CreateShared( const void* flesh, supError* error );
void supLayered_DestroyShared( void* shared );
bool supLayered_PrepareShared( const void* flesh, void* shared, void* state, const supSubstep* step, int64_t turn );
void supLayered_Reset( const void* flesh, void* state, supPose* pose, const supTasks* tasks );
void supLayered_Predict( const void* flesh, void* state, const supSubstep* step );
void supLayered_Solve( const void* flesh, void* state, const supSubstep* step );
void supLayered_Finish( const void* flesh, void* state, const supSubstep* step );
void supLayered_AnswerContacts( supContactParty* parties, int32_t partyCount );
bool supLayered_IsSettled( const void* flesh, const void* state );
supParticles supLayered_GetParticles( const void* flesh, void* state );

// surface.c
// Where the points of the layer are now, and frames of them where they have moved.
void supLayered_SkinPoints( const supLayeredFlesh* flesh, const supLayeredView* view, const supTasks* tasks );
void supLayered_FrameSurface( const supLayeredFlesh* flesh, const supLayeredView* view, const supTasks* tasks );
void supLayered_WriteSurface( const void* flesh, const void* state, supPose* pose, int32_t instance,
							  const supTasks* tasks, const supSkinOutput* output );
void supLayered_AddBase( const void* flesh, const void* state, int32_t instance, const supTasks* tasks,
						 supVec3* positions );
// Frames as the clip has their links.
void supLayered_PlaceBase( const supLayeredFlesh* flesh, const supLayeredView* view );
void supLayered_FindRow( const void* flesh, void* state, supPose* pose, const supSurfacePoint* point,
						 supPlaceRow* row );
void supLayered_Frame( const void* flesh, void* state, const supTasks* tasks );
int32_t supLayered_BindVertex( const void* flesh, int32_t instance, int32_t vertex, int32_t* particles,
							   float* weights );
bool supLayered_Grab( const void* flesh, const void* state, const supSurfacePoint* point, float radius, supGrab* grab );
void supLayered_Measure( const void* flesh, const void* state, supSurfaceMeasure* measure );

// pack.c
void supLayered_SaveFlesh( const void* flesh, supPackWriter* writer );
void* supLayered_LoadFlesh( supPackReader* reader, const supCharacter* character );

// elements.c
void supLayered_ListElements( const void* flesh, supFleshElements* elements );
