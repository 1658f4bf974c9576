// SPDX-License-Identifier: MIT
#include "method/position/crowd_device.h"

#include "core/tasks.h"
#include "method/inertia.h"
#include "method/position/volume_math.h"

#include <math.h>
#include <stdio.h>

extern const char supCrowdSource[];

// Work-items of an actor. Registers are few: where there are more than two actors for each compute unit, smaller groups
// let more of them run at the same time.
#define GROUP_SIZE 256
#define CROWDED_GROUP_SIZE 128
#define CROWDED_ACTORS_PER_UNIT 2

// Local memory of the last kernel but one: two floats of each work-item, or PARTIAL_SUMS doubles.
#define FINISH_LOCAL_BYTES ( 2 * GROUP_SIZE * sizeof( float ) )
_Static_assert( FINISH_LOCAL_BYTES >= PARTIAL_SUMS * sizeof( double ), "room for all partial sums" );

// Slots of the first page; each further page doubles the room.
#define FIRST_SLOTS 8

bool supDeviceCrowd_Check( supDeviceCrowd* crowd, int32_t status, const char* what, supError* error )
{
	return supDevice_Check( crowd->device, status, what, error );
}

int32_t supDeviceCrowd_PageOf( const supDeviceCrowd* crowd, int32_t slot )
{
	int32_t page = 0;
	while ( slot >= crowd->pages[page].first + crowd->pages[page].count )
	{
		page += 1;
	}
	return page;
}

size_t supDeviceCrowd_PlaceOf( const supDeviceCrowd* crowd, int32_t slot )
{
	return (size_t)( slot - crowd->pages[supDeviceCrowd_PageOf( crowd, slot )].first ) * crowd->packed.layout.slotSize;
}

