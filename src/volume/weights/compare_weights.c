// SPDX-License-Identifier: MIT
#include "volume/weights/compare_weights.h"

#include <stdlib.h>

#define MOST_SAMPLES 1000

supCompareDef supDefaultCompareDef( void )
{
	return ( supCompareDef ){ .samples = 8, .worstCount = 10 };
}

typedef struct Comparer
{
	const supCompareDef* def;
	supWeightsComparison* out;
	supArena scratch;
	int32_t nodeCount; // of the character that has more
	// weights of one vertex on each node, all zero in between
	double* own;
	double* other;
	// skins of all instances
	supVec3* ownPositions;
	supVec3* otherPositions;
} Comparer;

// ---------------------------------------------------------------------------------------------------------------------
// Weights of a vertex by node

// What moves an instance without a skin: the nearest joint above it, or its own node.
static int32_t FindCarrier( const supCharacter* character, int32_t node )
{
	int32_t joint = node;
	while ( joint >= 0 && supCharacter_IsJoint( character, joint ) == false )
	{
		joint = supCharacter_Node( character, joint )->parent;
	}
	return joint >= 0 ? joint : node;
}

typedef struct Slots
{
	int32_t count;
	int32_t nodes[SUP_MAX_INFLUENCES];
	float weights[SUP_MAX_INFLUENCES];
} Slots;

static Slots ReadVertex( const supCharacter* character, int32_t index, int32_t vertex )
{
	const supInstance* instance = supCharacter_Instance( character, index );
	const supMesh* mesh = supCharacter_Mesh( character, instance->mesh );
	Slots slots = { .count = 1, .weights = { 1.0f } };
	if ( instance->skin < 0 || mesh->influences == 0 )
	{
		slots.nodes[0] = FindCarrier( character, instance->node );
		return slots;
	}
	const int32_t* joints = supCharacter_Skin( character, instance->skin )->joints;
	slots.count = mesh->influences;
	for ( int32_t k = 0; k < slots.count; ++k )
	{
		slots.nodes[k] = joints[mesh->joints[vertex * mesh->influences + k]];
		slots.weights[k] = mesh->weights[vertex * mesh->influences + k];
	}
	return slots;
}

// Half the sum of the absolute differences. Leaves the tables of nodes as clean as they were.
static double Difference( Comparer* c, const Slots* own, const Slots* other )
{
	for ( int32_t k = 0; k < own->count; ++k )
	{
		c->own[own->nodes[k]] += (double)own->weights[k];
	}
	for ( int32_t k = 0; k < other->count; ++k )
	{
		c->other[other->nodes[k]] += (double)other->weights[k];
	}
	double sum = 0.0;
	for ( int32_t k = 0; k < own->count + other->count; ++k )
	{
		int32_t node = k < own->count ? own->nodes[k] : other->nodes[k - own->count];
		sum += fabs( c->own[node] - c->other[node] );
		c->own[node] = 0.0;
		c->other[node] = 0.0;
	}
	return 0.5 * sum;
}

static int32_t Heaviest( const Slots* slots )
{
	int32_t best = 0;
	for ( int32_t k = 1; k < slots->count; ++k )
	{
		best = slots->weights[k] > slots->weights[best] ? k : best;
	}
	return slots->nodes[best];
}

// ---------------------------------------------------------------------------------------------------------------------
// Over all vertices

// Sorted list of the worst so far; of equals the first. Copies of a vertex along a seam are one.
static void InsertWorst( supWeightsComparison* out, int32_t most, const supWorstVertex* vertex )
{
	for ( int32_t i = 0; i < out->worstCount; ++i )
	{
		const supWorstVertex* other = out->worst + i;
		if ( other->instance == vertex->instance && other->difference == vertex->difference &&
			 memcmp( &other->position, &vertex->position, sizeof( supVec3 ) ) == 0 )
		{
			return;
		}
	}
	int32_t i = out->worstCount;
	while ( i > 0 && out->worst[i - 1].difference < vertex->difference )
	{
		i -= 1;
	}
	if ( i == most )
	{
		return;
	}
	out->worstCount += out->worstCount < most ? 1 : 0;
	memmove( out->worst + i + 1, out->worst + i, (size_t)( out->worstCount - 1 - i ) * sizeof( supWorstVertex ) );
	out->worst[i] = *vertex;
}

