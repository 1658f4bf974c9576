// SPDX-License-Identifier: MIT
// The weights of a mesh: negative ones out, heaviest first, at most eight, sum one.
#include "character/character.h"

// Sums within this of one are left alone, so that repairing twice changes nothing: dividing by the sum lands inside,
// 6e-8 off at most. Readers of glTF tolerate 2e-7 for each weight.
#define SUM_TOLERANCE 1e-7

// Sums further off than this are worth a note; below lies the rounding of 8-bit and 16-bit weights.
#define SUM_NOTE_TOLERANCE 1e-2

typedef struct Tallies
{
	supTally invalid;
	supTally many;
	supTally sums;
	supTally loose;
	double lowestSum;
	double highestSum;
} Tallies;

typedef struct VertexWeights
{
	int32_t count;
	uint16_t joints[SUP_MAX_INFLUENCES];
	float weights[SUP_MAX_INFLUENCES];
} VertexWeights;

// Insertion keeps equal weights in the order of the file.
static void Insert( VertexWeights* vertex, uint16_t joint, float weight )
{
	int32_t slot = vertex->count;
	if ( slot == SUP_MAX_INFLUENCES )
	{
		if ( weight <= vertex->weights[slot - 1] )
		{
			return;
		}
		slot -= 1;
	}
	else
	{
		vertex->count += 1;
	}
	while ( slot > 0 && vertex->weights[slot - 1] < weight )
	{
		vertex->weights[slot] = vertex->weights[slot - 1];
		vertex->joints[slot] = vertex->joints[slot - 1];
		slot -= 1;
	}
	vertex->weights[slot] = weight;
	vertex->joints[slot] = joint;
}

static VertexWeights RepairVertex( const supMesh* source, int32_t index, Tallies* tallies )
{
	VertexWeights vertex = { 0 };
	size_t start = (size_t)index * (size_t)source->influences;
	int32_t used = 0;
	bool invalid = false;
	double sum = 0.0;
	for ( int32_t k = 0; k < source->influences; ++k )
	{
		float weight = source->weights[start + (size_t)k];
		if ( supIsFinite( weight ) == false || weight < 0.0f )
		{
			invalid = true;
		}
		else if ( weight > 0.0f )
		{
			used += 1;
			sum += (double)weight;
			Insert( &vertex, source->joints[start + (size_t)k], weight );
		}
	}
	if ( invalid )
	{
		supTally_Add( &tallies->invalid, index );
	}
	if ( used == 0 )
	{
		supTally_Add( &tallies->loose, index );
		vertex.count = 1;
		vertex.weights[0] = 1.0f;
		return vertex;
	}
	if ( sum < 1.0 - SUM_NOTE_TOLERANCE || sum > 1.0 + SUM_NOTE_TOLERANCE )
	{
		tallies->lowestSum = tallies->sums.count == 0 || sum < tallies->lowestSum ? sum : tallies->lowestSum;
		tallies->highestSum = tallies->sums.count == 0 || sum > tallies->highestSum ? sum : tallies->highestSum;
		supTally_Add( &tallies->sums, index );
	}
	double kept = sum;
	if ( used > SUP_MAX_INFLUENCES )
	{
		supTally_Add( &tallies->many, index );
		kept = 0.0;
		for ( int32_t k = 0; k < vertex.count; ++k )
		{
			kept += (double)vertex.weights[k];
		}
	}
	if ( kept < 1.0 - SUM_TOLERANCE || kept > 1.0 + SUM_TOLERANCE )
	{
		for ( int32_t k = 0; k < vertex.count; ++k )
		{
			vertex.weights[k] = (float)( (double)vertex.weights[k] / kept );
		}
		// a weight too small beside the others has become nothing
		while ( vertex.weights[vertex.count - 1] == 0.0f )
		{
			vertex.count -= 1;
			vertex.joints[vertex.count] = 0;
		}
	}
	return vertex;
}

