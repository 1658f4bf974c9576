// SPDX-License-Identifier: MIT
// supple batch report: one HTML page, pictures inside, sorted by what a supervisor should look at first.
#define _DEFAULT_SOURCE
#include "batch_snapshot.h"
#include "camera.h"
#include "io/common/file.h"
#include "report.h"
#include "text.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PICTURE_SIZE 192
#define JPEG_QUALITY 80
#define CONTACT_SHEET 50
#define WATCH_SECONDS 30.0

typedef struct ReportSettings
{
	CommonSettings common;
	const char* output;
	const char* folder;
	int32_t pictures; // 0: all
} ReportSettings;

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( ReportSettings, output ), "OUT.html",
	  "The page to write. Default: report.html in the output folder.", 0, 0, false },
	{ "folder", 0, arg_text, offsetof( ReportSettings, folder ), "DIR",
	  "The output folder, if 'supple batch' ran with --output.", 0, 0, false },
	{ "pictures", 0, arg_integer, offsetof( ReportSettings, pictures ), "N",
	  "Draw only the first N pictures. Default: all.", 1, 1000000, false },
};

// ---------------------------------------------------------------------------------------------------------------------
// What to look at first

// As batch_snapshot.c weighs frames, and torn skin above all.
static float Badness( const JobRecord* record )
{
	float torn = record->verdict != NULL && strcmp( record->verdict, "torn" ) == 0 ? 1000.0f : 0.0f;
	float sum = torn + fabsf( record->volumeError ) / 0.05f + record->stretch / 0.5f + record->penetration / 0.01f;
	return isnan( sum ) ? 1e6f : sum;
}

static const BatchState* s_sorted; // of CompareJobs

// Failed first, then the worst, then what is missing.
static int CompareJobs( const void* a, const void* b )
{
	static const int ranks[] = {
		[job_failed] = 0, [job_done] = 1, [job_running] = 2, [job_elsewhere] = 2, [job_missing] = 2
	};
	int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
	int rank = ranks[s_sorted->states[x]] - ranks[s_sorted->states[y]];
	float left = Badness( s_sorted->records + x ), right = Badness( s_sorted->records + y );
	bool isDone = s_sorted->states[x] == job_done;
	return rank != 0 ? rank : isDone && left != right ? ( left < right ? 1 : -1 ) : ( x > y ) - ( x < y );
}

static int32_t* SortJobs( const BatchState* state )
{
	int32_t count = state->plan->jobs.count;
	int32_t* order = supAllocArray( (size_t)count + 1, sizeof( int32_t ) );
	for ( int32_t i = 0; order != NULL && i < count; ++i )
	{
		order[i] = i;
	}
	if ( order != NULL )
	{
		s_sorted = state;
		qsort( order, (size_t)count, sizeof( int32_t ), CompareJobs );
	}
	return order;
}

// ---------------------------------------------------------------------------------------------------------------------
// Pictures: drawn once, kept beside the outputs

// Of this report alone, where those beside the outputs are not ours to write; empty otherwise.
static char s_ownPictures[PATH_MAX];

static void PicturePath( const BatchPlan* plan, const BatchJob* job, char path[PATH_MAX] )
{
	snprintf( path, PATH_MAX, "%s/pictures/%s-%.8s.jpg", plan->state, job->id, job->key );
	if ( s_ownPictures[0] != 0 && access( path, R_OK ) != 0 )
	{
		snprintf( path, PATH_MAX, "%.4000s/%s", s_ownPictures, job->id );
	}
}

static void MakePictureFolder( const BatchPlan* plan )
{
	char folder[PATH_MAX];
	snprintf( folder, sizeof( folder ), "%s/pictures", plan->state );
	mkdir( folder, 0777 );
	if ( access( folder, W_OK | X_OK ) != 0 )
	{
		const char* temporary = getenv( "TMPDIR" );
		snprintf( s_ownPictures, sizeof( s_ownPictures ), "%.4000s/supple-pictures-XXXXXX",
				  temporary != NULL ? temporary : "/tmp" );
		if ( mkdtemp( s_ownPictures ) == NULL )
		{
			s_ownPictures[0] = 0;
		}
	}
}

