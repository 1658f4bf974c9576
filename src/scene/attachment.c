// SPDX-License-Identifier: MIT
// Attachments between bodies of any method.
//
// After all methods have solved for themselves, each attachment asks where its places will be and how far a force moves
// them, and applies the force that brings them together (src/attach/anchor.h). The places then meet to rounding, forces
// are equal and opposite. Where the method has a system of its own the rest of the body follows at once
// (supMethod.computeResponse), else with the next substep. Attachments that share particles, or a body that follows as
// a whole, disturb each other: they are met in turn, several times over.
#include "scene/attachment_system.h"

#include "attach/tie.h"
#include "core/core.h"
#include "math/matrix.h"

#define ATTACHMENT_COOKIE 0x41747461

supAttachmentDef supDefaultAttachmentDef( void )
{
	return ( supAttachmentDef ){ .active = true, .cookie = ATTACHMENT_COOKIE };
}

// ---------------------------------------------------------------------------------------------------------------------
// Making one

static bool CheckSurfacePoint( const supCharacter* character, const supSurfacePoint* point )
{
	if ( point->instance < 0 || point->instance >= supCharacter_InstanceCount( character ) )
	{
		return false;
	}
	int32_t mesh = supCharacter_Instance( character, point->instance )->mesh;
	int32_t vertexCount = supCharacter_Mesh( character, mesh )->vertexCount;
	bool ok = true;
	for ( int32_t i = 0; i < 3; ++i )
	{
		ok = ok && point->vertices[i] >= 0 && point->vertices[i] < vertexCount && point->weights[i] >= 0.0f;
	}
	return ok;
}

static bool CheckPlace( const char* name, int32_t index, const supPlace* place, supError* error )
{
	if ( place->kind == sup_placeWorld )
	{
		return supIsFiniteVec3( place->position ) ||
			   supSetError( error, sup_errorArgument, name, "place %d is not a number", index );
	}
	SUP_ASSERT( place->actor != NULL );
	const supCharacter* character = place->actor->flesh->character;
	if ( place->kind == sup_placeNode )
	{
		int32_t count = supCharacter_NodeCount( character );
		return ( place->node >= 0 && place->node < count ) ||
			   supSetError( error, sup_errorArgument, name, "place %d is on node %d of %d", index, place->node, count );
	}
	return CheckSurfacePoint( character, &place->point ) ||
		   supSetError( error, sup_errorArgument, name, "place %d is on no triangle of the surface", index );
}

static bool IsSamePlace( const supPlace* a, const supPlace* b )
{
	if ( a->kind != b->kind || a->actor != b->actor )
	{
		return false;
	}
	switch ( a->kind )
	{
		case sup_placeSurface:
			return memcmp( &a->point, &b->point, sizeof( supSurfacePoint ) ) == 0;
		case sup_placeNode:
			return a->node == b->node;
		default:
			return false;
	}
}

static bool CheckDef( const supAttachmentDef* def, const char* name, supError* error )
{
	int32_t least = def->kind == sup_attachmentVelocity ? 1 : 2;
	int32_t most = def->kind == sup_attachmentJoin ? SUP_MAX_ATTACHED_PLACES : least;
	if ( def->placeCount < least || def->placeCount > most )
	{
		return supSetError( error, sup_errorArgument, name, "%d places; this kind takes %d to %d", def->placeCount,
							least, most );
	}
	for ( int32_t i = 0; i < def->placeCount; ++i )
	{
		if ( CheckPlace( name, i, def->places + i, error ) == false )
		{
			return false;
		}
		for ( int32_t k = 0; k < i; ++k )
		{
			if ( IsSamePlace( def->places + i, def->places + k ) )
			{
				return supSetError( error, sup_errorArgument, name,
									"places %d and %d are the same: a place cannot be attached to itself", k, i );
			}
		}
	}
	if ( def->kind == sup_attachmentSlide && def->places[1].kind != sup_placeSurface )
	{
		return supSetError( error, sup_errorArgument, name, "the second place must be on a surface to slide on" );
	}
	if ( def->slack > 0.0f && ( def->kind != sup_attachmentJoin || def->placeCount != 2 ) )
	{
		return supSetError( error, sup_errorArgument, name, "slack is between two places that are joined" );
	}
	return ( def->slack >= 0.0f && def->assembly >= 0.0f && supIsFiniteVec3( def->velocity ) ) ||
		   supSetError( error, sup_errorArgument, name, "slack, assembly or velocity is negative or not a number" );
}

