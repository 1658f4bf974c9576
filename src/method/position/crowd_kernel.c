// SPDX-License-Identifier: MIT
// Eight characters of the same flesh, one in each lane: nothing to gather, nothing to transpose, no colours needed.
#include "method/position/constraint_rows.h"
#include "method/position/position_kernel.h"

// 32 floats a particle: x of eight, y of eight, z of eight, unused.
#define STRIDE 32

SUP_WIDE float* PlaceOf( const supCrowd* crowd, uint32_t offset )
{
	uint32_t particle = offset / 16;
	uint32_t shift = (uint32_t)crowd->shift;
	return crowd->lanes[particle >> shift] + (size_t)( particle & ( ( 1u << shift ) - 1 ) ) * STRIDE;
}

SUP_WIDE Vec3W LoadLanes( const float* place )
{
	return ( Vec3W ){ supLoad8( place ), supLoad8( place + 8 ), supLoad8( place + 16 ) };
}

SUP_WIDE void AddLanes( float* place, Vec3W p, Vec3W d, supFloat8 scale )
{
	supStore8( place, p.x + d.x * scale );
	supStore8( place + 8, p.y + d.y * scale );
	supStore8( place + 16, p.z + d.z * scale );
}

// Where lane `lane` of a pack only fills it up.
SUP_WIDE bool IsRepeated( const uint32_t* offsets, int lane )
{
	return lane > 0 && offsets[lane] == offsets[0];
}

SUP_WIDE supFloat8 GatherFloats( float* const* arrays, size_t index )
{
	supFloat8 r;
	for ( int i = 0; i < SUP_PACK; ++i )
	{
		r[i] = arrays[i][index];
	}
	return r;
}

SUP_WIDE void ScatterFloats( float* const* arrays, size_t index, supFloat8 values )
{
	for ( int i = 0; i < SUP_PACK; ++i )
	{
		arrays[i][index] = values[i];
	}
}

SUP_WIDE Vec3W GatherVectors( const float* const* arrays, size_t index )
{
	Rows rows;
	supFloat8 w;
	for ( int j = 0; j < 4; ++j )
	{
		rows.r[j] = LoadHalves( arrays[j] + 4 * index, arrays[j + 4] + 4 * index );
	}
	return Transpose( rows, &w );
}

void SUP_KERNEL( supGatherCrowd )( const supCrowd* crowd, const float* const* particles, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		float* place = PlaceOf( crowd, (uint32_t)i * 16 );
		Vec3W v = GatherVectors( particles, (size_t)i );
		supStore8( place, v.x );
		supStore8( place + 8, v.y );
		supStore8( place + 16, v.z );
	}
}

void SUP_KERNEL( supScatterCrowd )( const supCrowd* crowd, float* const* particles, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		Vec3W v = LoadLanes( PlaceOf( crowd, (uint32_t)i * 16 ) );
		Rows rows = Untranspose( v, supSplat8( crowd->inverseMasses[i] ) );
		for ( int j = 0; j < 4; ++j )
		{
			StoreHalves( particles[j] + 4 * (size_t)i, particles[j + 4] + 4 * (size_t)i, rows.r[j] );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------

SUP_WIDE void StretchCrowdLane( const supCrowd* crowd, const supStretchPack* pack, const supStretchSpring* spring,
								size_t multiplierPlace, int lane, supStiffness stiffness )
{
	float* first = PlaceOf( crowd, pack->first[lane] );
	float* second = PlaceOf( crowd, pack->second[lane] );
	Vec3W p1 = LoadLanes( first );
	Vec3W p2 = LoadLanes( second );
	Vec3W d = Sub( p1, p2 );
	supFloat8 length = supSplat8( pack->length[lane] );
	supFloat8 firstScale, secondScale;
	if ( stiffness.compliant )
	{
		supFloat8 w1 = supSplat8( spring->firstMass[lane] );
		supFloat8 w2 = supSplat8( spring->secondMass[lane] );
		supFloat8 compliance = supSplat8( spring->compliance[lane] ) * stiffness.softness;
		supFloat8 multiplier = GatherFloats( crowd->multipliers, multiplierPlace );
		supFloat8 step = StretchStep( d, length, w1 + w2, compliance, &multiplier );
		ScatterFloats( crowd->multipliers, multiplierPlace, multiplier );
		firstScale = w1 * step;
		secondScale = -w2 * step;
	}
	else
	{
		supFloat8 ratio = StretchRatio( d, length, supSplat8( pack->hold[lane] ) ) * stiffness.plain;
		firstScale = -supSplat8( pack->firstShare[lane] ) * ratio;
		secondScale = supSplat8( pack->secondShare[lane] ) * ratio;
	}
	AddLanes( first, p1, d, firstScale );
	AddLanes( second, p2, d, secondScale );
}

void SUP_KERNEL( supSolveStretchCrowd )( const supCrowd* crowd, const supStretchPack* packs,
										 const supStretchSpring* springs, size_t multiplier, int32_t begin, int32_t end,
										 supStiffness stiffness )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		for ( int lane = 0; lane < SUP_PACK && IsRepeated( packs[i].first, lane ) == false; ++lane )
		{
			StretchCrowdLane( crowd, packs + i, springs + i, multiplier + (size_t)i * SUP_PACK + (size_t)lane, lane,
							  stiffness );
		}
	}
}

