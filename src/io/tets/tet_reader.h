// SPDX-License-Identifier: MIT
// What readers of tetrahedra share. A reader collects points and tetrahedra as the file numbers them; what they mean,
// and whether they are any good, is looked at once for all formats at the end.
#pragma once

#include "core/arena.h"
#include "core/array.h"
#include "io/common/scan.h"
#include "supple/flesh.h"

// The most points or tetrahedra; four times as many still fit 32 bits.
#define SUP_MAX_TETS ( 1 << 28 )

typedef struct supTetCorners
{
	int32_t points[4];
} supTetCorners;

typedef struct supTetReader
{
	supScanner scan;
	SUP_ARRAY( supVec3 ) points;
	// the number of each point in the file; none where they are numbered one after another from firstNumber
	SUP_ARRAY( int32_t ) numbers;
	int32_t firstNumber;
	SUP_ARRAY( supTetCorners ) tets;
	int64_t otherElements;
	int64_t curvedTets;
} supTetReader;

// Each reads what the scanner is at the beginning of. False with an error.
bool supReadMeditTets( supTetReader* reader );
bool supReadMeditBinaryTets( supTetReader* reader );
bool supReadGmshTets( supTetReader* reader );
bool supReadVtkTets( supTetReader* reader );
bool supReadTetgenNodes( supTetReader* reader );
bool supReadTetgenElements( supTetReader* reader );

// Reads three coordinates of this kind and adds them.
bool supTetReader_ReadPoint( supTetReader* reader, supNumberKind kind );

// Reads four numbers of points and adds them; then over the rest of the element's `nodeCount`.
bool supTetReader_ReadTet( supTetReader* reader, supNumberKind kind, int64_t nodeCount );

// Tetrahedra out of one file in memory, by its first bytes; for .node and .ele out of two. `name` is used in messages.
supTetMesh* supParseTets( const void* bytes, size_t byteCount, const char* name, supError* error );
supTetMesh* supParseTetgen( const void* nodes, size_t nodeByteCount, const char* nodeName, const void* elements,
							size_t elementByteCount, const char* elementName, supError* error );
