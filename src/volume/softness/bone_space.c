// SPDX-License-Identifier: MIT
#include "volume/softness/bone_space.h"

#include "character/facing.h"
#include "character/pose.h"

#include <math.h>

// Bones that point forward by more than this cosine have their z axis turned up.
#define FORWARD_COSINE 0.8f
// Shorter bones, as a part of the character's size, are measured by their skin.
#define LEAST_LENGTH 0.004f

// ---------------------------------------------------------------------------------------------------------------------
// Roles

typedef struct RoleName
{
	const char* name;
	supBodyPart part;
} RoleName;

// Parts of limbs, with "left" or "right" before them.
static const RoleName s_limbs[] = {
	{ "Shoulder", sup_partShoulder }, { "UpperArm", sup_partUpperArm }, { "LowerArm", sup_partLowerArm },
	{ "Hand", sup_partHand },         { "UpperLeg", sup_partUpperLeg }, { "LowerLeg", sup_partLowerLeg },
	{ "Foot", sup_partFoot },         { "Toes", sup_partToe },          { "Thumb1", sup_partThumb1 },
	{ "Thumb2", sup_partThumb2 },     { "Thumb3", sup_partThumb3 },     { "Index1", sup_partIndex1 },
	{ "Index2", sup_partIndex2 },     { "Index3", sup_partIndex3 },     { "Middle1", sup_partMiddle1 },
	{ "Middle2", sup_partMiddle2 },   { "Middle3", sup_partMiddle3 },   { "Ring1", sup_partRing1 },
	{ "Ring2", sup_partRing2 },       { "Ring3", sup_partRing3 },       { "Little1", sup_partLittle1 },
	{ "Little2", sup_partLittle2 },   { "Little3", sup_partLittle3 },
};

static int32_t FindRole( const supHumanoid* h, const char* name )
{
	const struct
	{
		const char* name;
		int32_t node;
	} trunk[] = {
		{ "hips", h->hips },
		{ "spine", h->spineCount > 0 ? h->spine[0] : -1 },
		{ "chest", h->spineCount > 0 ? h->spine[h->spineCount - 1] : -1 },
		{ "neck", h->neckCount > 0 ? h->neck[0] : -1 },
		{ "head", h->head },
	};
	for ( int32_t i = 0; i < SUP_COUNT( trunk ); ++i )
	{
		if ( strcmp( name, trunk[i].name ) == 0 )
		{
			return trunk[i].node;
		}
	}
	int32_t side = strncmp( name, "left", 4 ) == 0 ? 0 : ( strncmp( name, "right", 5 ) == 0 ? 1 : -1 );
	for ( int32_t i = 0; side >= 0 && i < SUP_COUNT( s_limbs ); ++i )
	{
		if ( strcmp( name + ( side == 0 ? 4 : 5 ), s_limbs[i].name ) == 0 )
		{
			return h->limb[side][s_limbs[i].part];
		}
	}
	return -1;
}

int32_t supFindBone( const supCharacter* character, const char* name )
{
	int32_t node = supCharacter_FindNode( character, name );
	supHumanoid humanoid;
	if ( node < 0 && supRecognizeHumanoid( character, &humanoid ) )
	{
		node = FindRole( &humanoid, name );
	}
	for ( int32_t i = 0; node < 0 && i < supCharacter_NodeCount( character ); ++i )
	{
		node = supJointNamesMatch( supCharacter_Node( character, i )->name, name ) ? i : -1;
	}
	return node;
}

// Index among equals along the trunk, from one chain of joints to one of another length.
static int32_t MatchChain( const int32_t* from, int32_t fromCount, int32_t node, const int32_t* to, int32_t toCount )
{
	for ( int32_t i = 0; i < fromCount && toCount > 0; ++i )
	{
		if ( from[i] == node )
		{
			int32_t last = fromCount > 1 ? fromCount - 1 : 1;
			return to[( i * ( toCount - 1 ) + last / 2 ) / last];
		}
	}
	return -1;
}

