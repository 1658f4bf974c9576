// SPDX-License-Identifier: MIT
// Flesh into a pack and out again. Matrices and regions are not in it: they are made again from functions, places and
// weights, which takes less time than reading them would, and checks them.
#include "method/fem/flesh.h"

void supFem_SaveFlesh( const void* fleshPointer, supPackWriter* writer )
{
	const supFemFlesh* flesh = fleshPointer;
	const supFemModelDef* def = &flesh->def;
	const supFemRule* rule = &def->rule;
	const supControlLattice* lattice = &flesh->lattice;
	const supCellBasis* basis = &flesh->basis;
	int64_t functions = def->functionCount, places = rule->count, entries = rule->starts[rule->count];
	int64_t nodes = basis->nodeCount;
	supPackWriter_AddInt( writer, "mode", (int32_t)flesh->mode );
	supPackWriter_AddInt( writer, "skin", (int32_t)flesh->skin );
	supPackWriter_AddInt( writer, "made", flesh->binding.keepsMade );
	supPackWriter_AddInt( writer, "whole", def->wholeBone );
	supPackWriter_AddInt( writer, "width", flesh->binding.width );
	supPackWriter_Add( writer, "rests", sup_packF32, 3 * functions, def->rests );
	supPackWriter_Add( writer, "places", sup_packF32, 3 * functions, def->places );
	supPackWriter_Add( writer, "known", sup_packU8, functions, def->isKnown );
	supPackWriter_Add( writer, "joints", sup_packU16, SUP_MAX_INFLUENCES * functions, def->joints );
	supPackWriter_Add( writer, "weights", sup_packF32, SUP_MAX_INFLUENCES * functions, def->weights );
	supPackWriter_Add( writer, "starts", sup_packI32, places + 1, rule->starts );
	supPackWriter_Add( writer, "functions", sup_packI32, entries, rule->functions );
	supPackWriter_Add( writer, "values", sup_packF32, entries, rule->values );
	supPackWriter_Add( writer, "gradients", sup_packF32, 3 * entries, rule->gradients );
	supPackWriter_Add( writer, "volumes", sup_packF32, places, rule->volumes );
	supPackWriter_Add( writer, "densities", sup_packF32, places, rule->densities );
	supPackWriter_Add( writer, "moduli", sup_packF32, places, rule->moduli );
	supPackWriter_Add( writer, "poissons", sup_packF32, places, rule->poissons );
	supPackWriter_Add( writer, "holds", sup_packF32, places, rule->holds );
	supPackWriter_Add( writer, "grips", sup_packF32, places, rule->grips );
	supPackWriter_Add( writer, "shares", sup_packF32, places, rule->shares );
	supPackWriter_Add( writer, "loosenesses", sup_packF32, places, rule->loosenesses );
	supPackWriter_Add( writer, "softRegions", sup_packI32, places, rule->softRegions );
	supPackWriter_Add( writer, "cells", sup_packI32, rule->cells != NULL ? places : 0, rule->cells );
	supPackWriter_Add( writer, "dampings", sup_packF32, def->softRegionCount, flesh->tissueDampings );
	supPackWriter_Add( writer, "softest", sup_packF32, def->softRegionCount, flesh->softest );
	supPackWriter_Add( writer, "bones", sup_packI32, flesh->boneCount, flesh->boneNodes );
	supPackWriter_Add( writer, "inverses", sup_packF32, 12 * (int64_t)flesh->boneCount, flesh->boneInverses );
	supPackWriter_AddInt( writer, "between", def->between );
	supPackWriter_AddInt( writer, "nonlinear joints", def->hasJoints );
	supPackWriter_Add( writer, "parents", sup_packI32, flesh->boneCount, def->parents );
	supPackWriter_Add( writer, "origins", sup_packF32, 3 * (int64_t)flesh->boneCount, def->origins );
	supPackWriter_Enter( writer, "lattice" );
	// whole numbers and floats side by side, all of four bytes
	supPackWriter_Add( writer, "pins", sup_packI32, 3 * (int64_t)lattice->vertexCount, lattice->pins );
	supPackWriter_Add( writer, "joints", sup_packI32, 7 * (int64_t)lattice->jointCount, lattice->joints );
	// to be looked at only, so it may be missing
	if ( lattice->cellCount > 0 )
	{
		supPackWriter_Add( writer, "kinds", sup_packU8, lattice->cellCount, lattice->kinds );
		supPackWriter_Add( writer, "corners", sup_packI32, lattice->cornerStarts[lattice->cellCount],
						   lattice->corners );
	}
	supPackWriter_Leave( writer );
	supPackWriter_Enter( writer, "nodes" );
	supPackWriter_AddInt( writer, "level", basis->level );
	supPackWriter_Add( writer, "levelStarts", sup_packI32, basis->level + 2, basis->nodeStarts );
	supPackWriter_Add( writer, "points", sup_packF32, 3 * nodes, basis->nodes );
	supPackWriter_Add( writer, "functions", sup_packI32, nodes, basis->nodeFunctions );
	supPackWriter_Add( writer, "parentStarts", sup_packI32, nodes + 1, basis->parentStarts );
	supPackWriter_Add( writer, "parents", sup_packI32, basis->parentStarts[nodes], basis->parents );
	supPackWriter_Add( writer, "joints", sup_packU16, SUP_MAX_INFLUENCES * nodes, flesh->nodeJoints );
	supPackWriter_Add( writer, "weights", sup_packF32, SUP_MAX_INFLUENCES * nodes, flesh->nodeWeights );
	supPackWriter_Leave( writer );
	supPackWriter_Enter( writer, "binding" );
	supSurfaceBinding_Save( &flesh->binding, writer );
	supPackWriter_Leave( writer );
	supPackWriter_Enter( writer, "detail" );
	supFemDetail_Save( &flesh->detail, writer );
	supPackWriter_Leave( writer );
}

