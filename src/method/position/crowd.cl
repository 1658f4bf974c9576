// A crowd of `position` on a device: one work-group an actor, all work-items of it on the same phase. Every number is
// computed in the order of step.c, solve.c and volume.c, so that the bits are the same.
#include "device/prelude.cl"
#include "supple/math.h"
#include "math/matrix.h"
#include "math/rotation.c"
#include "math/svd.c"

typedef struct supDualJoint
{
	supDualQuat motion;
	float stretch[8];
} supDualJoint;

#include "character/dual_joint.c"
#include "core/lanes_math.h"
#include "character/skinning_math.h"
#include "volume/binding/binding_math.h"
#include "volume/binding/bind_turn.h"
#include "method/position/short_float.h"
#include "method/position/slack.h"
#include "method/position/constraint_math.h"
#include "method/position/step_math.h"
#include "method/position/volume_math.h"
#include "method/position/crowd_layout.h"

// Arrays of flesh, and of an actor's slot.
#define FLESH( type, field ) ( (global const type*)( flesh + layout->field ) )
#define STATE( type, field ) ( (global type*)( state + layout->field ) )

#define FOR_ALL( i, count ) for ( int i = get_local_id( 0 ); i < ( count ); i += get_local_size( 0 ) )

static inline supFloat4 Load3( supVec3 v )
{
	return (float4)( v.x, v.y, v.z, 0.0f );
}

static inline supVec3 Xyz( float4 v )
{
	return supMakeVec3( v.x, v.y, v.z );
}

static inline Vec3W AddScaled( Vec3W p, Vec3W d, float scale )
{
	return ( Vec3W ){ p.x + d.x * scale, p.y + d.y * scale, p.z + d.z * scale };
}

static inline Vec3W ToLanes( supVec3 v )
{
	return ( Vec3W ){ v.x, v.y, v.z };
}

static inline supVec3 FromLanes( Vec3W v )
{
	return supMakeVec3( v.x, v.y, v.z );
}

// Slots lie in up to SUP_CROWD_PAGES buffers, and one launch serves them all.
#define PAGES                                                                                                          \
	global uchar *p0, global uchar *p1, global uchar *p2, global uchar *p3, global uchar *p4, global uchar *p5,        \
		global uchar *p6, global uchar *p7, global uchar *p8, global uchar *p9, global uchar *p10, global uchar *p11,  \
		global uchar *p12, global uchar *p13, global uchar *p14, global uchar *p15
#define PAGE_LIST p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15

static global uchar* FindSlot( constant supCrowdLayout* layout, const supCrowdJob* job, PAGES )
{
	global uchar* pages[SUP_CROWD_PAGES] = { PAGE_LIST };
	return pages[job->page] + (ulong)job->slot * layout->slotSize;
}

// ---------------------------------------------------------------------------------------------------------------------
// Skinning

// Four floats, 16-byte aligned: one load.
static inline QuatW QuatAt( global const float* p )
{
	float4 q = *(global const float4*)p;
	return ( QuatW ){ q.x, q.y, q.z, q.w };
}

// Joints and weights of a point are `stride` apart, so that neighbouring work-items read neighbouring ones.
static inline Motion BlendJoints( global const supDualJoint* duals, global const ushort* joints,
								  global const float* weights, int stride, int influences, bool stretched )
{
	global const float* joint = (global const float*)( duals + joints[0] );
	float w = influences == 1 ? 1.0f : weights[0];
	QuatW first = QuatAt( joint );
	BlendW sum = StartBlend( w, first, QuatAt( joint + 4 ) );
	if ( stretched )
	{
		sum.s = ScaleQuat( w, QuatAt( joint + 8 ) );
		sum.t = ScaleQuat( w, QuatAt( joint + 12 ) );
	}
	for ( int k = 1; k < influences; ++k )
	{
		joint = (global const float*)( duals + joints[k * stride] );
		w = weights[k * stride];
		AddToBlend( &sum, w, first, QuatAt( joint ), QuatAt( joint + 4 ) );
		if ( stretched )
		{
			sum.s = AddScaledQuat( sum.s, w, QuatAt( joint + 8 ) );
			sum.t = AddScaledQuat( sum.t, w, QuatAt( joint + 12 ) );
		}
	}
	return FinishBlend( &sum );
}

static inline Mat34W WidenMat34( supMat34 m )
{
	return ( Mat34W ){ { m.cx.x, m.cx.y, m.cx.z },
					   { m.cy.x, m.cy.y, m.cy.z },
					   { m.cz.x, m.cz.y, m.cz.z },
					   { m.t.x, m.t.y, m.t.z } };
}

