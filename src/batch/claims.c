// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "batch/claims.h"

#include "core/array.h"
#include "core/clock.h"
#include "core/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BEATS_PER_STALE_TIME 10
#define MAX_GENERATIONS 1000
#define CARD_LENGTH 512
#define CLAIM_ATTEMPTS 3

// What an owner says of itself. Fixed width, so that it can be written over in place.
typedef struct Card
{
	char host[64];
	long long process;
	unsigned long long started; // ticks since the machine began
	char boot[64];              // one per start of a machine
	char space[64];             // in which process numbers mean something
	unsigned long long beat;
	long long heard; // when the card was written last; not on it
} Card;

// An owner as seen from here.
typedef struct Watched
{
	char owner[SUP_OWNER_LENGTH];
	unsigned long long beat; // the last that was seen
	double seen;             // when it was seen first, seconds of our clock
	bool missing;
} Watched;

struct supClaims
{
	char* folder;
	double staleSeconds;
	char owner[SUP_OWNER_LENGTH];
	Card card;
	int file; // -1: only watches
	double lastBeat;
	SUP_ARRAY( Watched ) watched;
};

static double Now( void )
{
	return 1e-3 * supGetMilliseconds();
}

// ---------------------------------------------------------------------------------------------------------------------
// Owners

// The first word of a small file, without blanks.
static void ReadWord( const char* path, char* word, size_t capacity )
{
	FILE* file = fopen( path, "re" );
	bool ok = file != NULL && fgets( word, (int)capacity, file ) != NULL;
	word[ok ? strcspn( word, " \t\r\n" ) : 0] = 0;
	if ( word[0] == 0 )
	{
		snprintf( word, capacity, "-" );
	}
	if ( file != NULL )
	{
		fclose( file );
	}
}

// When a process began, in ticks; 0 where there is none of this number.
static unsigned long long ReadStart( long long process )
{
	char path[64], text[1024];
	snprintf( path, sizeof( path ), "/proc/%lld/stat", process );
	int file = open( path, O_RDONLY | O_CLOEXEC );
	ssize_t length = file >= 0 ? read( file, text, sizeof( text ) - 1 ) : -1;
	if ( file >= 0 )
	{
		close( file );
	}
	text[length > 0 ? length : 0] = 0;
	// the name, in parentheses, may hold anything: fields count from behind it, and the start is the 20th of these
	const char* at = strrchr( text, ')' );
	for ( int32_t field = 0; at != NULL && field < 20; ++field )
	{
		at = strchr( at + 1, ' ' );
	}
	// a zombie has ended
	const char* state = strrchr( text, ')' );
	bool ended = state != NULL && state[1] == ' ' && ( state[2] == 'Z' || state[2] == 'X' );
	return at != NULL && ended == false ? strtoull( at + 1, NULL, 10 ) : 0;
}

// In a container that sees the processes of its host, our number means another one there: then nobody can look at us
// directly, and heartbeats have to do.
static unsigned long long ReadOwnStart( long long process )
{
	char text[32];
	ssize_t length = readlink( "/proc/self", text, sizeof( text ) - 1 );
	text[length > 0 ? length : 0] = 0;
	return strtoll( text, NULL, 10 ) == process ? ReadStart( process ) : 0;
}

static Card MakeCard( void )
{
	Card card = { .process = (long long)getpid() };
	if ( gethostname( card.host, sizeof( card.host ) - 1 ) != 0 || card.host[0] == 0 )
	{
		snprintf( card.host, sizeof( card.host ), "unknown" );
	}
	for ( char* c = card.host; *c != 0; ++c )
	{
		bool plain = ( *c >= 'a' && *c <= 'z' ) || ( *c >= 'A' && *c <= 'Z' ) || ( *c >= '0' && *c <= '9' ) ||
					 *c == '-' || *c == '.';
		*c = plain ? *c : '_';
	}
	card.started = ReadOwnStart( card.process );
	ReadWord( "/proc/sys/kernel/random/boot_id", card.boot, sizeof( card.boot ) );
	ssize_t length = readlink( "/proc/self/ns/pid", card.space, sizeof( card.space ) - 1 );
	snprintf( card.space + ( length > 0 ? length : 0 ), 2, length > 0 ? "" : "-" );
	return card;
}

