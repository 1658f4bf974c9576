// SPDX-License-Identifier: MIT
// Tetrahedra of others: every format, text and binary, gives the same body; what is wrong is repaired or refused.
#include "tet_files.h"

#include "io/tets/tet_reader.h"

#include <math.h>

static bool HasNote( const supTetMesh* mesh, const char* text )
{
	for ( int32_t i = 0; i < mesh->noteCount; ++i )
	{
		if ( strstr( mesh->notes[i].text, text ) != NULL )
		{
			return true;
		}
	}
	return false;
}

static double TetVolume( const supTetMesh* mesh, int32_t tet )
{
	double e[3][3];
	supVec3 o = mesh->points[mesh->indices[4 * tet]];
	for ( int i = 0; i < 3; ++i )
	{
		supVec3 p = mesh->points[mesh->indices[4 * tet + i + 1]];
		e[i][0] = (double)p.x - (double)o.x;
		e[i][1] = (double)p.y - (double)o.y;
		e[i][2] = (double)p.z - (double)o.z;
	}
	return ( e[0][0] * ( e[1][1] * e[2][2] - e[1][2] * e[2][1] ) - e[0][1] * ( e[1][0] * e[2][2] - e[1][2] * e[2][0] ) +
			 e[0][2] * ( e[1][0] * e[2][1] - e[1][1] * e[2][0] ) ) /
		   6.0;
}

static double Volume( const supTetMesh* mesh )
{
	double sum = 0.0;
	for ( int32_t i = 0; i < mesh->tetCount; ++i )
	{
		double volume = TetVolume( mesh, i );
		testGreater( volume, 0.0 );
		sum += volume;
	}
	return sum;
}

// The same points, and the same corners of each, in an order that has a positive volume.
static void CheckSample( const supTetMesh* mesh, const Sample* s )
{
	assert_int_equal( mesh->pointCount, s->pointCount );
	assert_int_equal( mesh->tetCount, s->tetCount );
	assert_memory_equal( mesh->points, s->points, sizeof( float[3] ) * (size_t)s->pointCount );
	for ( int32_t i = 0; i < s->tetCount; ++i )
	{
		int64_t sums[2] = { 0, 0 };
		for ( int k = 0; k < 4; ++k )
		{
			sums[0] +=
				( (int64_t)1 << 20 ) * mesh->indices[4 * i + k] + mesh->indices[4 * i + k] * mesh->indices[4 * i + k];
			sums[1] += ( (int64_t)1 << 20 ) * s->tets[i][k] + s->tets[i][k] * s->tets[i][k];
		}
		assert_true( sums[0] == sums[1] );
		testGreater( TetVolume( mesh, i ), 0.0 );
	}
}

static void TestFormatsAgree( void** state )
{
	(void)state;
	Sample s = MakeSample( 3 );
	for ( int format = 0; format < FORMAT_COUNT; ++format )
	{
		Bytes file = WriteFormat( &s, format );
		// exactly as long as the text, so that a read beyond it is seen
		unsigned char* exact = malloc( file.size );
		memcpy( exact, file.data, file.size );
		supError error = { 0 };
		supTetMesh* mesh = supParseTets( exact, file.size, "sample", &error );
		free( exact );
		free( file.data );
		if ( mesh == NULL )
		{
			fail_msg( "format %d: %s (%s)", format, error.message, error.where );
		}
		CheckSample( mesh, &s );
		// half of the six tetrahedra of a cube are mirrored
		assert_true( HasNote( mesh, "81 of 162 tetrahedra were inverted" ) );
		assert_true( HasNote( mesh, "elements other than tetrahedra" ) == ( format <= 10 ) );
		testLess( fabs( Volume( mesh ) - 0.3 * 3.0 * 0.003 ), 1e-8 );
		supDestroyTets( mesh );
	}
	FreeSample( &s );
}

static void TestTetgen( void** state )
{
	(void)state;
	Sample s = MakeSample( 3 );
	for ( int first = 0; first < 2; ++first )
	{
		Bytes nodes = WriteNodes( &s, first );
		Bytes elements = WriteElements( &s, first );
		supError error = { 0 };
		supTetMesh* mesh =
			supParseTetgen( nodes.data, nodes.size, "s.node", elements.data, elements.size, "s.ele", &error );
		testRequire( mesh != NULL, &error );
		CheckSample( mesh, &s );
		supDestroyTets( mesh );
		free( nodes.data );
		free( elements.data );
	}
	FreeSample( &s );
}

