// SPDX-License-Identifier: MIT
// A whole new document from a character that did not come from glTF.
//
// Nodes, meshes, skins and clips keep their numbers, so that a character read back is the same one. Where glTF cannot
// say what a character says, nodes are added behind the others:
// - a second mesh on one node gets a child of that node
// - a local matrix with shear becomes a rotation below a parent that scales: M = U S Vᵀ is the parent (t, U, S) and the
//   node itself Vᵀ
// - joints of one skin in separate trees get those trees under one root, and a joint that a skin lists twice gets a
//   child that stands in for it
// Not kept: meshes without triangles, notes, the unit of the file, pictures that are neither PNG nor JPEG unless they
// are files of their own.
#include "io/gltf/gltf_write.h"
#include "io/gltf/uri.h"

typedef struct supCreator
{
	const supCharacter* character;
	supDocument* document;
	supError* error;
	// for arrays that live as long as the creation
	supArena arena;
	// index in the document, -1 where it is not written
	int64_t* meshes;
	int64_t* images;
	// parents as written; those of added nodes follow
	SUP_ARRAY( int32_t ) parents;
} supCreator;

static json_t* GetNode( const supCreator* creator, int64_t index )
{
	return supJson_At( supJson_Get( creator->document->root, "nodes" ), (size_t)index );
}

static bool SetName( json_t* object, const char* name, supError* error )
{
	return name[0] == 0 || supJson_Set( object, "name", supJson_MakeString( name ), error );
}

// Adds a node behind the others. Its index, -1 with an error.
static int64_t AddNode( supCreator* creator, const char* name, int32_t parent, supTransform transform )
{
	json_t* node = json_object();
	bool ok = node != NULL || supSetMemoryError( creator->error );
	ok = ok && SetName( node, name, creator->error ) && supJson_SetTransform( node, transform, creator->error );
	ok = ok && ( SUP_PUSH( &creator->parents, parent ) || supSetMemoryError( creator->error ) );
	int64_t index =
		supDocument_AppendItem( creator->document, "nodes", ok ? json_incref( node ) : NULL, creator->error );
	json_decref( node );
	return index;
}

// ---------------------------------------------------------------------------------------------------------------------
// Pictures and materials

// Whatever may not stand in a URI is percent-encoded; backslashes are slashes from another system.
static json_t* MakeUri( const char* uri )
{
	static const char allowed[] = "-._~:/?#[]@!$&'()*+,;=%";
	char* text = supAllocArray( strlen( uri ) + 1, 3 );
	size_t length = 0;
	for ( ; text != NULL && *uri != 0; ++uri )
	{
		unsigned char c = *uri == '\\' ? '/' : (unsigned char)*uri;
		bool isLetter = ( c >= 'a' && c <= 'z' ) || ( c >= 'A' && c <= 'Z' ) || ( c >= '0' && c <= '9' );
		if ( isLetter || strchr( allowed, c ) != NULL )
		{
			text[length++] = (char)c;
		}
		else
		{
			static const char digits[] = "0123456789ABCDEF";
			text[length++] = '%';
			text[length++] = digits[c >> 4];
			text[length++] = digits[c & 15];
		}
	}
	json_t* string = text != NULL ? json_stringn( text, length ) : NULL;
	supFree( text );
	return string;
}

// "" where it is not one of the two that every reader of glTF knows.
static const char* PictureType( const supImage* image )
{
	const char* type = supGuessImageType( image->bytes, image->byteCount );
	return strcmp( type, "image/png" ) == 0 || strcmp( type, "image/jpeg" ) == 0 ? type : "";
}

static bool WriteImage( supCreator* creator, int32_t index )
{
	supError* error = creator->error;
	const supImage* image = supCharacter_Image( creator->character, index );
	const char* type = PictureType( image );
	creator->images[index] = -1;
	if ( type[0] == 0 && image->uri[0] == 0 )
	{
		return true;
	}
	json_t* item = json_object();
	bool ok = SetName( item, image->name, error );
	if ( type[0] != 0 )
	{
		int64_t view = supDocument_AppendView( creator->document, image->bytes, image->byteCount, 0, error );
		ok = ok && view >= 0 && supJson_Set( item, "bufferView", json_integer( view ), error );
		ok = ok && supJson_Set( item, "mimeType", json_string( type ), error );
	}
	else
	{
		ok = ok && supJson_Set( item, "uri", MakeUri( image->uri ), error );
	}
	ok = ok && ( SUP_RESERVE_ONE( &creator->document->images ) || supSetMemoryError( error ) );
	int64_t source = supDocument_AppendItem( creator->document, "images", ok ? json_incref( item ) : NULL, error );
	json_decref( item );
	if ( source < 0 )
	{
		return false;
	}
	creator->document->images.data[creator->document->images.count++] = ( supDocumentImage ){ 0 };
	json_t* texture = json_object();
	ok = supJson_Set( texture, "source", json_integer( source ), error );
	creator->images[index] =
		supDocument_AppendItem( creator->document, "textures", ok ? json_incref( texture ) : NULL, error );
	json_decref( texture );
	return creator->images[index] >= 0;
}

