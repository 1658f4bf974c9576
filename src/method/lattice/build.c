// SPDX-License-Identifier: MIT
// Flesh from a character: voxels, layers, weights, then everything that a step reads.
#include "method/lattice/lattice.h"

#include "volume/geodesic_weights.h"
#include "volume/rest_surface.h"
#include "volume/voxel_graph.h"

// ---------------------------------------------------------------------------------------------------------------------
// Body

static bool BuildVoxels( supLatticeBuilder* b )
{
	supRestSurface surface = { 0 };
	if ( supRestSurface_Init( &surface, b->input->character, b->input->tasks, b->error ) == false )
	{
		return false;
	}
	supVoxelsDef def = { .resolution = (int32_t)b->input->parameters[sup_latticeResolution],
						 .vertexCount = surface.vertexCount,
						 .positions = surface.positions,
						 .triangleCount = surface.triangleCount,
						 .indices = surface.indices,
						 .tasks = b->input->tasks };
	bool ok = supVoxels_Init( &b->voxels, &def, b->error );
	supRestSurface_Destroy( &surface );
	if ( ok )
	{
		supLatticeFlesh* f = b->flesh;
		const supVoxels* v = &b->voxels;
		int32_t longest = v->nx > v->ny ? v->nx : v->ny;
		f->voxelCount = v->count;
		f->voxelSize = (float)v->size;
		f->longest = f->voxelSize * (float)( longest > v->nz ? longest : v->nz );
		f->middle = ( supVoxelCell ){ (int16_t)( v->nx / 2 ), (int16_t)( v->ny / 2 ), (int16_t)( v->nz / 2 ) };
		f->center[0] = v->center[0] + ( f->middle.x + 0.5 - 0.5 * v->nx ) * v->size;
		f->center[1] = v->center[1] + ( f->middle.y + 0.5 - 0.5 * v->ny ) * v->size;
		f->center[2] = v->center[2] + ( f->middle.z + 0.5 - 0.5 * v->nz ) * v->size;
	}
	return ok;
}

// Rest matrices of bones, inverted; a bone that is flat at rest only takes part in translations.
static void FillBoneRest( const supLatticeFlesh* f, supMat34 rest, double* out )
{
	double m[9] = { rest.cx.x, rest.cx.y, rest.cx.z, rest.cy.x, rest.cy.y, rest.cy.z, rest.cz.x, rest.cz.y, rest.cz.z };
	double t[3] = { rest.t.x, rest.t.y, rest.t.z };
	double cofactors[9];
	double determinant = 0.0, largest = 0.0;
	for ( int c = 0; c < 3; ++c )
	{
		const double *a = m + 3 * ( ( c + 1 ) % 3 ), *b = m + 3 * ( ( c + 2 ) % 3 );
		cofactors[3 * c] = a[1] * b[2] - a[2] * b[1];
		cofactors[3 * c + 1] = a[2] * b[0] - a[0] * b[2];
		cofactors[3 * c + 2] = a[0] * b[1] - a[1] * b[0];
	}
	for ( int i = 0; i < 9; ++i )
	{
		determinant += i < 3 ? m[i] * cofactors[i] : 0.0;
		largest = m[i] > largest ? m[i] : ( -m[i] > largest ? -m[i] : largest );
	}
	bool isFlat = !( determinant > 1.0e-12 * largest * largest * largest ||
					 determinant < -1.0e-12 * largest * largest * largest );
	for ( int i = 0; i < 9; ++i )
	{
		// columns of the inverse are rows of the cofactors
		out[i] = isFlat ? ( i % 4 == 0 ? 1.0 : 0.0 ) : cofactors[3 * ( i % 3 ) + i / 3] / determinant;
	}
	for ( int row = 0; row < 3; ++row )
	{
		out[9 + row] = 0.0;
		for ( int c = 0; c < 3; ++c )
		{
			out[9 + row] += out[3 * c + row] * ( f->center[c] - t[c] );
		}
	}
}

