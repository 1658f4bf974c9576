// SPDX-License-Identifier: MIT
// What the tests of the method `layered` share: a character in a scene, and its momentum.
#pragma once

#include "support.h"

#include "method/layered/layered.h"
#include "models/models.h"
#include "scene/actor.h"

#include <math.h>

#define DT ( 1.0f / 60.0f )

typedef struct Stage
{
	supCharacter* character;
	supFlesh* flesh;
	const supLayeredFlesh* own;
	supScene* scene;
	supActor* actor;
} Stage;

static inline void BuildStage( Stage* stage, const char* model, const supSetting* settings, int32_t count )
{
	supError error = { 0 };
	stage->character = supFindModel( model )->create( &error );
	testRequire( stage->character != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	def.settings = settings;
	def.settingCount = count;
	stage->flesh = supBuildFleshWith( stage->character, &supMethod_layered, &def, NULL, &error );
	testRequire( stage->flesh != NULL, &error );
	stage->own = stage->flesh->own;
}

// Skin of 6 kPa: stiffer than the default, which swings at 2 Hz. For tests of what is the same whatever skin is made
// of, with bounds that hold for skin which comes to rest within a second and carries what lies on it.
#define FIRM_SKIN                                                                                                      \
	{                                                                                                                  \
		"frequency", 0.0f                                                                                              \
	}

static inline void Enter( Stage* stage, supVec3 gravity, const supTasks* tasks )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.gravity = gravity;
	def.tasks = tasks;
	stage->scene = supCreateScene( &def, &error );
	testRequire( stage->scene != NULL, &error );
	stage->actor = supScene_AddActor( stage->scene, stage->flesh, &error );
	testRequire( stage->actor != NULL, &error );
}

static inline void Leave( Stage* stage )
{
	supDestroyScene( stage->scene );
	stage->scene = NULL;
}

static inline void FreeStage( Stage* stage )
{
	supDestroyFlesh( stage->flesh );
	supDestroyCharacter( stage->character );
}

static inline void Set( Stage* stage, const char* name, float value )
{
	int32_t parameter = -1;
	for ( int32_t i = 0; i < supMethod_layered.parameterCount; ++i )
	{
		parameter = strcmp( supMethod_layered.parameters[i].name, name ) == 0 ? i : parameter;
	}
	assert_true( parameter >= 0 );
	supActor_SetParameter( stage->actor, parameter, value );
}

// A ragdoll: nothing holds it.
static inline void LetGo( Stage* stage )
{
	Set( stage, "strength", 0.0f );
	Set( stage, "root", 0.0f );
	Set( stage, "joint.damping", 0.0f );
}

typedef struct Momentum
{
	double mass;
	supVec3d linear;
	supVec3d angular;
	supVec3d center;
} Momentum;

// Velocity of a frame as links have them, from where links are a moment before and after: not from the method's own
// derivatives.
#define MOMENT 1e-5

static inline supFrameSpeed DifferFrame( const supLayeredFlesh* flesh, int32_t frame, const supLinkState* links,
										 const double* ways )
{
	supFramePlace places[2];
	for ( int32_t side = 0; side < 2; ++side )
	{
		supLinkState moved[2];
		supFrame own = flesh->frames[frame];
		double h = side == 0 ? -MOMENT : MOMENT;
		for ( int32_t e = 0; e < ( own.links[1] < 0 ? 1 : 2 ); ++e )
		{
			moved[e] = links[own.links[e]];
			moved[e].center = supMulAddVec3d( moved[e].center, h, moved[e].velocity );
			moved[e].rotation = supMulQuatd( moved[e].rotation, supExpVec3d( supScaleVec3d( h, moved[e].spin ) ) );
		}
		// links in the order of the frame's ends
		if ( own.links[1] < 0 )
		{
			places[side] = ( supFramePlace ){ moved[0].center, moved[0].rotation };
			continue;
		}
		supLink ends[2] = { flesh->links.links[own.links[0]], flesh->links.links[own.links[1]] };
		double signs[2] = { 1.0, ways[own.links[1]] };
		own.links[0] = 0;
		own.links[1] = 1;
		supLayeredFlesh small = { .links = { .links = ends }, .frames = &own };
		places[side] = supLayered_PlaceFrame( &small, 0, moved, signs );
	}
	supVec3d turn = supLogQuatd( supMulQuatd( supConjugateQuatd( places[0].rotation ), places[1].rotation ) );
	return ( supFrameSpeed ){
		supScaleVec3d( 0.5 / MOMENT, supSubVec3d( places[1].center, places[0].center ) ),
		supScaleVec3d( 0.5 / MOMENT, turn ),
	};
}

