// SPDX-License-Identifier: MIT
// What a bake found out about itself, as JSON.
#define _POSIX_C_SOURCE 200809L
#include "bake.h"
#include "core/core.h"
#include "io/common/file.h"
#include "json.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float StepMs( const supBakeFrame* frame )
{
	return frame->predictMs + frame->solveMs + frame->finishMs + frame->surfaceMs;
}

static int CompareFloats( const void* a, const void* b )
{
	float x = *(const float*)a, y = *(const float*)b;
	return ( x > y ) - ( x < y );
}

static float MedianStepMs( const BakedClip* clips, int32_t clipCount, int32_t frameCount, bool* failed )
{
	float* times = supAllocArray( (size_t)frameCount, sizeof( float ) );
	*failed = times == NULL;
	if ( times == NULL || frameCount == 0 )
	{
		supFree( times );
		return 0.0f;
	}
	int32_t n = 0;
	for ( int32_t i = 0; i < clipCount; ++i )
	{
		const supBakeReport* report = supBake_Report( clips[i].bake );
		for ( int32_t k = 0; k < report->frameCount; ++k )
		{
			times[n++] = StepMs( report->frames + k );
		}
	}
	qsort( times, (size_t)n, sizeof( float ), CompareFloats );
	float median = 0.5f * ( times[( n - 1 ) / 2] + times[n / 2] );
	supFree( times );
	return median;
}

static void SumLooks( const supLooks* looks, supLooks* sum )
{
	sum->frameCount += looks->frameCount;
	sum->isFinite = sum->isFinite && looks->isFinite;
	sum->torn = supMaxFloat( sum->torn, looks->torn );
	sum->worst = supMaxFloat( sum->worst, looks->worst );
	sum->crushed = supMaxFloat( sum->crushed, looks->crushed );
	sum->alive = supMaxFloat( sum->alive, looks->alive );
	sum->far = supMaxFloat( sum->far, looks->far );
}

void NoteUnresolved( const BakedClip* clips, int32_t clipCount )
{
	for ( int32_t i = 0; i < clipCount; ++i )
	{
		const supBakeReport* report = supBake_Report( clips[i].bake );
		if ( report->unresolved > 0 )
		{
			Note( "clip '%s': up to %d vertices stay inside the character, most of them at %.2f s: its bones leave no "
				  "room for flesh there",
				  clips[i].name, report->unresolved, (double)report->unresolvedTime );
		}
	}
}

bool SumBakes( const BakedClip* clips, int32_t clipCount, BakeTotals* totals )
{
	*totals = ( BakeTotals ){ .looks.isFinite = true };
	for ( int32_t i = 0; i < clipCount; ++i )
	{
		const supBakeReport* report = supBake_Report( clips[i].bake );
		totals->frames += report->frameCount;
		totals->wantedFrames += report->wantedFrameCount;
		totals->resumedFrames += report->resumedFrameCount;
		totals->trouble.notFinite += report->trouble.notFinite;
		totals->trouble.inverted += report->trouble.inverted;
		totals->trouble.notConverged += report->trouble.notConverged;
		totals->trouble.unstable += report->trouble.unstable;
		totals->trouble.guarded += report->trouble.guarded;
		totals->unresolved = report->unresolved > totals->unresolved ? report->unresolved : totals->unresolved;
		SumLooks( &report->looks, &totals->looks );
		for ( int32_t k = 0; k < report->frameCount; ++k )
		{
			const supSurfaceMeasure* m = &report->frames[k].measure;
			totals->volumeError = supMaxFloat( totals->volumeError, fabsf( m->volumeError ) );
			totals->stretch = supMaxFloat( totals->stretch, m->stretch );
			totals->penetration = supMaxFloat( totals->penetration, m->penetration );
			CountGuard( &totals->guard, report->frames[k].time, report->frames[k].guard );
		}
	}
	bool failed;
	totals->stepMsMedian = MedianStepMs( clips, clipCount, totals->frames, &failed );
	return failed == false;
}

void WriteMeasures( JsonWriter* json, const supBakeFrame* frame )
{
	JsonFloat( json, "time", frame->time );
	JsonFloat( json, "volume_error", frame->measure.volumeError );
	JsonFloat( json, "stretch", frame->measure.stretch );
	JsonFloat( json, "penetration", frame->measure.penetration );
	JsonFloat( json, "energy", frame->measure.energy );
	JsonInteger( json, "guarded", frame->guard.vertices );
}

