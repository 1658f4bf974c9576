// SPDX-License-Identifier: MIT
// A mesh as a signed distance: the sign comes from the normal of the feature that is nearest, a face, an edge or a
// vertex weighted by angles, which is right for every closed surface (Baerentzen & Aanaes 2005).
#include "contact/shape_mesh.h"

#include "core/sort.h"
#include "geometry/weld.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------------------------------
// Solids

// The moments of a tetrahedron with one corner at the reference point (Tonon 2004), summed in double.
void supMeasureSolid( const supVec3* vertices, const uint32_t* indices, int32_t triangleCount, float* volume,
					  supVec3* center, supMat3* inertia )
{
	supVec3 reference = triangleCount > 0 ? vertices[indices[0]] : supVec3_zero;
	double v = 0.0, first[3] = { 0 }, second[6] = { 0 }; // xx yy zz xy yz zx
	for ( int32_t t = 0; t < triangleCount; ++t )
	{
		double p[3][3];
		for ( int32_t k = 0; k < 3; ++k )
		{
			supVec3 q = supSub( vertices[indices[3 * t + k]], reference );
			p[k][0] = (double)q.x;
			p[k][1] = (double)q.y;
			p[k][2] = (double)q.z;
		}
		double det = p[0][0] * ( p[1][1] * p[2][2] - p[1][2] * p[2][1] ) -
					 p[0][1] * ( p[1][0] * p[2][2] - p[1][2] * p[2][0] ) +
					 p[0][2] * ( p[1][0] * p[2][1] - p[1][1] * p[2][0] );
		v += det / 6.0;
		for ( int32_t i = 0; i < 3; ++i )
		{
			int32_t j = ( i + 1 ) % 3;
			double si = p[0][i] + p[1][i] + p[2][i], sj = p[0][j] + p[1][j] + p[2][j];
			first[i] += det * si / 24.0;
			second[i] += det * ( si * si + p[0][i] * p[0][i] + p[1][i] * p[1][i] + p[2][i] * p[2][i] ) / 120.0;
			second[3 + i] += det * ( si * sj + p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j] ) / 120.0;
		}
	}
	double c[3] = { 0 };
	for ( int32_t i = 0; i < 3 && v != 0.0; ++i )
	{
		c[i] = first[i] / v;
	}
	for ( int32_t i = 0; i < 3; ++i )
	{
		second[i] -= v * c[i] * c[i];
		second[3 + i] -= v * c[i] * c[( i + 1 ) % 3];
	}
	*volume = (float)v;
	*center = supAdd( reference, supMakeVec3( (float)c[0], (float)c[1], (float)c[2] ) );
	float xx = (float)second[0], yy = (float)second[1], zz = (float)second[2];
	float xy = (float)second[3], yz = (float)second[4], zx = (float)second[5];
	*inertia = ( supMat3 ){ { yy + zz, -xy, -zx }, { -xy, xx + zz, -yz }, { -zx, -yz, xx + yy } };
}

// ---------------------------------------------------------------------------------------------------------------------
// Making one

// Faces whose normals have a smaller product meet in a sharp edge: 30 degrees.
#define SHARP_EDGE_COSINE 0.866f

typedef struct MeshBuilder
{
	supShape* shape;
	const supShapeDef* def;
	uint32_t* indices; // turned where needed, welded
	uint64_t* keys;
	uint64_t* scratch;
	supArena weldArena;
	int32_t* welded; // of each vertex, the first at its place
	supVec3* vertexNormals;
	int32_t openEdges;
	int32_t sharpCount;
	uint32_t* sharp; // edges as triangles: one end, the other twice
} MeshBuilder;

