// SPDX-License-Identifier: MIT
// Actors against each other and against themselves: vertices of one skin against triangles of another, as rows.
#include "scene/contact_world.h"

#include "core/tasks.h"

// In thicknesses. Contacts are found up to a gap of MARGIN. Until a vertex has moved by MAX_DRIFT they are not looked
// for again and those that were found are followed: two surfaces that were beyond the margin, and have each moved by no
// more than that, are still a thickness apart. Flesh that solves moves by one to two from where it was predicted.
#define MARGIN 5.0f
#define MAX_DRIFT 2.0f

// In thicknesses: deeper than the first behind a surface is not behind it. What began deeper than the second is left
// alone: flesh that is crumpled or was put through other flesh has no side, and pushing it either way would crumple it
// more.
#define DEPTH 6.0f
#define MAX_START_DEPTH 3.0f

// As far as this flesh that is to come to rest is looked for (contact_settle.c).
#define WIDE_MARGIN 8.0f

// Nor is anything held back that would go farther than this through the other surface in one substep: what bones take
// along so far would be torn off them.
#define MAX_CROSSING_THICKNESSES 14.0f

// Edges that are so many times as long or as short as at rest are crumpled. Bones that press flesh through flesh do
// that, and what is crumpled faces anywhere: to go by it would crumple more. Between actors, that is: of one that is
// pressed against itself both sides give way, and are squashed as much as bones leave too little room.
#define MAX_CRUMPLE_RATIO 2.5f

// Of contacts between two patches of a body, in which one is behind the other: so many too deep ones, and bones have
// put the two through each other.
#define TANGLED_CONTACT_RATIO 0.1f

// Where skin in a fold comes to rest, in thicknesses: in front of its bottom there is no room.
#define FOLD_GAP ( -0.5f )

// Mean number of particles of a row's triangle; there is room for as many rows as there are vertices.
#define TERMS_A_ROW 48

// Others that a patch may be tangled with, in the mean.
#define TANGLES_A_PATCH 8

// ---------------------------------------------------------------------------------------------------------------------
// Who touches

static void ReleaseTouchers( Toucher* touchers, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		supContactBinding_Release( touchers[i].binding );
	}
	supFree( touchers );
}

void supContactWorld_DestroyDetector( supContactWorld* world )
{
	supContactWorld_ForgetDeep( world );
	supDestroyDetector( world->detector );
	ReleaseTouchers( world->touchers, world->toucherCount );
	supFree( world->toucherBodies );
	supFree( world->termParticles );
	supFree( world->termWeights );
	supFree( world->termPlaces );
	supFree( world->deepHits );
	supFree( world->tangles );
	supDeepWork_Destroy( &world->deepWork );
	world->detector = NULL;
	world->touchers = NULL;
	world->toucherBodies = NULL;
	world->termParticles = NULL;
	world->termWeights = NULL;
	world->termPlaces = NULL;
	world->deepHits = NULL;
	world->tangles = NULL;
	world->toucherCount = world->termCapacity = world->deepCapacity = world->deepCount = 0;
	world->tangleCount = world->tangleCapacity = 0;
}