static int32_t MatchRole( const supHumanoid* a, int32_t node, const supHumanoid* b )
{
	if ( node == a->hips || node == a->head )
	{
		return node == a->hips ? b->hips : b->head;
	}
	int32_t found = MatchChain( a->spine, a->spineCount, node, b->spine, b->spineCount );
	found = found >= 0 ? found : MatchChain( a->neck, a->neckCount, node, b->neck, b->neckCount );
	for ( int32_t side = 0; side < 2; ++side )
	{
		for ( int32_t part = sup_partShoulder; found < 0 && part < sup_partCount; ++part )
		{
			found = a->limb[side][part] == node ? b->limb[side][part] : -1;
		}
	}
	return found;
}

int32_t supSkeletonSpaces_Match( const supSkeletonSpaces* from, int32_t node, const supSkeletonSpaces* to )
{
	int32_t found = from->isHumanoid && to->isHumanoid ? MatchRole( &from->humanoid, node, &to->humanoid ) : -1;
	const char* name = supCharacter_Node( from->character, node )->name;
	for ( int32_t i = 0; found < 0 && i < supCharacter_NodeCount( to->character ); ++i )
	{
		found = supJointNamesMatch( supCharacter_Node( to->character, i )->name, name ) ? i : -1;
	}
	return found;
}

// ---------------------------------------------------------------------------------------------------------------------
// Spaces

static void FindOwners( supSkeletonSpaces* s )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( s->character ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( s->character, i );
		const supMesh* mesh = supCharacter_Mesh( s->character, instance->mesh );
		bool hasSkin = instance->skin >= 0 && mesh->influences > 0;
		const supSkin* skin = hasSkin ? supCharacter_Skin( s->character, instance->skin ) : NULL;
		for ( int32_t k = 0; k < mesh->vertexCount; ++k )
		{
			// the heaviest comes first
			s->owners[s->surface.vertexStarts[i] + k] =
				hasSkin ? skin->joints[mesh->joints[(size_t)k * (size_t)mesh->influences]] : instance->node;
		}
	}
}

bool supSkeletonSpaces_Init( supSkeletonSpaces* spaces, const supCharacter* character, const supTasks* tasks,
							 supError* error )
{
	supClearError( error );
	spaces->character = character;
	int32_t nodes = supCharacter_NodeCount( character );
	supPose* pose = supCreatePose( character );
	supFacing facing;
	bool ok = pose != NULL && supFindFacing( character, &facing );
	spaces->joints = ok ? supArena_AllocArray( &spaces->arena, (size_t)nodes, sizeof( supVec3 ) ) : NULL;
	ok = ok && spaces->joints != NULL ? supRestSurface_Init( &spaces->surface, character, tasks, error )
									  : supSetMemoryError( error );
	if ( ok )
	{
		size_t count = (size_t)spaces->surface.vertexCount;
		spaces->owners = supArena_AllocArray( &spaces->arena, count, sizeof( int32_t ) );
		ok = spaces->owners != NULL || supSetMemoryError( error );
	}
	if ( ok )
	{
		const supMat34* worlds = supPose_Worlds( pose );
		supBox box = supBox_empty;
		for ( int32_t i = 0; i < nodes; ++i )
		{
			spaces->joints[i] = worlds[i].t;
		}
		for ( int32_t i = 0; i < spaces->surface.vertexCount; ++i )
		{
			box = supBox_Include( box, spaces->surface.positions[i] );
		}
		spaces->size = spaces->surface.vertexCount > 0 ? supLength( supBox_Size( box ) ) : 1.0f;
		spaces->forward = facing.forward;
		spaces->isHumanoid = supRecognizeHumanoid( character, &spaces->humanoid );
		FindOwners( spaces );
	}
	else
	{
		supSkeletonSpaces_Destroy( spaces );
	}
	supDestroyPose( pose );
	return ok;
}

void supSkeletonSpaces_Destroy( supSkeletonSpaces* spaces )
{
	supRestSurface_Destroy( &spaces->surface );
	supArena_Destroy( &spaces->arena );
	*spaces = ( supSkeletonSpaces ){ 0 };
}

