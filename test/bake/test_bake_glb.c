// SPDX-License-Identifier: MIT
// Bakes as morph targets: what is read back moves as the baked frames do, within the tolerance, and everything else in
// the document is as it was.
#include "bake_morphs.h"

#include "../io/sample_character.h"
#include "io/gltf/gltf_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void UseSample( Fixture* f )
{
	static sampleCharacter sample;
	supError error = { 0 };
	sampleMake( &sample );
	UseCharacter( f, supCreateCharacter( &sample.def, &error ) );
}

static void UseSwayingBox( Fixture* f )
{
	supFleshDef def = supDefaultFleshDef();
	UseCharacter( f, testMakeSwayingBox() );
	f->flesh = supBuildFleshWith( f->character, &testLagMethod, &def, NULL, NULL );
}

static void AddBakes( Fixture* f, float tolerance )
{
	supError error = { 0 };
	testRequire( supDocument_AddBakes( f->document, f->bakes, f->bakeCount, tolerance, true, &error ), &error );
}

// ---------------------------------------------------------------------------------------------------------------------

static void TestEveryFrameComesBack( void** state )
{
	Fixture* f = *state;
	UseSwayingBox( f );
	supBake* bake = Bake( f, supCharacter_Clip( f->character, 0 ), 30.0f );
	AddBakes( f, 0.0f );
	supCharacter* result = Reload( f->document );
	assert_int_equal( supCharacter_ClipCount( result ), 1 );
	const supClip* clip = supCharacter_Clip( result, 0 );
	assert_string_equal( clip->name, "Sway" );
	assert_float_equal( clip->start, 0.0f, 0.0f );
	assert_float_equal( clip->end, 2.0f, 0.0f );
	assert_int_equal( supCharacter_SkinCount( result ), 0 );
	Distances distances = CompareBake( f, bake, result, clip );
	testLessEqual( distances.position, 4e-7f * distances.reach );
	testLess( distances.normal, 1e-6f );
	// the joint's own channel is still there
	assert_int_equal( clip->channelCount, 2 );
	assert_int_equal( clip->channels[0].node, 1 );
	assert_int_equal( clip->channels[1].path, sup_channelMorphWeights );
	const supMesh* mesh = supCharacter_Mesh( result, 0 );
	assert_int_equal( mesh->targetCount, 60 );
	assert_string_equal( mesh->targets[0].name, "Sway.0002" );
	assert_string_equal( mesh->targets[59].name, "Sway.0061" );
	// without a clip: the first frame
	assert_float_equal( supCharacter_Instance( result, 0 )->morphWeights[0], 0.0f, 0.0f );
	supDestroyCharacter( result );
}

// Keys are as far apart as they can be: one frame more, and some vertex would be too far off.
static void RequireLongSegments( supBake* bake, const supChannel* channel, float tolerance )
{
	supFrames frames = supBake_Frames( bake );
	supError error = { 0 };
	supVec3* all = calloc( (size_t)frames.frameCount * 8, sizeof( supVec3 ) );
	for ( int32_t i = 0; i < frames.frameCount; ++i )
	{
		testRequire( frames.read( i, 0, all + 8 * i, NULL, frames.context, &error ), &error );
	}
	for ( int32_t k = 0; k + 2 < channel->keyCount; ++k )
	{
		int32_t from = (int32_t)lroundf( channel->times[k] * frames.framesPerSecond );
		int32_t to = (int32_t)lroundf( channel->times[k + 1] * frames.framesPerSecond ) + 1;
		if ( to - from > 64 )
		{
			continue;
		}
		double worst = 0.0;
		for ( int32_t i = from + 1; i < to; ++i )
		{
			float s = (float)( i - from ) / (float)( to - from );
			for ( int32_t v = 0; v < 8; ++v )
			{
				supVec3 line = supAdd( supScale( 1.0f - s, all[8 * from + v] ), supScale( s, all[8 * to + v] ) );
				worst = fmax( worst, (double)supDistance( line, all[8 * i + v] ) );
			}
		}
		// less what is set aside for rounding; coordinates are below 4
		testGreater( worst, (double)tolerance - 4e-6 );
	}
	free( all );
}

