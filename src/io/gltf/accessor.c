// SPDX-License-Identifier: MIT
// Accessors: typed arrays inside the bytes of a document. Nothing about them is trusted: every offset is checked in 64
// bits before the first byte is read.
#include "io/gltf/document.h"

#include <stdio.h>

// Where the elements lie.
typedef struct Layout
{
	supAccessor shape;
	int32_t componentSize;
	int32_t rows;         // components of a column; columns of matrices start at multiples of 4 bytes
	int32_t columnStride; // bytes
	int32_t elementSize;  // bytes
	// NULL: zeros
	const uint8_t* bytes;
	size_t stride;
	// substitution of single elements
	int32_t sparseCount;
	int32_t sparseIndexSize;
	const uint8_t* sparseIndices;
	const uint8_t* sparseValues;
} Layout;

static int32_t ComponentSize( int64_t componentType )
{
	switch ( componentType )
	{
		case 5120:
		case 5121:
			return 1;
		case 5122:
		case 5123:
			return 2;
		case 5125:
		case 5126:
			return 4;
		default:
			return 0;
	}
}

static bool SetShape( Layout* layout, const char* type )
{
	static const struct
	{
		const char* name;
		int32_t columns, rows;
	} types[] = {
		{ "SCALAR", 1, 1 }, { "VEC2", 1, 2 }, { "VEC3", 1, 3 }, { "VEC4", 1, 4 },
		{ "MAT2", 2, 2 },   { "MAT3", 3, 3 }, { "MAT4", 4, 4 },
	};
	for ( int32_t i = 0; i < SUP_COUNT( types ); ++i )
	{
		if ( strcmp( type, types[i].name ) == 0 )
		{
			layout->shape.width = types[i].columns * types[i].rows;
			layout->rows = types[i].rows;
			int32_t columnSize = layout->rows * layout->componentSize;
			bool matrix = types[i].columns > 1;
			layout->columnStride = matrix ? ( columnSize + 3 ) & ~3 : columnSize;
			layout->elementSize = types[i].columns * layout->columnStride;
			return true;
		}
	}
	return false;
}

// One range of `count` elements of `elementSize` bytes, `stride` apart, inside a view.
static bool FindElements( const supDocument* document, int64_t view, int64_t offset, int64_t count, int64_t elementSize,
						  int64_t stride, const char* where, const uint8_t** bytes, supError* error )
{
	size_t length = 0;
	if ( supDocument_View( document, view, where, bytes, &length, error ) == false )
	{
		return false;
	}
	if ( offset < 0 )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where, "byteOffset is not a whole number" );
	}
	// count and stride have at most 31 bits, offset 52: no overflow
	uint64_t end =
		count > 0 ? (uint64_t)offset + (uint64_t)( count - 1 ) * (uint64_t)stride + (uint64_t)elementSize : 0;
	if ( end > length )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where,
									 "it needs %llu bytes of bufferViews[%d], which has %zu", (unsigned long long)end,
									 (int)view, length );
	}
	*bytes += count > 0 ? offset : 0;
	return true;
}

static bool CheckSparse( const supDocument* document, const json_t* sparse, const char* where, Layout* layout,
						 supError* error )
{
	int64_t count = supJson_Index( sparse, "count", -2 );
	if ( count < 0 || count > layout->shape.count )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where,
									 "sparse.count is not between 0 and the accessor's count" );
	}
	const json_t* indices = supJson_Get( sparse, "indices" );
	const json_t* values = supJson_Get( sparse, "values" );
	int64_t indexType = supJson_Index( indices, "componentType", -2 );
	if ( indexType != 5121 && indexType != 5123 && indexType != 5125 )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where,
									 "sparse.indices.componentType must be 5121, 5123 or 5125" );
	}
	layout->sparseCount = (int32_t)count;
	layout->sparseIndexSize = ComponentSize( indexType );
	return FindElements( document, supJson_Index( indices, "bufferView", -2 ), supJson_Size( indices, "byteOffset", 0 ),
						 count, layout->sparseIndexSize, layout->sparseIndexSize, where, &layout->sparseIndices,
						 error ) &&
		   FindElements( document, supJson_Index( values, "bufferView", -2 ), supJson_Size( values, "byteOffset", 0 ),
						 count, layout->elementSize, layout->elementSize, where, &layout->sparseValues, error );
}

