// SPDX-License-Identifier: MIT
#include "volume/tets.h"

void supTets_Destroy( supTets* tets )
{
	supArena_Destroy( &tets->arena );
	*tets = ( supTets ){ 0 };
}

double supTets_Volume( const supTets* tets, int32_t tet )
{
	const int32_t* corners = tets->indices + 4 * tet;
	supVec3 p0 = tets->points[corners[0]];
	double e[3][3];
	for ( int32_t i = 0; i < 3; ++i )
	{
		supVec3 p = tets->points[corners[i + 1]];
		e[i][0] = (double)p.x - (double)p0.x;
		e[i][1] = (double)p.y - (double)p0.y;
		e[i][2] = (double)p.z - (double)p0.z;
	}
	double cross[3] = { e[0][1] * e[1][2] - e[0][2] * e[1][1], e[0][2] * e[1][0] - e[0][0] * e[1][2],
						e[0][0] * e[1][1] - e[0][1] * e[1][0] };
	return ( cross[0] * e[2][0] + cross[1] * e[2][1] + cross[2] * e[2][2] ) / 6.0;
}
