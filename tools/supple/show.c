// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L // access
#include "show.h"

#include "io/common/file.h"
#include "report.h"
#include "show_colliders.h"
#include "show_recovery.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool IsSceneFile( const char* path )
{
	char extension[17];
	supGetExtension( path, extension );
	return strcmp( extension, ".json" ) == 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Opening

int MakeScenePath( const Show* show, const char* path, char** result )
{
	const char* slash = strrchr( show->path, '/' );
	bool builtin = strncmp( path, "builtin:", 8 ) == 0;
	int folder = path[0] == '/' || builtin || slash == NULL ? 0 : (int)( slash - show->path ) + 1;
	size_t size = (size_t)folder + strlen( path ) + 1;
	*result = supAllocSmall( size );
	if ( *result == NULL )
	{
		return ReportMemory();
	}
	snprintf( *result, size, "%.*s%s", folder, show->path, path );
	if ( builtin || GetCommonSettings()->allowOutside || access( *result, F_OK ) != 0 ||
		 supIsBelowFolder( show->path, *result ) )
	{
		return exit_ok;
	}
	Report( show->path, "'%s' is outside the scene's folder; use --allow-outside to permit this", path );
	supFree( *result );
	*result = NULL;
	return exit_data;
}

static bool IsSame( const char* a, const char* b )
{
	return a == b || ( a != NULL && b != NULL && strcmp( a, b ) == 0 );
}

static bool MakeProp( const supSceneProp* def, supProp* prop )
{
	float size = def->size;
	float cell = size / (float)def->segments;
	supLattice cube = { .nx = def->segments,
						.ny = def->segments,
						.nz = def->segments,
						.origin = { -0.5f * size, 0.0f, -0.5f * size },
						.x = { cell, 0.0f, 0.0f },
						.y = { 0.0f, cell, 0.0f },
						.z = { 0.0f, 0.0f, cell } };
	bool ok = true;
	switch ( def->kind )
	{
		case sup_propCube:
			ok = supProp_AddLattice( prop, &cube );
			break;
		case sup_propWall:
			ok = supProp_AddCubeWall( prop, def->columns, def->rows, size );
			break;
		case sup_propRope:
			ok = supProp_AddRope( prop, def->from, def->to, def->thickness, def->segments );
			break;
		case sup_propTail:
			ok = supProp_AddTail( prop, def->from, def->to, def->thickness, def->endThickness, def->segments );
			break;
		case sup_propNet:
			ok = supProp_AddNet( prop, supVec3_zero, def->columns, def->rows, size, def->thickness );
			break;
		default:
			ok = supProp_AddBag( prop, supVec3_zero, def->extents, def->segments );
			break;
	}
	if ( ok && def->welded )
	{
		ok = supProp_Weld( prop );
	}
	return ok && supProp_Finish( prop );
}

static int OpenProp( Show* show, ShowBody* body )
{
	const supSceneActor* def = body->def;
	supError error = { 0 };
	if ( MakeProp( &def->prop, &body->prop ) == false )
	{
		return ReportMemory();
	}
	body->source.path = def->name;
	body->source.character = supProp_CreateCharacter( &body->prop, def->name, &error );
	if ( body->source.character == NULL )
	{
		return ReportError( show->path, &error );
	}
	int status = show->apart ? EnsureDocument( &body->source ) : exit_ok;
	if ( status != exit_ok )
	{
		return status;
	}
	supTetMesh tets = supProp_Tets( &body->prop );
	supFleshDef fleshDef = MakeFleshDef( &body->choice );
	fleshDef.tets = &tets;
	body->flesh = supBuildFlesh( body->source.character, &fleshDef, show->tasks, &error );
	return body->flesh != NULL ? exit_ok : ReportError( show->path, &error );
}

// What the actor says by its method or in its settings; the method of the command line where it says nothing.
static int ChooseBodyMethod( const Command* command, Show* show, const char* method, ShowBody* body )
{
	const supSceneActor* def = body->def;
	char named[64] = "";
	int status = exit_ok;
	if ( def->method == NULL && def->settings != NULL )
	{
		status = FindSettingsMethod( body->settingsPath, named );
	}
	else if ( def->method == NULL && def->settingsText != NULL )
	{
		status = FindSettingsTextMethod( def->settingsText, show->path, named );
	}
	if ( status != exit_ok )
	{
		return status;
	}
	const char* own = def->method != NULL ? def->method : named[0] != 0 ? named : NULL;
	status = ParseFleshChoice( own != NULL ? NULL : command, own != NULL ? own : method, &body->choice );
	return status == exit_usage && own != NULL ? exit_data : status;
}

static int OpenBody( const Command* command, Show* show, const char* method, ShowBody* body )
{
	const supSceneActor* def = body->def;
	int status = exit_ok;
	if ( def->file == NULL )
	{
		status = ParseFleshChoice( NULL, def->method != NULL ? def->method : "points", &body->choice );
		status = status == exit_ok ? OpenProp( show, body ) : status;
		return status == exit_usage ? exit_data : status;
	}
	status = MakeScenePath( show, def->file, &body->path );
	if ( status == exit_ok && def->settings != NULL )
	{
		status = MakeScenePath( show, def->settings, &body->settingsPath );
	}
	status = status == exit_ok ? ChooseBodyMethod( command, show, method, body ) : status;
	if ( status != exit_ok )
	{
		return status;
	}
	body->choice.settingsFile = body->settingsPath;
	body->choice.settingsText = def->settingsText;
	body->choice.settingsPlace = show->path;
	status = LoadSourceIn( body->path, def->unit, &body->source );
	// the document has a character of its own, so that it comes before the flesh
	status = status == exit_ok && show->apart ? EnsureDocument( &body->source ) : status;
	if ( status == exit_ok )
	{
		body->flesh = MakeFlesh( &body->choice, &body->source, show->tasks, &status );
	}
	return status;
}

// The body of an actor, opened where it is the first of its kind.
static int FindBody( const Command* command, Show* show, const char* method, const supSceneActor* def, int32_t* index )
{
	for ( int32_t i = 0; i < show->bodyCount && def->file != NULL && show->apart == false; ++i )
	{
		const supSceneActor* other = show->bodies[i].def;
		if ( IsSame( other->file, def->file ) && IsSame( other->method, def->method ) &&
			 IsSame( other->settings, def->settings ) && IsSame( other->settingsText, def->settingsText ) &&
			 IsSame( other->unit, def->unit ) )
		{
			*index = i;
			return exit_ok;
		}
	}
	*index = show->bodyCount;
	ShowBody* body = show->bodies + show->bodyCount++;
	body->def = def;
	return OpenBody( command, show, method, body );
}

// -1 if there is none.
static int32_t FindNodeCalled( const supCharacter* character, const char* name )
{
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		if ( strcmp( supCharacter_Node( character, i )->name, name ) == 0 )
		{
			return i;
		}
	}
	return -1;
}

