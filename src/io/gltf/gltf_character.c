// SPDX-License-Identifier: MIT
// From a glTF document to a character: nodes, skins and instances. Meshes, materials and clips have files of their own.
#include "io/common/load_limits.h"
#include "io/gltf/gltf_reader.h"

#include <stdio.h>

#define MOST_NOTES 200
#define CLOSING_NOTES 20

// ---------------------------------------------------------------------------------------------------------------------
// Helpers of all parts

bool supGltf_AddNote( supGltfReader* reader, bool repaired, const char* format, ... )
{
	if ( reader->notes.count >= MOST_NOTES + ( reader->closing ? CLOSING_NOTES : 0 ) )
	{
		reader->suppressedNotes += 1;
		return true;
	}
	char text[512];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( text, sizeof( text ), format, arguments );
	va_end( arguments );
	const char* copy = supArena_CopyString( &reader->arena, text );
	return ( copy != NULL && SUP_PUSH( &reader->notes, ( supNote ){ repaired, copy } ) ) ||
		   supSetMemoryError( reader->error );
}

bool supGltf_Fail( supGltfReader* reader, supErrorCode code, const char* where, const char* format, ... )
{
	char text[512];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( text, sizeof( text ), format, arguments );
	va_end( arguments );
	return supDocument_SetError( reader->document, reader->error, code, where, "%s", text );
}

void* supGltf_Alloc( supGltfReader* reader, size_t count, size_t itemSize )
{
	size_t left = reader->arena.limit - reader->arena.total;
	if ( itemSize > 0 && count > left / itemSize )
	{
		supGltf_Fail( reader, sup_errorTooLarge, "", "the file unpacks to far more memory than its size warrants" );
		return NULL;
	}
	void* memory = supArena_AllocArray( &reader->arena, count, itemSize );
	if ( memory == NULL )
	{
		supSetMemoryError( reader->error );
		return NULL;
	}
	return memset( memory, 0, count * itemSize );
}

const json_t* supGltf_List( const supGltfReader* reader, const char* key, int32_t* count )
{
	const json_t* list = supJson_Get( reader->document->root, key );
	*count = (int32_t)json_array_size( list );
	return list;
}

