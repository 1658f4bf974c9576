// SPDX-License-Identifier: MIT
// What drives the skeleton: following the clip, and springs and friction in joints. All implicit, so that no strength
// and no step is too much.
//
// Following, per joint (i parent, j child): R_rel = R_iᵀ R_j, w = ω_j - R_relᵀ ω_i, e = log( R_relᵀ R*_rel ) to the
// clip's joint at the end of the step:
//
//     τ_j = k_p ( e - h w ) + k_d ( w* - w ),  τ_i = - R_rel τ_j,  M̃_b += ( h² k_p + h k_d ) Gᵀ G,  G = [ -R_relᵀ, I ]
//
// That is for small turns. A fast limb turns by half a radian in a step, and so does its parent: links turn by
// exp( h ω_i ) and exp( h ω_j ), which do not commute. What the joint is to be driven with is therefore found from
// where its parent is going to be, ω'_i: exp( h ω'_j ) = R_relᵀ exp( h ω'_i ) R*_rel, and e = h ( ω'_j - R_relᵀ ω'_i ).
//
// Torques in joints cannot hold the whole: the same for roots, in the world.
//
// Springs: ψ = log R_rel, ψ̇ = J ω_j - Jᵀ ω_i with J = I + ½ [ψ]x + c [ψ]x², τ_j = -k ψ, τ_i = k ψ, K = k gᵀ g.
#include "method/layered/layered.h"

// k_p h² of more than this times what is turned changes nothing any more but the rounding.
#define MAX_STIFFNESS_RATIO 1e8

// Where in the matrix: the part of block ( row, column ) that turning couples with turning.
static void AddTurning( supLayeredRun* run, int32_t row, int32_t column, double s, const supMat3d* a )
{
	const supBlockMatrix* bones = &run->flesh->bones;
	double* block = run->view.boneValues + bones->blockStarts[supBlockMatrix_Find( bones, row, column )];
	int32_t rows = bones->offsets[row + 1] - bones->offsets[row];
	for ( int c = 0; c < 3; ++c )
	{
		for ( int r = 0; r < 3; ++r )
		{
			block[( 3 + c ) * rows + 3 + r] += s * a->m[c][r];
		}
	}
}

static void AddTorque( supLayeredRun* run, int32_t link, supVec3d torque )
{
	double* f = run->view.boneForces + run->flesh->bones.offsets[link] + 3;
	supStoreVec3d( f, supMulAddVec3d( supLoadVec3d( f ), run->dt, torque ) );
}

typedef struct Gains
{
	double stiffness;
	double damping;
} Gains;

double supLayered_Strength( const supLayeredRun* run, const supLink* link )
{
	supLayeredParameter parameter = link->parent < 0 ? sup_layeredRoot : sup_layeredStrength;
	return (double)run->parameters[parameter] * link->strength * (double)run->jointStrengths[link->node];
}

// What a joint has of a parameter, unless it has its own.
static double OwnOr( const supLayeredRun* run, double own, supLayeredParameter parameter )
{
	return own >= 0.0 ? own : (double)run->parameters[parameter];
}

static double FindFrequency( const supLayeredRun* run, double strength )
{
	return 2.0 * (double)SUP_PI * (double)run->parameters[sup_layeredTracking] * strength;
}

double supLayered_FollowedPart( const supLayeredRun* run, const supLink* link )
{
	double strength = supLayered_Strength( run, link ), turn = run->dt * FindFrequency( run, strength );
	double firm = turn * ( turn + 2.0 );
	return strength < 1.0 ? firm / ( firm + 1.0 ) : 1.0;
}

// A critically damped spring of this frequency on what it has to move.
static Gains FindGains( const supLayeredRun* run, const supLink* link, double load )
{
	double strength = supLayered_Strength( run, link );
	double omega = FindFrequency( run, strength );
	double most = MAX_STIFFNESS_RATIO * load / ( run->dt * run->dt );
	double stiffness = omega * omega * load, damping = 2.0 * omega * load;
	return ( Gains ){ stiffness < most ? stiffness : most, damping < most * run->dt ? damping : most * run->dt };
}

