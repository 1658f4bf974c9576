// SPDX-License-Identifier: MIT
// aiProcess_JoinIdenticalVertices mixes up the weights of vertices at the same place, so that joining is done here.
#include "io/assimp/assimp_vertices.h"

#include "core/hash.h"

#include <stdlib.h>

bool supIsTriangle( const struct aiMesh* mesh, const struct aiFace* face )
{
	return face->mNumIndices == 3 && face->mIndices[0] < mesh->mNumVertices && face->mIndices[1] < mesh->mNumVertices &&
		   face->mIndices[2] < mesh->mNumVertices;
}

// ---------------------------------------------------------------------------------------------------------------------
// Weights

static int CompareInfluences( const void* a, const void* b )
{
	const supInfluence* x = a;
	const supInfluence* y = b;
	if ( x->weight != y->weight )
	{
		return x->weight > y->weight ? -1 : 1;
	}
	return ( x->joint > y->joint ) - ( x->joint < y->joint );
}

static bool IsWeight( const struct aiMesh* mesh, const struct aiVertexWeight* weight )
{
	return weight->mVertexId < mesh->mNumVertices && weight->mWeight > 0.0f && supIsFinite( weight->mWeight );
}

// Visits all weights of bones that exist; with `influences` NULL only counts them.
static size_t VisitWeights( const supImport* import, const struct aiMesh* mesh, const int32_t* jointOf, uint32_t* ends,
							supInfluence* influences )
{
	size_t total = 0;
	for ( unsigned i = 0; mesh->mBones != NULL && i < mesh->mNumBones; ++i )
	{
		const struct aiBone* bone = mesh->mBones[i];
		int32_t node = supImport_FindNode( import, bone->mName.data );
		for ( unsigned k = 0; node >= 0 && bone->mWeights != NULL && k < bone->mNumWeights; ++k )
		{
			const struct aiVertexWeight* weight = &bone->mWeights[k];
			if ( IsWeight( mesh, weight ) == false )
			{
				continue;
			}
			total += 1;
			if ( influences == NULL )
			{
				ends[weight->mVertexId] += 1;
			}
			else
			{
				influences[ends[weight->mVertexId]++] = ( supInfluence ){ weight->mWeight, (uint32_t)jointOf[node] };
			}
		}
	}
	return total;
}

