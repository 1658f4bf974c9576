// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "isolate.h"

#include "core/core.h"
#include "io/common/file.h"
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

// where the child finds its end of the pipe
#define CHILD_DESCRIPTOR 3

// the processor's seconds run more slowly where the machine is busy
#define WALL_PER_CPU_SECOND 10
#define MAX_MESSAGE ( (size_t)4 << 30 )

// What the child writes: this, then either a supError, or the notes (a byte `repaired`, 4 bytes length, text) and the
// GLB. Both sides are the same program on the same machine, so that plain structures do.
typedef struct Header
{
	char magic[8];
	uint32_t failed;
	float unitScale;
	uint32_t noteCount;
	uint32_t padding;
	uint64_t noteBytes;
	uint64_t glbBytes;
} Header;

static const char s_magic[8] = "SUPIMP1";

// ---------------------------------------------------------------------------------------------------------------------
// Child

static bool WriteAll( int descriptor, const void* bytes, size_t count )
{
	const char* at = bytes;
	while ( count > 0 )
	{
		ssize_t written = write( descriptor, at, count );
		if ( written < 0 && errno == EINTR )
		{
			continue;
		}
		if ( written <= 0 )
		{
			return false;
		}
		at += written;
		count -= (size_t)written;
	}
	return true;
}

static int SendError( const supError* error )
{
	Header header = { .failed = 1 };
	memcpy( header.magic, s_magic, sizeof( s_magic ) );
	bool ok = WriteAll( CHILD_DESCRIPTOR, &header, sizeof( header ) ) &&
			  WriteAll( CHILD_DESCRIPTOR, error, sizeof( *error ) );
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool SendNotes( const supCharacter* character )
{
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		const supNote* note = supCharacter_Note( character, i );
		uint8_t repaired = note->repaired;
		uint32_t length = (uint32_t)strlen( note->text );
		if ( WriteAll( CHILD_DESCRIPTOR, &repaired, 1 ) == false ||
			 WriteAll( CHILD_DESCRIPTOR, &length, sizeof( length ) ) == false ||
			 WriteAll( CHILD_DESCRIPTOR, note->text, length ) == false )
		{
			return false;
		}
	}
	return true;
}

static int SendCharacter( const supCharacter* character, const uint8_t* glb, size_t glbBytes )
{
	Header header = { .unitScale = supCharacter_UnitScale( character ), .glbBytes = glbBytes };
	memcpy( header.magic, s_magic, sizeof( s_magic ) );
	header.noteCount = (uint32_t)supCharacter_NoteCount( character );
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		header.noteBytes += 1 + sizeof( uint32_t ) + strlen( supCharacter_Note( character, i )->text );
	}
	bool ok = WriteAll( CHILD_DESCRIPTOR, &header, sizeof( header ) ) && SendNotes( character ) &&
			  WriteAll( CHILD_DESCRIPTOR, glb, glbBytes );
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

// An importer that ran out of what it may take fails in many ways, none of which says so.
static void ExplainFailure( const SandboxLimits* limits, const char* path, supError* error )
{
	bool starved = error->code == sup_errorMemory || GetPeakMemory() > limits->memoryBytes / 2;
	if ( starved && error->code != sup_errorTooLarge )
	{
		supClearError( error );
		supSetError( error, sup_errorTooLarge, path,
					 "reading the file exceeds %llu MB, the limit for its size; it is probably damaged. "
					 "--import-memory raises the limit",
					 (unsigned long long)( limits->memoryBytes >> 20 ) );
	}
}

