// SPDX-License-Identifier: MIT
// Packs flesh for a device: constraints wave by wave, and all that the other kernels read.
#include "method/position/crowd_flesh.h"

#include "method/position/crowd_waves.h"
#include "method/position/short_float.h"

// What the kernels keep in local memory beside the particles.
#define LOCAL_RESERVE 1024

// ---------------------------------------------------------------------------------------------------------------------
// The block

typedef struct Builder
{
	supCrowdFlesh* packed;
	bool failed;
} Builder;

// Room for so many bytes, zeroed, on a cache line of its own; `offset` is where. NULL while only sizes are counted.
static void* Reserve( Builder* builder, uint32_t* offset, size_t bytes )
{
	supCrowdFlesh* packed = builder->packed;
	size_t at = packed->byteCount;
	packed->byteCount += ( bytes + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
	*offset = (uint32_t)at;
	builder->failed = builder->failed || packed->byteCount > UINT32_MAX;
	return packed->bytes != NULL ? packed->bytes + at : NULL;
}

static void PutArray( Builder* builder, uint32_t* offset, const void* items, size_t count, size_t itemSize )
{
	void* place = Reserve( builder, offset, count * itemSize );
	if ( place != NULL && count > 0 )
	{
		memcpy( place, items, count * itemSize );
	}
}

// Of points with several joints each, the first of all points, then the second of all, and so on.
static void PutWeights( uint16_t* joints, float* weights, const uint16_t* sourceJoints, const float* sourceWeights,
						int32_t count, int32_t influences )
{
	for ( int32_t i = 0; joints != NULL && i < count; ++i )
	{
		for ( int32_t k = 0; k < influences; ++k )
		{
			size_t from = (size_t)i * (size_t)influences + (size_t)k, to = (size_t)k * (size_t)count + (size_t)i;
			joints[to] = sourceJoints[from];
			weights[to] = sourceWeights[from];
		}
	}
}

static void PutParticles( Builder* builder, const supPositionFlesh* f )
{
	supCrowdLayout* layout = &builder->packed->layout;
	size_t n = (size_t)f->particleCount, slots = n * (size_t)f->influences;
	size_t lanes = SUP_PACK * (size_t)f->bind.packCount;
	PutArray( builder, &layout->rest, f->rest, n, sizeof( supVec3 ) );
	PutArray( builder, &layout->inverseMasses, f->inverseMasses, n, sizeof( float ) );
	PutArray( builder, &layout->reaches, f->reaches, n, sizeof( float ) );
	PutWeights( Reserve( builder, &layout->joints, slots * sizeof( uint16_t ) ),
				Reserve( builder, &layout->weights, slots * sizeof( float ) ), f->joints, f->weights, f->particleCount,
				f->influences );
	PutArray( builder, &layout->boneNodes, f->boneNodes, (size_t)f->boneCount, sizeof( int32_t ) );
	PutArray( builder, &layout->boneInverses, f->boneInverses, (size_t)f->boneCount, sizeof( supMat34 ) );
	PutArray( builder, &layout->bindBones, f->bindBones, lanes, sizeof( int32_t ) );
	PutArray( builder, &layout->bindAnchors, f->bindAnchors, lanes, sizeof( supVec3 ) );
	PutArray( builder, &layout->tets, f->tets, 4 * (size_t)f->tetCount, sizeof( int32_t ) );
}

// Numbers of particles, 16 or 32 bits each.
static void PutPoints( const Builder* builder, uint8_t* points, int32_t index, const supCrowdItem* item, int32_t arity )
{
	for ( int32_t k = 0; k < arity; ++k )
	{
		size_t place = (size_t)index * (size_t)arity + (size_t)k;
		if ( builder->packed->localSize > 0 )
		{
			( (uint16_t*)(void*)points )[place] = (uint16_t)item->points[k];
		}
		else
		{
			( (uint32_t*)(void*)points )[place] = (uint32_t)item->points[k];
		}
	}
}

static void PutWaves( Builder* builder, const supCrowdWaves* waves, uint32_t* offset, int32_t* waveCount )
{
	*waveCount = waves->waveCount;
	PutArray( builder, offset, waves->starts, (size_t)waves->waveCount + 1, sizeof( int32_t ) );
}

// Can all numbers be 16 bits without loss? Flesh files of earlier versions have others.
static bool IsShort( float value )
{
	return RoundToShort( value ) == value;
}

static bool CanBeCompact( const supPositionFlesh* f )
{
	bool ok = true;
	for ( int32_t i = 0; ok && i < f->particleCount; ++i )
	{
		ok = IsShort( f->inverseMasses[i] );
	}
	for ( int32_t i = 0; ok && i < SUP_PACK * f->stretch.packCount; ++i )
	{
		const supStretchPack* s = f->stretchPacks + i / SUP_PACK;
		int32_t lane = i % SUP_PACK;
		ok = IsShort( s->firstShare[lane] ) && IsShort( s->secondShare[lane] ) && IsShort( s->hold[lane] );
	}
	for ( int32_t i = 0; ok && i < SUP_PACK * f->volume.packCount; ++i )
	{
		const supVolumePack* v = f->volumePacks + i / SUP_PACK;
		ok = IsShort( v->share[i % SUP_PACK] ) && IsShort( v->reach[i % SUP_PACK] );
	}
	return ok;
}

static uint32_t PairOf( float low, float high )
{
	return ToShort( low ) | ToShort( high ) << 16;
}

static uint32_t PointsOf( const supCrowdItem* item, int32_t first )
{
	return (uint32_t)item->points[first] | (uint32_t)item->points[first + 1] << 16;
}

static void PutShortStretches( Builder* builder, const supPositionFlesh* f, const supCrowdWaves* waves )
{
	supCrowdShortStretch* items = Reserve( builder, &builder->packed->layout.stretchItems,
										   (size_t)waves->itemCount * sizeof( supCrowdShortStretch ) );
	for ( int32_t i = 0; items != NULL && i < waves->itemCount; ++i )
	{
		const supCrowdItem* item = waves->items + i;
		const supStretchPack* s = f->stretchPacks + item->lane / SUP_PACK;
		int32_t lane = item->lane % SUP_PACK;
		items[i] =
			( supCrowdShortStretch ){ PointsOf( item, 0 ), s->length[lane],
									  PairOf( s->firstShare[lane], s->secondShare[lane] ), ToShort( s->hold[lane] ) };
	}
}

static void PutWideStretches( Builder* builder, const supPositionFlesh* f, const supCrowdWaves* waves )
{
	supCrowdLayout* layout = &builder->packed->layout;
	size_t count = (size_t)waves->itemCount, width = builder->packed->localSize > 0 ? 2 : 4;
	uint8_t* points = Reserve( builder, &layout->stretchPoints, 2 * width * count );
	supCrowdStretch* items = Reserve( builder, &layout->stretchItems, count * sizeof( supCrowdStretch ) );
	for ( int32_t i = 0; points != NULL && i < waves->itemCount; ++i )
	{
		const supCrowdItem* item = waves->items + i;
		const supStretchPack* s = f->stretchPacks + item->lane / SUP_PACK;
		int32_t lane = item->lane % SUP_PACK;
		PutPoints( builder, points, i, item, 2 );
		items[i] = ( supCrowdStretch ){ s->length[lane], s->firstShare[lane], s->secondShare[lane], s->hold[lane] };
	}
}

static void PutStretches( Builder* builder, const supPositionFlesh* f, const supCrowdWaves* waves )
{
	supCrowdLayout* layout = &builder->packed->layout;
	PutWaves( builder, waves, &layout->stretchWaves, &layout->stretchWaveCount );
	( layout->isCompact ? PutShortStretches : PutWideStretches )( builder, f, waves );
	supCrowdStretchSpring* springs =
		Reserve( builder, &layout->stretchSprings, (size_t)waves->itemCount * sizeof( supCrowdStretchSpring ) );
	for ( int32_t i = 0; springs != NULL && i < waves->itemCount; ++i )
	{
		const supStretchSpring* spring = f->stretchSprings + waves->items[i].lane / SUP_PACK;
		int32_t lane = waves->items[i].lane % SUP_PACK;
		springs[i] =
			( supCrowdStretchSpring ){ spring->firstMass[lane], spring->secondMass[lane], spring->compliance[lane] };
	}
}

static void PutBinds( Builder* builder, const supPositionFlesh* f, const supCrowdWaves* waves )
{
	supCrowdLayout* layout = &builder->packed->layout;
	size_t count = (size_t)waves->itemCount;
	PutWaves( builder, waves, &layout->bindWaves, &layout->bindWaveCount );
	supCrowdBind* items = Reserve( builder, &layout->bindItems, count * sizeof( supCrowdBind ) );
	supCrowdBindSpring* springs = Reserve( builder, &layout->bindSprings, count * sizeof( supCrowdBindSpring ) );
	for ( int32_t i = 0; items != NULL && i < waves->itemCount; ++i )
	{
		const supCrowdItem* item = waves->items + i;
		int32_t pack = item->lane / SUP_PACK, lane = item->lane % SUP_PACK;
		const supBindPack* b = f->bindPacks + pack;
		items[i] = ( supCrowdBind ){ b->length[lane], b->share[lane], (uint32_t)item->lane, (uint32_t)item->points[0] };
		springs[i] = ( supCrowdBindSpring ){ f->bindSprings[pack].mass[lane], f->bindSprings[pack].compliance[lane] };
	}
}

static void PutShortVolumes( Builder* builder, const supPositionFlesh* f, const supCrowdWaves* waves )
{
	supCrowdLayout* layout = &builder->packed->layout;
	size_t count = (size_t)waves->itemCount;
	supCrowdShortVolume* items = Reserve( builder, &layout->volumeItems, count * sizeof( supCrowdShortVolume ) );
	uint32_t* masses = Reserve( builder, &layout->volumeMasses, 2 * count * sizeof( uint32_t ) );
	for ( int32_t i = 0; items != NULL && i < waves->itemCount; ++i )
	{
		const supCrowdItem* item = waves->items + i;
		const supVolumePack* v = f->volumePacks + item->lane / SUP_PACK;
		int32_t lane = item->lane % SUP_PACK;
		items[i] = ( supCrowdShortVolume ){ { PointsOf( item, 0 ), PointsOf( item, 2 ) },
											v->volume[lane],
											PairOf( v->share[lane], v->reach[lane] ) };
		for ( int32_t k = 0; k < 2; ++k )
		{
			masses[2 * i + k] =
				PairOf( f->inverseMasses[item->points[2 * k]], f->inverseMasses[item->points[2 * k + 1]] );
		}
	}
}

static void PutWideVolumes( Builder* builder, const supPositionFlesh* f, const supCrowdWaves* waves )
{
	supCrowdLayout* layout = &builder->packed->layout;
	size_t count = (size_t)waves->itemCount, width = builder->packed->localSize > 0 ? 2 : 4;
	uint8_t* points = Reserve( builder, &layout->volumePoints, 4 * width * count );
	supCrowdVolume* items = Reserve( builder, &layout->volumeItems, count * sizeof( supCrowdVolume ) );
	for ( int32_t i = 0; points != NULL && i < waves->itemCount; ++i )
	{
		const supCrowdItem* item = waves->items + i;
		const supVolumePack* v = f->volumePacks + item->lane / SUP_PACK;
		int32_t lane = item->lane % SUP_PACK;
		PutPoints( builder, points, i, item, 4 );
		items[i] = ( supCrowdVolume ){ .volume = v->volume[lane], .share = v->share[lane], .reach = v->reach[lane] };
		for ( int32_t k = 0; k < 4; ++k )
		{
			items[i].masses[k] = f->inverseMasses[item->points[k]];
		}
	}
}

static void PutVolumes( Builder* builder, const supPositionFlesh* f, const supCrowdWaves* waves )
{
	supCrowdLayout* layout = &builder->packed->layout;
	PutWaves( builder, waves, &layout->volumeWaves, &layout->volumeWaveCount );
	( layout->isCompact ? PutShortVolumes : PutWideVolumes )( builder, f, waves );
	float* springs = Reserve( builder, &layout->volumeSprings, (size_t)waves->itemCount * sizeof( float ) );
	for ( int32_t i = 0; springs != NULL && i < waves->itemCount; ++i )
	{
		int32_t lane = waves->items[i].lane;
		springs[i] = f->volumeSprings[lane / SUP_PACK].compliance[lane % SUP_PACK];
	}
}

// Parts, and of each particle on their surface the triangles around it in the order in which they are summed.
static void PutParts( Builder* builder, const supPositionFlesh* f )
{
	supCrowdLayout* layout = &builder->packed->layout;
	size_t parts = (size_t)f->partCount, particles = (size_t)f->partStarts[f->partCount];
	size_t triangles = (size_t)f->partTriangles[f->partCount];
	PutArray( builder, &layout->partTriangles, f->partTriangles, parts + 1, sizeof( int32_t ) );
	PutArray( builder, &layout->triangles, f->triangles, 3 * triangles, sizeof( int32_t ) );
	PutArray( builder, &layout->partStarts, f->partStarts, parts + 1, sizeof( int32_t ) );
	PutArray( builder, &layout->partParticles, f->partParticles, particles, sizeof( int32_t ) );
	PutArray( builder, &layout->partVolumes, f->partVolumes, parts, sizeof( double ) );
	int32_t* starts = Reserve( builder, &layout->particleTriangleStarts, ( particles + 1 ) * sizeof( int32_t ) );
	int32_t* lists = Reserve( builder, &layout->particleTriangles, 3 * triangles * sizeof( int32_t ) );
	uint32_t scratch;
	int32_t* entries = Reserve( builder, &scratch, (size_t)f->particleCount * sizeof( int32_t ) );
	if ( starts == NULL )
	{
		return;
	}
	for ( size_t i = 0; i < particles; ++i )
	{
		entries[f->partParticles[i]] = (int32_t)i;
	}
	for ( size_t i = 0; i < 3 * triangles; ++i )
	{
		starts[entries[f->triangles[i]] + 1] += 1;
	}
	for ( size_t i = 0; i < particles; ++i )
	{
		starts[i + 1] += starts[i];
	}
	for ( size_t i = 0; i < 3 * triangles; ++i )
	{
		lists[starts[entries[f->triangles[i]]]++] = (int32_t)( i / 3 );
	}
	memmove( starts + 1, starts, particles * sizeof( int32_t ) );
	starts[0] = 0;
}

static void PutBinding( Builder* builder, const supSurfaceBinding* b )
{
	supCrowdLayout* layout = &builder->packed->layout;
	size_t points = (size_t)b->pointCount, vertices = (size_t)b->vertexCount;
	size_t neighbours = (size_t)b->neighbourStarts[b->pointCount];
	PutArray( builder, &layout->restPoints, b->restPoints, points, sizeof( supVec4 ) );
	PutArray( builder, &layout->neighbourStarts, b->neighbourStarts, points + 1, sizeof( int32_t ) );
	supVec4* list = Reserve( builder, &layout->neighbours, neighbours * sizeof( supVec4 ) );
	for ( size_t i = 0; list != NULL && i < neighbours; ++i )
	{
		supVec3 g = b->gradients[i];
		list[i] = ( supVec4 ){ g.x, g.y, g.z, 0.0f };
		memcpy( &list[i].w, b->neighbours + i, sizeof( int32_t ) );
	}
	PutArray( builder, &layout->boundPoints, b->points, 4 * vertices, sizeof( int32_t ) );
	PutArray( builder, &layout->boundWeights, b->weights, 4 * vertices, sizeof( float ) );
	float* shares = Reserve( builder, &layout->boundShares, vertices * sizeof( float ) );
	for ( size_t i = 0; shares != NULL && i < vertices; ++i )
	{
		shares[i] = b->skinShares != NULL ? b->skinShares[i] : 1.0f;
	}
	layout->smoothness = b->smoothness;
	layout->vertexCount = b->vertexCount;
	layout->instanceCount = b->instanceCount;
}

static void PutSkins( Builder* builder, const supCharacter* character )
{
	supCrowdLayout* layout = &builder->packed->layout;
	int32_t count = 0;
	layout->skinCount = supCharacter_SkinCount( character );
	for ( int32_t i = 0; i < layout->skinCount; ++i )
	{
		count += supCharacter_Skin( character, i )->jointCount;
	}
	layout->jointCount = count;
	int32_t* nodes = Reserve( builder, &layout->skinJointNodes, (size_t)count * sizeof( int32_t ) );
	int32_t* skins = Reserve( builder, &layout->skinOfJoint, (size_t)count * sizeof( int32_t ) );
	supMat34* binds = Reserve( builder, &layout->skinInverseBinds, (size_t)count * sizeof( supMat34 ) );
	for ( int32_t i = 0, at = 0; i < layout->skinCount && nodes != NULL; ++i )
	{
		const supSkin* skin = supCharacter_Skin( character, i );
		for ( int32_t k = 0; k < skin->jointCount; ++k, ++at )
		{
			nodes[at] = skin->joints[k];
			skins[at] = i;
			binds[at] = skin->inverseBinds[k];
		}
	}
}

// How an instance is skinned: still ones always linearly (supSurfaceBinding_Write).
static supCrowdInstance DescribeInstance( const supPositionFlesh* f, const supCharacter* character, int32_t index )
{
	const supInstance* source = supCharacter_Instance( character, index );
	const supMesh* mesh = supCharacter_Mesh( character, source->mesh );
	bool isStill = f->binding.still[index], isSkinned = source->skin >= 0;
	bool isDual = isSkinned && isStill == false && f->start == sup_skinningDualQuaternion;
	supCrowdInstance instance = { .skinning = isDual      ? sup_crowdDual
											  : isSkinned ? sup_crowdLinear
														  : sup_crowdRigid,
								  .node = source->node,
								  .skin = source->skin,
								  .influences = isSkinned ? mesh->influences : 0,
								  .isStill = isStill,
								  .firstVertex = f->binding.vertexStarts[index],
								  .vertexCount = mesh->vertexCount,
								  .triangleCount = mesh->indexCount / 3,
								  .hasNormals = mesh->normals != NULL };
	for ( int32_t i = 0; i < source->skin; ++i )
	{
		instance.firstJoint += supCharacter_Skin( character, i )->jointCount;
	}
	return instance;
}

static void PutMeshes( Builder* builder, const supPositionFlesh* f, const supCharacter* character )
{
	supCrowdLayout* layout = &builder->packed->layout;
	int32_t slotCount = 0, indexCount = 0;
	supCrowdInstance* instances =
		Reserve( builder, &layout->instances, (size_t)layout->instanceCount * sizeof( supCrowdInstance ) );
	for ( int32_t i = 0; i < layout->instanceCount; ++i )
	{
		supCrowdInstance instance = DescribeInstance( f, character, i );
		instance.firstSlot = slotCount;
		instance.firstIndex = indexCount;
		slotCount += instance.influences * instance.vertexCount;
		indexCount += 3 * instance.triangleCount;
		if ( instances != NULL )
		{
			instances[i] = instance;
		}
	}
	size_t vertices = (size_t)layout->vertexCount;
	supVec3* positions = Reserve( builder, &layout->meshPositions, vertices * sizeof( supVec3 ) );
	supVec3* normals = Reserve( builder, &layout->meshNormals, vertices * sizeof( supVec3 ) );
	uint16_t* joints = Reserve( builder, &layout->meshJoints, (size_t)slotCount * sizeof( uint16_t ) );
	float* weights = Reserve( builder, &layout->meshWeights, (size_t)slotCount * sizeof( float ) );
	uint32_t* indices = Reserve( builder, &layout->indices, (size_t)indexCount * sizeof( uint32_t ) );
	for ( int32_t i = 0; i < layout->instanceCount && instances != NULL; ++i )
	{
		const supCrowdInstance* instance = instances + i;
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		size_t count = (size_t)instance->vertexCount;
		memcpy( positions + instance->firstVertex, mesh->positions, count * sizeof( supVec3 ) );
		if ( mesh->normals != NULL )
		{
			memcpy( normals + instance->firstVertex, mesh->normals, count * sizeof( supVec3 ) );
		}
		PutWeights( joints + instance->firstSlot, weights + instance->firstSlot, mesh->joints, mesh->weights,
					instance->vertexCount, instance->influences );
		memcpy( indices + instance->firstIndex, mesh->indices,
				3 * (size_t)instance->triangleCount * sizeof( uint32_t ) );
	}
}

static void PutAll( Builder* builder, const supPositionFlesh* f, const supCharacter* character,
					const supCrowdWaves* waves )
{
	builder->packed->byteCount = 0;
	PutParticles( builder, f );
	PutStretches( builder, f, waves + sup_crowdStretchKind );
	PutBinds( builder, f, waves + sup_crowdBindKind );
	PutVolumes( builder, f, waves + sup_crowdVolumeKind );
	PutParts( builder, f );
	PutBinding( builder, &f->binding );
	PutSkins( builder, character );
	PutMeshes( builder, f, character );
}

// ---------------------------------------------------------------------------------------------------------------------
// A slot

static uint32_t Extend( size_t* size, size_t bytes )
{
	size_t at = *size;
	*size += ( bytes + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
	return (uint32_t)at;
}

static uint32_t OffsetOf( const supPositionView* view, const void* array )
{
	return (uint32_t)( (const char*)array - (const char*)view->header );
}

// The state as it is, then what only the device needs.
static bool LayOutSlot( supCrowdFlesh* packed, const supPositionFlesh* f )
{
	supCrowdLayout* layout = &packed->layout;
	void* state = supAllocZeroed( supPositionFlesh_View( f, NULL ).size );
	if ( state == NULL )
	{
		return false;
	}
	supPositionView view = supPositionFlesh_View( f, state );
	layout->positions = OffsetOf( &view, view.positions );
	layout->velocities = OffsetOf( &view, view.velocities );
	layout->predicted = OffsetOf( &view, view.predicted );
	layout->predictedVelocities = OffsetOf( &view, view.predictedVelocities );
	layout->skinned = OffsetOf( &view, view.skinned );
	layout->bones = OffsetOf( &view, view.bones );
	layout->multipliers = OffsetOf( &view, view.multipliers );
	layout->downs = OffsetOf( &view, view.downs );
	layout->anchors = OffsetOf( &view, view.anchors );
	layout->frames = OffsetOf( &view, view.frames );
	supFree( state );
	size_t n = (size_t)f->particleCount, bones = (size_t)f->boneCount, joints = (size_t)layout->jointCount;
	size_t vertices = (size_t)layout->vertexCount;
	size_t size = layout->frames;
	Extend( &size, sizeof( supBindFrame ) * n );
	packed->stateSize = size;
	layout->palette = Extend( &size, SUP_CACHE_LINE * bones );
	layout->bonesBefore = Extend( &size, sizeof( supMat34 ) * bones );
	layout->savedPositions = Extend( &size, 16 * n );
	layout->savedVelocities = Extend( &size, 16 * n );
	layout->savedSkinned = Extend( &size, 16 * n );
	layout->savedBones = Extend( &size, sizeof( supMat34 ) * bones );
	layout->gradients = Extend( &size, sizeof( supVec3 ) * n );
	layout->skinFlags = Extend( &size, sizeof( int32_t ) * ( (size_t)layout->skinCount + 1 ) );
	layout->jointMatrices = Extend( &size, sizeof( supMat34 ) * joints );
	layout->jointDuals = Extend( &size, sizeof( supDualJoint ) * joints );
	layout->outPositions = Extend( &size, sizeof( supVec3 ) * vertices );
	layout->outNormals = Extend( &size, sizeof( supVec3 ) * vertices );
	layout->slotSize = (uint32_t)size;
	return size <= UINT32_MAX;
}

bool supCrowdFlesh_Init( supCrowdFlesh* packed, const supPositionFlesh* f, const supCharacter* character,
						 int64_t localMemory, supError* error )
{
	*packed = ( supCrowdFlesh ){ 0 };
	supCrowdLayout* layout = &packed->layout;
	layout->surfaceVolume = f->surfaceVolume;
	layout->surfaceResponse = f->surfaceResponse;
	layout->particleCount = f->particleCount;
	layout->boneCount = f->boneCount;
	layout->nodeCount = supCharacter_NodeCount( character );
	layout->influences = f->influences;
	layout->partCount = f->partCount;
	layout->solidCount = f->solidCount;
	layout->bindLaneCount = SUP_PACK * f->bind.packCount;
	layout->isDual = f->start == sup_skinningDualQuaternion;
	layout->isCompliant = f->mode == sup_positionCompliant;
	layout->edge = f->edge;
	size_t local = ( 12 * (size_t)f->particleCount + 15 ) / 16 * 16;
	bool fits = (int64_t)local + LOCAL_RESERVE <= localMemory && f->particleCount <= UINT16_MAX;
	packed->localSize = fits ? local : 0;
	layout->isCompact = fits && CanBeCompact( f );
	supArena scratch = { 0 };
	supCrowdWaves waves[sup_crowdKindCount];
	Builder builder = { .packed = packed };
	bool ok = true;
	layout->tetherCount = ( 5 * f->particleCount + 3 ) / 4 * 4;
	for ( int32_t i = 0; ok && i < sup_crowdKindCount; ++i )
	{
		ok = supCrowdWaves_Init( waves + i, &scratch, f, (supCrowdKind)i );
		layout->itemCount += ok ? waves[i].itemCount : 0;
	}
	if ( ok )
	{
		// once for the size
		PutAll( &builder, f, character, waves );
		packed->bytes = builder.failed ? NULL : supAllocZeroed( packed->byteCount );
		ok = packed->bytes != NULL && LayOutSlot( packed, f );
	}
	if ( ok )
	{
		PutAll( &builder, f, character, waves );
	}
	supArena_Destroy( &scratch );
	if ( ok == false )
	{
		supCrowdFlesh_Destroy( packed );
		return supSetMemoryError( error );
	}
	return true;
}

void supCrowdFlesh_Destroy( supCrowdFlesh* packed )
{
	supFree( packed->bytes );
	packed->bytes = NULL;
}
