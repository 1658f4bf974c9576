// SPDX-License-Identifier: MIT
// The node tree. assimp splits one FBX node into a chain of helper nodes, one per part of its transform; here the chain
// becomes one node again.
#include "io/assimp/assimp_scene.h"

#include <stdio.h>
#include <stdlib.h>

#define CHAIN_TAG "_$AssimpFbx$_"

// More than this is not a character.
#define MAX_NODES 1000000

static const char* const s_partNames[sup_fbxPartCount] = {
	"Translation",         "RotationOffset",       "RotationPivot",     "PreRotation",      "Rotation",
	"PostRotation",        "RotationPivotInverse", "ScalingOffset",     "ScalingPivot",     "Scaling",
	"ScalingPivotInverse", "GeometricTranslation", "GeometricRotation", "GeometricScaling",
};

// The part that a helper node stands for: "hips_$AssimpFbx$_PreRotation". -1 for other nodes, sup_fbxPartCount for
// helpers that only undo a geometric transform.
static int32_t PartOf( const struct aiNode* node )
{
	const char* tag = strstr( node->mName.data, CHAIN_TAG );
	if ( tag == NULL )
	{
		return -1;
	}
	tag += strlen( CHAIN_TAG );
	for ( int32_t i = 0; i < sup_fbxPartCount; ++i )
	{
		if ( strcmp( tag, s_partNames[i] ) == 0 )
		{
			return i;
		}
	}
	size_t length = strlen( tag );
	bool undoes = strncmp( tag, "Geometric", 9 ) == 0 && length > 7 && strcmp( tag + length - 7, "Inverse" ) == 0;
	return undoes ? sup_fbxPartCount : -1;
}

static supMat34 PartMatrix( const supImportNode* node, supFbxPart part )
{
	supMat34 m =
		node->parts[part] != NULL ? supMakeMat34Assimp( &node->parts[part]->mTransformation ) : supMat34_identity;
	return supIsFiniteMat34( m ) ? m : supMat34_identity;
}

static supQuat PartRotation( const supImportNode* node, supFbxPart part )
{
	return node->parts[part] != NULL ? supPolarRotation( supLinearPart( PartMatrix( node, part ) ) ) : supQuat_identity;
}

// t, q, s and pivots from the parts, by the FBX formula
//   T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1
static void ReadParts( supImportNode* node )
{
	supVec3 rotationPivot = PartMatrix( node, sup_fbxRotationPivot ).t;
	supVec3 scalingPivot = PartMatrix( node, sup_fbxScalingPivot ).t;
	supMat34 scaling = PartMatrix( node, sup_fbxScaling );
	// assimp has already inverted the post-rotation of the helper node
	supQuat post = PartRotation( node, sup_fbxPostRotation );
	node->offset = supAdd( PartMatrix( node, sup_fbxRotationOffset ).t, rotationPivot );
	node->rest.translation = supAdd( PartMatrix( node, sup_fbxTranslation ).t, node->offset );
	node->rest.rotation = supNormalizeQuat( supMulQuat(
		supMulQuat( PartRotation( node, sup_fbxPreRotation ), PartRotation( node, sup_fbxRotation ) ), post ) );
	node->rest.scale = supMakeVec3( scaling.cx.x, scaling.cy.y, scaling.cz.z );
	node->pivotBase = supAdd( supSub( PartMatrix( node, sup_fbxScalingOffset ).t, rotationPivot ), scalingPivot );
	node->pivotScale = scalingPivot;
	node->hasPivot = supLengthSquared( node->pivotBase ) > 0.0f || supLengthSquared( scalingPivot ) > 0.0f;
	// for channels of whole nodes assimp multiplies with the post-rotation where it should with the inverse
	node->keyCorrection = supMulQuat( post, post );

	node->geometry = supMulMat34(
		supMulMat34( PartMatrix( node, sup_fbxGeometricTranslation ), PartMatrix( node, sup_fbxGeometricRotation ) ),
		PartMatrix( node, sup_fbxGeometricScaling ) );
	node->hasGeometry = node->parts[sup_fbxGeometricTranslation] != NULL ||
						node->parts[sup_fbxGeometricRotation] != NULL || node->parts[sup_fbxGeometricScaling] != NULL;
}

