// SPDX-License-Identifier: MIT
// Flesh from a character: lattice, functions, material at the places of the rule, weights of bones.
#include "method/fem/flesh.h"
#include "method/fem/gaps.h"
#include "volume/body/tissue.h"
#include "volume/softness/softness.h"
#include "volume/weights/point_weights.h"

#include <math.h>

// Firm flesh has up to so many times the modulus of its tissue.
#define MAX_MODULUS_FACTOR 10.0f

// Softness up to which skin goes with its bones as a stone does, and from which flesh moves it freely.
#define RIGID_SOFTNESS 0.05f
#define FREE_SOFTNESS 0.2f

// Part of the way from bone to skin over which bone has a hold on flesh, so that a line of bone cannot turn inside it.
#define CORE 0.4f

// What is left of the moduli of a cell that reaches across a gap.
#define ACROSS_GAP 0.02f

// From this looseness on a bone swings with its flesh.
#define MIN_LOOSENESS 0.5f

// Of the body's extent: how thick skin is.
#define SKIN_WIDTH 0.0025f

typedef struct Maker
{
	supArena scratch;
	const supFleshInput* input;
	supFemFlesh* flesh;
	supError* error;
	supRestSurface surface;
	supBones bones;
	supSoftness softness;
	supLayerSettings layers;
	supBridges bridges;
	supGaps gaps;
} Maker;

// ---------------------------------------------------------------------------------------------------------------------
// Body

static bool CopyLattice( supControlLattice* lattice, const supControlLattice* from, const supCharacter* character,
						 supError* error )
{
	for ( int32_t i = 0; i < from->jointCount; ++i )
	{
		if ( from->joints[i].node >= supCharacter_NodeCount( character ) )
		{
			return supSetError( error, sup_errorArgument, "lattice",
								"joint %d is on node %d of %d: it belongs to another character", i,
								from->joints[i].node, supCharacter_NodeCount( character ) );
		}
	}
	supControlLatticeArrays arrays = { .name = "lattice",
									   .vertexCount = from->vertexCount,
									   .vertices = from->vertices,
									   .cellCount = from->cellCount,
									   .kinds = from->kinds,
									   .corners = from->corners,
									   .jointCount = from->jointCount,
									   .joints = from->joints,
									   .boneCount = from->boneCount,
									   .bones = from->bones,
									   .pins = from->pins,
									   .edgeCount = from->edgeCount,
									   .edges = from->edges };
	return supControlLattice_Init( lattice, &arrays, error );
}

static bool BuildLattice( Maker* maker )
{
	const supFleshInput* input = maker->input;
	supFemFlesh* flesh = maker->flesh;
	if ( supRestSurface_Init( &maker->surface, input->character, input->tasks, maker->error ) == false )
	{
		return false;
	}
	supControlLatticeDef latticeDef = supDefaultControlLatticeDef();
	latticeDef.character = input->character;
	latticeDef.surface = &maker->surface;
	latticeDef.vertexCount = (int32_t)input->parameters[sup_femVertices];
	latticeDef.tasks = input->tasks;
	const supControlLattice* given = input->def->lattice;
	if ( given != NULL ? CopyLattice( &flesh->lattice, given, input->character, maker->error ) == false
					   : supBuildControlLattice( &flesh->lattice, &latticeDef, maker->error ) == false )
	{
		return false;
	}
	supCellBasisDef basisDef = supDefaultCellBasisDef();
	basisDef.lattice = &flesh->lattice;
	basisDef.surface = &maker->surface;
	// finer functions are in balance with vertices only where both are integrated alike
	basisDef.ruleLevel = (int32_t)input->parameters[sup_femLevels];
	basisDef.tasks = input->tasks;
	return supBuildCellBasis( &flesh->basis, &flesh->cells, &basisDef, maker->error );
}