// ---------------------------------------------------------------------------------------------------------------------

typedef struct Loader
{
	supPackReader* reader;
	const supCharacter* character;
	supFemFlesh* flesh;
} Loader;

// How many groups of `width` items a section has.
static int32_t CountOf( supPackReader* reader, const char* name, int32_t width )
{
	int64_t count = supPackReader_Count( reader, name );
	if ( count % width != 0 || count / width > 1 << 26 )
	{
		supPackReader_Refuse( reader, name, "it has %lld numbers", (long long)count );
		return 0;
	}
	return (int32_t)( count / width );
}

// Starts of lists: they rise from 0 to `total`, by no more than `most`.
static const int32_t* ReadStarts( supPackReader* reader, const char* name, int32_t count, int32_t total, int32_t most )
{
	const int32_t* starts = supPackReader_GetInts( reader, name, (int64_t)count + 1, 0, total );
	bool ok = reader->failed || ( starts[0] == 0 && starts[count] == total );
	for ( int32_t i = 0; reader->failed == false && ok && i < count; ++i )
	{
		ok = starts[i] <= starts[i + 1] && starts[i + 1] - starts[i] <= most;
	}
	if ( ok == false )
	{
		supPackReader_Refuse( reader, name, "lists do not follow one another" );
	}
	return starts;
}

static const uint16_t* ReadJoints( Loader* loader, const char* name, int64_t count )
{
	supPackReader* reader = loader->reader;
	const uint16_t* joints = supPackReader_Get( reader, name, sup_packU16, count );
	for ( int64_t i = 0; reader->failed == false && i < count; ++i )
	{
		if ( joints[i] >= loader->flesh->boneCount )
		{
			supPackReader_Refuse( reader, name, "bone %d of %d", joints[i], loader->flesh->boneCount );
		}
	}
	return joints;
}

static void ReadRule( Loader* loader )
{
	supPackReader* reader = loader->reader;
	supFemModelDef* def = &loader->flesh->def;
	supFemRule* rule = &def->rule;
	rule->count = CountOf( reader, "volumes", 1 );
	int32_t entries = CountOf( reader, "functions", 1 );
	rule->starts = ReadStarts( reader, "starts", rule->count, entries, SUP_MAX_BASIS_VALUES );
	rule->functions = supPackReader_GetInts( reader, "functions", entries, 0, def->functionCount - 1 );
	rule->values = supPackReader_GetFloats( reader, "values", entries );
	rule->gradients = (const supVec3*)supPackReader_GetFloats( reader, "gradients", 3 * (int64_t)entries );
	rule->volumes = supPackReader_GetFloats( reader, "volumes", rule->count );
	rule->densities = supPackReader_GetFloats( reader, "densities", rule->count );
	rule->moduli = supPackReader_GetFloats( reader, "moduli", rule->count );
	rule->poissons = supPackReader_GetFloats( reader, "poissons", rule->count );
	rule->holds = supPackReader_GetFloats( reader, "holds", rule->count );
	rule->grips = supPackReader_GetFloats( reader, "grips", rule->count );
	rule->loosenesses = supPackReader_GetFloats( reader, "loosenesses", rule->count );
	rule->shares = supPackReader_GetFloats( reader, "shares", rule->count );
	def->softRegionCount = CountOf( reader, "dampings", 1 );
	loader->flesh->tissueDampings = supPackReader_GetFloats( reader, "dampings", def->softRegionCount );
	loader->flesh->softest = supPackReader_GetFloats( reader, "softest", def->softRegionCount );
	rule->softRegions = supPackReader_GetInts( reader, "softRegions", rule->count, 0, def->softRegionCount - 1 );
	for ( int32_t i = 0; reader->failed == false && i < rule->count; ++i )
	{
		if ( rule->volumes[i] < 0.0f || rule->holds[i] < 0.0f || rule->shares[i] < 0.0f || rule->shares[i] > 1.0f ||
			 rule->loosenesses[i] < 0.0f || rule->loosenesses[i] > 1.0f || rule->grips[i] < 0.0f ||
			 rule->grips[i] > 1.0f )
		{
			supPackReader_Refuse( reader, "volumes", "place %d has a volume, hold or share that is none", i );
		}
	}
}

