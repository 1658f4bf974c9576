// SPDX-License-Identifier: MIT
// A stage: panels side by side, one per file and flesh, stepped together and drawn together. Each panel is a scene of
// its own with one actor: what stands side by side is at the same time and knows nothing of the other.
#pragma once

#include "camera.h"
#include "choose.h"
#include "draw/film.h"
#include "draw/layer_view.h"
#include "flesh_choice.h"
#include "heat.h"
#include "looks.h"
#include "touch.h"

#define MOST_PANELS 12

typedef struct StageSettings
{
	ClipSettings clip;
	const char* methods;
	const char* settings;
	const char* flesh;
	const char* unit;
	const char* size;
	const char* view;
	double zoom; // 1: what is to be seen fills the panel
	const char* focus;
	const char* overlay;
	const char* label;
	double fps;
	double from, to; // not a number: all of the clip
	double speed;
	int32_t substeps; // 0: supChooseSubsteps, or what a scene file says
	TouchSettings touch;
	bool noGround;
	bool noGuard;
	bool documents; // sources get documents before anything is made of their characters
} StageSettings;

// Rows for --zoom and --focus.
#define ZOOM_OPTIONS( Settings, member )                                                                               \
	{ "zoom",     0,                                                                                                   \
	  arg_number, offsetof( Settings, member.zoom ),                                                                   \
	  "Z",        "Magnification. Default: 1, which fills the panel with the whole character.",                        \
	  0.05,       100,                                                                                                 \
	  false },                                                                                                         \
	{                                                                                                                  \
		"focus", 0, arg_text, offsetof( Settings, member.focus ), "JOINT",                                             \
			"Frame and follow the part of the body moved by this joint and those below it.", 0, 0, false               \
	}

