// SPDX-License-Identifier: MIT
#include "io/motion/vmc.h"

#include "character/retarget.h"
#include "io/motion/osc.h"
#include "io/motion/vmc_skeleton.h"

#include <math.h>
#include <stdlib.h>

// Nobody stands farther away; what is, is damaged.
#define FAR_AWAY 1e4

// Seconds without a time from a sender after which it counts as one that sends none. Until then it counts as one that
// does: a clock that changes makes the motion begin anew.
#define TIME_LOST 1.0

// So many frames with the same time say that the sender's clock stands still.
#define STUCK_FRAMES 8

// A morph target that a blend shape of the same name moves.
typedef struct Blend
{
	const char* name;
	int32_t instance;
	int32_t target;
	float next;  // told, not yet applied
	float value; // NAN: never told, as at rest
} Blend;

typedef enum Clock
{
	clockUnknown,
	clockSender,
	clockArrival,
} Clock;

struct supVmc
{
	const supCharacter* character;
	supRetargetDef retargetDef;
	supNamePair* pairs;
	supCharacter* skeleton;
	supFollower* follower;
	supVmcStats stats;
	supOscPacket packet;

	// what the sender has told, in our space
	supTransform root;
	// where the performer stood and looked when they were calibrated, taken away: put before the root
	supTransform origin;
	uint64_t seen; // bit i: bone i has come
	supVec3 places[SUP_VMC_BONES];
	supQuat turns[SUP_VMC_BONES];
	int32_t blendCount;
	Blend* blends; // by name
	bool ready;

	// the frame that is coming
	uint64_t coming; // bit i: bone i has come since the last frame
	bool complete;
	double told; // the time of the sender
	double toldArrival;
	bool hasTime; // it sends one, as far as known
	bool tells;   // it has sent one
	double heard; // when the last packet came
	int32_t stuck;
	Clock clock;

	uint64_t measured; // bones that the skeleton was made of
	supPose* pose;
	double time;
};

bool supHasVmc( void )
{
	return supHasOsc();
}

// ---------------------------------------------------------------------------------------------------------------------
// Creating

// ASCII letters without regard to case; avatars disagree about "jawOpen" and "JawOpen".
static int CompareNames( const char* a, const char* b )
{
	for ( ;; ++a, ++b )
	{
		int x = *a >= 'A' && *a <= 'Z' ? *a + 'a' - 'A' : *a;
		int y = *b >= 'A' && *b <= 'Z' ? *b + 'a' - 'A' : *b;
		if ( x != y || x == 0 )
		{
			return x - y;
		}
	}
}

static int CompareBlends( const void* a, const void* b )
{
	const Blend* x = a;
	const Blend* y = b;
	int order = CompareNames( x->name, y->name );
	if ( order != 0 )
	{
		return order;
	}
	return x->instance != y->instance ? x->instance - y->instance : x->target - y->target;
}

static bool CollectBlends( supVmc* vmc )
{
	const supCharacter* character = vmc->character;
	size_t most = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		most += (size_t)supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->targetCount;
	}
	vmc->blends = supAllocArray( most, sizeof( Blend ) );
	if ( vmc->blends == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		for ( int32_t k = 0; k < mesh->targetCount; ++k )
		{
			if ( mesh->targets[k].name[0] != 0 )
			{
				vmc->blends[vmc->blendCount++] = ( Blend ){ mesh->targets[k].name, i, k, NAN, NAN };
			}
		}
	}
	if ( vmc->blendCount > 0 )
	{
		qsort( vmc->blends, (size_t)vmc->blendCount, sizeof( Blend ), CompareBlends );
	}
	return true;
}

static bool CopyPairs( supVmc* vmc, const supVmcDef* def )
{
	vmc->pairs = supAllocArray( (size_t)def->pairCount, sizeof( supNamePair ) );
	vmc->retargetDef.pairs = vmc->pairs;
	for ( int32_t i = 0; vmc->pairs != NULL && i < def->pairCount; ++i )
	{
		supNamePair* pair = vmc->pairs + vmc->retargetDef.pairCount++;
		pair->source = supCopyString( def->pairs[i].source );
		pair->target = supCopyString( def->pairs[i].target );
		if ( pair->source == NULL || pair->target == NULL )
		{
			return false;
		}
	}
	return vmc->pairs != NULL;
}

