// SPDX-License-Identifier: MIT
// The bounding volume tree and the winding number on a character of 31 000 triangles: building, refitting, queries
// per second; beside them a loop over all triangles.
#include "bench.h"

#include "core/tasks.h"
#include "geometry/winding.h"
#include "models/models.h"
#include "supple/character.h"

#define POINTS 4096
#define LOOPED 16
#define ROUNDS 5
#define SECONDS 0.1
#define LEAST_TRIANGLES 20000

typedef struct Case
{
	int32_t vertexCount;
	int32_t triangleCount;
	supVec3* positions;
	uint32_t* indices;
	supTree* tree;
	supWinding* winding;
	const supTasks* tasks;
	supVec3 points[POINTS];
	supVec3 directions[POINTS];
	supTreeHit hits[POINTS];
	float values[POINTS];
	double exact[LOOPED];
} Case;

static void* Allocate( size_t size )
{
	void* memory = malloc( size );
	if ( memory == NULL )
	{
		fprintf( stderr, "out of memory\n" );
		exit( 1 );
	}
	return memory;
}

static float Random( uint32_t* state )
{
	*state = *state * 1664525u + 1013904223u;
	return (float)( *state >> 8 ) / 8388608.0f - 1.0f;
}

static supVec3 RandomVec3( uint32_t* state, float extent )
{
	float x = Random( state ), y = Random( state );
	return supScale( extent, supMakeVec3( x, y, Random( state ) ) );
}

// All meshes of the character in one.
static void GatherMeshes( const supCharacter* character, Case* c )
{
	for ( int32_t i = 0; i < supCharacter_MeshCount( character ); ++i )
	{
		c->vertexCount += supCharacter_Mesh( character, i )->vertexCount;
		c->triangleCount += supCharacter_Mesh( character, i )->indexCount / 3;
	}
	c->positions = Allocate( (size_t)c->vertexCount * sizeof( supVec3 ) );
	c->indices = Allocate( 3 * (size_t)c->triangleCount * sizeof( uint32_t ) );
	uint32_t vertex = 0, corner = 0;
	for ( int32_t i = 0; i < supCharacter_MeshCount( character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, i );
		for ( int32_t k = 0; k < mesh->indexCount; ++k )
		{
			c->indices[corner++] = vertex + mesh->indices[k];
		}
		memcpy( c->positions + vertex, mesh->positions, (size_t)mesh->vertexCount * sizeof( supVec3 ) );
		vertex += (uint32_t)mesh->vertexCount;
	}
}

// Each triangle in four. Corners are not shared, which the tree does not mind.
static void SplitTriangles( Case* c )
{
	int32_t count = 4 * c->triangleCount;
	supVec3* positions = Allocate( 3 * (size_t)count * sizeof( supVec3 ) );
	uint32_t* indices = Allocate( 3 * (size_t)count * sizeof( uint32_t ) );
	for ( int32_t i = 0; i < c->triangleCount; ++i )
	{
		const uint32_t* t = c->indices + 3 * i;
		supVec3 p[6] = { c->positions[t[0]], c->positions[t[1]], c->positions[t[2]] };
		for ( int k = 0; k < 3; ++k )
		{
			p[3 + k] = supLerp( p[k], p[( k + 1 ) % 3], 0.5f );
		}
		static const int corners[12] = { 0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5 };
		for ( int k = 0; k < 12; ++k )
		{
			positions[12 * i + k] = p[corners[k]];
			indices[12 * i + k] = (uint32_t)( 12 * i + k );
		}
	}
	free( c->positions );
	free( c->indices );
	c->positions = positions;
	c->indices = indices;
	c->triangleCount = count;
	c->vertexCount = 3 * count;
}

// Half of them within 2 % of the size from the surface, half anywhere in the bounds.
static void ChoosePoints( Case* c )
{
	supBox bounds = supTree_Bounds( c->tree );
	supVec3 size = supBox_Size( bounds );
	supVec3 middle = supLerp( bounds.lower, bounds.upper, 0.5f );
	uint32_t state = 1;
	for ( int i = 0; i < POINTS; ++i )
	{
		supVec3 r = RandomVec3( &state, 1.0f );
		uint32_t vertex = (uint32_t)( 0.4999f * ( Random( &state ) + 1.0f ) * (float)c->vertexCount );
		c->points[i] = i % 2 == 0 ? supAdd( middle, supScale( 0.5f, supMul( r, size ) ) )
								  : supMulAdd( c->positions[vertex], 0.02f * supLength( size ), r );
		c->directions[i] = RandomVec3( &state, 1.0f );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static void Build( void* context )
{
	Case* c = context;
	supError error = { 0 };
	supTree* tree = supCreateTree( c->positions, c->vertexCount, c->indices, c->triangleCount, &error );
	benchRequire( tree != NULL, &error );
	supDestroyTree( tree );
}

static void Refit( void* context )
{
	Case* c = context;
	supTree_Refit( c->tree, c->positions, c->tasks );
}

static void RefitMoments( void* context )
{
	Case* c = context;
	supWinding_Refit( c->winding, c->tasks );
}

static void FindRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Case* c = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supTree_FindClosest( c->tree, c->points[i], INFINITY, c->hits + i );
	}
}