static bool CheckBase( const supDocument* document, const json_t* accessor, int64_t view, const char* where,
					   Layout* layout, supError* error )
{
	const json_t* viewObject =
		view >= 0 ? supJson_At( supJson_Get( document->root, "bufferViews" ), (size_t)view ) : NULL;
	int64_t stride = supJson_Index( viewObject, "byteStride", 0 );
	if ( stride < 0 || ( stride > 0 && stride < layout->elementSize ) )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where,
									 "the byteStride of bufferViews[%d] is smaller than an element", (int)view );
	}
	layout->stride = stride > 0 ? (size_t)stride : (size_t)layout->elementSize;
	return FindElements( document, view, supJson_Size( accessor, "byteOffset", 0 ), layout->shape.count,
						 layout->elementSize, (int64_t)layout->stride, where, &layout->bytes, error );
}

static bool FindLayout( const supDocument* document, int64_t index, const char* user, Layout* layout, supError* error )
{
	*layout = ( Layout ){ 0 };
	const json_t* accessor =
		index >= 0 ? supJson_At( supJson_Get( document->root, "accessors" ), (size_t)index ) : NULL;
	if ( json_is_object( accessor ) == false )
	{
		return supDocument_SetError( document, error, sup_errorFormat, user, "it refers to a missing accessor" );
	}
	char where[200];
	snprintf( where, sizeof( where ), "accessors[%d] (%s)", (int)index, user );
	int64_t componentType = supJson_Index( accessor, "componentType", -2 );
	int64_t count = supJson_Index( accessor, "count", -2 );
	layout->componentSize = ComponentSize( componentType );
	if ( layout->componentSize == 0 )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where,
									 "componentType must be 5120, 5121, 5122, 5123, 5125 or 5126" );
	}
	if ( SetShape( layout, supJson_String( accessor, "type", "" ) ) == false )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where,
									 "type must be SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4" );
	}
	if ( count < 0 )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where,
									 "count is missing or not a whole number below 2147483648" );
	}
	layout->shape.count = (int32_t)count;
	layout->shape.componentType = (int32_t)componentType;
	layout->shape.normalized = supJson_Bool( accessor, "normalized", false ) && componentType != 5126;
	int64_t view = supJson_Index( accessor, "bufferView", -1 );
	if ( view != -1 && CheckBase( document, accessor, view, where, layout, error ) == false )
	{
		return false;
	}
	const json_t* sparse = supJson_Get( accessor, "sparse" );
	return sparse == NULL || CheckSparse( document, sparse, where, layout, error );
}

