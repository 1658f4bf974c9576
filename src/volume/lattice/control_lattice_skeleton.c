// SPDX-License-Identifier: MIT
// The bones of a character as a control lattice needs them: inside of the body, apart from each other, with tips.
#include "volume/lattice/control_lattice_internal.h"

// Places along a bone that are looked at, and how many of them must be inside.
#define PROBES 9
#define LEAST_INSIDE 3

// A bone shorter than this part of the body's size has no length.
#define NO_LENGTH 1e-5f

// A body without a bone in it: lines across that are looked along for its core, hits on each, and the part of the core
// that becomes a bone.
#define CORE_LINES 5
#define MAX_CORE_HITS 16
#define CORE_PART 0.5f

// The tip of the last bone: of the way to the skin, and of the length of the bone before it at most.
#define TIP_TO_SKIN 0.75f
#define TIP_TO_BONE 2.0f

void supLatticeSkeleton_Destroy( supLatticeSkeleton* skeleton )
{
	SUP_FREE_ARRAY( &skeleton->joints );
	SUP_FREE_ARRAY( &skeleton->bones );
}

// ---------------------------------------------------------------------------------------------------------------------
// Finding

static bool IsInBody( const supLatticeBody* body, supVec3 a, supVec3 b )
{
	int32_t inside = 0;
	for ( int32_t i = 0; i < PROBES; ++i )
	{
		inside += supLatticeBody_IsInside( body, supLerp( a, b, ( (float)i + 0.5f ) / PROBES ) );
	}
	return inside >= LEAST_INSIDE;
}

// The direction in which the last bone would go on, and the length of the bone before it. False if there is none.
static bool FindDirection( const supBones* bones, int32_t bone, supVec3* direction, float* length )
{
	for ( int32_t parent = bones->parents[bone]; parent >= 0; parent = bones->parents[parent] )
	{
		supVec3 d = supSub( bones->joints[bone], bones->joints[parent] );
		*length = supLength( d );
		if ( *length > 0.0f )
		{
			*direction = supScale( 1.0f / *length, d );
			return true;
		}
	}
	return false;
}

static bool AddTip( supLatticeSkeleton* skeleton, const supLatticeBody* body, const supBones* bones, int32_t bone,
					const supMat34* worlds )
{
	supVec3 joint = bones->joints[bone], direction;
	float length;
	supTreeHit hit;
	supMat34 inverse;
	if ( FindDirection( bones, bone, &direction, &length ) == false ||
		 supLatticeBody_IsInside( body, joint ) == false ||
		 supTree_CastRay( body->tree, joint, direction, 2.0f * body->size, &hit ) == false ||
		 supInvertMat34( worlds[bones->nodes[bone]], &inverse ) == false )
	{
		return true;
	}
	float reach = supMinFloat( TIP_TO_SKIN * hit.distance, TIP_TO_BONE * length );
	supVec3 tip = supMulAdd( joint, reach, direction );
	supLatticeJoint made = { bones->nodes[bone], supTransformPoint( inverse, tip ), tip };
	return SUP_PUSH( &skeleton->joints, made ) &&
		   SUP_PUSH( &skeleton->bones, ( supLatticeBone ){ bone, skeleton->joints.count - 1, bones->nodes[bone] } );
}

static bool Gather( supLatticeSkeleton* skeleton, const supLatticeBody* body, const supBones* bones,
					const supMat34* worlds, bool* hasChild )
{
	bool ok = true;
	for ( int32_t i = 0; i < bones->count && ok; ++i )
	{
		ok = SUP_PUSH( &skeleton->joints, ( supLatticeJoint ){ bones->nodes[i], supVec3_zero, bones->joints[i] } );
	}
	for ( int32_t i = 0; i < bones->count && ok; ++i )
	{
		int32_t parent = bones->parents[i];
		if ( parent < 0 )
		{
			continue;
		}
		hasChild[parent] = true;
		supVec3 a = bones->joints[parent], b = bones->joints[i];
		if ( supDistance( a, b ) <= NO_LENGTH * body->size )
		{
			continue;
		}
		bool inside = bones->isHandle[parent] == false && IsInBody( body, a, b );
		skeleton->outside += inside ? 0 : 1;
		ok = inside == false || SUP_PUSH( &skeleton->bones, ( supLatticeBone ){ parent, i, bones->nodes[parent] } );
	}
	for ( int32_t i = 0; i < bones->count && ok; ++i )
	{
		ok = hasChild[i] || bones->isHandle[i] || AddTip( skeleton, body, bones, i, worlds );
	}
	return ok;
}

