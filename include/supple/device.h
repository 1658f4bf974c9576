// SPDX-License-Identifier: MIT
/// @file device.h
/// Compute devices: GPUs, and CPUs that have an OpenCL driver. A scene that is created with one (supSceneDef.device)
/// runs its crowds of `position` there, with the same bits as on the CPU. OpenCL is loaded when the first device is
/// asked for; nothing else needs it.
#pragma once

#include "supple/base.h"

typedef struct supDevice supDevice;

typedef struct supDeviceInfo
{
	char name[128];
	char platform[128];
	char driver[64];
	bool isGpu;
	/// It rounds as the CPU does, so that results have the same bits; `problem` says what is missing otherwise.
	bool isExact;
	char problem[128];
	int32_t computeUnits;
	/// Bytes: all of its memory, the largest single buffer, and what the threads of a group share.
	int64_t memory;
	int64_t largestBuffer;
	int64_t localMemory;
} supDeviceInfo;

/// Fills in up to `capacity` devices in the order in which drivers list them and returns how many there are. 0 with an
/// error where OpenCL cannot be loaded or has no device.
/// - infos may be NULL where capacity is 0; error may be NULL
SUP_API int32_t supListDevices( supDeviceInfo* infos, int32_t capacity, supError* error );

/// Opens the first device that fits: "gpu", "cpu", or a part of a name as supListDevices has it, upper and lower case
/// alike. Devices that do not round as the CPU does are refused, unless the name ends in "+fast" ("gpu+fast"): the
/// device may then rearrange and approximate arithmetic, which is faster and differs from the CPU in the last bits.
/// NULL with an error that names the devices there are.
SUP_API supDevice* supOpenDevice( const char* name, supError* error );

/// NULL is allowed.
/// - no scene uses it any more
SUP_API void supCloseDevice( supDevice* device );

SUP_API const supDeviceInfo* supDevice_GetInfo( const supDevice* device );
