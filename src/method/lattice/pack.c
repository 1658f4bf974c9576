// SPDX-License-Identifier: MIT
// Flesh into a pack and out again: one list of all arrays for both ways. What comes from a file is checked as far as a
// step follows it: every index leads to something, every run of a list ends within it.
#include "method/lattice/lattice.h"

// Either a writer or a reader.
typedef struct Port
{
	supPackWriter* writer;
	supPackReader* reader;
} Port;

static void Int( Port* port, const char* name, int32_t* value, int32_t lower, int32_t upper )
{
	if ( port->writer != NULL )
	{
		supPackWriter_AddInt( port->writer, name, *value );
	}
	else
	{
		*value = supPackReader_GetInt( port->reader, name, lower, upper );
	}
}

static void Float( Port* port, const char* name, float* value )
{
	if ( port->writer != NULL )
	{
		supPackWriter_AddFloat( port->writer, name, *value );
	}
	else
	{
		*value = supPackReader_GetFloat( port->reader, name );
	}
}

static void* Borrow( const void* items )
{
	return (void*)(uintptr_t)items;
}

static void Ints( Port* port, const char* name, int32_t** items, int64_t count, int32_t lower, int32_t upper )
{
	if ( port->writer != NULL )
	{
		supPackWriter_Add( port->writer, name, sup_packI32, count, *items );
	}
	else
	{
		*items = Borrow( supPackReader_GetInts( port->reader, name, count, lower, upper ) );
	}
}

static void Floats( Port* port, const char* name, float** items, int64_t count )
{
	if ( port->writer != NULL )
	{
		supPackWriter_Add( port->writer, name, sup_packF32, count, *items );
	}
	else
	{
		*items = Borrow( supPackReader_GetFloats( port->reader, name, count ) );
	}
}

static void* Items( Port* port, const char* name, supPackType type, const void* items, int64_t count )
{
	if ( port->writer != NULL )
	{
		supPackWriter_Add( port->writer, name, type, count, items );
		return Borrow( items );
	}
	return Borrow( supPackReader_Get( port->reader, name, type, count ) );
}

static bool IsReading( const Port* port )
{
	return port->reader != NULL && port->reader->failed == false;
}

// Bytes below a limit.
static void Bytes( Port* port, const char* name, uint8_t** items, int64_t count, int32_t limit )
{
	*items = Items( port, name, sup_packU8, *items, count );
	for ( int64_t i = 0; IsReading( port ) && i < count; ++i )
	{
		if ( ( *items )[i] >= limit )
		{
			supPackReader_Refuse( port->reader, name, "item %lld is %d, not below %d; build the file again",
								  (long long)i, ( *items )[i], limit );
		}
	}
}

