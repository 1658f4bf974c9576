// SPDX-License-Identifier: MIT
// Flesh from a character: tets, their softness as a material, modes, coordinates, surface.
#include "method/modes/modes.h"

// What firmness does to stiffness: 1 / softness², at most this.
#define MOST_STIFFNESS 25.0f

// What is left of the stiffness of a tet that reaches from one limb to another.
#define LEAST_BOND_SHARE 1e-3f

// Softness up to which flesh goes with its bones, and the least that tethers are made for.
#define FIRM_SOFTNESS 0.02f
#define LEAST_SOFTNESS 1e-3f

// Part of the way from bone to skin that is the core of a bone.
#define CORE 0.15f

typedef struct Maker
{
	supArena scratch;
	const supFleshInput* input;
	supModesFlesh* flesh;
	supError* error;
	supBodyParts parts;
	bool* rigid;
	float* softnesses;
	float* inverseMasses;
	float* limits;
	int32_t* regions;
	float* cores;
	float* firmnesses;
	double* masses;
	double* moduli;
	double* tethers;
	float diagonal;
} Maker;

// ---------------------------------------------------------------------------------------------------------------------
// Geometry

static bool TakeTets( Maker* maker )
{
	supModesFlesh* flesh = maker->flesh;
	const supTets* tets = &maker->parts.tets;
	size_t points = (size_t)tets->pointCount, count = (size_t)tets->tetCount;
	flesh->pointCount = tets->pointCount;
	flesh->tetCount = tets->tetCount;
	flesh->points = supArena_CopyArray( &flesh->arena, tets->points, points, sizeof( supVec3 ) );
	flesh->tets = supArena_CopyArray( &flesh->arena, tets->indices, 4 * count, sizeof( int32_t ) );
	flesh->softnesses = maker->softnesses = supArena_AllocArray( &flesh->arena, points, sizeof( float ) );
	flesh->inverseMasses = maker->inverseMasses = supArena_AllocArray( &flesh->arena, points, sizeof( float ) );
	flesh->limits = maker->limits = supArena_AllocArray( &flesh->arena, points, sizeof( float ) );
	maker->rigid = supArena_AllocZeroed( &maker->scratch, points * sizeof( bool ) );
	maker->regions = supArena_AllocArray( &maker->scratch, points, sizeof( int32_t ) );
	maker->cores = supArena_AllocArray( &maker->scratch, points, sizeof( float ) );
	maker->firmnesses = supArena_AllocArray( &maker->scratch, points, sizeof( float ) );
	maker->masses = supArena_AllocZeroed( &maker->scratch, points * sizeof( double ) );
	maker->tethers = supArena_AllocArray( &maker->scratch, points, sizeof( double ) );
	maker->moduli = supArena_AllocArray( &maker->scratch, count, sizeof( double ) );
	if ( flesh->arena.failed || maker->scratch.failed )
	{
		return supSetMemoryError( maker->error );
	}
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		box = supBox_Include( box, tets->points[i] );
	}
	supVec3 size = supBox_Size( box );
	flesh->center = supLerp( box.lower, box.upper, 0.5f );
	flesh->size = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
	maker->diagonal = supLength( size );
	return true;
}

