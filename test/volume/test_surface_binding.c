// SPDX-License-Identifier: MIT
// A skin hung on coarse flesh.
// labels: threads
// threads: TestSameBits
#include "support.h"

#include "models/models.h"
#include "supple/io.h"
#include "volume/binding/surface_binding.h"
#include "voxel_tets.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// A character with flesh of both kinds

typedef struct Subject
{
	supCharacter* character;
	supPose* pose;
	supRestSurface surface;
	supVoxels voxels;
	supTets tets;
	supSurfaceBinding binding;
	supVec4* points;
	supVec4* reference;
	supBindFrame* frames;
	supVec3* positions;
	supVec3* normals;
	float size;
} Subject;

static bool KeepInside( const supVoxels* voxels, int32_t voxel, void* context )
{
	(void)context;
	return voxels->isSurface[voxel] == 0;
}

static void* Allocate( size_t count, size_t size )
{
	void* memory = aligned_alloc( 64, ( count * size + 63 ) / 64 * 64 );
	assert_non_null( memory );
	return memory;
}

typedef enum Kind
{
	kindTets,
	kindInnerTets,
	kindVoxels,
} Kind;

static void Open( Subject* s, supCharacter* character, int32_t resolution, Kind kind, const supTasks* tasks )
{
	supError error = { 0 };
	*s = ( Subject ){ .character = character, .pose = supCreatePose( character ) };
	assert_non_null( s->pose );
	testRequire( supRestSurface_Init( &s->surface, character, tasks, &error ), &error );
	supVoxelsDef def = { .resolution = resolution,
						 .vertexCount = s->surface.vertexCount,
						 .positions = s->surface.positions,
						 .triangleCount = s->surface.triangleCount,
						 .indices = s->surface.indices,
						 .tasks = tasks };
	testRequire( supVoxels_Init( &s->voxels, &def, &error ), &error );
	if ( kind == kindVoxels )
	{
		testRequire( supSurfaceBinding_InitVoxels( &s->binding, character, &s->voxels, tasks, &error ), &error );
	}
	else
	{
		MakeVoxelTets( &s->tets, &s->voxels, kind == kindInnerTets ? KeepInside : NULL, NULL );
		testRequire( supSurfaceBinding_InitTets( &s->binding, character, &s->tets, tasks, &error ), &error );
	}
	size_t points = (size_t)s->binding.pointCount, vertices = (size_t)s->binding.vertexCount;
	s->points = Allocate( points, sizeof( supVec4 ) );
	s->reference = Allocate( points, sizeof( supVec4 ) );
	s->frames = Allocate( points, sizeof( supBindFrame ) );
	s->positions = Allocate( vertices, sizeof( supVec3 ) );
	s->normals = Allocate( vertices, sizeof( supVec3 ) );
	memcpy( s->points, s->binding.restPoints, points * sizeof( supVec4 ) );
	memcpy( s->reference, s->binding.restPoints, points * sizeof( supVec4 ) );
	s->size = (float)( s->voxels.size * resolution );
}

static void Close( Subject* s )
{
	free( s->points );
	free( s->reference );
	free( s->frames );
	free( s->positions );
	free( s->normals );
	supSurfaceBinding_Destroy( &s->binding );
	supTets_Destroy( &s->tets );
	supVoxels_Destroy( &s->voxels );
	supRestSurface_Destroy( &s->surface );
	supDestroyPose( s->pose );
}

// Characters are made once and kept to the end.
static struct
{
	const char* name;
	supCharacter* character;
} s_kept[16];

static supCharacter* Keep( const char* name, bool model )
{
	int32_t i = 0;
	while ( s_kept[i].name != NULL && strcmp( s_kept[i].name, name ) != 0 )
	{
		++i;
	}
	if ( s_kept[i].name == NULL )
	{
		supError error = { 0 };
		s_kept[i].character =
			model ? supFindModel( name )->create( &error ) : supLoadCharacter( testAsset( name ), &error );
		testRequire( s_kept[i].character != NULL, &error );
		s_kept[i].name = name;
	}
	return s_kept[i].character;
}

static int DropKept( void** state )
{
	(void)state;
	for ( int32_t i = 0; s_kept[i].name != NULL; ++i )
	{
		supDestroyCharacter( s_kept[i].character );
	}
	return 0;
}

static supCharacter* CreateModel( const char* name )
{
	return Keep( name, true );
}

