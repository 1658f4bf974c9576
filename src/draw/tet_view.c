// SPDX-License-Identifier: MIT
#include "draw/tet_view.h"

#include "volume/tets/tet_topology.h"

struct supTetView
{
	supArena arena;
	int32_t tetCount;
	supDrawMesh mesh;
	supPrimitive primitive;
	supMaterial material;
	supRenderer* renderer;
};

supVec3 supFacingAxis( supVec3 toEye )
{
	float x = fabsf( toEye.x ), y = fabsf( toEye.y ), z = fabsf( toEye.z );
	if ( y > 4.0f * supMaxFloat( x, z ) )
	{
		return supMakeVec3( 0.0f, toEye.y > 0.0f ? 1.0f : -1.0f, 0.0f );
	}
	return x > z ? supMakeVec3( toEye.x > 0.0f ? 1.0f : -1.0f, 0.0f, 0.0f )
				 : supMakeVec3( 0.0f, 0.0f, toEye.z > 0.0f ? 1.0f : -1.0f );
}

supVec4 supLayerColor( int32_t layer, int32_t layerCount )
{
	static const supVec4 bone = { 0.80f, 0.76f, 0.62f, 1.0f }, skin = { 0.80f, 0.42f, 0.34f, 1.0f };
	static const supVec4 inner = { 0.50f, 0.06f, 0.05f, 1.0f }, outer = { 0.80f, 0.50f, 0.08f, 1.0f };
	if ( layer <= 0 || layer >= layerCount - 1 )
	{
		return layer <= 0 ? bone : skin;
	}
	float t = layerCount > 3 ? (float)( layer - 1 ) / (float)( layerCount - 3 ) : 0.0f;
	return ( supVec4 ){ inner.x + t * ( outer.x - inner.x ), inner.y + t * ( outer.y - inner.y ),
						inner.z + t * ( outer.z - inner.z ), 1.0f };
}

// ---------------------------------------------------------------------------------------------------------------------
// Faces with nothing before them

typedef struct Cutter
{
	const supTetMesh* mesh;
	const int32_t* neighbours;
	bool* kept;
} Cutter;

static int32_t KeepTets( Cutter* cutter, supVec3 normal, float cut )
{
	const supTetMesh* mesh = cutter->mesh;
	int32_t count = 0;
	for ( int32_t i = 0; i < mesh->tetCount; ++i )
	{
		supVec3 sum = supVec3_zero;
		for ( int32_t k = 0; k < 4; ++k )
		{
			sum = supAdd( sum, mesh->points[mesh->indices[4 * i + k]] );
		}
		cutter->kept[i] = supDot( supScale( 0.25f, sum ), normal ) <= cut;
		count += cutter->kept[i];
	}
	return count;
}

static bool IsOpen( const Cutter* cutter, int32_t tet, int32_t face )
{
	int32_t neighbour = cutter->neighbours[4 * tet + face];
	return cutter->kept[tet] && ( neighbour < 0 || cutter->kept[neighbour] == false );
}

static bool MakeFaces( supTetView* view, const Cutter* cutter, supTetPaint paint )
{
	const supTetMesh* mesh = cutter->mesh;
	size_t count = 0;
	for ( int32_t i = 0; i < 4 * mesh->tetCount; ++i )
	{
		count += IsOpen( cutter, i / 4, i % 4 );
	}
	supVec3* positions = supArena_AllocArray( &view->arena, 3 * count, sizeof( supVec3 ) );
	supVec4* colors = supArena_AllocArray( &view->arena, 3 * count, sizeof( supVec4 ) );
	float* heat = supArena_AllocArray( &view->arena, 3 * count, sizeof( float ) );
	uint32_t* indices = supArena_AllocArray( &view->arena, 3 * count, sizeof( uint32_t ) );
	if ( view->arena.failed )
	{
		return false;
	}
	uint32_t corner = 0;
	for ( int32_t i = 0; i < 4 * mesh->tetCount; ++i )
	{
		int32_t tet = i / 4;
		for ( int32_t k = 0; k < 3 && IsOpen( cutter, tet, i % 4 ); ++k, ++corner )
		{
			positions[corner] = mesh->points[mesh->indices[4 * tet + supTetFaces[i % 4][k]]];
			colors[corner] = paint.colors != NULL ? paint.colors[tet] : ( supVec4 ){ 0.5f, 0.5f, 0.5f, 1.0f };
			heat[corner] = paint.heat != NULL ? paint.heat[tet] : 0.0f;
			indices[corner] = corner;
		}
	}
	view->primitive = ( supPrimitive ){ .vertexCount = (int32_t)corner, .indexCount = (int32_t)corner };
	view->material = ( supMaterial ){ .name = "",
									  .baseColor = { 1.0f, 1.0f, 1.0f, 1.0f },
									  .roughness = 1.0f,
									  .baseColorImage = -1,
									  .doubleSided = true };
	view->mesh = ( supDrawMesh ){ .vertexCount = (int32_t)corner,
								  .positions = positions,
								  .colors = colors,
								  .heat = paint.heat != NULL ? heat : NULL,
								  .indexCount = (int32_t)corner,
								  .indices = indices,
								  .primitiveCount = 1,
								  .primitives = &view->primitive };
	return true;
}

static bool CutTets( supTetView* view, const supTetMesh* mesh, supTetPaint paint, supVec3 normal, float cut,
					 supError* error )
{
	supTets tets = { 0 };
	supArena scratch = { 0 };
	int32_t* neighbours = NULL;
	Cutter cutter = { .mesh = mesh, .kept = supArena_AllocArray( &scratch, (size_t)mesh->tetCount, sizeof( bool ) ) };
	bool ok = cutter.kept != NULL && supTets_InitMesh( &tets, mesh, error ) &&
			  supTets_Neighbours( &tets, &scratch, &neighbours, error );
	if ( ok )
	{
		cutter.neighbours = neighbours;
		view->tetCount = KeepTets( &cutter, normal, cut );
		ok = MakeFaces( view, &cutter, paint );
	}
	supTets_Destroy( &tets );
	supArena_Destroy( &scratch );
	return ok || supSetMemoryError( error );
}

supTetView* supCreateTetView( const supTetMesh* mesh, supTetPaint paint, supVec3 normal, float cut, supError* error )
{
	supClearError( error );
	supTetView* view = supAllocZeroed( sizeof( supTetView ) );
	if ( view == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	if ( CutTets( view, mesh, paint, normal, cut, error ) )
	{
		view->renderer = supCreateRenderer( &view->mesh, 1, &view->material, 1, NULL, 0, error );
	}
	if ( view->renderer == NULL )
	{
		supDestroyTetView( view );
		return NULL;
	}
	return view;
}

void supDestroyTetView( supTetView* view )
{
	if ( view != NULL )
	{
		supDestroyRenderer( view->renderer );
		supArena_Destroy( &view->arena );
		supFree( view );
	}
}

int32_t supTetView_Count( const supTetView* view )
{
	return view->tetCount;
}

bool supTetView_Draw( supTetView* view, const supRenderDef* def, const supTasks* tasks, supPicture* picture,
					  supError* error )
{
	return supRenderer_Draw( view->renderer, def, tasks, picture, error );
}