static int CheckNodes( const Show* show, const supSceneActor* def, const supCharacter* character )
{
	for ( int32_t i = 0; i < def->turnCount + def->strengthCount; ++i )
	{
		const char* node = i < def->turnCount ? def->turns[i].node : def->strengths[i - def->turnCount].node;
		if ( FindNodeCalled( character, node ) < 0 )
		{
			Report( show->path, "the actor '%s' has no node '%s'", def->name, node );
			return exit_data;
		}
	}
	return exit_ok;
}

static int CheckValues( const Show* show, const supSceneActor* def, const ShowBody* body )
{
	supMethodId method = body->choice.method;
	for ( int32_t i = 0; i < def->valueCount; ++i )
	{
		const supSceneValue* value = def->values + i;
		int32_t index = supMethod_FindParameter( method, value->parameter );
		const supParameter* parameter = index >= 0 ? supMethod_Parameter( method, index ) : NULL;
		if ( parameter == NULL || parameter->live == false )
		{
			Report( show->path, "the actor '%s' has no live parameter '%s'; 'supple methods %s' lists them", def->name,
					value->parameter, supFlesh_MethodName( body->flesh ) );
			return exit_data;
		}
		if ( value->value < parameter->minimum || value->value > parameter->maximum )
		{
			Report( show->path, "the actor '%s': %s must be from %g to %g, not %g", def->name, value->parameter,
					(double)parameter->minimum, (double)parameter->maximum, (double)value->value );
			return exit_data;
		}
	}
	return exit_ok;
}

