// SPDX-License-Identifier: MIT
// What --loop came to: the rate that closes the cycle, the seam that is left, and clips that are no cycles.
#include "bake.h"
#include "core/core.h"
#include "report.h"
#include "text.h"

#include <math.h>
#include <stdio.h>

// Of the size: from here on one sees a seam.
#define VISIBLE_SEAM 1e-3f

static double Percent( float metres, float size )
{
	return size > 0.0f ? 100.0 * (double)metres / (double)size : 0.0;
}

void PrintLoops( const BakedClip* clips, int32_t clipCount )
{
	for ( int32_t i = 0; i < clipCount; ++i )
	{
		const supBakeReport* report = supBake_Report( clips[i].bake );
		if ( report->isLoop && report->frameCount == report->wantedFrameCount )
		{
			char name[256];
			printf( "loop%s%s: %s at %g fps, seam %.3f %% of the size (%.3g mm, %.3g mm/s)\n", clipCount > 1 ? " " : "",
					clipCount > 1 ? CleanText( clips[i].name, 0, name, sizeof( name ) ) : "",
					FormatPlural( report->frameCount, "frame", "frames" ), (double)report->framesPerSecond,
					Percent( report->loopGap, report->size ), 1000.0 * (double)report->loopGap,
					1000.0 * (double)report->loopSpeedGap );
		}
	}
}

static void NoteLoop( const BakedClip* clip, const BakeSettings* settings )
{
	const supBakeReport* report = supBake_Report( clip->bake );
	char name[256];
	CleanText( clip->name, 0, name, sizeof( name ) );
	double clipGap = Percent( report->clipGap, report->size );
	if ( report->isLoop == false )
	{
		Note(
			"clip '%s' is not a cycle: its last pose is %.1f %% of the size away from its first; baked once, from rest",
			name, clipGap );
		return;
	}
	if ( fabs( (double)report->framesPerSecond - settings->fps ) > 1e-4 * settings->fps )
	{
		Note( "clip '%s' is not a whole number of frames at %g fps; baked at %g fps, where a cycle has %s", name,
			  settings->fps, (double)report->framesPerSecond,
			  FormatPlural( report->wantedFrameCount, "frame", "frames" ) );
	}
	if ( report->loopLead > 0.0f )
	{
		Note( "clip '%s' has no key before %.3g s; the loop starts at 0 s and goes from its last pose to "
			  "its first",
			  name, (double)report->loopLead );
	}
	if ( report->clipGap > VISIBLE_SEAM * report->size )
	{
		Note( "clip '%s' does not close: its last pose is %.2f %% of the size away from its first", name, clipGap );
	}
	if ( report->cycleGap > VISIBLE_SEAM * report->size )
	{
		Note( "clip '%s': flesh differs by %.2f %% of the size between cycles even after %s; the loop was "
			  "closed by blending two cycles; a lower --softness helps",
			  name, Percent( report->cycleGap, report->size ),
			  FormatPlural( report->warmupCycles, "cycle", "cycles" ) );
	}
	if ( supMaxFloat( report->loopGap, report->loopSpeedGap / report->framesPerSecond ) > VISIBLE_SEAM * report->size )
	{
		Note( "clip '%s': the loop does not close, by %.2f %% of the size and %.2f %% a frame", name,
			  Percent( report->loopGap, report->size ),
			  Percent( report->loopSpeedGap / report->framesPerSecond, report->size ) );
	}
}

void NoteLoops( const BakedClip* clips, int32_t clipCount, const BakeSettings* settings )
{
	for ( int32_t i = 0; i < clipCount && settings->loop; ++i )
	{
		NoteLoop( clips + i, settings );
	}
}
