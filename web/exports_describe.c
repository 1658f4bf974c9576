// SPDX-License-Identifier: MIT
// What is in a character.
#include "exports.h"

supWebCharacter* supWeb_WrapCharacter( supCharacter* character, supDocument* document )
{
	supWebCharacter* own = character != NULL ? supAllocZeroed( sizeof( *own ) ) : NULL;
	if ( own == NULL )
	{
		if ( character != NULL )
		{
			supSetMemoryError( &g_webError );
		}
		supDestroyCharacter( character );
		supDestroyDocument( document );
		return NULL;
	}
	own->character = character;
	own->document = document;
	return own;
}

SUP_WEB void supWeb_DestroyCharacter( supWebCharacter* own )
{
	for ( int32_t i = 0; i < own->motions.count; ++i )
	{
		supDestroyClip( own->motions.data[i] );
	}
	SUP_FREE_ARRAY( &own->motions );
	supDestroyDocument( own->document );
	supDestroyCharacter( own->character );
	supFree( own );
}

const supClip* supWeb_Clip( const supWebCharacter* own, int32_t index )
{
	int32_t count = supCharacter_ClipCount( own->character );
	if ( index < 0 || index >= count + own->motions.count )
	{
		return NULL;
	}
	return index < count ? supCharacter_Clip( own->character, index ) : own->motions.data[index - count];
}

// ---------------------------------------------------------------------------------------------------------------------
// What is in it, but for arrays

static json_t* DescribeNodes( const supCharacter* character )
{
	json_t* nodes = json_array();
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		json_t* node = json_object();
		supWeb_SetText( node, "name", supCharacter_Node( character, i )->name );
		supWeb_SetCount( node, "parent", supCharacter_Node( character, i )->parent );
		supWeb_SetBool( node, "isJoint", supCharacter_IsJoint( character, i ) );
		supWeb_Append( nodes, node );
	}
	return nodes;
}

static json_t* DescribeClips( const supWebCharacter* own )
{
	json_t* clips = json_array();
	const supClip* clip;
	for ( int32_t i = 0; ( clip = supWeb_Clip( own, i ) ) != NULL; ++i )
	{
		json_t* object = json_object();
		supWeb_SetText( object, "name", clip->name );
		supWeb_SetNumber( object, "begin", clip->start );
		supWeb_SetNumber( object, "end", clip->end );
		supWeb_Append( clips, object );
	}
	return clips;
}

static json_t* DescribeMesh( const supMesh* mesh )
{
	json_t* object = json_object();
	json_t* primitives = json_array();
	for ( int32_t i = 0; i < mesh->primitiveCount; ++i )
	{
		json_t* primitive = json_object();
		supWeb_SetCount( primitive, "first", mesh->primitives[i].indexStart );
		supWeb_SetCount( primitive, "count", mesh->primitives[i].indexCount );
		supWeb_SetCount( primitive, "material", mesh->primitives[i].material );
		supWeb_Append( primitives, primitive );
	}
	supWeb_SetText( object, "name", mesh->name );
	supWeb_SetCount( object, "vertexCount", mesh->vertexCount );
	supWeb_SetCount( object, "indexCount", mesh->indexCount );
	supWeb_SetCount( object, "influences", mesh->influences );
	supWeb_SetCount( object, "targetCount", mesh->targetCount );
	supWeb_Set( object, "primitives", primitives );
	return object;
}

static json_t* DescribeSkins( const supCharacter* character )
{
	json_t* skins = json_array();
	for ( int32_t i = 0; i < supCharacter_SkinCount( character ); ++i )
	{
		const supSkin* skin = supCharacter_Skin( character, i );
		json_t* object = json_object();
		json_t* joints = json_array();
		for ( int32_t k = 0; k < skin->jointCount; ++k )
		{
			supWeb_Append( joints, json_integer( skin->joints[k] ) );
		}
		supWeb_Set( object, "joints", joints );
		supWeb_Append( skins, object );
	}
	return skins;
}

static json_t* DescribeInstances( const supCharacter* character )
{
	json_t* instances = json_array();
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		json_t* object = json_object();
		supWeb_SetCount( object, "mesh", instance->mesh );
		supWeb_SetCount( object, "node", instance->node );
		supWeb_SetCount( object, "skin", instance->skin );
		supWeb_SetText( object, "name", supCharacter_Node( character, instance->node )->name );
		supWeb_Append( instances, object );
	}
	return instances;
}

