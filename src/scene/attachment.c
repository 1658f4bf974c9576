// SPDX-License-Identifier: MIT
// Attachments between bodies of any method: creating, querying, switching. Solved in attachment_solve.c.
#include "scene/attachment_system.h"

#include "core/core.h"
#include "scene/guard.h"

#include <math.h>

#define ATTACHMENT_COOKIE 0x41747461

// Of the weights of a surface point, whose sum is 1.
#define WEIGHT_TOLERANCE 1e-3f

supAttachmentDef supDefaultAttachmentDef( void )
{
	return ( supAttachmentDef ){ .breakingForce = INFINITY, .active = true, .cookie = ATTACHMENT_COOKIE };
}

// ---------------------------------------------------------------------------------------------------------------------
// Making one

static void Destroy( supAttachment* attachment )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace_Destroy( attachment->places + i );
	}
	supFree( attachment );
}

static bool CheckSurfacePoint( const supCharacter* character, const supSurfacePoint* point )
{
	if ( point->instance < 0 || point->instance >= supCharacter_InstanceCount( character ) )
	{
		return false;
	}
	int32_t mesh = supCharacter_Instance( character, point->instance )->mesh;
	int32_t vertexCount = supCharacter_Mesh( character, mesh )->vertexCount;
	bool ok = true;
	for ( int32_t i = 0; i < 3; ++i )
	{
		ok = ok && point->vertices[i] >= 0 && point->vertices[i] < vertexCount && point->weights[i] >= 0.0f;
	}
	return ok && fabsf( point->weights[0] + point->weights[1] + point->weights[2] - 1.0f ) < WEIGHT_TOLERANCE;
}

static bool CheckPlace( const char* name, int32_t index, const supPlace* place, supError* error )
{
	if ( place->kind == sup_placeWorld )
	{
		return supIsFiniteVec3( place->position ) ||
			   supSetError( error, sup_errorArgument, name, "place %d is not a number", index );
	}
	if ( place->actor == NULL )
	{
		return supSetError( error, sup_errorArgument, name, "place %d is on no actor", index );
	}
	const supCharacter* character = place->actor->flesh->character;
	if ( place->kind == sup_placeNode )
	{
		int32_t count = supCharacter_NodeCount( character );
		return place->node >= 0 && place->node < count
				   ? supIsFiniteVec3( place->position ) ||
						 supSetError( error, sup_errorArgument, name, "place %d is not a number", index )
				   : supSetError( error, sup_errorArgument, name, "place %d is on node %d of %d", index, place->node,
								  count );
	}
	if ( place->kind < 0 || place->kind > sup_placeInside )
	{
		return supSetError( error, sup_errorArgument, name, "place %d: unknown kind of place: %d", index,
							(int)place->kind );
	}
	if ( !( place->radius >= 0.0f && place->radius < INFINITY ) )
	{
		return supSetError( error, sup_errorArgument, name, "place %d: radius must be 0 m or more (got %g)", index,
							(double)place->radius );
	}
	bool isInside = place->kind == sup_placeInside;
	if ( isInside && !( place->share >= 0.0f && place->share <= 1.0f ) )
	{
		return supSetError( error, sup_errorArgument, name, "place %d: share must be 0 to 1 (got %g)", index,
							(double)place->share );
	}
	return ( CheckSurfacePoint( character, &place->point ) &&
			 ( isInside == false || CheckSurfacePoint( character, &place->opposite ) ) ) ||
		   supSetError( error, sup_errorArgument, name, "place %d is on no triangle of the surface", index );
}

static bool IsSamePlace( const supPlace* a, const supPlace* b )
{
	if ( a->kind != b->kind || a->actor != b->actor )
	{
		return false;
	}
	switch ( a->kind )
	{
		case sup_placeSurface:
			return memcmp( &a->point, &b->point, sizeof( supSurfacePoint ) ) == 0;
		case sup_placeInside:
			return memcmp( &a->point, &b->point, sizeof( supSurfacePoint ) ) == 0 &&
				   memcmp( &a->opposite, &b->opposite, sizeof( supSurfacePoint ) ) == 0 && a->share == b->share;
		case sup_placeNode:
			return a->node == b->node;
		default:
			return false;
	}
}

