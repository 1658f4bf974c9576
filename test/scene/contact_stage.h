// SPDX-License-Identifier: MIT
// Bodies of every method, and things for them to touch.
#pragma once

#include "support.h"

#include "method/points/props.h"
#include "method/points/solver.h"
#include "models/models.h"
#include "scene/contact.h"

#include <math.h>
#include <string.h>

typedef struct Body
{
	supProp prop;
	supTetMesh tets;
	supCharacter* character;
	supFlesh* flesh;
} Body;

// A soft cube of this size of `cells` along an edge, its bottom at y = height: points only.
static inline Body MakeCube( float size, int32_t cells, float height, const supSetting* settings, int32_t count )
{
	Body body = { 0 };
	supError error = { 0 };
	float cell = size / (float)cells;
	supLattice lattice = { .nx = cells,
						   .ny = cells,
						   .nz = cells,
						   .origin = { -0.5f * size, height, -0.5f * size },
						   .x = { cell, 0.0f, 0.0f },
						   .y = { 0.0f, cell, 0.0f },
						   .z = { 0.0f, 0.0f, cell } };
	assert_true( supProp_AddLattice( &body.prop, &lattice ) && supProp_Finish( &body.prop ) );
	body.character = supProp_CreateCharacter( &body.prop, "cube", &error );
	testRequire( body.character != NULL, &error );
	body.tets = supProp_Tets( &body.prop );
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodPoints;
	def.tets = &body.tets;
	def.settings = settings;
	def.settingCount = count;
	body.flesh = supBuildFlesh( body.character, &def, NULL, &error );
	testRequire( body.flesh != NULL, &error );
	return body;
}

// The tube as flesh of a method, small enough for tests.
// - frequency: Hz, 0 is the default; of methods that have it
static inline Body MakeTubeAt( const char* model, supMethodId method, float frequency )
{
	Body body = { 0 };
	supError error = { 0 };
	body.character = supFindModel( model )->create( &error );
	testRequire( body.character != NULL, &error );
	supSetting tets[2] = { { "tets", 1500.0f }, { "frequency", frequency } };
	supSetting resolution = { "resolution", 24.0f };
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	bool hasTets = method == sup_methodPosition || method == sup_methodPoints;
	def.settings = hasTets ? tets : &resolution;
	def.settingCount = hasTets && frequency > 0.0f ? 2 : hasTets || method == sup_methodLattice ? 1 : 0;
	// lattice takes what is soft from its layers, so that contact is tested on the same flesh whatever anatomy is
	// guessed
	static const supSoftRegion firm = { .shape = sup_softAll, .softness = 0.0f };
	def.softRegions = &firm;
	def.softRegionCount = method == sup_methodLattice ? 1 : 0;
	body.flesh = supBuildFlesh( body.character, &def, NULL, &error );
	testRequire( body.flesh != NULL, &error );
	return body;
}

static inline Body MakeTubeOf( const char* model, supMethodId method )
{
	return MakeTubeAt( model, method, 0.0f );
}

static inline Body MakeTube( supMethodId method )
{
	return MakeTubeOf( "tube", method );
}

static inline void DestroyBody( Body* body )
{
	supDestroyFlesh( body->flesh );
	supDestroyCharacter( body->character );
	supProp_Destroy( &body->prop );
}

static inline supScene* MakeScene( int32_t substeps, const supTasks* tasks )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.substeps = substeps;
	def.tasks = tasks;
	supScene* scene = supCreateScene( &def, &error );
	testRequire( scene != NULL, &error );
	return scene;
}

static inline supScene* MakeWeightless( int32_t substeps )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.substeps = substeps;
	def.gravity = supVec3_zero;
	supScene* scene = supCreateScene( &def, &error );
	testRequire( scene != NULL, &error );
	return scene;
}

static inline supActor* AddActor( supScene* scene, const Body* body )
{
	supError error = { 0 };
	supActor* actor = supScene_AddActor( scene, body->flesh, &error );
	testRequire( actor != NULL, &error );
	return actor;
}

static inline void LetTouchItself( supActor* actor )
{
	supError error = { 0 };
	supContactSettings settings = supDefaultContactSettings();
	settings.withItself = true;
	testRequire( supActor_SetContact( actor, &settings, &error ), &error );
}

