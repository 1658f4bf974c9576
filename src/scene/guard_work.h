// SPDX-License-Identifier: MIT
// What the parts of the guard share while they work on the surface of one actor.
#pragma once

#include "character/pose.h"
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
	supVec3* skin;        // of each vertex, by skinning: linear where that is sound, or the base of the method's own
	supVec3* dual;        // by dual quaternions, where somebody asked for it
	uint8_t* dualBlocks;  // where that is
	supDualJoint* joints; // of the skin of each instance, on the sides that were chosen
	uint8_t* jointsThere; // of which instances
	float* collapses;     // of each vertex: from 0, where linear blend skinning is sound, to 1
	supVec3* made;        // what the method draws
	supVec3* moved;       // what the method draws, as far as skin can be sheared
	supVec3* linear;      // linear blend skinning; skin itself where that is sound everywhere
	supVec3* drawn;       // that, as far as skin can be sheared, blended by the weights as they are now
	supVec4* shifts;      // of each place: from skinning to what is drawn
	supVec4* areas;       // of each triangle, twice its area along its normal
	supVec4* areaSums;    // of each place: of the triangles around it
	float* needs;         // of each place: the weight that it takes
	float* widths;        // of each place: how far the weight reaches
	float* allowed;       // of each place: the weight that contacts leave
	float* squares;       // of each vertex: to the nearest contact
	// of eight items each, or of one: to be looked at
	uint8_t* marks;
	uint8_t* linkMarks;
	uint8_t* layerMarks;
	uint8_t* placeMarks;
	uint8_t* crumpled;    // of each place: whether skinning crumples it, where somebody asked
	bool isCollapsed;     // collapses are not all 0, and filled
	float widening;       // how many times as far as usual weights reach
	float leastNeed;      // what counts as one
	bool isBlended;       // some weight is not 0
	bool isBase;          // drawn is the base of the method's own, which is held against linear blend skinning
	int32_t contactCount; // of the scene, in this step; none where an actor begins anew
	const supContact* contacts;
} supGuardWork;

// Vertices that are skinned by dual quaternions at once, where any of them is asked for.
#define SUP_GUARD_DUAL_BLOCK 64

// Items of a parallel loop at once, in eights: some ten microseconds of work.
#define SUP_GUARD_GRAIN 256

static inline int32_t supCountEights( int32_t count )
{
	return ( count + 7 ) / 8;
}

// The next from `i` on that is marked; count where none is.
static inline int32_t supNextMark( const uint8_t* marks, int32_t i, int32_t count )
{
	while ( i < count && marks[i] == 0 )
	{
		uint64_t eight = 1;
		if ( i + 8 <= count )
		{
			memcpy( &eight, marks + i, sizeof( eight ) );
		}
		i += eight == 0 ? 8 : 1;
	}
	return i;
}

static inline supVec3 supDropW( supVec4 a )
{
	return ( supVec3 ){ a.x, a.y, a.z };
}

// guard_skin.c: scratch space that an actor takes, bytes; and that space shared out.
size_t supGuard_ScratchSize( const supActor* actor );
supGuardWork supGuard_ShareOut( supActor* actor, void* scratch );

// guard_skin.c: the instance that a vertex is of.
int32_t supGuard_Instance( const supGuardWork* work, int32_t vertex );

// guard_sound.c: a vertex by dual quaternions, made when somebody asks for it. After `made` was filled.
supVec3 supGuard_Dual( const supGuardWork* work, int32_t vertex );

// guard_sound.c: finds where linear blend skinning, which is in `skin`, collapses; puts `skin` where it is sound and
// leaves linear blend skinning in `linear`, which is `skin` itself if it is sound everywhere.
// - hasBase: the method has a base of its own in `skin`, which stays, and `linear` is filled
void supGuard_FindSoundSkin( supGuardWork* work, bool hasBase );

// guard_sound.c: normals of vertices of an instance by skinning that is sound.
void supGuard_SkinNormals( const supGuardWork* work, int32_t instance, int32_t begin, int32_t end, supVec3* normals );

// guard_skin.c: of each place, the mean way of its vertices from skinning to what is drawn.
void supGuard_FillShifts( const supGuardWork* work );

// guard_skin.c: of one place, the mean way from one to the other; from or to dual quaternions where one is NULL.
supVec3 supGuard_Shift( const supGuardWork* work, const supVec3* from, const supVec3* to, int32_t place );

// Twice the area of a triangle, along its normal.
static inline supVec3 supGuard_Area( const supVec3* p, const uint32_t* corners )
{
	return supCross( supSub( p[corners[1]], p[corners[0]] ), supSub( p[corners[2]], p[corners[0]] ) );
}

// guard.c: shells that lie on others go with what is drawn beneath them.
void supGuard_RideShells( const supGuardWork* work );

// guard_contacts.c: what presses on skin knows better. Fills `allowed`: 0 near contacts, 1 at twice their reach, which
// is a part of the size.
// - onlyOthers: contacts of the actor with itself do not count
void supGuard_FindAllowed( const supGuardWork* work, bool onlyOthers, float reach );

// guard_shear.c: before anything is blended, what the method draws, as skin can bear it. True where that is something
// else.
bool supGuard_LimitShear( const supGuardWork* work );

// guard_shear.c: fills `linkMarks` with the links whose ends are shifted differently, by more than this part of the
// distance between them at rest and this part of the size.
void supGuard_MarkLinks( const supGuardWork* work, float ratio, float free );

// guard_strain.c: how much of what the guard does to a place is to stay, 0 where it is strained far more than before.
// All of it where no edge around it is shorter than half of what it is at rest, nor longer than twice.
float supGuard_FindGain( const supGuardWork* work, const supVec3* before, const supVec3* now, int32_t place );

// Passes in which places give way; what is left then is what neighbours do to each other.
#define SUP_GUARD_GAIN_PASSES 4

// guard_needs.c: fills `needs` with the weights that keep edges and triangles of what is drawn within their limits, and
// `widths`. True where anything is needed.
// - isFold: of triangles that have turned over, in place of edges
bool supGuard_FindNeeds( const supGuardWork* work, bool isFold );

// guard_needs.c: the same with the weights that keep vertices within their reach and next to their neighbours.
bool supGuard_FindDistanceNeeds( const supGuardWork* work );

// guard_normals.c: of the triangles around one place, twice their areas along their normals.
supVec3 supGuard_SumAreas( const supGuardWork* work, const supVec3* positions, int32_t place );

// guard_normals.c: the same of what is drawn, for all places, and of each triangle.
void supGuard_FillAreas( const supGuardWork* work );

// guard_normals.c: last, of what is drawn in the end.
void supGuard_TurnNormals( const supGuardWork* work );
