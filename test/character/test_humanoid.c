// SPDX-License-Identifier: MIT
// Names of joints of the common skeletons, and what is made of them.
#include "support.h"

#include "character/humanoid.h"

#include <string.h>

static void TestNames( void** state )
{
	(void)state;
	static const struct
	{
		const char* name;
		supNameKind kind;
		int32_t side;
	} cases[] = {
		// CMU
		{ "Hips", sup_nameHips, -1 },
		{ "LHipJoint", sup_nameSideHip, 0 },
		{ "RHipJoint", sup_nameSideHip, 1 },
		{ "LeftUpLeg", sup_nameUpperLeg, 0 },
		{ "RightLeg", sup_nameLeg, 1 },
		{ "LeftToeBase", sup_nameToe, 0 },
		{ "LowerBack", sup_nameSpine, -1 },
		{ "Spine1", sup_nameSpine, -1 },
		{ "Neck1", sup_nameNeck, -1 },
		{ "LeftFingerBase", sup_nameIgnored, 0 },
		{ "LeftHandIndex1", sup_nameIndex, 0 },
		{ "LThumb", sup_nameThumb, 0 },
		{ "LeftForeArm", sup_nameLowerArm, 0 },
		// Mixamo
		{ "mixamorig:LeftArm", sup_nameArm, 0 },
		{ "mixamorig1:RightHandPinky3", sup_nameLittle, 1 },
		{ "mixamorigLeftShoulder", sup_nameShoulder, 0 },
		{ "mixamorig:HeadTop_End", sup_nameIgnored, -1 },
		{ "Armature|mixamorig:LeftToe_End", sup_nameIgnored, 0 },
		// Unreal, Mesh2Motion
		{ "pelvis", sup_nameHips, -1 },
		{ "spine_03", sup_nameSpine, -1 },
		{ "clavicle_l", sup_nameClavicle, 0 },
		{ "upperarm_r", sup_nameUpperArm, 1 },
		{ "lowerarm_l", sup_nameLowerArm, 0 },
		{ "lowerarm_twist_01_l", sup_nameIgnored, 0 },
		{ "thigh_l", sup_nameUpperLeg, 0 },
		{ "calf_r", sup_nameLowerLeg, 1 },
		{ "ball_l", sup_nameToe, 0 },
		{ "index_metacarpal_l", sup_nameIgnored, 0 },
		{ "thumb_04_leaf_l", sup_nameIgnored, 0 },
		{ "ik_foot_root", sup_nameIgnored, -1 },
		{ "root", sup_nameUnknown, -1 },
		// Unity, VRM
		{ "leftUpperArm", sup_nameUpperArm, 0 },
		{ "rightLowerLeg", sup_nameLowerLeg, 1 },
		{ "upperChest", sup_nameSpine, -1 },
		{ "leftThumbMetacarpal", sup_nameThumb, 0 },
		{ "rightLittleProximal", sup_nameLittle, 1 },
		{ "leftEye", sup_nameIgnored, 0 },
		{ "J_Bip_C_Hips", sup_nameHips, -1 },
		{ "J_Bip_L_UpperArm", sup_nameUpperArm, 0 },
		{ "J_Bip_R_ToeBase", sup_nameToe, 1 },
		{ "J_Sec_L_Bust1", sup_nameIgnored, 0 },
		// Rigify
		{ "DEF-upper_arm.L", sup_nameUpperArm, 0 },
		{ "DEF-forearm.R.001", sup_nameLowerArm, 1 },
		{ "shin.L", sup_nameLowerLeg, 0 },
		{ "DEF-f_index.01.L", sup_nameIndex, 0 },
		{ "MCH-shin.L", sup_nameIgnored, 0 },
		{ "DEF-spine.006", sup_nameSpine, -1 },
		// Poser (three.js), Biped
		{ "rShldr", sup_nameShoulder, 1 },
		{ "lCollar", sup_nameClavicle, 0 },
		{ "abdomen", sup_nameSpine, -1 },
		{ "rButtock", sup_nameSideHip, 1 },
		{ "lMid2", sup_nameMiddle, 0 },
		{ "hip", sup_nameHips, -1 },
		{ "Bip01 L Calf", sup_nameLowerLeg, 0 },
		{ "Bip01 R Toe0", sup_nameToe, 1 },
		// CesiumMan, Yeti, RobotExpressive
		{ "Skeleton_arm_joint_L__4_", sup_nameArm, 0 },
		{ "leg_joint_R_5", sup_nameLeg, 1 },
		{ "Skeleton_torso_joint_1", sup_nameSpine, -1 },
		{ "Yeti_LeftElbow", sup_nameLowerArm, 0 },
		{ "Yeti_RightAnkle", sup_nameFoot, 1 },
		{ "Yeti_TailMid", sup_nameIgnored, -1 },
		{ "Palm2.L", sup_namePalm, 0 },
		{ "PoleTarget.L", sup_nameIgnored, 0 },
		// sides without a border
		{ "leftarm", sup_nameArm, 0 },
		{ "rthigh", sup_nameUpperLeg, 1 },
		// nothing
		{ "", sup_nameUnknown, -1 },
		{ ":", sup_nameUnknown, -1 },
		{ "Bone.012", sup_nameUnknown, -1 },
		{ "upperarm", sup_nameUnknown, -1 },
		{ "averylongnamewithoutanyborderthatmeansnothingatallleft", sup_nameUnknown, -1 },
	};
	for ( size_t i = 0; i < sizeof( cases ) / sizeof( cases[0] ); ++i )
	{
		int32_t side;
		supNameKind kind = supClassifyJointName( cases[i].name, &side );
		if ( kind != cases[i].kind || side != cases[i].side )
		{
			fail_msg( "%s: kind %d, side %d", cases[i].name, kind, side );
		}
	}
}

