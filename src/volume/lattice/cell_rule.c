// SPDX-License-Identifier: MIT
// Integrals over the object: points with weights, functions and gradients.
#include "core/tasks.h"
#include "geometry/tree.h"
#include "geometry/winding.h"
#include "volume/lattice/cell_basis_internal.h"
#include "volume/lattice/cell_map.h"

// Tets of a hexahedron around its long diagonal (Kuhn 1960): each goes from corner 0 to corner 7 along the axes in one
// of six orders. The odd orders are turned around.
static const int8_t s_tets[6][4] = { { 0, 1, 3, 7 }, { 0, 2, 6, 7 }, { 0, 4, 5, 7 },
									 { 0, 3, 2, 7 }, { 0, 6, 4, 7 }, { 0, 5, 1, 7 } };

// A tet at the surface is looked at in so many places: barycentric coordinates ( i + 0.4 ) / 4.6 with whole i of sum 3.
// Their mean square is that over the tet. With places nearer to the corners limbs around bones would count for more
// than they are, since corners lie on bones.
#define PLACES 20

// A cell counts with this part of its volume at least.
#define LEAST_SHARE 1e-3

#define MOST_POINTS 50000000

#define GRAIN_CELLS 8
#define GRAIN_POINTS 256

typedef struct Builder
{
	const supCellBasisDef* def;
	supCellBasis* basis;
	supCellRule* rule;
	int32_t ruleLevel;
	// hexahedra of the rule in each of level 1
	int32_t hexesPerCorner;
	supTree* tree;
	supWinding* winding;
	// turned around as a whole: inside is outside
	float sign;
	// of every tet of every hexahedron: its volume, and the part that is inside
	float* volumes;
	float* shares;
	// the points of the rule: which tet each is
	int32_t* tets;
} Builder;

// ---------------------------------------------------------------------------------------------------------------------
// Tets

// Corners of hexahedron `hex` of the rule in a corner of a cell, in the reference cell. Digits of base 8, the first
// division first.
static void GetReferenceHex( const Builder* b, supCellKind kind, int32_t corner, int32_t hex, double points[8][3] )
{
	double lower[3] = { 0 }, size = 1.0;
	for ( int32_t level = b->ruleLevel - 2; level >= 0; --level )
	{
		int32_t digit = hex >> 3 * level & 7;
		size *= 0.5;
		for ( int32_t k = 0; k < 3; ++k )
		{
			lower[k] += ( digit >> k & 1 ) * size;
		}
	}
	for ( int32_t i = 0; i < 8; ++i )
	{
		double at[3], values[8], slopes[8][3];
		for ( int32_t k = 0; k < 3; ++k )
		{
			at[k] = lower[k] + ( i >> k & 1 ) * size;
		}
		supEvaluateHexahedron( at, values, slopes );
		for ( int32_t k = 0; k < 3; ++k )
		{
			points[i][k] = 0.0;
			for ( int32_t j = 0; j < 8; ++j )
			{
				points[i][k] += values[j] * b->basis->references[kind][corner][j][k];
			}
		}
	}
}

// The middle of a tet in the reference cell. Tets count through the corners of the cell, its hexahedra and these.
static void GetMiddle( const Builder* b, int32_t cell, int32_t tet, double at[3] )
{
	double points[8][3];
	int32_t own = tet - 6 * b->hexesPerCorner * b->basis->lattice->cornerStarts[cell];
	GetReferenceHex( b, b->basis->lattice->kinds[cell], own / 6 / b->hexesPerCorner, own / 6 % b->hexesPerCorner,
					 points );
	const int8_t* corners = s_tets[own % 6];
	for ( int32_t k = 0; k < 3; ++k )
	{
		at[k] =
			0.25 * ( points[corners[0]][k] + points[corners[1]][k] + points[corners[2]][k] + points[corners[3]][k] );
	}
}

static bool IsInside( const Builder* b, supVec3 p )
{
	return b->sign * supWinding_Evaluate( b->winding, p ) > 0.5f;
}

