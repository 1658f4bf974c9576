// SPDX-License-Identifier: MIT
// supple info: what is in a file, and what is odd about it.
#include "commands.h"
#include "core/core.h"
#include "json.h"
#include "load.h"
#include "report.h"
#include "terminal.h"
#include "text.h"

typedef struct InfoSettings
{
	CommonSettings common;
} InfoSettings;

// Everything that is counted or measured.
typedef struct InfoReport
{
	const Source* source;
	const supCharacter* character;
	int64_t vertices; // over meshes: each once
	int64_t triangles;
	int32_t primitives;
	int32_t joints;     // nodes that are a joint of some skin
	int32_t slots;      // bones per vertex that the widest mesh has room for
	int32_t influences; // the most that any vertex uses
	int32_t morphTargets;
	int32_t missingImages;
	int32_t repairs;
	SceneMeasure scene;
	supSurfaceReport surface;
} InfoReport;

// ---------------------------------------------------------------------------------------------------------------------
// Counting

static int32_t CountInfluences( const supMesh* mesh )
{
	int32_t most = 0;
	for ( int32_t v = 0; v < mesh->vertexCount; ++v )
	{
		int32_t used = 0;
		for ( int32_t k = 0; k < mesh->influences; ++k )
		{
			used += mesh->weights[(size_t)v * (size_t)mesh->influences + (size_t)k] > 0.0f ? 1 : 0;
		}
		most = used > most ? used : most;
	}
	return most;
}

static void CountMeshes( InfoReport* report )
{
	for ( int32_t i = 0; i < supCharacter_MeshCount( report->character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( report->character, i );
		int32_t influences = CountInfluences( mesh );
		report->vertices += mesh->vertexCount;
		report->triangles += mesh->indexCount / 3;
		report->primitives += mesh->primitiveCount;
		report->morphTargets += mesh->targetCount;
		report->slots = mesh->influences > report->slots ? mesh->influences : report->slots;
		report->influences = influences > report->influences ? influences : report->influences;
	}
}

static void CountRest( InfoReport* report )
{
	const supCharacter* character = report->character;
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		report->joints += supCharacter_IsJoint( character, i ) ? 1 : 0;
	}
	for ( int32_t i = 0; i < supCharacter_ImageCount( character ); ++i )
	{
		report->missingImages += supCharacter_Image( character, i )->bytes == NULL ? 1 : 0;
	}
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		report->repairs += supCharacter_Note( character, i )->repaired ? 1 : 0;
	}
}

static int BuildReport( const Source* source, const CommonSettings* common, InfoReport* report )
{
	*report = ( InfoReport ){ .source = source, .character = source->character };
	CountMeshes( report );
	CountRest( report );
	supError error = { 0 };
	if ( supCheckSurface( source->character, &report->surface, &error ) == false )
	{
		return ReportError( source->path, &error );
	}
	supThreadPool* pool = StartThreads( common );
	supPose* pose = supCreatePose( source->character );
	bool ok = pool != NULL && pose != NULL &&
			  MeasureScene( source->character, pose, sup_skinningLinear, supThreadPool_Tasks( pool ), &report->scene );
	supDestroyPose( pose );
	supDestroyThreadPool( pool );
	return ok ? exit_ok : ReportMemory();
}

// ---------------------------------------------------------------------------------------------------------------------
// For people

static void PrintRow( const char* label, const char* value, const char* rest )
{
	printf( "  %-14s %10s%s%s\n", label, value, rest[0] != 0 ? "  " : "", rest );
}

static void PrintTitle( const char* title )
{
	printf( "\n%s%s%s\n", BeginStyle( stdout, style_title ), title, EndStyle( stdout ) );
}

