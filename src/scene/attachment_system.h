// SPDX-License-Identifier: MIT
// Attachments: internal interface of the attachment_*.c files.
//
// Two kinds of work. Places that are single mass points of one body are *ties* (attachment_ties.c): the closed form of
// Gissler, Becker & Teschner (2006), or unknowns that the body's own implicit step merges. All other places are rows of
// weights over the particles that carry the drawn surface, and are solved together. A row of an attachment is
//
//     sum of s_i x_i = g      x_i its places, s_i what they count (a join: +1 and -1; on a line: 1 and its shares)
//
//     S l = g - G x           S = G C G^T, C the 3x3 blocks of how far a force on one place moves another one of the
//                             same body, l the forces of the rows
//
// S is factored where that is cheap (attachment_factor.c). Else, and where attachments depend on each other so that S
// has no inverse, it is solved by conjugate residuals with the diagonal blocks as preconditioner, in double precision
// (attachment_system.c), which never form S: a product takes forces to places, moves each place by what acts on its
// body, and takes sums.
//
// Redundant attachments are harmless: the gaps are in the range of S. Conflicting ones are solved in the least-squares
// sense and reported by name.
#pragma once

#include "attach/anchor.h"
#include "scene/attachment.h"

// Of a place's distance from the origin, or of a metre where that is less: gaps that are left to rounding.
#define SUP_CLOSED_GAP 1e-6f

// Vectors of the conjugate residuals.
typedef struct supGapRow
{
	bool active;
	int32_t node;    // of the factored system
	supMat3 block;   // of the diagonal
	supMat3 inverse; // of it
	// slides: what of a gap counts, as a projection: along the normal of a face, or across an edge
	bool isPartial;
	supMat3 part;
	double gap[3];   // to be closed
	double softness; // part of its block that it gives in addition, of those in conflict
	double residual[3];
	double inside[3]; // the residual by the preconditioner
	double image[3];  // S of it
	double direction[3];
	double product[3]; // S of it
	double force[3];
} supGapRow;

// Vertices of the skin beneath a shell that rides on it, among all of the actor, and how a place on the shell goes with
// them (attachment_rider.c).
typedef struct supCarriers
{
	int32_t count; // 0: it does not ride
	int32_t* vertices;
	float* weights;
} supCarriers;

typedef struct supHeldPlace
{
	supPlace def;
	supAttachment* owner;
	// it has particles that can be moved
	bool moves;
	// it is one mass point, as drawn: fit for ties
	bool isPoint;
	// weights never change; a limit of the surface is at work (supPlaceRow)
	bool isConstant;
	bool isLimited;
	supCarriers carriers[2]; // of the point, and of the one on the opposite side
	int32_t capacity;        // of the row
	int32_t rowCount;        // of the row, as found
	supAnchor row;           // of them those that can be moved
	supAnchor grip;          // what a force is spread over where a radius is given; none: the row
	// where it was when the assembly began, as seen from the first place
	supVec3 gap;
	// world: where it was before the step, and where it is in the substep at hand
	supVec3 before;
	supVec3 now;

	// of the substep at hand
	supAnchorBody body;
	supVec3 predicted;
	float dt;
	float share; // lines and triangles: its part of the place that the first one is held at

	// how a force here moves the body as a whole; NULL where that has no system of its own
	int32_t columnCount;
	supMat3* columns;
	bool responds;
	int32_t index; // among the held places of the actor
	double push[3];
	double move[3];
	supGapRow gapRow;

	bool isReserved; // it has room on its actor, among the ties or beside
	bool isTied;

	// ties: its point
	int32_t ownParticle;
	float ownWeight;
	int32_t member;
} supHeldPlace;

struct supAttachment
{
	supAttachment* next;
	supAttachment* previous;
	supAttachments* system;
	char name[64];
	supAttachmentKind kind;
	int32_t placeCount;
	supVec3 velocity;
	float slack;
	float assembly;
	float breakingForce; // N; INFINITY: none
	float assembled;     // seconds since it became active
	bool active;
	bool broken;
	bool fresh;         // gaps at the beginning are still to be taken
	bool isTied;        // solved as a tie
	bool starts;        // slides: it is not yet on its surface
	bool isInConflict;  // with others: reported
	bool hasCompliance; // responses of its places are computed
	supVec3 slideStart; // velocity: where the place was before the substep
	supVec3 force;
	float gap;
	supHeldPlace places[]; // placeCount
};

