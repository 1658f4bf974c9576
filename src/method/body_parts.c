// SPDX-License-Identifier: MIT
#include "method/body_parts.h"

#include "volume/tets/tet_topology.h"
#include "volume/weights/bridge_count.h"
#include "volume/weights/point_weights.h"

supTetsDef supBodyParts_TetsDef( const supBodyParts* parts, const supFleshInput* input )
{
	supTetsDef def = supDefaultTetsDef();
	def.vertexCount = parts->surface.vertexCount;
	def.positions = parts->surface.positions;
	def.triangleCount = parts->surface.triangleCount;
	def.indices = parts->surface.indices;
	def.cover = SUP_SKIN_COVER;
	def.tasks = input->tasks;
	return def;
}

bool supBodyParts_Mesh( supBodyParts* parts, const supFleshInput* input, int32_t tetCount, supError* error )
{
	if ( supRestSurface_Init( &parts->surface, input->character, input->tasks, error ) == false )
	{
		return false;
	}
	if ( input->def->tets != NULL )
	{
		return supTets_InitMesh( &parts->tets, input->def->tets, error );
	}
	supTetsDef def = supBodyParts_TetsDef( parts, input );
	def.tetCount = tetCount;
	return supBuildTets( &parts->tets, &def, error );
}

bool supBodyParts_FindSkin( supBodyParts* parts, const supFleshInput* input, supArena* arena, bool* rigid,
							supBodySkin* skin, supError* error )
{
	if ( supBones_InitCharacter( &parts->bones, input->character, error ) == false )
	{
		return false;
	}
	size_t slots = SUP_MAX_INFLUENCES * (size_t)parts->tets.pointCount;
	size_t count = (size_t)parts->bones.count;
	uint16_t* joints = supArena_AllocArray( arena, slots, sizeof( uint16_t ) );
	float* weights = supArena_AllocArray( arena, slots, sizeof( float ) );
	supMat34* inverses = supArena_AllocArray( arena, count, sizeof( supMat34 ) );
	*skin = ( supBodySkin ){ .boneCount = parts->bones.count,
							 .boneNodes = supArena_CopyArray( arena, parts->bones.nodes, count, sizeof( int32_t ) ),
							 .boneInverses = inverses,
							 .joints = joints,
							 .weights = weights };
	supPose* rest = supCreatePose( input->character );
	bool ok = arena->failed == false && rest != NULL;
	for ( int32_t i = 0; ok && i < parts->bones.count; ++i )
	{
		// a bone scaled to nothing at rest cannot say where its flesh is: it stays where it is
		inverses[i] = supMat34_identity;
		supInvertMat34( supPose_Worlds( rest )[skin->boneNodes[i]], inverses + i );
	}
	supDestroyPose( rest );
	return ok ? supWeighFlesh( input->character, &parts->surface, &parts->bones, parts->tets.points,
							   parts->tets.pointCount, joints, weights, rigid, input->tasks, error )
			  : supSetMemoryError( error );
}

float supBodyParts_TetBond( const supBodyParts* parts, const supBodySkin* skin, int32_t tet )
{
	const int32_t* corners = parts->tets.indices + 4 * (int64_t)tet;
	float weakest = parts->bridges[tet] != 0 ? 0.0f : 1.0f;
	for ( int32_t k = 0; k < 6; ++k )
	{
		size_t a = SUP_MAX_INFLUENCES * (size_t)corners[supTetEdges[k][0]];
		size_t b = SUP_MAX_INFLUENCES * (size_t)corners[supTetEdges[k][1]];
		float bond = supWeightBond( skin->joints + a, skin->weights + a, skin->joints + b, skin->weights + b,
									SUP_MAX_INFLUENCES );
		weakest = supMinFloat( weakest, supBondShare( bond ) );
	}
	return weakest;
}

typedef struct Vertices
{
	const supBodySkin* skin;
	const uint16_t* joints;
	const float* weights;
} Vertices;

static float ShareOf( int32_t vertex, int32_t point, const void* context )
{
	const Vertices* v = context;
	size_t a = SUP_MAX_INFLUENCES * (size_t)vertex, b = SUP_MAX_INFLUENCES * (size_t)point;
	return supBondShare(
		supWeightBond( v->joints + a, v->weights + a, v->skin->joints + b, v->skin->weights + b, SUP_MAX_INFLUENCES ) );
}

bool supBodyParts_KeepOwnPoints( const supBodyParts* parts, const supBodySkin* skin, const supFleshInput* input,
								 supSurfaceBinding* binding, supError* error )
{
	size_t slots = SUP_MAX_INFLUENCES * (size_t)parts->surface.vertexCount;
	supArena scratch = { 0 };
	uint16_t* joints = supArena_AllocArray( &scratch, slots, sizeof( uint16_t ) );
	float* weights = supArena_AllocArray( &scratch, slots, sizeof( float ) );
	Vertices vertices = { skin, joints, weights };
	bool ok = scratch.failed
				  ? supSetMemoryError( error )
				  : supWeighVertices( input->character, &parts->surface, &parts->bones, joints, weights, NULL, error );
	if ( ok )
	{
		supSurfaceBinding_KeepOwn( binding, ShareOf, &vertices );
	}
	supArena_Destroy( &scratch );
	return ok;
}

bool supBodyParts_FindSoftness( supBodyParts* parts, const supFleshInput* input, supError* error )
{
	supSoftnessDef def = { .character = input->character,
						   .surface = &parts->surface,
						   .bones = &parts->bones,
						   .regions = input->def->softRegions,
						   .regionCount = input->def->softRegionCount,
						   .resolution = SUP_SOFTNESS_RESOLUTION,
						   .tasks = input->tasks };
	return supSoftness_Init( &parts->softness, &def, error );
}

bool supBodyParts_FindBridges( supBodyParts* parts, const supFleshInput* input, supError* error )
{
	parts->bridges = supAllocArray( (size_t)parts->tets.tetCount, 1 );
	return parts->bridges != NULL ? supMarkTetBridges( input->character, &parts->surface, &parts->bones, &parts->tets,
													   input->tasks, parts->bridges, error )
								  : supSetMemoryError( error );
}

void supBodyParts_Destroy( supBodyParts* parts )
{
	supRestSurface_Destroy( &parts->surface );
	supBones_Destroy( &parts->bones );
	supTets_Destroy( &parts->tets );
	supSoftness_Destroy( &parts->softness );
	supFree( parts->bridges );
}
