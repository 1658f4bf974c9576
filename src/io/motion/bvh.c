// SPDX-License-Identifier: MIT
// From what a BVH file says to a character: a skeleton and one clip.
#include "io/motion/bvh.h"

#include "io/motion/bvh_reader.h"

#include <stdio.h>

// ---------------------------------------------------------------------------------------------------------------------
// Clip

static float ToRadians( float degrees )
{
	double turns = (double)degrees / 360.0;
	double rest = turns - floor( turns + 0.5 );
	return (float)( rest * 2.0 * 3.14159265358979323846 );
}

static supQuat EvaluateRotation( const supBvhJoint* joint, const float* frame )
{
	supQuat rotation = supQuat_identity;
	for ( int i = 0; i < joint->channelCount; ++i )
	{
		if ( joint->channels[i] < channelXRotation )
		{
			continue;
		}
		supCosSin half = supComputeCosSin( 0.5f * ToRadians( frame[joint->firstValue + i] ) );
		float axis[3] = { 0.0f, 0.0f, 0.0f };
		axis[joint->channels[i] - channelXRotation] = half.sine;
		rotation = supMulQuat( rotation, ( supQuat ){ axis[0], axis[1], axis[2], half.cosine } );
	}
	return supNormalizeQuat( rotation );
}

// Position channels replace the offset, each axis by itself.
static supVec3 EvaluateTranslation( const supBvhJoint* joint, supVec3 offset, const float* frame )
{
	float position[3] = { offset.x, offset.y, offset.z };
	for ( int i = 0; i < joint->channelCount; ++i )
	{
		if ( joint->channels[i] <= channelZPosition )
		{
			position[joint->channels[i]] = frame[joint->firstValue + i];
		}
	}
	return supMakeVec3( position[0], position[1], position[2] );
}

static bool HasChannel( const supBvhJoint* joint, bool rotation )
{
	for ( int i = 0; i < joint->channelCount; ++i )
	{
		if ( ( joint->channels[i] >= channelXRotation ) == rotation )
		{
			return true;
		}
	}
	return false;
}

static float* BuildRotations( supBvhReader* reader, const supBvhJoint* joint )
{
	supQuat* keys = supArena_AllocArray( &reader->arena, (size_t)reader->frameCount, sizeof( supQuat ) );
	for ( int32_t i = 0; keys != NULL && i < reader->frameCount; ++i )
	{
		supQuat q = EvaluateRotation( joint, reader->values + (size_t)i * (size_t)reader->width );
		// one of the two quaternions of each rotation, so that neighbours are near
		bool flip = i > 0 && supDotQuat( keys[i - 1], q ) < 0.0f;
		keys[i] = flip ? ( supQuat ){ -q.x, -q.y, -q.z, -q.w } : q;
	}
	return (float*)keys;
}

static float* BuildTranslations( supBvhReader* reader, const supBvhJoint* joint, supVec3 offset )
{
	supVec3* keys = supArena_AllocArray( &reader->arena, (size_t)reader->frameCount, sizeof( supVec3 ) );
	for ( int32_t i = 0; keys != NULL && i < reader->frameCount; ++i )
	{
		keys[i] = EvaluateTranslation( joint, offset, reader->values + (size_t)i * (size_t)reader->width );
	}
	return (float*)keys;
}

static float* BuildTimes( supBvhReader* reader )
{
	float* times = supArena_AllocArray( &reader->arena, (size_t)reader->frameCount, sizeof( float ) );
	for ( int32_t i = 0; times != NULL && i < reader->frameCount; ++i )
	{
		times[i] = (float)( (double)i * reader->frameTime );
	}
	return times;
}

// The whole file's name without folder and extension.
static const char* MakeClipName( supBvhReader* reader )
{
	const char* start = reader->fileName;
	for ( const char* p = start; *p != 0; ++p )
	{
		start = *p == '/' || *p == '\\' ? p + 1 : start;
	}
	const char* dot = strrchr( start, '.' );
	int length = dot != NULL && dot > start ? (int)( dot - start ) : (int)strlen( start );
	return supArena_Format( &reader->arena, "%.*s", length, start );
}

