// SPDX-License-Identifier: MIT
// The method `layered` where it is hard: no memory, long chains, bones without flesh, starts inside of something, and
// bodies that lie and pull on each other.
#include "chain.h"
#include "support.h"

#include "geometry/tree.h"
#include "geometry/winding.h"
#include "method/layered/layered.h"
#include "models/models.h"
#include "scene/actor.h"
#include "scene/contact.h"

#define DT ( 1.0f / 60.0f )

static supCharacter* s_character;
static supFlesh* s_flesh;

static supFlesh* s_firm;

static supFlesh* Build( const supCharacter* character, bool isFirm, supError* error )
{
	// firm: skin of 6 kPa. How a limp body tumbles depends on its softness, which is therefore not the default.
	const supSetting settings[] = { { "joints", 1.0f }, { "frequency", isFirm ? 0.0f : 1.7f } };
	supFleshDef def = supDefaultFleshDef();
	def.settings = settings;
	def.settingCount = 2;
	return supBuildFleshWith( character, &supMethod_layered, &def, NULL, error );
}

static int BuildTube( void** state )
{
	(void)state;
	supError error = { 0 };
	s_character = supFindModel( "tube5" )->create( &error );
	testRequire( s_character != NULL, &error );
	s_flesh = Build( s_character, false, &error );
	testRequire( s_flesh != NULL, &error );
	s_firm = Build( s_character, true, &error );
	testRequire( s_firm != NULL, &error );
	return 0;
}

static int FreeTube( void** state )
{
	(void)state;
	supDestroyFlesh( s_firm );
	supDestroyFlesh( s_flesh );
	supDestroyCharacter( s_character );
	return 0;
}

static supScene* MakeScene( float gravity, int32_t substeps )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.gravity = supMakeVec3( 0.0f, -gravity, 0.0f );
	def.substeps = substeps;
	supScene* scene = supCreateScene( &def, &error );
	testRequire( scene != NULL, &error );
	return scene;
}

static supActor* AddActor( supScene* scene, const supFlesh* flesh, float strength, float root )
{
	supError error = { 0 };
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	testRequire( actor != NULL, &error );
	supActor_SetParameter( actor, sup_layeredStrength, strength );
	supActor_SetParameter( actor, sup_layeredRoot, root );
	return actor;
}

static supCollider* AddCollider( supScene* scene, supShapeDef shape, supColliderMotion motion, supVec3 position )
{
	supError error = { 0 };
	supColliderDef def = supDefaultColliderDef();
	def.shape = shape;
	def.motion = motion;
	def.position = position;
	def.friction = 1.0f;
	supCollider* collider = supScene_AddCollider( scene, &def, &error );
	testRequire( collider != NULL, &error );
	return collider;
}

// Lowest and highest vertex, and the fastest since `old`, which is brought up to date.
typedef struct Extent
{
	float lowest, highest, fastest;
} Extent;

static Extent Measure( const supActor* actor, supVec3* old )
{
	Extent extent = { INFINITY, -INFINITY, 0.0f };
	const supVec3* p = supActor_Positions( actor, 0 );
	for ( int32_t i = 0; i < actor->surfaces[0].vertexCount; ++i )
	{
		extent.lowest = supMinFloat( extent.lowest, p[i].y );
		extent.highest = supMaxFloat( extent.highest, p[i].y );
		extent.fastest = supMaxFloat( extent.fastest, old != NULL ? supDistance( p[i], old[i] ) / DT : 0.0f );
		assert_true( supIsFiniteVec3( p[i] ) );
		if ( old != NULL )
		{
			old[i] = p[i];
		}
	}
	return extent;
}

