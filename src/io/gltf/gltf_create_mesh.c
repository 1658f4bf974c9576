// SPDX-License-Identifier: MIT
// The meshes of a character as meshes of a new document: one set of accessors per primitive.
#include "io/gltf/gltf_write.h"

#include <stdio.h>

typedef struct supMeshWriter
{
	supDocument* document;
	const supCharacter* character;
	const supMesh* mesh;
	const int64_t* textures;
	supError* error;
	// copies that are put right before they are written; emptied after each primitive
	supArena arena;
} supMeshWriter;

static bool SetVertices( supMeshWriter* writer, json_t* attributes, const char* semantic, const void* values,
						 int32_t count, int componentType, const char* type )
{
	bool withBounds = strcmp( semantic, "POSITION" ) == 0;
	int64_t accessor = supDocument_AppendAccessor( writer->document, values, count, componentType, type,
												   SUP_GL_VERTICES, withBounds, writer->error );
	return accessor >= 0 && supJson_Set( attributes, semantic, json_integer( accessor ), writer->error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Attributes

static bool HasNormals( const supMesh* mesh, const supPrimitive* primitive )
{
	bool any = false;
	for ( int32_t i = 0; i < primitive->vertexCount && any == false && mesh->normals != NULL; ++i )
	{
		any = supLengthSquared( mesh->normals[primitive->vertexStart + i] ) > 0.0f;
	}
	return any;
}

static bool HasTangents( const supMesh* mesh, const supPrimitive* primitive )
{
	bool any = false;
	for ( int32_t i = 0; i < primitive->vertexCount && any == false && mesh->tangents != NULL; ++i )
	{
		supVec4 t = mesh->tangents[primitive->vertexStart + i];
		any = t.x * t.x + t.y * t.y + t.z * t.z > 0.0f;
	}
	return any;
}

static bool WriteFrame( supMeshWriter* writer, const supPrimitive* primitive, json_t* attributes )
{
	const supMesh* mesh = writer->mesh;
	int32_t count = primitive->vertexCount;
	bool ok = true;
	supVec3* normals = NULL;
	if ( HasNormals( mesh, primitive ) )
	{
		normals = supArena_CopyArray( &writer->arena, mesh->normals + primitive->vertexStart, (size_t)count,
									  sizeof( supVec3 ) );
		if ( normals == NULL )
		{
			return supSetMemoryError( writer->error );
		}
		supRepairNormals( normals, count );
		ok = SetVertices( writer, attributes, "NORMAL", normals, count, SUP_GL_FLOAT, "VEC3" );
	}
	if ( HasTangents( mesh, primitive ) && normals != NULL )
	{
		supVec4* tangents = supArena_CopyArray( &writer->arena, mesh->tangents + primitive->vertexStart, (size_t)count,
												sizeof( supVec4 ) );
		if ( tangents == NULL )
		{
			return supSetMemoryError( writer->error );
		}
		supRepairTangents( tangents, normals, count );
		ok = ok && SetVertices( writer, attributes, "TANGENT", tangents, count, SUP_GL_FLOAT, "VEC4" );
	}
	return ok;
}

// A material with a picture needs coordinates, even where all are zero.
static bool WriteTexcoords( supMeshWriter* writer, const supPrimitive* primitive, json_t* attributes )
{
	const supMesh* mesh = writer->mesh;
	int32_t count = primitive->vertexCount;
	if ( mesh->texcoords != NULL )
	{
		return SetVertices( writer, attributes, "TEXCOORD_0", mesh->texcoords + primitive->vertexStart, count,
							SUP_GL_FLOAT, "VEC2" );
	}
	int32_t image = -1;
	if ( primitive->material >= 0 )
	{
		image = supCharacter_Material( writer->character, primitive->material )->baseColorImage;
	}
	if ( image < 0 || writer->textures[image] < 0 )
	{
		return true;
	}
	supVec2* zeros = supArena_AllocZeroed( &writer->arena, (size_t)count * sizeof( supVec2 ) );
	return zeros != NULL ? SetVertices( writer, attributes, "TEXCOORD_0", zeros, count, SUP_GL_FLOAT, "VEC2" )
						 : supSetMemoryError( writer->error );
}

// glTF wants colours between 0 and 1.
static bool WriteColors( supMeshWriter* writer, const supPrimitive* primitive, json_t* attributes )
{
	const supMesh* mesh = writer->mesh;
	if ( mesh->colors == NULL )
	{
		return true;
	}
	supVec4* colors = supArena_CopyArray( &writer->arena, mesh->colors + primitive->vertexStart,
										  (size_t)primitive->vertexCount, sizeof( supVec4 ) );
	if ( colors == NULL )
	{
		return supSetMemoryError( writer->error );
	}
	float* components = &colors->x;
	for ( size_t i = 0; i < (size_t)primitive->vertexCount * 4; ++i )
	{
		components[i] = supClampFloat( components[i], 0.0f, 1.0f );
	}
	return SetVertices( writer, attributes, "COLOR_0", colors, primitive->vertexCount, SUP_GL_FLOAT, "VEC4" );
}

static bool WriteSoftness( supMeshWriter* writer, const supPrimitive* primitive, json_t* attributes )
{
	const supMesh* mesh = writer->mesh;
	return mesh->softness == NULL ||
		   SetVertices( writer, attributes, "_SOFTNESS", mesh->softness + primitive->vertexStart,
						primitive->vertexCount, SUP_GL_FLOAT, "SCALAR" );
}

// ---------------------------------------------------------------------------------------------------------------------
// Weights

typedef struct VertexWeights
{
	uint16_t joints[SUP_MAX_INFLUENCES];
	float weights[SUP_MAX_INFLUENCES];
} VertexWeights;

// What glTF asks of a vertex: no joint twice, joint 0 where the weight is 0, and a sum of one. Readers add up floats
// and tolerate 2e-7 for each; the heaviest, which is the first, takes the rounding of the others.
static VertexWeights SettleWeights( const supMesh* mesh, size_t vertex )
{
	VertexWeights v = { 0 };
	size_t start = vertex * (size_t)mesh->influences;
	float sum = 0.0f;
	int32_t used = 0;
	for ( int32_t i = 0; i < mesh->influences; ++i )
	{
		float weight = mesh->weights[start + (size_t)i];
		uint16_t joint = mesh->joints[start + (size_t)i];
		int32_t slot = 0;
		while ( slot < used && v.joints[slot] != joint )
		{
			slot += 1;
		}
		if ( weight != 0.0f )
		{
			v.joints[slot] = joint;
			v.weights[slot] += weight;
			sum += weight;
			used = slot == used ? used + 1 : used;
		}
	}
	v.weights[0] += fabsf( sum - 1.0f ) > 1.8e-7f * (float)used ? 1.0f - sum : 0.0f;
	return v;
}

// Bones `set` * 4 to `set` * 4 + 3 of each vertex.
static bool WriteInfluenceSet( supMeshWriter* writer, const supPrimitive* primitive, json_t* attributes, int32_t set,
							   bool narrow )
{
	const supMesh* mesh = writer->mesh;
	size_t count = (size_t)primitive->vertexCount;
	uint8_t* bytes = supArena_AllocZeroed( &writer->arena, count * 4 );
	uint16_t* shorts = supArena_AllocZeroed( &writer->arena, count * 4 * sizeof( uint16_t ) );
	float* weights = supArena_AllocZeroed( &writer->arena, count * 4 * sizeof( float ) );
	if ( bytes == NULL || shorts == NULL || weights == NULL )
	{
		return supSetMemoryError( writer->error );
	}
	for ( size_t i = 0; i < count; ++i )
	{
		VertexWeights v = SettleWeights( mesh, (size_t)primitive->vertexStart + i );
		for ( size_t k = 0; k < 4; ++k )
		{
			weights[4 * i + k] = v.weights[4 * set + (int)k];
			shorts[4 * i + k] = v.joints[4 * set + (int)k];
			bytes[4 * i + k] = (uint8_t)shorts[4 * i + k];
		}
	}
	char joints[32];
	char name[32];
	snprintf( joints, sizeof( joints ), "JOINTS_%d", (int)set );
	snprintf( name, sizeof( name ), "WEIGHTS_%d", (int)set );
	int type = narrow ? SUP_GL_UNSIGNED_BYTE : SUP_GL_UNSIGNED_SHORT;
	const void* values = narrow ? (const void*)bytes : (const void*)shorts;
	return SetVertices( writer, attributes, joints, values, primitive->vertexCount, type, "VEC4" ) &&
		   SetVertices( writer, attributes, name, weights, primitive->vertexCount, SUP_GL_FLOAT, "VEC4" );
}

static bool WriteInfluences( supMeshWriter* writer, const supPrimitive* primitive, json_t* attributes )
{
	const supMesh* mesh = writer->mesh;
	size_t start = (size_t)primitive->vertexStart * (size_t)mesh->influences;
	size_t count = (size_t)primitive->vertexCount * (size_t)mesh->influences;
	bool narrow = true;
	for ( size_t i = start; i < start + count && narrow; ++i )
	{
		narrow = mesh->joints[i] <= UINT8_MAX;
	}
	bool ok = true;
	for ( int32_t set = 0; 4 * set < mesh->influences && ok; ++set )
	{
		ok = WriteInfluenceSet( writer, primitive, attributes, set, narrow );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Morph targets

static bool WriteTarget( supMeshWriter* writer, const supPrimitive* primitive, const json_t* attributes,
						 const supMorphTarget* target, json_t* targets )
{
	int32_t start = primitive->vertexStart;
	int32_t count = primitive->vertexCount;
	json_t* item = json_object();
	const supVec3* positions = target->positions != NULL ? target->positions + start : NULL;
	bool withNormals = target->normals != NULL && supJson_Get( attributes, "NORMAL" ) != NULL;
	bool withTangents = target->tangents != NULL && supJson_Get( attributes, "TANGENT" ) != NULL;
	if ( positions == NULL && withNormals == false && withTangents == false )
	{
		// a target may not be empty
		positions = supArena_AllocZeroed( &writer->arena, (size_t)count * sizeof( supVec3 ) );
	}
	bool ok = item != NULL && writer->arena.failed == false ? true : supSetMemoryError( writer->error );
	ok = ok && ( positions == NULL || SetVertices( writer, item, "POSITION", positions, count, SUP_GL_FLOAT, "VEC3" ) );
	ok = ok && ( withNormals == false ||
				 SetVertices( writer, item, "NORMAL", target->normals + start, count, SUP_GL_FLOAT, "VEC3" ) );
	ok = ok && ( withTangents == false ||
				 SetVertices( writer, item, "TANGENT", target->tangents + start, count, SUP_GL_FLOAT, "VEC3" ) );
	return supJson_Push( targets, item, writer->error ) && ok;
}

static bool WriteTargets( supMeshWriter* writer, const supPrimitive* primitive, const json_t* attributes, json_t* item )
{
	const supMesh* mesh = writer->mesh;
	if ( mesh->targetCount == 0 )
	{
		return true;
	}
	json_t* targets = json_array();
	bool ok = true;
	for ( int32_t i = 0; i < mesh->targetCount && ok; ++i )
	{
		ok = WriteTarget( writer, primitive, attributes, mesh->targets + i, targets );
	}
	return supJson_Set( item, "targets", targets, writer->error ) && ok;
}

static bool WriteTargetNames( supMeshWriter* writer, json_t* item )
{
	const supMesh* mesh = writer->mesh;
	bool named = false;
	for ( int32_t i = 0; i < mesh->targetCount; ++i )
	{
		named = named || mesh->targets[i].name[0] != 0;
	}
	if ( named == false )
	{
		return true;
	}
	json_t* extras = json_object();
	json_t* names = json_array();
	bool ok = true;
	for ( int32_t i = 0; i < mesh->targetCount && ok; ++i )
	{
		ok = supJson_Push( names, supJson_MakeString( mesh->targets[i].name ), writer->error );
	}
	ok = supJson_Set( extras, "targetNames", names, writer->error ) && ok;
	return supJson_Set( item, "extras", extras, writer->error ) && ok;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool WritePrimitive( supMeshWriter* writer, const supPrimitive* primitive, json_t* primitives )
{
	const supMesh* mesh = writer->mesh;
	supError* error = writer->error;
	json_t* item = json_object();
	json_t* attributes = json_object();
	bool ok = item != NULL && attributes != NULL ? true : supSetMemoryError( error );
	ok = ok && SetVertices( writer, attributes, "POSITION", mesh->positions + primitive->vertexStart,
							primitive->vertexCount, SUP_GL_FLOAT, "VEC3" );
	ok = ok && WriteFrame( writer, primitive, attributes ) && WriteTexcoords( writer, primitive, attributes ) &&
		 WriteColors( writer, primitive, attributes ) && WriteSoftness( writer, primitive, attributes ) &&
		 WriteInfluences( writer, primitive, attributes );
	int64_t indices = -1;
	if ( ok )
	{
		indices = supDocument_AppendIndices( writer->document, mesh->indices + primitive->indexStart,
											 primitive->indexCount, (uint32_t)primitive->vertexStart, error );
	}
	ok = ok && indices >= 0 && WriteTargets( writer, primitive, attributes, item );
	ok = supJson_Set( item, "attributes", attributes, error ) && ok;
	ok = ok && supJson_Set( item, "indices", json_integer( indices ), error );
	ok = ok &&
		 ( primitive->material < 0 || supJson_Set( item, "material", json_integer( primitive->material ), error ) );
	supArena_Destroy( &writer->arena );
	return supJson_Push( primitives, item, error ) && ok;
}

// The index in the document, -1 where there is nothing to write; -2 with an error.
static int64_t WriteMesh( supMeshWriter* writer )
{
	const supMesh* mesh = writer->mesh;
	json_t* item = json_object();
	json_t* primitives = json_array();
	bool ok = item != NULL && primitives != NULL ? true : supSetMemoryError( writer->error );
	for ( int32_t i = 0; i < mesh->primitiveCount && ok; ++i )
	{
		const supPrimitive* primitive = mesh->primitives + i;
		ok = primitive->vertexCount == 0 || primitive->indexCount == 0 ||
			 WritePrimitive( writer, primitive, primitives );
	}
	int64_t index = ok ? -1 : -2;
	if ( ok && json_array_size( primitives ) > 0 )
	{
		ok = mesh->name[0] == 0 || supJson_Set( item, "name", supJson_MakeString( mesh->name ), writer->error );
		ok = ok && supJson_Set( item, "primitives", json_incref( primitives ), writer->error );
		ok = ok && WriteTargetNames( writer, item );
		index = ok ? supDocument_AppendItem( writer->document, "meshes", json_incref( item ), writer->error ) : -1;
		index = index >= 0 ? index : -2;
	}
	json_decref( primitives );
	json_decref( item );
	return index;
}

bool supWriteMeshes( supDocument* document, const supCharacter* character, const int64_t* textures, int64_t* indices,
					 supError* error )
{
	supMeshWriter writer = { .document = document, .character = character, .textures = textures, .error = error };
	bool ok = true;
	for ( int32_t i = 0; i < supCharacter_MeshCount( character ) && ok; ++i )
	{
		writer.mesh = supCharacter_Mesh( character, i );
		indices[i] = WriteMesh( &writer );
		ok = indices[i] > -2;
	}
	return ok;
}
