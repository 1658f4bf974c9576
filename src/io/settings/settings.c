// SPDX-License-Identifier: MIT
// Settings of flesh from JSON.
#include "io/settings/settings.h"

#include "io/common/file.h"
#include "io/common/scan.h"

#include <float.h>

// Bigger than any list of vertices that a person would keep.
#define MAX_BYTES ( 64u << 20 )

#define MAX_REGIONS 256
#define MAX_PARTS 4096

const char* const supJointKindNames[] = { "guessed", "ball", "hinge", "universal", "fixed", NULL };
const char* const supSoftShapeNames[] = { "painted", "sphere", "joint", "vertices", "all", "values", "capsule", NULL };

typedef struct Settings
{
	supSettings settings; // first, so that the public pointer is ours
	supArena arena;
} Settings;

typedef struct Reader
{
	Settings* own;
	const supCharacter* character;
	supFleshDef* def;
} Reader;

// ---------------------------------------------------------------------------------------------------------------------
// Method and parameters

static bool ReadMethod( Reader* reader, const supJsonPlace* root )
{
	const char* names[sup_methodCount + 1];
	for ( int32_t i = 0; i < sup_methodCount; ++i )
	{
		names[i] = supMethodName( (supMethodId)i );
	}
	names[sup_methodCount] = NULL;
	int32_t method = (int32_t)reader->def->method;
	if ( supJsonPlace_ReadWord( root, "method", names, &method ) == false )
	{
		return false;
	}
	reader->def->method = (supMethodId)method;
	reader->own->settings.hasMethod = json_object_get( root->value, "method" ) != NULL;
	return true;
}

static bool ReadParameter( const Reader* reader, const supJsonPlace* object, const char* key, supSetting* setting )
{
	supMethodId method = reader->def->method;
	int32_t index = supMethod_FindParameter( method, key );
	supJsonPlace place = supJsonPlace_Get( object, key );
	if ( index < 0 )
	{
		return supJsonPlace_Refuse( &place,
									"the method \"%s\" has no parameter of this name; supple methods lists them",
									supMethodName( method ) );
	}
	const supParameter* parameter = supMethod_Parameter( method, index );
	setting->parameter = parameter->name;
	if ( parameter->choices != NULL && json_is_string( place.value ) )
	{
		const char* words[64];
		int32_t count = 0, choice = 0;
		for ( ; count <= (int32_t)parameter->maximum && count < 63; ++count )
		{
			words[count] = parameter->choices[count];
		}
		words[count] = NULL;
		bool ok = supJsonPlace_ReadWord( object, key, words, &choice );
		setting->value = (float)choice;
		return ok;
	}
	return supJsonPlace_ReadNumber( object, key, parameter->minimum, parameter->maximum, &setting->value );
}

