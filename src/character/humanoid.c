// SPDX-License-Identifier: MIT
// Recognising people.
//
// First every name is cut into words ("J_Bip_L_UpperArm": j, bip, l, upper, arm), which give a kind and a side. Then
// the hierarchy decides: a "leg" below an "upper leg" is the lower one, a "shoulder" with an "arm" below it is a
// clavicle, hips are what both legs and the head hang from, and everything on the way from there to the neck is spine.
#include "character/humanoid.h"

#include "core/core.h"

#define MAX_TOKEN_LENGTH 24

// A crowd, not a person.
#define MAX_NODES 4096

// ---------------------------------------------------------------------------------------------------------------------
// Words

typedef enum WordKind
{
	wordUnknown,
	wordIgnore,
	wordLeft,
	wordRight,
	wordUpper,
	wordLower,
	wordFore,
	wordHips,
	wordSpine,
	wordNeck,
	wordHead,
	wordClavicle,
	wordShoulder,
	wordArm,
	wordUpperArm,
	wordLowerArm,
	wordHand,
	wordPalm,
	wordLeg,
	wordUpperLeg,
	wordLowerLeg,
	wordFoot,
	wordToe,
	wordThumb,
	wordIndex,
	wordMiddle,
	wordRing,
	wordLittle,
	wordFinger,
	wordButtock,
	wordMetacarpal,
	wordCount,
} WordKind;

typedef struct Word
{
	const char* text;
	WordKind kind;
} Word;