// Skin is not always where the particles say that carry it: thin parts lie outside of their tets. Seen from where it is
// drawn the particles say where it goes.
static void SeeFrom( const supActor* actor, supVec3 drawn, supGrab* grab )
{
	supParticles particles = actor->flesh->method->getParticles( actor->flesh->own, actor->state );
	const float* x = particles.x + 4 * (size_t)grab->particles[0];
	supVec3 place = supSub( supMakeVec3( x[0], x[1], x[2] ), grab->offsets[0] );
	supVec3 shift = supSub( place, drawn );
	for ( int32_t i = 0; i < grab->count; ++i )
	{
		grab->offsets[i] = supAdd( grab->offsets[i], shift );
	}
}

// - isDrawn: the surface is drawn as the particles are now
static void InitPlace( supHeldPlace* place, const supPlace* def, bool isDrawn )
{
	place->def = *def;
	place->before = place->now = def->position;
	if ( def->kind != sup_placeSurface )
	{
		return;
	}
	const supMethod* method = def->actor->flesh->method;
	supGrab grab;
	bool grabbed = method->getParticles != NULL && method->grab != NULL &&
				   method->grab( def->actor->flesh->own, def->actor->state, &def->point, def->radius, &grab );
	if ( grabbed )
	{
		place->moves = true;
		if ( isDrawn )
		{
			SeeFrom( def->actor, supActor_PointPosition( def->actor, &def->point ), &grab );
		}
		int32_t count = grab.count < SUP_MAX_ANCHOR ? grab.count : SUP_MAX_ANCHOR;
		place->anchor = supMakeAnchor( count, grab.particles, grab.weights, grab.offsets );
	}
}

// Room for the response of each place, as far as there may be any. False where out of memory.
static bool ReserveResponses( supAttachment* attachment )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace* place = attachment->places + i;
		supActor* actor = place->def.actor;
		const supMethod* method = place->moves ? actor->flesh->method : NULL;
		place->answers = method != NULL && method->computeResponse != NULL &&
						 method->computeResponse( actor->flesh->own, actor->state, NULL, 0, NULL, NULL, NULL );
		if ( place->answers == false || actor->roomCount >= SUP_MAX_RESPONSES )
		{
			continue;
		}
		place->columnCount = method->getParticles( actor->flesh->own, actor->state ).count;
		place->columns = supAllocArray( (size_t)place->columnCount, sizeof( supMat3 ) );
		if ( place->columns == NULL )
		{
			return false;
		}
		actor->roomCount += 1;
	}
	return true;
}

supAttachment* supCreateAttachment( const supAttachmentDef* def, supError* error )
{
	SUP_ASSERT( def->cookie == ATTACHMENT_COOKIE );
	supClearError( error );
	const char* name = def->name != NULL ? def->name : "attachment";
	if ( CheckDef( def, name, error ) == false )
	{
		return NULL;
	}
	supAttachment* attachment = supAllocZeroed( sizeof( supAttachment ) );
	if ( attachment == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	size_t length = strlen( name ) < sizeof( attachment->name ) ? strlen( name ) : sizeof( attachment->name ) - 1;
	memcpy( attachment->name, name, length );
	attachment->kind = def->kind;
	attachment->placeCount = def->placeCount;
	attachment->velocity = def->velocity;
	attachment->slack = def->slack;
	attachment->assembly = def->assembly;
	int32_t moving = 0;
	for ( int32_t i = 0; i < def->placeCount; ++i )
	{
		InitPlace( attachment->places + i, def->places + i, true );
		moving += attachment->places[i].moves;
	}
	if ( moving == 0 || ( def->kind == sup_attachmentVelocity && attachment->places[0].moves == false ) )
	{
		supSetError( error, sup_errorArgument, name,
					 "none of its places can be moved: world, bones and skinned surfaces go where they go" );
		supDestroyAttachment( attachment );
		return NULL;
	}
	if ( ReserveResponses( attachment ) == false )
	{
		supSetMemoryError( error );
		supDestroyAttachment( attachment );
		return NULL;
	}
	supAttachment_SetActive( attachment, def->active );
	return attachment;
}

void supDestroyAttachment( supAttachment* attachment )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace* place = attachment->places + i;
		if ( place->columns != NULL )
		{
			place->def.actor->roomCount -= 1;
		}
		supFree( place->columns );
	}
	supFree( attachment );
}