static void CompareVertices( Comparer* c, supBoneShare* shares )
{
	const supCompareDef* def = c->def;
	supWeightsComparison* out = c->out;
	double total = 0.0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( def->own ); ++i )
	{
		for ( int32_t v = out->vertexStarts[i]; v < out->vertexStarts[i + 1]; ++v )
		{
			int32_t vertex = v - out->vertexStarts[i];
			Slots own = ReadVertex( def->own, i, vertex ), other = ReadVertex( def->other, i, vertex );
			for ( int32_t k = 0; k < own.count; ++k )
			{
				shares[own.nodes[k]].own += (double)own.weights[k] / out->vertexCount;
			}
			for ( int32_t k = 0; k < other.count; ++k )
			{
				shares[other.nodes[k]].other += (double)other.weights[k] / out->vertexCount;
			}
			double difference = Difference( c, &own, &other );
			supWorstVertex worst = {
				i, vertex, (float)difference, c->ownPositions[v], Heaviest( &own ), Heaviest( &other )
			};
			out->differences[v] = worst.difference;
			out->most = fmax( out->most, difference );
			total += difference;
			InsertWorst( out, def->worstCount, &worst );
		}
	}
	out->mean = out->vertexCount > 0 ? total / out->vertexCount : 0.0;
}

static int CompareShares( const void* a, const void* b )
{
	const supBoneShare* x = a;
	const supBoneShare* y = b;
	double dx = fabs( x->own - x->other ), dy = fabs( y->own - y->other );
	return dx != dy ? ( dx < dy ? 1 : -1 ) : x->node - y->node;
}

// Leaves out nodes without weight.
static void SortShares( supWeightsComparison* out, int32_t nodeCount )
{
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		if ( out->bones[i].own > 0.0 || out->bones[i].other > 0.0 )
		{
			out->bones[out->boneCount++] = out->bones[i];
		}
	}
	qsort( out->bones, (size_t)out->boneCount, sizeof( supBoneShare ), CompareShares );
}

// ---------------------------------------------------------------------------------------------------------------------
// Over clips

static void SkinAll( Comparer* c, supPose* pose, supVec3* positions )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( c->def->own ); ++i )
	{
		supSkinInstance( pose, i, sup_skinningLinear, c->def->tasks,
						 &( supSkinOutput ){ .positions = positions + c->out->vertexStarts[i] } );
	}
}

static int32_t InstanceOf( const supWeightsComparison* out, int32_t vertex )
{
	int32_t i = 0;
	while ( out->vertexStarts[i + 1] <= vertex )
	{
		i += 1;
	}
	return i;
}

// Morph targets are no matter of weights, and one of the two may have none: both stay as they are at rest.
static void HoldMorphs( const supCharacter* character, supPose* pose )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		int32_t count = supCharacter_Mesh( character, instance->mesh )->targetCount;
		if ( count > 0 )
		{
			memcpy( supPose_MorphWeights( pose, i ), instance->morphWeights, (size_t)count * sizeof( float ) );
		}
	}
}

static void CompareClip( Comparer* c, supPose* own, supPose* other, supClipDifference* difference )
{
	const supClip* clip = supCharacter_Clip( c->def->own, difference->clip );
	supWeightsComparison* out = c->out;
	int32_t samples = c->def->samples;
	double sum = 0.0;
	int32_t worst = 0;
	difference->worstTime = clip->start;
	for ( int32_t k = 0; k < samples; ++k )
	{
		float time = supLerpFloat( clip->start, clip->end, ( (float)k + 0.5f ) / (float)samples );
		supPose_SetRest( own );
		supPose_ApplyClip( own, clip, time );
		HoldMorphs( c->def->own, own );
		for ( int32_t i = 0; i < supCharacter_NodeCount( c->def->own ); ++i )
		{
			supPose_SetLocal( other, i, supPose_GetLocal( own, i ) );
		}
		SkinAll( c, own, c->ownPositions );
		SkinAll( c, other, c->otherPositions );
		for ( int32_t v = 0; v < out->vertexCount; ++v )
		{
			double distance = (double)supDistance( c->ownPositions[v], c->otherPositions[v] ) / (double)out->size;
			sum += distance;
			if ( distance > difference->most )
			{
				difference->most = distance;
				difference->worstTime = time;
				worst = v;
			}
		}
	}
	difference->worstInstance = InstanceOf( out, worst );
	difference->worstVertex = worst - out->vertexStarts[difference->worstInstance];
	difference->mean = sum / ( (double)samples * out->vertexCount );
}

