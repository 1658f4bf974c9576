// SPDX-License-Identifier: MIT
// Baked frames as morph targets. Every skinned instance becomes a plain mesh whose vertices are those of the first
// frame (the base), with one target per key frame of every clip: offsets from the base. An animation sets all weights,
// and at each key one of them is 1:
//
//                 clip A                  clip B
//     targets     A.0001*  A.0009  A.0031 B.0001  B.0020       * is the base itself, no target
//     A at keys   0 0 0 0  1 0 0 0  0 1 0 0
//     B at keys   0 0 1 0  0 0 0 1
//
// so that between keys two weights add up to 1 and vertices move along lines. Keys whose frame is the base in all bits
// (the end of a loop) need no target either. All instances have the same keys and targets, so that one sampler serves
// them all.
//
// With a basis (decompose/basis.h) targets are principal components of the key frames of all clips, and every key sets
// all weights. Half of the tolerance goes to frames between keys, half to the components that are left out.
#include "io/gltf/gltf_morph.h"

#include "character/character.h"
#include "decompose/basis.h"
#include "io/gltf/gltf_animations.h"
#include "io/gltf/gltf_replace.h"
#include "io/gltf/key_frames.h"

#include <math.h>

// One number per key and target: this is reached with about 4000 keys, more than any reader deals with.
#define MOST_WEIGHT_BYTES ( (int64_t)64 << 20 )
// Finding components takes the cube of this many operations.
#define MOST_BASIS_KEYS 1500

typedef struct supMorphKeys
{
	int32_t keyCount;
	int32_t* frames;
	int32_t* targets; // -1: the base
} supMorphKeys;

typedef struct supMorphWriter
{
	supReplacer replacer;
	supDocument* document;
	const supCharacter* character;
	const supMorphClip* clips;
	int32_t clipCount;
	supMorphOptions* options;
	supMorphKeys* keys;
	supBakedAnimation* animations;
	// no shapes: targets are key frames
	supBasis basis;
	supError* error;
	supArena arena;
	// those that are baked: with a skin, or all
	int32_t* instances;
	int32_t instanceCount;
	// per instance listed: the first frame, and the offsets of the frame at hand. Normals are NULL where there are
	// none.
	supPosedMesh* bases;
	supPosedMesh* offsets;
	int32_t targetCount;
	json_t* targetNames;
} supMorphWriter;

static const supMesh* GetMesh( const supMorphWriter* writer, int32_t index )
{
	int32_t mesh = supCharacter_Instance( writer->character, writer->instances[index] )->mesh;
	return supCharacter_Mesh( writer->character, mesh );
}

// ---------------------------------------------------------------------------------------------------------------------
// Before anything changes

static bool FindInstances( supMorphWriter* writer )
{
	int32_t count = supCharacter_InstanceCount( writer->character );
	writer->instances = supArena_AllocArray( &writer->arena, (size_t)count, sizeof( int32_t ) );
	int32_t skinned = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		skinned += supCharacter_Instance( writer->character, i )->skin >= 0;
	}
	bool all = skinned == 0 && writer->clips[0].withRigid;
	for ( int32_t i = 0; i < count && writer->instances != NULL; ++i )
	{
		if ( all || supCharacter_Instance( writer->character, i )->skin >= 0 )
		{
			writer->instances[writer->instanceCount++] = i;
		}
	}
	if ( writer->arena.failed )
	{
		return supSetMemoryError( writer->error );
	}
	return writer->instanceCount > 0 ||
		   supSetError( writer->error, sup_errorArgument, writer->document->name,
						"no mesh has a skin: rigid meshes already follow their nodes, so there is nothing to bake" );
}

