// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L

#include "beam.h"

#include "supple/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Metres of the character behind the clamp.
#define BEHIND 0.03f
// Cells of the drawn surface: along, and across.
#define ALONG 13
#define ACROSS 4
#define MOST_VERTICES 512
// What the flesh is built with; the fit multiplies it.
#define BUILT_MODULUS 2.5e5f

// ---------------------------------------------------------------------------------------------------------------------
// Measured

// Where the markers are on the beam according to those who measured, clamp last.
static const supVec3 s_nominal[6] = { { 0.1f, 0.036f, -0.015f },   { 0.1f, 0.024f, 0.006f },
									  { 0.1f, 0.006f, -0.036f },   { 0.006f, -0.001f, 0.01f },
									  { 0.006f, 0.0275f, -0.04f }, { 0.006f, 0.0f, -0.04f } };

// The rotation that takes `from` to `to` best (Horn 1987): the eigenvector of the largest eigenvalue, by iteration.
static supQuat FindRotation( const supVec3* from, const supVec3* to, int count )
{
	double s[3][3] = { { 0.0 } };
	for ( int i = 0; i < count; ++i )
	{
		const double a[3] = { (double)from[i].x, (double)from[i].y, (double)from[i].z };
		const double b[3] = { (double)to[i].x, (double)to[i].y, (double)to[i].z };
		for ( int k = 0; k < 9; ++k )
		{
			s[k / 3][k % 3] += a[k / 3] * b[k % 3];
		}
	}
	const double n[4][4] = { { s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0] },
							 { s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2] },
							 { s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1] },
							 { s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1] } };
	double shift = 0.0, q[4] = { 1.0, 0.3, 0.2, 0.1 };
	for ( int i = 0; i < 16; ++i )
	{
		shift += fabs( n[i / 4][i % 4] );
	}
	for ( int round = 0; round < 2000; ++round )
	{
		double next[4], size = 0.0;
		for ( int i = 0; i < 4; ++i )
		{
			next[i] = shift * q[i];
			for ( int k = 0; k < 4; ++k )
			{
				next[i] += n[i][k] * q[k];
			}
			size += next[i] * next[i];
		}
		for ( int i = 0; i < 4; ++i )
		{
			q[i] = next[i] / sqrt( size );
		}
	}
	return ( supQuat ){ (float)q[1], (float)q[2], (float)q[3], (float)q[0] };
}

// Into the coordinates of the beam, by all six markers of the first frame.
static void Align( beamTake* take, const supVec3 first[6] )
{
	supVec3 from[6], to[6], fromMiddle = supVec3_zero, toMiddle = supVec3_zero;
	for ( int i = 0; i < 6; ++i )
	{
		fromMiddle = supMulAdd( fromMiddle, 1.0f / 6.0f, first[i] );
		toMiddle = supMulAdd( toMiddle, 1.0f / 6.0f, s_nominal[i] );
	}
	for ( int i = 0; i < 6; ++i )
	{
		from[i] = supSub( first[i], fromMiddle );
		to[i] = supSub( s_nominal[i], toMiddle );
	}
	supQuat turn = FindRotation( from, to, 6 );
	for ( int i = 0; i < take->count * BEAM_MARKERS; ++i )
	{
		supVec3* tip = take->tips[i / BEAM_MARKERS] + i % BEAM_MARKERS;
		*tip = supAdd( toMiddle, supRotate( turn, supSub( *tip, fromMiddle ) ) );
	}
}

static double MeanHeight( const supVec3 tips[BEAM_MARKERS] )
{
	return ( (double)tips[0].y + (double)tips[1].y + (double)tips[2].y ) / 3.0;
}

