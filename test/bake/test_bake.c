// SPDX-License-Identifier: MIT
// Baking: frames, stopping and resuming bit for bit, loops, caches byte by byte, bad options, full disks.
#define _POSIX_C_SOURCE 200809L // symlink
#include "lag.h"
#include "support.h"

#include "bake/bake.h"
#include "bake/work_file.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct Fixture
{
	supCharacter* character;
	supFlesh* flesh;
	char folder[256];
	char path[512];
} Fixture;

static int SetUp( void** state )
{
	Fixture* f = calloc( 1, sizeof( Fixture ) );
	supFleshDef def = supDefaultFleshDef();
	f->character = testMakeSwayingBox();
	f->flesh = supBuildFleshWith( f->character, &testLagMethod, &def, NULL, NULL );
	testMakeFolder( f->folder );
	snprintf( f->path, sizeof( f->path ), "%s/out.part", f->folder );
	*state = f;
	return 0;
}

static int TearDown( void** state )
{
	Fixture* f = *state;
	supDestroyFlesh( f->flesh );
	supDestroyCharacter( f->character );
	testRemoveFolder( f->folder );
	free( f );
	return 0;
}

static supBakeDef MakeDef( const Fixture* f )
{
	supBakeDef def = supDefaultBakeDef();
	def.clip = supCharacter_FindClip( f->character, "Sway" );
	assert_non_null( def.clip );
	return def;
}

// All frames as the writers would get them. Free with free().
static supVec3* ReadAll( supBake* bake, int32_t* count )
{
	supFrames frames = supBake_Frames( bake );
	supVec3* all = calloc( (size_t)frames.frameCount * 16, sizeof( supVec3 ) );
	supError error = { 0 };
	for ( int32_t i = 0; i < frames.frameCount; ++i )
	{
		testRequire( frames.read( i, 0, all + 16 * i, all + 16 * i + 8, frames.context, &error ), &error );
	}
	*count = 16 * frames.frameCount;
	return all;
}

static void TestFramesFollowTheScene( void** state )
{
	Fixture* f = *state;
	supBakeDef def = MakeDef( f );
	def.substeps = 3;
	supError error = { 0 };
	supBake* bake = supBakeFrames( f->flesh, &def, f->path, &error );
	testRequire( bake != NULL, &error );
	const supBakeReport* report = supBake_Report( bake );
	assert_int_equal( report->frameCount, 61 );
	assert_true( supBake_IsComplete( bake ) );

	// the same by hand
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.substeps = 3;
	supScene* scene = supCreateScene( &sceneDef, &error );
	supActor* actor = supScene_AddActor( scene, f->flesh, &error );
	supPose_ApplyClip( supActor_Pose( actor ), def.clip, 0.0f );
	supActor_Reset( actor );
	int32_t count;
	supVec3* all = ReadAll( bake, &count );
	for ( int32_t frame = 0; frame < 61; ++frame )
	{
		if ( frame > 0 )
		{
			supPose_ApplyClip( supActor_Pose( actor ), def.clip, (float)frame / 30.0f );
			supScene_Step( scene, 1.0f / 30.0f );
		}
		assert_memory_equal( all + 16 * frame, supActor_Positions( actor, 0 ), 8 * sizeof( supVec3 ) );
		assert_memory_equal( all + 16 * frame + 8, supActor_Normals( actor, 0 ), 8 * sizeof( supVec3 ) );
		assert_float_equal( report->frames[frame].time, (float)frame / 30.0f, 0.0f );
	}
	testGreater( report->frames[10].measure.energy, 0.0f );
	free( all );
	supDestroyScene( scene );
	supDestroyBake( bake, false );
	assert_int_not_equal( access( f->path, F_OK ), 0 );
}

static bool StopAfter( int32_t framesDone, int32_t frameCount, void* context )
{
	testLessEqual( framesDone, frameCount );
	return framesDone != *(int32_t*)context;
}

