// SPDX-License-Identifier: MIT
#include "io/common/scan.h"

#include "supple/math.h"

#include <stdio.h>

supScanner supMakeScanner( const void* bytes, size_t byteCount, const char* fileName, supError* error )
{
	const char* text = bytes;
	return (
		supScanner ){ .text = text, .cursor = text, .end = text + byteCount, .fileName = fileName, .error = error };
}

// Lines are counted only when a message needs one.
static int64_t GetLine( const supScanner* scanner, const char* place )
{
	int64_t line = 1;
	for ( const char* p = scanner->text; p < place; ++p )
	{
		line += *p == '\n';
	}
	return line;
}

bool supScanner_Fail( const supScanner* scanner, const char* place, supErrorCode code, const char* format, ... )
{
	char where[256];
	int64_t number = scanner->binary ? place - scanner->text : GetLine( scanner, place );
	snprintf( where, sizeof( where ), "%s: %s %lld", scanner->fileName, scanner->binary ? "byte" : "line",
			  (long long)number );
	va_list arguments;
	va_start( arguments, format );
	supSetErrorV( scanner->error, code, where, format, arguments );
	va_end( arguments );
	return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Text

static bool IsBlank( char c )
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static bool IsDigit( char c )
{
	return c >= '0' && c <= '9';
}

static char ToLower( char c )
{
	return c >= 'A' && c <= 'Z' ? (char)( c - 'A' + 'a' ) : c;
}

void supScanner_SkipBlanks( supScanner* scanner )
{
	const char* p = scanner->cursor;
	const char* end = scanner->end;
	for ( ;; )
	{
		while ( p < end && IsBlank( *p ) )
		{
			++p;
		}
		if ( p == end || *p != '#' || scanner->comments == false )
		{
			break;
		}
		const char* newline = memchr( p, '\n', (size_t)( end - p ) );
		p = newline != NULL ? newline : end;
	}
	scanner->cursor = p;
}

supWord supScanner_PeekWord( supScanner* scanner )
{
	supScanner_SkipBlanks( scanner );
	const char* p = scanner->cursor;
	while ( p < scanner->end && IsBlank( *p ) == false && p - scanner->cursor < 4096 )
	{
		++p;
	}
	return ( supWord ){ scanner->cursor, (int)( p - scanner->cursor ) };
}

supWord supScanner_ReadWord( supScanner* scanner )
{
	supWord word = supScanner_PeekWord( scanner );
	scanner->cursor += word.length;
	return word;
}

bool supWord_Is( supWord word, const char* lowerCase )
{
	int i = 0;
	for ( ; i < word.length && lowerCase[i] != 0; ++i )
	{
		if ( ToLower( word.start[i] ) != lowerCase[i] )
		{
			return false;
		}
	}
	return i == word.length && lowerCase[i] == 0;
}

int supWord_Shorten( supWord word )
{
	return word.length < 40 ? word.length : 40;
}

void supScanner_SkipLine( supScanner* scanner )
{
	const char* newline = memchr( scanner->cursor, '\n', (size_t)( scanner->end - scanner->cursor ) );
	scanner->cursor = newline != NULL ? newline + 1 : scanner->end;
}

bool supScanner_AtLineEnd( supScanner* scanner )
{
	const char* p = scanner->cursor;
	while ( p < scanner->end && *p != '\n' && IsBlank( *p ) )
	{
		++p;
	}
	return p == scanner->end || *p == '\n' || ( *p == '#' && scanner->comments );
}

// mantissa x 10^exponent. The result is within two ulp of a double, so that rounding it to float is right but for ties.
static double ScaleByPowerOfTen( uint64_t mantissa, int exponent )
{
	static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
									 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	double value = (double)mantissa;
	for ( ; exponent > 22; exponent -= 22 )
	{
		value *= 1e22;
	}
	for ( ; exponent < -22; exponent += 22 )
	{
		value /= 1e22;
	}
	return exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
}

// The part behind the mantissa, if there is one. NULL where it has no digits.
static const char* ScanExponent( const char* p, const char* end, int* exponent )
{
	if ( p == end || ( *p != 'e' && *p != 'E' ) )
	{
		return p;
	}
	++p;
	bool negative = p < end && *p == '-';
	p += p < end && ( *p == '-' || *p == '+' );
	if ( p == end || IsDigit( *p ) == false )
	{
		return NULL;
	}
	int written = 0;
	for ( ; p < end && IsDigit( *p ); ++p )
	{
		written = written < 2000 ? 10 * written + ( *p - '0' ) : written;
	}
	*exponent += negative ? -written : written;
	return p;
}

const char* supScanNumber( const char* p, const char* end, double* number )
{
	bool negative = p < end && *p == '-';
	p += p < end && ( *p == '-' || *p == '+' );

	uint64_t mantissa = 0;
	int exponent = 0;
	bool hasDigits = false;
	for ( bool behindPoint = false; p < end && ( IsDigit( *p ) || ( *p == '.' && !behindPoint ) ); ++p )
	{
		if ( *p == '.' )
		{
			behindPoint = true;
			continue;
		}
		hasDigits = true;
		bool fits = mantissa < UINT64_MAX / 10 - 1;
		mantissa = fits ? 10 * mantissa + (uint64_t)( *p - '0' ) : mantissa;
		// digits that no longer fit count only by their place; the clamp keeps a mile of digits from overflowing
		int shift = ( fits ? 0 : 1 ) - ( behindPoint ? 1 : 0 );
		exponent = exponent + shift > 1000 || exponent + shift < -1000 ? exponent : exponent + shift;
	}
	p = hasDigits ? ScanExponent( p, end, &exponent ) : NULL;
	if ( p != NULL )
	{
		exponent = exponent > 400 ? 400 : ( exponent < -400 ? -400 : exponent );
		double value = mantissa == 0 ? 0.0 : ScaleByPowerOfTen( mantissa, exponent );
		*number = negative ? -value : value;
	}
	return p;
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers

static size_t NumberSize( supNumberKind kind )
{
	static const uint8_t sizes[] = { 1, 4, 8, 4, 8 };
	return sizes[kind];
}

static bool FailAtEnd( const supScanner* scanner, const char* what )
{
	return supScanner_Fail( scanner, scanner->end, sup_errorFormat, "the file is cut off: expected %s", what );
}

static bool ReadWrittenNumber( supScanner* scanner, const char* what, double* number )
{
	supScanner_SkipBlanks( scanner );
	if ( scanner->cursor == scanner->end )
	{
		return FailAtEnd( scanner, what );
	}
	const char* after = supScanNumber( scanner->cursor, scanner->end, number );
	if ( after == NULL || ( after < scanner->end && IsBlank( *after ) == false ) )
	{
		supWord word = supScanner_PeekWord( scanner );
		return supScanner_Fail( scanner, word.start, sup_errorFormat,
								"'%.*s' stands where %s should be; it is not a number", supWord_Shorten( word ),
								word.start, what );
	}
	scanner->cursor = after;
	return true;
}

static double DecodeNumber( const uint8_t* bytes, supNumberKind kind )
{
	int32_t i32;
	int64_t i64;
	float f32;
	double f64;
	switch ( kind )
	{
		case sup_numberU8:
			return (double)bytes[0];
		case sup_numberI32:
			memcpy( &i32, bytes, 4 );
			return (double)i32;
		case sup_numberI64:
			memcpy( &i64, bytes, 8 );
			return (double)i64;
		case sup_numberF32:
			memcpy( &f32, bytes, 4 );
			return (double)f32;
		default:
			memcpy( &f64, bytes, 8 );
			return f64;
	}
}

static bool ReadBinaryNumber( supScanner* scanner, supNumberKind kind, const char* what, double* number )
{
	size_t size = NumberSize( kind );
	if ( (size_t)( scanner->end - scanner->cursor ) < size )
	{
		return FailAtEnd( scanner, what );
	}
	uint8_t bytes[8];
	for ( size_t i = 0; i < size; ++i )
	{
		bytes[i] = (uint8_t)scanner->cursor[scanner->swapped ? size - 1 - i : i];
	}
	*number = DecodeNumber( bytes, kind );
	scanner->cursor += size;
	return true;
}

static bool ReadAny( supScanner* scanner, supNumberKind kind, const char* what, double* number )
{
	return scanner->binary ? ReadBinaryNumber( scanner, kind, what, number )
						   : ReadWrittenNumber( scanner, what, number );
}

// Where the next number begins, for messages about it.
static const char* GetPlace( supScanner* scanner )
{
	if ( scanner->binary == false )
	{
		supScanner_SkipBlanks( scanner );
	}
	return scanner->cursor;
}

bool supScanner_ReadNumber( supScanner* scanner, supNumberKind kind, const char* what, double* number )
{
	const char* place = GetPlace( scanner );
	return ReadAny( scanner, kind, what, number ) &&
		   ( supIsFinite( (float)*number ) ||
			 supScanner_Fail( scanner, place, sup_errorFormat, "%s is not a number or implausibly large", what ) );
}

bool supScanner_ReadInt( supScanner* scanner, supNumberKind kind, const char* what, int64_t lower, int64_t upper,
						 int64_t* number )
{
	const char* place = GetPlace( scanner );
	double value;
	if ( ReadAny( scanner, kind, what, &value ) == false )
	{
		return false;
	}
	// written so that what is not a number fails too
	if ( !( value >= (double)lower && value <= (double)upper ) || value != (double)(int64_t)value )
	{
		return supScanner_Fail( scanner, place, sup_errorFormat, "%s is %.15g, not a whole number from %lld to %lld",
								what, value, (long long)lower, (long long)upper );
	}
	*number = (int64_t)value;
	return true;
}

bool supScanner_HasRoom( const supScanner* scanner, int64_t count, int64_t numbers, supNumberKind kind,
						 const char* what )
{
	// a written number needs a digit and a blank; the last of the file may lack the blank
	int64_t size = scanner->binary ? (int64_t)NumberSize( kind ) : 2;
	int64_t room = ( scanner->end - scanner->cursor + 1 ) / size;
	return count <= room / numbers ||
		   supScanner_Fail( scanner, scanner->cursor, sup_errorFormat,
							"%lld %s do not fit into the rest of the file; it is cut off or the count is wrong",
							(long long)count, what );
}

bool supScanner_SkipNumbers( supScanner* scanner, int64_t count, supNumberKind kind, const char* what )
{
	if ( count > 0 && supScanner_HasRoom( scanner, count, 1, kind, what ) == false )
	{
		return false;
	}
	if ( scanner->binary )
	{
		int64_t bytes = count * (int64_t)NumberSize( kind );
		scanner->cursor += bytes < scanner->end - scanner->cursor ? bytes : scanner->end - scanner->cursor;
		return true;
	}
	for ( int64_t i = 0; i < count; ++i )
	{
		if ( supScanner_ReadWord( scanner ).length == 0 )
		{
			return FailAtEnd( scanner, what );
		}
	}
	return true;
}
