// SPDX-License-Identifier: MIT
// Steps of finite elements: lattices of the size of the paper's kangaroo (177 vertices) and cow (214), the standard
// one, and a sweep to 20 000 vertices, with the sizes of factors; and the same systems by conjugate gradients.
#include "bench.h"

#include "linear/conjugate_gradients.h"
#include "method/fem/flesh.h"
#include "models/models.h"
#include "scene/actor.h"

#define ROUNDS 9
#define SECONDS 0.02

typedef struct Stage
{
	const supFemModel* model;
	supFemView view;
	supTrouble trouble;
	supFemStep step;
	supScene* scene;
	// one region's system
	supBlockMatrix matrix;
	supBlockJacobi jacobi;
	double *b, *x, *scratch;
	int32_t iterations;
} Stage;

static void Advance( void* context )
{
	Stage* stage = context;
	supFemSolver_Advance( stage->model, &stage->view.solver, &stage->step );
}

static void Refactor( void* context )
{
	Stage* stage = context;
	memset( stage->view.solver.keys, 0, (size_t)stage->model->regionCount * sizeof( uint64_t ) );
	supFemSolver_Advance( stage->model, &stage->view.solver, &stage->step );
}

static void Blow( void* context )
{
	Stage* stage = context;
	supVec3* g = &stage->step.gravity;
	*g = supMakeVec3( g->y, g->z, -g->x );
	supFemSolver_Advance( stage->model, &stage->view.solver, &stage->step );
}

static void StepScene( void* context )
{
	supScene_Step( ( (Stage*)context )->scene, 1.0f / 60.0f );
}

// ---------------------------------------------------------------------------------------------------------------------
// Conjugate gradients on what the factors solve: M + h^2 K of every region, to 1e-4.

static void SumRegion( Stage* stage, const supFemRegion* region )
{
	double h = stage->step.dt;
	memset( stage->matrix.values, 0, 9 * (size_t)region->matrix.blockCount * sizeof( double ) );
	for ( int32_t p = 0; p < region->partCount; ++p )
	{
		const supFemPart* part = region->parts + p;
		for ( int32_t k = 0; k < part->stiffness.blockCount; ++k )
		{
			for ( size_t i = 0; part->blocks[k] >= 0 && i < 9; ++i )
			{
				stage->matrix.values[9 * (size_t)part->blocks[k] + i] +=
					h * h * part->stiffness.values[9 * (size_t)k + i] + ( i % 4 == 0 ? part->mass.values[k] : 0.0 );
			}
		}
	}
}

static void Gradients( void* context )
{
	Stage* stage = context;
	int32_t n = stage->matrix.unknownCount;
	memset( stage->x, 0, (size_t)n * sizeof( double ) );
	supGradientsDef def = { .unknownCount = n,
							.apply = supApplyMatrix,
							.applyContext = &stage->matrix,
							.precondition = supApplyBlockJacobi,
							.preconditionContext = &stage->jacobi,
							.tolerance = 1e-4,
							.maxIterations = 1000 };
	stage->iterations = supSolveGradients( &def, stage->b, stage->x, stage->scratch ).iterations;
}

static double TimeGradients( Stage* stage, double* iterations )
{
	double seconds = 0.0;
	int32_t count = 0;
	*iterations = 0.0;
	for ( int32_t i = 0; i < stage->model->regionCount; ++i )
	{
		const supFemRegion* region = stage->model->regions + i;
		if ( region->frame >= stage->model->boneCount )
		{
			// asleep
			continue;
		}
		count += 1;
		supError error = { 0 };
		size_t n = (size_t)region->matrix.unknownCount;
		stage->matrix = region->matrix;
		stage->matrix.values = calloc( 9 * (size_t)region->matrix.blockCount + SUP_BLOCK_PADDING, sizeof( double ) );
		stage->b = calloc( 6 * n, sizeof( double ) );
		stage->x = stage->b + n;
		stage->scratch = stage->x + n;
		SumRegion( stage, region );
		for ( size_t k = 0; k < n; ++k )
		{
			stage->b[k] = region->loads[k / 3] * ( k % 3 == 1 ? 1.0 : 0.1 );
		}
		benchRequire( supBlockJacobi_Create( &stage->jacobi, &stage->matrix, &error ), &error );
		seconds += benchTime( Gradients, stage, 3, 0.002 );
		*iterations += stage->iterations;
		supBlockJacobi_Destroy( &stage->jacobi );
		free( stage->matrix.values );
		free( stage->b );
	}
	*iterations /= count > 0 ? count : 1;
	return seconds;
}

// ---------------------------------------------------------------------------------------------------------------------

