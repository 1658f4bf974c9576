// SPDX-License-Identifier: MIT
// Geometry. assimp cuts a mesh by material into several aiMesh; the aiMesh of one node become the primitives of one
// mesh again, and their bones one skin.
#include "io/assimp/assimp_vertices.h"

// How many of the meshes and skins so far are looked through for an equal one.
#define LOOK_BACK 256

typedef struct Joint
{
	int32_t node; // of the character
	supMat34 inverseBind;
} Joint;

// The meshes of one node that go into one mesh.
typedef struct Builder
{
	supImport* import;
	supArena scratch;
	const supImportNode* node;
	SUP_ARRAY( uint32_t ) sources;
	bool skinned;
	int32_t* jointOf; // joined node -> joint, -1
	SUP_ARRAY( Joint ) joints;
	supPiece* pieces;
	int32_t ownJoint; // for vertices without weights, -1
	int32_t freeVertices;
	int32_t conflicts;
} Builder;

// ---------------------------------------------------------------------------------------------------------------------
// Which meshes go together

static bool IsUsable( const struct aiMesh* mesh )
{
	bool filled = mesh->mVertices != NULL && mesh->mFaces != NULL && mesh->mNumVertices <= INT32_MAX / 4 &&
				  mesh->mNumFaces <= INT32_MAX / 4;
	for ( unsigned i = 0; filled && i < mesh->mNumFaces; ++i )
	{
		if ( supIsTriangle( mesh, &mesh->mFaces[i] ) )
		{
			return true;
		}
	}
	return false;
}

static bool HasBones( const supImport* import, const struct aiMesh* mesh )
{
	for ( unsigned i = 0; mesh->mBones != NULL && i < mesh->mNumBones; ++i )
	{
		if ( supImport_FindNode( import, mesh->mBones[i]->mName.data ) >= 0 )
		{
			return true;
		}
	}
	return false;
}

static bool AlmostEqual( supVec3 a, supVec3 b )
{
	return supDistance( a, b ) <= 1e-4f * ( 1.0f + supLength( a ) );
}

static bool SameMatrix( supMat34 a, supMat34 b )
{
	return AlmostEqual( a.cx, b.cx ) && AlmostEqual( a.cy, b.cy ) && AlmostEqual( a.cz, b.cz ) &&
		   AlmostEqual( a.t, b.t );
}

static supMat34 InverseBind( const Builder* builder, const struct aiBone* bone )
{
	supMat34 offset = supMakeMat34Assimp( &bone->mOffsetMatrix );
	return supMulMat34( offset, builder->node->geometry );
}

// A bone may be bound only one way within a skin.
static bool FitsSkin( const Builder* builder, const struct aiMesh* mesh )
{
	for ( unsigned i = 0; mesh->mBones != NULL && i < mesh->mNumBones; ++i )
	{
		int32_t node = supImport_FindNode( builder->import, mesh->mBones[i]->mName.data );
		int32_t joint = node >= 0 ? builder->jointOf[node] : -1;
		if ( joint >= 0 &&
			 SameMatrix( builder->joints.data[joint].inverseBind, InverseBind( builder, mesh->mBones[i] ) ) == false )
		{
			return false;
		}
	}
	return true;
}

