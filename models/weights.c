// SPDX-License-Identifier: MIT
#include "weights.h"

#define ROUNDS 2
#define ITERATIONS 48

typedef struct Spread
{
	int32_t vertexCount;
	int32_t* start;     // of each vertex's neighbours, vertexCount + 1
	int32_t* neighbour; // vertices
	float* amount;      // how strongly each vertex takes after its neighbours
	float* source;
	float* a;
	float* b;
} Spread;

static void DestroySpread( Spread* s )
{
	supFree( s->start );
	supFree( s->neighbour );
	supFree( s->amount );
	supFree( s->source );
	supFree( s->a );
	supFree( s->b );
}

static bool CreateSpread( Spread* s, const polyMesh* mesh, const sculptShape* shape, float reach )
{
	size_t count = (size_t)mesh->vertexCount, corners = 3 * (size_t)mesh->triangleCount;
	*s = ( Spread ){ .vertexCount = mesh->vertexCount };
	s->start = supAllocZeroed( ( count + 1 ) * sizeof( int32_t ) );
	// on a closed surface each vertex has as many neighbours as corners
	s->neighbour = supAllocArray( corners, sizeof( int32_t ) );
	s->amount = supAllocArray( count, sizeof( float ) );
	s->source = supAllocArray( count, sizeof( float ) );
	s->a = supAllocArray( count, sizeof( float ) );
	s->b = supAllocArray( count, sizeof( float ) );
	if ( s->start == NULL || s->neighbour == NULL || s->amount == NULL || s->source == NULL || s->a == NULL ||
		 s->b == NULL )
	{
		return false;
	}
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
	for ( size_t i = 0; i < count; ++i )
	{
		float edge = 0.0f;
		for ( int32_t k = s->start[i]; k < s->start[i + 1]; ++k )
		{
			edge += supDistance( mesh->positions[i], mesh->positions[s->neighbour[k]] );
		}
		edge /= (float)( s->start[i + 1] - s->start[i] );
		float width = reach * sculptShape_Thickness( shape, mesh->positions[i] ) / supMaxFloat( edge, 1e-9f );
		s->amount[i] = width * width;
	}
	return true;
}

// Screened diffusion, w = source + amount (mean of neighbours - w), by Jacobi iteration.
static void Diffuse( Spread* s )
{
	for ( int32_t i = 0; i < s->vertexCount; ++i )
	{
		s->a[i] = s->source[i];
	}
	for ( int iteration = 0; iteration < ITERATIONS; ++iteration )
	{
		for ( int32_t i = 0; i < s->vertexCount; ++i )
		{
			float sum = 0.0f;
			for ( int32_t k = s->start[i]; k < s->start[i + 1]; ++k )
			{
				sum += s->a[s->neighbour[k]];
			}
			float mean = sum / (float)( s->start[i + 1] - s->start[i] );
			s->b[i] = ( s->source[i] + s->amount[i] * mean ) / ( 1.0f + s->amount[i] );
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
		owners[i] = shape->blobs[sculptShape_Owner( shape, mesh->positions[i] )].joint;
	}
	memset( joints, 0, 4 * sizeof( uint16_t ) * (size_t)mesh->vertexCount );
	memset( weights, 0, 4 * sizeof( float ) * (size_t)mesh->vertexCount );
	for ( int32_t joint = 0; joint < jointCount; ++joint )
	{
		bool any = false;
		for ( int32_t i = 0; i < mesh->vertexCount; ++i )
		{
			s.source[i] = owners[i] == joint ? 1.0f : 0.0f;
			any = any || owners[i] == joint;
		}
		// twice, so that weights begin to fall gently at the border
		for ( int round = 0; any && round < ROUNDS; ++round )
		{
			Diffuse( &s );
			memcpy( s.source, s.a, sizeof( float ) * (size_t)mesh->vertexCount );
		}
		for ( int32_t i = 0; any && i < mesh->vertexCount; ++i )
		{
			Keep( joints + 4 * i, weights + 4 * i, joint, s.a[i] );
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
