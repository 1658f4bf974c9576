// SPDX-License-Identifier: MIT
#include "volume/softness/softness.h"

#include "core/sort.h"
#include "core/tasks.h"
#include "volume/softness/softness_build.h"
#include "volume/voxels/voxel_graph.h"

#include <float.h>

// Paths from voxel to voxel are at most so much longer than straight ones.
#define MAX_DETOUR_RATIO 1.1f

// Of the way from the last joint of a chain to the skin beyond it: the bone goes on so far.
#define LAST_BONE 0.8f

// Selected enough to belong to a piece of a region.
#define IN_PIECE 0.05f

#define GRAIN 512

void supSoftness_Destroy( supSoftness* softness )
{
	supVoxels_Destroy( &softness->voxels );
	supArena_Destroy( &softness->arena );
	*softness = ( supSoftness ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Regions as given

static bool CheckNumbers( const supSoftRegion* region, const char* where, supError* error )
{
	const float numbers[] = { region->radius,   region->border, region->frequency, region->damping,
							  region->softness, region->reach,  region->even };
	static const char* const names[] = { "radius", "border", "frequency", "damping", "softness", "reach", "even" };
	for ( int32_t i = 0; i < SUP_COUNT( numbers ); ++i )
	{
		if ( supIsFinite( numbers[i] ) == false || numbers[i] < 0.0f )
		{
			return supSetError( error, sup_errorArgument, where, "%s must be 0 or more", names[i] );
		}
	}
	if ( region->even > 1.0f )
	{
		return supSetError( error, sup_errorArgument, where, "even must be 0 to 1 (got %g)", (double)region->even );
	}
	if ( region->softness > 1.0f )
	{
		return supSetError( error, sup_errorArgument, where, "softness must be 0 to 1 (got %g)",
							(double)region->softness );
	}
	return true;
}

static bool CheckValues( const supMesh* mesh, const supSoftRegion* region, const char* where, supError* error )
{
	if ( region->values == NULL || region->vertexCount != mesh->vertexCount )
	{
		return supSetError( error, sup_errorArgument, where, "%d values, but instance %d has %d vertices",
							region->values != NULL ? region->vertexCount : 0, region->instance, mesh->vertexCount );
	}
	for ( int32_t i = 0; i < region->vertexCount; ++i )
	{
		if ( !( region->values[i] >= 0.0f && region->values[i] <= 1.0f ) )
		{
			return supSetError( error, sup_errorArgument, where, "the value of vertex %d must be 0 to 1 (got %g)", i,
								(double)region->values[i] );
		}
	}
	return true;
}

static bool CheckVertices( const supCharacter* character, const supSoftRegion* region, const char* where,
						   supError* error )
{
	int32_t instanceCount = supCharacter_InstanceCount( character );
	if ( region->instance < 0 || region->instance >= instanceCount )
	{
		return supSetError( error, sup_errorArgument, where, "instance %d does not exist; the character has %d",
							region->instance, instanceCount );
	}
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, region->instance )->mesh );
	if ( region->shape == sup_softValues )
	{
		return CheckValues( mesh, region, where, error );
	}
	for ( int32_t i = 0; i < region->vertexCount; ++i )
	{
		if ( region->vertices[i] < 0 || region->vertices[i] >= mesh->vertexCount )
		{
			return supSetError( error, sup_errorArgument, where, "vertex %d does not exist; instance %d has %d",
								region->vertices[i], region->instance, mesh->vertexCount );
		}
	}
	return true;
}

static bool CheckNode( const supCharacter* character, const supBones* bones, const supSoftRegion* region,
					   const char* where, supError* error )
{
	int32_t nodeCount = supCharacter_NodeCount( character );
	if ( region->node < 0 || region->node >= nodeCount )
	{
		return supSetError( error, sup_errorArgument, where, "node %d does not exist; the character has %d",
							region->node, nodeCount );
	}
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		if ( bones->nodes[i] == region->node )
		{
			return true;
		}
	}
	return supSetError( error, sup_errorArgument, where, "node \"%s\" is not a joint; choose one that moves the skin",
						supCharacter_Node( character, region->node )->name );
}

