// SPDX-License-Identifier: MIT
#include "character/facing.h"

#include "character/humanoid.h"
#include "core/core.h"

// Clues count where they are at least so long, in parts of the skeleton's extent.
#define MIN_SIDE_RATIO 0.01f
#define MIN_FACE_RATIO 0.005f
#define MIN_LENGTH_RATIO 0.25f
#define MIN_TOE_RATIO 0.01f

// Directions this close to an axis are meant to be along it: cosine of 14 degrees.
#define AXIS_COSINE 0.97f

// A mean of places.
typedef struct Mean
{
	supVec3 sum;
	int32_t count;
} Mean;

typedef struct Finder
{
	const supCharacter* character;
	const supMat34* worlds;
	supPose* pose;
	bool* used; // nodes that belong to the skeleton; all if there is none
	float extent;
	supVec3 middle;
} Finder;

static void Add( Mean* mean, supVec3 p )
{
	mean->sum = supAdd( mean->sum, p );
	mean->count += 1;
}

static supVec3 MeanOf( const Mean* mean )
{
	return supScale( 1.0f / (float)mean->count, mean->sum );
}

static supVec3 Level( supVec3 v )
{
	v.y = 0.0f;
	return v;
}

static bool NameHasOneOf( const char* name, const char* const* words, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( supJointNameHas( name, words[i] ) )
		{
			return true;
		}
	}
	return false;
}

static void Prepare( Finder* finder )
{
	const supCharacter* character = finder->character;
	bool hasSkin = supCharacter_SkinCount( character ) > 0;
	supBox box = supBox_empty;
	Mean all = { 0 };
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		// helpers (our own of helper bones, rigs' for twists) hang beside the skeleton, more on one side than on the
		// other
		bool isHelper = supJointNameHas( supCharacter_Node( character, i )->name, "helper" );
		finder->used[i] = hasSkin == false || ( supCharacter_IsJoint( character, i ) && isHelper == false );
		if ( finder->used[i] )
		{
			box = supBox_Include( box, finder->worlds[i].t );
			Add( &all, finder->worlds[i].t );
		}
	}
	finder->extent = supMaxFloat( supLength( supBox_Size( box ) ), 1e-20f );
	finder->middle = all.count > 0 ? MeanOf( &all ) : supVec3_zero;
}

static int32_t CommonAncestor( const supCharacter* character, int32_t a, int32_t b )
{
	for ( ; a >= 0; a = supCharacter_Node( character, a )->parent )
	{
		for ( int32_t i = b; i >= 0; i = supCharacter_Node( character, i )->parent )
		{
			if ( i == a )
			{
				return a;
			}
		}
	}
	return -1;
}

// From the middle of the right limbs to that of the left ones.
static supVec3 SideOfHumanoid( const Finder* finder, const supHumanoid* humanoid )
{
	static const supBodyPart parts[] = { sup_partShoulder, sup_partUpperArm, sup_partUpperLeg, sup_partLowerLeg,
										 sup_partFoot };
	supVec3 side = supVec3_zero;
	for ( int32_t i = 0; i < SUP_COUNT( parts ); ++i )
	{
		int32_t left = humanoid->limb[0][parts[i]], right = humanoid->limb[1][parts[i]];
		if ( left >= 0 && right >= 0 )
		{
			side = supAdd( side, supSub( finder->worlds[left].t, finder->worlds[right].t ) );
		}
	}
	return side;
}

// The same from the sides that joints have in their names. `carrier`: the common parent of both sides.
static supVec3 SideOfNames( const Finder* finder, int32_t* carrier )
{
	const supCharacter* character = finder->character;
	Mean sides[2] = { 0 };
	int32_t common = -1;
	bool isFirst = true;
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		int32_t side = -1;
		if ( finder->used[i] )
		{
			supClassifyJointName( supCharacter_Node( character, i )->name, &side );
		}
		if ( side >= 0 )
		{
			Add( sides + side, finder->worlds[i].t );
			int32_t parent = supCharacter_Node( character, i )->parent;
			common = isFirst ? parent : CommonAncestor( character, common, parent );
			isFirst = false;
		}
	}
	if ( sides[0].count == 0 || sides[1].count == 0 )
	{
		return supVec3_zero;
	}
	*carrier = common;
	return supSub( MeanOf( sides + 0 ), MeanOf( sides + 1 ) );
}

