// SPDX-License-Identifier: MIT
// Attachments between bodies of any method: making, asking, switching. How they are met: attachment_meet.c.
#include "scene/attachment_system.h"

#include "core/core.h"

#define ATTACHMENT_COOKIE 0x41747461

supAttachmentDef supDefaultAttachmentDef( void )
{
	return ( supAttachmentDef ){ .active = true, .cookie = ATTACHMENT_COOKIE };
}

// ---------------------------------------------------------------------------------------------------------------------
// Making one

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
	return ok;
}

static bool CheckPlace( const char* name, int32_t index, const supPlace* place, supError* error )
{
	if ( place->kind == sup_placeWorld )
	{
		return supIsFiniteVec3( place->position ) ||
			   supSetError( error, sup_errorArgument, name, "place %d is not a number", index );
	}
	SUP_ASSERT( place->actor != NULL );
	const supCharacter* character = place->actor->flesh->character;
	if ( place->kind == sup_placeNode )
	{
		int32_t count = supCharacter_NodeCount( character );
		return ( place->node >= 0 && place->node < count ) ||
			   supSetError( error, sup_errorArgument, name, "place %d is on node %d of %d", index, place->node, count );
	}
	return CheckSurfacePoint( character, &place->point ) ||
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
		case sup_placeNode:
			return a->node == b->node;
		default:
			return false;
	}
}

static bool CheckDef( const supAttachmentDef* def, const char* name, supError* error )
{
	int32_t least = def->kind == sup_attachmentVelocity ? 1 : 2;
	int32_t most = def->kind == sup_attachmentJoin ? SUP_MAX_ATTACHED_PLACES : least;
	if ( def->placeCount < least || def->placeCount > most )
	{
		return supSetError( error, sup_errorArgument, name, "%d places; this kind takes %d to %d", def->placeCount,
							least, most );
	}
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
	if ( def->kind == sup_attachmentSlide && def->places[1].kind != sup_placeSurface )
	{
		return supSetError( error, sup_errorArgument, name, "the second place must be on a surface to slide on" );
	}
	if ( def->slack > 0.0f && ( def->kind != sup_attachmentJoin || def->placeCount != 2 ) )
	{
		return supSetError( error, sup_errorArgument, name, "slack is between two places that are joined" );
	}
	return ( def->slack >= 0.0f && def->assembly >= 0.0f && supIsFiniteVec3( def->velocity ) ) ||
		   supSetError( error, sup_errorArgument, name, "slack, assembly or velocity is negative or not a number" );
}

supAttachment* supCreateAttachment( const supAttachmentDef* def, supError* error )
{
	SUP_ASSERT( def->cookie == ATTACHMENT_COOKIE );
	supClearError( error );
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
	int32_t moving = 0;
	for ( int32_t i = 0; i < def->placeCount; ++i )
	{
		supHeldPlace_Init( attachment->places + i, def->places + i, true );
		moving += attachment->places[i].moves;
	}
	if ( moving == 0 || ( def->kind == sup_attachmentVelocity && attachment->places[0].moves == false ) )
	{
		supSetError( error, sup_errorArgument, name,
					 "none of its places can be moved: world, bones and skinned surfaces go where they go" );
		supDestroyAttachment( attachment );
		return NULL;
	}
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		if ( supHeldPlace_Reserve( attachment->places + i ) == false )
		{
			supSetMemoryError( error );
			supDestroyAttachment( attachment );
			return NULL;
		}
	}
	supAttachment_SetActive( attachment, def->active );
	return attachment;
}

void supDestroyAttachment( supAttachment* attachment )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace_Destroy( attachment->places + i );
	}
	supFree( attachment );
}

supAttachment* supAttachment_Next( const supAttachment* attachment )
{
	return attachment->next;
}

void supAttachment_SetNext( supAttachment* attachment, supAttachment* next )
{
	attachment->next = next;
}

bool supAttachment_Involves( const supAttachment* attachment, const supActor* actor )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		if ( attachment->places[i].def.actor == actor )
		{
			return true;
		}
	}
	return false;
}

void supAttachment_SetActive( supAttachment* attachment, bool active )
{
	attachment->fresh = attachment->fresh || ( active && attachment->active == false );
	attachment->active = active;
	attachment->force = supVec3_zero;
	attachment->gap = 0.0f;
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace_StayPut( attachment->places + i );
		if ( attachment->places[i].def.actor != NULL )
		{
			supActor_WakeUp( attachment->places[i].def.actor );
		}
	}
}

void supWakeAttached( const supAttachment* first )
{
	for ( const supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		for ( int32_t i = 0; i < attachment->placeCount && attachment->active; ++i )
		{
			if ( attachment->places[i].def.actor != NULL )
			{
				supActor_WakeUp( attachment->places[i].def.actor );
				attachment->places[i].def.actor->isHeld = true;
			}
		}
	}
}

bool supAttachment_IsActive( const supAttachment* attachment )
{
	return attachment->active;
}

void supAttachment_SetPlace( supAttachment* attachment, int32_t place, supVec3 position )
{
	SUP_ASSERT( 0 <= place && place < attachment->placeCount );
	SUP_ASSERT( attachment->places[place].def.kind == sup_placeWorld && supIsFiniteVec3( position ) );
	attachment->places[place].def.position = position;
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
