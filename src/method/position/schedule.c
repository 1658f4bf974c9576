// SPDX-License-Identifier: MIT
#include "method/position/schedule.h"

#include "core/sort.h"
#include "method/position/position_kernel.h"

// ---------------------------------------------------------------------------------------------------------------------
// Points

// Fewer points than this in a piece, and handing pieces to threads costs more than they take.
#define PIECE_POINTS 96

// Constraints that a domain of a further level should have.
#define DOMAIN_ITEMS 400

// A power of two.
static int32_t CountPieces( int32_t pointCount )
{
	int32_t pieces = 1;
	while ( pieces < SUP_MAX_DOMAINS && pointCount / ( 2 * pieces ) >= PIECE_POINTS )
	{
		pieces *= 2;
	}
	return pieces;
}

static float Coordinate( supVec3 p, int axis )
{
	return axis == 0 ? p.x : ( axis == 1 ? p.y : p.z );
}

static int LongestAxis( const supVec3* points, const int32_t* order, int32_t begin, int32_t end )
{
	supBox box = supBox_empty;
	for ( int32_t i = begin; i < end; ++i )
	{
		box = supBox_Include( box, points[order[i]] );
	}
	supVec3 size = supBox_Size( box );
	return size.x >= size.y && size.x >= size.z ? 0 : ( size.y >= size.z ? 1 : 2 );
}

// A total order, so that the result does not depend on how it is found.
static bool IsBefore( const supVec3* points, int axis, int32_t a, int32_t b )
{
	float x = Coordinate( points[a], axis );
	float y = Coordinate( points[b], axis );
	return x != y ? x < y : a < b;
}

// All the same where there is nothing to tell them apart.
static int64_t CostOf( const int32_t* costs, int32_t point )
{
	return costs != NULL ? costs[point] : 1;
}

static int64_t SumCosts( const int32_t* costs, const int32_t* order, int32_t begin, int32_t end )
{
	int64_t sum = 0;
	for ( int32_t i = begin; i < end; ++i )
	{
		sum += CostOf( costs, order[i] );
	}
	return sum;
}

// Puts the cheaper half of at least three points first, and returns where the other begins (quickselect, Hoare's
// partition).
static int32_t CutInHalves( const supVec3* points, const int32_t* costs, int axis, int32_t* order, int32_t begin,
							int32_t end )
{
	int32_t first = begin;
	int32_t last = end - 1;
	int64_t left = SumCosts( costs, order, begin, end ) / 2;
	while ( first < last )
	{
		int32_t pivot = order[first + ( last - first ) / 2];
		int32_t i = first;
		int32_t k = last;
		while ( i <= k )
		{
			while ( IsBefore( points, axis, order[i], pivot ) )
			{
				++i;
			}
			while ( IsBefore( points, axis, pivot, order[k] ) )
			{
				--k;
			}
			if ( i <= k )
			{
				int32_t t = order[i];
				order[i++] = order[k];
				order[k--] = t;
			}
		}
		int64_t before = SumCosts( costs, order, first, k + 1 );
		int64_t upTo = before + SumCosts( costs, order, k + 1, i );
		if ( left < before )
		{
			last = k;
		}
		else if ( left >= upTo )
		{
			first = i;
			left -= upTo;
		}
		else
		{
			first = last = k + 1;
		}
	}
	return first > begin ? first : begin + 1;
}

// Halves are found as sets, in the order that swapping has left: the smallest are put into one of their own.
static void SortPair( int32_t* order, int32_t begin, int32_t end )
{
	if ( end - begin == 2 && order[begin] > order[begin + 1] )
	{
		int32_t t = order[begin];
		order[begin] = order[begin + 1];
		order[begin + 1] = t;
	}
}

