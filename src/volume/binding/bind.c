// SPDX-License-Identifier: MIT
#include "volume/binding/bind.h"

#include "volume/body/rest_surface.h"
#include "volume/weights/geodesic_weights.h"
#include "volume/weights/heuristic_weights.h"
#include "volume/weights/lost_joints.h"

typedef struct Binder
{
	const supCharacter* mesh;
	const supCharacter* rig;
	const supBindDef* def;
	supError* error;
	supArena arena;
	supRestSurface surface;
	supVoxels voxels;
	supBones bones;
	supBoneVoxels boneVoxels;
	supNode* nodes;
	int32_t nodeCount;
	int32_t rigNodeCount;
	supMat34 fit;
	uint16_t* joints; // of all vertices, SUP_MAX_INFLUENCES each
	float* weights;
	supNote* notes;
	int32_t noteCount;
} Binder;

supBindDef supDefaultBindDef( void )
{
	return ( supBindDef ){ .resolution = 96, .influences = SUP_MAX_INFLUENCES };
}

// ---------------------------------------------------------------------------------------------------------------------
// Where the skeleton stands

static supBox BoxOf( const supVec3* points, int32_t count )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < count; ++i )
	{
		box = supBox_Include( box, points[i] );
	}
	return box;
}

// The rig's own mesh tells its size best; without one the joints do.
static bool RigBox( Binder* b, supBox* box )
{
	if ( supCharacter_InstanceCount( b->rig ) > 0 )
	{
		supRestSurface surface = { 0 };
		bool ok = supRestSurface_Init( &surface, b->rig, b->def->tasks, b->error );
		*box = ok ? BoxOf( surface.positions, surface.vertexCount ) : supBox_empty;
		supRestSurface_Destroy( &surface );
		return ok;
	}
	*box = BoxOf( b->bones.joints, b->bones.count );
	return true;
}

