// SPDX-License-Identifier: MIT
// Flesh into a pack and out again.
#include "method/modes/modes.h"

#include <math.h>

void supModes_SaveFlesh( const void* fleshPointer, supPackWriter* writer )
{
	const supModesFlesh* flesh = fleshPointer;
	int64_t points = flesh->pointCount, coordinates = flesh->coordinateCount, bones = flesh->skin.boneCount;
	int64_t slots = (int64_t)SUP_MAX_INFLUENCES * points, blocks = supModes_BlockCount( flesh->pointCount );
	const float center[4] = { flesh->center.x, flesh->center.y, flesh->center.z, flesh->size };
	supPackWriter_AddInt( writer, "modes", flesh->modeCount );
	supPackWriter_AddInt( writer, "coordinates", flesh->coordinateCount );
	supPackWriter_Add( writer, "center", sup_packF32, 4, center );
	supPackWriter_Add( writer, "rest", sup_packF32, 3 * points, flesh->points );
	supPackWriter_Add( writer, "tets", sup_packI32, 4 * (int64_t)flesh->tetCount, flesh->tets );
	supPackWriter_Add( writer, "inverseMasses", sup_packF32, points, flesh->inverseMasses );
	supPackWriter_Add( writer, "softness", sup_packF32, points, flesh->softnesses );
	supPackWriter_Add( writer, "limits", sup_packF32, points, flesh->limits );
	supPackWriter_Add( writer, "joints", sup_packU16, slots, flesh->skin.joints );
	supPackWriter_Add( writer, "weights", sup_packF32, slots, flesh->skin.weights );
	supPackWriter_Add( writer, "bones", sup_packI32, bones, flesh->skin.boneNodes );
	supPackWriter_Add( writer, "inverses", sup_packF32, 12 * bones, flesh->skin.boneInverses );
	supPackWriter_Add( writer, "shapes", sup_packF32, blocks * flesh->modeCount * SUP_MODES_LANES, flesh->shapes );
	supPackWriter_Add( writer, "blends", sup_packF32, supModes_NumberCount( flesh->modeCount ) * coordinates,
					   flesh->blends );
	supPackWriter_Add( writer, "loads", sup_packF32, 12 * bones * coordinates, flesh->loads );
	supPackWriter_Add( writer, "squares", sup_packF32, coordinates, flesh->squares );
	supPackWriter_Add( writer, "ranges", sup_packF32, coordinates, flesh->ranges );
	supPackWriter_Add( writer, "frequencies", sup_packF32, flesh->regionCount, flesh->frequencies );
	supPackWriter_Add( writer, "shares", sup_packF32, coordinates * flesh->regionCount, flesh->shares );
	supPackWriter_Enter( writer, "binding" );
	supSurfaceBinding_Save( &flesh->binding, writer );
	supPackWriter_Leave( writer );
}

#define MOST_POINTS ( 1 << 26 )

// How many groups of `width` items a section has.
static int32_t CountOf( supPackReader* reader, const char* name, int32_t width, int32_t most )
{
	int64_t count = supPackReader_Count( reader, name );
	if ( count % width != 0 || count / width > most )
	{
		supPackReader_Refuse( reader, name, "it has %lld numbers", (long long)count );
		return 0;
	}
	return (int32_t)( count / width );
}

// All of them between the two.
static void CheckFloats( supPackReader* reader, const char* name, const float* values, int64_t count, float least,
						 float most )
{
	for ( int64_t i = 0; reader->failed == false && i < count; ++i )
	{
		if ( !( values[i] >= least && values[i] <= most ) )
		{
			supPackReader_Refuse( reader, name, "number %lld is %g, not %g to %g", (long long)i, (double)values[i],
								  (double)least, (double)most );
		}
	}
}

static void ReadBody( supModesFlesh* flesh, supPackReader* reader, const supCharacter* character )
{
	supBodySkin* skin = &flesh->skin;
	flesh->pointCount = CountOf( reader, "rest", 3, MOST_POINTS );
	flesh->tetCount = CountOf( reader, "tets", 4, MOST_POINTS );
	skin->boneCount = CountOf( reader, "bones", 1, supCharacter_NodeCount( character ) );
	int64_t points = flesh->pointCount, slots = (int64_t)SUP_MAX_INFLUENCES * points;
	const float* center = supPackReader_GetFloats( reader, "center", 4 );
	flesh->points = (const supVec3*)supPackReader_GetFloats( reader, "rest", 3 * points );
	flesh->tets = supPackReader_GetInts( reader, "tets", 4 * (int64_t)flesh->tetCount, 0, flesh->pointCount - 1 );
	flesh->inverseMasses = supPackReader_GetFloats( reader, "inverseMasses", points );
	flesh->softnesses = supPackReader_GetFloats( reader, "softness", points );
	flesh->limits = supPackReader_GetFloats( reader, "limits", points );
	skin->joints = supPackReader_Get( reader, "joints", sup_packU16, slots );
	skin->weights = supPackReader_GetFloats( reader, "weights", slots );
	skin->boneNodes =
		supPackReader_GetInts( reader, "bones", skin->boneCount, 0, supCharacter_NodeCount( character ) - 1 );
	skin->boneInverses = (const supMat34*)supPackReader_GetFloats( reader, "inverses", 12 * (int64_t)skin->boneCount );
	for ( int64_t i = 0; reader->failed == false && i < slots; ++i )
	{
		if ( skin->joints[i] >= skin->boneCount )
		{
			supPackReader_Refuse( reader, "joints", "bone %d of %d", skin->joints[i], skin->boneCount );
		}
	}
	CheckFloats( reader, "inverseMasses", flesh->inverseMasses, points, 0.0f, 1e30f );
	CheckFloats( reader, "limits", flesh->limits, points, 0.0f, 1e30f );
	if ( reader->failed == false )
	{
		flesh->center = supMakeVec3( center[0], center[1], center[2] );
		flesh->size = center[3];
		CheckFloats( reader, "center", center + 3, 1, 0.0f, 1e30f );
	}
}