// Rows for the table of options of a command whose settings have a StageSettings called `member`.
#define STAGE_OPTIONS( Settings, member )                                                                                                                                                                                                                                     \
	CLIP_OPTIONS( Settings, member.clip ), SET_OPTIONS, FLESH_OPTION( Settings, member.flesh ),                                                                                                                                                                               \
		TOUCH_OPTIONS( Settings, member.touch ), UNIT_OPTION( Settings, member.unit ),                                                                                                                                                                                        \
		SETTINGS_OPTION( Settings, member.settings ),                                                                                                                                                                                                                         \
		{ "method",                                                                                                                                                                                                                                                           \
		  'm',                                                                                                                                                                                                                                                                \
		  arg_text,                                                                                                                                                                                                                                                           \
		  offsetof( Settings, member.methods ),                                                                                                                                                                                                                               \
		  "M,...",                                                                                                                                                                                                                                                            \
		  "Methods, drawn side by side, optionally with parameters: position:stretch=0.5,lbs; all for every method. file:PATH shows a baked file. Default: render uses position, or dqs if the character cannot have flesh; compare uses all.",                               \
		  0,                                                                                                                                                                                                                                                                  \
		  0,                                                                                                                                                                                                                                                                  \
		  false },                                                                                                                                                                                                                                                            \
		{ "size",   0,                                                                                                                                                                                                                                                        \
		  arg_text, offsetof( Settings, member.size ),                                                                                                                                                                                                                        \
		  "WxH",    "Size of the whole picture in pixels. Default: 1280x720.",                                                                                                                                                                                                \
		  0,        0,                                                                                                                                                                                                                                                        \
		  false },                                                                                                                                                                                                                                                            \
		{ "view",                                                                                                                                                                                                                                                             \
		  0,                                                                                                                                                                                                                                                                  \
		  arg_text,                                                                                                                                                                                                                                                           \
		  offsetof( Settings, member.view ),                                                                                                                                                                                                                                  \
		  "VIEW",                                                                                                                                                                                                                                                             \
		  "View of the character, whichever way it faces: front, side, back, top or three-quarter (default); or degrees around from +Z and above: 30,10.",                                                                                                                    \
		  0,                                                                                                                                                                                                                                                                  \
		  0,                                                                                                                                                                                                                                                                  \
		  false },                                                                                                                                                                                                                                                            \
		ZOOM_OPTIONS( Settings, member ),                                                                                                                                                                                                                                     \
		{ "overlay",                                                                                                                                                                                                                                                          \
		  0,                                                                                                                                                                                                                                                                  \
		  arg_text,                                                                                                                                                                                                                                                           \
		  offsetof( Settings, member.overlay ),                                                                                                                                                                                                                               \
		  "O,...",                                                                                                                                                                                                                                                            \
		  "skeleton, wireframe, layers (bone, muscle, fat and skin at rest, cut open towards the eye), and one heat "                                                                                                                                                         \
		  "map: displacement (distance from linear blend skinning), stretch (largest change of an edge), volume "                                                                                                                                                             \
		  "(change between skin and bones), softness (0 firm to 1 soft), functions (of fem: where finer ones take part) or pressure (of contacts). Of a scene: heat maps, contacts, loads (force and torque of joints), proxies and pairs (what detection kept and pruned).", \
		  0,                                                                                                                                                                                                                                                                  \
		  0,                                                                                                                                                                                                                                                                  \
		  false },                                                                                                                                                                                                                                                            \
		{ "label",  0,                                                                                                                                                                                                                                                        \
		  arg_text, offsetof( Settings, member.label ),                                                                                                                                                                                                                       \
		  "TEXT",   "Text in the corner of every panel instead of the method's name; '' for none.",                                                                                                                                                                           \
		  0,        0,                                                                                                                                                                                                                                                        \
		  false },                                                                                                                                                                                                                                                            \
		{ "fps", 0, arg_number, offsetof( Settings, member.fps ), "N", "Frame rate. Default: 30.", 0.1, 240, false },                                                                                                                                                         \
		{ "from",     0,                                                                                                                                                                                                                                                      \
		  arg_number, offsetof( Settings, member.from ),                                                                                                                                                                                                                      \
		  "T",        "Start time in the clip, in seconds. Default: its start.",                                                                                                                                                                                              \
		  -1e6,       1e6,                                                                                                                                                                                                                                                    \
		  false },                                                                                                                                                                                                                                                            \
		{ "to",       0,                                                                                                                                                                                                                                                      \
		  arg_number, offsetof( Settings, member.to ),                                                                                                                                                                                                                        \
		  "T",        "End time in the clip, in seconds. Default: its end.",                                                                                                                                                                                                  \
		  -1e6,       1e6,                                                                                                                                                                                                                                                    \
		  false },                                                                                                                                                                                                                                                            \
		{ "speed",    0,                                                                                                                                                                                                                                                      \
		  arg_number, offsetof( Settings, member.speed ),                                                                                                                                                                                                                     \
		  "S",        "Playback speed of a film; 0.25 is four times slower. Default: 1.",                                                                                                                                                                                     \
		  0.01,       100,                                                                                                                                                                                                                                                    \
		  false },                                                                                                                                                                                                                                                            \
		{ "substeps",                                                                                                                                                                                                                                                         \
		  0,                                                                                                                                                                                                                                                                  \
		  arg_integer,                                                                                                                                                                                                                                                        \
		  offsetof( Settings, member.substeps ),                                                                                                                                                                                                                              \
		  "N",                                                                                                                                                                                                                                                                \
		  "Simulation steps per frame. Default: enough that a step is at most 1/60 s, or as set in a scene file.",                                                                                                                                                            \
		  1,                                                                                                                                                                                                                                                                  \
		  1000,                                                                                                                                                                                                                                                               \
		  false },                                                                                                                                                                                                                                                            \
		{ "no-guard", 0,                                                                                                                                                                                                                                                      \
		  arg_flag,   offsetof( Settings, member.noGuard ),                                                                                                                                                                                                                   \
		  NULL,       "Turn off the guard: draw flesh even where it tears or folds the skin (docs/looks.md).",                                                                                                                                                                \
		  0,          0,                                                                                                                                                                                                                                                      \
		  false },                                                                                                                                                                                                                                                            \
	{                                                                                                                                                                                                                                                                         \
		"no-ground", 0, arg_flag, offsetof( Settings, member.noGround ), NULL, "Do not draw the ground and shadow.",                                                                                                                                                          \
			0, 0, false                                                                                                                                                                                                                                                       \
	}

#define DEFAULT_FPS 30.0

#define DEFAULT_STAGE_SETTINGS                                                                                         \
	{                                                                                                                  \
		.from = NAN, .to = NAN, .fps = DEFAULT_FPS, .speed = 1.0, .zoom = 1.0                                          \
	}

