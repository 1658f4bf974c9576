// SPDX-License-Identifier: MIT
// Frames that skin rides on: links, and `between` frames on the way from each link to the one above that it shares
// skin with. Frame f between links i and j, a part b of the way from i to j, about the joint o:
//
//     n = ( 1 - b ) q_i + b q_j,   q_f = n / |n|,   c_f = ( 1 - b ) x_i( o ) + b x_j( o ),   x_i( o ) = c_i + R_i s_i
//
// of quaternions q and s_i = o - c0_i. Half a turn in eight steps loses 2.5 % of what it turns, in one step 67 %. Its
// velocity is linear in those of both links, with ( s, v ) = n* q_i:
//
//     ω_f = Σ ( 1 - b ) ( s I + [v]x ) ω_i / |n|²,   ċ_f = Σ ( 1 - b ) ( ċ_i - R_i [s_i]x ω_i )
//
// (1 - b for i, b for j), which is all that mass, coupling and contacts need: whatever a node does to its frames goes
// on to links through the transpose of this map. A rigid motion of all links is one of all frames, so that momentum and
// turning come through unchanged.
#include "method/layered/layered.h"
#include "volume/weights/joint_sharing.h"

#include <stdlib.h>

// The cosine of half the farthest that two links are turned against each other the longer way, 240 degrees.
#define LONGEST_WAY ( -0.5 )

// ---------------------------------------------------------------------------------------------------------------------
// Making them

typedef struct Maker
{
	supArena scratch;
	supLayeredFlesh* flesh;
	int32_t* partners;
	int32_t* pairOf;
	int32_t* childOf;  // of each pair
	int32_t* numberOf; // of each frame that may be; -1: no point rides on it
	uint16_t* frames;
	float* weights;
} Maker;

static void FindPartners( Maker* maker, bool* hasSkin )
{
	const supLayeredFlesh* flesh = maker->flesh;
	for ( int64_t i = 0; i < (int64_t)SUP_MAX_INFLUENCES * flesh->layer.tets.pointCount; ++i )
	{
		hasSkin[flesh->pointLinks[i]] = hasSkin[flesh->pointLinks[i]] || flesh->pointWeights[i] > 0.0f;
	}
	int32_t count = 0;
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		// parents come first
		int32_t above = flesh->links.links[i].parent;
		while ( above >= 0 && hasSkin[above] == false )
		{
			above = flesh->links.links[above].parent;
		}
		maker->partners[i] = above;
		maker->pairOf[i] = above >= 0 && flesh->between > 0 ? count : -1;
		maker->childOf[count] = i;
		count += maker->pairOf[i] >= 0;
	}
}

static int CompareShares( const void* a, const void* b )
{
	const supFrameShare *first = a, *second = b;
	if ( first->turned != second->turned )
	{
		return first->turned > second->turned ? -1 : 1;
	}
	return first->frame - second->frame;
}

// The heaviest, and no frame twice.
static void SharePoint( Maker* maker, const supJointSharing* sharing, int64_t point )
{
	const supLayeredFlesh* flesh = maker->flesh;
	supFrameShare shares[SUP_MOST_SHARES];
	int64_t slot = SUP_MAX_INFLUENCES * point;
	int32_t found = supShareJoints( sharing, flesh->pointLinks + slot, flesh->pointWeights + slot, shares ), count = 0;
	for ( int32_t i = 0; i < found; ++i )
	{
		int32_t at = 0;
		while ( at < count && shares[at].frame != shares[i].frame )
		{
			at += 1;
		}
		float turned = shares[i].turned + ( at < count ? shares[at].turned : 0.0f );
		shares[at] = ( supFrameShare ){ shares[i].frame, -1, 0.0f, turned };
		count += at == count;
	}
	qsort( shares, (size_t)count, sizeof( supFrameShare ), CompareShares );
	count = count < SUP_MAX_INFLUENCES ? count : SUP_MAX_INFLUENCES;
	float sum = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		sum += shares[i].turned;
	}
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES; ++i )
	{
		bool isUsed = i < count && shares[i].turned > 0.0f;
		maker->frames[slot + i] = isUsed ? (uint16_t)shares[i].frame : 0;
		maker->weights[slot + i] = isUsed ? shares[i].turned / sum : 0.0f;
		if ( isUsed )
		{
			maker->numberOf[shares[i].frame] = 0;
		}
	}
}

