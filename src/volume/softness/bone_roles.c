// SPDX-License-Identifier: MIT
#include "volume/softness/bone_roles.h"

#include "volume/softness/bone_roles_internal.h"

// Of the skin of the whole body: branches that carry less are handles, sockets, ends of chains.
#define MIN_SKIN_SHARE 1e-3f

// Two branches are a pair if their lengths differ by no more than this, as a part, and their skin by no more than that.
#define PAIR_LENGTH 0.1f
#define PAIR_SKIN 0.35f

// Of the height of the body, above its lowest point.
#define GROUND 0.12f

// Of the body's size: shorter branches are no limbs, unless they reach the ground or have fingers; ears are longer
// than.
#define LIMB_LENGTH 0.22f
#define LOOSE_LENGTH 0.04f

// Of the skin of the whole body: a tail with more is the body of a snake.
#define MOST_SKIN 0.4f

// Length over mean distance of skin from bone.
#define SLENDER_RATIO 2.5f
#define BULKY_RATIO 3.0f

// Of the length of a limb: shorter bones are not yet its thigh or upper arm.
#define LONG_BONE 0.25f

// Joints of a tentacle, at least.
#define TENTACLE_JOINTS 6

// Of the skin of the whole body: less than this on soft bones says nothing about the body.
#define MIN_SOFT_SKIN_SHARE 0.05f

// Softness of a body without limbs, and of one of which nothing is known.
#define LIMBLESS_SOFTNESS 0.75f

// Softness at a bone that leads from the spine into the belly.
#define RIB 0.9f

void supBoneRoles_Destroy( supBoneRoles* roles )
{
	supArena_Destroy( &roles->arena );
	*roles = ( supBoneRoles ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Measures

static bool Allocate( supRoleFinder* finder )
{
	size_t n = (size_t)finder->def->bones->count;
	supBoneRoles* roles = finder->roles;
	supArena* scratch = &finder->scratch;
	roles->roles = supArena_AllocZeroed( &roles->arena, n );
	roles->softness = supArena_AllocZeroed( &roles->arena, n * sizeof( float ) );
	roles->endSoftness = supArena_AllocZeroed( &roles->arena, n * sizeof( float ) );
	roles->looseness = supArena_AllocZeroed( &roles->arena, n * sizeof( float ) );
	roles->endLooseness = supArena_AllocZeroed( &roles->arena, n * sizeof( float ) );
	finder->order = supArena_AllocArray( scratch, n, sizeof( int32_t ) );
	finder->jointCounts = supArena_AllocZeroed( scratch, n * sizeof( int32_t ) );
	finder->endCounts = supArena_AllocZeroed( scratch, n * sizeof( int32_t ) );
	finder->areas = supArena_AllocZeroed( scratch, n * sizeof( float ) );
	finder->lengths = supArena_AllocZeroed( scratch, n * sizeof( float ) );
	finder->lowest = supArena_AllocZeroed( scratch, n * sizeof( float ) );
	finder->hasPairs = supArena_AllocZeroed( scratch, n * sizeof( bool ) );
	finder->fat = supArena_AllocZeroed( scratch, n * sizeof( float ) );
	finder->ways = supArena_AllocZeroed( scratch, n * sizeof( float ) );
	finder->rests = supArena_AllocZeroed( scratch, n * sizeof( float ) );
	finder->knees = supArena_AllocZeroed( scratch, n * sizeof( float ) );
	finder->firsts = supArena_AllocZeroed( scratch, n * sizeof( int32_t ) );
	finder->childStarts = supArena_AllocZeroed( scratch, ( n + 2 ) * sizeof( int32_t ) );
	finder->children = supArena_AllocArray( scratch, n, sizeof( int32_t ) );
	roles->ends = supArena_AllocArray( &roles->arena, (size_t)finder->def->bones->segmentStarts[n], sizeof( int32_t ) );
	return roles->arena.failed == false && scratch->failed == false;
}

static void ListChildren( supRoleFinder* finder )
{
	const supBones* bones = finder->def->bones;
	int32_t* starts = finder->childStarts;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		starts[bones->parents[i] >= 0 ? bones->parents[i] + 2 : 0] += bones->parents[i] >= 0;
	}
	for ( int32_t i = 2; i < bones->count + 2; ++i )
	{
		starts[i] += starts[i - 1];
	}
	// filling moves each start to where the next begins
	int32_t count = 0;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		if ( bones->parents[i] >= 0 )
		{
			finder->children[starts[bones->parents[i] + 1]++] = i;
		}
		else
		{
			finder->order[count++] = i;
		}
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t bone = finder->order[i];
		for ( int32_t k = starts[bone]; k < starts[bone + 1]; ++k )
		{
			finder->order[count++] = finder->children[k];
		}
		// segments lead to the children in the same order; that of a bone without is a stub
		for ( int32_t k = bones->segmentStarts[bone]; k < bones->segmentStarts[bone + 1]; ++k )
		{
			int32_t child = starts[bone] + k - bones->segmentStarts[bone];
			finder->roles->ends[k] = child < starts[bone + 1] ? finder->children[child] : -1;
		}
	}
}

