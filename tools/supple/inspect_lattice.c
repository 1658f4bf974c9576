// SPDX-License-Identifier: MIT
// supple inspect --lattice: the control lattice around a character, in figures, as a picture and as a file.
#include "core/core.h"
#include "draw/view.h"
#include "inspect.h"
#include "io/tets/lattice_file.h"
#include "json.h"
#include "report.h"
#include "stage.h"
#include "text.h"
#include "volume/lattice/cell_basis.h"
#include "volume/lattice/control_lattice.h"

#include <stdio.h>

typedef struct LatticeJob
{
	const Inspection* inspection;
	supControlLattice lattice;
	supControlLatticeReport report;
	supBindReport binding;
	// of the cells, and of the body in them
	double volume;
	double inside;
} LatticeJob;

// ---------------------------------------------------------------------------------------------------------------------
// The picture

static bool ProjectPoint( const supRenderDef* def, supVec3 p, supVec2* pixel )
{
	return supView_Project( &def->view, def->width, def->height, p, pixel );
}

// Edges fade with their distance from the eye, so that near ones stand out.
static void DrawCells( supPen* pen, const supControlLattice* lattice, const supRenderDef* def, supBox box )
{
	supVec3 forward = supNormalize( supSub( def->view.target, def->view.eye ) );
	float size = supLength( supBox_Size( box ) ), middle = supDot( supLerp( box.lower, box.upper, 0.5f ), forward );
	for ( int32_t cell = 0; cell < lattice->cellCount; ++cell )
	{
		const supCellShape* shape = supCellShapes + lattice->kinds[cell];
		const int32_t* corners = lattice->corners + lattice->cornerStarts[cell];
		for ( int32_t e = 0; e < shape->edgeCount; ++e )
		{
			int32_t from = corners[shape->edges[e][0]], to = corners[shape->edges[e][1]];
			// an edge has many cells, of which the first draws it
			bool isDrawn = false;
			for ( int32_t k = lattice->aroundStarts[from]; k < lattice->aroundStarts[from + 1] && isDrawn == false;
				  ++k )
			{
				int32_t other = lattice->around[k];
				for ( int32_t i = lattice->cornerStarts[other]; i < lattice->cornerStarts[other + 1]; ++i )
				{
					isDrawn = isDrawn || ( lattice->corners[i] == to && other < cell );
				}
			}
			supVec3 a = lattice->vertices[from], b = lattice->vertices[to];
			supVec2 here, there;
			if ( isDrawn == false && ProjectPoint( def, a, &here ) && ProjectPoint( def, b, &there ) )
			{
				float depth = ( supDot( supLerp( a, b, 0.5f ), forward ) - middle ) / size + 0.5f;
				float alpha = 0.65f - 0.6f * supClampFloat( depth, 0.0f, 1.0f );
				supPen_Line( pen, here, there, 0.0016f * (float)def->height,
							 ( supVec4 ){ 0.05f, 0.07f, 0.12f, alpha } );
			}
		}
	}
}

static void DrawBones( supPen* pen, const supControlLattice* lattice, const supRenderDef* def )
{
	float unit = 0.003f * (float)def->height;
	for ( int32_t i = 0; i < lattice->edgeCount; ++i )
	{
		const int32_t* ends = lattice->edges[i].vertices;
		supVec2 here, there;
		if ( ProjectPoint( def, lattice->vertices[ends[0]], &here ) &&
			 ProjectPoint( def, lattice->vertices[ends[1]], &there ) )
		{
			supPen_Line( pen, here, there, 1.6f * unit, ( supVec4 ){ 0.10f, 0.45f, 0.95f, 0.9f } );
		}
	}
	for ( int32_t i = 0; i < lattice->vertexCount; ++i )
	{
		bool known = supControlLattice_IsKnown( lattice, i );
		supVec4 color = known ? ( supVec4 ){ 1.0f, 1.0f, 1.0f, 1.0f } : ( supVec4 ){ 0.85f, 0.25f, 0.10f, 0.8f };
		supVec2 here;
		if ( ProjectPoint( def, lattice->vertices[i], &here ) )
		{
			supPen_Disc( pen, here, known ? 1.3f * unit : unit, color );
		}
	}
}

