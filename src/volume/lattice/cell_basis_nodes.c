// SPDX-License-Identifier: MIT
// The vertices of all levels: cells are divided by the middles of their edges, faces and themselves.
#include "core/array.h"
#include "volume/lattice/cell_basis_internal.h"

// ---------------------------------------------------------------------------------------------------------------------
// Middles that neighbours share

// Nodes whose middle it is, rising, -1 where there are fewer.
typedef struct MiddleKey
{
	int32_t nodes[4];
} MiddleKey;

typedef struct Middle
{
	MiddleKey key;
	int32_t node;
} Middle;

typedef struct Divider
{
	supCellBasis* basis;
	// open addressing, a power of two; node -1 is free
	Middle* table;
	int32_t tableSize;
	int32_t tableCount;
	SUP_ARRAY( supVec3 ) nodes;
	SUP_ARRAY( uint8_t ) isOnBone;
	SUP_ARRAY( int32_t ) parentStarts;
	SUP_ARRAY( int32_t ) parents;
	// bone edges of the lattice, by their first vertex: starts, and the other ends
	int32_t* edgeStarts;
	int32_t* edgeEnds;
	bool failed;
} Divider;

static uint32_t HashKey( const MiddleKey* key )
{
	uint32_t hash = 2166136261u;
	for ( int32_t i = 0; i < 4; ++i )
	{
		hash = ( hash ^ (uint32_t)key->nodes[i] ) * 16777619u;
		hash ^= hash >> 15;
	}
	return hash * 0x9E3779B1u ^ hash >> 13;
}

static Middle* FindSlot( Middle* table, int32_t size, const MiddleKey* key )
{
	uint32_t mask = (uint32_t)size - 1, i = HashKey( key ) & mask;
	while ( table[i].node >= 0 && memcmp( &table[i].key, key, sizeof( *key ) ) != 0 )
	{
		i = ( i + 1 ) & mask;
	}
	return table + i;
}

static bool GrowTable( Divider* d )
{
	int32_t size = d->tableSize == 0 ? 1024 : 2 * d->tableSize;
	Middle* table = supAllocArray( (size_t)size, sizeof( Middle ) );
	if ( table == NULL )
	{
		return false;
	}
	memset( table, 0xFF, (size_t)size * sizeof( Middle ) );
	for ( int32_t i = 0; i < d->tableSize; ++i )
	{
		if ( d->table[i].node >= 0 )
		{
			*FindSlot( table, size, &d->table[i].key ) = d->table[i];
		}
	}
	supFree( d->table );
	d->table = table;
	d->tableSize = size;
	return true;
}

static bool IsBoneEdge( const Divider* d, int32_t a, int32_t b )
{
	if ( a < d->basis->lattice->vertexCount && b < d->basis->lattice->vertexCount )
	{
		for ( int32_t k = d->edgeStarts[a]; k < d->edgeStarts[a + 1]; ++k )
		{
			if ( d->edgeEnds[k] == b )
			{
				return true;
			}
		}
		return false;
	}
	// a half of what was an edge on a bone: one end is the middle of the other and something else
	int32_t young = a > b ? a : b, old = a > b ? b : a;
	const int32_t* parents = d->parents.data + d->parentStarts.data[young];
	int32_t count = d->parentStarts.data[young + 1] - d->parentStarts.data[young];
	return d->isOnBone.data[young] != 0 && count == 2 && ( parents[0] == old || parents[1] == old );
}

static int32_t MakeNode( Divider* d, const int32_t* parents, int32_t count )
{
	double sum[3] = { 0 };
	for ( int32_t i = 0; i < count; ++i )
	{
		supVec3 p = d->nodes.data[parents[i]];
		sum[0] += p.x;
		sum[1] += p.y;
		sum[2] += p.z;
		d->failed = SUP_PUSH( &d->parents, parents[i] ) == false || d->failed;
	}
	supVec3 place = { (float)( sum[0] / count ), (float)( sum[1] / count ), (float)( sum[2] / count ) };
	uint8_t isOnBone = count == 2 && IsBoneEdge( d, parents[0], parents[1] );
	d->failed = SUP_PUSH( &d->nodes, place ) == false || d->failed;
	d->failed = SUP_PUSH( &d->isOnBone, isOnBone ) == false || d->failed;
	d->failed = SUP_PUSH( &d->parentStarts, d->parents.count ) == false || d->failed;
	return d->nodes.count - 1;
}

