// SPDX-License-Identifier: MIT
#include "volume/lattice/control_lattice.h"

#include "core/sort.h"
#include "volume/lattice/cell_map.h"
#include "volume/lattice/control_lattice_internal.h"

#include <stdio.h>

// A vertex so near to a bone, in sizes of the lattice, lies on it.
#define ON_BONE 1e-5f

#define MOST_CELLS ( 1 << 24 )

const supCellShape supCellShapes[sup_cellKindCount] = {
	{ "tet",
	  4,
	  6,
	  4,
	  { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } },
	  { { 1, 2, 3, -1 }, { 0, 3, 2, -1 }, { 0, 1, 3, -1 }, { 0, 2, 1, -1 } },
	  { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } },
	  { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
	{ "prism",
	  6,
	  9,
	  5,
	  { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 3, 4 }, { 4, 5 }, { 5, 3 }, { 0, 3 }, { 1, 4 }, { 2, 5 } },
	  { { 0, 2, 1, -1 }, { 3, 4, 5, -1 }, { 0, 1, 4, 3 }, { 1, 2, 5, 4 }, { 2, 0, 3, 5 } },
	  { { 1, 2, 3 }, { 2, 0, 4 }, { 0, 1, 5 }, { 5, 4, 0 }, { 3, 5, 1 }, { 4, 3, 2 } },
	  { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 1 }, { 0, 1, 1 } } },
	{ "hex",
	  8,
	  12,
	  6,
	  { { 0, 1 },
		{ 1, 2 },
		{ 2, 3 },
		{ 3, 0 },
		{ 4, 5 },
		{ 5, 6 },
		{ 6, 7 },
		{ 7, 4 },
		{ 0, 4 },
		{ 1, 5 },
		{ 2, 6 },
		{ 3, 7 } },
	  { { 0, 3, 2, 1 }, { 4, 5, 6, 7 }, { 0, 1, 5, 4 }, { 1, 2, 6, 5 }, { 2, 3, 7, 6 }, { 3, 0, 4, 7 } },
	  { { 1, 3, 4 }, { 2, 0, 5 }, { 3, 1, 6 }, { 0, 2, 7 }, { 7, 5, 0 }, { 4, 6, 1 }, { 5, 7, 2 }, { 6, 4, 3 } },
	  { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 } } },
};

