// SPDX-License-Identifier: MIT
#include "method/position/position_kernel.h"

#include "method/position/constraint_rows.h"

// ---------------------------------------------------------------------------------------------------------------------
// Eight particles from anywhere

SUP_WIDE float* At( float* particles, uint32_t offset )
{
	return (float*)( (char*)particles + offset );
}

SUP_WIDE Rows LoadRows( float* particles, const uint32_t offsets[SUP_PACK] )
{
	Rows rows;
	for ( int j = 0; j < 4; ++j )
	{
		rows.r[j] = LoadHalves( At( particles, offsets[j] ), At( particles, offsets[j + 4] ) );
	}
	return rows;
}

SUP_WIDE void StoreRows( float* particles, const uint32_t offsets[SUP_PACK], Rows rows )
{
	for ( int j = 0; j < 4; ++j )
	{
		StoreHalves( At( particles, offsets[j] ), At( particles, offsets[j + 4] ), rows.r[j] );
	}
}

SUP_WIDE Rows SubRows( Rows a, Rows b )
{
	// inverse masses are not to be touched
	const supInt8 mask = { -1, -1, -1, 0, -1, -1, -1, 0 };
	Rows d;
	for ( int j = 0; j < 4; ++j )
	{
		d.r[j] = (supFloat8)( (supInt8)( a.r[j] - b.r[j] ) & mask );
	}
	return d;
}

// Row j of `rows` plus lane j of `scale` times row j of `d`.
SUP_WIDE Rows AddScaled( Rows rows, Rows d, supFloat8 scale )
{
	rows.r[0] += d.r[0] * SHUFFLE( scale, scale, 0, 0, 0, 0 );
	rows.r[1] += d.r[1] * SHUFFLE( scale, scale, 1, 1, 1, 1 );
	rows.r[2] += d.r[2] * SHUFFLE( scale, scale, 2, 2, 2, 2 );
	rows.r[3] += d.r[3] * SHUFFLE( scale, scale, 3, 3, 3, 3 );
	return rows;
}

// ---------------------------------------------------------------------------------------------------------------------
// Single

SUP_WIDE supFloat8 ScaleRest( const float* rest, supStiffness stiffness, size_t lane )
{
	supFloat8 value = supLoad8( rest );
	return stiffness.scales != NULL ? value * supLoad8( stiffness.scales + lane ) : value;
}

SUP_WIDE void SolveStretchPack( float* particles, const supStretchPack* pack, const supStretchSpring* spring,
								float* multipliers, supStiffness stiffness, size_t lane )
{
	Rows first = LoadRows( particles, pack->first );
	Rows second = LoadRows( particles, pack->second );
	Rows d = SubRows( first, second );
	supFloat8 w;
	Vec3W lanes = Transpose( d, &w );
	supFloat8 length = ScaleRest( pack->length, stiffness, lane );
	supFloat8 firstScale, secondScale;
	if ( stiffness.compliant )
	{
		supFloat8 w1 = supLoad8( spring->firstMass );
		supFloat8 w2 = supLoad8( spring->secondMass );
		supFloat8 multiplier = supLoad8( multipliers + lane );
		supFloat8 step =
			StretchStep( lanes, length, w1 + w2, supLoad8( spring->compliance ) * stiffness.softness, &multiplier );
		supStore8( multipliers + lane, multiplier );
		firstScale = w1 * step;
		secondScale = -w2 * step;
	}
	else
	{
		supFloat8 ratio = StretchRatio( lanes, length, supLoad8( pack->hold ) ) * stiffness.plain;
		firstScale = -supLoad8( pack->firstShare ) * ratio;
		secondScale = supLoad8( pack->secondShare ) * ratio;
	}
	StoreRows( particles, pack->first, AddScaled( first, d, firstScale ) );
	StoreRows( particles, pack->second, AddScaled( second, d, secondScale ) );
}

// A loop each for the usual case and for all others, so that the usual one has nothing to decide.
void SUP_KERNEL( supSolveStretch )( float* particles, const supStretchPack* packs, const supStretchSpring* springs,
									float* multipliers, int32_t begin, int32_t end, supStiffness stiffness )
{
	if ( stiffness.compliant || stiffness.scales != NULL )
	{
		for ( int32_t i = begin; i < end; ++i )
		{
			SolveStretchPack( particles, packs + i, springs + i, multipliers, stiffness, SUP_PACK * (size_t)i );
		}
		return;
	}
	const supStiffness plain = { .plain = stiffness.plain };
	for ( int32_t i = begin; i < end; ++i )
	{
		SolveStretchPack( particles, packs + i, NULL, NULL, plain, 0 );
	}
}

