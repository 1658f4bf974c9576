// SPDX-License-Identifier: MIT
// Phases 5 to 7 of a step: what touches the skin dents it and pushes the skeleton, in one solve (Eq. 12 to 15). With
// rows D of each touch (the normal, or all three directions where it sticks):
//
//     M_λ      = D ( W + give ) Dᵀ                          one small block per touch: touches do not meet in it
//     M_b*     = M̂_cond + Σ ( D J_cond )ᵀ M_λ^-1 ( D J_cond ),   b* = - Σ ( D J_cond )ᵀ M_λ^-1 b_λ
//     λ        = - M_λ^-1 ( D J_cond δv_b + b_λ )
//     δv_s     = W_a R_Wᵀ Dᵀ λ - C_a M_bsᵀ δv_b, and what skin around touches does; contact_compliance.c has the blocks
//     W and C
//
// The paper's contacts are equations and can pull. Here a node that would be pulled is let go, one whose friction is
// not enough slides (its friction then is a given force), and one let go that would get in comes back: a few rounds
// until nothing changes. Limits of joints are rows of the skeleton alone that push and never pull, in the same rounds.
//
// Where two nodes touch each other, of two bodies or of one, their row couples links that have no block in the
// skeleton's matrix. All bodies are one system then: each one's own M_b*, with its own part of these rows, is the
// preconditioner of conjugate gradients on the whole, which end after about as many rounds as the coupled links have
// ways to move. Both nodes get the same impulse: momentum is kept whatever is left. Rigid bodies that are touched are
// part of that system, six velocities each.
#include "core/tasks.h"
#include "method/layered/group.h"

#define GRAIN 512
#define MOST_ROUNDS 12

// How often a touch may be let go, or slide and stick again, before it has to decide.
#define MOST_TURNS 2

// A limit that is met is as stiff as this times what it has to turn.
#define LIMIT_STIFFNESS_RATIO 1e7

// Part of the way beyond a limit that is taken back in a step, and the most of it, in radians a second.
#define LIMIT_RECOVERY 0.2
#define MOST_RECOVERY 4.0

// ---------------------------------------------------------------------------------------------------------------------
// Limits

static double SpeedOf( const supLayeredFlesh* flesh, const supLimit* limit, const double* v )
{
	const double* child = v + flesh->bones.offsets[limit->link];
	const double* parent = v + flesh->bones.offsets[flesh->links.links[limit->link].parent];
	double sum = 0.0;
	for ( int k = 3; k < 6; ++k )
	{
		sum += limit->row.parent[k] * parent[k] + limit->row.child[k] * child[k];
	}
	return sum;
}

// Block ( i, j ) of M_b* += s leftᵀ right.
static void AddSquare( supLayeredRun* run, int32_t i, int32_t j, double s, const double left[6], const double right[6] )
{
	const supBlockMatrix* bones = &run->flesh->bones;
	double* block = run->view.contactValues + bones->blockStarts[supBlockMatrix_Find( bones, i, j )];
	int32_t size = bones->offsets[i + 1] - bones->offsets[i];
	for ( int c = 0; c < 6; ++c )
	{
		for ( int r = 0; r < 6; ++r )
		{
			block[c * size + r] += left[r] * ( s * right[c] );
		}
	}
}

// As stiff as the heavier of what it turns, control included.
static double FindStiffness( const supLayeredRun* run, int32_t link )
{
	const supBlockMatrix* bones = &run->flesh->bones;
	const double* block = run->view.condensed + bones->blockStarts[supBlockMatrix_Find( bones, link, link )];
	int32_t size = bones->offsets[link + 1] - bones->offsets[link];
	return LIMIT_STIFFNESS_RATIO * ( block[3 * size + 3] + block[4 * size + 4] + block[5 * size + 5] );
}

// Returns whether any is going to be passed.
static bool PrepareLimits( supLayeredRun* run )
{
	const supLayeredFlesh* flesh = run->flesh;
	bool any = false;
	for ( int32_t n = 0; n < run->view.header->limitCount; ++n )
	{
		supLimit* limit = run->view.limits + n;
		const supLinkState *child = run->view.links + limit->link,
						   *parent = run->view.links + flesh->links.links[limit->link].parent;
		double way = limit->row.error / run->dt;
		way = way < 0.0 ? fmax( LIMIT_RECOVERY * way, -MOST_RECOVERY ) : way;
		limit->target = way + supDotVec3d( supLoadVec3d( limit->row.parent + 3 ), parent->spin ) +
						supDotVec3d( supLoadVec3d( limit->row.child + 3 ), child->spin );
		limit->isOn = limit->target < 0.0;
		limit->impulse = limit->summed = limit->pushed = 0.0;
		any = any || limit->isOn;
	}
	return any;
}

