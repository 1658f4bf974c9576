// SPDX-License-Identifier: MIT
// What the camera of supple render frames, in pictures and by projection.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "camera.h"
#include "commands.h"
#include "core/core.h"
#include "draw/picture.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 120
#define HEIGHT 80

// ---------------------------------------------------------------------------------------------------------------------
// Pictures

static supPicture LoadPicture( const char* path )
{
	size_t size = 0;
	unsigned char* bytes = testReadFile( path, &size );
	supPicture picture = { 0 };
	supError error = { 0 };
	testRequire( supPicture_Decode( &picture, bytes, size, path, &error ), &error );
	free( bytes );
	return picture;
}

// supple render FILE, small and without ground and label; further words up to NULL.
static supPicture Render( const char* folder, const char* file, const char* view, const char* const* more )
{
	char path[300];
	snprintf( path, sizeof( path ), "%s/x.png", folder );
	const char* words[24] = { file, "-o",     path,     "--view",  view, "--no-ground", "--label",
							  "",   "--size", "120x80", "--quiet", "-m", "lbs" };
	int count = 13;
	for ( ; more != NULL && *more != NULL; ++more )
	{
		words[count++] = *more;
	}
	char* argv[24];
	for ( int i = 0; i < count; ++i )
	{
		argv[i] = strdup( words[i] );
	}
	assert_int_equal( g_renderCommand.run( &g_renderCommand, count, argv ), exit_ok );
	for ( int i = 0; i < count; ++i )
	{
		free( argv[i] );
	}
	return LoadPicture( path );
}

// The same picture with next to nothing in it: the background.
static supPicture RenderBackground( const char* folder )
{
	const char* const far[] = { "--rest", "--zoom", "0.05", NULL };
	return Render( folder, "builtin:tube", "0,0", far );
}

static bool IsForeground( const supPicture* picture, const supPicture* background, int32_t x, int32_t y )
{
	int most = 0;
	for ( int k = 0; k < 3; ++k )
	{
		int32_t at = 4 * ( y * picture->width + x ) + k;
		int away = abs( (int)picture->pixels[at] - (int)background->pixels[at] );
		most = away > most ? away : most;
	}
	return most > 12;
}

typedef struct Extent
{
	int32_t left, right, top, bottom;
} Extent;

static Extent FindExtent( const supPicture* picture, const supPicture* background )
{
	Extent extent = { WIDTH, -1, HEIGHT, -1 };
	for ( int32_t y = 0; y < HEIGHT; ++y )
	{
		for ( int32_t x = 0; x < WIDTH; ++x )
		{
			if ( IsForeground( picture, background, x, y ) )
			{
				extent.left = x < extent.left ? x : extent.left;
				extent.right = x > extent.right ? x : extent.right;
				extent.top = y < extent.top ? y : extent.top;
				extent.bottom = y > extent.bottom ? y : extent.bottom;
			}
		}
	}
	return extent;
}

static float FillOf( Extent e )
{
	return supMaxFloat( (float)( e.right + 1 - e.left ) / WIDTH, (float)( e.bottom + 1 - e.top ) / HEIGHT );
}

// Built-in characters take longer to make than to load.
static void Convert( const char* model, const char* path )
{
	char* argv[] = { strdup( model ), strdup( "-o" ), strdup( path ), strdup( "--quiet" ) };
	assert_int_equal( g_convertCommand.run( &g_convertCommand, SUP_COUNT( argv ), argv ), exit_ok );
	for ( int i = 0; i < SUP_COUNT( argv ); ++i )
	{
		free( argv[i] );
	}
}

