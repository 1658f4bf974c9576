// SPDX-License-Identifier: MIT
#include "volume/body/rest_surface.h"

#include "core/sort.h"

#define MOST_ITEMS ( 1 << 30 )

// Of the size: what joints at rest move vertices by is rounding.
#define ROUNDING 1e-5f

static void MarkJoints( const supCharacter* character, bool* isJoint )
{
	for ( int32_t i = 0; i < supCharacter_SkinCount( character ); ++i )
	{
		const supSkin* skin = supCharacter_Skin( character, i );
		for ( int32_t k = 0; k < skin->jointCount; ++k )
		{
			isJoint[skin->joints[k]] = true;
		}
	}
}

static bool IsMovedByJoint( const supCharacter* character, const bool* isJoint, const supInstance* instance )
{
	bool moved = instance->skin >= 0 && supCharacter_Mesh( character, instance->mesh )->influences > 0;
	for ( int32_t node = instance->node; moved == false && node >= 0; )
	{
		moved = isJoint[node];
		node = supCharacter_Node( character, node )->parent;
	}
	return moved;
}

bool supFindStillInstances( const supCharacter* character, bool* still )
{
	bool* isJoint = supAllocZeroed( (size_t)supCharacter_NodeCount( character ) );
	if ( isJoint == NULL )
	{
		return false;
	}
	MarkJoints( character, isJoint );
	bool anyMoves = false;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		still[i] = IsMovedByJoint( character, isJoint, supCharacter_Instance( character, i ) ) == false;
		anyMoves = anyMoves || still[i] == false;
	}
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		still[i] = still[i] && anyMoves;
	}
	supFree( isJoint );
	return true;
}

static bool Allocate( supRestSurface* surface, const supCharacter* character, supError* error )
{
	int32_t instanceCount = supCharacter_InstanceCount( character );
	surface->vertexStarts =
		supArena_AllocArray( &surface->arena, (size_t)instanceCount + 1, sizeof( *surface->vertexStarts ) );
	surface->still = supArena_AllocArray( &surface->arena, (size_t)instanceCount, sizeof( bool ) );
	if ( surface->arena.failed || supFindStillInstances( character, surface->still ) == false )
	{
		return supSetMemoryError( error );
	}
	int64_t vertexCount = 0, indexCount = 0;
	for ( int32_t i = 0; i < instanceCount; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		surface->vertexStarts[i] = (int32_t)vertexCount;
		vertexCount += mesh->vertexCount;
		indexCount += surface->still[i] ? 0 : mesh->indexCount / 3 * 3;
		if ( vertexCount > MOST_ITEMS || indexCount > MOST_ITEMS )
		{
			return supSetError( error, sup_errorTooLarge, supCharacter_Name( character ),
								"the instances have more than 2^30 vertices or corners in total; remove some" );
		}
	}
	surface->vertexStarts[instanceCount] = (int32_t)vertexCount;
	surface->vertexCount = (int32_t)vertexCount;
	surface->triangleCount = (int32_t)( indexCount / 3 );
	surface->positions = supArena_AllocArray( &surface->arena, (size_t)vertexCount, sizeof( *surface->positions ) );
	surface->indices = supArena_AllocArray( &surface->arena, (size_t)indexCount, sizeof( *surface->indices ) );
	return surface->arena.failed ? supSetMemoryError( error ) : true;
}

// Is the rest pose of an instance the one that it was bound in, but for rounding in the chain of its joints?
static bool RestsWhereBound( const supCharacter* character, int32_t index, supPose* pose, const supMesh* mesh )
{
	const supInstance* instance = supCharacter_Instance( character, index );
	if ( instance->skin < 0 || mesh->influences == 0 || mesh->vertexCount == 0 )
	{
		return false;
	}
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		box = supBox_Include( box, mesh->positions[i] );
	}
	float most = ROUNDING * ( supLength( supBox_Size( box ) ) + supLength( box.lower ) );
	const supMat34* palette = supPose_Palette( pose, index );
	bool isBound = true;
	for ( int32_t i = 0; i < 8 * supCharacter_Skin( character, instance->skin )->jointCount && isBound; ++i )
	{
		supVec3 corner =
			supMakeVec3( ( i & 1 ) != 0 ? box.upper.x : box.lower.x, ( i & 2 ) != 0 ? box.upper.y : box.lower.y,
						 ( i & 4 ) != 0 ? box.upper.z : box.lower.z );
		isBound = supDistance( supTransformPoint( palette[i / 8], corner ), corner ) <= most;
	}
	return isBound;
}

static bool IsMorphed( supPose* pose, int32_t instance, const supMesh* mesh )
{
	const float* weights = supPose_MorphWeights( pose, instance );
	bool isMorphed = false;
	for ( int32_t i = 0; i < mesh->targetCount; ++i )
	{
		isMorphed = isMorphed || weights[i] != 0.0f;
	}
	return isMorphed;
}