static inline Mat34W BlendMatrices( global const float* palette, int paletteStride, global const ushort* joints,
									global const float* weights, int stride, int influences )
{
	float m[12];
	for ( int i = 0; i < 12; ++i )
	{
		// the zero that a sum does not see
		m[i] = -0.0f;
	}
	for ( int k = 0; k < influences; ++k )
	{
		float w = influences == 1 ? 1.0f : weights[k * stride];
		global const float* joint = palette + paletteStride * joints[k * stride];
		for ( int i = 0; i < 12; ++i )
		{
			m[i] += joint[i] * w;
		}
	}
	return ( Mat34W ){ { m[0], m[1], m[2] }, { m[3], m[4], m[5] }, { m[6], m[7], m[8] }, { m[9], m[10], m[11] } };
}

// ---------------------------------------------------------------------------------------------------------------------
// Before the iterations

static void FillPalettes( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state,
						  global const supMat34* worlds )
{
	global int* flags = STATE( int, skinFlags );
	FOR_ALL( i, layout->skinCount + 1 )
	{
		flags[i] = 0;
	}
	MEET();
	FOR_ALL( i, layout->boneCount )
	{
		supMat34 before = STATE( supMat34, bones )[i];
		STATE( supMat34, bonesBefore )[i] = before;
		STATE( supMat34, savedBones )[i] = before;
		supMat34 m = supMulMat34( worlds[FLESH( int, boneNodes )[i]], FLESH( supMat34, boneInverses )[i] );
		STATE( supMat34, bones )[i] = m;
		if ( layout->isDual )
		{
			supDualJoint joint;
			if ( supMakeDualJoint( m, &joint ) )
			{
				flags[0] = 1;
			}
			STATE( supDualJoint, palette )[i] = joint;
		}
		else
		{
			// one a cache line, as the state has them
			*(global supMat34*)( state + layout->palette + 64 * i ) = m;
		}
	}
	FOR_ALL( i, layout->jointCount )
	{
		supMat34 m = supMulMat34( worlds[FLESH( int, skinJointNodes )[i]], FLESH( supMat34, skinInverseBinds )[i] );
		STATE( supMat34, jointMatrices )[i] = m;
		supDualJoint joint;
		if ( layout->isDual )
		{
			if ( supMakeDualJoint( m, &joint ) )
			{
				flags[1 + FLESH( int, skinOfJoint )[i]] = 1;
			}
			STATE( supDualJoint, jointDuals )[i] = joint;
		}
	}
	MEET();
}

static float4 CarryByBones( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state, int i )
{
	float4 sum = supSplat4( 0.0f );
	supVec3 rest = FLESH( supVec3, rest )[i];
	for ( int k = 0; k < layout->influences; ++k )
	{
		int slot = k * layout->particleCount + i;
		int bone = FLESH( ushort, joints )[slot];
		supVec3 after = supTransformPoint( STATE( supMat34, bones )[bone], rest );
		supVec3 before = supTransformPoint( STATE( supMat34, bonesBefore )[bone], rest );
		sum += Load3( supSub( after, before ) ) * FLESH( float, weights )[slot];
	}
	return sum;
}

static supVec3 ThrowParticle( constant supCrowdLayout* layout, global const uchar* flesh,
							  global const supMat34* throws, int i )
{
	supVec3 e = supMakeVec3( 0.0f, 0.0f, 0.0f );
	supVec3 rest = FLESH( supVec3, rest )[i];
	global const ushort* joints = FLESH( ushort, joints ) + i;
	global const float* weights = FLESH( float, weights ) + i;
	for ( int k = 0, at = 0; k < layout->influences && weights[at] > 0.0f; ++k, at += layout->particleCount )
	{
		e = supMulAdd( e, weights[at], supTransformPoint( throws[joints[at]], rest ) );
	}
	return e;
}

// The particle where skinning has it, and gravity turned along as if it were a normal.
static void SkinParticle( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state, int i,
						  supVec3 down, supVec3* point, supVec3* turned )
{
	int stride = layout->particleCount;
	Vec3W rest = ToLanes( FLESH( supVec3, rest )[i] );
	global const ushort* joints = FLESH( ushort, joints ) + i;
	global const float* weights = FLESH( float, weights ) + i;
	if ( layout->isDual )
	{
		bool stretched = STATE( int, skinFlags )[0] != 0;
		Motion m =
			BlendJoints( STATE( supDualJoint, palette ), joints, weights, stride, layout->influences, stretched );
		*point = FromLanes( MovePointDual( &m, rest, stretched ) );
		*turned = FromLanes( MoveNormalDual( &m, ToLanes( down ), stretched ) );
		return;
	}
	Mat34W m = BlendMatrices( STATE( float, palette ), 16, joints, weights, stride, layout->influences );
	*point = FromLanes( MovePointLinear( &m, rest ) );
	*turned = FromLanes( MoveNormalLinear( &m, ToLanes( down ) ) );
}

