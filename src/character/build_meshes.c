// SPDX-License-Identifier: MIT
// Geometry of a character: checked, repaired, copied.
#include "character/character.h"

// Directions within this of unit length (squared) are left alone, so that repairing twice changes nothing.
#define UNIT_TOLERANCE 1e-5f

// Lengths further off than this are worth a note; below lies the rounding of 8-bit directions.
#define UNIT_NOTE_TOLERANCE 0.02f

// ---------------------------------------------------------------------------------------------------------------------
// Positions and triangles

static bool CheckPositions( supCharacterBuilder* builder, const supVec3* positions, int32_t count, const char* place )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( supIsFiniteVec3( positions[i] ) == false )
		{
			return supSetError( builder->error, sup_errorFormat, place,
								"the position of vertex %d is not finite; export the mesh again", i );
		}
	}
	return true;
}

static bool CopyIndices( supCharacterBuilder* builder, int32_t meshIndex, supMesh* mesh )
{
	const supMesh* source = builder->def->meshes + meshIndex;
	if ( source->indexCount % 3 != 0 )
	{
		return supSetError( builder->error, sup_errorFormat, supAt( builder, "meshes[%d].indices", meshIndex ),
							"%d indices are not a multiple of 3", source->indexCount );
	}
	uint32_t* indices = supArena_AllocArray( builder->arena, (size_t)source->indexCount, sizeof( uint32_t ) );
	if ( indices == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < source->indexCount; ++i )
	{
		indices[i] = source->indices != NULL ? source->indices[i] : (uint32_t)i;
		if ( indices[i] >= (uint32_t)source->vertexCount )
		{
			return supSetError( builder->error, sup_errorFormat,
								supAt( builder, "meshes[%d].indices[%d]", meshIndex, i ),
								"vertex %u does not exist; there are %d", indices[i], source->vertexCount );
		}
	}
	mesh->indices = indices;
	return true;
}

// Twice the area, squared; in double, so that small meshes far away are not taken for flat.
static double AreaSquared( const supMesh* mesh, int32_t triangle )
{
	supVec3 a = mesh->positions[mesh->indices[3 * triangle]];
	supVec3 b = mesh->positions[mesh->indices[3 * triangle + 1]];
	supVec3 c = mesh->positions[mesh->indices[3 * triangle + 2]];
	double ux = (double)b.x - (double)a.x, uy = (double)b.y - (double)a.y, uz = (double)b.z - (double)a.z;
	double vx = (double)c.x - (double)a.x, vy = (double)c.y - (double)a.y, vz = (double)c.z - (double)a.z;
	double x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
	return x * x + y * y + z * z;
}

static void AddTriangleNotes( supCharacterBuilder* builder, int32_t meshIndex, const supMesh* mesh )
{
	int32_t triangleCount = mesh->indexCount / 3;
	supTally flat = { 0 };
	for ( int32_t i = 0; i < triangleCount; ++i )
	{
		if ( AreaSquared( mesh, i ) == 0.0 )
		{
			supTally_Add( &flat, i );
		}
	}
	if ( triangleCount == 0 )
	{
		supAddNote( builder, false, "meshes[%d] \"%.80s\" has no triangles", meshIndex, mesh->name );
	}
	else if ( flat.count == triangleCount )
	{
		supAddNote( builder, false, "meshes[%d] \"%.80s\" has no area: all %d triangles are degenerate", meshIndex,
					mesh->name, triangleCount );
	}
	else if ( flat.count > 0 )
	{
		supAddNote( builder, false, "meshes[%d] \"%.80s\" has %d triangles without area, the first is triangle %d",
					meshIndex, mesh->name, flat.count, flat.first );
	}
}

