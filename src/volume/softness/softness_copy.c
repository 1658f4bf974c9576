// SPDX-License-Identifier: MIT
// Soft regions of one character for another: bones are matched, places are kept relative to them.
#include "core/core.h"
#include "core/tasks.h"
#include "volume/body/bones.h"
#include "volume/softness/bone_space.h"
#include "volume/softness/softness.h"

#include <float.h>

typedef struct Copy
{
	supSoftnessCopy copy; // first, so that the public pointer is ours
	supArena arena;
} Copy;

typedef struct Copier
{
	const supTasks* tasks;
	supSkeletonSpaces from, to;
	// of each node of `from`: that of `to`, or -1; spaces of both where there is one
	int32_t* matches;
	supBoneSpace* fromSpaces;
	supBoneSpace* toSpaces;
	// of each node of `to`: the one of `from` that it was matched with, or the nearest above that was; -1 without
	int32_t* sources;
	supArena scratch;
	Copy* own;
	supSoftRegion* regions;
} Copier;

// ---------------------------------------------------------------------------------------------------------------------
// Bones

static bool IsJoint( const supCharacter* character, int32_t node )
{
	for ( int32_t i = 0; i < supCharacter_SkinCount( character ); ++i )
	{
		const supSkin* skin = supCharacter_Skin( character, i );
		for ( int32_t k = 0; k < skin->jointCount; ++k )
		{
			if ( skin->joints[k] == node )
			{
				return true;
			}
		}
	}
	return supCharacter_SkinCount( character ) == 0;
}

// Returns how many match, -1 when out of memory.
static int32_t MatchBones( Copier* c )
{
	int32_t fromCount = supCharacter_NodeCount( c->from.character ),
			toCount = supCharacter_NodeCount( c->to.character );
	c->matches = supArena_AllocArray( &c->scratch, (size_t)fromCount, sizeof( int32_t ) );
	c->fromSpaces = supArena_AllocArray( &c->scratch, (size_t)fromCount, sizeof( supBoneSpace ) );
	c->toSpaces = supArena_AllocArray( &c->scratch, (size_t)fromCount, sizeof( supBoneSpace ) );
	c->sources = supArena_AllocArray( &c->scratch, (size_t)toCount, sizeof( int32_t ) );
	if ( c->scratch.failed )
	{
		return -1;
	}
	int32_t count = 0;
	for ( int32_t i = 0; i < toCount; ++i )
	{
		c->sources[i] = -1;
	}
	for ( int32_t i = 0; i < fromCount; ++i )
	{
		c->matches[i] = IsJoint( c->from.character, i ) ? supSkeletonSpaces_Match( &c->from, i, &c->to ) : -1;
		if ( c->matches[i] >= 0 && IsJoint( c->to.character, c->matches[i] ) == false )
		{
			c->matches[i] = -1;
		}
		if ( c->matches[i] >= 0 )
		{
			c->fromSpaces[i] = supSkeletonSpaces_Find( &c->from, i );
			c->toSpaces[i] = supSkeletonSpaces_Find( &c->to, c->matches[i] );
			c->sources[c->matches[i]] = i;
			count += 1;
		}
	}
	return count;
}

// The joint of `from` that the flesh of a node of `to` corresponds to.
static int32_t SourceOf( const Copier* c, int32_t node )
{
	while ( node >= 0 && c->sources[node] < 0 )
	{
		node = supCharacter_Node( c->to.character, node )->parent;
	}
	return node >= 0 ? c->sources[node] : -1;
}

// The nearest joint of `from`, itself or above, that has a match.
static int32_t MatchedAbove( const Copier* c, int32_t node )
{
	while ( node >= 0 && c->matches[node] < 0 )
	{
		node = supCharacter_Node( c->from.character, node )->parent;
	}
	return node;
}

static int32_t NearestMatched( const Copier* c, supVec3 p )
{
	int32_t nearest = -1;
	float least = FLT_MAX;
	for ( int32_t i = 0; i < supCharacter_NodeCount( c->from.character ); ++i )
	{
		if ( c->matches[i] >= 0 )
		{
			const supBoneSpace* space = c->fromSpaces + i;
			supSegment segment = { space->origin, supMulAdd( space->origin, space->length, space->y ) };
			float distance = supDistanceToSegment( &segment, p );
			nearest = distance < least ? i : nearest;
			least = supMinFloat( least, distance );
		}
	}
	return nearest;
}

// ---------------------------------------------------------------------------------------------------------------------
// Regions

static void Lose( Copier* c, int32_t index, const supSoftRegion* region, int32_t node )
{
	supLog( sup_logWarning, "soft region %d (%s) skipped: %s has no joint that matches \"%s\"", index,
			region->name != NULL ? region->name : "", supCharacter_Name( c->to.character ),
			supCharacter_Node( c->from.character, node )->name );
	c->own->copy.lost += 1;
}

