// SPDX-License-Identifier: MIT
// A mesh of a document with new vertex positions and nothing that would move them again.
#include "io/gltf/gltf_write.h"

bool supIsSkinAttribute( const char* semantic )
{
	return strncmp( semantic, "JOINTS_", 7 ) == 0 || strncmp( semantic, "WEIGHTS_", 8 ) == 0;
}

static bool IsReplaced( const char* semantic )
{
	return strcmp( semantic, "POSITION" ) == 0 || strcmp( semantic, "NORMAL" ) == 0 ||
		   strcmp( semantic, "TANGENT" ) == 0;
}

static bool SetVertices( supDocument* document, json_t* attributes, const char* semantic, const void* values,
						 int32_t count, const char* type, supError* error )
{
	bool withBounds = strcmp( semantic, "POSITION" ) == 0;
	int64_t accessor =
		supDocument_AppendAccessor( document, values, count, SUP_GL_FLOAT, type, SUP_GL_VERTICES, withBounds, error );
	return accessor >= 0 && supJson_Set( attributes, semantic, json_integer( accessor ), error );
}

// The attributes in the order of the source, which shares the accessors that stay.
static json_t* MakeAttributes( supDocument* document, json_t* source, const supPrimitive* primitive,
							   supPosedMesh* posed, supError* error )
{
	json_t* attributes = json_object();
	bool ok = attributes != NULL || supSetMemoryError( error );
	for ( void* i = json_object_iter( source ); i != NULL && ok; i = json_object_iter_next( source, i ) )
	{
		const char* semantic = json_object_iter_key( i );
		if ( supIsSkinAttribute( semantic ) == false && IsReplaced( semantic ) == false )
		{
			ok = supJson_Set( attributes, semantic, json_incref( json_object_iter_value( i ) ), error );
		}
	}
	int32_t start = primitive->vertexStart;
	int32_t count = primitive->vertexCount;
	bool withNormals = posed->normals != NULL && supJson_Get( source, "NORMAL" ) != NULL;
	bool withTangents = posed->tangents != NULL && supJson_Get( source, "TANGENT" ) != NULL;
	ok = ok && SetVertices( document, attributes, "POSITION", posed->positions + start, count, "VEC3", error );
	if ( ok && withNormals )
	{
		supRepairNormals( posed->normals + start, count );
		ok = SetVertices( document, attributes, "NORMAL", posed->normals + start, count, "VEC3", error );
	}
	if ( ok && withTangents )
	{
		const supVec3* normals = withNormals ? posed->normals + start : NULL;
		supRepairTangents( posed->tangents + start, normals, count );
		ok = SetVertices( document, attributes, "TANGENT", posed->tangents + start, count, "VEC4", error );
	}
	if ( ok == false )
	{
		json_decref( attributes );
		return NULL;
	}
	return attributes;
}

// Triangles the other way round, as a plain list whatever they were.
static bool SetTurnedTriangles( supDocument* document, json_t* item, const supMesh* mesh, const supPrimitive* primitive,
								supError* error )
{
	size_t count = (size_t)primitive->indexCount;
	uint32_t* indices = supAllocArray( count, sizeof( uint32_t ) );
	if ( indices == NULL )
	{
		return supSetMemoryError( error );
	}
	for ( size_t i = 0; i < count; ++i )
	{
		size_t corner = i % 3;
		indices[i - corner + ( 2 - corner )] = mesh->indices[(size_t)primitive->indexStart + i];
	}
	int64_t accessor =
		supDocument_AppendIndices( document, indices, primitive->indexCount, (uint32_t)primitive->vertexStart, error );
	supFree( indices );
	return accessor >= 0 && supJson_Set( item, "indices", json_integer( accessor ), error ) &&
		   supJson_Set( item, "mode", json_integer( 4 ), error );
}

// Replaces object[key] by a copy without one member; gone where nothing is left.
static bool RemoveInside( json_t* object, const char* key, const char* member, supError* error )
{
	json_t* inside = supJson_Get( object, key );
	if ( supJson_Get( inside, member ) == NULL )
	{
		return true;
	}
	json_t* copy = supJson_Copy( inside, false );
	json_object_del( copy, member );
	if ( copy != NULL && json_object_size( copy ) == 0 )
	{
		json_decref( copy );
		return json_object_del( object, key ) == 0;
	}
	return supJson_Set( object, key, copy, error );
}