static const Word s_words[] = {
	{ "left", wordLeft },
	{ "lft", wordLeft },
	{ "l", wordLeft },
	{ "right", wordRight },
	{ "rgt", wordRight },
	{ "r", wordRight },
	{ "up", wordUpper },
	{ "upper", wordUpper },
	{ "lower", wordLower },
	{ "low", wordLower },
	{ "lo", wordLower },
	{ "fore", wordFore },
	{ "hip", wordHips },
	{ "hips", wordHips },
	{ "pelvis", wordHips },
	{ "spine", wordSpine },
	{ "spin", wordSpine },
	{ "chest", wordSpine },
	{ "torso", wordSpine },
	{ "abdomen", wordSpine },
	{ "belly", wordSpine },
	{ "waist", wordSpine },
	{ "stomach", wordSpine },
	{ "back", wordSpine },
	{ "thorax", wordSpine },
	{ "ribcage", wordSpine },
	{ "lowerback", wordSpine },
	{ "upperchest", wordSpine },
	{ "neck", wordNeck },
	{ "head", wordHead },
	{ "skull", wordHead },
	{ "clavicle", wordClavicle },
	{ "clavicule", wordClavicle },
	{ "clav", wordClavicle },
	{ "collar", wordClavicle },
	{ "collarbone", wordClavicle },
	{ "scapula", wordClavicle },
	{ "shoulder", wordShoulder },
	{ "shldr", wordShoulder },
	{ "arm", wordArm },
	{ "upperarm", wordUpperArm },
	{ "uparm", wordUpperArm },
	{ "bicep", wordUpperArm },
	{ "humerus", wordUpperArm },
	{ "lowerarm", wordLowerArm },
	{ "lowarm", wordLowerArm },
	{ "forearm", wordLowerArm },
	{ "elbow", wordLowerArm },
	{ "hand", wordHand },
	{ "wrist", wordHand },
	{ "palm", wordPalm },
	{ "leg", wordLeg },
	{ "upperleg", wordUpperLeg },
	{ "upleg", wordUpperLeg },
	{ "thigh", wordUpperLeg },
	{ "femur", wordUpperLeg },
	{ "lowerleg", wordLowerLeg },
	{ "lowleg", wordLowerLeg },
	{ "calf", wordLowerLeg },
	{ "shin", wordLowerLeg },
	{ "knee", wordLowerLeg },
	{ "shank", wordLowerLeg },
	{ "tibia", wordLowerLeg },
	{ "foot", wordFoot },
	{ "ankle", wordFoot },
	{ "toe", wordToe },
	{ "toes", wordToe },
	{ "toebase", wordToe },
	{ "ball", wordToe },
	{ "thumb", wordThumb },
	{ "index", wordIndex },
	{ "middle", wordMiddle },
	{ "mid", wordMiddle },
	{ "ring", wordRing },
	{ "pinky", wordLittle },
	{ "pinkie", wordLittle },
	{ "little", wordLittle },
	{ "finger", wordFinger },
	{ "fingers", wordFinger },
	{ "buttock", wordButtock },
	// helpers and everything on a body that is not the body
	{ "end", wordIgnore },
	{ "leaf", wordIgnore },
	{ "nub", wordIgnore },
	{ "tip", wordIgnore },
	{ "top", wordIgnore },
	{ "site", wordIgnore },
	{ "twist", wordIgnore },
	{ "roll", wordIgnore },
	{ "ik", wordIgnore },
	{ "fk", wordIgnore },
	{ "pole", wordIgnore },
	{ "target", wordIgnore },
	{ "ctrl", wordIgnore },
	{ "control", wordIgnore },
	{ "effector", wordIgnore },
	{ "helper", wordIgnore },
	{ "mch", wordIgnore },
	{ "org", wordIgnore },
	{ "vis", wordIgnore },
	{ "sec", wordIgnore },
	{ "socket", wordIgnore },
	{ "attach", wordIgnore },
	{ "weapon", wordIgnore },
	{ "prop", wordIgnore },
	{ "metacarpal", wordMetacarpal },
	{ "eye", wordIgnore },
	{ "eyes", wordIgnore },
	{ "ear", wordIgnore },
	{ "hair", wordIgnore },
	{ "jaw", wordIgnore },
	{ "brow", wordIgnore },
	{ "lip", wordIgnore },
	{ "lid", wordIgnore },
	{ "eyelid", wordIgnore },
	{ "eyebrow", wordIgnore },
	{ "mouth", wordIgnore },
	{ "nose", wordIgnore },
	{ "tongue", wordIgnore },
	{ "teeth", wordIgnore },
	{ "cheek", wordIgnore },
	{ "chin", wordIgnore },
	{ "beard", wordIgnore },
	{ "breast", wordIgnore },
	{ "bust", wordIgnore },
	{ "skirt", wordIgnore },
	{ "coat", wordIgnore },
	{ "cape", wordIgnore },
	{ "sleeve", wordIgnore },
	{ "cloth", wordIgnore },
	{ "tail", wordIgnore },
	{ "wing", wordIgnore },
	{ "horn", wordIgnore },
	{ "antler", wordIgnore },
};

static WordKind FindWord( const char* text )
{
	for ( int i = 0; i < SUP_COUNT( s_words ); ++i )
	{
		if ( strcmp( text, s_words[i].text ) == 0 )
		{
			return s_words[i].kind;
		}
	}
	return wordUnknown;
}

static bool IsUpper( char c )
{
	return c >= 'A' && c <= 'Z';
}

static bool IsLower( char c )
{
	return c >= 'a' && c <= 'z';
}

static bool IsDigit( char c )
{
	return c >= '0' && c <= '9';
}

static char ToLower( char c )
{
	return IsUpper( c ) ? (char)( c - 'A' + 'a' ) : c;
}

// What stands before the last colon or bar belongs to the file, not to the joint.
static const char* SkipPrefix( const char* name )
{
	const char* start = name;
	for ( const char* p = name; *p != 0; ++p )
	{
		start = ( *p == ':' || *p == '|' ) && p[1] != 0 ? p + 1 : start;
	}
	// what is left of it where a program has taken the colon away
	static const char mixamo[] = "mixamorig";
	size_t length = 0;
	while ( mixamo[length] != 0 && ToLower( start[length] ) == mixamo[length] )
	{
		++length;
	}
	if ( mixamo[length] != 0 )
	{
		return start;
	}
	const char* rest = start + length;
	while ( IsDigit( *rest ) || *rest == '_' || *rest == '-' || *rest == '.' )
	{
		++rest;
	}
	return *rest != 0 ? rest : start;
}