static bool ReadParameters( Reader* reader, const supJsonPlace* root )
{
	supJsonPlace place = supJsonPlace_Get( root, "parameters" );
	if ( place.value == NULL )
	{
		return true;
	}
	if ( json_is_object( place.value ) == false )
	{
		return supJsonPlace_Refuse( &place, "must be an object { }" );
	}
	size_t count = json_object_size( place.value );
	supSetting* settings = supArena_AllocArray( &reader->own->arena, count, sizeof( supSetting ) );
	if ( settings == NULL )
	{
		return supSetMemoryError( place.error );
	}
	for ( void* i = json_object_iter( (json_t*)(uintptr_t)place.value ); i != NULL;
		  i = json_object_iter_next( (json_t*)(uintptr_t)place.value, i ) )
	{
		if ( ReadParameter( reader, &place, json_object_iter_key( i ), settings + reader->def->settingCount ) == false )
		{
			return false;
		}
		reader->def->settingCount += 1;
	}
	reader->def->settings = settings;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Softness

static bool ReadJoint( const Reader* reader, const supJsonPlace* object, const char* key, int32_t* node )
{
	supJsonPlace place = supJsonPlace_Get( object, key );
	const char* name = json_string_value( place.value );
	*node = name != NULL ? supFindBone( reader->character, name ) : -1;
	if ( name == NULL )
	{
		return supJsonPlace_Refuse( &place, "the name of a joint is missing" );
	}
	if ( *node < 0 )
	{
		return supJsonPlace_Refuse(
			&place, "the character has no joint \"%.60s\", nor a joint with this role; supple info lists them", name );
	}
	return true;
}

// The instance that a region is of, and how many vertices that has.
static bool ReadInstance( const Reader* reader, const supJsonPlace* object, supSoftRegion* region,
						  int32_t* vertexCount )
{
	supJsonPlace instance = supJsonPlace_Get( object, "instance" );
	int32_t instanceCount = supCharacter_InstanceCount( reader->character );
	json_int_t index = instance.value != NULL ? json_integer_value( instance.value ) : 0;
	if ( ( instance.value != NULL && json_is_integer( instance.value ) == false ) || index < 0 ||
		 index >= instanceCount )
	{
		return supJsonPlace_Refuse( &instance, "must be the index of an instance; the character has %d",
									instanceCount );
	}
	region->instance = (int32_t)index;
	*vertexCount =
		supCharacter_Mesh( reader->character, supCharacter_Instance( reader->character, (int32_t)index )->mesh )
			->vertexCount;
	return true;
}

static bool ReadValues( const Reader* reader, const supJsonPlace* object, supSoftRegion* region )
{
	int32_t wanted = 0;
	if ( ReadInstance( reader, object, region, &wanted ) == false )
	{
		return false;
	}
	supJsonPlace list = supJsonPlace_Get( object, "values" );
	if ( json_array_size( list.value ) != (size_t)wanted || wanted == 0 )
	{
		return supJsonPlace_Refuse( &list, "must be a list of %d numbers, one per vertex of instance %d", wanted,
									region->instance );
	}
	float* values = supArena_AllocArray( &reader->own->arena, (size_t)wanted, sizeof( float ) );
	if ( values == NULL )
	{
		return supSetMemoryError( object->error );
	}
	for ( int32_t i = 0; i < wanted; ++i )
	{
		const json_t* item = json_array_get( list.value, (size_t)i );
		double value = json_is_number( item ) ? json_number_value( item ) : -1.0;
		if ( !( value >= 0.0 && value <= 1.0 ) )
		{
			supJsonPlace place = supJsonPlace_At( &list, (size_t)i );
			return supJsonPlace_Refuse( &place, "must be 0 (firm) to 1 (soft)" );
		}
		values[i] = (float)value;
	}
	region->values = values;
	region->vertexCount = wanted;
	return true;
}

static bool ReadVertices( const Reader* reader, const supJsonPlace* object, supSoftRegion* region )
{
	int32_t most = 0;
	if ( ReadInstance( reader, object, region, &most ) == false )
	{
		return false;
	}
	supJsonPlace list = supJsonPlace_Get( object, "vertices" );
	size_t count = json_array_size( list.value );
	if ( json_is_array( list.value ) == false || count == 0 || count > (size_t)most )
	{
		return supJsonPlace_Refuse( &list, "must be a list of vertex indices [ 3, 4, ... ] below %d", most );
	}
	int32_t* vertices = supArena_AllocArray( &reader->own->arena, count, sizeof( int32_t ) );
	if ( vertices == NULL )
	{
		return supSetMemoryError( object->error );
	}
	for ( size_t i = 0; i < count; ++i )
	{
		const json_t* item = json_array_get( list.value, i );
		json_int_t vertex = json_is_integer( item ) ? json_integer_value( item ) : -1;
		if ( vertex < 0 || vertex >= most )
		{
			supJsonPlace place = supJsonPlace_At( &list, i );
			return supJsonPlace_Refuse( &place, "must be the index of a vertex; instance %d has %d", region->instance,
										most );
		}
		vertices[i] = (int32_t)vertex;
	}
	region->vertices = vertices;
	region->vertexCount = (int32_t)count;
	return true;
}

// A number of metres, or a text with a unit: "3 cm", "12 mm", "0.1 m", or "10 %" of the length of the region's bone.
static bool ReadReach( const Reader* reader, const supJsonPlace* object, supSoftRegion* region )
{
	supJsonPlace place = supJsonPlace_Get( object, "reach" );
	const char* text = json_string_value( place.value );
	if ( text == NULL )
	{
		return supJsonPlace_ReadNumber( object, "reach", 0.0f, 1e18f, &region->reach );
	}
	static const struct
	{
		const char* name;
		double metres;
	} units[] = { { "m", 1.0 }, { "cm", 0.01 }, { "mm", 0.001 }, { "%", 0.01 } };
	double value = 0.0;
	const char* end = supScanNumber( text, text + strlen( text ), &value );
	bool hasBone = region->shape == sup_softNode || region->isInBoneSpace;
	end = end != NULL ? end + strspn( end, " " ) : NULL;
	for ( int32_t i = 0; end != NULL && i < SUP_COUNT( units ) && value >= 0.0 && value < 1e18; ++i )
	{
		if ( strcmp( end, units[i].name ) == 0 && units[i].name[0] != '%' )
		{
			region->reach = (float)( units[i].metres * value );
			return true;
		}
		if ( strcmp( end, units[i].name ) == 0 && hasBone )
		{
			region->reach = (float)( units[i].metres * value ) * supGetBoneLength( reader->character, region->node );
			return true;
		}
	}
	return supJsonPlace_Refuse(
		&place, "must be metres, or a text like \"3 cm\" or \"10 %%\" (of the length of a bone, for regions "
				"with \"joint\" or \"bone\")" );
}

static bool ReadSolid( const Reader* reader, const supJsonPlace* place, supSoftRegion* region )
{
	bool isCapsule = region->shape == sup_softCapsule;
	if ( json_object_get( place->value, "center" ) == NULL ||
		 ( isCapsule && json_object_get( place->value, "end" ) == NULL ) )
	{
		return supJsonPlace_Refuse( place, isCapsule ? "a capsule needs center, end and radius"
													 : "a sphere needs center and radius" );
	}
	region->isInBoneSpace = json_object_get( place->value, "bone" ) != NULL;
	return region->isInBoneSpace == false || ReadJoint( reader, place, "bone", &region->node );
}

static bool ReadRegion( const Reader* reader, const supJsonPlace* place, supSoftRegion* region )
{
	static const char* const keys[] = { "name",  "shape",     "bone",     "center", "end",    "radius",
										"joint", "instance",  "vertices", "values", "border", "softness",
										"even",  "frequency", "damping",  "reach",  NULL };
	int32_t shape = sup_softPainted;
	*region = supDefaultSoftRegion();
	bool ok = supJsonPlace_CheckKeys( place, keys ) &&
			  supJsonPlace_ReadText( place, "name", &reader->own->arena, &region->name ) &&
			  supJsonPlace_ReadWord( place, "shape", supSoftShapeNames, &shape ) &&
			  supJsonPlace_ReadVec3( place, "center", &region->center ) &&
			  supJsonPlace_ReadVec3( place, "end", &region->end ) &&
			  supJsonPlace_ReadNumber( place, "radius", 0.0f, 1e18f, &region->radius ) &&
			  supJsonPlace_ReadNumber( place, "border", 0.0f, 1e18f, &region->border ) &&
			  supJsonPlace_ReadNumber( place, "softness", 0.0f, 1.0f, &region->softness ) &&
			  supJsonPlace_ReadNumber( place, "even", 0.0f, 1.0f, &region->even ) &&
			  supJsonPlace_ReadNumber( place, "frequency", 0.0f, 1e6f, &region->frequency ) &&
			  supJsonPlace_ReadNumber( place, "damping", 0.0f, 1e6f, &region->damping );
	region->shape = (supSoftShape)shape;
	ok = ok && ( region->shape != sup_softNode || ReadJoint( reader, place, "joint", &region->node ) );
	ok = ok && ( region->shape != sup_softVertices || ReadVertices( reader, place, region ) );
	ok = ok && ( region->shape != sup_softValues || ReadValues( reader, place, region ) );
	bool isSolid = region->shape == sup_softSphere || region->shape == sup_softCapsule;
	ok = ok && ( isSolid == false || ReadSolid( reader, place, region ) );
	return ok && ReadReach( reader, place, region );
}

static bool ReadSoftness( Reader* reader, const supJsonPlace* root )
{
	supJsonPlace place = supJsonPlace_Get( root, "softness" );
	size_t count = json_array_size( place.value );
	if ( place.value == NULL )
	{
		return true;
	}
	if ( json_is_array( place.value ) == false || count > MAX_REGIONS )
	{
		return supJsonPlace_Refuse( &place, "must be a list of at most %d regions [ { ... } ]", MAX_REGIONS );
	}
	supSoftRegion* regions = supArena_AllocArray( &reader->own->arena, count, sizeof( supSoftRegion ) );
	if ( regions == NULL )
	{
		return supSetMemoryError( place.error );
	}
	for ( size_t i = 0; i < count; ++i )
	{
		supJsonPlace item = supJsonPlace_At( &place, i );
		if ( ReadRegion( reader, &item, regions + i ) == false )
		{
			return false;
		}
	}
	reader->def->softRegions = count > 0 ? regions : NULL;
	reader->def->softRegionCount = (int32_t)count;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Layers and materials

static int32_t FindLayer( const supLayer* layers, int32_t count, const char* name )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( strcmp( layers[i].name, name ) == 0 )
		{
			return i;
		}
	}
	return -1;
}

