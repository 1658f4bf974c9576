// SPDX-License-Identifier: MIT
// labels: threads
// Documents on several threads at once: each belongs to one, and what they share is set up without a race.
#include "gltf_maker.h"

#include "supple/supple.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS 20

typedef struct Job
{
	const unsigned char* glb;
	size_t size;
	uint64_t hash;
	int failures;
} Job;

static void* ReadAndWrite( void* context )
{
	Job* job = context;
	for ( int i = 0; i < ROUNDS; ++i )
	{
		supDocument* document = supParseDocument( job->glb, job->size, "strip.glb", NULL, NULL, NULL );
		supCharacter* character = document != NULL ? supDocument_CreateCharacter( document, NULL ) : NULL;
		size_t size = 0;
		uint8_t* bytes = document != NULL ? supWriteDocument( document, &size, NULL ) : NULL;
		uint64_t hash = character != NULL ? supCharacter_Hash( character ) : 0;
		job->failures += bytes == NULL || ( i > 0 && hash != job->hash ) ? 1 : 0;
		job->hash = hash;
		supFree( bytes );
		supDestroyCharacter( character );
		supDestroyDocument( document );
	}
	return NULL;
}

static void TestThreads( void** state )
{
	(void)state;
	Maker* maker = malloc( sizeof( Maker ) );
	const char* rest = maker_SkinnedStrip( maker );
	size_t size = 0;
	unsigned char* glb = maker_Glb( maker, rest, &size );
	pthread_t threads[THREADS];
	Job jobs[THREADS];
	for ( int i = 0; i < THREADS; ++i )
	{
		jobs[i] = ( Job ){ glb, size, 0, 0 };
		assert_int_equal( pthread_create( threads + i, NULL, ReadAndWrite, jobs + i ), 0 );
	}
	for ( int i = 0; i < THREADS; ++i )
	{
		pthread_join( threads[i], NULL );
		assert_int_equal( jobs[i].failures, 0 );
		assert_true( jobs[i].hash != 0 && jobs[i].hash == jobs[0].hash );
	}
	free( glb );
	free( maker );
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( TestThreads ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
