// SPDX-License-Identifier: MIT
// Small glTF files for the tests: bytes are added view by view, the rest of the JSON is written by hand.
#pragma once

#include "support.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct Maker
{
	unsigned char bin[1 << 16];
	size_t binCount;
	char views[1 << 14];
	int viewCount;
	char accessors[1 << 14];
	int accessorCount;
} Maker;

static inline void maker_Text( char* text, size_t capacity, const char* format, ... )
{
	size_t used = strlen( text );
	va_list arguments;
	va_start( arguments, format );
	int added = vsnprintf( text + used, capacity - used, format, arguments );
	va_end( arguments );
	assert_true( added >= 0 && (size_t)added < capacity - used );
}

// Returns the index of the new view. Stride 0: none is written.
static inline int maker_View( Maker* maker, const void* bytes, size_t count, int stride )
{
	maker->binCount = ( maker->binCount + 3 ) & ~(size_t)3;
	assert_true( maker->binCount + count <= sizeof( maker->bin ) );
	memcpy( maker->bin + maker->binCount, bytes, count );
	maker_Text( maker->views, sizeof( maker->views ), "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu",
				maker->viewCount > 0 ? "," : "", maker->binCount, count );
	if ( stride > 0 )
	{
		maker_Text( maker->views, sizeof( maker->views ), ",\"byteStride\":%d", stride );
	}
	maker_Text( maker->views, sizeof( maker->views ), "}" );
	maker->binCount += count;
	return maker->viewCount++;
}

// An accessor over a view, with more members (",\"normalized\":true") or "". View -1: none.
static inline int maker_AccessorOf( Maker* maker, int view, int count, int componentType, const char* type,
									const char* more )
{
	maker_Text( maker->accessors, sizeof( maker->accessors ), "%s{\"componentType\":%d,\"count\":%d,\"type\":\"%s\"%s",
				maker->accessorCount > 0 ? "," : "", componentType, count, type, more );
	if ( view >= 0 )
	{
		maker_Text( maker->accessors, sizeof( maker->accessors ), ",\"bufferView\":%d", view );
	}
	maker_Text( maker->accessors, sizeof( maker->accessors ), "}" );
	return maker->accessorCount++;
}

// View and accessor in one.
static inline int maker_Accessor( Maker* maker, const void* bytes, size_t byteCount, int count, int componentType,
								  const char* type, const char* more )
{
	return maker_AccessorOf( maker, maker_View( maker, bytes, byteCount, 0 ), count, componentType, type, more );
}

static inline char* maker_Json( const Maker* maker, const char* uri, const char* rest )
{
	size_t capacity = sizeof( maker->views ) + sizeof( maker->accessors ) + strlen( rest ) + strlen( uri ) + 256;
	char* json = calloc( 1, capacity );
	assert_non_null( json );
	maker_Text( json, capacity, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu%s}]",
				maker->binCount, uri );
	maker_Text( json, capacity, ",\"bufferViews\":[%s],\"accessors\":[%s]%s%s}", maker->views, maker->accessors,
				rest[0] != 0 ? "," : "", rest );
	return json;
}

// The bytes of a .glb from JSON text and a BIN chunk. Free with free().
static inline unsigned char* maker_Pack( const char* json, const void* bin, size_t binCount, size_t* size )
{
	size_t jsonCount = ( strlen( json ) + 3 ) & ~(size_t)3;
	size_t paddedBin = ( binCount + 3 ) & ~(size_t)3;
	*size = 28 + jsonCount + paddedBin;
	unsigned char* glb = calloc( 1, *size );
	assert_non_null( glb );
	uint32_t head[5] = { 0x46546C67u, 2, (uint32_t)*size, (uint32_t)jsonCount, 0x4E4F534Au };
	uint32_t chunk[2] = { (uint32_t)paddedBin, 0x004E4942u };
	memcpy( glb, head, 20 );
	memset( glb + 20, ' ', jsonCount );
	memcpy( glb + 20, json, strlen( json ) );
	memcpy( glb + 20 + jsonCount, chunk, 8 );
	if ( binCount > 0 )
	{
		memcpy( glb + 28 + jsonCount, bin, binCount );
	}
	return glb;
}

static inline unsigned char* maker_Glb( const Maker* maker, const char* rest, size_t* size )
{
	char* json = maker_Json( maker, "", rest );
	unsigned char* glb = maker_Pack( json, maker->bin, maker->binCount, size );
	free( json );
	return glb;
}

// ---------------------------------------------------------------------------------------------------------------------

