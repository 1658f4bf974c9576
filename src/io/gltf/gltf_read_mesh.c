// SPDX-License-Identifier: MIT
// Meshes of a glTF document: the primitives of each one after another, as triangle lists.
#include "io/gltf/gltf_reader.h"

#include <stdio.h>

#define MOST_WEIGHT_SETS 4

static const char* const s_jointNames[MOST_WEIGHT_SETS] = { "JOINTS_0", "JOINTS_1", "JOINTS_2", "JOINTS_3" };
static const char* const s_weightNames[MOST_WEIGHT_SETS] = { "WEIGHTS_0", "WEIGHTS_1", "WEIGHTS_2", "WEIGHTS_3" };

// What a primitive brings, found before anything is allocated.
typedef struct Primitive
{
	const json_t* object;
	const json_t* attributes;
	const json_t* targets;
	int32_t vertexCount;
	int32_t elementCount; // indices as stored, or vertices
	int32_t indexCount;   // three per triangle
	int64_t indices;      // accessor, -1 without
	int32_t mode;
	int32_t vertexStart;
	char where[64];
} Primitive;

// The arrays of a mesh while they are being filled.
typedef struct MeshArrays
{
	supMesh* mesh;
	uint32_t* indices;
	supVec3* positions;
	supVec3* normals;
	supVec4* tangents;
	supVec2* texcoords;
	supVec4* colors;
	float* softness;
	uint16_t* joints;
	float* weights;
	supPrimitive* primitives;
	supMorphTarget* targets;
} MeshArrays;

enum
{
	ModeTriangles = 4,
	ModeStrip = 5,
	ModeFan = 6
};

// ---------------------------------------------------------------------------------------------------------------------
// Looking

// `usable` stays false where the primitive is nothing to show, which is noted.
static bool LookAtPrimitive( supGltfReader* reader, Primitive* primitive, int32_t meshIndex, int32_t index,
							 bool* usable )
{
	const json_t* object = primitive->object;
	snprintf( primitive->where, sizeof( primitive->where ), "meshes[%d].primitives[%d]", meshIndex, index );
	primitive->attributes = supJson_Get( object, "attributes" );
	primitive->targets = supJson_Get( object, "targets" );
	primitive->indices = supJson_Index( object, "indices", -1 );
	primitive->mode = (int32_t)supJson_Index( object, "mode", ModeTriangles );
	*usable = false;
	if ( primitive->mode < 0 || primitive->mode > ModeFan )
	{
		return supGltf_Fail( reader, sup_errorFormat, primitive->where, "its mode is not between 0 and 6" );
	}
	if ( primitive->mode < ModeTriangles )
	{
		return supGltf_AddNote( reader, true, "%s: points or lines; dropped", primitive->where );
	}
	int64_t positions = supJson_Index( primitive->attributes, "POSITION", -1 );
	if ( positions == -1 )
	{
		return supGltf_AddNote( reader, true, "%s: no positions; dropped", primitive->where );
	}
	supAccessor shape;
	if ( supDocument_Accessor( reader->document, positions, primitive->where, &shape, reader->error ) == false )
	{
		return false;
	}
	primitive->vertexCount = shape.count;
	primitive->elementCount = shape.count;
	if ( primitive->indices != -1 )
	{
		if ( supDocument_Accessor( reader->document, primitive->indices, primitive->where, &shape, reader->error ) ==
			 false )
		{
			return false;
		}
		primitive->elementCount = shape.count;
		if ( shape.width != 1 )
		{
			return supGltf_Fail( reader, sup_errorFormat, primitive->where, "its indices are not of type SCALAR" );
		}
	}
	int32_t elements = primitive->elementCount;
	int32_t triangles = primitive->mode == ModeTriangles ? elements / 3 : ( elements > 2 ? elements - 2 : 0 );
	if ( triangles == 0 )
	{
		return supGltf_AddNote( reader, true, "%s: too few vertices for a triangle; dropped", primitive->where );
	}
	if ( triangles > INT32_MAX / 3 )
	{
		return supGltf_Fail( reader, sup_errorTooLarge, primitive->where, "too many triangles" );
	}
	primitive->indexCount = 3 * triangles;
	*usable = true;
	return primitive->mode != ModeTriangles || elements % 3 == 0 ||
		   supGltf_AddNote( reader, true, "%s: %d indices are not a multiple of 3; the last %d were dropped",
							primitive->where, elements, elements % 3 );
}

static int64_t Attribute( const Primitive* primitive, const char* name )
{
	return supJson_Index( primitive->attributes, name, -1 );
}