static supCharacter* LoadAsset( const char* path )
{
	return Keep( path, false );
}

static void Write( Subject* s, supBindReference reference, const supTasks* tasks )
{
	for ( int32_t i = 0; i < s->binding.instanceCount; ++i )
	{
		int32_t first = s->binding.vertexStarts[i];
		supSkinOutput output = { s->positions + first, s->normals + first, NULL };
		supSurfaceBinding_Write( &s->binding, s->frames, reference, s->pose, i, tasks, &output );
	}
}

static supVec3 Xyz( supVec4 v )
{
	return supMakeVec3( v.x, v.y, v.z );
}

static supVec4 Point( supVec3 v )
{
	return ( supVec4 ){ v.x, v.y, v.z, 1.0f };
}

static const supQuat* MakeRotations( const Subject* s, supQuat q )
{
	supQuat* rotations = malloc( (size_t)s->binding.pointCount * sizeof( supQuat ) );
	assert_non_null( rotations );
	for ( int32_t i = 0; i < s->binding.pointCount; ++i )
	{
		rotations[i] = q;
	}
	return rotations;
}

// ---------------------------------------------------------------------------------------------------------------------
// At rest

static void CheckAtRest( supCharacter* character, int32_t resolution, Kind kind )
{
	Subject s;
	Open( &s, character, resolution, kind, NULL );
	const supSurfaceBinding* b = &s.binding;
	assert_int_equal( b->report.inside + b->report.outside, b->vertexCount );
	for ( int32_t i = 0; i < b->vertexCount; ++i )
	{
		float sum = 0.0f;
		supVec3 place = supVec3_zero;
		for ( int32_t k = 0; k < b->width; ++k )
		{
			float w = b->weights[i * b->width + k];
			testGreaterEqual( w, 0.0f );
			assert_in_range( b->points[i * b->width + k], 0, b->pointCount - 1 );
			sum += w;
			place = supMulAdd( place, w, Xyz( b->restPoints[b->points[i * b->width + k]] ) );
		}
		testLess( fabsf( sum - 1.0f ), 1e-5f );
		if ( kind != kindVoxels )
		{
			supVec3 offset = b->offsets != NULL ? b->offsets[i] : supVec3_zero;
			testLess( supDistance( supAdd( place, offset ), s.surface.positions[i] ), 4e-6f * s.size );
		}
	}
	supVec3* expected = Allocate( (size_t)b->vertexCount, sizeof( supVec3 ) );
	supVec3* expectedNormals = Allocate( (size_t)b->vertexCount, sizeof( supVec3 ) );
	for ( int32_t reference = 0; reference < 3; ++reference )
	{
		supQuat* rotations = NULL;
		if ( kind == kindVoxels )
		{
			const supQuat* identities = MakeRotations( &s, supQuat_identity );
			supSurfaceBinding_FrameRotations( b, s.points, identities, reference == 0 ? NULL : s.reference, NULL,
											  s.frames );
			memcpy( &rotations, &identities, sizeof( rotations ) );
		}
		else
		{
			supSurfaceBinding_FrameTets( b, s.points, reference == 0 ? NULL : s.reference, NULL, s.frames );
		}
		free( rotations );
		Write( &s, (supBindReference)reference, NULL );
		for ( int32_t i = 0; i < b->instanceCount; ++i )
		{
			supSkinning skinning = reference == sup_bindToDual ? sup_skinningDualQuaternion : sup_skinningLinear;
			int32_t first = b->vertexStarts[i], count = b->vertexStarts[i + 1] - first;
			supSkinInstance( s.pose, i, skinning, NULL, &( supSkinOutput ){ expected, expectedNormals, NULL } );
			assert_memory_equal( s.positions + first, expected, (size_t)count * sizeof( supVec3 ) );
			for ( int32_t k = 0; k < count; ++k )
			{
				testLess( supDistance( s.normals[first + k], expectedNormals[k] ), 1e-6f );
			}
		}
	}
	free( expected );
	free( expectedNormals );
	Close( &s );
}

static void TestAtRest( void** state )
{
	(void)state;
	CheckAtRest( CreateModel( "human" ), 40, kindTets );
	CheckAtRest( CreateModel( "human" ), 40, kindInnerTets );
	CheckAtRest( CreateModel( "bunny" ), 24, kindVoxels );
}

