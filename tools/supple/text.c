// SPDX-License-Identifier: MIT
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t DecodeUtf8( const char* text, uint32_t* codePoint )
{
	const unsigned char* s = (const unsigned char*)text;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = s[0] < 0x80 ? 1 : ( s[0] >> 5 ) == 6 ? 2 : ( s[0] >> 4 ) == 14 ? 3 : ( s[0] >> 3 ) == 30 ? 4 : 0;
	uint32_t value = length == 1 ? s[0] : length == 0 ? 0 : s[0] & ( 0x7Fu >> length );
	for ( size_t i = 1; i < length; ++i )
	{
		if ( ( s[i] & 0xC0 ) != 0x80 )
		{
			length = 0;
			break;
		}
		value = value << 6 | ( s[i] & 0x3Fu );
	}
	// overlong forms, surrogates and values past the last plane are not UTF-8
	bool surrogate = value >= 0xD800 && value <= 0xDFFF;
	if ( length == 0 || value < least[length] || surrogate || value > 0x10FFFF )
	{
		*codePoint = 0xFFFD;
		return 1;
	}
	*codePoint = value;
	return length;
}

static int MeasureCodePoint( uint32_t c )
{
	typedef struct Range
	{
		uint32_t first, last;
	} Range;
	static const Range none[] = { { 0x0300, 0x036F },  { 0x0483, 0x0489 }, { 0x0591, 0x05BD }, { 0x0610, 0x061A },
								  { 0x064B, 0x065F },  { 0x0E31, 0x0E31 }, { 0x0E34, 0x0E3A }, { 0x0E47, 0x0E4E },
								  { 0x1AB0, 0x1AFF },  { 0x1DC0, 0x1DFF }, { 0x200B, 0x200F }, { 0x20D0, 0x20FF },
								  { 0x3099, 0x309A },  { 0xFE00, 0xFE0F }, { 0xFE20, 0xFE2F }, { 0xFEFF, 0xFEFF },
								  { 0xE0100, 0xE01EF } };
	static const Range wide[] = { { 0x1100, 0x115F },   { 0x2E80, 0x303E },   { 0x3041, 0x33FF },  { 0x3400, 0x4DBF },
								  { 0x4E00, 0x9FFF },   { 0xA000, 0xA4CF },   { 0xAC00, 0xD7A3 },  { 0xF900, 0xFAFF },
								  { 0xFE30, 0xFE6F },   { 0xFF00, 0xFF60 },   { 0xFFE0, 0xFFE6 },  { 0x1F300, 0x1F64F },
								  { 0x1F680, 0x1F6FF }, { 0x1F900, 0x1F9FF }, { 0x20000, 0x3FFFD } };
	for ( size_t i = 0; i < sizeof( none ) / sizeof( none[0] ); ++i )
	{
		if ( c >= none[i].first && c <= none[i].last )
		{
			return 0;
		}
	}
	for ( size_t i = 0; i < sizeof( wide ) / sizeof( wide[0] ); ++i )
	{
		if ( c >= wide[i].first && c <= wide[i].last )
		{
			return 2;
		}
	}
	return 1;
}

int MeasureText( const char* text )
{
	int columns = 0;
	while ( *text != 0 )
	{
		uint32_t c;
		text += DecodeUtf8( text, &c );
		columns += MeasureCodePoint( c );
	}
	return columns;
}

// Controls (C0, DEL, C1), line and paragraph separators, and the marks that reorder text.
static bool IsUnsafe( uint32_t c )
{
	return c < 0x20 || ( c >= 0x7F && c < 0xA0 ) || c == 0x2028 || c == 0x2029 || ( c >= 0x202A && c <= 0x202E ) ||
		   ( c >= 0x2066 && c <= 0x2069 );
}

// Copies whole characters from `text` while they fit in `columns` and in the buffer. Returns where it stopped reading.
static const char* CopyColumns( const char* text, const char* end, int columns, char* buffer, size_t capacity,
								size_t* used )
{
	static const char replacement[] = "\xEF\xBF\xBD";
	while ( text < end )
	{
		uint32_t c;
		size_t length = DecodeUtf8( text, &c );
		int width = MeasureCodePoint( c );
		bool replaced = c == 0xFFFD || IsUnsafe( c );
		size_t written = replaced ? 3 : length;
		if ( width > columns || *used + written + 1 > capacity )
		{
			break;
		}
		memcpy( buffer + *used, replaced ? replacement : text, written );
		*used += written;
		columns -= width;
		text += length;
	}
	buffer[*used] = 0;
	return text;
}

const char* CleanText( const char* text, int mostColumns, char* buffer, size_t capacity )
{
	size_t used = 0;
	const char* end = text + strlen( text );
	if ( mostColumns <= 0 || MeasureText( text ) <= mostColumns )
	{
		CopyColumns( text, end, 1 << 28, buffer, capacity, &used );
		return buffer;
	}
	// the tail tells names apart as often as the head: keep both
	int tailColumns = mostColumns / 3;
	int headColumns = mostColumns - tailColumns - 1;
	const char* tail = end;
	int columns = 0;
	for ( const char* p = text; p < end; )
	{
		uint32_t c;
		p += DecodeUtf8( p, &c );
		if ( MeasureText( p ) <= tailColumns )
		{
			tail = p;
			columns = MeasureText( p );
			break;
		}
	}
	CopyColumns( text, tail, headColumns, buffer, capacity, &used );
	if ( used + 4 <= capacity )
	{
		memcpy( buffer + used, "\xE2\x80\xA6", 4 );
		used += 3;
	}
	CopyColumns( tail, end, columns, buffer, capacity, &used );
	return buffer;
}

