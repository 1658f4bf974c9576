// SPDX-License-Identifier: MIT
// Nodes, skins, instances, materials and images of a character: checked, repaired, copied.
#include "character/character.h"

// Rotations within this of unit length (squared) are left alone, so that repairing twice changes nothing.
#define UNIT_TOLERANCE 1e-5f

// Lengths further off than this are worth a note.
#define UNIT_NOTE_TOLERANCE 1e-3f

static bool IsFiniteMat34( supMat34 m )
{
	return supIsFiniteVec3( m.cx ) && supIsFiniteVec3( m.cy ) && supIsFiniteVec3( m.cz ) && supIsFiniteVec3( m.t );
}

// ---------------------------------------------------------------------------------------------------------------------
// Nodes

static bool CopyNode( supCharacterBuilder* builder, int32_t index )
{
	const supNode* source = builder->def->nodes + index;
	supNode* node = builder->character->nodes + index;
	*node = *source;
	node->name = supArena_CopyString( builder->arena, source->name );
	if ( node->name == NULL )
	{
		return false;
	}
	if ( node->parent < -1 || node->parent >= builder->def->nodeCount )
	{
		return supSetError( builder->error, sup_errorFormat, supAt( builder, "nodes[%d].parent", index ),
							"node %d does not exist; there are %d", node->parent, builder->def->nodeCount );
	}
	if ( node->hasMatrix )
	{
		node->rest = supTransform_identity;
		return IsFiniteMat34( node->matrix ) ||
			   supSetError( builder->error, sup_errorFormat, supAt( builder, "nodes[%d].matrix", index ),
							"the matrix has non-finite entries" );
	}
	node->matrix = supMat34_identity;
	if ( supIsFiniteVec3( node->rest.translation ) == false || supIsFiniteVec3( node->rest.scale ) == false )
	{
		return supSetError( builder->error, sup_errorFormat, supAt( builder, "nodes[%d]", index ),
							"the translation or scale is not finite" );
	}
	supQuat* q = &node->rest.rotation;
	float lengthSquared = supDotQuat( *q, *q );
	if ( supIsFinite( lengthSquared ) == false || lengthSquared < 1e-20f )
	{
		*q = supQuat_identity;
		supTally_Add( &builder->badRotations, index );
	}
	else if ( !( lengthSquared > 1.0f - UNIT_TOLERANCE && lengthSquared < 1.0f + UNIT_TOLERANCE ) )
	{
		*q = supNormalizeQuat( *q );
		float length = sqrtf( lengthSquared );
		if ( length < 1.0f - UNIT_NOTE_TOLERANCE || length > 1.0f + UNIT_NOTE_TOLERANCE )
		{
			supTally_Add( &builder->longRotations, index );
		}
	}
	return true;
}

static void AddNodeNotes( supCharacterBuilder* builder )
{
	const supNode* nodes = builder->character->nodes;
	const supTally* bad = &builder->badRotations;
	if ( bad->count > 0 )
	{
		supAddNote( builder, true,
					"nodes: %d rotations are zero or not finite, the first in nodes[%d] \"%.80s\"; no rotation "
					"is used there",
					bad->count, bad->first, nodes[bad->first].name );
	}
	const supTally* scaled = &builder->longRotations;
	if ( scaled->count > 0 )
	{
		supAddNote( builder, true,
					"nodes: %d rotations are not of unit length, the first in nodes[%d] \"%.80s\"; normalised",
					scaled->count, scaled->first, nodes[scaled->first].name );
	}
}

