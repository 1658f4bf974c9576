// SPDX-License-Identifier: MIT
// All jobs of a manifest, checked as bake would check them, with a key each: a hash of everything that matters.
#define _DEFAULT_SOURCE
#include "batch.h"
#include "commands.h"
#include "core/hash.h"
#include "io/common/file.h"
#include "io/common/json.h"
#include "io/gltf/uri.h"
#include "report.h"
#include "text.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_PROBLEMS 20
#define GLB_HEADER 20
#define BUILTIN "builtin:"

static const char* FileName( const char* path )
{
	const char* slash = strrchr( path, '/' );
	return slash != NULL ? slash + 1 : path;
}

// ---------------------------------------------------------------------------------------------------------------------
// Options, as bake checks them

// Its output, or where the folder of that is made later, a name like it here.
static void FormatCheckedOutput( const BatchJob* job, char* text, size_t capacity )
{
	char folder[PATH_MAX], extension[17];
	const char* name = FileName( job->output );
	snprintf( folder, sizeof( folder ), "%.*s", (int)( name - job->output ), job->output );
	supGetExtension( job->output, extension );
	bool exists = access( folder[0] != 0 ? folder : ".", F_OK ) == 0;
	bool isFree = access( name, F_OK ) != 0;
	snprintf( text, capacity, "--output=%s%s",
			  exists   ? job->output
			  : isFree ? name
					   : ".supple-batch-check",
			  exists || isFree ? "" : extension );
}

// Returns exit_ok or what a bake of this job would exit with.
static int CheckJob( const BatchJob* job )
{
	char output[PATH_MAX];
	FormatCheckedOutput( job, output, sizeof( output ) );
	char* words[160];
	int32_t count = 0;
	for ( ; count < job->wordCount && count < 150; ++count )
	{
		words[count] = job->words[count];
	}
	char dashes[] = "--";
	words[count++] = output;
	words[count++] = dashes;
	words[count++] = job->character;
	BakeSettings settings = DefaultBakeSettings();
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( &g_bakeCommand, count, words, &settings, &arguments, &status ) )
	{
		BakeJob bake = { .settings = &settings };
		status = CheckBakeJob( &g_bakeCommand, &bake, &arguments, job->character );
		FreeArguments( &arguments );
	}
	FreeBakeSettings( &settings );
	char extension[17];
	supGetExtension( job->character, extension );
	if ( status == exit_ok && strcmp( extension, ".json" ) == 0 )
	{
		Report( NULL, "%s is a scene, not a character; bake it on its own: supple bake %s", job->character,
				job->character );
		status = exit_data;
	}
	return status;
}

static int CheckJobs( const BatchPlan* plan, int32_t* problems )
{
	CommonSettings common = *GetCommonSettings();
	for ( int32_t i = 0; i < plan->jobs.count && *problems < MOST_PROBLEMS; ++i )
	{
		const BatchJob* job = plan->jobs.data + i;
		char place[1100];
		FormatPlace( &plan->manifest, job->place, place, sizeof( place ) );
		SetReportPlace( place );
		*problems += CheckJob( job ) != exit_ok ? 1 : 0;
		SetReportPlace( NULL );
	}
	SetCommonSettings( &common );
	return *problems == 0 ? exit_ok : exit_data;
}

// ---------------------------------------------------------------------------------------------------------------------
// Outputs

typedef struct OutputPlace
{
	const BatchJob* job;
	char* path; // without links
} OutputPlace;

static int CompareOutputs( const void* a, const void* b )
{
	const OutputPlace *x = a, *y = b;
	int order = strcmp( x->path, y->path );
	return order != 0 ? order : ( x->job > y->job ) - ( x->job < y->job );
}

// A folder and where it really is; jobs that follow each other mostly share theirs.
typedef struct FolderMemo
{
	char folder[PATH_MAX];
	char resolved[PATH_MAX]; // empty: does not exist yet
} FolderMemo;

// With links in the folder resolved, where it exists already. Free with supFree.
static char* ResolveOutput( const char* output, FolderMemo* memo )
{
	char folder[PATH_MAX] = "";
	const char* slash = strrchr( output, '/' );
	snprintf( folder, sizeof( folder ), "%.*s", slash != NULL ? (int)( slash - output ) + 1 : 1,
			  slash != NULL ? output : "." );
	if ( strcmp( folder, memo->folder ) != 0 )
	{
		memcpy( memo->folder, folder, sizeof( folder ) );
		memo->resolved[0] = realpath( folder, memo->resolved ) != NULL ? memo->resolved[0] : 0;
	}
	return memo->resolved[0] != 0 ? JoinFolder( memo->resolved, slash != NULL ? slash + 1 : output )
								  : supCopyString( output );
}

