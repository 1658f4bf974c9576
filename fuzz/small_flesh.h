// SPDX-License-Identifier: MIT
// Small flesh of every method, and a step of it that must not leave the numbers.
#pragma once

#include "input.h"
#include "models/models.h"
#include "supple/supple.h"

#include <stdlib.h>

#define FLESH_METHODS 6

static const supMethodId s_methods[FLESH_METHODS] = { sup_methodPosition, sup_methodLattice, sup_methodPoints,
													  sup_methodFem,      sup_methodLayered, sup_methodModes };

static inline supCharacter* CreateTube( void )
{
	supCharacter* character = supFindModel( "tube" )->create( NULL );
	if ( character == NULL )
	{
		abort();
	}
	return character;
}

// As few elements as the method makes do with. NULL where the character cannot be built of.
static inline supFlesh* BuildSmall( const supCharacter* character, supMethodId method, const supControlLattice* lattice,
									supError* error )
{
	supFleshDef def = supDefaultFleshDef();
	supSetting setting = { "tets", 150.0f };
	setting.parameter = method == sup_methodLattice ? "resolution" : method == sup_methodFem ? "vertices" : "tets";
	setting.value = method == sup_methodLattice ? 8.0f : method == sup_methodFem ? 60.0f : 150.0f;
	def.method = method;
	def.settings = &setting;
	def.settingCount = method != sup_methodLayered && lattice == NULL;
	def.lattice = lattice;
	return supBuildFlesh( character, &def, NULL, error );
}

static inline void RequireFinite( const supActor* actor, const supCharacter* character )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		for ( int32_t k = 0; k < mesh->vertexCount; ++k )
		{
			if ( supIsFiniteVec3( supActor_Positions( actor, i )[k] ) == false ||
				 supIsFiniteVec3( supActor_Normals( actor, i )[k] ) == false )
			{
				abort();
			}
		}
	}
}

// Turns joints as the input says.
static inline void TurnJoints( supPose* pose, const supCharacter* character, Input* input )
{
	int32_t count = supCharacter_NodeCount( character );
	for ( int32_t i = 0; i < 3 && count > 0 && input->size > 0; ++i )
	{
		int32_t node = (int32_t)TakeIndex( input, (uint32_t)count );
		supTransform local = supPose_GetLocal( pose, node );
		local.rotation =
			supNormalizeQuat( ( supQuat ){ TakeBetween( input, -1.0f, 1.0f ), TakeBetween( input, -1.0f, 1.0f ),
										   TakeBetween( input, -1.0f, 1.0f ), TakeBetween( input, 0.5f, 1.0f ) } );
		supPose_SetLocal( pose, node, local );
	}
}

// A few steps, joints turned before each. Without contact where the scene has no collider.
static inline void StepActor( supScene* scene, supActor* actor, const supCharacter* character, Input* input )
{
	for ( int32_t i = 0; i < 3; ++i )
	{
		TurnJoints( supActor_Pose( actor ), character, input );
		supScene_Step( scene, 1.0f / 60.0f );
		RequireFinite( actor, character );
	}
}
