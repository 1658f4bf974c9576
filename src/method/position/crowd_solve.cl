// The iterations of one actor by one work-group. Included twice: with particles in local memory and 16-bit numbers of
// particles, and, for bodies that do not fit, with particles in global memory and 32-bit numbers.
//
// SOLVE( name )   names of the functions
// SPACE           address space of the particles
// AT( i )         a particle as Vec3W
// PUT( i, p )     and back
// PAIR, QUAD      numbers of two and of four particles, and FIRST .. FOURTH of them

static inline void SOLVE( Stretch )( SPACE float* points, constant supCrowdLayout* layout, global const uchar* flesh,
									 const supCrowdJob* job, global float* multipliers, int i )
{
	PAIR pair = ( (global const PAIR*)( flesh + layout->stretchPoints ) )[i];
	uint a = FIRST( pair ), b = SECOND( pair );
	// one load of 16 bytes
	float4 numbers = ( (global const float4*)( flesh + layout->stretchItems ) )[i];
	supCrowdStretch item = { numbers.x, numbers.y, numbers.z, numbers.w };
	Vec3W p1 = AT( a ), p2 = AT( b );
	Vec3W d = Sub( p1, p2 );
	float firstScale, secondScale;
	if ( layout->isCompliant )
	{
		supCrowdStretchSpring spring = ( (global const supCrowdStretchSpring*)( flesh + layout->stretchSprings ) )[i];
		float multiplier = multipliers[i];
		float step = StretchStep( d, item.length, spring.firstMass + spring.secondMass,
								  spring.compliance * job->softness, &multiplier );
		multipliers[i] = multiplier;
		firstScale = spring.firstMass * step;
		secondScale = -spring.secondMass * step;
	}
	else
	{
		float ratio = StretchRatio( d, item.length, item.hold ) * job->stretch;
		firstScale = -item.firstShare * ratio;
		secondScale = item.secondShare * ratio;
	}
	PUT( a, AddScaled( p1, d, firstScale ) );
	PUT( b, AddScaled( p2, d, secondScale ) );
}

static inline void SOLVE( Bind )( SPACE float* points, constant supCrowdLayout* layout, global const uchar* flesh,
								  const supCrowdJob* job, global const float4* anchors, global float* multipliers,
								  int i )
{
	uint a = ( (global const uint*)( flesh + layout->bindPoints ) )[i];
	supCrowdBind item = ( (global const supCrowdBind*)( flesh + layout->bindItems ) )[i];
	float4 anchor = anchors[item.lane];
	Vec3W p = AT( a );
	Vec3W d = { p.x - anchor.x, p.y - anchor.y, p.z - anchor.z };
	float scale;
	if ( layout->isCompliant )
	{
		supCrowdBindSpring spring = ( (global const supCrowdBindSpring*)( flesh + layout->bindSprings ) )[i];
		float multiplier = multipliers[i];
		scale = spring.mass *
				StretchStep( d, item.length, spring.mass, spring.compliance * job->softness, &multiplier );
		multipliers[i] = multiplier;
	}
	else
	{
		scale = -item.share * ( LengthRatio( d, item.length ) * job->bind );
	}
	PUT( a, AddScaled( p, d, scale ) );
}

static inline uint SOLVE( Volume )( SPACE float* points, constant supCrowdLayout* layout, global const uchar* flesh,
									const supCrowdJob* job, global float* multipliers, int i )
{
	QUAD quad = ( (global const QUAD*)( flesh + layout->volumePoints ) )[i];
	float4 numbers = ( (global const float4*)( flesh + layout->volumeItems ) )[2 * i];
	float4 masses = ( (global const float4*)( flesh + layout->volumeItems ) )[2 * i + 1];
	uint corners[4] = { FIRST( quad.x ), SECOND( quad.x ), THIRD( quad ), FOURTH( quad ) };
	Vec3W p[4];
	float w[4] = { masses.x, masses.y, masses.z, masses.w };
	for ( int k = 0; k < 4; ++k )
	{
		p[k] = AT( corners[k] );
	}
	VolumeGradients v = ComputeVolume( p, w );
	uint inverted;
	float step;
	if ( layout->isCompliant )
	{
		float compliance = ( (global const float*)( flesh + layout->volumeSprings ) )[i];
		float multiplier = multipliers[i];
		step = VolumeSpringStep( &v, numbers.x, compliance * job->softness, numbers.z, &multiplier, &inverted );
		multipliers[i] = multiplier;
	}
	else
	{
		step = VolumeStep( &v, numbers.x, numbers.y * job->volume, numbers.z, &inverted );
	}
	for ( int k = 0; k < 4; ++k )
	{
		PUT( corners[k], AddScaled( p[k], v.g[k], w[k] * step ) );
	}
	return inverted;
}

static inline uint SOLVE( Iterate )( SPACE float* points, constant supCrowdLayout* layout, global const uchar* flesh,
									 global uchar* state, const supCrowdJob* job )
{
	global const supCrowdWave* waves = (global const supCrowdWave*)( flesh + layout->waves );
	global const float4* anchors = (global const float4*)( state + layout->anchors );
	global float* stretchMultipliers = (global float*)( state + layout->multipliers );
	global float* bindMultipliers = stretchMultipliers + waves[layout->waveCount].stretch;
	global float* volumeMultipliers = bindMultipliers + waves[layout->waveCount].bind;
	int lid = get_local_id( 0 ), size = get_local_size( 0 ), waveCount = layout->waveCount;
	uint inverted = 0;
	for ( int iteration = 0; iteration < job->iterations; ++iteration )
	{
		inverted = 0;
		supCrowdWave begin = waves[0], end = waves[min( 1, waveCount )];
		for ( int wave = 0; wave < waveCount; ++wave )
		{
			// read while this wave is solved
			supCrowdWave next = waves[min( wave + 2, waveCount )];
			int stretches = end.stretch - begin.stretch, binds = end.bind - begin.bind;
			int count = stretches + binds + ( end.volume - begin.volume );
			for ( int i = lid; i < count; i += size )
			{
				if ( i < stretches )
				{
					SOLVE( Stretch )( points, layout, flesh, job, stretchMultipliers, begin.stretch + i );
				}
				else if ( i < stretches + binds )
				{
					SOLVE( Bind )
					( points, layout, flesh, job, anchors, bindMultipliers, begin.bind + i - stretches );
				}
				else
				{
					inverted |= SOLVE( Volume )( points, layout, flesh, job, volumeMultipliers,
												 begin.volume + i - stretches - binds );
				}
			}
			begin = end;
			end = next;
			FENCE();
		}
	}
	return inverted;
}
