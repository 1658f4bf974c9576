// SPDX-License-Identifier: MIT
// Finer functions: what they cost, what they correct, and that they come and go unseen.
#include "fem_stage.h"

#include <math.h>
#include <time.h>

static int32_t VertexCount( void )
{
	return supCharacter_Mesh( s_character, supCharacter_Instance( s_character, 0 )->mesh )->vertexCount;
}

// A place in the middle of the skin, held by one point: the force acts on the place alone.
static supSurfacePoint PointAt( const Sample* s, supVec3 near )
{
	supSurfacePoint point;
	assert_true( supActor_FindNearest( s->actor, near, &point ) );
	return point;
}

static supDragId Pull( const Sample* s, const supSurfacePoint* point )
{
	supDragDef def = supDefaultDragDef( s->actor, point );
	def.radius = 0.0f;
	supDragId id = supActor_StartDrag( s->actor, &def );
	testGreaterEqual( id, 0 );
	return id;
}

// The lattice with every cell divided `level` times, as one of its own.
static void Divide( const supControlLattice* lattice, int32_t level, supControlLattice* fine )
{
	supError error = { 0 };
	supRestSurface surface = { 0 };
	testRequire( supRestSurface_Init( &surface, s_character, NULL, &error ), &error );
	supCellBasisDef def = supDefaultCellBasisDef();
	def.lattice = lattice;
	def.surface = &surface;
	def.level = level;
	supCellBasis basis = { 0 };
	supCellRule rule = { 0 };
	testRequire( supBuildCellBasis( &basis, &rule, &def, &error ), &error );
	int32_t count = basis.hexCounts[level];
	uint8_t* kinds = malloc( (size_t)count );
	int32_t* corners = malloc( 8 * (size_t)count * sizeof( int32_t ) );
	static const int32_t order[8] = { 0, 1, 3, 2, 4, 5, 7, 6 };
	for ( int32_t i = 0; i < 8 * count; ++i )
	{
		kinds[i / 8] = sup_cellHex;
		corners[i] = basis.hexes[level][8 * ( i / 8 ) + order[i % 8]];
	}
	supControlLatticeArrays arrays = { .name = "fine",
									   .vertexCount = basis.nodeCount,
									   .vertices = basis.nodes,
									   .cellCount = count,
									   .kinds = kinds,
									   .corners = corners,
									   .jointCount = lattice->jointCount,
									   .joints = lattice->joints,
									   .boneCount = lattice->boneCount,
									   .bones = lattice->bones };
	testRequire( supControlLattice_Init( fine, &arrays, &error ), &error );
	free( kinds );
	free( corners );
	supCellBasis_Destroy( &basis );
	supCellRule_Destroy( &rule );
	supRestSurface_Destroy( &surface );
}