static bool FindSoftness( Maker* maker )
{
	const supFleshDef* def = maker->input->def;
	if ( supBones_InitCharacter( &maker->bones, maker->input->character, maker->error ) == false )
	{
		return false;
	}
	supSoftnessDef softnessDef = { .character = maker->input->character,
								   .surface = &maker->surface,
								   .bones = &maker->bones,
								   .regions = def->softRegions,
								   .regionCount = def->softRegionCount,
								   .resolution = SUP_SOFTNESS_RESOLUTION,
								   .tasks = maker->input->tasks };
	return supSoftness_Init( &maker->softness, &softnessDef, maker->error ) &&
		   supLayerSettings_Init( &maker->layers, def, maker->input->character, &maker->bones,
								  maker->softness.voxels.size, maker->error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Functions

static bool PlaceFunctions( Maker* maker )
{
	supFemFlesh* flesh = maker->flesh;
	const supCellBasis* basis = &flesh->basis;
	size_t count = (size_t)basis->functionCount;
	supVec3* places = supArena_AllocArray( &flesh->arena, count, sizeof( supVec3 ) );
	supVec3* rests = supArena_AllocArray( &flesh->arena, count, sizeof( supVec3 ) );
	uint8_t* isKnown = supArena_AllocArray( &flesh->arena, count, 1 );
	if ( flesh->arena.failed )
	{
		return supSetMemoryError( maker->error );
	}
	for ( int32_t i = 0; i < basis->functionCount; ++i )
	{
		places[i] = basis->nodes[basis->functionNodes[i]];
		rests[i] = flesh->lattice.vertices[i];
		isKnown[i] = supControlLattice_IsKnown( &flesh->lattice, i ) &&
					 supSoftness_Sample( &maker->softness, rests[i] ).looseness < MIN_LOOSENESS;
	}
	flesh->def.functionCount = basis->functionCount;
	flesh->def.places = places;
	flesh->def.rests = rests;
	flesh->def.isKnown = isKnown;
	return true;
}

// The heaviest SUP_MAX_INFLUENCES of all bones, brought to sum 1. Where there is none everything stays as it is.
static void KeepHeaviest( float* sums, int32_t boneCount, uint16_t* joints, float* weights )
{
	float whole = 0.0f;
	uint16_t kept[SUP_MAX_INFLUENCES];
	float keptWeights[SUP_MAX_INFLUENCES];
	for ( int k = 0; k < SUP_MAX_INFLUENCES; ++k )
	{
		int32_t best = 0;
		for ( int32_t i = 1; i < boneCount; ++i )
		{
			best = sums[i] > sums[best] ? i : best;
		}
		kept[k] = (uint16_t)best;
		keptWeights[k] = sums[best];
		whole += sums[best];
		sums[best] = 0.0f;
	}
	for ( int k = 0; whole > 0.0f && k < SUP_MAX_INFLUENCES; ++k )
	{
		joints[k] = kept[k];
		weights[k] = keptWeights[k] / whole;
	}
}

// Weights of functions are the mean over the flesh near their places, foreign flesh left out.
static bool AverageWeights( Maker* maker, uint16_t* joints, float* weights )
{
	supFemFlesh* flesh = maker->flesh;
	const supCellRule* cells = &flesh->cells;
	size_t boneCount = (size_t)maker->bones.count;
	float* sums = supArena_AllocArray( &maker->scratch, (size_t)flesh->def.functionCount, boneCount * sizeof( float ) );
	if ( maker->scratch.failed )
	{
		return supSetMemoryError( maker->error );
	}
	memset( sums, 0, (size_t)flesh->def.functionCount * boneCount * sizeof( float ) );
	for ( int32_t i = 0; i < cells->pointCount; ++i )
	{
		for ( int32_t k = cells->starts[i]; k < cells->starts[i + 1]; ++k )
		{
			float near = cells->values[k] * cells->values[k];
			float share = cells->weights[i] * near * near * maker->gaps.affinities[k];
			float* to = sums + (size_t)cells->functions[k] * boneCount;
			const supSkinPlace* skin = &maker->gaps.places[i].skin;
			for ( int m = 0; m < SUP_MAX_INFLUENCES; ++m )
			{
				to[skin->joints[m]] += share * skin->weights[m];
			}
		}
	}
	for ( int32_t i = 0; i < flesh->def.functionCount; ++i )
	{
		size_t slot = SUP_MAX_INFLUENCES * (size_t)i;
		KeepHeaviest( sums + (size_t)i * boneCount, maker->bones.count, joints + slot, weights + slot );
	}
	return true;
}

// As the artist painted the skin, which is what the flesh is to look like where it is firm.
static bool WeighFunctions( Maker* maker )
{
	supFemFlesh* flesh = maker->flesh;
	const supCellBasis* basis = &flesh->basis;
	size_t slots = SUP_MAX_INFLUENCES * (size_t)flesh->def.functionCount;
	size_t nodeSlots = SUP_MAX_INFLUENCES * (size_t)basis->nodeCount;
	uint16_t* joints = supArena_AllocArray( &flesh->arena, slots, sizeof( uint16_t ) );
	float* weights = supArena_AllocArray( &flesh->arena, slots, sizeof( float ) );
	uint16_t* nodeJoints = supArena_AllocArray( &flesh->arena, nodeSlots, sizeof( uint16_t ) );
	float* nodeWeights = supArena_AllocArray( &flesh->arena, nodeSlots, sizeof( float ) );
	if ( flesh->arena.failed )
	{
		return supSetMemoryError( maker->error );
	}
	flesh->def.joints = joints;
	flesh->def.weights = weights;
	flesh->nodeJoints = nodeJoints;
	flesh->nodeWeights = nodeWeights;
	const supCharacter* character = maker->input->character;
	if ( supBridges_Init( &maker->bridges, character, &maker->surface, &maker->bones, maker->error ) == false )
	{
		return false;
	}
	if ( supFindGaps( &maker->gaps, &flesh->cells, flesh->def.functionCount, &maker->bridges, maker->input->tasks,
					  &maker->scratch ) == false )
	{
		return supSetMemoryError( maker->error );
	}
	if ( supWeighPoints( character, &maker->surface, &maker->bones, flesh->def.places, flesh->def.functionCount, joints,
						 weights, maker->input->tasks, maker->error ) == false ||
		 supWeighPoints( character, &maker->surface, &maker->bones, basis->nodes, basis->nodeCount, nodeJoints,
						 nodeWeights, maker->input->tasks, maker->error ) == false ||
		 AverageWeights( maker, joints, weights ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < flesh->def.functionCount; ++i )
	{
		size_t from = SUP_MAX_INFLUENCES * (size_t)i, to = SUP_MAX_INFLUENCES * (size_t)basis->functionNodes[i];
		memcpy( nodeJoints + to, joints + from, SUP_MAX_INFLUENCES * sizeof( uint16_t ) );
		memcpy( nodeWeights + to, weights + from, SUP_MAX_INFLUENCES * sizeof( float ) );
	}
	return true;
}

static bool TakeBones( Maker* maker )
{
	supFemFlesh* flesh = maker->flesh;
	const supBones* bones = &maker->bones;
	size_t count = (size_t)bones->count;
	supMat34* inverses = supArena_AllocArray( &flesh->arena, count, sizeof( supMat34 ) );
	flesh->boneNodes = supArena_CopyArray( &flesh->arena, bones->nodes, count, sizeof( int32_t ) );
	flesh->def.parents = supArena_CopyArray( &flesh->arena, bones->parents, count, sizeof( int32_t ) );
	flesh->def.origins = supArena_CopyArray( &flesh->arena, bones->joints, count, sizeof( supVec3 ) );
	flesh->def.between = (int32_t)maker->input->parameters[sup_femBetween];
	supPose* rest = supCreatePose( maker->input->character );
	bool ok = flesh->arena.failed == false && rest != NULL;
	for ( int32_t i = 0; ok && i < bones->count; ++i )
	{
		// a bone scaled to nothing at rest cannot say where its flesh is: it stays where it is
		inverses[i] = supMat34_identity;
		supInvertMat34( supPose_Worlds( rest )[flesh->boneNodes[i]], inverses + i );
	}
	supDestroyPose( rest );
	flesh->boneCount = bones->count;
	flesh->def.boneCount = bones->count;
	flesh->boneInverses = inverses;
	return ok || supSetMemoryError( maker->error );
}

static int32_t DepthOf( const supBones* bones, int32_t bone )
{
	int32_t depth = 0;
	for ( ; bones->parents[bone] >= 0; bone = bones->parents[bone] )
	{
		depth += 1;
	}
	return depth;
}

// The bone nearest to the root that moves flesh.
static int32_t FindRoot( const Maker* maker )
{
	const supFemModelDef* def = &maker->flesh->def;
	int32_t best = 0, bestDepth = INT32_MAX;
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES * def->functionCount; ++i )
	{
		int32_t depth = def->weights[i] > 0.0f ? DepthOf( &maker->bones, def->joints[i] ) : INT32_MAX;
		bool isBetter = depth < bestDepth || ( depth == bestDepth && def->joints[i] < best );
		best = isBetter ? def->joints[i] : best;
		bestDepth = isBetter ? depth : bestDepth;
	}
	return best;
}

// ---------------------------------------------------------------------------------------------------------------------
// Material

// Of all places of a rule.
typedef struct Materials
{
	float* densities;
	float* moduli;
	float* poissons;
	float* holds;
	float* grips;
	float* loosenesses;
	int32_t* softRegions;
	float* shares;
	float* dampings; // of tissues
} Materials;

static const supTissue* FleshOf( const Maker* maker, int32_t layer )
{
	// bones are edges that do not give at all, and a cell that a bone passes through is to be as soft as its flesh
	return &maker->layers.layers[layer == 0 ? 1 : layer].tissue;
}

// How far all vertices of a place's cell belong to its flesh.
static float OwnCell( const Maker* maker, int32_t place )
{
	const supCellRule* cells = &maker->flesh->cells;
	float least = 1.0f;
	for ( int32_t k = cells->starts[place]; k < cells->starts[place + 1]; ++k )
	{
		least = supMinFloat( least, maker->gaps.affinities[k] );
	}
	return supMaxFloat( least, ACROSS_GAP );
}

static void FillPlace( const Maker* maker, int32_t place, supVec3 point, const Materials* to )
{
	const float* parameters = maker->input->parameters;
	supSoftPoint soft = supSoftness_Sample( &maker->softness, point );
	float extent = (float)maker->softness.voxels.size * SUP_SOFTNESS_RESOLUTION;
	int32_t layer = supPickLayer( maker->layers.layers, maker->layers.layerCount, maker->input->def->boneWidth,
								  SKIN_WIDTH * extent, soft.boneDistance, soft.thickness );
	const supTissue* tissue = FleshOf( maker, layer );
	float firmness = ( 1.0f - soft.softness ) * ( 1.0f - soft.softness );
	float core = 1.0f - soft.boneDistance / supMaxFloat( CORE * soft.thickness, 1e-20f );
	// the bone of a tail holds it less than one in a thigh
	core = core > 0.0f ? core * core * ( 1.0f - soft.looseness ) : 0.0f;
	float pulse = 2.0f * SUP_PI * parameters[sup_femHold];
	to->densities[place] = maker->layers.layers[layer].tissue.density;
	to->moduli[place] = tissue->stiffness * supLerpFloat( 1.0f, MAX_MODULUS_FACTOR, firmness );
	to->poissons[place] = supMinFloat( tissue->poisson, parameters[sup_femPoisson] );
	to->grips[place] = sqrtf( supMaxFloat( core, firmness ) );
	to->holds[place] = tissue->density * pulse * pulse * supMaxFloat( core, firmness );
	to->loosenesses[place] = soft.looseness;
	to->softRegions[place] = soft.region;
	to->dampings[place] = tissue->damping;
}

static Materials AllocateMaterials( supArena* arena, size_t count )
{
	return ( Materials ){ .densities = supArena_AllocArray( arena, count, sizeof( float ) ),
						  .moduli = supArena_AllocArray( arena, count, sizeof( float ) ),
						  .poissons = supArena_AllocArray( arena, count, sizeof( float ) ),
						  .holds = supArena_AllocArray( arena, count, sizeof( float ) ),
						  .grips = supArena_AllocArray( arena, count, sizeof( float ) ),
						  .loosenesses = supArena_AllocArray( arena, count, sizeof( float ) ),
						  .softRegions = supArena_AllocArray( arena, count, sizeof( int32_t ) ),
						  .shares = supArena_AllocArray( arena, count, sizeof( float ) ),
						  .dampings = supArena_AllocArray( arena, count, sizeof( float ) ) };
}

static supFemRule MakeRule( const supCellRule* cells, const Materials* materials )
{
	return ( supFemRule ){ cells->pointCount,      cells->starts,          cells->functions,
						   cells->values,          cells->gradients,       cells->weights,
						   materials->densities,   materials->moduli,      materials->poissons,
						   materials->softRegions, materials->holds,       materials->grips,
						   materials->shares,      materials->loosenesses, NULL };
}

static bool FillMaterials( Maker* maker )
{
	supFemFlesh* flesh = maker->flesh;
	size_t count = (size_t)flesh->cells.pointCount;
	int32_t regionCount = maker->input->def->softRegionCount > 0 ? maker->input->def->softRegionCount : 1;
	Materials to = AllocateMaterials( &flesh->arena, count );
	float* dampings = supArena_AllocArray( &flesh->arena, (size_t)regionCount, sizeof( float ) );
	float* softest = supArena_AllocArray( &flesh->arena, (size_t)regionCount, sizeof( float ) );
	double* volumes = supArena_AllocZeroed( &maker->scratch, (size_t)regionCount * sizeof( double ) );
	if ( flesh->arena.failed || maker->scratch.failed )
	{
		return supSetMemoryError( maker->error );
	}
	memset( dampings, 0, (size_t)regionCount * sizeof( float ) );
	for ( int32_t i = 0; i < regionCount; ++i )
	{
		softest[i] = maker->softness.isAutomatic ? 0.0f : 1.0f;
	}
	for ( int32_t i = 0; i < flesh->cells.pointCount; ++i )
	{
		FillPlace( maker, i, flesh->cells.points[i], &to );
		to.shares[i] = OwnCell( maker, i );
		volumes[to.softRegions[i]] += (double)flesh->cells.weights[i];
		float softness = supSoftness_Sample( &maker->softness, flesh->cells.points[i] ).softness;
		softest[to.softRegions[i]] = supMaxFloat( softest[to.softRegions[i]], softness );
	}
	for ( int32_t i = 0; i < flesh->cells.pointCount; ++i )
	{
		double whole = volumes[to.softRegions[i]];
		double share = whole > 0.0 ? (double)flesh->cells.weights[i] / whole : 0.0;
		dampings[to.softRegions[i]] += (float)share * to.dampings[i];
	}
	flesh->tissueDampings = dampings;
	flesh->softest = softest;
	flesh->def.softRegionCount = regionCount;
	flesh->def.rule = MakeRule( &flesh->cells, &to );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Surface

typedef struct Vertices
{
	const Maker* maker;
	const supSkinPlace* places;
} Vertices;

// Only across a bridge: what is merely far along the skeleton would be torn from its neighbours.
static float ShareOf( int32_t vertex, int32_t node, const void* context )
{
	const Vertices* v = context;
	return supGaps_AreApart( &v->maker->gaps, v->places + vertex, node ) ? 0.0f : 1.0f;
}

// A vertex is bound to those corners of its cell that belong to its own flesh. Cells of other shapes than tets keep all
// of theirs.
static bool KeepOwnNodes( Maker* maker )
{
	supFemFlesh* flesh = maker->flesh;
	if ( flesh->skin != sup_femSkinned || flesh->binding.width != 4 )
	{
		return true;
	}
	const supRestSurface* surface = &maker->surface;
	size_t count = (size_t)surface->vertexCount;
	int32_t* triangles = supArena_AllocArray( &maker->scratch, count, sizeof( int32_t ) );
	supSkinPlace* places = supArena_AllocArray( &maker->scratch, count, sizeof( supSkinPlace ) );
	if ( maker->scratch.failed )
	{
		return supSetMemoryError( maker->error );
	}
	supRestSurface_FindTriangles( surface, triangles );
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		places[i] = supBridges_VertexPlace( &maker->bridges, i, triangles[i] );
	}
	Vertices vertices = { maker, places };
	supSurfaceBinding_KeepOwn( &flesh->binding, ShareOf, &vertices );
	return true;
}

// Skin without any softness goes with its bones, whatever soft flesh is in the same cell.
static bool KeepFirm( Maker* maker )
{
	supFemFlesh* flesh = maker->flesh;
	float* shares = supArena_AllocArray( &maker->scratch, (size_t)maker->surface.vertexCount, sizeof( float ) );
	if ( shares == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	supSoftness_SampleMany( &maker->softness, maker->surface.positions, maker->surface.vertexCount, shares, NULL,
							maker->input->tasks );
	for ( int32_t i = 0; i < maker->surface.vertexCount; ++i )
	{
		float part = supClampFloat( ( shares[i] - RIGID_SOFTNESS ) / ( FREE_SOFTNESS - RIGID_SOFTNESS ), 0.0f, 1.0f );
		shares[i] = part * part * ( 3.0f - 2.0f * part );
	}
	return flesh->skin != sup_femSkinned || supSurfaceBinding_KeepFirm( &flesh->binding, shares ) ||
		   supSetMemoryError( maker->error );
}

static bool Bind( Maker* maker )
{
	supFemFlesh* flesh = maker->flesh;
	flesh->mode = (supFemMode)maker->input->parameters[sup_femMode];
	flesh->skin = (supFemSkin)maker->input->parameters[sup_femSkin];
	flesh->def.wholeBone = flesh->mode == sup_femBlended ? -1 : FindRoot( maker );
	flesh->def.isNonlinear = flesh->mode == sup_femNonlinear;
	flesh->def.hasJoints = flesh->mode == sup_femBlended && maker->input->parameters[sup_femJoints] > 0.0f;
	return supSurfaceBinding_InitCells( &flesh->binding, maker->input->character, &flesh->basis, maker->input->tasks,
										maker->error ) &&
		   KeepOwnNodes( maker ) && KeepFirm( maker ) &&
		   ( maker->softness.isAutomatic == false ||
			 ( supSurfaceBinding_KeepMade( &flesh->binding, maker->input->character ) &&
			   supSurfaceBinding_KeepShells( &flesh->binding, maker->softness.isRigid ) ) ||
			 supSetMemoryError( maker->error ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Finer functions

// How much flesh moves each vertex of the skin.
static float* ListSkin( Maker* maker )
{
	const supSurfaceBinding* binding = &maker->flesh->binding;
	float* shares = supArena_AllocZeroed( &maker->scratch, (size_t)binding->vertexCount * sizeof( float ) );
	for ( int32_t i = 0; shares != NULL && i < binding->instanceCount; ++i )
	{
		for ( int32_t k = binding->vertexStarts[i]; k < binding->vertexStarts[i + 1]; ++k )
		{
			float share = binding->skinShares != NULL ? binding->skinShares[k] : 1.0f;
			shares[k] = binding->still[i] ? 0.0f : share;
		}
	}
	return shares;
}

static bool IntegrateDetail( Maker* maker, const supCellBasis* basis, const supCellRule* cells )
{
	supFemFlesh* flesh = maker->flesh;
	const float* shares = ListSkin( maker );
	double* pulses = supArena_AllocArray( &maker->scratch, (size_t)flesh->def.softRegionCount, sizeof( double ) );
	if ( shares == NULL || pulses == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	if ( supFindFemPulses( &flesh->def, pulses, maker->error ) == false )
	{
		return false;
	}
	// the same places, with finer functions at them
	SUP_ASSERT( cells->pointCount == flesh->cells.pointCount );
	supFemRule rule = flesh->def.rule;
	rule.starts = cells->starts;
	rule.functions = cells->functions;
	rule.values = cells->values;
	rule.gradients = cells->gradients;
	supDetailDef def = { .basis = basis,
						 .cells = cells,
						 .rule = rule,
						 .vertexCount = flesh->lattice.vertexCount,
						 .boneCount = flesh->boneCount,
						 .joints = flesh->def.joints,
						 .weights = flesh->def.weights,
						 .softRegionCount = flesh->def.softRegionCount,
						 .pulses = pulses,
						 .skinCount = maker->surface.vertexCount,
						 .skin = maker->surface.positions,
						 .skinShares = shares,
						 .tasks = maker->input->tasks };
	flesh->def.rule.cells = flesh->cells.cells;
	bool ok = supBuildFemDetail( &flesh->detail, &flesh->arena, &def, maker->error );
	flesh->def.cellCorners = flesh->detail.cellCorners;
	return ok;
}

static bool AddDetail( Maker* maker )
{
	supCellBasisDef def = supDefaultCellBasisDef();
	def.lattice = &maker->flesh->lattice;
	def.surface = &maker->surface;
	def.level = (int32_t)maker->input->parameters[sup_femLevels];
	def.tasks = maker->input->tasks;
	if ( def.level == 0 )
	{
		return true;
	}
	supCellBasis basis = { 0 };
	supCellRule cells = { 0 };
	bool ok = supBuildCellBasis( &basis, &cells, &def, maker->error ) && IntegrateDetail( maker, &basis, &cells );
	supCellRule_Destroy( &cells );
	supCellBasis_Destroy( &basis );
	return ok;
}

void* supFem_CreateFlesh( const supFleshInput* input, supError* error )
{
	supFemFlesh* flesh = supAllocZeroed( sizeof( supFemFlesh ) );
	if ( flesh == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	Maker maker = { .input = input, .flesh = flesh, .error = error };
	bool ok = BuildLattice( &maker ) && FindSoftness( &maker ) && PlaceFunctions( &maker ) &&
			  WeighFunctions( &maker ) && TakeBones( &maker ) && FillMaterials( &maker ) && Bind( &maker ) &&
			  AddDetail( &maker ) && supFemModel_Init( &flesh->model, &flesh->def, error );
	supBridges_Destroy( &maker.bridges );
	supRestSurface_Destroy( &maker.surface );
	supBones_Destroy( &maker.bones );
	supSoftness_Destroy( &maker.softness );
	supLayerSettings_Destroy( &maker.layers );
	supArena_Destroy( &maker.scratch );
	if ( ok == false )
	{
		supFem_DestroyFlesh( flesh );
		flesh = NULL;
	}
	return flesh;
}

void supFem_DestroyFlesh( void* fleshPointer )
{
	supFemFlesh* flesh = fleshPointer;
	if ( flesh != NULL )
	{
		supSurfaceBinding_Destroy( &flesh->binding );
		supFemModel_Destroy( &flesh->model );
		supCellRule_Destroy( &flesh->cells );
		supCellBasis_Destroy( &flesh->basis );
		supControlLattice_Destroy( &flesh->lattice );
		supArena_Destroy( &flesh->arena );
		supFree( flesh );
	}
}
