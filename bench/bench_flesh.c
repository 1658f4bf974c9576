// SPDX-License-Identifier: MIT
// Flesh of the bunny: milliseconds to build it, to save it and to load it from its file, beside a loop that only reads
// the bytes of the file, which nothing that checks them can beat.
#include "bench.h"

#include "models/models.h"
#include "supple/supple.h"

#include <unistd.h>

#define ROUNDS 5
#define PATH_SIZE 256

typedef struct Case
{
	const supCharacter* character;
	supFleshDef def;
	supFlesh* flesh;
	char path[PATH_SIZE];
	uint64_t sum;
} Case;

static void Build( void* context )
{
	Case* c = context;
	supError error = { 0 };
	supDestroyFlesh( c->flesh );
	c->flesh = supBuildFlesh( c->character, &c->def, NULL, &error );
	benchRequire( c->flesh != NULL, &error );
}

static void Save( void* context )
{
	Case* c = context;
	supError error = { 0 };
	benchRequire( supSaveFlesh( c->flesh, c->path, &error ), &error );
}

static void Load( void* context )
{
	Case* c = context;
	supError error = { 0 };
	supFlesh* flesh = supLoadFlesh( c->path, c->character, &error );
	benchRequire( flesh != NULL, &error );
	supDestroyFlesh( flesh );
}

static void ReadBytes( void* context )
{
	Case* c = context;
	FILE* file = fopen( c->path, "rb" );
	static uint64_t buffer[8192];
	for ( size_t count; file != NULL && ( count = fread( buffer, 8, 8192, file ) ) > 0; )
	{
		for ( size_t i = 0; i < count; ++i )
		{
			c->sum += buffer[i];
		}
	}
	if ( file != NULL )
	{
		fclose( file );
	}
}

static void Measure( FILE* csv, Case* c )
{
	static const struct
	{
		const char* name;
		benchFcn* function;
	} steps[] = { { "build", Build }, { "save", Save }, { "load", Load }, { "read bytes", ReadBytes } };
	const char* method = supMethodName( c->def.method );
	printf( "%-10s", method );
	for ( size_t i = 0; i < sizeof( steps ) / sizeof( steps[0] ); ++i )
	{
		char name[64];
		snprintf( name, sizeof( name ), "%s %s", method, steps[i].name );
		double seconds = benchTime( steps[i].function, c, i == 0 ? 1 : ROUNDS, i == 0 ? 0.0 : 0.05 );
		benchWriteCsv( csv, "flesh", name, 1, 1e3 * seconds, "ms" );
		printf( " %12.3f", 1e3 * seconds );
		size_t size = 0;
		uint8_t* bytes = i == 0 ? supWriteFlesh( c->flesh, &size, NULL ) : NULL;
		supFree( bytes );
		if ( i == 0 && bytes == NULL )
		{
			printf( " cannot be saved\n" );
			return;
		}
	}
	FILE* file = fopen( c->path, "rb" );
	fseek( file, 0, SEEK_END );
	printf( " %12.1f\n", (double)ftell( file ) / 1024.0 );
	fclose( file );
}

int main( int argumentCount, char** arguments )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( "bunny" )->create( &error );
	benchRequire( character != NULL, &error );
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	const char* folder = getenv( "TMPDIR" );
	printf( "ms           %10s %12s %12s %12s %12s\n", "build", "save", "load", "read bytes", "KiB" );
	for ( int32_t i = 0; i < sup_methodCount; ++i )
	{
		Case c = { .character = character, .def = supDefaultFleshDef() };
		c.def.method = (supMethodId)i;
		snprintf( c.path, sizeof( c.path ), "%s/bench-%d.flesh", folder != NULL ? folder : "/tmp", (int)getpid() );
		Measure( csv, &c );
		remove( c.path );
		supDestroyFlesh( c.flesh );
	}
	if ( csv != NULL )
	{
		fclose( csv );
	}
	supDestroyCharacter( character );
	return 0;
}
