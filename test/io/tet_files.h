// SPDX-License-Identifier: MIT
// Writers of every format of tetrahedra that is read, kept apart from the readers: from the formats' descriptions, with
// plain stdio into memory.
#pragma once

#include "support.h"

#include "supple/io.h"

#include <stdlib.h>
#include <string.h>

typedef struct Bytes
{
	unsigned char* data;
	size_t size;
	size_t capacity;
	bool big; // numbers are written big-endian
} Bytes;

static void Put( Bytes* bytes, const void* data, size_t size )
{
	if ( bytes->size + size > bytes->capacity )
	{
		bytes->capacity = 2 * ( bytes->size + size );
		bytes->data = realloc( bytes->data, bytes->capacity );
		assert_non_null( bytes->data );
	}
	memcpy( bytes->data + bytes->size, data, size );
	bytes->size += size;
}

static void Print( Bytes* bytes, const char* format, ... )
{
	char line[256];
	va_list arguments;
	va_start( arguments, format );
	int length = vsnprintf( line, sizeof( line ), format, arguments );
	va_end( arguments );
	Put( bytes, line, (size_t)length );
}

static void PutNumber( Bytes* bytes, const void* number, size_t size )
{
	const unsigned char* p = number;
	for ( size_t i = 0; i < size; ++i )
	{
		Put( bytes, p + ( bytes->big ? size - 1 - i : i ), 1 );
	}
}

static void Put32( Bytes* bytes, int32_t number )
{
	PutNumber( bytes, &number, 4 );
}

static void Put64( Bytes* bytes, int64_t number )
{
	PutNumber( bytes, &number, 8 );
}

static void PutFloat( Bytes* bytes, float number )
{
	PutNumber( bytes, &number, 4 );
}

static void PutDouble( Bytes* bytes, double number )
{
	PutNumber( bytes, &number, 8 );
}

// ---------------------------------------------------------------------------------------------------------------------

// A block of unit cubes, six tetrahedra each.
typedef struct Sample
{
	int32_t pointCount;
	int32_t tetCount;
	float ( *points )[3];
	int32_t ( *tets )[4];
} Sample;

static Sample MakeSample( int n )
{
	static const int paths[6][2] = { { 1, 3 }, { 1, 5 }, { 2, 3 }, { 2, 6 }, { 4, 5 }, { 4, 6 } };
	Sample s = { ( n + 1 ) * ( n + 1 ) * ( n + 1 ), 6 * n * n * n, NULL, NULL };
	s.points = malloc( sizeof( float[3] ) * (size_t)s.pointCount );
	s.tets = malloc( sizeof( int32_t[4] ) * (size_t)s.tetCount );
	for ( int i = 0; i < s.pointCount; ++i )
	{
		s.points[i][0] = 0.1f * (float)( i % ( n + 1 ) );
		s.points[i][1] = -3.0f + (float)( i / ( n + 1 ) % ( n + 1 ) );
		s.points[i][2] = 1e-3f * (float)( i / ( n + 1 ) / ( n + 1 ) );
	}
	for ( int i = 0; i < s.tetCount; ++i )
	{
		int cube = i / 6;
		int base = cube % n + ( n + 1 ) * ( cube / n % n + ( n + 1 ) * ( cube / n / n ) );
		int steps[4] = { 0, paths[i % 6][0], paths[i % 6][1], 7 };
		for ( int k = 0; k < 4; ++k )
		{
			s.tets[i][k] =
				base + ( steps[k] & 1 ) + ( n + 1 ) * ( ( steps[k] >> 1 & 1 ) + ( n + 1 ) * ( steps[k] >> 2 & 1 ) );
		}
	}
	return s;
}

static void FreeSample( Sample* s )
{
	free( s->points );
	free( s->tets );
}

// ---------------------------------------------------------------------------------------------------------------------
// Formats