bool beamLoadTake( beamTake* take, const char* path, supError* error )
{
	FILE* file = fopen( path, "r" );
	char line[1024];
	supVec3 first[6] = { 0 };
	memset( take, 0, sizeof( *take ) );
	if ( file == NULL || fgets( line, sizeof( line ), file ) == NULL || strncmp( line, "time,tip1_x,", 12 ) != 0 )
	{
		if ( file != NULL )
		{
			fclose( file );
		}
		snprintf( error->where, sizeof( error->where ), "%.60s", path );
		snprintf( error->message, sizeof( error->message ), "cannot be read as a take of the beam" );
		return false;
	}
	while ( take->count < BEAM_MOST_FRAMES && fgets( line, sizeof( line ), file ) != NULL )
	{
		double numbers[19];
		char* at = line;
		for ( int i = 0; i < 19; ++i )
		{
			numbers[i] = strtod( at, &at );
			at += *at == ',';
		}
		// up is x of the recording, along the beam z
		for ( int i = 0; i < 6; ++i )
		{
			const double* p = numbers + 1 + 3 * i;
			supVec3 place = supMakeVec3( (float)p[2], (float)p[0], (float)p[1] );
			first[i] = take->count == 0 ? place : first[i];
			if ( i < BEAM_MARKERS )
			{
				take->tips[take->count][i] = place;
			}
		}
		take->count += 1;
	}
	fclose( file );
	Align( take, first );
	double start = MeanHeight( take->tips[0] );
	while ( take->released + 1 < take->count && start - MeanHeight( take->tips[take->released + 1] ) < 0.5e-3 )
	{
		take->released += 1;
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// The beam

// Steps of 1/240 s without numerical damping; small steps where a method has nothing else.
static const supSetting s_nonlinear[] = { { "mode", 2.0f },        { "skin", 1.0f },    { "frequency", 0.0f },
										  { "slowest", 0.0f },     { "damping", 0.0f }, { "exaggeration", 1.0f },
										  { "sag", 1.0f },         { "reach", 10.0f },  { "hold", 0.0f },
										  { "dissipation", 0.0f }, { "rate", 240.0f },  { "iterations", 2.0f } };
static const supSetting s_blended[] = { { "mode", 0.0f },        { "skin", 1.0f },    { "frequency", 0.0f },
										{ "slowest", 0.0f },     { "damping", 0.0f }, { "exaggeration", 1.0f },
										{ "sag", 1.0f },         { "reach", 10.0f },  { "hold", 0.0f },
										{ "dissipation", 0.0f }, { "rate", 240.0f } };
static const supSetting s_position[] = { { "mode", 1.0f },         { "frequency", 0.0f }, { "damping", 0.0f },
										 { "exaggeration", 1.0f }, { "sag", 1.0f },       { "reach", 10.0f },
										 { "bind", 0.0f },         { "keep", 0.0f },      { "iterations", 4.0f },
										 { "rate", 2400.0f } };
static const supSetting s_points[] = { { "integrator", 7.0f }, { "frequency", 0.0f }, { "ratio", 0.0f },
									   { "slowest", 0.0f },    { "damping", 0.0f },   { "exaggeration", 1.0f },
									   { "sag", 1.0f },        { "reach", 10.0f },    { "density", BEAM_DENSITY },
									   { "rate", 960.0f } };

#define COUNT( array ) ( (int32_t)( sizeof( array ) / sizeof( ( array )[0] ) ) )

const beamModel beamModels[] = {
	{ "fem nonlinear", sup_methodFem, s_nonlinear, COUNT( s_nonlinear ), { 10, 2 }, true, 0.0f },
	{ "fem blended", sup_methodFem, s_blended, COUNT( s_blended ), { 8, 2 }, false, 0.0f },
	{ "position compliant", sup_methodPosition, s_position, COUNT( s_position ), { 0, 0 }, false, 0.0f },
	{ "points", sup_methodPoints, s_points, COUNT( s_points ), { 0, 0 }, false, 2.0f },
};
const int beamModelCount = (int)( sizeof( beamModels ) / sizeof( beamModels[0] ) );

// The chain points away from the free end, so that no bone is in it.
static const supVec3 s_joints[2] = { { -0.001f, 0.5f * BEAM_WIDTH, -0.5f * BEAM_WIDTH },
									 { 0.001f - BEHIND, 0.5f * BEAM_WIDTH, -0.5f * BEAM_WIDTH } };

// A box whose faces are grids; vertices of edges come once for each face.
typedef struct Box
{
	int32_t vertexCount, indexCount;
	supVec3 positions[MOST_VERTICES];
	float softness[MOST_VERTICES];
	uint16_t joints[MOST_VERTICES];
	float weights[MOST_VERTICES];
	uint32_t indices[6 * MOST_VERTICES];
} Box;

static int32_t AddVertex( Box* box, supVec3 p, bool isClamped )
{
	for ( int32_t i = 0; i < box->vertexCount; ++i )
	{
		if ( supDistance( box->positions[i], p ) < 1e-5f )
		{
			return i;
		}
	}
	box->positions[box->vertexCount] = p;
	box->softness[box->vertexCount] = isClamped && p.x < 1e-5f ? 0.0f : 1.0f;
	box->weights[box->vertexCount] = 1.0f;
	return box->vertexCount++;
}

// A face from `corner` along u and v, whose cross product points outwards.
static void AddFace( Box* box, supVec3 corner, supVec3 u, supVec3 v, int32_t nu, int32_t nv, bool isClamped )
{
	for ( int32_t k = 0; k < nu * nv; ++k )
	{
		int32_t at[4];
		for ( int i = 0; i < 4; ++i )
		{
			float a = (float)( k % nu + ( i == 1 || i == 2 ) ) / (float)nu;
			float b = (float)( k / nu + ( i >= 2 ) ) / (float)nv;
			at[i] = AddVertex( box, supMulAdd( supMulAdd( corner, a, u ), b, v ), isClamped );
		}
		const int order[6] = { 0, 1, 2, 0, 2, 3 };
		for ( int i = 0; i < 6; ++i )
		{
			box->indices[box->indexCount++] = (uint32_t)at[order[i]];
		}
	}
}

static void MakeBox( Box* box, supVec3 low, supVec3 size, const int32_t cells[3], bool isClamped )
{
	supVec3 x = { size.x, 0.0f, 0.0f }, y = { 0.0f, size.y, 0.0f }, z = { 0.0f, 0.0f, size.z };
	memset( box, 0, sizeof( *box ) );
	AddFace( box, low, y, x, cells[1], cells[0], isClamped );
	AddFace( box, supAdd( low, z ), x, y, cells[0], cells[1], isClamped );
	AddFace( box, low, x, z, cells[0], cells[2], isClamped );
	AddFace( box, supAdd( low, y ), z, x, cells[2], cells[0], isClamped );
	AddFace( box, low, z, y, cells[2], cells[1], isClamped );
	AddFace( box, supAdd( low, x ), y, z, cells[1], cells[2], isClamped );
}

// - jointCount 0: a prop
static supCharacter* MakeCharacter( const Box* box, const supVec3* joints, int32_t jointCount, supError* error )
{
	static const char* const names[] = { "clamp", "clampEnd" };
	supNode nodes[3];
	supMat34 inverses[2];
	int32_t list[2] = { 0, 1 };
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		nodes[i] = ( supNode ){ .name = names[i], .parent = i - 1, .rest = supTransform_identity };
		nodes[i].rest.translation = i == 0 ? joints[0] : supSub( joints[i], joints[i - 1] );
		inverses[i] = supMat34_identity;
		inverses[i].t = supNeg( joints[i] );
	}
	nodes[jointCount] = ( supNode ){ .name = "body", .parent = -1, .rest = supTransform_identity };
	supSkin skin = { .name = "body", .jointCount = jointCount, .joints = list, .inverseBinds = inverses };
	supMesh mesh = { .name = "body",
					 .vertexCount = box->vertexCount,
					 .positions = box->positions,
					 .indexCount = box->indexCount,
					 .indices = box->indices };
	if ( jointCount > 0 )
	{
		mesh.softness = box->softness;
		mesh.influences = 1;
		mesh.joints = box->joints;
		mesh.weights = box->weights;
	}
	supInstance instance = { .node = jointCount, .mesh = 0, .skin = jointCount > 0 ? 0 : -1 };
	supCharacterDef def = supDefaultCharacterDef();
	def.name = "beam";
	def.nodeCount = jointCount + 1;
	def.nodes = nodes;
	def.skinCount = jointCount > 0;
	def.skins = &skin;
	def.meshCount = 1;
	def.meshes = &mesh;
	def.instanceCount = 1;
	def.instances = &instance;
	return supCreateCharacter( &def, error );
}

static int32_t LatticeVertex( const beamModel* model, int32_t cell, const int at[3] )
{
	int32_t across = model->cells[1], n = across + 1;
	int32_t a = cell / ( across * across ), b = cell / across % across, c = cell % across;
	return ( ( a + at[0] ) * n + b + at[1] ) * n + c + at[2];
}

// The six ways from one corner of a cube to the opposite one, as tetrahedra. Odd cells are mirrored, so that the beam
// is as stiff to the left as to the right.
static void CutCell( int way, const int32_t cell[3], int corners[4][3] )
{
	static const int ways[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 1, 0, 2 }, { 0, 2, 1 }, { 2, 1, 0 } };
	int at[3] = { cell[0] % 2, cell[1] % 2, cell[2] % 2 };
	// odd ways turn the other way round, and so do mirrored ones
	bool isTurned = ( ( way >= 3 ) + at[0] + at[1] + at[2] ) % 2 == 1;
	for ( int i = 0; i < 4; ++i )
	{
		int slot = isTurned && ( i == 1 || i == 2 ) ? 3 - i : i;
		if ( i > 0 )
		{
			at[ways[way][i - 1]] ^= 1;
		}
		memcpy( corners[slot], at, sizeof( at ) );
	}
}

