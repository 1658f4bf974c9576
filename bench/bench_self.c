// SPDX-License-Identifier: MIT
// What contact with itself does to characters: built-in ones play their clips, without contact and with, and how far
// the skin is stretched, how deep it stays in itself and what a step takes stand beside each other.
//
//     bench_self [results.csv] [MODEL] [CLIP] [METHOD]
//
// Without names: one clip of each of four characters. With names: all rows that they leave of about 250, which take an
// hour or more; `all` leaves all. No row depends on another, so that several of these can run at once.
#include "bench.h"

#include "models/models.h"
#include "scene/audit.h"
#include "supple/supple.h"

#define FRAMES 60
#define DT ( 1.0f / 30.0f )
#define SUBSTEPS 2

// The audit takes longer than a step.
#define AUDIT_EVERY 3

// Contact that stretches an edge so many times as far as it is without has torn the skin.
#define TORN 1.5

static const supMethodId s_methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints, sup_methodFem };

#define METHODS ( (int32_t)( sizeof( s_methods ) / sizeof( s_methods[0] ) ) )

// Bodies that are there in another resolution, and clips that do not bring limbs together: played where they are named.
static const char* const s_leftOut[] = { "deer1748", "deer8408", "snake3102", "HeadTurn", "Fall" };

// What is played where nothing is named, for a few minutes.
static const char* const s_short[][2] = {
	{ "bunny", "Run" },
	{ "human", "Walk" },
	{ "horse", "Graze" },
	{ "octopus", "Crawl" },
};

#define SHORT ( (int32_t)( sizeof( s_short ) / sizeof( s_short[0] ) ) )

// NULL: any.
typedef struct Names
{
	bool isShort;
	const char* model;
	const char* clip;
	const char* method;
} Names;

typedef struct Played
{
	// of the edge that changes most, times its length at rest
	double stretch;
	double milliseconds;
	// thicknesses, and vertices deeper than one, all frames that were audited together
	double deepest;
	int32_t inside;
	int64_t notFinite;
} Played;

typedef struct Summary
{
	int32_t rows;
	int32_t torn;
	int64_t inside[METHODS];
	double worst;
	char worstName[128];
} Summary;

// ---------------------------------------------------------------------------------------------------------------------

static void ApplyFrame( supActor* actor, const supClip* clip, int32_t frame )
{
	float duration = clip->end - clip->start;
	float time = duration > 0.0f ? fmodf( (float)frame * DT, duration ) : 0.0f;
	supPose_ApplyClip( supActor_Pose( actor ), clip, clip->start + time );
}

// NULL where the actor does not touch itself.
static supAudit* AddContact( supActor* actor, bool withItself )
{
	if ( withItself == false )
	{
		return NULL;
	}
	supError error = { 0 };
	supContactSettings settings = supDefaultContactSettings();
	settings.withItself = true;
	benchRequire( supActor_SetContact( actor, &settings, &error ), &error );
	supAudit* audit = supCreateAudit( &actor, 1, &error );
	benchRequire( audit != NULL, &error );
	return audit;
}

static Played Play( const supFlesh* flesh, const supClip* clip, bool withItself )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.substeps = SUBSTEPS;
	supScene* scene = supCreateScene( &def, &error );
	benchRequire( scene != NULL, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	benchRequire( actor != NULL, &error );
	supAudit* audit = AddContact( actor, withItself );
	ApplyFrame( actor, clip, 0 );
	supActor_Reset( actor );
	Played played = { 0 };
	for ( int32_t frame = 0; frame < FRAMES; ++frame )
	{
		ApplyFrame( actor, clip, frame );
		double start = benchNow();
		supScene_Step( scene, DT );
		played.milliseconds += 1e3 * ( benchNow() - start ) / FRAMES;
		played.stretch = fmax( played.stretch, 1.0 + (double)supActor_Measure( actor ).stretch );
		if ( audit != NULL && frame % AUDIT_EVERY == AUDIT_EVERY - 1 )
		{
			supAuditResult result = supAudit_Measure( audit, NULL );
			played.deepest = fmax( played.deepest, (double)result.deepest );
			played.inside += result.deepCount;
		}
	}
	played.notFinite = supScene_GetStats( scene ).trouble.notFinite;
	supDestroyAudit( audit );
	supDestroyScene( scene );
	return played;
}

// ---------------------------------------------------------------------------------------------------------------------

static void PrintHead( void )
{
	char processor[128];
	benchProcessor( processor );
	printf( "%d frames at %.0f Hz, %d substeps, one thread; %s, %s\n", FRAMES, (double)( 1.0f / DT ), SUBSTEPS,
			processor, benchInstructionSet() );
	printf( "stretch of the worst edge, times its length at rest; thicknesses that the deepest vertex is inside, and\n"
			"vertices deeper than one, of %d frames together; milliseconds a step, mean\n\n",
			FRAMES / AUDIT_EVERY );
	printf( "%-9s %-12s %-8s  %7s %7s %6s  %7s %6s  %8s %8s\n", "model", "clip", "method", "stretch", "self", "ratio",
			"deepest", "inside", "ms", "self" );
}

static void WriteRow( FILE* csv, const char* name, const Played* without, const Played* with )
{
	const struct
	{
		const char* what;
		double value;
		const char* unit;
	} columns[] = {
		{ "stretch", without->stretch, "times" },
		{ "stretch with itself", with->stretch, "times" },
		{ "deepest with itself", with->deepest, "thicknesses" },
		{ "inside with itself", with->inside, "vertices" },
		{ "step", without->milliseconds, "ms" },
		{ "step with itself", with->milliseconds, "ms" },
	};
	for ( size_t i = 0; i < sizeof( columns ) / sizeof( columns[0] ); ++i )
	{
		char label[128];
		snprintf( label, sizeof( label ), "%s / %s", name, columns[i].what );
		benchWriteCsv( csv, "self", label, 1, columns[i].value, columns[i].unit );
	}
}

