// SPDX-License-Identifier: MIT
// The volume of whole parts. Constraints on tets keep it to a few percent in the iterations they have; one step on the
// volume of a closed part, V = 1/6 sum of a . (b x c) over the triangles around it, makes up for the rest:
// dp_i = l w_i grad_i V, l = -( V - V0 ) / sum( w |grad V|^2 ). It moves the surface evenly, by very little.
#include "method/position/position.h"
#include "method/position/volume_math.h"
#include "volume/tets/tet_topology.h"

static supVec3 At( const float* positions, size_t stride, int32_t i )
{
	const float* p = positions + stride * (size_t)i;
	return supMakeVec3( p[0], p[1], p[2] );
}

// Six times the volume, about one of its own particles.
static double MeasurePart( const supPositionFlesh* flesh, int32_t part, const float* positions, size_t stride )
{
	const int32_t* triangles = flesh->triangles + 3 * (size_t)flesh->partTriangles[part];
	int32_t count = flesh->partTriangles[part + 1] - flesh->partTriangles[part];
	double sums[PARTIAL_SUMS] = { 0 };
	supVec3 origin = count > 0 ? At( positions, stride, triangles[0] ) : supVec3_zero;
	for ( int32_t i = 0; i < count; ++i )
	{
		const int32_t* t = triangles + 3 * (size_t)i;
		sums[i % PARTIAL_SUMS] += (double)TriangleVolume( At( positions, stride, t[0] ), At( positions, stride, t[1] ),
														  At( positions, stride, t[2] ), origin );
	}
	return FoldSums( sums );
}

// Triangles sorted by part, stable.
static void SortTriangles( supPositionFlesh* flesh, const int32_t* triangles, int32_t count, const int32_t* parts )
{
	memset( flesh->partTriangles, 0, ( (size_t)flesh->partCount + 1 ) * sizeof( int32_t ) );
	for ( int32_t i = 0; i < count; ++i )
	{
		flesh->partTriangles[parts[triangles[3 * (size_t)i]] + 1] += 1;
	}
	for ( int32_t i = 0; i < flesh->partCount; ++i )
	{
		flesh->partTriangles[i + 1] += flesh->partTriangles[i];
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t part = parts[triangles[3 * (size_t)i]];
		int32_t place = flesh->partTriangles[part]++;
		memcpy( flesh->triangles + 3 * (size_t)place, triangles + 3 * (size_t)i, 3 * sizeof( int32_t ) );
	}
	// each start has moved on to the next part's
	for ( int32_t i = flesh->partCount; i > 0; --i )
	{
		flesh->partTriangles[i] = flesh->partTriangles[i - 1];
	}
	flesh->partTriangles[0] = 0;
}

// The particles on the surface of each part, in the order of its triangles.
static void ListParticles( supPositionFlesh* flesh, int32_t* seen )
{
	memset( seen, 0, (size_t)flesh->particleCount * sizeof( int32_t ) );
	int32_t count = 0;
	for ( int32_t part = 0; part < flesh->partCount; ++part )
	{
		flesh->partStarts[part] = count;
		for ( int32_t i = 3 * flesh->partTriangles[part]; i < 3 * flesh->partTriangles[part + 1]; ++i )
		{
			if ( seen[flesh->triangles[i]] == 0 )
			{
				seen[flesh->triangles[i]] = 1;
				flesh->partParticles[count++] = flesh->triangles[i];
			}
		}
	}
	flesh->partStarts[flesh->partCount] = count;
}

static bool AllocParts( supPositionFlesh* flesh, int32_t triangleCount )
{
	supArena* arena = &flesh->arena;
	flesh->partTriangles = supArena_AllocArray( arena, (size_t)flesh->partCount + 1, sizeof( int32_t ) );
	flesh->partStarts = supArena_AllocArray( arena, (size_t)flesh->partCount + 1, sizeof( int32_t ) );
	flesh->partVolumes = supArena_AllocArray( arena, (size_t)flesh->partCount, sizeof( double ) );
	flesh->triangles = supArena_AllocArray( arena, (size_t)triangleCount, 3 * sizeof( int32_t ) );
	flesh->partParticles = supArena_AllocArray( arena, (size_t)flesh->particleCount, sizeof( int32_t ) );
	flesh->particleParts = supArena_AllocArray( arena, (size_t)flesh->particleCount, sizeof( int32_t ) );
	return arena->failed == false;
}

