// SPDX-License-Identifier: MIT
// The particles of vertices, and the particles that are pushed to move them.
//
// Elements are coarser than skin. A push on the few particles of one vertex turns its element, and with it its
// neighbours that it was not meant for: skin that is pressed vertex by vertex wrinkles. Where bones hold the flesh, and
// what a push does to the turning of the whole does not count, it is spread over the surroundings: with the weights b
// of all vertices as rows of a matrix B, the push on a vertex of weights b goes to the particles as
//
//     c = b D^-1 B^T B,    D the sums of the columns of B
//
// from particles to the vertices that they carry, and back. The weights sum to 1 as those of b do.
#include "core/core.h"
#include "scene/contact.h"

// Particles that one push goes to: the heaviest.
#define MOST_SPREAD 48

void supContactBinding_Release( supContactBinding* binding )
{
	if ( binding != NULL && --binding->users <= 0 )
	{
		supContactSkin_Destroy( &binding->skin );
		supFree( binding->skinVertices );
		supFree( binding->instanceStarts );
		supFree( binding->starts );
		supFree( binding->particles );
		supFree( binding->weights );
		supFree( binding->faces.corners );
		supFree( binding->faces.fanStarts );
		supFree( binding->faces.fans );
		supFree( binding->spreadStarts );
		supFree( binding->spreadParticles );
		supFree( binding->spreadWeights );
		supFree( binding );
	}
}

// Fills lists where there is room for them; always the starts.
static void BindVertices( supContactBinding* binding, const supActor* actor )
{
	const supMethod* method = binding->flesh->method;
	int32_t at = 0, vertex = 0;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		for ( int32_t k = 0; k < actor->surfaces[i].vertexCount; ++k )
		{
			int32_t particles[SUP_MAX_BOUND];
			float weights[SUP_MAX_BOUND];
			int32_t count =
				method->bindVertex != NULL ? method->bindVertex( binding->flesh->own, i, k, particles, weights ) : 0;
			binding->starts[vertex++] = at;
			if ( binding->weights != NULL )
			{
				memcpy( binding->particles + at, particles, (size_t)count * sizeof( int32_t ) );
				memcpy( binding->weights + at, weights, (size_t)count * sizeof( float ) );
			}
			at += count;
		}
	}
	binding->starts[vertex] = at;
}

// ---------------------------------------------------------------------------------------------------------------------
// Triangles

static int32_t CountTriangles( const supCharacter* character )
{
	int64_t count = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		count += supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->indexCount / 3;
	}
	return count < INT32_MAX / 3 ? (int32_t)count : 0;
}

// As the actor is now, which the binding of another in another pose differs little from.
static float LongestEdge( const supActor* actor )
{
	float longest = 0.0f;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		const supCharacter* character = actor->flesh->character;
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		const supVec3* p = actor->surfaces[i].positions;
		for ( int32_t k = 0; k < mesh->indexCount / 3 * 3; ++k )
		{
			int32_t next = k % 3 < 2 ? k + 1 : k - 2;
			longest = supMaxFloat( longest, supDistance( p[mesh->indices[k]], p[mesh->indices[next]] ) );
		}
	}
	return longest;
}

static bool BindFaces( supContactBinding* binding, const supActor* actor )
{
	const supCharacter* character = binding->flesh->character;
	supTouchFaces* faces = &binding->faces;
	size_t count = (size_t)CountTriangles( character ), vertices = (size_t)binding->vertexCount;
	faces->corners = supAllocArray( 3 * count, sizeof( int32_t ) );
	faces->fans = supAllocArray( 3 * count, sizeof( int32_t ) );
	faces->fanStarts = supAllocZeroed( ( vertices + 1 ) * sizeof( int32_t ) );
	if ( faces->corners == NULL || faces->fans == NULL || faces->fanStarts == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ) && count > 0; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		for ( int32_t k = 0; k < mesh->indexCount / 3 * 3; ++k )
		{
			int32_t vertex = binding->instanceStarts[i] + (int32_t)mesh->indices[k];
			faces->corners[3 * faces->triangleCount + k % 3] = vertex;
			faces->fanStarts[vertex] += 1;
			faces->triangleCount += k % 3 == 2;
		}
	}
	int32_t sum = 0;
	for ( size_t i = 0; i <= vertices; ++i )
	{
		sum += faces->fanStarts[i];
		faces->fanStarts[i] = sum;
	}
	// from the last, so that each start comes down to where it belongs
	for ( int32_t i = 3 * faces->triangleCount - 1; i >= 0; --i )
	{
		faces->fans[--faces->fanStarts[faces->corners[i]]] = i / 3;
	}
	binding->longestEdge = LongestEdge( actor );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Spreading

