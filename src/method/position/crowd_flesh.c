// SPDX-License-Identifier: MIT
// Packs flesh for a device. The order of constraints is Gauss-Seidel's, and so are the bits: a constraint may be solved
// as soon as all before it that share a particle with it have been. Waves are sets of constraints that are ready at the
// same time; there are as many as the longest chain is long, and what need not be solved early fills up later waves.
#include "method/position/crowd_flesh.h"

// What the kernels keep in local memory beside the particles.
#define LOCAL_RESERVE 1024

// What constraints cost, for waves of about equal length.
#define STRETCH_COST 2
#define BIND_COST 1
#define VOLUME_COST 5

// ---------------------------------------------------------------------------------------------------------------------
// Waves

typedef struct Item
{
	uint8_t kind; // 0 stretch, 1 bind, 2 volume
	uint8_t arity;
	int32_t lane; // pack * SUP_PACK + lane
	int32_t points[4];
	int32_t latest;
	int32_t wave;
} Item;

typedef struct Planner
{
	supArena arena;
	const supPositionFlesh* flesh;
	int32_t itemCount;
	Item* items;
	int32_t waveCount;
	int32_t* marks; // of each particle
	int64_t* loads; // of each wave
	int32_t counts[3];
} Planner;

static void AddItem( Planner* planner, int32_t kind, int32_t lane, const uint32_t* offsets, int32_t stride,
					 int32_t arity )
{
	Item* item = planner->items + planner->itemCount++;
	*item = ( Item ){ .kind = (uint8_t)kind, .arity = (uint8_t)arity, .lane = lane };
	for ( int32_t k = 0; k < arity; ++k )
	{
		// places in bytes
		item->points[k] = (int32_t)( offsets[k * stride] / 16 );
	}
	planner->counts[kind] += 1;
}

// A pack that is not full repeats its first.
static bool IsRepeated( const uint32_t* offsets, int32_t lane )
{
	return lane > 0 && offsets[lane] == offsets[0];
}

static void AddStretches( Planner* planner, int32_t begin, int32_t end )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		const supStretchPack* pack = planner->flesh->stretchPacks + i;
		for ( int32_t k = 0; k < SUP_PACK && IsRepeated( pack->first, k ) == false; ++k )
		{
			uint32_t offsets[2] = { pack->first[k], pack->second[k] };
			AddItem( planner, 0, SUP_PACK * i + k, offsets, 1, 2 );
		}
	}
}

// In the order of one iteration, as in solve.c.
static void ListItems( Planner* planner )
{
	const supPositionFlesh* flesh = planner->flesh;
	const supLevels* levels = &flesh->levels;
	for ( int32_t level = levels->count - 1; level >= 0; --level )
	{
		AddStretches( planner, flesh->stretch.starts[levels->starts[level]],
					  flesh->stretch.starts[levels->starts[level + 1]] );
	}
	for ( int32_t i = 0; i < flesh->bind.packCount; ++i )
	{
		const supBindPack* pack = flesh->bindPacks + i;
		for ( int32_t k = 0; k < SUP_PACK && IsRepeated( pack->particle, k ) == false; ++k )
		{
			AddItem( planner, 1, SUP_PACK * i + k, pack->particle + k, 1, 1 );
		}
	}
	for ( int32_t i = 0; i < flesh->volume.packCount; ++i )
	{
		const supVolumePack* pack = flesh->volumePacks + i;
		for ( int32_t k = 0; k < SUP_PACK && IsRepeated( pack->corners[0], k ) == false; ++k )
		{
			AddItem( planner, 2, SUP_PACK * i + k, pack->corners[0] + k, SUP_PACK, 4 );
		}
	}
}

static void SetMarks( Planner* planner, int32_t value )
{
	for ( int32_t i = 0; i < planner->flesh->particleCount; ++i )
	{
		planner->marks[i] = value;
	}
}

// The first wave after all that have moved a particle of the item.
static int32_t FindEarliest( const Planner* planner, const Item* item )
{
	int32_t wave = 0;
	for ( int32_t k = 0; k < item->arity; ++k )
	{
		int32_t mark = planner->marks[item->points[k]];
		wave = mark > wave ? mark : wave;
	}
	return wave;
}

