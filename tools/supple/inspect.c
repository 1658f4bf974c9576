// SPDX-License-Identifier: MIT
// supple inspect: what is inside of a body: elements, their quality, layers, bindings; and a picture of it, cut open.
#include "inspect.h"

#include "commands.h"
#include "core/core.h"
#include "json.h"
#include "report.h"
#include "terminal.h"
#include "text.h"
#include "volume/lattice/control_lattice.h"

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( InspectSettings, output ), "OUT", "Cutaway picture: .png.", 0, 0, false },
	{ "tets", 0, arg_integer, offsetof( InspectSettings, tets ), "N",
	  "Characters: approximate number of tetrahedra. Default: 10000.", SUP_LEAST_TETS, SUP_MOST_TETS, false },
	{ "lattice", 0, arg_integer, offsetof( InspectSettings, lattice ), "N",
	  "Characters: show the control lattice of about N vertices instead, cells around the body with the bones as edges. -o OUT.json writes it to a file that can be edited by hand.",
	  SUP_LEAST_LATTICE, SUP_MOST_LATTICE, false },
	{ "color", 0, arg_choice, offsetof( InspectSettings, color ), "auto|layers|quality",
	  "Colouring: layers (bone, muscle, fat, skin), or quality of each tetrahedron. Default: layers if there are any.",
	  0, 0, false },
	{ "cut", 0, arg_number, offsetof( InspectSettings, cut ), "X",
	  "Position of the cut: 0 removes everything, 1 nothing. Default: 0.5.", 0, 1, false },
	{ "view", 0, arg_text, offsetof( InspectSettings, view ), "VIEW",
	  "View of the character: front, side, back, top or three-quarter; or degrees around from +Z and above: 30,10. Default: three-quarter, from the longer side.",
	  0, 0, false },
	{ "size", 0, arg_text, offsetof( InspectSettings, size ), "WxH",
	  "Size of the picture in pixels. Default: 1280x720.", 0, 0, false },
};

// ---------------------------------------------------------------------------------------------------------------------
// For people

static void PrintRow( const char* label, const char* value, const char* rest )
{
	printf( "  %-14s %12s%s%s\n", label, value, rest[0] != 0 ? "  " : "", rest );
}

static void PrintTitle( const char* title )
{
	printf( "\n%s%s%s\n", BeginStyle( stdout, style_title ), title, EndStyle( stdout ) );
}

static void PrintHistogram( const supTetQuality* quality )
{
	int64_t most = 1;
	for ( int32_t i = 0; i < SUP_DIHEDRAL_BINS; ++i )
	{
		most = quality->dihedrals[i] > most ? quality->dihedrals[i] : most;
	}
	PrintTitle( "Dihedral angles" );
	for ( int32_t i = 0; i < SUP_DIHEDRAL_BINS; ++i )
	{
		char bar[41];
		int32_t length = (int32_t)( ( 40 * quality->dihedrals[i] + most - 1 ) / most );
		memset( bar, '#', (size_t)length );
		bar[length] = 0;
		printf( "  %3d-%3d deg %10s  %s\n", 10 * i, 10 * i + 10, FormatCount( quality->dihedrals[i] ), bar );
	}
}

static void PrintTets( const Inspection* inspection )
{
	const supTetQuality* quality = &inspection->quality;
	char value[64], rest[160];
	PrintTitle( "Tetrahedra" );
	snprintf( rest, sizeof( rest ), "%s, %s", FormatPlural( inspection->tets.pointCount, "point", "points" ),
			  FormatPlural( quality->parts, "part", "parts" ) );
	PrintRow( "tetrahedra", FormatCount( inspection->tets.tetCount ), rest );
	snprintf( value, sizeof( value ), "%.4g", quality->volume );
	PrintRow( "volume", value, "m3" );
	snprintf( value, sizeof( value ), "%.1f", quality->minDihedral );
	snprintf( rest, sizeof( rest ), "to %.1f degrees between faces; 70.5 is regular", quality->maxDihedral );
	PrintRow( "angles", value, rest );
	snprintf( value, sizeof( value ), "%.3f", quality->minMeanRatio );
	snprintf( rest, sizeof( rest ), "worst, %.3f on average; 1 is regular", quality->meanMeanRatio );
	PrintRow( "mean ratio", value, rest );
	if ( quality->inverted > 0 )
	{
		PrintRow( "inverted", FormatCount( quality->inverted ), "without volume or inside out" );
	}
	if ( inspection->bridges > 0 )
	{
		PrintRow( "bridges", FormatCount( inspection->bridges ),
				  "between parts that are only near each other; methods cut them" );
	}
	if ( inspection->kind == inspect_character )
	{
		snprintf( value, sizeof( value ), "%.4g", inspection->mesher.size );
		snprintf( rest, sizeof( rest ),
				  "m along the edge of a cube of the lattice; %s out of the surface at thin parts",
				  FormatPlural( inspection->mesher.embedded, "point", "points" ) );
		PrintRow( "size", value, rest );
	}
	PrintHistogram( quality );
}

