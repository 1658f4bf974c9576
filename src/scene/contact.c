// SPDX-License-Identifier: MIT
#include "scene/contact_world.h"

#include "core/tasks.h"

// Of a character's largest extent.
#define THICKNESS_RATIO 0.003f

// How often finish looks again: while something is nearer than half a thickness, and beyond that only while something
// is inside.
#define ROUNDS 3
#define MOST_ROUNDS 24
#define FINISH_GAP_THICKNESSES 0.5f
#define INSIDE 1.0f

supContactSettings supDefaultContactSettings( void )
{
	return ( supContactSettings ){ .withColliders = true, .friction = 0.5f };
}

// ---------------------------------------------------------------------------------------------------------------------
// Actors

static void DestroyActorContact( struct supActorContact* contact )
{
	if ( contact != NULL )
	{
		supContactBinding_Release( contact->binding );
		supFree( contact->shifts );
		supFree( contact->start );
		supFree( contact->now );
		supFree( contact->marks );
		supFree( contact->touches );
		supFree( contact->found );
		supFree( contact->skinStart );
		supFree( contact->skinNow );
		supFree( contact->skinSeen );
		supFree( contact->heads );
		supFree( contact->within );
		supFree( contact->places );
		supFree( contact->crammed );
		supFree( contact );
	}
}

static float ExtentOf( const supActor* actor )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		for ( int32_t k = 0; k < actor->surfaces[i].vertexCount; ++k )
		{
			box = supBox_Include( box, actor->surfaces[i].positions[k] );
		}
	}
	supVec3 size = supBox_Size( box );
	return supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
}

// The skin is made for the first actor of a flesh that touches others.
static bool MakeSkin( supContactBinding* binding, const supTasks* tasks )
{
	if ( binding->skinVertices != NULL )
	{
		return true;
	}
	supContactSkin* skin = &binding->skin;
	if ( supContactSkin_Init( skin, binding->flesh->character, tasks, NULL ) == false )
	{
		return false;
	}
	binding->skinVertices = supAllocArray( (size_t)skin->vertexCount, sizeof( int32_t ) );
	if ( binding->skinVertices == NULL )
	{
		supContactSkin_Destroy( skin );
		*skin = ( supContactSkin ){ 0 };
		return false;
	}
	for ( int32_t i = 0; i < skin->vertexCount; ++i )
	{
		binding->skinVertices[i] = binding->instanceStarts[skin->instances[i]] + skin->sources[i];
	}
	return true;
}

static bool PrepareToTouch( const supActor* actor, struct supActorContact* contact )
{
	if ( supContactSettings_Touches( &contact->settings ) == false )
	{
		return true;
	}
	if ( MakeSkin( contact->binding, supScene_Tasks( actor->scene ) ) == false )
	{
		return false;
	}
	size_t count = (size_t)contact->binding->skin.vertexCount;
	contact->skinStart = supAllocZeroed( count * sizeof( supVec3 ) );
	contact->skinNow = supAllocZeroed( count * sizeof( supVec3 ) );
	contact->skinSeen = supAllocZeroed( count * sizeof( supVec3 ) );
	contact->heads = supAllocArray( (size_t)contact->binding->vertexCount, sizeof( int32_t ) );
	contact->within = supAllocZeroed( count * sizeof( const supActor* ) );
	bool ok = contact->skinStart != NULL && contact->skinNow != NULL && contact->skinSeen != NULL &&
			  contact->heads != NULL && contact->within != NULL;
	bool isCrammed = contact->particleCount > 0 && supCharacter_SkinCount( actor->flesh->character ) > 0 &&
					 actor->flesh->method->answerContacts == NULL;
	if ( ok && isCrammed )
	{
		contact->places = supAllocZeroed( 16 * (size_t)contact->particleCount );
		contact->crammed = supAllocZeroed( (size_t)contact->particleCount );
		ok = contact->places != NULL && contact->crammed != NULL;
	}
	return ok;
}

