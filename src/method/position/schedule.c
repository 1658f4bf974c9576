// SPDX-License-Identifier: MIT
#include "method/position/schedule.h"

#include "core/sort.h"
#include "geometry/coloring.h"
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

typedef struct Packer
{
	supItems items;
	int32_t* points;  // of the domain's items
	int32_t* members; // the domain's items
	int32_t* colors;
	int32_t* loose; // items that filled no pack
	int32_t* stamps;
	int32_t stamp;
	int32_t* packs;
	int32_t packCount;
} Packer;

static void AddPack( Packer* packer, const int32_t* items, int32_t count )
{
	int32_t* pack = packer->packs + (size_t)packer->packCount * SUP_PACK;
	for ( int32_t i = 0; i < SUP_PACK; ++i )
	{
		pack[i] = items[i < count ? i : 0];
	}
	packer->packCount += 1;
}

static bool Claim( Packer* packer, int32_t item )
{
	const int32_t* points = PointsOf( &packer->items, item );
	for ( int32_t i = 0; i < packer->items.arity; ++i )
	{
		if ( packer->stamps[points[i]] == packer->stamp )
		{
			return false;
		}
	}
	for ( int32_t i = 0; i < packer->items.arity; ++i )
	{
		packer->stamps[points[i]] = packer->stamp;
	}
	return true;
}

static void PackLoose( Packer* packer, int32_t count )
{
	while ( count > 0 )
	{
		int32_t pack[SUP_PACK];
		int32_t filled = 0;
		int32_t kept = 0;
		packer->stamp += 1;
		for ( int32_t i = 0; i < count; ++i )
		{
			int32_t item = packer->loose[i];
			if ( filled < SUP_PACK && Claim( packer, item ) )
			{
				pack[filled++] = item;
			}
			else
			{
				packer->loose[kept++] = item;
			}
		}
		AddPack( packer, pack, filled );
		count = kept;
	}
}

static bool PackDomain( Packer* packer, int32_t count, int32_t pointCount )
{
	int32_t arity = packer->items.arity;
	for ( int32_t i = 0; i < count; ++i )
	{
		memcpy( packer->points + (size_t)i * (size_t)arity, PointsOf( &packer->items, packer->members[i] ),
				(size_t)arity * sizeof( int32_t ) );
	}
	int32_t colorCount = supColorItems( count, arity, packer->points, pointCount, packer->colors );
	if ( colorCount < 0 )
	{
		return false;
	}
	int32_t looseCount = 0;
	for ( int32_t color = 0; color < colorCount; ++color )
	{
		int32_t pack[SUP_PACK];
		int32_t filled = 0;
		for ( int32_t i = 0; i < count; ++i )
		{
			if ( packer->colors[i] == color )
			{
				pack[filled++] = packer->members[i];
				if ( filled == SUP_PACK )
				{
					AddPack( packer, pack, SUP_PACK );
					filled = 0;
				}
			}
		}
		for ( int32_t i = 0; i < filled; ++i )
		{
			packer->loose[looseCount++] = pack[i];
		}
	}
	PackLoose( packer, looseCount );
	return true;
}

static bool InitPacker( Packer* packer, supArena* arena, int32_t pointCount )
{
	size_t count = (size_t)packer->items.count;
	packer->points = supArena_AllocArray( arena, count * (size_t)packer->items.arity, sizeof( int32_t ) );
	packer->members = supArena_AllocArray( arena, count, sizeof( int32_t ) );
	packer->colors = supArena_AllocArray( arena, count, sizeof( int32_t ) );
	packer->loose = supArena_AllocArray( arena, count, sizeof( int32_t ) );
	packer->stamps = supArena_AllocArray( arena, (size_t)pointCount, sizeof( int32_t ) );
	// never more packs than items
	packer->packs = supArena_AllocArray( arena, count, SUP_PACK * sizeof( int32_t ) );
	if ( arena->failed )
	{
		return false;
	}
	memset( packer->stamps, 0, (size_t)pointCount * sizeof( int32_t ) );
	return true;
}

bool supSchedule_Init( supSchedule* schedule, supArena* arena, supItems items, int32_t pointCount,
					   const int32_t* domains, int32_t domainCount )
{
	supArena scratch = { 0 };
	Packer packer = { .items = items };
	schedule->starts = supArena_AllocArray( arena, (size_t)domainCount + 1, sizeof( int32_t ) );
	bool ok = schedule->starts != NULL && InitPacker( &packer, &scratch, pointCount );
	for ( int32_t domain = 0; ok && domain < domainCount; ++domain )
	{
		int32_t count = 0;
		for ( int32_t i = 0; i < items.count; ++i )
		{
			packer.members[count] = i;
			count += domains[i] == domain;
		}
		schedule->starts[domain] = packer.packCount;
		ok = PackDomain( &packer, count, pointCount );
	}
	if ( ok )
	{
		schedule->starts[domainCount] = packer.packCount;
		schedule->packCount = packer.packCount;
		schedule->items =
			supArena_CopyArray( arena, packer.packs, (size_t)packer.packCount, SUP_PACK * sizeof( int32_t ) );
		ok = schedule->items != NULL;
	}
	supArena_Destroy( &scratch );
	return ok;
}