static void RemoveOwnPictures( const BatchPlan* plan )
{
	for ( int32_t i = 0; s_ownPictures[0] != 0 && i < plan->jobs.count; ++i )
	{
		char path[PATH_MAX];
		snprintf( path, PATH_MAX, "%.4000s/%s", s_ownPictures, plan->jobs.data[i].id );
		unlink( path );
	}
	if ( s_ownPictures[0] != 0 )
	{
		rmdir( s_ownPictures );
	}
}

static void NoteMissingPictures( const BatchPlan* plan, const uint8_t* wanted )
{
	int32_t missing = 0;
	for ( int32_t i = 0; i < plan->jobs.count; ++i )
	{
		char path[PATH_MAX];
		PicturePath( plan, plan->jobs.data + i, path );
		missing += wanted[i] != 0 && access( path, R_OK ) != 0;
	}
	if ( missing > 0 )
	{
		Note( "%s could not be drawn: their characters or frames cannot be read, or there is no space for them",
			  FormatPlural( missing, "picture", "pictures" ) );
	}
}

static void DrawJob( const BatchPlan* plan, const BatchJob* job, const Source* source )
{
	char path[PATH_MAX];
	PicturePath( plan, job, path );
	ViewChoice view = { 35.0f, 8.0f, true };
	supPicture picture = { 0 };
	if ( DrawSnapshot( plan, job, source->character, ResolveAzimuth( &view, source->character ), PICTURE_SIZE,
					   &picture ) )
	{
		supPicture_SaveJpeg( &picture, JPEG_QUALITY, path, NULL );
	}
	supPicture_Destroy( &picture );
}

// Jobs whose pictures are missing, one character at a time: this process draws each `parts`-th character.
static void DrawPart( const BatchState* state, const uint8_t* wanted, int32_t part, int32_t parts )
{
	const BatchPlan* plan = state->plan;
	Source source = { 0 };
	const char* loaded = NULL;
	int32_t characters = 0;
	for ( int32_t i = 0; i < plan->jobs.count; ++i )
	{
		const BatchJob* job = plan->jobs.data + i;
		// jobs of a character follow each other
		characters += i > 0 && strcmp( job->character, plan->jobs.data[i - 1].character ) != 0 ? 1 : 0;
		char path[PATH_MAX];
		PicturePath( plan, job, path );
		if ( characters % parts != part || wanted[i] == 0 || access( path, F_OK ) == 0 )
		{
			continue;
		}
		if ( loaded == NULL || strcmp( loaded, job->character ) != 0 )
		{
			FreeSource( &source );
			loaded = LoadSource( job->character, &source ) == exit_ok && EnsureDocument( &source ) == exit_ok
						 ? job->character
						 : NULL;
		}
		if ( loaded != NULL )
		{
			DrawJob( plan, job, &source );
		}
	}
	FreeSource( &source );
}

