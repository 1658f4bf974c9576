// SPDX-License-Identifier: MIT
#include "io/gltf/gltf_replace.h"

#include <stdlib.h>

// Instances times scenes: a small file must not make a huge one.
#define MOST_PLACEMENTS ( (int64_t)1 << 24 )

json_t* supReplacer_Node( const supReplacer* replacer, int64_t index )
{
	return supJson_At( supJson_Get( replacer->document->root, "nodes" ), (size_t)index );
}

// ---------------------------------------------------------------------------------------------------------------------
// Before anything changes

static bool CheckDocument( const supReplacer* replacer )
{
	const supCharacter* character = replacer->character;
	const json_t* nodes = supJson_Get( replacer->source, "nodes" );
	const json_t* meshes = supJson_Get( replacer->source, "meshes" );
	bool ok = json_array_size( nodes ) == (size_t)supCharacter_NodeCount( character ) &&
			  json_array_size( meshes ) == (size_t)supCharacter_MeshCount( character );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ) && ok; ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		ok = supJson_Index( supJson_At( nodes, (size_t)instance->node ), "mesh", -1 ) == instance->mesh;
	}
	if ( ok == false )
	{
		return supSetError( replacer->error, sup_errorArgument, replacer->document->name,
							"belongs to another document" );
	}
	int64_t placements =
		(int64_t)json_array_size( supJson_Get( replacer->source, "scenes" ) ) * supCharacter_InstanceCount( character );
	if ( placements > MOST_PLACEMENTS )
	{
		return supSetError( replacer->error, sup_errorTooLarge, replacer->document->name,
							"too many scenes and meshes to add every mesh to every scene" );
	}
	return true;
}