void supControlLattice_Destroy( supControlLattice* lattice )
{
	supArena_Destroy( &lattice->arena );
	*lattice = ( supControlLattice ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Copies

// False where a cell names a kind or corner that does not exist.
static bool CountCorners( const supControlLatticeArrays* arrays, int64_t* cornerCount, supError* error )
{
	if ( arrays->cellCount <= 0 || arrays->vertexCount <= 0 )
	{
		return supSetError( error, sup_errorArgument, arrays->name, "the lattice has no cells" );
	}
	if ( arrays->cellCount > MOST_CELLS )
	{
		return supSetError( error, sup_errorTooLarge, arrays->name, "the lattice has more than %d cells", MOST_CELLS );
	}
	*cornerCount = 0;
	for ( int32_t i = 0; i < arrays->cellCount; ++i )
	{
		if ( arrays->kinds[i] >= sup_cellKindCount )
		{
			return supSetError( error, sup_errorArgument, arrays->name, "cell %d has an unknown kind", i );
		}
		int32_t count = supCellShapes[arrays->kinds[i]].cornerCount;
		const int32_t* corners = arrays->corners + *cornerCount;
		for ( int32_t k = 0; k < count; ++k )
		{
			if ( corners[k] < 0 || corners[k] >= arrays->vertexCount )
			{
				return supSetError( error, sup_errorArgument, arrays->name,
									"cell %d (%s) uses vertex %d; vertices are 0 to %d", i,
									supCellShapes[arrays->kinds[i]].name, corners[k], arrays->vertexCount - 1 );
			}
			for ( int32_t j = 0; j < k; ++j )
			{
				if ( corners[j] == corners[k] )
				{
					return supSetError( error, sup_errorArgument, arrays->name, "cell %d (%s) uses vertex %d twice", i,
										supCellShapes[arrays->kinds[i]].name, corners[k] );
				}
			}
		}
		*cornerCount += count;
	}
	return true;
}

static bool CheckPlaces( const supControlLatticeArrays* arrays, supError* error )
{
	for ( int32_t i = 0; i < arrays->vertexCount; ++i )
	{
		supVec3 p = arrays->vertices[i];
		float most = supMaxFloat( fabsf( p.x ), supMaxFloat( fabsf( p.y ), fabsf( p.z ) ) );
		if ( supIsFiniteVec3( p ) == false || most > SUP_MAX_COORDINATE )
		{
			return supSetError( error, sup_errorArgument, arrays->name, "the position of vertex %d is not finite", i );
		}
	}
	for ( int32_t i = 0; i < arrays->boneCount; ++i )
	{
		const supLatticeBone* bone = arrays->bones + i;
		if ( bone->a < 0 || bone->b < 0 || bone->a >= arrays->jointCount || bone->b >= arrays->jointCount ||
			 bone->a == bone->b )
		{
			return supSetError( error, sup_errorArgument, arrays->name, "bone %d connects joints %d and %d of %d", i,
								bone->a, bone->b, arrays->jointCount );
		}
	}
	return true;
}

static bool Copy( supControlLattice* lattice, const supControlLatticeArrays* arrays, int64_t cornerCount,
				  supError* error )
{
	supArena* arena = &lattice->arena;
	size_t vertices = (size_t)arrays->vertexCount, cells = (size_t)arrays->cellCount;
	lattice->vertexCount = arrays->vertexCount;
	lattice->cellCount = arrays->cellCount;
	lattice->jointCount = arrays->jointCount;
	lattice->boneCount = arrays->boneCount;
	lattice->vertices = supArena_CopyArray( arena, arrays->vertices, vertices, sizeof( supVec3 ) );
	lattice->pins = supArena_AllocArray( arena, vertices, sizeof( supLatticePin ) );
	lattice->kinds = supArena_CopyArray( arena, arrays->kinds, cells, 1 );
	lattice->corners = supArena_CopyArray( arena, arrays->corners, (size_t)cornerCount, sizeof( int32_t ) );
	lattice->cornerStarts = supArena_AllocArray( arena, cells + 1, sizeof( int32_t ) );
	lattice->joints =
		supArena_CopyArray( arena, arrays->joints, (size_t)arrays->jointCount, sizeof( supLatticeJoint ) );
	lattice->bones = supArena_CopyArray( arena, arrays->bones, (size_t)arrays->boneCount, sizeof( supLatticeBone ) );
	lattice->neighbours = supArena_AllocArray( arena, cells * SUP_MAX_CELL_FACES, sizeof( int32_t ) );
	lattice->aroundStarts = supArena_AllocZeroed( arena, ( vertices + 1 ) * sizeof( int32_t ) );
	lattice->around = supArena_AllocArray( arena, (size_t)cornerCount, sizeof( int32_t ) );
	if ( arena->failed )
	{
		return supSetMemoryError( error );
	}
	int32_t start = 0;
	for ( int32_t i = 0; i < lattice->cellCount; ++i )
	{
		lattice->cornerStarts[i] = start;
		start += supCellShapes[lattice->kinds[i]].cornerCount;
	}
	lattice->cornerStarts[lattice->cellCount] = start;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// What is next to what

static void FillAround( supControlLattice* lattice )
{
	int32_t* starts = lattice->aroundStarts;
	int32_t cornerCount = lattice->cornerStarts[lattice->cellCount];
	for ( int32_t i = 0; i < cornerCount; ++i )
	{
		starts[lattice->corners[i] + 1] += 1;
	}
	for ( int32_t i = 0; i < lattice->vertexCount; ++i )
	{
		starts[i + 1] += starts[i];
	}
	// cells come in rising order; starts are moved along and put back
	for ( int32_t cell = 0; cell < lattice->cellCount; ++cell )
	{
		for ( int32_t k = lattice->cornerStarts[cell]; k < lattice->cornerStarts[cell + 1]; ++k )
		{
			lattice->around[starts[lattice->corners[k]]++] = cell;
		}
	}
	memmove( starts + 1, starts, (size_t)lattice->vertexCount * sizeof( int32_t ) );
	starts[0] = 0;
}

// The vertices of a face, rising; a triangle has INT32_MAX last.
typedef struct FaceKey
{
	int32_t vertices[4];
} FaceKey;

static FaceKey MakeFaceKey( const supControlLattice* lattice, int32_t cell, int32_t face )
{
	FaceKey key = { { 0, 0, 0, INT32_MAX } };
	const int8_t* local = supCellShapes[lattice->kinds[cell]].faces[face];
	const int32_t* corners = lattice->corners + lattice->cornerStarts[cell];
	for ( int32_t i = 0; i < 4 && local[i] >= 0; ++i )
	{
		int32_t vertex = corners[local[i]], k = i;
		for ( ; k > 0 && key.vertices[k - 1] > vertex; --k )
		{
			key.vertices[k] = key.vertices[k - 1];
		}
		key.vertices[k] = vertex;
	}
	return key;
}

// Another face with the same vertices among the cells around the first of them; -1 without.
static int32_t FindPartner( const supControlLattice* lattice, int32_t cell, int32_t face, int32_t* partnerFace,
							int32_t* count )
{
	FaceKey key = MakeFaceKey( lattice, cell, face );
	int32_t vertex = key.vertices[0], partner = -1;
	*count = 0;
	for ( int32_t k = lattice->aroundStarts[vertex]; k < lattice->aroundStarts[vertex + 1]; ++k )
	{
		int32_t other = lattice->around[k];
		for ( int32_t f = 0; f < supCellShapes[lattice->kinds[other]].faceCount && other != cell; ++f )
		{
			FaceKey otherKey = MakeFaceKey( lattice, other, f );
			if ( memcmp( &key, &otherKey, sizeof( key ) ) == 0 )
			{
				partner = *count == 0 ? other : partner;
				*partnerFace = *count == 0 ? f : *partnerFace;
				*count += 1;
			}
		}
	}
	return partner;
}

static int32_t FaceVertex( const supControlLattice* lattice, int32_t cell, int32_t face, int32_t i )
{
	return lattice->corners[lattice->cornerStarts[cell] + supCellShapes[lattice->kinds[cell]].faces[face][i]];
}

// Two faces of the same vertices: 1 where they run opposite ways around, as two cells on two sides do; 0 where they run
// the same way; -1 where they are two quads of other diagonals.
static int32_t CompareFaces( const supControlLattice* lattice, int32_t cell, int32_t face, int32_t other,
							 int32_t otherFace )
{
	int32_t size = supCellShapes[lattice->kinds[cell]].faces[face][3] < 0 ? 3 : 4;
	int32_t at = 0;
	while ( FaceVertex( lattice, other, otherFace, at ) != FaceVertex( lattice, cell, face, 0 ) )
	{
		at += 1;
	}
	int32_t next = FaceVertex( lattice, cell, face, 1 );
	int32_t after = FaceVertex( lattice, other, otherFace, ( at + 1 ) % size );
	int32_t before = FaceVertex( lattice, other, otherFace, ( at + size - 1 ) % size );
	return before == next ? 1 : ( after == next ? 0 : -1 );
}

static bool HasEdge( const supControlLattice* lattice, int32_t a, int32_t b )
{
	for ( int32_t k = lattice->aroundStarts[a]; k < lattice->aroundStarts[a + 1]; ++k )
	{
		int32_t cell = lattice->around[k];
		const supCellShape* shape = supCellShapes + lattice->kinds[cell];
		const int32_t* corners = lattice->corners + lattice->cornerStarts[cell];
		for ( int32_t e = 0; e < shape->edgeCount; ++e )
		{
			int32_t from = corners[shape->edges[e][0]], to = corners[shape->edges[e][1]];
			if ( ( from == a && to == b ) || ( from == b && to == a ) )
			{
				return true;
			}
		}
	}
	return false;
}

// Cells with an edge along a diagonal of a quad meet that face in a part of it.
static bool CheckDiagonals( const supControlLattice* lattice, int32_t cell, int32_t face, const char* name,
							supError* error )
{
	for ( int32_t i = 0; i < 2 && supCellShapes[lattice->kinds[cell]].faces[face][3] >= 0; ++i )
	{
		int32_t from = FaceVertex( lattice, cell, face, i ), to = FaceVertex( lattice, cell, face, i + 2 );
		if ( HasEdge( lattice, from, to ) )
		{
			char a[128], b[128];
			return supSetError(
				error, sup_errorArgument, name,
				"%s of %s is cut by the edge from vertex %d to %d of another cell; cells must share whole "
				"faces",
				supDescribeFace( lattice, cell, face, a ), supDescribeCell( lattice, cell, b ), from, to );
		}
	}
	return true;
}

static bool FillNeighbours( supControlLattice* lattice, const char* name, supError* error )
{
	char a[128], b[128], c[128];
	for ( int32_t cell = 0; cell < lattice->cellCount; ++cell )
	{
		int32_t* row = lattice->neighbours + SUP_MAX_CELL_FACES * cell;
		for ( int32_t face = 0; face < SUP_MAX_CELL_FACES; ++face )
		{
			int32_t partnerFace = 0, count = 0;
			row[face] = face < supCellShapes[lattice->kinds[cell]].faceCount
							? FindPartner( lattice, cell, face, &partnerFace, &count )
							: -1;
			if ( row[face] < 0 )
			{
				if ( face < supCellShapes[lattice->kinds[cell]].faceCount &&
					 CheckDiagonals( lattice, cell, face, name, error ) == false )
				{
					return false;
				}
				continue;
			}
			supDescribeCell( lattice, cell, a );
			supDescribeCell( lattice, row[face], b );
			supDescribeFace( lattice, cell, face, c );
			int32_t order = CompareFaces( lattice, cell, face, row[face], partnerFace );
			if ( count > 1 )
			{
				return supSetError( error, sup_errorArgument, name,
									"%s of %s belongs to %s and others; a face has at most two cells", c, a, b );
			}
			if ( order == 0 )
			{
				return supSetError( error, sup_errorArgument, name,
									"%s and %s are on the same side of %s of the former; remove one", a, b, c );
			}
			if ( order < 0 )
			{
				return supSetError( error, sup_errorArgument, name,
									"%s of %s has the vertices of a face of %s in another order", c, a, b );
			}
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// The skeleton

static float SizeOf( const supControlLattice* lattice )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < lattice->vertexCount; ++i )
	{
		box = supBox_Include( box, lattice->vertices[i] );
	}
	supVec3 size = supBox_Size( box );
	return supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
}

static supLatticePin FindPin( const supControlLattice* lattice, int32_t vertex, float near )
{
	supVec3 p = lattice->vertices[vertex];
	supLatticePin pin = { -1, -1, 0.0f };
	for ( int32_t i = 0; i < lattice->boneCount; ++i )
	{
		const supLatticeBone* bone = lattice->bones + i;
		supSegment segment = { lattice->joints[bone->a].rest, lattice->joints[bone->b].rest };
		if ( supDistanceToSegment( &segment, p ) > near )
		{
			continue;
		}
		if ( supDistance( p, segment.a ) <= near )
		{
			return ( supLatticePin ){ bone->a, bone->a, 0.0f };
		}
		if ( supDistance( p, segment.b ) <= near )
		{
			return ( supLatticePin ){ bone->b, bone->b, 0.0f };
		}
		supVec3 d = supSub( segment.b, segment.a );
		pin = ( supLatticePin ){ bone->a, bone->b, supDot( supSub( p, segment.a ), d ) / supLengthSquared( d ) };
	}
	return pin;
}

// Where a vertex lies along a bone, 0..1; -1 where it does not.
static float AlongBone( const supLatticePin* pin, const supLatticeBone* bone )
{
	if ( pin->a == pin->b )
	{
		return pin->a == bone->a ? 0.0f : ( pin->a == bone->b ? 1.0f : -1.0f );
	}
	return pin->a == bone->a && pin->b == bone->b ? pin->t
												  : ( pin->a == bone->b && pin->b == bone->a ? 1.0f - pin->t : -1.0f );
}

// From one vertex on the bone to the next, nearest first.
static bool WalkBone( const supControlLattice* lattice, int32_t bone, const char* name, supBoneEdge* edges,
					  int32_t* edgeCount, supError* error )
{
	int32_t at = -1;
	float along = -1.0f;
	while ( along < 1.0f )
	{
		int32_t next = -1;
		float nearest = 2.0f;
		for ( int32_t i = 0; i < lattice->vertexCount; ++i )
		{
			float t = AlongBone( lattice->pins + i, lattice->bones + bone );
			if ( t > along && t >= 0.0f && t < nearest )
			{
				next = i;
				nearest = t;
			}
		}
		bool isStart = at < 0;
		if ( next < 0 || ( isStart && nearest > 0.0f ) )
		{
			const supLatticeBone* b = lattice->bones + bone;
			supVec3 p = lattice->joints[isStart ? b->a : b->b].rest;
			return supSetError( error, sup_errorArgument, name,
								"bone %d has no vertex at its joint at (%g %g %g); add one", bone, (double)p.x,
								(double)p.y, (double)p.z );
		}
		if ( isStart == false )
		{
			if ( HasEdge( lattice, at, next ) == false )
			{
				return supSetError( error, sup_errorArgument, name,
									"bone %d goes from vertex %d to vertex %d, which is not an edge of any cell", bone,
									at, next );
			}
			edges[( *edgeCount )++] = ( supBoneEdge ){ bone, { at, next } };
		}
		at = next;
		along = nearest;
	}
	return true;
}

static bool FillSkeleton( supControlLattice* lattice, const supControlLatticeArrays* arrays, supError* error )
{
	float near = ON_BONE * SizeOf( lattice );
	for ( int32_t i = 0; i < lattice->vertexCount; ++i )
	{
		lattice->pins[i] = arrays->pins != NULL ? arrays->pins[i] : FindPin( lattice, i, near );
	}
	size_t most = arrays->edges != NULL ? (size_t)arrays->edgeCount
										: (size_t)lattice->vertexCount * 2 + (size_t)lattice->boneCount;
	supBoneEdge* edges = supArena_AllocArray( &lattice->arena, most, sizeof( supBoneEdge ) );
	if ( edges == NULL )
	{
		return supSetMemoryError( error );
	}
	lattice->edges = edges;
	lattice->edgeCount = 0;
	for ( int32_t i = 0; i < arrays->edgeCount; ++i )
	{
		// outside of the body a bone has no cells
		const int32_t* ends = arrays->edges[i].vertices;
		if ( HasEdge( lattice, ends[0], ends[1] ) )
		{
			edges[lattice->edgeCount++] = arrays->edges[i];
		}
	}
	if ( arrays->edges != NULL )
	{
		return true;
	}
	bool ok = true;
	for ( int32_t i = 0; i < lattice->boneCount && ok; ++i )
	{
		// bones that share their joints would share their vertices
		for ( int32_t k = 0; k < i && ok; ++k )
		{
			const supLatticeBone *a = lattice->bones + i, *b = lattice->bones + k;
			bool same = ( a->a == b->a && a->b == b->b ) || ( a->a == b->b && a->b == b->a );
			ok = same == false || supSetError( error, sup_errorArgument, arrays->name,
											   "bones %d and %d lie between the same two joints", k, i );
		}
		ok = ok && WalkBone( lattice, i, arrays->name, edges, &lattice->edgeCount, error );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

bool supControlLattice_Fill( supControlLattice* lattice, const supControlLatticeArrays* arrays, bool deep,
							 supError* error )
{
	int64_t cornerCount = 0;
	bool ok = CountCorners( arrays, &cornerCount, error ) && CheckPlaces( arrays, error ) &&
			  Copy( lattice, arrays, cornerCount, error );
	if ( ok )
	{
		FillAround( lattice );
		ok = supControlLattice_CheckCells( lattice, arrays->name, error ) &&
			 FillNeighbours( lattice, arrays->name, error ) &&
			 ( deep == false || supControlLattice_CheckOverlaps( lattice, arrays->name, error ) ) &&
			 FillSkeleton( lattice, arrays, error );
	}
	if ( ok == false )
	{
		supControlLattice_Destroy( lattice );
	}
	return ok;
}

bool supControlLattice_Init( supControlLattice* lattice, const supControlLatticeArrays* arrays, supError* error )
{
	supClearError( error );
	return supControlLattice_Fill( lattice, arrays, true, error );
}

void supControlLattice_PlaceBones( const supControlLattice* lattice, const supMat34* worlds, supVec4* positions )
{
	for ( int32_t i = 0; i < lattice->vertexCount; ++i )
	{
		const supLatticePin* pin = lattice->pins + i;
		if ( pin->a >= 0 )
		{
			supVec3 p = supLatticeJoint_Place( lattice->joints + pin->a, worlds );
			if ( pin->b != pin->a )
			{
				p = supLerp( p, supLatticeJoint_Place( lattice->joints + pin->b, worlds ), pin->t );
			}
			positions[i].x = p.x;
			positions[i].y = p.y;
			positions[i].z = p.z;
		}
	}
}

double supControlLattice_CellVolume( const supControlLattice* lattice, int32_t cell )
{
	// two points of Gauss an axis are exact up to degree three; the determinant has two
	static const double gauss[2] = { 0.21132486540518713, 0.78867513459481287 };
	static const double middles[3][2] = { { 1.0 / 6.0, 1.0 / 6.0 },
										  { 2.0 / 3.0, 1.0 / 6.0 },
										  { 1.0 / 6.0, 2.0 / 3.0 } };
	double jacobian[3][3], sum = 0.0;
	switch ( lattice->kinds[cell] )
	{
		case sup_cellTet:
			return supCellMap_Differentiate( lattice, cell, ( double[3] ){ 0 }, NULL, jacobian ) / 6.0;
		case sup_cellPrism:
			for ( int32_t i = 0; i < 6; ++i )
			{
				const double at[3] = { middles[i % 3][0], middles[i % 3][1], gauss[i / 3] };
				sum += supCellMap_Differentiate( lattice, cell, at, NULL, jacobian ) / 12.0;
			}
			return sum;
		default:
			for ( int32_t i = 0; i < 8; ++i )
			{
				const double at[3] = { gauss[i & 1], gauss[i >> 1 & 1], gauss[i >> 2] };
				sum += supCellMap_Differentiate( lattice, cell, at, NULL, jacobian ) / 8.0;
			}
			return sum;
	}
}
