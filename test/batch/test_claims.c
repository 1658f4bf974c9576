// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "batch/claims.h"
#include "support.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void Path( char path[512], const char* folder, const char* name )
{
	snprintf( path, 512, "%s/%s", folder, name );
}

static void WriteOwner( const char* folder, unsigned long long beat )
{
	char path[512], text[128];
	Path( path, folder, "owners/far-1-0" );
	int length = snprintf( text, sizeof( text ), "far 1 1 elsewhere - %020llu\n", beat );
	testWriteFile( path, text, (size_t)length );
}

// Only one of many processes gets each job.
static void TestOneOwner( void** state )
{
	(void)state;
	enum
	{
		processCount = 4,
		jobCount = 200
	};
	char folder[256];
	testMakeFolder( folder );
	supError error = { 0 };
	int ends[2];
	assert_int_equal( pipe( ends ), 0 );
	for ( int32_t i = 0; i < processCount; ++i )
	{
		if ( fork() == 0 )
		{
			supClaims* claims = supOpenClaims( folder, 30.0, false, NULL );
			unsigned char taken[jobCount] = { 0 };
			for ( int32_t k = 0; claims != NULL && k < jobCount; ++k )
			{
				char id[16];
				int32_t generation;
				snprintf( id, sizeof( id ), "job%d", k );
				taken[k] = supClaims_Take( claims, id, &generation, NULL );
			}
			bool ok = write( ends[1], taken, jobCount ) == jobCount;
			// waits for the others: claims of a process that has ended are for the taking
			sleep( 1 );
			_exit( ok ? 0 : 1 );
		}
	}
	int32_t owners[jobCount] = { 0 };
	for ( int32_t i = 0; i < processCount; ++i )
	{
		unsigned char taken[jobCount];
		assert_int_equal( read( ends[0], taken, jobCount ), jobCount );
		for ( int32_t k = 0; k < jobCount; ++k )
		{
			owners[k] += taken[k];
		}
	}
	for ( int32_t k = 0; k < jobCount; ++k )
	{
		assert_int_equal( owners[k], 1 );
	}
	while ( wait( NULL ) > 0 )
	{
	}
	close( ends[0] );
	close( ends[1] );
	// all of them have ended without releasing anything
	supClaims* claims = supOpenClaims( folder, 30.0, false, &error );
	testRequire( claims != NULL, &error );
	int32_t generation;
	assert_true( supClaims_Take( claims, "job7", &generation, &error ) );
	assert_int_equal( generation, 1 );
	assert_false( supClaims_Take( claims, "job7", &generation, &error ) );
	assert_int_equal( error.code, sup_errorNone );
	supClaims_Release( claims, "job7", 1 );
	assert_true( supClaims_Take( claims, "job7", &generation, &error ) );
	assert_int_equal( generation, 0 );
	supClaims_Release( claims, "job7", 0 );
	supClaims_Sweep( claims );
	supCloseClaims( claims );
	testRemoveFolder( folder );
}

// An owner on another machine lives while its counter grows, whatever clocks say; then its job is taken over.
static void TestHeartbeat( void** state )
{
	(void)state;
	char folder[256], path[512];
	testMakeFolder( folder );
	supError error = { 0 };
	supClaims* claims = supOpenClaims( folder, 0.3, false, &error );
	testRequire( claims != NULL, &error );
	WriteOwner( folder, 0 );
	Path( path, folder, "claims/job.0" );
	// claimed in the year 2100
	testWriteFile( path, "far-1-0 4102444800\n", 19 );
	int32_t generation;
	for ( unsigned long long beat = 1; beat < 10; ++beat )
	{
		WriteOwner( folder, beat );
		assert_false( supClaims_Take( claims, "job", &generation, &error ) );
		usleep( 100000 );
	}
	WriteOwner( folder, 10 );
	supClaimInfo info;
	assert_true( supClaims_Find( claims, "job", &info ) );
	assert_false( info.isStale );
	assert_string_equal( info.host, "far" );
	assert_int_equal( info.since, 4102444800ll );
	struct stat card;
	Path( path, folder, "owners/far-1-0" );
	assert_int_equal( stat( path, &card ), 0 );
	assert_int_equal( info.heard, card.st_mtim.tv_sec );
	bool taken = false;
	for ( int32_t i = 0; i < 20 && taken == false; ++i )
	{
		usleep( 50000 );
		taken = supClaims_Take( claims, "job", &generation, &error );
	}
	assert_true( taken );
	assert_int_equal( generation, 1 );
	supClaims_Release( claims, "job", generation );
	assert_false( supClaims_Find( claims, "job", &info ) );
	// its card has been silent for as long, and goes
	supClaims_Sweep( claims );
	assert_int_equal( access( path, F_OK ), -1 );
	supCloseClaims( claims );
	testRemoveFolder( folder );
}

static void CountClaim( const char* id, void* context )
{
	int32_t* counts = context;
	counts[strcmp( id, "first" ) == 0 ? 0 : strcmp( id, "second" ) == 0 ? 1 : 2] += 1;
}

static void TestList( void** state )
{
	(void)state;
	char folder[256];
	testMakeFolder( folder );
	supClaims* claims = supOpenClaims( folder, 30.0, false, NULL );
	assert_non_null( claims );
	int32_t first, second, counts[3] = { 0 };
	assert_true( supClaims_Take( claims, "first", &first, NULL ) );
	assert_true( supClaims_Take( claims, "second", &second, NULL ) );
	supClaims_List( claims, CountClaim, counts );
	assert_int_equal( counts[0], 1 );
	assert_int_equal( counts[1], 1 );
	assert_int_equal( counts[2], 0 );
	supClaims_Release( claims, "first", first );
	supClaims_Release( claims, "second", second );
	supClaims_List( claims, CountClaim, counts );
	assert_int_equal( counts[0] + counts[1] + counts[2], 2 );
	supCloseClaims( claims );
	testRemoveFolder( folder );
}

// A claim that its owner had no time to fill is not held for ever; one that is damaged neither.
static void TestDamagedClaims( void** state )
{
	(void)state;
	char folder[256], path[512];
	testMakeFolder( folder );
	supClaims* claims = supOpenClaims( folder, 0.1, false, NULL );
	assert_non_null( claims );
	Path( path, folder, "claims/job.0" );
	testWriteFile( path, "\xff\xfe", 2 );
	int32_t generation;
	bool taken = false;
	for ( int32_t i = 0; i < 20 && taken == false; ++i )
	{
		taken = supClaims_Take( claims, "job", &generation, NULL );
		usleep( 50000 );
	}
	assert_true( taken );
	assert_int_equal( generation, 1 );
	supClaims_Release( claims, "job", 1 );
	supCloseClaims( claims );
	testRemoveFolder( folder );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestOneOwner ),
		cmocka_unit_test( TestHeartbeat ),
		cmocka_unit_test( TestDamagedClaims ),
		cmocka_unit_test( TestList ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