static json_t* DescribeMaterial( const supMaterial* material )
{
	static const char* const alphas[] = { "opaque", "mask", "blend" };
	json_t* object = json_object();
	supWeb_SetText( object, "name", material->name );
	supWeb_SetNumbers( object, "color", &material->baseColor.x, 4 );
	supWeb_SetNumbers( object, "emissive", &material->emissive.x, 3 );
	supWeb_SetBool( object, "doubleSided", material->doubleSided );
	supWeb_SetNumber( object, "metallic", material->metallic );
	supWeb_SetNumber( object, "roughness", material->roughness );
	supWeb_SetCount( object, "image", material->baseColorImage );
	supWeb_SetText( object, "alpha", alphas[material->alphaMode] );
	supWeb_SetNumber( object, "alphaCutoff", material->alphaCutoff );
	return object;
}

static json_t* DescribeImages( const supCharacter* character )
{
	json_t* images = json_array();
	for ( int32_t i = 0; i < supCharacter_ImageCount( character ); ++i )
	{
		const supImage* image = supCharacter_Image( character, i );
		json_t* object = json_object();
		supWeb_SetText( object, "name", image->name );
		supWeb_SetText( object, "mime", image->mimeType );
		supWeb_SetText( object, "uri", image->uri );
		supWeb_SetCount( object, "byteCount", image->bytes != NULL ? (int64_t)image->byteCount : 0 );
		supWeb_Append( images, object );
	}
	return images;
}

static json_t* DescribeNotes( const supCharacter* character )
{
	json_t* notes = json_array();
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		json_t* text = json_string( supCharacter_Note( character, i )->text );
		supWeb_Append( notes, text != NULL ? text : json_string( "" ) );
	}
	return notes;
}

// Where the skin is at rest; empty where there is none. False where out of memory.
bool supWeb_FindBounds( const supCharacter* character, supBox* bounds )
{
	*bounds = supBox_empty;
	supPose* pose = supCreatePose( character );
	bool ok = pose != NULL;
	for ( int32_t i = 0; ok && i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
		supVec3* positions = supAllocArray( (size_t)count, sizeof( supVec3 ) );
		ok = positions != NULL;
		if ( ok )
		{
			supSkinInstance( pose, i, sup_skinningLinear, supWeb_Tasks(),
							 &( supSkinOutput ){ .positions = positions } );
			for ( int32_t k = 0; k < count; ++k )
			{
				*bounds = supBox_Include( *bounds, positions[k] );
			}
		}
		supFree( positions );
	}
	supDestroyPose( pose );
	return ok;
}

SUP_WEB const char* supWeb_Describe( const supWebCharacter* own )
{
	supClearError( &g_webError );
	const supCharacter* character = own->character;
	supBox bounds;
	if ( supWeb_FindBounds( character, &bounds ) == false )
	{
		supSetMemoryError( &g_webError );
		return "";
	}
	json_t* root = json_object();
	json_t* size = json_array();
	for ( int32_t end = 0; end < 2 && bounds.lower.x <= bounds.upper.x; ++end )
	{
		json_t* point = json_object();
		supWeb_SetNumbers( point, "xyz", end == 0 ? &bounds.lower.x : &bounds.upper.x, 3 );
		supWeb_Append( size, json_incref( json_object_get( point, "xyz" ) ) );
		json_decref( point );
	}
	json_t* meshes = json_array();
	for ( int32_t i = 0; i < supCharacter_MeshCount( character ); ++i )
	{
		supWeb_Append( meshes, DescribeMesh( supCharacter_Mesh( character, i ) ) );
	}
	json_t* materials = json_array();
	for ( int32_t i = 0; i < supCharacter_MaterialCount( character ); ++i )
	{
		supWeb_Append( materials, DescribeMaterial( supCharacter_Material( character, i ) ) );
	}
	supWeb_SetText( root, "name", supCharacter_Name( character ) );
	supWeb_Set( root, "size", size );
	supWeb_Set( root, "nodes", DescribeNodes( character ) );
	supWeb_Set( root, "clips", DescribeClips( own ) );
	supWeb_Set( root, "notes", DescribeNotes( character ) );
	supWeb_Set( root, "meshes", meshes );
	supWeb_Set( root, "skins", DescribeSkins( character ) );
	supWeb_Set( root, "instances", DescribeInstances( character ) );
	supWeb_Set( root, "materials", materials );
	supWeb_Set( root, "images", DescribeImages( character ) );
	return supWeb_Text( root );
}

// ---------------------------------------------------------------------------------------------------------------------
// Arrays, in place. NULL where there is none.

SUP_WEB const void* supWeb_MeshArray( const supWebCharacter* own, int32_t mesh, int32_t which )
{
	const supMesh* source = supCharacter_Mesh( own->character, mesh );
	const void* const arrays[] = { source->indices, source->texcoords, source->colors,  source->softness,
								   source->normals, source->joints,    source->weights, source->positions };
	return arrays[which];
}

SUP_WEB const void* supWeb_ImageBytes( const supWebCharacter* own, int32_t image )
{
	return supCharacter_Image( own->character, image )->bytes;
}
