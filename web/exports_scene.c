// SPDX-License-Identifier: MIT
// Scenes, and actors in them.
#include "exports.h"

#include "supple/scene.h"

SUP_WEB supScene* supWeb_CreateScene( int32_t substeps, float x, float y, float z, bool sleeping )
{
	supClearError( &g_webError );
	supSceneDef def = supDefaultSceneDef();
	def.substeps = substeps;
	def.gravity = supMakeVec3( x, y, z );
	def.sleeping = sleeping;
	def.tasks = supWeb_Tasks();
	return supCreateScene( &def, &g_webError );
}

SUP_WEB void supWeb_DestroyScene( supScene* scene )
{
	supDestroyScene( scene );
}

SUP_WEB void supWeb_Step( supScene* scene, float dt )
{
	supScene_Step( scene, dt );
}

SUP_WEB void supWeb_SetGravity( supScene* scene, float x, float y, float z )
{
	supScene_SetGravity( scene, supMakeVec3( x, y, z ) );
}

SUP_WEB void supWeb_SetWind( supScene* scene, float x, float y, float z )
{
	supScene_SetWind( scene, supMakeVec3( x, y, z ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Actors

SUP_WEB supActor* supWeb_AddActor( supScene* scene, const supFlesh* flesh )
{
	supClearError( &g_webError );
	return supScene_AddActor( scene, flesh, &g_webError );
}

SUP_WEB void supWeb_RemoveActor( supScene* scene, supActor* actor )
{
	supScene_RemoveActor( scene, actor );
}

SUP_WEB bool supWeb_Play( supActor* actor, const supWebCharacter* own, int32_t index, float time, float speed,
						  bool loop, float fade )
{
	const supClip* clip = supWeb_Clip( own, index );
	if ( clip == NULL )
	{
		return supWeb_Refuse( "no clip %d", index );
	}
	supPlayDef def = supDefaultPlayDef( clip );
	def.time = supIsFinite( time ) ? time : def.time;
	def.speed = speed;
	def.loop = loop;
	def.fade = fade;
	supActor_Play( actor, &def );
	return true;
}

// At rest in the pose of a moment. Without a clip (-1) in the rest pose.
SUP_WEB bool supWeb_Settle( supActor* actor, const supWebCharacter* own, int32_t index, float time )
{
	const supClip* clip = supWeb_Clip( own, index );
	if ( index >= 0 && clip == NULL )
	{
		return supWeb_Refuse( "no clip %d", index );
	}
	supPose_SetRest( supActor_Pose( actor ) );
	if ( clip != NULL )
	{
		supPose_ApplyClip( supActor_Pose( actor ), clip, time );
	}
	supActor_Reset( actor );
	return true;
}

SUP_WEB void supWeb_StopPlaying( supActor* actor )
{
	supActor_Stop( actor );
}

SUP_WEB float supWeb_PlayTime( const supActor* actor )
{
	return supActor_PlayTime( actor );
}

SUP_WEB void supWeb_Reset( supActor* actor )
{
	supActor_Reset( actor );
}

SUP_WEB bool supWeb_SetParameter( supActor* actor, const char* name, float value )
{
	supMethodId method = sup_methodLbs;
	supFindMethod( supFlesh_MethodName( supActor_Flesh( actor ) ), &method );
	int32_t index = supMethod_FindParameter( method, name );
	if ( index < 0 )
	{
		return supWeb_Refuse( "the method \"%s\" has no parameter \"%.60s\"", supMethodName( method ), name );
	}
	const supParameter* parameter = supMethod_Parameter( method, index );
	if ( parameter->live == false )
	{
		return supWeb_Refuse( "%s is fixed when flesh is built; rebuild the flesh", name );
	}
	if ( !( value >= parameter->minimum && value <= parameter->maximum ) )
	{
		return supWeb_Refuse( "%s must be %g to %g (got %.9g)", name, (double)parameter->minimum,
							  (double)parameter->maximum, (double)value );
	}
	supActor_SetParameter( actor, index, value );
	return true;
}

// Not a number where there is none of this name.
SUP_WEB float supWeb_GetParameter( const supActor* actor, const char* name )
{
	supMethodId method = sup_methodLbs;
	supFindMethod( supFlesh_MethodName( supActor_Flesh( actor ) ), &method );
	int32_t index = supMethod_FindParameter( method, name );
	return index >= 0 ? supActor_GetParameter( actor, index ) : __builtin_nanf( "" );
}

SUP_WEB bool supWeb_SetRegion( supActor* actor, int32_t region, float frequency, float damping )
{
	if ( region < 0 || region >= supFlesh_RegionCount( supActor_Flesh( actor ) ) )
	{
		return supWeb_Refuse( "no region %d", region );
	}
	if ( !( frequency >= 0.0f && damping >= 0.0f ) )
	{
		return supWeb_Refuse( "frequency and damping of a region are not negative" );
	}
	supActor_SetRegion( actor, region, frequency, damping );
	return true;
}

SUP_WEB const supVec3* supWeb_Positions( const supActor* actor, int32_t instance )
{
	return supActor_Positions( actor, instance );
}

SUP_WEB const supVec3* supWeb_Normals( const supActor* actor, int32_t instance )
{
	return supActor_Normals( actor, instance );
}

SUP_WEB const supMat34* supWeb_NodeMatrices( supActor* actor )
{
	return supPose_Worlds( supActor_Pose( actor ) );
}

SUP_WEB bool supWeb_IsAsleep( const supActor* actor )
{
	return supActor_IsAsleep( actor );
}

// volumeError, stretch, energy, penetration
SUP_WEB const float* supWeb_Measure( supActor* actor )
{
	static supSurfaceMeasure measure;
	measure = supActor_Measure( actor );
	return &measure.volumeError;
}

// ---------------------------------------------------------------------------------------------------------------------
// Dragging

typedef struct Hit
{
	supSurfacePoint point;
	supVec3 position;
	float distance;
} Hit;

// NULL where the ray meets nothing: instance, three vertices, three weights, position, distance.
SUP_WEB const Hit* supWeb_CastRay( const supActor* actor, float x, float y, float z, float dx, float dy, float dz )
{
	static Hit hit;
	if ( supActor_CastRay( actor, supMakeVec3( x, y, z ), supMakeVec3( dx, dy, dz ), &hit.point, &hit.distance ) ==
		 false )
	{
		return NULL;
	}
	hit.position = supActor_PointPosition( actor, &hit.point );
	return &hit;
}

// A point, to be filled in by the caller and given to supWeb_StartDrag.
SUP_WEB supSurfacePoint* supWeb_DragPoint( void )
{
	static supSurfacePoint point;
	return &point;
}

static bool IsPoint( const supActor* actor, const supSurfacePoint* point )
{
	const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
	if ( point->instance < 0 || point->instance >= supCharacter_InstanceCount( character ) )
	{
		return false;
	}
	int32_t mesh = supCharacter_Instance( character, point->instance )->mesh;
	bool ok = true;
	for ( int32_t i = 0; i < 3; ++i )
	{
		ok = ok && point->vertices[i] >= 0 && point->vertices[i] < supCharacter_Mesh( character, mesh )->vertexCount &&
			 point->weights[i] >= 0.0f && point->weights[i] <= 1.0f;
	}
	return ok;
}

// -1 with an error. Radius and frequency 0: standard.
SUP_WEB int32_t supWeb_StartDrag( supActor* actor, const supSurfacePoint* point, float radius, float frequency )
{
	supClearError( &g_webError );
	if ( IsPoint( actor, point ) == false )
	{
		supWeb_Refuse( "this is no place on the surface" );
		return -1;
	}
	supDragDef def = supDefaultDragDef( actor, point );
	def.radius = radius > 0.0f ? radius : def.radius;
	def.frequency = frequency > 0.0f ? frequency : def.frequency;
	supDragId drag = supActor_StartDrag( actor, &def );
	if ( drag < 0 )
	{
		supWeb_Refuse( "this cannot be dragged: the method has no flesh, or it is held at 16 places already" );
	}
	return drag;
}

SUP_WEB void supWeb_MoveDrag( supActor* actor, int32_t drag, float x, float y, float z )
{
	supActor_MoveDrag( actor, drag, supMakeVec3( x, y, z ) );
}

SUP_WEB void supWeb_EndDrag( supActor* actor, int32_t drag )
{
	supActor_EndDrag( actor, drag );
}
