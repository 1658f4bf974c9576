// SPDX-License-Identifier: MIT
// Bakes as helper bones of the source document: solve, hang helpers below joints, write, and measure what was written.
#include "bake/bone_rig.h"
#include "character/character.h"

#include <math.h>

// Axes are of one length where they differ by no more than this share.
#define MOST_SCALE_CHANGE 1e-3f

typedef struct Adder
{
	supBoneRig rig;
	supDocument* document;
	supBakedBones* bones;
	supHelperBone* helpers;
	supTransform* locals;
	supFrames frames;  // of the first bake
	int32_t* carriers; // per instance, of characters without skins: its node in the result
	float tolerance;
	supError* error;
} Adder;

// ---------------------------------------------------------------------------------------------------------------------
// Parents

// The scale of a map with axes of one length; 0 where it has none.
static float EvenScale( supMat34 m )
{
	float x = supLength( m.cx ), y = supLength( m.cy ), z = supLength( m.cz );
	float most = supMaxFloat( x, supMaxFloat( y, z ) ), least = supMinFloat( x, supMinFloat( y, z ) );
	float skew = fabsf( supDot( m.cx, m.cy ) ) + fabsf( supDot( m.cy, m.cz ) ) + fabsf( supDot( m.cz, m.cx ) );
	bool even = most - least <= MOST_SCALE_CHANGE * most && skew <= MOST_SCALE_CHANGE * most * most;
	return even && supDeterminant( supLinearPart( m ) ) > 0.0f ? x : 0.0f;
}

static bool CanCarry( const supBoneRig* rig, int32_t node )
{
	size_t nodes = (size_t)supCharacter_NodeCount( rig->character );
	bool ok = EvenScale( rig->restWorlds[node] ) > 0.0f;
	for ( int32_t f = 0; f < rig->frameCount && ok; ++f )
	{
		ok = EvenScale( rig->worlds[(size_t)f * nodes + (size_t)node] ) > 0.0f;
	}
	return ok;
}

// The joint that the helper belongs to, or the nearest above it that has an even scale. Where none has, the joint.
static int32_t FindParent( const supBoneRig* rig, int32_t column )
{
	int32_t joint = rig->columns[column].node;
	for ( int32_t node = joint; node >= 0; node = supCharacter_Node( rig->character, node )->parent )
	{
		if ( CanCarry( rig, node ) )
		{
			return node;
		}
	}
	return joint;
}

// A map below `parent` as a transform; shear, which only stretched parents cause, is lost.
static supTransform MakeLocal( supMat34 parent, supMat34 map )
{
	supMat34 inverse;
	supTransform local = supTransform_identity;
	if ( supInvertMat34( parent, &inverse ) )
	{
		supMat34 m = supMulMat34( inverse, map );
		local.translation = m.t;
		local.rotation = supPolarRotation( supLinearPart( m ) );
		float scale = ( supLength( m.cx ) + supLength( m.cy ) + supLength( m.cz ) ) / 3.0f;
		local.scale = supMakeVec3( scale, scale, scale );
	}
	return local;
}

// The space of a helper, moved by `m`.
static supMat34 HelperMap( supMat34 m, const supHelperBone* helper )
{
	return ( supMat34 ){ supScale( helper->scale, m.cx ), supScale( helper->scale, m.cy ),
						 supScale( helper->scale, m.cz ), supTransformPoint( m, helper->center ) };
}

static bool IsUnitScale( supTransform t )
{
	return fabsf( t.scale.x - 1.0f ) <= MOST_SCALE_CHANGE;
}

// Without a skeleton: in the world, where it starts as it stands in the first frame.
static void PlaceFreeHelper( Adder* adder, int32_t h )
{
	const supBakedBones* bones = adder->bones;
	supHelperBone* helper = adder->helpers + h;
	*helper = ( supHelperBone ){ .parent = -1,
								 .center = bones->centers[h],
								 .scale = 1.0f,
								 .reach = 2.0f * bones->radii[h],
								 .tolerance = adder->tolerance };
	helper->rest = MakeLocal( supMat34_identity, HelperMap( supMat34_identity, helper ) );
	for ( int32_t f = 0; f < adder->rig.frameCount; ++f )
	{
		size_t at = (size_t)f * (size_t)bones->helperCount + (size_t)h;
		adder->locals[at] = MakeLocal( supMat34_identity, HelperMap( bones->matrices[at], helper ) );
		helper->withScale = helper->withScale || IsUnitScale( adder->locals[at] ) == false;
	}
}