typedef struct KindInfo
{
	int32_t least;
	int32_t most;
} KindInfo;

static const KindInfo s_kinds[] = {
	[sup_attachmentJoin] = { 2, SUP_MAX_ATTACHED_PLACES },
	[sup_attachmentSlide] = { 2, 2 },
	[sup_attachmentVelocity] = { 1, 1 },
	[sup_attachmentLine] = { 3, 3 },
	[sup_attachmentTriangle] = { 4, 4 },
};

static bool CheckPlaces( const supAttachmentDef* def, const char* name, supError* error )
{
	for ( int32_t i = 0; i < def->placeCount; ++i )
	{
		if ( CheckPlace( name, i, def->places + i, error ) == false )
		{
			return false;
		}
		for ( int32_t k = 0; k < i; ++k )
		{
			if ( IsSamePlace( def->places + i, def->places + k ) )
			{
				return supSetError( error, sup_errorArgument, name,
									"places %d and %d are the same: a place cannot be attached to itself", k, i );
			}
		}
	}
	return true;
}

static bool CheckDef( const supAttachmentDef* def, const char* name, supError* error )
{
	if ( def->kind < 0 || def->kind >= SUP_COUNT( s_kinds ) )
	{
		return supSetError( error, sup_errorArgument, name, "unknown kind of attachment: %d", (int)def->kind );
	}
	KindInfo info = s_kinds[def->kind];
	if ( def->placeCount < info.least || def->placeCount > info.most )
	{
		return supSetError( error, sup_errorArgument, name, "%d places; this kind takes %d to %d", def->placeCount,
							info.least, info.most );
	}
	if ( CheckPlaces( def, name, error ) == false )
	{
		return false;
	}
	if ( def->kind == sup_attachmentSlide && def->places[1].kind != sup_placeSurface )
	{
		return supSetError( error, sup_errorArgument, name, "the second place must be on a surface to slide on" );
	}
	if ( def->slack > 0.0f && ( def->kind != sup_attachmentJoin || def->placeCount != 2 ) )
	{
		return supSetError( error, sup_errorArgument, name, "slack is between two places that are joined" );
	}
	if ( !( def->breakingForce > 0.0f ) )
	{
		return supSetError( error, sup_errorArgument, name, "breakingForce must be above 0 N (got %g)",
							(double)def->breakingForce );
	}
	return ( def->slack >= 0.0f && def->slack < INFINITY && def->assembly >= 0.0f && def->assembly < INFINITY &&
			 supIsFiniteVec3( def->velocity ) ) ||
		   supSetError( error, sup_errorArgument, name, "slack, assembly or velocity is negative or not a number" );
}

// Places, and room for all that a step needs of them.
static bool TakePlaces( supAttachment* attachment, const supAttachmentDef* def, const char* name, supError* error )
{
	bool ok = true, anyMoves = false, isStuck = true;
	for ( int32_t i = 0; i < def->placeCount && ok; ++i )
	{
		bool slides = def->kind == sup_attachmentSlide && i == 1;
		attachment->places[i].owner = attachment;
		ok = supHeldPlace_Init( attachment->places + i, def->places + i, slides );
		anyMoves = anyMoves || supHeldPlace_HasFlesh( attachment->places + i );
		isStuck = isStuck && attachment->places[i].moves == false;
	}
	if ( ok && anyMoves == false )
	{
		return supSetError(
			error, sup_errorArgument, name,
			"none of its places can be moved: world, bones and skin that follows them go where they go" );
	}
	if ( ok && isStuck )
	{
		supLog( sup_logWarning,
				"the attachment '%s' holds only skin that hangs nearly all on bones: it goes with them, see its gap",
				name );
	}
	bool canTie = ok && supAttachment_CanTie( attachment );
	for ( int32_t i = 0; i < def->placeCount && ok; ++i )
	{
		supHeldPlace* place = attachment->places + i;
		int32_t most = supHeldPlace_HasFlesh( place ) ? place->def.actor->flesh->method->maxResponses : 0;
		if ( most > 0 && place->def.actor->reservedCount == most )
		{
			return supSetError( error, sup_errorArgument, name,
								"place %d: the method %s holds at most %d places of an actor; detach others first", i,
								place->def.actor->flesh->method->name, most );
		}
		ok = supHeldPlace_Reserve( place, canTie && place->isPoint );
	}
	return ok ? true : supSetMemoryError( error );
}