static bool BuildClip( supBvhReader* reader, supClip* clip )
{
	const float* times = BuildTimes( reader );
	supChannel* channels = supArena_AllocArray( &reader->arena, 2 * (size_t)reader->nodes.count, sizeof( supChannel ) );
	clip->name = MakeClipName( reader );
	if ( times == NULL || channels == NULL || clip->name == NULL )
	{
		return supSetMemoryError( reader->error );
	}
	for ( int32_t i = 0; i < reader->nodes.count; ++i )
	{
		const supBvhJoint* joint = &reader->joints.data[i];
		for ( int rotation = 0; rotation < 2; ++rotation )
		{
			if ( !HasChannel( joint, rotation != 0 ) )
			{
				continue;
			}
			const float* keys = rotation != 0
									? BuildRotations( reader, joint )
									: BuildTranslations( reader, joint, reader->nodes.data[i].rest.translation );
			if ( keys == NULL )
			{
				return supSetMemoryError( reader->error );
			}
			channels[clip->channelCount++] = ( supChannel ){
				.node = i,
				.path = rotation != 0 ? sup_channelRotation : sup_channelTranslation,
				.interpolation = sup_interpolationLinear,
				.keyCount = reader->frameCount,
				.width = rotation != 0 ? 4 : 3,
				.times = times,
				.values = keys,
			};
		}
	}
	clip->channels = channels;
	clip->start = times[0];
	clip->end = times[reader->frameCount - 1];
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Worth knowing

// Sum over all rotation channels of the change between two frames, in degrees.
static float MeasureChange( const supBvhReader* reader, int32_t frame )
{
	const float* a = reader->values + (size_t)frame * (size_t)reader->width;
	const float* b = a + reader->width;
	float sum = 0.0f;
	for ( int32_t i = 0; i < reader->joints.count; ++i )
	{
		const supBvhJoint* joint = &reader->joints.data[i];
		if ( HasChannel( joint, true ) )
		{
			float cosine = supDotQuat( EvaluateRotation( joint, a ), EvaluateRotation( joint, b ) );
			sum += 2.0f * supAcos( cosine < 0.0f ? -cosine : cosine ) * ( 180.0f / SUP_PI );
		}
	}
	return sum;
}

// CMU's files begin with one: mostly zeros, then a leap into the motion.
static bool NoteFirstFrame( supBvhReader* reader )
{
	if ( reader->frameCount < 3 )
	{
		return true;
	}
	int32_t rotations = 0;
	int32_t zeros = 0;
	for ( int32_t i = 0; i < reader->joints.count; ++i )
	{
		const supBvhJoint* joint = &reader->joints.data[i];
		for ( int k = 0; k < joint->channelCount; ++k )
		{
			bool isRotation = joint->channels[k] >= channelXRotation;
			rotations += isRotation;
			zeros += isRotation && fabsf( reader->values[joint->firstValue + k] ) < 1.0f;
		}
	}
	float leap = MeasureChange( reader, 0 );
	if ( 4 * zeros < 3 * rotations || leap < 20.0f || leap < 8.0f * MeasureChange( reader, 1 ) )
	{
		return true;
	}
	return supBvh_AddNote( reader, false,
						   supArena_Format( &reader->arena,
											"frame 0 looks like a T-pose before the motion, which starts at %.4g s",
											reader->frameTime ) );
}

static bool NoteSize( supBvhReader* reader )
{
	float lower = 0.0f;
	float upper = 0.0f;
	SUP_ARRAY( supVec3 ) places = { 0 };
	for ( int32_t i = 0; i < reader->nodes.count; ++i )
	{
		const supNode* node = &reader->nodes.data[i];
		supVec3 base = node->parent >= 0 ? places.data[node->parent] : supVec3_zero;
		supVec3 place = node->parent >= 0 ? supAdd( base, node->rest.translation ) : supVec3_zero;
		if ( !SUP_PUSH( &places, place ) )
		{
			SUP_FREE_ARRAY( &places );
			return supSetMemoryError( reader->error );
		}
		lower = supMinFloat( lower, place.y );
		upper = supMaxFloat( upper, place.y );
	}
	SUP_FREE_ARRAY( &places );
	float height = upper - lower;
	if ( !( height >= 4.0f ) )
	{
		return true;
	}
	const char* guess = height > 120.0f && height < 250.0f ? "; probably centimetres"
						: height > 50.0f && height < 90.0f ? "; probably inches"
														   : "";
	return supBvh_AddNote( reader, false,
						   supArena_Format( &reader->arena, "BVH has no unit: the skeleton is %.4g units tall%s",
											(double)height, guess ) );
}

static bool NoteMissingOffsets( supBvhReader* reader )
{
	for ( int32_t i = 0; i < reader->joints.count; ++i )
	{
		if ( !reader->joints.data[i].hasOffset )
		{
			return supBvh_AddNote(
				reader, true,
				supArena_Format( &reader->arena, "joint '%s' has no OFFSET; 0 is used", reader->nodes.data[i].name ) );
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static supCharacter* ReadCharacter( supBvhReader* reader )
{
	if ( !supBvh_Read( reader ) || !NoteMissingOffsets( reader ) || !NoteFirstFrame( reader ) || !NoteSize( reader ) )
	{
		return NULL;
	}

	supClip clip = { 0 };
	bool hasClip = reader->frameCount > 0;
	if ( hasClip && !BuildClip( reader, &clip ) )
	{
		return NULL;
	}
	supCharacterDef def = supDefaultCharacterDef();
	def.name = MakeClipName( reader );
	def.nodeCount = reader->nodes.count;
	def.nodes = reader->nodes.data;
	def.clipCount = hasClip ? 1 : 0;
	def.clips = &clip;
	def.noteCount = reader->notes.count;
	def.notes = reader->notes.data;
	def.unitScale = 1.0f;
	if ( def.name == NULL )
	{
		supSetMemoryError( reader->error );
		return NULL;
	}
	return supCreateCharacter( &def, reader->error );
}

supCharacter* supParseBvh( const char* text, size_t length, const char* name, supError* error )
{
	supError ignored;
	error = error != NULL ? error : &ignored;
	supClearError( error );
	supBvhReader reader = {
		.text = text,
		.cursor = text,
		.end = text + length,
		.fileName = name,
		.error = error,
	};
	supCharacter* character = ReadCharacter( &reader );
	SUP_FREE_ARRAY( &reader.nodes );
	SUP_FREE_ARRAY( &reader.joints );
	SUP_FREE_ARRAY( &reader.notes );
	supArena_Destroy( &reader.arena );
	return character;
}
