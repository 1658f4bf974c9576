// SPDX-License-Identifier: MIT
// labels: release
// Crowds on a device: the same bits as on the CPU, whatever happens meanwhile. Needs an OpenCL driver (Debian:
// pocl-opencl-icd); all cases skip without one.
#include "support.h"

#include "device/device.h"
#include "method/position/position.h"
#include "models/models.h"
#include "scene/device_crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DT ( 1.0f / 60.0f )
#define MOST_ACTORS 12

// The first device that there is.
static supDevice* OpenDevice( void )
{
	supDeviceInfo info;
	supError error = { 0 };
	if ( supListDevices( &info, 1, &error ) == 0 )
	{
		print_message( "skipped: %s\n", error.message );
		skip();
	}
	supDevice* device = supOpenDevice( info.name, &error );
	testRequire( device != NULL, &error );
	return device;
}

typedef struct Body
{
	supCharacter* character;
	supFlesh* flesh;
} Body;

static Body MakeBody( const char* name, float tets, const supSetting* setting )
{
	supError error = { 0 };
	Body body = { .character = supFindModel( name )->create( &error ) };
	testRequire( body.character != NULL, &error );
	supSetting settings[2] = { { "tets", tets } };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodPosition;
	def.settings = settings;
	def.settingCount = 1;
	if ( setting != NULL )
	{
		settings[def.settingCount++] = *setting;
	}
	body.flesh = supBuildFlesh( body.character, &def, NULL, &error );
	testRequire( body.flesh != NULL, &error );
	return body;
}

static void DestroyBody( Body* body )
{
	supDestroyFlesh( body->flesh );
	supDestroyCharacter( body->character );
}

// Two scenes that should be alike: without a device, and with one.
typedef struct Pair
{
	supScene* scenes[2];
	int32_t count;
	supActor* actors[2][MOST_ACTORS];
} Pair;

static void AddActor( Pair* pair, const Body* body, int32_t clip, float time )
{
	for ( int32_t i = 0; i < 2; ++i )
	{
		supError error = { 0 };
		supActor* actor = supScene_AddActor( pair->scenes[i], body->flesh, &error );
		testRequire( actor != NULL, &error );
		supPlayDef play =
			supDefaultPlayDef( supCharacter_Clip( body->character, clip % supCharacter_ClipCount( body->character ) ) );
		play.time = time;
		supActor_Play( actor, &play );
		pair->actors[i][pair->count] = actor;
	}
	pair->count += 1;
}

static Pair MakePair( supDevice* device, int32_t substeps, bool guard )
{
	Pair pair = { 0 };
	for ( int32_t i = 0; i < 2; ++i )
	{
		supError error = { 0 };
		supSceneDef def = supDefaultSceneDef();
		def.guard = guard;
		def.substeps = substeps;
		def.device = i == 1 ? device : NULL;
		pair.scenes[i] = supCreateScene( &def, &error );
		testRequire( pair.scenes[i] != NULL, &error );
	}
	return pair;
}

static void StepPair( Pair* pair, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		supScene_Step( pair->scenes[0], DT );
		supScene_Step( pair->scenes[1], DT );
	}
}

static void DestroyPair( Pair* pair )
{
	supDestroyScene( pair->scenes[0] );
	supDestroyScene( pair->scenes[1] );
}

static void AssertSameSurface( const supActor* a, const supActor* b )
{
	for ( int32_t i = 0; i < a->surfaceCount; ++i )
	{
		size_t size = (size_t)a->surfaces[i].vertexCount * sizeof( supVec3 );
		assert_memory_equal( supActor_Positions( a, i ), supActor_Positions( b, i ), size );
		assert_memory_equal( supActor_Normals( a, i ), supActor_Normals( b, i ), size );
	}
}