static void PredictParticle( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state,
							 const supCrowdJob* job, global const supMat34* throws, global const float* tethers,
							 int i )
{
	supVec3 fresh, down;
	SkinParticle( layout, flesh, state, i, job->down, &fresh, &down );
	float4 before = STATE( float4, skinned )[i];
	float4 position = STATE( float4, positions )[i];
	float4 velocity = STATE( float4, velocities )[i];
	STATE( float4, savedPositions )[i] = position;
	STATE( float4, savedVelocities )[i] = velocity;
	STATE( float4, savedSkinned )[i] = before;
	float4 after = Load3( fresh );
	float4 y = position - before;
	float4 way = after - before;
	if ( Length4( way ) > JUMP * layout->edge )
	{
		way -= FindJump( way, CarryByBones( layout, flesh, state, i ), layout->edge );
	}
	float4 carried = way * job->inverseDt;
	float4 u = velocity - carried;
	float4 push =
		PushOf( Load3( job->gravity ), Load3( down ), job->balance, Load3( job->wind ), velocity, job->drag );
	if ( job->isExaggerated )
	{
		push += Load3( ThrowParticle( layout, flesh, throws, i ) );
	}
	STATE( supVec3, downs )[i] = Xyz( position );
	float4 t = ( (global const float4*)tethers )[i];
	float force = tethers[4 * layout->particleCount + i];
	float most = FLESH( float, reaches )[i] * job->reach;
	Swing swing = SwingOn( y, u, push, ( supVec4 ){ t.x, t.y, t.z, t.w }, force, most );
	float4 p = after + swing.y;
	p.w = FLESH( float, inverseMasses )[i];
	STATE( float4, predicted )[i] = p;
	STATE( float4, positions )[i] = p;
	float4 v = carried + swing.u;
	v.w = 0.0f;
	STATE( float4, predictedVelocities )[i] = v;
	STATE( float4, skinned )[i] = after;
}

static supVec3 MoveAnchor( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state, int lane )
{
	int bone = FLESH( int, bindBones )[lane];
	supVec3 anchor = FLESH( supVec3, bindAnchors )[lane];
	if ( layout->isDual == 0 )
	{
		return supTransformPoint( *(global supMat34*)( state + layout->palette + 64 * bone ), anchor );
	}
	supDualJoint joint = STATE( supDualJoint, palette )[bone];
	return MoveBindAnchor( joint.motion, joint.stretch, anchor );
}