// The names in order; values of those that are not standard come with the materials.
static bool ReadOrder( Reader* reader, const supJsonPlace* object, supLayer* layers, int32_t* count )
{
	int32_t standardCount;
	const supLayer* standard = supStandardLayers( &standardCount );
	supJsonPlace place = supJsonPlace_Get( object, "order" );
	if ( place.value == NULL )
	{
		memcpy( layers, standard, (size_t)standardCount * sizeof( supLayer ) );
		*count = standardCount;
		return true;
	}
	size_t size = json_array_size( place.value );
	if ( size < 2 || size > SUP_MAX_LAYERS )
	{
		return supJsonPlace_Refuse( &place, "must be a list of 2 to %d names, from bone to skin", SUP_MAX_LAYERS );
	}
	*count = (int32_t)size;
	for ( int32_t i = 0; i < *count; ++i )
	{
		supJsonPlace item = supJsonPlace_At( &place, (size_t)i );
		const char* name = json_string_value( item.value );
		if ( name == NULL || name[0] == 0 || FindLayer( layers, i, name ) >= 0 )
		{
			return supJsonPlace_Refuse( &item, "must be a name that occurs once" );
		}
		int32_t known = FindLayer( standard, standardCount, name );
		layers[i] = known >= 0 ? standard[known] : ( supLayer ){ .share = 1.0f };
		layers[i].name = supArena_CopyString( &reader->own->arena, name );
		if ( layers[i].name == NULL )
		{
			return supSetMemoryError( item.error );
		}
	}
	return true;
}

