// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "sandbox.h"

#include "core/core.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined( __SANITIZE_ADDRESS__ ) || defined( __SANITIZE_THREAD__ )
#define SANITIZED 1
#elif defined( __has_feature )
#if __has_feature( address_sanitizer ) || __has_feature( thread_sanitizer )
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

// What real files need is a tenth of it: compressed FBX of a megabyte takes 30 MB and a third of a second
#define BASE_MEMORY ( (uint64_t)320 << 20 )
#define MEMORY_PER_BYTE 128
#define MAX_MEMORY ( (uint64_t)8 << 30 )
#define BASE_SECONDS 2
#define SECONDS_PER_MEGABYTE 2
#define MAX_SECONDS 600

SandboxLimits MakeSandboxLimits( uint64_t fileBytes, double memoryMegabytes, double seconds )
{
	uint64_t size = fileBytes < MAX_MEMORY ? fileBytes : MAX_MEMORY;
	uint64_t memory = BASE_MEMORY + MEMORY_PER_BYTE * size;
	uint64_t time = BASE_SECONDS + SECONDS_PER_MEGABYTE * ( size >> 20 );
	SandboxLimits limits = { memory < MAX_MEMORY ? memory : MAX_MEMORY, time < MAX_SECONDS ? time : MAX_SECONDS };
	limits.memoryBytes = memoryMegabytes > 0.0 ? (uint64_t)( memoryMegabytes * 1048576.0 ) : limits.memoryBytes;
	limits.seconds = seconds > 0.0 ? (uint64_t)( seconds + 0.999 ) : SANITIZED ? 2 * limits.seconds : limits.seconds;
	return limits;
}

uint64_t GetPeakMemory( void )
{
	struct rusage usage;
	return getrusage( RUSAGE_SELF, &usage ) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static void SetLimit( int resource, uint64_t value, uint64_t above )
{
	struct rlimit limit = { value, value + above };
	setrlimit( (__rlimit_resource_t)resource, &limit );
}

void LimitMemory( uint64_t bytes )
{
	if ( bytes > 0 && SANITIZED == 0 )
	{
		SetLimit( RLIMIT_DATA, bytes, 0 );
	}
}

void LimitProcess( const SandboxLimits* limits, int descriptorCount )
{
	prctl( PR_SET_PDEATHSIG, SIGKILL );
	prctl( PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0 );
	close_range( (unsigned)descriptorCount, UINT_MAX, 0 );
	SetLimit( RLIMIT_CORE, 0, 0 );
	SetLimit( RLIMIT_CPU, limits->seconds, 2 );
	SetLimit( RLIMIT_FSIZE, 0, 0 );
	SetLimit( RLIMIT_NOFILE, 64, 0 );
	// sanitizers reserve terabytes of addresses
	if ( SANITIZED == 0 )
	{
		SetLimit( RLIMIT_DATA, limits->memoryBytes, 0 );
		// what is mapped but not private: the program and its libraries
		SetLimit( RLIMIT_AS, limits->memoryBytes + ( (uint64_t)1 << 30 ), 0 );
	}
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0 } };
	syscall( SYS_capset, &header, none );
}

// ---------------------------------------------------------------------------------------------------------------------
// Landlock: which files

static void ConfineFiles( const char* path, bool anyFolder )
{
	char folder[PATH_MAX] = "/";
	const char* slash = strrchr( path, '/' );
	if ( anyFolder == false )
	{
		snprintf( folder, sizeof( folder ), "%.*s", slash != NULL ? (int)( slash + 1 - path ) : 1,
				  slash != NULL ? path : "." );
	}
	struct landlock_ruleset_attr all = { .handled_access_fs = ( LANDLOCK_ACCESS_FS_MAKE_SYM << 1 ) - 1 };
	int rules = (int)syscall( SYS_landlock_create_ruleset, &all, sizeof( all ), 0 );
	int place = rules >= 0 ? open( folder, O_PATH | O_CLOEXEC ) : -1;
	struct landlock_path_beneath_attr below = { .allowed_access =
													LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
												.parent_fd = place };
	if ( place >= 0 && syscall( SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0 ) == 0 )
	{
		syscall( SYS_landlock_restrict_self, rules, 0 );
	}
	if ( place >= 0 )
	{
		close( place );
	}
	if ( rules >= 0 )
	{
		close( rules );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// seccomp: which system calls

#if defined( __x86_64__ )
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined( __aarch64__ )
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef NATIVE_ARCHITECTURE

static const int s_allowedCalls[] = {
	SYS_read,          SYS_readv,        SYS_pread64,
	SYS_write,         SYS_writev,       SYS_close,
	SYS_fstat,         SYS_newfstatat,   SYS_lseek,
	SYS_fcntl,         SYS_readlinkat,   SYS_faccessat,
	SYS_faccessat2,    SYS_statx,        SYS_getcwd,
	SYS_getdents64,
#ifdef SYS_open
	SYS_stat,          SYS_lstat,        SYS_readlink,
	SYS_access,
#endif
	SYS_brk,           SYS_mmap,         SYS_munmap,
	SYS_mremap,        SYS_mprotect,     SYS_madvise,
	SYS_futex,         SYS_sched_yield,  SYS_sched_getaffinity,
	SYS_clock_gettime, SYS_gettimeofday, SYS_getrusage,
	SYS_getrandom,     SYS_getpid,       SYS_gettid,
	SYS_tgkill,        SYS_rt_sigaction, SYS_rt_sigprocmask,
	SYS_rt_sigreturn,  SYS_exit,         SYS_exit_group,
};

static void ConfineCalls( void )
{
	enum
	{
		count = SUP_COUNT( s_allowedCalls )
	};
	struct sock_filter program[count + 16];
	unsigned length = 0;
	const struct sock_filter refuse = BPF_STMT( BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM );
	const struct sock_filter allow = BPF_STMT( BPF_RET | BPF_K, SECCOMP_RET_ALLOW );
	program[length++] = (struct sock_filter)BPF_STMT( BPF_LD | BPF_W | BPF_ABS, offsetof( struct seccomp_data, arch ) );
	program[length++] = (struct sock_filter)BPF_JUMP( BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0 );
	program[length++] = (struct sock_filter)BPF_STMT( BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS );
	program[length++] = (struct sock_filter)BPF_STMT( BPF_LD | BPF_W | BPF_ABS, offsetof( struct seccomp_data, nr ) );
	for ( unsigned i = 0; i < count; ++i )
	{
		// over the rest of these, the three of openat, and the refusal
		program[length++] = (struct sock_filter)BPF_JUMP( BPF_JMP | BPF_JEQ | BPF_K, (unsigned)s_allowedCalls[i],
														  (uint8_t)( count - 1 - i + 4 ), 0 );
	}
	// files are opened for reading only, and never made
	program[length++] = (struct sock_filter)BPF_JUMP( BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 2 );
	program[length++] =
		(struct sock_filter)BPF_STMT( BPF_LD | BPF_W | BPF_ABS, offsetof( struct seccomp_data, args[2] ) );
	program[length++] =
		(struct sock_filter)BPF_JUMP( BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1 );
	program[length++] = refuse;
	program[length++] = allow;
	struct sock_fprog filter = { .len = (unsigned short)length, .filter = program };
	prctl( PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter );
}

#else

static void ConfineCalls( void )
{
}

#endif

void ConfineProcess( const char* path, bool anyFolder )
{
	// sanitizers look at /proc and start a process that looks for leaks
	if ( SANITIZED == 0 )
	{
		ConfineFiles( path, anyFolder );
		ConfineCalls();
	}
}