// In child processes: a file that crashes the drawing costs its picture.
static void DrawPictures( const BatchState* state, const uint8_t* wanted )
{
	MakePictureFolder( state->plan );
	int32_t parts = (int32_t)sysconf( _SC_NPROCESSORS_ONLN );
	parts = parts < 1 ? 1 : parts > 64 ? 64 : parts;
	fflush( stdout );
	fflush( stderr );
	for ( int32_t i = 0; i < parts; ++i )
	{
		if ( fork() == 0 )
		{
			SetQuiet( true );
			DrawPart( state, wanted, i, parts );
			_exit( 0 );
		}
	}
	while ( wait( NULL ) > 0 )
	{
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The page

static void WriteText( supOutput* output, const char* text )
{
	for ( const char* c = text != NULL ? text : ""; *c != 0; ++c )
	{
		const char* entity = *c == '<'   ? "&lt;"
							 : *c == '>' ? "&gt;"
							 : *c == '&' ? "&amp;"
							 : *c == '"' ? "&quot;"
										 : NULL;
		supOutput_Write( output, entity != NULL ? entity : c, entity != NULL ? strlen( entity ) : 1 );
	}
}

static void WriteBase64( supOutput* output, const uint8_t* bytes, size_t count )
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for ( size_t i = 0; i < count; i += 3 )
	{
		uint32_t word = (uint32_t)bytes[i] << 16 | ( i + 1 < count ? (uint32_t)bytes[i + 1] << 8 : 0 ) |
						( i + 2 < count ? (uint32_t)bytes[i + 2] : 0 );
		char four[4] = { digits[word >> 18], digits[word >> 12 & 63], i + 1 < count ? digits[word >> 6 & 63] : '=',
						 i + 2 < count ? digits[word & 63] : '=' };
		supOutput_Write( output, four, 4 );
	}
}

// Each picture stands in the page once, as a style; the sheet and the table both show it.
static bool WritePicture( supOutput* output, const BatchPlan* plan, int32_t job )
{
	char path[PATH_MAX];
	size_t count = 0;
	PicturePath( plan, plan->jobs.data + job, path );
	uint8_t* bytes = supReadFile( path, &count, NULL );
	if ( bytes != NULL )
	{
		supOutput_Print( output, ".p%d{background-image:url(data:image/jpeg;base64,", job );
		WriteBase64( output, bytes, count );
		supOutput_Print( output, ")}\n" );
	}
	supFree( bytes );
	return bytes != NULL;
}

static const char s_head[] =
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Supple batch</title>\n"
	"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<style>\n"
	"body{font:14px/1.45 system-ui,sans-serif;margin:24px;color:#1d2329;background:#f4f5f6}\n"
	"h1{font-size:22px;margin:0 0 4px}h2{font-size:17px;margin:28px 0 10px}\n"
	".sum span{display:inline-block;margin:8px 18px 0 0}.sum b{font-size:20px;display:block}\n"
	".sheet{display:grid;grid-template-columns:repeat(auto-fill,minmax(192px,1fr));gap:10px}\n"
	".card{background:#fff;border-radius:6px;overflow:hidden;border:1px solid #d9dde1;text-decoration:none;color:inherit}\n"
	".pic{background:#c9ced2 center/cover;aspect-ratio:1}\n.card .pic{width:100%}\n"
	"td .pic{width:56px;height:56px;border-radius:4px}\n.card p{margin:6px 8px;font-size:12px;overflow-wrap:anywhere}\n"
	"table{border-collapse:collapse;background:#fff;width:100%}th,td{padding:5px 9px;border-bottom:1px solid #e3e6e9;"
	"text-align:left;vertical-align:middle}\nth{cursor:pointer;position:sticky;top:0;background:#e9ecef;white-space:nowrap}\n"
	"td.n{text-align:right;font-variant-numeric:tabular-nums}td.w{overflow-wrap:anywhere}\n"
	".torn,.failed{color:#b3261e;font-weight:600}.still{color:#8a6100}.good,.plain{color:#1d6b35}.missing,.running{color:#69727a}\n"
	".why{max-height:4.4em;min-width:22em;overflow:auto;font-weight:400}\n"
	"tr:target{background:#fff6d6}\n";

static const char s_script[] =
	"<script>\n"
	"for(const th of document.querySelectorAll('th'))th.onclick=()=>{const b=document.querySelector('tbody'),i=th.cellIndex,"
	"d=th.dataset.d=th.dataset.d==='1'?'-1':'1';"
	"const v=r=>{const t=r.cells[i].dataset.v??r.cells[i].textContent;return t===''||isNaN(t)?t:+t};"
	"[...b.rows].sort((x,y)=>{const p=v(x),q=v(y);return(typeof p===typeof q?(p>q)-(p<q):typeof p==='number'?-1:1)*d})"
	".forEach(r=>b.append(r))};\n</script>\n";

static void WriteNumber( supOutput* output, const char* format, float value )
{
	char text[48];
	snprintf( text, sizeof( text ), format, (double)value );
	supOutput_Print( output, "<td class=\"n\" data-v=\"%.9g\">%s</td>", isfinite( value ) ? (double)value : -1.0,
					 isfinite( value ) ? text : "" );
}

static const char* GetVerdict( const BatchState* state, int32_t i )
{
	static const char* const words[] = { [job_missing] = "missing",
										 [job_done] = "done",
										 [job_failed] = "failed",
										 [job_running] = "running",
										 [job_elsewhere] = "running" };
	const JobRecord* record = state->records + i;
	return state->states[i] == job_done && record->verdict != NULL ? record->verdict : words[state->states[i]];
}

static void WriteRow( supOutput* output, const BatchState* state, int32_t i, int32_t place, const char* logs )
{
	const BatchJob* job = state->plan->jobs.data + i;
	const JobRecord* record = state->records + i;
	const char* verdict = GetVerdict( state, i );
	supOutput_Print( output,
					 "<tr id=\"j%d\"><td class=\"n\">%d</td><td><div class=\"pic p%d\"></div></td><td class=\"w\">", i,
					 place + 1, i );
	WriteText( output, job->name );
	supOutput_Print( output, "</td><td class=\"w\">" );
	WriteText( output, job->character );
	supOutput_Print( output, "</td><td class=\"w\">" );
	WriteText( output, job->clip );
	supOutput_Print( output, "</td><td class=\"w\">" );
	WriteText( output, job->method[0] != 0 ? job->method : "position" );
	supOutput_Print( output, "</td><td class=\"w %s\">%s", verdict, verdict );
	if ( state->states[i] == job_failed )
	{
		supOutput_Print( output, "<div class=\"why\">" );
		WriteText( output, record->reason );
		supOutput_Print( output, "</div>" );
	}
	supOutput_Print( output, "</td>" );
	bool done = state->states[i] == job_done;
	WriteNumber( output, "%.2f", done ? 100.0f * record->volumeError : NAN );
	WriteNumber( output, "%.2f", done ? record->stretch : NAN );
	WriteNumber( output, "%.3f", done ? 1000.0f * record->penetration : NAN );
	WriteNumber( output, "%.2f", done ? record->worstTime : NAN );
	WriteNumber( output, "%.2f", done ? record->seconds : NAN );
	supOutput_Print( output, "<td>" );
	if ( record->log != NULL )
	{
		supOutput_Print( output, "<a href=\"" );
		WriteText( output, logs );
		supOutput_Print( output, "/" );
		WriteText( output, record->log );
		supOutput_Print( output, "\">log</a>" );
	}
	supOutput_Print( output, "</td></tr>\n" );
}

static void WriteCard( supOutput* output, const BatchState* state, int32_t i )
{
	const BatchJob* job = state->plan->jobs.data + i;
	const JobRecord* record = state->records + i;
	const char* verdict = GetVerdict( state, i );
	supOutput_Print( output, "<a class=\"card\" href=\"#j%d\"><div class=\"pic p%d\"></div><p>", i, i );
	WriteText( output, job->name );
	supOutput_Print( output, "<br><span class=\"%s\">%s</span> at %.2f s, volume %.1f %%, stretch %.2f</p></a>\n",
					 verdict, verdict, (double)record->worstTime, 100.0 * (double)record->volumeError,
					 (double)record->stretch );
}

// Above the pictures, since there is none of them.
static void WriteFailures( supOutput* output, const BatchState* state, const int32_t* order )
{
	int32_t failed = CountStates( state, job_failed );
	if ( failed > 0 )
	{
		supOutput_Print( output, "<h2>Failed</h2><ul>\n" );
	}
	for ( int32_t i = 0; i < failed && i < CONTACT_SHEET; ++i )
	{
		supOutput_Print( output, "<li><a href=\"#j%d\">", order[i] );
		WriteText( output, state->plan->jobs.data[order[i]].name );
		supOutput_Print( output, "</a>: " );
		WriteText( output, state->records[order[i]].reason );
		supOutput_Print( output, "</li>\n" );
	}
	supOutput_Print( output,
					 failed > CONTACT_SHEET ? "<li>and %d more, below</li></ul>\n"
					 : failed > 0           ? "</ul>\n"
											: "",
					 failed - CONTACT_SHEET );
}

static void WriteSummary( supOutput* output, const BatchState* state )
{
	double seconds = 0.0;
	int64_t frames = 0;
	int32_t torn = 0;
	for ( int32_t i = 0; i < state->plan->jobs.count; ++i )
	{
		const JobRecord* record = state->records + i;
		bool done = state->states[i] == job_done;
		seconds += done && isfinite( record->seconds ) ? (double)record->seconds : 0.0;
		frames += done ? record->frames : 0;
		torn += done && strcmp( GetVerdict( state, i ), "torn" ) == 0 ? 1 : 0;
	}
	int32_t failed = CountStates( state, job_failed );
	double unit = seconds < 100.0 ? 1.0 : seconds < 6000.0 ? 60.0 : 3600.0;
	supOutput_Print( output, "<h1>" );
	WriteText( output, state->plan->manifest.path );
	supOutput_Print( output,
					 "</h1><div class=\"sum\"><span><b>%d</b>jobs</span><span><b>%d</b>done</span><span%s><b>%d</b>"
					 "failed</span><span><b>%d</b>missing</span><span%s><b>%d</b>torn</span><span><b>%lld</b>frames"
					 "</span><span><b>%.1f %s</b>of baking</span></div>\n",
					 state->plan->jobs.count, CountStates( state, job_done ), failed > 0 ? " class=\"failed\"" : "",
					 failed, CountStates( state, job_missing ) + CountStates( state, job_elsewhere ),
					 torn > 0 ? " class=\"torn\"" : "", torn, (long long)frames, seconds / unit,
					 unit == 1.0    ? "s"
					 : unit == 60.0 ? "min"
									: "h" );
}

static int WritePage( const BatchState* state, const int32_t* order, const char* path, const char* logs )
{
	supError error = { 0 };
	supOutput* output = supBeginOutput( path, &error );
	if ( output == NULL )
	{
		return ReportError( path, &error );
	}
	int32_t count = state->plan->jobs.count;
	supOutput_Write( output, s_head, sizeof( s_head ) - 1 );
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( state->states[i] == job_done )
		{
			WritePicture( output, state->plan, i );
		}
	}
	supOutput_Print( output, "</style></head><body>\n" );
	WriteSummary( output, state );
	WriteFailures( output, state, order );
	supOutput_Print( output, "<h2>Look at these first</h2><div class=\"sheet\">\n" );
	for ( int32_t i = 0, shown = 0; i < count && shown < CONTACT_SHEET; ++i )
	{
		if ( state->states[order[i]] == job_done )
		{
			WriteCard( output, state, order[i] );
			shown += 1;
		}
	}
	supOutput_Print(
		output,
		"</div><h2>All jobs</h2><table><thead><tr><th>#</th><th>worst frame</th><th>output</th><th>character</th>"
		"<th>clip</th><th>method</th><th>verdict</th><th>volume %%</th><th>stretch</th><th>penetration mm</th>"
		"<th>worst at s</th><th>took s</th><th>log</th></tr></thead><tbody>\n" );
	for ( int32_t i = 0; i < count; ++i )
	{
		WriteRow( output, state, order[i], i, logs );
	}
	supOutput_Print( output, "</tbody></table>\n" );
	supOutput_Write( output, s_script, sizeof( s_script ) - 1 );
	supOutput_Print( output, "</body></html>\n" );
	return supEndOutput( output, true, &error ) ? exit_ok : ReportError( path, &error );
}

