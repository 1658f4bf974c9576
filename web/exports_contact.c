// SPDX-License-Identifier: MIT
// Colliders, contacts, and how a scene is doing.
#include "exports.h"

#include "supple/scene.h"

// To be filled in by JavaScript, in this order, and given to supWeb_AddCollider. All are numbers.
typedef struct ColliderInput
{
	// shape: sphere, plane, capsule, box; motion: still, kinematic, dynamic
	float shape, motion;
	float radius, halfHeight;
	supVec3 halfSize;
	supVec3 position;
	supQuat rotation;
	// 0: from the density
	float mass, density;
	supVec3 velocity, spin;
	float friction, restitution;
} ColliderInput;

static ColliderInput s_input;

SUP_WEB ColliderInput* supWeb_ColliderInput( void )
{
	return &s_input;
}

SUP_WEB supCollider* supWeb_AddCollider( supScene* scene )
{
	static const supShapeKind shapes[] = { sup_shapeSphere, sup_shapePlane, sup_shapeCapsule, sup_shapeBox };
	static const supColliderMotion motions[] = { sup_colliderStill, sup_colliderKinematic, sup_colliderDynamic };
	supClearError( &g_webError );
	const ColliderInput* in = &s_input;
	supColliderDef def = supDefaultColliderDef();
	def.shape = ( supShapeDef ){ .kind = shapes[(int32_t)in->shape],
								 .radius = in->radius,
								 .halfHeight = in->halfHeight,
								 .halfExtents = in->halfSize };
	def.motion = motions[(int32_t)in->motion];
	def.position = in->position;
	def.rotation = in->rotation;
	def.mass = in->mass;
	def.density = in->density;
	def.velocity = in->velocity;
	def.spin = in->spin;
	def.friction = in->friction;
	def.restitution = in->restitution;
	return supScene_AddCollider( scene, &def, &g_webError );
}

SUP_WEB void supWeb_RemoveCollider( supScene* scene, supCollider* collider )
{
	supScene_RemoveCollider( scene, collider );
}

SUP_WEB bool supWeb_SetTransform( supCollider* collider, float x, float y, float z, float qx, float qy, float qz,
								  float qw, bool atOnce )
{
	supVec3 position = supMakeVec3( x, y, z );
	supQuat rotation = { qx, qy, qz, qw };
	bool ok = atOnce ? supCollider_Place( collider, position, rotation )
					 : supCollider_SetTransform( collider, position, rotation );
	return ok || supWeb_Refuse( "this is no place and rotation" );
}

SUP_WEB bool supWeb_SetVelocity( supCollider* collider, float x, float y, float z, float sx, float sy, float sz )
{
	return supCollider_SetVelocity( collider, supMakeVec3( x, y, z ), supMakeVec3( sx, sy, sz ) ) ||
		   supWeb_Refuse( "only a dynamic collider has a velocity, of less than 1000 m/s" );
}

// position, rotation, velocity, spin
SUP_WEB const float* supWeb_Transform( const supCollider* collider )
{
	static struct
	{
		supVec3 position;
		supQuat rotation;
		supVec3 velocity, spin;
	} out;
	out.position = supCollider_Position( collider );
	out.rotation = supCollider_Rotation( collider );
	out.velocity = supCollider_Velocity( collider );
	out.spin = supCollider_Spin( collider );
	return &out.position.x;
}

// ---------------------------------------------------------------------------------------------------------------------
// Contacts

SUP_WEB int32_t supWeb_ContactCount( const supScene* scene )
{
	int32_t count;
	supScene_Contacts( scene, &count );
	return count;
}

// Eight numbers each: place, normal, depth, force. `out` has room for as many as there are.
SUP_WEB void supWeb_ReadContacts( const supScene* scene, float* out )
{
	int32_t count;
	const supContact* contacts = supScene_Contacts( scene, &count );
	for ( int32_t i = 0; i < count; ++i, out += 8 )
	{
		memcpy( out, &contacts[i].place, sizeof( supVec3 ) );
		memcpy( out + 3, &contacts[i].normal, sizeof( supVec3 ) );
		out[6] = contacts[i].depth;
		out[7] = contacts[i].force;
	}
}

SUP_WEB bool supWeb_SetContact( supActor* actor, bool colliders, bool actors, bool itself, float friction,
								float restitution, float thickness )
{
	supClearError( &g_webError );
	supContactSettings settings = { colliders, actors, itself, friction, restitution, thickness };
	if ( !( friction >= 0.0f && restitution >= 0.0f && thickness >= 0.0f ) )
	{
		return supWeb_Refuse( "friction, restitution and thickness are not negative" );
	}
	return supActor_SetContact( actor, &settings, &g_webError );
}

// colliders, actors, itself, friction, restitution, thickness
SUP_WEB const float* supWeb_GetContact( const supActor* actor )
{
	static float out[6];
	supContactSettings settings = supActor_GetContact( actor );
	out[0] = settings.withColliders ? 1.0f : 0.0f;
	out[1] = settings.withActors ? 1.0f : 0.0f;
	out[2] = settings.withItself ? 1.0f : 0.0f;
	out[3] = settings.friction;
	out[4] = settings.restitution;
	out[5] = settings.thickness;
	return out;
}

SUP_WEB const char* supWeb_Stats( const supScene* scene )
{
	supClearError( &g_webError );
	supSceneStats stats = supScene_GetStats( scene );
	const supPhaseTimes* times = &stats.milliseconds;
	json_t* root = json_object();
	json_t* milliseconds = json_object();
	json_t* contact = json_object();
	json_t* trouble = json_object();
	supWeb_SetNumber( milliseconds, "poses", (float)times->poses );
	supWeb_SetNumber( milliseconds, "predict", (float)times->predict );
	supWeb_SetNumber( milliseconds, "solve", (float)times->solve );
	supWeb_SetNumber( milliseconds, "attachments", (float)times->attachments );
	supWeb_SetNumber( milliseconds, "contacts", (float)times->contacts );
	supWeb_SetNumber( milliseconds, "finish", (float)times->finish );
	supWeb_SetNumber( milliseconds, "surface", (float)times->surface );
	supWeb_SetCount( contact, "contacts", stats.contact.contacts );
	supWeb_SetNumber( contact, "deepest", stats.contact.deepest );
	supWeb_SetCount( contact, "held", stats.contact.held );
	supWeb_SetCount( contact, "left", stats.contact.left );
	supWeb_SetCount( contact, "dropped", stats.contact.dropped );
	supWeb_SetCount( contact, "jumps", stats.contact.jumps );
	supWeb_SetCount( contact, "repaired", stats.contact.repaired );
	supWeb_SetCount( trouble, "notFinite", stats.trouble.notFinite );
	supWeb_SetCount( trouble, "inverted", stats.trouble.inverted );
	supWeb_SetCount( trouble, "notConverged", stats.trouble.notConverged );
	supWeb_SetCount( trouble, "unstable", stats.trouble.unstable );
	supWeb_SetCount( root, "steps", stats.steps );
	supWeb_SetCount( root, "actors", stats.actors );
	supWeb_SetCount( root, "sleepers", stats.sleepers );
	supWeb_Set( root, "milliseconds", milliseconds );
	supWeb_Set( root, "contact", contact );
	supWeb_Set( root, "trouble", trouble );
	return supWeb_Text( root );
}
