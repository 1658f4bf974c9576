// SPDX-License-Identifier: MIT
// Finer functions into a pack and out again.
#include "method/fem/detail.h"

static void SaveEntries( supPackWriter* writer, const char* group, int64_t count, const int32_t* starts,
						 const int32_t* targets, const int32_t* regions, const float* numbers, int64_t width )
{
	int64_t total = starts[count];
	supPackWriter_Enter( writer, group );
	supPackWriter_Add( writer, "starts", sup_packI32, count + 1, starts );
	supPackWriter_Add( writer, "targets", sup_packI32, total, targets );
	supPackWriter_Add( writer, "regions", sup_packI32, regions != NULL ? total : 0, regions );
	supPackWriter_Add( writer, "numbers", sup_packF32, width * total, numbers );
	supPackWriter_Leave( writer );
}

void supFemDetail_Save( const supFemDetail* detail, supPackWriter* writer )
{
	int64_t count = detail->count, cells = detail->cellCount;
	supPackWriter_AddInt( writer, "levels", detail->levelCount );
	if ( detail->levelCount == 0 )
	{
		return;
	}
	supPackWriter_Add( writer, "levelStarts", sup_packI32, detail->levelCount + 1, detail->levelStarts );
	supPackWriter_Add( writer, "places", sup_packF32, 3 * count, detail->places );
	supPackWriter_Add( writer, "widths", sup_packF32, count, detail->widths );
	supPackWriter_Add( writer, "loads", sup_packF32, count, detail->loads );
	supPackWriter_Add( writer, "joints", sup_packU16, SUP_MAX_INFLUENCES * count, detail->joints );
	supPackWriter_Add( writer, "weights", sup_packF32, SUP_MAX_INFLUENCES * count, detail->weights );
	supPackWriter_Add( writer, "corners", sup_packI32, 8 * cells, detail->cellCorners );
	supPackWriter_Add( writer, "gradients", sup_packF32, 24 * cells, detail->cellGradients );
	SaveEntries( writer, "cells", cells, detail->cellStarts, detail->cellFunctions, NULL, NULL, 0 );
	SaveEntries( writer, "bonds", count, detail->bondStarts, detail->bondCells, detail->bondRegions, detail->bonds,
				 SUP_DETAIL_BOND );
	SaveEntries( writer, "pairs", count, detail->pairStarts, detail->pairCorners, detail->pairRegions, detail->pairs,
				 SUP_DETAIL_PAIR );
	SaveEntries( writer, "rows", count, detail->rowStarts, detail->rowColumns, detail->rowRegions, detail->rows,
				 SUP_DETAIL_ROW );
	SaveEntries( writer, "skin", count, detail->skinStarts, detail->skinVertices, NULL, detail->skins,
				 SUP_DETAIL_SKIN );
}

// ---------------------------------------------------------------------------------------------------------------------

typedef struct Entries
{
	const int32_t* starts;
	const int32_t* targets;
	const int32_t* regions;
	const float* numbers;
} Entries;

// - targets are below targetCount; regionCount 0: there are no regions
static Entries LoadEntries( supPackReader* reader, const char* group, int32_t count, int32_t targetCount,
							int32_t regionCount, int64_t width )
{
	supPackReader_Enter( reader, group );
	int64_t total = supPackReader_Count( reader, "targets" );
	Entries entries = { 0 };
	if ( total > INT32_MAX / SUP_DETAIL_ROW )
	{
		supPackReader_Refuse( reader, "targets", "it has %lld numbers", (long long)total );
	}
	entries.starts = supPackReader_GetInts( reader, "starts", (int64_t)count + 1, 0, (int32_t)total );
	entries.targets = supPackReader_GetInts( reader, "targets", total, 0, targetCount - 1 );
	entries.regions = supPackReader_GetInts( reader, "regions", regionCount > 0 ? total : 0, 0, regionCount - 1 );
	entries.numbers = supPackReader_GetFloats( reader, "numbers", width * total );
	bool ok = reader->failed || ( entries.starts[0] == 0 && entries.starts[count] == total );
	for ( int32_t i = 0; reader->failed == false && ok && i < count; ++i )
	{
		ok = entries.starts[i] <= entries.starts[i + 1];
	}
	if ( ok == false )
	{
		supPackReader_Refuse( reader, "starts", "lists do not follow one another" );
	}
	supPackReader_Leave( reader );
	return entries;
}