static bool DrawLattice( const LatticeJob* job, supRenderDef* def, supPicture* picture, supError* error )
{
	const Inspection* inspection = job->inspection;
	supCharacterView* view = supCreateCharacterView( inspection->source.character, error );
	supPose* pose = view != NULL ? supCreatePose( inspection->source.character ) : NULL;
	bool ok = pose != NULL || supSetMemoryError( error );
	if ( ok )
	{
		supCharacterView_SetPose( view, pose, sup_skinningLinear, inspection->tasks );
		ok = supCharacterView_Draw( view, def, inspection->tasks, picture, error );
	}
	supPen* pen = ok ? supPen_Begin( picture ) : NULL;
	if ( pen != NULL )
	{
		DrawCells( pen, &job->lattice, def, supCharacterView_Bounds( view ) );
		DrawBones( pen, &job->lattice, def );
		supPen_End( pen );
	}
	supDestroyPose( pose );
	supDestroyCharacterView( view );
	return ok;
}

static supBox BoundsOf( const supControlLattice* lattice )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < lattice->vertexCount; ++i )
	{
		box = supBox_Include( box, lattice->vertices[i] );
	}
	return box;
}

static int SavePicture( const LatticeJob* job, supRenderDef* def, const ViewChoice* choice )
{
	const InspectSettings* settings = job->inspection->settings;
	supBox box = BoundsOf( &job->lattice );
	supPicture picture = { 0 };
	supError error = { 0 };
	float azimuth =
		settings->view != NULL ? ResolveAzimuth( choice, job->inspection->source.character ) : choice->azimuth;
	def->view = supFrameView( box, azimuth, choice->elevation, (float)def->width / (float)def->height );
	bool ok = DrawLattice( job, def, &picture, &error ) && supPicture_SavePng( &picture, settings->output, &error );
	supPicture_Destroy( &picture );
	return ok ? exit_ok : ReportError( settings->output, &error );
}

static int SaveOutput( const LatticeJob* job, const Command* command )
{
	const InspectSettings* settings = job->inspection->settings;
	char extension[17];
	supGetExtension( settings->output, extension );
	supError error = { 0 };
	if ( strcmp( extension, ".json" ) == 0 )
	{
		bool ok = supSaveControlLattice( &job->lattice, settings->output, &error );
		return ok ? exit_ok : ReportError( settings->output, &error );
	}
	ViewChoice choice;
	supRenderDef def = { .background = { 0.58f, 0.62f, 0.66f } };
	int status = ReadView( command, settings->size, settings->view, &def.width, &def.height, &choice );
	return status == exit_ok ? SavePicture( job, &def, &choice ) : status;
}

// ---------------------------------------------------------------------------------------------------------------------
// Figures

static bool Measure( LatticeJob* job, supError* error )
{
	const Inspection* inspection = job->inspection;
	supRestSurface surface = { 0 };
	supCellBasis basis = { 0 };
	supCellRule rule = { 0 };
	supSurfaceBinding binding = { 0 };
	supCellBasisDef def = { .lattice = &job->lattice, .surface = &surface, .tasks = inspection->tasks };
	bool ok = supRestSurface_Init( &surface, inspection->source.character, inspection->tasks, error ) &&
			  supBuildCellBasis( &basis, &rule, &def, error ) &&
			  supSurfaceBinding_InitCells( &binding, inspection->source.character, &basis, inspection->tasks, error );
	job->inside = rule.volume;
	job->binding = binding.report;
	for ( int32_t i = 0; i < job->lattice.cellCount; ++i )
	{
		job->volume += supControlLattice_CellVolume( &job->lattice, i );
	}
	supSurfaceBinding_Destroy( &binding );
	supCellRule_Destroy( &rule );
	supCellBasis_Destroy( &basis );
	supRestSurface_Destroy( &surface );
	return ok;
}