void supOrderPoints( const supVec3* points, const int32_t* costs, int32_t count, int32_t* order,
					 supPieceStarts* pieces )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		order[i] = i;
	}
	*pieces = ( supPieceStarts ){ .count = CountPieces( count ) };
	pieces->starts[pieces->count] = count;
	// halves that are still to be cut, the first piece of each and how many it has; depth first needs one for each
	// doubling
	struct
	{
		int32_t begin, end, piece, pieceCount;
	} stack[64];
	int32_t depth = 0;
	stack[depth].begin = 0;
	stack[depth].end = count;
	stack[depth].piece = 0;
	stack[depth++].pieceCount = pieces->count;
	while ( depth > 0 )
	{
		int32_t begin = stack[--depth].begin;
		int32_t end = stack[depth].end;
		int32_t piece = stack[depth].piece;
		int32_t half = stack[depth].pieceCount / 2;
		if ( end - begin < 3 )
		{
			SortPair( order, begin, end );
			continue;
		}
		int axis = LongestAxis( points, order, begin, end );
		int32_t middle = CutInHalves( points, half > 0 ? costs : NULL, axis, order, begin, end );
		if ( half > 0 )
		{
			pieces->starts[piece + half] = middle;
		}
		stack[depth].begin = middle;
		stack[depth].end = end;
		stack[depth].piece = piece + half;
		stack[depth++].pieceCount = half;
		stack[depth].begin = begin;
		stack[depth].end = middle;
		stack[depth].piece = piece;
		stack[depth++].pieceCount = half;
	}
}

// How many of the last cuts have to be taken back until all pieces of a label are one.
static int32_t SeamLevel( uint32_t label )
{
	int32_t first = __builtin_ctz( label );
	int32_t last = 31 - __builtin_clz( label );
	int32_t level = 0;
	while ( first >> level != last >> level )
	{
		level += 1;
	}
	return level;
}

