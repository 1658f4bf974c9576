// SPDX-License-Identifier: MIT
// The method's table.
#include "method/inertia.h"
#include "method/points/flesh.h"

static const supParameter s_parameters[sup_pointsParameterCount] = {
	[sup_pointsSoftness] = SUP_SOFTNESS_PARAMETER( true ),
	[sup_pointsFrequency] = { "frequency", "Hz",
							  "characters: natural frequency of the softest flesh; 0: given by the moduli", 0.0f,
							  100.0f, SUP_SOFT_FREQUENCY, true, NULL },
	[sup_pointsRatio] = { "ratio", "", "characters: damping ratio; 1 does not overshoot", 0.0f, 10.0f, SUP_SOFT_DAMPING,
						  true, NULL },
	[sup_pointsIntegrator] = { "integrator", "", "time integrator; implicit is stable for any step", 0.0f,
							   (float)( sup_integratorCount - 1 ), (float)sup_integratorImplicit, false,
							   supIntegratorNames },
	[sup_pointsStretch] = { "stretch", "Pa", "stiffness of edge lengths", 0.0f, 1e9f, 2e4f, true, NULL },
	[sup_pointsArea] = { "area", "N/m", "stiffness of the surface area", 0.0f, 1e9f, 0.0f, true, NULL },
	[sup_pointsVolume] = { "volume", "Pa", "stiffness of tetrahedron volumes; more bulges more", 0.0f, 1e9f, 1e5f, true,
						   NULL },
	[sup_pointsDamping] = { "damping", "s", "viscous damping time; more swings less", 0.0f, 10.0f, 5e-3f, true, NULL },
	[sup_pointsAir] = { "air", "1/s", "air drag", 0.0f, 100.0f, 0.3f, true, NULL },
	[sup_pointsExaggeration] = SUP_EXAGGERATION_PARAMETER,
	[sup_pointsSag] = { "sag", "",
						"characters: 0: the rest pose is in equilibrium with gravity; 1: flesh sags under its weight",
						0.0f, 1.0f, 0.0f, true, NULL },
	[sup_pointsReach] = { "reach", "",
						  "characters: largest excursion of flesh, as a multiple of its distance from the bone", 0.0f,
						  10.0f, 2.0f, true, NULL },
	[sup_pointsIterations] = { "iterations", "count", "implicit: Newton iterations per step", 1.0f, 10.0f, 1.0f, true,
							   NULL },
	[sup_pointsDensity] = { "density", "kg/m3", "density", 1.0f, 20000.0f, 1000.0f, false, NULL },
	[sup_pointsFirm] = { "firm", "", "softness up to which flesh is fixed to the skeleton; higher moves less", 0.0f,
						 1.0f, 0.02f, false, NULL },
	[sup_pointsSlowest] = { "slowest", "Hz",
							"with frequency 0: lower bound on the natural frequency; slower flesh is stiffened", 0.0f,
							100.0f, 2.0f, false, NULL },
	[sup_pointsTets] = { "tets", "count", "number of tetrahedra, within 10 %", 100.0f, 1e6f, 8000.0f, false, NULL },
	[sup_pointsRate] = SUP_RATE_PARAMETER,
};

supPointSettings supPoints_Settings( const supPointsFlesh* flesh, const float* parameters )
{
	supPointSettings settings = supDefaultPointSettings();
	float damping = parameters[sup_pointsDamping];
	settings.integrator = flesh->integrator;
	settings.edges = ( supMaterialLaw ){ parameters[sup_pointsStretch], damping };
	settings.triangles = ( supMaterialLaw ){ parameters[sup_pointsArea], damping };
	settings.tets = ( supMaterialLaw ){ parameters[sup_pointsVolume], damping };
	settings.drag = parameters[sup_pointsAir];
	settings.newtonIterations = (int32_t)parameters[sup_pointsIterations];
	return settings;
}

const supMethod supMethod_points = {
	.name = "points",
	.summary = "mass points: soft props and flesh by springs on tetrahedra, attachments that hold exactly",
	.parameterCount = sup_pointsParameterCount,
	.parameters = s_parameters,
	.createFlesh = supPoints_CreateFlesh,
	.destroyFlesh = supPoints_DestroyFlesh,
	.rateParameter = sup_pointsRate,
	.takesTets = true,
	.fleshVersion = 6,
	.saveFlesh = supPoints_SaveFlesh,
	.loadFlesh = supPoints_LoadFlesh,
	.stateSize = supPoints_StateSize,
	.reset = supPoints_Reset,
	.predict = supPoints_Predict,
	.solve = supPoints_Solve,
	.finish = supPoints_Finish,
	.isSettled = supPoints_IsSettled,
	.grab = supPoints_Grab,
	.getParticles = supPoints_GetParticles,
	.bindVertex = supPoints_BindVertex,
	.findRow = supPoints_FindRow,
	.frame = supPoints_Frame,
	.takesTies = supPoints_TakesTies,
	.createSystem = supPoints_CreateSystem,
	.destroySystem = supPoints_DestroySystem,
	.computeResponse = supPoints_ComputeResponse,
	.writeSurface = supPoints_WriteSurface,
	.listElements = supPoints_ListElements,
	.measure = supPoints_Measure,
};