bool supCheckSoftRegions( const supCharacter* character, const supBones* bones, const supSoftRegion* regions,
						  int32_t count, supError* error )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		const supSoftRegion* region = regions + i;
		supArena scratch = { 0 };
		const char* name = region->name != NULL ? region->name : "";
		const char* where = supArena_Format( &scratch, "soft region %d (%s)", i, name );
		where = where != NULL ? where : "soft region";
		bool ok = CheckNumbers( region, where, error );
		if ( ok && supIsSoftSolid( region ) &&
			 ( supIsFiniteVec3( region->center ) && supIsFiniteVec3( region->end ) ) == false )
		{
			ok = supSetError( error, sup_errorArgument, where, "the centre or the end is not finite" );
		}
		bool hasVertices = region->shape == sup_softVertices || region->shape == sup_softValues;
		ok = ok && ( hasVertices == false || CheckVertices( character, region, where, error ) );
		bool hasNode = region->shape == sup_softNode || ( supIsSoftSolid( region ) && region->isInBoneSpace );
		ok = ok && ( hasNode == false || CheckNode( character, bones, region, where, error ) );
		supArena_Destroy( &scratch );
		if ( ok == false )
		{
			return false;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bones

// Stubs of last joints are made longer, up to near the skin: a skull or a fingertip has bone in it to the end.
static bool ExtendStubs( supSoftBuilder* builder )
{
	const supBones* given = builder->def->bones;
	const supVoxels* v = builder->voxels;
	size_t count = (size_t)given->segmentStarts[given->count];
	supSegment* segments = supArena_CopyArray( &builder->scratch, given->segments, count, sizeof( supSegment ) );
	uint8_t* isParent = supArena_AllocZeroed( &builder->scratch, (size_t)given->count );
	if ( segments == NULL || isParent == NULL )
	{
		return false;
	}
	builder->bones = *given;
	builder->bones.segments = segments;
	for ( int32_t i = 0; i < given->count; ++i )
	{
		if ( given->parents[i] >= 0 )
		{
			isParent[given->parents[i]] = 1;
		}
	}
	for ( int32_t i = 0; i < given->count; ++i )
	{
		supSegment* stub = segments + given->segmentStarts[i];
		float length = supDistance( stub->a, stub->b );
		if ( isParent[i] != 0 || length < 1e-3f * (float)v->size )
		{
			continue;
		}
		supVec3 direction = supScale( 1.0f / length, supSub( stub->b, stub->a ) );
		float reach = 0.0f;
		while ( supVoxels_FindAt( v, supMulAdd( stub->a, reach, direction ) ) >= 0 )
		{
			reach += 0.5f * (float)v->size;
		}
		stub->b = supMulAdd( stub->a, supMaxFloat( length, LAST_BONE * reach ), direction );
	}
	return true;
}

static int32_t FindNearestBone( const supBones* bones, supVec3 p )
{
	int32_t nearest = 0;
	float least = FLT_MAX;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		float distance = supFindOnBone( bones, i, p ).distance;
		if ( distance < least )
		{
			least = distance;
			nearest = i;
		}
	}
	return nearest;
}

static int32_t FillSources( const supSoftBuilder* builder, const supBoneVoxels* boneVoxels, supVoxelSource* sources,
							uint64_t* keys, uint64_t* scratch )
{
	const supVoxels* v = builder->voxels;
	int32_t count = boneVoxels->starts[boneVoxels->boneCount];
	for ( int32_t bone = 0; bone < boneVoxels->boneCount; ++bone )
	{
		for ( int32_t i = boneVoxels->starts[bone]; i < boneVoxels->starts[bone + 1]; ++i )
		{
			supVec3 middle = supVoxels_CellCenter( v, v->cells[boneVoxels->voxels[i]] );
			float start = supFindOnBone( &builder->bones, bone, middle ).distance / (float)v->size;
			uint32_t bits;
			memcpy( &bits, &start, sizeof( bits ) );
			keys[i] = (uint64_t)bits << 32 | (uint32_t)i;
			sources[count + i] = ( supVoxelSource ){ boneVoxels->voxels[i], bone, start };
		}
	}
	supSortKeys( keys, scratch, (size_t)count, 64 );
	for ( int32_t i = 0; i < count; ++i )
	{
		sources[i] = sources[count + (int32_t)( keys[i] & UINT32_MAX )];
	}
	return count;
}

