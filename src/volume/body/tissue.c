// SPDX-License-Identifier: MIT
#include "volume/body/tissue.h"

#include "core/tasks.h"

#define GRAIN 1024

// docs/volume.md names the sources.
static const supLayer s_layers[] = {
	{ "bone", 0.0f, { .density = 1900.0f, .stiffness = 17.0e9f, .poisson = 0.3f, .damping = 0.05f } },
	{ "muscle", 1.0f, { .density = 1060.0f, .stiffness = 30.0e3f, .poisson = 0.49f, .damping = 0.3f } },
	{ "fat", 1.0f, { .density = 950.0f, .stiffness = 3.0e3f, .poisson = 0.49f, .damping = 0.2f } },
	{ "skin", 0.0f, { .density = 1100.0f, .stiffness = 150.0e3f, .poisson = 0.49f, .damping = 0.3f } },
};

const supLayer* supStandardLayers( int32_t* count )
{
	*count = SUP_COUNT( s_layers );
	return s_layers;
}

supSoftRegion supDefaultSoftRegion( void )
{
	return ( supSoftRegion ){ .name = "", .shape = sup_softPainted, .softness = 1.0f };
}

// ---------------------------------------------------------------------------------------------------------------------
// Settings

static bool IsPositive( float a )
{
	return supIsFinite( a ) && a > 0.0f;
}

static bool CheckLayer( const supLayer* layer, int32_t index, supError* error )
{
	const char* name = layer->name != NULL ? layer->name : "";
	const supTissue* t = &layer->tissue;
	if ( name[0] == 0 )
	{
		return supSetError( error, sup_errorArgument, "layers", "layer %d has no name", index );
	}
	if ( supIsFinite( layer->share ) == false || layer->share < 0.0f )
	{
		return supSetError( error, sup_errorArgument, name, "share must be 0 or more (got %g)", (double)layer->share );
	}
	if ( IsPositive( t->density ) == false || IsPositive( t->stiffness ) == false )
	{
		return supSetError( error, sup_errorArgument, name,
							"density and stiffness must be above 0 (got %g kg/m3 and %g Pa)", (double)t->density,
							(double)t->stiffness );
	}
	if ( !( t->poisson >= 0.0f && t->poisson < 0.5f ) )
	{
		return supSetError( error, sup_errorArgument, name,
							"Poisson's ratio must be between 0 and 0.5 (got %g); flesh has 0.45 to 0.499",
							(double)t->poisson );
	}
	if ( supIsFinite( t->damping ) == false || t->damping < 0.0f )
	{
		return supSetError( error, sup_errorArgument, name, "the damping ratio must be 0 or more (got %g)",
							(double)t->damping );
	}
	return true;
}

static bool CheckLayers( const supLayerSettings* settings, const supFleshDef* def, supError* error )
{
	if ( settings->layerCount < 2 || settings->layerCount > SUP_MAX_LAYERS )
	{
		return supSetError( error, sup_errorArgument, "layers", "must have 2 to %d layers (got %d)", SUP_MAX_LAYERS,
							settings->layerCount );
	}
	if ( supIsFinite( def->boneWidth ) == false || def->boneWidth < 0.0f )
	{
		return supSetError( error, sup_errorArgument, "layers", "the width of the bone must be 0 m or more (got %g)",
							(double)def->boneWidth );
	}
	for ( int32_t i = 0; i < settings->layerCount; ++i )
	{
		if ( CheckLayer( settings->layers + i, i, error ) == false )
		{
			return false;
		}
	}
	return true;
}

static int32_t ToVoxels( float metres, double voxelSize )
{
	double voxels = (double)metres / voxelSize + 0.5;
	return voxels < SUP_MAX_VOXEL_RESOLUTION ? (int32_t)voxels : SUP_MAX_VOXEL_RESOLUTION;
}

static int32_t FindBone( const supBones* bones, int32_t node )
{
	int32_t found = -1;
	for ( int32_t i = 0; i < bones->count && found < 0; ++i )
	{
		found = bones->nodes != NULL && bones->nodes[i] == node ? i : -1;
	}
	return found;
}

