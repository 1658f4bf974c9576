// SPDX-License-Identifier: MIT
// From tetrahedra, bones and weights to constraints in packs.
#include "math/exponential.h"
#include "method/position/position.h"
#include "method/position/short_float.h"
#include "volume/tets/tet_topology.h"
#include "volume/weights/point_weights.h"

#include <math.h>

// Byte offsets of particles are 32 bits.
#define MAX_PARTICLES ( 1 << 27 )

// A particle lighter than this part of the mean would be thrown about by its neighbours.
#define LEAST_MASS 0.1

// Along the longest axis of a body, when its points are sorted: a small part of an edge.
#define SORTING_STEPS 4096.0f

typedef struct Bind
{
	int32_t particle;
	int32_t bone;
	supVec3 anchor;
	float length;
} Bind;

typedef struct Builder
{
	supArena scratch;
	const supPositionDef* def;
	supPositionFlesh* flesh;
	supTets tets; // in the order of particles; owns nothing
	supPieceStarts pieces;
	int32_t edgeCount;
	int32_t* edges;
	float* edgeModuli; // volume around each times Young's modulus
	int32_t bindCount;
	Bind* binds;
	int32_t solidCount; // tets that have a volume
	int32_t* solids;    // four particles each
	int32_t* solidTets;
} Builder;

static const supTissue s_muscle = { .density = 1060.0f, .stiffness = 30.0e3f, .poisson = 0.49f, .damping = 0.3f };

static supTissue TissueOf( const Builder* builder, int32_t tet )
{
	return builder->def->tissues != NULL ? builder->def->tissues[tet] : s_muscle;
}

// ---------------------------------------------------------------------------------------------------------------------
// Particles

static bool AllocParticles( Builder* builder )
{
	supPositionFlesh* flesh = builder->flesh;
	supArena* arena = &flesh->arena;
	size_t padded = (size_t)flesh->paddedCount;
	size_t slots = (size_t)flesh->particleCount * (size_t)flesh->influences;
	flesh->rest = supArena_AllocArray( arena, padded, sizeof( supVec3 ) );
	flesh->inverseMasses = supArena_AllocArray( arena, padded, sizeof( float ) );
	flesh->softness = supArena_AllocArray( arena, padded, sizeof( float ) );
	flesh->regions = supArena_AllocArray( arena, padded, sizeof( int32_t ) );
	flesh->reaches = supArena_AllocArray( arena, padded, sizeof( float ) );
	flesh->joints = supArena_AllocArray( arena, slots, sizeof( uint16_t ) );
	flesh->weights = supArena_AllocArray( arena, slots, sizeof( float ) );
	flesh->particleOfPoint = supArena_AllocArray( arena, (size_t)flesh->particleCount, sizeof( int32_t ) );
	flesh->tets = supArena_AllocArray( arena, (size_t)flesh->tetCount, 4 * sizeof( int32_t ) );
	return arena->failed == false;
}

// What the constraints of each point take, a corner of a tet as 1. A point inside has half as many edges as tets and
// two more; half of each is its own, and a tet takes 2.6 times as long as an edge.
static void CountCosts( const supTets* tets, int32_t* costs )
{
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		costs[i] = 2;
	}
	for ( int32_t i = 0; i < 4 * tets->tetCount; ++i )
	{
		costs[tets->indices[i]] += 1;
	}
}

// Points on the steps of a fine grid, for sorting: coordinates that differ by rounding only count as equal. Otherwise
// the order of constraints, and with it the result of a dozen iterations, would depend on the last bits of the input.
static void RoundPoints( const supTets* tets, supVec3* rounded )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		box = supBox_Include( box, tets->points[i] );
	}
	supVec3 size = supBox_Size( box );
	float longest = supMaxFloat( supMaxFloat( size.x, size.y ), size.z );
	float scale = longest > 0.0f ? SORTING_STEPS / longest : 0.0f;
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		supVec3 p = supScale( scale, supSub( tets->points[i], box.lower ) );
		rounded[i] = supMakeVec3( floorf( p.x + 0.5f ), floorf( p.y + 0.5f ), floorf( p.z + 0.5f ) );
	}
}

