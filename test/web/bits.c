// SPDX-License-Identifier: MIT
// One line for each of some built-in characters and each method: fingerprints of its flesh,
// as it is written to a file, and for the tube of what it looks like after some frames of bending.
// It runs here and as WebAssembly, and is to print the same lines: make test-web.
// Arguments: characters, else some of few elements; with them of as many as usual, and a line for each section of the
// files.
#include "core/hash.h"
#include "core/pack.h"
#include "models/models.h"
#include "supple/flesh.h"
#include "supple/scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FRAMES 8

static void PrintSections( const uint8_t* bytes, size_t size )
{
	supPackReader reader;
	if ( supPackReader_Open( &reader, bytes, size, "flesh", NULL ) == false )
	{
		return;
	}
	for ( int32_t i = 0; i < reader.sectionCount; ++i )
	{
		supPackEntry entry = supPackReader_Entry( &reader, i );
		const char* name = strrchr( entry.name, '/' ) + 1;
		snprintf( reader.group, sizeof( reader.group ), "%.*s", (int)( name - entry.name ), entry.name );
		const void* items = supPackReader_Get( &reader, name, entry.type, entry.count );
		printf( "  %s %" PRId64 " %016" PRIx64 "\n", entry.name, entry.count,
				supHashBytes( SUP_HASH_SEED, items, (size_t)entry.count * supPackItemSize( entry.type ) ) );
	}
	supPackReader_Close( &reader );
}

// False only with an error: methods may refuse a character, with the same words everywhere.
static bool PrintFlesh( const char* name, const supFlesh* flesh, bool inDetail, supError* error )
{
	size_t size = 0;
	uint8_t* bytes = supWriteFlesh( flesh, &size, error );
	if ( bytes == NULL )
	{
		// skinning has nothing to write
		printf( "%s %s\n", name, supFlesh_MethodName( flesh ) );
		return error->code == sup_errorArgument;
	}
	printf( "%s %s flesh %016" PRIx64 "\n", name, supFlesh_MethodName( flesh ),
			supHashBytes( SUP_HASH_SEED, bytes, size ) );
	if ( inDetail )
	{
		PrintSections( bytes, size );
	}
	supFree( bytes );
	return true;
}

static bool RunActor( const supCharacter* character, const supFlesh* flesh, supError* error )
{
	supSceneDef sceneDef = supDefaultSceneDef();
	supScene* scene = supCreateScene( &sceneDef, error );
	supActor* actor = scene != NULL ? supScene_AddActor( scene, flesh, error ) : NULL;
	for ( int32_t frame = 1; actor != NULL && frame <= FRAMES; ++frame )
	{
		supPose_ApplyClip( supActor_Pose( actor ), supCharacter_Clip( character, 0 ), 0.05f * (float)frame );
		supScene_Step( scene, 1.0f / 60.0f );
	}
	if ( actor != NULL )
	{
		size_t size = (size_t)supCharacter_Mesh( character, 0 )->vertexCount * sizeof( supVec3 );
		uint64_t hash = supHashBytes( SUP_HASH_SEED, supActor_Positions( actor, 0 ), size );
		hash = supHashBytes( hash, supActor_Normals( actor, 0 ), size );
		printf( "%s surface %016" PRIx64 "\n", supFlesh_MethodName( flesh ), hash );
	}
	supDestroyScene( scene );
	return actor != NULL;
}

static bool RunMethod( const char* name, const supCharacter* character, supMethodId method, bool inDetail,
					   supError* error )
{
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	// many elements take long and go the same ways as few
	bool hasTets = method == sup_methodPosition || method == sup_methodPoints || method == sup_methodModes;
	supSetting setting = { hasTets ? "tets" : "vertices", hasTets ? 600.0f : 200.0f };
	def.settings = &setting;
	def.settingCount = inDetail == false && ( hasTets || method == sup_methodFem );
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, error );
	bool ok = flesh != NULL && PrintFlesh( name, flesh, inDetail, error ) &&
			  ( strcmp( name, "tube" ) != 0 || RunActor( character, flesh, error ) );
	supDestroyFlesh( flesh );
	return ok;
}

static bool RunCharacter( const char* name, bool inDetail, supError* error )
{
	supCharacter* character = supFindModel( name )->create( error );
	bool ok = character != NULL;
	for ( int32_t method = 0; ok && method < sup_methodCount; ++method )
	{
		ok = RunMethod( name, character, (supMethodId)method, inDetail, error );
	}
	supDestroyCharacter( character );
	return ok;
}

int main( int argc, char** argv )
{
	static const char* const usual[] = { "tube", "bunny", "octopus" };
	supError error = { 0 };
	bool ok = true;
	for ( int32_t i = 0; ok && argc == 1 && i < 3; ++i )
	{
		ok = RunCharacter( usual[i], false, &error );
	}
	for ( int32_t i = 1; ok && i < argc; ++i )
	{
		ok = supFindModel( argv[i] ) != NULL && RunCharacter( argv[i], true, &error );
	}
	if ( ok == false )
	{
		fprintf( stderr, "%s: %s\n", error.where, error.message );
	}
	return ok ? 0 : 1;
}