static void WriteCell( FILE* file, const beamModel* model, int32_t cell )
{
	static const int corners[8][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 },
									   { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 } };
	for ( int k = 0; k < 8 && model->isCut == false; ++k )
	{
		fprintf( file, "%s%d%s", k > 0 ? "," : ( cell > 0 ? ",[" : "[" ), LatticeVertex( model, cell, corners[k] ),
				 k == 7 ? "]" : "" );
	}
	for ( int w = 0; w < 6 && model->isCut; ++w )
	{
		int cut[4][3];
		int32_t n = model->cells[1];
		CutCell( w, ( int32_t[3] ){ cell / ( n * n ), cell / n % n, cell % n }, cut );
		fprintf( file, "%s[%d,%d,%d,%d]", cell + w > 0 ? "," : "", LatticeVertex( model, cell, cut[0] ),
				 LatticeVertex( model, cell, cut[1] ), LatticeVertex( model, cell, cut[2] ),
				 LatticeVertex( model, cell, cut[3] ) );
	}
}

// Cells of equal size, with every vertex of the clamp on a bone.
static bool WriteLattice( const beamModel* model, const char* path )
{
	int32_t along = model->cells[0] + 1, across = model->cells[1];
	FILE* file = fopen( path, "w" );
	if ( file == NULL )
	{
		return false;
	}
	fprintf( file, "{ \"vertices\": [" );
	for ( int32_t i = 0; i <= along; ++i )
	{
		for ( int32_t k = 0; k < ( across + 1 ) * ( across + 1 ); ++k )
		{
			double x = i == 0 ? -(double)BEHIND : (double)BEAM_LENGTH * ( i - 1 ) / model->cells[0];
			double y = (double)BEAM_WIDTH * ( k / ( across + 1 ) ) / across;
			double z = (double)BEAM_WIDTH * ( k % ( across + 1 ) ) / across - (double)BEAM_WIDTH;
			fprintf( file, "%s[%.9g,%.9g,%.9g]", i + k > 0 ? "," : "", x, y, z );
		}
	}
	fprintf( file, "], \"cells\": [" );
	for ( int32_t i = 0; i < along * across * across; ++i )
	{
		WriteCell( file, model, i );
	}
	fprintf( file, "], \"joints\": [" );
	int32_t lines = ( across + 1 ) * ( across + 1 );
	for ( int32_t k = 0; k < 2 * lines; ++k )
	{
		double y = (double)BEAM_WIDTH * ( k / 2 / ( across + 1 ) ) / across;
		double z = (double)BEAM_WIDTH * ( k / 2 % ( across + 1 ) ) / across - (double)BEAM_WIDTH;
		fprintf( file, "%s{\"node\":\"clamp\",\"offset\":[%.9g,%.9g,%.9g]}", k > 0 ? "," : "",
				 ( k % 2 == 0 ? 0.0 : -(double)BEHIND ) - (double)s_joints[0].x, y - (double)s_joints[0].y,
				 z - (double)s_joints[0].z );
	}
	fprintf( file, "], \"bones\": [" );
	for ( int32_t k = 0; k < lines; ++k )
	{
		fprintf( file, "%s[%d,%d,\"clamp\"]", k > 0 ? "," : "", 2 * k, 2 * k + 1 );
	}
	fprintf( file, "] }\n" );
	return fclose( file ) == 0;
}

