// SPDX-License-Identifier: MIT
// The manifest as rows of keys and values, each with its place: JSON lines, a JSON array, CSV, or a folder.
#define _DEFAULT_SOURCE
#include "batch.h"
#include "commands.h"
#include "io/common/file.h"
#include "io/common/json.h"
#include "report.h"
#include "text.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MOST_PROBLEMS 20
#define CHARACTER_KEY "character"

// Options that say where results go or how a single bake behaves: the batch sees to these itself.
static const char* const s_ownOptions[] = { "resume", "report", "audit" };

void FormatPlace( const Manifest* manifest, ManifestPlace place, char* text, size_t capacity )
{
	if ( place.line > 0 )
	{
		snprintf( text, capacity, "%s:%d:%d", manifest->path, place.line, place.column );
	}
	else
	{
		snprintf( text, capacity, "%s", manifest->path );
	}
}

typedef struct Reader
{
	Manifest* manifest;
	int32_t problems;
	bool isMemoryLow;
} Reader;

// Counts and prints; true while there is room for more.
static bool Refuse( Reader* reader, ManifestPlace place, const char* format, ... )
	__attribute__( ( format( printf, 3, 4 ) ) );
static bool Refuse( Reader* reader, ManifestPlace place, const char* format, ... )
{
	char where[1100];
	FormatPlace( reader->manifest, place, where, sizeof( where ) );
	va_list arguments;
	va_start( arguments, format );
	ReportV( where, format, arguments );
	va_end( arguments );
	return ++reader->problems < MOST_PROBLEMS;
}

// ---------------------------------------------------------------------------------------------------------------------
// Keys and values

static const char* KeyAt( int32_t index, const void* context )
{
	(void)context;
	return index == 0 ? CHARACTER_KEY : g_bakeCommand.options[index - 1].name;
}

// False after explaining why it is none.
static bool FindKey( Reader* reader, ManifestPlace place, const char* key, ManifestField* field )
{
	*field = ( ManifestField ){ .name = CHARACTER_KEY, .place = place };
	if ( strcmp( key, CHARACTER_KEY ) == 0 )
	{
		return true;
	}
	field->option = FindCommandOption( &g_bakeCommand, key );
	if ( field->option == NULL )
	{
		char clean[128];
		int32_t nearest = FindNearestName( key, g_bakeCommand.optionCount + 1, KeyAt, NULL );
		CleanText( key, 40, clean, sizeof( clean ) );
		if ( nearest >= 0 )
		{
			Refuse( reader, place, "unknown key '%s'; did you mean '%s'?", clean, KeyAt( nearest, NULL ) );
		}
		else
		{
			Refuse( reader, place, "unknown key '%s'; keys are 'character' and the options of 'supple bake'", clean );
		}
		return false;
	}
	field->name = field->option->name;
	for ( int32_t i = 0; i < SUP_COUNT( s_ownOptions ); ++i )
	{
		if ( strcmp( field->name, s_ownOptions[i] ) == 0 )
		{
			Refuse( reader, place, "'%s' is not allowed: a batch resumes and reports on its own", field->name );
			return false;
		}
	}
	return true;
}

static bool PushValue( Reader* reader, ManifestField* field, const char* text )
{
	char* copy = supCopyString( text );
	if ( copy == NULL || SUP_PUSH( &field->values, copy ) == false )
	{
		supFree( copy );
		reader->isMemoryLow = true;
		return false;
	}
	return true;
}

static void FreeField( ManifestField* field )
{
	for ( int32_t i = 0; i < field->values.count; ++i )
	{
		supFree( field->values.data[i] );
	}
	SUP_FREE_ARRAY( &field->values );
}

static bool PushField( Reader* reader, ManifestRow* row, ManifestField* field )
{
	for ( int32_t i = 0; i < row->fields.count; ++i )
	{
		if ( strcmp( row->fields.data[i].name, field->name ) == 0 )
		{
			Refuse( reader, field->place, "duplicate key '%s'", field->name );
			FreeField( field );
			return false;
		}
	}
	if ( SUP_PUSH( &row->fields, *field ) == false )
	{
		FreeField( field );
		reader->isMemoryLow = true;
		return false;
	}
	return true;
}

// As few digits as bring the number back.
static void FormatReal( double number, char text[40] )
{
	snprintf( text, 40, "%.15g", number );
	if ( strtod( text, NULL ) != number )
	{
		snprintf( text, 40, "%.17g", number );
	}
}

