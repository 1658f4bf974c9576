// SPDX-License-Identifier: MIT
// Skinned frames as Wavefront OBJ. Materials are named (usemtl) but not described: OBJ cannot say what glTF says.
#include "io/common/file.h"
#include "io/common/frames.h"
#include "io/common/posed.h"
#include "supple/io.h"

#include <stdio.h>

typedef struct Text
{
	char* data;
	size_t length;
	size_t capacity;
	bool failed;
} Text;

static bool Reserve( Text* text, size_t more )
{
	if ( text->failed || text->capacity - text->length > more )
	{
		return text->failed == false;
	}
	size_t capacity = 2 * ( text->length + more ) + 4096;
	char* data = supAlloc( capacity );
	text->failed = data == NULL;
	if ( text->failed )
	{
		return false;
	}
	if ( text->length > 0 )
	{
		memcpy( data, text->data, text->length );
	}
	supFree( text->data );
	text->data = data;
	text->capacity = capacity;
	return true;
}

static void AddLine( Text* text, const char* format, ... ) SUP_PRINTF( 2, 3 );

// For lines of numbers: shorter than 128 bytes, and a comma can only be the decimal point of some language.
static void AddLine( Text* text, const char* format, ... )
{
	if ( Reserve( text, 128 ) == false )
	{
		return;
	}
	char* line = text->data + text->length;
	va_list arguments;
	va_start( arguments, format );
	text->length += (size_t)vsnprintf( line, 128, format, arguments );
	va_end( arguments );
	for ( char* comma = strchr( line, ',' ); comma != NULL; comma = strchr( comma, ',' ) )
	{
		*comma = '.';
	}
}

// Names end with the line, so that they cannot hold a line break.
static void AddName( Text* text, const char* keyword, const char* name, const char* otherwise, int32_t index )
{
	if ( name[0] == 0 )
	{
		AddLine( text, "%s %s%d\n", keyword, otherwise, (int)index );
		return;
	}
	size_t length = strlen( keyword ) + strlen( name ) + 2;
	if ( Reserve( text, length ) == false )
	{
		return;
	}
	char* line = text->data + text->length;
	snprintf( line, length + 1, "%s %s\n", keyword, name );
	for ( size_t i = 0; i + 1 < length; ++i )
	{
		line[i] = (unsigned char)line[i] < ' ' ? '_' : line[i];
	}
	text->length += length;
}

// How many of each came before: OBJ numbers vertices from 1 through the whole file.
typedef struct Counts
{
	uint32_t positions, texcoords, normals;
} Counts;

static void AddVertices( Text* text, const supMesh* mesh, const supPosedMesh* posed )
{
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		supVec3 p = posed->positions[i];
		AddLine( text, "v %.9g %.9g %.9g\n", (double)p.x, (double)p.y, (double)p.z );
	}
	// glTF counts from the top of a picture, OBJ from the bottom
	for ( int32_t i = 0; i < mesh->vertexCount && mesh->texcoords != NULL; ++i )
	{
		supVec2 t = mesh->texcoords[i];
		AddLine( text, "vt %.9g %.9g\n", (double)t.x, (double)( 1.0f - t.y ) );
	}
	for ( int32_t i = 0; i < mesh->vertexCount && posed->normals != NULL; ++i )
	{
		supVec3 n = posed->normals[i];
		AddLine( text, "vn %.9g %.9g %.9g\n", (double)n.x, (double)n.y, (double)n.z );
	}
}

static void AddTriangles( Text* text, const supMesh* mesh, const supPrimitive* primitive, const supPosedMesh* posed,
						  Counts base )
{
	bool withTexcoords = mesh->texcoords != NULL;
	bool withNormals = posed->normals != NULL;
	for ( int32_t i = 0; i < primitive->indexCount; i += 3 )
	{
		const uint32_t* corners = mesh->indices + primitive->indexStart + i;
		AddLine( text, "f" );
		for ( int k = 0; k < 3; ++k )
		{
			uint32_t corner = corners[posed->isMirrored ? 2 - k : k] + 1;
			AddLine( text, " %u", base.positions + corner );
			if ( withTexcoords )
			{
				AddLine( text, "/%u", base.texcoords + corner );
			}
			if ( withNormals )
			{
				AddLine( text, "%s%u", withTexcoords ? "/" : "//", base.normals + corner );
			}
		}
		AddLine( text, "\n" );
	}
}

