// SPDX-License-Identifier: MIT
#include "scene/heat.h"

#include "scene/actor.h"

#include "core/core.h"
#include "method/method.h"

#include <math.h>
#include <string.h>

const char* const supHeatNames[sup_heatCount] = { "displacement", "stretch",   "volume",
												  "softness",     "functions", "pressure" };

// What the maps are filled from.
typedef struct HeatPlace
{
	const supCharacter* character;
	const supMesh* mesh;
	supActor* actor;
	int32_t instance;
	const supTasks* tasks;
	float* values;
} HeatPlace;

static bool FillDisplacement( const HeatPlace* place )
{
	int32_t count = place->mesh->vertexCount;
	supVec3* linear = supAllocArray( (size_t)count, sizeof( supVec3 ) );
	if ( linear == NULL )
	{
		return false;
	}
	supSkinInstance( supActor_Pose( place->actor ), place->instance, sup_skinningLinear, place->tasks,
					 &( supSkinOutput ){ .positions = linear } );
	const supVec3* now = supActor_Positions( place->actor, place->instance );
	float* heat = place->values;
	for ( int32_t i = 0; i < count; ++i )
	{
		heat[i] = supDistance( linear[i], now[i] );
	}
	supFree( linear );
	return true;
}

// Against the mesh as it was authored, scaled to the size it has in the scene.
static void FillStretch( const HeatPlace* place )
{
	const supMesh* mesh = place->mesh;
	const supVec3* now = supActor_Positions( place->actor, place->instance );
	float* heat = place->values;
	double restSum = 0.0, nowSum = 0.0;
	for ( int32_t pass = 0; pass < 2; ++pass )
	{
		float scale = restSum > 0.0 ? (float)( nowSum / restSum ) : 1.0f;
		for ( int32_t i = 0; i < mesh->vertexCount && pass == 1; ++i )
		{
			heat[i] = 0.0f;
		}
		for ( int32_t k = 0; k < mesh->indexCount; ++k )
		{
			uint32_t a = mesh->indices[k], b = mesh->indices[k % 3 == 2 ? k - 2 : k + 1];
			float rest = supDistance( mesh->positions[a], mesh->positions[b] );
			float length = supDistance( now[a], now[b] );
			if ( pass == 0 )
			{
				restSum += (double)rest;
				nowSum += (double)length;
			}
			else if ( rest > 0.0f )
			{
				float change = fabsf( length / ( scale * rest ) - 1.0f );
				heat[a] = supMaxFloat( heat[a], change );
				heat[b] = supMaxFloat( heat[b], change );
			}
		}
	}
}

// The inner ends of the vertices: the mean of the joints that move each, as they are in the pose.
static void FindAnchors( supPose* pose, const supMesh* mesh, const supInstance* instance, supVec3* anchors )
{
	const supMat34* worlds = supPose_Worlds( pose );
	const supCharacter* character = supPose_Character( pose );
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		anchors[i] = worlds[instance->node].t;
		if ( instance->skin >= 0 && mesh->influences > 0 )
		{
			const int32_t* joints = supCharacter_Skin( character, instance->skin )->joints;
			anchors[i] = supVec3_zero;
			for ( int32_t k = i * mesh->influences; k < ( i + 1 ) * mesh->influences; ++k )
			{
				anchors[i] = supMulAdd( anchors[i], mesh->weights[k], worlds[joints[mesh->joints[k]]].t );
			}
		}
	}
}

// Six times the volume between a triangle and the mean of its anchors.
static float CellVolume( const supVec3* positions, const supVec3* anchors, const uint32_t* corners )
{
	supVec3 anchor =
		supScale( 1.0f / 3.0f, supAdd( supAdd( anchors[corners[0]], anchors[corners[1]] ), anchors[corners[2]] ) );
	supVec3 a = supSub( positions[corners[0]], anchor );
	supVec3 b = supSub( positions[corners[1]], anchor );
	supVec3 c = supSub( positions[corners[2]], anchor );
	return supDot( a, supCross( b, c ) );
}