static void TestAssetsAtRest( void** state )
{
	(void)state;
	static const char* const paths[] = { "characters/Fox.glb",          "characters/RobotExpressive.glb",
										 "characters/human-bunny.glb",  "characters/dragon-animations.glb",
										 "characters/Alien/Alien.gltf", "characters/Yeti/Yeti.gltf" };
	for ( size_t i = 0; i < sizeof( paths ) / sizeof( paths[0] ); ++i )
	{
		CheckAtRest( LoadAsset( paths[i] ), 32, kindTets );
		CheckAtRest( LoadAsset( paths[i] ), 32, kindVoxels );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Maps that are known

static supVec3 MapAffine( supVec3 p )
{
	supMat34 m = { { 0.2f, 1.1f, -0.1f }, { -0.9f, 0.1f, 0.3f }, { 0.2f, 0.3f, 1.2f }, { 3.0f, -2.0f, 5.0f } };
	return supTransformPoint( m, p );
}

static void TestAffine( void** state )
{
	(void)state;
	testMeasuresOnly();
	Subject s;
	Open( &s, CreateModel( "human" ), 40, kindTets, NULL );
	for ( int32_t i = 0; i < s.binding.pointCount; ++i )
	{
		s.points[i] = Point( MapAffine( Xyz( s.points[i] ) ) );
	}
	supMat3 linear = { supSub( MapAffine( supMakeVec3( 1, 0, 0 ) ), MapAffine( supVec3_zero ) ),
					   supSub( MapAffine( supMakeVec3( 0, 1, 0 ) ), MapAffine( supVec3_zero ) ),
					   supSub( MapAffine( supMakeVec3( 0, 0, 1 ) ), MapAffine( supVec3_zero ) ) };
	supMat3 cofactor = supCofactor( linear );
	supSurfaceBinding_FrameTets( &s.binding, s.points, NULL, NULL, s.frames );
	Write( &s, sup_bindToRest, NULL );
	for ( int32_t i = 0; i < s.binding.vertexCount; ++i )
	{
		testLess( supDistance( s.positions[i], MapAffine( s.surface.positions[i] ) ), 2e-5f );
		supVec3 expected = supNormalize( supMulMV( cofactor, s.binding.normals[i] ) );
		testLess( supDistance( s.normals[i], expected ), 1e-4f );
	}
	Close( &s );
}

// Rigid motion: every vertex follows, also those that no flesh holds; against the skin the same.
static void CheckRigid( Kind kind )
{
	Subject s;
	Open( &s, CreateModel( "human" ), 32, kind, NULL );
	assert_true( kind != kindInnerTets || s.binding.report.outside > 100 );
	supQuat q = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 2.0f, -0.5f ), 2.0f );
	supVec3 t = { 10.0f, 0.5f, -3.0f };
	for ( int32_t i = 0; i < s.binding.pointCount; ++i )
	{
		s.points[i] = Point( supAdd( supRotate( q, Xyz( s.points[i] ) ), t ) );
	}
	if ( kind == kindVoxels )
	{
		const supQuat* rotations = MakeRotations( &s, q );
		supSurfaceBinding_FrameRotations( &s.binding, s.points, rotations, NULL, NULL, s.frames );
		supQuat* mine;
		memcpy( &mine, &rotations, sizeof( mine ) );
		free( mine );
	}
	else
	{
		supSurfaceBinding_FrameTets( &s.binding, s.points, NULL, NULL, s.frames );
	}
	Write( &s, sup_bindToRest, NULL );
	for ( int32_t i = 0; i < s.binding.vertexCount; ++i )
	{
		supVec3 expected = supAdd( supRotate( q, s.surface.positions[i] ), t );
		testLess( supDistance( s.positions[i], expected ), 1e-4f );
		testLess( supDistance( s.normals[i], supRotate( q, s.binding.normals[i] ) ), 1e-4f );
	}
	Close( &s );
}

static void TestRigid( void** state )
{
	(void)state;
	CheckRigid( kindTets );
	CheckRigid( kindInnerTets );
	CheckRigid( kindVoxels );
}

