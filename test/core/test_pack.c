// SPDX-License-Identifier: MIT
// Packs: what goes in comes out, of either byte order; whatever is damaged is refused.
#include "support.h"

#include "core/pack.h"

#include <stdlib.h>

static const float s_floats[5] = { 1.0f, -2.5f, 0.0f, 1e-30f, 3e38f };
static const int32_t s_ints[3] = { 0, 7, -3 };
static const int64_t s_longs[2] = { INT64_MIN, 0x0102030405060708 };
static const double s_doubles[1] = { 3.141592653589793 };
static const uint16_t s_shorts[4] = { 1, 0xFF00, 0x1234, 9 };
static const uint8_t s_bytes[70] = { 1, 2, 3, [69] = 250 };
static const uint32_t s_words[1] = { 0xDEADBEEF };

static uint8_t* MakeSample( supPackOrder order, size_t* size, supError* error )
{
	supPackWriter writer = { .order = order };
	supPackWriter_Add( &writer, "zeta", sup_packF32, 5, s_floats );
	supPackWriter_Add( &writer, "ints", sup_packI32, 3, s_ints );
	supPackWriter_Enter( &writer, "skin" );
	supPackWriter_Add( &writer, "ints", sup_packI64, 2, s_longs );
	supPackWriter_Enter( &writer, "binding" );
	supPackWriter_Add( &writer, "doubles", sup_packF64, 1, s_doubles );
	supPackWriter_Add( &writer, "nothing", sup_packU16, 0, NULL );
	supPackWriter_Leave( &writer );
	supPackWriter_Add( &writer, "shorts", sup_packU16, 4, s_shorts );
	supPackWriter_Leave( &writer );
	supPackWriter_Add( &writer, "bytes", sup_packU8, 70, s_bytes );
	supPackWriter_Add( &writer, "words", sup_packU32, 1, s_words );
	supPackWriter_AddInt( &writer, "count", 42 );
	supPackWriter_AddFloat( &writer, "scale", 0.25f );
	supPackWriter_AddString( &writer, "method", "position" );
	uint8_t* block = supPackWriter_Finish( &writer, size, error );
	supPackWriter_Destroy( &writer );
	return block;
}

static void CheckArray( supPackReader* reader, const char* name, supPackType type, int64_t count, const void* expected )
{
	const void* items = supPackReader_Get( reader, name, type, count );
	assert_non_null( items );
	assert_int_equal( (uintptr_t)items % 64, 0 );
	assert_memory_equal( items, expected, (size_t)count * supPackItemSize( type ) );
}

static void CheckSample( supPackReader* reader )
{
	CheckArray( reader, "zeta", sup_packF32, 5, s_floats );
	CheckArray( reader, "ints", sup_packI32, 3, s_ints );
	CheckArray( reader, "bytes", sup_packU8, 70, s_bytes );
	CheckArray( reader, "words", sup_packU32, 1, s_words );
	supPackReader_Enter( reader, "skin" );
	CheckArray( reader, "ints", sup_packI64, 2, s_longs );
	CheckArray( reader, "shorts", sup_packU16, 4, s_shorts );
	supPackReader_Enter( reader, "binding" );
	CheckArray( reader, "doubles", sup_packF64, 1, s_doubles );
	assert_non_null( supPackReader_Get( reader, "nothing", sup_packU16, 0 ) );
	assert_int_equal( supPackReader_Count( reader, "nothing" ), 0 );
	supPackReader_Leave( reader );
	supPackReader_Leave( reader );
	assert_int_equal( supPackReader_GetInt( reader, "count", 0, 100 ), 42 );
	assert_float_equal( supPackReader_GetFloat( reader, "scale" ), 0.25f, 0.0f );
	char text[9];
	assert_true( supPackReader_GetString( reader, "method", text, sizeof( text ) ) );
	assert_string_equal( text, "position" );
	assert_true( supPackReader_Has( reader, "zeta" ) );
	assert_false( supPackReader_Has( reader, "eta" ) );
	assert_false( reader->failed );
}

static void TestRoundTrip( void** state )
{
	(void)state;
	size_t size = 0;
	supError error = { 0 };
	uint8_t* block = MakeSample( sup_packLittle, &size, &error );
	testRequire( block != NULL, &error );
	assert_int_equal( size % 64, 0 );
	supPackReader reader;
	testRequire( supPackReader_Open( &reader, block, size, "sample", &error ), &error );
	assert_int_equal( reader.sectionCount, 11 );
	CheckSample( &reader );
	// views lead into the block: nothing is copied
	const uint8_t* items = supPackReader_Get( &reader, "bytes", sup_packU8, 70 );
	assert_true( block < items && items + 70 <= block + size );
	assert_null( supPackReader_TakeCopy( &reader ) );
	supPackReader_Close( &reader );
	// little-endian whatever the machine: the mark's lowest byte is first
	assert_int_equal( block[8], 4 );
	size_t again = 0;
	uint8_t* twin = MakeSample( sup_packLittle, &again, &error );
	assert_int_equal( again, size );
	assert_memory_equal( twin, block, size );
	supFree( twin );
	supFree( block );
}

