// SPDX-License-Identifier: MIT
// The parts of an FBX transform that real files rarely use, on files written here: axes and units, pivots, pre- and
// post-rotation, geometric transforms, compensation of scale. The oracle is the formula of the FBX documentation,
//   T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1,
// multiplied out with the C library's trigonometry.
#include "io/assimp/assimp_import.h"
#include "supple/supple.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// One frame at 24 a second, in units of FBX time.
#define FBX_FRAME 1924423250ll

typedef struct Fixture
{
	char folder[256];
	char path[512];
	char text[16384];
} Fixture;

static int Open( void** state )
{
	Fixture* fixture = calloc( 1, sizeof( Fixture ) );
	testMakeFolder( fixture->folder );
	snprintf( fixture->path, sizeof( fixture->path ), "%s/model.fbx", fixture->folder );
	*state = fixture;
	return 0;
}

static int Close( void** state )
{
	Fixture* fixture = *state;
	testRemoveFolder( fixture->folder );
	free( fixture );
	return 0;
}

static supCharacter* ImportText( Fixture* fixture )
{
	supError error = { 0 };
	testWriteFile( fixture->path, fixture->text, strlen( fixture->text ) );
	supCharacter* character = supLoadCharacter( fixture->path, &error );
	testRequire( character != NULL, &error );
	return character;
}

static const char s_settings[] = "; FBX 7.4.0 project file\n"
								 "FBXHeaderExtension: { FBXHeaderVersion: 1003\n FBXVersion: 7400\n }\n"
								 "GlobalSettings: { Version: 1000\n Properties70: {\n%s"
								 " P: \"TimeMode\", \"enum\", \"\", \"\",11\n } }\n";

static const char s_yUpMetres[] = "P: \"UpAxis\", \"int\", \"Integer\", \"\",1\n"
								  "P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",100\n";

// A triangle as geometry 1000.
static const char s_triangle[] = "Geometry: 1000, \"Geometry::tri\", \"Mesh\" {\n"
								 "Vertices: *9 { a: 1,2,3,101,2,3,1,2,203 }\n"
								 "PolygonVertexIndex: *3 { a: 0,1,-3 }\n GeometryVersion: 124\n }\n";

static void AssertNear( supVec3 a, supVec3 b, float tolerance )
{
	if ( supDistance( a, b ) > tolerance )
	{
		fail_msg( "(%g %g %g) is not (%g %g %g)", (double)a.x, (double)a.y, (double)a.z, (double)b.x, (double)b.y,
				  (double)b.z );
	}
}

