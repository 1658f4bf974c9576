// SPDX-License-Identifier: MIT
// Which part of the work a process begins with. Everybody ends with what others have left.
#pragma once

#include "core/core.h"

typedef struct supShard
{
	int32_t index;      // from 0
	int32_t count;      // 0: nobody knows how many there are
	const char* source; // where it comes from, for messages: "--shard", "SLURM_ARRAY_TASK_ID"
} supShard;

// "2/8": the second of eight.
bool supParseShard( const char* text, supShard* shard );

// What a scheduler says in the environment: Slurm arrays and steps, MPI ranks, GNU parallel. False where none does.
// `get` is getenv.
bool supFindShard( char* ( *get )( const char* name ), supShard* shard );

// The order in which the shard goes through `count` jobs: its own part first, then those of others from their ends.
void supShard_Order( const supShard* shard, int32_t count, int32_t* order );
