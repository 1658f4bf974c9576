// SPDX-License-Identifier: MIT
// The guard: what is drawn stays within what skin can do, whatever a method makes of it, and the state is not touched.
// The pose that jumps: flesh begins anew.
// labels: threads
// threads: TestSameBits
#include "models/models.h"
#include "support.h"

#include "method/position/position.h"
#include "scene/guard.h"
#include "supple/looks.h"
#include "supple/scene.h"

#include <math.h>
#include <stdlib.h>

typedef struct Stage
{
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
	supVec3* skin; // of the first instance
	int32_t count;
	float size;
} Stage;

// - s has a character
static void SetSoftStage( Stage* s, supMethodId method, float softness, bool guard, const supTasks* tasks )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	const supSetting setting = { "softness", softness };
	def.settings = &setting;
	def.settingCount = 1;
	s->flesh = supBuildFlesh( s->character, &def, NULL, &error );
	testRequire( s->flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.guard = guard;
	sceneDef.tasks = tasks;
	s->scene = supCreateScene( &sceneDef, &error );
	testRequire( s->scene != NULL, &error );
	s->actor = supScene_AddActor( s->scene, s->flesh, &error );
	testRequire( s->actor != NULL, &error );
	s->count = supCharacter_Mesh( s->character, supCharacter_Instance( s->character, 0 )->mesh )->vertexCount;
	s->skin = malloc( (size_t)s->count * sizeof( supVec3 ) );
	s->size = s->actor->size;
}

// Of jelly.
static void SetStage( Stage* s, supMethodId method, bool guard, const supTasks* tasks )
{
	SetSoftStage( s, method, 1.0f, guard, tasks );
}

static Stage MakeStage( const char* model, supMethodId method, bool guard, const supTasks* tasks )
{
	supError error = { 0 };
	Stage s = { .character = supFindModel( model )->create( &error ) };
	testRequire( s.character != NULL, &error );
	SetStage( &s, method, guard, tasks );
	return s;
}

static void ClearStage( Stage* s )
{
	free( s->skin );
	supDestroyScene( s->scene );
	supDestroyFlesh( s->flesh );
	supDestroyCharacter( s->character );
}

static void GoTo( Stage* s, const char* clip, float time, float dt )
{
	supPose_ApplyClip( supActor_Pose( s->actor ), supCharacter_FindClip( s->character, clip ), time );
	supScene_Step( s->scene, dt );
}

static float FarthestFromSkin( Stage* s )
{
	supSkinInstance( supActor_Pose( s->actor ), 0, sup_skinningLinear, NULL,
					 &( supSkinOutput ){ .positions = s->skin } );
	const supVec3* drawn = supActor_Positions( s->actor, 0 );
	float farthest = 0.0f;
	for ( int32_t i = 0; i < s->count; ++i )
	{
		farthest = supMaxFloat( farthest, supDistance( drawn[i], s->skin[i] ) );
	}
	return farthest;
}

// Looks of a clip that is played three times as fast as it was made.
static supLooks PlayFast( Stage* s, const char* clip, float seconds )
{
	supLooksMeter* meter = supCreateLooksMeter( s->character );
	assert_non_null( meter );
	for ( int32_t i = 0; i < (int32_t)( 20.0f * seconds ); ++i )
	{
		GoTo( s, clip, 0.05f * (float)i, 1.0f / 60.0f );
		supLooksMeter_AddActor( meter, s->actor, NULL );
	}
	supLooks looks;
	assert_true( supLooksMeter_Get( meter, &looks ) );
	supDestroyLooksMeter( meter );
	return looks;
}

// Jelly that is shaken three times too fast is torn, and is drawn whole.
static void TestTornSkinIsDrawnWhole( void** state )
{
	(void)state;
	testMeasuresOnly();
	static const supMethodId methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints,
										   sup_methodLayered,  sup_methodFem,     sup_methodModes };
	int32_t helped = 0;
	for ( int32_t i = 0; i < SUP_COUNT( methods ); ++i )
	{
		supLooks looks[2];
		for ( int32_t guard = 0; guard < 2; ++guard )
		{
			Stage s = MakeStage( "bunny", methods[i], guard == 1, NULL );
			looks[guard] = PlayFast( &s, "Shake", 2.0f );
			supSceneStats stats = supScene_GetStats( s.scene );
			assert_true( guard == 1 || stats.trouble.guarded == 0 );
			helped += guard == 1 && stats.trouble.guarded > 0;
			ClearStage( &s );
		}
		print_message(
			"method %d: without guard %.2f edges a frame torn, worst %.1f %%, far %.1f %%; with it %.2f, %.1f %%, "
			"%.1f %%; alive %.2f %%\n",
			(int)methods[i], (double)looks[0].torn, (double)looks[0].worst, (double)looks[0].far, (double)looks[1].torn,
			(double)looks[1].worst, (double)looks[1].far, (double)looks[1].alive );
		// what is called torn (supLooks_Verdict), and the reach that no part of a body has more of
		testLessEqual( looks[1].torn, 0.1f );
		testLess( looks[1].worst, 5.0f );
		testLess( looks[1].crushed, 2.0f );
		testLessEqual( looks[1].far, 15.0f );
		// and it still moves
		testGreater( looks[1].alive, 0.35f );
	}
	testGreater( helped, 0 );
}