static struct supActorContact* CreateActorContact( supActor* actor, supContactBinding* binding )
{
	struct supActorContact* contact = supAllocZeroed( sizeof( struct supActorContact ) );
	if ( contact == NULL )
	{
		return NULL;
	}
	if ( binding != NULL )
	{
		binding->users += 1;
	}
	contact->binding = binding != NULL ? binding : supCreateContactBinding( actor );
	if ( contact->binding == NULL )
	{
		DestroyActorContact( contact );
		return NULL;
	}
	const supMethod* method = actor->flesh->method;
	bool hasParticles = method->getParticles != NULL && method->bindVertex != NULL;
	contact->particleCount = hasParticles ? method->getParticles( actor->flesh->own, actor->state ).count : 0;
	size_t count = (size_t)contact->binding->vertexCount;
	contact->shifts = supAllocZeroed( 16 * (size_t)contact->particleCount );
	contact->start = supAllocZeroed( count * sizeof( supVec3 ) );
	contact->now = supAllocZeroed( count * sizeof( supVec3 ) );
	contact->marks = supAllocZeroed( count * sizeof( int32_t ) );
	contact->touches = supAllocArray( count, sizeof( supTouch ) );
	contact->found = supAllocArray( count, sizeof( supContactFound ) );
	if ( contact->shifts == NULL || contact->start == NULL || contact->now == NULL || contact->marks == NULL ||
		 contact->touches == NULL || contact->found == NULL )
	{
		DestroyActorContact( contact );
		return NULL;
	}
	contact->settings = actor->contactSettings;
	if ( PrepareToTouch( actor, contact ) == false )
	{
		DestroyActorContact( contact );
		return NULL;
	}
	contact->thickness =
		contact->settings.thickness > 0.0f ? contact->settings.thickness : THICKNESS_RATIO * ExtentOf( actor );
	return contact;
}

// ---------------------------------------------------------------------------------------------------------------------
// Room

static void FreeRoom( const supContactWorld* world )
{
	supFree( world->set.rows );
	supFree( world->set.flesh );
	supFree( world->set.rigids );
	supFree( world->sources );
	supFree( world->answers );
	supFree( world->answerRows );
	supFree( world->parties );
	supFree( world->partyOfBody );
	supFree( world->list );
	supFree( world->bodies );
	supFree( world->boxes );
	supFree( world->touched );
	supFree( world->touchedOfCollider );
}

static bool ReserveRows( supContactWorld* world, int32_t vertexCount, int32_t actorCount, int32_t colliderCount )
{
	int64_t rows = (int64_t)vertexCount + (int64_t)ROWS_A_COLLIDER * colliderCount;
	rows = rows < INT32_MAX / 2 ? rows : INT32_MAX / 2;
	supContactWorld room = {
		.set = { .rows = supAllocArray( (size_t)rows, sizeof( supContactRow ) ),
				 .rowCapacity = (int32_t)rows,
				 .flesh = supAllocArray( (size_t)actorCount, sizeof( supContactFlesh ) ),
				 .rigids = supAllocArray( (size_t)colliderCount, sizeof( supRigid ) ) },
		.sources = supAllocArray( (size_t)rows, sizeof( RowSource ) ),
		.answers = supAllocArray( 2 * (size_t)rows, sizeof( supContactAnswer ) ),
		.answerRows = supAllocArray( 2 * (size_t)rows, sizeof( int32_t ) ),
		.parties = supAllocArray( (size_t)actorCount, sizeof( supContactParty ) ),
		.partyOfBody = supAllocArray( (size_t)actorCount, sizeof( int32_t ) ),
		.list = supAllocArray( (size_t)rows, sizeof( supContact ) ),
		.bodies = supAllocArray( (size_t)actorCount, sizeof( supActor* ) ),
		.boxes = supAllocArray( (size_t)colliderCount, sizeof( supBox ) ),
		.touched = supAllocArray( (size_t)colliderCount, sizeof( supContactRigid ) ),
		.touchedOfCollider = supAllocArray( (size_t)colliderCount, sizeof( int32_t ) ),
	};
	if ( room.set.rows == NULL || room.set.flesh == NULL || room.set.rigids == NULL || room.sources == NULL ||
		 room.answers == NULL || room.answerRows == NULL || room.parties == NULL || room.partyOfBody == NULL ||
		 room.list == NULL || room.bodies == NULL || room.boxes == NULL || room.touched == NULL ||
		 room.touchedOfCollider == NULL )
	{
		FreeRoom( &room );
		return false;
	}
	FreeRoom( world );
	world->set = room.set;
	world->sources = room.sources;
	world->answers = room.answers;
	world->answerRows = room.answerRows;
	world->parties = room.parties;
	world->partyOfBody = room.partyOfBody;
	world->list = room.list;
	world->listCount = 0;
	world->bodies = room.bodies;
	world->boxes = room.boxes;
	world->touched = room.touched;
	world->touchedOfCollider = room.touchedOfCollider;
	return true;
}

