// SPDX-License-Identifier: MIT
// Soft regions that swing at a frequency of their own, and none that swings slower than `slowest`: the moduli of tissue
// are those of a body of a metre or two, and files are in any unit.
//
// A region's slowest swing is that of its flesh while all around it stands still. Its frequency is asked for when the
// flesh is built: then its tets are made as stiff or soft as that needs, and it swings as such flesh does. What is
// asked for later, beyond what the stiffness makes, is made by a spring from each point to where skinning puts it:
// springs in proportion to mass add the same to ω² of every swing. Less than what the stiffness makes is not to be had
// in this way. The same for damping: what is lacking is added, in proportion to mass, against the motion of the
// skeleton.
#include "method/points/flesh.h"

#include <math.h>

// Stiffness is changed by no more than this, up or down: a character in millimetres needs 1e6.
#define MOST_CHANGE 1e8f

// Of the body's size: waves of this length over posed flesh are held back as much by elasticity as by tethers. Longer
// ones swing at the frequency of the tethers, shorter ones hardly.
#define ELASTIC_LENGTH 0.35f

// ---------------------------------------------------------------------------------------------------------------------
// Build

// The body with all but one region held.
static bool MeasureRegion( const supPointsFlesh* flesh, int32_t region, const supPointSettings* settings,
						   const supTasks* tasks, uint8_t* held, float* swing, supError* error )
{
	int32_t freeCount = 0;
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		held[i] = flesh->fixed[i] != 0 || flesh->regions[i] != region;
		freeCount += held[i] == 0;
	}
	memset( swing, 0, 3 * sizeof( float ) );
	if ( freeCount == 0 )
	{
		return true;
	}
	supPointBodyDef def = supPointsFlesh_BodyDef( flesh );
	def.fixed = held;
	supPointBody body = { 0 };
	bool ok = supPointBody_Init( &body, &def, error ) &&
			  ( supPointSolver_FindSlowest( &body, settings, tasks, swing ) || supSetMemoryError( error ) );
	supPointBody_Destroy( &body );
	return ok;
}

static float SquaredSwing( const float* swing, const supPointSettings* settings )
{
	return swing[0] * settings->edges.stiffness + swing[1] * settings->triangles.stiffness +
		   swing[2] * settings->tets.stiffness;
}

static int32_t TetRegion( const supPointsFlesh* flesh, int32_t tet )
{
	for ( int32_t k = 0; k < 4; ++k )
	{
		int32_t point = flesh->tets[4 * (int64_t)tet + k];
		if ( flesh->fixed[point] == 0 )
		{
			return flesh->regions[point];
		}
	}
	return -1;
}

static void ScaleRegion( const supPointsFlesh* flesh, int32_t region, float factor, float* tetStiffness )
{
	for ( int32_t i = 0; i < flesh->tetCount; ++i )
	{
		if ( TetRegion( flesh, i ) == region )
		{
			tetStiffness[i] *= factor;
		}
	}
}

// A wave of length λ along edges of modulus E has ω² = E / ρ ( 2 π / λ )².
static float FindPosedFactor( const supPointsFlesh* flesh, const float* parameters, float frequency )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		box = supBox_Include( box, flesh->points[i] );
	}
	float speed = frequency * ELASTIC_LENGTH * supLength( supBox_Size( box ) );
	float factor = flesh->density * speed * speed / supMaxFloat( parameters[sup_pointsStretch], 1e-6f );
	return supClampFloat( factor, 1.0f / MOST_CHANGE, MOST_CHANGE );
}

