// SPDX-License-Identifier: MIT
// One skinned frame: meshes of instances become plain meshes in world space.
//
// A node that only carried the mesh goes to the root of its scenes, without a transform. A node that others need
// (children, a camera, an extension, joints) stays where it is and hands the mesh over to a new node at the root. The
// other nodes take the pose. Clips go, and skins that nothing uses any more; accessors and bytes that nothing refers to
// any more stay, because extensions that we do not know may refer to them.
#include "io/gltf_write.h"

#include <stdio.h>

// Instances times scenes: a small file must not make a huge one.
#define MOST_PLACEMENTS ( (int64_t)1 << 24 )

typedef struct supFreezer
{
	supDocument* document;
	const supCharacter* character;
	supPose* pose;
	supSkinning skinning;
	const supTasks* tasks;
	supError* error;
	supArena arena;
	// the tree before
	const json_t* source;
	// how many nodes still use each mesh
	int32_t* meshUses;
	// per instance: the node at the root that carries the result
	int32_t* carriers;
	// per node: taken out of its parent's children
	bool* isDetached;
} supFreezer;

static json_t* GetNode( const supFreezer* freezer, int64_t index )
{
	return supJson_At( supJson_Get( freezer->document->root, "nodes" ), (size_t)index );
}

// ---------------------------------------------------------------------------------------------------------------------
// Before anything changes

static bool CheckDocument( const supFreezer* freezer )
{
	const supCharacter* character = freezer->character;
	const json_t* nodes = supJson_Get( freezer->source, "nodes" );
	const json_t* meshes = supJson_Get( freezer->source, "meshes" );
	bool ok = json_array_size( nodes ) == (size_t)supCharacter_NodeCount( character ) &&
			  json_array_size( meshes ) == (size_t)supCharacter_MeshCount( character );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ) && ok; ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		ok = supJson_Index( supJson_At( nodes, (size_t)instance->node ), "mesh", -1 ) == instance->mesh;
	}
	if ( ok == false )
	{
		return supSetError( freezer->error, sup_errorArgument, freezer->document->name,
							"the pose belongs to another document" );
	}
	int64_t placements =
		(int64_t)json_array_size( supJson_Get( freezer->source, "scenes" ) ) * supCharacter_InstanceCount( character );
	if ( placements > MOST_PLACEMENTS )
	{
		return supSetError( freezer->error, sup_errorTooLarge, freezer->document->name,
							"there are too many scenes and meshes to put every mesh into every scene" );
	}
	return true;
}

