// SPDX-License-Identifier: MIT
#include "looks.h"

#include "report.h"
#include "text.h"

#include <math.h>
#include <stdio.h>

// A part of the softness as it is, for somebody to try next.
#define LOWER_SOFTNESS 0.6f

void CountGuard( GuardTally* tally, float time, supGuardReport report )
{
	tally->frameCount += 1;
	tally->guardedFrames += report.vertices > 0;
	if ( report.vertices > tally->vertices )
	{
		tally->vertices = report.vertices;
		tally->time = time;
		tally->instance = report.instance;
		tally->vertex = report.vertex;
	}
}

// The joint that moves a vertex most, or the node that carries it; by its number where it has no name.
static const char* NearestJoint( const supCharacter* character, int32_t instance, int32_t vertex, char number[24] )
{
	const supInstance* placed = supCharacter_Instance( character, instance );
	const supMesh* mesh = supCharacter_Mesh( character, placed->mesh );
	int32_t node = placed->node;
	if ( placed->skin >= 0 && mesh->influences > 0 )
	{
		uint16_t joint = mesh->joints[(size_t)vertex * (size_t)mesh->influences];
		node = supCharacter_Skin( character, placed->skin )->joints[joint];
	}
	const char* name = supCharacter_Node( character, node )->name;
	snprintf( number, 24, "#%d", node );
	return name[0] != 0 ? name : number;
}

void WriteGuard( JsonWriter* json, const GuardTally* tally, const supCharacter* character )
{
	bool isGuarded = tally->guardedFrames > 0;
	char number[24];
	JsonOpenObject( json, "guard" );
	JsonInteger( json, "frames", tally->guardedFrames );
	JsonInteger( json, "vertices_max", tally->vertices );
	JsonFloat( json, "time", isGuarded ? tally->time : NAN );
	JsonText( json, "joint", isGuarded ? NearestJoint( character, tally->instance, tally->vertex, number ) : NULL );
	JsonCloseObject( json );
}

static float FindLowerSoftness( const supFlesh* flesh )
{
	supMethodId method;
	int32_t index =
		supFindMethod( supFlesh_MethodName( flesh ), &method ) ? supMethod_FindParameter( method, "softness" ) : -1;
	return index >= 0 ? LOWER_SOFTNESS * supFlesh_Parameter( flesh, index ) : 0.0f;
}

void NoteGuard( const GuardTally* tally, const supFlesh* flesh, const char* name )
{
	if ( tally->guardedFrames == 0 )
	{
		return;
	}
	char joint[80], number[24];
	CleanText( NearestJoint( supFlesh_Character( flesh ), tally->instance, tally->vertex, number ), 40, joint,
			   sizeof( joint ) );
	Note(
		"%s: flesh was blended toward plain skinning in %d of %d frames, at up to %s, worst near joint '%s' at %.2f s; "
		"try --softness %.2g, or paint it firm there (--overlay softness shows where it is soft)",
		name, tally->guardedFrames, tally->frameCount, FormatPlural( tally->vertices, "vertex", "vertices" ), joint,
		(double)tally->time, (double)FindLowerSoftness( flesh ) );
}

bool HasFlesh( const supFlesh* flesh )
{
	supMethodId method;
	return supFindMethod( supFlesh_MethodName( flesh ), &method ) && supMethod_FindParameter( method, "softness" ) >= 0;
}

void WriteLooks( JsonWriter* json, const supLooks* looks, const supFlesh* flesh )
{
	JsonOpenObject( json, "looks" );
	JsonText( json, "verdict", HasFlesh( flesh ) ? supVerdictName( supLooks_Verdict( looks ) ) : NULL );
	JsonFloat( json, "torn", looks->torn );
	JsonFloat( json, "worst", looks->worst );
	JsonFloat( json, "crushed", looks->crushed );
	JsonFloat( json, "alive", looks->alive );
	JsonFloat( json, "far", looks->far );
	JsonCloseObject( json );
}

void NoteLooks( const supLooks* looks, const supFlesh* flesh, const char* name )
{
	if ( HasFlesh( flesh ) && supLooks_Verdict( looks ) == sup_verdictTorn )
	{
		Note( "%s: the skin is torn: %.2f edges per frame are far too long, the worst by %.1f %% of the size; %.1f per "
			  "mille of edges are crushed; up to %.1f %% of the size away from plain skinning; try --softness %.2g",
			  name, (double)looks->torn, (double)looks->worst, (double)looks->crushed, (double)looks->far,
			  (double)FindLowerSoftness( flesh ) );
	}
}