typedef struct Spreader
{
	const supContactBinding* binding;
	int32_t particleCount;
	// the vertices of each particle, with their weights: the transpose
	int32_t* starts;
	int32_t* vertices;
	float* weights;
	float* sums;
	// of the vertex at hand: of each particle, and those that have one
	float* spread;
	int32_t touchedCount;
	int32_t* touched;
} Spreader;

static void FreeSpreader( const Spreader* s )
{
	supFree( s->starts );
	supFree( s->vertices );
	supFree( s->weights );
	supFree( s->sums );
	supFree( s->spread );
	supFree( s->touched );
}

static bool MakeSpreader( Spreader* s )
{
	const supContactBinding* b = s->binding;
	int32_t total = b->starts[b->vertexCount];
	for ( int32_t i = 0; i < total; ++i )
	{
		s->particleCount = b->particles[i] >= s->particleCount ? b->particles[i] + 1 : s->particleCount;
	}
	size_t count = (size_t)s->particleCount;
	s->starts = supAllocZeroed( ( count + 1 ) * sizeof( int32_t ) );
	s->vertices = supAllocArray( (size_t)total, sizeof( int32_t ) );
	s->weights = supAllocArray( (size_t)total, sizeof( float ) );
	s->sums = supAllocZeroed( count * sizeof( float ) );
	s->spread = supAllocZeroed( count * sizeof( float ) );
	s->touched = supAllocArray( count, sizeof( int32_t ) );
	if ( s->starts == NULL || s->vertices == NULL || s->weights == NULL || s->sums == NULL || s->spread == NULL ||
		 s->touched == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < total; ++i )
	{
		s->starts[b->particles[i]] += 1;
		s->sums[b->particles[i]] += b->weights[i];
	}
	int32_t sum = 0;
	for ( int32_t i = 0; i <= s->particleCount; ++i )
	{
		sum += s->starts[i];
		s->starts[i] = sum;
	}
	// from the last, so that each start comes down to where it belongs
	for ( int32_t v = b->vertexCount - 1; v >= 0; --v )
	{
		for ( int32_t i = b->starts[v + 1] - 1; i >= b->starts[v]; --i )
		{
			int32_t at = --s->starts[b->particles[i]];
			s->vertices[at] = v;
			s->weights[at] = b->weights[i];
		}
	}
	return true;
}

static void AddToSpread( Spreader* s, int32_t particle, float weight )
{
	if ( s->spread[particle] == 0.0f )
	{
		s->touched[s->touchedCount++] = particle;
	}
	s->spread[particle] += weight;
}

// Leaves the heaviest; an insertion sort of a few dozen.
static void TakeHeaviest( Spreader* s )
{
	for ( int32_t i = 1; i < s->touchedCount; ++i )
	{
		int32_t particle = s->touched[i], at = i;
		for ( ; at > 0 && s->spread[s->touched[at - 1]] < s->spread[particle]; --at )
		{
			s->touched[at] = s->touched[at - 1];
		}
		s->touched[at] = particle;
	}
	for ( ; s->touchedCount > MOST_SPREAD; --s->touchedCount )
	{
		s->spread[s->touched[s->touchedCount - 1]] = 0.0f;
	}
}

static void SpreadVertex( Spreader* s, int32_t vertex )
{
	const supContactBinding* b = s->binding;
	s->touchedCount = 0;
	for ( int32_t i = b->starts[vertex]; i < b->starts[vertex + 1]; ++i )
	{
		int32_t particle = b->particles[i];
		for ( int32_t k = s->starts[particle]; k < s->starts[particle + 1] && s->sums[particle] > 0.0f; ++k )
		{
			float share = b->weights[i] * s->weights[k] / s->sums[particle];
			for ( int32_t j = b->starts[s->vertices[k]]; j < b->starts[s->vertices[k] + 1] && share > 0.0f; ++j )
			{
				AddToSpread( s, b->particles[j], supMaxFloat( share * b->weights[j], 1e-12f ) );
			}
		}
	}
	TakeHeaviest( s );
}

