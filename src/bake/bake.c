// SPDX-License-Identifier: MIT
// Simulates a clip frame by frame into a work file. A run reads as: open or resume, settle, record.
#include "bake/bake.h"

#include "character/character.h"
#include "core/clock.h"
#include "core/hash.h"
#include "method/method.h"
#include "supple/scene.h"

#define BAKE_COOKIE 0x42616B65
#define MOST_FRAMES 1000000
// lightly damped flesh takes its time: at a loss of a quarter of the swing per cycle, 24 leave a thousandth
#define MOST_WARMUP_CYCLES 24
// of the size: cycles that end within this of where they began are alike
#define MAX_CYCLE_GAP_RATIO 1e-4f

// A state is written after this many frames: what a killed bake loses at most.
#define FRAMES_PER_STATE 16

// Changes where frames of a loop mean something else than in an older work file.
#define LOOP_LAYOUT 2

supBakeDef supDefaultBakeDef( void )
{
	return ( supBakeDef ){ .framesPerSecond = 30.0f, .to = -1.0f, .cookie = BAKE_COOKIE };
}

// ---------------------------------------------------------------------------------------------------------------------
// What the frames depend on

static uint64_t HashClip( uint64_t hash, const supClip* clip )
{
	hash = supHashString( hash, clip->name );
	for ( int32_t i = 0; i < clip->channelCount; ++i )
	{
		const supChannel* c = clip->channels + i;
		int32_t head[5] = { c->node, (int32_t)c->path, (int32_t)c->interpolation, c->keyCount, c->width };
		size_t values = (size_t)c->keyCount * (size_t)c->width;
		values *= c->interpolation == sup_interpolationCubicSpline ? 3 : 1;
		hash = supHashBytes( hash, head, sizeof( head ) );
		hash = supHashBytes( hash, c->times, (size_t)c->keyCount * sizeof( float ) );
		hash = supHashBytes( hash, c->values, values * sizeof( float ) );
	}
	return hash;
}

static uint64_t HashInput( const supFlesh* flesh, const supBakeDef* def )
{
	supVersion version = supGetVersion();
	uint64_t character = supCharacter_Hash( supFlesh_Character( flesh ) );
	float numbers[4] = { def->framesPerSecond, def->from, def->to, def->preroll };
	int32_t integers[4] = { def->substeps, def->loop ? LOOP_LAYOUT : 0, def->clip != NULL, def->additive };
	uint64_t hash = supHashBytes( SUP_HASH_SEED, &version, sizeof( version ) );
	hash = supHashBytes( hash, &character, sizeof( character ) );
	hash = supHashBytes( hash, &flesh->hash, sizeof( flesh->hash ) );
	hash = supHashBytes( hash, numbers, sizeof( numbers ) );
	hash = supHashBytes( hash, integers, sizeof( integers ) );
	return def->clip != NULL ? HashClip( hash, def->clip ) : hash;
}

// ---------------------------------------------------------------------------------------------------------------------
// A run

typedef struct Run
{
	supBake* bake;
	const supBakeDef* def;
	supScene* scene;
	supActor* actor;
	supPose* scratch;
	supVec3* data;      // positions, then normals, of one frame
	supVec3* first;     // positions at the beginning of a cycle, as in the file
	supTransform place; // of the cycle that is being played
	void* state;
	supTrouble earlier; // counted before a resume
	supVec3 origin;     // of the scene
	supLooksMeter* meter;
	const supVec3** surfaces; // scratch: of each instance, within data
	supError* error;
} Run;

static float FrameTime( const supBakeDef* def, int32_t frame )
{
	return def->from + (float)frame / def->framesPerSecond;
}

static void Carry( supPose* pose, supTransform place )
{
	const supCharacter* character = supPose_Character( pose );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		if ( supCharacter_Node( character, i )->parent < 0 )
		{
			supTransform local = supPose_GetLocal( pose, i );
			local.translation = supAdd( place.translation, supRotate( place.rotation, local.translation ) );
			local.rotation = supMulQuat( place.rotation, local.rotation );
			supPose_SetLocal( pose, i, local );
		}
	}
}

