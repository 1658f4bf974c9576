// SPDX-License-Identifier: MIT
// The BVH reader against mathematics, against Blender, and against files that mean no good.
#include "support.h"

#include "io/motion/bvh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static supCharacter* Parse( const char* text, supError* error )
{
	return supParseBvh( text, strlen( text ), "folder/motion.one.bvh", error );
}

static supCharacter* ParseAsset( const char* path )
{
	size_t size;
	unsigned char* bytes = testReadFile( testAsset( path ), &size );
	supError error;
	supCharacter* character = supParseBvh( (const char*)bytes, size, path, &error );
	free( bytes );
	testRequire( character != NULL, &error );
	return character;
}

static const supChannel* FindChannel( const supCharacter* character, const char* name, supChannelPath path )
{
	const supClip* clip = supCharacter_Clip( character, 0 );
	int32_t node = supCharacter_FindNode( character, name );
	for ( int32_t i = 0; i < clip->channelCount; ++i )
	{
		if ( clip->channels[i].node == node && clip->channels[i].path == path )
		{
			return &clip->channels[i];
		}
	}
	return NULL;
}

static bool HasNote( const supCharacter* character, const char* text, bool repaired )
{
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		const supNote* note = supCharacter_Note( character, i );
		if ( note->repaired == repaired && strstr( note->text, text ) != NULL )
		{
			return true;
		}
	}
	return false;
}

static const char s_small[] = "HIERARCHY\n"
							  "ROOT Hips\n"
							  "{\n"
							  "\tOFFSET 0 90 0\n"
							  "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
							  "\tJOINT Knee\n"
							  "\t{\n"
							  "\t\tOFFSET 1 -40 2.5\n"
							  "\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n"
							  "\t\tEnd Site\n"
							  "\t\t{\n"
							  "\t\t\tOFFSET 0 -40 0\n"
							  "\t\t}\n"
							  "\t}\n"
							  "}\n"
							  "MOTION\n"
							  "Frames: 3\n"
							  "Frame Time: 0.04\n"
							  "1 91 2 10 20 30 1 2 3\n"
							  "2 92 3 11 21 31 2 3 4\n"
							  "3 93 4 12 22 32 3 4 5\n";

static void TestSmall( void** state )
{
	(void)state;
	supError error;
	supCharacter* character = Parse( s_small, &error );
	testRequire( character != NULL, &error );
	assert_string_equal( supCharacter_Name( character ), "motion.one" );
	assert_int_equal( supCharacter_NodeCount( character ), 3 );
	assert_string_equal( supCharacter_Node( character, 2 )->name, "Knee_end" );
	assert_int_equal( supCharacter_Node( character, 2 )->parent, 1 );
	supVec3 offset = supCharacter_Node( character, 1 )->rest.translation;
	assert_true( offset.x == 1.0f && offset.y == -40.0f && offset.z == 2.5f );
	const supClip* clip = supCharacter_Clip( character, 0 );
	assert_string_equal( clip->name, "motion.one" );
	assert_int_equal( clip->channelCount, 3 );
	assert_true( clip->start == 0.0f && clip->end == 0.08f );
	const supChannel* move = FindChannel( character, "Hips", sup_channelTranslation );
	assert_int_equal( move->keyCount, 3 );
	assert_true( move->values[3] == 2.0f && move->values[4] == 92.0f && move->values[5] == 3.0f );
	assert_null( FindChannel( character, "Knee", sup_channelTranslation ) );
	supDestroyCharacter( character );
}

// Columns of the rotation about one axis, by the textbook.
static void Turn( double m[3][3], int axis, double degrees )
{
	double c = cos( degrees * 3.14159265358979323846 / 180.0 );
	double s = sin( degrees * 3.14159265358979323846 / 180.0 );
	int a = ( axis + 1 ) % 3;
	int b = ( axis + 2 ) % 3;
	double r[3][3] = { { 0 } };
	r[axis][axis] = 1.0;
	r[a][a] = c;
	r[b][b] = c;
	r[b][a] = s;
	r[a][b] = -s;
	double p[3][3];
	for ( int i = 0; i < 3; ++i )
	{
		for ( int k = 0; k < 3; ++k )
		{
			p[i][k] = m[i][0] * r[0][k] + m[i][1] * r[1][k] + m[i][2] * r[2][k];
		}
	}
	memcpy( m, p, sizeof( p ) );
}