bool supGltf_ReadNumbers( const json_t* array, int32_t count, float* numbers )
{
	if ( json_array_size( array ) != (size_t)count )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		const json_t* value = supJson_At( array, (size_t)i );
		numbers[i] = (float)json_number_value( value );
		if ( json_is_number( value ) == false || supIsFinite( numbers[i] ) == false )
		{
			return false;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Nodes

static bool ReadTransform( supGltfReader* reader, int32_t index, const json_t* object, supNode* node )
{
	char where[64];
	float m[16];
	snprintf( where, sizeof( where ), "nodes[%d]", index );
	node->rest = supTransform_identity;
	node->matrix = supMat34_identity;
	const json_t* matrix = supJson_Get( object, "matrix" );
	if ( matrix != NULL )
	{
		if ( supGltf_ReadNumbers( matrix, 16, m ) == false )
		{
			return supGltf_Fail( reader, sup_errorFormat, where, "its matrix must have 16 numbers" );
		}
		supMat34 full = { { m[0], m[1], m[2] }, { m[4], m[5], m[6] }, { m[8], m[9], m[10] }, { m[12], m[13], m[14] } };
		node->matrix = full;
		node->hasMatrix = supDecompose( full, &node->rest ) == false;
		if ( node->hasMatrix )
		{
			supGltf_Count( &reader->sheared, index );
		}
		return true;
	}
	const json_t* translation = supJson_Get( object, "translation" );
	const json_t* rotation = supJson_Get( object, "rotation" );
	const json_t* scale = supJson_Get( object, "scale" );
	supTransform* rest = &node->rest;
	if ( ( translation != NULL && supGltf_ReadNumbers( translation, 3, &rest->translation.x ) == false ) ||
		 ( rotation != NULL && supGltf_ReadNumbers( rotation, 4, &rest->rotation.x ) == false ) ||
		 ( scale != NULL && supGltf_ReadNumbers( scale, 3, &rest->scale.x ) == false ) )
	{
		return supGltf_Fail( reader, sup_errorFormat, where,
							 "its translation, rotation or scale must have 3, 4 or 3 numbers" );
	}
	if ( rest->scale.x * rest->scale.y * rest->scale.z < 0.0f )
	{
		supGltf_Count( &reader->mirrored, index );
	}
	return true;
}

static bool ReadChildren( supGltfReader* reader, int32_t index, const json_t* object )
{
	char where[64];
	snprintf( where, sizeof( where ), "nodes[%d].children", index );
	const json_t* children = supJson_Get( object, "children" );
	for ( size_t i = 0; i < json_array_size( children ); ++i )
	{
		int64_t child = supJson_IndexAt( children, i );
		if ( child < 0 || child >= reader->def.nodeCount )
		{
			return supGltf_Fail( reader, sup_errorFormat, where, "it refers to a missing node" );
		}
		if ( reader->nodes[child].parent != -1 )
		{
			return supGltf_Fail( reader, sup_errorFormat, where, "nodes[%d] is already a child of nodes[%d]",
								 (int)child, reader->nodes[child].parent );
		}
		reader->nodes[child].parent = index;
	}
	return true;
}

// Parents before children, which also finds rings. From each node up to one that is placed already, then down again.
static bool OrderNodes( supGltfReader* reader )
{
	int32_t count = reader->def.nodeCount;
	enum
	{
		Untouched,
		OnPath,
		Placed
	};
	uint8_t* states = supGltf_Alloc( reader, (size_t)count, 1 );
	int32_t* path = supGltf_Alloc( reader, (size_t)count, sizeof( int32_t ) );
	reader->order = supGltf_Alloc( reader, (size_t)count, sizeof( int32_t ) );
	reader->worlds = supGltf_Alloc( reader, (size_t)count, sizeof( supMat34 ) );
	if ( states == NULL || path == NULL || reader->order == NULL || reader->worlds == NULL )
	{
		return false;
	}
	int32_t placed = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t length = 0;
		for ( int32_t node = i; node >= 0 && states[node] != Placed; node = reader->nodes[node].parent )
		{
			if ( states[node] == OnPath )
			{
				char where[64];
				snprintf( where, sizeof( where ), "nodes[%d]", node );
				return supGltf_Fail( reader, sup_errorFormat, where,
									 "it is its own ancestor: the node tree has a cycle" );
			}
			states[node] = OnPath;
			path[length++] = node;
		}
		while ( length > 0 )
		{
			int32_t node = path[--length];
			states[node] = Placed;
			reader->order[placed++] = node;
		}
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		const supNode* node = reader->nodes + reader->order[i];
		supMat34 local = node->hasMatrix ? node->matrix : supMakeMat34Transform( node->rest );
		reader->worlds[reader->order[i]] =
			node->parent >= 0 ? supMulMat34( reader->worlds[node->parent], local ) : local;
	}
	return true;
}

static bool ReadNodes( supGltfReader* reader )
{
	const json_t* list = supGltf_List( reader, "nodes", &reader->def.nodeCount );
	int32_t count = reader->def.nodeCount;
	reader->nodes = supGltf_Alloc( reader, (size_t)count, sizeof( supNode ) );
	reader->def.nodes = reader->nodes;
	if ( reader->nodes == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		const json_t* object = supJson_At( list, (size_t)i );
		reader->nodes[i].name = supJson_String( object, "name", "" );
		reader->nodes[i].parent = -1;
		if ( ReadTransform( reader, i, object, reader->nodes + i ) == false )
		{
			return false;
		}
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( ReadChildren( reader, i, supJson_At( list, (size_t)i ) ) == false )
		{
			return false;
		}
	}
	return OrderNodes( reader );
}

// ---------------------------------------------------------------------------------------------------------------------
// Skins

static bool ReadInverseBinds( supGltfReader* reader, const char* where, int64_t accessor, supSkin* skin )
{
	supAccessor shape;
	if ( supDocument_Accessor( reader->document, accessor, where, &shape, reader->error ) == false )
	{
		return false;
	}
	if ( shape.width != 16 || shape.count < skin->jointCount )
	{
		return supGltf_Fail( reader, sup_errorFormat, where,
							 "inverseBindMatrices has %d elements of %d numbers; %d matrices of 16 are needed",
							 shape.count, shape.width, skin->jointCount );
	}
	const float* m = supDocument_ReadFloats( reader->document, accessor, where, &reader->arena, &shape, reader->error );
	supMat34* matrices = m != NULL ? supGltf_Alloc( reader, (size_t)skin->jointCount, sizeof( supMat34 ) ) : NULL;
	if ( matrices == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < skin->jointCount; ++i, m += 16 )
	{
		matrices[i] =
			( supMat34 ){ { m[0], m[1], m[2] }, { m[4], m[5], m[6] }, { m[8], m[9], m[10] }, { m[12], m[13], m[14] } };
	}
	skin->inverseBinds = matrices;
	return true;
}

static bool ReadSkin( supGltfReader* reader, int32_t index, const json_t* object, supSkin* skin )
{
	char where[64];
	snprintf( where, sizeof( where ), "skins[%d]", index );
	const json_t* joints = supJson_Get( object, "joints" );
	skin->name = supJson_String( object, "name", "" );
	skin->jointCount = (int32_t)json_array_size( joints );
	int32_t* nodes = supGltf_Alloc( reader, (size_t)skin->jointCount, sizeof( int32_t ) );
	if ( nodes == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < skin->jointCount; ++i )
	{
		int64_t node = supJson_IndexAt( joints, (size_t)i );
		if ( node < 0 || node >= reader->def.nodeCount )
		{
			return supGltf_Fail( reader, sup_errorFormat, where, "joints[%d] is a missing node", i );
		}
		nodes[i] = (int32_t)node;
	}
	skin->joints = nodes;
	int64_t accessor = supJson_Index( object, "inverseBindMatrices", -1 );
	if ( accessor != -1 )
	{
		return ReadInverseBinds( reader, where, accessor, skin );
	}
	supGltf_Count( &reader->noInverseBinds, index );
	return true;
}

static bool ReadSkins( supGltfReader* reader )
{
	const json_t* list = supGltf_List( reader, "skins", &reader->def.skinCount );
	int32_t count = reader->def.skinCount;
	reader->skins = supGltf_Alloc( reader, (size_t)count, sizeof( supSkin ) );
	reader->def.skins = reader->skins;
	if ( reader->skins == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( ReadSkin( reader, i, supJson_At( list, (size_t)i ), reader->skins + i ) == false )
		{
			return false;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Instances

// Marks what the default scene shows. Everything where the file has no scenes.
static bool FindShownNodes( supGltfReader* reader, uint8_t* shown )
{
	int32_t sceneCount = 0;
	const json_t* scenes = supGltf_List( reader, "scenes", &sceneCount );
	if ( sceneCount == 0 )
	{
		memset( shown, 1, (size_t)reader->def.nodeCount );
		return true;
	}
	int64_t scene = supJson_Index( reader->document->root, "scene", 0 );
	if ( scene < 0 || scene >= sceneCount )
	{
		return supGltf_Fail( reader, sup_errorFormat, "scene", "it refers to a missing scene" );
	}
	const json_t* roots = supJson_Get( supJson_At( scenes, (size_t)scene ), "nodes" );
	for ( size_t i = 0; i < json_array_size( roots ); ++i )
	{
		int64_t node = supJson_IndexAt( roots, i );
		if ( node < 0 || node >= reader->def.nodeCount )
		{
			return supGltf_Fail( reader, sup_errorFormat, "scenes", "nodes[%d] of the scene does not exist", (int)i );
		}
		shown[node] = 1;
	}
	for ( int32_t i = 0; i < reader->def.nodeCount; ++i )
	{
		int32_t node = reader->order[i];
		int32_t parent = reader->nodes[node].parent;
		shown[node] = shown[node] || ( parent >= 0 && shown[parent] );
	}
	return true;
}

static bool ReadMorphWeights( supGltfReader* reader, const json_t* object, supInstance* instance )
{
	int32_t targetCount = reader->meshes[instance->mesh].targetCount;
	const json_t* meshes = supJson_Get( reader->document->root, "meshes" );
	const json_t* weights = supJson_Get( object, "weights" );
	weights = weights != NULL ? weights : supJson_Get( supJson_At( meshes, (size_t)instance->mesh ), "weights" );
	if ( targetCount == 0 )
	{
		return true;
	}
	// also where they are all zero, so that the bound on memory covers what many instances of many targets ask for
	float* numbers = supGltf_Alloc( reader, (size_t)targetCount, sizeof( float ) );
	if ( numbers == NULL )
	{
		return false;
	}
	instance->morphWeights = numbers;
	if ( weights != NULL && supGltf_ReadNumbers( weights, targetCount, numbers ) == false )
	{
		memset( numbers, 0, (size_t)targetCount * sizeof( float ) );
		return supGltf_AddNote( reader, true, "nodes[%d]: expected %d morph weights; 0 is used", instance->node,
								targetCount );
	}
	return true;
}

static float LargestDifference( supMat34 a, supMat34 b )
{
	const float* x = &a.cx.x;
	const float* y = &b.cx.x;
	float largest = 0.0f;
	for ( int32_t i = 0; i < 12; ++i )
	{
		float difference = x[i] - y[i];
		largest = supMaxFloat( largest, difference < 0.0f ? -difference : difference );
	}
	return largest;
}

// At rest the joints leave a mesh undeformed where all skinning matrices are the same. Compared with the size of the
// skeleton, for the translations.
static void CheckRestPose( supGltfReader* reader, int32_t skinIndex )
{
	const supSkin* skin = reader->skins + skinIndex;
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < skin->jointCount; ++i )
	{
		box = supBox_Include( box, reader->worlds[skin->joints[i]].t );
	}
	float size = supMaxFloat( 1.0f, supLength( supBox_Size( box ) ) );
	int32_t moved = 0;
	supMat34 first = supMat34_identity;
	for ( int32_t i = 0; i < skin->jointCount; ++i )
	{
		supMat34 inverseBind = skin->inverseBinds != NULL ? skin->inverseBinds[i] : supMat34_identity;
		supMat34 matrix = supMulMat34( reader->worlds[skin->joints[i]], inverseBind );
		first = i == 0 ? matrix : first;
		moved += LargestDifference( matrix, first ) > 1e-3f * size ? 1 : 0;
	}
	if ( moved > 0 )
	{
		supGltf_Count( &reader->restPoses, skinIndex );
	}
}

static bool ReadInstance( supGltfReader* reader, int32_t node, const json_t* object, supInstance* instance )
{
	char where[64];
	snprintf( where, sizeof( where ), "nodes[%d]", node );
	int64_t mesh = supJson_Index( object, "mesh", -2 );
	int64_t skin = supJson_Index( object, "skin", -1 );
	if ( mesh < 0 || mesh >= reader->def.meshCount )
	{
		return supGltf_Fail( reader, sup_errorFormat, where, "it refers to a missing mesh" );
	}
	if ( skin < -1 || skin >= reader->def.skinCount )
	{
		return supGltf_Fail( reader, sup_errorFormat, where, "it refers to a missing skin" );
	}
	bool skinned = skin >= 0 && reader->meshes[mesh].influences > 0;
	if ( skinned && LargestDifference( reader->worlds[node], supMat34_identity ) > 1e-5f )
	{
		supGltf_Count( &reader->ignoredTransforms, node );
	}
	*instance = ( supInstance ){ .node = node, .mesh = (int32_t)mesh, .skin = (int32_t)skin };
	return ReadMorphWeights( reader, object, instance );
}

static bool ReadInstances( supGltfReader* reader )
{
	int32_t nodeCount = 0;
	const json_t* list = supGltf_List( reader, "nodes", &nodeCount );
	uint8_t* shown = supGltf_Alloc( reader, (size_t)nodeCount, 1 );
	supInstance* instances = supGltf_Alloc( reader, (size_t)nodeCount, sizeof( supInstance ) );
	uint8_t* skinSeen = supGltf_Alloc( reader, (size_t)reader->def.skinCount, 1 );
	if ( shown == NULL || instances == NULL || skinSeen == NULL || FindShownNodes( reader, shown ) == false )
	{
		return false;
	}
	int32_t shownCount = 0;
	int32_t hiddenCount = 0;
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		bool hasMesh = supJson_Get( supJson_At( list, (size_t)i ), "mesh" ) != NULL;
		shownCount += hasMesh && shown[i] ? 1 : 0;
		hiddenCount += hasMesh && shown[i] == 0 ? 1 : 0;
	}
	bool useHidden = shownCount == 0;
	if ( hiddenCount > 0 && supGltf_AddNote( reader, useHidden,
											 useHidden ? "the scene has no mesh; all %d meshes outside it are used"
													   : "%d meshes are outside the scene and were dropped",
											 hiddenCount ) == false )
	{
		return false;
	}
	int32_t count = 0;
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		const json_t* object = supJson_At( list, (size_t)i );
		if ( supJson_Get( object, "mesh" ) == NULL || ( shown[i] == 0 && useHidden == false ) )
		{
			continue;
		}
		supInstance* instance = instances + count;
		if ( ReadInstance( reader, i, object, instance ) == false )
		{
			return false;
		}
		count += reader->meshes[instance->mesh].vertexCount > 0 ? 1 : 0;
		if ( instance->skin >= 0 && skinSeen[instance->skin] == 0 )
		{
			skinSeen[instance->skin] = 1;
			CheckRestPose( reader, instance->skin );
		}
	}
	reader->def.instanceCount = count;
	reader->def.instances = instances;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

// The file name without its extension.
static bool SetName( supGltfReader* reader )
{
	char* name = supGltf_Alloc( reader, strlen( reader->document->name ) + 1, 1 );
	if ( name == NULL )
	{
		return false;
	}
	memcpy( name, reader->document->name, strlen( reader->document->name ) );
	char* dot = strrchr( name, '.' );
	if ( dot != NULL && dot != name )
	{
		*dot = 0;
	}
	reader->def.name = name;
	return true;
}

static bool AddTally( supGltfReader* reader, supGltfTally tally, const char* place, const char* text )
{
	return tally.count == 0 || supGltf_AddNote( reader, false, "%s[%d]%s: %s", place, tally.first,
												tally.count > 1 ? " and others" : "", text );
}

static bool AddClosingNotes( supGltfReader* reader )
{
	const supDocument* document = reader->document;
	reader->closing = true;
	bool ok = reader->suppressedNotes == 0 ||
			  supGltf_AddNote( reader, false, "and %d more notes of this kind", reader->suppressedNotes );
	ok = ok && AddTally( reader, reader->sheared, "nodes", "the matrix has shear and is kept as a matrix" ) &&
		 AddTally( reader, reader->mirrored, "nodes", "a negative scale mirrors its children" ) &&
		 AddTally( reader, reader->ignoredTransforms, "nodes",
				   "the node of a skinned mesh has a transform, which skinning ignores" ) &&
		 AddTally( reader, reader->noInverseBinds, "skins", "no inverse bind matrices, so the identity is used" ) &&
		 AddTally( reader, reader->restPoses, "skins", "the rest pose differs from the bind pose" ) &&
		 AddTally( reader, reader->notIndexed, "meshes", "not indexed: triangles share no vertices" );
	ok = ok && ( reader->def.skinCount < 2 || supGltf_AddNote( reader, false, "%d skins", reader->def.skinCount ) );
	ok = ok && ( reader->def.clipCount > 0 || supGltf_AddNote( reader, false, "no clips" ) );
	ok = ok && ( reader->def.instanceCount > 0 || supGltf_AddNote( reader, false, "no meshes" ) );
	for ( int32_t i = 0; i < document->notes.count && ok; ++i )
	{
		ok = SUP_PUSH( &reader->notes, document->notes.data[i] ) || supSetMemoryError( reader->error );
	}
	reader->def.notes = reader->notes.data;
	reader->def.noteCount = reader->notes.count;
	return ok;
}

static supCharacter* CreateCharacter( supGltfReader* reader )
{
	const supDocument* document = reader->document;
	reader->arena.limit = supDocument_DecodedLimit( document );
	reader->def = supDefaultCharacterDef();
	supCharacter* character = NULL;
	if ( supCheckNodeLimit( &document->load, json_array_size( supJson_Get( document->root, "nodes" ) ), document->name,
							reader->error ) &&
		 SetName( reader ) && ReadNodes( reader ) && ReadSkins( reader ) && supGltf_ReadMeshes( reader ) &&
		 supGltf_ReadMaterials( reader ) && ReadInstances( reader ) && supGltf_ReadClips( reader ) &&
		 AddClosingNotes( reader ) )
	{
		character = supCreateCharacter( &reader->def, reader->error );
		if ( character == NULL && reader->error->code != sup_errorMemory )
		{
			char place[256];
			snprintf( place, sizeof( place ), "%.100s: %.150s", document->name, reader->error->where );
			memcpy( reader->error->where, place, sizeof( place ) );
		}
	}
	if ( character != NULL && supCheckLoadLimits( &document->load, character, document->name, reader->error ) == false )
	{
		supDestroyCharacter( character );
		character = NULL;
	}
	SUP_FREE_ARRAY( &reader->notes );
	supArena_Destroy( &reader->arena );
	return character;
}

supCharacter* supDocument_CreateCharacter( const supDocument* document, supError* error )
{
	supClearError( error );
	// the parts of the reader fall back on an error value where the caller has none
	supError own = { 0 };
	supGltfReader reader = { .document = document, .error = error != NULL ? error : &own };
	supBudget budget;
	supBeginLoad( &document->load, &budget );
	supCharacter* character = CreateCharacter( &reader );
	supEndLoad( &document->load, &budget, character == NULL, document->name, reader.error );
	return character;
}