supContactWorld* supCreateContactWorld( void )
{
	return supAllocZeroed( sizeof( supContactWorld ) );
}

void supDestroyContactWorld( supContactWorld* world )
{
	if ( world == NULL )
	{
		return;
	}
	for ( int32_t i = 0; i < world->colliderCount; ++i )
	{
		supDestroyCollider( world->colliders[i] );
	}
	supContactWorld_DestroyDetector( world );
	supFree( world->colliders );
	FreeRoom( world );
	supFree( world );
}

bool supContactWorld_IsActive( const supContactWorld* world )
{
	bool isActive = world != NULL && world->colliderCount > 0;
	for ( int32_t i = 0; world != NULL && i < world->toucherCount; ++i )
	{
		isActive = isActive || world->touchers[i].actor != NULL;
	}
	return isActive;
}

bool supContactWorld_AddActor( supContactWorld* world, supActor* actor, supContactBinding* binding, supError* error )
{
	SUP_ASSERT( actor->contact == NULL );
	struct supActorContact* contact = CreateActorContact( actor, binding );
	if ( contact == NULL || ReserveRows( world, world->vertexCount + contact->binding->vertexCount,
										 world->actorCount + 1, world->colliderCount ) == false )
	{
		DestroyActorContact( contact );
		return supSetMemoryError( error );
	}
	actor->contact = contact;
	if ( supContactSettings_Touches( &contact->settings ) && supContactWorld_MakeDetector( world, actor ) == false )
	{
		actor->contact = NULL;
		DestroyActorContact( contact );
		return supSetMemoryError( error );
	}
	world->vertexCount += contact->binding->vertexCount;
	world->actorCount += 1;
	return true;
}

void supContactWorld_RemoveActor( supContactWorld* world, supActor* actor )
{
	if ( world != NULL && actor->contact != NULL )
	{
		world->vertexCount -= actor->contact->binding->vertexCount;
		world->actorCount -= 1;
		for ( int32_t i = 0; i < world->toucherCount; ++i )
		{
			Toucher* toucher = world->touchers + i;
			toucher->actor = toucher->actor == actor ? NULL : toucher->actor;
		}
		world->listCount = 0;
		DestroyActorContact( actor->contact );
		actor->contact = NULL;
	}
}

bool supContactWorld_AddCollider( supContactWorld* world, supCollider* collider, supError* error )
{
	if ( world->colliderCount == world->colliderCapacity )
	{
		size_t capacity = 2 * (size_t)world->colliderCapacity + 4;
		supCollider** colliders = supAllocArray( capacity, sizeof( supCollider* ) );
		if ( colliders == NULL )
		{
			return supSetMemoryError( error );
		}
		for ( int32_t i = 0; i < world->colliderCount; ++i )
		{
			colliders[i] = world->colliders[i];
		}
		supFree( world->colliders );
		world->colliders = colliders;
		world->colliderCapacity = (int32_t)capacity;
	}
	if ( ReserveRows( world, world->vertexCount, world->actorCount, world->colliderCount + 1 ) == false )
	{
		return supSetMemoryError( error );
	}
	world->colliders[world->colliderCount++] = collider;
	return true;
}

void supContactWorld_RemoveCollider( supContactWorld* world, supCollider* collider )
{
	int32_t place = 0;
	while ( place < world->colliderCount && world->colliders[place] != collider )
	{
		place += 1;
	}
	SUP_ASSERT( place < world->colliderCount );
	world->colliderCount -= 1;
	memmove( world->colliders + place, world->colliders + place + 1,
			 (size_t)( world->colliderCount - place ) * sizeof( supCollider* ) );
	world->listCount = 0;
	supDestroyCollider( collider );
}

int32_t supContactWorld_ColliderCount( const supContactWorld* world )
{
	return world != NULL ? world->colliderCount : 0;
}

supCollider* supContactWorld_Collider( const supContactWorld* world, int32_t index )
{
	return world->colliders[index];
}

