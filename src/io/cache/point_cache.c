// SPDX-License-Identifier: MIT
// PC2 (3ds Max, Blender, Maya, Houdini) and MDD (LightWave, Blender, Modo) point caches.
#include "io/common/file.h"
#include "io/common/frames.h"

static void StoreInt( uint8_t* out, uint32_t value, bool bigEndian )
{
	for ( int i = 0; i < 4; ++i )
	{
		out[bigEndian ? 3 - i : i] = (uint8_t)( value >> ( 8 * i ) );
	}
}

static void StoreFloat( uint8_t* out, float value, bool bigEndian )
{
	uint32_t bits;
	memcpy( &bits, &value, 4 );
	StoreInt( out, bits, bigEndian );
}

static int32_t VertexCount( const supFrames* frames, int32_t instance )
{
	int32_t mesh = supCharacter_Instance( frames->character, instance )->mesh;
	return supCharacter_Mesh( frames->character, mesh )->vertexCount;
}

static bool WritePoints( const supFrames* frames, int32_t instance, supOutput* output, bool bigEndian, supError* error )
{
	size_t count = (size_t)VertexCount( frames, instance );
	supVec3* positions = supAllocArray( count, sizeof( supVec3 ) );
	uint8_t* bytes = supAllocArray( count, 12 );
	bool ok = positions != NULL && bytes != NULL ? true : supSetMemoryError( error );
	for ( int32_t frame = 0; ok && frame < frames->frameCount; ++frame )
	{
		ok = frames->read( frame, instance, positions, NULL, frames->context, error );
		for ( size_t i = 0; ok && i < count; ++i )
		{
			StoreFloat( bytes + 12 * i, positions[i].x, bigEndian );
			StoreFloat( bytes + 12 * i + 4, positions[i].y, bigEndian );
			StoreFloat( bytes + 12 * i + 8, positions[i].z, bigEndian );
		}
		supOutput_Write( output, bytes, ok ? 12 * count : 0 );
	}
	supFree( positions );
	supFree( bytes );
	return ok;
}

bool supSavePc2( const supFrames* frames, int32_t instance, const char* path, supError* error )
{
	supOutput* output = supBeginOutput( path, error );
	if ( output == NULL )
	{
		return false;
	}
	uint8_t header[32] = "POINTCACHE2";
	StoreInt( header + 12, 1, false );
	StoreInt( header + 16, (uint32_t)VertexCount( frames, instance ), false );
	// in frames: the first sample stands on frame 0, one sample a frame
	StoreFloat( header + 20, 0.0f, false );
	StoreFloat( header + 24, 1.0f, false );
	StoreInt( header + 28, (uint32_t)frames->frameCount, false );
	supOutput_Write( output, header, sizeof( header ) );
	bool ok = WritePoints( frames, instance, output, false, error );
	return supEndOutput( output, ok, error ) && ok;
}

bool supSaveMdd( const supFrames* frames, int32_t instance, const char* path, supError* error )
{
	supOutput* output = supBeginOutput( path, error );
	if ( output == NULL )
	{
		return false;
	}
	uint8_t word[8];
	StoreInt( word, (uint32_t)frames->frameCount, true );
	StoreInt( word + 4, (uint32_t)VertexCount( frames, instance ), true );
	supOutput_Write( output, word, 8 );
	for ( int32_t i = 0; i < frames->frameCount; ++i )
	{
		// seconds from the first frame
		StoreFloat( word, (float)i / frames->framesPerSecond, true );
		supOutput_Write( output, word, 4 );
	}
	bool ok = WritePoints( frames, instance, output, true, error );
	return supEndOutput( output, ok, error ) && ok;
}
