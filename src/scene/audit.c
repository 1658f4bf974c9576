// SPDX-License-Identifier: MIT
#include "scene/audit.h"

#include "geometry/winding.h"
#include "scene/contact.h"

// How far in front of a vertex it is looked, in thicknesses.
#define IN_FRONT 0.02f

// What is farther away than this part of its distance at rest may be the far side of the same limb.
#define FAR_SIDE 0.75f

// A way out goes through a triangle within 45 degrees, as a cosine.
#define EXIT_COSINE 0.7f

typedef struct Body
{
	const supActor* actor; // NULL: takes no part
	const supContactSkin* skin;
	supVec3* positions;
	uint32_t* indices;
	supTree* tree;
	supWinding* winding;
	bool* insideAtRest;
} Body;

struct supAudit
{
	int32_t bodyCount;
	Body* bodies;
};

static supVec3 NormalOf( const supContactSkin* skin, const supVec3* positions, int32_t vertex )
{
	return supNormalize( supContactSkin_AreaAround( skin, positions, vertex ) );
}

static bool GoesAroundFront( const Body* b, const supVec3* positions, int32_t vertex )
{
	supVec3 normal = NormalOf( b->skin, positions, vertex );
	supVec3 front = supMulAdd( positions[vertex], IN_FRONT * b->actor->contact->thickness, normal );
	return supWinding_Evaluate( b->winding, front ) > 0.5f;
}

static bool InitBody( Body* b, const supActor* actor )
{
	const struct supActorContact* contact = actor->contact;
	if ( contact == NULL || contact->binding->skinVertices == NULL )
	{
		return true;
	}
	const supContactSkin* skin = &contact->binding->skin;
	b->actor = actor;
	b->skin = skin;
	b->positions = supAllocArray( (size_t)skin->vertexCount, sizeof( supVec3 ) );
	b->insideAtRest = supAllocArray( (size_t)skin->vertexCount, sizeof( bool ) );
	b->indices = supAllocArray( 3 * (size_t)skin->triangleCount, sizeof( uint32_t ) );
	if ( b->positions == NULL || b->insideAtRest == NULL || b->indices == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < 3 * skin->triangleCount; ++i )
	{
		b->indices[i] = (uint32_t)skin->corners[i];
	}
	b->tree = supCreateTree( skin->rest, skin->vertexCount, b->indices, skin->triangleCount, NULL );
	b->winding = b->tree != NULL ? supCreateWinding( b->tree, SUP_WINDING_BETA, NULL, NULL ) : NULL;
	for ( int32_t i = 0; b->winding != NULL && i < skin->vertexCount; ++i )
	{
		b->insideAtRest[i] = GoesAroundFront( b, skin->rest, i );
	}
	return b->winding != NULL;
}

supAudit* supCreateAudit( supActor* const* actors, int32_t count, supError* error )
{
	supAudit* audit = supAllocZeroed( sizeof( supAudit ) );
	bool ok = audit != NULL;
	if ( ok )
	{
		audit->bodyCount = count;
		audit->bodies = supAllocZeroed( (size_t)count * sizeof( Body ) );
		ok = audit->bodies != NULL;
	}
	for ( int32_t i = 0; ok && i < count; ++i )
	{
		ok = InitBody( audit->bodies + i, actors[i] );
	}
	if ( ok == false )
	{
		supDestroyAudit( audit );
		supSetMemoryError( error );
		return NULL;
	}
	return audit;
}

