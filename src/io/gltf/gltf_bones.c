// SPDX-License-Identifier: MIT
#include "io/gltf/gltf_bones.h"

#include "character/character.h"
#include "io/gltf/bone_keys.h"
#include "io/gltf/gltf_replace.h"

#include <math.h>
#include <stdio.h>

typedef struct supBoneWriter
{
	supDocument* document;
	supBoneDocument* bones;
	const supCharacter* character;
	supArena arena;
	supBakedAnimation* animations;
	int64_t* nodes; // per helper
	int64_t holder; // node of helpers without a parent; -1: not there yet
	supReplacer replacer;
	// joint number of each column and helper in each skin: skin * (columnCount + helperCount) + bone; -1 without
	int32_t* numbers;
	int32_t* jointCounts; // per skin
	int32_t* meshUses;    // instances that still use each mesh
	// scratch for keys
	int32_t* keys;
	float* times;
	int16_t* rotations;
	float* vectors;
	// keys of all helpers and clips, which become one buffer view
	SUP_ARRAY( uint8_t ) pool;
	int64_t poolView;
	supError* error;
} supBoneWriter;

static int32_t* Numbers( const supBoneWriter* writer, int32_t skin )
{
	size_t bones = (size_t)writer->bones->columnCount + (size_t)writer->bones->helperCount;
	return writer->numbers + (size_t)skin * bones;
}

static const supInstance* GetInstance( const supBoneWriter* writer, int32_t index )
{
	return supCharacter_Instance( writer->character, writer->bones->instances[index] );
}

static int32_t SkinOf( const supBoneWriter* writer, int32_t index )
{
	return writer->bones->frames != NULL ? 0 : GetInstance( writer, index )->skin;
}