static Bytes WriteMedit( const Sample* s )
{
	Bytes b = { 0 };
	Print( &b, "MeshVersionFormatted 2\n# a comment with words\nDimension\n3\n\nCorners 2 1 2\nVertices\n%d\n",
		   s->pointCount );
	for ( int i = 0; i < s->pointCount; ++i )
	{
		Print( &b, "%.9g %.9g %.9g %d # point\n", s->points[i][0], s->points[i][1], s->points[i][2], i % 3 );
	}
	Print( &b, "Triangles 1\n1 2 3 0\nTetrahedra\n%d\n", s->tetCount );
	for ( int i = 0; i < s->tetCount; ++i )
	{
		const int32_t* t = s->tets[i];
		Print( &b, "%d %d %d %d 7\n", t[0] + 1, t[1] + 1, t[2] + 1, t[3] + 1 );
	}
	Print( &b, "End\n" );
	return b;
}

// Keyword, place of the next, content.
static Bytes WriteMeditBinary( const Sample* s, int version, bool big )
{
	Bytes b = { .big = big };
	size_t integer = version == 4 ? 8 : 4;
	size_t real = version == 1 ? 4 : 8;
	size_t head = ( version >= 3 ? 12 : 8 ) + integer;
#define PUT_POSITION( value ) ( version >= 3 ? Put64( &b, (int64_t)( value ) ) : Put32( &b, (int32_t)( value ) ) )
#define PUT_INTEGER( value ) ( version == 4 ? Put64( &b, value ) : Put32( &b, value ) )
	Put32( &b, 1 );
	Put32( &b, version );
	Put32( &b, 3 );
	PUT_POSITION( b.size + ( version >= 3 ? 8 : 4 ) + 4 );
	Put32( &b, 3 );
	// an unknown keyword with something in it
	Put32( &b, 62 );
	PUT_POSITION( b.size + ( version >= 3 ? 8 : 4 ) + 12 );
	PutDouble( &b, 1.0 );
	Put32( &b, 99 );
	Put32( &b, 4 );
	PUT_POSITION( b.size - 4 + head + (size_t)s->pointCount * ( 3 * real + integer ) );
	PUT_INTEGER( s->pointCount );
	for ( int i = 0; i < s->pointCount; ++i )
	{
		for ( int k = 0; k < 3; ++k )
		{
			version == 1 ? PutFloat( &b, s->points[i][k] ) : PutDouble( &b, (double)s->points[i][k] );
		}
		PUT_INTEGER( 0 );
	}
	Put32( &b, 8 );
	PUT_POSITION( b.size - 4 + head + (size_t)s->tetCount * 5 * integer );
	PUT_INTEGER( s->tetCount );
	for ( int i = 0; i < 5 * s->tetCount; ++i )
	{
		PUT_INTEGER( i % 5 < 4 ? s->tets[i / 5][i % 5] + 1 : 0 );
	}
	Put32( &b, 54 );
	return b;
}

// Numbers of points with gaps, backwards.
static int GmshNumber( const Sample* s, int point )
{
	return 3 * ( s->pointCount - point ) + 5;
}

static Bytes WriteGmshTwo( const Sample* s, bool binary, bool big )
{
	Bytes b = { .big = big };
	Print( &b, "$MeshFormat\n2.2 %d 8\n", binary );
	if ( binary )
	{
		Put32( &b, 1 );
		Print( &b, "\n" );
	}
	Print( &b, "$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body $Nodes\"\n$EndPhysicalNames\n$Nodes\n%d\n",
		   s->pointCount );
	for ( int i = 0; i < s->pointCount; ++i )
	{
		if ( binary )
		{
			Put32( &b, GmshNumber( s, i ) );
			for ( int k = 0; k < 3; ++k )
			{
				PutDouble( &b, (double)s->points[i][k] );
			}
		}
		else
		{
			Print( &b, "%d %.9g %.9g %.9g\n", GmshNumber( s, i ), s->points[i][0], s->points[i][1], s->points[i][2] );
		}
	}
	Print( &b, "\n$EndNodes\n$Elements\n%d\n", s->tetCount + 1 );
	if ( binary )
	{
		int32_t triangle[8] = { 2, 1, 2, 1, 0, 0, 8, 11 };
		for ( int i = 0; i < 8; ++i )
		{
			Put32( &b, triangle[i] );
		}
		Put32( &b, 14 );
	}
	else
	{
		Print( &b, "1 2 2 0 0 8 11 14\n" );
	}
	for ( int i = 0; i < s->tetCount; ++i )
	{
		int n[4];
		for ( int k = 0; k < 4; ++k )
		{
			n[k] = GmshNumber( s, s->tets[i][k] );
		}
		if ( binary )
		{
			// runs of at most five
			if ( i % 5 == 0 )
			{
				Put32( &b, 4 );
				Put32( &b, s->tetCount - i < 5 ? s->tetCount - i : 5 );
				Put32( &b, 2 );
			}
			int32_t numbers[7] = { i + 2, 0, -1, n[0], n[1], n[2], n[3] };
			for ( int k = 0; k < 7; ++k )
			{
				Put32( &b, numbers[k] );
			}
		}
		else
		{
			Print( &b, "%d 4 2 0 -1 %d %d %d %d\n", i + 2, n[0], n[1], n[2], n[3] );
		}
	}
	Print( &b, "\n$EndElements\n$ElementData\nwhatever\n" );
	return b;
}