// The middle of 2 to 4 nodes, the same from every side.
static int32_t SharedMiddle( Divider* d, const int32_t* nodes, int32_t count )
{
	MiddleKey key = { { -1, -1, -1, -1 } };
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t k = i;
		for ( ; k > 0 && key.nodes[k - 1] > nodes[i]; --k )
		{
			key.nodes[k] = key.nodes[k - 1];
		}
		key.nodes[k] = nodes[i];
	}
	if ( 2 * ( d->tableCount + 1 ) > d->tableSize && GrowTable( d ) == false )
	{
		d->failed = true;
		return 0;
	}
	Middle* slot = FindSlot( d->table, d->tableSize, &key );
	if ( slot->node < 0 )
	{
		*slot = ( Middle ){ key, MakeNode( d, key.nodes, count ) };
		d->tableCount += 1;
	}
	return slot->node;
}

// ---------------------------------------------------------------------------------------------------------------------
// Dividing

static bool HasCorner( const int8_t face[4], int32_t corner )
{
	return face[0] == corner || face[1] == corner || face[2] == corner || face[3] == corner;
}

static int32_t FaceOf( const supCellShape* shape, int32_t a, int32_t b, int32_t c )
{
	int32_t face = 0;
	while ( HasCorner( shape->faces[face], a ) == false || HasCorner( shape->faces[face], b ) == false ||
			HasCorner( shape->faces[face], c ) == false )
	{
		face += 1;
	}
	return face;
}

// The faces at a corner, by which two of its three edges they hold: bits of the hexahedron's corners.
static void FacesAt( const supCellShape* shape, int32_t corner, int32_t faces[8] )
{
	const int8_t* around = shape->around[corner];
	faces[3] = FaceOf( shape, corner, around[0], around[1] );
	faces[5] = FaceOf( shape, corner, around[0], around[2] );
	faces[6] = FaceOf( shape, corner, around[1], around[2] );
}

static void DivideCell( Divider* d, int32_t cell, int32_t* hexes )
{
	const supControlLattice* lattice = d->basis->lattice;
	const supCellShape* shape = supCellShapes + lattice->kinds[cell];
	const int32_t* corners = lattice->corners + lattice->cornerStarts[cell];
	int32_t faceNodes[SUP_MAX_CELL_FACES];
	for ( int32_t f = 0; f < shape->faceCount; ++f )
	{
		int32_t nodes[4], count = shape->faces[f][3] < 0 ? 3 : 4;
		for ( int32_t k = 0; k < count; ++k )
		{
			nodes[k] = corners[shape->faces[f][k]];
		}
		faceNodes[f] = SharedMiddle( d, nodes, count );
	}
	int32_t center = MakeNode( d, corners, shape->cornerCount );
	for ( int32_t i = 0; i < shape->cornerCount; ++i )
	{
		int32_t* hex = hexes + 8 * ( lattice->cornerStarts[cell] + i );
		int32_t faces[8];
		FacesAt( shape, i, faces );
		hex[0] = corners[i];
		for ( int32_t k = 0; k < 3; ++k )
		{
			const int32_t ends[2] = { corners[i], corners[shape->around[i][k]] };
			hex[1 << k] = SharedMiddle( d, ends, 2 );
			hex[7 - ( 1 << k )] = faceNodes[faces[7 - ( 1 << k )]];
		}
		hex[7] = center;
	}
}

// The 27 nodes of a hexahedron that is divided, those with coordinates (i, j, k) / 2 at i + 3 j + 9 k.
static void Refine( Divider* d, const int32_t* hex, int32_t grid[27] )
{
	for ( int32_t i = 0; i < 27; ++i )
	{
		const int32_t digits[3] = { i % 3, i / 3 % 3, i / 9 };
		int32_t nodes[8], count = 0;
		for ( int32_t corner = 0; corner < 8; ++corner )
		{
			bool used = true;
			for ( int32_t k = 0; k < 3; ++k )
			{
				used = used && ( digits[k] == 1 || digits[k] == 2 * ( corner >> k & 1 ) );
			}
			if ( used )
			{
				nodes[count++] = hex[corner];
			}
		}
		grid[i] = count == 1 ? nodes[0] : ( count == 8 ? MakeNode( d, nodes, 8 ) : SharedMiddle( d, nodes, count ) );
	}
}

static void DivideHex( Divider* d, const int32_t* hex, int32_t* children )
{
	int32_t grid[27];
	Refine( d, hex, grid );
	for ( int32_t child = 0; child < 8; ++child )
	{
		for ( int32_t corner = 0; corner < 8; ++corner )
		{
			int32_t x = ( child & 1 ) + ( corner & 1 ), y = ( child >> 1 & 1 ) + ( corner >> 1 & 1 ),
					z = ( child >> 2 ) + ( corner >> 2 );
			children[8 * child + corner] = grid[x + 3 * y + 9 * z];
		}
	}
}