static int OpenActor( const Command* command, Show* show, const char* method, const supSceneActor* def )
{
	ShowActor* actor = show->actors + show->actorCount++;
	actor->def = def;
	int status = FindBody( command, show, method, def, &actor->body );
	if ( status != exit_ok )
	{
		Note( "that is the actor '%s' in %s", def->name, show->path );
		return status;
	}
	ShowBody* body = show->bodies + actor->body;
	ClipSettings clip = { .clip = def->clip, .motionClip = def->motionClip };
	if ( def->motion != NULL )
	{
		status = MakeScenePath( show, def->motion, &actor->motionPath );
		clip.motion = actor->motionPath;
		if ( status != exit_ok )
		{
			return status;
		}
	}
	if ( def->file != NULL )
	{
		// a soft prop made of a mesh: nothing is missing where it plays no clip
		const supCharacter* character = body->source.character;
		clip.rest =
			def->clip == NULL && supCharacter_SkinCount( character ) == 0 && supCharacter_ClipCount( character ) == 0;
		status = ChooseClip( &clip, &body->source, &actor->clip );
		if ( status != exit_ok )
		{
			Note( "that is the actor '%s' in %s", def->name, show->path );
			return status;
		}
	}
	supError error = { 0 };
	status = CheckNodes( show, def, body->source.character );
	status = status == exit_ok ? CheckValues( show, def, body ) : status;
	status = status == exit_ok ? CheckRecovery( show, def, body ) : status;
	actor->actor = status == exit_ok ? supScene_AddActor( show->scene, body->flesh, &error ) : NULL;
	if ( actor->actor != NULL && supActor_SetContact( actor->actor, &def->contact, &error ) == false )
	{
		return ReportError( show->path, &error );
	}
	return status == exit_ok && actor->actor == NULL ? ReportError( show->path, &error ) : status;
}

static bool Allocate( Show* show )
{
	size_t count = (size_t)show->file.actorCount;
	show->bodies = supAllocZeroed( count * sizeof( ShowBody ) );
	show->actors = supAllocZeroed( count * sizeof( ShowActor ) );
	show->drags = supAllocZeroed( (size_t)show->file.dragCount * sizeof( supDragId ) );
	return show->bodies != NULL && show->actors != NULL && show->drags != NULL;
}

int OpenShow( const Command* command, const char* path, const char* method, int32_t substeps, bool apart,
			  const supTasks* tasks, Show* show )
{
	*show = ( Show ){ .path = path, .apart = apart, .tasks = tasks };
	supError error = { 0 };
	if ( supSceneFile_Load( &show->file, path, &error ) == false )
	{
		return ReportError( path, &error );
	}
	supSceneDef def = supDefaultSceneDef();
	def.substeps = substeps > 0 ? substeps : show->file.substeps;
	def.gravity = show->file.gravity;
	def.wind = show->file.wind;
	def.contactPasses = show->file.contactPasses;
	def.contactSweeps = show->file.contactSweeps;
	def.recoverySpeed = show->file.recoverySpeed;
	def.detection = show->file.detection;
	def.tasks = tasks;
	show->scene = supCreateScene( &def, &error );
	if ( show->scene == NULL || Allocate( show ) == false )
	{
		return ReportMemory();
	}
	int status = exit_ok;
	for ( int32_t i = 0; i < show->file.actorCount && status == exit_ok; ++i )
	{
		status = OpenActor( command, show, method, show->file.actors + i );
	}
	return status == exit_ok && show->file.colliderCount > 0 ? OpenColliders( show ) : status;
}

void CloseShow( Show* show )
{
	supDestroyScene( show->scene );
	CloseColliders( show );
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		FreeClipChoice( &show->actors[i].clip );
		supFree( show->actors[i].motionPath );
	}
	for ( int32_t i = 0; i < show->bodyCount; ++i )
	{
		ShowBody* body = show->bodies + i;
		supDestroyFlesh( body->flesh );
		FreeSource( &body->source );
		supProp_Destroy( &body->prop );
		supFree( body->path );
		supFree( body->settingsPath );
	}
	supFree( show->bodies );
	supFree( show->actors );
	supFree( show->attachments );
	supFree( show->drags );
	supSceneFile_Destroy( &show->file );
}

// ---------------------------------------------------------------------------------------------------------------------
// Poses

static float ClipTime( const ShowActor* actor, float time )
{
	const supClip* clip = actor->clip.clip;
	float t = clip->start + actor->def->start + time * actor->def->speed;
	float duration = clip->end - clip->start;
	if ( actor->def->loop == false || duration <= 0.0f )
	{
		return supClampFloat( t, clip->start, clip->end );
	}
	float turns = ( t - clip->start ) / duration;
	return t - duration * floorf( turns );
}