// All that a later step depends on; scratch is left out.
static void AssertSameState( supActor* a, supActor* b )
{
	supActor_Recall( b );
	const supPositionFlesh* flesh = a->flesh->own;
	supPositionView x = supPositionFlesh_View( flesh, a->state ), y = supPositionFlesh_View( flesh, b->state );
	size_t particles = 16 * (size_t)flesh->particleCount;
	assert_memory_equal( x.positions, y.positions, particles );
	assert_memory_equal( x.velocities, y.velocities, particles );
	assert_memory_equal( x.skinned, y.skinned, particles );
	assert_memory_equal( x.bones, y.bones, (size_t)flesh->boneCount * sizeof( supMat34 ) );
	assert_memory_equal( x.tethers, y.tethers, particles );
	assert_memory_equal( x.header, y.header, sizeof( supPositionHeader ) );
	assert_memory_equal( x.frames, y.frames, (size_t)flesh->particleCount * sizeof( supBindFrame ) );
}

static void AssertSamePair( Pair* pair )
{
	assert_null( supScene_GetDeviceError( pair->scenes[1] ) );
	for ( int32_t i = 0; i < pair->count; ++i )
	{
		AssertSameSurface( pair->actors[0][i], pair->actors[1][i] );
		AssertSameState( pair->actors[0][i], pair->actors[1][i] );
	}
	supTrouble a = supScene_GetStats( pair->scenes[0] ).trouble, b = supScene_GetStats( pair->scenes[1] ).trouble;
	assert_int_equal( a.inverted, b.inverted );
	assert_int_equal( a.notFinite, b.notFinite );
}

// ---------------------------------------------------------------------------------------------------------------------

// Every built-in character, alone, with the guard.
static void TestModelsHaveTheSameBits( void** state )
{
	(void)state;
	supDevice* device = OpenDevice();
	const char* names[] = { "tube", "bunny", "human", "octopus", "horse", "snake" };
	for ( int32_t i = 0; i < SUP_COUNT( names ); ++i )
	{
		Body body = MakeBody( names[i], 600.0f, NULL );
		Pair pair = MakePair( device, 1, true );
		AddActor( &pair, &body, 0, 0.2f );
		StepPair( &pair, 8 );
		assert_int_equal( supScene_GetDeviceStats( pair.scenes[1] ).actors, 1 );
		AssertSamePair( &pair );
		DestroyPair( &pair );
		DestroyBody( &body );
	}
	supCloseDevice( device );
}

// The small tube, built once for the cases below: plain, and with compliance in real units.
static Body s_tube;
static Body s_compliant;

static int MakeBodies( void** state )
{
	(void)state;
	supSetting compliant = { "mode", 1.0f };
	s_tube = MakeBody( "tube", 400.0f, NULL );
	s_compliant = MakeBody( "tube", 400.0f, &compliant );
	return 0;
}

static int DestroyBodies( void** state )
{
	(void)state;
	DestroyBody( &s_tube );
	DestroyBody( &s_compliant );
	return 0;
}

// Two fleshes, several actors each, substeps, settings of their own; actors come and go while it runs.
static void TestActorsComeAndGo( void** state )
{
	(void)state;
	supDevice* device = OpenDevice();
	Pair pair = MakePair( device, 2, false );
	for ( int32_t i = 0; i < 9; ++i )
	{
		AddActor( &pair, i % 3 == 2 ? &s_compliant : &s_tube, i, 0.1f * (float)i );
	}
	for ( int32_t i = 0; i < 2; ++i )
	{
		supActor_SetParameter( pair.actors[i][1], sup_positionFrequency, 3.0f );
		supActor_SetParameter( pair.actors[i][2], sup_positionIterations, 5.0f );
		supActor_SetParameter( pair.actors[i][3], sup_positionKeep, 0.0f );
		supScene_SetWind( pair.scenes[i], supMakeVec3( 1.0f, 0.0f, 2.0f ) );
	}
	StepPair( &pair, 5 );
	assert_int_equal( supScene_GetDeviceStats( pair.scenes[1] ).actors, 9 );
	AssertSamePair( &pair );
	for ( int32_t i = 0; i < 2; ++i )
	{
		supScene_RemoveActor( pair.scenes[i], pair.actors[i][0] );
		pair.actors[i][0] = pair.actors[i][8];
	}
	pair.count = 8;
	AddActor( &pair, &s_tube, 1, 0.7f );
	StepPair( &pair, 5 );
	AssertSamePair( &pair );
	DestroyPair( &pair );
	supCloseDevice( device );
}

