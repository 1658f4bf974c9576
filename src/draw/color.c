// SPDX-License-Identifier: MIT
#include "draw/color.h"

// x to the power of 2.4, for x in (0, 1]: the same on every machine, which pow is not.
static float PowerTwelveFifths( float x )
{
	// Newton's method for the fifth root of x squared, from above
	double target = (double)x * (double)x;
	double root = 1.0;
	for ( int i = 0; i < 64; ++i )
	{
		double fourth = root * root * root * root;
		root -= ( fourth * root - target ) / ( 5.0 * fourth );
	}
	return (float)( target * root );
}

void supFillLinearTable( float linear[256] )
{
	for ( int i = 0; i < 256; ++i )
	{
		float c = (float)i / 255.0f;
		linear[i] = c <= 0.04045f ? c / 12.92f : PowerTwelveFifths( ( c + 0.055f ) / 1.055f );
	}
}

uint8_t supEncodeSrgb( const float linear[256], float value, float dither )
{
	if ( !( value > 0.0f ) )
	{
		return 0;
	}
	// the largest code that is not brighter
	int code = 0;
	for ( int step = 128; step > 0; step /= 2 )
	{
		code += code + step < 256 && linear[code + step] <= value ? step : 0;
	}
	bool up = code < 255 && value - linear[code] > ( 1.0f - dither ) * ( linear[code + 1] - linear[code] );
	return (uint8_t)( code + up );
}

float supDitherOf( uint32_t x, uint32_t y )
{
	uint32_t h = x * 0x8DA6B343u ^ y * 0xD8163841u;
	h = ( h ^ h >> 13 ) * 0x85EBCA6Bu;
	return (float)( ( h ^ h >> 16 ) >> 8 ) / 16777216.0f;
}

supVec3 supHeatColor( float value )
{
	// along the viridis colour map, which is even to the eye and readable without colour vision
	float t = supClampFloat( value, 0.0f, 1.0f );
	static const supVec3 stops[9] = { { 0.267f, 0.005f, 0.329f }, { 0.279f, 0.175f, 0.483f },
									  { 0.230f, 0.322f, 0.546f }, { 0.173f, 0.449f, 0.558f },
									  { 0.128f, 0.567f, 0.551f }, { 0.158f, 0.684f, 0.502f },
									  { 0.369f, 0.789f, 0.383f }, { 0.678f, 0.864f, 0.190f },
									  { 0.993f, 0.906f, 0.144f } };
	float s = 8.0f * t;
	int i = (int)s < 7 ? (int)s : 7;
	return supLerp( stops[i], stops[i + 1], s - (float)i );
}
