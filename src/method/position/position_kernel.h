// SPDX-License-Identifier: MIT
// The constraints of position-based skinning, eight at a time (Abu Rumman & Fratarcangeli 2015, section 3.2).
//
// Pure functions: positions in, corrected positions out. A particle is 16 bytes, x y z and inverse mass. A pack is
// eight constraints that share no particle, with the byte offsets of their particles; a pack that is not full repeats
// its first constraint, which then computes and stores the same numbers twice. Packs are solved one after another
// (Gauss-Seidel).
//
//     stretch   C = |p1 - p2| - d                                       Eq. 7, 8, for unequal masses
//     bind      the same with the anchor on the bone in place of p2     3.2.3
//     volume    C = (p2 - p1) x (p3 - p1) . (p4 - p1) / 6 - V0          Eq. 9
//
// The gradients of the volume as printed (Eq. 10 to 12) stand on the wrong vertices and the corrections (Eq. 14 to 17)
// have the wrong sign. With e2 = p2 - p1 and so on, six times the gradients are
//     g2 = e3 x e4,  g3 = e4 x e2,  g4 = e2 x e3,  g1 = -(g2 + g3 + g4).
//
// Each comes in two kinds. Plain: dp = -k C w grad C / sum( w |grad C|^2 ), softer by k in 0..1, and softer with fewer
// iterations; edges hold more firmly beyond SUP_SLACK. Compliant (XPBD, Macklin, Mueller & Chentanez 2016): a
// constraint has a compliance a in real units and a multiplier l that adds up over the iterations, dl = -( C + a l ) /
// ( sum( w |grad C|^2 ) + a ), dp = w grad C dl.
//
// And in two arrangements. Single: the eight lanes are the eight constraints of a pack. Crowd: the eight lanes are
// eight characters of the same flesh, which need no gathering, and take the constraints of a pack one by one. Both do
// the same operations on each constraint, so that a character comes out with the same bits.
#pragma once

#include "core/kernel.h"
#include "method/position/slack.h"

#define SUP_PACK 8

typedef struct supStretchPack
{
	uint32_t first[SUP_PACK];
	uint32_t second[SUP_PACK];
	float length[SUP_PACK];
	// stiffness of this edge among all, times w1 / ( w1 + w2 ) and w2 / ( w1 + w2 )
	float firstShare[SUP_PACK];
	float secondShare[SUP_PACK];
	// how much of that again where the edge is stretched farther than SUP_SLACK
	float hold[SUP_PACK];
} supStretchPack;

typedef struct supBindPack
{
	uint32_t particle[SUP_PACK];
	float length[SUP_PACK];
	// stiffness of this bind among all; 0 where the particle is fixed
	float share[SUP_PACK];
} supBindPack;

typedef struct supVolumePack
{
	uint32_t corners[4][SUP_PACK];
	// six times the volume at rest
	float volume[SUP_PACK];
	// stiffness of this tetrahedron among all
	float share[SUP_PACK];
	// The largest sum( w |g|^2 ) l^2: bounds how far one correction may carry a corner. A flat or inverted tetrahedron
	// would otherwise throw it anywhere.
	float reach[SUP_PACK];
} supVolumePack;

// For the compliant kind: masses that plain shares do not tell, and compliance times the unit modulus.
typedef struct supStretchSpring
{
	float firstMass[SUP_PACK]; // inverse
	float secondMass[SUP_PACK];
	float compliance[SUP_PACK];
} supStretchSpring;

typedef struct supBindSpring
{
	float mass[SUP_PACK]; // inverse
	float compliance[SUP_PACK];
} supBindSpring;

typedef struct supVolumeSpring
{
	float compliance[SUP_PACK]; // of six times the volume
} supVolumeSpring;

// How stiff, the same for all constraints of a kind.
typedef struct supStiffness
{
	// plain: 0..1
	float plain;
	// compliant: what compliances are multiplied with, 1 / ( modulus * step^2 )
	float softness;
	bool compliant;
	// Of each lane: what its rest length or volume is multiplied with, where the pose scales bones (scale.c). NULL:
	// all 1. Single arrangement only.
	const float* scales;
} supStiffness;

// ---------------------------------------------------------------------------------------------------------------------
// Single. `multipliers` has eight of each pack and is read and written by the compliant kind alone; springs likewise.

SUP_DECLARE_KERNEL( void, supSolveStretch,
					( float* particles, const supStretchPack* packs, const supStretchSpring* springs,
					  float* multipliers, int32_t begin, int32_t end, supStiffness stiffness ) );

// - anchors: x y z 0 of each lane of each pack
SUP_DECLARE_KERNEL( void, supSolveBind,
					( float* particles, const supBindPack* packs, const supBindSpring* springs, const float* anchors,
					  float* multipliers, int32_t begin, int32_t end, supStiffness stiffness ) );

// Tetrahedra that are inside out take the whole correction at once, whatever the stiffness. Returns how many packs had
// one.
SUP_DECLARE_KERNEL( int32_t, supSolveVolume,
					( float* particles, const supVolumePack* packs, const supVolumeSpring* springs, float* multipliers,
					  int32_t begin, int32_t end, supStiffness stiffness ) );

// ---------------------------------------------------------------------------------------------------------------------
// Crowd. Particle i of all eight characters is x of each, y of each, z of each, and 32 bytes not used, in place
// i % 2^shift of lanes[i / 2^shift]: 16 bytes for each particle and character, so that it fits in their own arrays.

typedef struct supCrowd
{
	float* lanes[SUP_PACK];
	int32_t shift;
	const float* inverseMasses;
	// of each character, as in the single arrangement
	const float* anchors[SUP_PACK];
	float* multipliers[SUP_PACK];
} supCrowd;

// From eight arrays of single particles into lanes, and back. The arrays must not overlap the lanes.
SUP_DECLARE_KERNEL( void, supGatherCrowd, ( const supCrowd* crowd, const float* const* particles, int32_t count ) );
SUP_DECLARE_KERNEL( void, supScatterCrowd, ( const supCrowd* crowd, float* const* particles, int32_t count ) );

// `multiplier` is the place of the kind's first multiplier in the characters' arrays.
SUP_DECLARE_KERNEL( void, supSolveStretchCrowd,
					( const supCrowd* crowd, const supStretchPack* packs, const supStretchSpring* springs,
					  size_t multiplier, int32_t begin, int32_t end, supStiffness stiffness ) );
SUP_DECLARE_KERNEL( void, supSolveBindCrowd,
					( const supCrowd* crowd, const supBindPack* packs, const supBindSpring* springs, size_t multiplier,
					  int32_t begin, int32_t end, supStiffness stiffness ) );
// Returns a bit for each character that had an inverted tetrahedron.
SUP_DECLARE_KERNEL( uint32_t, supSolveVolumeCrowd,
					( const supCrowd* crowd, const supVolumePack* packs, const supVolumeSpring* springs,
					  size_t multiplier, int32_t begin, int32_t end, supStiffness stiffness ) );
