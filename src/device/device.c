// SPDX-License-Identifier: MIT
#include "device/device.h"

#include <stdio.h>

#define MAX_PLATFORMS 16
#define MAX_DEVICES 32

// ---------------------------------------------------------------------------------------------------------------------
// What there is

static void ReadText( const supOpenCl* cl, supClObject id, uint32_t name, char* text, size_t size )
{
	memset( text, 0, size );
	if ( cl->GetDeviceInfo( id, name, size - 1, text, NULL ) != sup_clSuccess )
	{
		snprintf( text, size, "unknown" );
	}
}

static uint64_t ReadNumber( const supOpenCl* cl, supClObject id, uint32_t name, size_t size )
{
	// devices are little-endian as we are
	uint64_t value = 0;
	return cl->GetDeviceInfo( id, name, size, &value, NULL ) == sup_clSuccess ? value : 0;
}

// What keeps a device from computing the CPU's bits; NULL: nothing.
static const char* FindProblem( const supOpenCl* cl, supClObject id )
{
	uint64_t single = ReadNumber( cl, id, sup_clDeviceSingleConfig, 8 );
	uint64_t wide = ReadNumber( cl, id, sup_clDeviceDoubleConfig, 8 );
	uint64_t basic = sup_clHasDenormals | sup_clHasInfinity | sup_clRoundsToNearest;
	return ( wide & basic ) != basic     ? "no double precision"
		   : ( single & basic ) != basic ? "floats are not rounded as IEEE 754 requires, or denormals are flushed"
		   : ( single & sup_clRoundsDivision ) == 0 ? "division and square root are not correctly rounded"
													: NULL;
}

// What keeps a device from running at all; NULL: nothing.
static const char* FindDefect( const supOpenCl* cl, supClObject id, const supDeviceInfo* info )
{
	return ReadNumber( cl, id, sup_clDeviceIsAvailable, 4 ) == 0        ? "the driver says it is not available"
		   : ReadNumber( cl, id, sup_clDeviceHasCompiler, 4 ) == 0      ? "its driver has no compiler"
		   : ReadNumber( cl, id, sup_clDeviceIsLittleEndian, 4 ) == 0   ? "it is big-endian"
		   : info->localMemory < 4096                                   ? "it has no local memory"
		   : ( ReadNumber( cl, id, sup_clDeviceDoubleConfig, 8 ) == 0 ) ? "it has no double precision"
																		: NULL;
}

static void FillInfo( const supOpenCl* cl, supClObject platform, supClObject id, supDeviceInfo* info )
{
	*info = ( supDeviceInfo ){ 0 };
	ReadText( cl, id, sup_clDeviceName, info->name, sizeof( info->name ) );
	ReadText( cl, id, sup_clDriverVersion, info->driver, sizeof( info->driver ) );
	cl->GetPlatformInfo( platform, sup_clPlatformName, sizeof( info->platform ) - 1, info->platform, NULL );
	info->isGpu = ( ReadNumber( cl, id, sup_clDeviceType, 8 ) & sup_clDeviceTypeGpu ) != 0;
	info->computeUnits = (int32_t)ReadNumber( cl, id, sup_clDeviceComputeUnits, 4 );
	info->memory = (int64_t)ReadNumber( cl, id, sup_clDeviceMemorySize, 8 );
	info->largestBuffer = (int64_t)ReadNumber( cl, id, sup_clDeviceMaxAllocation, 8 );
	info->localMemory = (int64_t)ReadNumber( cl, id, sup_clDeviceLocalSize, 8 );
	const char* defect = FindDefect( cl, id, info );
	const char* problem = defect != NULL ? defect : FindProblem( cl, id );
	info->isExact = problem == NULL;
	snprintf( info->problem, sizeof( info->problem ), "%s", problem != NULL ? problem : "" );
}

typedef struct Found
{
	int32_t count;
	supClObject platforms[MAX_DEVICES];
	supClObject ids[MAX_DEVICES];
} Found;

