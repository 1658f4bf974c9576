// SPDX-License-Identifier: MIT
// Text to values. Everything that may be inside of something else is kept on a list of our own rather than on the
// stack of calls, which in a browser is short.
#include "json.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What Get returns beside bytes.
enum
{
	getEnd = -1,
	getBroken = -2,
};

// Signs stand for themselves.
typedef enum Token
{
	tokenInvalid = -1,
	tokenEnd = 0,
	tokenString = 256,
	tokenInteger,
	tokenReal,
	tokenTrue,
	tokenFalse,
	tokenNull,
} Token;

typedef struct Parser
{
	const char* text;
	size_t length;
	size_t at;
	// bytes of the character at `at` that are known to be good
	size_t checked;
	bool broken;
	int line;
	int column;
	int lastColumn;
	int position;
	json_error_t* error;

	// the token that was read last: its text and its value
	Token token;
	size_t start;
	size_t end;
	char* string;
	size_t stringLength;
	json_int_t integer;
	double real;

	// what is open
	size_t flags;
	int depth;
	json_t* open[JSON_MAX_DEPTH];
} Parser;

// Keeps what was said first. Returns false.
static bool Refuse( const Parser* parser, const char* format, ... )
{
	json_error_t* error = parser->error;
	if ( error == NULL || error->text[0] != 0 )
	{
		return false;
	}
	char text[JSON_ERROR_TEXT_LENGTH];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( text, sizeof( text ), format, arguments );
	va_end( arguments );
	error->line = parser->line;
	error->column = parser->column;
	error->position = parser->position;
	size_t saved = parser->end - parser->start;
	if ( saved > 0 && parser->text[parser->start] != 0 )
	{
		char near[24] = "";
		memcpy( near, parser->text + parser->start, saved <= 20 ? saved : 0 );
		snprintf( error->text, sizeof( error->text ), saved <= 20 ? "%s near '%s'" : "%s", text, near );
	}
	else
	{
		snprintf( error->text, sizeof( error->text ), parser->broken ? "%s" : "%s near end of file", text );
	}
	return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bytes

static bool IsContinuation( int c )
{
	return ( c & 0xC0 ) == 0x80;
}

static int Get( Parser* parser )
{
	if ( parser->broken || parser->at == parser->length )
	{
		return parser->broken ? getBroken : getEnd;
	}
	int c = (unsigned char)parser->text[parser->at];
	if ( parser->checked == 0 )
	{
		parser->checked = supCheckUtf8( parser->text + parser->at, parser->length - parser->at );
		if ( parser->checked == 0 )
		{
			parser->broken = true;
			Refuse( parser, "unable to decode byte 0x%x", (unsigned)c );
			return getBroken;
		}
	}
	parser->checked -= 1;
	parser->at += 1;
	parser->position += 1;
	if ( c == '\n' )
	{
		parser->line += 1;
		parser->lastColumn = parser->column;
		parser->column = 0;
	}
	else
	{
		parser->column += IsContinuation( c ) ? 0 : 1;
	}
	return c;
}

// A byte of the token.
static int Take( Parser* parser )
{
	int c = Get( parser );
	parser->end += c >= 0 ? 1 : 0;
	return c;
}

// Back before `c`, which Get has just returned.
static void Unget( Parser* parser, int c )
{
	if ( c < 0 )
	{
		return;
	}
	parser->position -= 1;
	if ( c == '\n' )
	{
		parser->line -= 1;
		parser->column = parser->lastColumn;
	}
	else
	{
		parser->column -= IsContinuation( c ) ? 0 : 1;
	}
	// a zero byte behind a number or a word is lost, as jansson has it
	if ( c != 0 )
	{
		parser->at -= 1;
		parser->checked += 1;
	}
}

static void Untake( Parser* parser, int c )
{
	Unget( parser, c );
	parser->end -= c >= 0 ? 1 : 0;
}

static bool IsDigit( int c )
{
	return c >= '0' && c <= '9';
}

static bool IsLetter( int c )
{
	return ( c >= 'a' && c <= 'z' ) || ( c >= 'A' && c <= 'Z' );
}

// -1 where it is no digit.
static int HexDigit( int c )
{
	return IsDigit( c ) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// ---------------------------------------------------------------------------------------------------------------------
// Strings

// After a backslash. Returns the byte behind the escape, or getBroken where it is none.
static int TakeEscape( Parser* parser )
{
	int c = Take( parser );
	if ( c == 'u' )
	{
		c = Take( parser );
		for ( int i = 0; i < 4; ++i )
		{
			if ( HexDigit( c ) < 0 )
			{
				Refuse( parser, "invalid escape" );
				return getBroken;
			}
			c = Take( parser );
		}
		return c;
	}
	if ( c <= 0 || strchr( "\"\\/bfnrt", c ) == NULL )
	{
		Refuse( parser, "invalid escape" );
		return getBroken;
	}
	return Take( parser );
}

// Up to and with the closing quote.
static bool TakeString( Parser* parser )
{
	int c = Take( parser );
	while ( c != '"' )
	{
		if ( c == getBroken )
		{
			return false;
		}
		if ( c == getEnd )
		{
			return Refuse( parser, "premature end of input" );
		}
		if ( c <= 0x1F )
		{
			Untake( parser, c );
			return c == '\n' ? Refuse( parser, "unexpected newline" )
							 : Refuse( parser, "control character 0x%x", (unsigned)c );
		}
		c = c == '\\' ? TakeEscape( parser ) : Take( parser );
	}
	return true;
}

static uint32_t FourDigits( const char* text )
{
	uint32_t value = 0;
	for ( int i = 0; i < 4; ++i )
	{
		value = value << 4 | (uint32_t)HexDigit( text[i] );
	}
	return value;
}

// The character of the escape at `from`, which is moved behind it. False where surrogates do not make a pair.
static bool DecodeUnicode( const Parser* parser, const char** from, uint32_t* value )
{
	*value = FourDigits( *from + 2 );
	*from += 6;
	bool leads = *value >= 0xD800 && *value <= 0xDBFF;
	if ( leads && ( *from )[0] == '\\' && ( *from )[1] == 'u' )
	{
		uint32_t second = FourDigits( *from + 2 );
		*from += 6;
		if ( second < 0xDC00 || second > 0xDFFF )
		{
			return Refuse( parser, "invalid Unicode '\\u%04X\\u%04X'", (unsigned)*value, (unsigned)second );
		}
		*value = ( ( *value - 0xD800 ) << 10 ) + ( second - 0xDC00 ) + 0x10000;
		return true;
	}
	if ( *value >= 0xD800 && *value <= 0xDFFF )
	{
		return Refuse( parser, "invalid Unicode '\\u%04X'", (unsigned)*value );
	}
	return true;
}

static char* EncodeUtf8( char* to, uint32_t value )
{
	if ( value < 0x80 )
	{
		*to++ = (char)value;
		return to;
	}
	int more = value < 0x800 ? 1 : value < 0x10000 ? 2 : 3;
	static const unsigned leads[] = { 0, 0xC0, 0xE0, 0xF0 };
	*to++ = (char)( leads[more] | value >> 6 * more );
	for ( int i = more - 1; i >= 0; --i )
	{
		*to++ = (char)( 0x80 | ( value >> 6 * i & 0x3F ) );
	}
	return to;
}

static char Unescape( char c )
{
	switch ( c )
	{
		case 'b':
			return '\b';
		case 'f':
			return '\f';
		case 'n':
			return '\n';
		case 'r':
			return '\r';
		case 't':
			return '\t';
		default:
			return c;
	}
}

static bool ScanString( Parser* parser )
{
	if ( TakeString( parser ) == false )
	{
		return false;
	}
	// no escape is shorter than what it stands for
	char* to = parser->string = supJsonAlloc( parser->end - parser->start + 1 );
	if ( to == NULL )
	{
		return false;
	}
	const char* from = parser->text + parser->start + 1;
	while ( *from != '"' )
	{
		if ( from[0] != '\\' )
		{
			*to++ = *from++;
		}
		else if ( from[1] != 'u' )
		{
			*to++ = Unescape( from[1] );
			from += 2;
		}
		else
		{
			uint32_t value;
			if ( DecodeUnicode( parser, &from, &value ) == false )
			{
				return false;
			}
			to = EncodeUtf8( to, value );
		}
	}
	*to = 0;
	parser->stringLength = (size_t)( to - parser->string );
	return true;
}

static void FreeString( Parser* parser )
{
	supJsonFree( parser->string );
	parser->string = NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers

// Digits behind `c`, which is one. Returns what follows.
static int TakeDigits( Parser* parser )
{
	int c = Take( parser );
	while ( IsDigit( c ) )
	{
		c = Take( parser );
	}
	return c;
}

// The text of the number, ended by a zero: a copy on the heap where it is long. NULL where out of memory.
static char* CopyNumber( const Parser* parser, char* small, size_t capacity )
{
	size_t length = parser->end - parser->start;
	char* text = length < capacity ? small : supJsonAlloc( length + 1 );
	if ( text != NULL )
	{
		memcpy( text, parser->text + parser->start, length );
		text[length] = 0;
	}
	return text;
}

static Token FinishInteger( Parser* parser, const char* text )
{
	errno = 0;
	parser->integer = strtoll( text, NULL, 10 );
	if ( errno == ERANGE )
	{
		Refuse( parser, parser->integer < 0 ? "too big negative integer" : "too big integer" );
		return tokenInvalid;
	}
	return tokenInteger;
}

static Token FinishReal( Parser* parser, const char* text )
{
	parser->real = strtod( text, NULL );
	if ( isinf( parser->real ) )
	{
		Refuse( parser, "real number overflow" );
		return tokenInvalid;
	}
	return tokenReal;
}

// The part behind the whole number; `c` is what follows that. False where it is not right.
static bool TakeFraction( Parser* parser, int c )
{
	if ( c == '.' )
	{
		c = Get( parser );
		if ( IsDigit( c ) == false )
		{
			Unget( parser, c );
			return false;
		}
		parser->end += 1;
		c = TakeDigits( parser );
	}
	if ( c == 'e' || c == 'E' )
	{
		c = Take( parser );
		c = c == '+' || c == '-' ? Take( parser ) : c;
		if ( IsDigit( c ) == false )
		{
			Untake( parser, c );
			return false;
		}
		c = TakeDigits( parser );
	}
	Untake( parser, c );
	return true;
}

static Token ScanNumber( Parser* parser, int c )
{
	c = c == '-' ? Take( parser ) : c;
	bool zero = c == '0';
	if ( IsDigit( c ) == false )
	{
		Untake( parser, c );
		return tokenInvalid;
	}
	c = zero ? Take( parser ) : TakeDigits( parser );
	if ( zero && IsDigit( c ) )
	{
		Untake( parser, c );
		return tokenInvalid;
	}
	bool whole = c != '.' && c != 'e' && c != 'E';
	if ( whole )
	{
		Untake( parser, c );
	}
	else if ( TakeFraction( parser, c ) == false )
	{
		return tokenInvalid;
	}
	char small[64];
	char* text = CopyNumber( parser, small, sizeof( small ) );
	Token token = text == NULL ? tokenInvalid : whole ? FinishInteger( parser, text ) : FinishReal( parser, text );
	if ( text != small )
	{
		supJsonFree( text );
	}
	return token;
}

// ---------------------------------------------------------------------------------------------------------------------
// Tokens

static Token ScanWord( Parser* parser )
{
	static const struct
	{
		const char* text;
		Token token;
	} words[] = { { "true", tokenTrue }, { "false", tokenFalse }, { "null", tokenNull } };
	int c = Take( parser );
	while ( IsLetter( c ) )
	{
		c = Take( parser );
	}
	Untake( parser, c );
	size_t length = parser->end - parser->start;
	for ( size_t i = 0; i < sizeof( words ) / sizeof( words[0] ); ++i )
	{
		if ( strlen( words[i].text ) == length && memcmp( words[i].text, parser->text + parser->start, length ) == 0 )
		{
			return words[i].token;
		}
	}
	return tokenInvalid;
}

static Token ScanToken( Parser* parser )
{
	parser->start = parser->end = parser->at;
	FreeString( parser );
	int c = Get( parser );
	while ( c == ' ' || c == '\t' || c == '\n' || c == '\r' )
	{
		c = Get( parser );
	}
	if ( c < 0 )
	{
		return c == getEnd ? tokenEnd : tokenInvalid;
	}
	parser->start = parser->at - 1;
	parser->end = parser->at;
	if ( c != 0 && strchr( "{}[]:,", c ) != NULL )
	{
		return (Token)c;
	}
	if ( c == '"' )
	{
		return ScanString( parser ) ? tokenString : tokenInvalid;
	}
	if ( IsDigit( c ) || c == '-' )
	{
		return ScanNumber( parser, c );
	}
	if ( IsLetter( c ) )
	{
		return ScanWord( parser );
	}
	// the message shows whole characters
	while ( parser->checked > 0 )
	{
		Take( parser );
	}
	return tokenInvalid;
}

static void Scan( Parser* parser )
{
	parser->token = ScanToken( parser );
}

// ---------------------------------------------------------------------------------------------------------------------
// Values

static json_t* MakeString( Parser* parser )
{
	if ( ( parser->flags & JSON_ALLOW_NUL ) == 0 && memchr( parser->string, 0, parser->stringLength ) != NULL )
	{
		Refuse( parser, "\\u0000 is not allowed without JSON_ALLOW_NUL" );
		return NULL;
	}
	char* text = parser->string;
	parser->string = NULL;
	return supOwnString( text, parser->stringLength );
}

// The value that begins with the token, empty where it is a list or an object.
static json_t* MakeValue( Parser* parser )
{
	if ( parser->depth >= JSON_MAX_DEPTH )
	{
		Refuse( parser, "maximum parsing depth reached" );
		return NULL;
	}
	switch ( (int)parser->token )
	{
		case tokenString:
			return MakeString( parser );
		case tokenInteger:
			return json_integer( parser->integer );
		case tokenReal:
			return json_real( parser->real );
		case tokenTrue:
			return json_true();
		case tokenFalse:
			return json_false();
		case tokenNull:
			return json_null();
		case '{':
			return json_object();
		case '[':
			return json_array();
		case tokenInvalid:
			Refuse( parser, "invalid token" );
			return NULL;
		default:
			Refuse( parser, "unexpected token" );
			return NULL;
	}
}

// The list or object becomes the innermost one. True where it is empty, and so closed already.
static bool Open( Parser* parser, json_t* container )
{
	parser->open[parser->depth++] = container;
	Scan( parser );
	bool empty = (int)parser->token == ( json_is_object( container ) ? '}' : ']' );
	parser->depth -= empty ? 1 : 0;
	return empty;
}

// An item is complete: on to the next one of what is open. False where the text is wrong.
static bool FinishItem( Parser* parser )
{
	while ( parser->depth > 0 )
	{
		Scan( parser );
		if ( (int)parser->token == ',' )
		{
			Scan( parser );
			return true;
		}
		bool isObject = json_is_object( parser->open[parser->depth - 1] );
		if ( (int)parser->token != ( isObject ? '}' : ']' ) )
		{
			return Refuse( parser, isObject ? "'}' expected" : "']' expected" );
		}
		parser->depth -= 1;
	}
	return true;
}

// The value goes where it belongs at once, so that with the root everything is released.
static bool FinishValue( Parser* parser, json_t* container, const char* key, size_t keyLength )
{
	json_t* value = MakeValue( parser );
	int failed = value == NULL ? -1
				 : key != NULL ? supSetKey( container, key, keyLength, value )
							   : json_array_append_new( container, value );
	if ( failed != 0 )
	{
		return false;
	}
	bool isContainer = json_is_object( value ) || json_is_array( value );
	return ( isContainer && Open( parser, value ) == false ) || FinishItem( parser );
}

static bool ParseMember( Parser* parser, json_t* object )
{
	if ( parser->token != tokenString )
	{
		return Refuse( parser, "string or '}' expected" );
	}
	if ( memchr( parser->string, 0, parser->stringLength ) != NULL )
	{
		return Refuse( parser, "NUL byte in object key not supported" );
	}
	if ( ( parser->flags & JSON_REJECT_DUPLICATES ) != 0 && json_object_get( object, parser->string ) != NULL )
	{
		return Refuse( parser, "duplicate object key" );
	}
	char* key = parser->string;
	size_t length = parser->stringLength;
	parser->string = NULL;
	Scan( parser );
	bool ok = (int)parser->token == ':' || Refuse( parser, "':' expected" );
	if ( ok )
	{
		Scan( parser );
		ok = FinishValue( parser, object, key, length );
	}
	supJsonFree( key );
	return ok;
}

// The token begins an item of the innermost list or object.
static bool ParseItem( Parser* parser )
{
	json_t* container = parser->open[parser->depth - 1];
	if ( json_is_object( container ) )
	{
		return ParseMember( parser, container );
	}
	return parser->token == tokenEnd ? Refuse( parser, "']' expected" ) : FinishValue( parser, container, NULL, 0 );
}

static json_t* ParseTree( Parser* parser )
{
	Scan( parser );
	if ( (int)parser->token != '[' && (int)parser->token != '{' )
	{
		Refuse( parser, "'[' or '{' expected" );
		return NULL;
	}
	json_t* root = MakeValue( parser );
	bool ok = root != NULL;
	if ( ok )
	{
		Open( parser, root );
	}
	while ( ok && parser->depth > 0 )
	{
		ok = ParseItem( parser );
	}
	if ( ok )
	{
		Scan( parser );
		ok = parser->token == tokenEnd || Refuse( parser, "end of file expected" );
	}
	if ( ok == false )
	{
		json_decref( root );
		root = NULL;
	}
	return root;
}

json_t* json_loadb( const char* text, size_t length, size_t flags, json_error_t* error )
{
	if ( error != NULL )
	{
		*error = ( json_error_t ){ .line = -1, .column = -1 };
	}
	Parser* parser = supJsonAlloc( sizeof( Parser ) );
	if ( parser == NULL || text == NULL )
	{
		supJsonFree( parser );
		return NULL;
	}
	memset( parser, 0, sizeof( Parser ) );
	parser->text = text;
	parser->length = length;
	parser->line = 1;
	parser->flags = flags;
	parser->error = error;
	json_t* root = ParseTree( parser );
	if ( root != NULL && error != NULL )
	{
		error->position = parser->position;
	}
	FreeString( parser );
	supJsonFree( parser );
	return root;
}
