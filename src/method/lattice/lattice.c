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
								"voxels along the longest axis, more for slender bodies; more follow thinner limbs and cost in proportion",
								4.0f, SUP_LATTICE_MAX_RESOLUTION, 32.0f, false, NULL },
	[sup_latticeWidth] = { "width", "count", "voxels along an edge of a region; wider ones hold together farther", 2.0f,
						   SUP_LATTICE_MAX_WIDTH, 3.0f, false, NULL },
	[sup_latticeMode] = { "mode", "", "what swings: nothing, one layer, all without skin, all layers", 0.0f, 3.0f, 3.0f,
						  true, s_modes },
	[sup_latticeIterations] = { "iterations", "count", "rounds of constraints in a step; more are firmer", 1.0f, 50.0f,
								1.0f, true, NULL },
	[sup_latticeMuscleFrequency] =
		PART( "muscle", "frequency", "Hz", "swings a second of muscle about the bone; more is firmer", 60.0f, 12.0f ),
	[sup_latticeMuscleDamping] =
		PART( "muscle", "damping", "", "damping ratio of muscle; 1 does not overshoot", 2.0f, 0.6f ),
	[sup_latticeMuscleMatching] = PART(
		"muscle", "matching", "Hz", "how firmly muscle keeps its shape; beyond 10 it does in one step", 60.0f, 9.5f ),
	[sup_latticeFatFrequency] = PART( "fat", "frequency", "Hz", "swings a second of fat about the bone; more is firmer",
									  60.0f, SUP_SOFT_FREQUENCY ),
	[sup_latticeFatDamping] =
		PART( "fat", "damping", "", "damping ratio of fat; 1 does not overshoot", 2.0f, SUP_SOFT_DAMPING ),
	[sup_latticeFatMatching] =
		PART( "fat", "matching", "Hz", "how firmly fat keeps its shape; beyond 10 it does in one step", 60.0f, 4.0f ),
	[sup_latticeSkinFrequency] = PART(
		"skin", "frequency", "Hz", "swings a second of skin about the bone; 0: as what lies beneath it", 60.0f, 0.0f ),
	[sup_latticeSkinDamping] =
		PART( "skin", "damping", "", "damping ratio of skin where it has a frequency of its own", 2.0f, 0.3f ),
	[sup_latticeSkinMatching] =
		PART( "skin", "matching", "Hz", "how firmly skin keeps its shape; beyond 10 it does in one step", 60.0f, 9.5f ),
	[sup_latticeStretch] = { "stretch", "", "how much of the stretch between voxels is taken back", 0.0f, 1.0f, 1.0f,
							 true, NULL },
	[sup_latticeVolume] = { "volume", "", "how much of a voxel's change of volume is taken back", 0.0f, 1.0f, 1.0f,
							true, NULL },
	[sup_latticeWholeVolume] = { "wholevolume", "", "how much of the whole body's change of volume is taken back", 0.0f,
								 1.0f, 1.0f, true, NULL },
	[sup_latticeReach] = { "reach", "", "how far flesh may get from the skinned pose, in lengths of the body", 0.001f,
						   10.0f, 0.2f, true, NULL },
	[sup_latticeGravity] = { "gravity", "", "part of gravity that flesh feels when it is turned", 0.0f, 10.0f, 1.0f,
							 true, NULL },
	[sup_latticeExaggeration] = SUP_EXAGGERATION_PARAMETER,
	[sup_latticeCarry] = { "carry", "",
						   "the mesh hangs on voxels alone (paper), or on its own skin with what voxels add", 0.0f,
						   1.0f, 0.0f, true, s_carries },
	[sup_latticeBlend] = { "blend", "",
						   "how bones carry what is between them: matrices (paper), or dual quaternions that keep girth",
						   0.0f, 1.0f, 1.0f, true, s_blends },
	[sup_latticeWeights] = { "weights", "",
							 "which bones carry a voxel: by the distance through the body (paper), or as painted nearby",
							 0.0f, 1.0f, 1.0f, false, s_weights },
	[sup_latticePaper] = { "paper", "", "the paper's own step, which lags and explodes; for comparison only", 0.0f,
						   2.0f, 0.0f, true, s_papers },
	[sup_latticePaperMuscleStiffness] =
		PART( "paper.muscle", "stiffness", "", "k_s of muscle in the paper's step", 10.0f, 1.8f ),
	[sup_latticePaperMuscleDamping] =
		PART( "paper.muscle", "damping", "", "k_d of muscle in the paper's step: what is kept", 1.0f, 0.6f ),
	[sup_latticePaperFatStiffness] =
		PART( "paper.fat", "stiffness", "", "k_s of fat in the paper's step", 10.0f, 0.5f ),
	[sup_latticePaperFatDamping] =
		PART( "paper.fat", "damping", "", "k_d of fat in the paper's step: what is kept", 1.0f, 0.5f ),
	[sup_latticePaperSkinStiffness] =
		PART( "paper.skin", "stiffness", "", "k_s of skin in the paper's step", 10.0f, 1.7f ),
	[sup_latticePaperSkinDamping] =
		PART( "paper.skin", "damping", "", "k_d of skin in the paper's step: what is kept", 1.0f, 0.4f ),
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
