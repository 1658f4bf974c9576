// SPDX-License-Identifier: MIT
// What bodies are made of, in real units. docs/volume.md names the sources.
#include "core/core.h"
#include "supple/flesh.h"

static const supLayer s_layers[] = {
	{ "bone", 0.0f, { .density = 1900.0f, .stiffness = 17.0e9f, .poisson = 0.3f, .damping = 0.05f } },
	{ "muscle", 1.0f, { .density = 1060.0f, .stiffness = 30.0e3f, .poisson = 0.49f, .damping = 0.3f } },
	{ "fat", 1.0f, { .density = 950.0f, .stiffness = 3.0e3f, .poisson = 0.49f, .damping = 0.2f } },
	{ "skin", 0.0f, { .density = 1100.0f, .stiffness = 150.0e3f, .poisson = 0.49f, .damping = 0.3f } },
};

const supLayer* supStandardLayers( int32_t* count )
{
	*count = SUP_COUNT( s_layers );
	return s_layers;
}

supSoftRegion supDefaultSoftRegion( void )
{
	return ( supSoftRegion ){ .name = "", .shape = sup_softPainted, .softness = 1.0f };
}