static supAttachment* Create( const supAttachmentDef* def, supError* error )
{
	const char* name = def->name != NULL ? def->name : "attachment";
	if ( CheckDef( def, name, error ) == false )
	{
		return NULL;
	}
	size_t size = sizeof( supAttachment ) + (size_t)def->placeCount * sizeof( supHeldPlace );
	supAttachment* attachment = supAllocZeroed( size );
	if ( attachment == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	size_t length = strlen( name ) < sizeof( attachment->name ) ? strlen( name ) : sizeof( attachment->name ) - 1;
	memcpy( attachment->name, name, length );
	attachment->kind = def->kind;
	attachment->placeCount = def->placeCount;
	attachment->velocity = def->velocity;
	attachment->slack = def->slack;
	attachment->assembly = def->assembly;
	attachment->breakingForce = def->breakingForce;
	if ( TakePlaces( attachment, def, name, error ) == false )
	{
		Destroy( attachment );
		return NULL;
	}
	return attachment;
}

// Room for one more among the active ones, and for its bodies' particles.
static bool Reserve( supAttachments* system, const supAttachment* attachment )
{
	int32_t most = system->scratchCount;
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		const supHeldPlace* place = attachment->places + i;
		const supMethod* method = supHeldPlace_HasFlesh( place ) ? place->def.actor->flesh->method : NULL;
		int32_t count =
			method != NULL ? method->getParticles( place->def.actor->flesh->own, place->def.actor->state ).count : 0;
		most = count > most ? count : most;
	}
	if ( most > system->scratchCount )
	{
		double* scratch = supAllocZeroed( 3 * (size_t)most * sizeof( double ) );
		if ( scratch == NULL )
		{
			return false;
		}
		supFree( system->scratch );
		system->scratch = scratch;
		system->scratchCount = most;
	}
	if ( system->placeCount + attachment->placeCount > system->holderCapacity )
	{
		int32_t capacity = 2 * ( system->placeCount + attachment->placeCount );
		supActor** holders = supAllocArray( (size_t)capacity, sizeof( supActor* ) );
		if ( holders == NULL )
		{
			return false;
		}
		supFree( system->holders );
		system->holders = holders;
		system->holderCount = 0;
		system->holderCapacity = capacity;
	}
	if ( system->count == system->capacity )
	{
		int32_t capacity = system->capacity > 0 ? 2 * system->capacity : 16;
		supAttachment** general = supAllocArray( (size_t)capacity, sizeof( supAttachment* ) );
		if ( general == NULL )
		{
			return false;
		}
		if ( system->generalCount > 0 )
		{
			memcpy( general, system->general, (size_t)system->generalCount * sizeof( supAttachment* ) );
		}
		supFree( system->general );
		system->general = general;
		system->capacity = capacity;
	}
	return true;
}

supAttachment* supAttachments_Add( supAttachments* system, const supAttachmentDef* def, supError* error )
{
	SUP_ASSERT( def->cookie == ATTACHMENT_COOKIE );
	supClearError( error );
	supAttachment* attachment = Create( def, error );
	if ( attachment == NULL )
	{
		return NULL;
	}
	if ( Reserve( system, attachment ) == false )
	{
		supSetMemoryError( error );
		Destroy( attachment );
		return NULL;
	}
	attachment->system = system;
	attachment->previous = system->last;
	if ( system->last != NULL )
	{
		system->last->next = attachment;
	}
	else
	{
		system->first = attachment;
	}
	system->last = attachment;
	system->count += 1;
	system->placeCount += attachment->placeCount;
	supAttachment_SetActive( attachment, def->active );
	return attachment;
}

