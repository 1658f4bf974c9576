// SPDX-License-Identifier: MIT
#include "method/fem/solver_kernel.h"

#include "linear/wide_double.h"

SUP_WIDE supDouble4 MulColumns( const double* columns, supDouble4 a )
{
	return supLoad4d( columns ) * supSplat4d( a[0] ) + supLoad4d( columns + 4 ) * supSplat4d( a[1] ) +
		   supLoad4d( columns + 8 ) * supSplat4d( a[2] );
}

// Where a frame puts a sum of weighted positions: p is that sum, and the sum of the weights in its last lane.
SUP_WIDE supDouble4 Place( const double* columns, const double* p )
{
	return ( supLoad4d( columns ) * supSplat4d( p[0] ) + supLoad4d( columns + 4 ) * supSplat4d( p[1] ) ) +
		   ( supLoad4d( columns + 8 ) * supSplat4d( p[2] ) + supLoad4d( columns + 12 ) * supSplat4d( p[3] ) );
}

// At rest, and 1.
SUP_WIDE void LoadRest( const supFemModel* model, int32_t function, double rest[4] )
{
	supVec3 p = model->rests[function];
	rest[0] = (double)p.x;
	rest[1] = (double)p.y;
	rest[2] = (double)p.z;
	rest[3] = 1.0;
}

SUP_WIDE void Store3( double* to, supDouble4 a )
{
	to[0] = a[0];
	to[1] = a[1];
	to[2] = a[2];
}

void SUP_KERNEL( supFemAim )( const supFemModel* model, const supFemState* state )
{
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		if ( model->isKnown[i] )
		{
			continue;
		}
		double rest[4];
		LoadRest( model, i, rest );
		supDouble4 sum = { 0 };
		int32_t end = model->claimStarts[i + 1];
		for ( int32_t k = model->claimStarts[i]; k < end; )
		{
			// claims of one frame stand side by side
			int32_t frame = model->claims[k].frame;
			double weight = 0.0;
			for ( ; k < end && model->claims[k].frame == frame; ++k )
			{
				const supFrameShare* claim = model->claims + k;
				weight += supFemMix( claim->pair, (double)claim->straight, (double)claim->turned, state->gates );
			}
			if ( weight > 0.0 )
			{
				sum += supSplat4d( weight ) * Place( state->maps[frame].clip, rest );
			}
		}
		Store3( state->targets + 3 * (size_t)i, sum );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Right-hand sides

void SUP_KERNEL( supFemPushAll )( const supFemModel* model, const supFemState* state, const supFemStep* step )
{
	supDouble4 h = supSplat4d( step->dt ), air = supSplat4d( step->dt * step->air );
	supDouble4 drift = h * ( supDouble4 ){ (double)step->wind.x, (double)step->wind.y, (double)step->wind.z, 0.0 };
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		supDouble4 x = supLoad4d( state->x + 3 * (size_t)i ), hv = h * supLoad4d( state->v + 3 * (size_t)i );
		supDouble4 now = x + hv + air * ( x + drift ), rate = x;
		if ( model->isKnown[i] )
		{
			supDouble4 way = supLoad4d( state->targets + 3 * (size_t)i ) - x;
			now = ( hv - way ) - air * ( way - drift );
			rate = -way;
		}
		supStore4d( state->pushes[i].now, now );
		supStore4d( state->pushes[i].rate, rate );
	}
}

// u of known nodes.
SUP_WIDE void SeeKnown( const supFemSum* sum, const supFemMap* map )
{
	const supFemRegion* region = sum->region;
	for ( int32_t i = region->unknownCount; i < region->nodeCount; ++i )
	{
		double rest[4];
		LoadRest( sum->model, region->functions[i], rest );
		supDouble4 end = supLoad4d( sum->state->targets + 3 * (size_t)region->functions[i] );
		supStore4d( sum->away + 4 * (size_t)( i - region->unknownCount ),
					MulColumns( map->back, end - Place( map->place, rest ) ) );
	}
}

SUP_WIDE void GatherPushes( const supFemSum* sum, double damping, double* to )
{
	supDouble4 scale = supSplat4d( damping );
	for ( int32_t i = 0; i < sum->region->nodeCount; ++i )
	{
		const supFemPush* push = sum->state->pushes + sum->region->functions[i];
		supStore4d( to + 4 * (size_t)i, supLoad4d( push->now ) + scale * supLoad4d( push->rate ) );
	}
}

// M times the pushes, in the world.
SUP_WIDE supDouble4 MulMass( const supBlockMatrix* m, int32_t row, const double* pushes )
{
	supDouble4 even = { 0 }, odd = { 0 };
	int32_t k = m->rowStarts[row], end = m->rowStarts[row + 1];
	for ( ; k + 2 <= end; k += 2 )
	{
		even += supSplat4d( m->values[k] ) * supLoad4d( pushes + 4 * (size_t)m->columns[k] );
		odd += supSplat4d( m->values[k + 1] ) * supLoad4d( pushes + 4 * (size_t)m->columns[k + 1] );
	}
	if ( k < end )
	{
		even += supSplat4d( m->values[k] ) * supLoad4d( pushes + 4 * (size_t)m->columns[k] );
	}
	return even + odd;
}