// Points that are exactly where skinning puts them leave the authored pose as it is; points that are moved from there
// by one vector move the skin by it.
static void TestAgainstSkin( void** state )
{
	(void)state;
	testMeasuresOnly();
	Subject s;
	Open( &s, CreateModel( "bunny" ), 24, kindTets, NULL );
	const supClip* clip = supCharacter_Clip( s.character, 0 );
	supPose_ApplyClip( s.pose, clip, 0.4f * ( clip->start + clip->end ) );
	testRandom random = testMakeRandom( 3 );
	supVec3 shift = { 0.1f, -0.2f, 0.05f };
	for ( int32_t i = 0; i < s.binding.pointCount; ++i )
	{
		// any places do: only differences count
		s.reference[i] = Point( supAdd( Xyz( s.reference[i] ), testRandomVec3( &random, 0.01f ) ) );
		s.points[i] = s.reference[i];
	}
	supVec3* expected = Allocate( (size_t)s.binding.vertexCount, sizeof( supVec3 ) );
	for ( int32_t i = 0; i < s.binding.instanceCount; ++i )
	{
		supSkinOutput output = { .positions = expected + s.binding.vertexStarts[i] };
		supSkinInstance( s.pose, i, sup_skinningDualQuaternion, NULL, &output );
	}
	for ( int32_t moved = 0; moved < 2; ++moved )
	{
		for ( int32_t i = 0; i < s.binding.pointCount && moved == 1; ++i )
		{
			s.points[i] = Point( supAdd( Xyz( s.reference[i] ), shift ) );
		}
		supSurfaceBinding_FrameTets( &s.binding, s.points, s.reference, NULL, s.frames );
		Write( &s, sup_bindToDual, NULL );
		for ( int32_t i = 0; i < s.binding.vertexCount; ++i )
		{
			supVec3 e = moved == 1 ? supAdd( expected[i], shift ) : expected[i];
			testLessEqual( supDistance( s.positions[i], e ), ( moved == 1 ? 2e-6f : 0.0f ) );
		}
	}
	// shells that are rigid and vertices that are firm, flesh adds nothing to the one, a part to the other
	bool* isRigid = Allocate( (size_t)s.binding.vertexCount, sizeof( bool ) );
	float* shares = Allocate( (size_t)s.binding.vertexCount, sizeof( float ) );
	for ( int32_t i = 0; i < s.binding.vertexCount; ++i )
	{
		isRigid[i] = i % 3 == 0;
		shares[i] = i % 2 == 0 ? 1.0f : 0.25f;
	}
	assert_true( supSurfaceBinding_KeepFirm( &s.binding, shares ) );
	assert_true( supSurfaceBinding_KeepShells( &s.binding, isRigid ) );
	Write( &s, sup_bindToDual, NULL );
	for ( int32_t i = 0; i < s.binding.vertexCount; ++i )
	{
		supVec3 e = supMulAdd( expected[i], isRigid[i] ? 0.0f : shares[i], shift );
		testLessEqual( supDistance( s.positions[i], e ), ( isRigid[i] ? 0.0f : 2e-6f ) );
	}
	free( isRigid );
	free( shares );
	free( expected );
	Close( &s );
}

// A displacement that is quadratic: Phong deformation is nearer to it than linear interpolation, and so are normals.
static supVec3 MapBent( supVec3 p )
{
	return supMakeVec3( p.x + 0.3f * p.y * p.y, p.y + 0.2f * p.x * p.z, p.z + 0.4f * p.x * p.x );
}

static double MeanError( Subject* s, float smoothness )
{
	s->binding.smoothness = smoothness;
	Write( s, sup_bindToRest, NULL );
	double sum = 0.0;
	for ( int32_t i = 0; i < s->binding.vertexCount; ++i )
	{
		sum += (double)supDistance( s->positions[i], MapBent( s->surface.positions[i] ) );
	}
	return sum / s->binding.vertexCount;
}

static void TestSmoothness( void** state )
{
	(void)state;
	testMeasuresOnly();
	Subject s;
	Open( &s, CreateModel( "human" ), 20, kindTets, NULL );
	for ( int32_t i = 0; i < s.binding.pointCount; ++i )
	{
		s.points[i] = Point( MapBent( Xyz( s.points[i] ) ) );
	}
	supSurfaceBinding_FrameTets( &s.binding, s.points, NULL, NULL, s.frames );
	double linear = MeanError( &s, 0.0f ), phong = MeanError( &s, 0.5f );
	testLess( phong, 0.75 * linear );
	double worst = 0.0;
	for ( int32_t i = 0; i < s.binding.vertexCount; ++i )
	{
		supVec3 p = s.surface.positions[i];
		supMat3 gradient = { { 1.0f, 0.2f * p.z, 0.8f * p.x }, { 0.6f * p.y, 1.0f, 0.0f }, { 0.0f, 0.2f * p.x, 1.0f } };
		supVec3 expected = supNormalize( supMulMV( supCofactor( gradient ), s.binding.normals[i] ) );
		worst = fmax( worst, (double)supDistance( expected, s.normals[i] ) );
	}
	// 4 degrees with cells of 9 cm
	testLess( worst, 0.07 );
	Close( &s );
}

