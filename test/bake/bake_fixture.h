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

// Takes the document; the character comes from it, as in the command line.
static inline void UseDocument( Fixture* f, supDocument* document )
{
	supError error = { 0 };
	f->document = document;
	f->character = supDocument_CreateCharacter( document, &error );
	testRequire( f->character != NULL, &error );
}

static inline void UseCharacter( Fixture* f, supCharacter* character )
{
	supError error = { 0 };
	testRequire( character != NULL, &error );
	supDocument* document = supCreateDocument( character, &error );
	testRequire( document != NULL, &error );
	supDestroyCharacter( character );
	UseDocument( f, document );
}

static inline void BuildFlesh( Fixture* f, supMethodId method )
{
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	f->flesh = supBuildFlesh( f->character, &def, NULL, NULL );
	assert_non_null( f->flesh );
}

// The bake lives as long as the fixture.
static inline supBake* BakeAs( Fixture* f, const supBakeDef* def )
{
	assert_true( f->bakeCount < MOST_BAKES );
	char path[512];
	snprintf( path, sizeof( path ), "%s/%d.part", f->folder, (int)f->bakeCount );
	supError error = { 0 };
	supBake* bake = supBakeFrames( f->flesh, def, path, &error );
	testRequire( bake != NULL, &error );
	f->bakes[f->bakeCount++] = bake;
	return bake;
}

// Through bytes, as any other program would read it.
static inline supCharacter* Reload( const supDocument* document )
{
	supError error = { 0 };
	size_t byteCount;
	uint8_t* bytes = supWriteDocument( document, &byteCount, &error );
	testRequire( bytes != NULL, &error );
	supDocument* again = supParseDocument( bytes, byteCount, "again.glb", NULL, NULL, &error );
	testRequire( again != NULL, &error );
	supCharacter* character = supDocument_CreateCharacter( again, &error );
	testRequire( character != NULL, &error );
	supDestroyDocument( again );
	supFree( bytes );
	return character;
}
