// SPDX-License-Identifier: MIT
// Roles of bones that names and the humanoid recognizer tell.
#include "character/humanoid.h"
#include "volume/softness/bone_roles_internal.h"

#define MOST_WORDS 24

typedef struct WordList
{
	supBoneRole role;
	float fat; // softness of sup_boneFat
	const char* words[MOST_WORDS];
} WordList;

// The first list that fits counts: what hangs on a part of the body goes before the part ("head_ear", "arm_plate"), the
// end of a limb before the limb.
static const WordList s_lists[] = {
	{ sup_boneHead,
	  0.0f,
	  { "armor", "armour", "helm", "weapon", "shield", "sword", "button", "buckle", "belt", "hat" } },
	{ sup_boneHead, 0.0f, { "glasses", "horn", "antler", "tusk" } },
	{ sup_boneLoose,
	  0.0f,
	  { "tail", "ear", "ears", "hair", "braid", "mane", "beard", "whisker", "antenna", "feeler" } },
	{ sup_boneLoose, 0.0f, { "tentacle", "proboscis", "wattle", "feather", "wing", "fin", "skirt", "cape", "cloak" } },
	{ sup_boneLoose, 0.0f, { "scarf", "ribbon", "sleeve" } },
	{ sup_boneFat, 0.85f, { "breast", "boob", "bust", "jiggle" } },
	{ sup_boneFat, 1.0f, { "belly", "tummy", "stomach", "udder" } },
	{ sup_boneFat, 0.9f, { "butt", "glute" } },
	{ sup_boneFat, 0.5f, { "cheek" } },
	{ sup_boneHead,
	  0.0f,
	  { "head", "skull", "face", "jaw", "chin", "mouth", "teeth", "tooth", "tongue", "nose", "snout" } },
	{ sup_boneHead, 0.0f, { "muzzle", "beak", "eye", "eyes", "eyelid", "brow", "lip", "lid" } },
	{ sup_boneNeck, 0.0f, { "neck" } },
	{ sup_boneExtremity,
	  0.0f,
	  { "hand", "wrist", "palm", "finger", "thumb", "phalanx", "metacarpal", "foot", "feet" } },
	{ sup_boneExtremity,
	  0.0f,
	  { "ankle", "heel", "toe", "toes", "toebase", "paw", "hoof", "hooves", "claw", "talon" } },
	{ sup_boneExtremity, 0.0f, { "boot", "shoe" } },
	{ sup_boneShoulder, 0.0f, { "shoulder", "clavic", "collar", "scapula" } },
	{ sup_boneLimb, 0.0f, { "arm", "upperarm", "lowerarm", "forearm", "elbow", "humerus", "leg", "legs", "upperleg" } },
	{ sup_boneLimb, 0.0f, { "upleg", "lowerleg", "thigh", "femur", "knee", "calf", "shin" } },
	{ sup_boneTrunk,
	  0.0f,
	  { "hip", "hips", "pelvis", "spine", "chest", "torso", "abdomen", "waist", "thorax", "ribcage" } },
};

static const WordList* FindWords( const char* name )
{
	for ( int32_t i = 0; i < SUP_COUNT( s_lists ); ++i )
	{
		for ( int32_t k = 0; k < MOST_WORDS && s_lists[i].words[k] != NULL; ++k )
		{
			if ( supJointNameHas( name, s_lists[i].words[k] ) )
			{
				return s_lists + i;
			}
		}
	}
	return NULL;
}

static void TakeWords( supRoleFinder* finder )
{
	const supBones* bones = finder->def->bones;
	for ( int32_t i = 0; i < bones->count && bones->nodes != NULL; ++i )
	{
		const WordList* list = FindWords( supCharacter_Node( finder->def->character, bones->nodes[i] )->name );
		if ( list != NULL )
		{
			finder->roles->roles[i] = (uint8_t)list->role;
			finder->fat[i] = list->fat;
		}
	}
}

static void SetRole( supRoleFinder* finder, int32_t node, supBoneRole role )
{
	const supBones* bones = finder->def->bones;
	for ( int32_t i = 0; i < bones->count && node >= 0; ++i )
	{
		if ( bones->nodes[i] == node )
		{
			finder->roles->roles[i] = (uint8_t)role;
		}
	}
}

static void TakeHumanoid( supRoleFinder* finder, const supHumanoid* humanoid )
{
	SetRole( finder, humanoid->hips, sup_boneTrunk );
	for ( int32_t i = 0; i < humanoid->spineCount; ++i )
	{
		SetRole( finder, humanoid->spine[i], sup_boneTrunk );
	}
	for ( int32_t i = 0; i < humanoid->neckCount; ++i )
	{
		SetRole( finder, humanoid->neck[i], sup_boneNeck );
	}
	SetRole( finder, humanoid->head, sup_boneHead );
	for ( int32_t part = sup_partShoulder; part < sup_partCount; ++part )
	{
		bool isLimb = part == sup_partUpperArm || part == sup_partLowerArm || part == sup_partUpperLeg ||
					  part == sup_partLowerLeg;
		supBoneRole role = part == sup_partShoulder ? sup_boneShoulder : isLimb ? sup_boneLimb : sup_boneExtremity;
		SetRole( finder, humanoid->limb[0][part], role );
		SetRole( finder, humanoid->limb[1][part], role );
	}
}

void supTakeNamedRoles( supRoleFinder* finder )
{
	TakeWords( finder );
	supHumanoid humanoid;
	if ( finder->def->bones->nodes != NULL && supRecognizeHumanoid( finder->def->character, &humanoid ) )
	{
		TakeHumanoid( finder, &humanoid );
	}
}
