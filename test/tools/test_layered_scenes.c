// SPDX-License-Identifier: MIT
// Scene files of the method `layered` show what they say.
// labels: release
#include "support.h"

#include "method/layered/layered.h"
#include "scene/actor.h"
#include "scene/audit.h"
#include "scene/contact.h"
#include "show.h"

#include <math.h>

static Show s_show;
// of actors as they are drawn, by winding numbers; in thicknesses of the skin
static supAudit* s_audit;
static float s_drawnInside;

static void OpenFile( const char* path )
{
	static const Command command = { .name = "test" };
	assert_int_equal( OpenShow( &command, path, NULL, 0, false, NULL, &s_show ), exit_ok );
	assert_int_equal( BeginShow( &s_show ), exit_ok );
	s_drawnInside = 0.0f;
}

static void Open( const char* name )
{
	char path[512];
	snprintf( path, sizeof( path ), "%s/%s.json", SCENES, name );
	OpenFile( path );
}

static void StartAudit( void )
{
	supError error = { 0 };
	supActor* actors[] = { s_show.actors[0].actor, s_show.actors[1].actor };
	s_audit = supCreateAudit( actors, 2, &error );
	testRequire( s_audit != NULL, &error );
}

static void PlayTo( float time )
{
	float dt = 1.0f / s_show.file.framesPerSecond;
	while ( s_show.time < time - 0.5f * dt )
	{
		AdvanceShow( &s_show, dt );
		float inside = s_audit != NULL ? supAudit_Measure( s_audit, NULL ).deepest : 0.0f;
		s_drawnInside = supMaxFloat( s_drawnInside, inside );
	}
}

static supLayeredView ViewOf( int32_t actor )
{
	const supActor* own = s_show.actors[actor].actor;
	return supLayered_View( own->flesh->own, own->state );
}

// How far skin is pressed in at a node, m.
static double DentAt( int32_t actor, int32_t node )
{
	const supLayeredFlesh* flesh = s_show.actors[actor].actor->flesh->own;
	supVec3d inwards = supLayered_InwardWay( flesh, node ), q = supLoadVec3d( ViewOf( actor ).q + 3 * (int64_t)node );
	double length = supLengthVec3d( inwards );
	return length > 0.0 ? supDotVec3d( q, inwards ) / length : 0.0;
}

// The node that is pressed in most.
static int32_t FindDent( int32_t actor )
{
	const supLayeredFlesh* flesh = s_show.actors[actor].actor->flesh->own;
	int32_t deepest = 0;
	for ( int32_t a = 1; a < flesh->skin.nodeCount; ++a )
	{
		deepest = DentAt( actor, a ) > DentAt( actor, deepest ) ? a : deepest;
	}
	return deepest;
}

// How far a link is from its clip, m.
static double OffAt( int32_t actor, int32_t link )
{
	supLayeredView view = ViewOf( actor );
	return supLengthVec3d( supSubVec3d( view.links[link].center, view.targets[link].center ) );
}

// The link that moves a node most.
static int32_t LinkBeneath( int32_t actor, int32_t node )
{
	const supLayeredFlesh* flesh = s_show.actors[actor].actor->flesh->own;
	int64_t first = (int64_t)SUP_MAX_INFLUENCES * node, best = first;
	for ( int64_t k = first; k < first + SUP_MAX_INFLUENCES; ++k )
	{
		best = flesh->pointWeights[k] > flesh->pointWeights[best] ? k : best;
	}
	return flesh->pointLinks[best];
}

// The link that is farthest from its clip.
static int32_t FindOff( int32_t actor )
{
	const supLayeredFlesh* flesh = s_show.actors[actor].actor->flesh->own;
	int32_t farthest = 0;
	for ( int32_t i = 1; i < flesh->links.count; ++i )
	{
		farthest = OffAt( actor, i ) > OffAt( actor, farthest ) ? i : farthest;
	}
	return farthest;
}

// Nothing was deeper in anything than skin counts as thick.
static void Close( void )
{
	float thickness = 0.0f;
	for ( int32_t i = 0; i < s_show.actorCount; ++i )
	{
		thickness = supMaxFloat( thickness, s_show.actors[i].actor->contact->thickness );
	}
	print_message( "deepest %g mm, of %g mm that may be\n", 1e3 * (double)s_show.deepest, 1e3 * (double)thickness );
	testLessEqual( s_show.deepest, thickness );
	if ( s_audit != NULL )
	{
		print_message( "as drawn: %g thicknesses\n", (double)s_drawnInside );
		testLessEqual( s_drawnInside, 1.0f );
	}
	supDestroyAudit( s_audit );
	s_audit = NULL;
	assert_int_equal( supScene_GetStats( s_show.scene ).trouble.notFinite, 0 );
	CloseShow( &s_show );
}

// It stands still until the bird is there; its back dents under the feet and its spine gives; then it is as it was.
static void BirdOnDeer( void** state )
{
	(void)state;
	Open( "bird_on_deer" );
	StartAudit();
	PlayTo( 0.8f );
	double before = OffAt( 0, FindOff( 0 ) );
	PlayTo( 1.7f );
	int32_t node = FindDent( 0 ), link = LinkBeneath( 0, node );
	double dent = DentAt( 0, node ), give = OffAt( 0, link );
	PlayTo( 4.8f );
	double left = DentAt( 0, node ), away = OffAt( 0, link );
	print_message(
		"links are off by %.2f mm before, that of the back by %.1f mm with the bird and %.2f mm after; a dent of %.1f mm, then %.2f mm\n",
		1e3 * before, 1e3 * give, 1e3 * away, 1e3 * dent, 1e3 * left );
	testLess( before, 0.002 );
	testGreaterEqual( dent, 0.01 );
	testGreater( give, 0.005 );
	testLess( left, 0.1 * dent );
	testLess( away, 0.1 * give );
	Close();
}

