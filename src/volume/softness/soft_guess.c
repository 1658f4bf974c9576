// SPDX-License-Identifier: MIT
// Softness where nothing is painted: a guess from anatomy.
//
//     names, topology, skin ──bone_roles──▶ softness along bones ──skin weights──▶ voxels, smoothed
//                                                                   × thickness × ramp from bone to skin
//     shells with equal weights ──rigid_parts──▶ 0
#include "core/tasks.h"
#include "volume/softness/bone_roles.h"
#include "volume/softness/rigid_parts.h"
#include "volume/softness/softness_build.h"
#include "volume/voxels/voxel_graph.h"
#include "volume/weights/point_weights.h"

#include "geometry/tree.h"

#include <math.h>

// Of the cube root of the volume: flesh this thick begins to be soft, and is as soft as can be.
#define FIRM_THICKNESS_RATIO 0.03f
#define SOFT_THICKNESS_RATIO 0.16f

// Of the radius of the largest ball in the body around a place: flesh counts as no thicker than this, so that horns and
// fins far from any bone are firm.
#define MAX_BALL_RADII 1.5f

// Of the mean distance of the trunk's skin from its bones: what counts for the cube root of the volume at most, so that
// long thin bodies are no firmer than others. Of bodies without limbs, half of it: tails of snakes are thin.
#define GIRTH 6.0f

// What is left of the softness of a quadruped's back, above its spine.
#define BACK 0.55f

// Limbs thicker than SOFT_THICKNESS_RATIO are softer than those of thin bodies, up to this where they are twice as
// thick.
#define FAT_LIMB 0.7f

// Mean distance of skin from bone, of that of the trunk: thinner limbs (of spiders) are firm.
#define THIN_LIMB_RATIO 0.15f
#define FULL_LIMB_RATIO 0.4f

// Of the body's size: separate parts up to this, whose vertices all move alike, are rigid.
#define SMALL_PART_RATIO 0.15f

// The same if they do not move alike: pouches, straps.
#define TINY_PART_RATIO 0.08f

// Passes that smooth what bones say: about 5 % of the size from one bone's softness to that of the next.
#define ROLE_SMOOTHING 10

#define GRAIN 256

typedef struct Guess
{
	supSoftBuilder* builder;
	const supTree* tree;
	supBoneRoles roles;
	// of each vertex
	uint16_t* bones;
	float* weights;
	bool* isRigid;
	bool* made;
	// of each voxel
	float* values;
	float* looseness;
	float* widths;
	// -1 above the spine of a quadruped .. 1 below it; 0 elsewhere
	float* undersides;
	// share of bones of limbs
	float* limbs;
	// of each bone
	supCarriedSkin* skin;
} Guess;

// ---------------------------------------------------------------------------------------------------------------------
// Thickness

static int32_t Clamp( int32_t i, int32_t lowest, int32_t highest )
{
	return i < lowest ? lowest : ( i > highest ? highest : i );
}

// Raises the widths of the voxels in a ball to its radius, in voxels.
static void PaintBall( const supVoxels* v, supVoxelCell middle, float radius, float* widths )
{
	// a little beyond the skin that it touches, which is curved otherwise than the ball
	float covered = 1.25f * radius + 1.0f;
	int32_t reach = (int32_t)covered, square = (int32_t)( covered * covered );
	int32_t firstZ = Clamp( middle.z - reach, 0, v->nz ), endZ = Clamp( middle.z + reach + 1, 0, v->nz );
	int32_t firstY = Clamp( middle.y - reach, 0, v->ny ), endY = Clamp( middle.y + reach + 1, 0, v->ny );
	for ( int32_t z = firstZ; z < endZ; ++z )
	{
		for ( int32_t y = firstY; y < endY; ++y )
		{
			int32_t dy = y - middle.y, dz = z - middle.z, rest = square - dy * dy - dz * dz;
			if ( rest < 0 )
			{
				continue;
			}
			// the voxels of a row of the ball follow each other
			int32_t half = (int32_t)sqrtf( (float)rest );
			bool isVoxel;
			int32_t i = supVoxels_CountBefore( v, Clamp( middle.x - half, 0, v->nx ), y, z, &isVoxel );
			int32_t end = supVoxels_CountBefore( v, Clamp( middle.x + half + 1, 0, v->nx ), y, z, &isVoxel );
			for ( ; i < end; ++i )
			{
				widths[i] = supMaxFloat( widths[i], radius );
			}
		}
	}
}

