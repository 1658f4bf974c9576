// SPDX-License-Identifier: MIT
// A bar of tetrahedra along x with a line of bone in its middle, made by hand: what the finite elements are tried on.
#pragma once

#include "support.h"

#include "method/fem/solver.h"
#include "supple/character.h"

#include <math.h>
#include <stdlib.h>

typedef struct Bar
{
	int32_t cells[3];
	supVec3 size;
	int32_t vertexCount;
	supVec3* vertices;
	uint8_t* isKnown;
	uint16_t* joints;
	float* weights;
	int32_t placeCount;
	int32_t* starts;
	int32_t* functions;
	float* values;
	supVec3* gradients;
	float* volumes;
	float* densities;
	float* moduli;
	float* poissons;
	int32_t* softRegions;
	float* holds;
	supFemModel model;
	void* block;
	supFemState state;
	supFemFrame frames[2];
	int32_t parents[2];
	supVec3 origins[2];
	supVec4* known;
	supFemTuning tuning;
	supTrouble trouble;
	supFemStep step;
} Bar;

typedef struct BarDef
{
	int32_t cells[3];
	supVec3 size;
	float modulus, poisson, density;
	// N/m per m^3 at places within `core` of the bone
	float hold, core;
	// bones: 0 none (the end x = 0 is held), 1 or 2
	int32_t bones;
	// over which the two bones blend
	float overlap;
	// frames between them
	int32_t between;
	bool whole, nonlinear, joints;
} BarDef;

typedef enum Mode
{
	Blended,
	Linear,
	Nonlinear,
	NonlinearJoints
} Mode;

// Two bones in a bar of tissue.
static const BarDef s_bar = { .cells = { 6, 2, 2 },
							  .size = { 1.5f, 0.5f, 0.5f },
							  .modulus = 1e4f,
							  .poisson = 0.3f,
							  .density = 1000.0f,
							  .hold = 4e6f,
							  .core = 0.15f,
							  .bones = 2,
							  .overlap = 0.5f };

static inline BarDef BarOf( Mode mode, int32_t between )
{
	BarDef def = s_bar;
	def.between = between;
	def.whole = mode == Linear || mode == Nonlinear;
	def.nonlinear = mode == Nonlinear;
	def.joints = mode == NonlinearJoints;
	return def;
}

static inline int32_t BarVertex( const Bar* bar, int32_t x, int32_t y, int32_t z )
{
	return ( z * ( bar->cells[1] + 1 ) + y ) * ( bar->cells[0] + 1 ) + x;
}

static inline void BarAddTet( Bar* bar, const BarDef* def, const int32_t corners[4] )
{
	supVec3 p[4], g[4];
	for ( int i = 0; i < 4; ++i )
	{
		p[i] = bar->vertices[corners[i]];
	}
	supVec3 a = supSub( p[1], p[0] ), b = supSub( p[2], p[0] ), c = supSub( p[3], p[0] );
	float six = supDot( a, supCross( b, c ) );
	assert_true( six > 0.0f );
	g[1] = supScale( 1.0f / six, supCross( b, c ) );
	g[2] = supScale( 1.0f / six, supCross( c, a ) );
	g[3] = supScale( 1.0f / six, supCross( a, b ) );
	g[0] = supNeg( supAdd( g[1], supAdd( g[2], g[3] ) ) );
	// four places a tet: exact for products of two functions
	for ( int q = 0; q < 4; ++q )
	{
		int32_t place = bar->placeCount++;
		supVec3 at = supVec3_zero;
		for ( int i = 0; i < 4; ++i )
		{
			int32_t k = 4 * place + i;
			bar->functions[k] = corners[i];
			bar->values[k] = i == q ? 0.58541020f : 0.13819660f;
			bar->gradients[k] = g[i];
			at = supMulAdd( at, bar->values[k], p[i] );
		}
		bar->starts[place + 1] = 4 * ( place + 1 );
		bar->volumes[place] = six / 24.0f;
		bar->densities[place] = def->density;
		bar->moduli[place] = def->modulus;
		bar->poissons[place] = def->poisson;
		bar->softRegions[place] = 0;
		bar->holds[place] = sqrtf( at.y * at.y + at.z * at.z ) < def->core ? def->hold : 0.0f;
	}
}

