// SPDX-License-Identifier: MIT
// What the parts of the guard share while they work on the surface of one actor.
#pragma once

#include "scene/guard.h"

// A weight below this is none.
#define SUP_LEAST_GUARD_WEIGHT 0.005f

// The same for the limit on distances: what is pressed takes flesh along from farther away.
#define SUP_LIMIT_CONTACT_REACH 0.25f

// Of one actor and step, in scratch space of a worker.
typedef struct supGuardWork
{
	const supGuardMesh* mesh;
	supActor* actor;
	const supTasks* tasks;
	supVec3* skin;        // of each vertex, by linear blend skinning
	supVec3* dual;        // the same by dual quaternions, of instances that asked for it
	supVec3* made;        // what the method draws
	supVec3* linear;      // linear blend skinning, which skin is too unless the method has a base of its own
	supVec3* drawn;       // that, as far as skin can be sheared, blended by the weights as they are now
	supVec3* shifts;      // of each place: from skinning to what is drawn
	supVec3* dualShifts;  // the same from dual quaternions
	const float* weights; // of each place: the blend as it is now
	float* needs;         // of each place: the weight that it takes
	float* widths;        // of each place: how far the weight reaches
	float* allowed;       // of each place: the weight that contacts leave
	int32_t contactCount; // of the scene, in this step; none where an actor begins anew
	const supContact* contacts;
} supGuardWork;

// An instance by dual quaternions, made when somebody asks for it.
const supVec3* supGuard_FindDual( const supGuardWork* work, int32_t instance );

// Of each place, the mean way of its vertices from `from` to `to`.
void supGuard_FillShifts( const supGuardWork* work, const supVec3* from, const supVec3* to, supVec3* shifts );

// All instances by dual quaternions.
const supVec3* supGuard_FindAllDual( const supGuardWork* work );

// Twice the area of a triangle, along its normal.
static inline supVec3 supGuard_Area( const supVec3* p, const uint32_t* corners )
{
	return supCross( supSub( p[corners[1]], p[corners[0]] ), supSub( p[corners[2]], p[corners[0]] ) );
}

const supMesh* supGuard_Mesh( const supActor* actor, int32_t instance );

// guard.c: shells that lie on others go with what is drawn beneath them.
void supGuard_RideShells( const supGuardWork* work );

// guard.c: what presses on skin knows better. Fills `allowed`: 0 near contacts, 1 at twice their reach, which is a part
// of the size.
// - onlyOthers: contacts of the actor with itself do not count
void supGuard_FindAllowed( const supGuardWork* work, bool onlyOthers, float reach );

// guard_shear.c: before anything is blended, what the method draws, as skin can bear it. True where that is something
// else.
bool supGuard_LimitShear( const supGuardWork* work );

// guard_needs.c: fills `needs` with the weights that keep edges of what is drawn within their limits, or take triangles
// back that have turned over. True where anything is needed.
bool supGuard_FindNeeds( const supGuardWork* work, bool isFold );

// guard_needs.c: the same with the weights that keep vertices within their reach and next to their neighbours.
bool supGuard_FindDistanceNeeds( const supGuardWork* work );

// guard_normals.c: of triangles around each place, twice their areas along their normals.
void supGuard_SumAreas( const supGuardWork* work, const supVec3* positions, supVec3* areas );

// guard_normals.c: last, since the skin is no longer there afterwards.
void supGuard_TurnNormals( const supGuardWork* work );