static void TestToleranceHolds( void** state )
{
	Fixture* f = *state;
	static const float tolerances[] = { 1e-4f, 1e-3f, 1e-2f, 0.1f };
	int32_t before = 241;
	UseSwayingBox( f );
	supBake* bake = Bake( f, supCharacter_Clip( f->character, 0 ), 120.0f );
	for ( int i = 0; i < 4; ++i )
	{
		AddBakes( f, tolerances[i] );
		supCharacter* result = Reload( f->document );
		const supClip* clip = supCharacter_Clip( result, 0 );
		Distances distances = CompareBake( f, bake, result, clip );
		testLessEqual( distances.position, tolerances[i] );
		const supChannel* channel = clip->channels + 1;
		assert_int_equal( channel->path, sup_channelMorphWeights );
		testLess( channel->keyCount, before );
		assert_float_equal( channel->times[channel->keyCount - 1], 2.0f, 0.0f );
		before = channel->keyCount;
		print_message( "tolerance %g: %d keys, off by %g\n", (double)tolerances[i], before,
					   (double)distances.position );
		RequireLongSegments( bake, channel, tolerances[i] );
		supDestroyCharacter( result );
		// the document anew
		supError error = { 0 };
		supDestroyDocument( f->document );
		f->document = supCreateDocument( f->character, &error );
		testRequire( f->document != NULL, &error );
	}
	testLess( before, 12 );
}

static void TestSeveralClipsWithMorphsAndRigidParts( void** state )
{
	Fixture* f = *state;
	UseSample( f );
	BuildFlesh( f, sup_methodDqs );
	for ( int32_t i = 0; i < 3; ++i )
	{
		Bake( f, supCharacter_Clip( f->character, i ), 24.0f );
	}
	AddBakes( f, 1e-5f );
	supCharacter* result = Reload( f->document );
	assert_int_equal( supCharacter_ClipCount( result ), 3 );
	assert_int_equal( supCharacter_InstanceCount( result ), 2 );
	supPose* was = supCreatePose( f->character );
	supPose* is = supCreatePose( result );
	for ( int32_t i = 0; i < 3; ++i )
	{
		const supClip* source = supCharacter_Clip( f->character, i );
		const supClip* clip = supCharacter_Clip( result, i );
		assert_string_equal( clip->name, source->name );
		assert_float_equal( clip->start, source->start, 0.0f );
		assert_float_equal( clip->end, source->end, 0.0f );
		Distances distances = CompareBake( f, f->bakes[i], result, clip );
		testLessEqual( distances.position, 1e-5f );
		// the hat follows its node as before
		for ( int k = 0; k < 5; ++k )
		{
			float time = source->start + 0.25f * (float)k * ( source->end - source->start );
			supVec3 before[4], after[4];
			supPose_SetRest( was );
			supPose_SetRest( is );
			supPose_ApplyClip( was, source, time );
			supPose_ApplyClip( is, clip, time );
			supSkinInstance( was, 1, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = before } );
			supSkinInstance( is, 1, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = after } );
			assert_memory_equal( before, after, sizeof( before ) );
		}
	}
	const supMesh* mesh = supCharacter_Mesh( result, 0 );
	assert_string_equal( mesh->targets[mesh->targetCount - 1].name, "clip 2.0034" );
	assert_non_null( mesh->tangents );
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		supVec3 t = { mesh->tangents[i].x, mesh->tangents[i].y, mesh->tangents[i].z };
		assert_float_equal( supLength( t ), 1.0f, 1e-5f );
		assert_float_equal( supDot( t, mesh->normals[i] ), 0.0f, 1e-5f );
		assert_true( mesh->tangents[i].w == supCharacter_Mesh( f->character, 0 )->tangents[i].w );
	}
	supDestroyPose( was );
	supDestroyPose( is );
	supDestroyCharacter( result );
}

