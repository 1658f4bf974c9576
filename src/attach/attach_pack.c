// SPDX-License-Identifier: MIT
// From the active constraints to packs: joints merged, masses turned into factors. Runs when something is switched on
// or off, in linear time.
#include "attach/attach_set.h"

// ---------------------------------------------------------------------------------------------------------------------
// Room

static bool Grow( void** memory, size_t count, size_t itemSize )
{
	void* grown = supAllocArray( count, itemSize );
	if ( grown == NULL )
	{
		return false;
	}
	supFree( *memory );
	*memory = grown;
	return true;
}

bool supAttach_Reserve( supAttach* attach )
{
	int32_t needed = attach->points.count;
	if ( attach->groupStarts != NULL && needed <= attach->packCapacity )
	{
		return true;
	}
	size_t capacity = 16 + 2 * (size_t)needed;
	bool ok = Grow( (void**)&attach->nails, capacity, sizeof( int32_t ) ) &&
			  Grow( (void**)&attach->nailGoals, capacity, 4 * sizeof( float ) ) &&
			  Grow( (void**)&attach->velocityPoints, capacity, sizeof( int32_t ) ) &&
			  Grow( (void**)&attach->velocityGoals, capacity, 4 * sizeof( float ) ) &&
			  Grow( (void**)&attach->groupStarts, capacity + 1, sizeof( int32_t ) ) &&
			  Grow( (void**)&attach->groupPoints, capacity, sizeof( int32_t ) ) &&
			  Grow( (void**)&attach->groupShares, capacity, sizeof( float ) ) &&
			  Grow( (void**)&attach->groupSizes, capacity, 2 * sizeof( int32_t ) ) &&
			  Grow( (void**)&attach->slow, capacity, sizeof( int32_t ) );
	for ( int32_t n = 2; ok && n <= 4; ++n )
	{
		ok = Grow( (void**)&attach->corners[n], capacity, sizeof( int32_t ) ) &&
			 Grow( (void**)&attach->cornerWeights[n], capacity, sizeof( float ) ) &&
			 Grow( (void**)&attach->cornerMoves[n], capacity, sizeof( float ) );
	}
	// what was in the packs is gone either way
	attach->nailCount = attach->velocityCount = attach->pairCount = attach->groupCount = attach->slowCount = 0;
	memset( attach->cornerCounts, 0, sizeof( attach->cornerCounts ) );
	attach->packsDirty = true;
	attach->packCapacity = ok ? (int32_t)capacity : attach->packCapacity;
	return ok;
}

void supAttach_FreePacks( supAttach* attach )
{
	supFree( attach->nails );
	supFree( attach->nailGoals );
	supFree( attach->velocityPoints );
	supFree( attach->velocityGoals );
	supFree( attach->groupStarts );
	supFree( attach->groupPoints );
	supFree( attach->groupShares );
	supFree( attach->groupSizes );
	supFree( attach->slow );
	for ( int32_t n = 2; n <= 4; ++n )
	{
		supFree( attach->corners[n] );
		supFree( attach->cornerWeights[n] );
		supFree( attach->cornerMoves[n] );
	}
}

