// SPDX-License-Identifier: MIT
#include "core/tasks.h"
#include "method/body_parts.h"
#include "method/layered/layered.h"
#include "volume/softness/rigid_parts.h"
#include "volume/weights/point_weights.h"

#include <math.h>

// Part of the body's largest extent that the skin is thick where nothing else is asked for.
#define STANDARD_THICKNESS 0.05f

// What firmness does to stiffness: 1 / softness², at most this.
#define MOST_STIFFNESS 25.0f

// Skin that is to swing faster than this is as good as rigid, and stiffer skin only costs digits.
#define MAX_SKIN_FREQUENCY 25.0f

// A patch of skin bends where a node alone cannot, and so swings slower than its nodes do by themselves: by about this
// much on bodies of all kinds.
#define NODE_TO_PATCH 1.25f

typedef struct Maker
{
	supArena scratch;
	const supFleshInput* input;
	supLayeredFlesh* flesh;
	supError* error;
	supBodyParts parts;
	uint32_t* indices; // of the surface, rigid parts last
	int32_t softCount; // triangles before them
	int32_t nodeCount;
	uint16_t* vertexBones; // SUP_MAX_INFLUENCES each, the heaviest first
	float* vertexWeights;
	uint16_t* pointBones; // SUP_MAX_INFLUENCES each, of all points of the layer
	float* pointWeights;
	float* tetStiffness;
} Maker;

// ---------------------------------------------------------------------------------------------------------------------
// Skin

static bool FindSurface( Maker* maker )
{
	const supCharacter* character = maker->input->character;
	supRestSurface* surface = &maker->parts.surface;
	if ( supRestSurface_Init( surface, character, maker->input->tasks, maker->error ) == false ||
		 supBones_InitCharacter( &maker->parts.bones, character, maker->error ) == false )
	{
		return false;
	}
	if ( maker->parts.bones.count == 0 )
	{
		return supSetError( maker->error, sup_errorArgument, "layered",
							"the character has no skeleton: bind it to one first (supple bind)" );
	}
	supBox bounds = supBox_empty;
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		bounds = supBox_Include( bounds, surface->positions[i] );
	}
	supVec3 size = supBox_Size( bounds );
	maker->flesh->size = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
	return maker->flesh->size > 0.0f ||
		   supSetError( maker->error, sup_errorArgument, "layered", "the character has no size" );
}

// Triangles of the skin first, and behind them those of rigid parts.
// A mesh that its author hung on a joint without a skin is soft only where it is painted.
static bool SortParts( Maker* maker )
{
	const supRestSurface* surface = &maker->parts.surface;
	size_t slots = SUP_MAX_INFLUENCES * (size_t)surface->vertexCount;
	maker->vertexBones = supArena_AllocArray( &maker->scratch, slots, sizeof( uint16_t ) );
	maker->vertexWeights = supArena_AllocArray( &maker->scratch, slots, sizeof( float ) );
	maker->indices = supArena_AllocArray( &maker->scratch, 3 * (size_t)surface->triangleCount, sizeof( uint32_t ) );
	bool* made = supArena_AllocArray( &maker->scratch, (size_t)surface->vertexCount, sizeof( bool ) );
	if ( maker->scratch.failed )
	{
		return supSetMemoryError( maker->error );
	}
	float most = maker->input->parameters[sup_layeredRigid] * maker->flesh->size;
	if ( supWeighVertices( maker->input->character, surface, &maker->parts.bones, maker->vertexBones,
						   maker->vertexWeights, made, maker->error ) == false )
	{
		return false;
	}
	bool asMade = most > 0.0f && maker->parts.softness.isAutomatic;
	supRigidPartsDef def = { .surface = surface,
							 .bones = maker->vertexBones,
							 .weights = maker->vertexWeights,
							 .made = asMade ? made : NULL,
							 .most = most,
							 .isStrict = true };
	return supSortRigidParts( &def, &maker->scratch, maker->indices, &maker->softCount ) ||
		   supSetMemoryError( maker->error );
}

// Points are numbered as the triangles need them: the first of a rigid part is the end of the skin's.
static void CountNodes( Maker* maker )
{
	const supSkinLayer* layer = &maker->flesh->layer;
	maker->nodeCount = layer->outerCount;
	for ( int64_t i = 3 * (int64_t)maker->softCount; i < 3 * (int64_t)maker->parts.surface.triangleCount; ++i )
	{
		int32_t point = layer->vertexPoints[maker->indices[i]];
		maker->nodeCount = point >= 0 && point < maker->nodeCount ? point : maker->nodeCount;
	}
}

