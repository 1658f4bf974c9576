// SPDX-License-Identifier: MIT
// EXT_meshopt_compression over a whole document. Every buffer view is looked at through its accessors:
//
//     indices                     index codec, exact
//     positions                   vertex codec over floats with a shared exponent and as many bits as are needed
//     normals, tangents           KHR_mesh_quantization: 16-bit integers, octahedral filter
//     normals of morph targets    KHR_mesh_quantization: 8-bit integers where offsets are within 1, else like positions
//     other attributes and keys   vertex codec, exact
//     pictures, sparse data       as they are
//
// Positions stay floats: integers need a scale on the node, which skinned meshes ignore.
//
// Afterwards there are two buffers: one with all bytes that are there, and one without bytes that the views of
// compressed data nominally lie in (the fallback of the extension).
#include "io/gltf/gltf_write.h"

#include <math.h>
#include <meshoptimizer.h>

// Of positions, of normals and tangents always: bits of the mantissa.
#define MOST_BITS 24
#define LEAST_BITS 6
#define NORMAL_BITS 10

typedef enum ViewKind
{
	view_raw,     // nothing is known about it, or it must stay as it is
	view_exact,   // numbers of four bytes or rows of them
	view_floats,  // positions
	view_normals, // directions
	view_units,   // directions of length 1, as 16-bit integers
	view_offsets, // offsets of directions, as 8-bit integers
	view_indices,
} ViewKind;

typedef struct ViewPlan
{
	ViewKind kind;
	size_t stride;
	int32_t useCount; // accessors
	json_t* accessor; // the last of them, of the copy
	size_t byteCount; // of what readers get
	// where it goes: in the fallback buffer, or for raw views among the bytes
	size_t offset;
	uint8_t* encoded;
	size_t encodedCount;
	uint8_t* decoded; // what readers get
} ViewPlan;

typedef struct Compressor
{
	supDocument* document;
	json_t* root; // a copy that is edited
	ViewPlan* plans;
	size_t viewCount;
	float tolerance;
	size_t fallbackCount;
	uint8_t* bytes;
	size_t byteCount;
	bool hasIntegers; // KHR_mesh_quantization is needed
	supError* error;
} Compressor;

// ---------------------------------------------------------------------------------------------------------------------
// What views hold

static size_t ElementSize( const json_t* accessor )
{
	static const struct
	{
		const char* type;
		size_t width;
	} widths[] = { { "SCALAR", 1 }, { "VEC2", 2 }, { "VEC3", 3 }, { "VEC4", 4 }, { "MAT4", 16 } };
	int64_t component = supJson_Index( accessor, "componentType", 0 );
	size_t size = component == 5120 || component == 5121 ? 1 : component == 5122 || component == 5123 ? 2 : 4;
	for ( int32_t i = 0; i < SUP_COUNT( widths ); ++i )
	{
		if ( strcmp( supJson_String( accessor, "type", "" ), widths[i].type ) == 0 )
		{
			return widths[i].width * size;
		}
	}
	return 0;
}

static ViewPlan* PlanOf( Compressor* c, const json_t* object )
{
	int64_t view = supJson_Index( object, "bufferView", -1 );
	return view >= 0 && (size_t)view < c->viewCount ? c->plans + view : NULL;
}

// Views that accessors use, by element size; what two accessors see differently is taken four bytes at a time.
static void PlanViews( Compressor* c )
{
	const json_t* views = supJson_Get( c->root, "bufferViews" );
	size_t index;
	json_t* accessor;
	json_array_foreach( supJson_Get( c->root, "accessors" ), index, accessor )
	{
		ViewPlan* plan = PlanOf( c, accessor );
		if ( plan != NULL )
		{
			int64_t view = supJson_Index( accessor, "bufferView", -1 );
			int64_t said = supJson_Size( supJson_At( views, (size_t)view ), "byteStride", 0 );
			size_t stride = said > 0 ? (size_t)said : ElementSize( accessor );
			plan->stride = plan->useCount == 0 || plan->stride == stride ? stride : 4;
			plan->useCount += 1;
			plan->accessor = accessor;
			plan->kind = view_exact;
		}
	}
	json_array_foreach( supJson_Get( c->root, "accessors" ), index, accessor )
	{
		const json_t* sparse = supJson_Get( accessor, "sparse" );
		ViewPlan* plans[2] = { PlanOf( c, supJson_Get( sparse, "indices" ) ),
							   PlanOf( c, supJson_Get( sparse, "values" ) ) };
		for ( int k = 0; k < 2 && sparse != NULL; ++k )
		{
			if ( plans[k] != NULL )
			{
				plans[k]->kind = view_raw;
			}
		}
	}
}