SUP_WIDE void BindCrowdLane( const supCrowd* crowd, const supBindPack* pack, const supBindSpring* spring,
							 size_t anchorPlace, size_t multiplierPlace, int lane, supStiffness stiffness )
{
	float* place = PlaceOf( crowd, pack->particle[lane] );
	Vec3W p = LoadLanes( place );
	Vec3W d = Sub( p, GatherVectors( crowd->anchors, anchorPlace ) );
	supFloat8 length = supSplat8( pack->length[lane] );
	supFloat8 scale;
	if ( stiffness.compliant )
	{
		supFloat8 mass = supSplat8( spring->mass[lane] );
		supFloat8 compliance = supSplat8( spring->compliance[lane] ) * stiffness.softness;
		supFloat8 multiplier = GatherFloats( crowd->multipliers, multiplierPlace );
		scale = mass * StretchStep( d, length, mass, compliance, &multiplier );
		ScatterFloats( crowd->multipliers, multiplierPlace, multiplier );
	}
	else
	{
		scale = -supSplat8( pack->share[lane] ) * ( LengthRatio( d, length ) * stiffness.plain );
	}
	AddLanes( place, p, d, scale );
}

void SUP_KERNEL( supSolveBindCrowd )( const supCrowd* crowd, const supBindPack* packs, const supBindSpring* springs,
									  size_t multiplier, int32_t begin, int32_t end, supStiffness stiffness )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		for ( int lane = 0; lane < SUP_PACK && IsRepeated( packs[i].particle, lane ) == false; ++lane )
		{
			size_t place = (size_t)i * SUP_PACK + (size_t)lane;
			BindCrowdLane( crowd, packs + i, springs + i, place, multiplier + place, lane, stiffness );
		}
	}
}

SUP_WIDE uint32_t VolumeCrowdLane( const supCrowd* crowd, const supVolumePack* pack, const supVolumeSpring* spring,
								   size_t multiplierPlace, int lane, supStiffness stiffness )
{
	float* places[4];
	Vec3W p[4];
	supFloat8 w[4];
	for ( int k = 0; k < 4; ++k )
	{
		places[k] = PlaceOf( crowd, pack->corners[k][lane] );
		p[k] = LoadLanes( places[k] );
		w[k] = supSplat8( crowd->inverseMasses[pack->corners[k][lane] / 16] );
	}
	VolumeGradients v = ComputeVolume( p, w );
	supFloat8 volume = supSplat8( pack->volume[lane] );
	supFloat8 reach = supSplat8( pack->reach[lane] );
	supFloat8 step;
	uint32_t inverted;
	if ( stiffness.compliant )
	{
		supFloat8 compliance = supSplat8( spring->compliance[lane] ) * stiffness.softness;
		supFloat8 multiplier = GatherFloats( crowd->multipliers, multiplierPlace );
		step = VolumeSpringStep( &v, volume, compliance, reach, &multiplier, &inverted );
		ScatterFloats( crowd->multipliers, multiplierPlace, multiplier );
	}
	else
	{
		step = VolumeStep( &v, volume, supSplat8( pack->share[lane] ) * stiffness.plain, reach, &inverted );
	}
	for ( int k = 0; k < 4; ++k )
	{
		AddLanes( places[k], p[k], v.g[k], w[k] * step );
	}
	return inverted;
}

uint32_t SUP_KERNEL( supSolveVolumeCrowd )( const supCrowd* crowd, const supVolumePack* packs,
											const supVolumeSpring* springs, size_t multiplier, int32_t begin,
											int32_t end, supStiffness stiffness )
{
	uint32_t inverted = 0;
	for ( int32_t i = begin; i < end; ++i )
	{
		for ( int lane = 0; lane < SUP_PACK && IsRepeated( packs[i].corners[0], lane ) == false; ++lane )
		{
			inverted |= VolumeCrowdLane( crowd, packs + i, springs + i,
										 multiplier + (size_t)i * SUP_PACK + (size_t)lane, lane, stiffness );
		}
	}
	return inverted;
}