// Points in two blocks, the second with parameters.
static Bytes WriteGmshFour( const Sample* s, bool binary, bool big )
{
	Bytes b = { .big = big };
	Print( &b, "$MeshFormat\n4.1 %d 8\n", binary );
	if ( binary )
	{
		Put32( &b, 1 );
		Print( &b, "\n" );
	}
	Print( &b, "$EndMeshFormat\n$Entities\n" );
	Put( &b, "\0$E\xFFnd", 6 );
	Print( &b, "\n$EndEntities\n$Nodes\n" );
#define PUT_SIZE( value ) ( binary ? Put64( &b, value ) : Print( &b, " %d", value ) )
#define PUT_INT( value ) ( binary ? Put32( &b, value ) : Print( &b, " %d", value ) )
	PUT_SIZE( 2 );
	PUT_SIZE( s->pointCount );
	PUT_SIZE( 8 );
	PUT_SIZE( GmshNumber( s, 0 ) );
	for ( int block = 0; block < 2; ++block )
	{
		int begin = block * ( s->pointCount / 3 );
		int end = block == 0 ? s->pointCount / 3 : s->pointCount;
		PUT_INT( block == 0 ? 3 : 2 );
		PUT_INT( -4 );
		PUT_INT( block );
		PUT_SIZE( end - begin );
		for ( int i = begin; i < end; ++i )
		{
			PUT_SIZE( GmshNumber( s, i ) );
		}
		for ( int i = begin; i < end; ++i )
		{
			for ( int k = 0; k < ( block == 0 ? 3 : 5 ); ++k )
			{
				float value = k < 3 ? s->points[i][k] : 0.5f;
				binary ? PutDouble( &b, (double)value ) : Print( &b, k == 0 ? "\n%.9g" : " %.9g", (double)value );
			}
		}
	}
	Print( &b, "\n$EndNodes\n$Elements\n" );
	PUT_SIZE( 2 );
	PUT_SIZE( s->tetCount + 1 );
	PUT_SIZE( 1 );
	PUT_SIZE( s->tetCount + 1 );
	int32_t point[3] = { 0, 1, 15 };
	int32_t body[3] = { 3, 1, 4 };
	for ( int k = 0; k < 3; ++k )
	{
		PUT_INT( point[k] );
	}
	PUT_SIZE( 1 );
	Print( &b, binary ? "" : "\n" );
	PUT_SIZE( 1 );
	PUT_SIZE( 8 );
	Print( &b, binary ? "" : "\n" );
	for ( int k = 0; k < 3; ++k )
	{
		PUT_INT( body[k] );
	}
	PUT_SIZE( s->tetCount );
	for ( int i = 0; i < s->tetCount; ++i )
	{
		Print( &b, binary ? "" : "\n" );
		PUT_SIZE( i + 2 );
		for ( int k = 0; k < 4; ++k )
		{
			PUT_SIZE( GmshNumber( s, s->tets[i][k] ) );
		}
	}
	Print( &b, "\n$EndElements\n" );
	return b;
}

