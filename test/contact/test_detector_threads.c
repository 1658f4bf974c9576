// SPDX-License-Identifier: MIT
// The same hits on any number of threads and with any instruction set.
// labels: threads
#include "stage.h"

static void TestThreads( void** state )
{
	(void)state;
	Player players[3] = { MakePlayer( MakeSphere( 1.0f, 12 ) ), MakePlayer( MakeSphere( 0.5f, 10 ) ),
						  MakePlayer( MakeSphere( 0.3f, 10 ) ) };
	static const supVec3 places[3] = { { 0, 0, 0 }, { 0.1f, 1.42f, 0.05f }, { 0.65f, 1.0f, 0.1f } };
	supContactBody bodies[3];
	for ( int32_t i = 0; i < 3; ++i )
	{
		MoveTo( players + i, players[i].positions, places[i] );
		MoveTo( players + i, players[i].previous, supScale( 1.05f, places[i] ) );
		bodies[i] = ( supContactBody ){ players[i].positions, players[i].previous, true };
	}
	for ( int32_t phase = 0; phase < 2; ++phase )
	{
		supDetectorSettings settings = { .margin = 0.02f, .depth = 0.2f, .narrow = (supNarrowPhase)phase };
		supDetector* alone = MakeDetector( players, 3, 0 );
		supDetector_Update( alone, bodies, NULL );
		const supContactHit* hits;
		int32_t count = supDetector_Run( alone, &settings, NULL, &hits );
		testGreater( count, 60 );
		for ( int32_t threads = 2; threads <= 5; threads += 3 )
		{
			supThreadPool* pool = supCreateThreadPool( threads );
			assert_non_null( pool );
			supDetector* detector = MakeDetector( players, 3, 0 );
			supSetInstructionSet( sup_instructionsBaseline );
			supDetector_Update( detector, bodies, supThreadPool_Tasks( pool ) );
			const supContactHit* other;
			assert_int_equal( supDetector_Run( detector, &settings, supThreadPool_Tasks( pool ), &other ), count );
			assert_memory_equal( hits, other, (size_t)count * sizeof( supContactHit ) );
			supSetInstructionSet( sup_instructionsAvx2 );
			supDestroyDetector( detector );
			supDestroyThreadPool( pool );
		}
		supDestroyDetector( alone );
	}
	for ( int32_t i = 0; i < 3; ++i )
	{
		FreePlayer( players + i );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( TestThreads ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