static bool ReadCard( const supClaims* claims, const char* owner, Card* card )
{
	char path[PATH_MAX], text[CARD_LENGTH + 1];
	struct stat info;
	snprintf( path, sizeof( path ), "%s/owners/%s", claims->folder, owner );
	int file = open( path, O_RDONLY | O_CLOEXEC );
	ssize_t length = file >= 0 ? read( file, text, CARD_LENGTH ) : -1;
	*card = ( Card ){ .heard = file >= 0 && fstat( file, &info ) == 0 ? (long long)info.st_mtim.tv_sec : 0 };
	if ( file >= 0 )
	{
		close( file );
	}
	text[length > 0 ? length : 0] = 0;
	return sscanf( text, "%63s %lld %llu %63s %63s %llu", card->host, &card->process, &card->started, card->boot,
				   card->space, &card->beat ) == 6;
}

static bool WriteCard( supClaims* claims )
{
	char text[CARD_LENGTH + 1];
	const Card* card = &claims->card;
	int length = snprintf( text, sizeof( text ), "%s %lld %llu %s %s %020llu", card->host, card->process, card->started,
						   card->boot, card->space, card->beat );
	memset( text + length, ' ', (size_t)( CARD_LENGTH - length ) );
	text[CARD_LENGTH - 1] = '\n';
	return pwrite( claims->file, text, CARD_LENGTH, 0 ) == CARD_LENGTH && fsync( claims->file ) == 0;
}

static int CreateOwner( supClaims* claims )
{
	char path[PATH_MAX];
	snprintf( path, sizeof( path ), "%s/owners/%s", claims->folder, claims->owner );
	return open( path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666 );
}

void supClaims_Beat( supClaims* claims )
{
	double now = Now();
	if ( claims->file < 0 || now - claims->lastBeat < claims->staleSeconds / BEATS_PER_STALE_TIME )
	{
		return;
	}
	claims->lastBeat = now;
	claims->card.beat += 1;
	// somebody may have taken us for dead and removed the card: then it has no name, or on NFS is stale
	struct stat info;
	if ( fstat( claims->file, &info ) != 0 || info.st_nlink == 0 )
	{
		int file = CreateOwner( claims );
		if ( file >= 0 )
		{
			close( claims->file );
			claims->file = file;
		}
	}
	// where it fails others take over, which costs time only
	(void)WriteCard( claims );
}

static Watched* Watch( supClaims* claims, const char* owner )
{
	for ( int32_t i = 0; i < claims->watched.count; ++i )
	{
		if ( strcmp( claims->watched.data[i].owner, owner ) == 0 )
		{
			return claims->watched.data + i;
		}
	}
	Watched fresh = { .seen = Now() };
	snprintf( fresh.owner, sizeof( fresh.owner ), "%s", owner );
	return SUP_PUSH( &claims->watched, fresh ) ? claims->watched.data + claims->watched.count - 1 : NULL;
}

typedef enum Life
{
	life_unknown, // on another machine, or in another container
	life_alive,
	life_ended,
} Life;

// Looks at the process directly, where that can be done.
static Life FindLife( const supClaims* claims, const Card* card )
{
	bool isNear = card->started != 0 && strcmp( card->boot, "-" ) != 0 &&
				  strcmp( card->boot, claims->card.boot ) == 0 && strcmp( card->space, claims->card.space ) == 0;
	if ( isNear == false )
	{
		return life_unknown;
	}
	unsigned long long started = ReadStart( card->process );
	// processes of other users can be hidden (hidepid)
	bool isHidden = started == 0 && kill( (pid_t)card->process, 0 ) != 0 && errno == EPERM;
	return isHidden ? life_unknown : started == card->started ? life_alive : life_ended;
}

// Has this owner ended, as far as can be known from here?
static bool IsDead( supClaims* claims, const char* owner, Card* card )
{
	bool found = ReadCard( claims, owner, card );
	Life life = found ? FindLife( claims, card ) : life_unknown;
	if ( life != life_unknown )
	{
		return life == life_ended;
	}
	Watched* watched = Watch( claims, owner );
	if ( watched == NULL )
	{
		return false;
	}
	if ( watched->missing != ( found == false ) || watched->beat != card->beat )
	{
		watched->missing = found == false;
		watched->beat = card->beat;
		watched->seen = Now();
	}
	return Now() - watched->seen > claims->staleSeconds;
}