static bool CheckPrimitive( supCharacterBuilder* builder, int32_t meshIndex, int32_t index, const supMesh* mesh )
{
	const supPrimitive* p = mesh->primitives + index;
	bool inside = p->vertexStart >= 0 && p->vertexCount >= 0 && p->indexStart >= 0 && p->indexCount >= 0 &&
				  (int64_t)p->vertexStart + p->vertexCount <= mesh->vertexCount &&
				  (int64_t)p->indexStart + p->indexCount <= mesh->indexCount;
	if ( inside == false || p->indexStart % 3 != 0 || p->indexCount % 3 != 0 )
	{
		return supSetError( builder->error, sup_errorFormat,
							supAt( builder, "meshes[%d].primitives[%d]", meshIndex, index ),
							"its vertices or triangles lie outside the mesh or do not make whole triangles" );
	}
	if ( p->material < -1 || p->material >= builder->character->materialCount )
	{
		return supSetError(
			builder->error, sup_errorFormat, supAt( builder, "meshes[%d].primitives[%d].material", meshIndex, index ),
			"material %d does not exist; there are %d", p->material, builder->character->materialCount );
	}
	for ( int32_t i = p->indexStart; i < p->indexStart + p->indexCount; ++i )
	{
		uint32_t vertex = mesh->indices[i];
		if ( vertex < (uint32_t)p->vertexStart || vertex >= (uint32_t)( p->vertexStart + p->vertexCount ) )
		{
			return supSetError( builder->error, sup_errorFormat,
								supAt( builder, "meshes[%d].primitives[%d]", meshIndex, index ),
								"a triangle uses vertex %u, but the vertices of the primitive are %d to %d", vertex,
								p->vertexStart, p->vertexStart + p->vertexCount - 1 );
		}
	}
	return true;
}

