// SPDX-License-Identifier: MIT
#include "lag.h"

#include "support.h"

// ---------------------------------------------------------------------------------------------------------------------
// Characters

static supCharacter* MakeBox( const supClip* clip )
{
	static const supVec3 positions[8] = { { -1, 0, -1 }, { 1, 0, -1 }, { -1, 2, -1 }, { 1, 2, -1 },
										  { -1, 0, 1 },  { 1, 0, 1 },  { -1, 2, 1 },  { 1, 2, 1 } };
	static const supVec3 normals[8] = { { 0, -1, 0 }, { 0, -1, 0 }, { 0, 1, 0 }, { 0, 1, 0 },
										{ 0, -1, 0 }, { 0, -1, 0 }, { 0, 1, 0 }, { 0, 1, 0 } };
	static const uint32_t indices[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
										  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
	static const uint16_t joints[8] = { 0, 0, 1, 1, 0, 0, 1, 1 };
	static const float weights[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	static const supPrimitive primitive = { .vertexCount = 8, .indexCount = 36, .material = -1 };
	supNode nodes[3] = { { .name = "root", .parent = -1, .rest = supTransform_identity },
						 { .name = "top", .parent = 0, .rest = supTransform_identity },
						 { .name = "box", .parent = -1, .rest = supTransform_identity } };
	nodes[1].rest.translation.y = 1.0f;
	supMat34 binds[2] = { supMat34_identity, supMat34_identity };
	binds[1].t.y = -1.0f;
	int32_t skinJoints[2] = { 0, 1 };
	supSkin skin = { .name = "", .jointCount = 2, .joints = skinJoints, .inverseBinds = binds };
	supMesh mesh = { .name = "box",
					 .vertexCount = 8,
					 .indexCount = 36,
					 .indices = indices,
					 .positions = positions,
					 .normals = normals,
					 .influences = 1,
					 .joints = joints,
					 .weights = weights,
					 .primitiveCount = 1,
					 .primitives = &primitive };
	supInstance instance = { .node = 2, .mesh = 0, .skin = 0 };
	supCharacterDef def = supDefaultCharacterDef();
	def.name = "box";
	def.nodeCount = 3;
	def.nodes = nodes;
	def.skinCount = 1;
	def.skins = &skin;
	def.meshCount = 1;
	def.meshes = &mesh;
	def.instanceCount = 1;
	def.instances = &instance;
	def.clipCount = clip != NULL;
	def.clips = clip;
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}

supCharacter* testMakeBox( void )
{
	return MakeBox( NULL );
}

supCharacter* testMakeSwayingBox( void )
{
	float times[9];
	float values[27];
	for ( int i = 0; i < 9; ++i )
	{
		supCosSin turn = supComputeCosSin( 2.0f * SUP_PI * (float)( i % 8 ) / 8.0f );
		times[i] = 0.25f * (float)i;
		values[3 * i] = 0.5f * turn.sine;
		values[3 * i + 1] = 1.0f + 0.1f * turn.cosine;
		values[3 * i + 2] = 0.0f;
	}
	supChannel channel = { .node = 1,
						   .path = sup_channelTranslation,
						   .interpolation = sup_interpolationLinear,
						   .keyCount = 9,
						   .width = 3,
						   .times = times,
						   .values = values };
	supClip clip = { .name = "Sway", .end = 2.0f, .channelCount = 1, .channels = &channel };
	return MakeBox( &clip );
}

// ---------------------------------------------------------------------------------------------------------------------
// The method

static size_t LagSize( const void* flesh )
{
	(void)flesh;
	return sizeof( testLagState );
}

static void LagReset( const void* flesh, void* state, supPose* pose, const supTasks* tasks )
{
	(void)flesh;
	(void)tasks;
	*(testLagState*)state = ( testLagState ){ .position = supPose_Worlds( pose )[1].t };
}

static void LagPredict( const void* flesh, void* state, const supSubstep* step )
{
	(void)flesh;
	testLagState* s = state;
	assert_int_equal( s->calls % 3, 0 );
	s->calls += 1;
	supVec3 pull = supSub( supPose_Worlds( step->pose )[1].t, s->position );
	s->velocity = supMulAdd( s->velocity, step->parameters[0] * step->dt, pull );
	s->velocity = supMulAdd( s->velocity, step->dt * step->parameters[1], step->gravity );
	for ( int32_t i = 0; i < step->pullCount; ++i )
	{
		const supPull* held = step->pulls + i;
		supVec3 goal = supAdd( held->target, held->grab->offsets[0] );
		s->velocity = supMulAdd( s->velocity, held->frequency * step->dt, supSub( goal, s->position ) );
	}
}

static void LagSolve( const void* flesh, void* state, const supSubstep* step )
{
	(void)flesh;
	testLagState* s = state;
	assert_int_equal( s->calls % 3, 1 );
	s->calls += 1;
	s->position = supMulAdd( s->position, step->dt, s->velocity );
}

static void LagSolveMany( const void* flesh, void* const* states, const supSubstep* const* steps )
{
	for ( int32_t i = 0; i < SUP_CROWD; ++i )
	{
		LagSolve( flesh, states[i], steps[i] );
		( (testLagState*)states[i] )->crowded += 1;
	}
}

static bool LagIsSettled( const void* flesh, const void* state )
{
	(void)flesh;
	const testLagState* s = state;
	return supDot( s->velocity, s->velocity ) < 1e-8f;
}

static bool LagGrab( const void* flesh, const void* state, const supSurfacePoint* point, float radius, supGrab* grab )
{
	(void)flesh;
	(void)point;
	(void)radius;
	const testLagState* s = state;
	*grab = ( supGrab ){ .count = 1, .weights = { 1.0f }, .offsets = { { 0.0f, s->position.y - 2.0f, 0.0f } } };
	grab->place = supMakeVec3( -1.0f, 2.0f, 0.0f );
	return true;
}

static void LagFinish( const void* flesh, void* state, const supSubstep* step )
{
	(void)flesh;
	(void)step;
	testLagState* s = state;
	assert_int_equal( s->calls % 3, 2 );
	s->calls += 1;
	s->velocity = supScale( 0.99f, s->velocity );
}

static void LagWrite( const void* flesh, const void* state, supPose* pose, int32_t instance, const supTasks* tasks,
					  const supSkinOutput* output )
{
	(void)flesh;
	const testLagState* s = state;
	supSkinInstance( pose, instance, sup_skinningLinear, tasks, output );
	supVec3 lag = supSub( s->position, supPose_Worlds( pose )[1].t );
	for ( int32_t i = 0; i < 8; ++i )
	{
		output->positions[i] = supAdd( output->positions[i], lag );
	}
}

static void LagMeasure( const void* flesh, const void* state, supSurfaceMeasure* measure )
{
	(void)flesh;
	const testLagState* s = state;
	measure->energy = 0.5f * supDot( s->velocity, s->velocity );
}

static const supParameter s_lagParameters[] = {
	{ "spring", "1/s2", "stiffness of the spring over the mass", 0.0f, 1000.0f, 40.0f, true, NULL },
	{ "weight", "", "how much gravity counts", 0.0f, 1.0f, 0.0f, true, NULL },
	{ "build", "count", "cannot be changed later", 1.0f, 9.0f, 3.0f, false, NULL },
};

const supMethod testLagMethod = {
	.name = "lag",
	.summary = "a point on a spring",
	.parameterCount = SUP_COUNT( s_lagParameters ),
	.parameters = s_lagParameters,
	.stateSize = LagSize,
	.reset = LagReset,
	.predict = LagPredict,
	.solve = LagSolve,
	.solveMany = LagSolveMany,
	.isSettled = LagIsSettled,
	.grab = LagGrab,
	.finish = LagFinish,
	.writeSurface = LagWrite,
	.measure = LagMeasure,
};

void testMoveTop( supActor* actor, int32_t frame )
{
	supTransform local = supPose_GetLocal( supActor_Pose( actor ), 1 );
	local.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), 0.1f * (float)frame );
	local.translation = supMakeVec3( 0.02f * (float)( frame % 7 ), 1.0f, 0.01f * (float)( frame % 5 ) );
	supPose_SetLocal( supActor_Pose( actor ), 1, local );
}
