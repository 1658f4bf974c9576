// SPDX-License-Identifier: MIT
// The method's table and its parameters.
#include "method/lattice/lattice.h"

#include "method/inertia.h"

static const char* const s_modes[] = { "none", "single", "noskin", "all" };
static const char* const s_carries[] = { "voxels", "skin" };
static const char* const s_blends[] = { "linear", "dual" };
static const char* const s_weights[] = { "geodesic", "painted" };
static const char* const s_papers[] = { "off", "literal", "fastlsm" };

#define PART( name, what, unit, text, most, standard )                                                                 \
	{                                                                                                                  \
		name "." what, unit, text, 0.0f, most, standard, true, NULL                                                    \
	}

const supParameter supLatticeParameters[sup_latticeParameterCount] = {
	[sup_latticeSoftness] = SUP_SOFTNESS_PARAMETER( true ),
	[sup_latticeResolution] = { "resolution", "count",
								"voxels along the longest axis, increased for slender bodies; more resolve thinner limbs at proportional cost",
								4.0f, SUP_LATTICE_MAX_RESOLUTION, 32.0f, false, NULL },
	[sup_latticeWidth] = { "width", "count", "voxels along the edge of a region; wider regions are stiffer", 2.0f,
						   SUP_LATTICE_MAX_WIDTH, 3.0f, false, NULL },
	[sup_latticeMode] = { "mode", "", "which layers swing: none, one, all except skin, or all", 0.0f, 3.0f, 3.0f, true,
						  s_modes },
	[sup_latticeIterations] = { "iterations", "count", "constraint iterations per step; more is firmer", 1.0f, 50.0f,
								1.0f, true, NULL },
	[sup_latticeMuscleFrequency] =
		PART( "muscle", "frequency", "Hz", "natural frequency of muscle; higher is firmer", 60.0f, 12.0f ),
	[sup_latticeMuscleDamping] =
		PART( "muscle", "damping", "", "damping ratio of muscle; 1 does not overshoot", 2.0f, 0.6f ),
	[sup_latticeMuscleMatching] =
		PART( "muscle", "matching", "Hz", "shape stiffness of muscle; above 10 it recovers in one step", 60.0f, 9.5f ),
	[sup_latticeFatFrequency] =
		PART( "fat", "frequency", "Hz", "natural frequency of fat; higher is firmer", 60.0f, SUP_SOFT_FREQUENCY ),
	[sup_latticeFatDamping] =
		PART( "fat", "damping", "", "damping ratio of fat; 1 does not overshoot", 2.0f, SUP_SOFT_DAMPING ),
	[sup_latticeFatMatching] =
		PART( "fat", "matching", "Hz", "shape stiffness of fat; above 10 it recovers in one step", 60.0f, 4.0f ),
	[sup_latticeSkinFrequency] =
		PART( "skin", "frequency", "Hz", "natural frequency of skin; 0: that of the layer beneath", 60.0f, 0.0f ),
	[sup_latticeSkinDamping] =
		PART( "skin", "damping", "", "damping ratio of skin, if it has its own frequency", 2.0f, 0.3f ),
	[sup_latticeSkinMatching] =
		PART( "skin", "matching", "Hz", "shape stiffness of skin; above 10 it recovers in one step", 60.0f, 9.5f ),
	[sup_latticeStretch] = { "stretch", "", "fraction of the stretch between voxels that is corrected", 0.0f, 1.0f,
							 1.0f, true, NULL },
	[sup_latticeVolume] = { "volume", "", "fraction of each voxel's volume change that is corrected", 0.0f, 1.0f, 1.0f,
							true, NULL },
	[sup_latticeWholeVolume] = { "wholevolume", "", "fraction of the whole body's volume change that is corrected",
								 0.0f, 1.0f, 1.0f, true, NULL },
	[sup_latticeReach] = { "reach", "", "largest excursion from the skinned pose, as a fraction of the body's length",
						   0.001f, 10.0f, 0.2f, true, NULL },
	[sup_latticeGravity] = { "gravity", "", "fraction of gravity felt by flesh that turns", 0.0f, 10.0f, 1.0f, true,
							 NULL },
	[sup_latticeExaggeration] = SUP_EXAGGERATION_PARAMETER,
	[sup_latticeCarry] = { "carry", "", "the mesh follows voxels alone (paper), or skinning plus what voxels add", 0.0f,
						   1.0f, 0.0f, true, s_carries },
	[sup_latticeBlend] = { "blend", "",
						   "blending between bones: matrices (paper), or dual quaternions, which preserve girth", 0.0f,
						   1.0f, 1.0f, true, s_blends },
	[sup_latticeWeights] = { "weights", "",
							 "bone weights of voxels: by distance through the body (paper), or from nearby painted weights",
							 0.0f, 1.0f, 1.0f, false, s_weights },
	[sup_latticePaper] = { "paper", "", "the paper's own time step, which lags and can explode; for comparison only",
						   0.0f, 2.0f, 0.0f, true, s_papers },
	[sup_latticePaperMuscleStiffness] =
		PART( "paper.muscle", "stiffness", "", "k_s of muscle in the paper's step", 10.0f, 1.8f ),
	[sup_latticePaperMuscleDamping] = PART(
		"paper.muscle", "damping", "", "k_d of muscle in the paper's step: fraction of velocity kept", 1.0f, 0.6f ),
	[sup_latticePaperFatStiffness] =
		PART( "paper.fat", "stiffness", "", "k_s of fat in the paper's step", 10.0f, 0.5f ),
	[sup_latticePaperFatDamping] =
		PART( "paper.fat", "damping", "", "k_d of fat in the paper's step: fraction of velocity kept", 1.0f, 0.5f ),
	[sup_latticePaperSkinStiffness] =
		PART( "paper.skin", "stiffness", "", "k_s of skin in the paper's step", 10.0f, 1.7f ),
	[sup_latticePaperSkinDamping] =
		PART( "paper.skin", "damping", "", "k_d of skin in the paper's step: fraction of velocity kept", 1.0f, 0.4f ),
};

const supMethod supMethod_lattice = {
	.name = "lattice",
	.summary = "voxels in layers of bone, muscle, fat and skin that keep their shape: robust, for noisy motion",
	.parameterCount = sup_latticeParameterCount,
	.parameters = supLatticeParameters,
	.takesLayers = true,
	.takesLayerParts = true,
	.createFlesh = supLattice_CreateFlesh,
	.destroyFlesh = supLattice_DestroyFlesh,
	.fleshVersion = 6,
	.saveFlesh = supLattice_SaveFlesh,
	.loadFlesh = supLattice_LoadFlesh,
	.countRegions = supLattice_CountRegions,
	.stateSize = supLattice_StateSize,
	.reset = supLattice_Reset,
	.predict = supLattice_Predict,
	.solve = supLattice_Solve,
	.finish = supLattice_Finish,
	.isSettled = supLattice_IsSettled,
	.grab = supLattice_Grab,
	.getParticles = supLattice_GetParticles,
	.bindVertex = supLattice_BindVertex,
	.findRow = supLattice_FindRow,
	.frame = supLattice_Frame,
	.writeSurface = supLattice_WriteSurface,
	.listElements = supLattice_ListElements,
	.measure = supLattice_Measure,
};