// At rest, and in a gentle clip, nothing is blended: the guard is no second method.
static void TestGentleFleshIsLeftAlone( void** state )
{
	(void)state;
	Stage with = MakeStage( "tube5", sup_methodPosition, true, NULL );
	Stage without = MakeStage( "tube5", sup_methodPosition, false, NULL );
	// gentle flesh, not flesh on gentle bones
	supActor_SetParameter( with.actor, sup_positionExaggeration, 1.0f );
	supActor_SetParameter( without.actor, sup_positionExaggeration, 1.0f );
	for ( int32_t i = 0; i < 20; ++i )
	{
		GoTo( &with, "bend", 0.005f * (float)i, 1.0f / 60.0f );
		GoTo( &without, "bend", 0.005f * (float)i, 1.0f / 60.0f );
		assert_memory_equal( supActor_Positions( with.actor, 0 ), supActor_Positions( without.actor, 0 ),
							 (size_t)with.count * sizeof( supVec3 ) );
		assert_int_equal( supActor_Guard( with.actor ).vertices, 0 );
	}
	ClearStage( &with );
	ClearStage( &without );
}

// Thrown about, saved, restored and thrown about again: the same bits, on one thread and on three.
static void TestSameBits( void** state )
{
	(void)state;
	supThreadPool* pool = supCreateThreadPool( 3 );
	assert_non_null( pool );
	Stage alone = MakeStage( "tube5", sup_methodPosition, true, NULL );
	Stage many = MakeStage( "tube5", sup_methodPosition, true, supThreadPool_Tasks( pool ) );
	size_t bytes = (size_t)alone.count * sizeof( supVec3 );
	int64_t guarded = 0;
	void* saved = NULL;
	for ( int32_t i = 0; i < 24; ++i )
	{
		if ( i == 12 )
		{
			saved = malloc( supActor_StateSize( many.actor ) );
			supActor_SaveState( many.actor, saved );
			GoTo( &many, "twist", 0.9f, 1.0f / 60.0f );
			supActor_RestoreState( many.actor, saved );
			assert_memory_equal( supActor_Positions( alone.actor, 0 ), supActor_Positions( many.actor, 0 ), bytes );
		}
		GoTo( &alone, "twist", 0.08f * (float)( i % 12 ), 1.0f / 60.0f );
		GoTo( &many, "twist", 0.08f * (float)( i % 12 ), 1.0f / 60.0f );
		guarded += supActor_Guard( alone.actor ).weight > 0.0f;
		assert_memory_equal( supActor_Positions( alone.actor, 0 ), supActor_Positions( many.actor, 0 ), bytes );
	}
	testGreater( guarded, 0 );
	free( saved );
	ClearStage( &alone );
	ClearStage( &many );
	supDestroyThreadPool( pool );
}

// A pose that leaps by half the body within a frame, and one that is set without any time: flesh is there at once and
// does not swing. The same way at an ordinary speed makes it swing.
static void TestJumpsBeginAnew( void** state )
{
	(void)state;
	Stage s = MakeStage( "tube5", sup_methodPosition, true, NULL );
	int32_t root = supCharacter_Skin( s.character, 0 )->joints[0];
	supTransform local = supPose_GetLocal( supActor_Pose( s.actor ), root );
	float most[3] = { 0 };
	for ( int32_t kind = 0; kind < 3; ++kind )
	{
		int32_t frames = kind == 2 ? 12 : 1;
		for ( int32_t i = 0; i < frames; ++i )
		{
			local.translation.y += 0.5f * s.size / (float)frames;
			supPose_SetLocal( supActor_Pose( s.actor ), root, local );
			supScene_Step( s.scene, kind == 1 ? 0.0f : 1.0f / 60.0f );
		}
		for ( int32_t i = 0; i < 30; ++i )
		{
			most[kind] = supMaxFloat( most[kind], FarthestFromSkin( &s ) );
			supScene_Step( s.scene, 1.0f / 60.0f );
		}
		supActor_Reset( s.actor );
	}
	print_message( "farthest from skinning after a leap %.5f, in no time %.5f, in 0.2 s %.5f m\n", (double)most[0],
				   (double)most[1], (double)most[2] );
	testLess( most[0], 1e-3f * s.size );
	testLess( most[1], 1e-3f * s.size );
	testGreater( most[2], 5e-3f * s.size );
	ClearStage( &s );
}