static supVec3 KeyAt( const supSceneKey* keys, int32_t count, float time )
{
	int32_t next = 0;
	while ( next < count && keys[next].time <= time )
	{
		next += 1;
	}
	if ( next == 0 || next == count )
	{
		return count > 0 ? keys[next == 0 ? 0 : next - 1].position : supVec3_zero;
	}
	const supSceneKey* a = keys + next - 1;
	const supSceneKey* b = keys + next;
	return supLerp( a->position, b->position, ( time - a->time ) / ( b->time - a->time ) );
}

static void TurnNodes( const ShowActor* actor, float time, supPose* pose )
{
	const supCharacter* character = supPose_Character( pose );
	for ( int32_t i = 0; i < actor->def->turnCount; ++i )
	{
		const supSceneTurn* turn = actor->def->turns + i;
		supVec3 angles = supScale( SUP_PI / 180.0f, KeyAt( turn->keys, turn->keyCount, time ) );
		supQuat x = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.0f, 0.0f ), angles.x );
		supQuat y = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), angles.y );
		supQuat z = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), angles.z );
		int32_t node = FindNodeCalled( character, turn->node );
		supTransform local = supPose_GetLocal( pose, node );
		local.rotation = supMulQuat( supMulQuat( z, supMulQuat( y, x ) ), local.rotation );
		supPose_SetLocal( pose, node, local );
	}
}

// Where the actor stands is put before its roots.
static void PlacePose( const supSceneActor* def, float time, supPose* pose )
{
	const supCharacter* character = supPose_Character( pose );
	supVec3 place = supAdd( def->position, KeyAt( def->path, def->pathCount, time ) );
	supQuat turn = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), def->turn * SUP_PI / 180.0f );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		if ( supCharacter_Node( character, i )->parent < 0 )
		{
			supTransform local = supPose_GetLocal( pose, i );
			local.translation = supAdd( place, supRotate( turn, local.translation ) );
			local.rotation = supMulQuat( turn, local.rotation );
			supPose_SetLocal( pose, i, local );
		}
	}
}

static void SetPoses( Show* show )
{
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		ShowActor* actor = show->actors + i;
		supPose* pose = supActor_Pose( actor->actor );
		supPose_SetRest( pose );
		if ( actor->clip.clip != NULL )
		{
			supPose_ApplyClip( pose, actor->clip.clip, ClipTime( actor, show->time ) );
		}
		TurnNodes( actor, show->time, pose );
		PlacePose( actor->def, show->time, pose );
	}
}

// The value of the parameter of this key, where it is the one that counts: the last before now.
static bool FindValue( const supSceneActor* def, int32_t key, float time, float* result )
{
	const supSceneValue* a = def->values + key;
	if ( a->time > time )
	{
		return false;
	}
	*result = a->value;
	for ( int32_t i = key + 1; i < def->valueCount; ++i )
	{
		const supSceneValue* b = def->values + i;
		if ( strcmp( a->parameter, b->parameter ) == 0 )
		{
			*result = a->value + ( b->value - a->value ) * ( time - a->time ) / ( b->time - a->time );
			return b->time > time;
		}
	}
	return true;
}

static void SetValues( Show* show )
{
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		ShowActor* actor = show->actors + i;
		const ShowBody* body = show->bodies + actor->body;
		for ( int32_t k = 0; k < actor->def->valueCount; ++k )
		{
			const supSceneValue* key = actor->def->values + k;
			int32_t parameter = supMethod_FindParameter( body->choice.method, key->parameter );
			float value = 0.0f;
			if ( FindValue( actor->def, k, show->time, &value ) )
			{
				supActor_SetParameter( actor->actor, parameter, value );
			}
		}
		for ( int32_t k = 0; k < actor->def->strengthCount; ++k )
		{
			const supSceneStrength* strength = actor->def->strengths + k;
			int32_t node = FindNodeCalled( supFlesh_Character( body->flesh ), strength->node );
			float value = KeyAt( strength->keys, strength->keyCount, show->time ).x;
			supActor_SetJointStrength( actor->actor, node, strength->below, value );
		}
	}
}

// The values from the method, for a restart.
static void ResetValues( Show* show )
{
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		ShowActor* actor = show->actors + i;
		const ShowBody* body = show->bodies + actor->body;
		for ( int32_t k = 0; k < actor->def->valueCount; ++k )
		{
			int32_t parameter = supMethod_FindParameter( body->choice.method, actor->def->values[k].parameter );
			supActor_SetParameter( actor->actor, parameter, supFlesh_Parameter( body->flesh, parameter ) );
		}
	}
	SetValues( show );
}

