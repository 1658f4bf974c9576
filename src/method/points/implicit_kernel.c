// SPDX-License-Identifier: MIT
#include "method/points/implicit_kernel.h"

#include "core/wide.h"

typedef double supDouble4 __attribute__( ( vector_size( 32 ) ) );

SUP_WIDE double Sum( supDouble4 a )
{
	return ( a[0] + a[2] ) + ( a[1] + a[3] );
}

SUP_WIDE supDouble4 Widen( supFloat4 a )
{
	return __builtin_convertvector( a, supDouble4 );
}

// Zero where w is.
SUP_WIDE supFloat4 Masked( float w, supFloat4 a )
{
	return (supFloat4)( ( supSplat4( w ) > supSplat4( 0.0f ) ) & (supInt4)a );
}

// So that the fourth number, whose diagonal is 0, has an inverse.
SUP_WIDE supFloat4 KeepThree( supFloat4 a )
{
	return (supFloat4)( ( supInt4 ){ -1, -1, -1, 0 } & (supInt4)a );
}

// What of the diagonal is a multiple of the mass: 1 + h ( drag + damping ) + h² spring.
SUP_WIDE float MassFactor( const supCgJob* job, int64_t point )
{
	float factor = 1.0f + job->dt * job->drag;
	if ( job->tethers != NULL )
	{
		const supPointTether* t = job->tethers + point;
		factor += job->dt * ( t->damping + job->dt * t->spring );
	}
	return factor;
}

double SUP_KERNEL( supCgBegin )( const supCgJob* job, int32_t begin, int32_t end )
{
	const supFloat4 h = supSplat4( job->dt ), drag = supSplat4( job->drag ), one = supSplat4( 1.0f );
	const supFloat4 gravity = supLoad4( job->gravity ), wind = supLoad4( job->wind );
	supDouble4 sum = { 0 };
	for ( int64_t i = 4 * (int64_t)begin; i < 4 * (int64_t)end; i += 4 )
	{
		float w = job->x[i + 3];
		supFloat4 m = one / supSplat4( w );
		supFloat4 v = supLoad4( job->v + i );
		supFloat4 a = gravity - drag * ( v - wind );
		supFloat4 r = h * supLoad4( job->f + i ) + m * ( h * a - ( v - supLoad4( job->before + i ) ) );
		supFloat4 d = one / ( m * supSplat4( MassFactor( job, i / 4 ) ) + supLoad4( job->inverse + i ) );
		r = Masked( w, r );
		d = Masked( w, KeepThree( d ) );
		supFloat4 z = d * r;
		supStore4( job->residual + i, r );
		supStore4( job->inverse + i, d );
		supStore4( job->direction + i, z );
		sum += Widen( r ) * Widen( z );
	}
	return Sum( sum );
}

double SUP_KERNEL( supCgAddMass )( const supCgJob* job, int32_t begin, int32_t end )
{
	supDouble4 sum = { 0 };
	for ( int64_t i = 4 * (int64_t)begin; i < 4 * (int64_t)end; i += 4 )
	{
		float w = job->x[i + 3];
		supFloat4 p = supLoad4( job->direction + i );
		supFloat4 y = Masked( w, supLoad4( job->product + i ) + supSplat4( MassFactor( job, i / 4 ) / w ) * p );
		supStore4( job->product + i, y );
		sum += Widen( p ) * Widen( y );
	}
	return Sum( sum );
}

double SUP_KERNEL( supCgAdvance )( const supCgJob* job, int32_t begin, int32_t end )
{
	const supFloat4 step = supSplat4( job->step );
	supDouble4 sum = { 0 };
	for ( int64_t i = 4 * (int64_t)begin; i < 4 * (int64_t)end; i += 4 )
	{
		supStore4( job->v + i, supLoad4( job->v + i ) + step * supLoad4( job->direction + i ) );
		supFloat4 r = supLoad4( job->residual + i ) - step * supLoad4( job->product + i );
		supStore4( job->residual + i, r );
		sum += Widen( r ) * Widen( supLoad4( job->inverse + i ) * r );
	}
	return Sum( sum );
}

void SUP_KERNEL( supCgTurn )( const supCgJob* job, int32_t begin, int32_t end )
{
	const supFloat4 turn = supSplat4( job->turn );
	for ( int64_t i = 4 * (int64_t)begin; i < 4 * (int64_t)end; i += 4 )
	{
		supFloat4 z = supLoad4( job->inverse + i ) * supLoad4( job->residual + i );
		supStore4( job->direction + i, z + turn * supLoad4( job->direction + i ) );
	}
}
