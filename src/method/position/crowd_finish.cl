// After the iterations: inverted tets, volumes, velocities, frames. Part of crowd.cl.

// What a work-group shares while it finishes an actor.
typedef struct Shared
{
	int first;
	int count;
	uint moved;
	float box[6];
} Shared;

static inline supVec3 PointAt( global const float4* positions, int i )
{
	return Xyz( positions[i] );
}

// ---------------------------------------------------------------------------------------------------------------------
// Inverted tets

static float TetAt( global const float4* positions, global const int* corners, supVec3 edges[3] )
{
	supVec3 o = PointAt( positions, corners[0] );
	for ( int k = 0; k < 3; ++k )
	{
		edges[k] = supSub( PointAt( positions, corners[k + 1] ), o );
	}
	return EdgesVolume( edges[0], edges[1], edges[2] );
}

static void MoveToSkin( global float4* positions, global const float4* skinned, global const float* masses,
						global const int* corners, float part )
{
	for ( int k = 0; k < 4; ++k )
	{
		float4 place = positions[corners[k]];
		place += ( skinned[corners[k]] - place ) * part;
		place.w = masses[corners[k]];
		positions[corners[k]] = place;
	}
}

// Each tet that is righted moves corners of others, and those that come later are judged where these are then. So the
// first that is inverted is looked for by all, righted by one, and then the next after it.
static int RightInverted( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state,
						  local Shared* shared )
{
	global float4* positions = STATE( float4, positions );
	global const float4* skinned = STATE( float4, skinned );
	supVec3 e[3], s[3];
	int inverted = 0;
	for ( int begin = 0; begin < layout->solidCount; )
	{
		if ( get_local_id( 0 ) == 0 )
		{
			shared->first = layout->solidCount;
		}
		MEET();
		for ( int i = begin + get_local_id( 0 ); i < layout->solidCount; i += get_local_size( 0 ) )
		{
			if ( !( TetAt( positions, FLESH( int, tets ) + 4 * i, e ) > 0.0f ) )
			{
				atomic_min( &shared->first, i );
				break;
			}
		}
		MEET();
		int found = shared->first;
		if ( found < layout->solidCount )
		{
			inverted += 1;
			if ( get_local_id( 0 ) == 0 )
			{
				global const int* corners = FLESH( int, tets ) + 4 * found;
				TetAt( positions, corners, e );
				if ( IsOnLine( e[0], e[1], e[2] ) )
				{
					MoveToSkin( positions, skinned, FLESH( float, inverseMasses ), corners, 1.0f );
				}
				else if ( TetAt( skinned, corners, s ) > 0.0f )
				{
					MoveToSkin( positions, skinned, FLESH( float, inverseMasses ), corners, UNTANGLE );
				}
			}
			MEET();
		}
		begin = found + 1;
	}
	return inverted;
}

// ---------------------------------------------------------------------------------------------------------------------
// Volumes of parts

// Adds up the partial sums in `room`, as FoldSums does.
static double FoldShared( local double* room )
{
	MEET_LOCAL();
	for ( int step = PARTIAL_SUMS / 2; step > 0; step /= 2 )
	{
		FOR_ALL( i, step )
		{
			room[i] += room[i + step];
		}
		MEET_LOCAL();
	}
	double sum = room[0];
	// nobody goes on to the next sum before all have read this one
	MEET_LOCAL();
	return sum;
}

static double MeasurePart( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state, int part,
						   local double* room )
{
	global const float4* positions = STATE( float4, positions );
	int begin = FLESH( int, partTriangles )[part], count = FLESH( int, partTriangles )[part + 1] - begin;
	global const int* triangles = FLESH( int, triangles ) + 3 * begin;
	supVec3 origin = count > 0 ? PointAt( positions, triangles[0] ) : supMakeVec3( 0.0f, 0.0f, 0.0f );
	FOR_ALL( n, PARTIAL_SUMS )
	{
		double sum = 0.0;
		for ( int i = n; i < count; i += PARTIAL_SUMS )
		{
			global const int* t = triangles + 3 * i;
			sum += (double)TriangleVolume( PointAt( positions, t[0] ), PointAt( positions, t[1] ),
										   PointAt( positions, t[2] ), origin );
		}
		room[n] = sum;
	}
	return FoldShared( room );
}

static double ComputeGradients( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state,
								int part, local double* room )
{
	global const float4* positions = STATE( float4, positions );
	global supVec3* gradients = STATE( supVec3, gradients );
	global const int* starts = FLESH( int, particleTriangleStarts );
	int begin = FLESH( int, partStarts )[part], count = FLESH( int, partStarts )[part + 1] - begin;
	FOR_ALL( n, PARTIAL_SUMS )
	{
		double sum = 0.0;
		for ( int i = n; i < count; i += PARTIAL_SUMS )
		{
			int particle = FLESH( int, partParticles )[begin + i];
			supVec3 g = supMakeVec3( 0.0f, 0.0f, 0.0f );
			for ( int k = starts[begin + i]; k < starts[begin + i + 1]; ++k )
			{
				global const int* t = FLESH( int, triangles ) + 3 * FLESH( int, particleTriangles )[k];
				g = supAdd( g, TriangleArea( PointAt( positions, t[0] ), PointAt( positions, t[1] ),
											 PointAt( positions, t[2] ) ) );
			}
			gradients[begin + i] = g;
			sum += (double)( FLESH( float, inverseMasses )[particle] * supLengthSquared( g ) );
		}
		room[n] = sum;
	}
	return FoldShared( room );
}

