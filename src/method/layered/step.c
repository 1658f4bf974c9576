// SPDX-License-Identifier: MIT
// State, and the phases of a substep as the scene calls them. The paper's nine (section 5.6):
//
//     predict   1 bones   2 skin   3 positions, all free of contact
//     solve     what drags the flesh, as touches through 5 to 8
//     scene     4 collision detection
//     finish    5 condensed contacts   6 skeleton   7 impulses and skin   8 positions   9 repair
#include "core/tasks.h"
#include "method/grab.h"
#include "method/layered/nodes_kernel.h"

// Part of the body's size that anything may move in a substep and still count as resting.
#define SETTLED 1e-6

// A root that jumps by more than this part of the body's size in a substep was put elsewhere: no motion is meant.
#define JUMP 1.0

// What a rigid part gives where it is touched, as part of what its link would, free of all others.
#define RIGID_GIVE 1e-3

// ---------------------------------------------------------------------------------------------------------------------
// State

typedef struct Layout
{
	char* base;
	size_t at;
} Layout;

static void* Take( Layout* layout, size_t count, size_t itemSize )
{
	void* place = layout->base != NULL ? layout->base + layout->at : NULL;
	layout->at += ( count * itemSize + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
	return place;
}

#define TAKE( COUNT, TYPE ) (TYPE*)Take( &layout, COUNT, sizeof( TYPE ) )

// Vectors of the same length.
static void TakeEach( Layout* layout, double** const* vectors, size_t vectorCount, size_t length )
{
	for ( size_t i = 0; i < vectorCount; ++i )
	{
		*vectors[i] = Take( layout, length, sizeof( double ) );
	}
}

static size_t ScratchSize( const supLayeredFlesh* flesh, const supFactor* bones )
{
	size_t skin = supSkinBody_ScratchSize( &flesh->skin ), own = supFactor_ScratchSize( bones, 3, 1 );
	return skin > own ? skin : own;
}

// What the next substep starts from, and what is asked between substeps.
static void TakeSaved( const supLayeredFlesh* flesh, Layout* into, supLayeredView* view )
{
	size_t links = (size_t)flesh->links.count, nodes = (size_t)flesh->layer.outerCount;
	Layout layout = *into;
	view->header = TAKE( 1, supLayeredHeader );
	view->links = TAKE( links, supLinkState );
	view->targets = TAKE( links, supLinkPlace );
	view->arms = TAKE( links, supVec3d );
	view->ways = TAKE( links, double );
	view->goalSpeeds = TAKE( 6 * links, double );
	view->missed = TAKE( (size_t)flesh->bones.unknownCount, double );
	view->drives = TAKE( links, supJointDrive );
	view->q = TAKE( 3 * nodes, double );
	view->v = TAKE( 3 * nodes, double );
	view->touched = TAKE( nodes, uint8_t );
	view->bearing = TAKE( nodes, double );
	view->asked = TAKE( SUP_MAX_ASKED, supAskedPlace );
	view->askedPoints = TAKE( SUP_MAX_ASKED_POINTS, int32_t );
	view->askedWeights = TAKE( SUP_MAX_ASKED_POINTS, float );
	view->askedGoals = TAKE( 3 * SUP_MAX_ASKED, double );
	view->askedForces = TAKE( 3 * SUP_MAX_ASKED, double );
	view->x = TAKE( (size_t)flesh->layer.tets.pointCount, supVec4 );
	view->savedSize = layout.at;
	*into = layout;
}

supLayeredView supLayered_View( const supLayeredFlesh* flesh, const void* block )
{
	// views of a state that nobody writes to are made through here too
	union
	{
		const void* read;
		char* write;
	} pointer = { .read = block };
	Layout layout = { pointer.write, 0 };
	size_t links = (size_t)flesh->links.count, nodes = (size_t)flesh->layer.outerCount;
	size_t frames = (size_t)flesh->frameCount;
	size_t points = (size_t)flesh->layer.tets.pointCount, unknowns = (size_t)flesh->bones.unknownCount;
	size_t values = (size_t)flesh->bones.blockStarts[flesh->bones.blockCount];
	supFactorDef def = { .precision = sup_precisionDouble, .indefinite = true, .workerCount = 1 };
	supFactor factor;
	supFactor_InitAt( &factor, &flesh->symbolic, &def, NULL );
	supLayeredView view = { 0 };
	TakeSaved( flesh, &layout, &view );
	view.run = TAKE( 1, supLayeredRun );
	view.oldLinks = TAKE( links, supLinkState );
	view.oldTargets = TAKE( links, supLinkPlace );
	view.oldArms = TAKE( links, supVec3d );
	double** const ofSkin[] = {
		&view.oldQ, &view.solvedV, &view.skinForces, &view.skinFree, &view.skinLag, &view.freeV
	};
	TakeEach( &layout, ofSkin, sizeof( ofSkin ) / sizeof( ofSkin[0] ), 3 * nodes );
	double** const ofBones[] = { &view.boneForces,  &view.boneSpeeds, &view.boneRest, &view.boneWay,
								 &view.boneProduct, &view.boneFresh,  &view.bonePush };
	TakeEach( &layout, ofBones, sizeof( ofBones ) / sizeof( ofBones[0] ), unknowns );
	double** const matrices[] = { &view.boneValues, &view.condensed, &view.contactValues };
	TakeEach( &layout, matrices, sizeof( matrices ) / sizeof( matrices[0] ), values );
	view.rotations = TAKE( frames, supMat3d );
	view.centers = TAKE( frames, supVec3d );
	view.maps = TAKE( frames, supFrameMap );
	view.endMaps = TAKE( 2 * frames, supEndMap );
	view.gains = TAKE( frames, supFrameSpeed );
	view.frameSpins = TAKE( frames, supVec3d );
	view.compliances = TAKE( nodes, supMat3d );
	view.shares = TAKE( nodes, double );
	view.slacks = TAKE( nodes, double );
	view.giverOf = TAKE( nodes, int32_t );
	view.givers = TAKE( 2 * ( nodes < SUP_MAX_GIVERS ? nodes : SUP_MAX_GIVERS ), supGiver );
	view.nodeSums = TAKE( SUP_NODE_SUMS * nodes, double );
	view.pairSums = TAKE( SUP_NODE_SUMS * (size_t)flesh->pairCount, double );
	view.frameSums = TAKE( SUP_FRAME_SUMS * frames, double );
	view.throws = TAKE( frames, supMat34 );
	view.motions = TAKE( SUP_FRAME_MOTION * frames, double );
	view.frameForces = TAKE( 6 * frames, double );
	view.expected = TAKE( 3 * links, double );
	view.lags = TAKE( 6 * frames, double );
	view.factor = Take( &layout, supFactor_MemorySize( &flesh->symbolic, &def ), 1 );
	view.scratch = Take( &layout, ScratchSize( flesh, &factor ), 1 );
	view.freeLinks = TAKE( links, supLinkState );
	view.askedMatrix = TAKE( 9 * SUP_MAX_ASKED * SUP_MAX_ASKED, double );
	view.touches = TAKE( SUP_MAX_TOUCHES, supNodeTouch );
	view.work = TAKE( SUP_MAX_TOUCHES, supTouchWork );
	view.jacobians = TAKE( SUP_MAX_TOUCHED_LINKS, supTouchJacobian );
	view.limits = TAKE( SUP_MOST_LIMITS * links, supLimit );
	view.written = TAKE( points, supVec4 );
	view.points = TAKE( points, supVec4 );
	view.oldPoints = TAKE( points, supVec4 );
	view.pose = TAKE( points, supVec3 );
	view.fresh = TAKE( points, supVec3 );
	view.palette = TAKE( frames, supWideMatrix );
	view.base = TAKE( frames, supMat34 );
	view.framed = TAKE( points, supVec4 );
	view.frames = TAKE( points, supBindFrame );
	view.size = layout.at;
	return view;
}

size_t supLayered_StateSize( const void* flesh )
{
	return supLayered_View( flesh, NULL ).size;
}

size_t supLayered_SavedSize( const void* flesh )
{
	return supLayered_View( flesh, NULL ).savedSize;
}

static void FindTargets( const supLayeredFlesh* flesh, supPose* pose, supLinkPlace* targets )
{
	const supMat34* worlds = supPose_Worlds( pose );
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		const supLink* link = flesh->links.links + i;
		targets[i] = supPlaceLink( link, worlds[link->node], flesh->restInverses[i] );
	}
}

