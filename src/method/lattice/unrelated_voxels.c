// SPDX-License-Identifier: MIT
// Voxels that touch and do not belong together: feet side by side, a thumb at the thigh. Nothing about the voxels tells
// them from flesh that is one piece, but the bones that carry them do: from one to the other it is many joints, and
// they hang on different branches of the skeleton, or it is a long way round. Nearer bones part voxels where the skin
// tells as well (src/volume/weights/bridges.h). What gaps tell is in gaps.c.
#include "method/lattice/lattice.h"
#include "volume/weights/point_weights.h"

// bones that carry less of a voxel do not count
#define LEAST_WEIGHT 0.1f
// joints from one bone to the other
#define MIN_JOINT_DISTANCE 4
// along one branch also how much longer the way by the joints is than the straight one, beyond a few voxels
#define LONG_WAY 3.0f
#define LONG_WAY_VOXELS 2.0f

static int32_t DepthOf( const supBones* bones, int32_t bone )
{
	int32_t depth = 0;
	for ( ; bone >= 0; bone = bones->parents[bone] )
	{
		depth += 1;
	}
	return depth;
}

// A step up; adds its length.
static int32_t ParentOf( const supBones* bones, int32_t bone, float* length )
{
	int32_t parent = bones->parents[bone];
	*length += parent >= 0 ? supDistance( bones->joints[bone], bones->joints[parent] ) : 0.0f;
	return parent;
}

static bool AreBonesApart( const supLatticeBuilder* b, int32_t one, int32_t other )
{
	const supBones* bones = &b->body.bones;
	int32_t depth = DepthOf( bones, one ), otherDepth = DepthOf( bones, other );
	float way = 0.0f, wayBack = 0.0f;
	int32_t up = 0, down = 0, here = one, there = other;
	// to where their branches part
	while ( here != there )
	{
		if ( depth - up >= otherDepth - down )
		{
			here = ParentOf( bones, here, &way );
			up += 1;
		}
		else
		{
			there = ParentOf( bones, there, &wayBack );
			down += 1;
		}
	}
	if ( here < 0 || up + down < MIN_JOINT_DISTANCE )
	{
		return false;
	}
	float straight = supDistance( bones->joints[one], bones->joints[other] );
	bool isLong = way + wayBack > LONG_WAY * straight + LONG_WAY_VOXELS * b->flesh->voxelSize;
	return ( up > 0 && down > 0 ) || isLong;
}

// Is every bone of the one far from every bone of the other?
static bool AreFarApart( const supLatticeBuilder* b, const uint16_t* jointsA, const float* weightsA,
						 const uint16_t* jointsB, const float* weightsB )
{
	for ( int i = 0; i < SUP_MAX_INFLUENCES && weightsA[i] >= LEAST_WEIGHT; ++i )
	{
		for ( int k = 0; k < SUP_MAX_INFLUENCES && weightsB[k] >= LEAST_WEIGHT; ++k )
		{
			if ( AreBonesApart( b, jointsA[i], jointsB[k] ) == false )
			{
				return false;
			}
		}
	}
	return true;
}

// What rigid parts must have of their weights in common with what they touch to be one piece with it.
#define SAME_PIECE 0.25f

static bool AreVoxelsApart( supLatticeBuilder* b, int32_t voxel, int32_t other )
{
	const supLatticeFlesh* f = b->flesh;
	size_t i = (size_t)voxel * SUP_MAX_INFLUENCES, k = (size_t)other * SUP_MAX_INFLUENCES;
	// the parts of a machine are pieces of their own
	bool arePieces = ( b->rigid[voxel] || b->rigid[other] ) &&
					 supLattice_Likeness( f->joints + i, f->weights + i, f->joints + k, f->weights + k ) < SAME_PIECE;
	return arePieces || AreFarApart( b, f->joints + i, f->weights + i, f->joints + k, f->weights + k ) ||
		   supBridges_AreApart( &b->bridges, b->places + voxel, b->places + other, f->voxelSize );
}

static bool FindPlaces( supLatticeBuilder* b )
{
	const supVoxels* v = &b->body.voxels;
	supVec3* centers = supAllocArray( (size_t)v->count, sizeof( supVec3 ) );
	b->places = supAllocArray( (size_t)v->count, sizeof( supSkinPlace ) );
	bool ok = ( centers != NULL && b->places != NULL ) || supSetMemoryError( b->error );
	ok = ok && supBridges_Init( &b->bridges, b->input->character, &b->body.surface, &b->body.bones, b->error );
	for ( int32_t i = 0; ok && i < v->count; ++i )
	{
		centers[i] = supVoxels_CellCenter( v, v->cells[i] );
	}
	if ( ok )
	{
		supBridges_FindPlaces( &b->bridges, centers, v->count, b->input->tasks, b->places );
	}
	supFree( centers );
	return ok;
}

