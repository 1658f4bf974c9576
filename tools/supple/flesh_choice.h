// SPDX-License-Identifier: MIT
// Which flesh: methods with their parameters, as words on the command line. Shared by every command that simulates.
//
//     position                     as it is
//     position:stretch=0.3         with a parameter changed
//     lattice:mode=single-layer,fat.frequency=3
//     file:hero-bones.glb          no flesh: a file that was baked, side by side with it (render, compare)
#pragma once

#include "io/common/json.h"
#include "load.h"

#define MOST_FLESH_SETTINGS 64

// One flesh to be built. Names of parameters belong to the method's table.
typedef struct FleshChoice
{
	supMethodId method;
	supSetting settings[MOST_FLESH_SETTINGS];
	int32_t settingCount;
	char label[80]; // the word that it was chosen by, shortened
	// A .flesh file that is loaded in place of all the above, or NULL. The method is the file's once it is loaded.
	const char* file;
	// A baked character that plays as it is, in place of the character; "" for flesh.
	char baked[512];
	// A settings file (softness, layers, materials, parameters), or NULL. What is said by words goes before it.
	const char* settingsFile;
	// The content of one, and where it stands for messages; or NULL.
	const char* settingsText;
	const char* settingsPlace;
	// Tetrahedra in place of the method's own, or NULL.
	const supTetMesh* tets;
	const struct supControlLattice* lattice;
	// Nobody asked for it: where it cannot be built, plain skinning will do, with a note.
	bool isDefault;
} FleshChoice;

// The default method, and its fallback without flesh.
#define DEFAULT_METHOD "position"
#define DEFAULT_WITHOUT_FLESH "dqs"

// Rows for a command's table of options: "--softness S", "--preset NAME" and "--set NAME=VALUE", in any order and
// number; of several the later ones win.
#define SET_OPTIONS                                                                                                      \
	{ "softness", 0, arg_ordered, 0, "S", "Overall softness, 0 (stone) to 1 (jelly). Default: 0.5.", 0, 0, false },      \
		{ "preset",    0,                                                                                                \
		  arg_ordered, 0,                                                                                                \
		  "NAME",      "Softness, frequency and damping in one word, for every method: firm, standard, jelly or heavy.", \
		  0,           0,                                                                                                \
		  false },                                                                                                       \
	{                                                                                                                    \
		"set", 0, arg_ordered, 0, "NAME=VALUE",                                                                          \
			"Set a parameter of the method, such as stretch=0.5; 'supple methods M' lists them. Repeatable.", 0, 0,      \
			false                                                                                                        \
	}

// The row for "--flesh FILE".
#define FLESH_OPTION( Settings, member )                                                                               \
	{                                                                                                                  \
		"flesh", 0, arg_text, offsetof( Settings, member ), "FILE",                                                    \
			"Use flesh saved by 'supple build', with its method and parameters.", 0, 0, false                          \
	}

// The row for "--settings FILE".
#define SETTINGS_OPTION( Settings, member )                                                                              \
	{                                                                                                                    \
		"settings", 0, arg_text, offsetof( Settings, member ), "FILE",                                                   \
			"JSON file of settings: method, parameters, softness, layers, materials. Command-line options override it.", \
			0, 0, false                                                                                                  \
	}

// A settings file as a tree, to be given back by json_decref. NULL with what to exit with, after explaining it.
json_t* ReadSettingsTree( const char* path, int* status );

// The method that a settings file names, into `method`; "" where it names none. Returns exit_ok or what to exit with.
int FindSettingsMethod( const char* path, char method[64] );
// The same of what stands in such a file; the place is for messages.
int FindSettingsTextMethod( const char* text, const char* place, char method[64] );

// "position:stretch=0.3". Returns exit_ok, or exit_usage after explaining what is wrong.
int ParseFleshChoice( const Command* command, const char* word, FleshChoice* choice );

// "stretch=0.3", for the method of the choice. Returns likewise.
int AddFleshSetting( const Command* command, const char* text, FleshChoice* choice );

// Several such words, separated by spaces or by commas that are followed by the name of a method. Returns exit_ok or
// what to exit with.
int ParseFleshChoices( const Command* command, const char* words, FleshChoice* choices, int32_t most, int32_t* count );

// --softness, --preset and --set, for each choice whose method has the parameters; what none of them has is an error.
int ApplySetOptions( const Command* command, const Arguments* arguments, FleshChoice* choices, int32_t count );

// For a motion from elsewhere (--motion), which turns joints that the character's own clips leave alone: joints of
// layered that would be guessed from these are balls, unless something else was said.
void AllowForeignMotion( FleshChoice* choices, int32_t count );

// --flesh FILE in place of words. `words` are those of --method, NULL without. Returns exit_ok or what to exit with.
int ChooseFleshFile( const Command* command, const Arguments* arguments, const char* words, const char* path,
					 FleshChoice* choice );

// The definition that the choice stands for; points into the choice.
supFleshDef MakeFleshDef( const FleshChoice* choice );

// Builds or loads it. NULL after printing why, with `status` set. The choice's method becomes that of the flesh.
supFlesh* MakeFlesh( FleshChoice* choice, const Source* source, const supTasks* tasks, int* status );
