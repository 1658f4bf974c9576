// SPDX-License-Identifier: MIT
// Motion of one skeleton put onto another: the clip. What is done and why stands in retarget.h.
#include "character/retarget.h"

#include "character/owned_clip.h"

#define DEF_COOKIE 0x72746774

// Two rest poses are the same within this: lengths relative to the skeleton, rotations by the quaternion's parts.
#define SAME_REST 1e-3f

// Channels that move less are constant.
#define CONSTANT_CHANNEL_RANGE 1e-6f

// Where a curve between keys is not a straight one: seconds between samples, and the most samples added for that.
#define SAMPLE_STEP ( 1.0f / 60.0f )
#define MAX_EXTRA_SAMPLES 100000.0f

// What a clip may take; a motion of an hour on a rich skeleton takes a tenth.
#define MAX_CLIP_BYTES ( (size_t)2 << 30 )

supRetargetDef supDefaultRetargetDef( void )
{
	supRetargetDef def = { .cookie = DEF_COOKIE };
	return def;
}

void supDestroyClip( supClip* clip )
{
	if ( clip != NULL )
	{
		supOwnedClip* owner = (supOwnedClip*)clip;
		supArena_Destroy( &owner->arena );
		supFree( owner );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The same skeleton: channels are copied as they are

static bool IsNear( supVec3 a, supVec3 b, float tolerance )
{
	return supDistance( a, b ) <= tolerance;
}

static bool IsSameRotation( supQuat a, supQuat b )
{
	return fabsf( supDotQuat( a, b ) ) > 1.0f - 0.5f * SAME_REST * SAME_REST;
}

// Every joint of a bare source lies at the origin: it only carries channels, made for another file's skeleton.
static bool IsBare( const supRetarget* retarget )
{
	int32_t count = supCharacter_NodeCount( retarget->source );
	for ( int32_t i = 0; i < count; ++i )
	{
		const supNode* node = supCharacter_Node( retarget->source, i );
		if ( node->hasMatrix || supLength( node->rest.translation ) > 0.0f )
		{
			return false;
		}
	}
	return count > 1;
}

// Equal rest transforms of all linked nodes, and of everything above them.
static bool IsSameSkeleton( const supRetarget* retarget )
{
	float size = 0.0f;
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		const supLink* link = &retarget->links.data[i];
		size = supMaxFloat( size, supLength( retarget->targetRest.worlds[link->target].t ) );
	}
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		const supLink* link = &retarget->links.data[i];
		const supNode* target = supCharacter_Node( retarget->target, link->target );
		const supNode* source = supCharacter_Node( retarget->source, link->sources[0] );
		supMat34 a = retarget->targetRest.worlds[link->target];
		supMat34 b = retarget->sourceRest.worlds[link->sources[0]];
		if ( target->hasMatrix || source->hasMatrix ||
			 !IsNear( target->rest.translation, source->rest.translation, SAME_REST * size ) ||
			 !IsSameRotation( target->rest.rotation, source->rest.rotation ) ||
			 !IsNear( target->rest.scale, source->rest.scale, SAME_REST ) || !IsNear( a.t, b.t, SAME_REST * size ) ||
			 !IsNear( a.cx, b.cx, SAME_REST * supLength( a.cx ) ) ||
			 !IsNear( a.cy, b.cy, SAME_REST * supLength( a.cy ) ) ||
			 !IsNear( a.cz, b.cz, SAME_REST * supLength( a.cz ) ) )
		{
			return false;
		}
	}
	return true;
}

static int32_t FindMorphNode( const supRetarget* retarget, const supChannel* channel )
{
	int32_t count = supCharacter_InstanceCount( retarget->target );
	const char* name = supCharacter_Node( retarget->source, channel->node )->name;
	for ( int32_t i = 0; i < count; ++i )
	{
		const supInstance* instance = supCharacter_Instance( retarget->target, i );
		if ( supCharacter_Mesh( retarget->target, instance->mesh )->targetCount == channel->width &&
			 supJointNamesMatch( supCharacter_Node( retarget->target, instance->node )->name, name ) )
		{
			return instance->node;
		}
	}
	return -1;
}