// A joint that is nowhere: what the method draws stays, and is a number.
static void TestLostPoses( void** state )
{
	(void)state;
	Stage s = MakeStage( "tube5", sup_methodLattice, true, NULL );
	supTransform nowhere = supTransform_identity;
	nowhere.translation.x = NAN;
	supPose_SetLocal( supActor_Pose( s.actor ), supCharacter_Skin( s.character, 0 )->joints[1], nowhere );
	supScene_Step( s.scene, 1.0f / 60.0f );
	for ( int32_t i = 0; i < s.count; ++i )
	{
		assert_true( supIsFiniteVec3( supActor_Positions( s.actor, 0 )[i] ) );
	}
	ClearStage( &s );
}

// A body with the skeleton and clips of another, which is destroyed.
static supCharacter* Redress( supCharacter* body, const supMesh* mesh )
{
	supError error = { 0 };
	int32_t nodeCount = supCharacter_NodeCount( body ), clipCount = supCharacter_ClipCount( body );
	supNode* nodes = malloc( (size_t)nodeCount * sizeof( supNode ) );
	supClip* clips = malloc( (size_t)clipCount * sizeof( supClip ) );
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		nodes[i] = *supCharacter_Node( body, i );
	}
	for ( int32_t i = 0; i < clipCount; ++i )
	{
		clips[i] = *supCharacter_Clip( body, i );
	}
	const supInstance own = { .node = supCharacter_Instance( body, 0 )->node, .mesh = 0, .skin = 0 };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = nodeCount;
	def.nodes = nodes;
	def.clipCount = clipCount;
	def.clips = clips;
	def.skinCount = 1;
	def.skins = supCharacter_Skin( body, 0 );
	def.meshCount = 1;
	def.meshes = mesh;
	def.instanceCount = 1;
	def.instances = &own;
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	free( nodes );
	free( clips );
	supDestroyCharacter( body );
	return character;
}

#define PLATE 5

// The tube with a plate of its own on its back, a square of 16 vertices and triangles on both sides, on the first bone.
static supCharacter* MakePlated( int32_t* first )
{
	supError error = { 0 };
	supCharacter* tube = supFindModel( "tube5" )->create( &error );
	testRequire( tube != NULL, &error );
	supMesh mesh = *supCharacter_Mesh( tube, supCharacter_Instance( tube, 0 )->mesh );
	int32_t count = mesh.vertexCount, indexCount = mesh.indexCount;
	size_t all = (size_t)count + PLATE * PLATE, width = (size_t)mesh.influences;
	supVec3* positions = malloc( all * sizeof( supVec3 ) );
	uint16_t* joints = calloc( all * width, sizeof( uint16_t ) );
	float* weights = calloc( all * width, sizeof( float ) );
	uint32_t* indices = malloc( ( (size_t)indexCount + 12 * ( PLATE - 1 ) * ( PLATE - 1 ) ) * sizeof( uint32_t ) );
	memcpy( positions, mesh.positions, (size_t)count * sizeof( supVec3 ) );
	memcpy( joints, mesh.joints, (size_t)count * width * sizeof( uint16_t ) );
	memcpy( weights, mesh.weights, (size_t)count * width * sizeof( float ) );
	memcpy( indices, mesh.indices, (size_t)indexCount * sizeof( uint32_t ) );
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < count; ++i )
	{
		box = supBox_Include( box, mesh.positions[i] );
	}
	supVec3 middle = supLerp( box.lower, box.upper, 0.5f );
	float radius = 0.5f * ( box.upper.y - box.lower.y ), side = 0.1f * radius;
	for ( int32_t i = 0; i < PLATE * PLATE; ++i )
	{
		float x = (float)( i % PLATE - PLATE / 2 ), z = (float)( i / PLATE - PLATE / 2 );
		positions[count + i] = supMakeVec3( middle.x + 3.0f * side * x - 0.35f * ( box.upper.x - box.lower.x ),
											box.upper.y + 0.02f * radius, middle.z + side * z );
		weights[( (size_t)count + (size_t)i ) * width] = 1.0f;
	}
	for ( int32_t i = 0; i < ( PLATE - 1 ) * ( PLATE - 1 ); ++i )
	{
		uint32_t a = (uint32_t)( count + i / ( PLATE - 1 ) * PLATE + i % ( PLATE - 1 ) ), b = a + 1, c = a + PLATE,
				 d = c + 1;
		const uint32_t corners[12] = { a, c, b, b, c, d, a, b, c, b, d, c };
		memcpy( indices + indexCount, corners, sizeof( corners ) );
		indexCount += 12;
	}
	*first = count;
	supMesh plated = { .name = "plated",
					   .vertexCount = (int32_t)all,
					   .indexCount = indexCount,
					   .indices = indices,
					   .positions = positions,
					   .influences = mesh.influences,
					   .joints = joints,
					   .weights = weights };
	supCharacter* character = Redress( tube, &plated );
	free( positions );
	free( joints );
	free( weights );
	free( indices );
	return character;
}

