// SPDX-License-Identifier: MIT
#include "io/assimp/assimp_import.h"

#include "io/assimp/assimp_files.h"
#include "io/assimp/assimp_scene.h"
#include "io/common/file.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <stdio.h>

// what a user is likely to have; assimp knows more
#define READABLE ".glb, .gltf, .fbx, .dae, .obj, .ply, .stl, .blend, .3ds, .x, .md5mesh, .smd, .ms3d and .bvh"

bool supImport_OutOfMemory( supImport* import )
{
	return supSetMemoryError( import->error );
}

bool supImport_AddNote( supImport* import, bool repaired, const char* format, ... )
{
	char text[1024];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( text, sizeof( text ), format, arguments );
	va_end( arguments );
	const char* copy = supArena_CopyString( &import->arena, text );
	if ( copy == NULL || SUP_PUSH( &import->notes, ( supNote ){ repaired, copy } ) == false )
	{
		return supImport_OutOfMemory( import );
	}
	return true;
}

// Length of the UTF-8 sequence that starts here, 0 if there is none.
static size_t SequenceLength( const unsigned char* s, size_t left )
{
	size_t length = s[0] < 0x80 ? 1 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3 : 4;
	if ( ( s[0] >= 0x80 && s[0] < 0xC2 ) || s[0] > 0xF4 || length > left )
	{
		return 0;
	}
	for ( size_t i = 1; i < length; ++i )
	{
		if ( ( s[i] & 0xC0 ) != 0x80 )
		{
			return 0;
		}
	}
	bool overlong = ( s[0] == 0xE0 && s[1] < 0xA0 ) || ( s[0] == 0xF0 && s[1] < 0x90 );
	bool surrogate = s[0] == 0xED && s[1] >= 0xA0;
	bool beyond = s[0] == 0xF4 && s[1] >= 0x90;
	return overlong || surrogate || beyond ? 0 : length;
}

const char* supImport_CopyName( supImport* import, const struct aiString* name )
{
	const char* end = memchr( name->data, 0, sizeof( name->data ) );
	size_t length = end != NULL ? (size_t)( end - name->data ) : sizeof( name->data );
	char* copy = supArena_Alloc( &import->arena, length + 1 );
	if ( copy == NULL )
	{
		supImport_OutOfMemory( import );
		return NULL;
	}
	for ( size_t i = 0; i < length; )
	{
		size_t step = SequenceLength( (const unsigned char*)name->data + i, length - i );
		memcpy( copy + i, step > 0 ? name->data + i : "?", step > 0 ? step : 1 );
		i += step > 0 ? step : 1;
	}
	copy[length] = 0;
	return copy;
}

supMat34 supMakeMat34Assimp( const struct aiMatrix4x4* m )
{
	return ( supMat34 ){
		{ m->a1, m->b1, m->c1 }, { m->a2, m->b2, m->c2 }, { m->a3, m->b3, m->c3 }, { m->a4, m->b4, m->c4 }
	};
}

// ---------------------------------------------------------------------------------------------------------------------
// Units and axes

static const struct aiMetadataEntry* FindMetadata( const struct aiMetadata* data, const char* key,
												   enum aiMetadataType type )
{
	for ( unsigned i = 0; data != NULL && i < data->mNumProperties; ++i )
	{
		if ( data->mValues[i].mType == type && strcmp( data->mKeys[i].data, key ) == 0 )
		{
			return &data->mValues[i];
		}
	}
	return NULL;
}

static int32_t MetadataInt( const struct aiMetadata* data, const char* key, int32_t otherwise )
{
	const struct aiMetadataEntry* entry = FindMetadata( data, key, AI_INT32 );
	int32_t value = otherwise;
	if ( entry != NULL )
	{
		memcpy( &value, entry->mData, sizeof( value ) );
	}
	return value;
}

// Row of the axis matrix: which file axis becomes one of ours.
static bool AxisRow( const struct aiMetadata* data, const char* axisKey, const char* signKey, int32_t otherwise,
					 float row[3] )
{
	int32_t axis = MetadataInt( data, axisKey, otherwise );
	int32_t sign = MetadataInt( data, signKey, 1 );
	if ( axis < 0 || axis > 2 || ( sign != 1 && sign != -1 ) )
	{
		return false;
	}
	row[0] = row[1] = row[2] = 0.0f;
	row[axis] = (float)sign;
	return true;
}

