// SPDX-License-Identifier: MIT
// Where the camera of a stage stands.
#include "core/core.h"
#include "report.h"
#include "stage.h"

#include <math.h>

// A clip is looked at so often, to find where the characters go.
#define SAMPLES_PER_SECOND 10.0f
#define LEAST_SAMPLES 25
#define MOST_SAMPLES 241

// How many times larger the characters must be with more rows of panels.
#define MIN_ROW_GAIN 1.1f

// Of a heat map's legend, in parts of the picture's height.
#define LEGEND_HEIGHT 0.11f

// The largest part of a panel's height that is kept free for a legend.
#define MAX_FOOTER 0.3f

// What a camera in focus follows is looked at in every frame, up to so many.
#define MOST_FOCUS_SAMPLES 2000

// Room for the vertices of the largest mesh of any source.
static supVec3* AllocPositions( const Stage* stage )
{
	int32_t most = 1;
	for ( int32_t i = 0; i < stage->sourceCount; ++i )
	{
		const supCharacter* character = stage->sources[i].character;
		for ( int32_t k = 0; k < supCharacter_MeshCount( character ); ++k )
		{
			int32_t count = supCharacter_Mesh( character, k )->vertexCount;
			most = count > most ? count : most;
		}
	}
	return supAllocArray( (size_t)most, sizeof( supVec3 ) );
}

static int32_t CountSamples( const Stage* stage )
{
	if ( stage->to <= stage->from )
	{
		return 1;
	}
	bool inFocus = stage->settings->focus != NULL;
	float rate = inFocus ? (float)( stage->settings->fps / stage->settings->speed ) : SAMPLES_PER_SECOND;
	float wanted = ceilf( ( stage->to - stage->from ) * rate ) + 1.0f;
	return (int32_t)supClampFloat( wanted, LEAST_SAMPLES, inFocus ? MOST_FOCUS_SAMPLES : MOST_SAMPLES );
}

static float SampleTime( const Stage* stage, int32_t sample, int32_t count )
{
	return count > 1 ? supLerpFloat( stage->from, stage->to, (float)sample / (float)( count - 1 ) ) : stage->from;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bounds

// Of the body alone, by skinning.
static supBox MeasureBody( const Stage* stage, int32_t source, supPose* pose, supVec3* positions )
{
	const CameraSubject* subject = stage->camera.subjects + source;
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( subject->character ); ++i )
	{
		int32_t mesh = supCharacter_Instance( subject->character, i )->mesh;
		int32_t count = subject->scenery[i] ? 0 : supCharacter_Mesh( subject->character, mesh )->vertexCount;
		if ( count > 0 )
		{
			supSkinInstance( pose, i, sup_skinningLinear, stage->tasks, &( supSkinOutput ){ .positions = positions } );
		}
		for ( int32_t v = 0; v < count; ++v )
		{
			box = supBox_Include( box, positions[v] );
		}
	}
	return box;
}

// A character that stands on the origin, most of the time or at rest, stands on the ground whatever a foot does, or a
// large head in a cartwheel. Others hang above it.
static float FindGround( float atRest, const float* lowest, int32_t count, float height )
{
	float near = 0.05f * height;
	float least = lowest[0];
	int32_t standing = 0;
	for ( int32_t k = 0; k < count; ++k )
	{
		least = supMinFloat( least, lowest[k] );
		standing += fabsf( lowest[k] ) < near;
	}
	bool onOrigin = 2 * standing > count || ( fabsf( atRest ) < near && least > -near );
	return onOrigin ? 0.0f : supMinFloat( atRest, least );
}