static bool IsEnd( const supRoleFinder* finder, int32_t bone )
{
	return finder->childStarts[bone] == finder->childStarts[bone + 1];
}

static float EndLength( const supRoleFinder* finder, int32_t bone )
{
	const supBones* bones = finder->def->bones;
	const supSegment* stub = bones->segments + bones->segmentStarts[bone];
	return IsEnd( finder, bone ) ? supDistance( stub->a, stub->b ) : 0.0f;
}

// From the parent's joint.
static float OwnLength( const supRoleFinder* finder, int32_t bone )
{
	const supBones* bones = finder->def->bones;
	int32_t parent = bones->parents[bone];
	return parent >= 0 ? supDistance( bones->joints[parent], bones->joints[bone] ) : 0.0f;
}

static bool IsAbout( float a, float b, float tolerance )
{
	float difference = a > b ? a - b : b - a;
	return difference <= tolerance * supMaxFloat( a, b );
}

static bool CarriesSkin( const supRoleFinder* finder, int32_t bone )
{
	return finder->areas[bone] > MIN_SKIN_SHARE * finder->area;
}

static bool IsPair( const supRoleFinder* finder, int32_t a, int32_t b )
{
	return a != b && finder->jointCounts[a] == finder->jointCounts[b] &&
		   IsAbout( finder->lengths[a], finder->lengths[b], PAIR_LENGTH ) &&
		   IsAbout( finder->areas[a], finder->areas[b], PAIR_SKIN ) && CarriesSkin( finder, a ) &&
		   CarriesSkin( finder, b );
}

// Has a sibling of the same shape?
static bool IsPaired( const supRoleFinder* finder, int32_t bone )
{
	int32_t parent = finder->def->bones->parents[bone];
	for ( int32_t k = parent >= 0 ? finder->childStarts[parent] : 0; parent >= 0 && k < finder->childStarts[parent + 1];
		  ++k )
	{
		if ( IsPair( finder, bone, finder->children[k] ) )
		{
			return true;
		}
	}
	return false;
}

// Sums over branches, from their ends to the root.
static void MeasureBranches( supRoleFinder* finder )
{
	const supBones* bones = finder->def->bones;
	for ( int32_t i = bones->count - 1; i >= 0; --i )
	{
		int32_t bone = finder->order[i];
		const supSegment* stub = bones->segments + bones->segmentStarts[bone];
		bool isEnd = IsEnd( finder, bone );
		finder->jointCounts[bone] += 1;
		finder->endCounts[bone] += isEnd;
		finder->areas[bone] += finder->def->skin[bone].area;
		finder->lowest[bone] = supMinFloat( isEnd ? stub->b.y : finder->lowest[bone], bones->joints[bone].y );
		float length = finder->lengths[bone] + EndLength( finder, bone ) + OwnLength( finder, bone );
		finder->lengths[bone] = length;
		int32_t parent = bones->parents[bone];
		if ( parent >= 0 )
		{
			bool isFirst = finder->jointCounts[parent] == 0;
			finder->jointCounts[parent] += finder->jointCounts[bone];
			finder->endCounts[parent] += finder->endCounts[bone];
			finder->areas[parent] += finder->areas[bone];
			finder->lengths[parent] = supMaxFloat( finder->lengths[parent], length );
			finder->lowest[parent] =
				isFirst ? finder->lowest[bone] : supMinFloat( finder->lowest[parent], finder->lowest[bone] );
		}
		else
		{
			finder->area += finder->areas[bone];
		}
	}
	for ( int32_t i = bones->count - 1; i >= 0; --i )
	{
		int32_t bone = finder->order[i], parent = bones->parents[bone];
		if ( parent >= 0 && ( finder->hasPairs[bone] || IsPaired( finder, bone ) ) )
		{
			finder->hasPairs[parent] = true;
		}
	}
}