// Fills lists where there is room for them; always the starts.
static void SpreadVertices( supContactBinding* binding, Spreader* s )
{
	int32_t at = 0;
	for ( int32_t v = 0; v < binding->vertexCount; ++v )
	{
		SpreadVertex( s, v );
		float sum = 0.0f;
		for ( int32_t i = 0; i < s->touchedCount; ++i )
		{
			sum += s->spread[s->touched[i]];
		}
		binding->spreadStarts[v] = at;
		for ( int32_t i = 0; i < s->touchedCount; ++i )
		{
			if ( binding->spreadWeights != NULL )
			{
				binding->spreadParticles[at + i] = s->touched[i];
				binding->spreadWeights[at + i] = s->spread[s->touched[i]] / sum;
			}
			s->spread[s->touched[i]] = 0.0f;
		}
		at += s->touchedCount;
	}
	binding->spreadStarts[binding->vertexCount] = at;
}

static bool SpreadBinding( supContactBinding* binding )
{
	Spreader s = { .binding = binding };
	binding->spreadStarts = supAllocArray( (size_t)binding->vertexCount + 1, sizeof( int32_t ) );
	bool ok = binding->spreadStarts != NULL && MakeSpreader( &s );
	if ( ok )
	{
		SpreadVertices( binding, &s );
		size_t total = (size_t)binding->spreadStarts[binding->vertexCount];
		binding->spreadParticles = supAllocArray( total, sizeof( int32_t ) );
		binding->spreadWeights = supAllocArray( total, sizeof( float ) );
		ok = binding->spreadParticles != NULL && binding->spreadWeights != NULL;
	}
	if ( ok )
	{
		SpreadVertices( binding, &s );
		binding->isSpread = true;
	}
	FreeSpreader( &s );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

supContactBinding* supCreateContactBinding( const supActor* actor )
{
	supContactBinding* binding = supAllocZeroed( sizeof( supContactBinding ) );
	if ( binding == NULL )
	{
		return NULL;
	}
	binding->flesh = actor->flesh;
	binding->users = 1;
	binding->instanceStarts = supAllocArray( (size_t)actor->surfaceCount + 1, sizeof( int32_t ) );
	for ( int32_t i = 0; i < actor->surfaceCount && binding->instanceStarts != NULL; ++i )
	{
		binding->instanceStarts[i] = binding->vertexCount;
		binding->vertexCount += actor->surfaces[i].vertexCount;
	}
	binding->starts = supAllocArray( (size_t)binding->vertexCount + 1, sizeof( int32_t ) );
	if ( binding->instanceStarts == NULL || binding->starts == NULL )
	{
		supContactBinding_Release( binding );
		return NULL;
	}
	binding->instanceStarts[actor->surfaceCount] = binding->vertexCount;
	BindVertices( binding, actor );
	size_t total = (size_t)binding->starts[binding->vertexCount];
	binding->particles = supAllocArray( total, sizeof( int32_t ) );
	binding->weights = supAllocArray( total, sizeof( float ) );
	if ( binding->particles == NULL || binding->weights == NULL )
	{
		supContactBinding_Release( binding );
		return NULL;
	}
	BindVertices( binding, actor );
	bool isSpread = supCharacter_SkinCount( actor->flesh->character ) > 0;
	if ( BindFaces( binding, actor ) == false || ( isSpread && SpreadBinding( binding ) == false ) )
	{
		supContactBinding_Release( binding );
		return NULL;
	}
	return binding;
}

void supContactBinding_Bind( const supContactBinding* binding, int32_t vertex, supContactSide* side )
{
	int32_t first = binding->starts[vertex];
	side->place = ( supContactTerms ){ binding->starts[vertex + 1] - first, binding->particles + first,
									   binding->weights + first };
	side->pushed = side->place;
	if ( binding->isSpread )
	{
		first = binding->spreadStarts[vertex];
		side->pushed = ( supContactTerms ){ binding->spreadStarts[vertex + 1] - first, binding->spreadParticles + first,
											binding->spreadWeights + first };
	}
}
