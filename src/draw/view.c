// SPDX-License-Identifier: MIT
#include "draw/view.h"

#include "draw/color.h"

// Pixels: below this nobody reads it.
#define LEAST_LABEL 8.0f

struct supCharacterView
{
	int32_t count; // instances of all characters
	supDrawMesh* meshes;
	supVec3** positions;
	supVec3** normals;
	float** heat;
	supPrimitive** primitives; // with the numbers of all materials together
	int32_t materialCount;
	supMaterial* materials;
	int32_t pictureCount;
	supPicture* pictures;
	supRenderer* renderer;
};

// Where one character's things begin among all.
typedef struct Start
{
	int32_t instance;
	int32_t material;
	int32_t picture;
} Start;

static void DecodePictures( supCharacterView* view, const supCharacter* character, int32_t first )
{
	for ( int32_t i = 0; i < supCharacter_ImageCount( character ); ++i )
	{
		const supImage* image = supCharacter_Image( character, i );
		supError error = { 0 };
		if ( image->bytes != NULL && supPicture_Decode( view->pictures + first + i, image->bytes, image->byteCount,
														image->name, &error ) == false )
		{
			supLog( sup_logWarning, "picture %d (%s) skipped: %s", i, image->name, error.message );
		}
	}
}

static bool AddInstance( supCharacterView* view, const supMesh* mesh, const Start* start, int32_t at )
{
	size_t count = (size_t)mesh->vertexCount;
	view->positions[at] = supAllocZeroed( count * sizeof( supVec3 ) );
	view->normals[at] = supAllocZeroed( count * sizeof( supVec3 ) );
	view->heat[at] = supAllocZeroed( count * sizeof( float ) );
	view->primitives[at] = supAllocArray( (size_t)mesh->primitiveCount, sizeof( supPrimitive ) );
	if ( view->positions[at] == NULL || view->normals[at] == NULL || view->heat[at] == NULL ||
		 view->primitives[at] == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < mesh->primitiveCount; ++i )
	{
		view->primitives[at][i] = mesh->primitives[i];
		view->primitives[at][i].material += mesh->primitives[i].material >= 0 ? start->material : 0;
	}
	view->meshes[at] = ( supDrawMesh ){ .vertexCount = mesh->vertexCount,
										.positions = view->positions[at],
										.normals = mesh->normals != NULL ? view->normals[at] : NULL,
										.colors = mesh->colors,
										.texcoords = mesh->texcoords,
										.indexCount = mesh->indexCount,
										.indices = mesh->indices,
										.primitiveCount = mesh->primitiveCount,
										.primitives = view->primitives[at] };
	return true;
}

// At rest.
static bool AddCharacter( supCharacterView* view, const supCharacter* character, Start* start )
{
	supPose* pose = supCreatePose( character );
	bool ok = pose != NULL;
	for ( int32_t i = 0; ok && i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t at = start->instance + i;
		ok =
			AddInstance( view, supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh ), start, at );
		if ( ok )
		{
			supSkinOutput output = { .positions = view->positions[at], .normals = view->normals[at] };
			supSkinInstance( pose, i, sup_skinningLinear, NULL, &output );
		}
	}
	supDestroyPose( pose );
	for ( int32_t i = 0; ok && i < supCharacter_MaterialCount( character ); ++i )
	{
		supMaterial* material = view->materials + start->material + i;
		*material = *supCharacter_Material( character, i );
		material->baseColorImage += material->baseColorImage >= 0 ? start->picture : 0;
	}
	if ( ok )
	{
		DecodePictures( view, character, start->picture );
	}
	start->instance += supCharacter_InstanceCount( character );
	start->material += supCharacter_MaterialCount( character );
	start->picture += supCharacter_ImageCount( character );
	return ok;
}