static void ListLayers( const supLayer* layers, int32_t count, const char* names[SUP_MAX_LAYERS + 1] )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		names[i] = layers[i].name;
	}
	names[count] = NULL;
}

static bool ReadShares( const supJsonPlace* object, const supLayer* layers, int32_t count, float* shares )
{
	supJsonPlace place = supJsonPlace_Get( object, "shares" );
	const char* names[SUP_MAX_LAYERS + 1];
	ListLayers( layers, count, names );
	bool ok = place.value == NULL || supJsonPlace_CheckKeys( &place, names );
	float sum = count > 2 ? 0.0f : 1.0f;
	for ( int32_t i = 0; i < count && ok && place.value != NULL; ++i )
	{
		ok = supJsonPlace_ReadNumber( &place, names[i], 0.0f, 1e6f, shares + i );
		sum += i > 0 && i + 1 < count ? shares[i] : 0.0f;
	}
	if ( ok && place.value != NULL && sum <= 0.0f )
	{
		return supJsonPlace_Refuse( &place, "all shares are 0" );
	}
	return ok;
}

static bool ReadPart( const Reader* reader, const supJsonPlace* place, const supLayer* layers, int32_t count,
					  supLayerOverride* part )
{
	static const char* const keys[] = { "joint", "boneWidth", "shares", NULL };
	*part = ( supLayerOverride ){ .boneWidth = -1.0f };
	if ( supJsonPlace_CheckKeys( place, keys ) == false || ReadJoint( reader, place, "joint", &part->node ) == false ||
		 supJsonPlace_ReadNumber( place, "boneWidth", 0.0f, 1e6f, &part->boneWidth ) == false )
	{
		return false;
	}
	if ( json_object_get( place->value, "shares" ) == NULL )
	{
		return true;
	}
	float* shares = supArena_AllocArray( &reader->own->arena, (size_t)count, sizeof( float ) );
	if ( shares == NULL )
	{
		return supSetMemoryError( place->error );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		shares[i] = layers[i].share;
	}
	part->shares = shares;
	return ReadShares( place, layers, count, shares );
}

