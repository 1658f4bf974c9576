// SPDX-License-Identifier: MIT
// Materials and pictures: embedded ones, or files beside the model.
#include "io/assimp/assimp_scene.h"
#include "io/common/file.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <stdlib.h>

// glTF knows these two.
static const char* MimeType( const uint8_t* bytes, size_t count )
{
	static const uint8_t png[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n' };
	static const uint8_t jpeg[3] = { 0xFF, 0xD8, 0xFF };
	if ( count >= sizeof( png ) && memcmp( bytes, png, sizeof( png ) ) == 0 )
	{
		return "image/png";
	}
	return count >= sizeof( jpeg ) && memcmp( bytes, jpeg, sizeof( jpeg ) ) == 0 ? "image/jpeg" : NULL;
}

static const char* FileName( const char* path )
{
	const char* name = path;
	for ( const char* p = path; *p != 0; ++p )
	{
		name = *p == '/' || *p == '\\' ? p + 1 : name;
	}
	return name;
}

static const struct aiTexture* FindEmbedded( const supImport* import, const char* path )
{
	const struct aiScene* scene = import->scene;
	unsigned count = scene->mTextures != NULL ? scene->mNumTextures : 0;
	if ( path[0] == '*' )
	{
		long index = strtol( path + 1, NULL, 10 );
		return index >= 0 && (unsigned long)index < count ? scene->mTextures[index] : NULL;
	}
	for ( unsigned i = 0; i < count; ++i )
	{
		if ( strcmp( FileName( scene->mTextures[i]->mFilename.data ), FileName( path ) ) == 0 )
		{
			return scene->mTextures[i];
		}
	}
	return NULL;
}

// A picture in the folder of the model or in the folder that the path names below it. Paths that lead elsewhere belong
// to the machine of the author: of these only the file's name counts.
static uint8_t* ReadBeside( const supImport* import, const char* relative, size_t* count )
{
	const char* slash = strrchr( import->path, '/' );
	int folder = slash != NULL ? (int)( slash - import->path + 1 ) : 0;
	supArena scratch = { 0 };
	const char* path = supArena_Format( &scratch, "%.*s%s", folder, import->path, relative );
	bool allowed = path != NULL && ( import->def->allowOutside || supIsBelowFolder( import->path, path ) );
	uint8_t* bytes = allowed ? supReadFile( path, count, NULL ) : NULL;
	supArena_Destroy( &scratch );
	return bytes;
}

static bool StaysBelow( const char* path )
{
	return path[0] != '/' && strchr( path, ':' ) == NULL && strchr( path, '\\' ) == NULL &&
		   strstr( path, ".." ) == NULL;
}

static bool ReadImageFile( supImport* import, const char* path, supImage* image )
{
	const char* name = FileName( path );
	image->uri = supArena_CopyString( &import->arena, name );
	size_t count = 0;
	uint8_t* bytes = StaysBelow( path ) ? ReadBeside( import, path, &count ) : NULL;
	bytes = bytes == NULL && name[0] != 0 && strcmp( name, ".." ) != 0 ? ReadBeside( import, name, &count ) : bytes;
	const char* type = bytes != NULL ? MimeType( bytes, count ) : NULL;
	if ( type != NULL )
	{
		image->mimeType = type;
		image->bytes = supArena_CopyArray( &import->arena, bytes, count, 1 );
		image->byteCount = count;
	}
	bool found = bytes != NULL;
	supFree( bytes );
	if ( import->arena.failed )
	{
		return supImport_OutOfMemory( import );
	}
	return type != NULL || supImport_AddNote( import, false,
											  found ? "image \"%s\" is neither PNG nor JPEG; dropped"
													: "image \"%s\" is missing; dropped",
											  image->uri );
}

static bool ReadEmbedded( supImport* import, const struct aiTexture* texture, supImage* image )
{
	const uint8_t* bytes = (const uint8_t*)texture->pcData;
	// with a height these are bare pixels, which no file that we write can hold
	const char* type = texture->mHeight == 0 && bytes != NULL ? MimeType( bytes, texture->mWidth ) : NULL;
	if ( type == NULL )
	{
		return supImport_AddNote( import, false, "embedded image \"%s\" is neither PNG nor JPEG; dropped",
								  image->name );
	}
	image->mimeType = type;
	image->bytes = supArena_CopyArray( &import->arena, bytes, texture->mWidth, 1 );
	image->byteCount = texture->mWidth;
	return image->bytes != NULL || supImport_OutOfMemory( import );
}

// Index of the picture, -1 where it cannot be used. The same path gives the same picture.
static bool FindImage( supImport* import, const struct aiString* path, int32_t* index )
{
	*index = -1;
	const struct aiTexture* embedded = FindEmbedded( import, path->data );
	supImage image = { .mimeType = "", .uri = "" };
	const struct aiString* named = embedded != NULL && embedded->mFilename.data[0] != 0 ? &embedded->mFilename : path;
	const char* name = supImport_CopyName( import, named );
	if ( name == NULL )
	{
		return false;
	}
	image.name = FileName( name );
	for ( int32_t i = 0; i < import->images.count; ++i )
	{
		if ( strcmp( import->images.data[i].name, image.name ) == 0 )
		{
			*index = import->images.data[i].bytes != NULL || import->images.data[i].uri[0] != 0 ? i : -1;
			return true;
		}
	}
	bool ok = embedded != NULL ? ReadEmbedded( import, embedded, &image ) : ReadImageFile( import, name, &image );
	if ( ok == false || ( image.bytes == NULL && image.uri[0] == 0 ) )
	{
		return ok;
	}
	*index = import->images.count;
	return SUP_PUSH( &import->images, image ) || supImport_OutOfMemory( import );
}

static float Number( const struct aiMaterial* source, const char* key, unsigned type, unsigned index, float otherwise )
{
	ai_real value;
	unsigned count = 1;
	bool found = aiGetMaterialFloatArray( source, key, type, index, &value, &count ) == AI_SUCCESS && count == 1;
	return found && supIsFinite( value ) ? supClampFloat( value, 0.0f, 1.0f ) : otherwise;
}

static supVec4 Colour( const struct aiMaterial* source, const char* key, unsigned type, unsigned index,
					   supVec4 otherwise )
{
	struct aiColor4D c;
	bool found = aiGetMaterialColor( source, key, type, index, &c ) == AI_SUCCESS && supIsFinite( c.r ) &&
				 supIsFinite( c.g ) && supIsFinite( c.b );
	return found ? ( supVec4 ){ supClampFloat( c.r, 0.0f, 1.0f ), supClampFloat( c.g, 0.0f, 1.0f ),
								supClampFloat( c.b, 0.0f, 1.0f ), 1.0f }
				 : otherwise;
}

static bool ReadMaterial( supImport* import, const struct aiMaterial* source, supMaterial* material )
{
	*material = ( supMaterial ){ .name = "", .baseColorImage = -1, .alphaCutoff = 0.5f };
	struct aiString text;
	if ( aiGetMaterialString( source, AI_MATKEY_NAME, &text ) == AI_SUCCESS )
	{
		material->name = supImport_CopyName( import, &text );
	}
	supVec4 diffuse = Colour( source, AI_MATKEY_COLOR_DIFFUSE, ( supVec4 ){ 1.0f, 1.0f, 1.0f, 1.0f } );
	material->baseColor = Colour( source, AI_MATKEY_BASE_COLOR, diffuse );
	supVec4 emissive = Colour( source, AI_MATKEY_COLOR_EMISSIVE, ( supVec4 ){ 0 } );
	material->emissive = supMakeVec3( emissive.x, emissive.y, emissive.z );
	material->metallic = Number( source, AI_MATKEY_METALLIC_FACTOR, 0.0f );
	material->roughness = Number( source, AI_MATKEY_ROUGHNESS_FACTOR, 1.0f );
	float opacity = Number( source, AI_MATKEY_OPACITY, 1.0f );
	// many exporters write the transparency the wrong way round; nobody models what cannot be seen
	material->baseColor.w = opacity > 0.0f ? opacity : 1.0f;
	material->alphaMode = material->baseColor.w < 1.0f ? sup_alphaBlend : sup_alphaOpaque;
	int twoSided = 0;
	unsigned one = 1;
	material->doubleSided =
		aiGetMaterialIntegerArray( source, AI_MATKEY_TWOSIDED, &twoSided, &one ) == AI_SUCCESS && twoSided != 0;
	enum aiTextureType type = aiGetMaterialTextureCount( source, aiTextureType_BASE_COLOR ) > 0
								  ? aiTextureType_BASE_COLOR
								  : aiTextureType_DIFFUSE;
	bool textured = aiGetMaterialTexture( source, type, 0, &text, NULL, NULL, NULL, NULL, NULL, NULL ) == AI_SUCCESS;
	bool ok = textured == false || FindImage( import, &text, &material->baseColorImage );
	// with a texture the colour is what the exporter's viewer would have shown without it
	if ( material->baseColorImage >= 0 )
	{
		material->baseColor = ( supVec4 ){ 1.0f, 1.0f, 1.0f, material->baseColor.w };
	}
	return ok && ( material->name != NULL || supImport_OutOfMemory( import ) );
}

bool supImport_ReadMaterials( supImport* import )
{
	unsigned count = import->scene->mMaterials != NULL ? import->scene->mNumMaterials : 0;
	if ( count == 0 )
	{
		return true;
	}
	import->materials = supArena_AllocArray( &import->arena, count, sizeof( supMaterial ) );
	if ( import->materials == NULL )
	{
		return supImport_OutOfMemory( import );
	}
	for ( unsigned i = 0; i < count; ++i )
	{
		if ( ReadMaterial( import, import->scene->mMaterials[i], &import->materials[i] ) == false )
		{
			return false;
		}
	}
	return true;
}