bool supGatherSeams( supItems items, const supPieceStarts* starts, int32_t count, int32_t* order )
{
	supArena arena = { 0 };
	uint8_t* pieces = supArena_AllocArray( &arena, (size_t)count, 1 );
	uint8_t* labels = supArena_AllocArray( &arena, (size_t)count, 1 );
	uint64_t* keys = supArena_AllocArray( &arena, (size_t)count, sizeof( uint64_t ) );
	uint64_t* scratch = supArena_AllocArray( &arena, (size_t)count, sizeof( uint64_t ) );
	int32_t* before = supArena_AllocArray( &arena, (size_t)count, sizeof( int32_t ) );
	if ( arena.failed )
	{
		supArena_Destroy( &arena );
		return false;
	}
	for ( int32_t piece = 0, i = 0; piece < starts->count; ++piece )
	{
		for ( ; i < starts->starts[piece + 1]; ++i )
		{
			pieces[order[i]] = labels[order[i]] = (uint8_t)( 1u << piece );
		}
	}
	for ( int32_t i = 0; i < items.count; ++i )
	{
		const int32_t* points = items.points + (size_t)i * (size_t)items.arity;
		uint8_t label = 0;
		for ( int32_t k = 0; k < items.arity; ++k )
		{
			label |= pieces[points[k]];
		}
		for ( int32_t k = 0; k < items.arity; ++k )
		{
			labels[points[k]] |= label;
		}
	}
	// inner points keep their order and come first
	for ( int32_t i = 0; i < count; ++i )
	{
		uint64_t piece = pieces[order[i]];
		uint64_t level = (uint64_t)SeamLevel( labels[order[i]] );
		uint64_t seam = labels[order[i]] ^ piece;
		keys[i] = piece << 48 | level << 40 | seam << 32 | (uint64_t)i;
	}
	supSortKeys( keys, scratch, (size_t)count, 56 );
	memcpy( before, order, (size_t)count * sizeof( int32_t ) );
	for ( int32_t i = 0; i < count; ++i )
	{
		order[i] = before[keys[i] & 0x7FFFFFFF];
	}
	supArena_Destroy( &arena );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Levels and domains
//
// The label of a constraint is the set of pieces that it touches, as bits. Of the constraints across the first cut a
// point votes for the label that most of its own have; those all of whose points agree stay together.

#define LABELS ( 1u << SUP_MAX_DOMAINS )

typedef struct Sorter
{
	const supItems* kinds;
	int32_t kindCount;
	int32_t pointCount;
	int32_t* const* domains;
	uint16_t* pieces; // of each point, one bit
	uint16_t* bins;   // of each point at the level at hand
	uint64_t* votes;
	uint64_t* scratch;
	int32_t* labelCounts; // of all labels
	uint16_t* labelBins;
} Sorter;

static const int32_t* PointsOf( const supItems* items, int32_t item )
{
	return items->points + (size_t)item * (size_t)items->arity;
}

static uint32_t LabelOf( const Sorter* sorter, int32_t kind, int32_t item )
{
	const int32_t* points = PointsOf( sorter->kinds + kind, item );
	uint32_t label = 0;
	for ( int32_t i = 0; i < sorter->kinds[kind].arity; ++i )
	{
		label |= sorter->pieces[points[i]];
	}
	return label;
}

// Those inside of one piece, and those across all cuts but the first. Returns how many are left.
static int32_t TakeInside( Sorter* sorter, const supPieceStarts* pieces, supLevels* levels )
{
	for ( int32_t piece = 0; piece < pieces->count; ++piece )
	{
		for ( int32_t i = pieces->starts[piece]; i < pieces->starts[piece + 1]; ++i )
		{
			sorter->pieces[i] = (uint16_t)( 1u << piece );
		}
	}
	*levels = ( supLevels ){ .count = 1, .starts = { 0, pieces->count } };
	for ( int32_t seams = pieces->count / 2; seams > 1; seams /= 2 )
	{
		levels->starts[levels->count + 1] = levels->starts[levels->count] + seams;
		levels->count += 1;
	}
	int32_t left = 0;
	for ( int32_t kind = 0; kind < sorter->kindCount; ++kind )
	{
		for ( int32_t i = 0; i < sorter->kinds[kind].count; ++i )
		{
			uint32_t label = LabelOf( sorter, kind, i );
			int32_t level = SeamLevel( label );
			bool inside = level < levels->count;
			sorter->domains[kind][i] = inside ? levels->starts[level] + ( __builtin_ctz( label ) >> level ) : -1;
			left += inside == false;
		}
	}
	return left;
}

// Lets each point vote; a point takes the label with most votes, the smaller label where two have the same.
static void Vote( Sorter* sorter )
{
	size_t voteCount = 0;
	for ( int32_t kind = 0; kind < sorter->kindCount; ++kind )
	{
		for ( int32_t i = 0; i < sorter->kinds[kind].count; ++i )
		{
			uint32_t label = LabelOf( sorter, kind, i );
			for ( int32_t k = 0; sorter->domains[kind][i] < 0 && k < sorter->kinds[kind].arity; ++k )
			{
				uint64_t point = (uint64_t)PointsOf( sorter->kinds + kind, i )[k];
				sorter->votes[voteCount++] = point << 16 | label;
			}
		}
	}
	supSortKeys( sorter->votes, sorter->scratch, voteCount, 48 );
	int32_t best = 0;
	for ( size_t i = 0; i < voteCount; )
	{
		size_t end = i;
		while ( end < voteCount && sorter->votes[end] == sorter->votes[i] )
		{
			++end;
		}
		uint64_t point = sorter->votes[i] >> 16;
		bool first = i == 0 || sorter->votes[i - 1] >> 16 != point;
		if ( first || (int32_t)( end - i ) > best )
		{
			best = (int32_t)( end - i );
			sorter->bins[point] = (uint16_t)sorter->votes[i];
		}
		i = end;
	}
}

// Sixteen times the mean of the pieces that a label names.
static uint64_t MiddleOf( uint32_t label )
{
	uint32_t sum = 0;
	for ( uint32_t rest = label; rest != 0; rest &= rest - 1 )
	{
		sum += (uint32_t)__builtin_ctz( rest );
	}
	return 16u * sum / (uint32_t)__builtin_popcount( label );
}

// Spreads labels over domains, each with about the same number of constraints. Labels go in the order of the pieces
// that they lie between: a thread that takes the first domains of every level finds most of the particles where it has
// left them, in its own cache.
static void FillBins( Sorter* sorter, int32_t binCount )
{
	memset( sorter->labelCounts, 0, LABELS * sizeof( int32_t ) );
	int64_t total = 0;
	for ( int32_t kind = 0; kind < sorter->kindCount; ++kind )
	{
		for ( int32_t i = 0; i < sorter->kinds[kind].count; ++i )
		{
			bool isLeft = sorter->domains[kind][i] < 0;
			sorter->labelCounts[LabelOf( sorter, kind, i )] += isLeft;
			total += isLeft;
		}
	}
	size_t labelCount = 0;
	for ( uint32_t label = 0; label < LABELS; ++label )
	{
		if ( sorter->labelCounts[label] > 0 )
		{
			sorter->votes[labelCount++] = MiddleOf( label ) << 16 | label;
		}
	}
	supSortKeys( sorter->votes, sorter->scratch, labelCount, 48 );
	int64_t before = 0;
	for ( size_t i = 0; i < labelCount; ++i )
	{
		uint16_t label = (uint16_t)sorter->votes[i];
		int64_t middle = 2 * before + sorter->labelCounts[label];
		sorter->labelBins[label] = (uint16_t)( middle * binCount / ( 2 * total ) );
		before += sorter->labelCounts[label];
	}
}

// Returns how many are left.
static int32_t TakeNextLevel( Sorter* sorter, int32_t binCount, int32_t firstDomain )
{
	Vote( sorter );
	FillBins( sorter, binCount );
	int32_t left = 0;
	for ( int32_t kind = 0; kind < sorter->kindCount; ++kind )
	{
		for ( int32_t i = 0; i < sorter->kinds[kind].count; ++i )
		{
			if ( sorter->domains[kind][i] >= 0 )
			{
				continue;
			}
			const int32_t* points = PointsOf( sorter->kinds + kind, i );
			uint16_t bin = sorter->labelBins[sorter->bins[points[0]]];
			bool inside = true;
			for ( int32_t k = 1; k < sorter->kinds[kind].arity; ++k )
			{
				inside = inside && sorter->labelBins[sorter->bins[points[k]]] == bin;
			}
			sorter->domains[kind][i] = inside ? firstDomain + bin : -1;
			left += inside == false;
		}
	}
	return left;
}

static void TakeRest( Sorter* sorter, int32_t domain )
{
	for ( int32_t kind = 0; kind < sorter->kindCount; ++kind )
	{
		for ( int32_t i = 0; i < sorter->kinds[kind].count; ++i )
		{
			sorter->domains[kind][i] = sorter->domains[kind][i] < 0 ? domain : sorter->domains[kind][i];
		}
	}
}

static bool InitSorter( Sorter* sorter, supArena* arena )
{
	size_t corners = LABELS;
	for ( int32_t i = 0; i < sorter->kindCount; ++i )
	{
		corners += (size_t)sorter->kinds[i].count * (size_t)sorter->kinds[i].arity;
	}
	sorter->pieces = supArena_AllocArray( arena, (size_t)sorter->pointCount, sizeof( uint16_t ) );
	sorter->bins = supArena_AllocArray( arena, (size_t)sorter->pointCount, sizeof( uint16_t ) );
	sorter->votes = supArena_AllocArray( arena, corners, sizeof( uint64_t ) );
	sorter->scratch = supArena_AllocArray( arena, corners, sizeof( uint64_t ) );
	sorter->labelCounts = supArena_AllocArray( arena, LABELS, sizeof( int32_t ) );
	sorter->labelBins = supArena_AllocArray( arena, LABELS, sizeof( uint16_t ) );
	return arena->failed == false;
}

bool supSortIntoDomains( const supItems* kinds, int32_t kindCount, int32_t pointCount, const supPieceStarts* pieces,
						 int32_t* const* domains, supLevels* levels )
{
	supArena arena = { 0 };
	Sorter sorter = { .kinds = kinds, .kindCount = kindCount, .pointCount = pointCount, .domains = domains };
	if ( InitSorter( &sorter, &arena ) == false )
	{
		supArena_Destroy( &arena );
		return false;
	}
	int32_t total = 0;
	for ( int32_t i = 0; i < kindCount; ++i )
	{
		total += kinds[i].count;
	}
	int32_t left = TakeInside( &sorter, pieces, levels );
	// a hundredth on one thread costs less than another level
	while ( left > total / 100 && levels->count < SUP_MAX_LEVELS - 1 )
	{
		int32_t before = left;
		// a domain with few constraints does not fill its packs
		int32_t binCount = 2;
		while ( 2 * binCount <= pieces->count && left / ( 2 * binCount ) >= DOMAIN_ITEMS )
		{
			binCount *= 2;
		}
		left = TakeNextLevel( &sorter, binCount, levels->starts[levels->count] );
		levels->starts[levels->count + 1] = levels->starts[levels->count] + binCount;
		levels->count += 1;
		if ( left == before )
		{
			break;
		}
	}
	if ( left > 0 )
	{
		TakeRest( &sorter, levels->starts[levels->count] );
		levels->starts[levels->count + 1] = levels->starts[levels->count] + 1;
		levels->count += 1;
	}
	supArena_Destroy( &arena );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Packs
//
// Constraints are put into waves: those of one wave share no point, and a constraint goes into a later wave than all
// constraints of its points that come before it. A device solves a wave at once and waits after each, so few waves are
// wanted: points with many constraints left, further levels included, go first. Lanes want full packs: what does not
// fill one waits for a later wave.

// Waves that a domain waits for a full pack.
#define MAX_WAIT_WAVES 2

typedef struct Packer
{
	supItems items;
	const int32_t* domains;
	int32_t domainCount;
	int32_t* ranks;     // of each domain: the place of its level in the order of levels
	int32_t* waves;     // of each item; -1: none yet
	int32_t* lefts;     // of each point and rank: items without a wave
	int32_t* loads;     // of each point: the same, of all ranks
	int32_t* current;   // of each point: the first rank that has such items
	int32_t* stamps;    // of each point: the last wave that has moved it
	int32_t* taken;     // of each domain: items taken in this wave
	int32_t* waits;     // of each domain: waves since its last pack
	int32_t* unplanned; // of each domain
	uint64_t* keys;
	uint64_t* scratch;
} Packer;

static void RankDomains( Packer* packer, const supLevels* levels, bool lastFirst )
{
	for ( int32_t level = 0; level < levels->count; ++level )
	{
		for ( int32_t i = levels->starts[level]; i < levels->starts[level + 1]; ++i )
		{
			packer->ranks[i] = lastFirst ? levels->count - 1 - level : level;
		}
	}
}

static int32_t RankOf( const Packer* packer, int32_t item )
{
	return packer->ranks[packer->domains[item]];
}

static void AdvancePoint( Packer* packer, int32_t point )
{
	const int32_t* lefts = packer->lefts + (size_t)point * SUP_MAX_LEVELS;
	while ( packer->current[point] < SUP_MAX_LEVELS - 1 && lefts[packer->current[point]] == 0 )
	{
		packer->current[point] += 1;
	}
}

static void CountItems( Packer* packer, int32_t pointCount )
{
	memset( packer->lefts, 0, (size_t)pointCount * SUP_MAX_LEVELS * sizeof( int32_t ) );
	memset( packer->loads, 0, (size_t)pointCount * sizeof( int32_t ) );
	memset( packer->current, 0, (size_t)pointCount * sizeof( int32_t ) );
	memset( packer->waits, 0, (size_t)packer->domainCount * sizeof( int32_t ) );
	memset( packer->unplanned, 0, (size_t)packer->domainCount * sizeof( int32_t ) );
	for ( int32_t i = 0; i < packer->items.count; ++i )
	{
		const int32_t* points = PointsOf( &packer->items, i );
		for ( int32_t k = 0; k < packer->items.arity; ++k )
		{
			packer->lefts[points[k] * SUP_MAX_LEVELS + RankOf( packer, i )] += 1;
			packer->loads[points[k]] += 1;
		}
		packer->unplanned[packer->domains[i]] += 1;
		packer->waves[i] = -1;
	}
	for ( int32_t i = 0; i < pointCount; ++i )
	{
		packer->stamps[i] = -1;
		AdvancePoint( packer, i );
	}
}

// Items none of whose points has one of an earlier level left, most urgent first; returns how many.
static size_t ListReady( Packer* packer )
{
	size_t count = 0;
	for ( int32_t i = 0; i < packer->items.count; ++i )
	{
		const int32_t* points = PointsOf( &packer->items, i );
		bool isReady = packer->waves[i] < 0;
		int32_t urgency = 0;
		for ( int32_t k = 0; isReady && k < packer->items.arity; ++k )
		{
			isReady = packer->current[points[k]] == RankOf( packer, i );
			urgency += packer->loads[points[k]];
		}
		if ( isReady )
		{
			packer->keys[count++] = (uint64_t)( 0xFFFF - ( urgency < 0xFFFF ? urgency : 0xFFFF ) ) << 32 | (uint64_t)i;
		}
	}
	supSortKeys( packer->keys, packer->scratch, count, 48 );
	return count;
}

static bool Claim( Packer* packer, int32_t item, int32_t wave )
{
	const int32_t* points = PointsOf( &packer->items, item );
	for ( int32_t i = 0; i < packer->items.arity; ++i )
	{
		if ( packer->stamps[points[i]] == wave )
		{
			return false;
		}
	}
	for ( int32_t i = 0; i < packer->items.arity; ++i )
	{
		packer->stamps[points[i]] = wave;
	}
	return true;
}

// How many of those that a domain has taken it keeps in this wave.
static int32_t KeptOf( Packer* packer, int32_t domain )
{
	int32_t taken = packer->taken[domain];
	int32_t full = taken / SUP_PACK * SUP_PACK;
	bool isLast = taken == packer->unplanned[domain] || packer->waits[domain] >= MAX_WAIT_WAVES;
	int32_t kept = full > 0 && taken < packer->unplanned[domain] ? full : ( isLast ? taken : 0 );
	packer->waits[domain] = kept > 0 ? 0 : packer->waits[domain] + ( taken > 0 );
	return kept;
}

// Returns how many items it has put into this wave.
static int32_t FillWave( Packer* packer, int32_t wave )
{
	size_t ready = ListReady( packer );
	size_t takenCount = 0;
	memset( packer->taken, 0, (size_t)packer->domainCount * sizeof( int32_t ) );
	for ( size_t i = 0; i < ready; ++i )
	{
		int32_t item = (int32_t)( packer->keys[i] & 0x7FFFFFFF );
		if ( Claim( packer, item, wave ) )
		{
			packer->keys[takenCount++] = (uint64_t)item;
			packer->taken[packer->domains[item]] += 1;
		}
	}
	for ( int32_t i = 0; i < packer->domainCount; ++i )
	{
		packer->taken[i] = KeptOf( packer, i );
	}
	int32_t planned = 0;
	for ( size_t i = 0; i < takenCount; ++i )
	{
		int32_t item = (int32_t)packer->keys[i];
		int32_t domain = packer->domains[item];
		if ( packer->taken[domain] == 0 )
		{
			continue;
		}
		const int32_t* points = PointsOf( &packer->items, item );
		packer->taken[domain] -= 1;
		packer->unplanned[domain] -= 1;
		packer->waves[item] = wave;
		for ( int32_t k = 0; k < packer->items.arity; ++k )
		{
			packer->lefts[points[k] * SUP_MAX_LEVELS + RankOf( packer, item )] -= 1;
			packer->loads[points[k]] -= 1;
			AdvancePoint( packer, points[k] );
		}
		planned += 1;
	}
	return planned;
}

static bool InitPacker( Packer* packer, supArena* arena, int32_t pointCount )
{
	size_t count = (size_t)packer->items.count, points = (size_t)pointCount, domains = (size_t)packer->domainCount;
	packer->ranks = supArena_AllocArray( arena, domains, sizeof( int32_t ) );
	packer->waves = supArena_AllocArray( arena, count, sizeof( int32_t ) );
	packer->lefts = supArena_AllocArray( arena, points, SUP_MAX_LEVELS * sizeof( int32_t ) );
	packer->loads = supArena_AllocArray( arena, points, sizeof( int32_t ) );
	packer->current = supArena_AllocArray( arena, points, sizeof( int32_t ) );
	packer->stamps = supArena_AllocArray( arena, points, sizeof( int32_t ) );
	packer->taken = supArena_AllocArray( arena, domains, sizeof( int32_t ) );
	packer->waits = supArena_AllocArray( arena, domains, sizeof( int32_t ) );
	packer->unplanned = supArena_AllocArray( arena, domains, sizeof( int32_t ) );
	packer->keys = supArena_AllocArray( arena, count, sizeof( uint64_t ) );
	packer->scratch = supArena_AllocArray( arena, count, sizeof( uint64_t ) );
	return arena->failed == false;
}

// By domain, then by wave, then in their own order, which is that of the particles in memory.
static void SortByWave( Packer* packer )
{
	for ( int32_t i = 0; i < packer->items.count; ++i )
	{
		uint64_t domain = (uint64_t)packer->domains[i], wave = (uint64_t)packer->waves[i];
		packer->keys[i] = domain << 56 | wave << 31 | (uint64_t)i;
	}
	supSortKeys( packer->keys, packer->scratch, (size_t)packer->items.count, 64 );
}

// A new pack begins where the last is full, and with each wave and domain. Only counts where `packs` is NULL.
static int32_t CutPacks( const Packer* packer, int32_t* packs, int32_t* starts )
{
	int32_t packCount = 0, filled = 0, domain = -1;
	for ( int32_t i = 0; i < packer->items.count; ++i )
	{
		uint64_t key = packer->keys[i];
		bool isNew = i == 0 || filled == SUP_PACK || key >> 31 != packer->keys[i - 1] >> 31;
		packCount += isNew;
		filled = isNew ? 1 : filled + 1;
		for ( ; domain < (int32_t)( key >> 56 ); ++domain )
		{
			starts[domain + 1] = packCount - 1;
		}
		for ( int32_t k = filled - 1; packs != NULL && k < ( isNew ? SUP_PACK : filled ); ++k )
		{
			packs[SUP_PACK * ( packCount - 1 ) + k] = (int32_t)( key & 0x7FFFFFFF );
		}
	}
	for ( ; domain < packer->domainCount; ++domain )
	{
		starts[domain + 1] = packCount;
	}
	return packCount;
}

bool supSchedule_Init( supSchedule* schedule, supArena* arena, supItems items, int32_t pointCount,
					   const int32_t* domains, const supLevels* levels, bool lastLevelFirst )
{
	supArena scratch = { 0 };
	int32_t domainCount = levels->starts[levels->count];
	Packer packer = { .items = items, .domains = domains, .domainCount = domainCount };
	schedule->starts = supArena_AllocArray( arena, (size_t)domainCount + 1, sizeof( int32_t ) );
	bool ok = schedule->starts != NULL && InitPacker( &packer, &scratch, pointCount );
	if ( ok )
	{
		RankDomains( &packer, levels, lastLevelFirst );
		CountItems( &packer, pointCount );
		for ( int32_t left = items.count, wave = 0; left > 0; ++wave )
		{
			left -= FillWave( &packer, wave );
		}
		SortByWave( &packer );
		schedule->packCount = CutPacks( &packer, NULL, schedule->starts );
		schedule->items = supArena_AllocArray( arena, (size_t)schedule->packCount, SUP_PACK * sizeof( int32_t ) );
		ok = schedule->items != NULL;
	}
	if ( ok )
	{
		CutPacks( &packer, schedule->items, schedule->starts );
	}
	supArena_Destroy( &scratch );
	return ok;
}
