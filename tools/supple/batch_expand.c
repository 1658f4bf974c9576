// SPDX-License-Identifier: MIT
// From a row of the manifest to its jobs: patterns become files and clips, lists become every combination.
#define _DEFAULT_SOURCE
#include "bake_write.h"
#include "batch.h"
#include "commands.h"
#include "io/common/json.h"
#include "models/models.h"
#include "report.h"
#include "text.h"

#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MOST_FIELDS 64
#define MOST_WORDS 128
#define DEFAULT_SUBFOLDER "baked/"
#define BUILTIN "builtin:"

// Everything that one row is expanded with.
typedef struct Expansion
{
	BatchPlan* plan;
	const ManifestRow* row;
	int32_t fieldCount;
	ManifestField fields[MOST_FIELDS]; // with patterns of files replaced by the files
	int32_t chosen[MOST_FIELDS];       // of each field's values, for the combination at hand
	const char* clip;                  // in place of the field's, where that is a pattern
	int32_t problems;
	bool isMemoryLow;
} Expansion;

static void Refuse( Expansion* e, ManifestPlace place, const char* format, ... )
	__attribute__( ( format( printf, 3, 4 ) ) );
static void Refuse( Expansion* e, ManifestPlace place, const char* format, ... )
{
	char where[1100];
	FormatPlace( &e->plan->manifest, place, where, sizeof( where ) );
	va_list arguments;
	va_start( arguments, format );
	ReportV( where, format, arguments );
	va_end( arguments );
	e->problems += 1;
}

char* JoinFolder( const char* folder, const char* name )
{
	bool alone = name[0] == '/' || folder[0] == 0;
	size_t size = strlen( folder ) + strlen( name ) + 2;
	char* path = supAllocSmall( size );
	if ( path != NULL )
	{
		bool slash = alone == false && folder[strlen( folder ) - 1] != '/';
		snprintf( path, size, "%s%s%s", alone ? "" : folder, slash ? "/" : "", name );
	}
	return path;
}

static bool IsPattern( const char* text )
{
	return strpbrk( text, "*?[" ) != NULL;
}

static bool IsPathField( const ManifestField* field )
{
	static const char* const names[] = { "character", "motion", "map", "settings", "flesh", "collider" };
	for ( int32_t i = 0; i < SUP_COUNT( names ); ++i )
	{
		if ( strcmp( field->name, names[i] ) == 0 )
		{
			return true;
		}
	}
	return false;
}

static const ManifestField* FindField( const Expansion* e, const char* name, int32_t* index )
{
	for ( int32_t i = 0; i < e->fieldCount; ++i )
	{
		if ( strcmp( e->fields[i].name, name ) == 0 )
		{
			*index = i;
			return e->fields + i;
		}
	}
	return NULL;
}

// The value of the combination at hand; NULL where the row has no such key.
static const char* GetValue( const Expansion* e, const char* name )
{
	int32_t index;
	const ManifestField* field = FindField( e, name, &index );
	if ( field == NULL )
	{
		return NULL;
	}
	bool isClip = e->clip != NULL && strcmp( name, "clip" ) == 0;
	return isClip ? e->clip : field->values.data[e->chosen[index]];
}

// ---------------------------------------------------------------------------------------------------------------------
// Files

static void PushPath( Expansion* e, ManifestField* field, const char* path )
{
	char* copy = supCopyString( path );
	if ( copy == NULL || SUP_PUSH( &field->values, copy ) == false )
	{
		supFree( copy );
		e->isMemoryLow = true;
	}
}

static void PushBuiltins( Expansion* e, ManifestField* field, const char* text )
{
	int32_t before = field->values.count;
	const char* pattern = text + sizeof( BUILTIN ) - 1;
	for ( int32_t i = 0; i < supGetModelCount(); ++i )
	{
		const char* name = supGetModel( i )->name;
		if ( fnmatch( pattern, name, 0 ) == 0 )
		{
			char path[128];
			snprintf( path, sizeof( path ), BUILTIN "%s", name );
			PushPath( e, field, path );
		}
	}
	if ( field->values.count == before )
	{
		Refuse( e, field->place, "%s: no such built-in character; 'supple models' lists them", text );
	}
}