static void ChooseLimitStiffness( supLayeredRun* run )
{
	for ( int32_t n = 0; n < run->view.header->limitCount; ++n )
	{
		run->view.limits[n].stiffness = FindStiffness( run, run->view.limits[n].link );
	}
}

// As much as there is more of it than there was, here and below.
static void AddLimitForce( supLayeredRun* run, supLimit* limit )
{
	const supLayeredFlesh* flesh = run->flesh;
	int32_t j = limit->link, i = flesh->links.links[j].parent;
	double now = limit->isOn ? -limit->stiffness * limit->target : 0.0, more = now - limit->pushed;
	for ( int n = 3; n < 6; ++n )
	{
		run->view.boneForces[flesh->bones.offsets[i] + n] += more * limit->row.parent[n];
		run->view.boneForces[flesh->bones.offsets[j] + n] += more * limit->row.child[n];
	}
	limit->pushed = now;
}

static void AddLimitSquare( supLayeredRun* run, supLimit* limit )
{
	int32_t j = limit->link, i = run->flesh->links.links[j].parent;
	const double *child = limit->row.child, *parent = limit->row.parent;
	double now = limit->isOn ? limit->stiffness : 0.0, more = now - limit->summed;
	if ( more != 0.0 )
	{
		AddSquare( run, i, i, more, parent, parent );
		AddSquare( run, i, j, more, parent, child );
		AddSquare( run, j, i, more, child, parent );
		AddSquare( run, j, j, more, child, child );
		limit->summed = now;
	}
}

static bool JudgeLimit( const supLayeredRun* run, supLimit* limit )
{
	double rest = SpeedOf( run->flesh, limit, run->view.boneSpeeds ) + limit->target;
	double slack = 1e-9 * fabs( limit->target );
	if ( limit->isOn )
	{
		limit->impulse = fmax( -limit->stiffness * rest, 0.0 );
		limit->isOn = rest <= 0.0;
		return limit->isOn == false;
	}
	limit->impulse = 0.0;
	limit->isOn = rest < -slack;
	return limit->isOn;
}

// ---------------------------------------------------------------------------------------------------------------------
// Each skeleton by itself

// Block ( i, j ) of M_b* += leftᵀ right, over three rows.
static void AddProduct( supLayeredRun* run, int32_t i, int32_t j, const double ( *left )[6],
						const double ( *right )[6] )
{
	const supBlockMatrix* bones = &run->flesh->bones;
	double* block = run->view.contactValues + bones->blockStarts[supBlockMatrix_Find( bones, i, j )];
	int32_t size = bones->offsets[i + 1] - bones->offsets[i];
	for ( int c = 0; c < 6; ++c, block += size )
	{
		for ( int r = 0; r < 6; ++r )
		{
			block[r] += left[0][r] * right[0][c] + left[1][r] * right[1][c] + left[2][r] * right[2][c];
		}
	}
}

// Jᵀ more J of one node.
static void AddNodeSquare( supLayeredRun* run, const supMat3d* more, const supTouchWork* node )
{
	const double( *k )[3] = more->m;
	for ( int32_t m = node->first; m < node->first + node->count; ++m )
	{
		const supTouchJacobian* right = run->view.jacobians + m;
		double firm[3][6];
		for ( int n = 0; n < 6; ++n )
		{
			for ( int r = 0; r < 3; ++r )
			{
				firm[r][n] = k[0][r] * right->rows[0][n] + k[1][r] * right->rows[1][n] + k[2][r] * right->rows[2][n];
			}
		}
		for ( int32_t l = node->first; l < node->first + node->count; ++l )
		{
			const supTouchJacobian* left = run->view.jacobians + l;
			AddProduct( run, left->link, right->link, left->rows, (const double( * )[6])firm );
		}
	}
}