// As the clip has it at a frame.
static void SetClipPose( Run* run, int32_t frame )
{
	supLoop_SetPose( &run->bake->loop, run->def, FrameTime( run->def, frame ), supActor_Pose( run->actor ),
					 run->scratch );
}

// The same where the cycle is by now. Frames count on after the last one of a cycle.
static void SetPose( Run* run, int32_t frame )
{
	const supLoop* loop = &run->bake->loop;
	int32_t count = run->bake->report.wantedFrameCount;
	bool isNext = loop->closes && frame >= count;
	SetClipPose( run, isNext ? frame - count : frame );
	if ( loop->travels )
	{
		Carry( supActor_Pose( run->actor ), isNext ? supMulPlace( run->place, loop->travel ) : run->place );
	}
}

static void Move( supVec3* positions, int64_t count, supVec3 by )
{
	for ( int64_t i = 0; i < count; ++i )
	{
		positions[i] = supAdd( positions[i], by );
	}
}

// In the space of the scene.
static void CopyScene( const Run* run, supVec3* positions, supVec3* normals )
{
	const supBake* bake = run->bake;
	for ( int32_t i = 0; i < bake->instanceCount; ++i )
	{
		int64_t first = bake->firstVertex[i];
		size_t size = (size_t)( bake->firstVertex[i + 1] - first ) * sizeof( supVec3 );
		memcpy( positions + first, supActor_Positions( run->actor, i ), size );
		if ( normals != NULL )
		{
			memcpy( normals + first, supActor_Normals( run->actor, i ), size );
		}
	}
}

// As the file has them: in the world, where the clip is at `frame` in its first cycle.
static void CopySurface( const Run* run, int32_t frame, supVec3* positions, supVec3* normals )
{
	const supLoop* loop = &run->bake->loop;
	int64_t count = run->bake->firstVertex[run->bake->instanceCount];
	CopyScene( run, positions, normals );
	Move( positions, count, run->origin );
	if ( loop->travels )
	{
		bool isNext = frame >= run->bake->report.wantedFrameCount;
		supTransform place = isNext ? supMulPlace( run->place, loop->travel ) : run->place;
		supMovePlace( supInvertPlace( place ), positions, normals, count );
	}
}

static float LargestDistance( const supVec3* a, const supVec3* b, int64_t count )
{
	float largest = 0.0f;
	for ( int64_t k = 0; k < count; ++k )
	{
		largest = supMaxFloat( largest, supDistance( a[k], b[k] ) );
	}
	return largest;
}

// Plays whole cycles until flesh moves in cycles as well.
static void WarmUp( Run* run )
{
	supBake* bake = run->bake;
	int64_t count = bake->firstVertex[bake->instanceCount];
	int32_t frameCount = bake->report.wantedFrameCount;
	CopySurface( run, 0, run->first, NULL );
	for ( bool moving = true; moving && bake->report.warmupCycles < MOST_WARMUP_CYCLES; )
	{
		for ( int32_t frame = 1; frame <= frameCount; ++frame )
		{
			SetPose( run, frame );
			supScene_Step( run->scene, 1.0f / run->def->framesPerSecond );
		}
		CopySurface( run, frameCount, run->data, NULL );
		moving = LargestDistance( run->first, run->data, count ) > MAX_CYCLE_GAP_RATIO * bake->loop.size;
		memcpy( run->first, run->data, (size_t)count * sizeof( supVec3 ) );
		run->place = supMulPlace( run->place, bake->loop.travel );
		bake->report.warmupCycles += 1;
	}
}

// From rest in the first pose; where asked for, until the flesh has settled or moves in cycles.
static void Settle( Run* run )
{
	const supBakeDef* def = run->def;
	float dt = 1.0f / def->framesPerSecond;
	SetPose( run, 0 );
	supActor_Reset( run->actor );
	for ( float t = 0.0f; t < def->preroll; t += dt )
	{
		supScene_Step( run->scene, dt );
	}
	if ( run->bake->loop.closes && run->bake->report.wantedFrameCount > 1 )
	{
		WarmUp( run );
	}
}