int RunImportChild( int argc, char** argv )
{
	if ( argc != 6 || fcntl( CHILD_DESCRIPTOR, F_GETFD ) < 0 )
	{
		fprintf( stderr, "supple: this subcommand is for Supple's own use\n" );
		return EXIT_FAILURE;
	}
	const char* path = argv[2];
	supLoadDef def = supDefaultLoadDef();
	def.allowOutside = argv[3][0] == '1';
	SandboxLimits limits = { strtoull( argv[4], NULL, 10 ), strtoull( argv[5], NULL, 10 ) };
	def.maxMemory = limits.memoryBytes;
	LimitProcess( &limits, CHILD_DESCRIPTOR + 1 );
	ConfineProcess( path, def.allowOutside );
	supError error = { 0 };
	supCharacter* character = supLoadCharacterWith( path, &def, &error );
	supDocument* document = character != NULL ? supCreateDocument( character, &error ) : NULL;
	size_t glbBytes = 0;
	uint8_t* glb = document != NULL ? supWriteDocument( document, &glbBytes, &error ) : NULL;
	if ( glb == NULL )
	{
		ExplainFailure( &limits, path, &error );
	}
	int result = glb != NULL ? SendCharacter( character, glb, glbBytes ) : SendError( &error );
	supFree( glb );
	supDestroyDocument( document );
	supDestroyCharacter( character );
	return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Parent

// Starts this program again. The reading end of the pipe, -1 with an error.
static int StartChild( const char* path, const ImportLimits* import, const SandboxLimits* limits, pid_t* child,
					   supError* error )
{
	int ends[2];
	if ( pipe2( ends, O_CLOEXEC ) != 0 )
	{
		supSetError( error, sup_errorRead, path, "cannot start the importer: %s", strerror( errno ) );
		return -1;
	}
	// above the child's descriptor, so that dup2 does not step on it
	int writing = fcntl( ends[1], F_DUPFD_CLOEXEC, CHILD_DESCRIPTOR + 1 );
	close( ends[1] );
	char command[] = IMPORT_COMMAND;
	char name[] = "supple";
	char* copy = supCopyString( path );
	char outside[] = { import->allowOutside ? '1' : '0', 0 };
	char memory[24], seconds[24];
	snprintf( memory, sizeof( memory ), "%llu", (unsigned long long)limits->memoryBytes );
	snprintf( seconds, sizeof( seconds ), "%llu", (unsigned long long)limits->seconds );
	char* arguments[] = { name, command, copy, outside, memory, seconds, NULL };
	posix_spawn_file_actions_t actions;
	int failure = writing < 0 || copy == NULL ? ENOMEM : posix_spawn_file_actions_init( &actions );
	if ( failure == 0 )
	{
		posix_spawn_file_actions_adddup2( &actions, writing, CHILD_DESCRIPTOR );
		// what assimp has to say is in its error text
		posix_spawn_file_actions_addopen( &actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0 );
		posix_spawn_file_actions_addopen( &actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0 );
		failure = posix_spawn( child, "/proc/self/exe", &actions, NULL, arguments, environ );
		posix_spawn_file_actions_destroy( &actions );
	}
	supFree( copy );
	if ( writing >= 0 )
	{
		close( writing );
	}
	if ( failure != 0 )
	{
		supSetError( error, sup_errorRead, path, "cannot start the importer: %s", strerror( failure ) );
		close( ends[0] );
		return -1;
	}
	return ends[0];
}

typedef struct Message
{
	uint8_t* bytes;
	size_t count;
	size_t capacity;
} Message;

static bool MakeRoom( Message* message )
{
	if ( message->count < message->capacity )
	{
		return true;
	}
	size_t capacity = message->capacity > 0 ? 2 * message->capacity : (size_t)1 << 16;
	uint8_t* bytes = capacity <= MAX_MESSAGE ? supAlloc( capacity ) : NULL;
	if ( bytes == NULL )
	{
		return false;
	}
	if ( message->count > 0 )
	{
		memcpy( bytes, message->bytes, message->count );
	}
	supFree( message->bytes );
	message->bytes = bytes;
	message->capacity = capacity;
	return true;
}

static double Now( void )
{
	struct timespec time;
	clock_gettime( CLOCK_MONOTONIC, &time );
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

typedef enum Outcome
{
	OutcomeEnd,
	OutcomeTimeout,
	OutcomeMemory,
	OutcomeFailure,
} Outcome;

// Everything until the child closes its end.
static Outcome ReadMessage( int descriptor, double wallSeconds, Message* message )
{
	double end = Now() + wallSeconds;
	for ( ;; )
	{
		double left = end - Now();
		struct pollfd entry = { .fd = descriptor, .events = POLLIN };
		int ready = left > 0.0 ? poll( &entry, 1, (int)( 1000.0 * left ) + 1 ) : 0;
		if ( ready == 0 )
		{
			return OutcomeTimeout;
		}
		if ( ready < 0 && errno == EINTR )
		{
			continue;
		}
		if ( MakeRoom( message ) == false )
		{
			return OutcomeMemory;
		}
		ssize_t count = read( descriptor, message->bytes + message->count, message->capacity - message->count );
		if ( count < 0 && errno == EINTR )
		{
			continue;
		}
		if ( count <= 0 )
		{
			return count == 0 ? OutcomeEnd : OutcomeFailure;
		}
		message->count += (size_t)count;
	}
}

static int WaitFor( pid_t child )
{
	int status = 0;
	while ( waitpid( child, &status, 0 ) < 0 && errno == EINTR )
	{
	}
	return status;
}

static bool ReportDeath( const char* path, const SandboxLimits* limits, Outcome outcome, int status, supError* error )
{
	static const char remedy[] = "the file is probably damaged. Export it again, or convert it to .glb";
	if ( outcome == OutcomeMemory )
	{
		return supSetMemoryError( error );
	}
	bool outOfTime = outcome == OutcomeTimeout || ( WIFSIGNALED( status ) && WTERMSIG( status ) == SIGXCPU );
	if ( outOfTime )
	{
		return supSetError( error, sup_errorFormat, path,
							"the importer was stopped after %llu s, the limit for a file of this size; %s. "
							"--import-seconds raises the limit",
							(unsigned long long)limits->seconds, remedy );
	}
	if ( WIFSIGNALED( status ) )
	{
		return supSetError( error, sup_errorFormat, path,
							"the importer crashed (signal %d), with a limit of %llu MB (--import-memory); %s",
							WTERMSIG( status ), (unsigned long long)( limits->memoryBytes >> 20 ), remedy );
	}
	return supSetError( error, sup_errorFormat, path, "the importer failed (exit code %d); %s", WEXITSTATUS( status ),
						remedy );
}

// ---------------------------------------------------------------------------------------------------------------------
// The character again

typedef struct NoteList
{
	int32_t count;
	supNote* notes;
	char* text; // of all notes
} NoteList;

static bool HasNote( const supCharacter* character, const char* text )
{
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		if ( strcmp( supCharacter_Note( character, i )->text, text ) == 0 )
		{
			return true;
		}
	}
	return false;
}

static void FreeNotes( NoteList* list )
{
	supFree( list->notes );
	supFree( list->text );
	*list = ( NoteList ){ 0 };
}

// Notes of the child, less those that the character earns again on its own.
static bool ReadNotes( const Header* header, const uint8_t* bytes, const supCharacter* character, NoteList* list,
					   supError* error )
{
	size_t left = header->noteBytes;
	// every note takes at least five bytes, so that these are bounded by what arrived
	list->notes = supAllocArray( left / 5 + 1, sizeof( supNote ) );
	list->text = supAllocSmall( left + 1 );
	if ( list->notes == NULL || list->text == NULL )
	{
		return supSetMemoryError( error );
	}
	char* text = list->text;
	for ( uint32_t i = 0; i < header->noteCount; ++i )
	{
		uint32_t length;
		if ( left < 1 + sizeof( length ) )
		{
			return false;
		}
		memcpy( &length, bytes + 1, sizeof( length ) );
		if ( length > left - 1 - sizeof( length ) )
		{
			return false;
		}
		memcpy( text, bytes + 1 + sizeof( length ), length );
		text[length] = 0;
		if ( HasNote( character, text ) == false )
		{
			list->notes[list->count++] = ( supNote ){ bytes[0] != 0, text };
			text += length + 1;
		}
		bytes += 1 + sizeof( length ) + length;
		left -= 1 + sizeof( length ) + length;
	}
	return true;
}

// Arrays of a character's parts, one kind after another.
#define COPY_PARTS( type, plural, count, get )                                                                         \
	type* plural = supAllocArray( (size_t)count( character ) + 1, sizeof( type ) );                                    \
	for ( int32_t i = 0; plural != NULL && i < count( character ); ++i )                                               \
	{                                                                                                                  \
		plural[i] = *get( character, i );                                                                              \
	}

static const char* FileName( const char* path )
{
	const char* slash = strrchr( path, '/' );
	return slash != NULL ? slash + 1 : path;
}

// The same character with name, unit and notes of the child, which a GLB does not hold.
static supCharacter* AddNotes( const supCharacter* character, const char* name, const NoteList* list, float unitScale,
							   supError* error )
{
	COPY_PARTS( supNode, nodes, supCharacter_NodeCount, supCharacter_Node )
	COPY_PARTS( supSkin, skins, supCharacter_SkinCount, supCharacter_Skin )
	COPY_PARTS( supMesh, meshes, supCharacter_MeshCount, supCharacter_Mesh )
	COPY_PARTS( supInstance, instances, supCharacter_InstanceCount, supCharacter_Instance )
	COPY_PARTS( supMaterial, materials, supCharacter_MaterialCount, supCharacter_Material )
	COPY_PARTS( supImage, images, supCharacter_ImageCount, supCharacter_Image )
	COPY_PARTS( supClip, clips, supCharacter_ClipCount, supCharacter_Clip )
	supCharacter* result = NULL;
	if ( nodes == NULL || skins == NULL || meshes == NULL || instances == NULL || materials == NULL || images == NULL ||
		 clips == NULL )
	{
		supSetMemoryError( error );
	}
	else
	{
		supCharacterDef def = supDefaultCharacterDef();
		def.name = name;
		def.nodeCount = supCharacter_NodeCount( character );
		def.nodes = nodes;
		def.skinCount = supCharacter_SkinCount( character );
		def.skins = skins;
		def.meshCount = supCharacter_MeshCount( character );
		def.meshes = meshes;
		def.instanceCount = supCharacter_InstanceCount( character );
		def.instances = instances;
		def.materialCount = supCharacter_MaterialCount( character );
		def.materials = materials;
		def.imageCount = supCharacter_ImageCount( character );
		def.images = images;
		def.clipCount = supCharacter_ClipCount( character );
		def.clips = clips;
		def.noteCount = list->count;
		def.notes = list->notes;
		def.unitScale = unitScale;
		result = supCreateCharacter( &def, error );
	}
	supFree( nodes );
	supFree( skins );
	supFree( meshes );
	supFree( instances );
	supFree( materials );
	supFree( images );
	supFree( clips );
	return result;
}

static supCharacter* ParseGlb( const char* path, const Header* header, const uint8_t* payload, supError* error )
{
	const uint8_t* glb = payload + header->noteBytes;
	supDocument* document = supParseDocument( glb, (size_t)header->glbBytes, FileName( path ), NULL, NULL, error );
	supCharacter* bare = document != NULL ? supDocument_CreateCharacter( document, error ) : NULL;
	NoteList list = { 0 };
	supCharacter* character = NULL;
	if ( bare != NULL && ReadNotes( header, payload, bare, &list, error ) )
	{
		character = AddNotes( bare, FileName( path ), &list, header->unitScale, error );
	}
	FreeNotes( &list );
	supDestroyCharacter( bare );
	supDestroyDocument( document );
	return character;
}

// True where the message is whole; what the child says is checked all the same.
static bool ParseMessage( const char* path, const Message* message, supCharacter** character, supError* error )
{
	Header header;
	if ( message->count < sizeof( header ) )
	{
		return false;
	}
	memcpy( &header, message->bytes, sizeof( header ) );
	const uint8_t* payload = message->bytes + sizeof( header );
	size_t left = message->count - sizeof( header );
	if ( memcmp( header.magic, s_magic, sizeof( s_magic ) ) != 0 )
	{
		return false;
	}
	if ( header.failed != 0 )
	{
		supError reported;
		if ( left != sizeof( reported ) )
		{
			return false;
		}
		memcpy( &reported, payload, sizeof( reported ) );
		reported.message[sizeof( reported.message ) - 1] = 0;
		reported.where[sizeof( reported.where ) - 1] = 0;
		supSetError( error, reported.code, reported.where, "%s", reported.message );
		return true;
	}
	if ( header.noteBytes > left || header.glbBytes != left - header.noteBytes )
	{
		return false;
	}
	*character = ParseGlb( path, &header, payload, error );
	return *character != NULL || ( error != NULL && error->code != sup_errorNone );
}

static supCharacter* LoadInChild( const char* path, const ImportLimits* import, supError* error )
{
	struct stat info;
	uint64_t size = stat( path, &info ) == 0 && info.st_size > 0 ? (uint64_t)info.st_size : 0;
	SandboxLimits limits = MakeSandboxLimits( size, import->memoryMegabytes, import->seconds );
	pid_t child;
	int reading = StartChild( path, import, &limits, &child, error );
	if ( reading < 0 )
	{
		return NULL;
	}
	Message message = { 0 };
	Outcome outcome = ReadMessage( reading, WALL_PER_CPU_SECOND * (double)limits.seconds, &message );
	if ( outcome != OutcomeEnd )
	{
		kill( child, SIGKILL );
	}
	close( reading );
	int status = WaitFor( child );
	supCharacter* character = NULL;
	if ( outcome != OutcomeEnd || ParseMessage( path, &message, &character, error ) == false )
	{
		ReportDeath( path, &limits, outcome, status, error );
	}
	supFree( message.bytes );
	return character;
}

supCharacter* IsolatedLoadCharacter( const char* path, const ImportLimits* limits, supError* error )
{
	static const char* const own[] = { ".glb", ".gltf", ".vrm", ".bvh" };
	static const ImportLimits usual;
	limits = limits != NULL ? limits : &usual;
	supClearError( error );
	char extension[17];
	supGetExtension( path, extension );
	for ( int32_t i = 0; i < SUP_COUNT( own ); ++i )
	{
		if ( strcmp( extension, own[i] ) == 0 )
		{
			supLoadDef def = supDefaultLoadDef();
			def.allowOutside = limits->allowOutside;
			return supLoadCharacterWith( path, &def, error );
		}
	}
	// the caller may not want to know why, but whether there was a reason tells how the child ended
	supError local = { 0 };
	supCharacter* character = LoadInChild( path, limits, error != NULL ? error : &local );
	return character;
}
