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

#include <math.h>
#include <stdio.h>

// Cycles that are played before a loop is recorded, at most, and the share of the size within which they are alike.
#define MOST_WARMUP_CYCLES 24
#define SETTLED_GAP 1e-4f

// Everything that was measured at one frame.
typedef struct SceneFrame
{
	float time;
	supContactStats contact;
} SceneFrame;

// The largest load of a joint in all frames, N and N m.
typedef struct JointPeak
{
	bool isJoint;
	float force;
	float torque;
} JointPeak;

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
	SUP_ARRAY( SceneFrame ) frames;
	JointPeak* joints; // of the nodes of all actors, one after another; NULL without a report
	float from, to;    // seconds in the scene
	// of --loop: the surfaces of all actors at the beginning of a cycle, and how far off they were at its end
	supVec3* surfaces;
	int64_t vertexCount;
	int32_t warmupCycles;
	float seam;
	float size;
} SceneBake;

// The command line goes before the file.
static int ChooseTimes( SceneBake* job )
{
	const BakeSettings* settings = job->settings;
	supSceneFile* file = &job->show.file;
	file->framesPerSecond = isnan( settings->fps ) ? file->framesPerSecond : (float)settings->fps;
	job->from = isnan( settings->from ) ? 0.0f : (float)settings->from;
	job->to = isnan( settings->to ) ? file->duration : (float)settings->to;
	if ( job->to < job->from )
	{
		Report( job->show.path, "the scene ends at %g s, before --from %g", (double)job->to, (double)job->from );
		return exit_usage;
	}
	return exit_ok;
}

