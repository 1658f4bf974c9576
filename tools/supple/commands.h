// SPDX-License-Identifier: MIT
// Every subcommand, one file each.
#pragma once

#include "args.h"

extern const Command g_infoCommand;
extern const Command g_poseCommand;
extern const Command g_convertCommand;
extern const Command g_bindCommand;
extern const Command g_rigCommand;
extern const Command g_weightsCommand;
extern const Command g_buildCommand;
extern const Command g_inspectCommand;
extern const Command g_bakeCommand;
extern const Command g_batchCommand;
extern const Command g_renderCommand;
extern const Command g_compareCommand;
extern const Command g_liveCommand;
extern const Command g_studioCommand;
extern const Command g_methodsCommand;
extern const Command g_modelsCommand;
extern const Command g_completionCommand;

// All of them, in the order of the help.
extern const Command* const g_commands[];
extern const int32_t g_commandCount;

// Prints the manual page of a command, supple-NAME(1), or supple(1) for NULL, as man reads it.
void PrintManualPage( const Command* command );

// Prints what the last of these words, as far as it is typed, may become.
int CompleteWords( int argc, char** argv );