static bool Prepare( supReplacer* replacer )
{
	const supCharacter* character = replacer->character;
	size_t nodeCount = (size_t)supCharacter_NodeCount( character );
	size_t instanceCount = (size_t)supCharacter_InstanceCount( character );
	replacer->meshUses =
		supArena_AllocZeroed( &replacer->arena, (size_t)supCharacter_MeshCount( character ) * sizeof( int32_t ) );
	replacer->carriers = supArena_AllocArray( &replacer->arena, instanceCount, sizeof( int32_t ) );
	replacer->meshes = supArena_AllocArray( &replacer->arena, instanceCount, sizeof( int32_t ) );
	replacer->isDetached = supArena_AllocZeroed( &replacer->arena, nodeCount * sizeof( bool ) );
	replacer->hasNoMesh = supArena_AllocZeroed( &replacer->arena, nodeCount * sizeof( bool ) );
	if ( replacer->arena.failed )
	{
		return supSetMemoryError( replacer->error );
	}
	for ( size_t i = 0; i < instanceCount; ++i )
	{
		replacer->carriers[i] = -1;
		replacer->meshes[i] = -1;
	}
	for ( size_t i = 0; i < nodeCount; ++i )
	{
		int64_t mesh = supJson_Index( supReplacer_Node( replacer, (int64_t)i ), "mesh", -1 );
		if ( mesh >= 0 && mesh < supCharacter_MeshCount( character ) )
		{
			replacer->meshUses[mesh] += 1;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Meshes and the nodes that carry them

// True where nothing but the mesh hangs on the node.
static bool CarriesOnlyMesh( const supReplacer* replacer, int32_t node )
{
	const json_t* item = supReplacer_Node( replacer, node );
	return json_array_size( supJson_Get( item, "children" ) ) == 0 && supJson_Get( item, "camera" ) == NULL &&
		   supJson_Get( item, "extensions" ) == NULL && supCharacter_IsJoint( replacer->character, node ) == false;
}

static void RemoveMesh( json_t* node )
{
	json_object_del( node, "mesh" );
	json_object_del( node, "skin" );
	json_object_del( node, "weights" );
}

// The index of the new mesh. The last user of a mesh puts its version in the place of the original.
static int64_t PlaceMesh( supReplacer* replacer, int32_t original, json_t* mesh )
{
	replacer->meshUses[original] -= 1;
	if ( replacer->meshUses[original] > 0 )
	{
		return supDocument_AppendItem( replacer->document, "meshes", mesh, replacer->error );
	}
	json_t* meshes = supJson_Get( replacer->document->root, "meshes" );
	if ( json_array_set_new( meshes, (size_t)original, mesh ) != 0 )
	{
		supSetMemoryError( replacer->error );
		return -1;
	}
	return original;
}

// A new root with the name of the node that carried the mesh.
static int64_t AddCarrier( supReplacer* replacer, int32_t node )
{
	json_t* item = json_object();
	json_t* name = supJson_Get( supReplacer_Node( replacer, node ), "name" );
	bool ok = item != NULL || supSetMemoryError( replacer->error );
	ok = ok && ( name == NULL || supJson_Set( item, "name", json_incref( name ), replacer->error ) );
	int64_t index =
		supDocument_AppendItem( replacer->document, "nodes", ok ? json_incref( item ) : NULL, replacer->error );
	json_decref( item );
	return index;
}

// `leftovers`, points and lines that nobody skinned, stay with the node, its skin and its weights.
static bool PlaceInstance( supReplacer* replacer, int32_t index, json_t* mesh, json_t* leftovers )
{
	supError* error = replacer->error;
	const supInstance* instance = supCharacter_Instance( replacer->character, index );
	bool stays = leftovers != NULL || CarriesOnlyMesh( replacer, instance->node ) == false;
	int64_t meshIndex = PlaceMesh( replacer, instance->mesh, mesh );
	int64_t carrier = stays ? AddCarrier( replacer, instance->node ) : instance->node;
	if ( meshIndex < 0 || carrier < 0 )
	{
		json_decref( leftovers );
		return false;
	}
	replacer->carriers[index] = (int32_t)carrier;
	replacer->meshes[index] = (int32_t)meshIndex;
	json_t* node = supReplacer_Node( replacer, instance->node );
	if ( leftovers != NULL )
	{
		int64_t left = supDocument_AppendItem( replacer->document, "meshes", leftovers, error );
		if ( left < 0 || supJson_Set( node, "mesh", json_integer( left ), error ) == false )
		{
			return false;
		}
	}
	else
	{
		RemoveMesh( node );
		replacer->hasNoMesh[instance->node] = true;
	}
	replacer->isDetached[instance->node] = stays == false;
	json_t* item = supReplacer_Node( replacer, carrier );
	return supJson_Set( item, "mesh", json_integer( meshIndex ), error ) &&
		   ( stays || supJson_SetTransform( item, supTransform_identity, error ) );
}

bool supReplacer_Replace( supReplacer* replacer, int32_t instance, supPosedMesh* posed )
{
	int32_t index = supCharacter_Instance( replacer->character, instance )->mesh;
	const supMesh* mesh = supCharacter_Mesh( replacer->character, index );
	json_t* source = supJson_At( supJson_Get( replacer->source, "meshes" ), (size_t)index );
	json_t* leftovers = NULL;
	json_t* plain = supMakePlainMesh( replacer->document, source, mesh, posed, &leftovers, replacer->error );
	return plain != NULL && PlaceInstance( replacer, instance, plain, leftovers );
}

// ---------------------------------------------------------------------------------------------------------------------
// Hierarchy and scenes

static bool DetachChildren( supReplacer* replacer )
{
	int32_t nodeCount = supCharacter_NodeCount( replacer->character );
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		json_t* node = supReplacer_Node( replacer, i );
		json_t* children = supJson_Get( node, "children" );
		json_t* kept = json_array();
		bool ok = kept != NULL || supSetMemoryError( replacer->error );
		for ( size_t k = 0; k < json_array_size( children ) && ok; ++k )
		{
			int64_t child = supJson_IndexAt( children, k );
			bool isKept = child < 0 || child >= nodeCount || replacer->isDetached[child] == false;
			ok = isKept == false || supJson_Push( kept, json_incref( supJson_At( children, k ) ), replacer->error );
		}
		bool changed = ok && json_array_size( kept ) != json_array_size( children );
		if ( changed && json_array_size( kept ) > 0 )
		{
			ok = supJson_Set( node, "children", json_incref( kept ), replacer->error );
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
static int32_t* FindRoots( supReplacer* replacer )
{
	int32_t nodeCount = supCharacter_NodeCount( replacer->character );
	const int32_t* order = supCharacter_NodeOrder( replacer->character );
	int32_t* roots = supArena_AllocArray( &replacer->arena, (size_t)nodeCount, sizeof( int32_t ) );
	for ( int32_t i = 0; i < nodeCount && roots != NULL; ++i )
	{
		int32_t parent = supCharacter_Node( replacer->character, order[i] )->parent;
		roots[order[i]] = parent >= 0 ? roots[parent] : order[i];
	}
	return roots;
}

// A scene that showed the tree of an instance shows its carrier. `lastScene` says for each node which scene, counted
// from 1, listed it last.
static bool AddToScene( supReplacer* replacer, int32_t sceneIndex, const int32_t* roots, int32_t* lastScene )
{
	json_t* scene = supJson_At( supJson_Get( replacer->document->root, "scenes" ), (size_t)sceneIndex );
	json_t* list = supJson_Get( scene, "nodes" );
	int32_t nodeCount = supCharacter_NodeCount( replacer->character );
	for ( size_t i = 0; i < json_array_size( list ); ++i )
	{
		int64_t node = supJson_IndexAt( list, i );
		if ( node >= 0 && node < nodeCount )
		{
			lastScene[node] = sceneIndex + 1;
		}
	}
	bool ok = true;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( replacer->character ) && ok; ++i )
	{
		int32_t node = supCharacter_Instance( replacer->character, i )->node;
		int32_t carrier = replacer->carriers[i];
		bool isListed = carrier >= 0 && carrier < nodeCount && lastScene[carrier] == sceneIndex + 1;
		if ( carrier >= 0 && lastScene[roots[node]] == sceneIndex + 1 && isListed == false )
		{
			ok = supJson_Push( list, json_integer( carrier ), replacer->error );
		}
	}
	return ok;
}

static bool AddToScenes( supReplacer* replacer )
{
	int32_t nodeCount = supCharacter_NodeCount( replacer->character );
	int32_t* roots = FindRoots( replacer );
	int32_t* lastScene = supArena_AllocZeroed( &replacer->arena, (size_t)nodeCount * sizeof( int32_t ) );
	bool ok = roots != NULL && lastScene != NULL ? true : supSetMemoryError( replacer->error );
	size_t sceneCount = json_array_size( supJson_Get( replacer->document->root, "scenes" ) );
	for ( size_t i = 0; i < sceneCount && ok; ++i )
	{
		ok = AddToScene( replacer, (int32_t)i, roots, lastScene );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Skins

// Removes the skins that no node uses; the others get new numbers.
static bool RemoveSkins( supReplacer* replacer )
{
	json_t* root = replacer->document->root;
	const json_t* skins = supJson_Get( root, "skins" );
	const json_t* nodes = supJson_Get( root, "nodes" );
	size_t count = json_array_size( skins );
	int64_t* numbers = supArena_AllocZeroed( &replacer->arena, count * sizeof( int64_t ) );
	json_t* kept = json_array();
	bool ok = numbers != NULL && kept != NULL ? true : supSetMemoryError( replacer->error );
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
			ok = supJson_Push( kept, json_incref( supJson_At( skins, i ) ), replacer->error );
		}
	}
	for ( size_t i = 0; i < json_array_size( nodes ) && ok; ++i )
	{
		json_t* node = supJson_At( nodes, i );
		int64_t skin = supJson_Index( node, "skin", -1 );
		if ( skin >= 0 && (size_t)skin < count && numbers[skin] != skin )
		{
			ok = supJson_Set( node, "skin", json_integer( numbers[skin] ), replacer->error );
		}
	}
	if ( ok && json_array_size( kept ) == 0 )
	{
		json_object_del( root, "skins" );
	}
	else if ( ok && json_array_size( kept ) < count )
	{
		ok = supJson_Set( root, "skins", json_incref( kept ), replacer->error );
	}
	json_decref( kept );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Animations

// What a channel moves: a node and "weights", "translation", ...; "" where it moves no node.
static const char* FindTarget( const json_t* channel, int64_t* node )
{
	const json_t* target = supJson_Get( channel, "target" );
	const char* path = supJson_String( target, "path", "" );
	*node = supJson_Index( target, "node", -1 );
	if ( strcmp( path, "pointer" ) != 0 )
	{
		return path;
	}
	// KHR_animation_pointer: "/nodes/5/weights/0"
	const json_t* extension = supJson_Get( supJson_Get( target, "extensions" ), "KHR_animation_pointer" );
	const char* pointer = supJson_String( extension, "pointer", "" );
	if ( strncmp( pointer, "/nodes/", 7 ) != 0 )
	{
		return "";
	}
	char* end;
	*node = strtol( pointer + 7, &end, 10 );
	return *end == '/' ? end + 1 : "";
}

static bool IsDropped( const supReplacer* replacer, const json_t* channel )
{
	int64_t node;
	const char* path = FindTarget( channel, &node );
	if ( path[0] == 0 || node < 0 || node >= supCharacter_NodeCount( replacer->character ) )
	{
		return false;
	}
	bool isTransform =
		strcmp( path, "translation" ) == 0 || strcmp( path, "rotation" ) == 0 || strcmp( path, "scale" ) == 0;
	bool isWeights = strncmp( path, "weights", 7 ) == 0;
	return ( isWeights && replacer->hasNoMesh[node] ) || ( isTransform && replacer->isDetached[node] );
}

// Keeps the samplers that channels use; the channels, which are the animation's own, get their new numbers.
static bool CompactSamplers( supReplacer* replacer, json_t* animation )
{
	const json_t* channels = supJson_Get( animation, "channels" );
	const json_t* samplers = supJson_Get( animation, "samplers" );
	size_t count = json_array_size( samplers );
	int64_t* numbers = supAllocZeroed( count * sizeof( int64_t ) );
	json_t* kept = json_array();
	bool ok = numbers != NULL && kept != NULL ? true : supSetMemoryError( replacer->error );
	for ( size_t i = 0; i < json_array_size( channels ) && ok; ++i )
	{
		json_t* channel = supJson_At( channels, i );
		int64_t sampler = supJson_Index( channel, "sampler", -1 );
		if ( sampler < 0 || (size_t)sampler >= count )
		{
			continue;
		}
		if ( numbers[sampler] == 0 )
		{
			ok = supJson_Push( kept, json_incref( supJson_At( samplers, (size_t)sampler ) ), replacer->error );
			// counted from 1, so that 0 is new
			numbers[sampler] = (int64_t)json_array_size( kept );
		}
		ok = ok && supJson_Set( channel, "sampler", json_integer( numbers[sampler] - 1 ), replacer->error );
	}
	ok = ok && supJson_Set( animation, "samplers", json_incref( kept ), replacer->error );
	json_decref( kept );
	supFree( numbers );
	return ok;
}

static bool DropChannels( supReplacer* replacer, json_t* animation )
{
	const json_t* channels = supJson_Get( animation, "channels" );
	json_t* kept = json_array();
	bool ok = kept != NULL || supSetMemoryError( replacer->error );
	for ( size_t i = 0; i < json_array_size( channels ) && ok; ++i )
	{
		json_t* channel = supJson_At( channels, i );
		ok = IsDropped( replacer, channel ) || supJson_Push( kept, json_incref( channel ), replacer->error );
	}
	if ( ok && json_array_size( kept ) < json_array_size( channels ) )
	{
		ok = supJson_Set( animation, "channels", json_incref( kept ), replacer->error ) &&
			 CompactSamplers( replacer, animation );
	}
	json_decref( kept );
	return ok;
}

bool supReplacer_DropChannels( supReplacer* replacer )
{
	const json_t* animations = supJson_Get( replacer->document->root, "animations" );
	bool ok = true;
	for ( size_t i = 0; i < json_array_size( animations ) && ok; ++i )
	{
		ok = DropChannels( replacer, supJson_At( animations, i ) );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

bool supReplacer_Begin( supReplacer* replacer, supDocument* document, const supCharacter* character, supError* error )
{
	*replacer = ( supReplacer ){ .document = document, .character = character, .error = error };
	replacer->source = document->root;
	if ( CheckDocument( replacer ) == false || Prepare( replacer ) == false ||
		 supEdit_Begin( &replacer->edit, document, error ) == false )
	{
		supArena_Destroy( &replacer->arena );
		return false;
	}
	return true;
}

bool supReplacer_Arrange( supReplacer* replacer )
{
	return DetachChildren( replacer ) && AddToScenes( replacer ) && RemoveSkins( replacer );
}

void supReplacer_End( supReplacer* replacer, bool keep )
{
	supEdit_End( &replacer->edit, keep );
	supArena_Destroy( &replacer->arena );
}