// assimp leaves FBX files in their own axes and units and says in the metadata which these are. All other formats come
// in +Y up; of Collada's unit it makes a scale of the root.
static bool ReadBorder( supImport* import )
{
	import->unitScale = 1.0f;
	import->border = supMat34_identity;
	const struct aiMetadata* data = import->scene->mMetaData;
	if ( strcmp( import->extension, ".dae" ) == 0 )
	{
		supMat34 root = supMakeMat34Assimp( &import->scene->mRootNode->mTransformation );
		float scale = supLength( root.cx );
		import->unitScale = supIsFinite( scale ) && scale > 0.0f ? scale : 1.0f;
		return true;
	}
	const struct aiMetadataEntry* unit = FindMetadata( data, "UnitScaleFactor", AI_FLOAT );
	if ( unit == NULL )
	{
		return true;
	}
	float centimetres;
	memcpy( &centimetres, unit->mData, sizeof( centimetres ) );
	if ( !( centimetres >= 1e-6f && centimetres <= 1e9f ) )
	{
		centimetres = 1.0f;
		if ( supImport_AddNote( import, true, "the unit of length is invalid; centimetres are assumed" ) == false )
		{
			return false;
		}
	}
	import->unitScale = centimetres / 100.0f;
	float x[3], y[3], z[3];
	bool ok = AxisRow( data, "CoordAxis", "CoordAxisSign", 0, x ) && AxisRow( data, "UpAxis", "UpAxisSign", 1, y ) &&
			  AxisRow( data, "FrontAxis", "FrontAxisSign", 2, z );
	supMat3 axes = { { x[0], y[0], z[0] }, { x[1], y[1], z[1] }, { x[2], y[2], z[2] } };
	if ( ok == false || supDeterminant( axes ) == 0.0f )
	{
		axes = supMat3_identity;
		if ( supImport_AddNote( import, true, "the axes are invalid; +Y up is assumed" ) == false )
		{
			return false;
		}
	}
	float s = import->unitScale;
	import->border =
		( supMat34 ){ supScale( s, axes.cx ), supScale( s, axes.cy ), supScale( s, axes.cz ), supVec3_zero };
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// The whole

bool supCanImport( const char* extension )
{
	return extension[0] == '.' && aiIsExtensionSupported( extension ) == AI_TRUE;
}

static const struct aiScene* OpenScene( const char* path, const supLoadDef* def, supError* error )
{
	supImportFiles files;
	supImportFiles_Init( &files, path, def );
	struct aiPropertyStore* properties = aiCreatePropertyStore();
	if ( properties == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	// no made-up meshes for files that have a skeleton only
	aiSetImportPropertyInteger( properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1 );
	// without this, channels of nodes with pivots get lost; the helper nodes are folded back by assimp_nodes.c
	aiSetImportPropertyInteger( properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 1 );
	// vertices are joined by assimp_vertices.c, since aiProcess_JoinIdenticalVertices mixes up weights
	unsigned flags = aiProcess_Triangulate | aiProcess_SortByPType;
	const struct aiScene* scene = aiImportFileExWithProperties( path, flags, &files.io, properties );
	aiReleasePropertyStore( properties );
	if ( files.outOfMemory || ( scene == NULL && strstr( aiGetErrorString(), "bad_alloc" ) != NULL ) )
	{
		supSetMemoryError( error );
		aiReleaseImport( scene );
		scene = NULL;
	}
	else if ( scene == NULL && files.late )
	{
		supSetError( error, sup_errorTooLarge, path, "loading takes longer than %g s (supLoadDef.maxSeconds)",
					 (double)def->maxSeconds );
	}
	else if ( scene == NULL )
	{
		supSetError( error, sup_errorFormat, path, "cannot read the file (%s); it may be damaged; export it again",
					 aiGetErrorString() );
	}
	else if ( scene->mRootNode == NULL )
	{
		supSetError( error, sup_errorFormat, path, "the file is empty: no meshes, nodes or animations" );
		aiReleaseImport( scene );
		scene = NULL;
	}
	return scene;
}

static supCharacter* CreateFromImport( supImport* import )
{
	const char* slash = strrchr( import->path, '/' );
	supCharacterDef def = supDefaultCharacterDef();
	def.name = slash != NULL ? slash + 1 : import->path;
	def.nodeCount = import->nodes.count;
	def.nodes = import->nodes.data;
	def.skinCount = import->skins.count;
	def.skins = import->skins.data;
	def.meshCount = import->meshes.count;
	def.meshes = import->meshes.data;
	def.instanceCount = import->instances.count;
	def.instances = import->instances.data;
	def.materialCount = import->materials != NULL ? (int32_t)import->scene->mNumMaterials : 0;
	def.materials = import->materials;
	def.imageCount = import->images.count;
	def.images = import->images.data;
	def.clipCount = import->clipsKept;
	def.clips = import->clips;
	def.noteCount = import->notes.count;
	def.notes = import->notes.data;
	def.unitScale = import->unitScale;
	return supCreateCharacter( &def, import->error );
}

static supCharacter* ConvertScene( supImport* import )
{
	bool ok = ReadBorder( import ) && supImport_ReadNodes( import ) && supImport_ReadTracks( import ) &&
			  supImport_MakeNodes( import ) && supImport_ReadMaterials( import ) && supImport_ReadMeshes( import ) &&
			  supImport_UnposeNormals( import ) && supImport_MakeClips( import );
	if ( ok && import->instances.count == 0 && import->clipsKept == 0 )
	{
		ok = supSetError( import->error, sup_errorFormat, import->path, "the file has no mesh and no animation" );
	}
	return ok ? CreateFromImport( import ) : NULL;
}

supCharacter* supImportCharacter( const char* path, const supLoadDef* def, supError* error )
{
	supClearError( error );
	supImport import = { .path = path, .def = def, .error = error };
	supGetExtension( path, import.extension );
	char head[2];
	if ( supReadFileHead( path, head, sizeof( head ), error ) == false )
	{
		return NULL;
	}
	if ( supCanImport( import.extension ) == false )
	{
		supSetError( error, sup_errorUnsupported, path, "unknown file format; supported: %s", READABLE );
		return NULL;
	}
	import.scene = OpenScene( path, def, error );
	if ( import.scene == NULL )
	{
		return NULL;
	}
	supCharacter* character = ConvertScene( &import );
	aiReleaseImport( import.scene );
	SUP_FREE_ARRAY( &import.notes );
	SUP_FREE_ARRAY( &import.joined );
	SUP_FREE_ARRAY( &import.nodes );
	SUP_FREE_ARRAY( &import.meshes );
	SUP_FREE_ARRAY( &import.skins );
	SUP_FREE_ARRAY( &import.instances );
	SUP_FREE_ARRAY( &import.groups );
	SUP_FREE_ARRAY( &import.images );
	supArena_Destroy( &import.arena );
	return character;
}