static bool ReadParts( Reader* reader, const supJsonPlace* object, const supLayer* layers, int32_t layerCount )
{
	supJsonPlace place = supJsonPlace_Get( object, "parts" );
	size_t count = json_array_size( place.value );
	if ( place.value == NULL )
	{
		return true;
	}
	if ( json_is_array( place.value ) == false || count > MAX_PARTS )
	{
		return supJsonPlace_Refuse( &place, "must be a list of at most %d parts [ { \"joint\": ... } ]", MAX_PARTS );
	}
	supLayerOverride* parts = supArena_AllocArray( &reader->own->arena, count, sizeof( supLayerOverride ) );
	bool ok = parts != NULL ? true : supSetMemoryError( place.error );
	for ( size_t i = 0; i < count && ok; ++i )
	{
		supJsonPlace item = supJsonPlace_At( &place, i );
		ok = ReadPart( reader, &item, layers, layerCount, parts + i );
	}
	reader->def->layerOverrides = count > 0 ? parts : NULL;
	reader->def->layerOverrideCount = (int32_t)count;
	return ok;
}

static bool ReadMaterials( const supJsonPlace* root, supLayer* layers, int32_t count )
{
	static const char* const keys[] = { "density", "stiffness", "poisson", "damping", NULL };
	supJsonPlace place = supJsonPlace_Get( root, "materials" );
	const char* names[SUP_MAX_LAYERS + 1];
	ListLayers( layers, count, names );
	bool ok = place.value == NULL || supJsonPlace_CheckKeys( &place, names );
	for ( int32_t i = 0; i < count && ok; ++i )
	{
		supJsonPlace item = supJsonPlace_Get( &place, names[i] );
		supTissue* tissue = &layers[i].tissue;
		if ( place.value != NULL && item.value != NULL )
		{
			ok = supJsonPlace_CheckKeys( &item, keys ) &&
				 supJsonPlace_ReadNumber( &item, "density", 1e-3f, 1e6f, &tissue->density ) &&
				 supJsonPlace_ReadNumber( &item, "stiffness", 1e-3f, 1e15f, &tissue->stiffness ) &&
				 supJsonPlace_ReadNumber( &item, "poisson", 0.0f, 0.4999f, &tissue->poisson ) &&
				 supJsonPlace_ReadNumber( &item, "damping", 0.0f, 100.0f, &tissue->damping );
		}
		if ( ok && ( tissue->density == 0.0f || tissue->stiffness == 0.0f ) )
		{
			ok = supJsonPlace_Refuse( &item, "this layer has no defaults; set density (kg/m3) and stiffness (Pa)" );
		}
	}
	return ok;
}

