// SPDX-License-Identifier: MIT
// Flesh into a pack and out again. The body itself is not in it: it is built again from its points and tets, which
// takes less time than reading it would, and checks them.
#include "method/points/flesh.h"

void supPoints_SaveFlesh( const void* fleshPointer, supPackWriter* writer )
{
	const supPointsFlesh* flesh = fleshPointer;
	int64_t slots = (int64_t)SUP_MAX_INFLUENCES * flesh->pointCount;
	supPackWriter_AddInt( writer, "integrator", (int32_t)flesh->integrator );
	supPackWriter_AddFloat( writer, "density", flesh->density );
	supPackWriter_AddInt( writer, "prop", flesh->isProp );
	supPackWriter_AddInt( writer, "direct", flesh->isDirect );
	supPackWriter_Add( writer, "rest", sup_packF32, 3 * (int64_t)flesh->pointCount, flesh->points );
	supPackWriter_Add( writer, "tets", sup_packI32, 4 * (int64_t)flesh->tetCount, flesh->tets );
	supPackWriter_Add( writer, "triangles", sup_packI32, 3 * (int64_t)flesh->triangleCount, flesh->triangles );
	supPackWriter_Add( writer, "fixed", sup_packU8, flesh->pointCount, flesh->fixed );
	supPackWriter_Add( writer, "stiffness", sup_packF32, flesh->tetCount, flesh->tetStiffness );
	supPackWriter_Add( writer, "joints", sup_packU16, slots, flesh->joints );
	supPackWriter_Add( writer, "weights", sup_packF32, slots, flesh->weights );
	supPackWriter_Add( writer, "bones", sup_packI32, flesh->boneCount, flesh->boneNodes );
	supPackWriter_Add( writer, "inverses", sup_packF32, 12 * (int64_t)flesh->boneCount, flesh->boneInverses );
	if ( flesh->isProp == false )
	{
		supPackWriter_Add( writer, "softness", sup_packF32, flesh->pointCount, flesh->softnesses );
		supPackWriter_Add( writer, "regions", sup_packI32, flesh->pointCount, flesh->regions );
		supPackWriter_Add( writer, "swings", sup_packF32, 3 * (int64_t)flesh->regionCount, flesh->swings );
	}
	if ( flesh->isDirect == false )
	{
		supPackWriter_Enter( writer, "binding" );
		supSurfaceBinding_Save( &flesh->binding, writer );
		supPackWriter_Leave( writer );
	}
}

// How many groups of `width` items a section has.
static int32_t CountOf( supPackReader* reader, const char* name, int32_t width, int32_t most )
{
	int64_t count = supPackReader_Count( reader, name );
	if ( count % width != 0 || count / width > most )
	{
		supPackReader_Refuse( reader, name, "it has %lld numbers", (long long)count );
		return 0;
	}
	return (int32_t)( count / width );
}

static void CheckJoints( const supPointsFlesh* flesh, supPackReader* reader )
{
	for ( int64_t i = 0; reader->failed == false && i < (int64_t)SUP_MAX_INFLUENCES * flesh->pointCount; ++i )
	{
		if ( flesh->joints[i] >= flesh->boneCount )
		{
			supPackReader_Refuse( reader, "joints", "bone %d of %d", flesh->joints[i], flesh->boneCount );
		}
	}
}

static void ReadArrays( supPointsFlesh* flesh, supPackReader* reader, const supCharacter* character )
{
	int32_t most = SUP_MAX_POINTS;
	flesh->integrator = (supIntegrator)supPackReader_GetInt( reader, "integrator", 0, sup_integratorCount - 1 );
	flesh->density = supPackReader_GetFloat( reader, "density" );
	flesh->isProp = supPackReader_GetInt( reader, "prop", 0, 1 ) != 0;
	flesh->isDirect = supPackReader_GetInt( reader, "direct", 0, 1 ) != 0;
	flesh->pointCount = CountOf( reader, "rest", 3, most );
	flesh->tetCount = CountOf( reader, "tets", 4, most );
	flesh->triangleCount = CountOf( reader, "triangles", 3, most );
	flesh->boneCount = CountOf( reader, "bones", 1, supCharacter_NodeCount( character ) );
	int32_t last = flesh->pointCount - 1;
	int64_t slots = (int64_t)SUP_MAX_INFLUENCES * flesh->pointCount;
	flesh->points = (const supVec3*)supPackReader_GetFloats( reader, "rest", 3 * (int64_t)flesh->pointCount );
	flesh->tets = supPackReader_GetInts( reader, "tets", 4 * (int64_t)flesh->tetCount, 0, last );
	flesh->triangles = supPackReader_GetInts( reader, "triangles", 3 * (int64_t)flesh->triangleCount, 0, last );
	flesh->fixed = supPackReader_Get( reader, "fixed", sup_packU8, flesh->pointCount );
	flesh->tetStiffness = supPackReader_GetFloats( reader, "stiffness", flesh->tetCount );
	flesh->joints = supPackReader_Get( reader, "joints", sup_packU16, slots );
	flesh->weights = supPackReader_GetFloats( reader, "weights", slots );
	flesh->boneNodes =
		supPackReader_GetInts( reader, "bones", flesh->boneCount, 0, supCharacter_NodeCount( character ) - 1 );
	flesh->boneInverses =
		(const supMat34*)supPackReader_GetFloats( reader, "inverses", 12 * (int64_t)flesh->boneCount );
	CheckJoints( flesh, reader );
	flesh->isPosed = flesh->isProp == false && flesh->integrator == sup_integratorImplicit;
	if ( flesh->isProp == false )
	{
		flesh->softnesses = supPackReader_GetFloats( reader, "softness", flesh->pointCount );
		flesh->regionCount = CountOf( reader, "swings", 3, SUP_MAX_POINTS );
		flesh->swings = supPackReader_GetFloats( reader, "swings", 3 * (int64_t)flesh->regionCount );
		flesh->regions = supPackReader_GetInts( reader, "regions", flesh->pointCount, 0, flesh->regionCount - 1 );
	}
}

static bool ReadSurface( supPointsFlesh* flesh, supPackReader* reader, const supCharacter* character )
{
	if ( flesh->isDirect )
	{
		const supMesh* mesh = supCharacter_InstanceCount( character ) == 1
								  ? supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh )
								  : NULL;
		return ( mesh != NULL && mesh->vertexCount == flesh->pointCount ) ||
			   supPackReader_Refuse( reader, "direct", "the character must have one vertex per point" );
	}
	supPackReader_Enter( reader, "binding" );
	bool ok = supSurfaceBinding_Load( &flesh->binding, reader, character, flesh->pointCount, 4 );
	supPackReader_Leave( reader );
	return ok;
}

void* supPoints_LoadFlesh( supPackReader* reader, const supCharacter* character )
{
	supPointsFlesh* flesh = supAllocZeroed( sizeof( supPointsFlesh ) );
	if ( flesh == NULL )
	{
		supSetMemoryError( reader->error );
		reader->failed = true;
		return NULL;
	}
	ReadArrays( flesh, reader, character );
	bool ok = reader->failed == false && ReadSurface( flesh, reader, character );
	supError error = { 0 };
	if ( ok && supPointsFlesh_Finish( flesh, character, &error ) == false )
	{
		ok = false;
		supPackReader_PassError( reader, &error );
	}
	if ( ok == false )
	{
		supPoints_DestroyFlesh( flesh );
		flesh = NULL;
	}
	return flesh;
}
