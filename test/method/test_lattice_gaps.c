// SPDX-License-Identifier: MIT
// Gaps narrower than a voxel: a mouth opens though both lips are in the same voxels, and what is painted alike on both
// sides stays one piece. Running out of memory while flesh with gaps is built.
#include "lattice_stage.h"
#include "skinned.h"

#include "character/pose.h"
#include "supple/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A block with a slit from one end: two jaws, closed at the back. Planes along each axis; the slit is between the two
// planes in the middle of y, and not in the middle of the whole, so that voxels have both lips in them.
static const float s_x[] = { -1.0f, -0.8f, -0.6f, -0.4f, -0.2f, 0.0f, 0.2f, 0.4f, 0.6f, 0.8f, 1.0f };
static const float s_y[] = { -0.5f, -0.25f, -0.01f, 0.01f, 0.3f, 0.6f };
static const float s_z[] = { -0.4f, -0.2f, 0.0f, 0.2f, 0.4f };

enum
{
	cellsX = SUP_COUNT( s_x ) - 1,
	cellsY = SUP_COUNT( s_y ) - 1,
	cellsZ = SUP_COUNT( s_z ) - 1,
	slitY = 2,
	slitX = 2,
	mostVertices = SUP_COUNT( s_x ) * SUP_COUNT( s_y ) * SUP_COUNT( s_z ),
	crackCount = 63,
	mostIndices = 6 * 3 * mostVertices + 12 * crackCount,
};

static bool IsFlesh( int x, int y, int z )
{
	bool isInside = x >= 0 && x < cellsX && y >= 0 && y < cellsY && z >= 0 && z < cellsZ;
	return isInside && ( y != slitY || x < slitX );
}

typedef struct Mouth
{
	supVec3 positions[mostVertices + 8 * crackCount];
	uint16_t joints[2 * ( mostVertices + 8 * crackCount )];
	float weights[2 * ( mostVertices + 8 * crackCount )];
	uint32_t indices[mostIndices];
	int32_t indexCount;
} Mouth;

static uint32_t VertexOf( const int at[3] )
{
	return (uint32_t)( ( at[2] * (int)SUP_COUNT( s_y ) + at[1] ) * (int)SUP_COUNT( s_x ) + at[0] );
}