static int32_t CountWeightSets( const Primitive* primitive )
{
	int32_t sets = 0;
	for ( ; sets < MOST_WEIGHT_SETS; ++sets )
	{
		if ( Attribute( primitive, s_jointNames[sets] ) == -1 || Attribute( primitive, s_weightNames[sets] ) == -1 )
		{
			break;
		}
	}
	return sets;
}

// ---------------------------------------------------------------------------------------------------------------------
// Room

// Room for an attribute where some primitive has it. True where there is nothing to do.
static bool ReserveAttribute( supGltfReader* reader, const supMesh* mesh, const Primitive* primitives, const char* name,
							  size_t itemSize, void* array )
{
	bool wanted = false;
	for ( int32_t i = 0; i < mesh->primitiveCount; ++i )
	{
		wanted = wanted || Attribute( primitives + i, name ) != -1;
	}
	if ( wanted == false )
	{
		return true;
	}
	void* memory = supGltf_Alloc( reader, (size_t)mesh->vertexCount, itemSize );
	memcpy( array, &memory, sizeof( memory ) );
	return memory != NULL;
}

static bool ReserveWeights( supGltfReader* reader, supMesh* mesh, const Primitive* primitives, MeshArrays* arrays )
{
	int32_t sets = 0;
	for ( int32_t i = 0; i < mesh->primitiveCount; ++i )
	{
		int32_t own = CountWeightSets( primitives + i );
		sets = own > sets ? own : sets;
	}
	mesh->influences = 4 * sets;
	if ( sets == 0 )
	{
		return true;
	}
	size_t count = (size_t)mesh->influences * (size_t)mesh->vertexCount;
	arrays->joints = supGltf_Alloc( reader, count, sizeof( uint16_t ) );
	arrays->weights = supGltf_Alloc( reader, count, sizeof( float ) );
	mesh->joints = arrays->joints;
	mesh->weights = arrays->weights;
	return arrays->joints != NULL && arrays->weights != NULL;
}

static const char* const s_targetAttributes[3] = { "POSITION", "NORMAL", "TANGENT" };

// Bit k of flags[i]: some primitive changes attribute k in target i. One look at each, however many there are.
static void FindTargetAttributes( const supMesh* mesh, const Primitive* primitives, uint8_t* flags )
{
	for ( int32_t i = 0; i < mesh->primitiveCount; ++i )
	{
		size_t index;
		json_t* target;
		json_array_foreach( primitives[i].targets, index, target )
		{
			for ( int32_t k = 0; k < 3; ++k )
			{
				flags[index] |= supJson_Get( target, s_targetAttributes[k] ) != NULL ? (uint8_t)( 1 << k ) : 0;
			}
		}
	}
}

static bool ReserveTarget( supGltfReader* reader, const supMesh* mesh, uint8_t flags, supMorphTarget* target )
{
	supVec3* arrays[3] = { NULL, NULL, NULL };
	for ( int32_t k = 0; k < 3; ++k )
	{
		bool wanted = ( flags & 1 << k ) != 0;
		arrays[k] = wanted ? supGltf_Alloc( reader, (size_t)mesh->vertexCount, sizeof( supVec3 ) ) : NULL;
		if ( wanted && arrays[k] == NULL )
		{
			return false;
		}
	}
	target->positions = arrays[0];
	target->normals = arrays[1];
	target->tangents = arrays[2];
	return true;
}

static bool ReserveTargets( supGltfReader* reader, const json_t* object, supMesh* mesh, const Primitive* primitives,
							MeshArrays* arrays )
{
	for ( int32_t i = 0; i < mesh->primitiveCount; ++i )
	{
		int32_t own = (int32_t)json_array_size( primitives[i].targets );
		mesh->targetCount = own > mesh->targetCount ? own : mesh->targetCount;
	}
	arrays->targets = supGltf_Alloc( reader, (size_t)mesh->targetCount, sizeof( supMorphTarget ) );
	mesh->targets = arrays->targets;
	uint8_t* flags = supGltf_Alloc( reader, (size_t)mesh->targetCount, 1 );
	if ( arrays->targets == NULL || flags == NULL )
	{
		return false;
	}
	FindTargetAttributes( mesh, primitives, flags );
	// no standard says where names of targets go; this is where Blender, three.js and the rest agree
	const json_t* names = supJson_Get( supJson_Get( object, "extras" ), "targetNames" );
	for ( int32_t i = 0; i < mesh->targetCount; ++i )
	{
		const json_t* name = supJson_At( names, (size_t)i );
		arrays->targets[i].name = json_is_string( name ) ? json_string_value( name ) : "";
		if ( ReserveTarget( reader, mesh, flags[i], arrays->targets + i ) == false )
		{
			return false;
		}
	}
	return true;
}