// How the cells between skin and bones have changed since the rest pose, as a part.
static bool FillVolume( const HeatPlace* place )
{
	const supInstance* instance = supCharacter_Instance( place->character, place->instance );
	const supMesh* mesh = place->mesh;
	size_t count = (size_t)mesh->vertexCount;
	supPose* rest = supCreatePose( place->character );
	supVec3* vectors = supAllocArray( 3 * count, sizeof( supVec3 ) );
	float* sums = supAllocZeroed( 2 * count * sizeof( float ) );
	bool ok = rest != NULL && vectors != NULL && sums != NULL;
	if ( ok )
	{
		supVec3 *restPositions = vectors, *restAnchors = vectors + count, *anchors = vectors + 2 * count;
		supSkinInstance( rest, place->instance, sup_skinningLinear, place->tasks,
						 &( supSkinOutput ){ .positions = restPositions } );
		FindAnchors( rest, mesh, instance, restAnchors );
		FindAnchors( supActor_Pose( place->actor ), mesh, instance, anchors );
		const supVec3* now = supActor_Positions( place->actor, place->instance );
		for ( int32_t k = 0; k + 2 < mesh->indexCount; k += 3 )
		{
			const uint32_t* corners = mesh->indices + k;
			float before = CellVolume( restPositions, restAnchors, corners );
			float after = CellVolume( now, anchors, corners );
			for ( int c = 0; c < 3; ++c )
			{
				sums[corners[c]] += before;
				sums[count + corners[c]] += after;
			}
		}
		float* heat = place->values;
		for ( size_t i = 0; i < count; ++i )
		{
			heat[i] = sums[i] > 0.0f ? sums[count + i] / sums[i] - 1.0f : 0.0f;
		}
	}
	supDestroyPose( rest );
	supFree( vectors );
	supFree( sums );
	return ok;
}

// What the flesh uses at the skin: painted, from soft regions, or guessed.
static bool FillSoftness( const HeatPlace* place )
{
	const supFlesh* flesh = supActor_Flesh( place->actor );
	size_t instanceCount = (size_t)supCharacter_InstanceCount( place->character );
	float** values = supAllocZeroed( instanceCount * sizeof( float* ) );
	if ( values == NULL )
	{
		return false;
	}
	values[place->instance] = place->values;
	supError error = { 0 };
	bool ok = supComputeSoftness( place->character, flesh->softRegions, flesh->softRegionCount, place->tasks, values,
								  &error );
	supFree( values );
	if ( ok == false )
	{
		memset( place->values, 0, (size_t)place->mesh->vertexCount * sizeof( float ) );
	}
	// a character without triangles has no softness to show
	return ok || error.code != sup_errorMemory;
}

static void FillFunctions( const HeatPlace* place )
{
	const supFlesh* flesh = supActor_Flesh( place->actor );
	memset( place->values, 0, (size_t)place->mesh->vertexCount * sizeof( float ) );
	if ( flesh->method->fillLevels != NULL )
	{
		flesh->method->fillLevels( flesh->own, place->actor->state, place->instance, place->values );
	}
}

bool supActor_FillHeat( supActor* actor, supHeat heat, int32_t instance, const supTasks* tasks, float* values )
{
	const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
	HeatPlace place = { character, mesh, actor, instance, tasks, values };
	switch ( heat )
	{
		case sup_heatDisplacement:
			return FillDisplacement( &place );
		case sup_heatStretch:
			FillStretch( &place );
			return true;
		case sup_heatVolume:
			return FillVolume( &place );
		case sup_heatFunctions:
			FillFunctions( &place );
			return true;
		case sup_heatPressure:
			return supActor_GetPressures( actor, instance, values );
		default:
			return FillSoftness( &place );
	}
}
