// SPDX-License-Identifier: MIT
#include "bake/loop.h"

#include "core/core.h"

#include <math.h>

// Shares of the size. Ends that are this near are the same pose; ends that are farther apart are those of a cycle as
// long as a few frames would reach from one to the other (files that leave out the first key or the last) or within
// MOST_GAP.
#define SAME_POSE 1e-3f
#define MOST_GAP 0.02f
#define STEP_RATIO 2.5f

// Seconds before the first key that may be one frame left out rather than a pause.
#define MOST_LEAD_S 0.1f

int32_t supRetimeLoop( float seconds, float* framesPerSecond )
{
	float count = floorf( seconds * *framesPerSecond + 0.5f );
	if ( !( seconds > 0.0f ) || count < 1.0f )
	{
		return 1;
	}
	*framesPerSecond = count / seconds;
	return (int32_t)count;
}

supTransform supMulPlace( supTransform a, supTransform b )
{
	return ( supTransform ){ .translation = supAdd( a.translation, supRotate( a.rotation, b.translation ) ),
							 .rotation = supNormalizeQuat( supMulQuat( a.rotation, b.rotation ) ),
							 .scale = { 1.0f, 1.0f, 1.0f } };
}

supTransform supInvertPlace( supTransform a )
{
	supQuat back = supConjugate( a.rotation );
	return ( supTransform ){ .translation = supNeg( supRotate( back, a.translation ) ),
							 .rotation = back,
							 .scale = { 1.0f, 1.0f, 1.0f } };
}

