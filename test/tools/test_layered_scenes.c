// SPDX-License-Identifier: MIT
// Scene files of the method `layered` show what they say.
// labels: release
#include "support.h"

#include "method/layered/layered.h"
#include "scene/actor.h"
#include "scene/contact.h"
#include "show.h"

#include <math.h>

static Show s_show;

static void Open( const char* name )
{
	static const Command command = { .name = "test" };
	char path[512];
	snprintf( path, sizeof( path ), "%s/%s.json", SCENES, name );
	assert_int_equal( OpenShow( &command, path, NULL, 0, false, NULL, &s_show ), exit_ok );
	assert_int_equal( BeginShow( &s_show ), exit_ok );
}

static void PlayTo( float time )
{
	float dt = 1.0f / s_show.file.framesPerSecond;
	while ( s_show.time < time - 0.5f * dt )
	{
		AdvanceShow( &s_show, dt );
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
	print_message( "deepest %g mm, thickness %g mm\n", 1e3 * (double)s_show.deepest, 1e3 * (double)thickness );
	assert_true( s_show.deepest <= thickness );
	assert_int_equal( supScene_GetStats( s_show.scene ).trouble.notFinite, 0 );
	CloseShow( &s_show );
}

// It stands still until the bird is there; its back dents under the feet and its spine gives; then it is as it was.
static void BirdOnDeer( void** state )
{
	(void)state;
	Open( "bird_on_deer" );
	PlayTo( 0.8f );
	double before = OffAt( 0, FindOff( 0 ) );
	PlayTo( 1.7f );
	int32_t node = FindDent( 0 ), link = LinkBeneath( 0, node );
	double dent = DentAt( 0, node ), give = OffAt( 0, link );
	PlayTo( 4.8f );
	double left = DentAt( 0, node ), away = OffAt( 0, link );
	print_message( "links are off by %.2f mm before, that of the back by %.1f mm with the bird and %.2f mm after; a dent of %.1f mm, then %.2f mm\n",
				   1e3 * before, 1e3 * give, 1e3 * away, 1e3 * dent, 1e3 * left );
	assert_true( before < 0.002 && dent >= 0.01 && give > 0.005 );
	assert_true( left < 0.1 * dent && away < 0.1 * give );
	Close();
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( BirdOnDeer ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
