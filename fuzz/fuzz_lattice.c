// SPDX-License-Identifier: MIT
// The reader of control lattices over whatever bytes come; small ones are made flesh of and stepped.
#include "io/tets/lattice_file.h"
#include "small_flesh.h"

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );

#define MOST_CELLS 64

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	supSetLog( NULL, NULL );
	static supCharacter* tube;
	tube = tube != NULL ? tube : CreateTube();
	supError error = { 0 };
	supControlLattice lattice = { 0 };
	bool ok = supParseControlLattice( &lattice, data, size, "lattice.json", tube, &error );
	if ( ok == ( error.code != sup_errorNone ) )
	{
		abort();
	}
	supFlesh* flesh =
		ok && lattice.cellCount <= MOST_CELLS ? BuildSmall( tube, sup_methodFem, &lattice, &error ) : NULL;
	supSceneDef def = supDefaultSceneDef();
	supScene* scene = flesh != NULL ? supCreateScene( &def, NULL ) : NULL;
	supActor* actor = scene != NULL ? supScene_AddActor( scene, flesh, NULL ) : NULL;
	if ( actor != NULL )
	{
		Input input = { data, size };
		StepActor( scene, actor, tube, &input );
	}
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	if ( ok )
	{
		supControlLattice_Destroy( &lattice );
	}
	return 0;
}