static inline void BarAddCube( Bar* bar, const BarDef* def, int32_t x, int32_t y, int32_t z )
{
	// the six ways from one corner to the opposite one
	static const int ways[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 1, 0, 2 }, { 0, 2, 1 }, { 2, 1, 0 } };
	for ( int w = 0; w < 6; ++w )
	{
		int32_t at[3] = { x, y, z }, corners[4];
		for ( int i = 0; i < 4; ++i )
		{
			corners[i] = BarVertex( bar, at[0], at[1], at[2] );
			at[ways[w][i < 3 ? i : 0]] += i < 3;
		}
		// odd ways turn the other way round
		int32_t swap = corners[1];
		corners[1] = w >= 3 ? corners[2] : corners[1];
		corners[2] = w >= 3 ? swap : corners[2];
		BarAddTet( bar, def, corners );
	}
}

static inline float BarRamp( float t )
{
	t = supClampFloat( t, 0.0f, 1.0f );
	return t * t * ( 3.0f - 2.0f * t );
}

static inline void BarPlace( Bar* bar )
{
	for ( int32_t i = 0; i < bar->vertexCount; ++i )
	{
		const supFemFrame* f = bar->frames + ( bar->vertices[i].x > 0.5f * bar->size.x ? 1 : 0 );
		const double r[3] = { (double)bar->vertices[i].x, (double)bar->vertices[i].y, (double)bar->vertices[i].z };
		float* to = &bar->known[i].x;
		for ( int k = 0; k < 3; ++k )
		{
			to[k] = (float)( f->a[k][0] * r[0] + f->a[k][1] * r[1] + f->a[k][2] * r[2] + f->t[k] );
		}
	}
}

static inline void BarTurn( Bar* bar, int32_t bone, float degrees, supVec3 axis, supVec3 shift )
{
	supVec3 joint = { 0.5f * bar->size.x, 0.0f, 0.0f };
	supQuat turn = supMakeQuatAxisAngle( axis, degrees * SUP_PI / 180.0f );
	supMat3 m = supMakeMat3Quat( turn );
	supVec3 t = supAdd( shift, supSub( joint, supMulMV( m, joint ) ) );
	bar->frames[bone] = supMakeFemFrame( ( supMat34 ){ m.cx, m.cy, m.cz, t } );
	BarPlace( bar );
}

static inline void BarMakeVertices( Bar* bar, const BarDef* def )
{
	for ( int32_t i = 0; i < bar->vertexCount; ++i )
	{
		int32_t nx = bar->cells[0] + 1, ny = bar->cells[1] + 1;
		int32_t x = i % nx, y = i / nx % ny, z = i / ( nx * ny );
		supVec3 p = { def->size.x * (float)x / (float)bar->cells[0],
					  def->size.y * ( (float)y / (float)bar->cells[1] - 0.5f ),
					  def->size.z * ( (float)z / (float)bar->cells[2] - 0.5f ) };
		bool isBone = 2 * y == bar->cells[1] && 2 * z == bar->cells[2];
		bar->vertices[i] = p;
		bar->isKnown[i] = def->bones > 0 ? isBone : x == 0;
		float second = BarRamp( ( p.x - 0.5f * def->size.x ) / supMaxFloat( def->overlap, 1e-6f ) + 0.5f );
		second = def->bones < 2 ? 0.0f : second;
		bar->joints[SUP_MAX_INFLUENCES * i + 1] = 1;
		bar->weights[SUP_MAX_INFLUENCES * i] = 1.0f - second;
		bar->weights[SUP_MAX_INFLUENCES * i + 1] = second;
	}
}

static inline supFemModelDef BarModelDef( const Bar* bar, const BarDef* def )
{
	return ( supFemModelDef ){ .functionCount = bar->vertexCount,
							   .rests = bar->vertices,
							   .places = bar->vertices,
							   .isKnown = bar->isKnown,
							   .boneCount = 2,
							   .joints = bar->joints,
							   .weights = bar->weights,
							   .between = def->between,
							   .parents = bar->parents,
							   .origins = bar->origins,
							   .softRegionCount = 1,
							   .rule = { bar->placeCount, bar->starts, bar->functions, bar->values, bar->gradients,
										 bar->volumes, bar->densities, bar->moduli, bar->poissons, bar->softRegions,
										 bar->holds },
							   .wholeBone = def->whole ? 0 : -1,
							   .isNonlinear = def->nonlinear,
							   .hasJoints = def->joints };
}

