// SPDX-License-Identifier: MIT
#include "draw/view.h"

#include "draw/color.h"

struct supCharacterView
{
	const supCharacter* character;
	int32_t count; // instances
	supDrawMesh* meshes;
	supVec3** positions;
	supVec3** normals;
	float** heat;
	supMaterial* materials;
	supPicture* pictures;
	supRenderer* renderer;
};

static void DecodePictures( supCharacterView* view )
{
	for ( int32_t i = 0; i < supCharacter_ImageCount( view->character ); ++i )
	{
		const supImage* image = supCharacter_Image( view->character, i );
		supError error = { 0 };
		if ( image->bytes != NULL &&
			 supPicture_Decode( view->pictures + i, image->bytes, image->byteCount, image->name, &error ) == false )
		{
			supLog( sup_logWarning, "picture %d (%s) is left out: %s", i, image->name, error.message );
		}
	}
}

static bool AllocateMeshes( supCharacterView* view )
{
	for ( int32_t i = 0; i < view->count; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( view->character, supCharacter_Instance( view->character, i )->mesh );
		size_t count = (size_t)mesh->vertexCount;
		view->positions[i] = supAllocZeroed( count * sizeof( supVec3 ) );
		view->normals[i] = supAllocZeroed( count * sizeof( supVec3 ) );
		view->heat[i] = supAllocZeroed( count * sizeof( float ) );
		if ( view->positions[i] == NULL || view->normals[i] == NULL || view->heat[i] == NULL )
		{
			return false;
		}
		view->meshes[i] = ( supDrawMesh ){ .vertexCount = mesh->vertexCount,
										   .positions = view->positions[i],
										   .normals = mesh->normals != NULL ? view->normals[i] : NULL,
										   .colors = mesh->colors,
										   .texcoords = mesh->texcoords,
										   .indexCount = mesh->indexCount,
										   .indices = mesh->indices,
										   .primitiveCount = mesh->primitiveCount,
										   .primitives = mesh->primitives };
	}
	return true;
}

supCharacterView* supCreateCharacterView( const supCharacter* character, supError* error )
{
	supCharacterView* view = supAllocZeroed( sizeof( supCharacterView ) );
	supPose* pose = supCreatePose( character );
	if ( view == NULL || pose == NULL )
	{
		supFree( view );
		supDestroyPose( pose );
		supSetMemoryError( error );
		return NULL;
	}
	view->character = character;
	view->count = supCharacter_InstanceCount( character );
	size_t count = (size_t)view->count;
	int32_t materialCount = supCharacter_MaterialCount( character );
	int32_t imageCount = supCharacter_ImageCount( character );
	view->meshes = supAllocZeroed( count * sizeof( supDrawMesh ) );
	view->positions = supAllocZeroed( count * sizeof( supVec3* ) );
	view->normals = supAllocZeroed( count * sizeof( supVec3* ) );
	view->heat = supAllocZeroed( count * sizeof( float* ) );
	view->materials = supAllocZeroed( (size_t)materialCount * sizeof( supMaterial ) );
	view->pictures = supAllocZeroed( (size_t)imageCount * sizeof( supPicture ) );
	bool ok = view->meshes != NULL && view->positions != NULL && view->normals != NULL && view->heat != NULL &&
			  view->materials != NULL && view->pictures != NULL && AllocateMeshes( view );
	if ( ok )
	{
		for ( int32_t i = 0; i < materialCount; ++i )
		{
			view->materials[i] = *supCharacter_Material( character, i );
		}
		DecodePictures( view );
		for ( int32_t i = 0; i < view->count; ++i )
		{
			supSkinOutput output = { .positions = view->positions[i], .normals = view->normals[i] };
			supSkinInstance( pose, i, sup_skinningLinear, NULL, &output );
		}
		view->renderer = supCreateRenderer( view->meshes, view->count, view->materials, materialCount, view->pictures,
											imageCount, error );
	}
	supDestroyPose( pose );
	if ( view->renderer == NULL )
	{
		supSetMemoryError( error );
		supDestroyCharacterView( view );
		return NULL;
	}
	return view;
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
	}
	for ( int32_t i = 0; view->pictures != NULL && i < supCharacter_ImageCount( view->character ); ++i )
	{
		supPicture_Destroy( view->pictures + i );
	}
	supFree( view->meshes );
	supFree( view->positions );
	supFree( view->normals );
	supFree( view->heat );
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

float* supCharacterView_Heat( supCharacterView* view, int32_t instance )
{
	SUP_ASSERT( 0 <= instance && instance < view->count );
	return view->heat[instance];
}

void supCharacterView_ShowHeat( supCharacterView* view, bool show )
{
	for ( int32_t i = 0; i < view->count; ++i )
	{
		view->meshes[i].heat = show ? view->heat[i] : NULL;
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
	const supVec4 ink = { 0.08f, 0.09f, 0.11f, 1.0f };
	supPen_Text( pen, ( supVec2 ){ 0.7f * size, 0.5f * size }, ( supVec2 ){ 0.0f, 0.0f }, size, ink, text );
	supPen_End( pen );
}