static double MeasureJoints( const supFlesh* flesh, const supActor* actor )
{
	const supLayeredFlesh* own = flesh->own;
	supLayeredView view = supLayered_View( own, actor->state );
	double worst = 0.0;
	for ( int32_t k = 0; k < own->links.count; ++k )
	{
		supJointRow rows[6];
		int32_t parent = own->links.links[k].parent;
		if ( parent >= 0 )
		{
			supMakeJointRows( view.arms[k], own->links.links + k, view.links + parent, view.links + k, rows );
		}
		for ( int32_t r = 0; r < 3 && parent >= 0; ++r )
		{
			worst = fmax( worst, fabs( rows[r].error ) );
		}
	}
	return worst;
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory

static bool TryBuild( void* context )
{
	(void)context;
	supError error = { 0 };
	supFlesh* flesh = Build( s_character, false, &error );
	bool ok = flesh != NULL;
	assert_true( ok || error.code == sup_errorMemory );
	supDestroyFlesh( flesh );
	return ok;
}

static void RunsOutOfMemoryCleanly( void** state )
{
	(void)state;
	testEachAllocationFailure( TryBuild, NULL, 12 );
}

// Lying on the floor, held by a nail, dragged, and with a step that is new to it.
static void StepsAllocateNothing( void** state )
{
	(void)state;
	supScene* scene = MakeScene( 9.81f, 1 );
	supActor* actor = AddActor( scene, s_flesh, 0.0f, 0.0f );
	AddCollider( scene, ( supShapeDef ){ .kind = sup_shapePlane }, sup_colliderStill, supMakeVec3( 0, -0.16f, 0 ) );
	supSurfacePoint point = { .vertices = { 10, 11, 12 }, .weights = { 1.0f, 0.0f, 0.0f } };
	supDragDef dragDef = supDefaultDragDef( actor, &point );
	supDragId drag = supActor_StartDrag( actor, &dragDef );
	supActor_MoveDrag( actor, drag, supMakeVec3( -1.0f, 0.3f, 0.0f ) );
	for ( int32_t i = 0; i < 40; ++i )
	{
		supScene_Step( scene, DT );
	}
	testGreater( supScene_GetStats( scene ).contact.contacts, 0 );
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	for ( int32_t i = 0; i < 20; ++i )
	{
		supScene_Step( scene, i < 10 ? DT : 0.01f );
	}
	assert_int_equal( heap.allocations, 0 );
	testUninstallHeap( &heap );
	supDestroyScene( scene );
}

// ---------------------------------------------------------------------------------------------------------------------
// Long chains, and bones without flesh

#define BONES 100
#define BONE_LENGTH 0.03f

// Held by its first bone, it falls and swings: on its way it is stretched out below, joints hold, and nothing gets
// lost. With friction in every joint, each for all that it carries, a hundred of them would only creep down.
static void SwingChain( int32_t everySo, int32_t steps )
{
	supError error = { 0 };
	testChain chain = {
		.boneCount = BONES, .boneLength = BONE_LENGTH, .segments = 8, .rings = BONES + 1, .everySo = everySo
	};
	supCharacter* character = testMakeChain( &chain, &error );
	testRequire( character != NULL, &error );
	supFlesh* flesh = Build( character, false, &error );
	testRequire( flesh != NULL, &error );
	supScene* scene = MakeScene( 9.81f, 1 );
	supActor* actor = AddActor( scene, flesh, 0.0f, 1.0f );
	supActor_SetParameter( actor, sup_layeredJointDamping, 0.0f );
	double open = 0.0;
	float lowest = 0.0f;
	for ( int32_t i = 0; i < steps; ++i )
	{
		supScene_Step( scene, DT );
		open = fmax( open, MeasureJoints( flesh, actor ) );
		lowest = supMinFloat( lowest, Measure( actor, NULL ).lowest );
	}
	supTrouble trouble = supScene_GetStats( scene ).trouble;
	print_message( "%d links: gets down to %g m, joints open by %g m\n",
				   ( (const supLayeredFlesh*)flesh->own )->links.count, (double)lowest, open );
	assert_true( trouble.notFinite == 0 );
	testLess( open, 1e-4 );
	testLess( lowest, -0.85f * BONES * BONE_LENGTH );
	testGreater( lowest, -1.1f * BONES * BONE_LENGTH );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

static void LongChain( void** state )
{
	(void)state;
	SwingChain( 1, 120 );
}

static void BonesWithoutFlesh( void** state )
{
	(void)state;
	SwingChain( 7, 120 );
}

// ---------------------------------------------------------------------------------------------------------------------
// Contact

// Half of it is in the floor, and a ball is in its middle: it gets out as slowly as it is told to, and lies.
static void StartsInside( void** state )
{
	(void)state;
	supScene* scene = MakeScene( 9.81f, 1 );
	supActor* actor = AddActor( scene, s_flesh, 0.0f, 0.0f );
	float floor = -0.05f;
	supVec3 at = supMakeVec3( 0.0f, floor, 0.0f );
	AddCollider( scene, ( supShapeDef ){ .kind = sup_shapePlane }, sup_colliderStill, at );
	AddCollider( scene, ( supShapeDef ){ .kind = sup_shapeSphere, .radius = 0.08f }, sup_colliderDynamic,
				 supMakeVec3( 0.5f, 0.1f, 0.0f ) );
	size_t bytes = (size_t)actor->surfaces[0].vertexCount * sizeof( supVec3 );
	supVec3* old = test_malloc( bytes );
	memcpy( old, supActor_Positions( actor, 0 ), bytes );
	float fastest = 0.0f;
	Extent extent = { 0 };
	for ( int32_t i = 0; i < 150; ++i )
	{
		supScene_Step( scene, DT );
		extent = Measure( actor, old );
		fastest = supMaxFloat( fastest, extent.fastest );
	}
	print_message( "at most %g m/s, at the end %g m/s, lies at %g m\n", (double)fastest, (double)extent.fastest,
				   (double)( extent.lowest - floor ) );
	testLess( fastest, 5.0f );
	testLess( extent.fastest, 0.2f );
	testGreater( extent.lowest, floor - 0.005f );
	testLess( extent.lowest, floor + 0.02f );
	assert_true( supScene_GetStats( scene ).trouble.notFinite == 0 );
	test_free( old );
	supDestroyScene( scene );
}

// A tube that follows its clip firmly is bent aside by a ball, farther than its skin goes: it presses on the ball, flat
// skin between them, and rests there. Firm skin, so that what the hit has set swinging has stopped after a second.
static void RestsOnFlatSkin( void** state )
{
	(void)state;
	testMeasuresOnly();
	supScene* scene = MakeScene( 0.0f, 1 );
	supActor* actor = AddActor( scene, s_firm, 1.0f, 1.0f );
	supShapeDef ball = { .kind = sup_shapeSphere, .radius = 0.3f };
	AddCollider( scene, ball, sup_colliderStill, supMakeVec3( 0.6f, 0.32f, 0.0f ) );
	size_t bytes = (size_t)actor->surfaces[0].vertexCount * sizeof( supVec3 );
	supVec3* old = test_malloc( bytes );
	memcpy( old, supActor_Positions( actor, 0 ), bytes );
	float fastest = 0.0f;
	int32_t contacts = 0;
	for ( int32_t i = 0; i < 90; ++i )
	{
		supScene_Step( scene, DT );
		float now = Measure( actor, old ).fastest;
		fastest = i >= 60 ? supMaxFloat( fastest, now ) : 0.0f;
	}
	supScene_Contacts( scene, &contacts );
	double flattest = 1.0;
	const supLayeredFlesh* own = s_firm->own;
	supLayeredView view = supLayered_View( own, actor->state );
	for ( int32_t i = 0; i < own->skin.nodeCount; ++i )
	{
		supVec3d inwards = supLayered_InwardWay( own, i );
		double pressed = supDotVec3d( supLoadVec3d( view.q + 3 * i ), inwards ) / supDotVec3d( inwards, inwards );
		flattest = fmin( flattest, 1.0 - pressed );
	}
	print_message( "%g m/s at most when it rests, with %d contacts and %g of its skin's thickness left\n",
				   (double)fastest, contacts, flattest );
	testGreater( contacts, 0 );
	testLess( flattest, 1.01 * ( 1.0 - SUP_MOST_PRESSED ) );
	testLess( fastest, 0.05f );
	test_free( old );
	supDestroyScene( scene );
}

static float DepthInBox( const supActor* actor, const supCollider* box )
{
	float deepest = -INFINITY;
	supPlacement placement = supCollider_Placement( box );
	for ( int32_t i = 0; i < actor->surfaces[0].vertexCount; ++i )
	{
		supShapeHit hit;
		supVec3 p = supPlacement_ToLocal( &placement, supActor_Positions( actor, 0 )[i] );
		if ( supShape_FindClosest( &box->shape, p, INFINITY, &hit ) )
		{
			deepest = supMaxFloat( deepest, -hit.distance );
		}
	}
	return deepest;
}

// A limp tube falls over the edges of steps, askew: what is touched there moves from one face to the next while it is
// answered, and no vertex gets in all the same.
static void FallsOverEdges( void** state )
{
	(void)state;
	supScene* scene = MakeScene( 9.81f, 1 );
	supActor* actor = AddActor( scene, s_flesh, 0.0f, 0.0f );
	supShapeDef shape = { .kind = sup_shapeBox, .halfExtents = { 0.35f, 0.2f, 0.8f } };
	supCollider* steps[2] = { AddCollider( scene, shape, sup_colliderStill, supMakeVec3( -0.5f, -0.6f, 0.0f ) ),
							  AddCollider( scene, shape, sup_colliderStill, supMakeVec3( 0.2f, -0.75f, 0.0f ) ) };
	float deepest = -INFINITY;
	for ( int32_t i = 0; i < 60; ++i )
	{
		supScene_Step( scene, DT );
		for ( int32_t k = 0; k < 2; ++k )
		{
			deepest = supMaxFloat( deepest, DepthInBox( actor, steps[k] ) );
		}
	}
	print_message( "deepest vertex %g mm, thickness %g mm\n", 1e3 * (double)deepest,
				   1e3 * (double)actor->contact->thickness );
	testGreater( deepest, -2.0f * actor->contact->thickness );
	testLessEqual( deepest, actor->contact->thickness );
	supDestroyScene( scene );
}

// A plate that lies across a tube stays there: its middle, h above the tube, is lower than the tube of radius r is
// round. Laid down d beside the middle it rolls by d / ( r - h ) until it is above what it lies on, and friction holds
// it there: it does not creep. On firm skin, which is dented by a tenth of the radius: on soft skin it sinks in and
// does not roll.
static void PlateStays( void** state )
{
	(void)state;
	testMeasuresOnly();
	const float radius = 0.15f, height = 0.03f, beside = 0.005f;
	supScene* scene = MakeScene( 9.81f, 2 );
	AddActor( scene, s_firm, 1.0f, 1.0f );
	supShapeDef shape = { .kind = sup_shapeBox, .halfExtents = { 0.14f, height, 0.14f } };
	supCollider* plate = AddCollider( scene, shape, sup_colliderDynamic, supMakeVec3( 0.0f, 0.19f, beside ) );
	supVec3 before = supVec3_zero;
	for ( int32_t i = 0; i < 180; ++i )
	{
		supScene_Step( scene, DT );
		before = i == 120 ? supCollider_Position( plate ) : before;
	}
	supVec3 at = supCollider_Position( plate );
	supVec3 up = supRotate( supCollider_Rotation( plate ), supMakeVec3( 0.0f, 1.0f, 0.0f ) );
	float turn = beside / ( radius - height ), crept = supDistance( before, at );
	print_message( "after 3 s at %g %g %g, leaning by %g (%g); in the last second it has moved by %g m\n", (double)at.x,
				   (double)at.y, (double)at.z, (double)up.z, (double)turn, (double)crept );
	testLess( fabsf( at.z - radius * turn ), 0.5f * beside );
	testGreater( at.y, 0.16f );
	testLess( fabsf( up.z - turn ), 0.5f * turn );
	testLess( fabsf( up.x ), 0.5f * turn );
	testLess( crept, 1e-3f );
	supDestroyScene( scene );
}

// Between the axes of two tubes, which lie along x at rest, by looking at nine places of each link.
static double FindNearestAxes( const supLinkState* a, const supLinkState* b, int32_t count )
{
	double least = INFINITY;
	for ( int32_t i = 0; i < 81 * count * count; ++i )
	{
		const supLinkState *first = a + i / 81 % count, *second = b + i / 81 / count;
		supMat3d r = supMakeMat3dQuat( first->rotation ), s = supMakeMat3dQuat( second->rotation );
		supVec3d here = supMulAddVec3d( first->center, 0.05 * ( i % 9 - 4 ), supLoadVec3d( r.m[0] ) );
		supVec3d there = supMulAddVec3d( second->center, 0.05 * ( i / 9 % 9 - 4 ), supLoadVec3d( s.m[0] ) );
		least = fmin( least, supLengthVec3d( supSubVec3d( here, there ) ) );
	}
	return least;
}

// How deep the deepest vertex of a tube is inside of another: by winding numbers, not by what contact uses.
static float DepthInTube( const supActor* actor, const supActor* other )
{
	supError error = { 0 };
	const supMesh* mesh = supCharacter_Mesh( s_character, supCharacter_Instance( s_character, 0 )->mesh );
	supTree* tree =
		supCreateTree( supActor_Positions( other, 0 ), mesh->vertexCount, mesh->indices, mesh->indexCount / 3, &error );
	testRequire( tree != NULL, &error );
	supWinding* winding = supCreateWinding( tree, SUP_WINDING_BETA, NULL, &error );
	testRequire( winding != NULL, &error );
	float deepest = 0.0f;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		supTreeHit hit;
		supVec3 p = supActor_Positions( actor, 0 )[i];
		if ( supWinding_Evaluate( winding, p ) > 0.5f && supTree_FindClosest( tree, p, INFINITY, &hit ) )
		{
			deepest = supMaxFloat( deepest, hit.distance );
		}
	}
	supDestroyWinding( winding );
	supDestroyTree( tree );
	return deepest;
}

static void LayAcross( supActor* actor, float height )
{
	supPose* pose = supActor_Pose( actor );
	supQuat turn = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), 0.5f * SUP_PI );
	for ( int32_t i = 0; i < supCharacter_NodeCount( s_character ); ++i )
	{
		supTransform local = supPose_GetLocal( pose, i );
		if ( supCharacter_Node( s_character, i )->parent < 0 )
		{
			local.translation = supAdd( supRotate( turn, local.translation ), supMakeVec3( 0.0f, height, 0.0f ) );
			local.rotation = supMulQuat( turn, local.rotation );
			supPose_SetLocal( pose, i, local );
		}
	}
	supActor_Reset( actor );
}