static void NumberFrames( Maker* maker, int32_t most )
{
	supLayeredFlesh* flesh = maker->flesh;
	int32_t links = flesh->links.count;
	for ( int32_t i = 0; i < most; ++i )
	{
		if ( i < links )
		{
			flesh->frames[i] = ( supFrame ){ { i, -1 }, { 1.0, 0.0 }, flesh->links.links[i].center };
		}
		else if ( maker->numberOf[i] >= 0 )
		{
			int32_t child = maker->childOf[( i - links ) / flesh->between], knot = ( i - links ) % flesh->between + 1;
			double part = (double)knot / (double)( flesh->between + 1 );
			flesh->frames[flesh->frameCount] = ( supFrame ){ { maker->partners[child], child },
															 { 1.0 - part, part },
															 flesh->links.links[child].anchor };
		}
		bool isUsed = i < links || maker->numberOf[i] >= 0;
		maker->numberOf[i] = isUsed ? flesh->frameCount : -1;
		flesh->frameCount += isUsed;
	}
}

bool supLayeredFlesh_MakeFrames( supLayeredFlesh* flesh, supError* error )
{
	Maker maker = { .flesh = flesh };
	size_t links = (size_t)flesh->links.count, most = links * (size_t)( 1 + flesh->between );
	size_t slots = SUP_MAX_INFLUENCES * (size_t)flesh->layer.tets.pointCount;
	maker.partners = supArena_AllocArray( &maker.scratch, links, sizeof( int32_t ) );
	maker.pairOf = supArena_AllocArray( &maker.scratch, links, sizeof( int32_t ) );
	maker.childOf = supArena_AllocArray( &maker.scratch, links + 1, sizeof( int32_t ) );
	maker.numberOf = supArena_AllocArray( &maker.scratch, most, sizeof( int32_t ) );
	bool* hasSkin = supArena_AllocZeroed( &maker.scratch, links * sizeof( bool ) );
	maker.frames = supArena_AllocArray( &flesh->arena, slots, sizeof( uint16_t ) );
	maker.weights = supArena_AllocArray( &flesh->arena, slots, sizeof( float ) );
	flesh->frames = supArena_AllocArray( &flesh->arena, most, sizeof( supFrame ) );
	bool ok = maker.scratch.failed == false && flesh->arena.failed == false;
	if ( ok )
	{
		FindPartners( &maker, hasSkin );
		memset( maker.numberOf, 0xFF, most * sizeof( int32_t ) );
		supJointSharing sharing = { flesh->links.count, flesh->between, maker.partners, maker.pairOf };
		for ( int64_t i = 0; i < flesh->layer.tets.pointCount; ++i )
		{
			SharePoint( &maker, &sharing, i );
		}
		flesh->frameCount = 0;
		NumberFrames( &maker, (int32_t)most );
		for ( size_t i = 0; i < slots; ++i )
		{
			maker.frames[i] = maker.weights[i] > 0.0f ? (uint16_t)maker.numberOf[maker.frames[i]] : 0;
		}
		flesh->pointFrames = maker.frames;
		flesh->pointFrameWeights = maker.weights;
	}
	supArena_Destroy( &maker.scratch );
	return ok || supSetMemoryError( error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Where they are

// Of the two ways around the one that skin has taken so far, though it has become the longer: but not all the way
// around.
static double FindWay( supQuatd a, supQuatd b, double before )
{
	double dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
	return before != 0.0 && before * dot > LONGEST_WAY ? before : ( dot < 0.0 ? -1.0 : 1.0 );
}

// n, which is not of unit length; the second part with the sign of the way around.
static supQuatd BlendTurns( const supFrame* frame, supQuatd a, supQuatd b, double way, double parts[2] )
{
	parts[0] = frame->parts[0];
	parts[1] = frame->parts[1] * FindWay( a, b, way );
	return ( supQuatd ){ parts[0] * a.x + parts[1] * b.x, parts[0] * a.y + parts[1] * b.y,
						 parts[0] * a.z + parts[1] * b.z, parts[0] * a.w + parts[1] * b.w };
}

static supVec3d LeverOf( const supLayeredFlesh* flesh, const supFrame* frame, int end )
{
	return supSubVec3d( frame->center, flesh->links.links[frame->links[end]].center );
}

supFramePlace supLayered_BetweenPlace( const supLayeredFlesh* flesh, int32_t f, const supLinkState ends[2], double way )
{
	const supFrame* frame = flesh->frames + f;
	double parts[2];
	supFramePlace place = { .rotation = supNormalizeQuatd(
								BlendTurns( frame, ends[0].rotation, ends[1].rotation, way, parts ) ) };
	for ( int e = 0; e < 2; ++e )
	{
		supMat3d r = supMakeMat3dQuat( ends[e].rotation );
		supVec3d joint = supAddVec3d( ends[e].center, supMulMat3dVec( &r, LeverOf( flesh, frame, e ) ) );
		place.center = supMulAddVec3d( place.center, frame->parts[e], joint );
	}
	return place;
}

// The clip's rotations come with any sign: the way around that links have taken counts.
double supLayered_BaseWay( const supLayeredFlesh* flesh, const supLayeredView* view, int32_t f )
{
	const supFrame* frame = flesh->frames + f;
	double way = view->ways[frame->links[1]];
	for ( int e = 0; e < 2; ++e )
	{
		supQuatd a = view->links[frame->links[e]].rotation, b = view->targets[frame->links[e]].rotation;
		way *= a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0 ? -1.0 : 1.0;
	}
	return way;
}

supFramePlace supLayered_PlaceFrame( const supLayeredFlesh* flesh, int32_t f, const supLinkState* links,
									 const double* ways )
{
	const supFrame* frame = flesh->frames + f;
	if ( frame->links[1] < 0 )
	{
		return ( supFramePlace ){ links[f].center, links[f].rotation };
	}
	const supLinkState ends[2] = { links[frame->links[0]], links[frame->links[1]] };
	return supLayered_BetweenPlace( flesh, f, ends, ways[frame->links[1]] );
}

supFrameMap supLayered_MapFrame( const supLayeredFlesh* flesh, int32_t f, const supLinkState* links,
								 const double* ways )
{
	const supFrame* frame = flesh->frames + f;
	supFrameMap map = { .levers = { supDiagonal3d( 0.0 ), supDiagonal3d( 0.0 ) },
						.spins = { supDiagonal3d( 1.0 ), supDiagonal3d( 0.0 ) } };
	if ( frame->links[1] < 0 )
	{
		return map;
	}
	double parts[2];
	supQuatd n = BlendTurns( frame, links[frame->links[0]].rotation, links[frame->links[1]].rotation,
							 ways[frame->links[1]], parts );
	double size = n.x * n.x + n.y * n.y + n.z * n.z + n.w * n.w, zero = size > 0.0 ? 1.0 / size : 0.0;
	for ( int e = 0; e < 2; ++e )
	{
		supQuatd turn = links[frame->links[e]].rotation, p = supMulQuatd( supConjugateQuatd( n ), turn );
		supMat3d skew = supSkew3d( ( supVec3d ){ p.x, p.y, p.z } ), r = supMakeMat3dQuat( turn );
		supMat3d straight = supDiagonal3d( parts[e] * zero * p.w ), none = supDiagonal3d( 0.0 );
		map.spins[e] = supMulAddMat3d( &straight, parts[e] * zero, &skew );
		supMat3d lever = supSkew3d( LeverOf( flesh, frame, e ) );
		lever = supMulMat3d( &r, &lever );
		map.levers[e] = supMulAddMat3d( &none, -frame->parts[e], &lever );
	}
	return map;
}

supFrameSpeed supLayered_CombineSpeeds( const supFrame* frame, const supFrameMap* map, const double* const ends[2] )
{
	if ( frame->links[1] < 0 )
	{
		return ( supFrameSpeed ){ supLoadVec3d( ends[0] ), supLoadVec3d( ends[0] + 3 ) };
	}
	supFrameSpeed sum = { 0 };
	for ( int e = 0; e < 2; ++e )
	{
		supVec3d spin = supLoadVec3d( ends[e] + 3 );
		sum.velocity = supMulAddVec3d( sum.velocity, frame->parts[e], supLoadVec3d( ends[e] ) );
		sum.velocity = supAddVec3d( sum.velocity, supMulMat3dVec( map->levers + e, spin ) );
		sum.spin = supAddVec3d( sum.spin, supMulMat3dVec( map->spins + e, spin ) );
	}
	return sum;
}

supFrameSpeed supLayered_FrameSpeed( const supFrame* frame, const supFrameMap* map, const supLinkState* links )
{
	const double* const ends[2] = { &links[frame->links[0]].velocity.x,
									frame->links[1] < 0 ? NULL : &links[frame->links[1]].velocity.x };
	return supLayered_CombineSpeeds( frame, map, ends );
}

supFrameSpeed supLayered_SolvedSpeed( const supLayeredRun* run, int32_t f, const double* v )
{
	const supFrame* frame = run->flesh->frames + f;
	const int32_t* offsets = run->flesh->bones.offsets;
	const double* const ends[2] = { v + offsets[frame->links[0]],
									frame->links[1] < 0 ? NULL : v + offsets[frame->links[1]] };
	return supLayered_CombineSpeeds( frame, run->view.maps + f, ends );
}

void supLayered_PushFrame( const supLayeredRun* run, int32_t f, supVec3d force, supVec3d torque, double* bones )
{
	const supFrame* frame = run->flesh->frames + f;
	const supFrameMap* map = run->view.maps + f;
	bool isLink = frame->links[1] < 0;
	for ( int e = 0; e < ( isLink ? 1 : 2 ); ++e )
	{
		double* to = bones + run->flesh->bones.offsets[frame->links[e]];
		supVec3d turn = isLink ? torque
							   : supAddVec3d( supMulTransposed3d( map->levers + e, force ),
											  supMulTransposed3d( map->spins + e, torque ) );
		supStoreVec3d( to, supMulAddVec3d( supLoadVec3d( to ), frame->parts[e], force ) );
		supStoreVec3d( to + 3, supAddVec3d( supLoadVec3d( to + 3 ), turn ) );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// At the beginning of a substep

// What the velocity of a frame gains while those of its links stay what they are:
//
//     ċ: Σ ( 1 - b ) R_i ( ω_i x ( ω_i x s_i ) )        ω: Σ ( 1 - b ) ( ω_f ( v . ω_i ) - ½ |ω_i|² v ) / |n|²
static supFrameSpeed FindGain( const supLayeredRun* run, int32_t f, const supVec3d spins[2], supVec3d spin )
{
	const supFrame* frame = run->flesh->frames + f;
	const supLinkState* links = run->view.links;
	double parts[2];
	supQuatd n = BlendTurns( frame, links[frame->links[0]].rotation, links[frame->links[1]].rotation,
							 run->view.ways[frame->links[1]], parts );
	double size = n.x * n.x + n.y * n.y + n.z * n.z + n.w * n.w, scale = size > 0.0 ? 1.0 / size : 0.0;
	supFrameSpeed gain = { 0 };
	for ( int e = 0; e < 2; ++e )
	{
		int32_t i = frame->links[e];
		supQuatd p = supMulQuatd( supConjugateQuatd( n ), links[i].rotation );
		supVec3d v = { p.x, p.y, p.z }, w = spins[e];
		supVec3d inward = supCrossVec3d( w, supCrossVec3d( w, LeverOf( run->flesh, frame, e ) ) );
		gain.velocity =
			supMulAddVec3d( gain.velocity, frame->parts[e], supMulMat3dVec( run->view.rotations + i, inward ) );
		gain.spin = supMulAddVec3d( gain.spin, parts[e] * scale * supDotVec3d( v, w ), spin );
		gain.spin = supMulAddVec3d( gain.spin, -0.5 * parts[e] * scale * supDotVec3d( w, w ), v );
	}
	return gain;
}

void supLayered_StartFrames( supLayeredRun* run )
{
	const supLayeredFlesh* flesh = run->flesh;
	const supLayeredView* view = &run->view;
	for ( int32_t f = 0; f < flesh->frameCount; ++f )
	{
		const supFrame* frame = flesh->frames + f;
		bool isLink = frame->links[1] < 0;
		if ( isLink == false )
		{
			supQuatd a = view->links[frame->links[0]].rotation, b = view->links[frame->links[1]].rotation;
			view->ways[frame->links[1]] = FindWay( a, b, view->ways[frame->links[1]] );
		}
		supFramePlace place = supLayered_PlaceFrame( flesh, f, view->links, view->ways );
		view->centers[f] = place.center;
		view->rotations[f] = supMakeMat3dQuat( place.rotation );
		view->maps[f] = supLayered_MapFrame( flesh, f, view->links, view->ways );
		supVec3d spins[2] = { supLayered_SafeSpin( run, frame->links[0] ) };
		view->frameSpins[f] = spins[0];
		view->gains[f] = ( supFrameSpeed ){ 0 };
		if ( isLink == false )
		{
			spins[1] = supLayered_SafeSpin( run, frame->links[1] );
			view->frameSpins[f] = supAddVec3d( supMulMat3dVec( view->maps[f].spins, spins[0] ),
											   supMulMat3dVec( view->maps[f].spins + 1, spins[1] ) );
			view->gains[f] = FindGain( run, f, spins, view->frameSpins[f] );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Points and links

// Adds a row of a frame's velocities to the rows of its links.
static void AddRow( const supLayeredRun* run, int32_t f, double weight, supVec3d force, supVec3d torque, int end,
					double row[6] )
{
	const supFrame* frame = run->flesh->frames + f;
	const supFrameMap* map = run->view.maps + f;
	supVec3d turn = frame->links[1] < 0 ? torque
										: supAddVec3d( supMulTransposed3d( map->levers + end, force ),
													   supMulTransposed3d( map->spins + end, torque ) );
	supStoreVec3d( row, supMulAddVec3d( supLoadVec3d( row ), weight * frame->parts[end], force ) );
	supStoreVec3d( row + 3, supMulAddVec3d( supLoadVec3d( row + 3 ), weight, turn ) );
}

static supPointLink* FindLink( supPointLink* links, int32_t* count, int32_t link )
{
	int32_t at = 0;
	while ( at < *count && links[at].link != link )
	{
		at += 1;
	}
	if ( at == *count )
	{
		links[at] = ( supPointLink ){ .link = link };
		*count += 1;
	}
	return links + at;
}

supVec3d supLayered_PointArm( const supLayeredRun* run, int32_t point, int32_t frame )
{
	supVec3d p = supWidenVec3( run->flesh->layer.tets.points[point] );
	if ( point < run->flesh->skin.nodeCount )
	{
		p = supAddVec3d( p, supLoadVec3d( run->view.oldQ + 3 * (int64_t)point ) );
	}
	return supSubVec3d( p, run->flesh->frames[frame].center );
}

int32_t supLayered_FindPointLinks( const supLayeredRun* run, int32_t point, supPointLink links[SUP_MAX_INFLUENCES],
								   supMat3d* blend )
{
	const supLayeredFlesh* flesh = run->flesh;
	int64_t begin = SUP_MAX_INFLUENCES * (int64_t)point, end = begin + SUP_MAX_INFLUENCES;
	int32_t count = 0;
	double sum = 0.0;
	for ( int64_t k = begin; k < end; ++k )
	{
		sum += (double)flesh->pointFrameWeights[k];
	}
	*blend = supDiagonal3d( 0.0 );
	for ( int64_t k = begin; k < end; ++k )
	{
		double w = (double)flesh->pointFrameWeights[k] / sum;
		if ( w <= 0.0 )
		{
			continue;
		}
		int32_t f = flesh->pointFrames[k];
		const supMat3d* r = run->view.rotations + f;
		supVec3d arm = supLayered_PointArm( run, point, f );
		*blend = supMulAddMat3d( blend, w, r );
		for ( int e = 0; e < ( flesh->frames[f].links[1] < 0 ? 1 : 2 ); ++e )
		{
			supPointLink* link = FindLink( links, &count, flesh->frames[f].links[e] );
			for ( int n = 0; n < 3; ++n )
			{
				supVec3d axis = { n == 0, n == 1, n == 2 };
				// ẋ = ċ - R [u]x ω, and R^T ċ - [u]x ω
				supVec3d back = supMulTransposed3d( r, axis ), out = supMulMat3dVec( r, axis );
				AddRow( run, f, w, axis, supCrossVec3d( arm, back ), e, link->moves[n] );
				AddRow( run, f, w, out, supCrossVec3d( arm, axis ), e, link->lags[n] );
			}
		}
	}
	return count;
}
