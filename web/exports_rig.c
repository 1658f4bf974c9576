// SPDX-License-Identifier: MIT
// A skeleton by pointing at a mesh, and weights for it.
#include "exports.h"

#include "supple/rig.h"
#include "volume/binding/bind.h"

SUP_WEB supRig* supWeb_CreateRig( const supWebCharacter* own )
{
	supClearError( &g_webError );
	return supCreateRig( own->character, supWeb_Tasks(), &g_webError );
}

SUP_WEB void supWeb_DestroyRig( supRig* rig )
{
	supDestroyRig( rig );
}

// -1 with an error
SUP_WEB int32_t supWeb_AddJoint( supRig* rig, const char* name, float x, float y, float z, float dx, float dy,
								 float dz )
{
	supClearError( &g_webError );
	return supRig_AddJoint( rig, name, supMakeVec3( x, y, z ), supMakeVec3( dx, dy, dz ), &g_webError );
}

SUP_WEB int32_t supWeb_AddJointAt( supRig* rig, const char* name, float x, float y, float z )
{
	supClearError( &g_webError );
	return supRig_AddJointAt( rig, name, supMakeVec3( x, y, z ), &g_webError );
}

SUP_WEB bool supWeb_AddBone( supRig* rig, int32_t a, int32_t b )
{
	supClearError( &g_webError );
	return supRig_AddBone( rig, a, b, &g_webError );
}

SUP_WEB bool supWeb_SetRoot( supRig* rig, int32_t joint )
{
	supClearError( &g_webError );
	return supRig_SetRoot( rig, joint, &g_webError );
}

SUP_WEB const char* supWeb_Joints( const supRig* rig )
{
	supClearError( &g_webError );
	json_t* joints = json_array();
	for ( int32_t i = 0; i < supRig_JointCount( rig ); ++i )
	{
		supVec3 place = supRig_JointPlace( rig, i );
		json_t* joint = json_object();
		supWeb_SetText( joint, "name", supRig_JointName( rig, i ) );
		supWeb_SetNumbers( joint, "position", &place.x, 3 );
		supWeb_Append( joints, joint );
	}
	return supWeb_Text( joints );
}

// The mesh with the skeleton and weights. 0 resolution and influences: standard.
SUP_WEB supWebCharacter* supWeb_Bind( const supWebCharacter* own, const supRig* rig, bool heuristic, int32_t resolution,
									  int32_t influences )
{
	supClearError( &g_webError );
	supBindDef def = supDefaultBindDef();
	def.weights = heuristic ? sup_bindHeuristic : sup_bindGeodesic;
	def.resolution = resolution > 0 ? resolution : def.resolution;
	def.influences = influences > 0 ? influences : def.influences;
	def.tasks = supWeb_Tasks();
	supCharacter* skeleton = supRig_CreateSkeleton( rig, &g_webError );
	supCharacter* bound = skeleton != NULL ? supBindCharacter( own->character, skeleton, &def, &g_webError ) : NULL;
	supDestroyCharacter( skeleton );
	return supWeb_WrapCharacter( bound, NULL );
}
