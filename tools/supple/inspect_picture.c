// SPDX-License-Identifier: MIT
// The cut-away picture of supple inspect.
#include "core/core.h"
#include "draw/color.h"
#include "draw/tet_view.h"
#include "draw/view.h"
#include "inspect.h"
#include "report.h"
#include "stage.h"

typedef struct Paint
{
	supVec4* colors;
	float* heat;
} Paint;

static bool MakePaint( const Inspection* inspection, bool byLayer, Paint* paint )
{
	size_t count = (size_t)inspection->tets.tetCount;
	*paint = ( Paint ){ supAllocArray( count, sizeof( supVec4 ) ), supAllocArray( count, sizeof( float ) ) };
	if ( paint->colors == NULL || paint->heat == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < inspection->tets.tetCount; ++i )
	{
		if ( byLayer )
		{
			paint->colors[i] = supLayerColor( inspection->tetLayers[i], inspection->layerCount );
		}
		else
		{
			paint->heat[i] = supClampFloat( supTets_MeanRatio( &inspection->tets, i ), 0.0f, 1.0f );
		}
	}
	return true;
}

static supBox FindBounds( const supTets* tets )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		box = supBox_Include( box, tets->points[i] );
	}
	return box;
}

// Squares with the names of the layers, in the lower right corner.
static void DrawLayerLegend( const Inspection* inspection, supPicture* picture )
{
	supPen* pen = supPen_Begin( picture );
	if ( pen == NULL )
	{
		return;
	}
	float size = (float)picture->height / 36.0f;
	float linear[256];
	supFillLinearTable( linear );
	for ( int32_t i = 0; i < inspection->layerCount; ++i )
	{
		float y = (float)picture->height - 1.4f * size * (float)( inspection->layerCount - i ) - size;
		float x = (float)picture->width - 6.0f * size;
		supVec4 c = supLayerColor( i, inspection->layerCount );
		supVec4 color = { (float)supEncodeSrgb( linear, c.x, 0.5f ) / 255.0f,
						  (float)supEncodeSrgb( linear, c.y, 0.5f ) / 255.0f,
						  (float)supEncodeSrgb( linear, c.z, 0.5f ) / 255.0f, 1.0f };
		supPen_Rectangle( pen, ( supVec2 ){ x, y }, ( supVec2 ){ size, size }, color );
		supPen_Text( pen, ( supVec2 ){ x + 1.5f * size, y + 0.5f * size }, ( supVec2 ){ 0.0f, 0.5f }, size,
					 ( supVec4 ){ 0.05f, 0.05f, 0.05f, 1.0f }, inspection->layers[i].name );
	}
	supPen_End( pen );
}

static bool DrawCut( const Inspection* inspection, const Paint* paint, bool byLayer, supRenderDef* def,
					 supPicture* picture, supError* error )
{
	supBox box = FindBounds( &inspection->tets );
	supVec3 normal = supFacingAxis( supSub( def->view.eye, def->view.target ) );
	float lower = supMinFloat( supDot( box.lower, normal ), supDot( box.upper, normal ) );
	float upper = supMaxFloat( supDot( box.lower, normal ), supDot( box.upper, normal ) );
	float cut = lower + (float)inspection->settings->cut * ( upper - lower );
	supTetMesh mesh = supTets_Mesh( &inspection->tets );
	supTetPaint tetPaint = { byLayer ? paint->colors : NULL, byLayer ? NULL : paint->heat };
	supTetView* view = supCreateTetView( &mesh, tetPaint, normal, cut, error );
	bool ok = view != NULL && supTetView_Draw( view, def, inspection->tasks, picture, error );
	supDestroyTetView( view );
	if ( ok && byLayer )
	{
		DrawLayerLegend( inspection, picture );
	}
	else if ( ok )
	{
		supDrawHeatLegend( picture, "0", "1", "mean ratio" );
	}
	return ok;
}

static int DrawAndSave( const Inspection* inspection, supRenderDef* def )
{
	bool byLayer = inspection->layerCount > 0 && inspection->settings->color != color_quality;
	Paint paint;
	supPicture picture = { 0 };
	supError error = { 0 };
	bool ok = MakePaint( inspection, byLayer, &paint ) || supSetMemoryError( &error );
	ok = ok && DrawCut( inspection, &paint, byLayer, def, &picture, &error ) &&
		 supPicture_SavePng( &picture, inspection->settings->output, &error );
	supPicture_Destroy( &picture );
	supFree( paint.colors );
	supFree( paint.heat );
	return ok ? exit_ok : ReportError( inspection->settings->output, &error );
}

int DrawInspection( const Inspection* inspection, const Command* command )
{
	const InspectSettings* settings = inspection->settings;
	ViewChoice choice;
	supRenderDef def = { .wireframe = true, .showGround = true, .background = { 0.58f, 0.62f, 0.66f } };
	int status = ReadView( command, settings->size, settings->view, &def.width, &def.height, &choice );
	if ( status != exit_ok )
	{
		return status;
	}
	if ( inspection->tets.tetCount == 0 )
	{
		Report( inspection->path, "the file has no tetrahedra to draw" );
		return exit_data;
	}
	if ( settings->color == color_layers && inspection->layerCount == 0 )
	{
		Report( inspection->path, "the layers are unknown; use --color quality" );
		return exit_data;
	}
	supBox box = FindBounds( &inspection->tets );
	supVec3 extent = supBox_Size( box );
	// what is longer than wide (four legs, tails) is cut along its length, and looked at from that side
	float azimuth = settings->view != NULL ? ResolveAzimuth( &choice, inspection->source.character )
					: extent.z > extent.x  ? 90.0f - choice.azimuth
										   : choice.azimuth;
	def.view = supFrameView( box, azimuth, choice.elevation, (float)def.width / (float)def.height );
	def.ground = box.lower.y;
	return DrawAndSave( inspection, &def );
}
