// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "load.h"

#include "core/core.h"
#include "io/common/file.h"
#include "io/gltf/document.h"
#include "io/gltf/uri.h"
#include "isolate.h"
#include "models/models.h"
#include "report.h"
#include "text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char s_builtinPrefix[] = "builtin:";

static bool IsBuiltin( const char* path )
{
	return strncmp( path, s_builtinPrefix, sizeof( s_builtinPrefix ) - 1 ) == 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Sources

static const char* ModelNameAt( int32_t index, const void* context )
{
	(void)context;
	return supGetModel( index )->name;
}

static int ReportUnknownModel( const char* path, const char* name )
{
	int32_t nearest = FindNearestName( name, supGetModelCount(), ModelNameAt, NULL );
	if ( nearest >= 0 )
	{
		Report( path, "unknown built-in character; did you mean %s%s?", s_builtinPrefix, supGetModel( nearest )->name );
	}
	else
	{
		Report( path, "unknown built-in character; 'supple models' lists them" );
	}
	return exit_data;
}

static int LoadBuiltin( Source* source )
{
	const char* name = source->path + sizeof( s_builtinPrefix ) - 1;
	const supModel* model = supFindModel( name );
	if ( model == NULL )
	{
		return ReportUnknownModel( source->path, name );
	}
	supError error = { 0 };
	snprintf( source->format, sizeof( source->format ), "builtin" );
	source->character = model->create( &error );
	return source->character != NULL ? exit_ok : ReportError( source->path, &error );
}

// By what the file says rather than by its name: a .vrm is a binary glTF, too.
static bool IsGltf( const char* path, const char* format )
{
	bool gltf = strcmp( format, "glb" ) == 0 || strcmp( format, "gltf" ) == 0;
	char magic[4] = { 0 };
	struct stat info;
	FILE* file = gltf == false && stat( path, &info ) == 0 && S_ISREG( info.st_mode ) ? fopen( path, "rb" ) : NULL;
	if ( file != NULL )
	{
		gltf = fread( magic, 1, 4, file ) == 4 && memcmp( magic, "glTF", 4 ) == 0;
		fclose( file );
	}
	return gltf;
}

int LoadSource( const char* path, Source* source )
{
	*source = ( Source ){ .path = path };
	if ( IsBuiltin( path ) )
	{
		return LoadBuiltin( source );
	}
	char extension[17];
	supGetExtension( path, extension );
	snprintf( source->format, sizeof( source->format ), "%s", extension[0] == '.' ? extension + 1 : "" );
	source->byteCount = GetFileSize( path );
	supError error = { 0 };
	if ( IsGltf( path, source->format ) )
	{
		supLoadDef def = supDefaultLoadDef();
		def.allowOutside = GetCommonSettings()->allowOutside;
		source->document = supLoadDocumentWith( path, &def, &error );
		source->character = source->document != NULL ? supDocument_CreateCharacter( source->document, &error ) : NULL;
	}
	else
	{
		const CommonSettings* common = GetCommonSettings();
		ImportLimits limits = { common->allowOutside, common->importMemory, common->importSeconds };
		source->character = IsolatedLoadCharacter( path, &limits, &error );
	}
	return source->character != NULL ? exit_ok : ReportError( path, &error );
}

// Metres per unit; 0 where it is none.
static float ParseUnit( const char* text )
{
	static const struct
	{
		const char* name;
		float metres;
	} units[] = { { "m", 1.0f }, { "cm", 0.01f }, { "mm", 0.001f }, { "in", 0.0254f }, { "ft", 0.3048f } };
	for ( size_t i = 0; i < sizeof( units ) / sizeof( units[0] ); ++i )
	{
		if ( strcmp( text, units[i].name ) == 0 )
		{
			return units[i].metres;
		}
	}
	char* end = NULL;
	double metres = strtod( text, &end );
	return *text != 0 && *end == 0 && metres >= 1e-6 && metres <= 1e6 ? (float)metres : 0.0f;
}

int LoadSourceIn( const char* path, const char* unit, Source* source )
{
	float metres = unit != NULL ? ParseUnit( unit ) : 1.0f;
	if ( !( metres > 0.0f ) )
	{
		*source = ( Source ){ .path = path };
		Report( path, "unknown unit '%s'; use m, cm, mm, in, ft, or metres per unit (1e-6 to 1e6)", unit );
		return exit_usage;
	}
	int status = LoadSource( path, source );
	if ( status == exit_ok && unit != NULL )
	{
		source->unit = metres;
		supCharacter_SetUnit( source->character, metres );
	}
	return status;
}

int EnsureDocument( Source* source )
{
	if ( source->document != NULL )
	{
		return exit_ok;
	}
	supError error = { 0 };
	// a document is in the units of the file
	supCharacter_SetUnit( source->character, 1.0f );
	source->document = supCreateDocument( source->character, &error );
	// from here on the character is that of the document, so that poses and clips fit it
	supCharacter* character = source->document != NULL ? supDocument_CreateCharacter( source->document, &error ) : NULL;
	if ( character == NULL )
	{
		return ReportError( source->path, &error );
	}
	supCharacter_SetUnit( character, source->unit > 0.0f ? source->unit : 1.0f );
	supDestroyCharacter( source->character );
	source->character = character;
	return exit_ok;
}

void FreeSource( Source* source )
{
	supDestroyCharacter( source->character );
	supDestroyDocument( source->document );
	*source = ( Source ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Clips

const char* GetClipLabel( const supCharacter* character, const supClip* clip )
{
	static char labels[4][160];
	static unsigned next;
	char* label = labels[next++ % 4];
	if ( clip->name[0] != 0 )
	{
		return CleanText( clip->name, 60, label, sizeof( labels[0] ) );
	}
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ); ++i )
	{
		if ( supCharacter_Clip( character, i ) == clip )
		{
			snprintf( label, sizeof( labels[0] ), "#%d", i );
			return label;
		}
	}
	return "(unnamed)";
}

static const char* ClipNameAt( int32_t index, const void* character )
{
	return supCharacter_Clip( character, index )->name;
}

static void ReportUnknownClip( const Source* source, const char* text )
{
	const supCharacter* character = source->character;
	int32_t count = supCharacter_ClipCount( character );
	if ( count == 0 )
	{
		Report( source->path,
				"no clip '%s': the file has no clips. Use a motion instead: --motion builtin:walk or "
				"--motion FILE",
				text );
		return;
	}
	int32_t nearest = FindNearestName( text, count, ClipNameAt, character );
	if ( nearest >= 0 )
	{
		Report( source->path, "no clip '%s'; did you mean '%s'? Clips:", text,
				supCharacter_Clip( character, nearest )->name );
	}
	else
	{
		Report( source->path, "no clip '%s'; clips:", text );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		const supClip* clip = supCharacter_Clip( character, i );
		char name[256];
		fprintf( stderr, "  #%-3d %s  (%.2f s)\n", i,
				 clip->name[0] != 0 ? CleanText( clip->name, 60, name, sizeof( name ) ) : "(unnamed)",
				 (double)clip->end );
	}
}

// "#12": its number, -1 where it is no such thing.
static int64_t ParseClipNumber( const char* text )
{
	char* end = NULL;
	if ( text[0] != '#' || text[1] < '0' || text[1] > '9' )
	{
		return -1;
	}
	int64_t number = strtoll( text + 1, &end, 10 );
	return *end == 0 ? number : -1;
}

const supClip* SelectClip( const Source* source, const char* text )
{
	const supCharacter* character = source->character;
	const supClip* clip = supCharacter_FindClip( character, text );
	int64_t number = ParseClipNumber( text );
	if ( clip == NULL && number >= 0 && number < supCharacter_ClipCount( character ) )
	{
		return supCharacter_Clip( character, (int32_t)number );
	}
	if ( clip == NULL )
	{
		ReportUnknownClip( source, text );
		return NULL;
	}
	int32_t same = 0;
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ); ++i )
	{
		same += strcmp( supCharacter_Clip( character, i )->name, clip->name ) == 0 ? 1 : 0;
	}
	if ( same > 1 )
	{
		Note( "%s: %d clips are named '%s'; using the first (select others by number: --clip '#N')", source->path, same,
			  clip->name );
	}
	return clip;
}

