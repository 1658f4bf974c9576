// SPDX-License-Identifier: MIT
// supple_proof [--tets N] [--resolution N] FILE...: one row of a Markdown table for each file, of what becomes of it as
// voxels, layers, weights, tetrahedra and bindings. scripts/proof.sh puts the tables together.
#include "core/clock.h"
#include "core/core.h"
#include "supple/supple.h"
#include "volume/binding/surface_binding.h"
#include "volume/body/body.h"
#include "volume/tets/tet_mesher.h"
#include "volume/tets/tet_quality.h"
#include "volume/weights/geodesic_weights.h"
#include "volume/weights/lost_joints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Proof
{
	const supTasks* tasks;
	int32_t resolution;
	int32_t tetCount;
	supCharacter* character;
	bool hasSkeleton;
	supBody body;
	supArena arena;
	supTets tets;
	supTetsReport tetsReport;
	double seconds;
} Proof;

static void PrintRefusal( const supError* error )
{
	printf( " refused: %.160s |", error->message );
}

// ---------------------------------------------------------------------------------------------------------------------
// Voxels, layers, weights

static int32_t CountParts( const supVoxels* voxels )
{
	int32_t* parts = supAllocArray( (size_t)voxels->count, sizeof( int32_t ) );
	int32_t count = parts != NULL ? supVoxels_FindParts( voxels, parts ) : -1;
	supFree( parts );
	return count;
}

// What a mesh without a skeleton has of a body.
static bool InitVoxels( Proof* proof, supError* error )
{
	supBody* body = &proof->body;
	if ( supRestSurface_Init( &body->surface, proof->character, proof->tasks, error ) == false )
	{
		return false;
	}
	const supRestSurface* s = &body->surface;
	supVoxelsDef def = { proof->resolution, s->vertexCount, s->positions, s->triangleCount, s->indices, proof->tasks };
	return supVoxels_Init( &body->voxels, &def, error );
}

static void PrintLostJoints( Proof* proof )
{
	const supBody* body = &proof->body;
	supLostJoint* lost = supArena_AllocArray( &proof->arena, (size_t)body->bones.count, sizeof( supLostJoint ) );
	int32_t count = lost != NULL ? supFindLostJoints( &body->voxels, &body->bones, &body->boneVoxels,
													  body->layers.boneCounts, lost )
								 : 0;
	int32_t outside = 0, needed = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		outside += lost[i].resolution == 0 ? 1 : 0;
		needed = lost[i].resolution > needed ? lost[i].resolution : needed;
	}
	printf( " %d, %d outside", body->bones.count, outside );
	if ( count > outside )
	{
		printf( ", %d too small (%d)", count - outside, needed );
	}
	printf( " |" );
}

// Mean number of bones per vertex, and the largest error of the sum of weights.
static void PrintWeights( Proof* proof )
{
	const supBody* body = &proof->body;
	size_t slots = (size_t)body->surface.vertexCount * SUP_MAX_INFLUENCES;
	uint16_t* joints = supArena_AllocArray( &proof->arena, slots, sizeof( uint16_t ) );
	float* weights = supArena_AllocArray( &proof->arena, slots, sizeof( float ) );
	supGeodesicDef def = supDefaultGeodesicDef();
	def.voxels = &body->voxels;
	def.bones = &body->boneVoxels;
	def.pointCount = body->surface.vertexCount;
	def.points = body->surface.positions;
	def.tasks = proof->tasks;
	supError error = { 0 };
	if ( proof->arena.failed || supComputeGeodesicWeights( &def, joints, weights, &error ) == false )
	{
		PrintRefusal( &error );
		return;
	}
	int64_t used = 0;
	double worst = 0.0;
	for ( int32_t v = 0; v < def.pointCount; ++v )
	{
		double sum = 0.0;
		for ( int32_t k = 0; k < SUP_MAX_INFLUENCES; ++k )
		{
			float w = weights[(size_t)v * SUP_MAX_INFLUENCES + (size_t)k];
			used += w > 0.0f ? 1 : 0;
			sum += (double)w;
		}
		worst = fmax( worst, fabs( sum - 1.0 ) );
	}
	printf( " %.1f, %.0e |", (double)used / def.pointCount, worst );
}

