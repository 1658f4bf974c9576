// SPDX-License-Identifier: MIT
#include "attach/attach.h"

#include "attach/attach_set.h"

#include <stdio.h>

static const char* const s_kindNames[sup_attachKindCount] = { "nail", "joint",   "line",    "triangle",
															  "tet",  "surface", "velocity" };

static const int32_t s_pointCounts[sup_attachKindCount] = { 1, 0, 3, 4, 5, 1, 1 };

supAttach* supCreateAttach( int32_t pointCount, int32_t sweeps, supError* error )
{
	SUP_ASSERT( pointCount >= 0 && sweeps >= 1 );
	supClearError( error );
	supAttach* attach = supAllocZeroed( sizeof( supAttach ) );
	if ( attach == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	size_t count = (size_t)pointCount;
	attach->pointCount = pointCount;
	attach->sweeps = sweeps;
	attach->owner = supAllocArray( count, sizeof( int32_t ) );
	attach->parent = supAllocArray( count, sizeof( int32_t ) );
	attach->group = supAllocArray( count, sizeof( int32_t ) );
	attach->uses = supAllocArray( count, sizeof( int32_t ) );
	attach->stamps = supAllocArray( count, sizeof( int32_t ) );
	bool ok = attach->owner != NULL && attach->parent != NULL && attach->group != NULL && attach->uses != NULL &&
			  attach->stamps != NULL && supAttach_Reserve( attach );
	if ( ok == false )
	{
		supSetMemoryError( error );
		supDestroyAttach( attach );
		return NULL;
	}
	for ( int32_t i = 0; i < pointCount; ++i )
	{
		attach->owner[i] = attach->parent[i] = attach->group[i] = -1;
		attach->uses[i] = attach->stamps[i] = 0;
	}
	return attach;
}

static void DestroySurface( supAttachSurface* surface )
{
	supFree( surface->name );
	supFree( surface->triangles );
	supFree( surface->vertices );
	supFree( surface->positions );
	supDestroyTree( surface->tree );
}

void supDestroyAttach( supAttach* attach )
{
	if ( attach == NULL )
	{
		return;
	}
	for ( int32_t i = 0; i < attach->items.count; ++i )
	{
		supFree( attach->items.data[i].name );
	}
	for ( int32_t i = 0; i < attach->surfaces.count; ++i )
	{
		DestroySurface( attach->surfaces.data + i );
	}
	SUP_FREE_ARRAY( &attach->items );
	SUP_FREE_ARRAY( &attach->points );
	SUP_FREE_ARRAY( &attach->offsets );
	SUP_FREE_ARRAY( &attach->surfaces );
	supAttach_FreePacks( attach );
	supFree( attach->owner );
	supFree( attach->parent );
	supFree( attach->group );
	supFree( attach->uses );
	supFree( attach->stamps );
	supFree( attach );
}

// ---------------------------------------------------------------------------------------------------------------------
// Surfaces

static bool FillSurface( supAttach* attach, supAttachSurface* surface, const int32_t* triangles, uint32_t* indices,
						 const float* x, supError* error )
{
	// stamps are of no use between steps: here they number the vertices
	for ( int32_t i = 0; i < 3 * surface->triangleCount; ++i )
	{
		attach->stamps[triangles[i]] = -1;
	}
	for ( int32_t i = 0; i < 3 * surface->triangleCount; ++i )
	{
		int32_t p = triangles[i];
		surface->triangles[i] = p;
		if ( attach->stamps[p] < 0 )
		{
			attach->stamps[p] = surface->vertexCount;
			surface->positions[surface->vertexCount] = supReadPoint( x, p );
			surface->vertices[surface->vertexCount++] = p;
		}
		indices[i] = (uint32_t)attach->stamps[p];
	}
	for ( int32_t i = 0; i < 3 * surface->triangleCount; ++i )
	{
		attach->stamps[triangles[i]] = 0;
	}
	surface->tree = supCreateTree( surface->positions, surface->vertexCount, indices, surface->triangleCount, error );
	return surface->tree != NULL;
}

int32_t supAttach_AddSurface( supAttach* attach, const char* name, const int32_t* triangles, int32_t triangleCount,
							  const float* x, supError* error )
{
	supClearError( error );
	const char* shown = name != NULL ? name : "surface";
	if ( triangleCount < 1 || triangleCount > INT32_MAX / 16 )
	{
		supSetError( error, sup_errorArgument, shown, "a surface needs triangles; %s has %d", shown, triangleCount );
		return -1;
	}
	for ( int32_t i = 0; i < 3 * triangleCount; ++i )
	{
		if ( triangles[i] < 0 || triangles[i] >= attach->pointCount )
		{
			supSetError( error, sup_errorArgument, shown, "triangle %d of %s has point %d, but there are %d points",
						 i / 3, shown, triangles[i], attach->pointCount );
			return -1;
		}
	}
	size_t corners = 3 * (size_t)triangleCount;
	supAttachSurface surface = { .triangleCount = triangleCount,
								 .name = supCopyString( shown ),
								 .triangles = supAllocArray( corners, sizeof( int32_t ) ),
								 .vertices = supAllocArray( corners, sizeof( int32_t ) ),
								 .positions = supAllocArray( corners, sizeof( supVec3 ) ) };
	uint32_t* indices = supAllocArray( corners, sizeof( uint32_t ) );
	bool ok = surface.name != NULL && surface.triangles != NULL && surface.vertices != NULL &&
			  surface.positions != NULL && indices != NULL;
	ok = ok && FillSurface( attach, &surface, triangles, indices, x, error ) && SUP_PUSH( &attach->surfaces, surface );
	supFree( indices );
	if ( ok == false )
	{
		supSetMemoryError( error );
		DestroySurface( &surface );
		return -1;
	}
	return attach->surfaces.count - 1;
}

// ---------------------------------------------------------------------------------------------------------------------
// Constraints

static bool CheckPoints( const supAttach* attach, const supAttachDef* def, const char* name, supError* error )
{
	int32_t wanted = s_pointCounts[def->kind];
	if ( wanted > 0 ? def->pointCount != wanted : def->pointCount < 2 )
	{
		return supSetError( error, sup_errorArgument, name, "%s is a %s, which takes %s%d points, not %d", name,
							s_kindNames[def->kind], wanted > 0 ? "" : "at least ", wanted > 0 ? wanted : 2,
							def->pointCount );
	}
	for ( int32_t i = 0; i < def->pointCount; ++i )
	{
		int32_t p = def->points[i];
		if ( p < 0 || p >= attach->pointCount )
		{
			return supSetError( error, sup_errorArgument, name, "%s has point %d, but there are %d points", name, p,
								attach->pointCount );
		}
		for ( int32_t k = 0; k < i; ++k )
		{
			if ( def->points[k] == p )
			{
				return supSetError( error, sup_errorArgument, name, "%s attaches point %d to itself", name, p );
			}
		}
	}
	return true;
}

static bool CheckMobility( const supAttachDef* def, const char* name, const float* x, supError* error )
{
	int32_t fixed = 0;
	for ( int32_t i = 0; i < def->pointCount; ++i )
	{
		fixed += supReadInverseMass( x, def->points[i] ) <= 0.0f;
	}
	bool tooFixed = def->kind == sup_attachJoint ? fixed > 1 : fixed == def->pointCount;
	if ( tooFixed )
	{
		return supSetError( error, sup_errorArgument, name,
							"%s cannot be met: of its %d points %d are moved from outside", name, def->pointCount,
							fixed );
	}
	return true;
}

static bool CheckSurface( const supAttach* attach, const supAttachDef* def, const char* name, const float* x,
						  supError* error )
{
	if ( def->surface < 0 || def->surface >= attach->surfaces.count )
	{
		return supSetError( error, sup_errorArgument, name, "%s has surface %d, but there are %d surfaces", name,
							def->surface, attach->surfaces.count );
	}
	const supAttachSurface* surface = attach->surfaces.data + def->surface;
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		if ( surface->vertices[i] == def->points[0] )
		{
			return supSetError( error, sup_errorArgument, name, "%s attaches point %d to itself: it is a corner of %s",
								name, def->points[0], surface->name );
		}
	}
	if ( supReadInverseMass( x, def->points[0] ) <= 0.0f )
	{
		return supSetError( error, sup_errorArgument, name, "%s cannot slide: its point is moved from outside", name );
	}
	return true;
}

