// SPDX-License-Identifier: MIT
#include "io/settings/scene_file.h"

#include "io/common/file.h"
#include "io/settings/settings.h"

#include <float.h>
#include <limits.h>

#define SCENE_FILE_VERSION 1
#define MOST_ACTORS 10000
#define MOST_ATTACHMENTS 100000
#define MOST_KEYS 100000
#define FAR 1e6f

static const char* const s_propKindNames[] = { "none", "cube", "wall", "rope", "tail", "net", "bag", NULL };

static const char* const s_shapeNames[] = { "plane", "sphere", "capsule", "box", "hull", "mesh", "terrain", NULL };

// in the order of supDetection
static const char* const s_detections[] = { "exact", "images", NULL };

static const char* const s_motions[] = { "still", "kinematic", "dynamic", NULL };

static const char* const s_attachmentKinds[] = { "join",     "slide", "velocity", "line",
												 "triangle", "nails", "joints",   NULL };

// ---------------------------------------------------------------------------------------------------------------------
// Small things

static bool ReadWhole( const supJsonPlace* object, const char* key, int32_t lower, int32_t upper, int32_t* out )
{
	supJsonPlace place = supJsonPlace_Get( object, key );
	if ( place.value == NULL )
	{
		return true;
	}
	double number = json_is_number( place.value ) ? json_number_value( place.value ) : -1e300;
	if ( number < lower || number > upper || number != (double)(int32_t)number )
	{
		return supJsonPlace_Refuse( &place, "must be a whole number from %d to %d", lower, upper );
	}
	*out = (int32_t)number;
	return true;
}

static bool ReadFlag( const supJsonPlace* object, const char* key, bool* out )
{
	supJsonPlace place = supJsonPlace_Get( object, key );
	if ( place.value != NULL && json_is_boolean( place.value ) == false )
	{
		return supJsonPlace_Refuse( &place, "must be true or false" );
	}
	*out = place.value != NULL ? json_is_true( place.value ) : *out;
	return true;
}

static bool HasKey( const supJsonPlace* object, const char* key )
{
	return supJsonPlace_Get( object, key ).value != NULL;
}

static bool Require( const supJsonPlace* object, const char* key )
{
	return HasKey( object, key ) || supJsonPlace_Refuse( object, "\"%s\" is missing", key );
}

// How many items the array of this key has; 0 if there is none. False where it is no array or too long.
static bool CountItems( const supJsonPlace* root, const char* key, size_t most, int32_t* count )
{
	supJsonPlace place = supJsonPlace_Get( root, key );
	*count = 0;
	if ( place.value == NULL )
	{
		return true;
	}
	if ( json_is_array( place.value ) == false || json_array_size( place.value ) > most )
	{
		return supJsonPlace_Refuse( &place, "must be an array of at most %zu", most );
	}
	*count = (int32_t)json_array_size( place.value );
	return true;
}

// A place, or a strength as its x.
static bool ReadKeyValue( const supJsonPlace* place, const char* value, supVec3* out )
{
	return strcmp( value, "strength" ) == 0 ? supJsonPlace_ReadNumber( place, value, 0.0f, 1e6f, &out->x )
											: supJsonPlace_ReadVec3( place, value, out );
}