// children of node i: children[starts[i + 1]] up to children[starts[i + 2]]; the roots are those of node `count`.
static void SortChildren( const supCharacter* character, int32_t* starts, int32_t* children )
{
	int32_t count = character->nodeCount;
	memset( starts, 0, ( (size_t)count + 2 ) * sizeof( int32_t ) );
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t parent = character->nodes[i].parent;
		starts[( parent >= 0 ? parent : count ) + 1] += 1;
	}
	for ( int32_t i = 0; i <= count; ++i )
	{
		starts[i + 1] += starts[i];
	}
	// from the back: each entry falls from the end of its children to their start
	for ( int32_t i = count - 1; i >= 0; --i )
	{
		int32_t parent = character->nodes[i].parent;
		int32_t slot = ( parent >= 0 ? parent : count ) + 1;
		starts[slot] -= 1;
		children[starts[slot]] = i;
	}
}

// Walking up as often as there are nodes, from a node that was not reached from a root, ends on the cycle itself.
static bool ReportCycle( supCharacterBuilder* builder, int32_t orderedCount, bool* reached )
{
	const supCharacter* character = builder->character;
	memset( reached, 0, (size_t)character->nodeCount * sizeof( bool ) );
	for ( int32_t i = 0; i < orderedCount; ++i )
	{
		reached[character->nodeOrder[i]] = true;
	}
	int32_t node = 0;
	while ( reached[node] )
	{
		node += 1;
	}
	for ( int32_t i = 0; i < character->nodeCount; ++i )
	{
		node = character->nodes[node].parent;
	}
	return supSetError( builder->error, sup_errorFormat, supAt( builder, "nodes[%d].parent", node ),
						"the node is its own ancestor; a hierarchy must not have cycles" );
}

// Breadth first from the roots, children of a node by index. Unreached nodes belong to a cycle.
static bool OrderNodes( supCharacterBuilder* builder )
{
	supCharacter* character = builder->character;
	int32_t count = character->nodeCount;
	int32_t* order = supArena_AllocArray( builder->arena, (size_t)count, sizeof( int32_t ) );
	int32_t* starts = supAllocArray( (size_t)count + 2, sizeof( int32_t ) );
	int32_t* children = supAllocArray( (size_t)count, sizeof( int32_t ) );
	character->nodeOrder = order;
	bool ok = order != NULL && starts != NULL && children != NULL;
	if ( ok )
	{
		SortChildren( character, starts, children );
		int32_t ordered = count - starts[count + 1];
		memcpy( order, children + starts[count + 1], (size_t)ordered * sizeof( int32_t ) );
		for ( int32_t done = 0; done < ordered; ++done )
		{
			for ( int32_t k = starts[order[done] + 1]; k < starts[order[done] + 2]; ++k )
			{
				order[ordered++] = children[k];
			}
		}
		ok = ordered == count || ReportCycle( builder, ordered, (bool*)children );
	}
	supFree( starts );
	supFree( children );
	return ok;
}

bool supBuildNodes( supCharacterBuilder* builder )
{
	const supCharacterDef* def = builder->def;
	supCharacter* character = builder->character;
	if ( supCheckCount( builder, def->nodeCount, def->nodes, "nodes" ) == false )
	{
		return false;
	}
	character->nodeCount = def->nodeCount;
	character->nodes = supArena_AllocArray( builder->arena, (size_t)def->nodeCount, sizeof( supNode ) );
	if ( character->nodes == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < def->nodeCount; ++i )
	{
		if ( CopyNode( builder, i ) == false )
		{
			return false;
		}
	}
	AddNodeNotes( builder );
	return OrderNodes( builder );
}

// ---------------------------------------------------------------------------------------------------------------------
// Skins