// Version 3 or 5; a triangle comes first.
static Bytes WriteVtk( const Sample* s, int version, bool binary )
{
	Bytes b = { .big = true };
#define PUT_CELL( value )                                                                                              \
	( binary == false ? Print( &b, "%d ", (int)( value ) )                                                             \
					  : ( version == 5 ? Put64( &b, value ) : Put32( &b, value ) ) )
	Print( &b, "# vtk DataFile Version %d.1\na title, POINTS and all\n%s\nDATASET UNSTRUCTURED_GRID\n", version,
		   binary ? "BINARY" : "ASCII" );
	Print( &b, "FIELD FieldData 1\nTIME 1 1 double\n" );
	binary ? PutDouble( &b, 0.25 ) : Print( &b, "0.25" );
	Print( &b, "\nMETADATA\nINFORMATION 1\nNAME x LOCATION y\n\nPOINTS %d %s\n", s->pointCount,
		   version == 5 ? "double" : "float" );
	for ( int i = 0; i < 3 * s->pointCount; ++i )
	{
		float value = s->points[i / 3][i % 3];
		binary == false ? Print( &b, "%.9g ", (double)value )
						: ( version == 5 ? PutDouble( &b, (double)value ) : PutFloat( &b, value ) );
	}
	if ( version == 5 )
	{
		Print( &b, "\nCELLS %d %d\nOFFSETS vtktypeint64\n", s->tetCount + 2, 4 * s->tetCount + 3 );
		PUT_CELL( 0 );
		for ( int i = 0; i <= s->tetCount; ++i )
		{
			PUT_CELL( 3 + 4 * i );
		}
		Print( &b, "\nCONNECTIVITY vtktypeint64\n" );
	}
	else
	{
		Print( &b, "\nCELLS %d %d\n", s->tetCount + 1, 5 * s->tetCount + 4 );
		PUT_CELL( 3 );
	}
	for ( int k = 0; k < 3; ++k )
	{
		PUT_CELL( k );
	}
	for ( int i = 0; i < s->tetCount; ++i )
	{
		if ( version != 5 )
		{
			PUT_CELL( 4 );
		}
		for ( int k = 0; k < 4; ++k )
		{
			PUT_CELL( s->tets[i][k] );
		}
	}
	Print( &b, "\nCELL_TYPES %d\n", s->tetCount + 1 );
	for ( int i = 0; i <= s->tetCount; ++i )
	{
		int type = i == 0 ? 5 : 10;
		binary ? Put32( &b, type ) : Print( &b, "%d\n", type );
	}
	Print( &b, "\nPOINT_DATA %d\nSCALARS x float\n", s->pointCount );
	return b;
}

static Bytes WriteNodes( const Sample* s, int first )
{
	Bytes b = { 0 };
	Print( &b, "# a file of points\n\n%d 3 1 1 # dimension, attributes, marker\n", s->pointCount );
	for ( int i = 0; i < s->pointCount; ++i )
	{
		Print( &b, "   %d  %.9g %.9g %.9g  0.5 %d\n", i + first, s->points[i][0], s->points[i][1], s->points[i][2],
			   i % 2 );
		Print( &b, i % 7 == 3 ? "# half way\n" : "" );
	}
	return b;
}

static Bytes WriteElements( const Sample* s, int first )
{
	Bytes b = { 0 };
	Print( &b, "%d 4 1\n", s->tetCount );
	for ( int i = 0; i < s->tetCount; ++i )
	{
		const int32_t* t = s->tets[i];
		Print( &b, "%d %d %d %d %d 1.5\n", i + first, t[0] + first, t[1] + first, t[2] + first, t[3] + first );
	}
	Print( &b, "# Generated by a test\n" );
	return b;
}

// ---------------------------------------------------------------------------------------------------------------------
// All formats that are one file

#define FORMAT_COUNT 15

static Bytes WriteFormat( const Sample* s, int format )
{
	switch ( format )
	{
		case 0:
			return WriteMedit( s );
		case 1:
		case 2:
		case 3:
			return WriteGmshTwo( s, format > 1, format == 3 );
		case 4:
		case 5:
		case 6:
			return WriteGmshFour( s, format > 4, format == 6 );
		case 7:
		case 8:
			return WriteVtk( s, 3, format == 8 );
		case 9:
		case 10:
			return WriteVtk( s, 5, format == 10 );
		default:
			return WriteMeditBinary( s, format - 10, format == 13 );
	}
}