// FBX InheritType 2 ("Rrs"): the scale of the parent alone is not passed on. Maya calls it segment scale compensate.
static bool IgnoresParentScale( const struct aiNode* node )
{
	const struct aiMetadata* data = node->mMetaData;
	for ( unsigned i = 0; data != NULL && i < data->mNumProperties; ++i )
	{
		int32_t value;
		if ( data->mValues[i].mType == AI_INT32 && strcmp( data->mKeys[i].data, "InheritType" ) == 0 )
		{
			memcpy( &value, data->mValues[i].mData, sizeof( value ) );
			return value == 2;
		}
	}
	return false;
}

static bool ReadLocal( supImport* import, supImportNode* node )
{
	node->rest = supTransform_identity;
	node->keyCorrection = supQuat_identity;
	node->geometry = supMat34_identity;
	node->matrix = supMakeMat34Assimp( &node->source->mTransformation );
	if ( supIsFiniteMat34( node->matrix ) == false )
	{
		node->matrix = supMat34_identity;
		if ( supImport_AddNote( import, true, "node \"%s\": its transform is not finite; ignored", node->name ) ==
			 false )
		{
			return false;
		}
	}
	if ( node->parent < 0 )
	{
		node->matrix = supMulMat34( import->border, node->matrix );
	}
	if ( node->hasParts )
	{
		ReadParts( node );
	}
	else
	{
		node->sheared = supDecompose( node->matrix, &node->rest ) == false;
	}
	node->ignoresParentScale = node->parent >= 0 && IgnoresParentScale( node->source );
	return true;
}

// Follows a chain of helpers from its first node to the node that carries the name.
static const struct aiNode* FollowChain( const struct aiNode* first, supImportNode* node )
{
	const struct aiNode* at = first;
	for ( int32_t part = PartOf( at ); part >= 0 && part < sup_fbxPartCount && at->mNumChildren == 1;
		  part = PartOf( at ) )
	{
		node->parts[part] = at;
		node->hasParts = true;
		at = at->mChildren[0];
	}
	return at;
}

typedef struct PendingNode
{
	const struct aiNode* source;
	int32_t parent;
} PendingNode;

static bool JoinNode( supImport* import, PendingNode pending, const struct aiNode** end )
{
	supImportNode node = { .parent = pending.parent };
	node.source = FollowChain( pending.source, &node );
	node.name = supImport_CopyName( import, &node.source->mName );
	*end = node.source;
	return node.name != NULL && ReadLocal( import, &node ) &&
		   ( SUP_PUSH( &import->joined, node ) || supImport_OutOfMemory( import ) );
}

static int CompareNames( const void* a, const void* b )
{
	const supNamedNode* x = a;
	const supNamedNode* y = b;
	int order = strcmp( x->name, y->name );
	return order != 0 ? order : ( x->node > y->node ) - ( x->node < y->node );
}

// Channels and bones refer to nodes by name, so a name that occurs twice leads to the wrong place.
static bool SortNames( supImport* import )
{
	int32_t count = import->joined.count;
	import->names = supArena_AllocArray( &import->arena, (size_t)count, sizeof( supNamedNode ) );
	if ( import->names == NULL )
	{
		return supImport_OutOfMemory( import );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		import->names[i] = ( supNamedNode ){ import->joined.data[i].source->mName.data, i };
	}
	qsort( import->names, (size_t)count, sizeof( supNamedNode ), CompareNames );
	int32_t twins = 0;
	const char* example = NULL;
	for ( int32_t i = 1; i < count; ++i )
	{
		bool twin = strcmp( import->names[i].name, import->names[i - 1].name ) == 0 && import->names[i].name[0] != 0;
		twins += twin;
		example = twin && example == NULL ? import->joined.data[import->names[i].node].name : example;
	}
	return twins == 0 ||
		   supImport_AddNote( import, false,
							  "%d nodes share a name (such as \"%s\"); bones and clips refer to the first", twins,
							  example );
}