static void ReadBody( Loader* loader )
{
	supPackReader* reader = loader->reader;
	supFemFlesh* flesh = loader->flesh;
	supFemModelDef* def = &flesh->def;
	int32_t lastNode = supCharacter_NodeCount( loader->character ) - 1;
	flesh->mode = (supFemMode)supPackReader_GetInt( reader, "mode", 0, sup_femNonlinear );
	flesh->skin = (supFemSkin)supPackReader_GetInt( reader, "skin", 0, sup_femCarried );
	flesh->boneCount = CountOf( reader, "bones", 1 );
	flesh->boneNodes = supPackReader_GetInts( reader, "bones", flesh->boneCount, 0, lastNode );
	flesh->boneInverses =
		(const supMat34*)supPackReader_GetFloats( reader, "inverses", 12 * (int64_t)flesh->boneCount );
	def->between = supPackReader_GetInt( reader, "between", 0, SUP_MOST_BETWEEN );
	def->parents = supPackReader_GetInts( reader, "parents", flesh->boneCount, -1, flesh->boneCount - 1 );
	def->origins = (const supVec3*)supPackReader_GetFloats( reader, "origins", 3 * (int64_t)flesh->boneCount );
	def->hasJoints = supPackReader_GetInt( reader, "nonlinear joints", 0, 1 ) != 0;
	bool isBlended = flesh->mode == sup_femBlended;
	def->wholeBone = supPackReader_GetInt( reader, "whole", isBlended ? -1 : 0, isBlended ? -1 : flesh->boneCount - 1 );
	def->isNonlinear = flesh->mode == sup_femNonlinear;
	def->boneCount = flesh->boneCount;
	def->functionCount = CountOf( reader, "known", 1 );
	int64_t functions = def->functionCount;
	def->rests = (const supVec3*)supPackReader_GetFloats( reader, "rests", 3 * functions );
	def->places = (const supVec3*)supPackReader_GetFloats( reader, "places", 3 * functions );
	def->isKnown = supPackReader_Get( reader, "known", sup_packU8, functions );
	def->joints = ReadJoints( loader, "joints", SUP_MAX_INFLUENCES * functions );
	def->weights = supPackReader_GetFloats( reader, "weights", SUP_MAX_INFLUENCES * functions );
	ReadRule( loader );
}

static void* Copy( supFemFlesh* flesh, const void* items, int64_t count, size_t itemSize )
{
	return supArena_CopyArray( &flesh->arena, items, (size_t)count, itemSize );
}

static void CheckLattice( Loader* loader )
{
	const supControlLattice* lattice = &loader->flesh->lattice;
	int32_t nodeCount = supCharacter_NodeCount( loader->character );
	for ( int32_t i = 0; i < lattice->vertexCount; ++i )
	{
		const supLatticePin* pin = lattice->pins + i;
		bool isFree = pin->a == -1 && loader->flesh->def.isKnown[i] == 0;
		bool isPinned = pin->a >= 0 && pin->a < lattice->jointCount && pin->b >= 0 && pin->b < lattice->jointCount &&
						pin->t >= 0.0f && pin->t <= 1.0f && loader->flesh->def.isKnown[i] <= 1;
		if ( isFree == false && isPinned == false )
		{
			supPackReader_Refuse( loader->reader, "pins", "vertex %d is pinned to nothing", i );
			return;
		}
	}
	for ( int32_t i = 0; i < lattice->jointCount; ++i )
	{
		const supLatticeJoint* joint = lattice->joints + i;
		if ( joint->node < -1 || joint->node >= nodeCount || supIsFiniteVec3( joint->offset ) == false ||
			 supIsFiniteVec3( joint->rest ) == false )
		{
			supPackReader_Refuse( loader->reader, "joints", "joint %d is on node %d of %d, or nowhere", i, joint->node,
								  nodeCount );
			return;
		}
	}
}

