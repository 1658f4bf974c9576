// SPDX-License-Identifier: MIT
// Legacy .vtk: a line each for version, title, ASCII or BINARY, and DATASET, then lists behind keywords. Binary numbers
// are big-endian. Points are numbered from 0. Versions from 5 on keep the cells in two lists, offsets and points.
#include "io/tets/tet_reader.h"

typedef struct Vtk
{
	supTetReader* reader;
	supScanner* scan;
	bool isBinary;
	bool hasOffsets; // version 5
	// where the lists begin; NULL where not seen
	const char* cells;
	const char* offsets;
	const char* types;
	int64_t cellCount;
	int64_t typeCount;
	int64_t pointTotal; // numbers in the list of cells
	supNumberKind cellKind;
	supNumberKind offsetKind;
} Vtk;

static void EnterNumbers( Vtk* vtk )
{
	supScanner_SkipLine( vtk->scan );
	vtk->scan->binary = vtk->isBinary;
	vtk->scan->swapped = supIsLittleEndian();
}

static void LeaveNumbers( Vtk* vtk )
{
	vtk->scan->binary = false;
}

static bool ReadCount( Vtk* vtk, const char* what, int64_t* count )
{
	return supScanner_ReadInt( vtk->scan, sup_numberI64, what, 0, INT32_MAX, count );
}

// False with an error for types of numbers that nobody uses here.
static bool ReadKind( Vtk* vtk, supNumberKind* kind )
{
	static const struct
	{
		const char* name;
		supNumberKind kind;
	} kinds[] = { { "float", sup_numberF32 },        { "double", sup_numberF64 },
				  { "int", sup_numberI32 },          { "unsigned_int", sup_numberI32 },
				  { "long", sup_numberI64 },         { "unsigned_long", sup_numberI64 },
				  { "vtktypeint32", sup_numberI32 }, { "vtktypeint64", sup_numberI64 },
				  { "vtkidtype", sup_numberI64 },    { "char", sup_numberU8 },
				  { "unsigned_char", sup_numberU8 } };
	supWord word = supScanner_ReadWord( vtk->scan );
	for ( int32_t i = 0; i < SUP_COUNT( kinds ); ++i )
	{
		if ( supWord_Is( word, kinds[i].name ) )
		{
			*kind = kinds[i].kind;
			return true;
		}
	}
	return supScanner_Fail( vtk->scan, word.start, sup_errorUnsupported, "unsupported number type '%.*s'",
							supWord_Shorten( word ), word.start );
}