int32_t supImport_FindNode( const supImport* import, const char* name )
{
	int32_t lower = 0;
	int32_t upper = import->joined.count;
	while ( lower < upper )
	{
		int32_t middle = lower + ( upper - lower ) / 2;
		if ( strcmp( import->names[middle].name, name ) < 0 )
		{
			lower = middle + 1;
		}
		else
		{
			upper = middle;
		}
	}
	bool found = lower < import->joined.count && strcmp( import->names[lower].name, name ) == 0;
	return found ? import->names[lower].node : -1;
}

bool supImport_ReadNodes( supImport* import )
{
	SUP_ARRAY( PendingNode ) pending = { 0 };
	bool ok = SUP_PUSH( &pending, ( PendingNode ){ import->scene->mRootNode, -1 } ) || supImport_OutOfMemory( import );
	while ( ok && pending.count > 0 )
	{
		PendingNode next = pending.data[--pending.count];
		const struct aiNode* end = next.source;
		int32_t parent = next.parent;
		// helpers that undo a geometric transform are no nodes: we never put it into the node
		if ( PartOf( next.source ) != sup_fbxPartCount )
		{
			ok = JoinNode( import, next, &end );
			parent = import->joined.count - 1;
		}
		if ( ok && import->joined.count > MAX_NODES )
		{
			ok = supSetError( import->error, sup_errorTooLarge, import->path, "more than %d nodes", MAX_NODES );
		}
		// from the last to the first, so that they come off the stack in order
		for ( unsigned i = end->mNumChildren; ok && i > 0; --i )
		{
			ok = SUP_PUSH( &pending, ( PendingNode ){ end->mChildren[i - 1], parent } ) ||
				 supImport_OutOfMemory( import );
		}
	}
	SUP_FREE_ARRAY( &pending );
	return ok && SortNames( import );
}

// ---------------------------------------------------------------------------------------------------------------------
// Slots

static supVec3 Reciprocal( supVec3 s )
{
	// a parent of zero size hides its children whatever they do
	return supMakeVec3( s.x != 0.0f ? 1.0f / s.x : 1.0f, s.y != 0.0f ? 1.0f / s.y : 1.0f,
						s.z != 0.0f ? 1.0f / s.z : 1.0f );
}

void supImport_EvaluateSlots( const supImportNode* node, supTransform own, supVec3 parentScale,
							  supTransform slots[sup_slotCount] )
{
	for ( int32_t i = 0; i < sup_slotCount; ++i )
	{
		slots[i] = supTransform_identity;
	}
	bool helped = node->slots[sup_slotHelper] >= 0;
	bool pivoted = node->slots[sup_slotPivot] >= 0;
	supTransform* first = &slots[helped ? sup_slotHelper : ( pivoted ? sup_slotPivot : sup_slotBase )];
	first->translation = own.translation;
	slots[pivoted ? sup_slotPivot : sup_slotBase].rotation = own.rotation;
	slots[sup_slotBase].scale = own.scale;
	if ( node->compensates )
	{
		supTransform* compensated = &slots[helped ? sup_slotHelper : sup_slotBase];
		compensated->scale = supMul( compensated->scale, Reciprocal( parentScale ) );
	}
	if ( node->hasPivot )
	{
		supVec3 o = supSub( node->pivotBase, supMul( own.scale, node->pivotScale ) );
		supTransform* base = &slots[sup_slotBase];
		base->translation = supAdd( base->translation, pivoted ? o : supRotate( own.rotation, o ) );
	}
}

int32_t supImport_AddNode( supImport* import, const char* name, int32_t parent, supTransform rest )
{
	supNode node = { .name = name, .parent = parent, .rest = rest, .matrix = supMat34_identity };
	if ( name == NULL || SUP_PUSH( &import->nodes, node ) == false )
	{
		supImport_OutOfMemory( import );
		return -1;
	}
	return import->nodes.count - 1;
}