// A ball around each voxel that is as deep as its neighbours, up to the skin: of each voxel the radius of the largest
// that holds it, in metres.
static void MeasureWidth( supSoftBuilder* builder, float* widths )
{
	const supVoxels* v = builder->voxels;
	memset( widths, 0, (size_t)v->count * sizeof( float ) );
	for ( int32_t i = 0; i < v->count; ++i )
	{
		bool deepest = true;
		for ( int32_t k = 0; k < 6; ++k )
		{
			int32_t other = builder->neighbours[6 * (ptrdiff_t)i + k];
			deepest = deepest && ( other < 0 || builder->distances[other] <= builder->distances[i] );
		}
		if ( deepest )
		{
			PaintBall( v, v->cells[i], builder->distances[i] + 0.5f, widths );
		}
	}
	for ( int32_t i = 0; i < v->count; ++i )
	{
		widths[i] = supMaxFloat( widths[i], builder->distances[i] + 0.5f ) * (float)v->size;
	}
}

// By Newton, since the C library's differs between machines.
static double CubeRoot( double a )
{
	double x = a > 1.0 ? a : 1.0;
	for ( int32_t i = 0; i < 200; ++i )
	{
		x = ( 2.0 * x + a / ( x * x ) ) / 3.0;
	}
	return x;
}

// ---------------------------------------------------------------------------------------------------------------------
// Skin and bones

static bool Allocate( Guess* guess )
{
	supArena* scratch = &guess->builder->scratch;
	size_t vertices = (size_t)guess->builder->def->surface->vertexCount, voxels = (size_t)guess->builder->voxels->count;
	guess->bones = supArena_AllocArray( scratch, SUP_MAX_INFLUENCES * vertices, sizeof( uint16_t ) );
	guess->weights = supArena_AllocArray( scratch, SUP_MAX_INFLUENCES * vertices, sizeof( float ) );
	guess->isRigid = supArena_AllocZeroed( &guess->builder->softness->arena, vertices * sizeof( bool ) );
	guess->made = supArena_AllocZeroed( scratch, vertices * sizeof( bool ) );
	guess->values = supArena_AllocZeroed( scratch, voxels * sizeof( float ) );
	guess->looseness = supArena_AllocZeroed( scratch, voxels * sizeof( float ) );
	guess->widths = supArena_AllocZeroed( scratch, voxels * sizeof( float ) );
	guess->undersides = supArena_AllocZeroed( scratch, voxels * sizeof( float ) );
	guess->limbs = supArena_AllocZeroed( scratch, voxels * sizeof( float ) );
	guess->skin = supArena_AllocZeroed( scratch, (size_t)guess->builder->bones.count * sizeof( supCarriedSkin ) );
	return scratch->failed == false && guess->isRigid != NULL;
}

static supBox FindBounds( const supRestSurface* surface )
{
	supBox bounds = supBox_empty;
	for ( int64_t i = 0; i < 3 * (int64_t)surface->triangleCount; ++i )
	{
		bounds = supBox_Include( bounds, surface->positions[surface->indices[i]] );
	}
	return bounds;
}

static float LargestExtent( supBox box )
{
	supVec3 size = supBox_Size( box );
	return supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
}

// Area of the skin that follows each bone, and its mean distance from it. Rigid parts are not skin.
static void MeasureCarriedSkin( const Guess* guess, supCarriedSkin* skin )
{
	const supRestSurface* surface = guess->builder->def->surface;
	const supBones* bones = &guess->builder->bones;
	for ( int64_t i = 0; i < 3 * (int64_t)surface->triangleCount; ++i )
	{
		const uint32_t* corners = surface->indices + i - i % 3;
		const supVec3* p = surface->positions;
		supVec3 normal = supCross( supSub( p[corners[1]], p[corners[0]] ), supSub( p[corners[2]], p[corners[0]] ) );
		float area = guess->isRigid[corners[0]] ? 0.0f : supLength( normal ) / 6.0f;
		size_t slot = SUP_MAX_INFLUENCES * (size_t)surface->indices[i];
		for ( size_t k = slot; k < slot + SUP_MAX_INFLUENCES && guess->weights[k] > 0.0f && area > 0.0f; ++k )
		{
			supCarriedSkin* of = skin + guess->bones[k];
			float distance = supFindOnBone( bones, guess->bones[k], p[surface->indices[i]] ).distance;
			of->area += guess->weights[k] * area;
			of->distance += guess->weights[k] * area * distance;
		}
	}
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		skin[i].distance /= skin[i].area > 0.0f ? skin[i].area : 1.0f;
	}
}