static bool IsBelow( const supCharacter* character, int32_t node, int32_t ancestor )
{
	while ( node >= 0 && node != ancestor )
	{
		node = supCharacter_Node( character, node )->parent;
	}
	return node >= 0;
}

// How far the skin of a joint and of those below it goes along a direction.
static float MeasureSkin( const supSkeletonSpaces* s, int32_t node, supVec3 direction )
{
	float most = 0.0f;
	for ( int32_t i = 0; i < s->surface.vertexCount; ++i )
	{
		float along = supDot( supSub( s->surface.positions[i], s->joints[node] ), direction );
		if ( along > most && IsBelow( s->character, s->owners[i], node ) )
		{
			most = along;
		}
	}
	return most;
}

static bool IsInChain( const int32_t* chain, int32_t count, int32_t node )
{
	bool is = false;
	for ( int32_t i = 0; i < count; ++i )
	{
		is = is || chain[i] == node;
	}
	return is;
}

// Along the trunk, or the neck. Skeletons divide them into one joint or into ten, so that all of these measure in
// lengths of the whole. False for joints of neither.
static bool FindTrunk( const supSkeletonSpaces* s, const supHumanoid* h, int32_t node, supVec3* along )
{
	int32_t top = h->neckCount > 0 ? h->neck[0] : h->head;
	if ( ( node == h->hips || IsInChain( h->spine, h->spineCount, node ) ) && h->hips >= 0 && top >= 0 )
	{
		*along = supSub( s->joints[top], s->joints[h->hips] );
		return true;
	}
	if ( IsInChain( h->neck, h->neckCount, node ) && h->head >= 0 )
	{
		*along = supSub( s->joints[h->head], s->joints[h->neck[0]] );
		return true;
	}
	return false;
}

// The joint of a limb that a bone leads to; -1 where that is not known by role.
static int32_t NextByRole( const supHumanoid* h, int32_t node )
{
	static const supBodyPart next[][2] = {
		{ sup_partShoulder, sup_partUpperArm }, { sup_partUpperArm, sup_partLowerArm },
		{ sup_partLowerArm, sup_partHand },     { sup_partHand, sup_partMiddle1 },
		{ sup_partUpperLeg, sup_partLowerLeg }, { sup_partLowerLeg, sup_partFoot },
		{ sup_partFoot, sup_partToe }
	};
	int32_t found = -1;
	for ( int32_t i = 0; i < 2 * SUP_COUNT( next ) && found < 0; ++i )
	{
		const int32_t* limb = h->limb[i % 2];
		found = limb[next[i / 2][0]] == node ? limb[next[i / 2][1]] : -1;
	}
	return found;
}

// From the joint to the middle of its children; zero if there are none.
static supVec3 ToChildren( const supSkeletonSpaces* s, int32_t node )
{
	supVec3 sum = supVec3_zero;
	int32_t count = 0;
	for ( int32_t i = 0; i < supCharacter_NodeCount( s->character ); ++i )
	{
		if ( supCharacter_Node( s->character, i )->parent == node )
		{
			sum = supAdd( sum, supSub( s->joints[i], s->joints[node] ) );
			count += 1;
		}
	}
	return count > 0 ? supScale( 1.0f / (float)count, sum ) : sum;
}

// Along the bone and as long as it.
static supVec3 FindBone( const supSkeletonSpaces* s, int32_t node )
{
	const supHumanoid* h = s->isHumanoid ? &s->humanoid : NULL;
	float least = LEAST_LENGTH * s->size;
	bool isHead = h != NULL && node == h->head;
	int32_t next = h != NULL ? NextByRole( h, node ) : -1;
	supVec3 along = supVec3_zero;
	if ( isHead == false && ( h == NULL || FindTrunk( s, h, node, &along ) == false ) )
	{
		along = next >= 0 ? supSub( s->joints[next], s->joints[node] ) : ToChildren( s, node );
	}
	if ( supLength( along ) >= least )
	{
		return along;
	}
	// the end of a chain goes on as it came, a head upwards
	int32_t parent = supCharacter_Node( s->character, node )->parent;
	supVec3 direction = supMakeVec3( 0.0f, 1.0f, 0.0f );
	if ( isHead == false && parent >= 0 && supDistance( s->joints[node], s->joints[parent] ) >= least )
	{
		direction = supNormalize( supSub( s->joints[node], s->joints[parent] ) );
	}
	return supScale( supMaxFloat( MeasureSkin( s, node, direction ), least ), direction );
}