static bool FindDevices( const supOpenCl* cl, Found* found, supError* error )
{
	supClObject platforms[MAX_PLATFORMS];
	uint32_t platformCount = 0;
	int32_t status = cl->GetPlatformIDs( MAX_PLATFORMS, platforms, &platformCount );
	platformCount = status != sup_clSuccess ? 0 : ( platformCount < MAX_PLATFORMS ? platformCount : MAX_PLATFORMS );
	found->count = 0;
	for ( uint32_t i = 0; i < platformCount; ++i )
	{
		supClObject ids[MAX_DEVICES];
		uint32_t count = 0;
		uint64_t types = sup_clDeviceTypeCpu | sup_clDeviceTypeGpu | sup_clDeviceTypeAccelerator;
		if ( cl->GetDeviceIDs( platforms[i], types, MAX_DEVICES, ids, &count ) != sup_clSuccess )
		{
			continue;
		}
		for ( uint32_t k = 0; k < count && k < MAX_DEVICES && found->count < MAX_DEVICES; ++k )
		{
			found->platforms[found->count] = platforms[i];
			found->ids[found->count++] = ids[k];
		}
	}
	if ( found->count == 0 )
	{
		supSetError( error, sup_errorDevice, "OpenCL",
					 "no OpenCL device found; install the driver of your graphics card, or one for the CPU (Debian: "
					 "pocl-opencl-icd)" );
	}
	return found->count > 0;
}

int32_t supListDevicesWith( const supOpenCl* cl, supDeviceInfo* infos, int32_t capacity, supError* error )
{
	Found found;
	supClearError( error );
	if ( FindDevices( cl, &found, error ) == false )
	{
		return 0;
	}
	for ( int32_t i = 0; i < found.count && i < capacity; ++i )
	{
		FillInfo( cl, found.platforms[i], found.ids[i], infos + i );
	}
	return found.count;
}