static bool BuildBones( supLatticeBuilder* b )
{
	supLatticeFlesh* f = b->flesh;
	if ( supBones_InitCharacter( &b->bones, b->input->character, b->error ) == false ||
		 supBoneVoxels_Init( &b->boneVoxels, &b->voxels, &b->bones, b->error ) == false )
	{
		return false;
	}
	f->boneCount = b->bones.count;
	f->boneNodes = supArena_CopyArray( b->arena, b->bones.nodes, (size_t)f->boneCount, sizeof( int32_t ) );
	f->boneRests = supArena_AllocArray( b->arena, (size_t)f->boneCount * 12, sizeof( double ) );
	supPose* pose = supCreatePose( b->input->character );
	if ( b->arena->failed || pose == NULL )
	{
		supDestroyPose( pose );
		return supSetMemoryError( b->error );
	}
	const supMat34* worlds = supPose_Worlds( pose );
	for ( int32_t i = 0; i < f->boneCount; ++i )
	{
		FillBoneRest( f, worlds[f->boneNodes[i]], f->boneRests + (size_t)i * 12 );
	}
	supDestroyPose( pose );
	return true;
}

// Says which joints are too thin for these voxels, and how fine they would have to be.
static void ReportLost( const supLatticeBuilder* b )
{
	int32_t count = 0, first = -1, finest = 0;
	for ( int32_t i = 0; i < b->bones.count; ++i )
	{
		bool hasVoxels = b->boneVoxels.starts[i + 1] > b->boneVoxels.starts[i];
		if ( b->layers.boneCounts[i] == 0 && hasVoxels )
		{
			int32_t resolution = supSuggestResolution( &b->voxels, &b->bones, i );
			finest = resolution > finest ? resolution : finest;
			first = first < 0 ? i : first;
			count += 1;
		}
	}
	if ( count > 0 )
	{
		const supNode* node = supCharacter_Node( b->input->character, b->bones.nodes[first] );
		supLog(
			sup_logWarning,
			"%s: %d of %d joints have lost their voxels to others, \"%s\" for one: a resolution of %d would keep all",
			supCharacter_Name( b->input->character ), count, b->bones.count, node->name, finest );
	}
}

static int32_t BoneOfNode( const supBones* bones, int32_t node )
{
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		if ( bones->nodes[i] == node )
		{
			return i;
		}
	}
	return -1;
}

static int32_t WidthInVoxels( const supLatticeBuilder* b, float width )
{
	float voxels = width / b->flesh->voxelSize + 0.5f;
	return voxels < 512.0f ? (int32_t)voxels : 512;
}

static bool BuildLayers( supLatticeBuilder* b )
{
	const supFleshDef* def = b->input->def;
	int32_t count = def->layerCount;
	const supLayer* layers = def->layers != NULL ? def->layers : supStandardLayers( &count );
	float shares[SUP_MAX_LAYERS] = { 0 };
	if ( count < 2 || count > SUP_MAX_LAYERS )
	{
		return supSetError( b->error, sup_errorArgument, "", "a body has 2 to %d layers, not %d", SUP_MAX_LAYERS,
							count );
	}
	supLayerPart* parts = supAllocArray( (size_t)def->layerOverrideCount, sizeof( supLayerPart ) );
	b->flesh->layerKinds = supArena_AllocArray( b->arena, SUP_MAX_LAYERS, sizeof( float ) );
	if ( parts == NULL || b->flesh->layerKinds == NULL )
	{
		supFree( parts );
		return supSetMemoryError( b->error );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		// from muscle to fat by place where the names say nothing
		float kind = count > 3 ? (float)( i - 1 ) / (float)( count - 3 ) : 0.0f;
		kind = strcmp( layers[i].name, "muscle" ) == 0 ? 0.0f : ( strcmp( layers[i].name, "fat" ) == 0 ? 1.0f : kind );
		b->flesh->layerKinds[i] = i == 0 ? 0.0f : ( i == count - 1 ? 2.0f : kind );
		if ( i > 0 && i < count - 1 )
		{
			shares[i - 1] = layers[i].share;
		}
	}
	supLayersDef layersDef = supDefaultLayersDef();
	layersDef.layerCount = count;
	layersDef.boneWidth = WidthInVoxels( b, def->boneWidth );
	layersDef.shares = shares;
	layersDef.parts = parts;
	for ( int32_t i = 0; i < def->layerOverrideCount; ++i )
	{
		const supLayerOverride* part = def->layerOverrides + i;
		int32_t bone = BoneOfNode( &b->bones, part->node );
		if ( bone >= 0 )
		{
			int32_t width = part->boneWidth >= 0.0f ? WidthInVoxels( b, part->boneWidth ) : -1;
			const float* own = part->shares != NULL ? part->shares + 1 : NULL;
			parts[layersDef.partCount++] = ( supLayerPart ){ bone, width, own };
		}
	}
	bool ok = supLayers_Init( &b->layers, &b->voxels, &b->bones, &b->boneVoxels, &layersDef, b->error );
	supFree( parts );
	b->flesh->layerCount = count;
	return ok;
}

