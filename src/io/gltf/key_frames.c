// SPDX-License-Identifier: MIT
// Greedy: from each key the segment grows frame by frame as long as all frames inside it are reproduced. Frames come
// from disk once, in order; a ring holds those that the segment spans.
#include "io/gltf/key_frames.h"

#include <float.h>
#include <math.h>

// The longest segment. A test of a segment costs its length, so that this bounds the cost per frame.
#define MOST_SPAN 64
// What the ring may take where frames are large; it always has room for a segment of two.
#define RING_BYTES ( (size_t)128 << 20 )

typedef struct supKeyChooser
{
	const supFrames* frames;
	const int32_t* instances;
	int32_t instanceCount;
	float tolerance;
	// vertices of all listed instances together
	size_t vertexCount;
	int32_t span;
	// span + 1 frames, frame f at f modulo that
	supVec3* ring;
	int32_t loadedCount;
	// the largest coordinate so far, which says how large rounding is
	float reach;
	supError* error;
} supKeyChooser;

float supFrameTime( const supFrames* frames, int32_t frame )
{
	return frames->start + (float)frame / frames->framesPerSecond;
}

static const supMesh* MeshOf( const supFrames* frames, int32_t instance )
{
	return supCharacter_Mesh( frames->character, supCharacter_Instance( frames->character, instance )->mesh );
}

static supVec3* RingFrame( const supKeyChooser* chooser, int32_t frame )
{
	return chooser->ring + (size_t)( frame % ( chooser->span + 1 ) ) * chooser->vertexCount;
}

static bool LoadUpTo( supKeyChooser* chooser, int32_t last )
{
	const supFrames* frames = chooser->frames;
	for ( ; chooser->loadedCount <= last; ++chooser->loadedCount )
	{
		supVec3* positions = RingFrame( chooser, chooser->loadedCount );
		for ( int32_t i = 0; i < chooser->instanceCount; ++i )
		{
			int32_t instance = chooser->instances[i];
			if ( frames->read( chooser->loadedCount, instance, positions, NULL, frames->context, chooser->error ) ==
				 false )
			{
				return false;
			}
			positions += MeshOf( frames, instance )->vertexCount;
		}
		const supVec3* all = RingFrame( chooser, chooser->loadedCount );
		for ( size_t i = 0; i < chooser->vertexCount; ++i )
		{
			float x = fabsf( all[i].x );
			float y = fabsf( all[i].y );
			float z = fabsf( all[i].z );
			chooser->reach = supMaxFloat( chooser->reach, supMaxFloat( x, supMaxFloat( y, z ) ) );
		}
	}
	return true;
}

// Whether the line between frames `from` and `to` passes `frame` closely enough.
static bool IsReproduced( const supKeyChooser* chooser, int32_t from, int32_t frame, int32_t to )
{
	const supVec3* a = RingFrame( chooser, from );
	const supVec3* p = RingFrame( chooser, frame );
	const supVec3* b = RingFrame( chooser, to );
	// from the times as they are written: far from zero they are not quite evenly spaced
	float start = supFrameTime( chooser->frames, from );
	float s = ( supFrameTime( chooser->frames, frame ) - start ) / ( supFrameTime( chooser->frames, to ) - start );
	// a reader adds two offsets to the base: each of the few operations is off by half a unit in the last place
	float bound = supMaxFloat( chooser->tolerance - 8.0f * FLT_EPSILON * chooser->reach, 0.0f );
	for ( size_t i = 0; i < chooser->vertexCount; ++i )
	{
		supVec3 onLine = supMulAdd( a[i], s, supSub( b[i], a[i] ) );
		if ( !( supLengthSquared( supSub( onLine, p[i] ) ) <= bound * bound ) )
		{
			return false;
		}
	}
	return true;
}

// The farthest frame that a segment from `from` reaches; -1 with an error.
static int32_t ExtendSegment( supKeyChooser* chooser, int32_t from )
{
	int32_t last = chooser->frames->frameCount - 1;
	int32_t reached = from + 1;
	for ( int32_t to = from + 2; to <= last && to - from <= chooser->span; ++to )
	{
		if ( LoadUpTo( chooser, to ) == false )
		{
			return -1;
		}
		// frames in the middle are the farthest from the line as a rule, and a test fails faster there
		int32_t middle = ( from + to ) / 2;
		bool ok = IsReproduced( chooser, from, middle, to );
		for ( int32_t frame = from + 1; frame < to && ok; ++frame )
		{
			ok = frame == middle || IsReproduced( chooser, from, frame, to );
		}
		if ( ok == false )
		{
			break;
		}
		reached = to;
	}
	return reached;
}

static bool ChooseAll( supKeyChooser* chooser, int32_t* keys, int32_t* keyCount )
{
	int32_t frameCount = chooser->frames->frameCount;
	int32_t key = 0;
	keys[0] = 0;
	*keyCount = 1;
	bool ok = LoadUpTo( chooser, frameCount > 1 ? 1 : 0 );
	while ( ok && key < frameCount - 1 )
	{
		key = ExtendSegment( chooser, key );
		ok = key > 0;
		keys[*keyCount] = key;
		*keyCount += ok ? 1 : 0;
	}
	return ok;
}

bool supChooseKeyFrames( const supFrames* frames, const int32_t* instances, int32_t instanceCount, float tolerance,
						 int32_t* keys, int32_t* keyCount, supError* error )
{
	SUP_ASSERT( frames->frameCount > 0 && tolerance >= 0.0f );
	supKeyChooser chooser = {
		.frames = frames, .instances = instances, .instanceCount = instanceCount, .tolerance = tolerance, .error = error
	};
	for ( int32_t i = 0; i < instanceCount; ++i )
	{
		chooser.vertexCount += (size_t)MeshOf( frames, instances[i] )->vertexCount;
	}
	size_t fits = RING_BYTES / ( ( chooser.vertexCount + 1 ) * sizeof( supVec3 ) );
	chooser.span = fits < 3 ? 2 : fits > MOST_SPAN ? MOST_SPAN : (int32_t)fits - 1;
	chooser.ring = supAllocArray( (size_t)( chooser.span + 1 ) * chooser.vertexCount, sizeof( supVec3 ) );
	if ( chooser.ring == NULL )
	{
		return supSetMemoryError( error );
	}
	bool ok = ChooseAll( &chooser, keys, keyCount );
	supFree( chooser.ring );
	return ok;
}
