// SPDX-License-Identifier: MIT
// What supple inspect finds out: tetrahedra of a character, of a file of others, or of flesh.
#include "core/core.h"
#include "inspect.h"
#include "report.h"
#include "volume/body/body.h"
#include "volume/body/tissue.h"
#include "volume/weights/bridge_count.h"

#define LAYER_RESOLUTION 64

// ---------------------------------------------------------------------------------------------------------------------
// A character

// The layer of the voxel that each tetrahedron has its middle in, and how much of the body each layer is.
static bool FindLayers( Inspection* inspection, const supBody* body, supError* error )
{
	const supTets* tets = &inspection->tets;
	supVec3* middles = supAllocArray( (size_t)tets->tetCount, sizeof( supVec3 ) );
	inspection->tetLayers = supAllocArray( (size_t)tets->tetCount, 1 );
	if ( middles == NULL || inspection->tetLayers == NULL )
	{
		supFree( middles );
		return supSetMemoryError( error );
	}
	for ( int32_t i = 0; i < tets->tetCount; ++i )
	{
		const int32_t* t = tets->indices + 4 * (size_t)i;
		supVec3 sum = supAdd( supAdd( tets->points[t[0]], tets->points[t[1]] ),
							  supAdd( tets->points[t[2]], tets->points[t[3]] ) );
		middles[i] = supScale( 0.25f, sum );
	}
	supCarryLayers( &body->layers, &body->voxels, middles, tets->tetCount, inspection->tasks, inspection->tetLayers );
	supFree( middles );
	inspection->layers = supStandardLayers( &inspection->layerCount );
	for ( int32_t i = 0; i < tets->tetCount; ++i )
	{
		inspection->layerTets[inspection->tetLayers[i]] += 1;
		inspection->layerVolumes[inspection->tetLayers[i]] += supTets_Volume( tets, i );
	}
	return true;
}

static bool MeshCharacter( Inspection* inspection, supError* error )
{
	const supCharacter* character = inspection->source.character;
	supRestSurface surface = { 0 };
	if ( supRestSurface_Init( &surface, character, inspection->tasks, error ) == false )
	{
		return false;
	}
	supTetsDef def = supDefaultTetsDef();
	def.vertexCount = surface.vertexCount;
	def.positions = surface.positions;
	def.triangleCount = surface.triangleCount;
	def.indices = surface.indices;
	def.cover = SUP_SKIN_COVER;
	def.tetCount = inspection->settings->tets > 0 ? inspection->settings->tets : def.tetCount;
	def.tasks = inspection->tasks;
	def.report = &inspection->mesher;
	bool ok = supBuildTets( &inspection->tets, &def, error );
	supRestSurface_Destroy( &surface );
	supSurfaceBinding binding = { 0 };
	ok = ok && supSurfaceBinding_InitTets( &binding, character, &inspection->tets, inspection->tasks, error );
	inspection->binding = binding.report;
	inspection->hasBinding = ok;
	supSurfaceBinding_Destroy( &binding );
	return ok;
}