static bool ReadLayers( Reader* reader, const supJsonPlace* root )
{
	static const char* const keys[] = { "order", "boneWidth", "shares", "parts", NULL };
	supJsonPlace place = supJsonPlace_Get( root, "layers" );
	bool hasMaterials = json_object_get( root->value, "materials" ) != NULL;
	if ( place.value == NULL && hasMaterials == false )
	{
		return true;
	}
	supLayer* layers = supArena_AllocArray( &reader->own->arena, SUP_MAX_LAYERS, sizeof( supLayer ) );
	if ( layers == NULL )
	{
		return supSetMemoryError( root->error );
	}
	int32_t count = 0;
	float shares[SUP_MAX_LAYERS];
	if ( ( place.value != NULL && supJsonPlace_CheckKeys( &place, keys ) == false ) ||
		 ReadOrder( reader, &place, layers, &count ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		shares[i] = layers[i].share;
	}
	if ( ReadShares( &place, layers, count, shares ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		layers[i].share = shares[i];
	}
	reader->def->layers = layers;
	reader->def->layerCount = count;
	return supJsonPlace_ReadNumber( &place, "boneWidth", 0.0f, 1e6f, &reader->def->boneWidth ) &&
		   ReadParts( reader, &place, layers, count ) && ReadMaterials( root, layers, count );
}

// ---------------------------------------------------------------------------------------------------------------------
// Joints

// [ lowest, highest ] in degrees.
static bool ReadLimits( const supJsonPlace* object, const char* key, supJointSetting* joint, int32_t axis )
{
	supJsonPlace place = supJsonPlace_Get( object, key );
	if ( place.value == NULL )
	{
		return true;
	}
	const json_t *low = json_array_get( place.value, 0 ), *high = json_array_get( place.value, 1 );
	double lower = json_number_value( low ), upper = json_number_value( high );
	bool ok = json_array_size( place.value ) == 2 && json_is_number( low ) && json_is_number( high ) &&
			  lower >= -360.0 && lower <= upper && upper <= 360.0;
	joint->lower[axis] = SUP_PI / 180.0f * (float)lower;
	joint->upper[axis] = SUP_PI / 180.0f * (float)upper;
	joint->hasLimits[axis] = true;
	return ok || supJsonPlace_Refuse( &place, "must be [ lowest, highest ] in degrees from rest" );
}

static bool ReadJointSetting( const Reader* reader, const supJsonPlace* place, supJointSetting* joint )
{
	static const char* const keys[] = { "node",  "kind",   "axis",     "secondAxis", "limits",  "secondLimits",
										"swing", "middle", "strength", "stiffness",  "damping", NULL };
	int32_t node = -1, kind = sup_jointGuessed;
	if ( supJsonPlace_CheckKeys( place, keys ) == false || ReadJoint( reader, place, "node", &node ) == false )
	{
		return false;
	}
	*joint = supDefaultJointSetting( node );
	float swing = 0.0f;
	bool ok = supJsonPlace_ReadWord( place, "kind", supJointKindNames, &kind ) &&
			  supJsonPlace_ReadVec3( place, "axis", &joint->axis ) &&
			  supJsonPlace_ReadVec3( place, "secondAxis", &joint->secondAxis ) &&
			  ReadLimits( place, "limits", joint, 0 ) && ReadLimits( place, "secondLimits", joint, 1 ) &&
			  supJsonPlace_ReadNumber( place, "swing", 0.0f, 360.0f, &swing ) &&
			  supJsonPlace_ReadVec3( place, "middle", &joint->middle ) &&
			  supJsonPlace_ReadNumber( place, "strength", 0.0f, 1e6f, &joint->strength ) &&
			  supJsonPlace_ReadNumber( place, "stiffness", 0.0f, 100.0f, &joint->stiffness ) &&
			  supJsonPlace_ReadNumber( place, "damping", 0.0f, 1000.0f, &joint->damping );
	joint->kind = (supJointKind)kind;
	joint->swing = SUP_PI / 180.0f * swing;
	return ok;
}

static bool ReadJointSettings( Reader* reader, const supJsonPlace* root )
{
	supJsonPlace place = supJsonPlace_Get( root, "joints" );
	size_t count = json_array_size( place.value );
	if ( place.value == NULL )
	{
		return true;
	}
	if ( json_is_array( place.value ) == false || count > MAX_PARTS )
	{
		return supJsonPlace_Refuse( &place, "must be a list of at most %d joints [ { \"node\": ... } ]", MAX_PARTS );
	}
	supJointSetting* joints = supArena_AllocArray( &reader->own->arena, count, sizeof( supJointSetting ) );
	bool ok = joints != NULL ? true : supSetMemoryError( place.error );
	for ( size_t i = 0; i < count && ok; ++i )
	{
		supJsonPlace item = supJsonPlace_At( &place, i );
		ok = ReadJointSetting( reader, &item, joints + i );
	}
	reader->def->joints = count > 0 ? joints : NULL;
	reader->def->jointCount = (int32_t)count;
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool ReadAll( Settings* own, const json_t* tree, const char* name, const supCharacter* character,
					 supError* error )
{
	// "bake" is for the command line: which clip, how many frames
	static const char* const keys[] = { "method",    "parameters", "softness", "layers",
										"materials", "joints",     "bake",     NULL };
	supJsonPlace root = { .value = tree, .file = name, .error = error };
	own->settings.def = supDefaultFleshDef();
	Reader reader = { own, character, &own->settings.def };
	return supJsonPlace_CheckKeys( &root, keys ) && ReadMethod( &reader, &root ) && ReadParameters( &reader, &root ) &&
		   ReadSoftness( &reader, &root ) && ReadLayers( &reader, &root ) && ReadJointSettings( &reader, &root );
}

supSettings* supParseSettings( const void* bytes, size_t byteCount, const char* name, const supCharacter* character,
							   supError* error )
{
	supClearError( error );
	if ( byteCount > MAX_BYTES )
	{
		supSetError( error, sup_errorTooLarge, name, "the file is too large for settings (%zu bytes)", byteCount );
		return NULL;
	}
	json_t* tree = supParseStrictJson( bytes, byteCount, name, error );
	if ( tree == NULL )
	{
		return NULL;
	}
	Settings* own = supAllocZeroed( sizeof( *own ) );
	bool ok = own != NULL ? ReadAll( own, tree, name, character, error ) : supSetMemoryError( error );
	json_decref( tree );
	if ( ok == false )
	{
		supDestroySettings( own != NULL ? &own->settings : NULL );
		return NULL;
	}
	return &own->settings;
}

supSettings* supLoadSettings( const char* path, const supCharacter* character, supError* error )
{
	supClearError( error );
	size_t byteCount;
	uint8_t* bytes = supReadFile( path, &byteCount, error );
	if ( bytes == NULL )
	{
		return NULL;
	}
	supSettings* settings = supParseSettings( bytes, byteCount, path, character, error );
	supFree( bytes );
	return settings;
}

void supDestroySettings( supSettings* settings )
{
	if ( settings != NULL )
	{
		Settings* own = (Settings*)settings;
		supArena_Destroy( &own->arena );
		supFree( own );
	}
}