void supAttachments_Remove( supAttachments* system, supAttachment* attachment )
{
	SUP_ASSERT( attachment != NULL && attachment->system == system );
	supAttachment_SetActive( attachment, false );
	*( attachment->previous != NULL ? &attachment->previous->next : &system->first ) = attachment->next;
	*( attachment->next != NULL ? &attachment->next->previous : &system->last ) = attachment->previous;
	system->count -= 1;
	system->placeCount -= attachment->placeCount;
	// nothing of it is to be found among those that were active; all others are found again
	system->generalCount = 0;
	system->holderCount = 0;
	system->isStale = true;
	Destroy( attachment );
}

static bool Involves( const supAttachment* attachment, const supActor* actor )
{
	bool does = false;
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		does = does || attachment->places[i].def.actor == actor;
	}
	return does;
}

void supAttachments_RemoveActor( supAttachments* system, const supActor* actor )
{
	for ( supAttachment* attachment = system->first; attachment != NULL; )
	{
		supAttachment* next = attachment->next;
		if ( Involves( attachment, actor ) )
		{
			supLog( sup_logInfo, "the attachment '%s' ends: an actor that it holds is removed", attachment->name );
			supAttachments_Remove( system, attachment );
		}
		attachment = next;
	}
	supActor** link = &system->firstTied;
	while ( *link != NULL && *link != actor )
	{
		link = &( *link )->nextTied;
	}
	*link = *link != NULL ? ( *link )->nextTied : NULL;
}

void supAttachments_Destroy( supAttachments* system )
{
	while ( system->first != NULL )
	{
		supAttachments_Remove( system, system->first );
	}
	supFree( system->general );
	supFree( system->holders );
	supFree( system->scratch );
	supDestroyGapSystem( system->gaps );
	*system = ( supAttachments ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Asking and switching

void supAttachment_SetActive( supAttachment* attachment, bool active )
{
	attachment->fresh = active && ( attachment->fresh || attachment->active == false );
	attachment->system->isStale = attachment->system->isStale || attachment->active != active;
	attachment->active = active;
	attachment->broken = attachment->broken && active == false;
	attachment->force = supVec3_zero;
	attachment->gap = 0.0f;
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supActor* actor = attachment->places[i].def.actor;
		supHeldPlace_EndMove( attachment->places + i );
		if ( actor != NULL )
		{
			supActor_WakeUp( actor );
		}
		// it is the flesh that is held: what the guard has blended with skinning would be drawn beside it
		if ( active && attachment->places[i].moves && actor->clock.isGuarded )
		{
			supActor_ResetGuard( actor );
		}
	}
}

bool supAttachment_IsActive( const supAttachment* attachment )
{
	return attachment->active;
}

bool supAttachment_IsBroken( const supAttachment* attachment )
{
	return attachment->broken;
}

bool supAttachment_SetPlace( supAttachment* attachment, int32_t place, supVec3 position, supError* error )
{
	supClearError( error );
	if ( place < 0 || place >= attachment->placeCount )
	{
		return supSetError( error, sup_errorArgument, attachment->name, "there is no place %d, only 0 to %d", place,
							attachment->placeCount - 1 );
	}
	if ( attachment->places[place].def.kind != sup_placeWorld )
	{
		return supSetError( error, sup_errorArgument, attachment->name,
							"place %d is on a body: only places of the world are moved", place );
	}
	if ( supIsFiniteVec3( position ) == false )
	{
		return supSetError( error, sup_errorArgument, attachment->name, "the position [%g, %g, %g] is not finite",
							(double)position.x, (double)position.y, (double)position.z );
	}
	attachment->places[place].def.position = position;
	return true;
}

float supAttachment_Gap( const supAttachment* attachment )
{
	return attachment->gap;
}

supVec3 supAttachment_Force( const supAttachment* attachment )
{
	return attachment->force;
}

const char* supAttachment_Name( const supAttachment* attachment )
{
	return attachment->name;
}
