// SPDX-License-Identifier: MIT
// bench_box [RESULTS.csv]: a soft box around a bone that turns to and fro, for engines that know no tetrahedra
// (peers/README.md), by `layered` and by `position`: how fast and how well.
#include "bench.h"

#include "peers/box.h"
#include "skinned.h"
#include "supple/supple.h"

// Those of a grid as fine as the surface, five in each cell.
#define TETS ( 5 * ( BOX_POINTS - 1 ) * ( BOX_POINTS - 1 ) * ( BOX_POINTS - 1 ) )

static supCharacter* MakeCharacter( const Box* box )
{
	static supVec3 positions[BOX_MOST_POINTS];
	static uint32_t indices[3 * BOX_MOST_TRIANGLES];
	static uint16_t joints[BOX_MOST_POINTS];
	static float weights[BOX_MOST_POINTS];
	for ( int i = 0; i < box->pointCount; ++i )
	{
		positions[i] = supMakeVec3( (float)box->rest[i][0], (float)box->rest[i][1], (float)box->rest[i][2] );
		weights[i] = 1.0f;
	}
	for ( int i = 0; i < 3 * box->triangleCount; ++i )
	{
		indices[i] = (uint32_t)box->triangles[i / 3][i % 3];
	}
	int32_t bone = 0;
	supMat34 inverseBind = supMat34_identity;
	supNode nodes[2] = { { .name = "bone", .parent = -1, .rest = supTransform_identity },
						 { .name = "box", .parent = -1, .rest = supTransform_identity } };
	supSkin skin = { .name = "box", .jointCount = 1, .joints = &bone, .inverseBinds = &inverseBind };
	supMesh mesh = { .name = "box",
					 .vertexCount = box->pointCount,
					 .positions = positions,
					 .influences = 1,
					 .joints = joints,
					 .weights = weights,
					 .indexCount = 3 * box->triangleCount,
					 .indices = indices };
	supError error = { 0 };
	supCharacter* character = testCreateSkinned( nodes, 2, &skin, &mesh, &error );
	benchRequire( character != NULL, &error );
	return character;
}

static void Turn( supActor* actor, double angle )
{
	supTransform local = supTransform_identity;
	local.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), (float)angle );
	supPose_SetLocal( supActor_Pose( actor ), 0, local );
}

static BoxSums Run( Box* box, const supFlesh* flesh, int32_t threads )
{
	supError error = { 0 };
	supThreadPool* pool = supCreateThreadPool( threads );
	supSceneDef def = supDefaultSceneDef();
	def.tasks = supThreadPool_Tasks( pool );
	def.gravity = supMakeVec3( 0.0f, (float)BOX_GRAVITY, 0.0f );
	supScene* scene = supCreateScene( &def, &error );
	benchRequire( scene != NULL, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	benchRequire( actor != NULL, &error );
	BoxSums sums = { 0 };
	static double now[BOX_MOST_POINTS][3];
	for ( int step = 0; step < BOX_STEPS; ++step )
	{
		Turn( actor, boxAngle( step + 1 ) );
		double start = benchNow();
		supScene_Step( scene, (float)BOX_STEP );
		double seconds = benchNow() - start;
		const supVec3* positions = supActor_Positions( actor, 0 );
		for ( int i = 0; i < box->pointCount; ++i )
		{
			now[i][0] = (double)positions[i].x;
			now[i][1] = (double)positions[i].y;
			now[i][2] = (double)positions[i].z;
		}
		if ( step >= BOX_WARM_UP )
		{
			boxMeasure( box, now, boxAngle( step + 1 ), seconds, &sums );
		}
	}
	supDestroyScene( scene );
	supDestroyThreadPool( pool );
	return sums;
}

static void MeasureMethod( Box* box, const supCharacter* character, supMethodId method, const supSetting* settings,
						   int32_t settingCount, FILE* csv )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	def.settings = settings;
	def.settingCount = settingCount;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	benchRequire( flesh != NULL, &error );
	const char* name = supMethodName( method );
	for ( int32_t threads = 1; threads <= 2; ++threads )
	{
		BoxSums sums = Run( box, flesh, threads );
		char title[64];
		snprintf( title, sizeof( title ), "Supple %s, %d thread%s", name, threads, threads > 1 ? "s" : "" );
		boxPrint( title, &sums );
		benchWriteCsv( csv, "box", name, threads, 1e3 * sums.seconds / sums.steps, "ms" );
		benchWriteCsv( csv, "box volume error", name, threads, 100.0 * sums.volumeError / sums.steps, "%" );
		benchWriteCsv( csv, "box edges off", name, threads, 100.0 * sums.edgeError / sums.steps, "%" );
	}
	supDestroyFlesh( flesh );
}

int main( int argc, char** argv )
{
	Box* box = boxMake();
	supCharacter* character = MakeCharacter( box );
	FILE* csv = benchOpenCsv( argc, argv );
	printf( "A box of %d points and %d edges around a bone, steps of 1/240 s\n\n", box->pointCount, box->edgeCount );
	printf( "%-28s %12s %11s %11s %12s\n", "", "a step", "volume", "edges", "behind bone" );
	supSetting layered[] = { { "sag", 1.0f } };
	MeasureMethod( box, character, sup_methodLayered, layered, 1, csv );
	supSetting position[] = {
		{ "tets", TETS }, { "sag", 1.0f }, { "frequency", (float)BOX_FREQUENCY }, { "damping", (float)BOX_DAMPING }
	};
	MeasureMethod( box, character, sup_methodPosition, position, 4, csv );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	supDestroyCharacter( character );
	free( box );
	return 0;
}
