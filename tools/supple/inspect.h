// SPDX-License-Identifier: MIT
// supple inspect, in parts: what is found out about a body, and how it is drawn.
#pragma once

#include "draw/renderer.h"
#include "flesh_pack.h"
#include "load.h"
#include "volume/binding/surface_binding.h"
#include "volume/body/layers.h"
#include "volume/tets/tet_mesher.h"
#include "volume/tets/tet_quality.h"

typedef enum InspectColor
{
	color_automatic,
	color_layers,
	color_quality,
} InspectColor;

typedef struct InspectSettings
{
	CommonSettings common;
	const char* output;
	const char* size;
	const char* view;
	int32_t tets;
	int32_t lattice; // vertices; 0: none
	int32_t color;
	double cut; // 0 .. 1 along the axis of the cut
} InspectSettings;

// What the tetrahedra come from.
typedef enum InspectKind
{
	inspect_character,
	inspect_tets,
	inspect_flesh,
} InspectKind;

typedef struct Inspection
{
	const InspectSettings* settings;
	const char* path;
	const supTasks* tasks;
	InspectKind kind;
	Source source;     // a character
	supTetMesh* given; // a file of tetrahedra
	FleshPack pack;    // a flesh file
	bool hasPack;
	supTets tets; // none where a flesh has none
	supTetsReport mesher;
	supTetQuality quality;
	bool hasBinding;
	supBindReport binding;
	// 0 where there is no skeleton
	int32_t layerCount;
	const supLayer* layers;
	int64_t layerTets[SUP_MAX_LAYERS];
	double layerVolumes[SUP_MAX_LAYERS];
	uint8_t* tetLayers;
	// tets that join parts of the body which only lie near each other; -1 where there is no skeleton
	int32_t bridges;
} Inspection;

// Both return exit_ok or what to exit with. The inspection is safe to close in either case.
int OpenInspection( Inspection* inspection );
void CloseInspection( Inspection* inspection );

// --lattice, from loading to printing. The inspection is safe to close afterwards.
int InspectLattice( Inspection* inspection, const Command* command );

int DrawInspection( const Inspection* inspection, const Command* command );
