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
#include "method/layered/layered.h"

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

// Of a node.
typedef struct Node
{
	supMat3d blend;    // R_W
	supVec3d base;     // in the world without displacement, seen from its place among the bones
	supVec3d place;    // of that
	supVec3d gradient; // of the volume, first in the world, then in the space of the rest pose
	double volume;     // its share of that, without displacements
	double excess;     // and of what is too much
} Node;

typedef struct Sums
{
	double volume;
	double excess;
	double give;
	double touched;
} Sums;

static supVec3d Corner( const Node* node, const double* q, supVec3d from )
{
	supVec3d x = supAddVec3d( node->base, supSubVec3d( node->place, from ) );
	return q == NULL ? x : supAddVec3d( x, supMulMat3dVec( &node->blend, supLoadVec3d( q ) ) );
}

static void BlendRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const supLayeredRun* run = context;
	const supLayeredFlesh* flesh = run->flesh;
	Node* nodes = (Node*)run->view.nodeSums;
	for ( int32_t a = begin; a < end; ++a )
	{
		Node* node = nodes + a;
		*node = ( Node ){ .blend = supDiagonal3d( 0.0 ) };
		for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1]; ++k )
		{
			int32_t f = flesh->nodeFrames[k];
			double w = flesh->nodeWeights[k];
			const supMat3d* r = run->view.volumeTurns + f;
			supVec3d arm = supSubVec3d( supWidenVec3( flesh->skin.points[a] ), flesh->frames[f].center );
			node->blend = supMulAddMat3d( &node->blend, w, r );
			node->base = supMulAddVec3d( node->base, w, supMulMat3dVec( r, arm ) );
			node->place = supMulAddVec3d( node->place, w, run->view.volumePlaces[f] );
		}
	}
}

static void MeasureNodes( const supLayeredRun* run, Node* nodes )
{
	const supLayeredFlesh* flesh = run->flesh;
	for ( int32_t a = 0; a < flesh->skin.nodeCount; ++a )
	{
		nodes[a].gradient = ( supVec3d ){ 0.0, 0.0, 0.0 };
		nodes[a].volume = nodes[a].excess = 0.0;
	}
	for ( int32_t t = 0; t < flesh->triangleCount; ++t )
	{
		const int32_t* corners = flesh->triangles[t].nodes;
		supVec3d from = supAddVec3d( nodes[corners[0]].place, nodes[corners[1]].place ), x[3], y[3];
		from = supScaleVec3d( 1.0 / 3.0, supAddVec3d( from, nodes[corners[2]].place ) );
		for ( int k = 0; k < 3; ++k )
		{
			y[k] = Corner( nodes + corners[k], NULL, from );
			x[k] = Corner( nodes + corners[k], run->view.q + 3 * (int64_t)corners[k], from );
		}
		double base = supDotVec3d( y[0], supCrossVec3d( y[1], y[2] ) );
		double excess = ( supDotVec3d( x[0], supCrossVec3d( x[1], x[2] ) ) - base ) / 6.0;
		for ( int k = 0; k < 3; ++k )
		{
			Node* node = nodes + corners[k];
			supVec3d by = supCrossVec3d( x[( k + 1 ) % 3], x[( k + 2 ) % 3] );
			node->gradient = supMulAddVec3d( node->gradient, 1.0 / 6.0, by );
			node->volume += base / 18.0;
			node->excess += excess / 3.0;
		}
	}
	for ( int32_t a = 0; a < flesh->skin.nodeCount; ++a )
	{
		nodes[a].gradient = supMulTransposed3d( &nodes[a].blend, nodes[a].gradient );
	}
}

static void SumLinks( const supLayeredRun* run, const Node* nodes, Sums* sums )
{
	const supLayeredFlesh* flesh = run->flesh;
	memset( sums, 0, (size_t)flesh->links.count * sizeof( Sums ) );
	for ( int32_t a = 0; a < flesh->skin.nodeCount; ++a )
	{
		supVec3d g = nodes[a].gradient;
		bool isFree = run->view.touched[a] == 0;
		double give = isFree ? supDotVec3d( g, supMulMat3dVec( run->view.softest + a, g ) ) : 0.0;
		for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1]; ++k )
		{
			const supFrame* frame = flesh->frames + flesh->nodeFrames[k];
			for ( int e = 0; e < ( frame->links[1] < 0 ? 1 : 2 ); ++e )
			{
				double share = flesh->nodeWeights[k] * frame->parts[e];
				sums[frame->links[e]].volume += share * nodes[a].volume;
				sums[frame->links[e]].excess += share * nodes[a].excess;
				sums[frame->links[e]].give += share * give;
				sums[frame->links[e]].touched += share * ( isFree ? 0.0 : 1.0 );
			}
		}
	}
}