static bool BuildWeights( supLatticeBuilder* b )
{
	supLatticeFlesh* f = b->flesh;
	size_t slots = (size_t)f->voxelCount * SUP_MAX_INFLUENCES;
	f->joints = supArena_AllocArray( b->arena, slots, sizeof( uint16_t ) );
	f->weights = supArena_AllocArray( b->arena, slots, sizeof( float ) );
	supVec3* centers = supAllocArray( (size_t)f->voxelCount, sizeof( supVec3 ) );
	bool ok = ( b->arena->failed == false && centers != NULL ) || supSetMemoryError( b->error );
	if ( ok )
	{
		for ( int32_t i = 0; i < f->voxelCount; ++i )
		{
			centers[i] = supVoxels_CellCenter( &b->voxels, b->voxels.cells[i] );
		}
		supGeodesicDef def = supDefaultGeodesicDef();
		def.voxels = &b->voxels;
		def.bones = &b->boneVoxels;
		def.pointCount = f->voxelCount;
		def.points = centers;
		def.tasks = b->input->tasks;
		ok = supComputeGeodesicWeights( &def, f->joints, f->weights, b->error );
	}
	supFree( centers );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

static void SetWindow( supLatticeFlesh* flesh, int32_t width )
{
	int32_t half = width / 2;
	bool isOdd = width % 2 == 1;
	flesh->window = ( supLatticeWindow ){ width, -half, isOdd ? half : half - 1, isOdd ? 0.0f : 0.5f };
}

// What classes say about slots.
static bool FillSlots( supLatticeBuilder* b )
{
	supLatticeFlesh* f = b->flesh;
	size_t slots = 8 * ( (size_t)f->brickCount + 1 );
	f->slotClasses = supArena_Alloc( b->arena, slots );
	f->freedoms = supArena_AllocZeroed( b->arena, slots * sizeof( float ) );
	if ( b->arena->failed )
	{
		return supSetMemoryError( b->error );
	}
	memset( f->slotClasses, f->classCount, slots );
	for ( int32_t i = 0; i < f->voxelCount; ++i )
	{
		f->slotClasses[f->voxelSlots[i]] = f->voxelClasses[i];
		f->freedoms[f->voxelSlots[i]] = f->classes[f->voxelClasses[i]].isBone != 0 ? 0.0f : 1.0f;
	}
	return true;
}

static bool Build( supLatticeBuilder* b )
{
	SetWindow( b->flesh, (int32_t)b->input->parameters[sup_latticeWidth] );
	b->flesh->parameters =
		supArena_CopyArray( b->arena, b->input->parameters, sup_latticeParameterCount, sizeof( float ) );
	if ( b->flesh->parameters == NULL )
	{
		return supSetMemoryError( b->error );
	}
	bool ok = BuildVoxels( b ) && BuildBones( b ) && BuildLayers( b ) && BuildWeights( b );
	if ( ok )
	{
		ReportLost( b );
	}
	return ok && supLattice_BuildClasses( b ) && supLattice_BuildBricks( b ) && FillSlots( b ) &&
		   supLattice_BuildRegions( b ) && supLattice_BuildShell( b ) && supLattice_MeasureRegions( b ) &&
		   supSurfaceBinding_InitVoxels( &b->flesh->surface, b->input->character, &b->voxels, b->input->tasks,
										 b->error );
}

void* supLattice_CreateFlesh( const supFleshInput* input, supError* error )
{
	supLatticeFlesh* flesh = supAllocZeroed( sizeof( supLatticeFlesh ) );
	if ( flesh == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	supLatticeBuilder builder = { .input = input, .error = error, .flesh = flesh, .arena = &flesh->arena };
	bool ok = Build( &builder );
	supVoxels_Destroy( &builder.voxels );
	supBones_Destroy( &builder.bones );
	supBoneVoxels_Destroy( &builder.boneVoxels );
	supLayers_Destroy( &builder.layers );
	supFree( builder.map );
	if ( ok == false )
	{
		supLattice_DestroyFlesh( flesh );
		return NULL;
	}
	return flesh;
}

void supLattice_DestroyFlesh( void* own )
{
	supLatticeFlesh* flesh = own;
	supSurfaceBinding_Destroy( &flesh->surface );
	supArena_Destroy( &flesh->arena );
	supFree( flesh );
}