static bool WriteSurface( supCreator* creator, json_t* item, const supMaterial* material )
{
	supError* error = creator->error;
	json_t* surface = json_object();
	const float* color = &material->baseColor.x;
	bool isWhite = color[0] == 1.0f && color[1] == 1.0f && color[2] == 1.0f && color[3] == 1.0f;
	bool ok = isWhite || supJson_Set( surface, "baseColorFactor", supJson_MakeFloats( color, 4 ), error );
	int64_t texture = material->baseColorImage >= 0 ? creator->images[material->baseColorImage] : -1;
	if ( texture >= 0 )
	{
		json_t* reference = json_object();
		ok = ok && supJson_Set( reference, "index", json_integer( texture ), error );
		ok = supJson_Set( surface, "baseColorTexture", reference, error ) && ok;
	}
	ok = ok && ( material->metallic == 1.0f ||
				 supJson_Set( surface, "metallicFactor", supJson_MakeFloat( material->metallic ), error ) );
	ok = ok && ( material->roughness == 1.0f ||
				 supJson_Set( surface, "roughnessFactor", supJson_MakeFloat( material->roughness ), error ) );
	return supJson_Set( item, "pbrMetallicRoughness", surface, error ) && ok;
}

static bool WriteMaterial( supCreator* creator, const supMaterial* material )
{
	supError* error = creator->error;
	json_t* item = json_object();
	bool ok = SetName( item, material->name, error ) && WriteSurface( creator, item, material );
	bool glows = supLengthSquared( material->emissive ) > 0.0f;
	ok = ok && ( glows == false ||
				 supJson_Set( item, "emissiveFactor", supJson_MakeFloats( &material->emissive.x, 3 ), error ) );
	static const char* const modes[] = { "OPAQUE", "MASK", "BLEND" };
	ok = ok && ( material->alphaMode == sup_alphaOpaque ||
				 supJson_Set( item, "alphaMode", json_string( modes[material->alphaMode] ), error ) );
	ok = ok && ( material->alphaMode != sup_alphaMask ||
				 supJson_Set( item, "alphaCutoff", supJson_MakeFloat( material->alphaCutoff ), error ) );
	ok = ok && ( material->doubleSided == false || supJson_Set( item, "doubleSided", json_true(), error ) );
	int64_t index = supDocument_AppendItem( creator->document, "materials", ok ? json_incref( item ) : NULL, error );
	json_decref( item );
	return index >= 0;
}

