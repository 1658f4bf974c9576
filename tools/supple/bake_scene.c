// SPDX-License-Identifier: MIT
// supple bake scene.json: everybody in a scene, each into a file of its own.
#include "bake_write.h"
#include "core/core.h"
#include "json.h"
#include "report.h"
#include "scene/audit.h"
#include "show.h"
#include "stop.h"
#include "terminal.h"
#include "text.h"

#include <stdio.h>

typedef struct SceneBake
{
	BakeSettings* settings;
	Show show;
	supClip clip;     // how the motion is called in files
	BakedClip* bakes; // one per actor
	FileWord* words;  // likewise, in the names of files
	int32_t fileCount;
	uint64_t byteCount;
	supAudit* audit; // where it is asked for, and the worst of all frames
	supAuditResult worst;
} SceneBake;

static int BeginRecordings( SceneBake* job )
{
	const supSceneFile* file = &job->show.file;
	job->clip = ( supClip ){ .name = file->name != NULL ? file->name : "Scene", .end = file->duration };
	job->bakes = supAllocZeroed( (size_t)job->show.actorCount * sizeof( BakedClip ) );
	job->words = supAllocArray( (size_t)job->show.actorCount, sizeof( FileWord ) );
	if ( job->bakes == NULL || job->words == NULL )
	{
		return ReportMemory();
	}
	for ( int32_t i = 0; i < job->show.actorCount; ++i )
	{
		BakedClip* baked = job->bakes + i;
		supBakeDef def = supDefaultBakeDef();
		def.clip = &job->clip;
		def.framesPerSecond = file->framesPerSecond;
		def.to = file->duration;
		baked->name = job->clip.name;
		baked->clip = &job->clip;
		MakeFileWord( job->show.actors[i].def->name, job->words, i, sizeof( FileWord ) );
		baked->work = MakeBakePath( job->settings->output, job->words + i, NULL, ".part" );
		supError error = { 0 };
		baked->bake = baked->work != NULL ? supBeginRecording( job->show.bodies[job->show.actors[i].body].flesh, &def,
															   baked->work, &error )
										  : NULL;
		if ( baked->bake == NULL )
		{
			return baked->work != NULL ? ReportError( baked->work, &error ) : ReportMemory();
		}
	}
	return exit_ok;
}

static int BeginAudit( SceneBake* job )
{
	supActor** actors = supAllocArray( (size_t)job->show.actorCount, sizeof( supActor* ) );
	for ( int32_t i = 0; actors != NULL && i < job->show.actorCount; ++i )
	{
		actors[i] = job->show.actors[i].actor;
	}
	job->audit = actors != NULL ? supCreateAudit( actors, job->show.actorCount, NULL ) : NULL;
	supFree( actors );
	return job->audit != NULL ? exit_ok : ReportMemory();
}

static void AuditFrame( SceneBake* job )
{
	supAuditResult now = supAudit_Measure( job->audit, job->show.tasks );
	supAuditResult* worst = &job->worst;
	worst->deepCount = now.deepCount > worst->deepCount ? now.deepCount : worst->deepCount;
	worst->actor = now.deepest > worst->deepest ? now.actor : worst->actor;
	worst->deepest = supMaxFloat( worst->deepest, now.deepest );
}

static int RecordFrames( SceneBake* job )
{
	int32_t count = supBake_Report( job->bakes[0].bake )->wantedFrameCount;
	int status = exit_ok;
	Progress progress;
	BeginProgress( &progress, stderr, "Baking" );
	for ( int32_t frame = 0; frame < count && status == exit_ok; ++frame )
	{
		if ( frame > 0 )
		{
			AdvanceShow( &job->show, 1.0f / job->show.file.framesPerSecond );
		}
		for ( int32_t i = 0; i < job->show.actorCount && status == exit_ok; ++i )
		{
			supError error = { 0 };
			if ( supBake_Record( job->bakes[i].bake, job->show.actors[i].actor, &error ) == false )
			{
				status = ReportError( job->bakes[i].work, &error );
			}
		}
		if ( job->audit != NULL )
		{
			AuditFrame( job );
		}
		UpdateProgress( &progress, frame + 1, count, NULL );
		if ( IsStopped() )
		{
			break;
		}
	}
	EndProgress( &progress );
	return status;
}