const supContact* supContactWorld_List( const supContactWorld* world, int32_t* count )
{
	*count = world != NULL ? world->listCount : 0;
	return world != NULL ? world->list : NULL;
}

float supActor_Penetration( const supActor* actor )
{
	return actor->contact != NULL ? actor->contact->deepest : 0.0f;
}

const supContactStats* supContactWorld_Stats( const supContactWorld* world )
{
	return &world->stats;
}

void supContactWorld_WakeUp( supContactWorld* world )
{
	for ( int32_t i = 0; world != NULL && i < world->colliderCount; ++i )
	{
		supCollider_WakeUp( world->colliders[i] );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Surfaces

static void WriteSurface( supActor* actor, supVec3* positions, const supTasks* tasks )
{
	const supFlesh* flesh = actor->flesh;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		supSkinOutput output = { .positions = positions + actor->contact->binding->instanceStarts[i] };
		flesh->method->writeSurface( flesh->own, actor->state, actor->stepPose, i, tasks, &output );
	}
}

static supBox BoxOf( const supVec3* positions, int32_t count )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < count; ++i )
	{
		box = supBox_Include( box, positions[i] );
	}
	return box;
}

typedef struct Run
{
	supContactWorld* world;
	const supContactStep* step;
	bool onlyNear;
} Run;

// Each actor by itself: on all threads at once, or one after another with all threads each.
static void RunActors( supContactWorld* world, const supContactStep* step, bool onlyNear, supRangeFcn* function )
{
	Run run = { world, step, onlyNear };
	if ( step->across )
	{
		supParallelFor( step->tasks, world->set.fleshCount, 1, function, &run );
	}
	else
	{
		function( 0, world->set.fleshCount, 0, &run );
	}
}

static void StartRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Run* run = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supActor* actor = run->world->bodies[i];
		struct supActorContact* contact = actor->contact;
		if ( run->step->weightBefore == 0.0f )
		{
			for ( int32_t k = 0; k < actor->surfaceCount; ++k )
			{
				memcpy( contact->start + contact->binding->instanceStarts[k], actor->surfaces[k].positions,
						(size_t)actor->surfaces[k].vertexCount * sizeof( supVec3 ) );
			}
		}
		else if ( contact->isFresh )
		{
			supVec3* positions = contact->start;
			contact->start = contact->now;
			contact->now = positions;
		}
		else
		{
			WriteSurface( actor, contact->start, run->step->across ? NULL : run->step->tasks );
		}
		contact->isFresh = false;
		contact->isNear = contact->isTouching = false;
		memset( contact->shifts, 0, 16 * (size_t)contact->particleCount );
	}
}

static void EvaluateRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Run* run = context;
	const supTasks* tasks = run->step->across ? NULL : run->step->tasks;
	for ( int32_t i = begin; i < end; ++i )
	{
		supActor* actor = run->world->bodies[i];
		const supMethod* method = actor->flesh->method;
		struct supActorContact* contact = actor->contact;
		supContactFlesh* flesh = run->world->set.flesh + i;
		if ( run->onlyNear && contact->isNear == false )
		{
			continue;
		}
		if ( method->frame != NULL )
		{
			method->frame( actor->flesh->own, actor->state, tasks );
		}
		WriteSurface( actor, contact->now, tasks );
		int32_t count = contact->binding->vertexCount;
		contact->box = supJoinBoxes( BoxOf( contact->start, count ), BoxOf( contact->now, count ) );
		contact->isFresh = true;
		*flesh = ( supContactFlesh ){ .shifts = contact->shifts, .massUnit = 1.0f };
		flesh->answers = contact->particleCount > 0 && actor->flesh->method->answerContacts != NULL;
		if ( contact->particleCount > 0 )
		{
			supParticles particles = method->getParticles( actor->flesh->own, actor->state );
			flesh->x = particles.x;
			flesh->v = particles.v;
			flesh->massUnit = particles.massUnit;
		}
	}
}

void supContactWorld_EvaluateSurfaces( supContactWorld* world, const supContactStep* step, bool onlyNear )
{
	RunActors( world, step, onlyNear, EvaluateRange );
}

// ---------------------------------------------------------------------------------------------------------------------
// Phases