static void TestStillsFillTheirPanel( void** state )
{
	(void)state;
	static const char* const files[] = { "builtin:bunny", "builtin:horse", "builtin:snake", "builtin:octopus",
										 "builtin:tube" };
	static const char* const views[] = { "front", "side", "back", "top", "three-quarter", "200,-30" };
	const char* const rest[] = { "--rest", NULL };
	char folder[256];
	testMakeFolder( folder );
	supPicture background = RenderBackground( folder );
	char file[300];
	snprintf( file, sizeof( file ), "%s/x.glb", folder );
	for ( int i = testRounds( 0, SUP_COUNT( files ) - 1 ); i < SUP_COUNT( files ); ++i )
	{
		Convert( files[i], file );
		for ( int k = 0; k < SUP_COUNT( views ); ++k )
		{
			supPicture picture = Render( folder, file, views[k], rest );
			Extent extent = FindExtent( &picture, &background );
			if ( FillOf( extent ) < 0.85f )
			{
				fail_msg( "%s from %s fills %g", files[i], views[k], (double)FillOf( extent ) );
			}
			testGreater( extent.left, 0 );
			testLess( extent.right, WIDTH - 1 );
			testGreater( extent.top, 0 );
			testLess( extent.bottom, HEIGHT - 1 );
			supPicture_Destroy( &picture );
		}
	}
	supPicture_Destroy( &background );
	testRemoveFolder( folder );
}

static void TestZoomHalves( void** state )
{
	(void)state;
	const char* const rest[] = { "--rest", NULL };
	const char* const zoomed[] = { "--rest", "--zoom", "0.5", NULL };
	char folder[256];
	testMakeFolder( folder );
	supPicture background = RenderBackground( folder );
	supPicture whole = Render( folder, "builtin:bunny", "front", rest );
	supPicture half = Render( folder, "builtin:bunny", "front", zoomed );
	float ratio = FillOf( FindExtent( &half, &background ) ) / FillOf( FindExtent( &whole, &background ) );
	// two pixels of 40
	assert_float_equal( ratio, 0.5f, 0.05 );
	supPicture_Destroy( &background );
	supPicture_Destroy( &whole );
	supPicture_Destroy( &half );
	testRemoveFolder( folder );
}

// ---------------------------------------------------------------------------------------------------------------------
// Directions

static char* Replace( char* text, const char* old, const char* new )
{
	char* at = strstr( text, old );
	assert_non_null( at );
	char* result = malloc( strlen( text ) + strlen( new ) + 1 );
	assert_non_null( result );
	size_t before = (size_t)( at - text );
	memcpy( result, text, before );
	strcpy( result + before, new );
	strcat( result, at + strlen( old ) );
	free( text );
	return result;
}

// The built-in bunny as a glTF file with one part of its text replaced by another.
static void WriteBunny( const char* folder, const char* name, const char* const* replacements )
{
	char path[300];
	snprintf( path, sizeof( path ), "%s/%s", folder, name );
	Convert( "builtin:bunny", path );
	size_t size = 0;
	unsigned char* bytes = testReadFile( path, &size );
	char* text = malloc( size + 1 );
	assert_non_null( text );
	memcpy( text, bytes, size );
	text[size] = 0;
	free( bytes );
	for ( ; *replacements != NULL; replacements += 2 )
	{
		text = Replace( text, replacements[0], replacements[1] );
	}
	testWriteFile( path, text, strlen( text ) );
	free( text );
}

static float MeanDifference( const supPicture* a, const supPicture* b )
{
	int64_t sum = 0;
	for ( int32_t i = 0; i < 4 * WIDTH * HEIGHT; ++i )
	{
		sum += abs( (int)a->pixels[i] - (int)b->pixels[i] );
	}
	return (float)sum / ( 4.0f * WIDTH * HEIGHT );
}

// Turned by 120 degrees the bunny looks the same from its own sides, and not as before from those of the world.
static void TestViewsTurnWithTheCharacter( void** state )
{
	(void)state;
	static const char* const views[] = { "front", "side", "back", "three-quarter" };
	static const char* const degrees[] = { "0,6", "90,6", "180,6", "32,10" };
	static const char* const turn[] = { "{\"name\":\"Hips\",", "{\"name\":\"Hips\",\"rotation\":[0,0.8660254,0,0.5],",
										NULL };
	const char* const rest[] = { "--rest", NULL };
	char folder[256], turned[300], plain[300];
	testMakeFolder( folder );
	WriteBunny( folder, "turned.gltf", turn );
	snprintf( plain, sizeof( plain ), "%s/plain.glb", folder );
	Convert( "builtin:bunny", plain );
	snprintf( turned, sizeof( turned ), "%s/turned.gltf", folder );
	for ( int i = 0; i < testRounds( SUP_COUNT( views ), 1 ); ++i )
	{
		supPicture straight = Render( folder, plain, views[i], rest );
		supPicture own = Render( folder, turned, views[i], rest );
		supPicture world = Render( folder, turned, degrees[i], rest );
		supPicture numbers = Render( folder, plain, degrees[i], rest );
		// built-in characters face +Z: the names are these angles
		assert_memory_equal( straight.pixels, numbers.pixels, 4 * WIDTH * HEIGHT );
		// the light stays where it is in the world
		testLess( MeanDifference( &straight, &own ), 0.6f * MeanDifference( &straight, &world ) );
		supPicture_Destroy( &straight );
		supPicture_Destroy( &own );
		supPicture_Destroy( &world );
		supPicture_Destroy( &numbers );
	}
	testRemoveFolder( folder );
}