static void PlaceHelper( Adder* adder, int32_t h )
{
	const supBoneRig* rig = &adder->rig;
	const supBakedBones* bones = adder->bones;
	supHelperBone* helper = adder->helpers + h;
	int32_t column = bones->owners[h] >= 0 ? bones->owners[h] : 0;
	helper->parent = FindParent( rig, column );
	helper->center = bones->centers[h];
	// of its owner's scale at bind time, so that it needs none of its own: armatures of Blender's cannot have any
	const supBoneColumn* owner = rig->columns + column;
	float bindScale = EvenScale( owner->bind );
	helper->scale = bindScale > 0.0f ? 1.0f / bindScale : 1.0f;
	// at rest it goes with its owner
	supMat34 rest = supMulMat34( rig->restWorlds[owner->node], owner->bind );
	helper->rest = MakeLocal( rig->restWorlds[helper->parent], HelperMap( rest, helper ) );
	float parentScale = EvenScale( rig->restWorlds[helper->parent] );
	// most of what it moves lies within twice the mean distance
	helper->reach = 2.0f * bones->radii[h] / helper->scale;
	helper->tolerance = adder->tolerance / ( parentScale > 0.0f ? parentScale : 1.0f );
	size_t nodes = (size_t)supCharacter_NodeCount( rig->character );
	bool isUnit = IsUnitScale( helper->rest );
	for ( int32_t f = 0; f < rig->frameCount; ++f )
	{
		size_t at = (size_t)f * (size_t)bones->helperCount + (size_t)h;
		adder->locals[at] = MakeLocal( rig->worlds[(size_t)f * nodes + (size_t)helper->parent],
									   HelperMap( bones->matrices[at], helper ) );
		isUnit = isUnit && IsUnitScale( adder->locals[at] );
	}
	helper->withScale = isUnit == false;
	helper->rest.scale = isUnit ? supMakeVec3( 1.0f, 1.0f, 1.0f ) : helper->rest.scale;
	for ( int32_t f = 0; f < rig->frameCount && isUnit; ++f )
	{
		adder->locals[(size_t)f * (size_t)bones->helperCount + (size_t)h].scale = helper->rest.scale;
	}
}

// A loop ends as it begins: the mean of both ends.
static void CloseLoops( Adder* adder )
{
	const supBoneRig* rig = &adder->rig;
	int32_t count = adder->bones->helperCount;
	for ( int32_t i = 0; i < rig->bakeCount; ++i )
	{
		const supBoneClip* clip = rig->clips + i;
		if ( supBake_IsLoop( rig->bakes[i] ) == false || clip->frameCount < 3 )
		{
			continue;
		}
		for ( int32_t h = 0; h < count; ++h )
		{
			supTransform* a = adder->locals + (size_t)clip->firstFrame * (size_t)count + h;
			supTransform* b = a + (size_t)( clip->frameCount - 1 ) * (size_t)count;
			a->translation = supLerp( a->translation, b->translation, 0.5f );
			a->rotation = supNlerp( a->rotation, b->rotation, 0.5f );
			a->scale = supLerp( a->scale, b->scale, 0.5f );
			*b = *a;
		}
	}
}