int32_t supListDevices( supDeviceInfo* infos, int32_t capacity, supError* error )
{
	supClearError( error );
	const supOpenCl* cl = supLoadOpenCl( error );
	return cl != NULL ? supListDevicesWith( cl, infos, capacity, error ) : 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Opening one

static char LowerOf( char c )
{
	return c >= 'A' && c <= 'Z' ? (char)( c - 'A' + 'a' ) : c;
}

static bool Contains( const char* text, const char* part, size_t length )
{
	for ( ; *text != '\0'; ++text )
	{
		size_t i = 0;
		while ( i < length && text[i] != '\0' && LowerOf( text[i] ) == LowerOf( part[i] ) )
		{
			i += 1;
		}
		if ( i == length )
		{
			return true;
		}
	}
	return false;
}

static bool IsWord( const char* name, size_t length, const char* word )
{
	return length == strlen( word ) && Contains( name, word, length );
}

static bool Fits( const supDeviceInfo* info, const char* name, size_t length )
{
	if ( IsWord( name, length, "gpu" ) || IsWord( name, length, "cpu" ) )
	{
		return info->isGpu == IsWord( name, length, "gpu" );
	}
	return length > 0 && ( Contains( info->name, name, length ) || Contains( info->platform, name, length ) );
}

// "a, b and what else": for the message.
static void ListNames( const supOpenCl* cl, const Found* found, char* text, size_t size )
{
	size_t used = 0;
	text[0] = '\0';
	for ( int32_t i = 0; i < found->count && used + 1 < size; ++i )
	{
		supDeviceInfo info;
		FillInfo( cl, found->platforms[i], found->ids[i], &info );
		int written = snprintf( text + used, size - used, "%s'%s' (%s)", i > 0 ? ", " : "", info.name,
								info.isGpu ? "gpu" : "cpu" );
		used += written > 0 ? (size_t)written : 0;
	}
}

static supDevice* OpenFound( const supOpenCl* cl, supClObject id, const supDeviceInfo* info, bool isFast,
							 supError* error )
{
	supDevice* device = supAllocZeroed( sizeof( supDevice ) );
	if ( device == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	device->cl = *cl;
	device->id = id;
	device->info = *info;
	device->isFast = isFast;
	device->maxGroupSize = (int64_t)ReadNumber( cl, id, sup_clDeviceMaxGroupSize, sizeof( size_t ) );
	int32_t status = sup_clSuccess;
	device->context = cl->CreateContext( NULL, 1, &id, NULL, NULL, &status );
	if ( device->context == NULL || supDevice_Check( device, status, "create a context", error ) == false )
	{
		supDevice_Check( device, status != sup_clSuccess ? status : sup_clOutOfResources, "create a context", error );
		supFree( device );
		return NULL;
	}
	return device;
}

supDevice* supOpenDeviceWith( const supOpenCl* cl, const char* name, supError* error )
{
	static const char fast[] = "+fast";
	Found found;
	supClearError( error );
	if ( FindDevices( cl, &found, error ) == false )
	{
		return NULL;
	}
	size_t length = strlen( name ), suffix = sizeof( fast ) - 1;
	bool isFast = length > suffix && strcmp( name + length - suffix, fast ) == 0;
	length -= isFast ? suffix : 0;
	supDeviceInfo refused = { 0 };
	for ( int32_t i = 0; i < found.count; ++i )
	{
		supDeviceInfo info;
		FillInfo( cl, found.platforms[i], found.ids[i], &info );
		if ( Fits( &info, name, length ) == false )
		{
			continue;
		}
		if ( FindDefect( cl, found.ids[i], &info ) == NULL && ( info.isExact || isFast ) )
		{
			return OpenFound( cl, found.ids[i], &info, isFast, error );
		}
		refused = info;
	}
	if ( refused.name[0] != '\0' )
	{
		supSetError( error, sup_errorDevice, refused.name,
					 "cannot use '%s': %s; choose another device or run without one", refused.name, refused.problem );
		return NULL;
	}
	char names[256];
	ListNames( cl, &found, names, sizeof( names ) );
	supSetError( error, sup_errorDevice, name, "no device '%s'; available: %s", name, names );
	return NULL;
}

supDevice* supOpenDevice( const char* name, supError* error )
{
	supClearError( error );
	const supOpenCl* cl = supLoadOpenCl( error );
	return cl != NULL ? supOpenDeviceWith( cl, name, error ) : NULL;
}

void supCloseDevice( supDevice* device )
{
	if ( device != NULL )
	{
		device->cl.ReleaseContext( device->context );
		supFree( device );
	}
}

const supDeviceInfo* supDevice_GetInfo( const supDevice* device )
{
	return &device->info;
}

// ---------------------------------------------------------------------------------------------------------------------
// For methods

bool supDevice_Check( const supDevice* device, int32_t status, const char* what, supError* error )
{
	if ( status == sup_clSuccess )
	{
		return true;
	}
	bool isMemory = status == sup_clOutOfDeviceMemory || status == sup_clInvalidBufferSize;
	supSetError( error, sup_errorDevice, device->info.name, "'%s' could not %s: %s (%d); %s", device->info.name, what,
				 supClStatusText( status ), status,
				 isMemory ? "use fewer actors or a smaller body, or another device"
						  : "the scene continues on the CPU; check the driver" );
	return false;
}

supClObject supDevice_CreateBuffer( const supDevice* device, size_t size, bool isConstant, supError* error )
{
	char what[64];
	snprintf( what, sizeof( what ), "allocate %.1f MB", (double)size / 1e6 );
	int32_t status = sup_clSuccess;
	if ( (int64_t)size > device->info.largestBuffer )
	{
		supDevice_Check( device, sup_clInvalidBufferSize, what, error );
		return NULL;
	}
	supClObject buffer = device->cl.CreateBuffer( device->context, isConstant ? sup_clReadOnly : sup_clReadWrite,
												  size > 16 ? size : 16, NULL, &status );
	status = buffer == NULL && status == sup_clSuccess ? sup_clOutOfDeviceMemory : status;
	return supDevice_Check( device, status, what, error ) ? buffer : NULL;
}

supClObject supDevice_BuildProgram( const supDevice* device, const char* text, const char* definitions,
									supError* error )
{
	const supOpenCl* cl = &device->cl;
	int32_t status = sup_clSuccess;
	supClObject program = cl->CreateProgramWithSource( device->context, 1, &text, NULL, &status );
	if ( program == NULL || status != sup_clSuccess )
	{
		supDevice_Check( device, status != sup_clSuccess ? status : sup_clOutOfHostMemory, "create a program", error );
		return NULL;
	}
	char options[256];
	snprintf( options, sizeof( options ), "-cl-std=CL1.2 %s%s %s",
			  device->isFast ? "-cl-fast-relaxed-math -cl-mad-enable -DSUP_FAST=1"
							 : "-cl-fp32-correctly-rounded-divide-sqrt",
			  device->info.isGpu ? "" : " -DSUP_ONE_ITEM=1", definitions );
	status = cl->BuildProgram( program, 1, &device->id, options, NULL, NULL );
	if ( status != sup_clSuccess )
	{
		// drivers write all of it or nothing
		const size_t room = 1 << 16;
		char* log = supAllocZeroed( room );
		if ( log != NULL )
		{
			cl->GetProgramBuildInfo( program, device->id, sup_clBuildLog, room - 1, log, NULL );
		}
		supSetError( error, sup_errorDevice, device->info.name,
					 "the compiler of '%s' (driver %s) failed (%d): %.200s; update the driver or run without a device",
					 device->info.name, device->info.driver, status, log != NULL ? log : "" );
		supFree( log );
		cl->ReleaseProgram( program );
		return NULL;
	}
	return program;
}
