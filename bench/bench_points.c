// SPDX-License-Identifier: MIT
// Figure 2 of the paper on local constraints: walls of 100 to 9990 soft cubes in a scene, as a scene file makes them.
// Set-up, and milliseconds a substep (Verlet), of it attachments, on 1 and 2 threads.
#include "bench.h"

#include "method/points/props.h"
#include "method/points/solver.h"
#include "supple/supple.h"

#define ROWS 10
#define ROUNDS 9
#define SECONDS 0.1
#define SUBSTEPS 16

typedef struct Wall
{
	supProp prop;
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
	int32_t attachments;
	double setUp; // s
} Wall;

static supPlace OnPoint( const Wall* wall, int32_t point )
{
	return ( supPlace ){ .kind = sup_placeSurface,
						 .actor = wall->actor,
						 .point = { .vertices = { point, point, point }, .weights = { 1.0f } } };
}

static void Attach( Wall* wall, supPlace first, supPlace second )
{
	supError error = { 0 };
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0] = first;
	def.places[1] = second;
	benchRequire( supScene_Attach( wall->scene, &def, &error ) != NULL, &error );
	wall->attachments += 1;
}

static void AttachAll( Wall* wall )
{
	for ( int32_t i = 0; i < wall->prop.nails.count; ++i )
	{
		int32_t point = wall->prop.nails.data[i];
		supVec3 place = supActor_Positions( wall->actor, 0 )[point];
		Attach( wall, OnPoint( wall, point ), ( supPlace ){ .kind = sup_placeWorld, .position = place } );
	}
	for ( int32_t i = 0; i < wall->prop.joints.count; i += 2 )
	{
		Attach( wall, OnPoint( wall, wall->prop.joints.data[i] ), OnPoint( wall, wall->prop.joints.data[i + 1] ) );
	}
}

static void CreateWall( Wall* wall, int32_t cubes, const supTasks* tasks )
{
	supError error = { 0 };
	double start = benchNow();
	benchRequire( supProp_AddCubeWall( &wall->prop, cubes / ROWS, ROWS, 0.1f ) && supProp_Finish( &wall->prop ),
				  &error );
	wall->character = supProp_CreateCharacter( &wall->prop, "wall", &error );
	benchRequire( wall->character != NULL, &error );
	supTetMesh tets = supProp_Tets( &wall->prop );
	const supSetting settings[] = { { "integrator", (float)sup_integratorVerlet },
									{ "stretch", 200000.0f },
									{ "damping", 0.001f } };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodPoints;
	def.tets = &tets;
	def.settings = settings;
	def.settingCount = 3;
	wall->flesh = supBuildFlesh( wall->character, &def, tasks, &error );
	benchRequire( wall->flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.substeps = SUBSTEPS;
	sceneDef.tasks = tasks;
	wall->scene = supCreateScene( &sceneDef, &error );
	wall->actor = supScene_AddActor( wall->scene, wall->flesh, &error );
	benchRequire( wall->actor != NULL, &error );
	AttachAll( wall );
	wall->setUp = benchNow() - start;
}

static void DestroyWall( Wall* wall )
{
	supDestroyScene( wall->scene );
	supDestroyFlesh( wall->flesh );
	supDestroyCharacter( wall->character );
	supProp_Destroy( &wall->prop );
	*wall = ( Wall ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------

static void Step( void* context )
{
	Wall* wall = context;
	supScene_Step( wall->scene, 1.0f / 60.0f );
}

static void Report( FILE* csv, const char* name, int32_t cubes, int threads, double value )
{
	char text[64];
	snprintf( text, sizeof( text ), "%s %d cubes", name, cubes );
	benchWriteCsv( csv, "points", text, threads, value, "ms" );
}

// From the paper: a step, an Intel Pentium 4 of 3.4 GHz, milliseconds.
static double PaperStep( int32_t cubes )
{
	return cubes == 790 ? 12.0 : ( cubes == 2990 ? 46.15 : 0.0 );
}

static void Measure( FILE* csv, int32_t cubes, int threads )
{
	supThreadPool* pool = supCreateThreadPool( threads );
	Wall wall = { 0 };
	CreateWall( &wall, cubes, supThreadPool_Tasks( pool ) );
	// hanging, so that the attachments have something to do
	for ( int i = 0; i < 5; ++i )
	{
		Step( &wall );
	}
	supSceneStats before = supScene_GetStats( wall.scene );
	double step = 1e3 / SUBSTEPS * benchTime( Step, &wall, ROUNDS, SECONDS );
	supSceneStats after = supScene_GetStats( wall.scene );
	double substeps = SUBSTEPS * (double)( after.steps - before.steps );
	double attachments = ( after.milliseconds.attachments - before.milliseconds.attachments ) / substeps;
	if ( after.trouble.unstable > 0 )
	{
		fprintf( stderr, "the step is too long\n" );
		exit( 1 );
	}
	printf( "%6d %7d %11d %7d  %8.1f  %8.4f %8.4f  %8.2f\n", cubes, wall.prop.tets.count / 4, wall.attachments, threads,
			1e3 * wall.setUp, attachments, step, PaperStep( cubes ) );
	Report( csv, "set-up", cubes, threads, 1e3 * wall.setUp );
	Report( csv, "attachments", cubes, threads, attachments );
	Report( csv, "substep", cubes, threads, step );
	benchWritePoint( csv, "points_constraints", "a substep", threads, wall.attachments, "constraints", step, "ms" );
	benchWritePoint( csv, "points_constraints", "of it attachments", threads, wall.attachments, "constraints",
					 attachments, "ms" );
	if ( threads == 1 && PaperStep( cubes ) > 0.0 )
	{
		benchWritePoint( csv, "points_constraints", "the paper, a step", 1, wall.attachments, "constraints",
						 PaperStep( cubes ), "ms" );
	}
	DestroyWall( &wall );
	supDestroyThreadPool( pool );
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	static const int32_t sizes[] = { 100, 790, 2990, 6000, 9990 };
	printf( "walls of cubes in a scene, milliseconds\n" );
	printf( " cubes    tets constraints threads    set-up   attach.  substep  paper, a step\n" );
	for ( size_t i = 0; i < sizeof( sizes ) / sizeof( sizes[0] ); ++i )
	{
		for ( int threads = 1; threads <= 2; ++threads )
		{
			Measure( csv, sizes[i], threads );
		}
	}
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
