// SPDX-License-Identifier: MIT
// One place of a drawn surface as a function of the points that carry it: the formula of surface_binding.h for three
// vertices, and its derivative. A shift d_k moves a vertex by w_k d_k, and by what it does to the gradients E around
// each of its points:
//
//     E_k v = f_k sum of ( d_n - d_k ) ( g_n . M_k v )      n the neighbours of k, M_k from the reference to rest,
//                                                          f_k below 1 where the gradient is limited
//
// so that each neighbour has a number as its weight, not a matrix.
#include "character/pose.h"
#include "character/skinning_kernel.h"
#include "volume/binding/bind_turn.h"
#include "volume/binding/surface_binding.h"

// How the flesh around a point is turned.
typedef struct Turn
{
	supMat3 e;
	supMat3 back; // f_k M_k
	bool isLimited;
} Turn;

void supPlaceRow_Add( supPlaceRow* row, int32_t point, float weight )
{
	for ( int32_t i = 0; i < row->count; ++i )
	{
		if ( row->points[i] == point )
		{
			row->weights[i] += weight;
			return;
		}
	}
	if ( row->count < SUP_MAX_ROW )
	{
		row->points[row->count] = point;
		row->weights[row->count++] = weight;
	}
}

static supVec3 Load( const supVec4* v )
{
	return supMakeVec3( v->x, v->y, v->z );
}

static const supVec4* ReferencesOf( const supBoundSurface* surface )
{
	return surface->references != NULL ? surface->references : surface->binding->restPoints;
}

static supMat3 AddOuter( supMat3 m, supVec3 a, supVec3 b )
{
	m.cx = supMulAdd( m.cx, b.x, a );
	m.cy = supMulAdd( m.cy, b.y, a );
	m.cz = supMulAdd( m.cz, b.z, a );
	return m;
}

static supMat3 ScaleMat3( float s, supMat3 m )
{
	return ( supMat3 ){ supScale( s, m.cx ), supScale( s, m.cy ), supScale( s, m.cz ) };
}

static Turn FindTurn( const supBoundSurface* surface, int32_t point )
{
	const supSurfaceBinding* binding = surface->binding;
	const supVec4 *points = surface->points, *references = ReferencesOf( surface ), *rests = binding->restPoints;
	Turn turn = { .back = supMakeMat3Quat( supQuat_identity ) };
	if ( surface->rotations != NULL )
	{
		turn.e = supMakeMat3Quat( surface->rotations[point] );
		turn.e.cx.x -= 1.0f;
		turn.e.cy.y -= 1.0f;
		turn.e.cz.z -= 1.0f;
		return turn;
	}
	int32_t begin = binding->neighbourStarts[point], end = binding->neighbourStarts[point + 1];
	if ( begin == end && surface->frames != NULL )
	{
		const supVec3* columns = surface->frames[point].turn;
		turn.e = ( supMat3 ){ columns[0], columns[1], columns[2] };
		return turn;
	}
	supVec3 shift = supSub( Load( points + point ), Load( references + point ) );
	supVec3 change = supSub( Load( references + point ), Load( rests + point ) );
	supMat3 gradient = { 0 }, skinned = { 0 };
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t n = binding->neighbours[i];
		supVec3 r = Load( references + n );
		gradient = AddOuter( gradient, supSub( supSub( Load( points + n ), r ), shift ), binding->gradients[i] );
		skinned = AddOuter( skinned, supSub( supSub( r, Load( rests + n ) ), change ), binding->gradients[i] );
	}
	float longest = SUP_LONGEST_TURN;
	if ( surface->references != NULL )
	{
		supMat3 f = supBindAddIdentity( skinned );
		turn.back = supBindTurnBack( f );
		longest = supBindLongestTurn( f );
	}
	supMat3 whole = supMulMM( gradient, turn.back );
	turn.e = supBindShorten( whole, longest );
	float squared = supDot( whole.cx, whole.cx ) + supDot( whole.cy, whole.cy ) + supDot( whole.cz, whole.cz );
	turn.isLimited = squared > longest * longest;
	turn.back =
		turn.isLimited ? ScaleMat3( supIsFinite( squared ) ? longest / sqrtf( squared ) : 0.0f, turn.back ) : turn.back;
	return turn;
}

// ---------------------------------------------------------------------------------------------------------------------
// Vertices

static supVec3 RestVertex( const supBoundSurface* surface, int32_t instance, int32_t vertex )
{
	const supSurfaceBinding* binding = surface->binding;
	const supCharacter* character = supPose_Character( surface->pose );
	int32_t vertexCount = binding->vertexStarts[instance + 1] - binding->vertexStarts[instance];
	int32_t targetCount =
		supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh )->targetCount;
	const float* weights = supPose_MorphWeights( surface->pose, instance );
	const float* restWeights = supCharacter_Instance( character, instance )->morphWeights;
	supVec3 position = binding->positions[binding->vertexStarts[instance] + vertex];
	for ( int32_t t = 0; t < targetCount; ++t )
	{
		int64_t at = binding->morphStarts[instance] + (int64_t)t * vertexCount + vertex;
		position = supMulAdd( position, weights[t] - restWeights[t], binding->morphs[at] );
	}
	return position;
}