static void TestEqualNames( void** state )
{
	(void)state;
	assert_true( supJointNamesMatch( "mixamorig:LeftArm", "LeftArm" ) );
	assert_true( supJointNamesMatch( "mixamorig1:LeftArm", "mixamorig_LeftArm" ) );
	assert_true( supJointNamesMatch( "Armature|rig:thigh.L", "Thigh_L" ) );
	assert_true( supJointNamesMatch( "Left Arm", "leftarm" ) );
	assert_false( supJointNamesMatch( "LeftArm", "LeftArm1" ) );
	assert_false( supJointNamesMatch( "LeftArm1", "LeftArm" ) );
	assert_false( supJointNamesMatch( "LeftArm", "RightArm" ) );
}

// "name>parent" lines; the parent is the last one before it of that name.
static supCharacter* Build( const char* lines )
{
	static char names[128][64];
	supNode nodes[128];
	int32_t count = 0;
	for ( const char* p = lines; *p != 0; )
	{
		char parent[64] = "";
		int used;
		int found = sscanf( p, "%63[^>\n]>%63[^\n]%n", names[count], parent, &used );
		nodes[count] = ( supNode ){ .name = names[count], .parent = -1, .rest = supTransform_identity };
		for ( int32_t i = 0; i < count && found == 2; ++i )
		{
			nodes[count].parent = strcmp( names[i], parent ) == 0 ? i : nodes[count].parent;
		}
		++count;
		p = strchr( p, '\n' ) + 1;
	}
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = count;
	def.nodes = nodes;
	supError error;
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}

static const char* Name( const supCharacter* character, int32_t node )
{
	return node >= 0 ? supCharacter_Node( character, node )->name : "-";
}

typedef struct Expected
{
	const char* hips;
	const char* spine; // joined with blanks
	const char* neck;
	const char* head;
	// of the left side: shoulder, upper and lower arm, hand, upper and lower leg, foot, toe, first thumb, third index
	const char* left[10];
} Expected;