// Links to logs: relative where the page lies in the folder of outputs, so that both can be moved together.
static void FindLogs( const BatchPlan* plan, const char* path, char logs[PATH_MAX] )
{
	char folder[PATH_MAX], own[PATH_MAX], state[PATH_MAX];
	const char* slash = strrchr( path, '/' );
	snprintf( own, sizeof( own ), "%.*s", slash != NULL ? (int)( slash - path + 1 ) : 1, slash != NULL ? path : "." );
	bool beside =
		realpath( own, folder ) != NULL && realpath( plan->folder, own ) != NULL && strcmp( folder, own ) == 0;
	bool found = realpath( plan->state, state ) != NULL;
	snprintf( logs, PATH_MAX, "%s", beside ? BATCH_FOLDER : found ? state : plan->state );
}

static int MakeReport( const ReportSettings* settings, BatchState* state )
{
	const BatchPlan* plan = state->plan;
	char path[PATH_MAX], logs[PATH_MAX];
	snprintf( path, sizeof( path ), "%s%s", settings->output != NULL ? settings->output : plan->folder,
			  settings->output != NULL ? "" : "/report.html" );
	int32_t* order = SortJobs( state );
	uint8_t* wanted = supAllocZeroed( (size_t)plan->jobs.count + 1 );
	int status = order != NULL && wanted != NULL ? exit_ok : ReportMemory();
	int32_t left = settings->pictures > 0 ? settings->pictures : plan->jobs.count;
	for ( int32_t i = 0; status == exit_ok && i < plan->jobs.count && left > 0; ++i )
	{
		wanted[order[i]] = state->states[order[i]] == job_done;
		left -= wanted[order[i]];
	}
	if ( status == exit_ok )
	{
		DrawPictures( state, wanted );
		NoteMissingPictures( plan, wanted );
		FindLogs( plan, path, logs );
		status = WritePage( state, order, path, logs );
		RemoveOwnPictures( plan );
	}
	if ( status == exit_ok && settings->common.quiet == false )
	{
		struct stat info;
		printf( "%s: %s, %s\n", path, FormatPlural( plan->jobs.count, "job", "jobs" ),
				FormatBytes( stat( path, &info ) == 0 ? (uint64_t)info.st_size : 0 ) );
	}
	supFree( order );
	supFree( wanted );
	return status;
}

