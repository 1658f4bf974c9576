// SPDX-License-Identifier: MIT
// In place of the formats that assimp reads (src/io/assimp/assimp_import.h): it is not in the browser.
#include "io/assimp/assimp_import.h"

#include "core/core.h"

supCharacter* supImportCharacter( const char* path, const supLoadDef* def, supError* error )
{
	(void)def;
	supSetError( error, sup_errorUnsupported, path,
				 "here only .glb, .gltf, .vrm and .bvh are read; the command line turns others into them: supple "
				 "convert IN -o OUT.glb" );
	return NULL;
}

bool supCanImport( const char* extension )
{
	(void)extension;
	return false;
}
