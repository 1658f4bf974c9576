// SPDX-License-Identifier: MIT
#include "io/common/float_text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 9

// 10^-4 .. 10^9: what printf writes without an exponent. The rest is rare.
#define LEAST_EXPONENT ( -4 )
#define MOST_EXPONENT 9

static const double s_powers[] = { 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };

// 10^( 8 - exponent ): all are exact as doubles.
static const double s_scales[] = { 1e12, 1e11, 1e10, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0 };

static size_t FormatRare( char* text, float value )
{
	int length = snprintf( text, SUP_FLOAT_TEXT_SIZE, "%.9g", (double)value );
	// printf writes the decimal point of some languages as a comma
	char* comma = strchr( text, ',' );
	if ( comma != NULL )
	{
		*comma = '.';
	}
	return (size_t)length;
}

size_t supFormatFloat( char* text, float value )
{
	double size = fabs( (double)value );
	if ( value == 0.0f && signbit( value ) == 0 )
	{
		memcpy( text, "0", 2 );
		return 1;
	}
	// written so that what is not a number goes there too
	if ( !( size >= s_powers[0] && size < 999999999.0 ) )
	{
		return FormatRare( text, value );
	}
	int exponent = LEAST_EXPONENT;
	while ( size >= s_powers[exponent + 1 - LEAST_EXPONENT] )
	{
		exponent += 1;
	}
	uint64_t number = (uint64_t)( size * s_scales[exponent - LEAST_EXPONENT] + 0.5 );
	if ( number >= 1000000000u )
	{
		number /= 10;
		exponent += 1;
	}
	char digits[DIGITS];
	for ( int i = DIGITS - 1; i >= 0; --i )
	{
		digits[i] = (char)( '0' + (char)( number % 10 ) );
		number /= 10;
	}
	int count = DIGITS;
	while ( count > 1 && digits[count - 1] == '0' )
	{
		count -= 1;
	}
	char* to = text;
	if ( value < 0.0f )
	{
		*to++ = '-';
	}
	int whole = exponent + 1;
	if ( whole <= 0 )
	{
		*to++ = '0';
		*to++ = '.';
		for ( int i = whole; i < 0; ++i )
		{
			*to++ = '0';
		}
		memcpy( to, digits, (size_t)count );
		to += count;
	}
	else
	{
		// digits behind the last that counts are zeros
		memcpy( to, digits, (size_t)whole );
		to += whole;
		if ( count > whole )
		{
			*to++ = '.';
			memcpy( to, digits + whole, (size_t)( count - whole ) );
			to += count - whole;
		}
	}
	*to = 0;
	return (size_t)( to - text );
}
