// SPDX-License-Identifier: MIT
// What a bake that was stopped leaves behind, with everything in it changed but what a stranger cannot know: frames,
// and the state from which the next frame follows. Resuming refuses it, or goes on without harm.
#define _POSIX_C_SOURCE 200809L
#include "bake/work_file.h"
#include "core/hash.h"
#include "small_flesh.h"

#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );

#define KEY 28
#define FRAMES 4

static supCharacter* s_tube;
static supFlesh* s_flesh[FLESH_METHODS];
static char s_path[64];

static void Prepare( void )
{
	s_tube = CreateTube();
	for ( int32_t i = 0; i < FLESH_METHODS; ++i )
	{
		s_flesh[i] = BuildSmall( s_tube, s_methods[i], NULL, NULL );
	}
	snprintf( s_path, sizeof( s_path ), "%s/supple-fuzz-%d", access( "/dev/shm", W_OK ) == 0 ? "/dev/shm" : "/tmp",
			  (int)getpid() );
}

static void WriteBytes( const char* path, const void* head, size_t headSize, const void* bytes, size_t size )
{
	FILE* file = fopen( path, "wb" );
	if ( file == NULL || fwrite( head, 1, headSize, file ) != headSize || fwrite( bytes, 1, size, file ) != size ||
		 fclose( file ) != 0 )
	{
		abort();
	}
}

static void ReadFrames( supWorkFile* work, const supWorkState* state, int64_t vertexCount )
{
	supVec3* data = malloc( (size_t)( 2 * vertexCount ) * sizeof( supVec3 ) );
	for ( int32_t i = 0; i < state->frameCount; ++i )
	{
		supBakeFrame info;
		supError error = { 0 };
		bool ok = supWorkFile_ReadInfo( work, i, &info, &error ) &&
				  supWorkFile_ReadData( work, i, 0, 2 * vertexCount, data, &error );
		for ( int64_t k = 0; ok && k < 2 * vertexCount; ++k )
		{
			if ( supIsFiniteVec3( data[k] ) == false )
			{
				abort();
			}
		}
		if ( ok == ( error.code != sup_errorNone ) )
		{
			abort();
		}
	}
	free( data );
}

// Frames and their head as the input has them. The state is whole.
static void TryFrames( Input* input )
{
	int64_t vertexCount = 1 + TakeByte( input ) % 4;
	supWorkHeader header = { .magic = "SUPBAKE3", .key = KEY, .vertexCount = vertexCount };
	header.wantedFrameCount = FRAMES;
	header.warmupCycles = (int32_t)TakeBytes( input, 4 );
	supWorkState head = { .magic = "SUPSTAT1", .key = KEY, .stateSize = 8 };
	head.frameCount = (int32_t)TakeBytes( input, TakeByte( input ) % 2 == 0 ? 1 : 4 );
	head.warmupCycles = (int32_t)TakeBytes( input, 4 );
	const uint8_t bytes[8] = { 0 };
	head.check = supHashBytes( SUP_HASH_SEED, bytes, sizeof( bytes ) );
	char statePath[80];
	snprintf( statePath, sizeof( statePath ), "%s.state", s_path );
	WriteBytes( s_path, &header, sizeof( header ), input->data, input->size );
	WriteBytes( statePath, &head, sizeof( head ), bytes, sizeof( bytes ) );
	supWorkState state;
	uint8_t rest[8];
	supError error = { 0 };
	supWorkFile* work = supOpenWorkFile( s_path, KEY, vertexCount, FRAMES, &state, rest, sizeof( rest ), &error );
	if ( work != NULL )
	{
		ReadFrames( work, &state, vertexCount );
	}
	supCloseWorkFile( work, false );
	remove( s_path );
	remove( statePath );
}

// An actor's state with some bytes changed.
static void TryState( const supFlesh* flesh, Input* input )
{
	supSceneDef def = supDefaultSceneDef();
	supScene* scene = supCreateScene( &def, NULL );
	supActor* actor = scene != NULL ? supScene_AddActor( scene, flesh, NULL ) : NULL;
	if ( actor != NULL )
	{
		supScene_Step( scene, 1.0f / 60.0f );
		size_t size = supActor_StateSize( actor );
		uint8_t* bytes = malloc( size );
		supActor_SaveState( actor, bytes );
		for ( int32_t i = 0; i < 8 && input->size > 4; ++i )
		{
			size_t at = TakeBytes( input, 3 ) * 4u % ( size - 3 );
			uint32_t value = TakeBytes( input, TakeByte( input ) % 2 == 0 ? 1 : 4 );
			memcpy( bytes + at, &value, 4 );
		}
		supActor_RestoreState( actor, bytes );
		{
			supScene_Step( scene, 1.0f / 60.0f );
			supScene_Step( scene, 1.0f / 60.0f );
		}
		free( bytes );
	}
	supDestroyScene( scene );
}

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	supSetLog( NULL, NULL );
	if ( s_tube == NULL )
	{
		Prepare();
	}
	Input input = { data, size };
	uint32_t choice = TakeByte( &input ) % ( FLESH_METHODS + 1 );
	if ( choice == FLESH_METHODS )
	{
		TryFrames( &input );
	}
	else
	{
		TryState( s_flesh[choice], &input );
	}
	return 0;
}