static void TestRealFiles( void** state )
{
	(void)state;
	static const struct
	{
		const char* path;
		int32_t points, tets;
	} files[] = { { "meshes/tet/elephant_cd/elephant.mesh", 494, 1502 },
				  { "meshes/tet/fish_cd/fish.mesh", 6142, 21708 },
				  { "meshes/tet/sphere_cd/sphere.mesh", 67, 181 },
				  { "meshes/tet/pufferfish_fc/pufferfish.msh", 11676, 50053 } };
	for ( int32_t i = 0; i < 4; ++i )
	{
		supError error = { 0 };
		supTetMesh* mesh = supLoadTets( testAsset( files[i].path ), &error );
		testRequire( mesh != NULL, &error );
		assert_int_equal( mesh->pointCount, files[i].points );
		assert_int_equal( mesh->tetCount, files[i].tets );
		assert_false( HasNote( mesh, "inside out" ) );
		testGreater( Volume( mesh ), 0.0 );
		supDestroyTets( mesh );
	}
}

// What is written comes back bit for bit.
static void TestWriters( void** state )
{
	(void)state;
	static const char* const names[] = { "body.vtk", "body.mesh", "body.node", "body.1.ele" };
	char folder[256];
	testMakeFolder( folder );
	Sample s = MakeSample( 4 );
	Bytes file = WriteFormat( &s, 0 );
	supError error = { 0 };
	supTetMesh* mesh = supParseTets( file.data, file.size, "sample", &error );
	free( file.data );
	for ( int i = 0; i < 4; ++i )
	{
		char path[300];
		snprintf( path, sizeof( path ), "%s/%s", folder, names[i] );
		testRequire( supSaveTets( mesh, path, &error ), &error );
		supTetMesh* twin = supLoadTets( path, &error );
		testRequire( twin != NULL, &error );
		assert_int_equal( twin->noteCount, 0 );
		assert_int_equal( twin->pointCount, mesh->pointCount );
		assert_int_equal( twin->tetCount, mesh->tetCount );
		assert_memory_equal( twin->points, mesh->points, sizeof( supVec3 ) * (size_t)mesh->pointCount );
		assert_memory_equal( twin->indices, mesh->indices, sizeof( int32_t[4] ) * (size_t)mesh->tetCount );
		supDestroyTets( twin );
	}
	char path[300];
	snprintf( path, sizeof( path ), "%s/body.stl", folder );
	assert_false( supSaveTets( mesh, path, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	snprintf( path, sizeof( path ), "%s/none/body.ele", folder );
	assert_false( supSaveTets( mesh, path, &error ) );
	assert_int_equal( error.code, sup_errorWrite );
	supDestroyTets( mesh );
	FreeSample( &s );
	testRemoveFolder( folder );
}

// ---------------------------------------------------------------------------------------------------------------------
// Cases

#define MEDIT "MeshVersionFormatted 1\nDimension 3\n"
#define FIVE_POINTS "Vertices 5\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n1 1 0 1\n"
#define MSH "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH_FOUR_POINTS "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n9 0 0 1\n$EndNodes\n"

static void TestRepairs( void** state )
{
	(void)state;
	supError error = { 0 };
	const char* text = MEDIT FIVE_POINTS "Tetrahedra 1\n1 3 2 4 0\n";
	supTetMesh* mesh = supParseTets( text, strlen( text ), "case", &error );
	testRequire( mesh != NULL, &error );
	assert_int_equal( mesh->pointCount, 4 );
	assert_true( HasNote( mesh, "1 of 1 tetrahedra were inverted" ) && mesh->notes[0].repaired );
	assert_true( HasNote( mesh, "1 of 5 points are unused" ) );
	testLess( fabs( Volume( mesh ) - 1.0 / 6.0 ), 1e-7 );
	supDestroyTets( mesh );
	// second order: the first four are the corners
	text = MSH
		"$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 .5 0 0\n6 .5 .5 0\n7 0 .5 0\n8 0 0 .5\n9 0 .5 .5\n10 .5 0 .5\n"
		"$EndNodes\n$Elements\n1\n1 11 0 1 2 3 4 5 6 7 8 9 10\n$EndElements\n";
	mesh = supParseTets( text, strlen( text ), "case", &error );
	testRequire( mesh != NULL, &error );
	assert_int_equal( mesh->pointCount, 4 );
	assert_true( HasNote( mesh, "1 tetrahedra are curved" ) );
	supDestroyTets( mesh );
	text =
		"# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 9 9 9\n"
		"CELL_TYPES 2\n24 12\nCELLS 2 15\n10 0 1 2 3 4 4 4 4 4 4 3 0 1 2\n";
	mesh = supParseTets( text, strlen( text ), "case", &error );
	testRequire( mesh != NULL, &error );
	assert_true( HasNote( mesh, "1 tetrahedra are curved" ) && HasNote( mesh, "1 elements other than" ) );
	supDestroyTets( mesh );
}

typedef struct Case
{
	const char* text;
	const char* where;
	const char* message;
} Case;

static const Case s_refused[] = {
	{ "v 1 2 3\n", "case", "unknown format" },
	{ "", "case", "unknown format" },
	{ MEDIT, "case", "no tetrahedra" },
	{ MEDIT FIVE_POINTS "Triangles 1\n1 2 3 0\nEnd", "case", "no tetrahedra" },
	{ MEDIT FIVE_POINTS "Tetrahedra 2\n1 2 3 4 0\n1 2 3 6 0\n", "case: tetrahedron 2", "point 6 does not exist" },
	{ MEDIT FIVE_POINTS "Tetrahedra 1\n0 1 2 3 0\n", "case: tetrahedron 1", "point 0 does not exist" },
	{ MEDIT FIVE_POINTS "Tetrahedra 2\n1 2 3 4 0\n1 2 3 5 0\n", "case: tetrahedron 2", "it is flat" },
	{ MEDIT FIVE_POINTS "Tetrahedra 1\n1 2 2 4 0\n", "case: tetrahedron 1", "the same point" },
	{ MEDIT FIVE_POINTS "Tetrahedra 1\n1 2 -3 4 0\n", "case: line 10", "-3, not a whole number" },
	{ MEDIT FIVE_POINTS "Tetrahedra 1\n1 2 3.5 4 0\n", "case: line 10", "3.5, not a whole number" },
	{ MEDIT FIVE_POINTS "Tetrahedra 1\n1 2 x 4 0\n", "case: line 10", "'x' stands where a point of a tetrahedron" },
	{ MEDIT FIVE_POINTS "Tetrahedra 9\n1 2 3 4 0\n", "case: line 9", "9 tetrahedra do not fit" },
	{ MEDIT FIVE_POINTS "Vertices 1\n1 2 3 4\n", "case: line 9", "vertices are listed twice" },
	{ MEDIT "Vertices 1\n1e39 0 0 1\n", "case: line 4", "implausibly large" },
	{ MEDIT "Vertices 1\n0 nan 0 1\n", "case: line 4", "'nan' stands where a coordinate" },
	{ MEDIT "Vertices 999999999999\n", "case: line 3", "not a whole number from 0" },
	{ "MeshVersionFormatted 1\nDimension 2\n", "case: line 2", "2 dimensions" },
	{ "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", "case: line 2", "format version 4" },
	{ "$MeshFormat\n1.0 0 8\n$EndMeshFormat\n", "case: line 2", "format version 1" },
	{ "$MeshFormat\n2.2 0 8\n", "case: line 1", "has no end" },
	{ MSH, "case: line 4", "ends before points and elements" },
	{ "$Nodes\n0\n$EndNodes\n", "case: line 1", "unexpected '$Nodes'" },
	{ MSH "hello", "case: line 4", "unexpected 'hello'" },
	{ MSH MSH_FOUR_POINTS MSH_FOUR_POINTS, "case: line 11", "$Nodes occurs twice" },
	{ MSH "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 1 1 1\n$EndElements\n", "case",
	  "two points have the number 1" },
	{ MSH MSH_FOUR_POINTS "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n", "case: tetrahedron 1",
	  "point 4 does not exist" },
	{ MSH MSH_FOUR_POINTS "$Elements\n1\n1 4 99999 1 2 3 9\n$EndElements\n", "case: line 13", "do not fit" },
	{ "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n", "case: line 4", "'POLYDATA'" },
	{ "# vtk DataFile Version 3.0\nx\nEBCDIC\n", "case: line 3", "'EBCDIC' stands where ASCII" },
	{ "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 half\n", "case: line 5", "'half'" },
	{ "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0 0\n", "case: line 7",
	  "missing" },
	{ "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nCELLS 1 5\n9 0 1 2 3\nCELL_TYPES 1\n10\n",
	  "case: line 6", "the size of a cell is 9" },
	{ "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nCELLS 1 3\n2 0 1\nCELL_TYPES 1\n10\n",
	  "case: line 6", "a tetrahedron has 2 points" },
	{ "# vtk DataFile Version 5.1\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nCELLS 2 4\nOFFSETS vtktypeint64\n0 9\n"
	  "CONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\n",
	  "case: line 7", "an offset is 9" },
	{ "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nLOOKUP 3\n", "case: line 5",
	  "unexpected 'LOOKUP'" },
};

static void TestRefusals( void** state )
{
	(void)state;
	int failures = 0;
	for ( int32_t i = 0; i < (int32_t)( sizeof( s_refused ) / sizeof( s_refused[0] ) ); ++i )
	{
		const Case* c = &s_refused[i];
		supError error = { 0 };
		supTetMesh* mesh = supParseTets( c->text, strlen( c->text ), "case", &error );
		if ( mesh != NULL || strstr( error.message, c->message ) == NULL || strcmp( error.where, c->where ) != 0 )
		{
			print_error( "case %d: '%s' at '%s', not '%s' at '%s'\n", i, error.message, error.where, c->message,
						 c->where );
			failures += 1;
		}
	}
	assert_int_equal( failures, 0 );
}

static void TestTetgenRefusals( void** state )
{
	(void)state;
	static const char good[] = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
	static const struct
	{
		const char* nodes;
		const char* elements;
		const char* where;
		const char* message;
	} cases[] = {
		{ "4 2 0 0\n", "", "a.node: line 1", "2 dimensions" },
		{ "2 3 0 0\n1 0 0 0\n3 0 0 0\n", "", "a.node: line 3", "has the number 3" },
		{ "1 3 0 0\n7 0 0 0\n", "", "a.node: line 2", "has the number 7" },
		{ "99 3 0 0\n1 0 0 0\n", "", "a.node: line 2", "99 points do not fit" },
		{ good, "1 5 0\n1 1 2 3 4 5\n", "a.ele: line 1", "5 points" },
		{ good, "1 4 0\n1 1 2 3 5\n", "a.ele: tetrahedron 1", "point 5 does not exist" },
		{ good, "1 4 0\n1 0 1 2 3\n", "a.ele: tetrahedron 1", "point 0 does not exist" },
		{ good, "0 4 0\n", "a.ele", "no tetrahedra" },
		{ good, "# nothing", "a.ele: line 1", "the file is cut off: expected" },
	};
	for ( int32_t i = 0; i < (int32_t)( sizeof( cases ) / sizeof( cases[0] ) ); ++i )
	{
		supError error = { 0 };
		supTetMesh* mesh = supParseTetgen( cases[i].nodes, strlen( cases[i].nodes ), "a.node", cases[i].elements,
										   strlen( cases[i].elements ), "a.ele", &error );
		if ( mesh != NULL || strstr( error.message, cases[i].message ) == NULL ||
			 strcmp( error.where, cases[i].where ) != 0 )
		{
			fail_msg( "case %d: '%s' at '%s'", i, error.message, error.where );
		}
	}
	supError error = { 0 };
	assert_null( supLoadTets( "no/such/file.ele", &error ) );
	assert_int_equal( error.code, sup_errorNotFound );
	assert_string_equal( error.where, "no/such/file.node" );
}

// ---------------------------------------------------------------------------------------------------------------------
// Damage

static supTetMesh* TryBytes( const unsigned char* data, size_t size, supError* error )
{
	unsigned char* exact = malloc( size > 0 ? size : 1 );
	memcpy( exact, data, size );
	testHeap heap;
	testInstallHeap( &heap );
	*error = ( supError ){ 0 };
	supTetMesh* mesh = supParseTets( exact, size, "damaged", error );
	free( exact );
	assert_true( ( mesh == NULL ) == ( error->code != sup_errorNone ) );
	assert_true( mesh != NULL || ( error->message[0] != 0 && error->code != sup_errorMemory ) );
	for ( int32_t i = 0; mesh != NULL && i < 4 * mesh->tetCount; ++i )
	{
		assert_in_range( mesh->indices[i], 0, mesh->pointCount - 1 );
	}
	// nothing is allocated on the word of the file
	testLess( heap.largest, 64 * size + 4096 );
	supDestroyTets( mesh );
	testUninstallHeap( &heap );
	return mesh;
}

static void TestTruncation( void** state )
{
	(void)state;
	Sample s = MakeSample( 1 );
	for ( int format = 0; format < FORMAT_COUNT; ++format )
	{
		Bytes file = WriteFormat( &s, format );
		supError error;
		int readable = 0;
		for ( size_t size = 0; size < file.size; ++size )
		{
			readable += TryBytes( file.data, size, &error ) != NULL;
		}
		// a text may end within its last number, or behind all that matters
		testLess( readable, 60 );
		assert_non_null( TryBytes( file.data, file.size, &error ) );
		free( file.data );
	}
	FreeSample( &s );
}

static void TestByteEdits( void** state )
{
	(void)state;
	static const unsigned char values[] = { 0, '9', '-', ' ', '\n', '$', 0x7F, 0xFF };
	Sample s = MakeSample( 1 );
	for ( int format = 0; format < FORMAT_COUNT; ++format )
	{
		Bytes file = WriteFormat( &s, format );
		for ( size_t i = 0; i < file.size; ++i )
		{
			unsigned char before = file.data[i];
			for ( size_t k = 0; k < sizeof( values ); ++k )
			{
				supError error;
				file.data[i] = values[k];
				TryBytes( file.data, file.size, &error );
			}
			file.data[i] = before;
		}
		free( file.data );
	}
	FreeSample( &s );
}

static bool AttemptParse( void* context )
{
	const Bytes* file = context;
	supError error = { 0 };
	supTetMesh* mesh = supParseTets( file->data, file->size, "sample", &error );
	bool ok = mesh != NULL;
	supDestroyTets( mesh );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static bool AttemptFiles( void* context )
{
	const char* folder = context;
	char path[300];
	supError error = { 0 };
	snprintf( path, sizeof( path ), "%s/in.ele", folder );
	supTetMesh* mesh = supLoadTets( path, &error );
	snprintf( path, sizeof( path ), "%s/out.node", folder );
	bool ok = mesh != NULL && supSaveTets( mesh, path, &error );
	supDestroyTets( mesh );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	Sample s = MakeSample( 2 );
	for ( int format = 0; format < FORMAT_COUNT; format += 2 )
	{
		Bytes file = WriteFormat( &s, format );
		testEachAllocationFailure( AttemptParse, &file, 100 );
		free( file.data );
	}
	char folder[256];
	char path[300];
	testMakeFolder( folder );
	Bytes nodes = WriteNodes( &s, 0 );
	Bytes elements = WriteElements( &s, 0 );
	snprintf( path, sizeof( path ), "%s/in.node", folder );
	testWriteFile( path, nodes.data, nodes.size );
	snprintf( path, sizeof( path ), "%s/in.ele", folder );
	testWriteFile( path, elements.data, elements.size );
	testEachAllocationFailure( AttemptFiles, folder, 100 );
	free( nodes.data );
	free( elements.data );
	testRemoveFolder( folder );
	FreeSample( &s );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestFormatsAgree ),   cmocka_unit_test( TestTetgen ),     cmocka_unit_test( TestRealFiles ),
		cmocka_unit_test( TestWriters ),        cmocka_unit_test( TestRepairs ),    cmocka_unit_test( TestRefusals ),
		cmocka_unit_test( TestTetgenRefusals ), cmocka_unit_test( TestTruncation ), cmocka_unit_test( TestByteEdits ),
		cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
