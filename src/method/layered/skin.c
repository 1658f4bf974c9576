// SPDX-License-Identifier: MIT
#include "method/layered/skin.h"

#include "core/tasks.h"

#include <math.h>

// Nodes without tets are held this much more firmly than the mean of the others, and weigh a hundredth of it.
#define LOOSE_NODE_STIFFNESS_RATIO 100.0
#define LOOSE_NODE_MASS_RATIO 0.01

#define SLOWEST_ROUNDS 12

// ---------------------------------------------------------------------------------------------------------------------
// Elements

// Volume and gradients of the four linear functions of a tet.
static double FindGradients( const supTets* tets, int32_t t, supVec3d gradients[4] )
{
	const int32_t* corners = tets->indices + 4 * (int64_t)t;
	supVec3d p[4];
	for ( int k = 0; k < 4; ++k )
	{
		p[k] = supWidenVec3( tets->points[corners[k]] );
	}
	supMat3d edges, inverse;
	for ( int k = 0; k < 3; ++k )
	{
		supStoreVec3d( edges.m[k], supSubVec3d( p[k + 1], p[0] ) );
	}
	double volume =
		supDot3d( edges.m[0], ( double[3] ){ edges.m[1][1] * edges.m[2][2] - edges.m[1][2] * edges.m[2][1],
											 edges.m[1][2] * edges.m[2][0] - edges.m[1][0] * edges.m[2][2],
											 edges.m[1][0] * edges.m[2][1] - edges.m[1][1] * edges.m[2][0] } );
	if ( !( volume > 0.0 ) || supInvertMat3d( &edges, &inverse ) == false )
	{
		return 0.0;
	}
	gradients[0] = ( supVec3d ){ 0.0, 0.0, 0.0 };
	for ( int k = 0; k < 3; ++k )
	{
		// rows of the inverse
		gradients[k + 1] = ( supVec3d ){ inverse.m[0][k], inverse.m[1][k], inverse.m[2][k] };
		gradients[0] = supSubVec3d( gradients[0], gradients[k + 1] );
	}
	return volume / 6.0;
}

// K_ab = V ( lambda g_a g_bᵀ + mu g_b g_aᵀ + mu ( g_a . g_b ) I ), column by column.
static void FillBlock( double* block, supVec3d ga, supVec3d gb, double lambda, double mu )
{
	const double a[3] = { ga.x, ga.y, ga.z }, b[3] = { gb.x, gb.y, gb.z };
	double dot = supDotVec3d( ga, gb );
	for ( int c = 0; c < 3; ++c )
	{
		for ( int r = 0; r < 3; ++r )
		{
			block[3 * c + r] = lambda * a[r] * b[c] + mu * b[r] * a[c] + ( r == c ? mu * dot : 0.0 );
		}
	}
}

typedef struct Maker
{
	supArena scratch;
	supSkinBody* skin;
	const supSkinLayer* layer;
	const float* tetStiffness;
	const supTasks* tasks;
	supError* error;
	int32_t* corners; // four a tet, -1 for inner points
	double* elements;
} Maker;

static void FillElement( Maker* maker, int32_t t, double* element )
{
	supSkinBody* skin = maker->skin;
	const supTets* tets = &maker->layer->tets;
	supVec3d gradients[4];
	double volume = FindGradients( tets, t, gradients );
	double young = (double)skin->settings.stiffness * ( maker->tetStiffness != NULL ? maker->tetStiffness[t] : 1.0 );
	double nu = skin->settings.poisson;
	double lambda = volume * young * nu / ( ( 1.0 + nu ) * ( 1.0 - 2.0 * nu ) );
	double mu = volume * young / ( 2.0 * ( 1.0 + nu ) );
	if ( volume == 0.0 )
	{
		memset( element, 0, 144 * sizeof( double ) );
		return;
	}
	for ( int a = 0; a < 4; ++a )
	{
		int32_t corner = tets->indices[4 * (int64_t)t + a];
		if ( corner < skin->nodeCount )
		{
			skin->masses[corner] += 0.25 * (double)skin->settings.density * volume;
		}
		for ( int b = 0; b < 4; ++b )
		{
			FillBlock( element + 9 * ( 4 * a + b ), gradients[a], gradients[b], lambda, mu );
		}
	}
}