// A boundary lies before p: between small and large letter ("leftArm"), before the last of several large ones that
// begin a word ("LHip").
static bool StartsWord( const char* start, const char* p )
{
	return p > start && IsUpper( *p ) && ( IsLower( p[-1] ) || ( IsUpper( p[-1] ) && IsLower( p[1] ) ) );
}

typedef struct NameWords
{
	bool has[wordCount];
	int32_t side;
} NameWords;

static void AddWord( NameWords* words, const char* text )
{
	WordKind kind = FindWord( text );
	if ( kind == wordUnknown )
	{
		// glued sides: "leftarm", "rthigh"
		size_t skip = strncmp( text, "left", 4 ) == 0    ? 4
					  : strncmp( text, "right", 5 ) == 0 ? 5
					  : text[0] == 'l' || text[0] == 'r' ? 1
														 : 0;
		kind = skip > 0 ? FindWord( text + skip ) : wordUnknown;
		if ( kind > wordRight )
		{
			words->side = text[0] == 'l' ? 0 : 1;
		}
	}
	if ( kind == wordLeft || kind == wordRight )
	{
		words->side = kind == wordLeft ? 0 : 1;
	}
	words->has[kind] = true;
}

// The word at or after p, in small letters. Returns its end, NULL if there is none.
static const char* NextWord( const char* start, const char* p, char token[MAX_TOKEN_LENGTH] )
{
	size_t length = 0;
	for ( ;; ++p )
	{
		bool isLetter = IsUpper( *p ) || IsLower( *p );
		if ( length > 0 && ( !isLetter || StartsWord( start, p ) ) )
		{
			token[length] = 0;
			return p;
		}
		if ( *p == 0 )
		{
			return NULL;
		}
		if ( isLetter && length < MAX_TOKEN_LENGTH - 1 )
		{
			token[length++] = ToLower( *p );
		}
	}
}

static NameWords SplitName( const char* name )
{
	NameWords words = { .side = -1 };
	const char* start = SkipPrefix( name );
	char token[MAX_TOKEN_LENGTH];
	for ( const char* p = NextWord( start, start, token ); p != NULL; p = NextWord( start, p, token ) )
	{
		AddWord( &words, token );
	}
	return words;
}

bool supJointNameHas( const char* name, const char* word )
{
	const char* start = SkipPrefix( name );
	size_t length = strlen( word );
	char token[MAX_TOKEN_LENGTH];
	for ( const char* p = NextWord( start, start, token ); p != NULL; p = NextWord( start, p, token ) )
	{
		const char* rest = strncmp( token, "left", 4 ) == 0    ? token + 4
						   : strncmp( token, "right", 5 ) == 0 ? token + 5
															   : token;
		if ( length < 4 ? strcmp( rest, word ) == 0 : strstr( rest, word ) != NULL )
		{
			return true;
		}
	}
	return false;
}

