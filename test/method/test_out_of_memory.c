// SPDX-License-Identifier: MIT
// Any allocation may fail, and all after it: in building flesh, in writing and reading it, in a scene and its steps.
// The failure is reported as one of memory, and nothing leaks.
#include "../../models/models.h"
#include "method/method.h"
#include "supple/supple.h"
#include "support.h"

static const supMethodId s_methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints,
										 sup_methodFem,      sup_methodLayered, sup_methodModes };

typedef struct Attempt
{
	supCharacter* character;
	supMethodId method;
	const uint8_t* block; // flesh as bytes
	size_t size;
	supFlesh* flesh;
} Attempt;

static bool Reported( bool done, const supError* error )
{
	if ( done == false && error->code != sup_errorMemory )
	{
		fail_msg( "reported as %s: %s", supErrorText( error->code ), error->message );
	}
	return done;
}

static supFlesh* Build( const Attempt* attempt, supError* error )
{
	supSetting setting = { "resolution", 8.0f };
	setting.parameter = attempt->method == sup_methodLattice ? "resolution"
						: attempt->method == sup_methodFem   ? "vertices"
															 : "tets";
	setting.value = attempt->method == sup_methodLattice ? 8.0f : 150.0f;
	supFleshDef def = supDefaultFleshDef();
	def.method = attempt->method;
	def.settings = &setting;
	def.settingCount = attempt->method != sup_methodLayered;
	return supBuildFlesh( attempt->character, &def, NULL, error );
}

static bool BuildOnce( void* context )
{
	supError error = { 0 };
	supFlesh* flesh = Build( context, &error );
	bool done = Reported( flesh != NULL, &error );
	supDestroyFlesh( flesh );
	return done;
}

static bool WriteOnce( void* context )
{
	const Attempt* attempt = context;
	supError error = { 0 };
	size_t size = 0;
	uint8_t* bytes = supWriteFlesh( attempt->flesh, &size, &error );
	bool done = Reported( bytes != NULL, &error );
	supFree( bytes );
	return done;
}

static bool ReadOnce( void* context )
{
	const Attempt* attempt = context;
	supError error = { 0 };
	supFlesh* flesh = supReadFlesh( attempt->block, attempt->size, "tube", attempt->character, &error );
	bool done = Reported( flesh != NULL, &error );
	supDestroyFlesh( flesh );
	return done;
}

// With what a scene can have: contact with itself and the ground, and two steps.
static bool StepOnce( void* context )
{
	const Attempt* attempt = context;
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	supScene* scene = supCreateScene( &def, &error );
	supActor* actor = scene != NULL ? supScene_AddActor( scene, attempt->flesh, &error ) : NULL;
	for ( int32_t i = 0; actor != NULL && i < 2; ++i )
	{
		supScene_Step( scene, 1.0f / 60.0f );
	}
	bool done = Reported( actor != NULL, &error );
	supDestroyScene( scene );
	return done;
}

static void EachAllocationMayFail( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube" )->create( &error );
	testRequire( character != NULL, &error );
	for ( size_t i = 0; i < sizeof( s_methods ) / sizeof( s_methods[0] ); ++i )
	{
		Attempt attempt = { .character = character, .method = s_methods[i] };
		attempt.flesh = Build( &attempt, &error );
		testRequire( attempt.flesh != NULL, &error );
		uint8_t* block = supWriteFlesh( attempt.flesh, &attempt.size, &error );
		testRequire( block != NULL, &error );
		attempt.block = block;
		printf( "%s\n", supMethodName( s_methods[i] ) );
		testEachAllocationFailure( BuildOnce, &attempt, testRounds( 20, 5 ) );
		testEachLoneAllocationFailure( BuildOnce, &attempt, testRounds( 20, 5 ) );
		testEachAllocationFailure( WriteOnce, &attempt, testRounds( 50, 10 ) );
		testEachLoneAllocationFailure( WriteOnce, &attempt, testRounds( 50, 10 ) );
		testEachAllocationFailure( ReadOnce, &attempt, testRounds( 50, 10 ) );
		testEachLoneAllocationFailure( ReadOnce, &attempt, testRounds( 50, 10 ) );
		testEachAllocationFailure( StepOnce, &attempt, testRounds( 50, 10 ) );
		testEachLoneAllocationFailure( StepOnce, &attempt, testRounds( 50, 10 ) );
		supFree( block );
		supDestroyFlesh( attempt.flesh );
	}
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( EachAllocationMayFail ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