static int32_t CountSkins( const supBoneWriter* writer )
{
	return writer->bones->frames != NULL ? 1 : supCharacter_SkinCount( writer->character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Nodes

static supTransform ToDocument( const supBoneWriter* writer, supTransform transform )
{
	transform.translation = supScale( 1.0f / writer->character->givenUnit, transform.translation );
	return transform;
}

static bool AddChild( supBoneWriter* writer, int64_t parent, int64_t child )
{
	json_t* node = supJson_At( supJson_Get( writer->document->root, "nodes" ), (size_t)parent );
	json_t* children = supJson_Get( node, "children" );
	if ( children == NULL )
	{
		children = json_array();
		if ( supJson_Set( node, "children", children, writer->error ) == false )
		{
			return false;
		}
	}
	return supJson_Push( children, json_integer( child ), writer->error );
}

// "Spine helper 1", counted per joint.
static json_t* MakeHelperName( const supBoneWriter* writer, int32_t helper )
{
	int32_t parent = writer->bones->helpers[helper].parent;
	int32_t number = 1;
	for ( int32_t h = 0; h < helper; ++h )
	{
		number += writer->bones->helpers[h].parent == parent;
	}
	if ( parent < 0 )
	{
		return json_sprintf( "Helper %d", (int)number );
	}
	const char* name = supCharacter_Node( writer->character, parent )->name;
	json_t* clean = supJson_MakeString( name[0] != 0 ? name : "Joint" );
	json_t* text = clean != NULL ? json_sprintf( "%s helper %d", json_string_value( clean ), (int)number ) : NULL;
	json_decref( clean );
	return text;
}

// The joints of a skin must have a common root, which must be in the scenes.
static bool AddHolder( supBoneWriter* writer )
{
	json_t* node = json_object();
	bool ok = supJson_Set( node, "name", json_string( "Helpers" ), writer->error );
	writer->holder =
		supDocument_AppendItem( writer->document, "nodes", ok ? json_incref( node ) : NULL, writer->error );
	json_decref( node );
	const json_t* scenes = supJson_Get( writer->document->root, "scenes" );
	ok = writer->holder >= 0;
	for ( size_t s = 0; s < json_array_size( scenes ) && ok; ++s )
	{
		json_t* roots = supJson_Get( supJson_At( scenes, s ), "nodes" );
		ok = roots == NULL || supJson_Push( roots, json_integer( writer->holder ), writer->error );
	}
	return ok;
}

static bool AddNodes( supBoneWriter* writer )
{
	if ( writer->bones->frames != NULL && AddHolder( writer ) == false )
	{
		return false;
	}
	for ( int32_t h = 0; h < writer->bones->helperCount; ++h )
	{
		const supHelperBone* helper = writer->bones->helpers + h;
		json_t* node = json_object();
		bool ok = supJson_Set( node, "name", MakeHelperName( writer, h ), writer->error ) &&
				  supJson_SetTransform( node, ToDocument( writer, helper->rest ), writer->error );
		writer->nodes[h] =
			supDocument_AppendItem( writer->document, "nodes", ok ? json_incref( node ) : NULL, writer->error );
		json_decref( node );
		int64_t parent = helper->parent >= 0 ? helper->parent : writer->holder;
		if ( writer->nodes[h] < 0 || AddChild( writer, parent, writer->nodes[h] ) == false )
		{
			return false;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Skins

// Joints keep their numbers; helpers that a vertex of the skin follows come behind them.
static void NumberJoints( supBoneWriter* writer )
{
	const supBoneDocument* bones = writer->bones;
	const supCharacter* character = writer->character;
	int32_t boneCount = bones->columnCount + bones->helperCount;
	for ( int32_t s = 0; s < CountSkins( writer ); ++s )
	{
		int32_t jointCount = bones->frames != NULL ? 0 : supCharacter_Skin( character, s )->jointCount;
		writer->jointCounts[s] = jointCount;
		for ( int32_t b = 0; b < boneCount; ++b )
		{
			Numbers( writer, s )[b] = -1;
		}
		for ( int32_t k = jointCount; k > 0; --k )
		{
			int32_t column = bones->columns[character->jointStarts[s] + k - 1];
			if ( column >= 0 )
			{
				Numbers( writer, s )[column] = k - 1;
			}
		}
	}
	for ( int32_t i = 0; i < bones->instanceCount; ++i )
	{
		int32_t s = SkinOf( writer, i );
		int64_t end = bones->firstVertices[i + 1] * bones->influences;
		for ( int64_t v = bones->firstVertices[i] * bones->influences; v < end; ++v )
		{
			int32_t* number = Numbers( writer, s ) + bones->joints[v];
			if ( bones->weights[v] > 0.0f && *number < 0 )
			{
				SUP_ASSERT( bones->joints[v] >= bones->columnCount );
				*number = -2; // numbered below, in the order of helpers
			}
		}
	}
	for ( int32_t s = 0; s < CountSkins( writer ); ++s )
	{
		for ( int32_t b = bones->columnCount; b < boneCount; ++b )
		{
			int32_t* number = Numbers( writer, s ) + b;
			*number = *number == -2 ? writer->jointCounts[s]++ : -1;
		}
	}
}

static void WriteMatrix( float* out, supMat34 m, float unit )
{
	const supVec3* columns = &m.cx;
	for ( int k = 0; k < 4; ++k )
	{
		float scale = k == 3 ? 1.0f / unit : 1.0f;
		out[4 * k + 0] = scale * columns[k].x;
		out[4 * k + 1] = scale * columns[k].y;
		out[4 * k + 2] = scale * columns[k].z;
		out[4 * k + 3] = k == 3 ? 1.0f : 0.0f;
	}
}

// Adds the joints of a skin to its item, behind `jointCount` that it has.
static bool AddJoints( supBoneWriter* writer, int32_t index, json_t* item, int32_t jointCount,
					   const supMat34* inverseBinds )
{
	const supBoneDocument* bones = writer->bones;
	int32_t count = writer->jointCounts[index];
	float unit = writer->character->givenUnit;
	float* matrices = supArena_AllocArray( &writer->arena, (size_t)count * 16 + 1, sizeof( float ) );
	json_t* joints = supJson_Get( item, "joints" );
	if ( matrices == NULL )
	{
		return supSetMemoryError( writer->error );
	}
	for ( int32_t k = 0; k < jointCount; ++k )
	{
		WriteMatrix( matrices + 16 * k, inverseBinds[k], unit );
	}
	bool ok = true;
	for ( int32_t h = 0; h < bones->helperCount && ok; ++h )
	{
		int32_t number = Numbers( writer, index )[bones->columnCount + h];
		if ( number >= 0 )
		{
			supMat34 bind = bones->skinSpaces[index];
			float scale = 1.0f / bones->helpers[h].scale;
			bind = ( supMat34 ){ supScale( scale, bind.cx ), supScale( scale, bind.cy ), supScale( scale, bind.cz ),
								 supScale( scale, supSub( bind.t, bones->helpers[h].center ) ) };
			WriteMatrix( matrices + 16 * number, bind, unit );
			ok = supJson_Push( joints, json_integer( writer->nodes[h] ), writer->error );
		}
	}
	int64_t accessor = ok ? supDocument_AppendAccessor( writer->document, matrices, count, SUP_GL_FLOAT, "MAT4", 0,
														false, writer->error )
						  : -1;
	return accessor >= 0 && supJson_Set( item, "inverseBindMatrices", json_integer( accessor ), writer->error );
}

static bool ExtendSkin( supBoneWriter* writer, int32_t index )
{
	const supSkin* skin = supCharacter_Skin( writer->character, index );
	json_t* item = supJson_At( supJson_Get( writer->document->root, "skins" ), (size_t)index );
	return writer->jointCounts[index] == skin->jointCount ||
		   AddJoints( writer, index, item, skin->jointCount, skin->inverseBinds );
}

// A skin of helpers alone, on all that was replaced.
static bool AddSkin( supBoneWriter* writer )
{
	json_t* item = json_object();
	bool ok = supJson_Set( item, "joints", json_array(), writer->error ) &&
			  supJson_Set( item, "skeleton", json_integer( writer->holder ), writer->error ) &&
			  AddJoints( writer, 0, item, 0, NULL );
	int64_t skin = ok ? supDocument_AppendItem( writer->document, "skins", json_incref( item ), writer->error ) : -1;
	json_decref( item );
	for ( int32_t i = 0; i < writer->bones->instanceCount && skin >= 0; ++i )
	{
		int32_t carrier = writer->replacer.carriers[writer->bones->instances[i]];
		writer->bones->carriers[i] = carrier;
		if ( supJson_Set( supReplacer_Node( &writer->replacer, carrier ), "skin", json_integer( skin ),
						  writer->error ) == false )
		{
			return false;
		}
	}
	return skin >= 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Weights

// 16 bits that sum to 65535: rounded down, and what is left goes to the heaviest, which stands first.
static void QuantizeWeights( const float* weights, int32_t count, uint16_t* out )
{
	int32_t sum = 0;
	for ( int32_t k = 0; k < count; ++k )
	{
		out[k] = (uint16_t)( weights[k] * 65535.0f );
		sum += out[k];
	}
	out[0] = (uint16_t)( out[0] + 65535 - sum );
}

static int64_t AppendJoints( supBoneWriter* writer, const uint16_t* joints, int32_t count, bool isWide )
{
	if ( isWide )
	{
		return supDocument_AppendAccessor( writer->document, joints, count, SUP_GL_UNSIGNED_SHORT, "VEC4",
										   SUP_GL_VERTICES, false, writer->error );
	}
	uint8_t* narrow = supAllocArray( 4 * (size_t)count, 1 );
	for ( int32_t i = 0; i < 4 * count && narrow != NULL; ++i )
	{
		narrow[i] = (uint8_t)joints[i];
	}
	int64_t accessor = narrow != NULL
						   ? supDocument_AppendAccessor( writer->document, narrow, count, SUP_GL_UNSIGNED_BYTE, "VEC4",
														 SUP_GL_VERTICES, false, writer->error )
						   : -1;
	if ( narrow == NULL )
	{
		supSetMemoryError( writer->error );
	}
	supFree( narrow );
	return accessor;
}

static bool SetSkinAttributes( supBoneWriter* writer, json_t* attributes, int32_t set, const uint16_t* joints,
							   const uint16_t* weights, int32_t count, bool isWide )
{
	char name[24];
	int64_t accessor = AppendJoints( writer, joints, count, isWide );
	snprintf( name, sizeof( name ), "JOINTS_%d", (int)set );
	if ( accessor < 0 || supJson_Set( attributes, name, json_integer( accessor ), writer->error ) == false )
	{
		return false;
	}
	accessor = supDocument_AppendAccessor( writer->document, weights, count, SUP_GL_UNSIGNED_SHORT, "VEC4",
										   SUP_GL_VERTICES, false, writer->error );
	json_t* item = supJson_At( supJson_Get( writer->document->root, "accessors" ), (size_t)accessor );
	snprintf( name, sizeof( name ), "WEIGHTS_%d", (int)set );
	return accessor >= 0 && supJson_Set( item, "normalized", json_true(), writer->error ) &&
		   supJson_Set( attributes, name, json_integer( accessor ), writer->error );
}

// A copy without the skin attributes there are.
static json_t* CopyAttributes( json_t* source )
{
	json_t* copy = supJson_Copy( source, false );
	const char* key;
	json_t* value;
	json_object_foreach( source, key, value )
	{
		if ( supIsSkinAttribute( key ) )
		{
			json_object_del( copy, key );
		}
	}
	return copy;
}

static bool WriteWeights( supBoneWriter* writer, int32_t index, json_t* primitive, const supPrimitive* own )
{
	const supBoneDocument* bones = writer->bones;
	int32_t skin = SkinOf( writer, index );
	int32_t sets = ( bones->influences + 3 ) / 4;
	size_t count = (size_t)own->vertexCount;
	uint16_t* joints = supAllocZeroed( count * 8 * sizeof( uint16_t ) );
	uint16_t* weights = supAllocZeroed( count * 8 * sizeof( uint16_t ) );
	json_t* attributes = CopyAttributes( supJson_Get( primitive, "attributes" ) );
	bool ok = ( joints != NULL && weights != NULL && attributes != NULL ) || supSetMemoryError( writer->error );
	for ( size_t i = 0; i < count && ok; ++i )
	{
		int64_t v = ( bones->firstVertices[index] + own->vertexStart + (int64_t)i ) * bones->influences;
		uint16_t quantized[8] = { 0 };
		QuantizeWeights( bones->weights + v, bones->influences, quantized );
		for ( int32_t k = 0; k < bones->influences; ++k )
		{
			size_t at = (size_t)( k / 4 ) * 4 * count + 4 * i + (size_t)( k % 4 );
			weights[at] = quantized[k];
			joints[at] = quantized[k] > 0 ? (uint16_t)Numbers( writer, skin )[bones->joints[v + k]] : 0;
		}
	}
	for ( int32_t s = 0; s < sets && ok; ++s )
	{
		size_t at = (size_t)s * 4 * count;
		ok = SetSkinAttributes( writer, attributes, s, joints + at, weights + at, own->vertexCount,
								writer->jointCounts[skin] > 256 );
	}
	ok = ok && supJson_Set( primitive, "attributes", json_incref( attributes ), writer->error );
	json_decref( attributes );
	supFree( joints );
	supFree( weights );
	return ok;
}

// The mesh of an instance with new weights. All instances of a mesh but the last get a copy.
static bool WriteMesh( supBoneWriter* writer, int32_t index )
{
	const supInstance* instance = GetInstance( writer, index );
	json_t* root = writer->document->root;
	json_t* source = supJson_At( supJson_Get( root, "meshes" ), (size_t)instance->mesh );
	json_t* mesh = supJson_Copy( source, false );
	json_t* primitives = json_array();
	bool ok = ( mesh != NULL && primitives != NULL ) || supSetMemoryError( writer->error );
	const supMesh* own = supCharacter_Mesh( writer->character, instance->mesh );
	const json_t* list = supJson_Get( source, "primitives" );
	int32_t used = 0;
	for ( size_t k = 0; k < json_array_size( list ) && ok; ++k )
	{
		json_t* primitive = supJson_Copy( supJson_At( list, k ), false );
		ok = supJson_Push( primitives, primitive, writer->error );
		if ( ok && supIsInCharacter( writer->document, primitive ) )
		{
			const supPrimitive* match = supMatchPrimitive( writer->document, primitive, own, used++, writer->error );
			ok = match != NULL && supDropCompressedCopy( primitive, writer->error ) &&
				 WriteWeights( writer, index, primitive, match );
		}
	}
	ok = ok && supJson_Set( mesh, "primitives", json_incref( primitives ), writer->error );
	json_decref( primitives );
	writer->meshUses[instance->mesh] -= 1;
	if ( ok && writer->meshUses[instance->mesh] == 0 )
	{
		ok = json_array_set_new( supJson_Get( root, "meshes" ), (size_t)instance->mesh, json_incref( mesh ) ) == 0 ||
			 supSetMemoryError( writer->error );
	}
	else if ( ok )
	{
		int64_t number = supDocument_AppendItem( writer->document, "meshes", json_incref( mesh ), writer->error );
		json_t* node = supJson_At( supJson_Get( root, "nodes" ), (size_t)instance->node );
		ok = number >= 0 && supJson_Set( node, "mesh", json_integer( number ), writer->error );
	}
	json_decref( mesh );
	return ok;
}

// The mesh of frame 0, with weights.
static bool ReplaceMesh( supBoneWriter* writer, int32_t index, bool isMirrored )
{
	const supFrames* frames = writer->bones->frames;
	int32_t instance = writer->bones->instances[index];
	const supMesh* mesh = supCharacter_Mesh( writer->character, GetInstance( writer, index )->mesh );
	size_t count = (size_t)mesh->vertexCount;
	supPosedMesh posed = { .positions = supArena_AllocArray( &writer->arena, count, sizeof( supVec3 ) ),
						   .isMirrored = isMirrored };
	posed.normals = mesh->normals != NULL ? supArena_AllocArray( &writer->arena, count, sizeof( supVec3 ) ) : NULL;
	if ( writer->arena.failed )
	{
		return supSetMemoryError( writer->error );
	}
	bool ok = frames->read( 0, instance, posed.positions, posed.normals, frames->context, writer->error ) &&
			  supReplacer_Replace( &writer->replacer, instance, &posed );
	int32_t number = ok ? writer->replacer.meshes[instance] : 0;
	const json_t* meshes = supJson_Get( writer->document->root, "meshes" );
	const json_t* primitives = supJson_Get( supJson_At( meshes, (size_t)number ), "primitives" );
	for ( int32_t k = 0; k < mesh->primitiveCount && ok; ++k )
	{
		ok = WriteWeights( writer, index, supJson_At( primitives, (size_t)k ), mesh->primitives + k );
	}
	return ok;
}

static bool ReplaceMeshes( supBoneWriter* writer )
{
	bool* mirrored = supFindMirrored( writer->character );
	bool ok = mirrored != NULL || supSetMemoryError( writer->error );
	for ( int32_t i = 0; i < writer->bones->instanceCount && ok; ++i )
	{
		ok = ReplaceMesh( writer, i, mirrored[writer->bones->instances[i]] );
	}
	supFree( mirrored );
	return ok;
}

static bool WriteMeshes( supBoneWriter* writer )
{
	// nodes that no instance stands for (none of its triangles are the character's) go on using the original
	for ( int32_t i = 0; i < supCharacter_InstanceCount( writer->character ); ++i )
	{
		writer->meshUses[supCharacter_Instance( writer->character, i )->mesh] += 1;
	}
	bool ok = true;
	for ( int32_t i = 0; i < writer->bones->instanceCount && ok; ++i )
	{
		ok = WriteMesh( writer, i );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Animations

static int16_t QuantizeUnit( float value )
{
	return (int16_t)lrintf( supClampFloat( value, -1.0f, 1.0f ) * 32767.0f );
}

// An accessor over bytes of the pool: one view for all keys keeps the JSON small.
static int64_t AppendPooled( supBoneWriter* writer, const void* values, size_t byteCount, int32_t count,
							 int componentType, const char* type )
{
	supError* error = writer->error;
	size_t offset = (size_t)writer->pool.count;
	if ( offset + byteCount > INT32_MAX )
	{
		supSetError( error, sup_errorTooLarge, writer->document->name,
					 "the keys of all helpers are over 2 GiB; bake fewer clips or a shorter span" );
		return -1;
	}
	if ( supGrowArray( (void**)&writer->pool.data, &writer->pool.capacity, (int32_t)( offset + byteCount ), 1 ) ==
		 false )
	{
		supSetMemoryError( error );
		return -1;
	}
	memcpy( writer->pool.data + offset, values, byteCount );
	writer->pool.count += (int32_t)byteCount;
	json_t* accessor = json_object();
	bool ok = supJson_Set( accessor, "bufferView", json_integer( writer->poolView ), error );
	ok = ok && ( offset == 0 || supJson_Set( accessor, "byteOffset", json_integer( (json_int_t)offset ), error ) );
	ok = ok && supJson_Set( accessor, "componentType", json_integer( componentType ), error );
	ok = ok && ( componentType == SUP_GL_FLOAT || supJson_Set( accessor, "normalized", json_true(), error ) );
	ok = ok && supJson_Set( accessor, "count", json_integer( count ), error );
	ok = ok && supJson_Set( accessor, "type", json_string( type ), error );
	if ( strcmp( type, "SCALAR" ) == 0 )
	{
		// times: readers want their bounds
		const float* times = values;
		ok = ok && supJson_Set( accessor, "min", supJson_MakeFloats( times, 1 ), error );
		ok = ok && supJson_Set( accessor, "max", supJson_MakeFloats( times + count - 1, 1 ), error );
	}
	int64_t index = supDocument_AppendItem( writer->document, "accessors", ok ? json_incref( accessor ) : NULL, error );
	json_decref( accessor );
	return index;
}

static int64_t WriteKeyValues( supBoneWriter* writer, const supBoneMotion* motion, supTransform rest, int32_t keyCount,
							   int path )
{
	float unit = writer->character->givenUnit;
	supQuat last = supQuat_identity;
	for ( int32_t k = 0; k < keyCount; ++k )
	{
		int32_t frame = writer->keys[k];
		supTransform t = frame >= 0 ? motion->frames[(size_t)frame * (size_t)motion->stride] : rest;
		supVec3 vector = path == sup_channelTranslation ? supScale( 1.0f / unit, t.translation ) : t.scale;
		writer->vectors[3 * k + 0] = vector.x;
		writer->vectors[3 * k + 1] = vector.y;
		writer->vectors[3 * k + 2] = vector.z;
		// of the two that mean one rotation the one nearer to the key before, for readers that do not look
		float sign = k > 0 && supDotQuat( last, t.rotation ) < 0.0f ? -1.0f : 1.0f;
		last = ( supQuat ){ sign * t.rotation.x, sign * t.rotation.y, sign * t.rotation.z, sign * t.rotation.w };
		writer->rotations[4 * k + 0] = QuantizeUnit( last.x );
		writer->rotations[4 * k + 1] = QuantizeUnit( last.y );
		writer->rotations[4 * k + 2] = QuantizeUnit( last.z );
		writer->rotations[4 * k + 3] = QuantizeUnit( last.w );
	}
	size_t keys = (size_t)keyCount;
	return path == sup_channelRotation
			   ? AppendPooled( writer, writer->rotations, 4 * keys * sizeof( int16_t ), keyCount, SUP_GL_SHORT, "VEC4" )
			   : AppendPooled( writer, writer->vectors, 3 * keys * sizeof( float ), keyCount, SUP_GL_FLOAT, "VEC3" );
}

static bool AddChannel( supBoneWriter* writer, json_t* animation, int64_t input, int64_t output, int64_t node,
						const char* path )
{
	supError* error = writer->error;
	json_t* samplers = supJson_Get( animation, "samplers" );
	json_t* sampler = json_object();
	json_t* channel = json_object();
	json_t* target = json_object();
	size_t index = json_array_size( samplers );
	bool ok = supJson_Set( sampler, "input", json_integer( input ), error );
	ok = ok && supJson_Set( sampler, "output", json_integer( output ), error );
	ok = ok && supJson_Set( channel, "sampler", json_integer( (json_int_t)index ), error );
	ok = ok && supJson_Set( target, "node", json_integer( node ), error );
	ok = ok && supJson_Set( target, "path", json_string( path ), error );
	// these take over what they are given, also when they fail
	ok = supJson_Set( channel, "target", target, error ) && ok;
	ok = supJson_Push( supJson_Get( animation, "channels" ), channel, error ) && ok;
	return supJson_Push( samplers, sampler, error ) && ok;
}

// Fills in the times of the keys. Where the clip goes on before or after what was baked of it, helpers go with their
// joints there: keys of the rest pose, frame -1, a frame away. Returns how many keys there are.
static int32_t AddRestKeys( supBoneWriter* writer, const supBoneClip* clip, int32_t count )
{
	float step = 1.0f / clip->framesPerSecond;
	float last = clip->start + step * (float)( clip->frameCount - 1 );
	bool hasJoints = writer->bones->frames == NULL && clip->clip != NULL;
	if ( hasJoints && clip->start > clip->clip->start + step )
	{
		memmove( writer->keys + 1, writer->keys, (size_t)count * sizeof( int32_t ) );
		writer->keys[0] = -1;
		count += 1;
	}
	for ( int32_t k = 0; k < count; ++k )
	{
		writer->times[k] = clip->start + (float)writer->keys[k] / clip->framesPerSecond;
	}
	if ( hasJoints && clip->clip->end > last + step )
	{
		writer->keys[count] = -1;
		writer->times[count++] = last + step;
	}
	return count;
}

static bool WriteHelperKeys( supBoneWriter* writer, const supBoneClip* clip, json_t* animation, int32_t h,
							 int64_t* allTimes )
{
	supBoneDocument* bones = writer->bones;
	const supHelperBone* helper = bones->helpers + h;
	supBoneMotion motion = { .frameCount = clip->frameCount,
							 .frames = bones->locals + (size_t)clip->firstFrame * (size_t)bones->helperCount + h,
							 .stride = bones->helperCount,
							 .reach = helper->reach,
							 .tolerance = helper->tolerance };
	bones->keyframeCount += clip->frameCount;
	if ( supIsBoneAtRest( &motion, helper->rest ) )
	{
		return true;
	}
	int32_t count = supChooseBoneKeys( &motion, writer->keys );
	bones->keyCount += count;
	// helpers that need every frame share their times
	bool isWhole = count == clip->frameCount;
	int64_t input = isWhole ? *allTimes : -1;
	count = AddRestKeys( writer, clip, count );
	if ( input < 0 )
	{
		input = AppendPooled( writer, writer->times, (size_t)count * sizeof( float ), count, SUP_GL_FLOAT, "SCALAR" );
		*allTimes = isWhole ? input : *allTimes;
	}
	static const char* const names[] = { "translation", "rotation", "scale" };
	static const int paths[] = { sup_channelTranslation, sup_channelRotation, sup_channelScale };
	bool ok = input >= 0;
	for ( int32_t p = 0; p < ( helper->withScale ? 3 : 2 ) && ok; ++p )
	{
		int64_t output = WriteKeyValues( writer, &motion, helper->rest, count, paths[p] );
		ok = output >= 0 && AddChannel( writer, animation, input, output, writer->nodes[h], names[p] );
	}
	return ok;
}

static bool WriteAnimations( supBoneWriter* writer )
{
	supBoneDocument* bones = writer->bones;
	// nothing else adds a view until the pool does
	writer->poolView = (int64_t)json_array_size( supJson_Get( writer->document->root, "bufferViews" ) );
	for ( int32_t i = 0; i < bones->clipCount; ++i )
	{
		const json_t* animations = supJson_Get( writer->document->root, "animations" );
		json_t* animation = supJson_At( animations, (size_t)writer->animations[i].index );
		int64_t allTimes = -1;
		for ( int32_t h = 0; h < bones->helperCount; ++h )
		{
			if ( WriteHelperKeys( writer, bones->clips + i, animation, h, &allTimes ) == false )
			{
				return false;
			}
		}
	}
	return writer->pool.count == 0 ||
		   supDocument_AppendView( writer->document, writer->pool.data, (size_t)writer->pool.count, 0,
								   writer->error ) == writer->poolView;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool Prepare( supBoneWriter* writer )
{
	const supBoneDocument* bones = writer->bones;
	supArena* arena = &writer->arena;
	size_t skins = (size_t)CountSkins( writer );
	size_t helpers = (size_t)bones->helperCount;
	// two more than frames, for rest at both ends
	size_t most = 3;
	for ( int32_t i = 0; i < bones->clipCount; ++i )
	{
		size_t own = (size_t)bones->clips[i].frameCount + 2;
		most = own > most ? own : most;
	}
	writer->animations = supArena_AllocZeroed( arena, (size_t)bones->clipCount * sizeof( supBakedAnimation ) );
	writer->nodes = supArena_AllocArray( arena, helpers + 1, sizeof( int64_t ) );
	writer->numbers =
		supArena_AllocArray( arena, skins * ( (size_t)bones->columnCount + helpers ) + 1, sizeof( int32_t ) );
	writer->jointCounts = supArena_AllocArray( arena, skins + 1, sizeof( int32_t ) );
	writer->meshUses =
		supArena_AllocZeroed( arena, ( (size_t)supCharacter_MeshCount( writer->character ) + 1 ) * sizeof( int32_t ) );
	writer->keys = supArena_AllocArray( arena, most, sizeof( int32_t ) );
	writer->times = supArena_AllocArray( arena, most, sizeof( float ) );
	writer->rotations = supArena_AllocArray( arena, 4 * most, sizeof( int16_t ) );
	writer->vectors = supArena_AllocArray( arena, 3 * most, sizeof( float ) );
	if ( arena->failed )
	{
		return supSetMemoryError( writer->error );
	}
	for ( int32_t i = 0; i < bones->clipCount; ++i )
	{
		writer->animations[i].clip = bones->clips[i].clip;
	}
	return supFindBakedAnimations( writer->document, writer->character, writer->animations, bones->clipCount,
								   writer->error );
}

static bool WriteAll( supBoneWriter* writer )
{
	const supBoneDocument* bones = writer->bones;
	bool isReplaced = bones->frames != NULL;
	NumberJoints( writer );
	bool ok =
		AddNodes( writer ) && ( isReplaced ? ReplaceMeshes( writer ) : WriteMeshes( writer ) ) &&
		supAddBakedAnimations( writer->document, writer->character->givenUnit, writer->animations, bones->clipCount,
							   writer->error ) &&
		( isReplaced == false || supReplacer_DropChannels( &writer->replacer ) ) && WriteAnimations( writer ) &&
		supArrangeAnimations( writer->document, writer->animations, bones->clipCount, bones->keepClips, writer->error );
	if ( isReplaced )
	{
		return ok && supReplacer_Arrange( &writer->replacer ) && AddSkin( writer );
	}
	for ( int32_t s = 0; s < CountSkins( writer ) && ok; ++s )
	{
		ok = ExtendSkin( writer, s );
	}
	return ok;
}

bool supWriteBones( supDocument* document, supBoneDocument* bones, supError* error )
{
	supBoneWriter writer = { .document = document, .bones = bones, .character = bones->character, .error = error };
	supEdit edit;
	bool ok = Prepare( &writer );
	if ( ok && bones->frames != NULL )
	{
		ok = supReplacer_Begin( &writer.replacer, document, bones->character, error );
		if ( ok )
		{
			ok = WriteAll( &writer );
			supReplacer_End( &writer.replacer, ok );
		}
	}
	else if ( ok && supEdit_Begin( &edit, document, error ) )
	{
		ok = WriteAll( &writer );
		supEdit_End( &edit, ok );
	}
	else
	{
		ok = false;
	}
	SUP_FREE_ARRAY( &writer.pool );
	supArena_Destroy( &writer.arena );
	return ok;
}
