// The render mesh: skinned, then carried along by the particles; its volume; the kernels that need it. Part of crowd.cl.

// A vertex as skinning has it.
static void SkinVertex( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state,
						global const supMat34* worlds, const supCrowdInstance* instance, int vertex, supVec3* point,
						supVec3* normal )
{
	int slot = instance->firstSlot + vertex, stride = instance->vertexCount;
	int place = instance->firstVertex + vertex;
	Vec3W rest = ToLanes( FLESH( supVec3, meshPositions )[place] );
	Vec3W restNormal = ToLanes( FLESH( supVec3, meshNormals )[place] );
	global const ushort* joints = FLESH( ushort, meshJoints ) + slot;
	global const float* weights = FLESH( float, meshWeights ) + slot;
	*normal = supMakeVec3( 0.0f, 0.0f, 0.0f );
	if ( instance->skinning == sup_crowdDual )
	{
		bool stretched = STATE( int, skinFlags )[1 + instance->skin] != 0;
		Motion m = BlendJoints( STATE( supDualJoint, jointDuals ) + instance->firstJoint, joints, weights, stride,
								instance->influences, stretched );
		*point = FromLanes( MovePointDual( &m, rest, stretched ) );
		if ( instance->hasNormals )
		{
			*normal = FromLanes( MoveNormalDual( &m, restNormal, stretched ) );
		}
		return;
	}
	Mat34W m = instance->skinning == sup_crowdRigid
				   ? WidenMat34( worlds[instance->node] )
				   : BlendMatrices( STATE( float, jointMatrices ) + 12 * instance->firstJoint, 12, joints, weights,
									stride, instance->influences );
	*point = FromLanes( MovePointLinear( &m, rest ) );
	if ( instance->hasNormals )
	{
		*normal = FromLanes( MoveNormalLinear( &m, restNormal ) );
	}
}

// first + sum of w (frame - first), as surface_binding_kernel.c blends them.
static FrameW BlendFrames( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state, int vertex )
{
	// a frame is four loads of 16 bytes
	int4 points = FLESH( int4, boundPoints )[vertex];
	float4 weights = FLESH( float4, boundWeights )[vertex];
	global const float4* frames = STATE( float4, frames );
	float4 sum[4];
	float share = FLESH( float, boundShares )[vertex];
	for ( int i = 0; i < 4; ++i )
	{
		float4 first = frames[4 * points.x + i];
		sum[i] = first;
		sum[i] += weights.y * ( frames[4 * points.y + i] - first );
		sum[i] += weights.z * ( frames[4 * points.z + i] - first );
		sum[i] += weights.w * ( frames[4 * points.w + i] - first );
		sum[i] *= share;
	}
	FrameW frame;
	frame.turn[0] = ( Vec3W ){ sum[0].x, sum[0].y, sum[0].z };
	frame.turn[1] = ( Vec3W ){ sum[0].w, sum[1].x, sum[1].y };
	frame.turn[2] = ( Vec3W ){ sum[1].z, sum[1].w, sum[2].x };
	frame.shift = ( Vec3W ){ sum[2].y, sum[2].z, sum[2].w };
	frame.turned = ( Vec3W ){ sum[3].x, sum[3].y, sum[3].z };
	return frame;
}

static Vec3W MoveVertex( constant supCrowdLayout* layout, const FrameW* frame, Vec3W before )
{
	Vec3W shift = frame->shift;
	if ( layout->smoothness > 0.0f )
	{
		shift = Add( shift, SmoothShift( frame, layout->smoothness, before ) );
	}
	return Add( before, shift );
}

// ---------------------------------------------------------------------------------------------------------------------
// Volume of the render mesh

static void ReduceBox( local Shared* shared, local float* room, float lower, float upper, int axis )
{
	int lid = get_local_id( 0 ), size = get_local_size( 0 );
	room[lid] = lower;
	room[size + lid] = upper;
	for ( int step = size / 2; step > 0; step /= 2 )
	{
		MEET_LOCAL();
		if ( lid < step )
		{
			room[lid] = supMinFloat( room[lid], room[lid + step] );
			room[size + lid] = supMaxFloat( room[size + lid], room[size + lid + step] );
		}
	}
	MEET_LOCAL();
	if ( lid == 0 )
	{
		shared->box[axis] = room[0];
		shared->box[3 + axis] = room[size];
	}
	MEET_LOCAL();
}