static void TestInstancesThatShareAMesh( void** state )
{
	Fixture* f = *state;
	static sampleCharacter sample;
	sampleMake( &sample );
	// the same tube twice, bound differently; and once more without a skin
	supNode nodes[SampleNodeCount + 2];
	memcpy( nodes, sample.nodes, sizeof( sample.nodes ) );
	nodes[SampleNodeCount] = ( supNode ){ .name = "twin", .parent = 2, .rest = supTransform_identity };
	nodes[SampleNodeCount + 1] = ( supNode ){ .name = "still", .parent = 0, .rest = supTransform_identity };
	nodes[SampleNodeCount + 1].rest.translation.x = 3.0f;
	supMat34 binds[SAMPLE_JOINTS];
	memcpy( binds, sample.inverseBinds, sizeof( binds ) );
	binds[2].t.x = 1.0f;
	supSkin skins[2] = { sample.skins[0], { "other", SAMPLE_JOINTS, sample.joints, binds } };
	supInstance instances[4] = { sample.instances[0], sample.instances[1] };
	instances[2] = ( supInstance ){ SampleNodeCount, 0, 1, NULL };
	instances[3] = ( supInstance ){ SampleNodeCount + 1, 0, -1, sample.morphWeights };
	sample.def.nodes = nodes;
	sample.def.nodeCount = SampleNodeCount + 2;
	sample.def.skins = skins;
	sample.def.skinCount = 2;
	sample.def.instances = instances;
	sample.def.instanceCount = 4;
	supError error = { 0 };
	UseCharacter( f, supCreateCharacter( &sample.def, &error ) );
	BuildFlesh( f, sup_methodLbs );
	supBake* bake = Bake( f, supCharacter_Clip( f->character, 0 ), 30.0f );
	AddBakes( f, 1e-4f );
	supCharacter* result = Reload( f->document );
	assert_int_equal( supCharacter_InstanceCount( result ), 4 );
	Distances distances = CompareBake( f, bake, result, supCharacter_Clip( result, 0 ) );
	testLessEqual( distances.position, 1e-4f );
	int32_t twin = supCharacter_FindNode( result, "twin" );
	assert_int_equal( supCharacter_Node( result, twin )->parent, -1 );
	// the one without a skin keeps its targets and its place
	for ( int32_t i = 0; i < 4; ++i )
	{
		const supInstance* instance = supCharacter_Instance( result, i );
		if ( instance->node == SampleNodeCount + 1 )
		{
			assert_int_equal( supCharacter_Mesh( result, instance->mesh )->targetCount, 2 );
			assert_float_equal( instance->morphWeights[0], 0.25f, 0.0f );
			assert_float_equal( supCharacter_Node( result, instance->node )->rest.translation.x, 3.0f, 0.0f );
		}
	}
	supDestroyCharacter( result );
}

// ---------------------------------------------------------------------------------------------------------------------
// The rest of the document

static void RequireSame( const json_t* before, const json_t* after, const char* key )
{
	const json_t* a = json_object_get( before, key );
	const json_t* b = json_object_get( after, key );
	assert_true( a == b || json_equal( a, b ) );
}

static void AddStrangers( supDocument* document )
{
	json_error_t problem;
	json_t* more =
		json_loads( "{ \"cameras\": [{ \"type\": \"perspective\", \"perspective\": { \"yfov\": 1, \"znear\": 0.1 } }],"
					"  \"extras\": { \"kept\": [1, 2.5, \"three\"] }, \"extensionsUsed\": [\"VENDOR_thing\"],"
					"  \"extensions\": { \"VENDOR_thing\": { \"bufferView\": 3 } } }",
					0, &problem );
	assert_int_equal( json_object_update( document->root, more ), 0 );
	json_decref( more );
	json_t* body = json_array_get( json_object_get( document->root, "nodes" ), SampleBody );
	json_object_set_new( body, "extras", json_string( "carrier" ) );
	json_t* hat = json_array_get( json_object_get( document->root, "nodes" ), SampleHat );
	json_object_set_new( hat, "camera", json_integer( 0 ) );
	json_t* mesh = json_array_get( json_object_get( document->root, "meshes" ), 0 );
	json_t* extras = json_object_get( mesh, "extras" );
	json_object_set_new( extras, "tag", json_integer( 7 ) );
	// the carrier moves in one of the clips
	json_t* channels =
		json_object_get( json_array_get( json_object_get( document->root, "animations" ), 1 ), "channels" );
	json_array_append_new( channels, json_pack( "{s:i, s:{s:i, s:s}}", "sampler", 0, "target", "node", (int)SampleBody,
												"path", "rotation" ) );
	static const char* const pointers[] = { "/nodes/7/weights/0", "/nodes/7/scale", "/materials/0/alphaCutoff" };
	for ( int i = 0; i < 3; ++i )
	{
		json_array_append_new( channels,
							   json_pack( "{s:i, s:{s:s, s:{s:{s:s}}}}", "sampler", 0, "target", "path", "pointer",
										  "extensions", "KHR_animation_pointer", "pointer", pointers[i] ) );
	}
}