// ---------------------------------------------------------------------------------------------------------------------
// Bounds

static void TestBoundedOutside( void** state )
{
	(void)state;
	testMeasuresOnly();
	Subject s;
	Open( &s, CreateModel( "human" ), 32, kindInnerTets, NULL );
	s.binding.smoothness = 0.0f;
	testRandom random = testMakeRandom( 4 );
	for ( int32_t i = 0; i < s.binding.pointCount; ++i )
	{
		s.points[i] = Point( testRandomVec3( &random, 1.0f ) );
	}
	supSurfaceBinding_FrameTets( &s.binding, s.points, NULL, NULL, s.frames );
	Write( &s, sup_bindToRest, NULL );
	for ( int32_t i = 0; i < s.binding.vertexCount; ++i )
	{
		supVec3 place = supVec3_zero;
		for ( int32_t k = 0; k < 4; ++k )
		{
			place = supMulAdd( place, s.binding.weights[4 * i + k], Xyz( s.points[s.binding.points[4 * i + k]] ) );
		}
		float most = 1.5f * supLength( s.binding.offsets[i] );
		testLessEqual( supDistance( place, s.positions[i] ), most + 1e-5f );
	}
	Close( &s );
}

static supCharacter* CreateOfMesh( const supMesh* mesh )
{
	supNode node = { .name = "body", .parent = -1, .rest = supTransform_identity };
	supInstance instance = { .node = 0, .mesh = 0, .skin = -1 };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = 1;
	def.nodes = &node;
	def.meshCount = 1;
	def.meshes = mesh;
	def.instanceCount = 1;
	def.instances = &instance;
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}

// Two slabs with a narrow gap, like lips, in one mesh. The lower one's flesh reaches through the gap and into the upper
// one, whose own begins a little higher: every vertex belongs to its own.
static void TestOwnSide( void** state )
{
	(void)state;
	enum
	{
		cells = 8
	};
	supVec3 positions[2 * 2 * ( cells + 1 ) * ( cells + 1 )];
	uint32_t indices[2 * 2 * cells * cells * 6];
	int32_t vertexCount = 0, indexCount = 0;
	const float heights[4] = { -0.3f, -0.005f, 0.005f, 0.3f };
	for ( int32_t layer = 0; layer < 4; ++layer )
	{
		int32_t first = vertexCount;
		for ( int32_t i = 0; i <= cells; ++i )
		{
			for ( int32_t k = 0; k <= cells; ++k )
			{
				positions[vertexCount++] = supMakeVec3( (float)i / cells, heights[layer], (float)k / cells );
			}
		}
		for ( int32_t i = 0; i < cells * cells; ++i )
		{
			uint32_t a = (uint32_t)( first + i / cells * ( cells + 1 ) + i % cells ), b = a + cells + 1;
			bool up = layer % 2 == 1;
			uint32_t quad[6] = { a, up ? a + 1 : b, up ? b : a + 1, b, up ? a + 1 : b + 1, up ? b + 1 : a + 1 };
			memcpy( indices + indexCount, quad, sizeof( quad ) );
			indexCount += 6;
		}
	}
	supMesh mesh = { .vertexCount = vertexCount, .positions = positions, .indexCount = indexCount, .indices = indices };
	supCharacter* character = CreateOfMesh( &mesh );

	// two boxes of tets: the lower up to y = 0.02, the upper from y = 0.08
	supVec3 corners[16];
	int32_t tetIndices[48];
	static const int32_t cube[24] = { 0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7, 0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7 };
	for ( int32_t i = 0; i < 16; ++i )
	{
		float y = i < 8 ? ( ( i & 2 ) != 0 ? 0.02f : -0.3f ) : ( ( i & 2 ) != 0 ? 0.3f : 0.08f );
		corners[i] = supMakeVec3( ( i & 1 ) != 0 ? 1.001f : -0.001f, y, ( i & 4 ) != 0 ? 1.001f : -0.001f );
	}
	for ( int32_t i = 0; i < 48; ++i )
	{
		tetIndices[i] = cube[i % 24] + ( i < 24 ? 0 : 8 );
	}
	supTets tets = { .pointCount = 16, .points = corners, .tetCount = 12, .indices = tetIndices };
	supSurfaceBinding binding = { 0 };
	supError error = { 0 };
	testRequire( supSurfaceBinding_InitTets( &binding, character, &tets, NULL, &error ), &error );
	for ( int32_t i = 0; i < binding.vertexCount; ++i )
	{
		bool upper = binding.positions[i].y > 0.0f;
		assert_true( ( binding.points[4 * i] >= 8 ) == upper );
	}
	// the lower face of the upper slab
	assert_int_equal( binding.report.resided, ( cells + 1 ) * ( cells + 1 ) );
	testLess( binding.report.farthest, 0.0751f );
	supSurfaceBinding_Destroy( &binding );
	supDestroyCharacter( character );
}

