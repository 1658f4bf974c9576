// SPDX-License-Identifier: MIT
// Rigid things in a scene.
#include "scene/collider.h"

#include "core/core.h"

#define COLLIDER_COOKIE 0x436F6C6C

// Seconds at rest before it falls asleep, and what counts as rest: m/s of any of its points.
#define TIME_TO_SLEEP 0.5f
#define REST_SPEED 0.02f

// Points of a mesh that stand for it against other colliders.
#define MOST_POINTS 512

supColliderDef supDefaultColliderDef( void )
{
	return ( supColliderDef ){ .shape = { .kind = sup_shapeSphere, .radius = 1.0f },
							   .rotation = supQuat_identity,
							   .density = 1000.0f,
							   .friction = 0.5f,
							   .cookie = COLLIDER_COOKIE };
}

// ---------------------------------------------------------------------------------------------------------------------
// Making one

static bool IsTransform( supVec3 position, supQuat rotation )
{
	float square = supDotQuat( rotation, rotation );
	return supIsFiniteVec3( position ) && supIsFinite( square ) && square > 0.0f;
}

static bool IsSlow( supVec3 velocity )
{
	return supIsFiniteVec3( velocity ) && supLength( velocity ) <= SUP_COLLIDER_FASTEST;
}

static bool CheckDef( const supColliderDef* def, const char* name, supError* error )
{
	if ( IsTransform( def->position, def->rotation ) == false )
	{
		return supSetError( error, sup_errorArgument, name, "its position or rotation is not finite" );
	}
	if ( IsSlow( def->velocity ) == false || IsSlow( def->spin ) == false )
	{
		return supSetError( error, sup_errorArgument, name, "its velocity or spin is not finite or above %g",
							(double)SUP_COLLIDER_FASTEST );
	}
	if ( !( def->friction >= 0.0f && supIsFinite( def->friction ) ) ||
		 !( def->restitution >= 0.0f && def->restitution <= 1.0f ) )
	{
		return supSetError( error, sup_errorArgument, name, "friction must be 0 or more and restitution 0 to 1" );
	}
	if ( !( def->mass >= 0.0f && supIsFinite( def->mass ) ) || !( def->density > 0.0f && supIsFinite( def->density ) ) )
	{
		return supSetError( error, sup_errorArgument, name, "mass must be 0 or more and density above 0" );
	}
	return true;
}

// What of the shape is held against others: middles of spheres and caps with their radius, corners of the rest.
static bool FindPoints( supCollider* collider, const supShapeDef* def )
{
	const supShape* shape = &collider->shape;
	supVec3 e = shape->halfExtents;
	int32_t count = shape->kind == sup_shapeSphere    ? 1
					: shape->kind == sup_shapeCapsule ? 3
					: shape->kind == sup_shapeBox     ? 8
					: shape->kind == sup_shapeHull    ? shape->hull.vertexCount
					: shape->kind == sup_shapeMesh    ? def->vertexCount
													  : 0;
	int32_t every = count > MOST_POINTS ? ( count + MOST_POINTS - 1 ) / MOST_POINTS : 1;
	collider->points = supAllocArray( (size_t)count, sizeof( supVec3 ) );
	if ( collider->points == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; i += every )
	{
		supVec3 p = supVec3_zero;
		switch ( shape->kind )
		{
			case sup_shapeCapsule:
				p.y = shape->halfHeight * (float)( i - 1 );
				break;
			case sup_shapeBox:
				p = supMakeVec3( ( i & 1 ) != 0 ? e.x : -e.x, ( i & 2 ) != 0 ? e.y : -e.y,
								 ( i & 4 ) != 0 ? e.z : -e.z );
				break;
			case sup_shapeHull:
				p = shape->hull.vertices[i];
				break;
			case sup_shapeMesh:
				p = def->vertices[i];
				break;
			default:
				break;
		}
		collider->points[collider->pointCount++] = p;
	}
	bool isRound = shape->kind == sup_shapeSphere || shape->kind == sup_shapeCapsule;
	collider->pointRadius = isRound ? shape->radius : 0.0f;
	return true;
}

static bool FindMass( supCollider* collider, const supColliderDef* def, supError* error )
{
	if ( def->motion != sup_colliderDynamic )
	{
		return true;
	}
	const supShape* shape = &collider->shape;
	if ( !( shape->volume > 0.0f ) )
	{
		return supSetError(
			error, sup_errorArgument, collider->name,
			"planes and open meshes have no mass; make the collider still or kinematic, or close the mesh" );
	}
	collider->mass = def->mass > 0.0f ? def->mass : def->density * shape->volume;
	supMat3 inverse;
	if ( supInvertMat3( shape->inertia, &inverse ) == false )
	{
		return supSetError( error, sup_errorArgument, collider->name, "the shape is too thin to have inertia" );
	}
	return true;
}