static bool WriteMaterials( supCreator* creator )
{
	int32_t imageCount = supCharacter_ImageCount( creator->character );
	creator->images = supArena_AllocArray( &creator->arena, (size_t)imageCount, sizeof( int64_t ) );
	bool ok = creator->images != NULL || supSetMemoryError( creator->error );
	for ( int32_t i = 0; i < imageCount && ok; ++i )
	{
		ok = WriteImage( creator, i );
	}
	for ( int32_t i = 0; i < supCharacter_MaterialCount( creator->character ) && ok; ++i )
	{
		ok = WriteMaterial( creator, supCharacter_Material( creator->character, i ) );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Nodes

// A sheared local matrix as two nodes.
static bool WriteShear( supCreator* creator, int32_t index, const supNode* node )
{
	supSvd svd = supComputeSvd( supLinearPart( node->matrix ) );
	supTransform outer = { node->matrix.t, supMakeQuatMat3( svd.u ), svd.s };
	supTransform inner = supTransform_identity;
	inner.rotation = supMakeQuatMat3( supTranspose( svd.v ) );
	int64_t parent = AddNode( creator, "", node->parent, outer );
	if ( parent < 0 )
	{
		return false;
	}
	creator->parents.data[index] = (int32_t)parent;
	return supJson_SetTransform( GetNode( creator, index ), inner, creator->error );
}

static bool WriteNodes( supCreator* creator )
{
	int32_t nodeCount = supCharacter_NodeCount( creator->character );
	bool ok = true;
	for ( int32_t i = 0; i < nodeCount && ok; ++i )
	{
		const supNode* node = supCharacter_Node( creator->character, i );
		ok = AddNode( creator, node->name, node->parent, node->hasMatrix ? supTransform_identity : node->rest ) >= 0;
	}
	for ( int32_t i = 0; i < nodeCount && ok; ++i )
	{
		const supNode* node = supCharacter_Node( creator->character, i );
		ok = node->hasMatrix == false || WriteShear( creator, i, node );
	}
	return ok;
}

static bool SetInstance( supCreator* creator, const supInstance* instance )
{
	supError* error = creator->error;
	int64_t mesh = creator->meshes[instance->mesh];
	if ( mesh < 0 )
	{
		return true;
	}
	const supMesh* source = supCharacter_Mesh( creator->character, instance->mesh );
	int64_t index = instance->node;
	if ( supJson_Get( GetNode( creator, index ), "mesh" ) != NULL )
	{
		const char* name = supCharacter_Node( creator->character, instance->node )->name;
		index = AddNode( creator, name, instance->node, supTransform_identity );
	}
	json_t* node = index >= 0 ? GetNode( creator, index ) : NULL;
	bool ok = node != NULL && supJson_Set( node, "mesh", json_integer( mesh ), error );
	bool isSkinned = instance->skin >= 0 && source->influences > 0;
	ok = ok && ( isSkinned == false || supJson_Set( node, "skin", json_integer( instance->skin ), error ) );
	bool isMorphed = false;
	for ( int32_t i = 0; i < source->targetCount; ++i )
	{
		isMorphed = isMorphed || instance->morphWeights[i] != 0.0f;
	}
	json_t* weights = isMorphed ? supJson_MakeFloats( instance->morphWeights, source->targetCount ) : NULL;
	return ok && ( isMorphed == false || supJson_Set( node, "weights", weights, error ) );
}

// The root of each node's tree in the character.
static int32_t* FindRoots( supCreator* creator )
{
	int32_t nodeCount = supCharacter_NodeCount( creator->character );
	const int32_t* order = supCharacter_NodeOrder( creator->character );
	int32_t* roots = supArena_AllocArray( &creator->arena, (size_t)nodeCount, sizeof( int32_t ) );
	for ( int32_t i = 0; i < nodeCount && roots != NULL; ++i )
	{
		int32_t parent = supCharacter_Node( creator->character, order[i] )->parent;
		roots[order[i]] = parent >= 0 ? roots[parent] : order[i];
	}
	return roots;
}

// Joints of a skin must have a common root: trees that share a skin are put under one new node.
static bool JoinTrees( supCreator* creator )
{
	int32_t nodeCount = supCharacter_NodeCount( creator->character );
	int32_t* roots = FindRoots( creator );
	bool* isJoined = supArena_AllocZeroed( &creator->arena, (size_t)nodeCount );
	if ( roots == NULL || isJoined == NULL )
	{
		return supSetMemoryError( creator->error );
	}
	bool any = false;
	for ( int32_t i = 0; i < supCharacter_SkinCount( creator->character ); ++i )
	{
		const supSkin* skin = supCharacter_Skin( creator->character, i );
		for ( int32_t k = 1; k < skin->jointCount; ++k )
		{
			int32_t first = roots[skin->joints[0]];
			int32_t other = roots[skin->joints[k]];
			if ( first != other )
			{
				isJoined[first] = isJoined[other] = any = true;
			}
		}
	}
	int64_t common = any ? AddNode( creator, "", -1, supTransform_identity ) : 0;
	for ( int32_t i = 0; i < nodeCount && common > 0; ++i )
	{
		if ( isJoined[i] )
		{
			// a sheared root has got a parent already
			int32_t parent = creator->parents.data[i];
			creator->parents.data[parent >= 0 ? parent : i] = (int32_t)common;
		}
	}
	return common >= 0;
}

// Lists of children and the scene, from the parents.
static bool WriteHierarchy( supCreator* creator )
{
	supError* error = creator->error;
	json_t* scene = json_object();
	json_t* roots = json_array();
	bool ok = scene != NULL && roots != NULL ? true : supSetMemoryError( error );
	for ( int32_t i = 0; i < creator->parents.count && ok; ++i )
	{
		json_t* list = roots;
		if ( creator->parents.data[i] >= 0 )
		{
			json_t* parent = GetNode( creator, creator->parents.data[i] );
			list = supJson_Get( parent, "children" );
			if ( list == NULL )
			{
				list = json_array();
				ok = supJson_Set( parent, "children", list, error );
			}
		}
		ok = ok && supJson_Push( list, json_integer( i ), error );
	}
	// a scene without nodes has no list of them
	ok = ok && ( json_array_size( roots ) == 0 || supJson_Set( scene, "nodes", json_incref( roots ), error ) );
	ok = ok && supDocument_AppendItem( creator->document, "scenes", json_incref( scene ), error ) >= 0;
	ok = ok && supJson_Set( creator->document->root, "scene", json_integer( 0 ), error );
	json_decref( roots );
	json_decref( scene );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Skins

// `lastSkin` says for each node which skin, counted from 1, listed it last.
static json_t* MakeJoints( supCreator* creator, int32_t skinIndex, int32_t* lastSkin )
{
	const supSkin* skin = supCharacter_Skin( creator->character, skinIndex );
	json_t* joints = json_array();
	bool ok = joints != NULL || supSetMemoryError( creator->error );
	for ( int32_t i = 0; i < skin->jointCount && ok; ++i )
	{
		int64_t joint = skin->joints[i];
		if ( lastSkin[joint] == skinIndex + 1 )
		{
			const char* name = supCharacter_Node( creator->character, skin->joints[i] )->name;
			joint = AddNode( creator, name, skin->joints[i], supTransform_identity );
		}
		lastSkin[skin->joints[i]] = skinIndex + 1;
		ok = joint >= 0 && supJson_Push( joints, json_integer( joint ), creator->error );
	}
	if ( ok == false )
	{
		json_decref( joints );
		return NULL;
	}
	return joints;
}

static int64_t WriteInverseBinds( supCreator* creator, const supSkin* skin )
{
	float( *matrices )[16] = supAllocArray( (size_t)skin->jointCount, sizeof( *matrices ) );
	if ( matrices == NULL )
	{
		supSetMemoryError( creator->error );
		return -1;
	}
	for ( int32_t i = 0; i < skin->jointCount; ++i )
	{
		const float* m = &skin->inverseBinds[i].cx.x;
		for ( int column = 0; column < 4; ++column )
		{
			memcpy( matrices[i] + 4 * column, m + 3 * column, 3 * sizeof( float ) );
			matrices[i][4 * column + 3] = column == 3 ? 1.0f : 0.0f;
		}
	}
	int64_t accessor = supDocument_AppendAccessor( creator->document, matrices, skin->jointCount, SUP_GL_FLOAT, "MAT4",
												   0, false, creator->error );
	supFree( matrices );
	return accessor;
}

static bool WriteSkins( supCreator* creator )
{
	supError* error = creator->error;
	size_t nodeCount = (size_t)supCharacter_NodeCount( creator->character );
	int32_t* lastSkin = supArena_AllocZeroed( &creator->arena, nodeCount * sizeof( int32_t ) );
	bool ok = lastSkin != NULL || supSetMemoryError( error );
	for ( int32_t i = 0; i < supCharacter_SkinCount( creator->character ) && ok; ++i )
	{
		const supSkin* skin = supCharacter_Skin( creator->character, i );
		json_t* item = json_object();
		int64_t matrices = WriteInverseBinds( creator, skin );
		ok = matrices >= 0 && SetName( item, skin->name, error );
		ok = ok && supJson_Set( item, "inverseBindMatrices", json_integer( matrices ), error );
		ok = ok && supJson_Set( item, "joints", MakeJoints( creator, i, lastSkin ), error );
		ok = ok && supDocument_AppendItem( creator->document, "skins", json_incref( item ), error ) >= 0;
		json_decref( item );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool WriteAll( supCreator* creator )
{
	const supCharacter* character = creator->character;
	bool ok = WriteMaterials( creator ) && WriteNodes( creator );
	ok = ok && supWriteMeshes( creator->document, character, creator->images, creator->meshes, creator->error );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ) && ok; ++i )
	{
		ok = SetInstance( creator, supCharacter_Instance( character, i ) );
	}
	ok = ok && JoinTrees( creator ) && WriteSkins( creator ) && WriteHierarchy( creator );
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ) && ok; ++i )
	{
		bool written;
		ok = supWriteClip( creator->document, supCharacter_Clip( character, i ), 1.0f, &written, creator->error );
	}
	return ok;
}

supDocument* supCreateDocument( const supCharacter* character, supError* error )
{
	supClearError( error );
	supCreator creator = { .character = character, .error = error };
	// a character read from the document takes the name without the extension
	const char* name = supArena_Format( &creator.arena, "%s.glb", supCharacter_Name( character ) );
	creator.document = name != NULL ? supCreateEmptyDocument( name, error ) : NULL;
	if ( creator.document == NULL )
	{
		supSetMemoryError( error );
		supArena_Destroy( &creator.arena );
		return NULL;
	}
	creator.meshes =
		supArena_AllocArray( &creator.arena, (size_t)supCharacter_MeshCount( character ), sizeof( int64_t ) );
	bool ok = creator.meshes != NULL ? WriteAll( &creator ) : supSetMemoryError( error );
	SUP_FREE_ARRAY( &creator.parents );
	supArena_Destroy( &creator.arena );
	if ( ok == false )
	{
		supDestroyDocument( creator.document );
		return NULL;
	}
	return creator.document;
}