// A tube on five bones, twice by the same angle.
static inline void BendTube( supActor* actor, float angle )
{
	const supCharacter* character = actor->flesh->character;
	const supSkin* skin = supCharacter_Skin( character, 0 );
	for ( int32_t i = 2; i < 4; ++i )
	{
		supTransform local = supCharacter_Node( character, skin->joints[i] )->rest;
		supQuat turn = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), angle );
		local.rotation = supMulQuat( local.rotation, turn );
		supPose_SetLocal( supActor_Pose( actor ), skin->joints[i], local );
	}
}

static inline supCollider* AddCollider( supScene* scene, const supColliderDef* def )
{
	supError error = { 0 };
	supCollider* collider = supScene_AddCollider( scene, def, &error );
	testRequire( collider != NULL, &error );
	return collider;
}

static inline supCollider* AddPlane( supScene* scene, float friction )
{
	supColliderDef def = supDefaultColliderDef();
	def.shape.kind = sup_shapePlane;
	def.friction = friction;
	return AddCollider( scene, &def );
}

// Moves a whole character.
static inline void PlaceRoot( supActor* actor, supVec3 translation )
{
	supPose* pose = supActor_Pose( actor );
	const supCharacter* character = supPose_Character( pose );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		if ( supCharacter_Node( character, i )->parent < 0 )
		{
			supTransform rest = supCharacter_Node( character, i )->rest;
			rest.translation = supAdd( rest.translation, translation );
			supPose_SetLocal( pose, i, rest );
		}
	}
}

static inline supBox SurfaceBox( const supActor* actor )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		for ( int32_t k = 0; k < actor->surfaces[i].vertexCount; ++k )
		{
			box = supBox_Include( box, actor->surfaces[i].positions[k] );
		}
	}
	return box;
}

static inline supVec3 MeanOf( const supActor* actor )
{
	supVec3 sum = supVec3_zero;
	int32_t count = 0;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		for ( int32_t k = 0; k < actor->surfaces[i].vertexCount; ++k, ++count )
		{
			sum = supAdd( sum, actor->surfaces[i].positions[k] );
		}
	}
	return supScale( 1.0f / (float)count, sum );
}

// Does flesh move this vertex?
static inline bool IsSoft( supActor* actor, int32_t instance, int32_t vertex )
{
	const supMethod* method = actor->flesh->method;
	int32_t particles[SUP_MAX_BOUND];
	float weights[SUP_MAX_BOUND];
	if ( method->bindVertex == NULL )
	{
		return false;
	}
	int32_t count = method->bindVertex( actor->flesh->own, instance, vertex, particles, weights );
	supParticles all = method->getParticles( actor->flesh->own, actor->state );
	float share = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		share += all.x[4 * particles[i] + 3] > 0.0f ? weights[i] : 0.0f;
	}
	return share >= SUP_CONTACT_LEAST_SHARE;
}

// How deep the deepest vertex that flesh moves is inside of a collider: by the shape's own distance, as drawn.
static inline float DepthIn( supActor* actor, const supCollider* collider )
{
	supPlacement placement = supCollider_Placement( collider );
	float deepest = -INFINITY;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		for ( int32_t k = 0; k < actor->surfaces[i].vertexCount; ++k )
		{
			supVec3 p = supPlacement_ToLocal( &placement, actor->surfaces[i].positions[k] );
			supShapeHit hit;
			if ( supShape_FindClosest( &collider->shape, p, 0.0f, &hit ) && -hit.distance > deepest &&
				 IsSoft( actor, i, k ) )
			{
				deepest = -hit.distance;
			}
		}
	}
	return deepest;
}

// Of the bytes of all positions, going on from `hash`.
static inline uint64_t HashSurface( const supActor* actor, uint64_t hash )
{
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		const uint8_t* bytes = (const uint8_t*)actor->surfaces[i].positions;
		for ( size_t k = 0; k < (size_t)actor->surfaces[i].vertexCount * sizeof( supVec3 ); ++k )
		{
			hash = ( hash ^ bytes[k] ) * 1099511628211u;
		}
	}
	return hash;
}