// A skeleton from what the sender has told, and what follows it. Where that fails the one before stays.
static bool MeasureSkeleton( supVmc* vmc, supError* error )
{
	supCharacter* skeleton = supCreateVmcSkeleton( vmc->seen, vmc->places, error );
	supFollower* follower =
		skeleton != NULL ? supCreateFollower( vmc->character, skeleton, supGetVmcClip(), &vmc->retargetDef, error )
						 : NULL;
	vmc->measured = vmc->seen;
	if ( follower == NULL )
	{
		supDestroyCharacter( skeleton );
		return false;
	}
	supDestroyFollower( vmc->follower );
	supDestroyCharacter( vmc->skeleton );
	vmc->follower = follower;
	vmc->skeleton = skeleton;
	return true;
}

supVmc* supCreateVmc( const supCharacter* character, const supVmcDef* def, supError* error )
{
	supClearError( error );
	if ( supHasOsc() == false )
	{
		supSetError( error, sup_errorUnsupported, "VMC", "built without liblo; install liblo-dev and build again" );
		return NULL;
	}
	supVmc* vmc = supAllocZeroed( sizeof( supVmc ) );
	if ( vmc == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	vmc->character = character;
	vmc->retargetDef = supDefaultRetargetDef();
	vmc->root = supTransform_identity;
	vmc->origin = supTransform_identity;
	vmc->ready = true;
	vmc->hasTime = true;
	vmc->told = (double)NAN;
	for ( int32_t i = 0; i < SUP_VMC_BONES; ++i )
	{
		vmc->turns[i] = supQuat_identity;
	}
	static const supVmcDef none;
	def = def != NULL ? def : &none;
	vmc->retargetDef.inPlace = def->inPlace;
	vmc->pose = supCreatePose( character );
	bool ok = vmc->pose != NULL && CopyPairs( vmc, def ) && CollectBlends( vmc );
	ok = ok ? MeasureSkeleton( vmc, error ) : supSetMemoryError( error );
	if ( ok == false )
	{
		supDestroyVmc( vmc );
		return NULL;
	}
	return vmc;
}

void supDestroyVmc( supVmc* vmc )
{
	if ( vmc == NULL )
	{
		return;
	}
	for ( int32_t i = 0; i < vmc->retargetDef.pairCount; ++i )
	{
		// ours, const only for the interface
		supFree( (void*)(uintptr_t)vmc->pairs[i].source );
		supFree( (void*)(uintptr_t)vmc->pairs[i].target );
	}
	supFree( vmc->pairs );
	supFree( vmc->blends );
	supDestroyPose( vmc->pose );
	supDestroyFollower( vmc->follower );
	supDestroyCharacter( vmc->skeleton );
	supFree( vmc );
}

// ---------------------------------------------------------------------------------------------------------------------
// Frames

static void PoseSkeleton( supVmc* vmc )
{
	supPose* pose = supFollower_Source( vmc->follower );
	supTransform root = vmc->root;
	root.translation = supAdd( vmc->origin.translation, supRotate( vmc->origin.rotation, root.translation ) );
	root.rotation = supNormalizeQuat( supMulQuat( vmc->origin.rotation, root.rotation ) );
	supPose_SetLocal( pose, 0, root );
	for ( int32_t i = 0; i < SUP_VMC_BONES; ++i )
	{
		supTransform local = supPose_GetLocal( pose, 1 + i );
		local.rotation = vmc->turns[i];
		// hips that were never moved stay at rest
		if ( i == SUP_VMC_HIPS && supLength( vmc->places[i] ) > 0.0f )
		{
			local.translation = vmc->places[i];
		}
		supPose_SetLocal( pose, 1 + i, local );
	}
}

static void PoseBlends( const supVmc* vmc )
{
	for ( int32_t i = 0; i < vmc->blendCount; ++i )
	{
		const Blend* blend = vmc->blends + i;
		if ( blend->value >= 0.0f )
		{
			supPose_MorphWeights( vmc->pose, blend->instance )[blend->target] = blend->value;
		}
	}
}

// Changing the clock makes the stamps jump, so that it happens once.
static double FindTime( supVmc* vmc, double arrival )
{
	if ( vmc->clock == clockUnknown )
	{
		vmc->clock = vmc->hasTime ? clockSender : clockArrival;
	}
	else if ( vmc->clock == clockArrival && vmc->hasTime && vmc->stuck < STUCK_FRAMES )
	{
		vmc->clock = clockSender;
	}
	else if ( vmc->clock == clockSender && ( vmc->hasTime == false || vmc->stuck >= STUCK_FRAMES ) )
	{
		vmc->clock = clockArrival;
	}
	return vmc->clock == clockSender ? vmc->told : arrival;
}

static bool FinishFrame( supVmc* vmc, double arrival )
{
	vmc->coming = 0;
	if ( vmc->ready == false || vmc->seen == 0 )
	{
		vmc->stats.notReady += vmc->seen != 0;
		return false;
	}
	if ( vmc->measured != vmc->seen )
	{
		// bones that make no person, or no memory: what was measured before still serves
		MeasureSkeleton( vmc, NULL );
	}
	PoseSkeleton( vmc );
	supPose_Copy( vmc->pose, supFollower_Update( vmc->follower ) );
	PoseBlends( vmc );
	vmc->time = FindTime( vmc, arrival );
	vmc->stats.frames += 1;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Messages. Each returns false where the arguments are not what they should be; then nothing has changed.

static bool ReadNumbers( const supOscMessage* message, int32_t first, int32_t count, double most, float* numbers )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		double number;
		if ( supOscMessage_GetNumber( message, first + i, &number ) == false || !( number >= -most && number <= most ) )
		{
			return false;
		}
		numbers[i] = (float)number;
	}
	return true;
}