static const char* DescribeSurface( const supSurfaceReport* surface, char* buffer, size_t capacity )
{
	typedef struct Flaw
	{
		int32_t count;
		const char* one;
		const char* many;
	} Flaw;
	const Flaw flaws[] = {
		{ surface->boundaryEdges, "open edge", "open edges" },
		{ surface->nonManifoldEdges, "non-manifold edge", "non-manifold edges" },
		{ surface->misorientedEdges, "edge with inconsistent orientation", "edges with inconsistent orientation" },
		{ surface->degenerateTriangles, "degenerate triangle", "degenerate triangles" },
		{ surface->duplicateTriangles, "duplicate triangle", "duplicate triangles" },
	};
	size_t used = (size_t)snprintf( buffer, capacity, "%s", FormatPlural( surface->parts, "part", "parts" ) );
	for ( int32_t i = 0; i < SUP_COUNT( flaws ); ++i )
	{
		if ( flaws[i].count > 0 && used < capacity )
		{
			used += (size_t)snprintf( buffer + used, capacity - used, ", %s",
									  FormatPlural( flaws[i].count, flaws[i].one, flaws[i].many ) );
		}
	}
	return buffer;
}

static void PrintMeshCounts( const InfoReport* report )
{
	char rest[256];
	int32_t meshes = supCharacter_MeshCount( report->character );
	if ( meshes == 0 )
	{
		PrintRow( "meshes", "none", "" );
		return;
	}
	snprintf( rest, sizeof( rest ), "%s, %s", FormatPlural( report->primitives, "primitive", "primitives" ),
			  FormatPlural( supCharacter_InstanceCount( report->character ), "instance", "instances" ) );
	PrintRow( "meshes", FormatCount( meshes ), rest );
	snprintf( rest, sizeof( rest ), "at %s",
			  FormatPlural( report->surface.weldedVertexCount, "place", "different places" ) );
	PrintRow( "vertices", FormatCount( report->vertices ), rest );
	PrintRow( "triangles", FormatCount( report->triangles ), "" );
	if ( report->morphTargets > 0 )
	{
		PrintRow( "morph targets", FormatCount( report->morphTargets ), "" );
	}
}

static void PrintCounts( const InfoReport* report )
{
	const supCharacter* character = report->character;
	char rest[256];
	PrintMeshCounts( report );
	PrintRow( "nodes", FormatCount( supCharacter_NodeCount( character ) ), "" );
	if ( supCharacter_SkinCount( character ) > 0 )
	{
		snprintf( rest, sizeof( rest ), "in %s, at most %s a vertex",
				  FormatPlural( supCharacter_SkinCount( character ), "skin", "skins" ),
				  FormatPlural( report->influences, "influence", "influences" ) );
		PrintRow( "joints", FormatCount( report->joints ), rest );
	}
	else if ( supCharacter_MeshCount( character ) > 0 )
	{
		PrintRow( "skins", "none", "" );
	}
	int32_t images = supCharacter_ImageCount( character );
	snprintf( rest, sizeof( rest ), "%s", FormatPlural( images, "picture", "pictures" ) );
	if ( report->missingImages > 0 )
	{
		size_t used = strlen( rest );
		snprintf( rest + used, sizeof( rest ) - used, ", %d missing", report->missingImages );
	}
	if ( supCharacter_MaterialCount( character ) > 0 )
	{
		PrintRow( "materials", FormatCount( supCharacter_MaterialCount( character ) ), images > 0 ? rest : "" );
	}
}

static void PrintShape( const InfoReport* report )
{
	char rest[512];
	if ( report->triangles > 0 )
	{
		PrintRow( "watertight", report->surface.watertight ? "yes" : "no",
				  DescribeSurface( &report->surface, rest, sizeof( rest ) ) );
	}
	if ( supBox_IsEmpty( report->scene.bounds ) == false )
	{
		supBox box = report->scene.bounds;
		supVec3 size = supBox_Size( box );
		snprintf( rest, sizeof( rest ), "%.4g x %.4g x %.4g m, from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g)",
				  (double)size.x, (double)size.y, (double)size.z, (double)box.lower.x, (double)box.lower.y,
				  (double)box.lower.z, (double)box.upper.x, (double)box.upper.y, (double)box.upper.z );
		printf( "  %-14s %s\n", "size at rest", rest );
	}
	float scale = supCharacter_UnitScale( report->character );
	printf( "  %-14s %g m%s\n", "unit", (double)scale, scale != 1.0f ? ", converted to metres" : "" );
}

