// SPDX-License-Identifier: MIT
// The reference: the energy as it is, without linearising. A step of backward Euler is the lowest point of
//
//     1/2 dv.M dv + V( p ) + 1/2 ( p - t ).H ( p - t ) + h/2 ( w + dv ).D ( w + dv ) - h Q.( v + dv ),  p = x + h ( v +
//     dv )
//
// with H what holds places to their bones and t where the bones put them. Found by Newton's method: the second
// derivative without the negative eigenvalues of the stress, factored again in each iteration, and steps that are
// halved until they go down. So it never goes up, whatever the step.
#include "method/fem/solver.h"

#include <math.h>

// Parts of the body's extent: when it is done, and what is not good enough.
#define CONVERGED 1e-7
#define NOT_CONVERGED 1e-3

#define MOST_HALVINGS 20

// Of a step near joints, which starts from what regions found.
#define JOINT_ITERATIONS 2

typedef struct Newton
{
	const supFemModel* model;
	const supFemState* state;
	const supFemStep* step;
	const supFemRegion* region;
	// of each function, at the beginning of the step
	const double* x;
	const double* v;
	// three doubles a node of the region
	double* dv;
	double* trial;
	double* w;       // v less the bones' motion
	double* targets; // t
	double* loads;   // Q
	double* vectors[3];
	double* forces; // three doubles a function: derivative of V
	double* p;      // three doubles a function
	double* gradient;
	double* direction;
} Newton;

static double* Take( double** at, size_t count )
{
	double* place = *at;
	*at += ( count + 7 ) / 8 * 8;
	return place;
}

size_t supFemNewton_Size( const supFemModel* model )
{
	const supFemRegion* region = model->isNonlinear && model->regionCount > 0 ? model->regions : model->nearJoints;
	if ( region == NULL )
	{
		return 0;
	}
	size_t nodes = (size_t)region->nodeCount;
	return ( 10 * ( 3 * nodes + 8 ) + 2 * ( 3 * (size_t)model->functionCount + 8 ) ) * sizeof( double );
}

static Newton MakeNewton( const supFemModel* model, const supFemState* state, const supFemStep* step,
						  const supFemRegion* region )
{
	Newton newton = { .model = model, .state = state, .step = step, .region = region };
	newton.x = state->before;
	newton.v = region == model->nearJoints ? state->speeds : state->v;
	double* at = state->newton;
	size_t n = 3 * (size_t)region->nodeCount, all = 3 * (size_t)model->functionCount;
	newton.dv = Take( &at, n );
	newton.trial = Take( &at, n );
	newton.w = Take( &at, n );
	newton.targets = Take( &at, n );
	newton.loads = Take( &at, n );
	newton.gradient = Take( &at, n );
	newton.direction = Take( &at, n );
	for ( int i = 0; i < 3; ++i )
	{
		newton.vectors[i] = Take( &at, n );
	}
	newton.forces = Take( &at, all );
	newton.p = Take( &at, all );
	return newton;
}

static double Dot( const double* a, const double* b, size_t count )
{
	double sum = 0.0;
	for ( size_t i = 0; i < count; ++i )
	{
		sum += a[i] * b[i];
	}
	return sum;
}

// ---------------------------------------------------------------------------------------------------------------------
// The beginning of a step

static void TurnGravity( const Newton* newton, int32_t function, double out[3] )
{
	const supFemModel* model = newton->model;
	supVec3 g = newton->step->gravity;
	out[0] = out[1] = out[2] = 0.0;
	for ( size_t k = SUP_MAX_INFLUENCES * (size_t)function, end = k + SUP_MAX_INFLUENCES; k < end; ++k )
	{
		const supFemFrame* frame = newton->state->frames + model->joints[k];
		for ( int i = 0; i < 3; ++i )
		{
			out[i] += (double)model->weights[k] *
					  ( frame->r[i][0] * (double)g.x + frame->r[i][1] * (double)g.y + frame->r[i][2] * (double)g.z );
		}
	}
}

