// SPDX-License-Identifier: MIT
// Settings of flesh to JSON.
#include "io/common/file.h"
#include "io/settings/settings.h"

// Out of memory is remembered: jansson's setters take NULL and fail.
typedef struct Writer
{
	const supCharacter* character;
	bool failed;
} Writer;

static void Set( Writer* writer, json_t* object, const char* key, json_t* value )
{
	writer->failed = json_object_set_new( object, key, value ) != 0 || writer->failed;
}

static void Append( Writer* writer, json_t* array, json_t* value )
{
	writer->failed = json_array_append_new( array, value ) != 0 || writer->failed;
}

static void SetNumber( Writer* writer, json_t* object, const char* key, float value )
{
	Set( writer, object, key, json_real( supShortenFloat( value ) ) );
}

static void SetNumberUnless( Writer* writer, json_t* object, const char* key, float value, float standard )
{
	if ( value != standard )
	{
		SetNumber( writer, object, key, value );
	}
}

static void SetVec3( Writer* writer, json_t* object, const char* key, supVec3 value )
{
	json_t* list = json_array();
	Append( writer, list, json_real( supShortenFloat( value.x ) ) );
	Append( writer, list, json_real( supShortenFloat( value.y ) ) );
	Append( writer, list, json_real( supShortenFloat( value.z ) ) );
	Set( writer, object, key, list );
}

static void SetJoint( Writer* writer, json_t* object, const char* key, int32_t node )
{
	Set( writer, object, key, json_string( supCharacter_Node( writer->character, node )->name ) );
}

static json_t* MakeRegion( Writer* writer, const supSoftRegion* region )
{
	json_t* object = json_object();
	if ( region->name != NULL && region->name[0] != 0 )
	{
		Set( writer, object, "name", json_string( region->name ) );
	}
	Set( writer, object, "shape", json_string( supSoftShapeNames[region->shape] ) );
	if ( region->shape == sup_softSphere || region->shape == sup_softCapsule )
	{
		if ( region->isInBoneSpace )
		{
			SetJoint( writer, object, "bone", region->node );
		}
		SetVec3( writer, object, "center", region->center );
		if ( region->shape == sup_softCapsule )
		{
			SetVec3( writer, object, "end", region->end );
		}
		SetNumber( writer, object, "radius", region->radius );
	}
	if ( region->shape == sup_softNode )
	{
		SetJoint( writer, object, "joint", region->node );
	}
	if ( region->shape == sup_softVertices )
	{
		json_t* vertices = json_array();
		for ( int32_t i = 0; i < region->vertexCount; ++i )
		{
			Append( writer, vertices, json_integer( region->vertices[i] ) );
		}
		Set( writer, object, "instance", json_integer( region->instance ) );
		Set( writer, object, "vertices", vertices );
	}
	if ( region->shape == sup_softValues )
	{
		json_t* values = json_array();
		for ( int32_t i = 0; i < region->vertexCount; ++i )
		{
			float value = region->values[i];
			// most are one of the two, and shorter so
			bool whole = value == 0.0f || value == 1.0f;
			Append( writer, values, whole ? json_integer( (json_int_t)value ) : json_real( supShortenFloat( value ) ) );
		}
		Set( writer, object, "instance", json_integer( region->instance ) );
		Set( writer, object, "values", values );
	}
	SetNumberUnless( writer, object, "border", region->border, 0.0f );
	SetNumberUnless( writer, object, "softness", region->softness, 1.0f );
	SetNumberUnless( writer, object, "even", region->even, 0.0f );
	SetNumberUnless( writer, object, "frequency", region->frequency, 0.0f );
	SetNumberUnless( writer, object, "damping", region->damping, 0.0f );
	SetNumberUnless( writer, object, "reach", region->reach, 0.0f );
	return object;
}

static json_t* MakeShares( Writer* writer, const supLayer* layers, int32_t count, const float* shares )
{
	json_t* object = json_object();
	for ( int32_t i = 1; i + 1 < count; ++i )
	{
		SetNumber( writer, object, layers[i].name, shares != NULL ? shares[i] : layers[i].share );
	}
	return object;
}

