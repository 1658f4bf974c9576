// SPDX-License-Identifier: MIT
// What is known of every job: lines of the journal, claims of processes that are at work, and the outputs themselves.
#define _DEFAULT_SOURCE
#include "batch.h"
#include "report.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

// ---------------------------------------------------------------------------------------------------------------------
// Records as lines of the journal

static json_t* RealOrNull( float value )
{
	return isfinite( value ) ? json_real( (double)value ) : json_null();
}

static const struct
{
	const char* key;
	size_t offset;
} s_figures[] = {
	{ "volume_error", offsetof( JobRecord, volumeError ) },
	{ "stretch", offsetof( JobRecord, stretch ) },
	{ "penetration", offsetof( JobRecord, penetration ) },
	{ "torn", offsetof( JobRecord, torn ) },
	{ "worst", offsetof( JobRecord, worst ) },
	{ "far", offsetof( JobRecord, far ) },
	{ "alive", offsetof( JobRecord, alive ) },
	{ "worst_time", offsetof( JobRecord, worstTime ) },
	{ "seconds", offsetof( JobRecord, seconds ) },
	{ "step_ms", offsetof( JobRecord, stepMs ) },
};

static void SetText( json_t* object, const char* key, const char* text )
{
	if ( text != NULL )
	{
		json_object_set_new( object, key, json_stringn( text, strlen( text ) ) );
	}
}

char* FormatRecord( const BatchJob* job, const JobRecord* record )
{
	json_t* line = json_object();
	SetText( line, "id", job->id );
	SetText( line, "key", job->key );
	SetText( line, "name", job->name );
	json_object_set_new( line, "done", json_boolean( record->done ) );
	SetText( line, "reason", record->reason );
	SetText( line, "log", record->log );
	SetText( line, "owner", record->owner );
	SetText( line, "verdict", record->verdict );
	json_object_set_new( line, "ended", json_integer( record->ended ) );
	json_object_set_new( line, "attempt", json_integer( record->attempt ) );
	json_object_set_new( line, "memory", json_integer( record->memory ) );
	json_object_set_new( line, "seconds", RealOrNull( record->seconds ) );
	if ( record->done )
	{
		json_object_set_new( line, "frames", json_integer( record->frames ) );
		for ( int32_t i = 0; i < SUP_COUNT( s_figures ); ++i )
		{
			float value;
			memcpy( &value, (const char*)record + s_figures[i].offset, sizeof( value ) );
			json_object_set_new( line, s_figures[i].key, RealOrNull( value ) );
		}
		json_t* files = json_array();
		for ( int32_t i = 0; i < record->files.count; ++i )
		{
			const JobFile* file = record->files.data + i;
			json_array_append_new(
				files, json_pack( "[s,I,I]", file->name, (json_int_t)file->size, (json_int_t)file->modified ) );
		}
		json_object_set_new( line, "files", files );
	}
	char* text = json_dumps( line, JSON_COMPACT | JSON_REAL_PRECISION( 9 ) );
	json_decref( line );
	return text;
}

static char* CopyMember( const json_t* object, const char* key )
{
	return supCopyString( supJson_String( object, key, NULL ) );
}

static bool ParseFiles( const json_t* list, JobRecord* record )
{
	bool ok = true;
	for ( size_t i = 0; i < json_array_size( list ) && ok; ++i )
	{
		const json_t* entry = json_array_get( list, i );
		const char* name = json_string_value( json_array_get( entry, 0 ) );
		JobFile file = { .name = supCopyString( name ),
						 .size = json_integer_value( json_array_get( entry, 1 ) ),
						 .modified = json_integer_value( json_array_get( entry, 2 ) ) };
		ok = file.name != NULL && SUP_PUSH( &record->files, file );
		if ( ok == false )
		{
			supFree( file.name );
		}
	}
	return ok;
}

bool ParseRecord( const char* line, size_t length, char id[BATCH_ID_LENGTH], char key[BATCH_KEY_LENGTH],
				  JobRecord* record )
{
	*record = ( JobRecord ){ 0 };
	json_t* tree = json_loadb( line, length, 0, NULL );
	const char* idText = supJson_String( tree, "id", "" );
	const char* keyText = supJson_String( tree, "key", "" );
	bool ok = strlen( idText ) == BATCH_ID_LENGTH - 1 && strlen( keyText ) == BATCH_KEY_LENGTH - 1;
	if ( ok )
	{
		memcpy( id, idText, BATCH_ID_LENGTH );
		memcpy( key, keyText, BATCH_KEY_LENGTH );
		record->done = supJson_Bool( tree, "done", false );
		record->reason = CopyMember( tree, "reason" );
		record->log = CopyMember( tree, "log" );
		record->owner = CopyMember( tree, "owner" );
		record->verdict = CopyMember( tree, "verdict" );
		record->ended = json_integer_value( supJson_Get( tree, "ended" ) );
		record->attempt = (int32_t)json_integer_value( supJson_Get( tree, "attempt" ) );
		record->memory = json_integer_value( supJson_Get( tree, "memory" ) );
		record->frames = (int32_t)json_integer_value( supJson_Get( tree, "frames" ) );
		for ( int32_t i = 0; i < SUP_COUNT( s_figures ); ++i )
		{
			float value = (float)supJson_Number( tree, s_figures[i].key, (double)NAN );
			memcpy( (char*)record + s_figures[i].offset, &value, sizeof( value ) );
		}
		ok = ParseFiles( supJson_Get( tree, "files" ), record );
	}
	json_decref( tree );
	return ok;
}