static bool Reserve( supGltfReader* reader, const json_t* object, supMesh* mesh, const Primitive* primitives,
					 MeshArrays* arrays )
{
	arrays->mesh = mesh;
	arrays->indices = supGltf_Alloc( reader, (size_t)mesh->indexCount, sizeof( uint32_t ) );
	arrays->positions = supGltf_Alloc( reader, (size_t)mesh->vertexCount, sizeof( supVec3 ) );
	arrays->primitives = supGltf_Alloc( reader, (size_t)mesh->primitiveCount, sizeof( supPrimitive ) );
	bool ok = arrays->indices != NULL && arrays->positions != NULL && arrays->primitives != NULL &&
			  ReserveAttribute( reader, mesh, primitives, "NORMAL", sizeof( supVec3 ), &arrays->normals ) &&
			  ReserveAttribute( reader, mesh, primitives, "TANGENT", sizeof( supVec4 ), &arrays->tangents ) &&
			  ReserveAttribute( reader, mesh, primitives, "TEXCOORD_0", sizeof( supVec2 ), &arrays->texcoords ) &&
			  ReserveAttribute( reader, mesh, primitives, "COLOR_0", sizeof( supVec4 ), &arrays->colors ) &&
			  ReserveAttribute( reader, mesh, primitives, "_SOFTNESS", sizeof( float ), &arrays->softness ) &&
			  ReserveWeights( reader, mesh, primitives, arrays ) &&
			  ReserveTargets( reader, object, mesh, primitives, arrays );
	mesh->indices = arrays->indices;
	mesh->positions = arrays->positions;
	mesh->normals = arrays->normals;
	mesh->tangents = arrays->tangents;
	mesh->texcoords = arrays->texcoords;
	mesh->colors = arrays->colors;
	mesh->softness = arrays->softness;
	mesh->primitives = arrays->primitives;
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Filling

// One value per vertex: `least` to `most` components, written `outWidth` apart. `scratch` is used and left as it was.
static bool FillAttribute( supGltfReader* reader, const Primitive* primitive, int64_t accessor, const char* name,
						   int32_t least, int32_t most, int32_t outWidth, float* out )
{
	char where[160];
	snprintf( where, sizeof( where ), "%s.%s", primitive->where, name );
	supAccessor shape;
	if ( supDocument_Accessor( reader->document, accessor, where, &shape, reader->error ) == false )
	{
		return false;
	}
	if ( shape.count != primitive->vertexCount || shape.width < least || shape.width > most )
	{
		return supGltf_Fail( reader, sup_errorFormat, where,
							 "it has %d values of %d components; %d values of %d are needed", shape.count, shape.width,
							 primitive->vertexCount, most );
	}
	supArena scratch = { .limit = reader->arena.limit };
	const float* values = supDocument_ReadFloats( reader->document, accessor, where, &scratch, &shape, reader->error );
	for ( int32_t i = 0; values != NULL && i < shape.count; ++i )
	{
		memcpy( out + (size_t)i * (size_t)outWidth, values + (size_t)i * (size_t)shape.width,
				(size_t)shape.width * sizeof( float ) );
	}
	supArena_Destroy( &scratch );
	return values != NULL;
}

static bool FillOptional( supGltfReader* reader, const Primitive* primitive, const char* name, int32_t least,
						  int32_t width, void* array )
{
	int64_t accessor = Attribute( primitive, name );
	return accessor == -1 || FillAttribute( reader, primitive, accessor, name, least, width, width,
											(float*)array + (size_t)primitive->vertexStart * (size_t)width );
}

static bool FillColors( supGltfReader* reader, const Primitive* primitive, supVec4* colors )
{
	for ( int32_t i = 0; colors != NULL && i < primitive->vertexCount; ++i )
	{
		// opaque where the file gives three components, white where this primitive gives none
		colors[primitive->vertexStart + i] = ( supVec4 ){ 1.0f, 1.0f, 1.0f, 1.0f };
	}
	return FillOptional( reader, primitive, "COLOR_0", 3, 4, colors );
}

static bool FillJoints( supGltfReader* reader, const Primitive* primitive, int64_t accessor, const char* name,
						int32_t stride, uint16_t* out )
{
	char where[160];
	snprintf( where, sizeof( where ), "%s.%s", primitive->where, name );
	supAccessor shape;
	if ( supDocument_Accessor( reader->document, accessor, where, &shape, reader->error ) == false )
	{
		return false;
	}
	if ( shape.count != primitive->vertexCount || shape.width != 4 )
	{
		return supGltf_Fail( reader, sup_errorFormat, where,
							 "it has %d values of %d components; %d values of 4 are needed", shape.count, shape.width,
							 primitive->vertexCount );
	}
	supArena scratch = { .limit = reader->arena.limit };
	const uint32_t* values =
		supDocument_ReadIntegers( reader->document, accessor, where, &scratch, &shape, reader->error );
	bool ok = values != NULL;
	for ( size_t i = 0; ok && i < 4 * (size_t)shape.count; ++i )
	{
		out[i / 4 * (size_t)stride + i % 4] = (uint16_t)values[i];
		ok = values[i] <= UINT16_MAX ||
			 supGltf_Fail( reader, sup_errorFormat, where, "joint %u does not exist", values[i] );
	}
	supArena_Destroy( &scratch );
	return ok;
}

static bool FillWeights( supGltfReader* reader, const Primitive* primitive, MeshArrays* arrays )
{
	int32_t sets = CountWeightSets( primitive );
	int32_t stride = arrays->mesh->influences;
	for ( int32_t i = 0; i < sets; ++i )
	{
		const char* joints = s_jointNames[i];
		const char* weights = s_weightNames[i];
		size_t start = (size_t)primitive->vertexStart * (size_t)stride + 4 * (size_t)i;
		if ( FillJoints( reader, primitive, Attribute( primitive, joints ), joints, stride, arrays->joints + start ) ==
				 false ||
			 FillAttribute( reader, primitive, Attribute( primitive, weights ), weights, 4, 4, stride,
							arrays->weights + start ) == false )
		{
			return false;
		}
	}
	return true;
}

static bool FillTargets( supGltfReader* reader, const Primitive* primitive, const MeshArrays* arrays )
{
	int32_t count = (int32_t)json_array_size( primitive->targets );
	for ( int32_t i = 0; i < count; ++i )
	{
		// allocated above as floats that may be written; the definition only reads them
		const supMorphTarget* target = arrays->targets + i;
		const supVec3* const arraysOfTarget[3] = { target->positions, target->normals, target->tangents };
		const json_t* object = supJson_At( primitive->targets, (size_t)i );
		for ( int32_t k = 0; k < 3; ++k )
		{
			int64_t accessor = supJson_Index( object, s_targetAttributes[k], -1 );
			if ( accessor == -1 )
			{
				continue;
			}
			char place[64];
			snprintf( place, sizeof( place ), "targets[%d].%s", i, s_targetAttributes[k] );
			float* out = (float*)(uintptr_t)( arraysOfTarget[k] + primitive->vertexStart );
			if ( FillAttribute( reader, primitive, accessor, place, 3, 3, 3, out ) == false )
			{
				return false;
			}
		}
	}
	return true;
}

// glTF 2.0, section 3.7.2.1: how strips and fans become triangles.
static int32_t CornerOf( int32_t mode, int32_t triangle, int32_t corner )
{
	int32_t odd = triangle & 1;
	switch ( mode )
	{
		case ModeStrip:
			return corner == 0 ? triangle : ( corner == 1 ? triangle + 1 + odd : triangle + 2 - odd );
		case ModeFan:
			return corner == 2 ? 0 : triangle + 1 + corner;
		default:
			return 3 * triangle + corner;
	}
}

static bool FillIndices( supGltfReader* reader, const Primitive* primitive, uint32_t* out )
{
	supArena scratch = { .limit = reader->arena.limit };
	const uint32_t* elements = NULL;
	supAccessor shape;
	if ( primitive->indices != -1 )
	{
		char where[160];
		snprintf( where, sizeof( where ), "%s.indices", primitive->where );
		elements =
			supDocument_ReadIntegers( reader->document, primitive->indices, where, &scratch, &shape, reader->error );
		if ( elements == NULL )
		{
			supArena_Destroy( &scratch );
			return false;
		}
	}
	bool ok = true;
	for ( int32_t i = 0; ok && i < primitive->indexCount; ++i )
	{
		int32_t element = CornerOf( primitive->mode, i / 3, i % 3 );
		uint32_t vertex = elements != NULL ? elements[element] : (uint32_t)element;
		out[i] = (uint32_t)primitive->vertexStart + vertex;
		ok = vertex < (uint32_t)primitive->vertexCount ||
			 supGltf_Fail( reader, sup_errorFormat, primitive->where,
						   "indices[%d] is vertex %u, but there are only %d vertices", element, vertex,
						   primitive->vertexCount );
	}
	supArena_Destroy( &scratch );
	return ok;
}

static bool FillPrimitive( supGltfReader* reader, const Primitive* primitive, MeshArrays* arrays, supPrimitive* out )
{
	int64_t material = supJson_Index( primitive->object, "material", -1 );
	int32_t materialCount = 0;
	supGltf_List( reader, "materials", &materialCount );
	if ( material < -1 || material >= materialCount )
	{
		return supGltf_Fail( reader, sup_errorFormat, primitive->where, "it refers to a missing material" );
	}
	out->material = (int32_t)material;
	return FillIndices( reader, primitive, arrays->indices + out->indexStart ) &&
		   FillOptional( reader, primitive, "POSITION", 3, 3, arrays->positions ) &&
		   FillOptional( reader, primitive, "NORMAL", 3, 3, arrays->normals ) &&
		   FillOptional( reader, primitive, "TANGENT", 4, 4, arrays->tangents ) &&
		   FillOptional( reader, primitive, "TEXCOORD_0", 2, 2, arrays->texcoords ) &&
		   FillColors( reader, primitive, arrays->colors ) &&
		   FillOptional( reader, primitive, "_SOFTNESS", 1, 1, arrays->softness ) &&
		   FillWeights( reader, primitive, arrays ) && FillTargets( reader, primitive, arrays );
}

// ---------------------------------------------------------------------------------------------------------------------

static bool ReadMesh( supGltfReader* reader, int32_t index, const json_t* object, supMesh* mesh )
{
	mesh->name = supJson_String( object, "name", "" );
	const json_t* list = supJson_Get( object, "primitives" );
	size_t listCount = json_array_size( list );
	Primitive* primitives = supGltf_Alloc( reader, listCount, sizeof( Primitive ) );
	if ( primitives == NULL )
	{
		return false;
	}
	int64_t vertexTotal = 0;
	int64_t indexTotal = 0;
	bool plain = false;
	for ( size_t i = 0; i < listCount; ++i )
	{
		Primitive* primitive = primitives + mesh->primitiveCount;
		bool usable = false;
		*primitive = ( Primitive ){ .object = supJson_At( list, i ), .vertexStart = (int32_t)vertexTotal };
		if ( LookAtPrimitive( reader, primitive, index, (int32_t)i, &usable ) == false )
		{
			return false;
		}
		if ( usable )
		{
			mesh->primitiveCount += 1;
			plain = plain || primitive->indices == -1;
			vertexTotal += primitive->vertexCount;
			indexTotal += primitive->indexCount;
		}
		if ( vertexTotal > INT32_MAX || indexTotal > INT32_MAX )
		{
			return supGltf_Fail( reader, sup_errorTooLarge, primitive->where, "too many vertices" );
		}
	}
	mesh->vertexCount = (int32_t)vertexTotal;
	mesh->indexCount = (int32_t)indexTotal;
	MeshArrays arrays = { 0 };
	if ( Reserve( reader, object, mesh, primitives, &arrays ) == false )
	{
		return false;
	}
	if ( plain )
	{
		supGltf_Count( &reader->notIndexed, index );
	}
	int32_t indexStart = 0;
	for ( int32_t i = 0; i < mesh->primitiveCount; ++i )
	{
		const Primitive* primitive = primitives + i;
		arrays.primitives[i] = ( supPrimitive ){ .vertexStart = primitive->vertexStart,
												 .vertexCount = primitive->vertexCount,
												 .indexStart = indexStart,
												 .indexCount = primitive->indexCount };
		indexStart += primitive->indexCount;
		if ( FillPrimitive( reader, primitive, &arrays, arrays.primitives + i ) == false )
		{
			return false;
		}
	}
	return true;
}

bool supGltf_ReadMeshes( supGltfReader* reader )
{
	const json_t* list = supGltf_List( reader, "meshes", &reader->def.meshCount );
	int32_t count = reader->def.meshCount;
	reader->meshes = supGltf_Alloc( reader, (size_t)count, sizeof( supMesh ) );
	reader->def.meshes = reader->meshes;
	if ( reader->meshes == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( ReadMesh( reader, i, supJson_At( list, (size_t)i ), reader->meshes + i ) == false )
		{
			return false;
		}
	}
	return true;
}