static void Check( const char* lines, const Expected* expected )
{
	static const supBodyPart parts[] = { sup_partShoulder, sup_partUpperArm, sup_partLowerArm, sup_partHand,
										 sup_partUpperLeg, sup_partLowerLeg, sup_partFoot,     sup_partToe,
										 sup_partThumb1,   sup_partIndex3 };
	supCharacter* character = Build( lines );
	supHumanoid body;
	assert_true( supRecognizeHumanoid( character, &body ) );
	assert_string_equal( Name( character, body.hips ), expected->hips );
	assert_string_equal( Name( character, body.head ), expected->head );
	char joined[256] = "";
	for ( int32_t i = 0; i < body.spineCount; ++i )
	{
		strcat( strcat( joined, i > 0 ? " " : "" ), Name( character, body.spine[i] ) );
	}
	assert_string_equal( joined, expected->spine );
	joined[0] = 0;
	for ( int32_t i = 0; i < body.neckCount; ++i )
	{
		strcat( strcat( joined, i > 0 ? " " : "" ), Name( character, body.neck[i] ) );
	}
	assert_string_equal( joined, expected->neck );
	for ( int i = 0; i < 10; ++i )
	{
		assert_string_equal( Name( character, body.limb[0][parts[i]] ), expected->left[i] );
	}
	supDestroyCharacter( character );
}