static void TestRotationOrders( void** state )
{
	(void)state;
	static const int orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },  { 1, 2, 0 },
									 { 2, 0, 1 }, { 2, 1, 0 }, { 0, 1, -1 }, { 2, -1, -1 } };
	testRandom random = testMakeRandom( 7 );
	for ( size_t o = 0; o < sizeof( orders ) / sizeof( orders[0] ); ++o )
	{
		double angles[3];
		char names[64] = "";
		char values[96] = "";
		int count = 0;
		double m[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
		for ( int i = 0; i < 3 && orders[o][i] >= 0; ++i, ++count )
		{
			// several turns too
			angles[i] = round( (double)testRandomFloat( &random, -1200.0f, 1200.0f ) * 100.0 ) / 100.0;
			sprintf( names + strlen( names ), " %crotation", "XYZ"[orders[o][i]] );
			sprintf( values + strlen( values ), " %.2f", angles[i] );
			Turn( m, orders[o][i], angles[i] );
		}
		char text[512];
		snprintf( text, sizeof( text ),
				  "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS %d%s }\nMOTION Frames: 1 Frame Time: 0.1\n%s\n", count,
				  names, values );
		supError error;
		supCharacter* character = Parse( text, &error );
		testRequire( character != NULL, &error );
		const float* q = FindChannel( character, "a", sup_channelRotation )->values;
		supMat3 r = supMakeMat3Quat( ( supQuat ){ q[0], q[1], q[2], q[3] } );
		const supVec3 columns[3] = { r.cx, r.cy, r.cz };
		for ( int k = 0; k < 3; ++k )
		{
			assert_float_equal( columns[k].x, m[0][k], 1e-6 );
			assert_float_equal( columns[k].y, m[1][k], 1e-6 );
			assert_float_equal( columns[k].z, m[2][k], 1e-6 );
		}
		supDestroyCharacter( character );
	}
}

static void TestPositionsReplaceOffsets( void** state )
{
	(void)state;
	supError error;
	supCharacter* character =
		Parse( "HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS 1 Yposition\nJOINT b\n{\nOFFSET 4 5 6\n"
			   "CHANNELS 3 Zposition Xposition Yposition\n}\n}\nMOTION\nFrames: 1\nFrame Time: 1\n"
			   "20 60 40 50\n",
			   &error );
	testRequire( character != NULL, &error );
	const float* a = FindChannel( character, "a", sup_channelTranslation )->values;
	const float* b = FindChannel( character, "b", sup_channelTranslation )->values;
	assert_true( a[0] == 1.0f && a[1] == 20.0f && a[2] == 3.0f );
	assert_true( b[0] == 40.0f && b[1] == 50.0f && b[2] == 60.0f );
	assert_null( FindChannel( character, "a", sup_channelRotation ) );
	supDestroyCharacter( character );
}