static bool GrowSkin( Maker* maker )
{
	const supRestSurface* surface = &maker->parts.surface;
	float thickness = maker->input->parameters[sup_layeredThickness];
	supSkinLayerDef def = supDefaultSkinLayerDef();
	def.vertexCount = surface->vertexCount;
	def.positions = surface->positions;
	def.triangleCount = surface->triangleCount;
	def.indices = maker->indices;
	def.thickness = thickness > 0.0f ? thickness : STANDARD_THICKNESS * maker->flesh->size;
	def.tasks = maker->input->tasks;
	if ( supSkinLayer_Init( &maker->flesh->layer, &def, maker->error ) == false )
	{
		return false;
	}
	CountNodes( maker );
	return true;
}

// An outer point is moved as the vertex that it is, whatever other mesh touches it there. Points that several sheets
// have in one place may have no vertex: for them the nearest skin has to do. Rigid parts have one bone.
static bool WeighOuterPoints( Maker* maker )
{
	const supSkinLayer* layer = &maker->flesh->layer;
	const supRestSurface* surface = &maker->parts.surface;
	if ( supWeighPoints( maker->input->character, surface, &maker->parts.bones, layer->tets.points, layer->outerCount,
						 maker->pointBones, maker->pointWeights, maker->input->tasks, maker->error ) == false )
	{
		return false;
	}
	for ( int32_t i = surface->vertexCount - 1; i >= 0; --i )
	{
		if ( layer->vertexPoints[i] >= 0 )
		{
			size_t from = SUP_MAX_INFLUENCES * (size_t)i, to = SUP_MAX_INFLUENCES * (size_t)layer->vertexPoints[i];
			memcpy( maker->pointBones + to, maker->vertexBones + from, SUP_MAX_INFLUENCES * sizeof( uint16_t ) );
			memcpy( maker->pointWeights + to, maker->vertexWeights + from, SUP_MAX_INFLUENCES * sizeof( float ) );
		}
	}
	for ( int64_t i = maker->nodeCount; i < layer->outerCount; ++i )
	{
		float* weights = maker->pointWeights + SUP_MAX_INFLUENCES * i;
		memset( weights, 0, SUP_MAX_INFLUENCES * sizeof( float ) );
		weights[0] = 1.0f;
	}
	return true;
}

static bool WeighPoints( Maker* maker )
{
	const supTets* tets = &maker->flesh->layer.tets;
	size_t slots = SUP_MAX_INFLUENCES * (size_t)tets->pointCount;
	maker->pointBones = supArena_AllocArray( &maker->scratch, slots, sizeof( uint16_t ) );
	maker->pointWeights = supArena_AllocArray( &maker->scratch, slots, sizeof( float ) );
	if ( maker->scratch.failed )
	{
		return supSetMemoryError( maker->error );
	}
	if ( WeighOuterPoints( maker ) == false )
	{
		return false;
	}
	// an inner point is moved as the outer one above it: the layer stays as thick as it was
	int32_t outer = maker->flesh->layer.outerCount;
	for ( int64_t k = 0; k < (int64_t)SUP_MAX_INFLUENCES * ( tets->pointCount - outer ); ++k )
	{
		maker->pointBones[k + (int64_t)SUP_MAX_INFLUENCES * outer] = maker->pointBones[k];
		maker->pointWeights[k + (int64_t)SUP_MAX_INFLUENCES * outer] = maker->pointWeights[k];
	}
	return true;
}

static supSkinSettings SkinSettings( const float* parameters )
{
	return ( supSkinSettings ){ .density = parameters[sup_layeredDensity],
								.stiffness = parameters[sup_layeredStiffness],
								.poisson = parameters[sup_layeredPoisson],
								.damping = parameters[sup_layeredDamping],
								.drag = parameters[sup_layeredDrag] };
}