// Where the clip has the joint above a link, in its parent.
static supVec3d FindArm( const supLayeredFlesh* flesh, const supLayeredView* view, int32_t link )
{
	int32_t parent = flesh->links.links[link].parent;
	if ( parent < 0 )
	{
		return ( supVec3d ){ 0.0, 0.0, 0.0 };
	}
	supMat3d r = supMakeMat3dQuat( view->targets[parent].rotation );
	return supMulTransposed3d( &r, supSubVec3d( view->targets[link].joint, view->targets[parent].center ) );
}

// On the clip, still.
static void PlaceLinks( const supLayeredFlesh* flesh, const supLayeredView* view )
{
	size_t skinBytes = 3 * (size_t)flesh->skin.nodeCount * sizeof( double );
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		view->links[i] = ( supLinkState ){ .center = view->targets[i].center, .rotation = view->targets[i].rotation };
		view->oldTargets[i] = view->targets[i];
		view->arms[i] = view->oldArms[i] = FindArm( flesh, view, i );
	}
	memset( view->q, 0, skinBytes );
	memset( view->v, 0, skinBytes );
	memset( view->oldQ, 0, skinBytes );
	memset( view->solvedV, 0, skinBytes );
	memset( view->ways, 0, (size_t)flesh->links.count * sizeof( double ) );
	memset( view->missed, 0, (size_t)flesh->bones.unknownCount * sizeof( double ) );
	memset( view->goalSpeeds, 0, 6 * (size_t)flesh->links.count * sizeof( double ) );
	view->header->moved = 0.0;
}