static void TestEverythingElseStays( void** state )
{
	Fixture* f = *state;
	UseSample( f );
	AddStrangers( f->document );
	supDestroyCharacter( f->character );
	UseDocument( f, f->document );
	json_t* before = json_deep_copy( f->document->root );
	BuildFlesh( f, sup_methodLbs );
	Bake( f, supCharacter_Clip( f->character, 0 ), 10.0f );
	AddBakes( f, 0.0f );
	json_t* after = f->document->root;
	static const char* const keys[] = { "asset",   "materials", "textures",       "images",     "samplers",
										"cameras", "extras",    "extensionsUsed", "extensions", "scene" };
	for ( int i = 0; i < SUP_COUNT( keys ); ++i )
	{
		RequireSame( before, after, keys[i] );
	}
	for ( size_t i = 0; i < json_array_size( json_object_get( before, "nodes" ) ); ++i )
	{
		const json_t* a = json_array_get( json_object_get( before, "nodes" ), i );
		const json_t* b = json_array_get( json_object_get( after, "nodes" ), i );
		assert_true( i == SampleBody || json_equal( a, b ) );
	}
	const json_t* body = json_array_get( json_object_get( after, "nodes" ), SampleBody );
	assert_string_equal( json_string_value( json_object_get( body, "extras" ) ), "carrier" );
	assert_null( json_object_get( body, "skin" ) );
	const json_t* mesh = json_array_get( json_object_get( after, "meshes" ), 0 );
	assert_int_equal( json_integer_value( json_object_get( json_object_get( mesh, "extras" ), "tag" ) ), 7 );
	// old accessors and views are where they were
	for ( int i = 0; i < 2; ++i )
	{
		const char* key = i == 0 ? "accessors" : "bufferViews";
		for ( size_t k = 0; k < json_array_size( json_object_get( before, key ) ); ++k )
		{
			assert_true( json_equal( json_array_get( json_object_get( before, key ), k ),
									 json_array_get( json_object_get( after, key ), k ) ) );
		}
	}
	// the clip that was not baked lost what would have moved the carrier, and nothing more
	const json_t* spline = json_array_get( json_object_get( after, "animations" ), 1 );
	assert_int_equal( SampleBody, 7 );
	assert_int_equal( json_array_size( json_object_get( spline, "channels" ) ), 2 );
	assert_int_equal( json_array_size( json_object_get( spline, "samplers" ) ), 1 );
	// the weights of the old targets are gone from the baked one: three channels of nodes, and ours
	const json_t* walk = json_array_get( json_object_get( after, "animations" ), 0 );
	assert_int_equal( json_array_size( json_object_get( walk, "channels" ) ), 4 );
	assert_int_equal( json_array_size( json_object_get( walk, "samplers" ) ), 4 );
	json_decref( before );
}

// Expressions keep their numbers and names, and do in the first frame what they did on the source. What plays the clip
// leaves them at 0.
static void TestExpressionsStay( void** state )
{
	Fixture* f = *state;
	UseSample( f );
	BuildFlesh( f, sup_methodLbs );
	const supClip* clip = supCharacter_Clip( f->character, 0 );
	Bake( f, clip, 10.0f );
	AddBakes( f, 0.0f );
	supCharacter* result = Reload( f->document );
	supPose* before = supCreatePose( f->character );
	supPose* after = supCreatePose( result );
	int32_t found = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( result ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( result, i );
		const supMesh* mesh = supCharacter_Mesh( result, instance->mesh );
		if ( instance->node != SampleBody )
		{
			continue;
		}
		found += 1;
		testGreater( mesh->targetCount, 2 );
		assert_string_equal( mesh->targets[0].name, "fat" );
		assert_string_equal( mesh->targets[1].name, "lean" );
		supVec3* expected = malloc( 2 * (size_t)mesh->vertexCount * sizeof( supVec3 ) );
		supVec3* is = expected + mesh->vertexCount;
		for ( int32_t t = 0; t < 2; ++t )
		{
			supPose_ApplyClip( before, clip, 0.0f );
			supPose_ApplyClip( after, supCharacter_Clip( result, 0 ), 0.0f );
			assert_true( supPose_MorphWeights( after, i )[t] == 0.0f );
			supPose_MorphWeights( before, i )[t] += 1.0f;
			supPose_MorphWeights( after, i )[t] += 1.0f;
			supSkinInstance( before, i, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = expected } );
			supSkinInstance( after, i, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = is } );
			float moved = 0.0f;
			for ( int32_t k = 0; k < mesh->vertexCount; ++k )
			{
				testLess( supDistance( expected[k], is[k] ), 1e-5f );
				moved = supMaxFloat( moved, supLength( mesh->targets[t].positions[k] ) );
			}
			testGreater( moved, 1e-3f );
		}
		free( expected );
	}
	assert_int_equal( found, 1 );
	supDestroyPose( before );
	supDestroyPose( after );
	supDestroyCharacter( result );
}