// A body that does not fit the device's local memory.
static void TestLargeBodies( void** state )
{
	(void)state;
	supDevice* device = OpenDevice();
	device->info.localMemory = 8192;
	Body body = MakeBody( "tube", 3000.0f, NULL );
	testGreater( ( (const supPositionFlesh*)body.flesh->own )->particleCount * 12, 8192 );
	Pair pair = MakePair( device, 1, false );
	AddActor( &pair, &body, 0, 0.2f );
	StepPair( &pair, 4 );
	assert_int_equal( supScene_GetDeviceStats( pair.scenes[1] ).actors, 1 );
	AssertSamePair( &pair );
	DestroyPair( &pair );
	DestroyBody( &body );
	supCloseDevice( device );
}

// A state saved on either side goes on with the same bits on the other.
static int32_t CountOnDevice( const Pair* pair )
{
	return supScene_GetDeviceStats( pair->scenes[1] ).actors;
}

// Flesh files of earlier versions have numbers that do not fit 16 bits.
static void TestNumbersThatAreNotShort( void** state )
{
	(void)state;
	supDevice* device = OpenDevice();
	Body body = MakeBody( "tube", 600.0f, NULL );
	( (supPositionFlesh*)body.flesh->own )->inverseMasses[0] = 1.2345678f;
	Pair pair = MakePair( device, 1, false );
	AddActor( &pair, &body, 0, 0.2f );
	StepPair( &pair, 5 );
	assert_int_equal( CountOnDevice( &pair ), 1 );
	AssertSamePair( &pair );
	DestroyPair( &pair );
	DestroyBody( &body );
	supCloseDevice( device );
}

static void TestStatesMoveBetweenDevices( void** state )
{
	(void)state;
	supDevice* device = OpenDevice();
	Pair pair = MakePair( device, 1, true );
	AddActor( &pair, &s_tube, 0, 0.3f );
	StepPair( &pair, 6 );
	size_t size = supActor_StateSize( pair.actors[0][0] );
	void* saved[2] = { malloc( size ), malloc( size ) };
	for ( int32_t i = 0; i < 2; ++i )
	{
		supActor_SaveState( pair.actors[i][0], saved[i] );
	}
	StepPair( &pair, 6 );
	for ( int32_t i = 0; i < 2; ++i )
	{
		supActor_RestoreState( pair.actors[i][0], saved[1 - i] );
	}
	AssertSameSurface( pair.actors[0][0], pair.actors[1][0] );
	StepPair( &pair, 6 );
	assert_int_equal( supScene_GetDeviceStats( pair.scenes[1] ).actors, 1 );
	AssertSamePair( &pair );
	free( saved[0] );
	free( saved[1] );
	DestroyPair( &pair );
	supCloseDevice( device );
}