static void TestHabits( void** state )
{
	(void)state;
	supError error;
	supCharacter* character =
		Parse( "\xef\xbb\xbfhierarchy\r\n\r\nRoot  mixamorig:Hips of  Bob \t\r\n{\r\n offset\t0 0 +1.5e0\r\nchannels 3 "
			   "xROTATION Yrotation\r\n zrotation\r\n"
			   "joint J\xe9 {\r\nOFFSET .5 -.5 5.\r\nCHANNELS 0\r\nEND SITE\r\n{\r\nOFFSET 0 0 0\r\n}\r\n}\r\n}\r\n"
			   "Root second\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n"
			   "motion\r\n  FRAMES :   2\r\nFrame    Time : 5E-1\r\n0 0 0\r\n\r\n0\r\n90 0",
			   &error );
	testRequire( character != NULL, &error );
	assert_string_equal( supCharacter_Node( character, 0 )->name, "mixamorig:Hips of  Bob" );
	assert_true( supCharacter_Node( character, 0 )->rest.translation.z == 1.5f );
	assert_string_equal( supCharacter_Node( character, 1 )->name, "J?" );
	supVec3 offset = supCharacter_Node( character, 1 )->rest.translation;
	assert_true( offset.x == 0.5f && offset.y == -0.5f && offset.z == 5.0f );
	assert_int_equal( supCharacter_Node( character, 3 )->parent, -1 );
	const supChannel* channel = FindChannel( character, "mixamorig:Hips of  Bob", sup_channelRotation );
	assert_int_equal( channel->keyCount, 2 );
	assert_true( channel->times[1] == 0.5f );
	assert_float_equal( channel->values[5], sqrt( 0.5 ), 1e-6 );
	supDestroyCharacter( character );
}

// Decimal numbers of every shape are what strtof says they are. The one exception is a number whose nearest double lies
// exactly between two floats.
static void TestNumbers( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 11 );
	static const char* const formats[] = { "%.0f", "%.3f", "%.9f", "%.4e", "%.17g", "%+.6E", "%g" };
	static const char* const special[] = { "0",
										   "-0",
										   "1e-50",
										   "-3.4028234e38",
										   "123456789012345678901234567890",
										   "0.000000000000000000000000000000000001234567",
										   "1.17549435e-38",
										   "16777217",
										   "0.1",
										   "8.5899345920000000000000000000000000000000000000001e9" };
	for ( int i = 0; i < 4000; ++i )
	{
		char number[128];
		int count = (int)( sizeof( special ) / sizeof( special[0] ) );
		if ( i < count )
		{
			snprintf( number, sizeof( number ), "%s", special[i] );
		}
		else
		{
			double value = (double)testRandomFloat( &random, -1.0f, 1.0f );
			value *= pow( 10.0, (double)testRandomInt( &random, 21 ) - 10.0 );
			snprintf( number, sizeof( number ), formats[i % 7], value );
		}
		char text[512];
		snprintf( text, sizeof( text ), "HIERARCHY ROOT a\n{ OFFSET %s 0 0 CHANNELS 0 } MOTION Frames: 0 Frame Time: 1",
				  number );
		supError error;
		supCharacter* character = Parse( text, &error );
		testRequire( character != NULL, &error );
		float expected = strtof( number, NULL );
		float got = supCharacter_Node( character, 0 )->rest.translation.x;
		bool isTie = strtod( number, NULL ) == 0.5 * ( (double)got + (double)expected );
		if ( !( got == expected || isTie ) )
		{
			fail_msg( "%s was read as %.9g, not %.9g", number, (double)got, (double)expected );
		}
		supDestroyCharacter( character );
	}
}

static void TestAssets( void** state )
{
	(void)state;
	static const struct
	{
		const char* path;
		int joints, frames;
		float duration;
		bool tPose;
	} files[] = {
		{ "motions/cmu_02_01_walk.bvh", 31, 344, 2.858f, true },
		{ "motions/cmu_09_01_run.bvh", 31, 149, 1.233f, true },
		{ "motions/cmu_49_02_jump-hop.bvh", 31, 2086, 17.375f, true },
		{ "motions/cmu_60_01_salsa.bvh", 31, 2243, 18.683f, true },
		{ "motions/cmu_74_06_kick.bvh", 31, 326, 2.708f, true },
		{ "motions/cmu_90_02_cartwheel.bvh", 31, 782, 6.508f, true },
		{ "motions/cmu_85_02_jumptwist.bvh", 31, 811, 6.75f, true },
		{ "motions/cmu_05_02_dance.bvh", 31, 1124, 9.358f, true },
		{ "motions/pirouette.bvh", 43, 592, 4.925f, false },
		{ "motions/alien.bvh", 6, 160, 6.625f, false },
	};
	for ( size_t f = 0; f < sizeof( files ) / sizeof( files[0] ); ++f )
	{
		supCharacter* character = ParseAsset( files[f].path );
		int joints = 0;
		for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
		{
			joints += strstr( supCharacter_Node( character, i )->name, "_end" ) == NULL;
		}
		assert_int_equal( joints, files[f].joints );
		const supClip* clip = supCharacter_Clip( character, 0 );
		assert_float_equal( clip->end, files[f].duration, 2e-3 );
		for ( int32_t i = 0; i < clip->channelCount; ++i )
		{
			const supChannel* channel = &clip->channels[i];
			assert_int_equal( channel->keyCount, files[f].frames );
			for ( int32_t k = 1; channel->path == sup_channelRotation && k < channel->keyCount; ++k )
			{
				const float* q = channel->values + 4 * k;
				testGreaterEqual( q[0] * q[-4] + q[1] * q[-3] + q[2] * q[-2] + q[3] * q[-1], 0.0f );
			}
		}
		if ( HasNote( character, "T-pose", false ) != files[f].tPose )
		{
			fail_msg( "%s: T-pose in front of the motion", files[f].path );
		}
		supDestroyCharacter( character );
	}
}