// The part of a tet that is inside of the object.
static float InsideShare( const Builder* b, const supVec3 c[4] )
{
	supVec3 middle = supScale( 0.25f, supAdd( supAdd( c[0], c[1] ), supAdd( c[2], c[3] ) ) );
	float radius = 0.0f;
	for ( int32_t i = 0; i < 4; ++i )
	{
		radius = supMaxFloat( radius, supDistance( middle, c[i] ) );
	}
	supTreeHit hit;
	bool isMiddleInside = IsInside( b, middle );
	if ( supTree_FindClosest( b->tree, middle, radius, &hit ) == false )
	{
		return isMiddleInside ? 1.0f : 0.0f;
	}
	int32_t inside = 0;
	for ( int32_t i = 0; i < 64; ++i )
	{
		const int32_t parts[4] = { i & 3, i >> 2 & 3, i >> 4, 3 - ( i & 3 ) - ( i >> 2 & 3 ) - ( i >> 4 ) };
		supVec3 p = supVec3_zero;
		for ( int32_t k = 0; k < 4; ++k )
		{
			p = supMulAdd( p, ( (float)parts[k] + 0.4f ) / 4.6f, c[k] );
		}
		if ( parts[3] >= 0 )
		{
			// nearer to the middle than the surface is, nothing changes
			inside += supDistance( p, middle ) < hit.distance ? isMiddleInside : IsInside( b, p );
		}
	}
	return (float)inside / PLACES;
}

static float TetVolume( const supVec3 c[4] )
{
	supVec3 u = supSub( c[1], c[0] ), v = supSub( c[2], c[0] ), w = supSub( c[3], c[0] );
	return supDot( u, supCross( v, w ) ) / 6.0f;
}

