// SPDX-License-Identifier: MIT
// From the many small triangles of the polygoniser to a skin of even triangles with exactly the wanted vertex count.
#pragma once

#include "polygonise.h"

// Collapses edges, shortest first as measured by the wanted density, down to `vertexCount`, then flips edges and slides
// vertices along the surface until the triangles are even. Stays closed and manifold throughout.
// - the mesh is closed and manifold and has at least `vertexCount` vertices
// `detail` in [0, 1]: 0 gives the same density everywhere, 1 the density that thin parts need.
// False where out of memory or where no edge can be collapsed any more.
bool remesh( polyMesh* mesh, const sculptShape* shape, int32_t vertexCount, float detail );

// Polygonises finely enough and remeshes: a closed skin of the shape with exactly `vertexCount` vertices.
bool sculptShape_Skin( const sculptShape* shape, int32_t vertexCount, float detail, polyMesh* mesh );