// Where all nodes move by the same u, node a is pulled back by the sum of K_ab u over the nodes b around it: a third of
// the trace of that sum is what holds it.
void supSkinBody_MeasureNodes( const supSkinLayer* layer, const supSkinSettings* settings, double* squares,
							   double* masses )
{
	const supTets* tets = &layer->tets;
	int32_t outer = layer->outerCount;
	double nu = (double)settings->poisson, young = (double)settings->stiffness;
	double lambda = young * nu / ( ( 1.0 + nu ) * ( 1.0 - 2.0 * nu ) ), mu = young / ( 2.0 * ( 1.0 + nu ) );
	memset( squares, 0, (size_t)outer * sizeof( double ) );
	memset( masses, 0, (size_t)outer * sizeof( double ) );
	for ( int32_t t = 0; t < tets->tetCount; ++t )
	{
		const int32_t* corners = tets->indices + 4 * (int64_t)t;
		supVec3d gradients[4], sum = { 0.0, 0.0, 0.0 };
		double volume = FindGradients( tets, t, gradients );
		for ( int k = 0; k < 4 && volume > 0.0; ++k )
		{
			sum = corners[k] < outer ? supAddVec3d( sum, gradients[k] ) : sum;
		}
		for ( int k = 0; k < 4 && volume > 0.0; ++k )
		{
			if ( corners[k] < outer )
			{
				masses[corners[k]] += 0.25 * (double)settings->density * volume;
				squares[corners[k]] += volume * ( lambda + 4.0 * mu ) / 3.0 * supDotVec3d( gradients[k], sum );
			}
		}
	}
	for ( int32_t i = 0; i < outer; ++i )
	{
		squares[i] = masses[i] > 0.0 ? squares[i] / masses[i] : 0.0;
	}
}

// Points that no tet reaches have nothing that holds them.
static bool HoldLoose( supSkinBody* skin, supError* error )
{
	double mass = 0.0, stiffness = 0.0;
	int32_t count = 0;
	for ( int32_t i = 0; i < skin->nodeCount; ++i )
	{
		const double* block = supBlockMatrix_Block( &skin->stiffness, supBlockMatrix_Find( &skin->stiffness, i, i ) );
		mass += skin->masses[i];
		stiffness += ( block[0] + block[4] + block[8] ) / 3.0;
		count += skin->masses[i] > 0.0;
	}
	if ( count == 0 )
	{
		return supSetError( error, sup_errorArgument, "layered",
							"cannot grow a skin layer: the mesh is flat or too thin everywhere" );
	}
	for ( int32_t i = 0; i < skin->nodeCount; ++i )
	{
		if ( skin->masses[i] <= 0.0 )
		{
			double k = LOOSE_NODE_STIFFNESS_RATIO * stiffness / count;
			double block[9] = { k, 0.0, 0.0, 0.0, k, 0.0, 0.0, 0.0, k };
			skin->masses[i] = LOOSE_NODE_MASS_RATIO * mass / count;
			supBlockMatrix_AddBlock( &skin->stiffness, i, i, block );
		}
	}
	return true;
}

static bool Assemble( Maker* maker )
{
	supSkinBody* skin = maker->skin;
	const supTets* tets = &maker->layer->tets;
	supElements elements = { 0, 4, NULL, maker->corners };
	supAssembly assembly = { 0 };
	for ( int32_t t = 0; t < tets->tetCount; ++t )
	{
		int32_t* corners = maker->corners + 4 * (int64_t)elements.count;
		bool isSkin = false;
		for ( int k = 0; k < 4; ++k )
		{
			int32_t corner = tets->indices[4 * (int64_t)t + k];
			corners[k] = corner < skin->nodeCount ? corner : -1;
			isSkin = isSkin || corners[k] >= 0;
		}
		if ( isSkin )
		{
			FillElement( maker, t, maker->elements + 144 * (int64_t)elements.count );
			elements.count += 1;
		}
	}
	bool ok = supBlockMatrix_Create( &skin->stiffness, skin->nodeCount, 3, NULL, &elements, maker->error ) &&
			  supAssembly_Create( &assembly, &skin->stiffness, &elements, maker->error );
	if ( ok )
	{
		supBlockMatrix_AddElements( &skin->stiffness, &assembly, maker->elements, maker->tasks );
		ok = HoldLoose( skin, maker->error );
	}
	supAssembly_Destroy( &assembly );
	return ok;
}

