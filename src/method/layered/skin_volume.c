// SPDX-License-Identifier: MIT
// Skin that keeps its volume. Displacements are linear: skin that lags behind a turn goes straight on and is farther
// out then (a tube that is twisted by half a turn in a second swells by 40 %), and what is pressed is simply gone.
// Flesh gives way to the sides instead. Of each triangle of the skin, with corners x in the world and a place c of its
// bones, the volume V = ( x1 - c ) . ( ( x2 - c ) x ( x3 - c ) ) / 6 is to be what it is without displacements, summed
// over what each link r moves, where a node has a part s_ar of the link and g_a = R_Wᵀ dV / dx:
//
//     φ_r = Σ s_ar ( V - V_0 )_a = 0,   q_a -= C_a g_a Σ_r s_ar λ_r,   λ_r = φ_r / Σ s_ar g_a C_a g_a
//
// by a few rounds of Jacobi with the sum of each row on the diagonal, which do not overshoot where links share nodes. C
// is how far a node gives by itself: skulls and hooves do not breathe for a belly. Nodes that were touched stay where
// contacts want them, and what is pressed does not swell elsewhere: the body inside takes that. All of it is part of
// free motion: contacts start from there.
#include "core/tasks.h"
#include "method/layered/nodes_kernel.h"
#include "method/layered/skin_volume_kernel.h"

#define GRAIN 512

#define ROUNDS 2

// Of the volume of a link: less is not worth a round.
#define EXCESS_LEFT 1e-3

// Of the square of the thickness: skin nearer than this to its place is where forces take it.
#define LEAST_LIMITED 0.05

// A prism of the layer has one tet with three outer corners: its triangle of the skin.
static bool FindTriangle( const supLayeredFlesh* flesh, int32_t tet, supSkinTriangle* triangle )
{
	const int32_t* corners = flesh->layer.tets.indices + 4 * (int64_t)tet;
	int32_t count = 0, inner = corners[0];
	for ( int k = 0; k < 4; ++k )
	{
		if ( corners[k] < flesh->skin.nodeCount && count < 3 )
		{
			triangle->nodes[count++] = corners[k];
		}
		else
		{
			inner = corners[k];
		}
	}
	if ( count < 3 )
	{
		return false;
	}
	supVec3d p[3], in = supWidenVec3( flesh->layer.tets.points[inner] );
	for ( int k = 0; k < 3; ++k )
	{
		p[k] = supSubVec3d( supWidenVec3( flesh->layer.tets.points[triangle->nodes[k]] ), in );
	}
	if ( supDotVec3d( p[0], supCrossVec3d( p[1], p[2] ) ) < 0.0 )
	{
		int32_t swapped = triangle->nodes[1];
		triangle->nodes[1] = triangle->nodes[2];
		triangle->nodes[2] = swapped;
	}
	return true;
}

