// SPDX-License-Identifier: MIT
// Bones that their flesh moves.
//
// The functions on the bones of tails, ears and wings are unknown, and springs pull them to where the clip has them. In
// the frame of the clip such a limb turns as a whole, and linear elasticity takes a turn for strain: it stretched a
// wing that lags behind its bones by half its length. So the frame of a loose bone is carried along by its flesh: in
// each step it is turned and moved as its flesh has been, by the best fit, against the frame of the clip. Elasticity is
// relative to the carried frame, springs and damping to that of the clip.
#include "core/array.h"
#include "math/matrix.h"
#include "method/fem/solver.h"

#include <math.h>

// A bone whose flesh is looser than this is carried.
#define MIN_LOOSENESS 0.5

// The least weight of a bone in a function that counts for its fit.
#define MIN_WEIGHT 0.05f

// Flesh that is flatter than this, in parts of its length, does not tell how it is turned.
#define MIN_FLATNESS 1e-3

// The tangent of half of what a bone may at most turn against the one above it by its swing: 40 degrees.
#define MAX_TANGENT 0.364

// ---------------------------------------------------------------------------------------------------------------------
// Which bones

// How loose each function is: the mean over its volume.
static bool FindLooseness( const supFemModel* model, double* loosenesses, double* volumes )
{
	const supFemRule* rule = &model->rule;
	for ( int32_t i = 0; i < rule->count; ++i )
	{
		for ( int32_t k = rule->starts[i]; k < rule->starts[i + 1]; ++k )
		{
			double share = (double)rule->volumes[i] * (double)rule->values[k];
			volumes[rule->functions[k]] += share;
			loosenesses[rule->functions[k]] += share * (double)rule->loosenesses[i];
		}
	}
	return true;
}

static float WeightOf( const supFemModel* model, int32_t function, int32_t bone )
{
	float sum = 0.0f;
	for ( size_t k = SUP_MAX_INFLUENCES * (size_t)function, end = k + SUP_MAX_INFLUENCES; k < end; ++k )
	{
		sum += model->joints[k] == bone ? model->weights[k] : 0.0f;
	}
	return sum;
}

// The inverse of the second moments of the rest pose about the joint. False where the flesh is flat.
static bool SumRest( const supFemModel* model, const supFemLoad* loads, int32_t count, supFemLooseBone* bone )
{
	double m[3][3] = { 0 };
	for ( int32_t k = 0; k < count; ++k )
	{
		supVec3 p = model->rests[loads[k].function];
		double arm[3] = { (double)p.x - bone->origin[0], (double)p.y - bone->origin[1], (double)p.z - bone->origin[2] };
		for ( int i = 0; i < 9; ++i )
		{
			m[i / 3][i % 3] += loads[k].mass * arm[i / 3] * arm[i % 3];
		}
	}
	double trace = m[0][0] + m[1][1] + m[2][2], cofactors[3][3];
	for ( int i = 0; i < 9; ++i )
	{
		int r = i / 3, c = i % 3, r1 = ( r + 1 ) % 3, r2 = ( r + 2 ) % 3, c1 = ( c + 1 ) % 3, c2 = ( c + 2 ) % 3;
		cofactors[r][c] = m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1];
	}
	double determinant = m[0][0] * cofactors[0][0] + m[0][1] * cofactors[0][1] + m[0][2] * cofactors[0][2];
	for ( int i = 0; i < 9 && determinant > 0.0; ++i )
	{
		bone->inverse[i / 3][i % 3] = cofactors[i / 3][i % 3] / determinant;
	}
	return determinant > MIN_FLATNESS * MIN_FLATNESS * trace * trace * trace;
}

// The loose bone above a bone, among those found so far: -1 for none.
static int32_t FindAbove( const supFemModelDef* def, const supFemLooseBone* bones, int32_t count, int32_t bone )
{
	// at most so many above: a file may have them in a circle
	for ( int32_t k = 0, above = def->parents[bone]; above >= 0 && k < def->boneCount;
		  ++k, above = def->parents[above] )
	{
		for ( int32_t i = 0; i < count; ++i )
		{
			if ( bones[i].bone == above )
			{
				return i;
			}
		}
	}
	return -1;
}

