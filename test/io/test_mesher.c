// SPDX-License-Identifier: MIT
// Programs of others: found or missing, failing, hanging, silent; and TetGen and Gmsh themselves where there are any.
#define _XOPEN_SOURCE 700
#include "support.h"

#include "io/common/process.h"
#include "io/tets/mesher.h"
#include "supple/io.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A folder for programs, one for temporary files, and PATH and TMPDIR that lead there.
typedef struct Place
{
	char folder[256];
	char programs[300];
	char temporary[300];
	char* path;
} Place;

static void EnterPlace( Place* place )
{
	testMakeFolder( place->folder );
	snprintf( place->programs, sizeof( place->programs ), "%s/bin", place->folder );
	snprintf( place->temporary, sizeof( place->temporary ), "%s/tmp", place->folder );
	assert_int_equal( mkdir( place->programs, 0700 ), 0 );
	assert_int_equal( mkdir( place->temporary, 0700 ), 0 );
	place->path = strdup( getenv( "PATH" ) );
	setenv( "PATH", place->programs, 1 );
	setenv( "TMPDIR", place->temporary, 1 );
}

static void LeavePlace( Place* place )
{
	// nothing is left behind, whatever happened
	assert_int_equal( rmdir( place->temporary ), 0 );
	setenv( "PATH", place->path, 1 );
	unsetenv( "TMPDIR" );
	free( place->path );
	testRemoveFolder( place->folder );
}

static void AddProgram( const Place* place, const char* name, const char* script )
{
	char path[400];
	snprintf( path, sizeof( path ), "%s/%s", place->programs, name );
	testWriteFile( path, script, strlen( script ) );
	assert_int_equal( chmod( path, 0700 ), 0 );
}

// A cube of two triangles a side, each with vertices of its own.
typedef struct Cube
{
	supVec3 positions[36];
	uint32_t indices[36];
} Cube;