static void AddInstance( Text* text, const supCharacter* character, int32_t index, const supPosedMesh* posed,
						 Counts* base )
{
	const supInstance* instance = supCharacter_Instance( character, index );
	const supMesh* mesh = supCharacter_Mesh( character, instance->mesh );
	AddName( text, "o", supCharacter_Node( character, instance->node )->name, "instance", index );
	AddVertices( text, mesh, posed );
	for ( int32_t i = 0; i < mesh->primitiveCount; ++i )
	{
		const supPrimitive* primitive = mesh->primitives + i;
		if ( primitive->material >= 0 )
		{
			const char* name = supCharacter_Material( character, primitive->material )->name;
			AddName( text, "usemtl", name, "material", primitive->material );
		}
		else if ( supCharacter_MaterialCount( character ) > 0 )
		{
			// else the last one named would hold on
			AddName( text, "usemtl", "none", "", 0 );
		}
		AddTriangles( text, mesh, primitive, posed, *base );
	}
	uint32_t count = (uint32_t)mesh->vertexCount;
	base->positions += count;
	base->texcoords += mesh->texcoords != NULL ? count : 0;
	base->normals += posed->normals != NULL ? count : 0;
}

static void AddHeader( Text* text )
{
	supVersion version = supGetVersion();
	AddLine( text, "# Supple %d.%d.%d; metres, +Y up\n", version.major, version.minor, version.patch );
}

static bool SaveText( Text* text, const char* path, supError* error )
{
	bool ok = text->failed == false || supSetMemoryError( error );
	return ok && supWriteFile( path, text->data, text->length, error );
}

bool supSavePosedObj( supPose* pose, supSkinning skinning, const supTasks* tasks, const char* path, supError* error )
{
	supClearError( error );
	const supCharacter* character = supPose_Character( pose );
	Text text = { 0 };
	Counts base = { 0 };
	AddHeader( &text );
	bool ok = true;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ) && ok; ++i )
	{
		supArena arena = { 0 };
		supPosedMesh posed;
		ok = supPoseMesh( pose, i, skinning, tasks, &arena, &posed, error );
		if ( ok )
		{
			AddInstance( &text, character, i, &posed, &base );
		}
		supArena_Destroy( &arena );
	}
	ok = ok && SaveText( &text, path, error );
	supFree( text.data );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Sequences

static bool AddFrame( Text* text, const supFrames* frames, int32_t frame, const bool* mirrored, supError* error )
{
	Counts base = { 0 };
	AddHeader( text );
	bool ok = true;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( frames->character ) && ok; ++i )
	{
		const supMesh* mesh =
			supCharacter_Mesh( frames->character, supCharacter_Instance( frames->character, i )->mesh );
		size_t count = (size_t)mesh->vertexCount;
		supPosedMesh posed = { .isMirrored = mirrored[i] };
		posed.positions = supAllocArray( count, sizeof( supVec3 ) );
		posed.normals = mesh->normals != NULL ? supAllocArray( count, sizeof( supVec3 ) ) : NULL;
		ok = posed.positions != NULL && ( posed.normals != NULL || mesh->normals == NULL ) ? true
																						   : supSetMemoryError( error );
		ok = ok && frames->read( frame, i, posed.positions, posed.normals, frames->context, error );
		if ( ok )
		{
			AddInstance( text, frames->character, i, &posed, &base );
		}
		supFree( posed.positions );
		supFree( posed.normals );
	}
	return ok;
}

bool supSaveObjFrames( const supFrames* frames, const char* path, supError* error )
{
	const char* dot = strrchr( path, '.' );
	int stem = dot != NULL ? (int)( dot - path ) : (int)strlen( path );
	size_t capacity = strlen( path ) + 24;
	char* name = supAllocSmall( capacity );
	bool* mirrored = supFindMirrored( frames->character );
	bool ok = name != NULL && mirrored != NULL ? true : supSetMemoryError( error );
	for ( int32_t frame = 0; frame < frames->frameCount && ok; ++frame )
	{
		snprintf( name, capacity, "%.*s.%04d.obj", stem, path, (int)( frame + 1 ) );
		Text text = { 0 };
		ok = AddFrame( &text, frames, frame, mirrored, error ) && SaveText( &text, name, error );
		supFree( text.data );
	}
	supFree( name );
	supFree( mirrored );
	return ok;
}