// { "stretch": 0.5, "mode": "single-layer" } as lines "stretch=0.5".
static bool FormatSettings( const json_t* object, char* text, size_t capacity )
{
	size_t used = 0;
	text[0] = 0;
	for ( void* i = json_object_iter( (json_t*)(uintptr_t)object ); i != NULL;
		  i = json_object_iter_next( (json_t*)(uintptr_t)object, i ) )
	{
		const json_t* value = json_object_iter_value( i );
		char number[40];
		const char* shown = json_string_value( value );
		if ( json_is_number( value ) )
		{
			FormatReal( json_number_value( value ), number );
			shown = number;
		}
		int length = shown != NULL ? snprintf( text + used, capacity - used, "%s%s=%s", used > 0 ? "\n" : "",
											   json_object_iter_key( i ), shown )
								   : -1;
		if ( length < 0 || (size_t)length >= capacity - used )
		{
			return false;
		}
		used += (size_t)length;
	}
	return true;
}

// One value as a text; false where it is of a kind that no option takes.
static bool FormatValue( const json_t* value, const ManifestField* field, char* text, size_t capacity )
{
	bool isFlag = field->option != NULL && field->option->kind == arg_flag;
	if ( json_is_boolean( value ) && isFlag )
	{
		snprintf( text, capacity, "%s", json_is_true( value ) ? "true" : "false" );
		return true;
	}
	if ( json_is_string( value ) && isFlag == false )
	{
		return (size_t)snprintf( text, capacity, "%s", json_string_value( value ) ) < capacity;
	}
	if ( json_is_number( value ) && field->option != NULL && isFlag == false )
	{
		char number[40];
		FormatReal( json_number_value( value ), number );
		snprintf( text, capacity, "%s", number );
		return true;
	}
	return json_is_object( value ) && strcmp( field->name, "set" ) == 0 && FormatSettings( value, text, capacity );
}

