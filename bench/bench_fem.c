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
	supFlesh* flesh;
	const supFemFlesh* fem;
	supScene* scene;
	double build; // s
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

// One character in a scene of its own, after its first step.
static Stage OpenStage( const supCharacter* character, const supSetting* settings, int32_t settingCount )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodFem;
	def.settings = settings;
	def.settingCount = settingCount;
	Stage stage = { 0 };
	double start = benchNow();
	stage.flesh = supBuildFlesh( character, &def, NULL, &error );
	benchRequire( stage.flesh != NULL, &error );
	stage.build = benchNow() - start;
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.sleeping = false;
	stage.scene = supCreateScene( &sceneDef, &error );
	supActor* actor = supScene_AddActor( stage.scene, stage.flesh, &error );
	benchRequire( actor != NULL, &error );
	supScene_Step( stage.scene, 1.0f / 60.0f );
	stage.fem = stage.flesh->own;
	stage.model = &stage.fem->model;
	stage.view = supFemFlesh_View( stage.fem, actor->state );
	stage.step = ( supFemStep ){ .dt = (double)( 1.0f / 60.0f ),
								 .frames = stage.view.frames,
								 .known = stage.view.known,
								 .tunings = stage.view.tunings,
								 .iterations = 10 };
	return stage;
}

static void CloseStage( Stage* stage )
{
	supDestroyScene( stage->scene );
	supDestroyFlesh( stage->flesh );
}

// The step of the systems, and that of the same body in another mode, both while its bones stay.
static double TimeMode( const supCharacter* character, int32_t vertices, const char* setting, float value )
{
	const supSetting settings[2] = { { "vertices", (float)vertices }, { setting, value } };
	Stage stage = OpenStage( character, settings, 2 );
	stage.step.trouble = &stage.trouble;
	// a breeze that comes and goes keeps Newton's method from being done before it began
	stage.step.gravity = supMakeVec3( 1.0f, 2.0f, 3.0f );
	stage.step.sag = 1.0;
	double step = benchTime( Blow, &stage, ROUNDS, SECONDS );
	CloseStage( &stage );
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
	benchWriteCsv( csv, "fem moving step with nonlinear joints", label, 1, 1e3 * joints, "ms" );
	benchWriteCsv( csv, "fem moving step fully nonlinear", label, 1, 1e3 * nonlinear, "ms" );
	supDestroyCharacter( character );
}

// - isSweep: its figures are points of curves
static void Report( FILE* csv, const char* name, int32_t vertices, bool isSweep )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( name )->create( &error );
	benchRequire( character != NULL, &error );
	const supSetting setting = { "vertices", (float)vertices };
	Stage stage = OpenStage( character, &setting, 1 );
	stage.step.trouble = &stage.trouble;
	int64_t numbers = 0;
	for ( int32_t i = 0; i < stage.model->regionCount; ++i )
	{
		numbers += stage.model->regions[i].symbolic.factorCount;
	}
	int rounds = vertices > 2000 ? 3 : ROUNDS;
	double whole = 1e3 * benchTime( StepScene, &stage, rounds, SECONDS );
	double step = 1e3 * benchTime( Advance, &stage, rounds, SECONDS );
	double factor = 1e3 * benchTime( Refactor, &stage, 3, SECONDS ) - step;
	double iterations = 0.0, gradients = 1e3 * TimeGradients( &stage, &iterations );
	printf( "%-9s %6d %6d %4d %9.3f %9.1f %8.3f %8.3f %9.2f %9.3f %6.0f\n", name, stage.model->functionCount,
			stage.fem->lattice.cellCount, stage.model->regionCount, 1e-6 * (double)numbers, stage.build, step, whole,
			factor, gradients, iterations );
	char label[64];
	snprintf( label, sizeof( label ), "%s %d", name, stage.model->functionCount );
	benchWriteCsv( csv, "fem step", label, 1, step, "ms" );
	benchWriteCsv( csv, "fem scene step", label, 1, whole, "ms" );
	benchWriteCsv( csv, "fem refactor", label, 1, factor, "ms" );
	benchWriteCsv( csv, "fem gradients", label, 1, gradients, "ms" );
	benchWriteCsv( csv, "fem factor", label, 1, (double)numbers, "numbers" );
	if ( isSweep )
	{
		double x = stage.model->functionCount;
		benchWritePoint( csv, "fem_vertices", "a step", 1, x, "vertices", whole, "ms" );
		benchWritePoint( csv, "fem_vertices", "systems, factored", 1, x, "vertices", step, "ms" );
		benchWritePoint( csv, "fem_vertices", "systems, gradients", 1, x, "vertices", gradients, "ms" );
		benchWritePoint( csv, "fem_vertices", "factoring anew", 1, x, "vertices", factor, "ms" );
		benchWritePoint( csv, "fem_factor", "all regions", 1, x, "vertices", (double)numbers, "numbers" );
	}
	CloseStage( &stage );
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
	Report( csv, "kangaroo", 177, false );
	Report( csv, "cow", 214, true );
	Report( csv, "bunny", 500, false );
	static const int32_t sizes[] = { 500, 1000, 2000, 5000, 20000 };
	for ( size_t i = 0; i < sizeof( sizes ) / sizeof( sizes[0] ); ++i )
	{
		Report( csv, "cow", sizes[i], true );
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