static bool NotOne( supVec3 s )
{
	return fabsf( s.x - 1.0f ) > 1e-6f || fabsf( s.y - 1.0f ) > 1e-6f || fabsf( s.z - 1.0f ) > 1e-6f;
}

static bool NonUniform( supVec3 s )
{
	float bound = 1e-6f * supMaxFloat( fabsf( s.x ), supMaxFloat( fabsf( s.y ), fabsf( s.z ) ) );
	return fabsf( s.x - s.y ) > bound || fabsf( s.x - s.z ) > bound;
}

// Which parts of the general form the clips make use of.
static void LookAtTracks( supImport* import )
{
	for ( int32_t i = 0; i < import->joined.count; ++i )
	{
		supImportNode* node = &import->joined.data[i];
		node->scaleMatters = NotOne( node->rest.scale );
		node->scaleNonUniform = NonUniform( node->rest.scale );
	}
	for ( int32_t c = 0; c < import->clipCount; ++c )
	{
		for ( int32_t k = 0; k < import->importClips[c].trackCount; ++k )
		{
			const supNodeTracks* tracks = &import->importClips[c].tracks[k];
			supImportNode* node = &import->joined.data[tracks->node];
			node->sheared = false;
			node->rotationMoves = node->rotationMoves || tracks->rotation.count > 0;
			for ( int32_t i = 0; i < tracks->scale.count; ++i )
			{
				const float* s = tracks->scale.values + 3 * i;
				node->scaleMatters = node->scaleMatters || NotOne( supMakeVec3( s[0], s[1], s[2] ) );
				node->scaleNonUniform = node->scaleNonUniform || NonUniform( supMakeVec3( s[0], s[1], s[2] ) );
			}
		}
	}
}

static bool AddSlots( supImport* import, supImportNode* node, int32_t parent, supVec3 parentScale )
{
	static const char* const suffixes[sup_slotCount] = { " (scale compensation)", " (pivot)", "" };
	supTransform slots[sup_slotCount];
	supImport_EvaluateSlots( node, node->rest, parentScale, slots );
	for ( int32_t i = 0; i < sup_slotCount; ++i )
	{
		if ( node->slots[i] < 0 )
		{
			continue;
		}
		const char* name = supArena_Format( &import->arena, "%s%s", node->name, suffixes[i] );
		parent = node->slots[i] = supImport_AddNode( import, name, parent, slots[i] );
		if ( parent < 0 )
		{
			return false;
		}
	}
	supNode* base = &import->nodes.data[parent];
	base->hasMatrix = node->sheared;
	base->matrix = node->sheared ? node->matrix : supMat34_identity;
	return true;
}

bool supImport_MakeNodes( supImport* import )
{
	LookAtTracks( import );
	for ( int32_t i = 0; i < import->joined.count; ++i )
	{
		supImportNode* node = &import->joined.data[i];
		const supImportNode* parent = node->parent >= 0 ? &import->joined.data[node->parent] : NULL;
		node->compensates = node->ignoresParentScale && parent != NULL && parent->scaleMatters;
		node->sheared = node->sheared && node->compensates == false;
		bool pivoted = node->hasPivot && node->rotationMoves;
		bool helped = node->compensates && ( parent->scaleNonUniform || node->hasPivot );
		// 0: wanted
		node->slots[sup_slotHelper] = helped ? 0 : -1;
		node->slots[sup_slotPivot] = pivoted ? 0 : -1;
		node->slots[sup_slotBase] = 0;
		int32_t above = parent != NULL ? parent->slots[sup_slotBase] : -1;
		supVec3 parentScale = parent != NULL ? parent->rest.scale : supVec3_one;
		if ( AddSlots( import, node, above, parentScale ) == false )
		{
			return false;
		}
	}
	return true;
}