// Barycentric coordinates in a tet, of any sign.
static bool WeighTet( const supVec3 p[5], float weights[4] )
{
	supVec3 e1 = supSub( p[2], p[1] ), e2 = supSub( p[3], p[1] ), e3 = supSub( p[4], p[1] ), d = supSub( p[0], p[1] );
	supMat3 m = { e1, e2, e3 }, inverse;
	if ( supInvertMat3( m, &inverse ) == false )
	{
		return false;
	}
	supVec3 w = supMulMV( inverse, d );
	weights[1] = w.x;
	weights[2] = w.y;
	weights[3] = w.z;
	weights[0] = 1.0f - ( w.x + w.y + w.z );
	return true;
}

// Where the point is nearest to; also sees to it that there is something to be near to.
static bool WeighCorners( const supAttachDef* def, const char* name, const float* x, float weights[4], supError* error )
{
	supVec3 p[5];
	for ( int32_t i = 0; i < def->pointCount; ++i )
	{
		p[i] = supReadPoint( x, def->points[i] );
	}
	float nearest[4] = { 0 };
	if ( def->kind == sup_attachLine )
	{
		supVec3 e = supSub( p[2], p[1] );
		float square = supDot( e, e );
		if ( ( square > 0.0f ) == false )
		{
			return supSetError( error, sup_errorArgument, name, "the line of %s has no length", name );
		}
		nearest[1] = supClampFloat( supDot( supSub( p[0], p[1] ), e ) / square, 0.0f, 1.0f );
		nearest[0] = 1.0f - nearest[1];
	}
	else if ( def->kind == sup_attachTriangle )
	{
		supVec3 e1 = supSub( p[2], p[1] ), e2 = supSub( p[3], p[1] );
		if ( ( supLength( supCross( e1, e2 ) ) > 1e-6f * supLength( e1 ) * supLength( e2 ) ) == false )
		{
			return supSetError( error, sup_errorArgument, name, "the triangle of %s has no area", name );
		}
		supTriangle triangle = { p[1], p[2], p[3] };
		supTrianglePoint foot = supClosestPointOnTriangle( &triangle, p[0] );
		nearest[0] = 1.0f - foot.u - foot.v;
		nearest[1] = foot.u;
		nearest[2] = foot.v;
	}
	else if ( WeighTet( p, nearest ) == false )
	{
		return supSetError( error, sup_errorArgument, name, "the tet of %s has no volume", name );
	}
	float sum = weights[0] + weights[1] + weights[2] + weights[3];
	if ( sum == 0.0f )
	{
		memcpy( weights, nearest, sizeof( nearest ) );
	}
	else if ( ( fabsf( sum - 1.0f ) <= 1e-3f ) == false )
	{
		return supSetError( error, sup_errorArgument, name, "the weights of %s add up to %g, not 1", name,
							(double)sum );
	}
	return true;
}