// Mean distance of the skin of a branch from its bones.
static float MeanDistance( const supRoleFinder* finder, int32_t bone )
{
	const supCarriedSkin* skin = finder->def->skin;
	double sum = 0.0, area = 0.0;
	for ( int32_t i = 0; i < finder->def->bones->count; ++i )
	{
		int32_t k = finder->order[i];
		int32_t parent = finder->def->bones->parents[k];
		finder->firsts[k] = k == bone || ( parent >= 0 && finder->firsts[parent] == bone ) ? bone : -1;
		if ( finder->firsts[k] == bone )
		{
			sum += (double)skin[k].area * (double)skin[k].distance;
			area += (double)skin[k].area;
		}
	}
	return area > 0.0 ? (float)( sum / area ) : 0.0f;
}

// ---------------------------------------------------------------------------------------------------------------------
// Roles by topology

static bool IsSlender( const supRoleFinder* finder, int32_t bone )
{
	float length = finder->lengths[bone];
	return length > LOOSE_LENGTH * finder->size && length > SLENDER_RATIO * MeanDistance( finder, bone );
}

// True if a branch gets thinner towards its end and is thinner than its parent.
static bool Tapers( const supRoleFinder* finder, int32_t bone )
{
	const supCarriedSkin* skin = finder->def->skin;
	int32_t parent = finder->def->bones->parents[bone], last = bone;
	for ( int32_t i = 0; i < finder->def->bones->count; ++i )
	{
		int32_t k = finder->order[i];
		bool goesOn = finder->def->bones->parents[k] == last && CarriesSkin( finder, k );
		last = goesOn ? k : last;
	}
	float end = skin[last].distance;
	bool isThinner = parent < 0 || skin[parent].area <= 0.0f || end < 0.6f * skin[parent].distance;
	return IsSlender( finder, bone ) && isThinner && end <= 1.1f * MeanDistance( finder, bone );
}

static int32_t CountBranches( const supRoleFinder* finder, int32_t bone )
{
	int32_t count = 0;
	for ( int32_t k = finder->childStarts[bone]; k < finder->childStarts[bone + 1]; ++k )
	{
		count += CarriesSkin( finder, finder->children[k] );
	}
	return count;
}

static supBoneRole RoleOnTrunk( const supRoleFinder* finder, int32_t bone )
{
	int32_t parent = finder->def->bones->parents[bone];
	supBox bounds = finder->def->bounds;
	float ground = bounds.lower.y + GROUND * ( bounds.upper.y - bounds.lower.y );
	if ( IsPaired( finder, bone ) )
	{
		bool isLimb = finder->lowest[bone] < ground || finder->endCounts[bone] > 1 ||
					  finder->lengths[bone] > LIMB_LENGTH * finder->size;
		return isLimb ? sup_boneLimb : IsSlender( finder, bone ) ? sup_boneLoose : sup_boneTrunk;
	}
	bool goesOn = finder->hasPairs[bone] || CountBranches( finder, parent ) < 2 || CarriesSkin( finder, bone ) == false;
	return goesOn ? sup_boneTrunk : Tapers( finder, bone ) ? sup_boneLoose : sup_boneNeck;
}

