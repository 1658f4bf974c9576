// SPDX-License-Identifier: MIT
// Animations of a glTF document.
#include "io/gltf/gltf_reader.h"

#include <stdio.h>

static const struct
{
	const char* name;
	supChannelPath path;
	int32_t width; // 0: as many as the mesh has morph targets
} s_paths[] = {
	{ "translation", sup_channelTranslation, 3 },
	{ "rotation", sup_channelRotation, 4 },
	{ "scale", sup_channelScale, 3 },
	{ "weights", sup_channelMorphWeights, 0 },
};

static bool ParseInterpolation( const char* name, supInterpolation* interpolation )
{
	static const char* const names[] = { "STEP", "LINEAR", "CUBICSPLINE" };
	for ( int32_t i = 0; i < SUP_COUNT( names ); ++i )
	{
		if ( strcmp( name, names[i] ) == 0 )
		{
			*interpolation = (supInterpolation)i;
			return true;
		}
	}
	return false;
}

// The times of keys, read once however many channels share them.
static const float* ReadTimes( supGltfReader* reader, int64_t accessor, const char* where, supAccessor* shape )
{
	if ( supDocument_Accessor( reader->document, accessor, where, shape, reader->error ) == false )
	{
		return NULL;
	}
	if ( reader->times[accessor] == NULL )
	{
		reader->times[accessor] =
			supDocument_ReadFloats( reader->document, accessor, where, &reader->arena, shape, reader->error );
	}
	return reader->times[accessor];
}

// How many floats make up one value of the channel, 0 where there is nothing to move.
static int32_t ChannelWidth( const supGltfReader* reader, const json_t* nodes, const supChannel* channel,
							 int32_t width )
{
	if ( channel->path != sup_channelMorphWeights )
	{
		return width;
	}
	int64_t mesh = supJson_Index( supJson_At( nodes, (size_t)channel->node ), "mesh", -2 );
	return mesh >= 0 && mesh < reader->def.meshCount ? reader->meshes[mesh].targetCount : 0;
}

// Reads the keys of a sampler. `problem` says why a channel is left out that is not damaged but does not fit.
static bool ReadSampler( supGltfReader* reader, const json_t* sampler, const char* where, supChannel* channel,
						 const char** problem )
{
	if ( ParseInterpolation( supJson_String( sampler, "interpolation", "LINEAR" ), &channel->interpolation ) == false )
	{
		*problem = "its interpolation must be STEP, LINEAR or CUBICSPLINE";
		return true;
	}
	supAccessor times, values;
	int64_t output = supJson_Index( sampler, "output", -2 );
	channel->times = ReadTimes( reader, supJson_Index( sampler, "input", -2 ), where, &times );
	if ( channel->times == NULL ||
		 supDocument_Accessor( reader->document, output, where, &values, reader->error ) == false )
	{
		return false;
	}
	int64_t parts = channel->interpolation == sup_interpolationCubicSpline ? 3 : 1;
	int64_t needed = parts * times.count * channel->width;
	bool rightShape = channel->path == sup_channelMorphWeights ? values.width == 1 : values.width == channel->width;
	if ( times.width != 1 || times.count == 0 || rightShape == false || (int64_t)values.count * values.width != needed )
	{
		*problem = "the numbers of its keys and values do not match";
		return true;
	}
	channel->keyCount = times.count;
	channel->values = supDocument_ReadFloats( reader->document, output, where, &reader->arena, &values, reader->error );
	return channel->values != NULL;
}