// Meshes of their own, such as eyes, say where the face is too.
static bool AddMesh( const Finder* finder, int32_t instance, Mean* mean )
{
	const supMesh* mesh =
		supCharacter_Mesh( finder->character, supCharacter_Instance( finder->character, instance )->mesh );
	supVec3* positions = supAllocArray( (size_t)mesh->vertexCount, sizeof( supVec3 ) );
	if ( positions == NULL )
	{
		return false;
	}
	supSkinInstance( finder->pose, instance, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = positions } );
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		box = supBox_Include( box, positions[i] );
	}
	if ( mesh->vertexCount > 0 )
	{
		Add( mean, supLerp( box.lower, box.upper, 0.5f ) );
	}
	supFree( positions );
	return true;
}

// A head that is not the child of another: not the end of a chain of them.
static bool IsFirstHead( const Finder* finder, int32_t node )
{
	static const char* const words[] = { "head", "skull" };
	bool isHead = finder->used[node] &&
				  NameHasOneOf( supCharacter_Node( finder->character, node )->name, words, SUP_COUNT( words ) );
	for ( int32_t i = node; isHead && ( i = supCharacter_Node( finder->character, i )->parent ) >= 0; )
	{
		isHead = NameHasOneOf( supCharacter_Node( finder->character, i )->name, words, SUP_COUNT( words ) ) == false;
	}
	return isHead;
}

// From the head to what lies in front of it; zero where nothing says so.
static bool FindFace( const Finder* finder, supVec3* face )
{
	static const char* const words[] = { "eye",   "eyes",  "eyeball", "nose",   "mouth", "jaw", "chin",
										 "teeth", "tooth", "tongue",  "muzzle", "snout", "beak" };
	const supCharacter* character = finder->character;
	Mean front = { 0 }, head = { 0 };
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		const char* name = supCharacter_Node( character, i )->name;
		if ( finder->used[i] && NameHasOneOf( name, words, SUP_COUNT( words ) ) )
		{
			Add( &front, finder->worlds[i].t );
		}
		else if ( IsFirstHead( finder, i ) )
		{
			Add( &head, finder->worlds[i].t );
		}
	}
	bool ok = true;
	for ( int32_t i = 0; ok && front.count == 0 && i < supCharacter_InstanceCount( character ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		bool named = NameHasOneOf( supCharacter_Mesh( character, instance->mesh )->name, words, SUP_COUNT( words ) ) ||
					 NameHasOneOf( supCharacter_Node( character, instance->node )->name, words, SUP_COUNT( words ) );
		ok = named == false || AddMesh( finder, i, &front );
	}
	supVec3 from = head.count > 0 ? MeanOf( &head ) : finder->middle;
	supVec3 to = front.count > 0 ? Level( supSub( MeanOf( &front ), from ) ) : supVec3_zero;
	*face = supLength( to ) > MIN_FACE_RATIO * finder->extent ? supNormalize( to ) : supVec3_zero;
	return ok;
}

// From tail to head of a body that is long.
static supVec3 FindLength( const Finder* finder )
{
	static const char* const heads[] = { "head", "skull", "neck" };
	static const char* const tails[] = { "tail" };
	Mean head = { 0 }, tail = { 0 };
	for ( int32_t i = 0; i < supCharacter_NodeCount( finder->character ); ++i )
	{
		const char* name = supCharacter_Node( finder->character, i )->name;
		bool isTail = finder->used[i] && NameHasOneOf( name, tails, SUP_COUNT( tails ) );
		bool isHead = finder->used[i] && NameHasOneOf( name, heads, SUP_COUNT( heads ) );
		if ( isTail || isHead )
		{
			Add( isTail ? &tail : &head, finder->worlds[i].t );
		}
	}
	if ( head.count == 0 )
	{
		return supVec3_zero;
	}
	supVec3 along = supSub( MeanOf( &head ), tail.count > 0 ? MeanOf( &tail ) : finder->middle );
	supVec3 level = Level( along );
	return supLength( level ) > MIN_LENGTH_RATIO * finder->extent ? supNormalize( level ) : supVec3_zero;
}