static supBox SurfaceBox( const supActor* actor )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		supBox part = BoxOf( actor->surfaces[i].positions, actor->surfaces[i].vertexCount );
		box = actor->surfaces[i].vertexCount > 0 ? supJoinBoxes( box, part ) : box;
	}
	return box;
}

// An actor that is on the move wakes those it may touch.
static void WakeTouchers( supContactWorld* world )
{
	for ( int32_t i = 0; i < world->toucherCount; ++i )
	{
		supActor* actor = world->touchers[i].actor;
		if ( actor != NULL )
		{
			actor->contact->box = SurfaceBox( actor );
		}
	}
	for ( int32_t i = 0; i < world->toucherCount; ++i )
	{
		supActor* mover = world->touchers[i].actor;
		for ( int32_t k = 0; k < world->toucherCount && mover != NULL && mover->clock.stillTime == 0.0f; ++k )
		{
			supActor* other = world->touchers[k].actor;
			if ( other != NULL && other != mover &&
				 supBoxesMeet( mover->contact->box, other->contact->box, 10.0f * mover->contact->thickness ) )
			{
				supActor_WakeUp( other );
			}
		}
	}
}

// Moving objects wake anything they may touch in this step.
void supContactWorld_Begin( supContactWorld* world, supActor** actors, int32_t actorCount, float dt )
{
	for ( int32_t c = 0; c < world->colliderCount; ++c )
	{
		supCollider_Begin( world->colliders[c], &world->stats );
		world->boxes[c] = supCollider_SweptBox( world->colliders[c], dt );
	}
	for ( int32_t i = 0; i < actorCount; ++i )
	{
		supActor* actor = actors[i];
		if ( actor->contact == NULL || actor->contact->settings.withColliders == false )
		{
			continue;
		}
		supBox box = SurfaceBox( actor );
		for ( int32_t c = 0; c < world->colliderCount; ++c )
		{
			supCollider* collider = world->colliders[c];
			bool meets = supBoxesMeet( box, world->boxes[c], 3.0f * actor->contact->thickness );
			if ( meets && collider->moves )
			{
				supActor_WakeUp( actor );
			}
			if ( meets && actor->clock.stillTime == 0.0f && supCollider_IsAsleep( collider ) )
			{
				supCollider_WakeUp( collider );
			}
		}
	}
	WakeTouchers( world );
	supContactWorld_MeasureBones( world, dt );
	for ( int32_t c = 0; c < world->colliderCount; ++c )
	{
		for ( int32_t d = 0; d < world->colliderCount; ++d )
		{
			if ( c != d && world->colliders[d]->moves && supCollider_IsAsleep( world->colliders[c] ) &&
				 supBoxesMeet( world->boxes[c], world->boxes[d], 0.0f ) )
			{
				supCollider_WakeUp( world->colliders[c] );
			}
		}
	}
}

static bool HasDynamic( const supContactWorld* world )
{
	for ( int32_t c = 0; c < world->colliderCount; ++c )
	{
		if ( world->colliders[c]->motion == sup_colliderDynamic )
		{
			return true;
		}
	}
	return false;
}

void supContactWorld_Start( supContactWorld* world, const supContactStep* step )
{
	supContactSet* set = &world->set;
	bool hasDynamic = HasDynamic( world );
	set->fleshCount = 0;
	set->rowCount = 0;
	world->deepIsKnown = false;
	world->stats.left = 0;
	set->restSpeed = 2.0f * supLength( step->gravity ) * step->dt;
	for ( int32_t i = 0; i < step->actorCount; ++i )
	{
		struct supActorContact* contact = step->actors[i]->contact;
		if ( contact == NULL )
		{
			continue;
		}
		contact->deepest = 0.0f;
		// what only follows bones has nothing to do with what cannot be moved either
		bool isOn = supContactSettings_Touches( &contact->settings ) ||
					( contact->settings.withColliders && ( contact->particleCount > 0 || hasDynamic ) );
		if ( isOn )
		{
			contact->step = step->steps + i;
			supContactWorld_StartSettling( step->actors[i], step );
			world->bodies[set->fleshCount++] = step->actors[i];
		}
	}
	set->rigidCount = world->colliderCount;
	for ( int32_t c = 0; c < world->colliderCount; ++c )
	{
		const supCollider* collider = world->colliders[c];
		supRigid* rigid = set->rigids + c;
		supCollider_Predict( collider, rigid, step->weightBefore, step->weight, step->gravity, step->dt );
		world->boxes[c] = supJoinBoxes( supShape_WorldBox( &collider->shape, &rigid->start ),
										supShape_WorldBox( &collider->shape, &rigid->end ) );
	}
	RunActors( world, step, false, StartRange );
}