// 3ds Max: +Z up, here in inches.
static void AxesAndUnits( void** state )
{
	Fixture* fixture = *state;
	static const char zUpInches[] = "P: \"UpAxis\", \"int\", \"Integer\", \"\",2\n"
									"P: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n"
									"P: \"FrontAxis\", \"int\", \"Integer\", \"\",1\n"
									"P: \"FrontAxisSign\", \"int\", \"Integer\", \"\",-1\n"
									"P: \"CoordAxis\", \"int\", \"Integer\", \"\",0\n"
									"P: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n"
									"P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",2.54\n";
	int length = snprintf( fixture->text, sizeof( fixture->text ), s_settings, zUpInches );
	snprintf( fixture->text + length, sizeof( fixture->text ) - (size_t)length,
			  "Objects: {\n%s Model: 2000, \"Model::tri\", \"Mesh\" { Version: 232\n Properties70: {\n"
			  "P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,300,0\n } } }\n"
			  "Connections: { C: \"OO\",2000,0\n C: \"OO\",1000,2000\n }\n",
			  s_triangle );
	supCharacter* character = ImportText( fixture );
	assert_float_equal( supCharacter_UnitScale( character ), 0.0254, 1e-7 );
	supPose* pose = supCreatePose( character );
	const supVec3* positions = supCharacter_Mesh( character, 0 )->positions;
	supMat34 world = supPose_Palette( pose, 0 )[0];
	// file (1, 302, 203) -> (x, z, -y)
	AssertNear( supTransformPoint( world, positions[2] ), supMakeVec3( 0.0254f, 203.0f * 0.0254f, -302.0f * 0.0254f ),
				1e-5f );
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// The formula

static supMat34 Translation( supVec3 t )
{
	supMat34 m = supMat34_identity;
	m.t = t;
	return m;
}

static supMat34 Scaling( supVec3 s )
{
	return ( supMat34 ){ { s.x, 0.0f, 0.0f }, { 0.0f, s.y, 0.0f }, { 0.0f, 0.0f, s.z }, { 0.0f, 0.0f, 0.0f } };
}

// Degrees, order XYZ: first about x.
static supMat34 Rotation( supVec3 degrees )
{
	float radians = SUP_PI / 180.0f;
	float cx = cosf( radians * degrees.x ), sx = sinf( radians * degrees.x );
	float cy = cosf( radians * degrees.y ), sy = sinf( radians * degrees.y );
	float cz = cosf( radians * degrees.z ), sz = sinf( radians * degrees.z );
	supMat34 x = { { 1.0f, 0.0f, 0.0f }, { 0.0f, cx, sx }, { 0.0f, -sx, cx }, { 0.0f, 0.0f, 0.0f } };
	supMat34 y = { { cy, 0.0f, -sy }, { 0.0f, 1.0f, 0.0f }, { sy, 0.0f, cy }, { 0.0f, 0.0f, 0.0f } };
	supMat34 z = { { cz, sz, 0.0f }, { -sz, cz, 0.0f }, { 0.0f, 0.0f, 1.0f }, { 0.0f, 0.0f, 0.0f } };
	return supMulMat34( z, supMulMat34( y, x ) );
}

static supMat34 Inverse( supMat34 m )
{
	supMat34 inverse = supMat34_identity;
	assert_true( supInvertMat34( m, &inverse ) );
	return inverse;
}

typedef struct Parts
{
	supVec3 translation, rotationOffset, rotationPivot, preRotation, rotation, postRotation, scalingOffset,
		scalingPivot, scaling;
	supVec3 geometricTranslation, geometricRotation, geometricScaling;
	int inheritType;
} Parts;

static const Parts s_plain = { .scaling = { 1.0f, 1.0f, 1.0f },
							   .geometricScaling = { 1.0f, 1.0f, 1.0f },
							   .inheritType = 1 };

static supMat34 Product( const supMat34* factors, int count )
{
	supMat34 m = supMat34_identity;
	for ( int i = 0; i < count; ++i )
	{
		m = supMulMat34( m, factors[i] );
	}
	return m;
}

// `compensation` stands behind the translation: identity, or the inverse of the parent's scale.
static supMat34 LocalMatrix( const Parts* p, supMat34 compensation )
{
	supMat34 factors[] = {
		Translation( p->translation ),
		compensation,
		Translation( p->rotationOffset ),
		Translation( p->rotationPivot ),
		Rotation( p->preRotation ),
		Rotation( p->rotation ),
		Inverse( Rotation( p->postRotation ) ),
		Translation( supNeg( p->rotationPivot ) ),
		Translation( p->scalingOffset ),
		Translation( p->scalingPivot ),
		Scaling( p->scaling ),
		Translation( supNeg( p->scalingPivot ) ),
	};
	return Product( factors, sizeof( factors ) / sizeof( factors[0] ) );
}

static supMat34 GeometricMatrix( const Parts* p )
{
	supMat34 factors[] = { Translation( p->geometricTranslation ), Rotation( p->geometricRotation ),
						   Scaling( p->geometricScaling ) };
	return Product( factors, 3 );
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

static void Append( Fixture* fixture, const char* format, ... )
{
	size_t length = strlen( fixture->text );
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( fixture->text + length, sizeof( fixture->text ) - length, format, arguments );
	va_end( arguments );
}

static void AppendVector( Fixture* fixture, const char* name, const char* type, supVec3 v )
{
	Append( fixture, "P: \"%s\", \"%s\", \"\", \"A\",%.9g,%.9g,%.9g\n", name, type, (double)v.x, (double)v.y,
			(double)v.z );
}

static void AppendModel( Fixture* fixture, int id, const char* name, const char* type, const Parts* p )
{
	Append( fixture, "Model: %d, \"Model::%s\", \"%s\" { Version: 232\n Properties70: {\n", id, name, type );
	AppendVector( fixture, "RotationOffset", "Vector3D", p->rotationOffset );
	AppendVector( fixture, "RotationPivot", "Vector3D", p->rotationPivot );
	AppendVector( fixture, "ScalingOffset", "Vector3D", p->scalingOffset );
	AppendVector( fixture, "ScalingPivot", "Vector3D", p->scalingPivot );
	AppendVector( fixture, "PreRotation", "Vector3D", p->preRotation );
	AppendVector( fixture, "PostRotation", "Vector3D", p->postRotation );
	AppendVector( fixture, "GeometricTranslation", "Vector3D", p->geometricTranslation );
	AppendVector( fixture, "GeometricRotation", "Vector3D", p->geometricRotation );
	AppendVector( fixture, "GeometricScaling", "Vector3D", p->geometricScaling );
	AppendVector( fixture, "Lcl Translation", "Lcl Translation", p->translation );
	AppendVector( fixture, "Lcl Rotation", "Lcl Rotation", p->rotation );
	AppendVector( fixture, "Lcl Scaling", "Lcl Scaling", p->scaling );
	Append( fixture, "P: \"InheritType\", \"enum\", \"\", \"\",%d\n } }\n", p->inheritType );
}

// A curve node with three curves of two keys, frames 0 and 10; id uses id .. id + 3.
static void AppendCurves( Fixture* fixture, int id, const char* letter, supVec3 from, supVec3 to )
{
	const float values[3][2] = { { from.x, to.x }, { from.y, to.y }, { from.z, to.z } };
	Append( fixture, "AnimationCurveNode: %d, \"AnimCurveNode::%s\", \"\" { Properties70: { } }\n", id, letter );
	for ( int i = 0; i < 3; ++i )
	{
		Append( fixture,
				"AnimationCurve: %d, \"AnimCurve::\", \"\" { Default: 0\n KeyVer: 4008\n KeyTime: *2 { a: 0,%lld }\n"
				"KeyValueFloat: *2 { a: %.9g,%.9g }\n KeyAttrFlags: *1 { a: 24836 }\n"
				"KeyAttrDataFloat: *4 { a: 0,0,255790911,0 }\n KeyAttrRefCount: *1 { a: 2 }\n }\n",
				id + 1 + i, 10 * FBX_FRAME, (double)values[i][0], (double)values[i][1] );
	}
}

static void AppendCurveLinks( Fixture* fixture, int id, int model, const char* property )
{
	Append( fixture, "C: \"OO\",%d,9001\n C: \"OP\",%d,%d, \"%s\"\n", id, id, model, property );
	Append( fixture, "C: \"OP\",%d,%d, \"d|X\"\n C: \"OP\",%d,%d, \"d|Y\"\n C: \"OP\",%d,%d, \"d|Z\"\n", id + 1, id,
			id + 2, id, id + 3, id );
}

// A parent and a child that carries the triangle; at frame 10 both have changed from `parts` to `then`.
static void WritePair( Fixture* fixture, const Parts parts[2], const Parts* then )
{
	static const char* const properties[3] = { "Lcl Translation", "Lcl Rotation", "Lcl Scaling" };
	snprintf( fixture->text, sizeof( fixture->text ), s_settings, s_yUpMetres );
	Append( fixture, "Objects: {\n%s", s_triangle );
	AppendModel( fixture, 2000, "parent", "Null", &parts[0] );
	AppendModel( fixture, 3000, "child", "Mesh", &parts[1] );
	if ( then != NULL )
	{
		Append( fixture,
				"AnimationStack: 9000, \"AnimStack::move\", \"\" { Properties70: {\n"
				"P: \"LocalStop\", \"KTime\", \"Time\", \"\",%lld\n } }\n"
				"AnimationLayer: 9001, \"AnimLayer::base\", \"\" { }\n",
				10 * FBX_FRAME );
	}
	for ( int i = 0; then != NULL && i < 2; ++i )
	{
		AppendCurves( fixture, 5000 + 100 * i, "T", parts[i].translation, then[i].translation );
		AppendCurves( fixture, 5010 + 100 * i, "R", parts[i].rotation, then[i].rotation );
		AppendCurves( fixture, 5020 + 100 * i, "S", parts[i].scaling, then[i].scaling );
	}
	Append( fixture, "}\nConnections: { C: \"OO\",2000,0\n C: \"OO\",3000,2000\n C: \"OO\",1000,3000\n" );
	for ( int i = 0; then != NULL && i < 2; ++i )
	{
		for ( int k = 0; k < 3; ++k )
		{
			AppendCurveLinks( fixture, 5000 + 100 * i + 10 * k, 2000 + 1000 * i, properties[k] );
		}
	}
	Append( fixture, "%s}\n", then != NULL ? "C: \"OO\",9001,9000\n" : "" );
	testLess( strlen( fixture->text ) + 1, sizeof( fixture->text ) );
}

static void CheckTriangle( supPose* pose, const supCharacter* character, const Parts parts[2] )
{
	bool compensated = parts[1].inheritType == 2;
	supMat34 inverse = compensated ? Inverse( Scaling( parts[0].scaling ) ) : supMat34_identity;
	supMat34 world = supMulMat34( LocalMatrix( &parts[0], supMat34_identity ), LocalMatrix( &parts[1], inverse ) );
	world = supMulMat34( world, GeometricMatrix( &parts[1] ) );
	const supMesh* mesh = supCharacter_Mesh( character, 0 );
	static const supVec3 corners[3] = { { 1.0f, 2.0f, 3.0f }, { 101.0f, 2.0f, 3.0f }, { 1.0f, 2.0f, 203.0f } };
	for ( int i = 0; i < 3; ++i )
	{
		supVec3 ours = supTransformPoint( supPose_Palette( pose, 0 )[0], mesh->positions[mesh->indices[i]] );
		AssertNear( ours, supTransformPoint( world, corners[i] ), 2e-3f );
	}
}

static Parts Mix( const Parts* a, const Parts* b, float t )
{
	Parts mixed = *a;
	mixed.translation = supLerp( a->translation, b->translation, t );
	mixed.rotation = supLerp( a->rotation, b->rotation, t );
	mixed.scaling = supLerp( a->scaling, b->scaling, t );
	return mixed;
}

// At rest, at both keys and, where nothing but exact interpolation is in play, halfway.
static void CheckPair( Fixture* fixture, const Parts parts[2], const Parts* then, bool halfway )
{
	WritePair( fixture, parts, then );
	supCharacter* character = ImportText( fixture );
	supPose* pose = supCreatePose( character );
	CheckTriangle( pose, character, parts );
	for ( int i = 0; then != NULL && i <= 2; ++i )
	{
		float t = 0.5f * (float)i;
		Parts mixed[2] = { Mix( &parts[0], &then[0], t ), Mix( &parts[1], &then[1], t ) };
		supPose_ApplyClip( pose, supCharacter_Clip( character, 0 ), t * 10.0f / 24.0f );
		if ( i != 1 || halfway )
		{
			CheckTriangle( pose, character, mixed );
		}
	}
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

static void AllPartsAtRest( void** state )
{
	Parts parts[2] = { s_plain, s_plain };
	parts[0].translation = supMakeVec3( 10.0f, -20.0f, 30.0f );
	parts[0].preRotation = supMakeVec3( 20.0f, 30.0f, -40.0f );
	parts[0].rotation = supMakeVec3( -50.0f, 10.0f, 70.0f );
	parts[0].postRotation = supMakeVec3( 15.0f, -25.0f, 35.0f );
	parts[1] = parts[0];
	parts[1].rotationOffset = supMakeVec3( 1.0f, 2.0f, 3.0f );
	parts[1].rotationPivot = supMakeVec3( -4.0f, 5.0f, 6.0f );
	parts[1].scalingOffset = supMakeVec3( 7.0f, -8.0f, 9.0f );
	parts[1].scalingPivot = supMakeVec3( 2.0f, 4.0f, -6.0f );
	parts[1].scaling = supMakeVec3( 0.5f, 1.5f, 2.0f );
	CheckPair( *state, parts, NULL, false );
}

static void PrePostRotationWhileMoving( void** state )
{
	Parts parts[2] = { s_plain, s_plain };
	parts[0].translation = supMakeVec3( 10.0f, -20.0f, 30.0f );
	parts[0].preRotation = supMakeVec3( 20.0f, 30.0f, -40.0f );
	parts[0].postRotation = supMakeVec3( 15.0f, -25.0f, 35.0f );
	parts[1].translation = supMakeVec3( 0.0f, 50.0f, 0.0f );
	parts[1].postRotation = supMakeVec3( 0.0f, 0.0f, 90.0f );
	Parts then[2] = { parts[0], parts[1] };
	then[0].translation = supMakeVec3( 40.0f, 0.0f, 0.0f );
	// about one axis, where Euler angles and quaternions agree on what lies between
	then[0].rotation = supMakeVec3( 0.0f, 60.0f, 0.0f );
	then[1].rotation = supMakeVec3( 80.0f, 0.0f, 0.0f );
	CheckPair( *state, parts, then, true );
}

static void PivotsWhileMoving( void** state )
{
	Parts parts[2] = { s_plain, s_plain };
	parts[0].translation = supMakeVec3( 10.0f, -20.0f, 30.0f );
	parts[0].rotationPivot = supMakeVec3( 0.0f, 25.0f, 0.0f );
	parts[0].scalingPivot = supMakeVec3( 0.0f, 25.0f, 10.0f );
	parts[1].rotationOffset = supMakeVec3( 1.0f, 2.0f, 3.0f );
	parts[1].rotationPivot = supMakeVec3( -4.0f, 5.0f, 6.0f );
	parts[1].preRotation = supMakeVec3( 20.0f, 30.0f, -40.0f );
	parts[1].postRotation = supMakeVec3( 15.0f, -25.0f, 35.0f );
	Parts then[2] = { parts[0], parts[1] };
	then[0].rotation = supMakeVec3( 0.0f, 0.0f, 90.0f );
	then[0].scaling = supMakeVec3( 2.0f, 1.0f, 0.5f );
	then[1].translation = supMakeVec3( 5.0f, 5.0f, 5.0f );
	then[1].rotation = supMakeVec3( 0.0f, 120.0f, 0.0f );
	CheckPair( *state, parts, then, true );
}

static void GeometryMovesAlone( void** state )
{
	Parts parts[2] = { s_plain, s_plain };
	parts[1].translation = supMakeVec3( 0.0f, 50.0f, 0.0f );
	parts[1].geometricTranslation = supMakeVec3( 3.0f, 4.0f, 5.0f );
	parts[1].geometricRotation = supMakeVec3( 0.0f, 90.0f, 0.0f );
	parts[1].geometricScaling = supMakeVec3( 2.0f, 3.0f, 4.0f );
	Parts then[2] = { parts[0], parts[1] };
	then[1].rotation = supMakeVec3( 80.0f, 0.0f, 0.0f );
	CheckPair( *state, parts, then, true );
}

static void ChildrenThatDoNotInheritScale( void** state )
{
	Parts parts[2] = { s_plain, s_plain };
	parts[0].translation = supMakeVec3( 10.0f, -20.0f, 30.0f );
	parts[0].scaling = supMakeVec3( 0.5f, 1.5f, 2.0f );
	parts[1].translation = supMakeVec3( 0.0f, 50.0f, 20.0f );
	parts[1].rotation = supMakeVec3( 30.0f, 0.0f, 0.0f );
	parts[1].inheritType = 2;
	Parts then[2] = { parts[0], parts[1] };
	then[0].scaling = supMakeVec3( 2.0f, 1.0f, 0.25f );
	then[1].rotation = supMakeVec3( 70.0f, 0.0f, 0.0f );
	then[1].scaling = supMakeVec3( 1.0f, 2.0f, 3.0f );
	CheckPair( *state, parts, then, false );
	// even scales need no helper node
	parts[0].scaling = supMakeVec3( 0.5f, 0.5f, 0.5f );
	then[0].scaling = supMakeVec3( 3.0f, 3.0f, 3.0f );
	CheckPair( *state, parts, then, false );
}

static void SparseKeysAreNoted( void** state )
{
	Fixture* fixture = *state;
	Parts parts[2] = { s_plain, s_plain };
	Parts then[2] = { parts[0], parts[1] };
	then[1].rotation = supMakeVec3( 70.0f, 0.0f, 0.0f );
	WritePair( fixture, parts, then );
	supCharacter* character = ImportText( fixture );
	bool found = false;
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		found = found || strstr( supCharacter_Note( character, i )->text, "10 frames apart" ) != NULL;
	}
	assert_true( found );
	supDestroyCharacter( character );
}

// A corner of the triangle rises by ten over ten frames; the clip moves nothing else.
static void MorphTargetsAndTheirClips( void** state )
{
	Fixture* fixture = *state;
	snprintf( fixture->text, sizeof( fixture->text ), s_settings, s_yUpMetres );
	Append( fixture, "Objects: {\n%s", s_triangle );
	AppendModel( fixture, 2000, "face", "Mesh", &s_plain );
	Append( fixture,
			"Geometry: 1100, \"Geometry::smile\", \"Shape\" { Version: 100\n Indexes: *1 { a: 1 }\n"
			"Vertices: *3 { a: 0,10,0 }\n Normals: *3 { a: 0,0,0 }\n }\n"
			"Deformer: 1200, \"Deformer::shapes\", \"BlendShape\" { Version: 100\n }\n"
			"Deformer: 1300, \"SubDeformer::smile\", \"BlendShapeChannel\" { Version: 100\n"
			"DeformPercent: 0\n FullWeights: *1 { a: 100 }\n }\n"
			"AnimationStack: 9000, \"AnimStack::grin\", \"\" { Properties70: {\n"
			"P: \"LocalStop\", \"KTime\", \"Time\", \"\",%lld\n } }\n"
			"AnimationLayer: 9001, \"AnimLayer::base\", \"\" { }\n"
			"AnimationCurveNode: 5000, \"AnimCurveNode::DeformPercent\", \"\" { Properties70: { } }\n"
			"AnimationCurve: 5001, \"AnimCurve::\", \"\" { Default: 0\n KeyVer: 4008\n"
			"KeyTime: *2 { a: 0,%lld }\n KeyValueFloat: *2 { a: 0,100 }\n KeyAttrFlags: *1 { a: 24836 }\n"
			"KeyAttrDataFloat: *4 { a: 0,0,255790911,0 }\n KeyAttrRefCount: *1 { a: 2 }\n }\n}\n",
			10 * FBX_FRAME, 10 * FBX_FRAME );
	Append( fixture, "Connections: { C: \"OO\",2000,0\n C: \"OO\",1000,2000\n C: \"OO\",1200,1000\n"
					 "C: \"OO\",1300,1200\n C: \"OO\",1100,1300\n C: \"OO\",9001,9000\n C: \"OO\",5000,9001\n"
					 "C: \"OP\",5000,1300, \"DeformPercent\"\n C: \"OP\",5001,5000, \"d|DeformPercent\"\n}\n" );
	supCharacter* character = ImportText( fixture );
	const supMesh* mesh = supCharacter_Mesh( character, 0 );
	assert_int_equal( mesh->targetCount, 1 );
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		float rise = mesh->positions[i].x > 100.0f ? 10.0f : 0.0f;
		AssertNear( mesh->targets[0].positions[i], supMakeVec3( 0.0f, rise, 0.0f ), 1e-5f );
	}
	supPose* pose = supCreatePose( character );
	assert_float_equal( supPose_MorphWeights( pose, 0 )[0], 0.0f, 0.0 );
	assert_int_equal( supCharacter_ClipCount( character ), 1 );
	supPose_ApplyClip( pose, supCharacter_FindClip( character, "grin" ), 4.0f / 24.0f );
	assert_float_equal( supPose_MorphWeights( pose, 0 )[0], 0.4f, 1e-6 );
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

static bool ImportOnce( void* context )
{
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( context, &error );
	assert_true( character != NULL || error.code == sup_errorMemory );
	supDestroyCharacter( character );
	return character != NULL;
}

static void EachAllocationMayFail( void** state )
{
	Fixture* fixture = *state;
	Parts parts[2] = { s_plain, s_plain };
	parts[1].geometricTranslation = supMakeVec3( 3.0f, 4.0f, 5.0f );
	Parts then[2] = { parts[0], parts[1] };
	then[1].rotation = supMakeVec3( 70.0f, 0.0f, 0.0f );
	WritePair( fixture, parts, then );
	testWriteFile( fixture->path, fixture->text, strlen( fixture->text ) );
	testEachAllocationFailure( ImportOnce, fixture->path, 300 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown( AxesAndUnits, Open, Close ),
		cmocka_unit_test_setup_teardown( AllPartsAtRest, Open, Close ),
		cmocka_unit_test_setup_teardown( PrePostRotationWhileMoving, Open, Close ),
		cmocka_unit_test_setup_teardown( PivotsWhileMoving, Open, Close ),
		cmocka_unit_test_setup_teardown( GeometryMovesAlone, Open, Close ),
		cmocka_unit_test_setup_teardown( ChildrenThatDoNotInheritScale, Open, Close ),
		cmocka_unit_test_setup_teardown( SparseKeysAreNoted, Open, Close ),
		cmocka_unit_test_setup_teardown( MorphTargetsAndTheirClips, Open, Close ),
		cmocka_unit_test_setup_teardown( EachAllocationMayFail, Open, Close ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
