// SPDX-License-Identifier: MIT
#include "volume/tets/tets.h"

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

bool supTets_InitMesh( supTets* tets, const supTetMesh* mesh, supError* error )
{
	tets->points = supArena_CopyArray( &tets->arena, mesh->points, (size_t)mesh->pointCount, sizeof( supVec3 ) );
	tets->indices = supArena_CopyArray( &tets->arena, mesh->indices, 4 * (size_t)mesh->tetCount, sizeof( int32_t ) );
	if ( tets->arena.failed )
	{
		supTets_Destroy( tets );
		return supSetMemoryError( error );
	}
	tets->pointCount = mesh->pointCount;
	tets->tetCount = mesh->tetCount;
	return true;
}

supTetMesh supTets_Mesh( const supTets* tets )
{
	return ( supTetMesh ){
		.pointCount = tets->pointCount, .points = tets->points, .tetCount = tets->tetCount, .indices = tets->indices
	};
}

void supTets_Save( const supTets* tets, supPackWriter* writer )
{
	supPackWriter_Add( writer, "points", sup_packF32, 3 * (int64_t)tets->pointCount, tets->points );
	supPackWriter_Add( writer, "indices", sup_packI32, 4 * (int64_t)tets->tetCount, tets->indices );
}

bool supTets_Load( supTetMesh* mesh, supPackReader* reader )
{
	int64_t points = supPackReader_Count( reader, "points" ) / 3;
	int64_t tets = supPackReader_Count( reader, "indices" ) / 4;
	if ( points > INT32_MAX / 4 || tets > INT32_MAX / 4 )
	{
		return supPackReader_Refuse( reader, "indices", "too many tetrahedra; build the file again" );
	}
	*mesh = ( supTetMesh ){ .pointCount = (int32_t)points, .tetCount = (int32_t)tets };
	mesh->points = (const supVec3*)supPackReader_GetFloats( reader, "points", 3 * points );
	mesh->indices = supPackReader_GetInts( reader, "indices", 4 * tets, 0, mesh->pointCount - 1 );
	return mesh->points != NULL && mesh->indices != NULL;
}