supNameKind supClassifyJointName( const char* name, int32_t* side )
{
	NameWords words = SplitName( name );
	const bool* has = words.has;
	*side = words.side;
	// only the thumb's metacarpal is a finger bone of its own
	if ( has[wordIgnore] || ( has[wordMetacarpal] && !has[wordThumb] ) )
	{
		return sup_nameIgnored;
	}
	if ( words.side < 0 )
	{
		return has[wordNeck]    ? sup_nameNeck
			   : has[wordHead]  ? sup_nameHead
			   : has[wordHips]  ? sup_nameHips
			   : has[wordSpine] ? sup_nameSpine
								: sup_nameUnknown;
	}
	static const struct
	{
		WordKind word;
		supNameKind kind;
	} order[] = {
		// the end of a limb wins over the limb: "LeftHandIndex1", "arm_hand_l"
		{ wordToe, sup_nameToe },           { wordFoot, sup_nameFoot },         { wordThumb, sup_nameThumb },
		{ wordIndex, sup_nameIndex },       { wordMiddle, sup_nameMiddle },     { wordRing, sup_nameRing },
		{ wordLittle, sup_nameLittle },     { wordFinger, sup_nameIgnored },    { wordPalm, sup_namePalm },
		{ wordHand, sup_nameHand },         { wordUpperArm, sup_nameUpperArm }, { wordLowerArm, sup_nameLowerArm },
		{ wordUpperLeg, sup_nameUpperLeg }, { wordLowerLeg, sup_nameLowerLeg },
	};
	for ( int i = 0; i < SUP_COUNT( order ); ++i )
	{
		if ( has[order[i].word] )
		{
			return order[i].kind;
		}
	}
	if ( has[wordArm] )
	{
		return has[wordUpper] ? sup_nameUpperArm : ( has[wordLower] || has[wordFore] ? sup_nameLowerArm : sup_nameArm );
	}
	if ( has[wordLeg] )
	{
		return has[wordUpper] ? sup_nameUpperLeg : ( has[wordLower] ? sup_nameLowerLeg : sup_nameLeg );
	}
	return has[wordClavicle]                   ? sup_nameClavicle
		   : has[wordShoulder]                 ? sup_nameShoulder
		   : has[wordHips] || has[wordButtock] ? sup_nameSideHip
		   : has[wordNeck] || has[wordHead]    ? sup_nameIgnored
											   : sup_nameUnknown;
}

static const char* SkipSeparators( const char* p )
{
	while ( *p == ' ' || *p == '_' || *p == '-' || *p == '.' )
	{
		++p;
	}
	return p;
}

