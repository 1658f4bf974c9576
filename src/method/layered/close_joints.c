// SPDX-License-Identifier: MIT
// Joints that meet again. Links that turn by an angle θ in a step move along the tangent, and their joints come apart
// by θ² / 2 of their length. Turns are right as they are, centres are not: from the roots on each link is put to where
// its joint is, and all of it back by as much as its centre of mass was moved. Where a joint does not turn any way, its
// link is turned first by what is wrong.
#include "method/layered/layered.h"

// The turn against the parent that is nearest and that the joint can make.
static supQuatd FindAllowed( const supLink* link, supQuatd turn )
{
	if ( link->kind == sup_jointFixed )
	{
		return ( supQuatd ){ 0.0, 0.0, 0.0, 1.0 };
	}
	if ( link->kind == sup_jointHinge )
	{
		// the part of it about the axis
		double along = supDotVec3d( ( supVec3d ){ turn.x, turn.y, turn.z }, link->axis );
		supVec3d v = supScaleVec3d( along, link->axis );
		return supNormalizeQuatd( ( supQuatd ){ v.x, v.y, v.z, turn.w } );
	}
	if ( link->kind == sup_jointUniversal )
	{
		// the second axis is turned away from the first until it is across
		supMat3d r = supMakeMat3dQuat( turn );
		supVec3d second = supMulMat3dVec( &r, link->secondAxis ), across = supCrossVec3d( link->axis, second );
		double cosine = supDotVec3d( link->axis, second ), sine = supLengthVec3d( across );
		if ( sine > 0.0 )
		{
			supVec3d back = supScaleVec3d( supAtan2Double( cosine, sine ) / sine, across );
			return supNormalizeQuatd( supMulQuatd( supExpVec3d( back ), turn ) );
		}
	}
	return turn;
}

static supVec3d JointOn( const supLinkState* state, supVec3d arm )
{
	supMat3d r = supMakeMat3dQuat( state->rotation );
	return supAddVec3d( state->center, supMulMat3dVec( &r, arm ) );
}

double supLayered_Resistance( const supLayeredRun* run, int32_t link )
{
	const supBlockMatrix* bones = &run->flesh->bones;
	double sum = 0.0;
	for ( int32_t k = bones->rowStarts[link]; k < bones->rowStarts[link + 1]; ++k )
	{
		sum += run->view.boneValues[bones->blockStarts[k]];
	}
	return sum;
}

void supLayered_CloseJoints( supLayeredRun* run )
{
	const supLink* links = run->flesh->links.links;
	supLinkState* states = run->view.links;
	int32_t count = run->flesh->links.count;
	// of each link and all below it: mass times way, and mass; then how far it is put back
	double* sums = run->view.boneProduct;
	for ( int32_t i = 0; i < count; ++i )
	{
		const supLink* link = links + i;
		supVec3d way = { 0.0, 0.0, 0.0 };
		if ( link->parent >= 0 )
		{
			supQuatd parent = states[link->parent].rotation;
			supQuatd turn = supMulQuatd( supConjugateQuatd( parent ), states[i].rotation );
			states[i].rotation = supNormalizeQuatd( supMulQuatd( parent, FindAllowed( link, turn ) ) );
			way = supSubVec3d( JointOn( states + link->parent, run->view.arms[i] ),
							   JointOn( states + i, supSubVec3d( link->anchor, link->center ) ) );
			states[i].center = supAddVec3d( states[i].center, way );
		}
		double mass = supLayered_Resistance( run, i );
		supStoreVec3d( sums + 4 * (int64_t)i, supScaleVec3d( mass, way ) );
		sums[4 * (int64_t)i + 3] = mass;
	}
	for ( int32_t i = count - 1; i >= 0; --i )
	{
		for ( int k = 0; k < 4 && links[i].parent >= 0; ++k )
		{
			sums[4 * (int64_t)links[i].parent + k] += sums[4 * (int64_t)i + k];
		}
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		double* sum = sums + 4 * (int64_t)i;
		supVec3d back = links[i].parent >= 0 ? supLoadVec3d( sums + 4 * (int64_t)links[i].parent )
											 : supScaleVec3d( -1.0 / sum[3], supLoadVec3d( sum ) );
		supStoreVec3d( sum, back );
		states[i].center = supAddVec3d( states[i].center, back );
	}
}