static size_t WordOf( const supVoxels* v, supVoxelCell c )
{
	return (size_t)( ( c.z + 1 ) * ( v->ny + 2 ) + c.y + 1 ) * (size_t)v->wordsPerRow + (size_t)( ( c.x + 1 ) >> 6 );
}

bool supLattice_IsFaceClosed( const supLatticeBuilder* b, int axis, supVoxelCell c )
{
	return ( b->closed[axis][WordOf( &b->body.voxels, c )] >> ( ( c.x + 1 ) & 63 ) & 1 ) != 0;
}

void supLattice_CloseFace( supLatticeBuilder* b, int axis, supVoxelCell cell )
{
	b->closedCount += supLattice_IsFaceClosed( b, axis, cell ) == false;
	b->closed[axis][WordOf( &b->body.voxels, cell )] |= (uint64_t)1 << ( ( cell.x + 1 ) & 63 );
}

bool supLattice_FindApart( supLatticeBuilder* b )
{
	const supVoxels* v = &b->body.voxels;
	size_t words = (size_t)v->wordsPerRow * (size_t)( v->ny + 2 ) * (size_t)( v->nz + 2 );
	for ( int axis = 0; axis < 3; ++axis )
	{
		b->closed[axis] = supAllocZeroed( words * sizeof( uint64_t ) );
		if ( b->closed[axis] == NULL )
		{
			return supSetMemoryError( b->error );
		}
	}
	if ( FindPlaces( b ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < v->count; ++i )
	{
		supVoxelCell c = v->cells[i];
		for ( int axis = 0; axis < 3; ++axis )
		{
			int32_t next = supVoxels_Find( v, c.x + ( axis == 0 ), c.y + ( axis == 1 ), c.z + ( axis == 2 ) );
			if ( next >= 0 && AreVoxelsApart( b, i, next ) )
			{
				supLattice_CloseFace( b, axis, c );
			}
		}
	}
	return true;
}

bool supLattice_IsStepOpen( const supLatticeBuilder* b, supVoxelCell from, supVoxelCell step )
{
	int16_t left[3] = { step.x, step.y, step.z };
	bool isThere = true;
	for ( int axis = 0; axis < 3; ++axis )
	{
		if ( left[axis] == 0 )
		{
			continue;
		}
		isThere = false;
		supVoxelCell to = from, rest = step;
		int16_t* at = axis == 0 ? &to.x : ( axis == 1 ? &to.y : &to.z );
		*( axis == 0 ? &rest.x : ( axis == 1 ? &rest.y : &rest.z ) ) = 0;
		*at = (int16_t)( *at + left[axis] );
		if ( supVoxels_Find( &b->body.voxels, to.x, to.y, to.z ) >= 0 &&
			 supLattice_IsFaceClosed( b, axis, left[axis] > 0 ? from : to ) == false &&
			 supLattice_IsStepOpen( b, to, rest ) )
		{
			return true;
		}
	}
	return isThere;
}

// ---------------------------------------------------------------------------------------------------------------------
// The mesh

// Voxels at a closed face carry a vertex less if their weights have less than the one part in common with its own of
// what those of the best voxel around it have, and not at all below the other.
#define FULL_OVERLAP_RATIO 0.4f
#define MIN_OVERLAP_RATIO 0.1f

// Voxels around a vertex that are searched for one of its own, if none of its own is.
#define SEARCH 6

typedef struct Vertices
{
	supLatticeBuilder* builder;
	const uint16_t* joints;
	const float* weights;
	// one that each is a corner of; -1 without
	const int32_t* triangles;
	// of each voxel: whether one of its faces is closed
	const uint8_t* isAtClosed;
} Vertices;

static float LikenessOf( const Vertices* vertices, int32_t vertex, int32_t voxel )
{
	const supLatticeFlesh* f = vertices->builder->flesh;
	size_t i = (size_t)vertex * SUP_MAX_INFLUENCES, k = (size_t)voxel * SUP_MAX_INFLUENCES;
	return supLattice_Likeness( vertices->joints + i, vertices->weights + i, f->joints + k, f->weights + k );
}

static bool IsVertexApart( const Vertices* vertices, int32_t vertex, int32_t voxel )
{
	supLatticeBuilder* b = vertices->builder;
	size_t i = (size_t)vertex * SUP_MAX_INFLUENCES, k = (size_t)voxel * SUP_MAX_INFLUENCES;
	if ( AreFarApart( b, vertices->joints + i, vertices->weights + i, b->flesh->joints + k, b->flesh->weights + k ) )
	{
		return true;
	}
	supSkinPlace place = supBridges_VertexPlace( &b->bridges, vertex, vertices->triangles[vertex] );
	return supBridges_AreApart( &b->bridges, &place, b->places + voxel, b->flesh->voxelSize );
}

// The nearest voxel that a vertex belongs to, or -1: what is thinner than a voxel may have none where it lies.
static int32_t FindOwnVoxel( int32_t vertex, const void* context )
{
	const Vertices* vertices = context;
	const supVoxels* v = &vertices->builder->body.voxels;
	supVec3 p = vertices->builder->flesh->surface.positions[vertex];
	supVoxelCell c = supVoxels_CellAt( v, p );
	int32_t best = -1;
	float nearest = (float)v->size * SEARCH;
	for ( int32_t z = c.z < SEARCH ? 0 : c.z - SEARCH; z <= c.z + SEARCH && z < v->nz; ++z )
	{
		for ( int32_t y = c.y < SEARCH ? 0 : c.y - SEARCH; y <= c.y + SEARCH && y < v->ny; ++y )
		{
			for ( int32_t x = c.x < SEARCH ? 0 : c.x - SEARCH; x <= c.x + SEARCH && x < v->nx; ++x )
			{
				int32_t voxel = supVoxels_Find( v, x, y, z );
				float distance = voxel >= 0 ? supDistance( p, supVoxels_CellCenter( v, v->cells[voxel] ) ) : nearest;
				if ( distance < nearest && LikenessOf( vertices, vertex, voxel ) >= MIN_OVERLAP_RATIO &&
					 IsVertexApart( vertices, vertex, voxel ) == false )
				{
					nearest = distance;
					best = voxel;
				}
			}
		}
	}
	return best;
}

// Which of the voxels around a vertex are on its side of a gap? Only what they are painted to tells it where both are
// in one voxel. The answer passes smoothly from one vertex to the next, so that no seam opens.
static void ShareVertex( int32_t vertex, const int32_t* voxels, float* weights, int32_t count, const void* context )
{
	const Vertices* vertices = context;
	float likeness[8], most = 0.0f;
	bool isNear = false;
	for ( int32_t k = 0; k < count; ++k )
	{
		bool isApart = weights[k] > 0.0f && IsVertexApart( vertices, vertex, voxels[k] );
		weights[k] = isApart ? 0.0f : weights[k];
		isNear = isNear || ( weights[k] > 0.0f && vertices->isAtClosed[voxels[k]] != 0 );
		likeness[k] = weights[k] > 0.0f ? LikenessOf( vertices, vertex, voxels[k] ) : 0.0f;
		most = supMaxFloat( most, likeness[k] );
	}
	for ( int32_t k = 0; k < count && isNear && most > 0.0f; ++k )
	{
		float share = ( likeness[k] / most - MIN_OVERLAP_RATIO ) / ( FULL_OVERLAP_RATIO - MIN_OVERLAP_RATIO );
		weights[k] *= supClampFloat( share, 0.0f, 1.0f );
	}
}

static void MarkClosed( const supLatticeBuilder* b, uint8_t* isAtClosed )
{
	const supVoxels* v = &b->body.voxels;
	for ( int32_t i = 0; i < v->count; ++i )
	{
		supVoxelCell c = v->cells[i];
		for ( int axis = 0; axis < 3; ++axis )
		{
			if ( supLattice_IsFaceClosed( b, axis, c ) )
			{
				isAtClosed[i] = 1;
				isAtClosed[supVoxels_Find( v, c.x + ( axis == 0 ), c.y + ( axis == 1 ), c.z + ( axis == 2 ) )] = 1;
			}
		}
	}
}

bool supLattice_PartSurface( supLatticeBuilder* b )
{
	supSurfaceBinding* surface = &b->flesh->surface;
	size_t slots = (size_t)surface->vertexCount * SUP_MAX_INFLUENCES;
	uint16_t* joints = supAllocArray( slots, sizeof( uint16_t ) );
	float* weights = supAllocArray( slots, sizeof( float ) );
	uint8_t* isAtClosed = supAllocZeroed( (size_t)b->body.voxels.count );
	int32_t* triangles = supAllocArray( (size_t)surface->vertexCount, sizeof( int32_t ) );
	bool ok = ( joints != NULL && weights != NULL && isAtClosed != NULL && triangles != NULL ) ||
			  supSetMemoryError( b->error );
	// each by its own paint, also where skin of another part passes through it
	ok = ok &&
		 supWeighVertices( b->input->character, &b->body.surface, &b->body.bones, joints, weights, NULL, b->error );
	if ( ok )
	{
		MarkClosed( b, isAtClosed );
		supRestSurface_FindTriangles( &b->body.surface, triangles );
		Vertices vertices = { b, joints, weights, triangles, isAtClosed };
		supSurfaceBinding_ShareOut( surface, ShareVertex, FindOwnVoxel, &vertices );
	}
	supFree( triangles );
	supFree( isAtClosed );
	supFree( joints );
	supFree( weights );
	return ok;
}