// The keys of "path": a time and, under the name `value`, three numbers, or one that is a strength.
static bool ReadKeys( supSceneFile* file, const supJsonPlace* object, const char* value, int32_t least, int32_t* count,
					  const supSceneKey** out )
{
	const char* const keys[] = { "time", value, NULL };
	supJsonPlace array = supJsonPlace_Get( object, "path" );
	if ( Require( object, "path" ) == false || CountItems( object, "path", MOST_KEYS, count ) == false )
	{
		return false;
	}
	supSceneKey* list = supArena_AllocArray( &file->arena, (size_t)*count, sizeof( supSceneKey ) );
	if ( list == NULL )
	{
		return supSetMemoryError( object->error );
	}
	if ( *count < least )
	{
		return supJsonPlace_Refuse( &array, "needs at least %d: where it starts%s", least,
									least > 1 ? " and where it ends" : "" );
	}
	*out = list;
	for ( int32_t i = 0; i < *count; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &array, (size_t)i );
		list[i] = ( supSceneKey ){ 0 };
		if ( supJsonPlace_CheckKeys( &place, keys ) == false || Require( &place, "time" ) == false ||
			 Require( &place, value ) == false ||
			 supJsonPlace_ReadNumber( &place, "time", 0.0f, FAR, &list[i].time ) == false ||
			 ReadKeyValue( &place, value, &list[i].position ) == false )
		{
			return false;
		}
		if ( i > 0 && list[i].time <= list[i - 1].time )
		{
			return supJsonPlace_Refuse( &place, "\"time\" must be after the previous one" );
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Actors

static bool ReadProp( const supJsonPlace* object, supSceneProp* prop )
{
	static const char* const keys[] = { "kind", "size",     "extents", "thickness", "end_thickness", "from",
										"to",   "segments", "rows",    "columns",   "welded",        NULL };
	*prop = ( supSceneProp ){ .kind = sup_propCube,
							  .size = 0.2f,
							  .extents = { 0.3f, 0.3f, 0.15f },
							  .thickness = 0.02f,
							  .endThickness = 0.01f,
							  .to = { 0.0f, -1.0f, 0.0f },
							  .columns = 4,
							  .rows = 4,
							  .segments = 8,
							  .welded = true };
	int32_t kind = sup_propNone;
	bool ok = supJsonPlace_CheckKeys( object, keys ) && Require( object, "kind" ) &&
			  supJsonPlace_ReadWord( object, "kind", s_propKindNames, &kind ) &&
			  supJsonPlace_ReadNumber( object, "size", 1e-4f, FAR, &prop->size ) &&
			  supJsonPlace_ReadVec3( object, "extents", &prop->extents ) &&
			  supJsonPlace_ReadNumber( object, "thickness", 1e-4f, FAR, &prop->thickness ) &&
			  supJsonPlace_ReadNumber( object, "end_thickness", 1e-4f, FAR, &prop->endThickness ) &&
			  supJsonPlace_ReadVec3( object, "from", &prop->from ) &&
			  supJsonPlace_ReadVec3( object, "to", &prop->to ) &&
			  ReadWhole( object, "segments", 1, 1000, &prop->segments ) &&
			  ReadWhole( object, "rows", 1, 1000, &prop->rows ) &&
			  ReadWhole( object, "columns", 1, 1000, &prop->columns ) && ReadFlag( object, "welded", &prop->welded );
	prop->kind = (supPropKind)kind;
	if ( ok && kind == sup_propNone )
	{
		return supJsonPlace_Refuse( object, "\"kind\" must not be none" );
	}
	if ( ok && !( prop->extents.x > 0.0f && prop->extents.y > 0.0f && prop->extents.z > 0.0f ) )
	{
		return supJsonPlace_Refuse( object, "\"extents\" must be above 0" );
	}
	return ok;
}

static bool ReadContact( const supJsonPlace* object, supContactSettings* contact )
{
	static const char* const keys[] = { "colliders", "actors", "self", "friction", "restitution", "thickness", NULL };
	*contact = supDefaultContactSettings();
	return object->value == NULL ||
		   ( supJsonPlace_CheckKeys( object, keys ) && ReadFlag( object, "colliders", &contact->withColliders ) &&
			 ReadFlag( object, "actors", &contact->withActors ) && ReadFlag( object, "self", &contact->withItself ) &&
			 supJsonPlace_ReadNumber( object, "friction", 0.0f, 100.0f, &contact->friction ) &&
			 supJsonPlace_ReadNumber( object, "restitution", 0.0f, 1.0f, &contact->restitution ) &&
			 supJsonPlace_ReadNumber( object, "thickness", 0.0f, FAR, &contact->thickness ) );
}

static bool ReadTurns( supSceneFile* file, const supJsonPlace* object, supSceneActor* actor )
{
	static const char* const keys[] = { "node", "path", NULL };
	supJsonPlace array = supJsonPlace_Get( object, "turns" );
	if ( CountItems( object, "turns", MOST_ACTORS, &actor->turnCount ) == false )
	{
		return false;
	}
	supSceneTurn* turns = supArena_AllocArray( &file->arena, (size_t)actor->turnCount, sizeof( supSceneTurn ) );
	if ( turns == NULL )
	{
		return supSetMemoryError( object->error );
	}
	actor->turns = turns;
	for ( int32_t i = 0; i < actor->turnCount; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &array, (size_t)i );
		turns[i] = ( supSceneTurn ){ 0 };
		if ( supJsonPlace_CheckKeys( &place, keys ) == false || Require( &place, "node" ) == false ||
			 supJsonPlace_ReadText( &place, "node", &file->arena, &turns[i].node ) == false ||
			 ReadKeys( file, &place, "turn", 1, &turns[i].keyCount, &turns[i].keys ) == false )
		{
			return false;
		}
	}
	return true;
}

static bool ReadStrengths( supSceneFile* file, const supJsonPlace* object, supSceneActor* actor )
{
	static const char* const keys[] = { "node", "below", "path", NULL };
	supJsonPlace array = supJsonPlace_Get( object, "strengths" );
	if ( CountItems( object, "strengths", MOST_ACTORS, &actor->strengthCount ) == false )
	{
		return false;
	}
	supSceneStrength* strengths =
		supArena_AllocArray( &file->arena, (size_t)actor->strengthCount, sizeof( supSceneStrength ) );
	if ( strengths == NULL )
	{
		return supSetMemoryError( object->error );
	}
	actor->strengths = strengths;
	for ( int32_t i = 0; i < actor->strengthCount; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &array, (size_t)i );
		strengths[i] = ( supSceneStrength ){ .below = true };
		if ( supJsonPlace_CheckKeys( &place, keys ) == false || Require( &place, "node" ) == false ||
			 supJsonPlace_ReadText( &place, "node", &file->arena, &strengths[i].node ) == false ||
			 ReadFlag( &place, "below", &strengths[i].below ) == false ||
			 ReadKeys( file, &place, "strength", 1, &strengths[i].keyCount, &strengths[i].keys ) == false )
		{
			return false;
		}
	}
	return true;
}

