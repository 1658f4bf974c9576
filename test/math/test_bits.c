// SPDX-License-Identifier: MIT
// The same input gives the same bits: fingerprints of thousands of results, equal for every compiler, level of
// optimisation and machine. A change of the mathematics that is meant changes them here.
#include "support.h"

#include "core/hash.h"

static void CheckFingerprint( const char* what, uint64_t hash, uint64_t expected )
{
	if ( hash != expected )
	{
		fail_msg( "%s: the fingerprint is 0x%016llxull", what, (unsigned long long)hash );
	}
}

#define COUNT 20000

static void TestTrigonometry( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	uint64_t hash = SUP_HASH_SEED;
	for ( int i = 0; i < COUNT; ++i )
	{
		float extent = i % 2 == 0 ? 10.0f : 1.0e7f;
		supCosSin turn = supComputeCosSin( testRandomFloat( &random, -extent, extent ) );
		float y = testRandomFloat( &random, -1.0f, 1.0f );
		float angles[2] = { supAtan2( y, testRandomFloat( &random, -1.0f, 1.0f ) ), supAcos( y ) };
		hash = supHashBytes( hash, &turn, sizeof( turn ) );
		hash = supHashBytes( hash, angles, sizeof( angles ) );
	}
	CheckFingerprint( "trigonometry", hash, 0x02a4e0ba6bac8023ull );
}

static void TestQuaternions( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 2 );
	uint64_t hash = SUP_HASH_SEED;
	for ( int i = 0; i < COUNT; ++i )
	{
		supQuat a = testRandomQuat( &random );
		supQuat b = testRandomQuat( &random );
		float t = testRandomFloat( &random, 0.0f, 1.0f );
		supVec3 v = testRandomVec3( &random, 1.0f );
		supQuat results[6] = { supSlerp( a, b, t ),
							   supNlerp( a, b, t ),
							   supMakeQuatAxisAngle( v, t ),
							   supMakeQuatBetween( v, supRotate( a, v ) ),
							   supMakeQuatMat3( supMakeMat3Quat( a ) ),
							   supMulDualQuat( supMakeDualQuat( a, v ), supMakeDualQuat( b, v ) ).dual };
		hash = supHashBytes( hash, results, sizeof( results ) );
	}
	CheckFingerprint( "quaternions", hash, 0xd9174340d98b9632ull );
}

static void TestMatrices( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	uint64_t hash = SUP_HASH_SEED;
	for ( int i = 0; i < COUNT; ++i )
	{
		supMat3 m = { testRandomVec3( &random, 1.0f ), testRandomVec3( &random, 1.0f ),
					  testRandomVec3( &random, 1.0f ) };
		// every tenth of rank two, every hundredth of rank one
		m.cy = i % 10 == 0 ? supScale( 3.0f, m.cx ) : m.cy;
		m.cz = i % 100 == 0 ? supScale( 5.0f, m.cx ) : m.cz;
		supSvd svd = supComputeSvd( m );
		supQuat rotation = supPolarRotation( m );
		supTransform split;
		supMat34 inverse = supMat34_identity;
		supMat34 affine = { m.cx, m.cy, m.cz, supVec3_one };
		supDecompose( affine, &split );
		supInvertMat34( affine, &inverse );
		hash = supHashBytes( hash, &svd, sizeof( svd ) );
		hash = supHashBytes( hash, &rotation, sizeof( rotation ) );
		hash = supHashBytes( hash, &split, sizeof( split ) );
		hash = supHashBytes( hash, &inverse, sizeof( inverse ) );
	}
	CheckFingerprint( "matrices", hash, 0x7fdbe1277d2c5c85ull );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestTrigonometry ),
		cmocka_unit_test( TestQuaternions ),
		cmocka_unit_test( TestMatrices ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