static int WriteActors( SceneBake* job )
{
	int status = exit_ok;
	for ( int32_t i = 0; i < job->show.actorCount && status == exit_ok; ++i )
	{
		const ShowActor* actor = job->show.actors + i;
		Source* source = &job->show.bodies[actor->body].source;
		char* path = MakeBakePath( job->settings->output, job->show.actorCount > 1 ? job->words + i : NULL, NULL, "" );
		status = path != NULL ? exit_ok : ReportMemory();
		BakeOutput output = { .path = path,
							  .source = source,
							  .clips = job->bakes + i,
							  .clipCount = 1,
							  .tolerance = job->settings->tolerance,
							  .tasks = job->show.tasks };
		status = status == exit_ok ? WriteBakes( &output ) : status;
		job->fileCount += output.fileCount;
		job->byteCount += output.byteCount;
		supFree( path );
	}
	return status;
}

static void PrintSummary( const SceneBake* job )
{
	const BakeSettings* settings = job->settings;
	int32_t frames = supBake_Report( job->bakes[0].bake )->frameCount;
	if ( settings->common.json )
	{
		JsonWriter json = BeginJson( stdout );
		JsonOpenObject( &json, NULL );
		JsonText( &json, "file", job->show.path );
		JsonText( &json, "output", settings->output );
		JsonInteger( &json, "actors", job->show.actorCount );
		JsonInteger( &json, "frames", frames );
		JsonInteger( &json, "files", job->fileCount );
		JsonInteger( &json, "bytes", (int64_t)job->byteCount );
		JsonInteger( &json, "contacts", job->show.mostContacts );
		JsonFloat( &json, "penetration", job->show.deepest );
		JsonInteger( &json, "left_alone", job->show.mostLeft );
		if ( job->audit != NULL )
		{
			JsonFloat( &json, "audit_deepest", job->worst.deepest );
			JsonInteger( &json, "audit_vertices", job->worst.deepCount );
		}
		JsonCloseObject( &json );
		EndJson( &json );
	}
	else if ( settings->common.quiet == false )
	{
		char path[1024];
		printf( "%s: %s, %s, %s in %s\n", CleanText( settings->output, 0, path, sizeof( path ) ),
				FormatPlural( job->show.actorCount, "actor", "actors" ), FormatPlural( frames, "frame", "frames" ),
				FormatBytes( job->byteCount ), FormatPlural( job->fileCount, "file", "files" ) );
		if ( job->show.mostContacts > 0 )
		{
			printf( "%s at once, the deepest %.2g mm inside\n",
					FormatPlural( job->show.mostContacts, "contact", "contacts" ), 1000.0 * (double)job->show.deepest );
			if ( job->show.mostLeft > 0 )
			{
				printf( "%s at once that bones took too deep to be pushed out\n",
						FormatPlural( job->show.mostLeft, "vertex", "vertices" ) );
			}
		}
		if ( job->audit != NULL && job->worst.deepest > 0.0f )
		{
			printf(
				"by winding numbers: the deepest vertex %.2f thicknesses of the skin inside (%s), %s at once deeper "
				"than one\n",
				(double)job->worst.deepest, job->show.actors[job->worst.actor].def->name,
				FormatPlural( job->worst.deepCount, "vertex", "vertices" ) );
		}
		else if ( job->audit != NULL )
		{
			printf( "by winding numbers: no vertex is inside of anything\n" );
		}
	}
}

int BakeScene( const Command* command, BakeSettings* settings, const char* path )
{
	SceneBake job = { .settings = settings };
	supThreadPool* pool = StartThreads( &settings->common );
	if ( pool == NULL )
	{
		return exit_memory;
	}
	const char* method = settings->method != NULL ? settings->method : DEFAULT_METHOD;
	int status = OpenShow( command, path, method, settings->substeps, true, supThreadPool_Tasks( pool ), &job.show );
	status = status == exit_ok ? BeginShow( &job.show ) : status;
	WatchForStop();
	status = status == exit_ok ? BeginRecordings( &job ) : status;
	status = status == exit_ok && settings->audit ? BeginAudit( &job ) : status;
	status = status == exit_ok ? RecordFrames( &job ) : status;
	status = status == exit_ok ? WriteActors( &job ) : status;
	if ( status == exit_ok )
	{
		NoteTrouble( &job.show );
		PrintSummary( &job );
	}
	for ( int32_t i = 0; job.bakes != NULL && i < job.show.actorCount; ++i )
	{
		supDestroyBake( job.bakes[i].bake, false );
		supFree( job.bakes[i].work );
	}
	supDestroyAudit( job.audit );
	supFree( job.bakes );
	supFree( job.words );
	CloseShow( &job.show );
	supDestroyThreadPool( pool );
	return status;
}
