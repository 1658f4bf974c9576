// SPDX-License-Identifier: MIT
#include "draw/layer_view.h"

#include "volume/body/body.h"
#include "volume/weights/lost_joints.h"

struct supLayerView
{
	supArena arena;
	supDrawMesh mesh;
	supPrimitive primitive;
	supMaterial material;
	supRenderer* renderer;
	const char* notes[2];
	int32_t noteCount;
};

// Linear: ivory, red, yellow, pale pink.
static const supVec4 s_colors[4] = { { 0.80f, 0.76f, 0.62f, 1.0f },
									 { 0.50f, 0.06f, 0.05f, 1.0f },
									 { 0.80f, 0.50f, 0.08f, 1.0f },
									 { 0.80f, 0.42f, 0.34f, 1.0f } };

// Corners of a face in units of a voxel, counter-clockwise from outside; faces in the order of supVoxelOffsets.
static const uint8_t s_faces[6][4][3] = {
	{ { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 1 }, { 0, 1, 0 } }, { { 1, 0, 0 }, { 1, 1, 0 }, { 1, 1, 1 }, { 1, 0, 1 } },
	{ { 0, 0, 0 }, { 1, 0, 0 }, { 1, 0, 1 }, { 0, 0, 1 } }, { { 0, 1, 0 }, { 0, 1, 1 }, { 1, 1, 1 }, { 1, 1, 0 } },
	{ { 0, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 }, { 1, 0, 0 } }, { { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 } },
};

// As many colours as layers: bone and skin have their own, the others lie between red and yellow.
static supVec4 ColorOf( int32_t layer, int32_t layerCount )
{
	if ( layer == 0 || layer == layerCount - 1 )
	{
		return s_colors[layer == 0 ? 0 : 3];
	}
	float t = layerCount > 3 ? (float)( layer - 1 ) / (float)( layerCount - 3 ) : 0.0f;
	supVec4 a = s_colors[1], b = s_colors[2];
	return ( supVec4 ){ supLerpFloat( a.x, b.x, t ), supLerpFloat( a.y, b.y, t ), supLerpFloat( a.z, b.z, t ), 1.0f };
}

// ---------------------------------------------------------------------------------------------------------------------
// Boxes: only faces with nothing before them

static bool IsKept( const supVoxels* v, supVec3 normal, supVoxelCell cell )
{
	if ( supVoxels_Find( v, cell.x, cell.y, cell.z ) < 0 )
	{
		return false;
	}
	supVec3 middle = { (float)v->center[0], (float)v->center[1], (float)v->center[2] };
	return supDot( supSub( supVoxels_CellCenter( v, cell ), middle ), normal ) <= 0.0f;
}

static bool IsOpen( const supVoxels* v, supVec3 normal, supVoxelCell cell, int32_t face )
{
	supVoxelCell o = supVoxelOffsets[face];
	supVoxelCell next = { (int16_t)( cell.x + o.x ), (int16_t)( cell.y + o.y ), (int16_t)( cell.z + o.z ) };
	return IsKept( v, normal, next ) == false;
}

static int32_t CountFaces( const supVoxels* v, supVec3 normal )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < v->count; ++i )
	{
		bool kept = IsKept( v, normal, v->cells[i] );
		for ( int32_t face = 0; kept && face < 6; ++face )
		{
			count += IsOpen( v, normal, v->cells[i], face ) ? 1 : 0;
		}
	}
	return count;
}

typedef struct Quads
{
	supVec3* positions;
	supVec4* colors;
	uint32_t* indices;
	uint32_t count;
} Quads;

static void AddQuad( Quads* quads, const supVoxels* v, supVoxelCell cell, int32_t face, supVec4 color )
{
	static const uint32_t corners[6] = { 0, 1, 2, 0, 2, 3 };
	uint32_t first = 4 * quads->count;
	for ( uint32_t k = 0; k < 4; ++k )
	{
		const uint8_t* corner = s_faces[face][k];
		quads->positions[first + k] =
			supMakeVec3( supVoxels_Border( v, 0, cell.x + corner[0] ), supVoxels_Border( v, 1, cell.y + corner[1] ),
						 supVoxels_Border( v, 2, cell.z + corner[2] ) );
		quads->colors[first + k] = color;
	}
	for ( int32_t k = 0; k < 6; ++k )
	{
		quads->indices[6 * quads->count + (uint32_t)k] = first + corners[k];
	}
	quads->count += 1;
}