// Influences by vertex, heaviest first.
bool supPiece_GatherWeights( supPiece* piece, const supImport* import, const int32_t* jointOf, supArena* scratch )
{
	const struct aiMesh* mesh = piece->source;
	size_t count = mesh->mNumVertices;
	piece->starts = supArena_AllocZeroed( scratch, ( count + 1 ) * sizeof( uint32_t ) );
	uint32_t* ends = supArena_AllocZeroed( scratch, ( count + 1 ) * sizeof( uint32_t ) );
	if ( piece->starts == NULL || ends == NULL )
	{
		return false;
	}
	size_t total = jointOf != NULL ? VisitWeights( import, mesh, jointOf, ends, NULL ) : 0;
	piece->influences = supArena_AllocArray( scratch, total, sizeof( supInfluence ) );
	if ( piece->influences == NULL || total > UINT32_MAX )
	{
		return false;
	}
	uint32_t sum = 0;
	for ( size_t i = 0; i < count; ++i )
	{
		uint32_t own = ends[i];
		piece->starts[i] = ends[i] = sum;
		sum += own;
	}
	piece->starts[count] = sum;
	if ( jointOf != NULL )
	{
		VisitWeights( import, mesh, jointOf, ends, piece->influences );
	}
	for ( size_t i = 0; i < count; ++i )
	{
		uint32_t own = piece->starts[i + 1] - piece->starts[i];
		qsort( piece->influences + piece->starts[i], own, sizeof( supInfluence ), CompareInfluences );
		piece->stride = (int32_t)own > piece->stride ? (int32_t)own : piece->stride;
	}
	piece->stride = piece->stride < SUP_IMPORT_STRIDE ? piece->stride : SUP_IMPORT_STRIDE;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Joining equal vertices

// -0 and 0 are the same place.
static uint64_t HashFloats( uint64_t hash, const void* array, size_t index, size_t count )
{
	float clean[4] = { 0 };
	const float* values = (const float*)array + index * count;
	for ( size_t i = 0; array != NULL && i < count; ++i )
	{
		clean[i] = values[i] + 0.0f;
	}
	return supHashBytes( hash, clean, sizeof( clean ) );
}

static bool SameFloats( const void* array, size_t a, size_t b, size_t count )
{
	const float* values = array;
	bool same = true;
	for ( size_t i = 0; array != NULL && i < count; ++i )
	{
		same = same && values[a * count + i] == values[b * count + i];
	}
	return same;
}

static uint64_t HashVertex( const supPiece* piece, size_t i )
{
	const struct aiMesh* mesh = piece->source;
	uint64_t hash = HashFloats( SUP_HASH_SEED, mesh->mVertices, i, 3 );
	hash = HashFloats( hash, mesh->mNormals, i, 3 );
	hash = HashFloats( hash, mesh->mTextureCoords[0], i, 3 );
	return HashFloats( hash, mesh->mColors[0], i, 4 );
}

static bool SameVertex( const supPiece* piece, size_t a, size_t b )
{
	const struct aiMesh* mesh = piece->source;
	const uint32_t* starts = piece->starts;
	uint32_t count = starts[a + 1] - starts[a];
	bool same =
		SameFloats( mesh->mVertices, a, b, 3 ) && SameFloats( mesh->mNormals, a, b, 3 ) &&
		SameFloats( mesh->mTextureCoords[0], a, b, 3 ) && SameFloats( mesh->mColors[0], a, b, 4 ) &&
		count == starts[b + 1] - starts[b] &&
		memcmp( piece->influences + starts[a], piece->influences + starts[b], count * sizeof( supInfluence ) ) == 0;
	for ( unsigned i = 0; same && mesh->mAnimMeshes != NULL && i < mesh->mNumAnimMeshes; ++i )
	{
		const struct aiAnimMesh* target = mesh->mAnimMeshes[i];
		same = target->mNumVertices != mesh->mNumVertices ||
			   ( SameFloats( target->mVertices, a, b, 3 ) && SameFloats( target->mNormals, a, b, 3 ) );
	}
	return same;
}

static void MarkUsedVertices( supPiece* piece )
{
	const struct aiMesh* mesh = piece->source;
	memset( piece->joined, 0xFF, mesh->mNumVertices * sizeof( int32_t ) );
	for ( unsigned i = 0; i < mesh->mNumFaces; ++i )
	{
		const struct aiFace* face = &mesh->mFaces[i];
		if ( supIsTriangle( mesh, face ) )
		{
			piece->triangleCount += 1;
			for ( int k = 0; k < 3; ++k )
			{
				piece->joined[face->mIndices[k]] = 0;
			}
		}
	}
}

bool supPiece_JoinVertices( supPiece* piece, supArena* scratch )
{
	size_t count = piece->source->mNumVertices;
	size_t buckets = 16;
	while ( buckets < 2 * count )
	{
		buckets *= 2;
	}
	int32_t* table = supArena_AllocArray( scratch, buckets, sizeof( int32_t ) );
	piece->joined = supArena_AllocArray( scratch, count, sizeof( int32_t ) );
	piece->kept = supArena_AllocArray( scratch, count, sizeof( int32_t ) );
	if ( table == NULL || piece->joined == NULL || piece->kept == NULL )
	{
		return false;
	}
	memset( table, 0xFF, buckets * sizeof( int32_t ) );
	MarkUsedVertices( piece );
	for ( size_t i = 0; i < count; ++i )
	{
		if ( piece->joined[i] < 0 )
		{
			continue;
		}
		size_t at = HashVertex( piece, i ) & ( buckets - 1 );
		while ( table[at] >= 0 && SameVertex( piece, (size_t)piece->kept[table[at]], i ) == false )
		{
			at = ( at + 1 ) & ( buckets - 1 );
		}
		if ( table[at] < 0 )
		{
			table[at] = piece->keptCount;
			piece->kept[piece->keptCount++] = (int32_t)i;
			piece->freeCount += piece->starts[i + 1] == piece->starts[i];
		}
		piece->joined[i] = table[at];
	}
	return true;
}
