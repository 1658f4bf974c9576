// SPDX-License-Identifier: MIT
// Joints as rows of a Jacobian. With r the anchor as seen from a centre, b directions fixed in the parent (i) and a in
// the child (j), all given at rest, where both frames are the world's:
//
//     the anchors meet     g = c_j + R_j r_j - c_i - R_i r_i       ġ = ċ_j - R_j [r_j]x ω_j - ċ_i + R_i [r_i]x ω_i
//     b stays across a     g = R_i b . R_j a                       ġ = ω_i . ( b x R_iᵀ R_j a ) + ω_j . ( a x R_jᵀ R_i
//     b )
//
// of which ball joints take the first three rows, hinges two of the second kind more (b across the axis), universal
// joints one (b the first, a the second axis), fixed joints three.
#include "method/layered/layered.h"

static void FillAnchor( supVec3d armI, const supLink* link, const supLinkState* parent, const supLinkState* child,
						supJointRow* rows )
{
	supMat3d ri = supMakeMat3dQuat( parent->rotation ), rj = supMakeMat3dQuat( child->rotation );
	supVec3d armJ = supSubVec3d( link->anchor, link->center );
	supVec3d at = supAddVec3d( child->center, supMulMat3dVec( &rj, armJ ) );
	supVec3d g = supSubVec3d( at, supAddVec3d( parent->center, supMulMat3dVec( &ri, armI ) ) );
	supMat3d skewI = supSkew3d( armI ), skewJ = supSkew3d( armJ );
	supMat3d turnI = supMulMat3d( &ri, &skewI ), turnJ = supMulMat3d( &rj, &skewJ );
	const double errors[3] = { g.x, g.y, g.z };
	for ( int k = 0; k < 3; ++k )
	{
		rows[k] = ( supJointRow ){ .error = errors[k] };
		rows[k].parent[k] = -1.0;
		rows[k].child[k] = 1.0;
		for ( int c = 0; c < 3; ++c )
		{
			rows[k].parent[3 + c] = turnI.m[c][k];
			rows[k].child[3 + c] = -turnJ.m[c][k];
		}
	}
}

static void FillAcross( supVec3d b, supVec3d a, const supLinkState* parent, const supLinkState* child,
						supJointRow* row )
{
	supMat3d ri = supMakeMat3dQuat( parent->rotation ), rj = supMakeMat3dQuat( child->rotation );
	supVec3d worldB = supMulMat3dVec( &ri, b ), worldA = supMulMat3dVec( &rj, a );
	*row = ( supJointRow ){ .error = supDotVec3d( worldB, worldA ) };
	// ( ω x b ) . y = ω . ( b x y )
	supStoreVec3d( row->parent + 3, supCrossVec3d( b, supMulTransposed3d( &ri, worldA ) ) );
	supStoreVec3d( row->child + 3, supCrossVec3d( a, supMulTransposed3d( &rj, worldB ) ) );
}

int32_t supMakeJointRows( supVec3d arm, const supLink* link, const supLinkState* parent, const supLinkState* child,
						  supJointRow rows[6] )
{
	FillAnchor( arm, link, parent, child, rows );
	supVec3d first = supMakeAcross( ( supVec3d ){ 0.0, 0.0, 0.0 }, link->axis ),
			 second = supCrossVec3d( link->axis, first );
	if ( link->kind == sup_jointHinge )
	{
		FillAcross( first, link->axis, parent, child, rows + 3 );
		FillAcross( second, link->axis, parent, child, rows + 4 );
	}
	else if ( link->kind == sup_jointUniversal )
	{
		FillAcross( link->axis, link->secondAxis, parent, child, rows + 3 );
	}
	else if ( link->kind == sup_jointFixed )
	{
		FillAcross( link->axis, first, parent, child, rows + 3 );
		FillAcross( first, second, parent, child, rows + 4 );
		FillAcross( second, link->axis, parent, child, rows + 5 );
	}
	return supJointRows[link->kind];
}
