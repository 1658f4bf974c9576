// SPDX-License-Identifier: MIT
// A clip becomes an animation of the document. What the format forbids is left out or put right:
// - times below zero: the whole clip is moved to start at 0
// - two channels with one target: the last stays, as it does in a pose
// - channels of nodes with a sheared matrix, which no pose follows either
// - cubic splines with a single key: a step
// - rotations that are not of unit length
#include "core/hash.h"
#include "io/gltf/gltf_write.h"

#include <math.h>

static const char* const s_paths[] = { "translation", "rotation", "scale", "weights" };
static const char* const s_interpolations[] = { "STEP", "LINEAR", "CUBICSPLINE" };

// The times of several channels are usually the same: written once.
typedef struct supInput
{
	const supChannel* channel;
	uint64_t hash;
	int64_t accessor;
} supInput;

typedef struct supClipWriter
{
	supDocument* document;
	supError* error;
	supArena arena;
	// moves the first key to 0 where it lies before
	float shift;
	// metres per unit of the document
	float unit;
	// four per node: the last channel for each target, -1 without
	int32_t* lastChannels;
	json_t* samplers;
	json_t* channels;
	SUP_ARRAY( supInput ) inputs;
} supClipWriter;

// Channels with the same times mostly stand close together; looking back farther would be slow for clips with a hundred
// thousand channels.
#define INPUTS_TO_COMPARE 64

static int64_t WriteTimes( supClipWriter* writer, const supChannel* channel )
{
	size_t byteCount = (size_t)channel->keyCount * sizeof( float );
	uint64_t hash = supHashBytes( SUP_HASH_SEED, channel->times, byteCount );
	int32_t inputCount = writer->inputs.count;
	for ( int32_t i = inputCount > INPUTS_TO_COMPARE ? inputCount - INPUTS_TO_COMPARE : 0; i < inputCount; ++i )
	{
		const supInput* input = writer->inputs.data + i;
		if ( input->hash == hash && input->channel->keyCount == channel->keyCount &&
			 memcmp( input->channel->times, channel->times, byteCount ) == 0 )
		{
			return input->accessor;
		}
	}
	float* times = supArena_CopyArray( &writer->arena, channel->times, (size_t)channel->keyCount, sizeof( float ) );
	if ( times == NULL || SUP_RESERVE_ONE( &writer->inputs ) == false )
	{
		supSetMemoryError( writer->error );
		return -1;
	}
	for ( int32_t i = 0; i < channel->keyCount; ++i )
	{
		times[i] += writer->shift;
		// rounding must not make two keys one
		times[i] = i > 0 && times[i] <= times[i - 1] ? nextafterf( times[i - 1], INFINITY ) : times[i];
	}
	int64_t accessor = supDocument_AppendAccessor( writer->document, times, channel->keyCount, SUP_GL_FLOAT, "SCALAR",
												   0, true, writer->error );
	writer->inputs.data[writer->inputs.count++] = ( supInput ){ channel, hash, accessor };
	return accessor;
}

static bool IsCubic( const supChannel* channel )
{
	return channel->interpolation == sup_interpolationCubicSpline && channel->keyCount > 1;
}

static int64_t WriteValues( supClipWriter* writer, const supChannel* channel )
{
	size_t width = (size_t)channel->width;
	size_t parts = channel->interpolation == sup_interpolationCubicSpline ? 3 : 1;
	size_t keyCount = (size_t)channel->keyCount;
	float* values = supArena_CopyArray( &writer->arena, channel->values, keyCount * width * parts, sizeof( float ) );
	if ( values == NULL )
	{
		supSetMemoryError( writer->error );
		return -1;
	}
	for ( size_t i = 0; i < keyCount * width * parts && channel->path == sup_channelTranslation; ++i )
	{
		values[i] /= writer->unit;
	}
	// of the three parts of a spline's key the value is the middle one
	size_t middle = parts == 3 ? width : 0;
	for ( size_t i = 0; i < keyCount && channel->path == sup_channelRotation; ++i )
	{
		float* value = values + i * width * parts + middle;
		supQuat q = { value[0], value[1], value[2], value[3] };
		float length = supDotQuat( q, q );
		if ( !( length > 0.9999f && length < 1.0001f ) )
		{
			q = supNormalizeQuat( q );
			memcpy( value, &q, sizeof( q ) );
		}
	}
	if ( parts == 3 && IsCubic( channel ) == false )
	{
		values += middle;
		parts = 1;
	}
	static const char* const types[] = { "VEC3", "VEC4", "VEC3", "SCALAR" };
	size_t count = keyCount * parts * ( channel->path == sup_channelMorphWeights ? width : 1 );
	if ( count > INT32_MAX )
	{
		supSetError( writer->error, sup_errorTooLarge, writer->document->name, "a clip has too many keys" );
		return -1;
	}
	return supDocument_AppendAccessor( writer->document, values, (int32_t)count, SUP_GL_FLOAT, types[channel->path], 0,
									   false, writer->error );
}