typedef struct Panel
{
	int32_t source; // among the stage's
	const FleshChoice* choice;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
	GuardTally guard;       // since the stage began
	supCharacterView* view; // NULL where nothing is drawn
	supLayerView* layers;   // drawn in place of the character, or NULL
	char label[200];
	char caption[80]; // follows the label; what the panel shows at this moment
} Panel;

typedef struct Stage
{
	const StageSettings* settings;
	Touch touch;
	bool draws;
	int32_t width, height;
	Camera camera;
	bool skeleton, wireframe, layers;
	Heat heat;
	int32_t fileCount; // sources of the command line; behind them those of --method file:PATH, compared with the first
	int32_t sourceCount;
	Source* sources;
	ClipChoice* choices;
	int32_t fleshCount;
	FleshChoice fleshes[MOST_PANELS];
	int32_t panelCount;
	Panel panels[MOST_PANELS];
	int32_t rows; // of panels in a picture; chosen with the camera
	const supTasks* tasks;
	float from, to; // seconds in the clip
	float time;     // now
	supBox bounds;  // of the characters over the clip, without scenery
	float ground;
	float heatScale; // value shown as 1
	int32_t framesDrawn;
	double drawSeconds;
} Stage;

// All return exit_ok or what to exit with, after explaining it.

// The next word of a list of overlays. False if there is none.
bool TakeOverlay( const char** list, char word[32] );

// Looks at the settings; opens nothing yet. `methods` are those where the settings name none.
int PrepareStage( const Command* command, const StageSettings* settings, const Arguments* arguments,
				  const char* methods, Stage* stage );

// Loads the files and builds a panel for each of them and each flesh. Without `draws` nothing can be drawn.
int OpenStage( Stage* stage, const Arguments* arguments, const supTasks* tasks, bool draws );
void CloseStage( Stage* stage );

// Everybody at rest in the pose of this moment.
void BeginStage( Stage* stage, float time );
void AdvanceStage( Stage* stage, float time, float dt );

// What the guard had to do in each panel, one note each.
void NoteStageGuards( const Stage* stage );

// From one moment to another at about the film's frame rate: a still shows what a film would.
void PlayStage( Stage* stage, float from, float to );

// What a picture shows, for the camera.
typedef enum Shot
{
	shot_still, // the stage as it is now
	shot_sheet, // moments of the clip, each in a picture of its own
	shot_film,  // all of the clip
} Shot;

// Places the camera for pictures of this size, all panels in each, in as many rows as show the characters largest. Over
// a span the camera stands still, except where they travel so far that it must follow them; see FinishCamera.
// `moments`: how many a sheet shows, evenly from first to last; 0 where they fall between those.
int FrameStage( Stage* stage, Shot shot, int32_t moments, int32_t width, int32_t height );

// Places the camera so that this box is seen, around where the character faces at rest.
int FrameStageBox( Stage* stage, supBox box );

// stage_camera.c: where the characters are over the clip, and the ground. Returns likewise.
int FindStageBounds( Stage* stage );

// The pose of a source at a moment of its clip.
void SetStagePose( const Stage* stage, supPose* pose, int32_t source, float time );

// One panel as it is now, seen like this. `linear`: its character as linear blend skinning has it instead.
int DrawPanel( Stage* stage, Panel* panel, const supView* view, bool linear, int32_t width, int32_t height,
			   supPicture* picture );

// All panels as they are now into a picture of this size, which must not exist yet. `caption` (may
// be NULL) follows the label of each.
int DrawStage( Stage* stage, int32_t width, int32_t height, const char* caption, supPicture* picture );

// The next frame of a film: all panels as they are now.
int FilmStage( Stage* stage, supFilm* film, const char* output );

// Finishes and frees a film; with another status than exit_ok, or where Ctrl-C has stopped it, nothing of it stays.
int EndFilm( supFilm* film, const char* output, int status );

// The size of the picture and where it is seen from; NULL for what the options do not say.
int ReadView( const Command* command, const char* size, const char* view, int32_t* width, int32_t* height,
			  ViewChoice* choice );

// "4x2": two numbers from 1 to `most`.
bool ParsePair( const char* text, int32_t* a, int32_t* b, int32_t most );