// The face of a cell across an axis, at its upper side or at its lower one.
static void AddFace( Mouth* mouth, int x, int y, int z, int axis, bool isUpper )
{
	uint32_t corners[4];
	static const int around[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
	for ( int i = 0; i < 4; ++i )
	{
		int at[3] = { x, y, z };
		at[axis] += isUpper;
		at[( axis + 1 ) % 3] += around[i][0];
		at[( axis + 2 ) % 3] += around[i][1];
		corners[isUpper ? i : 3 - i] = VertexOf( at );
	}
	static const int order[6] = { 0, 1, 2, 0, 2, 3 };
	for ( int i = 0; i < 6; ++i )
	{
		mouth->indices[mouth->indexCount++] = corners[order[i]];
	}
}

// Cuts the upper jaw into plates at the back, so near to each other that they touch. It hangs on the first joint.
static void AddCracks( Mouth* mouth )
{
	for ( int i = 0; i < 2 * crackCount; ++i )
	{
		uint32_t first = (uint32_t)( mostVertices + 4 * i );
		// down at the upper side of a crack, up at the lower one
		float y = 0.25f + 0.005f * (float)( i / 2 ) + ( i % 2 == 1 ? 1.0e-5f : 0.0f );
		for ( int k = 0; k < 4; ++k )
		{
			mouth->positions[first + (uint32_t)k] =
				supMakeVec3( k == 0 || k == 3 ? -1.0f : -0.5f, y, k < 2 ? -0.4f : 0.4f );
			mouth->weights[2 * ( first + (uint32_t)k )] = 1.0f;
		}
		static const uint32_t order[2][6] = { { 0, 2, 1, 0, 3, 2 }, { 0, 1, 2, 0, 2, 3 } };
		for ( int k = 0; k < 6; ++k )
		{
			mouth->indices[mouth->indexCount++] = first + order[i % 2][k];
		}
	}
}

// The lower jaw hangs on the second joint, or everything on the first.
static supCharacter* MakeMouth( bool isPaintedAlike, bool hasCracks )
{
	static Mouth mouth;
	memset( &mouth, 0, sizeof( mouth ) );
	for ( int z = 0; z < (int)SUP_COUNT( s_z ); ++z )
	{
		for ( int y = 0; y < (int)SUP_COUNT( s_y ); ++y )
		{
			for ( int x = 0; x < (int)SUP_COUNT( s_x ); ++x )
			{
				uint32_t i = VertexOf( ( const int[3] ){ x, y, z } );
				float jaw = y > slitY ? 0.0f : ( x > slitX ? 1.0f : 0.5f );
				mouth.positions[i] = supMakeVec3( s_x[x], s_y[y], s_z[z] );
				mouth.joints[2 * i + 1] = 1;
				mouth.weights[2 * i] = isPaintedAlike ? 1.0f : 1.0f - jaw;
				mouth.weights[2 * i + 1] = isPaintedAlike ? 0.0f : jaw;
			}
		}
	}
	for ( int i = 0; i < cellsX * cellsY * cellsZ; ++i )
	{
		int c[3] = { i % cellsX, i / cellsX % cellsY, i / cellsX / cellsY };
		for ( int side = 0; side < 6 && IsFlesh( c[0], c[1], c[2] ); ++side )
		{
			int next[3] = { c[0], c[1], c[2] };
			next[side / 2] += side % 2 == 1 ? 1 : -1;
			if ( IsFlesh( next[0], next[1], next[2] ) == false )
			{
				AddFace( &mouth, c[0], c[1], c[2], side / 2, side % 2 == 1 );
			}
		}
	}
	if ( hasCracks )
	{
		AddCracks( &mouth );
	}
	supTransform rest = supTransform_identity, hinge = supTransform_identity;
	hinge.translation = supMakeVec3( -0.8f, 0.0f, 0.0f );
	const supNode nodes[] = { { .name = "head", .parent = -1, .rest = hinge },
							  { .name = "jaw", .parent = 0, .rest = rest },
							  { .name = "mouth", .parent = -1, .rest = rest } };
	const int32_t joints[] = { 0, 1 };
	supMat34 bind = supMat34_identity;
	bind.t = supMakeVec3( 0.8f, 0.0f, 0.0f );
	const supMat34 binds[] = { bind, bind };
	const supSkin skin = { "skin", 2, joints, binds };
	const supMesh mesh = { .name = "mouth",
						   .vertexCount = mostVertices + ( hasCracks ? 8 * crackCount : 0 ),
						   .indexCount = mouth.indexCount,
						   .indices = mouth.indices,
						   .positions = mouth.positions,
						   .influences = 2,
						   .joints = mouth.joints,
						   .weights = mouth.weights };
	return testMakeSkinned( nodes, 3, &skin, &mesh );
}

static Stage MakeMouthStage( const supCharacter* character, supLatticeMode mode )
{
	const supSetting settings[] = { { "resolution", 16.0f }, { "mode", (float)mode } };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodLattice;
	def.settings = settings;
	def.settingCount = 2;
	return MakeStageOf( character, &def, NULL );
}

// Opens the lower jaw and waits until it is still.
static void Open( Stage* stage, float degrees )
{
	supPose* pose = supActor_Pose( stage->actor );
	for ( int i = 0; i < 90; ++i )
	{
		float part = i < 30 ? (float)( i + 1 ) / 30.0f : 1.0f;
		supTransform turned = supTransform_identity;
		turned.rotation =
			supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), -part * degrees * ( SUP_PI / 180.0f ) );
		supPose_SetLocal( pose, 1, turned );
		supScene_Step( stage->scene, 1.0f / 60.0f );
	}
}

// How far vertices of the lips, and of all in front of the hinge, are from where they are skinned, in voxels.
static double FarthestOff( const Stage* stage, double* gap )
{
	supVec3 skinned[mostVertices];
	const supSkinOutput output = { .positions = skinned };
	supSkinInstance( supActor_Pose( stage->actor ), 0, sup_skinningDualQuaternion, NULL, &output );
	const supVec3* positions = supActor_Positions( stage->actor, 0 );
	double farthest = 0.0, now = 0.0, wanted = 0.0;
	for ( int z = 0; z < (int)SUP_COUNT( s_z ); ++z )
	{
		for ( int x = slitX + 2; x < (int)SUP_COUNT( s_x ); ++x )
		{
			uint32_t lower = VertexOf( ( const int[3] ){ x, slitY, z } ), upper = lower + SUP_COUNT( s_x );
			now += (double)supDistance( positions[lower], positions[upper] );
			wanted += (double)supDistance( skinned[lower], skinned[upper] );
			for ( int y = 0; y < (int)SUP_COUNT( s_y ); ++y )
			{
				uint32_t i = VertexOf( ( const int[3] ){ x, y, z } );
				double d = (double)( supDistance( positions[i], skinned[i] ) / stage->own->voxelSize );
				farthest = d > farthest ? d : farthest;
			}
		}
	}
	*gap = now / wanted;
	return farthest;
}

