// SPDX-License-Identifier: MIT
// A crowd of one flesh on a device. An actor has a slot: its state, laid out as on the CPU, then scratch and surface.
// Slots lie in pages, so that a crowd can grow without moving.
#pragma once

#include "device/device.h"
#include "method/position/crowd_flesh.h"

// Settings that actors share: length of a step and all that tethers depend on.
#define MAX_TETHERS 64

typedef enum Stage
{
	stagePredict,
	stageSolve,
	stageFinish,
	stageSurface,
	stageCount,
} Stage;

typedef struct Page
{
	supClObject states;
	int32_t first;
	int32_t count;
} Page;

typedef struct TetherTable
{
	float dt;
	uint64_t tuning;
	int64_t lastUse;
	float* values; // four of each particle, then one of each
} TetherTable;

typedef struct Slot
{
	bool isUsed;
	int32_t tethers; // of the last step
} Slot;

// What a substep of all slots reads and writes beside them.
typedef struct JobBuffers
{
	supClObject jobs, worlds, throws, results;
} JobBuffers;

typedef struct supDeviceCrowd
{
	supDevice* device;
	const supPositionFlesh* flesh;
	supCrowdFlesh packed;
	supClObject queue;
	supClObject program;
	supClObject kernels[stageCount];
	size_t groupSize;
	supClObject layoutBuffer;
	supClObject fleshBuffer;
	supClObject tetherBuffer;

	int32_t pageCount;
	Page pages[SUP_CROWD_PAGES];
	int32_t slotCount;
	Slot* slots;

	int32_t tetherCount;
	TetherTable tethers[MAX_TETHERS];
	int64_t steps;

	// of the substep at hand, sorted by page; room for slotCount
	int32_t jobCount;
	supDeviceEntry* entries;
	supCrowdJob* jobs;
	supMat34* worlds;
	supMat34* throws;
	supCrowdResult* results;
	JobBuffers buffers;
	supClObject events[stageCount];
	bool isStarted;
	supClObject stagingBuffer; // surfaces on their way to the CPU
	uint8_t* staging;
	size_t stagingSize;
} supDeviceCrowd;

// False, with an error that names the device, where a call failed; the crowd is then lost.
bool supDeviceCrowd_Check( supDeviceCrowd* crowd, int32_t status, const char* what, supError* error );

bool supDeviceCrowd_Read( supDeviceCrowd* crowd, supClObject buffer, size_t offset, void* bytes, size_t size,
						  bool isBlocking, supError* error );

// The page of a slot, and where in it the slot begins.
int32_t supDeviceCrowd_PageOf( const supDeviceCrowd* crowd, int32_t slot );
size_t supDeviceCrowd_PlaceOf( const supDeviceCrowd* crowd, int32_t slot );

// As in supDeviceMethod.
bool supDeviceCrowd_ReadState( void* crowdPointer, int32_t slot, bool before, void* state, supError* error );
bool supDeviceCrowd_ReadSurfaces( void* crowdPointer, const int32_t* slots, int32_t count,
								  supSkinOutput* const* outputs, const supTasks* tasks, supError* error );
supDevicePlace supDeviceCrowd_FindSurface( void* crowdPointer, int32_t slot, int32_t instance );
void supDeviceCrowd_ReleaseStaging( supDeviceCrowd* crowd );