static bool PlaceHelpers( Adder* adder )
{
	size_t count = (size_t)adder->bones->helperCount;
	supArena* arena = &adder->rig.arena;
	adder->helpers = supArena_AllocZeroed( arena, ( count + 1 ) * sizeof( supHelperBone ) );
	adder->locals = supArena_AllocArray( arena, count * (size_t)adder->rig.frameCount + 1, sizeof( supTransform ) );
	adder->carriers = supArena_AllocZeroed( arena, ( (size_t)adder->rig.instanceCount + 1 ) * sizeof( int32_t ) );
	if ( arena->failed )
	{
		return supSetMemoryError( adder->error );
	}
	for ( int32_t h = 0; h < adder->bones->helperCount; ++h )
	{
		if ( adder->rig.isSkinless )
		{
			PlaceFreeHelper( adder, h );
		}
		else
		{
			PlaceHelper( adder, h );
		}
	}
	CloseLoops( adder );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Solving and writing

static bool Solve( Adder* adder, const supBonesDef* wanted )
{
	supBoneRig* rig = &adder->rig;
	supBonesDef def = wanted != NULL ? *wanted : supDefaultBonesDef();
	supBoneRig_Describe( rig, &def );
	adder->bones = supBakeBones( &def, adder->error );
	return adder->bones != NULL;
}

static bool Write( Adder* adder, bool keepClips, supBonesReport* report )
{
	const supBoneRig* rig = &adder->rig;
	const supBakedBones* bones = adder->bones;
	adder->frames = supBake_Frames( rig->bakes[0] );
	supBoneDocument out = { .character = rig->character,
							.frames = rig->isSkinless ? &adder->frames : NULL,
							.carriers = adder->carriers,
							.instanceCount = rig->instanceCount,
							.instances = rig->instances,
							.firstVertices = rig->firstVertices,
							.skinSpaces = rig->skinSpaces,
							.columnCount = rig->columnCount,
							.columns = rig->columnOf,
							.helperCount = bones->helperCount,
							.helpers = adder->helpers,
							.locals = adder->locals,
							.influences = bones->influences,
							.joints = bones->joints,
							.weights = bones->weights,
							.clipCount = rig->bakeCount,
							.clips = rig->clips,
							.keepClips = keepClips };
	bool ok = supWriteBones( adder->document, &out, adder->error );
	report->keyCount = out.keyCount;
	report->sampledKeyCount = out.keyframeCount;
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// What was written

typedef struct Sum
{
	double squares;
	double count;
	float worst;
} Sum;

static void AddDistances( Sum* sum, const supVec3* a, const supVec3* b, int64_t count )
{
	for ( int64_t i = 0; i < count; ++i )
	{
		float squared = supLengthSquared( supSub( a[i], b[i] ) );
		sum->squares += (double)squared;
		sum->worst = supMaxFloat( sum->worst, sqrtf( squared ) );
	}
	sum->count += (double)count;
}

static supBonesError Finish( const Sum* sum )
{
	return ( supBonesError ){ (float)sqrt( sum->squares / sum->count ), sum->worst };
}

// The instance of what was written that stands for one of the source.
static int32_t FindWritten( const Adder* adder, const supCharacter* written, int32_t index )
{
	int32_t instance = adder->rig.instances[index];
	for ( int32_t i = 0; i < supCharacter_InstanceCount( written ) && adder->rig.isSkinless; ++i )
	{
		instance = supCharacter_Instance( written, i )->node == adder->carriers[index] ? i : instance;
	}
	return instance;
}

// What there would be without flesh and helpers.
static void SkinPlainly( const supBoneRig* rig, int32_t instance, const supTasks* tasks, const supSkinOutput* out )
{
	const supMesh* mesh = supCharacter_Mesh( rig->character, supCharacter_Instance( rig->character, instance )->mesh );
	if ( rig->isSkinless && mesh->targetCount > 0 )
	{
		memset( supPose_MorphWeights( rig->pose, instance ), 0, (size_t)mesh->targetCount * sizeof( float ) );
	}
	supSkinInstance( rig->pose, instance, sup_skinningLinear, tasks, out );
}

static bool MeasureClip( Adder* adder, supPose* pose, int32_t index, supVec3* frame, Sum* written, Sum* plain )
{
	supBoneRig* rig = &adder->rig;
	const supBoneClip* clip = rig->clips + index;
	supBake* bake = rig->bakes[index];
	const supClip* own = supCharacter_Clip( supPose_Character( pose ), index );
	for ( int32_t f = 0; f < clip->frameCount; ++f )
	{
		supBoneRig_SetPose( rig, rig->pose, clip->firstFrame + f );
		supPose_SetRest( pose );
		supPose_ApplyClip( pose, own, clip->start + (float)f / clip->framesPerSecond );
		for ( int32_t i = 0; i < rig->instanceCount; ++i )
		{
			int32_t instance = rig->instances[i];
			int64_t count = rig->firstVertices[i + 1] - rig->firstVertices[i];
			if ( supBake_ReadSurface( bake, f, instance, frame, NULL, adder->error ) == false )
			{
				return false;
			}
			supSkinOutput out = { .positions = rig->scratch[0] };
			supSkinInstance( pose, FindWritten( adder, supPose_Character( pose ), i ), sup_skinningLinear,
							 bake->def.tasks, &out );
			AddDistances( written, frame, rig->scratch[0], count );
			SkinPlainly( rig, instance, bake->def.tasks, &out );
			AddDistances( plain, frame, rig->scratch[0], count );
		}
	}
	return true;
}

static bool MeasureAll( Adder* adder, const supCharacter* character, supBonesReport* report,
						supBonesClipReport* clipReports )
{
	supPose* pose = supCreatePose( character );
	supVec3* frame = supAllocArray( (size_t)adder->rig.vertexCount, sizeof( supVec3 ) );
	bool ok = ( pose != NULL && frame != NULL ) || supSetMemoryError( adder->error );
	Sum allWritten = { 0 }, allPlain = { 0 };
	for ( int32_t i = 0; i < adder->rig.bakeCount && ok; ++i )
	{
		Sum written = { 0 }, plain = { 0 };
		ok = MeasureClip( adder, pose, i, frame, &written, &plain );
		if ( ok && clipReports != NULL )
		{
			clipReports[i] = ( supBonesClipReport ){ .error = Finish( &written ), .plain = Finish( &plain ) };
		}
		allWritten.squares += written.squares;
		allWritten.count += written.count;
		allWritten.worst = supMaxFloat( allWritten.worst, written.worst );
		allPlain.squares += plain.squares;
		allPlain.count += plain.count;
		allPlain.worst = supMaxFloat( allPlain.worst, plain.worst );
	}
	supFree( frame );
	supDestroyPose( pose );
	if ( ok )
	{
		report->error = Finish( &allWritten );
		report->plain = Finish( &allPlain );
	}
	return ok;
}

// By reading the document as anyone would.
static bool Measure( Adder* adder, supBonesReport* report, supBonesClipReport* clipReports )
{
	supCharacter* character = supDocument_CreateCharacter( adder->document, adder->error );
	if ( character == NULL )
	{
		return false;
	}
	supCharacter_SetUnit( character, adder->rig.character->givenUnit );
	bool ok = MeasureAll( adder, character, report, clipReports );
	supDestroyCharacter( character );
	return ok;
}

static float FindSize( const supBoneRig* rig )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < rig->vertexCount; ++i )
	{
		box = supBox_Include( box, rig->positions[i] );
	}
	supVec3 size = supBox_Size( box );
	return supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
}