static void AddNotes( supCharacterBuilder* builder, int32_t meshIndex, const char* name, const Tallies* tallies )
{
	if ( tallies->invalid.count > 0 )
	{
		supAddNote( builder, true,
					"meshes[%d] \"%.80s\": %d vertices have negative or non-finite weights, the first is vertex "
					"%d; these weights are dropped",
					meshIndex, name, tallies->invalid.count, tallies->invalid.first );
	}
	if ( tallies->sums.count > 0 )
	{
		supAddNote( builder, true,
					"meshes[%d] \"%.80s\": the weights of %d vertices do not sum to one (%.3g to %.3g), the first is "
					"vertex %d; normalised",
					meshIndex, name, tallies->sums.count, tallies->lowestSum, tallies->highestSum,
					tallies->sums.first );
	}
	if ( tallies->many.count > 0 )
	{
		supAddNote( builder, true,
					"meshes[%d] \"%.80s\": %d vertices have more than %d influences, the first is vertex %d; the "
					"heaviest are kept",
					meshIndex, name, tallies->many.count, SUP_MAX_INFLUENCES, tallies->many.first );
	}
	if ( tallies->loose.count > 0 )
	{
		supAddNote( builder, true,
					"meshes[%d] \"%.80s\": %d vertices have no weights, the first is vertex %d; bound to the "
					"first joint of the skin",
					meshIndex, name, tallies->loose.count, tallies->loose.first );
	}
}

// The smallest stride that holds every vertex. Weights that are dropped for being small are found only in the second
// pass, which may then leave the last slots empty.
static int32_t ChooseStride( const supMesh* source )
{
	int32_t most = 1;
	const float* weights = source->weights;
	for ( int32_t i = 0; i < source->vertexCount; ++i, weights += source->influences )
	{
		int32_t used = 0;
		for ( int32_t k = 0; k < source->influences; ++k )
		{
			used += supIsFinite( weights[k] ) && weights[k] > 0.0f ? 1 : 0;
		}
		most = used > most ? used : most;
	}
	return most > 4 ? 8 : ( most > 2 ? 4 : most );
}

bool supBuildWeights( supCharacterBuilder* builder, int32_t meshIndex, supMesh* mesh )
{
	const supMesh* source = builder->def->meshes + meshIndex;
	mesh->influences = 0;
	mesh->joints = NULL;
	mesh->weights = NULL;
	builder->character->meshJointCounts[meshIndex] = 0;
	if ( source->influences == 0 || source->vertexCount == 0 )
	{
		return true;
	}
	if ( source->influences < 0 || source->influences > 1024 )
	{
		return supSetError( builder->error, sup_errorTooLarge, supAt( builder, "meshes[%d].influences", meshIndex ),
							"%d joints per vertex are not supported", source->influences );
	}
	if ( source->joints == NULL || source->weights == NULL )
	{
		return supSetError( builder->error, sup_errorArgument, supAt( builder, "meshes[%d]", meshIndex ),
							"%d joints per vertex, but no array of joints or weights", source->influences );
	}
	int32_t stride = ChooseStride( source );
	size_t count = (size_t)stride * (size_t)source->vertexCount;
	uint16_t* joints = supArena_AllocArray( builder->arena, count, sizeof( uint16_t ) );
	float* weights = supArena_AllocArray( builder->arena, count, sizeof( float ) );
	if ( joints == NULL || weights == NULL )
	{
		return false;
	}
	Tallies tallies = { 0 };
	int32_t jointCount = 0;
	for ( int32_t i = 0; i < source->vertexCount; ++i )
	{
		VertexWeights vertex = RepairVertex( source, i, &tallies );
		for ( int32_t k = 0; k < stride; ++k )
		{
			bool used = k < vertex.count;
			joints[(size_t)i * (size_t)stride + (size_t)k] = used ? vertex.joints[k] : 0;
			weights[(size_t)i * (size_t)stride + (size_t)k] = used ? vertex.weights[k] : 0.0f;
			jointCount = used && vertex.joints[k] >= jointCount ? vertex.joints[k] + 1 : jointCount;
		}
	}
	AddNotes( builder, meshIndex, mesh->name, &tallies );
	mesh->influences = stride;
	mesh->joints = joints;
	mesh->weights = weights;
	builder->character->meshJointCounts[meshIndex] = jointCount;
	return true;
}
