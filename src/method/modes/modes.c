// SPDX-License-Identifier: MIT
// The method's table.
#include "method/modes/modes.h"

#include "method/inertia.h"

static const supParameter s_parameters[sup_modesParameterCount] = {
	[sup_modesSoftness] = SUP_SOFTNESS_PARAMETER( true ),
	[sup_modesFrequency] = { "frequency", "Hz", "natural frequency of the softest flesh", 0.05f, 100.0f,
							 SUP_SOFT_FREQUENCY, true, NULL },
	[sup_modesDamping] = { "damping", "", "damping ratio of every mode; 1 does not overshoot", 0.0f, 10.0f,
						   SUP_SOFT_DAMPING, true, NULL },
	[sup_modesExaggeration] = SUP_EXAGGERATION_PARAMETER,
	[sup_modesSag] = { "sag", "", "0: the rest pose is in equilibrium with gravity; 1: flesh sags under its weight",
					   0.0f, 1.0f, 0.0f, true, NULL },
	[sup_modesAir] = { "air", "1/s", "air drag", 0.0f, 100.0f, 0.3f, true, NULL },
	[sup_modesReach] = { "reach", "", "largest excursion of flesh, as a multiple of its distance from the bone", 0.0f,
						 10.0f, 1.5f, true, NULL },
	[sup_modesModes] = { "modes", "count", "number of skinning modes; more resolve finer waves and cost more", 1.0f,
						 (float)SUP_MAX_MODES, 24.0f, false, NULL },
	[sup_modesPoisson] = { "poisson", "", "Poisson's ratio; more preserves volume better but creases large swings",
						   0.0f, 0.49f, 0.0f, false, NULL },
	[sup_modesSpread] = { "spread", "",
						  "elastic wavelength as a fraction of the body's size; more moves larger parts as one", 0.0f,
						  10.0f, 0.2f, false, NULL },
	[sup_modesDensity] = { "density", "kg/m3", "density", 1.0f, 20000.0f, 1000.0f, false, NULL },
	[sup_modesTets] = { "tets", "count", "number of tetrahedra, within 10 %", 100.0f, 1e5f, 8000.0f, false, NULL },
};

static int32_t CountRegions( const void* flesh )
{
	return ( (const supModesFlesh*)flesh )->regionCount;
}

const supMethod supMethod_modes = {
	.name = "modes",
	.summary = "skinning modes: a handful of oscillators for the whole body, the cheapest step, for crowds",
	.parameterCount = sup_modesParameterCount,
	.parameters = s_parameters,
	.createFlesh = supModes_CreateFlesh,
	.destroyFlesh = supModes_DestroyFlesh,
	.takesTets = true,
	.fleshVersion = 2,
	.saveFlesh = supModes_SaveFlesh,
	.loadFlesh = supModes_LoadFlesh,
	.countRegions = CountRegions,
	.stateSize = supModes_StateSize,
	.reset = supModes_Reset,
	.predict = supModes_Predict,
	.solve = supModes_Solve,
	.finish = supModes_Finish,
	.isSettled = supModes_IsSettled,
	.grab = supModes_Grab,
	.getParticles = supModes_GetParticles,
	.bindVertex = supModes_BindVertex,
	.findRow = supModes_FindRow,
	.frame = supModes_Frame,
	.writeSurface = supModes_WriteSurface,
	.listElements = supModes_ListElements,
	.measure = supModes_Measure,
};