// Without a cut the voxels along the slit would carry both lips to half the way between them.
static void MouthOpens( void** state )
{
	(void)state;
	supCharacter* character = MakeMouth( false, false );
	for ( int mode = 0; mode < 2; ++mode )
	{
		Stage stage = MakeMouthStage( character, mode == 0 ? sup_latticeNone : sup_latticeAll );
		Open( &stage, 30.0f );
		double gap, farthest = FarthestOff( &stage, &gap );
		print_message( "%s: lips are %.3f of the way apart that they are skinned, and at most %.2f voxels off\n",
					   mode == 0 ? "voxels as skinned" : "flesh", gap, farthest );
		assert_true( mode == 0 ? fabs( gap - 1.0 ) < 0.01 && farthest < 0.25 : gap > 0.9 && gap < 1.1 );
		DestroyStage( &stage );
	}
	supDestroyCharacter( character );
}

static int32_t CountSteps( const supLatticeFlesh* own )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < 27 * own->brickCount; ++i )
	{
		count += __builtin_popcount( own->steps[i] );
	}
	return count;
}

// A slit in flesh of one bone joins what it did before, and one of two bones is shut across its whole depth and width,
// but for the back, where flesh is.
static void OnlyPaintParts( void** state )
{
	(void)state;
	supCharacter* alike = MakeMouth( true, false );
	supCharacter* different = MakeMouth( false, false );
	Stage whole = MakeMouthStage( alike, sup_latticeAll ), cut = MakeMouthStage( different, sup_latticeAll );
	assert_int_equal( whole.own->voxelCount, cut.own->voxelCount );
	// all of 26 neighbours that exist are joined: the block has no other gap
	int32_t neighbours = 0;
	for ( int32_t i = 0; i < whole.own->voxelCount; ++i )
	{
		supVoxelCell a = whole.own->brickCells[whole.own->voxelSlots[i] / 8];
		int32_t ax = a.x + whole.own->voxelSlots[i] % 8;
		for ( int32_t k = 0; k < whole.own->voxelCount; ++k )
		{
			supVoxelCell b = whole.own->brickCells[whole.own->voxelSlots[k] / 8];
			int32_t bx = b.x + whole.own->voxelSlots[k] % 8;
			neighbours += k != i && abs( ax - bx ) < 2 && abs( a.y - b.y ) < 2 && abs( a.z - b.z ) < 2;
		}
	}
	assert_int_equal( CountSteps( whole.own ), neighbours );
	int32_t lost = CountSteps( whole.own ) - CountSteps( cut.own );
	print_message( "%d of %d steps are shut by the slit\n", lost, neighbours );
	// of each cut face 2 steps straight across and 16 aslant; 0.8 of the length and all of the width
	double size = (double)cut.own->voxelSize, faces = 1.6 / size * ( 0.8 / size );
	testGreater( lost, 0.75 * 18.0 * faces );
	testLess( lost, 1.25 * 18.0 * faces );
	DestroyStage( &whole );
	DestroyStage( &cut );
	supDestroyCharacter( alike );
	supDestroyCharacter( different );
}

// Plates that touch are one piece: a line through all of them is one way, not one for each.
static void CracksAreNoGaps( void** state )
{
	(void)state;
	supCharacter* plain = MakeMouth( false, false );
	supCharacter* cracked = MakeMouth( false, true );
	Stage whole = MakeMouthStage( plain, sup_latticeAll ), plates = MakeMouthStage( cracked, sup_latticeAll );
	assert_int_equal( plates.own->voxelCount, whole.own->voxelCount );
	assert_int_equal( CountSteps( plates.own ), CountSteps( whole.own ) );
	DestroyStage( &whole );
	DestroyStage( &plates );
	supDestroyCharacter( plain );
	supDestroyCharacter( cracked );
}

// Is the bone that carries most of a voxel one whose name has these words in it?
static bool HangsOn( const supCharacter* character, const supLatticeFlesh* own, int32_t voxel, const char* words )
{
	int32_t bone = own->joints[SUP_MAX_INFLUENCES * voxel];
	return strstr( supCharacter_Node( character, own->boneNodes[bone] )->name, words ) != NULL;
}

// The voxel next to another one along x, if there is a way.
static int32_t NextAlongX( const supLatticeFlesh* own, const int32_t* voxels, int32_t voxel )
{
	int32_t brick = own->voxelSlots[voxel] / 8, lane = own->voxelSlots[voxel] % 8;
	bool isOpen = ( own->steps[27 * brick + 14] >> lane & 1 ) != 0;
	return isOpen ? voxels[lane < 7 ? 8 * brick + lane + 1 : 8 * own->neighbours[27 * brick + 14]] : -1;
}

