// Breaks every rule that test/source/check.sh knows. Never compiled.
#include "character/pose.h"
#include "supple/io.h"
#include <jansson.h>
// a comment may say cosf( x ) and #include "io/common/file.h"
static float Turn( float x )
{
	return cosf( x );
}