// Returns false where there are no voxels to go on with.
static bool ProveVoxels( Proof* proof )
{
	supError error = { 0 };
	supBody* body = &proof->body;
	bool ok = proof->hasSkeleton ? supBody_Init( body, proof->character, proof->resolution, NULL, proof->tasks, &error )
								 : InitVoxels( proof, &error );
	if ( ok == false )
	{
		PrintRefusal( &error );
		printf( " | | |" );
		return false;
	}
	printf( " %d, %d |", body->voxels.count, CountParts( &body->voxels ) );
	if ( proof->hasSkeleton == false )
	{
		printf( " no skeleton | | |" );
		return true;
	}
	PrintLostJoints( proof );
	const int32_t* counts = body->layers.counts;
	printf( " %d / %d / %d / %d |", counts[0], counts[1], counts[2], counts[3] );
	PrintWeights( proof );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Tetrahedra

// Of the surface in the scene, cubic metres.
static double SurfaceVolume( const supRestSurface* s )
{
	double sum = 0.0;
	supVec3 o = s->positions[0];
	for ( int32_t i = 0; i < s->triangleCount; ++i )
	{
		supVec3 a = supSub( s->positions[s->indices[3 * i]], o ), b = supSub( s->positions[s->indices[3 * i + 1]], o );
		supVec3 c = supSub( s->positions[s->indices[3 * i + 2]], o );
		sum += (double)supDot( a, supCross( b, c ) );
	}
	return sum / 6.0;
}

static void PrintVolume( const Proof* proof, double tetVolume )
{
	supSurfaceReport report;
	supError error = { 0 };
	bool checked = supCheckSurface( proof->character, &report, &error );
	if ( checked && report.watertight && report.parts == 1 && supCharacter_InstanceCount( proof->character ) == 1 )
	{
		double volume = fabs( SurfaceVolume( &proof->body.surface ) );
		printf( " %+.2f %% |", 100.0 * ( tetVolume / volume - 1.0 ) );
	}
	else
	{
		printf( " %s |", checked && report.watertight ? "several parts" : "open" );
	}
}

static bool ProveTets( Proof* proof )
{
	const supRestSurface* s = &proof->body.surface;
	supTetsDef def = supDefaultTetsDef();
	def.vertexCount = s->vertexCount;
	def.positions = s->positions;
	def.triangleCount = s->triangleCount;
	def.indices = s->indices;
	def.tetCount = proof->tetCount;
	def.tasks = proof->tasks;
	def.report = &proof->tetsReport;
	supError error = { 0 };
	supTetQuality quality;
	if ( supBuildTets( &proof->tets, &def, &error ) == false ||
		 supMeasureTets( &proof->tets, proof->tasks, &quality, &error ) == false )
	{
		PrintRefusal( &error );
		printf( " | | |" );
		return false;
	}
	printf( " %d of %d, %d |", proof->tets.tetCount, proof->tetCount, quality.parts );
	printf( " %.1f .. %.1f |", (double)quality.minDihedral, (double)quality.maxDihedral );
	printf( " %.2f, %d |", (double)quality.meanMeanRatio, quality.inverted );
	PrintVolume( proof, quality.volume );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bindings

static float SizeOf( const supRestSurface* s )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < s->vertexCount; ++i )
	{
		box = supBox_Include( box, s->positions[i] );
	}
	supVec3 size = supBox_Size( box );
	return supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
}

