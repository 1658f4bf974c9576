// SPDX-License-Identifier: MIT
// How far skin gives where it is touched, and what of it is in the condensed matrix.
//
// Answers to contacts are solved with a block of each node in place of M̃_s^-1. What bones do to the skin is smooth, and
// the sum of a row of M̃_s^-1 (B, skin.h) is right. What a touch does is not: a node that is pushed alone drags its
// neighbours along, little more than if they stood still (D, the inverse of the diagonal block), and nodes that are
// pushed together give way together, in the middle of a large patch as far as B. The sum of a row of M̃_s^-1 over those
// that are touched, W = D + t ( B - D ), comes from a scalar model of it. A node gives what it would with its
// neighbours held, and a part p of what they do, which is such that B comes out where all are touched:
//
//     z_a = d_a + p_a ( Σ_touched c_ab z_b + Σ_others f z_a ) / neighbours,   p = 1 - d / b,   d, b traces of D and B
//
// with c the cosine between both normals in the space of the rest pose: what pushes across does not push along. Away
// from what is touched, where nothing pushes, z falls from one ring of neighbours to the next. Beside a straight edge
// two neighbours of six are in each of three rings, and it falls by μ: z = p ( μ^-1 + 1 + μ ) z / 3. Around a single
// node it falls by f_0 first: z_1 = p ( z_0 + 2 z_1 + 3 μ z_1 ) / 6. Between them f goes by how many neighbours are
// touched, four of six at an edge.
//
// What W lacks of B is the motion of skin that is not touched: the neighbours of a touched node that are free get it,
// by mass. All that bones know of the node then is its block C = W + κ ( B - W ), the same in M̂_cond, in J_cond and in
// what the skin does, with κ = 1 unless its free neighbours weigh so little that they would go farther than the node
// itself. So the contact matrix is symmetric and definite, and momentum is kept, but for what neighbours at another
// place, which other links turn, make of it: that is told to momentum.c.
#include "core/tasks.h"
#include "method/layered/layered.h"

// Part of a place from which on a node is taken to hold it.
#define LEAST_PLACE_SHARE 0.05f

#define GRAIN 512

// Part of how far skin moves from which on it gives less, and what it gives in the end. Under a rigid body that is
// moved in the same solve it gives more: nodes that are as good as rigid then ask both sides for more than they are
// free to do, and on soft skin impulses grew until answers diverged.
#define TAUT 0.7
#define LEAST_GIVE 1e-4
#define LEAST_GIVE_RIGID 1e-3

#define SWEEPS 12

// A change of z below this part of it is none, and so is one of what a node gives.
#define SETTLED_GIVE 1e-3
#define NOTED_GIVE 1e-2

static double Trace( const supMat3d* a )
{
	return a->m[0][0] + a->m[1][1] + a->m[2][2];
}

// ---------------------------------------------------------------------------------------------------------------------
// Blocks

// Skin that is stretched out gives no more: what holds it then holds the bone.
static double FindSlack( const supLayeredRun* run, const double* places, int32_t a, double least )
{
	supVec3d q = supLoadVec3d( places + 3 * (int64_t)a ), inwards = supLayered_InwardWay( run->flesh, a );
	double square = supDotVec3d( inwards, inwards );
	double pressed = square > 0.0 ? supDotVec3d( q, inwards ) / ( SUP_MOST_PRESSED * square ) : 0.0;
	double part = fmax( supLengthVec3d( q ) / supLayered_MostStretch( run->flesh, a ), pressed );
	double left = ( 1.0 - part ) / ( 1.0 - TAUT );
	return left < 1.0 ? fmax( left, least ) : 1.0;
}

static double LeastGive( const supNodeTouch* touch )
{
	return touch->rigid > 0 ? LEAST_GIVE_RIGID : LEAST_GIVE;
}

static supMat3d FindBlock( const supLayeredView* view, int32_t a, double share )
{
	supMat3d zero = supDiagonal3d( 0.0 ), way = supMulAddMat3d( view->smooth + a, -1.0, view->softest + a );
	supMat3d block = share < 1.0 ? supMulAddMat3d( view->softest + a, share, &way ) : view->smooth[a];
	return view->slacks[a] < 1.0 ? supMulAddMat3d( &zero, view->slacks[a], &block ) : block;
}

