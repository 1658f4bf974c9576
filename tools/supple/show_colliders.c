// SPDX-License-Identifier: MIT
#include "show_colliders.h"

#include "report.h"
#include "touch.h"

#include <stdio.h>

// Sides of a round thing.
#define SIDES 48

// Metres from the middle of a plane to its border, where it is drawn.
#define PLANE_SIZE 4.0f

// Triangles to be drawn, and to be a shape.
typedef ColliderMesh Builder;

static void AddPoint( Builder* b, supVec3 p )
{
	b->failed = b->failed || SUP_PUSH( &b->points, p ) == false;
}

static void AddTriangle( Builder* b, uint32_t i, uint32_t k, uint32_t l )
{
	b->failed = b->failed || SUP_PUSH( &b->indices, i ) == false || SUP_PUSH( &b->indices, k ) == false ||
				SUP_PUSH( &b->indices, l ) == false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Shapes

// A ball, drawn out along y by the half height on both sides.
static void BuildRound( Builder* b, float radius, float halfHeight )
{
	int32_t rings = SIDES / 2;
	for ( int32_t i = 0; i <= rings; ++i )
	{
		supCosSin up = supComputeCosSin( SUP_PI * ( (float)i / (float)rings - 0.5f ) );
		float shift = i <= rings / 2 ? -halfHeight : halfHeight;
		for ( int32_t k = 0; k < SIDES; ++k )
		{
			supCosSin around = supComputeCosSin( 2.0f * SUP_PI * (float)k / (float)SIDES );
			AddPoint( b, supMakeVec3( radius * up.cosine * around.cosine, shift + radius * up.sine,
									  radius * up.cosine * around.sine ) );
			if ( i > 0 )
			{
				uint32_t row = (uint32_t)( i * SIDES ), below = row - SIDES;
				uint32_t next = (uint32_t)( ( k + 1 ) % SIDES ), here = (uint32_t)k;
				AddTriangle( b, below + here, row + here, below + next );
				AddTriangle( b, below + next, row + here, row + next );
			}
		}
	}
}

// Faces of their own, so that edges are sharp.
static void BuildBox( Builder* b, supVec3 e )
{
	for ( int32_t face = 0; face < 6; ++face )
	{
		float side = face % 2 == 0 ? 1.0f : -1.0f;
		uint32_t first = (uint32_t)b->points.count;
		for ( int32_t k = 0; k < 4; ++k )
		{
			float u = k == 1 || k == 2 ? 1.0f : -1.0f, v = k >= 2 ? side : -side;
			supVec3 p = face / 2 == 0   ? supMakeVec3( side, u, v )
						: face / 2 == 1 ? supMakeVec3( v, side, u )
										: supMakeVec3( u, v, side );
			AddPoint( b, supMul( e, p ) );
		}
		AddTriangle( b, first, first + 1, first + 2 );
		AddTriangle( b, first, first + 2, first + 3 );
	}
}

// Hills that come from nowhere in particular, and are the same everywhere.
static float HeightAt( float x, float z )
{
	float a = supComputeCosSin( 1.7f * x + 0.6f * z ).sine, b = supComputeCosSin( 2.3f * z - 0.9f * x ).sine;
	float c = supComputeCosSin( 4.1f * x + 3.3f * z + 1.0f ).sine;
	return ( a + b + 0.4f * c ) / 2.4f;
}

static void BuildTerrain( Builder* b, float size, float height, int32_t cells )
{
	for ( int32_t i = 0; i <= cells; ++i )
	{
		for ( int32_t k = 0; k <= cells; ++k )
		{
			float x = size * ( (float)k / (float)cells - 0.5f ), z = size * ( (float)i / (float)cells - 0.5f );
			AddPoint( b, supMakeVec3( x, 0.5f * height * HeightAt( x, z ), z ) );
			if ( i > 0 && k > 0 )
			{
				uint32_t at = (uint32_t)( i * ( cells + 1 ) + k ), before = at - (uint32_t)cells - 1;
				AddTriangle( b, before - 1, at - 1, before );
				AddTriangle( b, before, at - 1, at );
			}
		}
	}
}

static int BuildFile( Builder* b, const Show* show, const char* file )
{
	char* path = NULL;
	int status = MakeScenePath( show, file, &path );
	status = status == exit_ok ? LoadColliderMesh( b, path, NULL, show->tasks ) : status;
	supFree( path );
	return status;
}

static int BuildShape( Builder* b, const Show* show, const supSceneCollider* def, supShapeDef* shape )
{
	static const supShapeKind kinds[] = { sup_shapePlane, sup_shapeSphere, sup_shapeCapsule, sup_shapeBox,
										  sup_shapeHull,  sup_shapeMesh,   sup_shapeMesh };
	float far = PLANE_SIZE;
	int status = exit_ok;
	switch ( def->shape )
	{
		case sup_scenePlane:
			AddPoint( b, supMakeVec3( -far, 0.0f, -far ) );
			AddPoint( b, supMakeVec3( -far, 0.0f, far ) );
			AddPoint( b, supMakeVec3( far, 0.0f, far ) );
			AddPoint( b, supMakeVec3( far, 0.0f, -far ) );
			AddTriangle( b, 0, 1, 2 );
			AddTriangle( b, 0, 2, 3 );
			break;
		case sup_sceneSphere:
			BuildRound( b, def->radius, 0.0f );
			break;
		case sup_sceneCapsule:
			BuildRound( b, def->radius, def->halfHeight );
			break;
		case sup_sceneBox:
			BuildBox( b, def->halfExtents );
			break;
		case sup_sceneTerrain:
			BuildTerrain( b, def->size, def->height, def->cells );
			break;
		default:
			status = BuildFile( b, show, def->file );
			break;
	}
	*shape = ( supShapeDef ){ .kind = kinds[def->shape],
							  .radius = def->radius,
							  .halfHeight = def->halfHeight,
							  .halfExtents = def->halfExtents,
							  .vertexCount = b->points.count,
							  .vertices = b->points.data,
							  .triangleCount = b->indices.count / 3,
							  .indices = b->indices.data };
	return status == exit_ok && b->failed ? ReportMemory() : status;
}

// ---------------------------------------------------------------------------------------------------------------------
// To be drawn

static supCharacter* MakeBody( const Builder* b, const supSceneCollider* def, const char* name, supError* error )
{
	static const supVec4 colors[] = { { 0.35f, 0.38f, 0.42f, 1.0f },
									  { 0.25f, 0.35f, 0.55f, 1.0f },
									  { 0.75f, 0.30f, 0.10f, 1.0f } };
	const supMaterial material = {
		.name = name, .baseColor = colors[def->motion], .roughness = 0.8f, .baseColorImage = -1, .doubleSided = true
	};
	supVec3* normals = supAllocZeroed( (size_t)b->points.count * sizeof( supVec3 ) );
	if ( normals == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	for ( int32_t i = 0; i + 2 < b->indices.count; i += 3 )
	{
		const uint32_t* t = b->indices.data + i;
		const supVec3* p = b->points.data;
		supVec3 n = supCross( supSub( p[t[1]], p[t[0]] ), supSub( p[t[2]], p[t[0]] ) );
		for ( int32_t k = 0; k < 3; ++k )
		{
			normals[t[k]] = supAdd( normals[t[k]], n );
		}
	}
	for ( int32_t i = 0; i < b->points.count; ++i )
	{
		normals[i] = supNormalize( normals[i] );
	}
	const supPrimitive primitive = { .vertexCount = b->points.count, .indexCount = b->indices.count };
	const supMesh mesh = { .name = name,
						   .vertexCount = b->points.count,
						   .indexCount = b->indices.count,
						   .indices = b->indices.data,
						   .positions = b->points.data,
						   .normals = normals,
						   .primitiveCount = 1,
						   .primitives = &primitive };
	const supNode node = { .name = name, .parent = -1, .rest = supTransform_identity };
	const supInstance instance = { .skin = -1 };
	supCharacterDef body = supDefaultCharacterDef();
	body.name = name;
	body.nodeCount = body.meshCount = body.instanceCount = body.materialCount = 1;
	body.nodes = &node;
	body.meshes = &mesh;
	body.instances = &instance;
	body.materials = &material;
	supCharacter* character = supCreateCharacter( &body, error );
	supFree( normals );
	return character;
}

void WriteCollider( const ShowCollider* collider, supVec3* positions, supVec3* normals )
{
	const supMesh* mesh = supCharacter_Mesh( collider->body, 0 );
	supVec3 at = supCollider_Position( collider->collider );
	supQuat turn = supCollider_Rotation( collider->collider );
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		positions[i] = supAdd( at, supRotate( turn, mesh->positions[i] ) );
		normals[i] = supRotate( turn, mesh->normals[i] );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Played

static supQuat Turn( const supSceneStand* stand )
{
	float unit = SUP_PI / 180.0f;
	supQuat turn = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), unit * stand->turn );
	supQuat pitch = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.0f, 0.0f ), unit * stand->pitch );
	supQuat roll = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), unit * stand->roll );
	return supMulQuat( turn, supMulQuat( pitch, roll ) );
}