// ---------------------------------------------------------------------------------------------------------------------
// Attachments

static supPlace OnPoint( const Show* show, int32_t actor, int32_t point )
{
	return ( supPlace ){ .kind = sup_placeSurface,
						 .actor = show->actors[actor].actor,
						 .point = { .vertices = { point, point, point }, .weights = { 1.0f } } };
}

static const supProp* PropOf( const Show* show, int32_t actor )
{
	return &show->bodies[show->actors[actor].body].prop;
}

static int FindNode( const Show* show, const supSceneSpot* spot, int32_t* node )
{
	*node = FindNodeCalled( show->bodies[show->actors[spot->actor].body].source.character, spot->node );
	if ( *node >= 0 )
	{
		return exit_ok;
	}
	Report( show->path, "the actor '%s' has no node '%s'", show->actors[spot->actor].def->name, spot->node );
	return exit_data;
}

static int MakePlace( const Show* show, const supSceneSpot* spot, supPlace* place )
{
	*place = ( supPlace ){ .kind = spot->kind, .position = spot->position, .radius = spot->radius };
	if ( spot->actor < 0 )
	{
		return exit_ok;
	}
	place->actor = show->actors[spot->actor].actor;
	if ( spot->kind == sup_placeNode )
	{
		return FindNode( show, spot, &place->node );
	}
	if ( spot->nail >= 0 )
	{
		const supProp* prop = PropOf( show, spot->actor );
		if ( spot->nail >= prop->nails.count )
		{
			Report( show->path, "the prop '%s' has no nail %d; it has %d", show->actors[spot->actor].def->name,
					spot->nail, prop->nails.count );
			return exit_data;
		}
		*place = OnPoint( show, spot->actor, prop->nails.data[spot->nail] );
		return exit_ok;
	}
	if ( spot->kind == sup_placeInside )
	{
		supVec3 p = spot->position;
		if ( supActor_FindInside( place->actor, p, place ) == false )
		{
			Report( show->path,
					"\"inside\": [%g, %g, %g] is not inside the actor '%s'; use \"near\" for a place on its skin",
					(double)p.x, (double)p.y, (double)p.z, show->actors[spot->actor].def->name );
			return exit_data;
		}
		return exit_ok;
	}
	if ( supActor_FindNearest( place->actor, spot->position, &place->point ) == false )
	{
		Report( show->path, "the actor '%s' has no surface", show->actors[spot->actor].def->name );
		return exit_data;
	}
	return exit_ok;
}

static supAttachmentDef MakeDef( const supSceneAttachment* def )
{
	static const supAttachmentKind kinds[] = { sup_attachmentJoin, sup_attachmentSlide,    sup_attachmentVelocity,
											   sup_attachmentLine, sup_attachmentTriangle, sup_attachmentJoin,
											   sup_attachmentJoin };
	supAttachmentDef result = supDefaultAttachmentDef();
	result.name = def->name;
	result.kind = kinds[def->kind];
	result.velocity = def->velocity;
	result.slack = def->slack;
	result.assembly = def->assembly;
	result.breakingForce = def->breakingForce;
	result.active = false;
	return result;
}

static int Attach( Show* show, const supAttachmentDef* def, ShowAttachment entry )
{
	supError error = { 0 };
	entry.attachment = supScene_Attach( show->scene, def, &error );
	if ( entry.attachment == NULL )
	{
		return ReportError( show->path, &error );
	}
	show->attachments[show->attachmentCount++] = entry;
	return exit_ok;
}

static int AttachSpots( Show* show, const supSceneAttachment* from )
{
	supAttachmentDef def = MakeDef( from );
	def.placeCount = from->spotCount;
	int status = exit_ok;
	for ( int32_t i = 0; i < from->spotCount && status == exit_ok; ++i )
	{
		status = MakePlace( show, from->spots + i, def.places + i );
	}
	return status == exit_ok ? Attach( show, &def, ( ShowAttachment ){ .def = from, .actor = -1 } ) : status;
}

static bool IsWithin( supBox box, supVec3 p )
{
	return p.x >= box.lower.x && p.y >= box.lower.y && p.z >= box.lower.z && p.x <= box.upper.x && p.y <= box.upper.y &&
		   p.z <= box.upper.z;
}