static bool Allocate( supCharacterView* view, const supCharacter* const* characters, int32_t characterCount )
{
	for ( int32_t i = 0; i < characterCount; ++i )
	{
		view->count += supCharacter_InstanceCount( characters[i] );
		view->materialCount += supCharacter_MaterialCount( characters[i] );
		view->pictureCount += supCharacter_ImageCount( characters[i] );
	}
	size_t count = (size_t)view->count;
	view->meshes = supAllocZeroed( count * sizeof( supDrawMesh ) );
	view->positions = supAllocZeroed( count * sizeof( supVec3* ) );
	view->normals = supAllocZeroed( count * sizeof( supVec3* ) );
	view->heat = supAllocZeroed( count * sizeof( float* ) );
	view->primitives = supAllocZeroed( count * sizeof( supPrimitive* ) );
	view->materials = supAllocZeroed( (size_t)view->materialCount * sizeof( supMaterial ) );
	view->pictures = supAllocZeroed( (size_t)view->pictureCount * sizeof( supPicture ) );
	return view->meshes != NULL && view->positions != NULL && view->normals != NULL && view->heat != NULL &&
		   view->primitives != NULL && view->materials != NULL && view->pictures != NULL;
}

supCharacterView* supCreateGroupView( const supCharacter* const* characters, int32_t count, supError* error )
{
	supCharacterView* view = supAllocZeroed( sizeof( supCharacterView ) );
	if ( view == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	bool ok = Allocate( view, characters, count );
	Start start = { 0 };
	for ( int32_t i = 0; ok && i < count; ++i )
	{
		ok = AddCharacter( view, characters[i], &start );
	}
	if ( ok )
	{
		view->renderer = supCreateRenderer( view->meshes, view->count, view->materials, view->materialCount,
											view->pictures, view->pictureCount, error );
	}
	if ( view->renderer == NULL )
	{
		supSetMemoryError( error );
		supDestroyCharacterView( view );
		return NULL;
	}
	return view;
}

supCharacterView* supCreateCharacterView( const supCharacter* character, supError* error )
{
	return supCreateGroupView( &character, 1, error );
}

void supDestroyCharacterView( supCharacterView* view )
{
	if ( view == NULL )
	{
		return;
	}
	supDestroyRenderer( view->renderer );
	for ( int32_t i = 0; i < view->count; ++i )
	{
		supFree( view->positions != NULL ? view->positions[i] : NULL );
		supFree( view->normals != NULL ? view->normals[i] : NULL );
		supFree( view->heat != NULL ? view->heat[i] : NULL );
		supFree( view->primitives != NULL ? view->primitives[i] : NULL );
	}
	for ( int32_t i = 0; view->pictures != NULL && i < view->pictureCount; ++i )
	{
		supPicture_Destroy( view->pictures + i );
	}
	supFree( view->meshes );
	supFree( view->positions );
	supFree( view->normals );
	supFree( view->heat );
	supFree( view->primitives );
	supFree( view->materials );
	supFree( view->pictures );
	supFree( view );
}

void supCharacterView_SetPose( supCharacterView* view, supPose* pose, supSkinning skinning, const supTasks* tasks )
{
	for ( int32_t i = 0; i < view->count; ++i )
	{
		supSkinOutput output = { .positions = view->positions[i], .normals = view->normals[i] };
		supSkinInstance( pose, i, skinning, tasks, &output );
	}
	supCharacterView_Update( view );
}

supVec3* supCharacterView_Positions( supCharacterView* view, int32_t instance )
{
	SUP_ASSERT( 0 <= instance && instance < view->count );
	return view->positions[instance];
}

supVec3* supCharacterView_Normals( supCharacterView* view, int32_t instance )
{
	SUP_ASSERT( 0 <= instance && instance < view->count );
	return view->normals[instance];
}

void supCharacterView_ShowFlat( supCharacterView* view, int32_t instance )
{
	view->meshes[instance].normals = NULL;
}

float* supCharacterView_Heat( supCharacterView* view, int32_t instance )
{
	SUP_ASSERT( 0 <= instance && instance < view->count );
	return view->heat[instance];
}

void supCharacterView_ShowHeatOf( supCharacterView* view, int32_t instance, bool show )
{
	SUP_ASSERT( 0 <= instance && instance < view->count );
	view->meshes[instance].heat = show ? view->heat[instance] : NULL;
}

void supCharacterView_ShowHeat( supCharacterView* view, bool show )
{
	for ( int32_t i = 0; i < view->count; ++i )
	{
		supCharacterView_ShowHeatOf( view, i, show );
	}
}

void supCharacterView_Update( supCharacterView* view )
{
	supRenderer_Update( view->renderer );
}

supBox supCharacterView_Bounds( const supCharacterView* view )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < view->count; ++i )
	{
		for ( int32_t k = 0; k < view->meshes[i].vertexCount; ++k )
		{
			box = supBox_Include( box, view->positions[i][k] );
		}
	}
	return box;
}