// Seven numbers behind a name: a place and a rotation, in Unity's space.
static bool ReadTransform( const supOscMessage* message, supVec3* place, supQuat* turn )
{
	float p[3], q[4];
	if ( ReadNumbers( message, 1, 3, FAR_AWAY, p ) == false || ReadNumbers( message, 4, 4, 2.0, q ) == false )
	{
		return false;
	}
	supQuat rotation = { q[0], -q[1], -q[2], q[3] };
	float length = supDotQuat( rotation, rotation );
	if ( !( length > 0.25f && length < 4.0f ) )
	{
		return false;
	}
	*place = supMakeVec3( -p[0], p[1], p[2] );
	*turn = supNormalizeQuat( rotation );
	return true;
}

static bool TakeRoot( supVmc* vmc, const supOscMessage* message )
{
	return ReadTransform( message, &vmc->root.translation, &vmc->root.rotation );
}

static bool TakeBone( supVmc* vmc, const supOscMessage* message, double arrival )
{
	const char* name;
	supVec3 place;
	supQuat turn;
	if ( supOscMessage_GetText( message, 0, &name ) == false || ReadTransform( message, &place, &turn ) == false )
	{
		return false;
	}
	int32_t bone = supFindVmcBone( name );
	if ( bone < 0 )
	{
		vmc->stats.unknownBones += 1;
		return true;
	}
	uint64_t bit = (uint64_t)1 << bone;
	bool again = ( vmc->coming & bit ) != 0;
	if ( again && vmc->packet.isBundle == false && vmc->hasTime == false )
	{
		vmc->complete = FinishFrame( vmc, arrival ) || vmc->complete;
	}
	vmc->coming |= bit;
	vmc->seen |= bit;
	vmc->places[bone] = place;
	vmc->turns[bone] = turn;
	return true;
}

static bool TakeBlend( supVmc* vmc, const supOscMessage* message )
{
	const char* name;
	float value;
	if ( supOscMessage_GetText( message, 0, &name ) == false || ReadNumbers( message, 1, 1, 1e3, &value ) == false )
	{
		return false;
	}
	int32_t first = 0;
	for ( int32_t last = vmc->blendCount; first < last; )
	{
		int32_t middle = first + ( last - first ) / 2;
		bool before = CompareNames( vmc->blends[middle].name, name ) < 0;
		first = before ? middle + 1 : first;
		last = before ? last : middle;
	}
	bool known = false;
	for ( int32_t i = first; i < vmc->blendCount && CompareNames( vmc->blends[i].name, name ) == 0; ++i )
	{
		vmc->blends[i].next = supClampFloat( value, 0.0f, 1.0f );
		known = true;
	}
	vmc->stats.unknownBlends += known == false;
	return true;
}

static void ApplyBlends( supVmc* vmc )
{
	for ( int32_t i = 0; i < vmc->blendCount; ++i )
	{
		vmc->blends[i].value = vmc->blends[i].next;
	}
}

static bool TakeTime( supVmc* vmc, const supOscMessage* message, double arrival )
{
	double time;
	if ( supOscMessage_GetNumber( message, 0, &time ) == false || !( time >= -1e12 && time <= 1e12 ) )
	{
		return false;
	}
	bool same = vmc->hasTime && time == vmc->told;
	vmc->stuck = same ? vmc->stuck + ( vmc->stuck < STUCK_FRAMES ) : 0;
	vmc->told = time;
	vmc->toldArrival = arrival;
	vmc->hasTime = true;
	vmc->tells = true;
	return true;
}

// "OK" says first whether an avatar is loaded; later versions add how far its calibration is.
static bool TakeState( supVmc* vmc, const supOscMessage* message )
{
	float loaded;
	if ( ReadNumbers( message, 0, 1, 1e9, &loaded ) == false )
	{
		return false;
	}
	vmc->ready = loaded != 0.0f;
	return true;
}

static bool IsPath( const supOscMessage* message, const char* path )
{
	return strcmp( message->path, path ) == 0;
}

