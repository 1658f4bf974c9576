// SPDX-License-Identifier: MIT
// Ground truth: characters posed by the programs that made them (Maya, Blender), exported as OBJ, against what the
// import makes of the FBX. Skinned here, vertex by vertex, so that nothing but the import and the pose is under test.
#include "io/assimp/assimp_import.h"
#include "supple/supple.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

typedef struct Cloud
{
	int32_t count;
	supVec3* points;
} Cloud;

static Cloud ReadObj( const char* path, float scale )
{
	size_t size;
	char* text = (char*)testReadFile( path, &size );
	Cloud cloud = { 0, malloc( size * sizeof( supVec3 ) ) };
	for ( char* line = strtok( text, "\n" ); line != NULL; line = strtok( NULL, "\n" ) )
	{
		supVec3 p;
		if ( sscanf( line, "v %f %f %f", &p.x, &p.y, &p.z ) == 3 )
		{
			cloud.points[cloud.count++] = supScale( scale, p );
		}
	}
	free( text );
	return cloud;
}

static Cloud SkinLinear( supPose* pose, const supCharacter* character, int32_t instance )
{
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
	const supMat34* palette = supPose_Palette( pose, instance );
	Cloud cloud = { mesh->vertexCount, malloc( (size_t)mesh->vertexCount * sizeof( supVec3 ) ) };
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		supVec3 sum = mesh->influences > 0 ? supVec3_zero : supTransformPoint( palette[0], mesh->positions[i] );
		for ( int32_t k = 0; k < mesh->influences; ++k )
		{
			int32_t at = i * mesh->influences + k;
			supVec3 moved = supTransformPoint( palette[mesh->joints[at]], mesh->positions[i] );
			sum = supMulAdd( sum, mesh->weights[at], moved );
		}
		cloud.points[i] = sum;
	}
	return cloud;
}

// The farthest that a point of `a` is from all of `b`: vertices come in another order, and split at seams.
static float OneSidedDistance( Cloud a, Cloud b )
{
	float worst = 0.0f;
	for ( int32_t i = 0; i < a.count; ++i )
	{
		float best = 3.4e38f;
		for ( int32_t k = 0; k < b.count; ++k )
		{
			best = supMinFloat( best, supLengthSquared( supSub( a.points[i], b.points[k] ) ) );
		}
		worst = supMaxFloat( worst, best );
	}
	return sqrtf( worst );
}

typedef struct Frame
{
	const char* fbx;
	const char* obj;
	float metresPerUnit; // of the OBJ
	const char* clip;
	// Frames since the start of the clip, at 24 a second. The names of the files count on the timeline of the author,
	// where some clips start at frame 1.
	float frame;
} Frame;

static const Frame s_frames[] = {
	{ "maya_kenney_character_7700_binary.fbx", "maya_kenney_character_4.obj", 0.01f, "Take 001", 4.0f },
	{ "maya_kenney_character_7700_binary.fbx", "maya_kenney_character_9.obj", 0.01f, "Take 001", 9.0f },
	{ "blender_279_sausage_7400_binary.fbx", "blender_279_sausage_base_0.obj", 1.0f, "Skeleton|Base", 0.0f },
	{ "blender_279_sausage_7400_binary.fbx", "blender_279_sausage_spin_15.obj", 1.0f, "Skeleton|Spin", 15.0f },
	{ "blender_279_sausage_7400_binary.fbx", "blender_279_sausage_wiggle_20.obj", 1.0f, "Skeleton|Wiggle", 19.0f },
	{ "maya_game_sausage_7500_ascii_combined.fbx", "maya_game_sausage_wiggle_10.obj", 0.01f, "wiggle", 9.0f },
	{ "maya_game_sausage_7500_ascii_combined.fbx", "maya_game_sausage_wiggle_18.obj", 0.01f, "wiggle", 17.0f },
	{ "maya_game_sausage_7500_ascii_combined.fbx", "maya_game_sausage_spin_7.obj", 0.01f, "spin", 7.0f },
	{ "maya_game_sausage_7500_ascii_combined.fbx", "maya_game_sausage_spin_15.obj", 0.01f, "spin", 15.0f },
	// joints scaled unevenly, children that do not inherit it
	{ "maya_game_sausage_7500_ascii_combined.fbx", "maya_game_sausage_deform_8.obj", 0.01f, "deform", 8.0f },
	{ "maya_game_sausage_7500_ascii_combined.fbx", "maya_game_sausage_deform_15.obj", 0.01f, "deform", 15.0f },
};

