// SPDX-License-Identifier: MIT
// Clips of a character: channels checked, keys put in order, copied.
#include "character/character.h"

#include <stdlib.h>

// Keys within this of unit length (squared) are left alone, so that repairing twice changes nothing.
#define UNIT_TOLERANCE 1e-5f

// Lengths further off than this are worth a note; below lies the rounding of 8-bit rotations.
#define UNIT_NOTE_TOLERANCE 0.02f

typedef struct Tallies
{
	supTally fixedNodes;
	supTally noTargets;
	supTally empty;
	supTally badKeys;
	supTally unorderedTimes;
	supTally badRotations;
} Tallies;

typedef struct KeyOrder
{
	float time;
	int32_t index;
} KeyOrder;

static int CompareKeys( const void* left, const void* right )
{
	const KeyOrder* a = left;
	const KeyOrder* b = right;
	if ( a->time != b->time )
	{
		return a->time < b->time ? -1 : 1;
	}
	return a->index < b->index ? -1 : ( a->index > b->index ? 1 : 0 );
}

static bool IsGoodKey( const supChannel* channel, int32_t key, size_t floatsPerKey )
{
	if ( supIsFinite( channel->times[key] ) == false )
	{
		return false;
	}
	const float* values = channel->values + (size_t)key * floatsPerKey;
	for ( size_t i = 0; i < floatsPerKey; ++i )
	{
		if ( supIsFinite( values[i] ) == false )
		{
			return false;
		}
	}
	return true;
}

// Sorts by time. Of several keys at one time the first and the last stay, since a jump is meant: the last is moved to
// the next number after. Returns how many are left.
static int32_t PutInOrder( KeyOrder* keys, int32_t count )
{
	qsort( keys, (size_t)count, sizeof( KeyOrder ), CompareKeys );
	int32_t kept = 0;
	for ( int32_t i = 0; i < count; )
	{
		int32_t end = i + 1;
		while ( end < count && keys[end].time == keys[i].time )
		{
			end += 1;
		}
		// an earlier jump may have taken this very number
		bool taken = kept > 0 && keys[kept - 1].time >= keys[i].time;
		if ( taken == false )
		{
			keys[kept++] = keys[i];
		}
		if ( end - i > 1 || taken )
		{
			KeyOrder last = keys[end - 1];
			last.time = nextafterf( keys[kept - 1].time, INFINITY );
			keys[kept] = last;
			kept += supIsFinite( last.time ) ? 1 : 0;
		}
		i = end;
	}
	return kept;
}

// Fills `keys` with the keys to keep, in order.
static int32_t ChooseKeys( const supChannel* source, int32_t index, KeyOrder* keys, size_t floatsPerKey,
						   Tallies* tallies )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < source->keyCount; ++i )
	{
		if ( IsGoodKey( source, i, floatsPerKey ) )
		{
			keys[count++] = ( KeyOrder ){ source->times[i], i };
		}
	}
	if ( count < source->keyCount )
	{
		supTally_Add( &tallies->badKeys, index );
	}
	bool rising = true;
	for ( int32_t i = 1; i < count; ++i )
	{
		rising = rising && keys[i].time > keys[i - 1].time;
	}
	if ( rising == false )
	{
		supTally_Add( &tallies->unorderedTimes, index );
		count = PutInOrder( keys, count );
	}
	return count;
}

static void NormalizeRotations( supChannel* channel, int32_t index, float* values, Tallies* tallies )
{
	bool odd = false;
	for ( int32_t i = 0; i < channel->keyCount; ++i )
	{
		float* v = values + 4 * (size_t)i;
		supQuat q = { v[0], v[1], v[2], v[3] };
		float lengthSquared = supDotQuat( q, q );
		if ( lengthSquared > 1.0f - UNIT_TOLERANCE && lengthSquared < 1.0f + UNIT_TOLERANCE )
		{
			continue;
		}
		bool usable = supIsFinite( lengthSquared ) && lengthSquared > 1e-20f;
		float length = sqrtf( lengthSquared );
		odd = odd || !( length > 1.0f - UNIT_NOTE_TOLERANCE && length < 1.0f + UNIT_NOTE_TOLERANCE );
		q = usable ? supNormalizeQuat( q ) : supQuat_identity;
		v[0] = q.x, v[1] = q.y, v[2] = q.z, v[3] = q.w;
	}
	if ( odd )
	{
		supTally_Add( &tallies->badRotations, index );
	}
}

