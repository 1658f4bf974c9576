// SPDX-License-Identifier: MIT
#include "draw/deep_picture.h"

#include <png.h>
#include <stdlib.h>
#include <tinyexr.h>

uint8_t* supEncodeDeepPng( const supDeepPicture* picture, size_t* byteCount, supError* error )
{
	png_image image = { .version = PNG_IMAGE_VERSION,
						.width = (png_uint_32)picture->width,
						.height = (png_uint_32)picture->height,
						.format = PNG_FORMAT_LINEAR_RGB };
	// where deflate saves nothing, this is what it needs at most
	png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX( image );
	uint8_t* bytes = supAlloc( size );
	if ( bytes == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	if ( png_image_write_to_memory( &image, bytes, &size, 0, picture->pixels, 3 * picture->width, NULL ) == 0 )
	{
		supSetError( error, sup_errorWrite, "PNG", "cannot encode the picture: %s", image.message );
		png_image_free( &image );
		supFree( bytes );
		return NULL;
	}
	*byteCount = size;
	return bytes;
}

// tinyexr has memory of its own.
static uint8_t* TakeBytes( unsigned char* bytes, size_t byteCount, const char* message, supError* error )
{
	uint8_t* copy = byteCount > 0 ? supAlloc( byteCount ) : NULL;
	if ( copy != NULL )
	{
		memcpy( copy, bytes, byteCount );
	}
	else if ( byteCount > 0 )
	{
		supSetMemoryError( error );
	}
	else
	{
		supSetError( error, sup_errorWrite, "EXR", "cannot encode the picture: %s",
					 message != NULL ? message : "unknown reason" );
	}
	free( bytes );
	return copy;
}

uint8_t* supEncodeDeepExr( const supDeepPicture* picture, size_t* byteCount, supError* error )
{
	size_t count = (size_t)picture->width * (size_t)picture->height;
	float* planes = supAllocArray( 3 * count, sizeof( float ) );
	if ( planes == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	// channels stand in the order of their names
	EXRChannelInfo channels[3] = { { .name = "B" }, { .name = "G" }, { .name = "R" } };
	float* images[3];
	int types[3] = { TINYEXR_PIXELTYPE_FLOAT, TINYEXR_PIXELTYPE_FLOAT, TINYEXR_PIXELTYPE_FLOAT };
	for ( size_t k = 0; k < 3; ++k )
	{
		images[k] = planes + k * count;
		for ( size_t i = 0; i < count; ++i )
		{
			images[k][i] = (float)picture->pixels[3 * i + 2 - k] / 65535.0f;
		}
	}
	EXRHeader header;
	EXRImage image;
	InitEXRHeader( &header );
	InitEXRImage( &image );
	header.num_channels = 3;
	header.channels = channels;
	header.pixel_types = types;
	header.requested_pixel_types = types;
	header.compression_type = TINYEXR_COMPRESSIONTYPE_ZIP;
	image.num_channels = 3;
	image.images = (unsigned char**)(void*)images;
	image.width = picture->width;
	image.height = picture->height;
	unsigned char* bytes = NULL;
	const char* message = NULL;
	*byteCount = SaveEXRImageToMemory( &image, &header, &bytes, &message );
	supFree( planes );
	uint8_t* copy = TakeBytes( bytes, *byteCount, message, error );
	FreeEXRErrorMessage( message );
	return copy;
}
