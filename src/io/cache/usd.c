// SPDX-License-Identifier: MIT
// USD as text: one Mesh per instance with time-sampled points and normals, in world space. As a package (.usdz) the
// text is the one file of a zip that is neither compressed nor encrypted, and begins at a multiple of 64 bytes.
#include "character/character.h"
#include "io/common/file.h"
#include "io/common/float_text.h"
#include "io/common/frames.h"
#include "io/common/posed.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

// Text on its way to a file, with what a zip says about it.
typedef struct Text
{
	supOutput* output;
	bool isPackage;
	uint32_t crc; // inverted
	uint64_t byteCount;
	const uint32_t* crcTable;
	size_t used;
	char buffer[1 << 16];
} Text;

static void Flush( Text* text )
{
	uint32_t crc = text->crc;
	for ( size_t i = 0; text->isPackage && i < text->used; ++i )
	{
		crc = text->crcTable[( crc ^ (uint8_t)text->buffer[i] ) & 255u] ^ crc >> 8;
	}
	text->crc = crc;
	text->byteCount += text->used;
	supOutput_Write( text->output, text->buffer, text->used );
	text->used = 0;
}

static void Reserve( Text* text, size_t size )
{
	if ( text->used + size > sizeof( text->buffer ) )
	{
		Flush( text );
	}
}

// - at most 512 characters
static void Print( Text* text, const char* format, ... ) SUP_PRINTF( 2, 3 );
static void Print( Text* text, const char* format, ... )
{
	Reserve( text, 512 );
	va_list arguments;
	va_start( arguments, format );
	int length = vsnprintf( text->buffer + text->used, 512, format, arguments );
	va_end( arguments );
	text->used += length > 0 ? (size_t)( length < 511 ? length : 511 ) : 0;
}

static void PrintFloat( Text* text, float value )
{
	Reserve( text, SUP_FLOAT_TEXT_SIZE );
	text->used += supFormatFloat( text->buffer + text->used, value );
}

static void PrintVectors( Text* text, const float* values, size_t count, int width )
{
	Print( text, "[" );
	for ( size_t i = 0; i < count; ++i )
	{
		Reserve( text, (size_t)( width + 1 ) * SUP_FLOAT_TEXT_SIZE );
		char* to = text->buffer + text->used;
		const char* start = i == 0 ? "(" : ", (";
		for ( ; *start != 0; ++start )
		{
			*to++ = *start;
		}
		for ( int k = 0; k < width; ++k )
		{
			if ( k > 0 )
			{
				*to++ = ',';
				*to++ = ' ';
			}
			to += supFormatFloat( to, values[(size_t)width * i + (size_t)k] );
		}
		*to++ = ')';
		text->used = (size_t)( to - text->buffer );
	}
	Print( text, "]" );
}

// Prim names are identifiers and differ from one another.
static void PrintPrimName( Text* text, const supCharacter* character, int32_t instance )
{
	const char* name = supCharacter_Node( character, supCharacter_Instance( character, instance )->node )->name;
	Print( text, "_%d_", (int)instance );
	for ( const char* c = name; *c != 0; ++c )
	{
		Print( text, "%c", isalnum( (unsigned char)*c ) && (unsigned char)*c < 128 ? *c : '_' );
	}
}

static void PrintTopology( Text* text, const supMesh* mesh, bool isMirrored )
{
	Print( text, "        int[] faceVertexCounts = [" );
	for ( int32_t i = 0; i < mesh->indexCount / 3; ++i )
	{
		Print( text, i == 0 ? "3" : ", 3" );
	}
	Print( text, "]\n        int[] faceVertexIndices = [" );
	for ( int32_t i = 0; i < mesh->indexCount; ++i )
	{
		// front faces turn round under a mirror
		int32_t corner = isMirrored ? i + 2 - 2 * ( i % 3 ) : i;
		Print( text, i == 0 ? "%u" : ", %u", mesh->indices[corner] );
	}
	Print( text, "]\n        uniform token subdivisionScheme = \"none\"\n" );
}