bool supLayeredFlesh_FindTriangles( supLayeredFlesh* flesh, supError* error )
{
	int32_t count = 0, tetCount = flesh->layer.tets.tetCount;
	supSkinTriangle triangle;
	for ( int32_t t = 0; t < tetCount; ++t )
	{
		count += FindTriangle( flesh, t, &triangle );
	}
	flesh->triangles = supArena_AllocArray( &flesh->arena, (size_t)count, sizeof( supSkinTriangle ) );
	if ( flesh->arena.failed )
	{
		return supSetMemoryError( error );
	}
	for ( int32_t t = 0; t < tetCount; ++t )
	{
		if ( FindTriangle( flesh, t, &triangle ) )
		{
			flesh->triangles[flesh->triangleCount++] = triangle;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// A round

// Of a frame, and of a link.
typedef struct Sums
{
	double volume;
	double excess;
	double give;
	double touched;
	double push; // λ
	double unused;
} Sums;

static void BlendRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const supLayeredRun* run = context;
	supVolumeNode* nodes = (supVolumeNode*)run->view.nodeSums;
	SUP_CALL_KERNEL( supBlendNodes )( run->flesh, run->view.motions, nodes, begin, end );
}

static void PlaceNodes( supLayeredRun* run )
{
	_Static_assert( sizeof( supVolumeNode ) <= SUP_NODE_SUMS * sizeof( double ), "a node fits" );
	_Static_assert( SUP_FRAME_BLEND <= SUP_FRAME_MOTION, "a frame fits" );
	for ( int32_t f = 0; f < run->flesh->frameCount; ++f )
	{
		supFramePlace place = supLayered_PlaceFrame( run->flesh, f, run->view.links, run->view.ways );
		supMat3d r = supMakeMat3dQuat( place.rotation );
		supVec3d offset = supSubVec3d( place.center, supMulMat3dVec( &r, run->flesh->frames[f].center ) );
		double* blend = run->view.motions + SUP_FRAME_BLEND * (int64_t)f;
		for ( int c = 0; c < 3; ++c )
		{
			supStoreVec3d( blend + 4 * c, supLoadVec3d( r.m[c] ) );
		}
		supStoreVec3d( blend + 12, offset );
		supStoreVec3d( blend + 16, place.center );
	}
	supParallelFor( run->tasks, run->flesh->skin.nodeCount, GRAIN, BlendRange, run );
}

static void MeasureNodes( const supLayeredRun* run, supVolumeNode* nodes )
{
	for ( int32_t a = 0; a < run->flesh->skin.nodeCount; ++a )
	{
		supVolumeNode* node = nodes + a;
		supVec3d moved = supMulMat3dVec( &node->blend, supLoadVec3d( run->view.q + 3 * (int64_t)a ) );
		node->now = supAddVec3d( node->rest, moved );
		node->slope[0] = node->slope[1] = node->slope[2] = 0.0;
		node->slope[3] = -node->volume;
	}
	SUP_CALL_KERNEL( supMeasureSlopes )( run->flesh, nodes );
}

// g_a
static supVec3d FindGradient( const supVolumeNode* node )
{
	return supMulTransposed3d( &node->blend, supLoadVec3d( node->slope ) );
}

static void AddSums( Sums* sum, double part, const Sums* more )
{
	sum->volume += part * more->volume;
	sum->excess += part * more->excess;
	sum->give += part * more->give;
	sum->touched += part * more->touched;
}

static void SumLinks( const supLayeredRun* run, const supVolumeNode* nodes, Sums* frames, Sums* links )
{
	const supLayeredFlesh* flesh = run->flesh;
	memset( frames, 0, (size_t)flesh->frameCount * sizeof( Sums ) );
	memset( links, 0, (size_t)flesh->links.count * sizeof( Sums ) );
	for ( int32_t a = 0; a < flesh->skin.nodeCount; ++a )
	{
		supVec3d g = FindGradient( nodes + a );
		bool isFree = run->view.touched[a] == 0;
		Sums own = { .volume = nodes[a].volume,
					 .excess = nodes[a].slope[3],
					 .give = isFree ? supDotVec3d( g, supMulMat3dVec( run->view.softest + a, g ) ) : 0.0,
					 .touched = isFree ? 0.0 : 1.0 };
		for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1]; ++k )
		{
			AddSums( frames + flesh->nodeFrames[k], flesh->nodeWeights[k], &own );
		}
	}
	for ( int32_t f = 0; f < flesh->frameCount; ++f )
	{
		const supFrame* frame = flesh->frames + f;
		for ( int e = 0; e < ( frame->links[1] < 0 ? 1 : 2 ); ++e )
		{
			AddSums( links + frame->links[e], frame->parts[e], frames + f );
		}
	}
}

static void MoveNodes( const supLayeredRun* run, const supVolumeNode* nodes, double part, Sums* frames,
					   const Sums* links )
{
	const supLayeredFlesh* flesh = run->flesh;
	for ( int32_t f = 0; f < flesh->frameCount; ++f )
	{
		const supFrame* frame = flesh->frames + f;
		frames[f].push = 0.0;
		for ( int e = 0; e < ( frame->links[1] < 0 ? 1 : 2 ); ++e )
		{
			const Sums* sum = links + frame->links[e];
			frames[f].push += sum->give > 0.0 ? frame->parts[e] * sum->excess / sum->give : 0.0;
		}
	}
	for ( int32_t a = 0; a < flesh->skin.nodeCount; ++a )
	{
		double push = 0.0;
		for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1] && run->view.touched[a] == 0; ++k )
		{
			push += flesh->nodeWeights[k] * frames[flesh->nodeFrames[k]].push;
		}
		supVec3d way = supMulMat3dVec( run->view.softest + a, FindGradient( nodes + a ) );
		double *q = run->view.q + 3 * (int64_t)a, *v = run->view.v + 3 * (int64_t)a;
		supStoreVec3d( q, supMulAddVec3d( supLoadVec3d( q ), -part * push, way ) );
		supStoreVec3d( v, supMulAddVec3d( supLoadVec3d( v ), -part * push / run->dt, way ) );
	}
}

