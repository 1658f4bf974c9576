// SPDX-License-Identifier: MIT
// The build with `position` alone: the other methods with flesh are known by name, so that settings that ask for them
// get an answer. Linked before the library, whose own tables then stay out, with all that only they need.
#include "method/method.h"

static void* Refuse( const supFleshInput* input, supError* error )
{
	(void)input;
	supSetError( error, sup_errorUnsupported, "method",
				 "this build of Supple has \"position\" alone; use the one with all methods ({ build: 'methods' })" );
	return NULL;
}

#define LEFT_OUT( method, title )                                                                                      \
	const supMethod supMethod_##method = { .name = title, .summary = "not in this build", .createFlesh = Refuse }

LEFT_OUT( lattice, "lattice" );
LEFT_OUT( points, "points" );
LEFT_OUT( layered, "layered" );
LEFT_OUT( fem, "fem" );
LEFT_OUT( modes, "modes" );