static void PrintClips( const supCharacter* character )
{
	enum
	{
		nameColumns = 40
	};
	int32_t count = supCharacter_ClipCount( character );
	PrintTitle( count > 0 ? "Clips" : "No clips" );
	int widest = 0;
	char name[512];
	for ( int32_t i = 0; i < count; ++i )
	{
		const char* label = supCharacter_Clip( character, i )->name;
		int columns =
			MeasureText( CleanText( label[0] != 0 ? label : "(unnamed)", nameColumns, name, sizeof( name ) ) );
		widest = columns > widest ? columns : widest;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		const supClip* clip = supCharacter_Clip( character, i );
		CleanText( clip->name[0] != 0 ? clip->name : "(unnamed)", nameColumns, name, sizeof( name ) );
		printf( "  #%-3d %s%*s %7.2f s  %s", i, name, widest - MeasureText( name ), "", (double)clip->end,
				FormatPlural( clip->channelCount, "channel", "channels" ) );
		if ( clip->start != 0.0f )
		{
			printf( ", starts at %.3g s", (double)clip->start );
		}
		printf( "\n" );
	}
}

// By name, as settings, maps and scene files want them. Of a motion, which has no skin, every node is one.
static void PrintJoints( const supCharacter* character )
{
	enum
	{
		lineColumns = 96,
		nameColumns = 40,
		mostNames = 400
	};
	bool isMotion = supCharacter_SkinCount( character ) == 0 && supCharacter_MeshCount( character ) == 0;
	int32_t printed = 0, left = 0;
	int column = 0;
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		const char* label = supCharacter_Node( character, i )->name;
		if ( label[0] == 0 || ( isMotion == false && supCharacter_IsJoint( character, i ) == false ) )
		{
			continue;
		}
		if ( printed == mostNames )
		{
			left += 1;
			continue;
		}
		char name[512];
		int columns = MeasureText( CleanText( label, nameColumns, name, sizeof( name ) ) ) + 2;
		if ( printed == 0 )
		{
			PrintTitle( "Joints" );
		}
		bool breaks = printed == 0 || column + columns > lineColumns;
		printf( "%s%s%s", printed == 0 ? "" : breaks ? ",\n" : ",", breaks ? "  " : " ", name );
		column = breaks ? columns : column + columns;
		printed += 1;
	}
	if ( left > 0 )
	{
		printf( ", and %s more: --json has them", FormatCount( left ) );
	}
	printf( "%s", printed > 0 ? "\n" : "" );
}

static void PrintNotes( const supCharacter* character, bool repaired )
{
	Style style = repaired ? style_note : style_faint;
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		const supNote* note = supCharacter_Note( character, i );
		char text[2048];
		if ( note->repaired == repaired )
		{
			printf( "  %s%-9s%s %s\n", BeginStyle( stdout, style ), repaired ? "repaired" : "note", EndStyle( stdout ),
					CleanText( note->text, 0, text, sizeof( text ) ) );
		}
	}
}

