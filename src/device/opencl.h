// SPDX-License-Identifier: MIT
// The part of OpenCL 1.2 that Supple uses, with declarations of its own: nothing of it is needed to build, and the
// library is loaded when the first device is asked for.
#pragma once

#include "core/core.h"

// Platforms, devices, contexts, queues, programs, kernels, buffers and events alike.
typedef void* supClObject;

// In the order in which they are loaded: result, name without "cl", arguments.
#define SUP_CL_FUNCTIONS( X )                                                                                          \
	X( int32_t, GetPlatformIDs, ( uint32_t capacity, supClObject * platforms, uint32_t * count ) )                     \
	X( int32_t, GetPlatformInfo, ( supClObject platform, uint32_t name, size_t size, void* value, size_t* written ) )  \
	X( int32_t, GetDeviceIDs,                                                                                          \
	   ( supClObject platform, uint64_t type, uint32_t capacity, supClObject * devices, uint32_t * count ) )           \
	X( int32_t, GetDeviceInfo, ( supClObject device, uint32_t name, size_t size, void* value, size_t* written ) )      \
	X( supClObject, CreateContext,                                                                                     \
	   ( const intptr_t* properties, uint32_t count, const supClObject* devices, void* notify, void* user,             \
		 int32_t* error ) )                                                                                            \
	X( int32_t, ReleaseContext, ( supClObject context ) )                                                              \
	X( supClObject, CreateCommandQueue,                                                                                \
	   ( supClObject context, supClObject device, uint64_t properties, int32_t * error ) )                             \
	X( int32_t, ReleaseCommandQueue, ( supClObject queue ) )                                                           \
	X( supClObject, CreateProgramWithSource,                                                                           \
	   ( supClObject context, uint32_t count, const char** texts, const size_t* lengths, int32_t* error ) )            \
	X( int32_t, BuildProgram,                                                                                          \
	   ( supClObject program, uint32_t count, const supClObject* devices, const char* options, void* notify,           \
		 void* user ) )                                                                                                \
	X( int32_t, GetProgramBuildInfo,                                                                                   \
	   ( supClObject program, supClObject device, uint32_t name, size_t size, void* value, size_t* written ) )         \
	X( int32_t, ReleaseProgram, ( supClObject program ) )                                                              \
	X( supClObject, CreateKernel, ( supClObject program, const char* name, int32_t* error ) )                          \
	X( int32_t, GetKernelWorkGroupInfo,                                                                                \
	   ( supClObject kernel, supClObject device, uint32_t name, size_t size, void* value, size_t* written ) )          \
	X( int32_t, SetKernelArg, ( supClObject kernel, uint32_t index, size_t size, const void* value ) )                 \
	X( int32_t, ReleaseKernel, ( supClObject kernel ) )                                                                \
	X( supClObject, CreateBuffer, ( supClObject context, uint64_t flags, size_t size, void* host, int32_t* error ) )   \
	X( int32_t, ReleaseMemObject, ( supClObject buffer ) )                                                             \
	X( int32_t, EnqueueWriteBuffer,                                                                                    \
	   ( supClObject queue, supClObject buffer, uint32_t isBlocking, size_t offset, size_t size, const void* source,   \
		 uint32_t waitCount, const supClObject* waits, supClObject* event ) )                                          \
	X( int32_t, EnqueueReadBuffer,                                                                                     \
	   ( supClObject queue, supClObject buffer, uint32_t isBlocking, size_t offset, size_t size, void* target,         \
		 uint32_t waitCount, const supClObject* waits, supClObject* event ) )                                          \
	X( void*, EnqueueMapBuffer,                                                                                        \
	   ( supClObject queue, supClObject buffer, uint32_t isBlocking, uint64_t flags, size_t offset, size_t size,       \
		 uint32_t waitCount, const supClObject* waits, supClObject* event, int32_t* error ) )                          \
	X( int32_t, EnqueueUnmapMemObject,                                                                                 \
	   ( supClObject queue, supClObject buffer, void* place, uint32_t waitCount, const supClObject* waits,             \
		 supClObject* event ) )                                                                                        \
	X( int32_t, EnqueueNDRangeKernel,                                                                                  \
	   ( supClObject queue, supClObject kernel, uint32_t dimensions, const size_t* offsets, const size_t* globals,     \
		 const size_t* locals, uint32_t waitCount, const supClObject* waits, supClObject* event ) )                    \
	X( int32_t, GetEventProfilingInfo,                                                                                 \
	   ( supClObject event, uint32_t name, size_t size, void* value, size_t* written ) )                               \
	X( int32_t, ReleaseEvent, ( supClObject event ) )                                                                  \
	X( int32_t, Flush, ( supClObject queue ) )                                                                         \
	X( int32_t, Finish, ( supClObject queue ) )

// The functions of the library that was loaded; a test puts its own in their place.
typedef struct supOpenCl
{
#define SUP_X( type, name, arguments ) type( *name ) arguments;
	SUP_CL_FUNCTIONS( SUP_X )
#undef SUP_X
} supOpenCl;

// Numbers of the standard.
enum
{
	sup_clSuccess = 0,
	sup_clDeviceNotFound = -1,
	sup_clDeviceNotAvailable = -2,
	sup_clOutOfDeviceMemory = -4,
	sup_clOutOfResources = -5,
	sup_clOutOfHostMemory = -6,
	sup_clBuildFailure = -11,
	sup_clInvalidBufferSize = -61,
	sup_clNoPlatform = -1001,

	sup_clPlatformName = 0x0902,
	sup_clDeviceTypeCpu = 1 << 1,
	sup_clDeviceTypeGpu = 1 << 2,
	sup_clDeviceTypeAccelerator = 1 << 3,
	sup_clDeviceType = 0x1000,
	sup_clDeviceComputeUnits = 0x1002,
	sup_clDeviceMaxGroupSize = 0x1004,
	sup_clDeviceMaxAllocation = 0x1010,
	sup_clDeviceSingleConfig = 0x101B,
	sup_clDeviceMemorySize = 0x101F,
	sup_clDeviceLocalSize = 0x1023,
	sup_clDeviceIsLittleEndian = 0x1026,
	sup_clDeviceIsAvailable = 0x1027,
	sup_clDeviceHasCompiler = 0x1028,
	sup_clDeviceName = 0x102B,
	sup_clDriverVersion = 0x102D,
	sup_clDeviceDoubleConfig = 0x1032,

	sup_clHasDenormals = 1 << 0,
	sup_clHasInfinity = 1 << 1,
	sup_clRoundsToNearest = 1 << 2,
	sup_clRoundsDivision = 1 << 7,

	sup_clQueueProfiling = 1 << 1,
	sup_clReadWrite = 1 << 0,
	sup_clReadOnly = 1 << 2,
	sup_clAllocHostPointer = 1 << 4,
	sup_clMapWrite = 1 << 1,
	sup_clBuildLog = 0x1183,
	sup_clKernelGroupSize = 0x11B0,
	sup_clProfilingStart = 0x1282,
	sup_clProfilingEnd = 0x1283,
};

// Loads the library once; the functions stay until the process ends. NULL with an error if there is none.
const supOpenCl* supLoadOpenCl( supError* error );

// The name of a status, for messages; never NULL.
const char* supClStatusText( int32_t status );
