// SPDX-License-Identifier: MIT
// One skinned frame as OBJ: every number comes back, every corner points at the right vertex.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "sample_character.h"
#include "supple/io.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static sampleCharacter s_sample;

// What an OBJ file says, in the order in which it says it.
typedef struct Obj
{
	supVec3 positions[256], normals[256];
	supVec2 texcoords[256];
	int positionCount, normalCount, texcoordCount;
	uint32_t corners[2048]; // of positions, from 0
	int cornerCount;
	char names[8][64];
	int nameCount;
	char materials[8][64];
	int materialCount;
} Obj;

static void ReadCorner( Obj* obj, const char* text )
{
	unsigned position = 0, texcoord = 0, normal = 0;
	int found = sscanf( text, "%u/%u/%u", &position, &texcoord, &normal );
	assert_true( found == 3 || found == 1 );
	testGreaterEqual( position, 1 );
	testLessEqual( (int)position, obj->positionCount );
	if ( found == 3 )
	{
		// one texture coordinate and one normal for each vertex of the tube, which comes first
		assert_int_equal( texcoord, position );
		assert_int_equal( normal, position );
	}
	obj->corners[obj->cornerCount++] = position - 1;
}

static void ReadLine( Obj* obj, char* line )
{
	float x = 0.0f, y = 0.0f, z = 0.0f;
	char a[64], b[64], c[64];
	if ( sscanf( line, "v %f %f %f", &x, &y, &z ) == 3 )
	{
		obj->positions[obj->positionCount++] = supMakeVec3( x, y, z );
	}
	else if ( sscanf( line, "vn %f %f %f", &x, &y, &z ) == 3 )
	{
		obj->normals[obj->normalCount++] = supMakeVec3( x, y, z );
	}
	else if ( sscanf( line, "vt %f %f", &x, &y ) == 2 )
	{
		obj->texcoords[obj->texcoordCount++] = ( supVec2 ){ x, y };
	}
	else if ( sscanf( line, "f %63s %63s %63s", a, b, c ) == 3 )
	{
		ReadCorner( obj, a );
		ReadCorner( obj, b );
		ReadCorner( obj, c );
	}
	else if ( strncmp( line, "o ", 2 ) == 0 )
	{
		snprintf( obj->names[obj->nameCount++], 64, "%s", line + 2 );
	}
	else if ( strncmp( line, "usemtl ", 7 ) == 0 )
	{
		snprintf( obj->materials[obj->materialCount++], 64, "%s", line + 7 );
	}
	else
	{
		assert_int_equal( line[0], '#' );
	}
}

static void ReadObj( const char* path, Obj* obj )
{
	size_t size;
	char* text = (char*)testReadFile( path, &size );
	*obj = ( Obj ){ 0 };
	for ( char* line = strtok( text, "\n" ); line != NULL; line = strtok( NULL, "\n" ) )
	{
		ReadLine( obj, line );
	}
	free( text );
}

static void TestFrameComesBack( void** state )
{
	(void)state;
	sampleMake( &s_sample );
	s_sample.nodes[SampleHat].name = "top\nhat";
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &s_sample.def, &error );
	testRequire( character != NULL, &error );
	supPose* pose = supCreatePose( character );
	supPose_ApplyClip( pose, supCharacter_Clip( character, 0 ), 0.8f );
	char folder[256], path[300];
	snprintf( path, sizeof( path ), "%s/frame.obj", testMakeFolder( folder ) );
	testRequire( supSavePosedObj( pose, sup_skinningDualQuaternion, NULL, path, &error ), &error );
	static Obj obj;
	ReadObj( path, &obj );
	testRemoveFolder( folder );

	supVec3 positions[SAMPLE_VERTICES + 4], normals[SAMPLE_VERTICES];
	supSkinInstance( pose, 0, sup_skinningDualQuaternion, NULL, &( supSkinOutput ){ positions, normals, NULL } );
	supSkinInstance( pose, 1, sup_skinningDualQuaternion, NULL,
					 &( supSkinOutput ){ positions + SAMPLE_VERTICES, NULL, NULL } );
	assert_int_equal( obj.positionCount, SAMPLE_VERTICES + 4 );
	assert_int_equal( obj.normalCount, SAMPLE_VERTICES );
	assert_int_equal( obj.texcoordCount, SAMPLE_VERTICES );
	assert_memory_equal( obj.positions, positions, sizeof( positions ) );
	assert_memory_equal( obj.normals, normals, sizeof( normals ) );
	for ( int i = 0; i < SAMPLE_VERTICES; ++i )
	{
		assert_true( obj.texcoords[i].x == s_sample.texcoords[i].x );
		assert_true( obj.texcoords[i].y == 1.0f - s_sample.texcoords[i].y );
	}
	assert_int_equal( obj.cornerCount, SAMPLE_INDICES + 12 );
	for ( int i = 0; i < SAMPLE_INDICES; ++i )
	{
		assert_int_equal( obj.corners[i], s_sample.indices[i] );
	}
	// the hat is mirrored by its node: triangles turn round
	for ( int i = 0; i < 12; ++i )
	{
		assert_int_equal( obj.corners[SAMPLE_INDICES + i],
						  SAMPLE_VERTICES + (int)s_sample.hatIndices[i - i % 3 + 2 - i % 3] );
	}
	assert_int_equal( obj.nameCount, 2 );
	assert_string_equal( obj.names[0], "body" );
	assert_string_equal( obj.names[1], "top_hat" );
	assert_int_equal( obj.materialCount, 3 );
	assert_string_equal( obj.materials[0], "painted" );
	assert_string_equal( obj.materials[1], "glow" );
	assert_string_equal( obj.materials[2], "none" );
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

static void TestUnwritablePlaceIsAnError( void** state )
{
	(void)state;
	sampleMake( &s_sample );
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &s_sample.def, &error );
	testRequire( character != NULL, &error );
	supPose* pose = supCreatePose( character );
	assert_false( supSavePosedObj( pose, sup_skinningLinear, NULL, "/nowhere/at/all.obj", &error ) );
	assert_int_equal( error.code, sup_errorWrite );

	// devices and pipes stay what they are
	char folder[256], path[300];
	snprintf( path, sizeof( path ), "%s/pipe.obj", testMakeFolder( folder ) );
	assert_int_equal( mkfifo( path, 0600 ), 0 );
	assert_false( supSavePosedObj( pose, sup_skinningLinear, NULL, path, &error ) );
	assert_int_equal( error.code, sup_errorWrite );
	struct stat info;
	assert_int_equal( stat( path, &info ), 0 );
	assert_true( S_ISFIFO( info.st_mode ) );
	testRemoveFolder( folder );
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

static bool SaveOnce( void* context )
{
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &s_sample.def, &error );
	supPose* pose = character != NULL ? supCreatePose( character ) : NULL;
	bool ok = pose != NULL && supSavePosedObj( pose, sup_skinningLinear, NULL, context, &error );
	assert_true( ok || pose == NULL || error.code == sup_errorMemory );
	supDestroyPose( pose );
	supDestroyCharacter( character );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	sampleMake( &s_sample );
	char folder[256], path[300];
	snprintf( path, sizeof( path ), "%s/frame.obj", testMakeFolder( folder ) );
	testEachAllocationFailure( SaveOnce, path, 300 );
	testRemoveFolder( folder );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestFrameComesBack ),
		cmocka_unit_test( TestUnwritablePlaceIsAnError ),
		cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