bool supSkinBody_Init( supSkinBody* skin, const supSkinLayer* layer, int32_t nodeCount, const supSkinSettings* settings,
					   const float* tetStiffness, const supTasks* tasks, supError* error )
{
	Maker maker = { .skin = skin, .layer = layer, .tetStiffness = tetStiffness, .tasks = tasks, .error = error };
	skin->settings = *settings;
	skin->nodeCount = nodeCount;
	skin->points = layer->tets.points;
	size_t tetCount = (size_t)layer->tets.tetCount;
	skin->masses = supArena_AllocZeroed( &skin->arena, (size_t)layer->outerCount * sizeof( double ) );
	maker.corners = supArena_AllocArray( &maker.scratch, 4 * tetCount, sizeof( int32_t ) );
	maker.elements = supArena_AllocArray( &maker.scratch, 144 * tetCount, sizeof( double ) );
	bool ok = ( skin->arena.failed == false && maker.scratch.failed == false ) || supSetMemoryError( error );
	ok = ok && Assemble( &maker ) && supSymbolic_Create( &skin->symbolic, &skin->stiffness, skin->points, NULL, error );
	supArena_Destroy( &maker.scratch );
	if ( ok == false )
	{
		supSkinBody_Destroy( skin );
	}
	return ok;
}

void supSkinBody_Destroy( supSkinBody* skin )
{
	supSymbolic_Destroy( &skin->symbolic );
	supBlockMatrix_Destroy( &skin->stiffness );
	supArena_Destroy( &skin->arena );
	memset( skin, 0, sizeof( *skin ) );
}

void supSkinBody_MultiplyStiffness( const supSkinBody* skin, const double* x, double* y, const supTasks* tasks )
{
	supBlockMatrix_Multiply( &skin->stiffness, x, y, 1, tasks );
}

double supSkinBody_Energy( const supSkinBody* skin, const double* q )
{
	const supBlockMatrix* k = &skin->stiffness;
	double sum = 0.0;
	for ( int32_t row = 0; row < k->nodeCount; ++row )
	{
		for ( int32_t n = k->rowStarts[row]; n < k->rowStarts[row + 1]; ++n )
		{
			supMat3d block;
			memcpy( block.m, supBlockMatrix_Block( k, n ), sizeof( block.m ) );
			supVec3d force = supMulMat3dVec( &block, supLoadVec3d( q + 3 * (int64_t)k->columns[n] ) );
			sum += supDotVec3d( supLoadVec3d( q + 3 * (int64_t)row ), force );
		}
	}
	return 0.5 * sum;
}

// ---------------------------------------------------------------------------------------------------------------------
// The slowest swing

// Inverse iteration: x becomes K⁻¹ M x, of unit length as masses measure it.
static double Iterate( const supSkinBody* skin, const supFactor* factor, double* x, double* load, void* work )
{
	double square = 0.0, size = 0.0;
	for ( int32_t i = 0; i < 3 * skin->nodeCount; ++i )
	{
		load[i] = skin->masses[i / 3] * x[i];
		size += load[i] * x[i];
	}
	for ( int32_t i = 0; i < 3 * skin->nodeCount; ++i )
	{
		load[i] /= sqrt( size );
		x[i] = load[i];
	}
	supFactor_Solve( factor, x, 1, work, NULL );
	for ( int32_t i = 0; i < 3 * skin->nodeCount; ++i )
	{
		square += x[i] * load[i];
	}
	return square > 0.0 ? 1.0 / square : 0.0;
}

bool supSkinBody_FindSlowest( const supSkinBody* skin, double* square, supError* error )
{
	supArena scratch = { 0 };
	supFactor factor = { 0 };
	size_t count = 3 * (size_t)skin->nodeCount;
	double* x = supArena_AllocArray( &scratch, count, sizeof( double ) );
	double* load = supArena_AllocArray( &scratch, count, sizeof( double ) );
	const supFactorDef def = { .precision = sup_precisionDouble, .workerCount = 1 };
	bool ok = ( scratch.failed == false || supSetMemoryError( error ) ) &&
			  supFactor_Create( &factor, &skin->symbolic, &def, error );
	void* work = ok ? supArena_AllocArray( &scratch, supFactor_ScratchSize( &factor, 1, 1 ), 1 ) : NULL;
	ok = ok && ( work != NULL || supSetMemoryError( error ) );
	*square = 0.0;
	if ( ok && supFactor_Refactor( &factor, &skin->stiffness, NULL ).ok )
	{
		// all along no axis of symmetry
		for ( size_t i = 0; i < count; ++i )
		{
			x[i] = 1.0 - 0.2 * (double)( i % 3 );
		}
		for ( int32_t round = 0; round < SLOWEST_ROUNDS; ++round )
		{
			*square = Iterate( skin, &factor, x, load, work );
		}
	}
	supFactor_Destroy( &factor );
	supArena_Destroy( &scratch );
	return ok;
}