// The snake is dented where the fish strikes, bends, and lies as before in the end.
static void FishOnSnake( void** state )
{
	(void)state;
	Open( "fish_on_snake" );
	StartAudit();
	PlayTo( 0.5f );
	double before = OffAt( 0, FindOff( 0 ) ), dent = 0.0, bent = 0.0;
	for ( float time = 0.6f; time < 1.6f; time += 0.05f )
	{
		PlayTo( time );
		dent = fmax( dent, DentAt( 0, FindDent( 0 ) ) );
		bent = fmax( bent, OffAt( 0, FindOff( 0 ) ) );
	}
	PlayTo( 5.0f );
	double after = OffAt( 0, FindOff( 0 ) ), left = DentAt( 0, FindDent( 0 ) );
	print_message(
		"links are off by %.2f mm before, %.1f mm in the strike, %.1f mm after; dents of %.1f mm and %.2f mm\n",
		1e3 * before, 1e3 * bent, 1e3 * after, 1e3 * dent, 1e3 * left );
	testLess( before, 0.001 );
	testGreater( bent, 0.05 );
	testGreater( dent, 0.005 );
	testLess( after, 0.1 * bent );
	testLess( left, 0.001 );
	Close();
}

// The same strike with contacts found by depth maps.
static void FishByImages( void** state )
{
	(void)state;
	char folder[256], path[512], text[4096];
	testMakeFolder( folder );
	snprintf( path, sizeof( path ), "%s/fish_on_snake.json", SCENES );
	FILE* file = fopen( path, "rb" );
	assert_non_null( file );
	size_t length = fread( text, 1, sizeof( text ) - 1, file );
	fclose( file );
	text[length] = 0;
	char* brace = strchr( text, '{' );
	assert_non_null( brace );
	snprintf( path, sizeof( path ), "%s/images.json", folder );
	file = fopen( path, "wb" );
	assert_non_null( file );
	fprintf( file, "{ \"detection\": \"images\",%s", brace + 1 );
	fclose( file );
	OpenFile( path );
	assert_int_equal( s_show.file.detection, sup_detectImages );
	PlayTo( 1.2f );
	print_message( "%d contacts at most\n", s_show.mostContacts );
	testGreater( s_show.mostContacts, 0 );
	Close();
	testRemoveFolder( folder );
}

// Degrees that a link is turned away from its clip about the vertical.
static double TurnedBy( int32_t actor, int32_t link )
{
	supLayeredView view = ViewOf( actor );
	supQuatd turn = supMulQuatd( view.links[link].rotation, supConjugateQuatd( view.targets[link].rotation ) );
	return fabs( supFindTurn( turn, ( supVec3d ){ 0.0, 1.0, 0.0 } ) ) * 180.0 / (double)SUP_PI;
}

// One shoulder meets a post: the bunny is turned by it, gets through, and walks on as before.
static void Doorway( void** state )
{
	(void)state;
	Open( "doorway" );
	PlayTo( 0.5f );
	double before = TurnedBy( 0, 0 ), turned = 0.0;
	for ( float time = 0.5f; time < 3.0f; time += 0.05f )
	{
		PlayTo( time );
		turned = fmax( turned, TurnedBy( 0, 0 ) );
	}
	PlayTo( 4.0f );
	double after = TurnedBy( 0, 0 ), off = OffAt( 0, 0 );
	print_message( "turned by %.1f degrees before, %.1f in the door, %.1f after; %.1f mm off its way in the end\n",
				   before, turned, after, 1e3 * off );
	testLess( before, 3.0 );
	testGreater( turned, 10.0 );
	testLess( after, 3.0 );
	testLess( off, 0.03 );
	// elsewhere in the door a fold of skin that is stretched around the post's edge is up to three thicknesses inside
	Close();
}

// Firm until it is hit, loose then, and back in step within the seconds that the file gives it.
static void Shove( void** state )
{
	(void)state;
	Open( "shove" );
	PlayTo( 0.7f );
	double before = OffAt( 0, FindOff( 0 ) ), pushed = 0.0;
	for ( float time = 0.75f; time < 1.3f; time += 0.05f )
	{
		PlayTo( time );
		pushed = fmax( pushed, OffAt( 0, FindOff( 0 ) ) );
	}
	PlayTo( 3.0f );
	double after = OffAt( 0, FindOff( 0 ) );
	print_message( "links are off by %.1f mm before, %.1f mm when hit, %.1f mm after\n", 1e3 * before, 1e3 * pushed,
				   1e3 * after );
	testLess( before, 0.01 );
	testGreater( pushed, 0.05 );
	testLess( after, 0.01 );
	Close();
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( BirdOnDeer ), cmocka_unit_test( FishOnSnake ), cmocka_unit_test( FishByImages ),
		cmocka_unit_test( Doorway ),    cmocka_unit_test( Shove ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