static float MeanEdge( const Maker* maker )
{
	const supTets* tets = &maker->parts.tets;
	double sum = 0.0;
	for ( int64_t t = 0; t < tets->tetCount; ++t )
	{
		const int32_t* c = tets->indices + 4 * t;
		sum += (double)supDistance( tets->points[c[0]], tets->points[c[1]] ) +
			   (double)supDistance( tets->points[c[2]], tets->points[c[3]] );
	}
	return (float)( sum / ( 2.0 * (double)tets->tetCount ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Material

static bool FindRegions( Maker* maker )
{
	supModesFlesh* flesh = maker->flesh;
	const supFleshDef* def = maker->input->def;
	flesh->regionCount = def->softRegionCount > 0 ? def->softRegionCount : 1;
	float* frequencies = supArena_AllocArray( &flesh->arena, (size_t)flesh->regionCount, sizeof( float ) );
	flesh->frequencies = frequencies;
	for ( int32_t i = 0; frequencies != NULL && i < flesh->regionCount; ++i )
	{
		float own = i < def->softRegionCount ? def->softRegions[i].frequency : 0.0f;
		float wanted = own > 0.0f ? own : maker->input->parameters[sup_modesFrequency];
		frequencies[i] = supClampFloat( wanted, SUP_MODES_LEAST_FREQUENCY, SUP_MODES_MOST_FREQUENCY );
	}
	return frequencies != NULL || supSetMemoryError( maker->error );
}

static float CoreOf( const supSoftPoint* soft )
{
	float core = 1.0f - soft->boneDistance / supMaxFloat( CORE * soft->thickness, 1e-20f );
	return core > 0.0f ? core * core : 0.0f;
}

// How far flesh has a core beside it: tails swing with their bones in them, and so does what is thinner than two
// elements, as ears are.
static float FirmnessOf( const supSoftPoint* soft, float edge )
{
	return ( 1.0f - soft->looseness ) * supClampFloat( soft->thickness / edge - 1.0f, 0.0f, 1.0f );
}

static bool FindSoftness( Maker* maker )
{
	supModesFlesh* flesh = maker->flesh;
	if ( FindRegions( maker ) == false ||
		 supBodyParts_FindSoftness( &maker->parts, maker->input, maker->error ) == false )
	{
		return false;
	}
	float edge = MeanEdge( maker );
	// armour, machines, eyes: a mesh that its author hung on a joint without a skin is soft only where it is painted
	bool isMade = maker->parts.softness.isAutomatic && supCharacter_SkinCount( maker->input->character ) > 0;
	supSoftness_SampleMany( &maker->parts.softness, flesh->points, flesh->pointCount, maker->softnesses, maker->regions,
							maker->input->tasks );
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		supSoftPoint soft = supSoftness_Sample( &maker->parts.softness, flesh->points[i] );
		maker->limits[i] = supIsFinite( soft.boneDistance ) ? supMaxFloat( soft.boneDistance, edge ) : edge;
		maker->cores[i] = CoreOf( &soft );
		maker->firmnesses[i] = FirmnessOf( &soft, edge );
		maker->softnesses[i] = isMade && maker->rigid[i] ? 0.0f : maker->softnesses[i];
		double pulse = 2.0 * (double)SUP_PI * (double)flesh->frequencies[maker->regions[i]];
		maker->tethers[i] = pulse * pulse / (double)supMaxFloat( maker->softnesses[i], LEAST_SOFTNESS );
	}
	return true;
}

static double TetVolume( const supVec3* points, const int32_t* c )
{
	double e[3][3];
	for ( int32_t k = 0; k < 3; ++k )
	{
		e[k][0] = (double)points[c[k + 1]].x - (double)points[c[0]].x;
		e[k][1] = (double)points[c[k + 1]].y - (double)points[c[0]].y;
		e[k][2] = (double)points[c[k + 1]].z - (double)points[c[0]].z;
	}
	return ( e[0][0] * ( e[1][1] * e[2][2] - e[1][2] * e[2][1] ) - e[0][1] * ( e[1][0] * e[2][2] - e[1][2] * e[2][0] ) +
			 e[0][2] * ( e[1][0] * e[2][1] - e[1][1] * e[2][0] ) ) /
		   6.0;
}

// A wave of length λ in flesh of modulus E has ω² = E / ρ ( 2 π / λ )²: at λ = spread times the size elasticity holds
// flesh as much as its tether does.
static bool FindMaterial( Maker* maker )
{
	supModesFlesh* flesh = maker->flesh;
	const float* parameters = maker->input->parameters;
	if ( FindSoftness( maker ) == false ||
		 supBodyParts_FindBridges( &maker->parts, maker->input, maker->error ) == false )
	{
		return false;
	}
	double density = (double)parameters[sup_modesDensity];
	double reach = (double)( parameters[sup_modesSpread] * maker->diagonal );
	for ( int32_t t = 0; t < flesh->tetCount; ++t )
	{
		const int32_t* corners = flesh->tets + 4 * (int64_t)t;
		double volume = TetVolume( flesh->points, corners ), frequency = 0.0;
		float softness = 0.0f;
		for ( int32_t k = 0; k < 4; ++k )
		{
			maker->masses[corners[k]] += 0.25 * density * ( volume > 0.0 ? volume : 0.0 );
			softness += 0.25f * maker->softnesses[corners[k]];
			frequency += 0.25 * (double)flesh->frequencies[maker->regions[corners[k]]];
		}
		float stiffness = supMinFloat( 1.0f / supMaxFloat( softness * softness, 1e-6f ), MOST_STIFFNESS );
		stiffness *= supMaxFloat( supBodyParts_TetBond( &maker->parts, &flesh->skin, t ), LEAST_BOND_SHARE );
		maker->moduli[t] = (double)stiffness * density * frequency * frequency * reach * reach;
	}
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		bool isFree = maker->softnesses[i] > FIRM_SOFTNESS && maker->masses[i] > 0.0;
		maker->inverseMasses[i] = isFree ? (float)( 1.0 / maker->masses[i] ) : 0.0f;
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Modes

bool supModesFlesh_Finish( supModesFlesh* flesh )
{
	int32_t blocks = supModes_BlockCount( flesh->pointCount );
	float* rests = supArena_AllocZeroed( &flesh->arena, 24 * (size_t)blocks * sizeof( float ) );
	flesh->rests = rests;
	for ( int32_t i = 0; rests != NULL && i < flesh->pointCount; ++i )
	{
		supVec3 r = supSub( flesh->points[i], flesh->center );
		float* to = rests + 24 * (size_t)( i / SUP_MODES_LANES ) + i % SUP_MODES_LANES;
		to[0] = r.x;
		to[8] = r.y;
		to[16] = r.z;
	}
	return rests != NULL;
}

// Of each bone: does most of its flesh have a core? Points of other bones are no part of it.
static bool* FindCoredBones( Maker* maker )
{
	const supBodySkin* skin = &maker->flesh->skin;
	size_t count = (size_t)skin->boneCount;
	bool* cored = supArena_AllocZeroed( &maker->scratch, ( count + 1 ) * sizeof( bool ) );
	double* sums = supArena_AllocZeroed( &maker->scratch, ( count + 1 ) * sizeof( double ) );
	for ( int64_t i = 0; maker->scratch.failed == false && i < (int64_t)SUP_MAX_INFLUENCES * maker->flesh->pointCount;
		  ++i )
	{
		int64_t point = i / SUP_MAX_INFLUENCES;
		sums[skin->joints[i]] +=
			maker->masses[point] * (double)skin->weights[i] * ( (double)maker->firmnesses[point] - 0.5 );
	}
	for ( size_t b = 0; maker->scratch.failed == false && b < count; ++b )
	{
		cored[b] = sums[b] > 0.0;
	}
	return cored;
}

static bool FindModes( Maker* maker )
{
	supModesFlesh* flesh = maker->flesh;
	const supFleshInput* input = maker->input;
	supVec3* axes =
		supFindBoneAxes( &flesh->skin, flesh->pointCount, flesh->points, input->character, &maker->scratch );
	bool* cored = FindCoredBones( maker );
	int32_t count = (int32_t)input->parameters[sup_modesModes];
	size_t points = (size_t)flesh->pointCount;
	double* shapes = supArena_AllocZeroed( &maker->scratch, points * (size_t)count * sizeof( double ) );
	if ( maker->scratch.failed || axes == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	supModesBody body = { .input = input,
						  .tasks = input->tasks,
						  .pointCount = flesh->pointCount,
						  .points = flesh->points,
						  .tetCount = flesh->tetCount,
						  .tets = flesh->tets,
						  .skin = &flesh->skin,
						  .masses = maker->masses,
						  .cores = maker->cores,
						  .regions = maker->regions,
						  .moduli = maker->moduli,
						  .tethers = maker->tethers,
						  .poisson = (double)input->parameters[sup_modesPoisson],
						  .center = flesh->center,
						  .axes = axes,
						  .cored = cored };
	if ( supFindModeShapes( &body, count, shapes, &flesh->modeCount, maker->error ) == false )
	{
		return false;
	}
	for ( size_t i = 0; i < points * (size_t)flesh->modeCount; ++i )
	{
		shapes[i] *= maker->inverseMasses[i / (size_t)flesh->modeCount] > 0.0f ? 1.0 : 0.0;
	}
	return supModesFlesh_Reduce( flesh, &body, shapes, maker->error ) &&
		   ( supModesFlesh_Finish( flesh ) || supSetMemoryError( maker->error ) );
}

static bool BindSurface( Maker* maker )
{
	supModesFlesh* flesh = maker->flesh;
	return supSurfaceBinding_InitTets( &flesh->binding, maker->input->character, &maker->parts.tets,
									   maker->input->tasks, maker->error ) &&
		   supBodyParts_KeepOwnPoints( &maker->parts, &flesh->skin, maker->input, &flesh->binding, maker->error ) &&
		   ( supSurfaceBinding_KeepShells( &flesh->binding, maker->parts.softness.isRigid ) ||
			 supSetMemoryError( maker->error ) );
}

void* supModes_CreateFlesh( const supFleshInput* input, supError* error )
{
	supModesFlesh* flesh = supAllocZeroed( sizeof( supModesFlesh ) );
	if ( flesh == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	Maker maker = { .input = input, .flesh = flesh, .error = error };
	int32_t tetCount = (int32_t)input->parameters[sup_modesTets];
	bool ok = supBodyParts_Mesh( &maker.parts, input, tetCount, error ) && TakeTets( &maker ) &&
			  supBodyParts_FindSkin( &maker.parts, input, &flesh->arena, maker.rigid, &flesh->skin, error ) &&
			  FindMaterial( &maker ) && FindModes( &maker ) && BindSurface( &maker );
	supBodyParts_Destroy( &maker.parts );
	supArena_Destroy( &maker.scratch );
	if ( ok == false )
	{
		supModes_DestroyFlesh( flesh );
		flesh = NULL;
	}
	return flesh;
}

void supModes_DestroyFlesh( void* fleshPointer )
{
	supModesFlesh* flesh = fleshPointer;
	if ( flesh != NULL )
	{
		supSurfaceBinding_Destroy( &flesh->binding );
		supArena_Destroy( &flesh->arena );
		supFree( flesh );
	}
}