// A nail on the plate, or a point of the world that it may slide along: what is drawn stays there, while the bone moves
// by a tenth of the size.
static void HoldPlate( Stage* s, int32_t first, supAttachmentKind kind )
{
	supError error = { 0 };
	supAttachmentDef def = supDefaultAttachmentDef();
	int32_t corner = first + PLATE + 1;
	supSurfacePoint point = { .vertices = { corner, corner + 1, corner + PLATE }, .weights = { 0.5f, 0.3f, 0.2f } };
	supVec3 place = supActor_PointPosition( s->actor, &point );
	bool slides = kind == sup_attachmentSlide;
	def.kind = kind;
	def.placeCount = 2;
	def.places[slides ? 1 : 0] = ( supPlace ){ .kind = sup_placeSurface, .actor = s->actor, .point = point };
	def.places[slides ? 0 : 1] = ( supPlace ){ .kind = sup_placeWorld, .position = place };
	supAttachment* nail = supScene_Attach( s->scene, &def, &error );
	testRequire( nail != NULL, &error );
	int32_t root = supCharacter_Skin( s->character, 0 )->joints[0];
	supTransform local = supPose_GetLocal( supActor_Pose( s->actor ), root );
	float worst = 0.0f;
	for ( int32_t i = 0; i < 10; ++i )
	{
		// away from what it slides along, which flesh would come through otherwise
		local.translation.y += ( slides ? -0.01f : 0.01f ) * s->size;
		supPose_SetLocal( supActor_Pose( s->actor ), root, local );
		supScene_Step( s->scene, 1.0f / 60.0f );
		if ( slides )
		{
			supActor_FindNearest( s->actor, place, &point );
			// later it may have come to the skin beneath
			assert_true( i > 0 || point.vertices[0] >= first );
		}
		float off = supDistance( supActor_PointPosition( s->actor, &point ), place );
		testLess( fabsf( supAttachment_Gap( nail ) - off ), 1e-6f * s->size );
		worst = supMaxFloat( worst, off );
	}
	print_message( "%s, the plate is off by %.7f of the size\n", slides ? "sliding" : "nailed",
				   (double)( worst / s->size ) );
	testLess( worst, 5e-6f * s->size );
	supScene_Detach( s->scene, nail );
}

// Flesh that swings takes the plate on it along, which keeps its shape: without that it would stay behind and sink in.
static void TestPlatesRide( void** state )
{
	(void)state;
	static const supMethodId methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints,
										   sup_methodLayered,  sup_methodFem,     sup_methodModes };
	for ( int32_t m = 0; m < SUP_COUNT( methods ); ++m )
	{
		int32_t first;
		Stage s = { .character = MakePlated( &first ) };
		SetStage( &s, methods[m], true, NULL );
		int32_t root = supCharacter_Skin( s.character, 0 )->joints[0];
		supTransform local = supPose_GetLocal( supActor_Pose( s.actor ), root );
		float most = 0.0f, bent = 0.0f, apart = 0.0f;
		for ( int32_t i = 0; i < 20; ++i )
		{
			local.translation.y += i < 6 ? 0.02f * s.size : 0.0f;
			supPose_SetLocal( supActor_Pose( s.actor ), root, local );
			supScene_Step( s.scene, 1.0f / 60.0f );
			FarthestFromSkin( &s );
			const supVec3* drawn = supActor_Positions( s.actor, 0 );
			supVec3 shift = supSub( drawn[first], s.skin[first] ), beneath = supVec3_zero;
			supVec3 middle = s.skin[first + PLATE * PLATE / 2];
			float reach = supDistance( middle, s.skin[first] ), share = 0.0f;
			for ( int32_t k = 0; k < s.count; ++k )
			{
				supVec3 own = supSub( drawn[k], s.skin[k] );
				bent = k >= first ? supMaxFloat( bent, supDistance( own, shift ) ) : bent;
				if ( k < first && supDistance( s.skin[k], middle ) < reach )
				{
					beneath = supAdd( beneath, own );
					share += 1.0f;
				}
			}
			testGreater( share, 0.0f );
			most = supMaxFloat( most, supLength( shift ) );
			apart = supMaxFloat( apart, supDistance( shift, supScale( 1.0f / share, beneath ) ) );
		}
		print_message( "method %d: the plate swings by %.4f of the size, bends by %.6f, leaves the flesh by %.4f\n",
					   (int)methods[m], (double)( most / s.size ), (double)( bent / s.size ),
					   (double)( apart / s.size ) );
		testGreater( most, 0.002f * s.size );
		// rounding of coordinates of a metre
		testLess( bent, 1e-5f * s.size );
		// vertices around its middle are not quite what lies beneath it; blended twice, it would stay behind by a half
		testLess( apart, 0.25f * most );
		HoldPlate( &s, first, sup_attachmentSlide );
		HoldPlate( &s, first, sup_attachmentJoin );
		ClearStage( &s );
	}
}

