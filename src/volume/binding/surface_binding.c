// SPDX-License-Identifier: MIT
// The part of a binding that is the same for all kinds of flesh: the skin at rest, and writing it out.
#include "volume/binding/surface_binding.h"

#include "character/skinning_kernel.h"
#include "core/tasks.h"
#include "volume/binding/surface_binding_internal.h"
#include "volume/binding/surface_binding_kernel.h"

// Vertices per piece of the parallel loop.
#define GRAIN 2048

// Vertices that are morphed at once, in scratch space on the stack.
#define MORPH_BLOCK 256

void supSurfaceBinding_Destroy( supSurfaceBinding* binding )
{
	supArena_Destroy( &binding->arena );
	*binding = ( supSurfaceBinding ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// The skin at rest

static const supMesh* MeshOf( const supCharacter* character, int32_t instance )
{
	return supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
}

// The skin at rest while it is filled in.
typedef struct Skin
{
	supVec3* positions;
	supVec3* normals;
	supVec3* morphs;
	supVec3* morphNormals;
} Skin;

static bool Allocate( supSurfaceBinding* binding, const supCharacter* character, Skin* skin, supBindArrays* arrays )
{
	supArena* arena = &binding->arena;
	size_t vertices = (size_t)binding->vertexCount, slots = vertices * (size_t)binding->width;
	int64_t* morphStarts = supArena_AllocArray( arena, (size_t)binding->instanceCount + 1, sizeof( int64_t ) );
	if ( morphStarts == NULL )
	{
		return false;
	}
	int64_t morphCount = 0;
	for ( int32_t i = 0; i < binding->instanceCount; ++i )
	{
		const supMesh* mesh = MeshOf( character, i );
		morphStarts[i] = morphCount;
		morphCount += (int64_t)mesh->targetCount * mesh->vertexCount;
	}
	morphStarts[binding->instanceCount] = morphCount;
	binding->morphStarts = morphStarts;
	binding->morphs = skin->morphs = supArena_AllocArray( arena, (size_t)morphCount, sizeof( supVec3 ) );
	binding->morphNormals = skin->morphNormals = supArena_AllocArray( arena, (size_t)morphCount, sizeof( supVec3 ) );
	binding->positions = skin->positions = supArena_AllocArray( arena, vertices, sizeof( supVec3 ) );
	binding->normals = skin->normals = supArena_AllocArray( arena, vertices, sizeof( supVec3 ) );
	binding->points = arrays->points = supArena_AllocArray( arena, slots, sizeof( int32_t ) );
	binding->weights = arrays->weights = supArena_AllocArray( arena, slots, sizeof( float ) );
	binding->restPoints = arrays->restPoints =
		supArena_AllocArray( arena, (size_t)binding->pointCount, sizeof( supVec4 ) );
	return arena->failed == false;
}

// What one more of each target's weight changes, in world space.
static void FillMorphs( const supSurfaceBinding* binding, const Skin* skin, const supMesh* mesh, supPose* pose,
						int32_t instance, const supTasks* tasks )
{
	int32_t first = binding->vertexStarts[instance];
	supVec3* positions = skin->morphs + binding->morphStarts[instance];
	supVec3* normals = skin->morphNormals + binding->morphStarts[instance];
	float* weights = supPose_MorphWeights( pose, instance );
	for ( int32_t t = 0; t < mesh->targetCount; ++t )
	{
		float before = weights[t];
		weights[t] = before + 1.0f;
		supSkinInstance( pose, instance, sup_skinningLinear, tasks, &( supSkinOutput ){ positions, normals, NULL } );
		weights[t] = before;
		for ( int32_t i = 0; i < mesh->vertexCount; ++i )
		{
			positions[i] = supSub( positions[i], skin->positions[first + i] );
			normals[i] = supSub( normals[i], skin->normals[first + i] );
		}
		positions += mesh->vertexCount;
		normals += mesh->vertexCount;
	}
}

bool supSurfaceBinding_Begin( supSurfaceBinding* binding, const supCharacter* character, const supRestSurface* surface,
							  int32_t pointCount, int32_t width, const supTasks* tasks, supBindArrays* arrays,
							  supError* error )
{
	Skin skin;
	binding->instanceCount = supCharacter_InstanceCount( character );
	binding->vertexCount = surface->vertexCount;
	binding->pointCount = pointCount;
	binding->width = width;
	binding->vertexStarts = supArena_CopyArray( &binding->arena, surface->vertexStarts,
												(size_t)binding->instanceCount + 1, sizeof( int32_t ) );
	binding->still =
		supArena_CopyArray( &binding->arena, surface->still, (size_t)binding->instanceCount, sizeof( bool ) );
	supPose* pose = supCreatePose( character );
	bool ok = pose != NULL && binding->arena.failed == false && Allocate( binding, character, &skin, arrays );
	for ( int32_t i = 0; i < binding->instanceCount && ok; ++i )
	{
		int32_t first = binding->vertexStarts[i];
		supSkinOutput output = { skin.positions + first, skin.normals + first, NULL };
		supSkinInstance( pose, i, sup_skinningLinear, tasks, &output );
		FillMorphs( binding, &skin, MeshOf( character, i ), pose, i, tasks );
	}
	supDestroyPose( pose );
	return ok ? true : supSetMemoryError( error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

typedef struct WriteContext
{
	supBindJob job;
	// against the rest pose: weights beyond those at rest, and what they change; 0 targets where all are at rest
	int32_t targetCount;
	const float* weights;
	const float* restWeights;
	const supVec3* morphs;
	const supVec3* morphNormals;
} WriteContext;

static supBindJob CutJob( const supBindJob* job, int32_t begin, int32_t end )
{
	supBindJob part = *job;
	ptrdiff_t slot = (ptrdiff_t)begin * job->width;
	part.vertexCount = end - begin;
	part.points += slot;
	part.weights += slot;
	part.shares = job->shares != NULL ? job->shares + begin : NULL;
	part.positions = job->positions != NULL ? job->positions + begin : NULL;
	part.normals = job->normals != NULL ? job->normals + begin : NULL;
	part.tangents = job->tangents != NULL ? job->tangents + begin : NULL;
	part.offsets = job->offsets != NULL ? job->offsets + begin : NULL;
	part.outPositions = job->outPositions != NULL ? job->outPositions + begin : NULL;
	part.outNormals = job->outNormals != NULL ? job->outNormals + begin : NULL;
	part.outTangents = job->outTangents != NULL ? job->outTangents + begin : NULL;
	return part;
}

typedef struct MorphScratch
{
	supVec3 positions[MORPH_BLOCK];
	supVec3 normals[MORPH_BLOCK];
} MorphScratch;

// Replaces the reference of `part`, which starts at vertex `begin`, by morphed copies.
static void Morph( const WriteContext* context, int32_t begin, supBindJob* part, MorphScratch* scratch )
{
	size_t bytes = (size_t)part->vertexCount * sizeof( supVec3 );
	memcpy( scratch->positions, part->positions, bytes );
	memcpy( scratch->normals, part->normals, bytes );
	for ( int32_t t = 0; t < context->targetCount; ++t )
	{
		float weight = context->weights[t] - context->restWeights[t];
		if ( weight != 0.0f )
		{
			ptrdiff_t at = (ptrdiff_t)t * context->job.vertexCount + begin;
			SUP_CALL_KERNEL( supAddScaled )
			( &scratch->positions->x, &context->morphs[at].x, weight, 3 * part->vertexCount );
			SUP_CALL_KERNEL( supAddScaled )
			( &scratch->normals->x, &context->morphNormals[at].x, weight, 3 * part->vertexCount );
		}
	}
	part->positions = scratch->positions;
	part->normals = scratch->normals;
}

static void WriteRange( int32_t begin, int32_t end, int32_t worker, void* contextPointer )
{
	(void)worker;
	const WriteContext* context = contextPointer;
	if ( context->targetCount == 0 )
	{
		supBindJob part = CutJob( &context->job, begin, end );
		SUP_CALL_KERNEL( supBindSurface )( &part );
		return;
	}
	MorphScratch scratch;
	for ( int32_t i = begin; i < end; i += MORPH_BLOCK )
	{
		supBindJob part = CutJob( &context->job, i, end < i + MORPH_BLOCK ? end : i + MORPH_BLOCK );
		Morph( context, i, &part, &scratch );
		SUP_CALL_KERNEL( supBindSurface )( &part );
	}
}

static bool IsMorphed( const float* weights, const float* restWeights, int32_t count )
{
	bool morphed = false;
	for ( int32_t i = 0; i < count; ++i )
	{
		morphed = morphed || weights[i] != restWeights[i];
	}
	return morphed;
}

static void ReferToRest( WriteContext* context, const supSurfaceBinding* binding, supPose* pose, int32_t instance,
						 const supSkinOutput* output )
{
	int32_t first = binding->vertexStarts[instance];
	const supCharacter* character = supPose_Character( pose );
	const supMesh* mesh = MeshOf( character, instance );
	context->job.positions = binding->positions + first;
	context->job.normals = binding->normals + first;
	context->job.offsets = binding->offsets != NULL ? binding->offsets + first : NULL;
	context->weights = supPose_MorphWeights( pose, instance );
	context->restWeights = supCharacter_Instance( character, instance )->morphWeights;
	if ( IsMorphed( context->weights, context->restWeights, mesh->targetCount ) )
	{
		context->targetCount = mesh->targetCount;
		context->morphs = binding->morphs + binding->morphStarts[instance];
		context->morphNormals = binding->morphNormals + binding->morphStarts[instance];
	}
	if ( output->tangents != NULL )
	{
		memset( output->tangents, 0, (size_t)context->job.vertexCount * sizeof( supVec4 ) );
	}
}

static void ReferToSkin( WriteContext* context, supBindReference reference, supPose* pose, int32_t instance,
						 const supTasks* tasks, const supSkinOutput* output )
{
	supSkinInstance( pose, instance, reference == sup_bindToDual ? sup_skinningDualQuaternion : sup_skinningLinear,
					 tasks, output );
	supBindJob* job = &context->job;
	job->positions = output->positions;
	job->normals = output->normals;
	// tangents are kept at right angles to the normals and so need them
	job->tangents = output->normals != NULL ? output->tangents : NULL;
	job->outTangents = output->normals != NULL ? output->tangents : NULL;
}

void supSurfaceBinding_Write( const supSurfaceBinding* binding, const supBindFrame* frames, supBindReference reference,
							  supPose* pose, int32_t instance, const supTasks* tasks, const supSkinOutput* output )
{
	SUP_ASSERT( 0 <= instance && instance < binding->instanceCount );
	if ( binding->still[instance] )
	{
		supSkinInstance( pose, instance, sup_skinningLinear, tasks, output );
		return;
	}
	int32_t first = binding->vertexStarts[instance];
	ptrdiff_t slot = (ptrdiff_t)first * binding->width;
	WriteContext context = { .job = { .vertexCount = binding->vertexStarts[instance + 1] - first,
									  .width = binding->width,
									  .smoothness = binding->smoothness,
									  .frames = frames,
									  .points = binding->points + slot,
									  .weights = binding->weights + slot,
									  .outPositions = output->positions,
									  .outNormals = output->normals } };
	if ( reference == sup_bindToRest )
	{
		ReferToRest( &context, binding, pose, instance, output );
	}
	else
	{
		ReferToSkin( &context, reference, pose, instance, tasks, output );
		context.job.shares = binding->skinShares != NULL ? binding->skinShares + first : NULL;
	}
	supParallelFor( tasks, context.job.vertexCount, GRAIN, WriteRange, &context );
}

// ---------------------------------------------------------------------------------------------------------------------
// Places on the skin

static int32_t AddWeight( int32_t* points, float* weights, int32_t count, int32_t point, float weight )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( points[i] == point )
		{
			weights[i] += weight;
			return count;
		}
	}
	points[count] = point;
	weights[count] = weight;
	return count + 1;
}

int32_t supSurfaceBinding_Resolve( const supSurfaceBinding* binding, const supSurfacePoint* place,
								   int32_t points[SUP_MAX_BIND_POINTS], float weights[SUP_MAX_BIND_POINTS] )
{
	SUP_ASSERT( 0 <= place->instance && place->instance < binding->instanceCount );
	int32_t first = binding->vertexStarts[place->instance];
	int32_t count = 0;
	for ( int32_t corner = 0; corner < 3; ++corner )
	{
		int32_t vertex = first + place->vertices[corner];
		SUP_ASSERT( first <= vertex && vertex < binding->vertexStarts[place->instance + 1] );
		for ( int32_t k = 0; k < binding->width; ++k )
		{
			ptrdiff_t slot = (ptrdiff_t)vertex * binding->width + k;
			float weight = place->weights[corner] * binding->weights[slot];
			if ( weight > 0.0f )
			{
				count = AddWeight( points, weights, count, binding->points[slot], weight );
			}
		}
	}
	return count;
}

bool supSurfaceBinding_KeepMade( supSurfaceBinding* binding, const supCharacter* character )
{
	bool* still = supArena_CopyArray( &binding->arena, binding->still, (size_t)binding->instanceCount, sizeof( bool ) );
	if ( still == NULL )
	{
		return false;
	}
	bool hasSkin = false;
	for ( int32_t i = 0; i < binding->instanceCount; ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		bool isSkinned = instance->skin >= 0 && supCharacter_Mesh( character, instance->mesh )->influences > 0;
		still[i] = still[i] || isSkinned == false;
		hasSkin = hasSkin || isSkinned;
	}
	binding->still = hasSkin ? still : binding->still;
	binding->keepsMade = true;
	return true;
}

bool supSurfaceBinding_KeepShells( supSurfaceBinding* binding, const bool* isRigid )
{
	bool any = false;
	for ( int32_t i = 0; i < binding->vertexCount && isRigid != NULL; ++i )
	{
		any = any || isRigid[i];
	}
	if ( any == false )
	{
		return true;
	}
	float* shares = supArena_Alloc( &binding->arena, (size_t)binding->vertexCount * sizeof( float ) );
	for ( int32_t i = 0; i < binding->vertexCount && shares != NULL; ++i )
	{
		float share = binding->skinShares != NULL ? binding->skinShares[i] : 1.0f;
		shares[i] = isRigid[i] ? 0.0f : share;
	}
	binding->skinShares = shares;
	return shares != NULL;
}

bool supSurfaceBinding_KeepFirm( supSurfaceBinding* binding, const float* shares )
{
	bool any = false;
	for ( int32_t i = 0; i < binding->vertexCount; ++i )
	{
		any = any || shares[i] < 1.0f;
	}
	size_t count = (size_t)binding->vertexCount;
	binding->skinShares = any ? supArena_CopyArray( &binding->arena, shares, count, sizeof( float ) ) : NULL;
	return any == false || binding->skinShares != NULL;
}

int32_t supSurfaceBinding_ResolveVertex( const supSurfaceBinding* binding, int32_t instance, int32_t vertex,
										 int32_t* points, float* weights )
{
	if ( binding->still[instance] )
	{
		return 0;
	}
	supSurfacePoint place = { .instance = instance,
							  .vertices = { vertex, vertex, vertex },
							  .weights = { 1.0f, 0.0f, 0.0f } };
	return supSurfaceBinding_Resolve( binding, &place, points, weights );
}