static void PushFiles( Expansion* e, ManifestField* field, const char* text )
{
	char* path = JoinFolder( e->plan->manifest.folder, text );
	struct stat info;
	if ( path == NULL )
	{
		e->isMemoryLow = true;
		return;
	}
	if ( stat( path, &info ) == 0 && S_ISREG( info.st_mode ) )
	{
		PushPath( e, field, path );
	}
	else if ( IsPattern( text ) )
	{
		glob_t found = { 0 };
		int result = glob( path, GLOB_MARK, NULL, &found );
		int32_t before = field->values.count;
		for ( size_t i = 0; result == 0 && i < found.gl_pathc; ++i )
		{
			// folders are marked by a slash
			const char* match = found.gl_pathv[i];
			if ( match[strlen( match ) - 1] != '/' )
			{
				PushPath( e, field, match );
			}
		}
		if ( result == GLOB_NOMATCH || ( result == 0 && field->values.count == before ) )
		{
			Refuse( e, field->place, "%s: no file matches '%s'", field->name, path );
		}
		else if ( result != 0 )
		{
			Refuse( e, field->place, "%s: cannot search for '%s'", field->name, path );
		}
		globfree( &found );
	}
	else
	{
		Refuse( e, field->place, "%s: no file '%s'", field->name, path );
	}
	supFree( path );
}

