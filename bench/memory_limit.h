// SPDX-License-Identifier: MIT
// What memory allows: reading and writing as many bytes as the work, and nothing else.
#pragma once

#include "core/tasks.h"
#include "core/wide.h"

typedef struct benchStream
{
	const float* from;
	float* to;
	// of 32 bytes, per eight vertices: one per four bytes of a vertex
	int32_t reads;
	int32_t writes;
	int32_t blocks;
	const supTasks* tasks;
} benchStream;

static void benchStreamRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const benchStream* s = context;
	const float* from = s->from + (size_t)begin * (size_t)s->reads * 8;
	float* to = s->to + (size_t)begin * (size_t)s->writes * 8;
	for ( int32_t i = begin; i < end; ++i )
	{
		supFloat8 a = { 0 }, b = { 0 };
		for ( int32_t k = 0; k + 1 < s->reads; k += 2 )
		{
			a += supLoad8( from );
			b += supLoad8( from + 8 );
			from += 16;
		}
		from += s->reads % 2 * 8;
		a += b;
		for ( int32_t k = 0; k < s->writes; ++k )
		{
			supStore8( to, a );
			to += 8;
		}
	}
}

// For benchTime; the context is a benchStream.
static void benchRunStream( void* context )
{
	const benchStream* s = context;
	supParallelFor( s->tasks, s->blocks, 256, benchStreamRange, context );
}