static double InstanceVolume( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state,
							  const supCrowdInstance* instance, local Shared* shared, local double* room )
{
	global const supVec3* positions = STATE( supVec3, outPositions ) + instance->firstVertex;
	supVec3 lower = supMakeVec3( 3.402823466e38f, 3.402823466e38f, 3.402823466e38f );
	supVec3 upper = supMakeVec3( -3.402823466e38f, -3.402823466e38f, -3.402823466e38f );
	FOR_ALL( i, instance->vertexCount )
	{
		supVec3 p = positions[i];
		lower = supMakeVec3( supMinFloat( lower.x, p.x ), supMinFloat( lower.y, p.y ), supMinFloat( lower.z, p.z ) );
		upper = supMakeVec3( supMaxFloat( upper.x, p.x ), supMaxFloat( upper.y, p.y ), supMaxFloat( upper.z, p.z ) );
	}
	ReduceBox( shared, (local float*)room, lower.x, upper.x, 0 );
	ReduceBox( shared, (local float*)room, lower.y, upper.y, 1 );
	ReduceBox( shared, (local float*)room, lower.z, upper.z, 2 );
	supVec3 middle = supLerp( supMakeVec3( shared->box[0], shared->box[1], shared->box[2] ),
							  supMakeVec3( shared->box[3], shared->box[4], shared->box[5] ), 0.5f );
	global const uint* indices = FLESH( uint, indices ) + instance->firstIndex;
	FOR_ALL( n, PARTIAL_SUMS )
	{
		// blocks as supReduce has them, which end at multiples of PARTIAL_SUMS
		double total = 0.0;
		for ( int begin = 0; begin < instance->triangleCount; begin += SUP_CROWD_REDUCE_BLOCK )
		{
			int end = min( begin + SUP_CROWD_REDUCE_BLOCK, instance->triangleCount );
			double sum = 0.0;
			for ( int i = begin + n; i < end; i += PARTIAL_SUMS )
			{
				global const uint* t = indices + 3 * i;
				sum += (double)TriangleVolume( positions[t[0]], positions[t[1]], positions[t[2]], middle );
			}
			total += sum;
		}
		room[n] = total;
	}
	return FoldShared( room );
}

// - isFirst: the skin has not been made in this step; it is kept where normals will be
static double SurfaceVolume( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state,
							 global const supMat34* worlds, bool isFirst, local Shared* shared, local double* room )
{
	double volume = 0.0;
	for ( int n = 0; n < layout->instanceCount; ++n )
	{
		supCrowdInstance instance = FLESH( supCrowdInstance, instances )[n];
		if ( instance.isStill )
		{
			continue;
		}
		FOR_ALL( i, instance.vertexCount )
		{
			int vertex = instance.firstVertex + i;
			supVec3 point, normal;
			if ( isFirst )
			{
				SkinVertex( layout, flesh, state, worlds, &instance, i, &point, &normal );
				STATE( supVec3, outNormals )[vertex] = point;
			}
			else
			{
				point = STATE( supVec3, outNormals )[vertex];
			}
			FrameW frame = BlendFrames( layout, flesh, state, vertex );
			STATE( supVec3, outPositions )[vertex] = FromLanes( MoveVertex( layout, &frame, ToLanes( point ) ) );
		}
		MEET();
		volume += InstanceVolume( layout, flesh, state, &instance, shared, room );
	}
	return volume;
}

// Returns whether frames were made, which are then as good as new but for the shifts.
static bool KeepVolumes( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state,
						 global const supMat34* worlds, local Shared* shared, local double* room )
{
	KeepParts( layout, flesh, state, room );
	double wanted = layout->surfaceVolume;
	bool framed = wanted > 0.0;
	if ( framed )
	{
		FrameSurface( layout, flesh, state );
	}
	double missing = 1.0;
	for ( int i = 0; framed && i < MOST_SURFACE_STEPS &&
					 ( i == 0 || missing > MUCH_MISSING || missing < -MUCH_MISSING );
		  ++i )
	{
		double volume = SurfaceVolume( layout, flesh, state, worlds, i == 0, shared, room );
		missing = 1.0 - volume / wanted;
		if ( IsWorthInflating( missing ) )
		{
			Inflate( layout, flesh, state, missing / (double)layout->surfaceResponse, room );
		}
		ShiftFrames( layout, state );
	}
	return framed;
}