// Heads of bones as Blender 3.4.1 imports them (forward -Z, up Y), in the file's axes.
static void TestAgainstBlender( void** state )
{
	(void)state;
	static const struct
	{
		const char* file;
		int frame;
		const char* joint;
		supVec3 place;
	} oracle[] = {
		{ "alien", 0, "Root", { 0.000000f, -0.207670f, -0.502544f } },
		{ "alien", 0, "SkullBase", { 0.000284f, -0.042366f, -0.152806f } },
		{ "alien", 0, "Head", { 0.011413f, 0.068364f, -0.035850f } },
		{ "alien", 0, "EyeRight", { 0.093521f, 0.177325f, -0.011469f } },
		{ "alien", 50, "Root", { 0.000000f, -0.207670f, -0.502544f } },
		{ "alien", 50, "SkullBase", { -0.022247f, -0.045346f, -0.152806f } },
		{ "alien", 50, "Head", { -0.054892f, 0.058208f, -0.033329f } },
		{ "alien", 50, "EyeRight", { -0.017143f, 0.188089f, -0.003087f } },
		{ "alien", 159, "Root", { 0.000000f, -0.207670f, -0.502544f } },
		{ "alien", 159, "SkullBase", { 0.000000f, -0.042366f, -0.152806f } },
		{ "alien", 159, "Head", { 0.010133f, 0.069153f, -0.036510f } },
		{ "alien", 159, "EyeRight", { 0.091533f, 0.178740f, -0.012565f } },
		{ "pirouette", 0, "hip", { 15.313700f, 84.885483f, 152.037018f } },
		{ "pirouette", 0, "rIndex2", { -57.103836f, 134.010620f, 162.117416f } },
		{ "pirouette", 0, "lCollar", { 18.116302f, 136.529526f, 145.940353f } },
		{ "pirouette", 0, "lFoot", { 22.463564f, 5.541260f, 151.060669f } },
		{ "pirouette", 0, "head", { 15.231151f, 146.539246f, 149.840500f } },
		{ "pirouette", 0, "rFoot", { 7.751652f, 5.468464f, 151.061295f } },
		{ "pirouette", 200, "hip", { 5.104120f, 88.709991f, 62.799904f } },
		{ "pirouette", 200, "rIndex2", { -34.881039f, 128.060577f, 90.870667f } },
		{ "pirouette", 200, "lCollar", { 15.466698f, 137.428131f, 71.744644f } },
		{ "pirouette", 200, "lFoot", { 3.051232f, 16.731373f, 44.273598f } },
		{ "pirouette", 200, "head", { 12.169578f, 147.575317f, 74.809555f } },
		{ "pirouette", 200, "rFoot", { 0.458431f, 53.288898f, 66.726646f } },
		{ "pirouette", 591, "hip", { -22.259001f, 71.485191f, 127.337006f } },
		{ "pirouette", 591, "rIndex2", { -25.037395f, 59.530647f, 80.450890f } },
		{ "pirouette", 591, "lCollar", { -38.619301f, 116.978645f, 111.722336f } },
		{ "pirouette", 591, "lFoot", { -33.771538f, 8.868435f, 108.739983f } },
		{ "pirouette", 591, "head", { -42.999001f, 123.720505f, 103.872307f } },
		{ "pirouette", 591, "rFoot", { -14.288108f, 9.284031f, 173.329178f } },
		{ "cmu_60_01_salsa", 1, "Hips", { -12.551200f, 17.490000f, -0.592799f } },
		{ "cmu_60_01_salsa", 1, "RightToeBase", { -9.007442f, 1.001835f, 2.424137f } },
		{ "cmu_60_01_salsa", 1, "Neck1", { -12.440484f, 23.307386f, -0.638505f } },
		{ "cmu_60_01_salsa", 1, "RThumb", { -10.063708f, 18.362640f, 1.663529f } },
		{ "cmu_60_01_salsa", 1, "Head", { -12.403041f, 24.991507f, -0.655742f } },
		{ "cmu_60_01_salsa", 1, "LeftHand", { -9.456141f, 18.326107f, -2.814470f } },
		{ "cmu_60_01_salsa", 1000, "Hips", { 5.526700f, 16.661701f, -10.541599f } },
		{ "cmu_60_01_salsa", 1000, "RightToeBase", { -0.062901f, 1.068846f, -6.546832f } },
		{ "cmu_60_01_salsa", 1000, "Neck1", { 5.829183f, 22.436817f, -10.000371f } },
		{ "cmu_60_01_salsa", 1000, "RThumb", { -0.276856f, 18.968454f, -3.697011f } },
		{ "cmu_60_01_salsa", 1000, "Head", { 5.828089f, 24.117277f, -9.882000f } },
		{ "cmu_60_01_salsa", 1000, "LeftHand", { 9.600860f, 14.126144f, -8.907504f } },
		{ "cmu_60_01_salsa", 2242, "Hips", { 23.763201f, 17.188400f, -0.421799f } },
		{ "cmu_60_01_salsa", 2242, "RightToeBase", { 22.732101f, 0.734592f, -0.697847f } },
		{ "cmu_60_01_salsa", 2242, "Neck1", { 23.519642f, 22.996078f, -0.296987f } },
		{ "cmu_60_01_salsa", 2242, "RThumb", { 21.494907f, 17.041452f, -2.004048f } },
		{ "cmu_60_01_salsa", 2242, "Head", { 23.414328f, 24.677374f, -0.307684f } },
		{ "cmu_60_01_salsa", 2242, "LeftHand", { 22.105846f, 17.429062f, 3.215964f } },
		{ "cmu_90_02_cartwheel", 400, "Hips", { 8.025000f, 16.566702f, -9.253299f } },
		{ "cmu_90_02_cartwheel", 400, "RightToeBase", { 4.925508f, 30.821453f, -19.896427f } },
		{ "cmu_90_02_cartwheel", 400, "Neck1", { 9.236449f, 12.794407f, -4.858635f } },
		{ "cmu_90_02_cartwheel", 400, "RThumb", { 6.379827f, 8.716475f, 3.081011f } },
		{ "cmu_90_02_cartwheel", 400, "Head", { 10.538551f, 12.336914f, -4.069720f } },
		{ "cmu_90_02_cartwheel", 400, "LeftHand", { 8.441006f, 3.411804f, -6.999417f } },
	};
	for ( size_t i = 0; i < sizeof( oracle ) / sizeof( oracle[0] ); ++i )
	{
		char path[128];
		snprintf( path, sizeof( path ), "motions/%s.bvh", oracle[i].file );
		supCharacter* character = ParseAsset( path );
		const supClip* clip = supCharacter_Clip( character, 0 );
		supPose* pose = supCreatePose( character );
		supPose_ApplyClip( pose, clip, clip->channels[0].times[oracle[i].frame] );
		supVec3 place = supPose_Worlds( pose )[supCharacter_FindNode( character, oracle[i].joint )].t;
		float size = supCharacter_NodeCount( character ) > 20 ? 30.0f : 0.5f;
		if ( supDistance( place, oracle[i].place ) > 1e-5f * size + 2e-5f * supLength( place ) )
		{
			fail_msg( "%s frame %d %s: (%g %g %g)", path, oracle[i].frame, oracle[i].joint, (double)place.x,
					  (double)place.y, (double)place.z );
		}
		supDestroyPose( pose );
		supDestroyCharacter( character );
	}
}