static void HandOutNodes( const supLayeredFlesh* flesh, const supLayeredView* view, const supTasks* tasks )
{
	size_t bytes = (size_t)flesh->layer.tets.pointCount * sizeof( supVec4 );
	supLayered_SkinPoints( flesh, view, tasks );
	memcpy( view->x, view->points, bytes );
	for ( int32_t a = 0; a < flesh->layer.outerCount; ++a )
	{
		const supMat3d* b = a < flesh->skin.nodeCount ? view->softest : view->compliances;
		// before the first substep nobody knows yet how far skin gives
		double give = b != NULL ? ( b[a].m[0][0] + b[a].m[1][1] + b[a].m[2][2] ) / 3.0 : 0.0;
		give = a < flesh->skin.nodeCount ? view->slacks[a] * give : give / RIGID_GIVE;
		view->x[a].w = (float)( give > 0.0 ? give : 1.0 / flesh->skin.masses[a] );
	}
	memcpy( view->written, view->x, bytes );
}

// Points of rigid parts have no displacement. What touches them pushes their link, by rows that are not quite hard.
static void FindRigidGive( const supLayeredFlesh* flesh, const supLayeredView* view )
{
	for ( int32_t a = flesh->skin.nodeCount; a < flesh->layer.outerCount; ++a )
	{
		// rigid points ride on one link
		const supLink* link = flesh->links.links + flesh->nodeFrames[flesh->nodeStarts[a]];
		view->compliances[a] = supDiagonal3d( RIGID_GIVE / link->mass );
	}
}

void supLayered_Reset( const void* fleshPointer, void* block, supPose* pose, const supTasks* tasks )
{
	const supLayeredFlesh* flesh = fleshPointer;
	supLayeredView view = supLayered_View( flesh, block );
	memset( block, 0, view.size );
	// no numbers, so that none are equal to them
	memset( view.framed, 0xFF, (size_t)flesh->layer.tets.pointCount * sizeof( supVec4 ) );
	FindTargets( flesh, pose, view.targets );
	PlaceLinks( flesh, &view );
	FindRigidGive( flesh, &view );
	HandOutNodes( flesh, &view, tasks );
	supLayered_PlaceBase( flesh, &view );
	supLayered_FrameSurface( flesh, &view, tasks );
}

