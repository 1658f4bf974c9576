// SPDX-License-Identifier: MIT
#include "commands.h"

#include "core/core.h"

const Command* const g_commands[] = {
	&g_infoCommand,  &g_poseCommand,    &g_convertCommand, &g_bindCommand,   &g_rigCommand,        &g_weightsCommand,
	&g_buildCommand, &g_inspectCommand, &g_bakeCommand,    &g_batchCommand,  &g_renderCommand,     &g_compareCommand,
	&g_liveCommand,  &g_studioCommand,  &g_methodsCommand, &g_modelsCommand, &g_completionCommand,
};
const int32_t g_commandCount = SUP_COUNT( g_commands );