// The last bone with skin of a neck is its head, whatever its name. Where names tell nothing a neck ends where it
// forks: jaws and ears begin there.
static bool EndsNeck( const supRoleFinder* finder, int32_t bone, bool isNamed )
{
	int32_t branches = CountBranches( finder, bone );
	return branches == 0 || ( isNamed == false && branches > 1 );
}

// Ears are pairs; hair, caps and trunks are chains. Jaws and noses stay with the skull.
static supBoneRole RoleOnHead( const supRoleFinder* finder, int32_t bone )
{
	bool isChain = finder->jointCounts[bone] >= 3 && finder->endCounts[bone] == 1 &&
				   finder->lengths[bone] > MeanDistance( finder, bone );
	return isChain || ( IsPaired( finder, bone ) && IsSlender( finder, bone ) ) ? sup_boneLoose : sup_boneHead;
}

static supBoneRole RoleByParent( const supRoleFinder* finder, int32_t bone )
{
	int32_t parent = finder->def->bones->parents[bone];
	supBoneRole above = parent >= 0 ? (supBoneRole)finder->roles->roles[parent] : sup_boneTrunk;
	switch ( above )
	{
		case sup_boneTrunk:
			return parent >= 0 ? RoleOnTrunk( finder, bone ) : sup_boneTrunk;
		case sup_boneHead:
			return RoleOnHead( finder, bone );
		case sup_boneShoulder:
			return sup_boneLimb;
		case sup_boneLimb:
			return CountBranches( finder, parent ) > 2 ? sup_boneExtremity : sup_boneLimb;
		default:
			return above;
	}
}

static bool IsBelow( const supRoleFinder* finder, int32_t bone, int32_t above )
{
	while ( bone >= 0 && bone != above )
	{
		bone = finder->def->bones->parents[bone];
	}
	return bone >= 0;
}

static bool LeadsToHead( const supRoleFinder* finder, int32_t bone )
{
	const uint8_t* roles = finder->roles->roles;
	for ( int32_t i = 0; i < finder->def->bones->count; ++i )
	{
		if ( ( roles[i] == sup_boneNeck || roles[i] == sup_boneHead ) && IsBelow( finder, i, bone ) )
		{
			return true;
		}
	}
	return false;
}

// A bone from the spine into the belly holds flesh and nothing else.
static bool IsRib( const supRoleFinder* finder, int32_t bone )
{
	int32_t parent = finder->def->bones->parents[bone];
	return parent >= 0 && finder->roles->roles[bone] == sup_boneTrunk &&
		   finder->roles->roles[parent] == sup_boneTrunk && finder->hasPairs[parent] &&
		   finder->hasPairs[bone] == false && IsPaired( finder, bone ) == false &&
		   CountBranches( finder, parent ) > 1 && LeadsToHead( finder, bone ) == false;
}

static void MakeFat( supRoleFinder* finder, int32_t bone, float softness )
{
	finder->roles->roles[bone] = sup_boneFat;
	finder->fat[bone] = softness;
}

// What hangs on a hand or foot is part of it, whatever its name ("front_leg_tip" below a foot), and so it is with what
// swings. A "tail" that is hardly longer than thick, as a spider's, is belly.
static void CorrectNamedRole( supRoleFinder* finder, int32_t bone )
{
	int32_t parent = finder->def->bones->parents[bone];
	supBoneRole role = (supBoneRole)finder->roles->roles[bone];
	supBoneRole above = parent >= 0 ? (supBoneRole)finder->roles->roles[parent] : sup_boneTrunk;
	bool isBody = role == sup_boneTrunk || role == sup_boneNeck || role == sup_boneShoulder || role == sup_boneLimb;
	if ( isBody && ( above == sup_boneExtremity || above == sup_boneLoose ) )
	{
		finder->roles->roles[bone] = (uint8_t)above;
	}
	else if ( above == sup_boneFat && ( role == sup_boneTrunk || role == sup_boneLoose ) )
	{
		MakeFat( finder, bone, finder->fat[parent] );
	}
	else if ( IsRib( finder, bone ) )
	{
		MakeFat( finder, bone, RIB );
	}
	else if ( role == sup_boneLoose && above == sup_boneTrunk && CarriesSkin( finder, bone ) &&
			  finder->lengths[bone] < BULKY_RATIO * MeanDistance( finder, bone ) )
	{
		MakeFat( finder, bone, LIMBLESS_SOFTNESS );
	}
}

