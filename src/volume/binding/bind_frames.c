// SPDX-License-Identifier: MIT
// Frames of a surface binding: how the flesh around each point is shifted and turned.
#include "core/tasks.h"
#include "volume/binding/bind_frames_kernel.h"
#include "volume/binding/surface_binding_internal.h"

#define GRAIN 512

// ---------------------------------------------------------------------------------------------------------------------
// Building

typedef struct Incidence
{
	// tets around each point, in rising order
	int32_t* starts;
	int32_t* tets;
	// of a neighbour of the point at hand: its slot; -1 elsewhere
	int32_t* slots;
} Incidence;

static bool BuildIncidence( supArena* arena, const supTets* tets, Incidence* incidence )
{
	size_t points = (size_t)tets->pointCount, corners = 4 * (size_t)tets->tetCount;
	incidence->starts = supArena_AllocZeroed( arena, ( points + 2 ) * sizeof( int32_t ) );
	incidence->tets = supArena_AllocArray( arena, corners, sizeof( int32_t ) );
	incidence->slots = supArena_AllocArray( arena, points, sizeof( int32_t ) );
	if ( arena->failed )
	{
		return false;
	}
	// counted two places on, so that filling moves each start to where the next begins
	int32_t* counts = incidence->starts + 2;
	for ( size_t i = 0; i < corners; ++i )
	{
		counts[tets->indices[i]] += 1;
	}
	for ( int32_t i = 1; i < tets->pointCount; ++i )
	{
		counts[i] += counts[i - 1];
	}
	for ( size_t i = 0; i < corners; ++i )
	{
		incidence->tets[incidence->starts[tets->indices[i] + 1]++] = (int32_t)( i / 4 );
	}
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		incidence->slots[i] = -1;
	}
	return true;
}

// Numbers the neighbours of a point from `count` on. Returns the new count. Writes them where `neighbours` is not NULL.
static int32_t NumberNeighbours( const supTets* tets, Incidence* incidence, int32_t point, int32_t count,
								 int32_t* neighbours )
{
	int32_t first = count;
	for ( int32_t i = incidence->starts[point]; i < incidence->starts[point + 1]; ++i )
	{
		for ( int32_t k = 0; k < 4; ++k )
		{
			int32_t other = tets->indices[4 * incidence->tets[i] + k];
			if ( other != point && incidence->slots[other] < first )
			{
				incidence->slots[other] = count;
				if ( neighbours != NULL )
				{
					neighbours[count] = other;
				}
				count += 1;
			}
		}
	}
	return count;
}

typedef struct TetGradients
{
	double volume; // six times, never negative
	double of[4][3];
} TetGradients;

// Gradients of the four linear functions that are 1 at one corner: face normals over six volumes.
static TetGradients ComputeTetGradients( const supTets* tets, int32_t tet )
{
	double e[3][3];
	supVec3 o = tets->points[tets->indices[4 * tet]];
	for ( int32_t i = 0; i < 3; ++i )
	{
		supVec3 p = tets->points[tets->indices[4 * tet + 1 + i]];
		e[i][0] = (double)p.x - (double)o.x;
		e[i][1] = (double)p.y - (double)o.y;
		e[i][2] = (double)p.z - (double)o.z;
	}
	TetGradients g = { 0 };
	double cross[3][3];
	for ( int32_t i = 0; i < 3; ++i )
	{
		const double *a = e[( i + 1 ) % 3], *b = e[( i + 2 ) % 3];
		cross[i][0] = a[1] * b[2] - a[2] * b[1];
		cross[i][1] = a[2] * b[0] - a[0] * b[2];
		cross[i][2] = a[0] * b[1] - a[1] * b[0];
	}
	double volume = e[0][0] * cross[0][0] + e[0][1] * cross[0][1] + e[0][2] * cross[0][2];
	for ( int32_t i = 0; i < 3 && volume != 0.0; ++i )
	{
		for ( int32_t k = 0; k < 3; ++k )
		{
			g.of[i + 1][k] = cross[i][k] / volume;
			g.of[0][k] -= g.of[i + 1][k];
		}
	}
	g.volume = volume < 0.0 ? -volume : volume;
	return g;
}

static void SumGradients( const supTets* tets, const Incidence* incidence, int32_t point, int32_t first, int32_t count,
						  double ( *sums )[3], supVec3* gradients )
{
	memset( sums, 0, (size_t)count * sizeof( *sums ) );
	double volume = 0.0;
	for ( int32_t i = incidence->starts[point]; i < incidence->starts[point + 1]; ++i )
	{
		int32_t tet = incidence->tets[i];
		TetGradients g = ComputeTetGradients( tets, tet );
		volume += g.volume;
		for ( int32_t k = 0; k < 4; ++k )
		{
			int32_t other = tets->indices[4 * tet + k];
			for ( int32_t c = 0; c < 3 && other != point; ++c )
			{
				sums[incidence->slots[other] - first][c] += g.volume * g.of[k][c];
			}
		}
	}
	double scale = volume > 0.0 ? 1.0 / volume : 0.0;
	for ( int32_t i = 0; i < count; ++i )
	{
		gradients[i] =
			supMakeVec3( (float)( scale * sums[i][0] ), (float)( scale * sums[i][1] ), (float)( scale * sums[i][2] ) );
	}
}

