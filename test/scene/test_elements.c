// SPDX-License-Identifier: MIT
// What flesh is made of, to be looked at: whole, and looking changes nothing.
#include "support.h"

#include "models/models.h"
#include "scene/elements.h"
#include "scene/heat.h"

#include <stdlib.h>
#include <string.h>

static supCharacter* s_tube;
static supFlesh* s_fleshes[sup_methodCount];

static int BuildAll( void** state )
{
	(void)state;
	supError error = { 0 };
	s_tube = supFindModel( "tube" )->create( &error );
	for ( int32_t i = 0; i < sup_methodCount && s_tube != NULL; ++i )
	{
		supFleshDef def = supDefaultFleshDef();
		def.method = (supMethodId)i;
		s_fleshes[i] = supBuildFlesh( s_tube, &def, NULL, &error );
		if ( s_fleshes[i] == NULL )
		{
			return -1;
		}
	}
	return s_tube != NULL ? 0 : -1;
}

static int DestroyAll( void** state )
{
	(void)state;
	for ( int32_t i = 0; i < sup_methodCount; ++i )
	{
		supDestroyFlesh( s_fleshes[i] );
	}
	supDestroyCharacter( s_tube );
	return 0;
}

static bool HasLine( const supFleshElements* elements, int32_t a, int32_t b )
{
	for ( int32_t i = 0; i < elements->lineCount; ++i )
	{
		const int32_t* line = elements->lines + 2 * (ptrdiff_t)i;
		if ( ( line[0] == a && line[1] == b ) || ( line[0] == b && line[1] == a ) )
		{
			return true;
		}
	}
	return false;
}

static void CheckTets( const supFleshElements* elements, const supVec3* points )
{
	assert_int_equal( elements->cornerCount, 4 );
	for ( int32_t i = 0; i < elements->count; ++i )
	{
		const int32_t* t = elements->corners + 4 * (ptrdiff_t)i;
		supVec3 a = supSub( points[t[1]], points[t[0]] ), b = supSub( points[t[2]], points[t[0]] ),
				c = supSub( points[t[3]], points[t[0]] );
		testGreater( supDot( supCross( a, b ), c ), 0.0f );
	}
	// a few of them, all edges
	for ( int32_t i = 0; i < elements->count; i += elements->count / 5 + 1 )
	{
		const int32_t* t = elements->corners + 4 * (ptrdiff_t)i;
		assert_true( HasLine( elements, t[0], t[1] ) && HasLine( elements, t[0], t[2] ) );
		assert_true( HasLine( elements, t[0], t[3] ) && HasLine( elements, t[1], t[2] ) );
		assert_true( HasLine( elements, t[1], t[3] ) && HasLine( elements, t[2], t[3] ) );
	}
}

// Voxels that touch are one size apart.
static void CheckVoxels( const supFleshElements* elements, const supVec3* points )
{
	assert_true( elements->size > 0.0f && elements->layers != NULL && elements->lineCount > elements->count );
	for ( int32_t i = 0; i < elements->lineCount; ++i )
	{
		supVec3 a = points[elements->lines[2 * i]], b = points[elements->lines[2 * i + 1]];
		assert_float_equal( supDistance( a, b ), elements->size, 1e-4f * elements->size );
	}
}

static void TestLists( void** state )
{
	(void)state;
	static const supElementKind kinds[sup_methodCount] = {
		[sup_methodLbs] = sup_elementsNone,      [sup_methodDqs] = sup_elementsNone,
		[sup_methodPosition] = sup_elementsTets, [sup_methodLattice] = sup_elementsVoxels,
		[sup_methodPoints] = sup_elementsTets,   [sup_methodLayered] = sup_elementsTets,
		[sup_methodFem] = sup_elementsLattice,   [sup_methodModes] = sup_elementsTets,
	};
	for ( int32_t method = 0; method < sup_methodCount; ++method )
	{
		supFleshElements elements = { 0 };
		supVec3* points = NULL;
		supError error = { 0 };
		testRequire( supFlesh_ListElements( s_fleshes[method], NULL, &elements, &points, &error ), &error );
		assert_int_equal( elements.kind, kinds[method] );
		assert_true( ( points != NULL ) == ( elements.kind != sup_elementsNone ) );
		assert_true( ( elements.lineCount > 0 ) == ( points != NULL ) );
		for ( int32_t i = 0; i < elements.cornerCount * elements.count; ++i )
		{
			assert_in_range( elements.corners[i], 0, elements.pointCount - 1 );
		}
		for ( int32_t i = 0; i < elements.lineCount; ++i )
		{
			const int32_t* line = elements.lines + 2 * (ptrdiff_t)i;
			assert_in_range( line[0], 0, elements.pointCount - 1 );
			assert_in_range( line[1], 0, elements.pointCount - 1 );
			assert_int_not_equal( line[0], line[1] );
		}
		if ( elements.kind == sup_elementsTets )
		{
			CheckTets( &elements, points );
		}
		if ( elements.kind == sup_elementsVoxels )
		{
			CheckVoxels( &elements, points );
		}
		supFleshElements_Destroy( &elements );
	}
}