static bool PlaceParticles( Builder* builder )
{
	supPositionFlesh* flesh = builder->flesh;
	const supPositionDef* def = builder->def;
	const supTets* tets = def->tets;
	int32_t count = tets->pointCount;
	int32_t* order = supArena_AllocArray( &builder->scratch, (size_t)count, sizeof( int32_t ) );
	int32_t* costs = supArena_AllocArray( &builder->scratch, (size_t)count, sizeof( int32_t ) );
	supVec3* rounded = supArena_AllocArray( &builder->scratch, (size_t)count, sizeof( supVec3 ) );
	if ( builder->scratch.failed || AllocParticles( builder ) == false )
	{
		return false;
	}
	CountCosts( tets, costs );
	RoundPoints( tets, rounded );
	supOrderPoints( rounded, costs, count, order, &builder->pieces );
	if ( supGatherSeams( ( supItems ){ tets->tetCount, 4, tets->indices }, &builder->pieces, count, order ) == false )
	{
		return false;
	}
	memset( flesh->inverseMasses, 0, (size_t)flesh->paddedCount * sizeof( float ) );
	memset( flesh->rest, 0, (size_t)flesh->paddedCount * sizeof( supVec3 ) );
	memset( flesh->softness, 0, (size_t)flesh->paddedCount * sizeof( float ) );
	memset( flesh->regions, 0, (size_t)flesh->paddedCount * sizeof( int32_t ) );
	memset( flesh->reaches, 0, (size_t)flesh->paddedCount * sizeof( float ) );
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t point = order[i];
		size_t influences = (size_t)flesh->influences;
		flesh->particleOfPoint[point] = i;
		flesh->rest[i] = tets->points[point];
		flesh->softness[i] = def->softness != NULL ? supClampFloat( def->softness[point], 0.0f, 1.0f ) : 0.0f;
		flesh->regions[i] = def->regions != NULL ? def->regions[point] : 0;
		memcpy( flesh->joints + (size_t)i * influences, def->joints + (size_t)point * influences,
				influences * sizeof( uint16_t ) );
		memcpy( flesh->weights + (size_t)i * influences, def->weights + (size_t)point * influences,
				influences * sizeof( float ) );
	}
	for ( int32_t i = 0; i < 4 * tets->tetCount; ++i )
	{
		flesh->tets[i] = flesh->particleOfPoint[tets->indices[i]];
	}
	builder->tets =
		( supTets ){ .pointCount = count, .points = flesh->rest, .tetCount = tets->tetCount, .indices = flesh->tets };
	return true;
}