supAttachment* supAttachment_Next( const supAttachment* attachment )
{
	return attachment->next;
}

void supAttachment_SetNext( supAttachment* attachment, supAttachment* next )
{
	attachment->next = next;
}

bool supAttachment_Involves( const supAttachment* attachment, const supActor* actor )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		if ( attachment->places[i].def.actor == actor )
		{
			return true;
		}
	}
	return false;
}

// Places of the world are where they were told to be.
static void StayPut( supAttachment* attachment )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace* place = attachment->places + i;
		place->before = place->now = place->def.position;
	}
}

// Places of the world go where they were told to be over all substeps of a step.
static void MovePlaces( supAttachment* attachment, float weight )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace* place = attachment->places + i;
		place->now = weight < 1.0f ? supLerp( place->before, place->def.position, weight ) : place->def.position;
	}
}

void supAttachment_SetActive( supAttachment* attachment, bool active )
{
	attachment->fresh = attachment->fresh || ( active && attachment->active == false );
	attachment->active = active;
	StayPut( attachment );
	attachment->force = supVec3_zero;
	attachment->gap = 0.0f;
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		if ( attachment->places[i].def.actor != NULL )
		{
			supActor_WakeUp( attachment->places[i].def.actor );
		}
	}
}

void supWakeAttached( const supAttachment* first )
{
	for ( const supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		for ( int32_t i = 0; i < attachment->placeCount && attachment->active; ++i )
		{
			if ( attachment->places[i].def.actor != NULL )
			{
				supActor_WakeUp( attachment->places[i].def.actor );
				attachment->places[i].def.actor->isHeld = true;
			}
		}
	}
}

bool supAttachment_IsActive( const supAttachment* attachment )
{
	return attachment->active;
}

void supAttachment_SetPlace( supAttachment* attachment, int32_t place, supVec3 position )
{
	SUP_ASSERT( 0 <= place && place < attachment->placeCount );
	SUP_ASSERT( attachment->places[place].def.kind == sup_placeWorld && supIsFiniteVec3( position ) );
	attachment->places[place].def.position = position;
}

float supAttachment_Gap( const supAttachment* attachment )
{
	return attachment->gap;
}

supVec3 supAttachment_Force( const supAttachment* attachment )
{
	return attachment->force;
}

const char* supAttachment_Name( const supAttachment* attachment )
{
	return attachment->name;
}

// ---------------------------------------------------------------------------------------------------------------------
// Where places are

static supAnchorBody GetBody( const supActor* actor )
{
	supParticles particles = actor->flesh->method->getParticles( actor->flesh->own, actor->state );
	return ( supAnchorBody ){ particles.x, particles.v, particles.massUnit };
}

// One point of a surface that follows its skeleton, by linear blending.
static supVec3 SkinPoint( supPose* pose, const supSurfacePoint* point )
{
	const supCharacter* character = supPose_Character( pose );
	const supInstance* instance = supCharacter_Instance( character, point->instance );
	const supMesh* mesh = supCharacter_Mesh( character, instance->mesh );
	const supMat34* worlds = supPose_Worlds( pose );
	supVec3 place = supVec3_zero;
	for ( int32_t k = 0; k < 3; ++k )
	{
		int32_t vertex = point->vertices[k];
		supVec3 p = mesh->positions[vertex];
		supVec3 moved = supVec3_zero;
		if ( instance->skin < 0 || mesh->influences == 0 )
		{
			moved = supTransformPoint( worlds[instance->node], p );
		}
		else
		{
			const supMat34* palette = supPose_Palette( pose, point->instance );
			for ( int32_t i = 0; i < mesh->influences; ++i )
			{
				int32_t at = vertex * mesh->influences + i;
				moved = supMulAdd( moved, mesh->weights[at], supTransformPoint( palette[mesh->joints[at]], p ) );
			}
		}
		place = supMulAdd( place, point->weights[k], moved );
	}
	return place;
}

