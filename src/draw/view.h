// SPDX-License-Identifier: MIT
// Characters made ready for drawing: their meshes in their present shape, textures decoded, a renderer around them.
#pragma once

#include "draw/renderer.h"

typedef struct supCharacterView supCharacterView;

// At rest. Pictures that cannot be decoded are left out with a warning in the log. Keeps a pointer to the character.
supCharacterView* supCreateCharacterView( const supCharacter* character, supError* error );

// Several in one picture; instances of the second are numbered after those of the first.
// - count at least 1
supCharacterView* supCreateGroupView( const supCharacter* const* characters, int32_t count, supError* error );
void supDestroyCharacterView( supCharacterView* view );

// Moves all meshes into the pose by skinning.
// - a view of one character
void supCharacterView_SetPose( supCharacterView* view, supPose* pose, supSkinning skinning, const supTasks* tasks );

// Vertices of one instance in world space, to be written by the caller; then supCharacterView_Update.
supVec3* supCharacterView_Positions( supCharacterView* view, int32_t instance );
supVec3* supCharacterView_Normals( supCharacterView* view, int32_t instance );

// Each triangle of one instance by its own normal, for what has edges.
void supCharacterView_ShowFlat( supCharacterView* view, int32_t instance );

// Values in [0, 1] per vertex of one instance; shown while heat is switched on.
float* supCharacterView_Heat( supCharacterView* view, int32_t instance );
void supCharacterView_ShowHeat( supCharacterView* view, bool show );
void supCharacterView_ShowHeatOf( supCharacterView* view, int32_t instance, bool show );

void supCharacterView_Update( supCharacterView* view );

// Of all vertices as they are now.
supBox supCharacterView_Bounds( const supCharacterView* view );

bool supCharacterView_Draw( supCharacterView* view, const supRenderDef* def, const supTasks* tasks, supPicture* picture,
							supError* error );

// Joints and bones over a finished picture.
void supDrawSkeleton( supPicture* picture, const supView* view, supPose* pose );

// A bar with the heat colours and the values at its ends, in the lower right corner.
void supDrawHeatLegend( supPicture* picture, const char* least, const char* most, const char* title );

// A line of text in the upper left corner, smaller where the picture is too narrow for it.
void supDrawLabel( supPicture* picture, const char* text );