static void TestSkeletons( void** state )
{
	(void)state;
	// CMU: stubs above the legs, several necks, one finger
	Check( "Hips\nLHipJoint>Hips\nLeftUpLeg>LHipJoint\nLeftLeg>LeftUpLeg\nLeftFoot>LeftLeg\nLeftToeBase>LeftFoot\n"
		   "RHipJoint>Hips\nRightUpLeg>RHipJoint\nRightLeg>RightUpLeg\nRightFoot>RightLeg\n"
		   "LowerBack>Hips\nSpine>LowerBack\nSpine1>Spine\nNeck>Spine1\nNeck1>Neck\nHead>Neck1\n"
		   "LeftShoulder>Spine1\nLeftArm>LeftShoulder\nLeftForeArm>LeftArm\nLeftHand>LeftForeArm\n"
		   "LeftFingerBase>LeftHand\nLeftHandIndex1>LeftFingerBase\nLThumb>LeftHand\n"
		   "RightShoulder>Spine1\nRightArm>RightShoulder\nRightForeArm>RightArm\nRightHand>RightForeArm\n",
		   &( Expected ){ "Hips",
						  "LowerBack Spine Spine1",
						  "Neck Neck1",
						  "Head",
						  { "LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand", "LeftUpLeg", "LeftLeg", "LeftFoot",
							"LeftToeBase", "LThumb", "-" } } );
	// Unreal with a root and twist bones
	Check( "root\npelvis>root\nspine_01>pelvis\nspine_02>spine_01\nneck_01>spine_02\nhead>neck_01\n"
		   "clavicle_l>spine_02\nupperarm_l>clavicle_l\nupperarm_twist_01_l>upperarm_l\nlowerarm_l>upperarm_l\n"
		   "hand_l>lowerarm_l\nindex_01_l>hand_l\nindex_02_l>index_01_l\nindex_03_l>index_02_l\nthumb_01_l>hand_l\n"
		   "clavicle_r>spine_02\nupperarm_r>clavicle_r\nlowerarm_r>upperarm_r\nhand_r>lowerarm_r\n"
		   "thigh_l>pelvis\ncalf_l>thigh_l\nfoot_l>calf_l\nball_l>foot_l\nthigh_r>pelvis\ncalf_r>thigh_r\n"
		   "ik_foot_l>root\n",
		   &( Expected ){ "pelvis",
						  "spine_01 spine_02",
						  "neck_01",
						  "head",
						  { "clavicle_l", "upperarm_l", "lowerarm_l", "hand_l", "thigh_l", "calf_l", "foot_l", "ball_l",
							"thumb_01_l", "index_03_l" } } );
	// Rigify: no hips, no neck and no head by name
	Check( "DEF-spine\nDEF-spine.001>DEF-spine\nDEF-spine.002>DEF-spine.001\nDEF-spine.003>DEF-spine.002\n"
		   "DEF-spine.004>DEF-spine.003\nDEF-spine.005>DEF-spine.004\nDEF-spine.006>DEF-spine.005\n"
		   "DEF-shoulder.L>DEF-spine.003\nDEF-upper_arm.L>DEF-shoulder.L\nDEF-upper_arm.L.001>DEF-upper_arm.L\n"
		   "DEF-forearm.L>DEF-upper_arm.L.001\nDEF-forearm.L.001>DEF-forearm.L\nDEF-hand.L>DEF-forearm.L.001\n"
		   "DEF-f_index.01.L>DEF-hand.L\nDEF-f_index.02.L>DEF-f_index.01.L\nDEF-f_index.03.L>DEF-f_index.02.L\n"
		   "DEF-thumb.01.L>DEF-hand.L\n"
		   "DEF-shoulder.R>DEF-spine.003\nDEF-upper_arm.R>DEF-shoulder.R\nDEF-forearm.R>DEF-upper_arm.R\n"
		   "DEF-thigh.L>DEF-spine\nDEF-thigh.L.001>DEF-thigh.L\nDEF-shin.L>DEF-thigh.L.001\nDEF-foot.L>DEF-shin.L\n"
		   "DEF-toe.L>DEF-foot.L\nDEF-thigh.R>DEF-spine\nDEF-shin.R>DEF-thigh.R\n",
		   &( Expected ){ "DEF-spine",
						  "DEF-spine.001 DEF-spine.002 DEF-spine.003",
						  "DEF-spine.004 DEF-spine.005",
						  "DEF-spine.006",
						  { "DEF-shoulder.L", "DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L", "DEF-thigh.L",
							"DEF-shin.L", "DEF-foot.L", "DEF-toe.L", "DEF-thumb.01.L", "DEF-f_index.03.L" } } );
	// Poser: the shoulder is the upper arm
	Check( "hip\nabdomen>hip\nchest>abdomen\nneck>chest\nhead>neck\nleftEye>head\nlCollar>chest\nlShldr>lCollar\n"
		   "lForeArm>lShldr\nlHand>lForeArm\nlThumb1>lHand\nrCollar>chest\nrShldr>rCollar\nrForeArm>rShldr\n"
		   "lButtock>hip\nlThigh>lButtock\nlShin>lThigh\nlFoot>lShin\nrButtock>hip\nrThigh>rButtock\nrShin>rThigh\n",
		   &( Expected ){
			   "hip",
			   "abdomen chest",
			   "neck",
			   "head",
			   { "lCollar", "lShldr", "lForeArm", "lHand", "lThigh", "lShin", "lFoot", "-", "lThumb1", "-" } } );
	// old motion capture: hip, knee, ankle; shoulder, elbow, wrist
	Check( "Hips\nLeftHip>Hips\nLeftKnee>LeftHip\nLeftAnkle>LeftKnee\nRightHip>Hips\nRightKnee>RightHip\nChest>Hips\n"
		   "Neck>Chest\nHead>Neck\nLeftCollar>Chest\nLeftShoulder>LeftCollar\nLeftElbow>LeftShoulder\n"
		   "LeftWrist>LeftElbow\nRightCollar>Chest\nRightShoulder>RightCollar\nRightElbow>RightShoulder\n",
		   &( Expected ){ "Hips",
						  "Chest",
						  "Neck",
						  "Head",
						  { "LeftCollar", "LeftShoulder", "LeftElbow", "LeftWrist", "LeftHip", "LeftKnee", "LeftAnkle",
							"-", "-", "-" } } );
	// numbered joints
	Check( "torso_joint_1\ntorso_joint_2>torso_joint_1\ntorso_joint_3>torso_joint_2\nneck_joint_1>torso_joint_3\n"
		   "neck_joint_2>neck_joint_1\narm_joint_L__4_>torso_joint_3\narm_joint_L__3_>arm_joint_L__4_\n"
		   "arm_joint_L__2_>arm_joint_L__3_\narm_joint_R>torso_joint_3\narm_joint_R__2_>arm_joint_R\n"
		   "arm_joint_R__3_>arm_joint_R__2_\nleg_joint_L_1>torso_joint_1\nleg_joint_L_2>leg_joint_L_1\n"
		   "leg_joint_L_3>leg_joint_L_2\nleg_joint_L_5>leg_joint_L_3\nleg_joint_R_1>torso_joint_1\n"
		   "leg_joint_R_2>leg_joint_R_1\n",
		   &( Expected ){ "torso_joint_1",
						  "torso_joint_2 torso_joint_3",
						  "neck_joint_1",
						  "neck_joint_2",
						  { "-", "arm_joint_L__4_", "arm_joint_L__3_", "arm_joint_L__2_", "leg_joint_L_1",
							"leg_joint_L_2", "leg_joint_L_3", "leg_joint_L_5", "-", "-" } } );
	// the joint called hips does not carry the legs
	Check( "Bone\nBody>Bone\nHips>Body\nAbdomen>Hips\nNeck>Abdomen\nHead>Neck\nUpperArm.L>Abdomen\n"
		   "LowerArm.L>UpperArm.L\nPalm1.L>LowerArm.L\nUpperArm.R>Abdomen\nLowerArm.R>UpperArm.R\nUpperLeg.L>Body\n"
		   "LowerLeg.L>UpperLeg.L\nUpperLeg.R>Body\nLowerLeg.R>UpperLeg.R\nFoot.L>Bone\n",
		   &( Expected ){
			   "Body",
			   "Hips Abdomen",
			   "Neck",
			   "Head",
			   { "-", "UpperArm.L", "LowerArm.L", "Palm1.L", "UpperLeg.L", "LowerLeg.L", "-", "-", "-", "-" } } );
}