// A ball or a capsule, relative to the bone that it is given with, or that its middle is nearest to.
static void CopySolid( Copier* c, int32_t index, const supSoftRegion* region )
{
	supSoftRegion world = supResolveSoftRegion( &c->from, region );
	supVec3 far = region->shape == sup_softCapsule ? world.end : world.center;
	int32_t node = region->isInBoneSpace ? region->node : NearestMatched( c, supLerp( world.center, far, 0.5f ) );
	if ( c->matches[node] < 0 )
	{
		Lose( c, index, region, node );
		return;
	}
	const supBoneSpace* space = c->fromSpaces + node;
	supSoftRegion* to = c->regions + c->own->copy.count++;
	*to = *region;
	to->node = c->matches[node];
	to->isInBoneSpace = true;
	to->reach *= c->toSpaces[node].length / space->length;
	if ( region->isInBoneSpace == false )
	{
		to->center = supBoneSpace_FromWorld( space, world.center );
		to->end = region->shape == sup_softCapsule ? supBoneSpace_FromWorld( space, far ) : supVec3_zero;
		to->radius = world.radius / space->length;
		to->border = world.border / space->length;
	}
}

static void CopyJoint( Copier* c, int32_t index, const supSoftRegion* region )
{
	if ( c->matches[region->node] < 0 )
	{
		Lose( c, index, region, region->node );
		return;
	}
	float ratio = c->toSpaces[region->node].length / c->fromSpaces[region->node].length;
	supSoftRegion* to = c->regions + c->own->copy.count++;
	*to = *region;
	to->node = c->matches[region->node];
	to->border *= ratio;
	to->reach *= ratio;
}

// What the region says of each vertex of `from`, 0 .. 1.
static float* FindValues( Copier* c, const supSoftRegion* region )
{
	const supRestSurface* surface = &c->from.surface;
	float* values = supArena_AllocZeroed( &c->scratch, (size_t)surface->vertexCount * sizeof( float ) );
	for ( int32_t i = 0; values != NULL && i < supCharacter_InstanceCount( c->from.character ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( c->from.character, i );
		const supMesh* mesh = supCharacter_Mesh( c->from.character, instance->mesh );
		float* own = values + surface->vertexStarts[i];
		bool isThis = region->shape != sup_softPainted && i == region->instance;
		for ( int32_t k = 0; region->shape == sup_softPainted && mesh->softness != NULL && k < mesh->vertexCount; ++k )
		{
			own[k] = mesh->softness[k];
		}
		for ( int32_t k = 0; isThis && k < region->vertexCount; ++k )
		{
			if ( region->shape == sup_softValues )
			{
				own[k] = region->values[k];
			}
			else
			{
				own[region->vertices[k]] = 1.0f;
			}
		}
	}
	return values;
}

typedef struct Skin
{
	const Copier* c;
	const float* values;
	// of each vertex of `from`: its joint that has a match, or -1, and its place in the space of that
	int32_t* joints;
	supVec3* places;
	float* out;
	const supRestSurface* surface; // of `to`
} Skin;

// The value of the nearest vertex along the same bone.
static void FindNearestRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Skin* skin = context;
	const Copier* c = skin->c;
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t joint = SourceOf( c, c->to.owners[i] );
		if ( joint < 0 )
		{
			continue;
		}
		supVec3 p = supBoneSpace_FromWorld( c->toSpaces + joint, skin->surface->positions[i] );
		float least = FLT_MAX;
		for ( int32_t k = 0; k < c->from.surface.vertexCount; ++k )
		{
			float square = skin->joints[k] == joint ? supLengthSquared( supSub( skin->places[k], p ) ) : FLT_MAX;
			if ( square < least )
			{
				least = square;
				skin->out[i] = skin->values[k];
			}
		}
	}
}