static supMesherDef MakeCube( Cube* cube, supMesherProgram program )
{
	static const uint8_t corners[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
										 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
	for ( uint32_t i = 0; i < 36; ++i )
	{
		cube->positions[i] = supMakeVec3( (float)( corners[i] & 1 ), (float)( corners[i] >> 1 & 1 ),
										  2.0f * (float)( corners[i] >> 2 & 1 ) );
		cube->indices[i] = i;
	}
	return ( supMesherDef ){ .program = program,
							 .vertexCount = 36,
							 .positions = cube->positions,
							 .triangleCount = 12,
							 .indices = cube->indices };
}

static double Volume( const supTetMesh* mesh )
{
	double sum = 0.0;
	for ( int32_t i = 0; i < mesh->tetCount; ++i )
	{
		const int32_t* t = mesh->indices + 4 * i;
		supVec3 o = mesh->points[t[0]];
		supVec3 a = supSub( mesh->points[t[1]], o ), b = supSub( mesh->points[t[2]], o ),
				c = supSub( mesh->points[t[3]], o );
		sum += (double)supDot( supCross( a, b ), c ) / 6.0;
	}
	return sum;
}

// ---------------------------------------------------------------------------------------------------------------------
// Programs that are no good

static void TestPrograms( void** state )
{
	(void)state;
	static const struct
	{
		const char* script; // NULL: there is none
		supErrorCode code;
		const char* message;
	} cases[] = {
		{ NULL, sup_errorNotFound, "is it installed?" },
		{ "#!/bin/sh\necho once\nprintf 'The input\\tsurface\\033 is bad.\\n\\n'\nexit 3\n", sup_errorFormat,
		  "failed with status 3; its last output: 'The input surface  is bad.'" },
		{ "#!/bin/sh\nkill -9 $$\n", sup_errorFormat, "was killed by signal 9" },
		{ "#!/bin/sh\n/bin/sleep 30\n", sup_errorFormat, "exceeded 0.3 seconds" },
		{ "#!/bin/sh\necho nothing to do\n", sup_errorFormat, "made no usable tetrahedra" },
		{ "#!/bin/sh\necho rubbish > body.1.node; echo rubbish > body.1.ele; echo rubbish > out.msh\n", sup_errorFormat,
		  "made no usable tetrahedra" },
		{ "#!/no/such/interpreter\n", sup_errorNotFound, "cannot start" },
	};
	for ( int program = sup_mesherTetgen; program <= sup_mesherGmsh; ++program )
	{
		const char* name = program == sup_mesherTetgen ? "tetgen" : "gmsh";
		for ( int32_t i = 0; i < (int32_t)( sizeof( cases ) / sizeof( cases[0] ) ); ++i )
		{
			Place place;
			EnterPlace( &place );
			if ( cases[i].script != NULL )
			{
				AddProgram( &place, name, cases[i].script );
			}
			Cube cube;
			supMesherDef def = MakeCube( &cube, (supMesherProgram)program );
			def.seconds = 0.3;
			supError error = { 0 };
			assert_null( supRunMesher( &def, &error ) );
			if ( error.code != cases[i].code || strstr( error.message, cases[i].message ) == NULL )
			{
				fail_msg( "case %d: %d '%s'", i, (int)error.code, error.message );
			}
			assert_string_equal( error.where, name );
			LeavePlace( &place );
		}
	}
}

static void TestNoSurface( void** state )
{
	(void)state;
	Place place;
	EnterPlace( &place );
	Cube cube;
	supMesherDef def = MakeCube( &cube, sup_mesherTetgen );
	for ( int i = 0; i < 36; ++i )
	{
		cube.indices[i] = (uint32_t)( i % 2 );
	}
	supError error = { 0 };
	assert_null( supRunMesher( &def, &error ) );
	assert_non_null( strstr( error.message, "no surface to fill" ) );
	rmdir( place.temporary );
	assert_null( supRunMesher( &( supMesherDef ){ .program = sup_mesherGmsh,
												  .vertexCount = 3,
												  .positions = cube.positions,
												  .triangleCount = 1,
												  .indices = ( const uint32_t[] ){ 0, 1, 2 } },
							   &error ) );
	assert_int_equal( error.code, sup_errorWrite );
	assert_int_equal( mkdir( place.temporary, 0700 ), 0 );
	LeavePlace( &place );
}

// For a script in place of gmsh: the reader goes by content, not by name.
#define ONE_TET                                                                                                            \
	"printf 'MeshVersionFormatted 1\\nVertices 4\\n0 0 0 0\\n1 0 0 0\\n0 1 0 0\\n0 0 1 0\\nTetrahedra 1\\n1 2 3 4 0\\n' >" \
	" out.msh\n"

// What a program is given: arguments as they are, its own folder, nothing to read, and the surface welded.
static void TestSuccess( void** state )
{
	(void)state;
	Place place;
	EnterPlace( &place );
	AddProgram( &place, "tetgen",
				"#!/bin/sh\n[ \"$*\" = '-pq1.414zQa0.036 body.off' ] || exit 8\nread -r line && exit 9\n"
				"printf '4 3 0 0\\n0 0 0 0\\n1 1 0 0\\n2 0 1 0\\n3 0 0 1\\n' > body.1.node\n"
				"printf '1 4 0\\n0 0 1 2 3\\n' > body.1.ele\n" );
	AddProgram( &place, "gmsh",
				"#!/bin/sh\nread -r line && exit 9\n"
				"n=0\nwhile read -r line; do n=$((n + 1)); done < body.msh\n[ $n -eq 29 ] || exit 7\n" ONE_TET );
	for ( int program = sup_mesherTetgen; program <= sup_mesherGmsh; ++program )
	{
		Cube cube;
		supMesherDef def = MakeCube( &cube, (supMesherProgram)program );
		def.tetCount = 100;
		supError error = { 0 };
		supTetMesh* mesh = supRunMesher( &def, &error );
		testRequire( mesh != NULL, &error );
		assert_int_equal( mesh->tetCount, 1 );
		supDestroyTets( mesh );
	}
	LeavePlace( &place );
}

static bool AttemptMesher( void* context )
{
	supError error = { 0 };
	supTetMesh* mesh = supRunMesher( context, &error );
	bool ok = mesh != NULL;
	supDestroyTets( mesh );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	Place place;
	EnterPlace( &place );
	AddProgram(
		&place, "gmsh",
		"#!/bin/sh\nprintf 'MeshVersionFormatted 1\\nDimension 3\\nVertices 4\\n0 0 0 0\\n1 0 0 0\\n0 1 0 0\\n0 0 1 "
		"0\\nTetrahedra 1\\n1 2 3 4 0\\n' > out.msh\n" );
	Cube cube;
	supMesherDef def = MakeCube( &cube, sup_mesherGmsh );
	testEachAllocationFailure( AttemptMesher, &def, 12 );
	LeavePlace( &place );
}

// ---------------------------------------------------------------------------------------------------------------------
// The programs themselves

static bool HasProgram( const char* name )
{
	char folders[4096];
	snprintf( folders, sizeof( folders ), "%s", getenv( "PATH" ) );
	for ( char* folder = strtok( folders, ":" ); folder != NULL; folder = strtok( NULL, ":" ) )
	{
		char path[4200];
		snprintf( path, sizeof( path ), "%s/%s", folder, name );
		if ( access( path, X_OK ) == 0 )
		{
			return true;
		}
	}
	return false;
}

static void CheckProgram( supMesherProgram program )
{
	const char* name = program == sup_mesherTetgen ? "tetgen" : "gmsh";
	if ( HasProgram( name ) == false )
	{
		print_message( "%s is not installed\n", name );
		skip();
	}
	Cube cube;
	supMesherDef def = MakeCube( &cube, program );
	supError error = { 0 };
	supTetMesh* coarse = supRunMesher( &def, &error );
	testRequire( coarse != NULL, &error );
	def.tetCount = 3000;
	supTetMesh* fine = supRunMesher( &def, &error );
	testRequire( fine != NULL, &error );
	testLess( fabs( Volume( coarse ) - 2.0 ), 1e-5 );
	testLess( fabs( Volume( fine ) - 2.0 ), 1e-5 );
	print_message( "%s: %d tetrahedra, and %d where 3000 were asked for\n", name, coarse->tetCount, fine->tetCount );
	testGreater( fine->tetCount, 1000 );
	testLess( fine->tetCount, 9000 );
	testLess( coarse->tetCount, fine->tetCount );
	supDestroyTets( coarse );
	supDestroyTets( fine );
	// an open surface
	def.triangleCount = 11;
	assert_null( supRunMesher( &def, &error ) );
	assert_int_equal( error.code, sup_errorFormat );
	assert_string_equal( error.where, name );
}

static void TestTetgen( void** state )
{
	(void)state;
	CheckProgram( sup_mesherTetgen );
}

static void TestGmsh( void** state )
{
	(void)state;
	CheckProgram( sup_mesherGmsh );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestPrograms ),    cmocka_unit_test( TestNoSurface ), cmocka_unit_test( TestSuccess ),
		cmocka_unit_test( TestOutOfMemory ), cmocka_unit_test( TestTetgen ),    cmocka_unit_test( TestGmsh ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
