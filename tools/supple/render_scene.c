// SPDX-License-Identifier: MIT
// supple render scene.json: everybody in one picture.
#include "io/common/file.h"
#include "render.h"
#include "report.h"
#include "scene_overlay.h"
#include "show_colliders.h"
#include "stop.h"
#include "terminal.h"

#include <math.h>

// Metres; beyond, something has gone wrong.
#define MOST_EXTENT 1e5f

typedef struct SceneJob
{
	const RenderSettings* settings;
	Show show;
	int32_t width, height;
	int32_t columns, rows;
	ViewChoice choice;
	supFraming framing;
	float duration;
	float framesPerSecond; // of the picture
	float dt;              // of a frame
	int32_t frameCount;
	supBox bounds;
	SceneOverlays overlays;
	supCharacterView* view;
	RenderSummary* summary;
} SceneJob;

static int32_t InstanceCountOf( const supActor* actor )
{
	return supCharacter_InstanceCount( supFlesh_Character( supActor_Flesh( actor ) ) );
}

// A level plane is the ground that is drawn anyway.
static bool IsLevelPlane( const ShowCollider* collider )
{
	const supSceneStand* stand = &collider->def->stand;
	return collider->def->shape == sup_scenePlane && stand->pitch == 0.0f && stand->roll == 0.0f &&
		   collider->def->keyCount == 0;
}

static bool IsDrawn( const ShowCollider* collider )
{
	return IsLevelPlane( collider ) == false;
}

static int OpenView( SceneJob* job )
{
	const Show* show = &job->show;
	int32_t count = show->actorCount;
	const supCharacter** characters =
		supAllocArray( (size_t)( show->actorCount + show->colliderCount ), sizeof( supCharacter* ) );
	if ( characters == NULL )
	{
		return ReportMemory();
	}
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		characters[i] = supFlesh_Character( supActor_Flesh( show->actors[i].actor ) );
	}
	for ( int32_t i = 0; i < show->colliderCount; ++i )
	{
		if ( IsDrawn( show->colliders + i ) )
		{
			characters[count++] = show->colliders[i].body;
		}
	}
	supError error = { 0 };
	job->view = supCreateGroupView( characters, count, &error );
	supFree( characters );
	for ( int32_t i = 0, at = 0; job->view != NULL && i < show->actorCount; ++i )
	{
		const supSceneActor* def = show->actors[i].def;
		if ( def->file == NULL && ( def->prop.kind == sup_propCube || def->prop.kind == sup_propWall ) )
		{
			supCharacterView_ShowFlat( job->view, at );
		}
		at += InstanceCountOf( show->actors[i].actor );
	}
	return job->view != NULL ? exit_ok : ReportError( show->path, &error );
}

static int ShowActors( SceneJob* job )
{
	int32_t at = 0;
	Heat heat = job->overlays.heat;
	float largest = FindHeatScale( heat, job->bounds );
	for ( int32_t i = 0; i < job->show.actorCount; ++i )
	{
		supActor* actor = job->show.actors[i].actor;
		const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
		for ( int32_t k = 0; k < InstanceCountOf( actor ); ++k, ++at )
		{
			int32_t mesh = supCharacter_Instance( character, k )->mesh;
			size_t size = (size_t)supCharacter_Mesh( character, mesh )->vertexCount * sizeof( supVec3 );
			memcpy( supCharacterView_Positions( job->view, at ), supActor_Positions( actor, k ), size );
			memcpy( supCharacterView_Normals( job->view, at ), supActor_Normals( actor, k ), size );
			supCharacterView_ShowHeatOf( job->view, at, heat != heat_none );
			if ( FillHeat( heat, actor, k, largest, job->show.tasks, supCharacterView_Heat( job->view, at ) ) == false )
			{
				return ReportMemory();
			}
		}
	}
	for ( int32_t i = 0; i < job->show.colliderCount; ++i )
	{
		if ( IsDrawn( job->show.colliders + i ) )
		{
			WriteCollider( job->show.colliders + i, supCharacterView_Positions( job->view, at ),
						   supCharacterView_Normals( job->view, at ) );
			at += 1;
		}
	}
	supCharacterView_Update( job->view );
	return exit_ok;
}