static supBakeFrame StepFrame( Run* run, int32_t frame )
{
	supPhaseTimes before = supScene_GetStats( run->scene ).milliseconds;
	supBakeFrame info = { .time = FrameTime( run->def, frame ) };
	double start = supGetMilliseconds();
	// flesh of a loop has just come to its first frame
	if ( frame > 0 || run->bake->report.warmupCycles == 0 )
	{
		SetPose( run, frame );
		info.poseMs = (float)( supGetMilliseconds() - start );
		supScene_Step( run->scene, frame > 0 ? 1.0f / run->def->framesPerSecond : 0.0f );
	}
	supPhaseTimes after = supScene_GetStats( run->scene ).milliseconds;
	info.predictMs = (float)( after.predict - before.predict );
	info.solveMs = (float)( after.solve - before.solve );
	info.finishMs = (float)( after.finish - before.finish );
	info.surfaceMs = (float)( after.surface - before.surface );
	info.measure = supActor_Measure( run->actor );
	info.guard = supActor_Guard( run->actor );
	return info;
}

static supTrouble SumTrouble( const Run* run )
{
	supTrouble now = supScene_GetStats( run->scene ).trouble;
	return ( supTrouble ){ run->earlier.notFinite + now.notFinite, run->earlier.inverted + now.inverted,
						   run->earlier.notConverged + now.notConverged, run->earlier.unstable + now.unstable,
						   run->earlier.guarded + now.guarded };
}

// From the frames of the next cycle over to those of the recorded one.
static bool BlendCycles( const supBake* bake, int32_t frame, int64_t first, int64_t count, supVec3* data,
						 supError* error )
{
	if ( bake->isBlended == false )
	{
		return true;
	}
	supVec3* next = supAllocArray( (size_t)count + 1, sizeof( supVec3 ) );
	bool ok = next != NULL
				  ? supWorkFile_ReadData( bake->work, bake->report.wantedFrameCount + frame, first, count, next, error )
				  : supSetMemoryError( error );
	// the first two frames and the last two are those of one cycle, so that speeds are, too
	int32_t frameCount = bake->report.wantedFrameCount;
	float t = frameCount > 3 ? (float)( frame - 1 ) / (float)( frameCount - 2 ) : (float)frame / (float)frameCount;
	t = supClampFloat( t, 0.0f, 1.0f );
	float weight = t * t * ( 3.0f - 2.0f * t );
	for ( int64_t i = 0; ok && i < count; ++i )
	{
		data[i] = supLerp( next[i], data[i], weight );
	}
	supFree( next );
	return ok;
}

bool supBake_ReadVectors( const supBake* bake, int32_t frame, int64_t first, int64_t count, supVec3* data,
						  supError* error )
{
	return supWorkFile_ReadData( bake->work, frame, first, count, data, error ) &&
		   BlendCycles( bake, frame, first, count, data, error );
}

static bool WriteState( Run* run, int32_t frameCount )
{
	supWorkState state = { .frameCount = frameCount,
						   .warmupCycles = run->bake->report.warmupCycles,
						   .trouble = SumTrouble( run ),
						   .stateSize = supActor_StateSize( run->actor ) };
	supActor_SaveState( run->actor, run->state );
	return supWorkFile_WriteState( run->bake->work, &state, run->state, run->error );
}

static bool RecordFrames( Run* run )
{
	supBake* bake = run->bake;
	int32_t wanted = bake->report.wantedFrameCount;
	int64_t vertexCount = bake->firstVertex[bake->instanceCount];
	for ( int32_t frame = bake->report.frameCount; frame < wanted; ++frame )
	{
		supBakeFrame info = StepFrame( run, frame );
		supLooksMeter_AddActor( run->meter, run->actor, run->def->tasks );
		CopySurface( run, frame, run->data, run->data + vertexCount );
		if ( supWorkFile_WriteFrame( bake->work, frame, &info, run->data, run->error ) == false )
		{
			return false;
		}
		bake->frames[frame] = info;
		bake->report.frameCount = frame + 1;
		int32_t unresolved = supScene_GetStats( run->scene ).contact.left;
		if ( unresolved > bake->report.unresolved )
		{
			bake->report.unresolved = unresolved;
			bake->report.unresolvedTime = info.time;
		}
		bool goOn = run->def->progress == NULL || run->def->progress( frame + 1, wanted, run->def->progressContext );
		bool stateIsDue = goOn == false || ( frame + 1 ) % FRAMES_PER_STATE == 0;
		if ( stateIsDue && WriteState( run, frame + 1 ) == false )
		{
			return false;
		}
		if ( goOn == false )
		{
			break;
		}
	}
	return true;
}