// ---------------------------------------------------------------------------------------------------------------------
// The nearest word

static char Lower( char c )
{
	return c >= 'A' && c <= 'Z' ? (char)( c - 'A' + 'a' ) : c;
}

// Edits (a byte put in, left out, changed, or two neighbours swapped) that lead from a to b: the optimal string
// alignment distance, without regard to case. Words longer than the table count as far away.
static int CountEdits( const char* a, const char* b )
{
	enum
	{
		most = 63
	};
	int rows[3][most + 1];
	size_t lengthA = strlen( a ), lengthB = strlen( b );
	if ( lengthA > most || lengthB > most )
	{
		return 1 << 20;
	}
	for ( size_t j = 0; j <= lengthB; ++j )
	{
		rows[0][j] = (int)j;
	}
	for ( size_t i = 1; i <= lengthA; ++i )
	{
		int* row = rows[i % 3];
		const int* above = rows[( i + 2 ) % 3];
		const int* twoAbove = rows[( i + 1 ) % 3];
		row[0] = (int)i;
		for ( size_t j = 1; j <= lengthB; ++j )
		{
			bool same = Lower( a[i - 1] ) == Lower( b[j - 1] );
			int edits = above[j - 1] + ( same ? 0 : 1 );
			edits = above[j] + 1 < edits ? above[j] + 1 : edits;
			edits = row[j - 1] + 1 < edits ? row[j - 1] + 1 : edits;
			bool swapped =
				i > 1 && j > 1 && Lower( a[i - 1] ) == Lower( b[j - 2] ) && Lower( a[i - 2] ) == Lower( b[j - 1] );
			if ( swapped && twoAbove[j - 2] + 1 < edits )
			{
				edits = twoAbove[j - 2] + 1;
			}
			row[j] = edits;
		}
	}
	return rows[lengthA % 3][lengthB];
}

static bool IsPrefix( const char* prefix, const char* text )
{
	size_t i = 0;
	while ( prefix[i] != 0 && Lower( prefix[i] ) == Lower( text[i] ) )
	{
		i += 1;
	}
	return i > 0 && prefix[i] == 0;
}

int32_t FindNearestName( const char* text, int32_t count, NameAtFcn* nameAt, const void* context )
{
	int32_t nearest = -1;
	int fewest = 1 << 20;
	for ( int32_t i = 0; i < count; ++i )
	{
		const char* name = nameAt( i, context );
		int allowed = (int)strlen( name ) / 3 + 1;
		int edits = CountEdits( text, name );
		// the beginning of a word counts as much as one wrong letter
		if ( edits > 1 && IsPrefix( text, name ) && strlen( text ) > 1 )
		{
			edits = 1;
		}
		else if ( edits > allowed && ( IsPrefix( text, name ) || IsPrefix( name, text ) ) )
		{
			edits = allowed;
		}
		if ( name[0] != 0 && edits <= allowed && edits < fewest )
		{
			fewest = edits;
			nearest = i;
		}
	}
	return nearest;
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers

static char* NextBuffer( size_t* capacity )
{
	static char buffers[8][96];
	static unsigned next;
	*capacity = sizeof( buffers[0] );
	return buffers[next++ % 8];
}

const char* FormatCount( int64_t count )
{
	size_t capacity;
	char* buffer = NextBuffer( &capacity );
	char digits[32];
	int length = snprintf( digits, sizeof( digits ), "%lld", (long long)count );
	size_t used = 0;
	for ( int i = 0; i < length; ++i )
	{
		bool first = i == 0 || digits[i - 1] == '-';
		if ( first == false && ( length - i ) % 3 == 0 )
		{
			buffer[used++] = ',';
		}
		buffer[used++] = digits[i];
	}
	buffer[used] = 0;
	return buffer;
}

const char* FormatBytes( uint64_t byteCount )
{
	size_t capacity;
	char* buffer = NextBuffer( &capacity );
	static const char* const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	double amount = (double)byteCount;
	int unit = 0;
	while ( amount >= 1024.0 && unit < 4 )
	{
		amount /= 1024.0;
		unit += 1;
	}
	snprintf( buffer, capacity, unit == 0 ? "%.0f %s" : "%.1f %s", amount, byteCount == 1 ? "byte" : units[unit] );
	return buffer;
}

const char* FormatShortest( float value )
{
	size_t capacity;
	char* buffer = NextBuffer( &capacity );
	for ( int digits = 1; digits <= 9; ++digits )
	{
		snprintf( buffer, capacity, "%.*g", digits, (double)value );
		if ( strtof( buffer, NULL ) == value )
		{
			break;
		}
	}
	// 30, not 3e+01
	if ( strstr( buffer, "e+" ) != NULL && value > -1e9f && value < 1e9f )
	{
		snprintf( buffer, capacity, "%.0f", (double)value );
	}
	return buffer;
}

const char* FormatPlural( int64_t count, const char* one, const char* many )
{
	const char* number = FormatCount( count );
	size_t capacity;
	char* buffer = NextBuffer( &capacity );
	snprintf( buffer, capacity, "%s %s", number, count == 1 ? one : many );
	return buffer;
}