static int AttachProp( Show* show, const supSceneAttachment* from )
{
	const supProp* prop = PropOf( show, from->actor );
	supAttachmentDef def = MakeDef( from );
	def.placeCount = 2;
	int status = exit_ok;
	bool nails = from->kind == sup_sceneNails;
	int32_t count = nails ? prop->nails.count : prop->joints.count / 2;
	for ( int32_t i = 0; i < count && status == exit_ok; ++i )
	{
		ShowAttachment entry = { .def = from, .actor = nails ? from->actor : -1 };
		entry.point = nails ? prop->nails.data[i] : prop->joints.data[2 * i];
		def.places[0] = OnPoint( show, from->actor, entry.point );
		def.places[1] =
			nails ? ( supPlace ){ .kind = sup_placeWorld } : OnPoint( show, from->actor, prop->joints.data[2 * i + 1] );
		supVec3 start = supActor_Positions( show->actors[from->actor].actor, 0 )[entry.point];
		if ( IsWithin( from->within, start ) )
		{
			status = Attach( show, &def, entry );
		}
	}
	return status;
}

static bool ReserveAttachments( Show* show )
{
	size_t count = 0;
	for ( int32_t i = 0; i < show->file.attachmentCount; ++i )
	{
		const supSceneAttachment* def = show->file.attachments + i;
		bool isProp = def->kind == sup_sceneNails || def->kind == sup_sceneJoints;
		const supProp* prop = isProp ? PropOf( show, def->actor ) : NULL;
		count += isProp ? (size_t)( prop->nails.count + prop->joints.count / 2 ) : 1;
	}
	show->attachments = supAllocZeroed( count * sizeof( ShowAttachment ) );
	return show->attachments != NULL;
}

static void SwitchAttachments( Show* show )
{
	for ( int32_t i = 0; i < show->attachmentCount; ++i )
	{
		ShowAttachment* entry = show->attachments + i;
		bool wanted = show->time >= entry->def->from && show->time < entry->def->to;
		if ( wanted == supAttachment_IsActive( entry->attachment ) || supAttachment_IsBroken( entry->attachment ) )
		{
			continue;
		}
		if ( wanted && entry->actor >= 0 )
		{
			supVec3 place = supActor_Positions( show->actors[entry->actor].actor, 0 )[entry->point];
			supAttachment_SetPlace( entry->attachment, 1, place, NULL );
		}
		supAttachment_SetActive( entry->attachment, wanted );
	}
}