void supHeldPlace_Predict( supHeldPlace* place )
{
	supActor* actor = place->def.actor;
	if ( place->moves )
	{
		place->body = GetBody( actor );
		place->predicted = supAnchor_Predict( &place->anchor, &place->body );
	}
	else if ( place->def.kind == sup_placeWorld )
	{
		place->predicted = place->now;
	}
	else if ( place->def.kind == sup_placeNode )
	{
		place->predicted = supTransformPoint( supPose_Worlds( actor->stepPose )[place->def.node], place->def.position );
	}
	else
	{
		place->predicted = SkinPoint( actor->stepPose, &place->def.point );
	}
}

// How far a force moves it over the substep. Once a substep: what attachments do does not change it.
static void Comply( supHeldPlace* place, float dt, const supTasks* tasks )
{
	supActor* actor = place->def.actor;
	place->dt = dt;
	place->responds = false;
	float c = place->moves ? supAnchor_Compliance( &place->anchor, &place->body, dt ) : 0.0f;
	place->compliance = ( supMat3 ){ { c, 0.0f, 0.0f }, { 0.0f, c, 0.0f }, { 0.0f, 0.0f, c } };
	if ( place->moves && place->columns != NULL && actor->heldCount <= SUP_MAX_RESPONSES && c > 0.0f )
	{
		supSubstep step = *actor->step;
		step.tasks = tasks;
		place->responds =
			actor->flesh->method->computeResponse( actor->flesh->own, actor->state, &step, place->anchor.count,
												   place->anchor.particles, place->anchor.weights, place->columns );
	}
	if ( place->responds )
	{
		place->compliance = supAnchor_Gather( &place->anchor, place->columns );
	}
}

void supHeldPlace_Apply( supHeldPlace* place, supVec3 force )
{
	if ( place->responds )
	{
		supRespondAll( &place->body, place->columnCount, place->columns, force, place->dt );
	}
	else if ( place->moves )
	{
		supAnchor_Respond( &place->anchor, &place->body, force, place->dt );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Meeting

// What share of the gap is still allowed.
float supAttachment_LeftOver( const supAttachment* attachment )
{
	if ( attachment->assembly <= 0.0f || attachment->assembled >= attachment->assembly )
	{
		return 0.0f;
	}
	return 1.0f - attachment->assembled / attachment->assembly;
}

// The three questions, as ties ask them (src/attach/tie.h).
static supVec3 PredictPlace( void* body, int32_t point )
{
	const supHeldPlace* place = (const supHeldPlace*)body + point;
	return place->moves ? supAnchor_Predict( &place->anchor, &place->body ) : place->predicted;
}

static supMat3 CompliancePlace( void* body, int32_t point )
{
	return ( (const supHeldPlace*)body )[point].compliance;
}

// Particles that move each for itself are shared by no two places that are worth joining.
static supMat3 CrossPlaces( void* body, int32_t point, int32_t other )
{
	const supHeldPlace* place = (const supHeldPlace*)body + point;
	const supHeldPlace* pushed = (const supHeldPlace*)body + other;
	bool moves = place->moves && pushed->responds && place->def.actor == pushed->def.actor;
	return moves ? supAnchor_Gather( &place->anchor, pushed->columns )
				 : ( supMat3 ){ supVec3_zero, supVec3_zero, supVec3_zero };
}

static void RespondPlace( void* body, int32_t point, supVec3 force )
{
	supHeldPlace_Apply( (supHeldPlace*)body + point, force );
}

static const supTieCalls s_placeCalls = { PredictPlace, CompliancePlace, RespondPlace, CrossPlaces };

// Brings two places together, up to what is left of their gap. The force is on the first.
static supVec3 MeetPair( supAttachment* attachment, int32_t first, int32_t second, float left )
{
	supHeldPlace* places = attachment->places;
	supTie tie = { .kind = sup_tieJoint,
				   .pointCount = 2,
				   .points = { { &s_placeCalls, places, first }, { &s_placeCalls, places, second } },
				   .gap = supScale( left, supSub( places[second].gap, places[first].gap ) ) };
	supSolveTies( &tie, 1, 1 );
	return tie.force;
}

static int32_t FindFixed( const supAttachment* attachment )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		if ( supHeldPlace_Gives( attachment->places + i ) == false )
		{
			return i;
		}
	}
	return -1;
}