static void Find( void* context )
{
	Case* c = context;
	supParallelFor( c->tasks, POINTS, 64, FindRange, c );
}

static void CastRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Case* c = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supTree_CastRay( c->tree, c->points[i], c->directions[i], INFINITY, c->hits + i );
	}
}

static void Cast( void* context )
{
	Case* c = context;
	supParallelFor( c->tasks, POINTS, 64, CastRange, c );
}

static void Wind( void* context )
{
	Case* c = context;
	supWinding_EvaluateMany( c->winding, c->points, POINTS, c->values, c->tasks );
}

static void FindByLoop( void* context )
{
	Case* c = context;
	for ( int k = 0; k < LOOPED; ++k )
	{
		c->exact[k] = INFINITY;
		for ( int32_t i = 0; i < c->triangleCount; ++i )
		{
			const uint32_t* t = c->indices + 3 * i;
			supTriangle triangle = { c->positions[t[0]], c->positions[t[1]], c->positions[t[2]] };
			double squared = supClosestPointOnTriangle( &triangle, c->points[k] ).distanceSquared;
			c->exact[k] = squared < c->exact[k] ? squared : c->exact[k];
		}
	}
}

static void WindByLoop( void* context )
{
	Case* c = context;
	for ( int k = 0; k < LOOPED; ++k )
	{
		c->exact[k] = supWinding_EvaluateExact( c->winding, c->points[k] );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

// `count` > 0: so many queries a call, reported per second. 0: milliseconds.
static void Measure( FILE* csv, Case* c, const char* name, benchFcn* function, int threads, int count )
{
	supThreadPool* pool = supCreateThreadPool( threads );
	c->tasks = supThreadPool_Tasks( pool );
	double seconds = benchTime( function, c, ROUNDS, SECONDS );
	c->tasks = NULL;
	supDestroyThreadPool( pool );
	double value = count > 0 ? count / seconds : 1000.0 * seconds;
	const char* unit = count > 0 ? "queries/s" : "ms";
	printf( "%-28s  %7d  %12.4g  %s\n", name, threads, value, unit );
	benchWriteCsv( csv, "tree", name, threads, value, unit );
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	static Case c;
	supError error = { 0 };
	supCharacter* character = supFindModel( "cow" )->create( &error );
	benchRequire( character != NULL, &error );
	GatherMeshes( character, &c );
	supDestroyCharacter( character );
	while ( c.triangleCount < LEAST_TRIANGLES )
	{
		SplitTriangles( &c );
	}
	c.tree = supCreateTree( c.positions, c.vertexCount, c.indices, c.triangleCount, &error );
	benchRequire( c.tree != NULL, &error );
	c.winding = supCreateWinding( c.tree, SUP_WINDING_BETA, NULL, &error );
	benchRequire( c.winding != NULL, &error );
	ChoosePoints( &c );

	char processor[128];
	benchProcessor( processor );
	printf( "Cow, its triangles split to %d; %s, %s, median of %d rounds\n\n", c.triangleCount, processor,
			benchInstructionSet(), ROUNDS );
	printf( "%-28s  %7s  %12s\n", "what", "threads", "value" );
	Measure( csv, &c, "build", Build, 1, 0 );
	for ( int threads = 1; threads <= 2; ++threads )
	{
		Measure( csv, &c, "refit", Refit, threads, 0 );
		Measure( csv, &c, "refit moments", RefitMoments, threads, 0 );
		Measure( csv, &c, "closest point", Find, threads, POINTS );
		Measure( csv, &c, "ray", Cast, threads, POINTS );
		Measure( csv, &c, "winding number", Wind, threads, POINTS );
	}
	Measure( csv, &c, "closest point, loop", FindByLoop, 1, LOOPED );
	Measure( csv, &c, "winding number, exact sum", WindByLoop, 1, LOOPED );

	supDestroyWinding( c.winding );
	supDestroyTree( c.tree );
	free( c.positions );
	free( c.indices );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