static void ReportSameOutput( const BatchPlan* plan, const BatchJob* a, const BatchJob* b )
{
	char where[1100];
	FormatPlace( &plan->manifest, b->place, where, sizeof( where ) );
	Report( where,
			"two jobs write '%s': this one and the one at line %d, column %d; give each its own output, with "
			"{character}, {clip}, {method} and so on in the name",
			b->output, a->place.line, a->place.column );
}

static int CheckOutputs( const BatchPlan* plan, int32_t* problems )
{
	OutputPlace* sorted = supAllocZeroed( ( (size_t)plan->jobs.count + 1 ) * sizeof( OutputPlace ) );
	FolderMemo memo = { 0 };
	bool ok = sorted != NULL;
	for ( int32_t i = 0; ok && i < plan->jobs.count; ++i )
	{
		sorted[i] = ( OutputPlace ){ plan->jobs.data + i, ResolveOutput( plan->jobs.data[i].output, &memo ) };
		ok = sorted[i].path != NULL;
	}
	if ( ok )
	{
		qsort( sorted, (size_t)plan->jobs.count, sizeof( OutputPlace ), CompareOutputs );
	}
	for ( int32_t i = 1; ok && i < plan->jobs.count && *problems < MOST_PROBLEMS; ++i )
	{
		if ( strcmp( sorted[i - 1].path, sorted[i].path ) == 0 )
		{
			ReportSameOutput( plan, sorted[i - 1].job, sorted[i].job );
			*problems += 1;
		}
	}
	for ( int32_t i = 0; sorted != NULL && i < plan->jobs.count; ++i )
	{
		supFree( sorted[i].path );
	}
	supFree( sorted );
	return ok == false ? ReportMemory() : *problems == 0 ? exit_ok : exit_data;
}

// ---------------------------------------------------------------------------------------------------------------------
// Keys

// The JSON of a glTF file, binary or not; NULL where it is none.
static json_t* ReadGltfTree( const char* path )
{
	uint8_t head[GLB_HEADER];
	FILE* file = fopen( path, "rbe" );
	bool isBinary = file != NULL && fread( head, 1, GLB_HEADER, file ) == GLB_HEADER && memcmp( head, "glTF", 4 ) == 0;
	char* text = NULL;
	size_t length = 0;
	if ( isBinary )
	{
		struct stat info;
		length = (size_t)head[12] | (size_t)head[13] << 8 | (size_t)head[14] << 16 | (size_t)head[15] << 24;
		bool fits = fstat( fileno( file ), &info ) == 0 && length <= (uint64_t)info.st_size;
		text = fits ? supAlloc( length + 1 ) : NULL;
		length = text != NULL ? fread( text, 1, length, file ) : 0;
	}
	else if ( file != NULL )
	{
		text = (char*)supReadFile( path, &length, NULL );
	}
	json_t* tree = text != NULL ? supParseJson( text, length, path, NULL ) : NULL;
	supFree( text );
	if ( file != NULL )
	{
		fclose( file );
	}
	return tree;
}

// The files that a glTF file refers to, as a list of URIs. Give back with json_decref; NULL when out of memory.
static json_t* ListSideFiles( const char* path )
{
	static const char* const lists[] = { "buffers", "images" };
	json_t* tree = ReadGltfTree( path );
	json_t* files = json_array();
	for ( int32_t l = 0; l < SUP_COUNT( lists ); ++l )
	{
		const json_t* list = supJson_Get( tree, lists[l] );
		for ( size_t i = 0; i < json_array_size( list ); ++i )
		{
			const char* uri = supJson_String( supJson_At( list, i ), "uri", NULL );
			if ( uri != NULL && supIsDataUri( uri ) == false )
			{
				json_array_append_new( files, json_string( uri ) );
			}
		}
	}
	json_decref( tree );
	return files;
}

json_t* GetFileNote( BatchPlan* plan, const char* path, const char* key )
{
	const char* text = supFileCache_Note( plan->cache, path );
	json_t* note = text != NULL ? json_loads( text, 0, NULL ) : NULL;
	json_t* value = json_incref( json_object_get( note, key ) );
	json_decref( note );
	return value;
}