// Flesh out of a file has the lines of that which was written.
static void TestRead( void** state )
{
	(void)state;
	for ( int32_t method = 0; method < sup_methodCount; ++method )
	{
		supError error = { 0 };
		size_t byteCount = 0;
		uint8_t* bytes = supWriteFlesh( s_fleshes[method], &byteCount, &error );
		testRequire( bytes != NULL, &error );
		supFlesh* read = supReadFlesh( bytes, byteCount, "flesh", s_tube, &error );
		testRequire( read != NULL, &error );
		supFleshElements first = { 0 }, second = { 0 };
		supVec3 *points = NULL, *others = NULL;
		testRequire( supFlesh_ListElements( s_fleshes[method], NULL, &first, &points, &error ), &error );
		testRequire( supFlesh_ListElements( read, NULL, &second, &others, &error ), &error );
		assert_int_equal( second.kind, first.kind );
		assert_int_equal( second.pointCount, first.pointCount );
		assert_int_equal( second.lineCount, first.lineCount );
		if ( first.lineCount > 0 )
		{
			assert_memory_equal( second.lines, first.lines, 2 * (size_t)first.lineCount * sizeof( int32_t ) );
		}
		supFleshElements_Destroy( &first );
		supFleshElements_Destroy( &second );
		supDestroyFlesh( read );
		supFree( bytes );
	}
}

// From bone to skin, with something of each in a tube that has flesh.
static void TestLayers( void** state )
{
	(void)state;
	static const supMethodId methods[] = { sup_methodPosition, sup_methodLattice };
	for ( int32_t k = 0; k < 2; ++k )
	{
		supFleshElements elements = { 0 };
		supVec3* points = NULL;
		supError error = { 0 };
		supFleshDef def = supDefaultFleshDef();
		testRequire( supFlesh_ListElements( s_fleshes[methods[k]], NULL, &elements, &points, &error ), &error );
		uint8_t* layers = malloc( (size_t)elements.count );
		testRequire( supFlesh_FindLayers( s_fleshes[methods[k]], &def, &elements, points, NULL, layers, &error ),
					 &error );
		int32_t counts[4] = { 0 };
		for ( int32_t i = 0; i < elements.count; ++i )
		{
			assert_in_range( layers[i], 0, 3 );
			counts[layers[i]] += 1;
		}
		testGreater( counts[0], 0 );
		testGreater( counts[1], 0 );
		testGreater( counts[2], 0 );
		testGreater( counts[3], 0 );
		free( layers );
		supFleshElements_Destroy( &elements );
	}
}

static supActor* Bend( supScene* scene, supActor* actor, int32_t steps )
{
	for ( int32_t i = 1; i <= steps; ++i )
	{
		supPose_ApplyClip( supActor_Pose( actor ), supCharacter_Clip( s_tube, 0 ), 0.05f * (float)i );
		supScene_Step( scene, 1.0f / 60.0f );
	}
	return actor;
}

// Two actors alike, one of them looked at after each run of steps: the same bits, and what is seen has moved.
static void TestLookingChangesNothing( void** state )
{
	(void)state;
	size_t vertexBytes = (size_t)supCharacter_Mesh( s_tube, 0 )->vertexCount * sizeof( supVec3 );
	for ( int32_t method = sup_methodPosition; method < sup_methodCount; ++method )
	{
		const supFlesh* flesh = s_fleshes[method];
		supFleshElements elements = { 0 };
		supVec3* points = NULL;
		supError error = { 0 };
		testRequire( supFlesh_ListElements( flesh, NULL, &elements, &points, &error ), &error );
		supVec3* now = malloc( (size_t)elements.pointCount * sizeof( supVec3 ) );
		float* heat = malloc( vertexBytes );
		supScene* scenes[2];
		supActor* actors[2];
		for ( int32_t k = 0; k < 2; ++k )
		{
			supSceneDef def = supDefaultSceneDef();
			scenes[k] = supCreateScene( &def, &error );
			actors[k] = supScene_AddActor( scenes[k], flesh, &error );
		}
		testRequire( supActor_ReadElements( actors[1], elements.pointCount, now, &error ), &error );
		assert_memory_equal( now, points, (size_t)elements.pointCount * sizeof( supVec3 ) );
		for ( int32_t run = 0; run < 2; ++run )
		{
			Bend( scenes[0], actors[0], 3 );
			Bend( scenes[1], actors[1], 3 );
			testRequire( supActor_ReadElements( actors[1], elements.pointCount, now, &error ), &error );
			for ( int32_t kind = 0; kind < sup_heatCount; ++kind )
			{
				assert_true( supActor_FillHeat( actors[1], (supHeat)kind, 0, NULL, heat ) );
			}
			assert_memory_equal( supActor_Positions( actors[0], 0 ), supActor_Positions( actors[1], 0 ), vertexBytes );
		}
		assert_memory_not_equal( now, points, (size_t)elements.pointCount * sizeof( supVec3 ) );
		for ( int32_t i = 0; i < elements.pointCount; ++i )
		{
			assert_true( supIsFiniteVec3( now[i] ) );
		}
		supDestroyScene( scenes[0] );
		supDestroyScene( scenes[1] );
		free( heat );
		free( now );
		supFleshElements_Destroy( &elements );
	}
}

static bool TryList( void* context )
{
	supFleshElements elements = { 0 };
	supVec3* points = NULL;
	supError error = { 0 };
	bool ok = supFlesh_ListElements( context, NULL, &elements, &points, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supFleshElements_Destroy( &elements );
	return ok;
}

static void TestMemory( void** state )
{
	(void)state;
	for ( int32_t method = sup_methodPosition; method < sup_methodCount; ++method )
	{
		testEachAllocationFailure( TryList, s_fleshes[method], 40 );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestLists ),  cmocka_unit_test( TestRead ),
		cmocka_unit_test( TestLayers ), cmocka_unit_test( TestLookingChangesNothing ),
		cmocka_unit_test( TestMemory ),
	};
	return cmocka_run_group_tests( tests, BuildAll, DestroyAll );
}