void supMovePlace( supTransform place, supVec3* positions, supVec3* normals, int64_t count )
{
	for ( int64_t i = 0; i < count && positions != NULL; ++i )
	{
		positions[i] = supAdd( place.translation, supRotate( place.rotation, positions[i] ) );
	}
	for ( int64_t i = 0; i < count && normals != NULL; ++i )
	{
		normals[i] = supRotate( place.rotation, normals[i] );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Both ends of a clip

typedef struct Ends
{
	const supCharacter* character;
	supPose* first;
	supPose* last;
	supPose* second;
	supPose* before; // one frame before the last
	supVec3* points[4];
} Ends;

static bool OpenEnds( Ends* ends, const supBakeDef* def )
{
	int32_t most = 1;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( ends->character ); ++i )
	{
		int32_t mesh = supCharacter_Instance( ends->character, i )->mesh;
		int32_t count = supCharacter_Mesh( ends->character, mesh )->vertexCount;
		most = count > most ? count : most;
	}
	supPose** poses[4] = { &ends->first, &ends->last, &ends->second, &ends->before };
	float dt = 1.0f / def->framesPerSecond;
	float times[4] = { def->from, def->to, supMinFloat( def->from + dt, def->to ),
					   supMaxFloat( def->from, def->to - dt ) };
	bool ok = true;
	for ( int k = 0; k < 4; ++k )
	{
		*poses[k] = supCreatePose( ends->character );
		ends->points[k] = supAllocArray( (size_t)most, sizeof( supVec3 ) );
		ok = ok && *poses[k] != NULL && ends->points[k] != NULL;
		if ( ok && def->clip != NULL )
		{
			supPose_ApplyClip( *poses[k], def->clip, times[k] );
		}
	}
	return ok;
}

static void CloseEnds( Ends* ends )
{
	supDestroyPose( ends->first );
	supDestroyPose( ends->last );
	supDestroyPose( ends->second );
	supDestroyPose( ends->before );
	for ( int k = 0; k < 4; ++k )
	{
		supFree( ends->points[k] );
	}
}

// The topmost joint; without a skin the first node that has a mesh.
static int32_t FindRoot( const supCharacter* character )
{
	int32_t node = supCharacter_SkinCount( character ) > 0 ? supCharacter_Skin( character, 0 )->joints[0]
														   : supCharacter_Instance( character, 0 )->node;
	int32_t root = node;
	for ( ; node >= 0; node = supCharacter_Node( character, node )->parent )
	{
		root = supCharacter_IsJoint( character, node ) ? node : root;
	}
	return root;
}

// The turn about +Y and the shift that take the root from the first pose to the last.
static supTransform FindTravel( const Ends* ends )
{
	int32_t root = FindRoot( ends->character );
	supMat34 a = supPose_Worlds( ends->first )[root], b = supPose_Worlds( ends->last )[root], inverse;
	supTransform travel = supTransform_identity;
	if ( supInvertMat34( a, &inverse ) == false )
	{
		return travel;
	}
	supMat34 d = supMulMat34( b, inverse );
	// cosine and sine of the turn, times what is left of them under a tilt
	float c = d.cx.x + d.cz.z, s = d.cz.x - d.cx.z, length = sqrtf( c * c + s * s );
	if ( length > 0.0f )
	{
		c /= length;
		travel.rotation.w = sqrtf( supMaxFloat( 0.5f * ( 1.0f + c ), 0.0f ) );
		travel.rotation.y = ( s < 0.0f ? -1.0f : 1.0f ) * sqrtf( supMaxFloat( 0.5f * ( 1.0f - c ), 0.0f ) );
	}
	travel.translation = supSub( b.t, supRotate( travel.rotation, a.t ) );
	return travel;
}

typedef struct Gaps
{
	float still; // both ends, as they are
	float moved; // with the first one carried by the travel
	float step;  // the way of the first frame or of the last, to compare with
	float size;
} Gaps;

static Gaps MeasureGaps( Ends* ends, supTransform travel, const supTasks* tasks )
{
	Gaps gaps = { 0 };
	supBox box = supBox_empty;
	supPose* poses[4] = { ends->first, ends->last, ends->second, ends->before };
	for ( int32_t i = 0; i < supCharacter_InstanceCount( ends->character ); ++i )
	{
		for ( int k = 0; k < 4; ++k )
		{
			supSkinInstance( poses[k], i, sup_skinningLinear, tasks,
							 &( supSkinOutput ){ .positions = ends->points[k] } );
		}
		int32_t mesh = supCharacter_Instance( ends->character, i )->mesh;
		for ( int32_t v = 0; v < supCharacter_Mesh( ends->character, mesh )->vertexCount; ++v )
		{
			supVec3 first = ends->points[0][v], last = ends->points[1][v];
			supVec3 carried = supAdd( travel.translation, supRotate( travel.rotation, first ) );
			box = supBox_Include( box, first );
			gaps.still = supMaxFloat( gaps.still, supDistance( first, last ) );
			gaps.moved = supMaxFloat( gaps.moved, supDistance( carried, last ) );
			gaps.step = supMaxFloat( gaps.step, supDistance( first, ends->points[2][v] ) );
			gaps.step = supMaxFloat( gaps.step, supDistance( last, ends->points[3][v] ) );
		}
	}
	supVec3 size = supBox_Size( box );
	gaps.size = supMaxFloat( supMaxFloat( size.x, size.y ), size.z );
	return gaps;
}

// Keys of all frames but the one at 0, which is the last one again: the pose goes from there to the first key.
static void FindLead( const supBakeDef* def, supLoop* loop )
{
	const supClip* clip = def->clip;
	bool isWhole = clip != NULL && def->from == clip->start && def->to == clip->end;
	bool differs = loop->clipGap > SAME_POSE * loop->size;
	if ( loop->closes && loop->travels == false && isWhole && differs && clip->start > 0.0f &&
		 clip->start <= supMinFloat( MOST_LEAD_S, 0.5f * ( clip->end - clip->start ) ) )
	{
		loop->lead = clip->start;
		loop->clipGap = 0.0f;
	}
}

void supLoop_SetPose( const supLoop* loop, const supBakeDef* def, float time, supPose* pose, supPose* scratch )
{
	supPose_SetRest( pose );
	if ( def->clip == NULL )
	{
		return;
	}
	supPose_ApplyClip( pose, def->clip, time );
	if ( loop->lead > 0.0f && time < loop->lead )
	{
		supPose_SetRest( scratch );
		supPose_ApplyClip( scratch, def->clip, def->to );
		supPose_Blend( pose, scratch, 1.0f - time / loop->lead, NULL );
	}
}

bool supFindLoop( const supCharacter* character, const supBakeDef* def, supLoop* loop, supError* error )
{
	*loop = ( supLoop ){ .travel = supTransform_identity };
	if ( supCharacter_InstanceCount( character ) == 0 )
	{
		return true;
	}
	Ends ends = { .character = character };
	bool ok = OpenEnds( &ends, def );
	if ( ok )
	{
		supTransform travel = FindTravel( &ends );
		Gaps gaps = MeasureGaps( &ends, travel, def->tasks );
		float near = supMaxFloat( MOST_GAP * gaps.size, STEP_RATIO * gaps.step );
		loop->travels = gaps.still > SAME_POSE * gaps.size && gaps.moved <= near && gaps.moved < 0.5f * gaps.still;
		loop->travel = loop->travels ? travel : loop->travel;
		loop->clipGap = loop->travels ? gaps.moved : gaps.still;
		loop->closes = loop->clipGap <= near;
		loop->size = gaps.size;
		FindLead( def, loop );
	}
	CloseEnds( &ends );
	return ok ? true : supSetMemoryError( error );
}