// Dragged, attached, or able to touch: the actor is computed on the CPU meanwhile, and comes back.
static void TestHandOver( void** state )
{
	(void)state;
	supDevice* device = OpenDevice();
	Pair pair = MakePair( device, 1, false );
	AddActor( &pair, &s_tube, 0, 0.0f );
	AddActor( &pair, &s_tube, 1, 0.4f );
	StepPair( &pair, 4 );
	assert_int_equal( CountOnDevice( &pair ), 2 );
	supDragId drags[2];
	supCollider* colliders[2];
	for ( int32_t i = 0; i < 2; ++i )
	{
		supActor* actor = pair.actors[i][0];
		supSurfacePoint point;
		assert_true( supActor_FindNearest( actor, supMakeVec3( 0.3f, 0.2f, 0.0f ), &point ) );
		supDragDef drag = supDefaultDragDef( actor, &point );
		drags[i] = supActor_StartDrag( actor, &drag );
		testGreaterEqual( drags[i], 0 );
		supVec3 place = supActor_PointPosition( actor, &point );
		supActor_MoveDrag( actor, drags[i], supAdd( place, supMakeVec3( 0.02f, 0.05f, 0.0f ) ) );
	}
	StepPair( &pair, 4 );
	assert_int_equal( CountOnDevice( &pair ), 1 );
	AssertSamePair( &pair );
	for ( int32_t i = 0; i < 2; ++i )
	{
		supError error = { 0 };
		supActor_EndDrag( pair.actors[i][0], drags[i] );
		supColliderDef floor = supDefaultColliderDef();
		floor.shape.kind = sup_shapePlane;
		colliders[i] = supScene_AddCollider( pair.scenes[i], &floor, &error );
		testRequire( colliders[i] != NULL, &error );
	}
	StepPair( &pair, 3 );
	assert_int_equal( CountOnDevice( &pair ), 0 );
	AssertSamePair( &pair );
	for ( int32_t i = 0; i < 2; ++i )
	{
		supScene_RemoveCollider( pair.scenes[i], colliders[i] );
	}
	StepPair( &pair, 3 );
	assert_int_equal( CountOnDevice( &pair ), 2 );
	AssertSamePair( &pair );
	DestroyPair( &pair );
	supCloseDevice( device );
}

// What a renderer takes from the device is what the CPU reads.
static void TestDeviceBuffers( void** state )
{
	(void)state;
	supDevice* device = OpenDevice();
	Pair pair = MakePair( device, 1, false );
	AddActor( &pair, &s_tube, 0, 0.2f );
	AddActor( &pair, &s_tube, 1, 0.5f );
	supDeviceBuffer buffer;
	assert_false( supActor_GetDeviceBuffer( pair.actors[0][0], 0, &buffer ) );
	assert_false( supActor_GetDeviceBuffer( pair.actors[1][0], 0, &buffer ) );
	StepPair( &pair, 5 );
	assert_false( supActor_GetDeviceBuffer( pair.actors[0][0], 0, &buffer ) );
	for ( int32_t i = 0; i < pair.count; ++i )
	{
		assert_true( supActor_GetDeviceBuffer( pair.actors[1][i], 0, &buffer ) );
		assert_int_equal( buffer.stride, sizeof( supVec3 ) );
		assert_int_equal( buffer.vertexCount, supCharacter_Mesh( s_tube.character, 0 )->vertexCount );
		size_t size = (size_t)buffer.vertexCount * sizeof( supVec3 );
		supVec3* read = malloc( size );
		const supVec3* wanted[2] = { supActor_Positions( pair.actors[0][i], 0 ),
									 supActor_Normals( pair.actors[0][i], 0 ) };
		int64_t places[2] = { buffer.positions, buffer.normals };
		for ( int32_t k = 0; k < 2; ++k )
		{
			assert_int_equal( device->cl.EnqueueReadBuffer( buffer.queue, buffer.memory, true, (size_t)places[k], size,
															read, 0, NULL, NULL ),
							  sup_clSuccess );
			assert_memory_equal( read, wanted[k], size );
		}
		free( read );
	}
	DestroyPair( &pair );
	supCloseDevice( device );
}

// ---------------------------------------------------------------------------------------------------------------------
// Calls that fail

// Calls of each function that are still to succeed; negative: all.
static const supOpenCl* s_real;
static int32_t s_left;
static const char* s_failing;

static bool Fails( const char* name )
{
	return strcmp( name, s_failing ) == 0 && s_left-- <= 0;
}

static int32_t FailSetKernelArg( supClObject kernel, uint32_t index, size_t size, const void* value )
{
	return Fails( "SetKernelArg" ) ? sup_clOutOfResources : s_real->SetKernelArg( kernel, index, size, value );
}

