// SPDX-License-Identifier: MIT
// From the device back to the CPU: states and surfaces.
#include "core/tasks.h"
#include "method/position/crowd_device.h"

// Tethers are the crowd's, not the slot's.
static void TakeTethers( const supDeviceCrowd* crowd, int32_t slot, const supPositionView* view )
{
	size_t count = (size_t)crowd->flesh->particleCount;
	if ( crowd->tetherCount > 0 )
	{
		const TetherTable* table = crowd->tethers + crowd->slots[slot].tethers;
		memcpy( view->tethers, table->values, 4 * count * sizeof( float ) );
		memcpy( view->tetherForces, table->values + 4 * count, count * sizeof( float ) );
		view->header->dt = table->dt;
		view->header->tuning = table->tuning;
	}
}

bool supDeviceCrowd_ReadState( void* crowdPointer, int32_t slot, bool before, void* state, supError* error )
{
	supDeviceCrowd* crowd = crowdPointer;
	const supCrowdLayout* layout = &crowd->packed.layout;
	supPositionView view = supPositionFlesh_View( crowd->flesh, state );
	supClObject states = crowd->pages[supDeviceCrowd_PageOf( crowd, slot )].states;
	size_t place = supDeviceCrowd_PlaceOf( crowd, slot ), particles = 16 * (size_t)crowd->flesh->particleCount;
	// the header is kept on the CPU
	bool ok = supDeviceCrowd_Read( crowd, states, place + layout->positions, view.positions,
								   crowd->packed.stateSize - layout->positions, true, error );
	if ( before && crowd->isStarted )
	{
		ok = ok &&
			 supDeviceCrowd_Read( crowd, states, place + layout->savedPositions, view.positions, particles, true,
								  error ) &&
			 supDeviceCrowd_Read( crowd, states, place + layout->savedVelocities, view.velocities, particles, true,
								  error ) &&
			 supDeviceCrowd_Read( crowd, states, place + layout->savedSkinned, &view.skinned[0].x, particles, true,
								  error ) &&
			 supDeviceCrowd_Read( crowd, states, place + layout->savedBones, view.bones,
								  sizeof( supMat34 ) * (size_t)crowd->flesh->boneCount, true, error );
	}
	if ( ok )
	{
		TakeTethers( crowd, slot, &view );
	}
	return ok;
}

// Surfaces go through memory that the device can write to by itself, in two halves: while one is copied to the actors,
// the device fills the other.
#define STAGING_BYTES ( (size_t)64 << 20 )

// Surfaces that are on their way, or a part of them.
typedef struct Transfer
{
	supDeviceCrowd* crowd;
	const int32_t* slots;
	supSkinOutput* const* outputs;
	int32_t count;
	uint32_t begin; // in the slot
	size_t bytes;
	int32_t batch; // actors of a half
	int32_t first; // actor of the batch that is copied
	const uint8_t* half;
} Transfer;

void supDeviceCrowd_ReleaseStaging( supDeviceCrowd* crowd )
{
	if ( crowd->staging != NULL )
	{
		crowd->device->cl.EnqueueUnmapMemObject( crowd->queue, crowd->stagingBuffer, crowd->staging, 0, NULL, NULL );
		crowd->device->cl.Finish( crowd->queue );
		crowd->staging = NULL;
	}
	if ( crowd->stagingBuffer != NULL )
	{
		crowd->device->cl.ReleaseMemObject( crowd->stagingBuffer );
		crowd->stagingBuffer = NULL;
	}
	crowd->stagingSize = 0;
}

static bool ReserveStaging( supDeviceCrowd* crowd, size_t bytes, supError* error )
{
	if ( crowd->stagingSize >= bytes )
	{
		return true;
	}
	int32_t status = sup_clSuccess;
	const supOpenCl* cl = &crowd->device->cl;
	supDeviceCrowd_ReleaseStaging( crowd );
	crowd->stagingBuffer =
		cl->CreateBuffer( crowd->device->context, sup_clReadWrite | sup_clAllocHostPointer, bytes, NULL, &status );
	if ( supDeviceCrowd_Check( crowd, status, "allocate memory to read into", error ) == false )
	{
		return false;
	}
	crowd->staging = cl->EnqueueMapBuffer( crowd->queue, crowd->stagingBuffer, true, sup_clMapWrite, 0, bytes, 0, NULL,
										   NULL, &status );
	crowd->stagingSize = status == sup_clSuccess ? bytes : 0;
	return supDeviceCrowd_Check( crowd, status, "map memory to read into", error );
}