static void Mark( Planner* planner, const Item* item, int32_t value )
{
	for ( int32_t k = 0; k < item->arity; ++k )
	{
		planner->marks[item->points[k]] = value;
	}
}

static void FindLatest( Planner* planner )
{
	planner->waveCount = 0;
	SetMarks( planner, 0 );
	for ( int32_t i = 0; i < planner->itemCount; ++i )
	{
		int32_t wave = FindEarliest( planner, planner->items + i );
		Mark( planner, planner->items + i, wave + 1 );
		planner->waveCount = wave + 1 > planner->waveCount ? wave + 1 : planner->waveCount;
	}
	SetMarks( planner, planner->waveCount );
	for ( int32_t i = planner->itemCount - 1; i >= 0; --i )
	{
		Item* item = planner->items + i;
		int32_t latest = planner->waveCount;
		for ( int32_t k = 0; k < item->arity; ++k )
		{
			int32_t mark = planner->marks[item->points[k]];
			latest = mark < latest ? mark : latest;
		}
		item->latest = latest - 1;
		Mark( planner, item, item->latest );
	}
}

// Each item into the first wave that has room, between the earliest and the latest that it may be in.
static void AssignWaves( Planner* planner )
{
	static const int32_t costs[3] = { STRETCH_COST, BIND_COST, VOLUME_COST };
	int64_t total = 0;
	for ( int32_t kind = 0; kind < 3; ++kind )
	{
		total += (int64_t)costs[kind] * planner->counts[kind];
	}
	int64_t room = planner->waveCount > 0 ? total / planner->waveCount + 1 : 0;
	SetMarks( planner, 0 );
	for ( int32_t i = 0; i < planner->itemCount; ++i )
	{
		Item* item = planner->items + i;
		int32_t best = FindEarliest( planner, item );
		for ( int32_t wave = best; wave <= item->latest && planner->loads[best] >= room; ++wave )
		{
			best = planner->loads[wave] < planner->loads[best] ? wave : best;
		}
		item->wave = best;
		planner->loads[best] += costs[item->kind];
		Mark( planner, item, best + 1 );
	}
}

static bool PlanWaves( Planner* planner )
{
	const supPositionFlesh* flesh = planner->flesh;
	size_t most = SUP_PACK * ( (size_t)flesh->stretch.packCount + (size_t)flesh->bind.packCount +
							   (size_t)flesh->volume.packCount );
	planner->items = supArena_AllocArray( &planner->arena, most, sizeof( Item ) );
	planner->marks = supArena_AllocArray( &planner->arena, (size_t)flesh->particleCount, sizeof( int32_t ) );
	if ( planner->arena.failed )
	{
		return false;
	}
	ListItems( planner );
	FindLatest( planner );
	planner->loads = supArena_AllocArray( &planner->arena, (size_t)planner->waveCount + 1, sizeof( int64_t ) );
	if ( planner->loads == NULL )
	{
		return false;
	}
	memset( planner->loads, 0, ( (size_t)planner->waveCount + 1 ) * sizeof( int64_t ) );
	AssignWaves( planner );
	return true;
}

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

static void PutParticles( Builder* builder, const supPositionFlesh* f )
{
	supCrowdLayout* layout = &builder->packed->layout;
	size_t n = (size_t)f->particleCount, slots = n * (size_t)f->influences;
	size_t lanes = SUP_PACK * (size_t)f->bind.packCount;
	PutArray( builder, &layout->rest, f->rest, n, sizeof( supVec3 ) );
	PutArray( builder, &layout->inverseMasses, f->inverseMasses, n, sizeof( float ) );
	PutArray( builder, &layout->reaches, f->reaches, n, sizeof( float ) );
	PutArray( builder, &layout->joints, f->joints, slots, sizeof( uint16_t ) );
	PutArray( builder, &layout->weights, f->weights, slots, sizeof( float ) );
	PutArray( builder, &layout->boneNodes, f->boneNodes, (size_t)f->boneCount, sizeof( int32_t ) );
	PutArray( builder, &layout->boneInverses, f->boneInverses, (size_t)f->boneCount, sizeof( supMat34 ) );
	PutArray( builder, &layout->bindBones, f->bindBones, lanes, sizeof( int32_t ) );
	PutArray( builder, &layout->bindAnchors, f->bindAnchors, lanes, sizeof( supVec3 ) );
	PutArray( builder, &layout->tets, f->tets, 4 * (size_t)f->tetCount, sizeof( int32_t ) );
}