// Cubes of the surface's grid, each cut into six.
typedef struct Tets
{
	supVec3 points[( ALONG + 1 ) * ( ACROSS + 1 ) * ( ACROSS + 1 )];
	int32_t indices[24 * ALONG * ACROSS * ACROSS];
	supTetMesh mesh;
} Tets;

static void MakeTets( Tets* tets )
{
	int32_t n = ACROSS + 1, count = 0;
	for ( int32_t i = 0; i < ( ALONG + 1 ) * n * n; ++i )
	{
		tets->points[i] = supMakeVec3( ( BEHIND + BEAM_LENGTH ) * (float)( i / ( n * n ) ) / ALONG - BEHIND,
									   BEAM_WIDTH * (float)( i / n % n ) / ACROSS,
									   BEAM_WIDTH * (float)( i % n ) / ACROSS - BEAM_WIDTH );
	}
	for ( int32_t i = 0; i < 6 * ALONG * ACROSS * ACROSS; ++i )
	{
		int32_t cell = i / 6, a = cell / ( ACROSS * ACROSS ), b = cell / ACROSS % ACROSS, c = cell % ACROSS;
		int cut[4][3];
		CutCell( i % 6, ( int32_t[3] ){ a, b, c }, cut );
		for ( int k = 0; k < 4; ++k )
		{
			tets->indices[count++] = ( ( a + cut[k][0] ) * n + b + cut[k][1] ) * n + c + cut[k][2];
		}
	}
	tets->mesh = ( supTetMesh ){ .pointCount = ( ALONG + 1 ) * n * n,
								 .points = tets->points,
								 .tetCount = 6 * ALONG * ACROSS * ACROSS,
								 .indices = tets->indices };
}