bool supDocument_AddBones( supDocument* document, supBake* const* bakes, int32_t bakeCount, const supBonesDef* def,
						   float tolerance, bool keepClips, supBonesReport* report, supBonesClipReport* clipReports,
						   supError* error )
{
	supError ownError = { 0 };
	error = error != NULL ? error : &ownError;
	supClearError( error );
	SUP_ASSERT( bakeCount > 0 );
	supBonesReport ownReport = { 0 };
	report = report != NULL ? report : &ownReport;
	Adder adder = { .document = document, .tolerance = tolerance, .error = error };
	bool ok = ( tolerance >= 0.0f && supIsFinite( tolerance ) ) ||
			  supSetError( error, sup_errorArgument, "tolerance", "must be a length of 0 m or more (got %g)",
						   (double)tolerance );
	ok = ok && supBoneRig_Create( &adder.rig, bakes, bakeCount, error );
	ok = ok && Solve( &adder, def ) && PlaceHelpers( &adder );
	supEdit edit;
	if ( ok && supEdit_Begin( &edit, document, error ) )
	{
		ok = Write( &adder, keepClips, report ) && Measure( &adder, report, clipReports );
		supDropEmptyAnimations( document );
		// weights and targets that were replaced
		ok = ok && supDocument_DropUnused( document, error );
		supEdit_End( &edit, ok );
	}
	else
	{
		ok = false;
	}
	if ( ok )
	{
		report->size = FindSize( &adder.rig );
		report->helperCount = adder.bones->helperCount;
		report->influences = adder.bones->influences;
		report->enoughHelpers = supBakedBones_EstimateHelpers( adder.bones, 2e-3f * report->size );
	}
	supDestroyBakedBones( adder.bones );
	supBoneRig_Destroy( &adder.rig );
	return ok;
}
