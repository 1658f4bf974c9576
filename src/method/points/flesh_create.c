// SPDX-License-Identifier: MIT
#include "core/tasks.h"
#include "method/body_parts.h"
#include "method/points/flesh.h"
#include "method/points/solver_internal.h"
#include "volume/tets/tet_topology.h"

// What firmness does to stiffness: 1 / softness², at most this.
#define MOST_STIFFNESS 25.0f

// What is left of the stiffness of a tet that reaches from one limb to another.
#define LEAST_BOND_SHARE 1e-3f

// Of the way from a last joint to the skin beyond it: so far it has a bone.
#define TAIL 0.9f

typedef struct Maker
{
	supArena scratch;
	const supFleshInput* input;
	supPointsFlesh* flesh;
	supError* error;
	supBodyParts parts;
	supBodySkin skin;
	uint8_t* fixed;
	float* softnesses;
	bool* rigid; // of each point: it belongs to a mesh that hangs on a joint and is not skinned
} Maker;

static void* Copy( supPointsFlesh* flesh, const void* items, size_t count, size_t itemSize )
{
	return supArena_CopyArray( &flesh->arena, items, count, itemSize );
}

static bool TakeTets( Maker* maker )
{
	supPointsFlesh* flesh = maker->flesh;
	const supTets* tets = &maker->parts.tets;
	int32_t* triangles = NULL;
	if ( supTets_Boundary( tets, &maker->scratch, &flesh->triangleCount, &triangles, maker->error ) == false )
	{
		return false;
	}
	flesh->pointCount = tets->pointCount;
	flesh->tetCount = tets->tetCount;
	flesh->points = Copy( flesh, tets->points, (size_t)tets->pointCount, sizeof( supVec3 ) );
	flesh->tets = Copy( flesh, tets->indices, 4 * (size_t)tets->tetCount, sizeof( int32_t ) );
	flesh->triangles = Copy( flesh, triangles, 3 * (size_t)flesh->triangleCount, sizeof( int32_t ) );
	return flesh->arena.failed == false || supSetMemoryError( maker->error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Skeleton

static bool TakeBones( Maker* maker )
{
	supPointsFlesh* flesh = maker->flesh;
	maker->rigid = supArena_AllocZeroed( &maker->scratch, (size_t)flesh->pointCount * sizeof( bool ) );
	if ( maker->rigid == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	bool ok =
		supBodyParts_FindSkin( &maker->parts, maker->input, &flesh->arena, maker->rigid, &maker->skin, maker->error );
	flesh->boneCount = maker->skin.boneCount;
	flesh->boneNodes = maker->skin.boneNodes;
	flesh->boneInverses = maker->skin.boneInverses;
	flesh->joints = maker->skin.joints;
	flesh->weights = maker->skin.weights;
	return ok;
}

// Every part has at least one point that is nailed: the one nearest to a bone.
static bool AnchorParts( Maker* maker )
{
	int32_t partCount, *parts;
	if ( supTets_Parts( &maker->parts.tets, &maker->scratch, &partCount, &parts, maker->error ) == false )
	{
		return false;
	}
	int32_t* nearest = supArena_AllocArray( &maker->scratch, (size_t)partCount, sizeof( int32_t ) );
	float* distances = supArena_AllocArray( &maker->scratch, (size_t)partCount, sizeof( float ) );
	if ( maker->scratch.failed )
	{
		return supSetMemoryError( maker->error );
	}
	for ( int32_t i = 0; i < partCount; ++i )
	{
		nearest[i] = -1;
	}
	for ( int32_t i = 0; i < maker->parts.tets.pointCount; ++i )
	{
		float distance = maker->fixed[i]
							 ? -1.0f
							 : supSoftness_Sample( &maker->parts.softness, maker->parts.tets.points[i] ).boneDistance;
		if ( nearest[parts[i]] < 0 || distance < distances[parts[i]] )
		{
			nearest[parts[i]] = i;
			distances[parts[i]] = distance;
		}
	}
	for ( int32_t i = 0; i < partCount; ++i )
	{
		maker->fixed[nearest[i]] = 1;
	}
	return true;
}

// Mean length of the edges of tets.
static float MeasureEdge( const supPointsFlesh* flesh )
{
	double sum = 0.0;
	for ( int64_t t = 0; t < flesh->tetCount; ++t )
	{
		const int32_t* corners = flesh->tets + 4 * t;
		for ( int32_t i = 0; i < 3; ++i )
		{
			for ( int32_t k = i + 1; k < 4; ++k )
			{
				sum += (double)supDistance( flesh->points[corners[i]], flesh->points[corners[k]] );
			}
		}
	}
	return flesh->tetCount > 0 ? (float)( sum / ( 6.0 * flesh->tetCount ) ) : 0.0f;
}

// A last joint has no tail: what lies beyond it is all that hangs on it, and would droop. Its bone goes on along its
// stub, nearly to the skin.
static supSegment FindTail( const Maker* maker, int32_t bone )
{
	const supBones* bones = &maker->parts.bones;
	const supVoxels* voxels = &maker->parts.softness.voxels;
	supSegment tail = bones->segments[bones->segmentStarts[bone]];
	float length = supDistance( tail.a, tail.b ), step = 0.5f * (float)voxels->size, reach = 0.0f;
	supVec3 direction = length > step ? supScale( 1.0f / length, supSub( tail.b, tail.a ) ) : supVec3_zero;
	while ( length > step && supVoxels_FindAt( voxels, supMulAdd( tail.a, reach + step, direction ) ) >= 0 )
	{
		reach += step;
	}
	tail.b = supMulAdd( tail.a, TAIL * reach, direction );
	return tail;
}

static bool IsLast( const supBones* bones, int32_t bone )
{
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		if ( bones->parents[i] == bone )
		{
			return false;
		}
	}
	return bones->isHandle[bone] == false;
}

static void NailTails( Maker* maker, float reach )
{
	for ( int32_t bone = 0; bone < maker->parts.bones.count; ++bone )
	{
		supSegment tail = IsLast( &maker->parts.bones, bone ) ? FindTail( maker, bone ) : ( supSegment ){ 0 };
		for ( int32_t i = 0; supDistance( tail.a, tail.b ) > 0.0f && i < maker->parts.tets.pointCount; ++i )
		{
			if ( supDistanceToSegment( &tail, maker->parts.tets.points[i] ) <= reach )
			{
				maker->fixed[i] = 1;
			}
		}
	}
}

// Through the flesh, as voxels know it; they may be coarser than tets, and so within a voxel in a straight line.
static bool IsNearBone( const Maker* maker, supVec3 point, float reach )
{
	const supBones* bones = &maker->parts.bones;
	float distance = supSoftness_Sample( &maker->parts.softness, point ).boneDistance;
	bool isNear = distance <= reach;
	bool mayBe = distance <= reach + (float)maker->parts.softness.voxels.size;
	for ( int32_t i = 0; mayBe && isNear == false && i < bones->segmentStarts[bones->count]; ++i )
	{
		isNear = supDistanceToSegment( bones->segments + i, point ) <= reach;
	}
	return isNear;
}

// The bone layer: firm flesh, rigid parts, and the points around the bones. A place inside a tet is within 0.61 of an
// edge of one of its corners, so that no stretch of a bone is without nails, however soft the flesh around it. Posed
// flesh is held by tethers all over: tails and ears swing with their bones in them.
static void NailBoneLayer( Maker* maker )
{
	float reach = 0.75f * MeasureEdge( maker->flesh );
	// armour, machines, eyes: a mesh that its author hung on a joint without a skin is soft only where it is painted
	bool isMade = maker->parts.softness.isAutomatic;
	for ( int32_t i = 0; i < maker->parts.tets.pointCount; ++i )
	{
		bool isFirm = maker->softnesses[i] <= maker->input->parameters[sup_pointsFirm];
		maker->fixed[i] = isFirm || ( isMade && maker->rigid[i] ) ||
						  ( maker->flesh->isPosed == false && IsNearBone( maker, maker->parts.tets.points[i], reach ) );
	}
	if ( maker->flesh->isPosed == false )
	{
		NailTails( maker, reach );
	}
}

static bool FindSoftness( Maker* maker )
{
	const supFleshDef* def = maker->input->def;
	if ( supBodyParts_FindSoftness( &maker->parts, maker->input, maker->error ) == false )
	{
		return false;
	}
	int32_t* regions =
		supArena_AllocArray( &maker->flesh->arena, (size_t)maker->parts.tets.pointCount, sizeof( int32_t ) );
	if ( regions == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	maker->flesh->regions = regions;
	maker->flesh->regionCount = def->softRegionCount > 0 ? def->softRegionCount : 1;
	supSoftness_SampleMany( &maker->parts.softness, maker->parts.tets.points, maker->parts.tets.pointCount,
							maker->softnesses, regions, maker->input->tasks );
	NailBoneLayer( maker );
	return AnchorParts( maker );
}

static bool NailFirmFlesh( Maker* maker )
{
	supPointsFlesh* flesh = maker->flesh;
	size_t count = (size_t)flesh->pointCount;
	maker->fixed = supArena_AllocArray( &flesh->arena, count, 1 );
	maker->softnesses = supArena_AllocArray( &flesh->arena, count, sizeof( float ) );
	float* stiffness = supArena_AllocArray( &flesh->arena, (size_t)flesh->tetCount, sizeof( float ) );
	flesh->fixed = maker->fixed;
	flesh->tetStiffness = stiffness;
	flesh->softnesses = maker->softnesses;
	if ( flesh->arena.failed )
	{
		return supSetMemoryError( maker->error );
	}
	memset( maker->fixed, 0, count );
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		maker->softnesses[i] = 1.0f;
	}
	if ( flesh->isProp == false && ( FindSoftness( maker ) == false ||
									 supBodyParts_FindBridges( &maker->parts, maker->input, maker->error ) == false ) )
	{
		return false;
	}
	for ( int32_t i = 0; i < flesh->tetCount; ++i )
	{
		float softness = 0.0f;
		for ( int32_t k = 0; k < 4; ++k )
		{
			softness += 0.25f * maker->softnesses[flesh->tets[4 * (int64_t)i + k]];
		}
		stiffness[i] = supMinFloat( 1.0f / supMaxFloat( softness * softness, 1e-6f ), MOST_STIFFNESS );
		stiffness[i] *= flesh->isProp
							? 1.0f
							: supMaxFloat( supBodyParts_TetBond( &maker->parts, &maker->skin, i ), LEAST_BOND_SHARE );
	}
	return flesh->isProp || supPointsFlesh_TuneRegions( flesh, maker->input, stiffness, maker->error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Surface

static bool IsDirect( const supPointsFlesh* flesh, const supCharacter* character )
{
	if ( flesh->isProp == false || supCharacter_InstanceCount( character ) != 1 )
	{
		return false;
	}
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh );
	return mesh->vertexCount == flesh->pointCount && mesh->targetCount == 0 &&
		   memcmp( mesh->positions, flesh->points, (size_t)flesh->pointCount * sizeof( supVec3 ) ) == 0;
}

static bool BindSurface( Maker* maker )
{
	supPointsFlesh* flesh = maker->flesh;
	flesh->isDirect = IsDirect( flesh, maker->input->character );
	if ( flesh->isDirect )
	{
		return true;
	}
	return supSurfaceBinding_InitTets( &flesh->binding, maker->input->character, &maker->parts.tets,
									   maker->input->tasks, maker->error ) &&
		   ( flesh->isProp ||
			 supBodyParts_KeepOwnPoints( &maker->parts, &maker->skin, maker->input, &flesh->binding, maker->error ) ) &&
		   ( supSurfaceBinding_KeepShells( &flesh->binding, maker->parts.softness.isRigid ) ||
			 supSetMemoryError( maker->error ) );
}

static bool ListAround( supPointsFlesh* flesh )
{
	int32_t corners = 3 * flesh->triangleCount;
	int32_t* starts = supArena_AllocArray( &flesh->arena, (size_t)flesh->pointCount + 2, sizeof( int32_t ) );
	int32_t* around = supArena_AllocArray( &flesh->arena, (size_t)corners, sizeof( int32_t ) );
	if ( flesh->arena.failed )
	{
		return false;
	}
	memset( starts, 0, ( (size_t)flesh->pointCount + 2 ) * sizeof( int32_t ) );
	for ( int32_t i = 0; i < corners; ++i )
	{
		starts[flesh->triangles[i] + 2] += 1;
	}
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		starts[i + 2] += starts[i + 1];
	}
	for ( int32_t i = 0; i < corners; ++i )
	{
		around[starts[flesh->triangles[i] + 1]++] = i / 3;
	}
	flesh->aroundStarts = starts;
	flesh->around = around;
	return true;
}

supPointBodyDef supPointsFlesh_BodyDef( const supPointsFlesh* flesh )
{
	supPointBodyDef def = supDefaultPointBodyDef();
	def.pointCount = flesh->pointCount;
	def.points = flesh->points;
	def.density = flesh->density;
	def.fixed = flesh->fixed;
	def.tetCount = flesh->tetCount;
	def.tets = flesh->tets;
	def.tetStiffness = flesh->tetStiffness;
	def.triangleCount = flesh->triangleCount;
	def.triangles = flesh->triangles;
	return def;
}

static bool KeepShape( supPointsFlesh* flesh )
{
	flesh->shape = supArena_AllocZeroed( &flesh->arena, 4 * sizeof( float ) * (size_t)flesh->body.slotCount );
	for ( int32_t i = 0; flesh->shape != NULL && i < flesh->pointCount; ++i )
	{
		memcpy( flesh->shape + 4 * (int64_t)i, flesh->body.rest + i, sizeof( supVec3 ) );
	}
	if ( flesh->shape != NULL )
	{
		supRefreshCopies( &flesh->body, flesh->shape );
	}
	return flesh->shape != NULL;
}

bool supPointsFlesh_Finish( supPointsFlesh* flesh, const supCharacter* character, supError* error )
{
	supPointBodyDef def = supPointsFlesh_BodyDef( flesh );
	flesh->edge = MeasureEdge( flesh );
	return supPointBody_Init( &flesh->body, &def, error ) &&
		   ( flesh->isPosed == false || supPointsFlesh_CreateFactors( flesh, error ) ) &&
		   ( ( ( flesh->isProp ||
				 ( supPointsFlesh_MeasureReaches( flesh ) && supPointsFlesh_FindAxes( flesh, character ) ) ) &&
			   ( flesh->isPosed == false || KeepShape( flesh ) ) &&
			   ( flesh->isDirect == false || ListAround( flesh ) ) ) ||
			 supSetMemoryError( error ) );
}

void* supPoints_CreateFlesh( const supFleshInput* input, supError* error )
{
	supPointsFlesh* flesh = supAllocZeroed( sizeof( supPointsFlesh ) );
	if ( flesh == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	flesh->integrator = (supIntegrator)input->parameters[sup_pointsIntegrator];
	flesh->density = input->parameters[sup_pointsDensity];
	flesh->isProp = supCharacter_SkinCount( input->character ) == 0;
	flesh->isPosed = flesh->isProp == false && flesh->integrator == sup_integratorImplicit;
	Maker maker = { .input = input, .flesh = flesh, .error = error };
	int32_t tetCount = (int32_t)input->parameters[sup_pointsTets];
	bool ok = supBodyParts_Mesh( &maker.parts, input, tetCount, error ) && TakeTets( &maker ) && TakeBones( &maker ) &&
			  NailFirmFlesh( &maker ) && BindSurface( &maker ) &&
			  supPointsFlesh_Finish( flesh, input->character, error );
	supBodyParts_Destroy( &maker.parts );
	supArena_Destroy( &maker.scratch );
	if ( ok == false )
	{
		supPoints_DestroyFlesh( flesh );
		flesh = NULL;
	}
	return flesh;
}

void supPoints_DestroyFlesh( void* fleshPointer )
{
	supPointsFlesh* flesh = fleshPointer;
	if ( flesh != NULL )
	{
		supPointsFlesh_DestroyFactors( flesh );
		supSurfaceBinding_Destroy( &flesh->binding );
		supPointBody_Destroy( &flesh->body );
		supArena_Destroy( &flesh->arena );
		supFree( flesh );
	}
}