// Skin that nothing touches gets no farther from its place than about its thickness, or a little where it is thin: a
// distance d becomes d / ( 1 + ( d / most )^4 )^( 1 / 4 ).
static void LimitRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const supLayeredRun* run = context;
	for ( int32_t a = begin; a < end; ++a )
	{
		double *v = run->view.v + 3 * (int64_t)a, *q = run->view.q + 3 * (int64_t)a;
		supVec3d old = supLoadVec3d( run->view.oldQ + 3 * (int64_t)a );
		supVec3d way = supMulAddVec3d( old, run->dt, supLoadVec3d( v ) );
		double most = fmax( supLayered_LeastSwing( run, a ), supLayered_MostStretch( run->flesh, a ) );
		double ratio = supDotVec3d( way, way ) / ( most * most );
		if ( ratio > LEAST_LIMITED && run->view.touched[a] == 0 )
		{
			supVec3d shorter = supScaleVec3d( 1.0 / sqrt( sqrt( 1.0 + ratio * ratio ) ), way );
			supStoreVec3d( v, supMulAddVec3d( supLoadVec3d( v ), 1.0 / run->dt, supSubVec3d( shorter, way ) ) );
			way = shorter;
		}
		supStoreVec3d( q, way );
	}
}

// What was added to velocities is no force: momentum and the centre of mass are to be as without it.
static void TakeBack( supLayeredRun* run )
{
	const supLayeredFlesh* flesh = run->flesh;
	const supLayeredView* view = &run->view;
	const supVolumeNode* nodes = (const supVolumeNode*)view->nodeSums;
	supVec3d sum = { 0.0, 0.0, 0.0 };
	double* more = view->skinLag;
	for ( int32_t a = 0; a < flesh->skin.nodeCount; ++a )
	{
		int64_t at = 3 * (int64_t)a;
		supVec3d gain = supSubVec3d( supLoadVec3d( view->v + at ), supLoadVec3d( view->solvedV + at ) );
		sum = supMulAddVec3d( sum, flesh->skin.masses[a], supMulMat3dVec( &nodes[a].blend, gain ) );
		supStoreVec3d( more + at, gain );
	}
	supLayered_AddSkinFlow( run, -1.0, more, &view->header->lost );
	double mass = 0.0;
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		mass += supLayered_Resistance( run, i );
	}
	view->header->shift = supScaleVec3d( run->dt / mass, sum );
}

// True where nothing is left to do.
static bool IsKept( const supLayeredRun* run, Sums* sums )
{
	bool isKept = true;
	for ( int32_t i = 0; i < run->flesh->links.count; ++i )
	{
		// pressed skin leaves room to the body inside
		sums[i].excess = sums[i].touched > 0.0 && sums[i].excess < 0.0 ? 0.0 : sums[i].excess;
		isKept = isKept && fabs( sums[i].excess ) <= EXCESS_LEFT * fabs( sums[i].volume );
	}
	return isKept;
}

void supLayered_SettleSkin( supLayeredRun* run )
{
	_Static_assert( sizeof( Sums ) == 6 * sizeof( double ), "sums of a frame fit, and those of a link" );
	// all are free while positions are found
	supVolumeNode* nodes = (supVolumeNode*)run->view.nodeSums;
	Sums *frames = (Sums*)run->view.frameForces, *links = (Sums*)run->view.boneFresh;
	double part = (double)run->parameters[sup_layeredVolume];
	memcpy( run->view.solvedV, run->view.v, 3 * (size_t)run->flesh->skin.nodeCount * sizeof( double ) );
	PlaceNodes( run );
	supParallelFor( run->tasks, run->flesh->skin.nodeCount, GRAIN, LimitRange, run );
	if ( part > 0.0 )
	{
		SUP_CALL_KERNEL( supMeasureRest )( run->flesh, nodes );
	}
	for ( int32_t round = 0; round < ROUNDS && part > 0.0; ++round )
	{
		MeasureNodes( run, nodes );
		SumLinks( run, nodes, frames, links );
		if ( IsKept( run, links ) )
		{
			break;
		}
		MoveNodes( run, nodes, part, frames, links );
	}
	TakeBack( run );
}
