// SPDX-License-Identifier: MIT
// Errors, threads, and what there is to choose from.
#include "exports.h"

#include "io/settings/settings.h"
#include "supple/flesh.h"

#include <stdarg.h>
#include <stdio.h>

supError g_webError;

static supThreadPool* s_pool;
static char* s_text;
static bool s_textFailed;

void supWeb_Set( json_t* object, const char* key, json_t* value )
{
	s_textFailed = json_object_set_new( object, key, value ) != 0 || s_textFailed;
}

void supWeb_Append( json_t* array, json_t* value )
{
	s_textFailed = json_array_append_new( array, value ) != 0 || s_textFailed;
}

void supWeb_SetText( json_t* object, const char* key, const char* text )
{
	json_t* value = json_string( text );
	// names out of files need not be UTF-8
	supWeb_Set( object, key, value != NULL ? value : json_string( "" ) );
}

void supWeb_SetNumber( json_t* object, const char* key, float number )
{
	json_t* value = json_real( supShortenFloat( number ) );
	supWeb_Set( object, key, value != NULL ? value : json_null() );
}

void supWeb_SetCount( json_t* object, const char* key, int64_t count )
{
	supWeb_Set( object, key, json_integer( count ) );
}

void supWeb_SetBool( json_t* object, const char* key, bool value )
{
	supWeb_Set( object, key, value ? json_true() : json_false() );
}

void supWeb_SetNumbers( json_t* object, const char* key, const float* numbers, int32_t count )
{
	json_t* array = json_array();
	for ( int32_t i = 0; i < count; ++i )
	{
		supWeb_Append( array, json_real( supShortenFloat( numbers[i] ) ) );
	}
	supWeb_Set( object, key, array );
}

const char* supWeb_Text( json_t* tree )
{
	size_t length = 0;
	supFree( s_text );
	s_text = tree != NULL && s_textFailed == false ? supWriteJson( tree, &length ) : NULL;
	s_textFailed = false;
	json_decref( tree );
	if ( s_text == NULL )
	{
		supSetMemoryError( &g_webError );
		return "";
	}
	return s_text;
}

bool supWeb_Refuse( const char* format, ... )
{
	va_list arguments;
	va_start( arguments, format );
	supClearError( &g_webError );
	supSetErrorV( &g_webError, sup_errorArgument, "", format, arguments );
	va_end( arguments );
	return false;
}

SUP_WEB const char* supWeb_ErrorMessage( void )
{
	return g_webError.message[0] != 0 ? g_webError.message : supErrorText( g_webError.code );
}

SUP_WEB const char* supWeb_ErrorWhere( void )
{
	return g_webError.where;
}

SUP_WEB int32_t supWeb_ErrorCode( void )
{
	return (int32_t)g_webError.code;
}

// How many threads there are now: 1 where more cannot be had.
SUP_WEB int32_t supWeb_Start( int32_t threads )
{
	supInitJson();
	s_pool = threads > 1 ? supCreateThreadPool( threads ) : NULL;
	return s_pool != NULL ? supThreadPool_Tasks( s_pool )->workerCount : 1;
}

SUP_WEB void supWeb_Stop( void )
{
	supDestroyThreadPool( s_pool );
	s_pool = NULL;
}

const supTasks* supWeb_Tasks( void )
{
	return s_pool != NULL ? supThreadPool_Tasks( s_pool ) : NULL;
}

SUP_WEB const char* supWeb_Version( void )
{
	static char text[32];
	supVersion version = supGetVersion();
	snprintf( text, sizeof( text ), "%d.%d.%d", version.major, version.minor, version.patch );
	return text;
}

// ---------------------------------------------------------------------------------------------------------------------
// Methods

static json_t* MakeParameter( const supParameter* parameter )
{
	json_t* object = json_object();
	supWeb_SetText( object, "name", parameter->name );
	supWeb_SetText( object, "unit", parameter->unit );
	supWeb_SetText( object, "summary", parameter->summary );
	supWeb_SetNumber( object, "minimum", parameter->minimum );
	supWeb_SetNumber( object, "maximum", parameter->maximum );
	supWeb_SetNumber( object, "standard", parameter->standard );
	supWeb_SetBool( object, "live", parameter->live );
	json_t* choices = json_null();
	if ( parameter->choices != NULL )
	{
		choices = json_array();
		for ( int32_t i = 0; i <= (int32_t)parameter->maximum; ++i )
		{
			supWeb_Append( choices, json_string( parameter->choices[i] ) );
		}
	}
	supWeb_Set( object, "choices", choices );
	return object;
}

// A preset as parameters of a method, those that differ from their standard.
static json_t* MakePreset( const supPreset* preset, supMethodId method )
{
	supSetting settings[SUP_PRESET_SETTINGS];
	int32_t count = supPreset_Settings( preset, method, settings );
	json_t* object = json_object();
	json_t* parameters = json_object();
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t index = supMethod_FindParameter( method, settings[i].parameter );
		if ( settings[i].value != supMethod_Parameter( method, index )->standard )
		{
			supWeb_SetNumber( parameters, settings[i].parameter, settings[i].value );
		}
	}
	supWeb_SetText( object, "name", preset->name );
	supWeb_SetText( object, "summary", preset->summary );
	supWeb_Set( object, "parameters", parameters );
	return object;
}

static json_t* MakePresets( supMethodId method )
{
	json_t* list = json_array();
	int32_t count;
	const supPreset* presets = supPresets( &count );
	for ( int32_t i = 0; i < count && supMethod_ParameterCount( method ) > 0; ++i )
	{
		supWeb_Append( list, MakePreset( presets + i, method ) );
	}
	return list;
}

SUP_WEB const char* supWeb_Methods( void )
{
	json_t* methods = json_array();
	for ( int32_t i = 0; i < sup_methodCount; ++i )
	{
		supMethodId id = (supMethodId)i;
		json_t* method = json_object();
		json_t* parameters = json_array();
		for ( int32_t k = 0; k < supMethod_ParameterCount( id ); ++k )
		{
			supWeb_Append( parameters, MakeParameter( supMethod_Parameter( id, k ) ) );
		}
		supWeb_SetText( method, "name", supMethodName( id ) );
		supWeb_SetText( method, "summary", supMethodSummary( id ) );
		supWeb_Set( method, "parameters", parameters );
		supWeb_Set( method, "presets", MakePresets( id ) );
		supWeb_Append( methods, method );
	}
	return supWeb_Text( methods );
}