void supDestroyAudit( supAudit* audit )
{
	for ( int32_t i = 0; audit != NULL && audit->bodies != NULL && i < audit->bodyCount; ++i )
	{
		const Body* b = audit->bodies + i;
		supDestroyWinding( b->winding );
		supDestroyTree( b->tree );
		supFree( b->positions );
		supFree( b->indices );
		supFree( b->insideAtRest );
	}
	if ( audit != NULL )
	{
		supFree( audit->bodies );
		supFree( audit );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

// As far as a triangle of its own body is a way out for a vertex that is inside of it. INFINITY: it is not.
//
// What faces the vertex it has gone through, unless it is the far side of its own limb, about as far away as at rest;
// triangles of its own that do so are the bottom of a fold. What faces the same way it may leave ahead.
static float DistanceOut( const Body* b, int32_t vertex, supVec3 normal, int32_t t )
{
	const supContactSkin* skin = b->skin;
	const int32_t* c = skin->corners + 3 * (size_t)t;
	supVec3 p = b->positions[vertex], area = supContactSkin_Area( skin, b->positions, t );
	supTriangle now = { b->positions[c[0]], b->positions[c[1]], b->positions[c[2]] };
	float distance = supDistanceToTriangle( &now, p );
	bool isOut;
	if ( supDot( area, normal ) < 0.0f )
	{
		supTriangle rest = { skin->rest[c[0]], skin->rest[c[1]], skin->rest[c[2]] };
		isOut = supContactSkin_IsCorner( skin, vertex, t ) ||
				distance < FAR_SIDE * supDistanceToTriangle( &rest, skin->rest[vertex] );
	}
	else
	{
		float height = supDot( area, supSub( now.a, p ) );
		isOut =
			supContactSkin_IsCorner( skin, vertex, t ) == false && height > EXIT_COSINE * distance * supLength( area );
	}
	return isOut ? distance : INFINITY;
}

static float DepthInItself( const Body* b, int32_t vertex )
{
	if ( b->insideAtRest[vertex] || GoesAroundFront( b, b->positions, vertex ) == false )
	{
		return 0.0f;
	}
	supVec3 normal = NormalOf( b->skin, b->positions, vertex );
	float least = INFINITY;
	for ( int32_t t = 0; t < b->skin->triangleCount; ++t )
	{
		least = supMinFloat( least, DistanceOut( b, vertex, normal, t ) );
	}
	return least < INFINITY ? least : 0.0f;
}

static float DepthInOther( const Body* b, const Body* other, int32_t vertex )
{
	supVec3 p = b->positions[vertex];
	supTreeHit hit;
	bool isInside = supDistanceToBox( supTree_Bounds( other->tree ), p ) == 0.0f &&
					supWinding_Evaluate( other->winding, p ) > 0.5f &&
					supTree_FindClosest( other->tree, p, INFINITY, &hit );
	return isInside ? hit.distance : 0.0f;
}

// Of the vertices of one in the other, which may be the same.
static void MeasurePair( const supAudit* audit, int32_t index, int32_t other, supAuditResult* result )
{
	const Body *a = audit->bodies + index, *b = audit->bodies + other;
	float thickness = supMaxFloat( a->actor->contact->thickness, b->actor->contact->thickness );
	for ( int32_t v = 0; v < a->skin->vertexCount; ++v )
	{
		float depth = ( index == other ? DepthInItself( a, v ) : DepthInOther( a, b, v ) ) / thickness;
		result->deepCount += depth > 1.0f;
		if ( depth > result->deepest )
		{
			result->deepest = depth;
			result->actor = index;
		}
	}
}

static bool MayTouch( const Body* a, const Body* b )
{
	const supContactSettings *first = &a->actor->contact->settings, *second = &b->actor->contact->settings;
	return a == b ? first->withItself : first->withActors && second->withActors;
}

supAuditResult supAudit_Measure( supAudit* audit, const supTasks* tasks )
{
	supAuditResult result = { .actor = -1 };
	for ( int32_t i = 0; i < audit->bodyCount; ++i )
	{
		const Body* b = audit->bodies + i;
		for ( int32_t v = 0; b->actor != NULL && v < b->skin->vertexCount; ++v )
		{
			b->positions[v] = b->actor->surfaces[b->skin->instances[v]].positions[b->skin->sources[v]];
		}
		if ( b->actor != NULL )
		{
			supTree_Refit( b->tree, b->positions, tasks );
			supWinding_Refit( b->winding, tasks );
		}
	}
	for ( int32_t i = 0; i < audit->bodyCount; ++i )
	{
		for ( int32_t k = 0; k < audit->bodyCount; ++k )
		{
			const Body *a = audit->bodies + i, *b = audit->bodies + k;
			if ( a->actor != NULL && b->actor != NULL && MayTouch( a, b ) )
			{
				MeasurePair( audit, i, k, &result );
			}
		}
	}
	return result;
}
