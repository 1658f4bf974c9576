// SPDX-License-Identifier: MIT
// A skeleton of 21 joints plays a table of terms; the clip is retargeted to the character.
#include "character/motion.h"

#define KEYS_PER_SECOND 30.0f

// One row for joints in the middle of the body, two for those of the limbs.
#define LIMB_PARTS ( sup_personToes - sup_personShoulder + 1 )
#define JOINT_COUNT ( sup_personShoulder + 2 * LIMB_PARTS )

typedef struct PersonJoint
{
	const char* names[2]; // left and right; the second NULL in the middle of the body
	int32_t parent;       // a part
	supVec3 place;        // of the left one, in the world
} PersonJoint;

// Indexed by part. Metres, in T-pose.
static const PersonJoint s_joints[] = {
	{ { "Hips", NULL }, -1, { 0.0f, 0.95f, 0.0f } },
	{ { "Spine", NULL }, sup_personHips, { 0.0f, 1.07f, 0.0f } },
	{ { "Chest", NULL }, sup_personSpine, { 0.0f, 1.24f, -0.01f } },
	{ { "Neck", NULL }, sup_personChest, { 0.0f, 1.46f, -0.01f } },
	{ { "Head", NULL }, sup_personNeck, { 0.0f, 1.55f, 0.0f } },
	{ { "LeftShoulder", "RightShoulder" }, sup_personChest, { 0.04f, 1.41f, 0.0f } },
	{ { "LeftUpperArm", "RightUpperArm" }, sup_personShoulder, { 0.17f, 1.41f, 0.0f } },
	{ { "LeftLowerArm", "RightLowerArm" }, sup_personUpperArm, { 0.45f, 1.41f, 0.0f } },
	{ { "LeftHand", "RightHand" }, sup_personLowerArm, { 0.70f, 1.41f, 0.0f } },
	{ { "LeftUpperLeg", "RightUpperLeg" }, sup_personHips, { 0.09f, 0.92f, 0.0f } },
	{ { "LeftLowerLeg", "RightLowerLeg" }, sup_personUpperLeg, { 0.09f, 0.50f, 0.01f } },
	{ { "LeftFoot", "RightFoot" }, sup_personLowerLeg, { 0.09f, 0.08f, -0.01f } },
	{ { "LeftToes", "RightToes" }, sup_personFoot, { 0.09f, 0.02f, 0.12f } },
};

// What touches the ground: heel and tip of the toes.
static const struct
{
	supPersonPart part;
	supVec3 place;
} s_soles[] = {
	{ sup_personFoot, { 0.09f, 0.0f, -0.06f } },
	{ sup_personToes, { 0.09f, 0.0f, 0.20f } },
};

typedef struct Person
{
	supNode nodes[JOINT_COUNT];
	supVec3 places[JOINT_COUNT];
	supQuat rotations[JOINT_COUNT];
	supVec3 hips;
	float flight;
} Person;

static int32_t FindJoint( int32_t part, int32_t side )
{
	return part < sup_personShoulder ? part : sup_personShoulder + 2 * ( part - sup_personShoulder ) + side;
}

static supVec3 OnSide( supVec3 place, int32_t side )
{
	return side == 0 ? place : supMakeVec3( -place.x, place.y, place.z );
}