// No force on one of the places moves another one.
static bool AreIndependent( const supAttachment* attachment )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		for ( int32_t k = 0; k < i; ++k )
		{
			const supHeldPlace* a = attachment->places + i;
			if ( a->responds && a->def.actor == attachment->places[k].def.actor )
			{
				return false;
			}
		}
	}
	return true;
}

static void MeetJoin( supAttachment* attachment )
{
	float left = supAttachment_LeftOver( attachment );
	int32_t count = attachment->placeCount;
	int32_t fixed = FindFixed( attachment );
	supVec3 onFirst = supVec3_zero;
	bool atOnce = count > 2 && fixed < 0 && left == 0.0f && AreIndependent( attachment );
	if ( atOnce )
	{
		supTie tie = { .kind = sup_tieJoint, .pointCount = count };
		for ( int32_t i = 0; i < count; ++i )
		{
			tie.points[i] = ( supTiePoint ){ &s_placeCalls, attachment->places, i };
		}
		supSolveTies( &tie, 1, 1 );
		onFirst = tie.force;
	}
	// to the place that cannot be moved; or, while they are still apart or move each other, each to the first
	int32_t hub = fixed >= 0 ? fixed : 0;
	for ( int32_t i = 0; i < count && atOnce == false; ++i )
	{
		if ( i != hub )
		{
			supVec3 onHub = MeetPair( attachment, hub, i, left );
			onFirst = hub == 0 ? supAdd( onFirst, onHub ) : i == 0 ? supSub( onFirst, onHub ) : onFirst;
		}
	}
	attachment->force = supAdd( attachment->force, onFirst );
}

// A leash of length a pulls along itself as it is afterwards: gap = ( a + f C ) d with a unit vector d. Newton for
// 1/|d|, which is nearly straight in f, from f = 0; exact at once where C is a number.
static supVec3 FindLeashForce( supVec3 gap, float allowed, supMat3 c )
{
	float f = 0.0f;
	supVec3 d = supVec3_zero;
	for ( int32_t i = 0; i < 8; ++i )
	{
		supMat3 m = { supScale( f, c.cx ), supScale( f, c.cy ), supScale( f, c.cz ) }, inverse;
		m.cx.x += allowed;
		m.cy.y += allowed;
		m.cz.z += allowed;
		if ( supInvertMat3( m, &inverse ) == false )
		{
			return supVec3_zero;
		}
		d = supMulMV( inverse, gap );
		float length = supLength( d ), slope = supDot( d, supMulMV( inverse, supMulMV( c, d ) ) );
		if ( length <= 1.0f || slope <= 0.0f )
		{
			break;
		}
		f += length * length * ( length - 1.0f ) / slope;
	}
	return supScale( f, supNormalize( d ) );
}

supVec3 supAttachment_VelocityGoal( const supAttachment* attachment, float dt )
{
	return supMulAdd( attachment->slideStart, dt, attachment->velocity );
}

static void MeetVelocity( supAttachment* attachment, float dt )
{
	supHeldPlace* place = attachment->places;
	supMat3 inverse;
	if ( supInvertMat3( place->compliance, &inverse ) )
	{
		supVec3 gap = supSub( supAttachment_VelocityGoal( attachment, dt ), place->predicted );
		supVec3 force = supMulMV( inverse, gap );
		supHeldPlace_Apply( place, force );
		attachment->force = supAdd( attachment->force, force );
	}
}

// The nearest place on a surface as it is predicted: particles if it has any, else skinned.
static void FindSlide( supAttachment* attachment )
{
	supHeldPlace* on = attachment->places + 1;
	supActor* actor = on->def.actor;
	supSurfacePoint nearest = on->def.point;
	// the surface as drawn last: the place on it hardly moves within a substep, and where it goes is predicted below
	supActor_FindNearest( actor, attachment->places[0].predicted, &nearest );
	supPlace def = on->def;
	def.point = nearest;
	on->moves = false;
	InitPlace( on, &def, false );
	supHeldPlace_Predict( on );
}