static void TestOtherByteOrder( void** state )
{
	(void)state;
	size_t size = 0;
	supError error = { 0 };
	uint8_t* block = MakeSample( sup_packBig, &size, &error );
	testRequire( block != NULL, &error );
	assert_int_equal( block[8], 1 );
	supPackReader reader;
	testRequire( supPackReader_Open( &reader, block, size, "sample", &error ), &error );
	CheckSample( &reader );
	const int32_t* ints = supPackReader_Get( &reader, "ints", sup_packI32, 3 );
	uint8_t* copy = supPackReader_TakeCopy( &reader );
	supPackReader_Close( &reader );
	assert_non_null( copy );
	assert_int_equal( ints[2], -3 );
	supFree( copy );
	supFree( block );
}

static void TestEntriesAreSorted( void** state )
{
	(void)state;
	size_t size = 0;
	uint8_t* block = MakeSample( sup_packLittle, &size, NULL );
	supPackReader reader;
	assert_true( supPackReader_Open( &reader, block, size, "sample", NULL ) );
	for ( int32_t i = 1; i < reader.sectionCount; ++i )
	{
		testLess( strcmp( supPackReader_Entry( &reader, i - 1 ).name, supPackReader_Entry( &reader, i ).name ), 0 );
	}
	supPackEntry first = supPackReader_Entry( &reader, 0 );
	assert_string_equal( first.name, "bytes" );
	assert_int_equal( first.type, sup_packU8 );
	assert_int_equal( first.count, 70 );
	supPackReader_Close( &reader );
	supFree( block );
}

// ---------------------------------------------------------------------------------------------------------------------
// What does not fit

typedef void AskFcn( supPackReader* reader );

static void CheckRefusal( AskFcn* ask, const char* where, const char* message )
{
	size_t size = 0;
	supError error = { 0 };
	uint8_t* block = MakeSample( sup_packLittle, &size, &error );
	supPackReader reader;
	testRequire( supPackReader_Open( &reader, block, size, "sample", &error ), &error );
	ask( &reader );
	assert_true( reader.failed );
	assert_int_equal( error.code, sup_errorFormat );
	assert_string_equal( error.where, where );
	assert_non_null( strstr( error.message, message ) );
	supPackReader_Close( &reader );
	supFree( block );
}

static void AskMissing( supPackReader* reader )
{
	supPackReader_Enter( reader, "skin" );
	assert_null( supPackReader_Get( reader, "zeta", sup_packF32, 5 ) );
	// the first error stays
	assert_null( supPackReader_Get( reader, "other", sup_packF32, 5 ) );
}

static void AskType( supPackReader* reader )
{
	assert_null( supPackReader_Get( reader, "zeta", sup_packI32, 5 ) );
}

static void AskCount( supPackReader* reader )
{
	assert_null( supPackReader_Get( reader, "zeta", sup_packF32, 6 ) );
}

static void AskNegative( supPackReader* reader )
{
	assert_null( supPackReader_Get( reader, "zeta", sup_packF32, -1 ) );
}

static void AskRange( supPackReader* reader )
{
	assert_null( supPackReader_GetInts( reader, "ints", 3, 0, 7 ) );
}

static void AskInt( supPackReader* reader )
{
	assert_int_equal( supPackReader_GetInt( reader, "count", 1, 41 ), 1 );
}

static void AskShortString( supPackReader* reader )
{
	char text[8];
	assert_false( supPackReader_GetString( reader, "method", text, sizeof( text ) ) );
	assert_string_equal( text, "" );
}

static void AskStringWithZero( supPackReader* reader )
{
	char text[100];
	assert_false( supPackReader_GetString( reader, "bytes", text, sizeof( text ) ) );
}

static void TestRefusals( void** state )
{
	(void)state;
	CheckRefusal( AskMissing, "sample: skin/zeta", "missing" );
	CheckRefusal( AskType, "sample: zeta", "5 × f32 where 5 × i32" );
	CheckRefusal( AskCount, "sample: zeta", "5 × f32 where 6 × f32" );
	CheckRefusal( AskNegative, "sample: zeta", "where -1" );
	CheckRefusal( AskRange, "sample: ints", "value 2 is -3, expected 0 to 7" );
	CheckRefusal( AskInt, "sample: count", "value 0 is 42, expected 1 to 41" );
	CheckRefusal( AskShortString, "sample: method", "not a name" );
	CheckRefusal( AskStringWithZero, "sample: bytes", "not a name" );
}