static void MovePart( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state, int part,
					  float step )
{
	global float4* positions = STATE( float4, positions );
	int begin = FLESH( int, partStarts )[part], count = FLESH( int, partStarts )[part + 1] - begin;
	FOR_ALL( i, count )
	{
		int particle = FLESH( int, partParticles )[begin + i];
		supVec3 g = STATE( supVec3, gradients )[begin + i];
		float scale = step * FLESH( float, inverseMasses )[particle];
		float4 p = positions[particle];
		p.x += scale * g.x;
		p.y += scale * g.y;
		p.z += scale * g.z;
		positions[particle] = p;
	}
	MEET();
}

static void KeepParts( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state,
					   local double* room )
{
	for ( int part = 0; part < layout->partCount; ++part )
	{
		double wanted = FLESH( double, partVolumes )[part];
		for ( int i = 0; i < MOST_STEPS && wanted > 0.0; ++i )
		{
			double missing = ClampMissing( wanted - MeasurePart( layout, flesh, state, part, room ), wanted );
			if ( IsWorthAStep( missing, wanted ) == false )
			{
				break;
			}
			double sum = ComputeGradients( layout, flesh, state, part, room );
			if ( !( sum > 0.0 ) )
			{
				break;
			}
			MovePart( layout, flesh, state, part, (float)( missing / sum ) );
		}
	}
}

static void Inflate( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state, double share,
					 local double* room )
{
	for ( int i = 0; i < layout->partCount; ++i )
	{
		double volume = FLESH( double, partVolumes )[i];
		double sum = ComputeGradients( layout, flesh, state, i, room );
		if ( sum > 0.0 && volume > 0.0 )
		{
			MovePart( layout, flesh, state, i, (float)( share * volume / sum ) );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Frames of particles, as bind_frames_kernel.c makes them

// A frame is 16 floats, as supBindFrame has them: three columns of the turn, the shift, the turned place, and a zero.

static void FramePoint( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state, int i )
{
	global const float4* positions = STATE( float4, positions );
	global const float4* skinned = STATE( float4, skinned );
	global const float4* rests = FLESH( float4, restPoints );
	float4 ownMoved = positions[i] - skinned[i], ownSkinned = skinned[i] - rests[i];
	float4 moved[3], turned[3];
	for ( int k = 0; k < 3; ++k )
	{
		moved[k] = turned[k] = supSplat4( 0.0f );
	}
	for ( int k = FLESH( int, neighbourStarts )[i]; k < FLESH( int, neighbourStarts )[i + 1]; ++k )
	{
		float4 g = FLESH( float4, neighbours )[k];
		int neighbour = as_int( g.w );
		float4 a = ( positions[neighbour] - skinned[neighbour] ) - ownMoved;
		float4 b = ( skinned[neighbour] - rests[neighbour] ) - ownSkinned;
		moved[0] += a * g.x;
		moved[1] += a * g.y;
		moved[2] += a * g.z;
		turned[0] += b * g.x;
		turned[1] += b * g.y;
		turned[2] += b * g.z;
	}
	supMat3 turn = { Xyz( moved[0] ), Xyz( moved[1] ), Xyz( moved[2] ) };
	supMat3 around = { Xyz( turned[0] ), Xyz( turned[1] ), Xyz( turned[2] ) };
	around = supBindAddIdentity( around );
	turn = supMulMM( turn, supBindTurnBack( around ) );
	turn = supBindShorten( turn, supBindLongestTurn( around ) );
	supVec3 turnedSkin = supMulMV( turn, Xyz( skinned[i] ) );
	global float4* frame = STATE( float4, frames ) + 4 * i;
	frame[0] = (float4)( turn.cx.x, turn.cx.y, turn.cx.z, turn.cy.x );
	frame[1] = (float4)( turn.cy.y, turn.cy.z, turn.cz.x, turn.cz.y );
	frame[2] = (float4)( turn.cz.z, ownMoved.x, ownMoved.y, ownMoved.z );
	frame[3] = (float4)( turnedSkin.x, turnedSkin.y, turnedSkin.z, 0.0f );
}

static void FrameSurface( constant supCrowdLayout* layout, global const uchar* flesh, global uchar* state )
{
	MEET();
	FOR_ALL( i, layout->vertexCount > 0 ? layout->particleCount : 0 )
	{
		FramePoint( layout, flesh, state, i );
	}
	MEET();
}

static void ShiftFrames( constant supCrowdLayout* layout, global uchar* state )
{
	MEET();
	FOR_ALL( i, layout->particleCount )
	{
		float4 shift = STATE( float4, positions )[i] - STATE( float4, skinned )[i];
		vstore3( shift.xyz, 0, STATE( float, frames ) + 16 * i + 9 );
	}
	MEET();
}