// A quarter of each tet's mass at each of its corners.
static bool WeighParticles( Builder* builder )
{
	supPositionFlesh* flesh = builder->flesh;
	size_t count = (size_t)flesh->particleCount;
	double* masses = supArena_AllocArray( &builder->scratch, count, sizeof( double ) );
	if ( masses == NULL )
	{
		return false;
	}
	memset( masses, 0, count * sizeof( double ) );
	double total = 0.0;
	for ( int32_t i = 0; i < flesh->tetCount; ++i )
	{
		double volume = supTets_Volume( &builder->tets, i );
		double mass = ( volume > 0.0 ? volume : -volume ) * (double)TissueOf( builder, i ).density;
		total += mass;
		for ( int32_t k = 0; k < 4; ++k )
		{
			masses[flesh->tets[4 * i + k]] += 0.25 * mass;
		}
	}
	double mean = total / (double)count;
	flesh->meanMass = (float)mean;
	for ( size_t i = 0; i < count; ++i )
	{
		double part = mean > 0.0 ? masses[i] / mean : 1.0;
		flesh->inverseMasses[i] = RoundToShort( (float)( 1.0 / ( part > LEAST_MASS ? part : LEAST_MASS ) ) );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Edges and tets

static float Bond( const supPositionFlesh* flesh, int32_t a, int32_t b )
{
	size_t first = (size_t)a * (size_t)flesh->influences, second = (size_t)b * (size_t)flesh->influences;
	return supWeightBond( flesh->joints + first, flesh->weights + first, flesh->joints + second,
						  flesh->weights + second, flesh->influences );
}

static float WeakestBond( const supPositionFlesh* flesh, const int32_t* corners )
{
	float weakest = 1.0f;
	for ( int32_t k = 0; k < 6; ++k )
	{
		weakest = supMinFloat( weakest, Bond( flesh, corners[supTetEdges[k][0]], corners[supTetEdges[k][1]] ) );
	}
	return weakest;
}

// A tet between parts that only lie near each other, before tets are sorted.
static bool IsBridge( const Builder* builder, int32_t tet )
{
	return builder->def->bridges != NULL && builder->def->bridges[tet] != 0;
}

// The edge between two particles; all edges of tets are there.
static int32_t FindEdge( const Builder* builder, int32_t a, int32_t b )
{
	int32_t low = a < b ? a : b;
	int32_t high = a < b ? b : a;
	int32_t begin = 0;
	int32_t end = builder->edgeCount;
	while ( end - begin > 1 )
	{
		int32_t middle = begin + ( end - begin ) / 2;
		const int32_t* points = builder->edges + 2 * (size_t)middle;
		bool before = points[0] != low ? points[0] < low : points[1] <= high;
		begin = before ? middle : begin;
		end = before ? end : middle;
	}
	return begin;
}

static float EdgeLength( const Builder* builder, int32_t edge )
{
	const int32_t* points = builder->edges + 2 * (size_t)edge;
	return supDistance( builder->flesh->rest[points[0]], builder->flesh->rest[points[1]] );
}

static bool FindEdges( Builder* builder )
{
	supPositionFlesh* flesh = builder->flesh;
	if ( supTets_Edges( &builder->tets, &builder->scratch, &builder->edgeCount, &builder->edges, NULL ) == false )
	{
		return false;
	}
	builder->edgeModuli = supArena_AllocArray( &builder->scratch, (size_t)builder->edgeCount, sizeof( float ) );
	uint8_t* isFlesh = supArena_AllocZeroed( &builder->scratch, (size_t)builder->edgeCount + 1 );
	if ( builder->scratch.failed )
	{
		return false;
	}
	memset( builder->edgeModuli, 0, (size_t)builder->edgeCount * sizeof( float ) );
	for ( int32_t i = 0; i < flesh->tetCount; ++i )
	{
		if ( IsBridge( builder, i ) )
		{
			continue;
		}
		float share = (float)supTets_Volume( &builder->tets, i ) * TissueOf( builder, i ).stiffness / 6.0f;
		const int32_t* corners = flesh->tets + 4 * (size_t)i;
		for ( int32_t k = 0; k < 6; ++k )
		{
			int32_t edge = FindEdge( builder, corners[supTetEdges[k][0]], corners[supTetEdges[k][1]] );
			builder->edgeModuli[edge] += supMaxFloat( share, 0.0f );
			isFlesh[edge] = 1;
		}
	}
	// points at the same place have no direction to be pushed in
	double sum = 0.0;
	int32_t kept = 0;
	for ( int32_t i = 0; i < builder->edgeCount; ++i )
	{
		float length = EdgeLength( builder, i );
		const int32_t* ends = builder->edges + 2 * (size_t)i;
		if ( isFlesh[i] != 0 && length > 0.0f && Bond( flesh, ends[0], ends[1] ) >= SUP_LEAST_BOND )
		{
			memmove( builder->edges + 2 * (size_t)kept, builder->edges + 2 * (size_t)i, 2 * sizeof( int32_t ) );
			builder->edgeModuli[kept] = builder->edgeModuli[i];
			kept += 1;
			sum += (double)length;
		}
	}
	builder->edgeCount = kept;
	flesh->edgeCount = kept;
	flesh->edge = kept > 0 ? (float)( sum / (double)kept ) : 1.0f;
	return true;
}

static float MeanEdge( const supPositionFlesh* flesh, const int32_t* corners )
{
	float sum = 0.0f;
	for ( int32_t k = 0; k < 6; ++k )
	{
		sum += supDistance( flesh->rest[corners[supTetEdges[k][0]]], flesh->rest[corners[supTetEdges[k][1]]] );
	}
	return sum / 6.0f;
}

// Tets without a volume have nothing to keep, nor have those between parts that do not belong together.
static bool FindSolids( Builder* builder )
{
	supPositionFlesh* flesh = builder->flesh;
	builder->solids = supArena_AllocArray( &builder->scratch, (size_t)flesh->tetCount, 4 * sizeof( int32_t ) );
	builder->solidTets = supArena_AllocArray( &builder->scratch, (size_t)flesh->tetCount, sizeof( int32_t ) );
	if ( builder->scratch.failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < flesh->tetCount; ++i )
	{
		double edge = (double)MeanEdge( flesh, flesh->tets + 4 * i );
		if ( IsBridge( builder, i ) == false && supTets_Volume( &builder->tets, i ) > 1e-6 * edge * edge * edge &&
			 WeakestBond( flesh, flesh->tets + 4 * (size_t)i ) >= SUP_LEAST_BOND )
		{
			memcpy( builder->solids + 4 * (size_t)builder->solidCount, flesh->tets + 4 * (size_t)i,
					4 * sizeof( int32_t ) );
			builder->solidTets[builder->solidCount++] = i;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Binds

typedef struct Projection
{
	supVec3 place;
	float distance;
	float t; // along the segment, 0..1
	int32_t bone;
	int32_t segment;
} Projection;

static Projection ProjectOnBone( const supBones* bones, int32_t bone, supVec3 p )
{
	Projection best = { .distance = -1.0f, .bone = bone };
	for ( int32_t i = bones->segmentStarts[bone]; i < bones->segmentStarts[bone + 1]; ++i )
	{
		supVec3 a = bones->segments[i].a;
		supVec3 along = supSub( bones->segments[i].b, a );
		float square = supLengthSquared( along );
		float t = square > 0.0f ? supClampFloat( supDot( supSub( p, a ), along ) / square, 0.0f, 1.0f ) : 0.0f;
		supVec3 place = supMulAdd( a, t, along );
		float distance = supDistance( place, p );
		if ( best.distance < 0.0f || distance < best.distance )
		{
			best = ( Projection ){ place, distance, t, bone, i };
		}
	}
	return best;
}

// The nearest of the bones that move the particle: a hand beside the hip is not bound to it.
static Projection FindNearest( const Builder* builder, int32_t particle )
{
	const supPositionFlesh* flesh = builder->flesh;
	Projection best = { .distance = -1.0f };
	for ( int32_t i = 0; i < flesh->influences; ++i )
	{
		size_t slot = (size_t)particle * (size_t)flesh->influences + (size_t)i;
		if ( flesh->weights[slot] >= 0.05f )
		{
			Projection p = ProjectOnBone( builder->def->bones, flesh->joints[slot], flesh->rest[particle] );
			if ( p.distance >= 0.0f && ( best.distance < 0.0f || p.distance < best.distance ) )
			{
				best = p;
			}
		}
	}
	return best;
}

static void AddBind( Builder* builder, int32_t particle, const Projection* p )
{
	float least = 1e-3f * builder->flesh->edge;
	if ( p->distance > least )
	{
		builder->binds[builder->bindCount++] = ( Bind ){ particle, p->bone, p->place, p->distance };
	}
}

// One bind to the nearest bone; near a joint (Eq. 2: outside of the middle two thirds) one to each other bone that
// meets there and moves the particle.
static void BindParticle( Builder* builder, int32_t particle )
{
	supPositionFlesh* flesh = builder->flesh;
	const supBones* bones = builder->def->bones;
	Projection nearest = FindNearest( builder, particle );
	flesh->reaches[particle] = supMaxFloat( nearest.distance, flesh->edge );
	if ( nearest.distance < 0.0f )
	{
		return;
	}
	AddBind( builder, particle, &nearest );
	supVec3 joint = nearest.t < 0.5f ? bones->segments[nearest.segment].a : bones->segments[nearest.segment].b;
	if ( 1.0f / 6.0f <= nearest.t && nearest.t <= 5.0f / 6.0f )
	{
		return;
	}
	for ( int32_t i = 0; i < flesh->influences; ++i )
	{
		size_t slot = (size_t)particle * (size_t)flesh->influences + (size_t)i;
		int32_t bone = flesh->joints[slot];
		if ( bone == nearest.bone || flesh->weights[slot] < 0.05f )
		{
			continue;
		}
		Projection p = ProjectOnBone( bones, bone, flesh->rest[particle] );
		if ( p.distance >= 0.0f && ( supDistance( bones->segments[p.segment].a, joint ) <= 0.1f * flesh->edge ||
									 supDistance( bones->segments[p.segment].b, joint ) <= 0.1f * flesh->edge ) )
		{
			AddBind( builder, particle, &p );
		}
	}
}

static bool BindParticles( Builder* builder )
{
	supPositionFlesh* flesh = builder->flesh;
	size_t most = (size_t)flesh->particleCount * (size_t)( flesh->influences + 1 );
	builder->binds = supArena_AllocArray( &builder->scratch, most, sizeof( Bind ) );
	if ( builder->binds == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < flesh->particleCount; ++i )
	{
		BindParticle( builder, i );
	}
	flesh->bindCount = builder->bindCount;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Packs

// Between bones skin folds and twists, and constraints that insist there fight each other: tets are crushed and pop
// out. So edges and binds give way, the more the more bones share a particle.
#define FOLD_STRETCH 0.2f
#define FOLD_BIND 0.6f

// What is soft is to swing, not to hold itself up: edges and binds give way to tether and volume (section 4 of the
// paper has one stiffness for all constraints of a soft region). By e to the minus this at softness 1, since a dozen
// iterations make much of little. With the root of the softness: flesh that is half as soft would otherwise be held at
// 5 Hz by its edges where its tether alone makes 2.8.
#define SOFT_STRETCH 7.0
#define SOFT_BIND 5.0

// What any edge has of its stiffness beyond SUP_SLACK: more than half fights the volumes.
#define OVERSTRETCH_STIFFNESS_RATIO 0.5f

static float SoftShare( float softness, double decline )
{
	return (float)supExpNegative( -decline * sqrt( (double)softness ) );
}

// 0 where one bone moves the particle alone, 1 where two do in equal parts.
static float Blend( const supPositionFlesh* flesh, int32_t particle )
{
	float sum = 0.0f;
	for ( int32_t i = 0; i < flesh->influences; ++i )
	{
		float weight = flesh->weights[(size_t)particle * (size_t)flesh->influences + (size_t)i];
		sum += weight * weight;
	}
	return supClampFloat( 2.0f * ( 1.0f - sum ), 0.0f, 1.0f );
}

static bool FillStretch( Builder* builder, const int32_t* domains )
{
	supPositionFlesh* flesh = builder->flesh;
	supItems items = { builder->edgeCount, 2, builder->edges };
	if ( supSchedule_Init( &flesh->stretch, &flesh->arena, items, flesh->particleCount, domains, &flesh->levels,
						   true ) == false )
	{
		return false;
	}
	size_t packCount = (size_t)flesh->stretch.packCount;
	flesh->stretchPacks = supArena_AllocArray( &flesh->arena, packCount, sizeof( supStretchPack ) );
	flesh->stretchSprings = supArena_AllocArray( &flesh->arena, packCount, sizeof( supStretchSpring ) );
	for ( size_t i = 0; flesh->arena.failed == false && i < SUP_PACK * packCount; ++i )
	{
		supStretchPack* pack = flesh->stretchPacks + i / SUP_PACK;
		supStretchSpring* spring = flesh->stretchSprings + i / SUP_PACK;
		const int32_t* edge = builder->edges + 2 * (size_t)flesh->stretch.items[i];
		size_t lane = i % SUP_PACK;
		float w1 = flesh->inverseMasses[edge[0]];
		float w2 = flesh->inverseMasses[edge[1]];
		float length = supDistance( flesh->rest[edge[0]], flesh->rest[edge[1]] );
		pack->first[lane] = 16 * (uint32_t)edge[0];
		pack->second[lane] = 16 * (uint32_t)edge[1];
		pack->length[lane] = length;
		float blend = supMaxFloat( Blend( flesh, edge[0] ), Blend( flesh, edge[1] ) );
		float softness = 0.5f * ( flesh->softness[edge[0]] + flesh->softness[edge[1]] );
		float share = supLerpFloat( 1.0f, FOLD_STRETCH, blend ) * SoftShare( softness, SOFT_STRETCH );
		pack->hold[lane] = RoundToShort( supMaxFloat( OVERSTRETCH_STIFFNESS_RATIO / share - 1.0f, 0.0f ) );
		share *= supBondShare( Bond( flesh, edge[0], edge[1] ) );
		share = w1 + w2 > 0.0f ? share / ( w1 + w2 ) : 0.0f;
		pack->firstShare[lane] = RoundToShort( share * w1 );
		pack->secondShare[lane] = RoundToShort( share * w2 );
		spring->firstMass[lane] = w1;
		spring->secondMass[lane] = w2;
		// Springs of constant s V / d^2 over edges in all directions have the shear modulus s / 15; where the volume is
		// kept by others, Young's modulus is three times that.
		float modulus = 5.0f * supMaxFloat( builder->edgeModuli[flesh->stretch.items[i]], 1e-30f );
		spring->compliance[lane] = flesh->meanMass * length * length / modulus;
	}
	return flesh->arena.failed == false;
}

static bool FillBinds( Builder* builder )
{
	supPositionFlesh* flesh = builder->flesh;
	size_t count = (size_t)builder->bindCount;
	int32_t* points = supArena_AllocArray( &builder->scratch, count, sizeof( int32_t ) );
	int32_t* domains = supArena_AllocArray( &builder->scratch, count, sizeof( int32_t ) );
	if ( builder->scratch.failed )
	{
		return false;
	}
	int32_t piece = 0;
	for ( size_t i = 0; i < count; ++i )
	{
		points[i] = builder->binds[i].particle;
		while ( points[i] >= builder->pieces.starts[piece + 1] )
		{
			piece += 1;
		}
		domains[i] = piece;
	}
	supItems items = { builder->bindCount, 1, points };
	if ( supSchedule_Init( &flesh->bind, &flesh->arena, items, flesh->particleCount, domains, &flesh->levels, false ) ==
		 false )
	{
		return false;
	}
	size_t packCount = (size_t)flesh->bind.packCount;
	flesh->bindPacks = supArena_AllocArray( &flesh->arena, packCount, sizeof( supBindPack ) );
	flesh->bindSprings = supArena_AllocArray( &flesh->arena, packCount, sizeof( supBindSpring ) );
	flesh->bindBones = supArena_AllocArray( &flesh->arena, SUP_PACK * packCount, sizeof( int32_t ) );
	flesh->bindAnchors = supArena_AllocArray( &flesh->arena, SUP_PACK * packCount, sizeof( supVec3 ) );
	for ( size_t i = 0; flesh->arena.failed == false && i < SUP_PACK * packCount; ++i )
	{
		const Bind* bind = builder->binds + flesh->bind.items[i];
		size_t lane = i % SUP_PACK;
		float w = flesh->inverseMasses[bind->particle];
		flesh->bindPacks[i / SUP_PACK].particle[lane] = 16 * (uint32_t)bind->particle;
		flesh->bindPacks[i / SUP_PACK].length[lane] = bind->length;
		float share = supLerpFloat( 1.0f, FOLD_BIND, Blend( flesh, bind->particle ) ) *
					  SoftShare( flesh->softness[bind->particle], SOFT_BIND );
		flesh->bindPacks[i / SUP_PACK].share[lane] = w > 0.0f ? share : 0.0f;
		flesh->bindSprings[i / SUP_PACK].mass[lane] = w;
		// a column of muscle as thick as an edge is long, from the bone to the particle
		flesh->bindSprings[i / SUP_PACK].compliance[lane] =
			flesh->meanMass * bind->length / ( s_muscle.stiffness * flesh->edge * flesh->edge );
		flesh->bindBones[i] = bind->bone;
		flesh->bindAnchors[i] = bind->anchor;
	}
	return flesh->arena.failed == false;
}

static bool FillVolumes( Builder* builder, const int32_t* domains )
{
	supPositionFlesh* flesh = builder->flesh;
	supItems items = { builder->solidCount, 4, builder->solids };
	if ( supSchedule_Init( &flesh->volume, &flesh->arena, items, flesh->particleCount, domains, &flesh->levels,
						   false ) == false )
	{
		return false;
	}
	size_t packCount = (size_t)flesh->volume.packCount;
	flesh->volumePacks = supArena_AllocArray( &flesh->arena, packCount, sizeof( supVolumePack ) );
	flesh->volumeSprings = supArena_AllocArray( &flesh->arena, packCount, sizeof( supVolumeSpring ) );
	for ( size_t i = 0; flesh->arena.failed == false && i < SUP_PACK * packCount; ++i )
	{
		supVolumePack* pack = flesh->volumePacks + i / SUP_PACK;
		size_t lane = i % SUP_PACK;
		const int32_t* corners = builder->solids + 4 * (size_t)flesh->volume.items[i];
		int32_t tet = builder->solidTets[flesh->volume.items[i]];
		double volume = supTets_Volume( &builder->tets, tet );
		float lightest = 1e-6f;
		for ( int32_t k = 0; k < 4; ++k )
		{
			pack->corners[k][lane] = 16 * (uint32_t)corners[k];
			lightest = supMaxFloat( lightest, flesh->inverseMasses[corners[k]] );
		}
		float far = 0.16f * MeanEdge( flesh, corners );
		pack->volume[lane] = (float)( 6.0 * volume );
		pack->share[lane] = 1.0f;
		pack->reach[lane] = RoundIfShort( far * far / lightest );
		supTissue tissue = TissueOf( builder, tet );
		float bulk = tissue.stiffness / ( 3.0f * ( 1.0f - 2.0f * supMinFloat( tissue.poisson, 0.499f ) ) );
		flesh->volumeSprings[i / SUP_PACK].compliance[lane] =
			36.0f * flesh->meanMass * (float)volume / supMaxFloat( bulk, 1e-30f );
	}
	return flesh->arena.failed == false;
}

static bool FillPacks( Builder* builder )
{
	supPositionFlesh* flesh = builder->flesh;
	supItems kinds[2] = { { builder->edgeCount, 2, builder->edges }, { builder->solidCount, 4, builder->solids } };
	int32_t* domains[2];
	for ( int32_t i = 0; i < 2; ++i )
	{
		domains[i] = supArena_AllocArray( &builder->scratch, (size_t)kinds[i].count, sizeof( int32_t ) );
	}
	return builder->scratch.failed == false &&
		   supSortIntoDomains( kinds, 2, flesh->particleCount, &builder->pieces, domains, &flesh->levels ) &&
		   FillStretch( builder, domains[0] ) && FillBinds( builder ) && FillVolumes( builder, domains[1] );
}

// ---------------------------------------------------------------------------------------------------------------------

// Flesh first: what only lies between parts that do not belong together holds no volume, but may hold vertices.
static bool SortTets( Builder* builder )
{
	supPositionFlesh* flesh = builder->flesh;
	int32_t* rest = supArena_AllocArray( &builder->scratch, (size_t)flesh->tetCount, 4 * sizeof( int32_t ) );
	if ( rest == NULL )
	{
		return false;
	}
	int32_t solid = 0;
	int32_t restCount = 0;
	for ( int32_t i = 0; i < flesh->tetCount; ++i )
	{
		bool isSolid = solid < builder->solidCount && builder->solidTets[solid] == i;
		int32_t* place = isSolid ? flesh->tets + 4 * (size_t)solid++ : rest + 4 * (size_t)restCount++;
		memmove( place, flesh->tets + 4 * (size_t)i, 4 * sizeof( int32_t ) );
	}
	memcpy( flesh->tets + 4 * (size_t)solid, rest, 4 * (size_t)restCount * sizeof( int32_t ) );
	flesh->solidCount = solid;
	builder->tets.tetCount = solid;
	return true;
}

static bool CopySettings( Builder* builder )
{
	supPositionFlesh* flesh = builder->flesh;
	size_t count = (size_t)flesh->regionCount;
	flesh->parameters =
		supArena_CopyArray( &flesh->arena, builder->def->parameters, sup_positionParameterCount, sizeof( float ) );
	flesh->tunings = supArena_AllocArray( &flesh->arena, count, sizeof( supRegionTuning ) );
	if ( flesh->arena.failed )
	{
		return false;
	}
	memset( flesh->tunings, 0, count * sizeof( supRegionTuning ) );
	if ( builder->def->tunings != NULL )
	{
		memcpy( flesh->tunings, builder->def->tunings, count * sizeof( supRegionTuning ) );
	}
	return true;
}

static bool CopyBones( Builder* builder )
{
	supPositionFlesh* flesh = builder->flesh;
	const supBones* bones = builder->def->bones;
	flesh->boneCount = bones->count;
	flesh->boneNodes = supArena_AllocArray( &flesh->arena, (size_t)bones->count, sizeof( int32_t ) );
	flesh->boneInverses = supArena_AllocArray( &flesh->arena, (size_t)bones->count, sizeof( supMat34 ) );
	for ( int32_t i = 0; flesh->arena.failed == false && i < bones->count; ++i )
	{
		flesh->boneNodes[i] = bones->nodes != NULL ? bones->nodes[i] : i;
		flesh->boneInverses[i] = supMat34_identity;
		flesh->boneInverses[i].t = supNeg( bones->joints[i] );
	}
	return flesh->arena.failed == false;
}

bool supPositionFlesh_Init( supPositionFlesh* flesh, const supPositionDef* def, supError* error )
{
	if ( def->tets->tetCount < 1 || def->bones->count < 1 || def->tets->pointCount >= MAX_PARTICLES )
	{
		return supSetError( error, sup_errorArgument, "position", "a body of %d tetrahedra, %d points and %d bones",
							def->tets->tetCount, def->tets->pointCount, def->bones->count );
	}
	Builder builder = { .def = def, .flesh = flesh };
	flesh->mode = (supPositionMode)(int32_t)def->parameters[sup_positionMode];
	flesh->start = def->parameters[sup_positionStart] > 0.5f ? sup_skinningDualQuaternion : sup_skinningLinear;
	flesh->particleCount = def->tets->pointCount;
	flesh->paddedCount = ( flesh->particleCount + SUP_PACK - 1 ) / SUP_PACK * SUP_PACK;
	flesh->influences = def->influences;
	flesh->regionCount = def->regionCount > 0 ? def->regionCount : 1;
	flesh->tetCount = def->tets->tetCount;
	bool ok = PlaceParticles( &builder ) && WeighParticles( &builder ) && FindEdges( &builder ) &&
			  FindSolids( &builder ) && BindParticles( &builder ) && FillPacks( &builder ) && CopyBones( &builder ) &&
			  CopySettings( &builder ) && SortTets( &builder ) && supPosition_FindParts( flesh, &builder.tets );
	supArena_Destroy( &builder.scratch );
	if ( ok == false )
	{
		supPositionFlesh_Destroy( flesh );
		supSetMemoryError( error );
	}
	return ok;
}

void supPositionFlesh_Destroy( supPositionFlesh* flesh )
{
	supSurfaceBinding_Destroy( &flesh->binding );
	supArena_Destroy( &flesh->arena );
	*flesh = ( supPositionFlesh ){ 0 };
}
