// SPDX-License-Identifier: MIT
// The bunny as a lattice in a scene of its own, for the tests of the method. Setup and Teardown make and destroy it.
#pragma once

#include "support.h"

#include "method/lattice/lattice.h"
#include "models/models.h"
#include "scene/actor.h"

static supCharacter* s_bunny;

static inline int Setup( void** state )
{
	(void)state;
	// thin limbs at these resolutions are reported, and meant
	supSetLog( NULL, NULL );
	s_bunny = supFindModel( "bunny" )->create( NULL );
	return s_bunny != NULL ? 0 : -1;
}

static inline int Teardown( void** state )
{
	(void)state;
	supDestroyCharacter( s_bunny );
	return 0;
}

typedef struct Stage
{
	supFlesh* flesh;
	const supLatticeFlesh* own;
	supScene* scene;
	supActor* actor;
} Stage;

static inline supSceneDef AwakeSceneDef( const supTasks* tasks )
{
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.tasks = tasks;
	sceneDef.sleeping = false;
	return sceneDef;
}

static inline Stage MakeStageIn( const supSceneDef* sceneDef, const supCharacter* character, const supFleshDef* def )
{
	supError error = { 0 };
	Stage stage = { .flesh = supBuildFlesh( character, def, NULL, &error ) };
	testRequire( stage.flesh != NULL, &error );
	stage.own = stage.flesh->own;
	stage.scene = supCreateScene( sceneDef, &error );
	testRequire( stage.scene != NULL, &error );
	stage.actor = supScene_AddActor( stage.scene, stage.flesh, &error );
	testRequire( stage.actor != NULL, &error );
	return stage;
}

static inline Stage MakeStageOf( const supCharacter* character, const supFleshDef* def, const supTasks* tasks )
{
	supSceneDef sceneDef = AwakeSceneDef( tasks );
	return MakeStageIn( &sceneDef, character, def );
}

static inline supFleshDef LatticeDef( const supSetting* settings, int32_t count )
{
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodLattice;
	def.settings = settings;
	def.settingCount = count;
	return def;
}

static inline Stage MakeStage( const supSetting* settings, int32_t count, const supTasks* tasks )
{
	supFleshDef def = LatticeDef( settings, count );
	return MakeStageOf( s_bunny, &def, tasks );
}

static inline void DestroyStage( Stage* stage )
{
	supDestroyScene( stage->scene );
	supDestroyFlesh( stage->flesh );
}

// Moves the whole character.
static inline void PlaceRoot( supPose* pose, supQuat rotation, supVec3 translation )
{
	const supCharacter* character = supPose_Character( pose );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		if ( supCharacter_Node( character, i )->parent < 0 )
		{
			supTransform rest = supCharacter_Node( character, i )->rest;
			rest.translation = supAdd( supRotate( rotation, rest.translation ), translation );
			rest.rotation = supMulQuat( rotation, rest.rotation );
			supPose_SetLocal( pose, i, rest );
		}
	}
}