bool supDocument_Accessor( const supDocument* document, int64_t index, const char* where, supAccessor* accessor,
						   supError* error )
{
	Layout layout;
	if ( FindLayout( document, index, where, &layout, error ) == false )
	{
		return false;
	}
	*accessor = layout.shape;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading. glTF is little-endian, and so is every machine that Supple runs on.

static uint32_t ReadUnsigned( const uint8_t* p, int32_t size )
{
	uint32_t value = 0;
	memcpy( &value, p, (size_t)size );
	return value;
}

// glTF 2.0, section 3.6.2.2: how integers become floats.
static float ReadComponent( const uint8_t* p, int32_t componentType, bool normalized )
{
	int8_t i8;
	int16_t i16;
	float value;
	switch ( componentType )
	{
		case 5120:
			memcpy( &i8, p, 1 );
			return normalized ? supMaxFloat( (float)i8 / 127.0f, -1.0f ) : (float)i8;
		case 5121:
			return normalized ? (float)*p / 255.0f : (float)*p;
		case 5122:
			memcpy( &i16, p, 2 );
			return normalized ? supMaxFloat( (float)i16 / 32767.0f, -1.0f ) : (float)i16;
		case 5123:
			return normalized ? (float)ReadUnsigned( p, 2 ) / 65535.0f : (float)ReadUnsigned( p, 2 );
		case 5125:
			return normalized ? (float)( ReadUnsigned( p, 4 ) / 4294967295.0 ) : (float)ReadUnsigned( p, 4 );
		default:
			memcpy( &value, p, 4 );
			return value;
	}
}

static void ReadElementFloats( const Layout* layout, const uint8_t* element, float* out )
{
	for ( int32_t i = 0; i < layout->shape.width; ++i )
	{
		const uint8_t* p = element + i / layout->rows * layout->columnStride + i % layout->rows * layout->componentSize;
		out[i] = ReadComponent( p, layout->shape.componentType, layout->shape.normalized );
	}
}

static void ReadElementIntegers( const Layout* layout, const uint8_t* element, uint32_t* out )
{
	for ( int32_t i = 0; i < layout->shape.width; ++i )
	{
		const uint8_t* p = element + i / layout->rows * layout->columnStride + i % layout->rows * layout->componentSize;
		out[i] = ReadUnsigned( p, layout->componentSize );
	}
}

// Both kinds are four bytes wide, so one function does the walking.
static bool ReadElements( const supDocument* document, const Layout* layout, const char* where, bool integers,
						  void* out, supError* error )
{
	size_t width = (size_t)layout->shape.width;
	size_t count = (size_t)layout->shape.count;
	bool plainFloats = integers == false && layout->shape.componentType == 5126 && layout->stride == 4 * width;
	if ( layout->bytes == NULL )
	{
		memset( out, 0, count * width * 4 );
	}
	else if ( plainFloats )
	{
		memcpy( out, layout->bytes, count * width * 4 );
	}
	for ( size_t i = 0; layout->bytes != NULL && plainFloats == false && i < count; ++i )
	{
		const uint8_t* element = layout->bytes + i * layout->stride;
		integers ? ReadElementIntegers( layout, element, (uint32_t*)out + i * width )
				 : ReadElementFloats( layout, element, (float*)out + i * width );
	}
	for ( int32_t i = 0; i < layout->sparseCount; ++i )
	{
		const uint8_t* element = layout->sparseValues + (size_t)i * (size_t)layout->elementSize;
		size_t size = (size_t)layout->sparseIndexSize;
		uint32_t target = ReadUnsigned( layout->sparseIndices + (size_t)i * size, layout->sparseIndexSize );
		if ( target >= count )
		{
			return supDocument_SetError( document, error, sup_errorFormat, where,
										 "sparse index %u is beyond the accessor's count of %zu", target, count );
		}
		integers ? ReadElementIntegers( layout, element, (uint32_t*)out + target * width )
				 : ReadElementFloats( layout, element, (float*)out + target * width );
	}
	return true;
}

static void* ReadAccessor( const supDocument* document, int64_t index, const char* where, bool integers,
						   supArena* arena, supAccessor* accessor, supError* error )
{
	Layout layout;
	if ( FindLayout( document, index, where, &layout, error ) == false )
	{
		return NULL;
	}
	*accessor = layout.shape;
	size_t itemSize = (size_t)layout.shape.width * 4;
	size_t size = (size_t)layout.shape.count * itemSize;
	if ( arena->limit > 0 && ( size > arena->limit || arena->total > arena->limit - size ) )
	{
		supDocument_SetError( document, error, sup_errorTooLarge, where,
							  "the file unpacks to far more memory than its size warrants" );
		return NULL;
	}
	void* values = supArena_AllocArray( arena, (size_t)layout.shape.count, itemSize );
	if ( values == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	return ReadElements( document, &layout, where, integers, values, error ) ? values : NULL;
}

float* supDocument_ReadFloats( const supDocument* document, int64_t index, const char* where, supArena* arena,
							   supAccessor* accessor, supError* error )
{
	return ReadAccessor( document, index, where, false, arena, accessor, error );
}

uint32_t* supDocument_ReadIntegers( const supDocument* document, int64_t index, const char* where, supArena* arena,
									supAccessor* accessor, supError* error )
{
	supAccessor shape;
	if ( supDocument_Accessor( document, index, where, &shape, error ) == false )
	{
		return NULL;
	}
	if ( shape.componentType != 5121 && shape.componentType != 5123 && shape.componentType != 5125 )
	{
		supDocument_SetError( document, error, sup_errorFormat, where, "accessors[%d] must contain unsigned integers",
							  (int)index );
		return NULL;
	}
	return ReadAccessor( document, index, where, true, arena, accessor, error );
}
