// SPDX-License-Identifier: MIT
#include "choose.h"

#include "core/core.h"
#include "report.h"

#include <math.h>
#include <stdio.h>

int CheckClipSettings( const Command* command, const ClipSettings* settings )
{
	if ( settings->rest && ( settings->clip != NULL || settings->motion != NULL ) )
	{
		return ReportUsage( command, "--rest excludes --clip and --motion" );
	}
	if ( settings->clip != NULL && settings->motion != NULL )
	{
		return ReportUsage( command, "--clip excludes --motion; select a clip of the motion file with --motion-clip" );
	}
	const char* orphan = settings->map != NULL          ? "map"
						 : settings->motionClip != NULL ? "motion-clip"
						 : settings->inPlace            ? "in-place"
														: NULL;
	if ( orphan != NULL && settings->motion == NULL )
	{
		return ReportUsage( command, "option --%s: requires --motion FILE", orphan );
	}
	return exit_ok;
}

int CheckSpan( const Command* command, double from, double to )
{
	// written so that what is not a number, and so not given, passes
	if ( to < from )
	{
		return ReportUsage( command, "--from (%g) must be before --to (%g)", from, to );
	}
	return exit_ok;
}

static int ChooseMotion( const ClipSettings* settings, const Source* source, ClipChoice* choice )
{
	choice->request = ( MotionRequest ){ .path = settings->motion,
										 .clip = settings->motionClip,
										 .map = settings->map,
										 .inPlace = settings->inPlace,
										 .keepFirstFrame = settings->keepFirstFrame };
	int status = OpenMotion( &choice->request, &choice->motion );
	if ( status != exit_ok )
	{
		return status;
	}
	choice->retargeted = RetargetMotion( &choice->motion, choice->motion.firstClip, source->character, &status );
	if ( choice->retargeted != NULL )
	{
		const supCharacter* other = choice->motion.source.character;
		choice->clip = choice->retargeted;
		choice->label = other != NULL ? GetClipLabel( other, supCharacter_Clip( other, choice->motion.firstClip ) )
									  : choice->motion.builtin;
	}
	return status;
}

int ChooseClip( const ClipSettings* settings, const Source* source, ClipChoice* choice )
{
	*choice = ( ClipChoice ){ 0 };
	const supCharacter* character = source->character;
	if ( settings->motion != NULL )
	{
		return ChooseMotion( settings, source, choice );
	}
	if ( settings->rest )
	{
		return exit_ok;
	}
	if ( settings->clip != NULL )
	{
		choice->clip = SelectClip( source, settings->clip );
	}
	else if ( supCharacter_ClipCount( character ) > 0 )
	{
		choice->clip = supCharacter_Clip( character, 0 );
	}
	else
	{
		Note( "%s has no clips: using its rest pose. Add a motion with --motion builtin:%s or --motion "
			  "FILE; --rest keeps the rest pose",
			  source->path, supMotionFits( supFindMotion( "walk" ), character ) ? "walk" : "shake" );
		return exit_ok;
	}
	choice->label = choice->clip != NULL ? GetClipLabel( character, choice->clip ) : NULL;
	return choice->clip != NULL ? exit_ok : exit_data;
}

void FreeClipChoice( ClipChoice* choice )
{
	supDestroyClip( choice->retargeted );
	CloseMotion( &choice->motion );
	*choice = ( ClipChoice ){ 0 };
}

float ChooseTime( const ClipChoice* choice, double asked )
{
	const supClip* clip = choice->clip;
	if ( clip == NULL )
	{
		return 0.0f;
	}
	if ( isnan( asked ) )
	{
		return clip->start;
	}
	// time 0 before a first key at 1/30 s, which many programs write, is nothing to mention
	double lower = clip->start < 0.0f ? (double)clip->start : 0.0;
	double upper = (double)clip->end;
	double slack = 1e-4 * ( upper - lower );
	double time = asked < lower ? lower : asked > upper ? upper : asked;
	if ( asked < lower - slack || asked > upper + slack )
	{
		Note( "%g s is outside clip '%s' (%g s to %g s); using %g s", asked, choice->label, lower, upper, time );
	}
	return (float)time;
}

int ReportUnknownMethod( const Command* command, const char* word )
{
	char names[256] = "";
	for ( int i = 0; i < sup_methodCount; ++i )
	{
		size_t used = strlen( names );
		snprintf( names + used, sizeof( names ) - used, "%s%s", i > 0 ? ", " : "", supMethodName( (supMethodId)i ) );
	}
	return ReportUsage( command, "unknown method '%s'; methods: %s", word, names );
}
