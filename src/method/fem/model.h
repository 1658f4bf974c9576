// SPDX-License-Identifier: MIT
// A body as the method sees it: functions with coefficients, places with material, and regions around bones.
//
// A field is p(x) = sum of x_a f_a(x): positions of the body. One function stands at each vertex of the control
// lattice; finer ones add detail to that (detail.h). Functions on bones are known: they go where the skeleton puts
// them, exactly. What is integrated is a sum over the places of a rule (volume/lattice/cell_basis.h).
//
// Regions. A region belongs to a bone; it has the places of all cells whose unknown vertices have a weight for this
// bone, and of all cells around vertices that the bone weighs heaviest on. It sees the body from the frame T of its
// bone, in which it hardly turns, so that linear elasticity does. Its stiffness K and mass M are integrals over its own
// places alone: seen by itself it is a body that is cut off there. Functions with weight 0 may be in a region: what
// they are found to do in it is not used.
//
// Parts. Each region's matrices are kept apart by soft region, since the frequency and damping of these may be set
// while it runs: K = sum of s_r K_r, D = sum of mu_r M_r.
#pragma once

#include "linear/factor.h"
#include "method/fem/elastic.h"
#include "method/method.h"
#include "volume/weights/joint_sharing.h"

// What the integrals are taken over.
typedef struct supFemRule
{
	int32_t count;
	const int32_t* starts; // of the functions at each place; count + 1
	const int32_t* functions;
	const float* values;
	const supVec3* gradients;
	const float* volumes; // m^3
	// Material.
	const float* densities; // kg/m^3
	const float* moduli;    // Young's, in Pa
	const float* poissons;  // 0 to below 0.5
	const int32_t* softRegions;
	// How firmly a place is held to the rigid motion of its bones, in N/m per m^3: what makes lines into bones that
	// have a thickness (section 4.4 of the paper), and firm flesh firm.
	const float* holds;
	// How firm the hold of a place is, 0 to 1: the firmer, the more it grows with the stiffness of a soft region, so
	// that firm flesh stays firm when all flesh is tuned. NULL: holds are what they say.
	const float* grips;
	// What is left of modulus and hold at a place of a cell that reaches across a gap: 0 to 1. NULL: all of both.
	const float* shares;
	// How far the bone at a place swings with its flesh, as in tails, ears and wings: 0 not at all, to 1. NULL: 0.
	// Loose places are held to their bones by springs that swing at their soft region's frequency.
	const float* loosenesses;
	// the cell of each place; NULL where nothing pushes at corners of cells
	const int32_t* cells;
} supFemRule;

#define SUP_MOST_BETWEEN 3

typedef struct supFemModelDef
{
	int32_t functionCount;
	// coefficients at rest: positions of the vertices
	const supVec3* rests;
	// where each function stands, for the order of elimination
	const supVec3* places;
	const uint8_t* isKnown;
	int32_t boneCount;
	// SUP_MAX_INFLUENCES a function, sum 1
	const uint16_t* joints;
	const float* weights;
	// Frames between each bone and the one above it, 0 to SUP_MOST_BETWEEN; with them the bone above each bone (-1 for
	// a root) and its joint at rest. parents may be NULL for none.
	int32_t between;
	const int32_t* parents;
	const supVec3* origins;
	int32_t softRegionCount;
	supFemRule rule;
	// One region for the whole body, in the frame of this bone; -1: one for each bone that has any weight.
	int32_t wholeBone;
	// The energy is not linearised. One region only.
	bool isNonlinear;
	// Several regions: after them functions near joints are solved for again without linearising.
	bool hasJoints;
	// with cells in the rule: 8 corners each, -1 for none
	const int32_t* cellCorners;
} supFemModelDef;

// The places of one region in one soft region.
typedef struct supFemPart
{
	int32_t softRegion;
	supBlockMatrix stiffness; // of all nodes of the region, 3 unknowns each
	supBlockMatrix mass;      // the same blocks, 1 unknown each
	supBlockMatrix hold;      // of the whole body or of joints; elsewhere it is in the stiffness
	int32_t* blocks;          // of the region's matrix, -1 where a node is known
	// The blocks of the stiffness between each unknown node and known ones, which are counted from 0.
	int32_t* bondStarts;
	int32_t* bondNodes;
	double* bonds;
	// of each unknown node, M times the rest pose: sum of m r and sum of m, of unknown vertices and then of known ones
	double* moments;
	// the same of what holds places to their bones, of all vertices
	double* holdMoments;
} supFemPart;