static void TestLooseFoot( void** state )
{
	(void)state;
	supCharacter* robot = Build( "Bone\nHips>Bone\nUpperLeg.L>Hips\nLowerLeg.L>UpperLeg.L\nUpperLeg.R>Hips\n"
								 "LowerLeg.R>UpperLeg.R\nFoot.R>LowerLeg.R\nFoot.L>Bone\n" );
	supHumanoid body;
	assert_true( supRecognizeHumanoid( robot, &body ) );
	assert_string_equal( Name( robot, body.limb[0][sup_partLooseFoot] ), "Foot.L" );
	assert_int_equal( body.limb[0][sup_partFoot], -1 );
	assert_int_equal( body.limb[1][sup_partLooseFoot], -1 );
	assert_string_equal( Name( robot, body.limb[1][sup_partFoot] ), "Foot.R" );
	supDestroyCharacter( robot );
}

static void TestNobody( void** state )
{
	(void)state;
	supHumanoid body;
	supCharacter* box = Build( "root\nlid>root\nhinge>lid\n" );
	assert_false( supRecognizeHumanoid( box, &body ) );
	supDestroyCharacter( box );
	// a lower arm that is not below the upper one is none
	supCharacter* torn = Build( "hips\nupperarm_l>hips\nlowerarm_l>hips\nthigh_l>hips\nshin_r>hips\n" );
	assert_false( supRecognizeHumanoid( torn, &body ) );
	supDestroyCharacter( torn );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestNames ),     cmocka_unit_test( TestEqualNames ), cmocka_unit_test( TestSkeletons ),
		cmocka_unit_test( TestLooseFoot ), cmocka_unit_test( TestNobody ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