static bool WriteChannel( supClipWriter* writer, const supChannel* channel )
{
	bool isSpline = channel->interpolation == sup_interpolationCubicSpline;
	int interpolation = isSpline && IsCubic( channel ) == false ? sup_interpolationStep : channel->interpolation;
	int64_t input = WriteTimes( writer, channel );
	int64_t output = input >= 0 ? WriteValues( writer, channel ) : -1;
	if ( output < 0 )
	{
		return false;
	}
	supError* error = writer->error;
	json_t* sampler = json_object();
	json_t* target = json_object();
	json_t* item = json_object();
	size_t index = json_array_size( writer->samplers );
	bool ok = supJson_Set( sampler, "input", json_integer( input ), error );
	// LINEAR is the default
	ok = ok && ( interpolation == sup_interpolationLinear ||
				 supJson_Set( sampler, "interpolation", json_string( s_interpolations[interpolation] ), error ) );
	ok = ok && supJson_Set( sampler, "output", json_integer( output ), error );
	ok = ok && supJson_Set( item, "sampler", json_integer( (json_int_t)index ), error );
	ok = ok && supJson_Set( target, "node", json_integer( channel->node ), error );
	ok = ok && supJson_Set( target, "path", json_string( s_paths[channel->path] ), error );
	// these take over what they are given, also when they fail
	ok = supJson_Set( item, "target", target, error ) && ok;
	ok = supJson_Push( writer->channels, item, error ) && ok;
	return supJson_Push( writer->samplers, sampler, error ) && ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Which channels

static int64_t CountTargets( const supDocument* document, const json_t* node )
{
	int64_t index = supJson_Index( node, "mesh", -1 );
	const json_t* mesh = index >= 0 ? supJson_At( supJson_Get( document->root, "meshes" ), (size_t)index ) : NULL;
	const json_t* primitive = supJson_At( supJson_Get( mesh, "primitives" ), 0 );
	return (int64_t)json_array_size( supJson_Get( primitive, "targets" ) );
}

// A channel can move translation, rotation and scale of a node only where it has no matrix. Splits the matrix; false in
// `possible` where it has shear.
static bool SplitMatrix( json_t* node, bool* possible, supError* error )
{
	const json_t* matrix = supJson_Get( node, "matrix" );
	*possible = true;
	if ( matrix == NULL )
	{
		return true;
	}
	float m[16];
	for ( size_t i = 0; i < 16; ++i )
	{
		m[i] = (float)json_number_value( supJson_At( matrix, i ) );
	}
	supMat34 map = { { m[0], m[1], m[2] }, { m[4], m[5], m[6] }, { m[8], m[9], m[10] }, { m[12], m[13], m[14] } };
	supTransform transform;
	*possible = supDecompose( map, &transform );
	return *possible == false || supJson_SetTransform( node, transform, error );
}

// Fills lastChannels. False with an error where a channel is for a node that the document does not have.
static bool FindLastChannels( supClipWriter* writer, const supClip* clip )
{
	size_t nodeCount = json_array_size( supJson_Get( writer->document->root, "nodes" ) );
	writer->lastChannels = supArena_AllocArray( &writer->arena, nodeCount * 4, sizeof( int32_t ) );
	if ( writer->lastChannels == NULL )
	{
		return supSetMemoryError( writer->error );
	}
	memset( writer->lastChannels, 0xFF, nodeCount * 4 * sizeof( int32_t ) );
	for ( int32_t i = 0; i < clip->channelCount; ++i )
	{
		const supChannel* channel = clip->channels + i;
		if ( channel->node < 0 || (size_t)channel->node >= nodeCount )
		{
			return supSetError( writer->error, sup_errorArgument, writer->document->name,
								"the clip \"%s\" moves node %d, and the document has %d nodes", clip->name,
								channel->node, (int)nodeCount );
		}
		writer->lastChannels[channel->node * 4 + (int)channel->path] = i;
	}
	return true;
}

static bool CheckChannel( supClipWriter* writer, const supChannel* channel, bool* wanted )
{
	json_t* node = supJson_At( supJson_Get( writer->document->root, "nodes" ), (size_t)channel->node );
	*wanted = channel->keyCount > 0 && channel->width > 0;
	if ( channel->path == sup_channelMorphWeights )
	{
		*wanted = *wanted && CountTargets( writer->document, node ) == channel->width;
		return true;
	}
	bool possible = true;
	bool ok = *wanted == false || SplitMatrix( node, &possible, writer->error );
	*wanted = *wanted && possible;
	return ok;
}

static bool WriteChannels( supClipWriter* writer, const supClip* clip )
{
	bool ok = FindLastChannels( writer, clip );
	for ( int32_t i = 0; i < clip->channelCount && ok; ++i )
	{
		const supChannel* channel = clip->channels + i;
		bool wanted = writer->lastChannels[channel->node * 4 + (int)channel->path] == i;
		ok = wanted == false || CheckChannel( writer, channel, &wanted );
		ok = ok && ( wanted == false || WriteChannel( writer, channel ) );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Name

static bool IsNameTaken( const json_t* animations, const char* name )
{
	for ( size_t i = 0; i < json_array_size( animations ); ++i )
	{
		if ( strcmp( supJson_String( supJson_At( animations, i ), "name", "" ), name ) == 0 )
		{
			return true;
		}
	}
	return false;
}

// "Walk", "Walk 2", "Walk 3", ... NULL when out of memory.
static json_t* MakeUniqueName( const supDocument* document, const char* name )
{
	const json_t* animations = supJson_Get( document->root, "animations" );
	json_t* wanted = supJson_MakeString( name );
	json_t* unique = json_incref( wanted );
	for ( int number = 2; unique != NULL && IsNameTaken( animations, json_string_value( unique ) ); ++number )
	{
		json_decref( unique );
		unique = json_sprintf( "%s %d", json_string_value( wanted ), number );
	}
	json_decref( wanted );
	return unique;
}

static bool WriteAnimation( supClipWriter* writer, const supClip* clip )
{
	supError* error = writer->error;
	json_t* animation = json_object();
	bool named = clip->name != NULL && clip->name[0] != 0;
	json_t* name = named ? MakeUniqueName( writer->document, clip->name ) : NULL;
	bool ok = named == false || supJson_Set( animation, "name", name, error );
	ok = ok && supJson_Set( animation, "channels", json_incref( writer->channels ), error );
	ok = ok && supJson_Set( animation, "samplers", json_incref( writer->samplers ), error );
	ok = ok && supDocument_AppendItem( writer->document, "animations", json_incref( animation ), error ) >= 0;
	json_decref( animation );
	return ok;
}

bool supWriteClip( supDocument* document, const supClip* clip, float unit, bool* written, supError* error )
{
	supClipWriter writer = { .document = document, .error = error, .samplers = json_array(), .channels = json_array() };
	writer.unit = unit;
	writer.shift = clip->start < 0.0f ? -clip->start : 0.0f;
	bool ok = WriteChannels( &writer, clip );
	*written = ok && json_array_size( writer.channels ) > 0;
	ok = ok && ( *written == false || WriteAnimation( &writer, clip ) );
	json_decref( writer.channels );
	json_decref( writer.samplers );
	SUP_FREE_ARRAY( &writer.inputs );
	supArena_Destroy( &writer.arena );
	return ok;
}

bool supDocument_AddClip( supDocument* document, const supClip* clip, supError* error )
{
	supClearError( error );
	bool written;
	bool ok = supWriteClip( document, clip, 1.0f, &written, error );
	if ( ok && written == false )
	{
		return supSetError( error, sup_errorArgument, document->name,
							"the clip \"%s\" moves nothing that glTF can animate", clip->name );
	}
	return ok;
}