// A quad of two triangles, and a fin on their common edge that looks the other way and has vertices of its own there.
// It hangs where the quad hangs, though its own way inwards is another: the edge stays closed.
static void TestFin( void** state )
{
	(void)state;
	supVec3 positions[7] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 0, 1 },          { 0, 0, 1 },
							 { 0, 0, 0 }, { 1, 0, 1 }, { 0.9f, -0.1f, 0.1f } };
	uint32_t indices[9] = { 0, 2, 1, 0, 3, 2, 4, 6, 5 };
	supMesh mesh = { .vertexCount = 7, .positions = positions, .indexCount = 9, .indices = indices };
	supCharacter* character = CreateOfMesh( &mesh );
	// below the quad, so that the nearest flesh is not straight below
	supVec3 corners[4] = { { -3, -0.2f, -3 }, { 3, -2, -3 }, { -1, -1, 5 }, { 0, -5, 0 } };
	int32_t tet[4] = { 0, 1, 2, 3 };
	if ( supDot( supCross( supSub( corners[1], corners[0] ), supSub( corners[2], corners[0] ) ),
				 supSub( corners[3], corners[0] ) ) < 0.0f )
	{
		tet[0] = 1;
		tet[1] = 0;
	}
	supTets tets = { .pointCount = 4, .points = corners, .tetCount = 1, .indices = tet };
	supSurfaceBinding binding = { 0 };
	supError error = { 0 };
	testRequire( supSurfaceBinding_InitTets( &binding, character, &tets, NULL, &error ), &error );
	static const int32_t pairs[2][2] = { { 0, 4 }, { 2, 5 } };
	for ( int32_t i = 0; i < 2; ++i )
	{
		int32_t body = 4 * pairs[i][0], fin = 4 * pairs[i][1];
		assert_memory_equal( binding.points + body, binding.points + fin, 4 * sizeof( int32_t ) );
		assert_memory_equal( binding.weights + body, binding.weights + fin, 4 * sizeof( float ) );
	}
	supSurfaceBinding_Destroy( &binding );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Morphs, places, threads, memory

static void TestMorphs( void** state )
{
	(void)state;
	Subject s;
	Open( &s, LoadAsset( "characters/Alien/Alien.gltf" ), 24, kindTets, NULL );
	supSurfaceBinding_FrameTets( &s.binding, s.points, NULL, NULL, s.frames );
	bool any = false;
	for ( int32_t i = 0; i < s.binding.instanceCount; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( s.character, supCharacter_Instance( s.character, i )->mesh );
		for ( int32_t t = 0; t < mesh->targetCount; ++t )
		{
			any = true;
			supPose_MorphWeights( s.pose, i )[t] = 0.7f;
		}
	}
	assert_true( any );
	Write( &s, sup_bindToRest, NULL );
	supVec3* expected = Allocate( (size_t)s.binding.vertexCount, sizeof( supVec3 ) );
	float moved = 0.0f;
	for ( int32_t i = 0; i < s.binding.instanceCount; ++i )
	{
		int32_t first = s.binding.vertexStarts[i];
		supSkinInstance( s.pose, i, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = expected + first } );
	}
	for ( int32_t i = 0; i < s.binding.vertexCount; ++i )
	{
		moved = supMaxFloat( moved, supDistance( expected[i], s.surface.positions[i] ) );
		testLess( supDistance( expected[i], s.positions[i] ), 2e-6f * s.size );
	}
	testGreater( moved, 1e-3f * s.size );
	free( expected );
	Close( &s );
}