static bool CountValues( const supJsonPlace* array, int32_t keyCount, int32_t* count )
{
	size_t sum = 0;
	for ( int32_t i = 0; i < keyCount; ++i )
	{
		supJsonPlace place = supJsonPlace_At( array, (size_t)i );
		if ( json_is_object( place.value ) == false || json_object_size( place.value ) < 2 )
		{
			return supJsonPlace_Refuse( &place, "must be { \"time\": seconds, PARAMETER: value, ... }" );
		}
		sum += json_object_size( place.value ) - 1;
	}
	*count = (int32_t)sum;
	return sum <= MOST_KEYS || supJsonPlace_Refuse( array, "must be at most %d values", MOST_KEYS );
}

// Returns how many values of a key were read; 0 after an error.
static int32_t ReadValues( supSceneFile* file, const supJsonPlace* place, supSceneValue* values )
{
	float time = 0.0f;
	if ( Require( place, "time" ) == false || supJsonPlace_ReadNumber( place, "time", 0.0f, FAR, &time ) == false )
	{
		return 0;
	}
	int32_t count = 0;
	json_t* object = (json_t*)(uintptr_t)place->value;
	for ( void* i = json_object_iter( object ); i != NULL; i = json_object_iter_next( object, i ) )
	{
		const char* name = json_object_iter_key( i );
		if ( strcmp( name, "time" ) == 0 )
		{
			continue;
		}
		supSceneValue* out = values + count++;
		*out = ( supSceneValue ){ .time = time, .parameter = supArena_CopyString( &file->arena, name ) };
		if ( out->parameter == NULL )
		{
			supSetMemoryError( place->error );
			return 0;
		}
		if ( supJsonPlace_ReadNumber( place, name, -FLT_MAX, FLT_MAX, &out->value ) == false )
		{
			return 0;
		}
	}
	return count;
}

static bool ReadParameters( supSceneFile* file, const supJsonPlace* object, supSceneActor* actor )
{
	int32_t keyCount = 0;
	supJsonPlace array = supJsonPlace_Get( object, "parameters" );
	if ( CountItems( object, "parameters", MOST_KEYS, &keyCount ) == false ||
		 CountValues( &array, keyCount, &actor->valueCount ) == false )
	{
		return false;
	}
	supSceneValue* values = supArena_AllocArray( &file->arena, (size_t)actor->valueCount, sizeof( supSceneValue ) );
	if ( values == NULL )
	{
		return supSetMemoryError( object->error );
	}
	actor->values = values;
	int32_t at = 0;
	for ( int32_t i = 0; i < keyCount; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &array, (size_t)i );
		int32_t count = ReadValues( file, &place, values + at );
		if ( count == 0 )
		{
			return false;
		}
		if ( at > 0 && values[at].time <= values[at - 1].time )
		{
			return supJsonPlace_Refuse( &place, "\"time\" must be after the previous one" );
		}
		at += count;
	}
	return true;
}

// The name of a file, or an object as there is in one. Names of joints are known once there is a character.
static bool ReadSettings( supSceneFile* file, const supJsonPlace* object, supSceneActor* actor )
{
	supJsonPlace place = supJsonPlace_Get( object, "settings" );
	if ( json_is_object( place.value ) == false )
	{
		return supJsonPlace_ReadText( object, "settings", &file->arena, &actor->settings );
	}
	size_t size = 0;
	char* text = supWriteJson( place.value, &size );
	actor->settingsText = text != NULL ? supArena_CopyString( &file->arena, text ) : NULL;
	supFree( text );
	return actor->settingsText != NULL || supSetMemoryError( object->error );
}