static int RunReport( const Command* command, int argc, char** argv )
{
	ReportSettings settings = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	const char* inputs[] = { arguments.files[0] };
	status = settings.output != NULL ? CheckOutput( command, settings.output, ".html", inputs, 1 ) : exit_ok;
	BatchPlan plan = { 0 };
	BatchState state = { 0 };
	status = status == exit_ok ? MakePlan( arguments.files[0], settings.folder, &plan ) : status;
	status = status == exit_ok ? OpenState( &state, &plan, WATCH_SECONDS, true ) : status;
	status = status == exit_ok ? MakeReport( &settings, &state ) : status;
	if ( state.states != NULL )
	{
		CloseState( &state );
	}
	FreePlan( &plan );
	FreeArguments( &arguments );
	return status;
}

const Command g_batchReportCommand = {
	.name = "batch report",
	.summary = "write an HTML page about a batch, with pictures",
	.usage = "MANIFEST [-o OUT.html] [--folder DIR] [--pictures N]",
	.about =
		"Writes one self-contained page: a contact sheet of the worst fifty jobs, then every job with a "
		"picture of its worst frame, volume error, stretch, penetration and time, failed jobs first, with links to "
		"logs.",
	.examples = "supple batch report jobs.jsonl\n"
				"supple batch report jobs.jsonl -o today.html --pictures 200",
	ARG_OPTIONS( s_options ),
	.fileName = "MANIFEST",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunReport,
};