bool supFemModel_MakeLooseBones( supFemModel* model, const supFemModelDef* def )
{
	SUP_ARRAY( supFemLooseBone ) bones = { 0 };
	SUP_ARRAY( supFemLoad ) loads = { 0 };
	supArena scratch = { 0 };
	size_t count = (size_t)model->functionCount;
	double* loosenesses = supArena_AllocZeroed( &scratch, count * sizeof( double ) );
	double* volumes = supArena_AllocZeroed( &scratch, count * sizeof( double ) );
	bool ok = scratch.failed == false;
	bool any =
		ok && model->rule.loosenesses != NULL && def->parents != NULL && FindLooseness( model, loosenesses, volumes );
	for ( int32_t i = 0; any && ok && i < model->boneCount; ++i )
	{
		supFemLooseBone bone = { .bone = i, .start = loads.count };
		bone.origin[0] = (double)def->origins[i].x;
		bone.origin[1] = (double)def->origins[i].y;
		bone.origin[2] = (double)def->origins[i].z;
		double loose = 0.0, whole = 0.0;
		for ( int32_t k = 0; ok && k < model->functionCount; ++k )
		{
			float weight = WeightOf( model, k, i );
			if ( weight > MIN_WEIGHT && volumes[k] > 0.0 )
			{
				whole += (double)weight * volumes[k];
				loose += (double)weight * loosenesses[k];
				double hold = (double)weight * loosenesses[k] / volumes[k];
				ok = SUP_PUSH( &loads, ( supFemLoad ){ k, (double)weight * model->loads[k], hold } );
			}
		}
		bone.end = loads.count;
		if ( ok && loose > MIN_LOOSENESS * whole &&
			 SumRest( model, loads.data + bone.start, bone.end - bone.start, &bone ) )
		{
			bone.above = FindAbove( def, bones.data, bones.count, i );
			ok = SUP_PUSH( &bones, bone );
		}
		else
		{
			loads.count = bone.start;
		}
	}
	if ( ok )
	{
		model->looseBoneCount = bones.count;
		model->hasCarried = bones.count > 0 && model->isWhole == false;
		model->looseBones =
			supArena_CopyArray( &model->arena, bones.data, (size_t)bones.count, sizeof( supFemLooseBone ) );
		model->looseLoads = supArena_CopyArray( &model->arena, loads.data, (size_t)loads.count, sizeof( supFemLoad ) );
	}
	SUP_FREE_ARRAY( &bones );
	SUP_FREE_ARRAY( &loads );
	supArena_Destroy( &scratch );
	return ok && model->arena.failed == false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Where they are

static void MulQuats( const double a[4], const double b[4], double out[4] )
{
	const double product[4] = { a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
								a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
								a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
								a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2] };
	memcpy( out, product, sizeof( product ) );
}

static void Conjugate( const double q[4], double out[4] )
{
	const double back[4] = { -q[0], -q[1], -q[2], q[3] };
	memcpy( out, back, sizeof( back ) );
}

static void MapPoint( const supFemFrame* frame, const double in[3], double out[3] )
{
	const double p[3] = { in[0], in[1], in[2] };
	for ( int i = 0; i < 3; ++i )
	{
		out[i] = frame->a[i][0] * p[0] + frame->a[i][1] * p[1] + frame->a[i][2] * p[2] + frame->t[i];
	}
}

// From where the clip has a bone to where flesh has carried it: a turn about its joint.
// - joint: where the clip has it
static supFemSwing MakeSwing( const double turn[4], const double joint[3], const double carried[3] )
{
	supFemFrame frame;
	supFemSwing swing;
	memcpy( frame.q, turn, sizeof( frame.q ) );
	supFemFrame_TakeTurn( &frame );
	memcpy( swing.q, frame.q, sizeof( swing.q ) );
	memcpy( swing.r, frame.r, sizeof( swing.r ) );
	for ( int i = 0; i < 3; ++i )
	{
		swing.t[i] = carried[i] - ( swing.r[i][0] * joint[0] + swing.r[i][1] * joint[1] + swing.r[i][2] * joint[2] );
	}
	return swing;
}