// Numbers of particles, 16 or 32 bits each.
static void PutPoints( const Builder* builder, uint8_t* points, int32_t index, const Item* item )
{
	for ( int32_t k = 0; k < item->arity; ++k )
	{
		size_t place = (size_t)index * item->arity + (size_t)k;
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

typedef struct ItemArrays
{
	uint8_t* points[3];
	supCrowdStretch* stretches;
	supCrowdStretchSpring* stretchSprings;
	supCrowdBind* binds;
	supCrowdBindSpring* bindSprings;
	supCrowdVolume* volumes;
	float* volumeSprings;
} ItemArrays;

static void FillItem( const Builder* builder, const supPositionFlesh* f, const ItemArrays* arrays, const Item* item,
					  int32_t index )
{
	int32_t pack = item->lane / SUP_PACK, lane = item->lane % SUP_PACK;
	if ( item->kind == 1 )
	{
		const supBindPack* b = f->bindPacks + pack;
		( (uint32_t*)(void*)arrays->points[1] )[index] = (uint32_t)item->points[0];
		arrays->binds[index] = ( supCrowdBind ){ b->length[lane], b->share[lane], (uint32_t)item->lane };
		arrays->bindSprings[index] =
			( supCrowdBindSpring ){ f->bindSprings[pack].mass[lane], f->bindSprings[pack].compliance[lane] };
		return;
	}
	PutPoints( builder, arrays->points[item->kind], index, item );
	if ( item->kind == 0 )
	{
		const supStretchPack* s = f->stretchPacks + pack;
		const supStretchSpring* spring = f->stretchSprings + pack;
		arrays->stretches[index] =
			( supCrowdStretch ){ s->length[lane], s->firstShare[lane], s->secondShare[lane], s->hold[lane] };
		arrays->stretchSprings[index] =
			( supCrowdStretchSpring ){ spring->firstMass[lane], spring->secondMass[lane], spring->compliance[lane] };
		return;
	}
	const supVolumePack* v = f->volumePacks + pack;
	supCrowdVolume* volume = arrays->volumes + index;
	*volume = ( supCrowdVolume ){ .volume = v->volume[lane], .share = v->share[lane], .reach = v->reach[lane] };
	for ( int32_t k = 0; k < 4; ++k )
	{
		volume->masses[k] = f->inverseMasses[item->points[k]];
	}
	arrays->volumeSprings[index] = f->volumeSprings[pack].compliance[lane];
}

static void PutConstraints( Builder* builder, const supPositionFlesh* f, const Planner* planner )
{
	supCrowdLayout* layout = &builder->packed->layout;
	size_t width = builder->packed->localSize > 0 ? 2 : 4;
	size_t stretches = (size_t)planner->counts[0], binds = (size_t)planner->counts[1];
	size_t volumes = (size_t)planner->counts[2];
	ItemArrays arrays;
	supCrowdWave* waves =
		Reserve( builder, &layout->waves, ( (size_t)planner->waveCount + 1 ) * sizeof( supCrowdWave ) );
	arrays.points[0] = Reserve( builder, &layout->stretchPoints, 2 * width * stretches );
	arrays.points[1] = Reserve( builder, &layout->bindPoints, 4 * binds );
	arrays.points[2] = Reserve( builder, &layout->volumePoints, 4 * width * volumes );
	arrays.stretches = Reserve( builder, &layout->stretchItems, stretches * sizeof( supCrowdStretch ) );
	arrays.stretchSprings = Reserve( builder, &layout->stretchSprings, stretches * sizeof( supCrowdStretchSpring ) );
	arrays.binds = Reserve( builder, &layout->bindItems, binds * sizeof( supCrowdBind ) );
	arrays.bindSprings = Reserve( builder, &layout->bindSprings, binds * sizeof( supCrowdBindSpring ) );
	arrays.volumes = Reserve( builder, &layout->volumeItems, volumes * sizeof( supCrowdVolume ) );
	arrays.volumeSprings = Reserve( builder, &layout->volumeSprings, volumes * sizeof( float ) );
	layout->waveCount = planner->waveCount;
	layout->itemCount = planner->itemCount;
	if ( waves == NULL )
	{
		return;
	}
	// how many of each wave, then where they begin, then each to its place
	for ( int32_t i = 0; i < planner->itemCount; ++i )
	{
		int32_t* counts = &waves[planner->items[i].wave + 1].stretch;
		counts[planner->items[i].kind] += 1;
	}
	for ( int32_t i = 0; i < planner->waveCount; ++i )
	{
		waves[i + 1].stretch += waves[i].stretch;
		waves[i + 1].bind += waves[i].bind;
		waves[i + 1].volume += waves[i].volume;
	}
	for ( int32_t i = 0; i < planner->itemCount; ++i )
	{
		int32_t* next = &waves[planner->items[i].wave].stretch + planner->items[i].kind;
		FillItem( builder, f, &arrays, planner->items + i, ( *next )++ );
	}
	memmove( waves + 1, waves, (size_t)planner->waveCount * sizeof( supCrowdWave ) );
	waves[0] = ( supCrowdWave ){ 0 };
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
	PutArray( builder, &layout->neighbours, b->neighbours, neighbours, sizeof( int32_t ) );
	PutArray( builder, &layout->gradientWeights, b->gradients, neighbours, sizeof( supVec3 ) );
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
		size_t count = (size_t)instance->vertexCount, slots = count * (size_t)instance->influences;
		memcpy( positions + instance->firstVertex, mesh->positions, count * sizeof( supVec3 ) );
		if ( mesh->normals != NULL )
		{
			memcpy( normals + instance->firstVertex, mesh->normals, count * sizeof( supVec3 ) );
		}
		if ( slots > 0 )
		{
			memcpy( joints + instance->firstSlot, mesh->joints, slots * sizeof( uint16_t ) );
			memcpy( weights + instance->firstSlot, mesh->weights, slots * sizeof( float ) );
		}
		memcpy( indices + instance->firstIndex, mesh->indices,
				3 * (size_t)instance->triangleCount * sizeof( uint32_t ) );
	}
}

static void PutAll( Builder* builder, const supPositionFlesh* f, const supCharacter* character, const Planner* planner )
{
	builder->packed->byteCount = 0;
	PutParticles( builder, f );
	PutConstraints( builder, f, planner );
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

static size_t LargestTermCount( const supPositionFlesh* f, const supCharacter* character )
{
	int32_t most = f->particleCount;
	for ( int32_t i = 0; i < f->partCount; ++i )
	{
		int32_t count = f->partTriangles[i + 1] - f->partTriangles[i];
		most = count > most ? count : most;
	}
	for ( int32_t i = 0; i < f->binding.instanceCount; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		most = mesh->indexCount / 3 > most ? mesh->indexCount / 3 : most;
	}
	return (size_t)most;
}

static uint32_t OffsetOf( const supPositionView* view, const void* array )
{
	return (uint32_t)( (const char*)array - (const char*)view->header );
}

// The state as it is, then what only the device needs.
static bool LayOutSlot( supCrowdFlesh* packed, const supPositionFlesh* f, const supCharacter* character )
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
	size_t terms = LargestTermCount( f, character ), vertices = (size_t)layout->vertexCount;
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
	layout->terms = Extend( &size, sizeof( float ) * terms );
	layout->partials = Extend( &size, sizeof( double ) * ( terms / SUP_CROWD_REDUCE_BLOCK + 1 ) );
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
	Planner planner = { .flesh = f };
	Builder builder = { .packed = packed };
	bool ok = PlanWaves( &planner );
	if ( ok )
	{
		// once for the size
		PutAll( &builder, f, character, &planner );
		packed->bytes = builder.failed ? NULL : supAllocZeroed( packed->byteCount );
		ok = packed->bytes != NULL && LayOutSlot( packed, f, character );
	}
	if ( ok )
	{
		PutAll( &builder, f, character, &planner );
	}
	supArena_Destroy( &planner.arena );
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