void supLayered_Restore( const void* fleshPointer, void* block, const supTasks* tasks )
{
	const supLayeredFlesh* flesh = fleshPointer;
	supLayeredView view = supLayered_View( flesh, block );
	supLayered_SkinPoints( flesh, &view, tasks );
	supLayered_PlaceBase( flesh, &view );
	supLayered_FrameSurface( flesh, &view, tasks );
}

void* supLayered_CreateShared( const void* flesh, supError* error )
{
	return supCreateSkinFactors( &( (const supLayeredFlesh*)flesh )->skin, error );
}

void supLayered_DestroyShared( void* shared )
{
	supDestroySkinFactors( shared );
}

bool supLayered_PrepareShared( const void* flesh, void* shared, void* block, const supSubstep* step, int64_t turn )
{
	supLayeredView view = supLayered_View( flesh, block );
	return supSkinFactors_Prepare( shared, &view.header->lengths, step->dt, turn, step->tasks );
}

// ---------------------------------------------------------------------------------------------------------------------
// Phases

// Clips move joints in their parents: hips over a root, feet that inverse kinematics placed. As firmly as a joint
// follows its clip, so does its place: a limp one stays where it is.
static void MoveArms( supLayeredRun* run )
{
	const supLayeredFlesh* flesh = run->flesh;
	memcpy( run->view.oldArms, run->view.arms, (size_t)flesh->links.count * sizeof( supVec3d ) );
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		supVec3d way = supSubVec3d( FindArm( flesh, &run->view, i ), run->view.oldArms[i] );
		double part = supLayered_FollowedPart( run, flesh->links.links + i );
		run->view.arms[i] = supMulAddVec3d( run->view.oldArms[i], part, way );
	}
}

static bool HasJumped( const supLayeredFlesh* flesh, const supLayeredView* view )
{
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		supVec3d way = supSubVec3d( view->targets[i].center, view->oldTargets[i].center );
		supVec3d apart = supSubVec3d( view->arms[i], view->oldArms[i] );
		bool isRoot = flesh->links.links[i].parent < 0;
		if ( supLengthVec3d( isRoot ? way : apart ) > JUMP * (double)flesh->size )
		{
			return true;
		}
	}
	return false;
}

// What contacts start from.
static void KeepFree( const supLayeredFlesh* flesh, const supLayeredView* view )
{
	memcpy( view->freeLinks, view->links, (size_t)flesh->links.count * sizeof( supLinkState ) );
	memcpy( view->freeV, view->v, 3 * (size_t)flesh->skin.nodeCount * sizeof( double ) );
}

static void GoBackToFree( const supLayeredFlesh* flesh, const supLayeredView* view )
{
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		memset( view->drives[i].answered, 0, sizeof( view->drives[i].answered ) );
	}
	memcpy( view->links, view->freeLinks, (size_t)flesh->links.count * sizeof( supLinkState ) );
	memcpy( view->v, view->freeV, 3 * (size_t)flesh->skin.nodeCount * sizeof( double ) );
}

void supLayered_Predict( const void* fleshPointer, void* block, const supSubstep* step )
{
	const supLayeredFlesh* flesh = fleshPointer;
	supLayeredRun run = supLayered_Start( flesh, block, step );
	supLayeredView* view = &run.view;
	supLayered_BeginStages( &run );
	memcpy( view->oldTargets, view->targets, (size_t)flesh->links.count * sizeof( supLinkPlace ) );
	FindTargets( flesh, step->pose, view->targets );
	MoveArms( &run );
	if ( HasJumped( flesh, view ) )
	{
		PlaceLinks( flesh, view );
	}
	memcpy( view->oldLinks, view->links, (size_t)flesh->links.count * sizeof( supLinkState ) );
	memcpy( view->oldQ, view->q, 3 * (size_t)flesh->skin.nodeCount * sizeof( double ) );
	memcpy( view->oldPoints, view->points, (size_t)flesh->layer.tets.pointCount * sizeof( supVec4 ) );
	view->header->askedCount = view->header->goalCount = 0;
	view->header->touchCount = view->header->pullCount = 0;
	view->header->isAnswered = false;
	view->header->lost = ( supFlow ){ 0 };
	supLayered_MoveFreely( &run );
	KeepFree( flesh, view );
	supLayered_Reposition( &run );
	HandOutNodes( flesh, view, step->tasks );
}