// ---------------------------------------------------------------------------------------------------------------------
// Subjects

typedef struct Scene
{
	Source source;
	Camera camera;
	supPose* pose;
	supVec3* positions; // of one instance
} Scene;

static void OpenScene( Scene* scene, const char* path, const char* focus )
{
	*scene = ( Scene ){ .camera = { .choice = { 0.0f, 6.0f, true }, .zoom = 1.0f } };
	assert_int_equal( LoadSource( path, &scene->source ), exit_ok );
	assert_int_equal( AddCameraSubject( &scene->camera, &scene->source, focus ), exit_ok );
	scene->pose = supCreatePose( scene->source.character );
	scene->positions = malloc( 100000 * sizeof( supVec3 ) );
	assert_true( scene->pose != NULL && scene->positions != NULL );
}

static void CloseScene( Scene* scene )
{
	CloseCamera( &scene->camera );
	FreeSource( &scene->source );
	supDestroyPose( scene->pose );
	free( scene->positions );
}

// The character at rest, so much to the side.
static int32_t Skin( Scene* scene, int32_t instance, float shift )
{
	const supCharacter* character = scene->source.character;
	supSkinInstance( scene->pose, instance, sup_skinningLinear, NULL,
					 &( supSkinOutput ){ .positions = scene->positions } );
	int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh )->vertexCount;
	for ( int32_t i = 0; i < count; ++i )
	{
		scene->positions[i].x += shift;
	}
	return count;
}

static void Sample( Scene* scene, int32_t count, float speed, CameraFollow follow )
{
	CameraSubject* subject = scene->camera.subjects;
	assert_true( AimCamera( &scene->camera, 0, NULL, (float)WIDTH / HEIGHT, count ) );
	for ( int32_t k = 0; k < count; ++k )
	{
		CameraSample* sample = subject->samples + subject->sampleCount++;
		sample->time = 0.1f * (float)k;
		for ( int32_t i = 0; i < supCharacter_InstanceCount( scene->source.character ); ++i )
		{
			Skin( scene, i, speed * sample->time );
			IncludeInstance( subject, i, scene->positions, sample );
		}
		IncludeFocus( subject, scene->pose, sample );
	}
	assert_true( FinishCamera( &scene->camera, follow ) );
}

// How much of the picture the framed vertices take, and whether all are inside.
static float FillAt( Scene* scene, float time, float speed )
{
	const CameraSubject* subject = scene->camera.subjects;
	supView view = GetCameraView( &scene->camera, 0, time );
	supVec2 least = { 1e9f, 1e9f }, most = { -1e9f, -1e9f };
	const bool* focused = subject->focused;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( scene->source.character ); ++i )
	{
		int32_t count = Skin( scene, i, speed * time );
		for ( int32_t v = 0; v < count && subject->scenery[i] == false; ++v )
		{
			supVec2 p;
			assert_true( supView_Project( &view, WIDTH, HEIGHT, scene->positions[v], &p ) );
			if ( focused == NULL || focused[v] )
			{
				least = ( supVec2 ){ supMinFloat( least.x, p.x ), supMinFloat( least.y, p.y ) };
				most = ( supVec2 ){ supMaxFloat( most.x, p.x ), supMaxFloat( most.y, p.y ) };
			}
		}
		focused += focused != NULL ? count : 0;
	}
	testGreater( least.x, 0.0f );
	testGreater( least.y, 0.0f );
	testLess( most.x, WIDTH );
	testLess( most.y, HEIGHT );
	return supMaxFloat( ( most.x - least.x ) / WIDTH, ( most.y - least.y ) / HEIGHT );
}

