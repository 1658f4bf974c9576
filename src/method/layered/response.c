// SPDX-License-Identifier: MIT
// Phases 5 to 8 of a step: what touches the skin dents it and pushes the skeleton, in one solve (Eq. 12 to 15).
//
// Of a touched node a with mobility W = R_W M̂_s^-1 R_Wᵀ and rows D (the normal, or all three directions where it
// sticks):
//
//     J_cond,i = w_i [ I - C R_iᵀ, ( C - R_i ) [u_i]x ],   C = m_a R_W M̂_s^-1
//     M_λ      = D ( W + give ) Dᵀ                          one small block per node: nodes do not meet in it
//     M_b*     = M̂_cond + Σ ( D J_cond )ᵀ M_λ^-1 ( D J_cond ),   b* = - Σ ( D J_cond )ᵀ M_λ^-1 b_λ
//     λ        = - M_λ^-1 ( D J_cond δv_b + b_λ )
//     δv_s     = M̂_s^-1 ( R_Wᵀ Dᵀ λ - M_bsᵀ δv_b )
//
// The paper's contacts are equations and can pull. Here a node that would be pulled is let go, one whose friction is
// not enough slides (its friction then is a given force), and one let go that would get in comes back: a few rounds
// until nothing changes.
#include "core/tasks.h"
#include "method/layered/layered.h"

#define GRAIN 512
#define MOST_ROUNDS 12

// M_λ is not let below this part of the node's own mobility: it vanishes where the links of a node are opposite.
#define LEAST_MOBILITY 1e-6

typedef enum TouchState
{
	Off,
	Stick,
	Slide,
} TouchState;

// What a touch is made of, worked out anew in each round: cheaper than keeping it.
typedef struct Contact
{
	supMat3d blend;    // R_W
	supMat3d carried;  // C
	supMat3d mobility; // W + give
	int32_t rows;
	supVec3d directions[3];
	double inverse[9]; // of M_λ, rows x rows
	double target[3];  // b_λ
} Contact;

static void FindDirections( const supNodeTouch* touch, Contact* contact )
{
	if ( touch->isHeld )
	{
		contact->rows = 3;
		contact->directions[0] = ( supVec3d ){ 1.0, 0.0, 0.0 };
		contact->directions[1] = ( supVec3d ){ 0.0, 1.0, 0.0 };
		contact->directions[2] = ( supVec3d ){ 0.0, 0.0, 1.0 };
		return;
	}
	supVec3d n = touch->normal;
	supVec3d other = fabs( n.x ) < 0.7 ? ( supVec3d ){ 1.0, 0.0, 0.0 } : ( supVec3d ){ 0.0, 1.0, 0.0 };
	supVec3d across = supCrossVec3d( n, other );
	contact->rows = touch->state == Stick && touch->friction > 0.0 ? 3 : 1;
	contact->directions[0] = n;
	contact->directions[1] = supScaleVec3d( 1.0 / supLengthVec3d( across ), across );
	contact->directions[2] = supCrossVec3d( n, contact->directions[1] );
}

// Of a symmetric matrix of one or three rows.
static void InvertRows( const Contact* contact, double inverse[9] )
{
	supMat3d block = supDiagonal3d( 1.0 ), out = supDiagonal3d( 0.0 );
	for ( int32_t c = 0; c < contact->rows; ++c )
	{
		for ( int32_t r = 0; r < contact->rows; ++r )
		{
			supVec3d moved = supMulMat3dVec( &contact->mobility, contact->directions[c] );
			block.m[c][r] = supDotVec3d( contact->directions[r], moved );
		}
	}
	supInvertMat3d( &block, &out );
	for ( int32_t k = 0; k < 9; ++k )
	{
		inverse[k] = out.m[k / 3][k % 3];
	}
}

// The part of a touch's impulse that is given: friction of a node that slides.
static supVec3d GivenImpulse( const supNodeTouch* touch )
{
	supVec3d none = { 0.0, 0.0, 0.0 };
	if ( touch->state != Slide || touch->isHeld )
	{
		return none;
	}
	return supMulAddVec3d( touch->impulse, -supDotVec3d( touch->impulse, touch->normal ), touch->normal );
}