// K times what known nodes are away.
SUP_WIDE supDouble4 MulBonds( const supFemPart* part, int32_t row, const double* away )
{
	supDouble4 sums[3] = { 0 };
	const double* block = part->bonds + 9 * (size_t)part->bondStarts[row];
	for ( int32_t k = part->bondStarts[row]; k < part->bondStarts[row + 1]; ++k, block += 9 )
	{
		const double* in = away + 4 * (size_t)part->bondNodes[k];
		sums[0] += supLoad4d( block ) * supSplat4d( in[0] );
		sums[1] += supLoad4d( block + 3 ) * supSplat4d( in[1] );
		sums[2] += supLoad4d( block + 6 ) * supSplat4d( in[2] );
	}
	return ( sums[0] + sums[1] ) + sums[2];
}

// Of each part while a region is summed: columns of what the motion of the frame adds, then the pushes of all nodes.
#define UNKNOWN_COLUMNS 0
#define KNOWN_COLUMNS 16
#define PUSHES SUP_FEM_COLUMNS

// Minus where the frame puts unknown nodes and their damping against it; plus that of known ones.
SUP_WIDE void MixColumns( const supFemMap* map, double air, double damping, double* to )
{
	supDouble4 one = supSplat4d( 1.0 + air ), scale = supSplat4d( damping );
	for ( int i = 0; i < 4; ++i )
	{
		supDouble4 now = supLoad4d( map->place + 4 * i ), past = supLoad4d( map->past + 4 * i );
		supStore4d( to + UNKNOWN_COLUMNS + 4 * i, one * now + scale * past );
		supStore4d( to + KNOWN_COLUMNS + 4 * i, scale * ( now - past ) );
	}
}

void SUP_KERNEL( supFemSumRegion )( const supFemSum* sum )
{
	const supFemRegion* region = sum->region;
	const supFemStep* step = sum->step;
	const supFemMap* map = sum->state->maps + region->frame;
	double h = step->dt;
	size_t stride = supFemSum_PartSize( region );
	SeeKnown( sum, map );
	for ( int32_t p = 0; p < region->partCount; ++p )
	{
		double* part = sum->parts + (size_t)p * stride;
		double damping = h * step->tunings[region->parts[p].softRegion].damping;
		MixColumns( map, h * step->air, damping, part );
		GatherPushes( sum, damping, part + PUSHES );
	}
	// gravity, and what holds the rest pose up against it and turns with the bone
	supDouble4 gravity = { (double)step->gravity.x, (double)step->gravity.y, (double)step->gravity.z, 0.0 };
	supDouble4 pull =
		supSplat4d( h * h ) * ( MulColumns( map->back, gravity ) - supSplat4d( 1.0 - step->sag ) * gravity );
	for ( int32_t i = 0; i < region->unknownCount; ++i )
	{
		supDouble4 world = { 0 }, own = supSplat4d( region->loads[i] ) * pull;
		for ( int32_t p = 0; p < region->partCount; ++p )
		{
			const supFemPart* part = region->parts + p;
			const double *at = sum->parts + (size_t)p * stride, *moments = part->moments + 8 * (size_t)i;
			double stiffness = h * h * step->tunings[part->softRegion].stiffness;
			world += MulMass( &part->mass, i, at + PUSHES ) - Place( at + UNKNOWN_COLUMNS, moments ) +
					 Place( at + KNOWN_COLUMNS, moments + 4 );
			own -= supSplat4d( stiffness ) * MulBonds( part, i, sum->away );
			if ( sum->model->hasCarried )
			{
				own -= supSplat4d( stiffness ) * Place( map->lag, part->holdMoments + 4 * (size_t)i );
			}
		}
		own += MulColumns( map->back, world );
		Store3( sum->out + 3 * (size_t)i, own );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// All together

void SUP_KERNEL( supFemBlend )( const supFemModel* model, const supFemState* state, double h )
{
	supDouble4 perStep = supSplat4d( 1.0 / h );
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		double rest[4], whole = 0.0;
		LoadRest( model, i, rest );
		supDouble4 sum = { 0 };
		int32_t end = model->shareStarts[i + 1];
		for ( int32_t k = model->shareStarts[i]; k < end; )
		{
			// shares of one region stand side by side
			const supFemShare* first = model->shares + k;
			double weight = 0.0;
			for ( ; k < end && model->shares[k].region == first->region; ++k )
			{
				const supFemShare* share = model->shares + k;
				weight += supFemMix( share->pair, share->straight, share->turned, state->gates );
			}
			// none: may be of a frame that sleeps
			if ( weight > 0.0 )
			{
				const supFemRegion* region = model->regions + first->region;
				const supFemMap* map = state->maps + region->frame;
				supDouble4 found = supLoad4d( state->solutions + 3 * (size_t)( region->solutionStart + first->node ) );
				sum += supSplat4d( weight ) * ( Place( map->place, rest ) + MulColumns( map->turn, found ) );
				whole += weight;
			}
		}
		double *x = state->x + 3 * (size_t)i, *v = state->v + 3 * (size_t)i;
		supDouble4 before = supLoad4d( x ), after = supLoad4d( state->targets + 3 * (size_t)i );
		if ( model->isKnown[i] == 0 && whole > 0.0 )
		{
			after = sum / supSplat4d( whole );
		}
		Store3( v, ( after - before ) * perStep );
		Store3( x, after );
	}
}
