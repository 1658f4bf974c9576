// SPDX-License-Identifier: MIT
// The two methods without flesh: the surface is a function of the pose. They are what the others are compared with.
#include "method/method.h"

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

const supMethod supMethod_lbs = {
	.name = "lbs",
	.summary = "linear blend skinning: no flesh, as every engine does it",
	.writeSurface = WriteLinear,
};

const supMethod supMethod_dqs = {
	.name = "dqs",
	.summary = "dual quaternion skinning: no flesh, twists keep their volume",
	.writeSurface = WriteDual,
};