bool supDropCompressedCopy( json_t* primitive, supError* error )
{
	return RemoveInside( primitive, "extensions", "KHR_draco_mesh_compression", error );
}

static json_t* MakePlainPrimitive( supDocument* document, json_t* source, const supMesh* mesh,
								   const supPrimitive* primitive, supPosedMesh* posed, supError* error )
{
	json_t* item = supJson_Copy( source, false );
	json_t* attributes = MakeAttributes( document, supJson_Get( source, "attributes" ), primitive, posed, error );
	bool ok = supJson_Set( item, "attributes", attributes, error );
	json_object_del( item, "targets" );
	ok = ok && supDropCompressedCopy( item, error );
	bool turned = posed->isMirrored && primitive->indexCount > 0;
	ok = ok && ( turned == false || SetTurnedTriangles( document, item, mesh, primitive, error ) );
	if ( ok == false )
	{
		json_decref( item );
		return NULL;
	}
	return item;
}

// A shallow copy of a mesh with other primitives, which it takes over.
static json_t* CopyMesh( json_t* source, json_t* primitives, supError* error )
{
	json_t* copy = supJson_Copy( source, false );
	if ( supJson_Set( copy, "primitives", primitives, error ) == false )
	{
		json_decref( copy );
		return NULL;
	}
	return copy;
}

// What accessors[object[key]] counts, -1 if there is none.
static int32_t CountElements( const supDocument* document, const json_t* object, const char* key )
{
	supAccessor accessor;
	int64_t index = supJson_Index( object, key, -1 );
	return index >= 0 && supDocument_Accessor( document, index, key, &accessor, NULL ) ? accessor.count : -1;
}

bool supIsInCharacter( const supDocument* document, const json_t* primitive )
{
	int32_t vertices = CountElements( document, supJson_Get( primitive, "attributes" ), "POSITION" );
	int32_t indices = CountElements( document, primitive, "indices" );
	return supJson_Index( primitive, "mode", 4 ) >= 4 && vertices >= 0 && ( indices >= 0 ? indices : vertices ) >= 3;
}

static bool FailMatch( const supDocument* document, supError* error )
{
	return supSetError( error, sup_errorArgument, document->name, "belongs to another document" );
}

const supPrimitive* supMatchPrimitive( const supDocument* document, const json_t* primitive, const supMesh* mesh,
									   int32_t index, supError* error )
{
	int32_t vertices = CountElements( document, supJson_Get( primitive, "attributes" ), "POSITION" );
	if ( index >= mesh->primitiveCount || mesh->primitives[index].vertexCount != vertices )
	{
		FailMatch( document, error );
		return NULL;
	}
	return mesh->primitives + index;
}

json_t* supMakePlainMesh( supDocument* document, json_t* source, const supMesh* mesh, supPosedMesh* posed,
						  json_t** leftovers, supError* error )
{
	*leftovers = NULL;
	const json_t* list = supJson_Get( source, "primitives" );
	json_t* plain = json_array();
	json_t* others = json_array();
	int32_t used = 0;
	bool ok = true;
	for ( size_t i = 0; i < json_array_size( list ) && ok; ++i )
	{
		json_t* primitive = supJson_At( list, i );
		if ( supIsInCharacter( document, primitive ) == false )
		{
			ok = supJson_Push( others, json_incref( primitive ), error );
			continue;
		}
		const supPrimitive* own = supMatchPrimitive( document, primitive, mesh, used++, error );
		ok = own != NULL &&
			 supJson_Push( plain, MakePlainPrimitive( document, primitive, mesh, own, posed, error ), error );
	}
	ok = ok && ( used == mesh->primitiveCount || FailMatch( document, error ) );
	json_t* result = ok ? CopyMesh( source, json_incref( plain ), error ) : NULL;
	json_object_del( result, "weights" );
	ok = result != NULL && RemoveInside( result, "extras", "targetNames", error );
	if ( ok && json_array_size( others ) > 0 )
	{
		*leftovers = CopyMesh( source, json_incref( others ), error );
		ok = *leftovers != NULL;
	}
	json_decref( plain );
	json_decref( others );
	if ( ok == false )
	{
		json_decref( result );
		return NULL;
	}
	return result;
}