// Puts `with` in the place of `what` in the small file.
static char* Edit( const char* what, const char* with )
{
	const char* place = strstr( s_small, what );
	assert_non_null( place );
	char* text = malloc( sizeof( s_small ) + strlen( with ) + 1 );
	sprintf( text, "%.*s%s%s", (int)( place - s_small ), s_small, with, place + strlen( what ) );
	return text;
}

static void TestErrors( void** state )
{
	(void)state;
	static const struct
	{
		const char *what, *with, *where, *message;
	} cases[] = {
		{ "HIERARCHY", "solid cube", "line 1", "HIERARCHY" },
		{ "ROOT Hips", "JOINT Hips", "line 2", "unexpected 'JOINT'" },
		{ "ROOT Hips\n{", "ROOT Hips\nOFFSET", "line 2", "'{' is missing" },
		{ "OFFSET 0 90 0", "OFFSET 0 90", "line 5", "'CHANNELS' stands where an OFFSET" },
		{ "OFFSET 0 90 0", "OFFSET 0 nan 0", "line 4", "'nan'" },
		{ "OFFSET 0 90 0", "OFFSET 0 1e39 0", "line 4", "implausibly large" },
		{ "OFFSET 0 90 0", "OFFSET 0 9,5 0", "line 4", "'9,5'" },
		{ "OFFSET 0 90 0", "OFFSET 0 90 0 OFFSET 0 0 0", "line 4", "two OFFSET" },
		{ "CHANNELS 6", "CHANNELS 7", "line 5", "has 7 CHANNELS" },
		{ "CHANNELS 6", "CHANNELS 2.5", "line 5", "has 2.5 CHANNELS" },
		{ "CHANNELS 6", "CHANNELS -1", "line 5", "has -1 CHANNELS" },
		{ "CHANNELS 3", "CHANNELS 4", "line 10", "'End' is not a channel" },
		{ "Zrotation Xrotation", "Zrotation Zrotation", "line 9", "'Zrotation' is not a channel" },
		{ "CHANNELS 3", "CHANNELS 2", "line 9", "unexpected 'Yrotation'" },
		{ "\t\t\tOFFSET 0 -40 0", "\t\t\tJOINT x {", "line 12", "End Site cannot" },
		{ "\t\t\tOFFSET 0 -40 0", "\t\t\tCHANNELS 0", "line 12", "no CHANNELS" },
		{ "MOTION", "}", "line 16", "unexpected '}'" },
		{ "Frames: 3", "Frames 3", "line 17", "'Frames:'" },
		{ "Frames: 3", "Frames: -3", "line 17", "do not fit" },
		{ "Frames: 3", "Frames: 2.5", "line 17", "do not fit" },
		{ "Frames: 3", "Frames: 1000000000", "line 17", "only" },
		{ "Frames: 3", "Frames: 1e300", "line 17", "implausibly large" },
		{ "Frames: 3", "Frames: 2", "line 21", "'3' follows" },
		{ "Frames: 3", "Frames: 5", "line 17", "only 67 characters" },
		{ "Frames: 3\nFrame Time: 0.04\n", "Frames: 5\nFrame Time: 0.04\n                                      ",
		  "line 22", "after 3 of 5 frames" },
		{ "Frame Time: 0.04", "Frame Tim: 0.04", "line 18", "'Frame Time:'" },
		{ "Frame Time: 0.04", "Frame Time: -0.04", "line 18", "1e-6 to 3600 s" },
		{ "Frame Time: 0.04", "Frame Time: 1e9", "line 18", "1e-6 to 3600 s" },
		{ "2 92 3", "2 inf 3", "line 20", "'inf'" },
		{ "2 92 3", "2 -1.#IND 3", "line 20", "'-1.#IND'" },
		{ "2 92 3", "2 0x10 3", "line 20", "'0x10'" },
		{ "3 93 4", "3 93 4 99", "line 21", "'5' follows" },
	};
	for ( size_t i = 0; i < sizeof( cases ) / sizeof( cases[0] ); ++i )
	{
		char* text = Edit( cases[i].what, cases[i].with );
		supError error;
		assert_null( Parse( text, &error ) );
		if ( error.code != sup_errorFormat || strstr( error.where, cases[i].where ) == NULL ||
			 strstr( error.message, cases[i].message ) == NULL )
		{
			fail_msg( "%s: %d, %s, %s", cases[i].with, error.code, error.where, error.message );
		}
		assert_null( Parse( text, NULL ) );
		free( text );
	}
}