bool beamBuild( beamFlesh* beam, const beamModel* model, const char* folder, supError* error )
{
	const int32_t cells[3] = { ALONG, ACROSS, ACROSS };
	bool isFem = model->method == sup_methodFem;
	memset( beam, 0, sizeof( *beam ) );
	beam->model = model;
	Box* box = malloc( sizeof( Box ) );
	MakeBox( box, supMakeVec3( -BEHIND, 0.0f, -BEAM_WIDTH ),
			 supMakeVec3( BEHIND + BEAM_LENGTH, BEAM_WIDTH, BEAM_WIDTH ), cells, isFem == false );
	beam->character = MakeCharacter( box, s_joints, 2, error );
	free( box );
	supTissue rubber = { BEAM_DENSITY, BUILT_MODULUS, 0.49f, 0.0f };
	supLayer layers[2] = { { "bone", 0.0f, rubber }, { "skin", 1.0f, rubber } };
	supSoftRegion soft = supDefaultSoftRegion();
	soft.even = 1.0f;
	supFleshDef def = supDefaultFleshDef();
	def.method = model->method;
	def.softRegions = &soft;
	def.softRegionCount = 1;
	def.settings = model->settings;
	def.settingCount = model->settingCount;
	if ( model->volumeRatio == 0.0f )
	{
		def.layers = layers;
		def.layerCount = 2;
	}
	Tets* tets = malloc( sizeof( Tets ) );
	MakeTets( tets );
	def.tets = isFem ? NULL : &tets->mesh;
	if ( beam->character != NULL && isFem )
	{
		char path[512];
		snprintf( path, sizeof( path ), "%s/beam_%d_%d.json", folder, model->cells[0], model->cells[1] );
		beam->lattice = WriteLattice( model, path ) ? supLoadLattice( path, beam->character, error ) : NULL;
		def.lattice = beam->lattice;
		remove( path );
	}
	if ( beam->character != NULL && ( isFem == false || beam->lattice != NULL ) )
	{
		beam->flesh = supBuildFlesh( beam->character, &def, NULL, error );
	}
	free( tets );
	if ( beam->flesh == NULL )
	{
		beamDestroy( beam );
	}
	return beam->character != NULL;
}

