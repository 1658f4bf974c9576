// SPDX-License-Identifier: MIT
// From what a file says to tetrahedra that can be used: numbers become indices, orientation is set right, what is
// useless is left out or refused.
#include "io/tets/tet_reader.h"

#include "core/sort.h"
#include "io/common/file.h"
#include "supple/io.h"

#include <math.h>
#include <stdio.h>

// Volume over the cube of the longest edge; a regular tetrahedron has 0.118. Flatter than this its inverse is noise.
#define FLAT 1e-9

typedef struct TetMesh
{
	supTetMesh mesh; // first, so that the public pointer is ours
	supArena arena;
	SUP_ARRAY( supNote ) notes;
} TetMesh;

bool supTetReader_ReadPoint( supTetReader* reader, supNumberKind kind )
{
	double p[3];
	for ( int i = 0; i < 3; ++i )
	{
		if ( supScanner_ReadNumber( &reader->scan, kind, "a coordinate", &p[i] ) == false )
		{
			return false;
		}
	}
	return SUP_PUSH( &reader->points, supMakeVec3( (float)p[0], (float)p[1], (float)p[2] ) ) ||
		   supSetMemoryError( reader->scan.error );
}

bool supTetReader_ReadTet( supTetReader* reader, supNumberKind kind, int64_t nodeCount )
{
	supTetCorners tet;
	for ( int i = 0; i < 4; ++i )
	{
		int64_t number;
		if ( supScanner_ReadInt( &reader->scan, kind, "a point of a tetrahedron", 0, INT32_MAX, &number ) == false )
		{
			return false;
		}
		tet.points[i] = (int32_t)number;
	}
	reader->curvedTets += nodeCount > 4;
	return ( SUP_PUSH( &reader->tets, tet ) || supSetMemoryError( reader->scan.error ) ) &&
		   supScanner_SkipNumbers( &reader->scan, nodeCount - 4, kind, "points of a tetrahedron" );
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers to indices

static bool FailAtTet( const supTetReader* reader, int32_t tet, const char* format, ... ) SUP_PRINTF( 3, 4 );

static bool FailAtTet( const supTetReader* reader, int32_t tet, const char* format, ... )
{
	char where[256];
	snprintf( where, sizeof( where ), "%s: tetrahedron %d", reader->scan.fileName, tet + 1 );
	va_list arguments;
	va_start( arguments, format );
	supSetErrorV( reader->scan.error, sup_errorFormat, where, format, arguments );
	va_end( arguments );
	return false;
}

// Points numbered one after another, as nearly all files do, need no table.
static bool IsConsecutive( const supTetReader* reader )
{
	for ( int32_t i = 1; i < reader->numbers.count; ++i )
	{
		if ( reader->numbers.data[i] != reader->numbers.data[i - 1] + 1 )
		{
			return false;
		}
	}
	return true;
}

static int32_t FindKey( const uint64_t* keys, int32_t count, int32_t number )
{
	int32_t low = 0;
	int32_t high = count;
	while ( low < high )
	{
		int32_t middle = low + ( high - low ) / 2;
		bool below = (int64_t)( keys[middle] >> 32 ) < number;
		low = below ? middle + 1 : low;
		high = below ? high : middle;
	}
	return low < count && (int64_t)( keys[low] >> 32 ) == number ? (int32_t)( keys[low] & 0xFFFFFFFFu ) : -1;
}

// The number of each point above, its index below; smallest first.
static uint64_t* SortNumbers( const supTetReader* reader )
{
	size_t count = (size_t)reader->numbers.count;
	uint64_t* keys = supAllocArray( 2 * count, sizeof( uint64_t ) );
	if ( keys == NULL )
	{
		supSetMemoryError( reader->scan.error );
		return NULL;
	}
	for ( size_t i = 0; i < count; ++i )
	{
		keys[i] = (uint64_t)reader->numbers.data[i] << 32 | (uint64_t)i;
	}
	supSortKeys( keys, keys + count, count, 63 );
	for ( size_t i = 1; i < count; ++i )
	{
		if ( keys[i] >> 32 == keys[i - 1] >> 32 )
		{
			supSetError( reader->scan.error, sup_errorFormat, reader->scan.fileName, "two points have the number %d",
						 (int)( keys[i] >> 32 ) );
			supFree( keys );
			return NULL;
		}
	}
	return keys;
}

static bool ResolveTet( supTetReader* reader, int32_t tet, const uint64_t* keys, int32_t first )
{
	int32_t* corners = reader->tets.data[tet].points;
	for ( int i = 0; i < 4; ++i )
	{
		int32_t number = corners[i];
		int64_t index =
			keys != NULL ? FindKey( keys, reader->numbers.count, number ) : (int64_t)number - (int64_t)first;
		if ( index < 0 || index >= reader->points.count )
		{
			return FailAtTet( reader, tet, "point %d does not exist", number );
		}
		corners[i] = (int32_t)index;
	}
	bool same = corners[0] == corners[1] || corners[0] == corners[2] || corners[0] == corners[3] ||
				corners[1] == corners[2] || corners[1] == corners[3] || corners[2] == corners[3];
	return same == false || FailAtTet( reader, tet, "two of its corners are the same point; remesh or remove it" );
}

static bool ResolveNumbers( supTetReader* reader )
{
	int32_t first = reader->numbers.count > 0 ? reader->numbers.data[0] : reader->firstNumber;
	uint64_t* keys = NULL;
	if ( IsConsecutive( reader ) == false && ( keys = SortNumbers( reader ) ) == NULL )
	{
		return false;
	}
	bool ok = true;
	for ( int32_t i = 0; i < reader->tets.count && ok; ++i )
	{
		ok = ResolveTet( reader, i, keys, first );
	}
	supFree( keys );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Shape

typedef struct Shape
{
	double volume;
	double longest; // edge
} Shape;

static Shape MeasureTet( const supTetReader* reader, const int32_t corners[4] )
{
	double p[4][3];
	for ( int i = 0; i < 4; ++i )
	{
		supVec3 v = reader->points.data[corners[i]];
		p[i][0] = (double)v.x;
		p[i][1] = (double)v.y;
		p[i][2] = (double)v.z;
	}
	double e[3][3];
	double longest = 0.0;
	for ( int i = 0; i < 4; ++i )
	{
		for ( int k = 0; k < i; ++k )
		{
			double d[3] = { p[i][0] - p[k][0], p[i][1] - p[k][1], p[i][2] - p[k][2] };
			double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
			longest = square > longest ? square : longest;
			if ( k == 0 )
			{
				memcpy( e[i - 1], d, sizeof( d ) );
			}
		}
	}
	double volume = ( e[0][1] * e[1][2] - e[0][2] * e[1][1] ) * e[2][0] +
					( e[0][2] * e[1][0] - e[0][0] * e[1][2] ) * e[2][1] +
					( e[0][0] * e[1][1] - e[0][1] * e[1][0] ) * e[2][2];
	return ( Shape ){ volume / 6.0, sqrt( longest ) };
}

// How many were inside out; -1 with an error where one has no volume.
static int64_t OrientTets( supTetReader* reader )
{
	int64_t turned = 0;
	for ( int32_t i = 0; i < reader->tets.count; ++i )
	{
		int32_t* corners = reader->tets.data[i].points;
		Shape shape = MeasureTet( reader, corners );
		if ( !( fabs( shape.volume ) > FLAT * shape.longest * shape.longest * shape.longest ) )
		{
			FailAtTet( reader, i, "it is flat (volume %.3g, longest edge %.3g); remesh or remove it", shape.volume,
					   shape.longest );
			return -1;
		}
		if ( shape.volume < 0.0 )
		{
			int32_t corner = corners[2];
			corners[2] = corners[3];
			corners[3] = corner;
			turned += 1;
		}
	}
	return turned;
}

// ---------------------------------------------------------------------------------------------------------------------
// The result

static void AddNote( TetMesh* mesh, bool repaired, const char* text )
{
	if ( text == NULL || SUP_PUSH( &mesh->notes, ( supNote ){ repaired, text } ) == false )
	{
		mesh->arena.failed = true;
	}
}

// Leaves out points that nobody uses; the others keep their order.
static bool CopyUsed( TetMesh* mesh, const supTetReader* reader, supError* error )
{
	size_t pointCount = (size_t)reader->points.count;
	size_t tetCount = (size_t)reader->tets.count;
	int32_t* newIndices = supAllocArray( pointCount, sizeof( int32_t ) );
	supVec3* points = supArena_AllocArray( &mesh->arena, pointCount, sizeof( supVec3 ) );
	int32_t* indices = supArena_AllocArray( &mesh->arena, 4 * tetCount, sizeof( int32_t ) );
	if ( newIndices == NULL || points == NULL || indices == NULL )
	{
		supFree( newIndices );
		return supSetMemoryError( error );
	}
	memset( newIndices, 0, pointCount * sizeof( int32_t ) );
	for ( size_t i = 0; i < 4 * tetCount; ++i )
	{
		newIndices[reader->tets.data[i / 4].points[i % 4]] = 1;
	}
	int32_t used = 0;
	for ( size_t i = 0; i < pointCount; ++i )
	{
		if ( newIndices[i] != 0 )
		{
			points[used] = reader->points.data[i];
			newIndices[i] = used++;
		}
	}
	for ( size_t i = 0; i < 4 * tetCount; ++i )
	{
		indices[i] = newIndices[reader->tets.data[i / 4].points[i % 4]];
	}
	supFree( newIndices );
	mesh->mesh.points = points;
	mesh->mesh.pointCount = used;
	mesh->mesh.indices = indices;
	mesh->mesh.tetCount = (int32_t)tetCount;
	return true;
}

static void WriteNotes( TetMesh* mesh, const supTetReader* reader, int64_t turned )
{
	supArena* arena = &mesh->arena;
	if ( turned > 0 )
	{
		AddNote( mesh, true,
				 supArena_Format( arena, "%lld of %d tetrahedra were inverted; two corners of each were swapped",
								  (long long)turned, reader->tets.count ) );
	}
	if ( reader->curvedTets > 0 )
	{
		AddNote( mesh, true,
				 supArena_Format( arena,
								  "%lld tetrahedra are curved (of second or higher order); only their corners "
								  "are used",
								  (long long)reader->curvedTets ) );
	}
	if ( reader->otherElements > 0 )
	{
		AddNote( mesh, false,
				 supArena_Format( arena, "%lld elements other than tetrahedra were dropped",
								  (long long)reader->otherElements ) );
	}
	int32_t unused = reader->points.count - mesh->mesh.pointCount;
	if ( unused > 0 )
	{
		AddNote(
			mesh, false,
			supArena_Format( arena, "%d of %d points are unused and were dropped", unused, reader->points.count ) );
	}
	mesh->mesh.noteCount = mesh->notes.count;
	mesh->mesh.notes = mesh->notes.data;
}

static bool FinishMesh( TetMesh* mesh, supTetReader* reader, supError* error )
{
	if ( reader->tets.count == 0 || reader->points.count == 0 )
	{
		return supSetError( error, sup_errorFormat, reader->scan.fileName,
							"the file has no tetrahedra; a surface mesh is not enough" );
	}
	int64_t turned = ResolveNumbers( reader ) ? OrientTets( reader ) : -1;
	if ( turned < 0 || CopyUsed( mesh, reader, error ) == false )
	{
		return false;
	}
	WriteNotes( mesh, reader, turned );
	return mesh->arena.failed == false || supSetMemoryError( error );
}

// Frees what the reader holds.
static supTetMesh* FinishReading( supTetReader* reader, bool ok, supError* error )
{
	TetMesh* mesh = ok ? supAllocZeroed( sizeof( TetMesh ) ) : NULL;
	if ( ok && mesh == NULL )
	{
		supSetMemoryError( error );
	}
	if ( mesh != NULL && FinishMesh( mesh, reader, error ) == false )
	{
		supDestroyTets( &mesh->mesh );
		mesh = NULL;
	}
	SUP_FREE_ARRAY( &reader->points );
	SUP_FREE_ARRAY( &reader->numbers );
	SUP_FREE_ARRAY( &reader->tets );
	return mesh != NULL ? &mesh->mesh : NULL;
}

void supDestroyTets( supTetMesh* mesh )
{
	if ( mesh != NULL )
	{
		TetMesh* whole = (TetMesh*)mesh;
		SUP_FREE_ARRAY( &whole->notes );
		supArena_Destroy( &whole->arena );
		supFree( whole );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Which reader

typedef bool ReadFcn( supTetReader* reader );

static ReadFcn* ChooseReader( supTetReader* reader )
{
	int32_t code = 0;
	if ( reader->scan.end - reader->scan.text >= 4 )
	{
		memcpy( &code, reader->scan.text, 4 );
	}
	if ( code == 1 || code == 1 << 24 )
	{
		return supReadMeditBinaryTets;
	}
	supWord word = supScanner_PeekWord( &reader->scan );
	if ( word.length > 0 && word.start[0] == '$' )
	{
		return supReadGmshTets;
	}
	if ( word.length == 1 && word.start[0] == '#' && reader->scan.end - word.start > 5 &&
		 memcmp( word.start, "# vtk", 5 ) == 0 )
	{
		return supReadVtkTets;
	}
	reader->scan.comments = true;
	return supWord_Is( supScanner_PeekWord( &reader->scan ), "meshversionformatted" ) ? supReadMeditTets : NULL;
}

supTetMesh* supParseTets( const void* bytes, size_t byteCount, const char* name, supError* error )
{
	supClearError( error );
	supTetReader reader = { .scan = supMakeScanner( bytes, byteCount, name, error ) };
	ReadFcn* read = ChooseReader( &reader );
	if ( read == NULL )
	{
		supSetError( error, sup_errorUnsupported, name,
					 "unknown format; supported: .node with .ele, .msh, .mesh, .meshb, .vtk" );
		return NULL;
	}
	return FinishReading( &reader, read( &reader ), error );
}

supTetMesh* supParseTetgen( const void* nodes, size_t nodeByteCount, const char* nodeName, const void* elements,
							size_t elementByteCount, const char* elementName, supError* error )
{
	supClearError( error );
	supTetReader reader = { .scan = supMakeScanner( nodes, nodeByteCount, nodeName, error ) };
	bool ok = supReadTetgenNodes( &reader );
	reader.scan = supMakeScanner( elements, elementByteCount, elementName, error );
	ok = ok && supReadTetgenElements( &reader );
	return FinishReading( &reader, ok, error );
}

static supTetMesh* LoadTetgen( const char* path, supError* error )
{
	// the two differ in what follows the last dot
	size_t stem = (size_t)( strrchr( path, '.' ) - path );
	char* paths[2] = { supAllocSmall( stem + 6 ), supAllocSmall( stem + 6 ) };
	uint8_t* bytes[2] = { NULL, NULL };
	size_t sizes[2];
	bool ok = ( paths[0] != NULL && paths[1] != NULL ) || supSetMemoryError( error );
	for ( int i = 0; i < 2 && ok; ++i )
	{
		snprintf( paths[i], stem + 6, "%.*s%s", (int)stem, path, i == 0 ? ".node" : ".ele" );
		bytes[i] = supReadFile( paths[i], &sizes[i], error );
		ok = bytes[i] != NULL;
	}
	supTetMesh* mesh = ok ? supParseTetgen( bytes[0], sizes[0], paths[0], bytes[1], sizes[1], paths[1], error ) : NULL;
	for ( int i = 0; i < 2; ++i )
	{
		supFree( bytes[i] );
		supFree( paths[i] );
	}
	return mesh;
}

supTetMesh* supLoadTets( const char* path, supError* error )
{
	supClearError( error );
	char extension[17];
	supGetExtension( path, extension );
	if ( strcmp( extension, ".node" ) == 0 || strcmp( extension, ".ele" ) == 0 )
	{
		return LoadTetgen( path, error );
	}
	size_t byteCount = 0;
	uint8_t* bytes = supReadFile( path, &byteCount, error );
	supTetMesh* mesh = bytes != NULL ? supParseTets( bytes, byteCount, path, error ) : NULL;
	supFree( bytes );
	return mesh;
}
