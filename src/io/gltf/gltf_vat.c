// SPDX-License-Identifier: MIT
#include "io/gltf/gltf_vat.h"

#include "io/gltf/gltf_replace.h"

// Sides of textures in texels: every graphics card takes 4096, those of the last ten years the most.
#define MOST_SIDE 16384
// Most columns and rows, tried in this order. Engines that keep texture coordinates as half floats (Godot 3 does unless
// told otherwise) find the right one of up to 1024 columns: the steps of half floats below 1 are 1/2048.
static const int32_t s_sides[][2] = { { 1024, 4096 }, { 4096, 4096 }, { 8192, 8192 }, { MOST_SIDE, MOST_SIDE } };

typedef struct VatWriter
{
	supReplacer replacer;
	const supFrames* frames;
	const supVatLayout* layout;
	supArena arena;
	bool* mirrored;
	int32_t firstVertex; // of the instance at hand
} VatWriter;

bool supMakeVatLayout( const supCharacter* character, int32_t frameCount, supVatLayout* layout, supError* error )
{
	int64_t count = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		count += supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
	}
	int64_t rows = 0;
	for ( size_t k = 0; k < SUP_COUNT( s_sides ) && count > 0; ++k )
	{
		rows = ( count + s_sides[k][0] - 1 ) / s_sides[k][0];
		if ( rows * frameCount <= s_sides[k][1] )
		{
			*layout = ( supVatLayout ){ .vertexCount = (int32_t)count,
										.frameCount = frameCount,
										.width = (int32_t)( ( count + rows - 1 ) / rows ),
										.height = (int32_t)rows * frameCount,
										.rowsPerFrame = (int32_t)rows };
			return true;
		}
	}
	return supSetError( error, sup_errorTooLarge, supCharacter_Name( character ),
						"%lld vertices in %d frames need a texture of %lld rows (at most %d); bake fewer frames "
						"(--fps, --from, --to) or fewer clips",
						(long long)count, (int)frameCount, (long long)( rows * frameCount ), MOST_SIDE );
}

static const supMesh* MeshOf( const VatWriter* writer, int32_t instance )
{
	const supCharacter* character = writer->frames->character;
	return supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
}

// A second set needs a first: zeros if there is none.
static bool AddCoordinates( VatWriter* writer, json_t* primitive, const supPrimitive* own )
{
	supError* error = writer->replacer.error;
	supDocument* document = writer->replacer.document;
	json_t* attributes = supJson_Get( primitive, "attributes" );
	float* values = supAllocZeroed( 2 * (size_t)own->vertexCount * sizeof( float ) );
	if ( values == NULL )
	{
		return supSetMemoryError( error );
	}
	bool ok = true;
	if ( supJson_Get( attributes, "TEXCOORD_0" ) == NULL )
	{
		int64_t accessor = supDocument_AppendAccessor( document, values, own->vertexCount, SUP_GL_FLOAT, "VEC2",
													   SUP_GL_VERTICES, false, error );
		ok = accessor >= 0 && supJson_Set( attributes, "TEXCOORD_0", json_integer( accessor ), error );
	}
	const supVatLayout* layout = writer->layout;
	for ( int32_t i = 0; i < own->vertexCount; ++i )
	{
		int32_t vertex = writer->firstVertex + own->vertexStart + i;
		values[2 * i] = ( (float)( vertex % layout->width ) + 0.5f ) / (float)layout->width;
		values[2 * i + 1] = ( (float)( vertex / layout->width ) + 0.5f ) / (float)layout->height;
	}
	int64_t accessor = ok ? supDocument_AppendAccessor( document, values, own->vertexCount, SUP_GL_FLOAT, "VEC2",
														SUP_GL_VERTICES, false, error )
						  : -1;
	supFree( values );
	return accessor >= 0 && supJson_Set( attributes, "TEXCOORD_1", json_integer( accessor ), error );
}

static bool WriteInstance( VatWriter* writer, int32_t instance )
{
	const supMesh* mesh = MeshOf( writer, instance );
	size_t count = (size_t)mesh->vertexCount;
	supPosedMesh posed = { .positions = supArena_AllocArray( &writer->arena, count, sizeof( supVec3 ) ),
						   .isMirrored = writer->mirrored[instance] };
	posed.normals = mesh->normals != NULL ? supArena_AllocArray( &writer->arena, count, sizeof( supVec3 ) ) : NULL;
	if ( writer->arena.failed )
	{
		return supSetMemoryError( writer->replacer.error );
	}
	const supFrames* frames = writer->frames;
	bool ok = frames->read( 0, instance, posed.positions, posed.normals, frames->context, writer->replacer.error ) &&
			  supReplacer_Replace( &writer->replacer, instance, &posed );
	int32_t index = ok ? writer->replacer.meshes[instance] : 0;
	json_t* primitives = supJson_Get(
		supJson_At( supJson_Get( writer->replacer.document->root, "meshes" ), (size_t)index ), "primitives" );
	for ( int32_t k = 0; k < mesh->primitiveCount && ok; ++k )
	{
		ok = AddCoordinates( writer, supJson_At( primitives, (size_t)k ), mesh->primitives + k );
	}
	writer->firstVertex += mesh->vertexCount;
	return ok;
}

bool supAddVatMesh( supDocument* document, const supFrames* frames, const supVatLayout* layout, supError* error )
{
	supClearError( error );
	VatWriter writer = { .frames = frames, .layout = layout, .mirrored = supFindMirrored( frames->character ) };
	if ( writer.mirrored == NULL )
	{
		return supSetMemoryError( error );
	}
	bool ok = supReplacer_Begin( &writer.replacer, document, frames->character, error );
	if ( ok )
	{
		for ( int32_t i = 0; i < supCharacter_InstanceCount( frames->character ) && ok; ++i )
		{
			ok = WriteInstance( &writer, i );
		}
		ok = ok && supReplacer_Arrange( &writer.replacer );
		json_object_del( document->root, "animations" );
		supReplacer_End( &writer.replacer, ok );
	}
	supArena_Destroy( &writer.arena );
	supFree( writer.mirrored );
	return ok;
}
