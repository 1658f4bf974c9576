// SPDX-License-Identifier: MIT
// What has been done, one line each: every process appends to a file of its own in a shared folder, and reads those of
// all others. Lines of different writers never mix, and unfinished lines of a killed writer are skipped.
#pragma once

#include "core/core.h"

typedef struct supJournal supJournal;

// Called with each complete line, without its end.
typedef void supJournalLineFcn( const char* line, size_t length, void* context );

// Makes the folder. `writer` names the file of this process; NULL only reads, also where there is no folder.
supJournal* supOpenJournal( const char* folder, const char* writer, supError* error );

// Writes out what was appended. NULL is fine.
void supCloseJournal( supJournal* journal );

// What has come since the last time, ours included. False when out of memory.
bool supJournal_Read( supJournal* journal, supJournalLineFcn* take, void* context );

// Kept in memory until supJournal_Flush; a line holds no line breaks. False when out of memory.
bool supJournal_Append( supJournal* journal, const char* line );

// On disk, and visible to others. False with an error, after which nothing more should be appended.
bool supJournal_Flush( supJournal* journal, supError* error );
