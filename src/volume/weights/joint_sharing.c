// SPDX-License-Identifier: MIT
#include "volume/weights/joint_sharing.h"

#include "core/core.h"

typedef struct List
{
	int32_t count;
	supFrameShare* shares;
} List;

static void Add( List* list, int32_t frame, int32_t pair, float straight, float turned )
{
	int32_t at = 0;
	while ( at < list->count && ( list->shares[at].frame != frame || list->shares[at].pair != pair ) )
	{
		at += 1;
	}
	if ( at == list->count )
	{
		SUP_ASSERT( at < SUP_MOST_SHARES );
		list->shares[at] = ( supFrameShare ){ frame, pair, 0.0f, 0.0f };
		list->count += 1;
	}
	list->shares[at].straight += straight;
	list->shares[at].turned += turned;
}

// On the way from the bone above to the bone: hats.
static void AddPair( const supJointSharing* sharing, List* list, int32_t bone, float above, float own )
{
	int32_t pair = sharing->pairOf[bone], first = sharing->partners[bone];
	float whole = above + own, steps = (float)( sharing->between + 1 );
	if ( whole <= 0.0f )
	{
		return;
	}
	Add( list, first, pair, above, 0.0f );
	Add( list, bone, pair, own, 0.0f );
	float part = own / whole * steps;
	int32_t step = part >= steps ? sharing->between : (int32_t)part;
	float second = part - (float)step;
	for ( int side = 0; side < 2; ++side )
	{
		int32_t knot = step + side;
		int32_t frame = sharing->boneCount + pair * sharing->between + knot - 1;
		frame = knot == 0 ? first : ( knot == sharing->between + 1 ? bone : frame );
		Add( list, frame, pair, 0.0f, whole * ( side == 0 ? 1.0f - second : second ) );
	}
}

// Each bone's weight goes to its pairs by what the others of these have; what has no pair keeps its weight.
int32_t supShareJoints( const supJointSharing* sharing, const uint16_t* joints, const float* weights,
						supFrameShare shares[SUP_MOST_SHARES] )
{
	List list = { 0, shares };
	int32_t pairs[SUP_MAX_INFLUENCES];
	float sums[SUP_MAX_INFLUENCES] = { 0 };
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES; ++i )
	{
		pairs[i] = -1;
		for ( int32_t k = 0; k < SUP_MAX_INFLUENCES; ++k )
		{
			bool isPair = weights[i] > 0.0f && weights[k] > 0.0f && sharing->pairOf[joints[i]] >= 0 &&
						  sharing->partners[joints[i]] == joints[k];
			pairs[i] = isPair ? k : pairs[i];
		}
		sums[i] += pairs[i] >= 0 ? weights[pairs[i]] : 0.0f;
		sums[pairs[i] >= 0 ? pairs[i] : i] += pairs[i] >= 0 ? weights[i] : 0.0f;
	}
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES; ++i )
	{
		int32_t k = pairs[i];
		if ( k >= 0 )
		{
			float both = weights[i] * weights[k];
			AddPair( sharing, &list, joints[i], both / sums[k], both / sums[i] );
		}
		if ( sums[i] <= 0.0f && weights[i] > 0.0f )
		{
			Add( &list, joints[i], -1, weights[i], weights[i] );
		}
	}
	return list.count;
}
