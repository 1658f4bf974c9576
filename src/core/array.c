// SPDX-License-Identifier: MIT
#include "core/array.h"

bool supGrowArray( void** data, int32_t* capacity, int32_t needed, size_t itemSize )
{
	if ( needed < 0 || needed > INT32_MAX / 2 )
	{
		return false;
	}
	int32_t newCapacity = *capacity > 0 ? *capacity : 8;
	while ( newCapacity < needed )
	{
		newCapacity *= 2;
	}
	void* newData = supAllocArray( (size_t)newCapacity, itemSize );
	if ( newData == NULL )
	{
		return false;
	}
	if ( *data != NULL )
	{
		memcpy( newData, *data, (size_t)*capacity * itemSize );
		supFree( *data );
	}
	*data = newData;
	*capacity = newCapacity;
	return true;
}
