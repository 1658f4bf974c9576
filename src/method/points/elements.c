// SPDX-License-Identifier: MIT
#include "method/points/flesh.h"

void supPoints_ListElements( const void* fleshPointer, supFleshElements* elements )
{
	const supPointsFlesh* flesh = fleshPointer;
	elements->kind = sup_elementsTets;
	elements->pointCount = flesh->pointCount;
	elements->count = flesh->tetCount;
	elements->cornerCount = 4;
	elements->corners = flesh->tets;
}