// Two bones that share flesh, the second below the first, with frames of their own on the way between them.
typedef struct supFemPair
{
	int32_t first, second;
	double origin[3]; // of the joint between them
} supFemPair;

// What a bone has of a function: mass, and how firmly it is held to the bone, 0 to 1.
typedef struct supFemLoad
{
	int32_t function;
	double mass;
	double hold;
} supFemLoad;

// A bone that its flesh carries along (loose_bones.c).
typedef struct supFemLooseBone
{
	int32_t bone;
	int32_t above;        // the loose bone above it, which precedes it; -1 for none
	int32_t start, end;   // in looseLoads
	double origin[3];     // its joint at rest
	double inverse[3][3]; // of the second moments about that at rest
} supFemLooseBone;

// From where the clip has a bone to where its flesh has carried it: rotation and shift, in the world.
typedef struct supFemSwing
{
	double q[4];
	double r[3][3];
	double t[3];
} supFemSwing;

// From the rest pose to a pose. Rows.
typedef struct supFemFrame
{
	double r[3][3]; // rotation
	double a[3][3]; // linear part: r where the bone is not stretched
	double t[3];
	double q[4]; // the rotation again: x y z w, of length 1
} supFemFrame;

typedef struct supFemRegion
{
	int32_t frame;
	int32_t nodeCount;
	int32_t unknownCount; // the first nodes of all
	int32_t* functions;   // of each node
	double* loads;        // of each node: integral of density times function
	int32_t partCount;
	supFemPart* parts;
	// Cells of its places, and nodes at their corners, 8 each, -1 where one is known or none. Where the rule has cells.
	int32_t cellCount;
	int32_t* cells;
	int32_t* cellNodes;
	supBlockMatrix matrix; // pattern of the unknowns
	supSymbolic symbolic;
	// Not linearised: its elements, and of each its pairs of functions, block of the matrix or -1.
	int32_t elementCount;
	int32_t* elements;
	int32_t* slotStarts;
	int32_t* slots;
	// where its numbers are in a state, in bytes
	size_t factorStart;
	size_t workStart;
	int32_t solutionStart; // in nodes
} supFemRegion;

// A region's part in the motion of a function.
typedef struct supFemShare
{
	int32_t region;
	int32_t node;
	int32_t pair;
	double straight, turned;
} supFemShare;

// - gates: of each pair, 0 straight to 1 turned
static inline double supFemMix( int32_t pair, double straight, double turned, const double* gates )
{
	return pair < 0 ? straight : straight + gates[pair] * ( turned - straight );
}

// The most functions that are not 0 at a place.
#define SUP_MOST_FEM_FUNCTIONS 64

// Places of a cell that have the same gradients, taken together.
typedef struct supFemElement
{
	int32_t start; // in elementFunctions and elementGradients
	int32_t count;
	int32_t softRegion;
	supElasticLaw law;
	double volume; // of the body in it, at rest; less where it reaches across a gap
} supFemElement;

typedef struct supFemModel
{
	supArena arena;
	int32_t functionCount;
	const supVec3* rests;
	const supVec3* places;
	const uint8_t* isKnown;
	int32_t boneCount;
	const uint16_t* joints;
	const float* weights;
	// Frames: those of bones, then `between` of each pair, and how functions are shared among them.
	int32_t frameCount;
	int32_t between;
	int32_t pairCount;
	supFemPair* pairs;
	int32_t* claimStarts;  // of each function; functionCount + 1
	supFrameShare* claims; // those of one frame side by side
	int32_t looseBoneCount;
	supFemLooseBone* looseBones;
	supFemLoad* looseLoads;
	bool hasCarried; // there are loose bones, and regions with frames for them
	int32_t softRegionCount;
	supFemRule rule;
	bool isWhole; // one region for the whole body
	bool isNonlinear;
	// of each function: from the skeleton, and never less than to its neighbours
	float* reaches;
	float extent; // diagonal of the vertices' box

	int32_t regionCount;
	supFemRegion* regions;
	// The functions near joints, NULL for none: known are all others. It stands behind the regions.
	supFemRegion* nearJoints;
	// bytes of a state for the regions' factors and scratch, and for the matrix that is being factored
	size_t factorSize, workSize, valuesSize, factorWorkSize;
	int32_t solutionCount; // in nodes
	int32_t* shareStarts;  // of each function; functionCount + 1
	supFemShare* shares;

	double mass;   // of the whole body, kg
	double* loads; // of each function: integral of density times function over the whole body
	// of each soft region the lowest frequency with all else held still, in rad/s; 0 where it has no function
	double* pulses;

	double* gives; // of each function, 1/kg: how far it moves to keep the volume; 0 where it is firm (body_volume.c)

	int32_t elementCount;
	supFemElement* elements;
	int32_t* elementFunctions;
	double* elementGradients;
} supFemModel;

