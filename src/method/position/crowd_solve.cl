// The iterations of one actor by one work-group. Included twice: with particles in local memory and 16-bit numbers of
// particles, and, for bodies that do not fit, with particles in global memory and 32-bit numbers.
//
// SOLVE( name )   names of the functions
// SPACE           address space of the particles
// AT( i )         a particle as Vec3W
// PUT( i, p )     and back
// PAIR, QUAD      numbers of two and of four particles, and FIRST .. FOURTH of them
// FENCE()         waits for all that move particles

// What a wave has from `begin` on: stretches, then binds, then volumes. Numbers come in while the constraint before is
// solved, across waves as well: nothing but particles depends on what was solved.
static inline CrowdItem SOLVE( Load )( constant supCrowdLayout* layout, global const uchar* flesh,
									   global const float4* anchors, supCrowdWave begin, supCrowdWave end, int i )
{
	CrowdItem item;
	int stretches = end.stretch - begin.stretch, binds = end.bind - begin.bind;
	if ( i < stretches )
	{
		item.index = begin.stretch + i;
		item.kind = 0;
		PAIR pair = ( (global const PAIR*)( flesh + layout->stretchPoints ) )[item.index];
		item.points = (uint4)( FIRST( pair ), SECOND( pair ), 0, 0 );
		item.numbers = ( (global const float4*)( flesh + layout->stretchItems ) )[item.index];
	}
	else if ( i < stretches + binds )
	{
		item.index = begin.bind + i - stretches;
		item.kind = 1;
		supCrowdBind bind = ( (global const supCrowdBind*)( flesh + layout->bindItems ) )[item.index];
		item.points.x = ( (global const uint*)( flesh + layout->bindPoints ) )[item.index];
		item.numbers = (float4)( bind.length, bind.share, 0.0f, 0.0f );
		item.others = anchors[bind.lane];
	}
	else if ( i < stretches + binds + end.volume - begin.volume )
	{
		item.index = begin.volume + i - stretches - binds;
		item.kind = 2;
		QUAD quad = ( (global const QUAD*)( flesh + layout->volumePoints ) )[item.index];
		item.points = (uint4)( FIRST( quad.x ), SECOND( quad.x ), THIRD( quad ), FOURTH( quad ) );
		item.numbers = ( (global const float4*)( flesh + layout->volumeItems ) )[2 * item.index];
		item.others = ( (global const float4*)( flesh + layout->volumeItems ) )[2 * item.index + 1];
	}
	return item;
}

static inline void SOLVE( Stretch )( SPACE float* points, constant supCrowdLayout* layout, global const uchar* flesh,
									 const supCrowdJob* job, global float* multipliers, const CrowdItem* item )
{
	uint a = item->points.x, b = item->points.y;
	Vec3W p1 = AT( a ), p2 = AT( b );
	Vec3W d = Sub( p1, p2 );
	float length = item->numbers.x, firstScale, secondScale;
	if ( layout->isCompliant )
	{
		supCrowdStretchSpring spring =
			( (global const supCrowdStretchSpring*)( flesh + layout->stretchSprings ) )[item->index];
		float multiplier = multipliers[item->index];
		float step = StretchStep( d, length, spring.firstMass + spring.secondMass, spring.compliance * job->softness,
								  &multiplier );
		multipliers[item->index] = multiplier;
		firstScale = spring.firstMass * step;
		secondScale = -spring.secondMass * step;
	}
	else
	{
		float ratio = StretchRatio( d, length, item->numbers.w ) * job->stretch;
		firstScale = -item->numbers.y * ratio;
		secondScale = item->numbers.z * ratio;
	}
	PUT( a, AddScaled( p1, d, firstScale ) );
	PUT( b, AddScaled( p2, d, secondScale ) );
}

