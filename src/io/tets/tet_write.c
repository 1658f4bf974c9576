// SPDX-License-Identifier: MIT
// Tetrahedra as text, for other programs to look at.
#include "io/common/file.h"
#include "supple/io.h"

#include <stdio.h>

static void PrintPoint( supOutput* output, supVec3 p, const char* behind )
{
	supOutput_PrintFloat( output, p.x );
	supOutput_Print( output, " " );
	supOutput_PrintFloat( output, p.y );
	supOutput_Print( output, " " );
	supOutput_PrintFloat( output, p.z );
	supOutput_Print( output, "%s\n", behind );
}

static void PrintVtk( supOutput* output, const supTetMesh* mesh )
{
	supOutput_Print( output,
					 "# vtk DataFile Version 3.0\ntetrahedra\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d float\n",
					 mesh->pointCount );
	for ( int32_t i = 0; i < mesh->pointCount; ++i )
	{
		PrintPoint( output, mesh->points[i], "" );
	}
	supOutput_Print( output, "CELLS %d %lld\n", mesh->tetCount, 5 * (long long)mesh->tetCount );
	for ( int32_t i = 0; i < mesh->tetCount; ++i )
	{
		const int32_t* t = mesh->indices + 4 * (size_t)i;
		supOutput_Print( output, "4 %d %d %d %d\n", t[0], t[1], t[2], t[3] );
	}
	supOutput_Print( output, "CELL_TYPES %d\n", mesh->tetCount );
	for ( int32_t i = 0; i < mesh->tetCount; ++i )
	{
		supOutput_Print( output, "10\n" );
	}
}

static void PrintMedit( supOutput* output, const supTetMesh* mesh )
{
	supOutput_Print( output, "MeshVersionFormatted 1\nDimension 3\nVertices\n%d\n", mesh->pointCount );
	for ( int32_t i = 0; i < mesh->pointCount; ++i )
	{
		PrintPoint( output, mesh->points[i], " 0" );
	}
	supOutput_Print( output, "Tetrahedra\n%d\n", mesh->tetCount );
	for ( int32_t i = 0; i < mesh->tetCount; ++i )
	{
		const int32_t* t = mesh->indices + 4 * (size_t)i;
		supOutput_Print( output, "%d %d %d %d 0\n", t[0] + 1, t[1] + 1, t[2] + 1, t[3] + 1 );
	}
	supOutput_Print( output, "End\n" );
}

static void PrintNodes( supOutput* output, const supTetMesh* mesh )
{
	supOutput_Print( output, "%d 3 0 0\n", mesh->pointCount );
	for ( int32_t i = 0; i < mesh->pointCount; ++i )
	{
		supOutput_Print( output, "%d ", i );
		PrintPoint( output, mesh->points[i], "" );
	}
}

static void PrintElements( supOutput* output, const supTetMesh* mesh )
{
	supOutput_Print( output, "%d 4 0\n", mesh->tetCount );
	for ( int32_t i = 0; i < mesh->tetCount; ++i )
	{
		const int32_t* t = mesh->indices + 4 * (size_t)i;
		supOutput_Print( output, "%d %d %d %d %d\n", i, t[0], t[1], t[2], t[3] );
	}
}

typedef void PrintFcn( supOutput* output, const supTetMesh* mesh );

static bool SaveOne( const supTetMesh* mesh, const char* path, PrintFcn* print, supError* error )
{
	supOutput* output = supBeginOutput( path, error );
	if ( output == NULL )
	{
		return false;
	}
	print( output, mesh );
	return supEndOutput( output, true, error );
}

// Neither takes its place before both could be begun.
static bool SaveTetgen( const supTetMesh* mesh, const char* path, supError* error )
{
	size_t stem = (size_t)( strrchr( path, '.' ) - path );
	char* other = supAllocSmall( stem + 6 );
	if ( other == NULL )
	{
		return supSetMemoryError( error );
	}
	snprintf( other, stem + 6, "%.*s.node", (int)stem, path );
	supOutput* nodes = supBeginOutput( other, error );
	snprintf( other, stem + 6, "%.*s.ele", (int)stem, path );
	supOutput* elements = nodes != NULL ? supBeginOutput( other, error ) : NULL;
	bool ok = elements != NULL;
	if ( ok )
	{
		PrintNodes( nodes, mesh );
		PrintElements( elements, mesh );
		ok = supEndOutput( elements, true, error );
	}
	if ( nodes != NULL )
	{
		ok = supEndOutput( nodes, ok, error ) && ok;
	}
	supFree( other );
	return ok;
}

bool supSaveTets( const supTetMesh* mesh, const char* path, supError* error )
{
	supClearError( error );
	char extension[17];
	supGetExtension( path, extension );
	if ( strcmp( extension, ".node" ) == 0 || strcmp( extension, ".ele" ) == 0 )
	{
		return SaveTetgen( mesh, path, error );
	}
	if ( strcmp( extension, ".vtk" ) == 0 || strcmp( extension, ".mesh" ) == 0 )
	{
		return SaveOne( mesh, path, extension[1] == 'v' ? PrintVtk : PrintMedit, error );
	}
	return supSetError( error, sup_errorArgument, path, "unknown extension; use .vtk, .mesh, .node or .ele" );
}
