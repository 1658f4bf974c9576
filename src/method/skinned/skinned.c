// SPDX-License-Identifier: MIT
// The two methods without flesh: the surface is a function of the pose. They are what the others are compared with.
#include "character/skinning_kernel.h"
#include "method/method.h"
#include "volume/binding/surface_binding.h"

static void WriteLinear( const void* flesh, const void* state, supPose* pose, int32_t instance, const supTasks* tasks,
						 const supSkinOutput* output )
{
	(void)flesh;
	(void)state;
	supSkinInstance( pose, instance, sup_skinningLinear, tasks, output );
}

static void WriteDual( const void* flesh, const void* state, supPose* pose, int32_t instance, const supTasks* tasks,
					   const supSkinOutput* output )
{
	(void)flesh;
	(void)state;
	supSkinInstance( pose, instance, sup_skinningDualQuaternion, tasks, output );
}

static void FindRow( supSkinning skinning, supPose* pose, const supSurfacePoint* point, supPlaceRow* row )
{
	row->count = 0;
	row->position = supVec3_zero;
	row->isConstant = row->isLimited = false;
	for ( int32_t k = 0; k < 3; ++k )
	{
		if ( point->weights[k] > 0.0f )
		{
			supVec3 p = supSkinVertex( pose, point->instance, skinning, point->vertices[k] );
			row->position = supMulAdd( row->position, point->weights[k], p );
		}
	}
}

static void FindLinearRow( const void* flesh, void* state, supPose* pose, const supSurfacePoint* point,
						   supPlaceRow* row )
{
	(void)flesh;
	(void)state;
	FindRow( sup_skinningLinear, pose, point, row );
}

static void FindDualRow( const void* flesh, void* state, supPose* pose, const supSurfacePoint* point, supPlaceRow* row )
{
	(void)flesh;
	(void)state;
	FindRow( sup_skinningDualQuaternion, pose, point, row );
}

const supMethod supMethod_lbs = {
	.name = "lbs",
	.summary = "linear blend skinning, as in every engine: no flesh",
	.findRow = FindLinearRow,
	.writeSurface = WriteLinear,
};

const supMethod supMethod_dqs = {
	.name = "dqs",
	.summary = "dual quaternion skinning: no flesh, but twists keep their volume",
	.findRow = FindDualRow,
	.writeSurface = WriteDual,
};
