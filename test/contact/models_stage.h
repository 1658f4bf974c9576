// SPDX-License-Identifier: MIT
// Built-in characters as bodies, and what must be so of every hit.
#pragma once

#include "stage.h"

#include "core/core.h"
#include "models/models.h"

// Models take long to make: each is made once.
static struct
{
	const char* name;
	supCharacter* character;
} s_models[4];

static inline Player MakeModelPlayer( const char* name )
{
	int32_t i = 0;
	while ( s_models[i].name != NULL && strcmp( s_models[i].name, name ) != 0 )
	{
		++i;
		assert_true( i < SUP_COUNT( s_models ) );
	}
	if ( s_models[i].name == NULL )
	{
		supError error = { 0 };
		s_models[i].name = name;
		s_models[i].character = supFindModel( name )->create( &error );
		testRequire( s_models[i].character != NULL, &error );
	}
	Player player = MakePlayer( s_models[i].character );
	player.borrowed = true;
	return player;
}

static inline int FreeModels( void** state )
{
	(void)state;
	for ( int32_t i = 0; i < SUP_COUNT( s_models ); ++i )
	{
		supDestroyCharacter( s_models[i].character );
	}
	return 0;
}

// What a hit says of itself must be so.
static inline void CheckHits( const Player* players, const supContactHit* hits, int32_t count,
							  const supDetectorSettings* settings )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		const supContactHit* h = hits + i;
		const Player* other = players + h->otherBody;
		supVec3 point = supVec3_zero;
		float sum = 0.0f;
		for ( int32_t k = 0; k < 3; ++k )
		{
			assert_int_equal( h->corners[k], other->skin.corners[3 * h->triangle + k] );
			assert_true( h->bary[k] >= 0.0f );
			sum += h->bary[k];
			point = supMulAdd( point, h->bary[k], other->positions[h->corners[k]] );
		}
		assert_float_equal( sum, 1.0f, 1e-5f );
		assert_float_equal( supLength( h->normal ), 1.0f, 1e-4f );
		supVec3 offset = supSub( players[h->body].positions[h->vertex], point );
		assert_float_equal( supDot( h->normal, offset ), h->gap, 1e-5f );
		assert_true( h->gap <= settings->margin );
		bool ordered = i == 0 || h->body > h[-1].body || ( h->body == h[-1].body && h->vertex > h[-1].vertex ) ||
					   ( h->body == h[-1].body && h->vertex == h[-1].vertex && h->gap >= h[-1].gap );
		assert_true( ordered );
	}
}

// The deepest hit of a vertex with another body; NULL without.
static inline const supContactHit* FindHit( const supContactHit* hits, int32_t count, int32_t body, int32_t vertex,
											int32_t otherBody )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( hits[i].body == body && hits[i].vertex == vertex && hits[i].otherBody == otherBody )
		{
			return hits + i;
		}
	}
	return NULL;
}