// Vertices at the same place become one: files split them at seams.
static bool Weld( MeshBuilder* b )
{
	if ( supWeld( b->def->vertices, b->def->vertexCount, &b->weldArena, b->welded ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < 3 * b->def->triangleCount; ++i )
	{
		b->indices[i] = (uint32_t)b->welded[b->def->indices[i]];
	}
	return true;
}

static void TurnInsideOut( MeshBuilder* b )
{
	for ( int32_t t = 0; t < b->def->triangleCount; ++t )
	{
		uint32_t swapped = b->indices[3 * t + 1];
		b->indices[3 * t + 1] = b->indices[3 * t + 2];
		b->indices[3 * t + 2] = swapped;
	}
	b->shape->wasTurned = true;
}

static float AngleAt( supVec3 p, supVec3 q, supVec3 r )
{
	supVec3 a = supNormalize( supSub( q, p ) ), b = supNormalize( supSub( r, p ) );
	return supAcos( supClampFloat( supDot( a, b ), -1.0f, 1.0f ) );
}

static void ComputeNormals( MeshBuilder* b )
{
	supShape* shape = b->shape;
	const supVec3* p = b->def->vertices;
	for ( int32_t t = 0; t < shape->triangleCount; ++t )
	{
		const uint32_t* v = b->indices + 3 * t;
		supVec3 n = supCross( supSub( p[v[1]], p[v[0]] ), supSub( p[v[2]], p[v[0]] ) );
		float length = supLength( n );
		n = length > 0.0f ? supScale( 1.0f / length, n ) : supVec3_zero;
		shape->faceNormals[t] = n;
		for ( int32_t k = 0; k < 3 && length > 0.0f; ++k )
		{
			float angle = AngleAt( p[v[k]], p[v[( k + 1 ) % 3]], p[v[( k + 2 ) % 3]] );
			b->vertexNormals[v[k]] = supMulAdd( b->vertexNormals[v[k]], angle, n );
		}
	}
	for ( int32_t i = 0; i < 3 * shape->triangleCount; ++i )
	{
		shape->cornerNormals[i] = supNormalize( b->vertexNormals[b->indices[i]] );
	}
}

static void EdgeEnds( const MeshBuilder* b, int32_t corner, uint32_t ends[2] )
{
	uint32_t u = b->indices[corner], v = b->indices[corner % 3 == 2 ? corner - 2 : corner + 1];
	ends[0] = u < v ? u : v;
	ends[1] = u < v ? v : u;
}

// Between two faces that turn away from each other by far.
static bool IsSharp( const MeshBuilder* b, uint64_t key, uint64_t otherKey )
{
	uint32_t corner = (uint32_t)key, otherCorner = (uint32_t)otherKey;
	supVec3 normal = b->shape->faceNormals[corner / 3], other = b->shape->faceNormals[otherCorner / 3];
	// the corner of the other face that is not on the edge is below this one
	uint32_t apex = 3 * ( otherCorner / 3 ) + ( otherCorner % 3 + 2 ) % 3;
	supVec3 beyond = supSub( b->def->vertices[b->indices[apex]], b->def->vertices[b->indices[corner]] );
	return supDot( normal, other ) < SHARP_EDGE_COSINE && supDot( normal, beyond ) < 0.0f;
}

// Edges whose ends have the same hash: nearly always one edge.
static void JoinGroup( MeshBuilder* b, int32_t first, int32_t end )
{
	supShape* shape = b->shape;
	while ( first < end )
	{
		// those of the first edge go to the front
		uint32_t ends[2], other[2];
		EdgeEnds( b, (int32_t)(uint32_t)b->keys[first], ends );
		supVec3 sum = supVec3_zero;
		int32_t next = first;
		for ( int32_t i = first; i < end; ++i )
		{
			uint64_t key = b->keys[i];
			EdgeEnds( b, (int32_t)(uint32_t)key, other );
			if ( other[0] == ends[0] && other[1] == ends[1] )
			{
				sum = supAdd( sum, shape->faceNormals[(uint32_t)key / 3] );
				b->keys[i] = b->keys[next];
				b->keys[next++] = key;
			}
		}
		b->openEdges += next - first == 1 && ends[0] != ends[1];
		if ( next - first == 2 && IsSharp( b, b->keys[first], b->keys[first + 1] ) )
		{
			uint32_t* sharp = b->sharp + 3 * (size_t)b->sharpCount++;
			sharp[0] = ends[0];
			sharp[1] = sharp[2] = ends[1];
		}
		for ( ; first < next; ++first )
		{
			shape->edgeNormals[(uint32_t)b->keys[first]] = supNormalize( sum );
		}
	}
}

// Edges sorted by a hash of their ends: those of one edge come together.
static void JoinEdges( MeshBuilder* b )
{
	int32_t count = 3 * b->shape->triangleCount;
	b->openEdges = b->sharpCount = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		uint32_t ends[2];
		EdgeEnds( b, i, ends );
		uint32_t hash = ( ends[0] * 2654435761u ) ^ ( ends[1] * 40503u + 0x9e3779b9u );
		b->keys[i] = (uint64_t)hash << 32 | (uint32_t)i;
	}
	supSortKeys( b->keys, b->scratch, (size_t)count, 64 );
	for ( int32_t first = 0; first < count; )
	{
		int32_t end = first + 1;
		while ( end < count && b->keys[end] >> 32 == b->keys[first] >> 32 )
		{
			end += 1;
		}
		JoinGroup( b, first, end );
		first = end;
	}
}

