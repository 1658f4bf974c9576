// SPDX-License-Identifier: MIT
// Numbers of constraints in 16 bits: 6 of exponent and 10 of mantissa, not negative, from 2^-39 to 2^24. A device reads
// all constraints in every iteration, and how fast it can read bounds how many characters it solves. Flesh rounds
// shares, masses and reaches to these when it is built, so that nothing is lost on the way. Compiles as C and as OpenCL
// C.
#pragma once

#include "supple/math.h"

#define SHORT_SCALE 0x1p87f

SUP_INLINE float FromShort( uint32_t bits )
{
#ifdef SUP_DEVICE_CODE
	return as_float( bits << 13 ) * SHORT_SCALE;
#else
	uint32_t shifted = bits << 13;
	float value;
	memcpy( &value, &shifted, sizeof( value ) );
	return value * SHORT_SCALE;
#endif
}

#ifndef SUP_DEVICE_CODE

// The nearest, even where there are two. What is too small is 0, what is too large or not a number the largest.
SUP_INLINE uint32_t ToShort( float value )
{
	if ( value < 0x1p-39f )
	{
		return 0;
	}
	uint32_t bits;
	memcpy( &bits, &value, sizeof( bits ) );
	bits += 0xFFF + ( ( bits >> 13 ) & 1 );
	bits = ( bits >> 13 ) - ( 87u << 10 );
	return bits < 0xFFFF ? bits : 0xFFFF;
}

SUP_INLINE float RoundToShort( float value )
{
	return FromShort( ToShort( value ) );
}

// Of numbers with a unit: what 16 bits have no room for stays as it is, so that bodies of a millimetre are as others. A
// device then takes all constraints of the flesh with floats.
SUP_INLINE float RoundIfShort( float value )
{
	return value >= 0x1p-39f && value < 0x1p24f ? RoundToShort( value ) : value;
}

#endif