// - warm: with the motion that the state has, else with known motion where it is known and none elsewhere
static void Begin( Newton* newton, bool warm )
{
	const supFemRegion* region = newton->region;
	const supFemState* state = newton->state;
	const supFemStep* step = newton->step;
	const double gravity[3] = { (double)step->gravity.x, (double)step->gravity.y, (double)step->gravity.z };
	for ( int32_t i = 0; i < region->nodeCount; ++i )
	{
		int32_t function = region->functions[i];
		bool isKnown = i >= region->unknownCount;
		double past[3], now[3], held[3], turned[3];
		supFemModel_Skin( newton->model, state->framesBefore, state->gates, function, past );
		supFemModel_Skin( newton->model, state->frames, state->gates, function, now );
		supFemModel_HoldPlace( newton->model, state->frames, function, held );
		TurnGravity( newton, function, turned );
		for ( int k = 0; k < 3; ++k )
		{
			size_t at = 3 * (size_t)i + (size_t)k, from = 3 * (size_t)function + (size_t)k;
			double v = newton->v[from];
			newton->dv[at] = isKnown ? ( state->targets[from] - newton->x[from] ) / step->dt - v : 0.0;
			newton->dv[at] = warm ? ( state->x[from] - newton->x[from] ) / step->dt - v : newton->dv[at];
			newton->w[at] = v - ( now[k] - past[k] ) / step->dt;
			newton->targets[at] = newton->model->isKnown[function] ? state->targets[from] : held[k];
			newton->loads[at] = region->loads[i] * ( gravity[k] - ( 1.0 - step->sag ) * turned[k] );
		}
	}
	for ( int32_t k = 0; step->pushes != NULL && k < 8 * region->cellCount; ++k )
	{
		const double* push = step->pushes + 24 * (size_t)region->cells[k / 8] + 3 * (size_t)( k % 8 );
		for ( size_t i = 0; region->cellNodes[k] >= 0 && i < 3; ++i )
		{
			newton->loads[3 * (size_t)region->cellNodes[k] + i] += push[i];
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Energy and derivatives

static void SetPositions( const Newton* newton, const double* dv )
{
	memcpy( newton->p, newton->state->targets, 3 * (size_t)newton->model->functionCount * sizeof( double ) );
	for ( int32_t i = 0; i < newton->region->nodeCount; ++i )
	{
		size_t to = 3 * (size_t)newton->region->functions[i], from = 3 * (size_t)i;
		for ( size_t k = 0; k < 3; ++k )
		{
			newton->p[to + k] = newton->x[to + k] + newton->step->dt * ( newton->v[to + k] + dv[from + k] );
		}
	}
}

static supGradientF GradientOf( const Newton* newton, const supFemElement* element )
{
	const supFemModel* model = newton->model;
	supGradientF f = { 0 };
	for ( int32_t k = element->start; k < element->start + element->count; ++k )
	{
		const double* x = newton->p + 3 * (size_t)model->elementFunctions[k];
		const double* g = model->elementGradients + 3 * (size_t)k;
		for ( int i = 0; i < 9; ++i )
		{
			f.f[i / 3][i % 3] += x[i / 3] * g[i % 3];
		}
	}
	return f;
}

static supElasticLaw LawOf( const Newton* newton, const supFemElement* element )
{
	double scale = newton->step->tunings[element->softRegion].stiffness;
	return ( supElasticLaw ){ scale * element->law.shear, scale * element->law.lambda };
}

static double SumElements( const Newton* newton, bool wantForces )
{
	const supFemModel* model = newton->model;
	double energy = 0.0;
	memset( newton->forces, 0, wantForces ? 3 * (size_t)model->functionCount * sizeof( double ) : 0 );
	for ( int32_t e = 0; e < newton->region->elementCount; ++e )
	{
		const supFemElement* element = model->elements + newton->region->elements[e];
		supGradientF f = GradientOf( newton, element );
		supElasticLaw law = LawOf( newton, element );
		energy += supElastic_Energy( law, &f, true );
		if ( wantForces == false )
		{
			continue;
		}
		supGradientF p = supElastic_Stress( law, &f, true );
		for ( int32_t k = element->start; k < element->start + element->count; ++k )
		{
			const double* g = model->elementGradients + 3 * (size_t)k;
			double* to = newton->forces + 3 * (size_t)model->elementFunctions[k];
			for ( int i = 0; i < 3; ++i )
			{
				to[i] += p.f[i][0] * g[0] + p.f[i][1] * g[1] + p.f[i][2] * g[2];
			}
		}
	}
	return energy;
}

// What a part adds: to the energy, and to the gradient where that is wanted.
static double SumPart( const Newton* newton, const supFemPart* part, const double* dv, bool wantGradient )
{
	const supFemStep* step = newton->step;
	const supFemTuning* tuning = step->tunings + part->softRegion;
	size_t n = 3 * (size_t)newton->region->nodeCount;
	double h = step->dt, energy = 0.0;
	double *in = newton->vectors[0], *out = newton->vectors[1];
	const double wind[3] = { (double)step->wind.x, (double)step->wind.y, (double)step->wind.z };
	// dv.M dv / 2, damping and air in turn, then what holds
	for ( int term = 0; term < 4; ++term )
	{
		double scale =
			term == 0 ? 1.0 : ( term == 1 ? h * tuning->damping : ( term == 2 ? h * step->air : tuning->stiffness ) );
		for ( size_t i = 0; i < n; ++i )
		{
			size_t from = 3 * (size_t)newton->region->functions[i / 3] + i % 3;
			double v = newton->v[from] + dv[i];
			in[i] = term == 0 ? dv[i]
							  : ( term == 1 ? newton->w[i] + dv[i]
											: ( term == 2 ? v - wind[i % 3] : newton->p[from] - newton->targets[i] ) );
		}
		if ( scale <= 0.0 )
		{
			continue;
		}
		supBlockMatrix_Multiply( term < 3 ? &part->mass : &part->hold, in, out, 3, NULL );
		energy += 0.5 * scale * Dot( in, out, n );
		double slope = term < 3 ? scale : h * scale;
		for ( size_t i = 0; wantGradient && i < n; ++i )
		{
			newton->gradient[i] += slope * out[i];
		}
	}
	return energy;
}

static double Evaluate( const Newton* newton, const double* dv, bool wantGradient )
{
	const supFemRegion* region = newton->region;
	size_t n = 3 * (size_t)region->nodeCount;
	double h = newton->step->dt;
	SetPositions( newton, dv );
	double energy = SumElements( newton, wantGradient );
	for ( size_t i = 0; i < n; ++i )
	{
		size_t from = 3 * (size_t)region->functions[i / 3] + i % 3;
		energy -= h * newton->loads[i] * ( newton->v[from] + dv[i] );
		if ( wantGradient )
		{
			newton->gradient[i] = h * ( newton->forces[from] - newton->loads[i] );
		}
	}
	for ( int32_t i = 0; i < region->partCount; ++i )
	{
		energy += SumPart( newton, region->parts + i, dv, wantGradient );
	}
	return energy;
}

static void AddElements( const Newton* newton, supBlockMatrix* matrix )
{
	const supFemModel* model = newton->model;
	double scale = newton->step->dt * newton->step->dt;
	for ( int32_t e = 0; e < newton->region->elementCount; ++e )
	{
		const supFemElement* element = model->elements + newton->region->elements[e];
		supGradientF f = GradientOf( newton, element );
		supElasticHessian hessian = supMakeElasticHessian( LawOf( newton, element ), &f, true, true );
		const int32_t* slots = newton->region->slots + newton->region->slotStarts[e];
		const double* gradients = model->elementGradients + 3 * (size_t)element->start;
		supElasticNode nodes[SUP_MOST_FEM_FUNCTIONS];
		for ( int32_t k = 0; k < element->count; ++k )
		{
			nodes[k] = supElasticHessian_Node( &hessian, gradients + 3 * k );
		}
		for ( int32_t k = 0; k < element->count * element->count; ++k )
		{
			double block[9];
			if ( slots[k] < 0 )
			{
				continue;
			}
			supElasticHessian_Block( &hessian, nodes + k / element->count, nodes + k % element->count, block );
			double* to = matrix->values + 9 * (size_t)slots[k];
			for ( int i = 0; i < 9; ++i )
			{
				to[i] += scale * block[i];
			}
		}
	}
}

static void Assemble( const Newton* newton, supBlockMatrix* matrix )
{
	const supFemRegion* region = newton->region;
	const supFemStep* step = newton->step;
	memset( matrix->values, 0, 9 * (size_t)matrix->blockCount * sizeof( double ) );
	AddElements( newton, matrix );
	for ( int32_t p = 0; p < region->partCount; ++p )
	{
		const supFemPart* part = region->parts + p;
		const supFemTuning* tuning = step->tunings + part->softRegion;
		double mass = 1.0 + step->dt * ( tuning->damping + step->air );
		double hold = step->dt * step->dt * tuning->stiffness;
		for ( int32_t k = 0; k < part->mass.blockCount; ++k )
		{
			double* to = matrix->values + 9 * (size_t)( part->blocks[k] < 0 ? 0 : part->blocks[k] );
			double value = mass * part->mass.values[k] + hold * part->hold.values[k];
			for ( int i = 0; part->blocks[k] >= 0 && i < 9; i += 4 )
			{
				to[i] += value;
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------

// The direction, and how far it goes at most.
static double FindDirection( const Newton* newton )
{
	const supFemRegion* region = newton->region;
	const supFemState* state = newton->state;
	supBlockMatrix matrix = region->matrix;
	matrix.values = state->values;
	Assemble( newton, &matrix );
	supFactor factor =
		supFactor_Place( &region->symbolic, &supFemFactorDef, state->factors + region->factorStart, state->factorWork );
	supFactor_Refactor( &factor, &matrix, NULL );
	for ( int32_t i = 0; i < 3 * region->unknownCount; ++i )
	{
		newton->direction[i] = -newton->gradient[i];
	}
	supFactor_Solve( &factor, newton->direction, 1, state->works + region->workStart, NULL );
	double largest = 0.0;
	for ( int32_t i = 0; i < 3 * region->unknownCount; ++i )
	{
		largest = fmax( largest, fabs( newton->direction[i] ) );
	}
	return largest;
}

// Halves the step until it goes down. Returns what of it was made.
static double Search( Newton* newton, double energy )
{
	size_t n = 3 * (size_t)newton->region->nodeCount, unknowns = 3 * (size_t)newton->region->unknownCount;
	double slope = Dot( newton->gradient, newton->direction, unknowns );
	memcpy( newton->trial, newton->dv, n * sizeof( double ) );
	for ( double part = 1.0; part > 1.0 / (double)( 1 << MOST_HALVINGS ); part *= 0.5 )
	{
		for ( size_t i = 0; i < unknowns; ++i )
		{
			newton->trial[i] = newton->dv[i] + part * newton->direction[i];
		}
		if ( Evaluate( newton, newton->trial, false ) <= energy + 1e-4 * part * slope )
		{
			memcpy( newton->dv, newton->trial, unknowns * sizeof( double ) );
			return part;
		}
	}
	return 0.0;
}

static void CountInverted( const Newton* newton )
{
	for ( int32_t e = 0; e < newton->region->elementCount; ++e )
	{
		supGradientF f = GradientOf( newton, newton->model->elements + newton->region->elements[e] );
		newton->step->trouble->inverted += supGradientF_Determinant( &f ) < 0.0;
	}
}

// Returns how far the last step wanted to go, in metres a second.
static double Iterate( Newton* newton, int32_t most )
{
	double left = INFINITY, extent = (double)newton->model->extent / newton->step->dt;
	for ( int32_t i = 0; i < most && left > CONVERGED * extent; ++i )
	{
		double energy = Evaluate( newton, newton->dv, true );
		left = FindDirection( newton );
		if ( Search( newton, energy ) == 0.0 )
		{
			break;
		}
	}
	SetPositions( newton, newton->dv );
	CountInverted( newton );
	return left;
}

void supFemNewton_Advance( const supFemModel* model, const supFemState* state, const supFemStep* step )
{
	if ( model->regionCount == 0 )
	{
		memcpy( state->x, state->targets, 3 * (size_t)model->functionCount * sizeof( double ) );
		return;
	}
	Newton newton = MakeNewton( model, state, step, model->regions );
	Begin( &newton, false );
	double left = Iterate( &newton, step->iterations );
	step->trouble->notConverged += !( left <= NOT_CONVERGED * (double)model->extent / step->dt );
	for ( int32_t i = 0; i < 3 * model->functionCount; ++i )
	{
		state->v[i] = ( newton.p[i] - newton.x[i] ) / step->dt;
		state->x[i] = newton.p[i];
	}
}

void supFemNewton_AdvanceJoints( const supFemModel* model, const supFemState* state, const supFemStep* step )
{
	const supFemRegion* region = model->nearJoints;
	Newton newton = MakeNewton( model, state, step, region );
	Begin( &newton, true );
	Iterate( &newton, step->iterations < JOINT_ITERATIONS ? step->iterations : JOINT_ITERATIONS );
	for ( int32_t i = 0; i < 3 * region->unknownCount; ++i )
	{
		size_t at = 3 * (size_t)region->functions[i / 3] + (size_t)( i % 3 );
		state->v[at] = ( newton.p[at] - newton.x[at] ) / step->dt;
		state->x[at] = newton.p[at];
	}
}
