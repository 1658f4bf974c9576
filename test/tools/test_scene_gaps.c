// SPDX-License-Identifier: MIT
// Scenes of the paper on local constraints, as files: what is attached stays so, as drawn, after every frame.
#include "support.h"

#include "show.h"

#include <stdlib.h>
#include <string.h>

// Metres. A hundredth of a millimetre is what nobody sees.
#define DRAWN_ERROR 1e-5f

static void OpenScene( Show* show, const char* name )
{
	static const Command command = { .name = "test_scene_gaps" };
	char path[512];
	const char* source = getenv( "SUPPLE_SOURCE" );
	snprintf( path, sizeof( path ), "%s/scenes/%s.json", source != NULL ? source : ".", name );
	*show = ( Show ){ 0 };
	assert_int_equal( OpenShow( &command, path, NULL, 0, false, NULL, show ), exit_ok );
	assert_int_equal( BeginShow( show ), exit_ok );
}

static float LargestGap( const Show* show )
{
	float largest = 0.0f;
	for ( int32_t i = 0; i < show->attachmentCount; ++i )
	{
		float gap = supAttachment_Gap( show->attachments[i].attachment );
		largest = gap > largest ? gap : largest;
	}
	return largest;
}

static supVec3 MiddleOf( const Show* show, const char* name )
{
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		if ( strcmp( show->actors[i].def->name, name ) == 0 )
		{
			const supActor* actor = show->actors[i].actor;
			const supCharacter* character = show->bodies[show->actors[i].body].source.character;
			int32_t count = supCharacter_Mesh( character, 0 )->vertexCount;
			supVec3 sum = supVec3_zero;
			for ( int32_t k = 0; k < count; ++k )
			{
				sum = supMulAdd( sum, 1.0f / (float)count, supActor_Positions( actor, 0 )[k] );
			}
			return sum;
		}
	}
	fail();
	return supVec3_zero;
}

static void Play( Show* show, float seconds )
{
	float dt = 1.0f / show->file.framesPerSecond, largest = 0.0f;
	for ( float time = 0.0f; time < seconds; time += dt )
	{
		AdvanceShow( show, dt );
		float gap = LargestGap( show );
		largest = gap > largest ? gap : largest;
	}
	print_message( "%s: gaps of %.2f um at most\n", show->file.name, 1e6 * (double)largest );
	testLess( largest, DRAWN_ERROR );
}

// Hands slide on ropes with edges and kinks, and the head stays on the body.
static void TestRobot( void** state )
{
	(void)state;
	Show show;
	OpenScene( &show, "robot_on_ropes" );
	Play( &show, (float)testRounds( 4, 1 ) );
	float apart = supDistance( MiddleOf( &show, "head" ), MiddleOf( &show, "body" ) );
	print_message( "head and body are %.3f m apart\n", (double)apart );
	testGreater( apart, 0.25f );
	testLess( apart, 0.4f );
	CloseShow( &show );
}

static void TestWall( void** state )
{
	(void)state;
	Show show;
	OpenScene( &show, "cube_wall" );
	Play( &show, 0.4f );
	CloseShow( &show );
}

static void TestNet( void** state )
{
	(void)state;
	Show show;
	OpenScene( &show, "net_to_bridge" );
	Play( &show, 0.4f );
	CloseShow( &show );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestRobot ),
		cmocka_unit_test( TestWall ),
		cmocka_unit_test( TestNet ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
