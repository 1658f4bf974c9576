// SPDX-License-Identifier: MIT
// USD as text: one Mesh per instance with time-sampled points and normals, in world space.
#include "character/character.h"
#include "io/file.h"
#include "io/frames.h"
#include "io/posed.h"

#include <ctype.h>
#include <stdio.h>

static void PrintVectors( supOutput* output, const float* values, size_t count, int width )
{
	supOutput_Print( output, "[" );
	for ( size_t i = 0; i < count; ++i )
	{
		supOutput_Print( output, i == 0 ? "(" : ", (" );
		for ( int k = 0; k < width; ++k )
		{
			supOutput_Print( output, k == 0 ? "" : ", " );
			supOutput_PrintFloat( output, values[(size_t)width * i + (size_t)k] );
		}
		supOutput_Print( output, ")" );
	}
	supOutput_Print( output, "]" );
}

// Prim names are identifiers and differ from one another.
static void PrintPrimName( supOutput* output, const supCharacter* character, int32_t instance )
{
	const char* name = supCharacter_Node( character, supCharacter_Instance( character, instance )->node )->name;
	supOutput_Print( output, "_%d_", (int)instance );
	for ( const char* c = name; *c != 0; ++c )
	{
		supOutput_Print( output, "%c", isalnum( (unsigned char)*c ) && (unsigned char)*c < 128 ? *c : '_' );
	}
}

static void PrintTopology( supOutput* output, const supMesh* mesh, bool isMirrored )
{
	supOutput_Print( output, "        int[] faceVertexCounts = [" );
	for ( int32_t i = 0; i < mesh->indexCount / 3; ++i )
	{
		supOutput_Print( output, i == 0 ? "3" : ", 3" );
	}
	supOutput_Print( output, "]\n        int[] faceVertexIndices = [" );
	for ( int32_t i = 0; i < mesh->indexCount; ++i )
	{
		// front faces turn round under a mirror
		int32_t corner = isMirrored ? i + 2 - 2 * ( i % 3 ) : i;
		supOutput_Print( output, i == 0 ? "%u" : ", %u", mesh->indices[corner] );
	}
	supOutput_Print( output, "]\n        uniform token subdivisionScheme = \"none\"\n" );
}

static void PrintFixed( supOutput* output, const supCharacter* character, const supMesh* mesh )
{
	if ( mesh->texcoords != NULL )
	{
		supOutput_Print( output, "        texCoord2f[] primvars:st = [" );
		for ( int32_t i = 0; i < mesh->vertexCount; ++i )
		{
			supOutput_Print( output, i == 0 ? "(" : ", (" );
			supOutput_PrintFloat( output, mesh->texcoords[i].x );
			supOutput_Print( output, ", " );
			// USD counts from the bottom of a picture
			supOutput_PrintFloat( output, 1.0f - mesh->texcoords[i].y );
			supOutput_Print( output, ")" );
		}
		supOutput_Print( output, "] (\n            interpolation = \"vertex\"\n        )\n" );
	}
	supOutput_Print( output, "        color3f[] primvars:displayColor = [" );
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
		supOutput_Print( output, i == 0 ? "(" : ", (" );
		supOutput_PrintFloat( output, color.x );
		supOutput_Print( output, ", " );
		supOutput_PrintFloat( output, color.y );
		supOutput_Print( output, ", " );
		supOutput_PrintFloat( output, color.z );
		supOutput_Print( output, ")" );
	}
	supOutput_Print( output, "] (\n            interpolation = \"%s\"\n        )\n",
					 mesh->colors != NULL ? "vertex" : "constant" );
}

static bool PrintSamples( supOutput* output, const supFrames* frames, int32_t instance, const supMesh* mesh,
						  bool normals, supError* error )
{
	size_t count = (size_t)mesh->vertexCount;
	supVec3* values = supAllocArray( count, sizeof( supVec3 ) );
	bool ok = values != NULL ? true : supSetMemoryError( error );
	if ( normals )
	{
		supOutput_Print( output, "        normal3f[] normals (\n            interpolation = \"vertex\"\n        )\n" );
	}
	supOutput_Print( output, "        %s.timeSamples = {\n", normals ? "normal3f[] normals" : "point3f[] points" );
	for ( int32_t frame = 0; ok && frame < frames->frameCount; ++frame )
	{
		ok = frames->read( frame, instance, normals ? NULL : values, normals ? values : NULL, frames->context, error );
		if ( ok )
		{
			supOutput_Print( output, "            %d: ", (int)frame );
			PrintVectors( output, &values->x, count, 3 );
			supOutput_Print( output, ",\n" );
		}
	}
	supOutput_Print( output, "        }\n" );
	supFree( values );
	return ok;
}

static bool PrintInstance( supOutput* output, const supFrames* frames, int32_t instance, bool isMirrored,
						   supError* error )
{
	const supCharacter* character = frames->character;
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
	supOutput_Print( output, "\n    def Mesh \"" );
	PrintPrimName( output, character, instance );
	supOutput_Print( output, "\"\n    {\n" );
	PrintTopology( output, mesh, isMirrored );
	PrintFixed( output, character, mesh );
	bool ok = PrintSamples( output, frames, instance, mesh, false, error );
	ok = ok && ( mesh->normals == NULL || PrintSamples( output, frames, instance, mesh, true, error ) );
	supOutput_Print( output, "    }\n" );
	return ok;
}

bool supSaveUsda( const supFrames* frames, const char* path, supError* error )
{
	supOutput* output = supBeginOutput( path, error );
	if ( output == NULL )
	{
		return false;
	}
	bool* mirrored = supFindMirrored( frames->character );
	bool ok = mirrored != NULL ? true : supSetMemoryError( error );
	supOutput_Print( output, "#usda 1.0\n(\n    defaultPrim = \"Character\"\n    metersPerUnit = " );
	supOutput_PrintFloat( output, frames->character->givenUnit );
	supOutput_Print( output,
					 "\n    upAxis = \"Y\"\n"
					 "    startTimeCode = 0\n    endTimeCode = %d\n    timeCodesPerSecond = ",
					 (int)( frames->frameCount > 0 ? frames->frameCount - 1 : 0 ) );
	supOutput_PrintFloat( output, frames->framesPerSecond );
	supOutput_Print( output, "\n    framesPerSecond = " );
	supOutput_PrintFloat( output, frames->framesPerSecond );
	supOutput_Print( output, "\n)\n\ndef Xform \"Character\" (\n    kind = \"component\"\n)\n{" );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( frames->character ) && ok; ++i )
	{
		ok = PrintInstance( output, frames, i, mirrored[i], error );
	}
	supOutput_Print( output, "}\n" );
	supFree( mirrored );
	return supEndOutput( output, ok, error ) && ok;
}
