// SPDX-License-Identifier: MIT
// supple batch, in parts: the manifest, the jobs that it stands for, running them, looking at what came of them.
//
//     manifest (rows) -> plan (jobs with keys) -> state (what is done) -> run (builders and bakes as child processes)
//
// What is done is kept in FOLDER/.supple-batch, beside the outputs; see src/batch/ for how processes share it.
#pragma once

#include "bake.h"
#include "batch/claims.h"
#include "batch/file_cache.h"
#include "batch/journal.h"
#include "batch/shard.h"
#include "io/common/json.h"

#define BATCH_FOLDER ".supple-batch"
#define BATCH_KEY_LENGTH 33
#define BATCH_ID_LENGTH 17

// ---------------------------------------------------------------------------------------------------------------------
// Manifest (batch_manifest.c)

// A place in the manifest, counted from 1; line 0: none.
typedef struct ManifestPlace
{
	int32_t line, column;
} ManifestPlace;

// One key of a row with all values that it may take. A list of settings (the key "set") is one value with its parts
// separated by line breaks.
typedef struct ManifestField
{
	const char* name;        // of the option, or "character"
	const ArgOption* option; // of bake; NULL for "character"
	ManifestPlace place;
	SUP_ARRAY( char* ) values;
} ManifestField;

typedef struct ManifestRow
{
	ManifestPlace place;
	SUP_ARRAY( ManifestField ) fields;
} ManifestRow;

typedef struct Manifest
{
	const char* path;
	char* folder; // that paths in it are relative to; "" for the present one
	SUP_ARRAY( ManifestRow ) rows;
} Manifest;

// JSON lines, a JSON array, CSV with a header, or a folder of characters. Returns exit_ok or what to exit with, after
// naming line and column of everything that is wrong.
int ReadManifest( const char* path, Manifest* manifest );
void FreeManifest( Manifest* manifest );

// "jobs.jsonl:12:7"
void FormatPlace( const Manifest* manifest, ManifestPlace place, char* text, size_t capacity );

// ---------------------------------------------------------------------------------------------------------------------
// Plan (batch_plan.c, batch_expand.c)

// One bake.
typedef struct BatchJob
{
	ManifestPlace place;
	char* character; // path
	char* output;    // path
	char* name;      // of the output, relative to the folder
	char** words;    // as on the command line of bake, without the character and --output
	int32_t wordCount;
	char* clip; // for people
	char* method;
	int32_t group;              // jobs that share their flesh
	char id[BATCH_ID_LENGTH];   // of the output
	char key[BATCH_KEY_LENGTH]; // of everything that the result depends on
	uint64_t flesh[2];          // of everything that the flesh depends on
} BatchJob;

typedef struct BatchPlan
{
	Manifest manifest;
	char* folder; // of outputs
	char* state;  // folder/.supple-batch
	supFileCache* cache;
	SUP_ARRAY( BatchJob ) jobs; // those of one group follow each other
	int32_t groupCount;
	char* listed;  // the character whose clips were listed last
	json_t* clips; // these
} BatchPlan;

// Reads the manifest, expands it, and hashes all inputs. `output` may be NULL: beside the manifest. Returns
// exit_ok or what to exit with.
int MakePlan( const char* manifest, const char* output, BatchPlan* plan );
void FreePlan( BatchPlan* plan );

// batch.c: the bake as the user would type it by hand, on stdout.
void PrintJob( const BatchJob* job );

// batch_expand.c: all jobs of a row. Problems are counted and explained. False when out of memory.
bool ExpandRow( BatchPlan* plan, const ManifestRow* row, int32_t* problems );

// What is known of a file as it is now, found out once and kept; NULL without. Give back with json_decref.
json_t* GetFileNote( BatchPlan* plan, const char* path, const char* key );
void SetFileNote( BatchPlan* plan, const char* path, const char* key, json_t* value );

// "folder/name", or the name alone where it is absolute. Free with supFree.
char* JoinFolder( const char* folder, const char* name );

// ---------------------------------------------------------------------------------------------------------------------
// State (batch_state.c)

typedef enum JobState
{
	job_missing, // nothing known of it, or its inputs have changed
	job_done,
	job_failed,
	job_running, // here
	job_elsewhere,
	job_stateCount,
} JobState;

typedef struct JobFile
{
	char* name; // relative to the folder of outputs
	int64_t size, modified;
} JobFile;

// What is known of a job that has ended.
typedef struct JobRecord
{
	bool done;
	char* reason; // of a failure
	char* log;    // relative to the folder of state
	char* verdict;
	SUP_ARRAY( JobFile ) files;
	int32_t frames;
	float volumeError, stretch, penetration, torn, worst, far, alive;
	float worstTime; // the frame that a supervisor should look at
	float seconds;   // of the whole job
	float stepMs;
	int64_t memory; // bytes at most
	int64_t ended;  // seconds since 1970
	int32_t attempt;
	char* owner;
} JobRecord;