static Contact MakeContact( const supLayeredRun* run, const supNodeTouch* touch )
{
	const supLayeredFlesh* flesh = run->flesh;
	int32_t a = touch->node;
	Contact contact = { .blend = supDiagonal3d( 0.0 ) };
	for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1]; ++k )
	{
		contact.blend =
			supMulAddMat3d( &contact.blend, flesh->nodeWeights[k], run->view.rotations + flesh->nodeLinks[k] );
	}
	const supMat3d* compliance = run->view.compliances + a;
	supMat3d moved = supMulMat3d( &contact.blend, compliance ), turned = supTransposeMat3d( &contact.blend );
	supMat3d zero = supDiagonal3d( 0.0 );
	contact.carried = supMulAddMat3d( &zero, flesh->skin.masses[a], &moved );
	contact.mobility = supMulMat3d( &moved, &turned );
	double own = ( compliance->m[0][0] + compliance->m[1][1] + compliance->m[2][2] ) / 3.0;
	for ( int k = 0; k < 3; ++k )
	{
		contact.mobility.m[k][k] += touch->give + LEAST_MOBILITY * own;
	}
	FindDirections( touch, &contact );
	InvertRows( &contact, contact.inverse );
	supVec3d slip = supSubVec3d( supLayered_NodeVelocity( run, a ), touch->velocity );
	supVec3d pushed = supAddVec3d( slip, supMulMat3dVec( &contact.mobility, GivenImpulse( touch ) ) );
	for ( int32_t r = 0; r < contact.rows; ++r )
	{
		contact.target[r] = supDotVec3d( contact.directions[r], pushed );
	}
	return contact;
}

