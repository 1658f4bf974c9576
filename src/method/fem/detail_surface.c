// SPDX-License-Identifier: MIT
// Finer functions on the skin.
#include "method/fem/detail.h"

static void Hold( const supDetailState* state, int32_t function )
{
	for ( int32_t i = 0; i < state->header->heldCount; ++i )
	{
		if ( state->held[i] == function )
		{
			return;
		}
	}
	if ( state->header->heldCount < SUP_MAX_HELD )
	{
		state->held[state->header->heldCount++] = function;
	}
}

int32_t supFemDetail_FindAt( const supFemDetail* detail, const supDetailState* state, const supSurfacePoint* point,
							 int32_t firstVertex, int32_t most, int32_t* slots, float* values )
{
	int32_t count = 0;
	for ( int corner = 0; detail->count > 0 && corner < 3; ++corner )
	{
		int32_t vertex = firstVertex + point->vertices[corner];
		for ( int32_t k = detail->seenStarts[vertex]; k < detail->seenStarts[vertex + 1]; ++k )
		{
			int32_t function = detail->seenFunctions[k], slot = state->slots[function], at = 0;
			float value = point->weights[corner] * detail->skins[SUP_DETAIL_SKIN * (size_t)detail->seenEntries[k]];
			Hold( state, function );
			while ( at < count && slots[at] != slot )
			{
				at += 1;
			}
			if ( slot >= 0 && at < most )
			{
				values[at] = ( at < count ? values[at] : 0.0f ) + value;
				slots[at] = slot;
				count = at < count ? count : count + 1;
			}
		}
	}
	return count;
}

// n ( 1 + y.g ) - g ( y.n ): the cofactor of I + y g^T to first order.
static supVec3 TurnNormal( supVec3 n, supVec3 y, supVec3 g )
{
	return supSub( supScale( 1.0f + supDot( y, g ), n ), supScale( supDot( y, n ), g ) );
}

static void Normalise( int32_t vertex, const supSkinOutput* output )
{
	supVec3* n = output->normals + vertex;
	*n = supDot( *n, *n ) > 0.0f ? supNormalize( *n ) : *n;
	if ( output->tangents != NULL )
	{
		supVec4* t = output->tangents + vertex;
		supVec3 way = { t->x, t->y, t->z };
		way = supDot( way, way ) > 0.0f ? supNormalize( way ) : way;
		*t = ( supVec4 ){ way.x, way.y, way.z, t->w };
	}
}

typedef struct Moved
{
	supVec3 y;
	supVec3 turn[3]; // columns of R
} Moved;

static Moved MakeMoved( const supDetailState* state, int32_t slot )
{
	double y[3];
	const double* r = state->turns + 9 * (size_t)slot;
	supDetailState_Turn( state, slot, state->z + 3 * (size_t)slot, y );
	Moved moved = { .y = supMakeVec3( (float)y[0], (float)y[1], (float)y[2] ) };
	for ( int i = 0; i < 3; ++i )
	{
		moved.turn[i] = supMakeVec3( (float)r[i], (float)r[3 + i], (float)r[6 + i] );
	}
	return moved;
}

static void MoveVertex( const Moved* moved, const float numbers[SUP_DETAIL_SKIN], int32_t vertex,
						const supSkinOutput* output )
{
	supVec3 g = supScale( numbers[1], moved->turn[0] );
	g = supMulAdd( g, numbers[2], moved->turn[1] );
	g = supMulAdd( g, numbers[3], moved->turn[2] );
	output->positions[vertex] = supMulAdd( output->positions[vertex], numbers[0], moved->y );
	if ( output->normals != NULL )
	{
		output->normals[vertex] = TurnNormal( output->normals[vertex], moved->y, g );
	}
	if ( output->tangents != NULL )
	{
		supVec4* t = output->tangents + vertex;
		float along = supDot( g, supMakeVec3( t->x, t->y, t->z ) );
		*t = ( supVec4 ){ t->x + along * moved->y.x, t->y + along * moved->y.y, t->z + along * moved->y.z, t->w };
	}
}

void supFemDetail_AddToSurface( const supFemDetail* detail, const supDetailState* state, int32_t firstVertex,
								int32_t endVertex, const supSkinOutput* output )
{
	for ( int pass = 0; pass < 2; ++pass )
	{
		for ( int32_t slot = 0; slot < state->header->activeCount; ++slot )
		{
			int32_t function = state->functions[slot];
			Moved moved = MakeMoved( state, slot );
			for ( int32_t k = detail->skinStarts[function]; k < detail->skinStarts[function + 1]; ++k )
			{
				int32_t vertex = detail->skinVertices[k];
				if ( vertex < firstVertex || vertex >= endVertex )
				{
					continue;
				}
				if ( pass == 0 )
				{
					MoveVertex( &moved, detail->skins + SUP_DETAIL_SKIN * (size_t)k, vertex - firstVertex, output );
				}
				else if ( output->normals != NULL )
				{
					Normalise( vertex - firstVertex, output );
				}
			}
		}
	}
}

void supFemDetail_FillLevels( const supFemDetail* detail, const supDetailState* state, int32_t firstVertex,
							  int32_t endVertex, float* levels )
{
	for ( int32_t slot = 0; slot < state->header->activeCount; ++slot )
	{
		int32_t function = state->functions[slot], level = 1;
		while ( function >= detail->levelStarts[level] )
		{
			level += 1;
		}
		for ( int32_t k = detail->skinStarts[function]; k < detail->skinStarts[function + 1]; ++k )
		{
			int32_t vertex = detail->skinVertices[k];
			if ( vertex >= firstVertex && vertex < endVertex )
			{
				float* to = levels + vertex - firstVertex;
				*to = supMaxFloat( *to, (float)level / (float)detail->levelCount );
			}
		}
	}
}