bool supDeviceCrowd_Read( supDeviceCrowd* crowd, supClObject buffer, size_t offset, void* bytes, size_t size,
						  bool isBlocking, supError* error )
{
	int32_t status =
		crowd->device->cl.EnqueueReadBuffer( crowd->queue, buffer, isBlocking, offset, size, bytes, 0, NULL, NULL );
	return supDeviceCrowd_Check( crowd, status, "read from a buffer", error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Beginning and end

static bool FindMemory( const void* fleshPointer, const supCharacter* character, int64_t* fleshBytes,
						int64_t* actorBytes )
{
	supCrowdFlesh packed;
	if ( supCrowdFlesh_Init( &packed, fleshPointer, character, 48 << 10, NULL ) == false )
	{
		return false;
	}
	*fleshBytes = (int64_t)packed.byteCount;
	*actorBytes = packed.layout.slotSize;
	supCrowdFlesh_Destroy( &packed );
	return true;
}

static void Release( const supDeviceCrowd* crowd, supClObject* buffer )
{
	if ( *buffer != NULL )
	{
		crowd->device->cl.ReleaseMemObject( *buffer );
		*buffer = NULL;
	}
}

static void ReleaseJobBuffers( const supDeviceCrowd* crowd, JobBuffers* buffers )
{
	Release( crowd, &buffers->jobs );
	Release( crowd, &buffers->worlds );
	Release( crowd, &buffers->throws );
	Release( crowd, &buffers->results );
}

static void ReleaseEvents( supDeviceCrowd* crowd )
{
	for ( int32_t i = 0; i < stageCount; ++i )
	{
		supClObject* event = crowd->events + i;
		if ( *event != NULL )
		{
			crowd->device->cl.ReleaseEvent( *event );
			*event = NULL;
		}
	}
}

static void DestroyCrowd( void* crowdPointer )
{
	supDeviceCrowd* crowd = crowdPointer;
	const supOpenCl* cl = &crowd->device->cl;
	if ( crowd->queue != NULL )
	{
		cl->Finish( crowd->queue );
	}
	supDeviceCrowd_ReleaseStaging( crowd );
	ReleaseEvents( crowd );
	Release( crowd, &crowd->layoutBuffer );
	Release( crowd, &crowd->fleshBuffer );
	Release( crowd, &crowd->tetherBuffer );
	ReleaseJobBuffers( crowd, &crowd->buffers );
	for ( int32_t i = 0; i < crowd->pageCount; ++i )
	{
		Release( crowd, &crowd->pages[i].states );
	}
	for ( int32_t i = 0; i < stageCount; ++i )
	{
		if ( crowd->kernels[i] != NULL )
		{
			cl->ReleaseKernel( crowd->kernels[i] );
		}
	}
	if ( crowd->program != NULL )
	{
		cl->ReleaseProgram( crowd->program );
	}
	if ( crowd->queue != NULL )
	{
		cl->ReleaseCommandQueue( crowd->queue );
	}
	for ( int32_t i = 0; i < crowd->tetherCount; ++i )
	{
		supFree( crowd->tethers[i].values );
	}
	supCrowdFlesh_Destroy( &crowd->packed );
	supFree( crowd->slots );
	supFree( crowd->entries );
	supFree( crowd->jobs );
	supFree( crowd->worlds );
	supFree( crowd->throws );
	supFree( crowd->results );
	supFree( crowd );
}

static bool CreateKernels( supDeviceCrowd* crowd, supError* error )
{
	const supDevice* device = crowd->device;
	const supOpenCl* cl = &device->cl;
	const char* names[stageCount] = { "supCrowdPredict",
									  crowd->packed.localSize > 0 ? "supCrowdSolveLocal" : "supCrowdSolveGlobal",
									  "supCrowdFinish", "supCrowdSurface" };
	// with the number of particles known, places in local memory are offsets; a CPU would only compile more often
	const supCrowdLayout* layout = &crowd->packed.layout;
	char definitions[80], particles[32] = "";
	if ( device->info.isGpu )
	{
		snprintf( particles, sizeof( particles ), "-DPARTICLES=%d", layout->particleCount );
	}
	snprintf( definitions, sizeof( definitions ), "-DCOMPLIANT=%d -DCOMPACT=%d %s", layout->isCompliant,
			  layout->isCompact, particles );
	crowd->program = supDevice_BuildProgram( device, supCrowdSource, definitions, error );
	bool ok = crowd->program != NULL;
	crowd->groupSize = device->info.isGpu ? GROUP_SIZE : 1;
	for ( int32_t i = 0; i < stageCount && ok; ++i )
	{
		int32_t status = sup_clSuccess;
		size_t most = 0;
		crowd->kernels[i] = cl->CreateKernel( crowd->program, names[i], &status );
		ok = supDeviceCrowd_Check( crowd, status, "create a kernel", error );
		if ( ok )
		{
			status = cl->GetKernelWorkGroupInfo( crowd->kernels[i], device->id, sup_clKernelGroupSize, sizeof( most ),
												 &most, NULL );
			ok = supDeviceCrowd_Check( crowd, status, "describe a kernel", error );
		}
		// a power of two
		while ( ok && crowd->groupSize > 1 && crowd->groupSize > most )
		{
			crowd->groupSize /= 2;
		}
	}
	return ok;
}

static bool WriteBuffer( supDeviceCrowd* crowd, supClObject buffer, size_t offset, const void* bytes, size_t size,
						 bool isBlocking, supError* error )
{
	if ( size == 0 )
	{
		return true;
	}
	int32_t status =
		crowd->device->cl.EnqueueWriteBuffer( crowd->queue, buffer, isBlocking, offset, size, bytes, 0, NULL, NULL );
	return supDeviceCrowd_Check( crowd, status, "write to a buffer", error );
}

static bool CreateBuffers( supDeviceCrowd* crowd, supError* error )
{
	size_t tetherBytes = MAX_TETHERS * sizeof( float ) * (size_t)crowd->packed.layout.tetherCount;
	crowd->layoutBuffer = supDevice_CreateBuffer( crowd->device, sizeof( supCrowdLayout ), true, error );
	crowd->fleshBuffer = crowd->layoutBuffer != NULL
							 ? supDevice_CreateBuffer( crowd->device, crowd->packed.byteCount, true, error )
							 : NULL;
	crowd->tetherBuffer =
		crowd->fleshBuffer != NULL ? supDevice_CreateBuffer( crowd->device, tetherBytes, true, error ) : NULL;
	return crowd->tetherBuffer != NULL &&
		   WriteBuffer( crowd, crowd->layoutBuffer, 0, &crowd->packed.layout, sizeof( supCrowdLayout ), true, error ) &&
		   WriteBuffer( crowd, crowd->fleshBuffer, 0, crowd->packed.bytes, crowd->packed.byteCount, true, error );
}

static void* CreateCrowd( supDevice* device, const void* fleshPointer, const supCharacter* character, supError* error )
{
	const supPositionFlesh* flesh = fleshPointer;
	supDeviceCrowd* crowd = supAllocZeroed( sizeof( supDeviceCrowd ) );
	if ( crowd == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	crowd->device = device;
	crowd->flesh = flesh;
	bool ok = supCrowdFlesh_Init( &crowd->packed, flesh, character, device->info.localMemory, error );
	if ( ok )
	{
		int32_t status = sup_clSuccess;
		crowd->queue = device->cl.CreateCommandQueue( device->context, device->id, sup_clQueueProfiling, &status );
		ok = supDeviceCrowd_Check( crowd, status, "create a queue", error ) && CreateKernels( crowd, error ) &&
			 CreateBuffers( crowd, error );
	}
	if ( ok == false )
	{
		DestroyCrowd( crowd );
		return NULL;
	}
	// the device has it now
	supFree( crowd->packed.bytes );
	crowd->packed.bytes = NULL;
	return crowd;
}

// ---------------------------------------------------------------------------------------------------------------------
// Slots

static bool Grow( void* array, size_t before, size_t after, size_t itemSize )
{
	void* old;
	memcpy( &old, array, sizeof( old ) );
	void* grown = supAllocZeroed( after * itemSize );
	if ( grown == NULL )
	{
		return false;
	}
	if ( before > 0 )
	{
		memcpy( grown, old, before * itemSize );
	}
	supFree( old );
	memcpy( array, &grown, sizeof( grown ) );
	return true;
}

static bool CreateJobBuffers( const supDeviceCrowd* crowd, size_t count, JobBuffers* buffers, supError* error )
{
	const supCrowdLayout* layout = &crowd->packed.layout;
	size_t nodes = (size_t)layout->nodeCount, bones = (size_t)layout->boneCount;
	supClObject* places[] = { &buffers->jobs, &buffers->worlds, &buffers->throws, &buffers->results };
	const size_t sizes[] = { count * sizeof( supCrowdJob ), count * nodes * sizeof( supMat34 ),
							 count * bones * sizeof( supMat34 ), count * sizeof( supCrowdResult ) };
	bool ok = true;
	for ( int32_t i = 0; i < SUP_COUNT( places ) && ok; ++i )
	{
		*places[i] = supDevice_CreateBuffer( crowd->device, sizes[i], places[i] != &buffers->results, error );
		ok = *places[i] != NULL;
	}
	return ok;
}

// Another page, as large as all before together where the device has a buffer of that size.
static bool AddPage( supDeviceCrowd* crowd, supError* error )
{
	size_t slotSize = crowd->packed.layout.slotSize;
	int64_t most = crowd->device->info.largestBuffer / (int64_t)slotSize;
	int32_t count = crowd->slotCount > FIRST_SLOTS ? crowd->slotCount : FIRST_SLOTS;
	count = count > most ? (int32_t)most : count;
	if ( count < 1 || crowd->pageCount == SUP_CROWD_PAGES )
	{
		return supDevice_Check( crowd->device, sup_clInvalidBufferSize, "hold one more actor", error );
	}
	size_t before = (size_t)crowd->slotCount, after = before + (size_t)count;
	const supCrowdLayout* layout = &crowd->packed.layout;
	size_t nodes = (size_t)layout->nodeCount, bones = (size_t)layout->boneCount;
	bool ok = Grow( &crowd->slots, before, after, sizeof( Slot ) ) &&
			  Grow( &crowd->entries, 0, after, sizeof( supDeviceEntry ) ) &&
			  Grow( &crowd->jobs, 0, after, sizeof( supCrowdJob ) ) &&
			  Grow( &crowd->worlds, 0, after * nodes, sizeof( supMat34 ) ) &&
			  Grow( &crowd->throws, 0, after * bones, sizeof( supMat34 ) ) &&
			  Grow( &crowd->results, 0, after, sizeof( supCrowdResult ) );
	if ( ok == false )
	{
		return supSetMemoryError( error );
	}
	// all or nothing: without room for more, actors that have a slot go on
	Page page = { .states = supDevice_CreateBuffer( crowd->device, (size_t)count * slotSize, false, error ),
				  .first = crowd->slotCount,
				  .count = count };
	JobBuffers fresh = { 0 };
	if ( page.states == NULL || CreateJobBuffers( crowd, after, &fresh, error ) == false )
	{
		Release( crowd, &page.states );
		ReleaseJobBuffers( crowd, &fresh );
		return false;
	}
	ReleaseJobBuffers( crowd, &crowd->buffers );
	crowd->buffers = fresh;
	crowd->pages[crowd->pageCount++] = page;
	crowd->slotCount = (int32_t)after;
	return true;
}

static int32_t FindFreeSlot( const supDeviceCrowd* crowd )
{
	for ( int32_t i = 0; i < crowd->slotCount; ++i )
	{
		if ( crowd->slots[i].isUsed == false )
		{
			return i;
		}
	}
	return -1;
}

static int32_t AddActor( void* crowdPointer, supError* error )
{
	supDeviceCrowd* crowd = crowdPointer;
	int32_t slot = FindFreeSlot( crowd );
	if ( slot < 0 && AddPage( crowd, error ) )
	{
		slot = FindFreeSlot( crowd );
	}
	if ( slot >= 0 )
	{
		crowd->slots[slot] = ( Slot ){ .isUsed = true };
	}
	return slot;
}

static void RemoveActor( void* crowdPointer, int32_t slot )
{
	supDeviceCrowd* crowd = crowdPointer;
	crowd->slots[slot].isUsed = false;
}

// ---------------------------------------------------------------------------------------------------------------------
// A substep

static bool CanReach( const void* fleshPointer, supPose* pose )
{
	const supPositionFlesh* flesh = fleshPointer;
	const supCharacter* character = supPose_Character( pose );
	bool ok =
		flesh->binding.vertexCount > 0 && flesh->binding.width == 4 && supPosition_MayScale( flesh, pose ) == false;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ) && ok; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		const float* weights = supPose_MorphWeights( pose, i );
		for ( int32_t k = 0; k < mesh->targetCount; ++k )
		{
			ok = ok && weights[k] == 0.0f;
		}
	}
	return ok;
}

// The table for the settings of an actor; where all are taken, the one that was not used for longest makes room. -1
// with an error.
static int32_t FindTethers( supDeviceCrowd* crowd, const supSubstep* step, supError* error )
{
	uint64_t tuning = supPosition_HashTuning( crowd->flesh, step );
	int32_t oldest = 0;
	for ( int32_t i = 0; i < crowd->tetherCount; ++i )
	{
		TetherTable* table = crowd->tethers + i;
		if ( table->dt == step->dt && table->tuning == tuning )
		{
			table->lastUse = crowd->steps;
			return i;
		}
		oldest = table->lastUse < crowd->tethers[oldest].lastUse ? i : oldest;
	}
	size_t count = (size_t)crowd->flesh->particleCount,
		   bytes = sizeof( float ) * (size_t)crowd->packed.layout.tetherCount;
	int32_t index = crowd->tetherCount < MAX_TETHERS ? crowd->tetherCount : oldest;
	TetherTable* table = crowd->tethers + index;
	if ( index == crowd->tetherCount )
	{
		table->values = supAllocZeroed( bytes );
		if ( table->values == NULL )
		{
			supSetMemoryError( error );
			return -1;
		}
		crowd->tetherCount += 1;
	}
	else if ( table->lastUse == crowd->steps )
	{
		supSetError( error, sup_errorDevice, crowd->device->info.name,
					 "actors of one flesh have more than %d different settings, the limit of '%s'; use fewer or "
					 "run without a device",
					 MAX_TETHERS, crowd->device->info.name );
		return -1;
	}
	supPosition_FillTethers( crowd->flesh, step, (supVec4*)(void*)table->values, table->values + 4 * count );
	table->dt = step->dt;
	table->tuning = tuning;
	table->lastUse = crowd->steps;
	return WriteBuffer( crowd, crowd->tetherBuffer, (size_t)index * bytes, table->values, bytes, true, error ) ? index
																											   : -1;
}

static void FillJob( supDeviceCrowd* crowd, int32_t index )
{
	const supPositionFlesh* flesh = crowd->flesh;
	const supSubstep* step = crowd->entries[index].step;
	supPositionForces forces = supPosition_MakeForces( step );
	supStiffness stretch = supPosition_MakeStiffness( flesh, step, sup_positionStretch );
	supCrowdJob* job = crowd->jobs + index;
	int32_t slot = crowd->entries[index].slot;
	int32_t page = supDeviceCrowd_PageOf( crowd, slot );
	*job = ( supCrowdJob ){ .page = (uint32_t)page,
							.slot = (uint32_t)( slot - crowd->pages[page].first ),
							.iterations = (int32_t)step->parameters[sup_positionIterations],
							.dt = step->dt,
							.inverseDt = 1.0f / step->dt,
							.stretch = stretch.plain,
							.bind = step->parameters[sup_positionBind],
							.volume = step->parameters[sup_positionVolume],
							.softness = stretch.softness,
							.share = supPosition_ShortStepShare( flesh, step ),
							.balance = forces.balance,
							.drag = forces.drag,
							.reach = step->parameters[sup_positionReach],
							.keeps = step->parameters[sup_positionKeep] > 0.5f,
							.tethers = crowd->slots[slot].tethers,
							.gravity = step->gravity,
							.wind = step->wind,
							.down = forces.down };
	size_t nodes = (size_t)crowd->packed.layout.nodeCount, bones = (size_t)flesh->boneCount;
	memcpy( crowd->worlds + (size_t)index * nodes, supPose_Worlds( step->pose ), nodes * sizeof( supMat34 ) );
	job->isExaggerated = supFillThrows( step, step->parameters[sup_positionExaggeration], flesh->boneCount,
										flesh->boneNodes, flesh->boneInverses, crowd->throws + (size_t)index * bones );
}

static void FillJobs( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	for ( int32_t i = begin; i < end; ++i )
	{
		FillJob( context, i );
	}
}

// Fills tethers and uploads states.
static bool TakeEntries( supDeviceCrowd* crowd, const supDeviceEntry* entries, int32_t count, supError* error )
{
	crowd->jobCount = count;
	for ( int32_t i = 0; i < count; ++i )
	{
		const supDeviceEntry* entry = entries + i;
		int32_t tethers = FindTethers( crowd, entry->step, error );
		if ( tethers < 0 )
		{
			return false;
		}
		crowd->slots[entry->slot].tethers = tethers;
		crowd->entries[i] = *entry;
		supClObject states = crowd->pages[supDeviceCrowd_PageOf( crowd, entry->slot )].states;
		if ( entry->upload && WriteBuffer( crowd, states, supDeviceCrowd_PlaceOf( crowd, entry->slot ), entry->state,
										   crowd->packed.layout.frames, false, error ) == false )
		{
			return false;
		}
	}
	return true;
}

static bool SetArguments( supDeviceCrowd* crowd, Stage stage, supError* error )
{
	const supOpenCl* cl = &crowd->device->cl;
	supClObject kernel = crowd->kernels[stage];
	supClObject common[] = { crowd->layoutBuffer, crowd->fleshBuffer, crowd->buffers.jobs };
	supClObject rest[stageCount][3] = { { crowd->buffers.worlds, crowd->buffers.throws, crowd->tetherBuffer },
										{ crowd->tetherBuffer, crowd->buffers.results, NULL },
										{ crowd->buffers.worlds, crowd->buffers.results, NULL },
										{ crowd->buffers.worlds, NULL, NULL } };
	uint32_t at = 0;
	int32_t status = sup_clSuccess;
	for ( int32_t i = 0; i < SUP_COUNT( common ) && status == sup_clSuccess; ++i )
	{
		status = cl->SetKernelArg( kernel, at++, sizeof( supClObject ), common + i );
	}
	for ( int32_t i = 0; i < SUP_CROWD_PAGES && status == sup_clSuccess; ++i )
	{
		// there is always a first
		supClObject* states = &crowd->pages[i < crowd->pageCount ? i : 0].states;
		status = cl->SetKernelArg( kernel, at++, sizeof( supClObject ), states );
	}
	for ( int32_t i = 0; i < 3 && rest[stage][i] != NULL && status == sup_clSuccess; ++i )
	{
		status = cl->SetKernelArg( kernel, at++, sizeof( supClObject ), &rest[stage][i] );
	}
	size_t local = stage == stageSolve ? crowd->packed.localSize : ( stage == stageFinish ? FINISH_LOCAL_BYTES : 0 );
	if ( local > 0 && status == sup_clSuccess )
	{
		status = cl->SetKernelArg( kernel, at++, ( local + 15 ) / 16 * 16, NULL );
	}
	return supDeviceCrowd_Check( crowd, status, "set the arguments of a kernel", error );
}

static bool Launch( supDeviceCrowd* crowd, Stage stage, supError* error )
{
	if ( SetArguments( crowd, stage, error ) == false )
	{
		return false;
	}
	bool isCrowded = crowd->jobCount > CROWDED_ACTORS_PER_UNIT * crowd->device->info.computeUnits;
	size_t local = isCrowded && crowd->groupSize > CROWDED_GROUP_SIZE ? CROWDED_GROUP_SIZE : crowd->groupSize;
	size_t global = local * (size_t)crowd->jobCount;
	int32_t status = crowd->device->cl.EnqueueNDRangeKernel( crowd->queue, crowd->kernels[stage], 1, NULL, &global,
															 &local, 0, NULL, &crowd->events[stage] );
	return supDeviceCrowd_Check( crowd, status, "start a kernel", error );
}

static bool Start( void* crowdPointer, const supDeviceEntry* entries, int32_t count, bool wantsSurface,
				   const supTasks* tasks, supError* error )
{
	supDeviceCrowd* crowd = crowdPointer;
	crowd->steps += 1;
	crowd->isStarted = false;
	if ( TakeEntries( crowd, entries, count, error ) == false )
	{
		return false;
	}
	supParallelFor( tasks, count, 4, FillJobs, crowd );
	const supCrowdLayout* layout = &crowd->packed.layout;
	size_t jobs = (size_t)count;
	bool throws = false;
	for ( int32_t i = 0; i < count; ++i )
	{
		throws = throws || crowd->jobs[i].isExaggerated != 0;
	}
	if ( WriteBuffer( crowd, crowd->buffers.jobs, 0, crowd->jobs, jobs * sizeof( supCrowdJob ), false, error ) ==
			 false ||
		 WriteBuffer( crowd, crowd->buffers.worlds, 0, crowd->worlds,
					  jobs * (size_t)layout->nodeCount * sizeof( supMat34 ), false, error ) == false ||
		 WriteBuffer( crowd, crowd->buffers.throws, 0, crowd->throws,
					  throws ? jobs * (size_t)layout->boneCount * sizeof( supMat34 ) : 0, false, error ) == false )
	{
		return false;
	}
	for ( int32_t stage = 0; stage < stageCount; ++stage )
	{
		if ( ( stage != stageSurface || wantsSurface ) && Launch( crowd, (Stage)stage, error ) == false )
		{
			return false;
		}
		// from now on the slots have what the substep started from beside what comes of it
		crowd->isStarted = true;
	}
	return supDeviceCrowd_Check( crowd, crowd->device->cl.Flush( crowd->queue ), "start its work", error );
}

static double MeasureEvent( const supDeviceCrowd* crowd, supClObject event )
{
	uint64_t start = 0, end = 0;
	const supOpenCl* cl = &crowd->device->cl;
	bool ok =
		event != NULL &&
		cl->GetEventProfilingInfo( event, sup_clProfilingStart, sizeof( start ), &start, NULL ) == sup_clSuccess &&
		cl->GetEventProfilingInfo( event, sup_clProfilingEnd, sizeof( end ), &end, NULL ) == sup_clSuccess;
	return ok && end > start ? (double)( end - start ) * 1e-6 : 0.0;
}

static bool Wait( void* crowdPointer, supDeviceTimes* times, supError* error )
{
	supDeviceCrowd* crowd = crowdPointer;
	bool ok = supDeviceCrowd_Read( crowd, crowd->buffers.results, 0, crowd->results,
								   (size_t)crowd->jobCount * sizeof( supCrowdResult ), true, error ) &&
			  supDeviceCrowd_Check( crowd, crowd->device->cl.Finish( crowd->queue ), "finish its work", error );
	if ( ok )
	{
		times->predict += MeasureEvent( crowd, crowd->events[stagePredict] );
		times->solve += MeasureEvent( crowd, crowd->events[stageSolve] );
		times->finish += MeasureEvent( crowd, crowd->events[stageFinish] );
		times->surface += MeasureEvent( crowd, crowd->events[stageSurface] );
	}
	ReleaseEvents( crowd );
	for ( int32_t i = 0; i < crowd->jobCount && ok; ++i )
	{
		const supCrowdResult* result = crowd->results + i;
		const supDeviceEntry* entry = crowd->entries + i;
		supPositionHeader* header = entry->state;
		header->moved = result->moved / crowd->flesh->edge;
		header->inverted = result->wasTurned;
		header->scaled = 0;
		entry->step->trouble->inverted += result->inverted;
		entry->step->trouble->notFinite += result->notFinite;
	}
	return ok;
}

const supDeviceMethod supPosition_device = {
	.findMemory = FindMemory,
	.createCrowd = CreateCrowd,
	.destroyCrowd = DestroyCrowd,
	.addActor = AddActor,
	.removeActor = RemoveActor,
	.canReach = CanReach,
	.start = Start,
	.wait = Wait,
	.readState = supDeviceCrowd_ReadState,
	.readSurfaces = supDeviceCrowd_ReadSurfaces,
	.findSurface = supDeviceCrowd_FindSurface,
};