// Distances from the bones through the body, in voxels, and which bone is nearest.
static bool MeasurePaths( supSoftBuilder* builder, const supBoneVoxels* boneVoxels )
{
	size_t count = (size_t)boneVoxels->starts[boneVoxels->boneCount];
	supVoxelSource* sources = supAllocArray( 2 * count, sizeof( *sources ) );
	uint64_t* keys = supAllocArray( 2 * count, sizeof( *keys ) );
	bool ok = sources != NULL && keys != NULL;
	if ( ok )
	{
		int32_t sourceCount = FillSources( builder, boneVoxels, sources, keys, keys + count );
		ok = supComputeVoxelDistances( builder->voxels, sup_voxelEuclidean, sources, sourceCount, builder->distances,
									   builder->softness->bones );
	}
	supFree( keys );
	supFree( sources );
	return ok;
}

static void MeasureRange( int32_t begin, int32_t end, int32_t worker, void* contextPointer )
{
	(void)worker;
	const supSoftBuilder* builder = contextPointer;
	const supVoxels* v = builder->voxels;
	supSoftness* softness = builder->softness;
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 middle = supVoxels_CellCenter( v, v->cells[i] );
		bool reached = softness->bones[i] >= 0;
		softness->bones[i] = reached ? softness->bones[i] : FindNearestBone( &builder->bones, middle );
		float straight = supFindOnBone( &builder->bones, softness->bones[i], middle ).distance;
		float path = reached ? builder->distances[i] * (float)v->size / MAX_DETOUR_RATIO : straight;
		softness->boneDistances[i] = supMaxFloat( straight, path );
	}
}