static void PrintFixed( Text* text, const supCharacter* character, const supMesh* mesh )
{
	if ( mesh->texcoords != NULL )
	{
		Print( text, "        texCoord2f[] primvars:st = [" );
		for ( int32_t i = 0; i < mesh->vertexCount; ++i )
		{
			Print( text, i == 0 ? "(" : ", (" );
			PrintFloat( text, mesh->texcoords[i].x );
			Print( text, ", " );
			// USD counts from the bottom of a picture
			PrintFloat( text, 1.0f - mesh->texcoords[i].y );
			Print( text, ")" );
		}
		Print( text, "] (\n            interpolation = \"vertex\"\n        )\n" );
	}
	Print( text, "        color3f[] primvars:displayColor = [" );
	for ( int32_t i = 0; i < ( mesh->colors != NULL ? mesh->vertexCount : 1 ); ++i )
	{
		supVec4 color = { 0.6f, 0.6f, 0.6f, 1.0f };
		int32_t material = mesh->primitiveCount > 0 ? mesh->primitives[0].material : -1;
		if ( material >= 0 )
		{
			color = supCharacter_Material( character, material )->baseColor;
		}
		if ( mesh->colors != NULL )
		{
			supVec4 c = mesh->colors[i];
			color = ( supVec4 ){ color.x * c.x, color.y * c.y, color.z * c.z, 1.0f };
		}
		Print( text, i == 0 ? "(" : ", (" );
		PrintFloat( text, color.x );
		Print( text, ", " );
		PrintFloat( text, color.y );
		Print( text, ", " );
		PrintFloat( text, color.z );
		Print( text, ")" );
	}
	Print( text, "] (\n            interpolation = \"%s\"\n        )\n", mesh->colors != NULL ? "vertex" : "constant" );
}

static bool PrintSamples( Text* text, const supFrames* frames, int32_t instance, const supMesh* mesh, bool normals,
						  supError* error )
{
	size_t count = (size_t)mesh->vertexCount;
	supVec3* values = supAllocArray( count, sizeof( supVec3 ) );
	bool ok = values != NULL ? true : supSetMemoryError( error );
	if ( normals )
	{
		Print( text, "        normal3f[] normals (\n            interpolation = \"vertex\"\n        )\n" );
	}
	Print( text, "        %s.timeSamples = {\n", normals ? "normal3f[] normals" : "point3f[] points" );
	for ( int32_t frame = 0; ok && frame < frames->frameCount; ++frame )
	{
		ok = frames->read( frame, instance, normals ? NULL : values, normals ? values : NULL, frames->context, error );
		if ( ok )
		{
			Print( text, "            %d: ", (int)frame );
			PrintVectors( text, &values->x, count, 3 );
			Print( text, ",\n" );
		}
	}
	Print( text, "        }\n" );
	supFree( values );
	return ok;
}

static bool PrintInstance( Text* text, const supFrames* frames, int32_t instance, bool isMirrored, supError* error )
{
	const supCharacter* character = frames->character;
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
	Print( text, "\n    def Mesh \"" );
	PrintPrimName( text, character, instance );
	Print( text, "\"\n    {\n" );
	PrintTopology( text, mesh, isMirrored );
	PrintFixed( text, character, mesh );
	bool ok = PrintSamples( text, frames, instance, mesh, false, error );
	ok = ok && ( mesh->normals == NULL || PrintSamples( text, frames, instance, mesh, true, error ) );
	Print( text, "    }\n" );
	return ok;
}

static bool PrintStage( Text* text, const supFrames* frames, supError* error )
{
	bool* mirrored = supFindMirrored( frames->character );
	bool ok = mirrored != NULL ? true : supSetMemoryError( error );
	Print( text, "#usda 1.0\n(\n    defaultPrim = \"Character\"\n    metersPerUnit = " );
	PrintFloat( text, frames->character->givenUnit );
	Print( text,
		   "\n    upAxis = \"Y\"\n"
		   "    startTimeCode = 0\n    endTimeCode = %d\n    timeCodesPerSecond = ",
		   (int)( frames->frameCount > 0 ? frames->frameCount - 1 : 0 ) );
	PrintFloat( text, frames->framesPerSecond );
	Print( text, "\n    framesPerSecond = " );
	PrintFloat( text, frames->framesPerSecond );
	Print( text, "\n)\n\ndef Xform \"Character\" (\n    kind = \"component\"\n)\n{" );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( frames->character ) && ok; ++i )
	{
		ok = PrintInstance( text, frames, i, mirrored[i], error );
	}
	Print( text, "}\n" );
	Flush( text );
	supFree( mirrored );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Packages: zip with one stored file (PKWARE APPNOTE 4.3)

#define PACKAGE_ALIGNMENT 64
#define LOCAL_SIZE 30
#define CENTRAL_SIZE 46
#define END_SIZE 22
#define FILE_NAME "character.usda"
#define FILE_NAME_LENGTH ( sizeof( FILE_NAME ) - 1 )
// an extra field fills the room up to the text: its head is four bytes, and readers skip numbers that they do not know
#define PADDING ( PACKAGE_ALIGNMENT - LOCAL_SIZE - FILE_NAME_LENGTH )
#define PADDING_ID 0x1986u
// 1 January 1980, so that the same bake gives the same bytes
#define ZIP_DATE 0x0021u