// `problem` is set where the channel is left out.
static bool ReadChannel( supGltfReader* reader, const json_t* animation, const json_t* object, const char* where,
						 supChannel* channel, const char** problem )
{
	const json_t* target = supJson_Get( object, "target" );
	const char* path = supJson_String( target, "path", "" );
	int32_t nodeCount = 0;
	const json_t* nodes = supGltf_List( reader, "nodes", &nodeCount );
	int64_t node = supJson_Index( target, "node", -1 );
	int32_t kind = 0;
	while ( kind < SUP_COUNT( s_paths ) && strcmp( path, s_paths[kind].name ) != 0 )
	{
		kind += 1;
	}
	if ( kind == SUP_COUNT( s_paths ) )
	{
		*problem = strcmp( path, "pointer" ) == 0 ? "it moves something other than a node (KHR_animation_pointer)"
												  : "its path must be translation, rotation, scale or weights";
		return true;
	}
	if ( node == -1 )
	{
		*problem = "it has no target node";
		return true;
	}
	const json_t* samplers = supJson_Get( animation, "samplers" );
	int64_t sampler = supJson_Index( object, "sampler", -2 );
	if ( node < 0 || node >= nodeCount || sampler < 0 || (size_t)sampler >= json_array_size( samplers ) )
	{
		return supGltf_Fail( reader, sup_errorFormat, where, "it refers to a missing node or sampler" );
	}
	channel->node = (int32_t)node;
	channel->path = s_paths[kind].path;
	channel->width = ChannelWidth( reader, nodes, channel, s_paths[kind].width );
	if ( channel->width == 0 )
	{
		*problem = "its node has no mesh with morph targets";
		return true;
	}
	return ReadSampler( reader, supJson_At( samplers, (size_t)sampler ), where, channel, problem );
}

static void IncludeTimes( supClip* clip, const supChannel* channel, bool* first )
{
	for ( int32_t i = 0; i < channel->keyCount; ++i )
	{
		float time = channel->times[i];
		if ( supIsFinite( time ) )
		{
			clip->start = *first || time < clip->start ? time : clip->start;
			clip->end = *first || time > clip->end ? time : clip->end;
			*first = false;
		}
	}
}

static bool ReadClip( supGltfReader* reader, int32_t index, const json_t* object, supClip* clip )
{
	const json_t* list = supJson_Get( object, "channels" );
	size_t listCount = json_array_size( list );
	supChannel* channels = supGltf_Alloc( reader, listCount, sizeof( supChannel ) );
	if ( channels == NULL )
	{
		return false;
	}
	clip->name = supJson_String( object, "name", "" );
	clip->channels = channels;
	bool first = true;
	for ( size_t i = 0; i < listCount; ++i )
	{
		char where[96];
		snprintf( where, sizeof( where ), "animations[%d].channels[%d]", index, (int)i );
		supChannel* channel = channels + clip->channelCount;
		const char* problem = NULL;
		*channel = ( supChannel ){ 0 };
		if ( ReadChannel( reader, object, supJson_At( list, i ), where, channel, &problem ) == false ||
			 ( problem != NULL && supGltf_AddNote( reader, true, "%s dropped: %s", where, problem ) == false ) )
		{
			return false;
		}
		if ( problem == NULL )
		{
			clip->channelCount += 1;
			IncludeTimes( clip, channel, &first );
		}
	}
	return clip->start == 0.0f ||
		   supGltf_AddNote( reader, false, "animations[%d] \"%.64s\" has its first key at %.4g s", index, clip->name,
							(double)clip->start );
}

bool supGltf_ReadClips( supGltfReader* reader )
{
	int32_t accessorCount = 0;
	supGltf_List( reader, "accessors", &accessorCount );
	const json_t* list = supGltf_List( reader, "animations", &reader->def.clipCount );
	int32_t count = reader->def.clipCount;
	supClip* clips = supGltf_Alloc( reader, (size_t)count, sizeof( supClip ) );
	reader->times = supGltf_Alloc( reader, (size_t)accessorCount, sizeof( float* ) );
	reader->def.clips = clips;
	if ( clips == NULL || reader->times == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( ReadClip( reader, i, supJson_At( list, (size_t)i ), clips + i ) == false )
		{
			return false;
		}
	}
	return true;
}
