// SPDX-License-Identifier: MIT
#include "creature.h"

#include "creature_clip.h"
#include "remesh.h"
#include "weights.h"

#define EYE_RINGS 20
#define EYE_SEGMENTS 24

// ---------------------------------------------------------------------------------------------------------------------
// Describing

void creatureInit( creature* c, const char* name )
{
	*c = ( creature ){ .name = name, .weightReach = 0.7f, .lyingTilt = 90.0f, .armsDown = 1.0f };
}

int32_t creatureJoint( creature* c, const char* name, int32_t parent, supVec3 position )
{
	c->failed = SUP_PUSH( &c->joints, ( creatureJointDef ){ name, parent, position } ) == false || c->failed;
	return c->joints.count - 1;
}

static sculptBlob* PushBlob( creature* c, sculptBlob blob )
{
	static sculptBlob nowhere;
	if ( SUP_PUSH( &c->blobs, blob ) == false )
	{
		c->failed = true;
		return &nowhere;
	}
	return c->blobs.data + c->blobs.count - 1;
}

sculptBlob* creatureCone( creature* c, int32_t joint, supVec3 a, float ra, supVec3 b, float rb, float blend,
						  supVec3 color )
{
	return PushBlob( c, ( sculptBlob ){ .kind = sculpt_cone,
										.a = a,
										.b = b,
										.ra = ra,
										.rb = rb,
										.rotation = supQuat_identity,
										.blend = blend,
										.fineness = 1.0f,
										.joint = joint,
										.color = color } );
}

sculptBlob* creatureEllipsoid( creature* c, int32_t joint, supVec3 center, supVec3 radii, float blend, supVec3 color )
{
	return PushBlob( c, ( sculptBlob ){ .kind = sculpt_ellipsoid,
										.a = center,
										.radii = radii,
										.rotation = supQuat_identity,
										.blend = blend,
										.fineness = 1.0f,
										.joint = joint,
										.color = color } );
}

sculptBlob* creatureBone( creature* c, int32_t joint, int32_t end, float ra, float rb, float blend, supVec3 color )
{
	// there are none where memory ran out
	bool exist = joint >= 0 && end >= 0;
	supVec3 a = exist ? c->joints.data[joint].position : supVec3_zero;
	supVec3 b = exist ? c->joints.data[end].position : supVec3_zero;
	return creatureCone( c, joint, a, ra, b, rb, blend, color );
}

void creatureEye( creature* c, int32_t joint, supVec3 center, float radius, supVec3 direction, supVec3 color )
{
	creatureEyeDef eye = { joint, center, radius, supNormalize( direction ), color };
	c->failed = SUP_PUSH( &c->eyes, eye ) == false || c->failed;
}

void creatureClip( creature* c, const char* name, float duration, creatureClipFcn* function )
{
	c->failed = SUP_PUSH( &c->clips, ( creatureClipDef ){ name, duration, function } ) == false || c->failed;
}

// ---------------------------------------------------------------------------------------------------------------------
// Finishing

typedef struct Build
{
	supArena arena;
	supNode* nodes;
	supSkin skin;
	supMesh meshes[2];
	supPrimitive primitives[2];
	supMaterial materials[2];
	supInstance instances[2];
	supClip* clips;
	int32_t meshCount;
} Build;

static void BuildSkeleton( Build* build, const creature* c )
{
	// one node per joint, then one per mesh
	int32_t jointCount = c->joints.count;
	build->nodes = supArena_AllocArray( &build->arena, (size_t)jointCount + 2, sizeof( supNode ) );
	int32_t* joints = supArena_AllocArray( &build->arena, (size_t)jointCount, sizeof( int32_t ) );
	supMat34* binds = supArena_AllocArray( &build->arena, (size_t)jointCount, sizeof( supMat34 ) );
	if ( build->arena.failed )
	{
		return;
	}
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		const creatureJointDef* joint = c->joints.data + i;
		supVec3 origin = joint->parent >= 0 ? c->joints.data[joint->parent].position : supVec3_zero;
		build->nodes[i] = ( supNode ){ .name = joint->name, .parent = joint->parent, .rest = supTransform_identity };
		build->nodes[i].rest.translation = supSub( joint->position, origin );
		joints[i] = i;
		binds[i] = supMat34_identity;
		binds[i].t = supNeg( joint->position );
	}
	build->skin = ( supSkin ){ .name = c->name, .jointCount = jointCount, .joints = joints, .inverseBinds = binds };
}