static int32_t FailWrite( supClObject queue, supClObject buffer, uint32_t isBlocking, size_t offset, size_t size,
						  const void* source, uint32_t waitCount, const supClObject* waits, supClObject* event )
{
	return Fails( "EnqueueWriteBuffer" )
			   ? sup_clOutOfResources
			   : s_real->EnqueueWriteBuffer( queue, buffer, isBlocking, offset, size, source, waitCount, waits, event );
}

static int32_t FailRead( supClObject queue, supClObject buffer, uint32_t isBlocking, size_t offset, size_t size,
						 void* target, uint32_t waitCount, const supClObject* waits, supClObject* event )
{
	return Fails( "EnqueueReadBuffer" )
			   ? sup_clOutOfResources
			   : s_real->EnqueueReadBuffer( queue, buffer, isBlocking, offset, size, target, waitCount, waits, event );
}

static int32_t FailLaunch( supClObject queue, supClObject kernel, uint32_t dimensions, const size_t* offsets,
						   const size_t* globals, const size_t* locals, uint32_t waitCount, const supClObject* waits,
						   supClObject* event )
{
	return Fails( "EnqueueNDRangeKernel" ) ? sup_clOutOfResources
										   : s_real->EnqueueNDRangeKernel( queue, kernel, dimensions, offsets, globals,
																		   locals, waitCount, waits, event );
}

static int32_t FailFinish( supClObject queue )
{
	return Fails( "Finish" ) ? sup_clOutOfResources : s_real->Finish( queue );
}

static int32_t FailFlush( supClObject queue )
{
	return Fails( "Flush" ) ? sup_clOutOfResources : s_real->Flush( queue );
}

static supClObject FailBuffer( supClObject context, uint64_t flags, size_t size, void* host, int32_t* error )
{
	if ( Fails( "CreateBuffer" ) )
	{
		*error = sup_clOutOfDeviceMemory;
		return NULL;
	}
	return s_real->CreateBuffer( context, flags, size, host, error );
}

static int32_t FailBuild( supClObject program, uint32_t count, const supClObject* devices, const char* options,
						  void* notify, void* user )
{
	return Fails( "BuildProgram" ) ? sup_clBuildFailure
								   : s_real->BuildProgram( program, count, devices, options, notify, user );
}

static supClObject FailKernel( supClObject program, const char* name, int32_t* error )
{
	*error = sup_clOutOfHostMemory;
	return Fails( "CreateKernel" ) ? NULL : s_real->CreateKernel( program, name, error );
}

static supClObject FailQueue( supClObject context, supClObject device, uint64_t properties, int32_t* error )
{
	*error = sup_clOutOfHostMemory;
	return Fails( "CreateCommandQueue" ) ? NULL : s_real->CreateCommandQueue( context, device, properties, error );
}

static supClObject FailContext( const intptr_t* properties, uint32_t count, const supClObject* devices, void* notify,
								void* user, int32_t* error )
{
	*error = sup_clDeviceNotAvailable;
	return Fails( "CreateContext" ) ? NULL : s_real->CreateContext( properties, count, devices, notify, user, error );
}

static supClObject FailProgram( supClObject context, uint32_t count, const char** texts, const size_t* lengths,
								int32_t* error )
{
	*error = sup_clOutOfHostMemory;
	return Fails( "CreateProgramWithSource" )
			   ? NULL
			   : s_real->CreateProgramWithSource( context, count, texts, lengths, error );
}

static int32_t FailGroupInfo( supClObject kernel, supClObject device, uint32_t name, size_t size, void* value,
							  size_t* written )
{
	return Fails( "GetKernelWorkGroupInfo" )
			   ? sup_clOutOfHostMemory
			   : s_real->GetKernelWorkGroupInfo( kernel, device, name, size, value, written );
}

static void* FailMap( supClObject queue, supClObject buffer, uint32_t isBlocking, uint64_t flags, size_t offset,
					  size_t size, uint32_t waitCount, const supClObject* waits, supClObject* event, int32_t* error )
{
	*error = sup_clOutOfHostMemory;
	return Fails( "EnqueueMapBuffer" ) ? NULL
									   : s_real->EnqueueMapBuffer( queue, buffer, isBlocking, flags, offset, size,
																   waitCount, waits, event, error );
}