static bool MeasureBones( supSoftBuilder* builder, supError* error )
{
	supBoneVoxels boneVoxels = { 0 };
	supError own = { 0 };
	supSoftness* softness = builder->softness;
	bool ok = ExtendStubs( builder );
	if ( ok == false )
	{
		return supSetMemoryError( error );
	}
	if ( supBoneVoxels_Init( &boneVoxels, builder->voxels, &builder->bones, &own ) && boneVoxels.isOutside == false )
	{
		ok = MeasurePaths( builder, &boneVoxels );
	}
	else
	{
		// a skeleton that lies outside altogether is measured in straight lines
		ok = own.code != sup_errorMemory;
		for ( int32_t i = 0; i < builder->voxels->count; ++i )
		{
			softness->bones[i] = -1;
		}
	}
	if ( ok )
	{
		supParallelFor( builder->def->tasks, builder->voxels->count, GRAIN, MeasureRange, builder );
	}
	supBoneVoxels_Destroy( &boneVoxels );
	return ok ? true : supSetMemoryError( error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Skin

// Distance to the nearest voxel with a face to the outside, into builder->distances, and that voxel.
static bool MeasureSkin( supSoftBuilder* builder )
{
	const supVoxels* v = builder->voxels;
	supVoxelSource* sources = supAllocArray( (size_t)v->count, sizeof( *sources ) );
	if ( sources == NULL )
	{
		return false;
	}
	int32_t sourceCount = 0;
	for ( int32_t i = 0; i < v->count; ++i )
	{
		bool open = false;
		for ( int32_t k = 0; k < 6; ++k )
		{
			open = open || builder->neighbours[6 * (ptrdiff_t)i + k] < 0;
		}
		if ( open )
		{
			sources[sourceCount++] = ( supVoxelSource ){ .voxel = i, .owner = i, .start = 0.0f };
		}
	}
	bool ok =
		supComputeVoxelDistances( v, sup_voxelEuclidean, sources, sourceCount, builder->distances, builder->skins );
	supFree( sources );
	return ok;
}

// Follows the ray from the bone through a voxel to the skin. False where it leads into another bone's flesh first.
static bool FindSkinAlong( const supSoftBuilder* builder, int32_t voxel, int32_t* skin, float* thickness )
{
	const supVoxels* v = builder->voxels;
	const supSoftness* softness = builder->softness;
	supVec3 middle = supVoxels_CellCenter( v, v->cells[voxel] );
	supBonePoint bone = supFindOnBone( &builder->bones, softness->bones[voxel], middle );
	float size = (float)v->size;
	if ( bone.distance < 0.5f * size || softness->boneDistances[voxel] > bone.distance )
	{
		return false;
	}
	supVec3 direction = supScale( 1.0f / bone.distance, supSub( middle, bone.point ) );
	*skin = voxel;
	int32_t most = 2 * ( v->nx + v->ny + v->nz );
	for ( int32_t i = 1; i <= most; ++i )
	{
		int32_t next = supVoxels_FindAt( v, supMulAdd( middle, 0.5f * size * (float)i, direction ) );
		if ( next < 0 )
		{
			*thickness = bone.distance + 0.5f * size * ( (float)i - 0.5f );
			return true;
		}
		if ( softness->bones[next] != softness->bones[voxel] )
		{
			return false;
		}
		*skin = next;
	}
	return false;
}

static void FindSkinRange( int32_t begin, int32_t end, int32_t worker, void* contextPointer )
{
	(void)worker;
	supSoftBuilder* builder = contextPointer;
	float size = (float)builder->voxels->size;
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t skin;
		float thickness;
		if ( FindSkinAlong( builder, i, &skin, &thickness ) )
		{
			builder->pieces[i] = skin;
		}
		else
		{
			builder->pieces[i] = builder->skins[i];
			thickness = builder->softness->boneDistances[i] + ( builder->distances[i] + 0.5f ) * size;
		}
		builder->softness->thickness[i] = thickness;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Smoothing, pieces, ramps

// Sums in pairs, so that a mirrored body gives mirrored results.
void supSoftBuilder_Smooth( supSoftBuilder* builder, float* values, int32_t passes )
{
	size_t bytes = (size_t)builder->voxels->count * sizeof( float );
	for ( int32_t pass = 0; pass < passes; ++pass )
	{
		memcpy( builder->values, values, bytes );
		for ( int32_t i = 0; i < builder->voxels->count; ++i )
		{
			const int32_t* neighbours = builder->neighbours + 6 * (ptrdiff_t)i;
			float sum = 0.0f;
			int32_t count = 0;
			for ( int32_t axis = 0; axis < 3; ++axis )
			{
				int32_t lower = neighbours[2 * axis], upper = neighbours[2 * axis + 1];
				sum += ( lower >= 0 ? builder->values[lower] : 0.0f ) + ( upper >= 0 ? builder->values[upper] : 0.0f );
				count += ( lower >= 0 ) + ( upper >= 0 );
			}
			if ( count > 0 )
			{
				values[i] = 0.5f * builder->values[i] + 0.5f * sum / (float)count;
			}
		}
	}
}

// Collects the piece of the selection around `first` in builder->queue. Returns how many voxels it has.
static int32_t CollectPiece( supSoftBuilder* builder, int32_t first )
{
	int32_t count = 0;
	builder->queue[count++] = first;
	builder->pieces[first] = 1;
	for ( int32_t i = 0; i < count; ++i )
	{
		const int32_t* neighbours = builder->neighbours + 6 * (ptrdiff_t)builder->queue[i];
		for ( int32_t k = 0; k < 6; ++k )
		{
			int32_t next = neighbours[k];
			if ( next >= 0 && builder->pieces[next] == 0 && builder->selection[next] > IN_PIECE )
			{
				builder->pieces[next] = 1;
				builder->queue[count++] = next;
			}
		}
	}
	return count;
}

static void SoftenPiece( supSoftBuilder* builder, int32_t region, int32_t count )
{
	supSoftness* softness = builder->softness;
	double sum = 0.0, weight = 0.0;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t voxel = builder->queue[i];
		sum += (double)builder->selection[voxel] * (double)softness->boneDistances[voxel];
		weight += (double)builder->selection[voxel];
	}
	float mean = (float)( sum / weight );
	float strength = builder->def->regionCount > 0 ? builder->def->regions[region].softness : 1.0f;
	float even = builder->def->regionCount > 0 ? builder->def->regions[region].even : 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t voxel = builder->queue[i];
		float ramp = supRamp( 0.5f * mean, 1.5f * mean, softness->boneDistances[voxel] );
		float value = strength * builder->selection[voxel] * supLerpFloat( ramp, 1.0f, even );
		if ( value > softness->softness[voxel] )
		{
			softness->softness[voxel] = value;
			softness->regions[voxel] = region;
		}
	}
}

static bool SoftenRegion( supSoftBuilder* builder, const supSoftRegion* region, int32_t index )
{
	if ( supSoftBuilder_Select( builder, region ) == false )
	{
		return false;
	}
	supSoftBuilder_Smooth( builder, builder->selection, SUP_SOFT_SMOOTHING );
	memset( builder->pieces, 0, (size_t)builder->voxels->count * sizeof( int32_t ) );
	bool touches = false;
	for ( int32_t i = 0; i < builder->voxels->count; ++i )
	{
		if ( builder->pieces[i] == 0 && builder->selection[i] > IN_PIECE )
		{
			SoftenPiece( builder, index, CollectPiece( builder, i ) );
			touches = true;
		}
	}
	// nothing that is painted soft is somebody's wish; a ball beside the body is not
	if ( touches == false && supIsSoftSolid( region ) )
	{
		supLog( sup_logWarning,
				"soft region %d (%s) is outside the body; its centre and radius are in metres, in the rest "
				"pose",
				index, region->name != NULL ? region->name : "" );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool Allocate( supSoftBuilder* builder )
{
	supSoftness* softness = builder->softness;
	size_t count = (size_t)softness->voxels.count;
	softness->softness = supArena_AllocZeroed( &softness->arena, count * sizeof( float ) );
	softness->regions = supArena_AllocZeroed( &softness->arena, count * sizeof( int32_t ) );
	softness->boneDistances = supArena_AllocArray( &softness->arena, count, sizeof( float ) );
	softness->looseness = supArena_AllocZeroed( &softness->arena, count * sizeof( float ) );
	softness->bones = supArena_AllocArray( &softness->arena, count, sizeof( int32_t ) );
	softness->thickness = supArena_AllocArray( &softness->arena, count, sizeof( float ) );
	builder->neighbours = supArena_AllocArray( &builder->scratch, 6 * count, sizeof( int32_t ) );
	builder->skins = supArena_AllocArray( &builder->scratch, count, sizeof( int32_t ) );
	builder->selection = supArena_AllocArray( &builder->scratch, count, sizeof( float ) );
	builder->values = supArena_AllocArray( &builder->scratch, count, sizeof( float ) );
	builder->distances = supArena_AllocArray( &builder->scratch, count, sizeof( float ) );
	builder->pieces = supArena_AllocArray( &builder->scratch, count, sizeof( int32_t ) );
	builder->queue = supArena_AllocArray( &builder->scratch, count, sizeof( int32_t ) );
	return softness->arena.failed == false && builder->scratch.failed == false;
}

static bool Soften( supSoftBuilder* builder )
{
	const supSoftnessDef* def = builder->def;
	if ( def->regionCount == 0 && supIsPainted( def->character ) == false )
	{
		return supSoftBuilder_Guess( builder );
	}
	supSoftRegion painted = supDefaultSoftRegion();
	const supSoftRegion* regions = builder->regions;
	bool ok = true;
	for ( int32_t i = 0; i < ( def->regionCount > 0 ? def->regionCount : 1 ) && ok; ++i )
	{
		ok = SoftenRegion( builder, def->regionCount > 0 ? regions + i : &painted, i );
	}
	return ok;
}

static bool Build( supSoftBuilder* builder, supError* error )
{
	const supSoftnessDef* def = builder->def;
	const supTasks* tasks = def->tasks;
	builder->regions = supResolveSoftRegions( def->character, def->regions, def->regionCount, &builder->scratch );
	if ( builder->regions == NULL || Allocate( builder ) == false )
	{
		return supSetMemoryError( error );
	}
	supVoxels_FillNeighbours( builder->voxels, 6, tasks, builder->neighbours );
	if ( MeasureBones( builder, error ) == false )
	{
		return false;
	}
	if ( MeasureSkin( builder ) == false )
	{
		return supSetMemoryError( error );
	}
	supParallelFor( tasks, builder->voxels->count, GRAIN, FindSkinRange, builder );
	memcpy( builder->skins, builder->pieces, (size_t)builder->voxels->count * sizeof( int32_t ) );
	supSoftBuilder_Smooth( builder, builder->softness->thickness, SUP_SOFT_SMOOTHING );
	return Soften( builder ) ? true : supSetMemoryError( error );
}

bool supSoftness_Init( supSoftness* softness, const supSoftnessDef* def, supError* error )
{
	supClearError( error );
	const supRestSurface* surface = def->surface;
	supVoxelsDef voxels = { .resolution = def->resolution,
							.vertexCount = surface->vertexCount,
							.positions = surface->positions,
							.triangleCount = surface->triangleCount,
							.indices = surface->indices,
							.tasks = def->tasks };
	if ( supCheckSoftRegions( def->character, def->bones, def->regions, def->regionCount, error ) == false ||
		 supVoxels_Init( &softness->voxels, &voxels, error ) == false )
	{
		return false;
	}
	supSoftBuilder builder = { .def = def, .softness = softness, .voxels = &softness->voxels };
	bool ok = Build( &builder, error );
	supArena_Destroy( &builder.scratch );
	if ( ok == false )
	{
		supSoftness_Destroy( softness );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Looking

supSoftPoint supSoftness_Sample( const supSoftness* softness, supVec3 p )
{
	int32_t around[8];
	float weights[8];
	int32_t count = supVoxels_Around( &softness->voxels, p, around, weights );
	if ( count == 0 )
	{
		around[0] = supVoxels_FindNearest( &softness->voxels, p );
		weights[0] = 1.0f;
		count = 1;
	}
	supSoftPoint point = { 0 };
	float most = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		float share = weights[i] * softness->softness[around[i]];
		point.softness += share;
		point.boneDistance += weights[i] * softness->boneDistances[around[i]];
		point.thickness += weights[i] * softness->thickness[around[i]];
		point.looseness += weights[i] * softness->looseness[around[i]];
		if ( share > most )
		{
			most = share;
			point.region = softness->regions[around[i]];
		}
	}
	point.softness = supMinFloat( point.softness, 1.0f );
	return point;
}

typedef struct SampleContext
{
	const supSoftness* softness;
	const supVec3* points;
	float* values;
	int32_t* regions;
} SampleContext;

static void SampleRange( int32_t begin, int32_t end, int32_t worker, void* contextPointer )
{
	(void)worker;
	const SampleContext* context = contextPointer;
	for ( int32_t i = begin; i < end; ++i )
	{
		supSoftPoint point = supSoftness_Sample( context->softness, context->points[i] );
		if ( context->values != NULL )
		{
			context->values[i] = point.softness;
		}
		if ( context->regions != NULL )
		{
			context->regions[i] = point.region;
		}
	}
}

void supSoftness_SampleMany( const supSoftness* softness, const supVec3* points, int32_t count, float* values,
							 int32_t* regions, const supTasks* tasks )
{
	SampleContext context = { softness, points, values, regions };
	supParallelFor( tasks, count, GRAIN, SampleRange, &context );
}
