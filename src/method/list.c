// SPDX-License-Identifier: MIT
// The list of methods, and flesh.
#include "method/method.h"

#include "core/core.h"

#define FLESH_COOKIE 0x466C6573

static const supMethod* const s_methods[sup_methodCount] = {
	[sup_methodLbs] = &supMethod_lbs,
	[sup_methodDqs] = &supMethod_dqs,
};

const supMethod* supGetMethod( supMethodId id )
{
	SUP_ASSERT( 0 <= (int)id && id < sup_methodCount );
	return s_methods[id];
}

const char* supMethodName( supMethodId id )
{
	return supGetMethod( id )->name;
}

const char* supMethodSummary( supMethodId id )
{
	return supGetMethod( id )->summary;
}

bool supFindMethod( const char* name, supMethodId* method )
{
	for ( int i = 0; i < sup_methodCount; ++i )
	{
		if ( strcmp( s_methods[i]->name, name ) == 0 )
		{
			*method = (supMethodId)i;
			return true;
		}
	}
	return false;
}

supFleshDef supDefaultFleshDef( void )
{
	return ( supFleshDef ){ .method = sup_methodDqs, .cookie = FLESH_COOKIE };
}

supFlesh* supBuildFleshWith( const supCharacter* character, const supMethod* method, const supFleshDef* def,
							 const supTasks* tasks, supError* error )
{
	supClearError( error );
	supFlesh* flesh = supAllocZeroed( sizeof( supFlesh ) );
	if ( flesh == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	flesh->character = character;
	flesh->method = method;
	if ( method->createFlesh != NULL )
	{
		flesh->own = method->createFlesh( character, def, tasks, error );
		if ( flesh->own == NULL )
		{
			supFree( flesh );
			return NULL;
		}
	}
	return flesh;
}

supFlesh* supBuildFlesh( const supCharacter* character, const supFleshDef* def, const supTasks* tasks, supError* error )
{
	SUP_ASSERT( def->cookie == FLESH_COOKIE );
	return supBuildFleshWith( character, supGetMethod( def->method ), def, tasks, error );
}

void supDestroyFlesh( supFlesh* flesh )
{
	if ( flesh != NULL )
	{
		if ( flesh->method->destroyFlesh != NULL )
		{
			flesh->method->destroyFlesh( flesh->own );
		}
		supFree( flesh );
	}
}

const supCharacter* supFlesh_Character( const supFlesh* flesh )
{
	return flesh->character;
}

const char* supFlesh_MethodName( const supFlesh* flesh )
{
	return flesh->method->name;
}
