// SPDX-License-Identifier: MIT
#include "method/build_check.h"

#include "character/character.h"
#include "volume/body/rest_surface.h"

#include <math.h>

// Metres. Characters are between a millimetre and a kilometre; beyond these somebody has mistaken the unit.
#define MIN_LENGTH 1e-7f
#define MAX_LENGTH 1e6f

// Length over thickness. A rope of 10 m is 1 cm thick; from there on nothing inside can be resolved.
#define MAX_SLENDERNESS 2000.0f

// Distances over the length of the body: of its joints; of itself from the origin, where floats have a hundredth of the
// length left; and from where on it is built elsewhere.
#define MAX_JOINT_DISTANCE 1e5f
#define MAX_DISTANCE 1e5f
#define FAR_OUT 16.0f

// ---------------------------------------------------------------------------------------------------------------------
// Size

typedef struct Moments
{
	double count;
	double sum[3];
	double products[6]; // xx, yy, zz, xy, xz, yz
} Moments;

static void AddPoint( Moments* moments, supVec3 p, supVec3 origin, double scale )
{
	double x = scale * ( (double)p.x - origin.x ), y = scale * ( (double)p.y - origin.y ),
		   z = scale * ( (double)p.z - origin.z );
	double products[6] = { x * x, y * y, z * z, x * y, x * z, y * z };
	moments->count += 1.0;
	moments->sum[0] += x;
	moments->sum[1] += y;
	moments->sum[2] += z;
	for ( int32_t i = 0; i < 6; ++i )
	{
		moments->products[i] += products[i];
	}
}

// The axes of the covariance.
static supMat3 FindAxes( const supRestSurface* surface, supVec3 center, float size )
{
	Moments m = { 0 };
	for ( int32_t i = 0; i < 3 * surface->triangleCount; ++i )
	{
		AddPoint( &m, surface->positions[surface->indices[i]], center, 1.0 / (double)size );
	}
	double n = m.count, mean[3] = { m.sum[0] / n, m.sum[1] / n, m.sum[2] / n };
	float xx = (float)( m.products[0] / n - mean[0] * mean[0] ), yy = (float)( m.products[1] / n - mean[1] * mean[1] ),
		  zz = (float)( m.products[2] / n - mean[2] * mean[2] ), xy = (float)( m.products[3] / n - mean[0] * mean[1] ),
		  xz = (float)( m.products[4] / n - mean[0] * mean[2] ), yz = (float)( m.products[5] / n - mean[1] * mean[2] );
	supMat3 covariance = { { xx, xy, xz }, { xy, yy, yz }, { xz, yz, zz } };
	return supComputeSvd( covariance ).u;
}

static float MeasureAlong( const supRestSurface* surface, supVec3 center, supVec3 axis )
{
	double least = 0.0, most = 0.0;
	for ( int32_t i = 0; i < 3 * surface->triangleCount; ++i )
	{
		supVec3 p = surface->positions[surface->indices[i]];
		double at = ( (double)p.x - center.x ) * axis.x + ( (double)p.y - center.y ) * axis.y +
					( (double)p.z - center.z ) * axis.z;
		least = i == 0 || at < least ? at : least;
		most = i == 0 || at > most ? at : most;
	}
	return (float)( most - least );
}

static void MeasureSurface( const supRestSurface* surface, supBuildSize* size )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < 3 * surface->triangleCount; ++i )
	{
		box = supBox_Include( box, surface->positions[surface->indices[i]] );
	}
	size->center = supLerp( box.lower, box.upper, 0.5f );
	supVec3 extent = supBox_Size( box );
	float largest = supMaxFloat( extent.x, supMaxFloat( extent.y, extent.z ) );
	size->extents[0] = largest;
	if ( !( largest > 0.0f ) || supIsFinite( largest ) == false )
	{
		return;
	}
	supMat3 axes = FindAxes( surface, size->center, largest );
	const supVec3 list[3] = { axes.cx, axes.cy, axes.cz };
	for ( int32_t i = 0; i < 3; ++i )
	{
		// inserted in falling order
		float length = MeasureAlong( surface, size->center, list[i] );
		int32_t k = i;
		for ( ; k > 0 && size->extents[k - 1] < length; --k )
		{
			size->extents[k] = size->extents[k - 1];
		}
		size->extents[k] = length;
	}
}

