// SPDX-License-Identifier: MIT
// The convex proxies of a contact skin's patches: extreme vertices, and all others as mixes of them.
#include "contact/gjk.h"
#include "contact/skin_build.h"
#include "core/array.h"

#include <math.h>

// Evenly over the sphere: a spiral with the golden angle.
static supVec3 GetDirection( int32_t i )
{
	float y = 1.0f - ( 2.0f * (float)i + 1.0f ) / (float)SUP_PROXY_POINTS;
	float radius = sqrtf( 1.0f - y * y );
	supCosSin turn = supComputeCosSin( 2.39996323f * (float)i );
	return supMakeVec3( radius * turn.cosine, y, radius * turn.sine );
}

static bool HasPoint( const supSkinPatch* patch, int32_t vertex )
{
	for ( int32_t i = 0; i < patch->pointCount; ++i )
	{
		if ( patch->points[i] == vertex )
		{
			return true;
		}
	}
	return false;
}

static void ChoosePoints( const supContactSkin* skin, supSkinPatch* patch )
{
	const supSkinMember* members = skin->members + patch->firstMember;
	for ( int32_t k = 0; k < SUP_PROXY_POINTS; ++k )
	{
		supVec3 direction = GetDirection( k );
		int32_t best = members[0].vertex;
		for ( int32_t i = 1; i < patch->memberCount; ++i )
		{
			int32_t vertex = members[i].vertex;
			best = supDot( direction, skin->rest[vertex] ) > supDot( direction, skin->rest[best] ) ? vertex : best;
		}
		if ( HasPoint( patch, best ) == false )
		{
			patch->points[patch->pointCount++] = best;
		}
	}
}

static void MixMembers( supContactSkin* skin, const supSkinPatch* patch )
{
	supVec3 points[SUP_PROXY_POINTS];
	for ( int32_t i = 0; i < patch->pointCount; ++i )
	{
		points[i] = skin->rest[patch->points[i]];
	}
	supConvex hull = { points, patch->pointCount, 0.0f };
	for ( int32_t i = patch->firstMember; i < patch->firstMember + patch->memberCount; ++i )
	{
		supSkinMember* member = skin->members + i;
		int32_t indices[4];
		supMixConvex( &hull, skin->rest[member->vertex], indices, member->weights );
		for ( int32_t k = 0; k < 4; ++k )
		{
			member->points[k] = (uint8_t)indices[k];
		}
	}
}

// Every corner of the patch's triangles once.
static int32_t ListMembers( const supContactSkin* skin, const supSkinPatch* patch, int32_t mark, int32_t* marks,
							supSkinMember* members )
{
	int32_t count = 0;
	const supSkinCluster* clusters = skin->clusters + patch->firstCluster;
	int32_t first = clusters[0].firstTriangle;
	int32_t end = clusters[patch->clusterCount - 1].firstTriangle + clusters[patch->clusterCount - 1].triangleCount;
	for ( int32_t i = 3 * first; i < 3 * end; ++i )
	{
		int32_t vertex = skin->corners[i];
		if ( marks[vertex] != mark )
		{
			marks[vertex] = mark;
			members[count++] = ( supSkinMember ){ .vertex = vertex };
		}
	}
	return count;
}

bool supContactSkin_BuildProxies( supContactSkin* skin )
{
	int32_t most = 0;
	for ( int32_t i = 0; i < skin->clusterCount; ++i )
	{
		most += skin->clusters[i].vertexCount + skin->clusters[i].borderCount;
	}
	int32_t* marks = supAllocZeroed( (size_t)skin->vertexCount * sizeof( int32_t ) );
	skin->members = supArena_AllocArray( &skin->arena, (size_t)most, sizeof( supSkinMember ) );
	bool ok = marks != NULL && skin->members != NULL;
	int32_t count = 0;
	for ( int32_t i = 0; i < skin->patchCount && ok; ++i )
	{
		supSkinPatch* patch = skin->patches + i;
		patch->firstMember = count;
		patch->memberCount = ListMembers( skin, patch, i + 1, marks, skin->members + count );
		count += patch->memberCount;
		ChoosePoints( skin, patch );
		MixMembers( skin, patch );
	}
	supFree( marks );
	return ok;
}
