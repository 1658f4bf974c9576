// SPDX-License-Identifier: MIT
// Baking: the same functions, and so the same numbers, as `supple bake`. Work files lie in emscripten's file system.
#include "exports.h"

#include "supple/bake.h"

// In library.js: 0 stops.
int supWebProgress( int32_t done, int32_t total );

typedef struct supWebBake
{
	const supWebCharacter* character;
	supBake* bake;
	size_t byteCount;
} supWebBake;

static bool TellProgress( int32_t done, int32_t total, void* context )
{
	(void)context;
	return supWebProgress( done, total ) != 0;
}

// Without a clip (-1) the rest pose. `from` and `to` not finite: all of the clip.
SUP_WEB supWebBake* supWeb_Bake( const supWebCharacter* own, const supFlesh* flesh, const char* path, int32_t clip,
								 float framesPerSecond, float from, float to, int32_t substeps, float preroll,
								 bool loop )
{
	supClearError( &g_webError );
	supBakeDef def = supDefaultBakeDef();
	def.clip = supWeb_Clip( own, clip );
	if ( clip >= 0 && def.clip == NULL )
	{
		supWeb_Refuse( "no clip %d", clip );
		return NULL;
	}
	def.framesPerSecond = framesPerSecond;
	def.from = supIsFinite( from ) ? from : def.from;
	def.to = supIsFinite( to ) ? to : def.to;
	def.substeps = substeps;
	def.preroll = preroll;
	def.loop = loop;
	def.tasks = supWeb_Tasks();
	def.progress = TellProgress;
	supWebBake* result = supAllocZeroed( sizeof( *result ) );
	supBake* bake = result != NULL ? supBakeFrames( flesh, &def, path, &g_webError ) : NULL;
	if ( bake == NULL )
	{
		supSetMemoryError( &g_webError );
		supFree( result );
		return NULL;
	}
	*result = ( supWebBake ){ own, bake, 0 };
	return result;
}

SUP_WEB void supWeb_DestroyBake( supWebBake* own )
{
	supDestroyBake( own->bake, false );
	supFree( own );
}

static json_t* MakeLooks( const supLooks* looks )
{
	json_t* object = json_object();
	supWeb_SetText( object, "verdict", supVerdictName( supLooks_Verdict( looks ) ) );
	supWeb_SetNumber( object, "torn", looks->torn );
	supWeb_SetNumber( object, "worst", looks->worst );
	supWeb_SetNumber( object, "crushed", looks->crushed );
	supWeb_SetNumber( object, "alive", looks->alive );
	supWeb_SetNumber( object, "far", looks->far );
	return object;
}

SUP_WEB const char* supWeb_BakeReport( const supWebBake* own )
{
	supClearError( &g_webError );
	const supBakeReport* report = supBake_Report( own->bake );
	json_t* root = json_object();
	json_t* frames = json_array();
	for ( int32_t i = 0; i < report->frameCount; ++i )
	{
		const supBakeFrame* frame = report->frames + i;
		json_t* object = json_object();
		supWeb_SetNumber( object, "time", frame->time );
		supWeb_SetNumber( object, "volumeError", frame->measure.volumeError );
		supWeb_SetNumber( object, "stretch", frame->measure.stretch );
		supWeb_SetNumber( object, "energy", frame->measure.energy );
		supWeb_SetNumber( object, "penetration", frame->measure.penetration );
		supWeb_Append( frames, object );
	}
	supWeb_SetCount( root, "frameCount", report->frameCount );
	supWeb_SetCount( root, "wantedFrameCount", report->wantedFrameCount );
	supWeb_SetBool( root, "complete", supBake_IsComplete( own->bake ) );
	supWeb_SetCount( root, "warmupCycles", report->warmupCycles );
	supWeb_SetNumber( root, "fps", report->framesPerSecond );
	supWeb_SetBool( root, "isLoop", report->isLoop );
	supWeb_SetNumber( root, "loopGap", report->loopGap );
	supWeb_SetNumber( root, "loopSpeedGap", report->loopSpeedGap );
	supWeb_Set( root, "looks", MakeLooks( &report->looks ) );
	supWeb_Set( root, "frames", frames );
	return supWeb_Text( root );
}

