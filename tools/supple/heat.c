// SPDX-License-Identifier: MIT
#include "heat.h"

#include "core/core.h"
#include "scene/heat.h"

#include <stdio.h>

// Pa, the end of the scale: about what a person's soles bear while standing.
#define MOST_PRESSURE 2e4f

float FindHeatScale( Heat heat, supBox bounds )
{
	switch ( heat )
	{
		case heat_displacement:
			return 0.05f * supLength( supBox_Size( bounds ) );
		case heat_pressure:
			return MOST_PRESSURE;
		default:
			return 0.5f;
	}
}

Heat FindHeat( const char* name )
{
	for ( int i = 0; i < sup_heatCount; ++i )
	{
		if ( strcmp( supHeatNames[i], name ) == 0 )
		{
			return (Heat)( heat_none + 1 + i );
		}
	}
	return heat_none;
}

bool FillHeat( Heat heat, supActor* actor, int32_t instance, float largest, const supTasks* tasks, float* values )
{
	if ( heat == heat_none )
	{
		return true;
	}
	const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
	int32_t mesh = supCharacter_Instance( character, instance )->mesh;
	int32_t count = supCharacter_Mesh( character, mesh )->vertexCount;
	bool ok = supActor_FillHeat( actor, (supHeat)( heat - heat_none - 1 ), instance, tasks, values );
	for ( int32_t i = 0; i < count && ok && heat != heat_softness && heat != heat_functions; ++i )
	{
		// of a change of volume the middle of the scale is none
		values[i] =
			heat == heat_volume ? 0.5f + 0.5f * supClampFloat( values[i] / largest, -1.0f, 1.0f ) : values[i] / largest;
	}
	return ok;
}

void DrawHeatLegend( Heat kind, float largest, supPicture* picture )
{
	char least[32] = "0", most[32];
	double scale = 100.0 * (double)largest;
	static const char* const titles[heat_count] = { "",         "distance from skinning", "stretch",         "volume",
													"softness", "finer functions",        "contact pressure" };
	switch ( kind )
	{
		case heat_displacement:
			snprintf( most, sizeof( most ), "%.3g cm", scale );
			break;
		case heat_volume:
			snprintf( least, sizeof( least ), "-%.0f %%", scale );
			snprintf( most, sizeof( most ), "+%.0f %%", scale );
			break;
		case heat_softness:
			snprintf( most, sizeof( most ), "1" );
			break;
		case heat_pressure:
			snprintf( most, sizeof( most ), "%.3g kPa", 1e-3 * (double)largest );
			break;
		case heat_functions:
			snprintf( least, sizeof( least ), "none" );
			snprintf( most, sizeof( most ), "finest" );
			break;
		default:
			snprintf( most, sizeof( most ), "%.0f %%", scale );
			break;
	}
	supDrawHeatLegend( picture, least, most, titles[kind] );
}
