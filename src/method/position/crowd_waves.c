// SPDX-License-Identifier: MIT
#include "method/position/crowd_waves.h"

// Work-items of a small group: waves have a multiple of this many constraints where they can.
#define WAVE_ITEMS 128

// Local memory has so many banks; work-items of a row that read different places of the same bank wait for each other.
#define BANKS 32

// How many constraints are looked at for the next place of a row.
#define CANDIDATES 96

typedef struct Planner
{
	supCrowdWaves* waves;
	const supPositionFlesh* flesh;
	int32_t* marks; // of each particle
	int32_t* loads; // of each wave
} Planner;

// ---------------------------------------------------------------------------------------------------------------------
// The order of the CPU

static void AddItem( supCrowdWaves* waves, int32_t lane, const uint32_t* offsets, int32_t stride )
{
	supCrowdItem* item = waves->items + waves->itemCount++;
	*item = ( supCrowdItem ){ .lane = lane };
	for ( int32_t k = 0; k < waves->arity; ++k )
	{
		// places in bytes
		item->points[k] = (int32_t)( offsets[k * stride] / 16 );
	}
}

// A pack that is not full repeats its first.
static bool IsRepeated( const uint32_t* offsets, int32_t lane )
{
	return lane > 0 && offsets[lane] == offsets[0];
}

// - offsets: of the first particle; further ones `stride` apart
static void AddPack( supCrowdWaves* waves, int32_t pack, const uint32_t* offsets, int32_t stride )
{
	for ( int32_t k = 0; k < SUP_PACK && IsRepeated( offsets, k ) == false; ++k )
	{
		AddItem( waves, SUP_PACK * pack + k, offsets + k, stride );
	}
}

