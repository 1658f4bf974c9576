// SPDX-License-Identifier: MIT
// The frame of a bake that a supervisor should look at, kept small beside the outputs: 10 bytes a vertex. Pictures are
// drawn from it when a report asks for them, so that a batch does not wait for them.
#define _DEFAULT_SOURCE
#include "batch_snapshot.h"

#include "bake/bake.h"
#include "draw/view.h"
#include "io/common/file.h"
#include "report.h"

#include <limits.h>
#include <math.h>

#define MAGIC "SUPFRM01"

typedef struct Header
{
	char magic[8];
	char key[BATCH_KEY_LENGTH + 7];
	int64_t vertexCount;
	float low[3], size[3];
} Header;

typedef struct Packed
{
	uint16_t position[3]; // in the box
	int8_t normal[3];
	uint8_t padding;
} Packed;

// Volume gained or lost by a twentieth, a longest edge half as long again, a penetration of one part in a hundred and a
// tenth of all vertices guarded are equally bad.
static float FrameBadness( const supBakeFrame* frame )
{
	const supSurfaceMeasure* m = &frame->measure;
	return fabsf( m->volumeError ) / 0.05f + m->stretch / 0.5f + m->penetration / 0.01f +
		   (float)frame->guard.vertices * 1e-3f;
}

static void SnapshotPath( const BatchPlan* plan, const BatchJob* job, char path[PATH_MAX] )
{
	snprintf( path, PATH_MAX, "%s/frames/%s", plan->state, job->id );
}

static supBox BoundAll( const supVec3* positions, int64_t count )
{
	supBox box = supBox_empty;
	for ( int64_t i = 0; i < count; ++i )
	{
		box = supBox_Include( box, positions[i] );
	}
	return box;
}

static uint16_t PackShare( float value, float low, float size )
{
	return (uint16_t)( size > 0.0f ? supClampFloat( ( value - low ) / size, 0.0f, 1.0f ) * 65535.0f : 0.0f );
}

static void WriteSnapshot( const char* path, const BatchJob* job, const supVec3* positions, const supVec3* normals,
						   int64_t count )
{
	Header header = { .magic = MAGIC, .vertexCount = count };
	supBox box = BoundAll( positions, count );
	supVec3 size = supBox_Size( box );
	memcpy( header.key, job->key, BATCH_KEY_LENGTH );
	memcpy( header.low, &box.lower, sizeof( header.low ) );
	memcpy( header.size, &size, sizeof( header.size ) );
	size_t byteCount = sizeof( header ) + (size_t)count * sizeof( Packed );
	char* bytes = supAllocZeroed( byteCount );
	if ( bytes == NULL )
	{
		return;
	}
	memcpy( bytes, &header, sizeof( header ) );
	Packed* packed = (Packed*)( bytes + sizeof( header ) );
	for ( int64_t i = 0; i < count; ++i )
	{
		supVec3 p = positions[i], n = normals[i];
		packed[i] = ( Packed ){ { PackShare( p.x, box.lower.x, size.x ), PackShare( p.y, box.lower.y, size.y ),
								  PackShare( p.z, box.lower.z, size.z ) },
								{ (int8_t)( 127.0f * n.x ), (int8_t)( 127.0f * n.y ), (int8_t)( 127.0f * n.z ) },
								0 };
	}
	// only a picture hangs on it: no syncing, and no complaint where it cannot be written
	FILE* file = fopen( path, "wbe" );
	if ( file != NULL )
	{
		(void)!fwrite( bytes, 1, byteCount, file );
		fclose( file );
	}
	supFree( bytes );
}

void SaveSnapshot( const BatchPlan* plan, const BatchJob* job, const BakeJob* bake, float* worstTime )
{
	supBake* worst = NULL;
	int32_t worstFrame = 0;
	float badness = -1.0f;
	for ( int32_t i = 0; i < bake->clips.count; ++i )
	{
		const supBakeReport* report = supBake_Report( bake->clips.data[i].bake );
		for ( int32_t k = 0; k < report->frameCount; ++k )
		{
			float now = FrameBadness( report->frames + k );
			if ( now > badness )
			{
				badness = now;
				worst = bake->clips.data[i].bake;
				worstFrame = k;
				*worstTime = report->frames[k].time;
			}
		}
	}
	if ( worst == NULL )
	{
		return;
	}
	int64_t count = worst->firstVertex[worst->instanceCount];
	supVec3* data = supAllocArray( 2 * (size_t)count, sizeof( supVec3 ) );
	char path[PATH_MAX];
	SnapshotPath( plan, job, path );
	if ( data != NULL && supWorkFile_ReadData( worst->work, worstFrame, 0, 2 * count, data, NULL ) )
	{
		WriteSnapshot( path, job, data, data + count, count );
	}
	supFree( data );
}

static bool ShowSnapshot( const Packed* packed, const Header* header, const supCharacter* character,
						  supCharacterView* view )
{
	int64_t next = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
		supVec3* positions = supCharacterView_Positions( view, i );
		supVec3* normals = supCharacterView_Normals( view, i );
		for ( int32_t v = 0; v < count; ++v, ++next )
		{
			if ( next >= header->vertexCount )
			{
				return false;
			}
			const Packed* p = packed + next;
			float at[3];
			for ( int32_t axis = 0; axis < 3; ++axis )
			{
				at[axis] = header->low[axis] + header->size[axis] * ( (float)p->position[axis] / 65535.0f );
			}
			positions[v] = ( supVec3 ){ at[0], at[1], at[2] };
			supVec3 n = { (float)p->normal[0], (float)p->normal[1], (float)p->normal[2] };
			normals[v] = supLength( n ) > 0.0f ? supNormalize( n ) : ( supVec3 ){ 0.0f, 1.0f, 0.0f };
		}
	}
	supCharacterView_Update( view );
	return next == header->vertexCount;
}

bool DrawSnapshot( const BatchPlan* plan, const BatchJob* job, const supCharacter* character, float azimuth,
				   int32_t size, supPicture* picture )
{
	char path[PATH_MAX];
	SnapshotPath( plan, job, path );
	size_t byteCount = 0;
	uint8_t* bytes = supReadFile( path, &byteCount, NULL );
	Header header = { 0 };
	bool ok = bytes != NULL && byteCount >= sizeof( header );
	if ( ok )
	{
		memcpy( &header, bytes, sizeof( header ) );
		ok = memcmp( header.magic, MAGIC, 8 ) == 0 && memcmp( header.key, job->key, BATCH_KEY_LENGTH ) == 0 &&
			 header.vertexCount >= 0 &&
			 (uint64_t)header.vertexCount == ( byteCount - sizeof( header ) ) / sizeof( Packed );
	}
	supError error = { 0 };
	supCharacterView* view = ok ? supCreateCharacterView( character, &error ) : NULL;
	ok = view != NULL && ShowSnapshot( (const Packed*)( bytes + sizeof( header ) ), &header, character, view );
	if ( ok )
	{
		supBox box = supCharacterView_Bounds( view );
		supRenderDef def = { .width = size,
							 .height = size,
							 .view = supFrameView( box, azimuth, 8.0f, 1.0f ),
							 .ground = box.lower.y,
							 .showGround = true,
							 .background = { 0.58f, 0.62f, 0.66f } };
		ok = supCharacterView_Draw( view, &def, NULL, picture, &error );
	}
	supDestroyCharacterView( view );
	supFree( bytes );
	return ok;
}