static void TestClipFromElsewhere( void** state )
{
	Fixture* f = *state;
	UseSample( f );
	BuildFlesh( f, sup_methodLbs );
	const float times[] = { 0.5f, 1.03f };
	const float turns[] = { 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.6f, 0.0f, 0.8f };
	supChannel channel = { 3, sup_channelRotation, sup_interpolationLinear, 2, 4, times, turns };
	supClip clip = { .name = "Walk", .start = 0.5f, .end = 1.03f, .channelCount = 1, .channels = &channel };
	supBake* bake = Bake( f, &clip, 30.0f );
	Bake( f, NULL, 30.0f );
	AddBakes( f, 0.0f );
	supCharacter* result = Reload( f->document );
	// "Rest" is one frame: it has a key all the same, since its shape is not that of the first frame
	assert_int_equal( supCharacter_ClipCount( result ), 5 );
	const supClip* added = supCharacter_FindClip( result, "Walk 2" );
	assert_non_null( added );
	assert_float_equal( added->start, 0.5f, 0.0f );
	assert_float_equal( added->end, 1.03f, 0.0f );
	assert_int_equal( added->channelCount, 2 );
	// the clip ends between two frames; the last one holds
	assert_float_equal( added->channels[1].times[added->channels[1].keyCount - 1], 1.03f, 0.0f );
	Distances distances = CompareBake( f, bake, result, added );
	testLessEqual( distances.position, 4e-7f * distances.reach );
	distances = CompareBake( f, f->bakes[1], result, supCharacter_FindClip( result, "Rest" ) );
	testLessEqual( distances.position, 4e-7f * distances.reach );
	supDestroyCharacter( result );
}

// Largest distance of baked frames from where plain skinning of another character puts its vertices, in its size.
static float DistanceFromSkin( supBake* bake, const supClip* clip, supCharacter* character )
{
	supFrames frames = supBake_Frames( bake );
	supPose* pose = supCreatePose( character );
	supVec3 baked[SAMPLE_VERTICES], skinned[SAMPLE_VERTICES];
	float largest = 0.0f, reach = 0.0f;
	for ( int32_t frame = 0; frame < frames.frameCount; ++frame )
	{
		supPose_SetRest( pose );
		supPose_ApplyClip( pose, clip, frames.start + (float)frame / frames.framesPerSecond );
		for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
		{
			int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
			supError error = { 0 };
			testLessEqual( count, SAMPLE_VERTICES );
			testRequire( frames.read( frame, i, baked, NULL, frames.context, &error ), &error );
			supSkinInstance( pose, i, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = skinned } );
			for ( int32_t k = 0; k < count; ++k )
			{
				largest = supMaxFloat( largest, supDistance( baked[k], skinned[k] ) );
				reach = supMaxFloat( reach, supLength( skinned[k] ) );
			}
		}
	}
	supDestroyPose( pose );
	return largest / reach;
}

// A file in centimetres: the character is in metres, and what is baked is in centimetres again, as is a clip that was
// not in the file.
static void TestUnit( void** state )
{
	Fixture* f = *state;
	supError error = { 0 };
	UseSample( f );
	supCharacter* plain = supDocument_CreateCharacter( f->document, &error );
	testRequire( plain != NULL, &error );
	supCharacter_SetUnit( f->character, 0.5f );
	supCharacter_SetUnit( f->character, 0.01f );
	assert_float_equal( supCharacter_UnitScale( f->character ), 0.01f, 1e-9f );
	BuildFlesh( f, sup_methodLbs );
	const float times[] = { 0.0f, 1.0f };
	const float places[] = { 0.01f, 0.02f, 0.03f, 0.05f, 0.02f, -0.01f };
	supChannel channel = { 2, sup_channelTranslation, sup_interpolationLinear, 2, 3, times, places };
	supClip strange = { .name = "Strange", .end = 1.0f, .channelCount = 1, .channels = &channel };
	assert_in_range( supCharacter_ClipCount( plain ), 1, MOST_BAKES - 1 );
	for ( int32_t i = 0; i < supCharacter_ClipCount( plain ); ++i )
	{
		supBake* bake = Bake( f, supCharacter_Clip( f->character, i ), 10.0f );
		testLess( DistanceFromSkin( bake, supCharacter_Clip( plain, i ), plain ), 1e-6f );
	}
	Bake( f, &strange, 10.0f );
	AddBakes( f, 0.0f );
	supCharacter* result = Reload( f->document );
	const supClip* added = supCharacter_FindClip( result, "Strange" );
	assert_non_null( added );
	for ( int32_t k = 0; k < 6; ++k )
	{
		assert_float_equal( added->channels[0].values[k], 100.0f * places[k], 1e-5f );
	}
	supDestroyCharacter( result );
	supDestroyCharacter( plain );
}