// Takes over a list of touchers, or leaves the world as it is.
static bool UseTouchers( supContactWorld* world, Toucher* touchers, int32_t count )
{
	const supContactSkin** skins = supAllocArray( (size_t)count, sizeof( supContactSkin* ) );
	supContactBody* bodies = supAllocArray( (size_t)count, sizeof( supContactBody ) );
	int64_t vertices = 0, patches = 0;
	int32_t particleCount = 0;
	for ( int32_t i = 0; i < count && skins != NULL; ++i )
	{
		skins[i] = &touchers[i].binding->skin;
		vertices += skins[i]->vertexCount;
		patches += skins[i]->patchCount;
		int32_t some = touchers[i].actor->contact->particleCount;
		particleCount = some > particleCount ? some : particleCount;
	}
	int64_t terms = TERMS_A_ROW * vertices < INT32_MAX / 2 ? TERMS_A_ROW * vertices : INT32_MAX / 2;
	int32_t* particles = supAllocArray( (size_t)terms, sizeof( int32_t ) );
	float* weights = supAllocArray( (size_t)terms, sizeof( float ) );
	int32_t* places = supAllocZeroed( (size_t)particleCount * sizeof( int32_t ) );
	supContactHit* deepHits = supAllocArray( (size_t)vertices, sizeof( supContactHit ) );
	Tangle* tangles = supAllocArray( TANGLES_A_PATCH * (size_t)patches, sizeof( Tangle ) );
	supDeepWork deepWork = { 0 };
	supDetector* detector = NULL;
	if ( skins != NULL && bodies != NULL && particles != NULL && weights != NULL && places != NULL &&
		 deepHits != NULL && tangles != NULL && supDeepWork_Init( &deepWork, skins, count ) )
	{
		detector = supCreateDetector( skins, count, 0, NULL );
	}
	supFree( skins );
	if ( detector == NULL )
	{
		supDeepWork_Destroy( &deepWork );
		supFree( deepHits );
		supFree( tangles );
		supFree( bodies );
		supFree( particles );
		supFree( weights );
		supFree( places );
		return false;
	}
	supContactWorld_DestroyDetector( world );
	world->toucherCount = count;
	world->touchers = touchers;
	world->toucherBodies = bodies;
	world->detector = detector;
	world->termCapacity = (int32_t)terms;
	world->termParticles = particles;
	world->termWeights = weights;
	world->termPlaces = places;
	world->deepWork = deepWork;
	world->deepHits = deepHits;
	world->deepCapacity = (int32_t)vertices;
	world->tangles = tangles;
	world->tangleCapacity = TANGLES_A_PATCH * (int32_t)patches;
	return true;
}