static supVec3d FindPush( const supNodeTouch* touch, supTouchWork* work )
{
	supVec3d wanted = { 0.0, 0.0, 0.0 };
	if ( IsPushing( touch ) == false )
	{
		work->chosen = 0;
		return wanted;
	}
	supLayered_ChooseRows( touch, work );
	for ( int32_t r = 0; r < work->rows; ++r )
	{
		wanted = supMulAddVec3d( wanted, work->target[r], work->directions[r] );
	}
	return supSubVec3d( supLayered_GivenImpulse( touch ), supMulMat3dVec( &work->firm, wanted ) );
}

static void AddTouchForce( const Group* group, const supLayeredRun* run, const supNodeTouch* touch, supTouchWork* work )
{
	supTouchWork* otherWork;
	const supLayeredRun* other = OtherRun( group, touch, &otherWork );
	supVec3d push = FindPush( touch, work ), more = supSubVec3d( push, work->pushed );
	work->pushed = push;
	if ( supDotVec3d( more, more ) == 0.0 )
	{
		return;
	}
	supLayered_AddPush( run, work, more, run->view.boneForces );
	if ( other != NULL )
	{
		supLayered_AddPush( other, otherWork, supScaleVec3d( -1.0, more ), other->view.boneForces );
	}
	supContactRigid* rigid = RigidOf( group, touch );
	if ( rigid != NULL )
	{
		supContactRigid_AddPush( rigid->forces, touch->lever, supScaleVec3d( -1.0, more ) );
	}
}

// Nothing of what it would push with has changed: neither its rows nor, if it slides, its friction.
static bool IsPushed( const supNodeTouch* touch, const supTouchWork* work )
{
	return IsPushing( touch ) && work->chosen == 1 + touch->state && touch->state != sup_touchSlide;
}

// In all rounds but the first few touches are others than they were.
static void AssembleForces( const Group* group )
{
	for ( int32_t p = 0; p < group->count; ++p )
	{
		supLayeredRun* run = RunAt( group, p );
		for ( int32_t i = 0; i < TouchCount( run ); ++i )
		{
			if ( IsPushed( run->view.touches + i, run->view.work + i ) == false )
			{
				AddTouchForce( group, run, run->view.touches + i, run->view.work + i );
			}
		}
		for ( int32_t i = 0; i < run->view.header->limitCount; ++i )
		{
			AddLimitForce( run, run->view.limits + i );
		}
	}
}

// ( D J )ᵀ M_λ^-1 ( D J ) of a touch, as much as there is more of it than the matrices have: in all rounds but the
// first few touches are others than they were.
static void AddTouchSquare( const Group* group, supLayeredRun* run, const supNodeTouch* touch, supTouchWork* work )
{
	supMat3d zero = supDiagonal3d( 0.0 ), now = IsPushing( touch ) ? work->firm : zero;
	if ( memcmp( &now, &work->summed, sizeof( now ) ) == 0 )
	{
		return;
	}
	supMat3d more = supMulAddMat3d( &now, -1.0, &work->summed );
	AddNodeSquare( run, &more, work );
	supContactRigid* rigid = RigidOf( group, touch );
	if ( rigid != NULL )
	{
		supContactRigid_AddSquare( rigid, touch->lever, &more );
	}
	if ( touch->isPair )
	{
		supLayeredRun* other = RunAt( group, touch->otherParty );
		AddNodeSquare( other, &more, other->view.work + touch->otherTouch );
	}
	work->summed = now;
}

static void StartSystem( const Group* group )
{
	for ( int32_t p = 0; p < group->count; ++p )
	{
		supLayeredRun* run = RunAt( group, p );
		const supBlockMatrix* bones = &run->flesh->bones;
		memcpy( run->view.contactValues, run->view.condensed,
				(size_t)bones->blockStarts[bones->blockCount] * sizeof( double ) );
		memset( run->view.boneForces, 0, (size_t)bones->unknownCount * sizeof( double ) );
	}
	for ( int32_t i = 0; i < group->rigidCount; ++i )
	{
		supContactRigid_StartMatrix( group->rigids + i );
		memset( group->rigids[i].forces, 0, sizeof( group->rigids[i].forces ) );
	}
}

static void AssembleMatrices( const Group* group )
{
	for ( int32_t p = 0; p < group->count; ++p )
	{
		supLayeredRun* run = RunAt( group, p );
		for ( int32_t i = 0; i < TouchCount( run ); ++i )
		{
			AddTouchSquare( group, run, run->view.touches + i, run->view.work + i );
		}
		for ( int32_t i = 0; i < run->view.header->limitCount; ++i )
		{
			AddLimitSquare( run, run->view.limits + i );
		}
	}
}

