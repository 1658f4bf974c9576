// SPDX-License-Identifier: MIT
#include "io/settings/rig_file.h"

#include "io/common/file.h"
#include "io/settings/settings.h"

#define MAX_BYTES ( 16u << 20 )

// What the rig says about a joint or bone, told with its place in the file.
static bool PassOn( const supJsonPlace* place, const supError* own )
{
	if ( own->code == sup_errorMemory )
	{
		return supSetMemoryError( place->error );
	}
	return supJsonPlace_Refuse( place, "%.60s%s%.400s", own->where, own->where[0] != 0 ? ": " : "", own->message );
}

static bool HasKey( const supJsonPlace* object, const char* key )
{
	return json_object_get( object->value, key ) != NULL;
}

static bool ReadPair( const supJsonPlace* object, const char* key, double pair[2] )
{
	supJsonPlace place = supJsonPlace_Get( object, key );
	bool ok = json_is_array( place.value ) && json_array_size( place.value ) == 2;
	for ( size_t i = 0; i < 2 && ok; ++i )
	{
		const json_t* item = json_array_get( place.value, i );
		pair[i] = json_number_value( item );
		ok = json_is_number( item ) && pair[i] >= -1e6 && pair[i] <= 1e6;
	}
	return ok ? true : supJsonPlace_Refuse( &place, "must be a pair of pixel coordinates [ x, y ]" );
}