// Into a file: .pc2, .mdd.
SUP_WEB bool supWeb_SaveCache( supWebBake* own, int32_t instance, const char* path )
{
	supClearError( &g_webError );
	return supBake_SaveCache( own->bake, instance, path, &g_webError );
}

// The document of the character once more, since a bake changes it.
static supDocument* CopyDocument( const supWebCharacter* own )
{
	if ( own->document == NULL )
	{
		return supCreateDocument( own->character, &g_webError );
	}
	size_t byteCount = 0;
	uint8_t* bytes = supWriteDocument( own->document, &byteCount, &g_webError );
	supDocument* copy = NULL;
	if ( bytes != NULL )
	{
		copy = supParseDocument( bytes, byteCount, supCharacter_Name( own->character ), NULL, NULL, &g_webError );
	}
	supFree( bytes );
	return copy;
}

// As .glb, with frames left out that the others give back within this part of the character's size. Free with
// supWeb_Free; supWeb_BakeSize says how long it is.
SUP_WEB uint8_t* supWeb_WriteBake( supWebBake* own, float tolerance )
{
	supClearError( &g_webError );
	supBox bounds;
	if ( supWeb_FindBounds( own->character->character, &bounds ) == false )
	{
		supSetMemoryError( &g_webError );
		return NULL;
	}
	supDocument* document = CopyDocument( own->character );
	float distance = tolerance * supLength( supBox_Size( bounds ) );
	bool ok = document != NULL && supDocument_AddBakes( document, &own->bake, 1, distance, false, &g_webError );
	uint8_t* bytes = ok ? supWriteDocument( document, &own->byteCount, &g_webError ) : NULL;
	supDestroyDocument( document );
	return bytes;
}

static bool TellShare( float share, void* context )
{
	(void)context;
	return supWebProgress( (int32_t)( 100.0f * share ), 100 ) != 0;
}

// As .glb with at most so many helper bones in place of morph targets, likewise.
SUP_WEB uint8_t* supWeb_WriteBones( supWebBake* own, float tolerance, int32_t helperCount, int32_t influences )
{
	supClearError( &g_webError );
	supBox bounds;
	if ( supWeb_FindBounds( own->character->character, &bounds ) == false )
	{
		supSetMemoryError( &g_webError );
		return NULL;
	}
	supBonesDef def = supDefaultBonesDef();
	def.helperCount = helperCount;
	def.influences = influences;
	def.tasks = supWeb_Tasks();
	def.progress = TellShare;
	supDocument* document = CopyDocument( own->character );
	float distance = tolerance * supLength( supBox_Size( bounds ) );
	bool ok = document != NULL &&
			  supDocument_AddBones( document, &own->bake, 1, &def, distance, false, NULL, NULL, &g_webError );
	uint8_t* bytes = ok ? supWriteDocument( document, &own->byteCount, &g_webError ) : NULL;
	supDestroyDocument( document );
	return bytes;
}

SUP_WEB uint32_t supWeb_BakeSize( const supWebBake* own )
{
	return (uint32_t)own->byteCount;
}

// The character itself as .glb. Free with supWeb_Free.
SUP_WEB uint8_t* supWeb_WriteCharacter( const supWebCharacter* own, uint32_t* byteCount )
{
	supClearError( &g_webError );
	supDocument* document = own->document != NULL ? own->document : supCreateDocument( own->character, &g_webError );
	size_t size = 0;
	uint8_t* bytes = document != NULL ? supWriteDocument( document, &size, &g_webError ) : NULL;
	*byteCount = (uint32_t)size;
	if ( document != own->document )
	{
		supDestroyDocument( document );
	}
	return bytes;
}