// One tube falls across another that is held by its root: skin gives way as far as it goes, and stays outside in the
// hit. Where the tubes have come to wriggle on each other, which is another motion with every rounding, their bones
// still do not come nearer than that.
static void TubesStopEachOther( void** state )
{
	(void)state;
	supError error = { 0 };
	supScene* scene = MakeScene( 9.81f, 2 );
	supActor* low = AddActor( scene, s_flesh, 1.0f, 1.0f );
	supActor* high = AddActor( scene, s_flesh, 0.3f, 0.0f );
	supContactSettings contact = supDefaultContactSettings();
	contact.withActors = true;
	contact.friction = 1.0f;
	testRequire( supActor_SetContact( low, &contact, &error ) && supActor_SetContact( high, &contact, &error ),
				 &error );
	LayAcross( high, 0.32f );
	const supLayeredFlesh* own = s_flesh->own;
	double least = INFINITY;
	float deepest = 0.0f;
	for ( int32_t i = 0; i < 90; ++i )
	{
		supScene_Step( scene, DT );
		supLayeredView a = supLayered_View( own, low->state ), b = supLayered_View( own, high->state );
		least = fmin( least, FindNearestAxes( a.links, b.links, own->links.count ) );
		float depth = i < 45 ? supMaxFloat( DepthInTube( low, high ), DepthInTube( high, low ) ) : 0.0f;
		deepest = supMaxFloat( deepest, depth );
	}
	double thickness = 0.0;
	for ( int32_t i = 0; i < own->skin.nodeCount; ++i )
	{
		thickness = fmax( thickness, supLengthVec3d( supLayered_InwardWay( own, i ) ) );
	}
	double pressed = 0.3 - 2.0 * SUP_MOST_PRESSED * thickness;
	print_message(
		"axes come as near as %g m; two radii are 0.3, less %g of skin as far as it goes; in the hit the deepest vertex is "
		"%g mm inside\n",
		least, 0.3 - pressed, 1e3 * (double)deepest );
	testGreater( least, pressed - 0.01 );
	testLess( least, 0.3 );
	testLessEqual( deepest, low->contact->thickness );
	supDestroyScene( scene );
}

