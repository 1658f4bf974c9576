// SPDX-License-Identifier: MIT
// The bunny with every method, here and as WebAssembly, one thread: milliseconds to build flesh and for a step of the
// walk, and how many times longer WebAssembly takes. This very program, compiled by emscripten (target web_bench of the
// web preset), prints rows that the native one reads; the two take turns, so that a busy machine is busy for both.
#include "bench.h"

#include "models/models.h"
#include "supple/supple.h"

#define ROUNDS 3
// seconds: until a browser has compiled anew, with care, what it runs often; and of measuring
#define WARM_SECONDS 1.5
#define SECONDS 0.5

typedef struct Row
{
	double build;
	double step;
} Row;

// Milliseconds a step, over at least so many seconds.
static double StepFor( supScene* scene, double seconds )
{
	double start = benchNow(), now = start;
	int count = 0;
	for ( ; count < 10 || now - start < seconds; ++count )
	{
		supScene_Step( scene, 1.0f / 60.0f );
		now = benchNow();
	}
	return 1e3 * ( now - start ) / count;
}

static Row MeasureHere( const supCharacter* character, supMethodId method )
{
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	supError error = { 0 };
	double start = benchNow();
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	Row row = { .build = 1e3 * ( benchNow() - start ) };
	benchRequire( flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	supScene* scene = supCreateScene( &sceneDef, &error );
	benchRequire( scene != NULL, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	benchRequire( actor != NULL, &error );
	supPlayDef play = supDefaultPlayDef( supCharacter_Clip( character, 0 ) );
	supActor_Play( actor, &play );
	StepFor( scene, WARM_SECONDS );
	row.step = StepFor( scene, SECONDS );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	return row;
}

static supCharacter* CreateBunny( void )
{
	supError error = { 0 };
	supCharacter* bunny = supFindModel( "bunny" )->create( &error );
	benchRequire( bunny != NULL, &error );
	return bunny;
}

#if defined( __EMSCRIPTEN__ )

// bench.js METHOD
int main( int argc, char** argv )
{
	supMethodId method;
	if ( argc != 2 || supFindMethod( argv[1], &method ) == false )
	{
		return 2;
	}
	supCharacter* bunny = CreateBunny();
	Row row = MeasureHere( bunny, method );
	printf( "%.6g %.6g\n", row.build, row.step );
	supDestroyCharacter( bunny );
	return 0;
}

#else

static bool MeasureThere( supMethodId method, Row* row )
{
	char command[128];
	snprintf( command, sizeof( command ), "node --no-experimental-fetch build/web/bench.js %s",
			  supMethodName( method ) );
	FILE* pipe = popen( command, "r" );
	bool ok = pipe != NULL && fscanf( pipe, "%lf %lf", &row->build, &row->step ) == 2;
	return pipe != NULL && pclose( pipe ) == 0 && ok;
}

int main( int argc, char** argv )
{
	FILE* program = fopen( "build/web/bench.js", "r" );
	if ( program == NULL )
	{
		printf( "nothing to compare with: bench/README.md tells how the other side is built\n" );
		return 0;
	}
	fclose( program );
	FILE* csv = benchOpenCsv( argc, argv );
	supCharacter* bunny = CreateBunny();
	printf( "%-10s %28s   %28s\n", "", "build here, there, ratio", "step here, there, ratio" );
	for ( int i = 0; i < sup_methodCount; ++i )
	{
		double values[4][ROUNDS];
		const char* name = supMethodName( (supMethodId)i );
		for ( int round = 0; round < ROUNDS; ++round )
		{
			Row here = MeasureHere( bunny, (supMethodId)i ), there;
			if ( MeasureThere( (supMethodId)i, &there ) == false )
			{
				fprintf( stderr, "node build/web/bench.js %s did not work\n", name );
				return 1;
			}
			values[0][round] = here.build;
			values[1][round] = there.build;
			values[2][round] = here.step;
			values[3][round] = there.step;
		}
		static const char* const cases[] = { "build", "build wasm", "step", "step wasm" };
		double medians[4];
		for ( int k = 0; k < 4; ++k )
		{
			char label[64];
			snprintf( label, sizeof( label ), "%s %s", name, cases[k] );
			medians[k] = benchMedian( values[k], ROUNDS );
			benchWriteCsv( csv, "web", label, 1, medians[k], "ms" );
		}
		printf( "%-10s %8.1f ms %8.1f ms %5.2f   %8.3f ms %8.3f ms %5.2f\n", name, medians[0], medians[1],
				medians[1] / medians[0], medians[2], medians[3], medians[3] / medians[2] );
	}
	if ( csv != NULL )
	{
		fclose( csv );
	}
	supDestroyCharacter( bunny );
	return 0;
}

#endif
