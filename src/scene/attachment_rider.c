// SPDX-License-Identifier: MIT
// Places on shells that ride on others (guard_shells.c). Such a shell is drawn where skinning puts it, moved as the
// flesh beneath is: a place on it hangs on the particles that carry the skin beneath, and not on flesh of its own.
#include "scene/attachment_system.h"

#include "character/skinning_kernel.h"
#include "core/core.h"
#include "scene/guard.h"
#include "volume/binding/surface_binding.h"

// The rider at a vertex of an instance, NULL where that does not ride.
static const supRider* FindRider( const supGuardMesh* mesh, int32_t instance, int32_t vertex )
{
	int32_t wanted = mesh->vertexStarts[instance] + vertex;
	for ( int32_t i = 0; i < mesh->riderCount; ++i )
	{
		if ( mesh->riders[i].vertex == wanted )
		{
			return mesh->riders + i;
		}
	}
	return NULL;
}

typedef struct RiderRange
{
	const supRider* begin;
	const supRider* end;
} RiderRange;

// All of the shell where it keeps its shape.
static RiderRange FindRange( const supGuardMesh* mesh, const supRider* rider )
{
	RiderRange range = { rider, rider + 1 };
	while ( rider->group >= 0 && range.begin > mesh->riders && range.begin[-1].group == rider->group )
	{
		range.begin -= 1;
	}
	while ( rider->group >= 0 && range.end < mesh->riders + mesh->riderCount && range.end->group == rider->group )
	{
		range.end += 1;
	}
	return range;
}

static int32_t AddCarrier( supCarriers* carriers, int32_t count, int32_t vertex, float weight )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( carriers->vertices[i] == vertex )
		{
			carriers->weights[i] += weight;
			return count;
		}
	}
	carriers->vertices[count] = vertex;
	carriers->weights[count] = weight;
	return count + 1;
}

// The shells of three vertices. Returns the most carriers that they take.
static int32_t FindRanges( const supGuardMesh* mesh, const supSurfacePoint* point, RiderRange ranges[3] )
{
	int32_t most = 0;
	for ( int32_t k = 0; k < 3; ++k )
	{
		const supRider* rider =
			point->weights[k] > 0.0f ? FindRider( mesh, point->instance, point->vertices[k] ) : NULL;
		ranges[k] = rider != NULL ? FindRange( mesh, rider ) : ( RiderRange ){ 0 };
		most += 3 * (int32_t)( ranges[k].end - ranges[k].begin );
	}
	return most;
}

// Of any place on the actor: three vertices in the largest shell.
static int32_t CountMost( const supGuardMesh* mesh )
{
	int32_t largest = 0;
	for ( int32_t i = 0; i < mesh->riderCount; )
	{
		RiderRange range = FindRange( mesh, mesh->riders + i );
		int32_t count = (int32_t)( range.end - range.begin );
		largest = count > largest ? count : largest;
		i += count;
	}
	return 9 * largest;
}

static bool HasRiders( const supActor* actor )
{
	return actor->guard.mesh != NULL && actor->guard.mesh->size > 0.0f && actor->guard.mesh->riderCount > 0;
}

bool supCarriers_Init( supCarriers* carriers, const supActor* actor, const supSurfacePoint* point, bool slides )
{
	RiderRange ranges[3];
	int32_t most = HasRiders( actor ) == false ? 0
				   : slides                    ? CountMost( actor->guard.mesh )
											   : FindRanges( actor->guard.mesh, point, ranges );
	if ( most == 0 )
	{
		return true;
	}
	carriers->vertices = supAllocArray( (size_t)most, sizeof( int32_t ) );
	carriers->weights = supAllocArray( (size_t)most, sizeof( float ) );
	if ( carriers->vertices == NULL || carriers->weights == NULL )
	{
		return false;
	}
	supCarriers_Find( carriers, actor, point );
	return true;
}

// As the guard draws it: copies of a vertex along seams count as one.
static float ShareOf( const supGuardMesh* mesh, const supRider* rider )
{
	return mesh->shares[mesh->places[rider->vertex]];
}

void supCarriers_Find( supCarriers* carriers, const supActor* actor, const supSurfacePoint* point )
{
	RiderRange ranges[3];
	carriers->count = 0;
	if ( carriers->vertices == NULL || FindRanges( actor->guard.mesh, point, ranges ) == 0 )
	{
		return;
	}
	for ( int32_t k = 0; k < 3; ++k )
	{
		float sum = 0.0f;
		for ( const supRider* rider = ranges[k].begin; rider < ranges[k].end; ++rider )
		{
			sum += ShareOf( actor->guard.mesh, rider );
		}
		for ( const supRider* rider = ranges[k].begin; rider < ranges[k].end; ++rider )
		{
			float share = point->weights[k] * ShareOf( actor->guard.mesh, rider ) / sum;
			for ( int32_t a = 0; a < 3; ++a )
			{
				carriers->count = AddCarrier( carriers, carriers->count, rider->anchors[a], share * rider->weights[a] );
			}
		}
	}
}

void supCarriers_Destroy( supCarriers* carriers )
{
	supFree( carriers->vertices );
	supFree( carriers->weights );
	*carriers = ( supCarriers ){ 0 };
}

// A vertex of the skin beneath, as a place.
static supSurfacePoint CarrierPoint( const supGuardMesh* mesh, int32_t vertex )
{
	int32_t instance = 0;
	while ( mesh->vertexStarts[instance + 1] <= vertex )
	{
		instance += 1;
	}
	int32_t own = vertex - mesh->vertexStarts[instance];
	return ( supSurfacePoint ){ .instance = instance, .vertices = { own, own, own }, .weights = { 1.0f } };
}

supSurfacePoint supCarriers_Main( const supCarriers* carriers, const supActor* actor )
{
	int32_t main = 0;
	for ( int32_t i = 1; i < carriers->count; ++i )
	{
		main = carriers->weights[i] > carriers->weights[main] ? i : main;
	}
	return CarrierPoint( actor->guard.mesh, carriers->vertices[main] );
}

void supCarriers_FindRow( const supCarriers* carriers, supActor* actor, supPose* pose, const supSurfacePoint* point,
						  supPlaceRow* row )
{
	row->position = supVec3_zero;
	row->count = 0;
	row->isConstant = false;
	row->isLimited = false;
	for ( int32_t k = 0; k < 3; ++k )
	{
		supVec3 skin = supSkinVertex( pose, point->instance, sup_skinningLinear, point->vertices[k] );
		row->position = supMulAdd( row->position, point->weights[k], skin );
	}
	for ( int32_t i = 0; i < carriers->count; ++i )
	{
		supPlaceRow beneath;
		supSurfacePoint carrier = CarrierPoint( actor->guard.mesh, carriers->vertices[i] );
		float weight = carriers->weights[i];
		actor->flesh->method->findRow( actor->flesh->own, actor->state, pose, &carrier, &beneath );
		supVec3 skin = supSkinVertex( pose, carrier.instance, sup_skinningLinear, carrier.vertices[0] );
		row->position = supMulAdd( row->position, weight, supSub( beneath.position, skin ) );
		row->isLimited = row->isLimited || beneath.isLimited;
		for ( int32_t k = 0; k < beneath.count; ++k )
		{
			supPlaceRow_Add( row, beneath.points[k], weight * beneath.weights[k] );
		}
	}
}