static void SwingPoint( const supFemSwing* swing, const double in[3], double out[3] )
{
	const double p[3] = { in[0], in[1], in[2] };
	for ( int i = 0; i < 3; ++i )
	{
		out[i] = swing->r[i][0] * p[0] + swing->r[i][1] * p[1] + swing->r[i][2] * p[2] + swing->t[i];
	}
}

// Where the joint of a loose bone is: as the clip has it, and as the bone above has carried it.
static void PlaceJoint( const supFemLooseBone* bone, const supFemFrame* clip, const supFemSwing* swings,
						double joint[3], double carried[3] )
{
	MapPoint( clip + bone->bone, bone->origin, joint );
	memcpy( carried, joint, 3 * sizeof( double ) );
	if ( bone->above >= 0 )
	{
		SwingPoint( swings + bone->above, joint, carried );
	}
}

void supFemModel_CarryBones( const supFemModel* model, const supFemFrame* clip, const double* turns,
							 supFemSwing* swings, supFemFrame* carried )
{
	memcpy( carried, clip, (size_t)model->boneCount * sizeof( supFemFrame ) );
	for ( int32_t i = 0; i < model->looseBoneCount; ++i )
	{
		const supFemLooseBone* bone = model->looseBones + i;
		const supFemFrame* from = clip + bone->bone;
		supFemFrame* to = carried + bone->bone;
		double joint[3], moved[3], back[4], turn[4];
		PlaceJoint( bone, clip, swings, joint, moved );
		// the turn in the frame of the bone, in the world
		Conjugate( from->q, back );
		MulQuats( from->q, turns + 4 * (size_t)i, turn );
		MulQuats( turn, back, turn );
		swings[i] = MakeSwing( turn, joint, moved );
		MulQuats( turn, from->q, to->q );
		for ( int c = 0; c < 9; ++c )
		{
			const double* r = swings[i].r[c / 3];
			to->r[c / 3][c % 3] = r[0] * from->r[0][c % 3] + r[1] * from->r[1][c % 3] + r[2] * from->r[2][c % 3];
			to->a[c / 3][c % 3] = r[0] * from->a[0][c % 3] + r[1] * from->a[1][c % 3] + r[2] * from->a[2][c % 3];
		}
		SwingPoint( swings + i, from->t, to->t );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Where flesh takes them

// How flesh is turned about the joint against where the clip has it. False where that is not a number.
static bool FitTurn( const supFemModel* model, const supFemLooseBone* bone, const supFemFrame* clip, const double* x,
					 const double joint[3], double turn[4] )
{
	double m[3][3] = { 0 }, f[3][3];
	for ( int32_t k = bone->start; k < bone->end; ++k )
	{
		const supFemLoad* load = model->looseLoads + k;
		const double* at = x + 3 * (size_t)load->function;
		supVec3 p = model->rests[load->function];
		const double arm[3] = { (double)p.x - bone->origin[0], (double)p.y - bone->origin[1],
								(double)p.z - bone->origin[2] };
		for ( int i = 0; i < 9; ++i )
		{
			m[i / 3][i % 3] += load->mass * ( at[i / 3] - joint[i / 3] ) * arm[i % 3];
		}
	}
	for ( int i = 0; i < 9; ++i )
	{
		int r = i / 3, c = i % 3;
		f[r][c] = m[r][0] * bone->inverse[0][c] + m[r][1] * bone->inverse[1][c] + m[r][2] * bone->inverse[2][c];
	}
	supQuat fit = supPolarRotation( ( supMat3 ){ { (float)f[0][0], (float)f[1][0], (float)f[2][0] },
												 { (float)f[0][1], (float)f[1][1], (float)f[2][1] },
												 { (float)f[0][2], (float)f[1][2], (float)f[2][2] } } );
	double q[4] = { (double)fit.x, (double)fit.y, (double)fit.z, (double)fit.w }, back[4];
	double size = sqrt( q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] );
	for ( int i = 0; i < 4; ++i )
	{
		q[i] /= size;
	}
	Conjugate( clip->q, back );
	MulQuats( q, back, turn );
	return size > 0.5 && size < 2.0;
}

// A part of a turn, and the less of it the larger it is: the tangent of its half never reaches MAX_TANGENT.
static void Saturate( double q[4], double part )
{
	double sign = q[3] < 0.0 ? -1.0 : 1.0, sine = sqrt( q[0] * q[0] + q[1] * q[1] + q[2] * q[2] );
	double tangent = sine / fmax( fabs( q[3] ), 1e-9 ), ratio = tangent / MAX_TANGENT;
	double scale = part / sqrt( 1.0 + ratio * ratio );
	double size = sqrt( 1.0 + scale * scale * tangent * tangent ), w = fmax( fabs( q[3] ), 1e-9 );
	for ( int i = 0; i < 3; ++i )
	{
		q[i] = sign * q[i] / w * scale / size;
	}
	q[3] = 1.0 / size;
}

// What a spring of a frequency takes back of a displacement in a step.
static double SpringShare( double frequency, double dt )
{
	double pulse = 2.0 * (double)SUP_PI * frequency * dt;
	return pulse * pulse / ( 1.0 + pulse * pulse );
}

static void FitSwings( const supFemModel* model, const supFemState* state, const supFemStep* step )
{
	const supFemFrame* clip = step->frames;
	supFemSwing* swings = state->swings;
	double kept = 1.0 - SpringShare( step->bones, step->dt );
	for ( int32_t i = 0; i < model->looseBoneCount; ++i )
	{
		const supFemLooseBone* bone = model->looseBones + i;
		const supFemFrame* frame = clip + bone->bone;
		double joint[3], moved[3], turn[4], back[4];
		double above[4] = { 0.0, 0.0, 0.0, 1.0 };
		PlaceJoint( bone, clip, swings, joint, moved );
		if ( bone->above >= 0 )
		{
			memcpy( above, swings[bone->above].q, sizeof( above ) );
		}
		if ( FitTurn( model, bone, frame, state->x, moved, turn ) )
		{
			Conjugate( above, back );
			MulQuats( back, turn, turn );
			Saturate( turn, kept );
			MulQuats( above, turn, turn );
		}
		else
		{
			memcpy( turn, above, sizeof( turn ) );
		}
		swings[i] = MakeSwing( turn, joint, moved );
		Conjugate( frame->q, back );
		MulQuats( back, turn, turn );
		MulQuats( turn, frame->q, state->turns + 4 * (size_t)i );
	}
}

void supFemSolver_HoldLooseBones( const supFemModel* model, const supFemState* state, const supFemStep* step )
{
	double share = SpringShare( step->hold, step->dt );
	FitSwings( model, state, step );
	// all pull from where flesh is now
	memcpy( state->starts, state->x, 3 * (size_t)model->functionCount * sizeof( double ) );
	for ( int32_t i = 0; i < model->looseBoneCount; ++i )
	{
		const supFemLooseBone* bone = model->looseBones + i;
		for ( int32_t k = bone->start; k < bone->end; ++k )
		{
			const supFemLoad* load = model->looseLoads + k;
			size_t at = 3 * (size_t)load->function;
			double place[3];
			SwingPoint( state->swings + i, state->targets + at, place );
			for ( size_t c = 0; model->isKnown[load->function] == 0 && c < 3; ++c )
			{
				double move = share * load->hold * ( place[c] - state->starts[at + c] );
				state->x[at + c] += move;
				state->v[at + c] += move / step->dt;
			}
		}
	}
}