void SetFileNote( BatchPlan* plan, const char* path, const char* key, json_t* value )
{
	const char* old = supFileCache_Note( plan->cache, path );
	json_t* note = old != NULL ? json_loads( old, 0, NULL ) : NULL;
	note = json_is_object( note ) ? note : json_object();
	json_object_set( note, key, value );
	char* text = json_dumps( note, JSON_COMPACT | JSON_ENSURE_ASCII );
	if ( text != NULL )
	{
		supFileCache_SetNote( plan->cache, path, text );
	}
	supFree( text );
	json_decref( note );
}

static void HashFileOf( BatchPlan* plan, const char* path, const char* name, supHash128* hash )
{
	char file[PATH_MAX];
	supHash128 content;
	int folder = (int)( FileName( path ) - path );
	if ( snprintf( file, sizeof( file ), "%.*s%s", folder, path, name ) < (int)sizeof( file ) &&
		 supFileCache_Hash( plan->cache, file, &content, NULL ) )
	{
		supHash128_AddString( hash, name );
		supHash128_Add( hash, &content, sizeof( content ) );
	}
}

static void HashSideFiles( BatchPlan* plan, const char* path, supHash128* hash )
{
	json_t* files = GetFileNote( plan, path, "files" );
	if ( files == NULL )
	{
		files = ListSideFiles( path );
		SetFileNote( plan, path, "files", files );
	}
	for ( size_t i = 0; i < json_array_size( files ); ++i )
	{
		char* decoded = supDecodePercent( json_string_value( json_array_get( files, i ) ) );
		if ( decoded != NULL )
		{
			HashFileOf( plan, path, decoded, hash );
		}
		supFree( decoded );
	}
	json_decref( files );
}

static bool HasExtensionOf( const char* path, const char* const* extensions, int32_t count )
{
	char extension[17];
	supGetExtension( path, extension );
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( strcmp( extension, extensions[i] ) == 0 )
		{
			return true;
		}
	}
	return false;
}

static int IsNeighbour( const struct dirent* entry )
{
	static const char* const extensions[] = { ".mtl", ".png", ".jpg", ".jpeg", ".tga", ".bmp", ".tif", ".tiff" };
	return HasExtensionOf( entry->d_name, extensions, SUP_COUNT( extensions ) );
}

// Textures and materials of other formats lie beside them, named in ways that only their importer knows: all of the
// folder count.
static void HashNeighbours( BatchPlan* plan, const char* path, supHash128* hash )
{
	char folder[PATH_MAX];
	snprintf( folder, sizeof( folder ), "%.*s", (int)( FileName( path ) - path ), path );
	struct dirent** entries = NULL;
	int count = scandir( folder[0] != 0 ? folder : ".", &entries, IsNeighbour, alphasort );
	for ( int i = 0; i < count; ++i )
	{
		HashFileOf( plan, path, entries[i]->d_name, hash );
		free( entries[i] );
	}
	free( entries );
}

// How many of the last inputs are remembered: those of neighbouring jobs are the same.
#define RECENT_INPUTS 64

typedef struct HashedInput
{
	const char* path;
	supHash128 hash;
} HashedInput;

typedef struct Keys
{
	BatchPlan* plan;
	HashedInput recent[RECENT_INPUTS];
	int32_t count; // so far; the last ones are kept
	int32_t problems;
} Keys;

// The name and the content of an input with everything that belongs to it.
static bool HashInput( Keys* keys, const BatchJob* job, const char* path, supHash128* hash )
{
	static const char* const gltf[] = { ".glb", ".gltf", ".vrm" };
	static const char* const others[] = { ".fbx", ".dae", ".obj", ".3ds", ".x", ".blend" };
	for ( int32_t i = 0; i < RECENT_INPUTS && i < keys->count; ++i )
	{
		if ( strcmp( keys->recent[i].path, path ) == 0 )
		{
			supHash128_Add( hash, &keys->recent[i].hash, sizeof( supHash128 ) );
			return true;
		}
	}
	HashedInput input = { path, supBeginHash128() };
	supHash128_AddString( &input.hash, FileName( path ) );
	bool isBuiltin = strncmp( path, BUILTIN, sizeof( BUILTIN ) - 1 ) == 0;
	supHash128 content;
	supError error = { 0 };
	if ( isBuiltin == false && supFileCache_Hash( keys->plan->cache, path, &content, &error ) == false )
	{
		char place[1100];
		FormatPlace( &keys->plan->manifest, job->place, place, sizeof( place ) );
		SetReportPlace( place );
		ReportError( path, &error );
		SetReportPlace( NULL );
		keys->problems += 1;
		return false;
	}
	if ( isBuiltin == false )
	{
		supHash128_Add( &input.hash, &content, sizeof( content ) );
		if ( HasExtensionOf( path, gltf, SUP_COUNT( gltf ) ) )
		{
			HashSideFiles( keys->plan, path, &input.hash );
		}
		else if ( HasExtensionOf( path, others, SUP_COUNT( others ) ) )
		{
			HashNeighbours( keys->plan, path, &input.hash );
		}
	}
	supHash128_Add( hash, &input.hash, sizeof( supHash128 ) );
	keys->recent[keys->count++ % RECENT_INPUTS] = input;
	return true;
}