// The tube in a sleeve: the same again, wider by a twentieth of the radius. As large as what it lies on, it has flesh
// of its own.
static supCharacter* MakeSleeved( int32_t* first )
{
	supError error = { 0 };
	supCharacter* tube = supFindModel( "tube5" )->create( &error );
	testRequire( tube != NULL, &error );
	supMesh mesh = *supCharacter_Mesh( tube, supCharacter_Instance( tube, 0 )->mesh );
	size_t count = (size_t)mesh.vertexCount, width = (size_t)mesh.influences, corners = (size_t)mesh.indexCount;
	supVec3* positions = malloc( 2 * count * sizeof( supVec3 ) );
	uint16_t* joints = malloc( 2 * count * width * sizeof( uint16_t ) );
	float* weights = malloc( 2 * count * width * sizeof( float ) );
	uint32_t* indices = malloc( 2 * corners * sizeof( uint32_t ) );
	for ( size_t half = 0; half < 2; ++half )
	{
		memcpy( positions + half * count, mesh.positions, count * sizeof( supVec3 ) );
		memcpy( joints + half * count * width, mesh.joints, count * width * sizeof( uint16_t ) );
		memcpy( weights + half * count * width, mesh.weights, count * width * sizeof( float ) );
		for ( size_t i = 0; i < corners; ++i )
		{
			indices[half * corners + i] = mesh.indices[i] + (uint32_t)( half * count );
		}
	}
	for ( size_t i = count; i < 2 * count; ++i )
	{
		positions[i].y *= 1.05f;
		positions[i].z *= 1.05f;
	}
	*first = (int32_t)count;
	supMesh sleeved = { .name = "sleeved",
						.vertexCount = (int32_t)( 2 * count ),
						.indexCount = (int32_t)( 2 * corners ),
						.indices = indices,
						.positions = positions,
						.influences = mesh.influences,
						.joints = joints,
						.weights = weights };
	supCharacter* character = Redress( tube, &sleeved );
	free( positions );
	free( joints );
	free( weights );
	free( indices );
	return character;
}

// How far a sleeve is from skin under it, compared with how far skinning has it: the change, in gaps at rest.
static float PlaySleeved( bool guard )
{
	int32_t first;
	Stage s = { .character = MakeSleeved( &first ) };
	SetStage( &s, sup_methodLayered, guard, NULL );
	float worst = 0.0f;
	for ( int32_t i = 0; i < 30; ++i )
	{
		GoTo( &s, "bend", 0.05f * (float)i, 1.0f / 60.0f );
		FarthestFromSkin( &s );
		const supVec3* drawn = supActor_Positions( s.actor, 0 );
		for ( int32_t k = 0; k < first; ++k )
		{
			supVec3 gap = supSub( s.skin[first + k], s.skin[k] ), now = supSub( drawn[first + k], drawn[k] );
			float rest = supLength( gap );
			worst = rest > 0.0f ? supMaxFloat( worst, supDistance( gap, now ) / rest ) : worst;
		}
	}
	ClearStage( &s );
	return worst;
}

// Cloth does not sink into skin, nor skin through cloth, though each has its own flesh.
static void TestLayersStayApart( void** state )
{
	(void)state;
	float without = PlaySleeved( false ), with = PlaySleeved( true );
	print_message( "gap of a sleeve changes by %.2f of itself without guard, by %.2f with it\n", (double)without,
				   (double)with );
	testGreater( without, 1.0f );
	// both are blended alike
	testLess( with, 0.5f * without );
}

