// SPDX-License-Identifier: MIT
// The core from C++: headers compile, names link.
#include <supple/character.h>

int main()
{
	supQuat q = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), SUP_PI );
	supVec3 v = supRotate( q, supMakeVec3( 1.0f, 0.0f, 0.0f ) );
	supThreadPool* pool = supCreateThreadPool( 2 );
	bool ok =
		supDistance( v, supMakeVec3( -1.0f, 0.0f, 0.0f ) ) < 1e-6f && supThreadPool_Tasks( pool )->workerCount == 2;
	supDestroyThreadPool( pool );
	return ok ? 0 : 1;
}