static inline void BarAllocate( Bar* bar )
{
	size_t v = (size_t)bar->vertexCount,
		   places = 24 * (size_t)bar->cells[0] * (size_t)bar->cells[1] * (size_t)bar->cells[2];
	bar->vertices = calloc( v, sizeof( supVec3 ) );
	bar->isKnown = calloc( v, 1 );
	bar->joints = calloc( v * SUP_MAX_INFLUENCES, sizeof( uint16_t ) );
	bar->weights = calloc( v * SUP_MAX_INFLUENCES, sizeof( float ) );
	bar->starts = calloc( places + 1, sizeof( int32_t ) );
	bar->functions = calloc( 4 * places, sizeof( int32_t ) );
	bar->values = calloc( 4 * places, sizeof( float ) );
	bar->gradients = calloc( 4 * places, sizeof( supVec3 ) );
	bar->volumes = calloc( places, sizeof( float ) );
	bar->densities = calloc( places, sizeof( float ) );
	bar->moduli = calloc( places, sizeof( float ) );
	bar->poissons = calloc( places, sizeof( float ) );
	bar->softRegions = calloc( places, sizeof( int32_t ) );
	bar->holds = calloc( places, sizeof( float ) );
	bar->known = calloc( v, sizeof( supVec4 ) );
}

// All but the model.
static inline void BarMakeMesh( Bar* bar, const BarDef* def )
{
	memset( bar, 0, sizeof( *bar ) );
	memcpy( bar->cells, def->cells, sizeof( bar->cells ) );
	bar->size = def->size;
	bar->vertexCount = ( def->cells[0] + 1 ) * ( def->cells[1] + 1 ) * ( def->cells[2] + 1 );
	BarAllocate( bar );
	BarMakeVertices( bar, def );
	for ( int32_t i = 0; i < def->cells[0] * def->cells[1] * def->cells[2]; ++i )
	{
		BarAddCube( bar, def, i % def->cells[0], i / def->cells[0] % def->cells[1],
					i / ( def->cells[0] * def->cells[1] ) );
	}
	bar->frames[0] = supMakeFemFrame( supMat34_identity );
	bar->frames[1] = bar->frames[0];
	bar->parents[0] = -1;
	bar->origins[1] = supMakeVec3( 0.5f * def->size.x, 0.0f, 0.0f );
	BarPlace( bar );
	bar->tuning = ( supFemTuning ){ 1.0, 0.0 };
	bar->step = ( supFemStep ){ .dt = 1.0 / 60.0,
								.trouble = &bar->trouble,
								.frames = bar->frames,
								.known = bar->known,
								.tunings = &bar->tuning,
								.sag = 1.0,
								.iterations = 30,
								.reach = 1e6 };
}

static inline void BarInit( Bar* bar, const BarDef* def )
{
	BarMakeMesh( bar, def );
	supError error = { 0 };
	supFemModelDef modelDef = BarModelDef( bar, def );
	testRequire( supFemModel_Init( &bar->model, &modelDef, &error ), &error );
	size_t size = supFemModel_View( &bar->model, NULL ).size;
	bar->block = aligned_alloc( 64, ( size + 63 ) / 64 * 64 );
	bar->state = supFemModel_View( &bar->model, bar->block );
	supFemSolver_Reset( &bar->model, &bar->state, bar->frames, bar->known );
}

static inline void BarStep( Bar* bar )
{
	supFemSolver_Advance( &bar->model, &bar->state, &bar->step );
	supFemSolver_Repair( &bar->model, &bar->state, &bar->step );
}

static inline void BarFree( Bar* bar )
{
	supFemModel_Destroy( &bar->model );
	free( bar->vertices );
	free( bar->isKnown );
	free( bar->joints );
	free( bar->weights );
	free( bar->starts );
	free( bar->functions );
	free( bar->values );
	free( bar->gradients );
	free( bar->volumes );
	free( bar->densities );
	free( bar->moduli );
	free( bar->poissons );
	free( bar->softRegions );
	free( bar->holds );
	free( bar->known );
	free( bar->block );
}
