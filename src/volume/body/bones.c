// SPDX-License-Identifier: MIT
#include "volume/body/bones.h"

#include <float.h>
#include <math.h>

#define STUB 0.5f

// Positions of joints are rounded to the size divided by two to this.
#define ROUNDING_BITS 19

// ---------------------------------------------------------------------------------------------------------------------
// Segments

static bool CheckJoints( int32_t count, const supVec3* joints, const int32_t* parents, supError* error )
{
	if ( count <= 0 )
	{
		return supSetError( error, sup_errorArgument, "skeleton", "the skeleton has no joints" );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( supIsFiniteVec3( joints[i] ) == false )
		{
			return supSetError( error, sup_errorArgument, "skeleton", "the position of joint %d is not finite", i );
		}
		if ( parents[i] < -1 || parents[i] >= count )
		{
			return supSetError( error, sup_errorArgument, "skeleton", "joint %d has parent %d of %d", i, parents[i],
								count );
		}
	}
	return true;
}

// Returns the first joint found that is its own ancestor, -1 without. Every joint is visited once: a walk towards the
// root ends where an earlier one has been.
static int32_t FindCircle( int32_t count, const int32_t* parents, int32_t* walks )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t k = i;
		while ( k >= 0 && walks[k] == 0 )
		{
			walks[k] = i + 1;
			k = parents[k];
		}
		if ( k >= 0 && walks[k] == i + 1 )
		{
			return k;
		}
	}
	return -1;
}

static supSegment MakeStub( const supBones* bones, int32_t bone )
{
	supVec3 a = bones->joints[bone];
	int32_t parent = bones->parents[bone];
	return ( supSegment ){ a, parent >= 0 ? supMulAdd( a, STUB, supSub( a, bones->joints[parent] ) ) : a };
}

static void FillSegments( supBones* bones, int32_t* childCounts )
{
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		if ( bones->parents[i] >= 0 )
		{
			childCounts[bones->parents[i]] += 1;
		}
	}
	int32_t total = 0;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		bones->segmentStarts[i] = total;
		if ( childCounts[i] == 0 )
		{
			bones->segments[total] = MakeStub( bones, i );
		}
		total += childCounts[i] > 0 ? childCounts[i] : 1;
		childCounts[i] = 0;
	}
	bones->segmentStarts[bones->count] = total;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		int32_t parent = bones->parents[i];
		if ( parent >= 0 )
		{
			int32_t k = bones->segmentStarts[parent] + childCounts[parent]++;
			bones->segments[k] = ( supSegment ){ bones->joints[parent], bones->joints[i] };
		}
	}
}

bool supBones_Init( supBones* bones, int32_t count, const supVec3* joints, const int32_t* parents, supError* error )
{
	supClearError( error );
	if ( CheckJoints( count, joints, parents, error ) == false )
	{
		return false;
	}
	size_t n = (size_t)count;
	bones->count = count;
	bones->parents = supArena_CopyArray( &bones->arena, parents, n, sizeof( int32_t ) );
	bones->joints = supArena_CopyArray( &bones->arena, joints, n, sizeof( supVec3 ) );
	bones->segmentStarts = supArena_AllocArray( &bones->arena, n + 1, sizeof( int32_t ) );
	// each bone has a stub or is the parent of others
	bones->segments = supArena_AllocArray( &bones->arena, 2 * n, sizeof( supSegment ) );
	bones->isHandle = supArena_AllocZeroed( &bones->arena, n * sizeof( bool ) );
	int32_t* walks = supArena_AllocZeroed( &bones->arena, n * sizeof( int32_t ) );
	if ( bones->arena.failed )
	{
		supBones_Destroy( bones );
		return supSetMemoryError( error );
	}
	int32_t circle = FindCircle( count, parents, walks );
	if ( circle >= 0 )
	{
		supBones_Destroy( bones );
		return supSetError( error, sup_errorArgument, "skeleton", "joint %d is its own ancestor", circle );
	}
	memset( walks, 0, n * sizeof( int32_t ) );
	FillSegments( bones, walks );
	return true;
}

