// SPDX-License-Identifier: MIT
// What the body is made of, to be looked at: tets, and the edges in the colours of their domains.
#include "method/position/position.h"

// Pieces of the schedule that no other thread touches meanwhile.
static int32_t CountDomains( const supPositionFlesh* flesh )
{
	return flesh->levels.starts[flesh->levels.count];
}

void supPosition_ListElements( const void* fleshPointer, supFleshElements* elements )
{
	const supPositionFlesh* flesh = fleshPointer;
	elements->kind = sup_elementsTets;
	elements->pointCount = flesh->particleCount;
	elements->count = flesh->tetCount;
	elements->cornerCount = 4;
	elements->corners = flesh->tets;
	size_t most = (size_t)flesh->stretch.packCount * SUP_PACK;
	int32_t* lines = supArena_AllocArray( &elements->arena, 2 * most, sizeof( int32_t ) );
	uint16_t* colors = supArena_AllocArray( &elements->arena, most, sizeof( uint16_t ) );
	if ( lines == NULL || colors == NULL )
	{
		return;
	}
	int32_t count = 0;
	for ( int32_t domain = 0; domain < CountDomains( flesh ); ++domain )
	{
		for ( int32_t pack = flesh->stretch.starts[domain]; pack < flesh->stretch.starts[domain + 1]; ++pack )
		{
			const supStretchPack* source = flesh->stretchPacks + pack;
			for ( int32_t lane = 0; lane < SUP_PACK; ++lane )
			{
				// a pack that is not full repeats its first
				if ( lane > 0 && source->first[lane] == source->first[0] && source->second[lane] == source->second[0] )
				{
					break;
				}
				// places in bytes
				lines[2 * count] = (int32_t)( source->first[lane] / 16 );
				lines[2 * count + 1] = (int32_t)( source->second[lane] / 16 );
				colors[count] = (uint16_t)domain;
				count += 1;
			}
		}
	}
	elements->lineCount = count;
	elements->lines = lines;
	elements->colors = colors;
}