// Painted softness, a brush stroke or a list of vertices: values for each instance of `to` that has any.
static bool CopySkin( Copier* c, const supSoftRegion* region )
{
	int32_t count = c->from.surface.vertexCount;
	Skin skin = { .c = c, .surface = &c->to.surface, .values = FindValues( c, region ) };
	skin.joints = supArena_AllocArray( &c->scratch, (size_t)count, sizeof( int32_t ) );
	skin.places = supArena_AllocArray( &c->scratch, (size_t)count, sizeof( supVec3 ) );
	skin.out = supArena_AllocZeroed( &c->own->arena, (size_t)c->to.surface.vertexCount * sizeof( float ) );
	if ( c->scratch.failed || c->own->arena.failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t joint = MatchedAbove( c, c->from.owners[i] );
		skin.joints[i] = joint;
		skin.places[i] =
			joint >= 0 ? supBoneSpace_FromWorld( c->fromSpaces + joint, c->from.surface.positions[i] ) : supVec3_zero;
	}
	supParallelFor( c->tasks, c->to.surface.vertexCount, 64, FindNearestRange, &skin );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( c->to.character ); ++i )
	{
		int32_t first = c->to.surface.vertexStarts[i], end = c->to.surface.vertexStarts[i + 1];
		float most = 0.0f;
		for ( int32_t k = first; k < end; ++k )
		{
			most = supMaxFloat( most, skin.out[k] );
		}
		if ( most > 0.0f )
		{
			supSoftRegion* to = c->regions + c->own->copy.count++;
			*to = *region;
			to->shape = sup_softValues;
			to->instance = i;
			to->vertexCount = end - first;
			to->vertices = NULL;
			to->values = skin.out + first;
			to->border *= c->to.size / c->from.size;
			to->reach *= c->to.size / c->from.size;
		}
	}
	return true;
}

static bool CopyRegion( Copier* c, int32_t index, const supSoftRegion* region )
{
	switch ( region->shape )
	{
		case sup_softSphere:
		case sup_softCapsule:
			CopySolid( c, index, region );
			return true;
		case sup_softNode:
			CopyJoint( c, index, region );
			return true;
		case sup_softAll:
			c->regions[c->own->copy.count] = *region;
			c->regions[c->own->copy.count++].reach *= c->to.size / c->from.size;
			return true;
		default:
			return CopySkin( c, region );
	}
}

static bool CopyNames( Copier* c )
{
	for ( int32_t i = 0; i < c->own->copy.count; ++i )
	{
		const char* name = c->regions[i].name;
		c->regions[i].name = name != NULL ? supArena_CopyString( &c->own->arena, name ) : NULL;
	}
	return c->own->arena.failed == false;
}

static bool CopyAll( Copier* c, const supSoftRegion* regions, int32_t count, supError* error )
{
	int32_t matched = MatchBones( c );
	if ( matched == 0 )
	{
		return supSetError( error, sup_errorArgument, "skeleton", "no joint of %s matches one of %s",
							supCharacter_Name( c->from.character ), supCharacter_Name( c->to.character ) );
	}
	size_t most = (size_t)count * (size_t)( supCharacter_InstanceCount( c->to.character ) + 1 );
	c->regions = supArena_AllocArray( &c->own->arena, most, sizeof( supSoftRegion ) );
	c->own->copy.regions = c->regions;
	bool ok = matched > 0 && c->regions != NULL;
	for ( int32_t i = 0; ok && i < count; ++i )
	{
		ok = CopyRegion( c, i, regions + i );
	}
	return ( ok && CopyNames( c ) ) || supSetMemoryError( error );
}

supSoftnessCopy* supCopySoftness( const supCharacter* from, const supSoftRegion* regions, int32_t regionCount,
								  const supCharacter* to, const supTasks* tasks, supError* error )
{
	supError mine;
	error = error != NULL ? error : &mine;
	supClearError( error );
	supSoftRegion painted = supDefaultSoftRegion();
	if ( regionCount == 0 && supIsPainted( from ) == false )
	{
		supSetError( error, sup_errorArgument, "softness", "%s has no painted softness and no soft regions",
					 supCharacter_Name( from ) );
		return NULL;
	}
	regions = regionCount > 0 ? regions : &painted;
	regionCount = regionCount > 0 ? regionCount : 1;
	supBones bones = { 0 };
	Copier copier = { .tasks = tasks, .own = supAllocZeroed( sizeof( Copy ) ) };
	bool ok = copier.own != NULL || supSetMemoryError( error );
	ok = ok && supBones_InitCharacter( &bones, from, error ) &&
		 supCheckSoftRegions( from, &bones, regions, regionCount, error ) &&
		 supSkeletonSpaces_Init( &copier.from, from, tasks, error ) &&
		 supSkeletonSpaces_Init( &copier.to, to, tasks, error ) && CopyAll( &copier, regions, regionCount, error );
	supBones_Destroy( &bones );
	supSkeletonSpaces_Destroy( &copier.from );
	supSkeletonSpaces_Destroy( &copier.to );
	supArena_Destroy( &copier.scratch );
	if ( ok == false && copier.own != NULL )
	{
		supDestroySoftnessCopy( &copier.own->copy );
		copier.own = NULL;
	}
	return ok ? &copier.own->copy : NULL;
}

void supDestroySoftnessCopy( supSoftnessCopy* copy )
{
	if ( copy != NULL )
	{
		Copy* own = (Copy*)copy;
		supArena_Destroy( &own->arena );
		supFree( own );
	}
}