static void TestNotFinite( void** state )
{
	(void)state;
	const float values[3] = { 1.0f, 2.0f, INFINITY };
	supPackWriter writer = { 0 };
	supPackWriter_Add( &writer, "values", sup_packF32, 3, values );
	size_t size = 0;
	supError error = { 0 };
	uint8_t* block = supPackWriter_Finish( &writer, &size, &error );
	supPackWriter_Destroy( &writer );
	supPackReader reader;
	testRequire( supPackReader_Open( &reader, block, size, "sample", &error ), &error );
	assert_null( supPackReader_GetFloats( &reader, "values", 3 ) );
	assert_non_null( strstr( error.message, "value 2 is not finite" ) );
	supPackReader_Close( &reader );
	supFree( block );
}

// ---------------------------------------------------------------------------------------------------------------------
// Damage

// Exactly as long as the bytes, so that a read beyond them is seen.
static bool TryBytes( const uint8_t* bytes, size_t size, supError* error )
{
	size_t room = ( size + 63 ) / 64 * 64;
	uint8_t* block = aligned_alloc( 64, room > 0 ? room : 64 );
	// the end of the bytes is the end of the memory where the size is a multiple of 64
	memcpy( block, bytes, size );
	*error = ( supError ){ 0 };
	supPackReader reader;
	bool ok = supPackReader_Open( &reader, block, size, "sample", error );
	if ( ok )
	{
		supPackReader_Close( &reader );
	}
	assert_true( ok || ( error->code != sup_errorNone && error->message[0] != 0 ) );
	free( block );
	return ok;
}

static void TestTruncated( void** state )
{
	(void)state;
	size_t size = 0;
	supError error;
	uint8_t* block = MakeSample( sup_packLittle, &size, NULL );
	for ( size_t length = 0; length < size; ++length )
	{
		assert_false( TryBytes( block, length, &error ) );
	}
	assert_non_null( strstr( error.message, "the file is incomplete" ) );
	assert_true( TryBytes( block, size, &error ) );
	supFree( block );
}

static void TestEveryChangedByteIsSeen( void** state )
{
	(void)state;
	for ( int order = sup_packLittle; order <= sup_packBig; ++order )
	{
		size_t size = 0;
		supError error;
		uint8_t* block = MakeSample( (supPackOrder)order, &size, NULL );
		for ( size_t i = 0; i < size; ++i )
		{
			for ( int bit = 0; bit < 8; ++bit )
			{
				block[i] ^= (uint8_t)( 1 << bit );
				assert_false( TryBytes( block, size, &error ) );
				block[i] ^= (uint8_t)( 1 << bit );
			}
		}
		supFree( block );
	}
}

static void TestOtherVersion( void** state )
{
	(void)state;
	size_t size = 0;
	supError error;
	uint8_t* block = MakeSample( sup_packLittle, &size, NULL );
	block[12] = 9;
	assert_false( TryBytes( block, size, &error ) );
	assert_int_equal( error.code, sup_errorUnsupported );
	assert_non_null( strstr( error.message, "format version 9" ) );
	supFree( block );
}

// The checksum written out a second time, so that tables can be made that are wrong and yet whole.
static uint64_t MixWord( uint64_t hash, uint64_t word )
{
	hash = ( hash ^ word ) * 0x9E3779B97F4A7C15ull;
	return hash ^ hash >> 29;
}

static uint64_t HashWords( uint64_t seed, const uint8_t* bytes, size_t count )
{
	uint64_t lanes[4] = { seed, seed + 1, seed + 2, seed + 3 };
	for ( size_t i = 0; i < count; ++i )
	{
		if ( i % 8 == 7 )
		{
			uint64_t word = 0;
			for ( int k = 0; k < 8; ++k )
			{
				word = word << 8 | bytes[i - (size_t)k];
			}
			lanes[i / 8 % 4] = MixWord( lanes[i / 8 % 4], word );
		}
	}
	for ( int k = 0; k < 4; ++k )
	{
		seed = MixWord( seed, lanes[k] );
	}
	return seed;
}

static void Seal( uint8_t* block, size_t size )
{
	memset( block + 24, 0, 8 );
	uint64_t hash = HashWords( HashWords( size, block, 64 ), block + 64, size - 64 );
	for ( int k = 0; k < 8; ++k )
	{
		block[24 + k] = (uint8_t)( hash >> 8 * k );
	}
}

