// SPDX-License-Identifier: MIT
// Ray-traced pictures of meshes: sky, one soft key light, a ground that catches the shadow. Embree finds the hits.
//
// Every pixel casts four rays; from each hit go one ray to the sky (cosine-distributed: ambient occlusion) and one to
// the key light (a small disc: soft shadow). Neighbouring pixels take different directions out of one set of 64, and a
// filter that stops at edges averages what the light sends, not what the surface is, so that detail stays sharp.
#pragma once

#include "draw/surface.h"

typedef struct supView
{
	supVec3 eye;
	supVec3 target;
	supVec3 up;
	// Half the vertical field of view as a tangent.
	float tanHalf;
} supView;

// Looks at the box from `azimuth` degrees (0 in front, 90 from the character's left) and `elevation` degrees, from just
// so far that it fills a picture of this aspect (width / height).
supView supFrameView( supBox box, float azimuth, float elevation, float aspect );

// Where a point of the world lies in the picture, in pixels; false where it is behind the eye.
bool supView_Project( const supView* view, int32_t width, int32_t height, supVec3 p, supVec2* pixel );

typedef struct supRenderDef
{
	int32_t width;
	int32_t height;
	supView view;
	// Edges of the triangles drawn over the surface.
	bool wireframe;
	// Height of the ground plane.
	float ground;
	bool showGround;
	// Linear RGB around the character.
	supVec3 background;
} supRenderDef;

typedef struct supRenderer supRenderer;

// - materials and pictures (decoded, one per image of the character, pixels NULL where missing) outlive the renderer
supRenderer* supCreateRenderer( const supDrawMesh* meshes, int32_t meshCount, const supMaterial* materials,
								int32_t materialCount, const supPicture* pictures, int32_t pictureCount,
								supError* error );
void supDestroyRenderer( supRenderer* renderer );

// To be called after positions or normals changed in place.
void supRenderer_Update( supRenderer* renderer );

// Draws into a new picture; destroy it with supPicture_Destroy.
bool supRenderer_Draw( supRenderer* renderer, const supRenderDef* def, const supTasks* tasks, supPicture* picture,
					   supError* error );