void supClaims_Sweep( supClaims* claims )
{
	char path[PATH_MAX];
	snprintf( path, sizeof( path ), "%s/owners", claims->folder );
	DIR* folder = opendir( path );
	for ( struct dirent* entry; folder != NULL && ( entry = readdir( folder ) ) != NULL; )
	{
		Card card;
		if ( entry->d_name[0] != '.' && IsDead( claims, entry->d_name, &card ) )
		{
			unlinkat( dirfd( folder ), entry->d_name, 0 );
		}
	}
	if ( folder != NULL )
	{
		closedir( folder );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Claims

static void ClaimPath( const supClaims* claims, const char* id, int32_t generation, char path[PATH_MAX] )
{
	snprintf( path, PATH_MAX, "%s/claims/%s.%d", claims->folder, id, generation );
}

// The highest generation there is, -1 for none. Released claims are removed from the highest down, so that no hole can
// be taken for the end.
static int32_t FindGeneration( const supClaims* claims, const char* id )
{
	char path[PATH_MAX];
	for ( int32_t i = 0; i < MAX_GENERATIONS; ++i )
	{
		ClaimPath( claims, id, i, path );
		if ( access( path, F_OK ) != 0 )
		{
			return i - 1;
		}
	}
	return MAX_GENERATIONS;
}

bool supClaims_Find( supClaims* claims, const char* id, supClaimInfo* info )
{
	*info = ( supClaimInfo ){ .generation = FindGeneration( claims, id ) };
	if ( info->generation < 0 )
	{
		return false;
	}
	char path[PATH_MAX];
	ClaimPath( claims, id, info->generation, path );
	FILE* file = fopen( path, "re" );
	long long since = 0;
	// an owner that was stopped between creating and filling the file is watched under the name of the claim
	int count = file != NULL ? fscanf( file, "%95s %lld", info->owner, &since ) : 0;
	if ( file != NULL )
	{
		fclose( file );
	}
	if ( count < 2 )
	{
		snprintf( info->owner, sizeof( info->owner ), "claim-%s.%d", id, info->generation );
	}
	Card card;
	info->since = since;
	info->isStale = IsDead( claims, info->owner, &card );
	info->process = card.process;
	info->heard = card.heard;
	snprintf( info->host, sizeof( info->host ), "%s", card.host );
	return true;
}

void supClaims_List( const supClaims* claims, supClaimIdFcn* take, void* context )
{
	char path[PATH_MAX];
	snprintf( path, sizeof( path ), "%s/claims", claims->folder );
	DIR* folder = opendir( path );
	for ( struct dirent* entry; folder != NULL && ( entry = readdir( folder ) ) != NULL; )
	{
		char id[SUP_CLAIM_ID_LENGTH];
		const char* dot = strrchr( entry->d_name, '.' );
		size_t length = dot != NULL ? (size_t)( dot - entry->d_name ) : 0;
		if ( entry->d_name[0] != '.' && length > 0 && length < sizeof( id ) )
		{
			memcpy( id, entry->d_name, length );
			id[length] = 0;
			take( id, context );
		}
	}
	if ( folder != NULL )
	{
		closedir( folder );
	}
}

static bool CreateClaim( const supClaims* claims, const char* id, int32_t generation, supError* error )
{
	char path[PATH_MAX], text[SUP_OWNER_LENGTH + 32];
	ClaimPath( claims, id, generation, path );
	int file = -1, reason = 0;
	for ( int32_t i = 0; i < CLAIM_ATTEMPTS && file < 0; ++i )
	{
		file = open( path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666 );
		reason = errno;
		// SFTP has one error for everything: there the file itself says that it exists, unless it was released since
		if ( file < 0 && ( reason == EEXIST || access( path, F_OK ) == 0 ) )
		{
			return false;
		}
	}
	if ( file < 0 )
	{
		return supSetError( error, sup_errorWrite, path, "cannot claim a job: %s", strerror( reason ) );
	}
	int length = snprintf( text, sizeof( text ), "%s %lld\n", claims->owner, (long long)time( NULL ) );
	bool written = write( file, text, (size_t)length ) == length;
	reason = errno;
	if ( close( file ) != 0 || written == false )
	{
		reason = written ? errno : reason;
		unlink( path );
		return supSetError( error, sup_errorWrite, path, "cannot claim a job: %s", strerror( reason ) );
	}
	return true;
}

bool supClaims_Take( supClaims* claims, const char* id, int32_t* generation, supError* error )
{
	supClaimInfo info;
	bool claimed = supClaims_Find( claims, id, &info );
	if ( claimed && ( info.isStale == false || info.generation >= MAX_GENERATIONS ) )
	{
		return false;
	}
	*generation = claimed ? info.generation + 1 : 0;
	return CreateClaim( claims, id, *generation, error );
}

void supClaims_Release( supClaims* claims, const char* id, int32_t generation )
{
	for ( int32_t i = generation; i >= 0; --i )
	{
		char path[PATH_MAX];
		ClaimPath( claims, id, i, path );
		unlink( path );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The folder

static bool MakeFolder( const char* folder, const char* name, supError* error )
{
	char path[PATH_MAX];
	snprintf( path, sizeof( path ), "%s%s%s", folder, name[0] != 0 ? "/" : "", name );
	struct stat info;
	if ( mkdir( path, 0777 ) == 0 || ( errno == EEXIST && stat( path, &info ) == 0 && S_ISDIR( info.st_mode ) ) )
	{
		return true;
	}
	return supSetError( error, sup_errorWrite, path, "cannot create this folder: %s", strerror( errno ) );
}

static bool WriteProbe( const char* path, bool fresh, supError* error )
{
	int file = open( path, O_WRONLY | O_CREAT | O_CLOEXEC | ( fresh ? O_EXCL : 0 ), 0666 );
	bool ok = file >= 0 && write( file, path, 1 ) == 1;
	int reason = errno;
	if ( file >= 0 )
	{
		ok = close( file ) == 0 && ok;
	}
	return ok || supSetError( error, sup_errorWrite, path, "cannot write here: %s", strerror( reason ) );
}

// Some shared folders cannot do what everything here stands on: better to know now than after a night.
static bool ProbeFolder( const supClaims* claims, supError* error )
{
	char first[PATH_MAX], second[PATH_MAX];
	snprintf( first, sizeof( first ), "%s/claims/probe-%s.a", claims->folder, claims->owner );
	snprintf( second, sizeof( second ), "%s/claims/probe-%s.b", claims->folder, claims->owner );
	bool ok = WriteProbe( first, true, error ) && WriteProbe( second, true, error );
	if ( ok )
	{
		int again = open( first, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666 );
		bool exclusive = again < 0;
		if ( again >= 0 )
		{
			close( again );
		}
		ok = exclusive ||
			 supSetError( error, sup_errorWrite, claims->folder,
						  "this file system has no exclusive file creation (O_EXCL), which processes need to "
						  "share jobs; use an output folder on another file system" );
	}
	if ( ok && rename( first, second ) != 0 )
	{
		ok = supSetError( error, sup_errorWrite, claims->folder,
						  "this file system cannot replace a file by renaming (%s), so results could be lost or "
						  "incomplete; use an output folder on another file system",
						  strerror( errno ) );
	}
	unlink( first );
	unlink( second );
	return ok;
}

supClaims* supOpenClaims( const char* folder, double staleSeconds, bool watch, supError* error )
{
	supClaims* claims = supAllocZeroed( sizeof( supClaims ) );
	char* copy = supCopyString( folder );
	if ( claims == NULL || copy == NULL )
	{
		supFree( claims );
		supFree( copy );
		supSetMemoryError( error );
		return NULL;
	}
	claims->folder = copy;
	claims->staleSeconds = staleSeconds;
	claims->card = MakeCard();
	claims->file = -1;
	// the moment of starting tells processes of the same number apart
	uint64_t number = supHashBytes( SUP_HASH_SEED, &claims->card, sizeof( claims->card ) );
	double moment = supGetMilliseconds();
	number = supHashBytes( number, &moment, sizeof( moment ) );
	snprintf( claims->owner, sizeof( claims->owner ), "%.40s-%lld-%08x", claims->card.host, claims->card.process,
			  (unsigned)( number >> 32 ) );
	if ( watch )
	{
		return claims;
	}
	bool ok = MakeFolder( folder, "", error ) && MakeFolder( folder, "owners", error ) &&
			  MakeFolder( folder, "claims", error ) && ProbeFolder( claims, error );
	if ( ok )
	{
		claims->file = CreateOwner( claims );
		ok = claims->file >= 0 && WriteCard( claims );
		claims->lastBeat = Now();
		ok = ok || supSetError( error, sup_errorWrite, folder, "cannot write here: %s", strerror( errno ) );
	}
	if ( ok == false )
	{
		supCloseClaims( claims );
		return NULL;
	}
	return claims;
}

void supCloseClaims( supClaims* claims )
{
	if ( claims == NULL )
	{
		return;
	}
	if ( claims->file >= 0 )
	{
		char path[PATH_MAX];
		snprintf( path, sizeof( path ), "%s/owners/%s", claims->folder, claims->owner );
		close( claims->file );
		unlink( path );
	}
	SUP_FREE_ARRAY( &claims->watched );
	supFree( claims->folder );
	supFree( claims );
}

const char* supClaims_Owner( const supClaims* claims )
{
	return claims->owner;
}