static bool ConvertOverride( const supLayerOverride* from, const supCharacter* character, const supBones* bones,
							 double voxelSize, supLayerPart* part, supError* error )
{
	int32_t nodeCount = supCharacter_NodeCount( character );
	if ( from->node < 0 || from->node >= nodeCount )
	{
		return supSetError( error, sup_errorArgument, "layers", "node %d does not exist; the character has %d",
							from->node, nodeCount );
	}
	const char* name = supCharacter_Node( character, from->node )->name;
	part->bone = FindBone( bones, from->node );
	if ( part->bone < 0 )
	{
		return supSetError( error, sup_errorArgument, name, "the node is not a joint and cannot have layers" );
	}
	if ( supIsFinite( from->boneWidth ) == false )
	{
		return supSetError( error, sup_errorArgument, name, "the width of the bone is not finite" );
	}
	part->boneWidth = from->boneWidth >= 0.0f ? ToVoxels( from->boneWidth, voxelSize ) : -1;
	// bone and skin take no share
	part->shares = from->shares != NULL ? from->shares + 1 : NULL;
	return true;
}

bool supLayerSettings_Init( supLayerSettings* settings, const supFleshDef* def, const supCharacter* character,
							const supBones* bones, double voxelSize, supError* error )
{
	supClearError( error );
	settings->layers = def->layerCount > 0 ? def->layers : supStandardLayers( &settings->layerCount );
	settings->layerCount = def->layerCount > 0 ? def->layerCount : settings->layerCount;
	if ( CheckLayers( settings, def, error ) == false )
	{
		return false;
	}
	size_t partCount = (size_t)def->layerOverrideCount;
	float* shares = supArena_AllocArray( &settings->arena, SUP_MAX_LAYERS, sizeof( float ) );
	supLayerPart* parts = supArena_AllocArray( &settings->arena, partCount, sizeof( supLayerPart ) );
	bool ok = shares != NULL && parts != NULL ? true : supSetMemoryError( error );
	for ( int32_t i = 1; i + 1 < settings->layerCount && ok; ++i )
	{
		shares[i - 1] = settings->layers[i].share;
	}
	for ( int32_t i = 0; i < def->layerOverrideCount && ok; ++i )
	{
		ok = ConvertOverride( def->layerOverrides + i, character, bones, voxelSize, parts + i, error );
	}
	if ( ok == false )
	{
		supLayerSettings_Destroy( settings );
		return false;
	}
	settings->def = ( supLayersDef ){ .layerCount = settings->layerCount,
									  .boneWidth = ToVoxels( def->boneWidth, voxelSize ),
									  .shares = shares,
									  .partCount = def->layerOverrideCount,
									  .parts = parts };
	return true;
}

void supLayerSettings_Destroy( supLayerSettings* settings )
{
	supArena_Destroy( &settings->arena );
	*settings = ( supLayerSettings ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Carrying

typedef struct CarryContext
{
	const supLayers* layers;
	const supVoxels* voxels;
	const supVec3* points;
	uint8_t* out;
} CarryContext;

static void CarryRange( int32_t begin, int32_t end, int32_t worker, void* contextPointer )
{
	(void)worker;
	const CarryContext* context = contextPointer;
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t voxel = supVoxels_FindAt( context->voxels, context->points[i] );
		voxel = voxel >= 0 ? voxel : supVoxels_FindNearest( context->voxels, context->points[i] );
		context->out[i] = context->layers->layers[voxel];
	}
}

void supCarryLayers( const supLayers* layers, const supVoxels* voxels, const supVec3* points, int32_t count,
					 const supTasks* tasks, uint8_t* out )
{
	CarryContext context = { layers, voxels, points, out };
	supParallelFor( tasks, count, GRAIN, CarryRange, &context );
}

int32_t supPickLayer( const supLayer* layers, int32_t layerCount, float boneWidth, float skinWidth, float boneDistance,
					  float thickness )
{
	if ( boneDistance <= boneWidth )
	{
		return 0;
	}
	float way = thickness - skinWidth - boneWidth;
	float sum = 0.0f;
	for ( int32_t i = 1; i + 1 < layerCount; ++i )
	{
		sum += layers[i].share;
	}
	float reached = ( boneDistance - boneWidth ) * sum;
	for ( int32_t i = 1; i + 1 < layerCount && way > 0.0f && boneDistance < thickness - skinWidth; ++i )
	{
		if ( reached < layers[i].share * way )
		{
			return i;
		}
		reached -= layers[i].share * way;
	}
	return layerCount - 1;
}
