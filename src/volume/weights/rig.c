// SPDX-License-Identifier: MIT
#include "supple/rig.h"

#include "core/array.h"
#include "geometry/tree.h"
#include "geometry/weld.h"
#include "volume/body/rest_surface.h"

#include <stdio.h>

// Beyond the first hit of a ray the second is looked for from so far behind it, in sizes of the mesh: two triangles
// that share an edge are hit at one place.
#define BEHIND 1e-5f

typedef struct Bone
{
	int32_t a, b;
} Bone;

struct supRig
{
	supArena arena;
	supTree* tree;
	float size;
	SUP_ARRAY( supVec3 ) places;
	SUP_ARRAY( const char* ) names;
	// of each joint one that it is connected with: supFindRoot
	SUP_ARRAY( int32_t ) connected;
	SUP_ARRAY( Bone ) bones;
	int32_t root;
};

static bool InitMesh( supRig* rig, const supCharacter* mesh, const supTasks* tasks, supError* error )
{
	supRestSurface surface = { 0 };
	if ( supRestSurface_Init( &surface, mesh, tasks, error ) == false )
	{
		return false;
	}
	bool ok = surface.triangleCount > 0
				  ? true
				  : supSetError( error, sup_errorArgument, supCharacter_Name( mesh ), "the mesh has no triangles" );
	rig->tree =
		ok ? supCreateTree( surface.positions, surface.vertexCount, surface.indices, surface.triangleCount, error )
		   : NULL;
	supRestSurface_Destroy( &surface );
	if ( rig->tree == NULL )
	{
		return false;
	}
	supVec3 size = supBox_Size( supTree_Bounds( rig->tree ) );
	rig->size = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
	return true;
}

