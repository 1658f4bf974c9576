// SPDX-License-Identifier: MIT
#include "weights.h"

#define ROUNDS 2
#define ITERATIONS 40
// Joints that are spread at the same time, side by side in memory.
#define LANES 8

typedef struct Spread
{
	int32_t vertexCount;
	int32_t* start;     // of each vertex's neighbours, vertexCount + 1
	int32_t* neighbour; // vertices
	float* mean;        // share that each vertex takes of the sum over its neighbours
	float* own;         // and of its source
	float* source;      // LANES per vertex, and so on
	float* a;
	float* b;
} Spread;

static void DestroySpread( Spread* s )
{
	supFree( s->start );
	supFree( s->neighbour );
	supFree( s->mean );
	supFree( s->own );
	supFree( s->source );
	supFree( s->a );
	supFree( s->b );
}

static void LinkNeighbours( Spread* s, const polyMesh* mesh )
{
	size_t count = (size_t)mesh->vertexCount, corners = 3 * (size_t)mesh->triangleCount;
	for ( size_t h = 0; h < corners; ++h )
	{
		s->start[mesh->triangles[h]] += 1;
	}
	int32_t total = 0;
	for ( size_t i = 0; i <= count; ++i )
	{
		int32_t n = s->start[i];
		s->start[i] = total;
		total += n;
	}
	for ( size_t h = 0; h < corners; ++h )
	{
		size_t next = h % 3 == 2 ? h - 2 : h + 1;
		s->neighbour[s->start[mesh->triangles[h]]++] = mesh->triangles[next];
	}
	// every start has moved to its end, which is the next one's beginning
	for ( size_t i = count; i > 0; --i )
	{
		s->start[i] = s->start[i - 1];
	}
	s->start[0] = 0;
}

static bool CreateSpread( Spread* s, const polyMesh* mesh, const sculptShape* shape, float reach )
{
	size_t count = (size_t)mesh->vertexCount;
	*s = ( Spread ){ .vertexCount = mesh->vertexCount };
	s->start = supAllocZeroed( ( count + 1 ) * sizeof( int32_t ) );
	// on a closed surface each vertex has as many neighbours as corners
	s->neighbour = supAllocArray( 3 * (size_t)mesh->triangleCount, sizeof( int32_t ) );
	s->mean = supAllocArray( count, sizeof( float ) );
	s->own = supAllocArray( count, sizeof( float ) );
	s->source = supAllocArray( count, LANES * sizeof( float ) );
	s->a = supAllocArray( count, LANES * sizeof( float ) );
	s->b = supAllocArray( count, LANES * sizeof( float ) );
	if ( s->start == NULL || s->neighbour == NULL || s->mean == NULL || s->own == NULL || s->source == NULL ||
		 s->a == NULL || s->b == NULL )
	{
		return false;
	}
	LinkNeighbours( s, mesh );
	for ( size_t i = 0; i < count; ++i )
	{
		float edge = 0.0f;
		float valence = (float)( s->start[i + 1] - s->start[i] );
		for ( int32_t k = s->start[i]; k < s->start[i + 1]; ++k )
		{
			edge += supDistance( mesh->positions[i], mesh->positions[s->neighbour[k]] );
		}
		edge /= valence;
		float width = reach * sculptShape_Thickness( shape, mesh->positions[i] ) / supMaxFloat( edge, 1e-9f );
		// no less than to the next vertices
		float amount = supMaxFloat( width * width, 2.5f );
		s->own[i] = 1.0f / ( 1.0f + amount );
		s->mean[i] = amount * s->own[i] / valence;
	}
	return true;
}

// Screened diffusion, w = source + amount (mean of neighbours - w), by Jacobi iteration.
static void Diffuse( Spread* s )
{
	memcpy( s->a, s->source, LANES * sizeof( float ) * (size_t)s->vertexCount );
	for ( int iteration = 0; iteration < ITERATIONS; ++iteration )
	{
		for ( int32_t i = 0; i < s->vertexCount; ++i )
		{
			float sum[LANES] = { 0 };
			for ( int32_t k = s->start[i]; k < s->start[i + 1]; ++k )
			{
				const float* other = s->a + LANES * s->neighbour[k];
				for ( int lane = 0; lane < LANES; ++lane )
				{
					sum[lane] += other[lane];
				}
			}
			const float* source = s->source + LANES * i;
			float* result = s->b + LANES * i;
			for ( int lane = 0; lane < LANES; ++lane )
			{
				result[lane] = s->own[i] * source[lane] + s->mean[i] * sum[lane];
			}
		}
		float* swap = s->a;
		s->a = s->b;
		s->b = swap;
	}
}

// Keeps the four largest, in order.
static void Keep( uint16_t joints[4], float weights[4], int32_t joint, float weight )
{
	if ( weight <= weights[3] )
	{
		return;
	}
	int k = 3;
	for ( ; k > 0 && weights[k - 1] < weight; --k )
	{
		weights[k] = weights[k - 1];
		joints[k] = joints[k - 1];
	}
	weights[k] = weight;
	joints[k] = (uint16_t)joint;
}

static void Normalise( uint16_t joints[4], float weights[4] )
{
	float total = weights[0] + weights[1] + weights[2] + weights[3];
	for ( int k = 0; k < 4; ++k )
	{
		weights[k] /= total;
		// what nobody would see is not worth a lookup
		if ( weights[k] < 0.004f )
		{
			weights[k] = 0.0f;
			joints[k] = 0;
		}
	}
	total = weights[0] + weights[1] + weights[2] + weights[3];
	for ( int k = 0; k < 4; ++k )
	{
		weights[k] /= total;
	}
}

bool spreadWeights( const polyMesh* mesh, const sculptShape* shape, int32_t jointCount, float reach, uint16_t* joints,
					float* weights )
{
	Spread s;
	int32_t* owners = supAllocArray( (size_t)mesh->vertexCount, sizeof( int32_t ) );
	if ( CreateSpread( &s, mesh, shape, reach ) == false || owners == NULL )
	{
		DestroySpread( &s );
		supFree( owners );
		return false;
	}
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		owners[i] = sculptShape_Joint( shape, mesh->positions[i] );
	}
	memset( joints, 0, 4 * sizeof( uint16_t ) * (size_t)mesh->vertexCount );
	memset( weights, 0, 4 * sizeof( float ) * (size_t)mesh->vertexCount );
	for ( int32_t first = 0; first < jointCount; first += LANES )
	{
		memset( s.source, 0, LANES * sizeof( float ) * (size_t)mesh->vertexCount );
		for ( int32_t i = 0; i < mesh->vertexCount; ++i )
		{
			if ( owners[i] >= first && owners[i] < first + LANES )
			{
				s.source[LANES * i + owners[i] - first] = 1.0f;
			}
		}
		// twice, so that weights begin to fall gently at the border
		for ( int round = 0; round < ROUNDS; ++round )
		{
			Diffuse( &s );
			memcpy( s.source, s.a, LANES * sizeof( float ) * (size_t)mesh->vertexCount );
		}
		for ( int32_t i = 0; i < LANES * mesh->vertexCount; ++i )
		{
			int32_t vertex = i / LANES;
			Keep( joints + 4 * vertex, weights + 4 * vertex, first + i % LANES, s.a[i] );
		}
	}
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		Normalise( joints + 4 * i, weights + 4 * i );
	}
	DestroySpread( &s );
	supFree( owners );
	return true;
}