static supFlesh* BuildOn( const supControlLattice* lattice, int32_t levels )
{
	supError error = { 0 };
	// linear: one region, so that nothing but the functions differs; physical, so that what is thrown is too
	const supSetting settings[4] = { { "levels", (float)levels },
									 { "mode", (float)sup_femLinear },
									 { "exaggeration", 1.0f },
									 { "skin", (float)sup_femCarried } };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodFem;
	def.lattice = lattice;
	def.settings = settings;
	def.settingCount = SUP_COUNT( settings );
	supFlesh* flesh = supBuildFlesh( s_character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	return flesh;
}

// Root mean square distance of two surfaces, m.
static double Difference( const Sample* a, const Sample* b )
{
	double sum = 0.0;
	for ( int32_t i = 0; i < VertexCount(); ++i )
	{
		float d = supDistance( supActor_Positions( a->actor, 0 )[i], supActor_Positions( b->actor, 0 )[i] );
		sum += (double)d * (double)d;
	}
	return sqrt( sum / VertexCount() );
}

// A tube pulled at one point: each level is nearer to the lattice that is fine everywhere.
static void ComesNearerToAFineLattice( void** state )
{
	(void)state;
	supControlLattice fine = { 0 };
	const supFemFlesh* own = s_flesh->own;
	Divide( &own->lattice, 1, &fine );
	supFlesh* fleshes[3] = { BuildOn( &own->lattice, 0 ), BuildOn( &own->lattice, 1 ), BuildOn( &fine, 0 ) };
	Sample samples[3];
	supDragId ids[3];
	supSurfacePoint point;
	for ( int i = 0; i < 3; ++i )
	{
		samples[i] = Start( fleshes[i], NULL );
		supActor_SetParameter( samples[i].actor, sup_femRefine, 0.002f );
		supScene_Step( samples[i].scene, 1.0f / 60.0f );
		point = i == 0 ? PointAt( samples, supMakeVec3( 0.3f, 0.7f, 0.0f ) ) : point;
		ids[i] = Pull( samples + i, &point );
		supVec3 from = supActor_PointPosition( samples[i].actor, &point );
		supActor_MoveDrag( samples[i].actor, ids[i], supAdd( from, supMakeVec3( 0.06f, 0.0f, 0.0f ) ) );
		for ( int32_t k = 0; k < 120; ++k )
		{
			supScene_Step( samples[i].scene, 1.0f / 60.0f );
		}
	}
	const supFemFlesh* fem = fleshes[1]->own;
	supFemView view = supFemFlesh_View( fem, samples[1].actor->state );
	double coarse = Difference( samples, samples + 2 ), adapted = Difference( samples + 1, samples + 2 );
	print_message(
		"from a fine lattice of %d vertices: %.5f m with %d vertices, %.5f m with %d of %d finer functions\n",
		fine.vertexCount, coarse, fem->model.functionCount, adapted, view.detail.header->activeCount,
		fem->detail.count );
	testLess( adapted, 0.5 * coarse );
	for ( int i = 0; i < 3; ++i )
	{
		supDestroyScene( samples[i].scene );
		supDestroyFlesh( fleshes[i] );
	}
	supControlLattice_Destroy( &fine );
}

// The tube held at a point of its skin, with `levels` levels.
static Sample StartPulled( const supFlesh* flesh, supSurfacePoint* point, supDragId* id )
{
	Sample s = Start( flesh, NULL );
	supScene_Step( s.scene, 1.0f / 60.0f );
	*point = PointAt( &s, supMakeVec3( 0.3f, 0.7f, 0.0f ) );
	*id = Pull( &s, point );
	supVec3 from = supActor_PointPosition( s.actor, point );
	supActor_MoveDrag( s.actor, *id, supAdd( from, supMakeVec3( 0.05f, 0.0f, 0.0f ) ) );
	return s;
}

// Functions join where the tube is pulled, stay while it is held, and leave when it is let go. Neither moves anything:
// one that joins has a coefficient of 0, one that leaves had none that could be seen.
static void JoinAndLeave( supFemMode mode )
{
	const supSetting settings[4] = {
		{ "vertices", 60.0f }, { "levels", 2.0f }, { "mode", (float)mode }, { "iterations", 2.0f }
	};
	supFlesh* flesh = Build( settings, SUP_COUNT( settings ), NULL );
	const supFemFlesh* fem = flesh->own;
	supSurfacePoint point;
	supDragId id;
	Sample s = StartPulled( flesh, &point, &id );
	const supDetailState detail = supFemFlesh_View( fem, s.actor->state ).detail;
	double *sizes = calloc( (size_t)fem->detail.count, sizeof( double ) ), farthest = 0.0;
	int32_t most = 0, joined = 0;
	supActor_SetParameter( s.actor, sup_femRefine, 0.05f );
	supActor_SetParameter( s.actor, sup_femRefine2, 0.05f );
	assert_int_equal( detail.header->activeCount, 0 );
	for ( int32_t i = 0; i < 800; ++i )
	{
		if ( i == 60 )
		{
			supActor_EndDrag( s.actor, id );
		}
		supScene_Step( s.scene, 1.0f / 60.0f );
		most = detail.header->activeCount > most ? detail.header->activeCount : most;
		for ( int32_t f = 0; f < fem->detail.count; ++f )
		{
			const double* z = detail.z + 3 * (ptrdiff_t)detail.slots[f];
			double size = detail.slots[f] < 0 ? -1.0 : sqrt( z[0] * z[0] + z[1] * z[1] + z[2] * z[2] );
			bool joins = i > 0 && sizes[f] < 0.0 && size >= 0.0, leaves = sizes[f] > 0.0 && size < 0.0;
			farthest = fmax( farthest, joins ? size : ( leaves ? sizes[f] : 0.0 ) );
			joined += joins;
			sizes[f] = size;
		}
	}
	print_message( "%d of %d functions at most, %d left; joining and leaving move %.1e of the size\n", most,
				   fem->detail.count, detail.header->activeCount, farthest / (double)fem->model.extent );
	assert_in_range( most, 5, fem->detail.count / 2 );
	testGreaterEqual( joined, 5 );
	testLessEqual( farthest, 1e-6 * (double)fem->model.extent );
	assert_int_equal( detail.header->activeCount, 0 );
	free( sizes );
	supDestroyScene( s.scene );
	supDestroyFlesh( flesh );
}

static void FunctionsOfTheBlended( void** state )
{
	(void)state;
	JoinAndLeave( sup_femBlended );
}

static void FunctionsOfTheNonlinear( void** state )
{
	(void)state;
	JoinAndLeave( sup_femNonlinear );
}

// A force at one point of the skin raises a narrower bump with finer functions than without. With the default `refine`,
// which leaves out what one hardly sees, it is a tenth narrower; with 0.1 it has the width of the finer functions.
static void FingertipRaisesANarrowBump( void** state )
{
	(void)state;
	double widths[2];
	for ( int levels = 0; levels < 2; ++levels )
	{
		const supSetting settings[4] = {
			{ "vertices", 60.0f }, { "levels", 2.0f * (float)levels }, { "refine", 0.1f }, { "refine2", 0.1f }
		};
		supFlesh* flesh = Build( settings, SUP_COUNT( settings ), NULL );
		supSurfacePoint point;
		supDragId id;
		Sample rest = Start( flesh, NULL ), s = StartPulled( flesh, &point, &id );
		supScene_Step( rest.scene, 1.0f / 60.0f );
		for ( int32_t i = 0; i < 60; ++i )
		{
			supScene_Step( s.scene, 1.0f / 60.0f );
		}
		// the place itself is held exactly, on whatever level
		supVec3 from = supActor_PointPosition( rest.actor, &point ), to = supActor_PointPosition( s.actor, &point );
		float gap = supDistance( to, supAdd( from, supMakeVec3( 0.05f, 0.0f, 0.0f ) ) );
		testLess( gap, 0.002f );
		int32_t count = 0;
		for ( int32_t i = 0; i < VertexCount(); ++i )
		{
			supVec3 p = supActor_Positions( rest.actor, 0 )[i];
			count += supDistance( supActor_Positions( s.actor, 0 )[i], p ) > 0.025f;
		}
		widths[levels] = sqrt( (double)count / VertexCount() );
		supDestroyScene( rest.scene );
		supDestroyScene( s.scene );
		supDestroyFlesh( flesh );
	}
	print_message( "a bump as wide as %.3f of the tube, with finer functions %.3f\n", widths[0], widths[1] );
	testLess( widths[1], 0.7 * widths[0] );
}

// Milliseconds of the processor, so that it does not count what others do on the machine.
static double StepTime( const Sample* s )
{
	clock_t from = clock();
	supScene_Step( s->scene, 1.0f / 60.0f );
	return 1e3 * (double)( clock() - from ) / CLOCKS_PER_SEC;
}

static int CompareTimes( const void* a, const void* b )
{
	double x = *(const double*)a, y = *(const double*)b;
	return x < y ? -1 : x > y;
}

// A kangaroo at rest with two levels offered; then pulled at one point, where each step is repeated from the same state
// so that what others do on the machine does not count.
static void CostsWhatIsActive( void** state )
{
	(void)state;
	testMeasuresOnly();
	supError error = { 0 };
	supCharacter* kangaroo = supFindModel( "kangaroo" )->create( &error );
	testRequire( kangaroo != NULL, &error );
	double rest[2] = { 1e9, 1e9 };
	supFlesh* fleshes[2];
	Sample samples[2];
	for ( int i = 0; i < 2; ++i )
	{
		const supSetting settings[2] = { { "vertices", 180.0f }, { "levels", 2.0f * (float)i } };
		supFleshDef def = supDefaultFleshDef();
		def.method = sup_methodFem;
		def.settings = settings;
		def.settingCount = SUP_COUNT( settings );
		fleshes[i] = supBuildFlesh( kangaroo, &def, NULL, &error );
		testRequire( fleshes[i] != NULL, &error );
		samples[i] = Start( fleshes[i], NULL );
	}
	for ( int32_t k = 0; k < 600; ++k )
	{
		rest[k % 2] = fmin( rest[k % 2], StepTime( samples + k % 2 ) );
	}
	assert_int_equal( supActor_Measure( samples[1].actor ).finerFunctions, 0 );
	supActor_SetParameter( samples[1].actor, sup_femRefine, 0.05f );
	supActor_SetParameter( samples[1].actor, sup_femRefine2, 0.05f );
	// a place that many functions move: soft, and not near a bone
	const supFemDetail* detail = &( (const supFemFlesh*)fleshes[1]->own )->detail;
	int32_t best = 0;
	for ( int32_t v = 1; v < detail->skinCount; ++v )
	{
		const int32_t* starts = detail->seenStarts;
		best = starts[v + 1] - starts[v] > starts[best + 1] - starts[best] ? v : best;
	}
	supSurfacePoint point = { .vertices = { best, best, best }, .weights = { 1.0f, 0.0f, 0.0f } };
	supVec3 from = supActor_PointPosition( samples[1].actor, &point );
	supDragId id = Pull( samples + 1, &point );
	supActor_MoveDrag( samples[1].actor, id, supAdd( from, supMakeVec3( 0.0f, 0.0f, 0.05f ) ) );
	enum
	{
		steps = 60,
		repeats = 3
	};
	double times[steps];
	int32_t most = 0;
	size_t size = supActor_StateSize( samples[1].actor );
	void* bytes = malloc( size );
	for ( int32_t k = 0; k < steps; ++k )
	{
		times[k] = 1e9;
		supActor_SaveState( samples[1].actor, bytes );
		for ( int32_t n = 0; n < repeats; ++n )
		{
			supActor_RestoreState( samples[1].actor, bytes );
			times[k] = fmin( times[k], StepTime( samples + 1 ) );
		}
		int32_t active = supActor_Measure( samples[1].actor ).finerFunctions;
		most = active > most ? active : most;
	}
	free( bytes );
	qsort( times, steps, sizeof( double ), CompareTimes );
	print_message(
		"kangaroo at rest %.3f ms, with two levels offered %.3f ms (%.2f times); pulled, %d functions: median "
		"%.3f ms, worst %.3f ms\n",
		rest[0], rest[1], rest[1] / rest[0], most, times[steps / 2], times[steps - 1] );
	testGreater( most, 0 );
	testLessEqual( rest[1], 1.3 * rest[0] );
	testLessEqual( times[steps - 1], 3.0 * times[steps / 2] );
	for ( int i = 0; i < 2; ++i )
	{
		supDestroyScene( samples[i].scene );
		supDestroyFlesh( fleshes[i] );
	}
	supDestroyCharacter( kangaroo );
}

// Saved and loaded: the same bits.
static void FinerFunctionsGoIntoAFile( void** state )
{
	(void)state;
	supError error = { 0 };
	const supSetting settings[2] = { { "vertices", 60.0f }, { "levels", 1.0f } };
	supFlesh* flesh = Build( settings, SUP_COUNT( settings ), NULL );
	size_t size = 0;
	void* bytes = supWriteFlesh( flesh, &size, &error );
	testRequire( bytes != NULL, &error );
	supFlesh* loaded = supReadFlesh( bytes, size, "tube.flesh", s_character, &error );
	testRequire( loaded != NULL, &error );
	supSurfacePoint point;
	supDragId id;
	Sample a = StartPulled( flesh, &point, &id ), b = StartPulled( loaded, &point, &id );
	for ( int32_t i = 0; i < 20; ++i )
	{
		supScene_Step( a.scene, 1.0f / 60.0f );
		supScene_Step( b.scene, 1.0f / 60.0f );
	}
	assert_memory_equal( supActor_Positions( a.actor, 0 ), supActor_Positions( b.actor, 0 ),
						 (size_t)VertexCount() * sizeof( supVec3 ) );
	testGreater( supActor_Measure( a.actor ).finerFunctions, 0 );
	supDestroyScene( a.scene );
	supDestroyScene( b.scene );
	supDestroyFlesh( flesh );
	supDestroyFlesh( loaded );
	supFree( bytes );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( ComesNearerToAFineLattice ), cmocka_unit_test( FunctionsOfTheBlended ),
		cmocka_unit_test( FunctionsOfTheNonlinear ),   cmocka_unit_test( FingertipRaisesANarrowBump ),
		cmocka_unit_test( FinerFunctionsGoIntoAFile ), cmocka_unit_test( CostsWhatIsActive ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