bool supContactWorld_MakeDetector( supContactWorld* world, supActor* added )
{
	Toucher* touchers = supAllocArray( (size_t)world->toucherCount + 1, sizeof( Toucher ) );
	int32_t count = 0;
	for ( int32_t i = 0; touchers != NULL && i <= world->toucherCount; ++i )
	{
		supActor* actor = i < world->toucherCount ? world->touchers[i].actor : added;
		if ( actor != NULL )
		{
			actor->contact->binding->users += 1;
			touchers[count++] = ( Toucher ){ .actor = actor, .binding = actor->contact->binding, .body = -1 };
		}
	}
	if ( touchers == NULL || UseTouchers( world, touchers, count ) == false )
	{
		ReleaseTouchers( touchers, count );
		return false;
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows

static void GatherSkin( struct supActorContact* contact )
{
	const supContactBinding* binding = contact->binding;
	for ( int32_t i = 0; i < binding->skin.vertexCount; ++i )
	{
		contact->skinNow[i] = contact->now[binding->skinVertices[i]];
		contact->skinStart[i] = contact->start[binding->skinVertices[i]];
	}
}

// How far the vertex has moved that has moved most since contacts were last looked for.
static float DriftOf( const struct supActorContact* contact )
{
	float most = 0.0f;
	for ( int32_t i = 0; i < contact->binding->skin.vertexCount; ++i )
	{
		most = supMaxFloat( most, supLengthSquared( supSub( contact->skinNow[i], contact->skinSeen[i] ) ) );
	}
	return sqrtf( most );
}

// Is another one within reach, or does it touch itself?
static bool IsWithinReach( const supContactWorld* world, int32_t index )
{
	const struct supActorContact* contact = world->touchers[index].actor->contact;
	bool found = contact->settings.withItself;
	for ( int32_t i = 0; i < world->toucherCount && found == false; ++i )
	{
		const Toucher* other = world->touchers + i;
		found = i != index && other->body >= 0 && contact->settings.withActors &&
				other->actor->contact->settings.withActors &&
				supBoxesMeet( contact->box, other->actor->contact->box, MARGIN * contact->thickness );
	}
	return found;
}

// The particles of a touched place: those of its three corners, each once. False where there is no room.
static bool MergeTerms( supContactWorld* world, const supContactSide corners[3], bool isPushed, const float bary[3],
						supContactTerms* merged )
{
	int32_t first = world->termCount;
	for ( int32_t k = 0; k < 3; ++k )
	{
		const supContactTerms* terms = isPushed ? &corners[k].pushed : &corners[k].place;
		for ( int32_t i = 0; i < terms->count; ++i )
		{
			int32_t particle = terms->particles[i], at = world->termPlaces[particle];
			bool isThere = at >= first && at < world->termCount && world->termParticles[at] == particle;
			if ( isThere == false )
			{
				at = world->termCount;
				if ( at == world->termCapacity )
				{
					world->termCount = first;
					return false;
				}
				world->termPlaces[particle] = at;
				world->termParticles[at] = particle;
				world->termWeights[at] = 0.0f;
				world->termCount += 1;
			}
			world->termWeights[at] += bary[k] * terms->weights[i];
		}
	}
	*merged = ( supContactTerms ){ world->termCount - first, world->termParticles + first, world->termWeights + first };
	return true;
}

static bool BindTriangle( supContactWorld* world, const supContactBinding* binding, const supContactHit* hit,
						  supContactSide* side )
{
	supContactSide corners[3];
	for ( int32_t k = 0; k < 3; ++k )
	{
		supContactBinding_Bind( binding, binding->skinVertices[hit->corners[k]], corners + k );
	}
	if ( MergeTerms( world, corners, false, hit->bary, &side->place ) == false )
	{
		return false;
	}
	side->pushed = side->place;
	return binding->isSpread == false || MergeTerms( world, corners, true, hit->bary, &side->pushed );
}

static supVec3 Mix( const supVec3* positions, const supContactHit* hit )
{
	supVec3 sum = supScale( hit->bary[0], positions[hit->corners[0]] );
	sum = supMulAdd( sum, hit->bary[1], positions[hit->corners[1]] );
	return supMulAdd( sum, hit->bary[2], positions[hit->corners[2]] );
}

// Where two surfaces come to rest in front of each other. Parts of one body that are that near at rest stay so.
static float TargetOf( const supContactWorld* world, const RowSource* source, float startGap,
					   const supContactStep* step )
{
	const struct supActorContact* a = world->bodies[source->a]->contact;
	const struct supActorContact* b = world->bodies[source->b]->contact;
	float thickness = supMaxFloat( a->thickness, b->thickness );
	float gap = source->hit.fold != 0 ? FOLD_GAP * thickness : thickness;
	return supMinFloat( gap, startGap + step->recoverySpeed * step->dt );
}

// How many times the edge of the triangle that has changed most is as long or as short as at rest.
static float StretchOf( const struct supActorContact* contact, int32_t triangle )
{
	const supContactSkin* skin = &contact->binding->skin;
	const int32_t* corners = skin->corners + 3 * (size_t)triangle;
	float most = 1.0f;
	for ( int32_t k = 0; k < 3; ++k )
	{
		int32_t i = corners[k], j = corners[( k + 1 ) % 3];
		float rest = supDistance( skin->rest[i], skin->rest[j] );
		float now = supDistance( contact->skinNow[i], contact->skinNow[j] );
		most = supMaxFloat( most, supMaxFloat( now / rest, rest / now ) );
	}
	return most;
}

// From where the surfaces are now; the touched particles stay.
static void AimRow( supContactWorld* world, int32_t index, const supContactStep* step )
{
	supContactRow* row = world->set.rows + index;
	RowSource* source = world->sources + index;
	const supContactHit* hit = &source->hit;
	const struct supActorContact* a = world->bodies[source->a]->contact;
	const struct supActorContact* b = world->bodies[source->b]->contact;
	supContactFlesh* own = world->set.flesh + source->a;
	supContactFlesh* other = world->set.flesh + source->b;
	supVec3 place = Mix( b->skinNow, hit ), now = a->now[row->vertex];
	row->normal = hit->normal;
	row->a.offset = supSub( now, supContactFlesh_Mean( own, &row->a.place ) );
	row->b.offset = supSub( place, supContactFlesh_Mean( other, &row->b.place ) );
	row->b.start = Mix( b->skinStart, hit );
	supContactFlesh_Weigh( own, &row->a );
	supContactFlesh_Weigh( other, &row->b );
	if ( source->a == source->b )
	{
		supContactFlesh_JoinSides( own, &row->a, &row->b );
	}
	source->distance = supDot( row->normal, supSub( now, place ) );
	source->startDistance = supDot( row->normal, supSub( row->a.start, row->b.start ) );
	row->target = TargetOf( world, source, source->startDistance, step );
	row->base = -row->target;
}

static void UseRow( supContactWorld* world, int32_t index, const supContactHit* hit, const supContactStep* step )
{
	supContactRow* row = world->set.rows + index;
	RowSource* source = world->sources + index;
	source->hit = *hit;
	if ( BindTriangle( world, world->bodies[source->b]->contact->binding, hit, &row->b ) )
	{
		AimRow( world, index, step );
		return;
	}
	world->stats.dropped += 1;
	row->b.place.count = row->b.pushed.count = 0;
	row->base = INFINITY;
	source->distance = INFINITY;
}

static int32_t AddRow( supContactWorld* world, int32_t body, int32_t otherBody, const supContactHit* hit,
					   const supContactStep* step )
{
	struct supActorContact* a = world->bodies[body]->contact;
	const struct supActorContact* b = world->bodies[otherBody]->contact;
	int32_t vertex = a->binding->skinVertices[hit->vertex];
	RowSource source = { .kind = rowSkin, .a = body, .b = otherBody, .before = a->heads[vertex] };
	supContactRow* row = supContactWorld_AddRow( world, source );
	if ( row == NULL )
	{
		return -1;
	}
	int32_t index = world->set.rowCount - 1;
	a->heads[vertex] = index;
	row->vertex = vertex;
	row->a.flesh = body;
	row->b.flesh = otherBody;
	supContactBinding_Bind( a->binding, vertex, &row->a );
	row->a.start = a->start[vertex];
	row->friction = sqrtf( a->settings.friction * b->settings.friction );
	row->restitution = supMaxFloat( a->settings.restitution, b->settings.restitution );
	UseRow( world, index, hit, step );
	supVec3 way = supSub( supSub( a->now[vertex], row->a.start ), supSub( Mix( b->skinNow, hit ), row->b.start ) );
	row->approach = supDot( row->normal, way ) / step->dt;
	return index;
}

// The row of the same vertex and triangle, or -1.
static int32_t FindRow( const supContactWorld* world, int32_t body, int32_t otherBody, const supContactHit* hit )
{
	const struct supActorContact* a = world->bodies[body]->contact;
	int32_t row = a->heads[a->binding->skinVertices[hit->vertex]];
	while ( row >= 0 && ( world->sources[row].b != otherBody || world->sources[row].hit.triangle != hit->triangle ) )
	{
		row = world->sources[row].before;
	}
	return row;
}

int32_t supContactWorld_UseHit( supContactWorld* world, const supContactHit* hit, const supContactStep* step )
{
	int32_t body = world->touchers[hit->body].body, otherBody = world->touchers[hit->otherBody].body;
	int32_t row = FindRow( world, body, otherBody, hit );
	if ( row < 0 )
	{
		return AddRow( world, body, otherBody, hit, step );
	}
	UseRow( world, row, hit, step );
	return row;
}

// Between actors that want it, and not led out already.
static bool MayTouch( const supContactWorld* world, const supContactHit* hit )
{
	int32_t body = world->touchers[hit->body].body, otherBody = world->touchers[hit->otherBody].body;
	const struct supActorContact* a = world->bodies[body]->contact;
	const struct supActorContact* b = world->bodies[otherBody]->contact;
	return ( body == otherBody || ( a->settings.withActors && b->settings.withActors ) ) &&
		   a->within[hit->vertex] != world->bodies[otherBody];
}

static bool IsTooDeep( const supContactWorld* world, const supContactHit* hit )
{
	const struct supActorContact* a = world->touchers[hit->body].actor->contact;
	const struct supActorContact* b = world->touchers[hit->otherBody].actor->contact;
	supVec3 before = supSub( a->skinStart[hit->vertex], Mix( b->skinStart, hit ) );
	float thickness = supMaxFloat( a->thickness, b->thickness );
	return !( supDot( before, hit->normal ) > -MAX_START_DEPTH * thickness &&
			  hit->gap > -MAX_CROSSING_THICKNESSES * thickness );
}

static bool IsCrumpled( const supContactWorld* world, const supContactHit* hit )
{
	return hit->body != hit->otherBody &&
		   !( StretchOf( world->touchers[hit->otherBody].actor->contact, hit->triangle ) <= MAX_CRUMPLE_RATIO );
}

// The two patches of a hit, whichever way around.
static uint64_t PairOf( const supContactWorld* world, const supContactHit* hit )
{
	const supContactSkin* skin = &world->touchers[hit->body].binding->skin;
	uint64_t first = (uint64_t)skin->clusters[skin->vertexClusters[hit->vertex]].patch;
	uint64_t second = (uint64_t)skin->clusters[skin->triangleClusters[hit->triangle]].patch;
	uint64_t body = (uint64_t)hit->body << 48;
	return body | ( first < second ? first << 24 | second : second << 24 | first );
}

// Where it is, or would be, among those that are sorted.
static int32_t FindTangle( const supContactWorld* world, uint64_t pair )
{
	int32_t first = 0, end = world->tangleCount;
	while ( first < end )
	{
		int32_t middle = ( first + end ) / 2;
		bool isBefore = world->tangles[middle].pair < pair;
		first = isBefore ? middle + 1 : first;
		end = isBefore ? end : middle;
	}
	return first;
}

static void CountTangle( supContactWorld* world, uint64_t pair, bool isDeep )
{
	int32_t at = FindTangle( world, pair );
	if ( at == world->tangleCount || world->tangles[at].pair != pair )
	{
		if ( world->tangleCount == world->tangleCapacity )
		{
			return;
		}
		memmove( world->tangles + at + 1, world->tangles + at, (size_t)( world->tangleCount - at ) * sizeof( Tangle ) );
		world->tangles[at] = ( Tangle ){ pair, 0, 0 };
		world->tangleCount += 1;
	}
	world->tangles[at].hits += 1;
	world->tangles[at].deep += isDeep;
}

// Where bones have taken a good part of one patch deep into another of the same body, the rest of the two is left alone
// as well: what is not that deep is on either side, and would be torn apart.
static void FindTangles( supContactWorld* world, const supContactHit* hits, int32_t count )
{
	world->tangleCount = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		const supContactHit* hit = hits + i;
		if ( hit->body == hit->otherBody && hit->gap < 0.0f && hit->fold == 0 && MayTouch( world, hit ) )
		{
			CountTangle( world, PairOf( world, hit ), IsTooDeep( world, hit ) );
		}
	}
	int32_t kept = 0;
	for ( int32_t i = 0; i < world->tangleCount; ++i )
	{
		Tangle tangle = world->tangles[i];
		world->tangles[kept] = tangle;
		kept += (float)tangle.deep > TANGLED_CONTACT_RATIO * (float)tangle.hits;
	}
	world->tangleCount = kept;
}

// So are patches beside the two, which belong to the same limbs; but not those that belong together.
static bool AreTangled( const supContactWorld* world, const supContactHit* hit )
{
	if ( world->tangleCount == 0 || hit->body != hit->otherBody )
	{
		return false;
	}
	const supContactSkin* skin = &world->touchers[hit->body].binding->skin;
	uint64_t pair = PairOf( world, hit );
	int32_t first = (int32_t)( pair >> 24 & 0xFFFFFF ), second = (int32_t)( pair & 0xFFFFFF );
	bool found = false;
	for ( int32_t i = 0; i < world->tangleCount && found == false; ++i )
	{
		uint64_t tangle = world->tangles[i].pair;
		int32_t a = (int32_t)( tangle >> 24 & 0xFFFFFF ), b = (int32_t)( tangle & 0xFFFFFF );
		found =
			tangle >> 48 == pair >> 48 &&
			( ( supContactSkin_AreSideBySide( skin, a, first ) && supContactSkin_AreSideBySide( skin, b, second ) ) ||
			  ( supContactSkin_AreSideBySide( skin, a, second ) && supContactSkin_AreSideBySide( skin, b, first ) ) );
	}
	return found && supContactSkin_AreSideBySide( skin, first, second ) == false;
}

static void UseHits( supContactWorld* world, const supContactHit* hits, int32_t count, float margin,
					 const supContactStep* step )
{
	FindTangles( world, hits, count );
	for ( int32_t i = 0; i < count; ++i )
	{
		const supContactHit* hit = hits + i;
		if ( MayTouch( world, hit ) == false )
		{
			continue;
		}
		supContactWorld_MarkNearSkin( world, hit );
		if ( hit->gap > margin )
		{
			continue;
		}
		bool hasNoRoom = supContactWorld_HasNoRoom( world, hit ), isTooDeep = hasNoRoom || IsTooDeep( world, hit );
		if ( isTooDeep && hasNoRoom == false )
		{
			supContactWorld_RetryDeep( world, hit );
		}
		if ( isTooDeep || IsCrumpled( world, hit ) || AreTangled( world, hit ) ||
			 supContactWorld_WouldTear( world, hit ) )
		{
			world->stats.left += hit->gap < 0.0f;
		}
		else
		{
			supContactWorld_UseHit( world, hit, step );
		}
	}
}

// Who has pushed and is no longer near is so because it has pushed: actors that answer start all over, and without it
// would go where nobody looks again.
static void KeepPushing( supContactWorld* world, const supContactStep* step )
{
	for ( int32_t i = 0; i < world->set.rowCount; ++i )
	{
		const supContactRow* row = world->set.rows + i;
		if ( world->sources[i].kind == rowSkin && row->base == INFINITY && supLengthSquared( row->given ) > 0.0f )
		{
			supContactHit hit = world->sources[i].hit;
			UseRow( world, i, &hit, step );
		}
	}
}

// The bodies of the substep. Rows of the last one are forgotten. Returns how far the surfaces have moved since they
// were looked at last, in thicknesses; INFINITY where they were not in this substep.
static float PrepareTouchers( supContactWorld* world )
{
	float moved = 0.0f;
	for ( int32_t i = 0; i < world->toucherCount; ++i )
	{
		world->touchers[i].body = -1;
		world->toucherBodies[i] = ( supContactBody ){ 0 };
	}
	for ( int32_t k = 0; k < world->set.fleshCount; ++k )
	{
		for ( int32_t i = 0; i < world->toucherCount; ++i )
		{
			if ( world->touchers[i].actor == world->bodies[k] )
			{
				world->touchers[i].body = k;
			}
		}
	}
	for ( int32_t i = 0; i < world->toucherCount; ++i )
	{
		if ( world->touchers[i].body >= 0 && IsWithinReach( world, i ) )
		{
			struct supActorContact* contact = world->touchers[i].actor->contact;
			bool isNew = contact->isTouching == false;
			contact->isNear = contact->isTouching = true;
			GatherSkin( contact );
			moved = supMaxFloat( moved, isNew ? INFINITY : DriftOf( contact ) / contact->thickness );
			world->toucherBodies[i] =
				( supContactBody ){ contact->skinNow, contact->skinStart, contact->settings.withItself };
			if ( isNew )
			{
				memset( contact->heads, 0xFF, (size_t)contact->binding->vertexCount * sizeof( int32_t ) );
			}
		}
	}
	return moved;
}

// Methods that solve contacts themselves start over each time, and may go where nobody has looked.
static bool HasAnswered( const supContactWorld* world )
{
	for ( int32_t i = 0; i < world->set.rowCount; ++i )
	{
		if ( world->sources[i].kind == rowSkin && supContactSet_IsAnswered( &world->set, world->set.rows + i ) )
		{
			return true;
		}
	}
	return false;
}

static void FollowRows( supContactWorld* world, const supContactStep* step )
{
	for ( int32_t i = 0; i < world->set.rowCount; ++i )
	{
		if ( world->sources[i].kind == rowSkin && world->set.rows[i].base < INFINITY )
		{
			AimRow( world, i, step );
		}
	}
}

void supContactWorld_FindSkinRows( supContactWorld* world, const supContactStep* step )
{
	if ( world->detector == NULL )
	{
		return;
	}
	// what was beyond the margin is not near yet, and what was found is followed
	if ( PrepareTouchers( world ) < MAX_DRIFT && HasAnswered( world ) == false )
	{
		FollowRows( world, step );
		return;
	}
	float thickness = 0.0f;
	for ( int32_t i = 0; i < world->toucherCount; ++i )
	{
		bool isHere = world->toucherBodies[i].positions != NULL;
		thickness = isHere ? supMaxFloat( thickness, world->touchers[i].actor->contact->thickness ) : thickness;
	}
	for ( int32_t i = 0; i < world->toucherCount; ++i )
	{
		if ( world->toucherBodies[i].positions != NULL )
		{
			const struct supActorContact* contact = world->touchers[i].actor->contact;
			memcpy( contact->skinSeen, contact->skinNow,
					(size_t)contact->binding->skin.vertexCount * sizeof( supVec3 ) );
		}
	}
	// what is not found again is no longer near
	world->stats.left = 0;
	world->termCount = 0;
	for ( int32_t i = 0; i < world->set.rowCount; ++i )
	{
		if ( world->sources[i].kind == rowSkin )
		{
			world->set.rows[i].base = INFINITY;
			world->set.rows[i].b.place.count = world->set.rows[i].b.pushed.count = 0;
			world->sources[i].distance = INFINITY;
		}
	}
	if ( thickness > 0.0f )
	{
		supContactWorld_FindDeep( world, step );
		float margin = MARGIN * thickness;
		float reach = supContactWorld_IsSettling( world ) ? WIDE_MARGIN * thickness : margin;
		supNarrowPhase narrow = step->detection == sup_detectImages ? sup_narrowMaps : sup_narrowExact;
		supDetectorSettings settings = { reach, DEPTH * thickness, narrow };
		const supContactHit* hits;
		supDetector_Update( world->detector, world->toucherBodies, step->tasks );
		int32_t count = supDetector_Run( world->detector, &settings, step->tasks, &hits );
		world->stats.dropped += supDetector_Stats( world->detector ).droppedHits;
		UseHits( world, hits, count, margin, step );
		supContactWorld_UseDeep( world, step );
		KeepPushing( world, step );
	}
}

void supContactWorld_GatherSkins( const supContactWorld* world )
{
	for ( int32_t i = 0; i < world->toucherCount; ++i )
	{
		if ( world->toucherBodies[i].positions != NULL )
		{
			GatherSkin( world->touchers[i].actor->contact );
		}
	}
}

void supContactWorld_FollowSkinRows( supContactWorld* world, const supContactStep* step )
{
	supContactWorld_GatherSkins( world );
	FollowRows( world, step );
}