static void PrintLattice( const LatticeJob* job )
{
	const supControlLatticeReport* r = &job->report;
	const supControlLattice* lattice = &job->lattice;
	char path[1024];
	printf( "%s: control lattice\n\n", CleanText( job->inspection->path, 0, path, sizeof( path ) ) );
	printf( "  %-14s %12s  %d on bones, %d outside of the skin, %d inside\n", "vertices",
			FormatCount( lattice->vertexCount ), r->boneVertices, r->outerVertices, r->innerVertices );
	printf( "  %-14s %12s  %.4g m3, of which %.4g are body\n", "cells", FormatCount( lattice->cellCount ), job->volume,
			job->inside );
	printf( "  %-14s %12s  in %d edges; %d joints near others are one with them, %d bones lie outside\n", "bones",
			FormatCount( lattice->boneCount ), lattice->edgeCount, r->joinedJoints, r->outsideBones );
	printf( "  %-14s %12.3g  m apart\n", "spacing", (double)r->spacing );
	printf( "  %-14s %12.3f  worst, %.3f on average; 1 is regular\n", "roundness", (double)r->worstQuality,
			(double)r->meanQuality );
	printf( "  %-14s %12s  vertices of the skin in cells, %d outside\n", "binding", FormatCount( job->binding.inside ),
			job->binding.outside );
}

static void PrintLatticeJson( const LatticeJob* job )
{
	const supControlLatticeReport* r = &job->report;
	JsonWriter json = BeginJson( stdout );
	JsonOpenObject( &json, NULL );
	JsonText( &json, "file", job->inspection->path );
	JsonOpenObject( &json, "lattice" );
	JsonInteger( &json, "vertices", job->lattice.vertexCount );
	JsonInteger( &json, "bone_vertices", r->boneVertices );
	JsonInteger( &json, "outer_vertices", r->outerVertices );
	JsonInteger( &json, "inner_vertices", r->innerVertices );
	JsonInteger( &json, "cells", job->lattice.cellCount );
	JsonInteger( &json, "bones", job->lattice.boneCount );
	JsonInteger( &json, "bone_edges", job->lattice.edgeCount );
	JsonInteger( &json, "joined_joints", r->joinedJoints );
	JsonInteger( &json, "outside_bones", r->outsideBones );
	JsonInteger( &json, "open_pieces", r->openPieces );
	JsonInteger( &json, "rounds", r->rounds );
	JsonFloat( &json, "spacing", r->spacing );
	JsonFloat( &json, "roundness_min", r->worstQuality );
	JsonFloat( &json, "roundness_mean", r->meanQuality );
	JsonFloat( &json, "volume", (float)job->volume );
	JsonFloat( &json, "body_volume", (float)job->inside );
	JsonCloseObject( &json );
	JsonOpenObject( &json, "binding" );
	JsonInteger( &json, "inside", job->binding.inside );
	JsonInteger( &json, "outside", job->binding.outside );
	JsonFloat( &json, "farthest", job->binding.farthest );
	JsonCloseObject( &json );
	if ( job->inspection->settings->output != NULL )
	{
		JsonText( &json, "output", job->inspection->settings->output );
	}
	JsonCloseObject( &json );
	EndJson( &json );
}

int InspectLattice( Inspection* inspection, const Command* command )
{
	LatticeJob job = { .inspection = inspection };
	int status = LoadSource( inspection->path, &inspection->source );
	if ( status != exit_ok )
	{
		return status;
	}
	supError error = { 0 };
	supControlLatticeDef def = supDefaultControlLatticeDef();
	def.character = inspection->source.character;
	def.vertexCount = inspection->settings->lattice;
	def.tasks = inspection->tasks;
	def.report = &job.report;
	bool ok = supBuildControlLattice( &job.lattice, &def, &error ) && Measure( &job, &error );
	status = ok ? exit_ok : ReportError( inspection->path, &error );
	status = ok && inspection->settings->output != NULL ? SaveOutput( &job, command ) : status;
	if ( status == exit_ok && inspection->settings->common.json )
	{
		PrintLatticeJson( &job );
	}
	else if ( status == exit_ok )
	{
		PrintLattice( &job );
	}
	supControlLattice_Destroy( &job.lattice );
	return status;
}