static supVec3 FindToes( const Finder* finder )
{
	supVec3 sum = supVec3_zero;
	for ( int32_t i = 0; i < supCharacter_NodeCount( finder->character ); ++i )
	{
		const supNode* node = supCharacter_Node( finder->character, i );
		int32_t side;
		if ( finder->used[i] && node->parent >= 0 && finder->used[node->parent] &&
			 supClassifyJointName( node->name, &side ) == sup_nameToe )
		{
			sum = supAdd( sum, Level( supSub( finder->worlds[i].t, finder->worlds[node->parent].t ) ) );
		}
	}
	return supLength( sum ) > MIN_TOE_RATIO * finder->extent ? supNormalize( sum ) : supVec3_zero;
}

static supVec3 SnapToAxis( supVec3 v )
{
	const supVec3 axes[] = { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 0, -1 }, { -1, 0, 0 } };
	for ( int32_t i = 0; i < SUP_COUNT( axes ); ++i )
	{
		if ( supDot( v, axes[i] ) > AXIS_COSINE )
		{
			return axes[i];
		}
	}
	return v;
}

static bool Decide( const Finder* finder, supFacing* facing )
{
	supHumanoid humanoid;
	int32_t carrier = -1;
	supVec3 side = supVec3_zero;
	if ( supRecognizeHumanoid( finder->character, &humanoid ) )
	{
		side = SideOfHumanoid( finder, &humanoid );
		carrier = humanoid.hips;
	}
	else
	{
		side = SideOfNames( finder, &carrier );
	}
	supVec3 clues[3] = { FindLength( finder ), supVec3_zero, FindToes( finder ) };
	bool ok = FindFace( finder, clues + 1 );
	// left x up
	supVec3 forward = supCross( side, supMakeVec3( 0.0f, 1.0f, 0.0f ) );
	facing->known = true;
	if ( supLength( forward ) > MIN_SIDE_RATIO * finder->extent )
	{
		forward = supNormalize( forward );
		int32_t against = 0, agreeing = 0;
		for ( int32_t i = 0; i < SUP_COUNT( clues ); ++i )
		{
			against += supDot( clues[i], forward ) < -0.5f;
			agreeing += supDot( clues[i], forward ) > 0.5f;
		}
		forward = against >= 2 && agreeing == 0 ? supScale( -1.0f, forward ) : forward;
	}
	else
	{
		forward = supVec3_zero;
		for ( int32_t i = 0; i < SUP_COUNT( clues ) && supLength( forward ) == 0.0f; ++i )
		{
			forward = clues[i];
		}
		facing->known = supLength( forward ) > 0.0f;
	}
	facing->forward = facing->known ? SnapToAxis( forward ) : facing->forward;
	facing->node = facing->known ? carrier : -1;
	return ok;
}

bool supFindFacing( const supCharacter* character, supFacing* facing )
{
	*facing = ( supFacing ){ .forward = { 0.0f, 0.0f, 1.0f }, .node = -1 };
	Finder finder = { .character = character, .pose = supCreatePose( character ) };
	finder.used = supAllocZeroed( (size_t)supCharacter_NodeCount( character ) + 1 );
	bool ok = finder.pose != NULL && finder.used != NULL;
	if ( ok )
	{
		finder.worlds = supPose_Worlds( finder.pose );
		Prepare( &finder );
		ok = Decide( &finder, facing );
	}
	supMat34 inverse;
	if ( ok && facing->node >= 0 )
	{
		if ( supInvertMat34( finder.worlds[facing->node], &inverse ) )
		{
			facing->local = supMulMV( supLinearPart( inverse ), facing->forward );
		}
		else
		{
			facing->node = -1;
		}
	}
	supFree( finder.used );
	supDestroyPose( finder.pose );
	return ok;
}

supVec3 supFacing_At( const supFacing* facing, supPose* pose )
{
	if ( facing->node < 0 )
	{
		return facing->forward;
	}
	supVec3 v = supMulMV( supLinearPart( supPose_Worlds( pose )[facing->node] ), facing->local );
	float length = supLength( v );
	return length > 0.0f ? Level( supScale( 1.0f / length, v ) ) : facing->forward;
}

float supFacing_Azimuth( supVec3 forward )
{
	return supAtan2( forward.x, forward.z ) * 180.0f / SUP_PI;
}
