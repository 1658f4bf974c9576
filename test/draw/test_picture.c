// SPDX-License-Identifier: MIT
// Pictures: PNG out and in, JPEG in, damaged files, pasting, drawing on top, films.
#include "support.h"

#include "draw/film.h"
#include "draw/picture.h"
#include "draw/view.h"

#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>
#include <unistd.h>

static supPicture MakeGradient( int32_t width, int32_t height )
{
	supPicture picture;
	assert_true( supPicture_Create( &picture, width, height ) );
	for ( int32_t i = 0; i < width * height; ++i )
	{
		uint8_t* p = picture.pixels + 4 * i;
		p[0] = (uint8_t)( 255 * ( i % width ) / width );
		p[1] = (uint8_t)( 255 * ( i / width ) / height );
		p[2] = 128;
		p[3] = 255;
	}
	return picture;
}

static void TestPngComesBackTheSame( void** state )
{
	(void)state;
	char folder[256], path[512];
	testMakeFolder( folder );
	snprintf( path, sizeof( path ), "%s/a.png", folder );
	supPicture picture = MakeGradient( 37, 23 );
	// a transparent pixel keeps its alpha
	picture.pixels[3] = 0;
	supError error = { 0 };
	testRequire( supPicture_SavePng( &picture, path, &error ), &error );
	size_t size;
	unsigned char* bytes = testReadFile( path, &size );
	supPicture back;
	testRequire( supPicture_Decode( &back, bytes, size, "a.png", &error ), &error );
	assert_int_equal( back.width, 37 );
	assert_int_equal( back.height, 23 );
	assert_int_equal( back.pixels[3], 0 );
	assert_memory_equal( back.pixels + 4, picture.pixels + 4, 4 * ( 37 * 23 - 1 ) );
	supPicture_Destroy( &back );

	// cut off anywhere it is refused or decoded, never worse
	for ( size_t cut = 0; cut < size; cut += 7 )
	{
		supClearError( &error );
		if ( supPicture_Decode( &back, bytes, cut, "cut.png", &error ) )
		{
			supPicture_Destroy( &back );
		}
		else
		{
			assert_true( error.code == sup_errorFormat || error.code == sup_errorUnsupported );
		}
	}
	// a header that promises a huge picture
	memset( bytes + 16, 0x7F, 4 );
	supClearError( &error );
	assert_false( supPicture_Decode( &back, bytes, size, "huge.png", &error ) );
	free( bytes );
	supPicture_Destroy( &picture );
	testRemoveFolder( folder );
}

static void TestJpegIsRead( void** state )
{
	(void)state;
	supPicture picture = MakeGradient( 64, 48 );
	tjhandle encoder = tjInitCompress();
	unsigned char* bytes = NULL;
	unsigned long size = 0;
	assert_int_equal( tjCompress2( encoder, picture.pixels, 64, 0, 48, TJPF_RGBA, &bytes, &size, TJSAMP_444, 95, 0 ),
					  0 );
	supPicture back;
	supError error = { 0 };
	testRequire( supPicture_Decode( &back, bytes, size, "a.jpg", &error ), &error );
	for ( int i = 0; i < 4 * 64 * 48; ++i )
	{
		testLessEqual( abs( back.pixels[i] - picture.pixels[i] ), 6 );
	}
	supPicture_Destroy( &back );
	supClearError( &error );
	assert_false( supPicture_Decode( &back, bytes, 20, "cut.jpg", &error ) );
	assert_int_equal( error.code, sup_errorFormat );
	tjFree( bytes );
	tjDestroy( encoder );
	supPicture_Destroy( &picture );
}

static void TestPasteIsClipped( void** state )
{
	(void)state;
	supPicture big, small;
	assert_true( supPicture_Create( &big, 8, 8 ) );
	assert_true( supPicture_Create( &small, 4, 4 ) );
	memset( small.pixels, 9, 64 );
	supPicture_Paste( &big, &small, 6, -2 );
	supPicture_Paste( &big, &small, -3, 6 );
	supPicture_Paste( &big, &small, 20, 20 );
	int count = 0;
	for ( int i = 0; i < 64; ++i )
	{
		count += big.pixels[4 * i] == 9;
	}
	assert_int_equal( count, 2 * 2 + 1 * 2 );
	supPicture_Destroy( &big );
	supPicture_Destroy( &small );
	assert_false( supPicture_Create( &big, 0, 5 ) );
	assert_false( supPicture_Create( &big, 5, 100000 ) );
}

