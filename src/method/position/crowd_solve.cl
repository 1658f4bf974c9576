// The iterations of one actor by one work-group. Included twice: with particles in local memory and 16-bit numbers of
// particles, and, for bodies that do not fit, with particles in global memory and 32-bit numbers.
//
// SOLVE( name )   names of the functions
// SPACE           address space of the particles
// AT( i )         a particle as Vec3W
// PUT( i, p )     and back
// PAIR, QUAD      numbers of two and of four particles, and FIRST .. FOURTH of them
//
// SHORT_ITEMS     numbers of constraints have 16 bits, see crowd_layout.h; 0 or 1
// COMPLIANT       the kind of constraints, 0 or 1

// What a constraint reads of the flesh. It is read while the one before is solved.
#if SHORT_ITEMS
typedef uint4 SOLVE( StretchItem ); // as supCrowdShortStretch has them
#else
typedef struct SOLVE( StretchItem )
{
	PAIR pair;
	float4 numbers;
} SOLVE( StretchItem );
#endif

typedef struct SOLVE( BindItem )
{
	uint4 numbers;
	float4 anchor;
} SOLVE( BindItem );

typedef struct SOLVE( VolumeItem )
{
#if SHORT_ITEMS
	uint4 numbers; // as supCrowdShortVolume has them
	uint2 masses;
#else
	QUAD quad;
	float4 numbers;
	float4 masses;
#endif
} SOLVE( VolumeItem );

// What all constraints of an actor need.
typedef struct SOLVE( Body )
{
	SPACE float* points;
	constant supCrowdLayout* layout;
	global const uchar* flesh;
	global const float4* anchors;
	global float* multipliers; // of the kind at hand
	float softness;
	float stiffness; // likewise
} SOLVE( Body );

static inline SOLVE( StretchItem ) SOLVE( ReadStretch )( const SOLVE( Body ) * body, int i )
{
#if SHORT_ITEMS
	return ( (global const uint4*)( body->flesh + body->layout->stretchItems ) )[i];
#else
	SOLVE( StretchItem ) item;
	item.pair = ( (global const PAIR*)( body->flesh + body->layout->stretchPoints ) )[i];
	item.numbers = ( (global const float4*)( body->flesh + body->layout->stretchItems ) )[i];
	return item;
#endif
}

static inline uint SOLVE( Stretch )( const SOLVE( Body ) * body, const SOLVE( StretchItem ) * item, int i )
{
	SPACE float* points = body->points;
	constant supCrowdLayout* layout = body->layout;
#if SHORT_ITEMS
	PAIR pair = item->x;
	float4 numbers = (float4)( as_float( item->y ), FromShort( item->z & 0xFFFFu ), FromShort( item->z >> 16 ),
							   FromShort( item->w ) );
#else
	PAIR pair = item->pair;
	float4 numbers = item->numbers;
#endif
	uint a = FIRST( pair ), b = SECOND( pair );
	Vec3W p1 = AT( a ), p2 = AT( b );
	Vec3W d = Sub( p1, p2 );
#if COMPLIANT
	supCrowdStretchSpring spring =
		( (global const supCrowdStretchSpring*)( body->flesh + layout->stretchSprings ) )[i];
	float multiplier = body->multipliers[i];
	float step = StretchStep( d, numbers.x, spring.firstMass + spring.secondMass,
							  spring.compliance * body->softness, &multiplier );
	body->multipliers[i] = multiplier;
	float firstScale = spring.firstMass * step;
	float secondScale = -spring.secondMass * step;
#else
	float ratio = StretchRatio( d, numbers.x, numbers.w ) * body->stiffness;
	float firstScale = -numbers.y * ratio;
	float secondScale = numbers.z * ratio;
#endif
	PUT( a, AddScaled( p1, d, firstScale ) );
	PUT( b, AddScaled( p2, d, secondScale ) );
	return 0;
}

static inline SOLVE( BindItem ) SOLVE( ReadBind )( const SOLVE( Body ) * body, int i )
{
	SOLVE( BindItem ) item;
	// as supCrowdBind has them
	item.numbers = ( (global const uint4*)( body->flesh + body->layout->bindItems ) )[i];
	item.anchor = body->anchors[item.numbers.z];
	return item;
}

static inline uint SOLVE( Bind )( const SOLVE( Body ) * body, const SOLVE( BindItem ) * item, int i )
{
	SPACE float* points = body->points;
	constant supCrowdLayout* layout = body->layout;
	uint a = item->numbers.w;
	float length = as_float( item->numbers.x );
	Vec3W p = AT( a );
	Vec3W d = { p.x - item->anchor.x, p.y - item->anchor.y, p.z - item->anchor.z };
#if COMPLIANT
	supCrowdBindSpring spring = ( (global const supCrowdBindSpring*)( body->flesh + layout->bindSprings ) )[i];
	float multiplier = body->multipliers[i];
	float scale =
		spring.mass * StretchStep( d, length, spring.mass, spring.compliance * body->softness, &multiplier );
	body->multipliers[i] = multiplier;
#else
	float scale = -as_float( item->numbers.y ) * ( LengthRatio( d, length ) * body->stiffness );
#endif
	PUT( a, AddScaled( p, d, scale ) );
	return 0;
}

static inline SOLVE( VolumeItem ) SOLVE( ReadVolume )( const SOLVE( Body ) * body, int i )
{
	SOLVE( VolumeItem ) item;
#if SHORT_ITEMS
	item.numbers = ( (global const uint4*)( body->flesh + body->layout->volumeItems ) )[i];
	item.masses = ( (global const uint2*)( body->flesh + body->layout->volumeMasses ) )[i];
#else
	item.quad = ( (global const QUAD*)( body->flesh + body->layout->volumePoints ) )[i];
	item.numbers = ( (global const float4*)( body->flesh + body->layout->volumeItems ) )[2 * i];
	item.masses = ( (global const float4*)( body->flesh + body->layout->volumeItems ) )[2 * i + 1];
#endif
	return item;
}