supBoneSpace supSkeletonSpaces_Find( const supSkeletonSpaces* spaces, int32_t node )
{
	supVec3 bone = FindBone( spaces, node );
	float length = supLength( bone );
	supBoneSpace space = { .origin = spaces->joints[node], .length = length, .y = supScale( 1.0f / length, bone ) };
	supVec3 front = spaces->forward;
	if ( fabsf( supDot( front, space.y ) ) > FORWARD_COSINE )
	{
		front = supMakeVec3( 0.0f, 1.0f, 0.0f );
	}
	space.x = supNormalize( supCross( space.y, front ) );
	space.z = supCross( space.x, space.y );
	return space;
}

supVec3 supBoneSpace_ToWorld( const supBoneSpace* space, supVec3 p )
{
	supVec3 d = supAdd( supScale( p.x, space->x ), supAdd( supScale( p.y, space->y ), supScale( p.z, space->z ) ) );
	return supMulAdd( space->origin, space->length, d );
}

supVec3 supBoneSpace_FromWorld( const supBoneSpace* space, supVec3 p )
{
	supVec3 d = supScale( 1.0f / space->length, supSub( p, space->origin ) );
	return supMakeVec3( supDot( d, space->x ), supDot( d, space->y ), supDot( d, space->z ) );
}

float supGetBoneLength( const supCharacter* character, int32_t node )
{
	supSkeletonSpaces spaces = { 0 };
	supError error;
	if ( node < 0 || node >= supCharacter_NodeCount( character ) ||
		 supSkeletonSpaces_Init( &spaces, character, NULL, &error ) == false )
	{
		return 0.0f;
	}
	float length = supSkeletonSpaces_Find( &spaces, node ).length;
	supSkeletonSpaces_Destroy( &spaces );
	return length;
}

// ---------------------------------------------------------------------------------------------------------------------
// Regions

supSoftRegion supResolveSoftRegion( const supSkeletonSpaces* spaces, const supSoftRegion* region )
{
	supSoftRegion world = *region;
	if ( supIsSoftSolid( region ) && region->isInBoneSpace )
	{
		supBoneSpace space = supSkeletonSpaces_Find( spaces, region->node );
		world.center = supBoneSpace_ToWorld( &space, region->center );
		world.end = supBoneSpace_ToWorld( &space, region->end );
		world.radius *= space.length;
		world.border *= space.length;
		world.isInBoneSpace = false;
	}
	return world;
}

const supSoftRegion* supResolveSoftRegions( const supCharacter* character, const supSoftRegion* regions, int32_t count,
											supArena* arena )
{
	static const supSoftRegion none = { 0 };
	bool isRelative = false;
	for ( int32_t i = 0; i < count; ++i )
	{
		isRelative = isRelative || ( supIsSoftSolid( regions + i ) && regions[i].isInBoneSpace );
	}
	if ( isRelative == false )
	{
		return count > 0 ? regions : &none;
	}
	supSkeletonSpaces spaces = { 0 };
	supError error;
	supSoftRegion* resolved = supArena_AllocArray( arena, (size_t)count, sizeof( supSoftRegion ) );
	if ( resolved == NULL || supSkeletonSpaces_Init( &spaces, character, NULL, &error ) == false )
	{
		return NULL;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		resolved[i] = supResolveSoftRegion( &spaces, regions + i );
	}
	supSkeletonSpaces_Destroy( &spaces );
	return resolved;
}