static bool BeginNodes( Divider* d )
{
	const supControlLattice* lattice = d->basis->lattice;
	bool ok = SUP_PUSH( &d->parentStarts, 0 );
	for ( int32_t i = 0; i < lattice->vertexCount && ok; ++i )
	{
		uint8_t isOnBone = supControlLattice_IsKnown( lattice, i );
		ok = SUP_PUSH( &d->nodes, lattice->vertices[i] ) && SUP_PUSH( &d->isOnBone, isOnBone ) &&
			 SUP_PUSH( &d->parentStarts, 0 );
	}
	d->edgeStarts = supAllocZeroed( ( (size_t)lattice->vertexCount + 2 ) * sizeof( int32_t ) );
	d->edgeEnds = supAllocArray( 2 * (size_t)lattice->edgeCount, sizeof( int32_t ) );
	if ( ok == false || d->edgeStarts == NULL || d->edgeEnds == NULL )
	{
		return false;
	}
	int32_t* starts = d->edgeStarts + 1;
	for ( int32_t i = 0; i < 2 * lattice->edgeCount; ++i )
	{
		starts[lattice->edges[i / 2].vertices[i % 2]] += 1;
	}
	for ( int32_t i = 0, sum = 0; i < lattice->vertexCount; ++i )
	{
		int32_t count = starts[i];
		starts[i] = sum;
		sum += count;
	}
	for ( int32_t i = 0; i < 2 * lattice->edgeCount; ++i )
	{
		const int32_t* ends = lattice->edges[i / 2].vertices;
		d->edgeEnds[starts[ends[i % 2]]++] = ends[1 - i % 2];
	}
	return true;
}

// The middles of faces and of the cell, in the reference cell.
static void FillReferences( supCellBasis* basis )
{
	for ( int32_t kind = 0; kind < sup_cellKindCount; ++kind )
	{
		const supCellShape* shape = supCellShapes + kind;
		for ( int32_t i = 0; i < shape->cornerCount; ++i )
		{
			int32_t faces[8];
			FacesAt( shape, i, faces );
			for ( int32_t axis = 0; axis < 3; ++axis )
			{
				double own = shape->places[i][axis], center = 0.0;
				for ( int32_t k = 0; k < shape->cornerCount; ++k )
				{
					center += (double)shape->places[k][axis] / shape->cornerCount;
				}
				double( *hex )[3] = basis->references[kind][i];
				hex[0][axis] = own;
				hex[7][axis] = center;
				for ( int32_t k = 0; k < 3; ++k )
				{
					const int8_t* face = shape->faces[faces[7 - ( 1 << k )]];
					int32_t count = face[3] < 0 ? 3 : 4;
					double middle = 0.0;
					for ( int32_t j = 0; j < count; ++j )
					{
						middle += (double)shape->places[face[j]][axis] / count;
					}
					hex[1 << k][axis] = 0.5 * ( own + shape->places[shape->around[i][k]][axis] );
					hex[7 - ( 1 << k )][axis] = middle;
				}
			}
		}
	}
}

static bool DivideLevels( Divider* d )
{
	supCellBasis* basis = d->basis;
	const supControlLattice* lattice = basis->lattice;
	basis->nodeStarts[1] = d->nodes.count;
	for ( int32_t level = 1; level <= basis->level && d->failed == false; ++level )
	{
		int32_t count = level == 1 ? lattice->cornerStarts[lattice->cellCount] : 8 * basis->hexCounts[level - 1];
		basis->hexCounts[level] = count;
		basis->hexes[level] = supArena_AllocArray( &basis->arena, 8 * (size_t)count, sizeof( int32_t ) );
		if ( basis->hexes[level] == NULL )
		{
			return false;
		}
		int32_t parents = level == 1 ? lattice->cellCount : basis->hexCounts[level - 1];
		for ( int32_t i = 0; i < parents && d->failed == false; ++i )
		{
			if ( level == 1 )
			{
				DivideCell( d, i, basis->hexes[1] );
			}
			else
			{
				DivideHex( d, basis->hexes[level - 1] + 8 * (ptrdiff_t)i, basis->hexes[level] + 64 * (ptrdiff_t)i );
			}
		}
		basis->nodeStarts[level + 1] = d->nodes.count;
	}
	return d->failed == false;
}

