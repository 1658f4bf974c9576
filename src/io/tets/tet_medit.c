// SPDX-License-Identifier: MIT
// Medit's meshes: .mesh is text, .meshb the same in binary. Keywords with counts and lists; points are numbered from 1.
#include "io/tets/tet_reader.h"

#define DIMENSION_HELP "the mesh has %lld dimensions; expected 3"

// Elements that are counted and left out.
static const char* const s_otherElements[] = {
	"edges", "triangles", "quadrilaterals", "hexahedra", "prisms", "pyramids"
};

// The kinds of numbers in a binary file depend on its version.
typedef struct Kinds
{
	supNumberKind integer;
	supNumberKind real;
	supNumberKind position;
} Kinds;

static const Kinds s_text = { sup_numberI32, sup_numberF64, sup_numberI32 };

static bool CheckDimension( supTetReader* reader )
{
	const char* place = reader->scan.cursor;
	int64_t dimension;
	return supScanner_ReadInt( &reader->scan, sup_numberI32, "the dimension", 0, INT32_MAX, &dimension ) &&
		   ( dimension == 3 ||
			 supScanner_Fail( &reader->scan, place, sup_errorFormat, DIMENSION_HELP, (long long)dimension ) );
}

static bool ReadCount( supTetReader* reader, const Kinds* kinds, int64_t numbers, const char* what, int64_t* count )
{
	return supScanner_ReadInt( &reader->scan, kinds->integer, "a count", 0, SUP_MAX_TETS, count ) &&
		   supScanner_HasRoom( &reader->scan, *count, numbers, kinds->integer, what );
}

static bool ReadVertices( supTetReader* reader, const Kinds* kinds )
{
	if ( reader->points.count > 0 )
	{
		return supScanner_Fail( &reader->scan, reader->scan.cursor, sup_errorFormat, "vertices are listed twice" );
	}
	int64_t count;
	bool ok = ReadCount( reader, kinds, 4, "vertices", &count );
	for ( int64_t i = 0; i < count && ok; ++i )
	{
		ok = supTetReader_ReadPoint( reader, kinds->real ) &&
			 supScanner_SkipNumbers( &reader->scan, 1, kinds->integer, "references" );
	}
	return ok;
}

static bool ReadTets( supTetReader* reader, const Kinds* kinds, int64_t nodeCount )
{
	int64_t count;
	bool ok = ReadCount( reader, kinds, nodeCount + 1, "tetrahedra", &count );
	for ( int64_t i = 0; i < count && ok; ++i )
	{
		ok = supTetReader_ReadTet( reader, kinds->integer, nodeCount ) &&
			 supScanner_SkipNumbers( &reader->scan, 1, kinds->integer, "references" );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Text

// Lists that are not known here: numbers up to the next keyword.
static bool SkipList( supTetReader* reader, supWord keyword )
{
	for ( int32_t i = 0; i < SUP_COUNT( s_otherElements ); ++i )
	{
		int64_t count;
		if ( supWord_Is( keyword, s_otherElements[i] ) )
		{
			if ( ReadCount( reader, &s_text, 1, s_otherElements[i], &count ) == false )
			{
				return false;
			}
			reader->otherElements += count;
		}
	}
	for ( ;; )
	{
		supWord word = supScanner_PeekWord( &reader->scan );
		char c = word.length > 0 ? word.start[0] : 'x';
		if ( ( c >= 'a' && c <= 'z' ) || ( c >= 'A' && c <= 'Z' ) )
		{
			return true;
		}
		reader->scan.cursor += word.length;
	}
}

bool supReadMeditTets( supTetReader* reader )
{
	reader->scan.comments = true;
	reader->firstNumber = 1;
	for ( ;; )
	{
		supWord word = supScanner_ReadWord( &reader->scan );
		bool ok;
		if ( word.length == 0 || supWord_Is( word, "end" ) )
		{
			return true;
		}
		if ( supWord_Is( word, "dimension" ) )
		{
			ok = CheckDimension( reader );
		}
		else if ( supWord_Is( word, "vertices" ) )
		{
			ok = ReadVertices( reader, &s_text );
		}
		else if ( supWord_Is( word, "tetrahedra" ) || supWord_Is( word, "tetrahedrap2" ) )
		{
			ok = ReadTets( reader, &s_text, word.length > 10 ? 10 : 4 );
		}
		else
		{
			ok = SkipList( reader, word );
		}
		if ( ok == false )
		{
			return false;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Binary: each keyword is a number, followed by the place of the next one

typedef enum Keyword
{
	keywordDimension = 3,
	keywordVertices = 4,
	keywordEdges = 5,
	keywordTriangles = 6,
	keywordQuadrilaterals = 7,
	keywordTetrahedra = 8,
	keywordPrisms = 9,
	keywordHexahedra = 10,
	keywordTetrahedraP2 = 30,
	keywordPyramids = 49,
	keywordEnd = 54,
} Keyword;

static bool ReadSection( supTetReader* reader, const Kinds* kinds, int64_t keyword )
{
	int64_t count;
	switch ( keyword )
	{
		case keywordDimension:
			return CheckDimension( reader );
		case keywordVertices:
			return ReadVertices( reader, kinds );
		case keywordTetrahedra:
			return ReadTets( reader, kinds, 4 );
		case keywordTetrahedraP2:
			return ReadTets( reader, kinds, 10 );
		case keywordEdges:
		case keywordTriangles:
		case keywordQuadrilaterals:
		case keywordPrisms:
		case keywordHexahedra:
		case keywordPyramids:
			if ( ReadCount( reader, kinds, 1, "elements", &count ) == false )
			{
				return false;
			}
			reader->otherElements += count;
			return true;
		default:
			return true;
	}
}

bool supReadMeditBinaryTets( supTetReader* reader )
{
	supScanner* scan = &reader->scan;
	int64_t version;
	scan->binary = true;
	// the first number is 1 in the byte order of the file
	int32_t code;
	memcpy( &code, scan->cursor, 4 );
	scan->swapped = code != 1;
	scan->cursor += 4;
	reader->firstNumber = 1;
	if ( supScanner_ReadInt( scan, sup_numberI32, "the version", 1, 4, &version ) == false )
	{
		return false;
	}
	const Kinds kinds = { version == 4 ? sup_numberI64 : sup_numberI32, version == 1 ? sup_numberF32 : sup_numberF64,
						  version >= 3 ? sup_numberI64 : sup_numberI32 };
	while ( scan->cursor < scan->end )
	{
		const char* place = scan->cursor;
		int64_t keyword;
		int64_t next;
		if ( supScanner_ReadInt( scan, sup_numberI32, "a keyword", 0, INT32_MAX, &keyword ) == false )
		{
			return false;
		}
		if ( keyword == keywordEnd )
		{
			break;
		}
		if ( supScanner_ReadInt( scan, kinds.position, "the place of the next keyword", 0, scan->end - scan->text,
								 &next ) == false ||
			 ReadSection( reader, &kinds, keyword ) == false )
		{
			return false;
		}
		if ( next == 0 )
		{
			break;
		}
		if ( next <= place - scan->text )
		{
			return supScanner_Fail( scan, place, sup_errorFormat, "the next keyword is before this one" );
		}
		scan->cursor = scan->text + next;
	}
	return true;
}