// The largest distance of the skin from its place at rest while nothing moves. Negative when out of memory.
static double IdentityError( Proof* proof, const supSurfaceBinding* binding, bool tets )
{
	size_t count = (size_t)binding->pointCount;
	supBindFrame* frames = supArena_AllocArray( &proof->arena, count, sizeof( supBindFrame ) );
	supQuat* rotations = supArena_AllocArray( &proof->arena, count, sizeof( supQuat ) );
	supVec3* positions = supArena_AllocArray( &proof->arena, (size_t)binding->vertexCount, sizeof( supVec3 ) );
	supPose* pose = supCreatePose( proof->character );
	double worst = proof->arena.failed || pose == NULL ? -1.0 : 0.0;
	if ( worst == 0.0 )
	{
		for ( size_t i = 0; i < count; ++i )
		{
			rotations[i] = supQuat_identity;
		}
		if ( tets )
		{
			supSurfaceBinding_FrameTets( binding, binding->restPoints, NULL, proof->tasks, frames );
		}
		else
		{
			supSurfaceBinding_FrameRotations( binding, binding->restPoints, rotations, NULL, proof->tasks, frames );
		}
		const supRestSurface* s = &proof->body.surface;
		for ( int32_t i = 0; i < binding->instanceCount; ++i )
		{
			int32_t first = binding->vertexStarts[i];
			supSkinOutput output = { .positions = positions + first };
			supSurfaceBinding_Write( binding, frames, sup_bindToRest, pose, i, proof->tasks, &output );
		}
		for ( int32_t v = 0; v < binding->vertexCount; ++v )
		{
			worst = fmax( worst, (double)supDistance( positions[v], s->positions[v] ) );
		}
	}
	supDestroyPose( pose );
	return worst;
}

static void ProveBinding( Proof* proof, bool tets )
{
	supSurfaceBinding binding = { 0 };
	supError error = { 0 };
	bool ok =
		tets ? supSurfaceBinding_InitTets( &binding, proof->character, &proof->tets, proof->tasks, &error )
			 : supSurfaceBinding_InitVoxels( &binding, proof->character, &proof->body.voxels, proof->tasks, &error );
	if ( ok == false )
	{
		PrintRefusal( &error );
		return;
	}
	double size = (double)SizeOf( &proof->body.surface );
	printf( " %d + %d, %.2f %%, %.0e |", binding.report.inside, binding.report.outside,
			100.0 * (double)binding.report.farthest / size, IdentityError( proof, &binding, tets ) / size );
	supSurfaceBinding_Destroy( &binding );
}

// ---------------------------------------------------------------------------------------------------------------------

static void ProveFile( Proof* proof, const char* path )
{
	supError error = { 0 };
	proof->character = supLoadCharacter( path, &error );
	if ( proof->character == NULL || supCharacter_InstanceCount( proof->character ) == 0 )
	{
		printf( "| %s | %s | | | | | | | | | | | |\n", path,
				proof->character == NULL ? "not loaded: see the tests of files" : "no mesh" );
		supDestroyCharacter( proof->character );
		return;
	}
	proof->hasSkeleton = supCharacter_SkinCount( proof->character ) > 0;
	int64_t vertices = 0, triangles = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( proof->character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( proof->character, supCharacter_Instance( proof->character, i )->mesh );
		vertices += mesh->vertexCount;
		triangles += mesh->indexCount / 3;
	}
	printf( "| %s | %lld / %lld |", path, (long long)vertices, (long long)triangles );
	double start = supGetMilliseconds();
	if ( ProveVoxels( proof ) )
	{
		bool hasTets = ProveTets( proof );
		if ( hasTets )
		{
			ProveBinding( proof, true );
		}
		else
		{
			printf( " |" );
		}
		ProveBinding( proof, false );
	}
	else
	{
		printf( " | | | | | |" );
	}
	printf( " %.1f |\n", 1e-3 * ( supGetMilliseconds() - start ) );
	fflush( stdout );
	supTets_Destroy( &proof->tets );
	supBody_Destroy( &proof->body );
	supArena_Destroy( &proof->arena );
	proof->arena = ( supArena ){ 0 };
	supDestroyCharacter( proof->character );
}

int main( int argumentCount, char** arguments )
{
	supThreadPool* pool = supCreateThreadPool( 0 );
	if ( pool == NULL )
	{
		fprintf( stderr, "out of memory\n" );
		return 1;
	}
	Proof proof = { .tasks = supThreadPool_Tasks( pool ), .resolution = 64, .tetCount = 10000 };
	for ( int i = 1; i < argumentCount; ++i )
	{
		if ( i + 1 < argumentCount && strcmp( arguments[i], "--tets" ) == 0 )
		{
			proof.tetCount = atoi( arguments[++i] );
		}
		else if ( i + 1 < argumentCount && strcmp( arguments[i], "--resolution" ) == 0 )
		{
			proof.resolution = atoi( arguments[++i] );
		}
		else
		{
			ProveFile( &proof, arguments[i] );
		}
	}
	supDestroyThreadPool( pool );
	return 0;
}
