// SPDX-License-Identifier: MIT
// Patterns, assembly and products against dense loops.
#include "support.h"

#include "linear/block_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NODES 60

// Elements of 1 to 8 nodes; some nodes are no unknowns.
typedef struct Mesh
{
	int32_t starts[101];
	int32_t nodes[900];
	supElements elements;
} Mesh;

static void MakeMesh( Mesh* mesh, uint64_t seed )
{
	testRandom random = testMakeRandom( seed );
	mesh->starts[0] = 0;
	for ( int32_t e = 0; e < 100; ++e )
	{
		int32_t width = 1 + (int32_t)testRandomInt( &random, 8 );
		for ( int32_t k = 0; k < width; ++k )
		{
			int32_t node = (int32_t)testRandomInt( &random, NODES + 5 ) - 5;
			mesh->nodes[mesh->starts[e] + k] = node < 0 ? -1 : node;
		}
		mesh->starts[e + 1] = mesh->starts[e] + width;
	}
	mesh->elements = ( supElements ){ 100, 0, mesh->starts, mesh->nodes };
}

static void TestPattern( void** state )
{
	(void)state;
	Mesh mesh;
	MakeMesh( &mesh, 1 );
	bool coupled[NODES][NODES] = { { false } };
	int32_t blockCount = 0;
	for ( int32_t i = 0; i < NODES; ++i )
	{
		coupled[i][i] = true;
	}
	for ( int32_t e = 0; e < 100; ++e )
	{
		for ( int32_t a = mesh.starts[e]; a < mesh.starts[e + 1]; ++a )
		{
			for ( int32_t b = mesh.starts[e]; b < mesh.starts[e + 1]; ++b )
			{
				if ( mesh.nodes[a] >= 0 && mesh.nodes[b] >= 0 )
				{
					coupled[mesh.nodes[a]][mesh.nodes[b]] = true;
				}
			}
		}
	}
	supBlockMatrix m;
	assert_true( supBlockMatrix_Create( &m, NODES, 3, NULL, &mesh.elements, NULL ) );
	for ( int32_t row = 0; row < NODES; ++row )
	{
		for ( int32_t column = 0; column < NODES; ++column )
		{
			int32_t k = supBlockMatrix_Find( &m, row, column );
			assert_int_equal( k >= 0, coupled[row][column] );
			assert_true( k < 0 || ( m.columns[k] == column && k >= m.rowStarts[row] && k < m.rowStarts[row + 1] ) );
			blockCount += coupled[row][column];
		}
	}
	assert_int_equal( m.blockCount, blockCount );
	assert_int_equal( m.unknownCount, 3 * NODES );
	supBlockMatrix_Destroy( &m );
}

// A matrix with values, and the same dense, [column][row].
static void MakeValues( supBlockMatrix* m, const int32_t* sizes, int32_t nodeSize, double* dense )
{
	Mesh mesh;
	MakeMesh( &mesh, 2 );
	testRandom random = testMakeRandom( 3 );
	assert_true( supBlockMatrix_Create( m, NODES, nodeSize, sizes, &mesh.elements, NULL ) );
	for ( int32_t row = 0; row < NODES; ++row )
	{
		for ( int32_t k = m->rowStarts[row]; k < m->rowStarts[row + 1] && m->columns[k] <= row; ++k )
		{
			int32_t column = m->columns[k], rows = m->offsets[row + 1] - m->offsets[row];
			double block[SUP_MAX_NODE_SIZE * SUP_MAX_NODE_SIZE];
			for ( int32_t i = 0; i < m->blockStarts[k + 1] - m->blockStarts[k]; ++i )
			{
				int32_t r = i % rows, c = i / rows;
				block[i] = testRandomFloat( &random, -1.0f, 1.0f );
				block[i] = row == column && r < c ? block[r * rows + c] : block[i];
				int32_t a = m->offsets[row] + r, b = m->offsets[column] + c;
				dense[b * m->unknownCount + a] = block[i];
				dense[a * m->unknownCount + b] = block[i];
			}
			if ( row == column )
			{
				for ( int32_t i = 0; i < rows * rows; ++i )
				{
					block[i] = dense[( m->offsets[row] + i / rows ) * m->unknownCount + m->offsets[row] + i % rows];
				}
			}
			supBlockMatrix_AddBlock( m, row, column, block );
		}
	}
}

static void TestMultiply( void** state )
{
	(void)state;
	int32_t mixed[NODES];
	for ( int32_t i = 0; i < NODES; ++i )
	{
		mixed[i] = 1 + i % 7;
	}
	const int32_t nodeSizes[] = { 1, 2, 3, 6, 0 };
	for ( int i = 0; i < SUP_COUNT( nodeSizes ); ++i )
	{
		double* dense = calloc( 400 * 400, sizeof( double ) );
		assert_non_null( dense );
		supBlockMatrix m;
		MakeValues( &m, nodeSizes[i] == 0 ? mixed : NULL, nodeSizes[i], dense );
		for ( int32_t columns = 1; columns <= 5; ++columns )
		{
			double x[2000], y[2000];
			for ( int32_t k = 0; k < m.unknownCount * columns; ++k )
			{
				x[k] = sin( 3.0 + k );
			}
			supBlockMatrix_Multiply( &m, x, y, columns, NULL );
			for ( int32_t k = 0; k < m.unknownCount * columns; ++k )
			{
				double sum = 0.0;
				for ( int32_t j = 0; j < m.unknownCount; ++j )
				{
					sum += dense[j * m.unknownCount + k / columns] * x[j * columns + k % columns];
				}
				testLess( fabs( sum - y[k] ), 1.0e-13 );
			}
		}
		supBlockMatrix_SetZero( &m );
		assert_true( m.values[0] == 0.0 && m.values[m.blockStarts[m.blockCount] - 1] == 0.0 );
		supBlockMatrix_Destroy( &m );
		free( dense );
	}
}