bool supPointsFlesh_TuneRegions( supPointsFlesh* flesh, const supFleshInput* input, float* tetStiffness,
								 supError* error )
{
	const supFleshDef* def = input->def;
	supPointSettings settings = supPoints_Settings( flesh, input->parameters );
	float* swings = supArena_AllocArray( &flesh->arena, 3 * (size_t)flesh->regionCount, sizeof( float ) );
	uint8_t* held = supAllocArray( (size_t)flesh->pointCount, 1 );
	bool ok = ( swings != NULL && held != NULL ) || supSetMemoryError( error );
	for ( int32_t r = 0; ok && r < flesh->regionCount; ++r )
	{
		float* swing = swings + 3 * r;
		float frequency = r < def->softRegionCount ? def->softRegions[r].frequency : 0.0f;
		frequency = frequency > 0.0f ? frequency : input->parameters[sup_pointsFrequency];
		if ( flesh->isPosed && frequency > 0.0f )
		{
			memset( swing, 0, 3 * sizeof( float ) );
			ScaleRegion( flesh, r, FindPosedFactor( flesh, input->parameters, frequency ), tetStiffness );
			continue;
		}
		float omega = 2.0f * SUP_PI * ( frequency > 0.0f ? frequency : input->parameters[sup_pointsSlowest] );
		ok = MeasureRegion( flesh, r, &settings, input->tasks, held, swing, error );
		float before = ok ? SquaredSwing( swing, &settings ) : 0.0f;
		if ( before > 0.0f && ( frequency > 0.0f || before < omega * omega ) )
		{
			float factor = supClampFloat( omega * omega / before, 1.0f / MOST_CHANGE, MOST_CHANGE );
			ScaleRegion( flesh, r, factor, tetStiffness );
			ok = MeasureRegion( flesh, r, &settings, input->tasks, held, swing, error );
		}
	}
	supFree( held );
	flesh->swings = swings;
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Step

// A file may say what it likes.
static int32_t CountRegions( const supPointsFlesh* flesh, const supSubstep* step )
{
	return flesh->regionCount < step->regionCount ? flesh->regionCount : step->regionCount;
}

bool supPoints_HasTethers( const supPointsFlesh* flesh, const supSubstep* step )
{
	bool hasTethers = step->parameters[sup_pointsFrequency] > 0.0f;
	for ( int32_t i = 0; i < CountRegions( flesh, step ); ++i )
	{
		hasTethers = hasTethers || step->regions[i].frequency > 0.0f || step->regions[i].damping > 0.0f;
	}
	return hasTethers && flesh->isProp == false;
}

// Of a region, where it is as soft as can be: ω² of its elasticity alone, ω² wanted (0: as it is), and the ratio.
typedef struct Swing
{
	float natural;
	float square;
	float ratio;
} Swing;

static Swing FindSwing( const supPointsFlesh* flesh, const supSubstep* step, const supPointSettings* settings,
						int32_t region )
{
	const supRegionTuning* tuning = step->regions + region;
	float frequency = tuning->frequency > 0.0f ? tuning->frequency : step->parameters[sup_pointsFrequency];
	float omega = 2.0f * SUP_PI * frequency;
	return ( Swing ){ .natural = SquaredSwing( flesh->swings + 3 * (int64_t)region, settings ),
					  .square = omega * omega,
					  .ratio = tuning->damping > 0.0f ? tuning->damping : step->parameters[sup_pointsRatio] };
}

static supPointTether MakeTether( const Swing* swing, const supPointSettings* settings, float softness )
{
	float wanted = swing->square / supMaxFloat( softness, 1e-3f );
	float spring = supMaxFloat( wanted - swing->natural, 0.0f );
	// 2 ζ ω; the material has natural T of it already, and the air its part
	float damping = 2.0f * swing->ratio * sqrtf( swing->natural + spring );
	damping = supMaxFloat( damping - swing->natural * settings->edges.damping - settings->drag, 0.0f );
	return ( supPointTether ){ .spring = spring, .damping = damping };
}

void supPoints_FillTethers( const supPointsFlesh* flesh, const supPointsView* view, const supSubstep* step )
{
	supPointSettings settings = supPoints_Settings( flesh, step->parameters );
	float whole = 4.0f * step->parameters[sup_pointsSoftness] * step->parameters[sup_pointsSoftness];
	for ( int32_t r = 0; r < CountRegions( flesh, step ); ++r )
	{
		Swing swing = FindSwing( flesh, step, &settings, r );
		for ( int32_t i = 0; i < flesh->pointCount; ++i )
		{
			if ( flesh->regions[i] != r )
			{
				continue;
			}
			supPointTether tether = MakeTether( &swing, &settings, whole * flesh->softnesses[i] );
			// posed: to where it is without flesh, which is nowhere from there
			if ( flesh->isPosed == false )
			{
				memcpy( &tether.target, view->skinned + i, sizeof( supVec3 ) );
				supVec3 before;
				memcpy( &before, view->oldSkinned + i, sizeof( supVec3 ) );
				tether.velocity = supScale( 1.0f / step->dt, supSub( tether.target, before ) );
			}
			view->tethers[i] = tether;
		}
	}
}
