// SPDX-License-Identifier: MIT
// The BVH reader: words and numbers.
//
// The format has no specification, only habits; where they differ this reader does what follows.
// - Rotations are applied in the order in which the channels are listed: CHANNELS 3 Zrotation Xrotation Yrotation
//   means R = Rz Rx Ry.
// - Position channels replace the joint's OFFSET, on the root and on every other joint (as in Blender and
//   MotionBuilder, whose exports repeat the offset in the channels; three.js adds the two).
// - Names reach to the end of the line, so that they may hold blanks and colons.
// - Keywords in any case, blanks of any kind and number, "Frame Time:" also with blanks in odd places.
//
// Nothing is allocated on the word of the file: counts are held against the length of the text first.
#include "io/motion/bvh_reader.h"

#include "io/common/scan.h"

#include <stdio.h>

// Deeper than any skeleton; bounds the stack of open braces.
#define MAX_DEPTH 512

// More joints than any skeleton; bounds what later stages do with each pair of joints.
#define MAX_NODES 16384

// ---------------------------------------------------------------------------------------------------------------------
// Messages

// Lines are counted only when a message needs one.
static int GetLine( const supBvhReader* reader, const char* place )
{
	int line = 1;
	for ( const char* p = reader->text; p < place; ++p )
	{
		line += *p == '\n';
	}
	return line;
}

static bool FailAt( supBvhReader* reader, const char* place, supErrorCode code, const char* format, ... )
	SUP_PRINTF( 4, 5 );

static bool FailAt( supBvhReader* reader, const char* place, supErrorCode code, const char* format, ... )
{
	char where[sizeof( reader->error->where )];
	snprintf( where, sizeof( where ), "%s: line %d", reader->fileName, GetLine( reader, place ) );
	va_list arguments;
	va_start( arguments, format );
	supSetErrorV( reader->error, code, where, format, arguments );
	va_end( arguments );
	return false;
}