// Gathered element by element the same as added block by block.
static void TestAssembly( void** state )
{
	(void)state;
	Mesh mesh;
	MakeMesh( &mesh, 5 );
	for ( int32_t size = 1; size <= 3; ++size )
	{
		supBlockMatrix m, expected;
		supAssembly assembly;
		assert_true( supBlockMatrix_Create( &m, NODES, size, NULL, &mesh.elements, NULL ) );
		assert_true( supBlockMatrix_Create( &expected, NODES, size, NULL, &mesh.elements, NULL ) );
		assert_true( supAssembly_Create( &assembly, &m, &mesh.elements, NULL ) );
		double* matrices = calloc( 100 * 64 * 9, sizeof( double ) );
		assert_non_null( matrices );
		int32_t at = 0;
		for ( int32_t e = 0; e < 100; ++e )
		{
			int32_t width = mesh.starts[e + 1] - mesh.starts[e];
			const int32_t* nodes = mesh.nodes + mesh.starts[e];
			for ( int32_t ab = 0; ab < width * width; ++ab, at += size * size )
			{
				int32_t row = nodes[ab / width], column = nodes[ab % width];
				for ( int32_t i = 0; i < size * size; ++i )
				{
					matrices[at + i] = (double)( ( at + 7 * i ) % 13 );
				}
				if ( row >= 0 && column >= 0 )
				{
					double* to = supBlockMatrix_Block( &expected, supBlockMatrix_Find( &expected, row, column ) );
					for ( int32_t i = 0; i < size * size; ++i )
					{
						to[i] += matrices[at + i];
					}
				}
			}
		}
		supBlockMatrix_AddElements( &m, &assembly, matrices, NULL );
		assert_memory_equal( m.values, expected.values, (size_t)m.blockStarts[m.blockCount] * sizeof( double ) );
		free( matrices );
		supAssembly_Destroy( &assembly );
		supBlockMatrix_Destroy( &m );
		supBlockMatrix_Destroy( &expected );
	}
}

static void TestBadInput( void** state )
{
	(void)state;
	int32_t nodes[] = { 0, 1, 2, 3, 4, 1 };
	supElements elements = { 3, 2, NULL, nodes };
	supBlockMatrix m;
	supError error = { 0 };
	assert_false( supBlockMatrix_Create( &m, 4, 3, NULL, &elements, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_string_equal( error.message, "element 2 uses node 4 of 4" );
	int32_t sizes[5] = { 1, 2, 33, 1, 1 };
	error = ( supError ){ 0 };
	assert_false( supBlockMatrix_Create( &m, 5, 0, sizes, &elements, &error ) );
	assert_string_equal( error.message, "node 2 has 33 unknowns; 1 to 32 are possible" );
	assert_false( supBlockMatrix_Create( &m, 5, 0, NULL, &elements, NULL ) );
	// too many unknowns for the index, without asking for the memory
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	error = ( supError ){ 0 };
	assert_false( supBlockMatrix_Create( &m, 100000000, 32, NULL, NULL, &error ) );
	assert_int_equal( error.code, sup_errorTooLarge );
	supElements many = { 1000000000, 4, NULL, nodes };
	error = ( supError ){ 0 };
	assert_false( supBlockMatrix_Create( &m, 5, 3, NULL, &many, &error ) );
	assert_int_equal( error.code, sup_errorTooLarge );
	assert_int_equal( heap.allocations, 0 );
	testUninstallHeap( &heap );
	assert_true( supBlockMatrix_Create( &m, 0, 3, NULL, NULL, NULL ) );
	supBlockMatrix_Multiply( &m, NULL, NULL, 1, NULL );
	supBlockMatrix_Destroy( &m );
}

static bool AttemptCreate( void* context )
{
	const Mesh* mesh = context;
	supBlockMatrix m = { 0 };
	supAssembly assembly = { 0 };
	supError error = { 0 };
	bool ok = supBlockMatrix_Create( &m, NODES, 3, NULL, &mesh->elements, &error ) &&
			  supAssembly_Create( &assembly, &m, &mesh->elements, &error );
	assert_int_equal( error.code, ok ? sup_errorNone : sup_errorMemory );
	supAssembly_Destroy( &assembly );
	supBlockMatrix_Destroy( &m );
	return ok;
}

static void TestAllocationFailures( void** state )
{
	(void)state;
	Mesh mesh;
	MakeMesh( &mesh, 5 );
	testEachAllocationFailure( AttemptCreate, &mesh, 100 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestPattern ),  cmocka_unit_test( TestMultiply ),           cmocka_unit_test( TestAssembly ),
		cmocka_unit_test( TestBadInput ), cmocka_unit_test( TestAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