static void TestSingleFrame( void** state )
{
	Fixture* f = *state;
	UseSwayingBox( f );
	supBake* bake = Bake( f, NULL, 30.0f );
	AddBakes( f, 0.0f );
	supCharacter* result = Reload( f->document );
	assert_int_equal( supCharacter_Mesh( result, 0 )->targetCount, 0 );
	// "Sway" still moves its joint
	assert_int_equal( supCharacter_ClipCount( result ), 1 );
	Distances distances = CompareBake( f, bake, result, NULL );
	assert_true( distances.position == 0.0f );
	supDestroyCharacter( result );
}

// Where few vertices move, few are written.
static void TestSparseTargets( void** state )
{
	Fixture* f = *state;
	UseCharacter( f, testMakeSwayingBox() );
	BuildFlesh( f, sup_methodLbs );
	supBake* bake = Bake( f, supCharacter_Clip( f->character, 0 ), 30.0f );
	AddBakes( f, 0.0f );
	const json_t* mesh = json_array_get( json_object_get( f->document->root, "meshes" ), 0 );
	const json_t* primitive = json_array_get( json_object_get( mesh, "primitives" ), 0 );
	const json_t* target = json_array_get( json_object_get( primitive, "targets" ), 5 );
	const json_t* accessors = json_object_get( f->document->root, "accessors" );
	const json_t* positions =
		json_array_get( accessors, (size_t)json_integer_value( json_object_get( target, "POSITION" ) ) );
	const json_t* normals =
		json_array_get( accessors, (size_t)json_integer_value( json_object_get( target, "NORMAL" ) ) );
	// the four vertices of the upper half; a translation turns no normal
	const json_t* sparse = json_object_get( positions, "sparse" );
	assert_int_equal( json_integer_value( json_object_get( sparse, "count" ) ), 4 );
	assert_null( json_object_get( positions, "bufferView" ) );
	assert_null( json_object_get( normals, "sparse" ) );
	assert_null( json_object_get( normals, "bufferView" ) );
	supCharacter* result = Reload( f->document );
	Distances distances = CompareBake( f, bake, result, supCharacter_Clip( result, 0 ) );
	testLessEqual( distances.position, 4e-7f * distances.reach );
	// the box comes back to where it began: the last frame is the first, and needs no target
	testLess( supCharacter_Mesh( result, 0 )->targetCount, 60 );
	supDestroyCharacter( result );
}