void supAttach_RefreshOwners( supAttach* attach )
{
	if ( attach->ownersDirty == false )
	{
		return;
	}
	for ( int32_t i = 0; i < attach->points.count; ++i )
	{
		attach->owner[attach->points.data[i]] = -1;
	}
	for ( int32_t i = 0; i < attach->items.count; ++i )
	{
		const supAttachItem* item = attach->items.data + i;
		for ( int32_t k = 0; item->active && k < item->count; ++k )
		{
			attach->owner[attach->points.data[item->first + k]] = i;
		}
	}
	attach->ownersDirty = false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Joints: union-find

static int32_t FindRoot( supAttach* attach, int32_t point )
{
	int32_t* parent = attach->parent;
	while ( parent[point] != point )
	{
		parent[point] = parent[parent[point]];
		point = parent[point];
	}
	return point;
}

static bool IsMergedJoint( const supAttachItem* item )
{
	return item->active && item->kind == sup_attachJoint && supAttachItem_IsAssembling( item ) == false;
}

static void MergeJoints( supAttach* attach )
{
	for ( int32_t i = 0; i < attach->points.count; ++i )
	{
		int32_t p = attach->points.data[i];
		attach->parent[p] = attach->group[p] = -1;
		attach->uses[p] = 0;
	}
	for ( int32_t i = 0; i < attach->items.count; ++i )
	{
		const supAttachItem* item = attach->items.data + i;
		const int32_t* points = attach->points.data + item->first;
		if ( IsMergedJoint( item ) == false )
		{
			for ( int32_t k = 0; item->active && k < item->count; ++k )
			{
				attach->uses[points[k]] += 1;
			}
			continue;
		}
		for ( int32_t k = 0; k < item->count; ++k )
		{
			attach->parent[points[k]] = attach->parent[points[k]] < 0 ? points[k] : attach->parent[points[k]];
			int32_t a = FindRoot( attach, points[0] ), b = FindRoot( attach, points[k] );
			// the smaller number wins: the result does not depend on the order of merging
			attach->parent[a < b ? b : a] = a < b ? a : b;
		}
	}
}

// What overlaps is solved in turn. A root that is in use by something else says so for its whole group.
static void FindSerial( supAttach* attach )
{
	for ( int32_t i = 0; i < attach->items.count; ++i )
	{
		const supAttachItem* item = attach->items.data + i;
		for ( int32_t k = 0; IsMergedJoint( item ) && k < item->count; ++k )
		{
			int32_t p = attach->points.data[item->first + k];
			int32_t root = FindRoot( attach, p );
			attach->uses[root] += root != p && attach->uses[p] > 0;
		}
	}
	for ( int32_t i = 0; i < attach->items.count; ++i )
	{
		supAttachItem* item = attach->items.data + i;
		item->serial = false;
		for ( int32_t k = 0; item->active && k < item->count; ++k )
		{
			int32_t p = attach->points.data[item->first + k];
			item->serial = item->serial || ( IsMergedJoint( item ) ? attach->uses[FindRoot( attach, p )] > 0
																   : attach->uses[p] > 1 || attach->parent[p] >= 0 );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Packs

typedef void GroupFcn( supAttach* attach, int32_t point );

static void ForEachGroupPoint( supAttach* attach, GroupFcn* function )
{
	for ( int32_t i = 0; i < attach->items.count; ++i )
	{
		const supAttachItem* item = attach->items.data + i;
		for ( int32_t k = 0; item->kind == sup_attachJoint && supAttachItem_IsPlain( item ) && k < item->count; ++k )
		{
			function( attach, attach->points.data[item->first + k] );
		}
	}
}

// groupSizes: two numbers a group, its size and its place among all.
static void CountGroupPoint( supAttach* attach, int32_t point )
{
	if ( attach->group[point] < 0 )
	{
		int32_t root = FindRoot( attach, point );
		if ( attach->group[root] < 0 )
		{
			attach->group[root] = attach->groupCount;
			attach->groupSizes[2 * attach->groupCount++] = 0;
		}
		attach->group[point] = attach->group[root];
	}
}

// Points are counted once, though several joints have them.
static void CountOnce( supAttach* attach, int32_t point )
{
	if ( attach->uses[point] == 0 )
	{
		attach->uses[point] = 1;
		attach->groupSizes[2 * attach->group[point]] += 1;
	}
}

static void PlaceGroups( supAttach* attach )
{
	int32_t place = 0, at = 0;
	for ( int32_t pass = 0; pass < 2; ++pass )
	{
		for ( int32_t g = 0; g < attach->groupCount; ++g )
		{
			int32_t size = attach->groupSizes[2 * g];
			if ( ( size == 2 ) == ( pass == 0 ) )
			{
				attach->groupSizes[2 * g + 1] = place;
				attach->groupStarts[place++] = at;
				at += size;
			}
		}
		attach->pairCount = pass == 0 ? place : attach->pairCount;
	}
	attach->groupStarts[place] = at;
	// from now on the size counts what is still to be filled in
}

static void FillGroupPoint( supAttach* attach, int32_t point )
{
	if ( attach->uses[point] == 1 )
	{
		int32_t g = attach->group[point];
		int32_t place = attach->groupSizes[2 * g + 1];
		int32_t left = attach->groupSizes[2 * g]--;
		attach->groupPoints[attach->groupStarts[place + 1] - left] = point;
		attach->uses[point] = 2;
	}
}

static void FinishGroupPoint( supAttach* attach, int32_t point )
{
	if ( attach->uses[point] == 2 )
	{
		attach->group[point] = attach->groupSizes[2 * attach->group[point] + 1];
		attach->uses[point] = 0;
	}
}

// Shares of the common point. One that cannot be moved comes first and has it all.
static void ShareGroups( supAttach* attach, const float* x )
{
	for ( int32_t g = 0; g < attach->groupCount; ++g )
	{
		int32_t first = attach->groupStarts[g], last = attach->groupStarts[g + 1];
		double sum = 0.0;
		bool fixed = false;
		for ( int32_t k = first; k < last; ++k )
		{
			int32_t p = attach->groupPoints[k];
			if ( supReadInverseMass( x, p ) <= 0.0f && fixed == false )
			{
				attach->groupPoints[k] = attach->groupPoints[first];
				attach->groupPoints[first] = p;
				fixed = true;
			}
		}
		for ( int32_t k = first; k < last && fixed == false; ++k )
		{
			sum += 1.0 / (double)supReadInverseMass( x, attach->groupPoints[k] );
		}
		for ( int32_t k = first; k < last; ++k )
		{
			double w = (double)supReadInverseMass( x, attach->groupPoints[k] );
			attach->groupShares[k] = fixed ? (float)( k == first ) : (float)( 1.0 / ( w * sum ) );
		}
	}
}

static void PackJoints( supAttach* attach, const float* x )
{
	for ( int32_t i = 0; i < attach->points.count; ++i )
	{
		attach->uses[attach->points.data[i]] = 0;
	}
	attach->groupCount = 0;
	attach->pairCount = 0;
	ForEachGroupPoint( attach, CountGroupPoint );
	ForEachGroupPoint( attach, CountOnce );
	PlaceGroups( attach );
	ForEachGroupPoint( attach, FillGroupPoint );
	ForEachGroupPoint( attach, FinishGroupPoint );
	ShareGroups( attach, x );
}

static void PackCorners( supAttach* attach, const supAttachItem* item, const float* x )
{
	const int32_t* points = attach->points.data + item->first;
	int32_t n = item->count - 1;
	int64_t at = attach->cornerCounts[n]++;
	double w0 = (double)supReadInverseMass( x, points[0] );
	double sum = w0;
	for ( int32_t k = 0; k < n; ++k )
	{
		double a = (double)item->weights[k];
		sum += (double)supReadInverseMass( x, points[k + 1] ) * a * a;
	}
	double inverse = sum > 0.0 ? 1.0 / sum : 0.0;
	memcpy( attach->corners[n] + ( n + 1 ) * at, points, (size_t)item->count * sizeof( int32_t ) );
	memcpy( attach->cornerWeights[n] + n * at, item->weights, (size_t)n * sizeof( float ) );
	float* moves = attach->cornerMoves[n] + ( n + 1 ) * at;
	moves[0] = (float)( w0 * inverse );
	for ( int32_t k = 0; k < n; ++k )
	{
		double w = (double)supReadInverseMass( x, points[k + 1] );
		moves[k + 1] = (float)( -(double)item->weights[k] * w * inverse );
	}
}

static void PackGoal( supAttachItem* item, int32_t point, int32_t* count, int32_t* points, float* goals )
{
	item->pack = *count;
	points[*count] = point;
	const float goal[4] = { item->goal.x, item->goal.y, item->goal.z, 0.0f };
	memcpy( goals + 4 * (int64_t)*count, goal, sizeof( goal ) );
	*count += 1;
}

void supAttach_Repack( supAttach* attach, const float* x )
{
	MergeJoints( attach );
	FindSerial( attach );
	PackJoints( attach, x );
	attach->nailCount = attach->velocityCount = attach->slowCount = 0;
	memset( attach->cornerCounts, 0, sizeof( attach->cornerCounts ) );
	for ( int32_t i = 0; i < attach->items.count; ++i )
	{
		supAttachItem* item = attach->items.data + i;
		item->pack = -1;
		if ( item->active && supAttachItem_IsPlain( item ) == false )
		{
			attach->slow[attach->slowCount++] = i;
		}
		if ( supAttachItem_IsPlain( item ) == false || item->kind == sup_attachJoint )
		{
			continue;
		}
		int32_t point = attach->points.data[item->first];
		if ( item->kind == sup_attachNail )
		{
			PackGoal( item, point, &attach->nailCount, attach->nails, attach->nailGoals );
		}
		else if ( item->kind == sup_attachVelocity )
		{
			PackGoal( item, point, &attach->velocityCount, attach->velocityPoints, attach->velocityGoals );
		}
		else
		{
			PackCorners( attach, item, x );
		}
	}
	attach->packsDirty = false;
}