// Looks are over all frames: those of the earlier run are measured again, from the work file.
static bool MeasureEarlierFrame( Run* run, int32_t frame )
{
	const supBake* bake = run->bake;
	int64_t count = bake->firstVertex[bake->instanceCount];
	if ( supWorkFile_ReadInfo( bake->work, frame, bake->frames + frame, run->error ) == false ||
		 supWorkFile_ReadData( bake->work, frame, 0, count, run->data, run->error ) == false )
	{
		return false;
	}
	Move( run->data, count, supNeg( run->origin ) );
	for ( int32_t i = 0; i < bake->instanceCount; ++i )
	{
		run->surfaces[i] = run->data + bake->firstVertex[i];
	}
	SetClipPose( run, frame );
	supLooksMeter_AddFrame( run->meter, supActor_Pose( run->actor ), run->surfaces, run->def->tasks );
	return true;
}

// Finds what an earlier run has left. False only with an error.
static bool Resume( Run* run, const char* path, uint64_t key )
{
	supBake* bake = run->bake;
	supWorkState state;
	bake->work = supOpenWorkFile( path, key, bake->firstVertex[bake->instanceCount], bake->report.wantedFrameCount,
								  &state, run->state, supActor_StateSize( run->actor ), run->error );
	if ( bake->work == NULL )
	{
		return run->error->code == sup_errorNone;
	}
	for ( int32_t i = 0; i < state.frameCount; ++i )
	{
		if ( MeasureEarlierFrame( run, i ) == false )
		{
			return false;
		}
	}
	supActor_RestoreState( run->actor, run->state );
	run->earlier = state.trouble;
	bake->report.frameCount = state.frameCount;
	bake->report.resumedFrameCount = state.frameCount;
	bake->report.warmupCycles = state.warmupCycles;
	for ( int32_t i = 0; i < state.warmupCycles; ++i )
	{
		run->place = supMulPlace( run->place, bake->loop.travel );
	}
	return true;
}

// Steps into the next cycle. Its frame `frame` is left in run->data.
static void PlayOn( Run* run, int32_t frame )
{
	const supBake* bake = run->bake;
	int32_t at = bake->report.wantedFrameCount + frame;
	SetPose( run, at );
	supScene_Step( run->scene, 1.0f / run->def->framesPerSecond );
	CopySurface( run, at, run->data, run->data + bake->firstVertex[bake->instanceCount] );
}

// Flesh that does not repeat itself, but nearly: the next cycle is kept as well, and frames go from it over to the
// recorded one, so that the last frame leads on to the first as the flesh itself went on.
static bool RecordNextCycle( Run* run )
{
	supBake* bake = run->bake;
	int32_t count = bake->report.wantedFrameCount;
	for ( int32_t frame = 0; frame < count; ++frame )
	{
		if ( frame > 0 )
		{
			PlayOn( run, frame );
		}
		supBakeFrame info = bake->frames[frame];
		if ( supWorkFile_WriteFrame( bake->work, count + frame, &info, run->data, run->error ) == false )
		{
			return false;
		}
	}
	bake->isBlended = true;
	return true;
}

// The seam as it is drawn: how far the surface, played on, is from frame `frame` of the loop.
static bool CompareWithLoop( Run* run, int32_t frame, supVec3* gaps )
{
	const supBake* bake = run->bake;
	int64_t count = bake->firstVertex[bake->instanceCount];
	if ( supBake_ReadVectors( bake, frame, 0, count, run->first, run->error ) == false )
	{
		return false;
	}
	for ( int64_t i = 0; i < count; ++i )
	{
		gaps[i] = supSub( run->data[i], run->first[i] );
	}
	return true;
}

static float LongestDifference( const supVec3* a, const supVec3* b, int64_t count )
{
	float longest = 0.0f;
	for ( int64_t i = 0; i < count; ++i )
	{
		longest = supMaxFloat( longest, supLength( b != NULL ? supSub( a[i], b[i] ) : a[i] ) );
	}
	return longest;
}