// A thumb lies at the thigh, half a voxel away, and at the rim of that gap no line passes from the one into the other.
static void ThumbIsNotAtThigh( void** state )
{
	(void)state;
	testMeasuresOnly();
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( testAsset( "characters/Yeti/Yeti.gltf" ), &error );
	testRequire( character != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodLattice;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	const supLatticeFlesh* own = flesh->own;
	int32_t* voxels = calloc( 8 * (size_t)( own->brickCount + 1 ), sizeof( int32_t ) );
	for ( int32_t i = 0; i < own->voxelCount; ++i )
	{
		voxels[own->voxelSlots[i]] = i;
	}
	int32_t thumbs = 0, joined = 0;
	for ( int32_t i = 0; i < own->voxelCount; ++i )
	{
		int32_t next = NextAlongX( own, voxels, i );
		bool isThumb = HangsOn( character, own, i, "Thumb" );
		thumbs += isThumb;
		joined += next >= 0 && isThumb && HangsOn( character, own, next, "Leg" );
		joined += next >= 0 && HangsOn( character, own, i, "Leg" ) && HangsOn( character, own, next, "Thumb" );
	}
	testGreater( thumbs, 20 );
	assert_int_equal( joined, 0 );
	free( voxels );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

// More triangles across every line than any body has: nothing is looked for, and nothing takes long.
static void HeapOfTriangles( void** state )
{
	(void)state;
	enum
	{
		triangles = 1200
	};
	supVec3* positions = malloc( 3 * triangles * sizeof( supVec3 ) );
	uint32_t random = 1;
	for ( int i = 0; i < 3 * triangles; ++i )
	{
		float c[3];
		for ( int k = 0; k < 3; ++k )
		{
			random = random * 1664525u + 1013904223u;
			c[k] = (float)( random >> 8 ) / 16777216.0f - 0.5f;
		}
		positions[i] = supMakeVec3( c[0], c[1], c[2] );
	}
	supTransform tip = supTransform_identity;
	tip.translation = supMakeVec3( 0.2f, 0.0f, 0.0f );
	const supNode nodes[] = { { .name = "heap", .parent = -1, .rest = supTransform_identity },
							  { .name = "tip", .parent = 0, .rest = tip },
							  { .name = "mesh", .parent = -1, .rest = supTransform_identity } };
	const int32_t joints[] = { 0, 1 };
	const supSkin skin = { "skin", 2, joints, NULL };
	uint16_t* bones = calloc( 3 * triangles, sizeof( uint16_t ) );
	float* weights = malloc( 3 * triangles * sizeof( float ) );
	for ( int i = 0; i < 3 * triangles; ++i )
	{
		weights[i] = 1.0f;
	}
	const supMesh mesh = { .name = "heap",
						   .vertexCount = 3 * triangles,
						   .indexCount = 3 * triangles,
						   .positions = positions,
						   .influences = 1,
						   .joints = bones,
						   .weights = weights };
	supCharacter* character = testMakeSkinned( nodes, 3, &skin, &mesh );
	Stage stage = MakeMouthStage( character, sup_latticeAll );
	supScene_Step( stage.scene, 1.0f / 60.0f );
	DestroyStage( &stage );
	supDestroyCharacter( character );
	free( positions );
	free( bones );
	free( weights );
}

static bool BuildOnce( void* context )
{
	supFleshDef def = supDefaultFleshDef();
	const supSetting settings[] = { { "resolution", 10.0f }, { "width", 4.0f } };
	def.method = sup_methodLattice;
	def.settings = settings;
	def.settingCount = 2;
	// layers alone: test_softness.c runs out of memory in softness
	static const supSoftRegion firm = { .shape = sup_softAll, .softness = 0.0f };
	def.softRegions = &firm;
	def.softRegionCount = 1;
	supError error = { 0 };
	supFlesh* flesh = supBuildFlesh( context, &def, NULL, &error );
	bool ok = flesh != NULL;
	assert_true( ok || error.code == sup_errorMemory );
	if ( ok )
	{
		// sheets, the lists of regions in pieces and extra bricks are built as well
		const supLatticeFlesh* own = flesh->own;
		testGreater( own->regionLists.count, 0 );
		testGreater( own->voxelJoins.starts[own->voxelJoins.count], 0 );
		testGreater( own->extraBrickCount, 0 );
	}
	supDestroyFlesh( flesh );
	return ok;
}

static void RunningOutOfMemoryLeaksNothing( void** state )
{
	(void)state;
	supCharacter* character = MakeMouth( false, false );
	testEachAllocationFailure( BuildOnce, character, 2000 );
	supDestroyCharacter( character );
}

int main( void )
{
	supSetLog( NULL, NULL );
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( MouthOpens ),      cmocka_unit_test( OnlyPaintParts ),
		cmocka_unit_test( CracksAreNoGaps ), cmocka_unit_test( ThumbIsNotAtThigh ),
		cmocka_unit_test( HeapOfTriangles ), cmocka_unit_test( RunningOutOfMemoryLeaksNothing ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
