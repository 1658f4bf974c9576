// SPDX-License-Identifier: MIT
// The arithmetic of skinning once the bones of a vertex are gathered. Compiles as C and as OpenCL C, see lanes_math.h.
#pragma once

#include "core/lanes_math.h"

typedef struct Mat34W
{
	Vec3W cx, cy, cz, t;
} Mat34W;

SUP_WIDE Vec3W MovePointLinear( const Mat34W* m, Vec3W p )
{
	p = MulColumns( m->cx, m->cy, m->cz, p );
	return ( Vec3W ){ p.x + m->t.x, p.y + m->t.y, p.z + m->t.z };
}

SUP_WIDE Vec3W MoveNormalLinear( const Mat34W* m, Vec3W bind )
{
	return NormalizeOr( MoveNormal( m->cx, m->cy, m->cz, bind ), bind );
}

// ---------------------------------------------------------------------------------------------------------------------
// Dual quaternions

typedef struct Motion
{
	QuatW real, dual;
	// columns of the symmetric stretch
	Vec3W sx, sy, sz;
} Motion;

SUP_WIDE QuatW AddScaledQuat( QuatW a, Wide s, QuatW b )
{
	return ( QuatW ){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w };
}

SUP_WIDE QuatW ScaleQuat( Wide s, QuatW a )
{
	return ( QuatW ){ s * a.x, s * a.y, s * a.z, s * a.w };
}

SUP_WIDE Wide DotQuat( QuatW a, QuatW b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// While joints are added up: rotation, translation, and the stretch as s: xx yy zz xy, t: yz zx.
typedef struct BlendW
{
	QuatW real, dual;
	QuatW s, t;
} BlendW;

SUP_WIDE BlendW StartBlend( Wide w, QuatW first, QuatW dual )
{
	BlendW sum = { 0 };
	sum.real = ScaleQuat( w, first );
	sum.dual = ScaleQuat( w, dual );
	return sum;
}

// q and -q are the same rotation: take the one on the side of the heaviest joint, whose cosine with it is `least` at
// least.
SUP_WIDE void AddSideToBlend( BlendW* sum, Wide w, QuatW first, QuatW q, QuatW dual, Wide least )
{
	Wide side = Select( DotQuat( first, q ) < least, -w, w );
	sum->real = AddScaledQuat( sum->real, side, q );
	sum->dual = AddScaledQuat( sum->dual, side, dual );
}

SUP_WIDE void AddToBlend( BlendW* sum, Wide w, QuatW first, QuatW q, QuatW dual )
{
	AddSideToBlend( sum, w, first, q, dual, Splat( 0.0f ) );
}

SUP_WIDE Motion FinishBlend( const BlendW* sum )
{
	// never zero: the part along the heaviest joint is at least its weight
	Wide inverse = Splat( 1.0f ) / Sqrt( DotQuat( sum->real, sum->real ) );
	QuatW s = sum->s, t = sum->t;
	return ( Motion ){ ScaleQuat( inverse, sum->real ),
					   ScaleQuat( inverse, sum->dual ),
					   { s.x, s.w, t.y },
					   { s.w, s.y, t.x },
					   { t.y, t.x, s.z } };
}

// p + 2 c x (c x p + w p)
SUP_WIDE Vec3W Rotate( QuatW q, Vec3W p )
{
	Vec3W c = { q.x, q.y, q.z };
	Vec3W u = Cross( c, p );
	u = ( Vec3W ){ u.x + q.w * p.x, u.y + q.w * p.y, u.z + q.w * p.z };
	Vec3W v = Cross( c, u );
	return ( Vec3W ){ p.x + 2.0f * v.x, p.y + 2.0f * v.y, p.z + 2.0f * v.z };
}

// 2 (w e - f c + c x e) of real (c, w) and dual (e, f)
SUP_WIDE Vec3W Translation( QuatW real, QuatW dual )
{
	Vec3W c = { real.x, real.y, real.z };
	Vec3W e = { dual.x, dual.y, dual.z };
	Vec3W n = Cross( c, e );
	return ( Vec3W ){ 2.0f * ( real.w * e.x - dual.w * c.x + n.x ), 2.0f * ( real.w * e.y - dual.w * c.y + n.y ),
					  2.0f * ( real.w * e.z - dual.w * c.z + n.z ) };
}

SUP_WIDE Vec3W MovePointDual( const Motion* m, Vec3W p, bool stretched )
{
	p = Rotate( m->real, stretched ? MulColumns( m->sx, m->sy, m->sz, p ) : p );
	Vec3W t = Translation( m->real, m->dual );
	return ( Vec3W ){ p.x + t.x, p.y + t.y, p.z + t.z };
}

SUP_WIDE Vec3W MoveNormalDual( const Motion* m, Vec3W bind, bool stretched )
{
	return NormalizeOr( Rotate( m->real, stretched ? MoveNormal( m->sx, m->sy, m->sz, bind ) : bind ), bind );
}