static supVec3d ErrorTo( supQuatd from, supQuatd to )
{
	return supLogQuatd( supMulQuatd( supConjugateQuatd( from ), to ) );
}

static supQuatd Relative( supQuatd parent, supQuatd child )
{
	return supMulQuatd( supConjugateQuatd( parent ), child );
}

// Where a link goes that is driven towards `goal` as firmly as this.
static supVec3d Expect( const supLayeredRun* run, Gains gains, double load, supVec3d now, supVec3d goal )
{
	double firm = run->dt * ( run->dt * gains.stiffness + gains.damping ), part = firm / ( firm + load );
	return supMulAddVec3d( supScaleVec3d( 1.0 - part, now ), part, goal );
}

static void FollowJoint( supLayeredRun* run, int32_t j )
{
	const supLayeredView* view = &run->view;
	const supLink* link = run->flesh->links.links + j;
	int32_t i = link->parent;
	double h = run->dt;
	Gains gains = FindGains( run, link, link->turned );
	double friction = OwnOr( run, link->damping, sup_layeredJointDamping ) * link->turned;
	supQuatd turn = Relative( view->links[i].rotation, view->links[j].rotation );
	supQuatd goal = Relative( view->targets[i].rotation, view->targets[j].rotation );
	supQuatd oldGoal = Relative( view->oldTargets[i].rotation, view->oldTargets[j].rotation );
	supMat3d r = supMakeMat3dQuat( turn ), rt = supTransposeMat3d( &r ), one = supDiagonal3d( 1.0 );
	supVec3d w = supSubVec3d( view->links[j].spin, supMulMat3dVec( &rt, view->links[i].spin ) );

	supVec3d parentSpin = supLoadVec3d( view->expected + 3 * (int64_t)i );
	supQuatd ahead = supMulQuatd( supExpVec3d( supScaleVec3d( h, parentSpin ) ), goal );
	supVec3d spin = supScaleVec3d( 1.0 / h, ErrorTo( turn, ahead ) );
	supStoreVec3d( view->expected + 3 * (int64_t)j, Expect( run, gains, link->turned, view->links[j].spin, spin ) );
	supVec3d wanted = supSubVec3d( spin, supMulMat3dVec( &rt, parentSpin ) );
	supVec3d goalSpin = supMulAddVec3d( wanted, -1.0 / h, ErrorTo( turn, oldGoal ) );

	supVec3d torque = supScaleVec3d( h * gains.stiffness, supSubVec3d( wanted, w ) );
	torque = supMulAddVec3d( torque, gains.damping, supSubVec3d( goalSpin, w ) );
	torque = supMulAddVec3d( torque, -friction, w );
	AddTorque( run, j, torque );
	AddTorque( run, i, supScaleVec3d( -1.0, supMulMat3dVec( &r, torque ) ) );
	double s = h * ( h * gains.stiffness + gains.damping + friction );
	AddTurning( run, i, i, s, &one );
	AddTurning( run, j, j, s, &one );
	AddTurning( run, i, j, -s, &r );
	AddTurning( run, j, i, -s, &rt );
	supLayered_AddDrive( run, j, torque, s, &one, &rt );
}