void supContactWorld_Detect( supContactWorld* world, const supContactStep* step )
{
	supContactWorld_EvaluateSurfaces( world, step, false );
	supContactWorld_FindRows( world, step );
	supContactWorld_FindSkinRows( world, step );
	supContactWorld_FindRigidRows( world, step );
}

// Methods may have moved their particles elsewhere.
static void GetParticlesAgain( supContactWorld* world )
{
	for ( int32_t i = 0; i < world->set.fleshCount; ++i )
	{
		supActor* actor = world->bodies[i];
		if ( actor->contact->particleCount > 0 )
		{
			supParticles particles = actor->flesh->method->getParticles( actor->flesh->own, actor->state );
			world->set.flesh[i].x = particles.x;
			world->set.flesh[i].v = particles.v;
		}
	}
}

static void Sweep( supContactWorld* world, const supContactStep* step )
{
	supContactSet_BeginSweeps( &world->set );
	for ( int32_t i = 0; i < step->sweeps; ++i )
	{
		supContactSet_Sweep( &world->set, step->dt );
	}
}

void supContactWorld_Sweep( supContactWorld* world, const supContactStep* step )
{
	if ( world->set.rowCount == 0 )
	{
		return;
	}
	GetParticlesAgain( world );
	supContactWorld_BeginPushes( world );
	// methods that solve contacts themselves do it all at once
	if ( step->isLastPass )
	{
		supContactWorld_Answer( world, step );
	}
	Sweep( world, step );
	// after the last pass supContactWorld_Finish does this, on the surface that it evaluates anyhow
	if ( step->isLastPass == false && supContactWorld_MayTear( world ) )
	{
		supContactWorld_EvaluateSurfaces( world, step, true );
		supContactWorld_UndoTears( world, step->dt );
	}
}

static void TakeVelocities( supContactWorld* world, const supContactStep* step )
{
	supContactSet* set = &world->set;
	for ( int32_t i = 0; i < step->sweeps && set->rowCount > 0; ++i )
	{
		supContactSet_SweepVelocities( set, step->dt );
	}
	for ( int32_t i = 0; i < set->fleshCount; ++i )
	{
		const supContactFlesh* flesh = set->flesh + i;
		for ( int32_t k = 0; k < 4 * world->bodies[i]->contact->particleCount && flesh->v != NULL; ++k )
		{
			flesh->v[k] -= flesh->shifts[k] / step->dt;
		}
	}
	for ( int32_t c = 0; c < world->colliderCount; ++c )
	{
		supRigid_Finish( set->rigids + c );
		supCollider_Take( world->colliders[c], set->rigids + c, &world->stats );
	}
}

// A row keeps in front of the face that its vertex came in by, also where the vertex has gone around an edge and is
// nearly out by another. What is open, or a mesh with hollows, is left by the way that leads in.
static float DepthInCollider( const supContactWorld* world, const RowSource* source, supVec3 vertex )
{
	const supShape* shape = &world->colliders[source->b]->shape;
	const supRigid* rigid = world->set.rigids + source->b;
	// between vertices a thickness is added to distances
	bool isVertex = supLengthSquared( source->aside ) == 0.0f;
	float slack = isVertex ? 0.0f : world->bodies[source->a]->contact->thickness;
	supVec3 place = supPlacement_ToLocal( &rigid->end, supAdd( vertex, source->aside ) );
	supShapeHit hit;
	bool isKnown = shape->kind != sup_shapeMesh && supShape_FindClosest( shape, place, INFINITY, &hit );
	return isKnown ? supMinFloat( -source->distance, supMaxFloat( 0.0f, -hit.distance - slack ) ) : -source->distance;
}