static void AddMesh( Build* build, const creature* c, const char* name, supMesh mesh, float roughness )
{
	int32_t index = build->meshCount++;
	int32_t node = c->joints.count + index;
	build->primitives[index] =
		( supPrimitive ){ .vertexCount = mesh.vertexCount, .indexCount = mesh.indexCount, .material = index };
	mesh.name = name;
	mesh.primitiveCount = 1;
	mesh.primitives = build->primitives + index;
	build->meshes[index] = mesh;
	build->materials[index] = ( supMaterial ){ .name = name,
											   .baseColor = { 1.0f, 1.0f, 1.0f, 1.0f },
											   .roughness = roughness,
											   .baseColorImage = -1,
											   .alphaCutoff = 0.5f };
	build->nodes[node] = ( supNode ){ .name = name, .parent = -1, .rest = supTransform_identity };
	build->instances[index] = ( supInstance ){ .node = node, .mesh = index, .skin = 0 };
}

// The lowest point of the skin comes to lie on the ground exactly.
static void Stand( Build* build, creature* c, supVec3* positions, int32_t count )
{
	float lowest = 1e9f;
	for ( int32_t i = 0; i < count; ++i )
	{
		lowest = supMinFloat( lowest, positions[i].y );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		positions[i].y -= lowest;
	}
	for ( int32_t i = 0; i < c->joints.count; ++i )
	{
		c->joints.data[i].position.y -= lowest;
	}
	for ( int32_t i = 0; i < c->eyes.count; ++i )
	{
		c->eyes.data[i].center.y -= lowest;
	}
	BuildSkeleton( build, c );
}

// Of the triangles around each vertex, by area.
static void AverageNormals( const polyMesh* skin, supVec3* normals )
{
	memset( normals, 0, sizeof( supVec3 ) * (size_t)skin->vertexCount );
	for ( int32_t t = 0; t < skin->triangleCount; ++t )
	{
		const int32_t* corner = skin->triangles + 3 * t;
		supVec3 a = skin->positions[corner[0]];
		supVec3 area = supCross( supSub( skin->positions[corner[1]], a ), supSub( skin->positions[corner[2]], a ) );
		for ( int k = 0; k < 3; ++k )
		{
			normals[corner[k]] = supAdd( normals[corner[k]], area );
		}
	}
	for ( int32_t i = 0; i < skin->vertexCount; ++i )
	{
		normals[i] = supNormalize( normals[i] );
	}
}

static void BuildSkin( Build* build, creature* c, const sculptShape* shape, const polyMesh* skin )
{
	size_t count = (size_t)skin->vertexCount;
	supVec3* normals = supArena_AllocArray( &build->arena, count, sizeof( supVec3 ) );
	supVec4* colors = supArena_AllocArray( &build->arena, count, sizeof( supVec4 ) );
	uint16_t* joints = supArena_AllocArray( &build->arena, 4 * count, sizeof( uint16_t ) );
	float* weights = supArena_AllocArray( &build->arena, 4 * count, sizeof( float ) );
	uint32_t* indices = supArena_CopyArray( &build->arena, skin->triangles, 3 * (size_t)skin->triangleCount, 4 );
	supVec3* positions = supArena_CopyArray( &build->arena, skin->positions, count, sizeof( supVec3 ) );
	if ( build->arena.failed ||
		 spreadWeights( skin, shape, c->joints.count, c->weightReach, joints, weights ) == false )
	{
		build->arena.failed = true;
		return;
	}
	AverageNormals( skin, normals );
	for ( size_t i = 0; i < count; ++i )
	{
		// at the bottom of a crease the shape turns faster than its triangles: there theirs are the better ones
		supVec3 normal = sculptShape_Normal( shape, positions[i] );
		normals[i] = supDot( normal, normals[i] ) > 0.7f ? normal : normals[i];
		supVec3 color = sculptShape_Color( shape, positions[i] );
		colors[i] = ( supVec4 ){ color.x, color.y, color.z, 1.0f };
	}
	Stand( build, c, positions, skin->vertexCount );
	if ( build->arena.failed )
	{
		return;
	}
	supMesh mesh = { .vertexCount = skin->vertexCount,
					 .indexCount = 3 * skin->triangleCount,
					 .indices = indices,
					 .positions = positions,
					 .normals = normals,
					 .colors = colors,
					 .influences = 4,
					 .joints = joints,
					 .weights = weights };
	AddMesh( build, c, c->name, mesh, 0.6f );
}