// A critically damped spring, implicit: v + give λ = velocity, as a touch that is held. It pulls as if the node weighed
// as much as its part of the links that it sits on, so that it takes the body along.
static supNodeTouch MakePull( const supLayeredRun* run, const supPull* pull, supVec3 way, int32_t k )
{
	const supLayeredFlesh* flesh = run->flesh;
	const supGrab* grab = pull->grab;
	int32_t node = grab->particles[k];
	double mass = flesh->skin.masses[node], dt = run->dt;
	for ( int32_t n = flesh->nodeStarts[node]; n < flesh->nodeStarts[node + 1]; ++n )
	{
		const supFrame* frame = flesh->frames + flesh->nodeFrames[n];
		for ( int e = 0; e < ( frame->links[1] < 0 ? 1 : 2 ); ++e )
		{
			double part = flesh->nodeWeights[n] * frame->parts[e];
			mass += part * flesh->links.links[frame->links[e]].mass / grab->count;
		}
	}
	double omega = 2.0 * (double)SUP_PI * (double)pull->frequency;
	double stiffness = mass * omega * omega, damping = 2.0 * mass * omega, firm = dt * stiffness + damping;
	supVec3d gap = supScaleVec3d( (double)( grab->weights[k] / grab->response ), supWidenVec3( way ) );
	return ( supNodeTouch ){
		.node = node, .isHeld = true, .velocity = supScaleVec3d( stiffness / firm, gap ), .give = 1.0 / ( dt * firm )
	};
}

void supLayered_Solve( const void* fleshPointer, void* block, const supSubstep* step )
{
	const supLayeredFlesh* flesh = fleshPointer;
	if ( step->pass > 0 || step->pullCount == 0 )
	{
		return;
	}
	supLayeredRun run = supLayered_Start( flesh, block, step );
	int32_t count = 0;
	for ( int32_t i = 0; i < step->pullCount; ++i )
	{
		const supPull* pull = step->pulls + i;
		// the surface of the last substep is that of the beginning of this one
		supVec3 way = supSub( pull->target, supGrab_Place( pull->grab, &run.view.oldPoints->x, 4 ) );
		for ( int32_t k = 0; k < pull->grab->count && count < SUP_MAX_TOUCHES; ++k )
		{
			if ( pull->grab->weights[k] > 0.0f && pull->grab->particles[k] < flesh->layer.outerCount )
			{
				run.view.touches[count++] = MakePull( &run, pull, way, k );
			}
		}
	}
	run.view.header->pullCount = run.view.header->touchCount = count;
	supLayered_Reposition( &run );
	HandOutNodes( flesh, &run.view, step->tasks );
}

// Alone: what it has got from other bodies stays as it was found with them.
void supLayered_Reposition( supLayeredRun* run )
{
	for ( int32_t i = 0; i < run->view.header->touchCount; ++i )
	{
		supNodeTouch* touch = run->view.touches + i;
		touch->isGiven = touch->isGiven || touch->isPair || touch->isFollower || touch->rigid > 0;
		touch->isPair = touch->isFollower = false;
	}
	GoBackToFree( run->flesh, &run->view );
	supContactParty party = { .work = run };
	// no stage of its own
	supStageTimes* stages = run->stages;
	run->stages = NULL;
	supLayered_Respond( &party, 1 );
	run->stages = stages;
	supLayered_UpdatePositions( run );
}

