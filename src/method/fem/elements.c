// SPDX-License-Identifier: MIT
// The control lattice, to be looked at: its vertices are the first of the functions.
#include "method/fem/flesh.h"

void supFem_ListElements( const void* fleshPointer, supFleshElements* elements )
{
	const supFemFlesh* flesh = fleshPointer;
	const supControlLattice* lattice = &flesh->lattice;
	elements->kind = sup_elementsLattice;
	elements->pointCount = lattice->vertexCount;
	size_t most = 0;
	for ( int32_t i = 0; i < lattice->cellCount && lattice->kinds != NULL; ++i )
	{
		most += (size_t)supCellShapes[lattice->kinds[i]].edgeCount;
	}
	int32_t* lines = most > 0 ? supArena_AllocArray( &elements->arena, 2 * most, sizeof( int32_t ) ) : NULL;
	for ( int32_t i = 0; i < lattice->cellCount && lines != NULL; ++i )
	{
		const supCellShape* shape = supCellShapes + lattice->kinds[i];
		const int32_t* corners = lattice->corners + lattice->cornerStarts[i];
		for ( int32_t k = 0; k < shape->edgeCount; ++k, ++elements->lineCount )
		{
			lines[2 * elements->lineCount] = corners[shape->edges[k][0]];
			lines[2 * elements->lineCount + 1] = corners[shape->edges[k][1]];
		}
	}
	elements->lines = lines;
}
