// SPDX-License-Identifier: MIT
// What one sees: what swings and what does not, layer by layer; the modes of Figures 13 to 15; volume.
#include "support.h"

#include "method/lattice/lattice.h"
#include "models/models.h"
#include "scene/actor.h"
#include "supple/supple.h"

#include <math.h>
#include <stdlib.h>

static supCharacter* s_bunny;
static const supMesh* s_mesh;
static supVec3* s_rest;

static int Setup( void** state )
{
	(void)state;
	supSetLog( NULL, NULL );
	s_bunny = supFindModel( "bunny" )->create( NULL );
	if ( s_bunny == NULL )
	{
		return -1;
	}
	s_mesh = supCharacter_Mesh( s_bunny, supCharacter_Instance( s_bunny, 0 )->mesh );
	s_rest = malloc( (size_t)s_mesh->vertexCount * sizeof( supVec3 ) );
	supPose* pose = supCreatePose( s_bunny );
	supSkinOutput output = { .positions = s_rest };
	supSkinInstance( pose, 0, sup_skinningLinear, NULL, &output );
	supDestroyPose( pose );
	return 0;
}

static int Teardown( void** state )
{
	(void)state;
	free( s_rest );
	supDestroyCharacter( s_bunny );
	return 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Parts of the body by where they are at rest

typedef bool PartFcn( supVec3 p );

static bool IsEar( supVec3 p )
{
	return p.y > 1.55f;
}

static bool IsBelly( supVec3 p )
{
	return fabsf( p.x ) < 0.2f && p.y > 0.5f && p.y < 0.85f && p.z > 0.15f;
}

static bool IsArm( supVec3 p )
{
	return fabsf( p.x ) > 0.3f && fabsf( p.x ) < 0.55f && p.y > 0.7f && p.y < 1.1f;
}

static bool IsFace( supVec3 p )
{
	return fabsf( p.x ) < 0.2f && p.y > 1.12f && p.y < 1.42f && p.z > 0.08f;
}

enum
{
	partEar,
	partBelly,
	partArm,
	partCount
};

static PartFcn* const s_parts[partCount] = { IsEar, IsBelly, IsArm };

typedef struct Result
{
	// root mean squares over vertices and frames, metres: distance from the same voxels without secondary motion
	double swing[partCount];
	// and over voxels of each layer
	double layers[SUP_MAX_LAYERS];
	// root mean square of the relative change of edges of the face against these
	double faceStretch;
	double volumeError;
} Result;

static double MeanSwing( const supVec3* positions, const supVec3* still, PartFcn* isPart )
{
	double sum = 0.0;
	int32_t count = 0;
	for ( int32_t i = 0; i < s_mesh->vertexCount; ++i )
	{
		if ( isPart( s_rest[i] ) )
		{
			float d = supDistance( positions[i], still[i] );
			sum += (double)( d * d );
			count += 1;
		}
	}
	return count > 0 ? sum / count : 0.0;
}

static double MeanFaceStretch( const supVec3* positions, const supVec3* still )
{
	double sum = 0.0;
	int32_t count = 0;
	for ( int32_t i = 0; i < s_mesh->indexCount; ++i )
	{
		uint32_t a = s_mesh->indices[i], b = s_mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
		float length = supDistance( still[a], still[b] );
		if ( IsFace( s_rest[a] ) && length > 0.0f )
		{
			double change = (double)( supDistance( positions[a], positions[b] ) / length ) - 1.0;
			sum += change * change;
			count += 1;
		}
	}
	return sum / count;
}

static void AddLayers( const supActor* actor, double* sums )
{
	const supLatticeFlesh* f = actor->flesh->own;
	supLatticeArrays arrays = supLattice_Arrays( f, actor->state );
	double layer[SUP_MAX_LAYERS] = { 0 };
	int32_t counts[SUP_MAX_LAYERS] = { 0 };
	for ( int32_t i = 0; i < f->voxelCount; ++i )
	{
		int32_t slot = f->voxelSlots[i];
		for ( int k = 0; k < 3; ++k )
		{
			int32_t at = ( slot / 8 ) * 24 + 8 * k + slot % 8;
			double d = (double)( f->voxelSize * ( arrays.positions[at] - arrays.skinned[at] ) );
			layer[f->layers[i]] += d * d;
		}
		counts[f->layers[i]] += 1;
	}
	for ( int i = 0; i < f->layerCount; ++i )
	{
		sums[i] += counts[i] > 0 ? layer[i] / counts[i] : 0.0;
	}
}

// The whole character up and down in its rest pose, which no bend adds anything to.
static void Shake( supPose* pose, float time )
{
	supTransform rest = supCharacter_Node( s_bunny, 0 )->rest;
	rest.translation.y += 0.03f * supComputeCosSin( 2.0f * SUP_PI * 2.5f * time ).sine;
	supPose_SetLocal( pose, 0, rest );
}

// Plays a clip (NULL: the shake above) at 60 steps a second, beside it the same without secondary motion.
static Result Play( const char* clip, const supFleshDef* def )
{
	supError error = { 0 };
	supFlesh* flesh = supBuildFlesh( s_bunny, def, NULL, &error );
	testRequire( flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	supScene* scene = supCreateScene( &sceneDef, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	supActor* still = supScene_AddActor( scene, flesh, &error );
	testRequire( actor != NULL && still != NULL, &error );
	supActor_SetParameter( still, sup_latticeMode, (float)sup_latticeNone );
	float duration = 1.5f;
	if ( clip != NULL )
	{
		supPlayDef play = supDefaultPlayDef( supCharacter_FindClip( s_bunny, clip ) );
		supActor_Play( actor, &play );
		supActor_Play( still, &play );
		supScene_Step( scene, 1.0e-4f );
		supActor_Reset( actor );
		duration = play.clip->end - play.clip->start;
	}
	Result result = { 0 };
	int32_t frames = (int32_t)( 60.0f * duration );
	for ( int32_t i = 0; i < frames; ++i )
	{
		if ( clip == NULL )
		{
			Shake( supActor_Pose( actor ), (float)( i + 1 ) / 60.0f );
			Shake( supActor_Pose( still ), (float)( i + 1 ) / 60.0f );
		}
		supScene_Step( scene, 1.0f / 60.0f );
		const supVec3* positions = supActor_Positions( actor, 0 );
		const supVec3* skinned = supActor_Positions( still, 0 );
		for ( int k = 0; k < partCount; ++k )
		{
			result.swing[k] += MeanSwing( positions, skinned, s_parts[k] ) / frames;
		}
		result.faceStretch += MeanFaceStretch( positions, skinned ) / frames;
		result.volumeError = fmax( result.volumeError, fabs( (double)supActor_Measure( actor ).volumeError ) );
		AddLayers( actor, result.layers );
	}
	for ( int k = 0; k < partCount; ++k )
	{
		result.swing[k] = sqrt( result.swing[k] );
	}
	for ( int k = 0; k < SUP_MAX_LAYERS; ++k )
	{
		result.layers[k] = sqrt( result.layers[k] / frames );
	}
	result.faceStretch = sqrt( result.faceStretch );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	return result;
}

static void Print( const char* name, const Result* r )
{
	printf(
		"%-8s ears %5.1f, belly %5.1f, arms %5.1f mm; bone %4.1f, muscle %4.1f, fat %4.1f, skin %4.1f mm; face stretch "
		"%5.2f %%; volume %4.1f %%\n",
		name, 1e3 * r->swing[partEar], 1e3 * r->swing[partBelly], 1e3 * r->swing[partArm], 1e3 * r->layers[0],
		1e3 * r->layers[1], 1e3 * r->layers[2], 1e3 * r->layers[3], 100.0 * r->faceStretch, 100.0 * r->volumeError );
}

static supSoftRegion s_ears[6];

// Ears that swing: a region for each of their joints.
static void AddEars( supFleshDef* def )
{
	static const char* const names[6] = { "LeftEar1", "LeftEar2", "LeftEar3", "RightEar1", "RightEar2", "RightEar3" };
	for ( int i = 0; i < 6; ++i )
	{
		s_ears[i] = supDefaultSoftRegion();
		s_ears[i].name = names[i];
		s_ears[i].shape = sup_softNode;
		s_ears[i].node = supCharacter_FindNode( s_bunny, names[i] );
		s_ears[i].frequency = 2.0f;
		s_ears[i].damping = 0.2f;
	}
	def->softRegions = s_ears;
	def->softRegionCount = 6;
}

static Result PlayMode( const char* clip, supLatticeMode mode, bool ears )
{
	supFleshDef def = supDefaultFleshDef();
	supSetting settings[] = { { "mode", (float)mode } };
	def.method = sup_methodLattice;
	def.settings = settings;
	def.settingCount = 1;
	// without the ears layers alone say what is soft, as in the paper
	static const supSoftRegion firm = { .shape = sup_softAll, .softness = 0.0f };
	def.softRegions = &firm;
	def.softRegionCount = 1;
	if ( ears )
	{
		AddEars( &def );
	}
	return Play( clip, &def );
}

static void BellyAndEarsSwingWhileArmsStayFirm( void** state )
{
	(void)state;
	testMeasuresOnly();
	Result r = PlayMode( NULL, sup_latticeAll, true );
	Print( "soft", &r );
	testGreater( r.swing[partBelly], 0.01 );
	testGreater( r.swing[partEar], 2.0 * r.swing[partArm] );
	testLess( r.swing[partArm], 0.3 * r.swing[partBelly] );
	// from the inside out, but for the skin, which lies over both
	testLess( r.layers[1], 0.5 * r.layers[2] );
	testLess( r.volumeError, 0.01 );
	// without regions the bones in the ears hold them
	Result held = PlayMode( NULL, sup_latticeAll, false );
	Print( "held", &held );
	testLess( held.layers[0], 1.0e-6 );
	testLess( held.swing[partEar], 0.5 * r.swing[partEar] );
}

static void ModesDifferAsInTheFigures( void** state )
{
	(void)state;
	testMeasuresOnly();
	Result none = PlayMode( "Shake", sup_latticeNone, false ), single = PlayMode( "Shake", sup_latticeSingle, false );
	Result noSkin = PlayMode( "Shake", sup_latticeWithoutSkin, false ),
		   all = PlayMode( "Shake", sup_latticeAll, false );
	Print( "none", &none );
	Print( "single", &single );
	Print( "noskin", &noSkin );
	Print( "all", &all );
	// Figure 13: nothing jiggles
	testLess( none.swing[partBelly], 1.0e-4 );
	// Figure 14: muscle everywhere hardly does
	testLess( single.swing[partBelly], 0.5 * all.swing[partBelly] );
	// Figure 15: the skin keeps the face
	testLess( all.faceStretch, 0.8 * noSkin.faceStretch );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( BellyAndEarsSwingWhileArmsStayFirm ),
		cmocka_unit_test( ModesDifferAsInTheFigures ),
	};
	return cmocka_run_group_tests( tests, Setup, Teardown );
}