// How deep the vertex of a row is inside of what it touches. Rows of skins know the plane of one triangle, which says
// nothing any more where the vertex has slid past the triangle's edges since.
static float DepthOf( const supContactWorld* world, int32_t i )
{
	const RowSource* source = world->sources + i;
	bool isFlesh = source->kind == rowVertex || source->kind == rowSkin;
	if ( isFlesh == false || !( source->distance < 0.0f ) )
	{
		return supMaxFloat( 0.0f, -source->distance );
	}
	const struct supActorContact* a = world->bodies[source->a]->contact;
	supVec3 vertex = a->now[world->set.rows[i].vertex];
	if ( source->kind == rowVertex )
	{
		return DepthInCollider( world, source, vertex );
	}
	const struct supActorContact* b = world->bodies[source->b]->contact;
	return supContactSkin_FindDepth( &b->binding->skin, b->skinNow, source->hit.triangle, vertex );
}

static supContact Describe( const supContactWorld* world, int32_t i, float dt )
{
	const supContactRow* row = world->set.rows + i;
	const RowSource* source = world->sources + i;
	supContact contact = { .place = supContactSet_Place( &world->set, &row->a ),
						   .normal = row->normal,
						   .depth = source->distance < 0.0f ? DepthOf( world, i ) : -source->distance,
						   .force = row->push / ( dt * dt ),
						   .friction = supScale( 1.0f / ( dt * dt ), row->drag ),
						   .vertex = -1,
						   .otherActor = source->kind == rowSkin ? world->bodies[source->b] : NULL,
						   .otherCollider = source->kind == rowSkin ? NULL : world->colliders[source->b] };
	if ( source->kind == rowVertex || source->kind == rowSkin )
	{
		contact.actor = world->bodies[source->a];
		const supContactBinding* binding = contact.actor->contact->binding;
		contact.instance = supContactBinding_InstanceOf( binding, row->vertex );
		contact.vertex = row->vertex - binding->instanceStarts[contact.instance];
	}
	else
	{
		contact.collider = world->colliders[source->a];
	}
	return contact;
}

// Remaining depths, and the list of contacts.
static void Report( supContactWorld* world, float dt )
{
	world->listCount = 0;
	world->forceScale = 1.0f / ( dt * dt );
	world->stats.held = 0;
	world->stats.deepest = 0.0f;
	for ( int32_t i = 0; i < world->set.rowCount; ++i )
	{
		const supContactRow* row = world->set.rows + i;
		const RowSource* source = world->sources + i;
		bool isHeld = supContactSet_IsHeld( &world->set, row );
		world->stats.held += isHeld && source->distance < 0.0f;
		if ( isHeld == false && ( source->kind == rowVertex || source->kind == rowSkin ) )
		{
			float* deepest = &world->bodies[source->a]->contact->deepest;
			*deepest = -source->distance > *deepest ? supMaxFloat( *deepest, DepthOf( world, i ) ) : *deepest;
			world->stats.deepest = supMaxFloat( world->stats.deepest, *deepest );
		}
		if ( row->push > 0.0f )
		{
			world->list[world->listCount++] = Describe( world, i, dt );
		}
	}
	world->stats.contacts = world->listCount;
}

void supContactWorld_Finish( supContactWorld* world, const supContactStep* step )
{
	for ( int32_t round = 0;; ++round )
	{
		supContactWorld_EvaluateSurfaces( world, step, true );
		if ( supContactWorld_UndoTears( world, step->dt ) )
		{
			supContactWorld_EvaluateSurfaces( world, step, true );
		}
		float worst = supContactWorld_RefreshRows( world, step, round );
		if ( round == 0 )
		{
			// rows are aimed elsewhere from here on: what they have pushed cannot be undone any more
			supContactWorld_BeginPushes( world );
		}
		bool goOn = round < ROUNDS ? worst < -FINISH_GAP_THICKNESSES : worst < -INSIDE && round < MOST_ROUNDS;
		if ( goOn == false )
		{
			break;
		}
		supContactWorld_Answer( world, step );
		Sweep( world, step );
	}
	TakeVelocities( world, step );
	if ( supContactWorld_Settle( world, step ) )
	{
		supContactWorld_EvaluateSurfaces( world, step, true );
		supContactWorld_RefreshRows( world, step, 1 );
	}
	Report( world, step->dt );
}

void supContactWorld_End( supContactWorld* world, float dt, bool maySleep )
{
	for ( int32_t c = 0; c < world->colliderCount; ++c )
	{
		supCollider_End( world->colliders[c], dt, maySleep );
	}
}
