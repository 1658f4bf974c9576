// SPDX-License-Identifier: MIT
// What users of other soft-body tools have asked for. One file, one wish: the complaint in a sentence, a small scene
// made with the public headers alone, and a check on the drawn surface. docs/limits.md has what is not fulfilled.
#pragma once

#include "support.h"

#include "models/models.h"
#include "supple/supple.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WISH_LIST( X )                                                                                                 \
	X( BakeEqualsPreview )                                                                                             \
	X( LoopsClose )                                                                                                    \
	X( LongBakes )                                                                                                     \
	X( FastColliders )                                                                                                 \
	X( SwingingPartsCollide )                                                                                          \
	X( SoftTouchesSoft )                                                                                               \
	X( SkinnedMeshesAreSoft )                                                                                          \
	X( PinsHoldAtAnyScale )                                                                                            \
	X( SameAtEveryFrameRate )                                                                                          \
	X( AnyUnit )                                                                                                       \
	X( HundredCharacters )                                                                                             \
	X( JoinedLimbsTouch )                                                                                              \
	X( Teleport )                                                                                                      \
	X( OutOfDeepStarts )                                                                                               \
	X( BothEndsFixed )                                                                                                 \
	X( ConcaveProps )                                                                                                  \
	X( DropsAndPauses )                                                                                                \
	X( NegativeAndAnimatedScale )                                                                                      \
	X( SlowMotion )                                                                                                    \
	X( HairAndClothes )                                                                                                \
	X( MorphTargets )                                                                                                  \
	X( SettingsWhileRunning )                                                                                          \
	X( SmallIslands )                                                                                                  \
	X( MillionTriangles )                                                                                              \
	X( FilesInCentimetres )

#define WISH_DECLARE( name ) void wish##name( void** state );
WISH_LIST( WISH_DECLARE )

// The tube of two bones along x, 2 m long, 0.3 m thick, and its flesh by `position`, built once. Soft in the middle.
const supCharacter* wishTube( void );
const supFlesh* wishTubeFlesh( void );

// Flesh of a method that a test can afford, with one more setting (NULL: none). Destroy both.
supCharacter* wishModel( const char* name );
supFlesh* wishBuild( const supCharacter* character, const char* method, const char* parameter, float value );

// Destroy with supDestroyScene.
supScene* wishScene( int32_t substeps, bool hasGravity );
supActor* wishAdd( supScene* scene, const supFlesh* flesh );
void wishSet( supActor* actor, const char* parameter, float value );

// Moves the roots from where they rest.
void wishShift( supActor* actor, supVec3 shift );

// Steps of 1/60 s without touching the pose.
void wishWait( supScene* scene, float seconds );

// Vertices of the first instance.
int32_t wishVertexCount( const supActor* actor );
// A copy of where they are; free it.
supVec3* wishCopy( const supActor* actor );
bool wishIsFinite( const supActor* actor );

// Largest distance of a vertex from where it was, and from where linear blend skinning has it, in metres.
float wishFarthest( const supActor* actor, const supVec3* places );
float wishFlesh( const supActor* actor );

// The longest edge of the drawn surface, in parts of its length at rest.
float wishStretch( const supActor* actor );

// The tube with another mesh in place of its own, and one more mesh (NULL: none) on the same skin.
supCharacter* wishDress( const supMesh* mesh, const supMesh* more );

// A tube whose second half folds over the first by so many radians within 0.75 s, after a second.
supActor* wishFold( supScene* scene, float angle, bool touchesItself );