static void TestResolve( void** state )
{
	(void)state;
	for ( int32_t kind = 0; kind < 3; ++kind )
	{
		Subject s;
		Open( &s, CreateModel( "tube" ), 16, (Kind)kind, NULL );
		const supMesh* mesh = supCharacter_Mesh( s.character, 0 );
		testRandom random = testMakeRandom( 5 );
		for ( int32_t i = 0; i < 200; ++i )
		{
			int32_t triangle = (int32_t)testRandomInt( &random, (uint32_t)( mesh->indexCount / 3 ) );
			float u = testRandomFloat( &random, 0.0f, 0.5f ), v = testRandomFloat( &random, 0.0f, 0.5f );
			supSurfacePoint place = { .weights = { 1.0f - u - v, u, v } };
			supVec3 bound = supVec3_zero;
			for ( int32_t k = 0; k < 3; ++k )
			{
				int32_t vertex = (int32_t)mesh->indices[3 * triangle + k];
				place.vertices[k] = vertex;
				for ( int32_t m = 0; m < s.binding.width; ++m )
				{
					int32_t slot = vertex * s.binding.width + m;
					supVec3 p = Xyz( s.points[s.binding.points[slot]] );
					bound = supMulAdd( bound, place.weights[k] * s.binding.weights[slot], p );
				}
			}
			int32_t points[SUP_MAX_BIND_POINTS];
			float weights[SUP_MAX_BIND_POINTS];
			int32_t count = supSurfaceBinding_Resolve( &s.binding, &place, points, weights );
			assert_in_range( count, 1, s.binding.width * 3 );
			float sum = 0.0f;
			supVec3 p = supVec3_zero;
			for ( int32_t k = 0; k < count; ++k )
			{
				sum += weights[k];
				p = supMulAdd( p, weights[k], Xyz( s.points[points[k]] ) );
				for ( int32_t m = 0; m < k; ++m )
				{
					assert_true( points[m] != points[k] );
				}
			}
			testLess( fabsf( sum - 1.0f ), 1e-5f );
			testLess( supDistance( p, bound ), 1e-5f );
		}
		Close( &s );
	}
}

static void Shake( Subject* s )
{
	testRandom random = testMakeRandom( 6 );
	for ( int32_t i = 0; i < s->binding.pointCount; ++i )
	{
		s->points[i] = Point( supAdd( Xyz( s->binding.restPoints[i] ), testRandomVec3( &random, 0.05f ) ) );
	}
}

static void TestSameBits( void** state )
{
	(void)state;
	supThreadPool* pool = supCreateThreadPool( 3 );
	assert_non_null( pool );
	for ( int32_t kind = 0; kind < 3; ++kind )
	{
		Subject a, b;
		Open( &a, CreateModel( "human" ), 24, (Kind)kind, NULL );
		Open( &b, CreateModel( "human" ), 24, (Kind)kind, supThreadPool_Tasks( pool ) );
		assert_memory_equal( a.binding.weights, b.binding.weights,
							 (size_t)( a.binding.vertexCount * a.binding.width ) * sizeof( float ) );
		assert_memory_equal( a.binding.points, b.binding.points,
							 (size_t)( a.binding.vertexCount * a.binding.width ) * sizeof( int32_t ) );
		for ( int32_t reference = 0; reference < 2; ++reference )
		{
			for ( int32_t k = 0; k < 2; ++k )
			{
				Subject* s = k == 0 ? &a : &b;
				const supTasks* tasks = k == 0 ? NULL : supThreadPool_Tasks( pool );
				supInstructionSet set = supGetInstructionSet();
				assert_true( supSetInstructionSet( k == 0 ? sup_instructionsBaseline : set ) );
				Shake( s );
				const supVec4* from = reference == 0 ? NULL : s->reference;
				if ( kind == kindVoxels )
				{
					const supQuat* rotations = MakeRotations( s, supMakeQuatAxisAngle( supMakeVec3( 1, 2, 3 ), 0.5f ) );
					supSurfaceBinding_FrameRotations( &s->binding, s->points, rotations, from, tasks, s->frames );
					supQuat* mine;
					memcpy( &mine, &rotations, sizeof( mine ) );
					free( mine );
				}
				else
				{
					supSurfaceBinding_FrameTets( &s->binding, s->points, from, tasks, s->frames );
				}
				Write( s, reference == 0 ? sup_bindToRest : sup_bindToLinear, tasks );
				assert_true( supSetInstructionSet( set ) );
			}
			size_t bytes = (size_t)a.binding.vertexCount * sizeof( supVec3 );
			assert_memory_equal( a.positions, b.positions, bytes );
			assert_memory_equal( a.normals, b.normals, bytes );
		}
		Close( &a );
		Close( &b );
	}
	supDestroyThreadPool( pool );
}