static void Fill( supRestSurface* surface, const supCharacter* character, supPose* pose, const supTasks* tasks )
{
	uint32_t* indices = surface->indices;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		uint32_t first = (uint32_t)surface->vertexStarts[i];
		supSkinOutput output = { .positions = surface->positions + first };
		// as the author has them: what is symmetric stays so, and so do the last bits, whoever has written the joints
		if ( RestsWhereBound( character, i, pose, mesh ) && IsMorphed( pose, i, mesh ) == false )
		{
			memcpy( output.positions, mesh->positions, (size_t)mesh->vertexCount * sizeof( supVec3 ) );
		}
		else
		{
			supSkinInstance( pose, i, sup_skinningLinear, tasks, &output );
		}
		// a mirror turns triangles inside out; the joints of one skin agree about it
		bool mirrored = supDeterminant( supLinearPart( supPose_Palette( pose, i )[0] ) ) < 0.0f;
		for ( int32_t k = 0; k + 2 < mesh->indexCount && surface->still[i] == false; k += 3 )
		{
			*indices++ = first + mesh->indices[k];
			*indices++ = first + mesh->indices[k + ( mirrored ? 2 : 1 )];
			*indices++ = first + mesh->indices[k + ( mirrored ? 1 : 2 )];
		}
	}
}

bool supRestSurface_Init( supRestSurface* surface, const supCharacter* character, const supTasks* tasks,
						  supError* error )
{
	supClearError( error );
	supPose* pose = supCreatePose( character );
	bool ok = pose != NULL ? Allocate( surface, character, error ) : supSetMemoryError( error );
	if ( ok )
	{
		Fill( surface, character, pose, tasks );
	}
	else
	{
		supRestSurface_Destroy( surface );
	}
	supDestroyPose( pose );
	return ok;
}

void supRestSurface_FindTriangles( const supRestSurface* surface, int32_t* triangles )
{
	memset( triangles, 0xff, (size_t)surface->vertexCount * sizeof( int32_t ) );
	for ( int32_t i = 3 * surface->triangleCount - 1; i >= 0; --i )
	{
		triangles[surface->indices[i]] = i / 3;
	}
}

static int32_t NextCorner( int32_t corner )
{
	return corner % 3 == 2 ? corner - 2 : corner + 1;
}

// Joins the corners of a run of sorted keys into rings, a ring for each upper half of the keys.
static void JoinRings( const uint64_t* keys, int32_t count, int32_t* rings )
{
	for ( int32_t first = 0, end; first < count; first = end )
	{
		for ( end = first + 1; end < count && keys[end] >> 32 == keys[first] >> 32; )
		{
			end += 1;
		}
		for ( int32_t i = first; i < end; ++i )
		{
			rings[keys[i] & UINT32_MAX] = (int32_t)( keys[i + 1 < end ? i + 1 : first] & UINT32_MAX );
		}
	}
}

// Corners by the lower place of their edge, then by the upper one.
bool supRestSurface_FindRings( const supRestSurface* s, const int32_t* places, supArena* scratch, int32_t* rings )
{
	size_t corners = 3 * (size_t)s->triangleCount;
	int32_t* starts = supArena_AllocZeroed( scratch, ( (size_t)s->vertexCount + 2 ) * sizeof( int32_t ) );
	uint64_t* keys = supArena_AllocArray( scratch, corners, sizeof( uint64_t ) );
	uint64_t* sorted = supArena_AllocArray( scratch, corners, sizeof( uint64_t ) );
	if ( scratch->failed )
	{
		return false;
	}
	for ( int pass = 0; pass < 2; ++pass )
	{
		for ( int32_t i = 0; i < (int32_t)corners; ++i )
		{
			int32_t from = places[s->indices[i]], to = places[s->indices[NextCorner( i )]];
			int32_t lower = from < to ? from : to, upper = from < to ? to : from;
			if ( pass == 0 )
			{
				starts[lower + 2] += 1;
			}
			else
			{
				keys[starts[lower + 1]++] = (uint64_t)upper << 32 | (uint64_t)i;
			}
		}
		for ( int32_t i = 0; i < s->vertexCount && pass == 0; ++i )
		{
			starts[i + 2] += starts[i + 1];
		}
	}
	for ( int32_t i = 0; i < s->vertexCount; ++i )
	{
		int32_t count = starts[i + 1] - starts[i];
		supSortKeys( keys + starts[i], sorted, (size_t)count, 64 );
		JoinRings( keys + starts[i], count, rings );
	}
	return true;
}

void supRestSurface_Destroy( supRestSurface* surface )
{
	supArena_Destroy( &surface->arena );
	*surface = ( supRestSurface ){ 0 };
}