static uint8_t* HalfOf( const Transfer* transfer, int32_t first )
{
	bool isSecond = first / transfer->batch % 2 != 0;
	return transfer->crowd->staging + ( isSecond ? (size_t)transfer->batch * transfer->bytes : 0 );
}

// Starts to read the batch that begins with actor `first`.
static bool StartBatch( const Transfer* transfer, int32_t first, supError* error )
{
	supDeviceCrowd* crowd = transfer->crowd;
	for ( int32_t i = first; i < transfer->count && i < first + transfer->batch; ++i )
	{
		int32_t slot = transfer->slots[i];
		if ( supDeviceCrowd_Read( crowd, crowd->pages[supDeviceCrowd_PageOf( crowd, slot )].states,
								  supDeviceCrowd_PlaceOf( crowd, slot ) + transfer->begin,
								  HalfOf( transfer, first ) + (size_t)( i - first ) * transfer->bytes, transfer->bytes,
								  false, error ) == false )
		{
			return false;
		}
	}
	return supDeviceCrowd_Check( crowd, crowd->device->cl.Flush( crowd->queue ), "start its work", error );
}

static void CopySurfaces( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Transfer* transfer = context;
	const supCrowdLayout* layout = &transfer->crowd->packed.layout;
	const supSurfaceBinding* binding = &transfer->crowd->flesh->binding;
	for ( int32_t i = begin; i < end; ++i )
	{
		const uint8_t* surface = transfer->half + (size_t)i * transfer->bytes;
		for ( int32_t k = 0; k < binding->instanceCount; ++k )
		{
			const supSkinOutput* output = &transfer->outputs[transfer->first + i][k];
			size_t first = (size_t)binding->vertexStarts[k] * sizeof( supVec3 );
			size_t size = (size_t)binding->vertexStarts[k + 1] * sizeof( supVec3 ) - first;
			if ( output->positions != NULL )
			{
				memcpy( output->positions, surface + ( layout->outPositions - transfer->begin ) + first, size );
			}
			if ( output->normals != NULL )
			{
				memcpy( output->normals, surface + ( layout->outNormals - transfer->begin ) + first, size );
			}
		}
	}
}

bool supDeviceCrowd_ReadSurfaces( void* crowdPointer, const int32_t* slots, int32_t count,
								  supSkinOutput* const* outputs, const supTasks* tasks, supError* error )
{
	supDeviceCrowd* crowd = crowdPointer;
	const supCrowdLayout* layout = &crowd->packed.layout;
	bool positions = outputs[0][0].positions != NULL, normals = outputs[0][0].normals != NULL;
	Transfer transfer = { .crowd = crowd, .slots = slots, .outputs = outputs, .count = count };
	transfer.begin = positions ? layout->outPositions : layout->outNormals;
	transfer.bytes = ( normals ? layout->slotSize : layout->outNormals ) - transfer.begin;
	transfer.batch = (int32_t)( STAGING_BYTES / 2 / transfer.bytes > 0 ? STAGING_BYTES / 2 / transfer.bytes : 1 );
	transfer.batch = transfer.batch < count ? transfer.batch : count;
	int32_t halves = transfer.batch < count ? 2 : 1;
	const supOpenCl* cl = &crowd->device->cl;
	bool ok = ReserveStaging( crowd, (size_t)halves * (size_t)transfer.batch * transfer.bytes, error ) &&
			  StartBatch( &transfer, 0, error );
	for ( int32_t first = 0; ok && first < count; first += transfer.batch )
	{
		int32_t next = first + transfer.batch;
		transfer.first = first;
		transfer.half = HalfOf( &transfer, first );
		ok = supDeviceCrowd_Check( crowd, cl->Finish( crowd->queue ), "finish its work", error ) &&
			 ( next >= count || StartBatch( &transfer, next, error ) );
		if ( ok )
		{
			supParallelFor( tasks, next < count ? transfer.batch : count - first, 1, CopySurfaces, &transfer );
		}
	}
	return ok;
}

supDevicePlace supDeviceCrowd_FindSurface( void* crowdPointer, int32_t slot, int32_t instance )
{
	supDeviceCrowd* crowd = crowdPointer;
	int64_t first = (int64_t)supDeviceCrowd_PlaceOf( crowd, slot ) +
					(int64_t)sizeof( supVec3 ) * crowd->flesh->binding.vertexStarts[instance];
	return ( supDevicePlace ){ .buffer = crowd->pages[supDeviceCrowd_PageOf( crowd, slot )].states,
							   .positions = first + crowd->packed.layout.outPositions,
							   .normals = first + crowd->packed.layout.outNormals,
							   .queue = crowd->queue };
}