static supMat3d FindCompliance( const supLayeredView* view, int32_t a )
{
	return FindBlock( view, a, view->shares[a] );
}

static void StartRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const supLayeredView* view = &( (const supLayeredRun*)context )->view;
	memcpy( view->compliances + begin, view->smooth + begin, (size_t)( end - begin ) * sizeof( supMat3d ) );
	for ( int32_t a = begin; a < end; ++a )
	{
		view->shares[a] = view->slacks[a] = 1.0;
	}
}

static void ForgetGivers( supLayeredRun* run )
{
	for ( int32_t g = 0; g < run->view.header->giverCount; ++g )
	{
		run->view.giverOf[run->view.givers[g].node] = 0;
		run->view.shares[run->view.givers[g].node] = 1.0;
	}
}

void supLayered_FindCompliances( supLayeredRun* run )
{
	memset( run->view.giverOf, 0, (size_t)run->flesh->layer.outerCount * sizeof( int32_t ) );
	run->view.header->giverCount = 0;
	supParallelFor( run->tasks, run->flesh->skin.nodeCount, GRAIN, StartRange, run );
}

// ---------------------------------------------------------------------------------------------------------------------
// The condensed matrix

// M̂_cond += M_bs lost M_bsᵀ of one node and each two of its links.
static void AddLost( supLayeredRun* run, int32_t a, const supMat3d* lost )
{
	const supBlockMatrix* bones = &run->flesh->bones;
	supPointLink links[SUP_MAX_INFLUENCES];
	supMat3d blend;
	int32_t count = supLayered_FindPointLinks( run, a, links, &blend );
	double square = run->flesh->skin.masses[a] * run->flesh->skin.masses[a];
	for ( int32_t n = 0; n < count * count; ++n )
	{
		const supPointLink *left = links + n / count, *right = links + n % count;
		double* block = run->view.condensed + bones->blockStarts[supBlockMatrix_Find( bones, left->link, right->link )];
		int32_t size = bones->offsets[left->link + 1] - bones->offsets[left->link];
		for ( int c = 0; c < 6; ++c, block += size )
		{
			supVec3d column = { right->lags[0][c], right->lags[1][c], right->lags[2][c] };
			supVec3d taken = supScaleVec3d( square, supMulMat3dVec( lost, column ) );
			for ( int r = 0; r < 6; ++r )
			{
				block[r] += left->lags[0][r] * taken.x + left->lags[1][r] * taken.y + left->lags[2][r] * taken.z;
			}
		}
	}
}

// The condensed matrix has less of a node in it that gives less.
static void Refresh( supLayeredRun* run, int32_t a )
{
	supMat3d* compliance = run->view.compliances + a;
	supMat3d now = FindCompliance( &run->view, a ), lost = supMulAddMat3d( compliance, -1.0, &now );
	if ( fabs( Trace( &lost ) ) > NOTED_GIVE * Trace( compliance ) )
	{
		*compliance = now;
		AddLost( run, a, &lost );
	}
}

// Of each frame's part of it.
void supLayered_AddFlow( const supLayeredRun* run, int32_t node, double scale, supVec3d v, supFlow* sum )
{
	const supLayeredFlesh* flesh = run->flesh;
	for ( int32_t k = flesh->nodeStarts[node]; k < flesh->nodeStarts[node + 1]; ++k )
	{
		int32_t i = flesh->nodeFrames[k];
		const supMat3d* r = run->view.rotations + i;
		supVec3d arm = supMulMat3dVec( r, supLayered_Arm( flesh, run->view.oldQ, node, i ) );
		supVec3d flow =
			supScaleVec3d( scale * flesh->skin.masses[node] * flesh->nodeWeights[k], supMulMat3dVec( r, v ) );
		supVec3d place = supAddVec3d( run->view.centers[i], arm );
		sum->linear = supAddVec3d( sum->linear, flow );
		sum->turning = supAddVec3d( sum->turning, supCrossVec3d( place, flow ) );
	}
}

static void Stiffen( supLayeredRun* run, int32_t a, double slack )
{
	run->view.slacks[a] = slack;
	Refresh( run, a );
}

