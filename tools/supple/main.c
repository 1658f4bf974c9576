// SPDX-License-Identifier: MIT
#include "supple/supple.h"

#include <stdio.h>

int main( int argc, char** argv )
{
	(void)argc;
	(void)argv;
	supVersion version = supGetVersion();
	printf( "supple %d.%d.%d\n", version.major, version.minor, version.patch );
	return 0;
}