static void TestRepairs( void** state )
{
	(void)state;
	supError error;
	char* text = Edit( "3 93 4 12 22 32 3 4 5", "3 93 4 12" );
	supCharacter* character = Parse( text, &error );
	testRequire( character != NULL, &error );
	assert_int_equal( supCharacter_Clip( character, 0 )->channels[0].keyCount, 2 );
	assert_true( HasNote( character, "only 4 of 9 numbers", true ) );
	supDestroyCharacter( character );
	free( text );

	text = Edit( "Frame Time: 0.04", "Frame Time: 0" );
	character = Parse( text, &error );
	testRequire( character != NULL, &error );
	assert_float_equal( supCharacter_Clip( character, 0 )->end, 2.0 / 30.0, 1e-6 );
	assert_true( HasNote( character, "1/30", true ) );
	supDestroyCharacter( character );
	free( text );

	text = Edit( "OFFSET 1 -40 2.5", "" );
	character = Parse( text, &error );
	testRequire( character != NULL, &error );
	assert_true( HasNote( character, "'Knee' has no OFFSET", true ) );
	supDestroyCharacter( character );
	free( text );
}

// Counts and depths out of all proportion are refused before they cost anything.
static void TestAbsurd( void** state )
{
	(void)state;
	size_t size = 4u << 20;
	char* text = malloc( size );
	testHeap heap;
	testInstallHeap( &heap );
	supError error;

	// depth
	strcpy( text, "HIERARCHY ROOT a\n{" );
	char* p = text + strlen( text );
	for ( int i = 0; i < 100000; ++i )
	{
		p += sprintf( p, "JOINT b\n{" );
	}
	assert_null( supParseBvh( text, (size_t)( p - text ), "deep", &error ) );
	assert_int_equal( error.code, sup_errorTooLarge );

	// breadth
	strcpy( text, "HIERARCHY ROOT a\n{" );
	p = text + strlen( text );
	for ( int i = 0; i < 100000; ++i )
	{
		p += sprintf( p, "JOINT b\n{}" );
	}
	assert_null( supParseBvh( text, (size_t)( p - text ), "wide", &error ) );
	assert_int_equal( error.code, sup_errorTooLarge );

	// a small file that asks for much
	heap.largest = 0;
	char* liar = Edit( "Frames: 3", "Frames: 2000000000" );
	assert_null( Parse( liar, &error ) );
	testLess( heap.largest, 100000 );
	free( liar );

	// digits and names without end
	memset( text, '7', size );
	memcpy( text, "HIERARCHY ROOT a\n{OFFSET ", 25 );
	assert_null( supParseBvh( text, size, "digits", &error ) );
	memset( text, 'n', size );
	memcpy( text, "HIERARCHY ROOT ", 15 );
	assert_null( supParseBvh( text, size, "name", &error ) );
	assert_null( supParseBvh( text, 0, "empty", &error ) );
	testUninstallHeap( &heap );
	free( text );
}

