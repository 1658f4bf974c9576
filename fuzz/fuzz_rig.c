// SPDX-License-Identifier: MIT
// The reader of clicks that make a skeleton, over whatever bytes come.
#include "io/settings/rig_file.h"
#include "small_flesh.h"

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	supSetLog( NULL, NULL );
	static supCharacter* tube;
	tube = tube != NULL ? tube : CreateTube();
	supError error = { 0 };
	supRig* rig = supCreateRig( tube, NULL, NULL );
	bool ok = supParseClicks( rig, data, size, "clicks.json", &error );
	if ( ok == ( error.code != sup_errorNone ) )
	{
		abort();
	}
	supCharacter* skeleton = ok ? supRig_CreateSkeleton( rig, &error ) : NULL;
	if ( ok && ( skeleton == NULL ) != ( error.code != sup_errorNone ) )
	{
		abort();
	}
	supDestroyCharacter( skeleton );
	supDestroyRig( rig );
	return 0;
}
