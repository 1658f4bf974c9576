// SPDX-License-Identifier: MIT
// Loops: a whole number of frames, no pose twice, and flesh that goes on from the last frame to the first.
#include "bake_fixture.h"

#include "models/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A clip at another speed, that begins later and may walk away. Times and values are its own.
typedef struct Retimed
{
	supClip clip;
	supChannel channels[64];
	float* numbers[128];
	int32_t numberCount;
} Retimed;

static float* CopyFloats( Retimed* r, const float* values, size_t count )
{
	float* copy = malloc( count * sizeof( float ) );
	memcpy( copy, values, count * sizeof( float ) );
	r->numbers[r->numberCount++] = copy;
	return copy;
}

static Retimed* Retime( const supClip* clip, float seconds, float start )
{
	Retimed* r = calloc( 1, sizeof( Retimed ) );
	testLess( clip->channelCount, 63 );
	r->clip = *clip;
	r->clip.start = start;
	r->clip.end = start + seconds;
	r->clip.channels = r->channels;
	for ( int32_t i = 0; i < clip->channelCount; ++i )
	{
		supChannel* c = r->channels + i;
		*c = clip->channels[i];
		float* times = CopyFloats( r, c->times, (size_t)c->keyCount );
		for ( int32_t k = 0; k < c->keyCount; ++k )
		{
			times[k] = start + seconds * ( times[k] - clip->start ) / ( clip->end - clip->start );
		}
		c->times = times;
	}
	return r;
}

static void FreeRetimed( Retimed* r )
{
	for ( int32_t i = 0; i < r->numberCount; ++i )
	{
		free( r->numbers[i] );
	}
	free( r );
}

static void UseTube( Fixture* f, supMethodId method )
{
	supError error = { 0 };
	if ( f->character == NULL )
	{
		f->character = supFindModel( "tube5" )->create( &error );
		testRequire( f->character != NULL, &error );
	}
	supDestroyFlesh( f->flesh );
	supFleshDef def = supDefaultFleshDef();
	// coarse, and damped so that cycles soon are alike
	supSetting settings[] = { { "tets", 400.0f }, { "damping", 0.4f } };
	def.method = method;
	def.settings = method == sup_methodPosition ? settings : NULL;
	def.settingCount = method == sup_methodPosition ? 2 : 0;
	f->flesh = supBuildFlesh( f->character, &def, NULL, &error );
	testRequire( f->flesh != NULL, &error );
}

static supBake* BakeLoop( Fixture* f, const supFlesh* flesh, const supClip* clip, float fps, const char* name )
{
	char path[512];
	snprintf( path, sizeof( path ), "%s/%s.part", f->folder, name );
	supBakeDef def = supDefaultBakeDef();
	def.clip = clip;
	def.framesPerSecond = fps;
	def.loop = true;
	supError error = { 0 };
	supBake* bake = supBakeFrames( flesh, &def, path, &error );
	testRequire( bake != NULL, &error );
	return bake;
}

// What flesh adds to skinning, all frames, as writers see them.
static supVec3* ReadAdded( Fixture* f, supBake* bake, const supClip* clip )
{
	supFrames frames = supBake_Frames( bake );
	int32_t count = supCharacter_Mesh( f->character, 0 )->vertexCount;
	supVec3* all = malloc( (size_t)frames.frameCount * (size_t)count * sizeof( supVec3 ) );
	supVec3* skin = malloc( (size_t)count * sizeof( supVec3 ) );
	supPose* pose = supCreatePose( f->character );
	for ( int32_t k = 0; k < frames.frameCount; ++k )
	{
		supVec3* own = all + (size_t)k * (size_t)count;
		supError error = { 0 };
		testRequire( frames.read( k, 0, own, NULL, frames.context, &error ), &error );
		supPose_SetRest( pose );
		supPose_ApplyClip( pose, clip, frames.start + (float)k / frames.framesPerSecond );
		supSkinInstance( pose, 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = skin } );
		for ( int32_t i = 0; i < count; ++i )
		{
			own[i] = supSub( own[i], skin[i] );
		}
	}
	supDestroyPose( pose );
	free( skin );
	return all;
}