// A strip of eight triangles on two joints with one morph target and a clip that uses every kind of channel and
// interpolation. Returns the JSON without the buffer's place; `maker` holds the bytes.
static inline const char* maker_SkinnedStrip( Maker* maker )
{
	float positions[10][3], normals[10][3], weights[10][4], offsets[10][3];
	uint16_t joints[10][4], indices[24];
	for ( int i = 0; i < 10; ++i )
	{
		float y = 0.5f * (float)( i / 2 );
		memcpy( positions[i], ( ( float[] ){ (float)( i % 2 ), y, 0.0f } ), 12 );
		memcpy( normals[i], ( ( float[] ){ 0.0f, 0.0f, 1.0f } ), 12 );
		memcpy( weights[i], ( ( float[] ){ 1.0f - 0.5f * y, 0.5f * y, 0.0f, 0.0f } ), 16 );
		memcpy( offsets[i], ( ( float[] ){ 0.0f, 0.0f, 0.25f } ), 12 );
		memcpy( joints[i], ( ( uint16_t[] ){ 0, 1, 0, 0 } ), 8 );
	}
	for ( uint16_t k = 0; k < 4; ++k )
	{
		uint16_t v = (uint16_t)( 2 * k );
		uint16_t quad[6] = { v, (uint16_t)( v + 1 ), (uint16_t)( v + 3 ), v, (uint16_t)( v + 3 ), (uint16_t)( v + 2 ) };
		memcpy( indices + 6 * k, quad, 12 );
	}
	static const float inverseBinds[2][16] = { { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 },
											   { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1 } };
	static const float times[3] = { 0.0f, 0.5f, 1.0f };
	static const float rotations[3][4] = { { 0, 0, 0, 1 }, { 0, 0, 0.6f, 0.8f }, { 0, 0, 0, 1 } };
	static const float scales[3][3] = { { 1, 1, 1 }, { 1, 2, 1 }, { 1, 1, 1 } };
	static const float cubic[9][3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 2 }, { 0, 0, 2 }, { 0, 0, 1 },
									   { 0, 0, 2 }, { 0, 0, 2 }, { 0, 0, 2 }, { 0, 0, 0 } };
	static const float morph[3] = { 0.0f, 1.0f, 0.0f };
	*maker = ( Maker ){ 0 };
	maker_Accessor( maker, positions, sizeof( positions ), 10, 5126, "VEC3", ",\"min\":[0,0,0],\"max\":[1,2,0]" );
	maker_Accessor( maker, normals, sizeof( normals ), 10, 5126, "VEC3", "" );
	maker_Accessor( maker, joints, sizeof( joints ), 10, 5123, "VEC4", "" );
	maker_Accessor( maker, weights, sizeof( weights ), 10, 5126, "VEC4", "" );
	maker_Accessor( maker, indices, sizeof( indices ), 24, 5123, "SCALAR", "" );
	maker_Accessor( maker, inverseBinds, sizeof( inverseBinds ), 2, 5126, "MAT4", "" );
	maker_Accessor( maker, times, sizeof( times ), 3, 5126, "SCALAR", ",\"min\":[0],\"max\":[1]" );
	maker_Accessor( maker, rotations, sizeof( rotations ), 3, 5126, "VEC4", "" );
	maker_Accessor( maker, scales, sizeof( scales ), 3, 5126, "VEC3", "" );
	maker_Accessor( maker, cubic, sizeof( cubic ), 9, 5126, "VEC3", "" );
	maker_Accessor( maker, morph, sizeof( morph ), 3, 5126, "SCALAR", "" );
	maker_Accessor( maker, offsets, sizeof( offsets ), 10, 5126, "VEC3", "" );
	return "\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"mesh\":0,\"skin\":0},{\"name\":\"root\","
		   "\"children\":[2],\"rotation\":[0,0,0,1]},{\"name\":\"tip\",\"translation\":[0,1,0]}],"
		   "\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":5,\"skeleton\":1}],"
		   "\"meshes\":[{\"name\":\"strip\",\"weights\":[0.5],\"extras\":{\"targetNames\":[\"bulge\"]},\"primitives\":"
		   "[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1,\"JOINTS_0\":2,\"WEIGHTS_0\":3},\"indices\":4,\"material\":0,"
		   "\"targets\":[{\"POSITION\":11}]}]}],\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorFactor\":"
		   "[1,0.5,0.25,1],\"metallicFactor\":0,\"baseColorTexture\":{\"index\":0}}}],\"textures\":[{\"source\":0}],"
		   "\"images\":[{\"uri\":\"data:image/png;base64,iVBORw0KGgo=\"}],"
		   "\"animations\":[{\"name\":\"bend\",\"samplers\":[{\"input\":6,\"output\":7},{\"input\":6,\"output\":9,"
		   "\"interpolation\":\"CUBICSPLINE\"},{\"input\":6,\"output\":8,\"interpolation\":\"STEP\"},{\"input\":6,"
		   "\"output\":10}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}},{\"sampler\":1,"
		   "\"target\":{\"node\":1,\"path\":\"translation\"}},{\"sampler\":2,\"target\":{\"node\":2,\"path\":\"scale\"}},"
		   "{\"sampler\":3,\"target\":{\"node\":0,\"path\":\"weights\"}}]}]";
}