static void MeasureRow( const char* model, const supClip* clip, const supFlesh* flesh, int32_t method, FILE* csv,
						Summary* summary )
{
	const char* methodName = supMethodName( s_methods[method] );
	Played without = Play( flesh, clip, false );
	Played with = Play( flesh, clip, true );
	double ratio = with.stretch / without.stretch;
	printf( "%-9s %-12s %-8s  %7.2f %7.2f %6.2f  %7.1f %6d  %8.2f %8.2f", model, clip->name, methodName,
			without.stretch, with.stretch, ratio, with.deepest, with.inside, without.milliseconds, with.milliseconds );
	if ( without.notFinite > 0 || with.notFinite > 0 )
	{
		printf( "  not finite: %lld, %lld", (long long)without.notFinite, (long long)with.notFinite );
	}
	printf( "\n" );
	fflush( stdout );
	char name[96];
	snprintf( name, sizeof( name ), "%s %s %s", model, clip->name, methodName );
	WriteRow( csv, name, &without, &with );
	summary->rows += 1;
	summary->torn += ratio > TORN;
	summary->inside[method] += with.inside;
	if ( ratio > summary->worst )
	{
		summary->worst = ratio;
		snprintf( summary->worstName, sizeof( summary->worstName ), "%s", name );
	}
}

static void PrintSummary( const Summary* summary, FILE* csv )
{
	printf( "\n%d of %d stretched more than %.1f times as far as without contact", summary->torn, summary->rows, TORN );
	printf( "; worst %.2f: %s\nvertices inside:", summary->worst, summary->worstName );
	int64_t inside = 0;
	for ( int32_t i = 0; i < METHODS; ++i )
	{
		inside += summary->inside[i];
		printf( " %s %lld,", supMethodName( s_methods[i] ), (long long)summary->inside[i] );
	}
	printf( " all %lld\n", (long long)inside );
	benchWriteCsv( csv, "self", "torn", 1, summary->torn, "rows" );
	benchWriteCsv( csv, "self", "of", 1, summary->rows, "rows" );
	benchWriteCsv( csv, "self", "worst ratio", 1, summary->worst, "times" );
	benchWriteCsv( csv, "self", "inside", 1, (double)inside, "vertices" );
}

// ---------------------------------------------------------------------------------------------------------------------

static bool IsLeftOut( const char* name )
{
	for ( size_t i = 0; i < sizeof( s_leftOut ) / sizeof( s_leftOut[0] ); ++i )
	{
		if ( strcmp( name, s_leftOut[i] ) == 0 )
		{
			return true;
		}
	}
	return false;
}

static bool IsWanted( const char* name, const char* wanted )
{
	return wanted != NULL ? strcmp( name, wanted ) == 0 : IsLeftOut( name ) == false;
}

static void MeasureModel( const supModel* model, const char* clipName, const char* methodName, FILE* csv,
						  Summary* summary )
{
	supError error = { 0 };
	supCharacter* character = model->create( &error );
	benchRequire( character != NULL, &error );
	const supClip* only = clipName != NULL ? supCharacter_FindClip( character, clipName ) : NULL;
	bool hasClip = clipName == NULL || only != NULL;
	for ( int32_t method = 0; method < METHODS && hasClip; ++method )
	{
		supFleshDef def = supDefaultFleshDef();
		def.method = s_methods[method];
		if ( IsWanted( supMethodName( def.method ), methodName ) == false )
		{
			continue;
		}
		supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
		benchRequire( flesh != NULL, &error );
		for ( int32_t i = 0; i < supCharacter_ClipCount( character ); ++i )
		{
			const supClip* clip = supCharacter_Clip( character, i );
			if ( only != NULL ? clip == only : IsLeftOut( clip->name ) == false )
			{
				MeasureRow( model->name, clip, flesh, method, csv, summary );
			}
		}
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
}

static Names ReadNames( int argumentCount, char** arguments, int first )
{
	Names names = { .isShort = first >= argumentCount };
	for ( int i = first; i < argumentCount; ++i )
	{
		supMethodId method;
		if ( supFindMethod( arguments[i], &method ) )
		{
			names.method = arguments[i];
		}
		else if ( supFindModel( arguments[i] ) != NULL )
		{
			names.model = arguments[i];
		}
		else if ( strcmp( arguments[i], "all" ) != 0 )
		{
			names.clip = arguments[i];
		}
	}
	return names;
}

int main( int argumentCount, char** arguments )
{
	const char* ending = argumentCount > 1 ? strrchr( arguments[1], '.' ) : NULL;
	bool hasFile = ending != NULL && strcmp( ending, ".csv" ) == 0;
	FILE* csv = hasFile ? benchOpenCsv( argumentCount, arguments ) : NULL;
	Names names = ReadNames( argumentCount, arguments, hasFile ? 2 : 1 );
	Summary summary = { 0 };
	supSetLog( NULL, NULL );
	PrintHead();
	for ( int32_t i = 0; names.isShort && i < SHORT; ++i )
	{
		MeasureModel( supFindModel( s_short[i][0] ), s_short[i][1], NULL, csv, &summary );
	}
	for ( int32_t i = 0; names.isShort == false && i < supGetModelCount(); ++i )
	{
		const supModel* model = supGetModel( i );
		if ( IsWanted( model->name, names.model ) )
		{
			MeasureModel( model, names.clip, names.method, csv, &summary );
		}
	}
	if ( summary.rows == 0 )
	{
		fprintf( stderr, "bench_self: no built-in model, clip and method of these names\n" );
		return 1;
	}
	PrintSummary( &summary, csv );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