static bool ReadCamera( const supJsonPlace* object, supRigCamera* camera )
{
	static const char* const keys[] = { "eye", "target", "up", "fov", "size", NULL };
	supJsonPlace place = supJsonPlace_Get( object, "camera" );
	if ( place.value == NULL )
	{
		return true;
	}
	*camera = ( supRigCamera ){ .up = { 0.0f, 1.0f, 0.0f }, .fieldOfView = 45.0f };
	if ( supJsonPlace_CheckKeys( &place, keys ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < 5; ++i )
	{
		bool isOptional = i == 2 || i == 3;
		if ( isOptional == false && HasKey( &place, keys[i] ) == false )
		{
			return supJsonPlace_Refuse( &place, "has no \"%s\"; a camera needs eye, target and size", keys[i] );
		}
	}
	double size[2];
	if ( supJsonPlace_ReadVec3( &place, "eye", &camera->eye ) == false ||
		 supJsonPlace_ReadVec3( &place, "target", &camera->target ) == false ||
		 supJsonPlace_ReadVec3( &place, "up", &camera->up ) == false ||
		 supJsonPlace_ReadNumber( &place, "fov", 0.1f, 179.0f, &camera->fieldOfView ) == false ||
		 ReadPair( &place, "size", size ) == false )
	{
		return false;
	}
	camera->width = (float)size[0];
	camera->height = (float)size[1];
	supVec3 origin, direction;
	supError own = { 0 };
	return supRigCamera_GetRay( camera, 0.0f, 0.0f, &origin, &direction, &own ) || PassOn( &place, &own );
}

// ---------------------------------------------------------------------------------------------------------------------
// Joints

static bool AddRay( supRig* rig, const supJsonPlace* place, const char* name )
{
	static const char* const keys[] = { "origin", "direction", NULL };
	supJsonPlace ray = supJsonPlace_Get( place, "ray" );
	supVec3 origin = supVec3_zero, direction = supVec3_zero;
	supError own = { 0 };
	return supJsonPlace_CheckKeys( &ray, keys ) && supJsonPlace_ReadVec3( &ray, "origin", &origin ) &&
		   supJsonPlace_ReadVec3( &ray, "direction", &direction ) &&
		   ( supRig_AddJoint( rig, name, origin, direction, &own ) >= 0 || PassOn( place, &own ) );
}

static bool AddClick( supRig* rig, const supJsonPlace* place, const char* name, const supRigCamera* common )
{
	supRigCamera camera = *common;
	double pixels[2];
	if ( ReadCamera( place, &camera ) == false || ReadPair( place, "click", pixels ) == false )
	{
		return false;
	}
	if ( camera.width <= 0.0f )
	{
		return supJsonPlace_Refuse( place, "is a click on a picture, but \"camera\" is missing" );
	}
	supVec3 origin, direction;
	supError own = { 0 };
	return ( supRigCamera_GetRay( &camera, (float)pixels[0], (float)pixels[1], &origin, &direction, &own ) &&
			 supRig_AddJoint( rig, name, origin, direction, &own ) >= 0 ) ||
		   PassOn( place, &own );
}

static bool AddJoint( supRig* rig, const supJsonPlace* place, const supRigCamera* camera )
{
	static const char* const keys[] = { "name", "ray", "click", "at", "camera", NULL };
	if ( supJsonPlace_CheckKeys( place, keys ) == false )
	{
		return false;
	}
	const char* name = supJson_String( place->value, "name", NULL );
	if ( HasKey( place, "name" ) && ( name == NULL || name[0] == 0 ) )
	{
		return supJsonPlace_Refuse( place, "has a \"name\" that is not a string in quotes" );
	}
	int32_t ways = HasKey( place, "ray" ) + HasKey( place, "click" ) + HasKey( place, "at" );
	if ( ways != 1 )
	{
		return supJsonPlace_Refuse( place, "must have one of \"ray\", \"click\" and \"at\" (got %d)", ways );
	}
	if ( HasKey( place, "ray" ) )
	{
		return AddRay( rig, place, name );
	}
	if ( HasKey( place, "click" ) )
	{
		return AddClick( rig, place, name, camera );
	}
	supVec3 at = supVec3_zero;
	supError own = { 0 };
	return supJsonPlace_ReadVec3( place, "at", &at ) &&
		   ( supRig_AddJointAt( rig, name, at, &own ) >= 0 || PassOn( place, &own ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Bones

// A joint by its name or number.
static bool FindJoint( const supRig* rig, const supJsonPlace* place, int32_t* joint )
{
	const char* name = json_string_value( place->value );
	*joint = name != NULL ? supRig_FindJoint( rig, name ) : -1;
	if ( name == NULL && json_is_integer( place->value ) )
	{
		json_int_t number = json_integer_value( place->value );
		*joint = number >= 0 && number < supRig_JointCount( rig ) ? (int32_t)number : -1;
	}
	if ( *joint >= 0 )
	{
		return true;
	}
	return name != NULL ? supJsonPlace_Refuse( place, "no joint \"%.60s\"", name )
						: supJsonPlace_Refuse( place, "must be a joint: its name in quotes, or its number below %d",
											   supRig_JointCount( rig ) );
}

static bool AddBone( supRig* rig, const supJsonPlace* place )
{
	if ( json_array_size( place->value ) != 2 )
	{
		return supJsonPlace_Refuse( place, "must be a bone: a list of two joints" );
	}
	int32_t joints[2];
	for ( size_t i = 0; i < 2; ++i )
	{
		supJsonPlace end = supJsonPlace_At( place, i );
		if ( FindJoint( rig, &end, joints + i ) == false )
		{
			return false;
		}
	}
	supError own = { 0 };
	return supRig_AddBone( rig, joints[0], joints[1], &own ) || PassOn( place, &own );
}

static bool ReadList( const supJsonPlace* root, const char* key, supJsonPlace* list, size_t* count )
{
	*list = supJsonPlace_Get( root, key );
	*count = json_array_size( list->value );
	return json_is_array( list->value ) ? true : supJsonPlace_Refuse( list, "missing, or not a list" );
}

// Errors of the skeleton as a whole are reported at the end of the file.
static bool ReadClicks( supRig* rig, const supJsonPlace* root )
{
	static const char* const keys[] = { "camera", "joints", "bones", "root", NULL };
	supRigCamera camera = { 0 };
	supJsonPlace joints, bones;
	size_t jointCount, boneCount;
	if ( supJsonPlace_CheckKeys( root, keys ) == false || ReadCamera( root, &camera ) == false ||
		 ReadList( root, "joints", &joints, &jointCount ) == false ||
		 ReadList( root, "bones", &bones, &boneCount ) == false )
	{
		return false;
	}
	bool ok = true;
	for ( size_t i = 0; i < jointCount && ok; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &joints, i );
		ok = AddJoint( rig, &place, &camera );
	}
	for ( size_t i = 0; i < boneCount && ok; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &bones, i );
		ok = AddBone( rig, &place );
	}
	if ( ok == false )
	{
		return false;
	}
	supJsonPlace place = supJsonPlace_Get( root, "root" );
	if ( json_is_array( place.value ) )
	{
		return supJsonPlace_Refuse( &place, "has %zu roots; expected one", json_array_size( place.value ) );
	}
	int32_t joint = -1;
	supError own = { 0 };
	return FindJoint( rig, &place, &joint ) && ( supRig_SetRoot( rig, joint, &own ) || PassOn( &place, &own ) );
}

bool supParseClicks( supRig* rig, const void* bytes, size_t byteCount, const char* name, supError* error )
{
	supClearError( error );
	if ( byteCount > MAX_BYTES )
	{
		return supSetError( error, sup_errorTooLarge, name, "the file is too large for a list of clicks (%zu bytes)",
							byteCount );
	}
	json_t* tree = supParseStrictJson( bytes, byteCount, name, error );
	supJsonPlace root = { .value = tree, .file = name, .error = error };
	bool ok = tree != NULL && ReadClicks( rig, &root );
	json_decref( tree );
	return ok;
}

bool supLoadClicks( supRig* rig, const char* path, supError* error )
{
	supClearError( error );
	size_t byteCount;
	uint8_t* bytes = supReadFile( path, &byteCount, error );
	bool ok = bytes != NULL && supParseClicks( rig, bytes, byteCount, path, error );
	supFree( bytes );
	return ok;
}
