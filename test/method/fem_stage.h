// SPDX-License-Identifier: MIT
// A tube of two bones with finite elements, in a scene.
#pragma once

#include "support.h"

#include "method/fem/flesh.h"
#include "models/models.h"
#include "scene/actor.h"

#include <stdlib.h>

typedef struct Sample
{
	supScene* scene;
	supActor* actor;
} Sample;

// Built once.
static supCharacter* s_character;
static supFlesh* s_flesh;

static inline supFlesh* Build( const supSetting* settings, int32_t settingCount, const supSoftRegion* region )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodFem;
	def.settings = settings;
	def.settingCount = settingCount;
	def.softRegions = region;
	def.softRegionCount = region != NULL;
	supFlesh* flesh = supBuildFlesh( s_character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	return flesh;
}

static inline int BuildTube( void** state )
{
	(void)state;
	supError error = { 0 };
	const supSetting settings[1] = { { "vertices", 60.0f } };
	s_character = supFindModel( "tube" )->create( &error );
	testRequire( s_character != NULL, &error );
	s_flesh = Build( settings, 1, NULL );
	return 0;
}

static inline int FreeTube( void** state )
{
	(void)state;
	supDestroyFlesh( s_flesh );
	supDestroyCharacter( s_character );
	return 0;
}

static inline Sample Start( const supFlesh* flesh, const supTasks* tasks )
{
	Sample s;
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.tasks = tasks;
	def.sleeping = false;
	s.scene = supCreateScene( &def, &error );
	testRequire( s.scene != NULL, &error );
	s.actor = supScene_AddActor( s.scene, flesh, &error );
	testRequire( s.actor != NULL, &error );
	return s;
}

// Turns the upper bone to and fro.
static inline void Bend( const Sample* s, float radians )
{
	supPose* pose = supActor_Pose( s->actor );
	int32_t node = supCharacter_Skin( s_character, 0 )->joints[1];
	supTransform local = supPose_GetLocal( pose, node );
	local.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), radians );
	supPose_SetLocal( pose, node, local );
}
