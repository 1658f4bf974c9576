// SPDX-License-Identifier: MIT
// Loads of joints. The torque of a drive is implicit: what was pushed with at the beginning of the
// substep, less what it changed by with the velocities that came of it,
//
//     τ = τ_0 - ( G_j Δω_j + G_i Δω_i ) / h
//
// where G are the parts of the skeleton's matrix that the drive added to the rows of the child. Forces are the joint's
// multipliers, of free motion and of the answer to contacts: J_jᵀ μ / h.
#include "method/layered/layered.h"

void supLayered_AddDrive( supLayeredRun* run, int32_t j, supVec3d torque, double scale, const supMat3d* own,
						  const supMat3d* above )
{
	supJointDrive* drive = run->view.drives + j;
	drive->torque = supAddVec3d( drive->torque, torque );
	drive->own = supMulAddMat3d( &drive->own, scale, own );
	drive->above = supMulAddMat3d( &drive->above, -scale, above );
}

void supLayered_KeepMultipliers( const supLayeredRun* run, bool isAnswer )
{
	for ( int32_t i = 0; i < run->flesh->links.count; ++i )
	{
		const double* multipliers = run->view.boneSpeeds + run->flesh->bones.offsets[i] + 6;
		supJointDrive* drive = run->view.drives + i;
		int32_t count = run->flesh->bones.offsets[i + 1] - run->flesh->bones.offsets[i] - 6;
		for ( int32_t k = 0; k < count; ++k )
		{
			( isAnswer ? drive->answered : drive->free )[k] = multipliers[k];
		}
	}
}

static supVec3d FindTorque( const supLayeredRun* run, int32_t j )
{
	const supLayeredView* view = &run->view;
	const supJointDrive* drive = view->drives + j;
	int32_t i = run->flesh->links.links[j].parent;
	supVec3d gain = supSubVec3d( view->links[j].spin, view->oldLinks[j].spin );
	supVec3d gainAbove = supSubVec3d( view->links[i].spin, view->oldLinks[i].spin );
	supVec3d eased = supAddVec3d( supMulMat3dVec( &drive->own, gain ), supMulMat3dVec( &drive->above, gainAbove ) );
	supVec3d torque = supMulAddVec3d( drive->torque, -1.0 / run->dt, eased );
	for ( int32_t n = 0; n < view->header->limitCount; ++n )
	{
		const supLimit* limit = view->limits + n;
		if ( limit->link == j )
		{
			torque = supMulAddVec3d( torque, limit->impulse / run->dt, supLoadVec3d( limit->row.child + 3 ) );
		}
	}
	return torque;
}

static supVec3d FindForce( const supLayeredRun* run, int32_t j )
{
	const supLayeredView* view = &run->view;
	const supLink* link = run->flesh->links.links + j;
	const supJointDrive* drive = view->drives + j;
	supJointRow rows[6];
	int32_t count = supMakeJointRows( view->oldArms[j], link, view->oldLinks + link->parent, view->oldLinks + j, rows );
	supVec3d force = { 0.0, 0.0, 0.0 };
	for ( int32_t k = 0; k < count; ++k )
	{
		double push = ( drive->free[k] + drive->answered[k] ) / run->dt;
		force = supMulAddVec3d( force, push, supLoadVec3d( rows[k].child ) );
	}
	return force;
}

void supLayered_FindLoads( supLayeredRun* run )
{
	for ( int32_t j = 0; j < run->flesh->links.count; ++j )
	{
		supJointDrive* drive = run->view.drives + j;
		drive->load = ( supJointLoad ){ 0 };
		if ( run->flesh->links.links[j].parent >= 0 )
		{
			drive->load.force = supNarrowVec3( FindForce( run, j ) );
			drive->load.torque = supNarrowVec3( supMulMat3dVec( run->view.rotations + j, FindTorque( run, j ) ) );
		}
	}
}

bool supLayered_TellJointLoad( const void* fleshPointer, const void* block, int32_t node, supJointLoad* load )
{
	const supLayeredFlesh* flesh = fleshPointer;
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		if ( flesh->links.links[i].node == node && flesh->links.links[i].parent >= 0 )
		{
			*load = supLayered_View( flesh, block ).drives[i].load;
			return true;
		}
	}
	return false;
}