static bool Prepare( supFreezer* freezer )
{
	const supCharacter* character = freezer->character;
	size_t nodeCount = (size_t)supCharacter_NodeCount( character );
	freezer->meshUses =
		supArena_AllocZeroed( &freezer->arena, (size_t)supCharacter_MeshCount( character ) * sizeof( int32_t ) );
	freezer->carriers =
		supArena_AllocZeroed( &freezer->arena, (size_t)supCharacter_InstanceCount( character ) * sizeof( int32_t ) );
	freezer->isDetached = supArena_AllocZeroed( &freezer->arena, nodeCount * sizeof( bool ) );
	if ( freezer->arena.failed )
	{
		return supSetMemoryError( freezer->error );
	}
	for ( size_t i = 0; i < nodeCount; ++i )
	{
		int64_t mesh = supJson_Index( GetNode( freezer, (int64_t)i ), "mesh", -1 );
		if ( mesh >= 0 && mesh < supCharacter_MeshCount( character ) )
		{
			freezer->meshUses[mesh] += 1;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Nodes take the pose

static bool PoseNodes( supFreezer* freezer )
{
	bool ok = true;
	for ( int32_t i = 0; i < supCharacter_NodeCount( freezer->character ) && ok; ++i )
	{
		const supNode* node = supCharacter_Node( freezer->character, i );
		supTransform local = supPose_GetLocal( freezer->pose, i );
		bool isMoved = node->hasMatrix == false && memcmp( &local, &node->rest, sizeof( local ) ) != 0;
		ok = isMoved == false || supJson_SetTransform( GetNode( freezer, i ), local, freezer->error );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Meshes and the nodes that carry them

// True where nothing but the mesh hangs on the node.
static bool CarriesOnlyMesh( const supFreezer* freezer, int32_t node )
{
	const json_t* item = GetNode( freezer, node );
	return json_array_size( supJson_Get( item, "children" ) ) == 0 && supJson_Get( item, "camera" ) == NULL &&
		   supJson_Get( item, "extensions" ) == NULL && supCharacter_IsJoint( freezer->character, node ) == false;
}

static void RemoveMesh( json_t* node )
{
	json_object_del( node, "mesh" );
	json_object_del( node, "skin" );
	json_object_del( node, "weights" );
}

// The index of the new mesh. The last user of a mesh puts its version in the place of the original.
static int64_t PlaceMesh( supFreezer* freezer, int32_t original, json_t* mesh )
{
	freezer->meshUses[original] -= 1;
	if ( freezer->meshUses[original] > 0 )
	{
		return supDocument_AppendItem( freezer->document, "meshes", mesh, freezer->error );
	}
	json_t* meshes = supJson_Get( freezer->document->root, "meshes" );
	if ( json_array_set_new( meshes, (size_t)original, mesh ) != 0 )
	{
		supSetMemoryError( freezer->error );
		return -1;
	}
	return original;
}

// A new root with the name of the node that carried the mesh.
static int64_t AddCarrier( supFreezer* freezer, int32_t node )
{
	json_t* item = json_object();
	json_t* name = supJson_Get( GetNode( freezer, node ), "name" );
	bool ok = item != NULL || supSetMemoryError( freezer->error );
	ok = ok && ( name == NULL || supJson_Set( item, "name", json_incref( name ), freezer->error ) );
	int64_t index =
		supDocument_AppendItem( freezer->document, "nodes", ok ? json_incref( item ) : NULL, freezer->error );
	json_decref( item );
	return index;
}

// `leftovers`, points and lines that nobody skinned, stay with the node, its skin and its weights.
static bool PlaceInstance( supFreezer* freezer, int32_t index, json_t* mesh, json_t* leftovers )
{
	supError* error = freezer->error;
	const supInstance* instance = supCharacter_Instance( freezer->character, index );
	bool stays = leftovers != NULL || CarriesOnlyMesh( freezer, instance->node ) == false;
	int64_t meshIndex = PlaceMesh( freezer, instance->mesh, mesh );
	int64_t carrier = stays ? AddCarrier( freezer, instance->node ) : instance->node;
	if ( meshIndex < 0 || carrier < 0 )
	{
		json_decref( leftovers );
		return false;
	}
	freezer->carriers[index] = (int32_t)carrier;
	json_t* node = GetNode( freezer, instance->node );
	if ( leftovers != NULL )
	{
		int64_t left = supDocument_AppendItem( freezer->document, "meshes", leftovers, error );
		if ( left < 0 || supJson_Set( node, "mesh", json_integer( left ), error ) == false )
		{
			return false;
		}
	}
	else
	{
		RemoveMesh( node );
	}
	freezer->isDetached[instance->node] = stays == false;
	json_t* item = GetNode( freezer, carrier );
	return supJson_Set( item, "mesh", json_integer( meshIndex ), error ) &&
		   ( stays || supJson_SetTransform( item, supTransform_identity, error ) );
}

static bool FreezeInstance( supFreezer* freezer, int32_t index )
{
	const supInstance* instance = supCharacter_Instance( freezer->character, index );
	const supMesh* mesh = supCharacter_Mesh( freezer->character, instance->mesh );
	json_t* source = supJson_At( supJson_Get( freezer->source, "meshes" ), (size_t)instance->mesh );
	supArena arena = { 0 };
	supPosedMesh posed;
	json_t* plain = NULL;
	json_t* leftovers = NULL;
	if ( supPoseMesh( freezer->pose, index, freezer->skinning, freezer->tasks, &arena, &posed, freezer->error ) )
	{
		plain = supMakePlainMesh( freezer->document, source, mesh, &posed, &leftovers, freezer->error );
	}
	supArena_Destroy( &arena );
	return plain != NULL && PlaceInstance( freezer, index, plain, leftovers );
}

// ---------------------------------------------------------------------------------------------------------------------
// Hierarchy and scenes

static bool DetachChildren( supFreezer* freezer )
{
	int32_t nodeCount = supCharacter_NodeCount( freezer->character );
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		json_t* node = GetNode( freezer, i );
		json_t* children = supJson_Get( node, "children" );
		json_t* kept = json_array();
		bool ok = kept != NULL || supSetMemoryError( freezer->error );
		for ( size_t k = 0; k < json_array_size( children ) && ok; ++k )
		{
			int64_t child = supJson_IndexAt( children, k );
			bool isKept = child < 0 || child >= nodeCount || freezer->isDetached[child] == false;
			ok = isKept == false || supJson_Push( kept, json_incref( supJson_At( children, k ) ), freezer->error );
		}
		bool changed = ok && json_array_size( kept ) != json_array_size( children );
		if ( changed && json_array_size( kept ) > 0 )
		{
			ok = supJson_Set( node, "children", json_incref( kept ), freezer->error );
		}
		else if ( changed )
		{
			// an empty list is not allowed
			json_object_del( node, "children" );
		}
		json_decref( kept );
		if ( ok == false )
		{
			return false;
		}
	}
	return true;
}

// The root of each node's tree before anything was moved.
static int32_t* FindRoots( supFreezer* freezer )
{
	int32_t nodeCount = supCharacter_NodeCount( freezer->character );
	const int32_t* order = supCharacter_NodeOrder( freezer->character );
	int32_t* roots = supArena_AllocArray( &freezer->arena, (size_t)nodeCount, sizeof( int32_t ) );
	for ( int32_t i = 0; i < nodeCount && roots != NULL; ++i )
	{
		int32_t parent = supCharacter_Node( freezer->character, order[i] )->parent;
		roots[order[i]] = parent >= 0 ? roots[parent] : order[i];
	}
	return roots;
}

// A scene that showed the tree of an instance shows its carrier. `lastScene` says for each node which scene, counted
// from 1, listed it last.
static bool AddToScene( supFreezer* freezer, int32_t sceneIndex, const int32_t* roots, int32_t* lastScene )
{
	json_t* scene = supJson_At( supJson_Get( freezer->document->root, "scenes" ), (size_t)sceneIndex );
	json_t* list = supJson_Get( scene, "nodes" );
	int32_t nodeCount = supCharacter_NodeCount( freezer->character );
	for ( size_t i = 0; i < json_array_size( list ); ++i )
	{
		int64_t node = supJson_IndexAt( list, i );
		if ( node >= 0 && node < nodeCount )
		{
			lastScene[node] = sceneIndex + 1;
		}
	}
	bool ok = true;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( freezer->character ) && ok; ++i )
	{
		int32_t node = supCharacter_Instance( freezer->character, i )->node;
		int32_t carrier = freezer->carriers[i];
		bool isListed = carrier < nodeCount && lastScene[carrier] == sceneIndex + 1;
		if ( lastScene[roots[node]] == sceneIndex + 1 && isListed == false )
		{
			ok = supJson_Push( list, json_integer( carrier ), freezer->error );
		}
	}
	return ok;
}

static bool AddToScenes( supFreezer* freezer )
{
	int32_t nodeCount = supCharacter_NodeCount( freezer->character );
	int32_t* roots = FindRoots( freezer );
	int32_t* lastScene = supArena_AllocZeroed( &freezer->arena, (size_t)nodeCount * sizeof( int32_t ) );
	bool ok = roots != NULL && lastScene != NULL ? true : supSetMemoryError( freezer->error );
	size_t sceneCount = json_array_size( supJson_Get( freezer->document->root, "scenes" ) );
	for ( size_t i = 0; i < sceneCount && ok; ++i )
	{
		ok = AddToScene( freezer, (int32_t)i, roots, lastScene );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Skins

// Removes the skins that no node uses; the others get new numbers.
static bool RemoveSkins( supFreezer* freezer )
{
	json_t* root = freezer->document->root;
	const json_t* skins = supJson_Get( root, "skins" );
	const json_t* nodes = supJson_Get( root, "nodes" );
	size_t count = json_array_size( skins );
	int64_t* numbers = supArena_AllocZeroed( &freezer->arena, count * sizeof( int64_t ) );
	json_t* kept = json_array();
	bool ok = numbers != NULL && kept != NULL ? true : supSetMemoryError( freezer->error );
	for ( size_t i = 0; i < json_array_size( nodes ) && ok; ++i )
	{
		int64_t skin = supJson_Index( supJson_At( nodes, i ), "skin", -1 );
		if ( skin >= 0 && (size_t)skin < count )
		{
			numbers[skin] = 1;
		}
	}
	for ( size_t i = 0; i < count && ok; ++i )
	{
		if ( numbers[i] == 1 )
		{
			numbers[i] = (int64_t)json_array_size( kept );
			ok = supJson_Push( kept, json_incref( supJson_At( skins, i ) ), freezer->error );
		}
	}
	for ( size_t i = 0; i < json_array_size( nodes ) && ok; ++i )
	{
		json_t* node = supJson_At( nodes, i );
		int64_t skin = supJson_Index( node, "skin", -1 );
		if ( skin >= 0 && (size_t)skin < count && numbers[skin] != skin )
		{
			ok = supJson_Set( node, "skin", json_integer( numbers[skin] ), freezer->error );
		}
	}
	if ( ok && json_array_size( kept ) == 0 )
	{
		json_object_del( root, "skins" );
	}
	else if ( ok && json_array_size( kept ) < count )
	{
		ok = supJson_Set( root, "skins", json_incref( kept ), freezer->error );
	}
	json_decref( kept );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool FreezeAll( supFreezer* freezer )
{
	bool ok = Prepare( freezer ) && PoseNodes( freezer );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( freezer->character ) && ok; ++i )
	{
		ok = FreezeInstance( freezer, i );
	}
	ok = ok && DetachChildren( freezer ) && AddToScenes( freezer ) && RemoveSkins( freezer );
	json_object_del( freezer->document->root, "animations" );
	return ok;
}

bool supDocument_Freeze( supDocument* document, supPose* pose, supSkinning skinning, const supTasks* tasks,
						 supError* error )
{
	supClearError( error );
	supFreezer freezer = { .document = document,
						   .character = supPose_Character( pose ),
						   .pose = pose,
						   .skinning = skinning,
						   .tasks = tasks,
						   .error = error,
						   .source = document->root };
	supEdit edit;
	if ( CheckDocument( &freezer ) == false || supEdit_Begin( &edit, document, error ) == false )
	{
		return false;
	}
	bool ok = FreezeAll( &freezer );
	supEdit_End( &edit, ok );
	supArena_Destroy( &freezer.arena );
	return ok;
}
