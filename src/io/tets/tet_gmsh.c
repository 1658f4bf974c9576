// SPDX-License-Identifier: MIT
// Gmsh's meshes, versions 2 and 4.1: sections between $Name and $EndName, whose numbers are text or binary. Points have
// numbers of their own, in any order and with gaps.
#include "io/tets/tet_reader.h"

typedef struct Gmsh
{
	supTetReader* reader;
	supScanner* scan;
	bool isBinary;
	bool isSwapped;
	bool isFour;        // version 4.1
	supNumberKind size; // of what is a size_t in files of version 4.1
} Gmsh;

// Numbers of the section follow; and words again.
static void EnterNumbers( Gmsh* gmsh )
{
	supScanner_SkipLine( gmsh->scan );
	gmsh->scan->binary = gmsh->isBinary;
	gmsh->scan->swapped = gmsh->isSwapped;
}

static void LeaveNumbers( Gmsh* gmsh )
{
	gmsh->scan->binary = false;
}

static bool ReadInt( Gmsh* gmsh, supNumberKind kind, const char* what, int64_t upper, int64_t* number )
{
	return supScanner_ReadInt( gmsh->scan, kind, what, 0, upper, number );
}

// Tags of entities may be negative and do not matter.
static bool SkipInts( Gmsh* gmsh, int64_t count )
{
	return supScanner_SkipNumbers( gmsh->scan, count, sup_numberI32, "numbers" );
}

// ---------------------------------------------------------------------------------------------------------------------
// Format