// The hierarchy and first frames of a real file, so that damage reaches every part of it.
static char* MakeSample( size_t* length )
{
	size_t size;
	char* text = (char*)testReadFile( testAsset( "motions/pirouette.bvh" ), &size );
	char* frames = strstr( text, "592" );
	memcpy( frames, "  4", 3 );
	char* line = strstr( frames, "Frame Time" );
	for ( int i = 0; i < 5; ++i )
	{
		line = strchr( line, '\n' ) + 1;
	}
	*length = (size_t)( line - text );
	return text;
}

static void TestTruncation( void** state )
{
	(void)state;
	size_t length;
	char* text = MakeSample( &length );
	supError error;
	supCharacter* whole = supParseBvh( text, length, "whole", &error );
	testRequire( whole != NULL, &error );
	supDestroyCharacter( whole );
	int refused = 0;
	for ( size_t cut = 0; cut < length; cut += 1 + cut / 400 )
	{
		// of exactly this size, so that the sanitizer sees a read past the end
		char* part = malloc( cut > 0 ? cut : 1 );
		memcpy( part, text, cut );
		supCharacter* character = supParseBvh( part, cut, "cut", &error );
		refused += character == NULL;
		assert_true( character != NULL || error.message[0] != 0 );
		supDestroyCharacter( character );
		free( part );
	}
	testGreater( refused, 1000 );
	free( text );
}