static void LoadFunctions( supFemDetail* detail, supPackReader* reader, const supDetailBounds* bounds )
{
	int64_t count = detail->count;
	detail->places = (const supVec3*)supPackReader_GetFloats( reader, "places", 3 * count );
	detail->widths = supPackReader_GetFloats( reader, "widths", count );
	detail->loads = supPackReader_GetFloats( reader, "loads", count );
	detail->weights = supPackReader_GetFloats( reader, "weights", SUP_MAX_INFLUENCES * count );
	detail->joints = supPackReader_Get( reader, "joints", sup_packU16, SUP_MAX_INFLUENCES * count );
	for ( int64_t i = 0; reader->failed == false && i < SUP_MAX_INFLUENCES * count; ++i )
	{
		if ( detail->joints[i] >= bounds->boneCount )
		{
			supPackReader_Refuse( reader, "joints", "bone %d of %d", detail->joints[i], bounds->boneCount );
		}
	}
}

static void LoadLevels( supFemDetail* detail, supPackReader* reader )
{
	detail->levelStarts = supPackReader_GetInts( reader, "levelStarts", detail->levelCount + 1, 0, 1 << 26 );
	bool ok = reader->failed || detail->levelStarts[0] == 0;
	for ( int32_t i = 0; reader->failed == false && ok && i < detail->levelCount; ++i )
	{
		ok = detail->levelStarts[i] <= detail->levelStarts[i + 1];
	}
	if ( ok == false )
	{
		supPackReader_Refuse( reader, "levelStarts", "levels do not follow one another" );
	}
	detail->count = reader->failed ? 0 : detail->levelStarts[detail->levelCount];
}

bool supFemDetail_Load( supFemDetail* detail, supArena* arena, supPackReader* reader, const supDetailBounds* bounds )
{
	*detail = ( supFemDetail ){ .levelCount = supPackReader_GetInt( reader, "levels", 0, SUP_MAX_BASIS_LEVEL ) };
	if ( reader->failed || detail->levelCount == 0 )
	{
		return reader->failed == false;
	}
	LoadLevels( detail, reader );
	LoadFunctions( detail, reader, bounds );
	int64_t corners = supPackReader_Count( reader, "corners" );
	if ( corners % 8 != 0 || corners > 1 << 26 )
	{
		supPackReader_Refuse( reader, "corners", "it has %lld numbers", (long long)corners );
	}
	detail->cellCorners = supPackReader_GetInts( reader, "corners", corners, -1, bounds->vertexCount - 1 );
	detail->cellGradients = (const supVec3*)supPackReader_GetFloats( reader, "gradients", 3 * corners );
	detail->cellCount = (int32_t)( corners / 8 );
	int32_t count = detail->count, regions = bounds->softRegionCount;
	Entries cells = LoadEntries( reader, "cells", detail->cellCount, count, 0, 0 );
	Entries bonds = LoadEntries( reader, "bonds", count, detail->cellCount, regions, SUP_DETAIL_BOND );
	Entries pairs = LoadEntries( reader, "pairs", count, 8 * detail->cellCount, regions, SUP_DETAIL_PAIR );
	Entries rows = LoadEntries( reader, "rows", count, count, regions, SUP_DETAIL_ROW );
	Entries skin = LoadEntries( reader, "skin", count, bounds->skinCount, 0, SUP_DETAIL_SKIN );
	// masses are at corners that there are
	for ( int32_t k = 0; reader->failed == false && k < pairs.starts[count]; ++k )
	{
		if ( detail->cellCorners[pairs.targets[k]] < 0 )
		{
			supPackReader_Refuse( reader, "pairs", "entry %d has no vertex", k );
		}
	}
	if ( reader->failed )
	{
		return false;
	}
	detail->cellStarts = cells.starts;
	detail->cellFunctions = cells.targets;
	detail->bondStarts = bonds.starts;
	detail->bondCells = bonds.targets;
	detail->bondRegions = bonds.regions;
	detail->bonds = bonds.numbers;
	detail->pairStarts = pairs.starts;
	detail->pairCorners = pairs.targets;
	detail->pairRegions = pairs.regions;
	detail->pairs = pairs.numbers;
	detail->rowStarts = rows.starts;
	detail->rowColumns = rows.targets;
	detail->rowRegions = rows.regions;
	detail->rows = rows.numbers;
	detail->skinStarts = skin.starts;
	detail->skinVertices = skin.targets;
	detail->skins = skin.numbers;
	detail->skinCount = bounds->skinCount;
	return supFemDetail_IndexSkin( detail, arena ) ||
		   supPackReader_Refuse( reader, "skin", "out of memory for %d functions", count );
}