static bool CloseLoop( Run* run )
{
	supBake* bake = run->bake;
	if ( bake->loop.closes == false || bake->report.frameCount < bake->report.wantedFrameCount ||
		 bake->report.frameCount < 2 )
	{
		return true;
	}
	int64_t count = bake->firstVertex[bake->instanceCount];
	supVec3* gaps = supAllocArray( 2 * (size_t)count + 1, sizeof( supVec3 ) );
	if ( gaps == NULL )
	{
		return supSetMemoryError( run->error );
	}
	supBakeReport* report = &bake->report;
	supActor_SaveState( run->actor, run->state );
	PlayOn( run, 0 );
	bool ok = CompareWithLoop( run, 0, gaps );
	report->cycleGap = ok ? LongestDifference( gaps, NULL, count ) : 0.0f;
	if ( ok && report->cycleGap > MAX_CYCLE_GAP_RATIO * bake->loop.size )
	{
		ok = RecordNextCycle( run );
		supActor_RestoreState( run->actor, run->state );
		PlayOn( run, 0 );
		ok = ok && CompareWithLoop( run, 0, gaps );
	}
	PlayOn( run, 1 );
	ok = ok && CompareWithLoop( run, 1, gaps + count );
	report->loopGap = ok ? LongestDifference( gaps, NULL, count ) : 0.0f;
	report->loopSpeedGap = ok ? run->def->framesPerSecond * LongestDifference( gaps + count, gaps, count ) : 0.0f;
	supFree( gaps );
	return ok;
}

