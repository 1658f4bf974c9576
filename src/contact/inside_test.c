// SPDX-License-Identifier: MIT
// Is a vertex inside of another part of its own body?
//
// Right in front of a vertex is air, unless another part of the body is there: in a fold, or where limbs are in each
// other. Then a ray from the vertex, out along its normal, leaves the surface once more often than it enters it. Of
// three rays two must say so: where a surface is open, one may get out through a hole.
#include "contact/crossing.h"
#include "contact/detection.h"

// How far the second and third ray are off the normal.
#define SIDE_RAY_SLOPE 0.4f

typedef struct Ray
{
	supVec3 origin;
	supVec3 right, up, along;
	supVec3 inverse; // of along
} Ray;

static Ray MakeRay( supVec3 origin, supVec3 along )
{
	Ray ray = { .origin = origin, .along = along };
	supVec3 other = fabsf( along.x ) < 0.6f ? supMakeVec3( 1.0f, 0.0f, 0.0f ) : supMakeVec3( 0.0f, 1.0f, 0.0f );
	ray.right = supNormalize( supCross( other, along ) );
	ray.up = supCross( along, ray.right );
	ray.inverse = supMakeVec3( 1.0f / along.x, 1.0f / along.y, 1.0f / along.z );
	return ray;
}

static void CutSlab( float lower, float upper, float origin, float inverse, float* near, float* far )
{
	float a = ( lower - origin ) * inverse, b = ( upper - origin ) * inverse;
	// a ray along the slab that starts on its side gives NaN, which bounds nothing
	*near = supMaxFloat( *near, a < b ? a : b );
	*far = supMinFloat( *far, a < b ? b : a );
}

static bool MeetsBox( const Ray* ray, const supBox* box )
{
	float near = 0.0f, far = INFINITY;
	CutSlab( box->lower.x, box->upper.x, ray->origin.x, ray->inverse.x, &near, &far );
	CutSlab( box->lower.y, box->upper.y, ray->origin.y, ray->inverse.y, &near, &far );
	CutSlab( box->lower.z, box->upper.z, ray->origin.z, ray->inverse.z, &near, &far );
	// a hair wider for what is rounded
	return near <= far * 1.0001f + 1e-6f;
}

static supVec3 See( const Ray* ray, supVec3 p )
{
	supVec3 d = supSub( p, ray->origin );
	return supMakeVec3( supDot( ray->right, d ), supDot( ray->up, d ), supDot( ray->along, d ) );
}

static int32_t CrossCluster( const supBodyState* b, const Ray* ray, int32_t index, int32_t vertex )
{
	const supSkinCluster* cluster = b->skin->clusters + index;
	int32_t sum = 0;
	for ( int32_t t = cluster->firstTriangle; t < cluster->firstTriangle + cluster->triangleCount; ++t )
	{
		const int32_t* c = b->skin->corners + 3 * (size_t)t;
		supVec3 p[3] = { See( ray, b->body.positions[c[0]] ), See( ray, b->body.positions[c[1]] ),
						 See( ray, b->body.positions[c[2]] ) };
		supRayCrossing crossing;
		if ( c[0] != vertex && c[1] != vertex && c[2] != vertex && supCrossTriangle( p, c, &crossing ) )
		{
			sum += crossing.leaving;
		}
	}
	return sum;
}

// How often the ray leaves minus how often it enters, triangles at the vertex not counted.
static int32_t CountLeaving( const supBodyState* b, const Ray* ray, int32_t vertex )
{
	int32_t sum = 0;
	for ( int32_t i = 0; i < b->skin->patchCount; ++i )
	{
		const supSkinPatch* patch = b->skin->patches + i;
		if ( MeetsBox( ray, &b->patches[i].box ) == false )
		{
			continue;
		}
		for ( int32_t k = patch->firstCluster; k < patch->firstCluster + patch->clusterCount; ++k )
		{
			if ( MeetsBox( ray, &b->clusters[k].box ) )
			{
				sum += CrossCluster( b, ray, k, vertex );
			}
		}
	}
	return sum;
}

bool supIsWithinOwn( const supBodyState* b, int32_t vertex, supVec3 normal )
{
	Ray first = MakeRay( b->body.positions[vertex], normal );
	supVec3 aside[3] = { supVec3_zero, first.right, supScale( -1.0f, supAdd( first.right, first.up ) ) };
	int32_t votes = 0;
	for ( int32_t i = 0; i < 3 && ( i < 2 || votes == 1 ); ++i )
	{
		Ray ray =
			i == 0 ? first : MakeRay( first.origin, supNormalize( supMulAdd( normal, SIDE_RAY_SLOPE, aside[i] ) ) );
		votes += CountLeaving( b, &ray, vertex ) > 0;
	}
	return votes >= 2;
}