static bool CopyChannel( supOwnedClip* clip, supChannel* channel, const supChannel* from, int32_t node )
{
	size_t perKey = (size_t)from->width * ( from->interpolation == sup_interpolationCubicSpline ? 3 : 1 );
	size_t skip = 0;
	while ( (int32_t)skip + 1 < from->keyCount && from->times[skip] < clip->clip.start )
	{
		skip += 1;
	}
	*channel = *from;
	channel->node = node;
	channel->keyCount -= (int32_t)skip;
	size_t keyCount = (size_t)channel->keyCount;
	channel->times = supArena_CopyArray( &clip->arena, from->times + skip, keyCount, sizeof( float ) );
	channel->values =
		supArena_CopyArray( &clip->arena, from->values + skip * perKey, keyCount * perKey, sizeof( float ) );
	return channel->times != NULL && channel->values != NULL;
}

// Channels of linked nodes (of all paths but `onlyMorphs`) and of meshes with equal names and morph targets.
static bool CopyChannels( const supRetarget* retarget, supOwnedClip* clip, supChannel* channels, bool onlyMorphs )
{
	for ( int32_t i = 0; i < retarget->clip->channelCount; ++i )
	{
		const supChannel* from = &retarget->clip->channels[i];
		bool isMorph = from->path == sup_channelMorphWeights;
		int32_t morphNode = isMorph ? FindMorphNode( retarget, from ) : -1;
		if ( morphNode >= 0 && !CopyChannel( clip, &channels[clip->clip.channelCount++], from, morphNode ) )
		{
			return supSetMemoryError( retarget->error );
		}
		for ( int32_t k = 0; !isMorph && !onlyMorphs && k < retarget->links.count; ++k )
		{
			const supLink* link = &retarget->links.data[k];
			bool staysInPlace = retarget->def->inPlace && link->parent < 0 && from->path == sup_channelTranslation;
			if ( link->sources[0] == from->node && !staysInPlace &&
				 !CopyChannel( clip, &channels[clip->clip.channelCount++], from, link->target ) )
			{
				return supSetMemoryError( retarget->error );
			}
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Times

typedef SUP_ARRAY( float ) Times;

// Two rising lists become one. Times closer than a tenth of a millisecond are the same moment.
static bool MergeTimes( Times* times, const float* more, int32_t count, Times* scratch )
{
	scratch->count = 0;
	int32_t a = 0;
	int32_t b = 0;
	while ( a < times->count || b < count )
	{
		bool takeFirst = b == count || ( a < times->count && times->data[a] <= more[b] );
		float time = takeFirst ? times->data[a++] : more[b++];
		if ( scratch->count == 0 || time - scratch->data[scratch->count - 1] > 1e-4f )
		{
			if ( !SUP_PUSH( scratch, time ) )
			{
				return false;
			}
		}
	}
	Times swap = *times;
	*times = *scratch;
	*scratch = swap;
	return true;
}

// A step holds its value until just before the next key.
static bool AddStepTimes( Times* times, const supChannel* channel, Times* scratch )
{
	Times before = { 0 };
	bool ok = true;
	for ( int32_t i = 1; ok && i < channel->keyCount; ++i )
	{
		float gap = channel->times[i] - channel->times[i - 1];
		ok = SUP_PUSH( &before, channel->times[i] - supMinFloat( 0.5f * gap, 1e-3f ) );
	}
	ok = ok && MergeTimes( times, before.data, before.count, scratch );
	SUP_FREE_ARRAY( &before );
	return ok;
}

static bool AddEvenTimes( Times* times, float start, float end, Times* scratch )
{
	float count = ( end - start ) / SAMPLE_STEP;
	Times even = { 0 };
	bool ok = true;
	for ( int32_t i = 1; ok && count <= MAX_EXTRA_SAMPLES && (float)i < count; ++i )
	{
		ok = SUP_PUSH( &even, start + (float)i * SAMPLE_STEP );
	}
	ok = ok && MergeTimes( times, even.data, even.count, scratch );
	SUP_FREE_ARRAY( &even );
	return ok;
}

// True where some node between the linked ones moves by itself or shares its motion out: then a link's local rotation
// is no longer the source's times constants, and straight interpolation between far keys would leave the path.
static bool NeedsEvenSamples( const supRetarget* retarget )
{
	for ( int32_t i = 0; i < retarget->clip->channelCount; ++i )
	{
		const supChannel* channel = &retarget->clip->channels[i];
		bool linked = channel->path == sup_channelMorphWeights;
		for ( int32_t k = 0; k < retarget->links.count && !linked; ++k )
		{
			linked = retarget->links.data[k].sources[0] == channel->node && retarget->links.data[k].blend == 0.0f;
		}
		if ( channel->interpolation == sup_interpolationCubicSpline || !linked )
		{
			return true;
		}
	}
	return false;
}

// Drops what comes before the motion.
static void DropTimes( Times* times, float start )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < times->count; ++i )
	{
		if ( times->data[i] >= start )
		{
			times->data[count++] = times->data[i];
		}
	}
	times->count = count;
}

static bool CollectTimes( const supRetarget* retarget, float start, Times* times )
{
	const supClip* clip = retarget->clip;
	Times scratch = { 0 };
	bool ok = true;
	const supChannel* last = NULL;
	for ( int32_t i = 0; ok && i < clip->channelCount; ++i )
	{
		const supChannel* channel = &clip->channels[i];
		bool same = last != NULL && last->keyCount == channel->keyCount &&
					memcmp( last->times, channel->times, (size_t)channel->keyCount * sizeof( float ) ) == 0;
		last = channel;
		ok = same || MergeTimes( times, channel->times, channel->keyCount, &scratch );
		if ( ok && channel->interpolation == sup_interpolationStep )
		{
			ok = AddStepTimes( times, channel, &scratch );
		}
	}
	if ( ok && NeedsEvenSamples( retarget ) )
	{
		ok = AddEvenTimes( times, clip->start, clip->end, &scratch );
	}
	SUP_FREE_ARRAY( &scratch );
	DropTimes( times, start );
	return ( ok && times->count > 0 ) ||
		   ( ok ? supSetError( retarget->error, sup_errorArgument, clip->name, "the motion has no keys" )
				: supSetMemoryError( retarget->error ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Samples

// Per link, one value at each time. Translations and scales only where the source has them.
typedef struct Track
{
	supQuat* rotations;
	supVec3* translations;
	supVec3* scales;
} Track;

static bool AllocTracks( supRetarget* retarget, Track* tracks, int32_t keyCount )
{
	size_t count = (size_t)keyCount;
	if ( count * (size_t)retarget->links.count > MAX_CLIP_BYTES / ( sizeof( supQuat ) + 2 * sizeof( supVec3 ) ) )
	{
		return supSetError( retarget->error, sup_errorTooLarge, retarget->clip->name,
							"%d keys for each of %d joints are too many", keyCount, retarget->links.count );
	}
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		const supLink* link = &retarget->links.data[i];
		tracks[i].rotations = supArena_AllocArray( &retarget->arena, count, sizeof( supQuat ) );
		tracks[i].translations = link->moves ? supArena_AllocArray( &retarget->arena, count, sizeof( supVec3 ) ) : NULL;
		tracks[i].scales = link->grows ? supArena_AllocArray( &retarget->arena, count, sizeof( supVec3 ) ) : NULL;
	}
	return !retarget->arena.failed || supSetMemoryError( retarget->error );
}

static void SampleKey( supRetarget* retarget, float time, int32_t key, Track* tracks, supStance* source, supQuat* turns,
					   supQuat* rotations )
{
	supPose_SetRest( retarget->sourcePose );
	supPose_ApplyClip( retarget->sourcePose, retarget->clip, time );
	supReadStance( retarget->source, retarget->sourcePose, source );
	supFollowSource( retarget, source, turns, rotations );
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		supTransform local = supPose_GetLocal( retarget->targetPose, retarget->links.data[i].target );
		supQuat q = local.rotation;
		bool flip = key > 0 && supDotQuat( tracks[i].rotations[key - 1], q ) < 0.0f;
		tracks[i].rotations[key] = flip ? ( supQuat ){ -q.x, -q.y, -q.z, -q.w } : q;
		if ( tracks[i].translations != NULL )
		{
			tracks[i].translations[key] = local.translation;
		}
		if ( tracks[i].scales != NULL )
		{
			tracks[i].scales[key] = local.scale;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Channels

static bool IsStill( const float* values, int32_t keyCount, int32_t width, float tolerance )
{
	for ( int32_t i = width; i < keyCount * width; ++i )
	{
		if ( !( fabsf( values[i] - values[i % width] ) <= tolerance ) )
		{
			return false;
		}
	}
	return true;
}

static bool AddChannel( supOwnedClip* clip, supChannel* channels, int32_t node, supChannelPath path, const Times* times,
						const float* values, float tolerance )
{
	int32_t width = path == sup_channelRotation ? 4 : 3;
	int32_t keyCount = IsStill( values, times->count, width, tolerance ) ? 1 : times->count;
	supChannel* channel = &channels[clip->clip.channelCount++];
	*channel = ( supChannel ){
		.node = node,
		.path = path,
		.interpolation = sup_interpolationLinear,
		.keyCount = keyCount,
		.width = width,
		.times = supArena_CopyArray( &clip->arena, times->data, (size_t)keyCount, sizeof( float ) ),
		.values = supArena_CopyArray( &clip->arena, values, (size_t)keyCount * (size_t)width, sizeof( float ) ),
	};
	return channel->times != NULL && channel->values != NULL;
}

static bool AddTracks( const supRetarget* retarget, supOwnedClip* clip, supChannel* channels, const Track* tracks,
					   const Times* times )
{
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		int32_t node = retarget->links.data[i].target;
		float length = supLength( supCharacter_Node( retarget->target, node )->rest.translation );
		if ( !AddChannel( clip, channels, node, sup_channelRotation, times, &tracks[i].rotations[0].x,
						  CONSTANT_CHANNEL_RANGE ) ||
			 ( tracks[i].translations != NULL &&
			   !AddChannel( clip, channels, node, sup_channelTranslation, times, &tracks[i].translations[0].x,
							CONSTANT_CHANNEL_RANGE * length ) ) ||
			 ( tracks[i].scales != NULL && !AddChannel( clip, channels, node, sup_channelScale, times,
														&tracks[i].scales[0].x, CONSTANT_CHANNEL_RANGE ) ) )
		{
			return supSetMemoryError( retarget->error );
		}
	}
	return true;
}

static bool SampleClip( supRetarget* retarget, supOwnedClip* clip, supChannel* channels )
{
	Times times = { 0 };
	supChooseTracks( retarget );
	size_t sourceNodes = (size_t)supCharacter_NodeCount( retarget->source );
	size_t targetNodes = (size_t)supCharacter_NodeCount( retarget->target );
	size_t linkCount = (size_t)retarget->links.count;
	Track* tracks = supArena_AllocArray( &retarget->arena, linkCount, sizeof( Track ) );
	supQuat* turns = supArena_AllocArray( &retarget->arena, linkCount, sizeof( supQuat ) );
	supQuat* rotations = supArena_AllocArray( &retarget->arena, targetNodes, sizeof( supQuat ) );
	supStance source = {
		.rotations = supArena_AllocArray( &retarget->arena, sourceNodes, sizeof( supQuat ) ),
		.worlds = supArena_AllocArray( &retarget->arena, sourceNodes, sizeof( supMat34 ) ),
	};
	bool ok = !retarget->arena.failed || supSetMemoryError( retarget->error );
	ok = ok && CollectTimes( retarget, clip->clip.start, &times ) && AllocTracks( retarget, tracks, times.count );
	for ( int32_t i = 0; ok && i < times.count; ++i )
	{
		SampleKey( retarget, times.data[i], i, tracks, &source, turns, rotations );
	}
	ok = ok && AddTracks( retarget, clip, channels, tracks, &times );
	SUP_FREE_ARRAY( &times );
	return ok && ( retarget->mode == sup_matchHumanoid || CopyChannels( retarget, clip, channels, true ) );
}

// ---------------------------------------------------------------------------------------------------------------------

static bool FillClip( supRetarget* retarget, supOwnedClip* clip )
{
	// one of each path for every link, and the morph channels; or every channel for each link that it drives
	size_t most = 3 * (size_t)retarget->links.count + (size_t)retarget->clip->channelCount;
	for ( int32_t i = 0; i < retarget->clip->channelCount; ++i )
	{
		for ( int32_t k = 0; k < retarget->links.count; ++k )
		{
			most += retarget->links.data[k].sources[0] == retarget->clip->channels[i].node;
		}
	}
	supChannel* channels = supArena_AllocArray( &clip->arena, most, sizeof( supChannel ) );
	clip->clip.channels = channels;
	clip->clip.name = supArena_CopyString( &clip->arena, retarget->clip->name );
	clip->clip.start =
		retarget->def->keepFirstFrame ? retarget->clip->start : supFindMotionStart( retarget->source, retarget->clip );
	clip->clip.end = retarget->clip->end;
	if ( channels == NULL || clip->clip.name == NULL )
	{
		return supSetMemoryError( retarget->error );
	}
	bool isBare = retarget->mode != sup_matchHumanoid && IsBare( retarget );
	bool asIs = retarget->def->travelScale == 0.0f && !retarget->def->inPlace;
	if ( isBare || ( asIs && retarget->mode != sup_matchHumanoid && IsSameSkeleton( retarget ) ) )
	{
		return CopyChannels( retarget, clip, channels, false );
	}
	return SampleClip( retarget, clip, channels );
}

static bool CheckArguments( const supCharacter* target, const supCharacter* source, const supRetargetDef* def,
							supError* error )
{
	if ( supCharacter_NodeCount( target ) == 0 || supCharacter_NodeCount( source ) == 0 )
	{
		bool isTarget = supCharacter_NodeCount( target ) == 0;
		return supSetError( error, sup_errorArgument, supCharacter_Name( isTarget ? target : source ),
							"the %s has no joints", isTarget ? "character" : "motion" );
	}
	if ( !( def->travelScale >= 0.0f ) || !supIsFinite( def->travelScale ) )
	{
		return supSetError( error, sup_errorArgument, "travelScale", "must be 0 or more (got %g)",
							(double)def->travelScale );
	}
	return true;
}

supClip* supRetargetClip( const supCharacter* target, const supCharacter* source, const supClip* clip,
						  const supRetargetDef* def, supError* error )
{
	SUP_ASSERT( def->cookie == DEF_COOKIE );
	supClearError( error );
	if ( !CheckArguments( target, source, def, error ) )
	{
		return NULL;
	}
	supRetarget retarget = { .target = target, .source = source, .clip = clip, .def = def, .error = error };
	supOwnedClip* owned = supAllocZeroed( sizeof( supOwnedClip ) );
	retarget.sourcePose = supCreatePose( source );
	retarget.targetPose = supCreatePose( target );
	bool ok = owned != NULL && retarget.sourcePose != NULL && retarget.targetPose != NULL;
	ok = ok ? supMatchSkeletons( &retarget ) && supComputeStance( &retarget ) && FillClip( &retarget, owned )
			: supSetMemoryError( error );
	supDestroyPose( retarget.sourcePose );
	supDestroyPose( retarget.targetPose );
	SUP_FREE_ARRAY( &retarget.links );
	supArena_Destroy( &retarget.arena );
	if ( !ok )
	{
		supDestroyClip( owned != NULL ? &owned->clip : NULL );
		return NULL;
	}
	return &owned->clip;
}
