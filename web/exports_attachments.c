// SPDX-License-Identifier: MIT
// Attachments: places are added one by one, then they are attached.
#include "exports.h"

#include "supple/scene.h"

static supAttachmentDef s_def;

// Forgets the places of the last one.
SUP_WEB void supWeb_BeginAttachment( void )
{
	s_def = supDefaultAttachmentDef();
}

static bool AddPlace( supPlace place )
{
	if ( s_def.placeCount == SUP_MAX_ATTACHED_PLACES )
	{
		return supWeb_Refuse( "an attachment has %d places at most", SUP_MAX_ATTACHED_PLACES );
	}
	s_def.places[s_def.placeCount++] = place;
	return true;
}

SUP_WEB bool supWeb_AddWorldPlace( float x, float y, float z )
{
	return AddPlace( ( supPlace ){ .kind = sup_placeWorld, .position = supMakeVec3( x, y, z ) } );
}

SUP_WEB bool supWeb_AddNodePlace( supActor* actor, int32_t node, float x, float y, float z )
{
	return AddPlace(
		( supPlace ){ .kind = sup_placeNode, .actor = actor, .node = node, .position = supMakeVec3( x, y, z ) } );
}

// point: see supWeb_DragPoint
SUP_WEB bool supWeb_AddSurfacePlace( supActor* actor, const supSurfacePoint* point, float radius )
{
	return AddPlace( ( supPlace ){ .kind = sup_placeSurface, .actor = actor, .point = *point, .radius = radius } );
}

SUP_WEB bool supWeb_AddNearPlace( supActor* actor, float x, float y, float z, float radius )
{
	supSurfacePoint point;
	return supActor_FindNearest( actor, supMakeVec3( x, y, z ), &point )
			   ? supWeb_AddSurfacePlace( actor, &point, radius )
			   : supWeb_Refuse( "the actor has no surface" );
}

SUP_WEB bool supWeb_AddInsidePlace( supActor* actor, float x, float y, float z )
{
	supPlace place;
	return supActor_FindInside( actor, supMakeVec3( x, y, z ), &place )
			   ? AddPlace( place )
			   : supWeb_Refuse( "[%g, %g, %g] is not inside the actor", (double)x, (double)y, (double)z );
}

// NULL with an error.
SUP_WEB supAttachment* supWeb_Attach( supScene* scene, const char* name, int32_t kind, float vx, float vy, float vz,
									  float slack, float assembly, float breakingForce, bool active )
{
	supClearError( &g_webError );
	s_def.name = name;
	s_def.kind = (supAttachmentKind)kind;
	s_def.velocity = supMakeVec3( vx, vy, vz );
	s_def.slack = slack;
	s_def.assembly = assembly;
	s_def.breakingForce = breakingForce;
	s_def.active = active;
	return supScene_Attach( scene, &s_def, &g_webError );
}

SUP_WEB void supWeb_Detach( supScene* scene, supAttachment* attachment )
{
	supScene_Detach( scene, attachment );
}

SUP_WEB void supWeb_SetAttachmentActive( supAttachment* attachment, bool active )
{
	supAttachment_SetActive( attachment, active );
}

SUP_WEB bool supWeb_MovePlace( supAttachment* attachment, int32_t place, float x, float y, float z )
{
	return supAttachment_SetPlace( attachment, place, supMakeVec3( x, y, z ), &g_webError );
}

// active, broken, gap, force
SUP_WEB const float* supWeb_AttachmentState( const supAttachment* attachment )
{
	static float out[6];
	supVec3 force = supAttachment_Force( attachment );
	out[0] = supAttachment_IsActive( attachment ) ? 1.0f : 0.0f;
	out[1] = supAttachment_IsBroken( attachment ) ? 1.0f : 0.0f;
	out[2] = supAttachment_Gap( attachment );
	memcpy( out + 3, &force, sizeof( force ) );
	return out;
}