// How many triangles show their back amid skin that shows its front. Adds how many normals are over 45 degrees off the
// skin around them.
static int32_t CountFolds( Stage* s, int32_t* astray )
{
	const supMesh* mesh = supCharacter_Mesh( s->character, supCharacter_Instance( s->character, 0 )->mesh );
	const supVec3* p = supActor_Positions( s->actor, 0 );
	supVec3* around = calloc( (size_t)s->count, sizeof( supVec3 ) );
	int32_t folds = 0;
	for ( int32_t pass = 0; pass < 2; ++pass )
	{
		for ( int32_t i = 0; i + 2 < mesh->indexCount; i += 3 )
		{
			const uint32_t* c = mesh->indices + i;
			supVec3 area = supCross( supSub( p[c[1]], p[c[0]] ), supSub( p[c[2]], p[c[0]] ) ), sum = supVec3_zero;
			for ( int32_t k = 0; k < 3; ++k )
			{
				around[c[k]] = pass == 0 ? supAdd( around[c[k]], area ) : around[c[k]];
				sum = supAdd( sum, around[c[k]] );
			}
			folds += pass == 1 && supDot( area, sum ) < -0.2f * supLength( area ) * supLength( sum );
		}
	}
	const supVec3* normals = supActor_Normals( s->actor, 0 );
	for ( int32_t i = 0; i < s->count; ++i )
	{
		*astray += supDot( normals[i], around[i] ) < 0.7f * supLength( around[i] );
	}
	free( around );
	return folds;
}

// Jelly that is thrown about is folded over itself, and is not drawn so.
static void TestFoldsAreTakenBack( void** state )
{
	(void)state;
	testMeasuresOnly();
	int32_t folds[2] = { 0, 0 }, astray[2] = { 0, 0 };
	for ( int32_t guard = 0; guard < 2; ++guard )
	{
		Stage s = MakeStage( "bunny", sup_methodLayered, guard == 1, NULL );
		for ( int32_t i = 0; i < 40; ++i )
		{
			GoTo( &s, "Run", 0.05f * (float)i, 1.0f / 60.0f );
			folds[guard] += CountFolds( &s, astray + guard );
		}
		ClearStage( &s );
	}
	print_message( "%d folded triangles in 40 frames without guard, %d with it\n", folds[0], folds[1] );
	testGreater( folds[0], 40 );
	testLess( 4 * folds[1], folds[0] );
	print_message( "%d normals astray without guard, %d with it\n", astray[0], astray[1] );
	testLess( 8 * astray[1], astray[0] );
}

// Half a turn within one joint tears what keeps the girth of a limb: the skin follows linear blend skinning there.
static void TestHalfTurnsTearNothing( void** state )
{
	(void)state;
	Stage s = MakeStage( "tube5", sup_methodLayered, true, NULL );
	supLooksMeter* meter = supCreateLooksMeter( s.character );
	assert_non_null( meter );
	int32_t joint = supCharacter_NodeCount( s.character ) - 1;
	supTransform rest = supPose_GetLocal( supActor_Pose( s.actor ), joint );
	for ( int32_t i = 0; i < 40; ++i )
	{
		supTransform local = rest;
		float angle = SUP_PI * supMinFloat( 1.0f, (float)i / 30.0f );
		local.rotation = supMulQuat( rest.rotation, supMakeQuatAxisAngle( ( supVec3 ){ 1.0f, 0.0f, 0.0f }, angle ) );
		supPose_SetLocal( supActor_Pose( s.actor ), joint, local );
		supScene_Step( s.scene, 1.0f / 30.0f );
		supLooksMeter_AddActor( meter, s.actor, NULL );
	}
	supLooks looks;
	assert_true( supLooksMeter_Get( meter, &looks ) );
	print_message( "half a turn: %g edges torn per frame, the worst by %g %% of the size\n", (double)looks.torn,
				   (double)looks.worst );
	testLess( looks.torn, 0.01f );
	supDestroyLooksMeter( meter );
	ClearStage( &s );
}

// How much each vertex is stretched or squeezed where that is most: the length of an edge now against at rest, or the
// other way around.
static void MeasureStrain( const Stage* s, float* strains )
{
	const supMesh* mesh = supCharacter_Mesh( s->character, supCharacter_Instance( s->character, 0 )->mesh );
	const supVec3* p = supActor_Positions( s->actor, 0 );
	memset( strains, 0, (size_t)s->count * sizeof( float ) );
	for ( int32_t i = 0; i < mesh->indexCount; ++i )
	{
		uint32_t a = mesh->indices[i], b = mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
		float rest = supDistance( mesh->positions[a], mesh->positions[b] ), now = supDistance( p[a], p[b] );
		float strain = supMaxFloat( now / rest, rest / supMaxFloat( now, 1e-6f * rest ) );
		strains[a] = supMaxFloat( strains[a], strain );
		strains[b] = supMaxFloat( strains[b], strain );
	}
}

