// SPDX-License-Identifier: MIT
// The method's table.
#include "method/fem/flesh.h"
#include "method/inertia.h"

static const char* const s_modes[] = { "blended", "linear", "nonlinear", NULL };
static const char* const s_joints[] = { "linear", "nonlinear", NULL };
static const char* const s_skins[] = { "skinned", "carried", NULL };

static const supParameter s_parameters[sup_femParameterCount] = {
	[sup_femSoftness] = SUP_SOFTNESS_PARAMETER( true ),
	[sup_femMode] = { "mode", "", "linear around each bone and blended, globally linear (warps), or nonlinear (slow)",
					  0.0f, 2.0f, 0.0f, false, s_modes },
	[sup_femStiffness] = { "stiffness", "", "factor on the tissues' moduli; more swings less and faster", 1e-3f, 1e3f,
						   1.0f, true, NULL },
	[sup_femFrequency] = { "frequency", "Hz", "lowest natural frequency of soft flesh; 0: given by the tissues' moduli",
						   0.0f, 100.0f, SUP_SOFT_FREQUENCY, true, NULL },
	[sup_femSlowest] = { "slowest", "Hz",
						 "with frequency 0: lower bound on the natural frequency; slower flesh is stiffened", 0.0f,
						 100.0f, 2.0f, true, NULL },
	[sup_femDamping] = { "damping", "", "damping ratio of the lowest frequency; 0: given by the tissues", 0.0f, 10.0f,
						 SUP_SOFT_DAMPING, true, NULL },
	[sup_femExaggeration] = SUP_EXAGGERATION_PARAMETER,
	[sup_femSag] = { "sag", "", "0: the rest pose is in equilibrium with gravity; 1: flesh sags under its weight", 0.0f,
					 1.0f, 0.0f, true, NULL },
	[sup_femAir] = { "air", "1/s", "air drag", 0.0f, 100.0f, 0.3f, true, NULL },
	[sup_femReach] = { "reach", "", "largest excursion of flesh, as a multiple of its distance from the bone", 0.0f,
					   10.0f, 1.0f, true, NULL },
	[sup_femRefine] = { "refine", "",
						"levels: activate a level-1 function that moves flesh by this fraction of its width", 0.0f,
						1.0f, 0.25f, true, NULL },
	[sup_femRefine2] = { "refine2", "", "the same for level-2 functions", 0.0f, 1.0f, 0.25f, true, NULL },
	[sup_femIterations] = { "iterations", "count", "nonlinear: maximum Newton iterations per step", 1.0f, 100.0f, 10.0f,
							true, NULL },
	[sup_femPoisson] = { "poisson", "", "upper bound on Poisson's ratio of any tissue; coarse cells lock near 0.5",
						 0.0f, 0.49f, 0.4f, false, NULL },
	[sup_femHold] = { "hold", "Hz",
					  "frequency of firm flesh on its bone when soft flesh swings at 2 Hz; 0: elasticity alone", 0.0f,
					  100.0f, 15.0f, false, NULL },
	[sup_femVertices] = { "vertices", "count",
						  "approximate number of control lattice vertices; more follow the shape more closely",
						  (float)SUP_LEAST_LATTICE, (float)SUP_MOST_LATTICE, 500.0f, false, NULL },
	[sup_femLevels] = { "levels", "count", "finer levels of functions, activated where they matter", 0.0f, 2.0f, 0.0f,
						false, NULL },
	[sup_femBetween] = { "between", "count", "blended: interpolated frames per joint; more improve twists and bends",
						 0.0f, (float)SUP_MOST_BETWEEN, 1.0f, false, NULL },
	[sup_femJoints] = { "joints", "", "blended: linear near joints, or nonlinear there (closer, slower)", 0.0f, 1.0f,
						0.0f, false, s_joints },
	[sup_femSkin] = { "skin", "", "skin is skinning plus flesh, or carried by the lattice alone", 0.0f, 1.0f, 0.0f,
					  false, s_skins },
	[sup_femDissipation] = { "dissipation", "",
							 "numerical dissipation of the integrator: 1 is backward Euler, 0 preserves energy", 0.0f,
							 1.0f, 1.0f, true, NULL },
	[sup_femRate] = SUP_RATE_PARAMETER,
	[sup_femBones] = { "bones", "Hz", "spring that returns tails, ears and wings to the clip; 0: none, 100: rigid",
					   0.0f, 100.0f, 0.0f, true, NULL },
	[sup_femVolume] = { "volume", "", "blended: how far the flesh of each bone keeps its volume; 0: elasticity alone",
						0.0f, 1.0f, 0.0f, true, NULL },
};

static int32_t CountRegions( const void* flesh )
{
	return ( (const supFemFlesh*)flesh )->model.softRegionCount;
}

const supMethod supMethod_fem = {
	.name = "fem",
	.summary = "finite elements on a control lattice along the bones: elastic flesh in real units",
	.parameterCount = sup_femParameterCount,
	.parameters = s_parameters,
	.createFlesh = supFem_CreateFlesh,
	.destroyFlesh = supFem_DestroyFlesh,
	.rateParameter = sup_femRate,
	.takesLattice = true,
	.takesLayers = true,
	.maxJoints = 1024,
	.fleshVersion = 9,
	.saveFlesh = supFem_SaveFlesh,
	.loadFlesh = supFem_LoadFlesh,
	.countRegions = CountRegions,
	.stateSize = supFem_StateSize,
	.reset = supFem_Reset,
	.predict = supFem_Predict,
	.solve = supFem_Solve,
	.finish = supFem_Finish,
	.isSettled = supFem_IsSettled,
	.grab = supFem_Grab,
	.getParticles = supFem_GetParticles,
	.bindVertex = supFem_BindVertex,
	.findRow = supFem_FindRow,
	.frame = supFem_Frame,
	.computeResponse = supFem_ComputeResponse,
	.writeSurface = supFem_WriteSurface,
	.listElements = supFem_ListElements,
	.measure = supFem_Measure,
	.fillLevels = supFem_FillLevels,
};