static int InspectCharacter( Inspection* inspection )
{
	int status = LoadSource( inspection->path, &inspection->source );
	if ( status != exit_ok )
	{
		return status;
	}
	supError error = { 0 };
	if ( MeshCharacter( inspection, &error ) == false )
	{
		return ReportError( inspection->path, &error );
	}
	if ( supCharacter_SkinCount( inspection->source.character ) == 0 )
	{
		Note( "no layers: the character has no skeleton" );
		return exit_ok;
	}
	if ( supCountTetBridges( inspection->source.character, &inspection->tets, inspection->tasks, &inspection->bridges,
							 &error ) == false )
	{
		return ReportError( inspection->path, &error );
	}
	supBody body = { 0 };
	bool ok = supBody_Init( &body, inspection->source.character, LAYER_RESOLUTION, NULL, inspection->tasks, &error ) &&
			  FindLayers( inspection, &body, &error );
	supBody_Destroy( &body );
	if ( ok == false && error.code == sup_errorMemory )
	{
		return ReportError( inspection->path, &error );
	}
	if ( ok == false )
	{
		Note( "no layers: %s", error.message );
	}
	return exit_ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Files

static bool CopyTets( Inspection* inspection, const supTetMesh* mesh, supError* error )
{
	return supTets_InitMesh( &inspection->tets, mesh, error );
}

static int InspectTets( Inspection* inspection )
{
	supError error = { 0 };
	inspection->given = supLoadTets( inspection->path, &error );
	for ( int32_t i = 0; inspection->given != NULL && i < inspection->given->noteCount; ++i )
	{
		Note( "%s", inspection->given->notes[i].text );
	}
	bool ok = inspection->given != NULL && CopyTets( inspection, inspection->given, &error );
	return ok ? exit_ok : ReportError( inspection->path, &error );
}

// The figures that supSurfaceBinding_Save leaves, in whatever group.
static void FindBinding( Inspection* inspection )
{
	FleshPack* pack = &inspection->pack;
	for ( int32_t i = 0; i < pack->reader.sectionCount && inspection->hasBinding == false; ++i )
	{
		supPackEntry entry = supPackReader_Entry( &pack->reader, i );
		const char* name = EnterFleshGroups( pack, entry.name );
		if ( strcmp( name, "farthest" ) == 0 && supPackReader_Has( &pack->reader, "report" ) )
		{
			float farthest = supPackReader_GetFloat( &pack->reader, "farthest" );
			const int32_t* counts = supPackReader_GetInts( &pack->reader, "report", 3, 0, INT32_MAX );
			inspection->hasBinding = pack->reader.failed == false;
			if ( inspection->hasBinding )
			{
				inspection->binding = ( supBindReport ){
					.inside = counts[0], .outside = counts[1], .farthest = farthest, .resided = counts[2]
				};
			}
		}
		LeaveFleshGroups( pack );
	}
}

static int InspectFlesh( Inspection* inspection )
{
	supError error = { 0 };
	inspection->hasPack = OpenFleshPack( &inspection->pack, inspection->path, &error );
	if ( inspection->hasPack == false )
	{
		return ReportError( inspection->path, &error );
	}
	// loading the flesh reports a damaged section
	inspection->pack.reader.error = NULL;
	FindBinding( inspection );
	bool ok = inspection->pack.tets.tetCount == 0 || CopyTets( inspection, &inspection->pack.tets, &error );
	return ok ? exit_ok : ReportError( inspection->path, &error );
}

// ---------------------------------------------------------------------------------------------------------------------

static InspectKind GuessKind( const char* path )
{
	static const char* const extensions[] = { ".node", ".ele", ".msh", ".meshb", ".vtk", ".mesh" };
	char extension[17];
	supGetExtension( path, extension );
	for ( int32_t i = 0; i < SUP_COUNT( extensions ); ++i )
	{
		if ( strcmp( extension, extensions[i] ) == 0 )
		{
			return inspect_tets;
		}
	}
	return strcmp( extension, ".flesh" ) == 0 ? inspect_flesh : inspect_character;
}

int OpenInspection( Inspection* inspection )
{
	inspection->kind = GuessKind( inspection->path );
	int status = inspection->kind == inspect_character
					 ? InspectCharacter( inspection )
					 : ( inspection->kind == inspect_tets ? InspectTets( inspection ) : InspectFlesh( inspection ) );
	supError error = { 0 };
	if ( status == exit_ok && inspection->tets.tetCount > 0 &&
		 supMeasureTets( &inspection->tets, inspection->tasks, &inspection->quality, &error ) == false )
	{
		return ReportError( inspection->path, &error );
	}
	return status;
}

void CloseInspection( Inspection* inspection )
{
	supFree( inspection->tetLayers );
	supTets_Destroy( &inspection->tets );
	if ( inspection->hasPack )
	{
		CloseFleshPack( &inspection->pack );
	}
	supDestroyTets( inspection->given );
	FreeSource( &inspection->source );
}