bool supMeasureBuild( const supCharacter* character, const supTasks* tasks, supBuildSize* size, supError* error )
{
	*size = ( supBuildSize ){ 0 };
	supRestSurface surface = { 0 };
	if ( supRestSurface_Init( &surface, character, tasks, error ) == false )
	{
		return false;
	}
	bool ok = true;
	for ( int32_t i = 0; ok && i < 3 * surface.triangleCount; ++i )
	{
		uint32_t vertex = surface.indices[i];
		ok = supIsFiniteVec3( surface.positions[vertex] ) ||
			 supSetError( error, sup_errorArgument, character->name,
						  "the rest pose moves vertex %u of the surface to infinity; transforms or bind matrices are "
						  "damaged",
						  vertex );
	}
	if ( ok && surface.triangleCount > 0 )
	{
		MeasureSurface( &surface, size );
	}
	supRestSurface_Destroy( &surface );
	return ok;
}

bool supIsFarOut( const supBuildSize* size )
{
	return size->extents[0] > 0.0f && supLength( size->center ) > FAR_OUT * size->extents[0];
}

// ---------------------------------------------------------------------------------------------------------------------
// Checks

static bool CheckSize( const supCharacter* character, const supBuildSize* size, supError* error )
{
	float length = size->extents[0], distance = supLength( size->center );
	if ( !( length <= MAX_LENGTH ) || length < MIN_LENGTH )
	{
		return supSetError( error, sup_errorArgument, character->name,
							"the body is %g m long; flesh needs %g m to %g m. If the file has another unit, set it "
							"(--unit, supCharacter_SetUnit)",
							(double)length, (double)MIN_LENGTH, (double)MAX_LENGTH );
	}
	if ( !( distance <= MAX_DISTANCE * length ) )
	{
		return supSetError( error, sup_errorArgument, character->name,
							"the body is %g m long and %g m from the origin, beyond float precision; move it nearer",
							(double)length, (double)distance );
	}
	if ( size->extents[1] * MAX_SLENDERNESS < length )
	{
		return supSetError(
			error, sup_errorArgument, character->name,
			"the body is %g m long and %g m thick, too thin for flesh (at most %g times as long as thick); "
			"use skinning (lbs or dqs)",
			(double)length, (double)size->extents[1], (double)MAX_SLENDERNESS );
	}
	return true;
}

static bool CheckJoints( const supCharacter* character, const supMethod* method, const supBuildSize* size,
						 supError* error )
{
	supPose* pose = supCreatePose( character );
	if ( pose == NULL )
	{
		return supSetMemoryError( error );
	}
	const supMat34* worlds = supPose_Worlds( pose );
	int32_t joints = 0;
	bool ok = true;
	for ( int32_t i = 0; ok && i < supCharacter_NodeCount( character ); ++i )
	{
		if ( supCharacter_IsJoint( character, i ) == false )
		{
			continue;
		}
		joints += 1;
		float distance = supDistance( worlds[i].t, size->center );
		ok = distance <= MAX_JOINT_DISTANCE * size->extents[0] ||
			 supSetError( error, sup_errorArgument, character->name,
						  "the joint \"%.60s\" (node %d) is %g m from a body of %g m; its transform is damaged",
						  supCharacter_Node( character, i )->name, i, (double)distance, (double)size->extents[0] );
	}
	if ( ok && method->maxJoints > 0 && joints > method->maxJoints )
	{
		ok = supSetError( error, sup_errorArgument, character->name,
						  "the skeleton has %d joints; the method %s supports %d. Use position, lattice or points",
						  joints, method->name, method->maxJoints );
	}
	supDestroyPose( pose );
	return ok;
}

bool supCheckBuild( const supCharacter* character, const supMethod* method, const supBuildSize* size, supError* error )
{
	// what has no surface is left to the method to refuse
	return size->extents[0] == 0.0f ||
		   ( CheckSize( character, size, error ) && CheckJoints( character, method, size, error ) );
}