// One row of D J_cond for one link.
static void MakeRow( const supLayeredRun* run, const supNodeTouch* touch, const Contact* contact, supVec3d direction,
					 int32_t influence, double row[6] )
{
	const supLayeredFlesh* flesh = run->flesh;
	int32_t i = flesh->nodeLinks[influence];
	double w = flesh->nodeWeights[influence];
	const supMat3d* r = run->view.rotations + i;
	supVec3d back = supMulTransposed3d( &contact->carried, direction ); // Cᵀ d
	supVec3d moving = supSubVec3d( direction, supMulMat3dVec( r, back ) );
	supVec3d turning = supSubVec3d( back, supMulTransposed3d( r, direction ) );
	// dᵀ ( C - R ) [u]x = ( ( C - R )ᵀ d x u )ᵀ
	supVec3d arm = supLayered_Arm( flesh, run->view.oldQ, touch->node, i );
	supStoreVec3d( row, supScaleVec3d( w, moving ) );
	supStoreVec3d( row + 3, supScaleVec3d( w, supCrossVec3d( turning, arm ) ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// The skeleton

static void AddOuter( supLayeredRun* run, int32_t i, int32_t j, double s, const double rowI[6], const double rowJ[6] )
{
	const supBlockMatrix* bones = &run->flesh->bones;
	double* block = run->view.contactValues + bones->blockStarts[supBlockMatrix_Find( bones, i, j )];
	int32_t size = bones->offsets[i + 1] - bones->offsets[i];
	for ( int c = 0; c < 6; ++c )
	{
		for ( int r = 0; r < 6; ++r )
		{
			block[c * size + r] += s * rowI[r] * rowJ[c];
		}
	}
}

static void AddForce( supLayeredRun* run, int32_t link, double s, const double row[6] )
{
	double* f = run->view.boneForces + run->flesh->bones.offsets[link];
	for ( int k = 0; k < 6; ++k )
	{
		f[k] += s * row[k];
	}
}

static void AddTouch( supLayeredRun* run, const supNodeTouch* touch )
{
	const supLayeredFlesh* flesh = run->flesh;
	Contact contact = MakeContact( run, touch );
	int32_t begin = flesh->nodeStarts[touch->node], count = flesh->nodeStarts[touch->node + 1] - begin;
	double rows[SUP_MAX_INFLUENCES][3][6];
	supVec3d given = GivenImpulse( touch );
	double givenSize = supLengthVec3d( given );
	for ( int32_t k = 0; k < count; ++k )
	{
		for ( int32_t r = 0; r < contact.rows; ++r )
		{
			MakeRow( run, touch, &contact, contact.directions[r], begin + k, rows[k][r] );
		}
		if ( givenSize > 0.0 )
		{
			double row[6];
			MakeRow( run, touch, &contact, supScaleVec3d( 1.0 / givenSize, given ), begin + k, row );
			AddForce( run, flesh->nodeLinks[begin + k], givenSize, row );
		}
	}
	for ( int32_t r = 0; r < contact.rows; ++r )
	{
		double push = 0.0;
		for ( int32_t c = 0; c < contact.rows; ++c )
		{
			double s = contact.inverse[3 * c + r];
			push -= s * contact.target[c];
			for ( int32_t k = 0; k < count * count; ++k )
			{
				AddOuter( run, flesh->nodeLinks[begin + k / count], flesh->nodeLinks[begin + k % count], s,
						  rows[k / count][r], rows[k % count][c] );
			}
		}
		for ( int32_t k = 0; k < count; ++k )
		{
			AddForce( run, flesh->nodeLinks[begin + k], push, rows[k][r] );
		}
	}
}

static void SolveSkeleton( supLayeredRun* run, const supNodeTouch* touches, int32_t count )
{
	const supLayeredFlesh* flesh = run->flesh;
	supLayeredView* view = &run->view;
	size_t valueBytes = (size_t)flesh->bones.blockStarts[flesh->bones.blockCount] * sizeof( double );
	memcpy( view->contactValues, view->condensed, valueBytes );
	memset( view->boneForces, 0, (size_t)flesh->bones.unknownCount * sizeof( double ) );
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( touches[i].state != Off )
		{
			AddTouch( run, touches + i );
		}
	}
	supBlockMatrix matrix = flesh->bones;
	matrix.values = view->contactValues;
	if ( supFactor_Refactor( &run->factor, &matrix, NULL ).ok == false )
	{
		run->trouble->notConverged += 1;
	}
	memcpy( view->boneSpeeds, view->boneForces, (size_t)flesh->bones.unknownCount * sizeof( double ) );
	supFactor_Solve( &run->factor, view->boneSpeeds, 1, view->scratch, NULL );
}

// ---------------------------------------------------------------------------------------------------------------------
// Impulses, and who lets go

// D J_cond δv_b
static double Anticipate( const supLayeredRun* run, const supNodeTouch* touch, const Contact* contact,
						  supVec3d direction )
{
	const supLayeredFlesh* flesh = run->flesh;
	double sum = 0.0;
	for ( int32_t k = flesh->nodeStarts[touch->node]; k < flesh->nodeStarts[touch->node + 1]; ++k )
	{
		double row[6];
		MakeRow( run, touch, contact, direction, k, row );
		const double* dv = run->view.boneSpeeds + flesh->bones.offsets[flesh->nodeLinks[k]];
		for ( int n = 0; n < 6; ++n )
		{
			sum += row[n] * dv[n];
		}
	}
	return sum;
}

static supVec3d FindImpulse( const supLayeredRun* run, const supNodeTouch* touch, const Contact* contact )
{
	supVec3d impulse = GivenImpulse( touch );
	double rest[3];
	for ( int32_t r = 0; r < contact->rows; ++r )
	{
		rest[r] = Anticipate( run, touch, contact, contact->directions[r] ) + contact->target[r];
	}
	for ( int32_t r = 0; r < contact->rows; ++r )
	{
		double size = 0.0;
		for ( int32_t c = 0; c < contact->rows; ++c )
		{
			size -= contact->inverse[3 * c + r] * rest[c];
		}
		impulse = supMulAddVec3d( impulse, size, contact->directions[r] );
	}
	return impulse;
}

// A node that was let go: would it get in?
static bool ComesBack( supLayeredRun* run, supNodeTouch* touch )
{
	Contact contact = MakeContact( run, touch );
	touch->impulse = ( supVec3d ){ 0.0, 0.0, 0.0 };
	if ( Anticipate( run, touch, &contact, touch->normal ) + contact.target[0] < 0.0 )
	{
		touch->state = Stick;
		return true;
	}
	return false;
}

// Does a node that slides go where its friction pushes it? Friction stops, it does not drive.
static bool IsDriven( const supLayeredRun* run, const supNodeTouch* touch, const Contact* contact, supVec3d impulse )
{
	supVec3d along = GivenImpulse( touch );
	supVec3d slip = supSubVec3d( supLayered_NodeVelocity( run, touch->node ), touch->velocity );
	slip = supAddVec3d( slip, supMulMat3dVec( &contact->mobility, impulse ) );
	return supDotVec3d( along, slip ) + Anticipate( run, touch, contact, along ) > 0.0;
}

// Returns whether the touch is of another kind now, or slides with a friction that is not yet right.
static bool Judge( supLayeredRun* run, supNodeTouch* touch )
{
	if ( touch->state == Off )
	{
		return ComesBack( run, touch );
	}
	Contact contact = MakeContact( run, touch );
	supVec3d impulse = FindImpulse( run, touch, &contact );
	if ( touch->isHeld )
	{
		touch->impulse = impulse;
		return false;
	}
	double push = supDotVec3d( impulse, touch->normal );
	if ( push < 0.0 )
	{
		touch->state = Off;
		touch->impulse = ( supVec3d ){ 0.0, 0.0, 0.0 };
		return true;
	}
	supVec3d along = supMulAddVec3d( impulse, -push, touch->normal );
	double size = supLengthVec3d( along ), most = touch->friction * push;
	bool changed = false;
	if ( touch->state == Stick && size > most && touch->friction > 0.0 )
	{
		touch->state = Slide;
		along = supScaleVec3d( most / size, along );
		changed = true;
	}
	else if ( touch->state == Slide && IsDriven( run, touch, &contact, impulse ) )
	{
		touch->state = Stick;
		changed = true;
	}
	else if ( touch->state == Slide )
	{
		changed = fabs( most - size ) > 0.02 * most;
		along = supScaleVec3d( size > 0.0 ? most / size : 0.0, along );
	}
	touch->impulse = supMulAddVec3d( along, push, touch->normal );
	return changed;
}

// ---------------------------------------------------------------------------------------------------------------------
// The skin

typedef struct Answer
{
	supLayeredRun* run;
	const double* carried; // M_bsᵀ δv_b
} Answer;

static void AnswerRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Answer* answer = context;
	for ( int32_t a = begin; a < end; ++a )
	{
		double* v = answer->run->view.v + 3 * (int64_t)a;
		supVec3d pulled = supLoadVec3d( answer->carried + 3 * (int64_t)a );
		supVec3d lag = supMulMat3dVec( answer->run->view.compliances + a, pulled );
		supStoreVec3d( v, supSubVec3d( supLoadVec3d( v ), lag ) );
	}
}

static void AnswerTouches( supLayeredRun* run, const supNodeTouch* touches, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( touches[i].state != Off )
		{
			Contact contact = MakeContact( run, touches + i );
			double* v = run->view.v + 3 * (int64_t)touches[i].node;
			supVec3d push = supMulTransposed3d( &contact.blend, touches[i].impulse );
			push = supMulMat3dVec( run->view.compliances + touches[i].node, push );
			supStoreVec3d( v, supAddVec3d( supLoadVec3d( v ), push ) );
		}
	}
	for ( int32_t i = 0; i < run->flesh->links.count; ++i )
	{
		const double* dv = run->view.boneSpeeds + run->flesh->bones.offsets[i];
		supLinkState* link = run->view.links + i;
		link->velocity = supAddVec3d( link->velocity, supLoadVec3d( dv ) );
		link->spin = supAddVec3d( link->spin, supLoadVec3d( dv + 3 ) );
	}
}