// Of each node, what tets around it have to be multiplied with so that it swings by itself at the frequency that its
// softness asks for, while its neighbours go along: the skin is thin in some places and thick in others.
static bool StiffenByFrequency( Maker* maker, const float* softness, const int32_t* regions, float* factors )
{
	const supFleshDef* def = maker->input->def;
	const float* parameters = maker->input->parameters;
	int32_t outer = maker->flesh->layer.outerCount;
	double* squares = supArena_AllocArray( &maker->scratch, 2 * (size_t)outer, sizeof( double ) );
	if ( squares == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	supSkinSettings settings = SkinSettings( parameters );
	supSkinBody_MeasureNodes( &maker->flesh->layer, &settings, squares, squares + outer );
	for ( int32_t i = 0; i < outer; ++i )
	{
		float own = def->softRegionCount > 0 ? def->softRegions[regions[i]].frequency : 0.0f;
		float frequency = own > 0.0f ? own : parameters[sup_layeredFrequency];
		frequency = supSoftFrequency( frequency, softness[i], parameters[sup_layeredSoftness] );
		frequency = supMinFloat( NODE_TO_PATCH * frequency, MAX_SKIN_FREQUENCY );
		double omega = 2.0 * (double)SUP_PI * (double)frequency;
		factors[i] = squares[i] > 0.0 ? (float)( omega * omega / squares[i] ) : 1.0f;
	}
	return true;
}

static bool FindStiffness( Maker* maker )
{
	const supTets* tets = &maker->flesh->layer.tets;
	int32_t outer = maker->flesh->layer.outerCount;
	bool byFrequency = maker->input->parameters[sup_layeredFrequency] > 0.0f;
	float* softness = supArena_AllocArray( &maker->scratch, (size_t)outer, sizeof( float ) );
	float* factors = supArena_AllocArray( &maker->scratch, (size_t)outer, sizeof( float ) );
	int32_t* regions = supArena_AllocArray( &maker->scratch, (size_t)outer, sizeof( int32_t ) );
	float* stiffness = supArena_AllocArray( &maker->flesh->arena, (size_t)tets->tetCount, sizeof( float ) );
	maker->tetStiffness = stiffness;
	maker->flesh->tetStiffness = stiffness;
	if ( maker->scratch.failed || maker->flesh->arena.failed )
	{
		return supSetMemoryError( maker->error );
	}
	supSoftness_SampleMany( &maker->parts.softness, tets->points, outer, softness, regions, maker->input->tasks );
	if ( byFrequency && StiffenByFrequency( maker, softness, regions, factors ) == false )
	{
		return false;
	}
	for ( int32_t t = 0; t < tets->tetCount; ++t )
	{
		// between the mean stiffness, by which one firm node holds all of its neighbours, and the mean compliance, by
		// which one soft node frees them
		float compliance = 0.0f, firm = 0.0f, soft = 0.0f;
		for ( int k = 0; k < 4; ++k )
		{
			int32_t node = tets->indices[4 * (int64_t)t + k] % outer;
			firm += byFrequency ? 0.25f * factors[node] : 0.0f;
			compliance += byFrequency ? 0.25f / factors[node] : 0.0f;
			soft += 0.25f * softness[node];
		}
		stiffness[t] = byFrequency ? sqrtf( firm / compliance )
								   : supMinFloat( 1.0f / supMaxFloat( soft * soft, 1e-6f ), MOST_STIFFNESS );
	}
	return true;
}

static bool MakeSkin( Maker* maker )
{
	supSkinSettings settings = SkinSettings( maker->input->parameters );
	return supSkinBody_Init( &maker->flesh->skin, &maker->flesh->layer, maker->nodeCount, &settings,
							 maker->flesh->tetStiffness, maker->input->tasks, maker->error );
}

// The modulus is that of a body of a metre or two, and files are in any unit: skin of 100 m would be jelly.
static bool StiffenSkin( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	double square, omega = 2.0 * (double)SUP_PI * (double)maker->input->parameters[sup_layeredSlowest];
	if ( maker->input->parameters[sup_layeredFrequency] > 0.0f )
	{
		return true;
	}
	if ( supSkinBody_FindSlowest( &flesh->skin, &square, maker->error ) == false )
	{
		return false;
	}
	if ( square <= 0.0 || square >= omega * omega )
	{
		return true;
	}
	for ( int32_t t = 0; t < flesh->layer.tets.tetCount; ++t )
	{
		maker->tetStiffness[t] *= (float)( omega * omega / square );
	}
	supSkinBody_Destroy( &flesh->skin );
	return MakeSkin( maker );
}

// ---------------------------------------------------------------------------------------------------------------------
// Links

static bool MakeLinks( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	supLinksDef def = { .character = maker->input->character,
						.surface = &maker->parts.surface,
						.bones = &maker->parts.bones,
						.density = maker->input->parameters[sup_layeredDensity],
						// rigid parts too: they have no mass here, but their bones are to have links
						.skinCount = flesh->layer.outerCount,
						.skinPoints = flesh->skin.points,
						.skinMasses = flesh->skin.masses,
						.skinBones = maker->pointBones,
						.skinWeights = maker->pointWeights,
						.onlyBalls = maker->input->parameters[sup_layeredJoints] != 0.0f,
						.jointCount = maker->input->def->jointCount,
						.joints = maker->input->def->joints,
						.tasks = maker->input->tasks };
	return supLinks_Init( &flesh->links, &def, maker->error );
}

// Bones become links; a link that a point has twice gets both weights.
static bool SharePoints( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	int32_t count = flesh->layer.tets.pointCount;
	size_t slots = SUP_MAX_INFLUENCES * (size_t)count;
	uint16_t* links = supArena_AllocArray( &flesh->arena, slots, sizeof( uint16_t ) );
	float* weights = supArena_AllocArray( &flesh->arena, slots, sizeof( float ) );
	if ( flesh->arena.failed )
	{
		return supSetMemoryError( maker->error );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		int64_t at = (int64_t)SUP_MAX_INFLUENCES * i;
		int32_t used = 0;
		for ( int32_t k = 0; k < SUP_MAX_INFLUENCES; ++k )
		{
			uint16_t link = (uint16_t)flesh->links.linkOfBone[maker->pointBones[at + k]];
			float weight = maker->pointWeights[at + k];
			int32_t slot = 0;
			while ( slot < used && links[at + slot] != link )
			{
				slot += 1;
			}
			if ( weight > 0.0f && slot == used )
			{
				links[at + used] = link;
				weights[at + used++] = 0.0f;
			}
			if ( weight > 0.0f )
			{
				weights[at + slot] += weight;
			}
		}
		for ( ; used < SUP_MAX_INFLUENCES; ++used )
		{
			links[at + used] = 0;
			weights[at + used] = 0.0f;
		}
	}
	flesh->pointLinks = links;
	flesh->pointWeights = weights;
	return true;
}

static bool KeepRest( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	supMat34* inverses = supArena_AllocArray( &flesh->arena, (size_t)flesh->links.count, sizeof( supMat34 ) );
	supPose* rest = supCreatePose( maker->input->character );
	bool ok = inverses != NULL && rest != NULL;
	for ( int32_t i = 0; ok && i < flesh->links.count; ++i )
	{
		// a bone scaled to nothing at rest cannot say where its flesh is: it stays where it is
		inverses[i] = supMat34_identity;
		supInvertMat34( supPose_Worlds( rest )[flesh->links.links[i].node], inverses + i );
	}
	supDestroyPose( rest );
	flesh->restInverses = inverses;
	return ok || supSetMemoryError( maker->error );
}

// Vertices are outer points.
static bool BindSurface( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	bool ok = supSurfaceBinding_InitTets( &flesh->binding, maker->input->character, &flesh->layer.tets,
										  maker->input->tasks, maker->error );
	if ( ok )
	{
		supSurfaceBinding_TakeOwn( &flesh->binding, flesh->layer.vertexPoints );
	}
	return ok;
}

void* supLayered_CreateFlesh( const supFleshInput* input, supError* error )
{
	supLayeredFlesh* flesh = supAllocZeroed( sizeof( supLayeredFlesh ) );
	if ( flesh == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	Maker maker = { .input = input, .flesh = flesh, .error = error };
	flesh->between = (int32_t)input->parameters[sup_layeredBetween];
	bool ok = FindSurface( &maker ) && supBodyParts_FindSoftness( &maker.parts, input, error ) && SortParts( &maker ) &&
			  GrowSkin( &maker ) && WeighPoints( &maker ) && FindStiffness( &maker ) && MakeSkin( &maker ) &&
			  StiffenSkin( &maker ) && MakeLinks( &maker ) && SharePoints( &maker ) && KeepRest( &maker ) &&
			  supLayeredFlesh_Finish( flesh, error ) && BindSurface( &maker ) &&
			  supLayeredFlesh_FinishBinding( flesh, error );
	supBodyParts_Destroy( &maker.parts );
	supArena_Destroy( &maker.scratch );
	if ( ok == false )
	{
		supLayered_DestroyFlesh( flesh );
		flesh = NULL;
	}
	return flesh;
}

void supLayered_DestroyFlesh( void* fleshPointer )
{
	supLayeredFlesh* flesh = fleshPointer;
	if ( flesh != NULL )
	{
		supSurfaceBinding_Destroy( &flesh->binding );
		supSymbolic_Destroy( &flesh->symbolic );
		supBlockMatrix_Destroy( &flesh->bones );
		supSkinBody_Destroy( &flesh->skin );
		supLinks_Destroy( &flesh->links );
		supSkinLayer_Destroy( &flesh->layer );
		supArena_Destroy( &flesh->arena );
		supFree( flesh );
	}
}
