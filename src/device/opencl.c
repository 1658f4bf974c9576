// SPDX-License-Identifier: MIT
#include "device/opencl.h"

#if defined( __linux__ ) && !defined( __EMSCRIPTEN__ )
#define SUP_HAVE_DLOPEN 1
#include <dlfcn.h>
#include <pthread.h>
#else
#define SUP_HAVE_DLOPEN 0
#endif

const char* supClStatusText( int32_t status )
{
	static const struct
	{
		int32_t status;
		const char* text;
	} texts[] = {
		{ sup_clDeviceNotFound, "device not found" },        { sup_clDeviceNotAvailable, "device not available" },
		{ sup_clOutOfDeviceMemory, "out of device memory" }, { sup_clOutOfResources, "out of resources" },
		{ sup_clOutOfHostMemory, "out of host memory" },     { sup_clBuildFailure, "the device's compiler failed" },
		{ sup_clInvalidBufferSize, "buffer too large" },     { sup_clNoPlatform, "no platform installed" }
	};
	for ( int32_t i = 0; i < SUP_COUNT( texts ); ++i )
	{
		if ( texts[i].status == status )
		{
			return texts[i].text;
		}
	}
	return "the driver reported an error";
}

#if SUP_HAVE_DLOPEN

static supOpenCl s_table;
static bool s_isLoaded;
static char s_reason[256];

static void Load( void )
{
	// never closed: drivers leave threads behind
	void* library = dlopen( "libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL );
	if ( library == NULL )
	{
		const char* reason = dlerror();
		strncpy( s_reason, reason != NULL ? reason : "dlopen failed", sizeof( s_reason ) - 1 );
		return;
	}
	s_isLoaded = true;
	// a pointer to a function may not be assigned from one to data
#define SUP_X( type, name, arguments )                                                                                 \
	{                                                                                                                  \
		void* symbol = dlsym( library, "cl" #name );                                                                   \
		memcpy( &s_table.name, &symbol, sizeof( symbol ) );                                                            \
		if ( symbol == NULL )                                                                                          \
		{                                                                                                              \
			s_isLoaded = false;                                                                                        \
			strncpy( s_reason, "it has no cl" #name, sizeof( s_reason ) - 1 );                                         \
		}                                                                                                              \
	}
	SUP_CL_FUNCTIONS( SUP_X )
#undef SUP_X
}

const supOpenCl* supLoadOpenCl( supError* error )
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once( &once, Load );
	if ( s_isLoaded == false )
	{
		supSetError(
			error, sup_errorDevice, "libOpenCL.so.1",
			"cannot load OpenCL (%s); install an OpenCL driver and the loader (Debian: ocl-icd-libopencl1), or "
			"run without a device",
			s_reason );
		return NULL;
	}
	return &s_table;
}

#else

const supOpenCl* supLoadOpenCl( supError* error )
{
	supSetError( error, sup_errorDevice, "OpenCL", "this build has no device support; run without a device" );
	return NULL;
}

#endif