static bool ReadActor( supSceneFile* file, const supJsonPlace* object, supSceneActor* actor )
{
	static const char* const keys[] = { "name",   "file",        "prop",  "method", "settings",   "clip",
										"motion", "motion_clip", "start", "speed",  "loop",       "position",
										"turn",   "contact",     "turns", "path",   "parameters", "strengths",
										"unit",   "recover",     NULL };
	*actor = ( supSceneActor ){ .speed = 1.0f, .loop = true };
	if ( supJsonPlace_CheckKeys( object, keys ) == false || Require( object, "name" ) == false )
	{
		return false;
	}
	supJsonPlace prop = supJsonPlace_Get( object, "prop" );
	supJsonPlace contact = supJsonPlace_Get( object, "contact" );
	if ( ( prop.value != NULL ) == HasKey( object, "file" ) )
	{
		return supJsonPlace_Refuse( object, "an actor has either a \"file\" or a \"prop\"" );
	}
	supArena* arena = &file->arena;
	bool hasPath = HasKey( object, "path" );
	return ( prop.value == NULL || ReadProp( &prop, &actor->prop ) ) && ReadTurns( file, object, actor ) &&
		   ReadParameters( file, object, actor ) && ReadStrengths( file, object, actor ) &&
		   ( hasPath == false || ReadKeys( file, object, "at", 1, &actor->pathCount, &actor->path ) ) &&
		   ReadContact( &contact, &actor->contact ) && supJsonPlace_ReadText( object, "name", arena, &actor->name ) &&
		   supJsonPlace_ReadText( object, "file", arena, &actor->file ) &&
		   supJsonPlace_ReadText( object, "method", arena, &actor->method ) && ReadSettings( file, object, actor ) &&
		   supJsonPlace_ReadText( object, "unit", arena, &actor->unit ) &&
		   supJsonPlace_ReadText( object, "clip", arena, &actor->clip ) &&
		   supJsonPlace_ReadText( object, "motion", arena, &actor->motion ) &&
		   supJsonPlace_ReadText( object, "motion_clip", arena, &actor->motionClip ) &&
		   supJsonPlace_ReadNumber( object, "start", 0.0f, FAR, &actor->start ) &&
		   supJsonPlace_ReadNumber( object, "recover", 0.0f, 60.0f, &actor->recover ) &&
		   supJsonPlace_ReadNumber( object, "speed", -100.0f, 100.0f, &actor->speed ) &&
		   ReadFlag( object, "loop", &actor->loop ) && supJsonPlace_ReadVec3( object, "position", &actor->position ) &&
		   supJsonPlace_ReadNumber( object, "turn", -360.0f, 360.0f, &actor->turn );
}

static bool ReadActors( supSceneFile* file, const supJsonPlace* root )
{
	if ( CountItems( root, "actors", MOST_ACTORS, &file->actorCount ) == false )
	{
		return false;
	}
	supJsonPlace array = supJsonPlace_Get( root, "actors" );
	if ( file->actorCount == 0 )
	{
		return supJsonPlace_Refuse( root, "\"actors\" is missing or empty" );
	}
	file->actors = supArena_AllocArray( &file->arena, (size_t)file->actorCount, sizeof( supSceneActor ) );
	if ( file->actors == NULL )
	{
		return supSetMemoryError( root->error );
	}
	for ( int32_t i = 0; i < file->actorCount; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &array, (size_t)i );
		if ( ReadActor( file, &place, file->actors + i ) == false )
		{
			return false;
		}
		for ( int32_t k = 0; k < i; ++k )
		{
			if ( strcmp( file->actors[i].name, file->actors[k].name ) == 0 )
			{
				return supJsonPlace_Refuse( &place, "another actor has the name '%s'", file->actors[i].name );
			}
		}
	}
	return true;
}

