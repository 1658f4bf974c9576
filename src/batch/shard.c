// SPDX-License-Identifier: MIT
#include "batch/shard.h"

#include <stdlib.h>

#define MAX_SHARDS 1000000

bool supParseShard( const char* text, supShard* shard )
{
	char* end;
	long index = strtol( text, &end, 10 );
	bool ok = end != text && *end == '/';
	const char* rest = end + 1;
	long count = ok ? strtol( rest, &end, 10 ) : 0;
	ok = ok && end != rest && *end == 0 && count >= 1 && count <= MAX_SHARDS && index >= 1 && index <= count;
	*shard = ok ? ( supShard ){ (int32_t)index - 1, (int32_t)count, "--shard" } : ( supShard ){ 0 };
	return ok;
}

// A number from the environment, -1 if there is none.
static int32_t GetNumber( char* ( *get )( const char* name ), const char* name )
{
	const char* text = get( name );
	char* end;
	long value = text != NULL ? strtol( text, &end, 10 ) : -1;
	return text != NULL && end != text && *end == 0 && value >= 0 && value <= INT32_MAX ? (int32_t)value : -1;
}

// An array of Slurm, each task of which may run several steps beside each other (srun).
static bool FindSlurm( char* ( *get )( const char* name ), supShard* shard )
{
	int32_t task = GetNumber( get, "SLURM_ARRAY_TASK_ID" );
	int32_t rank = GetNumber( get, "SLURM_PROCID" ), ranks = GetNumber( get, "SLURM_NTASKS" );
	bool steps = rank >= 0 && ranks > 1 && rank < ranks;
	if ( task < 0 && steps == false )
	{
		return false;
	}
	int32_t first = GetNumber( get, "SLURM_ARRAY_TASK_MIN" ), tasks = GetNumber( get, "SLURM_ARRAY_TASK_COUNT" );
	int32_t step = GetNumber( get, "SLURM_ARRAY_TASK_STEP" );
	int32_t place = task >= 0 ? ( task - ( first > 0 ? first : 0 ) ) / ( step > 0 ? step : 1 ) : 0;
	int32_t places = task < 0 ? 1 : tasks > place ? tasks : 0;
	*shard = ( supShard ){ place < 0 ? 0 : place, places, task >= 0 ? "SLURM_ARRAY_TASK_ID" : "SLURM_PROCID" };
	if ( steps && shard->index < MAX_SHARDS / ranks && places < MAX_SHARDS / ranks )
	{
		shard->index = shard->index * ranks + rank;
		shard->count = places * ranks;
	}
	return true;
}

bool supFindShard( char* ( *get )( const char* name ), supShard* shard )
{
	static const struct
	{
		const char* index;
		const char* count;
		int32_t first;
	} ranks[] = { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", 0 },
				  { "PMIX_RANK", "PMIX_SIZE", 0 },
				  { "PMI_RANK", "PMI_SIZE", 0 },
				  { "PARALLEL_SEQ", "PARALLEL_TOTAL", 1 } };
	*shard = ( supShard ){ 0 };
	if ( FindSlurm( get, shard ) )
	{
		return true;
	}
	for ( int32_t i = 0; i < SUP_COUNT( ranks ); ++i )
	{
		int32_t index = GetNumber( get, ranks[i].index ) - ranks[i].first;
		int32_t count = GetNumber( get, ranks[i].count );
		if ( index >= 0 )
		{
			*shard = ( supShard ){ index, count > index ? count : 0, ranks[i].index };
			return true;
		}
	}
	return false;
}

// Where an index begins that does not know how many there are: 1/2, 1/4, 3/4, 1/8 ... of the way, so that any number of
// them lie apart.
static int32_t SpreadStart( int32_t index, int32_t count )
{
	double place = 0.0, part = 0.5;
	for ( int32_t i = index; i > 0; i >>= 1, part *= 0.5 )
	{
		place += ( i & 1 ) != 0 ? part : 0.0;
	}
	int32_t start = (int32_t)( place * count );
	return start < count ? start : count - 1;
}

void supShard_Order( const supShard* shard, int32_t count, int32_t* order )
{
	int32_t parts = shard->count > 0 ? shard->count : 1;
	int32_t n = 0;
	if ( shard->count == 0 && count > 0 )
	{
		int32_t start = SpreadStart( shard->index, count );
		for ( int32_t i = 0; i < count; ++i )
		{
			order[n++] = ( start + i ) % count;
		}
		return;
	}
	for ( int32_t k = 0; k < parts; ++k )
	{
		int64_t part = ( shard->index + k ) % parts;
		int32_t first = (int32_t)( part * count / parts ), end = (int32_t)( ( part + 1 ) * count / parts );
		for ( int32_t i = first; i < end; ++i )
		{
			order[n++] = k == 0 ? i : end - 1 - ( i - first );
		}
	}
}