static void SetLayers( Writer* writer, json_t* root, const supFleshDef* def )
{
	int32_t count;
	const supLayer* layers = supStandardLayers( &count );
	bool own = def->layerCount > 0;
	layers = own ? def->layers : layers;
	count = own ? def->layerCount : count;
	json_t* object = json_object();
	SetNumberUnless( writer, object, "boneWidth", def->boneWidth, 0.0f );
	if ( own )
	{
		json_t* order = json_array();
		json_t* materials = json_object();
		for ( int32_t i = 0; i < count; ++i )
		{
			json_t* material = json_object();
			Append( writer, order, json_string( layers[i].name ) );
			SetNumber( writer, material, "density", layers[i].tissue.density );
			SetNumber( writer, material, "stiffness", layers[i].tissue.stiffness );
			SetNumber( writer, material, "poisson", layers[i].tissue.poisson );
			SetNumber( writer, material, "damping", layers[i].tissue.damping );
			Set( writer, materials, layers[i].name, material );
		}
		Set( writer, object, "order", order );
		Set( writer, object, "shares", MakeShares( writer, layers, count, NULL ) );
		Set( writer, root, "materials", materials );
	}
	json_t* parts = def->layerOverrideCount > 0 ? json_array() : NULL;
	for ( int32_t i = 0; i < def->layerOverrideCount; ++i )
	{
		const supLayerOverride* override = def->layerOverrides + i;
		json_t* part = json_object();
		SetJoint( writer, part, "joint", override->node );
		if ( override->boneWidth >= 0.0f )
		{
			SetNumber( writer, part, "boneWidth", override->boneWidth );
		}
		if ( override->shares != NULL )
		{
			Set( writer, part, "shares", MakeShares( writer, layers, count, override->shares ) );
		}
		Append( writer, parts, part );
	}
	if ( def->layerOverrideCount > 0 )
	{
		Set( writer, object, "parts", parts );
	}
	if ( json_object_size( object ) > 0 || object == NULL )
	{
		Set( writer, root, "layers", object );
	}
	else
	{
		json_decref( object );
	}
}

static void SetLimits( Writer* writer, json_t* object, const char* key, const supJointSetting* joint, int32_t axis )
{
	if ( joint->hasLimits[axis] )
	{
		json_t* list = json_array();
		Append( writer, list, json_real( supShortenFloat( 180.0f / SUP_PI * joint->lower[axis] ) ) );
		Append( writer, list, json_real( supShortenFloat( 180.0f / SUP_PI * joint->upper[axis] ) ) );
		Set( writer, object, key, list );
	}
}

static void SetVec3Unless0( Writer* writer, json_t* object, const char* key, supVec3 value )
{
	if ( supLengthSquared( value ) > 0.0f )
	{
		SetVec3( writer, object, key, value );
	}
}

static json_t* MakeJoint( Writer* writer, const supJointSetting* joint )
{
	json_t* object = json_object();
	SetJoint( writer, object, "node", joint->node );
	if ( joint->kind != sup_jointGuessed )
	{
		Set( writer, object, "kind", json_string( supJointKindNames[joint->kind] ) );
	}
	SetVec3Unless0( writer, object, "axis", joint->axis );
	SetVec3Unless0( writer, object, "secondAxis", joint->secondAxis );
	SetLimits( writer, object, "limits", joint, 0 );
	SetLimits( writer, object, "secondLimits", joint, 1 );
	SetNumberUnless( writer, object, "swing", 180.0f / SUP_PI * joint->swing, 0.0f );
	SetVec3Unless0( writer, object, "middle", joint->middle );
	SetNumberUnless( writer, object, "strength", joint->strength, 1.0f );
	SetNumberUnless( writer, object, "stiffness", joint->stiffness, -1.0f );
	SetNumberUnless( writer, object, "damping", joint->damping, -1.0f );
	return object;
}

static json_t* MakeTree( Writer* writer, const supFleshDef* def )
{
	json_t* root = json_object();
	if ( def->method != supDefaultFleshDef().method )
	{
		Set( writer, root, "method", json_string( supMethodName( def->method ) ) );
	}
	if ( def->settingCount > 0 )
	{
		json_t* parameters = json_object();
		for ( int32_t i = 0; i < def->settingCount; ++i )
		{
			SetNumber( writer, parameters, def->settings[i].parameter, def->settings[i].value );
		}
		Set( writer, root, "parameters", parameters );
	}
	if ( def->softRegionCount > 0 )
	{
		json_t* softness = json_array();
		for ( int32_t i = 0; i < def->softRegionCount; ++i )
		{
			Append( writer, softness, MakeRegion( writer, def->softRegions + i ) );
		}
		Set( writer, root, "softness", softness );
	}
	SetLayers( writer, root, def );
	if ( def->jointCount > 0 )
	{
		json_t* joints = json_array();
		for ( int32_t i = 0; i < def->jointCount; ++i )
		{
			Append( writer, joints, MakeJoint( writer, def->joints + i ) );
		}
		Set( writer, root, "joints", joints );
	}
	return root;
}

bool supSaveSettings( const char* path, const supFleshDef* def, const supCharacter* character, supError* error )
{
	supClearError( error );
	supInitJson();
	Writer writer = { .character = character };
	json_t* root = MakeTree( &writer, def );
	size_t length = 0;
	char* text = root != NULL && writer.failed == false ? supWriteJson( root, &length ) : NULL;
	json_decref( root );
	bool ok = text != NULL ? supWriteFile( path, text, length, error ) : supSetMemoryError( error );
	supFree( text );
	return ok;
}