static bool CopyKeys( supCharacterBuilder* builder, const supChannel* source, int32_t index, supChannel* channel,
					  Tallies* tallies )
{
	int32_t parts = source->interpolation == sup_interpolationCubicSpline ? 3 : 1;
	size_t floatsPerKey = (size_t)parts * (size_t)source->width;
	KeyOrder* keys = supAllocArray( (size_t)source->keyCount, sizeof( KeyOrder ) );
	if ( keys == NULL )
	{
		return false;
	}
	channel->keyCount = ChooseKeys( source, index, keys, floatsPerKey, tallies );
	size_t count = (size_t)channel->keyCount;
	float* times = supArena_AllocArray( builder->arena, count, sizeof( float ) );
	float* values = supArena_AllocArray( builder->arena, count * floatsPerKey, sizeof( float ) );
	bool ok = times != NULL && values != NULL;
	for ( size_t i = 0; i < count && ok; ++i )
	{
		times[i] = keys[i].time;
		memcpy( values + i * floatsPerKey, source->values + (size_t)keys[i].index * floatsPerKey,
				floatsPerKey * sizeof( float ) );
	}
	supFree( keys );
	if ( ok && source->path == sup_channelRotation && parts == 1 )
	{
		NormalizeRotations( channel, index, values, tallies );
	}
	channel->times = times;
	channel->values = values;
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Channels

static bool CheckChannel( supCharacterBuilder* builder, int32_t clipIndex, int32_t index )
{
	const supChannel* source = builder->def->clips[clipIndex].channels + index;
	const char* place = supAt( builder, "clips[%d].channels[%d]", clipIndex, index );
	if ( source->node < 0 || source->node >= builder->character->nodeCount )
	{
		return supSetError( builder->error, sup_errorFormat, place, "node %d does not exist; there are %d",
							source->node, builder->character->nodeCount );
	}
	if ( (int)source->path < sup_channelTranslation || (int)source->path > sup_channelMorphWeights ||
		 (int)source->interpolation < sup_interpolationStep ||
		 (int)source->interpolation > sup_interpolationCubicSpline )
	{
		return supSetError( builder->error, sup_errorArgument, place, "unknown path %d or interpolation %d",
							(int)source->path, (int)source->interpolation );
	}
	int32_t width = source->path == sup_channelRotation ? 4 : 3;
	if ( source->path != sup_channelMorphWeights && source->width != width )
	{
		return supSetError( builder->error, sup_errorFormat, place, "%d numbers per key where %d are needed",
							source->width, width );
	}
	bool ok = supCheckCount( builder, source->width, source, place ) &&
			  supCheckCount( builder, source->keyCount, source->times, place ) &&
			  supCheckCount( builder, source->keyCount, source->values, place );
	return ok && supCheckCount( builder, (int64_t)source->width * source->keyCount, source, place );
}

// A channel that cannot act on the character is left out.
static bool IsUsable( supCharacterBuilder* builder, const supChannel* source, int32_t index, Tallies* tallies )
{
	const supCharacter* character = builder->character;
	if ( source->keyCount == 0 )
	{
		supTally_Add( &tallies->empty, index );
		return false;
	}
	if ( source->path == sup_channelMorphWeights )
	{
		int32_t first = character->firstInstances[source->node];
		bool fits = first >= 0 && source->width > 0;
		for ( int32_t i = first; i >= 0 && fits; i = character->nextInstances[i] )
		{
			fits = character->meshes[character->instances[i].mesh].targetCount == source->width;
		}
		if ( fits == false )
		{
			supTally_Add( &tallies->noTargets, index );
		}
		return fits;
	}
	if ( character->nodes[source->node].hasMatrix )
	{
		supTally_Add( &tallies->fixedNodes, index );
		return false;
	}
	return true;
}

static void AddTally( supCharacterBuilder* builder, int32_t clipIndex, bool repaired, supTally tally, const char* text )
{
	if ( tally.count > 0 )
	{
		supAddNote( builder, repaired, "clips[%d] \"%.80s\": %d channels %s, the first is channels[%d]", clipIndex,
					builder->character->clips[clipIndex].name, tally.count, text, tally.first );
	}
}

static void AddNotes( supCharacterBuilder* builder, int32_t clipIndex, const Tallies* tallies )
{
	AddTally( builder, clipIndex, true, tallies->fixedNodes, "move nodes with a sheared matrix and are dropped" );
	AddTally( builder, clipIndex, true, tallies->noTargets,
			  "move morph targets that their node does not have and are dropped" );
	AddTally( builder, clipIndex, true, tallies->empty, "have no keys and are dropped" );
	AddTally( builder, clipIndex, true, tallies->badKeys, "have non-finite keys, which are dropped" );
	AddTally( builder, clipIndex, true, tallies->unorderedTimes, "have unsorted key times; sorted" );
	AddTally( builder, clipIndex, true, tallies->badRotations, "have rotations not of unit length; normalised" );
}

static bool CopyChannels( supCharacterBuilder* builder, int32_t clipIndex, supChannel* channels, supClip* clip )
{
	const supClip* source = builder->def->clips + clipIndex;
	Tallies tallies = { 0 };
	for ( int32_t i = 0; i < source->channelCount; ++i )
	{
		if ( CheckChannel( builder, clipIndex, i ) == false )
		{
			return false;
		}
		if ( IsUsable( builder, source->channels + i, i, &tallies ) == false )
		{
			continue;
		}
		supChannel channel = source->channels[i];
		if ( CopyKeys( builder, source->channels + i, i, &channel, &tallies ) == false )
		{
			return false;
		}
		if ( channel.keyCount == 0 )
		{
			continue;
		}
		float first = channel.times[0];
		float last = channel.times[channel.keyCount - 1];
		clip->start = clip->channelCount == 0 ? first : supMinFloat( clip->start, first );
		clip->end = clip->channelCount == 0 ? last : supMaxFloat( clip->end, last );
		channels[clip->channelCount++] = channel;
	}
	AddNotes( builder, clipIndex, &tallies );
	if ( clip->channelCount == 0 )
	{
		supAddNote( builder, false, "clips[%d] \"%.80s\" moves nothing", clipIndex, clip->name );
	}
	return true;
}

bool supBuildClips( supCharacterBuilder* builder )
{
	const supCharacterDef* def = builder->def;
	supCharacter* character = builder->character;
	if ( supCheckCount( builder, def->clipCount, def->clips, "clips" ) == false )
	{
		return false;
	}
	character->clipCount = def->clipCount;
	character->clips = supArena_AllocArray( builder->arena, (size_t)def->clipCount, sizeof( supClip ) );
	if ( character->clips == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < def->clipCount; ++i )
	{
		const supClip* source = def->clips + i;
		const char* place = supAt( builder, "clips[%d].channels", i );
		if ( supCheckCount( builder, source->channelCount, source->channels, place ) == false )
		{
			return false;
		}
		supChannel* channels =
			supArena_AllocArray( builder->arena, (size_t)source->channelCount, sizeof( supChannel ) );
		supClip* clip = character->clips + i;
		*clip = ( supClip ){ .name = supArena_CopyString( builder->arena, source->name ), .channels = channels };
		if ( clip->name == NULL || channels == NULL || CopyChannels( builder, i, channels, clip ) == false )
		{
			return false;
		}
	}
	return true;
}
