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

// Of links, and of nodes split among the links that they ride on.
static inline Momentum MeasureMomentum( const Stage* stage )
{
	const supLayeredFlesh* flesh = stage->own;
	supLayeredView view = supLayered_View( flesh, stage->actor->state );
	Momentum sum = { 0 };
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		const supLink* link = flesh->links.links + i;
		const supLinkState* state = view.links + i;
		supMat3d r = supMakeMat3dQuat( state->rotation );
		supVec3d spin = supMulMat3dVec( &r, supMulMat3dVec( &link->inertia, state->spin ) );
		supVec3d p = supScaleVec3d( link->mass, state->velocity );
		sum.mass += link->mass;
		sum.linear = supAddVec3d( sum.linear, p );
		sum.angular = supAddVec3d( sum.angular, supAddVec3d( spin, supCrossVec3d( state->center, p ) ) );
		sum.center = supMulAddVec3d( sum.center, link->mass, state->center );
		for ( int32_t k = flesh->linkStarts[i]; k < flesh->linkStarts[i + 1]; ++k )
		{
			int32_t a = flesh->linkNodes[k];
			double m = flesh->skin.masses[a] * flesh->linkWeights[k];
			supVec3d arm = supLayered_Arm( flesh, view.q, a, i );
			supVec3d inner = supAddVec3d( supCrossVec3d( state->spin, arm ), supLoadVec3d( view.v + 3 * a ) );
			supVec3d mv = supScaleVec3d( m, supAddVec3d( state->velocity, supMulMat3dVec( &r, inner ) ) );
			supVec3d x = supAddVec3d( state->center, supMulMat3dVec( &r, arm ) );
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