// A heavy box falls onto the back of a loose deer. Its edges cut into triangles whose vertices are all outside, beside
// it and under it: neither they nor what lies between them gets in.
static void BoxSinksIn( void** state )
{
	(void)state;
	supError error = { 0 };
	const supSetting settings[] = { { "stiffness", 1000.0f } };
	supCharacter* deer = supFindModel( "deer" )->create( &error );
	testRequire( deer != NULL, &error );
	supFleshDef fleshDef = supDefaultFleshDef();
	fleshDef.settings = settings;
	fleshDef.settingCount = 1;
	supFlesh* flesh = supBuildFleshWith( deer, &supMethod_layered, &fleshDef, NULL, &error );
	testRequire( flesh != NULL, &error );
	supScene* scene = MakeScene( 9.81f, 2 );
	supActor* actor = AddActor( scene, flesh, 0.12f, 0.2f );
	supContactSettings contact = supDefaultContactSettings();
	contact.friction = 1.5f;
	testRequire( supActor_SetContact( actor, &contact, &error ), &error );
	supColliderDef def = supDefaultColliderDef();
	def.shape = ( supShapeDef ){ .kind = sup_shapeBox, .halfExtents = { 0.08f, 0.06f, 0.13f } };
	def.motion = sup_colliderDynamic;
	def.position = supMakeVec3( 0.0f, 1.2f, -0.1f );
	def.mass = 14.0f;
	def.friction = 1.5f;
	supCollider* box = supScene_AddCollider( scene, &def, &error );
	testRequire( box != NULL, &error );
	float deepest = -INFINITY;
	for ( int32_t i = 0; i < 10; ++i )
	{
		supScene_Step( scene, 2.0f * DT );
		deepest = supMaxFloat( deepest, supMaxFloat( DepthInBox( actor, box ), supActor_Penetration( actor ) ) );
	}
	print_message( "deepest %g mm\n", 1e3 * (double)deepest );
	testGreater( DepthInBox( actor, box ), -2.0f * actor->contact->thickness );
	testLessEqual( deepest, 0.0f );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( deer );
}