static void WriteFrame( JsonWriter* json, const supBakeFrame* frame )
{
	JsonOpenObject( json, NULL );
	WriteMeasures( json, frame );
	JsonOpenObject( json, "ms" );
	JsonFloat( json, "pose", frame->poseMs );
	JsonFloat( json, "predict", frame->predictMs );
	JsonFloat( json, "solve", frame->solveMs );
	JsonFloat( json, "finish", frame->finishMs );
	JsonFloat( json, "surface", frame->surfaceMs );
	JsonCloseObject( json );
	JsonCloseObject( json );
}

static void WriteClip( JsonWriter* json, const BakedClip* clip, const supFlesh* flesh )
{
	const supBakeReport* report = supBake_Report( clip->bake );
	JsonOpenObject( json, NULL );
	JsonText( json, "name", clip->name );
	JsonInteger( json, "frames", report->frameCount );
	JsonBool( json, "complete", supBake_IsComplete( clip->bake ) );
	JsonFloat( json, "fps", report->framesPerSecond );
	JsonBool( json, "loop", report->isLoop );
	JsonInteger( json, "warmup_cycles", report->warmupCycles );
	JsonFloat( json, "loop_gap", report->loopGap );
	JsonFloat( json, "loop_speed_gap", report->loopSpeedGap );
	JsonFloat( json, "cycle_gap", report->cycleGap );
	JsonFloat( json, "clip_gap", report->clipGap );
	WriteLooks( json, &report->looks, flesh );
	JsonOpenArray( json, "per_frame" );
	for ( int32_t i = 0; i < report->frameCount; ++i )
	{
		WriteFrame( json, report->frames + i );
	}
	JsonCloseArray( json );
	JsonCloseObject( json );
}

static void WriteReport( JsonWriter* json, const void* context )
{
	const BakeReport* report = context;
	const BakeSettings* settings = report->settings;
	const BakeTotals* totals = report->totals;
	const supFlesh* flesh = report->flesh;
	JsonOpenObject( json, NULL );
	JsonText( json, "file", report->source->path );
	JsonText( json, "output", settings->output );
	JsonText( json, "method", supMethodName( settings->flesh.method ) );
	JsonOpenObject( json, "parameters" );
	for ( int32_t i = 0; i < settings->flesh.settingCount; ++i )
	{
		JsonFloat( json, settings->flesh.settings[i].parameter, settings->flesh.settings[i].value );
	}
	JsonCloseObject( json );
	JsonFloat( json, "fps", (float)settings->fps );
	JsonInteger( json, "substeps", settings->substeps );
	JsonInteger( json, "frames", totals->frames );
	JsonBool( json, "complete", totals->frames == totals->wantedFrames );
	JsonFloat( json, "volume_error_max", totals->volumeError );
	JsonFloat( json, "stretch_max", totals->stretch );
	JsonFloat( json, "penetration_max", totals->penetration );
	JsonInteger( json, "unresolved_max", totals->unresolved );
	JsonFloat( json, "step_ms_median", totals->stepMsMedian );
	JsonOpenObject( json, "trouble" );
	JsonInteger( json, "not_finite", totals->trouble.notFinite );
	JsonInteger( json, "inverted", totals->trouble.inverted );
	JsonInteger( json, "not_converged", totals->trouble.notConverged );
	JsonInteger( json, "unstable", totals->trouble.unstable );
	JsonInteger( json, "guarded", totals->trouble.guarded );
	JsonCloseObject( json );
	WriteLooks( json, &totals->looks, flesh );
	WriteGuard( json, &totals->guard, supFlesh_Character( flesh ) );
	if ( report->bones->clips != NULL )
	{
		WriteBones( json, report->bones, report->clips, report->clipCount );
	}
	JsonOpenArray( json, "clips" );
	for ( int32_t i = 0; i < report->clipCount; ++i )
	{
		WriteClip( json, report->clips + i, flesh );
	}
	JsonCloseArray( json );
	JsonCloseObject( json );
	EndJson( json );
}

int WriteJsonFile( const char* path, void ( *write )( JsonWriter* json, const void* context ), const void* context )
{
	char* text = NULL;
	size_t length = 0;
	FILE* stream = open_memstream( &text, &length );
	if ( stream == NULL )
	{
		return ReportMemory();
	}
	JsonWriter json = BeginJson( stream );
	write( &json, context );
	bool failed = fclose( stream ) != 0;
	supError error = { 0 };
	int status = exit_ok;
	if ( failed )
	{
		status = ReportMemory();
	}
	else if ( supWriteFile( path, text, length, &error ) == false )
	{
		status = ReportError( path, &error );
	}
	free( text );
	return status;
}

int WriteBakeReport( const char* path, const BakeReport* report )
{
	return WriteJsonFile( path, WriteReport, report );
}
