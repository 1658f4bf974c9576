// SPDX-License-Identifier: MIT
// The camera of a stage: looks at one or several characters, each in a panel of its own, from the same side and the
// same distance, so that what they are seen to do fills the panels.
#pragma once

#include "character/facing.h"
#include "draw/framing.h"
#include "load.h"

#define MOST_SUBJECTS 12

// --view, --zoom, --focus.
typedef struct ViewChoice
{
	float azimuth, elevation; // degrees
	bool relative;            // to where the character faces; otherwise to +Z
} ViewChoice;

// What of a character is to be seen at one moment.
typedef struct CameraSample
{
	float time;
	supFraming framing; // around the world's origin
	supBox box;
} CameraSample;

typedef struct CameraSubject
{
	const supCharacter* character;
	supFacing facing;
	float azimuth; // of the camera, world
	// Of each instance: scenery, moved by no joint, which is drawn but not framed.
	bool* scenery;
	// The node of --focus, -1 without, and per vertex of all instances whether this node or one below it carries it.
	int32_t focus;
	bool* focused;
	supVec3 place; // where the camera looks when it does not follow
	int32_t sampleCount;
	CameraSample* samples;
	// What the camera follows, at the times of the samples; NULL: it stands still.
	supVec3* path;
	supFraming framing;
} CameraSubject;

typedef struct Camera
{
	ViewChoice choice;
	float zoom;
	float tanHalf;
	float fill;
	float footer;  // part of the height that is kept free for a legend
	supVec3 drift; // added to where everything is looked for
	int32_t subjectCount;
	CameraSubject subjects[MOST_SUBJECTS];
} Camera;

// "front", or "30,10": degrees around and above.
bool ParseView( const char* text, ViewChoice* choice );

// The camera's azimuth in the world, for a character at rest. NULL: one that faces +Z.
float ResolveAzimuth( const ViewChoice* choice, const supCharacter* character );

// Finds scenery, where the character faces, and the joint `focus` (NULL: all of it is framed). Returns exit_ok or what
// to exit with.
int AddCameraSubject( Camera* camera, const Source* source, const char* focus );
void CloseCamera( Camera* camera );

// The mean of where a character faces decides where the camera stands.
typedef struct FacingMean
{
	supVec3 sum;
} FacingMean;

void AddFacing( FacingMean* mean, const CameraSubject* subject, supPose* pose );

// Turns the camera in front of the subject, or wherever else it is asked for, and chooses the lens. Forgets all
// samples.
// - room for `sampleCount` samples is made; false when out of memory
bool AimCamera( Camera* camera, int32_t subject, const FacingMean* mean, float aspect, int32_t sampleCount );

// Adds the vertices of an instance to a sample.
void IncludeInstance( const CameraSubject* subject, int32_t instance, const supVec3* positions, CameraSample* sample );

// Where the joint in focus carries nothing: its own place.
void IncludeFocus( const CameraSubject* subject, supPose* pose, CameraSample* sample );

// When the camera follows what it looks at instead of standing still.
typedef enum CameraFollow
{
	follow_never,
	// Where the characters would be drawn so many times larger.
	follow_closely,  // 1.1: the pictures of a sheet
	follow_smoothly, // 2: a film
} CameraFollow;

// After the samples of all subjects: chooses the distance. False when out of memory.
bool FinishCamera( Camera* camera, CameraFollow follow );

// How large a panel of this aspect (width over height) would show what the camera frames: the part of the panel's
// height that a metre takes.
// - after FinishCamera
float GetPanelScale( const Camera* camera, float aspect );

supView GetCameraView( const Camera* camera, int32_t subject, float time );
