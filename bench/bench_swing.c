// SPDX-License-Identifier: MIT
// bench_swing [RESULTS.csv]: how fast the drawn skin swings, and how soon that dies away, whatever the frame rate, the
// number of substeps and the size of the simulation mesh. The root of a character is shifted by a twentieth of its size
// within 0.15 s and held; what its skin does from then on is fitted by one damped oscillation.
#include "bench.h"

#include "models/models.h"
#include "supple/supple.h"

#define MOST_FRAMES 512
#define SHIFT 0.02
#define SHIFT_SECONDS 0.15
#define SWING_SECONDS 1.6
// how long quicker swings are given to die away
#define SKIP_SECONDS 0.15
#define REST_SECONDS 8.0

typedef struct Swing
{
	double hertz;
	double ratio;    // damping
	double distance; // largest, of the size
	double off;      // RMS of what the fit leaves, of the RMS of the swing
} Swing;

typedef struct Signal
{
	int count;
	double times[MOST_FRAMES];
	double values[MOST_FRAMES];
} Signal;

// ---------------------------------------------------------------------------------------------------------------------
// The fit: e^( -z w t ) ( a cos + b sin ) + c, with a, b and c by least squares

static double FitAt( const Signal* s, double hertz, double ratio )
{
	double m[3][4] = { { 0.0 } }, w = 2.0 * 3.14159265358979 * hertz, damped = w * sqrt( 1.0 - ratio * ratio );
	double total = 0.0;
	for ( int i = 0; i < s->count; ++i )
	{
		double e = exp( -ratio * w * s->times[i] );
		double row[4] = { e * cos( damped * s->times[i] ), e * sin( damped * s->times[i] ), 1.0, s->values[i] };
		total += row[3] * row[3];
		for ( int a = 0; a < 3; ++a )
		{
			for ( int b = 0; b < 4; ++b )
			{
				m[a][b] += row[a] * row[b];
			}
		}
	}
	double explained = 0.0, right[3] = { m[0][3], m[1][3], m[2][3] };
	for ( int a = 0; a < 3; ++a )
	{
		for ( int b = a + 1; b < 3; ++b )
		{
			double f = m[b][a] / m[a][a];
			for ( int c = a; c < 4; ++c )
			{
				m[b][c] -= f * m[a][c];
			}
		}
	}
	double x[3];
	for ( int a = 2; a >= 0; --a )
	{
		x[a] = m[a][3];
		for ( int b = a + 1; b < 3; ++b )
		{
			x[a] -= m[a][b] * x[b];
		}
		x[a] /= m[a][a];
		explained += x[a] * right[a];
	}
	return sqrt( fmax( total - explained, 0.0 ) / total );
}

static void Fit( const Signal* s, Swing* swing )
{
	swing->off = 1e9;
	for ( double hertz = 0.6; hertz < 12.0; hertz *= 1.03 )
	{
		for ( double ratio = 0.02; ratio < 0.9; ratio *= 1.15 )
		{
			double off = FitAt( s, hertz, ratio );
			*swing = off < swing->off ? ( Swing ){ hertz, ratio, swing->distance, off } : *swing;
		}
	}
	for ( double step = 0.03; step > 1e-5; step *= 0.7 )
	{
		for ( int k = 0; k < 4; ++k )
		{
			double hertz = swing->hertz * ( 1.0 + ( k == 0 ? step : k == 1 ? -step : 0.0 ) );
			double ratio = swing->ratio * ( 1.0 + ( k == 2 ? 4.0 * step : k == 3 ? -4.0 * step : 0.0 ) );
			double off = ratio < 0.95 ? FitAt( s, hertz, ratio ) : 1e9;
			*swing = off < swing->off ? ( Swing ){ hertz, ratio, swing->distance, off } : *swing;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The motion

static void PlaceRoots( supActor* actor, float shift )
{
	const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
	supPose* pose = supActor_Pose( actor );
	supPose_SetRest( pose );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		if ( supCharacter_Node( character, i )->parent < 0 )
		{
			supTransform local = supPose_GetLocal( pose, i );
			local.translation.x += shift;
			supPose_SetLocal( pose, i, local );
		}
	}
}

static Swing Measure( const supFlesh* flesh, double fps, int32_t substeps )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.substeps = substeps > 0 ? substeps : supChooseSubsteps( (float)( 1.0 / fps ) );
	supScene* scene = supCreateScene( &def, &error );
	benchRequire( scene != NULL, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	benchRequire( actor != NULL, &error );
	const supCharacter* character = supFlesh_Character( flesh );
	int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh )->vertexCount;
	supVec3* frames = malloc( MOST_FRAMES * (size_t)count * sizeof( supVec3 ) );
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < count; ++i )
	{
		box = supBox_Include( box, supActor_Positions( actor, 0 )[i] );
	}
	double size = (double)supLength( supBox_Size( box ) );
	Signal signal = { 0 };
	int last = (int)( ( SHIFT_SECONDS + REST_SECONDS ) * fps );
	for ( int k = 1; k <= last; ++k )
	{
		double t = (double)k / fps, u = fmin( t / SHIFT_SECONDS, 1.0 );
		PlaceRoots( actor, (float)( SHIFT * size * u * u * ( 3.0 - 2.0 * u ) ) );
		supScene_Step( scene, (float)( 1.0 / fps ) );
		if ( t >= SHIFT_SECONDS + SKIP_SECONDS && t < SHIFT_SECONDS + SWING_SECONDS && signal.count < MOST_FRAMES )
		{
			memcpy( frames + (size_t)signal.count * (size_t)count, supActor_Positions( actor, 0 ),
					(size_t)count * sizeof( supVec3 ) );
			signal.times[signal.count++] = t - SHIFT_SECONDS;
		}
	}
	// what moves most is what is seen: the swing of these vertices, each along its own way at the beginning
	const supVec3* rest = supActor_Positions( actor, 0 );
	Swing swing = { 0 };
	for ( int32_t i = 0; i < count; ++i )
	{
		swing.distance = fmax( swing.distance, (double)supDistance( frames[i], rest[i] ) / size );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		supVec3 way = supSub( frames[i], rest[i] );
		if ( (double)supLength( way ) < 0.6 * swing.distance * size )
		{
			continue;
		}
		for ( int k = 0; k < signal.count; ++k )
		{
			supVec3 off = supSub( frames[(size_t)k * (size_t)count + (size_t)i], rest[i] );
			signal.values[k] += (double)supDot( off, way );
		}
	}
	Fit( &signal, &swing );
	free( frames );
	supDestroyScene( scene );
	return swing;
}