static void SpreadRoles( supRoleFinder* finder )
{
	const supBones* bones = finder->def->bones;
	uint8_t* roles = finder->roles->roles;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		int32_t bone = finder->order[i];
		bool isNamed = roles[bone] != sup_boneUnknown;
		if ( isNamed )
		{
			CorrectNamedRole( finder, bone );
		}
		else
		{
			roles[bone] = (uint8_t)RoleByParent( finder, bone );
			finder->fat[bone] = bones->parents[bone] >= 0 ? finder->fat[bones->parents[bone]] : 0.0f;
		}
		bool isHead = roles[bone] == sup_boneNeck && EndsNeck( finder, bone, isNamed );
		roles[bone] = isHead ? (uint8_t)sup_boneHead : roles[bone];
	}
}

// A limb of many bones, none of them long, that ends in no hand or foot is a tentacle.
static void FindTentacles( supRoleFinder* finder )
{
	const supBones* bones = finder->def->bones;
	uint8_t* roles = finder->roles->roles;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		int32_t bone = finder->order[i], parent = bones->parents[bone];
		bool isFirst = roles[bone] == sup_boneLimb && ( parent < 0 || roles[parent] != sup_boneLimb );
		if ( isFirst == false || finder->endCounts[bone] != 1 || finder->jointCounts[bone] < TENTACLE_JOINTS )
		{
			continue;
		}
		float length = finder->lengths[bone] - OwnLength( finder, bone ), longest = 0.0f;
		bool isRope = true;
		int32_t last = bone;
		while ( IsEnd( finder, last ) == false )
		{
			last = finder->children[finder->childStarts[last]];
			longest = supMaxFloat( longest, OwnLength( finder, last ) );
			isRope = isRope && roles[last] == sup_boneLimb;
		}
		for ( int32_t k = last; isRope && longest < LONG_BONE * length && k != parent; k = bones->parents[k] )
		{
			roles[k] = sup_boneLoose;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Values

// 0 at the first bone with a role, 1 at the farthest end of it.
static void MeasureWays( supRoleFinder* finder )
{
	const supBones* bones = finder->def->bones;
	const uint8_t* roles = finder->roles->roles;
	for ( int32_t i = bones->count - 1; i >= 0; --i )
	{
		int32_t bone = finder->order[i], parent = bones->parents[bone];
		finder->rests[bone] = supMaxFloat( finder->rests[bone], EndLength( finder, bone ) );
		if ( parent >= 0 && CarriesSkin( finder, bone ) )
		{
			float beyond = roles[parent] == roles[bone] ? finder->rests[bone] : 0.0f;
			finder->rests[parent] = supMaxFloat( finder->rests[parent], OwnLength( finder, bone ) + beyond );
		}
	}
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		int32_t bone = finder->order[i], parent = bones->parents[bone];
		bool isFirst = parent < 0 || roles[parent] != roles[bone];
		// a root joint on the ground, or several in a row, are not yet the trunk
		bool isHandle = isFirst == false && roles[bone] == sup_boneTrunk && finder->ways[parent] == 0.0f &&
						finder->def->skin[parent].area <= MIN_SKIN_SHARE * finder->area;
		finder->firsts[bone] = isFirst || isHandle ? bone : finder->firsts[parent];
		finder->ways[bone] = isFirst || isHandle ? 0.0f : finder->ways[parent] + OwnLength( finder, bone );
	}
}

// The knee or elbow is the end of the first long bone of a limb.
static void FindKnees( supRoleFinder* finder )
{
	const supBones* bones = finder->def->bones;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		int32_t bone = finder->order[i], first = finder->firsts[bone];
		bool isLong = finder->ways[bone] > 0.0f && OwnLength( finder, bone ) > LONG_BONE * finder->rests[first];
		if ( isLong && finder->knees[first] == 0.0f && finder->ways[bone] < 0.8f * finder->rests[first] )
		{
			finder->knees[first] = finder->ways[bone];
		}
	}
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		finder->knees[i] = finder->knees[i] > 0.0f ? finder->knees[i] : 0.5f * finder->rests[i];
	}
}

