// SPDX-License-Identifier: MIT
// A character, its document and flesh, and bakes of it, in a folder of their own.
#pragma once

#include "lag.h"
#include "support.h"

#include "bake/bake.h"

#include <stdlib.h>

#define MOST_BAKES 4

typedef struct Fixture
{
	supCharacter* character;
	supDocument* document;
	supFlesh* flesh;
	supBake* bakes[MOST_BAKES];
	int32_t bakeCount;
	char folder[256];
} Fixture;

static inline int SetUp( void** state )
{
	Fixture* f = calloc( 1, sizeof( Fixture ) );
	testMakeFolder( f->folder );
	*state = f;
	return 0;
}

static inline int TearDown( void** state )
{
	Fixture* f = *state;
	for ( int32_t i = 0; i < f->bakeCount; ++i )
	{
		supDestroyBake( f->bakes[i], false );
	}
	supDestroyFlesh( f->flesh );
	supDestroyCharacter( f->character );
	supDestroyDocument( f->document );
	testRemoveFolder( f->folder );
	free( f );
	return 0;
}