static bool HasSkin( const supCharacter* character )
{
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		if ( supCharacter_IsJoint( character, i ) )
		{
			return true;
		}
	}
	return false;
}

typedef struct Gathered
{
	int32_t count;
	supVec3* joints;
	int32_t* parents;
	int32_t* nodes;
	// of each node, -1 where it is no joint
	int32_t* bones;
} Gathered;

// To a millionth of the skeleton's size: transforms down a chain of joints leave more noise than that behind, and
// joints at the border of a voxel must not fall to either side by it.
static void RoundJoints( supVec3* joints, int32_t count )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < count; ++i )
	{
		box = supBox_Include( box, joints[i] );
	}
	double size = count > 0 ? (double)supLength( supBox_Size( box ) ) : 0.0;
	double step = size > 0.0 && size < 1e30 ? ldexp( 1.0, ilogb( size ) - ROUNDING_BITS ) : 0.0;
	for ( int32_t i = 0; step > 0.0 && i < count; ++i )
	{
		joints[i].x = (float)( floor( (double)joints[i].x / step + 0.5 ) * step );
		joints[i].y = (float)( floor( (double)joints[i].y / step + 0.5 ) * step );
		joints[i].z = (float)( floor( (double)joints[i].z / step + 0.5 ) * step );
	}
}

static void GatherJoints( const supCharacter* character, supPose* pose, Gathered* g )
{
	bool all = HasSkin( character ) == false;
	const supMat34* worlds = supPose_Worlds( pose );
	int32_t nodeCount = supCharacter_NodeCount( character );
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		g->bones[i] = -1;
		if ( all || supCharacter_IsJoint( character, i ) )
		{
			g->nodes[g->count] = i;
			g->joints[g->count] = worlds[i].t;
			g->bones[i] = g->count++;
		}
	}
	RoundJoints( g->joints, g->count );
	for ( int32_t i = 0; i < g->count; ++i )
	{
		int32_t node = supCharacter_Node( character, g->nodes[i] )->parent;
		while ( node >= 0 && g->bones[node] < 0 )
		{
			node = supCharacter_Node( character, node )->parent;
		}
		g->parents[i] = node >= 0 ? g->bones[node] : -1;
	}
}

// ASCII alone; other letters are only like themselves.
static bool HasRootInName( const char* name )
{
	for ( ; *name != 0; ++name )
	{
		int32_t i = 0;
		while ( i < 4 && ( name[i] | 0x20 ) == "root"[i] )
		{
			i += 1;
		}
		if ( i == 4 )
		{
			return true;
		}
	}
	return false;
}

// How many segments a bone has tells its children, but for one: that may be a stub.
static int32_t ChildCount( const supBones* bones, int32_t bone, const int32_t* lastChildren )
{
	int32_t segments = bones->segmentStarts[bone + 1] - bones->segmentStarts[bone];
	return segments > 1 ? segments : ( lastChildren[bone] >= 0 ? 1 : 0 );
}

// - lastChildren has room for one of each bone
static void FindHandles( supBones* bones, const supCharacter* character, int32_t* lastChildren )
{
	memset( lastChildren, 0xFF, (size_t)bones->count * sizeof( int32_t ) );
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		if ( bones->parents[i] >= 0 )
		{
			lastChildren[bones->parents[i]] = i;
		}
	}
	for ( int32_t root = 0; root < bones->count; ++root )
	{
		int32_t end = root;
		while ( bones->parents[root] < 0 && ChildCount( bones, end, lastChildren ) == 1 &&
				HasRootInName( supCharacter_Node( character, bones->nodes[end] )->name ) )
		{
			end = lastChildren[end];
		}
		for ( int32_t i = root; i != end && ChildCount( bones, end, lastChildren ) > 1; i = lastChildren[i] )
		{
			bones->isHandle[i] = true;
		}
	}
}

