// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "json.h"
#include "live.h"
#include "report.h"
#include "terminal.h"
#include "text.h"

#include <stdio.h>
#include <unistd.h>

static int64_t CountLost( const LiveCounts* counts )
{
	return counts->vmc.malformed + counts->vmc.badMessages;
}

void ShowLiveStatus( LiveJob* job )
{
	const LiveCounts* counts = &job->counts;
	double since = counts->seconds - job->told;
	if ( IsQuiet() || since < 1.0 || isatty( STDERR_FILENO ) == 0 )
	{
		return;
	}
	fprintf(
		stderr,
		"\r\033[K%.0f s  %.0f packets/s  %lld malformed  %lld poses dropped  %lld steps predicted, %lld held  %.2f ms a "
		"step%s",
		counts->seconds, (double)( counts->vmc.packets - job->toldPackets ) / since, (long long)CountLost( counts ),
		(long long)counts->stream.dropped, (long long)counts->stream.predictedSteps,
		(long long)counts->stream.heldSteps, counts->steps > 0 ? counts->stepMs / (double)counts->steps : 0.0,
		job->started ? "" : "  (waiting for the tracker)" );
	fflush( stderr );
	job->told = counts->seconds;
	job->toldPackets = counts->vmc.packets;
}

void HideLiveStatus( LiveJob* job )
{
	if ( job->told > 0.0 )
	{
		fprintf( stderr, "\r\033[K" );
	}
}

static supTrouble SumTrouble( const LiveJob* job )
{
	supTrouble sum = { 0 };
	for ( int32_t i = 0; i < job->stage.panelCount; ++i )
	{
		supTrouble trouble = supScene_GetStats( job->stage.panels[i].scene ).trouble;
		sum.notFinite += trouble.notFinite;
		sum.inverted += trouble.inverted;
		sum.notConverged += trouble.notConverged;
		sum.unstable += trouble.unstable;
		sum.guarded += trouble.guarded;
	}
	return sum;
}

static void PrintJson( const LiveJob* job )
{
	const LiveCounts* c = &job->counts;
	const LiveSettings* settings = job->settings;
	supTrouble trouble = SumTrouble( job );
	JsonWriter json = BeginJson( stdout );
	JsonOpenObject( &json, NULL );
	JsonText( &json, "file", job->stage.sources[0].path );
	JsonText( &json, "replay", settings->replay );
	JsonText( &json, "output", settings->output );
	JsonText( &json, "record", settings->record );
	JsonInteger( &json, "joints", supVmc_JointCount( job->vmc ) );
	JsonInteger( &json, "blend_shapes", supVmc_BlendCount( job->vmc ) );
	JsonFloat( &json, "seconds", (float)c->seconds );
	JsonInteger( &json, "packets", c->vmc.packets );
	JsonInteger( &json, "messages", c->vmc.messages );
	JsonInteger( &json, "malformed", c->vmc.malformed );
	JsonInteger( &json, "bad_messages", c->vmc.badMessages );
	JsonInteger( &json, "ignored_messages", c->vmc.ignored );
	JsonInteger( &json, "unknown_bones", c->vmc.unknownBones );
	JsonInteger( &json, "unknown_blend_shapes", c->vmc.unknownBlends );
	JsonInteger( &json, "frames", c->vmc.frames );
	JsonInteger( &json, "frames_not_ready", c->vmc.notReady );
	JsonInteger( &json, "frames_dropped", c->stream.dropped );
	JsonInteger( &json, "frames_reordered", c->stream.reordered );
	JsonInteger( &json, "restarts", c->stream.restarts );
	JsonInteger( &json, "steps", c->steps );
	JsonInteger( &json, "steps_predicted", c->stream.predictedSteps );
	JsonInteger( &json, "steps_held", c->stream.heldSteps );
	JsonInteger( &json, "steps_skipped", c->skippedSteps );
	JsonFloat( &json, "step_ms_mean", (float)( c->steps > 0 ? c->stepMs / (double)c->steps : 0.0 ) );
	JsonFloat( &json, "step_ms_max", (float)c->stepMsMax );
	JsonOpenObject( &json, "trouble" );
	JsonInteger( &json, "not_finite", trouble.notFinite );
	JsonInteger( &json, "inverted", trouble.inverted );
	JsonInteger( &json, "not_converged", trouble.notConverged );
	JsonInteger( &json, "unstable", trouble.unstable );
	JsonInteger( &json, "guarded", trouble.guarded );
	JsonCloseObject( &json );
	JsonCloseObject( &json );
	EndJson( &json );
}

void PrintLiveSummary( const LiveJob* job )
{
	const LiveCounts* c = &job->counts;
	if ( job->settings->common.json )
	{
		PrintJson( job );
		return;
	}
	if ( job->settings->common.quiet )
	{
		return;
	}
	char path[1024];
	printf( "%s: %s in %.1f s, %s (%.0f a second), %lld malformed\n",
			CleanText( job->stage.sources[0].path, 0, path, sizeof( path ) ), FormatPlural( c->steps, "step", "steps" ),
			c->seconds, FormatPlural( c->vmc.packets, "packet", "packets" ),
			c->seconds > 0.0 ? (double)c->vmc.packets / c->seconds : 0.0, (long long)CountLost( c ) );
	printf( "  %s on %s; %lld dropped, %lld out of order, %lld restarts\n",
			FormatPlural( c->vmc.frames, "frame", "frames" ),
			FormatPlural( supVmc_JointCount( job->vmc ), "joint", "joints" ), (long long)c->stream.dropped,
			(long long)c->stream.reordered, (long long)c->stream.restarts );
	printf( "  steps: %lld predicted, %lld held, %lld skipped; %.2f ms each, %.2f at most\n",
			(long long)c->stream.predictedSteps, (long long)c->stream.heldSteps, (long long)c->skippedSteps,
			c->steps > 0 ? c->stepMs / (double)c->steps : 0.0, c->stepMsMax );
	if ( c->vmc.unknownBones + c->vmc.unknownBlends > 0 )
	{
		printf( "  nothing here for %s and %s\n",
				FormatPlural( c->vmc.unknownBones, "message about a bone", "messages about bones" ),
				FormatPlural( c->vmc.unknownBlends, "about a blend shape", "about blend shapes" ) );
	}
	if ( job->settings->output != NULL )
	{
		uint64_t bytes = GetFileSize( job->settings->output );
		printf( bytes > 0 ? "%s: %s\n" : "%s\n", CleanText( job->settings->output, 0, path, sizeof( path ) ),
				FormatBytes( bytes ) );
	}
	if ( job->settings->record != NULL )
	{
		printf( "%s: %s\n", CleanText( job->settings->record, 0, path, sizeof( path ) ),
				FormatBytes( GetFileSize( job->settings->record ) ) );
	}
}