static int32_t FailDevices( supClObject platform, uint64_t type, uint32_t capacity, supClObject* devices,
							uint32_t* count )
{
	return Fails( "GetDeviceIDs" ) ? sup_clDeviceNotFound
								   : s_real->GetDeviceIDs( platform, type, capacity, devices, count );
}

static int32_t FailPlatforms( uint32_t capacity, supClObject* platforms, uint32_t* count )
{
	return Fails( "GetPlatformIDs" ) ? sup_clNoPlatform : s_real->GetPlatformIDs( capacity, platforms, count );
}

static supOpenCl MakeFailing( void )
{
	supOpenCl table = *s_real;
	table.SetKernelArg = FailSetKernelArg;
	table.EnqueueWriteBuffer = FailWrite;
	table.EnqueueReadBuffer = FailRead;
	table.EnqueueNDRangeKernel = FailLaunch;
	table.Finish = FailFinish;
	table.Flush = FailFlush;
	table.CreateBuffer = FailBuffer;
	table.BuildProgram = FailBuild;
	table.CreateKernel = FailKernel;
	table.CreateCommandQueue = FailQueue;
	table.CreateContext = FailContext;
	table.GetPlatformIDs = FailPlatforms;
	table.CreateProgramWithSource = FailProgram;
	table.GetKernelWorkGroupInfo = FailGroupInfo;
	table.EnqueueMapBuffer = FailMap;
	table.GetDeviceIDs = FailDevices;
	return table;
}

// Whatever fails and whenever: an error that names the device, and the scene goes on on the CPU as if nothing had
// happened. Calls that fail for good take the state with them; flesh then starts at rest, and is a number.
static void TestCallsThatFail( void** state )
{
	(void)state;
	supDevice* first = OpenDevice();
	s_real = &first->cl;
	supOpenCl table = MakeFailing();
	const struct
	{
		const char* name;
		int32_t after;
		bool losesState;
	} cases[] = { { "CreateCommandQueue", 0, false },
				  { "BuildProgram", 0, false },
				  { "CreateProgramWithSource", 0, false },
				  { "CreateKernel", 2, false },
				  { "GetKernelWorkGroupInfo", 1, false },
				  { "CreateBuffer", 0, false },
				  { "CreateBuffer", 2, false },
				  { "CreateBuffer", 4, false },
				  { "EnqueueWriteBuffer", 1, false },
				  { "EnqueueWriteBuffer", 7, false },
				  { "SetKernelArg", 40, false },
				  { "EnqueueNDRangeKernel", 0, false },
				  { "EnqueueNDRangeKernel", 6, false },
				  { "EnqueueNDRangeKernel", 8, false },
				  { "EnqueueNDRangeKernel", 9, false },
				  { "Flush", 3, false },
				  { "Finish", 2, false },
				  // where surfaces are read: the memory, the map, the wait
				  { "CreateBuffer", 8, false },
				  { "EnqueueMapBuffer", 0, false },
				  { "Finish", 6, false },
				  { "EnqueueReadBuffer", 5, true } };
	for ( int32_t i = 0; i < SUP_COUNT( cases ); ++i )
	{
		supError error = { 0 };
		s_failing = "";
		supDevice* device = supOpenDeviceWith( &table, first->info.name, &error );
		testRequire( device != NULL, &error );
		s_failing = cases[i].name;
		s_left = cases[i].after;
		Pair pair = MakePair( device, 1, false );
		AddActor( &pair, &s_tube, 0, 0.2f );
		AddActor( &pair, &s_tube, 1, 0.5f );
		StepPair( &pair, 6 );
		supActor_Positions( pair.actors[1][0], 0 );
		const supError* kept = supScene_GetDeviceError( pair.scenes[1] );
		if ( kept == NULL || strstr( kept->message, first->info.name ) == NULL )
		{
			fail_msg( "%s after %d: %s", cases[i].name, cases[i].after, kept != NULL ? kept->message : "no error" );
		}
		for ( int32_t k = 0; k < pair.count && cases[i].losesState == false; ++k )
		{
			AssertSameSurface( pair.actors[0][k], pair.actors[1][k] );
		}
		assert_int_equal( supScene_GetStats( pair.scenes[1] ).trouble.notFinite, 0 );
		s_failing = "";
		DestroyPair( &pair );
		supCloseDevice( device );
	}
	supCloseDevice( first );
}