// A low box falls onto default skin, which swings at 2 Hz, and lies there for a second and a half; so it does where it
// falls a little beside the middle.
static void LayOnSoftSkin( float aside )
{
	testMeasuresOnly();
	supError error = { 0 };
	supCharacter* deer = supFindModel( "deer" )->create( &error );
	testRequire( deer != NULL, &error );
	supFleshDef fleshDef = supDefaultFleshDef();
	supFlesh* flesh = supBuildFleshWith( deer, &supMethod_layered, &fleshDef, NULL, &error );
	testRequire( flesh != NULL, &error );
	supScene* scene = MakeScene( 9.81f, 2 );
	supActor* actor = AddActor( scene, flesh, 0.12f, 0.2f );
	const supClip* clip = supCharacter_FindClip( deer, "HeadTurn" );
	supPose_ApplyClip( supActor_Pose( actor ), clip, clip->start );
	supActor_Reset( actor );
	supContactSettings contact = supDefaultContactSettings();
	contact.friction = 1.5f;
	testRequire( supActor_SetContact( actor, &contact, &error ), &error );
	AddCollider( scene, ( supShapeDef ){ .kind = sup_shapePlane }, sup_colliderStill, supVec3_zero );
	supColliderDef def = supDefaultColliderDef();
	def.shape = ( supShapeDef ){ .kind = sup_shapeBox, .halfExtents = { 0.1f, 0.03f, 0.13f } };
	def.motion = sup_colliderDynamic;
	def.position = supMakeVec3( aside, 1.3f, -0.1f );
	def.mass = 14.0f;
	def.friction = 1.5f;
	supCollider* box = supScene_AddCollider( scene, &def, &error );
	testRequire( box != NULL, &error );
	supVec3 before = def.position;
	float fastest = 0.0f;
	for ( int32_t i = 0; i < 48; ++i )
	{
		supScene_Step( scene, 2.0f * DT );
		fastest = supMaxFloat( fastest, supDistance( supCollider_Position( box ), before ) / ( 2.0f * DT ) );
		before = supCollider_Position( box );
	}
	supTrouble trouble = supScene_GetStats( scene ).trouble;
	print_message( "the box is at most %g m/s fast and ends at %g m; %g mm inside\n", (double)fastest, (double)before.y,
				   1e3 * (double)supActor_Penetration( actor ) );
	assert_true( trouble.notFinite == 0 );
	testLess( fastest, 4.0f );
	testGreater( before.y, 0.5f );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( deer );
}