// Of what holds a coordinate every region has a part: all of them together are all of it, as far as floats add up.
static void CheckShares( const supModesFlesh* flesh, supPackReader* reader )
{
	for ( int64_t j = 0; reader->failed == false && j < flesh->coordinateCount; ++j )
	{
		double sum = 0.0;
		for ( int32_t r = 0; r < flesh->regionCount; ++r )
		{
			sum += (double)flesh->shares[j * flesh->regionCount + r];
		}
		if ( fabs( sum - 1.0 ) > 1e-3 )
		{
			supPackReader_Refuse( reader, "shares", "those of coordinate %lld add up to %g, not to 1", (long long)j,
								  sum );
		}
	}
}

static void ReadModes( supModesFlesh* flesh, supPackReader* reader )
{
	flesh->modeCount = supPackReader_GetInt( reader, "modes", 1, SUP_MAX_MODES );
	flesh->coordinateCount = supPackReader_GetInt( reader, "coordinates", 0, 12 * SUP_MAX_MODES );
	flesh->regionCount = CountOf( reader, "frequencies", 1, MOST_POINTS );
	if ( reader->failed == false && flesh->regionCount < 1 )
	{
		supPackReader_Refuse( reader, "frequencies", "there is no region" );
	}
	if ( reader->failed == false && flesh->coordinateCount % SUP_MODES_LANES != 0 )
	{
		supPackReader_Refuse( reader, "coordinates", "%d is not a multiple of %d", flesh->coordinateCount,
							  SUP_MODES_LANES );
	}
	int64_t coordinates = flesh->coordinateCount, blocks = supModes_BlockCount( flesh->pointCount );
	int64_t bones = flesh->skin.boneCount, regions = flesh->regionCount;
	flesh->shapes = supPackReader_GetFloats( reader, "shapes", blocks * flesh->modeCount * SUP_MODES_LANES );
	flesh->blends = supPackReader_GetFloats( reader, "blends", supModes_NumberCount( flesh->modeCount ) * coordinates );
	flesh->loads = supPackReader_GetFloats( reader, "loads", 12 * bones * coordinates );
	flesh->squares = supPackReader_GetFloats( reader, "squares", coordinates );
	flesh->ranges = supPackReader_GetFloats( reader, "ranges", coordinates );
	flesh->frequencies = supPackReader_GetFloats( reader, "frequencies", regions );
	flesh->shares = supPackReader_GetFloats( reader, "shares", coordinates * regions );
	CheckFloats( reader, "squares", flesh->squares, coordinates, 1e-6f, 1e30f );
	CheckFloats( reader, "ranges", flesh->ranges, coordinates, 0.0f, 1e30f );
	CheckFloats( reader, "frequencies", flesh->frequencies, regions, SUP_MODES_LEAST_FREQUENCY,
				 SUP_MODES_MOST_FREQUENCY );
	CheckFloats( reader, "shares", flesh->shares, coordinates * regions, 0.0f, 1.0f );
	CheckShares( flesh, reader );
}

void* supModes_LoadFlesh( supPackReader* reader, const supCharacter* character )
{
	supModesFlesh* flesh = supAllocZeroed( sizeof( supModesFlesh ) );
	if ( flesh == NULL )
	{
		supSetMemoryError( reader->error );
		reader->failed = true;
		return NULL;
	}
	ReadBody( flesh, reader, character );
	ReadModes( flesh, reader );
	bool ok = reader->failed == false;
	if ( ok )
	{
		supPackReader_Enter( reader, "binding" );
		ok = supSurfaceBinding_Load( &flesh->binding, reader, character, flesh->pointCount, 4 );
		supPackReader_Leave( reader );
	}
	if ( ok && supModesFlesh_Finish( flesh ) == false )
	{
		ok = false;
		reader->failed = true;
		supSetMemoryError( reader->error );
	}
	if ( ok == false )
	{
		supModes_DestroyFlesh( flesh );
		flesh = NULL;
	}
	return flesh;
}
