// SPDX-License-Identifier: MIT
#include "method/layered/layered.h"

void supLayered_ListElements( const void* fleshPointer, supFleshElements* elements )
{
	const supLayeredFlesh* flesh = fleshPointer;
	elements->kind = sup_elementsTets;
	elements->pointCount = flesh->layer.tets.pointCount;
	elements->count = flesh->layer.tets.tetCount;
	elements->cornerCount = 4;
	elements->corners = flesh->layer.tets.indices;
}