static void TakeGaps( supAttachment* attachment )
{
	supVec3 first = attachment->places[0].predicted;
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		attachment->places[i].gap = supSub( attachment->places[i].predicted, first );
	}
	attachment->assembled = 0.0f;
}

static void ComplyAll( supAttachment* attachment, float dt, const supTasks* tasks )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		Comply( attachment->places + i, dt, tasks );
	}
	attachment->isComplied = true;
}

// Two places that pull only when they are too far apart; what a pull would do is asked for only then.
static void MeetLeash( supAttachment* attachment, float dt, const supTasks* tasks )
{
	supHeldPlace* places = attachment->places;
	supVec3 gap = supSub( places[1].predicted, places[0].predicted );
	float left = supAttachment_LeftOver( attachment );
	float allowed = attachment->slack + left * supDistance( places[1].gap, places[0].gap );
	if ( supLength( gap ) <= allowed )
	{
		return;
	}
	if ( attachment->isComplied == false )
	{
		ComplyAll( attachment, dt, tasks );
	}
	supMat3 c = supMulAddMat3( places[0].compliance, 1.0f, places[1].compliance );
	c = supMulAddMat3( c, -1.0f, CrossPlaces( places, 0, 1 ) );
	c = supMulAddMat3( c, -1.0f, CrossPlaces( places, 1, 0 ) );
	supVec3 force = FindLeashForce( gap, allowed, c );
	supHeldPlace_Apply( places, force );
	supHeldPlace_Apply( places + 1, supNeg( force ) );
	attachment->force = supAdd( attachment->force, force );
}

// Where its places are, and what of it depends on time.
static void Begin( supAttachment* attachment, float dt )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace_Predict( attachment->places + i );
	}
	if ( attachment->kind == sup_attachmentSlide )
	{
		FindSlide( attachment );
	}
	if ( attachment->kind == sup_attachmentVelocity )
	{
		// where it was: the surface is drawn at the end of each step, the substeps between go on from the goal
		const supPlace* def = &attachment->places[0].def;
		attachment->slideStart = attachment->fresh ? supActor_PointPosition( def->actor, &def->point )
												   : supAttachment_VelocityGoal( attachment, dt );
	}
	attachment->force = supVec3_zero;
	attachment->assembled += attachment->fresh ? 0.0f : dt;
	if ( attachment->fresh && attachment->kind == sup_attachmentJoin )
	{
		TakeGaps( attachment );
	}
	attachment->isComplied = false;
}

