// SPDX-License-Identifier: MIT
// The method's table.
#include "method/layered/layered.h"

#include "method/inertia.h"

#include <string.h>

static const char* const s_jointChoices[] = { "guessed", "balls" };
static const char* const s_limitChoices[] = { "off", "on" };

static const supParameter s_parameters[sup_layeredParameterCount] = {
	[sup_layeredSoftness] = SUP_SOFTNESS_PARAMETER( false ),
	[sup_layeredFrequency] = { "frequency", "Hz",
							   "natural frequency of the softest skin; 0, or setting only stiffness or slowest, uses those",
							   0.0f, 100.0f, SUP_SOFT_FREQUENCY, false, NULL },
	[sup_layeredStrength] = { "strength", "", "how firmly joints follow the clip; 1 follows it, 0 is a ragdoll", 0.0f,
							  1e6f, 1.0f, true, NULL },
	[sup_layeredRoot] = { "root", "", "how firmly the root follows the clip; 1 follows it, 0 falls", 0.0f, 1e6f, 1.0f,
						  true, NULL },
	[sup_layeredTracking] = { "tracking", "Hz", "how fast joints return to the clip at strength 1", 0.1f, 240.0f, 30.0f,
							  true, NULL },
	[sup_layeredJointStiffness] = { "joint.stiffness", "Hz", "springs that pull joints to their rest angle", 0.0f,
									100.0f, 0.0f, true, NULL },
	[sup_layeredJointDamping] = { "joint.damping", "1/s", "friction in joints; more resists motion", 0.0f, 1e3f, 1.0f,
								  true, NULL },
	[sup_layeredExaggeration] = SUP_EXAGGERATION_PARAMETER,
	[sup_layeredSag] = { "sag", "", "0: the rest pose is in equilibrium with gravity; 1: skin sags under its weight",
						 0.0f, 1.0f, 0.0f, true, NULL },
	[sup_layeredLimits] = { "limits", "", "enforce joint limits from the clips or settings", 0.0f, 1.0f, 1.0f, true,
							s_limitChoices },
	[sup_layeredJoints] = { "joints", "", "joint types: derived from the clips, or all ball joints", 0.0f, 1.0f, 0.0f,
							false, s_jointChoices },
	[sup_layeredBetween] = { "between", "count",
							 "interpolated frames per joint that skin follows; 0 is linear blend skinning", 0.0f,
							 SUP_MOST_LAYERED_BETWEEN, 7.0f, false, NULL },
	[sup_layeredVolume] = { "volume", "", "volume preservation of swinging skin; 0 is compressible", 0.0f, 1.0f, 1.0f,
							true, NULL },
	[sup_layeredThickness] = { "thickness", "m", "thickness of the soft skin; 0: a twentieth of the body's size", 0.0f,
							   1e3f, 0.0f, false, NULL },
	[sup_layeredRigid] = { "rigid", "",
						   "closed parts on one bone up to this fraction of the body's size are rigid: eyes, teeth, buttons",
						   0.0f, 1.0f, 0.15f, false, NULL },
	[sup_layeredStiffness] = { "stiffness", "Pa",
							   "instead of frequency: Young's modulus of the skin; more jiggles less", 1.0f, 1e9f, 6e3f,
							   false, NULL },
	[sup_layeredSlowest] = { "slowest", "Hz",
							 "with stiffness: lower bound on the natural frequency; slower skin is stiffened", 0.0f,
							 100.0f, 2.0f, false, NULL },
	[sup_layeredPoisson] = { "poisson", "", "Poisson's ratio: how much skin bulges sideways when pressed", 0.0f, 0.49f,
							 0.3f, false, NULL },
	[sup_layeredDensity] = { "density", "kg/m3", "density", 1.0f, 20000.0f, 1000.0f, false, NULL },
	[sup_layeredDamping] = { "damping", "s", "viscous damping time; more swings less", 0.0f, 10.0f, 4e-3f, false,
							 NULL },
	[sup_layeredDrag] = { "drag", "1/s", "drag that slows all motion of the skin", 0.0f, 100.0f, 1.5f, false, NULL },
};

static bool IsGiven( const supFleshDef* def, supLayeredParameter parameter )
{
	bool isGiven = false;
	for ( int32_t i = 0; i < def->settingCount; ++i )
	{
		isGiven = isGiven || strcmp( def->settings[i].parameter, s_parameters[parameter].name ) == 0;
	}
	return isGiven;
}

// A stiffness that is asked for counts, unless a frequency is asked for as well.
static void CompleteParameters( const supFleshDef* def, float* parameters )
{
	bool hasStiffness = IsGiven( def, sup_layeredStiffness ) || IsGiven( def, sup_layeredSlowest );
	if ( hasStiffness && IsGiven( def, sup_layeredFrequency ) == false )
	{
		parameters[sup_layeredFrequency] = 0.0f;
	}
}

static bool FollowsPose( const float* parameters, const float* jointStrengths, int32_t nodeCount )
{
	bool follows = parameters[sup_layeredStrength] >= 1.0f && parameters[sup_layeredRoot] >= 1.0f;
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		follows = follows && jointStrengths[i] >= 1.0f;
	}
	return follows;
}

const supMethod supMethod_layered = {
	.name = "layered",
	.summary = "soft skin over a rigid skeleton that answers a push: touches dent it, and move it",
	.parameterCount = sup_layeredParameterCount,
	.parameters = s_parameters,
	.completeParameters = CompleteParameters,
	.createFlesh = supLayered_CreateFlesh,
	.destroyFlesh = supLayered_DestroyFlesh,
	.takesJoints = true,
	.keepsRestPose = true,
	.maxJoints = 1024,
	.jointPoses = SUP_JOINT_POSES,
	.fleshVersion = 9,
	.saveFlesh = supLayered_SaveFlesh,
	.loadFlesh = supLayered_LoadFlesh,
	.stateSize = supLayered_StateSize,
	.savedSize = supLayered_SavedSize,
	.restore = supLayered_Restore,
	.createShared = supLayered_CreateShared,
	.destroyShared = supLayered_DestroyShared,
	.prepareShared = supLayered_PrepareShared,
	.reset = supLayered_Reset,
	.predict = supLayered_Predict,
	.solve = supLayered_Solve,
	.finish = supLayered_Finish,
	.isSettled = supLayered_IsSettled,
	.grab = supLayered_Grab,
	.getParticles = supLayered_GetParticles,
	.bindVertex = supLayered_BindVertex,
	.findRow = supLayered_FindRow,
	.frame = supLayered_Frame,
	.computeResponse = supLayered_ComputeResponse,
	.maxResponses = SUP_MAX_ASKED,
	.beginHeldPlaces = supLayered_BeginHeldPlaces,
	.addHeldPlace = supLayered_AddHeldPlace,
	.getAttachmentForce = supLayered_GetAttachmentForce,
	.tellJointLoad = supLayered_TellJointLoad,
	.followsPose = FollowsPose,
	.answerContacts = supLayered_AnswerContacts,
	.writeSurface = supLayered_WriteSurface,
	.addBase = supLayered_AddBase,
	.listElements = supLayered_ListElements,
	.measure = supLayered_Measure,
};