// From a place of its skin, which takes the pace p to get to, a node gives only a part s of what it gave, in this
// substep:
//
//     q̇ = p + s W ( λ - λ_p ),   p = q̇_free + W λ_p   =>   q̇ = q̇_free + ( 1 - s ) ( p - q̇_free ) + s W λ
//
// Free motion is another one for it then, which the body has less momentum by. (With s W and free motion as it was,
// bones have to make way for all that skin would have sprung back: what rested on flat skin was thrown off in every
// second step.)
static void StiffenFrom( supLayeredRun* run, int32_t a, double slack, supVec3d pace )
{
	const supLayeredView* view = &run->view;
	double *v = view->freeV + 3 * (int64_t)a, part = slack / view->slacks[a];
	supVec3d more = supSubVec3d( supLoadVec3d( v ), pace );
	supStoreVec3d( v, supMulAddVec3d( supLoadVec3d( v ), part - 1.0, more ) );
	supLayered_AddFlow( run, a, 1.0 - part, more, &view->header->lost );
	Stiffen( run, a, slack );
}

// Was what pressed on it in the last substep more than holds its skin where it is?
static bool IsBearing( const supLayeredView* view, int32_t a )
{
	double speed = supLengthVec3d( supLoadVec3d( view->freeV + 3 * (int64_t)a ) );
	return view->bearing[a] * Trace( view->softest + a ) > 3.0 * speed;
}

// Before the first answer of a substep: what pressed skin flat is going to, so that it stays where it is.
static void StiffenAtStart( supLayeredRun* run, const supNodeTouch* touch )
{
	double slack = FindSlack( run, run->view.oldQ, touch->node, LeastGive( touch ) );
	bool isPair = touch->isPair || touch->isFollower;
	if ( slack < run->view.slacks[touch->node] && isPair )
	{
		Stiffen( run, touch->node, slack );
	}
	else if ( slack < run->view.slacks[touch->node] && IsBearing( &run->view, touch->node ) )
	{
		supVec3d q = supLoadVec3d( run->view.oldQ + 3 * (int64_t)touch->node );
		supVec3d v = supLoadVec3d( run->view.freeV + 3 * (int64_t)touch->node );
		StiffenFrom( run, touch->node, slack, supMulAddVec3d( v, -supDotVec3d( v, q ) / supDotVec3d( q, q ), q ) );
	}
}

// Before the others: where the answer before has brought it.
static void StiffenAgain( supLayeredRun* run, const supNodeTouch* touch )
{
	double slack = FindSlack( run, run->view.q, touch->node, LeastGive( touch ) );
	bool isPair = touch->isPair || touch->isFollower;
	if ( slack < run->view.slacks[touch->node] && isPair )
	{
		Stiffen( run, touch->node, slack );
	}
	else if ( slack < run->view.slacks[touch->node] )
	{
		StiffenFrom( run, touch->node, slack, supLayered_SkinPace( run, touch->node ) );
	}
}

// Nodes that are touched and have come to where skin gives less do so at once: what presses on them is to press on the
// bones. Before touches are answered, not after it: what they were found to push with is right for what skin gave
// then, and is given to it again where attachments are met. Where skin touches skin, free motion stays what it is:
// two that both stay flat get into each other.
void supLayered_StiffenTouched( supLayeredRun* run )
{
	const supLayeredHeader* header = run->view.header;
	for ( int32_t n = header->pullCount; n < header->touchCount; ++n )
	{
		const supNodeTouch* touch = run->view.touches + n;
		// points of rigid parts have no skin
		if ( touch->node < run->flesh->skin.nodeCount && header->isAnswered )
		{
			StiffenAgain( run, touch );
		}
		else if ( touch->node < run->flesh->skin.nodeCount )
		{
			StiffenAtStart( run, touch );
		}
	}
	run->view.header->isAnswered = true;
}

// With its neighbours: skin that is pressed does not bulge into what presses it.
static void MarkTouched( const supLayeredRun* run, int32_t node )
{
	const supBlockMatrix* k = &run->flesh->skin.stiffness;
	for ( int32_t n = k->rowStarts[node]; n < k->rowStarts[node + 1]; ++n )
	{
		run->view.touched[k->columns[n]] = 1;
	}
}