static supSceneStand StandAt( const supSceneCollider* def, float time )
{
	if ( def->keyCount == 0 )
	{
		return def->stand;
	}
	int32_t next = 0;
	while ( next < def->keyCount && def->keys[next].time <= time )
	{
		next += 1;
	}
	if ( next == 0 || next == def->keyCount )
	{
		return def->keys[next == 0 ? 0 : next - 1];
	}
	const supSceneStand* a = def->keys + next - 1;
	const supSceneStand* b = def->keys + next;
	float t = ( time - a->time ) / ( b->time - a->time );
	return ( supSceneStand ){ .position = supLerp( a->position, b->position, t ),
							  .turn = supLerpFloat( a->turn, b->turn, t ),
							  .pitch = supLerpFloat( a->pitch, b->pitch, t ),
							  .roll = supLerpFloat( a->roll, b->roll, t ) };
}

static int OpenCollider( Show* show, const supSceneCollider* from, ShowCollider* collider )
{
	Builder builder = { 0 };
	supError error = { 0 };
	supColliderDef def = supDefaultColliderDef();
	collider->def = from;
	char name[64];
	snprintf( name, sizeof( name ), "colliders[%d]", (int)( from - show->file.colliders ) );
	def.name = from->name != NULL ? from->name : name;
	int status = BuildShape( &builder, show, from, &def.shape );
	supSceneStand stand = StandAt( from, 0.0f );
	def.motion = from->motion;
	def.position = stand.position;
	def.rotation = Turn( &stand );
	def.mass = from->mass;
	def.density = from->density;
	def.velocity = from->velocity;
	def.spin = from->spin;
	def.friction = from->friction;
	def.restitution = from->restitution;
	if ( status == exit_ok )
	{
		collider->collider = supScene_AddCollider( show->scene, &def, &error );
		collider->body = collider->collider != NULL ? MakeBody( &builder, from, def.name, &error ) : NULL;
		status = collider->body != NULL ? exit_ok : ReportError( show->path, &error );
	}
	if ( status == exit_ok )
	{
		collider->begin = supCollider_GetState( collider->collider );
	}
	FreeColliderMesh( &builder );
	return status;
}

int OpenColliders( Show* show )
{
	show->colliders = supAllocZeroed( (size_t)show->file.colliderCount * sizeof( ShowCollider ) );
	int status = show->colliders != NULL ? exit_ok : ReportMemory();
	for ( int32_t i = 0; i < show->file.colliderCount && status == exit_ok; ++i )
	{
		status = OpenCollider( show, show->file.colliders + i, show->colliders + show->colliderCount++ );
	}
	return status;
}

void CloseColliders( Show* show )
{
	for ( int32_t i = 0; i < show->colliderCount; ++i )
	{
		supDestroyCharacter( show->colliders[i].body );
	}
	supFree( show->colliders );
}

void BeginColliders( Show* show )
{
	for ( int32_t i = 0; i < show->colliderCount; ++i )
	{
		supCollider_SetState( show->colliders[i].collider, &show->colliders[i].begin );
	}
}

void MoveColliders( Show* show )
{
	for ( int32_t i = 0; i < show->colliderCount; ++i )
	{
		const ShowCollider* collider = show->colliders + i;
		if ( collider->def->keyCount > 0 )
		{
			supSceneStand stand = StandAt( collider->def, show->time );
			supCollider_SetTransform( collider->collider, stand.position, Turn( &stand ) );
		}
	}
}