// The step of the systems, and that of the same body in another mode, both while its bones stay.
static double TimeMode( const supCharacter* character, int32_t vertices, const char* setting, float value )
{
	supError error = { 0 };
	const supSetting settings[2] = { { "vertices", (float)vertices }, { setting, value } };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodFem;
	def.settings = settings;
	def.settingCount = 2;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	benchRequire( flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.sleeping = false;
	Stage stage = { .scene = supCreateScene( &sceneDef, &error ) };
	supActor* actor = supScene_AddActor( stage.scene, flesh, &error );
	benchRequire( actor != NULL, &error );
	supScene_Step( stage.scene, 1.0f / 60.0f );
	const supFemFlesh* fem = flesh->own;
	stage.model = &fem->model;
	stage.view = supFemFlesh_View( fem, actor->state );
	// a breeze that comes and goes keeps Newton's method from being done before it began
	stage.step = ( supFemStep ){ .dt = (double)( 1.0f / 60.0f ),
								 .trouble = &stage.trouble,
								 .frames = stage.view.frames,
								 .known = stage.view.known,
								 .tunings = stage.view.tunings,
								 .gravity = { 1.0f, 2.0f, 3.0f },
								 .sag = 1.0,
								 .iterations = 10 };
	double step = benchTime( Blow, &stage, ROUNDS, SECONDS );
	supDestroyScene( stage.scene );
	supDestroyFlesh( flesh );
	return step;
}

// Near joints without linearising, and all of it, beside the blended regions.
static void ReportModes( FILE* csv, const char* name, int32_t vertices )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( name )->create( &error );
	benchRequire( character != NULL, &error );
	double blended = TimeMode( character, vertices, "joints", 0.0f );
	double joints = TimeMode( character, vertices, "joints", 1.0f );
	double nonlinear = TimeMode( character, vertices, "mode", (float)sup_femNonlinear );
	printf( "%-9s %6d %9.3f %9.3f %9.3f %9.1f %9.1f\n", name, vertices, 1e3 * blended, 1e3 * joints, 1e3 * nonlinear,
			joints / blended, nonlinear / blended );
	char label[64];
	snprintf( label, sizeof( label ), "%s %d", name, vertices );
	benchWriteCsv( csv, "fem moving step", label, 1, 1e3 * blended, "ms" );
	benchWriteCsv( csv, "fem moving step, nonlinear joints", label, 1, 1e3 * joints, "ms" );
	benchWriteCsv( csv, "fem moving step, nonlinear", label, 1, 1e3 * nonlinear, "ms" );
	supDestroyCharacter( character );
}

static void Report( FILE* csv, const char* name, int32_t vertices )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( name )->create( &error );
	benchRequire( character != NULL, &error );
	const supSetting setting = { "vertices", (float)vertices };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodFem;
	def.settings = &setting;
	def.settingCount = 1;
	double start = benchNow();
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	benchRequire( flesh != NULL, &error );
	double build = benchNow() - start;
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.sleeping = false;
	Stage stage = { .scene = supCreateScene( &sceneDef, &error ) };
	supActor* actor = supScene_AddActor( stage.scene, flesh, &error );
	benchRequire( actor != NULL, &error );
	supScene_Step( stage.scene, 1.0f / 60.0f );
	const supFemFlesh* fem = flesh->own;
	stage.model = &fem->model;
	stage.view = supFemFlesh_View( fem, actor->state );
	stage.step = ( supFemStep ){ .dt = (double)( 1.0f / 60.0f ),
								 .trouble = &stage.trouble,
								 .frames = stage.view.frames,
								 .known = stage.view.known,
								 .tunings = stage.view.tunings };
	int64_t numbers = 0;
	for ( int32_t i = 0; i < fem->model.regionCount; ++i )
	{
		numbers += fem->model.regions[i].symbolic.factorCount;
	}
	bool large = vertices > 2000;
	double whole = benchTime( StepScene, &stage, large ? 3 : ROUNDS, SECONDS );
	double step = benchTime( Advance, &stage, large ? 3 : ROUNDS, SECONDS );
	double factor = benchTime( Refactor, &stage, 3, SECONDS ) - step;
	double iterations = 0.0, gradients = TimeGradients( &stage, &iterations );
	printf( "%-9s %6d %6d %4d %9.3f %9.1f %8.3f %8.3f %9.2f %9.3f %6.0f\n", name, fem->model.vertexCount,
			fem->lattice.cellCount, fem->model.regionCount, 1e-6 * (double)numbers, build, 1e3 * step, 1e3 * whole,
			1e3 * factor, 1e3 * gradients, iterations );
	char label[64];
	snprintf( label, sizeof( label ), "%s %d", name, fem->model.vertexCount );
	benchWriteCsv( csv, "fem step", label, 1, 1e3 * step, "ms" );
	benchWriteCsv( csv, "fem scene step", label, 1, 1e3 * whole, "ms" );
	benchWriteCsv( csv, "fem refactor", label, 1, 1e3 * factor, "ms" );
	benchWriteCsv( csv, "fem gradients", label, 1, 1e3 * gradients, "ms" );
	benchWriteCsv( csv, "fem factor", label, 1, (double)numbers, "numbers" );
	supDestroyScene( stage.scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	setvbuf( stdout, NULL, _IOLBF, 0 );
	printf(
		"One thread. Factor in millions of numbers; build in s; step of the systems alone and of the scene with the skin,\n"
		"refactoring, and conjugate gradients to 1e-4 for the same systems in ms, with iterations a region.\n" );
	printf( "%-9s %6s %6s %4s %9s %9s %8s %8s %9s %9s %6s\n", "", "verts", "cells", "bone", "factor", "build", "step",
			"scene", "refactor", "gradients", "iter" );
	Report( csv, "kangaroo", 177 );
	Report( csv, "cow", 214 );
	Report( csv, "bunny", 500 );
	static const int32_t sizes[] = { 500, 1000, 2000, 5000, 20000 };
	for ( size_t i = 0; i < sizeof( sizes ) / sizeof( sizes[0] ); ++i )
	{
		Report( csv, "cow", sizes[i] );
	}
	printf(
		"\nA step of the systems while flesh moves, in ms: blended, with nonlinear joints, nonlinear; and how many times\n"
		"the first the others are.\n" );
	printf( "%-9s %6s %9s %9s %9s %9s %9s\n", "", "verts", "blended", "joints", "nonlinear", "joints", "nonlinear" );
	ReportModes( csv, "kangaroo", 177 );
	ReportModes( csv, "cow", 214 );
	ReportModes( csv, "bunny", 500 );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
