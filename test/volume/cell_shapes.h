// SPDX-License-Identifier: MIT
// Lattices made by hand, with all kinds of cells.
#pragma once

#include "support.h"

#include "core/core.h"
#include "volume/lattice/control_lattice.h"

#include <string.h>

// A hex, a prism beside it and a tet on top of the prism. A bone goes along an edge of the hex, and on along one of the
// prism. Nothing is at right angles.
typedef struct MixedArrays
{
	supVec3 vertices[16];
	uint8_t kinds[8];
	int32_t corners[64];
	supLatticeJoint joints[8];
	supLatticeBone bones[8];
	supControlLatticeArrays arrays;
} MixedArrays;

static inline void MakeMixed( MixedArrays* m )
{
	static const supVec3 vertices[] = {
		{ 0.0f, 0.1f, 0.0f },  { 1.1f, 0.0f, -0.1f }, { 1.0f, 1.0f, 0.0f }, { -0.1f, 0.9f, 0.1f },
		{ 0.1f, 0.0f, 1.0f },  { 0.9f, 0.05f, 1.1f }, { 1.1f, 1.0f, 0.9f }, { 0.0f, 1.1f, 1.0f },
		{ 2.0f, 0.5f, -0.1f }, { 2.1f, 0.4f, 1.0f },  { 1.4f, 0.5f, 2.0f },
	};
	static const uint8_t kinds[] = { sup_cellHex, sup_cellPrism, sup_cellTet };
	static const int32_t corners[] = { 0, 1, 2, 3, 4, 5, 6, 7, 1, 8, 2, 5, 9, 6, 5, 9, 6, 10 };
	*m = ( MixedArrays ){ 0 };
	memcpy( m->vertices, vertices, sizeof( vertices ) );
	memcpy( m->kinds, kinds, sizeof( kinds ) );
	memcpy( m->corners, corners, sizeof( corners ) );
	const int32_t ends[] = { 0, 1, 8 };
	for ( int32_t i = 0; i < 3; ++i )
	{
		m->joints[i] = ( supLatticeJoint ){ -1, supVec3_zero, vertices[ends[i]] };
	}
	m->bones[0] = ( supLatticeBone ){ 0, 1, -1 };
	m->bones[1] = ( supLatticeBone ){ 1, 2, -1 };
	m->arrays = ( supControlLatticeArrays ){ .name = "mixed.json",
											 .vertexCount = 11,
											 .vertices = m->vertices,
											 .cellCount = 3,
											 .kinds = m->kinds,
											 .corners = m->corners,
											 .jointCount = 3,
											 .joints = m->joints,
											 .boneCount = 2,
											 .bones = m->bones };
}

// A box as a surface. Free with supRestSurface_Destroy.
static inline void MakeBox( supRestSurface* surface, supVec3 lower, supVec3 upper )
{
	static const uint32_t quads[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
										  { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
	*surface = ( supRestSurface ){ .vertexCount = 8, .triangleCount = 12 };
	surface->positions = supArena_AllocArray( &surface->arena, 8, sizeof( supVec3 ) );
	surface->indices = supArena_AllocArray( &surface->arena, 36, sizeof( uint32_t ) );
	assert_false( surface->arena.failed );
	for ( uint32_t i = 0; i < 8; ++i )
	{
		surface->positions[i] = supMakeVec3( ( i & 1 ) != 0 ? upper.x : lower.x, ( i & 2 ) != 0 ? upper.y : lower.y,
											 ( i & 4 ) != 0 ? upper.z : lower.z );
	}
	for ( uint32_t i = 0; i < 12; ++i )
	{
		const uint32_t* q = quads[i / 2];
		surface->indices[3 * i] = q[0];
		surface->indices[3 * i + 1] = q[i % 2 + 1];
		surface->indices[3 * i + 2] = q[i % 2 + 2];
	}
}
