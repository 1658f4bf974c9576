// SPDX-License-Identifier: MIT
// The work of a step of every method, for callgrind to count: scripts/instructions.sh runs it. Instructions repeat
// where times do not, so that a change that makes a step dearer shows on any machine, however busy.
//     instructions build FOLDER    writes the flesh, which would take minutes to build where it is watched
//     instructions count FOLDER
#include "models/models.h"
#include "supple/io.h"
#include "supple/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

#define WARM_UP 1
#define STEPS 2

static void Require( bool ok, const supError* error )
{
	if ( ok == false )
	{
		fprintf( stderr, "instructions: %s: %s\n", error->where, error->message );
		exit( 1 );
	}
}

// A floor that the body presses a centimetre into.
static void AddFloor( supScene* scene, const supActor* actor )
{
	supScene_Step( scene, 0.0f );
	const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
	const supVec3* positions = supActor_Positions( actor, 0 );
	int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh )->vertexCount;
	float lowest = positions[0].y;
	for ( int32_t i = 0; i < count; ++i )
	{
		lowest = positions[i].y < lowest ? positions[i].y : lowest;
	}
	supError error = { 0 };
	supColliderDef def = supDefaultColliderDef();
	def.shape.kind = sup_shapePlane;
	def.position = supMakeVec3( 0.0f, lowest + 0.01f, 0.0f );
	Require( supScene_AddCollider( scene, &def, &error ) != NULL, &error );
}

static void Count( const char* name, const supFlesh* flesh, const supClip* clip, bool onFloor )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	supScene* scene = supCreateScene( &def, &error );
	Require( scene != NULL, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	Require( actor != NULL, &error );
	if ( onFloor )
	{
		AddFloor( scene, actor );
	}
	for ( int32_t i = 0; i < WARM_UP + STEPS; ++i )
	{
		supPose_ApplyClip( supActor_Pose( actor ), clip, clip->start + (float)( i + 1 ) / 30.0f );
		if ( i == WARM_UP )
		{
			CALLGRIND_TOGGLE_COLLECT;
		}
		supScene_Step( scene, 1.0f / 30.0f );
	}
	CALLGRIND_TOGGLE_COLLECT;
	CALLGRIND_DUMP_STATS_AT( name );
	supDestroyScene( scene );
}

static void Build( const supCharacter* character, supMethodId method, const char* path )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	// few, since a step takes fifty times as long where it is watched
	def.settings = &( supSetting ){ "tets", 600.0f };
	def.settingCount = supMethod_FindParameter( def.method, "tets" ) >= 0;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	Require( flesh != NULL, &error );
	Require( supSaveFlesh( flesh, path, &error ), &error );
	supDestroyFlesh( flesh );
}

static void CountMethod( const supCharacter* character, supMethodId method, const char* path )
{
	supError error = { 0 };
	supFlesh* flesh = supLoadFlesh( path, character, &error );
	Require( flesh != NULL, &error );
	const supClip* clip = supCharacter_Clip( character, 0 );
	const char* name = supMethodName( method );
	char touching[64];
	snprintf( touching, sizeof( touching ), "%s on a floor", name );
	Count( name, flesh, clip, false );
	if ( method >= sup_methodPosition )
	{
		Count( touching, flesh, clip, true );
	}
	supDestroyFlesh( flesh );
}

int main( int argc, char** argv )
{
	bool isBuild = argc == 3 && strcmp( argv[1], "build" ) == 0;
	if ( isBuild == false && ( argc != 3 || strcmp( argv[1], "count" ) != 0 ) )
	{
		fprintf( stderr, "usage: instructions build|count FOLDER\n" );
		return 2;
	}
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube5" )->create( &error );
	Require( character != NULL, &error );
	printf( "%s\n", supGetInstructionSet() == sup_instructionsAvx2 ? "avx2" : "baseline" );
	for ( int32_t method = 0; method < sup_methodCount; ++method )
	{
		char path[1024];
		snprintf( path, sizeof( path ), "%s/%s.flesh", argv[2], supMethodName( (supMethodId)method ) );
		if ( isBuild )
		{
			Build( character, (supMethodId)method, path );
		}
		else
		{
			CountMethod( character, (supMethodId)method, path );
		}
	}
	supDestroyCharacter( character );
	return 0;
}