supRig* supCreateRig( const supCharacter* mesh, const supTasks* tasks, supError* error )
{
	supClearError( error );
	supRig* rig = supAllocZeroed( sizeof( *rig ) );
	if ( rig == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	rig->root = -1;
	if ( InitMesh( rig, mesh, tasks, error ) == false )
	{
		supDestroyRig( rig );
		return NULL;
	}
	return rig;
}

void supDestroyRig( supRig* rig )
{
	if ( rig != NULL )
	{
		supDestroyTree( rig->tree );
		SUP_FREE_ARRAY( &rig->places );
		SUP_FREE_ARRAY( &rig->names );
		SUP_FREE_ARRAY( &rig->connected );
		SUP_FREE_ARRAY( &rig->bones );
		supArena_Destroy( &rig->arena );
		supFree( rig );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Joints

bool supRigCamera_GetRay( const supRigCamera* camera, float x, float y, supVec3* origin, supVec3* direction,
						  supError* error )
{
	supClearError( error );
	supVec3 forward = supNormalize( supSub( camera->target, camera->eye ) );
	supVec3 right = supNormalize( supCross( forward, camera->up ) );
	supVec3 up = supCross( right, forward );
	supCosSin half = supComputeCosSin( 0.5f * camera->fieldOfView * ( SUP_PI / 180.0f ) );
	float slope = half.sine / half.cosine;
	// one minus twice the part of the height from the upper border
	float v = slope * ( 1.0f - 2.0f * y / camera->height ), u = slope * ( 2.0f * x - camera->width ) / camera->height;
	*origin = camera->eye;
	*direction = supNormalize( supMulAdd( supMulAdd( forward, u, right ), v, up ) );
	bool sees = camera->fieldOfView > 0.0f && camera->fieldOfView < 180.0f && camera->width > 0.0f &&
				camera->height > 0.0f && supIsFiniteVec3( *origin ) && supLengthSquared( right ) > 0.5f &&
				supLengthSquared( *direction ) > 0.5f;
	return sees ? true
				: supSetError(
					  error, sup_errorArgument, "camera",
					  "invalid camera: eye and target must differ, up must not be parallel to the view, the field "
					  "of view must be between 0 and 180 degrees, and the picture must have a size" );
}

int32_t supRig_FindJoint( const supRig* rig, const char* name )
{
	for ( int32_t i = 0; i < rig->names.count; ++i )
	{
		if ( strcmp( rig->names.data[i], name ) == 0 )
		{
			return i;
		}
	}
	return -1;
}

int32_t supRig_AddJointAt( supRig* rig, const char* name, supVec3 place, supError* error )
{
	supClearError( error );
	char automatic[32];
	snprintf( automatic, sizeof( automatic ), "joint%d", rig->places.count );
	const char* chosen = name != NULL && name[0] != 0 ? name : automatic;
	int32_t taken = supRig_FindJoint( rig, chosen );
	if ( taken >= 0 )
	{
		supSetError( error, sup_errorArgument, chosen, "another joint has this name: number %d", taken );
		return -1;
	}
	float most = supMaxFloat( fabsf( place.x ), supMaxFloat( fabsf( place.y ), fabsf( place.z ) ) );
	if ( supIsFiniteVec3( place ) == false || most > SUP_MAX_COORDINATE )
	{
		supSetError( error, sup_errorArgument, chosen, "the position of the joint is not finite" );
		return -1;
	}
	int32_t joint = rig->places.count;
	if ( joint == SUP_MAX_RIG_JOINTS )
	{
		supSetError( error, sup_errorTooLarge, chosen, "a rig has at most %d joints", SUP_MAX_RIG_JOINTS );
		return -1;
	}
	const char* copy = supArena_CopyString( &rig->arena, chosen );
	// room in all three before any of them grows
	if ( copy == NULL || SUP_RESERVE_ONE( &rig->names ) == false || SUP_RESERVE_ONE( &rig->connected ) == false ||
		 SUP_PUSH( &rig->places, place ) == false )
	{
		supSetMemoryError( error );
		return -1;
	}
	rig->names.data[rig->names.count++] = copy;
	rig->connected.data[rig->connected.count++] = joint;
	return joint;
}

int32_t supRig_AddJoint( supRig* rig, const char* name, supVec3 origin, supVec3 direction, supError* error )
{
	supClearError( error );
	supVec3 d = supNormalize( direction );
	const char* where = name != NULL && name[0] != 0 ? name : "joint";
	supTreeHit first, second;
	if ( supIsFiniteVec3( origin ) == false || supIsFiniteVec3( d ) == false || supLengthSquared( d ) < 0.5f )
	{
		supSetError( error, sup_errorArgument, where, "the direction of the ray must not be zero" );
		return -1;
	}
	if ( supTree_CastRay( rig->tree, origin, d, INFINITY, &first ) == false )
	{
		supSetError( error, sup_errorArgument, where, "the ray misses the mesh; point at its skin" );
		return -1;
	}
	supVec3 behind = supMulAdd( origin, first.distance + BEHIND * rig->size, d );
	if ( supTree_CastRay( rig->tree, behind, d, INFINITY, &second ) == false )
	{
		supSetError( error, sup_errorArgument, where,
					 "the ray hits the mesh only once, at (%g %g %g), so there is no point halfway; point where "
					 "the mesh is closed, or set the joint's position",
					 (double)first.point.x, (double)first.point.y, (double)first.point.z );
		return -1;
	}
	return supRig_AddJointAt( rig, name, supLerp( first.point, second.point, 0.5f ), error );
}

int32_t supRig_JointCount( const supRig* rig )
{
	return rig->places.count;
}

const char* supRig_JointName( const supRig* rig, int32_t joint )
{
	SUP_ASSERT( 0 <= joint && joint < rig->names.count );
	return rig->names.data[joint];
}

supVec3 supRig_JointPlace( const supRig* rig, int32_t joint )
{
	SUP_ASSERT( 0 <= joint && joint < rig->places.count );
	return rig->places.data[joint];
}

// ---------------------------------------------------------------------------------------------------------------------
// Bones

static bool CheckJoint( const supRig* rig, int32_t joint, supError* error )
{
	return 0 <= joint && joint < rig->places.count
			   ? true
			   : supSetError( error, sup_errorArgument, "rig", "joint %d does not exist; the rig has %d", joint,
							  rig->places.count );
}

bool supRig_AddBone( supRig* rig, int32_t a, int32_t b, supError* error )
{
	supClearError( error );
	if ( CheckJoint( rig, a, error ) == false || CheckJoint( rig, b, error ) == false )
	{
		return false;
	}
	const char *nameA = rig->names.data[a], *nameB = rig->names.data[b];
	if ( a == b )
	{
		return supSetError( error, sup_errorArgument, nameA, "a bone needs two different joints" );
	}
	for ( int32_t i = 0; i < rig->bones.count; ++i )
	{
		Bone bone = rig->bones.data[i];
		if ( ( bone.a == a && bone.b == b ) || ( bone.a == b && bone.b == a ) )
		{
			return supSetError( error, sup_errorArgument, nameA, "the bone to \"%.60s\" already exists", nameB );
		}
	}
	if ( supFindRoot( rig->connected.data, a ) == supFindRoot( rig->connected.data, b ) )
	{
		return supSetError( error, sup_errorArgument, nameA,
							"a bone to \"%.60s\" would close a cycle; a skeleton is a tree", nameB );
	}
	if ( SUP_PUSH( &rig->bones, ( Bone ){ a, b } ) == false )
	{
		return supSetMemoryError( error );
	}
	supUnite( rig->connected.data, a, b );
	return true;
}

bool supRig_SetRoot( supRig* rig, int32_t joint, supError* error )
{
	supClearError( error );
	if ( CheckJoint( rig, joint, error ) == false )
	{
		return false;
	}
	if ( rig->root >= 0 && rig->root != joint )
	{
		return supSetError( error, sup_errorArgument, rig->names.data[joint], "\"%.60s\" is already the root",
							rig->names.data[rig->root] );
	}
	rig->root = joint;
	return true;
}

// Outwards from the root: each round gives parents to the joints beside those that have one.
static void FindParents( const supRig* rig, int32_t* parents )
{
	int32_t found = 1;
	for ( int32_t i = 0; i < rig->places.count; ++i )
	{
		parents[i] = i == rig->root ? -1 : -2;
	}
	while ( found > 0 )
	{
		found = 0;
		for ( int32_t i = 0; i < rig->bones.count; ++i )
		{
			Bone bone = rig->bones.data[i];
			for ( int32_t side = 0; side < 2; ++side )
			{
				int32_t from = side == 0 ? bone.a : bone.b, to = side == 0 ? bone.b : bone.a;
				if ( parents[from] != -2 && parents[to] == -2 )
				{
					parents[to] = from;
					found += 1;
				}
			}
		}
	}
}

supCharacter* supRig_CreateSkeleton( const supRig* rig, supError* error )
{
	supClearError( error );
	int32_t count = rig->places.count;
	if ( rig->root < 0 )
	{
		supSetError( error, sup_errorArgument, "rig",
					 "the rig has no root; name the joint at the top of the hierarchy" );
		return NULL;
	}
	supNode* nodes = supAllocZeroed( (size_t)count * sizeof( supNode ) );
	int32_t* parents = supAllocArray( (size_t)count, sizeof( int32_t ) );
	bool ok = nodes != NULL && parents != NULL ? true : supSetMemoryError( error );
	if ( ok )
	{
		FindParents( rig, parents );
	}
	for ( int32_t i = 0; i < count && ok; ++i )
	{
		if ( parents[i] == -2 )
		{
			ok = supSetError( error, sup_errorArgument, rig->names.data[i],
							  "no bones lead from the joint to the root \"%.60s\"; a skeleton has one root",
							  rig->names.data[rig->root] );
			break;
		}
		supVec3 origin = parents[i] >= 0 ? rig->places.data[parents[i]] : supVec3_zero;
		nodes[i] = ( supNode ){ .name = rig->names.data[i], .parent = parents[i], .rest = supTransform_identity };
		nodes[i].rest.translation = supSub( rig->places.data[i], origin );
	}
	supCharacterDef def = supDefaultCharacterDef();
	def.name = "rig";
	def.nodeCount = count;
	def.nodes = nodes;
	supCharacter* skeleton = ok ? supCreateCharacter( &def, error ) : NULL;
	supFree( nodes );
	supFree( parents );
	return skeleton;
}