int FindStageBounds( Stage* stage )
{
	stage->bounds = supBox_empty;
	stage->ground = 1e30f;
	supVec3* positions = AllocPositions( stage );
	int status = positions != NULL ? exit_ok : ReportMemory();
	for ( int32_t i = 0; i < stage->sourceCount && status == exit_ok; ++i )
	{
		supPose* pose = supCreatePose( stage->sources[i].character );
		if ( pose == NULL )
		{
			status = ReportMemory();
			break;
		}
		float atRest = MeasureBody( stage, i, pose, positions ).lower.y;
		float lowest[LEAST_SAMPLES];
		supBox bounds = supBox_empty;
		int32_t count = stage->to > stage->from ? LEAST_SAMPLES : 1;
		for ( int32_t k = 0; k < count; ++k )
		{
			SetStagePose( stage, pose, i, SampleTime( stage, k, count ) );
			supBox box = MeasureBody( stage, i, pose, positions );
			lowest[k] = box.lower.y;
			bounds = supBox_Include( supBox_Include( bounds, box.lower ), box.upper );
		}
		supDestroyPose( pose );
		float ground = FindGround( atRest, lowest, count, supBox_Size( bounds ).y );
		stage->ground = supMinFloat( stage->ground, ground );
		stage->bounds = supBox_Include( supBox_Include( stage->bounds, bounds.lower ), bounds.upper );
	}
	supFree( positions );
	return status;
}

// ---------------------------------------------------------------------------------------------------------------------
// Framing

// The skinned character at moments of the clip, at rest where that is what is drawn.
static bool SampleClip( Stage* stage, int32_t source, int32_t moments, float aspect, supVec3* positions )
{
	CameraSubject* subject = stage->camera.subjects + source;
	int32_t count = stage->layers ? 1 : moments > 0 ? moments : CountSamples( stage );
	supPose* pose = supCreatePose( subject->character );
	FacingMean mean = { 0 };
	for ( int32_t k = 0; k < count && pose != NULL && stage->layers == false; ++k )
	{
		SetStagePose( stage, pose, source, SampleTime( stage, k, count ) );
		AddFacing( &mean, subject, pose );
	}
	mean.sum = supScale( 1.0f / (float)count, mean.sum );
	bool ok = pose != NULL && AimCamera( &stage->camera, source, &mean, aspect, count );
	for ( int32_t k = 0; k < count && ok; ++k )
	{
		CameraSample* sample = subject->samples + subject->sampleCount++;
		sample->time = SampleTime( stage, k, count );
		if ( stage->layers == false )
		{
			SetStagePose( stage, pose, source, sample->time );
		}
		else
		{
			supPose_SetRest( pose );
		}
		for ( int32_t i = 0; i < supCharacter_InstanceCount( subject->character ); ++i )
		{
			supSkinInstance( pose, i, sup_skinningLinear, stage->tasks, &( supSkinOutput ){ .positions = positions } );
			IncludeInstance( subject, i, positions, sample );
		}
		IncludeFocus( subject, pose, sample );
	}
	supDestroyPose( pose );
	return ok;
}

// The panels of a source as they are now, flesh and all.
static bool SampleNow( Stage* stage, int32_t source, float aspect )
{
	CameraSubject* subject = stage->camera.subjects + source;
	FacingMean mean = { 0 };
	bool aimed = false;
	for ( int32_t p = 0; p < stage->panelCount; ++p )
	{
		Panel* panel = stage->panels + p;
		if ( panel->source != source )
		{
			continue;
		}
		if ( aimed == false )
		{
			AddFacing( &mean, subject, supActor_Pose( panel->actor ) );
			if ( AimCamera( &stage->camera, source, &mean, aspect, 1 ) == false )
			{
				return false;
			}
			aimed = true;
			subject->sampleCount = 1;
			subject->samples[0].time = stage->time;
		}
		for ( int32_t i = 0; i < supCharacter_InstanceCount( subject->character ); ++i )
		{
			IncludeInstance( subject, i, supActor_Positions( panel->actor, i ), subject->samples );
		}
		IncludeFocus( subject, supActor_Pose( panel->actor ), subject->samples );
	}
	return true;
}