// Largest change from one frame to the next, and change of that, at the seam and elsewhere.
typedef struct Seam
{
	float step[2];
	float bend[2];
} Seam;

static Seam FindSeam( const supVec3* all, int32_t frameCount, int32_t vertexCount )
{
	Seam seam = { 0 };
	for ( int32_t k = 0; k < frameCount; ++k )
	{
		const supVec3* a = all + (size_t)( ( k + frameCount - 1 ) % frameCount ) * (size_t)vertexCount;
		const supVec3* b = all + (size_t)k * (size_t)vertexCount;
		const supVec3* c = all + (size_t)( ( k + 1 ) % frameCount ) * (size_t)vertexCount;
		// frames 0 and the last one have a neighbour across the seam
		int elsewhere = k > 0, inside = k > 0 && k < frameCount - 1;
		for ( int32_t i = 0; i < vertexCount; ++i )
		{
			supVec3 bend = supAdd( supSub( a[i], b[i] ), supSub( c[i], b[i] ) );
			seam.step[elsewhere] = supMaxFloat( seam.step[elsewhere], supDistance( a[i], b[i] ) );
			seam.bend[inside] = supMaxFloat( seam.bend[inside], supLength( bend ) );
		}
	}
	return seam;
}

// A viewer cannot tell where the loop begins: flesh goes no farther there in a frame, and changes its speed no more,
// than elsewhere in the cycle, but for a peak of the motion that lies just there.
static void CheckSeam( Fixture* f, supBake* bake, const supClip* clip )
{
	const supBakeReport* report = supBake_Report( bake );
	assert_true( report->isLoop );
	testGreater( report->size, 0.0f );
	testLess( report->loopGap, 2e-4f * report->size );
	testLess( report->loopSpeedGap / report->framesPerSecond, 2e-4f * report->size );
	supVec3* all = ReadAdded( f, bake, clip );
	Seam seam = FindSeam( all, report->frameCount, supCharacter_Mesh( f->character, 0 )->vertexCount );
	free( all );
	float slack = 2e-4f * report->size;
	testGreater( seam.step[1], 0.0f );
	testLessEqual( seam.step[0], 1.25f * seam.step[1] + slack );
	testLessEqual( seam.bend[0], 1.25f * seam.bend[1] + slack );
}

static void TestTenClipsFourRates( void** state )
{
	Fixture* f = *state;
	UseTube( f, sup_methodPosition );
	float rates[4] = { 24.0f, 25.0f, 30.0f, 60.0f };
	for ( int32_t c = 0; c < 10; ++c )
	{
		// 0.27 s to 0.64 s: no whole number of frames at any of the rates
		const supClip* own = supCharacter_Clip( f->character, c % 2 );
		Retimed* r = Retime( own, 0.27f + 0.0413f * (float)c, c % 3 == 0 ? 0.0417f : 0.0f );
		for ( int k = 0; k < 4; ++k )
		{
			supBake* bake = BakeLoop( f, f->flesh, &r->clip, rates[k], "loop" );
			const supBakeReport* report = supBake_Report( bake );
			float seconds = r->clip.end - r->clip.start;
			// the clip keeps its length, the nearest rate is taken
			assert_float_equal( (float)report->frameCount / report->framesPerSecond, seconds, 1e-5f );
			testLessEqual( fabsf( (float)report->frameCount - seconds * rates[k] ), 0.5001f );
			CheckSeam( f, bake, &r->clip );
			supDestroyBake( bake, false );
		}
		FreeRetimed( r );
	}
}

static void TestAllMethods( void** state )
{
	Fixture* f = *state;
	supMethodId methods[5] = { sup_methodLattice, sup_methodPoints, sup_methodLayered, sup_methodFem, sup_methodModes };
	for ( int m = 0; m < 5; ++m )
	{
		UseTube( f, methods[m] );
		Retimed* r = Retime( supCharacter_Clip( f->character, 0 ), 0.51f, 0.0f );
		supBake* bake = BakeLoop( f, f->flesh, &r->clip, 25.0f, "loop" );
		CheckSeam( f, bake, &r->clip );
		supDestroyBake( bake, false );
		FreeRetimed( r );
	}
}

