// SPDX-License-Identifier: MIT
// Writes files for other readers to judge: write_files KIND IN OUT
//   sample        no IN: the sample character of the unit tests
//   created       a new document from the character in IN
//   copy          the document IN, unchanged
//   clip          the document IN with its first clip added a second time, or a clip of our own where it has none
//   frozen        one skinned frame of IN, in the middle of its longest clip
//   frozen-dual   the same with dual quaternions
//   baked         the shortest and the longest clip of IN, the rest pose where there is none, as morph targets
// Exit status 3: Supple refuses to read IN. 4: there is nothing in IN to bake.
#include "sample_character.h"
#include "supple/supple.h"

#include <stdio.h>
#include <string.h>

static int Fail( const supError* error )
{
	fprintf( stderr, "%s: %s\n", error->where, error->message );
	return 1;
}

static int SaveCreated( const supCharacter* character, const char* path )
{
	supError error = { 0 };
	supDocument* document = supCreateDocument( character, &error );
	bool ok = document != NULL && supSaveDocument( document, path, &error );
	supDestroyDocument( document );
	return ok ? 0 : Fail( &error );
}

// A nod of the first node that can nod: enough for a reader to have something to complain about.
static bool AddClip( supDocument* document, const supCharacter* character, supError* error )
{
	if ( supCharacter_ClipCount( character ) > 0 )
	{
		return supDocument_AddClip( document, supCharacter_Clip( character, 0 ), error );
	}
	const float times[] = { 0.0f, 0.5f, 1.0f };
	const float turns[] = { 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.6f, 0.0f, 0.8f, 0.0f, 0.0f, 0.0f, 1.0f };
	int32_t joint = supCharacter_SkinCount( character ) > 0 ? supCharacter_Skin( character, 0 )->joints[0] : 0;
	supChannel channel = { joint, sup_channelRotation, sup_interpolationLinear, 3, 4, times, turns };
	supClip clip = { .name = "Nod", .start = 0.0f, .end = 1.0f, .channelCount = 1, .channels = &channel };
	return supDocument_AddClip( document, &clip, error );
}

static void PoseMidway( supPose* pose, const supCharacter* character )
{
	const supClip* longest = NULL;
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ); ++i )
	{
		const supClip* clip = supCharacter_Clip( character, i );
		longest = longest == NULL || clip->end - clip->start > longest->end - longest->start ? clip : longest;
	}
	if ( longest != NULL )
	{
		supPose_ApplyClip( pose, longest, 0.5f * ( longest->start + longest->end ) );
	}
}

static bool HasSkin( const supCharacter* character )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		if ( supCharacter_Instance( character, i )->skin >= 0 )
		{
			return true;
		}
	}
	return false;
}

// The shortest and the longest clip; how many these are.
static int32_t ChooseClips( const supCharacter* character, const supClip* clips[2] )
{
	clips[0] = clips[1] = NULL;
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ); ++i )
	{
		const supClip* clip = supCharacter_Clip( character, i );
		float length = clip->end - clip->start;
		clips[0] = clips[0] == NULL || length < clips[0]->end - clips[0]->start ? clip : clips[0];
		clips[1] = clips[1] == NULL || length > clips[1]->end - clips[1]->start ? clip : clips[1];
	}
	return clips[0] != clips[1] ? 2 : 1;
}

// Dual quaternions, so that bones have something to do.
static bool AddBakes( supDocument* document, const supCharacter* character, const char* out, bool asBones,
					  supError* error )
{
	const supClip* clips[2];
	supBake* bakes[2] = { NULL, NULL };
	int32_t count = ChooseClips( character, clips );
	supFleshDef fleshDef = supDefaultFleshDef();
	fleshDef.method = asBones ? sup_methodDqs : fleshDef.method;
	supFlesh* flesh = supBuildFlesh( character, &fleshDef, NULL, error );
	bool ok = flesh != NULL;
	for ( int32_t i = 0; i < count && ok; ++i )
	{
		char path[1024];
		snprintf( path, sizeof( path ), "%s.%d.part", out, (int)i );
		supBakeDef def = supDefaultBakeDef();
		def.clip = clips[i];
		def.framesPerSecond = 10.0f;
		bakes[i] = supBakeFrames( flesh, &def, path, error );
		ok = bakes[i] != NULL;
	}
	supBonesDef bonesDef = supDefaultBonesDef();
	bonesDef.helperCount = 8;
	bonesDef.rounds = 2;
	ok = ok && ( asBones ? supDocument_AddBones( document, bakes, count, &bonesDef, 1e-3f, true, NULL, NULL, error )
						 : supDocument_AddBakes( document, bakes, count, 1e-3f, true, error ) );
	supDestroyBake( bakes[0], false );
	supDestroyBake( bakes[1], false );
	supDestroyFlesh( flesh );
	return ok;
}

static int EditDocument( const char* kind, const char* in, const char* out )
{
	supError error = { 0 };
	supDocument* document = supLoadDocument( in, &error );
	supCharacter* character = document != NULL ? supDocument_CreateCharacter( document, &error ) : NULL;
	if ( character == NULL )
	{
		Fail( &error );
		supDestroyDocument( document );
		return 3;
	}
	bool asBones = strcmp( kind, "bones" ) == 0;
	bool isBake = asBones || strcmp( kind, "baked" ) == 0;
	if ( isBake && HasSkin( character ) == false )
	{
		supDestroyCharacter( character );
		supDestroyDocument( document );
		return 4;
	}
	bool ok = true;
	if ( isBake )
	{
		ok = AddBakes( document, character, out, asBones, &error );
	}
	else if ( strcmp( kind, "clip" ) == 0 )
	{
		ok = AddClip( document, character, &error );
	}
	else if ( strncmp( kind, "frozen", 6 ) == 0 )
	{
		supPose* pose = supCreatePose( character );
		bool dual = strcmp( kind, "frozen-dual" ) == 0;
		PoseMidway( pose, character );
		ok = supDocument_Freeze( document, pose, dual ? sup_skinningDualQuaternion : sup_skinningLinear, NULL, &error );
		supDestroyPose( pose );
	}
	else if ( strcmp( kind, "compressed" ) == 0 )
	{
		ok = supDocument_Compress( document, 1e-4f, &error );
	}
	ok = ok && supSaveDocument( document, out, &error );
	supDestroyCharacter( character );
	supDestroyDocument( document );
	return ok ? 0 : Fail( &error );
}

static int WriteCreated( const char* in, const char* out )
{
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( in, &error );
	if ( character == NULL )
	{
		Fail( &error );
		return 3;
	}
	int status = SaveCreated( character, out );
	supDestroyCharacter( character );
	return status;
}

static int WriteSample( const char* out )
{
	static sampleCharacter sample;
	sampleMake( &sample );
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &sample.def, &error );
	if ( character == NULL )
	{
		return Fail( &error );
	}
	int status = SaveCreated( character, out );
	supDestroyCharacter( character );
	return status;
}

int main( int argc, char** argv )
{
	if ( argc == 3 && strcmp( argv[1], "sample" ) == 0 )
	{
		return WriteSample( argv[2] );
	}
	if ( argc != 4 )
	{
		fprintf( stderr, "usage: write_files KIND [IN] OUT\n" );
		return 2;
	}
	return strcmp( argv[1], "created" ) == 0 ? WriteCreated( argv[2], argv[3] )
											 : EditDocument( argv[1], argv[2], argv[3] );
}
