// SPDX-License-Identifier: MIT
// Animations: keys of assimp -> tracks of joined nodes -> channels of the character's nodes.
#include "io/assimp/assimp_scene.h"

#include <stdio.h>
#include <stdlib.h>

// what assimp means where a file says nothing
#define DEFAULT_TICKS_PER_SECOND 25.0

static double SecondsPerTick( const struct aiAnimation* animation )
{
	double ticks = animation->mTicksPerSecond;
	return ticks > 0.0 && ticks < 1e12 ? 1.0 / ticks : 1.0 / DEFAULT_TICKS_PER_SECOND;
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

// Keys one after another: a key that is not a number, or not later than the one before, is left out.
typedef struct TrackWriter
{
	supTrack track;
	int32_t width;
	int32_t dropped;
} TrackWriter;

static bool StartTrack( supImport* import, TrackWriter* writer, unsigned keyCount, int32_t width )
{
	*writer = ( TrackWriter ){ .width = width };
	if ( keyCount == 0 )
	{
		return true;
	}
	writer->track.times = supArena_AllocArray( &import->arena, keyCount, sizeof( float ) );
	writer->track.values = supArena_AllocArray( &import->arena, keyCount, (size_t)width * sizeof( float ) );
	bool ok = keyCount <= INT32_MAX / 16 && writer->track.times != NULL && writer->track.values != NULL;
	return ok || supImport_OutOfMemory( import );
}

static void WriteKey( TrackWriter* writer, double seconds, const float* value )
{
	supTrack* track = &writer->track;
	float time = (float)seconds;
	bool usable = supIsFinite( time ) && ( track->count == 0 || time > track->times[track->count - 1] );
	for ( int32_t i = 0; i < writer->width; ++i )
	{
		usable = usable && supIsFinite( value[i] );
	}
	if ( usable == false )
	{
		writer->dropped += 1;
		return;
	}
	track->times[track->count] = time;
	memcpy( track->values + (size_t)writer->width * (size_t)track->count, value,
			(size_t)writer->width * sizeof( float ) );
	track->count += 1;
}

static bool ReadVectorKeys( supImport* import, const struct aiVectorKey* keys, unsigned count, double tick,
							supVec3 offset, supTrack* track, int32_t* dropped )
{
	TrackWriter writer;
	if ( StartTrack( import, &writer, keys != NULL ? count : 0, 3 ) == false )
	{
		return false;
	}
	for ( unsigned i = 0; keys != NULL && i < count; ++i )
	{
		float value[3] = { keys[i].mValue.x + offset.x, keys[i].mValue.y + offset.y, keys[i].mValue.z + offset.z };
		WriteKey( &writer, keys[i].mTime * tick, value );
	}
	*track = writer.track;
	*dropped += writer.dropped;
	return true;
}

// before * key * after
static bool ReadRotationKeys( supImport* import, const struct aiQuatKey* keys, unsigned count, double tick,
							  supQuat before, supQuat after, supTrack* track, int32_t* dropped )
{
	TrackWriter writer;
	if ( StartTrack( import, &writer, keys != NULL ? count : 0, 4 ) == false )
	{
		return false;
	}
	supQuat last = supQuat_identity;
	for ( unsigned i = 0; keys != NULL && i < count; ++i )
	{
		supQuat key = { keys[i].mValue.x, keys[i].mValue.y, keys[i].mValue.z, keys[i].mValue.w };
		supQuat q = supNormalizeQuat( supMulQuat( supMulQuat( before, key ), after ) );
		float sign = supDotQuat( last, q ) < 0.0f ? -1.0f : 1.0f;
		last = ( supQuat ){ sign * q.x, sign * q.y, sign * q.z, sign * q.w };
		WriteKey( &writer, keys[i].mTime * tick, &last.x );
	}
	*track = writer.track;
	*dropped += writer.dropped;
	return true;
}

static supQuat RotationOfPart( const supImportNode* node, supFbxPart part )
{
	return node->parts[part] != NULL
			   ? supPolarRotation( supLinearPart( supMakeMat34Assimp( &node->parts[part]->mTransformation ) ) )
			   : supQuat_identity;
}

// A channel names a node, or the helper node of one part of it.
static bool ReadChannel( supImport* import, const struct aiNodeAnim* channel, double tick, supNodeTracks* tracks,
						 int32_t* dropped )
{
	struct aiString name = channel->mNodeName;
	char* tag = strstr( name.data, "_$AssimpFbx$_" );
	const char* part = tag != NULL ? strrchr( tag, '_' ) + 1 : "";
	if ( tag != NULL )
	{
		*tag = 0;
	}
	tracks->node = supImport_FindNode( import, name.data );
	if ( tracks->node < 0 )
	{
		return true;
	}
	const supImportNode* node = &import->joined.data[tracks->node];
	bool translates = tag == NULL || strcmp( part, "Translation" ) == 0;
	bool rotates = tag == NULL || strcmp( part, "Rotation" ) == 0;
	bool scales = tag == NULL || strcmp( part, "Scaling" ) == 0;
	supQuat before = tag != NULL ? RotationOfPart( node, sup_fbxPreRotation ) : supQuat_identity;
	supQuat after = tag != NULL ? RotationOfPart( node, sup_fbxPostRotation ) : node->keyCorrection;
	return ReadVectorKeys( import, channel->mPositionKeys, translates ? channel->mNumPositionKeys : 0, tick,
						   node->offset, &tracks->translation, dropped ) &&
		   ReadRotationKeys( import, channel->mRotationKeys, rotates ? channel->mNumRotationKeys : 0, tick, before,
							 after, &tracks->rotation, dropped ) &&
		   ReadVectorKeys( import, channel->mScalingKeys, scales ? channel->mNumScalingKeys : 0, tick, supVec3_zero,
						   &tracks->scale, dropped );
}

static int CompareTracks( const void* a, const void* b )
{
	const supNodeTracks* x = a;
	const supNodeTracks* y = b;
	return ( x->node > y->node ) - ( x->node < y->node );
}

// Channels of the parts of one node become one; where two say the same thing, the first counts.
static void MergeTracks( supImportClip* clip )
{
	qsort( clip->tracks, (size_t)clip->trackCount, sizeof( supNodeTracks ), CompareTracks );
	int32_t kept = 0;
	for ( int32_t i = 0; i < clip->trackCount; ++i )
	{
		const supNodeTracks* next = &clip->tracks[i];
		supNodeTracks* last = kept > 0 ? &clip->tracks[kept - 1] : NULL;
		if ( next->node < 0 )
		{
			continue;
		}
		if ( last == NULL || last->node != next->node )
		{
			clip->tracks[kept++] = *next;
			continue;
		}
		last->translation = last->translation.count > 0 ? last->translation : next->translation;
		last->rotation = last->rotation.count > 0 ? last->rotation : next->rotation;
		last->scale = last->scale.count > 0 ? last->scale : next->scale;
	}
	clip->trackCount = kept;
}

// Of a joined node in a clip, NULL where the clip leaves it alone.
static const supNodeTracks* FindTracks( const supImportClip* clip, int32_t node )
{
	supNodeTracks key = { .node = node };
	return clip->trackCount > 0
			   ? bsearch( &key, clip->tracks, (size_t)clip->trackCount, sizeof( supNodeTracks ), CompareTracks )
			   : NULL;
}

// The longest stretch without a key over which something moves. assimp hands on the keys of FBX curves but not their
// tangents, so that motion which was keyed by hand comes out linear between the keys.
static float LongestMovingGap( const supTrack* track, int32_t width, float longest )
{
	for ( int32_t i = 1; i < track->count; ++i )
	{
		const float* a = track->values + (size_t)width * (size_t)( i - 1 );
		float gap = track->times[i] - track->times[i - 1];
		bool moves = false;
		for ( int32_t k = 0; k < width; ++k )
		{
			moves = moves || fabsf( a[width + k] - a[k] ) > 1e-3f * ( 1.0f + fabsf( a[k] ) );
		}
		longest = moves ? supMaxFloat( longest, gap ) : longest;
	}
	return longest;
}

static bool NoteSparseKeys( supImport* import, const supImportClip* clip, const char* name )
{
	float longest = 0.0f;
	for ( int32_t i = 0; i < clip->trackCount; ++i )
	{
		longest = LongestMovingGap( &clip->tracks[i].translation, 3, longest );
		longest = LongestMovingGap( &clip->tracks[i].rotation, 4, longest );
		longest = LongestMovingGap( &clip->tracks[i].scale, 3, longest );
	}
	double frames = (double)longest / SecondsPerTick( clip->source );
	if ( strcmp( import->extension, ".fbx" ) != 0 || frames < 1.5 )
	{
		return true;
	}
	return supImport_AddNote( import, false,
							  "clip \"%s\": keys are up to %.0f frames apart and are interpolated linearly; if the "
							  "original curves are smooth, export with baked animation",
							  name, frames );
}

static bool ReadClipTracks( supImport* import, const struct aiAnimation* animation, supImportClip* clip )
{
	clip->source = animation;
	unsigned count = animation->mChannels != NULL ? animation->mNumChannels : 0;
	clip->tracks = supArena_AllocArray( &import->arena, count, sizeof( supNodeTracks ) );
	if ( clip->tracks == NULL )
	{
		return supImport_OutOfMemory( import );
	}
	int32_t dropped = 0;
	int32_t lost = 0;
	for ( unsigned i = 0; i < count; ++i )
	{
		supNodeTracks* tracks = &clip->tracks[clip->trackCount++];
		*tracks = ( supNodeTracks ){ .node = -1 };
		if ( ReadChannel( import, animation->mChannels[i], SecondsPerTick( animation ), tracks, &dropped ) == false )
		{
			return false;
		}
		lost += tracks->node < 0;
	}
	MergeTracks( clip );
	const char* name = supImport_CopyName( import, &animation->mName );
	bool ok = name != NULL && NoteSparseKeys( import, clip, name );
	ok = ok && ( dropped == 0 ||
				 supImport_AddNote( import, true, "clip \"%s\": %d keys are not finite or out of order; dropped", name,
									dropped ) );
	return ok && ( lost == 0 || supImport_AddNote( import, true, "clip \"%s\": %d channels move missing nodes; dropped",
												   name, lost ) );
}

bool supImport_ReadTracks( supImport* import )
{
	const struct aiScene* scene = import->scene;
	unsigned count = scene->mAnimations != NULL ? scene->mNumAnimations : 0;
	import->importClips = supArena_AllocZeroed( &import->arena, ( (size_t)count + 1 ) * sizeof( supImportClip ) );
	if ( import->importClips == NULL )
	{
		return supImport_OutOfMemory( import );
	}
	for ( unsigned i = 0; i < count; ++i )
	{
		if ( ReadClipTracks( import, scene->mAnimations[i], &import->importClips[i] ) == false )
		{
			return false;
		}
		import->clipCount += 1;
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Sampling

// Walks along a track with rising times.
typedef struct Cursor
{
	const supTrack* track;
	int32_t key; // last key at or before the time asked for
} Cursor;

// Position between two keys; moves the cursor on.
static float Advance( Cursor* cursor, float time, int32_t* left, int32_t* right )
{
	const supTrack* track = cursor->track;
	while ( cursor->key + 1 < track->count && track->times[cursor->key + 1] <= time )
	{
		cursor->key += 1;
	}
	*left = cursor->key;
	*right = cursor->key + 1 < track->count ? cursor->key + 1 : cursor->key;
	float from = track->times[*left];
	float to = track->times[*right];
	return to > from && time > from ? ( time - from ) / ( to - from ) : 0.0f;
}

static supVec3 SampleVector( Cursor* cursor, float time, supVec3 otherwise )
{
	if ( cursor->track == NULL || cursor->track->count == 0 )
	{
		return otherwise;
	}
	int32_t left, right;
	float t = Advance( cursor, time, &left, &right );
	const float* a = cursor->track->values + 3 * (size_t)left;
	const float* b = cursor->track->values + 3 * (size_t)right;
	supVec3 from = { a[0], a[1], a[2] };
	return t > 0.0f ? supLerp( from, supMakeVec3( b[0], b[1], b[2] ), t ) : from;
}

static supQuat SampleRotation( Cursor* cursor, float time, supQuat otherwise )
{
	if ( cursor->track == NULL || cursor->track->count == 0 )
	{
		return otherwise;
	}
	int32_t left, right;
	float t = Advance( cursor, time, &left, &right );
	const float* a = cursor->track->values + 4 * (size_t)left;
	const float* b = cursor->track->values + 4 * (size_t)right;
	supQuat from = { a[0], a[1], a[2], a[3] };
	return t > 0.0f ? supSlerp( from, ( supQuat ){ b[0], b[1], b[2], b[3] }, t ) : from;
}

// ---------------------------------------------------------------------------------------------------------------------
// Channels

// Everything that moves one joined node in one clip. Tracks may be NULL.
typedef struct Motion
{
	const supImportNode* node;
	const supTrack* translation;
	const supTrack* rotation;
	const supTrack* scale;
	const supTrack* parentScale;
	supVec3 parentRestScale;
} Motion;

typedef SUP_ARRAY( supChannel ) ChannelArray;

// The times of two tracks together. Either may be NULL or empty.
static bool UniteTimes( supImport* import, const supTrack* a, const supTrack* b, supTrack* united )
{
	int32_t countA = a != NULL ? a->count : 0;
	int32_t countB = b != NULL ? b->count : 0;
	*united = ( supTrack ){ 0 };
	united->times = supArena_AllocArray( &import->arena, (size_t)countA + (size_t)countB, sizeof( float ) );
	if ( united->times == NULL )
	{
		return supImport_OutOfMemory( import );
	}
	for ( int32_t i = 0, k = 0; i < countA || k < countB; )
	{
		bool takeA = k >= countB || ( i < countA && a->times[i] <= b->times[k] );
		float time = takeA ? a->times[i] : b->times[k];
		k += k < countB && b->times[k] == time;
		i += takeA;
		united->times[united->count++] = time;
	}
	return true;
}

// Evaluates the slots of the node at the times of the tracks that a property depends on.
static bool AddChannel( supImport* import, const Motion* motion, supSlot slot, supChannelPath path,
						const supTrack* dependsOn, const supTrack* andOn, ChannelArray* channels )
{
	bool moves = ( dependsOn != NULL && dependsOn->count > 0 ) || ( andOn != NULL && andOn->count > 0 );
	if ( motion->node->slots[slot] < 0 || moves == false )
	{
		return true;
	}
	supTrack track;
	int32_t width = path == sup_channelRotation ? 4 : 3;
	if ( UniteTimes( import, dependsOn, andOn, &track ) == false )
	{
		return false;
	}
	track.values = supArena_AllocArray( &import->arena, (size_t)track.count, (size_t)width * sizeof( float ) );
	if ( track.values == NULL )
	{
		return supImport_OutOfMemory( import );
	}
	const supTransform* rest = &motion->node->rest;
	Cursor t = { motion->translation, 0 }, q = { motion->rotation, 0 }, s = { motion->scale, 0 };
	Cursor parent = { motion->parentScale, 0 };
	supQuat last = supQuat_identity;
	for ( int32_t i = 0; i < track.count; ++i )
	{
		float time = track.times[i];
		supTransform own = { SampleVector( &t, time, rest->translation ), SampleRotation( &q, time, rest->rotation ),
							 SampleVector( &s, time, rest->scale ) };
		supVec3 parentScale = SampleVector( &parent, time, motion->parentRestScale );
		supTransform slots[sup_slotCount];
		supImport_EvaluateSlots( motion->node, own, parentScale, slots );
		float* value = track.values + (size_t)width * (size_t)i;
		if ( path == sup_channelRotation )
		{
			supQuat r = slots[slot].rotation;
			float sign = supDotQuat( last, r ) < 0.0f ? -1.0f : 1.0f;
			last = ( supQuat ){ sign * r.x, sign * r.y, sign * r.z, sign * r.w };
			memcpy( value, &last, sizeof( last ) );
		}
		else
		{
			memcpy( value, path == sup_channelScale ? &slots[slot].scale : &slots[slot].translation,
					sizeof( supVec3 ) );
		}
	}
	supChannel channel = {
		motion->node->slots[slot], path, sup_interpolationLinear, track.count, width, track.times, track.values
	};
	return SUP_PUSH( channels, channel ) || supImport_OutOfMemory( import );
}

// Which track each property of each slot depends on follows from supImport_EvaluateSlots.
static bool AddNodeChannels( supImport* import, const Motion* m, ChannelArray* channels )
{
	const supImportNode* node = m->node;
	bool helped = node->slots[sup_slotHelper] >= 0;
	bool pivoted = node->slots[sup_slotPivot] >= 0;
	const supTrack* compensation = node->compensates ? m->parentScale : NULL;
	return AddChannel( import, m, sup_slotHelper, sup_channelTranslation, m->translation, NULL, channels ) &&
		   AddChannel( import, m, sup_slotHelper, sup_channelScale, compensation, NULL, channels ) &&
		   AddChannel( import, m, sup_slotPivot, sup_channelTranslation, helped ? NULL : m->translation, NULL,
					   channels ) &&
		   AddChannel( import, m, sup_slotPivot, sup_channelRotation, m->rotation, NULL, channels ) &&
		   AddChannel( import, m, sup_slotBase, sup_channelTranslation, helped || pivoted ? NULL : m->translation,
					   node->hasPivot ? m->scale : NULL, channels ) &&
		   AddChannel( import, m, sup_slotBase, sup_channelRotation, pivoted ? NULL : m->rotation, NULL, channels ) &&
		   AddChannel( import, m, sup_slotBase, sup_channelScale, m->scale, helped ? NULL : compensation, channels );
}

static bool AddAllNodeChannels( supImport* import, const supImportClip* clip, ChannelArray* channels )
{
	for ( int32_t i = 0; i < import->joined.count; ++i )
	{
		const supImportNode* node = &import->joined.data[i];
		const supNodeTracks* own = FindTracks( clip, i );
		const supNodeTracks* parent = node->compensates ? FindTracks( clip, node->parent ) : NULL;
		if ( own == NULL && parent == NULL )
		{
			continue;
		}
		Motion motion = { .node = node, .parentRestScale = supVec3_one };
		if ( own != NULL )
		{
			motion.translation = &own->translation;
			motion.rotation = &own->rotation;
			motion.scale = &own->scale;
		}
		if ( node->compensates )
		{
			motion.parentScale = parent != NULL ? &parent->scale : NULL;
			motion.parentRestScale = import->joined.data[node->parent].rest.scale;
		}
		if ( AddNodeChannels( import, &motion, channels ) == false )
		{
			return false;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Morph targets

// Keys of one target: an aiMeshMorphKey lists only the targets that have a key at its time.
static bool CollectTargetKeys( supImport* import, const struct aiMeshMorphAnim* source, double tick, unsigned target,
							   supTrack* track )
{
	TrackWriter writer;
	if ( StartTrack( import, &writer, source->mNumKeys, 1 ) == false )
	{
		return false;
	}
	for ( unsigned i = 0; i < source->mNumKeys; ++i )
	{
		const struct aiMeshMorphKey* key = &source->mKeys[i];
		for ( unsigned k = 0; k < key->mNumValuesAndWeights; ++k )
		{
			float weight = (float)key->mWeights[k];
			if ( key->mValues[k] == target )
			{
				WriteKey( &writer, key->mTime * tick, &weight );
			}
		}
	}
	*track = writer.track;
	return true;
}

static float SampleScalar( Cursor* cursor, float time )
{
	if ( cursor->track->count == 0 )
	{
		return 0.0f;
	}
	int32_t left, right;
	float t = Advance( cursor, time, &left, &right );
	float from = cursor->track->values[left];
	return from + t * ( cursor->track->values[right] - from );
}

static bool AddMorphChannel( supImport* import, const struct aiMeshMorphAnim* source, double tick,
							 const supInstance* instance, ChannelArray* channels )
{
	int32_t targets = import->meshes.data[instance->mesh].targetCount;
	supTrack* tracks = supArena_AllocArray( &import->arena, (size_t)targets, sizeof( supTrack ) );
	supTrack united = { 0 };
	bool ok = tracks != NULL || supImport_OutOfMemory( import );
	for ( int32_t k = 0; ok && k < targets; ++k )
	{
		ok = CollectTargetKeys( import, source, tick, (unsigned)k, &tracks[k] ) &&
			 UniteTimes( import, &united, &tracks[k], &united );
	}
	if ( ok == false || united.count == 0 )
	{
		return ok;
	}
	float* values = supArena_AllocArray( &import->arena, (size_t)united.count, (size_t)targets * sizeof( float ) );
	if ( values == NULL )
	{
		return supImport_OutOfMemory( import );
	}
	for ( int32_t k = 0; k < targets; ++k )
	{
		Cursor cursor = { &tracks[k], 0 };
		for ( int32_t i = 0; i < united.count; ++i )
		{
			values[(size_t)targets * (size_t)i + (size_t)k] = SampleScalar( &cursor, united.times[i] );
		}
	}
	supChannel channel = {
		instance->node, sup_channelMorphWeights, sup_interpolationLinear, united.count, targets, united.times, values
	};
	return SUP_PUSH( channels, channel ) || supImport_OutOfMemory( import );
}

// The channel of a morphed mesh is named after the node ("face*0" in FBX), or after the mesh in other formats.
static bool AddMorphChannels( supImport* import, const struct aiAnimation* animation, ChannelArray* channels )
{
	for ( unsigned i = 0; i < animation->mNumMorphMeshChannels; ++i )
	{
		const struct aiMeshMorphAnim* source = animation->mMorphMeshChannels[i];
		size_t length = strcspn( source->mName.data, "*" );
		for ( int32_t k = 0; k < import->instances.count; ++k )
		{
			const supInstance* instance = &import->instances.data[k];
			const char* nodeName = import->nodes.data[instance->node].name;
			const supMesh* mesh = &import->meshes.data[instance->mesh];
			bool meant = ( strlen( nodeName ) == length && strncmp( nodeName, source->mName.data, length ) == 0 ) ||
						 strcmp( mesh->name, source->mName.data ) == 0;
			if ( meant && mesh->targetCount > 0 &&
				 AddMorphChannel( import, source, SecondsPerTick( animation ), instance, channels ) == false )
			{
				return false;
			}
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Clips

static bool MakeClip( supImport* import, const supImportClip* source, ChannelArray* channels )
{
	if ( AddAllNodeChannels( import, source, channels ) == false ||
		 AddMorphChannels( import, source->source, channels ) == false )
	{
		return false;
	}
	const char* name = supImport_CopyName( import, &source->source->mName );
	if ( name == NULL )
	{
		return false;
	}
	if ( channels->count == 0 )
	{
		return supImport_AddNote( import, true, "clip \"%s\" moves nothing; dropped", name );
	}
	supClip clip = { .name = name, .channelCount = channels->count };
	clip.start = channels->data[0].times[0];
	clip.end = clip.start;
	for ( int32_t i = 0; i < channels->count; ++i )
	{
		const supChannel* channel = &channels->data[i];
		clip.start = supMinFloat( clip.start, channel->times[0] );
		clip.end = supMaxFloat( clip.end, channel->times[channel->keyCount - 1] );
	}
	clip.channels = supArena_CopyArray( &import->arena, channels->data, (size_t)channels->count, sizeof( supChannel ) );
	if ( clip.channels == NULL )
	{
		return supImport_OutOfMemory( import );
	}
	import->clips[import->clipsKept++] = clip;
	return true;
}

bool supImport_MakeClips( supImport* import )
{
	import->clips = supArena_AllocArray( &import->arena, (size_t)import->clipCount + 1, sizeof( supClip ) );
	if ( import->clips == NULL )
	{
		return supImport_OutOfMemory( import );
	}
	ChannelArray channels = { 0 };
	bool ok = true;
	for ( int32_t i = 0; ok && i < import->clipCount; ++i )
	{
		channels.count = 0;
		ok = MakeClip( import, &import->importClips[i], &channels );
	}
	SUP_FREE_ARRAY( &channels );
	return ok;
}