static void TestSceneryIsNotFramed( void** state )
{
	(void)state;
	static const char* const ground[] = { "{\"name\":\"eyes\",\"mesh\":1,\"skin\":0}]",
										  "{\"name\":\"eyes\",\"mesh\":1,\"skin\":0},"
										  "{\"name\":\"Ground\",\"mesh\":1,\"scale\":[30,0.01,30]}]",
										  "\"nodes\":[0,29,30]", "\"nodes\":[0,29,30,31]", NULL };
	char folder[256], path[300];
	testMakeFolder( folder );
	WriteBunny( folder, "diorama.gltf", ground );
	snprintf( path, sizeof( path ), "%s/diorama.gltf", folder );
	Scene alone, diorama;
	OpenScene( &alone, "builtin:bunny", NULL );
	OpenScene( &diorama, path, NULL );
	assert_int_equal( supCharacter_InstanceCount( diorama.source.character ), 3 );
	Sample( &alone, 1, 0.0f, follow_never );
	Sample( &diorama, 1, 0.0f, follow_never );
	supView a = GetCameraView( &alone.camera, 0, 0.0f ), b = GetCameraView( &diorama.camera, 0, 0.0f );
	// positions went through a file of floats
	testLess( supDistance( a.eye, b.eye ), 1e-4f );
	testGreater( FillAt( &alone, 0.0f, 0.0f ), 0.89f );
	CloseScene( &alone );
	CloseScene( &diorama );
	testRemoveFolder( folder );
}

static void TestTravelIsFollowed( void** state )
{
	(void)state;
	Scene scene;
	OpenScene( &scene, "builtin:bunny", NULL );
	// 0.1 m is within what a camera that stands still shows; 10 m are not
	Sample( &scene, 21, 0.05f, follow_smoothly );
	assert_null( scene.camera.subjects[0].path );
	Sample( &scene, 21, 5.0f, follow_never );
	float still = FillAt( &scene, 1.0f, 5.0f );
	Sample( &scene, 21, 5.0f, follow_smoothly );
	assert_non_null( scene.camera.subjects[0].path );
	testGreater( FillAt( &scene, 1.0f, 5.0f ), 3.0f * still );
	// also where its path begins and ends, which smoothing cuts short, and between samples
	FillAt( &scene, 0.0f, 5.0f );
	FillAt( &scene, 0.55f, 5.0f );
	FillAt( &scene, 2.0f, 5.0f );
	// the pictures of a sheet need no smooth path
	Sample( &scene, 21, 5.0f, follow_closely );
	for ( int k = 0; k <= 20; k += 5 )
	{
		assert_float_equal( FillAt( &scene, 0.1f * (float)k, 5.0f ), SUP_VIEW_FILL, 0.01 );
	}
	CloseScene( &scene );
}

static void TestFocusShowsAPart( void** state )
{
	(void)state;
	static const char* const joints[] = { "Head", "LeftUpperArm", "lefthand" };
	for ( int i = 0; i < SUP_COUNT( joints ); ++i )
	{
		Scene scene;
		OpenScene( &scene, "builtin:bunny", joints[i] );
		Sample( &scene, 3, 2.0f, follow_smoothly );
		// with something around it
		for ( int k = 0; k < 3; ++k )
		{
			float fill = FillAt( &scene, 0.1f * (float)k, 2.0f );
			testGreater( fill, 0.4f );
			testLess( fill, 0.7f );
		}
		CloseScene( &scene );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestStillsFillTheirPanel ),      cmocka_unit_test( TestZoomHalves ),
		cmocka_unit_test( TestViewsTurnWithTheCharacter ), cmocka_unit_test( TestSceneryIsNotFramed ),
		cmocka_unit_test( TestTravelIsFollowed ),          cmocka_unit_test( TestFocusShowsAPart ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