// attachment_place.c ----------------------------------------------------------------------------------------------

// On a surface: takes hold of the particles that carry it. False where out of memory.
bool supHeldPlace_Init( supHeldPlace* place, const supPlace* def, bool slides );

// On or in a body with particles, whether it hangs on any that can move or not.
bool supHeldPlace_HasFlesh( const supHeldPlace* place );

// Room for its response, or among its actor's ties. False where out of memory.
bool supHeldPlace_Reserve( supHeldPlace* place, bool isTied );
void supHeldPlace_Destroy( supHeldPlace* place );

// Moves it to another point of the surface.
void supHeldPlace_SlideTo( supHeldPlace* place, const supSurfacePoint* point );

// World places move linearly over the substeps of a step.
void supHeldPlace_EndMove( supHeldPlace* place );
void supHeldPlace_Move( supHeldPlace* place, float weight );

// Where it will be drawn at the end of the substep, and how it hangs on particles: first FindRow of all places, then
// UpdateAnchors of all. PredictAgain: after forces have acted on its body.
void supHeldPlace_FindRow( supHeldPlace* place );
void supHeldPlace_UpdateAnchor( supHeldPlace* place );
supVec3 supHeldPlace_Predict( const supHeldPlace* place );

// How a force moves the whole body. Once a substep: what attachments do does not change it.
void supHeldPlace_ComputeResponse( supHeldPlace* place, float dt, const supTasks* tasks );
void supHeldPlace_Apply( supHeldPlace* place, supVec3 force );

// Of a body whose particles move each for itself: how far a force of 1 N here moves each of them over the substep.
// Those that are tied move with what they are tied to. A particle may come several times.
// - by: the grip or the row of the place
typedef void supMoveFcn( void* context, int32_t particle, float way );
void supHeldPlace_ForEachMove( const supHeldPlace* place, const supAnchor* by, supMoveFcn* function, void* context );

// What a force is spread over.
const supAnchor* supHeldPlace_Grip( const supHeldPlace* place );

// Where it is drawn, after a step.
supVec3 supHeldPlace_Drawn( const supHeldPlace* place );

// attachment_rider.c ----------------------------------------------------------------------------------------------

// False where out of memory.
// - slides: room for any other place of the actor too
bool supCarriers_Init( supCarriers* carriers, const supActor* actor, const supSurfacePoint* point, bool slides );

// Of another place than before, in the same room.
void supCarriers_Find( supCarriers* carriers, const supActor* actor, const supSurfacePoint* point );
void supCarriers_Destroy( supCarriers* carriers );

// The one that counts most, as a place.
// - count > 0, and the same in FindRow
supSurfacePoint supCarriers_Main( const supCarriers* carriers, const supActor* actor );
void supCarriers_FindRow( const supCarriers* carriers, supActor* actor, supPose* pose, const supSurfacePoint* point,
						  struct supPlaceRow* row );

// attachment_solve.c -----------------------------------------------------------------------------------------------

// What share of the gap is still allowed.
float supAttachment_OpenRatio( const supAttachment* attachment );

// velocity: where the place is to be
supVec3 supAttachment_VelocityGoal( const supAttachment* attachment, float dt );

// What a place counts in the row of place `row`, which is 0 for all but joins.
static inline float supAttachment_Sign( const supAttachment* attachment, int32_t row, int32_t place )
{
	if ( attachment->kind == sup_attachmentJoin )
	{
		return place == row ? 1.0f : place == 0 ? -1.0f : 0.0f;
	}
	return place == 0 ? 1.0f : -attachment->places[place].share;
}

// Part of the coupled system? Leashes are not.
static inline bool supAttachment_IsCoupled( const supAttachment* attachment )
{
	return attachment->slack <= 0.0f;
}