void supLayered_KeepBearing( const supLayeredRun* run )
{
	const supLayeredView* view = &run->view;
	memset( view->touched, 0, (size_t)run->flesh->skin.nodeCount );
	memset( view->bearing, 0, (size_t)run->flesh->skin.nodeCount * sizeof( double ) );
	for ( int32_t n = view->header->pullCount; n < view->header->touchCount; ++n )
	{
		int32_t node = view->touches[n].node;
		supVec3d impulse = view->touches[n].impulse;
		if ( node < run->flesh->skin.nodeCount && supDotVec3d( impulse, impulse ) > 0.0 )
		{
			MarkTouched( run, node );
		}
		if ( node < run->flesh->skin.nodeCount && view->slacks[node] < 1.0 )
		{
			view->bearing[node] += supLengthVec3d( impulse );
		}
	}
}

void supLayered_StiffenHeld( supLayeredRun* run )
{
	for ( int32_t n = 0; n < run->view.header->goalCount; ++n )
	{
		const supAskedPlace* place = run->view.asked + n;
		for ( int32_t k = 0; k < place->count; ++k )
		{
			int32_t a = run->view.askedPoints[place->first + k];
			double slack = a < run->flesh->skin.nodeCount ? FindSlack( run, run->view.q, a, LEAST_GIVE ) : 1.0;
			if ( a < run->flesh->skin.nodeCount && slack < run->view.slacks[a] )
			{
				StiffenFrom( run, a, slack, supLayered_SkinPace( run, a ) );
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Touched nodes

typedef struct Givers
{
	supLayeredRun* run;
	int32_t first, count; // in givers
} Givers;

// R_Wᵀ normal, of unit length
static supVec3d TurnBack( const supLayeredRun* run, int32_t node, supVec3d normal )
{
	const supLayeredFlesh* flesh = run->flesh;
	supVec3d sum = { 0.0, 0.0, 0.0 };
	for ( int32_t k = flesh->nodeStarts[node]; k < flesh->nodeStarts[node + 1]; ++k )
	{
		supVec3d turned = supMulTransposed3d( run->view.rotations + flesh->nodeFrames[k], normal );
		sum = supMulAddVec3d( sum, flesh->nodeWeights[k], turned );
	}
	double length = supLengthVec3d( sum );
	return length > 0.0 ? supScaleVec3d( 1.0 / length, sum ) : sum;
}

// - normal: in the world; nothing where it is held in all directions
static void AddGiver( Givers* givers, int32_t node, supVec3d normal, bool isPlace )
{
	const supLayeredView* view = &givers->run->view;
	if ( node < givers->run->flesh->skin.nodeCount && view->giverOf[node] == 0 )
	{
		supGiver* giver = view->givers + givers->first + givers->count++;
		*giver =
			( supGiver ){ .node = node, .own = Trace( view->softest + node ), .all = Trace( view->smooth + node ) };
		giver->way = giver->own;
		giver->normal = TurnBack( givers->run, node, normal );
		view->giverOf[node] = givers->first + givers->count;
		giver->isPlace = isPlace;
	}
}

// f: what a neighbour that nothing pushes does of what the node does.
static double FindFall( double part, double touched )
{
	double sum = 3.0 / part - 1.0;
	double edge = 2.0 / ( sum + sqrt( fmax( sum * sum - 4.0, 0.0 ) ) );
	double alone = part / ( 6.0 - 2.0 * part - 3.0 * part * edge );
	return alone + ( edge - alone ) * fmin( 1.5 * touched, 1.0 );
}

// How much of what one of two neighbours is pushed by moves the other.
static double FindCosine( const supGiver* a, const supGiver* b )
{
	bool isHeld = supDotVec3d( a->normal, a->normal ) == 0.0 || supDotVec3d( b->normal, b->normal ) == 0.0;
	return isHeld ? 1.0 : fmax( supDotVec3d( a->normal, b->normal ), 0.0 );
}

static void FindNeighbours( const Givers* givers, supGiver* giver )
{
	const supBlockMatrix* k = &givers->run->flesh->skin.stiffness;
	int32_t begin = k->rowStarts[giver->node], end = k->rowStarts[giver->node + 1], inside = 0;
	double part = fmax( 1.0 - giver->own / giver->all, 0.0 );
	giver->freeMass = 0.0;
	for ( int32_t n = begin; n < end; ++n )
	{
		bool isFree = givers->run->view.giverOf[k->columns[n]] == 0;
		inside += isFree == false && k->columns[n] != giver->node;
		giver->freeMass += isFree ? givers->run->flesh->skin.masses[k->columns[n]] : 0.0;
	}
	int32_t neighbours = end - begin - 1;
	giver->part = neighbours > 0 ? part / neighbours : 0.0;
	double fall = giver->part > 0.0 ? FindFall( part, (double)inside / neighbours ) : 0.0;
	giver->held = 1.0 - giver->part * fall * ( neighbours - inside );
	giver->isAlone = inside == 0;
}

// Gauss and Seidel. Returns the largest change, as a part.
static double Sweep( const Givers* givers )
{
	const supLayeredView* view = &givers->run->view;
	const supBlockMatrix* k = &givers->run->flesh->skin.stiffness;
	double most = 0.0;
	for ( int32_t g = givers->first; g < givers->first + givers->count; ++g )
	{
		supGiver* giver = view->givers + g;
		double sum = 0.0;
		for ( int32_t n = k->rowStarts[giver->node]; n < k->rowStarts[giver->node + 1] && giver->isAlone == false; ++n )
		{
			int32_t other = view->giverOf[k->columns[n]];
			if ( other > 0 && other != g + 1 )
			{
				sum += FindCosine( giver, view->givers + other - 1 ) * view->givers[other - 1].way;
			}
		}
		double way = ( giver->own + giver->part * sum ) / giver->held;
		most = fmax( most, fabs( way - giver->way ) / way );
		giver->way = way;
	}
	return most;
}

static void SolveGivers( const Givers* givers )
{
	const supLayeredView* view = &givers->run->view;
	for ( int32_t g = givers->first; g < givers->first + givers->count; ++g )
	{
		FindNeighbours( givers, view->givers + g );
	}
	for ( int32_t sweep = 0; sweep < SWEEPS && Sweep( givers ) > SETTLED_GIVE; ++sweep )
	{
	}
	for ( int32_t g = givers->first; g < givers->first + givers->count; ++g )
	{
		supGiver* giver = view->givers + g;
		double range = giver->all - giver->own;
		giver->share = range > 0.0 ? fmin( fmax( ( giver->way - giver->own ) / range, 0.0 ), 1.0 ) : 1.0;
		giver->freeMass = giver->isPlace ? 0.0 : giver->freeMass;
		double own = giver->own + giver->share * range, rest = ( 1.0 - giver->share ) * range;
		double mass = givers->run->flesh->skin.masses[giver->node];
		double kept = mass * rest > own * giver->freeMass ? own * giver->freeMass / ( mass * rest ) : 1.0;
		view->shares[giver->node] = giver->share + kept * ( 1.0 - giver->share );
	}
}

supMat3d supLayered_Give( const supLayeredRun* run, int32_t node )
{
	const supLayeredView* view = &run->view;
	const supGiver* giver = view->givers + view->giverOf[node] - 1;
	bool hasOthers = view->giverOf[node] > 0 && giver->freeMass > 0.0;
	return hasOthers ? FindBlock( view, node, giver->share ) : view->compliances[node];
}

void supLayered_Dent( const supLayeredRun* run, supNodeTouch* touch, supVec3d push )
{
	const supLayeredView* view = &run->view;
	const supBlockMatrix* k = &run->flesh->skin.stiffness;
	if ( touch->node >= run->flesh->skin.nodeCount )
	{
		// of a rigid part: its link has moved
		return;
	}
	supMat3d give = supLayered_Give( run, touch->node );
	supVec3d own = supMulMat3dVec( &give, push ), all = supMulMat3dVec( view->compliances + touch->node, push );
	supVec3d rest = supSubVec3d( all, own );
	double* v = view->v + 3 * (int64_t)touch->node;
	supStoreVec3d( v, supAddVec3d( supLoadVec3d( v ), own ) );
	int32_t giver = view->giverOf[touch->node];
	if ( giver == 0 || !( view->givers[giver - 1].freeMass > 0.0 ) )
	{
		return;
	}
	rest = supScaleVec3d( run->flesh->skin.masses[touch->node] / view->givers[giver - 1].freeMass, rest );
	supLayered_AddFlow( run, touch->node, view->givers[giver - 1].freeMass / run->flesh->skin.masses[touch->node], rest,
						&touch->lost );
	for ( int32_t n = k->rowStarts[touch->node]; n < k->rowStarts[touch->node + 1]; ++n )
	{
		int32_t b = k->columns[n];
		if ( view->giverOf[b] == 0 )
		{
			supStoreVec3d( view->v + 3 * (int64_t)b, supAddVec3d( supLoadVec3d( view->v + 3 * (int64_t)b ), rest ) );
			supLayered_AddFlow( run, b, -1.0, rest, &touch->lost );
		}
	}
}

static bool WasGiver( const supLayeredRun* run, int32_t node )
{
	int32_t giver = node < run->flesh->skin.nodeCount ? run->view.giverOf[node] : 0;
	return giver > 0 && run->view.givers[giver - 1].isPlace == false;
}

// Is there going to be anything to answer? As free motion has it, relative where two nodes touch, or as an answer of
// this substep has it: skin that others push in front of them, onto what it touches, is to be out of their way in the
// next. Who is met once stays so for the substep: answers start all over each time, and skin is to give the same.
static bool IsMet( const supLayeredRun* run, const supNodeTouch* touch, const supContactParty* parties )
{
	if ( touch->isMet || touch->isHeld || WasGiver( run, touch->node ) )
	{
		return true;
	}
	if ( touch->isGiven )
	{
		return supDotVec3d( touch->impulse, touch->impulse ) > 0.0;
	}
	supVec3d slip = supSubVec3d( supLayered_NodeVelocity( run, touch->node ), touch->velocity );
	if ( touch->isPair )
	{
		const supLayeredRun* other = parties[touch->otherParty].work;
		int32_t node = other->view.touches[touch->otherTouch].node;
		slip = supSubVec3d( slip, supLayered_NodeVelocity( other, node ) );
	}
	return supDotVec3d( touch->normal, slip ) < 0.0;
}

void supLayered_MarkMet( const supContactParty* parties, int32_t partyCount )
{
	for ( int32_t p = 0; p < partyCount; ++p )
	{
		supLayeredRun* run = parties[p].work;
		for ( int32_t i = 0; i < run->view.header->touchCount; ++i )
		{
			supNodeTouch* touch = run->view.touches + i;
			if ( touch->isFollower == false )
			{
				touch->isMet = IsMet( run, touch, parties );
			}
			if ( touch->isFollower == false && touch->isPair )
			{
				supLayeredRun* other = parties[touch->otherParty].work;
				supNodeTouch* follower = other->view.touches + touch->otherTouch;
				follower->isMet = touch->isMet;
				follower->normal = supScaleVec3d( -1.0, touch->normal );
			}
		}
	}
}

void supLayered_FindGive( supLayeredRun* run )
{
	supLayeredView* view = &run->view;
	int32_t before = view->header->giverCount;
	Givers givers = { run, before, 0 };
	ForgetGivers( run );
	for ( int32_t i = 0; i < view->header->touchCount; ++i )
	{
		if ( view->touches[i].isMet )
		{
			const supNodeTouch* touch = view->touches + i;
			AddGiver( &givers, touch->node, touch->isHeld ? ( supVec3d ){ 0.0, 0.0, 0.0 } : touch->normal, false );
		}
	}
	for ( int32_t i = 0; i < view->header->askedCount; ++i )
	{
		const supAskedPlace* place = view->asked + i;
		for ( int32_t k = place->first; k < place->first + place->count; ++k )
		{
			if ( view->askedWeights[k] > LEAST_PLACE_SHARE )
			{
				AddGiver( &givers, view->askedPoints[k], ( supVec3d ){ 0.0, 0.0, 0.0 }, true );
			}
		}
	}
	SolveGivers( &givers );
	for ( int32_t g = 0; g < before + givers.count; ++g )
	{
		Refresh( run, view->givers[g].node );
	}
	memmove( view->givers, view->givers + before, (size_t)givers.count * sizeof( supGiver ) );
	view->header->giverCount = givers.count;
	for ( int32_t g = 0; g < givers.count; ++g )
	{
		view->giverOf[view->givers[g].node] = g + 1;
	}
}