static void CompareClips( Comparer* c, supPose* own, supPose* other )
{
	supWeightsComparison* out = c->out;
	out->clipCount = c->def->samples > 0 && out->size > 0.0f ? supCharacter_ClipCount( c->def->own ) : 0;
	for ( int32_t i = 0; i < out->clipCount; ++i )
	{
		out->clips[i] = ( supClipDifference ){ .clip = i };
		CompareClip( c, own, other, out->clips + i );
		out->meanDistance += out->clips[i].mean / out->clipCount;
		out->mostDistance = fmax( out->mostDistance, out->clips[i].most );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static bool CheckPair( const supCompareDef* def, supError* error )
{
	const supCharacter *own = def->own, *other = def->other;
	const char* where = supCharacter_Name( own );
	int32_t instanceCount = supCharacter_InstanceCount( own ), nodeCount = supCharacter_NodeCount( own );
	if ( def->samples < 0 || def->samples > MOST_SAMPLES || def->worstCount < 0 || def->worstCount > MOST_SAMPLES )
	{
		return supSetError( error, sup_errorArgument, "weights", "samples and worst vertices must be 0 to %d",
							MOST_SAMPLES );
	}
	if ( instanceCount == 0 || instanceCount != supCharacter_InstanceCount( other ) ||
		 nodeCount > supCharacter_NodeCount( other ) )
	{
		return supSetError( error, sup_errorArgument, where,
							"the characters differ; their weights cannot be compared" );
	}
	int64_t vertices = 0;
	for ( int32_t i = 0; i < instanceCount; ++i )
	{
		int32_t a = supCharacter_Mesh( own, supCharacter_Instance( own, i )->mesh )->vertexCount;
		int32_t b = supCharacter_Mesh( other, supCharacter_Instance( other, i )->mesh )->vertexCount;
		vertices += a;
		if ( a != b )
		{
			return supSetError( error, sup_errorArgument, where,
								"mesh %d has %d vertices, but %d in the other: their weights cannot be compared", i, a,
								b );
		}
	}
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		const char *a = supCharacter_Node( own, i )->name, *b = supCharacter_Node( other, i )->name;
		if ( strcmp( a, b ) != 0 )
		{
			return supSetError( error, sup_errorArgument, where,
								"node %d is '%.80s', but '%.80s' in the other: their weights cannot be compared", i, a,
								b );
		}
	}
	return vertices > 0 && vertices <= INT32_MAX ? true : supSetError( error, sup_errorArgument, where, "no vertices" );
}

static bool Allocate( Comparer* c )
{
	supWeightsComparison* out = c->out;
	const supCharacter* own = c->def->own;
	size_t instances = (size_t)supCharacter_InstanceCount( own );
	c->nodeCount = supCharacter_NodeCount( c->def->other );
	size_t nodes = (size_t)c->nodeCount;
	out->vertexStarts = supArena_AllocArray( &out->arena, instances + 1, sizeof( int32_t ) );
	for ( size_t i = 0; out->vertexStarts != NULL && i < instances; ++i )
	{
		out->vertexStarts[i] = out->vertexCount;
		out->vertexCount += supCharacter_Mesh( own, supCharacter_Instance( own, (int32_t)i )->mesh )->vertexCount;
		out->vertexStarts[i + 1] = out->vertexCount;
	}
	size_t vertices = (size_t)out->vertexCount;
	out->differences = supArena_AllocArray( &out->arena, vertices, sizeof( float ) );
	out->bones = supArena_AllocZeroed( &out->arena, nodes * sizeof( supBoneShare ) );
	out->worst = supArena_AllocArray( &out->arena, (size_t)c->def->worstCount + 1, sizeof( supWorstVertex ) );
	out->clips =
		supArena_AllocArray( &out->arena, (size_t)supCharacter_ClipCount( own ) + 1, sizeof( supClipDifference ) );
	c->own = supArena_AllocZeroed( &c->scratch, nodes * sizeof( double ) );
	c->other = supArena_AllocZeroed( &c->scratch, nodes * sizeof( double ) );
	c->ownPositions = supArena_AllocArray( &c->scratch, vertices, sizeof( supVec3 ) );
	c->otherPositions = supArena_AllocArray( &c->scratch, vertices, sizeof( supVec3 ) );
	return out->arena.failed == false && c->scratch.failed == false;
}

static void Compare( Comparer* c, supPose* own, supPose* other )
{
	supWeightsComparison* out = c->out;
	SkinAll( c, own, c->ownPositions );
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < out->vertexCount; ++i )
	{
		box = supBox_Include( box, c->ownPositions[i] );
	}
	supVec3 size = supBox_Size( box );
	out->size = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
	for ( int32_t i = 0; i < c->nodeCount; ++i )
	{
		out->bones[i].node = i;
	}
	CompareVertices( c, out->bones );
	SortShares( out, c->nodeCount );
	CompareClips( c, own, other );
}

bool supCompareWeights( supWeightsComparison* comparison, const supCompareDef* def, supError* error )
{
	supClearError( error );
	if ( CheckPair( def, error ) == false )
	{
		return false;
	}
	Comparer comparer = { .def = def, .out = comparison };
	supPose* own = supCreatePose( def->own );
	supPose* other = supCreatePose( def->other );
	bool ok = own != NULL && other != NULL && Allocate( &comparer );
	if ( ok )
	{
		Compare( &comparer, own, other );
	}
	else
	{
		supWeightsComparison_Destroy( comparison );
		supSetMemoryError( error );
	}
	supDestroyPose( other );
	supDestroyPose( own );
	supArena_Destroy( &comparer.scratch );
	return ok;
}

void supWeightsComparison_Destroy( supWeightsComparison* comparison )
{
	supArena_Destroy( &comparison->arena );
	*comparison = ( supWeightsComparison ){ 0 };
}
