// SPDX-License-Identifier: MIT
// Materials and pictures of a glTF document, as far as drawing needs them.
#include "io/gltf/gltf_reader.h"
#include "io/gltf/uri.h"

#include <stdio.h>

// ---------------------------------------------------------------------------------------------------------------------
// Pictures

static bool ReadImage( supGltfReader* reader, int32_t index, const json_t* object, supImage* image )
{
	const supDocument* document = reader->document;
	const char* uri = supJson_String( object, "uri", NULL );
	int64_t view = supJson_Index( object, "bufferView", -1 );
	image->name = supJson_String( object, "name", "" );
	image->uri = uri != NULL && supIsDataUri( uri ) == false ? uri : "";
	image->mimeType = supJson_String( object, "mimeType", "" );
	if ( uri != NULL && index < document->images.count )
	{
		image->bytes = document->images.data[index].bytes;
		image->byteCount = document->images.data[index].byteCount;
	}
	else if ( view != -1 )
	{
		char where[64];
		snprintf( where, sizeof( where ), "images[%d]", index );
		supError trouble = { 0 };
		if ( supDocument_View( document, view, where, &image->bytes, &image->byteCount, &trouble ) == false )
		{
			image->bytes = NULL;
			image->byteCount = 0;
			return supGltf_AddNote( reader, false, "%s: cannot read the image: %s", where, trouble.message );
		}
	}
	if ( image->mimeType[0] == 0 && uri != NULL && supIsDataUri( uri ) )
	{
		char* type = supGltf_Alloc( reader, 64, 1 );
		if ( type == NULL )
		{
			return false;
		}
		supGetDataUriType( uri, type );
		image->mimeType = type;
	}
	if ( image->mimeType[0] == 0 )
	{
		image->mimeType = supGuessImageType( image->bytes, image->byteCount );
	}
	return true;
}

static bool ReadImages( supGltfReader* reader )
{
	const json_t* list = supGltf_List( reader, "images", &reader->def.imageCount );
	supImage* images = supGltf_Alloc( reader, (size_t)reader->def.imageCount, sizeof( supImage ) );
	reader->def.images = images;
	if ( images == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < reader->def.imageCount; ++i )
	{
		if ( ReadImage( reader, i, supJson_At( list, (size_t)i ), images + i ) == false )
		{
			return false;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Materials

// The image behind a texture, -1 without. Newer formats hang their image on an extension of the texture.
static int32_t FindImage( const supGltfReader* reader, const json_t* textureInfo )
{
	static const char* const extensions[] = { "EXT_texture_webp", "EXT_texture_avif", "KHR_texture_basisu",
											  "MSFT_texture_dds" };
	int64_t index = supJson_Index( textureInfo, "index", -2 );
	const json_t* texture =
		index >= 0 ? supJson_At( supJson_Get( reader->document->root, "textures" ), (size_t)index ) : NULL;
	int64_t source = supJson_Index( texture, "source", -2 );
	for ( int32_t i = 0; i < SUP_COUNT( extensions ) && source < 0; ++i )
	{
		source = supJson_Index( supJson_Get( supJson_Get( texture, "extensions" ), extensions[i] ), "source", -2 );
	}
	return source >= 0 && source < reader->def.imageCount ? (int32_t)source : -1;
}

static void ReadSpecularGlossiness( const supGltfReader* reader, const json_t* extension, supMaterial* material )
{
	float color[4];
	if ( supGltf_ReadNumbers( supJson_Get( extension, "diffuseFactor" ), 4, color ) )
	{
		material->baseColor = ( supVec4 ){ color[0], color[1], color[2], color[3] };
	}
	material->metallic = 0.0f;
	material->roughness = 1.0f - (float)supJson_Number( extension, "glossinessFactor", 1.0 );
	material->baseColorImage = FindImage( reader, supJson_Get( extension, "diffuseTexture" ) );
}

static void ReadMaterial( const supGltfReader* reader, const json_t* object, supMaterial* material )
{
	const json_t* pbr = supJson_Get( object, "pbrMetallicRoughness" );
	float color[4] = { 1.0f, 1.0f, 1.0f, 1.0f };
	float emissive[3] = { 0.0f, 0.0f, 0.0f };
	const char* alpha = supJson_String( object, "alphaMode", "OPAQUE" );
	if ( supGltf_ReadNumbers( supJson_Get( pbr, "baseColorFactor" ), 4, color ) == false )
	{
		color[0] = color[1] = color[2] = color[3] = 1.0f;
	}
	if ( supGltf_ReadNumbers( supJson_Get( object, "emissiveFactor" ), 3, emissive ) == false )
	{
		emissive[0] = emissive[1] = emissive[2] = 0.0f;
	}
	*material = ( supMaterial ){
		.name = supJson_String( object, "name", "" ),
		.baseColor = { color[0], color[1], color[2], color[3] },
		.metallic = (float)supJson_Number( pbr, "metallicFactor", 1.0 ),
		.roughness = (float)supJson_Number( pbr, "roughnessFactor", 1.0 ),
		.emissive = { emissive[0], emissive[1], emissive[2] },
		.baseColorImage = FindImage( reader, supJson_Get( pbr, "baseColorTexture" ) ),
		.alphaMode = strcmp( alpha, "MASK" ) == 0    ? sup_alphaMask
					 : strcmp( alpha, "BLEND" ) == 0 ? sup_alphaBlend
													 : sup_alphaOpaque,
		.alphaCutoff = (float)supJson_Number( object, "alphaCutoff", 0.5 ),
		.doubleSided = supJson_Bool( object, "doubleSided", false ),
	};
	const json_t* extension = supJson_Get( supJson_Get( object, "extensions" ), "KHR_materials_pbrSpecularGlossiness" );
	if ( pbr == NULL && extension != NULL )
	{
		ReadSpecularGlossiness( reader, extension, material );
	}
}

bool supGltf_ReadMaterials( supGltfReader* reader )
{
	const json_t* list = supGltf_List( reader, "materials", &reader->def.materialCount );
	supMaterial* materials = supGltf_Alloc( reader, (size_t)reader->def.materialCount, sizeof( supMaterial ) );
	reader->def.materials = materials;
	if ( materials == NULL || ReadImages( reader ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < reader->def.materialCount; ++i )
	{
		ReadMaterial( reader, supJson_At( list, (size_t)i ), materials + i );
	}
	return true;
}