bool supPosition_FindParts( supPositionFlesh* flesh, const supTets* tets )
{
	supArena scratch = { 0 };
	int32_t* parts;
	int32_t* triangles;
	int32_t count;
	bool ok = supTets_Parts( tets, &scratch, &flesh->partCount, &parts, NULL ) &&
			  supTets_Boundary( tets, &scratch, &count, &triangles, NULL ) && AllocParts( flesh, count );
	if ( ok )
	{
		memcpy( flesh->particleParts, parts, (size_t)flesh->particleCount * sizeof( int32_t ) );
		SortTriangles( flesh, triangles, count, parts );
		ListParticles( flesh, parts );
		for ( int32_t i = 0; i < flesh->partCount; ++i )
		{
			flesh->partVolumes[i] = MeasurePart( flesh, i, &flesh->rest[0].x, 3 );
		}
	}
	supArena_Destroy( &scratch );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// A step

// Six times the gradient at a particle: twice the area vectors of the triangles around it. Returns the sum of w |g|^2.
static double ComputeGradients( const supPositionFlesh* flesh, int32_t part, const float* positions,
								supVec3* gradients )
{
	const int32_t* particles = flesh->partParticles + flesh->partStarts[part];
	int32_t particleCount = flesh->partStarts[part + 1] - flesh->partStarts[part];
	for ( int32_t i = 0; i < particleCount; ++i )
	{
		gradients[particles[i]] = supVec3_zero;
	}
	for ( int32_t i = flesh->partTriangles[part]; i < flesh->partTriangles[part + 1]; ++i )
	{
		const int32_t* t = flesh->triangles + 3 * (size_t)i;
		supVec3 area = TriangleArea( At( positions, 4, t[0] ), At( positions, 4, t[1] ), At( positions, 4, t[2] ) );
		for ( int32_t k = 0; k < 3; ++k )
		{
			gradients[t[k]] = supAdd( gradients[t[k]], area );
		}
	}
	double sums[PARTIAL_SUMS] = { 0 };
	for ( int32_t i = 0; i < particleCount; ++i )
	{
		sums[i % PARTIAL_SUMS] +=
			(double)( flesh->inverseMasses[particles[i]] * supLengthSquared( gradients[particles[i]] ) );
	}
	return FoldSums( sums );
}

static void MovePart( const supPositionFlesh* flesh, int32_t part, float step, const supVec3* gradients,
					  float* positions )
{
	for ( int32_t i = flesh->partStarts[part]; i < flesh->partStarts[part + 1]; ++i )
	{
		int32_t particle = flesh->partParticles[i];
		float* p = positions + 4 * (size_t)particle;
		float scale = step * flesh->inverseMasses[particle];
		p[0] += scale * gradients[particle].x;
		p[1] += scale * gradients[particle].y;
		p[2] += scale * gradients[particle].z;
	}
}

void supPosition_KeepVolume( const supPositionFlesh* flesh, const float* growths, float* positions, supVec3* gradients )
{
	for ( int32_t part = 0; part < flesh->partCount; ++part )
	{
		double wanted = flesh->partVolumes[part] * ( growths != NULL ? (double)growths[part] : 1.0 );
		for ( int32_t i = 0; i < MOST_STEPS && wanted > 0.0; ++i )
		{
			double missing = wanted - MeasurePart( flesh, part, positions, 4 );
			missing = ClampMissing( missing, wanted );
			if ( IsWorthAStep( missing, wanted ) == false )
			{
				break;
			}
			double sum = ComputeGradients( flesh, part, positions, gradients );
			if ( !( sum > 0.0 ) )
			{
				break;
			}
			MovePart( flesh, part, (float)( missing / sum ), gradients, positions );
		}
	}
}

void supPosition_Inflate( const supPositionFlesh* flesh, float* positions, supVec3* gradients, double part )
{
	for ( int32_t i = 0; i < flesh->partCount; ++i )
	{
		double sum = ComputeGradients( flesh, i, positions, gradients );
		if ( sum > 0.0 && flesh->partVolumes[i] > 0.0 )
		{
			MovePart( flesh, i, (float)( part * flesh->partVolumes[i] / sum ), gradients, positions );
		}
	}
}