// The longest way through the body along one line of its longest side. Returns its length.
static float FindChord( const supLatticeBody* body, supVec3 origin, supVec3 direction, supVec3* from, supVec3* to )
{
	float length = 0.0f, at = 0.0f, before = 0.0f;
	for ( int32_t i = 0; i < MAX_CORE_HITS; ++i )
	{
		supTreeHit hit;
		if ( supTree_CastRay( body->tree, supMulAdd( origin, at, direction ), direction, 2.0f * body->size, &hit ) ==
			 false )
		{
			break;
		}
		float here = at + hit.distance;
		bool isInside = supLatticeBody_IsInside( body, supMulAdd( origin, 0.5f * ( before + here ), direction ) );
		if ( i > 0 && isInside && here - before > length )
		{
			length = here - before;
			*from = supMulAdd( origin, before, direction );
			*to = supMulAdd( origin, here, direction );
		}
		before = here;
		at = here + 1e-4f * body->size;
	}
	return length;
}

static float FindCore( const supLatticeBody* body, supVec3* from, supVec3* to )
{
	supVec3 size = supBox_Size( body->bounds );
	int axis = size.x >= size.y && size.x >= size.z ? 0 : ( size.y >= size.z ? 1 : 2 );
	supVec3 direction = { axis == 0, axis == 1, axis == 2 };
	float length = 0.0f;
	for ( int32_t i = 0; i < CORE_LINES * CORE_LINES; ++i )
	{
		float u = ( (float)( i % CORE_LINES ) + 0.49f ) / CORE_LINES,
			  v = ( (float)( i / CORE_LINES ) + 0.51f ) / CORE_LINES;
		supVec3 part = axis == 0   ? supMakeVec3( 0.0f, u, v )
					   : axis == 1 ? supMakeVec3( u, 0.0f, v )
								   : supMakeVec3( u, v, 0.0f );
		supVec3 origin = supAdd( body->bounds.lower, supMakeVec3( part.x * size.x, part.y * size.y, part.z * size.z ) );
		origin = supMulAdd( origin, -0.1f * body->size, direction );
		supVec3 ends[2] = { supVec3_zero, supVec3_zero };
		float found = FindChord( body, origin, direction, ends, ends + 1 );
		if ( found > length )
		{
			length = found;
			*from = ends[0];
			*to = ends[1];
		}
	}
	return length;
}

static int32_t FindNearest( const supBones* bones, supVec3 place )
{
	int32_t nearest = -1;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		bool isNearer =
			nearest < 0 || supDistance( bones->joints[i], place ) < supDistance( bones->joints[nearest], place );
		nearest = isNearer && bones->isHandle[i] == false ? i : nearest;
	}
	return nearest;
}

// No bone lies in the body: one is put into its core, which follows the nearest joint. Where the body has no core it
// stays without.
static bool AddCore( supLatticeSkeleton* skeleton, const supLatticeBody* body, const supBones* bones,
					 const supMat34* worlds )
{
	supVec3 from = supVec3_zero, to = supVec3_zero;
	supMat34 inverse;
	bool hasCore = FindCore( body, &from, &to ) > NO_LENGTH * body->size;
	int32_t bone = hasCore ? FindNearest( bones, supLerp( from, to, 0.5f ) ) : -1;
	if ( bone < 0 || supInvertMat34( worlds[bones->nodes[bone]], &inverse ) == false )
	{
		return true;
	}
	int32_t first = skeleton->joints.count, node = bones->nodes[bone];
	bool ok = true;
	for ( int32_t i = 0; ok && i < 2; ++i )
	{
		supVec3 place = supLerp( from, to, 0.5f + ( (float)i - 0.5f ) * CORE_PART );
		ok = SUP_PUSH( &skeleton->joints, ( supLatticeJoint ){ node, supTransformPoint( inverse, place ), place } );
	}
	return ok && SUP_PUSH( &skeleton->bones, ( supLatticeBone ){ first, first + 1, node } );
}