bool supCharacterView_Draw( supCharacterView* view, const supRenderDef* def, const supTasks* tasks, supPicture* picture,
							supError* error )
{
	return supRenderer_Draw( view->renderer, def, tasks, picture, error );
}

// ---------------------------------------------------------------------------------------------------------------------
// On top of pictures

static int32_t ParentJoint( const supCharacter* character, int32_t node )
{
	int32_t parent = supCharacter_Node( character, node )->parent;
	while ( parent >= 0 && supCharacter_IsJoint( character, parent ) == false )
	{
		parent = supCharacter_Node( character, parent )->parent;
	}
	return parent;
}

void supDrawSkeleton( supPicture* picture, const supView* view, supPose* pose )
{
	const supCharacter* character = supPose_Character( pose );
	const supMat34* worlds = supPose_Worlds( pose );
	supPen* pen = supPen_Begin( picture );
	if ( pen == NULL )
	{
		return;
	}
	float unit = 0.004f * (float)picture->height;
	const supVec4 bone = { 0.10f, 0.45f, 0.95f, 0.55f };
	const supVec4 joint = { 1.0f, 1.0f, 1.0f, 0.9f };
	for ( int pass = 0; pass < 2; ++pass )
	{
		for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
		{
			supVec2 here, there;
			if ( supCharacter_IsJoint( character, i ) == false ||
				 supView_Project( view, picture->width, picture->height, worlds[i].t, &here ) == false )
			{
				continue;
			}
			int32_t parent = ParentJoint( character, i );
			if ( pass == 1 )
			{
				supPen_Disc( pen, here, unit, joint );
			}
			else if ( parent >= 0 &&
					  supView_Project( view, picture->width, picture->height, worlds[parent].t, &there ) )
			{
				supPen_Spike( pen, there, here, 4.0f * unit, bone );
			}
		}
	}
	supPen_End( pen );
}

void supDrawHeatLegend( supPicture* picture, const char* least, const char* most, const char* title )
{
	supPen* pen = supPen_Begin( picture );
	if ( pen == NULL )
	{
		return;
	}
	float size = 0.028f * (float)picture->height;
	float width = 0.22f * (float)picture->width;
	supVec2 corner = { (float)picture->width - width - size, (float)picture->height - 2.6f * size };
	const supVec4 ink = { 0.08f, 0.09f, 0.11f, 1.0f };
	for ( int i = 0; i < 64; ++i )
	{
		supVec3 c = supHeatColor( ( (float)i + 0.5f ) / 64.0f );
		supPen_Rectangle( pen, ( supVec2 ){ corner.x + width * (float)i / 64.0f, corner.y },
						  ( supVec2 ){ width / 64.0f + 0.7f, 0.7f * size }, ( supVec4 ){ c.x, c.y, c.z, 1.0f } );
	}
	float below = corner.y + 0.8f * size;
	supPen_Text( pen, ( supVec2 ){ corner.x, below }, ( supVec2 ){ 0.0f, 0.0f }, 0.8f * size, ink, least );
	supPen_Text( pen, ( supVec2 ){ corner.x + width, below }, ( supVec2 ){ 1.0f, 0.0f }, 0.8f * size, ink, most );
	supPen_Text( pen, ( supVec2 ){ corner.x + 0.5f * width, corner.y - 0.2f * size }, ( supVec2 ){ 0.5f, 1.0f },
				 0.8f * size, ink, title );
	supPen_End( pen );
}

void supDrawLabel( supPicture* picture, const char* text )
{
	supPen* pen = supPen_Begin( picture );
	if ( pen == NULL )
	{
		return;
	}
	float size = supMaxFloat( 0.034f * (float)picture->height, 11.0f );
	// with a margin on both sides
	float needed = supPen_TextWidth( pen, size, text ) + 1.4f * size;
	size = supMaxFloat( size * supMinFloat( (float)picture->width / needed, 1.0f ), LEAST_LABEL );
	const supVec4 ink = { 0.08f, 0.09f, 0.11f, 1.0f };
	supPen_Text( pen, ( supVec2 ){ 0.7f * size, 0.5f * size }, ( supVec2 ){ 0.0f, 0.0f }, size, ink, text );
	supPen_End( pen );
}