static void PrintReport( const InfoReport* report )
{
	char path[1024];
	printf( "%s%s%s", BeginStyle( stdout, style_title ), CleanText( report->source->path, 0, path, sizeof( path ) ),
			EndStyle( stdout ) );
	if ( report->source->byteCount > 0 )
	{
		printf( "  (%s, %s)", report->source->format, FormatBytes( report->source->byteCount ) );
	}
	printf( "\n\n" );
	PrintCounts( report );
	PrintShape( report );
	PrintJoints( report->character );
	PrintClips( report->character );
	if ( supCharacter_NoteCount( report->character ) > 0 )
	{
		PrintTitle( "Warnings" );
		PrintNotes( report->character, true );
		PrintNotes( report->character, false );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// For machines. The keys are documented in docs/cli.md and do not change.

static void WriteCounts( JsonWriter* json, const InfoReport* report )
{
	const supCharacter* character = report->character;
	JsonOpenObject( json, "counts" );
	JsonInteger( json, "meshes", supCharacter_MeshCount( character ) );
	JsonInteger( json, "primitives", report->primitives );
	JsonInteger( json, "instances", supCharacter_InstanceCount( character ) );
	JsonInteger( json, "vertices", report->vertices );
	JsonInteger( json, "triangles", report->triangles );
	JsonInteger( json, "nodes", supCharacter_NodeCount( character ) );
	JsonInteger( json, "skins", supCharacter_SkinCount( character ) );
	JsonInteger( json, "joints", report->joints );
	JsonInteger( json, "influences", report->influences );
	JsonInteger( json, "materials", supCharacter_MaterialCount( character ) );
	JsonInteger( json, "images", supCharacter_ImageCount( character ) );
	JsonInteger( json, "morph_targets", report->morphTargets );
	JsonInteger( json, "clips", supCharacter_ClipCount( character ) );
	JsonInteger( json, "notes", supCharacter_NoteCount( character ) );
	JsonInteger( json, "repairs", report->repairs );
	JsonCloseObject( json );
}

static void WriteShape( JsonWriter* json, const InfoReport* report )
{
	const supSurfaceReport* surface = &report->surface;
	JsonOpenObject( json, "surface" );
	JsonBool( json, "watertight", surface->watertight );
	JsonInteger( json, "parts", surface->parts );
	JsonInteger( json, "welded_vertices", surface->weldedVertexCount );
	JsonInteger( json, "boundary_edges", surface->boundaryEdges );
	JsonInteger( json, "non_manifold_edges", surface->nonManifoldEdges );
	JsonInteger( json, "misoriented_edges", surface->misorientedEdges );
	JsonInteger( json, "degenerate_triangles", surface->degenerateTriangles );
	JsonInteger( json, "duplicate_triangles", surface->duplicateTriangles );
	JsonFloat( json, "volume", surface->volume );
	JsonCloseObject( json );
	supBox box = report->scene.bounds;
	if ( supBox_IsEmpty( box ) )
	{
		JsonText( json, "bounds", NULL );
		return;
	}
	JsonOpenObject( json, "bounds" );
	JsonVec3( json, "min", box.lower );
	JsonVec3( json, "max", box.upper );
	JsonVec3( json, "size", supBox_Size( box ) );
	JsonCloseObject( json );
}

static void WriteMesh( JsonWriter* json, const supMesh* mesh )
{
	JsonOpenObject( json, NULL );
	JsonText( json, "name", mesh->name );
	JsonInteger( json, "vertices", mesh->vertexCount );
	JsonInteger( json, "triangles", mesh->indexCount / 3 );
	JsonInteger( json, "primitives", mesh->primitiveCount );
	JsonInteger( json, "influences", CountInfluences( mesh ) );
	JsonBool( json, "normals", mesh->normals != NULL );
	JsonBool( json, "tangents", mesh->tangents != NULL );
	JsonBool( json, "texcoords", mesh->texcoords != NULL );
	JsonBool( json, "colors", mesh->colors != NULL );
	JsonBool( json, "softness", mesh->softness != NULL );
	JsonOpenArray( json, "morph_targets" );
	for ( int32_t i = 0; i < mesh->targetCount; ++i )
	{
		JsonText( json, NULL, mesh->targets[i].name );
	}
	JsonCloseArray( json );
	JsonCloseObject( json );
}

static void WriteScene( JsonWriter* json, const supCharacter* character )
{
	JsonOpenArray( json, "meshes" );
	for ( int32_t i = 0; i < supCharacter_MeshCount( character ); ++i )
	{
		WriteMesh( json, supCharacter_Mesh( character, i ) );
	}
	JsonCloseArray( json );
	JsonOpenArray( json, "instances" );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		JsonOpenObject( json, NULL );
		JsonText( json, "name", supCharacter_Node( character, instance->node )->name );
		JsonInteger( json, "node", instance->node );
		JsonInteger( json, "mesh", instance->mesh );
		JsonInteger( json, "skin", instance->skin );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
	JsonOpenArray( json, "nodes" );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		const supNode* node = supCharacter_Node( character, i );
		JsonOpenObject( json, NULL );
		JsonText( json, "name", node->name );
		JsonInteger( json, "parent", node->parent );
		JsonBool( json, "joint", supCharacter_IsJoint( character, i ) );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
	JsonOpenArray( json, "skins" );
	for ( int32_t i = 0; i < supCharacter_SkinCount( character ); ++i )
	{
		const supSkin* skin = supCharacter_Skin( character, i );
		JsonOpenObject( json, NULL );
		JsonText( json, "name", skin->name );
		JsonInteger( json, "joints", skin->jointCount );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
}

static void WriteMaterials( JsonWriter* json, const supCharacter* character )
{
	JsonOpenArray( json, "materials" );
	for ( int32_t i = 0; i < supCharacter_MaterialCount( character ); ++i )
	{
		const supMaterial* material = supCharacter_Material( character, i );
		JsonOpenObject( json, NULL );
		JsonText( json, "name", material->name );
		JsonInteger( json, "image", material->baseColorImage );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
	JsonOpenArray( json, "images" );
	for ( int32_t i = 0; i < supCharacter_ImageCount( character ); ++i )
	{
		const supImage* image = supCharacter_Image( character, i );
		JsonOpenObject( json, NULL );
		JsonText( json, "name", image->name );
		JsonText( json, "mime_type", image->mimeType );
		JsonText( json, "uri", image->uri );
		JsonInteger( json, "bytes", (int64_t)image->byteCount );
		JsonBool( json, "missing", image->bytes == NULL );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
}

static void WriteClips( JsonWriter* json, const supCharacter* character )
{
	JsonOpenArray( json, "clips" );
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ); ++i )
	{
		const supClip* clip = supCharacter_Clip( character, i );
		int64_t keys = 0;
		for ( int32_t c = 0; c < clip->channelCount; ++c )
		{
			keys += clip->channels[c].keyCount;
		}
		JsonOpenObject( json, NULL );
		JsonText( json, "name", clip->name );
		JsonFloat( json, "start", clip->start );
		JsonFloat( json, "end", clip->end );
		JsonFloat( json, "duration", clip->end - clip->start );
		JsonInteger( json, "channels", clip->channelCount );
		JsonInteger( json, "keys", keys );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
}

static void WriteNotes( JsonWriter* json, const supCharacter* character )
{
	JsonOpenArray( json, "notes" );
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		JsonOpenObject( json, NULL );
		JsonBool( json, "repaired", supCharacter_Note( character, i )->repaired );
		JsonText( json, "text", supCharacter_Note( character, i )->text );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
}

static void WriteReport( const InfoReport* report )
{
	const supCharacter* character = report->character;
	JsonWriter json = BeginJson( stdout );
	JsonOpenObject( &json, NULL );
	JsonText( &json, "file", report->source->path );
	JsonText( &json, "format", report->source->format );
	JsonInteger( &json, "bytes", (int64_t)report->source->byteCount );
	JsonText( &json, "name", supCharacter_Name( character ) );
	JsonFloat( &json, "unit_scale", supCharacter_UnitScale( character ) );
	WriteCounts( &json, report );
	WriteShape( &json, report );
	WriteScene( &json, character );
	WriteMaterials( &json, character );
	WriteClips( &json, character );
	WriteNotes( &json, character );
	JsonCloseObject( &json );
	EndJson( &json );
}

// ---------------------------------------------------------------------------------------------------------------------

static int RunInfo( const Command* command, int argc, char** argv )
{
	InfoSettings settings = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	Source source;
	InfoReport report;
	status = LoadSource( arguments.files[0], &source );
	status = status == exit_ok ? BuildReport( &source, &settings.common, &report ) : status;
	if ( status == exit_ok && settings.common.json )
	{
		WriteReport( &report );
	}
	else if ( status == exit_ok )
	{
		PrintReport( &report );
	}
	FreeSource( &source );
	FreeArguments( &arguments );
	return status;
}

const Command g_infoCommand = {
	.name = "info",
	.summary = "show what a file contains, with warnings",
	.usage = "FILE [--json]",
	.about =
		"Reads a character or a motion and prints its meshes, skeleton, clips and size, whether its surface is closed, and any warnings and repairs. FILE is .glb, .gltf, .fbx, .dae, .bvh, .obj, .ply, .stl or another format that assimp reads, or builtin:NAME.",
	.examples = "supple info fox.glb\n"
				"supple info walk.bvh\n"
				"supple info builtin:tube --json",
	.fileName = "FILE",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunInfo,
};