// The area of a ring of the tube, from how its vertices lie around their middle.
static float RingArea( const Stage* s, int32_t ring )
{
	const int32_t segments = 10;
	const supVec3* p = supActor_Positions( s->actor, 0 ) + segments * ring;
	supVec3 middle = supVec3_zero, area = supVec3_zero;
	for ( int32_t i = 0; i < segments; ++i )
	{
		middle = supMulAdd( middle, 1.0f / (float)segments, p[i] );
	}
	for ( int32_t i = 0; i < segments; ++i )
	{
		area = supAdd( area, supCross( supSub( p[i], middle ), supSub( p[( i + 1 ) % segments], middle ) ) );
	}
	return 0.5f * supLength( area );
}

// Frames of a clip with the guard and without.
typedef struct Comparison
{
	int64_t vertices;
	int64_t worse;     // strained more, and more than the guard itself calls fine
	int32_t astray[2]; // normals, without and with
	float thinnest[2]; // ring of the tube at the end, of its area at rest
} Comparison;

static Comparison CompareWithGuard( const char* model, const char* clip, supMethodId method, float seconds )
{
	supError error = { 0 };
	Stage stages[2] = { 0 };
	for ( int32_t guard = 0; guard < 2; ++guard )
	{
		stages[guard].character = supFindModel( model )->create( &error );
		testRequire( stages[guard].character != NULL, &error );
		SetSoftStage( stages + guard, method,
					  supMethod_Parameter( method, supMethod_FindParameter( method, "softness" ) )->standard,
					  guard == 1, NULL );
	}
	size_t count = (size_t)stages[0].count;
	float* strains = malloc( 2 * count * sizeof( float ) );
	Comparison c = { .thinnest = { 1.0f, 1.0f } };
	float area = RingArea( stages, 14 );
	for ( int32_t i = 0; i <= (int32_t)( 30.0f * seconds ); ++i )
	{
		for ( int32_t guard = 0; guard < 2; ++guard )
		{
			GoTo( stages + guard, clip, (float)i / 30.0f, 1.0f / 30.0f );
			MeasureStrain( stages + guard, strains + (size_t)guard * count );
			CountFolds( stages + guard, c.astray + guard );
		}
		for ( size_t k = 0; k < count; ++k )
		{
			c.vertices += 1;
			// an edge may be squeezed to half, and a blend that fades adds up to a quarter
			c.worse += strains[count + k] > 2.0f && strains[count + k] > 1.25f * strains[k];
		}
	}
	// away from the caps
	for ( int32_t ring = 6; ring < 23 && strcmp( model, "tube" ) == 0; ++ring )
	{
		c.thinnest[0] = supMinFloat( c.thinnest[0], RingArea( stages, ring ) / area );
		c.thinnest[1] = supMinFloat( c.thinnest[1], RingArea( stages + 1, ring ) / area );
	}
	free( strains );
	ClearStage( stages );
	ClearStage( stages + 1 );
	return c;
}

// What flesh is blended toward is no worse than what it replaces: at half a turn linear blend skinning wraps a limb
// around a point, and inside of a bend it squeezes skin that flesh only folds.
static void TestNothingIsMadeWorse( void** state )
{
	(void)state;
	testMeasuresOnly();
	for ( supMethodId method = sup_methodPosition; method < sup_methodCount; ++method )
	{
		Comparison twist = CompareWithGuard( "tube", "twist", method, 1.0f );
		Comparison bend = CompareWithGuard( "bunny", "ElbowBend", method, 1.0f );
		print_message( "%s: twisted, %d vertices worse, thinnest ring %.3f (%.3f without guard); bent, %d vertices of "
					   "%d worse, %d normals astray (%d without guard)\n",
					   supMethodName( method ), (int)twist.worse, (double)twist.thinnest[1], (double)twist.thinnest[0],
					   (int)bend.worse, (int)bend.vertices, bend.astray[1], bend.astray[0] );
		assert_int_equal( twist.worse, 0 );
		// linear blend skinning leaves nothing of it, and half of its weight a third
		testGreater( twist.thinnest[1], 0.8f );
		// where flesh has to be taken back inside of the bend, skin has the creases of skinning
		testLess( 200 * bend.worse, bend.vertices );
		// skin that the guard moves inside of the bend may be a little more askew, not its normals alone
		testLessEqual( (float)bend.astray[1], 1.15f * (float)bend.astray[0] );
	}
}