static void TestPenDraws( void** state )
{
	(void)state;
	supPicture picture;
	assert_true( supPicture_Create( &picture, 100, 60 ) );
	supPen* pen = supPen_Begin( &picture );
	assert_non_null( pen );
	supPen_Rectangle( pen, ( supVec2 ){ 10, 10 }, ( supVec2 ){ 20, 10 }, ( supVec4 ){ 1, 0, 0, 1 } );
	supPen_Disc( pen, ( supVec2 ){ 70, 30 }, 8, ( supVec4 ){ 0, 1, 0, 1 } );
	supPen_Line( pen, ( supVec2 ){ 0, 55 }, ( supVec2 ){ 99, 55 }, 3, ( supVec4 ){ 0, 0, 1, 1 } );
	supPen_Spike( pen, ( supVec2 ){ 40, 5 }, ( supVec2 ){ 40, 45 }, 8, ( supVec4 ){ 1, 1, 0, 1 } );
	supPen_End( pen );
	const uint8_t red[4] = { 255, 0, 0, 255 }, green[4] = { 0, 255, 0, 255 }, blue[4] = { 0, 0, 255, 255 };
	assert_memory_equal( picture.pixels + 4 * ( 15 * 100 + 20 ), red, 4 );
	assert_memory_equal( picture.pixels + 4 * ( 30 * 100 + 70 ), green, 4 );
	assert_memory_equal( picture.pixels + 4 * ( 55 * 100 + 50 ), blue, 4 );
	assert_int_equal( picture.pixels[4 * ( 15 * 100 + 40 ) + 3], 255 );
	assert_int_equal( picture.pixels[4 * ( 2 * 100 + 2 ) + 3], 0 );
	supPicture_Destroy( &picture );
}

// The column of the last pixel that text has darkened, -1 for none.
static int32_t FindLastInk( const supPicture* picture )
{
	int32_t last = -1;
	for ( int32_t i = 0; i < picture->width * picture->height; ++i )
	{
		int32_t column = i % picture->width;
		last = picture->pixels[4 * i] < 200 && column > last ? column : last;
	}
	return last;
}

static void TestLabelFits( void** state )
{
	(void)state;
	const int32_t widths[] = { 800, 160 };
	for ( int32_t i = 0; i < SUP_COUNT( widths ); ++i )
	{
		supPicture picture;
		assert_true( supPicture_Create( &picture, widths[i], 600 ) );
		memset( picture.pixels, 255, (size_t)widths[i] * 600 * 4 );
		supDrawLabel( &picture, "position  0.25 s" );
		int32_t last = FindLastInk( &picture );
		assert_in_range( last, 60, widths[i] - 4 );
		supPicture_Destroy( &picture );
	}
}

static void TestFilm( void** state )
{
	(void)state;
	if ( system( "command -v ffmpeg > /dev/null && command -v ffprobe > /dev/null" ) != 0 )
	{
		printf( "skipped: no ffmpeg (scripts/setup.sh film)\n" );
		skip();
	}
	char folder[256];
	testMakeFolder( folder );
	static const char* const names[] = { "a.mp4", "a.webm", "a.gif" };
	for ( int k = 0; k < 3; ++k )
	{
		char path[512], command[1024];
		snprintf( path, sizeof( path ), "%s/%s", folder, names[k] );
		supError error = { 0 };
		// an odd width, which H.264 cannot hold as it is
		supFilm* film = supFilm_Open( path, 65, 48, 12.0f, &error );
		testRequire( film != NULL, &error );
		supPicture picture = MakeGradient( 65, 48 );
		for ( int frame = 0; frame < 6; ++frame )
		{
			testRequire( supFilm_Add( film, &picture, &error ), &error );
		}
		supPicture_Destroy( &picture );
		testRequire( supFilm_Close( film, true, &error ), &error );
		snprintf( command, sizeof( command ),
				  "test \"$(ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=nb_read_frames -of "
				  "csv=p=0 %s)\" = 6",
				  path );
		assert_int_equal( system( command ), 0 );
	}
	// given up: nothing is left; unwritable: an error
	char path[512];
	snprintf( path, sizeof( path ), "%s/b.mp4", folder );
	supError error = { 0 };
	supFilm* film = supFilm_Open( path, 64, 48, 12.0f, &error );
	assert_non_null( film );
	supFilm_Close( film, false, &error );
	assert_int_not_equal( access( path, F_OK ), 0 );
	supClearError( &error );
	film = supFilm_Open( "/nonexistent-folder/b.mp4", 64, 48, 12.0f, &error );
	assert_non_null( film );
	assert_false( supFilm_Close( film, true, &error ) );
	assert_int_equal( error.code, sup_errorWrite );
	supClearError( &error );
	assert_null( supFilm_Open( "b.avi", 64, 48, 12.0f, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	testRemoveFolder( folder );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestPngComesBackTheSame ), cmocka_unit_test( TestJpegIsRead ),
		cmocka_unit_test( TestPasteIsClipped ),      cmocka_unit_test( TestPenDraws ),
		cmocka_unit_test( TestLabelFits ),           cmocka_unit_test( TestFilm ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