static void TestByteEdits( void** state )
{
	(void)state;
	size_t length;
	char* text = MakeSample( &length );
	testRandom random = testMakeRandom( 3 );
	static const char bytes[] = "{}0-.e\n\0 \xff"
								"9JOC:";
	for ( int i = 0; i < 6000; ++i )
	{
		size_t places[3];
		char before[3];
		for ( int k = 0; k < 3; ++k )
		{
			// half of the edits hit the hierarchy, which is the smaller part
			uint32_t below = testRandomInt( &random, 2 ) == 0 ? (uint32_t)length : 4500;
			places[k] = testRandomInt( &random, below );
			before[k] = text[places[k]];
			text[places[k]] = testRandomInt( &random, 2 ) == 0 ? bytes[testRandomInt( &random, sizeof( bytes ) - 1 )]
															   : (char)testRandomInt( &random, 256 );
		}
		supError error;
		supCharacter* character = supParseBvh( text, length, "edited", &error );
		for ( int32_t n = 0; character != NULL && n < supCharacter_NodeCount( character ); ++n )
		{
			assert_true( supIsFiniteVec3( supCharacter_Node( character, n )->rest.translation ) );
		}
		supDestroyCharacter( character );
		for ( int k = 2; k >= 0; --k )
		{
			text[places[k]] = before[k];
		}
	}
	free( text );
}

static bool AttemptParse( void* context )
{
	(void)context;
	char text[sizeof( s_small )];
	memcpy( text, s_small, sizeof( s_small ) );
	supError error;
	// cut inside the last frame: the repair allocates too
	supCharacter* character = supParseBvh( text, sizeof( s_small ) - 5, "small", &error );
	bool ok = character != NULL;
	assert_true( ok || error.code == sup_errorMemory );
	supDestroyCharacter( character );
	return ok;
}

static void TestAllocationFailures( void** state )
{
	(void)state;
	testEachAllocationFailure( AttemptParse, NULL, 200 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSmall ),
		cmocka_unit_test( TestRotationOrders ),
		cmocka_unit_test( TestPositionsReplaceOffsets ),
		cmocka_unit_test( TestHabits ),
		cmocka_unit_test( TestNumbers ),
		cmocka_unit_test( TestAssets ),
		cmocka_unit_test( TestAgainstBlender ),
		cmocka_unit_test( TestErrors ),
		cmocka_unit_test( TestRepairs ),
		cmocka_unit_test( TestAbsurd ),
		cmocka_unit_test( TestTruncation ),
		cmocka_unit_test( TestByteEdits ),
		cmocka_unit_test( TestAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