// In the order of one iteration, as in solve.c: levels down to the first for lengths and up again for volumes.
static void ListItems( supCrowdWaves* waves, const supPositionFlesh* flesh, supCrowdKind kind )
{
	const supLevels* levels = &flesh->levels;
	const int32_t* starts = flesh->stretch.starts;
	for ( int32_t level = levels->count - 1; kind == sup_crowdStretchKind && level >= 0; --level )
	{
		for ( int32_t i = starts[levels->starts[level]]; i < starts[levels->starts[level + 1]]; ++i )
		{
			// the second particles lie behind the first
			AddPack( waves, i, (const uint32_t*)(const void*)( flesh->stretchPacks + i ), SUP_PACK );
		}
	}
	for ( int32_t i = 0; kind == sup_crowdBindKind && i < flesh->bind.packCount; ++i )
	{
		AddPack( waves, i, flesh->bindPacks[i].particle, SUP_PACK );
	}
	for ( int32_t i = 0; kind == sup_crowdVolumeKind && i < flesh->volume.packCount; ++i )
	{
		AddPack( waves, i, flesh->volumePacks[i].corners[0], SUP_PACK );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Waves

static void SetMarks( Planner* planner, int32_t value )
{
	for ( int32_t i = 0; i < planner->flesh->particleCount; ++i )
	{
		planner->marks[i] = value;
	}
}

static void Mark( Planner* planner, const supCrowdItem* item, int32_t value )
{
	for ( int32_t k = 0; k < planner->waves->arity; ++k )
	{
		planner->marks[item->points[k]] = value;
	}
}

// The first wave after all that have moved a particle of the item.
static int32_t FindEarliest( const Planner* planner, const supCrowdItem* item )
{
	int32_t wave = 0;
	for ( int32_t k = 0; k < planner->waves->arity; ++k )
	{
		int32_t mark = planner->marks[item->points[k]];
		wave = mark > wave ? mark : wave;
	}
	return wave;
}

static void FindLatest( Planner* planner )
{
	supCrowdWaves* waves = planner->waves;
	SetMarks( planner, 0 );
	for ( int32_t i = 0; i < waves->itemCount; ++i )
	{
		int32_t wave = FindEarliest( planner, waves->items + i );
		Mark( planner, waves->items + i, wave + 1 );
		waves->waveCount = wave + 1 > waves->waveCount ? wave + 1 : waves->waveCount;
	}
	SetMarks( planner, waves->waveCount );
	for ( int32_t i = waves->itemCount - 1; i >= 0; --i )
	{
		supCrowdItem* item = waves->items + i;
		int32_t latest = waves->waveCount;
		for ( int32_t k = 0; k < waves->arity; ++k )
		{
			int32_t mark = planner->marks[item->points[k]];
			latest = mark < latest ? mark : latest;
		}
		item->latest = latest - 1;
		Mark( planner, item, item->latest );
	}
}

// Each item into the first wave that has room, between the earliest and the latest that it may be in; where none has,
// into the one with the fewest.
static void AssignWaves( Planner* planner )
{
	supCrowdWaves* waves = planner->waves;
	int32_t mean = waves->waveCount > 0 ? ( waves->itemCount + waves->waveCount - 1 ) / waves->waveCount : 0;
	int32_t room = ( mean + WAVE_ITEMS - 1 ) / WAVE_ITEMS * WAVE_ITEMS;
	SetMarks( planner, 0 );
	for ( int32_t i = 0; i < waves->itemCount; ++i )
	{
		supCrowdItem* item = waves->items + i;
		int32_t best = FindEarliest( planner, item );
		for ( int32_t wave = best; wave <= item->latest && planner->loads[best] >= room; ++wave )
		{
			best = planner->loads[wave] < planner->loads[best] ? wave : best;
		}
		item->wave = best;
		planner->loads[best] += 1;
		Mark( planner, item, best + 1 );
	}
}

// By wave, otherwise as they were.
static bool SortByWave( supCrowdWaves* waves, supArena* scratch )
{
	supCrowdItem* sorted = supArena_AllocArray( scratch, (size_t)waves->itemCount, sizeof( supCrowdItem ) );
	if ( sorted == NULL )
	{
		return false;
	}
	memset( waves->starts, 0, ( (size_t)waves->waveCount + 1 ) * sizeof( int32_t ) );
	for ( int32_t i = 0; i < waves->itemCount; ++i )
	{
		waves->starts[waves->items[i].wave + 1] += 1;
	}
	for ( int32_t i = 0; i < waves->waveCount; ++i )
	{
		waves->starts[i + 1] += waves->starts[i];
	}
	for ( int32_t i = 0; i < waves->itemCount; ++i )
	{
		sorted[waves->starts[waves->items[i].wave]++] = waves->items[i];
	}
	for ( int32_t i = waves->waveCount; i > 0; --i )
	{
		waves->starts[i] = waves->starts[i - 1];
	}
	waves->starts[0] = 0;
	memcpy( waves->items, sorted, (size_t)waves->itemCount * sizeof( supCrowdItem ) );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Banks

// How many of a row read the same banks already.
static int32_t ConflictsOf( const supCrowdItem* item, int32_t arity, int32_t counts[4][BANKS] )
{
	int32_t sum = 0;
	for ( int32_t k = 0; k < arity; ++k )
	{
		int32_t count = counts[k][item->points[k] % BANKS];
		sum += count * count;
	}
	return sum;
}

// Constraints of a wave may go in any order: rows of BANKS that read few banks twice.
static void SpreadOverBanks( supCrowdItem* items, int32_t count, int32_t arity )
{
	int32_t counts[4][BANKS];
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( i % BANKS == 0 )
		{
			memset( counts, 0, sizeof( counts ) );
		}
		int32_t best = i, least = INT32_MAX;
		for ( int32_t k = i; k < count && k < i + CANDIDATES && least > 0; ++k )
		{
			int32_t conflicts = ConflictsOf( items + k, arity, counts );
			best = conflicts < least ? k : best;
			least = conflicts < least ? conflicts : least;
		}
		supCrowdItem item = items[best];
		items[best] = items[i];
		items[i] = item;
		for ( int32_t k = 0; k < arity; ++k )
		{
			counts[k][item.points[k] % BANKS] += 1;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------

bool supCrowdWaves_Init( supCrowdWaves* waves, supArena* arena, const supPositionFlesh* flesh, supCrowdKind kind )
{
	static const int32_t arities[sup_crowdKindCount] = { 2, 1, 4 };
	const supSchedule* schedules[sup_crowdKindCount] = { &flesh->stretch, &flesh->bind, &flesh->volume };
	size_t most = SUP_PACK * (size_t)schedules[kind]->packCount;
	supArena scratch = { 0 };
	Planner planner = { .waves = waves, .flesh = flesh };
	*waves = ( supCrowdWaves ){ .arity = arities[kind] };
	waves->items = supArena_AllocArray( arena, most, sizeof( supCrowdItem ) );
	planner.marks = supArena_AllocArray( &scratch, (size_t)flesh->particleCount, sizeof( int32_t ) );
	bool ok = waves->items != NULL && scratch.failed == false;
	if ( ok )
	{
		ListItems( waves, flesh, kind );
		FindLatest( &planner );
		waves->starts = supArena_AllocArray( arena, (size_t)waves->waveCount + 1, sizeof( int32_t ) );
		planner.loads = supArena_AllocArray( &scratch, (size_t)waves->waveCount + 1, sizeof( int32_t ) );
		ok = waves->starts != NULL && planner.loads != NULL;
	}
	if ( ok )
	{
		memset( planner.loads, 0, ( (size_t)waves->waveCount + 1 ) * sizeof( int32_t ) );
		AssignWaves( &planner );
		ok = SortByWave( waves, &scratch );
	}
	// binds read their anchors in order instead
	for ( int32_t i = 0; ok && kind != sup_crowdBindKind && i < waves->waveCount; ++i )
	{
		SpreadOverBanks( waves->items + waves->starts[i], waves->starts[i + 1] - waves->starts[i], waves->arity );
	}
	supArena_Destroy( &scratch );
	return ok;
}