void beamDestroy( beamFlesh* beam )
{
	supDestroyFlesh( beam->flesh );
	supDestroyLattice( beam->lattice );
	supDestroyCharacter( beam->character );
	memset( beam, 0, sizeof( *beam ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// The weight: a steel cube that hangs on the edge by its middle

#define STEEL 8000.0

typedef struct Weight
{
	supCharacter* character;
	supFlesh* flesh;
} Weight;

static bool BuildWeight( Weight* weight, double mass, supError* error )
{
	float size = (float)cbrt( mass / STEEL );
	supVec3 low = { BEAM_LENGTH - 0.5f * size, BEAM_WIDTH - 0.5f * size, -0.5f * BEAM_WIDTH - 0.5f * size };
	const int32_t cells[3] = { 1, 1, 1 };
	Box* box = malloc( sizeof( Box ) );
	MakeBox( box, low, supMakeVec3( size, size, size ), cells, false );
	// five tets of a cube
	static const int32_t bits[5][4] = {
		{ 0, 1, 2, 4 }, { 3, 2, 1, 7 }, { 5, 1, 4, 7 }, { 6, 4, 2, 7 }, { 1, 2, 4, 7 }
	};
	supVec3 points[8];
	int32_t indices[20];
	for ( int i = 0; i < 8; ++i )
	{
		points[i] = supMakeVec3( low.x + ( i & 1 ? size : 0.0f ), low.y + ( i & 2 ? size : 0.0f ),
								 low.z + ( i & 4 ? size : 0.0f ) );
	}
	for ( int i = 0; i < 20; ++i )
	{
		indices[i] = bits[i / 4][i % 4];
	}
	supTetMesh tets = { .pointCount = 8, .points = points, .tetCount = 5, .indices = indices };
	supSetting settings[] = { { "density", (float)STEEL }, { "stretch", 1e6f }, { "volume", 1e6f },
							  { "damping", 1e-3f },        { "air", 0.0f },     { "exaggeration", 1.0f } };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodPoints;
	def.settings = settings;
	def.settingCount = COUNT( settings );
	def.tets = &tets;
	weight->character = MakeCharacter( box, NULL, 0, error );
	free( box );
	weight->flesh = weight->character != NULL ? supBuildFlesh( weight->character, &def, NULL, error ) : NULL;
	return weight->flesh != NULL;
}

static void DestroyWeight( Weight* weight )
{
	supDestroyFlesh( weight->flesh );
	supDestroyCharacter( weight->character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Motion

// A marker stands off the skin: it goes with the triangle next to it.
typedef struct Marker
{
	supSurfacePoint point;
	supVec3 side; // from the skin, in the frame of the triangle
} Marker;

static void FrameOf( const supActor* actor, const supSurfacePoint* point, supVec3 axes[3] )
{
	const supVec3* p = supActor_Positions( actor, point->instance );
	supVec3 u = supSub( p[point->vertices[1]], p[point->vertices[0]] );
	supVec3 v = supSub( p[point->vertices[2]], p[point->vertices[0]] );
	axes[0] = supNormalize( u );
	axes[2] = supNormalize( supCross( u, v ) );
	axes[1] = supCross( axes[2], axes[0] );
}

static Marker PlaceMarker( const supActor* actor, supVec3 place )
{
	Marker marker = { 0 };
	supVec3 axes[3];
	supActor_FindNearest( actor, place, &marker.point );
	FrameOf( actor, &marker.point, axes );
	supVec3 off = supSub( place, supActor_PointPosition( actor, &marker.point ) );
	marker.side = supMakeVec3( supDot( off, axes[0] ), supDot( off, axes[1] ), supDot( off, axes[2] ) );
	return marker;
}

static supVec3 MarkerPlace( const supActor* actor, const Marker* marker )
{
	supVec3 axes[3], place = supActor_PointPosition( actor, &marker->point );
	FrameOf( actor, &marker->point, axes );
	place = supMulAdd( place, marker->side.x, axes[0] );
	place = supMulAdd( place, marker->side.y, axes[1] );
	return supMulAdd( place, marker->side.z, axes[2] );
}

static void SetParameter( supActor* actor, const beamFlesh* beam, const char* name, double value )
{
	supActor_SetParameter( actor, supMethod_FindParameter( beam->model->method, name ), (float)value );
}

static void SetMaterial( supActor* actor, const beamFlesh* beam, const beamMaterial* material )
{
	SetParameter( actor, beam, "air", material->drag );
	if ( beam->model->volumeRatio > 0.0f )
	{
		SetParameter( actor, beam, "stretch", material->modulus );
		SetParameter( actor, beam, "volume", (double)beam->model->volumeRatio * material->modulus );
	}
	else
	{
		SetParameter( actor, beam, "stiffness", material->modulus / (double)BUILT_MODULUS );
	}
}

static bool Hang( supScene* scene, supActor* actor, const Weight* weight, double drag, supError* error )
{
	supActor* body = supScene_AddActor( scene, weight->flesh, error );
	if ( body == NULL )
	{
		return false;
	}
	supActor_SetParameter( body, supMethod_FindParameter( sup_methodPoints, "air" ), (float)drag );
	supVec3 edge = { BEAM_LENGTH, BEAM_WIDTH, -0.5f * BEAM_WIDTH };
	supAttachmentDef def = supDefaultAttachmentDef();
	def.name = "weight";
	def.placeCount = 2;
	def.places[0] = ( supPlace ){ .kind = sup_placeSurface, .actor = actor };
	return supActor_FindNearest( actor, edge, &def.places[0].point ) &&
		   supActor_FindInside( body, edge, def.places + 1 ) && supScene_Attach( scene, &def, error ) != NULL;
}

static double ProcessorNow( void )
{
	struct timespec t;
	clock_gettime( CLOCK_PROCESS_CPUTIME_ID, &t );
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Frames of the take, between steps where those are not the same.
static void Play( supScene* scene, const supActor* actor, const Marker markers[BEAM_MARKERS], beamRun* run )
{
	supVec3 last[BEAM_MARKERS], now[BEAM_MARKERS];
	int frame = run->take->released + 1;
	double seconds = 0.0;
	memcpy( last, run->take->tips[0], sizeof( last ) );
	for ( int step = 1; frame < run->take->count; ++step )
	{
		double start = ProcessorNow(), time = step / run->fps;
		supScene_Step( scene, (float)( 1.0 / run->fps ) );
		seconds += ProcessorNow() - start;
		for ( int i = 0; i < BEAM_MARKERS; ++i )
		{
			now[i] = MarkerPlace( actor, markers + i );
		}
		for ( ; frame < run->take->count; ++frame )
		{
			double at = (double)( frame - run->take->released ) / BEAM_FPS;
			if ( at > time + 1e-6 )
			{
				break;
			}
			float share = (float)( 1.0 - ( time - at ) * run->fps );
			for ( int i = 0; i < BEAM_MARKERS; ++i )
			{
				run->tips[frame][i] = supLerp( last[i], now[i], share );
			}
		}
		memcpy( last, now, sizeof( last ) );
	}
	run->cost = seconds * BEAM_FPS / ( run->take->count - run->take->released );
	run->unstable = supScene_GetStats( scene ).trouble.unstable;
}

bool beamSimulate( const beamFlesh* beam, const beamMaterial* material, beamRun* run, supError* error )
{
	Weight weight = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.gravity = supMakeVec3( 0.0f, -BEAM_GRAVITY, 0.0f );
	// the beam is no skin over bones that it might be torn from
	def.guard = false;
	def.sleeping = false;
	supScene* scene = supCreateScene( &def, error );
	supActor* actor = scene != NULL ? supScene_AddActor( scene, beam->flesh, error ) : NULL;
	bool ok = actor != NULL;
	if ( ok && run->load > 0.0 )
	{
		ok = BuildWeight( &weight, run->load / (double)BEAM_GRAVITY, error ) &&
			 Hang( scene, actor, &weight, material->drag, error );
	}
	if ( ok )
	{
		Marker markers[BEAM_MARKERS];
		SetMaterial( actor, beam, material );
		for ( int i = 0; i < BEAM_MARKERS; ++i )
		{
			markers[i] = PlaceMarker( actor, run->take->tips[0][i] );
		}
		for ( int i = 0; i <= run->take->released; ++i )
		{
			memcpy( run->tips[i], run->take->tips[0], sizeof( run->tips[0] ) );
		}
		Play( scene, actor, markers, run );
	}
	supDestroyScene( scene );
	DestroyWeight( &weight );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Held against each other

double beamError( const beamTake* take, const beamRun* run )
{
	double sum = 0.0;
	for ( int i = 0; i < take->count * BEAM_MARKERS; ++i )
	{
		int frame = i / BEAM_MARKERS, marker = i % BEAM_MARKERS;
		double distance = (double)supDistance( take->tips[frame][marker], run->tips[frame][marker] );
		sum += distance * distance;
	}
	return sqrt( sum / ( take->count * BEAM_MARKERS ) );
}

double beamDrop( const beamTake* take, const supVec3* tips )
{
	double sum = 0.0;
	int first = take->count > BEAM_FPS / 2 ? take->count - BEAM_FPS / 2 : 0;
	for ( int frame = first; frame < take->count; ++frame )
	{
		sum += MeanHeight( take->tips[0] ) - MeanHeight( tips + BEAM_MARKERS * frame );
	}
	return sum / ( take->count - first );
}

double beamRestError( const beamTake* take, const beamRun* run )
{
	double largest = 0.0;
	for ( int i = 0; i < BEAM_MARKERS; ++i )
	{
		supVec3 sum = supVec3_zero;
		int first = take->count > BEAM_FPS / 2 ? take->count - BEAM_FPS / 2 : 0;
		for ( int frame = first; frame < take->count; ++frame )
		{
			sum = supAdd( sum, supSub( run->tips[frame][i], take->tips[frame][i] ) );
		}
		largest = fmax( largest, (double)supLength( sum ) / ( take->count - first ) );
	}
	return largest;
}

// Seconds after the first frame, by a parabola through the lowest frame and its neighbours.
static int FindLows( const supVec3* tips, int count, double lows[3] )
{
	int found = 0;
	for ( int i = 3; i + 3 < count && found < 3; ++i )
	{
		double y = MeanHeight( tips + BEAM_MARKERS * i );
		bool isLow = MeanHeight( tips ) - y > 1e-3;
		for ( int k = -3; k <= 3; ++k )
		{
			isLow = isLow && y <= MeanHeight( tips + BEAM_MARKERS * ( i + k ) );
		}
		if ( isLow )
		{
			double left = MeanHeight( tips + BEAM_MARKERS * ( i - 1 ) ),
				   right = MeanHeight( tips + BEAM_MARKERS * ( i + 1 ) );
			double bend = left - 2.0 * y + right;
			lows[found++] = ( i + ( bend > 0.0 ? 0.5 * ( left - right ) / bend : 0.0 ) ) / BEAM_FPS;
			i += 3;
		}
	}
	return found;
}

double beamPhaseError( const beamTake* take, const beamRun* run )
{
	double measured[3], simulated[3], largest = 0.0;
	if ( FindLows( take->tips[0], take->count, measured ) < 3 || FindLows( run->tips[0], take->count, simulated ) < 3 )
	{
		return INFINITY;
	}
	for ( int i = 0; i < 3; ++i )
	{
		largest = fmax( largest, fabs( measured[i] - simulated[i] ) );
	}
	return largest;
}

double beamDifference( const beamRun* a, const beamRun* b )
{
	double largest = 0.0;
	for ( int frame = a->take->released; frame < a->take->count; frame += BEAM_FPS / 20 )
	{
		for ( int i = 0; i < BEAM_MARKERS; ++i )
		{
			largest = fmax( largest, (double)supDistance( a->tips[frame][i], b->tips[frame][i] ) );
		}
	}
	return largest;
}

// ---------------------------------------------------------------------------------------------------------------------
// The fit: Gauss and Newton's steps in the logarithms of both numbers, derivatives by differences

static bool ErrorAt( const beamFlesh* beam, const double logs[2], beamRun* run, supError* error )
{
	beamMaterial material = { exp( logs[0] ), exp( logs[1] ) };
	return beamSimulate( beam, &material, run, error );
}

// Normal equations of one step.
static void FindStep( const beamTake* take, const beamRun* run, beamRun* const others[2], double change,
					  double step[2] )
{
	double a[2][2] = { { 0.0 } }, b[2] = { 0.0 };
	for ( int i = 0; i < take->count * BEAM_MARKERS; ++i )
	{
		int frame = i / BEAM_MARKERS, marker = i % BEAM_MARKERS;
		supVec3 off = supSub( take->tips[frame][marker], run->tips[frame][marker] ), slopes[2];
		for ( int k = 0; k < 2; ++k )
		{
			slopes[k] =
				supScale( (float)( 1.0 / change ), supSub( others[k]->tips[frame][marker], run->tips[frame][marker] ) );
			b[k] += (double)supDot( slopes[k], off );
		}
		for ( int k = 0; k < 4; ++k )
		{
			a[k / 2][k % 2] += (double)supDot( slopes[k / 2], slopes[k % 2] );
		}
	}
	double whole = a[0][0] * a[1][1] - a[0][1] * a[1][0];
	step[0] = whole != 0.0 ? ( b[0] * a[1][1] - b[1] * a[0][1] ) / whole : 0.0;
	step[1] = whole != 0.0 ? ( b[1] * a[0][0] - b[0] * a[1][0] ) / whole : 0.0;
}

bool beamFit( const beamFlesh* beam, const beamTake* take, beamMaterial* material, beamRun* run, supError* error )
{
	const double change = 0.02;
	double logs[2] = { log( material->modulus ), log( material->drag ) }, best = INFINITY;
	beamRun* others[2] = { malloc( sizeof( beamRun ) ), malloc( sizeof( beamRun ) ) };
	run->take = take;
	run->load = 0.0;
	*others[0] = *others[1] = *run;
	// first by how far it sinks, which is in proportion: from afar swings would be taken for each other
	bool ok = true;
	for ( int round = 0; ok && round < 3; ++round )
	{
		ok = ErrorAt( beam, logs, run, error );
		double wanted = beamDrop( take, take->tips[0] ), found = beamDrop( take, run->tips[0] );
		logs[0] += ok && round < 2 && found > 0.0 ? log( found / wanted ) : 0.0;
	}
	best = ok ? beamError( take, run ) : best;
	for ( int round = 0; ok && round < 5; ++round )
	{
		double step[2], part = 1.0, now = best;
		for ( int k = 0; ok && k < 2; ++k )
		{
			double moved[2] = { logs[0] + ( k == 0 ? change : 0.0 ), logs[1] + ( k == 1 ? change : 0.0 ) };
			ok = ErrorAt( beam, moved, others[k], error );
		}
		FindStep( take, run, others, change, step );
		for ( ; ok && part > 0.1; part *= 0.5 )
		{
			// at most a factor of 1.6 at once
			double moved[2] = { logs[0] + part * fmax( fmin( step[0], 0.5 ), -0.5 ),
								logs[1] + part * fmax( fmin( step[1], 0.5 ), -0.5 ) };
			ok = ErrorAt( beam, moved, others[0], error );
			now = ok ? beamError( take, others[0] ) : best;
			if ( now < best )
			{
				memcpy( logs, moved, sizeof( moved ) );
				*run = *others[0];
				break;
			}
		}
		bool isDone = now > 0.999 * best;
		best = fmin( now, best );
		if ( isDone )
		{
			break;
		}
	}
	*material = ( beamMaterial ){ exp( logs[0] ), exp( logs[1] ) };
	free( others[0] );
	free( others[1] );
	return ok;
}