static bool AllocateMesh( MeshBuilder* b )
{
	supShape* shape = b->shape;
	size_t triangles = (size_t)b->def->triangleCount, vertices = (size_t)b->def->vertexCount;
	size_t most = 3 * triangles > vertices ? 3 * triangles : vertices;
	b->indices = supAllocArray( 3 * triangles, sizeof( uint32_t ) );
	b->keys = supAllocArray( most, sizeof( uint64_t ) );
	b->scratch = supAllocArray( most, sizeof( uint64_t ) );
	b->welded = supAllocArray( vertices, sizeof( int32_t ) );
	b->vertexNormals = supAllocZeroed( vertices * sizeof( supVec3 ) );
	b->sharp = supAllocArray( 9 * triangles / 2 + 3, sizeof( uint32_t ) );
	shape->faceNormals = supArena_AllocArray( &shape->arena, triangles, sizeof( supVec3 ) );
	shape->edgeNormals = supArena_AllocArray( &shape->arena, 3 * triangles, sizeof( supVec3 ) );
	shape->cornerNormals = supArena_AllocArray( &shape->arena, 3 * triangles, sizeof( supVec3 ) );
	return b->indices != NULL && b->keys != NULL && b->scratch != NULL && b->welded != NULL &&
		   b->vertexNormals != NULL && b->sharp != NULL && shape->arena.failed == false;
}

static bool CheckMesh( const supShapeDef* def, supError* error )
{
	if ( def->triangleCount < 1 || def->vertexCount < 3 )
	{
		return supSetError( error, sup_errorArgument, "mesh", "the mesh has no triangles" );
	}
	for ( int32_t i = 0; i < def->vertexCount; ++i )
	{
		if ( supIsFiniteVec3( def->vertices[i] ) == false )
		{
			return supSetError( error, sup_errorArgument, "mesh", "vertex %d is not finite", i );
		}
	}
	for ( int32_t i = 0; i < 3 * def->triangleCount; ++i )
	{
		if ( def->indices[i] >= (uint32_t)def->vertexCount )
		{
			return supSetError( error, sup_errorArgument, "mesh", "triangle %d uses vertex %u of %d", i / 3,
								def->indices[i], def->vertexCount );
		}
	}
	return true;
}

static bool KeepSharpEdges( const MeshBuilder* b, supError* error )
{
	supShape* shape = b->shape;
	if ( b->sharpCount == 0 )
	{
		return true;
	}
	shape->edgeEnds = supArena_AllocArray( &shape->arena, 2 * (size_t)b->sharpCount, sizeof( supVec3 ) );
	if ( shape->edgeEnds == NULL )
	{
		return supSetMemoryError( error );
	}
	for ( int32_t i = 0; i < 2 * b->sharpCount; ++i )
	{
		shape->edgeEnds[i] = b->def->vertices[b->sharp[i / 2 * 3 + i % 2]];
	}
	shape->edgeTree = supCreateTree( b->def->vertices, b->def->vertexCount, b->sharp, b->sharpCount, error );
	return shape->edgeTree != NULL;
}