static void PrintLayers( const Inspection* inspection )
{
	char rest[160];
	PrintTitle( "Layers" );
	for ( int32_t i = 0; i < inspection->layerCount; ++i )
	{
		snprintf( rest, sizeof( rest ), "tetrahedra, %.1f %% of the volume",
				  100.0 * inspection->layerVolumes[i] / inspection->quality.volume );
		PrintRow( inspection->layers[i].name, FormatCount( inspection->layerTets[i] ), rest );
	}
}

static void PrintBinding( const supBindReport* binding )
{
	char rest[160];
	PrintTitle( "Binding of the skin" );
	PrintRow( "inside", FormatCount( binding->inside ), "vertices held by an element" );
	double share =
		100.0 * binding->outside / ( binding->inside + binding->outside > 0 ? binding->inside + binding->outside : 1 );
	snprintf( rest, sizeof( rest ), "%.0f %% of all vertices, at most %.4g m from the nearest element", share,
			  binding->farthest );
	PrintRow( "outside", FormatCount( binding->outside ), rest );
	if ( binding->resided > 0 )
	{
		PrintRow( "moved", FormatCount( binding->resided ), "to their own part, away from one that touches it" );
	}
}

static void PrintSections( const FleshPack* pack )
{
	static const char* const types[sup_packTypeCount] = { "u8", "u16", "u32", "i32", "i64", "f32", "f64" };
	PrintTitle( "Sections" );
	for ( int32_t i = 0; i < pack->reader.sectionCount; ++i )
	{
		supPackEntry entry = supPackReader_Entry( &pack->reader, i );
		printf( "  %-36s %12s  %-3s %10s\n", entry.name, FormatCount( entry.count ), types[entry.type],
				FormatBytes( (uint64_t)entry.count * supPackItemSize( entry.type ) ) );
	}
}

