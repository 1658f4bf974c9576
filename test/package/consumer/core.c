// SPDX-License-Identifier: MIT
// A program that needs only the core: no files, no libraries but C's.
#include <supple/base.h>
#include <supple/character.h>
#include <supple/math.h>

#include <stdio.h>

int main( void )
{
	supVersion version = supGetVersion();
	if ( version.major != SUP_VERSION_MAJOR || version.minor != SUP_VERSION_MINOR )
	{
		printf( "headers and library disagree\n" );
		return 1;
	}
	supNode nodes[2] = { { .name = "root", .parent = -1, .rest = supTransform_identity },
						 { .name = "tip", .parent = 0, .rest = supTransform_identity } };
	nodes[1].rest.translation = supMakeVec3( 0.0f, 1.0f, 0.0f );
	supCharacterDef def = supDefaultCharacterDef();
	def.nodes = nodes;
	def.nodeCount = 2;
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	if ( character == NULL )
	{
		printf( "%s\n", error.message );
		return 1;
	}
	supPose* pose = supCreatePose( character );
	supTransform turned = supTransform_identity;
	turned.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), 0.5f * SUP_PI );
	supPose_SetLocal( pose, 0, turned );
	supVec3 tip = supPose_Worlds( pose )[1].t;
	bool ok = supDistance( tip, supMakeVec3( -1.0f, 0.0f, 0.0f ) ) < 1e-6f;
	printf( "tip (%g, %g, %g)\n", tip.x, tip.y, tip.z );
	supDestroyPose( pose );
	supDestroyCharacter( character );
	return ok ? 0 : 1;
}