// Keys of all clips, into `all`. Returns how many, or -1 with an error.
static int32_t ChooseKeys( supMorphWriter* writer, float tolerance, supMorphKeys* all )
{
	int32_t total = 0;
	for ( int32_t i = 0; i < writer->clipCount; ++i )
	{
		const supFrames* frames = &writer->clips[i].frames;
		supMorphKeys* keys = all + i;
		size_t frameCount = (size_t)frames->frameCount;
		keys->frames = supArena_AllocArray( &writer->arena, frameCount, sizeof( int32_t ) );
		keys->targets = supArena_AllocArray( &writer->arena, frameCount, sizeof( int32_t ) );
		if ( writer->arena.failed )
		{
			supSetMemoryError( writer->error );
			return -1;
		}
		if ( supChooseKeyFrames( frames, writer->instances, writer->instanceCount, tolerance, keys->frames,
								 &keys->keyCount, writer->error ) == false )
		{
			return -1;
		}
		total += keys->keyCount;
	}
	return total;
}

static bool CheckKeyCount( const supMorphWriter* writer )
{
	int64_t total = writer->options->keyCount;
	int64_t weightBytes = total * total * (int64_t)sizeof( float );
	if ( weightBytes > MOST_WEIGHT_BYTES )
	{
		return supSetError(
			writer->error, sup_errorTooLarge, writer->document->name,
			"%d key frames as morph targets need %d MiB of weights (at most %d); use a larger tolerance, "
			"bake a shorter range or fewer clips, or write a point cache (.pc2, .mdd)",
			(int)total, (int)( weightBytes >> 20 ), (int)( MOST_WEIGHT_BYTES >> 20 ) );
	}
	return true;
}