static void MarkAccessor( Compressor* c, const json_t* number, ViewKind kind )
{
	int64_t index = json_is_integer( number ) ? (int64_t)json_integer_value( number ) : -1;
	const json_t* accessors = supJson_Get( c->root, "accessors" );
	const json_t* accessor = index >= 0 ? supJson_At( accessors, (size_t)index ) : NULL;
	ViewPlan* plan = PlanOf( c, accessor );
	bool isFloat = supJson_Index( accessor, "componentType", 0 ) == SUP_GL_FLOAT;
	if ( plan == NULL || plan->kind == view_raw )
	{
		return;
	}
	bool isWhole = plan->stride == ElementSize( accessor );
	if ( kind == view_indices || ( isFloat && isWhole ) )
	{
		// what several accessors see stays floats
		bool isOwn = plan->useCount == 1 && supJson_Index( accessor, "byteOffset", 0 ) == 0;
		kind = isOwn == false && ( kind == view_units || kind == view_offsets ) ? view_normals : kind;
		// what has two roles too, with the bits of positions where it is one of them
		bool isFirst = plan->kind == view_exact || plan->kind == kind;
		bool isPosition = kind == view_floats || plan->kind == view_floats;
		plan->kind = isFirst ? kind : isPosition ? view_floats : view_normals;
	}
}

static void MarkAttributes( Compressor* c, const json_t* attributes, ViewKind directions )
{
	MarkAccessor( c, supJson_Get( attributes, "POSITION" ), view_floats );
	MarkAccessor( c, supJson_Get( attributes, "NORMAL" ), directions );
	MarkAccessor( c, supJson_Get( attributes, "TANGENT" ), directions );
}

