// SPDX-License-Identifier: MIT
// What the importer's process may do: read the folder of its file, compute, and write into its pipe. Nothing else, so
// that a file that takes the importer over gains nothing.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct SandboxLimits
{
	uint64_t memoryBytes; // heap and other private memory
	uint64_t seconds;     // of processor time
} SandboxLimits;

// In proportion to the size of the file; a number above 0 replaces what would be taken.
SandboxLimits MakeSandboxLimits( uint64_t fileBytes, double memoryMegabytes, double seconds );

// Limits of memory, time, files and open descriptors; no privileges; no descriptor but the first `descriptorCount`.
// From here on for good.
void LimitProcess( const SandboxLimits* limits, int descriptorCount );

// Private memory that this process, and each of its children, may take; 0: any. Not under sanitizers, which reserve
// terabytes.
void LimitMemory( uint64_t bytes );

// Where the system knows how: only files below the folder of `path` can be opened (all, with `anyFolder`), only for
// reading (Landlock); and no system calls but those that reading, computing and writing take (seccomp): no network, no
// processes, no new files.
void ConfineProcess( const char* path, bool anyFolder );

// The most memory the process has had, bytes.
uint64_t GetPeakMemory( void );