bool supBvh_AddNote( supBvhReader* reader, bool repaired, const char* text )
{
	if ( text == NULL || !SUP_PUSH( &reader->notes, ( supNote ){ repaired, text } ) )
	{
		return supSetMemoryError( reader->error );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Words and numbers. None of this depends on the locale.

static bool IsBlank( char c )
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static char ToLower( char c )
{
	return c >= 'A' && c <= 'Z' ? (char)( c - 'A' + 'a' ) : c;
}

static void SkipBlanks( supBvhReader* reader )
{
	while ( reader->cursor < reader->end && IsBlank( *reader->cursor ) )
	{
		++reader->cursor;
	}
}

// The next run of characters without blanks; braces stand alone. Empty at the end of the text.
typedef struct Word
{
	const char* start;
	int length;
} Word;

static Word PeekWord( supBvhReader* reader )
{
	SkipBlanks( reader );
	const char* p = reader->cursor;
	if ( p < reader->end && ( *p == '{' || *p == '}' ) )
	{
		return ( Word ){ p, 1 };
	}
	while ( p < reader->end && !IsBlank( *p ) && *p != '{' && *p != '}' && p - reader->cursor < 4096 )
	{
		++p;
	}
	return ( Word ){ reader->cursor, (int)( p - reader->cursor ) };
}

static Word ReadWord( supBvhReader* reader )
{
	Word word = PeekWord( reader );
	reader->cursor += word.length;
	return word;
}

static bool WordIs( Word word, const char* lowerCase )
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

// For "%.*s": long enough to recognise, short enough for a message.
static int Shorten( Word word )
{
	return word.length < 40 ? word.length : 40;
}

// Steps over `phrase` (lower case, without blanks), whatever blanks stand in between. False leaves the cursor alone.
static bool AcceptPhrase( supBvhReader* reader, const char* phrase )
{
	const char* before = reader->cursor;
	for ( ; *phrase != 0; ++phrase )
	{
		SkipBlanks( reader );
		if ( reader->cursor == reader->end || ToLower( *reader->cursor ) != *phrase )
		{
			reader->cursor = before;
			return false;
		}
		++reader->cursor;
	}
	return true;
}

// A decimal number followed by a blank, a brace or the end. NULL if there is none, else where it ends.
static const char* ScanNumber( const char* p, const char* end, double* number )
{
	const char* after = supScanNumber( p, end, number );
	bool stands = after != NULL && ( after == end || IsBlank( *after ) || *after == '{' || *after == '}' );
	return stands ? after : NULL;
}

// `what` names the number in messages.
static bool ReadNumber( supBvhReader* reader, const char* what, double* number )
{
	SkipBlanks( reader );
	if ( reader->cursor == reader->end )
	{
		return FailAt( reader, reader->cursor, sup_errorFormat, "the file is cut off: expected %s", what );
	}
	double value;
	const char* after = ScanNumber( reader->cursor, reader->end, &value );
	if ( after == NULL )
	{
		Word word = PeekWord( reader );
		return FailAt( reader, reader->cursor, sup_errorFormat,
					   "'%.*s' stands where %s should be; it is not a number (decimal point, no thousands separator)",
					   Shorten( word ), word.start, what );
	}
	if ( !supIsFinite( (float)value ) )
	{
		return FailAt( reader, reader->cursor, sup_errorFormat, "%s is implausibly large", what );
	}
	reader->cursor = after;
	*number = value;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Hierarchy

// Bytes of the UTF-8 sequence at p, 0 where it is none. Overlong forms and surrogates are let through to no harm.
static int MeasureSequence( const char* p, const char* end )
{
	unsigned char c = (unsigned char)*p;
	int length = c < 0x80 ? 1 : ( c >> 5 == 0x06 ? 2 : ( c >> 4 == 0x0e ? 3 : ( c >> 3 == 0x1e ? 4 : 0 ) ) );
	for ( int i = 1; i < length; ++i )
	{
		if ( p + i >= end || ( (unsigned char)p[i] & 0xc0 ) != 0x80 )
		{
			return 0;
		}
	}
	return length;
}

// A name that can be written to JSON and to a terminal: control characters and bytes that are not UTF-8 become '?'.
static const char* CopyText( supBvhReader* reader, const char* start, const char* end )
{
	end = end - start > 1024 ? start + 1024 : end;
	char* copy = supArena_Alloc( &reader->arena, (size_t)( end - start ) + 1 );
	if ( copy == NULL )
	{
		return NULL;
	}
	char* out = copy;
	for ( const char* p = start; p < end; )
	{
		int length = MeasureSequence( p, end );
		bool isControl = (unsigned char)*p < 0x20 || *p == 0x7f;
		for ( int i = 0; i < ( length > 0 ? length : 1 ); ++i )
		{
			*out++ = length == 0 || isControl ? '?' : p[i];
		}
		p += length > 0 ? length : 1;
	}
	*out = 0;
	return copy;
}

// The rest of the line without blanks around it, up to a brace.
static const char* ReadName( supBvhReader* reader )
{
	const char* start = reader->cursor;
	const char* p = start;
	while ( p < reader->end && *p != '\n' && *p != '\r' && *p != '{' )
	{
		++p;
	}
	reader->cursor = p;
	while ( start < p && IsBlank( *start ) )
	{
		++start;
	}
	while ( p > start && IsBlank( p[-1] ) )
	{
		--p;
	}
	return CopyText( reader, start, p );
}

static bool OpenNode( supBvhReader* reader, int32_t parent, bool isEnd )
{
	const char* place = reader->cursor;
	if ( reader->nodes.count >= MAX_NODES )
	{
		return FailAt( reader, place, sup_errorTooLarge, "more than %d joints", MAX_NODES );
	}
	const char* name = ReadName( reader );
	if ( isEnd )
	{
		name = supArena_Format( &reader->arena, "%s_end", reader->nodes.data[parent].name );
	}
	supNode node = { .name = name, .parent = parent, .rest = supTransform_identity };
	supBvhJoint joint = { .firstValue = reader->width, .isEnd = isEnd };
	if ( name == NULL || !SUP_PUSH( &reader->nodes, node ) || !SUP_PUSH( &reader->joints, joint ) )
	{
		return supSetMemoryError( reader->error );
	}
	if ( !WordIs( ReadWord( reader ), "{" ) )
	{
		return FailAt( reader, place, sup_errorFormat, "'{' is missing after the name of joint '%s'", name );
	}
	return true;
}

static bool ReadOffset( supBvhReader* reader, int32_t index )
{
	if ( reader->joints.data[index].hasOffset )
	{
		return FailAt( reader, reader->cursor, sup_errorFormat, "joint '%s' has two OFFSET lines",
					   reader->nodes.data[index].name );
	}
	double x, y, z;
	if ( !ReadNumber( reader, "an OFFSET", &x ) || !ReadNumber( reader, "an OFFSET", &y ) ||
		 !ReadNumber( reader, "an OFFSET", &z ) )
	{
		return false;
	}
	reader->joints.data[index].hasOffset = true;
	reader->nodes.data[index].rest.translation = supMakeVec3( (float)x, (float)y, (float)z );
	return true;
}

static bool ReadChannels( supBvhReader* reader, int32_t index )
{
	static const char* const names[] = { "xposition", "yposition", "zposition", "xrotation", "yrotation", "zrotation" };
	supBvhJoint* joint = &reader->joints.data[index];
	const char* jointName = reader->nodes.data[index].name;
	if ( joint->hasChannels || joint->isEnd )
	{
		return FailAt( reader, reader->cursor, sup_errorFormat, "'%s' %s", jointName,
					   joint->isEnd ? "is an End Site, which has no CHANNELS" : "has two CHANNELS lines" );
	}
	double count;
	if ( !ReadNumber( reader, "the number of CHANNELS", &count ) )
	{
		return false;
	}
	if ( !( count >= 0.0 && count <= SUP_BVH_MAX_CHANNELS ) || count != (double)(int)count )
	{
		return FailAt( reader, reader->cursor, sup_errorFormat,
					   "joint '%s' has %g CHANNELS; at most 3 positions and 3 rotations are possible", jointName,
					   count );
	}
	uint32_t seen = 0;
	for ( int i = 0; i < (int)count; ++i )
	{
		Word word = ReadWord( reader );
		int kind = 0;
		while ( kind < SUP_COUNT( names ) && !WordIs( word, names[kind] ) )
		{
			++kind;
		}
		if ( kind == SUP_COUNT( names ) || ( seen & 1u << kind ) != 0 )
		{
			return FailAt( reader, word.start, sup_errorFormat,
						   "joint '%s' has %d CHANNELS, but '%.*s' is not a channel (Xposition .. Zrotation)",
						   jointName, (int)count, Shorten( word ), word.start );
		}
		seen |= 1u << kind;
		joint->channels[i] = (uint8_t)kind;
	}
	joint->hasChannels = true;
	joint->channelCount = (int32_t)count;
	joint->firstValue = reader->width;
	reader->width += joint->channelCount;
	return true;
}

// Everything up to and with the word MOTION. Joints are kept on a stack of our own: nesting costs no recursion.
static bool ReadHierarchy( supBvhReader* reader )
{
	int32_t open[MAX_DEPTH];
	int32_t depth = 0;
	for ( ;; )
	{
		Word word = ReadWord( reader );
		bool isEnd = WordIs( word, "end" );
		if ( WordIs( word, "motion" ) && depth == 0 )
		{
			break;
		}
		if ( WordIs( word, "}" ) && depth > 0 )
		{
			--depth;
		}
		else if ( WordIs( word, "offset" ) && depth > 0 )
		{
			if ( !ReadOffset( reader, open[depth - 1] ) )
			{
				return false;
			}
		}
		else if ( WordIs( word, "channels" ) && depth > 0 )
		{
			if ( !ReadChannels( reader, open[depth - 1] ) )
			{
				return false;
			}
		}
		else if ( depth == 0 ? WordIs( word, "root" ) : isEnd || WordIs( word, "joint" ) )
		{
			if ( depth == MAX_DEPTH )
			{
				return FailAt( reader, word.start, sup_errorTooLarge, "joints are nested deeper than %d levels",
							   MAX_DEPTH );
			}
			if ( depth > 0 && reader->joints.data[open[depth - 1]].isEnd )
			{
				return FailAt( reader, word.start, sup_errorFormat, "an End Site cannot have joints below it" );
			}
			if ( !OpenNode( reader, depth > 0 ? open[depth - 1] : -1, isEnd ) )
			{
				return false;
			}
			open[depth++] = reader->nodes.count - 1;
		}
		else if ( word.length == 0 )
		{
			return FailAt( reader, word.start, sup_errorFormat, "the file ends inside the HIERARCHY; it was cut off" );
		}
		else
		{
			return FailAt( reader, word.start, sup_errorFormat, "unexpected '%.*s' (%s)", Shorten( word ), word.start,
						   depth == 0 ? "ROOT or MOTION" : "OFFSET, CHANNELS, JOINT, End Site or '}'" );
		}
	}
	return reader->nodes.count > 0 ||
		   FailAt( reader, reader->cursor, sup_errorFormat, "the HIERARCHY has no ROOT joint" );
}

// ---------------------------------------------------------------------------------------------------------------------
// Motion

static bool ReadMotionHeader( supBvhReader* reader )
{
	SkipBlanks( reader );
	if ( !AcceptPhrase( reader, "frames:" ) )
	{
		return FailAt( reader, reader->cursor, sup_errorFormat, "'Frames:' is missing after MOTION" );
	}
	const char* place = reader->cursor;
	double frames;
	if ( !ReadNumber( reader, "the number of frames", &frames ) )
	{
		return false;
	}
	SkipBlanks( reader );
	if ( !AcceptPhrase( reader, "frametime:" ) )
	{
		return FailAt( reader, reader->cursor, sup_errorFormat, "'Frame Time:' is missing after 'Frames:'" );
	}
	if ( !ReadNumber( reader, "the frame time", &reader->frameTime ) )
	{
		return false;
	}
	// a number needs a digit and a blank: what the rest of the text cannot hold is not worth allocating for
	double room = ( (double)( reader->end - reader->cursor ) + 1.0 ) / 2.0;
	if ( !( frames >= 0.0 ) || frames != (double)(int64_t)frames || frames * (double)reader->width > room )
	{
		return FailAt( reader, place, sup_errorFormat,
					   "'Frames: %g' of %d numbers each do not fit: only %zu characters follow. The file is cut off "
					   "or the count is wrong",
					   frames, reader->width, (size_t)( reader->end - reader->cursor ) );
	}
	reader->frameCount = reader->width > 0 ? (int32_t)( frames < 1e8 ? frames : 1e8 ) : 0;
	if ( reader->frameTime == 0.0 )
	{
		reader->frameTime = 1.0 / 30.0;
		return supBvh_AddNote( reader, true, "'Frame Time: 0' was read as 1/30 s" );
	}
	if ( !( reader->frameTime >= 1e-6 && reader->frameTime <= 3600.0 ) )
	{
		return FailAt( reader, reader->cursor, sup_errorFormat, "the frame time must be 1e-6 to 3600 s (got %g)",
					   reader->frameTime );
	}
	return true;
}

static bool ReadFrames( supBvhReader* reader )
{
	size_t wanted = (size_t)reader->frameCount * (size_t)reader->width;
	float* values = supArena_AllocArray( &reader->arena, wanted, sizeof( float ) );
	if ( values == NULL )
	{
		return supSetMemoryError( reader->error );
	}
	size_t count = 0;
	for ( ; count < wanted; ++count )
	{
		SkipBlanks( reader );
		if ( reader->cursor == reader->end )
		{
			break;
		}
		double value;
		if ( !ReadNumber( reader, "a channel value", &value ) )
		{
			return false;
		}
		values[count] = (float)value;
	}
	reader->values = values;
	SkipBlanks( reader );
	if ( reader->cursor < reader->end )
	{
		Word word = PeekWord( reader );
		return FailAt( reader, reader->cursor, sup_errorFormat,
					   "'%.*s' follows after the last of %d frames of %d numbers; correct 'Frames:' or the file",
					   Shorten( word ), word.start, reader->frameCount, reader->width );
	}
	if ( count < wanted )
	{
		int32_t whole = (int32_t)( count / (size_t)reader->width );
		if ( whole == 0 || whole < reader->frameCount - 1 )
		{
			return FailAt( reader, reader->end, sup_errorFormat,
						   "the file ends after %d of %d frames; it was cut off, or correct 'Frames:'", whole,
						   reader->frameCount );
		}
		reader->frameCount = whole;
		return supBvh_AddNote(
			reader, true,
			supArena_Format( &reader->arena,
							 "the last frame has only %d of %d numbers: the clip ends one frame earlier",
							 (int)( count % (size_t)reader->width ), reader->width ) );
	}
	return true;
}

bool supBvh_Read( supBvhReader* reader )
{
	// a byte order mark is not a word
	if ( reader->end - reader->cursor >= 3 && memcmp( reader->cursor, "\xef\xbb\xbf", 3 ) == 0 )
	{
		reader->cursor += 3;
	}
	if ( !WordIs( ReadWord( reader ), "hierarchy" ) )
	{
		return FailAt( reader, reader->text, sup_errorFormat,
					   "the first word is not HIERARCHY: this is not a BVH file" );
	}
	return ReadHierarchy( reader ) && ReadMotionHeader( reader ) && ReadFrames( reader );
}