static int BeginRecordings( SceneBake* job )
{
	const supSceneFile* file = &job->show.file;
	job->clip = ( supClip ){ .name = file->name != NULL ? file->name : "Scene", .end = job->to - job->from };
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
		def.to = job->to - job->from;
		def.loop = job->settings->loop;
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

static const supCharacter* CharacterOf( const SceneBake* job, int32_t actor )
{
	return supFlesh_Character( supActor_Flesh( job->show.actors[actor].actor ) );
}

static int BeginJoints( SceneBake* job )
{
	size_t count = 0;
	for ( int32_t i = 0; i < job->show.actorCount; ++i )
	{
		count += (size_t)supCharacter_NodeCount( CharacterOf( job, i ) );
	}
	job->joints = supAllocZeroed( count * sizeof( JointPeak ) );
	return job->joints != NULL ? exit_ok : ReportMemory();
}

static void WeighJoints( SceneBake* job )
{
	JointPeak* joint = job->joints;
	for ( int32_t i = 0; i < job->show.actorCount; ++i )
	{
		for ( int32_t k = 0; k < supCharacter_NodeCount( CharacterOf( job, i ) ); ++k, ++joint )
		{
			supJointLoad load;
			joint->isJoint = supActor_GetJointLoad( job->show.actors[i].actor, k, &load );
			joint->force = supMaxFloat( joint->force, supLength( load.force ) );
			joint->torque = supMaxFloat( joint->torque, supLength( load.torque ) );
		}
	}
}

static void AuditFrame( SceneBake* job )
{
	supAuditResult now = supAudit_Measure( job->audit, job->show.tasks );
	supAuditResult* worst = &job->worst;
	worst->deepCount = now.deepCount > worst->deepCount ? now.deepCount : worst->deepCount;
	worst->actor = now.deepest > worst->deepest ? now.actor : worst->actor;
	worst->deepest = supMaxFloat( worst->deepest, now.deepest );
}

// ---------------------------------------------------------------------------------------------------------------------
// Playing

static float FrameSeconds( const SceneBake* job )
{
	return 1.0f / supBake_Report( job->bakes[0].bake )->framesPerSecond;
}

// Up to where the recording begins.
static void PlayLead( SceneBake* job )
{
	float dt = FrameSeconds( job );
	int32_t count = (int32_t)( job->from / dt + 0.999f );
	for ( int32_t i = 0; i < count && IsStopped() == false; ++i )
	{
		AdvanceShow( &job->show, supMinFloat( dt, job->from - job->show.time ) );
	}
}

// Copies all surfaces. Returns how far a vertex is from the copy before.
static float CompareSurfaces( SceneBake* job )
{
	float most = 0.0f;
	supBox box = supBox_empty;
	supVec3* own = job->surfaces;
	for ( int32_t i = 0; i < job->show.actorCount; ++i )
	{
		const supActor* actor = job->show.actors[i].actor;
		const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
		for ( int32_t k = 0; k < supCharacter_InstanceCount( character ); ++k )
		{
			int32_t mesh = supCharacter_Instance( character, k )->mesh;
			const supVec3* now = supActor_Positions( actor, k );
			for ( int32_t v = 0; v < supCharacter_Mesh( character, mesh )->vertexCount; ++v, ++own )
			{
				most = supMaxFloat( most, supDistance( *own, now[v] ) );
				box = supBox_Include( box, now[v] );
				*own = now[v];
			}
		}
	}
	supVec3 size = supBox_Size( box );
	job->size = supMaxFloat( supMaxFloat( size.x, size.y ), size.z );
	return most;
}

static int32_t CycleFrames( const SceneBake* job )
{
	return supBake_Report( job->bakes[0].bake )->wantedFrameCount;
}

// One frame on; after the last of a loop comes the first.
static void PlayFrame( SceneBake* job, int32_t frame )
{
	if ( frame == CycleFrames( job ) )
	{
		// the clock goes back, everything else goes on: what happens once happens again
		job->show.time = job->from - FrameSeconds( job );
	}
	AdvanceShow( &job->show, FrameSeconds( job ) );
}

// Plays cycles until everything repeats itself.
static int WarmUp( SceneBake* job )
{
	for ( int32_t i = 0; i < job->show.actorCount; ++i )
	{
		const supCharacter* character = supFlesh_Character( supActor_Flesh( job->show.actors[i].actor ) );
		for ( int32_t k = 0; k < supCharacter_InstanceCount( character ); ++k )
		{
			int32_t mesh = supCharacter_Instance( character, k )->mesh;
			job->vertexCount += supCharacter_Mesh( character, mesh )->vertexCount;
		}
	}
	job->surfaces = supAllocZeroed( (size_t)job->vertexCount * sizeof( supVec3 ) );
	if ( job->surfaces == NULL )
	{
		return ReportMemory();
	}
	CompareSurfaces( job );
	for ( bool moving = true; moving && job->warmupCycles < MOST_WARMUP_CYCLES && IsStopped() == false; )
	{
		for ( int32_t frame = 1; frame <= CycleFrames( job ); ++frame )
		{
			PlayFrame( job, frame );
		}
		moving = CompareSurfaces( job ) > SETTLED_GAP * job->size;
		job->warmupCycles += 1;
	}
	return exit_ok;
}

static int RecordFrame( SceneBake* job, int32_t frame )
{
	int status = exit_ok;
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
	if ( job->joints != NULL )
	{
		WeighJoints( job );
	}
	SceneFrame info = { (float)frame * FrameSeconds( job ), supScene_GetStats( job->show.scene ).contact };
	return status == exit_ok && SUP_PUSH( &job->frames, info ) == false ? ReportMemory() : status;
}

static int RecordFrames( SceneBake* job )
{
	int32_t count = CycleFrames( job );
	PlayLead( job );
	int status = job->settings->loop ? WarmUp( job ) : exit_ok;
	Progress progress;
	BeginProgress( &progress, stderr, "Baking" );
	for ( int32_t frame = 0; frame < count && status == exit_ok; ++frame )
	{
		if ( frame > 0 )
		{
			PlayFrame( job, frame );
		}
		status = RecordFrame( job, frame );
		UpdateProgress( &progress, frame + 1, count, NULL );
		if ( IsStopped() )
		{
			break;
		}
	}
	EndProgress( &progress );
	if ( status == exit_ok && job->settings->loop && IsStopped() == false )
	{
		PlayFrame( job, count );
		job->seam = CompareSurfaces( job );
	}
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

// ---------------------------------------------------------------------------------------------------------------------
// Report

// Loads of the joints that the method simulates.
static void WriteJoints( JsonWriter* json, const SceneBake* job, int32_t index )
{
	const JointPeak* joints = job->joints;
	for ( int32_t i = 0; i < index; ++i )
	{
		joints += supCharacter_NodeCount( CharacterOf( job, i ) );
	}
	JsonOpenArray( json, "joints" );
	for ( int32_t i = 0; i < supCharacter_NodeCount( CharacterOf( job, index ) ); ++i )
	{
		if ( joints[i].isJoint )
		{
			JsonOpenObject( json, NULL );
			JsonText( json, "node", supCharacter_Node( CharacterOf( job, index ), i )->name );
			JsonFloat( json, "force", joints[i].force );
			JsonFloat( json, "torque", joints[i].torque );
			JsonCloseObject( json );
		}
	}
	JsonCloseArray( json );
}

static void WriteActor( JsonWriter* json, const SceneBake* job, int32_t index )
{
	const ShowActor* actor = job->show.actors + index;
	const supBakeReport* report = supBake_Report( job->bakes[index].bake );
	JsonOpenObject( json, NULL );
	JsonText( json, "name", actor->def->name );
	JsonText( json, "method", supFlesh_MethodName( supActor_Flesh( actor->actor ) ) );
	JsonInteger( json, "frames", report->frameCount );
	WriteJoints( json, job, index );
	JsonOpenArray( json, "per_frame" );
	for ( int32_t i = 0; i < report->frameCount; ++i )
	{
		const supBakeFrame* frame = report->frames + i;
		JsonOpenObject( json, NULL );
		WriteMeasures( json, frame );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
	JsonCloseObject( json );
}

static void WriteReport( JsonWriter* json, const void* context )
{
	const SceneBake* job = context;
	JsonOpenObject( json, NULL );
	JsonText( json, "file", job->show.path );
	JsonText( json, "output", job->settings->output );
	JsonFloat( json, "fps", supBake_Report( job->bakes[0].bake )->framesPerSecond );
	JsonInteger( json, "frames", job->frames.count );
	JsonInteger( json, "contacts", job->show.mostContacts );
	JsonFloat( json, "penetration", job->show.deepest );
	JsonInteger( json, "warmup_cycles", job->warmupCycles );
	JsonFloat( json, "loop_gap", job->seam );
	JsonOpenArray( json, "per_frame" );
	for ( int32_t i = 0; i < job->frames.count; ++i )
	{
		const SceneFrame* frame = job->frames.data + i;
		JsonOpenObject( json, NULL );
		JsonFloat( json, "time", frame->time );
		JsonInteger( json, "contacts", frame->contact.contacts );
		JsonFloat( json, "penetration", frame->contact.deepest );
		JsonInteger( json, "left_alone", frame->contact.left );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
	JsonOpenArray( json, "actors" );
	for ( int32_t i = 0; i < job->show.actorCount; ++i )
	{
		WriteActor( json, job, i );
	}
	JsonCloseArray( json );
	JsonCloseObject( json );
	EndJson( json );
}

static void PrintSeam( const SceneBake* job )
{
	double percent = job->size > 0.0f ? 100.0 * (double)job->seam / (double)job->size : 0.0;
	printf( "loop: %s at %g fps, seam %.3f %% of the size (%.3g mm)\n",
			FormatPlural( job->frames.count, "frame", "frames" ), 1.0 / (double)FrameSeconds( job ), percent,
			1000.0 * (double)job->seam );
	if ( percent > 0.1 )
	{
		Note( "the scene is not periodic after %s: something in it happens only once or continues",
			  FormatPlural( job->warmupCycles, "cycle", "cycles" ) );
	}
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
		if ( settings->loop )
		{
			PrintSeam( job );
		}
		if ( job->show.mostContacts > 0 )
		{
			printf( "%s at once, the deepest %.2g mm inside\n",
					FormatPlural( job->show.mostContacts, "contact", "contacts" ), 1000.0 * (double)job->show.deepest );
			if ( job->show.mostLeft > 0 )
			{
				printf( "%s at once left inside because bones leave no room\n",
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
			printf( "by winding numbers: no vertex is inside a surface\n" );
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
	status = status == exit_ok ? ChooseTimes( &job ) : status;
	status = status == exit_ok ? BeginShow( &job.show ) : status;
	WatchForStop();
	status = status == exit_ok ? BeginRecordings( &job ) : status;
	status = status == exit_ok && settings->audit ? BeginAudit( &job ) : status;
	status = status == exit_ok && settings->report != NULL ? BeginJoints( &job ) : status;
	status = status == exit_ok ? RecordFrames( &job ) : status;
	status = status == exit_ok ? WriteActors( &job ) : status;
	if ( status == exit_ok && settings->report != NULL )
	{
		status = WriteJsonFile( settings->report, WriteReport, &job );
	}
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
	supFree( job.surfaces );
	supFree( job.joints );
	SUP_FREE_ARRAY( &job.frames );
	CloseShow( &job.show );
	supDestroyThreadPool( pool );
	return status;
}