// ---------------------------------------------------------------------------------------------------------------------
// Motions

static int SelectMotionClips( Motion* motion )
{
	const supCharacter* character = motion->source.character;
	if ( supCharacter_ClipCount( character ) == 0 )
	{
		Report( motion->request->path, "the file has no motion; 'supple info FILE' lists its contents" );
		return exit_data;
	}
	motion->firstClip = 0;
	motion->clipCount = supCharacter_ClipCount( character );
	if ( motion->request->clip != NULL )
	{
		const supClip* clip = SelectClip( &motion->source, motion->request->clip );
		if ( clip == NULL )
		{
			return exit_data;
		}
		while ( supCharacter_Clip( character, motion->firstClip ) != clip )
		{
			motion->firstClip += 1;
		}
		motion->clipCount = 1;
	}
	return exit_ok;
}

// The name of a motion that comes with Supple; NULL where the path is that of a file or of a built-in character.
static const char* FindBuiltinMotion( const char* path )
{
	const char* name = IsBuiltin( path ) ? path + sizeof( s_builtinPrefix ) - 1 : NULL;
	return name != NULL && supFindMotion( name ) >= 0 ? name : NULL;
}

static const char* MotionNameAt( int32_t index, const void* context )
{
	(void)context;
	return supMotionName( index );
}