// "--motion=walk.bvh": what stands behind the =, where the option names a file; NULL otherwise.
static const char* FindPathIn( const char* word )
{
	static const char* const names[] = { "--motion=", "--map=", "--settings=", "--flesh=", "--collider=" };
	for ( int32_t i = 0; i < SUP_COUNT( names ); ++i )
	{
		if ( strncmp( word, names[i], strlen( names[i] ) ) == 0 )
		{
			return word + strlen( names[i] );
		}
	}
	return NULL;
}

// Does the word say what flesh is built, rather than what it does?
static bool IsOfFlesh( const char* word )
{
	static const char* const names[] = { "--method=", "--softness=", "--preset=",  "--set=",
										 "--flesh=",  "--unit=",     "--settings=" };
	for ( int32_t i = 0; i < SUP_COUNT( names ); ++i )
	{
		if ( strncmp( word, names[i], strlen( names[i] ) ) == 0 )
		{
			return true;
		}
	}
	return false;
}

static bool HashJob( Keys* keys, BatchJob* job )
{
	supVersion version = supGetVersion();
	supHash128 all = supBeginHash128();
	supHash128_Add( &all, &version, sizeof( version ) );
	bool ok = HashInput( keys, job, job->character, &all );
	char extension[17];
	supGetExtension( job->output, extension );
	supHash128 flesh = all;
	supHash128_AddString( &flesh, job->character );
	supHash128_AddString( &all, extension );
	for ( int32_t i = 0; i < job->wordCount && ok; ++i )
	{
		const char* word = job->words[i];
		const char* path = FindPathIn( word );
		supHash128 one = supBeginHash128();
		if ( path != NULL )
		{
			supHash128_Add( &one, word, (size_t)( path - word ) );
			ok = HashInput( keys, job, path, &one );
		}
		else
		{
			supHash128_AddString( &one, word );
		}
		supHash128_Add( &all, &one, sizeof( one ) );
		if ( IsOfFlesh( word ) )
		{
			supHash128_Add( &flesh, &one, sizeof( one ) );
		}
		else if ( path != NULL )
		{
			// flesh of layered depends on whether the motion is the character's own
			supHash128_AddString( &flesh, "motion" );
		}
	}
	all = ( supHash128 ){ supMixHash( all.a ), supMixHash( all.b ) };
	snprintf( job->key, sizeof( job->key ), "%016llx%016llx", (unsigned long long)all.a, (unsigned long long)all.b );
	snprintf( job->id, sizeof( job->id ), "%016llx", (unsigned long long)supHashString( SUP_HASH_SEED, job->name ) );
	job->flesh[0] = flesh.a;
	job->flesh[1] = flesh.b;
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Groups

typedef struct GroupSlot
{
	uint64_t flesh[2];
	int32_t group; // + 1; 0: free
} GroupSlot;

static bool NumberGroups( BatchPlan* plan )
{
	uint32_t slotCount = 16;
	while ( slotCount < 2 * (uint32_t)plan->jobs.count )
	{
		slotCount *= 2;
	}
	GroupSlot* slots = supAllocZeroed( slotCount * sizeof( GroupSlot ) );
	for ( int32_t i = 0; slots != NULL && i < plan->jobs.count; ++i )
	{
		BatchJob* job = plan->jobs.data + i;
		uint32_t at = (uint32_t)( job->flesh[0] >> 20 ) & ( slotCount - 1 );
		while ( slots[at].group != 0 && memcmp( slots[at].flesh, job->flesh, sizeof( job->flesh ) ) != 0 )
		{
			at = ( at + 1 ) & ( slotCount - 1 );
		}
		if ( slots[at].group == 0 )
		{
			slots[at].group = ++plan->groupCount;
			memcpy( slots[at].flesh, job->flesh, sizeof( job->flesh ) );
		}
		job->group = slots[at].group - 1;
	}
	bool ok = slots != NULL;
	supFree( slots );
	return ok;
}

// Jobs of one group behind each other, groups and jobs in the order of the manifest.
static bool SortByGroup( BatchPlan* plan )
{
	int32_t* starts = supAllocZeroed( ( (size_t)plan->groupCount + 1 ) * sizeof( int32_t ) );
	BatchJob* sorted = supAllocArray( (size_t)plan->jobs.count + 1, sizeof( BatchJob ) );
	bool ok = starts != NULL && sorted != NULL;
	for ( int32_t i = 0; ok && i < plan->jobs.count; ++i )
	{
		starts[plan->jobs.data[i].group + 1] += 1;
	}
	for ( int32_t i = 0; ok && i < plan->groupCount; ++i )
	{
		starts[i + 1] += starts[i];
	}
	for ( int32_t i = 0; ok && i < plan->jobs.count; ++i )
	{
		sorted[starts[plan->jobs.data[i].group]++] = plan->jobs.data[i];
	}
	if ( ok )
	{
		memcpy( plan->jobs.data, sorted, (size_t)plan->jobs.count * sizeof( BatchJob ) );
	}
	supFree( starts );
	supFree( sorted );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

static int HashJobs( BatchPlan* plan )
{
	Keys keys = { .plan = plan };
	for ( int32_t i = 0; i < plan->jobs.count && keys.problems < MOST_PROBLEMS; ++i )
	{
		HashJob( &keys, plan->jobs.data + i );
	}
	if ( keys.problems > 0 )
	{
		return exit_data;
	}
	return NumberGroups( plan ) && SortByGroup( plan ) ? exit_ok : ReportMemory();
}

static int OpenFolders( BatchPlan* plan, const char* output )
{
	const char* folder = output != NULL ? output : plan->manifest.folder[0] != 0 ? plan->manifest.folder : ".";
	plan->folder = supCopyString( folder );
	plan->state = JoinFolder( folder, BATCH_FOLDER );
	char* cache = plan->state != NULL ? JoinFolder( plan->state, "files" ) : NULL;
	plan->cache = cache != NULL ? supOpenFileCache( cache ) : NULL;
	supFree( cache );
	return plan->folder != NULL && plan->cache != NULL ? exit_ok : ReportMemory();
}

int MakePlan( const char* manifest, const char* output, BatchPlan* plan )
{
	*plan = ( BatchPlan ){ 0 };
	int status = ReadManifest( manifest, &plan->manifest );
	status = status == exit_ok ? OpenFolders( plan, output ) : status;
	int32_t problems = 0;
	for ( int32_t i = 0; i < plan->manifest.rows.count && status == exit_ok && problems < MOST_PROBLEMS; ++i )
	{
		status = ExpandRow( plan, plan->manifest.rows.data + i, &problems ) ? exit_ok : ReportMemory();
	}
	status = status == exit_ok && problems > 0 ? exit_data : status;
	status = status == exit_ok ? CheckOutputs( plan, &problems ) : status;
	status = status == exit_ok ? CheckJobs( plan, &problems ) : status;
	status = status == exit_ok ? HashJobs( plan ) : status;
	if ( problems >= MOST_PROBLEMS )
	{
		Report( manifest, "stopped after %d problems; nothing was baked", problems );
	}
	if ( status == exit_ok && plan->jobs.count == 0 )
	{
		Report( manifest, "the manifest has no jobs: no character has a matching clip" );
		status = exit_data;
	}
	return status;
}

void FreePlan( BatchPlan* plan )
{
	for ( int32_t i = 0; i < plan->jobs.count; ++i )
	{
		BatchJob* job = plan->jobs.data + i;
		for ( int32_t k = 0; k < job->wordCount; ++k )
		{
			supFree( job->words[k] );
		}
		supFree( job->words );
		supFree( job->character );
		supFree( job->output );
		supFree( job->name );
		supFree( job->clip );
		supFree( job->method );
	}
	SUP_FREE_ARRAY( &plan->jobs );
	json_decref( plan->clips );
	supFree( plan->listed );
	supDestroyFileCache( plan->cache );
	supFree( plan->folder );
	supFree( plan->state );
	FreeManifest( &plan->manifest );
}