static float MeasureFrame( const Frame* frame )
{
	char path[256];
	supError error = { 0 };
	snprintf( path, sizeof( path ), "characters/fbx/%s", frame->fbx );
	supCharacter* character = supLoadCharacter( testAsset( path ), &error );
	testRequire( character != NULL, &error );
	snprintf( path, sizeof( path ), "characters/fbx/%s", frame->obj );
	Cloud truth = ReadObj( testAsset( path ), frame->metresPerUnit );
	const supClip* clip = supCharacter_FindClip( character, frame->clip );
	assert_non_null( clip );
	supPose* pose = supCreatePose( character );
	supPose_ApplyClip( pose, clip, frame->frame / 24.0f );
	Cloud ours = SkinLinear( pose, character, 0 );

	supBox box = supBox_empty;
	for ( int32_t i = 0; i < truth.count; ++i )
	{
		box = supBox_Include( box, truth.points[i] );
	}
	float distance = supMaxFloat( OneSidedDistance( truth, ours ), OneSidedDistance( ours, truth ) );
	free( truth.points );
	free( ours.points );
	supDestroyPose( pose );
	supDestroyCharacter( character );
	return distance / supLength( supBox_Size( box ) );
}

static void PosesAgreeWithTheirAuthors( void** state )
{
	(void)state;
	for ( size_t i = 0; i < sizeof( s_frames ) / sizeof( s_frames[0] ); ++i )
	{
		float distance = MeasureFrame( &s_frames[i] );
		printf( "%s: %.1e of its size\n", s_frames[i].obj, (double)distance );
		// the OBJ files have six decimals
		testLess( distance, 2e-6f );
	}
}

// Corners of triangles whose normal points to the other side, as a share of all.
static float OpposedShare( const supMesh* mesh )
{
	int32_t opposed = 0;
	for ( int32_t i = 0; i < mesh->indexCount; i += 3 )
	{
		const uint32_t* corner = mesh->indices + i;
		supVec3 a = mesh->positions[corner[0]];
		supVec3 side = supCross( supSub( mesh->positions[corner[1]], a ), supSub( mesh->positions[corner[2]], a ) );
		for ( int32_t k = 0; k < 3; ++k )
		{
			opposed += supDot( side, mesh->normals[corner[k]] ) < 0.0f;
		}
	}
	return (float)opposed / (float)mesh->indexCount;
}

// These two have the normals of the pose that was on screen, so that many corners are opposed to the bound mesh.
static void NormalsOfAPoseAreBroughtBack( void** state )
{
	(void)state;
	// the author's own OBJ of the first has 1.2 %
	static const struct
	{
		const char* path;
		float share;
	} files[] = { { "characters/fbx/maya_kenney_character_7700_binary.fbx", 0.012f },
				  { "characters/fbx/maya_dq_weights_7500_binary.fbx", 0.0f } };
	for ( int i = 0; i < 2; ++i )
	{
		supError error = { 0 };
		supCharacter* character = supLoadCharacter( testAsset( files[i].path ), &error );
		testRequire( character != NULL, &error );
		float share = OpposedShare( supCharacter_Mesh( character, 0 ) );
		printf( "%s: %g opposed\n", files[i].path, (double)share );
		testLessEqual( share, files[i].share );
		bool told = false;
		for ( int32_t k = 0; k < supCharacter_NoteCount( character ); ++k )
		{
			const supNote* note = supCharacter_Note( character, k );
			told = told || ( note->repaired && strstr( note->text, "normals are of the pose at export" ) != NULL );
		}
		assert_true( told );
		supDestroyCharacter( character );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( PosesAgreeWithTheirAuthors ),
		cmocka_unit_test( NormalsOfAPoseAreBroughtBack ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