// Returns the largest number of neighbours.
static int32_t CountNeighbours( const supTets* tets, Incidence* incidence, int32_t* starts )
{
	int32_t most = 0;
	starts[0] = 0;
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		starts[i + 1] = NumberNeighbours( tets, incidence, i, starts[i], NULL );
		most = starts[i + 1] - starts[i] > most ? starts[i + 1] - starts[i] : most;
	}
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		incidence->slots[i] = -1;
	}
	return most;
}

bool supSurfaceBinding_BuildGradients( supSurfaceBinding* binding, const supTets* tets, supError* error )
{
	supArena scratch = { 0 };
	Incidence incidence = { 0 };
	int32_t pointCount = tets->pointCount;
	int32_t* starts = supArena_AllocArray( &binding->arena, (size_t)pointCount + 1, sizeof( int32_t ) );
	if ( starts == NULL || BuildIncidence( &scratch, tets, &incidence ) == false )
	{
		supArena_Destroy( &scratch );
		return supSetMemoryError( error );
	}
	int32_t most = CountNeighbours( tets, &incidence, starts );
	int32_t* neighbours = supArena_AllocArray( &binding->arena, (size_t)starts[pointCount], sizeof( int32_t ) );
	supVec3* gradients = supArena_AllocArray( &binding->arena, (size_t)starts[pointCount], sizeof( supVec3 ) );
	double( *sums )[3] = supArena_AllocArray( &scratch, (size_t)most, sizeof( *sums ) );
	bool ok = neighbours != NULL && gradients != NULL && sums != NULL;
	for ( int32_t i = 0; i < pointCount && ok; ++i )
	{
		NumberNeighbours( tets, &incidence, i, starts[i], neighbours );
		SumGradients( tets, &incidence, i, starts[i], starts[i + 1] - starts[i], sums, gradients + starts[i] );
	}
	binding->neighbourStarts = starts;
	binding->neighbours = neighbours;
	binding->gradients = gradients;
	supArena_Destroy( &scratch );
	return ok ? true : supSetMemoryError( error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Frames of tets

static void FrameTetsRange( int32_t begin, int32_t end, int32_t worker, void* job )
{
	(void)worker;
	SUP_CALL_KERNEL( supFrameTets )( job, begin, end );
}

void supSurfaceBinding_FrameTets( const supSurfaceBinding* binding, const supVec4* points, const supVec4* reference,
								  const supTasks* tasks, supBindFrame* frames )
{
	SUP_ASSERT( binding->gradients != NULL );
	supFrameJob job = { binding, points, reference != NULL ? reference : binding->restPoints, NULL, frames };
	supParallelFor( tasks, binding->pointCount, GRAIN, FrameTetsRange, &job );
}

int32_t supSurfaceBinding_ListHeld( const supSurfaceBinding* binding, int32_t* held )
{
	int32_t count = 0;
	memset( held, 0, (size_t)binding->pointCount * sizeof( int32_t ) );
	for ( size_t i = 0; i < (size_t)binding->vertexCount * (size_t)binding->width; ++i )
	{
		held[binding->points[i]] |= binding->weights[i] > 0.0f;
	}
	// never ahead of where it reads
	for ( int32_t i = 0; i < binding->pointCount; ++i )
	{
		if ( held[i] != 0 )
		{
			held[count++] = i;
		}
	}
	return count;
}

void supSurfaceBinding_FrameSomeTets( const supSurfaceBinding* binding, const supVec4* points, const int32_t* only,
									  int32_t count, const supTasks* tasks, supBindFrame* frames )
{
	supFrameJob job = { binding, points, binding->restPoints, only, frames };
	supParallelFor( tasks, count, GRAIN, FrameTetsRange, &job );
}

// ---------------------------------------------------------------------------------------------------------------------
// Frames of points that know how they are turned

typedef struct RotationContext
{
	supFrameJob job;
	const supQuat* rotations;
} RotationContext;

static void FrameRotationsRange( int32_t begin, int32_t end, int32_t worker, void* contextPointer )
{
	(void)worker;
	const RotationContext* context = contextPointer;
	for ( int32_t i = begin; i < end; ++i )
	{
		supMat3 turn = supMakeMat3Quat( context->rotations[i] );
		turn.cx.x -= 1.0f;
		turn.cy.y -= 1.0f;
		turn.cz.z -= 1.0f;
		supSetBindFrame( &context->job, i, turn );
	}
}

void supSurfaceBinding_FrameRotations( const supSurfaceBinding* binding, const supVec4* points,
									   const supQuat* rotations, const supVec4* reference, const supTasks* tasks,
									   supBindFrame* frames )
{
	RotationContext context = { { binding, points, reference != NULL ? reference : binding->restPoints, NULL, frames },
								rotations };
	supParallelFor( tasks, binding->pointCount, GRAIN, FrameRotationsRange, &context );
}