void FreeRecord( JobRecord* record )
{
	supFree( record->reason );
	supFree( record->log );
	supFree( record->owner );
	supFree( record->verdict );
	for ( int32_t i = 0; i < record->files.count; ++i )
	{
		supFree( record->files.data[i].name );
	}
	SUP_FREE_ARRAY( &record->files );
	*record = ( JobRecord ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Jobs by their id

static bool BuildSlots( BatchState* state )
{
	int32_t count = state->plan->jobs.count;
	state->slotCount = 16;
	while ( state->slotCount < 2 * count )
	{
		state->slotCount *= 2;
	}
	state->slots = supAllocZeroed( (size_t)state->slotCount * sizeof( int32_t ) );
	for ( int32_t i = 0; state->slots != NULL && i < count; ++i )
	{
		uint64_t at = strtoull( state->plan->jobs.data[i].id, NULL, 16 ) & (uint64_t)( state->slotCount - 1 );
		while ( state->slots[at] != 0 )
		{
			at = ( at + 1 ) & (uint64_t)( state->slotCount - 1 );
		}
		state->slots[at] = i + 1;
	}
	return state->slots != NULL;
}

int32_t FindJob( const BatchState* state, const char* id )
{
	uint64_t at = strtoull( id, NULL, 16 ) & (uint64_t)( state->slotCount - 1 );
	for ( ; state->slots[at] != 0; at = ( at + 1 ) & (uint64_t)( state->slotCount - 1 ) )
	{
		if ( strcmp( state->plan->jobs.data[state->slots[at] - 1].id, id ) == 0 )
		{
			return state->slots[at] - 1;
		}
	}
	return -1;
}

// ---------------------------------------------------------------------------------------------------------------------

// Machines may see one file through different protocols: SMB keeps times to 100 ns, FUSE and SFTP often to the second.
static bool IsSameTime( int64_t a, int64_t b )
{
	const int64_t second = 1000000000;
	bool isWhole = a % second == 0 || b % second == 0;
	int64_t step = isWhole ? second : 100;
	return a / step == b / step;
}

bool IsInPlace( const BatchState* state, const JobRecord* record )
{
	bool same = record->files.count > 0;
	for ( int32_t i = 0; i < record->files.count && same; ++i )
	{
		const JobFile* file = record->files.data + i;
		char path[PATH_MAX];
		struct stat info;
		bool absolute = file->name[0] == '/';
		snprintf( path, sizeof( path ), "%s%s%s", absolute ? "" : state->plan->folder, absolute ? "" : "/",
				  file->name );
		same = stat( path, &info ) == 0 && (int64_t)info.st_size == file->size &&
			   IsSameTime( (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec, file->modified );
	}
	return same;
}

// Lines come in any order: a result in place counts most, then the latest failure.
static void TakeLine( const char* line, size_t length, void* context )
{
	BatchState* state = context;
	char id[BATCH_ID_LENGTH], key[BATCH_KEY_LENGTH];
	JobRecord record;
	int32_t job = ParseRecord( line, length, id, key, &record ) ? FindJob( state, id ) : -1;
	bool isCurrent = job >= 0 && strcmp( state->plan->jobs.data[job].key, key ) == 0 &&
					 state->states[job] != job_running && state->states[job] != job_done;
	bool isNews =
		isCurrent && ( record.done ? IsInPlace( state, &record ) : record.attempt > state->records[job].attempt );
	if ( isNews == false )
	{
		FreeRecord( &record );
		return;
	}
	FreeRecord( state->records + job );
	state->records[job] = record;
	state->states[job] = record.done ? job_done : job_failed;
}

int RefreshState( BatchState* state )
{
	return supJournal_Read( state->journal, TakeLine, state ) ? exit_ok : ReportMemory();
}

static int OpenShared( BatchState* state, double staleSeconds, bool watch )
{
	supError error = { 0 };
	state->claims = supOpenClaims( state->plan->state, staleSeconds, watch, &error );
	char* folder = JoinFolder( state->plan->state, "journal" );
	if ( state->claims != NULL && folder != NULL )
	{
		state->journal = supOpenJournal( folder, watch ? NULL : supClaims_Owner( state->claims ), &error );
	}
	supFree( folder );
	return state->journal != NULL ? exit_ok : ReportError( NULL, &error );
}

int OpenState( BatchState* state, const BatchPlan* plan, double staleSeconds, bool watch )
{
	*state = ( BatchState ){ .plan = plan };
	size_t count = (size_t)plan->jobs.count;
	state->states = supAllocZeroed( count * sizeof( JobState ) );
	state->records = supAllocZeroed( count * sizeof( JobRecord ) );
	if ( state->states == NULL || state->records == NULL || BuildSlots( state ) == false )
	{
		return ReportMemory();
	}
	int status = OpenShared( state, staleSeconds, watch );
	return status == exit_ok ? RefreshState( state ) : status;
}

void CloseState( BatchState* state )
{
	supCloseJournal( state->journal );
	supCloseClaims( state->claims );
	for ( int32_t i = 0; state->records != NULL && i < state->plan->jobs.count; ++i )
	{
		FreeRecord( state->records + i );
	}
	supFree( state->states );
	supFree( state->records );
	supFree( state->slots );
	*state = ( BatchState ){ 0 };
}

int32_t CountStates( const BatchState* state, JobState wanted )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < state->plan->jobs.count; ++i )
	{
		count += state->states[i] == wanted;
	}
	return count;
}