static void MoveNodes( const supLayeredRun* run, const Node* nodes, double part, const Sums* sums )
{
	const supLayeredFlesh* flesh = run->flesh;
	for ( int32_t a = 0; a < flesh->skin.nodeCount; ++a )
	{
		double push = 0.0;
		for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1] && run->view.touched[a] == 0; ++k )
		{
			const supFrame* frame = flesh->frames + flesh->nodeFrames[k];
			for ( int e = 0; e < ( frame->links[1] < 0 ? 1 : 2 ); ++e )
			{
				const Sums* sum = sums + frame->links[e];
				push += sum->give > 0.0 ? flesh->nodeWeights[k] * frame->parts[e] * sum->excess / sum->give : 0.0;
			}
		}
		supVec3d way = supMulMat3dVec( run->view.softest + a, nodes[a].gradient );
		double *q = run->view.q + 3 * (int64_t)a, *v = run->view.v + 3 * (int64_t)a;
		supStoreVec3d( q, supMulAddVec3d( supLoadVec3d( q ), -part * push, way ) );
		supStoreVec3d( v, supMulAddVec3d( supLoadVec3d( v ), -part * push / run->dt, way ) );
	}
}

static void PlaceNodes( supLayeredRun* run )
{
	_Static_assert( sizeof( Node ) <= SUP_NODE_SUMS * sizeof( double ), "a node fits" );
	for ( int32_t f = 0; f < run->flesh->frameCount; ++f )
	{
		supFramePlace place = supLayered_PlaceFrame( run->flesh, f, run->view.links, run->view.ways );
		run->view.volumeTurns[f] = supMakeMat3dQuat( place.rotation );
		run->view.volumePlaces[f] = place.center;
	}
	supParallelFor( run->tasks, run->flesh->skin.nodeCount, GRAIN, BlendRange, run );
}

// Skin that nothing touches gets no farther from its place than it is thick: a distance d becomes
// d / ( 1 + ( d / thickness )^4 )^( 1 / 4 ).
static void LimitRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const supLayeredRun* run = context;
	for ( int32_t a = begin; a < end; ++a )
	{
		double *v = run->view.v + 3 * (int64_t)a, *q = run->view.q + 3 * (int64_t)a;
		supVec3d old = supLoadVec3d( run->view.oldQ + 3 * (int64_t)a );
		supVec3d way = supMulAddVec3d( old, run->dt, supLoadVec3d( v ) );
		double most = supLayered_MostStretch( run->flesh, a ), ratio = supDotVec3d( way, way ) / ( most * most );
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
	const Node* nodes = (const Node*)view->nodeSums;
	supVec3d sum = { 0.0, 0.0, 0.0 };
	for ( int32_t a = 0; a < flesh->skin.nodeCount; ++a )
	{
		int64_t at = 3 * (int64_t)a;
		supVec3d more = supSubVec3d( supLoadVec3d( view->v + at ), supLoadVec3d( view->solvedV + at ) );
		if ( supDotVec3d( more, more ) > 0.0 )
		{
			sum = supMulAddVec3d( sum, flesh->skin.masses[a], supMulMat3dVec( &nodes[a].blend, more ) );
			supLayered_AddFlow( run, a, -1.0, more, &view->header->lost );
		}
	}
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
	// both are free while positions are found
	Node* nodes = (Node*)run->view.nodeSums;
	Sums* sums = (Sums*)run->view.boneFresh;
	double part = (double)run->parameters[sup_layeredVolume];
	memcpy( run->view.solvedV, run->view.v, 3 * (size_t)run->flesh->skin.nodeCount * sizeof( double ) );
	PlaceNodes( run );
	supParallelFor( run->tasks, run->flesh->skin.nodeCount, GRAIN, LimitRange, run );
	for ( int32_t round = 0; round < ROUNDS && part > 0.0; ++round )
	{
		MeasureNodes( run, nodes );
		SumLinks( run, nodes, sums );
		if ( IsKept( run, sums ) )
		{
			break;
		}
		MoveNodes( run, nodes, part, sums );
	}
	TakeBack( run );
}