static float GroundOf( const SceneJob* job )
{
	for ( int32_t i = 0; i < job->show.colliderCount; ++i )
	{
		if ( IsLevelPlane( job->show.colliders + i ) )
		{
			return job->show.colliders[i].def->stand.position.y;
		}
	}
	return job->bounds.lower.y < 0.0f ? job->bounds.lower.y : 0.0f;
}

static int DrawNow( SceneJob* job, int32_t width, int32_t height, const char* caption, supPicture* picture )
{
	const StageSettings* settings = &job->settings->stage;
	double start = GetSeconds();
	supRenderDef def = { .width = width,
						 .height = height,
						 .ground = GroundOf( job ),
						 .showGround = settings->noGround == false,
						 .background = { 0.58f, 0.62f, 0.66f } };
	def.view = supFraming_View( &job->framing, supVec3_zero, (float)settings->zoom );
	int status = ShowActors( job );
	if ( status != exit_ok )
	{
		return status;
	}
	supError error = { 0 };
	if ( supCharacterView_Draw( job->view, &def, job->show.tasks, picture, &error ) == false )
	{
		return ReportError( job->show.path, &error );
	}
	// what the last play ended with is not of this moment
	if ( job->show.time > 0.0f &&
		 DrawSceneOverlays( &job->overlays, &job->show, job->bounds, &def.view, picture ) == false )
	{
		return ReportMemory();
	}
	if ( caption != NULL || settings->label != NULL )
	{
		supDrawLabel( picture, caption != NULL ? caption : settings->label );
	}
	job->summary->frames += 1;
	job->summary->seconds += GetSeconds() - start;
	return exit_ok;
}

static float StillTime( const SceneJob* job )
{
	return isnan( job->settings->time ) ? 0.5f * job->duration : (float)job->settings->time;
}

// Is this frame the one that a still shows?
static bool IsStillFrame( const SceneJob* job, int32_t frame )
{
	return job->show.time >= StillTime( job ) - 0.5f * job->dt || frame == job->frameCount - 1;
}

// Where everybody goes decides where the camera stands: played once without drawing. Of a still only its own moment
// counts.
static int FindBounds( SceneJob* job, bool isStill )
{
	int status = BeginShow( &job->show );
	float aspect = (float)job->width / (float)job->columns / ( (float)job->height / (float)job->rows );
	job->framing =
		supBeginFraming( job->choice.azimuth, job->choice.elevation, SUP_VIEW_TANGENT, aspect, SUP_VIEW_FILL );
	job->bounds = supBox_empty;
	bool isFramed = false;
	for ( int32_t i = 0; i < job->frameCount && status == exit_ok; ++i )
	{
		if ( i > 0 )
		{
			AdvanceShow( &job->show, job->dt );
		}
		bool isSeen = isStill == false || ( isFramed == false && IsStillFrame( job, i ) );
		MeasureShow( &job->show, &job->bounds, isSeen ? &job->framing : NULL );
		isFramed = isFramed || isSeen;
	}
	supVec3 size = supBox_Size( job->bounds );
	// written so that what is not a number fails too
	if ( status == exit_ok && !( size.x + size.y + size.z < MOST_EXTENT ) )
	{
		NoteTrouble( &job->show );
		Report( job->show.path,
				"the simulation diverged: something in the scene is too stiff for the time step; use more substeps" );
		return exit_data;
	}
	return status;
}

static int DrawCell( SceneJob* job, int32_t moment, supPicture* sheet )
{
	int32_t column = moment % job->columns, row = moment / job->columns;
	int32_t left = job->width * column / job->columns, right = job->width * ( column + 1 ) / job->columns;
	int32_t top = job->height * row / job->rows, bottom = job->height * ( row + 1 ) / job->rows;
	char caption[32];
	snprintf( caption, sizeof( caption ), "%.2f s", (double)job->show.time );
	bool single = job->columns * job->rows == 1;
	supPicture cell = { 0 };
	int status = DrawNow( job, right - left, bottom - top, single ? NULL : caption, &cell );
	supPicture_Paste( sheet, &cell, left, top );
	supPicture_Destroy( &cell );
	return status;
}