static void BoxLiesOnSoftSkin( void** state )
{
	(void)state;
	LayOnSoftSkin( 0.0f );
	LayOnSoftSkin( 0.01f );
}

// Takes hold of the end of a tube that lies along `way`.
static supAttachment* HoldEnd( supScene* scene, supActor* actor, supVec3 way, supVec3* place )
{
	supError error = { 0 };
	int32_t best = 0;
	const supVec3* p = supActor_Positions( actor, 0 );
	for ( int32_t i = 0; i < actor->surfaces[0].vertexCount; ++i )
	{
		best = supDot( p[i], way ) > supDot( p[best], way ) ? i : best;
	}
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	*place = def.places[0].position = p[best];
	def.places[1] = ( supPlace ){ .kind = sup_placeSurface, .actor = actor, .radius = 0.25f };
	def.places[1].point = ( supSurfacePoint ){ .vertices = { best, best, best }, .weights = { 1.0f, 0.0f, 0.0f } };
	supAttachment* hand = supScene_Attach( scene, &def, &error );
	testRequire( hand != NULL, &error );
	return hand;
}

// Two limp tubes that cross are pulled against each other by their ends. Returns how deep the deepest vertex got, in
// thicknesses.
static float PullTubes( float speed, int32_t steps )
{
	supError error = { 0 };
	supScene* scene = MakeScene( 9.81f, 2 );
	supContactSettings contact = supDefaultContactSettings();
	contact.withActors = true;
	supAttachment* hands[4];
	supVec3 starts[4];
	supActor* tubes[2];
	for ( int32_t k = 0; k < 2; ++k )
	{
		tubes[k] = AddActor( scene, s_flesh, 0.0f, 0.0f );
		testRequire( supActor_SetContact( tubes[k], &contact, &error ), &error );
	}
	LayAcross( tubes[1], 0.34f );
	for ( int32_t k = 0; k < 4; ++k )
	{
		float side = k % 2 == 0 ? 1.0f : -1.0f;
		supVec3 way = k < 2 ? supMakeVec3( side, 0.0f, 0.0f ) : supMakeVec3( 0.0f, 0.0f, side );
		hands[k] = HoldEnd( scene, tubes[k / 2], way, starts + k );
	}
	float deepest = 0.0f;
	for ( int32_t i = 1; i <= steps; ++i )
	{
		for ( int32_t k = 0; k < 4; ++k )
		{
			float height = ( k < 2 ? 0.5f : -0.5f ) * speed * DT * (float)i;
			supAttachment_SetPlace( hands[k], 0, supAdd( starts[k], supMakeVec3( 0.0f, height, 0.0f ) ), NULL );
		}
		supScene_Step( scene, DT );
		float depth = supMaxFloat( DepthInTube( tubes[0], tubes[1] ), DepthInTube( tubes[1], tubes[0] ) );
		deepest = supMaxFloat( deepest, depth );
	}
	print_message( "at %g m/s the deepest vertex is %g mm inside\n", (double)speed, 1e3 * (double)deepest );
	deepest /= tubes[0]->contact->thickness;
	supDestroyScene( scene );
	return deepest;
}

