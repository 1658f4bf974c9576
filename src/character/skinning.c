// SPDX-License-Identifier: MIT
#include "character/skinning_kernel.h"
#include "core/tasks.h"

// Vertices per piece of the parallel loop: some ten microseconds of work.
#define GRAIN 2048

// Vertices that are morphed at once, in scratch space on the stack.
#define MORPH_BLOCK 256

typedef struct SkinContext
{
	supSkinJob job;
	bool dual;
	const supMesh* mesh;
	const float* morphWeights;
	bool morphed;
	int32_t first; // vertex of the mesh that the job starts with
} SkinContext;

static void RunJob( const supSkinJob* job, bool dual )
{
	if ( dual )
	{
		SUP_CALL_KERNEL( supSkinDual )( job );
	}
	else
	{
		SUP_CALL_KERNEL( supSkinLinear )( job );
	}
}

// The part of a job from vertex `begin` on. Arrays that are not there stay NULL.
static supSkinJob CutJob( const supSkinJob* job, int32_t begin, int32_t end )
{
	supSkinJob part = *job;
	size_t slot = (size_t)begin * (size_t)job->influences;
	part.vertexCount = end - begin;
	part.joints = job->joints != NULL ? job->joints + slot : NULL;
	part.weights = job->weights != NULL ? job->weights + slot : NULL;
	part.positions = job->positions + begin;
	part.normals = job->normals != NULL ? job->normals + begin : NULL;
	part.tangents = job->tangents != NULL ? job->tangents + begin : NULL;
	part.outPositions = job->outPositions != NULL ? job->outPositions + begin : NULL;
	part.outNormals = job->outNormals != NULL ? job->outNormals + begin : NULL;
	part.outTangents = job->outTangents != NULL ? job->outTangents + begin : NULL;
	return part;
}

typedef struct MorphScratch
{
	supVec3 positions[MORPH_BLOCK];
	supVec3 normals[MORPH_BLOCK];
	supVec4 tangents[MORPH_BLOCK];
} MorphScratch;

static void AddOffsets( supVec3* out, const supVec3* offsets, int32_t begin, float weight, int32_t count )
{
	if ( offsets != NULL )
	{
		SUP_CALL_KERNEL( supAddScaled )( &out->x, &offsets[begin].x, weight, 3 * count );
	}
}

// Replaces the inputs of `part`, which starts at vertex `begin`, by morphed copies in `scratch`.
static void Morph( const SkinContext* context, int32_t begin, supSkinJob* part, MorphScratch* scratch )
{
	const supMesh* mesh = context->mesh;
	size_t count = (size_t)part->vertexCount;
	memcpy( scratch->positions, part->positions, count * sizeof( supVec3 ) );
	part->positions = scratch->positions;
	if ( part->normals != NULL )
	{
		memcpy( scratch->normals, part->normals, count * sizeof( supVec3 ) );
		part->normals = scratch->normals;
	}
	if ( part->tangents != NULL )
	{
		memcpy( scratch->tangents, part->tangents, count * sizeof( supVec4 ) );
		part->tangents = scratch->tangents;
	}
	for ( int32_t i = 0; i < mesh->targetCount; ++i )
	{
		const supMorphTarget* target = mesh->targets + i;
		float weight = context->morphWeights[i];
		if ( weight == 0.0f )
		{
			continue;
		}
		AddOffsets( scratch->positions, target->positions, begin, weight, part->vertexCount );
		if ( part->normals != NULL )
		{
			AddOffsets( scratch->normals, target->normals, begin, weight, part->vertexCount );
		}
		for ( size_t k = 0; k < count && part->tangents != NULL && target->tangents != NULL; ++k )
		{
			supVec3 offset = target->tangents[(size_t)begin + k];
			scratch->tangents[k].x += weight * offset.x;
			scratch->tangents[k].y += weight * offset.y;
			scratch->tangents[k].z += weight * offset.z;
		}
	}
}

static void SkinRange( int32_t begin, int32_t end, int32_t worker, void* contextPointer )
{
	(void)worker;
	const SkinContext* context = contextPointer;
	if ( context->morphed == false )
	{
		supSkinJob part = CutJob( &context->job, begin, end );
		RunJob( &part, context->dual );
		return;
	}
	MorphScratch scratch;
	for ( int32_t i = begin; i < end; i += MORPH_BLOCK )
	{
		supSkinJob part = CutJob( &context->job, i, end - i < MORPH_BLOCK ? end : i + MORPH_BLOCK );
		Morph( context, context->first + i, &part, &scratch );
		RunJob( &part, context->dual );
	}
}

static bool IsMorphed( const supMesh* mesh, const float* weights )
{
	bool morphed = false;
	for ( int32_t i = 0; i < mesh->targetCount; ++i )
	{
		morphed = morphed || weights[i] != 0.0f;
	}
	return morphed;
}