// Cells, of which files from before they were written have none.
static void ReadCells( Loader* loader )
{
	supPackReader* reader = loader->reader;
	supFemFlesh* flesh = loader->flesh;
	if ( supPackReader_Has( reader, "kinds" ) == false )
	{
		return;
	}
	int32_t cellCount = CountOf( reader, "kinds", 1 ), cornerCount = CountOf( reader, "corners", 1 );
	const uint8_t* kinds = supPackReader_Get( reader, "kinds", sup_packU8, cellCount );
	const int32_t* corners = supPackReader_GetInts( reader, "corners", cornerCount, 0, flesh->def.functionCount - 1 );
	int32_t* starts = supArena_AllocArray( &flesh->arena, (size_t)cellCount + 1, sizeof( int32_t ) );
	if ( reader->failed || starts == NULL )
	{
		return;
	}
	starts[0] = 0;
	bool ok = true;
	for ( int32_t i = 0; i < cellCount && ok; ++i )
	{
		ok = kinds[i] < sup_cellKindCount && supCellShapes[kinds[i]].cornerCount <= cornerCount - starts[i];
		starts[i + 1] = starts[i] + ( ok ? supCellShapes[kinds[i]].cornerCount : 0 );
	}
	if ( ok == false || starts[cellCount] != cornerCount )
	{
		supPackReader_Refuse( reader, "kinds", "%d corners are not those of the cells", cornerCount );
		return;
	}
	flesh->lattice.cellCount = cellCount;
	flesh->lattice.kinds = Copy( flesh, kinds, cellCount, 1 );
	flesh->lattice.cornerStarts = starts;
	flesh->lattice.corners = Copy( flesh, corners, cornerCount, sizeof( int32_t ) );
}

static void ReadLattice( Loader* loader )
{
	supPackReader* reader = loader->reader;
	supFemFlesh* flesh = loader->flesh;
	supPackReader_Enter( reader, "lattice" );
	int32_t vertexCount = flesh->def.functionCount, jointCount = CountOf( reader, "joints", 7 );
	const void* pins = supPackReader_Get( reader, "pins", sup_packI32, 3 * (int64_t)vertexCount );
	const void* joints = supPackReader_Get( reader, "joints", sup_packI32, 7 * (int64_t)jointCount );
	if ( reader->failed == false )
	{
		flesh->lattice.vertexCount = vertexCount;
		flesh->lattice.jointCount = jointCount;
		flesh->lattice.pins = Copy( flesh, pins, vertexCount, sizeof( supLatticePin ) );
		flesh->lattice.joints = Copy( flesh, joints, jointCount, sizeof( supLatticeJoint ) );
	}
	if ( reader->failed == false && flesh->arena.failed == false )
	{
		CheckLattice( loader );
	}
	if ( reader->failed == false )
	{
		ReadCells( loader );
	}
	supPackReader_Leave( reader );
}

// Nodes come after those whose mean they are.
static void CheckNodes( Loader* loader, const int32_t* starts, const int32_t* parents, int32_t nodeCount )
{
	for ( int32_t i = 0; loader->reader->failed == false && i < nodeCount; ++i )
	{
		bool ok = ( starts[i + 1] > starts[i] ) == ( i >= loader->flesh->def.functionCount );
		for ( int32_t k = starts[i]; k < starts[i + 1]; ++k )
		{
			ok = ok && parents[k] < i;
		}
		if ( ok == false )
		{
			supPackReader_Refuse( loader->reader, "parents", "node %d does not lie between earlier ones", i );
		}
	}
}

