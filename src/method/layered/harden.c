// SPDX-License-Identifier: MIT
// Skin of a loose body hardens as it is displaced.
//
// Skin that swings at 2 Hz moves by g / ω² = 6 cm under its own weight alone. A body that its clip carries never shows
// that, since its shape at rest is the one under its weight. A ragdoll does: it falls and is weightless, turns over,
// and lies on its skin with all that it weighs. Linear skin would be at its ends all the time, where answers to
// contacts are poor: links were thrown off at 30 m/s.
//
// Flesh is soft at first and then stiffens. From a part of its thickness on, a node has one more spring:
//
//     f = - m ω² ( 1 - START d / |x| ) x,   x = q + h q̇,   ω² = RATIO g / d,   d: thickness of the skin there
//
// RATIO times the weight of the skin moves it by one thickness more, whatever the size of the body. The factored matrix
// of the skin is constant and does not contain this spring, so that it may be only as stiff as the step bears.
//
// The spring is as strong as the links that carry the node are loose, and there is none where `frequency` is 0: then a
// modulus is given, which says how stiff skin is to what presses on it.
#include "core/tasks.h"
#include "method/layered/layered.h"

#define GRAIN 512

// m/s². Not the scene's: skin is the same without gravity.
#define STANDARD_GRAVITY 9.81

#define RATIO 10.0

// Part of the thickness up to which skin is as soft as it swings.
#define START 0.25

// ( ω h )² at most.
#define MAX_STEP_SQUARE 0.25

typedef struct Hardening
{
	const supLayeredRun* run;
	const double* loose; // of each link, 0 where it follows its clip
} Hardening;

static double FindLooseness( const Hardening* hardening, int32_t node )
{
	const supLayeredFlesh* flesh = hardening->run->flesh;
	double sum = 0.0;
	for ( int32_t k = flesh->nodeStarts[node]; k < flesh->nodeStarts[node + 1]; ++k )
	{
		const supFrame* frame = flesh->frames + flesh->nodeFrames[k];
		double loose = frame->parts[0] * hardening->loose[frame->links[0]];
		loose += frame->links[1] < 0 ? 0.0 : frame->parts[1] * hardening->loose[frame->links[1]];
		sum += flesh->nodeWeights[k] * loose;
	}
	return sum;
}

static void HardenRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Hardening* hardening = context;
	const supLayeredRun* run = hardening->run;
	double most = MAX_STEP_SQUARE / ( run->dt * run->dt );
	for ( int32_t a = begin; a < end; ++a )
	{
		int64_t at = 3 * (int64_t)a;
		supVec3d way = supMulAddVec3d( supLoadVec3d( run->view.q + at ), run->dt, supLoadVec3d( run->view.v + at ) );
		double length = supLengthVec3d( way ), thickness = 0.5 * supLayered_MostStretch( run->flesh, a );
		if ( length > START * thickness )
		{
			double rate = fmin( RATIO * STANDARD_GRAVITY / thickness, most ) * FindLooseness( hardening, a );
			double scale = run->flesh->skin.masses[a] * rate * ( 1.0 - START * thickness / length );
			supVec3d f = supLoadVec3d( run->view.skinForces + at );
			supStoreVec3d( run->view.skinForces + at, supMulAddVec3d( f, -scale, way ) );
		}
	}
}

void supLayered_HardenLooseSkin( supLayeredRun* run )
{
	const supLinks* links = &run->flesh->links;
	// free until the skeleton is solved
	double *loose = run->view.boneFresh, most = 0.0;
	for ( int32_t i = 0; i < links->count; ++i )
	{
		// a firm hand on a loose arm is loose
		int32_t parent = links->links[i].parent;
		double own = 1.0 - fmin( supLayered_Strength( run, links->links + i ), 1.0 );
		loose[i] = parent >= 0 ? fmax( own, loose[parent] ) : own;
		most = fmax( most, loose[i] );
	}
	if ( most > 0.0 && run->parameters[sup_layeredFrequency] > 0.0f )
	{
		Hardening hardening = { run, loose };
		supParallelFor( run->tasks, run->flesh->skin.nodeCount, GRAIN, HardenRange, &hardening );
	}
}