static bool CopySkin( supCharacterBuilder* builder, int32_t index )
{
	const supSkin* source = builder->def->skins + index;
	supCharacter* character = builder->character;
	size_t count = (size_t)source->jointCount;
	const char* name = supArena_CopyString( builder->arena, source->name );
	int32_t* joints = supArena_CopyArray( builder->arena, source->joints, count, sizeof( int32_t ) );
	supMat34* inverseBinds = supArena_AllocArray( builder->arena, count, sizeof( supMat34 ) );
	if ( name == NULL || joints == NULL || inverseBinds == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < source->jointCount; ++i )
	{
		if ( joints[i] < 0 || joints[i] >= character->nodeCount )
		{
			return supSetError( builder->error, sup_errorFormat, supAt( builder, "skins[%d].joints[%d]", index, i ),
								"node %d does not exist; there are %d", joints[i], character->nodeCount );
		}
		character->isJoint[joints[i]] = true;
		inverseBinds[i] = source->inverseBinds != NULL ? source->inverseBinds[i] : supMat34_identity;
		if ( IsFiniteMat34( inverseBinds[i] ) == false )
		{
			return supSetError( builder->error, sup_errorFormat,
								supAt( builder, "skins[%d].inverseBinds[%d]", index, i ),
								"the matrix has non-finite entries" );
		}
	}
	character->skins[index] = ( supSkin ){ name, source->jointCount, joints, inverseBinds };
	return true;
}