// ---------------------------------------------------------------------------------------------------------------------

static supFlesh* Build( const supCharacter* character, const char* method, const char* parameter, float value )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	static char words[8][64];
	supSetting settings[10] = { { "exaggeration", 1.0f }, { parameter, value } };
	int32_t count = parameter != NULL ? 2 : 1;
	// SWING_SET=frequency=3,damping=0.2
	const char* more = getenv( "SWING_SET" );
	for ( int i = 0; more != NULL && *more != 0 && i < 8; ++i, ++count )
	{
		float number = 0.0f;
		sscanf( more, "%63[^=]=%f", words[i], &number );
		settings[count] = ( supSetting ){ words[i], number };
		more = strchr( more, ',' );
		more = more != NULL ? more + 1 : NULL;
	}
	supFindMethod( method, &def.method );
	def.settings = settings;
	def.settingCount = count;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	benchRequire( flesh != NULL, &error );
	return flesh;
}

static void Print( FILE* csv, const char* name, Swing swing )
{
	printf( "%-44s %6.2f Hz  ratio %5.3f  %5.2f %% of the size  fit off by %4.1f %%\n", name, swing.hertz, swing.ratio,
			100.0 * swing.distance, 100.0 * swing.off );
	fflush( stdout );
	benchWriteCsv( csv, "swing", name, 1, swing.hertz, "Hz" );
}

static void RunMethod( FILE* csv, const supCharacter* character, const char* method, const char* parameter,
					   const float* sizes )
{
	char name[128];
	supFlesh* flesh = Build( character, method, NULL, 0.0f );
	static const double rates[] = { 24.0, 30.0, 60.0, 120.0 };
	for ( int i = 0; i < 4; ++i )
	{
		snprintf( name, sizeof( name ), "%s at %g fps", method, rates[i] );
		Print( csv, name, Measure( flesh, rates[i], 0 ) );
	}
	static const int32_t substeps[] = { 1, 2, 4, 8 };
	for ( int i = 0; i < 4; ++i )
	{
		snprintf( name, sizeof( name ), "%s at 30 fps, %d substeps", method, substeps[i] );
		Print( csv, name, Measure( flesh, 30.0, substeps[i] ) );
	}
	supDestroyFlesh( flesh );
	for ( int i = 0; i < 3 && sizes != NULL; ++i )
	{
		flesh = Build( character, method, parameter, sizes[i] );
		snprintf( name, sizeof( name ), "%s at 30 fps, %s=%g", method, parameter, (double)sizes[i] );
		Print( csv, name, Measure( flesh, 30.0, 0 ) );
		supDestroyFlesh( flesh );
	}
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	const char* only = getenv( "SWING_METHOD" );
	const char* model = getenv( "SWING_MODEL" );
	supError error = { 0 };
	const supModel* found = supFindModel( model != NULL ? model : "bunny" );
	supCharacter* character = found != NULL ? found->create( &error ) : NULL;
	benchRequire( character != NULL, &error );
	static const float tets[] = { 2000.0f, 8000.0f, 20000.0f }, voxels[] = { 16.0f, 32.0f, 64.0f };
	static const struct
	{
		const char* method;
		const char* parameter;
		const float* sizes;
	} rows[] = { { "position", "tets", tets },
				 { "lattice", "resolution", voxels },
				 { "points", "tets", tets },
				 { "layered", NULL, NULL },
				 { "fem", NULL, NULL } };
	for ( size_t i = 0; i < sizeof( rows ) / sizeof( rows[0] ); ++i )
	{
		if ( only == NULL || strcmp( only, rows[i].method ) == 0 )
		{
			RunMethod( csv, character, rows[i].method, rows[i].parameter, rows[i].sizes );
		}
	}
	supDestroyCharacter( character );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
