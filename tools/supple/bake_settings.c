// SPDX-License-Identifier: MIT
// What a settings file says to the bake: { "method": "position", ..., "bake": { "clip": "Walk", "fps": 30 } }. The rest
// is of the flesh (src/io/settings/settings.c).
#include "bake.h"
#include "core/core.h"
#include "io/gltf/document.h"
#include "report.h"
#include "text.h"

#include <math.h>

static const char* const s_keys[] = { "clip",    "fps",  "from",      "to",     "substeps",
									  "preroll", "loop", "tolerance", "motion", "unit" };

static const char* KeyAt( int32_t index, const void* context )
{
	(void)context;
	return s_keys[index];
}

static int ReportWrongType( const char* path, const char* key, const char* wanted )
{
	Report( path, "\"bake.%s\" must be %s", key, wanted );
	return exit_data;
}

// A number where the command line gave none.
static int TakeNumber( const char* path, const char* key, const json_t* value, double least, double most,
					   double* number )
{
	if ( json_is_number( value ) == false || !( json_number_value( value ) >= least ) ||
		 !( json_number_value( value ) <= most ) )
	{
		char wanted[96];
		snprintf( wanted, sizeof( wanted ), "a number from %g to %g", least, most );
		return ReportWrongType( path, key, wanted );
	}
	if ( isnan( *number ) )
	{
		*number = json_number_value( value );
	}
	return exit_ok;
}

static int TakeText( const char* path, const char* key, const json_t* value, const char** text, char** owned )
{
	if ( json_is_string( value ) == false )
	{
		return ReportWrongType( path, key, "a text" );
	}
	if ( *text == NULL )
	{
		*owned = supCopyString( json_string_value( value ) );
		*text = *owned;
		return *owned != NULL ? exit_ok : ReportMemory();
	}
	return exit_ok;
}

static int TakeSetting( const char* path, const char* key, const json_t* value, BakeSettings* s )
{
	if ( strcmp( key, "clip" ) == 0 )
	{
		// a motion or the rest pose from the command line stands instead of the file's clip
		static const char* ignored = "";
		bool chosen = s->clip.motion != NULL || s->clip.rest;
		return TakeText( path, key, value, chosen ? &ignored : &s->clip.clip, s->texts );
	}
	if ( strcmp( key, "motion" ) == 0 )
	{
		// likewise
		static const char* ignored = "";
		bool chosen = s->clip.clip != NULL || s->clip.rest;
		return TakeText( path, key, value, chosen ? &ignored : &s->clip.motion, s->texts + 1 );
	}
	if ( strcmp( key, "unit" ) == 0 )
	{
		return TakeText( path, key, value, &s->unit, s->texts + 2 );
	}
	if ( strcmp( key, "fps" ) == 0 )
	{
		return TakeNumber( path, key, value, 0.1, 10000.0, &s->fps );
	}
	if ( strcmp( key, "from" ) == 0 )
	{
		return TakeNumber( path, key, value, 0.0, 1e6, &s->from );
	}
	if ( strcmp( key, "to" ) == 0 )
	{
		return TakeNumber( path, key, value, 0.0, 1e6, &s->to );
	}
	if ( strcmp( key, "preroll" ) == 0 )
	{
		return TakeNumber( path, key, value, 0.0, 3600.0, &s->preroll );
	}
	if ( strcmp( key, "tolerance" ) == 0 )
	{
		return TakeNumber( path, key, value, 0.0, 1.0, &s->tolerance );
	}
	if ( strcmp( key, "substeps" ) == 0 )
	{
		double substeps = s->substeps > 0 ? (double)s->substeps : (double)NAN;
		int status = TakeNumber( path, key, value, 1.0, 1000.0, &substeps );
		s->substeps = status == exit_ok ? (int32_t)substeps : s->substeps;
		return status;
	}
	if ( strcmp( key, "loop" ) == 0 )
	{
		if ( json_is_boolean( value ) == false )
		{
			return ReportWrongType( path, key, "true or false" );
		}
		s->loop = s->loop || json_is_true( value );
		return exit_ok;
	}
	int32_t nearest = FindNearestName( key, SUP_COUNT( s_keys ), KeyAt, NULL );
	if ( nearest >= 0 )
	{
		Report( path, "unknown key \"bake.%s\"; did you mean \"%s\"?", key, s_keys[nearest] );
	}
	else
	{
		Report( path, "unknown key \"bake.%s\"; 'supple help bake' lists the options", key );
	}
	return exit_data;
}

int ReadBakeSettings( const char* path, BakeSettings* settings )
{
	int status = exit_ok;
	json_t* root = ReadSettingsTree( path, &status );
	if ( root == NULL )
	{
		return status;
	}
	const json_t* own = supJson_Get( root, "bake" );
	if ( json_is_object( root ) == false || ( own != NULL && json_is_object( own ) == false ) )
	{
		Report( path, "settings are an object: { \"method\": \"position\", \"bake\": { \"fps\": 30 } }" );
		status = exit_data;
	}
	const char* key;
	json_t* value;
	json_object_foreach( supJson_Get( root, "bake" ), key, value )
	{
		status = status == exit_ok ? TakeSetting( path, key, value, settings ) : status;
	}
	json_decref( root );
	return status;
}

void FreeBakeSettings( BakeSettings* settings )
{
	for ( int32_t i = 0; i < SUP_COUNT( settings->texts ); ++i )
	{
		supFree( settings->texts[i] );
	}
}