static bool RunBake( Run* run, const char* path )
{
	supBake* bake = run->bake;
	uint64_t key = HashInput( bake->flesh, run->def );
	if ( run->def->resume && Resume( run, path, key ) == false )
	{
		return false;
	}
	if ( bake->work == NULL )
	{
		bake->work = supCreateWorkFile( path, key, bake->firstVertex[bake->instanceCount],
										bake->report.wantedFrameCount, run->error );
		if ( bake->work == NULL )
		{
			return false;
		}
		Settle( run );
	}
	bool ok = RecordFrames( run ) && CloseLoop( run );
	bake->report.trouble = SumTrouble( run );
	if ( ok && supLooksMeter_Get( run->meter, &bake->report.looks ) == false )
	{
		return supSetMemoryError( run->error );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool CheckDef( const supCharacter* character, supBakeDef* def, supError* error )
{
	SUP_ASSERT( def->cookie == BAKE_COOKIE );
	if ( !( def->framesPerSecond > 0.0f && def->framesPerSecond <= 10000.0f ) )
	{
		return supSetError( error, sup_errorArgument, "fps", "must be above 0, up to 10000 frames per second (got %g)",
							(double)def->framesPerSecond );
	}
	if ( def->resume && ( def->colliderCount > 0 || def->touchSelf ) )
	{
		return supSetError( error, sup_errorArgument, "resume", "a bake with contact cannot be resumed" );
	}
	if ( !( def->preroll >= 0.0f && def->preroll <= 3600.0f ) )
	{
		return supSetError( error, sup_errorArgument, "preroll", "must be 0 to 3600 s (got %g)", (double)def->preroll );
	}
	def->substeps = def->substeps != 0 ? def->substeps : supChooseSubsteps( 1.0f / def->framesPerSecond );
	float start = def->clip == NULL     ? 0.0f
				  : def->keepFirstFrame ? def->clip->start
										: supFindMotionStart( character, def->clip );
	float end = def->clip != NULL ? def->clip->end : 0.0f;
	bool all = def->to < 0.0f;
	bool isLate = def->clip != NULL && start > def->clip->start;
	def->from = def->from == 0.0f && ( all || isLate ) ? start : def->from;
	def->to = all ? supMaxFloat( end, def->from ) : def->to;
	if ( !( def->from >= 0.0f && def->to >= def->from ) )
	{
		return supSetError( error, sup_errorArgument, "from, to", "the range from %g s to %g s is empty or not finite",
							(double)def->from, (double)def->to );
	}
	if ( ( def->to - def->from ) * def->framesPerSecond > (float)MOST_FRAMES )
	{
		return supSetError( error, sup_errorTooLarge, "from, to", "%g s at %g frames per second is more than %d frames",
							(double)( def->to - def->from ), (double)def->framesPerSecond, MOST_FRAMES );
	}
	return true;
}

// `cycle`: frames of a loop, 0 for what is none.
static supBake* AllocateBake( const supFlesh* flesh, const supBakeDef* def, int32_t cycle )
{
	const supCharacter* character = supFlesh_Character( flesh );
	supBake* bake = supAllocZeroed( sizeof( supBake ) );
	if ( bake == NULL )
	{
		return NULL;
	}
	bake->flesh = flesh;
	bake->def = *def;
	bake->instanceCount = supCharacter_InstanceCount( character );
	// a clip's length may miss a whole number of frames by rounding
	float length = ( def->to - def->from ) * def->framesPerSecond;
	bake->report.wantedFrameCount = cycle > 0 ? cycle : (int32_t)( length + 1e-3f ) + 1;
	bake->firstVertex = supAllocZeroed( ( (size_t)bake->instanceCount + 1 ) * sizeof( int64_t ) );
	bake->frames = supAllocZeroed( (size_t)bake->report.wantedFrameCount * sizeof( supBakeFrame ) );
	if ( bake->firstVertex == NULL || bake->frames == NULL )
	{
		supDestroyBake( bake, false );
		return NULL;
	}
	for ( int32_t i = 0; i < bake->instanceCount; ++i )
	{
		int32_t mesh = supCharacter_Instance( character, i )->mesh;
		bake->firstVertex[i + 1] = bake->firstVertex[i] + supCharacter_Mesh( character, mesh )->vertexCount;
	}
	bake->report.frames = bake->frames;
	return bake;
}

static supBake* CreateBake( const supFlesh* flesh, const supBakeDef* def, supError* error )
{
	supBakeDef checked = *def;
	if ( CheckDef( supFlesh_Character( flesh ), &checked, error ) == false )
	{
		return NULL;
	}
	supLoop loop = { .travel = supTransform_identity };
	if ( checked.loop && supFindLoop( supFlesh_Character( flesh ), &checked, &loop, error ) == false )
	{
		return NULL;
	}
	checked.from -= loop.lead;
	int32_t cycle = loop.closes ? supRetimeLoop( checked.to - checked.from, &checked.framesPerSecond ) : 0;
	supBake* bake = AllocateBake( flesh, &checked, cycle );
	if ( bake == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	bake->loop = loop;
	bake->report.isLoop = loop.closes;
	bake->report.loopLead = loop.lead;
	bake->report.clipGap = loop.clipGap;
	bake->report.size = loop.size;
	bake->report.framesPerSecond = checked.framesPerSecond;
	return bake;
}

// Where the clip begins.
static bool FindOrigin( Run* run )
{
	supPose* pose = supCreatePose( supFlesh_Character( run->bake->flesh ) );
	if ( pose == NULL )
	{
		return supSetMemoryError( run->error );
	}
	if ( run->def->clip != NULL )
	{
		supPose_ApplyClip( pose, run->def->clip, run->def->from );
	}
	run->origin = supChooseOrigin( pose );
	supDestroyPose( pose );
	return true;
}

static bool AddContact( Run* run )
{
	const supBakeDef* def = run->def;
	for ( int32_t i = 0; i < def->colliderCount; ++i )
	{
		supColliderDef collider = def->colliders[i];
		collider.position = supSub( collider.position, run->origin );
		if ( supScene_AddCollider( run->scene, &collider, run->error ) == NULL )
		{
			return false;
		}
	}
	supContactSettings contact = supActor_GetContact( run->actor );
	contact.withItself = def->touchSelf;
	return def->touchSelf == false || supActor_SetContact( run->actor, &contact, run->error );
}

static bool StartRun( Run* run )
{
	if ( FindOrigin( run ) == false )
	{
		return false;
	}
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.substeps = run->def->substeps;
	sceneDef.tasks = run->def->tasks;
	sceneDef.device = run->def->device;
	sceneDef.origin = run->origin;
	run->scene = supCreateScene( &sceneDef, run->error );
	run->actor = run->scene != NULL ? supScene_AddActor( run->scene, run->bake->flesh, run->error ) : NULL;
	if ( run->actor == NULL )
	{
		return false;
	}
	if ( AddContact( run ) == false || supActor_SetAdditive( run->actor, run->def->additive, run->error ) == false )
	{
		return false;
	}
	size_t vertexCount = (size_t)run->bake->firstVertex[run->bake->instanceCount];
	run->scratch = supCreatePose( supFlesh_Character( run->bake->flesh ) );
	run->data = supAllocArray( 2 * vertexCount, sizeof( supVec3 ) );
	run->first = supAllocArray( vertexCount, sizeof( supVec3 ) );
	run->state = supAlloc( supActor_StateSize( run->actor ) );
	run->surfaces = supAllocArray( (size_t)run->bake->instanceCount + 1, sizeof( supVec3* ) );
	run->meter = supCreateLooksMeter( supFlesh_Character( run->bake->flesh ) );
	bool ok = run->scratch != NULL && run->data != NULL && run->first != NULL && run->state != NULL &&
			  run->surfaces != NULL && run->meter != NULL;
	return ok ? true : supSetMemoryError( run->error );
}

supBake* supBakeFrames( const supFlesh* flesh, const supBakeDef* def, const char* path, supError* error )
{
	supError own = { 0 };
	error = error != NULL ? error : &own;
	supClearError( error );
	supBake* bake = CreateBake( flesh, def, error );
	if ( bake == NULL )
	{
		return NULL;
	}
	Run run = { .bake = bake, .def = &bake->def, .place = supTransform_identity, .error = error };
	bool ok = StartRun( &run ) && RunBake( &run, path );
	supDestroyScene( run.scene );
	supDestroyPose( run.scratch );
	supFree( run.data );
	supFree( run.first );
	supFree( run.state );
	supFree( run.surfaces );
	supDestroyLooksMeter( run.meter );
	if ( ok == false )
	{
		// frames that are there can still be resumed
		supDestroyBake( bake, bake->report.frameCount > 0 );
		return NULL;
	}
	return bake;
}

supBake* supBeginRecording( const supFlesh* flesh, const supBakeDef* def, const char* path, supError* error )
{
	supClearError( error );
	supBake* bake = CreateBake( flesh, def, error );
	if ( bake == NULL )
	{
		return NULL;
	}
	int64_t vertexCount = bake->firstVertex[bake->instanceCount];
	bake->scratch = supAllocArray( 2 * (size_t)vertexCount, sizeof( supVec3 ) );
	bake->work = bake->scratch != NULL ? supCreateWorkFile( path, HashInput( flesh, &bake->def ), vertexCount,
															bake->report.wantedFrameCount, error )
									   : NULL;
	if ( bake->work == NULL )
	{
		if ( bake->scratch == NULL )
		{
			supSetMemoryError( error );
		}
		supDestroyBake( bake, false );
		return NULL;
	}
	return bake;
}

bool supBake_Record( supBake* bake, supActor* actor, supError* error )
{
	SUP_ASSERT( bake->scratch != NULL && supActor_Flesh( actor ) == bake->flesh );
	supClearError( error );
	int32_t frame = bake->report.frameCount;
	if ( frame == bake->report.wantedFrameCount )
	{
		return supSetError( error, sup_errorArgument, "record", "all %d frames are already recorded", frame );
	}
	supBakeFrame info = { .time = FrameTime( &bake->def, frame ),
						  .measure = supActor_Measure( actor ),
						  .guard = supActor_Guard( actor ) };
	Run run = { .bake = bake, .def = &bake->def, .actor = actor, .error = error };
	CopyScene( &run, bake->scratch, bake->scratch + bake->firstVertex[bake->instanceCount] );
	if ( supWorkFile_WriteFrame( bake->work, frame, &info, bake->scratch, error ) == false )
	{
		return false;
	}
	bake->frames[frame] = info;
	bake->report.frameCount = frame + 1;
	return true;
}

void supDestroyBake( supBake* bake, bool keep )
{
	if ( bake != NULL )
	{
		supCloseWorkFile( bake->work, keep );
		supFree( bake->firstVertex );
		supFree( bake->frames );
		supFree( bake->scratch );
		supFree( bake );
	}
}

const supBakeReport* supBake_Report( const supBake* bake )
{
	return &bake->report;
}

bool supBake_IsComplete( const supBake* bake )
{
	return bake->report.frameCount == bake->report.wantedFrameCount;
}