static bool AddBones( Builder* builder, const struct aiMesh* mesh )
{
	supImport* import = builder->import;
	for ( unsigned i = 0; mesh->mBones != NULL && i < mesh->mNumBones; ++i )
	{
		int32_t node = supImport_FindNode( import, mesh->mBones[i]->mName.data );
		if ( node < 0 )
		{
			continue;
		}
		Joint joint = { import->joined.data[node].slots[sup_slotBase], InverseBind( builder, mesh->mBones[i] ) };
		if ( builder->jointOf[node] >= 0 )
		{
			builder->conflicts +=
				SameMatrix( builder->joints.data[builder->jointOf[node]].inverseBind, joint.inverseBind ) == false;
			continue;
		}
		builder->jointOf[node] = builder->joints.count;
		if ( SUP_PUSH( &builder->joints, joint ) == false )
		{
			return supImport_OutOfMemory( import );
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Putting the pieces together

// Copies a vector of every kept vertex, or leaves zeros.
static supVec3* CopyVectors( Builder* builder, size_t vertexCount, size_t offset )
{
	supVec3* result = NULL;
	size_t at = 0;
	for ( int32_t p = 0; p < builder->sources.count; ++p )
	{
		const supPiece* piece = &builder->pieces[p];
		struct aiVector3D* const* array = (struct aiVector3D* const*)( (const char*)piece->source + offset );
		if ( *array != NULL && result == NULL )
		{
			result = supArena_AllocZeroed( &builder->import->arena, ( vertexCount + 1 ) * sizeof( supVec3 ) );
			if ( result == NULL )
			{
				return NULL;
			}
		}
		for ( int32_t i = 0; *array != NULL && i < piece->keptCount; ++i )
		{
			struct aiVector3D v = ( *array )[piece->kept[i]];
			result[at + (size_t)i] = supMakeVec3( v.x, v.y, v.z );
		}
		at += (size_t)piece->keptCount;
	}
	return result;
}

static void CopyTexcoords( Builder* builder, supVec2* texcoords, supVec4* colors )
{
	size_t at = 0;
	for ( int32_t p = 0; p < builder->sources.count; ++p )
	{
		const supPiece* piece = &builder->pieces[p];
		const struct aiVector3D* uv = piece->source->mTextureCoords[0];
		const struct aiColor4D* color = piece->source->mColors[0];
		for ( int32_t i = 0; i < piece->keptCount; ++i, ++at )
		{
			size_t old = (size_t)piece->kept[i];
			if ( texcoords != NULL && uv != NULL )
			{
				// assimp counts v from the bottom of the picture, we from the top
				texcoords[at] = ( supVec2 ){ uv[old].x, 1.0f - uv[old].y };
			}
			if ( colors != NULL )
			{
				colors[at] = color != NULL ? ( supVec4 ){ color[old].r, color[old].g, color[old].b, color[old].a }
										   : ( supVec4 ){ 1.0f, 1.0f, 1.0f, 1.0f };
			}
		}
	}
}

static bool CopyAttributes( Builder* builder, supMesh* mesh )
{
	supArena* arena = &builder->import->arena;
	size_t count = (size_t)mesh->vertexCount;
	bool hasNormals = false, hasTexcoords = false, hasColors = false;
	for ( int32_t p = 0; p < builder->sources.count; ++p )
	{
		const struct aiMesh* source = builder->pieces[p].source;
		hasNormals = hasNormals || source->mNormals != NULL;
		hasTexcoords = hasTexcoords || source->mTextureCoords[0] != NULL;
		hasColors = hasColors || source->mColors[0] != NULL;
	}
	supVec2* texcoords = hasTexcoords ? supArena_AllocZeroed( arena, count * sizeof( supVec2 ) ) : NULL;
	supVec4* colors = hasColors ? supArena_AllocZeroed( arena, count * sizeof( supVec4 ) ) : NULL;
	mesh->positions = CopyVectors( builder, count, offsetof( struct aiMesh, mVertices ) );
	mesh->normals = hasNormals ? CopyVectors( builder, count, offsetof( struct aiMesh, mNormals ) ) : NULL;
	mesh->texcoords = texcoords;
	mesh->colors = colors;
	if ( arena->failed )
	{
		return supImport_OutOfMemory( builder->import );
	}
	CopyTexcoords( builder, texcoords, colors );
	return true;
}

static bool CopyTriangles( Builder* builder, supMesh* mesh )
{
	supArena* arena = &builder->import->arena;
	uint32_t* indices = supArena_AllocArray( arena, (size_t)mesh->indexCount, sizeof( uint32_t ) );
	supPrimitive* primitives = supArena_AllocArray( arena, (size_t)builder->sources.count, sizeof( supPrimitive ) );
	if ( indices == NULL || primitives == NULL )
	{
		return supImport_OutOfMemory( builder->import );
	}
	int32_t vertex = 0;
	int32_t index = 0;
	for ( int32_t p = 0; p < builder->sources.count; ++p )
	{
		const supPiece* piece = &builder->pieces[p];
		const struct aiMesh* source = piece->source;
		bool hasMaterial = source->mMaterialIndex < builder->import->scene->mNumMaterials;
		primitives[p] = ( supPrimitive ){ vertex, piece->keptCount, index, 3 * piece->triangleCount,
										  hasMaterial ? (int32_t)source->mMaterialIndex : -1 };
		for ( unsigned i = 0; i < source->mNumFaces; ++i )
		{
			const struct aiFace* face = &source->mFaces[i];
			for ( int k = 0; k < 3 && supIsTriangle( source, face ); ++k )
			{
				indices[index++] = (uint32_t)( vertex + piece->joined[face->mIndices[k]] );
			}
		}
		vertex += piece->keptCount;
	}
	mesh->indices = indices;
	mesh->primitives = primitives;
	mesh->primitiveCount = builder->sources.count;
	return true;
}

static bool CopyWeights( Builder* builder, supMesh* mesh )
{
	if ( builder->skinned == false )
	{
		return true;
	}
	int32_t stride = 1;
	for ( int32_t p = 0; p < builder->sources.count; ++p )
	{
		stride = builder->pieces[p].stride > stride ? builder->pieces[p].stride : stride;
	}
	size_t size = (size_t)mesh->vertexCount * (size_t)stride;
	uint16_t* joints = supArena_AllocZeroed( &builder->import->arena, size * sizeof( uint16_t ) );
	float* weights = supArena_AllocZeroed( &builder->import->arena, size * sizeof( float ) );
	if ( joints == NULL || weights == NULL )
	{
		return supImport_OutOfMemory( builder->import );
	}
	size_t at = 0;
	for ( int32_t p = 0; p < builder->sources.count; ++p )
	{
		const supPiece* piece = &builder->pieces[p];
		for ( int32_t i = 0; i < piece->keptCount; ++i, at += (size_t)stride )
		{
			uint32_t start = piece->starts[piece->kept[i]];
			uint32_t count = piece->starts[piece->kept[i] + 1] - start;
			for ( uint32_t k = 0; k < count && k < (uint32_t)stride; ++k )
			{
				joints[at + k] = (uint16_t)piece->influences[start + k].joint;
				weights[at + k] = piece->influences[start + k].weight;
			}
			if ( count == 0 )
			{
				joints[at] = (uint16_t)builder->ownJoint;
				weights[at] = 1.0f;
			}
		}
	}
	mesh->influences = stride;
	mesh->joints = joints;
	mesh->weights = weights;
	return true;
}

// Differences to the mesh at rest; zeros where a piece lacks the target.
static bool CopyTarget( Builder* builder, const supMesh* mesh, unsigned index, supMorphTarget* target )
{
	supImport* import = builder->import;
	size_t size = (size_t)mesh->vertexCount * sizeof( supVec3 );
	supVec3* positions = supArena_AllocZeroed( &import->arena, size );
	supVec3* normals = mesh->normals != NULL ? supArena_AllocZeroed( &import->arena, size ) : NULL;
	*target = ( supMorphTarget ){ "", positions, normals, NULL };
	if ( import->arena.failed )
	{
		return supImport_OutOfMemory( import );
	}
	size_t at = 0;
	for ( int32_t p = 0; p < builder->sources.count; ++p )
	{
		const supPiece* piece = &builder->pieces[p];
		const struct aiMesh* source = piece->source;
		const struct aiAnimMesh* morph = index < source->mNumAnimMeshes ? source->mAnimMeshes[index] : NULL;
		bool fits = morph != NULL && morph->mNumVertices == source->mNumVertices;
		if ( fits && target->name[0] == 0 )
		{
			target->name = supImport_CopyName( import, &morph->mName );
			if ( target->name == NULL )
			{
				return false;
			}
		}
		for ( int32_t i = 0; i < piece->keptCount; ++i, ++at )
		{
			int32_t old = piece->kept[i];
			if ( fits && morph->mVertices != NULL )
			{
				struct aiVector3D v = morph->mVertices[old];
				positions[at] = supSub( supMakeVec3( v.x, v.y, v.z ), mesh->positions[at] );
			}
			if ( fits && morph->mNormals != NULL && normals != NULL && source->mNormals != NULL )
			{
				struct aiVector3D n = morph->mNormals[old];
				normals[at] = supSub( supMakeVec3( n.x, n.y, n.z ), mesh->normals[at] );
			}
		}
	}
	return true;
}

static bool CopyTargets( Builder* builder, supMesh* mesh )
{
	unsigned count = 0;
	for ( int32_t p = 0; p < builder->sources.count; ++p )
	{
		const struct aiMesh* source = builder->pieces[p].source;
		unsigned own = source->mAnimMeshes != NULL ? source->mNumAnimMeshes : 0;
		count = own > count ? own : count;
	}
	if ( count == 0 )
	{
		return true;
	}
	supMorphTarget* targets = supArena_AllocArray( &builder->import->arena, count, sizeof( supMorphTarget ) );
	if ( targets == NULL )
	{
		return supImport_OutOfMemory( builder->import );
	}
	for ( unsigned i = 0; i < count; ++i )
	{
		if ( CopyTarget( builder, mesh, i, &targets[i] ) == false )
		{
			return false;
		}
	}
	mesh->targets = targets;
	mesh->targetCount = (int32_t)count;
	return true;
}

static int32_t FirstToCompare( int32_t count )
{
	return count > LOOK_BACK ? count - LOOK_BACK : 0;
}

static bool SameArray( const void* a, const void* b, size_t size )
{
	return a == NULL || b == NULL ? a == b : memcmp( a, b, size ) == 0;
}

static bool SameMesh( const supMesh* a, const supMesh* b )
{
	if ( a->vertexCount != b->vertexCount || a->indexCount != b->indexCount || a->influences != b->influences ||
		 a->primitiveCount != b->primitiveCount || a->targetCount > 0 || b->targetCount > 0 )
	{
		return false;
	}
	size_t count = (size_t)a->vertexCount;
	size_t weights = count * (size_t)a->influences;
	return SameArray( a->indices, b->indices, (size_t)a->indexCount * sizeof( uint32_t ) ) &&
		   SameArray( a->positions, b->positions, count * sizeof( supVec3 ) ) &&
		   SameArray( a->normals, b->normals, count * sizeof( supVec3 ) ) &&
		   SameArray( a->texcoords, b->texcoords, count * sizeof( supVec2 ) ) &&
		   SameArray( a->colors, b->colors, count * sizeof( supVec4 ) ) &&
		   SameArray( a->joints, b->joints, weights * sizeof( uint16_t ) ) &&
		   SameArray( a->weights, b->weights, weights * sizeof( float ) ) &&
		   SameArray( a->primitives, b->primitives, (size_t)a->primitiveCount * sizeof( supPrimitive ) );
}

// assimp copies a mesh for each skin that moves it; here it is one again.
static bool AddMesh( supImport* import, const supMesh* mesh, int32_t* index )
{
	for ( int32_t i = FirstToCompare( import->meshes.count ); i < import->meshes.count; ++i )
	{
		if ( SameMesh( &import->meshes.data[i], mesh ) )
		{
			*index = i;
			return true;
		}
	}
	*index = import->meshes.count;
	return SUP_PUSH( &import->meshes, *mesh ) || supImport_OutOfMemory( import );
}

static bool AddSkin( Builder* builder, supMeshGroup* group )
{
	supImport* import = builder->import;
	size_t count = (size_t)builder->joints.count;
	int32_t* joints = supArena_AllocArray( &import->arena, count, sizeof( int32_t ) );
	supMat34* binds = supArena_AllocArray( &import->arena, count, sizeof( supMat34 ) );
	if ( joints == NULL || binds == NULL )
	{
		return supImport_OutOfMemory( import );
	}
	for ( size_t i = 0; i < count; ++i )
	{
		joints[i] = builder->joints.data[i].node;
		binds[i] = builder->joints.data[i].inverseBind;
	}
	// two meshes on the same bones with the same binding share a skin
	for ( int32_t i = FirstToCompare( import->skins.count ); i < import->skins.count; ++i )
	{
		const supSkin* skin = &import->skins.data[i];
		if ( skin->jointCount == builder->joints.count &&
			 memcmp( skin->joints, joints, count * sizeof( int32_t ) ) == 0 &&
			 memcmp( skin->inverseBinds, binds, count * sizeof( supMat34 ) ) == 0 )
		{
			group->skin = i;
			return true;
		}
	}
	group->skin = import->skins.count;
	supSkin skin = { builder->node->name, builder->joints.count, joints, binds };
	return SUP_PUSH( &import->skins, skin ) || supImport_OutOfMemory( import );
}

static bool NoteOddities( Builder* builder )
{
	supImport* import = builder->import;
	const char* name = builder->node->name;
	bool ok = builder->conflicts == 0 ||
			  supImport_AddNote( import, true, "node \"%s\": %d bones have two bind matrices; the first is used", name,
								 builder->conflicts );
	return ok && ( builder->freeVertices == 0 ||
				   supImport_AddNote( import, false, "node \"%s\": %d vertices have no bone; they move with the node",
									  name, builder->freeVertices ) );
}

// Everything of the mesh, once the pieces are known.
static bool AssembleMesh( Builder* builder, supMeshGroup* group )
{
	supImport* import = builder->import;
	int64_t vertices = 0;
	int64_t indices = 0;
	for ( int32_t p = 0; p < builder->sources.count; ++p )
	{
		vertices += builder->pieces[p].keptCount;
		indices += 3 * (int64_t)builder->pieces[p].triangleCount;
	}
	if ( vertices > INT32_MAX || indices > INT32_MAX || builder->joints.count > UINT16_MAX )
	{
		return supSetError( import->error, sup_errorTooLarge, import->path,
							"node \"%s\" has too many vertices, triangles or bones", builder->node->name );
	}
	const struct aiString* sourceName = &builder->pieces[0].source->mName;
	supMesh mesh = { .vertexCount = (int32_t)vertices, .indexCount = (int32_t)indices };
	mesh.name = sourceName->data[0] != 0 ? supImport_CopyName( import, sourceName ) : builder->node->name;
	bool ok = mesh.name != NULL && CopyAttributes( builder, &mesh ) && CopyTriangles( builder, &mesh ) &&
			  CopyWeights( builder, &mesh ) && CopyTargets( builder, &mesh ) &&
			  ( builder->skinned == false || AddSkin( builder, group ) ) && NoteOddities( builder );
	return ok && AddMesh( import, &mesh, &group->mesh );
}

static bool BuildMesh( Builder* builder, supMeshGroup* group )
{
	supImport* import = builder->import;
	size_t count = (size_t)builder->sources.count;
	builder->pieces = supArena_AllocZeroed( &builder->scratch, count * sizeof( supPiece ) );
	bool ok = builder->pieces != NULL || supImport_OutOfMemory( import );
	for ( size_t p = 0; ok && p < count; ++p )
	{
		supPiece* piece = &builder->pieces[p];
		piece->source = import->scene->mMeshes[builder->sources.data[p]];
		const int32_t* jointOf = builder->skinned ? builder->jointOf : NULL;
		ok = ( supPiece_GatherWeights( piece, import, jointOf, &builder->scratch ) &&
			   supPiece_JoinVertices( piece, &builder->scratch ) ) ||
			 supImport_OutOfMemory( import );
		builder->freeVertices += builder->skinned ? piece->freeCount : 0;
	}
	builder->ownJoint = -1;
	if ( ok && builder->freeVertices > 0 )
	{
		Joint own = { builder->node->slots[sup_slotBase], builder->node->geometry };
		builder->ownJoint = builder->joints.count;
		group->usesNode = true;
		ok = SUP_PUSH( &builder->joints, own ) || supImport_OutOfMemory( import );
	}
	return ok && AssembleMesh( builder, group );
}

// ---------------------------------------------------------------------------------------------------------------------
// Instances

// The same meshes were already built for another node.
static const supMeshGroup* FindGroup( const Builder* builder )
{
	const supImport* import = builder->import;
	for ( int32_t i = FirstToCompare( import->groups.count ); i < import->groups.count; ++i )
	{
		const supMeshGroup* group = &import->groups.data[i];
		bool same =
			group->sourceCount == builder->sources.count &&
			memcmp( group->sources, builder->sources.data, (size_t)group->sourceCount * sizeof( uint32_t ) ) == 0;
		bool sameSkin = builder->skinned == false ||
						( group->usesNode == false &&
						  memcmp( &group->geometry, &builder->node->geometry, sizeof( supMat34 ) ) == 0 );
		if ( same && sameSkin )
		{
			return group;
		}
	}
	return NULL;
}

// The first group sits on the node itself; a further one, or one that is moved by a geometric transform, on a child.
static int32_t CarrierNode( Builder* builder, bool first )
{
	supImport* import = builder->import;
	const supImportNode* node = builder->node;
	int32_t base = node->slots[sup_slotBase];
	bool moved = builder->skinned == false && node->hasGeometry;
	if ( first && moved == false )
	{
		return base;
	}
	const char* name = supArena_Format( &import->arena, "%s (%s)", node->name, moved ? "geometry" : "mesh" );
	supTransform rest = supTransform_identity;
	bool sheared = moved && supDecompose( node->geometry, &rest ) == false;
	int32_t carrier = supImport_AddNode( import, name, base, rest );
	if ( carrier >= 0 && sheared )
	{
		import->nodes.data[carrier].hasMatrix = true;
		import->nodes.data[carrier].matrix = node->geometry;
	}
	return carrier;
}

static bool FinishGroup( Builder* builder, bool first )
{
	supImport* import = builder->import;
	const supMeshGroup* known = FindGroup( builder );
	supMeshGroup group = known != NULL ? *known : ( supMeshGroup ){ .skin = -1, .geometry = builder->node->geometry };
	if ( known == NULL )
	{
		group.sourceCount = builder->sources.count;
		group.sources = supArena_CopyArray( &import->arena, builder->sources.data, (size_t)builder->sources.count,
											sizeof( uint32_t ) );
		if ( group.sources == NULL || BuildMesh( builder, &group ) == false ||
			 SUP_PUSH( &import->groups, group ) == false )
		{
			return supImport_OutOfMemory( import );
		}
	}
	int32_t carrier = CarrierNode( builder, first );
	supInstance instance = { .node = carrier, .mesh = group.mesh, .skin = group.skin };
	return carrier >= 0 && ( SUP_PUSH( &import->instances, instance ) || supImport_OutOfMemory( import ) );
}

static void ClearBuilder( Builder* builder )
{
	supArena_Destroy( &builder->scratch );
	SUP_FREE_ARRAY( &builder->sources );
	SUP_FREE_ARRAY( &builder->joints );
	*builder = ( Builder ){ .import = builder->import, .node = builder->node };
}

static bool StartGroup( Builder* builder, const struct aiMesh* mesh )
{
	supImport* import = builder->import;
	size_t size = (size_t)import->joined.count * sizeof( int32_t );
	builder->skinned = HasBones( import, mesh );
	builder->jointOf = supArena_Alloc( &builder->scratch, size );
	if ( builder->jointOf == NULL )
	{
		return supImport_OutOfMemory( import );
	}
	memset( builder->jointOf, 0xFF, size );
	return true;
}

static bool AddSource( Builder* builder, uint32_t index, bool* first )
{
	supImport* import = builder->import;
	const struct aiMesh* mesh = import->scene->mMeshes[index];
	if ( builder->sources.count > 0 &&
		 ( HasBones( import, mesh ) != builder->skinned || FitsSkin( builder, mesh ) == false ) )
	{
		if ( FinishGroup( builder, *first ) == false )
		{
			return false;
		}
		ClearBuilder( builder );
		*first = false;
	}
	return ( builder->sources.count > 0 || StartGroup( builder, mesh ) ) &&
		   ( SUP_PUSH( &builder->sources, index ) || supImport_OutOfMemory( import ) ) && AddBones( builder, mesh );
}

static bool ReadNodeMeshes( supImport* import, const supImportNode* node, int32_t* skipped )
{
	Builder builder = { .import = import, .node = node };
	const struct aiNode* source = node->source;
	bool ok = true;
	bool first = true;
	for ( unsigned i = 0; ok && source->mMeshes != NULL && i < source->mNumMeshes; ++i )
	{
		uint32_t index = source->mMeshes[i];
		if ( index < import->scene->mNumMeshes && IsUsable( import->scene->mMeshes[index] ) )
		{
			ok = AddSource( &builder, index, &first );
		}
		else
		{
			*skipped += 1;
		}
	}
	ok = ok && ( builder.sources.count == 0 || FinishGroup( &builder, first ) );
	ClearBuilder( &builder );
	return ok;
}

static bool NoteLostBones( supImport* import )
{
	int32_t lost = 0;
	const char* example = NULL;
	for ( unsigned m = 0; m < import->scene->mNumMeshes; ++m )
	{
		const struct aiMesh* mesh = import->scene->mMeshes[m];
		for ( unsigned i = 0; mesh->mBones != NULL && i < mesh->mNumBones; ++i )
		{
			if ( supImport_FindNode( import, mesh->mBones[i]->mName.data ) < 0 )
			{
				lost += 1;
				example = example == NULL ? supImport_CopyName( import, &mesh->mBones[i]->mName ) : example;
			}
		}
	}
	return lost == 0 || ( example != NULL &&
						  supImport_AddNote(
							  import, true, "%d bones are not in the scene (such as \"%s\"); their weights are dropped",
							  lost, example ) );
}

bool supImport_ReadMeshes( supImport* import )
{
	int32_t skipped = 0;
	for ( int32_t i = 0; i < import->joined.count; ++i )
	{
		if ( ReadNodeMeshes( import, &import->joined.data[i], &skipped ) == false )
		{
			return false;
		}
	}
	bool ok = skipped == 0 || supImport_AddNote( import, false, "%d sets of lines or points dropped", skipped );
	return ok && NoteLostBones( import );
}
