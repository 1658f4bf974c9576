// SPDX-License-Identifier: MIT
// labels: release
#include "wishes.h"

static supCharacter* s_tube;
static supFlesh* s_tubeFlesh;

const supCharacter* wishTube( void )
{
	s_tube = s_tube != NULL ? s_tube : wishModel( "tube" );
	return s_tube;
}

const supFlesh* wishTubeFlesh( void )
{
	s_tubeFlesh = s_tubeFlesh != NULL ? s_tubeFlesh : wishBuild( wishTube(), "position", NULL, 0.0f );
	return s_tubeFlesh;
}

supCharacter* wishModel( const char* name )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( name )->create( &error );
	testRequire( character != NULL, &error );
	return character;
}

supFlesh* wishBuild( const supCharacter* character, const char* method, const char* parameter, float value )
{
	supError error = { 0 };
	supSetting settings[3];
	int32_t count = 0;
	supFleshDef def = supDefaultFleshDef();
	assert_true( supFindMethod( method, &def.method ) );
	bool hasTets = supMethod_FindParameter( def.method, "tets" ) >= 0;
	bool hasVertices = supMethod_FindParameter( def.method, "vertices" ) >= 0;
	if ( hasTets || hasVertices )
	{
		settings[count++] = ( supSetting ){ hasTets ? "tets" : "vertices", hasTets ? 800.0f : 100.0f };
	}
	if ( parameter != NULL )
	{
		settings[count++] = ( supSetting ){ parameter, value };
	}
	def.settings = settings;
	def.settingCount = count;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	return flesh;
}

supScene* wishScene( int32_t substeps, bool hasGravity )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.substeps = substeps;
	def.gravity = hasGravity ? def.gravity : supVec3_zero;
	supScene* scene = supCreateScene( &def, &error );
	testRequire( scene != NULL, &error );
	return scene;
}

supActor* wishAdd( supScene* scene, const supFlesh* flesh )
{
	supError error = { 0 };
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	testRequire( actor != NULL, &error );
	return actor;
}

void wishSet( supActor* actor, const char* parameter, float value )
{
	supMethodId method;
	assert_true( supFindMethod( supFlesh_MethodName( supActor_Flesh( actor ) ), &method ) );
	supActor_SetParameter( actor, supMethod_FindParameter( method, parameter ), value );
}

void wishShift( supActor* actor, supVec3 shift )
{
	const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
	supPose* pose = supActor_Pose( actor );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		const supNode* node = supCharacter_Node( character, i );
		if ( node->parent < 0 )
		{
			supTransform local = node->rest;
			local.translation = supAdd( local.translation, shift );
			supPose_SetLocal( pose, i, local );
		}
	}
}

void wishWait( supScene* scene, float seconds )
{
	for ( int i = 0; i < (int)( 60.0f * seconds + 0.5f ); ++i )
	{
		supScene_Step( scene, 1.0f / 60.0f );
	}
}

int32_t wishVertexCount( const supActor* actor )
{
	const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
	return supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh )->vertexCount;
}

supVec3* wishCopy( const supActor* actor )
{
	size_t size = (size_t)wishVertexCount( actor ) * sizeof( supVec3 );
	supVec3* places = malloc( size );
	memcpy( places, supActor_Positions( actor, 0 ), size );
	return places;
}

bool wishIsFinite( const supActor* actor )
{
	bool ok = true;
	for ( int32_t i = 0; i < wishVertexCount( actor ); ++i )
	{
		ok = ok && supIsFiniteVec3( supActor_Positions( actor, 0 )[i] );
	}
	return ok;
}

float wishFarthest( const supActor* actor, const supVec3* places )
{
	float farthest = 0.0f;
	for ( int32_t i = 0; i < wishVertexCount( actor ); ++i )
	{
		farthest = supMaxFloat( farthest, supDistance( supActor_Positions( actor, 0 )[i], places[i] ) );
	}
	return farthest;
}