bool supJointNamesMatch( const char* a, const char* b )
{
	a = SkipPrefix( a );
	b = SkipPrefix( b );
	for ( ;; )
	{
		a = SkipSeparators( a );
		b = SkipSeparators( b );
		if ( ToLower( *a ) != ToLower( *b ) )
		{
			return false;
		}
		if ( *a == 0 )
		{
			return true;
		}
		++a;
		++b;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Hierarchy

typedef struct Search
{
	const supCharacter* character;
	int32_t nodeCount;
	const int32_t* order;
	// by node: a supNameKind, and the side
	uint8_t kinds[MAX_NODES];
	int8_t sides[MAX_NODES];
} Search;

static void ClassifyNodes( Search* search )
{
	// where the character has skins only their joints move it
	bool jointsOnly = supCharacter_SkinCount( search->character ) > 0;
	for ( int32_t i = 0; i < search->nodeCount; ++i )
	{
		int32_t side = -1;
		bool candidate = !jointsOnly || supCharacter_IsJoint( search->character, i );
		supNameKind kind = candidate ? supClassifyJointName( supCharacter_Node( search->character, i )->name, &side )
									 : sup_nameIgnored;
		search->kinds[i] = (uint8_t)kind;
		search->sides[i] = (int8_t)side;
	}
}

static bool IsKind( const Search* search, int32_t node, supNameKind kind, int32_t side )
{
	return search->kinds[node] == kind && search->sides[node] == side;
}

static bool IsBelow( const Search* search, int32_t node, int32_t ancestor )
{
	while ( node >= 0 && node != ancestor )
	{
		node = supCharacter_Node( search->character, node )->parent;
	}
	return node >= 0 && ancestor >= 0;
}

static bool IsStrictlyBelow( const Search* search, int32_t node, int32_t ancestor )
{
	return node != ancestor && IsBelow( search, node, ancestor );
}

// The highest node of this kind and side below `ancestor` (anywhere where that is -1); -1 without.
static int32_t FindKind( const Search* search, supNameKind kind, int32_t side, int32_t ancestor )
{
	for ( int32_t i = 0; i < search->nodeCount; ++i )
	{
		int32_t node = search->order[i];
		if ( IsKind( search, node, kind, side ) && ( ancestor < 0 || IsStrictlyBelow( search, node, ancestor ) ) )
		{
			return node;
		}
	}
	return -1;
}

// The nearest ancestor of this kind and side; -1 without.
static int32_t FindKindAbove( const Search* search, supNameKind kind, int32_t side, int32_t node )
{
	do
	{
		node = supCharacter_Node( search->character, node )->parent;
	} while ( node >= 0 && !IsKind( search, node, kind, side ) );
	return node;
}

static int32_t FindCommonAncestor( const Search* search, int32_t a, int32_t b )
{
	while ( a >= 0 && !IsBelow( search, b, a ) )
	{
		a = supCharacter_Node( search->character, a )->parent;
	}
	return a;
}

static int32_t Prefer( int32_t first, int32_t otherwise )
{
	return first >= 0 ? first : otherwise;
}

// ---------------------------------------------------------------------------------------------------------------------
// Limbs

static void FindFingers( const Search* search, int32_t side, int32_t hand, int32_t* limb )
{
	for ( int finger = 0; finger < 5; ++finger )
	{
		int32_t above = hand;
		for ( int segment = 0; segment < 3 && above >= 0; ++segment )
		{
			above = FindKind( search, (supNameKind)( sup_nameThumb + finger ), side, above );
			limb[sup_partThumb1 + 3 * finger + segment] = above;
		}
	}
}

static void FindArm( const Search* search, int32_t side, int32_t* limb )
{
	int32_t upper = FindKind( search, sup_nameUpperArm, side, -1 );
	int32_t lower = FindKind( search, sup_nameLowerArm, side, upper );
	int32_t arm = FindKind( search, sup_nameArm, side, -1 );
	if ( upper < 0 && lower >= 0 )
	{
		upper = Prefer( FindKindAbove( search, sup_nameArm, side, lower ),
						FindKindAbove( search, sup_nameShoulder, side, lower ) );
	}
	else if ( upper >= 0 && lower < 0 )
	{
		lower = FindKind( search, sup_nameArm, side, upper );
	}
	else if ( upper < 0 && arm >= 0 )
	{
		// numbered joints: arm_1, arm_2, arm_3
		upper = arm;
		lower = FindKind( search, sup_nameArm, side, upper );
	}
	if ( upper < 0 || lower < 0 || !IsStrictlyBelow( search, lower, upper ) )
	{
		return;
	}
	limb[sup_partUpperArm] = upper;
	limb[sup_partLowerArm] = lower;
	limb[sup_partShoulder] = Prefer( FindKindAbove( search, sup_nameClavicle, side, upper ),
									 FindKindAbove( search, sup_nameShoulder, side, upper ) );
	int32_t hand = FindKind( search, sup_nameHand, side, lower );
	hand = Prefer( hand, FindKind( search, sup_nameArm, side, lower ) );
	hand = Prefer( hand, FindKind( search, sup_namePalm, side, lower ) );
	limb[sup_partHand] = hand;
	FindFingers( search, side, Prefer( FindKind( search, sup_nameHand, side, lower ), lower ), limb );
}

static void FindLeg( const Search* search, int32_t side, int32_t* limb )
{
	int32_t upper = FindKind( search, sup_nameUpperLeg, side, -1 );
	int32_t lower = FindKind( search, sup_nameLowerLeg, side, upper );
	int32_t leg = FindKind( search, sup_nameLeg, side, -1 );
	if ( upper < 0 && lower >= 0 )
	{
		upper = Prefer( FindKindAbove( search, sup_nameLeg, side, lower ),
						FindKindAbove( search, sup_nameSideHip, side, lower ) );
	}
	else if ( upper >= 0 && lower < 0 )
	{
		lower = FindKind( search, sup_nameLeg, side, upper );
	}
	else if ( upper < 0 && leg >= 0 )
	{
		int32_t next = FindKind( search, sup_nameLeg, side, leg );
		int32_t hip = FindKindAbove( search, sup_nameSideHip, side, leg );
		upper = next >= 0 ? leg : hip;
		lower = next >= 0 ? next : leg;
	}
	if ( upper < 0 || lower < 0 || !IsStrictlyBelow( search, lower, upper ) )
	{
		return;
	}
	limb[sup_partUpperLeg] = upper;
	limb[sup_partLowerLeg] = lower;
	int32_t foot =
		Prefer( FindKind( search, sup_nameFoot, side, lower ), FindKind( search, sup_nameLeg, side, lower ) );
	limb[sup_partFoot] = foot;
	limb[sup_partLooseFoot] = foot < 0 ? FindKind( search, sup_nameFoot, side, -1 ) : -1;
	if ( foot >= 0 )
	{
		limb[sup_partToe] =
			Prefer( FindKind( search, sup_nameToe, side, foot ), FindKind( search, sup_nameLeg, side, foot ) );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Trunk

static void FindHead( const Search* search, int32_t arms, supHumanoid* humanoid )
{
	humanoid->head = FindKind( search, sup_nameHead, -1, -1 );
	if ( humanoid->head >= 0 )
	{
		return;
	}
	// the last of the joints called neck, or (Rigify) of those called spine that carry no arms
	int32_t last = -1;
	int32_t first = FindKind( search, sup_nameNeck, -1, -1 );
	for ( int32_t node = first; node >= 0; node = FindKind( search, sup_nameNeck, -1, node ) )
	{
		last = node;
	}
	if ( first < 0 && arms >= 0 )
	{
		for ( int32_t node = FindKind( search, sup_nameSpine, -1, arms ); node >= 0;
			  node = FindKind( search, sup_nameSpine, -1, node ) )
		{
			last = node;
		}
	}
	humanoid->head = last != first ? last : -1;
	if ( last == first && first >= 0 )
	{
		humanoid->neck[humanoid->neckCount++] = first;
	}
}

// Everything between the hips and the head, from below: spine up to where the arms branch off, then neck.
static void FindTrunk( const Search* search, int32_t arms, supHumanoid* humanoid )
{
	int32_t top = Prefer( humanoid->head, humanoid->neckCount > 0 ? humanoid->neck[0] : arms );
	int32_t chain[64];
	int32_t count = 0;
	bool isBelow = IsBelow( search, top, humanoid->hips );
	for ( int32_t node = top; isBelow && node != humanoid->hips && count < SUP_COUNT( chain );
		  node = supCharacter_Node( search->character, node )->parent )
	{
		if ( node != humanoid->head )
		{
			chain[count++] = node;
		}
	}
	humanoid->neckCount = 0;
	while ( count > 0 )
	{
		int32_t node = chain[--count];
		bool isNeck = IsKind( search, node, sup_nameNeck, -1 );
		bool isAboveArms = arms >= 0 && IsStrictlyBelow( search, node, arms );
		if ( ( isNeck || isAboveArms || humanoid->neckCount > 0 ) && humanoid->neckCount < SUP_MAX_NECK )
		{
			humanoid->neck[humanoid->neckCount++] = node;
		}
		else if ( humanoid->spineCount < SUP_MAX_SPINE )
		{
			humanoid->spine[humanoid->spineCount++] = node;
		}
	}
}

static void FindHips( const Search* search, int32_t arms, supHumanoid* humanoid )
{
	int32_t left = humanoid->limb[0][sup_partUpperLeg];
	int32_t right = humanoid->limb[1][sup_partUpperLeg];
	int32_t up = Prefer( arms, Prefer( humanoid->head, humanoid->neckCount > 0 ? humanoid->neck[0] : -1 ) );
	int32_t named = FindKind( search, sup_nameHips, -1, -1 );
	if ( left < 0 || right < 0 )
	{
		humanoid->hips = up < 0 || IsBelow( search, up, named ) ? named : -1;
		return;
	}
	// below the named one there may be another, nearer one ("HipsCtrl" over "Hips")
	for ( int32_t next = named; next >= 0; next = FindKind( search, sup_nameHips, -1, next ) )
	{
		bool carries = IsBelow( search, left, next ) && IsBelow( search, right, next );
		named = carries && ( up < 0 || IsBelow( search, up, next ) ) ? next : named;
	}
	bool carriesLegs = named >= 0 && IsBelow( search, left, named ) && IsBelow( search, right, named );
	if ( carriesLegs && ( up < 0 || IsBelow( search, up, named ) ) )
	{
		humanoid->hips = named;
		return;
	}
	int32_t common = FindCommonAncestor( search, left, right );
	humanoid->hips = up >= 0 ? FindCommonAncestor( search, common, up ) : common;
}

// Where a node is in the world at rest.
static supVec3 FindPlace( const supCharacter* character, int32_t node )
{
	supVec3 place = supVec3_zero;
	for ( ; node >= 0; node = supCharacter_Node( character, node )->parent )
	{
		const supNode* n = supCharacter_Node( character, node );
		place = supTransformPoint( n->hasMatrix ? n->matrix : supMakeMat34Transform( n->rest ), place );
	}
	return place;
}

// Legs and spine point away from each other; an animal's are square. True where there is too little to tell.
static bool IsUpright( const supCharacter* character, const supHumanoid* humanoid )
{
	int32_t top = Prefer( humanoid->head, humanoid->neckCount > 0 ? humanoid->neck[0] : -1 );
	if ( top < 0 )
	{
		return true;
	}
	supVec3 spine = supSub( FindPlace( character, top ), FindPlace( character, humanoid->hips ) );
	supVec3 legs = supVec3_zero;
	for ( int32_t side = 0; side < 2; ++side )
	{
		const int32_t* limb = humanoid->limb[side];
		int32_t end = Prefer( limb[sup_partFoot], limb[sup_partLowerLeg] );
		legs =
			end >= 0
				? supAdd( legs, supSub( FindPlace( character, end ), FindPlace( character, limb[sup_partUpperLeg] ) ) )
				: legs;
	}
	float length = supLength( spine ) * supLength( legs );
	return !( length > 0.0f ) || supDot( spine, legs ) < -0.6f * length;
}

bool supRecognizeHumanoid( const supCharacter* character, supHumanoid* humanoid )
{
	memset( humanoid, 0xff, sizeof( *humanoid ) );
	humanoid->spineCount = 0;
	humanoid->neckCount = 0;
	Search search;
	search.character = character;
	search.nodeCount = supCharacter_NodeCount( character );
	search.order = supCharacter_NodeOrder( character );
	if ( search.nodeCount > MAX_NODES )
	{
		return false;
	}
	ClassifyNodes( &search );
	bool arms = true;
	bool legs = true;
	for ( int32_t side = 0; side < 2; ++side )
	{
		FindArm( &search, side, humanoid->limb[side] );
		FindLeg( &search, side, humanoid->limb[side] );
		arms = arms && humanoid->limb[side][sup_partUpperArm] >= 0;
		legs = legs && humanoid->limb[side][sup_partUpperLeg] >= 0;
	}
	int32_t branch =
		arms ? FindCommonAncestor( &search, humanoid->limb[0][sup_partUpperArm], humanoid->limb[1][sup_partUpperArm] )
			 : -1;
	FindHead( &search, branch, humanoid );
	FindHips( &search, branch, humanoid );
	if ( humanoid->hips >= 0 )
	{
		humanoid->head = IsStrictlyBelow( &search, humanoid->head, humanoid->hips ) ? humanoid->head : -1;
		FindTrunk( &search, branch, humanoid );
	}
	return humanoid->hips >= 0 && ( legs || arms ) && IsUpright( character, humanoid );
}