static bool BuildMesh( MeshBuilder* b, supError* error )
{
	supShape* shape = b->shape;
	const supShapeDef* def = b->def;
	if ( Weld( b ) == false )
	{
		return supSetMemoryError( error );
	}
	ComputeNormals( b );
	JoinEdges( b );
	shape->isOpen = b->openEdges > 0;
	supMeasureSolid( def->vertices, b->indices, def->triangleCount, &shape->volume, &shape->center, &shape->inertia );
	if ( shape->isOpen == false && shape->volume < 0.0f )
	{
		TurnInsideOut( b );
		memset( b->vertexNormals, 0, (size_t)def->vertexCount * sizeof( supVec3 ) );
		ComputeNormals( b );
		JoinEdges( b );
		supMeasureSolid( def->vertices, b->indices, def->triangleCount, &shape->volume, &shape->center,
						 &shape->inertia );
	}
	shape->tree = supCreateTree( def->vertices, def->vertexCount, b->indices, def->triangleCount, error );
	if ( shape->tree == NULL || KeepSharpEdges( b, error ) == false )
	{
		return false;
	}
	shape->bounds = supTree_Bounds( shape->tree );
	supVec3 size = supBox_Size( shape->bounds );
	float extent = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
	if ( !( extent > 0.0f ) )
	{
		return supSetError( error, sup_errorArgument, "mesh", "the mesh has no size: all vertices are at one point" );
	}
	if ( shape->isOpen )
	{
		shape->thickness = 0.1f * extent;
		shape->volume = 0.0f;
	}
	else if ( !( shape->volume > 1e-9f * extent * extent * extent ) )
	{
		return supSetError( error, sup_errorArgument, "mesh",
							"the mesh encloses nothing: it is flat or folded onto itself; give it a thickness" );
	}
	return true;
}

bool supShape_InitMesh( supShape* shape, const supShapeDef* def, supError* error )
{
	if ( CheckMesh( def, error ) == false )
	{
		return false;
	}
	shape->triangleCount = def->triangleCount;
	MeshBuilder b = { .shape = shape, .def = def };
	bool ok = AllocateMesh( &b ) ? BuildMesh( &b, error ) : supSetMemoryError( error );
	supFree( b.indices );
	supFree( b.keys );
	supFree( b.scratch );
	supFree( b.welded );
	supArena_Destroy( &b.weldArena );
	supFree( b.vertexNormals );
	supFree( b.sharp );
	if ( ok == false )
	{
		supShape_Destroy( shape );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Distances

// A point this near to an edge, in parts of the triangle, is on it.
#define ON_EDGE 1e-5f

static supVec3 FeatureNormal( const supShape* shape, const supTreeHit* hit )
{
	float w[3] = { 1.0f - hit->u - hit->v, hit->u, hit->v };
	int32_t zeros = 0, zero = 0, corner = 0;
	for ( int32_t k = 0; k < 3; ++k )
	{
		if ( w[k] < ON_EDGE )
		{
			zeros += 1;
			zero = k;
		}
		corner = w[k] > w[corner] ? k : corner;
	}
	if ( zeros == 0 )
	{
		return shape->faceNormals[hit->triangle];
	}
	if ( zeros == 1 )
	{
		// edge k goes from corner k to the next: opposite to the corner after that
		return shape->edgeNormals[3 * hit->triangle + ( zero + 1 ) % 3];
	}
	return shape->cornerNormals[3 * hit->triangle + corner];
}

bool supShape_FindClosestOnMesh( const supShape* shape, supVec3 point, float maxDistance, supShapeHit* hit )
{
	// inside it may be deeper than maxDistance is far
	supVec3 size = supBox_Size( shape->bounds );
	float deepest = shape->isOpen ? shape->thickness : supLength( size );
	supTreeHit found;
	if ( supTree_FindClosest( shape->tree, point, supMaxFloat( maxDistance, deepest ), &found ) == false )
	{
		return false;
	}
	supVec3 normal = FeatureNormal( shape, &found );
	supVec3 d = supSub( point, found.point );
	float side = supDot( d, normal );
	float length = found.distance;
	if ( length > 0.0f )
	{
		normal = supScale( side < 0.0f ? -1.0f / length : 1.0f / length, d );
	}
	*hit = ( supShapeHit ){ side < 0.0f ? -length : length, normal, found.point };
	return hit->distance <= maxDistance && ( shape->isOpen == false || hit->distance >= -shape->thickness );
}