static void PrintForPeople( const Inspection* inspection )
{
	char text[1024], other[256];
	printf( "%s%s%s", BeginStyle( stdout, style_title ), CleanText( inspection->path, 0, text, sizeof( text ) ),
			EndStyle( stdout ) );
	if ( inspection->kind == inspect_flesh )
	{
		printf( ": flesh of %s by the method %s, %s", CleanText( inspection->pack.character, 0, text, sizeof( text ) ),
				CleanText( inspection->pack.method, 0, other, sizeof( other ) ),
				FormatBytes( inspection->pack.byteCount ) );
	}
	printf( "\n" );
	if ( inspection->tets.tetCount > 0 )
	{
		PrintTets( inspection );
	}
	if ( inspection->layerCount > 0 )
	{
		PrintLayers( inspection );
	}
	if ( inspection->hasBinding )
	{
		PrintBinding( &inspection->binding );
	}
	if ( inspection->kind == inspect_flesh )
	{
		PrintSections( &inspection->pack );
	}
	if ( inspection->settings->output != NULL )
	{
		printf( "\nCut open: %s\n", CleanText( inspection->settings->output, 0, text, sizeof( text ) ) );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// For programs

static void WriteTets( JsonWriter* json, const Inspection* inspection )
{
	const supTetQuality* quality = &inspection->quality;
	JsonOpenObject( json, "tets" );
	JsonInteger( json, "count", inspection->tets.tetCount );
	JsonInteger( json, "points", inspection->tets.pointCount );
	JsonInteger( json, "parts", quality->parts );
	JsonInteger( json, "inverted", quality->inverted );
	if ( inspection->bridges >= 0 )
	{
		JsonInteger( json, "bridges", inspection->bridges );
	}
	JsonFloat( json, "volume", (float)quality->volume );
	JsonFloat( json, "dihedral_min", quality->minDihedral );
	JsonFloat( json, "dihedral_max", quality->maxDihedral );
	JsonFloat( json, "mean_ratio_min", quality->minMeanRatio );
	JsonFloat( json, "mean_ratio_mean", quality->meanMeanRatio );
	JsonOpenArray( json, "dihedrals" );
	for ( int32_t i = 0; i < SUP_DIHEDRAL_BINS; ++i )
	{
		JsonInteger( json, NULL, quality->dihedrals[i] );
	}
	JsonCloseArray( json );
	JsonCloseObject( json );
}

static void WriteLayers( JsonWriter* json, const Inspection* inspection )
{
	JsonOpenArray( json, "layers" );
	for ( int32_t i = 0; i < inspection->layerCount; ++i )
	{
		JsonOpenObject( json, NULL );
		JsonText( json, "name", inspection->layers[i].name );
		JsonInteger( json, "tets", inspection->layerTets[i] );
		JsonFloat( json, "volume", (float)inspection->layerVolumes[i] );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
}

static void WriteBinding( JsonWriter* json, const supBindReport* binding )
{
	JsonOpenObject( json, "binding" );
	JsonInteger( json, "inside", binding->inside );
	JsonInteger( json, "outside", binding->outside );
	JsonInteger( json, "moved", binding->resided );
	JsonFloat( json, "farthest", binding->farthest );
	JsonCloseObject( json );
}

static void WriteFlesh( JsonWriter* json, const FleshPack* pack )
{
	JsonText( json, "method", pack->method );
	JsonText( json, "character", pack->character );
	JsonInteger( json, "bytes", (int64_t)pack->byteCount );
	JsonOpenArray( json, "sections" );
	for ( int32_t i = 0; i < pack->reader.sectionCount; ++i )
	{
		supPackEntry entry = supPackReader_Entry( &pack->reader, i );
		JsonOpenObject( json, NULL );
		JsonText( json, "name", entry.name );
		JsonInteger( json, "count", entry.count );
		JsonInteger( json, "bytes", entry.count * (int64_t)supPackItemSize( entry.type ) );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
}

static void PrintJson( const Inspection* inspection )
{
	JsonWriter json = BeginJson( stdout );
	JsonOpenObject( &json, NULL );
	JsonText( &json, "file", inspection->path );
	if ( inspection->kind == inspect_flesh )
	{
		WriteFlesh( &json, &inspection->pack );
	}
	if ( inspection->tets.tetCount > 0 )
	{
		WriteTets( &json, inspection );
	}
	if ( inspection->layerCount > 0 )
	{
		WriteLayers( &json, inspection );
	}
	if ( inspection->hasBinding )
	{
		WriteBinding( &json, &inspection->binding );
	}
	if ( inspection->settings->output != NULL )
	{
		JsonText( &json, "output", inspection->settings->output );
	}
	JsonCloseObject( &json );
	EndJson( &json );
}

// ---------------------------------------------------------------------------------------------------------------------

static int Inspect( const Command* command, Inspection* inspection )
{
	const InspectSettings* settings = inspection->settings;
	if ( settings->lattice > 0 )
	{
		return InspectLattice( inspection, command );
	}
	int status = OpenInspection( inspection );
	if ( status == exit_ok && settings->output != NULL )
	{
		status = DrawInspection( inspection, command );
	}
	if ( status == exit_ok && settings->common.json )
	{
		PrintJson( inspection );
	}
	else if ( status == exit_ok )
	{
		PrintForPeople( inspection );
	}
	return status;
}

static int RunInspect( const Command* command, int argc, char** argv )
{
	InspectSettings settings = { .cut = 0.5 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	const char* inputs[] = { arguments.files[0] };
	const char* extensions = settings.lattice > 0 ? ".png .json" : ".png";
	status = settings.output != NULL ? CheckOutput( command, settings.output, extensions, inputs, 1 ) : exit_ok;
	supThreadPool* pool = status == exit_ok ? StartThreads( &settings.common ) : NULL;
	if ( pool != NULL )
	{
		Inspection inspection = {
			.bridges = -1, .settings = &settings, .path = arguments.files[0], .tasks = supThreadPool_Tasks( pool )
		};
		status = Inspect( command, &inspection );
		CloseInspection( &inspection );
	}
	else if ( status == exit_ok )
	{
		status = exit_memory;
	}
	supDestroyThreadPool( pool );
	FreeArguments( &arguments );
	return status;
}

const Command g_inspectCommand = {
	.name = "inspect",
	.summary = "look inside a body: elements, quality, layers, a cutaway picture",
	.usage = "FILE [-o CUT.png] [--tets N] [--lattice N] [--color C] [--cut X] [--view VIEW] [--size WxH]",
	.about =
		"FILE is a character, which is filled with tetrahedra and layers as the methods do it; a .flesh file; or a tetrahedral mesh from another program (.node with .ele, .msh, .mesh, .meshb, .vtk). Prints the number, quality and material of the elements, and how the skin is bound to them.",
	.examples = "supple inspect hero.glb --tets 20000 -o cut.png\n"
				"supple inspect hero.glb --lattice 200 -o lattice.png\n"
				"supple inspect hero.flesh\n"
				"supple inspect body.msh --json",
	ARG_OPTIONS( s_options ),
	.fileName = "FILE",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunInspect,
};