// Places come last, and what they do leaves skin that is pressed where contacts have it.
static void PulledTubesStayOutside( void** state )
{
	(void)state;
	testLessEqual( PullTubes( 1.0f, 30 ), 1.0f );
	testLessEqual( PullTubes( 2.0f, 24 ), 1.0f );
}

static supActor* Hold( supScene* scene, supAttachment** hand )
{
	supError error = { 0 };
	supActor* actor = AddActor( scene, s_flesh, 0.1f, 0.0f );
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0].position = supActor_Positions( actor, 0 )[10];
	def.places[1] = ( supPlace ){ .kind = sup_placeSurface, .actor = actor, .radius = 0.2f };
	def.places[1].point = ( supSurfacePoint ){ .vertices = { 10, 11, 12 }, .weights = { 1.0f, 0.0f, 0.0f } };
	*hand = supScene_Attach( scene, &def, &error );
	testRequire( *hand != NULL, &error );
	return actor;
}

// A place that is moved once a step goes evenly through its substeps: as if it were moved in each of them.
static void MovingPlacePullsEvenly( void** state )
{
	(void)state;
	supScene* scenes[2] = { MakeScene( 9.81f, 4 ), MakeScene( 9.81f, 1 ) };
	supAttachment* hands[2];
	supActor* actors[2] = { Hold( scenes[0], hands ), Hold( scenes[1], hands + 1 ) };
	supVec3 start = supActor_Positions( actors[0], 0 )[10], way = supMakeVec3( -0.5f * DT, 0.3f * DT, 0.0f );
	for ( int32_t i = 1; i <= 120; ++i )
	{
		supAttachment_SetPlace( hands[1], 0, supMulAdd( start, 0.25f * (float)i, way ), NULL );
		supScene_Step( scenes[1], 0.25f * DT );
		if ( i % 4 == 0 )
		{
			supAttachment_SetPlace( hands[0], 0, supMulAdd( start, 0.25f * (float)i, way ), NULL );
			supScene_Step( scenes[0], DT );
		}
	}
	float most = 0.0f;
	for ( int32_t i = 0; i < actors[0]->surfaces[0].vertexCount; ++i )
	{
		float apart = supDistance( supActor_Positions( actors[0], 0 )[i], supActor_Positions( actors[1], 0 )[i] );
		most = supMaxFloat( most, apart );
	}
	print_message( "pulled by 0.29 m, apart by %g m; gap %g m\n", (double)most, (double)supAttachment_Gap( hands[0] ) );
	testLess( most, 1e-4f );
	supDestroyScene( scenes[0] );
	supDestroyScene( scenes[1] );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( RunsOutOfMemoryCleanly ),
		cmocka_unit_test( StepsAllocateNothing ),
		cmocka_unit_test( LongChain ),
		cmocka_unit_test( BonesWithoutFlesh ),
		cmocka_unit_test( StartsInside ),
		cmocka_unit_test( RestsOnFlatSkin ),
		cmocka_unit_test( FallsOverEdges ),
		cmocka_unit_test( PlateStays ),
		cmocka_unit_test( TubesStopEachOther ),
		cmocka_unit_test( BoxSinksIn ),
		cmocka_unit_test( BoxLiesOnSoftSkin ),
		cmocka_unit_test( PulledTubesStayOutside ),
		cmocka_unit_test( MovingPlacePullsEvenly ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
