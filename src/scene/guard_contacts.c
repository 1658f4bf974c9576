// SPDX-License-Identifier: MIT
// What presses on skin knows better than skinning where it is.
#include "core/tasks.h"
#include "scene/guard_kernel.h"
#include "scene/guard_work.h"

static void FindRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supFindNearest )( context, begin, end );
}

void supGuard_FindAllowed( const supGuardWork* work, bool onlyOthers, float reach )
{
	const supGuardMesh* mesh = work->mesh;
	for ( int32_t i = 0; i < mesh->placeCount; ++i )
	{
		work->allowed[i] = 1.0f;
	}
	if ( work->contactCount == 0 )
	{
		return;
	}
	supNearJob job = { .count = mesh->vertexCount,
					   .positions = work->drawn,
					   .contactCount = work->contactCount,
					   .contacts = work->contacts,
					   .actor = work->actor,
					   .onlyOthers = onlyOthers,
					   .squares = work->squares };
	supParallelFor( work->tasks, supCountEights( mesh->vertexCount ), SUP_GUARD_GRAIN / 16, FindRange, &job );
	for ( int32_t k = 0; k < mesh->vertexCount; ++k )
	{
		float beyond = sqrtf( work->squares[k] ) / ( reach * mesh->size ) - 1.0f;
		float* allowed = work->allowed + mesh->places[k];
		*allowed = supMinFloat( *allowed, supMaxFloat( beyond, 0.0f ) );
	}
}