static bool CheckGoal( const supAttachDef* def, const char* name, supError* error )
{
	bool finite = supIsFinite( def->goal.x ) && supIsFinite( def->goal.y ) && supIsFinite( def->goal.z );
	return finite || supSetError( error, sup_errorArgument, name, "the goal of %s is not finite", name );
}

static bool PushItem( supAttach* attach, const supAttachItem* item, const int32_t* points )
{
	int32_t first = attach->points.count;
	for ( int32_t i = 0; i < item->count; ++i )
	{
		if ( SUP_PUSH( &attach->points, points[i] ) == false || SUP_PUSH( &attach->offsets, supVec3_zero ) == false )
		{
			attach->points.count = attach->offsets.count = first;
			return false;
		}
	}
	if ( supAttach_Reserve( attach ) == false || SUP_PUSH( &attach->items, *item ) == false )
	{
		attach->points.count = attach->offsets.count = first;
		return false;
	}
	return true;
}

int32_t supAttach_Add( supAttach* attach, const supAttachDef* def, const float* x, supError* error )
{
	SUP_ASSERT( 0 <= (int)def->kind && def->kind < sup_attachKindCount );
	supClearError( error );
	char number[32];
	snprintf( number, sizeof( number ), "%s %d", s_kindNames[def->kind], attach->items.count );
	const char* name = def->name != NULL ? def->name : number;
	supAttachItem item = { .kind = def->kind,
						   .first = attach->points.count,
						   .count = def->pointCount,
						   .goal = def->goal,
						   .surface = def->surface,
						   .assemblySteps = def->assemblySteps > 0 ? def->assemblySteps : 0,
						   .slides = def->slides && ( def->kind == sup_attachLine || def->kind == sup_attachTriangle ),
						   .pack = -1 };
	memcpy( item.weights, def->weights, sizeof( item.weights ) );
	bool ok = CheckPoints( attach, def, name, error ) && CheckGoal( def, name, error ) &&
			  CheckMobility( def, name, x, error );
	if ( ok && def->kind == sup_attachSurface )
	{
		ok = CheckSurface( attach, def, name, x, error );
	}
	if ( ok && sup_attachLine <= def->kind && def->kind <= sup_attachTet )
	{
		ok = WeighCorners( def, name, x, item.weights, error );
	}
	if ( ok == false )
	{
		return -1;
	}
	item.name = supCopyString( name );
	if ( item.name == NULL || PushItem( attach, &item, def->points ) == false )
	{
		supFree( item.name );
		supSetMemoryError( error );
		return -1;
	}
	return attach->items.count - 1;
}

int32_t supAttach_Count( const supAttach* attach )
{
	return attach->items.count;
}

static supAttachItem* GetItem( const supAttach* attach, int32_t index )
{
	SUP_ASSERT( 0 <= index && index < attach->items.count );
	return attach->items.data + index;
}

const char* supAttach_Name( const supAttach* attach, int32_t index )
{
	return GetItem( attach, index )->name;
}