static bool MakeBoxes( supLayerView* view, const supBody* body, supVec3 normal )
{
	const supVoxels* v = &body->voxels;
	size_t count = (size_t)CountFaces( v, normal );
	Quads quads = { .positions = supArena_AllocArray( &view->arena, 4 * count, sizeof( supVec3 ) ),
					.colors = supArena_AllocArray( &view->arena, 4 * count, sizeof( supVec4 ) ),
					.indices = supArena_AllocArray( &view->arena, 6 * count, sizeof( uint32_t ) ) };
	if ( view->arena.failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < v->count; ++i )
	{
		bool kept = IsKept( v, normal, v->cells[i] );
		for ( int32_t face = 0; kept && face < 6; ++face )
		{
			if ( IsOpen( v, normal, v->cells[i], face ) )
			{
				AddQuad( &quads, v, v->cells[i], face, ColorOf( body->layers.layers[i], body->layers.layerCount ) );
			}
		}
	}
	view->primitive = ( supPrimitive ){ .vertexCount = (int32_t)( 4 * count ), .indexCount = (int32_t)( 6 * count ) };
	view->material = ( supMaterial ){ .name = "",
									  .baseColor = { 1.0f, 1.0f, 1.0f, 1.0f },
									  .roughness = 1.0f,
									  .baseColorImage = -1,
									  .doubleSided = true };
	view->mesh = ( supDrawMesh ){ .vertexCount = view->primitive.vertexCount,
								  .positions = quads.positions,
								  .colors = quads.colors,
								  .indexCount = view->primitive.indexCount,
								  .indices = quads.indices,
								  .primitiveCount = 1,
								  .primitives = &view->primitive };
	return true;
}

// Along the grid, so that the cut is a flat face of whole boxes.
static supVec3 FacingAxis( supVec3 toEye )
{
	float x = fabsf( toEye.x ), y = fabsf( toEye.y ), z = fabsf( toEye.z );
	if ( y > 4.0f * supMaxFloat( x, z ) )
	{
		return supMakeVec3( 0.0f, toEye.y, 0.0f );
	}
	return x > z ? supMakeVec3( toEye.x, 0.0f, 0.0f ) : supMakeVec3( 0.0f, 0.0f, toEye.z );
}

static bool MakeNotes( supLayerView* view, const supCharacter* character, const supBody* body )
{
	supArena* arena = &view->arena;
	supLostJoint* lost = supArena_AllocArray( arena, (size_t)body->bones.count, sizeof( supLostJoint ) );
	if ( lost == NULL )
	{
		return false;
	}
	int32_t count = supFindLostJoints( &body->voxels, &body->bones, &body->boneVoxels, body->layers.boneCounts, lost );
	for ( int32_t outside = 1; outside >= 0; --outside )
	{
		const char* note =
			supDescribeLostJoints( arena, character, &body->voxels, &body->bones, lost, count, outside == 1 );
		if ( note != NULL )
		{
			view->notes[view->noteCount++] = note;
		}
	}
	return arena->failed == false;
}

supLayerView* supCreateLayerView( const supCharacter* character, const supFleshDef* flesh, int32_t resolution,
								  supVec3 toEye, const supTasks* tasks, supError* error )
{
	supClearError( error );
	supLayerView* view = supAllocZeroed( sizeof( supLayerView ) );
	if ( view == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	supBody body = { 0 };
	if ( supBody_Init( &body, character, resolution, flesh, tasks, error ) )
	{
		if ( MakeBoxes( view, &body, FacingAxis( toEye ) ) && MakeNotes( view, character, &body ) )
		{
			view->renderer = supCreateRenderer( &view->mesh, 1, &view->material, 1, NULL, 0, error );
		}
		else
		{
			supSetMemoryError( error );
		}
	}
	supBody_Destroy( &body );
	if ( view->renderer == NULL )
	{
		supDestroyLayerView( view );
		return NULL;
	}
	return view;
}

void supDestroyLayerView( supLayerView* view )
{
	if ( view != NULL )
	{
		supDestroyRenderer( view->renderer );
		supArena_Destroy( &view->arena );
		supFree( view );
	}
}

int32_t supLayerView_NoteCount( const supLayerView* view )
{
	return view->noteCount;
}

const char* supLayerView_Note( const supLayerView* view, int32_t index )
{
	SUP_ASSERT( index >= 0 && index < view->noteCount );
	return view->notes[index];
}

bool supLayerView_Draw( supLayerView* view, const supRenderDef* def, const supTasks* tasks, supPicture* picture,
						supError* error )
{
	return supRenderer_Draw( view->renderer, def, tasks, picture, error );
}
