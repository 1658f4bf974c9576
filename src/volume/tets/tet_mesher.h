// SPDX-License-Identifier: MIT
// Any list of triangles becomes tetrahedra of bounded quality: isosurface stuffing (Labelle & Shewchuk 2007).
//
//     triangles ──winding number, distance──▶ lattice values ──cuts, warps──▶ stencils ──▶ tets
//
// The lattice is body-centred cubic: corners and centres of cubes of one size. Where an edge of the lattice crosses the
// surface there is a cut; a lattice point with a cut too near is moved onto it; each lattice tet is then filled by a
// stencil of one to three tets. Whatever the surface is, all dihedral angles of the result lie between
// SUP_TETS_MIN_DIHEDRAL and SUP_TETS_MAX_DIHEDRAL: that is a property of the stencils alone.
//
// What is inside? A generalised winding number above 1/2: holes, overlaps and several parts are fine, and a mesh that
// is inside out as a whole is turned. Between cuts the boundary is flat: corners and edges of the surface are bevelled.
//
// Thin parts. A sheet, a finger or a tip thinner than 1.75 cubes may be missed by the lattice, or hang in beads.
// From every place of the surface a ray goes inwards to the far side; where that is near, the middle between both sides
// is looked at.
// - Thinner than 1.1 cubes: the lattice tets that hold the middle are part of the body as they are, a layer one tet
//   thick that hangs together by faces.
// - Else the lattice point nearest to the middle is pinned: it counts as inside and does not move onto the surface.
// Every
//   point of space has a lattice point within 0.56 cubes, and lattice points nearest to neighbouring places are joined
//   by lattice edges: the part cannot fall into beads.
// Then the points of the boundary that stand out are moved onto the surface, as far as no tet that changes gets an
// angle below 12 or above 162 degrees or a mean ratio below 0.2 (tet_slim.c). So sheets are followed down to about a
// fifth of a cube; what is thinner stays embedded in a layer of that thickness, and `embedded` says how many points
// still stand out. Parts that are nearer to each other than about a cube grow together.
//
// Volume. Where the triangles are closed and nothing overlaps, the boundary of what follows them is moved out or in by
// up to 0.2 cubes until the volume is theirs; where that is not enough (a body of parts thinner than layers can be) it
// stays on the surface.
//
// Memory. What is needed while tets are made is at most ten times the tets, where there is a tet for every two
// triangles or more; some 50 bytes for each triangle and 70 for each tet. The largest part is the tree of the triangles
// with its winding numbers.
//
// The lattice is centred on the bounds of the triangles and aligned to the axes. Where no size of it gives the count
// (boxes along the axes, all of whose faces cross lattice planes at once) it is shifted by a part of a cube towards the
// side that has more surface: then what is symmetric gets tets that are not. So the result moves with the mesh
// under translations and scales (to rounding), and its mirror image is the result of the mirrored mesh but for the
// diagonals of quads on the mirror planes of the lattice; turning the mesh gives another mesh of the same quality.
#pragma once

#include "volume/tets/tets.h"

#define SUP_TETS_MIN_DIHEDRAL 10.7f
#define SUP_TETS_MAX_DIHEDRAL 164.8f

#define SUP_LEAST_TETS 100
#define SUP_MOST_TETS 1000000

// `cover` of flesh: 5 mm of a character 2 m tall.
#define SUP_SKIN_COVER 0.0025f

typedef enum supTetsMode
{
	// The boundary lies on the surface, but for `level`.
	sup_tetsFollow,
	// Every vertex of the surface lies inside of the tets, for embedding, and everything between vertices too but for
	// 0.17 cubes at most: whole lattice tets, whose angles are 60 and 90 degrees.
	sup_tetsContain,
} supTetsMode;

typedef struct supTetsReport
{
	// edge of the lattice's cubes in metres; inner tets have edges of this length and of 0.87 of it
	float size;
	// follow: points of the boundary that stand out by more than 0.05 cubes around parts too thin to be followed
	int32_t embedded;
	// how far outside of the surface the boundary was put so that the volume is that of the triangles, in metres;
	// negative for inside
	float level;
	// pieces that share no point
	int32_t parts;
	// the triangles faced inwards: inside and outside were exchanged
	bool turned;
	// sizes that were tried
	int32_t tries;
	// with `cover`: how far the farthest vertex is outside of the tets, in metres; 0 without
	float uncovered;
} supTetsReport;

typedef struct supTetsDef
{
	int32_t vertexCount;
	const supVec3* positions;
	int32_t triangleCount;
	// three a triangle
	const uint32_t* indices;
	// Default follow.
	supTetsMode mode;
	// SUP_LEAST_TETS..SUP_MOST_TETS; the result has this number, 10 % more or less. Default 10000. 0: `size` counts.
	int32_t tetCount;
	// Edge of the lattice's cubes in metres.
	float size;
	// follow: how far vertices of the surface may be outside of the tets, as a part of the longest side of the bounds.
	// The boundary is moved outwards for it where the surface stands out (tet_cover.h). Default 0: as it is.
	float cover;
	// may be NULL
	const supTasks* tasks;
	// filled where not NULL
	supTetsReport* report;
} supTetsDef;

supTetsDef supDefaultTetsDef( void );

// Points are ordered along a curve that fills space (Morton), tets by their first points: neighbours in space are
// neighbours in memory. The result does not depend on the number of threads.
// False and an error, nothing left behind, where there is no triangle, where a vertex is not a number, where all
// vertices are at one place, where the count is out of range or no size gives it, where the size needs more than 512
// cubes along an axis, where floats cannot tell the lattice apart so far from the origin, or out of memory.
// - tets is zero-initialised
bool supBuildTets( supTets* tets, const supTetsDef* def, supError* error );
