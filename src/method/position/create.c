// SPDX-License-Identifier: MIT
// Flesh from a character: tetrahedra from its skin, weights from its vertices, softness from its regions.
#include "method/body_parts.h"
#include "method/position/position.h"
#include "volume/body/tissue.h"
#include "volume/weights/point_weights.h"

#include <math.h>

typedef struct Maker
{
	supArena scratch;
	const supFleshInput* input;
	supError* error;
	supBodyParts parts;
	float tetSize; // metres, an edge
	// of each point
	uint16_t* joints;
	float* weights;
	bool* rigid;
	float* softnesses;
	int32_t* regions;
	supTissue* tissues; // of each tet
	supRegionTuning* tunings;
} Maker;

// ---------------------------------------------------------------------------------------------------------------------
// Weights: those of the skin at the nearest place, which are what the artist painted

static bool WeighPoints( Maker* maker )
{
	const supCharacter* character = maker->input->character;
	if ( supBones_InitCharacter( &maker->parts.bones, character, maker->error ) == false )
	{
		return false;
	}
	size_t count = (size_t)maker->parts.tets.pointCount;
	maker->joints = supArena_AllocArray( &maker->scratch, SUP_MAX_INFLUENCES * count, sizeof( uint16_t ) );
	maker->weights = supArena_AllocArray( &maker->scratch, SUP_MAX_INFLUENCES * count, sizeof( float ) );
	maker->rigid = supArena_AllocArray( &maker->scratch, count, sizeof( bool ) );
	if ( maker->scratch.failed )
	{
		return supSetMemoryError( maker->error );
	}
	return supWeighFlesh( character, &maker->parts.surface, &maker->parts.bones, maker->parts.tets.points,
						  maker->parts.tets.pointCount, maker->joints, maker->weights, maker->rigid,
						  maker->input->tasks, maker->error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Softness and tissue

static bool FindSoftness( Maker* maker )
{
	size_t count = (size_t)maker->parts.tets.pointCount;
	maker->softnesses = supArena_AllocArray( &maker->scratch, count, sizeof( float ) );
	maker->regions = supArena_AllocArray( &maker->scratch, count, sizeof( int32_t ) );
	if ( maker->scratch.failed )
	{
		return supSetMemoryError( maker->error );
	}
	if ( supBodyParts_FindSoftness( &maker->parts, maker->input, maker->error ) == false )
	{
		return false;
	}
	supSoftness_SampleMany( &maker->parts.softness, maker->parts.tets.points, maker->parts.tets.pointCount,
							maker->softnesses, maker->regions, maker->input->tasks );
	// armour, machines, eyes: a mesh that its author hung on a joint without a skin is soft only where it is painted
	for ( size_t i = 0; maker->parts.softness.isAutomatic && i < count; ++i )
	{
		maker->softnesses[i] = maker->rigid[i] ? 0.0f : maker->softnesses[i];
	}
	return true;
}

static bool TakeTunings( Maker* maker )
{
	const supFleshDef* def = maker->input->def;
	size_t count = def->softRegionCount > 0 ? (size_t)def->softRegionCount : 1;
	maker->tunings = supArena_AllocArray( &maker->scratch, count, sizeof( supRegionTuning ) );
	if ( maker->tunings == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	maker->tunings[0] = ( supRegionTuning ){ 0 };
	for ( int32_t i = 0; i < def->softRegionCount; ++i )
	{
		maker->tunings[i] = ( supRegionTuning ){ def->softRegions[i].frequency, def->softRegions[i].damping };
	}
	return true;
}

static bool FindTissues( Maker* maker )
{
	const supFleshDef* def = maker->input->def;
	supLayerSettings settings = { 0 };
	if ( supLayerSettings_Init( &settings, def, maker->input->character, &maker->parts.bones,
								maker->parts.softness.voxels.size, maker->error ) == false )
	{
		return false;
	}
	if ( def->layerCount > 0 && (int32_t)maker->input->parameters[sup_positionMode] != sup_positionCompliant )
	{
		supLog( sup_logWarning,
				"the method position uses only the masses of layers in mode=plain; mode=compliant also uses "
				"their stiffness" );
	}
	maker->tissues = supArena_AllocArray( &maker->scratch, (size_t)maker->parts.tets.tetCount, sizeof( supTissue ) );
	for ( int32_t i = 0; maker->tissues != NULL && i < maker->parts.tets.tetCount; ++i )
	{
		supVec3 middle = supVec3_zero;
		for ( size_t k = 0; k < 4; ++k )
		{
			middle = supMulAdd( middle, 0.25f, maker->parts.tets.points[maker->parts.tets.indices[4 * (size_t)i + k]] );
		}
		supSoftPoint place = supSoftness_Sample( &maker->parts.softness, middle );
		// skin is one tet thick
		int32_t layer = supPickLayer( settings.layers, settings.layerCount, def->boneWidth, 0.5f * maker->tetSize,
									  place.boneDistance, place.thickness );
		maker->tissues[i] = settings.layers[layer].tissue;
	}
	supLayerSettings_Destroy( &settings );
	return maker->tissues != NULL || supSetMemoryError( maker->error );
}

// ---------------------------------------------------------------------------------------------------------------------

// The mesher may know no size that gives a number (a small box has few sizes to choose from): near ones will do.
static bool BuildTets( Maker* maker, supTetsDef* def )
{
	static const float factors[] = { 1.0f, 1.15f, 0.87f, 1.35f, 0.75f, 1.6f, 0.6f, 2.0f };
	float wanted = maker->input->parameters[sup_positionTets];
	supError first = { 0 };
	for ( int32_t i = 0; i < SUP_COUNT( factors ); ++i )
	{
		supError error = { 0 };
		float count = supClampFloat( wanted * factors[i], (float)SUP_LEAST_TETS, (float)SUP_MOST_TETS );
		def->tetCount = (int32_t)count;
		if ( supBuildTets( &maker->parts.tets, def, &error ) )
		{
			return true;
		}
		first = i == 0 || error.code == sup_errorMemory ? error : first;
		if ( error.code == sup_errorMemory )
		{
			break;
		}
	}
	return supSetError( maker->error, first.code, first.where, "%s", first.message );
}

static bool MeshBody( Maker* maker )
{
	if ( supRestSurface_Init( &maker->parts.surface, maker->input->character, maker->input->tasks, maker->error ) ==
		 false )
	{
		return false;
	}
	if ( maker->input->def->tets != NULL )
	{
		maker->tetSize = 0.0f;
		return supTets_InitMesh( &maker->parts.tets, maker->input->def->tets, maker->error );
	}
	supTetsReport report = { 0 };
	supTetsDef def = supBodyParts_TetsDef( &maker->parts, maker->input );
	def.report = &report;
	if ( BuildTets( maker, &def ) == false )
	{
		return false;
	}
	maker->tetSize = report.size;
	return true;
}

// The inverse bind matrix of a joint, where its skin was bound in the rest pose: then particles are moved by the very
// same numbers as vertices, and what is undecided (a twist by half a turn) is decided alike.
static const supMat34* FindBind( const supCharacter* character, int32_t node, const supMat34* world )
{
	for ( int32_t i = 0; i < supCharacter_SkinCount( character ); ++i )
	{
		const supSkin* skin = supCharacter_Skin( character, i );
		for ( int32_t k = 0; k < skin->jointCount; ++k )
		{
			supMat34 m = supMulMat34( *world, skin->inverseBinds[k] );
			float away = supDistance( m.cx, supMat34_identity.cx ) + supDistance( m.cy, supMat34_identity.cy ) +
						 supDistance( m.cz, supMat34_identity.cz );
			float scale = supLength( skin->inverseBinds[k].t ) + 1e-6f;
			if ( skin->joints[k] == node && away < 1e-4f && supLength( m.t ) < 1e-4f * scale )
			{
				return skin->inverseBinds + k;
			}
		}
	}
	return NULL;
}

static bool SetBones( supPositionFlesh* flesh, const supCharacter* character, supError* error )
{
	supPose* rest = supCreatePose( character );
	if ( rest == NULL )
	{
		return supSetMemoryError( error );
	}
	const supMat34* worlds = supPose_Worlds( rest );
	flesh->nodeCount = supCharacter_NodeCount( character );
	for ( int32_t i = 0; i < flesh->boneCount; ++i )
	{
		const supMat34* world = worlds + flesh->boneNodes[i];
		const supMat34* bind = FindBind( character, flesh->boneNodes[i], world );
		// a bone scaled to nothing at rest cannot say where its flesh is: it stays where it is
		flesh->boneInverses[i] = supMat34_identity;
		if ( bind != NULL )
		{
			flesh->boneInverses[i] = *bind;
		}
		else
		{
			supInvertMat34( *world, flesh->boneInverses + i );
		}
	}
	supDestroyPose( rest );
	return true;
}

// How much of a growth of the tets the render mesh takes part in: its vertices lie between inner particles, too.
static double MeasureResponse( const supPositionFlesh* flesh, const supPositionView* view, supPose* pose,
							   double volume )
{
	const double growth = 0.01;
	for ( int32_t i = 0; i < flesh->particleCount; ++i )
	{
		memcpy( view->positions + 4 * (size_t)i, &flesh->rest[i], sizeof( supVec3 ) );
	}
	supPosition_Inflate( flesh, view->positions, view->gradients, growth );
	for ( int32_t i = 0; i < flesh->particleCount; ++i )
	{
		const float* p = view->positions + 4 * (size_t)i;
		view->frames[i].shift = supSub( supMakeVec3( p[0], p[1], p[2] ), flesh->rest[i] );
	}
	double response = ( supPosition_SurfaceVolume( flesh, view, pose, NULL ) / volume - 1.0 ) / growth;
	return response > 0.3 ? ( response < 1.5 ? response : 1.5 ) : 0.3;
}

// The volume that the render mesh is to keep, where it is closed enough for the word: at rest it must agree with that
// of the tets.
static bool MeasureRest( supPositionFlesh* flesh, const supCharacter* character, supError* error )
{
	double tetVolume = 0.0;
	for ( int32_t i = 0; i < flesh->partCount; ++i )
	{
		tetVolume += flesh->partVolumes[i];
	}
	flesh->surfaceSize = supPosition_LargestMesh( character );
	supArena arena = { 0 };
	size_t count = (size_t)flesh->particleCount;
	supPose* pose = supCreatePose( character );
	supPositionView view = { .frames = supArena_AllocArray( &arena, count, sizeof( supBindFrame ) ),
							 .positions = supArena_AllocArray( &arena, count, 4 * sizeof( float ) ),
							 .gradients = supArena_AllocArray( &arena, count, sizeof( supVec3 ) ),
							 .surface = supArena_AllocArray( &arena, (size_t)flesh->surfaceSize, sizeof( supVec3 ) ) };
	bool ok = pose != NULL && arena.failed == false;
	if ( ok )
	{
		// nothing has moved
		memset( view.frames, 0, count * sizeof( supBindFrame ) );
		double volume = supPosition_SurfaceVolume( flesh, &view, pose, NULL );
		flesh->surfaceVolume = volume > 0.7 * tetVolume && volume < 1.5 * tetVolume ? volume : 0.0;
		flesh->surfaceResponse = volume > 0.0 ? (float)MeasureResponse( flesh, &view, pose, volume ) : 1.0f;
	}
	supArena_Destroy( &arena );
	supDestroyPose( pose );
	return ok || supSetMemoryError( error );
}

// ---------------------------------------------------------------------------------------------------------------------
// The render mesh: hung on tets, then taken off those of its corners that other bones move

typedef struct Vertices
{
	const supPositionFlesh* flesh;
	const uint16_t* joints;
	const float* weights;
} Vertices;

static float ShareOf( int32_t vertex, int32_t particle, const void* context )
{
	const Vertices* v = context;
	size_t a = (size_t)vertex * SUP_MAX_INFLUENCES, b = (size_t)particle * SUP_MAX_INFLUENCES;
	return supBondShare( supWeightBond( v->joints + a, v->weights + a, v->flesh->joints + b, v->flesh->weights + b,
										SUP_MAX_INFLUENCES ) );
}

static bool PartVertices( Maker* maker, supPositionFlesh* flesh )
{
	size_t slots = (size_t)maker->parts.surface.vertexCount * SUP_MAX_INFLUENCES;
	uint16_t* joints = supArena_AllocArray( &maker->scratch, slots, sizeof( uint16_t ) );
	float* weights = supArena_AllocArray( &maker->scratch, slots, sizeof( float ) );
	if ( maker->scratch.failed )
	{
		return supSetMemoryError( maker->error );
	}
	Vertices vertices = { flesh, joints, weights };
	bool ok = supWeighVertices( maker->input->character, &maker->parts.surface, &maker->parts.bones, joints, weights,
								NULL, maker->error );
	if ( ok )
	{
		supSurfaceBinding_KeepOwn( &flesh->binding, ShareOf, &vertices );
	}
	return ok;
}

static bool BindSurface( Maker* maker, supPositionFlesh* flesh )
{
	supTets tets = {
		.pointCount = flesh->particleCount, .points = flesh->rest, .tetCount = flesh->tetCount, .indices = flesh->tets
	};
	if ( supSurfaceBinding_InitTets( &flesh->binding, maker->input->character, &tets, maker->input->tasks,
									 maker->error ) == false ||
		 PartVertices( maker, flesh ) == false )
	{
		return false;
	}
	if ( supSurfaceBinding_KeepShells( &flesh->binding, maker->parts.softness.isRigid ) == false )
	{
		return supSetMemoryError( maker->error );
	}
	tets.tetCount = flesh->solidCount;
	return flesh->solidCount == flesh->tetCount ||
		   supSurfaceBinding_BuildGradients( &flesh->binding, &tets, maker->error );
}

static bool FillFlesh( Maker* maker, supPositionFlesh* flesh )
{
	const supFleshDef* def = maker->input->def;
	supPositionDef bodyDef = { .tets = &maker->parts.tets,
							   .bones = &maker->parts.bones,
							   .influences = SUP_MAX_INFLUENCES,
							   .joints = maker->joints,
							   .weights = maker->weights,
							   .softness = maker->softnesses,
							   .regions = maker->regions,
							   .regionCount = def->softRegionCount,
							   .tissues = maker->tissues,
							   .bridges = maker->parts.bridges,
							   .parameters = maker->input->parameters,
							   .tunings = maker->tunings };
	if ( supPositionFlesh_Init( flesh, &bodyDef, maker->error ) == false ||
		 SetBones( flesh, maker->input->character, maker->error ) == false )
	{
		return false;
	}
	return BindSurface( maker, flesh ) && MeasureRest( flesh, maker->input->character, maker->error );
}

void* supPosition_CreateFlesh( const supFleshInput* input, supError* error )
{
	supPositionFlesh* flesh = supAllocZeroed( sizeof( supPositionFlesh ) );
	if ( flesh == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	Maker maker = { .input = input, .error = error };
	bool ok = MeshBody( &maker ) && WeighPoints( &maker ) && FindSoftness( &maker ) && TakeTunings( &maker ) &&
			  FindTissues( &maker ) && supBodyParts_FindBridges( &maker.parts, input, error ) &&
			  FillFlesh( &maker, flesh );
	supBodyParts_Destroy( &maker.parts );
	supArena_Destroy( &maker.scratch );
	if ( ok == false )
	{
		supPosition_DestroyFlesh( flesh );
		flesh = NULL;
	}
	return flesh;
}

void supPosition_DestroyFlesh( void* fleshPointer )
{
	supPositionFlesh* flesh = fleshPointer;
	if ( flesh != NULL )
	{
		supPositionFlesh_Destroy( flesh );
		supFree( flesh );
	}
}
