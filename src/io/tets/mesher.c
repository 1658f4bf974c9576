// SPDX-License-Identifier: MIT
// A surface is written into a private folder, the program runs there, and what it made is read like any other file.
#include "io/tets/mesher.h"

#include "geometry/weld.h"
#include "io/common/file.h"
#include "io/common/process.h"
#include "supple/io.h"

#include <math.h>
#include <stdio.h>

#define MOST_MEMORY ( (uint64_t)16 << 30 )
#define MOST_SECONDS 600.0

// The surface with one vertex for each place and no triangle without area.
typedef struct Surface
{
	supArena arena;
	int32_t pointCount;
	supVec3* points;
	int32_t triangleCount;
	int32_t* corners;
	double volume;
} Surface;

static double SignedVolume( supVec3 a, supVec3 b, supVec3 c )
{
	return ( (double)a.x * ( (double)b.y * (double)c.z - (double)b.z * (double)c.y ) +
			 (double)a.y * ( (double)b.z * (double)c.x - (double)b.x * (double)c.z ) +
			 (double)a.z * ( (double)b.x * (double)c.y - (double)b.y * (double)c.x ) ) /
		   6.0;
}

static bool WeldSurface( Surface* surface, const supMesherDef* def )
{
	size_t count = (size_t)def->vertexCount;
	int32_t* places = supArena_AllocArray( &surface->arena, count, sizeof( int32_t ) );
	int32_t* numbers = supArena_AllocArray( &surface->arena, count, sizeof( int32_t ) );
	surface->points = supArena_AllocArray( &surface->arena, count, sizeof( supVec3 ) );
	surface->corners = supArena_AllocArray( &surface->arena, 3 * (size_t)def->triangleCount, sizeof( int32_t ) );
	supArena scratch = { 0 };
	bool ok = surface->arena.failed == false && supWeld( def->positions, def->vertexCount, &scratch, places );
	supArena_Destroy( &scratch );
	for ( int32_t i = 0; ok && i < def->vertexCount; ++i )
	{
		// the place of a vertex is the first vertex there
		numbers[i] = places[i] == i ? surface->pointCount : numbers[places[i]];
		if ( places[i] == i )
		{
			surface->points[surface->pointCount++] = def->positions[i];
		}
	}
	for ( int32_t i = 0; ok && i < def->triangleCount; ++i )
	{
		int32_t a = numbers[def->indices[3 * i]], b = numbers[def->indices[3 * i + 1]],
				c = numbers[def->indices[3 * i + 2]];
		if ( a != b && b != c && c != a )
		{
			int32_t* corners = surface->corners + 3 * (size_t)surface->triangleCount++;
			corners[0] = a;
			corners[1] = b;
			corners[2] = c;
			surface->volume += SignedVolume( surface->points[a], surface->points[b], surface->points[c] );
		}
	}
	surface->volume = fabs( surface->volume );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Files

static void PrintPoints( supOutput* output, const Surface* surface, bool numbered )
{
	for ( int32_t i = 0; i < surface->pointCount; ++i )
	{
		supVec3 p = surface->points[i];
		if ( numbered )
		{
			supOutput_Print( output, "%d ", i + 1 );
		}
		supOutput_PrintFloat( output, p.x );
		supOutput_Print( output, " " );
		supOutput_PrintFloat( output, p.y );
		supOutput_Print( output, " " );
		supOutput_PrintFloat( output, p.z );
		supOutput_Print( output, "\n" );
	}
}

static void PrintOff( supOutput* output, const Surface* surface )
{
	supOutput_Print( output, "OFF\n%d %d 0\n", surface->pointCount, surface->triangleCount );
	PrintPoints( output, surface, false );
	for ( int32_t i = 0; i < surface->triangleCount; ++i )
	{
		const int32_t* c = surface->corners + 3 * (size_t)i;
		supOutput_Print( output, "3 %d %d %d\n", c[0], c[1], c[2] );
	}
}

static void PrintMsh( supOutput* output, const Surface* surface )
{
	supOutput_Print( output, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", surface->pointCount );
	PrintPoints( output, surface, true );
	supOutput_Print( output, "$EndNodes\n$Elements\n%d\n", surface->triangleCount );
	for ( int32_t i = 0; i < surface->triangleCount; ++i )
	{
		const int32_t* c = surface->corners + 3 * (size_t)i;
		supOutput_Print( output, "%d 2 2 0 1 %d %d %d\n", i + 1, c[0] + 1, c[1] + 1, c[2] + 1 );
	}
	supOutput_Print( output, "$EndElements\n" );
}

// What is inside of the surface, with edges of at most this length; 0: any.
static void PrintGeo( supOutput* output, double edge )
{
	supOutput_Print( output, "Merge \"body.msh\";\nSurface Loop(1) = {1};\nVolume(1) = {1};\nMesh.SaveAll = 1;\n" );
	if ( edge > 0.0 )
	{
		// without these, large triangles of the surface would make the inside coarse
		supOutput_Print( output, "Mesh.Algorithm3D = 10;\nMesh.MeshSizeExtendFromBoundary = 0;\nMesh.MeshSizeMax = " );
		supOutput_PrintFloat( output, (float)edge );
		supOutput_Print( output, ";\n" );
	}
}

static supOutput* BeginFile( const char* folder, const char* name, supError* error )
{
	char* path = supJoinPath( folder, name, error );
	supOutput* output = path != NULL ? supBeginOutput( path, error ) : NULL;
	supFree( path );
	return output;
}

static bool WriteOff( const Surface* surface, const char* folder, supError* error )
{
	supOutput* output = BeginFile( folder, "body.off", error );
	if ( output == NULL )
	{
		return false;
	}
	PrintOff( output, surface );
	return supEndOutput( output, true, error );
}

static bool WriteMshAndGeo( const Surface* surface, double edge, const char* folder, supError* error )
{
	supOutput* msh = BeginFile( folder, "body.msh", error );
	supOutput* geo = msh != NULL ? BeginFile( folder, "body.geo", error ) : NULL;
	bool ok = geo != NULL;
	if ( ok )
	{
		PrintMsh( msh, surface );
		PrintGeo( geo, edge );
		ok = supEndOutput( geo, true, error );
	}
	return msh != NULL && supEndOutput( msh, ok, error ) && ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Programs

// Edge of a regular tetrahedron of this volume: V = a^3 / (6 sqrt 2). The cube root by Newton's method.
static double EdgeOfVolume( double volume )
{
	double cube = 8.485281374238570 * volume;
	double edge = cube > 1.0 ? cube : 1.0;
	for ( int i = 0; i < 200; ++i )
	{
		edge = ( 2.0 * edge + cube / ( edge * edge ) ) / 3.0;
	}
	return edge;
}

static bool RunTetgen( const supMesherDef* def, const Surface* surface, const char* folder, supError* error )
{
	// of tetrahedra with at most this volume the mean is about half of it
	char options[64];
	double largest = def->tetCount > 0 ? 1.8 * surface->volume / def->tetCount : 0.0;
	snprintf( options, sizeof( options ), largest > 0.0 ? "-pq1.414zQa%.9g" : "-pq1.414zQ", largest );
	char* comma = strchr( options, ',' );
	if ( comma != NULL )
	{
		*comma = '.';
	}
	const char* arguments[] = { "tetgen", options, "body.off", NULL };
	supRunDef run = { arguments, folder, def->seconds > 0.0 ? def->seconds : MOST_SECONDS, MOST_MEMORY };
	return WriteOff( surface, folder, error ) && supRunProgram( &run, error );
}

static bool RunGmsh( const supMesherDef* def, const Surface* surface, const char* folder, supError* error )
{
	// edges up to this length give tetrahedra of 2.3 times the volume of the regular one
	double edge = def->tetCount > 0 ? EdgeOfVolume( surface->volume / ( 2.3 * def->tetCount ) ) : 0.0;
	const char* arguments[] = { "gmsh",    "-3",    "-v", "2",       "-nt",      "1", "-bin",
								"-format", "msh41", "-o", "out.msh", "body.geo", NULL };
	supRunDef run = { arguments, folder, def->seconds > 0.0 ? def->seconds : MOST_SECONDS, MOST_MEMORY };
	return WriteMshAndGeo( surface, edge, folder, error ) && supRunProgram( &run, error );
}

// Neither program calls a surface that is open or cuts itself a failure; then there is no result, or an empty one.
static supTetMesh* ReadResult( const supMesherDef* def, const char* folder, supError* error )
{
	bool isTetgen = def->program == sup_mesherTetgen;
	char* path = supJoinPath( folder, isTetgen ? "body.1.ele" : "out.msh", error );
	if ( path == NULL )
	{
		return NULL;
	}
	supError reason = { 0 };
	supTetMesh* mesh = supLoadTets( path, &reason );
	supFree( path );
	if ( mesh == NULL && reason.code == sup_errorMemory )
	{
		supSetMemoryError( error );
	}
	else if ( mesh == NULL )
	{
		char words[200];
		supReadLastWords( folder, words );
		supSetError( error, sup_errorFormat, isTetgen ? "tetgen" : "gmsh",
					 "the program made no usable tetrahedra (%s); it needs a closed surface without "
					 "self-intersections. Its last output: '%s'",
					 reason.message, words );
	}
	return mesh;
}

supTetMesh* supRunMesher( const supMesherDef* def, supError* error )
{
	supClearError( error );
	Surface surface = { 0 };
	char* folder = NULL;
	supTetMesh* mesh = NULL;
	if ( WeldSurface( &surface, def ) == false )
	{
		supSetMemoryError( error );
	}
	else if ( surface.triangleCount == 0 )
	{
		supSetError( error, sup_errorArgument, NULL, "the mesh has no surface to fill" );
	}
	else if ( ( folder = supMakeTemporaryFolder( error ) ) != NULL )
	{
		bool ok = def->program == sup_mesherTetgen ? RunTetgen( def, &surface, folder, error )
												   : RunGmsh( def, &surface, folder, error );
		mesh = ok ? ReadResult( def, folder, error ) : NULL;
	}
	supRemoveTemporaryFolder( folder );
	supArena_Destroy( &surface.arena );
	return mesh;
}