static bool FindRoles( Guess* guess, supBox bounds )
{
	supSoftBuilder* builder = guess->builder;
	MeasureCarriedSkin( guess, guess->skin );
	supBoneRolesDef def = {
		.character = builder->def->character, .bones = &builder->bones, .skin = guess->skin, .bounds = bounds
	};
	return supBoneRoles_Init( &guess->roles, &def );
}

static bool FindRigid( Guess* guess, supBox bounds )
{
	supSoftBuilder* builder = guess->builder;
	const supSoftnessDef* def = builder->def;
	if ( supWeighVertices( def->character, def->surface, def->bones, guess->bones, guess->weights, guess->made,
						   NULL ) == false )
	{
		return false;
	}
	supRigidPartsDef parts = { .surface = def->surface,
							   .bones = guess->bones,
							   .weights = guess->weights,
							   .made = guess->made,
							   .most = SMALL_PART_RATIO * LargestExtent( bounds ),
							   .mostBent = TINY_PART_RATIO * LargestExtent( bounds ) };
	return supFindRigidParts( &parts, &builder->scratch, guess->isRigid );
}

// ---------------------------------------------------------------------------------------------------------------------
// Voxels

// How far below a level bone a place is: -1 right above .. 1 right below, 0 for an upright bone.
static float Underside( const supSegment* segment, supBonePoint place, supVec3 p )
{
	supVec3 along = supSub( segment->b, segment->a );
	float squared = supLengthSquared( along );
	float level = squared > 0.0f ? 1.0f - along.y * along.y / squared : 0.0f;
	return place.distance > 0.0f ? level * ( place.point.y - p.y ) / place.distance : 0.0f;
}

static void AddBone( const Guess* guess, int32_t bone, float share, supVec3 p, int32_t voxel )
{
	const supBones* bones = &guess->builder->bones;
	supBonePoint place = supFindOnBone( bones, bone, p );
	float soft, loose;
	supBoneRoles_At( &guess->roles, bone, place.segment, place.t, &soft, &loose );
	supBoneRole role = (supBoneRole)guess->roles.roles[bone];
	if ( role == sup_boneLimb )
	{
		float girth = guess->roles.girth;
		soft *= girth > 0.0f ? supRamp( THIN_LIMB_RATIO * girth, FULL_LIMB_RATIO * girth, guess->skin[bone].distance )
							 : 1.0f;
	}
	guess->values[voxel] += share * soft;
	guess->looseness[voxel] += share * loose;
	guess->limbs[voxel] += role == sup_boneLimb || role == sup_boneShoulder ? share : 0.0f;
	guess->undersides[voxel] += role == sup_boneTrunk && guess->roles.isEven == false
									? share * Underside( bones->segments + place.segment, place, p )
									: 0.0f;
}

static void AddCorner( const Guess* guess, uint32_t vertex, float share, supVec3 p, int32_t voxel )
{
	size_t slot = SUP_MAX_INFLUENCES * (size_t)vertex;
	for ( size_t k = slot; k < slot + SUP_MAX_INFLUENCES && guess->weights[k] > 0.0f; ++k )
	{
		AddBone( guess, guess->bones[k], share * guess->weights[k], p, voxel );
	}
}

// Flesh is what the nearest skin is.
static void GuessRange( int32_t begin, int32_t end, int32_t worker, void* contextPointer )
{
	(void)worker;
	const Guess* guess = contextPointer;
	const supVoxels* v = guess->builder->voxels;
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 middle = supVoxels_CellCenter( v, v->cells[i] );
		supTreeHit hit;
		if ( supTree_FindClosest( guess->tree, middle, INFINITY, &hit ) )
		{
			const uint32_t* corners = guess->builder->def->surface->indices + 3 * (int64_t)hit.triangle;
			const float shares[3] = { 1.0f - hit.u - hit.v, hit.u, hit.v };
			for ( int32_t k = 0; k < 3; ++k )
			{
				AddCorner( guess, corners[k], shares[k], middle, i );
			}
		}
	}
}

