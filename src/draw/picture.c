// SPDX-License-Identifier: MIT
#include "draw/picture.h"

#include "core/array.h"
#include "io/common/file.h"

#include <cairo.h>
#include <turbojpeg.h>

#define MAX_SIDE 16384

bool supPicture_Create( supPicture* picture, int32_t width, int32_t height )
{
	*picture = ( supPicture ){ 0 };
	if ( width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE )
	{
		return false;
	}
	picture->pixels = supAllocZeroed( (size_t)width * (size_t)height * 4 );
	picture->width = width;
	picture->height = height;
	return picture->pixels != NULL;
}

void supPicture_Destroy( supPicture* picture )
{
	supFree( picture->pixels );
	*picture = ( supPicture ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// cairo keeps pixels as native-endian premultiplied ARGB

static uint8_t Premultiply( uint8_t value, uint8_t alpha )
{
	return (uint8_t)( ( value * alpha + 127 ) / 255 );
}

static uint8_t Unpremultiply( uint32_t value, uint32_t alpha )
{
	uint32_t v = alpha > 0 ? ( value * 255 + alpha / 2 ) / alpha : 0;
	return (uint8_t)( v < 255 ? v : 255 );
}

static void ToSurface( const supPicture* picture, cairo_surface_t* surface )
{
	uint8_t* data = cairo_image_surface_get_data( surface );
	int stride = cairo_image_surface_get_stride( surface );
	for ( int32_t y = 0; y < picture->height; ++y )
	{
		uint32_t* row = (uint32_t*)(void*)( data + (ptrdiff_t)y * stride );
		const uint8_t* p = picture->pixels + (size_t)y * (size_t)picture->width * 4;
		for ( int32_t x = 0; x < picture->width; ++x, p += 4 )
		{
			row[x] = (uint32_t)p[3] << 24 | (uint32_t)Premultiply( p[0], p[3] ) << 16 |
					 (uint32_t)Premultiply( p[1], p[3] ) << 8 | Premultiply( p[2], p[3] );
		}
	}
	cairo_surface_mark_dirty( surface );
}

static void FromSurface( supPicture* picture, cairo_surface_t* surface )
{
	cairo_surface_flush( surface );
	const uint8_t* data = cairo_image_surface_get_data( surface );
	int stride = cairo_image_surface_get_stride( surface );
	bool opaque = cairo_image_surface_get_format( surface ) == CAIRO_FORMAT_RGB24;
	for ( int32_t y = 0; y < picture->height; ++y )
	{
		const uint32_t* row = (const uint32_t*)(const void*)( data + (ptrdiff_t)y * stride );
		uint8_t* p = picture->pixels + (size_t)y * (size_t)picture->width * 4;
		for ( int32_t x = 0; x < picture->width; ++x, p += 4 )
		{
			uint32_t alpha = opaque ? 255 : row[x] >> 24;
			p[0] = Unpremultiply( row[x] >> 16 & 255, alpha );
			p[1] = Unpremultiply( row[x] >> 8 & 255, alpha );
			p[2] = Unpremultiply( row[x] & 255, alpha );
			p[3] = (uint8_t)alpha;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Decoding

typedef struct ByteReader
{
	const uint8_t* bytes;
	size_t left;
} ByteReader;

static cairo_status_t ReadBytes( void* context, unsigned char* data, unsigned int length )
{
	ByteReader* reader = context;
	if ( length > reader->left )
	{
		return CAIRO_STATUS_READ_ERROR;
	}
	memcpy( data, reader->bytes, length );
	reader->bytes += length;
	reader->left -= length;
	return CAIRO_STATUS_SUCCESS;
}

// The size that the header promises; looked at before anything is allocated for it.
static bool IsPngSizeFine( const uint8_t* bytes, size_t byteCount )
{
	if ( byteCount < 24 )
	{
		return false;
	}
	uint32_t width = (uint32_t)bytes[16] << 24 | (uint32_t)bytes[17] << 16 | (uint32_t)bytes[18] << 8 | bytes[19];
	uint32_t height = (uint32_t)bytes[20] << 24 | (uint32_t)bytes[21] << 16 | (uint32_t)bytes[22] << 8 | bytes[23];
	return width >= 1 && height >= 1 && width <= MAX_SIDE && height <= MAX_SIDE;
}

static bool DecodePng( supPicture* picture, const uint8_t* bytes, size_t byteCount, const char* where, supError* error )
{
	if ( IsPngSizeFine( bytes, byteCount ) == false )
	{
		return supSetError( error, sup_errorFormat, where, "the PNG picture is damaged or larger than %d pixels a side",
							MAX_SIDE );
	}
	ByteReader reader = { bytes, byteCount };
	cairo_surface_t* surface = cairo_image_surface_create_from_png_stream( ReadBytes, &reader );
	cairo_status_t status = cairo_surface_status( surface );
	cairo_format_t format =
		status == CAIRO_STATUS_SUCCESS ? cairo_image_surface_get_format( surface ) : CAIRO_FORMAT_INVALID;
	bool ok = format == CAIRO_FORMAT_ARGB32 || format == CAIRO_FORMAT_RGB24;
	if ( ok == false )
	{
		supSetError( error, sup_errorFormat, where, "cannot decode the PNG picture: %s",
					 cairo_status_to_string( status ) );
	}
	else if ( supPicture_Create( picture, cairo_image_surface_get_width( surface ),
								 cairo_image_surface_get_height( surface ) ) == false )
	{
		ok = supSetMemoryError( error );
	}
	else
	{
		FromSurface( picture, surface );
	}
	cairo_surface_destroy( surface );
	return ok;
}

static bool DecodeJpeg( supPicture* picture, const uint8_t* bytes, size_t byteCount, const char* where,
						supError* error )
{
	tjhandle decoder = tjInitDecompress();
	int width = 0, height = 0, sampling, colors;
	bool ok =
		decoder != NULL && byteCount <= UINT32_MAX &&
		tjDecompressHeader3( decoder, bytes, (unsigned long)byteCount, &width, &height, &sampling, &colors ) == 0 &&
		width > 0 && height > 0;
	if ( ok && supPicture_Create( picture, width, height ) == false )
	{
		ok = supSetError( error, sup_errorTooLarge, where, "the JPEG picture is too large" );
	}
	ok = ok && tjDecompress2( decoder, bytes, (unsigned long)byteCount, picture->pixels, width, 4 * width, height,
							  TJPF_RGBA, 0 ) == 0;
	if ( ok == false )
	{
		supSetError( error, sup_errorFormat, where, "cannot decode the JPEG picture" );
		supPicture_Destroy( picture );
	}
	if ( decoder != NULL )
	{
		tjDestroy( decoder );
	}
	return ok;
}

bool supPicture_Decode( supPicture* picture, const uint8_t* bytes, size_t byteCount, const char* where,
						supError* error )
{
	*picture = ( supPicture ){ 0 };
	if ( byteCount >= 8 && memcmp( bytes, "\x89PNG\r\n\x1a\n", 8 ) == 0 )
	{
		return DecodePng( picture, bytes, byteCount, where, error );
	}
	if ( byteCount >= 3 && memcmp( bytes, "\xFF\xD8\xFF", 3 ) == 0 )
	{
		return DecodeJpeg( picture, bytes, byteCount, where, error );
	}
	return supSetError( error, sup_errorUnsupported, where, "the picture is neither PNG nor JPEG" );
}

// ---------------------------------------------------------------------------------------------------------------------
// Saving and pasting

typedef struct ByteWriter
{
	SUP_ARRAY( uint8_t ) bytes;
} ByteWriter;

static cairo_status_t WriteBytes( void* context, const unsigned char* data, unsigned int length )
{
	ByteWriter* writer = context;
	if ( length > INT32_MAX / 4 - (uint32_t)writer->bytes.count )
	{
		return CAIRO_STATUS_WRITE_ERROR;
	}
	int32_t needed = writer->bytes.count + (int32_t)length;
	if ( needed > writer->bytes.capacity &&
		 supGrowArray( (void**)&writer->bytes.data, &writer->bytes.capacity, needed, 1 ) == false )
	{
		return CAIRO_STATUS_NO_MEMORY;
	}
	memcpy( writer->bytes.data + writer->bytes.count, data, length );
	writer->bytes.count = needed;
	return CAIRO_STATUS_SUCCESS;
}

bool supPicture_SavePng( const supPicture* picture, const char* path, supError* error )
{
	cairo_surface_t* surface = cairo_image_surface_create( CAIRO_FORMAT_ARGB32, picture->width, picture->height );
	ByteWriter writer = { 0 };
	bool ok = cairo_surface_status( surface ) == CAIRO_STATUS_SUCCESS;
	if ( ok )
	{
		ToSurface( picture, surface );
		ok = cairo_surface_write_to_png_stream( surface, WriteBytes, &writer ) == CAIRO_STATUS_SUCCESS;
	}
	cairo_surface_destroy( surface );
	ok = ok ? supWriteFile( path, writer.bytes.data, (size_t)writer.bytes.count, error ) : supSetMemoryError( error );
	SUP_FREE_ARRAY( &writer.bytes );
	return ok;
}

bool supPicture_SaveJpeg( const supPicture* picture, int32_t quality, const char* path, supError* error )
{
	tjhandle encoder = tjInitCompress();
	unsigned char* bytes = NULL;
	unsigned long byteCount = 0;
	bool ok =
		encoder != NULL && tjCompress2( encoder, picture->pixels, picture->width, 4 * picture->width, picture->height,
										TJPF_RGBA, &bytes, &byteCount, TJSAMP_420, quality, 0 ) == 0;
	ok = ok ? supWriteFile( path, bytes, (size_t)byteCount, error ) : supSetMemoryError( error );
	tjFree( bytes );
	if ( encoder != NULL )
	{
		tjDestroy( encoder );
	}
	return ok;
}

void supPicture_Paste( supPicture* picture, const supPicture* source, int32_t x, int32_t y )
{
	int32_t left = x > 0 ? x : 0;
	int32_t right = x + source->width < picture->width ? x + source->width : picture->width;
	for ( int32_t row = y > 0 ? y : 0; row < y + source->height && row < picture->height; ++row )
	{
		if ( left < right )
		{
			memcpy( picture->pixels + 4 * ( (size_t)row * (size_t)picture->width + (size_t)left ),
					source->pixels + 4 * ( (size_t)( row - y ) * (size_t)source->width + (size_t)( left - x ) ),
					4 * (size_t)( right - left ) );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Pens

struct supPen
{
	supPicture* picture;
	cairo_surface_t* surface;
	cairo_t* cairo;
};

supPen* supPen_Begin( supPicture* picture )
{
	supPen* pen = supAllocSmall( sizeof( supPen ) );
	if ( pen == NULL )
	{
		return NULL;
	}
	pen->picture = picture;
	pen->surface = cairo_image_surface_create( CAIRO_FORMAT_ARGB32, picture->width, picture->height );
	pen->cairo = cairo_create( pen->surface );
	if ( cairo_status( pen->cairo ) != CAIRO_STATUS_SUCCESS )
	{
		cairo_destroy( pen->cairo );
		cairo_surface_destroy( pen->surface );
		supFree( pen );
		return NULL;
	}
	ToSurface( picture, pen->surface );
	cairo_set_line_cap( pen->cairo, CAIRO_LINE_CAP_ROUND );
	return pen;
}

void supPen_End( supPen* pen )
{
	if ( pen != NULL )
	{
		FromSurface( pen->picture, pen->surface );
		cairo_destroy( pen->cairo );
		cairo_surface_destroy( pen->surface );
		supFree( pen );
	}
}

static void SetColor( supPen* pen, supVec4 color )
{
	cairo_set_source_rgba( pen->cairo, (double)color.x, (double)color.y, (double)color.z, (double)color.w );
}

void supPen_Line( supPen* pen, supVec2 a, supVec2 b, float width, supVec4 color )
{
	SetColor( pen, color );
	cairo_set_line_width( pen->cairo, (double)width );
	cairo_move_to( pen->cairo, (double)a.x, (double)a.y );
	cairo_line_to( pen->cairo, (double)b.x, (double)b.y );
	cairo_stroke( pen->cairo );
}

void supPen_Disc( supPen* pen, supVec2 center, float radius, supVec4 color )
{
	SetColor( pen, color );
	cairo_arc( pen->cairo, (double)center.x, (double)center.y, (double)radius, 0.0, 6.283185307179586 );
	cairo_fill( pen->cairo );
}

void supPen_Rectangle( supPen* pen, supVec2 corner, supVec2 size, supVec4 color )
{
	SetColor( pen, color );
	cairo_rectangle( pen->cairo, (double)corner.x, (double)corner.y, (double)size.x, (double)size.y );
	cairo_fill( pen->cairo );
}

void supPen_Spike( supPen* pen, supVec2 a, supVec2 b, float width, supVec4 color )
{
	float dx = b.x - a.x, dy = b.y - a.y;
	float length = sqrtf( dx * dx + dy * dy );
	if ( length < 1e-3f )
	{
		return;
	}
	float w = 0.5f * supMinFloat( width, 0.4f * length ) / length;
	float shoulder = 0.18f;
	SetColor( pen, color );
	cairo_move_to( pen->cairo, (double)a.x, (double)a.y );
	cairo_line_to( pen->cairo, (double)( a.x + shoulder * dx - w * dy ), (double)( a.y + shoulder * dy + w * dx ) );
	cairo_line_to( pen->cairo, (double)b.x, (double)b.y );
	cairo_line_to( pen->cairo, (double)( a.x + shoulder * dx + w * dy ), (double)( a.y + shoulder * dy - w * dx ) );
	cairo_close_path( pen->cairo );
	cairo_fill( pen->cairo );
}

static cairo_text_extents_t MeasureText( supPen* pen, float size, const char* text )
{
	cairo_select_font_face( pen->cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL );
	cairo_set_font_size( pen->cairo, (double)size );
	cairo_text_extents_t extents;
	cairo_text_extents( pen->cairo, text, &extents );
	return extents;
}

float supPen_TextWidth( supPen* pen, float size, const char* text )
{
	return (float)MeasureText( pen, size, text ).x_advance;
}

void supPen_Text( supPen* pen, supVec2 at, supVec2 anchor, float size, supVec4 color, const char* text )
{
	cairo_text_extents_t extents = MeasureText( pen, size, text );
	cairo_font_extents_t font;
	cairo_font_extents( pen->cairo, &font );
	double x = (double)at.x - (double)anchor.x * extents.x_advance;
	double y = (double)at.y - (double)anchor.y * ( font.ascent + font.descent ) + font.ascent;
	SetColor( pen, color );
	cairo_move_to( pen->cairo, x, y );
	cairo_show_text( pen->cairo, text );
}
