// SPDX-License-Identifier: MIT
// The method's table.
#include "method/position/position.h"

#include "method/inertia.h"

static const char* const s_modes[] = { "plain", "compliant", NULL };
static const char* const s_starts[] = { "linear", "dual", NULL };

static const supParameter s_parameters[sup_positionParameterCount] = {
	[sup_positionSoftness] = SUP_SOFTNESS_PARAMETER( true ),
	[sup_positionIterations] = { "iterations", "count",
								 "solver passes over all constraints; more is stiffer and slower", 1.0f, 100.0f, 12.0f,
								 true, NULL },
	[sup_positionStretch] = { "stretch", "", "stiffness of edge lengths, per pass", 0.0f, 1.0f, 0.9f, true, NULL },
	[sup_positionVolume] = { "volume", "", "stiffness of tetrahedron volumes, per pass", 0.0f, 1.0f, 1.0f, true, NULL },
	[sup_positionBind] = { "bind", "", "stiffness of the distance from flesh to bone, per pass", 0.0f, 1.0f, 0.5f, true,
						   NULL },
	[sup_positionFrequency] = { "frequency", "Hz", "natural frequency of the softest flesh; 0 leaves it unattached",
								0.0f, 100.0f, SUP_SOFT_FREQUENCY, true, NULL },
	[sup_positionDamping] = { "damping", "", "damping ratio; 1 does not overshoot", 0.0f, 10.0f, SUP_SOFT_DAMPING, true,
							  NULL },
	[sup_positionCarry] = { "carry", "", "warm start of stiff flesh: fraction of the last frame's correction", 0.0f,
							1.0f, 0.0f, true, NULL },
	[sup_positionExaggeration] = SUP_EXAGGERATION_PARAMETER,
	[sup_positionSag] = { "sag", "", "0: the rest pose is in equilibrium with gravity; 1: flesh sags under its weight",
						  0.0f, 1.0f, 0.0f, true, NULL },
	[sup_positionAir] = { "air", "1/s", "air drag", 0.0f, 100.0f, 0.3f, true, NULL },
	[sup_positionReach] = { "reach", "", "largest excursion of flesh, as a multiple of its distance from the bone",
							0.0f, 10.0f, 1.0f, true, NULL },
	[sup_positionKeep] = { "keep", "", "final correction of each part's total volume; 1 restores it fully", 0.0f, 1.0f,
						   1.0f, true, NULL },
	[sup_positionStiffness] = { "stiffness", "", "compliant mode: factor on the tissues' moduli", 1e-3f, 1e3f, 1.0f,
								true, NULL },
	[sup_positionMode] = { "mode", "", "stiffness per pass, or compliance in SI units", 0.0f, 1.0f, 0.0f, false,
						   s_modes },
	[sup_positionTets] = { "tets", "count", "number of tetrahedra, within 10 %", 100.0f, 1e6f, 8000.0f, false, NULL },
	[sup_positionRate] = SUP_RATE_PARAMETER,
	[sup_positionStart] = { "start", "", "skinning used as the starting point", 0.0f, 1.0f, 1.0f, false, s_starts },
};

static int32_t CountRegions( const void* flesh )
{
	return ( (const supPositionFlesh*)flesh )->regionCount;
}

static size_t StateSize( const void* flesh )
{
	return supPositionFlesh_View( flesh, NULL ).size;
}

// Edges that a particle may move in a substep and still count as resting.
#define REST_MOTION_RATIO 1e-5f

static bool IsSettled( const void* flesh, const void* state )
{
	(void)flesh;
	return ( (const supPositionHeader*)state )->moved < REST_MOTION_RATIO;
}

const supMethod supMethod_position = {
	.name = "position",
	.summary = "position-based skinning: skin first, then flesh by constraints on tetrahedra",
	.parameterCount = sup_positionParameterCount,
	.parameters = s_parameters,
	.rateParameter = sup_positionRate,
	.takesTets = true,
	.takesLayers = true,
	.fleshVersion = 6,
	.createFlesh = supPosition_CreateFlesh,
	.destroyFlesh = supPosition_DestroyFlesh,
	.saveFlesh = supPosition_SaveFlesh,
	.loadFlesh = supPosition_LoadFlesh,
	.countRegions = CountRegions,
	.stateSize = StateSize,
	.reset = supPosition_Reset,
	.predict = supPosition_Predict,
	.solve = supPosition_Solve,
	.finish = supPosition_Finish,
	.solveMany = supPosition_SolveMany,
#ifndef __EMSCRIPTEN__ // browsers have no OpenCL: what only it needs stays out of the package
	.device = &supPosition_device,
#endif
	.isSettled = IsSettled,
	.grab = supPosition_Grab,
	.getParticles = supPosition_GetParticles,
	.bindVertex = supPosition_BindVertex,
	.findRow = supPosition_FindRow,
	.frame = supPosition_Frame,
	.writeSurface = supPosition_WriteSurface,
	.listElements = supPosition_ListElements,
	.measure = supPosition_Measure,
};
