// SPDX-License-Identifier: MIT
#include "batch/shard.h"
#include "support.h"

static const char* const* s_environment; // name, value, ..., NULL

static char* Get( const char* name )
{
	for ( int32_t i = 0; s_environment[i] != NULL; i += 2 )
	{
		if ( strcmp( s_environment[i], name ) == 0 )
		{
			return (char*)(uintptr_t)s_environment[i + 1];
		}
	}
	return NULL;
}

static supShard Find( const char* const* environment )
{
	supShard shard;
	s_environment = environment;
	assert_true( supFindShard( Get, &shard ) );
	return shard;
}

static void TestSources( void** state )
{
	(void)state;
	supShard shard;
	assert_true( supParseShard( "2/8", &shard ) );
	assert_int_equal( shard.index, 1 );
	assert_int_equal( shard.count, 8 );
	static const char* const bad[] = {
		"", "2", "0/3", "4/3", "1/", "/3", "1/0", "-1/3", "1/3x", "a/b", "1/99999999999"
	};
	for ( int32_t i = 0; i < SUP_COUNT( bad ); ++i )
	{
		assert_false( supParseShard( bad[i], &shard ) );
	}
	s_environment = ( const char* const[] ){ NULL };
	assert_false( supFindShard( Get, &shard ) );
	shard = Find( ( const char* const[] ){ "SLURM_ARRAY_TASK_ID", "7", "SLURM_ARRAY_TASK_MIN", "3",
										   "SLURM_ARRAY_TASK_STEP", "2", "SLURM_ARRAY_TASK_COUNT", "4", NULL } );
	assert_int_equal( shard.index, 2 );
	assert_int_equal( shard.count, 4 );
	// each task of an array with two steps
	shard = Find( ( const char* const[] ){ "SLURM_ARRAY_TASK_ID", "2", "SLURM_ARRAY_TASK_MIN", "1",
										   "SLURM_ARRAY_TASK_COUNT", "3", "SLURM_PROCID", "1", "SLURM_NTASKS", "2",
										   NULL } );
	assert_int_equal( shard.index, 3 );
	assert_int_equal( shard.count, 6 );
	// a lone task of Slurm is no shard
	s_environment = ( const char* const[] ){ "SLURM_PROCID", "0", "SLURM_NTASKS", "1", NULL };
	assert_false( supFindShard( Get, &shard ) );
	shard = Find( ( const char* const[] ){ "OMPI_COMM_WORLD_RANK", "5", "OMPI_COMM_WORLD_SIZE", "6", NULL } );
	assert_int_equal( shard.index, 5 );
	assert_int_equal( shard.count, 6 );
	shard = Find( ( const char* const[] ){ "PMI_RANK", "0", "PMI_SIZE", "6", NULL } );
	assert_int_equal( shard.count, 6 );
	shard = Find( ( const char* const[] ){ "PARALLEL_SEQ", "4", NULL } );
	assert_int_equal( shard.index, 3 );
	assert_int_equal( shard.count, 0 );
}

// Whatever the shard, it knows every job, once; and shards begin with different ones.
static void TestOrder( void** state )
{
	(void)state;
	enum
	{
		most = 101
	};
	for ( int32_t count = 0; count <= most; count += count < 5 ? 1 : 32 )
	{
		for ( int32_t parts = 0; parts <= 7; ++parts )
		{
			int32_t firsts[most] = { 0 };
			for ( int32_t index = 0; index < ( parts > 0 ? parts : 7 ); ++index )
			{
				int32_t order[most + 1], seen[most] = { 0 };
				supShard shard = { .index = index, .count = parts };
				supShard_Order( &shard, count, order );
				for ( int32_t i = 0; i < count; ++i )
				{
					assert_in_range( order[i], 0, count - 1 );
					seen[order[i]] += 1;
				}
				for ( int32_t i = 0; i < count; ++i )
				{
					assert_int_equal( seen[i], 1 );
				}
				firsts[count > 0 ? order[0] : 0] += 1;
			}
			for ( int32_t i = 0; count >= 64 && i < count; ++i )
			{
				assert_in_range( firsts[i], 0, 1 );
			}
		}
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSources ),
		cmocka_unit_test( TestOrder ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
