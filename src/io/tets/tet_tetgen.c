// SPDX-License-Identifier: MIT
// TetGen's two files: .node has the points, .ele the tetrahedra, a line each. '#' begins a comment. Points are numbered
// from 0 or from 1; the first of them decides.
#include "io/tets/tet_reader.h"

// The numbers of the first line, of which the later ones may be missing.
static bool ReadHeader( supTetReader* reader, int64_t* count, int64_t* second, const char* what )
{
	supScanner* scan = &reader->scan;
	scan->comments = true;
	if ( supScanner_ReadInt( scan, sup_numberI32, what, 0, SUP_MAX_TETS, count ) == false )
	{
		return false;
	}
	if ( supScanner_AtLineEnd( scan ) == false &&
		 supScanner_ReadInt( scan, sup_numberI32, "the second number of the first line", 0, INT32_MAX, second ) ==
			 false )
	{
		return false;
	}
	supScanner_SkipLine( scan );
	return true;
}

bool supReadTetgenNodes( supTetReader* reader )
{
	supScanner* scan = &reader->scan;
	int64_t count;
	int64_t dimension = 3;
	if ( ReadHeader( reader, &count, &dimension, "the count of points" ) == false )
	{
		return false;
	}
	if ( dimension != 3 )
	{
		return supScanner_Fail( scan, scan->text, sup_errorFormat, "the points have %lld dimensions; expected 3",
								(long long)dimension );
	}
	if ( supScanner_HasRoom( scan, count, 4, sup_numberF64, "points" ) == false )
	{
		return false;
	}
	for ( int64_t i = 0; i < count; ++i )
	{
		int64_t number;
		supScanner_SkipBlanks( scan );
		const char* place = scan->cursor;
		if ( supScanner_ReadInt( scan, sup_numberI32, "the number of a point", 0, INT32_MAX, &number ) == false )
		{
			return false;
		}
		reader->firstNumber = i == 0 ? (int32_t)number : reader->firstNumber;
		if ( reader->firstNumber > 1 || number != reader->firstNumber + i )
		{
			return supScanner_Fail( scan, place, sup_errorFormat,
									"the point has the number %lld; points must be numbered consecutively from 0 or 1",
									(long long)number );
		}
		if ( supTetReader_ReadPoint( reader, sup_numberF64 ) == false )
		{
			return false;
		}
		// attributes and the boundary marker
		supScanner_SkipLine( scan );
	}
	return true;
}

bool supReadTetgenElements( supTetReader* reader )
{
	supScanner* scan = &reader->scan;
	int64_t count;
	int64_t nodeCount = 4;
	if ( ReadHeader( reader, &count, &nodeCount, "the count of tetrahedra" ) == false )
	{
		return false;
	}
	if ( nodeCount != 4 && nodeCount != 10 )
	{
		return supScanner_Fail( scan, scan->text, sup_errorFormat,
								"the elements have %lld points; tetrahedra have 4 or 10", (long long)nodeCount );
	}
	if ( supScanner_HasRoom( scan, count, nodeCount + 1, sup_numberI32, "tetrahedra" ) == false )
	{
		return false;
	}
	for ( int64_t i = 0; i < count; ++i )
	{
		if ( supScanner_SkipNumbers( scan, 1, sup_numberI32, "the number of a tetrahedron" ) == false ||
			 supTetReader_ReadTet( reader, sup_numberI32, nodeCount ) == false )
		{
			return false;
		}
		// the region
		supScanner_SkipLine( scan );
	}
	return true;
}
