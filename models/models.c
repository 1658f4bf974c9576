// SPDX-License-Identifier: MIT
#include "models/models.h"

#include "core/core.h"
#include "models/creatures.h"
#include "models/tube.h"

static const supModel s_models[] = {
	{ "tube", "a closed tube on two bones: the classic test of a bend and a twist", supCreateTube },
	{ "tube5", "the same tube on five bones", supCreateTube5 },
	{ "bunny", "a plump biped with long ears and a belly", createBunny },
	{ "human", "a grown-up in shirt and shorts", createHuman },
	{ "torso", "a strong, soft upper body with fingers", createTorso },
	{ "kangaroo", "a hopper with a heavy tail", createKangaroo },
	{ "smurf", "a gnome with thin arms, a beard and a soft cap", createSmurf },
	{ "bloat", "a ball of a creature with short limbs", createBloat },
	{ "deer", "a slender stag of 2755 vertices", createDeer },
	{ "deer1748", "the same stag, coarser", createDeer1748 },
	{ "deer8408", "the same stag, finer", createDeer8408 },
	{ "horse", "a bay with a mane and a long tail", createHorse },
	{ "cow", "a plump dairy cow with udder, horns and soft ears", createCow },
	{ "bird", "a stout bird that flies, lands, folds its wings and walks", createBird },
	{ "fish", "a fish that swims on the spot", createFish },
	{ "octopus", "eight arms of seven bones each and a soft mantle", createOctopus },
	{ "snake", "a stout snake that lies in a curve", createSnake },
	{ "snake3102", "the same snake, finer", createSnake3102 },
};

int32_t supGetModelCount( void )
{
	return SUP_COUNT( s_models );
}

const supModel* supGetModel( int32_t index )
{
	SUP_ASSERT( index >= 0 && index < SUP_COUNT( s_models ) );
	return s_models + index;
}

const supModel* supFindModel( const char* name )
{
	for ( int32_t i = 0; i < SUP_COUNT( s_models ); ++i )
	{
		if ( strcmp( s_models[i].name, name ) == 0 )
		{
			return s_models + i;
		}
	}
	return NULL;
}