// Pupil, iris with a dark rim, white; and the light that makes an eye alive.
static supVec3 EyeColor( supVec3 local, supVec3 iris )
{
	const supVec3 glint = { 0.22f, 0.29f, 0.93f };
	if ( supDot( local, glint ) > 0.978f )
	{
		return supVec3_one;
	}
	if ( local.z > 0.86f )
	{
		return supMakeVec3( 0.004f, 0.004f, 0.005f );
	}
	if ( local.z > 0.68f )
	{
		return local.z > 0.73f ? iris : supScale( 0.3f, iris );
	}
	return supMakeVec3( 0.86f, 0.85f, 0.83f );
}

// A ball with the poles along the direction of sight: pupil, iris, white.
static void WriteEye( const creatureEyeDef* eye, supVec3* positions, supVec3* normals, supVec4* colors,
					  uint32_t* indices, uint32_t first )
{
	supQuat turn = supMakeQuatBetween( supMakeVec3( 0.0f, 0.0f, 1.0f ), eye->direction );
	int32_t v = 0;
	for ( int32_t ring = 0; ring <= EYE_RINGS; ++ring )
	{
		int32_t segments = ring == 0 || ring == EYE_RINGS ? 1 : EYE_SEGMENTS;
		supCosSin tilt = supComputeCosSin( SUP_PI * (float)ring / EYE_RINGS );
		for ( int32_t k = 0; k < segments; ++k, ++v )
		{
			supCosSin around = supComputeCosSin( 2.0f * SUP_PI * (float)k / EYE_SEGMENTS );
			supVec3 local = { tilt.sine * around.cosine, tilt.sine * around.sine, tilt.cosine };
			normals[v] = supNormalize( supRotate( turn, local ) );
			positions[v] = supMulAdd( eye->center, eye->radius, normals[v] );
			supVec3 color = EyeColor( local, eye->color );
			colors[v] = ( supVec4 ){ color.x, color.y, color.z, 1.0f };
		}
	}
	uint32_t* out = indices;
	for ( int32_t ring = 0; ring < EYE_RINGS; ++ring )
	{
		uint32_t upper = ring == 0 ? first : first + 1 + (uint32_t)( ( ring - 1 ) * EYE_SEGMENTS );
		uint32_t lower = first + 1 + (uint32_t)( ring * EYE_SEGMENTS );
		for ( uint32_t k = 0; k < EYE_SEGMENTS; ++k )
		{
			uint32_t next = ( k + 1 ) % EYE_SEGMENTS;
			if ( ring < EYE_RINGS - 1 )
			{
				*out++ = ring == 0 ? upper : upper + k;
				*out++ = lower + k;
				*out++ = lower + next;
			}
			if ( ring > 0 )
			{
				*out++ = upper + k;
				*out++ = ring == EYE_RINGS - 1 ? lower : lower + next;
				*out++ = upper + next;
			}
		}
	}
}