static void ResolveFields( Expansion* e )
{
	for ( int32_t i = 0; i < e->row->fields.count && e->fieldCount < MOST_FIELDS; ++i )
	{
		const ManifestField* given = e->row->fields.data + i;
		ManifestField* field = e->fields + e->fieldCount++;
		*field = ( ManifestField ){ .name = given->name, .option = given->option, .place = given->place };
		for ( int32_t k = 0; k < given->values.count && e->isMemoryLow == false; ++k )
		{
			const char* text = given->values.data[k];
			bool isPath = IsPathField( field );
			if ( isPath && strncmp( text, BUILTIN, sizeof( BUILTIN ) - 1 ) == 0 )
			{
				PushBuiltins( e, field, text );
			}
			else if ( isPath )
			{
				PushFiles( e, field, text );
			}
			else
			{
				PushPath( e, field, text );
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Clips of a character

static json_t* CopyClipNames( const supCharacter* character )
{
	json_t* names = json_array();
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ); ++i )
	{
		const char* name = supCharacter_Clip( character, i )->name;
		bool isUnique = name[0] != 0;
		for ( int32_t k = 0; k < supCharacter_ClipCount( character ); ++k )
		{
			isUnique = isUnique && ( k == i || strcmp( supCharacter_Clip( character, k )->name, name ) != 0 );
		}
		char number[16];
		snprintf( number, sizeof( number ), "#%d", i );
		json_array_append_new( names, json_string( isUnique ? name : number ) );
	}
	return names;
}

// A JSON array of names, or numbers where a name would not do; NULL where the character cannot be read: then its job
// will say why. Give back with json_decref.
static json_t* ReadClips( BatchPlan* plan, const char* path )
{
	bool isBuiltin = strncmp( path, BUILTIN, sizeof( BUILTIN ) - 1 ) == 0;
	json_t* known = isBuiltin ? NULL : GetFileNote( plan, path, "clips" );
	if ( known != NULL )
	{
		return known;
	}
	Source source;
	SetMuted( true );
	json_t* names = LoadSource( path, &source ) == exit_ok ? CopyClipNames( source.character ) : NULL;
	SetMuted( false );
	FreeSource( &source );
	if ( names != NULL && isBuiltin == false )
	{
		SetFileNote( plan, path, "clips", names );
	}
	return names;
}

// The same, once for combinations that follow each other. Belongs to the plan.
static const json_t* ListClips( BatchPlan* plan, const char* path )
{
	if ( plan->listed == NULL || strcmp( plan->listed, path ) != 0 )
	{
		supFree( plan->listed );
		json_decref( plan->clips );
		plan->listed = supCopyString( path );
		plan->clips = ReadClips( plan, path );
	}
	return plan->clips;
}

// ---------------------------------------------------------------------------------------------------------------------
// Names of outputs

static void AppendText( char* text, size_t capacity, const char* more )
{
	size_t used = strlen( text );
	snprintf( text + used, capacity - used, "%s", more );
}

// A value as a part of a file's name: of paths the name alone.
static void AppendValue( const Expansion* e, const char* name, char* text, size_t capacity )
{
	int32_t index;
	const char* value = GetValue( e, name );
	const ManifestField* field = FindField( e, name, &index );
	if ( value == NULL )
	{
		return;
	}
	char plain[512];
	snprintf( plain, sizeof( plain ), "%s", value );
	if ( IsPathField( field ) )
	{
		const char* slash = strrchr( value, '/' );
		const char* start = slash != NULL ? slash + 1 : value;
		start += strncmp( start, BUILTIN, sizeof( BUILTIN ) - 1 ) == 0 ? sizeof( BUILTIN ) - 1 : 0;
		snprintf( plain, sizeof( plain ), "%s", start );
		char* dot = strrchr( plain, '.' );
		plain[dot != NULL && dot > plain ? (size_t)( dot - plain ) : strlen( plain )] = 0;
	}
	FileWord word;
	MakeFileWord( plain, &word, 0, sizeof( word ) );
	AppendText( text, capacity, word.text );
}

// Character and motion, and whatever else takes several values.
static void MakeDefaultName( const Expansion* e, char* text, size_t capacity )
{
	snprintf( text, capacity, DEFAULT_SUBFOLDER );
	AppendValue( e, "character", text, capacity );
	for ( int32_t i = 0; i < e->fieldCount; ++i )
	{
		const char* name = e->fields[i].name;
		bool isMotion =
			strcmp( name, "motion" ) == 0 || strcmp( name, "clip" ) == 0 || strcmp( name, "motion-clip" ) == 0;
		bool isNamed = strcmp( name, "character" ) == 0 || strcmp( name, "output" ) == 0;
		if ( isNamed == false && ( isMotion || e->fields[i].values.count > 1 ) )
		{
			AppendText( text, capacity, "." );
			AppendValue( e, name, text, capacity );
		}
	}
	AppendText( text, capacity, ".glb" );
}

// "{character}/{clip}.glb"; false after explaining what is wrong.
static bool FillTemplate( Expansion* e, ManifestPlace place, const char* pattern, char* text, size_t capacity )
{
	text[0] = 0;
	for ( const char* at = pattern; *at != 0; )
	{
		size_t length = strcspn( at, "{" );
		char part[1024];
		snprintf( part, sizeof( part ), "%.*s", (int)length, at );
		AppendText( text, capacity, part );
		at += length;
		const char* end = *at == '{' ? strchr( at, '}' ) : NULL;
		if ( *at == '{' && end == NULL )
		{
			Refuse( e, place, "output: missing } in '%s'", pattern );
			return false;
		}
		if ( end != NULL )
		{
			snprintf( part, sizeof( part ), "%.*s", (int)( end - at - 1 ), at + 1 );
			const ArgOption* option = FindCommandOption( &g_bakeCommand, part );
			if ( option == NULL && strcmp( part, "character" ) != 0 )
			{
				Refuse(
					e, place,
					"output: unknown key '%s'; use {character}, {clip}, {motion}, {method} or another key of the job",
					part );
				return false;
			}
			AppendValue( e, option != NULL ? option->name : part, text, capacity );
			at = end + 1;
		}
	}
	if ( strlen( text ) + 1 >= capacity )
	{
		Refuse( e, place, "output: the path is too long" );
		return false;
	}
	return true;
}

// "a//b/./c/../d" as "a/b/d", so that two names of one file are seen to be one.
static void CleanPath( char* path )
{
	char* out = path;
	for ( const char* in = path; *in != 0; )
	{
		size_t length = strcspn( in, "/" );
		bool isDot = length == 1 && in[0] == '.';
		bool isUp = length == 2 && in[0] == '.' && in[1] == '.';
		bool hasParent =
			out > path + 1 && out[-1] == '/' &&
			!( out >= path + 3 && memcmp( out - 3, "../", 3 ) == 0 && ( out == path + 3 || out[-4] == '/' ) );
		if ( isUp && hasParent )
		{
			for ( --out; out > path && out[-1] != '/'; --out )
			{
			}
		}
		else if ( isDot == false && length > 0 )
		{
			memmove( out, in, length );
			out += length;
			if ( in[length] == '/' )
			{
				*out++ = '/';
			}
		}
		else if ( length == 0 && out == path )
		{
			*out++ = '/';
		}
		in += length + ( in[length] == '/' ? 1 : 0 );
	}
	*out = 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Jobs

static void FreeWords( char** words, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		supFree( words[i] );
	}
}

static bool PushWord( char** words, int32_t* count, const char* name, const char* value, size_t length )
{
	size_t size = strlen( name ) + length + 4;
	char* word = *count < MOST_WORDS ? supAllocSmall( size ) : NULL;
	if ( word == NULL )
	{
		return false;
	}
	snprintf( word, size, value != NULL ? "--%s=%.*s" : "--%s", name, (int)length, value );
	words[( *count )++] = word;
	return true;
}

// In the order of the table of options, whatever the order in the manifest.
static bool MakeWords( const Expansion* e, BatchJob* job )
{
	char* words[MOST_WORDS];
	int32_t count = 0;
	bool ok = true;
	for ( int32_t i = 0; i < g_bakeCommand.optionCount && ok; ++i )
	{
		const ArgOption* option = g_bakeCommand.options + i;
		const char* value = GetValue( e, option->name );
		if ( value == NULL || strcmp( option->name, "output" ) == 0 )
		{
			continue;
		}
		if ( option->kind == arg_flag )
		{
			ok = strcmp( value, "true" ) != 0 || PushWord( words, &count, option->name, NULL, 0 );
			continue;
		}
		for ( const char* at = value; at != NULL && ok; )
		{
			bool isList = strcmp( option->name, "set" ) == 0;
			size_t length = isList ? strcspn( at, "\n" ) : strlen( at );
			ok = PushWord( words, &count, option->name, at, length );
			at = at[length] != 0 ? at + length + 1 : NULL;
		}
	}
	job->words = ok ? supAllocArray( (size_t)count + 1, sizeof( char* ) ) : NULL;
	if ( job->words == NULL )
	{
		FreeWords( words, count );
		return false;
	}
	memcpy( job->words, words, (size_t)count * sizeof( char* ) );
	job->wordCount = count;
	return true;
}

static bool NameOutput( Expansion* e, BatchJob* job )
{
	int32_t index;
	const ManifestField* output = FindField( e, "output", &index );
	char text[2048];
	if ( output == NULL )
	{
		MakeDefaultName( e, text, sizeof( text ) );
	}
	else if ( FillTemplate( e, output->place, output->values.data[0], text, sizeof( text ) ) == false )
	{
		return false;
	}
	CleanPath( text );
	job->place = output != NULL ? output->place : e->row->place;
	job->name = supCopyString( text );
	job->output = JoinFolder( e->plan->folder, text );
	e->isMemoryLow = e->isMemoryLow || job->name == NULL || job->output == NULL;
	return e->isMemoryLow == false;
}

static void AddJob( Expansion* e )
{
	BatchJob job = { .place = e->row->place };
	if ( NameOutput( e, &job ) )
	{
		const char* motion = GetValue( e, "motion" );
		const char* clip = GetValue( e, "clip" );
		const char* method = GetValue( e, "method" );
		const char* slash = motion != NULL ? strrchr( motion, '/' ) : NULL;
		motion = slash != NULL ? slash + 1 : motion;
		job.character = supCopyString( GetValue( e, "character" ) );
		job.clip = supCopyString( motion != NULL ? motion : clip != NULL ? clip : "" );
		job.method = supCopyString( method != NULL ? method : "" );
		bool ok = job.character != NULL && job.clip != NULL && job.method != NULL && MakeWords( e, &job ) &&
				  SUP_PUSH( &e->plan->jobs, job );
		if ( ok )
		{
			return;
		}
		e->isMemoryLow = true;
	}
	supFree( job.name );
	supFree( job.output );
	supFree( job.character );
	supFree( job.clip );
	supFree( job.method );
	FreeWords( job.words, job.wordCount );
	supFree( job.words );
}

// The combination at hand: one job, or one for each clip that a pattern names.
static void AddCombination( Expansion* e )
{
	const char* pattern = GetValue( e, "clip" );
	const char* character = GetValue( e, "character" );
	const json_t* clips = pattern != NULL && IsPattern( pattern ) ? ListClips( e->plan, character ) : NULL;
	if ( clips == NULL )
	{
		AddJob( e );
		return;
	}
	int32_t found = 0;
	bool hasName = false;
	for ( size_t i = 0; i < json_array_size( clips ); ++i )
	{
		hasName = hasName || strcmp( json_string_value( json_array_get( clips, i ) ), pattern ) == 0;
	}
	for ( size_t i = 0; i < json_array_size( clips ) && e->isMemoryLow == false; ++i )
	{
		e->clip = json_string_value( json_array_get( clips, i ) );
		// a name with brackets in it is that clip
		if ( hasName ? strcmp( pattern, e->clip ) == 0 : fnmatch( pattern, e->clip, 0 ) == 0 )
		{
			AddJob( e );
			found += 1;
		}
	}
	e->clip = NULL;
	if ( found == 0 )
	{
		Note( "%s: no clip matches '%s'; nothing to bake", character, pattern );
	}
}

static bool CheckFields( Expansion* e )
{
	int32_t index;
	const ManifestField* output = FindField( e, "output", &index );
	if ( FindField( e, "character", &index ) == NULL )
	{
		Refuse( e, e->row->place, "\"character\" is missing" );
	}
	if ( output != NULL && output->values.count > 1 )
	{
		Refuse( e, output->place, "output: expected one name, with {character}, {clip} and so on, not a list" );
	}
	return e->problems == 0 && e->isMemoryLow == false;
}

bool ExpandRow( BatchPlan* plan, const ManifestRow* row, int32_t* problems )
{
	Expansion* e = supAllocZeroed( sizeof( Expansion ) );
	if ( e == NULL )
	{
		return false;
	}
	e->plan = plan;
	e->row = row;
	ResolveFields( e );
	bool more = CheckFields( e );
	while ( more && e->isMemoryLow == false && e->problems == 0 )
	{
		AddCombination( e );
		// the last field turns fastest
		int32_t i = e->fieldCount - 1;
		while ( i >= 0 && ++e->chosen[i] == e->fields[i].values.count )
		{
			e->chosen[i--] = 0;
		}
		more = i >= 0;
	}
	for ( int32_t i = 0; i < e->fieldCount; ++i )
	{
		for ( int32_t k = 0; k < e->fields[i].values.count; ++k )
		{
			supFree( e->fields[i].values.data[k] );
		}
		SUP_FREE_ARRAY( &e->fields[i].values );
	}
	*problems += e->problems;
	bool ok = e->isMemoryLow == false;
	supFree( e );
	return ok;
}
