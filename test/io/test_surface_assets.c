// SPDX-License-Identifier: MIT
// The surfaces of real files against counts that came from another program.
#include "support.h"

#include "supple/supple.h"

typedef struct Expected
{
	const char* path;
	int32_t triangles;
	int32_t welded;
	int32_t boundary;
	int32_t nonManifold;
	int32_t misoriented;
	int32_t parts;
	int32_t degenerate;
	int32_t duplicate;
} Expected;

// meshes/Wuson.ply is the one file where the list beside the assets differs (2110 places, 400 boundary, 5 non-manifold
// edges): it comes from rounding coordinates, which parts neighbours across a rounding border. Comparing every pair of
// vertices gives what stands here.
static const Expected s_expected[] = {
	{ "characters/CesiumMan.glb", 4672, 2338, 0, 0, 0, 1, 0, 0 },
	{ "characters/Fox.glb", 576, 290, 0, 0, 0, 1, 0, 0 },
	{ "characters/RiggedFigure.glb", 256, 130, 0, 0, 0, 1, 0, 0 },
	{ "characters/RiggedSimple.glb", 188, 96, 0, 0, 0, 1, 0, 0 },
	{ "characters/SimpleSkin.gltf", 8, 10, 10, 0, 0, 1, 0, 0 },
	{ "characters/RecursiveSkeletons.glb", 76, 40, 0, 0, 0, 1, 0, 0 },
	{ "characters/RobotExpressive.glb", 3237, 1759, 232, 148, 0, 61, 3, 64 },
	{ "characters/Alien/Alien.gltf", 25222, 12626, 18, 0, 0, 8, 0, 0 },
	{ "characters/Elf/Elf.gltf", 2312, 1267, 196, 1, 0, 12, 0, 1 },
	{ "characters/Yeti/Yeti.gltf", 35146, 17605, 0, 0, 0, 16, 0, 0 },
	{ "characters/hand-left.glb", 1808, 906, 0, 0, 0, 1, 0, 0 },
	{ "characters/horse-animations.glb", 3414, 1709, 0, 0, 0, 1, 0, 0 },
	{ "characters/snake-animations.glb", 1130, 567, 0, 0, 0, 1, 0, 0 },
	{ "characters/kaiju-animations.glb", 2318, 1169, 18, 0, 0, 1, 0, 0 },
	{ "characters/spider-animations.glb", 1600, 800, 4, 8, 0, 1, 0, 0 },
	{ "characters/dragon-animations.glb", 3498, 1783, 6, 4, 0, 17, 0, 0 },
	{ "characters/m2m-human.glb", 13713, 6989, 26, 1, 0, 61, 0, 0 },
	{ "characters/human-bunny.glb", 5262, 2633, 0, 0, 0, 1, 0, 0 },
	{ "characters/human-zombie.glb", 1604, 804, 0, 0, 0, 1, 0, 0 },
	{ "characters/kaiju-t-rex.glb", 7010, 3506, 9, 20, 0, 3, 0, 1 },
	{ "characters/skin-cases/Animation_Skin_06.gltf", 8, 12, 12, 0, 0, 2, 0, 0 },
	{ "characters/skin-cases/Animation_Skin_08.gltf", 12, 12, 12, 0, 0, 2, 0, 0 },
	{ "characters/fbx/maya_kenney_character_7700_binary.fbx", 1604, 804, 0, 0, 0, 1, 0, 0 },
	{ "characters/fbx/maya_dq_weights_7500_binary.fbx", 1344, 674, 0, 0, 0, 1, 0, 0 },
	{ "characters/fbx/blender_279_sausage_7400_binary.fbx", 576, 290, 0, 0, 0, 1, 0, 0 },
	{ "characters/fbx/maya_game_sausage_7500_ascii_combined.fbx", 44, 24, 0, 0, 0, 1, 0, 0 },
	{ "characters/fbx/maya_slime_7500_binary.fbx", 4880, 2444, 0, 0, 0, 2, 0, 0 },
	{ "characters/fbx/animation_with_skeleton.fbx", 2112, 1058, 0, 0, 0, 1, 0, 0 },
	{ "characters/fbx/huesitos.fbx", 120, 62, 0, 0, 0, 1, 0, 0 },
	{ "characters/dae/walk.dae", 15627, 7786, 84, 172, 21, 1, 0, 68 },
	{ "meshes/human_neutral.obj", 20908, 10475, 32, 0, 0, 3, 0, 0 },
	{ "meshes/Wuson.ply", 3732, 2101, 395, 12, 0, 51, 0, 0 },
	{ "meshes/Spider_binary.stl", 1368, 722, 72, 0, 10, 18, 56, 0 },
	{ "meshes/sphereWithHole.stl", 285, 146, 9, 0, 0, 1, 0, 0 },
};

static void TestCountsOfRealFiles( void** state )
{
	(void)state;
	for ( size_t i = 0; i < sizeof( s_expected ) / sizeof( s_expected[0] ); ++i )
	{
		const Expected* e = s_expected + i;
		supError error = { 0 };
		supSurfaceReport r;
		supCharacter* character = supLoadCharacter( testAsset( e->path ), &error );
		testRequire( character != NULL, &error );
		testRequire( supCheckSurface( character, &r, &error ), &error );
		supDestroyCharacter( character );
		const int32_t found[] = { r.triangleCount,       r.weldedVertexCount, r.boundaryEdges,
								  r.nonManifoldEdges,    r.misorientedEdges,  r.parts,
								  r.degenerateTriangles, r.duplicateTriangles };
		const int32_t expected[] = { e->triangles,   e->welded, e->boundary,   e->nonManifold,
									 e->misoriented, e->parts,  e->degenerate, e->duplicate };
		for ( int k = 0; k < 8; ++k )
		{
			if ( found[k] != expected[k] )
			{
				fail_msg( "%s: number %d is %d instead of %d", e->path, k, found[k], expected[k] );
			}
		}
		assert_int_equal( r.watertight, e->boundary == 0 && e->nonManifold == 0 );
	}
}

// The file is known to be wound inside out; a man of 1.5 m holds some 0.05 cubic metres.
static void TestVolumeTellsInsideOut( void** state )
{
	(void)state;
	const char* paths[2] = { "characters/fbx/animation_with_skeleton.fbx", "characters/CesiumMan.glb" };
	float volumes[2];
	for ( int i = 0; i < 2; ++i )
	{
		supError error = { 0 };
		supSurfaceReport r;
		supCharacter* character = supLoadCharacter( testAsset( paths[i] ), &error );
		testRequire( character != NULL, &error );
		testRequire( supCheckSurface( character, &r, &error ), &error );
		supDestroyCharacter( character );
		volumes[i] = r.volume;
	}
	testLess( volumes[0], 0.0f );
	testGreater( volumes[1], 0.04f );
	testLess( volumes[1], 0.07f );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestCountsOfRealFiles ),
		cmocka_unit_test( TestVolumeTellsInsideOut ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