static void TestSubstepsOfFrames( void** state )
{
	(void)state;
	assert_int_equal( supChooseSubsteps( 0.0f ), 1 );
	assert_int_equal( supChooseSubsteps( 1.0f / 120.0f ), 1 );
	assert_int_equal( supChooseSubsteps( 1.0f / 60.0f ), 1 );
	assert_int_equal( supChooseSubsteps( 1.0f / 30.0f ), 2 );
	assert_int_equal( supChooseSubsteps( 1.0f / 24.0f ), 3 );
	assert_int_equal( supChooseSubsteps( 1.0f / 20.0f ), 3 );
	assert_int_equal( supChooseSubsteps( 1e9f ), 1000 );
}

// How far the first instance is from skinning, of whichever kind is nearer.
static float FarthestFromEither( Stage* s, supVec3* dual )
{
	supSkinInstance( supActor_Pose( s->actor ), 0, sup_skinningLinear, NULL,
					 &( supSkinOutput ){ .positions = s->skin } );
	supSkinInstance( supActor_Pose( s->actor ), 0, sup_skinningDualQuaternion, NULL,
					 &( supSkinOutput ){ .positions = dual } );
	const supVec3* drawn = supActor_Positions( s->actor, 0 );
	float farthest = 0.0f;
	for ( int32_t i = 0; i < s->count; ++i )
	{
		float nearer = supMinFloat( supDistance( drawn[i], s->skin[i] ), supDistance( drawn[i], dual[i] ) );
		farthest = supMaxFloat( farthest, nearer );
	}
	return farthest;
}

// - bytes of flesh, or NULL to build it
static float PlayLimited( Stage* s, float reach, uint8_t** bytes )
{
	supError error = { 0 };
	supSoftRegion region = supDefaultSoftRegion();
	region.shape = sup_softAll;
	region.reach = reach;
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodLattice;
	def.softRegions = &region;
	def.softRegionCount = 1;
	static size_t size;
	s->flesh = *bytes == NULL ? supBuildFlesh( s->character, &def, NULL, &error )
							  : supReadFlesh( *bytes, size, "reach.flesh", s->character, &error );
	testRequire( s->flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	s->scene = supCreateScene( &sceneDef, &error );
	s->actor = supScene_AddActor( s->scene, s->flesh, &error );
	testRequire( s->actor != NULL, &error );
	s->count = supCharacter_Mesh( s->character, supCharacter_Instance( s->character, 0 )->mesh )->vertexCount;
	s->skin = malloc( 2 * (size_t)s->count * sizeof( supVec3 ) );
	float farthest = 0.0f;
	for ( int32_t i = 0; i < 15; ++i )
	{
		GoTo( s, "Shake", 0.3f + (float)i / 30.0f, 1.0f / 30.0f );
		farthest = supMaxFloat( farthest, FarthestFromEither( s, s->skin + s->count ) );
	}
	free( s->skin );
	supDestroyScene( s->scene );
	if ( *bytes == NULL && reach > 0.0f )
	{
		*bytes = supWriteFlesh( s->flesh, &size, &error );
		testRequire( *bytes != NULL, &error );
	}
	supDestroyFlesh( s->flesh );
	return farthest;
}

// Skin of a region with a limit stays within it, also where the flesh was saved and loaded.
static void TestReach( void** state )
{
	(void)state;
	supError error = { 0 };
	Stage s = { .character = supFindModel( "bunny" )->create( &error ) };
	testRequire( s.character != NULL, &error );
	uint8_t* bytes = NULL;
	float unlimited = PlayLimited( &s, 0.0f, &bytes );
	float reach = 0.25f * unlimited;
	float limited = PlayLimited( &s, reach, &bytes );
	float loaded = PlayLimited( &s, 0.0f, &bytes );
	print_message( "farthest %g m, limited to a quarter %g, loaded %g\n", (double)unlimited, (double)limited,
				   (double)loaded );
	// measured against the nearer of two kinds of skinning and blended towards one of them
	testGreater( unlimited, 0.01f );
	testGreater( limited, 0.0f );
	testLessEqual( limited, 1.01f * reach );
	assert_true( limited == loaded );
	supFree( bytes );
	supDestroyCharacter( s.character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestTornSkinIsDrawnWhole ),
		cmocka_unit_test( TestGentleFleshIsLeftAlone ),
		cmocka_unit_test( TestSameBits ),
		cmocka_unit_test( TestJumpsBeginAnew ),
		cmocka_unit_test( TestLostPoses ),
		cmocka_unit_test( TestPlatesRide ),
		cmocka_unit_test( TestLayersStayApart ),
		cmocka_unit_test( TestFoldsAreTakenBack ),
		cmocka_unit_test( TestHalfTurnsTearNothing ),
		cmocka_unit_test( TestNothingIsMadeWorse ),
		cmocka_unit_test( TestSubstepsOfFrames ),
		cmocka_unit_test( TestReach ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