// Velocities; what is not a number goes back to the skin.
static void FinishParticles( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state,
							 const supCrowdJob* job, local Shared* shared )
{
	float moved = 0.0f;
	int notFinite = 0;
	FOR_ALL( i, layout->particleCount )
	{
		float4 p = STATE( float4, positions )[i];
		float4 shift = ( p - STATE( float4, predicted )[i] ) * job->inverseDt;
		float4 v = STATE( float4, predictedVelocities )[i] + shift;
		if ( supIsFiniteVec3( Xyz( p ) ) == false || supIsFiniteVec3( Xyz( v ) ) == false )
		{
			p = STATE( float4, skinned )[i];
			v = supSplat4( 0.0f );
			notFinite += 1;
		}
		p.w = FLESH( float, inverseMasses )[i];
		v.w = 0.0f;
		STATE( float4, positions )[i] = p;
		STATE( float4, velocities )[i] = v;
		moved = supMaxFloat( moved, Length4( p - Load3( STATE( supVec3, downs )[i] ) ) );
	}
	// floats that are not negative sort as their bits do
	atomic_max( &shared->moved, as_uint( moved ) );
	if ( notFinite > 0 )
	{
		atomic_add( &shared->count, notFinite );
	}
	MEET();
}

kernel void supCrowdFinish( constant supCrowdLayout* layout, global const uchar* flesh,
							global const supCrowdJob* jobs, PAGES, global const supMat34* worlds,
							global supCrowdResult* results, local double2* room )
{
	local Shared shared;
	int group = get_group_id( 0 );
	supCrowdJob job = jobs[group];
	global uchar* state = FindSlot( layout, &job, PAGE_LIST );
	worlds += (ulong)group * (ulong)layout->nodeCount;
	if ( get_local_id( 0 ) == 0 )
	{
		shared.moved = 0;
		shared.count = 0;
	}
	MEET();
	int inverted = results[group].wasTurned != 0 ? RightInverted( layout, flesh, state, &shared ) : 0;
	bool framed =
		job.keeps != 0 && KeepVolumes( layout, flesh, state, worlds, &shared, (local double*)room );
	FinishParticles( layout, flesh, state, &job, &shared );
	if ( framed && shared.count == 0 )
	{
		ShiftFrames( layout, state );
	}
	else
	{
		FrameSurface( layout, flesh, state );
	}
	if ( get_local_id( 0 ) == 0 )
	{
		results[group].moved = as_float( shared.moved );
		results[group].inverted = inverted;
		results[group].notFinite = shared.count;
	}
}

kernel void supCrowdSurface( constant supCrowdLayout* layout, global const uchar* flesh,
							 global const supCrowdJob* jobs, PAGES, global const supMat34* worlds )
{
	int group = get_group_id( 0 );
	supCrowdJob job = jobs[group];
	global uchar* state = FindSlot( layout, &job, PAGE_LIST );
	worlds += (ulong)group * (ulong)layout->nodeCount;
	for ( int n = 0; n < layout->instanceCount; ++n )
	{
		supCrowdInstance instance = FLESH( supCrowdInstance, instances )[n];
		FOR_ALL( i, instance.vertexCount )
		{
			int vertex = instance.firstVertex + i;
			supVec3 point, normal;
			SkinVertex( layout, flesh, state, worlds, &instance, i, &point, &normal );
			if ( instance.isStill == 0 )
			{
				FrameW frame = BlendFrames( layout, flesh, state, vertex );
				Vec3W turn[3];
				AddIdentity( &frame, turn );
				Vec3W before = ToLanes( normal );
				normal = FromLanes( NormalizeOr( MoveNormal( turn[0], turn[1], turn[2], before ), before ) );
				point = FromLanes( MoveVertex( layout, &frame, ToLanes( point ) ) );
			}
			STATE( supVec3, outPositions )[vertex] = point;
			STATE( supVec3, outNormals )[vertex] = normal;
		}
	}
}