static bool CheckClips( const supMorphWriter* writer, float tolerance )
{
	if ( !( tolerance >= 0.0f && supIsFinite( tolerance ) ) )
	{
		return supSetError( writer->error, sup_errorArgument, "tolerance", "must be a length of 0 m or more (got %g)",
							(double)tolerance );
	}
	for ( int32_t i = 0; i < writer->clipCount; ++i )
	{
		SUP_ASSERT( writer->clips[i].frames.character == writer->character );
		if ( writer->clips[i].frames.frameCount < 1 )
		{
			return supSetError( writer->error, sup_errorArgument, writer->document->name,
								"a bake without frames cannot be written" );
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// The base

static bool AllocateMesh( supMorphWriter* writer, const supMesh* mesh, supPosedMesh* posed, bool withTangents )
{
	size_t count = (size_t)mesh->vertexCount;
	supArena* arena = &writer->arena;
	*posed = ( supPosedMesh ){ 0 };
	posed->positions = supArena_AllocArray( arena, count, sizeof( supVec3 ) );
	posed->normals = mesh->normals != NULL ? supArena_AllocArray( arena, count, sizeof( supVec3 ) ) : NULL;
	withTangents = withTangents && mesh->tangents != NULL;
	posed->tangents = withTangents ? supArena_AllocArray( arena, count, sizeof( supVec4 ) ) : NULL;
	return arena->failed == false || supSetMemoryError( writer->error );
}

static bool ReadFrame( supMorphWriter* writer, int32_t clip, int32_t frame, int32_t index, supPosedMesh* posed )
{
	const supFrames* frames = &writer->clips[clip].frames;
	return frames->read( frame, writer->instances[index], posed->positions, posed->normals, frames->context,
						 writer->error );
}

// Frames have no tangents: those of the skin, turned to be square to the frame's normals.
static void ComputeTangents( supMorphWriter* writer, supPose* pose, int32_t index, supPosedMesh* posed )
{
	supSkinInstance( pose, writer->instances[index], sup_skinningLinear, NULL,
					 &( supSkinOutput ){ .tangents = posed->tangents } );
	for ( int32_t i = 0; i < GetMesh( writer, index )->vertexCount && posed->normals != NULL; ++i )
	{
		supVec4* tangent = posed->tangents + i;
		supVec3 t = supMakeVec3( tangent->x, tangent->y, tangent->z );
		t = supNormalize( supMulAdd( t, -supDot( t, posed->normals[i] ), posed->normals[i] ) );
		*tangent = ( supVec4 ){ t.x, t.y, t.z, tangent->w };
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Targets

// Returns whether any is not zero.
static bool Subtract( supVec3* values, const supVec3* base, int32_t count )
{
	bool differs = false;
	for ( int32_t i = 0; i < count; ++i )
	{
		values[i] = supSub( values[i], base[i] );
		differs = differs || values[i].x != 0.0f || values[i].y != 0.0f || values[i].z != 0.0f;
	}
	return differs;
}

// Fills the offsets of all instances. `differs` says whether the frame is another one than the base.
static bool ComputeOffsets( supMorphWriter* writer, int32_t clip, int32_t frame, bool* differs )
{
	*differs = false;
	for ( int32_t i = 0; i < writer->instanceCount; ++i )
	{
		int32_t count = GetMesh( writer, i )->vertexCount;
		supPosedMesh* offsets = writer->offsets + i;
		if ( ReadFrame( writer, clip, frame, i, offsets ) == false )
		{
			return false;
		}
		*differs = Subtract( offsets->positions, writer->bases[i].positions, count ) || *differs;
		if ( offsets->normals != NULL )
		{
			supRepairNormals( offsets->normals, count );
			*differs = Subtract( offsets->normals, writer->bases[i].normals, count ) || *differs;
		}
	}
	return true;
}

static bool AddTarget( supMorphWriter* writer, json_t* primitive, const supPrimitive* own, const supPosedMesh* offsets )
{
	supError* error = writer->error;
	json_t* targets = supJson_Get( primitive, "targets" );
	if ( targets == NULL )
	{
		// the primitive keeps it alive
		targets = json_array();
		if ( supJson_Set( primitive, "targets", targets, error ) == false )
		{
			return false;
		}
	}
	json_t* target = json_object();
	int64_t accessor = supDocument_AppendOffsets( writer->document, offsets->positions + own->vertexStart,
												  own->vertexCount, true, error );
	bool ok = accessor >= 0 && supJson_Set( target, "POSITION", json_integer( accessor ), error );
	if ( ok && supJson_Get( supJson_Get( primitive, "attributes" ), "NORMAL" ) != NULL )
	{
		accessor = supDocument_AppendOffsets( writer->document, offsets->normals + own->vertexStart, own->vertexCount,
											  false, error );
		ok = accessor >= 0 && supJson_Set( target, "NORMAL", json_integer( accessor ), error );
	}
	ok = supJson_Push( targets, ok ? json_incref( target ) : NULL, error );
	json_decref( target );
	return ok;
}

static json_t* WrittenMesh( const supMorphWriter* writer, int32_t index )
{
	int32_t mesh = writer->replacer.meshes[writer->instances[index]];
	return supJson_At( supJson_Get( writer->document->root, "meshes" ), (size_t)mesh );
}

// The offsets of one instance become a target of it.
static bool AddMeshTarget( supMorphWriter* writer, int32_t index )
{
	const supMesh* mesh = GetMesh( writer, index );
	json_t* primitives = supJson_Get( WrittenMesh( writer, index ), "primitives" );
	SUP_ASSERT( json_array_size( primitives ) == (size_t)mesh->primitiveCount );
	bool ok = true;
	for ( int32_t k = 0; k < mesh->primitiveCount && ok; ++k )
	{
		ok = AddTarget( writer, supJson_At( primitives, (size_t)k ), mesh->primitives + k, writer->offsets + index );
	}
	return ok;
}

// Targets of the source come first, at the numbers they had, so that expressions and programs that set them still find
// them. Their offsets are those of the pose of the first frame: later frames do not turn them.
static bool KeepTargets( supMorphWriter* writer, supPose* pose, int32_t index )
{
	const supMesh* mesh = GetMesh( writer, index );
	int32_t instance = writer->instances[index], count = mesh->vertexCount;
	supPosedMesh* offsets = writer->offsets + index;
	float* weights = supPose_MorphWeights( pose, instance );
	supPosedMesh neutral = { 0 };
	bool ok = mesh->targetCount == 0 || AllocateMesh( writer, mesh, &neutral, false );
	for ( int32_t t = 0; t <= mesh->targetCount && ok && mesh->targetCount > 0; ++t )
	{
		// first with none of them
		supPosedMesh* to = t == 0 ? &neutral : offsets;
		for ( int32_t k = 0; k < mesh->targetCount; ++k )
		{
			weights[k] = k == t - 1 ? 1.0f : 0.0f;
		}
		supSkinInstance( pose, instance, sup_skinningLinear, NULL,
						 &( supSkinOutput ){ .positions = to->positions, .normals = to->normals } );
		if ( t > 0 )
		{
			Subtract( offsets->positions, neutral.positions, count );
			for ( int32_t i = 0; i < count; ++i )
			{
				offsets->positions[i] = supScale( 1.0f / writer->character->givenUnit, offsets->positions[i] );
			}
			if ( offsets->normals != NULL )
			{
				Subtract( offsets->normals, neutral.normals, count );
			}
			ok = AddMeshTarget( writer, index );
		}
	}
	return ok;
}

static bool ReplaceMeshes( supMorphWriter* writer )
{
	supPose* pose = supCreatePose( writer->character );
	if ( pose == NULL )
	{
		return supSetMemoryError( writer->error );
	}
	if ( writer->clips[0].clip != NULL )
	{
		supPose_ApplyClip( pose, writer->clips[0].clip, writer->clips[0].frames.start );
	}
	bool ok = true;
	for ( int32_t i = 0; i < writer->instanceCount && ok; ++i )
	{
		supPosedMesh* base = writer->bases + i;
		ok = AllocateMesh( writer, GetMesh( writer, i ), base, true ) &&
			 AllocateMesh( writer, GetMesh( writer, i ), writer->offsets + i, false ) &&
			 ReadFrame( writer, 0, 0, i, base );
		if ( ok && base->normals != NULL )
		{
			supRepairNormals( base->normals, GetMesh( writer, i )->vertexCount );
		}
		if ( ok && base->tangents != NULL )
		{
			ComputeTangents( writer, pose, i, base );
		}
		ok = ok && supReplacer_Replace( &writer->replacer, writer->instances[i], base ) &&
			 KeepTargets( writer, pose, i );
	}
	supDestroyPose( pose );
	return ok;
}

// "Walk.0012": frames are counted from 1, as in the names of OBJ files.
static json_t* MakeTargetName( const supMorphWriter* writer, int32_t clip, int32_t frame )
{
	const supClip* source = writer->clips[clip].clip;
	bool isNamed = source == NULL || source->name[0] != 0;
	json_t* name = isNamed ? supJson_MakeString( source != NULL ? source->name : "Rest" )
						   : json_sprintf( "clip %d", (int)writer->animations[clip].index );
	json_t* text = name != NULL ? json_sprintf( "%s.%04d", json_string_value( name ), (int)( frame + 1 ) ) : NULL;
	json_decref( name );
	return text;
}

// The offsets as they are now become a target. Takes over `name`.
static bool AddTargets( supMorphWriter* writer, json_t* name )
{
	bool ok = supJson_Push( writer->targetNames, name, writer->error );
	for ( int32_t i = 0; i < writer->instanceCount && ok; ++i )
	{
		ok = AddMeshTarget( writer, i );
	}
	writer->targetCount += 1;
	return ok;
}

static bool WriteKeyTargets( supMorphWriter* writer )
{
	for ( int32_t i = 0; i < writer->clipCount; ++i )
	{
		supMorphKeys* keys = writer->keys + i;
		for ( int32_t k = 0; k < keys->keyCount; ++k )
		{
			bool differs;
			if ( writer->clips[i].repeats && k > 0 && k == keys->keyCount - 1 )
			{
				keys->targets[k] = keys->targets[0];
				break;
			}
			if ( ComputeOffsets( writer, i, keys->frames[k], &differs ) == false )
			{
				return false;
			}
			keys->targets[k] = differs ? writer->targetCount : -1;
			if ( differs && AddTargets( writer, MakeTargetName( writer, i, keys->frames[k] ) ) == false )
			{
				return false;
			}
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// A basis instead

// The offsets of one key frame of all clips, instances one after another.
static bool ReadOffsets( int32_t row, supVec3* positions, supVec3* normals, void* context, supError* error )
{
	supMorphWriter* writer = context;
	(void)error; // the writer's own
	int32_t clip = 0;
	for ( ; row >= writer->keys[clip].keyCount; ++clip )
	{
		row -= writer->keys[clip].keyCount;
	}
	bool differs;
	if ( ComputeOffsets( writer, clip, writer->keys[clip].frames[row], &differs ) == false )
	{
		return false;
	}
	size_t at = 0;
	for ( int32_t i = 0; i < writer->instanceCount; ++i )
	{
		size_t count = (size_t)GetMesh( writer, i )->vertexCount;
		const supPosedMesh* offsets = writer->offsets + i;
		memcpy( positions + at, offsets->positions, count * sizeof( supVec3 ) );
		if ( normals != NULL && offsets->normals != NULL )
		{
			memcpy( normals + at, offsets->normals, count * sizeof( supVec3 ) );
		}
		else if ( normals != NULL )
		{
			memset( normals + at, 0, count * sizeof( supVec3 ) );
		}
		at += count;
	}
	return true;
}

// Keys for half of the tolerance, and components for the other half. Where those are no fewer than key frames would
// be, everything stays as it was.
static bool FindBasis( supMorphWriter* writer )
{
	const supMorphOptions* options = writer->options;
	supMorphKeys* frameKeys = writer->keys;
	supMorphKeys* keys = supArena_AllocZeroed( &writer->arena, (size_t)writer->clipCount * sizeof( supMorphKeys ) );
	if ( keys == NULL )
	{
		return supSetMemoryError( writer->error );
	}
	int32_t keyCount = ChooseKeys( writer, 0.5f * options->tolerance, keys );
	if ( keyCount < 0 )
	{
		return false;
	}
	if ( keyCount > MOST_BASIS_KEYS )
	{
		return supSetError( writer->error, sup_errorTooLarge, writer->document->name,
							"%d key frames are too many for a basis (at most %d); use a larger tolerance, or bake a "
							"shorter range or fewer clips",
							(int)keyCount, MOST_BASIS_KEYS );
	}
	supBasisDef def = { .rowCount = keyCount,
						.tolerance = 0.5f * options->tolerance,
						// the first key frame is the base
						.mostShapes = options->keyCount - 2,
						.read = ReadOffsets,
						.context = writer,
						.tasks = options->tasks };
	for ( int32_t i = 0; i < writer->instanceCount; ++i )
	{
		def.vertexCount += GetMesh( writer, i )->vertexCount;
		def.withNormals = def.withNormals || writer->offsets[i].normals != NULL;
	}
	writer->keys = keys;
	bool ok = def.mostShapes < 2 || supFindBasis( &writer->basis, &def, writer->error );
	writer->options->isBasis = writer->basis.shapeCount > 0;
	writer->options->keyCount = writer->options->isBasis ? keyCount : writer->options->keyCount;
	writer->keys = writer->options->isBasis ? keys : frameKeys;
	return ok;
}

static bool WriteShapeTargets( supMorphWriter* writer )
{
	const supBasis* basis = &writer->basis;
	bool ok = true;
	for ( int32_t k = 0; k < basis->shapeCount && ok; ++k )
	{
		size_t at = (size_t)k * (size_t)basis->vertexCount;
		for ( int32_t i = 0; i < writer->instanceCount; ++i )
		{
			size_t count = (size_t)GetMesh( writer, i )->vertexCount;
			supPosedMesh* offsets = writer->offsets + i;
			memcpy( offsets->positions, basis->positions + at, count * sizeof( supVec3 ) );
			if ( offsets->normals != NULL )
			{
				memcpy( offsets->normals, basis->normals + at, count * sizeof( supVec3 ) );
			}
			at += count;
		}
		ok = AddTargets( writer, json_sprintf( "Basis.%04d", (int)k ) );
	}
	return ok;
}

static bool WriteTargets( supMorphWriter* writer )
{
	if ( writer->options->asBasis && FindBasis( writer ) == false )
	{
		return false;
	}
	return writer->options->isBasis ? WriteShapeTargets( writer ) : WriteKeyTargets( writer );
}

// Names by custom stand in the extras, which the mesh shares with the source.
static bool SetTargetNames( json_t* mesh, json_t* names, supError* error )
{
	json_t* extras = supJson_Get( mesh, "extras" );
	if ( extras != NULL && json_is_object( extras ) == false )
	{
		return true;
	}
	json_t* copy = extras != NULL ? supJson_Copy( extras, false ) : json_object();
	bool ok = supJson_Set( copy, "targetNames", json_incref( names ), error );
	ok = supJson_Set( mesh, "extras", ok ? json_incref( copy ) : NULL, error );
	json_decref( copy );
	return ok;
}

// Names of the source's targets of an instance, then those of frames. NULL with an error when out of memory.
static json_t* ListTargetNames( supMorphWriter* writer, int32_t index )
{
	const supMesh* mesh = GetMesh( writer, index );
	json_t* names = json_array();
	bool ok = names != NULL;
	for ( int32_t i = 0; i < mesh->targetCount && ok; ++i )
	{
		const char* name = mesh->targets[i].name;
		ok = supJson_Push(
			names, name != NULL && name[0] != 0 ? supJson_MakeString( name ) : json_sprintf( "target %d", (int)i ),
			writer->error );
	}
	if ( ok && json_array_extend( names, writer->targetNames ) == 0 )
	{
		return names;
	}
	json_decref( names );
	supSetMemoryError( writer->error );
	return NULL;
}

static bool FinishMeshes( supMorphWriter* writer )
{
	bool ok = true;
	for ( int32_t i = 0; i < writer->instanceCount && ok; ++i )
	{
		int32_t count = GetMesh( writer, i )->targetCount + writer->targetCount;
		json_t* mesh = WrittenMesh( writer, i );
		json_t* names = count > 0 ? ListTargetNames( writer, i ) : NULL;
		json_t* weights = names != NULL ? json_array() : NULL;
		ok = count == 0 || names != NULL;
		for ( int32_t k = 0; k < count && ok; ++k )
		{
			ok = supJson_Push( weights, json_integer( 0 ), writer->error );
		}
		ok = ok && ( count == 0 || ( supJson_Set( mesh, "weights", json_incref( weights ), writer->error ) &&
									 SetTargetNames( mesh, names, writer->error ) ) );
		json_decref( weights );
		json_decref( names );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Animations

static int64_t WriteTimes( supMorphWriter* writer, int32_t clip, int32_t rowCount )
{
	const supMorphKeys* keys = writer->keys + clip;
	const supFrames* frames = &writer->clips[clip].frames;
	float* times = supAllocArray( (size_t)rowCount, sizeof( float ) );
	if ( times == NULL )
	{
		supSetMemoryError( writer->error );
		return -1;
	}
	for ( int32_t i = 0; i < rowCount; ++i )
	{
		times[i] = i < keys->keyCount ? supFrameTime( frames, keys->frames[i] ) : writer->clips[clip].end;
		// rounding must not make two keys one
		times[i] = i > 0 && times[i] <= times[i - 1] ? nextafterf( times[i - 1], INFINITY ) : times[i];
	}
	int64_t accessor =
		supDocument_AppendAccessor( writer->document, times, rowCount, SUP_GL_FLOAT, "SCALAR", 0, true, writer->error );
	supFree( times );
	return accessor;
}

// - own: how many targets of the source come before those of frames; their weights stay 0
static int64_t WriteWeights( supMorphWriter* writer, int32_t clip, int32_t rowCount, int32_t own )
{
	const supMorphKeys* keys = writer->keys + clip;
	size_t width = (size_t)writer->targetCount, stride = (size_t)own + width;
	float* weights = supAllocZeroed( (size_t)rowCount * stride * sizeof( float ) );
	if ( weights == NULL )
	{
		supSetMemoryError( writer->error );
		return -1;
	}
	int32_t firstRow = 0;
	for ( int32_t i = 0; i < clip; ++i )
	{
		firstRow += writer->keys[i].keyCount;
	}
	for ( int32_t i = 0; i < rowCount; ++i )
	{
		// the last frame is held
		int32_t key = i < keys->keyCount ? i : keys->keyCount - 1;
		float* row = weights + (size_t)i * stride + own;
		if ( writer->options->isBasis )
		{
			memcpy( row, writer->basis.weights + (size_t)( firstRow + key ) * width, width * sizeof( float ) );
		}
		else if ( keys->targets[key] >= 0 )
		{
			row[keys->targets[key]] = 1.0f;
		}
	}
	int64_t accessor = supDocument_AppendAccessor( writer->document, weights, rowCount * (int32_t)stride, SUP_GL_FLOAT,
												   "SCALAR", 0, false, writer->error );
	supFree( weights );
	return accessor;
}

static bool AddChannel( json_t* channels, int64_t sampler, int32_t node, supError* error )
{
	json_t* channel = json_object();
	json_t* target = json_object();
	bool ok = supJson_Set( channel, "sampler", json_integer( sampler ), error );
	ok = ok && supJson_Set( target, "node", json_integer( node ), error );
	ok = ok && supJson_Set( target, "path", json_string( "weights" ), error );
	// these take over what they are given, also when they fail
	ok = supJson_Set( channel, "target", target, error ) && ok;
	return supJson_Push( channels, channel, error ) && ok;
}

// A sampler with the weights of meshes that have `own` targets of the source. Returns its number, -1 with an error.
static int64_t AddSampler( supMorphWriter* writer, int32_t clip, int32_t own, int32_t rowCount, int64_t input,
						   json_t* samplers )
{
	int64_t output = WriteWeights( writer, clip, rowCount, own );
	if ( output < 0 )
	{
		return -1;
	}
	int64_t index = (int64_t)json_array_size( samplers );
	json_t* sampler = json_object();
	bool ok = supJson_Set( sampler, "input", json_integer( input ), writer->error );
	ok = ok && supJson_Set( sampler, "output", json_integer( output ), writer->error );
	return supJson_Push( samplers, sampler, writer->error ) && ok ? index : -1;
}

// Meshes with as many targets share a sampler: the first that has as many as the one at `index`.
static int32_t FindAlike( const supMorphWriter* writer, int32_t index )
{
	int32_t i = 0;
	while ( GetMesh( writer, i )->targetCount != GetMesh( writer, index )->targetCount )
	{
		i += 1;
	}
	return i;
}

static bool WriteAnimation( supMorphWriter* writer, int32_t clip )
{
	supError* error = writer->error;
	const supMorphKeys* keys = writer->keys + clip;
	const supFrames* frames = &writer->clips[clip].frames;
	json_t* animation =
		supJson_At( supJson_Get( writer->document->root, "animations" ), (size_t)writer->animations[clip].index );
	// a clip that ends between two frames
	float rest = writer->clips[clip].end - supFrameTime( frames, frames->frameCount - 1 );
	int32_t rowCount = keys->keyCount + ( rest * frames->framesPerSecond > 1e-2f ? 1 : 0 );
	int64_t input = WriteTimes( writer, clip, rowCount );
	json_t* samplers = supJson_Get( animation, "samplers" );
	int64_t* numbers = supArena_AllocArray( &writer->arena, (size_t)writer->instanceCount, sizeof( int64_t ) );
	bool ok = input >= 0 && ( numbers != NULL || supSetMemoryError( error ) );
	for ( int32_t i = 0; i < writer->instanceCount && ok; ++i )
	{
		int32_t carrier = writer->replacer.carriers[writer->instances[i]], alike = FindAlike( writer, i );
		numbers[i] = alike < i
						 ? numbers[alike]
						 : AddSampler( writer, clip, GetMesh( writer, i )->targetCount, rowCount, input, samplers );
		ok = numbers[i] >= 0 && AddChannel( supJson_Get( animation, "channels" ), numbers[i], carrier, error );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool WriteAll( supMorphWriter* writer )
{
	bool ok = supAddBakedAnimations( writer->document, writer->character->givenUnit, writer->animations,
									 writer->clipCount, writer->error ) &&
			  ReplaceMeshes( writer ) && WriteTargets( writer ) && FinishMeshes( writer );
	ok = ok && supReplacer_DropChannels( &writer->replacer );
	for ( int32_t i = 0; i < writer->clipCount && ok && writer->targetCount > 0; ++i )
	{
		ok = WriteAnimation( writer, i );
	}
	ok = ok && supArrangeAnimations( writer->document, writer->animations, writer->clipCount,
									 writer->options->keepOthers, writer->error );
	supDropEmptyAnimations( writer->document );
	return ok && supReplacer_Arrange( &writer->replacer );
}

static bool Prepare( supMorphWriter* writer )
{
	float tolerance = writer->options->tolerance;
	writer->keys = supArena_AllocZeroed( &writer->arena, (size_t)writer->clipCount * sizeof( supMorphKeys ) );
	writer->animations =
		supArena_AllocZeroed( &writer->arena, (size_t)writer->clipCount * sizeof( supBakedAnimation ) );
	if ( writer->arena.failed )
	{
		return supSetMemoryError( writer->error );
	}
	for ( int32_t i = 0; i < writer->clipCount; ++i )
	{
		writer->animations[i].clip = writer->clips[i].clip;
	}
	if ( CheckClips( writer, tolerance ) == false ||
		 supFindBakedAnimations( writer->document, writer->character, writer->animations, writer->clipCount,
								 writer->error ) == false ||
		 FindInstances( writer ) == false )
	{
		return false;
	}
	writer->options->keyCount = ChooseKeys( writer, tolerance, writer->keys );
	if ( writer->options->keyCount < 0 || CheckKeyCount( writer ) == false )
	{
		return false;
	}
	size_t size = (size_t)writer->instanceCount * sizeof( supPosedMesh );
	writer->bases = supArena_AllocZeroed( &writer->arena, size );
	writer->offsets = supArena_AllocZeroed( &writer->arena, size );
	writer->targetNames = json_array();
	return ( writer->bases != NULL && writer->offsets != NULL && writer->targetNames != NULL ) ||
		   supSetMemoryError( writer->error );
}

bool supAddMorphClips( supDocument* document, const supMorphClip* clips, int32_t clipCount, supMorphOptions* options,
					   supError* error )
{
	SUP_ASSERT( clipCount > 0 );
	supMorphWriter writer = { .document = document,
							  .character = clips[0].frames.character,
							  .clips = clips,
							  .clipCount = clipCount,
							  .options = options,
							  .error = error };
	bool ok = Prepare( &writer ) && supReplacer_Begin( &writer.replacer, document, writer.character, error );
	if ( ok )
	{
		ok = WriteAll( &writer );
		supReplacer_End( &writer.replacer, ok );
	}
	options->targetCount = writer.targetCount;
	json_decref( writer.targetNames );
	supArena_Destroy( &writer.basis.arena );
	supArena_Destroy( &writer.arena );
	return ok;
}
