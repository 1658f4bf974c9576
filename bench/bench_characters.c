// SPDX-License-Identifier: MIT
// Any character: the size of a saved state, and the processor time of a step on one thread while it plays its first
// clip. The least of many steps depends little on what else the machine is doing.
//
//     bench_characters [results.csv [METHOD CHARACTER...]]     built-in characters and files; default: layered deer
#include "bench.h"

#include "models/models.h"
#include "supple/supple.h"

#define DT ( 1.0f / 60.0f )
#define WARM_UP 10
#define STEPS 60

static supCharacter* Load( const char* name, supError* error )
{
	const supModel* model = supFindModel( name );
	return model != NULL ? model->create( error ) : supLoadCharacter( name, error );
}

static void Measure( FILE* csv, supMethodId method, const char* name )
{
	supError error = { 0 };
	supCharacter* character = Load( name, &error );
	benchRequire( character != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	benchRequire( flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.sleeping = false;
	supScene* scene = supCreateScene( &sceneDef, &error );
	benchRequire( scene != NULL, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	benchRequire( actor != NULL, &error );
	if ( supCharacter_ClipCount( character ) > 0 )
	{
		supPlayDef play = supDefaultPlayDef( supCharacter_Clip( character, 0 ) );
		supActor_Play( actor, &play );
	}
	double values[STEPS];
	for ( int32_t i = -WARM_UP; i < STEPS; ++i )
	{
		double start = benchProcessorNow();
		supScene_Step( scene, DT );
		values[i < 0 ? 0 : i] = 1e3 * ( benchProcessorNow() - start );
	}
	double median = benchMedian( values, STEPS ), bytes = (double)supActor_StateSize( actor );
	printf( "%-48s %10.2f %10.2f %10.2f\n", name, 1e-6 * bytes, values[0], median );
	benchWriteCsv( csv, "state", name, 1, 1e-6 * bytes, "MB" );
	benchWriteCsv( csv, "step", name, 1, values[0], "ms" );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	supMethodId method = sup_methodLayered;
	if ( argumentCount > 2 && supFindMethod( arguments[2], &method ) == false )
	{
		fprintf( stderr, "no method is called %s\n", arguments[2] );
		return 1;
	}
	printf( "%-48s %10s %10s %10s\n", supMethodName( method ), "state, MB", "least, ms", "median, ms" );
	if ( argumentCount <= 3 )
	{
		Measure( csv, method, "deer" );
	}
	for ( int32_t i = 3; i < argumentCount; ++i )
	{
		Measure( csv, method, arguments[i] );
	}
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