// Returns whether the tet was inside out.
static inline uint SOLVE( Volume )( const SOLVE( Body ) * body, const SOLVE( VolumeItem ) * item, int i )
{
	SPACE float* points = body->points;
	constant supCrowdLayout* layout = body->layout;
#if SHORT_ITEMS
	QUAD quad = item->numbers.xy;
	float4 numbers = (float4)( as_float( item->numbers.z ), FromShort( item->numbers.w & 0xFFFFu ),
							   FromShort( item->numbers.w >> 16 ), 0.0f );
	float w[4] = { FromShort( item->masses.x & 0xFFFFu ), FromShort( item->masses.x >> 16 ),
				   FromShort( item->masses.y & 0xFFFFu ), FromShort( item->masses.y >> 16 ) };
#else
	QUAD quad = item->quad;
	float4 numbers = item->numbers;
	float w[4] = { item->masses.x, item->masses.y, item->masses.z, item->masses.w };
#endif
	uint corners[4] = { FIRST( quad.x ), SECOND( quad.x ), THIRD( quad ), FOURTH( quad ) };
	Vec3W p[4];
	for ( int k = 0; k < 4; ++k )
	{
		p[k] = AT( corners[k] );
	}
	VolumeGradients v = ComputeVolume( p, w );
	uint inverted;
#if COMPLIANT
	float compliance = ( (global const float*)( body->flesh + layout->volumeSprings ) )[i];
	float multiplier = body->multipliers[i];
	float step = VolumeSpringStep( &v, numbers.x, compliance * body->softness, numbers.z, &multiplier, &inverted );
	body->multipliers[i] = multiplier;
#else
	float step = VolumeStep( &v, numbers.x, numbers.y * body->stiffness, numbers.z, &inverted );
#endif
	for ( int k = 0; k < 4; ++k )
	{
		PUT( corners[k], AddScaled( p[k], v.g[k], w[k] * step ) );
	}
	return inverted;
}

// All waves of a kind, one after the other. The first constraint of the next wave is read before the barrier.
#define DEFINE_PASS( name, Item, Read, Solve )                                                                         \
	static inline uint name( const SOLVE( Body ) * body, global const int* starts, int waveCount )                     \
	{                                                                                                                  \
		int lid = get_local_id( 0 ), size = get_local_size( 0 );                                                       \
		int at = lid, end = waveCount > 0 ? starts[1] : 0;                                                             \
		bool has = at < end;                                                                                           \
		uint found = 0;                                                                                                \
		Item next;                                                                                                     \
		if ( has )                                                                                                     \
		{                                                                                                              \
			next = Read( body, at );                                                                                   \
		}                                                                                                              \
		for ( int wave = 0; wave < waveCount; ++wave )                                                                 \
		{                                                                                                              \
			int nextEnd = starts[min( wave + 2, waveCount )];                                                          \
			while ( has )                                                                                              \
			{                                                                                                          \
				Item item = next;                                                                                      \
				int index = at;                                                                                        \
				at += size;                                                                                            \
				has = at < end;                                                                                        \
				if ( has )                                                                                             \
				{                                                                                                      \
					next = Read( body, at );                                                                           \
				}                                                                                                      \
				found |= Solve( body, &item, index );                                                                  \
			}                                                                                                          \
			at = end + lid;                                                                                            \
			end = nextEnd;                                                                                             \
			has = at < end;                                                                                            \
			if ( has )                                                                                                 \
			{                                                                                                          \
				next = Read( body, at );                                                                               \
			}                                                                                                          \
			FENCE();                                                                                                   \
		}                                                                                                              \
		return found;                                                                                                  \
	}

DEFINE_PASS( SOLVE( StretchPass ), SOLVE( StretchItem ), SOLVE( ReadStretch ), SOLVE( Stretch ) )
DEFINE_PASS( SOLVE( BindPass ), SOLVE( BindItem ), SOLVE( ReadBind ), SOLVE( Bind ) )
DEFINE_PASS( SOLVE( VolumePass ), SOLVE( VolumeItem ), SOLVE( ReadVolume ), SOLVE( Volume ) )

#undef DEFINE_PASS

static inline uint SOLVE( Iterate )( SPACE float* points, constant supCrowdLayout* layout, global const uchar* flesh,
									 global uchar* state, const supCrowdJob* job )
{
	global const int* stretches = FLESH( int, stretchWaves );
	global const int* binds = FLESH( int, bindWaves );
	global const int* volumes = FLESH( int, volumeWaves );
	global float* stretchMultipliers = STATE( float, multipliers );
	global float* bindMultipliers = stretchMultipliers + stretches[layout->stretchWaveCount];
	global float* volumeMultipliers = bindMultipliers + binds[layout->bindWaveCount];
	SOLVE( Body ) body = { points, layout, flesh, STATE( float4, anchors ), stretchMultipliers, job->softness, 0.0f };
	uint inverted = 0;
	for ( int iteration = 0; iteration < job->iterations; ++iteration )
	{
		body.multipliers = stretchMultipliers;
		body.stiffness = job->stretch;
		SOLVE( StretchPass )( &body, stretches, layout->stretchWaveCount );
		body.multipliers = bindMultipliers;
		body.stiffness = job->bind;
		SOLVE( BindPass )( &body, binds, layout->bindWaveCount );
		body.multipliers = volumeMultipliers;
		body.stiffness = job->volume;
		inverted = SOLVE( VolumePass )( &body, volumes, layout->volumeWaveCount );
	}
	return inverted;
}