static inline void SOLVE( Bind )( SPACE float* points, constant supCrowdLayout* layout, global const uchar* flesh,
								  const supCrowdJob* job, global float* multipliers, const CrowdItem* item )
{
	uint a = item->points.x;
	Vec3W p = AT( a );
	Vec3W d = { p.x - item->others.x, p.y - item->others.y, p.z - item->others.z };
	float length = item->numbers.x, scale;
	if ( layout->isCompliant )
	{
		supCrowdBindSpring spring = ( (global const supCrowdBindSpring*)( flesh + layout->bindSprings ) )[item->index];
		float multiplier = multipliers[item->index];
		scale = spring.mass * StretchStep( d, length, spring.mass, spring.compliance * job->softness, &multiplier );
		multipliers[item->index] = multiplier;
	}
	else
	{
		scale = -item->numbers.y * ( LengthRatio( d, length ) * job->bind );
	}
	PUT( a, AddScaled( p, d, scale ) );
}

static inline uint SOLVE( Volume )( SPACE float* points, constant supCrowdLayout* layout, global const uchar* flesh,
									const supCrowdJob* job, global float* multipliers, const CrowdItem* item )
{
	uint corners[4] = { item->points.x, item->points.y, item->points.z, item->points.w };
	float w[4] = { item->others.x, item->others.y, item->others.z, item->others.w };
	Vec3W p[4];
	for ( int k = 0; k < 4; ++k )
	{
		p[k] = AT( corners[k] );
	}
	VolumeGradients v = ComputeVolume( p, w );
	float volume = item->numbers.x, share = item->numbers.y, reach = item->numbers.z, step;
	uint inverted;
	if ( layout->isCompliant )
	{
		float compliance = ( (global const float*)( flesh + layout->volumeSprings ) )[item->index];
		float multiplier = multipliers[item->index];
		step = VolumeSpringStep( &v, volume, compliance * job->softness, reach, &multiplier, &inverted );
		multipliers[item->index] = multiplier;
	}
	else
	{
		step = VolumeStep( &v, volume, share * job->volume, reach, &inverted );
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
	int lid = get_local_id( 0 ), size = get_local_size( 0 ), waveCount = layout->waveCount;
	global float* stretchMultipliers = (global float*)( state + layout->multipliers );
	global float* bindMultipliers = stretchMultipliers + waves[waveCount].stretch;
	global float* volumeMultipliers = bindMultipliers + waves[waveCount].bind;
	supCrowdWave begin = waves[0], end = waves[min( 1, waveCount )];
	CrowdItem item = SOLVE( Load )( layout, flesh, anchors, begin, end, lid );
	uint inverted = 0;
	for ( int wave = 0, total = waveCount * job->iterations; wave < total; ++wave )
	{
		// all waves over and over
		int place = wave % waveCount;
		bool isLast = place + 1 == waveCount;
		supCrowdWave nextBegin = isLast ? waves[0] : end;
		supCrowdWave nextEnd = waves[isLast ? 1 : place + 2];
		int count = ( end.stretch - begin.stretch ) + ( end.bind - begin.bind ) + ( end.volume - begin.volume );
		inverted = place == 0 ? 0 : inverted;
		for ( int i = lid; i < count; i += size )
		{
			CrowdItem current = item;
			if ( i + size < count )
			{
				item = SOLVE( Load )( layout, flesh, anchors, begin, end, i + size );
			}
			if ( current.kind == 0 )
			{
				SOLVE( Stretch )( points, layout, flesh, job, stretchMultipliers, &current );
			}
			else if ( current.kind == 1 )
			{
				SOLVE( Bind )( points, layout, flesh, job, bindMultipliers, &current );
			}
			else
			{
				inverted |= SOLVE( Volume )( points, layout, flesh, job, volumeMultipliers, &current );
			}
		}
		begin = nextBegin;
		end = nextEnd;
		item = SOLVE( Load )( layout, flesh, anchors, begin, end, lid );
		FENCE();
	}
	return inverted;
}
