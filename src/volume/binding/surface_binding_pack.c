// SPDX-License-Identifier: MIT
// Surface bindings in packs.
#include "volume/binding/surface_binding.h"

void supSurfaceBinding_Save( const supSurfaceBinding* binding, supPackWriter* writer )
{
	int64_t vertices = binding->vertexCount, slots = vertices * binding->width;
	int64_t morphs = binding->morphStarts[binding->instanceCount];
	supPackWriter_AddInt( writer, "width", binding->width );
	supPackWriter_AddFloat( writer, "smoothness", binding->smoothness );
	supPackWriter_Add( writer, "restPoints", sup_packF32, 4 * (int64_t)binding->pointCount, binding->restPoints );
	supPackWriter_Add( writer, "points", sup_packI32, slots, binding->points );
	supPackWriter_Add( writer, "weights", sup_packF32, slots, binding->weights );
	supPackWriter_Add( writer, "positions", sup_packF32, 3 * vertices, binding->positions );
	supPackWriter_Add( writer, "normals", sup_packF32, 3 * vertices, binding->normals );
	supPackWriter_Add( writer, "morphs", sup_packF32, 3 * morphs, binding->morphs );
	supPackWriter_Add( writer, "morphNormals", sup_packF32, 3 * morphs, binding->morphNormals );
	if ( binding->offsets != NULL )
	{
		supPackWriter_Add( writer, "offsets", sup_packF32, 3 * vertices, binding->offsets );
	}
	if ( binding->skinShares != NULL )
	{
		supPackWriter_Add( writer, "skinShares", sup_packF32, vertices, binding->skinShares );
	}
	const supBindReport* report = &binding->report;
	const int32_t counts[3] = { report->inside, report->outside, report->resided };
	supPackWriter_Add( writer, "report", sup_packI32, 3, counts );
	supPackWriter_AddFloat( writer, "farthest", report->farthest );
	if ( binding->gradients != NULL )
	{
		int64_t total = binding->neighbourStarts[binding->pointCount];
		supPackWriter_Add( writer, "starts", sup_packI32, (int64_t)binding->pointCount + 1, binding->neighbourStarts );
		supPackWriter_Add( writer, "neighbours", sup_packI32, total, binding->neighbours );
		supPackWriter_Add( writer, "gradients", sup_packF32, 3 * total, binding->gradients );
	}
}

// The starts follow from the character; only what was made of it is read.
static bool CountSkin( supSurfaceBinding* binding, const supCharacter* character )
{
	int32_t count = supCharacter_InstanceCount( character );
	int32_t* vertexStarts = supArena_AllocArray( &binding->arena, (size_t)count + 1, sizeof( int32_t ) );
	int64_t* morphStarts = supArena_AllocArray( &binding->arena, (size_t)count + 1, sizeof( int64_t ) );
	bool* still = supArena_AllocArray( &binding->arena, (size_t)count, sizeof( bool ) );
	if ( binding->arena.failed || supFindStillInstances( character, still ) == false )
	{
		return false;
	}
	binding->still = still;
	int64_t vertices = 0, morphs = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		vertexStarts[i] = (int32_t)vertices;
		morphStarts[i] = morphs;
		vertices += mesh->vertexCount;
		morphs += (int64_t)mesh->targetCount * mesh->vertexCount;
		if ( vertices > ( 1 << 30 ) )
		{
			return false;
		}
	}
	vertexStarts[count] = (int32_t)vertices;
	morphStarts[count] = morphs;
	binding->instanceCount = count;
	binding->vertexCount = (int32_t)vertices;
	binding->vertexStarts = vertexStarts;
	binding->morphStarts = morphStarts;
	return true;
}

static void LoadGradients( supSurfaceBinding* binding, supPackReader* reader )
{
	int64_t total = supPackReader_Count( reader, "neighbours" );
	if ( total > INT32_MAX )
	{
		supPackReader_Refuse( reader, "neighbours", "too many" );
		return;
	}
	binding->neighbourStarts =
		supPackReader_GetInts( reader, "starts", (int64_t)binding->pointCount + 1, 0, (int32_t)total );
	binding->neighbours = supPackReader_GetInts( reader, "neighbours", total, 0, binding->pointCount - 1 );
	binding->gradients = (const supVec3*)(const void*)supPackReader_GetFloats( reader, "gradients", 3 * total );
	for ( int32_t i = 0; i < binding->pointCount && reader->failed == false; ++i )
	{
		if ( binding->neighbourStarts[i] > binding->neighbourStarts[i + 1] )
		{
			supPackReader_Refuse( reader, "starts", "entry %d is larger than the next one", i );
		}
	}
}

static const supVec3* LoadVectors( supPackReader* reader, const char* name, int64_t count )
{
	return (const supVec3*)(const void*)supPackReader_GetFloats( reader, name, 3 * count );
}

static void LoadSkin( supSurfaceBinding* binding, supPackReader* reader )
{
	int64_t vertices = binding->vertexCount, slots = vertices * binding->width;
	int64_t morphs = binding->morphStarts[binding->instanceCount];
	binding->points = supPackReader_GetInts( reader, "points", slots, 0, binding->pointCount - 1 );
	binding->weights = supPackReader_GetFloats( reader, "weights", slots );
	binding->positions = LoadVectors( reader, "positions", vertices );
	binding->normals = LoadVectors( reader, "normals", vertices );
	binding->morphs = LoadVectors( reader, "morphs", morphs );
	binding->morphNormals = LoadVectors( reader, "morphNormals", morphs );
	binding->offsets = supPackReader_Has( reader, "offsets" ) ? LoadVectors( reader, "offsets", vertices ) : NULL;
	binding->skinShares =
		supPackReader_Has( reader, "skinShares" ) ? supPackReader_GetFloats( reader, "skinShares", vertices ) : NULL;
	const int32_t* counts = supPackReader_GetInts( reader, "report", 3, 0, INT32_MAX );
	if ( counts != NULL )
	{
		binding->report = ( supBindReport ){ .inside = counts[0], .outside = counts[1], .resided = counts[2] };
	}
	binding->report.farthest = supPackReader_GetFloat( reader, "farthest" );
}

bool supSurfaceBinding_Load( supSurfaceBinding* binding, supPackReader* reader, const supCharacter* character,
							 int32_t pointCount, int32_t width )
{
	SUP_ASSERT( pointCount > 0 && ( width == 4 || width == 8 ) );
	if ( CountSkin( binding, character ) == false )
	{
		reader->failed = true;
		supSetMemoryError( reader->error );
	}
	else
	{
		binding->pointCount = pointCount;
		binding->width = supPackReader_GetInt( reader, "width", width, width );
		binding->smoothness = supPackReader_GetFloat( reader, "smoothness" );
		binding->restPoints =
			(const supVec4*)(const void*)supPackReader_GetFloats( reader, "restPoints", 4 * (int64_t)pointCount );
		LoadSkin( binding, reader );
		if ( width == 4 )
		{
			LoadGradients( binding, reader );
		}
	}
	if ( reader->failed )
	{
		supSurfaceBinding_Destroy( binding );
		return false;
	}
	return true;
}