static void BuildEyes( Build* build, const creature* c )
{
	enum
	{
		vertices = 2 + ( EYE_RINGS - 1 ) * EYE_SEGMENTS,
		triangles = 2 * ( EYE_RINGS - 1 ) * EYE_SEGMENTS
	};
	if ( c->eyes.count == 0 )
	{
		return;
	}
	size_t count = (size_t)c->eyes.count * vertices;
	supVec3* positions = supArena_AllocArray( &build->arena, count, sizeof( supVec3 ) );
	supVec3* normals = supArena_AllocArray( &build->arena, count, sizeof( supVec3 ) );
	supVec4* colors = supArena_AllocArray( &build->arena, count, sizeof( supVec4 ) );
	uint16_t* joints = supArena_AllocArray( &build->arena, count, sizeof( uint16_t ) );
	float* weights = supArena_AllocArray( &build->arena, count, sizeof( float ) );
	uint32_t* indices = supArena_AllocArray( &build->arena, (size_t)c->eyes.count * triangles * 3, sizeof( uint32_t ) );
	if ( build->arena.failed )
	{
		return;
	}
	for ( int32_t i = 0; i < c->eyes.count; ++i )
	{
		int32_t first = i * vertices;
		WriteEye( c->eyes.data + i, positions + first, normals + first, colors + first, indices + i * triangles * 3,
				  (uint32_t)first );
		for ( int32_t k = first; k < first + vertices; ++k )
		{
			joints[k] = (uint16_t)c->eyes.data[i].joint;
			weights[k] = 1.0f;
		}
	}
	supMesh mesh = { .vertexCount = (int32_t)count,
					 .indexCount = c->eyes.count * triangles * 3,
					 .indices = indices,
					 .positions = positions,
					 .normals = normals,
					 .colors = colors,
					 .influences = 1,
					 .joints = joints,
					 .weights = weights };
	AddMesh( build, c, "eyes", mesh, 0.15f );
}

static supCharacter* Assemble( Build* build, creature* c, const polyMesh* skin, const sculptShape* shape,
							   supError* error )
{
	build->clips = supArena_AllocArray( &build->arena, (size_t)c->clips.count, sizeof( supClip ) );
	if ( build->arena.failed == false )
	{
		BuildSkin( build, c, shape, skin );
	}
	if ( build->arena.failed == false )
	{
		BuildEyes( build, c );
		for ( int32_t i = 0; build->arena.failed == false && i < c->clips.count; ++i )
		{
			build->clips[i] = buildClip( &build->arena, c, c->clips.data + i, build->meshes );
		}
	}
	if ( build->arena.failed )
	{
		supSetMemoryError( error );
		return NULL;
	}
	supCharacterDef def = supDefaultCharacterDef();
	def.name = c->name;
	def.nodeCount = c->joints.count + build->meshCount;
	def.nodes = build->nodes;
	def.skinCount = 1;
	def.skins = &build->skin;
	def.meshCount = build->meshCount;
	def.meshes = build->meshes;
	def.instanceCount = build->meshCount;
	def.instances = build->instances;
	def.materialCount = build->meshCount;
	def.materials = build->materials;
	def.clipCount = c->clips.count;
	def.clips = build->clips;
	return supCreateCharacter( &def, error );
}

supCharacter* creatureFinish( creature* c, int32_t vertexCount, float detail, supError* error )
{
	sculptShape shape = { 0 };
	polyMesh skin = { 0 };
	supCharacter* character = NULL;
	if ( c->failed || sculptShape_Create( &shape, c->blobs.data, c->blobs.count ) == false ||
		 sculptShape_Skin( &shape, vertexCount, detail, &skin ) == false )
	{
		supSetMemoryError( error );
	}
	else
	{
		Build build = { 0 };
		character = Assemble( &build, c, &skin, &shape, error );
		supArena_Destroy( &build.arena );
	}
	polyMesh_Destroy( &skin );
	sculptShape_Destroy( &shape );
	SUP_FREE_ARRAY( &c->joints );
	SUP_FREE_ARRAY( &c->blobs );
	SUP_FREE_ARRAY( &c->eyes );
	SUP_FREE_ARRAY( &c->clips );
	return character;
}