static bool CopyPrimitives( supCharacterBuilder* builder, int32_t meshIndex, supMesh* mesh )
{
	const supMesh* source = builder->def->meshes + meshIndex;
	supPrimitive whole = { 0, mesh->vertexCount, 0, mesh->indexCount, -1 };
	bool given = source->primitiveCount > 0;
	mesh->primitiveCount = given ? source->primitiveCount : 1;
	mesh->primitives = supArena_CopyArray( builder->arena, given ? source->primitives : &whole,
										   (size_t)mesh->primitiveCount, sizeof( supPrimitive ) );
	if ( mesh->primitives == NULL )
	{
		return false;
	}
	// primitives may share vertices, but many over the same triangles would be checked again and again
	int64_t indexTotal = 0;
	for ( int32_t i = 0; i < mesh->primitiveCount; ++i )
	{
		indexTotal += mesh->primitives[i].indexCount > 0 ? mesh->primitives[i].indexCount : 0;
		if ( indexTotal > mesh->indexCount )
		{
			return supSetError( builder->error, sup_errorFormat,
								supAt( builder, "meshes[%d].primitives[%d]", meshIndex, i ),
								"the primitives together have more triangles than the mesh" );
		}
		if ( CheckPrimitive( builder, meshIndex, i, mesh ) == false )
		{
			return false;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Normals and tangents

// Area-weighted mean of the triangles around each marked vertex.
static void RecomputeNormals( const supMesh* mesh, supVec3* normals, const bool* marked )
{
	for ( int32_t i = 0; i < mesh->indexCount; i += 3 )
	{
		const uint32_t* corners = mesh->indices + i;
		supVec3 a = mesh->positions[corners[0]];
		supVec3 normal = supCross( supSub( mesh->positions[corners[1]], a ), supSub( mesh->positions[corners[2]], a ) );
		for ( int k = 0; k < 3; ++k )
		{
			if ( marked[corners[k]] && supIsFiniteVec3( normal ) )
			{
				normals[corners[k]] = supAdd( normals[corners[k]], normal );
			}
		}
	}
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		if ( marked[i] )
		{
			supVec3 normal = supNormalize( normals[i] );
			normals[i] = supIsFiniteVec3( normal ) ? normal : supVec3_zero;
		}
	}
}

// Returns false where the direction is not usable at all. Zero stays zero: it means "none".
static bool RepairDirection( supVec3* direction, bool* wasOff )
{
	float lengthSquared = supLengthSquared( *direction );
	if ( supIsFinite( lengthSquared ) == false )
	{
		*direction = supVec3_zero;
		return false;
	}
	if ( lengthSquared < 1e-24f )
	{
		*direction = supVec3_zero;
	}
	else if ( !( lengthSquared > 1.0f - UNIT_TOLERANCE && lengthSquared < 1.0f + UNIT_TOLERANCE ) )
	{
		float length = sqrtf( lengthSquared );
		*wasOff = length < 1.0f - UNIT_NOTE_TOLERANCE || length > 1.0f + UNIT_NOTE_TOLERANCE;
		*direction = supNormalize( *direction );
	}
	return true;
}

static void AddDirectionNotes( supCharacterBuilder* builder, int32_t meshIndex, const supMesh* mesh, const char* what,
							   supTally bad, supTally off, const char* remedy )
{
	if ( bad.count > 0 )
	{
		supAddNote( builder, true, "meshes[%d] \"%.80s\": %d %s are not finite, the first at vertex %d; %s", meshIndex,
					mesh->name, bad.count, what, bad.first, remedy );
	}
	if ( off.count > 0 )
	{
		supAddNote( builder, true,
					"meshes[%d] \"%.80s\": %d %s are not of unit length, the first at vertex %d; normalised", meshIndex,
					mesh->name, off.count, what, off.first );
	}
}

static bool CopyNormals( supCharacterBuilder* builder, int32_t meshIndex, supMesh* mesh )
{
	const supMesh* source = builder->def->meshes + meshIndex;
	if ( source->normals == NULL )
	{
		mesh->normals = NULL;
		return true;
	}
	supVec3* normals =
		supArena_CopyArray( builder->arena, source->normals, (size_t)mesh->vertexCount, sizeof( supVec3 ) );
	if ( normals == NULL )
	{
		return false;
	}
	mesh->normals = normals;
	supTally bad = { 0 }, off = { 0 };
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		bool wasOff = false;
		if ( RepairDirection( normals + i, &wasOff ) == false )
		{
			supTally_Add( &bad, i );
		}
		if ( wasOff )
		{
			supTally_Add( &off, i );
		}
	}
	AddDirectionNotes( builder, meshIndex, mesh, "normals", bad, off, "computed from the triangles instead" );
	if ( bad.count == 0 )
	{
		return true;
	}
	bool* marked = supAllocArray( (size_t)mesh->vertexCount, sizeof( bool ) );
	if ( marked == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		marked[i] = supIsFinite( supLengthSquared( source->normals[i] ) ) == false;
	}
	RecomputeNormals( mesh, normals, marked );
	supFree( marked );
	return true;
}

static bool CopyTangents( supCharacterBuilder* builder, int32_t meshIndex, supMesh* mesh )
{
	const supMesh* source = builder->def->meshes + meshIndex;
	if ( source->tangents == NULL )
	{
		mesh->tangents = NULL;
		return true;
	}
	supVec4* tangents =
		supArena_CopyArray( builder->arena, source->tangents, (size_t)mesh->vertexCount, sizeof( supVec4 ) );
	if ( tangents == NULL )
	{
		return false;
	}
	mesh->tangents = tangents;
	supTally bad = { 0 }, off = { 0 };
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		supVec3 direction = { tangents[i].x, tangents[i].y, tangents[i].z };
		bool wasOff = false;
		if ( RepairDirection( &direction, &wasOff ) == false )
		{
			supTally_Add( &bad, i );
		}
		bool none = direction.x == 0.0f && direction.y == 0.0f && direction.z == 0.0f;
		float w = none ? 0.0f : ( tangents[i].w < 0.0f ? -1.0f : 1.0f );
		// 8-bit signs come out as -1 and 1 too, so that whatever is not near one of the two is odd
		bool oddSign = none == false && !( tangents[i].w * w > 1.0f - UNIT_NOTE_TOLERANCE &&
										   tangents[i].w * w < 1.0f + UNIT_NOTE_TOLERANCE );
		if ( wasOff || oddSign )
		{
			supTally_Add( &off, i );
		}
		tangents[i] = ( supVec4 ){ direction.x, direction.y, direction.z, w };
	}
	AddDirectionNotes( builder, meshIndex, mesh, "tangents", bad, off, "not used there" );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Plain floats: texture coordinates, colours, morph offsets

// `valuesOut` stays NULL if there are none. Values that are not numbers become zero.
static bool CopyFloats( supCharacterBuilder* builder, const void* source, int32_t vertexCount, int32_t width,
						void** valuesOut, supTally* bad )
{
	*valuesOut = NULL;
	if ( source == NULL )
	{
		return true;
	}
	size_t count = (size_t)vertexCount * (size_t)width;
	float* values = supArena_CopyArray( builder->arena, source, count, sizeof( float ) );
	if ( values == NULL )
	{
		return false;
	}
	for ( size_t i = 0; i < count; ++i )
	{
		if ( supIsFinite( values[i] ) == false )
		{
			values[i] = 0.0f;
			supTally_Add( bad, (int32_t)( i / (size_t)width ) );
		}
	}
	*valuesOut = values;
	return true;
}

static void ClampSoftness( supCharacterBuilder* builder, int32_t meshIndex, const supMesh* mesh, float* softness )
{
	supTally outside = { 0 };
	for ( int32_t i = 0; softness != NULL && i < mesh->vertexCount; ++i )
	{
		float clamped = supClampFloat( softness[i], 0.0f, 1.0f );
		if ( clamped != softness[i] )
		{
			softness[i] = clamped;
			supTally_Add( &outside, i );
		}
	}
	if ( outside.count > 0 )
	{
		supAddNote( builder, true,
					"meshes[%d] \"%.80s\": %d softnesses are not between 0 and 1, the first at vertex %d", meshIndex,
					mesh->name, outside.count, outside.first );
	}
}

static bool CopySurface( supCharacterBuilder* builder, int32_t meshIndex, supMesh* mesh )
{
	const supMesh* source = builder->def->meshes + meshIndex;
	supTally bad = { 0 };
	void* texcoords;
	void* colors;
	void* softness;
	if ( CopyFloats( builder, source->texcoords, mesh->vertexCount, 2, &texcoords, &bad ) == false ||
		 CopyFloats( builder, source->colors, mesh->vertexCount, 4, &colors, &bad ) == false ||
		 CopyFloats( builder, source->softness, mesh->vertexCount, 1, &softness, &bad ) == false )
	{
		return false;
	}
	mesh->texcoords = texcoords;
	mesh->colors = colors;
	mesh->softness = softness;
	ClampSoftness( builder, meshIndex, mesh, softness );
	if ( bad.count > 0 )
	{
		supAddNote( builder, true,
					"meshes[%d] \"%.80s\": %d texture coordinates, colours or softnesses are not finite, the "
					"first at vertex %d; 0 is used",
					meshIndex, mesh->name, bad.count, bad.first );
	}
	return true;
}

static bool CopyTargets( supCharacterBuilder* builder, int32_t meshIndex, supMesh* mesh )
{
	const supMesh* source = builder->def->meshes + meshIndex;
	supMorphTarget* targets =
		supArena_AllocArray( builder->arena, (size_t)source->targetCount, sizeof( supMorphTarget ) );
	if ( targets == NULL )
	{
		return false;
	}
	supTally bad = { 0 };
	for ( int32_t i = 0; i < source->targetCount; ++i )
	{
		const supMorphTarget* from = source->targets + i;
		const char* place = supAt( builder, "meshes[%d].targets[%d]", meshIndex, i );
		if ( from->positions != NULL && CheckPositions( builder, from->positions, mesh->vertexCount, place ) == false )
		{
			return false;
		}
		const char* name = supArena_CopyString( builder->arena, from->name );
		void* positions;
		void* normals;
		void* tangents;
		bool ok = name != NULL && CopyFloats( builder, from->positions, mesh->vertexCount, 3, &positions, &bad ) &&
				  CopyFloats( builder, from->normals, mesh->vertexCount, 3, &normals, &bad ) &&
				  CopyFloats( builder, from->tangents, mesh->vertexCount, 3, &tangents, &bad );
		if ( ok == false )
		{
			return false;
		}
		targets[i] = ( supMorphTarget ){ name, positions, normals, tangents };
	}
	if ( bad.count > 0 )
	{
		supAddNote( builder, true,
					"meshes[%d] \"%.80s\": %d values in normals or tangents of morph targets are not finite, the "
					"first at vertex %d; 0 is used",
					meshIndex, mesh->name, bad.count, bad.first );
	}
	mesh->targets = targets;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool CheckSizes( supCharacterBuilder* builder, int32_t meshIndex )
{
	const supMesh* source = builder->def->meshes + meshIndex;
	char place[64];
	memcpy( place, supAt( builder, "meshes[%d]", meshIndex ), sizeof( place ) );
	place[sizeof( place ) - 1] = 0;
	bool ok = supCheckCount( builder, source->vertexCount, source->positions, place ) &&
			  supCheckCount( builder, source->indexCount / 3, place, place ) &&
			  supCheckCount( builder, source->indexCount % 3, place, place ) &&
			  supCheckCount( builder, source->primitiveCount, source->primitives, place ) &&
			  supCheckCount( builder, source->targetCount, source->targets, place );
	if ( ok == false )
	{
		return false;
	}
	builder->vertexTotal += source->vertexCount;
	builder->indexTotal += source->indexCount / 3;
	builder->targetTotal += (int64_t)source->targetCount * ( (int64_t)source->vertexCount + 1 );
	return supCheckCount( builder, builder->vertexTotal, place, "meshes (vertices in total)" ) &&
		   supCheckCount( builder, builder->indexTotal, place, "meshes (triangles in total)" ) &&
		   supCheckCount( builder, builder->targetTotal, place, "meshes (morph targets in total)" );
}

static bool CopyMesh( supCharacterBuilder* builder, int32_t index )
{
	const supMesh* source = builder->def->meshes + index;
	supMesh* mesh = builder->character->meshes + index;
	if ( CheckSizes( builder, index ) == false )
	{
		return false;
	}
	*mesh = ( supMesh ){ .vertexCount = source->vertexCount,
						 .indexCount = source->indexCount,
						 .targetCount = source->targetCount };
	mesh->name = supArena_CopyString( builder->arena, source->name );
	mesh->positions =
		supArena_CopyArray( builder->arena, source->positions, (size_t)source->vertexCount, sizeof( supVec3 ) );
	if ( mesh->name == NULL || mesh->positions == NULL )
	{
		return false;
	}
	const char* place = supAt( builder, "meshes[%d].positions", index );
	bool ok = CheckPositions( builder, mesh->positions, mesh->vertexCount, place ) &&
			  CopyIndices( builder, index, mesh ) && CopyPrimitives( builder, index, mesh );
	if ( ok == false )
	{
		return false;
	}
	AddTriangleNotes( builder, index, mesh );
	return CopyNormals( builder, index, mesh ) && CopyTangents( builder, index, mesh ) &&
		   CopySurface( builder, index, mesh ) && CopyTargets( builder, index, mesh ) &&
		   supBuildWeights( builder, index, mesh );
}

bool supBuildMeshes( supCharacterBuilder* builder )
{
	const supCharacterDef* def = builder->def;
	supCharacter* character = builder->character;
	if ( supCheckCount( builder, def->meshCount, def->meshes, "meshes" ) == false )
	{
		return false;
	}
	character->meshCount = def->meshCount;
	character->meshes = supArena_AllocArray( builder->arena, (size_t)def->meshCount, sizeof( supMesh ) );
	character->meshJointCounts = supArena_AllocArray( builder->arena, (size_t)def->meshCount, sizeof( int32_t ) );
	bool ok = builder->arena->failed == false;
	for ( int32_t i = 0; i < def->meshCount && ok; ++i )
	{
		ok = CopyMesh( builder, i );
	}
	return ok;
}