// Row 0 of a join would be its first place against itself.
static inline bool supAttachment_HasRow( const supAttachment* attachment, int32_t row )
{
	return supAttachment_IsCoupled( attachment ) && ( attachment->kind == sup_attachmentJoin ? row > 0 : row == 0 );
}

// attachment_factor.c ---------------------------------------------------------------------------------------------

// For the general ones as they are, with holders and what they hold known. NULL where there is nothing to solve, where
// conjugate residuals are cheaper, or out of memory.
supGapSystem* supCreateGapSystem( supAttachments* attachments );
void supDestroyGapSystem( supGapSystem* system );

// False where rows depend on each other.
bool supGapSystem_Refactor( supGapSystem* system, const supAttachments* attachments );

// Forces of all rows from their residuals.
void supGapSystem_Solve( supGapSystem* system, const supAttachments* attachments );

// attachment_system.c ---------------------------------------------------------------------------------------------

// After the general ones have changed.
void supRefreshCoupled( supAttachments* system );

// Once a substep, when the rows of all places are known: how a force on each moves its body, and with it other places.
void supPrepareCoupled( supAttachments* system, float dt, const supTasks* tasks );

// Tells the method which places it is to keep (supMethod.beginHeldPlaces).
// - except: one to leave out, or NULL
void supActor_KeepHeldPlaces( const supActor* actor, const supHeldPlace* except );

// The second place of an attachment that slides is another one than it was: how a force there moves its body.
void supRefreshResponse( supAttachments* system, supHeldPlace* place, float dt, const supTasks* tasks );

// From here on the row of an attachment that slides counts only along this unit vector, or only across it.
void supAttachment_HoldAlong( supAttachment* attachment, supVec3 normal );
void supAttachment_HoldAcross( supAttachment* attachment, supVec3 edge );

// Gaps of all general attachments but leashes into their rows. Returns the largest, as a part of its place's distance
// from the origin or of a metre.
double supMeasureCoupled( supAttachments* system, float dt );

// Solves all general attachments but leashes at once. False if all gaps are closed and nothing was done.
bool supSolveCoupled( supAttachments* system, float dt );

// After the last round of a substep: warns of attachments that are left with a gap, once until they are closed again.
void supReportConflicts( supAttachments* system );

// attachment_coupling.c -------------------------------------------------------------------------------------------

// Scratch: three doubles for each particle, zero before and after.
// Once the held places of an actor are known, with their responses.
void supActor_FindCouplings( supActor* actor, void* scratch );

// Many places on a body whose particles move independently: there is no matrix of couplings.
bool supActor_HasSparseCouplings( const supActor* actor );

// Adds to supHeldPlace.move of all held places of the actor what their pushes move.
void supActor_MoveHeld( const supActor* actor, void* scratch );

// How far a force on `pushed` moves `place`; nothing where they are of different bodies.
supMat3 supFindCoupling( const supHeldPlace* place, const supHeldPlace* pushed );

// attachment_ties.c -----------------------------------------------------------------------------------------------

// Places of an actor that are mass points, and what ties them.
typedef struct supActorTies
{
	int32_t placeCount;    // that may be tied
	int32_t particleCount; // of the actor
	int32_t* parents;      // of each particle: union-find, then its member; -1: not tied
	int32_t capacity;      // of members and groups
	supTies ties;
	supAttachment** nails; // of each group; NULL: none
	bool isUsed;
} supActorTies;

// Its particles move independently between solve and finish: it has no response as a whole.
bool supActor_IsLocal( const supActor* actor );

bool supAttachment_CanTie( const supAttachment* attachment );

// Who is tied, and who is active beside.
void supAttachments_FindTies( supAttachments* system );

// In closed form.
// - goesOn: again in the same substep, so that forces add up
void supAttachments_SolveTies( supAttachments* system, float dt, bool goesOn, const supTasks* tasks );

void supAttachment_TakeTieForce( supAttachment* attachment );

// Room for one more place of the actor. False where out of memory.
bool supActor_ReserveTie( supActor* actor );