static void MovePlaces( Show* show )
{
	for ( int32_t i = 0; i < show->attachmentCount; ++i )
	{
		const supSceneAttachment* def = show->attachments[i].def;
		for ( int32_t k = 0; k < def->spotCount; ++k )
		{
			const supSceneSpot* spot = def->spots + k;
			if ( spot->pathCount > 0 )
			{
				supVec3 place = KeyAt( spot->path, spot->pathCount, show->time );
				supAttachment_SetPlace( show->attachments[i].attachment, k, place, NULL );
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Drags

static void MoveDrags( Show* show )
{
	for ( int32_t i = 0; i < show->file.dragCount; ++i )
	{
		const supSceneDrag* drag = show->file.drags + i;
		supActor* actor = show->actors[drag->actor].actor;
		bool wanted = show->time >= drag->keys[0].time && show->time <= drag->keys[drag->keyCount - 1].time;
		supSurfacePoint point;
		if ( wanted && show->drags[i] < 0 && supActor_FindNearest( actor, drag->near, &point ) )
		{
			supDragDef def = supDefaultDragDef( actor, &point );
			def.radius = drag->radius > 0.0f ? drag->radius : def.radius;
			def.frequency = drag->frequency;
			show->drags[i] = supActor_StartDrag( actor, &def );
		}
		else if ( wanted == false && show->drags[i] >= 0 )
		{
			supActor_EndDrag( actor, show->drags[i] );
			show->drags[i] = -1;
		}
		if ( show->drags[i] >= 0 )
		{
			supActor_MoveDrag( actor, show->drags[i], KeyAt( drag->keys, drag->keyCount, show->time ) );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------

int BeginShow( Show* show )
{
	for ( int32_t i = 0; i < show->attachmentCount; ++i )
	{
		supScene_Detach( show->scene, show->attachments[i].attachment );
	}
	for ( int32_t i = 0; i < show->file.dragCount; ++i )
	{
		if ( show->time > 0.0f && show->drags[i] >= 0 )
		{
			supActor_EndDrag( show->actors[show->file.drags[i].actor].actor, show->drags[i] );
		}
		show->drags[i] = -1;
	}
	supFree( show->attachments );
	show->attachments = NULL;
	show->attachmentCount = 0;
	show->time = 0.0f;
	show->mostContacts = 0;
	show->deepest = 0.0f;
	show->mostLeft = 0;
	BeginColliders( show );
	SetPoses( show );
	ResetValues( show );
	ResetRecovery( show );
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		supActor_Reset( show->actors[i].actor );
	}
	if ( ReserveAttachments( show ) == false )
	{
		return ReportMemory();
	}
	int status = exit_ok;
	for ( int32_t i = 0; i < show->file.attachmentCount && status == exit_ok; ++i )
	{
		const supSceneAttachment* def = show->file.attachments + i;
		bool isProp = def->kind == sup_sceneNails || def->kind == sup_sceneJoints;
		status = isProp ? AttachProp( show, def ) : AttachSpots( show, def );
	}
	return status;
}

void AdvanceShow( Show* show, float dt )
{
	SwitchAttachments( show );
	show->time += dt;
	MoveDrags( show );
	SetPoses( show );
	SetValues( show );
	AdvanceRecovery( show );
	MovePlaces( show );
	MoveColliders( show );
	supScene_Step( show->scene, dt );
	supContactStats contact = supScene_GetStats( show->scene ).contact;
	show->mostContacts = contact.contacts > show->mostContacts ? contact.contacts : show->mostContacts;
	show->deepest = supMaxFloat( show->deepest, contact.deepest );
	show->mostLeft = contact.left > show->mostLeft ? contact.left : show->mostLeft;
}

void NoteTrouble( const Show* show )
{
	supSceneStats stats = supScene_GetStats( show->scene );
	supTrouble trouble = stats.trouble;
	if ( stats.contact.jumps > 0 || stats.contact.repaired > 0 )
	{
		Note( "%lld times a collider was moved too far in a frame and was placed there; %lld times one was "
			  "too fast or non-finite and was corrected",
			  (long long)stats.contact.jumps, (long long)stats.contact.repaired );
	}
	if ( trouble.unstable > 0 )
	{
		Note( "%lld steps were too long for an explicit integrator and were skipped: use more substeps, "
			  "softer props, or integrator=implicit",
			  (long long)trouble.unstable );
	}
	if ( trouble.notFinite > 0 )
	{
		Note( "%lld non-finite values were repaired", (long long)trouble.notFinite );
	}
	if ( trouble.guarded > 0 )
	{
		Note( "flesh was blended toward plain skinning where it would have torn the skin (%s, summed over %lld steps)",
			  FormatPlural( trouble.guarded, "vertex", "vertices" ), (long long)stats.steps );
	}
}

static void IncludePoint( supVec3 p, supBox* box, supFraming* framing )
{
	*box = supBox_Include( *box, p );
	if ( framing != NULL )
	{
		supFraming_Include( framing, &p, 1, supVec3_zero );
	}
}

void MeasureShow( const Show* show, supBox* box, supFraming* framing )
{
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		const supActor* actor = show->actors[i].actor;
		const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
		for ( int32_t k = 0; k < supCharacter_InstanceCount( character ); ++k )
		{
			int32_t mesh = supCharacter_Instance( character, k )->mesh;
			const supVec3* p = supActor_Positions( actor, k );
			for ( int32_t v = 0; v < supCharacter_Mesh( character, mesh )->vertexCount; ++v )
			{
				IncludePoint( p[v], box, framing );
			}
		}
	}
	for ( int32_t i = 0; i < show->colliderCount; ++i )
	{
		const ShowCollider* collider = show->colliders + i;
		const supMesh* mesh = supCharacter_Mesh( collider->body, 0 );
		supVec3 at = supCollider_Position( collider->collider );
		supQuat turn = supCollider_Rotation( collider->collider );
		bool isProp = collider->def->shape != sup_scenePlane && collider->def->shape != sup_sceneTerrain;
		for ( int32_t v = 0; v < mesh->vertexCount && isProp; ++v )
		{
			IncludePoint( supAdd( at, supRotate( turn, mesh->positions[v] ) ), box, framing );
		}
	}
}