// Keeps the def's arrays, which must outlive the model. False with an error where a material cannot be used or out of
// memory; nothing is left behind.
// - model is zero-initialised
bool supFemModel_Init( supFemModel* model, const supFemModelDef* def, supError* error );
void supFemModel_Destroy( supFemModel* model );

// ---------------------------------------------------------------------------------------------------------------------
// joint_frames.c

// False where out of memory.
bool supFemModel_MakeBetweens( supFemModel* model, const supFemModelDef* def );

// All frames from those of the bones, how far the bones of each pair are turned against each other, and which way
// around (1 or -1; 0 before the first step).
void supFemModel_PlaceFrames( const supFemModel* model, const supFemFrame* bones, supFemFrame* frames, double* gates,
							  double* ways );

// r from q.
void supFemFrame_TakeTurn( supFemFrame* frame );

// ---------------------------------------------------------------------------------------------------------------------
// loose_bones.c

// With the loads. False where out of memory.
bool supFemModel_MakeLooseBones( supFemModel* model, const supFemModelDef* def );

// The frames of all bones with loose ones where flesh has carried them.
// - turns: of each loose bone, in its frame: x y z w
// - swings: of each loose bone, as it is then
void supFemModel_CarryBones( const supFemModel* model, const supFemFrame* clip, const double* turns,
							 supFemSwing* swings, supFemFrame* carried );

// ---------------------------------------------------------------------------------------------------------------------
// body_volume.c

// With the loads. False where out of memory.
bool supFemModel_MeasureVolumes( supFemModel* model );

// ---------------------------------------------------------------------------------------------------------------------
// For model.c: regions.c and region_frequencies.c

bool supFemModel_MakeRegions( supFemModel* model, const supFemModelDef* def, supError* error );
void supFemRegion_Destroy( supFemRegion* region );
// The lowest frequency of each soft region with all else held still, in rad/s; 0 where it has no function.
bool supFindFemPulses( const supFemModelDef* def, double* pulses, supError* error );
// solver.c: where regions keep their numbers
void supFemModel_LayOut( supFemModel* model );

static inline double supFemRule_Share( const supFemRule* rule, int32_t place )
{
	return rule->shares != NULL ? (double)rule->shares[place] : 1.0;
}

// What the hold of a place is multiplied with in a soft region of frequency `pulse`.
static inline double supFemRule_HoldScale( const supFemRule* rule, int32_t place, double pulse )
{
	double ratio = pulse / ( 2.0 * (double)SUP_PI * (double)SUP_SOFT_FREQUENCY );
	double scale = rule->grips != NULL ? (double)rule->grips[place] * ratio * ratio : 1.0;
	return scale > 1.0 ? scale : 1.0;
}

// What holds a place to its bones, in N/m per m^3. Springs of loose places are soft and pull toward ordinary skinning
// at joints too; what holds firmly there would leave elasticity nothing to say.
// - purity: how much the place belongs to one bone, 0 .. 1
// - pulse: of its soft region
static inline double supFemRule_Hold( const supFemRule* rule, int32_t place, double purity, double pulse )
{
	double looseness = rule->loosenesses != NULL ? (double)rule->loosenesses[place] : 0.0;
	return (double)rule->holds[place] * purity * supFemRule_HoldScale( rule, place, pulse ) +
		   looseness * (double)rule->densities[place] * pulse * pulse;
}

// - share: of the modulus
static inline supElasticLaw supFemRule_Law( const supFemRule* rule, int32_t place, double share )
{
	double nu = (double)rule->poissons[place], volume = share * (double)rule->volumes[place];
	double shear = (double)rule->moduli[place] / ( 2.0 * ( 1.0 + nu ) ) * volume;
	return ( supElasticLaw ){ shear, shear * nu / ( 1.0 - 2.0 * nu ) };
}