static void TestAssets( void** state )
{
	static const struct
	{
		const char* name;
		int32_t clip;
	} cases[] = { { "RobotExpressive.glb", 3 }, { "CesiumMan.glb", 0 }, { "Fox.glb", 2 } };
	for ( int i = 0; i < SUP_COUNT( cases ); ++i )
	{
		Fixture* f = *state;
		char path[128];
		snprintf( path, sizeof( path ), "characters/%s", cases[i].name );
		supError error = { 0 };
		supDocument* document = supLoadDocument( testAsset( path ), &error );
		testRequire( document != NULL, &error );
		UseDocument( f, document );
		BuildFlesh( f, sup_methodLbs );
		supBake* bake = Bake( f, supCharacter_Clip( f->character, cases[i].clip ), 30.0f );
		supSurfaceReport report;
		supCheckSurface( f->character, &report, &error );
		float tolerance = 1e-4f * supLength( supBox_Size( report.bounds ) );
		AddBakes( f, tolerance );
		supCharacter* result = Reload( f->document );
		// what was baked comes first
		const supClip* clip = supCharacter_Clip( result, 0 );
		Distances distances = CompareBake( f, bake, result, clip );
		print_message( "%s: %d frames, %d targets, off by %.3g of %.3g\n", cases[i].name,
					   supBake_Report( bake )->frameCount,
					   supCharacter_Mesh( result, supCharacter_Instance( result, 0 )->mesh )->targetCount,
					   (double)distances.position, (double)tolerance );
		testLessEqual( distances.position, tolerance );
		assert_float_equal( clip->end, supCharacter_Clip( f->character, cases[i].clip )->end, 0.0f );
		supDestroyCharacter( result );
		TearDown( state );
		SetUp( state );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Failure

static void RequireRefused( Fixture* f, supDocument* document, supBake* const* bakes, int32_t count, float tolerance,
							supErrorCode code )
{
	supError error = { 0 };
	size_t sizeBefore, sizeAfter;
	uint8_t* before = supWriteDocument( document, &sizeBefore, &error );
	assert_false( supDocument_AddBakes( document, bakes, count, tolerance, true, &error ) );
	assert_int_equal( error.code, code );
	uint8_t* after = supWriteDocument( document, &sizeAfter, &error );
	assert_int_equal( sizeBefore, sizeAfter );
	assert_memory_equal( before, after, sizeBefore );
	supFree( before );
	supFree( after );
	(void)f;
}

static void TestRefusals( void** state )
{
	Fixture* f = *state;
	UseSwayingBox( f );
	const supClip* clip = supCharacter_Clip( f->character, 0 );
	Bake( f, clip, 30.0f );
	Bake( f, clip, 20.0f );
	RequireRefused( f, f->document, f->bakes, 1, -1.0f, sup_errorArgument );
	RequireRefused( f, f->document, f->bakes, 1, NAN, sup_errorArgument );
	RequireRefused( f, f->document, f->bakes, 2, 0.0f, sup_errorArgument );
	// another document
	static sampleCharacter sample;
	supError error = { 0 };
	sampleMake( &sample );
	supCharacter* other = supCreateCharacter( &sample.def, &error );
	supDocument* document = supCreateDocument( other, &error );
	RequireRefused( f, document, f->bakes, 1, 0.0f, sup_errorArgument );
	supDestroyDocument( document );
	supDestroyCharacter( other );
	// too many keys for a table of weights: says what to do
	Bake( f, clip, 2500.0f );
	RequireRefused( f, f->document, f->bakes + 2, 1, 0.0f, sup_errorTooLarge );
	assert_false( supDocument_AddBakes( f->document, f->bakes + 2, 1, 0.0f, true, &error ) );
	assert_non_null( strstr( error.message, "tolerance" ) );
	assert_non_null( strstr( error.message, ".pc2" ) );
	// and with a tolerance it fits
	testRequire( supDocument_AddBakes( f->document, f->bakes + 2, 1, 1e-3f, true, &error ), &error );
	// once replaced, there is nothing left to replace
	supCharacter* plain = supDocument_CreateCharacter( f->document, &error );
	supDestroyFlesh( f->flesh );
	supFleshDef def = supDefaultFleshDef();
	f->flesh = supBuildFlesh( plain, &def, NULL, NULL );
	supBake* bake = Bake( f, NULL, 30.0f );
	RequireRefused( f, f->document, &bake, 1, 0.0f, sup_errorArgument );
	supDestroyCharacter( plain );
}

static bool Attempt( void* context )
{
	Fixture* f = context;
	supError error = { 0 };
	supDocument* document = supCreateDocument( f->character, &error );
	bool ok = document != NULL && supDocument_AddBakes( document, f->bakes, f->bakeCount, 1e-3f, true, &error );
	supDestroyDocument( document );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static void TestAllocationFailures( void** state )
{
	Fixture* f = *state;
	UseSample( f );
	BuildFlesh( f, sup_methodLbs );
	Bake( f, supCharacter_Clip( f->character, 0 ), 10.0f );
	Bake( f, NULL, 10.0f );
	testEachAllocationFailure( Attempt, f, 600 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown( TestEveryFrameComesBack, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestToleranceHolds, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestSeveralClipsWithMorphsAndRigidParts, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestInstancesThatShareAMesh, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestEverythingElseStays, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestClipFromElsewhere, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestUnit, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestSingleFrame, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestSparseTargets, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestExpressionsStay, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestAssets, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestRefusals, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestAllocationFailures, SetUp, TearDown ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
