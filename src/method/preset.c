// SPDX-License-Identifier: MIT
// Named settings of softness, the same for every method.
#include "method/method.h"

// Frequency and damping are multiples of the method's own defaults, which are tuned to look alike.
static const supPreset s_presets[] = {
	{ "firm", "muscle: a short tremble", 0.3f, 1.0f, 2.0f },
	{ "standard", "the defaults", 0.5f, 1.0f, 1.0f },
	{ "jelly", "swings long and wide", 0.85f, 1.0f, 0.5f },
	{ "heavy", "slow, soon at rest", 0.6f, 0.75f, 2.0f },
};

// What the methods call them. Drag of `layered` is a rate: at a given damping ratio it grows with the frequency.
typedef struct Names
{
	const char* frequency;
	const char* damping;
	bool isRate;
} Names;

static const Names s_names[sup_methodCount] = {
	[sup_methodPosition] = { "frequency", "damping", false },
	[sup_methodLattice] = { "fat.frequency", "fat.damping", false },
	[sup_methodPoints] = { "frequency", "ratio", false },
	[sup_methodLayered] = { "frequency", "drag", true },
	[sup_methodFem] = { "frequency", "damping", false },
	[sup_methodModes] = { "frequency", "damping", false },
};

const supPreset* supPresets( int32_t* count )
{
	*count = SUP_COUNT( s_presets );
	return s_presets;
}

const supPreset* supFindPreset( const char* name )
{
	for ( int32_t i = 0; i < (int32_t)SUP_COUNT( s_presets ); ++i )
	{
		if ( strcmp( s_presets[i].name, name ) == 0 )
		{
			return s_presets + i;
		}
	}
	return NULL;
}

static supSetting ScaleStandard( supMethodId method, const char* name, float factor )
{
	const supParameter* parameter = supMethod_Parameter( method, supMethod_FindParameter( method, name ) );
	float value = supClampFloat( factor * parameter->standard, parameter->minimum, parameter->maximum );
	return ( supSetting ){ parameter->name, value };
}

int32_t supPreset_Settings( const supPreset* preset, supMethodId method, supSetting settings[SUP_PRESET_SETTINGS] )
{
	const Names* names = s_names + method;
	if ( names->frequency == NULL )
	{
		return 0;
	}
	settings[0] = ( supSetting ){ "softness", preset->softness };
	settings[1] = ScaleStandard( method, names->frequency, preset->frequency );
	settings[2] =
		ScaleStandard( method, names->damping, preset->damping * ( names->isRate ? preset->frequency : 1.0f ) );
	return SUP_PRESET_SETTINGS;
}
