// SPDX-License-Identifier: MIT
// Flesh from a character: voxels, layers, weights, then everything that a step reads.
#include "method/lattice/lattice.h"

#include "volume/softness/softness.h"
#include "volume/weights/geodesic_weights.h"
#include "volume/weights/lost_joints.h"
#include "volume/weights/point_weights.h"

// ---------------------------------------------------------------------------------------------------------------------
// Body

static bool BuildBody( supLatticeBuilder* b )
{
	int32_t resolution = (int32_t)b->input->parameters[sup_latticeResolution];
	if ( supBody_Init( &b->body, b->input->character, resolution, b->input->def, b->input->tasks, b->error ) == false )
	{
		return false;
	}
	supLatticeFlesh* f = b->flesh;
	const supVoxels* v = &b->body.voxels;
	int32_t longest = v->nx > v->ny ? v->nx : v->ny;
	f->voxelCount = v->count;
	f->voxelSize = (float)v->size;
	f->longest = f->voxelSize * (float)( longest > v->nz ? longest : v->nz );
	f->middle = ( supVoxelCell ){ (int16_t)( v->nx / 2 ), (int16_t)( v->ny / 2 ), (int16_t)( v->nz / 2 ) };
	f->center[0] = v->center[0] + ( f->middle.x + 0.5 - 0.5 * v->nx ) * v->size;
	f->center[1] = v->center[1] + ( f->middle.y + 0.5 - 0.5 * v->ny ) * v->size;
	f->center[2] = v->center[2] + ( f->middle.z + 0.5 - 0.5 * v->nz ) * v->size;
	return true;
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

// All bones, parents first; these do not run in circles (supBones_Init).
static void OrderBones( const supLatticeFlesh* f )
{
	// roots, then children of those that are in, one after another
	int32_t count = 0;
	for ( int32_t done = -1; done < count; ++done )
	{
		int32_t parent = done < 0 ? -1 : f->boneOrder[done];
		for ( int32_t i = 0; i < f->boneCount; ++i )
		{
			if ( f->boneParents[i] == parent )
			{
				f->boneOrder[count++] = i;
			}
		}
	}
}

static bool BuildBones( supLatticeBuilder* b )
{
	supLatticeFlesh* f = b->flesh;
	f->boneCount = b->body.bones.count;
	f->boneNodes = supArena_CopyArray( b->arena, b->body.bones.nodes, (size_t)f->boneCount, sizeof( int32_t ) );
	f->boneParents = supArena_CopyArray( b->arena, b->body.bones.parents, (size_t)f->boneCount, sizeof( int32_t ) );
	f->boneOrder = supArena_AllocArray( b->arena, (size_t)f->boneCount, sizeof( int32_t ) );
	f->boneRests = supArena_AllocArray( b->arena, (size_t)f->boneCount * 12, sizeof( double ) );
	supPose* pose = supCreatePose( b->input->character );
	if ( b->arena->failed || pose == NULL )
	{
		supDestroyPose( pose );
		return supSetMemoryError( b->error );
	}
	OrderBones( f );
	const supMat34* worlds = supPose_Worlds( pose );
	for ( int32_t i = 0; i < f->boneCount; ++i )
	{
		FillBoneRest( f, worlds[f->boneNodes[i]], f->boneRests + (size_t)i * 12 );
	}
	supDestroyPose( pose );
	return true;
}

// Says which joints are too thin for these voxels, and how fine they would have to be.
static bool ReportLost( const supLatticeBuilder* b )
{
	const supBody* body = &b->body;
	supArena arena = { 0 };
	supLostJoint* joints = supArena_AllocArray( &arena, (size_t)body->bones.count, sizeof( supLostJoint ) );
	if ( joints != NULL )
	{
		int32_t count =
			supFindLostJoints( &body->voxels, &body->bones, &body->boneVoxels, body->layers.boneCounts, joints );
		const char* text =
			supDescribeLostJoints( &arena, b->input->character, &body->voxels, &body->bones, joints, count, false );
		if ( text != NULL )
		{
			supLog( sup_logWarning, "%s: %s", supCharacter_Name( b->input->character ), text );
		}
	}
	bool ok = arena.failed == false;
	supArena_Destroy( &arena );
	return ok || supSetMemoryError( b->error );
}

// From muscle (0) to fat (1) by name, or by place where the names say nothing; skin is 2.
static bool BuildLayerKinds( supLatticeBuilder* b )
{
	const supFleshDef* def = b->input->def;
	int32_t count = def->layerCount;
	const supLayer* layers = def->layers != NULL ? def->layers : supStandardLayers( &count );
	b->flesh->layerCount = count;
	b->flesh->layerKinds = supArena_AllocZeroed( b->arena, SUP_MAX_LAYERS * sizeof( float ) );
	if ( b->flesh->layerKinds == NULL )
	{
		return supSetMemoryError( b->error );
	}
	for ( int32_t i = 1; i < count; ++i )
	{
		float kind = count > 3 ? (float)( i - 1 ) / (float)( count - 3 ) : 0.0f;
		kind = strcmp( layers[i].name, "muscle" ) == 0 ? 0.0f : ( strcmp( layers[i].name, "fat" ) == 0 ? 1.0f : kind );
		b->flesh->layerKinds[i] = i == count - 1 ? 2.0f : kind;
	}
	return true;
}

static bool WeighByDistance( const supLatticeBuilder* b, const supVec3* centers )
{
	supGeodesicDef def = supDefaultGeodesicDef();
	def.voxels = &b->body.voxels;
	def.bones = &b->body.boneVoxels;
	def.pointCount = b->flesh->voxelCount;
	def.points = centers;
	def.tasks = b->input->tasks;
	return supComputeGeodesicWeights( &def, b->flesh->joints, b->flesh->weights, b->error );
}

static bool BuildWeights( supLatticeBuilder* b )
{
	supLatticeFlesh* f = b->flesh;
	size_t slots = (size_t)f->voxelCount * SUP_MAX_INFLUENCES;
	f->joints = supArena_AllocArray( b->arena, slots, sizeof( uint16_t ) );
	f->weights = supArena_AllocArray( b->arena, slots, sizeof( float ) );
	supVec3* centers = supAllocArray( (size_t)f->voxelCount, sizeof( supVec3 ) );
	b->rigid = supAllocZeroed( (size_t)f->voxelCount * sizeof( bool ) );
	bool ok = ( b->arena->failed == false && centers != NULL && b->rigid != NULL ) || supSetMemoryError( b->error );
	if ( ok )
	{
		for ( int32_t i = 0; i < f->voxelCount; ++i )
		{
			centers[i] = supVoxels_CellCenter( &b->body.voxels, b->body.voxels.cells[i] );
		}
		bool isPainted = b->input->parameters[sup_latticeWeights] == (float)sup_latticeWeightsPainted;
		ok = isPainted ? supWeighFlesh( b->input->character, &b->body.surface, &b->body.bones, centers, f->voxelCount,
										f->joints, f->weights, b->rigid, b->input->tasks, b->error )
					   : WeighByDistance( b, centers );
	}
	supFree( centers );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

supLatticeWindow supLattice_MakeWindow( int32_t width )
{
	int32_t half = width / 2;
	bool isOdd = width % 2 == 1;
	return ( supLatticeWindow ){ width, -half, isOdd ? half : half - 1, isOdd ? 0.0f : 0.5f };
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

// What is not skinned is soft only where somebody says so.
static bool KeepMade( supLatticeBuilder* b )
{
	bool isSaid = b->input->def->softRegionCount > 0 || supIsPainted( b->input->character );
	bool ok = isSaid || ( supSurfaceBinding_KeepMade( &b->flesh->surface, b->input->character ) &&
						  supSurfaceBinding_KeepShells( &b->flesh->surface, b->shells ) );
	return ok || supSetMemoryError( b->error );
}

static bool Build( supLatticeBuilder* b )
{
	b->flesh->window = supLattice_MakeWindow( (int32_t)b->input->parameters[sup_latticeWidth] );
	b->flesh->parameters =
		supArena_CopyArray( b->arena, b->input->parameters, sup_latticeParameterCount, sizeof( float ) );
	if ( b->flesh->parameters == NULL )
	{
		return supSetMemoryError( b->error );
	}
	return BuildBody( b ) && BuildBones( b ) && BuildLayerKinds( b ) && ReportLost( b ) && BuildWeights( b ) &&
		   supLattice_FindApart( b ) && supLattice_FindGaps( b ) && supLattice_BuildClasses( b ) &&
		   supLattice_FindSheets( b ) && supLattice_BuildBricks( b ) && FillSlots( b ) &&
		   supLattice_BuildRegions( b ) && supLattice_BuildSums( b ) && supLattice_BuildShell( b ) &&
		   supLattice_MeasureRegions( b ) &&
		   supSurfaceBinding_InitVoxels( &b->flesh->surface, b->input->character, &b->body.voxels, b->input->tasks,
										 b->error ) &&
		   ( b->closedCount == 0 || supLattice_PartSurface( b ) ) && KeepMade( b );
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
	supBody_Destroy( &builder.body );
	supFree( builder.map );
	supFree( builder.rigid );
	supFree( builder.places );
	supBridges_Destroy( &builder.bridges );
	supFree( builder.sheets );
	supFree( builder.wants );
	supFree( builder.extraBases );
	for ( int32_t i = 0; i < SUP_LATTICE_MAX_SHEETS; ++i )
	{
		supFree( builder.sheetBits[i] );
	}
	for ( int axis = 0; axis < 3; ++axis )
	{
		supFree( builder.closed[axis] );
	}
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