static void MeasureCells( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Builder* b = context;
	const supControlLattice* lattice = b->basis->lattice;
	for ( int32_t cell = begin; cell < end; ++cell )
	{
		supCellKind kind = lattice->kinds[cell];
		int64_t first = (int64_t)lattice->cornerStarts[cell] * b->hexesPerCorner * 6;
		for ( int32_t i = 0; i < supCellShapes[kind].cornerCount * b->hexesPerCorner; ++i )
		{
			double points[8][3], place[3], jacobian[3][3];
			supVec3 corners[8];
			GetReferenceHex( b, kind, i / b->hexesPerCorner, i % b->hexesPerCorner, points );
			for ( int32_t k = 0; k < 8; ++k )
			{
				supCellMap_Differentiate( lattice, cell, points[k], place, jacobian );
				corners[k] = supMakeVec3( (float)place[0], (float)place[1], (float)place[2] );
			}
			for ( int32_t k = 0; k < 6; ++k )
			{
				supVec3 tet[4];
				for ( int32_t j = 0; j < 4; ++j )
				{
					tet[j] = corners[s_tets[k][j]];
				}
				b->volumes[first + 6 * i + k] = TetVolume( tet );
				b->shares[first + 6 * i + k] = InsideShare( b, tet );
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Points

// Nodes of all hexahedra around a tet that has a part inside.
static void MarkNodes( const Builder* b, int64_t tet, uint8_t* isAlive )
{
	const supCellBasis* basis = b->basis;
	int64_t hex = tet / 6;
	for ( int32_t level = b->ruleLevel; level >= 1; --level )
	{
		for ( int32_t i = 0; i < 8 && level <= basis->level; ++i )
		{
			isAlive[basis->hexes[level][8 * hex + i]] = 1;
		}
		hex /= 8;
	}
}

// What is nearly outside is lifted to its least share. Returns how many points there are.
static int32_t ChoosePoints( Builder* b, uint8_t* isAlive, double* inside )
{
	const supControlLattice* lattice = b->basis->lattice;
	int32_t count = 0;
	*inside = 0.0;
	for ( int32_t cell = 0; cell < lattice->cellCount; ++cell )
	{
		int64_t first = (int64_t)lattice->cornerStarts[cell] * b->hexesPerCorner * 6;
		int64_t end = (int64_t)lattice->cornerStarts[cell + 1] * b->hexesPerCorner * 6;
		double whole = 0.0, own = 0.0;
		for ( int64_t i = first; i < end; ++i )
		{
			whole += b->volumes[i];
			own += (double)b->volumes[i] * b->shares[i];
			if ( b->shares[i] > 0.0f )
			{
				MarkNodes( b, i, isAlive );
			}
		}
		*inside += own;
		for ( int64_t i = first; i < end && own < LEAST_SHARE * whole; ++i )
		{
			b->shares[i] = own > 0.0 ? b->shares[i] * (float)( LEAST_SHARE * whole / own ) : (float)LEAST_SHARE;
		}
		for ( int64_t i = first; i < end; ++i )
		{
			count += b->shares[i] > 0.0f && b->volumes[i] > 0.0f;
		}
	}
	return count;
}

static void EvaluatePoint( const Builder* b, int32_t point, supCellSample* sample )
{
	double at[3];
	GetMiddle( b, b->rule->cells[point], b->tets[point], at );
	supCellBasis_Evaluate( b->basis, b->rule->cells[point], at, b->basis->level, sample );
}

static void CountFunctions( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Builder* b = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supCellSample sample;
		EvaluatePoint( b, i, &sample );
		b->rule->starts[i + 1] = sample.count;
	}
}

static void FillFunctions( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Builder* b = context;
	supCellRule* rule = b->rule;
	for ( int32_t i = begin; i < end; ++i )
	{
		supCellSample sample;
		EvaluatePoint( b, i, &sample );
		for ( int32_t k = 0; k < sample.count; ++k )
		{
			int32_t slot = rule->starts[i] + k;
			rule->functions[slot] = sample.functions[k];
			rule->values[slot] = (float)sample.values[k];
			rule->gradients[slot] = supMakeVec3( (float)sample.gradients[k][0], (float)sample.gradients[k][1],
												 (float)sample.gradients[k][2] );
		}
	}
}

static bool FillPoints( Builder* b )
{
	supCellRule* rule = b->rule;
	supArena* arena = &rule->arena;
	const supControlLattice* lattice = b->basis->lattice;
	size_t count = (size_t)rule->pointCount;
	rule->points = supArena_AllocArray( arena, count, sizeof( supVec3 ) );
	rule->weights = supArena_AllocArray( arena, count, sizeof( float ) );
	rule->cells = supArena_AllocArray( arena, count, sizeof( int32_t ) );
	rule->starts = supArena_AllocZeroed( arena, ( count + 1 ) * sizeof( int32_t ) );
	b->tets = supAllocArray( count, sizeof( int32_t ) );
	if ( arena->failed || b->tets == NULL )
	{
		return false;
	}
	int32_t point = 0;
	for ( int32_t cell = 0; cell < lattice->cellCount; ++cell )
	{
		int32_t first = lattice->cornerStarts[cell] * b->hexesPerCorner * 6;
		int32_t end = lattice->cornerStarts[cell + 1] * b->hexesPerCorner * 6;
		for ( int32_t i = first; i < end; ++i )
		{
			if ( b->shares[i] > 0.0f && b->volumes[i] > 0.0f )
			{
				double at[3], place[3], jacobian[3][3];
				GetMiddle( b, cell, i, at );
				supCellMap_Differentiate( lattice, cell, at, place, jacobian );
				rule->points[point] = supMakeVec3( (float)place[0], (float)place[1], (float)place[2] );
				rule->weights[point] = b->volumes[i] * b->shares[i];
				rule->volume += rule->weights[point];
				rule->cells[point] = cell;
				b->tets[point++] = i;
			}
		}
	}
	supParallelFor( b->def->tasks, rule->pointCount, GRAIN_POINTS, CountFunctions, b );
	for ( size_t i = 0; i < count; ++i )
	{
		rule->starts[i + 1] += rule->starts[i];
	}
	size_t slots = (size_t)rule->starts[count];
	rule->functions = supArena_AllocArray( arena, slots, sizeof( int32_t ) );
	rule->values = supArena_AllocArray( arena, slots, sizeof( float ) );
	rule->gradients = supArena_AllocArray( arena, slots, sizeof( supVec3 ) );
	if ( arena->failed )
	{
		return false;
	}
	supParallelFor( b->def->tasks, rule->pointCount, GRAIN_POINTS, FillFunctions, b );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

void supCellRule_Destroy( supCellRule* rule )
{
	supArena_Destroy( &rule->arena );
	*rule = ( supCellRule ){ 0 };
}

static bool CheckDef( Builder* b, supError* error )
{
	const supCellBasisDef* def = b->def;
	if ( def->level < 0 || def->level > SUP_MAX_BASIS_LEVEL || def->ruleLevel < 0 ||
		 def->ruleLevel > SUP_MAX_RULE_LEVEL )
	{
		return supSetError( error, sup_errorArgument, "control lattice",
							"functions have levels 0 to %d, not %d, and the rule has levels up to %d, not %d",
							SUP_MAX_BASIS_LEVEL, def->level, SUP_MAX_RULE_LEVEL, def->ruleLevel );
	}
	b->ruleLevel = def->level > 1 ? def->level : 1;
	b->ruleLevel = def->ruleLevel > b->ruleLevel ? def->ruleLevel : b->ruleLevel;
	b->hexesPerCorner = 1 << 3 * ( b->ruleLevel - 1 );
	const supControlLattice* lattice = def->lattice;
	if ( 6 * (int64_t)b->hexesPerCorner * lattice->cornerStarts[lattice->cellCount] > MOST_POINTS )
	{
		return supSetError( error, sup_errorTooLarge, "control lattice",
							"%d cells divided %d times are too many; use a lower level or fewer cells",
							lattice->cellCount, b->ruleLevel );
	}
	return true;
}

static bool OpenSurface( Builder* b, supError* error )
{
	const supRestSurface* surface = b->def->surface;
	double volume = 0.0;
	for ( int32_t i = 0; i < surface->triangleCount; ++i )
	{
		const uint32_t* c = surface->indices + 3 * (size_t)i;
		supVec3 origin = surface->positions[surface->indices[0]];
		supVec3 u = supSub( surface->positions[c[0]], origin ), v = supSub( surface->positions[c[1]], origin ),
				w = supSub( surface->positions[c[2]], origin );
		volume += supDot( u, supCross( v, w ) );
	}
	b->sign = volume < 0.0 ? -1.0f : 1.0f;
	b->tree =
		supCreateTree( surface->positions, surface->vertexCount, surface->indices, surface->triangleCount, error );
	b->winding = b->tree != NULL ? supCreateWinding( b->tree, SUP_WINDING_BETA, b->def->tasks, error ) : NULL;
	return b->winding != NULL;
}

static bool Build( Builder* b, supError* error )
{
	const supControlLattice* lattice = b->def->lattice;
	b->basis->lattice = lattice;
	b->basis->level = b->def->level;
	if ( supCellBasis_Divide( b->basis ) == false )
	{
		return supSetMemoryError( error );
	}
	size_t tets = 6 * (size_t)b->hexesPerCorner * (size_t)lattice->cornerStarts[lattice->cellCount];
	b->volumes = supAllocArray( tets, sizeof( float ) );
	b->shares = supAllocArray( tets, sizeof( float ) );
	uint8_t* isAlive = supAllocZeroed( (size_t)b->basis->nodeCount );
	bool ok = b->volumes != NULL && b->shares != NULL && isAlive != NULL;
	double inside = 1.0;
	if ( ok )
	{
		supParallelFor( b->def->tasks, lattice->cellCount, GRAIN_CELLS, MeasureCells, b );
		b->rule->pointCount = ChoosePoints( b, isAlive, &inside );
		ok = supCellBasis_Number( b->basis, isAlive ) && FillPoints( b );
	}
	supFree( isAlive );
	if ( ok == false )
	{
		return supSetMemoryError( error );
	}
	return inside > 0.0
			   ? true
			   : supSetError(
					 error, sup_errorArgument, "control lattice",
					 "no part of the cells is inside the surface; is it closed, and does the lattice surround it?" );
}

bool supBuildCellBasis( supCellBasis* basis, supCellRule* rule, const supCellBasisDef* def, supError* error )
{
	supClearError( error );
	Builder b = { .def = def, .basis = basis, .rule = rule };
	bool ok = CheckDef( &b, error ) && OpenSurface( &b, error ) && Build( &b, error );
	supDestroyWinding( b.winding );
	supDestroyTree( b.tree );
	supFree( b.volumes );
	supFree( b.shares );
	supFree( b.tets );
	if ( ok == false )
	{
		supCellBasis_Destroy( basis );
		supCellRule_Destroy( rule );
	}
	return ok;
}