// n . v is to be at least what closes the gap, or what is left of it, by the end of the substep: from where the node is
// now, less what the other side has given way already.
static supNodeTouch MakeTouch( const supLayeredRun* run, const supContactAnswer* answer )
{
	supVec3d n = supWidenVec3( answer->normal ), v = supLayered_NodePace( run, answer->particle );
	supVec3d other = supScaleVec3d( 1.0 / run->dt, supWidenVec3( answer->otherWay ) );
	supVec3d given = supScaleVec3d( 1.0 / run->dt, supWidenVec3( answer->given ) );
	double wanted = supDotVec3d( n, supAddVec3d( v, given ) ) - (double)answer->gap / run->dt;
	other = supAddVec3d( other, given );
	supVec3d along = supMulAddVec3d( other, -supDotVec3d( other, n ), n );
	return ( supNodeTouch ){ .node = answer->particle,
							 .normal = n,
							 .velocity = supMulAddVec3d( along, wanted, n ),
							 .friction = (double)answer->friction,
							 .give = (double)answer->give,
							 .isMet = answer->gap < 0.0f,
							 .rigid = answer->rigid + 1,
							 .lever = supWidenVec3( answer->lever ) };
}

static supLayeredRun* RunOf( const supContactParty* party )
{
	return party->work;
}

// Of two nodes: the same for their relative velocity, which is to be none along the surface.
static supNodeTouch MakePair( const supContactParty* parties, const supLayeredRun* run, const supContactAnswer* answer )
{
	const supLayeredRun* other = RunOf( parties + answer->otherParty );
	const supContactAnswer* follower = parties[answer->otherParty].answers + answer->otherAnswer;
	supVec3d n = supWidenVec3( answer->normal );
	supVec3d v =
		supSubVec3d( supLayered_NodePace( run, answer->particle ), supLayered_NodePace( other, follower->particle ) );
	double wanted = supDotVec3d( n, v ) - (double)answer->gap / run->dt;
	return ( supNodeTouch ){ .node = answer->particle,
							 .normal = n,
							 .velocity = supScaleVec3d( wanted, n ),
							 .friction = (double)answer->friction,
							 .isPair = true,
							 .isMet = answer->gap < 0.0f,
							 .otherParty = answer->otherParty,
							 .otherTouch = other->view.header->pullCount + answer->otherAnswer };
}

static bool Fits( const supContactParty* party, int32_t answer )
{
	return RunOf( party )->view.header->pullCount + answer < SUP_MAX_TOUCHES;
}

static void MakeTouches( const supContactParty* parties, const supContactParty* party )
{
	const supLayeredRun* run = RunOf( party );
	int32_t pulls = run->view.header->pullCount, count = 0;
	for ( ; count < party->count && Fits( party, count ); ++count )
	{
		const supContactAnswer* answer = party->answers + count;
		supNodeTouch* touch = run->view.touches + pulls + count;
		bool isAlone = answer->isPair && Fits( parties + answer->otherParty, answer->otherAnswer ) == false;
		if ( answer->isFollower || isAlone )
		{
			// what has lost its other side is nothing
			*touch = ( supNodeTouch ){ .node = answer->particle, .isFollower = true };
		}
		else
		{
			*touch = answer->isPair ? MakePair( parties, run, answer ) : MakeTouch( run, answer );
		}
	}
	run->view.header->touchCount = pulls + count;
}

static void TellPushes( const supContactParty* party )
{
	const supLayeredRun* run = RunOf( party );
	int32_t pulls = run->view.header->pullCount;
	for ( int32_t i = 0; i < party->count; ++i )
	{
		supVec3d impulse = Fits( party, i ) ? run->view.touches[pulls + i].impulse : ( supVec3d ){ 0.0, 0.0, 0.0 };
		party->answers[i].push = supNarrowVec3( supScaleVec3d( run->dt, impulse ) );
	}
}

void supLayered_AnswerContacts( supContactParty* parties, int32_t partyCount )
{
	for ( int32_t p = 0; p < partyCount; ++p )
	{
		supLayeredRun run = supLayered_Start( parties[p].flesh, parties[p].state, parties[p].step );
		*run.view.run = run;
		parties[p].work = run.view.run;
		supLayered_BeginStages( &run );
		supLayered_BeginAttachments( run.view.run );
	}
	// all before any goes back: a pair looks at both
	for ( int32_t p = 0; p < partyCount; ++p )
	{
		MakeTouches( parties, parties + p );
	}
	for ( int32_t p = 0; p < partyCount; ++p )
	{
		supLayeredRun* run = RunOf( parties + p );
		supLayered_StiffenTouched( run );
		GoBackToFree( run->flesh, &run->view );
	}
	supLayered_Respond( parties, partyCount );
	for ( int32_t p = 0; p < partyCount; ++p )
	{
		supLayeredRun* run = RunOf( parties + p );
		supLayered_UpdatePositions( run );
		TellPushes( parties + p );
		HandOutNodes( run->flesh, &run->view, run->tasks );
		supLayered_EndStage( run, sup_stageTouchEnd );
		// no pointers in a state
		memset( run, 0, sizeof( *run ) );
	}
}