static void Meet( supAttachment* attachment, float dt, const supTasks* tasks )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace_Predict( attachment->places + i );
	}
	if ( attachment->slack > 0.0f )
	{
		MeetLeash( attachment, dt, tasks );
	}
	else if ( attachment->kind == sup_attachmentVelocity )
	{
		MeetVelocity( attachment, dt );
	}
	else
	{
		MeetJoin( attachment );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Conflicts: attachments that hold the same flesh undo each other's work

static bool SharesParticle( const supHeldPlace* a, const supHeldPlace* b )
{
	if ( a->moves == false || b->moves == false || a->def.actor != b->def.actor )
	{
		return false;
	}
	for ( int32_t i = 0; i < a->anchor.count; ++i )
	{
		for ( int32_t k = 0; k < b->anchor.count; ++k )
		{
			if ( a->anchor.particles[i] == b->anchor.particles[k] )
			{
				return true;
			}
		}
	}
	return false;
}

static bool IsInConflict( const supAttachment* a, const supAttachment* b )
{
	if ( a->isTogether && b->isTogether )
	{
		return false;
	}
	for ( int32_t i = 0; i < a->placeCount * b->placeCount; ++i )
	{
		if ( SharesParticle( a->places + i / b->placeCount, b->places + i % b->placeCount ) )
		{
			return true;
		}
	}
	return false;
}

// Tells of those that have just become active, the first pair by name.
static void TellConflicts( const supAttachment* first )
{
	const supAttachment* pair[2] = { NULL, NULL };
	int32_t count = 0;
	for ( const supAttachment* a = first; a != NULL && count < 2; a = a->next )
	{
		bool passed = false;
		for ( const supAttachment* b = first; b != NULL && a->active && a->fresh && count < 2; b = b->next )
		{
			passed = passed || b == a;
			// of two new ones the later tells
			bool isOther = b != a && b->active && ( b->fresh == false || passed == false );
			if ( isOther && IsInConflict( a, b ) )
			{
				pair[0] = count == 0 ? b : pair[0];
				pair[1] = count == 0 ? a : pair[1];
				count += 1;
			}
		}
	}
	if ( count > 0 )
	{
		supLog( sup_logWarning,
				"the attachments '%s' and '%s' hold the same flesh%s: they are met in turn, and no longer exactly",
				pair[0]->name, pair[1]->name, count > 1 ? ", and others likewise" : "" );
	}
}

// Which places of an actor are held. Either all of them are answered by its system or none: one without room is one too
// many.
static void FindHeld( supAttachment* first )
{
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		for ( int32_t i = 0; i < attachment->placeCount && attachment->active; ++i )
		{
			if ( attachment->places[i].def.actor != NULL )
			{
				attachment->places[i].def.actor->heldCount = 0;
			}
		}
	}
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		for ( int32_t i = 0; i < attachment->placeCount && attachment->active; ++i )
		{
			supHeldPlace* place = attachment->places + i;
			supActor* actor = place->def.actor;
			if ( place->moves && actor->heldCount < SUP_MAX_RESPONSES )
			{
				actor->held[actor->heldCount] = place;
			}
			bool hasNoRoom = place->answers && place->columns == NULL;
			if ( place->moves )
			{
				actor->heldCount += hasNoRoom ? SUP_MAX_RESPONSES + 1 : 1;
			}
		}
	}
}

void supMeetAttachments( supAttachment* first, int32_t sweeps, float weight, float dt, const supTasks* tasks )
{
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		MovePlaces( attachment, weight );
		if ( attachment->active )
		{
			Begin( attachment, dt );
		}
	}
	FindHeld( first );
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		if ( attachment->active && attachment->slack <= 0.0f )
		{
			ComplyAll( attachment, dt, tasks );
		}
	}
	bool anyTogether = supPrepareTogether( first );
	TellConflicts( first );
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		attachment->fresh = attachment->fresh && attachment->active == false;
	}
	for ( int32_t sweep = 0; sweep < sweeps; ++sweep )
	{
		for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
		{
			if ( attachment->active && attachment->isTogether == false )
			{
				Meet( attachment, dt, tasks );
			}
		}
		if ( anyTogether )
		{
			supMeetTogether( first, dt );
		}
	}
}

// Of one or two places: the force on the first is what the method says that it took, or the opposite on the second.
static void TakeForce( supAttachment* attachment )
{
	bool isKnown = false;
	for ( int32_t i = 0; i < attachment->placeCount && attachment->placeCount <= 2 && isKnown == false; ++i )
	{
		const supHeldPlace* place = attachment->places + i;
		const supActor* actor = place->def.actor;
		supVec3 force;
		isKnown = place->responds && actor->flesh->method->tellForce != NULL &&
				  actor->flesh->method->tellForce( actor->flesh->own, actor->state, place->anchor.count,
												   place->anchor.particles, place->anchor.weights, &force );
		if ( isKnown )
		{
			attachment->force = i == 0 ? force : supNeg( force );
		}
	}
}

void supMeasureAttachments( supAttachment* first )
{
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		if ( attachment->active )
		{
			TakeForce( attachment );
		}
		attachment->gap = 0.0f;
		StayPut( attachment );
		for ( int32_t i = 0; i < attachment->placeCount && attachment->active; ++i )
		{
			supHeldPlace_Predict( attachment->places + i );
			for ( int32_t k = 0; k < i; ++k )
			{
				float gap = supDistance( attachment->places[i].predicted, attachment->places[k].predicted );
				attachment->gap = supMaxFloat( attachment->gap, gap - attachment->slack );
			}
		}
	}
}