// A still, or a sheet of moments.
static int DrawPicture( SceneJob* job )
{
	const RenderSettings* settings = job->settings;
	supPicture sheet = { 0 };
	if ( supPicture_Create( &sheet, job->width, job->height ) == false )
	{
		return ReportMemory();
	}
	int32_t moments = job->columns * job->rows;
	int32_t moment = 0;
	int status = exit_ok;
	for ( int32_t i = 0; i < job->frameCount && status == exit_ok && moment < moments; ++i )
	{
		if ( i > 0 )
		{
			AdvanceShow( &job->show, job->dt );
		}
		if ( moments == 1 )
		{
			status = IsStillFrame( job, i ) ? DrawCell( job, moment++, &sheet ) : exit_ok;
			continue;
		}
		while ( status == exit_ok && moment < moments &&
				(int64_t)i * ( moments - 1 ) >= (int64_t)moment * ( job->frameCount - 1 ) )
		{
			status = DrawCell( job, moment++, &sheet );
		}
	}
	supError error = { 0 };
	if ( status == exit_ok && supPicture_SavePng( &sheet, settings->output, &error ) == false )
	{
		status = ReportError( settings->output, &error );
	}
	supPicture_Destroy( &sheet );
	return status;
}

static int DrawFilm( SceneJob* job )
{
	const char* output = job->settings->output;
	supError error = { 0 };
	WatchForStop();
	supFilm* film = supFilm_Open( output, job->width, job->height, job->framesPerSecond, &error );
	if ( film == NULL )
	{
		return ReportError( output, &error );
	}
	int status = exit_ok;
	Progress progress;
	BeginProgress( &progress, stderr, "Filming" );
	for ( int32_t i = 0; i < job->frameCount && status == exit_ok && IsStopped() == false; ++i )
	{
		if ( i > 0 )
		{
			AdvanceShow( &job->show, job->dt );
		}
		supPicture picture = { 0 };
		status = DrawNow( job, job->width, job->height, NULL, &picture );
		if ( status == exit_ok && supFilm_Add( film, &picture, &error ) == false )
		{
			status = ReportError( output, &error );
		}
		supPicture_Destroy( &picture );
		UpdateProgress( &progress, i + 1, job->frameCount, NULL );
	}
	EndProgress( &progress );
	return EndFilm( film, output, status );
}

int RenderScene( const Command* command, const RenderSettings* settings, const char* path, int32_t columns,
				 int32_t rows, const supTasks* tasks, RenderSummary* summary )
{
	const StageSettings* stage = &settings->stage;
	SceneJob job = { .settings = settings, .columns = columns, .rows = rows, .summary = summary };
	int status = ReadView( command, stage->size, stage->view, &job.width, &job.height, &job.choice );
	status = status == exit_ok ? ReadSceneOverlays( command, stage->overlay, &job.overlays ) : status;
	if ( status != exit_ok )
	{
		return status;
	}
	const char* method = stage->methods != NULL ? stage->methods : DEFAULT_METHOD;
	status = OpenShow( command, path, method, stage->substeps, false, tasks, &job.show );
	if ( status == exit_ok )
	{
		job.framesPerSecond = job.show.file.framesPerSecond;
		job.duration = job.show.file.duration;
		job.dt = (float)stage->speed / job.framesPerSecond;
		// a still needs nothing of what comes after it
		float end = isnan( settings->time ) ? job.duration : supMinFloat( (float)settings->time, job.duration );
		job.frameCount = (int32_t)( supMaxFloat( end, 0.0f ) / job.dt + 1e-3f ) + 1;
		status = OpenView( &job );
	}
	char extension[17];
	supGetExtension( settings->output, extension );
	bool isPicture = strcmp( extension, ".png" ) == 0;
	status = status == exit_ok ? FindBounds( &job, isPicture && columns * rows == 1 ) : status;
	status = status == exit_ok ? BeginShow( &job.show ) : status;
	if ( status == exit_ok )
	{
		status = isPicture ? DrawPicture( &job ) : DrawFilm( &job );
	}
	if ( status == exit_ok )
	{
		NoteTrouble( &job.show );
	}
	summary->width = job.width;
	summary->height = job.height;
	summary->panels = 1;
	summary->rows = 1;
	supDestroyCharacterView( job.view );
	CloseShow( &job.show );
	return status;
}