static bool IsSound( const supLayeredRun* run )
{
	bool ok = true;
	for ( int32_t i = 0; i < run->flesh->links.count; ++i )
	{
		const double* numbers = (const double*)( run->view.links + i );
		for ( size_t k = 0; k < sizeof( supLinkState ) / sizeof( double ); ++k )
		{
			ok = ok && fabs( numbers[k] ) < 1e12;
		}
	}
	for ( int64_t i = 0; i < 3 * (int64_t)run->flesh->skin.nodeCount; ++i )
	{
		ok = ok && fabs( run->view.q[i] ) < 1e12 && fabs( run->view.v[i] ) < 1e12;
	}
	return ok;
}

// Farthest that anything moved, links by what they take with them.
static double MeasureMotion( const supLayeredRun* run )
{
	double most = 0.0;
	for ( int32_t i = 0; i < run->flesh->links.count; ++i )
	{
		const supLinkState* link = run->view.links + i;
		double speed = supLengthVec3d( link->velocity ) + (double)run->flesh->size * supLengthVec3d( link->spin );
		most = speed > most ? speed : most;
	}
	for ( int64_t i = 0; i < 3 * (int64_t)run->flesh->skin.nodeCount; ++i )
	{
		most = fabs( run->view.v[i] ) > most ? fabs( run->view.v[i] ) : most;
	}
	return most * run->dt;
}

// Contacts were answered after attachments were met, and have moved what they hold.
static void HoldAttachments( supLayeredRun* run )
{
	const supLayeredHeader* header = run->view.header;
	if ( header->askedCount > header->goalCount )
	{
		supLayered_BeginAttachments( run );
	}
	else
	{
		supLayered_SolveAttachments( run );
	}
	if ( header->goalCount > 0 )
	{
		HandOutNodes( run->flesh, &run->view, run->tasks );
	}
}

void supLayered_Finish( const void* fleshPointer, void* block, const supSubstep* step )
{
	const supLayeredFlesh* flesh = fleshPointer;
	supLayeredRun run = supLayered_Start( flesh, block, step );
	HoldAttachments( &run );
	if ( IsSound( &run ) == false )
	{
		step->trouble->notFinite += 1;
		PlaceLinks( flesh, &run.view );
		supLayered_SkinPoints( flesh, &run.view, step->tasks );
	}
	else
	{
		supLayered_FindLoads( &run );
		if ( run.view.header->isSlowed == false )
		{
			supLayered_GiveMomentum( &run );
		}
	}
	supLayered_KeepBearing( &run );
	supLayered_PlaceBase( flesh, &run.view );
	run.view.header->moved = MeasureMotion( &run );
	// they are where they were handed out, unless someone moved them
	if ( memcmp( run.view.x, run.view.written, (size_t)flesh->layer.tets.pointCount * sizeof( supVec4 ) ) != 0 )
	{
		supLayered_SkinPoints( flesh, &run.view, step->tasks );
	}
	supLayered_FrameSurface( flesh, &run.view, step->tasks );
}

bool supLayered_IsSettled( const void* fleshPointer, const void* block )
{
	const supLayeredFlesh* flesh = fleshPointer;
	return supLayered_View( flesh, block ).header->moved <= SETTLED * (double)flesh->size;
}

supParticles supLayered_GetParticles( const void* fleshPointer, void* block )
{
	const supLayeredFlesh* flesh = fleshPointer;
	supLayeredView view = supLayered_View( flesh, block );
	return ( supParticles ){ flesh->layer.tets.pointCount, &view.x->x, 1.0f, NULL };
}