static void MakePerson( Person* person )
{
	for ( int32_t part = 0; part < SUP_COUNT( s_joints ); ++part )
	{
		for ( int32_t side = 0; side < ( part < sup_personShoulder ? 1 : 2 ); ++side )
		{
			const PersonJoint* joint = s_joints + part;
			int32_t index = FindJoint( part, side );
			int32_t parent = joint->parent < 0 ? -1 : FindJoint( joint->parent, side );
			person->places[index] = OnSide( joint->place, side );
			supVec3 origin = parent < 0 ? supVec3_zero : person->places[parent];
			person->nodes[index] =
				( supNode ){ .name = joint->names[side],
							 .parent = parent,
							 .rest = { supSub( person->places[index], origin ), supQuat_identity, supVec3_one },
							 .matrix = supMat34_identity };
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Posing

static float Smooth( float u )
{
	float x = supClampFloat( u, 0.0f, 1.0f );
	return x * x * ( 3.0f - 2.0f * x );
}

float supEvaluateCurve( supCurve curve, float rate, float offset, float t )
{
	float sine = supComputeCosSin( 2.0f * SUP_PI * ( rate * t + offset ) ).sine;
	float half = supMaxFloat( sine, 0.0f );
	// pulses reach around the end of the clip
	float away = t - offset - ( t - offset > 0.5f ? 1.0f : t - offset < -0.5f ? -1.0f : 0.0f );
	float way = supMinFloat( ( away < 0.0f ? -away : away ) / supMaxFloat( rate, 1e-6f ), 1.0f );
	switch ( curve )
	{
		case sup_curveWave:
			return sine;
		case sup_curveHalf:
			return half;
		case sup_curveLift:
			return half * half;
		case sup_curvePulse:
			return Smooth( 1.0f - way );
		case sup_curveArc:
			return 1.0f - way * way;
		case sup_curveRamp:
			return Smooth( ( t - offset + rate ) / ( 2.0f * rate ) );
		default:
			return 1.0f;
	}
}

static supVec3 FindAxis( char axis, int32_t side )
{
	float mirrored = side == 0 ? 1.0f : -1.0f;
	switch ( axis )
	{
		case 'y':
			return supMakeVec3( 0.0f, mirrored, 0.0f );
		case 'z':
			return supMakeVec3( 0.0f, 0.0f, mirrored );
		case 'Y':
			return supMakeVec3( 0.0f, 1.0f, 0.0f );
		case 'Z':
			return supMakeVec3( 0.0f, 0.0f, 1.0f );
		default:
			return supMakeVec3( 1.0f, 0.0f, 0.0f );
	}
}

static void AddTerm( Person* person, const supMotionTerm* term, float t )
{
	float height = s_joints[sup_personHips].place.y;
	if ( term->part == sup_personShift || term->part == sup_personFlight )
	{
		float amount = term->amount * height * supEvaluateCurve( term->curve, term->rate, term->offset, t );
		supVec3 axis = FindAxis( term->axis, 0 );
		person->hips = term->part == sup_personShift ? supAdd( person->hips, supScale( amount, axis ) ) : person->hips;
		person->flight += term->part == sup_personFlight ? amount : 0.0f;
		return;
	}
	for ( int32_t side = 0; side < ( term->part < sup_personShoulder ? 1 : 2 ); ++side )
	{
		float offset = term->offset + ( term->alternate && side == 1 ? 0.5f : 0.0f );
		float degrees = term->amount * supEvaluateCurve( term->curve, term->rate, offset, t );
		supQuat turn = supMakeQuatAxisAngle( FindAxis( term->axis, side ), degrees * ( SUP_PI / 180.0f ) );
		supQuat* rotation = person->rotations + FindJoint( term->part, side );
		*rotation = supMulQuat( turn, *rotation );
	}
}

// Of the soles, with the hips where they are.
static float FindLowest( const Person* person )
{
	float lowest = 1e9f;
	for ( int32_t i = 0; i < 2 * SUP_COUNT( s_soles ); ++i )
	{
		int32_t joint = FindJoint( s_soles[i / 2].part, i % 2 );
		supVec3 p = supSub( OnSide( s_soles[i / 2].place, i % 2 ), person->places[joint] );
		for ( ; joint >= 0; joint = person->nodes[joint].parent )
		{
			supVec3 offset = joint == sup_personHips ? person->hips : person->nodes[joint].rest.translation;
			p = supAdd( offset, supRotate( person->rotations[joint], p ) );
		}
		lowest = supMinFloat( lowest, p.y );
	}
	return lowest;
}

static void PosePerson( Person* person, const supPersonMotion* motion, float t )
{
	person->hips = s_joints[sup_personHips].place;
	person->flight = 0.0f;
	for ( int32_t i = 0; i < JOINT_COUNT; ++i )
	{
		person->rotations[i] = supQuat_identity;
	}
	for ( int32_t i = 0; i < motion->termCount; ++i )
	{
		AddTerm( person, motion->terms + i, t );
	}
	person->hips.y += person->flight - FindLowest( person );
}

// ---------------------------------------------------------------------------------------------------------------------

// Keys of all joints and of the hips' place, into channels of the arena.
static bool SamplePerson( Person* person, const supPersonMotion* motion, supArena* arena, supClip* clip )
{
	int32_t keyCount = (int32_t)( motion->seconds * KEYS_PER_SECOND + 0.5f ) + 1;
	float* times = supArena_AllocArray( arena, (size_t)keyCount, sizeof( float ) );
	supQuat* turns = supArena_AllocArray( arena, (size_t)( keyCount * JOINT_COUNT ), sizeof( supQuat ) );
	supVec3* shifts = supArena_AllocArray( arena, (size_t)keyCount, sizeof( supVec3 ) );
	supChannel* channels = supArena_AllocArray( arena, JOINT_COUNT + 1, sizeof( supChannel ) );
	if ( arena->failed )
	{
		return false;
	}
	for ( int32_t key = 0; key < keyCount; ++key )
	{
		float t = (float)key / (float)( keyCount - 1 );
		times[key] = t * motion->seconds;
		PosePerson( person, motion, t );
		shifts[key] = person->hips;
		for ( int32_t i = 0; i < JOINT_COUNT; ++i )
		{
			turns[i * keyCount + key] = supNormalizeQuat( person->rotations[i] );
		}
	}
	supChannel channel = { .interpolation = sup_interpolationLinear, .keyCount = keyCount, .times = times };
	for ( int32_t i = 0; i < JOINT_COUNT; ++i )
	{
		channels[i] = channel;
		channels[i].node = i;
		channels[i].path = sup_channelRotation;
		channels[i].width = 4;
		channels[i].values = &turns[i * keyCount].x;
	}
	channels[JOINT_COUNT] = channel;
	channels[JOINT_COUNT].path = sup_channelTranslation;
	channels[JOINT_COUNT].width = 3;
	channels[JOINT_COUNT].values = &shifts[0].x;
	*clip = ( supClip ){
		.name = motion->name, .end = times[keyCount - 1], .channelCount = JOINT_COUNT + 1, .channels = channels
	};
	return true;
}

supClip* supCreatePersonClip( const supCharacter* character, const supPersonMotion* motion, supError* error )
{
	Person person;
	supClip clip;
	supArena arena = { 0 };
	MakePerson( &person );
	if ( SamplePerson( &person, motion, &arena, &clip ) == false )
	{
		supArena_Destroy( &arena );
		supSetMemoryError( error );
		return NULL;
	}
	supCharacterDef def = supDefaultCharacterDef();
	def.name = "built-in motion";
	def.nodeCount = JOINT_COUNT;
	def.nodes = person.nodes;
	def.clipCount = 1;
	def.clips = &clip;
	supCharacter* source = supCreateCharacter( &def, error );
	supArena_Destroy( &arena );
	supRetargetDef retarget = supDefaultRetargetDef();
	retarget.keepFirstFrame = true;
	supClip* result =
		source != NULL ? supRetargetClip( character, source, supCharacter_Clip( source, 0 ), &retarget, error ) : NULL;
	supDestroyCharacter( source );
	return result;
}