// 0 at the first joint, 1/2 at the knee, 1 at the end.
static float AlongLimb( const supRoleFinder* finder, int32_t first, float way )
{
	float knee = finder->knees[first], all = finder->rests[first];
	if ( way < knee )
	{
		return 0.5f * way / knee;
	}
	return all > knee ? 0.5f + 0.5f * ( way - knee ) / ( all - knee ) : 1.0f;
}

static bool IsBodyRole( supBoneRole role )
{
	return role == sup_boneTrunk || role == sup_boneNeck || role == sup_boneLoose || role == sup_boneFat;
}

// Through the given values at 0, 1/4, 1/2, 3/4 and 1.
static float Curve( const float values[5], float s )
{
	float x = 4.0f * supClampFloat( s, 0.0f, 1.0f );
	int32_t i = x < 3.0f ? (int32_t)x : 3;
	return supLerpFloat( values[i], values[i + 1], x - (float)i );
}

typedef struct Value
{
	float softness, looseness;
} Value;

// A thick tail begins half as soft as the body is; ears begin as firm as the skull. The bone holds either.
static float StartOfLoose( const supRoleFinder* finder, int32_t first )
{
	int32_t parent = finder->def->bones->parents[first];
	bool isOnBody = parent >= 0 && IsBodyRole( (supBoneRole)finder->roles->roles[parent] );
	return isOnBody ? 0.45f : 0.0f;
}

static Value ValueAlong( const supRoleFinder* finder, int32_t bone, float beyond )
{
	static const float trunk[5] = { 0.9f, 1.0f, 0.95f, 0.8f, 0.65f };
	static const float neck[5] = { 0.5f, 0.45f, 0.4f, 0.3f, 0.2f };
	static const float leg[5] = { 0.9f, 0.8f, 0.25f, 0.15f, 0.0f };
	static const float arm[5] = { 0.65f, 0.6f, 0.15f, 0.05f, 0.0f };
	static const float loose[5] = { 0.0f, 0.35f, 0.65f, 0.9f, 1.0f };
	static const float held[5] = { 0.0f, 0.8f, 1.0f, 1.0f, 1.0f };
	int32_t first = finder->firsts[bone];
	float way = finder->ways[bone] + beyond;
	float all = finder->rests[first] > 0.0f ? finder->rests[first] : 1.0f;
	supBox bounds = finder->def->bounds;
	bool isLeg = finder->lowest[first] < bounds.lower.y + GROUND * ( bounds.upper.y - bounds.lower.y );
	switch ( (supBoneRole)finder->roles->roles[bone] )
	{
		case sup_boneTrunk:
			return ( Value ){ Curve( trunk, way / all ), 0.0f };
		case sup_boneNeck:
			return ( Value ){ Curve( neck, way / all ), 0.0f };
		case sup_boneHead:
			return ( Value ){ way == 0.0f ? 0.1f : 0.0f, 0.0f };
		case sup_boneShoulder:
			return ( Value ){ 0.6f, 0.0f };
		case sup_boneLimb:
			return ( Value ){ Curve( isLeg ? leg : arm, AlongLimb( finder, first, way ) ), 0.0f };
		case sup_boneLoose:
			all = way + ( beyond > 0.0f ? 0.0f : finder->rests[bone] );
			way = all > 0.0f ? way / all : 1.0f;
			return ( Value ){ supMaxFloat( Curve( loose, way ), ( 1.0f - way ) * StartOfLoose( finder, first ) ),
							  Curve( held, way ) };
		case sup_boneFat:
			return ( Value ){ finder->fat[bone], Curve( held, way / all ) };
		default:
			return ( Value ){ 0.0f, 0.0f };
	}
}