bool supAttach_IsActive( const supAttach* attach, int32_t index )
{
	return GetItem( attach, index )->active;
}

int64_t supAttach_SharedCount( const supAttach* attach )
{
	return attach->sharedCount;
}

// ---------------------------------------------------------------------------------------------------------------------
// On and off

// Whether two active constraints may have a point in common.
static bool MayOverlap( const supAttach* attach, const supAttachItem* a, const supAttachItem* b )
{
	bool merge = a->kind == sup_attachJoint && b->kind == sup_attachJoint && supAttachItem_IsAssembling( a ) == false &&
				 supAttachItem_IsAssembling( b ) == false;
	return merge || attach->sweeps > 1;
}

static supVec3 GapOf( const supAttachItem* item, const int32_t* points, const float* x )
{
	supVec3 gap = supVec3_zero;
	supVec3 x0 = supReadPoint( x, points[0] );
	for ( int32_t i = 1; i < item->count; ++i )
	{
		gap = supMulAdd( gap, item->weights[i - 1], supSub( supReadPoint( x, points[i] ), x0 ) );
	}
	return gap;
}

static void RememberOffsets( supAttach* attach, const supAttachItem* item, const float* x )
{
	const int32_t* points = attach->points.data + item->first;
	supVec3* offsets = attach->offsets.data + item->first;
	if ( item->kind == sup_attachNail )
	{
		offsets[0] = supSub( supReadPoint( x, points[0] ), item->goal );
	}
	else if ( item->kind == sup_attachJoint )
	{
		supVec3 common = supFindCommonPoint( x, points, item->count );
		for ( int32_t i = 0; i < item->count; ++i )
		{
			offsets[i] = supSub( supReadPoint( x, points[i] ), common );
		}
	}
	else if ( item->kind == sup_attachSurface )
	{
		offsets[0] = supMakeVec3( supAttach_Gap( attach, (int32_t)( item - attach->items.data ), x ), 0.0f, 0.0f );
	}
	else
	{
		offsets[0] = supNeg( GapOf( item, points, x ) );
	}
}

bool supAttach_Activate( supAttach* attach, int32_t index, const float* x, supError* error )
{
	supClearError( error );
	supAttachItem* item = GetItem( attach, index );
	if ( item->active )
	{
		return true;
	}
	supAttach_RefreshOwners( attach );
	const int32_t* points = attach->points.data + item->first;
	item->step = 0;
	for ( int32_t i = 0; i < item->count; ++i )
	{
		int32_t owner = attach->owner[points[i]];
		if ( owner >= 0 && MayOverlap( attach, item, attach->items.data + owner ) == false )
		{
			return supSetError( error, sup_errorArgument, item->name,
								"%s and %s both hold point %d: switch one off, make one joint of them, or sweep",
								item->name, attach->items.data[owner].name, points[i] );
		}
	}
	for ( int32_t i = 0; i < item->count; ++i )
	{
		attach->owner[points[i]] = index;
	}
	item->active = true;
	attach->packsDirty = true;
	if ( item->assemblySteps > 0 && item->kind != sup_attachVelocity )
	{
		RememberOffsets( attach, item, x );
	}
	else
	{
		item->step = item->assemblySteps;
	}
	return true;
}

void supAttach_Deactivate( supAttach* attach, int32_t index )
{
	supAttachItem* item = GetItem( attach, index );
	if ( item->active )
	{
		item->active = false;
		item->pack = -1;
		attach->ownersDirty = true;
		attach->packsDirty = true;
	}
}

float supAttach_Gap( const supAttach* attach, int32_t index, const float* x )
{
	const supAttachItem* item = GetItem( attach, index );
	const int32_t* points = attach->points.data + item->first;
	supVec3 x0 = supReadPoint( x, points[0] );
	float largest = 0.0f;
	switch ( item->kind )
	{
		case sup_attachNail:
			return supDistance( x0, item->goal );
		case sup_attachVelocity:
			return 0.0f;
		case sup_attachSurface:
		{
			const supAttachSurface* surface = attach->surfaces.data + item->surface;
			largest = INFINITY;
			for ( int32_t i = 0; i < surface->triangleCount; ++i )
			{
				const int32_t* t = surface->triangles + 3 * (int64_t)i;
				supTriangle triangle = { supReadPoint( x, t[0] ), supReadPoint( x, t[1] ), supReadPoint( x, t[2] ) };
				largest = supMinFloat( largest, supDistanceToTriangle( &triangle, x0 ) );
			}
			return largest;
		}
		case sup_attachJoint:
			for ( int32_t i = 1; i < item->count; ++i )
			{
				largest = supMaxFloat( largest, supDistance( x0, supReadPoint( x, points[i] ) ) );
			}
			return largest;
		default:
			return supLength( GapOf( item, points, x ) );
	}
}