// All but what is wanted of the output. `rigid` has to live as long as the context.
static SkinContext MakeContext( supPose* pose, int32_t instance, supSkinning skinning, supWideMatrix* rigid )
{
	const supCharacter* character = pose->character;
	SUP_ASSERT( 0 <= instance && instance < character->instanceCount );
	supPose_RepairMorphs( pose );
	bool skinned = character->instances[instance].skin >= 0;
	const supMesh* mesh = character->meshes + character->instances[instance].mesh;
	SkinContext context = { .mesh = mesh, .morphWeights = supPose_MorphWeights( pose, instance ) };
	context.dual = skinned && skinning == sup_skinningDualQuaternion;
	context.morphed = IsMorphed( mesh, context.morphWeights );
	supSkinJob* job = &context.job;
	job->positions = mesh->positions;
	if ( skinned )
	{
		job->influences = mesh->influences;
		job->joints = mesh->joints;
		job->weights = mesh->weights;
	}
	if ( context.dual )
	{
		job->duals = supPose_DualPalette( pose, instance, &job->hasStretch );
	}
	else if ( skinned )
	{
		job->palette = supPose_WidePalette( pose, instance );
	}
	else
	{
		rigid->matrix = supPose_Palette( pose, instance )[0];
		job->palette = rigid;
	}
	return context;
}

// Vertices from `begin` to `end` alone, which the output starts and ends with.
static void CutContext( SkinContext* context, int32_t begin, int32_t end, const supSkinOutput* output )
{
	const supMesh* mesh = context->mesh;
	size_t count = (size_t)( end - begin );
	context->first = begin;
	context->job = CutJob( &context->job, begin, end );
	supSkinJob* job = &context->job;
	job->outPositions = output->positions;
	job->outNormals = mesh->normals != NULL ? output->normals : NULL;
	job->outTangents = mesh->tangents != NULL ? output->tangents : NULL;
	job->tangents = job->outTangents != NULL ? mesh->tangents + begin : NULL;
	// tangents are kept at right angles to the normals, which are therefore moved for them too
	bool hasNormals = ( job->outNormals != NULL || job->outTangents != NULL ) && mesh->normals != NULL;
	job->normals = hasNormals ? mesh->normals + begin : NULL;
	if ( output->normals != NULL && mesh->normals == NULL )
	{
		memset( output->normals, 0, count * sizeof( supVec3 ) );
	}
	if ( output->tangents != NULL && mesh->tangents == NULL )
	{
		memset( output->tangents, 0, count * sizeof( supVec4 ) );
	}
}

static bool HasOutput( const supSkinJob* job )
{
	return job->outPositions != NULL || job->outNormals != NULL || job->outTangents != NULL;
}

void supSkinInstance( supPose* pose, int32_t instance, supSkinning skinning, const supTasks* tasks,
					  const supSkinOutput* output )
{
	supWideMatrix rigid;
	SkinContext context = MakeContext( pose, instance, skinning, &rigid );
	CutContext( &context, 0, context.mesh->vertexCount, output );
	if ( HasOutput( &context.job ) )
	{
		supParallelFor( tasks, context.mesh->vertexCount, GRAIN, SkinRange, &context );
	}
}

void supSkinVertices( supPose* pose, int32_t instance, supSkinning skinning, int32_t begin, int32_t end,
					  const supSkinOutput* output )
{
	supWideMatrix rigid;
	SkinContext context = MakeContext( pose, instance, skinning, &rigid );
	SUP_ASSERT( 0 <= begin && begin <= end && end <= context.mesh->vertexCount );
	CutContext( &context, begin, end, output );
	if ( HasOutput( &context.job ) )
	{
		SkinRange( 0, end - begin, 0, &context );
	}
}

void supSkinVerticesBySides( supPose* pose, int32_t instance, const supDualJoint* duals, int32_t begin, int32_t end,
							 const supSkinOutput* output )
{
	supWideMatrix rigid;
	SkinContext context = MakeContext( pose, instance, sup_skinningDualQuaternion, &rigid );
	SUP_ASSERT( context.dual && 0 <= begin && begin <= end && end <= context.mesh->vertexCount );
	context.job.duals = duals;
	context.job.keepsSides = true;
	CutContext( &context, begin, end, output );
	if ( HasOutput( &context.job ) )
	{
		SkinRange( 0, end - begin, 0, &context );
	}
}

supVec3 supSkinVertex( supPose* pose, int32_t instance, supSkinning skinning, int32_t vertex )
{
	supVec3 position;
	supSkinVertices( pose, instance, skinning, vertex, vertex + 1, &( supSkinOutput ){ .positions = &position } );
	return position;
}