bool supBuildSkins( supCharacterBuilder* builder )
{
	const supCharacterDef* def = builder->def;
	supCharacter* character = builder->character;
	if ( supCheckCount( builder, def->skinCount, def->skins, "skins" ) == false )
	{
		return false;
	}
	character->skinCount = def->skinCount;
	character->skins = supArena_AllocArray( builder->arena, (size_t)def->skinCount, sizeof( supSkin ) );
	character->isJoint = supArena_AllocZeroed( builder->arena, (size_t)character->nodeCount * sizeof( bool ) );
	character->jointStarts = supArena_AllocArray( builder->arena, (size_t)def->skinCount + 1, sizeof( int32_t ) );
	if ( builder->arena->failed )
	{
		return false;
	}
	int64_t total = 0;
	for ( int32_t i = 0; i < def->skinCount; ++i )
	{
		const supSkin* skin = def->skins + i;
		const char* place = supAt( builder, "skins[%d].joints", i );
		if ( supCheckCount( builder, skin->jointCount, skin->joints, place ) == false )
		{
			return false;
		}
		character->jointStarts[i] = (int32_t)total;
		total += skin->jointCount;
		if ( supCheckCount( builder, total, skin, "skins (joints in total)" ) == false ||
			 CopySkin( builder, i ) == false )
		{
			return false;
		}
	}
	character->jointStarts[def->skinCount] = (int32_t)total;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Instances

static bool CheckInstanceIndices( supCharacterBuilder* builder, int32_t index )
{
	const supInstance* source = builder->def->instances + index;
	const supCharacter* character = builder->character;
	if ( source->node < 0 || source->node >= character->nodeCount )
	{
		return supSetError( builder->error, sup_errorFormat, supAt( builder, "instances[%d].node", index ),
							"node %d does not exist; there are %d", source->node, character->nodeCount );
	}
	if ( source->mesh < 0 || source->mesh >= character->meshCount )
	{
		return supSetError( builder->error, sup_errorFormat, supAt( builder, "instances[%d].mesh", index ),
							"mesh %d does not exist; there are %d", source->mesh, character->meshCount );
	}
	if ( source->skin < -1 || source->skin >= character->skinCount )
	{
		return supSetError( builder->error, sup_errorFormat, supAt( builder, "instances[%d].skin", index ),
							"skin %d does not exist; there are %d", source->skin, character->skinCount );
	}
	return true;
}

// A skin without anything to act on does nothing: the mesh then moves with its node, as it would without a skin.
static bool ChooseSkin( supCharacterBuilder* builder, int32_t index, supInstance* instance )
{
	if ( instance->skin < 0 )
	{
		return true;
	}
	const supCharacter* character = builder->character;
	const supMesh* mesh = character->meshes + instance->mesh;
	int32_t jointCount = character->skins[instance->skin].jointCount;
	if ( mesh->influences == 0 || jointCount == 0 )
	{
		supTally_Add( &builder->rigidInstances, index );
		instance->skin = -1;
		return true;
	}
	int32_t needed = character->meshJointCounts[instance->mesh];
	if ( needed > jointCount )
	{
		return supSetError( builder->error, sup_errorFormat, supAt( builder, "meshes[%d].joints", instance->mesh ),
							"a vertex is weighted to joint %d, but skins[%d] has only %d joints", needed - 1,
							instance->skin, jointCount );
	}
	return true;
}

static void AddInstanceNotes( supCharacterBuilder* builder )
{
	const supTally* rigid = &builder->rigidInstances;
	if ( rigid->count > 0 )
	{
		supAddNote( builder, true,
					"instances: %d with a skin have a mesh without weights or a skin without joints, the first is "
					"instances[%d]; they move rigidly with their nodes",
					rigid->count, rigid->first );
	}
	const supTally* bad = &builder->badMorphWeights;
	if ( bad->count > 0 )
	{
		supAddNote( builder, true, "instances: %d morph weights are not finite, the first in instances[%d]; 0 is used",
					bad->count, bad->first );
	}
}

static bool CopyMorphWeights( supCharacterBuilder* builder, int32_t index, supInstance* instance )
{
	int32_t count = builder->character->meshes[instance->mesh].targetCount;
	float* weights = supArena_AllocZeroed( builder->arena, (size_t)count * sizeof( float ) );
	if ( weights == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < count && instance->morphWeights != NULL; ++i )
	{
		weights[i] = instance->morphWeights[i];
		if ( supIsFinite( weights[i] ) == false )
		{
			weights[i] = 0.0f;
			supTally_Add( &builder->badMorphWeights, index );
		}
	}
	instance->morphWeights = weights;
	return true;
}

bool supBuildInstances( supCharacterBuilder* builder )
{
	const supCharacterDef* def = builder->def;
	supCharacter* character = builder->character;
	if ( supCheckCount( builder, def->instanceCount, def->instances, "instances" ) == false )
	{
		return false;
	}
	size_t count = (size_t)def->instanceCount;
	character->instanceCount = def->instanceCount;
	character->instances = supArena_AllocArray( builder->arena, count, sizeof( supInstance ) );
	character->nextInstances = supArena_AllocArray( builder->arena, count, sizeof( int32_t ) );
	character->morphStarts = supArena_AllocArray( builder->arena, count + 1, sizeof( int32_t ) );
	character->firstInstances = supArena_AllocArray( builder->arena, (size_t)character->nodeCount, sizeof( int32_t ) );
	if ( builder->arena->failed )
	{
		return false;
	}
	memset( character->firstInstances, 0xFF, (size_t)character->nodeCount * sizeof( int32_t ) );
	int64_t morphTotal = 0;
	for ( int32_t i = 0; i < def->instanceCount; ++i )
	{
		if ( CheckInstanceIndices( builder, i ) == false )
		{
			return false;
		}
		supInstance instance = def->instances[i];
		character->morphStarts[i] = (int32_t)morphTotal;
		morphTotal += character->meshes[instance.mesh].targetCount;
		bool ok = supCheckCount( builder, morphTotal, def->instances, "instances (morph weights in total)" ) &&
				  ChooseSkin( builder, i, &instance ) && CopyMorphWeights( builder, i, &instance );
		if ( ok == false )
		{
			return false;
		}
		character->instances[i] = instance;
		character->nextInstances[i] = character->firstInstances[instance.node];
		character->firstInstances[instance.node] = i;
	}
	character->morphStarts[count] = (int32_t)morphTotal;
	AddInstanceNotes( builder );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Images and materials

bool supBuildImages( supCharacterBuilder* builder )
{
	const supCharacterDef* def = builder->def;
	supCharacter* character = builder->character;
	if ( supCheckCount( builder, def->imageCount, def->images, "images" ) == false )
	{
		return false;
	}
	character->imageCount = def->imageCount;
	character->images = supArena_AllocArray( builder->arena, (size_t)def->imageCount, sizeof( supImage ) );
	for ( int32_t i = 0; i < def->imageCount && builder->arena->failed == false; ++i )
	{
		const supImage* source = def->images + i;
		supImage* image = character->images + i;
		*image = ( supImage ){ 0 };
		image->name = supArena_CopyString( builder->arena, source->name );
		image->mimeType = supArena_CopyString( builder->arena, source->mimeType );
		image->uri = supArena_CopyString( builder->arena, source->uri );
		if ( source->bytes != NULL )
		{
			image->byteCount = source->byteCount;
			image->bytes = supArena_CopyArray( builder->arena, source->bytes, source->byteCount, 1 );
		}
	}
	return builder->arena->failed == false;
}

// Out of range or not a number: the nearest end of the range, or `otherwise`.
static bool PutInRange( float* value, float lower, float upper, float otherwise )
{
	float good = supIsFinite( *value ) ? supClampFloat( *value, lower, upper ) : otherwise;
	bool changed = !( good == *value );
	*value = good;
	return changed;
}

static bool CopyMaterial( supCharacterBuilder* builder, int32_t index )
{
	const supMaterial* source = builder->def->materials + index;
	supMaterial* m = builder->character->materials + index;
	*m = *source;
	m->name = supArena_CopyString( builder->arena, source->name );
	if ( m->name == NULL )
	{
		return false;
	}
	if ( m->baseColorImage < -1 || m->baseColorImage >= builder->character->imageCount )
	{
		return supSetError( builder->error, sup_errorFormat, supAt( builder, "materials[%d].baseColorImage", index ),
							"image %d does not exist; there are %d", m->baseColorImage,
							builder->character->imageCount );
	}
	bool changed = PutInRange( &m->baseColor.x, 0.0f, 1.0f, 1.0f );
	changed |= PutInRange( &m->baseColor.y, 0.0f, 1.0f, 1.0f );
	changed |= PutInRange( &m->baseColor.z, 0.0f, 1.0f, 1.0f );
	changed |= PutInRange( &m->baseColor.w, 0.0f, 1.0f, 1.0f );
	changed |= PutInRange( &m->metallic, 0.0f, 1.0f, 1.0f );
	changed |= PutInRange( &m->roughness, 0.0f, 1.0f, 1.0f );
	changed |= PutInRange( &m->emissive.x, 0.0f, 1e6f, 0.0f );
	changed |= PutInRange( &m->emissive.y, 0.0f, 1e6f, 0.0f );
	changed |= PutInRange( &m->emissive.z, 0.0f, 1e6f, 0.0f );
	changed |= PutInRange( &m->alphaCutoff, 0.0f, 1e6f, 0.5f );
	if ( (int)m->alphaMode < sup_alphaOpaque || (int)m->alphaMode > sup_alphaBlend )
	{
		m->alphaMode = sup_alphaOpaque;
		changed = true;
	}
	if ( changed )
	{
		supTally_Add( &builder->badMaterials, index );
	}
	return true;
}

bool supBuildMaterials( supCharacterBuilder* builder )
{
	const supCharacterDef* def = builder->def;
	supCharacter* character = builder->character;
	if ( supCheckCount( builder, def->materialCount, def->materials, "materials" ) == false )
	{
		return false;
	}
	character->materialCount = def->materialCount;
	character->materials = supArena_AllocArray( builder->arena, (size_t)def->materialCount, sizeof( supMaterial ) );
	bool ok = character->materials != NULL;
	for ( int32_t i = 0; i < def->materialCount && ok; ++i )
	{
		ok = CopyMaterial( builder, i );
	}
	if ( builder->badMaterials.count > 0 )
	{
		supAddNote( builder, true, "materials: %d have values out of range, the first is materials[%d]; clamped",
					builder->badMaterials.count, builder->badMaterials.first );
	}
	return ok;
}