// The narrowest panels of a picture with so many rows, width over height.
static float PanelAspect( const Stage* stage, int32_t rows, int32_t width, int32_t height )
{
	int32_t columns = ( stage->panelCount + rows - 1 ) / rows;
	return (float)width / (float)columns / ( (float)height / (float)rows );
}

// The number of rows with which the characters are largest, given a camera that was placed for one row.
static int32_t ChooseRows( const Stage* stage, int32_t width, int32_t height )
{
	int32_t best = 1;
	float largest = MIN_ROW_GAIN * GetPanelScale( &stage->camera, PanelAspect( stage, 1, width, height ) );
	for ( int32_t rows = 2; rows <= stage->panelCount; ++rows )
	{
		float scale = GetPanelScale( &stage->camera, PanelAspect( stage, rows, width, height ) ) / (float)rows;
		best = scale > largest ? rows : best;
		largest = supMaxFloat( largest, scale );
	}
	return best;
}

// What a picture is framed by: a box, or else the characters.
typedef struct Aim
{
	const supBox* box;
	Shot shot;
	int32_t moments;
} Aim;

static bool AimAtBox( Stage* stage, supBox box, float aspect )
{
	for ( int32_t i = 0; i < stage->sourceCount; ++i )
	{
		CameraSubject* subject = stage->camera.subjects + i;
		if ( AimCamera( &stage->camera, i, NULL, aspect, 1 ) == false )
		{
			return false;
		}
		subject->sampleCount = 1;
		subject->samples[0].box = box;
		for ( int k = 0; k < 8; ++k )
		{
			supVec3 corner = { k & 1 ? box.upper.x : box.lower.x, k & 2 ? box.upper.y : box.lower.y,
							   k & 4 ? box.upper.z : box.lower.z };
			supFraming_Include( &subject->samples[0].framing, &corner, 1, supVec3_zero );
		}
	}
	return FinishCamera( &stage->camera, follow_never );
}

static bool AimAtCharacters( Stage* stage, const Aim* aim, float aspect )
{
	bool isNow = aim->shot == shot_still && stage->layers == false;
	supVec3* positions = AllocPositions( stage );
	bool ok = positions != NULL;
	for ( int32_t i = 0; i < stage->sourceCount && ok; ++i )
	{
		ok = isNow ? SampleNow( stage, i, aspect ) : SampleClip( stage, i, aim->moments, aspect, positions );
	}
	supFree( positions );
	CameraFollow follow = stage->layers || aim->shot == shot_still ? follow_never
						  : aim->shot == shot_sheet                ? follow_closely
																   : follow_smoothly;
	return ok && FinishCamera( &stage->camera, follow );
}

static bool AimStage( Stage* stage, const Aim* aim, int32_t rows, int32_t width, int32_t height )
{
	stage->rows = rows;
	// a legend at the bottom of the picture takes a larger part of lower panels
	stage->camera.footer = stage->heat != heat_none ? supMinFloat( LEGEND_HEIGHT * (float)rows, MAX_FOOTER ) : 0.0f;
	float aspect = PanelAspect( stage, rows, width, height );
	return aim->box != NULL ? AimAtBox( stage, *aim->box, aspect ) : AimAtCharacters( stage, aim, aspect );
}

static int AimInRows( Stage* stage, const Aim* aim, int32_t width, int32_t height )
{
	bool ok = AimStage( stage, aim, 1, width, height );
	int32_t rows = ok ? ChooseRows( stage, width, height ) : 1;
	ok = rows == 1 ? ok : AimStage( stage, aim, rows, width, height );
	return ok ? exit_ok : ReportMemory();
}

int FrameStage( Stage* stage, Shot shot, int32_t moments, int32_t width, int32_t height )
{
	return AimInRows( stage, &( Aim ){ .shot = shot, .moments = moments }, width, height );
}

int FrameStageBox( Stage* stage, supBox box )
{
	return AimInRows( stage, &( Aim ){ .box = &box }, stage->width, stage->height );
}