static supVec3 ReferenceVertex( const supBoundSurface* surface, int32_t instance, int32_t vertex )
{
	if ( surface->reference == sup_bindToRest )
	{
		return RestVertex( surface, instance, vertex );
	}
	return supSkinVertex( surface->pose, instance,
						  surface->reference == sup_bindToDual ? sup_skinningDualQuaternion : sup_skinningLinear,
						  vertex );
}

// All points of a vertex.
typedef struct Hung
{
	int32_t count;
	const int32_t* points;
	float weights[8];
	Turn turns[8];
	supVec3 offset; // from the bound place to the vertex
	supVec3 place;  // the bound place
	float carried;  // part of the turned offset that is kept
} Hung;

// Writing blends frames as first + sum of w ( frame - first ), so that the first has what the others leave.
static Hung HangVertex( const supBoundSurface* surface, int32_t vertex, supVec3 position )
{
	const supSurfaceBinding* binding = surface->binding;
	bool toRest = surface->reference == sup_bindToRest;
	const float* weights = binding->weights + (size_t)vertex * (size_t)binding->width;
	Hung hung = { .count = binding->width, .points = binding->points + (size_t)vertex * (size_t)binding->width };
	hung.weights[0] = 1.0f;
	for ( int32_t k = 1; k < hung.count; ++k )
	{
		hung.weights[k] = weights[k];
		hung.weights[0] -= weights[k];
	}
	float share = toRest || binding->skinShares == NULL ? 1.0f : binding->skinShares[vertex];
	for ( int32_t k = 0; k < hung.count; ++k )
	{
		hung.weights[k] *= share;
		hung.turns[k] = hung.weights[k] != 0.0f ? FindTurn( surface, hung.points[k] ) : ( Turn ){ 0 };
	}
	hung.offset = toRest && binding->offsets != NULL ? binding->offsets[vertex] : supVec3_zero;
	hung.place = supSub( position, hung.offset );
	return hung;
}

static supVec3 MoveVertex( const supBoundSurface* surface, Hung* hung, supVec3 position )
{
	const supVec4* references = ReferencesOf( surface );
	supVec3 shift = supVec3_zero, turned = supVec3_zero, carried = hung->offset;
	for ( int32_t k = 0; k < hung->count; ++k )
	{
		supVec3 r = Load( references + hung->points[k] );
		float w = hung->weights[k];
		shift = supMulAdd( shift, w, supSub( Load( surface->points + hung->points[k] ), r ) );
		turned = supMulAdd( turned, w, supMulMV( hung->turns[k].e, supSub( hung->place, r ) ) );
		carried = supMulAdd( carried, w, supMulMV( hung->turns[k].e, hung->offset ) );
	}
	float most = 1.5f * supLength( hung->offset ), length = supLength( carried );
	hung->carried = length > most ? most / length : 1.0f;
	shift = supAdd( shift, supSub( supScale( hung->carried, carried ), hung->offset ) );
	return supAdd( position, supMulAdd( shift, surface->binding->smoothness, turned ) );
}

static void AddVertex( const supBoundSurface* surface, const Hung* hung, float weight, supPlaceRow* row )
{
	const supSurfaceBinding* binding = surface->binding;
	const supVec4* references = ReferencesOf( surface );
	for ( int32_t k = 0; k < hung->count; ++k )
	{
		int32_t point = hung->points[k];
		float share = weight * hung->weights[k], own = share;
		if ( share == 0.0f )
		{
			continue;
		}
		row->isLimited = row->isLimited || hung->turns[k].isLimited;
		supVec3 arm = supScale( binding->smoothness, supSub( hung->place, Load( references + point ) ) );
		arm = supMulMV( hung->turns[k].back, supMulAdd( arm, hung->carried, hung->offset ) );
		bool hasTets = surface->rotations == NULL && supLengthSquared( arm ) > 0.0f;
		for ( int32_t i = binding->neighbourStarts != NULL ? binding->neighbourStarts[point] : 0;
			  hasTets && i < binding->neighbourStarts[point + 1]; ++i )
		{
			float pull = share * supDot( binding->gradients[i], arm );
			own -= pull;
			supPlaceRow_Add( row, binding->neighbours[i], pull );
		}
		supPlaceRow_Add( row, point, own );
	}
	row->isLimited = row->isLimited || hung->carried < 1.0f;
}

void supBoundSurface_FindRow( const supBoundSurface* surface, const supSurfacePoint* place, supPlaceRow* row )
{
	const supSurfaceBinding* binding = surface->binding;
	int32_t first = binding->vertexStarts[place->instance];
	row->count = 0;
	row->position = supVec3_zero;
	row->isConstant = surface->reference == sup_bindToRest;
	row->isLimited = false;
	for ( int32_t corner = 0; corner < 3; ++corner )
	{
		float weight = place->weights[corner];
		int32_t vertex = place->vertices[corner];
		if ( weight == 0.0f )
		{
			continue;
		}
		if ( binding->still[place->instance] )
		{
			supVec3 position = supSkinVertex( surface->pose, place->instance, sup_skinningLinear, vertex );
			row->position = supMulAdd( row->position, weight, position );
			continue;
		}
		supVec3 position = ReferenceVertex( surface, place->instance, vertex );
		Hung hung = HangVertex( surface, first + vertex, position );
		row->position = supMulAdd( row->position, weight, MoveVertex( surface, &hung, position ) );
		AddVertex( surface, &hung, weight, row );
	}
}