typedef struct BatchState
{
	const BatchPlan* plan;
	supClaims* claims;
	supJournal* journal;
	JobState* states;   // per job
	JobRecord* records; // per job
	int32_t* slots;     // hash of ids
	int32_t slotCount;
} BatchState;

// Opens what there is and reads it. With `watch` changes nothing. Returns exit_ok or what to exit with.
int OpenState( BatchState* state, const BatchPlan* plan, double staleSeconds, bool watch );
void CloseState( BatchState* state );

// What others have done since.
int RefreshState( BatchState* state );

// The index of the job with this id, -1 for none.
int32_t FindJob( const BatchState* state, const char* id );

// Is the result of the record in place as it was written?
bool IsInPlace( const BatchState* state, const JobRecord* record );

// The line of the journal.
char* FormatRecord( const BatchJob* job, const JobRecord* record );
bool ParseRecord( const char* line, size_t length, char id[BATCH_ID_LENGTH], char key[BATCH_KEY_LENGTH],
				  JobRecord* record );
void FreeRecord( JobRecord* record );

int32_t CountStates( const BatchState* state, JobState wanted );

// ---------------------------------------------------------------------------------------------------------------------
// Workers (batch_worker.c)

typedef struct WorkerLimits
{
	double memoryMegabytes; // 0: none
	double seconds;         // of one job; 0: none
} WorkerLimits;

typedef enum MessageKind
{
	message_run,    // driver to builder: bake this job
	message_ready,  // builder to driver: the flesh is there
	message_result, // bake to driver: a line for the journal
	message_ended,  // builder to driver: the bake's process has ended
} MessageKind;

#define MAX_RESULT 60000

typedef struct WorkerMessage
{
	MessageKind kind;
	int32_t job;
	int32_t generation; // of the claim
	int32_t attempt;
	int32_t status; // of wait
	bool timedOut;
	int64_t memory;
	double seconds;   // of building
	double processor; // seconds of it that building or the bake took
	char text[MAX_RESULT];
} WorkerMessage;

bool SendMessage( int socket, const WorkerMessage* message );
// False where the other side has gone.
bool ReceiveMessage( int socket, WorkerMessage* message );

typedef struct WorkerSetup
{
	const BatchPlan* plan;
	const CommonSettings* common; // with the threads of one job
	WorkerLimits limits;
	char owner[SUP_OWNER_LENGTH];
	int64_t driver; // its process
} WorkerSetup;

// The life of a builder, in a process of its own: loads the character of the job, builds its flesh, then forks for each
// bake that it is sent. Never returns.
_Noreturn void RunBuilder( const WorkerSetup* setup, int32_t job, int socket );

// Logs, relative to the folder of state.
void FormatBuildLog( const BatchJob* job, char name[64] );
void FormatBakeLog( const BatchJob* job, char name[64] );

// Where a claim's files are until they are complete: a folder beside the output. Free with supFree.
char* MakeStagingPath( const BatchJob* job, int32_t generation );
void RemoveStaging( const BatchJob* job, int32_t generation );

// ---------------------------------------------------------------------------------------------------------------------
// Running (batch_run.c, batch_queue.c, batch_table.c)

typedef struct RunSettings
{
	CommonSettings common;
	int32_t workers;
	WorkerLimits limits;
	supShard shard;
	bool noWait;
	bool retry;
	bool force;
} RunSettings;

// What the work itself took, of this process alone.
typedef struct RunTimes
{
	double baking, building;                   // seconds, of all workers together
	double bakingProcessor, buildingProcessor; // of these, of processors
} RunTimes;

// Returns exit_ok or what to exit with.
int RunBatchJobs( BatchState* state, const RunSettings* settings, RunTimes* times );

// What the user sees while it runs: a live table on a terminal, lines elsewhere, JSON lines with --json.
typedef struct BatchTable
{
	const CommonSettings* common;
	bool isLive;
	int32_t drawnLines;
	double started, drawn; // GetSeconds
} BatchTable;

// What a worker is at.
typedef struct TableRow
{
	const char* doing; // "baking", "building flesh"
	const char* name;
	double started; // GetSeconds
} TableRow;

typedef struct TableCounts
{
	int32_t total, done, failed, elsewhere;
	int32_t endedHere; // since the start
	int32_t left;      // that nobody is at
} TableCounts;

void BeginTable( BatchTable* table, const CommonSettings* common );
// A job that has ended.
void ShowJob( BatchTable* table, const BatchJob* job, const JobRecord* record, const TableCounts* counts );
void UpdateTable( BatchTable* table, const TableRow* rows, int32_t rowCount, const TableCounts* counts );
void EndTable( BatchTable* table );

extern const Command g_batchStatusCommand;
extern const Command g_batchReportCommand;
extern const Command g_batchSubmitCommand;