static bool ReadFormat( Gmsh* gmsh )
{
	supScanner* scan = gmsh->scan;
	supScanner_SkipBlanks( scan );
	const char* place = scan->cursor;
	double version;
	int64_t type;
	int64_t size;
	if ( supScanner_ReadNumber( scan, sup_numberF64, "the version", &version ) == false ||
		 ReadInt( gmsh, sup_numberI32, "the file type", 1, &type ) == false ||
		 ReadInt( gmsh, sup_numberI32, "the data size", 8, &size ) == false )
	{
		return false;
	}
	gmsh->isFour = version >= 4.05 && version < 4.15;
	gmsh->isBinary = type == 1;
	gmsh->size = size == 4 ? sup_numberI32 : sup_numberI64;
	if ( gmsh->isFour == false && ( version >= 2.0 && version < 3.0 ) == false )
	{
		return supScanner_Fail( scan, place, sup_errorUnsupported,
								"format version %g is not supported; save as 4.1 or 2.2", version );
	}
	if ( gmsh->isBinary == false )
	{
		return true;
	}
	EnterNumbers( gmsh );
	int64_t one;
	bool ok = ReadInt( gmsh, sup_numberI32, "the number 1", INT32_MAX, &one ) &&
			  ( one == 1 || one == 1 << 24 ||
				supScanner_Fail( scan, scan->cursor, sup_errorFormat, "the number 1 is missing in the format" ) );
	gmsh->isSwapped = ok && one != 1;
	LeaveNumbers( gmsh );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Points

static bool AddNumber( Gmsh* gmsh, supNumberKind kind )
{
	int64_t number;
	return ReadInt( gmsh, kind, "the number of a point", INT32_MAX, &number ) &&
		   ( SUP_PUSH( &gmsh->reader->numbers, (int32_t)number ) || supSetMemoryError( gmsh->scan->error ) );
}

static bool ReadNodesTwo( Gmsh* gmsh )
{
	int64_t count;
	if ( ReadInt( gmsh, sup_numberI32, "the count of points", SUP_MAX_TETS, &count ) == false )
	{
		return false;
	}
	EnterNumbers( gmsh );
	bool ok = supScanner_HasRoom( gmsh->scan, count, 4, sup_numberI32, "points" );
	for ( int64_t i = 0; i < count && ok; ++i )
	{
		ok = AddNumber( gmsh, sup_numberI32 ) && supTetReader_ReadPoint( gmsh->reader, sup_numberF64 );
	}
	return ok;
}

static bool ReadNodeBlock( Gmsh* gmsh )
{
	int64_t dimension;
	int64_t parametric;
	int64_t count;
	bool ok = ReadInt( gmsh, sup_numberI32, "a dimension", 3, &dimension ) && SkipInts( gmsh, 1 ) &&
			  ReadInt( gmsh, sup_numberI32, "a flag", 1, &parametric ) &&
			  ReadInt( gmsh, gmsh->size, "the count of points", SUP_MAX_TETS, &count ) &&
			  supScanner_HasRoom( gmsh->scan, count, 4, sup_numberI32, "points" );
	for ( int64_t i = 0; ok && i < count; ++i )
	{
		ok = AddNumber( gmsh, gmsh->size );
	}
	for ( int64_t i = 0; ok && i < count; ++i )
	{
		ok = supTetReader_ReadPoint( gmsh->reader, sup_numberF64 ) &&
			 supScanner_SkipNumbers( gmsh->scan, parametric * dimension, sup_numberF64, "coordinates" );
	}
	return ok;
}

// Blocks, counts, smallest and largest number: of these only the first matters.
static bool ReadBlockCount( Gmsh* gmsh, int64_t* count )
{
	EnterNumbers( gmsh );
	return ReadInt( gmsh, gmsh->size, "the count of blocks", SUP_MAX_TETS, count ) &&
		   supScanner_SkipNumbers( gmsh->scan, 3, gmsh->size, "counts" ) &&
		   supScanner_HasRoom( gmsh->scan, *count, 4, sup_numberI32, "blocks" );
}

static bool ReadNodesFour( Gmsh* gmsh )
{
	int64_t blocks;
	bool ok = ReadBlockCount( gmsh, &blocks );
	for ( int64_t i = 0; ok && i < blocks; ++i )
	{
		ok = ReadNodeBlock( gmsh );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Elements

// Nodes of an element of each type, 0 where unknown.
static int64_t CountNodes( int64_t type )
{
	static const uint8_t counts[] = { 0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
									  8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56 };
	return type < SUP_COUNT( counts ) ? counts[type] : 0;
}

// Of first to fifth order; the corners come first in all.
static bool IsTet( int64_t type )
{
	return type == 4 || type == 11 || type == 29 || type == 30 || type == 31;
}

// The points of one element. Where numbers are text the rest of the line goes with it, so that unknown types are no
// trouble.
static bool ReadElement( Gmsh* gmsh, int64_t type, supNumberKind kind )
{
	gmsh->reader->otherElements += IsTet( type ) == false;
	if ( IsTet( type ) )
	{
		return supTetReader_ReadTet( gmsh->reader, kind, CountNodes( type ) );
	}
	if ( gmsh->isBinary == false )
	{
		supScanner_SkipLine( gmsh->scan );
		return true;
	}
	return supScanner_SkipNumbers( gmsh->scan, CountNodes( type ), kind, "points of an element" );
}

static bool CheckType( Gmsh* gmsh, int64_t type )
{
	return gmsh->isBinary == false || CountNodes( type ) > 0 ||
		   supScanner_Fail( gmsh->scan, gmsh->scan->cursor, sup_errorUnsupported,
							"unknown element type %lld; save the mesh as text", (long long)type );
}

// One element after another, or where numbers are binary in runs of the same type.
static bool ReadElementRun( Gmsh* gmsh, int64_t left, int64_t* count )
{
	int64_t type;
	int64_t tags;
	*count = 1;
	bool ok = ( gmsh->isBinary || SkipInts( gmsh, 1 ) ) &&
			  ReadInt( gmsh, sup_numberI32, "the type of an element", INT32_MAX, &type ) && CheckType( gmsh, type ) &&
			  ( gmsh->isBinary == false || ReadInt( gmsh, sup_numberI32, "the count of elements", left, count ) ) &&
			  ReadInt( gmsh, sup_numberI32, "the count of tags", INT32_MAX, &tags );
	for ( int64_t i = 0; ok && i < *count; ++i )
	{
		ok = SkipInts( gmsh, gmsh->isBinary ? 1 + tags : tags ) && ReadElement( gmsh, type, sup_numberI32 );
	}
	return ok;
}

static bool ReadElementsTwo( Gmsh* gmsh )
{
	int64_t count;
	if ( ReadInt( gmsh, sup_numberI32, "the count of elements", SUP_MAX_TETS, &count ) == false )
	{
		return false;
	}
	EnterNumbers( gmsh );
	bool ok = supScanner_HasRoom( gmsh->scan, count, 2, sup_numberI32, "elements" );
	for ( int64_t done = 0; ok && done < count; )
	{
		int64_t run;
		ok = ReadElementRun( gmsh, count - done, &run );
		done += run > 0 ? run : 1;
	}
	return ok;
}

static bool ReadElementBlock( Gmsh* gmsh )
{
	int64_t type;
	int64_t count;
	bool ok = SkipInts( gmsh, 2 ) && ReadInt( gmsh, sup_numberI32, "the type of elements", INT32_MAX, &type ) &&
			  CheckType( gmsh, type ) && ReadInt( gmsh, gmsh->size, "the count of elements", SUP_MAX_TETS, &count ) &&
			  supScanner_HasRoom( gmsh->scan, count, 2, gmsh->size, "elements" );
	for ( int64_t i = 0; ok && i < count; ++i )
	{
		ok = supScanner_SkipNumbers( gmsh->scan, 1, gmsh->size, "numbers" ) && ReadElement( gmsh, type, gmsh->size );
	}
	return ok;
}

static bool ReadElementsFour( Gmsh* gmsh )
{
	int64_t blocks;
	bool ok = ReadBlockCount( gmsh, &blocks );
	for ( int64_t i = 0; ok && i < blocks; ++i )
	{
		ok = ReadElementBlock( gmsh );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Sections

// Behind $EndName, whatever bytes are before it.
static bool SkipSection( Gmsh* gmsh, supWord name )
{
	supScanner* scan = gmsh->scan;
	for ( const char* p = scan->cursor; ( p = memchr( p, '$', (size_t)( scan->end - p ) ) ) != NULL; ++p )
	{
		bool fits = scan->end - p >= name.length + 3;
		if ( fits && memcmp( p, "$End", 4 ) == 0 && memcmp( p + 4, name.start + 1, (size_t)name.length - 1 ) == 0 )
		{
			scan->cursor = p + name.length + 3;
			return true;
		}
	}
	return supScanner_Fail( scan, name.start, sup_errorFormat, "the section %.*s has no end; the file is cut off",
							supWord_Shorten( name ), name.start );
}

static bool ReadSection( Gmsh* gmsh, supWord name )
{
	bool ok = true;
	if ( supWord_Is( name, "$meshformat" ) )
	{
		ok = ReadFormat( gmsh );
	}
	else if ( supWord_Is( name, "$nodes" ) )
	{
		ok = gmsh->isFour ? ReadNodesFour( gmsh ) : ReadNodesTwo( gmsh );
	}
	else if ( supWord_Is( name, "$elements" ) )
	{
		ok = gmsh->isFour ? ReadElementsFour( gmsh ) : ReadElementsTwo( gmsh );
	}
	LeaveNumbers( gmsh );
	return ok && SkipSection( gmsh, name );
}

bool supReadGmshTets( supTetReader* reader )
{
	Gmsh gmsh = { .reader = reader, .scan = &reader->scan };
	reader->firstNumber = 1;
	bool hasFormat = false;
	bool hasNodes = false;
	bool hasElements = false;
	// what follows the two lists is data for each of their items
	while ( hasNodes == false || hasElements == false )
	{
		supWord word = supScanner_ReadWord( gmsh.scan );
		if ( word.length == 0 )
		{
			return supScanner_Fail( gmsh.scan, word.start, sup_errorFormat,
									"the file ends before points and elements; it is cut off" );
		}
		hasFormat |= supWord_Is( word, "$meshformat" );
		bool isList = supWord_Is( word, "$nodes" ) || supWord_Is( word, "$elements" );
		if ( word.start[0] != '$' || ( isList && hasFormat == false ) )
		{
			return supScanner_Fail( gmsh.scan, word.start, sup_errorFormat, "unexpected '%.*s'",
									supWord_Shorten( word ), word.start );
		}
		if ( ( hasNodes && supWord_Is( word, "$nodes" ) ) || ( hasElements && supWord_Is( word, "$elements" ) ) )
		{
			return supScanner_Fail( gmsh.scan, word.start, sup_errorFormat, "the section %.*s occurs twice",
									supWord_Shorten( word ), word.start );
		}
		if ( ReadSection( &gmsh, word ) == false )
		{
			return false;
		}
		hasNodes |= supWord_Is( word, "$nodes" );
		hasElements |= supWord_Is( word, "$elements" );
	}
	return true;
}
