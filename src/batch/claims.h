// SPDX-License-Identifier: MIT
// Who works on what, agreed on through files in a shared folder alone: no daemon, no locks, no clocks compared.
//
//     FOLDER/owners/OWNER     one per process: who and where it is, and a counter that grows while it lives
//     FOLDER/claims/ID.N      job ID is being worked on; N counts take-overs, the highest is the one that holds
//
// A claim is a file created with O_EXCL, which only one process can do. It holds while the counter of its owner grows;
// a watcher sees that by its own clock, so that clocks may differ between nodes. A process on the same machine that has
// ended is seen at once. The job of a dead owner is taken over by creating ID.(N+1): again only one can.
//
// A node that is only slow can lose its claim while it works. That costs time and nothing else, as long as results are
// put in place by renaming and have the same bytes whoever makes them.
#pragma once

#include "core/core.h"

#define SUP_OWNER_LENGTH 96
#define SUP_CLAIM_ID_LENGTH 40

typedef struct supClaims supClaims;

// Makes the folders, and checks that the file system can do what claims and results need: exclusive creation, and
// renaming over an older file. With `watch` true only looks and is no owner. NULL with an error.
supClaims* supOpenClaims( const char* folder, double staleSeconds, bool watch, supError* error );

// Removes this owner; its claims must be released before. NULL is fine.
void supCloseClaims( supClaims* claims );

// This process in files and messages: host, process, and a number that no other has.
const char* supClaims_Owner( const supClaims* claims );

// Counts on. To be called often; writes every few seconds only.
void supClaims_Beat( supClaims* claims );

// True where the job is ours now, with its generation. False without an error where somebody else is at it.
// - id has less than SUP_CLAIM_ID_LENGTH characters that file names can have
bool supClaims_Take( supClaims* claims, const char* id, int32_t* generation, supError* error );

// Removes the claim and those that it took over.
void supClaims_Release( supClaims* claims, const char* id, int32_t generation );

typedef struct supClaimInfo
{
	char owner[SUP_OWNER_LENGTH];
	char host[64];
	int64_t process;
	int64_t since; // seconds since 1970, by the owner's clock
	int64_t heard; // of its last heartbeat, by the clock of the file server; 0: unknown
	int32_t generation;
	bool isStale; // its owner has ended, or has not counted on for so long
} supClaimInfo;

// The claim that holds; false where there is none.
bool supClaims_Find( supClaims* claims, const char* id, supClaimInfo* info );

// Called with the id of a job that is claimed by somebody, perhaps more than once.
typedef void supClaimIdFcn( const char* id, void* context );

// All claims, in any order: takes as long as there are claims, however many jobs there are.
void supClaims_List( const supClaims* claims, supClaimIdFcn* take, void* context );

// Removes what processes that were killed have left among the owners: of this machine, and of others that were watched
// for long enough.
void supClaims_Sweep( supClaims* claims );