bool supCellBasis_Divide( supCellBasis* basis )
{
	Divider d = { .basis = basis };
	FillReferences( basis );
	bool ok = BeginNodes( &d ) && DivideLevels( &d );
	if ( ok )
	{
		supArena* arena = &basis->arena;
		size_t count = (size_t)d.nodes.count;
		basis->nodeCount = d.nodes.count;
		basis->nodes = supArena_CopyArray( arena, d.nodes.data, count, sizeof( supVec3 ) );
		basis->isOnBone = supArena_CopyArray( arena, d.isOnBone.data, count, 1 );
		basis->parentStarts = supArena_CopyArray( arena, d.parentStarts.data, count + 1, sizeof( int32_t ) );
		basis->parents = supArena_CopyArray( arena, d.parents.data, (size_t)d.parents.count, sizeof( int32_t ) );
	}
	SUP_FREE_ARRAY( &d.nodes );
	SUP_FREE_ARRAY( &d.isOnBone );
	SUP_FREE_ARRAY( &d.parentStarts );
	SUP_FREE_ARRAY( &d.parents );
	supFree( d.table );
	supFree( d.edgeStarts );
	supFree( d.edgeEnds );
	return ok && basis->arena.failed == false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Functions

// Adds the cell to the support of every function in it, once; counts where `items` is NULL.
static void GatherSupports( const supCellBasis* basis, int32_t* ends, int32_t* last, int32_t* items )
{
	const supControlLattice* lattice = basis->lattice;
	for ( int32_t cell = 0; cell < lattice->cellCount; ++cell )
	{
		int64_t first = lattice->cornerStarts[cell], end = lattice->cornerStarts[cell + 1];
		for ( int32_t level = 0; level <= basis->level; ++level )
		{
			const int32_t* nodes = level == 0 ? lattice->corners + first : basis->hexes[level] + 8 * first;
			int64_t count = level == 0 ? end - first : 8 * ( end - first );
			for ( int64_t i = 0; i < count; ++i )
			{
				int32_t f = basis->nodeFunctions[nodes[i]];
				if ( f >= basis->levelStarts[level] && f < basis->levelStarts[level + 1] && last[f] != cell )
				{
					last[f] = cell;
					if ( items != NULL )
					{
						items[ends[f]] = cell;
					}
					ends[f] += 1;
				}
			}
			first *= level == 0 ? 1 : 8;
			end *= level == 0 ? 1 : 8;
		}
	}
}

bool supCellBasis_Number( supCellBasis* basis, const uint8_t* isAlive )
{
	supArena* arena = &basis->arena;
	basis->nodeFunctions = supArena_AllocArray( arena, (size_t)basis->nodeCount, sizeof( int32_t ) );
	basis->functionNodes = supArena_AllocArray( arena, (size_t)basis->nodeCount, sizeof( int32_t ) );
	if ( arena->failed )
	{
		return false;
	}
	for ( int32_t level = 0; level <= basis->level; ++level )
	{
		basis->levelStarts[level] = basis->functionCount;
		for ( int32_t i = basis->nodeStarts[level]; i < basis->nodeStarts[level + 1]; ++i )
		{
			bool kept = level == 0 || ( isAlive[i] != 0 && basis->isOnBone[i] == 0 );
			basis->nodeFunctions[i] = kept ? basis->functionCount : -1;
			if ( kept )
			{
				basis->functionNodes[basis->functionCount++] = i;
			}
		}
		basis->levelStarts[level + 1] = basis->functionCount;
	}
	size_t count = (size_t)basis->functionCount;
	basis->supportStarts = supArena_AllocZeroed( arena, ( count + 1 ) * sizeof( int32_t ) );
	int32_t* last = supAllocArray( count, sizeof( int32_t ) );
	bool ok = last != NULL && arena->failed == false;
	if ( ok )
	{
		memset( last, 0xFF, count * sizeof( int32_t ) );
		GatherSupports( basis, basis->supportStarts + 1, last, NULL );
		for ( size_t i = 0; i < count; ++i )
		{
			basis->supportStarts[i + 1] += basis->supportStarts[i];
		}
		basis->supports = supArena_AllocArray( arena, (size_t)basis->supportStarts[count], sizeof( int32_t ) );
		ok = basis->supports != NULL;
	}
	if ( ok )
	{
		memset( last, 0xFF, count * sizeof( int32_t ) );
		GatherSupports( basis, basis->supportStarts, last, basis->supports );
		memmove( basis->supportStarts + 1, basis->supportStarts, count * sizeof( int32_t ) );
		basis->supportStarts[0] = 0;
	}
	supFree( last );
	return ok;
}