static void CombineVoxels( Guess* guess )
{
	supSoftBuilder* builder = guess->builder;
	supSoftness* softness = builder->softness;
	const supVoxels* v = builder->voxels;
	float body = (float)( CubeRoot( (double)v->count ) * v->size );
	float most = ( guess->roles.isEven ? 0.5f : 1.0f ) * GIRTH * guess->roles.girth;
	body = most > 0.0f ? supMinFloat( body, most ) : body;
	for ( int32_t i = 0; i < v->count; ++i )
	{
		float thickness = softness->thickness[i], width = guess->widths[i];
		float wide = supMinFloat( thickness, MAX_BALL_RADII * width );
		// the belly of a quadruped is soft even if its bones lie low
		float below = supRamp( 0.0f, 0.7f, guess->undersides[i] ), above = supRamp( 0.0f, 0.7f, -guess->undersides[i] );
		wide = supLerpFloat( wide, supMaxFloat( wide, width ), below );
		float fat = supRamp( SOFT_THICKNESS_RATIO * body, 2.0f * SOFT_THICKNESS_RATIO * body, wide ) * guess->limbs[i];
		float value = supLerpFloat( guess->values[i], supMaxFloat( guess->values[i], FAT_LIMB ), fat );
		float held = supRamp( FIRM_THICKNESS_RATIO * body, SOFT_THICKNESS_RATIO * body, wide ) *
					 supRamp( 0.25f * thickness, 0.75f * thickness, softness->boneDistances[i] ) *
					 supLerpFloat( 1.0f, BACK, above );
		softness->softness[i] = value * supLerpFloat( held, 1.0f, guess->looseness[i] );
		softness->looseness[i] = guess->looseness[i];
	}
}

// Every voxel that a place on a rigid part takes its softness from.
static void MakeFirm( const uint32_t* corners, float u, float v, void* context )
{
	const supSoftBuilder* builder = context;
	const supVec3* positions = builder->def->surface->positions;
	supVec3 p = supAdd( supScale( 1.0f - u - v, positions[corners[0]] ),
						supAdd( supScale( u, positions[corners[1]] ), supScale( v, positions[corners[2]] ) ) );
	int32_t around[8];
	float weights[8];
	int32_t count = supVoxels_Around( builder->voxels, p, around, weights );
	for ( int32_t i = 0; i < count; ++i )
	{
		builder->softness->softness[around[i]] = 0.0f;
		builder->softness->looseness[around[i]] = 0.0f;
	}
}

static bool FillVoxels( Guess* guess )
{
	supSoftBuilder* builder = guess->builder;
	const supRestSurface* surface = builder->def->surface;
	supTree* tree =
		supCreateTree( surface->positions, surface->vertexCount, surface->indices, surface->triangleCount, NULL );
	if ( tree == NULL )
	{
		return false;
	}
	guess->tree = tree;
	supParallelFor( builder->def->tasks, builder->voxels->count, GRAIN, GuessRange, guess );
	supDestroyTree( tree );
	MeasureWidth( builder, guess->widths );
	supSoftBuilder_Smooth( builder, guess->widths, SUP_SOFT_SMOOTHING );
	supSoftBuilder_Smooth( builder, guess->values, ROLE_SMOOTHING );
	supSoftBuilder_Smooth( builder, guess->looseness, ROLE_SMOOTHING );
	supSoftBuilder_Smooth( builder, guess->undersides, ROLE_SMOOTHING );
	supSoftBuilder_Smooth( builder, guess->limbs, ROLE_SMOOTHING );
	CombineVoxels( guess );
	supSoftBuilder_Smooth( builder, builder->softness->softness, SUP_SOFT_SMOOTHING );
	for ( int32_t i = 0; i < surface->triangleCount; ++i )
	{
		const uint32_t* corners = surface->indices + 3 * (int64_t)i;
		if ( guess->isRigid[corners[0]] )
		{
			supSoftBuilder_SampleTriangle( builder, corners, MakeFirm, builder );
		}
	}
	return true;
}

bool supSoftBuilder_Guess( supSoftBuilder* builder )
{
	Guess guess = { .builder = builder };
	supBox bounds = FindBounds( builder->def->surface );
	bool ok = Allocate( &guess ) && FindRigid( &guess, bounds ) && FindRoles( &guess, bounds ) && FillVoxels( &guess );
	supBoneRoles_Destroy( &guess.roles );
	builder->softness->isAutomatic = true;
	builder->softness->isRigid = guess.isRigid;
	return ok;
}