// Once more with friction as it has become, so that what nodes get is what the skeleton was solved with: momentum.
static void TakeImpulses( supLayeredRun* run, supNodeTouch* touches, int32_t count )
{
	SolveSkeleton( run, touches, count );
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( touches[i].state != Off )
		{
			Contact contact = MakeContact( run, touches + i );
			touches[i].impulse = FindImpulse( run, touches + i, &contact );
		}
	}
}

static bool HasSliding( const supNodeTouch* touches, int32_t count )
{
	bool has = false;
	for ( int32_t i = 0; i < count; ++i )
	{
		has = has || touches[i].state == Slide;
	}
	return has;
}

void supLayered_Respond( supLayeredRun* run, supNodeTouch* touches, int32_t count )
{
	if ( count == 0 )
	{
		return;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		touches[i].state = Stick;
		touches[i].impulse = ( supVec3d ){ 0.0, 0.0, 0.0 };
	}
	bool changed = true;
	for ( int32_t round = 0; changed && round < MOST_ROUNDS; ++round )
	{
		SolveSkeleton( run, touches, count );
		changed = false;
		for ( int32_t i = 0; i < count; ++i )
		{
			changed = Judge( run, touches + i ) || changed;
		}
	}
	if ( changed || HasSliding( touches, count ) )
	{
		TakeImpulses( run, touches, count );
	}
	supLayered_CarryToSkin( run, run->view.boneSpeeds, run->view.skinLag );
	Answer answer = { run, run->view.skinLag };
	AnswerTouches( run, touches, count );
	supParallelFor( run->tasks, run->flesh->skin.nodeCount, GRAIN, AnswerRange, &answer );
}