static void FillValues( supRoleFinder* finder )
{
	supBoneRoles* roles = finder->roles;
	for ( int32_t i = 0; i < finder->def->bones->count; ++i )
	{
		Value at = ValueAlong( finder, i, 0.0f );
		Value end = ValueAlong( finder, i, EndLength( finder, i ) );
		roles->softness[i] = at.softness;
		roles->looseness[i] = at.looseness;
		roles->endSoftness[i] = end.softness;
		roles->endLooseness[i] = end.looseness;
	}
}

// A tail with most of the skin is the body.
static bool IsWholeBody( const supRoleFinder* finder, int32_t bone )
{
	supBoneRole role = (supBoneRole)finder->roles->roles[bone];
	return IsBodyRole( role ) &&
		   ( role != sup_boneLoose || finder->areas[finder->firsts[bone]] > MOST_SKIN * finder->area );
}

static void SetEvenly( supBoneRoles* roles, int32_t bone )
{
	roles->softness[bone] = roles->endSoftness[bone] = LIMBLESS_SOFTNESS;
	roles->looseness[bone] = roles->endLooseness[bone] = 0.0f;
}

// Snakes, fish and slimes have no limbs: their trunk or tail is the whole body. And where all is firm (a hand alone)
// anatomy has nothing to say about it.
static void EvenOut( supRoleFinder* finder )
{
	supBoneRoles* roles = finder->roles;
	const supCarriedSkin* skin = finder->def->skin;
	float limbs = 0.0f, body = 0.0f, soft = 0.0f, distances = 0.0f;
	int32_t count = finder->def->bones->count;
	for ( int32_t i = 0; i < count; ++i )
	{
		supBoneRole role = (supBoneRole)roles->roles[i];
		limbs += role == sup_boneLimb || role == sup_boneShoulder || role == sup_boneExtremity ? skin[i].area : 0.0f;
		body += IsWholeBody( finder, i ) ? skin[i].area : 0.0f;
		distances += IsWholeBody( finder, i ) ? skin[i].area * skin[i].distance : 0.0f;
		soft += skin[i].area * supMaxFloat( roles->softness[i], roles->endSoftness[i] );
	}
	roles->girth = body > 0.0f ? distances / body : 0.0f;
	bool isUnknown = soft <= MIN_SOFT_SKIN_SHARE * finder->area;
	roles->isEven = isUnknown || ( limbs <= MIN_SKIN_SHARE * finder->area && body > 0.5f * finder->area );
	for ( int32_t i = 0; i < count && roles->isEven; ++i )
	{
		if ( isUnknown || IsWholeBody( finder, i ) )
		{
			SetEvenly( roles, i );
		}
	}
}

bool supBoneRoles_Init( supBoneRoles* roles, const supBoneRolesDef* def )
{
	supRoleFinder finder = { .def = def, .roles = roles };
	supVec3 size = supBox_Size( def->bounds );
	finder.size = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
	bool ok = Allocate( &finder );
	if ( ok )
	{
		ListChildren( &finder );
		MeasureBranches( &finder );
		supTakeNamedRoles( &finder );
		SpreadRoles( &finder );
		FindTentacles( &finder );
		MeasureWays( &finder );
		FindKnees( &finder );
		FillValues( &finder );
		EvenOut( &finder );
	}
	else
	{
		supBoneRoles_Destroy( roles );
	}
	supArena_Destroy( &finder.scratch );
	return ok;
}

void supBoneRoles_At( const supBoneRoles* roles, int32_t bone, int32_t segment, float t, float* softness,
					  float* looseness )
{
	int32_t child = roles->ends[segment];
	*softness =
		supLerpFloat( roles->softness[bone], child >= 0 ? roles->softness[child] : roles->endSoftness[bone], t );
	*looseness =
		supLerpFloat( roles->looseness[bone], child >= 0 ? roles->looseness[child] : roles->endLooseness[bone], t );
}