// An actor in a scene that somebody else steps gives the same frames.
static void TestRecordings( void** state )
{
	Fixture* f = *state;
	supBakeDef def = MakeDef( f );
	supError error = { 0 };
	int32_t expectedCount, count;
	supBake* bake = supBakeFrames( f->flesh, &def, f->path, &error );
	testRequire( bake != NULL, &error );
	supVec3* expected = ReadAll( bake, &expectedCount );
	supDestroyBake( bake, false );

	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.substeps = supChooseSubsteps( 1.0f / 30.0f );
	assert_int_equal( sceneDef.substeps, 2 );
	supScene* scene = supCreateScene( &sceneDef, &error );
	supActor* actor = supScene_AddActor( scene, f->flesh, &error );
	bake = supBeginRecording( f->flesh, &def, f->path, &error );
	testRequire( bake != NULL, &error );
	for ( int32_t frame = 0; frame < 61; ++frame )
	{
		assert_false( supBake_IsComplete( bake ) );
		supPose_ApplyClip( supActor_Pose( actor ), def.clip, (float)frame / 30.0f );
		if ( frame == 0 )
		{
			supActor_Reset( actor );
		}
		supScene_Step( scene, frame > 0 ? 1.0f / 30.0f : 0.0f );
		testRequire( supBake_Record( bake, actor, &error ), &error );
	}
	assert_true( supBake_IsComplete( bake ) );
	assert_false( supBake_Record( bake, actor, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	supVec3* found = ReadAll( bake, &count );
	assert_int_equal( count, expectedCount );
	assert_memory_equal( found, expected, (size_t)count * sizeof( supVec3 ) );
	free( expected );
	free( found );
	supDestroyBake( bake, false );
	supDestroyScene( scene );
	assert_null( supBeginRecording( f->flesh, &def, "/nonexistent-folder/out.part", &error ) );
}

static void TestStoppedBakeResumesBitForBit( void** state )
{
	Fixture* f = *state;
	supBakeDef def = MakeDef( f );
	supError error = { 0 };
	supBake* whole = supBakeFrames( f->flesh, &def, f->path, &error );
	int32_t wholeCount;
	supVec3* expected = ReadAll( whole, &wholeCount );
	supLooks looks = supBake_Report( whole )->looks;
	assert_true( looks.frameCount == 61 && looks.alive > 0.0f );
	supDestroyBake( whole, false );

	// stopped twice, at a frame with a state of its own and at one without
	int32_t stops[] = { 16, 37, -1 };
	supBake* bake = NULL;
	for ( int i = 0; i < 3; ++i )
	{
		def.resume = i > 0;
		def.progress = StopAfter;
		def.progressContext = stops + i;
		bake = supBakeFrames( f->flesh, &def, f->path, &error );
		testRequire( bake != NULL, &error );
		const supBakeReport* report = supBake_Report( bake );
		assert_int_equal( report->frameCount, stops[i] > 0 ? stops[i] : 61 );
		assert_int_equal( report->resumedFrameCount, i > 0 ? stops[i - 1] : 0 );
		assert_int_equal( supBake_IsComplete( bake ), i == 2 );
		if ( i < 2 )
		{
			supDestroyBake( bake, true );
		}
	}
	int32_t count;
	supVec3* all = ReadAll( bake, &count );
	assert_int_equal( count, wholeCount );
	assert_memory_equal( all, expected, (size_t)count * sizeof( supVec3 ) );
	// measured over all frames, whoever made them
	const supLooks* resumed = &supBake_Report( bake )->looks;
	assert_int_equal( resumed->frameCount, looks.frameCount );
	assert_true( resumed->alive == looks.alive && resumed->far == looks.far && resumed->worst == looks.worst );
	free( all );
	free( expected );
	supDestroyBake( bake, false );
}

static void TestKilledBakeResumes( void** state )
{
	Fixture* f = *state;
	supBakeDef def = MakeDef( f );
	supError error = { 0 };
	supBake* bake = supBakeFrames( f->flesh, &def, f->path, &error );
	int32_t count;
	supVec3* expected = ReadAll( bake, &count );
	supDestroyBake( bake, true );
	// as if killed while a frame behind the last state (frame 48) was being written
	size_t size;
	unsigned char* bytes = testReadFile( f->path, &size );
	testWriteFile( f->path, bytes, size - 1000 );
	free( bytes );
	def.resume = true;
	bake = supBakeFrames( f->flesh, &def, f->path, &error );
	testRequire( bake != NULL, &error );
	assert_int_equal( supBake_Report( bake )->resumedFrameCount, 48 );
	supVec3* all = ReadAll( bake, &count );
	assert_memory_equal( all, expected, (size_t)count * sizeof( supVec3 ) );
	free( all );
	free( expected );
	supDestroyBake( bake, true );

	// a damaged state, and a file cut short before it: begun anew
	char statePath[600];
	snprintf( statePath, sizeof( statePath ), "%s.state", f->path );
	for ( int i = 0; i < 2; ++i )
	{
		const char* path = i == 0 ? statePath : f->path;
		bytes = testReadFile( path, &size );
		bytes[size - 1] ^= 1;
		testWriteFile( path, bytes, i == 0 ? size : size / 3 );
		free( bytes );
		bake = supBakeFrames( f->flesh, &def, f->path, &error );
		testRequire( bake != NULL, &error );
		assert_int_equal( supBake_Report( bake )->resumedFrameCount, 0 );
		supDestroyBake( bake, true );
	}
	// other settings: refused, and nothing is lost
	def.substeps = 1;
	assert_null( supBakeFrames( f->flesh, &def, f->path, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_int_equal( access( f->path, F_OK ), 0 );
}

static void TestLoopCloses( void** state )
{
	Fixture* f = *state;
	supBakeDef def = MakeDef( f );
	supError error = { 0 };
	supBake* open = supBakeFrames( f->flesh, &def, f->path, &error );
	int32_t count;
	supVec3* frames = ReadAll( open, &count );
	float openGap = supDistance( frames[0], frames[16 * 60] );
	free( frames );
	supDestroyBake( open, false );
	def.loop = true;
	supBake* closed = supBakeFrames( f->flesh, &def, f->path, &error );
	testRequire( closed != NULL, &error );
	const supBakeReport* report = supBake_Report( closed );
	// the spring loses 1 % of its speed each frame, a quarter of its swing each cycle: it takes a while, and it ends
	// because the gap is below 1e-4 of the character's size (the box is 2 wide, 2 deep and about 2 high)
	testGreaterEqual( report->warmupCycles, 2 );
	testLess( report->warmupCycles, 24 );
	testGreater( openGap, 1e-4f * 3.5f );
	testLess( report->loopGap, 1e-4f * 3.5f );
	// the pose of the first frame is not there again
	frames = ReadAll( closed, &count );
	assert_int_equal( count, 16 * 60 );
	testGreater( supDistance( frames[0], frames[16 * 59] ), report->loopGap );
	free( frames );
	supDestroyBake( closed, false );
}

static float LoadFloat( const unsigned char* bytes, bool bigEndian )
{
	uint32_t bits = 0;
	for ( int i = 0; i < 4; ++i )
	{
		bits |= (uint32_t)bytes[bigEndian ? 3 - i : i] << ( 8 * i );
	}
	float value;
	memcpy( &value, &bits, 4 );
	return value;
}

static uint32_t LoadInt( const unsigned char* bytes, bool bigEndian )
{
	uint32_t bits = 0;
	for ( int i = 0; i < 4; ++i )
	{
		bits |= (uint32_t)bytes[bigEndian ? 3 - i : i] << ( 8 * i );
	}
	return bits;
}

static void TestCachesByteByByte( void** state )
{
	Fixture* f = *state;
	supBakeDef def = MakeDef( f );
	def.framesPerSecond = 24.0f;
	def.from = 0.5f;
	def.to = 1.0f;
	supError error = { 0 };
	supBake* bake = supBakeFrames( f->flesh, &def, f->path, &error );
	testRequire( bake != NULL, &error );
	int32_t count;
	supVec3* frames = ReadAll( bake, &count );
	assert_int_equal( count, 16 * 13 );
	char path[512];
	snprintf( path, sizeof( path ), "%s/a.pc2", f->folder );
	testRequire( supBake_SaveCache( bake, 0, path, &error ), &error );
	size_t size;
	unsigned char* bytes = testReadFile( path, &size );
	assert_int_equal( size, 32 + 13 * 8 * 12 );
	assert_memory_equal( bytes, "POINTCACHE2\0", 12 );
	assert_int_equal( LoadInt( bytes + 12, false ), 1 );
	assert_int_equal( LoadInt( bytes + 16, false ), 8 );
	assert_float_equal( LoadFloat( bytes + 20, false ), 0.0f, 0.0f );
	assert_float_equal( LoadFloat( bytes + 24, false ), 1.0f, 0.0f );
	assert_int_equal( LoadInt( bytes + 28, false ), 13 );
	for ( int i = 0; i < 13 * 8; ++i )
	{
		const supVec3* p = frames + 16 * ( i / 8 ) + i % 8;
		assert_true( LoadFloat( bytes + 32 + 12 * i, false ) == p->x &&
					 LoadFloat( bytes + 40 + 12 * i, false ) == p->z );
	}
	free( bytes );
	snprintf( path, sizeof( path ), "%s/a.mdd", f->folder );
	testRequire( supBake_SaveCache( bake, 0, path, &error ), &error );
	bytes = testReadFile( path, &size );
	assert_int_equal( size, 8 + 13 * 4 + 13 * 8 * 12 );
	assert_int_equal( LoadInt( bytes, true ), 13 );
	assert_int_equal( LoadInt( bytes + 4, true ), 8 );
	assert_float_equal( LoadFloat( bytes + 8 + 4 * 12, true ), 0.5f, 1e-6f );
	assert_true( LoadFloat( bytes + 8 + 52 + 12 * ( 8 * 5 + 3 ) + 4, true ) == frames[16 * 5 + 3].y );
	free( bytes );
	free( frames );
	supDestroyBake( bake, false );
}

static void TestTextFormats( void** state )
{
	Fixture* f = *state;
	supBakeDef def = MakeDef( f );
	def.to = 0.1f;
	supError error = { 0 };
	supBake* bake = supBakeFrames( f->flesh, &def, f->path, &error );
	testRequire( bake != NULL, &error );
	int32_t count;
	supVec3* frames = ReadAll( bake, &count );
	char path[512];
	snprintf( path, sizeof( path ), "%s/a.obj", f->folder );
	testRequire( supBake_SaveObj( bake, path, &error ), &error );
	for ( int frame = 0; frame < 4; ++frame )
	{
		snprintf( path, sizeof( path ), "%s/a.%04d.obj", f->folder, frame + 1 );
		size_t size;
		char* text = (char*)testReadFile( path, &size );
		float x, y, z;
		assert_int_equal( sscanf( strstr( text, "\nv " ), " v %f %f %f", &x, &y, &z ), 3 );
		assert_true( x == frames[16 * frame].x && y == frames[16 * frame].y && z == frames[16 * frame].z );
		free( text );
	}
	snprintf( path, sizeof( path ), "%s/a.usda", f->folder );
	testRequire( supBake_SaveUsd( bake, path, &error ), &error );
	size_t size;
	char* text = (char*)testReadFile( path, &size );
	assert_memory_equal( text, "#usda 1.0\n", 10 );
	const char* sample = strstr( text, "            3: [(" );
	assert_non_null( sample );
	float x, y, z;
	assert_int_equal( sscanf( sample, " 3: [(%f, %f, %f)", &x, &y, &z ), 3 );
	assert_true( x == frames[48].x && y == frames[48].y && z == frames[48].z );
	assert_non_null( strstr( text, "endTimeCode = 3\n" ) );
	// the same text, stored at a multiple of 64 bytes, with a head and a directory of a zip that agree
	snprintf( path, sizeof( path ), "%s/a.usdz", f->folder );
	testRequire( supBake_SaveUsd( bake, path, &error ), &error );
	size_t packageSize;
	uint8_t* package = testReadFile( path, &packageSize );
	assert_int_equal( packageSize, 64 + size + 46 + 14 + 22 );
	assert_memory_equal( package, "PK\3\4\12\0\0\0\0\0", 10 );
	assert_memory_equal( package + 30, "character.usda", 14 );
	assert_int_equal( 30 + 14 + ( package[28] | package[29] << 8 ), 64 );
	assert_memory_equal( package + 64, text, size );
	const uint8_t* directory = package + 64 + size;
	assert_memory_equal( directory, "PK\1\2", 4 );
	assert_memory_equal( directory + 6, package + 4, 24 );
	assert_memory_equal( directory + 46 + 14, "PK\5\6", 4 );
	free( package );
	free( text );
	free( frames );
	supDestroyBake( bake, false );
}

static void TestBadOptions( void** state )
{
	Fixture* f = *state;
	supError error = { 0 };
	supBakeDef def = MakeDef( f );
	def.framesPerSecond = 0.0f;
	assert_null( supBakeFrames( f->flesh, &def, f->path, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	def = MakeDef( f );
	def.from = 1.5f;
	def.to = 1.0f;
	assert_null( supBakeFrames( f->flesh, &def, f->path, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	def = MakeDef( f );
	def.to = 1e9f;
	assert_null( supBakeFrames( f->flesh, &def, f->path, &error ) );
	assert_int_equal( error.code, sup_errorTooLarge );
	def = MakeDef( f );
	def.substeps = -1;
	assert_null( supBakeFrames( f->flesh, &def, f->path, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	def = MakeDef( f );
	assert_null( supBakeFrames( f->flesh, &def, "/nonexistent-folder/out.part", &error ) );
	assert_int_equal( error.code, sup_errorWrite );
	assert_null( supBakeFrames( f->flesh, &def, "/dev/null", &error ) );
	assert_int_equal( error.code, sup_errorWrite );
	assert_int_equal( access( "/dev/null", F_OK ), 0 );
	// no clip: the rest pose, one frame
	def.clip = NULL;
	supBake* bake = supBakeFrames( f->flesh, &def, f->path, &error );
	testRequire( bake != NULL, &error );
	assert_int_equal( supBake_Report( bake )->frameCount, 1 );
	char path[512];
	snprintf( path, sizeof( path ), "%s/missing/a.pc2", f->folder );
	assert_false( supBake_SaveCache( bake, 0, path, &error ) );
	assert_int_equal( error.code, sup_errorWrite );
	supDestroyBake( bake, false );
	supDestroyBake( NULL, false );
}

// A disk that fills up: an error, what was done can be resumed, and nothing stands under the final name.
static void TestOneBakeAtATime( void** state )
{
	Fixture* f = *state;
	supBakeDef def = MakeDef( f );
	supError error = { 0 };
	supBake* first = supBeginRecording( f->flesh, &def, f->path, &error );
	testRequire( first != NULL, &error );
	assert_null( supBeginRecording( f->flesh, &def, f->path, &error ) );
	assert_int_equal( error.code, sup_errorWrite );
	char process[32];
	snprintf( process, sizeof( process ), "process %d", (int)getpid() );
	assert_non_null( strstr( error.message, process ) );
	def.resume = true;
	assert_null( supBakeFrames( f->flesh, &def, f->path, &error ) );
	assert_non_null( strstr( error.message, "another bake" ) );
	supDestroyBake( first, false );
	assert_int_equal( access( f->path, F_OK ), -1 );
	supBake* second = supBakeFrames( f->flesh, &def, f->path, &error );
	testRequire( second != NULL, &error );
	supDestroyBake( second, false );
}

// A file of the user's, or a link to one, that has the name of the work file or of its state.
static void TestFilesOfOthersStay( void** state )
{
	Fixture* f = *state;
	supBakeDef def = MakeDef( f );
	char precious[512], statePath[600];
	snprintf( precious, sizeof( precious ), "%s/precious", f->folder );
	snprintf( statePath, sizeof( statePath ), "%s.state", f->path );
	const char* names[2] = { f->path, statePath };
	for ( int32_t i = 0; i < 4; ++i )
	{
		const char* name = names[i % 2];
		testWriteFile( precious, "precious", 8 );
		if ( i < 2 )
		{
			assert_int_equal( symlink( precious, name ), 0 );
		}
		else
		{
			testWriteFile( name, "precious", 8 );
		}
		supError error = { 0 };
		assert_null( supBakeFrames( f->flesh, &def, f->path, &error ) );
		assert_int_equal( error.code, sup_errorWrite );
		assert_string_equal( error.where, name );
		size_t size = 0;
		unsigned char* left = testReadFile( i < 2 ? precious : name, &size );
		assert_true( size == 8 && memcmp( left, "precious", 8 ) == 0 );
		free( left );
		assert_int_equal( unlink( name ), 0 );
	}
}

static void TestFramesAreNumbers( void** state )
{
	Fixture* f = *state;
	supError error = { 0 };
	supWorkFile* work = supCreateWorkFile( f->path, 1, 8, 3, &error );
	testRequire( work != NULL, &error );
	supVec3 data[16] = { { 0 } };
	supBakeFrame info = { 0 };
	assert_true( supWorkFile_WriteFrame( work, 0, &info, data, &error ) );
	data[5].y = NAN;
	assert_false( supWorkFile_WriteFrame( work, 1, &info, data, &error ) );
	assert_non_null( strstr( error.message, "frame 1: the position of vertex 5 " ) );
	data[5].y = 0.0f;
	data[11].x = INFINITY;
	error.code = sup_errorNone;
	assert_false( supWorkFile_WriteFrame( work, 1, &info, data, &error ) );
	assert_non_null( strstr( error.message, "frame 1: the normal of vertex 3 " ) );
	supCloseWorkFile( work, false );
}

static void TestFullDisk( void** state )
{
	Fixture* f = *state;
	supBakeDef def = MakeDef( f );
	struct rlimit before, small;
	assert_int_equal( getrlimit( RLIMIT_FSIZE, &before ), 0 );
	small = before;
	small.rlim_cur = 5000;
	signal( SIGXFSZ, SIG_IGN );
	setrlimit( RLIMIT_FSIZE, &small );
	supError error = { 0 };
	supBake* bake = supBakeFrames( f->flesh, &def, f->path, &error );
	setrlimit( RLIMIT_FSIZE, &before );
	assert_null( bake );
	assert_int_equal( error.code, sup_errorWrite );
	// room again: begun anew or resumed, it ends well
	def.resume = true;
	bake = supBakeFrames( f->flesh, &def, f->path, &error );
	testRequire( bake != NULL, &error );
	assert_true( supBake_IsComplete( bake ) );
	char path[512];
	snprintf( path, sizeof( path ), "%s/a.pc2", f->folder );
	setrlimit( RLIMIT_FSIZE, &small );
	bool ok = supBake_SaveCache( bake, 0, path, &error );
	setrlimit( RLIMIT_FSIZE, &before );
	assert_false( ok );
	assert_int_equal( error.code, sup_errorWrite );
	assert_int_not_equal( access( path, F_OK ), 0 );
	testRequire( supBake_SaveCache( bake, 0, path, &error ), &error );
	supDestroyBake( bake, false );
}

static bool AttemptBake( void* context )
{
	Fixture* f = context;
	supBakeDef def = MakeDef( f );
	def.to = 0.2f;
	supError error = { 0 };
	char path[600];
	snprintf( path, sizeof( path ), "%s/b.usda", f->folder );
	supBake* bake = supBakeFrames( f->flesh, &def, f->path, &error );
	bool ok = bake != NULL && supBake_SaveUsd( bake, path, &error ) && supBake_SaveObj( bake, path, &error );
	supDestroyBake( bake, false );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static void TestAllocationFailures( void** state )
{
	testEachAllocationFailure( AttemptBake, *state, 200 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown( TestFramesFollowTheScene, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestRecordings, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestStoppedBakeResumesBitForBit, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestKilledBakeResumes, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestLoopCloses, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestCachesByteByByte, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestTextFormats, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestBadOptions, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestOneBakeAtATime, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestFilesOfOthersStay, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestFramesAreNumbers, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestFullDisk, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestAllocationFailures, SetUp, TearDown ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
