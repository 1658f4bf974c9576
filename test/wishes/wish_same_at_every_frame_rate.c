// SPDX-License-Identifier: MIT
// "It is bouncier on a 144 Hz monitor than at 30 fps."
//
// With the parameter `rate`, which makes steps alike whatever the frame rate. docs/limits.md has what the default does,
// and motions that miss the tolerance by a little even so.
#include "wishes.h"

typedef struct Swing
{
	double hertz;
	double amplitude;
} Swing;

// A shift within 0.2 s, which 30 frames a second can show; then the vertex that has moved most swings about its place.
static Swing Measure( const supFlesh* flesh, double fps )
{
	supScene* scene = wishScene( supChooseSubsteps( (float)( 1.0 / fps ) ), true );
	supActor* actor = wishAdd( scene, flesh );
	wishSet( actor, "exaggeration", 1.0f );
	supVec3* rest = wishCopy( actor );
	double last = 0.0, crossings[8];
	int found = 0;
	int32_t vertex = -1;
	Swing swing = { 0.0, 0.0 };
	for ( int k = 1; k <= (int)( 2.2 * fps ); ++k )
	{
		double time = k / fps, u = fmin( time / 0.2, 1.0 ), y = 0.05 * u * u * ( 3.0 - 2.0 * u );
		wishShift( actor, supMakeVec3( 0.0f, (float)y, 0.0f ) );
		supScene_Step( scene, (float)( 1.0 / fps ) );
		if ( time < 0.2 - 1e-9 )
		{
			continue;
		}
		const supVec3* p = supActor_Positions( actor, 0 );
		for ( int32_t i = 0; vertex < 0 && i < wishVertexCount( actor ); ++i )
		{
			// the middle of one half, on top: where it is in every run
			vertex = fabsf( rest[i].x - 0.5f ) < 0.06f && rest[i].y > 0.14f ? i : vertex;
		}
		double value = (double)p[vertex].y - (double)rest[vertex].y - y;
		// that of a sine with this mean square: frames need not meet its peaks
		swing.amplitude += 2.0 * value * value / ( 2.0 * fps );
		if ( found < 8 && k > 1 && value * last < 0.0 )
		{
			crossings[found++] = time - value / ( value - last ) / fps;
		}
		last = value;
	}
	testGreaterEqual( found, 3 );
	swing.hertz = 0.5 * ( found - 1 ) / ( crossings[found - 1] - crossings[0] );
	swing.amplitude = sqrt( swing.amplitude );
	free( rest );
	supDestroyScene( scene );
	return swing;
}

void wishSameAtEveryFrameRate( void** state )
{
	(void)state;
	static const double rates[] = { 60.0, 30.0, 144.0, 240.0 };
	static const struct
	{
		const char* method;
		const char* parameter;
		float value;
	} rows[] = { { "position", "rate", 240.0f }, { "fem", "rate", 240.0f } };
	for ( int m = 0; m < 2; ++m )
	{
		supFlesh* flesh = wishBuild( wishTube(), rows[m].method, rows[m].parameter, rows[m].value );
		Swing first = { 0 };
		for ( int i = 0; i < 4; ++i )
		{
			Swing swing = Measure( flesh, rates[i] );
			printf( "%s at %g fps: %.3f Hz, %.2f mm\n", rows[m].method, rates[i], swing.hertz, 1e3 * swing.amplitude );
			first = i == 0 ? swing : first;
			// the tolerance that users were promised
			testLess( fabs( swing.hertz / first.hertz - 1.0 ), 0.02 );
			testLess( fabs( swing.amplitude / first.amplitude - 1.0 ), 0.05 );
		}
		supDestroyFlesh( flesh );
	}
}
