// SPDX-License-Identifier: MIT
// A look inside: elements, layers, and maps of figures over the surface.
#include "exports.h"

#include "scene/elements.h"
#include "scene/heat.h"

#include <stdio.h>

typedef struct supWebElements
{
	supFleshElements elements;
	supVec3* points;
	supVec3* now;
	uint8_t* layers;
	char names[SUP_MAX_LAYERS * 64];
} supWebElements;

SUP_WEB void supWeb_DestroyElements( supWebElements* own )
{
	supFleshElements_Destroy( &own->elements );
	supFree( own->layers );
	supFree( own->now );
	supFree( own );
}

SUP_WEB supWebElements* supWeb_ListElements( const supFlesh* flesh )
{
	supClearError( &g_webError );
	supWebElements* own = supAllocZeroed( sizeof( *own ) );
	if ( own == NULL )
	{
		supSetMemoryError( &g_webError );
		return NULL;
	}
	bool ok = supFlesh_ListElements( flesh, supWeb_Tasks(), &own->elements, &own->points, &g_webError );
	own->now = ok ? supAllocArray( (size_t)own->elements.pointCount, sizeof( supVec3 ) ) : NULL;
	if ( own->now == NULL )
	{
		supSetMemoryError( &g_webError );
		supWeb_DestroyElements( own );
		return NULL;
	}
	return own;
}

// Layers as the settings, of which the flesh was built, have them. Returns how many there are; 0 with an error.
SUP_WEB int32_t supWeb_FindLayers( supWebElements* own, const supFlesh* flesh, const char* text, uint32_t length )
{
	supClearError( &g_webError );
	const supCharacter* character = supFlesh_Character( flesh );
	supSettings* settings = supParseSettings( text, length, "settings", character, &g_webError );
	if ( own->layers == NULL )
	{
		own->layers = supAllocArray( (size_t)own->elements.count, 1 );
	}
	bool ok = settings != NULL && ( own->layers != NULL || supSetMemoryError( &g_webError ) ) &&
			  supFlesh_FindLayers( flesh, &settings->def, &own->elements, own->points, supWeb_Tasks(), own->layers,
								   &g_webError );
	int32_t count = 0;
	const supLayer* layers = supStandardLayers( &count );
	layers = ok && settings->def.layerCount > 0 ? settings->def.layers : layers;
	count = ok && settings->def.layerCount > 0 ? settings->def.layerCount : count;
	own->names[0] = 0;
	for ( int32_t i = 0; i < count && ok; ++i )
	{
		size_t used = strlen( own->names );
		snprintf( own->names + used, sizeof( own->names ) - used, "%s%.60s", i > 0 ? "\n" : "", layers[i].name );
	}
	supDestroySettings( settings );
	return ok ? count : 0;
}

// Names of the layers, one a line.
SUP_WEB const char* supWeb_LayerNames( const supWebElements* own )
{
	return own->names;
}

// 0 nothing, 1 tets, 2 voxels, 3 a lattice
SUP_WEB int32_t supWeb_ElementKind( const supWebElements* own )
{
	return (int32_t)own->elements.kind;
}

SUP_WEB float supWeb_VoxelSize( const supWebElements* own )
{
	return own->elements.size;
}

// points, elements, corners of an element, lines
SUP_WEB int32_t supWeb_ElementCount( const supWebElements* own, int32_t which )
{
	const supFleshElements* elements = &own->elements;
	const int32_t counts[] = { elements->pointCount, elements->count, elements->cornerCount, elements->lineCount };
	return counts[which];
}

// points, corners, lines, colours, layers; NULL where there is none
SUP_WEB const void* supWeb_ElementArray( const supWebElements* own, int32_t which )
{
	const supFleshElements* elements = &own->elements;
	const void* const arrays[] = { own->points, elements->corners, elements->lines, elements->colors, own->layers };
	return arrays[which];
}

// Where the points are now; NULL with an error.
SUP_WEB const supVec3* supWeb_ReadElements( supWebElements* own, const supActor* actor )
{
	supClearError( &g_webError );
	bool ok = supActor_ReadElements( actor, own->elements.pointCount, own->now, &g_webError );
	return ok ? own->now : NULL;
}

// Free with supWeb_Free. NULL with an error.
SUP_WEB float* supWeb_FillHeat( supActor* actor, const char* name, int32_t instance )
{
	supClearError( &g_webError );
	const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
	int32_t heat = 0;
	while ( heat < sup_heatCount && strcmp( supHeatNames[heat], name ) != 0 )
	{
		heat += 1;
	}
	if ( heat == sup_heatCount )
	{
		supWeb_Refuse( "unknown map \"%.60s\"; use displacement, stretch, volume or softness", name );
		return NULL;
	}
	float* values = supAllocArray( (size_t)mesh->vertexCount, sizeof( float ) );
	if ( values == NULL || supActor_FillHeat( actor, (supHeat)heat, instance, supWeb_Tasks(), values ) == false )
	{
		supSetMemoryError( &g_webError );
		supFree( values );
		return NULL;
	}
	return values;
}