// The device has no room for the ninth actor's page, or for what a longer list of jobs needs: it stays on the CPU, and
// the others go on on the device.
static void TestNoRoomForMore( void** state )
{
	(void)state;
	supDevice* first = OpenDevice();
	s_real = &first->cl;
	supOpenCl table = MakeFailing();
	for ( int32_t after = 0; after < 5; ++after )
	{
		supError error = { 0 };
		s_failing = "";
		supDevice* device = supOpenDeviceWith( &table, first->info.name, &error );
		testRequire( device != NULL, &error );
		Pair pair = MakePair( device, 1, false );
		for ( int32_t i = 0; i < 8; ++i )
		{
			AddActor( &pair, &s_tube, i, 0.1f * (float)i );
		}
		StepPair( &pair, 2 );
		assert_int_equal( supScene_GetDeviceStats( pair.scenes[1] ).actors, 8 );
		s_failing = "CreateBuffer";
		s_left = after;
		AddActor( &pair, &s_tube, 1, 0.3f );
		s_failing = "";
		StepPair( &pair, 3 );
		assert_non_null( supScene_GetDeviceError( pair.scenes[1] ) );
		assert_int_equal( supScene_GetDeviceStats( pair.scenes[1] ).actors, 8 );
		assert_false( supScene_GetDeviceStats( pair.scenes[1] ).isLost );
		for ( int32_t k = 0; k < pair.count; ++k )
		{
			AssertSameSurface( pair.actors[0][k], pair.actors[1][k] );
		}
		DestroyPair( &pair );
		supCloseDevice( device );
	}
	supCloseDevice( first );
}

static void TestDevicesThatAreMissing( void** state )
{
	(void)state;
	supDevice* first = OpenDevice();
	s_real = &first->cl;
	supOpenCl table = MakeFailing();
	supError error = { 0 };
	s_failing = "GetPlatformIDs";
	s_left = 0;
	assert_null( supOpenDeviceWith( &table, "gpu", &error ) );
	assert_int_equal( error.code, sup_errorDevice );
	assert_non_null( strstr( error.message, "install" ) );
	s_failing = "GetDeviceIDs";
	s_left = 0;
	assert_null( supOpenDeviceWith( &table, "gpu", &error ) );
	assert_non_null( strstr( error.message, "install" ) );
	s_failing = "CreateContext";
	s_left = 0;
	assert_null( supOpenDeviceWith( &table, first->info.name, &error ) );
	assert_non_null( strstr( error.message, first->info.name ) );
	assert_null( supOpenDevice( "no such device", &error ) );
	assert_non_null( strstr( error.message, first->info.name ) );
	supCloseDevice( first );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestModelsHaveTheSameBits ),
		cmocka_unit_test( TestActorsComeAndGo ),
		cmocka_unit_test( TestLargeBodies ),
		cmocka_unit_test( TestNumbersThatAreNotShort ),
		cmocka_unit_test( TestStatesMoveBetweenDevices ),
		cmocka_unit_test( TestHandOver ),
		cmocka_unit_test( TestDeviceBuffers ),
		cmocka_unit_test( TestCallsThatFail ),
		cmocka_unit_test( TestNoRoomForMore ),
		cmocka_unit_test( TestDevicesThatAreMissing ),
	};
	return cmocka_run_group_tests( tests, MakeBodies, DestroyBodies );
}