_Static_assert( LOCAL_SIZE + FILE_NAME_LENGTH + 4 <= PACKAGE_ALIGNMENT, "the head of the text fits before it" );

static uint8_t* Put( uint8_t* to, uint32_t value, int bytes )
{
	for ( int i = 0; i < bytes; ++i )
	{
		*to++ = (uint8_t)( value >> ( 8 * i ) );
	}
	return to;
}

// What the head of the file and the directory have in common: version, flags, method 0, time, date, sum, sizes,
// lengths.
static uint8_t* PutEntry( uint8_t* to, const Text* text, uint32_t extra )
{
	uint32_t size = (uint32_t)text->byteCount;
	to = Put( Put( Put( to, 10, 2 ), 0, 2 ), 0, 2 );
	to = Put( Put( to, 0, 2 ), ZIP_DATE, 2 );
	to = Put( Put( Put( to, ~text->crc, 4 ), size, 4 ), size, 4 );
	return Put( Put( to, (uint32_t)FILE_NAME_LENGTH, 2 ), extra, 2 );
}

static void WriteLocal( const Text* text, bool again )
{
	uint8_t head[PACKAGE_ALIGNMENT] = { 0 };
	uint8_t* to = PutEntry( Put( head, 0x04034b50u, 4 ), text, (uint32_t)PADDING );
	memcpy( to, FILE_NAME, FILE_NAME_LENGTH );
	Put( Put( to + FILE_NAME_LENGTH, PADDING_ID, 2 ), (uint32_t)PADDING - 4, 2 );
	if ( again )
	{
		supOutput_Overwrite( text->output, 0, head, sizeof( head ) );
	}
	else
	{
		supOutput_Write( text->output, head, sizeof( head ) );
	}
}

static void WriteDirectory( const Text* text )
{
	uint8_t bytes[CENTRAL_SIZE + FILE_NAME_LENGTH + END_SIZE] = { 0 };
	uint8_t* to = PutEntry( Put( Put( bytes, 0x02014b50u, 4 ), 10, 2 ), text, 0 );
	// no comment, first disk, no attributes, the head at 0
	memcpy( to + 14, FILE_NAME, FILE_NAME_LENGTH );
	to = bytes + CENTRAL_SIZE + FILE_NAME_LENGTH;
	to = Put( Put( to, 0x06054b50u, 4 ), 0, 4 );
	to = Put( Put( to, 1, 2 ), 1, 2 );
	to = Put( to, CENTRAL_SIZE + (uint32_t)FILE_NAME_LENGTH, 4 );
	Put( to, PACKAGE_ALIGNMENT + (uint32_t)text->byteCount, 4 );
	supOutput_Write( text->output, bytes, sizeof( bytes ) );
}

static void FillCrcTable( uint32_t table[256] )
{
	for ( uint32_t i = 0; i < 256; ++i )
	{
		uint32_t value = i;
		for ( int bit = 0; bit < 8; ++bit )
		{
			value = ( value & 1u ) != 0 ? 0xedb88320u ^ value >> 1 : value >> 1;
		}
		table[i] = value;
	}
}

bool supSaveUsd( const supFrames* frames, const char* path, supError* error )
{
	size_t length = strlen( path );
	uint32_t crcTable[256];
	FillCrcTable( crcTable );
	Text* text = supAllocZeroed( sizeof( Text ) );
	supOutput* output = text != NULL ? supBeginOutput( path, error ) : NULL;
	if ( output == NULL )
	{
		supFree( text );
		return text != NULL ? false : supSetMemoryError( error );
	}
	text->output = output;
	text->crc = UINT32_MAX;
	text->crcTable = crcTable;
	text->isPackage = length >= 5 && strcmp( path + length - 5, ".usdz" ) == 0;
	if ( text->isPackage )
	{
		WriteLocal( text, false );
	}
	bool ok = PrintStage( text, frames, error );
	if ( ok && text->isPackage && text->byteCount > UINT32_MAX - 2 * PACKAGE_ALIGNMENT )
	{
		ok = supSetError( error, sup_errorUnsupported, path,
						  "a .usdz is limited to 4 GiB; bake a shorter clip, or write .usda" );
	}
	if ( ok && text->isPackage )
	{
		WriteLocal( text, true );
		WriteDirectory( text );
	}
	supFree( text );
	return supEndOutput( output, ok, error ) && ok;
}