supCollider* supCreateCollider( supScene* scene, const supColliderDef* def, supError* error )
{
	SUP_ASSERT( def->cookie == COLLIDER_COOKIE );
	supClearError( error );
	const char* name = def->name != NULL ? def->name : "collider";
	if ( CheckDef( def, name, error ) == false )
	{
		return NULL;
	}
	supCollider* collider = supAllocZeroed( sizeof( supCollider ) );
	if ( collider == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	collider->scene = scene;
	size_t length = strlen( name ) < sizeof( collider->name ) ? strlen( name ) : sizeof( collider->name ) - 1;
	memcpy( collider->name, name, length );
	collider->motion = def->motion;
	collider->friction = def->friction;
	collider->restitution = def->restitution;
	supQuat rotation = supNormalizeQuat( def->rotation );
	collider->state = ( supColliderState ){
		.position = def->position, .rotation = rotation, .targetPosition = def->position, .targetRotation = rotation
	};
	if ( def->motion == sup_colliderDynamic )
	{
		collider->state.velocity = def->velocity;
		collider->state.spin = def->spin;
	}
	bool ok = supShape_Init( &collider->shape, &def->shape, error ) && FindMass( collider, def, error );
	if ( ok && FindPoints( collider, &def->shape ) == false )
	{
		ok = supSetMemoryError( error );
	}
	if ( ok == false )
	{
		supDestroyCollider( collider );
		return NULL;
	}
	if ( collider->shape.wasTurned )
	{
		supLog( sup_logWarning, "%s: the mesh is inside out and was flipped", collider->name );
	}
	return collider;
}

void supDestroyCollider( supCollider* collider )
{
	if ( collider != NULL )
	{
		supShape_Destroy( &collider->shape );
		supFree( collider->points );
		supFree( collider );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Asking and telling

const char* supCollider_Name( const supCollider* collider )
{
	return collider->name;
}

supVec3 supCollider_Position( const supCollider* collider )
{
	return collider->state.position;
}

supQuat supCollider_Rotation( const supCollider* collider )
{
	return collider->state.rotation;
}

supVec3 supCollider_Velocity( const supCollider* collider )
{
	return collider->state.velocity;
}

supVec3 supCollider_Spin( const supCollider* collider )
{
	return collider->state.spin;
}

float supCollider_Mass( const supCollider* collider )
{
	return collider->mass;
}

bool supCollider_SetTransform( supCollider* collider, supVec3 position, supQuat rotation )
{
	if ( collider->motion != sup_colliderKinematic )
	{
		return supCollider_Place( collider, position, rotation );
	}
	if ( IsTransform( position, rotation ) == false )
	{
		return false;
	}
	collider->state.targetPosition = position;
	collider->state.targetRotation = supNormalizeQuat( rotation );
	return true;
}

bool supCollider_Place( supCollider* collider, supVec3 position, supQuat rotation )
{
	if ( IsTransform( position, rotation ) == false )
	{
		return false;
	}
	collider->state.position = collider->state.targetPosition = position;
	collider->state.rotation = collider->state.targetRotation = supNormalizeQuat( rotation );
	collider->wasPlaced = true;
	supCollider_WakeUp( collider );
	return true;
}

bool supCollider_SetVelocity( supCollider* collider, supVec3 velocity, supVec3 spin )
{
	if ( collider->motion != sup_colliderDynamic || IsSlow( velocity ) == false || IsSlow( spin ) == false )
	{
		return false;
	}
	collider->state.velocity = velocity;
	collider->state.spin = spin;
	supCollider_WakeUp( collider );
	return true;
}

supColliderState supCollider_GetState( const supCollider* collider )
{
	return collider->state;
}

void supCollider_SetState( supCollider* collider, const supColliderState* state )
{
	SUP_ASSERT( IsTransform( state->position, state->rotation ) );
	SUP_ASSERT( IsTransform( state->targetPosition, state->targetRotation ) );
	SUP_ASSERT( IsSlow( state->velocity ) && IsSlow( state->spin ) );
	collider->state = *state;
	collider->wasPlaced = true;
}

bool supCollider_IsAsleep( const supCollider* collider )
{
	return collider->state.stillTime >= TIME_TO_SLEEP;
}

void supCollider_WakeUp( supCollider* collider )
{
	collider->state.stillTime = 0.0f;
}

// ---------------------------------------------------------------------------------------------------------------------
// A step

void supCollider_Begin( supCollider* collider, supContactStats* stats )
{
	supColliderState* state = &collider->state;
	if ( collider->motion == sup_colliderKinematic &&
		 supDistance( state->position, state->targetPosition ) > SUP_COLLIDER_JUMP )
	{
		state->position = state->targetPosition;
		state->rotation = state->targetRotation;
		stats->jumps += 1;
	}
	collider->before = supCollider_Placement( collider );
	bool told = memcmp( &state->position, &state->targetPosition, sizeof( supVec3 ) ) != 0 ||
				memcmp( &state->rotation, &state->targetRotation, sizeof( supQuat ) ) != 0;
	bool falls = collider->motion == sup_colliderDynamic && state->stillTime == 0.0f;
	collider->moves = collider->wasPlaced || falls || ( collider->motion == sup_colliderKinematic && told );
	collider->wasPlaced = false;
}

supBox supCollider_SweptBox( const supCollider* collider, float dt )
{
	supPlacement placement = supCollider_Placement( collider );
	supBox box = supShape_WorldBox( &collider->shape, &placement );
	if ( collider->motion == sup_colliderKinematic )
	{
		supPlacement target = { collider->state.targetPosition, collider->state.targetRotation };
		box = supJoinBoxes( box, supShape_WorldBox( &collider->shape, &target ) );
	}
	else if ( collider->motion == sup_colliderDynamic )
	{
		supVec3 way = supScale( dt, collider->state.velocity );
		box = supJoinBoxes( box, ( supBox ){ supAdd( box.lower, way ), supAdd( box.upper, way ) } );
	}
	return box;
}

static void SetInertia( const supCollider* collider, supRigid* rigid )
{
	const supShape* shape = &collider->shape;
	float density = collider->mass / shape->volume;
	rigid->inverseMass = 1.0f / collider->mass;
	rigid->inertia = ( supMat3 ){ supScale( density, shape->inertia.cx ), supScale( density, shape->inertia.cy ),
								  supScale( density, shape->inertia.cz ) };
	// of the shape at density 1, so that a very light body has an inverse too
	supMat3 inverse = supMat3_identity;
	supInvertMat3( shape->inertia, &inverse );
	rigid->inverseInertia = ( supMat3 ){ supScale( 1.0f / density, inverse.cx ), supScale( 1.0f / density, inverse.cy ),
										 supScale( 1.0f / density, inverse.cz ) };
}

static supPlacement Between( const supCollider* collider, float weight )
{
	const supColliderState* state = &collider->state;
	if ( weight >= 1.0f )
	{
		return ( supPlacement ){ state->targetPosition, state->targetRotation };
	}
	return ( supPlacement ){ supLerp( collider->before.position, state->targetPosition, weight ),
							 supSlerp( collider->before.rotation, state->targetRotation, weight ) };
}

void supCollider_Predict( const supCollider* collider, supRigid* rigid, float weightBefore, float weight,
						  supVec3 gravity, float dt )
{
	*rigid = ( supRigid ){ .center = collider->shape.center };
	if ( collider->motion == sup_colliderKinematic )
	{
		rigid->start = Between( collider, weightBefore );
		rigid->end = Between( collider, weight );
		if ( collider->moves )
		{
			supRigid_Follow( rigid, dt );
		}
		return;
	}
	rigid->start = rigid->end = supCollider_Placement( collider );
	if ( collider->motion == sup_colliderDynamic && supCollider_IsAsleep( collider ) == false )
	{
		SetInertia( collider, rigid );
		rigid->velocity = collider->state.velocity;
		rigid->spin = collider->state.spin;
		supRigid_Predict( rigid, supScale( dt, gravity ), dt );
	}
}

void supCollider_Take( supCollider* collider, const supRigid* rigid, supContactStats* stats )
{
	supColliderState* state = &collider->state;
	bool sound = IsTransform( rigid->end.position, rigid->end.rotation ) && supIsFiniteVec3( rigid->velocity ) &&
				 supIsFiniteVec3( rigid->spin );
	if ( sound == false )
	{
		// where it was, and at rest
		state->velocity = state->spin = supVec3_zero;
		stats->repaired += 1;
		return;
	}
	float speed = supLength( rigid->velocity ), turning = supLength( rigid->spin );
	bool isFast = speed > SUP_COLLIDER_FASTEST || turning > SUP_COLLIDER_FASTEST;
	stats->repaired += isFast;
	state->velocity =
		speed > SUP_COLLIDER_FASTEST ? supScale( SUP_COLLIDER_FASTEST / speed, rigid->velocity ) : rigid->velocity;
	state->spin =
		turning > SUP_COLLIDER_FASTEST ? supScale( SUP_COLLIDER_FASTEST / turning, rigid->spin ) : rigid->spin;
	state->position = rigid->end.position;
	state->rotation = rigid->end.rotation;
	if ( collider->motion != sup_colliderKinematic )
	{
		state->targetPosition = state->position;
		state->targetRotation = state->rotation;
	}
}

void supCollider_End( supCollider* collider, float dt, bool maySleep )
{
	supColliderState* state = &collider->state;
	if ( collider->motion != sup_colliderDynamic )
	{
		return;
	}
	float reach = 0.5f * supLength( supBox_Size( collider->shape.bounds ) );
	bool rests = supLength( state->velocity ) + reach * supLength( state->spin ) < REST_SPEED;
	state->stillTime = rests && maySleep ? supMinFloat( state->stillTime + dt, TIME_TO_SLEEP ) : 0.0f;
	if ( supCollider_IsAsleep( collider ) )
	{
		state->velocity = state->spin = supVec3_zero;
	}
}