// Every byte of header and table set to every one of some values, with a checksum that fits: refused, or all that the
// table says lies inside the block.
static void TestSealedDamage( void** state )
{
	(void)state;
	static const uint8_t values[] = { 0, 1, 7, '/', 63, 64, 127, 128, 255 };
	size_t size = 0;
	supError error;
	uint8_t* block = MakeSample( sup_packLittle, &size, NULL );
	Seal( block, size );
	assert_true( TryBytes( block, size, &error ) );
	uint8_t* damaged = supAlloc( size );
	for ( size_t i = 0; i < 64 * 12; ++i )
	{
		for ( int32_t k = 0; k < SUP_COUNT( values ); ++k )
		{
			memcpy( damaged, block, size );
			damaged[i] = values[k];
			Seal( damaged, size );
			supPackReader reader;
			if ( supPackReader_Open( &reader, damaged, size, "sample", NULL ) == false )
			{
				continue;
			}
			for ( int32_t s = 0; s < reader.sectionCount; ++s )
			{
				supPackEntry entry = supPackReader_Entry( &reader, s );
				size_t length = strlen( entry.name );
				assert_true( length > 0 && length < SUP_PACK_NAME_SIZE && strstr( entry.name, "//" ) == NULL );
				assert_true( entry.name[0] != '/' && entry.name[length - 1] != '/' );
				if ( strchr( entry.name, '/' ) == NULL )
				{
					const uint8_t* items = supPackReader_Get( &reader, entry.name, entry.type, entry.count );
					size_t bytes = (size_t)entry.count * supPackItemSize( entry.type );
					bool refused = items == NULL && ( entry.type == sup_packF32 || entry.type == sup_packF64 );
					assert_true( refused || ( damaged <= items && bytes <= (size_t)( damaged + size - items ) ) );
				}
			}
			supPackReader_Close( &reader );
		}
	}
	supFree( damaged );
	supFree( block );
}

static bool AttemptPack( void* context )
{
	(void)context;
	supError error = { 0 };
	size_t size = 0;
	uint8_t* block = MakeSample( sup_packBig, &size, &error );
	supPackReader reader;
	bool ok = block != NULL && supPackReader_Open( &reader, block, size, "sample", &error );
	if ( ok )
	{
		CheckSample( &reader );
		supPackReader_Close( &reader );
	}
	supFree( block );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	testEachAllocationFailure( AttemptPack, NULL, 100 );
}

static void TestRandomPacks( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 77 );
	for ( int round = 0; round < 30; ++round )
	{
		supPackWriter writer = { .order = (supPackOrder)testRandomInt( &random, 2 ) };
		int32_t count = (int32_t)testRandomInt( &random, 60 );
		uint32_t seed = testRandomInt( &random, 1000 );
		static uint64_t data[700];
		for ( int32_t i = 0; i < SUP_COUNT( data ); ++i )
		{
			data[i] = (uint64_t)testRandomInt( &random, UINT32_MAX ) << 32 | testRandomInt( &random, UINT32_MAX );
			// finite as f32 and as f64, without which it would be refused
			data[i] &= 0xBFFFFFFFBFFFFFFFull;
		}
		char name[24];
		for ( int32_t i = 0; i < count; ++i )
		{
			snprintf( name, sizeof( name ), "%x", (unsigned)( ( (uint32_t)i + seed ) * 2654435761u ) );
			supPackWriter_Add( &writer, name, (supPackType)( i % sup_packTypeCount ), i * 11, data );
		}
		size_t size = 0;
		uint8_t* block = supPackWriter_Finish( &writer, &size, NULL );
		supPackWriter_Destroy( &writer );
		supPackReader reader;
		assert_true( supPackReader_Open( &reader, block, size, "random", NULL ) );
		for ( int32_t i = 0; i < count; ++i )
		{
			snprintf( name, sizeof( name ), "%x", (unsigned)( ( (uint32_t)i + seed ) * 2654435761u ) );
			CheckArray( &reader, name, (supPackType)( i % sup_packTypeCount ), i * 11, data );
		}
		supPackReader_Close( &reader );
		supFree( block );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestRoundTrip ),
		cmocka_unit_test( TestOtherByteOrder ),
		cmocka_unit_test( TestEntriesAreSorted ),
		cmocka_unit_test( TestRefusals ),
		cmocka_unit_test( TestNotFinite ),
		cmocka_unit_test( TestTruncated ),
		cmocka_unit_test( TestEveryChangedByteIsSeen ),
		cmocka_unit_test( TestOtherVersion ),
		cmocka_unit_test( TestSealedDamage ),
		cmocka_unit_test( TestOutOfMemory ),
		cmocka_unit_test( TestRandomPacks ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