float wishFlesh( const supActor* actor )
{
	const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
	supFlesh* plain = wishBuild( character, "lbs", NULL, 0.0f );
	supScene* scene = wishScene( 1, false );
	supActor* skinned = wishAdd( scene, plain );
	union
	{
		const supActor* read;
		supActor* write;
	} pointer = { .read = actor };
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		supPose_SetLocal( supActor_Pose( skinned ), i, supPose_GetLocal( supActor_Pose( pointer.write ), i ) );
	}
	supScene_Step( scene, 0.0f );
	float farthest = wishFarthest( skinned, supActor_Positions( actor, 0 ) );
	supDestroyScene( scene );
	supDestroyFlesh( plain );
	return farthest;
}

float wishStretch( const supActor* actor )
{
	const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh );
	const supVec3* p = supActor_Positions( actor, 0 );
	float most = 0.0f;
	for ( int32_t i = 0; i < mesh->indexCount; ++i )
	{
		uint32_t a = mesh->indices[i], b = mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
		float rest = supDistance( mesh->positions[a], mesh->positions[b] );
		most = rest > 0.0f ? supMaxFloat( most, supDistance( p[a], p[b] ) / rest ) : most;
	}
	return most;
}

supCharacter* wishDress( const supMesh* mesh, const supMesh* more )
{
	const supCharacter* tube = wishTube();
	supError error = { 0 };
	supNode nodes[8];
	int32_t nodeCount = supCharacter_NodeCount( tube );
	testLess( nodeCount, 7 );
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		nodes[i] = *supCharacter_Node( tube, i );
	}
	nodes[nodeCount] = ( supNode ){ .name = "more", .parent = -1, .rest = supTransform_identity };
	supMesh meshes[2] = { *mesh };
	supInstance instances[2] = { *supCharacter_Instance( tube, 0 ) };
	instances[0].morphWeights = NULL;
	if ( more != NULL )
	{
		meshes[1] = *more;
		instances[1] = ( supInstance ){ .node = nodeCount, .mesh = 1, .skin = 0 };
	}
	supCharacterDef def = supDefaultCharacterDef();
	def.name = "dressed";
	def.nodeCount = nodeCount + ( more != NULL );
	def.nodes = nodes;
	def.skinCount = 1;
	def.skins = supCharacter_Skin( tube, 0 );
	def.meshCount = more != NULL ? 2 : 1;
	def.meshes = meshes;
	def.instanceCount = def.meshCount;
	def.instances = instances;
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}

supActor* wishFold( supScene* scene, float angle, bool touchesItself )
{
	supError error = { 0 };
	supActor* actor = wishAdd( scene, wishTubeFlesh() );
	supContactSettings contact = supActor_GetContact( actor );
	contact.withItself = touchesItself;
	testRequire( supActor_SetContact( actor, &contact, &error ), &error );
	int32_t bone = supCharacter_FindNode( wishTube(), "bone2" );
	supTransform local = supCharacter_Node( wishTube(), bone )->rest;
	supQuat rest = local.rotation;
	for ( int i = 1; i <= 60; ++i )
	{
		float turn = angle * supMinFloat( (float)i / 45.0f, 1.0f );
		local.rotation = supMulQuat( rest, supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), turn ) );
		supPose_SetLocal( supActor_Pose( actor ), bone, local );
		supScene_Step( scene, 1.0f / 60.0f );
		assert_true( wishIsFinite( actor ) );
	}
	return actor;
}

static int Clean( void** state )
{
	(void)state;
	supDestroyFlesh( s_tubeFlesh );
	supDestroyCharacter( s_tube );
	return 0;
}

#define WISH_CASE( name ) cmocka_unit_test( wish##name ),

int main( void )
{
	const struct CMUnitTest wishes[] = { WISH_LIST( WISH_CASE ) };
	const char* only = getenv( "SUPPLE_WISH" );
	cmocka_set_test_filter( only );
	return cmocka_run_group_tests( wishes, NULL, Clean );
}