bool supBones_InitCharacter( supBones* bones, const supCharacter* character, supError* error )
{
	supClearError( error );
	supArena scratch = { 0 };
	size_t n = (size_t)supCharacter_NodeCount( character );
	Gathered g = { .joints = supArena_AllocArray( &scratch, n, sizeof( supVec3 ) ),
				   .parents = supArena_AllocArray( &scratch, n, sizeof( int32_t ) ),
				   .nodes = supArena_AllocArray( &scratch, n, sizeof( int32_t ) ),
				   .bones = supArena_AllocArray( &scratch, n, sizeof( int32_t ) ) };
	supPose* pose = supCreatePose( character );
	bool ok = scratch.failed == false && pose != NULL;
	if ( ok )
	{
		GatherJoints( character, pose, &g );
		ok = supBones_Init( bones, g.count, g.joints, g.parents, error );
		bones->nodes = ok ? supArena_CopyArray( &bones->arena, g.nodes, (size_t)g.count, sizeof( int32_t ) ) : NULL;
		if ( ok && bones->nodes == NULL )
		{
			supBones_Destroy( bones );
			ok = supSetMemoryError( error );
		}
		if ( ok )
		{
			FindHandles( bones, character, g.bones );
		}
	}
	else
	{
		supSetMemoryError( error );
	}
	supDestroyPose( pose );
	supArena_Destroy( &scratch );
	return ok;
}

void supBones_Destroy( supBones* bones )
{
	supArena_Destroy( &bones->arena );
	*bones = ( supBones ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Distances

// Separating axes: the box's three and the cross products of the segment with them (Ericson, 5.3.3).
bool supSegmentOverlapsBox( const supSegment* segment, supBox box )
{
	const float p[3] = { segment->a.x, segment->a.y, segment->a.z };
	const float q[3] = { segment->b.x, segment->b.y, segment->b.z };
	const float lower[3] = { box.lower.x, box.lower.y, box.lower.z };
	const float upper[3] = { box.upper.x, box.upper.y, box.upper.z };
	// twice the half extents, twice the half segment, twice the offset of the middles: all differences of floats
	double e[3], d[3], m[3];
	for ( int i = 0; i < 3; ++i )
	{
		e[i] = (double)upper[i] - (double)lower[i];
		d[i] = (double)q[i] - (double)p[i];
		m[i] = ( (double)p[i] - (double)lower[i] ) + ( (double)q[i] - (double)upper[i] );
		if ( e[i] < 0.0 || fabs( m[i] ) > e[i] + fabs( d[i] ) )
		{
			return false;
		}
	}
	for ( int i = 0; i < 3; ++i )
	{
		int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
		double reach = e[j] * fabs( d[k] ) + e[k] * fabs( d[j] );
		double gap = fabs( m[j] * d[k] - m[k] * d[j] );
		double rounding = 1e-15 * ( reach + fabs( m[j] * d[k] ) + fabs( m[k] * d[j] ) );
		if ( gap > reach + rounding )
		{
			return false;
		}
	}
	return true;
}

float supDistanceToSegment( const supSegment* segment, supVec3 p )
{
	supVec3 d = supSub( segment->b, segment->a );
	float length = supLengthSquared( d );
	float t = length > 0.0f ? supDot( supSub( p, segment->a ), d ) / length : 0.0f;
	return supDistance( p, supMulAdd( segment->a, supClampFloat( t, 0.0f, 1.0f ), d ) );
}

supBonePoint supFindOnBone( const supBones* bones, int32_t bone, supVec3 p )
{
	supBonePoint best = { .distance = FLT_MAX, .segment = bones->segmentStarts[bone] };
	for ( int32_t i = bones->segmentStarts[bone]; i < bones->segmentStarts[bone + 1]; ++i )
	{
		supSegment s = bones->segments[i];
		supVec3 along = supSub( s.b, s.a );
		float squared = supLengthSquared( along );
		float t = squared > 0.0f ? supClampFloat( supDot( supSub( p, s.a ), along ) / squared, 0.0f, 1.0f ) : 0.0f;
		supVec3 point = supMulAdd( s.a, t, along );
		float distance = supDistance( point, p );
		if ( distance < best.distance )
		{
			best = ( supBonePoint ){ point, distance, i, t };
		}
	}
	return best;
}