static int ReportUnknownMotion( const char* path )
{
	const char* name = path + sizeof( s_builtinPrefix ) - 1;
	int32_t nearest = FindNearestName( name, supMotionCount(), MotionNameAt, NULL );
	char names[256] = "";
	for ( int32_t i = 0; i < supMotionCount(); ++i )
	{
		size_t used = strlen( names );
		snprintf( names + used, sizeof( names ) - used, "%s%s", i > 0 ? ", " : "", supMotionName( i ) );
	}
	if ( nearest >= 0 )
	{
		Report( path, "unknown built-in motion; did you mean %s%s? Available: %s", s_builtinPrefix,
				supMotionName( nearest ), names );
	}
	else
	{
		Report( path, "unknown built-in motion; available: %s", names );
	}
	return exit_data;
}

static int OpenBuiltinMotion( const char* name, Motion* motion )
{
	const MotionRequest* request = motion->request;
	if ( request->clip != NULL || request->map != NULL )
	{
		Report( request->path,
				"--%s needs a motion from a file; a built-in motion has one clip and fits every skeleton",
				request->clip != NULL ? "motion-clip" : "map" );
		return exit_usage;
	}
	motion->builtin = name;
	motion->clipCount = 1;
	return exit_ok;
}

const char* GetMotionName( const Motion* motion, int32_t clip )
{
	return motion->builtin != NULL ? motion->builtin : supCharacter_Clip( motion->source.character, clip )->name;
}

int OpenMotion( const MotionRequest* request, Motion* motion )
{
	*motion = ( Motion ){ .request = request };
	const char* builtin = FindBuiltinMotion( request->path );
	if ( builtin != NULL )
	{
		return OpenBuiltinMotion( builtin, motion );
	}
	if ( IsBuiltin( request->path ) && supFindModel( request->path + sizeof( s_builtinPrefix ) - 1 ) == NULL )
	{
		return ReportUnknownMotion( request->path );
	}
	int status = LoadSource( request->path, &motion->source );
	if ( status == exit_ok && request->map != NULL )
	{
		supError error = { 0 };
		motion->map = supLoadNameMap( request->map, &error );
		status = motion->map != NULL ? exit_ok : ReportError( request->map, &error );
	}
	return status == exit_ok ? SelectMotionClips( motion ) : status;
}

void CloseMotion( Motion* motion )
{
	FreeSource( &motion->source );
	supDestroyNameMap( motion->map );
	*motion = ( Motion ){ 0 };
}