static void FactorAll( const Group* group )
{
	AssembleMatrices( group );
	for ( int32_t p = 0; p < group->count; ++p )
	{
		supLayeredRun* run = RunAt( group, p );
		supBlockMatrix matrix = run->flesh->bones;
		matrix.values = run->view.contactValues;
		if ( supFactor_Refactor( &run->factor, &matrix, NULL ).ok == false )
		{
			run->trouble->notConverged += 1;
		}
	}
	for ( int32_t i = 0; i < group->rigidCount; ++i )
	{
		supContactRigid_Factor( group->rigids + i );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// All of them

static void SolveSkeletons( const Group* group, bool isNew )
{
	AssembleForces( group );
	if ( isNew )
	{
		FactorAll( group );
	}
	for ( int32_t p = 0; p < group->count; ++p )
	{
		supLayered_SolveOwn( RunAt( group, p ), RunAt( group, p )->view.boneForces,
							 RunAt( group, p )->view.boneSpeeds );
	}
	for ( int32_t i = 0; i < group->rigidCount; ++i )
	{
		supContactRigid_Solve( group->rigids + i, group->rigids[i].forces, group->rigids[i].speeds );
	}
	if ( group->hasPairs )
	{
		supLayered_SolveTogether( group );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Impulses, and released contacts

// J_cond δv_b, relative where two nodes touch.
static supVec3d AnticipateTouch( const Group* group, const supLayeredRun* run, const supNodeTouch* touch,
								 const supTouchWork* work )
{
	supTouchWork* otherWork;
	const supLayeredRun* other = OtherRun( group, touch, &otherWork );
	const supContactRigid* rigid = RigidOf( group, touch );
	supVec3d u = supLayered_Anticipate( run, work, run->view.boneSpeeds );
	u = rigid == NULL ? u : supSubVec3d( u, supContactRigid_SpeedAt( rigid->speeds, touch->lever ) );
	return other == NULL ? u : supSubVec3d( u, supLayered_Anticipate( other, otherWork, other->view.boneSpeeds ) );
}

static supVec3d FindImpulse( const supNodeTouch* touch, const supTouchWork* work, supVec3d moved )
{
	supVec3d rest = moved;
	for ( int32_t r = 0; r < work->rows; ++r )
	{
		rest = supMulAddVec3d( rest, work->target[r], work->directions[r] );
	}
	return supSubVec3d( supLayered_GivenImpulse( touch ), supMulMat3dVec( &work->firm, rest ) );
}

// How a touch has changed: not, only in what is given, or so that the matrix is another.
typedef enum Change
{
	changeNone,
	changeForce,
	changeRows,
} Change;

// A released node: would it penetrate?
static Change ComesBack( supNodeTouch* touch, const supTouchWork* work, supVec3d moved )
{
	touch->impulse = ( supVec3d ){ 0.0, 0.0, 0.0 };
	if ( supDotVec3d( touch->normal, supAddVec3d( moved, work->slip ) ) < 0.0 )
	{
		touch->state = touch->turns < MOST_TURNS ? sup_touchStick : sup_touchSlide;
		return changeRows;
	}
	return changeNone;
}

// Does a node that slides go where its friction pushes it? Friction stops, it does not drive.
static bool IsDriven( const supNodeTouch* touch, const supTouchWork* work, supVec3d moved, supVec3d impulse )
{
	supVec3d along = supLayered_GivenImpulse( touch );
	supVec3d slip = supAddVec3d( work->slip, supMulMat3dVec( &work->reach, impulse ) );
	return supDotVec3d( along, supAddVec3d( slip, moved ) ) > 0.0;
}

// What friction of a node that slides is to be. One that has turned back and forth before stays as it is, with less of
// it where that drives: between sticking and sliding, neither of the two ends.
static Change JudgeSliding( supNodeTouch* touch, bool isDriven, double most, supVec3d* along )
{
	double size = supLengthVec3d( *along ), wanted = most;
	if ( touch->turns >= MOST_TURNS )
	{
		wanted = isDriven ? 0.5 * size : fmin( size, most );
	}
	*along = supScaleVec3d( size > 0.0 ? wanted / size : 0.0, *along );
	return fabs( wanted - size ) > 0.02 * most ? changeForce : changeNone;
}

static Change Judge( supNodeTouch* touch, const supTouchWork* work, supVec3d moved )
{
	if ( touch->state == sup_touchOff )
	{
		return ComesBack( touch, work, moved );
	}
	supVec3d impulse = FindImpulse( touch, work, moved );
	if ( touch->isHeld || touch->isGiven )
	{
		touch->impulse = impulse;
		return changeNone;
	}
	double push = supDotVec3d( impulse, touch->normal );
	if ( push < 0.0 )
	{
		touch->state = sup_touchOff;
		touch->turns += 1;
		touch->impulse = ( supVec3d ){ 0.0, 0.0, 0.0 };
		return changeRows;
	}
	supVec3d along = supMulAddVec3d( impulse, -push, touch->normal );
	double size = supLengthVec3d( along ), most = touch->friction * push;
	bool isDriven = touch->state == sup_touchSlide && IsDriven( touch, work, moved, impulse );
	Change change = changeNone;
	if ( touch->state == sup_touchStick && size > most && touch->friction > 0.0 )
	{
		touch->state = sup_touchSlide;
		along = supScaleVec3d( most / size, along );
		change = changeRows;
	}
	else if ( isDriven && touch->turns < MOST_TURNS )
	{
		touch->state = sup_touchStick;
		touch->turns += 1;
		change = changeRows;
	}
	else if ( touch->state == sup_touchSlide )
	{
		change = JudgeSliding( touch, isDriven, most, &along );
	}
	touch->impulse = supMulAddVec3d( along, push, touch->normal );
	return change;
}

static Change JudgeAll( const Group* group )
{
	Change change = changeNone;
	for ( int32_t p = 0; p < group->count; ++p )
	{
		supLayeredRun* run = RunAt( group, p );
		for ( int32_t i = 0; i < TouchCount( run ); ++i )
		{
			supNodeTouch* touch = run->view.touches + i;
			supTouchWork* work = run->view.work + i;
			if ( touch->isFollower == false && work->count > 0 )
			{
				Change now = Judge( touch, work, AnticipateTouch( group, run, touch, work ) );
				change = now > change ? now : change;
			}
		}
		for ( int32_t i = 0; i < run->view.header->limitCount; ++i )
		{
			change = JudgeLimit( run, run->view.limits + i ) ? changeRows : change;
		}
	}
	return change;
}

// Once more with friction as it has become, so that what nodes get is what the skeleton was solved with: momentum.
static void TakeImpulses( const Group* group, bool isNew )
{
	SolveSkeletons( group, isNew );
	for ( int32_t p = 0; p < group->count; ++p )
	{
		supLayeredRun* run = RunAt( group, p );
		for ( int32_t i = 0; i < TouchCount( run ); ++i )
		{
			supNodeTouch* touch = run->view.touches + i;
			supTouchWork* work = run->view.work + i;
			if ( IsPushing( touch ) )
			{
				touch->impulse = FindImpulse( touch, work, AnticipateTouch( group, run, touch, work ) );
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The skin

static void AnswerRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const supLayeredRun* run = context;
	for ( int32_t a = begin; a < end; ++a )
	{
		double* v = run->view.v + 3 * (int64_t)a;
		supVec3d pulled = supLoadVec3d( run->view.skinLag + 3 * (int64_t)a );
		supVec3d lag = supMulMat3dVec( run->view.compliances + a, pulled );
		supStoreVec3d( v, supSubVec3d( supLoadVec3d( v ), lag ) );
	}
}

static supVec3d OldPlace( const supLayeredRun* run, int32_t node )
{
	const supVec4* p = run->view.oldPoints + node;
	return ( supVec3d ){ (double)p->x, (double)p->y, (double)p->z };
}

static void TakeTouches( const Group* group, const supLayeredRun* run )
{
	for ( int32_t i = 0; i < TouchCount( run ); ++i )
	{
		supNodeTouch* touch = run->view.touches + i;
		if ( IsPushing( touch ) )
		{
			supLayered_Dent( run, touch, supMulTransposed3d( &run->view.work[i].blend, touch->impulse ) );
		}
		if ( touch->isFollower == false && touch->isPair )
		{
			supTouchWork* otherWork;
			const supLayeredRun* other = OtherRun( group, touch, &otherWork );
			supNodeTouch* follower = other->view.touches + touch->otherTouch;
			follower->impulse = supScaleVec3d( -1.0, touch->impulse );
			supLayered_Dent( other, follower, supMulTransposed3d( &otherWork->blend, follower->impulse ) );
			supVec3d way = supSubVec3d( OldPlace( other, follower->node ), OldPlace( run, touch->node ) );
			touch->couple = follower->couple = supScaleVec3d( 0.5, supCrossVec3d( way, touch->impulse ) );
		}
	}
}

static void MoveLinks( const supLayeredRun* run )
{
	supLayered_KeepMultipliers( run, true );
	for ( int32_t i = 0; i < run->flesh->links.count; ++i )
	{
		const double* dv = run->view.boneSpeeds + run->flesh->bones.offsets[i];
		supLinkState* link = run->view.links + i;
		link->velocity = supAddVec3d( link->velocity, supLoadVec3d( dv ) );
		link->spin = supAddVec3d( link->spin, supLoadVec3d( dv + 3 ) );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

// Returns whether there is anything to answer.
static bool Prepare( Group* group )
{
	bool any = false;
	supLayered_MarkMet( group->parties, group->count );
	for ( int32_t p = 0; p < group->count; ++p )
	{
		supLayeredRun* run = RunAt( group, p );
		any = any || TouchCount( run ) > 0;
		any = PrepareLimits( run ) || any;
	}
	for ( int32_t p = 0; p < group->count && any; ++p )
	{
		supLayeredRun* run = RunAt( group, p );
		int32_t jacobianCount = 0;
		supLayered_FindGive( run );
		ChooseLimitStiffness( run );
		for ( int32_t i = 0; i < TouchCount( run ); ++i )
		{
			supNodeTouch* touch = run->view.touches + i;
			bool fits = supLayered_PrepareTouch( run, touch, run->view.work + i, &jacobianCount );
			touch->state = fits ? sup_touchStick : sup_touchOff;
			touch->turns = 0;
			touch->lost = ( supFlow ){ 0 };
			touch->impulse = touch->isGiven ? touch->impulse : ( supVec3d ){ 0.0, 0.0, 0.0 };
			group->hasPairs = group->hasPairs || touch->isPair || RigidOf( group, touch ) != NULL;
		}
	}
	for ( int32_t p = 0; p < group->count && any; ++p )
	{
		supLayeredRun* run = RunAt( group, p );
		for ( int32_t i = 0; i < TouchCount( run ); ++i )
		{
			supTouchWork* otherWork;
			OtherRun( group, run->view.touches + i, &otherWork );
			supLayered_PrepareRows( run->view.touches + i, run->view.work + i, otherWork );
		}
	}
	return any;
}

static bool HasSliding( const Group* group )
{
	bool has = false;
	for ( int32_t p = 0; p < group->count; ++p )
	{
		const supLayeredRun* run = RunAt( group, p );
		for ( int32_t i = 0; i < TouchCount( run ); ++i )
		{
			has = has || run->view.touches[i].state == sup_touchSlide;
		}
	}
	return has;
}

void supLayered_Respond( const supContactParty* parties, int32_t partyCount )
{
	Group group = { .parties = parties, .count = partyCount };
	group.rigidCount = parties[0].rigidCount;
	group.rigids = parties[0].rigids;
	if ( Prepare( &group ) == false )
	{
		return;
	}
	supLayered_EndStage( RunAt( &group, 0 ), sup_stageTouchSetup );
	StartSystem( &group );
	Change change = changeRows;
	int32_t round = 0;
	for ( ; change != changeNone && round < MOST_ROUNDS; ++round )
	{
		SolveSkeletons( &group, change == changeRows );
		change = JudgeAll( &group );
	}
	RunAt( &group, 0 )->view.header->rounds = round;
	if ( change != changeNone || HasSliding( &group ) )
	{
		TakeImpulses( &group, change == changeRows );
	}
	supLayered_EndStage( RunAt( &group, 0 ), sup_stageTouchBones );
	for ( int32_t p = 0; p < group.count; ++p )
	{
		supLayeredRun* run = RunAt( &group, p );
		supLayered_CarryToSkin( run, run->view.boneSpeeds, run->view.skinLag );
		MoveLinks( run );
		supParallelFor( run->tasks, run->flesh->skin.nodeCount, GRAIN, AnswerRange, run );
	}
	for ( int32_t p = 0; p < group.count; ++p )
	{
		TakeTouches( &group, RunAt( &group, p ) );
	}
	supLayered_EndStage( RunAt( &group, 0 ), sup_stageTouchSkin );
}