static bool ReadActorName( const supSceneFile* file, const supJsonPlace* object, int32_t* actor )
{
	supJsonPlace place = supJsonPlace_Get( object, "actor" );
	if ( place.value == NULL || json_is_string( place.value ) == false )
	{
		return supJsonPlace_Refuse( object, "\"actor\" must name one of the actors" );
	}
	for ( int32_t i = 0; i < file->actorCount; ++i )
	{
		if ( strcmp( file->actors[i].name, json_string_value( place.value ) ) == 0 )
		{
			*actor = i;
			return true;
		}
	}
	return supJsonPlace_Refuse( &place, "no actor '%s'", json_string_value( place.value ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Attachments

static bool ReadSpot( supSceneFile* file, const supJsonPlace* object, supSceneSpot* spot )
{
	static const char* const keys[] = { "at",     "actor", "node",   "offset", "near",
										"inside", "nail",  "radius", "path",   NULL };
	*spot = ( supSceneSpot ){ .actor = -1, .nail = -1 };
	if ( supJsonPlace_CheckKeys( object, keys ) == false )
	{
		return false;
	}
	if ( HasKey( object, "path" ) )
	{
		spot->kind = sup_placeWorld;
		if ( HasKey( object, "actor" ) || HasKey( object, "at" ) )
		{
			return supJsonPlace_Refuse( object, "\"path\" is for a place in the world, instead of \"at\"" );
		}
		bool ok = ReadKeys( file, object, "at", 1, &spot->pathCount, &spot->path );
		spot->position = ok ? spot->path[0].position : supVec3_zero;
		return ok;
	}
	if ( HasKey( object, "at" ) )
	{
		spot->kind = sup_placeWorld;
		return supJsonPlace_ReadVec3( object, "at", &spot->position ) &&
			   ( HasKey( object, "actor" ) == false ||
				 supJsonPlace_Refuse( object, "\"at\" is a place in the world; use \"near\" for an actor" ) );
	}
	if ( ReadActorName( file, object, &spot->actor ) == false )
	{
		return false;
	}
	int32_t ways =
		HasKey( object, "node" ) + HasKey( object, "near" ) + HasKey( object, "nail" ) + HasKey( object, "inside" );
	if ( ways != 1 )
	{
		return supJsonPlace_Refuse( object,
									"a place on an actor needs one of \"near\", \"inside\", \"node\" and \"nail\"" );
	}
	if ( HasKey( object, "inside" ) )
	{
		spot->kind = sup_placeInside;
		return supJsonPlace_ReadVec3( object, "inside", &spot->position );
	}
	if ( HasKey( object, "node" ) )
	{
		spot->kind = sup_placeNode;
		return supJsonPlace_ReadText( object, "node", &file->arena, &spot->node ) &&
			   supJsonPlace_ReadVec3( object, "offset", &spot->position );
	}
	spot->kind = sup_placeSurface;
	if ( HasKey( object, "nail" ) && file->actors[spot->actor].file != NULL )
	{
		return supJsonPlace_Refuse( object, "only props have nails" );
	}
	return ReadWhole( object, "nail", 0, INT_MAX - 1, &spot->nail ) &&
		   supJsonPlace_ReadVec3( object, "near", &spot->position ) &&
		   supJsonPlace_ReadNumber( object, "radius", 0.0f, FAR, &spot->radius );
}

static bool ReadSpots( supSceneFile* file, const supJsonPlace* object, supSceneAttachment* attachment )
{
	supJsonPlace array = supJsonPlace_Get( object, "places" );
	static const int32_t leasts[] = {
		[sup_sceneJoin] = 2, [sup_sceneSlide] = 2, [sup_sceneVelocity] = 1, [sup_sceneLine] = 3, [sup_sceneTriangle] = 4
	};
	int32_t least = leasts[attachment->kind];
	if ( Require( object, "places" ) == false ||
		 CountItems( object, "places", SUP_MAX_ATTACHED_PLACES, &attachment->spotCount ) == false )
	{
		return false;
	}
	if ( attachment->spotCount < least )
	{
		return supJsonPlace_Refuse( &array, "needs at least %d", least );
	}
	attachment->spots = supArena_AllocArray( &file->arena, (size_t)attachment->spotCount, sizeof( supSceneSpot ) );
	if ( attachment->spots == NULL )
	{
		return supSetMemoryError( object->error );
	}
	for ( int32_t i = 0; i < attachment->spotCount; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &array, (size_t)i );
		if ( ReadSpot( file, &place, attachment->spots + i ) == false )
		{
			return false;
		}
	}
	return true;
}

static bool ReadWithin( const supJsonPlace* object, supBox* box )
{
	static const char* const keys[] = { "lower", "upper", NULL };
	supJsonPlace place = supJsonPlace_Get( object, "within" );
	return place.value == NULL ||
		   ( supJsonPlace_CheckKeys( &place, keys ) && supJsonPlace_ReadVec3( &place, "lower", &box->lower ) &&
			 supJsonPlace_ReadVec3( &place, "upper", &box->upper ) );
}

static bool ReadAttachment( supSceneFile* file, const supJsonPlace* object, supSceneAttachment* attachment )
{
	static const char* const keys[] = { "name", "kind",     "places",         "actor",  "velocity", "slack",
										"from", "assembly", "breaking_force", "within", "to",       NULL };
	*attachment =
		( supSceneAttachment ){ .actor = -1,
								.to = FLT_MAX,
								.breakingForce = INFINITY,
								.within = { { -FLT_MAX, -FLT_MAX, -FLT_MAX }, { FLT_MAX, FLT_MAX, FLT_MAX } } };
	int32_t kind = sup_sceneJoin;
	bool ok = supJsonPlace_CheckKeys( object, keys ) &&
			  supJsonPlace_ReadText( object, "name", &file->arena, &attachment->name ) &&
			  supJsonPlace_ReadWord( object, "kind", s_attachmentKinds, &kind ) &&
			  supJsonPlace_ReadVec3( object, "velocity", &attachment->velocity ) &&
			  supJsonPlace_ReadNumber( object, "slack", 0.0f, FAR, &attachment->slack ) &&
			  supJsonPlace_ReadNumber( object, "assembly", 0.0f, FAR, &attachment->assembly ) &&
			  supJsonPlace_ReadNumber( object, "breaking_force", 1e-6f, FLT_MAX, &attachment->breakingForce ) &&
			  supJsonPlace_ReadNumber( object, "from", 0.0f, FAR, &attachment->from ) &&
			  supJsonPlace_ReadNumber( object, "to", 0.0f, FAR, &attachment->to ) &&
			  ReadWithin( object, &attachment->within );
	attachment->kind = (supSceneAttachmentKind)kind;
	if ( ok && attachment->to <= attachment->from )
	{
		return supJsonPlace_Refuse( object, "\"to\" must be after \"from\"" );
	}
	if ( ok && ( kind == sup_sceneNails || kind == sup_sceneJoints ) )
	{
		ok = ReadActorName( file, object, &attachment->actor );
		return ok && ( file->actors[attachment->actor].file == NULL ||
					   supJsonPlace_Refuse( object, "only props have nails and joints" ) );
	}
	return ok && ReadSpots( file, object, attachment );
}

static bool ReadAttachments( supSceneFile* file, const supJsonPlace* root )
{
	if ( CountItems( root, "attachments", MOST_ATTACHMENTS, &file->attachmentCount ) == false )
	{
		return false;
	}
	supJsonPlace array = supJsonPlace_Get( root, "attachments" );
	file->attachments =
		supArena_AllocArray( &file->arena, (size_t)file->attachmentCount, sizeof( supSceneAttachment ) );
	if ( file->attachments == NULL )
	{
		return supSetMemoryError( root->error );
	}
	for ( int32_t i = 0; i < file->attachmentCount; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &array, (size_t)i );
		if ( ReadAttachment( file, &place, file->attachments + i ) == false )
		{
			return false;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Drags

static bool ReadDrags( supSceneFile* file, const supJsonPlace* root )
{
	static const char* const keys[] = { "actor", "near", "radius", "frequency", "path", NULL };
	if ( CountItems( root, "drags", MOST_ACTORS, &file->dragCount ) == false )
	{
		return false;
	}
	supJsonPlace array = supJsonPlace_Get( root, "drags" );
	file->drags = supArena_AllocArray( &file->arena, (size_t)file->dragCount, sizeof( supSceneDrag ) );
	if ( file->drags == NULL )
	{
		return supSetMemoryError( root->error );
	}
	for ( int32_t i = 0; i < file->dragCount; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &array, (size_t)i );
		supSceneDrag* drag = file->drags + i;
		*drag = ( supSceneDrag ){ .frequency = 20.0f };
		if ( supJsonPlace_CheckKeys( &place, keys ) == false || Require( &place, "near" ) == false ||
			 ReadActorName( file, &place, &drag->actor ) == false ||
			 supJsonPlace_ReadVec3( &place, "near", &drag->near ) == false ||
			 supJsonPlace_ReadNumber( &place, "radius", 0.0f, FAR, &drag->radius ) == false ||
			 supJsonPlace_ReadNumber( &place, "frequency", 0.01f, 1000.0f, &drag->frequency ) == false ||
			 ReadKeys( file, &place, "at", 2, &drag->keyCount, &drag->keys ) == false )
		{
			return false;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Colliders

static bool ReadStand( const supJsonPlace* object, const char* position, supSceneStand* stand )
{
	return supJsonPlace_ReadVec3( object, position, &stand->position ) &&
		   supJsonPlace_ReadNumber( object, "turn", -3600.0f, 3600.0f, &stand->turn ) &&
		   supJsonPlace_ReadNumber( object, "pitch", -3600.0f, 3600.0f, &stand->pitch ) &&
		   supJsonPlace_ReadNumber( object, "roll", -3600.0f, 3600.0f, &stand->roll );
}

static bool ReadColliderPath( supSceneFile* file, const supJsonPlace* object, supSceneCollider* collider )
{
	static const char* const keys[] = { "time", "at", "turn", "pitch", "roll", NULL };
	supJsonPlace array = supJsonPlace_Get( object, "path" );
	if ( array.value == NULL )
	{
		return true;
	}
	if ( CountItems( object, "path", MOST_KEYS, &collider->keyCount ) == false )
	{
		return false;
	}
	if ( collider->motion != sup_colliderKinematic || collider->keyCount < 1 )
	{
		return supJsonPlace_Refuse( &array, "is for kinematic colliders and needs at least one key" );
	}
	supSceneStand* list = supArena_AllocArray( &file->arena, (size_t)collider->keyCount, sizeof( supSceneStand ) );
	if ( list == NULL )
	{
		return supSetMemoryError( object->error );
	}
	collider->keys = list;
	for ( int32_t i = 0; i < collider->keyCount; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &array, (size_t)i );
		// what is not said stays as it was
		list[i] = i > 0 ? list[i - 1] : collider->stand;
		if ( supJsonPlace_CheckKeys( &place, keys ) == false || Require( &place, "time" ) == false ||
			 supJsonPlace_ReadNumber( &place, "time", 0.0f, FAR, &list[i].time ) == false ||
			 ReadStand( &place, "at", list + i ) == false )
		{
			return false;
		}
		if ( i > 0 && list[i].time <= list[i - 1].time )
		{
			return supJsonPlace_Refuse( &place, "\"time\" must be after the previous one" );
		}
	}
	return true;
}

static bool ReadCollider( supSceneFile* file, const supJsonPlace* object, supSceneCollider* collider )
{
	static const char* const keys[] = { "name",     "shape",       "radius", "half_height", "half_extents", "file",
										"size",     "height",      "cells",  "motion",      "position",     "turn",
										"pitch",    "roll",        "mass",   "density",     "velocity",     "spin",
										"friction", "restitution", "path",   NULL };
	*collider = ( supSceneCollider ){ .radius = 0.1f,
									  .halfHeight = 0.1f,
									  .halfExtents = { 0.1f, 0.1f, 0.1f },
									  .size = 10.0f,
									  .height = 0.3f,
									  .cells = 32,
									  .density = 1000.0f,
									  .friction = 0.5f };
	int32_t shape = sup_scenePlane, motion = sup_colliderStill;
	bool ok = supJsonPlace_CheckKeys( object, keys ) && Require( object, "shape" ) &&
			  supJsonPlace_ReadText( object, "name", &file->arena, &collider->name ) &&
			  supJsonPlace_ReadWord( object, "shape", s_shapeNames, &shape ) &&
			  supJsonPlace_ReadWord( object, "motion", s_motions, &motion ) &&
			  supJsonPlace_ReadNumber( object, "radius", 1e-4f, FAR, &collider->radius ) &&
			  supJsonPlace_ReadNumber( object, "half_height", 0.0f, FAR, &collider->halfHeight ) &&
			  supJsonPlace_ReadVec3( object, "half_extents", &collider->halfExtents ) &&
			  supJsonPlace_ReadText( object, "file", &file->arena, &collider->file ) &&
			  supJsonPlace_ReadNumber( object, "size", 1e-3f, FAR, &collider->size ) &&
			  supJsonPlace_ReadNumber( object, "height", 0.0f, FAR, &collider->height ) &&
			  ReadWhole( object, "cells", 1, 1000, &collider->cells ) &&
			  supJsonPlace_ReadNumber( object, "mass", 0.0f, FAR, &collider->mass ) &&
			  supJsonPlace_ReadNumber( object, "density", 1e-3f, FAR, &collider->density ) &&
			  supJsonPlace_ReadVec3( object, "velocity", &collider->velocity ) &&
			  supJsonPlace_ReadVec3( object, "spin", &collider->spin ) &&
			  supJsonPlace_ReadNumber( object, "friction", 0.0f, 100.0f, &collider->friction ) &&
			  supJsonPlace_ReadNumber( object, "restitution", 0.0f, 1.0f, &collider->restitution ) &&
			  ReadStand( object, "position", &collider->stand );
	collider->shape = (supSceneShape)shape;
	collider->motion = (supColliderMotion)motion;
	bool needsFile = shape == sup_sceneHull || shape == sup_sceneMesh;
	if ( ok && needsFile != ( collider->file != NULL ) )
	{
		return supJsonPlace_Refuse( object, "\"file\" is required for hulls and meshes, and for no other shape" );
	}
	return ok && ReadColliderPath( file, object, collider );
}

static bool ReadColliders( supSceneFile* file, const supJsonPlace* root )
{
	if ( CountItems( root, "colliders", MOST_ACTORS, &file->colliderCount ) == false )
	{
		return false;
	}
	supJsonPlace array = supJsonPlace_Get( root, "colliders" );
	file->colliders = supArena_AllocArray( &file->arena, (size_t)file->colliderCount, sizeof( supSceneCollider ) );
	if ( file->colliders == NULL )
	{
		return supSetMemoryError( root->error );
	}
	for ( int32_t i = 0; i < file->colliderCount; ++i )
	{
		supJsonPlace place = supJsonPlace_At( &array, (size_t)i );
		if ( ReadCollider( file, &place, file->colliders + i ) == false )
		{
			return false;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool ReadAll( supSceneFile* file, const supJsonPlace* root )
{
	static const char* const keys[] = {
		"$schema",        "supple_scene",   "name",           "duration",    "fps",   "substeps",
		"gravity",        "wind",           "actors",         "attachments", "drags", "colliders",
		"contact_passes", "contact_sweeps", "recovery_speed", "detection",   NULL
	};
	int32_t version = 0;
	if ( supJsonPlace_CheckKeys( root, keys ) == false || Require( root, "supple_scene" ) == false ||
		 ReadWhole( root, "supple_scene", 1, INT_MAX - 1, &version ) == false )
	{
		return false;
	}
	if ( version != SCENE_FILE_VERSION )
	{
		supJsonPlace place = supJsonPlace_Get( root, "supple_scene" );
		return supJsonPlace_Refuse( &place, "unknown version %d; this program reads version %d", version,
									SCENE_FILE_VERSION );
	}
	file->duration = 4.0f;
	file->framesPerSecond = 30.0f;
	file->substeps = 1;
	file->gravity = supMakeVec3( 0.0f, -9.81f, 0.0f );
	supSceneDef def = supDefaultSceneDef();
	file->contactPasses = def.contactPasses;
	file->contactSweeps = def.contactSweeps;
	file->recoverySpeed = def.recoverySpeed;
	int32_t detection = (int32_t)def.detection;
	bool ok = supJsonPlace_ReadWord( root, "detection", s_detections, &detection );
	file->detection = (supDetection)detection;
	return ok && supJsonPlace_ReadText( root, "name", &file->arena, &file->name ) &&
		   supJsonPlace_ReadNumber( root, "duration", 0.0f, 36000.0f, &file->duration ) &&
		   supJsonPlace_ReadNumber( root, "fps", 1.0f, 1000.0f, &file->framesPerSecond ) &&
		   ReadWhole( root, "substeps", 1, 1000, &file->substeps ) &&
		   supJsonPlace_ReadVec3( root, "gravity", &file->gravity ) &&
		   supJsonPlace_ReadVec3( root, "wind", &file->wind ) &&
		   ReadWhole( root, "contact_passes", 1, 100, &file->contactPasses ) &&
		   ReadWhole( root, "contact_sweeps", 1, 1000, &file->contactSweeps ) &&
		   supJsonPlace_ReadNumber( root, "recovery_speed", 1e-3f, 1000.0f, &file->recoverySpeed ) &&
		   ReadActors( file, root ) && ReadAttachments( file, root ) && ReadDrags( file, root ) &&
		   ReadColliders( file, root );
}

bool supSceneFile_Parse( supSceneFile* file, const char* text, size_t length, const char* name, supError* error )
{
	supError own = { 0 };
	error = error != NULL ? error : &own;
	supClearError( error );
	json_t* tree = supParseStrictJson( text, length, name, error );
	if ( tree == NULL )
	{
		return false;
	}
	supJsonPlace root = { .value = tree, .file = name, .error = error };
	bool ok = ReadAll( file, &root );
	json_decref( tree );
	if ( ok == false )
	{
		supSceneFile_Destroy( file );
	}
	return ok;
}

bool supSceneFile_Load( supSceneFile* file, const char* path, supError* error )
{
	size_t byteCount = 0;
	uint8_t* bytes = supReadFile( path, &byteCount, error );
	bool ok = bytes != NULL && supSceneFile_Parse( file, (const char*)bytes, byteCount, path, error );
	supFree( bytes );
	return ok;
}

void supSceneFile_Destroy( supSceneFile* file )
{
	supArena_Destroy( &file->arena );
	*file = ( supSceneFile ){ 0 };
}