// Where runs start: count + 1 numbers from 0 on that do not fall, the last of which is `total`.
static void Starts( Port* port, const char* name, int32_t** items, int64_t count, int32_t total )
{
	Ints( port, name, items, count + 1, 0, total );
	for ( int64_t i = 0; IsReading( port ) && i <= count; ++i )
	{
		int32_t before = i > 0 ? ( *items )[i - 1] : 0;
		if ( ( *items )[i] < before || ( i == 0 && ( *items )[i] != 0 ) || ( i == count && ( *items )[i] != total ) )
		{
			supPackReader_Refuse( port->reader, name, "run %lld does not follow the previous one; build the file again",
								  (long long)i );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static void Enter( Port* port, const char* group )
{
	if ( port->writer != NULL )
	{
		supPackWriter_Enter( port->writer, group );
	}
	else
	{
		supPackReader_Enter( port->reader, group );
	}
}

static void Leave( Port* port )
{
	if ( port->writer != NULL )
	{
		supPackWriter_Leave( port->writer );
	}
	else
	{
		supPackReader_Leave( port->reader );
	}
}

#define MOST ( 1 << 28 )

static void Lines( Port* port, const char* group, supLatticeLines* lines, int32_t bricks, int32_t longest, bool isRow )
{
	Enter( port, group );
	int32_t total = port->writer != NULL ? lines->starts[lines->count] : 0;
	Int( port, "count", &lines->count, 0, MOST );
	Int( port, "total", &total, 0, MOST );
	Starts( port, "starts", &lines->starts, lines->count, total );
	Ints( port, "bricks", &lines->bricks, total, isRow ? 0 : -1, bricks - 1 );
	for ( int32_t i = 0; IsReading( port ) && i < lines->count; ++i )
	{
		int32_t count = lines->starts[i + 1] - lines->starts[i];
		if ( count < 1 || count > longest )
		{
			supPackReader_Refuse( port->reader, "starts", "line %d has an invalid length of %d; build the file again",
								  i, count );
		}
	}
	Leave( port );
}

// `bricks` is the number of bricks that have lists, `terms` of what these are made of.
static void Lists( Port* port, const char* group, supLatticeLists* lists, int32_t bricks, int32_t terms )
{
	Enter( port, group );
	int32_t total = port->writer != NULL ? lists->starts[lists->count] : 0;
	Int( port, "count", &lists->count, 0, MOST );
	Int( port, "total", &total, 0, MOST );
	Starts( port, "bricks", &lists->brickStarts, bricks, lists->count );
	Ints( port, "slots", &lists->slots, lists->count, 0, 8 * bricks - 1 );
	Starts( port, "starts", &lists->starts, lists->count, total );
	Ints( port, "terms", &lists->terms, total, -terms, terms - 1 );
	lists->offsets = Items( port, "offsets", sup_packU8, lists->offsets, 4 * (int64_t)total );
	Leave( port );
}

// To `count` bricks from those below `sources`.
static void Joins( Port* port, const char* group, supLatticeJoins* joins, int32_t count, int32_t sources )
{
	Enter( port, group );
	int32_t total = port->writer != NULL ? joins->starts[joins->count] : 0;
	Int( port, "total", &total, 0, MOST );
	joins->count = count;
	Starts( port, "starts", &joins->starts, count, total );
	Ints( port, "bricks", &joins->bricks, total, 0, sources - 1 );
	Bytes( port, "lanes", &joins->lanes, total, 256 );
	Leave( port );
}

// Bricks of sums, their lines, and how they come to regions and back.
static void Sums( Port* port, supLatticeFlesh* f )
{
	int32_t longest = SUP_LATTICE_MAX_RESOLUTION + 4 * SUP_LATTICE_MAX_WIDTH;
	int32_t regions = f->brickCount + 1 + f->extraBrickCount, all = regions + f->passBrickCount;
	Bytes( port, "roles", &f->roles, all, 16 );
	Ints( port, "sources", &f->sources, all, 0, f->brickCount );
	Floats( port, "rowshares", &f->rowShares, 8 * (int64_t)all );
	Lines( port, "rows", &f->rows, all, SUP_LATTICE_MAX_RESOLUTION / 8 + 6, true );
	Lines( port, "columns", &f->columns, all, longest, false );
	Lines( port, "stacks", &f->stacks, all, longest, false );
	Int( port, "planes", &f->planeCount, 1, longest );
	Starts( port, "planerows", &f->planeRows, f->planeCount, f->rows.count );
	Starts( port, "planecolumns", &f->planeColumns, f->planeCount, f->columns.count );
	Starts( port, "planebricks", &f->planeBricks, f->planeCount, f->voxelBrickCount );
	Bytes( port, "homelanes", &f->homeLanes, f->brickCount, 256 );
	Joins( port, "regionjoins", &f->regionJoins, f->brickCount + f->extraBrickCount, all );
	Joins( port, "sheetjoins", &f->sheetJoins, f->brickCount + f->passBrickCount, regions );
	Joins( port, "voxeljoins", &f->voxelJoins, f->voxelBrickCount, all );
	Int( port, "partedcount", &f->partedCount, 0, f->regionJoins.count );
	Int( port, "partedextra", &f->partedExtraCount, 0, f->partedCount );
	Ints( port, "parted", &f->parted, f->partedCount, 0, f->regionJoins.count - 1 );
	Int( port, "sharedcount", &f->sharedCount, 0, f->sheetJoins.count );
	Int( port, "sharedpass", &f->sharedPassCount, 0, f->sharedCount );
	Ints( port, "shared", &f->shared, f->sharedCount, 0, f->sheetJoins.count - 1 );
}

static void Shell( Port* port, supLatticeShell* shell, int32_t slots )
{
	Enter( port, "shell" );
	int32_t uses = port->writer != NULL ? shell->starts[shell->voxelCount] : 0;
	Int( port, "parts", &shell->partCount, 0, MOST );
	Int( port, "groups", &shell->groupCount, 0, MOST / 32 );
	Int( port, "voxels", &shell->voxelCount, 0, MOST );
	Int( port, "total", &uses, 0, MOST );
	Starts( port, "partgroups", &shell->partGroups, shell->partCount, shell->groupCount );
	Starts( port, "partvoxels", &shell->partVoxels, shell->partCount, shell->voxelCount );
	Ints( port, "corners", &shell->corners, 32 * (int64_t)shell->groupCount, 0, slots - 1 );
	Ints( port, "slots", &shell->slots, shell->voxelCount, 0, slots - 1 );
	Starts( port, "starts", &shell->starts, shell->voxelCount, uses );
	Ints( port, "uses", &shell->uses, uses, 0, 32 * shell->groupCount - 1 );
	Floats( port, "volumes", &shell->volumes, shell->partCount );
	Leave( port );
}

// Cells of the middle and the window's width, and what follows from it.
static void Window( Port* port, supLatticeFlesh* f )
{
	int32_t middle[3] = { f->middle.x, f->middle.y, f->middle.z };
	Int( port, "width", &f->window.width, 2, SUP_LATTICE_MAX_WIDTH );
	Int( port, "middle.x", middle, 0, SUP_LATTICE_MAX_RESOLUTION );
	Int( port, "middle.y", middle + 1, 0, SUP_LATTICE_MAX_RESOLUTION );
	Int( port, "middle.z", middle + 2, 0, SUP_LATTICE_MAX_RESOLUTION );
	f->middle = ( supVoxelCell ){ (int16_t)middle[0], (int16_t)middle[1], (int16_t)middle[2] };
	f->window = supLattice_MakeWindow( f->window.width );
}

static void Classes( Port* port, supLatticeFlesh* f )
{
	enum
	{
		layer,
		tether,
		region,
		isBone
	};
	uint8_t* kinds = port->writer != NULL ? supAlloc( 4 * (size_t)f->classCount ) : NULL;
	float* softness = port->writer != NULL ? supAllocArray( (size_t)f->classCount, sizeof( float ) ) : NULL;
	if ( port->writer != NULL && ( kinds == NULL || softness == NULL ) )
	{
		port->writer->failed = true;
		supFree( kinds );
		supFree( softness );
		return;
	}
	for ( int32_t i = 0; port->writer != NULL && i < f->classCount; ++i )
	{
		const supLatticeClass* class = f->classes + i;
		kinds[4 * i + layer] = class->layer;
		kinds[4 * i + tether] = class->tether;
		kinds[4 * i + region] = class->region;
		kinds[4 * i + isBone] = class->isBone;
		softness[i] = class->softness;
	}
	uint8_t* ownKinds = kinds;
	float* ownSoftness = softness;
	Bytes( port, "classes", &kinds, 4 * (int64_t)f->classCount, 256 );
	Floats( port, "classsoftness", &softness, f->classCount );
	if ( IsReading( port ) )
	{
		f->classes = supArena_AllocArray( &f->arena, SUP_LATTICE_MAX_CLASSES, sizeof( supLatticeClass ) );
		for ( int32_t i = 0; f->classes != NULL && i < f->classCount; ++i )
		{
			const uint8_t* kind = kinds + 4 * i;
			f->classes[i] =
				( supLatticeClass ){ kind[layer], kind[tether], kind[region], kind[isBone] != 0, softness[i] };
			if ( kind[layer] >= f->layerCount || kind[tether] >= f->layerCount )
			{
				supPackReader_Refuse( port->reader, "classes", "class %d is of a layer that does not exist", i );
			}
		}
	}
	supFree( ownKinds );
	supFree( ownSoftness );
}

static void Bricks( Port* port, supLatticeFlesh* f )
{
	int64_t bricks = (int64_t)f->brickCount + 1, all = bricks + f->extraBrickCount;
	f->brickCells = Items( port, "cells", sup_packU16, f->brickCells, 3 * bricks );
	Bytes( port, "masks", &f->masks, bricks, 256 );
	Ints( port, "firstvoxels", &f->firstVoxels, bricks, 0, f->voxelCount - 1 );
	Ints( port, "neighbours", &f->neighbours, 27 * bricks, 0, f->brickCount );
	Bytes( port, "steps", &f->steps, 27 * bricks, 256 );
	Bytes( port, "slotclasses", &f->slotClasses, 8 * bricks, f->classCount + 1 );
	Floats( port, "freedoms", &f->freedoms, 8 * bricks );
	Floats( port, "shares", &f->shares, 8 * bricks );
	Floats( port, "regions", &f->regions, 40 * all );
	Ints( port, "regionvoxels", &f->regionVoxels, 8 * all, 0, 8 * f->brickCount + 7 );
	for ( int32_t i = 0; IsReading( port ) && i < f->brickCount; ++i )
	{
		int32_t count = __builtin_popcount( f->masks[i] );
		if ( f->firstVoxels[i] + count > f->voxelCount || ( i >= f->voxelBrickCount && count > 0 ) )
		{
			supPackReader_Refuse( port->reader, "masks", "brick %d has voxels that do not exist", i );
		}
	}
}

static void Voxels( Port* port, supLatticeFlesh* f )
{
	int64_t influences = (int64_t)f->voxelCount * SUP_MAX_INFLUENCES;
	int32_t all = 8 * ( f->brickCount + 1 + f->extraBrickCount );
	Ints( port, "slots", &f->voxelSlots, f->voxelCount, 0, 8 * f->brickCount - 1 );
	f->joints = Items( port, "joints", sup_packU16, f->joints, influences );
	Floats( port, "weights", &f->weights, influences );
	Ints( port, "voxelregions", &f->voxelRegions, 8 * (int64_t)f->voxelCount, -1, all - 1 );
	Bytes( port, "layers", &f->layers, f->voxelCount, f->layerCount );
	Bytes( port, "voxelclasses", &f->voxelClasses, f->voxelCount, f->classCount );
	for ( int64_t i = 0; IsReading( port ) && i < influences; ++i )
	{
		if ( f->joints[i] >= f->boneCount )
		{
			supPackReader_Refuse( port->reader, "joints", "item %lld is no bone", (long long)i );
		}
	}
}

static void Transfer( Port* port, supLatticeFlesh* f, int32_t nodeCount )
{
	Int( port, "voxels", &f->voxelCount, 1, MOST / 32 );
	Int( port, "bones", &f->boneCount, 1, 65535 );
	Int( port, "bricks", &f->brickCount, 1, MOST / 64 );
	Int( port, "voxelbricks", &f->voxelBrickCount, 1, f->brickCount );
	Int( port, "extrabricks", &f->extraBrickCount, 0, MOST / 64 );
	Int( port, "passbricks", &f->passBrickCount, 0, MOST / 64 );
	Int( port, "classcount", &f->classCount, 1, SUP_LATTICE_MAX_CLASSES );
	Int( port, "layercount", &f->layerCount, 2, SUP_MAX_LAYERS );
	Window( port, f );
	Float( port, "voxelsize", &f->voxelSize );
	Float( port, "longest", &f->longest );
	double* center = Items( port, "center", sup_packF64, f->center, 3 );
	Floats( port, "parameters", &f->parameters, sup_latticeParameterCount );
	Floats( port, "layerkinds", &f->layerKinds, SUP_MAX_LAYERS );
	Ints( port, "bonenodes", &f->boneNodes, f->boneCount, 0, nodeCount - 1 );
	Ints( port, "boneparents", &f->boneParents, f->boneCount, -1, f->boneCount - 1 );
	Ints( port, "boneorder", &f->boneOrder, f->boneCount, 0, f->boneCount - 1 );
	f->boneRests = Items( port, "bonerests", sup_packF64, f->boneRests, 12 * (int64_t)f->boneCount );
	if ( IsReading( port ) )
	{
		supReadParameters( port->reader, "parameters", &supMethod_lattice );
		memcpy( f->center, center, sizeof( f->center ) );
		if ( !( f->voxelSize > 0.0f ) || !( f->longest > 0.0f ) )
		{
			supPackReader_Refuse( port->reader, "voxelsize", "voxels must have a size" );
		}
	}
	Classes( port, f );
	Voxels( port, f );
	Bricks( port, f );
	Sums( port, f );
	int32_t bricks = f->brickCount + 1, all = bricks + f->extraBrickCount;
	Lists( port, "regionlists", &f->regionLists, all, bricks );
	Lists( port, "voxellists", &f->voxelLists, bricks, 8 * all );
	Shell( port, &f->shell, 8 * bricks );
}

void supLattice_SaveFlesh( const void* own, supPackWriter* writer )
{
	// a port that writes changes nothing
	supLatticeFlesh* flesh = Borrow( own );
	Port port = { .writer = writer };
	Transfer( &port, flesh, 0 );
	supPackWriter_AddInt( writer, "made", flesh->surface.keepsMade );
	supPackWriter_Enter( writer, "surface" );
	supSurfaceBinding_Save( &flesh->surface, writer );
	supPackWriter_Leave( writer );
}

void* supLattice_LoadFlesh( supPackReader* reader, const supCharacter* character )
{
	supLatticeFlesh* flesh = supAllocZeroed( sizeof( supLatticeFlesh ) );
	if ( flesh == NULL )
	{
		reader->failed = true;
		supSetMemoryError( reader->error );
		return NULL;
	}
	Port port = { .reader = reader };
	Transfer( &port, flesh, supCharacter_NodeCount( character ) );
	if ( flesh->arena.failed )
	{
		reader->failed = true;
		supSetMemoryError( reader->error );
	}
	bool keepsMade = supPackReader_GetInt( reader, "made", 0, 1 ) != 0;
	supPackReader_Enter( reader, "surface" );
	bool ok =
		reader->failed == false && supSurfaceBinding_Load( &flesh->surface, reader, character, flesh->voxelCount, 8 );
	supPackReader_Leave( reader );
	if ( ok && keepsMade && supSurfaceBinding_KeepMade( &flesh->surface, character ) == false )
	{
		supSetMemoryError( reader->error );
		reader->failed = true;
		ok = false;
	}
	if ( ok == false )
	{
		supLattice_DestroyFlesh( flesh );
		return NULL;
	}
	return flesh;
}

int32_t supLattice_CountRegions( const void* own )
{
	const supLatticeFlesh* flesh = own;
	int32_t count = 0;
	for ( int32_t i = 0; i < flesh->classCount; ++i )
	{
		int32_t region = flesh->classes[i].region;
		count = region != SUP_LATTICE_NO_REGION && region >= count ? region + 1 : count;
	}
	return count;
}
