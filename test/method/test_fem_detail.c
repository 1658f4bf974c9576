// SPDX-License-Identifier: MIT
// Finer functions: what they cost, what they correct, and that they come and go unseen.
#include "fem_stage.h"

#include <math.h>
#include <time.h>

static double Now( void )
{
	struct timespec t;
	timespec_get( &t, TIME_UTC );
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

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
	assert_true( id >= 0 );
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
			if ( i == 1 && k % 8 == 0 ) { supFemView v = supFemFlesh_View( fleshes[1]->own, samples[1].actor->state ); double m = 0; for ( int q = 0; q < 3 * v.detail.header->activeCount; ++q ) m = fmax( m, fabs( v.detail.z[q] ) ); print_message( "%d active %d z %.4f it %d moved %g %g\n", k, v.detail.header->activeCount, m, (int)v.detail.header->iterations, (double)v.detail.header->moved, (double)v.solver.header->moved ); }
		}
	}
	const supFemFlesh* fem = fleshes[1]->own;
	supFemView view = supFemFlesh_View( fem, samples[1].actor->state );
	double coarse = Difference( samples, samples + 2 ), adapted = Difference( samples + 1, samples + 2 );
	print_message( "from a fine lattice of %d vertices: %.5f m with %d vertices, %.5f m with %d of %d finer functions\n",
				   fine.vertexCount, coarse, fem->model.functionCount, adapted, view.detail.header->activeCount,
				   fem->detail.count );
	assert_true( adapted < 0.5 * coarse );
	for ( int i = 0; i < 3; ++i )
	{
		supDestroyScene( samples[i].scene );
		supDestroyFlesh( fleshes[i] );
	}
	supControlLattice_Destroy( &fine );
}

// Kangaroo at rest with two levels offered, and under a pull.
static void CostsWhatIsActive( void** state )
{
	(void)state;
	testMeasuresOnly();
	supError error = { 0 };
	supCharacter* kangaroo = supFindModel( "kangaroo" )->create( &error );
	testRequire( kangaroo != NULL, &error );
	double rest[2] = { 1.0, 1.0 }, pulled[2] = { 1.0, 1.0 };
	for ( int levels = 1; levels < 2; ++levels )
	{
		const supSetting settings[2] = { { "levels", 2.0f * (float)levels }, { "mode", (float)atof( getenv( "MODE" ) ) } };
		supFleshDef def = supDefaultFleshDef();
		def.method = sup_methodFem;
		def.settings = settings;
		def.settingCount = 2;
		supFlesh* flesh = supBuildFlesh( kangaroo, &def, NULL, &error );
		testRequire( flesh != NULL, &error );
		Sample s = Start( flesh, NULL );
		const supFemFlesh* fem = flesh->own;
		supFemView view = supFemFlesh_View( fem, s.actor->state );
		rest[levels] = 1e9;
		for ( int32_t i = 0; i < 300; ++i )
		{
			double from = Now();
			supScene_Step( s.scene, 1.0f / 60.0f );
			rest[levels] = fmin( rest[levels], Now() - from );
		}
		print_message( "rest: %d active of %d\n", view.detail.header->activeCount, fem->detail.count );
		supSurfacePoint point = PointAt( &s, supMakeVec3( 0.0f, 0.7f, 0.5f ) );
		supVec3 from = supActor_PointPosition( s.actor, &point );
		supDragId id = Pull( &s, &point );
		supActor_MoveDrag( s.actor, id, supAdd( from, supMakeVec3( 0.0f, 0.0f, 0.03f ) ) );
		double worst = 0.0;
		pulled[levels] = 1e9;
		for ( int32_t i = 0; i < 40; ++i )
		{
			uint64_t before = view.detail.header->iterations;
			double begin = Now();
			supScene_Step( s.scene, 1.0f / 60.0f );
			double time = Now() - begin;
			worst = fmax( worst, time );
			pulled[levels] = fmin( pulled[levels], time );
			if ( i % 10 == 0 )
			{
				print_message( "%d: active %d, iterations %d, %.3f ms\n", i, view.detail.header->activeCount,
							   (int)( view.detail.header->iterations - before ), time );
			}
		}
		supVec3 moved = supSub( supActor_PointPosition( s.actor, &point ), from );
		print_message( "point moved %.3f %.3f %.3f worst %.3f\n", (double)moved.x, (double)moved.y, (double)moved.z,
					   worst );
		supActor_EndDrag( s.actor, id );
		for ( int32_t i = 0; i < 300; ++i )
		{
			supScene_Step( s.scene, 1.0f / 60.0f );
			if ( i % 50 == 0 ) { double m = 0, mw = 0; for ( int q = 0; q < 3 * view.detail.header->activeCount; ++q ) { m = fmax( m, fabs( view.detail.z[q] ) ); mw = fmax( mw, fabs( view.detail.w[q] ) ); } print_message( "after %d: active %d z %.5f w %.5f moved %g\n", i, view.detail.header->activeCount, m, mw, (double)view.solver.header->moved ); }
		}
		supDestroyScene( s.scene );
		supDestroyFlesh( flesh );
	}
	print_message( "kangaroo at rest %.3f ms, with two levels offered %.3f ms; pulled %.3f, %.3f ms\n", rest[0], rest[1],
				   pulled[0], pulled[1] );
	assert_true( rest[1] <= 1.3 * rest[0] );
	supDestroyCharacter( kangaroo );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( ComesNearerToAFineLattice ),
		cmocka_unit_test( CostsWhatIsActive ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