bool supLatticeSkeleton_Find( supLatticeSkeleton* skeleton, const supLatticeBody* body, supError* error )
{
	supBones bones = { 0 };
	supPose* pose = supCreatePose( body->character );
	bool ok = pose != NULL ? true : supSetMemoryError( error );
	ok = ok && supBones_InitCharacter( &bones, body->character, error );
	bool* hasChild = ok ? supAllocZeroed( (size_t)bones.count * sizeof( bool ) ) : NULL;
	ok = ok && ( hasChild != NULL && Gather( skeleton, body, &bones, supPose_Worlds( pose ), hasChild )
					 ? true
					 : supSetMemoryError( error ) );
	supFree( hasChild );
	if ( ok && skeleton->bones.count == 0 && AddCore( skeleton, body, &bones, supPose_Worlds( pose ) ) == false )
	{
		ok = supSetMemoryError( error );
	}
	supDestroyPose( pose );
	const char* name = supCharacter_Name( body->character );
	if ( ok && skeleton->bones.count == 0 )
	{
		ok = supSetError( error, sup_errorArgument, name,
						  "no bone of the skeleton is inside the body, and none can be added; bind the mesh to a "
						  "skeleton inside it, or check that the surface is closed" );
	}
	supBones_Destroy( &bones );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Joining

typedef struct Join
{
	const supLatticeSkeleton* from;
	supLatticeSkeleton* to;
	// of each joint the one that it became, -1 where no bone uses it
	int32_t* targets;
	float near;
	float beside;
} Join;

static bool JoinJoints( Join* join )
{
	int32_t count = join->from->joints.count;
	for ( int32_t i = 0; i < count; ++i )
	{
		join->targets[i] = -1;
	}
	for ( int32_t i = 0; i < join->from->bones.count; ++i )
	{
		const supLatticeBone* bone = join->from->bones.data + i;
		join->targets[bone->a] = join->targets[bone->b] = -2;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		const supLatticeJoint* joint = join->from->joints.data + i;
		if ( join->targets[i] == -1 )
		{
			continue;
		}
		int32_t target = -1;
		for ( int32_t k = 0; k < join->to->joints.count && target < 0; ++k )
		{
			target = supDistance( join->to->joints.data[k].rest, joint->rest ) <= join->near ? k : -1;
		}
		join->to->joined += target >= 0;
		if ( target < 0 )
		{
			target = join->to->joints.count;
			if ( SUP_PUSH( &join->to->joints, *joint ) == false )
			{
				return false;
			}
		}
		join->targets[i] = target;
	}
	return true;
}

static bool AddBone( supLatticeSkeleton* to, int32_t a, int32_t b, int32_t node )
{
	for ( int32_t i = 0; i < to->bones.count; ++i )
	{
		const supLatticeBone* bone = to->bones.data + i;
		if ( ( bone->a == a && bone->b == b ) || ( bone->a == b && bone->b == a ) )
		{
			return true;
		}
	}
	return SUP_PUSH( &to->bones, ( supLatticeBone ){ a, b, node } );
}

static bool HasBone( const Join* join, int32_t a, int32_t b )
{
	for ( int32_t i = 0; i < join->from->bones.count; ++i )
	{
		int32_t from = join->targets[join->from->bones.data[i].a], to = join->targets[join->from->bones.data[i].b];
		if ( ( from == a && to == b ) || ( from == b && to == a ) )
		{
			return true;
		}
	}
	return false;
}

// Does the way from a to b go through a joint? Bones that start together come together; others stay apart as long as
// they can.
static bool IsOnTheWay( const Join* join, const supSegment* segment, int32_t a, int32_t joint )
{
	float distance = supDistanceToSegment( segment, join->to->joints.data[joint].rest );
	return distance <= join->near || ( distance <= join->beside && HasBone( join, a, joint ) );
}

// From a to b over all joints that lie on the way.
static bool PassThrough( Join* join, int32_t a, int32_t b, int32_t node )
{
	const supLatticeJoint* joints = join->to->joints.data;
	supSegment segment = { joints[a].rest, joints[b].rest };
	supVec3 d = supSub( segment.b, segment.a );
	float squared = supLengthSquared( d ), along = 0.0f;
	int32_t at = a;
	bool ok = true;
	while ( at != b && ok )
	{
		int32_t next = b;
		float nearest = 1.0f;
		for ( int32_t i = 0; i < join->to->joints.count; ++i )
		{
			float t = supDot( supSub( joints[i].rest, segment.a ), d ) / squared;
			if ( i != a && i != b && t > along && t < nearest && IsOnTheWay( join, &segment, a, i ) )
			{
				next = i;
				nearest = t;
			}
		}
		ok = AddBone( join->to, at, next, node );
		at = next;
		along = nearest;
	}
	return ok;
}

bool supLatticeSkeleton_Join( const supLatticeSkeleton* skeleton, float near, float beside, supLatticeSkeleton* joined )
{
	Join join = { skeleton, joined, supAllocArray( (size_t)skeleton->joints.count, sizeof( int32_t ) ), near, beside };
	joined->outside = skeleton->outside;
	bool ok = join.targets != NULL && JoinJoints( &join );
	for ( int32_t i = 0; i < skeleton->bones.count && ok; ++i )
	{
		const supLatticeBone* bone = skeleton->bones.data + i;
		int32_t a = join.targets[bone->a], b = join.targets[bone->b];
		ok = a == b || PassThrough( &join, a, b, bone->node );
	}
	supFree( join.targets );
	return ok;
}