static void MarkMeshes( Compressor* c )
{
	size_t m, p, t;
	json_t *mesh, *primitive, *target;
	json_array_foreach( supJson_Get( c->root, "meshes" ), m, mesh )
	{
		json_array_foreach( supJson_Get( mesh, "primitives" ), p, primitive )
		{
			MarkAttributes( c, supJson_Get( primitive, "attributes" ), view_units );
			MarkAccessor( c, supJson_Get( primitive, "indices" ), view_indices );
			json_array_foreach( supJson_Get( primitive, "targets" ), t, target )
			{
				MarkAttributes( c, target, view_offsets );
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Encoding

// Filters `values` into `filtered` with the fewest bits with which no number is off by more than the tolerance, and
// puts what readers will get into `decoded`.
static void FilterPositions( const Compressor* c, const float* values, size_t count, size_t stride, void* filtered,
							 float* decoded )
{
	size_t numbers = count * stride / sizeof( float );
	for ( int bits = LEAST_BITS; bits <= MOST_BITS; ++bits )
	{
		meshopt_encodeFilterExp( filtered, count, stride, bits, values );
		memcpy( decoded, filtered, count * stride );
		meshopt_decodeFilterExp( decoded, count, stride );
		float off = 0.0f;
		for ( size_t i = 0; i < numbers; ++i )
		{
			off = supMaxFloat( off, fabsf( decoded[i] - values[i] ) );
		}
		if ( off <= c->tolerance )
		{
			return;
		}
	}
}

// Unit vectors of three or four floats as 16-bit integers; `filtered` has room for 8 bytes each.
static void FilterUnits( const float* values, size_t count, size_t width, float* rows, void* filtered )
{
	for ( size_t i = 0; i < count; ++i )
	{
		for ( size_t k = 0; k < 4; ++k )
		{
			rows[4 * i + k] = k < width ? values[i * width + k] : 0.0f;
		}
	}
	meshopt_encodeFilterOct( filtered, count, 4 * sizeof( int16_t ), NORMAL_BITS, rows );
}

static void RoundOffsets( const float* values, size_t count, int8_t* out )
{
	for ( size_t i = 0; i < count; ++i )
	{
		for ( size_t k = 0; k < 3; ++k )
		{
			out[4 * i + k] = (int8_t)lrintf( 127.0f * values[3 * i + k] );
		}
		out[4 * i + 3] = 0;
	}
}

// Directions as normalized integers, in rows of 8 or 4 bytes.
static bool EncodeIntegers( Compressor* c, ViewPlan* plan, const uint8_t* bytes, size_t byteCount )
{
	bool isUnits = plan->kind == view_units;
	size_t width = plan->stride / sizeof( float );
	size_t count = byteCount / plan->stride;
	size_t stride = isUnits ? 4 * sizeof( int16_t ) : 4 * sizeof( int8_t );
	size_t bound = meshopt_encodeVertexBufferBound( count, stride );
	float* values = supAlloc( byteCount );
	float* rows = supAllocArray( 4 * count, sizeof( float ) );
	uint8_t* filtered = supAllocArray( count, stride );
	plan->encoded = supAlloc( bound );
	plan->decoded = supAllocArray( count, stride );
	bool ok = values != NULL && rows != NULL && filtered != NULL && plan->encoded != NULL && plan->decoded != NULL;
	if ( ok )
	{
		memcpy( values, bytes, byteCount );
		if ( isUnits )
		{
			FilterUnits( values, count, width, rows, filtered );
		}
		else
		{
			RoundOffsets( values, count, (int8_t*)filtered );
		}
		memcpy( plan->decoded, filtered, count * stride );
		if ( isUnits )
		{
			meshopt_decodeFilterOct( plan->decoded, count, stride );
		}
		plan->encodedCount = meshopt_encodeVertexBuffer( plan->encoded, bound, filtered, count, stride );
		plan->stride = stride;
		plan->byteCount = count * stride;
		c->hasIntegers = true;
	}
	supFree( values );
	supFree( rows );
	supFree( filtered );
	return ok || supSetMemoryError( c->error );
}

// Lengths of 1, or numbers within 1: what normalized integers can hold.
static bool FitsIntegers( const ViewPlan* plan, const uint8_t* bytes, size_t byteCount )
{
	size_t width = plan->stride / sizeof( float );
	bool fits = width == 3 || ( width == 4 && plan->kind == view_units );
	for ( size_t i = 0; i + plan->stride <= byteCount && fits; i += plan->stride )
	{
		float v[4] = { 0 };
		memcpy( v, bytes + i, plan->stride );
		float length = supLength( supMakeVec3( v[0], v[1], v[2] ) );
		fits = plan->kind == view_units ? fabsf( length - 1.0f ) <= 1e-3f
										: fabsf( v[0] ) <= 1.0f && fabsf( v[1] ) <= 1.0f && fabsf( v[2] ) <= 1.0f;
	}
	return fits;
}

static bool EncodeVertices( Compressor* c, ViewPlan* plan, const uint8_t* bytes, size_t byteCount )
{
	size_t count = byteCount / plan->stride;
	size_t bound = meshopt_encodeVertexBufferBound( count, plan->stride );
	uint8_t* filtered = supAlloc( byteCount );
	float* values = supAlloc( byteCount );
	plan->encoded = supAlloc( bound );
	plan->decoded = supAlloc( byteCount );
	if ( filtered == NULL || values == NULL || plan->encoded == NULL || plan->decoded == NULL )
	{
		supFree( values );
		supFree( filtered );
		return supSetMemoryError( c->error );
	}
	// views need not be aligned
	memcpy( plan->decoded, bytes, byteCount );
	memcpy( filtered, bytes, byteCount );
	memcpy( values, bytes, byteCount );
	if ( plan->kind == view_floats )
	{
		FilterPositions( c, values, count, plan->stride, filtered, (float*)(void*)plan->decoded );
	}
	else if ( plan->kind == view_normals )
	{
		meshopt_encodeFilterExp( filtered, count, plan->stride, NORMAL_BITS, values );
		memcpy( plan->decoded, filtered, byteCount );
		meshopt_decodeFilterExp( plan->decoded, count, plan->stride );
	}
	plan->encodedCount = meshopt_encodeVertexBuffer( plan->encoded, bound, filtered, count, plan->stride );
	supFree( values );
	supFree( filtered );
	return true;
}

static bool EncodeIndices( Compressor* c, ViewPlan* plan, const uint8_t* bytes, size_t byteCount )
{
	size_t count = byteCount / plan->stride;
	uint32_t* wide = supAllocArray( count, sizeof( uint32_t ) );
	plan->decoded = supAlloc( byteCount );
	uint32_t most = 0;
	for ( size_t i = 0; i < count && wide != NULL; ++i )
	{
		uint16_t narrow;
		memcpy( plan->stride == 2 ? (void*)&narrow : (void*)( wide + i ), bytes + i * plan->stride, plan->stride );
		wide[i] = plan->stride == 2 ? narrow : wide[i];
		most = wide[i] > most ? wide[i] : most;
	}
	size_t bound = meshopt_encodeIndexSequenceBound( count, (size_t)most + 1 );
	plan->encoded = supAlloc( bound );
	bool ok = wide != NULL && plan->decoded != NULL && plan->encoded != NULL;
	if ( ok )
	{
		memcpy( plan->decoded, bytes, byteCount );
		plan->encodedCount = meshopt_encodeIndexSequence( plan->encoded, bound, wide, count );
	}
	supFree( wide );
	return ok || supSetMemoryError( c->error );
}

static bool HasNumbers( const ViewPlan* plan, const uint8_t* bytes, size_t byteCount )
{
	bool finite = true;
	for ( size_t i = 0; i + 4 <= byteCount && finite && plan->kind != view_exact; i += 4 )
	{
		float value;
		memcpy( &value, bytes + i, sizeof( value ) );
		finite = supIsFinite( value );
	}
	return finite;
}

static bool EncodeView( Compressor* c, size_t index )
{
	ViewPlan* plan = c->plans + index;
	const uint8_t* bytes;
	size_t byteCount;
	if ( supDocument_View( c->document, (int64_t)index, "compression", &bytes, &byteCount, c->error ) == false )
	{
		return false;
	}
	plan->byteCount = byteCount;
	bool isIndices = plan->kind == view_indices && ( plan->stride == 2 || plan->stride == 4 );
	bool isVertices = plan->kind != view_raw && plan->kind != view_indices && plan->stride % 4 == 0 &&
					  plan->stride > 0 && plan->stride <= 256;
	bool fits = byteCount > 0 && plan->stride > 0 && byteCount % plan->stride == 0;
	if ( fits && isIndices )
	{
		return EncodeIndices( c, plan, bytes, byteCount );
	}
	if ( plan->kind == view_units || plan->kind == view_offsets )
	{
		if ( fits && FitsIntegers( plan, bytes, byteCount ) )
		{
			return EncodeIntegers( c, plan, bytes, byteCount );
		}
		plan->kind = view_normals;
	}
	if ( fits && isVertices && HasNumbers( plan, bytes, byteCount ) )
	{
		return EncodeVertices( c, plan, bytes, byteCount );
	}
	plan->kind = view_raw;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// The new buffers

static size_t Align4( size_t size )
{
	return ( size + 3 ) & ~(size_t)3;
}

static bool AppendBytes( Compressor* c, const uint8_t* bytes, size_t count, size_t* offset )
{
	*offset = Align4( c->byteCount );
	memset( c->bytes + c->byteCount, 0, *offset - c->byteCount );
	memcpy( c->bytes + *offset, bytes, count );
	c->byteCount = *offset + count;
	return true;
}

// The accessor and its view, now that they hold integers.
static bool DescribeIntegers( const ViewPlan* plan, json_t* view, supError* error )
{
	int type = plan->kind == view_units ? SUP_GL_SHORT : SUP_GL_BYTE;
	// bounds are asked for positions alone
	json_object_del( plan->accessor, "min" );
	json_object_del( plan->accessor, "max" );
	return supJson_Set( plan->accessor, "componentType", json_integer( type ), error ) &&
		   supJson_Set( plan->accessor, "normalized", json_true(), error ) &&
		   supJson_Set( view, "byteLength", json_integer( (json_int_t)plan->byteCount ), error ) &&
		   supJson_Set( view, "byteStride", json_integer( (json_int_t)plan->stride ), error );
}

static bool WriteView( Compressor* c, size_t index )
{
	supError* error = c->error;
	ViewPlan* plan = c->plans + index;
	json_t* view = supJson_At( supJson_Get( c->root, "bufferViews" ), index );
	const uint8_t* bytes;
	size_t byteCount, offset;
	json_object_del( supJson_Get( view, "extensions" ), "EXT_meshopt_compression" );
	json_object_del( supJson_Get( view, "extensions" ), "KHR_meshopt_compression" );
	if ( supDocument_View( c->document, (int64_t)index, "compression", &bytes, &byteCount, error ) == false )
	{
		return false;
	}
	if ( plan->kind == view_raw )
	{
		AppendBytes( c, bytes, byteCount, &offset );
		return supJson_Set( view, "buffer", json_integer( 0 ), error ) &&
			   supJson_Set( view, "byteOffset", json_integer( (json_int_t)offset ), error );
	}
	AppendBytes( c, plan->encoded, plan->encodedCount, &offset );
	const char* filter = plan->kind == view_units                                  ? "OCTAHEDRAL"
						 : plan->kind == view_floats || plan->kind == view_normals ? "EXPONENTIAL"
																				   : NULL;
	json_t* item = json_pack( "{s:i, s:I, s:I, s:I, s:I, s:s}", "buffer", 0, "byteOffset", (json_int_t)offset,
							  "byteLength", (json_int_t)plan->encodedCount, "byteStride", (json_int_t)plan->stride,
							  "count", (json_int_t)( plan->byteCount / plan->stride ), "mode",
							  plan->kind == view_indices ? "INDICES" : "ATTRIBUTES" );
	bool ok = item != NULL && ( filter == NULL || json_object_set_new( item, "filter", json_string( filter ) ) == 0 );
	json_t* extensions = supJson_Get( view, "extensions" );
	if ( extensions == NULL )
	{
		ok = ok && json_object_set_new( view, "extensions", json_object() ) == 0;
		extensions = supJson_Get( view, "extensions" );
	}
	ok = ok && json_object_set( extensions, "EXT_meshopt_compression", item ) == 0;
	json_decref( item );
	size_t place = Align4( c->fallbackCount );
	c->fallbackCount = place + plan->byteCount;
	bool isInteger = plan->kind == view_units || plan->kind == view_offsets;
	ok = ok && ( isInteger == false || DescribeIntegers( plan, view, error ) );
	return ( ok || supSetMemoryError( error ) ) && supJson_Set( view, "buffer", json_integer( 1 ), error ) &&
		   supJson_Set( view, "byteOffset", json_integer( (json_int_t)place ), error );
}

static bool AddToList( Compressor* c, const char* key, const char* extension )
{
	json_t* list = supJson_Get( c->root, key );
	size_t index;
	json_t* name;
	json_array_foreach( list, index, name )
	{
		if ( strcmp( json_string_value( name ) != NULL ? json_string_value( name ) : "", extension ) == 0 )
		{
			return true;
		}
	}
	if ( list == NULL && supJson_Set( c->root, key, json_array(), c->error ) == false )
	{
		return false;
	}
	return supJson_Push( supJson_Get( c->root, key ), json_string( extension ), c->error );
}

static bool RequireExtension( Compressor* c, const char* extension )
{
	return AddToList( c, "extensionsUsed", extension ) && AddToList( c, "extensionsRequired", extension );
}

static bool WriteViews( Compressor* c )
{
	size_t room = 0;
	for ( size_t i = 0; i < c->viewCount; ++i )
	{
		const uint8_t* bytes;
		size_t byteCount = 0;
		if ( supDocument_View( c->document, (int64_t)i, "compression", &bytes, &byteCount, c->error ) == false )
		{
			return false;
		}
		room += 4 + ( c->plans[i].kind == view_raw ? byteCount : c->plans[i].encodedCount );
	}
	c->bytes = supAlloc( room + 1 );
	bool ok = c->bytes != NULL || supSetMemoryError( c->error );
	for ( size_t i = 0; i < c->viewCount && ok; ++i )
	{
		ok = WriteView( c, i );
	}
	json_t* buffers =
		ok ? json_pack( "[{s:I}, {s:I, s:{s:{s:b}}}]", "byteLength", (json_int_t)c->byteCount, "byteLength",
						(json_int_t)c->fallbackCount, "extensions", "EXT_meshopt_compression", "fallback", 1 )
		   : NULL;
	return ok && supJson_Set( c->root, "buffers", buffers, c->error ) &&
		   RequireExtension( c, "EXT_meshopt_compression" ) &&
		   ( c->hasIntegers == false || RequireExtension( c, "KHR_mesh_quantization" ) );
}

// From here on nothing fails.
static void Install( Compressor* c )
{
	supDocument* document = c->document;
	for ( int32_t i = 0; i < document->buffers.count; ++i )
	{
		supFree( document->buffers.data[i].bytes );
	}
	document->buffers.count = 2;
	document->buffers.data[0] = ( supBuffer ){ c->bytes, c->byteCount, c->byteCount };
	document->buffers.data[1] = ( supBuffer ){ 0 };
	for ( size_t i = 0; i < c->viewCount; ++i )
	{
		supBuffer* decoded = document->decodedViews.data + i;
		const json_t* view = supJson_At( supJson_Get( c->root, "bufferViews" ), i );
		supFree( decoded->bytes );
		size_t size = (size_t)supJson_Size( view, "byteLength", 0 );
		*decoded = c->plans[i].kind != view_raw ? ( supBuffer ){ c->plans[i].decoded, size, size } : ( supBuffer ){ 0 };
		c->plans[i].decoded = NULL;
	}
	json_decref( document->root );
	document->root = c->root;
	c->bytes = NULL;
	c->root = NULL;
}

bool supDocument_Compress( supDocument* document, float tolerance, supError* error )
{
	supClearError( error );
	Compressor c = { .document = document, .tolerance = tolerance, .error = error };
	c.viewCount = json_array_size( supJson_Get( document->root, "bufferViews" ) );
	if ( !( tolerance >= 0.0f && supIsFinite( tolerance ) ) )
	{
		return supSetError( error, sup_errorArgument, "tolerance", "invalid tolerance: %g", (double)tolerance );
	}
	if ( c.viewCount == 0 )
	{
		return true;
	}
	c.root = supJson_Copy( document->root, true );
	c.plans = supAllocZeroed( c.viewCount * sizeof( ViewPlan ) );
	bool ok = ( c.root != NULL && c.plans != NULL ) || supSetMemoryError( error );
	if ( ok )
	{
		PlanViews( &c );
		MarkMeshes( &c );
	}
	for ( size_t i = 0; i < c.viewCount && ok; ++i )
	{
		ok = EncodeView( &c, i );
	}
	// room for the second buffer and all views
	ok = ok && WriteViews( &c );
	ok = ok && ( document->buffers.capacity >= 2 ||
				 supGrowArray( (void**)&document->buffers.data, &document->buffers.capacity, 2, sizeof( supBuffer ) ) ||
				 supSetMemoryError( error ) );
	while ( ok && (size_t)document->decodedViews.count < c.viewCount )
	{
		ok = SUP_PUSH( &document->decodedViews, ( supBuffer ){ 0 } ) || supSetMemoryError( error );
	}
	if ( ok )
	{
		Install( &c );
	}
	for ( size_t i = 0; i < c.viewCount && c.plans != NULL; ++i )
	{
		supFree( c.plans[i].encoded );
		supFree( c.plans[i].decoded );
	}
	supFree( c.plans );
	supFree( c.bytes );
	json_decref( c.root );
	return ok;
}