static void FollowRoot( supLayeredRun* run, int32_t i )
{
	const supLayeredView* view = &run->view;
	const supLink* link = run->flesh->links.links + i;
	const supLinkState* state = view->links + i;
	Gains turning = FindGains( run, link, link->turned );
	Gains moving = FindGains( run, link, link->carried );
	supVec3d goalSpin =
		supScaleVec3d( 1.0 / run->dt, ErrorTo( view->oldTargets[i].rotation, view->targets[i].rotation ) );
	supVec3d way = ErrorTo( state->rotation, view->targets[i].rotation );
	supVec3d away = supMulAddVec3d( way, -run->dt, state->spin );
	supVec3d torque = supScaleVec3d( turning.stiffness, away );
	AddTorque( run, i, supMulAddVec3d( torque, turning.damping, supSubVec3d( goalSpin, state->spin ) ) );
	supMat3d one = supDiagonal3d( 1.0 );
	AddTurning( run, i, i, run->dt * ( run->dt * turning.stiffness + turning.damping ), &one );
	supStoreVec3d( view->expected + 3 * (int64_t)i,
				   Expect( run, turning, link->turned, state->spin, supScaleVec3d( 1.0 / run->dt, way ) ) );

	supVec3d goalSpeed =
		supScaleVec3d( 1.0 / run->dt, supSubVec3d( view->targets[i].center, view->oldTargets[i].center ) );
	supVec3d gap = supSubVec3d( view->targets[i].center, state->center );
	supVec3d force = supScaleVec3d( moving.stiffness, supMulAddVec3d( gap, -run->dt, state->velocity ) );
	force = supMulAddVec3d( force, moving.damping, supSubVec3d( goalSpeed, state->velocity ) );
	const supBlockMatrix* bones = &run->flesh->bones;
	double* f = view->boneForces + bones->offsets[i];
	supStoreVec3d( f, supMulAddVec3d( supLoadVec3d( f ), run->dt, force ) );
	double* block = view->boneValues + bones->blockStarts[supBlockMatrix_Find( bones, i, i )];
	int32_t rows = bones->offsets[i + 1] - bones->offsets[i];
	for ( int k = 0; k < 3; ++k )
	{
		block[k * rows + k] += run->dt * ( run->dt * moving.stiffness + moving.damping );
	}
}

static void AddSpring( supLayeredRun* run, int32_t j )
{
	const supLinkState* links = run->view.links;
	const supLink* link = run->flesh->links.links + j;
	int32_t i = link->parent;
	double omega = 2.0 * (double)SUP_PI * OwnOr( run, link->stiffness, sup_layeredJointStiffness );
	double k = omega * omega * link->turned;
	supVec3d psi = supLogQuatd( Relative( links[i].rotation, links[j].rotation ) );
	double angle = supLengthVec3d( psi ), c = 1.0 / 12.0 + angle * angle / 720.0;
	if ( angle > 0.1 )
	{
		supCosSinDouble half = supComputeCosSinDouble( 0.5 * angle );
		c = ( 1.0 - 0.5 * angle * half.cosine / half.sine ) / ( angle * angle );
	}
	supMat3d skew = supSkew3d( psi ), square = supMulMat3d( &skew, &skew ), jacobian = supDiagonal3d( 1.0 );
	jacobian = supMulAddMat3d( &jacobian, 0.5, &skew );
	jacobian = supMulAddMat3d( &jacobian, c, &square );
	supMat3d transposed = supTransposeMat3d( &jacobian );
	supVec3d speed =
		supSubVec3d( supMulMat3dVec( &jacobian, links[j].spin ), supMulMat3dVec( &transposed, links[i].spin ) );
	supVec3d stress = supMulAddVec3d( psi, run->dt, speed );
	supVec3d torque = supScaleVec3d( -k, supMulMat3dVec( &transposed, stress ) );
	AddTorque( run, j, torque );
	AddTorque( run, i, supScaleVec3d( k, supMulMat3dVec( &jacobian, stress ) ) );
	supMat3d ii = supMulMat3d( &jacobian, &transposed ), ij = supMulMat3d( &jacobian, &jacobian );
	supMat3d ji = supMulMat3d( &transposed, &transposed ), jj = supMulMat3d( &transposed, &jacobian );
	double s = run->dt * run->dt * k;
	AddTurning( run, i, i, s, &ii );
	AddTurning( run, i, j, -s, &ij );
	AddTurning( run, j, i, -s, &ji );
	AddTurning( run, j, j, s, &jj );
	supLayered_AddDrive( run, j, torque, s, &jj, &ji );
}

void supLayered_AddControl( supLayeredRun* run )
{
	for ( int32_t i = 0; i < run->flesh->links.count; ++i )
	{
		if ( run->flesh->links.links[i].parent < 0 )
		{
			FollowRoot( run, i );
		}
		else
		{
			FollowJoint( run, i );
			AddSpring( run, i );
		}
	}
}