supClip* RetargetMotion( const Motion* motion, int32_t clip, const supCharacter* target, int* status )
{
	if ( motion->builtin != NULL )
	{
		supError error = { 0 };
		supClip* made = supCreateMotion( target, motion->builtin, &error );
		*status = made != NULL ? exit_ok : ReportError( motion->request->path, &error );
		return made;
	}
	supRetargetDef def = supDefaultRetargetDef();
	def.inPlace = motion->request->inPlace;
	def.keepFirstFrame = motion->request->keepFirstFrame;
	if ( motion->map != NULL )
	{
		def.pairCount = motion->map->pairCount;
		def.pairs = motion->map->pairs;
	}
	const supCharacter* source = motion->source.character;
	supError error = { 0 };
	supClip* result = supRetargetClip( target, source, supCharacter_Clip( source, clip ), &def, &error );
	if ( result == NULL )
	{
		*status = ReportError( motion->request->path, &error );
	}
	else if ( result->start > supCharacter_Clip( source, clip )->start )
	{
		Note( "%s starts with a frame in its rest pose, which is dropped (--keep-first-frame keeps it)",
			  motion->request->path );
	}
	return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Outputs and threads

static bool HasExtension( const char* extension, const char* extensions )
{
	size_t length = strlen( extension );
	for ( const char* word = extensions; *word != 0; )
	{
		size_t wordLength = strcspn( word, " " );
		if ( length > 0 && wordLength == length && memcmp( word, extension, length ) == 0 )
		{
			return true;
		}
		word += wordLength + strspn( word + wordLength, " " );
	}
	return false;
}

// Through links and different spellings of the path.
static bool IsSameFile( const char* a, const char* b )
{
	struct stat infoA, infoB;
	bool exist = stat( a, &infoA ) == 0 && stat( b, &infoB ) == 0;
	return exist && infoA.st_dev == infoB.st_dev && infoA.st_ino == infoB.st_ino;
}

static int CheckFolder( const char* path )
{
	char folder[PATH_MAX];
	const char* slash = strrchr( path, '/' );
	size_t length = slash != NULL ? (size_t)( slash - path ) : 0;
	if ( length >= sizeof( folder ) )
	{
		Report( path, "the path is too long" );
		return exit_output;
	}
	snprintf( folder, sizeof( folder ), "%.*s", (int)length, path );
	const char* place = slash == NULL ? "." : length == 0 ? "/" : folder;
	struct stat info;
	if ( stat( place, &info ) != 0 || S_ISDIR( info.st_mode ) == false )
	{
		Report( path, "no folder %s; create it first: mkdir -p %s", place, place );
		return exit_output;
	}
	if ( stat( path, &info ) == 0 && S_ISDIR( info.st_mode ) )
	{
		Report( path, "this is a folder; give the name of a file in it" );
		return exit_output;
	}
	return exit_ok;
}

int CheckOutput( const Command* command, const char* path, const char* extensions, const char* const* inputs,
				 int32_t inputCount )
{
	char extension[17];
	supGetExtension( path, extension );
	if ( HasExtension( extension, extensions ) == false )
	{
		return ReportUsage( command, "unknown output format '%s'; the name must end in one of: %s", path, extensions );
	}
	for ( int32_t i = 0; i < inputCount; ++i )
	{
		if ( inputs[i] != NULL && IsSameFile( path, inputs[i] ) )
		{
			return ReportUsage( command, "'%s' is also an input and would be overwritten; choose another output",
								path );
		}
	}
	return CheckFolder( path );
}

// Is this URI of the source, relative to the source's own folder, the file at `path`?
static bool IsReferredTo( const char* sourcePath, const char* uri, const char* path )
{
	char resolved[PATH_MAX];
	const char* slash = strrchr( sourcePath, '/' );
	int folderLength = slash != NULL ? (int)( slash + 1 - sourcePath ) : 0;
	char* decoded = supDecodePercent( uri );
	bool fits = decoded != NULL && snprintf( resolved, sizeof( resolved ), "%.*s%s", folderLength, sourcePath,
											 decoded ) < (int)sizeof( resolved );
	supFree( decoded );
	return fits && IsSameFile( resolved, path );
}

int CheckSideFile( const Command* command, const char* path, const Source* source )
{
	char extension[17];
	char beside[PATH_MAX];
	supGetExtension( path, extension );
	int stem = (int)( strlen( path ) - strlen( extension ) );
	bool fits = snprintf( beside, sizeof( beside ), "%.*s.bin", stem, path ) < (int)sizeof( beside );
	if ( strcmp( extension, ".gltf" ) != 0 || fits == false || IsBuiltin( source->path ) || source->document == NULL )
	{
		return exit_ok;
	}
	static const char* const lists[] = { "buffers", "images" };
	for ( int32_t l = 0; l < SUP_COUNT( lists ); ++l )
	{
		const json_t* list = json_object_get( source->document->root, lists[l] );
		for ( size_t i = 0; i < json_array_size( list ); ++i )
		{
			const char* uri = json_string_value( json_object_get( json_array_get( list, i ), "uri" ) );
			if ( uri != NULL && supIsDataUri( uri ) == false && IsReferredTo( source->path, uri, beside ) )
			{
				return ReportUsage( command,
									"'%s' goes with this output, but '%s' needs the file of that name; choose "
									"another name for the output",
									beside, source->path );
			}
		}
	}
	return exit_ok;
}

supThreadPool* StartThreads( const CommonSettings* common )
{
	supThreadPool* pool = supCreateThreadPool( common->threads );
	if ( pool == NULL )
	{
		Report( NULL, "no memory or threads left to start %d threads; try --threads 1", common->threads );
	}
	return pool;
}

uint64_t GetFileSize( const char* path )
{
	struct stat info;
	return stat( path, &info ) == 0 && S_ISREG( info.st_mode ) ? (uint64_t)info.st_size : 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Measuring

bool MeasureScene( const supCharacter* character, supPose* pose, supSkinning skinning, const supTasks* tasks,
				   SceneMeasure* measure )
{
	*measure = ( SceneMeasure ){ .bounds = supBox_empty };
	int32_t most = 0;
	for ( int32_t i = 0; i < supCharacter_MeshCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, i )->vertexCount;
		most = count > most ? count : most;
	}
	supVec3* positions = supAllocArray( (size_t)most, sizeof( supVec3 ) );
	if ( positions == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		supSkinInstance( pose, i, skinning, tasks, &( supSkinOutput ){ .positions = positions } );
		for ( int32_t v = 0; v < mesh->vertexCount; ++v )
		{
			measure->bounds = supBox_Include( measure->bounds, positions[v] );
		}
		measure->vertices += mesh->vertexCount;
		measure->triangles += mesh->indexCount / 3;
	}
	supFree( positions );
	return true;
}