// Of links, and of nodes split among the frames that they ride on.
static inline Momentum MeasureMomentum( const Stage* stage )
{
	const supLayeredFlesh* flesh = stage->own;
	supLayeredView view = supLayered_View( flesh, stage->actor->state );
	Momentum sum = { 0 };
	for ( int32_t i = 0; i < flesh->frameCount; ++i )
	{
		supLink none = { 0 };
		const supLink* link = i < flesh->links.count ? flesh->links.links + i : &none;
		supFramePlace place = supLayered_PlaceFrame( flesh, i, view.links, view.ways );
		supFrameSpeed motion = DifferFrame( flesh, i, view.links, view.ways );
		supMat3d r = supMakeMat3dQuat( place.rotation );
		supVec3d spin = supMulMat3dVec( &r, supMulMat3dVec( &link->inertia, motion.spin ) );
		supVec3d p = supScaleVec3d( link->mass, motion.velocity );
		sum.mass += link->mass;
		sum.linear = supAddVec3d( sum.linear, p );
		sum.angular = supAddVec3d( sum.angular, supAddVec3d( spin, supCrossVec3d( place.center, p ) ) );
		sum.center = supMulAddVec3d( sum.center, link->mass, place.center );
		for ( int32_t k = flesh->frameStarts[i]; k < flesh->frameStarts[i + 1]; ++k )
		{
			int32_t a = flesh->frameNodes[k];
			double m = flesh->skin.masses[a] * flesh->frameWeights[k];
			supVec3d arm = supLayered_Arm( flesh, view.q, a, i );
			supVec3d inner = supAddVec3d( supCrossVec3d( motion.spin, arm ), supLoadVec3d( view.v + 3 * a ) );
			supVec3d mv = supScaleVec3d( m, supAddVec3d( motion.velocity, supMulMat3dVec( &r, inner ) ) );
			supVec3d x = supAddVec3d( place.center, supMulMat3dVec( &r, arm ) );
			sum.mass += m;
			sum.linear = supAddVec3d( sum.linear, mv );
			sum.angular = supAddVec3d( sum.angular, supCrossVec3d( x, mv ) );
			sum.center = supMulAddVec3d( sum.center, m, x );
		}
	}
	sum.center = supScaleVec3d( 1.0 / sum.mass, sum.center );
	return sum;
}

// Kicks links and skin so that everything moves.
static inline void Kick( Stage* stage, double speed )
{
	testRandom random = testMakeRandom( 7 );
	supLayeredView view = supLayered_View( stage->own, stage->actor->state );
	for ( int32_t i = 0; i < stage->own->links.count; ++i )
	{
		double* numbers = &view.links[i].velocity.x;
		for ( int k = 0; k < 6; ++k )
		{
			numbers[k] = speed * (double)testRandomFloat( &random, -1.0f, 1.0f );
		}
	}
	for ( int32_t i = 0; i < 3 * stage->own->skin.nodeCount; ++i )
	{
		view.v[i] = 0.3 * speed * (double)testRandomFloat( &random, -1.0f, 1.0f );
	}
	supActor_WakeUp( stage->actor );
}

static inline supCollider* AddCollider( Stage* stage, supShapeDef shape, supColliderMotion motion, supVec3 position )
{
	supError error = { 0 };
	supColliderDef def = supDefaultColliderDef();
	def.shape = shape;
	def.motion = motion;
	def.position = position;
	supCollider* collider = supScene_AddCollider( stage->scene, &def, &error );
	testRequire( collider != NULL, &error );
	return collider;
}

// ---------------------------------------------------------------------------------------------------------------------
// The fixture of a group of tests: a tube of five balls

static Stage s_tube;

static inline int BuildTube( void** state )
{
	(void)state;
	const supSetting settings[] = { { "drag", 0.0f }, { "joints", 1.0f } };
	BuildStage( &s_tube, "tube5", settings, 2 );
	return 0;
}

static inline int FreeTube( void** state )
{
	(void)state;
	FreeStage( &s_tube );
	return 0;
}