static void TakeMessage( supVmc* vmc, const supOscMessage* message, double arrival, bool* timed )
{
	bool fine = true;
	vmc->stats.messages += 1;
	if ( IsPath( message, "/VMC/Ext/Bone/Pos" ) )
	{
		fine = TakeBone( vmc, message, arrival );
	}
	else if ( IsPath( message, "/VMC/Ext/Root/Pos" ) )
	{
		fine = TakeRoot( vmc, message );
	}
	else if ( IsPath( message, "/VMC/Ext/Blend/Val" ) )
	{
		fine = TakeBlend( vmc, message );
	}
	else if ( IsPath( message, "/VMC/Ext/Blend/Apply" ) )
	{
		ApplyBlends( vmc );
	}
	else if ( IsPath( message, "/VMC/Ext/T" ) )
	{
		fine = TakeTime( vmc, message, arrival );
		*timed = *timed || fine;
	}
	else if ( IsPath( message, "/VMC/Ext/OK" ) )
	{
		fine = TakeState( vmc, message );
	}
	else
	{
		vmc->stats.ignored += 1;
	}
	vmc->stats.badMessages += fine == false;
}

// At the first packet, and at the first after a silence: a sender that has told its time will tell it again, and what
// it had begun before belongs to the past.
static void BeginListening( supVmc* vmc, double arrival )
{
	bool isBack = vmc->tells && arrival - vmc->heard > TIME_LOST;
	vmc->toldArrival = vmc->stats.packets == 0 || isBack ? arrival : vmc->toldArrival;
	vmc->hasTime = vmc->hasTime || isBack;
	vmc->coming = isBack ? 0 : vmc->coming;
	vmc->heard = arrival;
}

bool supVmc_Receive( supVmc* vmc, const uint8_t* bytes, size_t byteCount, double arrival )
{
	BeginListening( vmc, arrival );
	vmc->stats.packets += 1;
	if ( supReadOsc( bytes, byteCount, &vmc->packet ) == false )
	{
		vmc->stats.malformed += 1;
		return false;
	}
	vmc->hasTime = vmc->hasTime && arrival - vmc->toldArrival < TIME_LOST;
	vmc->complete = false;
	bool timed = false;
	for ( int32_t i = 0; i < vmc->packet.count; ++i )
	{
		TakeMessage( vmc, vmc->packet.messages + i, arrival, &timed );
	}
	bool ends = vmc->coming != 0 && ( timed || ( vmc->hasTime == false && vmc->packet.isBundle ) );
	supFreeOsc( &vmc->packet );
	return ends ? FinishFrame( vmc, arrival ) : vmc->complete;
}

// ---------------------------------------------------------------------------------------------------------------------

const supPose* supVmc_Pose( const supVmc* vmc )
{
	return vmc->pose;
}

double supVmc_Time( const supVmc* vmc )
{
	return vmc->time;
}

// The turn about y that takes a direction to +z; none for one that points up or down.
static supQuat FaceAhead( supVec3 direction )
{
	float length = sqrtf( direction.x * direction.x + direction.z * direction.z );
	if ( !( length > 1e-3f ) )
	{
		return supQuat_identity;
	}
	// half of the angle, by the half vector; who looks exactly backwards turns by half a circle
	float x = direction.x / length, z = 1.0f + direction.z / length;
	return z > 1e-6f ? supNormalizeQuat( ( supQuat ){ 0.0f, -x, 0.0f, z } ) : ( supQuat ){ 0.0f, 1.0f, 0.0f, 0.0f };
}

bool supVmc_Calibrate( supVmc* vmc )
{
	if ( vmc->stats.frames == 0 )
	{
		return false;
	}
	supQuat hips = supMulQuat( vmc->root.rotation, vmc->turns[SUP_VMC_HIPS] );
	supVec3 place = supAdd( vmc->root.translation, supRotate( vmc->root.rotation, vmc->places[SUP_VMC_HIPS] ) );
	vmc->origin.rotation = FaceAhead( supRotate( hips, supMakeVec3( 0.0f, 0.0f, 1.0f ) ) );
	supVec3 shift = supRotate( vmc->origin.rotation, place );
	vmc->origin.translation = supMakeVec3( -shift.x, 0.0f, -shift.z );
	return true;
}

supVmcStats supVmc_GetStats( const supVmc* vmc )
{
	return vmc->stats;
}

int32_t supVmc_JointCount( const supVmc* vmc )
{
	return supFollower_LinkCount( vmc->follower );
}

int32_t supVmc_Root( const supVmc* vmc )
{
	return supFollower_Root( vmc->follower );
}

int32_t supVmc_BlendCount( const supVmc* vmc )
{
	return vmc->blendCount;
}
