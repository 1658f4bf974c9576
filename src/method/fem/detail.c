// SPDX-License-Identifier: MIT
// A step of finer functions.
#include "method/fem/detail.h"

#include <math.h>

// Vectors of all slots that conjugate gradients need: right-hand side, residual, direction, product, solution, and
// inverses of the diagonal blocks (three).
#define VECTORS 8

// Residual, as a part of the right-hand side's, at which coefficients are good enough, and the most iterations.
#define TOLERANCE 1e-3
#define MOST_ITERATIONS 40

// Part of its width that a function may go.
#define MOST_WIDTH 0.5

static void* Take( char* base, size_t* offset, size_t bytes )
{
	void* place = base != NULL ? base + *offset : NULL;
	*offset += ( bytes + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
	return place;
}

static size_t PushesSize( const supFemDetail* detail )
{
	return 24 * (size_t)detail->cellCount * sizeof( double );
}

supDetailState supFemDetail_View( const supFemDetail* detail, int32_t vertexCount, const void* block )
{
	union
	{
		const void* read;
		char* write;
	} pointer = { .read = block };
	char* base = pointer.write;
	size_t at = 0, slots = (size_t)( detail->count < SUP_MAX_DETAIL ? detail->count : SUP_MAX_DETAIL );
	size_t vertices = detail->count > 0 ? (size_t)vertexCount : 0, vector = 3 * sizeof( double );
	supDetailState state = { 0 };
	state.header = Take( base, &at, sizeof( supDetailHeader ) );
	state.held = Take( base, &at, detail->count > 0 ? SUP_MAX_HELD * sizeof( int32_t ) : 0 );
	state.slots = Take( base, &at, (size_t)detail->count * sizeof( int32_t ) );
	state.functions = Take( base, &at, slots * sizeof( int32_t ) );
	state.isLeaving = Take( base, &at, slots );
	state.z = Take( base, &at, slots * vector );
	state.w = Take( base, &at, slots * vector );
	state.turns = Take( base, &at, 3 * slots * vector );
	state.strains = Take( base, &at, 3 * (size_t)detail->cellCount * vector );
	state.pushes = Take( base, &at, PushesSize( detail ) );
	state.speeds = Take( base, &at, vertices * vector );
	state.away = Take( base, &at, vertices * vector );
	state.vectors = Take( base, &at, VECTORS * slots * vector );
	state.size = at;
	return state;
}

void supFemDetail_Reset( const supFemDetail* detail, const supDetailState* state )
{
	*state->header = ( supDetailHeader ){ 0 };
	memset( state->slots, 0xff, (size_t)detail->count * sizeof( int32_t ) );
}

void supDetailState_Turn( const supDetailState* state, int32_t slot, const double in[3], double out[3] )
{
	const double* r = state->turns + 9 * (size_t)slot;
	for ( int i = 0; i < 3; ++i )
	{
		out[i] = r[3 * i] * in[0] + r[3 * i + 1] * in[1] + r[3 * i + 2] * in[2];
	}
}

static void MulTransposed( const double r[9], const double in[3], double out[3] )
{
	for ( int i = 0; i < 3; ++i )
	{
		out[i] = r[i] * in[0] + r[3 + i] * in[1] + r[6 + i] * in[2];
	}
}

void supDetailState_TurnBack( const supDetailState* state, int32_t slot, const double in[3], double out[3] )
{
	MulTransposed( state->turns + 9 * (size_t)slot, in, out );
}

// ---------------------------------------------------------------------------------------------------------------------
// Frames and strains

void supFemDetail_FindTurn( const supFemDetail* detail, const supFemFrame* frames, int32_t function, double turn[9] )
{
	supFemFrame mean = { 0 };
	size_t first = SUP_MAX_INFLUENCES * (size_t)function;
	const double* lead = frames[detail->joints[first]].q;
	for ( size_t k = first; k < first + SUP_MAX_INFLUENCES; ++k )
	{
		const double* q = frames[detail->joints[k]].q;
		double dot = q[0] * lead[0] + q[1] * lead[1] + q[2] * lead[2] + q[3] * lead[3];
		double weight = dot < 0.0 ? -(double)detail->weights[k] : (double)detail->weights[k];
		for ( int i = 0; i < 4; ++i )
		{
			mean.q[i] += weight * q[i];
		}
	}
	supFemFrame_TakeTurn( &mean );
	memcpy( turn, mean.r, sizeof( mean.r ) );
}

static void FindTurns( const supFemDetail* detail, const supDetailState* state, const supFemFrame* frames )
{
	for ( int32_t i = 0; i < state->header->activeCount; ++i )
	{
		supFemDetail_FindTurn( detail, frames, state->functions[i], state->turns + 9 * (size_t)i );
	}
}

static void FindStrains( const supFemDetail* detail, const supDetailState* state )
{
	for ( int32_t cell = 0; cell < detail->cellCount; ++cell )
	{
		double* h = state->strains + 9 * (size_t)cell;
		memset( h, 0, 9 * sizeof( double ) );
		for ( int32_t k = 8 * cell; k < 8 * cell + 8 && detail->cellCorners[k] >= 0; ++k )
		{
			const double* u = state->away + 3 * (size_t)detail->cellCorners[k];
			supVec3 g = detail->cellGradients[k];
			for ( int i = 0; i < 3; ++i )
			{
				h[3 * i] += u[i] * (double)g.x;
				h[3 * i + 1] += u[i] * (double)g.y;
				h[3 * i + 2] += u[i] * (double)g.z;
			}
		}
	}
}

void supFemDetail_Look( const supFemDetail* detail, const supDetailState* state, const supFemModel* model,
						const supFemState* body )
{
	for ( int32_t i = 0; i < 3 * model->functionCount; ++i )
	{
		state->away[i] = body->x[i] - body->targets[i];
	}
	FindStrains( detail, state );
}

// 2 sym( R^T H ) a + 2 tr( R^T H ) b
static void MulStress( const double turn[9], const double h[9], const float numbers[SUP_DETAIL_BOND], double scale,
					   double force[3] )
{
	double e[9];
	for ( int i = 0; i < 9; ++i )
	{
		int r = i / 3, c = i % 3;
		e[i] = turn[r] * h[c] + turn[3 + r] * h[3 + c] + turn[6 + r] * h[6 + c];
	}
	double trace = 2.0 * ( e[0] + e[4] + e[8] );
	for ( int i = 0; i < 3; ++i )
	{
		double sum = trace * (double)numbers[3 + i];
		for ( int k = 0; k < 3; ++k )
		{
			sum += ( e[3 * i + k] + e[3 * k + i] ) * (double)numbers[k];
		}
		force[i] -= scale * sum;
	}
}

void supFemDetail_Drive( const supFemDetail* detail, const supDetailState* state, const supFemTuning* tunings,
						 int32_t function, const double turn[9], double force[3] )
{
	force[0] = force[1] = force[2] = 0.0;
	for ( int32_t k = detail->bondStarts[function]; k < detail->bondStarts[function + 1]; ++k )
	{
		MulStress( turn, state->strains + 9 * (size_t)detail->bondCells[k], detail->bonds + SUP_DETAIL_BOND * (size_t)k,
				   tunings[detail->bondRegions[k]].stiffness, force );
	}
	double held[3] = { 0 }, turned[3];
	for ( int32_t k = detail->pairStarts[function]; k < detail->pairStarts[function + 1]; ++k )
	{
		const double* u = state->away + 3 * (size_t)detail->cellCorners[detail->pairCorners[k]];
		double scale = tunings[detail->pairRegions[k]].stiffness * (double)detail->pairs[SUP_DETAIL_PAIR * k + 1];
		for ( int i = 0; i < 3; ++i )
		{
			held[i] += scale * u[i];
		}
	}
	MulTransposed( turn, held, turned );
	for ( int i = 0; i < 3; ++i )
	{
		force[i] -= turned[i];
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Reaction on the vertices

// The stress of z in the cells of a slot, on their corners.
static void PushCorners( const supFemDetail* detail, const supDetailState* state, int32_t slot,
						 const supFemTuning* tunings, const double z[3] )
{
	int32_t function = state->functions[slot];
	const double* turn = state->turns + 9 * (size_t)slot;
	for ( int32_t k = detail->bondStarts[function]; k < detail->bondStarts[function + 1]; ++k )
	{
		const float* n = detail->bonds + SUP_DETAIL_BOND * (size_t)k;
		double scale = tunings[detail->bondRegions[k]].stiffness, stress[9], world[9];
		double dilation = 2.0 * ( z[0] * (double)n[3] + z[1] * (double)n[4] + z[2] * (double)n[5] );
		for ( int i = 0; i < 9; ++i )
		{
			int r = i / 3, c = i % 3;
			stress[i] = scale * ( z[r] * (double)n[c] + z[c] * (double)n[r] + ( r == c ? dilation : 0.0 ) );
		}
		for ( int i = 0; i < 9; ++i )
		{
			int r = i / 3, c = i % 3;
			world[i] = turn[3 * r] * stress[c] + turn[3 * r + 1] * stress[3 + c] + turn[3 * r + 2] * stress[6 + c];
		}
		int32_t first = 8 * detail->bondCells[k];
		for ( int32_t m = first; m < first + 8 && detail->cellCorners[m] >= 0; ++m )
		{
			supVec3 g = detail->cellGradients[m];
			double* to = state->pushes + 3 * (size_t)m;
			for ( int i = 0; i < 3; ++i )
			{
				to[i] -= world[3 * i] * (double)g.x + world[3 * i + 1] * (double)g.y + world[3 * i + 2] * (double)g.z;
			}
		}
	}
}

// -K_vf R z + M_vf R a of a slot.
static void PushVertices( const supFemDetail* detail, const supDetailState* state, int32_t slot,
						  const supFemTuning* tunings, const double z[3], const double a[3] )
{
	int32_t function = state->functions[slot];
	double away[3], speeding[3];
	PushCorners( detail, state, slot, tunings, z );
	supDetailState_Turn( state, slot, z, away );
	supDetailState_Turn( state, slot, a, speeding );
	for ( int32_t k = detail->pairStarts[function]; k < detail->pairStarts[function + 1]; ++k )
	{
		const float* pair = detail->pairs + SUP_DETAIL_PAIR * (size_t)k;
		double hold = tunings[detail->pairRegions[k]].stiffness * (double)pair[1];
		double* to = state->pushes + 3 * (size_t)detail->pairCorners[k];
		for ( int i = 0; i < 3; ++i )
		{
			to[i] += (double)pair[0] * speeding[i] - hold * away[i];
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Conjugate gradients

typedef struct System
{
	const supFemDetail* detail;
	const supDetailState* state;
	const supFemStep* step;
	double *b, *r, *p, *q, *x;
	double* inverses; // of the diagonal blocks, nine
} System;

static System MakeSystem( const supFemDetail* detail, const supDetailState* state, const supFemStep* step )
{
	size_t n = 3 * (size_t)( detail->count < SUP_MAX_DETAIL ? detail->count : SUP_MAX_DETAIL );
	double* v = state->vectors;
	return ( System ){ detail, state, step, v, v + n, v + 2 * n, v + 3 * n, v + 4 * n, v + 5 * n };
}

// M + h D + h^2 K of one entry.
static double MassScale( const supFemStep* step, int32_t region )
{
	return 1.0 + step->dt * ( step->tunings[region].damping + step->air );
}

static void Multiply( const System* s, const double* in, double* out )
{
	const supFemDetail* detail = s->detail;
	double square = s->step->dt * s->step->dt;
	for ( int32_t slot = 0; slot < s->state->header->activeCount; ++slot )
	{
		int32_t function = s->state->functions[slot];
		double sum[3] = { 0 };
		for ( int32_t k = detail->rowStarts[function]; k < detail->rowStarts[function + 1]; ++k )
		{
			int32_t other = s->state->slots[detail->rowColumns[k]], region = detail->rowRegions[k];
			if ( other < 0 )
			{
				continue;
			}
			const float* row = detail->rows + SUP_DETAIL_ROW * (size_t)k;
			const double* v = in + 3 * (size_t)other;
			double mass = MassScale( s->step, region ) * (double)row[9];
			double scale = square * s->step->tunings[region].stiffness;
			for ( int i = 0; i < 3; ++i )
			{
				sum[i] += mass * v[i] +
						  scale * ( (double)row[i] * v[0] + (double)row[3 + i] * v[1] + (double)row[6 + i] * v[2] );
			}
		}
		memcpy( out + 3 * (size_t)slot, sum, sizeof( sum ) );
	}
}

static void InvertBlock( const double a[9], double out[9] )
{
	double c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8], c2 = a[3] * a[7] - a[4] * a[6];
	double det = a[0] * c0 + a[1] * c1 + a[2] * c2;
	double scale = det > 0.0 ? 1.0 / det : 0.0;
	out[0] = scale * c0;
	out[3] = scale * c1;
	out[6] = scale * c2;
	out[1] = scale * ( a[2] * a[7] - a[1] * a[8] );
	out[4] = scale * ( a[0] * a[8] - a[2] * a[6] );
	out[7] = scale * ( a[1] * a[6] - a[0] * a[7] );
	out[2] = scale * ( a[1] * a[5] - a[2] * a[4] );
	out[5] = scale * ( a[2] * a[3] - a[0] * a[5] );
	out[8] = scale * ( a[0] * a[4] - a[1] * a[3] );
}

static void InvertDiagonal( const System* s )
{
	const supFemDetail* detail = s->detail;
	double square = s->step->dt * s->step->dt;
	for ( int32_t slot = 0; slot < s->state->header->activeCount; ++slot )
	{
		int32_t function = s->state->functions[slot];
		double block[9] = { 0 };
		for ( int32_t k = detail->rowStarts[function]; k < detail->rowStarts[function + 1]; ++k )
		{
			int32_t region = detail->rowRegions[k];
			const float* row = detail->rows + SUP_DETAIL_ROW * (size_t)k;
			for ( int i = 0; detail->rowColumns[k] == function && i < 9; ++i )
			{
				block[i] += square * s->step->tunings[region].stiffness * (double)row[i] +
							( i % 4 == 0 ? MassScale( s->step, region ) * (double)row[9] : 0.0 );
			}
		}
		InvertBlock( block, s->inverses + 9 * (size_t)slot );
	}
}

// out := D^-1 in, and their product
static double Precondition( const System* s, const double* in, double* out )
{
	double sum = 0.0;
	for ( int32_t slot = 0; slot < s->state->header->activeCount; ++slot )
	{
		const double *m = s->inverses + 9 * (size_t)slot, *v = in + 3 * (size_t)slot;
		for ( int i = 0; i < 3; ++i )
		{
			double value = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
			out[3 * (size_t)slot + (size_t)i] = value;
			sum += value * v[i];
		}
	}
	return sum;
}

static double Dot( const double* a, const double* b, size_t n )
{
	double sum = 0.0;
	for ( size_t i = 0; i < n; ++i )
	{
		sum += a[i] * b[i];
	}
	return sum;
}

// x from where it is, for the right-hand side b; q, p and r are scratch.
static void Solve( const System* s )
{
	size_t n = 3 * (size_t)s->state->header->activeCount;
	double goal = TOLERANCE * TOLERANCE * Precondition( s, s->b, s->p );
	Multiply( s, s->x, s->q );
	for ( size_t i = 0; i < n; ++i )
	{
		s->r[i] = s->b[i] - s->q[i];
	}
	double left = Precondition( s, s->r, s->p );
	for ( int32_t round = 0; round < MOST_ITERATIONS && left > goal; ++round )
	{
		Multiply( s, s->p, s->q );
		double curvature = Dot( s->p, s->q, n );
		if ( !( curvature > 0.0 ) )
		{
			break;
		}
		double step = left / curvature;
		for ( size_t i = 0; i < n; ++i )
		{
			s->x[i] += step * s->p[i];
			s->r[i] -= step * s->q[i];
		}
		double now = Precondition( s, s->r, s->q ), ratio = now / left;
		for ( size_t i = 0; i < n; ++i )
		{
			s->p[i] = s->q[i] + ratio * s->p[i];
		}
		left = now;
		s->state->header->iterations += 1;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// A step

// What is more folds the skin.
static void Limit( const supFemDetail* detail, const supDetailState* state, int32_t slot, double x[3] )
{
	double most = MOST_WIDTH * (double)detail->widths[state->functions[slot]];
	double size = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
	double scale = size - size != 0.0 ? 0.0 : ( size > most * most ? most / sqrt( size ) : 1.0 );
	for ( int i = 0; i < 3; ++i )
	{
		x[i] = scale > 0.0 ? scale * x[i] : 0.0;
	}
}

// M ( z + h w ) + h D z
static void AddInertia( const System* s, int32_t slot, double b[3] )
{
	const supFemDetail* detail = s->detail;
	int32_t function = s->state->functions[slot];
	double h = s->step->dt;
	for ( int32_t k = detail->rowStarts[function]; k < detail->rowStarts[function + 1]; ++k )
	{
		int32_t other = s->state->slots[detail->rowColumns[k]];
		double mass = (double)detail->rows[SUP_DETAIL_ROW * (size_t)k + 9];
		double scale = MassScale( s->step, detail->rowRegions[k] );
		for ( size_t i = 0; other >= 0 && i < 3; ++i )
		{
			size_t at = 3 * (size_t)other + i;
			b[i] += mass * ( scale * s->state->z[at] + h * s->state->w[at] );
		}
	}
}

// h^2 times what vertices and weight do.
static void AddForces( const System* s, int32_t slot, double b[3] )
{
	const supFemDetail* detail = s->detail;
	const supFemStep* step = s->step;
	int32_t function = s->state->functions[slot];
	double square = step->dt * step->dt, force[3], weight[3];
	const double* turn = s->state->turns + 9 * (size_t)slot;
	const double g[3] = { (double)step->gravity.x, (double)step->gravity.y, (double)step->gravity.z };
	supFemDetail_Drive( detail, s->state, step->tunings, function, turn, force );
	MulTransposed( turn, g, weight );
	for ( int i = 0; i < 3; ++i )
	{
		double load = (double)detail->loads[function] * ( weight[i] - ( 1.0 - step->sag ) * g[i] );
		b[i] += square * ( force[i] + load );
	}
}

// Less M_fv times how far vertices went: three doubles each.
static void AddWays( const System* s, const double* ways, int32_t slot, double b[3] )
{
	const supFemDetail* detail = s->detail;
	int32_t function = s->state->functions[slot];
	double sum[3] = { 0 }, turned[3];
	for ( int32_t k = detail->pairStarts[function]; k < detail->pairStarts[function + 1]; ++k )
	{
		const double* way = ways + 3 * (size_t)detail->cellCorners[detail->pairCorners[k]];
		for ( int i = 0; i < 3; ++i )
		{
			sum[i] += (double)detail->pairs[SUP_DETAIL_PAIR * (size_t)k] * way[i];
		}
	}
	supDetailState_TurnBack( s->state, slot, sum, turned );
	for ( int i = 0; i < 3; ++i )
	{
		b[i] -= turned[i];
	}
}

// x of the system: where the step leads with the vertices as they are looked at.
// - ways: how far they went beyond where they coasted to; NULL: not at all
static void SolveStep( const System* s, const double* ways )
{
	const supDetailState* state = s->state;
	size_t n = 3 * (size_t)state->header->activeCount;
	memset( s->b, 0, n * sizeof( double ) );
	for ( int32_t slot = 0; slot < state->header->activeCount; ++slot )
	{
		double* b = s->b + 3 * (size_t)slot;
		AddInertia( s, slot, b );
		AddForces( s, slot, b );
		if ( ways != NULL )
		{
			AddWays( s, ways, slot, b );
		}
	}
	Solve( s );
}

// Without linearising, vertices give way under compression more than detail knows: together they would swing up.
static bool CanPush( const supFemModel* model )
{
	return model->isNonlinear == false;
}

const double* supFemDetail_Push( const supFemDetail* detail, const supDetailState* state, const supFemModel* model,
								 const supFemState* body, const supFemStep* step )
{
	if ( state->header->activeCount == 0 )
	{
		return NULL;
	}
	System s = MakeSystem( detail, state, step );
	size_t bytes = 3 * (size_t)model->functionCount * sizeof( double );
	double square = step->dt * step->dt;
	memcpy( state->speeds, body->v, bytes );
	memset( state->pushes, 0, PushesSize( detail ) );
	memcpy( s.x, state->z, 3 * (size_t)state->header->activeCount * sizeof( double ) );
	InvertDiagonal( &s );
	// seen from the frames and strains of the last step
	SolveStep( &s, NULL );
	FindTurns( detail, state, step->frames );
	for ( int32_t slot = 0; slot < state->header->activeCount; ++slot )
	{
		double* x = s.x + 3 * (size_t)slot;
		const double *z = state->z + 3 * (size_t)slot, *w = state->w + 3 * (size_t)slot;
		double a[3];
		Limit( detail, state, slot, x );
		for ( int i = 0; i < 3; ++i )
		{
			a[i] = ( z[i] + step->dt * w[i] - x[i] ) / square;
		}
		PushVertices( detail, state, slot, step->tunings, x, a );
	}
	return CanPush( model ) ? state->pushes : NULL;
}

void supFemDetail_Advance( const supFemDetail* detail, const supDetailState* state, const supFemModel* model,
						   const supFemState* body, const supFemStep* step )
{
	supDetailHeader* header = state->header;
	if ( header->activeCount == 0 )
	{
		return;
	}
	System s = MakeSystem( detail, state, step );
	supFemDetail_Look( detail, state, model, body );
	for ( int32_t i = 0; i < 3 * model->functionCount; ++i )
	{
		state->speeds[i] = body->x[i] - body->before[i] - step->dt * state->speeds[i];
	}
	// from where Push left it
	SolveStep( &s, state->speeds );
	for ( int32_t slot = 0; slot < header->activeCount; ++slot )
	{
		double* x = s.x + 3 * (size_t)slot;
		Limit( detail, state, slot, x );
		for ( size_t i = 0; i < 3; ++i )
		{
			size_t at = 3 * (size_t)slot + i;
			state->w[at] = ( x[i] - state->z[at] ) / step->dt;
			state->z[at] = x[i];
		}
	}
}

void supDetailState_Measure( const supDetailState* state, double dt )
{
	double most = 0.0;
	for ( int32_t slot = 0; slot < state->header->activeCount; ++slot )
	{
		const double* w = state->w + 3 * (size_t)slot;
		most = fmax( most, w[0] * w[0] + w[1] * w[1] + w[2] * w[2] );
	}
	state->header->moved = (float)( dt * sqrt( most ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Response

// Column c of the force on slots into b.
static void LoadSlots( const System* s, int c, int32_t count, const int32_t* slots, const float* weights )
{
	double square = s->step->dt * s->step->dt;
	memset( s->b, 0, 3 * (size_t)s->state->header->activeCount * sizeof( double ) );
	for ( int32_t k = 0; k < count; ++k )
	{
		double force[3] = { 0 }, turned[3];
		force[c] = square * (double)weights[k];
		supDetailState_TurnBack( s->state, slots[k], force, turned );
		for ( size_t i = 0; i < 3; ++i )
		{
			s->b[3 * (size_t)slots[k] + i] += turned[i];
		}
	}
}

void supFemDetail_BeginResponse( const supFemDetail* detail, const supDetailState* state, const supFemModel* model,
								 const supFemStep* step, int32_t count, const int32_t* slots, const float* weights,
								 double* loads )
{
	System s = MakeSystem( detail, state, step );
	size_t n = 3 * (size_t)state->header->activeCount;
	double square = step->dt * step->dt;
	InvertDiagonal( &s );
	for ( int c = 0; c < 3 && count > 0 && CanPush( model ); ++c )
	{
		LoadSlots( &s, c, count, slots, weights );
		memset( s.x, 0, n * sizeof( double ) );
		memset( state->pushes, 0, PushesSize( detail ) );
		Solve( &s );
		for ( int32_t slot = 0; slot < state->header->activeCount; ++slot )
		{
			const double* x = s.x + 3 * (size_t)slot;
			const double a[3] = { -x[0] / square, -x[1] / square, -x[2] / square };
			PushVertices( detail, state, slot, step->tunings, x, a );
		}
		for ( int32_t k = 0; k < 8 * detail->cellCount; ++k )
		{
			int32_t vertex = detail->cellCorners[k];
			for ( size_t i = 0; vertex >= 0 && i < 3; ++i )
			{
				loads[9 * (size_t)vertex + 3 * (size_t)c + i] += state->pushes[3 * (size_t)k + i];
			}
		}
	}
}

void supFemDetail_EndResponse( const supFemDetail* detail, const supDetailState* state, const supFemModel* model,
							   const supFemStep* step, int32_t count, const int32_t* slots, const float* weights,
							   double* columns )
{
	System s = MakeSystem( detail, state, step );
	double *own = columns + 9 * (size_t)model->functionCount, square = step->dt * step->dt;
	for ( int c = 0; c < 3 && state->header->activeCount > 0; ++c )
	{
		for ( int32_t i = 0; i < 3 * model->functionCount; ++i )
		{
			state->away[i] = columns[9 * ( i / 3 ) + 3 * c + i % 3];
		}
		FindStrains( detail, state );
		LoadSlots( &s, c, count, slots, weights );
		for ( int32_t slot = 0; slot < state->header->activeCount; ++slot )
		{
			double force[3], *b = s.b + 3 * (size_t)slot;
			supFemDetail_Drive( detail, state, step->tunings, state->functions[slot], state->turns + 9 * (size_t)slot,
								force );
			for ( int i = 0; i < 3; ++i )
			{
				b[i] += square * force[i];
			}
			AddWays( &s, state->away, slot, b );
		}
		memset( s.x, 0, 3 * (size_t)state->header->activeCount * sizeof( double ) );
		Solve( &s );
		for ( int32_t slot = 0; slot < state->header->activeCount; ++slot )
		{
			supDetailState_Turn( state, slot, s.x + 3 * (size_t)slot, own + 9 * (size_t)slot + 3 * c );
		}
	}
}