static void TestPack( void** state )
{
	(void)state;
	for ( int32_t kind = 0; kind < 3; ++kind )
	{
		Subject s;
		Open( &s, CreateModel( "tube" ), 16, (Kind)kind, NULL );
		supError error = { 0 };
		supPackWriter writer = { 0 };
		supSurfaceBinding_Save( &s.binding, &writer );
		size_t byteCount;
		uint8_t* bytes = supPackWriter_Finish( &writer, &byteCount, &error );
		supPackWriter_Destroy( &writer );
		testRequire( bytes != NULL, &error );
		supPackReader reader;
		testRequire( supPackReader_Open( &reader, bytes, byteCount, "tube", &error ), &error );
		supSurfaceBinding loaded = { 0 };
		testRequire( supSurfaceBinding_Load( &loaded, &reader, s.character, s.binding.pointCount, s.binding.width ),
					 &error );
		Shake( &s );
		supVec3* expected = Allocate( (size_t)s.binding.vertexCount, sizeof( supVec3 ) );
		for ( int32_t i = 0; i < 2; ++i )
		{
			supSurfaceBinding* b = i == 0 ? &s.binding : &loaded;
			if ( kind == kindVoxels )
			{
				memset( s.frames, 0, (size_t)b->pointCount * sizeof( supBindFrame ) );
			}
			else
			{
				supSurfaceBinding_FrameTets( b, s.points, NULL, NULL, s.frames );
			}
			supSkinOutput output = { i == 0 ? expected : s.positions, s.normals, NULL };
			supSurfaceBinding_Write( b, s.frames, sup_bindToRest, s.pose, 0, NULL, &output );
		}
		assert_memory_equal( expected, s.positions, (size_t)s.binding.vertexCount * sizeof( supVec3 ) );
		free( expected );
		supSurfaceBinding_Destroy( &loaded );
		// of other flesh
		assert_false(
			supSurfaceBinding_Load( &loaded, &reader, s.character, s.binding.pointCount + 1, s.binding.width ) );
		assert_int_equal( error.code, sup_errorFormat );
		supPackReader_Close( &reader );
		supFree( bytes );
		Close( &s );
	}
}

typedef struct Attempt
{
	Subject* subject;
	bool voxels;
} Attempt;

static bool TryBinding( void* contextPointer )
{
	Attempt* attempt = contextPointer;
	Subject* s = attempt->subject;
	supSurfaceBinding binding = { 0 };
	supError error = { 0 };
	bool ok = attempt->voxels ? supSurfaceBinding_InitVoxels( &binding, s->character, &s->voxels, NULL, &error )
							  : supSurfaceBinding_InitTets( &binding, s->character, &s->tets, NULL, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supSurfaceBinding_Destroy( &binding );
	return ok;
}

static void TestMemory( void** state )
{
	(void)state;
	Subject s;
	Open( &s, CreateModel( "tube" ), 8, kindTets, NULL );
	for ( int32_t i = 0; i < 2; ++i )
	{
		Attempt attempt = { &s, i == 1 };
		testEachAllocationFailure( TryBinding, &attempt, 200 );
	}
	supTets none = { 0 };
	supSurfaceBinding binding = { 0 };
	supError error = { 0 };
	assert_false( supSurfaceBinding_InitTets( &binding, s.character, &none, NULL, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	Close( &s );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestAtRest ),         cmocka_unit_test( TestAssetsAtRest ),
		cmocka_unit_test( TestAffine ),         cmocka_unit_test( TestRigid ),
		cmocka_unit_test( TestAgainstSkin ),    cmocka_unit_test( TestSmoothness ),
		cmocka_unit_test( TestBoundedOutside ), cmocka_unit_test( TestOwnSide ),
		cmocka_unit_test( TestMorphs ),         cmocka_unit_test( TestResolve ),
		cmocka_unit_test( TestSameBits ),       cmocka_unit_test( TestPack ),
		cmocka_unit_test( TestMemory ),         cmocka_unit_test( TestFin ),
	};
	return cmocka_run_group_tests( tests, NULL, DropKept );
}
