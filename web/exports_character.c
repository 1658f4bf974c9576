// SPDX-License-Identifier: MIT
// Characters from files and built-in ones, and motions of others.
#include "exports.h"

#include "meshoptimizer/meshoptimizer.h"
#include "models/models.h"

SUP_WEB const char* supWeb_Builtins( void )
{
	json_t* models = json_array();
	for ( int32_t i = 0; i < supGetModelCount(); ++i )
	{
		const supModel* model = supGetModel( i );
		json_t* object = json_object();
		supWeb_SetText( object, "name", model->name );
		supWeb_SetText( object, "summary", model->description );
		supWeb_Append( models, object );
	}
	return supWeb_Text( models );
}

SUP_WEB const char* supWeb_Motions( void )
{
	json_t* motions = json_array();
	for ( int32_t i = 0; i < supMotionCount(); ++i )
	{
		json_t* object = json_object();
		supWeb_SetText( object, "name", supMotionName( i ) );
		supWeb_SetText( object, "summary", supMotionSummary( i ) );
		supWeb_Append( motions, object );
	}
	return supWeb_Text( motions );
}

// Names of the motions that come with Supple and suit this character.
SUP_WEB const char* supWeb_FittingMotions( const supWebCharacter* own )
{
	json_t* motions = json_array();
	for ( int32_t i = 0; i < supMotionCount(); ++i )
	{
		if ( supMotionFits( i, own->character ) )
		{
			supWeb_Append( motions, json_string( supMotionName( i ) ) );
		}
	}
	return supWeb_Text( motions );
}

// Metres per unit of the file. Before anything is made of the character.
SUP_WEB void supWeb_SetUnit( supWebCharacter* own, float metresPerUnit )
{
	supCharacter_SetUnit( own->character, metresPerUnit );
}

SUP_WEB supWebCharacter* supWeb_LoadBuiltin( const char* name )
{
	supClearError( &g_webError );
	const supModel* model = supFindModel( name );
	if ( model == NULL )
	{
		supWeb_Refuse( "unknown built-in character \"%.60s\"", name );
		return NULL;
	}
	return supWeb_WrapCharacter( model->create( &g_webError ), NULL );
}

static bool IsDocument( const char* path )
{
	const char* dot = strrchr( path, '.' );
	return dot != NULL && ( strcmp( dot, ".glb" ) == 0 || strcmp( dot, ".gltf" ) == 0 || strcmp( dot, ".vrm" ) == 0 );
}

// A file of emscripten's file system.
SUP_WEB supWebCharacter* supWeb_LoadCharacter( const char* path )
{
	supClearError( &g_webError );
	supDocument* document = IsDocument( path ) ? supLoadDocument( path, &g_webError ) : NULL;
	supCharacter* character = document != NULL     ? supDocument_CreateCharacter( document, &g_webError )
							  : IsDocument( path ) ? NULL
												   : supLoadCharacter( path, &g_webError );
	if ( supWasDecoderMissing() && character == NULL )
	{
		supWeb_Refuse( "its data is compressed by meshoptimizer (EXT_meshopt_compression); give createSupple a "
					   "meshoptDecoder, or export it without compression" );
	}
	return supWeb_WrapCharacter( character, document );
}

// ---------------------------------------------------------------------------------------------------------------------
// Motions

static bool AddMotions( supWebCharacter* own, const supCharacter* source, bool inPlace )
{
	supRetargetDef def = supDefaultRetargetDef();
	def.inPlace = inPlace;
	int32_t count = supCharacter_ClipCount( source );
	if ( count == 0 )
	{
		return supWeb_Refuse( "the file has no motion" );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		supClip* clip = supRetargetClip( own->character, source, supCharacter_Clip( source, i ), &def, &g_webError );
		if ( clip == NULL )
		{
			return false;
		}
		if ( SUP_PUSH( &own->motions, clip ) == false )
		{
			supDestroyClip( clip );
			return supSetMemoryError( &g_webError );
		}
	}
	return true;
}

// How many clips were added; 0 with an error.
SUP_WEB int32_t supWeb_AddMotion( supWebCharacter* own, const char* path, bool inPlace )
{
	supClearError( &g_webError );
	supCharacter* source = supLoadCharacter( path, &g_webError );
	int32_t before = own->motions.count;
	if ( source == NULL || AddMotions( own, source, inPlace ) == false )
	{
		while ( own->motions.count > before )
		{
			supDestroyClip( own->motions.data[--own->motions.count] );
		}
	}
	supDestroyCharacter( source );
	return own->motions.count - before;
}

// A motion that comes with Supple, as a further clip. False with an error.
SUP_WEB bool supWeb_AddBuiltinMotion( supWebCharacter* own, const char* name )
{
	supClearError( &g_webError );
	supClip* clip = supCreateMotion( own->character, name, &g_webError );
	if ( clip != NULL && SUP_PUSH( &own->motions, clip ) == false )
	{
		supDestroyClip( clip );
		return supSetMemoryError( &g_webError );
	}
	return clip != NULL;
}