static bool TakeJsonValue( Reader* reader, const json_t* value, ManifestField* field )
{
	char text[4096];
	if ( FormatValue( value, field, text, sizeof( text ) ) )
	{
		return PushValue( reader, field, text );
	}
	const char* wanted = field->option == NULL               ? "a string"
						 : field->option->kind == arg_flag   ? "true or false"
						 : strcmp( field->name, "set" ) == 0 ? "a string or an object of parameters"
						 : field->option->kind == arg_text   ? "a string"
															 : "a number";
	Refuse( reader, field->place, "'%s' must be %s, or a list of these", field->name, wanted );
	return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// JSON

// A part of the text and where it stands.
typedef struct Span
{
	const char* text;
	size_t length;
	ManifestPlace place;
} Span;

static ManifestPlace Advance( ManifestPlace place, const char* text, size_t length )
{
	for ( size_t i = 0; i < length; ++i )
	{
		bool lineEnds = text[i] == '\n';
		// columns count characters, not bytes
		bool isFirst = ( (unsigned char)text[i] & 0xC0 ) != 0x80;
		place.line += lineEnds ? 1 : 0;
		place.column = lineEnds ? 1 : place.column + ( isFirst ? 1 : 0 );
	}
	return place;
}

// Behind the string that begins at `i`.
static size_t SkipString( const Span* span, size_t i )
{
	for ( ++i; i < span->length && span->text[i] != '"'; ++i )
	{
		i += span->text[i] == '\\' ? 1 : 0;
	}
	return i < span->length ? i + 1 : span->length;
}

// Where a key of the object stands.
static ManifestPlace FindKeyPlace( const Span* span, const char* key )
{
	size_t length = strlen( key );
	int32_t depth = 0;
	for ( size_t i = 0; i < span->length; )
	{
		char c = span->text[i];
		if ( c == '"' )
		{
			size_t end = SkipString( span, i );
			size_t after = end + strspn( span->text + end, " \t\r\n" );
			if ( depth == 1 && end - i == length + 2 && memcmp( span->text + i + 1, key, length ) == 0 &&
				 after < span->length && span->text[after] == ':' )
			{
				return Advance( span->place, span->text, i );
			}
			i = end;
			continue;
		}
		depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
		++i;
	}
	return span->place;
}

static void TakeJsonField( Reader* reader, const Span* span, ManifestRow* row, const char* key, const json_t* value )
{
	ManifestField field;
	if ( FindKey( reader, FindKeyPlace( span, key ), key, &field ) == false )
	{
		return;
	}
	bool ok = true;
	if ( json_is_array( value ) )
	{
		for ( size_t i = 0; i < json_array_size( value ) && ok; ++i )
		{
			ok = TakeJsonValue( reader, json_array_get( value, i ), &field );
		}
		if ( ok && field.values.count == 0 )
		{
			ok = false;
			Refuse( reader, field.place, "'%s' is an empty list", field.name );
		}
	}
	else
	{
		ok = TakeJsonValue( reader, value, &field );
	}
	if ( ok == false )
	{
		FreeField( &field );
		return;
	}
	PushField( reader, row, &field );
}

static bool PushRow( Reader* reader, const ManifestRow* row )
{
	if ( SUP_PUSH( &reader->manifest->rows, *row ) == false )
	{
		reader->isMemoryLow = true;
		return false;
	}
	return true;
}

static void TakeJsonRow( Reader* reader, const Span* span )
{
	json_error_t problem = { 0 };
	json_t* tree = json_loadb( span->text, span->length, JSON_REJECT_DUPLICATES, &problem );
	ManifestRow row = { .place = span->place };
	if ( tree == NULL )
	{
		ManifestPlace place = { span->place.line + problem.line - 1, problem.line > 1 || problem.column < 1
																		 ? problem.column
																		 : span->place.column + problem.column - 1 };
		Refuse( reader, place, "invalid JSON: %s", problem.text );
		return;
	}
	if ( json_is_object( tree ) == false )
	{
		Refuse( reader, span->place,
				"expected an object, such as { \"character\": \"hero.glb\", \"clip\": \"Walk\" }" );
		json_decref( tree );
		return;
	}
	const char* key;
	json_t* value;
	json_object_foreach( tree, key, value )
	{
		if ( reader->problems < MOST_PROBLEMS && reader->isMemoryLow == false )
		{
			TakeJsonField( reader, span, &row, key, value );
		}
	}
	json_decref( tree );
	PushRow( reader, &row );
}

static void ReadJsonLines( Reader* reader, Span all )
{
	for ( size_t start = 0; start < all.length && reader->problems < MOST_PROBLEMS && reader->isMemoryLow == false; )
	{
		const char* end = memchr( all.text + start, '\n', all.length - start );
		size_t length = end != NULL ? (size_t)( end - all.text ) - start : all.length - start;
		Span line = { all.text + start, length, all.place };
		size_t blank = strspn( line.text, " \t\r" );
		if ( blank < length )
		{
			TakeJsonRow( reader, &line );
		}
		start += length + 1;
		all.place.line += 1;
		all.place.column = 1;
	}
}

// Behind the value that begins at `i`.
static size_t SkipValue( const Span* span, size_t i )
{
	int32_t depth = 0;
	while ( i < span->length )
	{
		char c = span->text[i];
		if ( depth == 0 && ( c == ',' || c == ']' ) )
		{
			return i;
		}
		depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
		i = c == '"' ? SkipString( span, i ) : i + 1;
	}
	return span->length;
}

static void ReadJsonArray( Reader* reader, const Span* all )
{
	static const char blanks[] = " \t\r\n";
	size_t i = strspn( all->text, blanks ) + 1;
	ManifestPlace place = Advance( all->place, all->text, i );
	size_t at = i;
	bool closed = false, expects = false;
	while ( closed == false && reader->problems < MOST_PROBLEMS && reader->isMemoryLow == false )
	{
		i += strspn( all->text + i, blanks );
		place = Advance( place, all->text + at, i - at );
		at = i;
		if ( i >= all->length )
		{
			Refuse( reader, place, "invalid JSON: missing ] at the end of the array" );
			return;
		}
		closed = all->text[i] == ']';
		if ( closed && expects )
		{
			Refuse( reader, place, "invalid JSON: trailing comma before ]" );
		}
		if ( closed == false )
		{
			size_t end = SkipValue( all, i );
			Span row = { all->text + i, end - i, place };
			TakeJsonRow( reader, &row );
			i = end;
			expects = i < all->length && all->text[i] == ',';
			i += expects ? 1 : 0;
		}
	}
	size_t rest = i + 1 + strspn( all->text + i + 1, blanks );
	if ( closed && rest < all->length )
	{
		Refuse( reader, Advance( place, all->text + at, rest - at ), "unexpected text after the array" );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// CSV: RFC 4180, the first line names the keys, an empty cell says nothing

typedef struct Cell
{
	char* text; // free with supFree
	ManifestPlace place;
} Cell;

typedef SUP_ARRAY( Cell ) CellList;

static void FreeCells( CellList* cells )
{
	for ( int32_t i = 0; i < cells->count; ++i )
	{
		supFree( cells->data[i].text );
	}
	cells->count = 0;
}

// How many characters the quoted cell at `i` takes.
static size_t MeasureQuoted( const Span* all, size_t i )
{
	size_t start = i++;
	while ( i < all->length && ( all->text[i] != '"' || all->text[i + 1] == '"' ) )
	{
		i += all->text[i] == '"' ? 2 : 1;
	}
	return i - start;
}

// The cell at `*at`, which moves behind it.
static bool ReadCell( Reader* reader, const Span* all, size_t* at, ManifestPlace* place, CellList* cells )
{
	size_t i = *at;
	bool quoted = i < all->length && all->text[i] == '"';
	char* text = supAllocSmall( ( quoted ? MeasureQuoted( all, i ) : strcspn( all->text + i, ",\r\n" ) ) + 1 );
	if ( text == NULL )
	{
		reader->isMemoryLow = true;
		return false;
	}
	size_t n = 0;
	bool closed = quoted == false;
	i += quoted ? 1 : 0;
	while ( i < all->length && ( quoted ? closed == false : strchr( ",\r\n", all->text[i] ) == NULL ) )
	{
		if ( quoted && all->text[i] == '"' )
		{
			closed = all->text[i + 1] != '"';
			i += closed ? 1 : 2;
			text[n] = '"';
			n += closed ? 0 : 1;
			continue;
		}
		text[n++] = all->text[i++];
	}
	text[n] = 0;
	ManifestPlace begins = *place;
	*place = Advance( *place, all->text + *at, i - *at );
	*at = i;
	bool pushed = SUP_PUSH( cells, ( Cell ){ text, begins } );
	reader->isMemoryLow = reader->isMemoryLow || pushed == false;
	if ( closed == false )
	{
		Refuse( reader, begins, "missing closing quotation mark" );
	}
	else if ( i < all->length && strchr( ",\r\n", all->text[i] ) == NULL )
	{
		Refuse( reader, *place, "expected a comma after the closing quotation mark" );
		return false;
	}
	return pushed && closed;
}

static bool ReadCells( Reader* reader, const Span* all, size_t* at, ManifestPlace* place, CellList* cells )
{
	FreeCells( cells );
	for ( ;; )
	{
		if ( ReadCell( reader, all, at, place, cells ) == false )
		{
			return false;
		}
		bool more = *at < all->length && all->text[*at] == ',';
		if ( more == false )
		{
			break;
		}
		*at += 1;
		place->column += 1;
	}
	size_t start = *at;
	*at += *at < all->length && all->text[*at] == '\r' ? 1 : 0;
	*at += *at < all->length && all->text[*at] == '\n' ? 1 : 0;
	*place = Advance( *place, all->text + start, *at - start );
	return true;
}

static void TakeCsvRow( Reader* reader, const CellList* keys, const CellList* cells )
{
	ManifestRow row = { .place = cells->data[0].place };
	if ( cells->count == 1 && cells->data[0].text[0] == 0 )
	{
		return;
	}
	if ( cells->count > keys->count )
	{
		Refuse( reader, cells->data[keys->count].place, "%d cells, but the header has %d keys", cells->count,
				keys->count );
		return;
	}
	for ( int32_t i = 0; i < cells->count && reader->problems < MOST_PROBLEMS; ++i )
	{
		const Cell* cell = cells->data + i;
		ManifestField field;
		if ( cell->text[0] == 0 || FindKey( reader, cell->place, keys->data[i].text, &field ) == false )
		{
			continue;
		}
		bool isFlag = field.option != NULL && field.option->kind == arg_flag;
		if ( isFlag && strcmp( cell->text, "true" ) != 0 && strcmp( cell->text, "false" ) != 0 )
		{
			Refuse( reader, cell->place, "'%s' must be true or false", field.name );
		}
		else if ( PushValue( reader, &field, cell->text ) )
		{
			PushField( reader, &row, &field );
		}
	}
	PushRow( reader, &row );
}

static void ReadCsv( Reader* reader, const Span* all )
{
	CellList keys = { 0 }, cells = { 0 };
	size_t at = 0;
	ManifestPlace place = all->place;
	bool ok = ReadCells( reader, all, &at, &place, &keys );
	for ( int32_t i = 0; ok && i < keys.count; ++i )
	{
		ManifestField field;
		ok = FindKey( reader, keys.data[i].place, keys.data[i].text, &field );
	}
	while ( ok && at < all->length && reader->problems < MOST_PROBLEMS )
	{
		ok = ReadCells( reader, all, &at, &place, &cells );
		if ( ok )
		{
			TakeCsvRow( reader, &keys, &cells );
		}
	}
	FreeCells( &keys );
	FreeCells( &cells );
	SUP_FREE_ARRAY( &keys );
	SUP_FREE_ARRAY( &cells );
}

// ---------------------------------------------------------------------------------------------------------------------
// A folder: all its characters, all their clips

static bool IsCharacterName( const char* name )
{
	static const char* const extensions[] = { ".glb", ".gltf", ".vrm", ".fbx", ".dae" };
	char extension[17];
	supGetExtension( name, extension );
	for ( int32_t i = 0; i < SUP_COUNT( extensions ); ++i )
	{
		if ( name[0] != '.' && strcmp( extension, extensions[i] ) == 0 )
		{
			return true;
		}
	}
	return false;
}

static int CompareNames( const void* a, const void* b )
{
	return strcmp( *(char* const*)a, *(char* const*)b );
}

static int ReadFolder( Reader* reader )
{
	Manifest* manifest = reader->manifest;
	DIR* folder = opendir( manifest->path );
	ManifestRow row = { 0 };
	ManifestField character = { .name = CHARACTER_KEY };
	ManifestField clip = { .option = FindCommandOption( &g_bakeCommand, "clip" ) };
	clip.name = clip.option->name;
	for ( struct dirent* entry; folder != NULL && ( entry = readdir( folder ) ) != NULL; )
	{
		if ( IsCharacterName( entry->d_name ) )
		{
			PushValue( reader, &character, entry->d_name );
		}
	}
	if ( folder == NULL || character.values.count == 0 )
	{
		Report( manifest->path, folder != NULL ? "this folder has no characters (.glb, .gltf, .vrm, .fbx, .dae)"
											   : "cannot read this folder" );
		FreeField( &character );
		if ( folder != NULL )
		{
			closedir( folder );
		}
		return exit_data;
	}
	closedir( folder );
	qsort( character.values.data, (size_t)character.values.count, sizeof( char* ), CompareNames );
	bool ok = PushValue( reader, &clip, "*" ) && PushField( reader, &row, &character ) &&
			  PushField( reader, &row, &clip ) && PushRow( reader, &row );
	return ok ? exit_ok : ReportMemory();
}

// ---------------------------------------------------------------------------------------------------------------------

static char* CopyFolder( const char* path, bool isFolder )
{
	const char* slash = strrchr( path, '/' );
	char* folder = supCopyString( path );
	if ( folder != NULL && isFolder == false )
	{
		folder[slash == path ? 1 : slash != NULL ? slash - path : 0] = 0;
	}
	return folder;
}

static int ReadText( Reader* reader )
{
	const char* path = reader->manifest->path;
	supError error = { 0 };
	size_t length = 0;
	char* text = (char*)supReadFile( path, &length, &error );
	if ( text == NULL )
	{
		return ReportError( path, &error );
	}
	size_t mark = length >= 3 && memcmp( text, "\xEF\xBB\xBF", 3 ) == 0 ? 3 : 0;
	Span all = { text + mark, length - mark, { 1, 1 } };
	char first = all.text[strspn( all.text, " \t\r\n" )];
	const char* zero = memchr( all.text, 0, all.length );
	supInitJson();
	if ( zero != NULL )
	{
		Refuse( reader, Advance( all.place, all.text, (size_t)( zero - all.text ) ),
				"not a text file; a manifest is JSON lines, a JSON array or CSV" );
	}
	else if ( first == '{' )
	{
		ReadJsonLines( reader, all );
	}
	else if ( first == '[' )
	{
		ReadJsonArray( reader, &all );
	}
	else
	{
		ReadCsv( reader, &all );
	}
	supFree( text );
	if ( reader->isMemoryLow )
	{
		return ReportMemory();
	}
	if ( reader->problems == 0 && reader->manifest->rows.count == 0 )
	{
		Refuse( reader, ( ManifestPlace ){ 0 }, "the manifest has no jobs" );
	}
	return reader->problems == 0 ? exit_ok : exit_data;
}

int ReadManifest( const char* path, Manifest* manifest )
{
	struct stat info;
	bool isFolder = stat( path, &info ) == 0 && S_ISDIR( info.st_mode );
	*manifest = ( Manifest ){ .path = path, .folder = CopyFolder( path, isFolder ) };
	Reader reader = { .manifest = manifest };
	if ( manifest->folder == NULL )
	{
		return ReportMemory();
	}
	return isFolder ? ReadFolder( &reader ) : ReadText( &reader );
}

void FreeManifest( Manifest* manifest )
{
	for ( int32_t i = 0; i < manifest->rows.count; ++i )
	{
		ManifestRow* row = manifest->rows.data + i;
		for ( int32_t k = 0; k < row->fields.count; ++k )
		{
			FreeField( row->fields.data + k );
		}
		SUP_FREE_ARRAY( &row->fields );
	}
	SUP_FREE_ARRAY( &manifest->rows );
	supFree( manifest->folder );
	*manifest = ( Manifest ){ 0 };
}
