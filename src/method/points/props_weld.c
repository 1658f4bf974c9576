// SPDX-License-Identifier: MIT
// Joints that never open: two points that are always in one place are one point.
#include "geometry/weld.h"
#include "method/points/props.h"

static void Rename( int32_t* indices, int32_t count, const int32_t* names )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		indices[i] = names[indices[i]];
	}
}

bool supProp_Weld( supProp* prop )
{
	int32_t count = prop->points.count;
	int32_t* parents = supAllocArray( (size_t)count, sizeof( int32_t ) );
	int32_t* names = supAllocArray( (size_t)count, sizeof( int32_t ) );
	if ( parents == NULL || names == NULL )
	{
		supFree( parents );
		supFree( names );
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		parents[i] = i;
	}
	for ( int32_t i = 0; i + 1 < prop->joints.count; i += 2 )
	{
		supUnite( parents, prop->joints.data[i], prop->joints.data[i + 1] );
	}
	int32_t kept = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t root = supFindRoot( parents, i );
		names[i] = root == i ? kept : names[root];
		if ( root == i )
		{
			prop->points.data[kept++] = prop->points.data[i];
		}
	}
	prop->points.count = kept;
	prop->joints.count = 0;
	Rename( prop->tets.data, prop->tets.count, names );
	Rename( prop->nails.data, prop->nails.count, names );
	// nails that have become one hold it once
	int32_t nails = 0;
	for ( int32_t i = 0; i < prop->nails.count; ++i )
	{
		bool known = false;
		for ( int32_t k = 0; k < nails && known == false; ++k )
		{
			known = prop->nails.data[k] == prop->nails.data[i];
		}
		prop->nails.data[nails] = prop->nails.data[i];
		nails += known == false;
	}
	prop->nails.count = nails;
	supFree( parents );
	supFree( names );
	return true;
}