static bool FindFit( Binder* b )
{
	b->fit = supMat34_identity;
	if ( b->def->fit == false )
	{
		return true;
	}
	supBox rig, mesh = BoxOf( b->surface.positions, b->surface.vertexCount );
	if ( RigBox( b, &rig ) == false )
	{
		return false;
	}
	float height = supBox_Size( rig ).y;
	float scale = height > 0.0f ? supBox_Size( mesh ).y / height : 0.0f;
	if ( !( scale > 0.0f ) || supIsFinite( scale ) == false )
	{
		return supSetError( b->error, sup_errorArgument, supCharacter_Name( b->rig ),
							"cannot scale the skeleton to the height of the mesh: one of them is flat" );
	}
	b->fit.cx.x = scale;
	b->fit.cy.y = scale;
	b->fit.cz.z = scale;
	supVec3 from = supLerp( rig.lower, rig.upper, 0.5f ), to = supLerp( mesh.lower, mesh.upper, 0.5f );
	from.y = rig.lower.y;
	to.y = mesh.lower.y;
	b->fit.t = supSub( to, supScale( scale, from ) );
	for ( int32_t i = 0; i < b->bones.count; ++i )
	{
		b->bones.joints[i] = supTransformPoint( b->fit, b->bones.joints[i] );
	}
	for ( int32_t i = 0; i < b->bones.segmentStarts[b->bones.count]; ++i )
	{
		supSegment* segment = b->bones.segments + i;
		segment->a = supTransformPoint( b->fit, segment->a );
		segment->b = supTransformPoint( b->fit, segment->b );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Weights

// What comes after is taken off the others first, so that a bone fades in and out of those that are kept.
static void KeepHeaviest( int32_t count, uint16_t* joints, float* weights )
{
	float next = count < SUP_MAX_INFLUENCES ? weights[count] : 0.0f;
	float sum = 0.0f;
	for ( int32_t k = 0; k < SUP_MAX_INFLUENCES; ++k )
	{
		weights[k] = k < count ? weights[k] - next : 0.0f;
		joints[k] = weights[k] > 0.0f ? joints[k] : 0;
		sum += weights[k];
	}
	// all equal: the first stands for them
	weights[0] = sum > 0.0f ? weights[0] : 1.0f;
	sum = sum > 0.0f ? sum : 1.0f;
	for ( int32_t k = 0; k < count; ++k )
	{
		weights[k] /= sum;
	}
}

static bool ComputeGeodesic( Binder* b )
{
	supGeodesicDef def = supDefaultGeodesicDef();
	def.voxels = &b->voxels;
	def.bones = &b->boneVoxels;
	def.pointCount = b->surface.vertexCount;
	def.points = b->surface.positions;
	def.tasks = b->def->tasks;
	return supComputeGeodesicWeights( &def, b->joints, b->weights, b->error );
}

static bool ComputeHeuristic( Binder* b )
{
	bool* isUsed = supArena_AllocArray( &b->arena, (size_t)b->bones.count, sizeof( bool ) );
	if ( isUsed == NULL )
	{
		return supSetMemoryError( b->error );
	}
	for ( int32_t i = 0; i < b->bones.count; ++i )
	{
		isUsed[i] = b->boneVoxels.starts[i + 1] > b->boneVoxels.starts[i];
	}
	supHeuristicDef def = { .bones = &b->bones,
							.isUsed = isUsed,
							.pointCount = b->surface.vertexCount,
							.points = b->surface.positions,
							.tasks = b->def->tasks };
	return supComputeHeuristicWeights( &def, b->joints, b->weights, b->error );
}

static bool ComputeWeights( Binder* b )
{
	supVoxelsDef voxelsDef = { .resolution = b->def->resolution,
							   .vertexCount = b->surface.vertexCount,
							   .positions = b->surface.positions,
							   .triangleCount = b->surface.triangleCount,
							   .indices = b->surface.indices,
							   .tasks = b->def->tasks };
	if ( supVoxels_Init( &b->voxels, &voxelsDef, b->error ) == false ||
		 supBoneVoxels_Init( &b->boneVoxels, &b->voxels, &b->bones, b->error ) == false )
	{
		return false;
	}
	if ( b->boneVoxels.isOutside )
	{
		return supSetError( b->error, sup_errorArgument, "skeleton",
							"no bone passes through the body; do skeleton and mesh have the same size and place?" );
	}
	size_t count = (size_t)b->surface.vertexCount * SUP_MAX_INFLUENCES;
	b->joints = supArena_AllocArray( &b->arena, count, sizeof( uint16_t ) );
	b->weights = supArena_AllocArray( &b->arena, count, sizeof( float ) );
	if ( b->arena.failed )
	{
		return supSetMemoryError( b->error );
	}
	bool ok = b->def->weights == sup_bindHeuristic ? ComputeHeuristic( b ) : ComputeGeodesic( b );
	for ( int32_t i = 0; ok && i < b->surface.vertexCount; ++i )
	{
		KeepHeaviest( b->def->influences, b->joints + i * SUP_MAX_INFLUENCES, b->weights + i * SUP_MAX_INFLUENCES );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Putting together

static void BuildNodes( Binder* b )
{
	int32_t instanceCount = supCharacter_InstanceCount( b->mesh );
	b->rigNodeCount = supCharacter_NodeCount( b->rig );
	b->nodeCount = b->rigNodeCount + instanceCount + ( b->def->fit ? 1 : 0 );
	b->nodes = supArena_AllocArray( &b->arena, (size_t)b->nodeCount, sizeof( supNode ) );
	if ( b->nodes == NULL )
	{
		return;
	}
	int32_t fitNode = b->rigNodeCount + instanceCount;
	for ( int32_t i = 0; i < b->rigNodeCount; ++i )
	{
		b->nodes[i] = *supCharacter_Node( b->rig, i );
		b->nodes[i].parent = b->nodes[i].parent < 0 && b->def->fit ? fitNode : b->nodes[i].parent;
	}
	for ( int32_t i = 0; i < instanceCount; ++i )
	{
		const char* name = supCharacter_Node( b->mesh, supCharacter_Instance( b->mesh, i )->node )->name;
		b->nodes[b->rigNodeCount + i] = ( supNode ){ .name = name, .parent = -1, .rest = supTransform_identity };
	}
	if ( b->def->fit )
	{
		b->nodes[fitNode] = ( supNode ){ .name = "fit", .parent = -1, .rest = supTransform_identity };
		b->nodes[fitNode].rest.translation = b->fit.t;
		b->nodes[fitNode].rest.scale = supMakeVec3( b->fit.cx.x, b->fit.cy.y, b->fit.cz.z );
	}
}

static bool BuildSkin( Binder* b, supSkin* skin )
{
	supPose* pose = supCreatePose( b->rig );
	int32_t* joints = supArena_AllocArray( &b->arena, (size_t)b->bones.count, sizeof( int32_t ) );
	supMat34* binds = supArena_AllocArray( &b->arena, (size_t)b->bones.count, sizeof( supMat34 ) );
	bool ok = pose != NULL && b->arena.failed == false ? true : supSetMemoryError( b->error );
	for ( int32_t i = 0; ok && i < b->bones.count; ++i )
	{
		joints[i] = b->bones.nodes[i];
		supMat34 world = supMulMat34( b->fit, supPose_Worlds( pose )[joints[i]] );
		ok = supInvertMat34( world, binds + i );
		if ( ok == false )
		{
			supSetError( b->error, sup_errorFormat, supCharacter_Name( b->rig ),
						 "cannot bind to joint '%s': it is flattened by its scale",
						 supCharacter_Node( b->rig, joints[i] )->name );
		}
	}
	*skin = ( supSkin ){ .name = "", .jointCount = b->bones.count, .joints = joints, .inverseBinds = binds };
	supDestroyPose( pose );
	return ok;
}

// The instance's mesh as it stands in the scene.
static bool BuildMesh( Binder* b, supPose* pose, int32_t index, int32_t firstCorner, supMesh* mesh )
{
	const supInstance* instance = supCharacter_Instance( b->mesh, index );
	*mesh = *supCharacter_Mesh( b->mesh, instance->mesh );
	int32_t first = b->surface.vertexStarts[index];
	size_t count = (size_t)mesh->vertexCount;
	supVec3* normals = mesh->normals != NULL ? supArena_AllocArray( &b->arena, count, sizeof( supVec3 ) ) : NULL;
	supVec4* tangents = mesh->tangents != NULL ? supArena_AllocArray( &b->arena, count, sizeof( supVec4 ) ) : NULL;
	uint32_t* indices = supArena_AllocArray( &b->arena, (size_t)mesh->indexCount, sizeof( uint32_t ) );
	if ( b->arena.failed )
	{
		return supSetMemoryError( b->error );
	}
	supSkinOutput output = { .normals = normals, .tangents = tangents };
	supSkinInstance( pose, index, sup_skinningLinear, b->def->tasks, &output );
	for ( int32_t i = 0; i < mesh->indexCount; ++i )
	{
		indices[i] = b->surface.indices[firstCorner + i] - (uint32_t)first;
	}
	mesh->positions = b->surface.positions + first;
	mesh->normals = normals;
	mesh->tangents = tangents;
	mesh->indices = indices;
	mesh->influences = SUP_MAX_INFLUENCES;
	mesh->joints = b->joints + (size_t)first * SUP_MAX_INFLUENCES;
	mesh->weights = b->weights + (size_t)first * SUP_MAX_INFLUENCES;
	mesh->targetCount = 0;
	mesh->targets = NULL;
	return true;
}

static void AddNote( Binder* b, const char* text )
{
	if ( text != NULL )
	{
		b->notes[b->noteCount++] = ( supNote ){ .repaired = false, .text = text };
	}
}

// Which bones the voxels do not hold: outside, or too small for them.
static bool BuildNotes( Binder* b )
{
	size_t count = (size_t)b->bones.count;
	b->notes = supArena_AllocArray( &b->arena, 3, sizeof( supNote ) );
	int32_t* own = supArena_AllocArray( &b->arena, count, sizeof( int32_t ) );
	supLostJoint* lost = supArena_AllocArray( &b->arena, count, sizeof( supLostJoint ) );
	if ( b->arena.failed || supBoneVoxels_CountOwn( &b->boneVoxels, &b->voxels, own ) == false )
	{
		return false;
	}
	int32_t lostCount = supFindLostJoints( &b->voxels, &b->bones, &b->boneVoxels, own, lost );
	for ( int32_t outside = 1; outside >= 0; --outside )
	{
		AddNote( b, supDescribeLostJoints( &b->arena, b->rig, &b->voxels, &b->bones, lost, lostCount, outside == 1 ) );
	}
	if ( b->boneVoxels.anchoredParts > 0 )
	{
		AddNote( b, supArena_Format( &b->arena, "%d parts of the mesh contain no bone and follow the nearest one",
									 b->boneVoxels.anchoredParts ) );
	}
	return b->arena.failed == false;
}

static supCharacter* Assemble( Binder* b )
{
	int32_t instanceCount = supCharacter_InstanceCount( b->mesh );
	supMesh* meshes = supArena_AllocArray( &b->arena, (size_t)instanceCount, sizeof( supMesh ) );
	supInstance* instances = supArena_AllocArray( &b->arena, (size_t)instanceCount, sizeof( supInstance ) );
	int32_t materialCount = supCharacter_MaterialCount( b->mesh ), imageCount = supCharacter_ImageCount( b->mesh );
	int32_t clipCount = supCharacter_ClipCount( b->rig );
	supMaterial* materials = supArena_AllocArray( &b->arena, (size_t)materialCount, sizeof( supMaterial ) );
	supImage* images = supArena_AllocArray( &b->arena, (size_t)imageCount, sizeof( supImage ) );
	supClip* clips = supArena_AllocArray( &b->arena, (size_t)clipCount, sizeof( supClip ) );
	BuildNodes( b );
	supPose* pose = b->arena.failed == false ? supCreatePose( b->mesh ) : NULL;
	supSkin skin;
	bool ok = pose != NULL ? BuildSkin( b, &skin ) : supSetMemoryError( b->error );
	int32_t corner = 0;
	for ( int32_t i = 0; i < instanceCount && ok; ++i )
	{
		ok = BuildMesh( b, pose, i, corner, meshes + i );
		corner += meshes[i].indexCount;
		instances[i] = ( supInstance ){ .node = b->rigNodeCount + i, .mesh = i, .skin = 0 };
	}
	supDestroyPose( pose );
	if ( ok )
	{
		ok = BuildNotes( b ) || supSetMemoryError( b->error );
	}
	if ( ok == false )
	{
		return NULL;
	}
	for ( int32_t i = 0; i < materialCount; ++i )
	{
		materials[i] = *supCharacter_Material( b->mesh, i );
	}
	for ( int32_t i = 0; i < imageCount; ++i )
	{
		images[i] = *supCharacter_Image( b->mesh, i );
	}
	for ( int32_t i = 0; i < clipCount; ++i )
	{
		clips[i] = *supCharacter_Clip( b->rig, i );
	}
	supCharacterDef def = supDefaultCharacterDef();
	def.name = supCharacter_Name( b->mesh );
	def.nodeCount = b->nodeCount;
	def.nodes = b->nodes;
	def.skinCount = 1;
	def.skins = &skin;
	def.meshCount = instanceCount;
	def.meshes = meshes;
	def.instanceCount = instanceCount;
	def.instances = instances;
	def.materialCount = materialCount;
	def.materials = materials;
	def.imageCount = imageCount;
	def.images = images;
	def.clipCount = clipCount;
	def.clips = clips;
	def.noteCount = b->noteCount;
	def.notes = b->notes;
	return supCreateCharacter( &def, b->error );
}

// Every node counts as a joint where there is no skin, as in a motion. Those of a mere mesh are all in one place.
static bool CheckSkeleton( const Binder* b )
{
	bool ok = supCharacter_SkinCount( b->rig ) > 0 || supCharacter_InstanceCount( b->rig ) == 0;
	for ( int32_t i = 1; i < b->bones.count && ok == false; ++i )
	{
		ok = supDistance( b->bones.joints[i], b->bones.joints[0] ) > 0.0f;
	}
	return ok || supSetError( b->error, sup_errorArgument, supCharacter_Name( b->rig ),
							  "it has a mesh but no skeleton; use a rigged character or a motion, or create a skeleton "
							  "with 'supple rig'" );
}

static supCharacter* Bind( Binder* b )
{
	if ( supCharacter_InstanceCount( b->mesh ) == 0 )
	{
		supSetError( b->error, sup_errorArgument, supCharacter_Name( b->mesh ), "it has no mesh to bind" );
		return NULL;
	}
	if ( b->def->resolution < 1 || b->def->resolution > SUP_MAX_VOXEL_RESOLUTION || b->def->influences < 1 ||
		 b->def->influences > SUP_MAX_INFLUENCES )
	{
		supSetError( b->error, sup_errorArgument, "settings", "resolution must be 1 to %d, influences 1 to %d",
					 SUP_MAX_VOXEL_RESOLUTION, SUP_MAX_INFLUENCES );
		return NULL;
	}
	bool ok = supBones_InitCharacter( &b->bones, b->rig, b->error ) && CheckSkeleton( b ) &&
			  supRestSurface_Init( &b->surface, b->mesh, b->def->tasks, b->error ) && FindFit( b ) &&
			  ComputeWeights( b );
	return ok ? Assemble( b ) : NULL;
}

supCharacter* supBindCharacter( const supCharacter* mesh, const supCharacter* rig, const supBindDef* def,
								supError* error )
{
	supError own = { 0 };
	error = error != NULL ? error : &own;
	supClearError( error );
	Binder binder = { .mesh = mesh, .rig = rig, .def = def, .error = error };
	supCharacter* character = Bind( &binder );
	supRestSurface_Destroy( &binder.surface );
	supBoneVoxels_Destroy( &binder.boneVoxels );
	supVoxels_Destroy( &binder.voxels );
	supBones_Destroy( &binder.bones );
	supArena_Destroy( &binder.arena );
	return character;
}
