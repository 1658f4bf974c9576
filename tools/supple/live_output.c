// SPDX-License-Identifier: MIT
#include "core/core.h"
#include "io/common/file.h"
#include "live.h"
#include "report.h"

#include <math.h>

// A cache of a run without a given end.
#define MOST_SECONDS 3600.0

// Seconds that the camera takes to come along.
#define CAMERA_LAG 0.5f

// Arms and jumps go beyond the pose at rest.
#define CAMERA_ROOM 0.12f

static const supClip s_clip = { .name = "Live" };

LiveOutputKind FindLiveOutput( const char* path )
{
	char extension[17];
	if ( path == NULL )
	{
		return live_none;
	}
	supGetExtension( path, extension );
	bool isFilm =
		strcmp( extension, ".mp4" ) == 0 || strcmp( extension, ".webm" ) == 0 || strcmp( extension, ".gif" ) == 0;
	return strcmp( extension, ".png" ) == 0 ? live_picture : isFilm ? live_film : live_cache;
}

static int BeginCache( LiveJob* job, double seconds )
{
	LiveOutput* output = &job->output;
	supError error = { 0 };
	output->clip = ( BakedClip ){ .name = s_clip.name, .clip = &s_clip };
	output->clip.work = MakeBakePath( job->settings->output, NULL, NULL, ".part" );
	if ( output->clip.work == NULL )
	{
		return ReportMemory();
	}
	supBakeDef def = supDefaultBakeDef();
	def.clip = &s_clip;
	def.framesPerSecond = (float)job->settings->stage.fps;
	def.to = (float)( isnan( seconds ) || seconds > MOST_SECONDS ? MOST_SECONDS : seconds );
	output->clip.bake = supBeginRecording( job->stage.panels[0].flesh, &def, output->clip.work, &error );
	return output->clip.bake != NULL ? exit_ok : ReportError( job->settings->output, &error );
}

int BeginLiveOutput( LiveJob* job, double seconds )
{
	LiveOutput* output = &job->output;
	supError error = { 0 };
	supVec3 room = supScale( CAMERA_ROOM, supBox_Size( job->stage.bounds ) );
	room = supMakeVec3( supMaxFloat( room.x, room.z ), 0.5f * room.y, supMaxFloat( room.x, room.z ) );
	output->bounds.lower = supSub( job->stage.bounds.lower, room );
	output->bounds.upper = supAdd( job->stage.bounds.upper, room );
	int status = job->stage.draws ? FrameStageBox( &job->stage, output->bounds ) : exit_ok;
	if ( status != exit_ok )
	{
		return status;
	}
	if ( output->kind == live_cache )
	{
		return BeginCache( job, seconds );
	}
	if ( output->kind == live_film )
	{
		output->film = supFilm_Open( job->settings->output, job->stage.width, job->stage.height,
									 (float)job->settings->stage.fps, &error );
		return output->film != NULL ? exit_ok : ReportError( job->settings->output, &error );
	}
	return exit_ok;
}

static void MoveCamera( LiveJob* job )
{
	LiveOutput* output = &job->output;
	supVec3 place = supPose_Worlds( supActor_Pose( job->stage.panels[0].actor ) )[supVmc_Root( job->vmc )].t;
	if ( output->placed == false )
	{
		// the pose at rest is what the bounds are around
		supPose* rest = supCreatePose( job->stage.sources[0].character );
		output->start = rest != NULL ? supPose_Worlds( rest )[supVmc_Root( job->vmc )].t : place;
		supDestroyPose( rest );
	}
	float dt = 1.0f / (float)job->settings->stage.fps;
	float weight = output->placed ? dt / ( dt + CAMERA_LAG ) : 1.0f;
	supVec3 wanted = supSub( place, output->start );
	wanted.y = 0.0f;
	output->shift = supMulAdd( output->shift, weight, supSub( wanted, output->shift ) );
	output->placed = true;
	job->stage.camera.drift = output->shift;
}

bool IsLiveOutputFull( const LiveJob* job )
{
	return job->output.clip.bake != NULL && supBake_IsComplete( job->output.clip.bake );
}

int AddLiveFrame( LiveJob* job )
{
	LiveOutput* output = &job->output;
	supError error = { 0 };
	if ( output->kind == live_film || output->kind == live_picture )
	{
		MoveCamera( job );
	}
	if ( output->film != NULL )
	{
		return FilmStage( &job->stage, output->film, job->settings->output );
	}
	if ( output->clip.bake == NULL || IsLiveOutputFull( job ) )
	{
		return exit_ok;
	}
	bool ok = supBake_Record( output->clip.bake, job->stage.panels[0].actor, &error );
	return ok ? exit_ok : ReportError( job->settings->output, &error );
}

static int WritePicture( LiveJob* job )
{
	supPicture picture = { 0 };
	supError error = { 0 };
	int status = DrawStage( &job->stage, job->stage.width, job->stage.height, NULL, &picture );
	if ( status == exit_ok && supPicture_SavePng( &picture, job->settings->output, &error ) == false )
	{
		status = ReportError( job->settings->output, &error );
	}
	supPicture_Destroy( &picture );
	return status;
}

static int WriteCache( LiveJob* job )
{
	job->output.written = ( BakeOutput ){ .path = job->settings->output,
										  .source = job->stage.sources,
										  .clips = &job->output.clip,
										  .clipCount = 1,
										  .tolerance = 1e-4,
										  .tasks = job->stage.tasks };
	return WriteBakes( &job->output.written );
}

int EndLiveOutput( LiveJob* job, bool keep )
{
	LiveOutput* output = &job->output;
	supError error = { 0 };
	int status = exit_ok;
	if ( output->film != NULL && supFilm_Close( output->film, keep, &error ) == false && keep )
	{
		status = ReportError( job->settings->output, &error );
	}
	else if ( keep && output->kind == live_picture )
	{
		status = WritePicture( job );
	}
	else if ( keep && output->clip.bake != NULL )
	{
		status = WriteCache( job );
	}
	output->film = NULL;
	supDestroyBake( output->clip.bake, false );
	supFree( output->clip.work );
	output->clip = ( BakedClip ){ 0 };
	return status;
}