kernel void supCrowdPredict( constant supCrowdLayout* layout, global const uchar* flesh,
							 global const supCrowdJob* jobs, PAGES, global const supMat34* worlds,
							 global const supMat34* throws, global const float* tethers )
{
	int group = get_group_id( 0 );
	supCrowdJob job = jobs[group];
	global uchar* state = FindSlot( layout, &job, PAGE_LIST );
	FillPalettes( layout, flesh, state, worlds + (ulong)group * (ulong)layout->nodeCount );
	throws += (ulong)group * (ulong)layout->boneCount;
	tethers += (ulong)job.tethers * (ulong)layout->tetherCount;
	FOR_ALL( i, layout->particleCount )
	{
		PredictParticle( layout, flesh, state, &job, throws, tethers, i );
	}
	FOR_ALL( i, layout->bindLaneCount )
	{
		STATE( float4, anchors )[i] = Load3( MoveAnchor( layout, flesh, state, i ) );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The iterations

// Of each component all particles, so that neighbours lie in different banks.
#define SOLVE( name ) name##Local
#define SPACE local
#define FENCE() MEET_LOCAL()
#ifdef PARTICLES
#define STRIDE_OF PARTICLES
#else
#define STRIDE_OF ( layout->particleCount )
#endif
#define AT( i ) ( ( Vec3W ){ points[i], points[STRIDE_OF + ( i )], points[2 * STRIDE_OF + ( i )] } )
#define PUT( i, p ) PutLocal( points, STRIDE_OF, i, p )
#define PAIR uint
#define QUAD uint2
#define FIRST( pair ) ( ( pair ) & 0xFFFFu )
#define SECOND( pair ) ( ( pair ) >> 16 )
#define THIRD( quad ) ( ( quad ).y & 0xFFFFu )
#define FOURTH( quad ) ( ( quad ).y >> 16 )

static inline void PutLocal( local float* points, int stride, uint i, Vec3W p )
{
	points[i] = p.x;
	points[stride + i] = p.y;
	points[2 * stride + i] = p.z;
}

#define SHORT_ITEMS COMPACT
#include "method/position/crowd_solve.cl"

#undef SHORT_ITEMS
#undef SOLVE
#undef SPACE
#undef FENCE
#undef AT
#undef PUT
#undef PAIR
#undef QUAD
#undef FIRST
#undef SECOND
#undef THIRD
#undef FOURTH
#define SOLVE( name ) name##Global
#define SPACE global
#define FENCE() MEET()
#define AT( i ) ( ( Vec3W ){ points[4 * ( i )], points[4 * ( i ) + 1], points[4 * ( i ) + 2] } )
#define PUT( i, p ) PutGlobal( points, i, p )
#define PAIR uint2
#define QUAD WideQuad
#define FIRST( pair ) ( ( pair ).x )
#define SECOND( pair ) ( ( pair ).y )
#define THIRD( quad ) ( ( quad ).y.x )
#define FOURTH( quad ) ( ( quad ).y.y )

typedef struct WideQuad
{
	uint2 x, y;
} WideQuad;

static inline void PutGlobal( global float* points, uint i, Vec3W p )
{
	points[4 * i] = p.x;
	points[4 * i + 1] = p.y;
	points[4 * i + 2] = p.z;
}

#define SHORT_ITEMS 0
#include "method/position/crowd_solve.cl"

static void FinishSolve( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state,
						 const supCrowdJob* job, global const float* tethers, uint inverted, local int* any,
						 global supCrowdResult* result )
{
	if ( get_local_id( 0 ) == 0 )
	{
		*any = 0;
	}
	MEET();
	if ( inverted != 0 )
	{
		*any = 1;
	}
	FOR_ALL( i, layout->particleCount )
	{
		float4 p = STATE( float4, positions )[i];
		if ( job->share < 1.0f )
		{
			float4 before = STATE( float4, predicted )[i];
			float part = WeakenedPart( tethers[4 * i], job->share );
			p = before + part * ( p - before );
		}
		p.w = FLESH( float, inverseMasses )[i];
		STATE( float4, positions )[i] = p;
	}
	FOR_ALL( i, COMPLIANT ? layout->itemCount : 0 )
	{
		STATE( float, multipliers )[i] = 0.0f;
	}
	MEET();
	if ( get_local_id( 0 ) == 0 )
	{
		result->wasTurned = *any;
	}
}

kernel void supCrowdSolveLocal( constant supCrowdLayout* layout, global const uchar* flesh,
								global const supCrowdJob* jobs, PAGES, global const float* tethers,
								global supCrowdResult* results, local float4* room )
{
	local int any;
	local float* points = (local float*)room;
	int group = get_group_id( 0 );
	supCrowdJob job = jobs[group];
	global uchar* state = FindSlot( layout, &job, PAGE_LIST );
	FOR_ALL( i, layout->particleCount )
	{
		float4 p = STATE( float4, predicted )[i];
		PutLocal( points, layout->particleCount, i, ( Vec3W ){ p.x, p.y, p.z } );
	}
	MEET_LOCAL();
	uint inverted = IterateLocal( points, layout, flesh, state, &job );
	FOR_ALL( i, layout->particleCount )
	{
		int n = layout->particleCount;
		STATE( float4, positions )[i] = (float4)( points[i], points[n + i], points[2 * n + i], 0.0f );
	}
	tethers += (ulong)job.tethers * (ulong)layout->tetherCount;
	FinishSolve( layout, flesh, state, &job, tethers, inverted, &any, results + group );
}

kernel void supCrowdSolveGlobal( constant supCrowdLayout* layout, global const uchar* flesh,
								 global const supCrowdJob* jobs, PAGES, global const float* tethers,
								 global supCrowdResult* results )
{
	local int any;
	int group = get_group_id( 0 );
	supCrowdJob job = jobs[group];
	global uchar* state = FindSlot( layout, &job, PAGE_LIST );
	uint inverted = IterateGlobal( STATE( float, positions ), layout, flesh, state, &job );
	MEET();
	tethers += (ulong)job.tethers * (ulong)layout->tetherCount;
	FinishSolve( layout, flesh, state, &job, tethers, inverted, &any, results + group );
}

#include "method/position/crowd_finish.cl"
#include "method/position/crowd_surface.cl"