SUP_WIDE void SolveBindPack( float* particles, const supBindPack* pack, const supBindSpring* spring,
							 const float* anchors, float* multipliers, supStiffness stiffness, size_t lane )
{
	Rows rows = LoadRows( particles, pack->particle );
	Rows anchor;
	for ( int j = 0; j < 4; ++j )
	{
		anchor.r[j] = LoadHalves( anchors + 4 * j, anchors + 4 * j + 16 );
	}
	Rows d = SubRows( rows, anchor );
	supFloat8 w;
	Vec3W lanes = Transpose( d, &w );
	supFloat8 length = ScaleRest( pack->length, stiffness, lane );
	supFloat8 scale;
	if ( stiffness.compliant )
	{
		supFloat8 mass = supLoad8( spring->mass );
		supFloat8 multiplier = supLoad8( multipliers + lane );
		scale =
			mass * StretchStep( lanes, length, mass, supLoad8( spring->compliance ) * stiffness.softness, &multiplier );
		supStore8( multipliers + lane, multiplier );
	}
	else
	{
		scale = -supLoad8( pack->share ) * ( LengthRatio( lanes, length ) * stiffness.plain );
	}
	StoreRows( particles, pack->particle, AddScaled( rows, d, scale ) );
}

void SUP_KERNEL( supSolveBind )( float* particles, const supBindPack* packs, const supBindSpring* springs,
								 const float* anchors, float* multipliers, int32_t begin, int32_t end,
								 supStiffness stiffness )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		size_t lane = (size_t)i * SUP_PACK;
		SolveBindPack( particles, packs + i, springs + i, anchors + 4 * lane, multipliers, stiffness, lane );
	}
}

SUP_WIDE uint32_t SolveVolumePack( float* particles, const supVolumePack* pack, const supVolumeSpring* spring,
								   float* multipliers, supStiffness stiffness, size_t lane )
{
	Vec3W p[4];
	supFloat8 w[4];
	for ( int k = 0; k < 4; ++k )
	{
		p[k] = Transpose( LoadRows( particles, pack->corners[k] ), w + k );
	}
	VolumeGradients v = ComputeVolume( p, w );
	supFloat8 volume = ScaleRest( pack->volume, stiffness, lane );
	supFloat8 reach = supLoad8( pack->reach );
	supFloat8 step;
	uint32_t inverted;
	if ( stiffness.compliant )
	{
		supFloat8 multiplier = supLoad8( multipliers + lane );
		step = VolumeSpringStep( &v, volume, supLoad8( spring->compliance ) * stiffness.softness, reach, &multiplier,
								 &inverted );
		supStore8( multipliers + lane, multiplier );
	}
	else
	{
		step = VolumeStep( &v, volume, supLoad8( pack->share ) * stiffness.plain, reach, &inverted );
	}
	for ( int k = 0; k < 4; ++k )
	{
		supFloat8 scale = w[k] * step;
		Vec3W moved = { p[k].x + v.g[k].x * scale, p[k].y + v.g[k].y * scale, p[k].z + v.g[k].z * scale };
		StoreRows( particles, pack->corners[k], Untranspose( moved, w[k] ) );
	}
	return inverted;
}

int32_t SUP_KERNEL( supSolveVolume )( float* particles, const supVolumePack* packs, const supVolumeSpring* springs,
									  float* multipliers, int32_t begin, int32_t end, supStiffness stiffness )
{
	int32_t count = 0;
	if ( stiffness.compliant || stiffness.scales != NULL )
	{
		for ( int32_t i = begin; i < end; ++i )
		{
			uint32_t inverted =
				SolveVolumePack( particles, packs + i, springs + i, multipliers, stiffness, SUP_PACK * (size_t)i );
			count += inverted != 0;
		}
		return count;
	}
	const supStiffness plain = { .plain = stiffness.plain };
	for ( int32_t i = begin; i < end; ++i )
	{
		uint32_t inverted = SolveVolumePack( particles, packs + i, NULL, NULL, plain, 0 );
		count += inverted != 0;
	}
	return count;
}
