// SPDX-License-Identifier: MIT
// A device from the inside: what methods need to run on one.
#pragma once

#include "device/opencl.h"
#include "supple/device.h"

struct supDevice
{
	supOpenCl cl;
	supClObject id;
	supClObject context;
	supDeviceInfo info;
	bool isFast;
	int64_t maxGroupSize;
};

// As supOpenDevice, with these functions in place of those of the library.
supDevice* supOpenDeviceWith( const supOpenCl* cl, const char* name, supError* error );
int32_t supListDevicesWith( const supOpenCl* cl, supDeviceInfo* infos, int32_t capacity, supError* error );

// False, with an error that names the device, where a call failed.
// - what: what was tried, "write to a buffer"
bool supDevice_Check( const supDevice* device, int32_t status, const char* what, supError* error );

// NULL with an error. `size` 0 makes a buffer of a few bytes, since a kernel's argument cannot be missing.
supClObject supDevice_CreateBuffer( const supDevice* device, size_t size, bool isConstant, supError* error );

// NULL with an error that has the compiler's first lines.
// - definitions: options for the compiler, "-DNAME=1 -DOTHER=2"; at most 100 characters
supClObject supDevice_BuildProgram( const supDevice* device, const char* text, const char* definitions,
									supError* error );