// Remembers where a list is, and steps over it.
static bool PassList( Vtk* vtk, int64_t count, supNumberKind kind, const char* what, const char** place )
{
	if ( *place != NULL )
	{
		return supScanner_Fail( vtk->scan, vtk->scan->cursor, sup_errorFormat, "%s are listed twice", what );
	}
	EnterNumbers( vtk );
	*place = vtk->scan->cursor;
	bool ok = supScanner_SkipNumbers( vtk->scan, count, kind, what );
	LeaveNumbers( vtk );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Lists

static bool ReadPoints( Vtk* vtk )
{
	int64_t count;
	supNumberKind kind = sup_numberF32;
	if ( ReadCount( vtk, "the count of points", &count ) == false || ReadKind( vtk, &kind ) == false )
	{
		return false;
	}
	if ( vtk->reader->points.count > 0 )
	{
		return supScanner_Fail( vtk->scan, vtk->scan->cursor, sup_errorFormat, "points are listed twice" );
	}
	EnterNumbers( vtk );
	bool ok = supScanner_HasRoom( vtk->scan, count, 3, kind, "points" );
	for ( int64_t i = 0; ok && i < count; ++i )
	{
		ok = supTetReader_ReadPoint( vtk->reader, kind );
	}
	LeaveNumbers( vtk );
	return ok;
}

static bool ReadOffsetCells( Vtk* vtk )
{
	static const char* const names[2] = { "offsets", "connectivity" };
	for ( int i = 0; i < 2; ++i )
	{
		supScanner_SkipLine( vtk->scan );
		supWord word = supScanner_ReadWord( vtk->scan );
		if ( supWord_Is( word, names[i] ) == false )
		{
			return supScanner_Fail( vtk->scan, word.start, sup_errorFormat, "'%.*s' stands where %s should be",
									supWord_Shorten( word ), word.start, i == 0 ? "OFFSETS" : "CONNECTIVITY" );
		}
		supNumberKind* kind = i == 0 ? &vtk->offsetKind : &vtk->cellKind;
		int64_t count = i == 0 ? vtk->cellCount + 1 : vtk->pointTotal;
		if ( ReadKind( vtk, kind ) == false ||
			 PassList( vtk, count, *kind, names[i], i == 0 ? &vtk->offsets : &vtk->cells ) == false )
		{
			return false;
		}
	}
	return true;
}

static bool ReadCells( Vtk* vtk )
{
	if ( ReadCount( vtk, "the count of cells", &vtk->cellCount ) == false ||
		 ReadCount( vtk, "the size of the cells", &vtk->pointTotal ) == false )
	{
		return false;
	}
	if ( vtk->hasOffsets )
	{
		// the list of offsets is one longer
		vtk->cellCount -= vtk->cellCount > 0;
		return ReadOffsetCells( vtk );
	}
	vtk->cellKind = sup_numberI32;
	return PassList( vtk, vtk->pointTotal, sup_numberI32, "cells", &vtk->cells );
}

static bool ReadTypes( Vtk* vtk )
{
	return ReadCount( vtk, "the count of cell types", &vtk->typeCount ) &&
		   PassList( vtk, vtk->typeCount, sup_numberI32, "cell types", &vtk->types );
}

// FIELD name count, then arrays: name, components, tuples, type, numbers.
static bool SkipField( Vtk* vtk )
{
	int64_t count;
	supScanner_ReadWord( vtk->scan );
	bool ok = ReadCount( vtk, "the count of arrays", &count ) &&
			  supScanner_HasRoom( vtk->scan, count, 4, sup_numberU8, "arrays" );
	for ( int64_t i = 0; ok && i < count; ++i )
	{
		int64_t components;
		int64_t tuples;
		supNumberKind kind = sup_numberF32;
		const char* place = NULL;
		supScanner_ReadWord( vtk->scan );
		ok = ReadCount( vtk, "a count", &components ) && ReadCount( vtk, "a count", &tuples ) &&
			 ReadKind( vtk, &kind ) && PassList( vtk, components * tuples, kind, "numbers", &place );
	}
	return ok;
}

// Ends with an empty line.
static void SkipMetadata( Vtk* vtk )
{
	do
	{
		supScanner_SkipLine( vtk->scan );
	} while ( vtk->scan->cursor < vtk->scan->end && supScanner_AtLineEnd( vtk->scan ) == false );
}

// ---------------------------------------------------------------------------------------------------------------------
// Cells

typedef enum CellType
{
	cellTet = 10,
	cellQuadraticTet = 24,
} CellType;

// How many points the next cell has.
static bool ReadCellSize( Vtk* vtk, supScanner* offsets, int64_t* last, int64_t* left, int64_t* size )
{
	bool ok;
	if ( vtk->hasOffsets )
	{
		int64_t next = 0;
		ok = supScanner_ReadInt( offsets, vtk->offsetKind, "an offset", *last, vtk->pointTotal, &next );
		*size = ok ? next - *last : 0;
		*last = next;
	}
	else
	{
		ok = supScanner_ReadInt( vtk->scan, vtk->cellKind, "the size of a cell", 0, *left - 1, size );
		*left -= *size + 1;
	}
	return ok;
}

static bool ReadCell( Vtk* vtk, int64_t type, int64_t size )
{
	bool isTet = type == cellTet || type == cellQuadraticTet;
	vtk->reader->otherElements += isTet == false;
	if ( isTet && size < 4 )
	{
		return supScanner_Fail( vtk->scan, vtk->scan->cursor, sup_errorFormat, "a tetrahedron has %lld points",
								(long long)size );
	}
	return isTet ? supTetReader_ReadTet( vtk->reader, vtk->cellKind, size )
				 : supScanner_SkipNumbers( vtk->scan, size, vtk->cellKind, "points of a cell" );
}

// The lists side by side: types, offsets and points each have a cursor.
static bool ReadTets( Vtk* vtk )
{
	if ( vtk->cells == NULL || vtk->types == NULL || vtk->cellCount != vtk->typeCount )
	{
		return supScanner_Fail( vtk->scan, vtk->scan->end, sup_errorFormat,
								"cells or cell types are missing; the file is cut off" );
	}
	vtk->scan->binary = vtk->isBinary;
	vtk->scan->swapped = supIsLittleEndian();
	supScanner types = *vtk->scan;
	supScanner offsets = *vtk->scan;
	types.cursor = vtk->types;
	offsets.cursor = vtk->offsets;
	vtk->scan->cursor = vtk->cells;
	int64_t last = 0;
	int64_t left = vtk->pointTotal;
	int64_t zero;
	bool ok = vtk->hasOffsets == false || vtk->cellCount == 0 ||
			  supScanner_ReadInt( &offsets, vtk->offsetKind, "the first offset", 0, 0, &zero );
	for ( int64_t i = 0; ok && i < vtk->cellCount; ++i )
	{
		int64_t type;
		int64_t size;
		ok = supScanner_ReadInt( &types, sup_numberI32, "the type of a cell", 0, INT32_MAX, &type ) &&
			 ReadCellSize( vtk, &offsets, &last, &left, &size ) && ReadCell( vtk, type, size );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool ReadHeader( Vtk* vtk )
{
	supScanner* scan = vtk->scan;
	double version;
	for ( int i = 0; i < 4; ++i )
	{
		// "# vtk DataFile Version"
		supScanner_ReadWord( scan );
	}
	if ( supScanner_ReadNumber( scan, sup_numberF64, "the version", &version ) == false )
	{
		return false;
	}
	vtk->hasOffsets = version >= 5.0;
	supScanner_SkipLine( scan );
	// the title
	supScanner_SkipLine( scan );
	supWord word = supScanner_ReadWord( scan );
	vtk->isBinary = supWord_Is( word, "binary" );
	if ( vtk->isBinary == false && supWord_Is( word, "ascii" ) == false )
	{
		return supScanner_Fail( scan, word.start, sup_errorFormat, "'%.*s' stands where ASCII or BINARY should be",
								supWord_Shorten( word ), word.start );
	}
	supWord dataset = supScanner_ReadWord( scan );
	supWord kind = supScanner_ReadWord( scan );
	if ( supWord_Is( dataset, "dataset" ) == false || supWord_Is( kind, "unstructured_grid" ) == false )
	{
		return supScanner_Fail( scan, dataset.start, sup_errorUnsupported,
								"unsupported dataset '%.*s'; expected UNSTRUCTURED_GRID", supWord_Shorten( kind ),
								kind.start );
	}
	return true;
}

bool supReadVtkTets( supTetReader* reader )
{
	Vtk vtk = { .reader = reader, .scan = &reader->scan };
	bool ok = ReadHeader( &vtk );
	while ( ok )
	{
		supWord word = supScanner_ReadWord( vtk.scan );
		if ( word.length == 0 || supWord_Is( word, "cell_data" ) || supWord_Is( word, "point_data" ) )
		{
			break;
		}
		if ( supWord_Is( word, "points" ) )
		{
			ok = ReadPoints( &vtk );
		}
		else if ( supWord_Is( word, "cells" ) )
		{
			ok = ReadCells( &vtk );
		}
		else if ( supWord_Is( word, "cell_types" ) )
		{
			ok = ReadTypes( &vtk );
		}
		else if ( supWord_Is( word, "field" ) )
		{
			ok = SkipField( &vtk );
		}
		else if ( supWord_Is( word, "metadata" ) )
		{
			SkipMetadata( &vtk );
		}
		else
		{
			ok = supScanner_Fail( vtk.scan, word.start, sup_errorFormat, "unexpected '%.*s'", supWord_Shorten( word ),
								  word.start );
		}
	}
	return ok && ReadTets( &vtk );
}