// Keys of the root that carry it a metre to the side and turn it by a quarter in each cycle.
static void WalkAway( Retimed* r, const supCharacter* character )
{
	static float times[2], path[6] = { 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.5f };
	static float turn[8] = { 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.70710678f, 0.0f, 0.70710678f };
	times[0] = r->clip.start;
	times[1] = r->clip.end;
	int32_t root = supCharacter_Skin( character, 0 )->joints[0];
	while ( supCharacter_Node( character, root )->parent >= 0 )
	{
		root = supCharacter_Node( character, root )->parent;
	}
	supTransform rest = supCharacter_Node( character, root )->rest;
	for ( int32_t k = 0; k < 2; ++k )
	{
		memcpy( path + 3 * k,
				&( supVec3 ){ rest.translation.x + (float)k, rest.translation.y, rest.translation.z + 0.5f * (float)k },
				sizeof( supVec3 ) );
	}
	supChannel channel = { .node = root, .interpolation = sup_interpolationLinear, .keyCount = 2, .times = times };
	int32_t count = 0;
	for ( int32_t i = 0; i < r->clip.channelCount; ++i )
	{
		if ( r->channels[i].node != root )
		{
			r->channels[count++] = r->channels[i];
		}
	}
	channel.path = sup_channelTranslation;
	channel.width = 3;
	channel.values = path;
	r->channels[count++] = channel;
	channel.path = sup_channelRotation;
	channel.width = 4;
	channel.values = turn;
	r->channels[count++] = channel;
	r->clip.channelCount = count;
}

// Flesh of a clip that walks in a circle: it neither flies back nor starts from rest.
static void TestWalksAway( void** state )
{
	Fixture* f = *state;
	UseTube( f, sup_methodPosition );
	Retimed* r = Retime( supCharacter_Clip( f->character, 0 ), 0.83f, 0.0f );
	WalkAway( r, f->character );
	supBake* bake = BakeLoop( f, f->flesh, &r->clip, 30.0f, "away" );
	const supBakeReport* report = supBake_Report( bake );
	assert_true( report->isLoop );
	testGreater( report->warmupCycles, 1 );
	testLess( report->loopGap, 2e-4f * report->size );
	testLess( report->loopSpeedGap / report->framesPerSecond, 2e-4f * report->size );
	// the closing frame is the first one, a metre on and turned
	supFrames frames = supBake_ClosedFrames( bake );
	assert_int_equal( frames.frameCount, report->frameCount + 1 );
	supVec3 first[4096], last[4096];
	testLessEqual( supCharacter_Mesh( f->character, 0 )->vertexCount, 4096 );
	supError error = { 0 };
	testRequire( frames.read( 0, 0, first, NULL, frames.context, &error ), &error );
	testRequire( frames.read( report->frameCount, 0, last, NULL, frames.context, &error ), &error );
	supQuat quarter = { 0.0f, 0.70710678f, 0.0f, 0.70710678f };
	supVec3 from = supSub( first[1], first[0] ), to = supSub( last[1], last[0] );
	testLess( supDistance( supRotate( quarter, from ), to ), 1e-4f );
	supDestroyBake( bake, false );
	FreeRetimed( r );
}

// A pose that leads nowhere near the first one: no loop, and the report says so.
static void TestNoCycle( void** state )
{
	Fixture* f = *state;
	UseTube( f, sup_methodPosition );
	char path[512];
	snprintf( path, sizeof( path ), "%s/half.part", f->folder );
	supBakeDef def = supDefaultBakeDef();
	def.clip = supCharacter_Clip( f->character, 0 );
	def.to = 0.4f * def.clip->end;
	def.loop = true;
	supError error = { 0 };
	supBake* bake = supBakeFrames( f->flesh, &def, path, &error );
	testRequire( bake != NULL, &error );
	const supBakeReport* report = supBake_Report( bake );
	assert_false( report->isLoop );
	testGreater( report->clipGap, 0.05f * report->size );
	assert_int_equal( report->warmupCycles, 0 );
	assert_float_equal( report->framesPerSecond, 30.0f, 0.0f );
	supDestroyBake( bake, false );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown( TestTenClipsFourRates, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestAllMethods, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestWalksAway, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestNoCycle, SetUp, TearDown ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