static void ReadNodes( Loader* loader )
{
	supPackReader* reader = loader->reader;
	supFemFlesh* flesh = loader->flesh;
	supCellBasis* basis = &flesh->basis;
	supPackReader_Enter( reader, "nodes" );
	int32_t level = supPackReader_GetInt( reader, "level", 0, 0 );
	int32_t count = CountOf( reader, "functions", 1 ), parentCount = CountOf( reader, "parents", 1 );
	const int32_t* levels = ReadStarts( reader, "levelStarts", level + 1, count, INT32_MAX );
	const float* points = supPackReader_GetFloats( reader, "points", 3 * (int64_t)count );
	const int32_t* functions = supPackReader_GetInts( reader, "functions", count, -1, flesh->def.functionCount - 1 );
	const int32_t* starts = ReadStarts( reader, "parentStarts", count, parentCount, 8 );
	const int32_t* parents = supPackReader_GetInts( reader, "parents", parentCount, 0, count - 1 );
	flesh->nodeJoints = ReadJoints( loader, "joints", SUP_MAX_INFLUENCES * (int64_t)count );
	flesh->nodeWeights = supPackReader_GetFloats( reader, "weights", SUP_MAX_INFLUENCES * (int64_t)count );
	if ( reader->failed == false && levels[1] != flesh->def.functionCount )
	{
		supPackReader_Refuse( reader, "levelStarts", "the first level has %d nodes, not one a vertex", levels[1] );
	}
	if ( reader->failed == false )
	{
		CheckNodes( loader, starts, parents, count );
		basis->lattice = &flesh->lattice;
		basis->level = level;
		basis->functionCount = flesh->def.functionCount;
		basis->nodeCount = count;
		memcpy( basis->nodeStarts, levels, (size_t)( level + 2 ) * sizeof( int32_t ) );
		basis->nodes = Copy( flesh, points, count, sizeof( supVec3 ) );
		basis->nodeFunctions = Copy( flesh, functions, count, sizeof( int32_t ) );
		basis->parentStarts = Copy( flesh, starts, (int64_t)count + 1, sizeof( int32_t ) );
		basis->parents = Copy( flesh, parents, parentCount, sizeof( int32_t ) );
	}
	supPackReader_Leave( reader );
}

static bool ReadDetail( Loader* loader )
{
	supPackReader* reader = loader->reader;
	supFemFlesh* flesh = loader->flesh;
	supDetailBounds bounds = { .vertexCount = flesh->def.functionCount,
							   .boneCount = flesh->boneCount,
							   .softRegionCount = flesh->def.softRegionCount,
							   .skinCount = flesh->binding.vertexCount };
	supPackReader_Enter( reader, "detail" );
	bool ok = supFemDetail_Load( &flesh->detail, &flesh->arena, reader, &bounds );
	supPackReader_Leave( reader );
	if ( ok && flesh->detail.levelCount > 0 )
	{
		int32_t places = flesh->def.rule.count;
		flesh->def.rule.cells = supPackReader_GetInts( reader, "cells", places, 0, flesh->detail.cellCount - 1 );
		flesh->def.cellCorners = flesh->detail.cellCorners;
	}
	return reader->failed == false;
}

static bool Load( Loader* loader )
{
	supPackReader* reader = loader->reader;
	supFemFlesh* flesh = loader->flesh;
	ReadBody( loader );
	if ( reader->failed == false )
	{
		ReadLattice( loader );
	}
	if ( reader->failed == false )
	{
		ReadNodes( loader );
	}
	if ( reader->failed )
	{
		return false;
	}
	if ( flesh->arena.failed )
	{
		reader->failed = true;
		return supSetMemoryError( reader->error );
	}
	// hexahedra have eight nodes, and so have all cells of finer levels
	int32_t width = supPackReader_GetInt( reader, "width", 4, 8 );
	if ( reader->failed || ( width != 4 && width != 8 ) )
	{
		return supPackReader_Refuse( reader, "width", "cells have four nodes or eight, not %d", width );
	}
	bool keepsMade = supPackReader_GetInt( reader, "made", 0, 1 ) != 0;
	supPackReader_Enter( reader, "binding" );
	bool ok = supSurfaceBinding_Load( &flesh->binding, reader, loader->character, flesh->basis.nodeCount, width );
	supPackReader_Leave( reader );
	supError error = { 0 };
	if ( ok && keepsMade && supSurfaceBinding_KeepMade( &flesh->binding, loader->character ) == false )
	{
		supSetMemoryError( reader->error );
		reader->failed = true;
		ok = false;
	}
	ok = ok && ReadDetail( loader );
	if ( ok && supFemModel_Init( &flesh->model, &flesh->def, &error ) == false )
	{
		ok = supPackReader_PassError( reader, &error );
	}
	return ok;
}

void* supFem_LoadFlesh( supPackReader* reader, const supCharacter* character )
{
	supFemFlesh* flesh = supAllocZeroed( sizeof( supFemFlesh ) );
	if ( flesh == NULL )
	{
		supSetMemoryError( reader->error );
		reader->failed = true;
		return NULL;
	}
	Loader loader = { reader, character, flesh };
	if ( Load( &loader ) == false )
	{
		supFem_DestroyFlesh( flesh );
		flesh = NULL;
	}
	return flesh;
}
