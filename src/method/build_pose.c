// SPDX-License-Identifier: MIT
#include "method/build_pose.h"

#include "character/pose.h"
#include "character/retarget.h"
#include "volume/body/rest_surface.h"
#include "volume/softness/bone_space.h"
#include "volume/weights/bridge_count.h"

// Voxels along the longest axis while poses are compared: about as fine as flesh is.
#define RESOLUTION 48

// The bind pose has fewer bridges than this part of those of the rest pose, or it is not worth leaving the rest pose.
#define MORE_OPEN 0.75f

// Skin of which more than this part is crumpled: less is a crease at a joint, which flesh bears.
#define MOST_CRUMPLED 0.005f

// An edge is crumpled at less than this part of its length in the other pose.
#define CRUMPLED 0.5f

// Is something of the definition a place in the rest pose?
static bool IsInRestSpace( const supFleshDef* def )
{
	bool is = def->tets != NULL || def->lattice != NULL || def->jointCount > 0;
	for ( int32_t i = 0; i < def->softRegionCount; ++i )
	{
		is = is || ( supIsSoftSolid( def->softRegions + i ) && def->softRegions[i].isInBoneSpace == false );
	}
	return is;
}

// A character that shares everything with another but its rest pose. NULL when out of memory.
static supCharacter* CopyPosed( const supCharacter* character, const supPose* pose )
{
	supCharacter* posed = supAlloc( sizeof( supCharacter ) );
	supNode* nodes = supAllocArray( (size_t)character->nodeCount, sizeof( supNode ) );
	if ( posed == NULL || nodes == NULL )
	{
		supFree( posed );
		supFree( nodes );
		return NULL;
	}
	*posed = *character;
	posed->arena = ( supArena ){ 0 };
	posed->nodes = nodes;
	for ( int32_t i = 0; i < character->nodeCount; ++i )
	{
		nodes[i] = character->nodes[i];
		nodes[i].rest = supPose_GetLocal( pose, i );
	}
	return posed;
}

static void FreePosed( supCharacter* posed )
{
	if ( posed != NULL )
	{
		supFree( posed->nodes );
		supFree( posed );
	}
}

// The bind pose, where it is another one.
static bool FindBound( supBuildPose* build, supError* error )
{
	supArena scratch = { 0 };
	supPose* rest = supCreatePose( build->character );
	supPose* bound = supCreatePose( build->character );
	bool ok = rest != NULL && bound != NULL && supPoseBound( build->character, bound, &scratch );
	if ( ok && supPose_Equals( rest, bound ) == false )
	{
		build->posed = CopyPosed( build->character, bound );
		ok = build->posed != NULL;
	}
	supDestroyPose( rest );
	supDestroyPose( bound );
	supArena_Destroy( &scratch );
	return ok || supSetMemoryError( error );
}

// The part of the skin, by the length of edges, that one pose squeezes to less than half of what it is in the other.
static float MeasureCrumpling( const supRestSurface* pose, const supRestSurface* other )
{
	double crumpled = 0.0, all = 0.0;
	for ( int64_t i = 0; i < 3 * (int64_t)pose->triangleCount; ++i )
	{
		uint32_t from = pose->indices[i], to = pose->indices[i % 3 == 2 ? i - 2 : i + 1];
		float length = supDistance( pose->positions[from], pose->positions[to] );
		float there = supDistance( other->positions[from], other->positions[to] );
		all += (double)there;
		crumpled += length < CRUMPLED * there ? (double)there : 0.0;
	}
	return all > 0.0 ? (float)( crumpled / all ) : 0.0f;
}

// What has no surface is left to the method to refuse.
static bool Compare( supBuildPose* build, const supTasks* tasks, supError* error )
{
	supError trouble = { 0 };
	supRestSurface rest = { 0 }, bound = { 0 };
	bool ok = supRestSurface_Init( &rest, build->character, tasks, &trouble ) &&
			  supRestSurface_Init( &bound, build->posed, tasks, &trouble );
	if ( ok )
	{
		build->restCrumpling = MeasureCrumpling( &rest, &bound );
		build->bindCrumpling = MeasureCrumpling( &bound, &rest );
	}
	supRestSurface_Destroy( &rest );
	supRestSurface_Destroy( &bound );
	return ok || trouble.code != sup_errorMemory || supSetMemoryError( error );
}

// Counts the bridges of both poses. What has no voxels at all is left to the method to refuse.
static bool Measure( supBuildPose* build, const supTasks* tasks, supError* error )
{
	supError trouble = { 0 };
	bool ok = supCountVoxelBridges( build->character, RESOLUTION, tasks, &build->restBridges, &trouble ) &&
			  supCountVoxelBridges( build->posed, RESOLUTION, tasks, &build->bindBridges, &trouble );
	if ( ok == false )
	{
		build->restBridges = build->bindBridges = 0;
	}
	return ok || trouble.code != sup_errorMemory || supSetMemoryError( error );
}

bool supBuildPose_Init( supBuildPose* pose, const supCharacter* character, const supFleshDef* def,
						const supTasks* tasks, supError* error )
{
	pose->character = character;
	if ( supCharacter_SkinCount( character ) == 0 || IsInRestSpace( def ) )
	{
		return true;
	}
	if ( FindBound( pose, error ) == false || ( pose->posed != NULL && ( Measure( pose, tasks, error ) == false ||
																		 Compare( pose, tasks, error ) == false ) ) )
	{
		supBuildPose_Destroy( pose );
		return false;
	}
	bool isCrumpled = pose->restCrumpling > MOST_CRUMPLED && pose->bindCrumpling < MORE_OPEN * pose->restCrumpling;
	if ( isCrumpled || (float)pose->bindBridges < MORE_OPEN * (float)pose->restBridges )
	{
		pose->character = pose->posed;
	}
	return true;
}

bool supBuildPose_Recenter( supBuildPose* pose, supVec3 center, const supFleshDef* def, supError* error )
{
	if ( IsInRestSpace( def ) )
	{
		return true;
	}
	supPose* rest = supCreatePose( pose->character );
	supCharacter* moved = rest != NULL ? CopyPosed( pose->character, rest ) : NULL;
	supDestroyPose( rest );
	if ( moved == NULL )
	{
		return supSetMemoryError( error );
	}
	for ( int32_t i = 0; i < moved->nodeCount; ++i )
	{
		supNode* node = moved->nodes + i;
		if ( node->parent < 0 )
		{
			node->rest.translation = supSub( node->rest.translation, center );
			node->matrix.t = supSub( node->matrix.t, center );
		}
	}
	FreePosed( pose->posed );
	pose->posed = moved;
	pose->character = moved;
	return true;
}

void supBuildPose_Destroy( supBuildPose* pose )
{
	FreePosed( pose->posed );
	*pose = ( supBuildPose ){ 0 };
}
