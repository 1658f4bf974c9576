// SPDX-License-Identifier: MIT
#include "sculpt.h"

#define CELLS 40
// the cells of the grid that is filled first are so much larger
#define COARSER 4

// ---------------------------------------------------------------------------------------------------------------------
// One solid

// In the plane of the point and the axis the surface of a cone with round ends is two arcs and the line that touches
// both, whose normal is (cosine, sine).
static float ConeDistance( const sculptSolid* solid, supVec3 p, supVec3* gradient )
{
	supVec3 pa = supSub( p, solid->a );
	float y = supDot( pa, solid->axis );
	supVec3 side = supMulAdd( pa, -y, solid->axis );
	float x = supLength( side );
	float along = solid->cosine * y - solid->sine * x;
	if ( along < 0.0f || along > solid->cosine * solid->length )
	{
		bool atA = along < 0.0f;
		supVec3 d = atA ? pa : supMulAdd( pa, -solid->length, solid->axis );
		float length = supLength( d );
		*gradient = supScale( 1.0f / supMaxFloat( length, 1e-12f ), d );
		return length - ( atA ? solid->ra : solid->rb );
	}
	*gradient = supMulAdd( supScale( solid->sine, solid->axis ), solid->cosine / supMaxFloat( x, 1e-12f ), side );
	return solid->cosine * x + solid->sine * y - solid->ra;
}

// First-order distance k0 (k0 - 1) / k1 with k0 = |p / r|, k1 = |p / r^2|: exact in the limit towards the surface.
static float EllipsoidDistance( const sculptSolid* solid, supVec3 p, supVec3* gradient )
{
	supVec3 q = supSub( p, solid->a );
	supVec3 u = { supDot( solid->rows[0], q ), supDot( solid->rows[1], q ), supDot( solid->rows[2], q ) };
	supVec3 g = { u.x * solid->inverse.x, u.y * solid->inverse.y, u.z * solid->inverse.z };
	supVec3 h = { g.x * solid->inverse.x, g.y * solid->inverse.y, g.z * solid->inverse.z };
	float k0 = supLength( u );
	float k1 = supLength( g );
	if ( k1 < 1e-9f )
	{
		*gradient = supVec3_zero;
		return -solid->least;
	}
	// in the ellipsoid's axes; the rows carry one factor 1 / r each
	float d = k0 * ( k0 - 1.0f ) / k1;
	float alpha = ( 2.0f - 1.0f / k0 ) / k1;
	float beta = d / ( k1 * k1 );
	supVec3 local = { alpha * u.x - beta * h.x, alpha * u.y - beta * h.y, alpha * u.z - beta * h.z };
	supVec3 world = supScale( local.x, solid->rows[0] );
	world = supMulAdd( world, local.y, solid->rows[1] );
	*gradient = supMulAdd( world, local.z, solid->rows[2] );
	return d;
}

static float SolidDistance( const sculptSolid* solid, supVec3 p, supVec3* gradient )
{
	return solid->kind == sculpt_cone ? ConeDistance( solid, p, gradient ) : EllipsoidDistance( solid, p, gradient );
}

// No point within `radius` of p has a smaller distance than this. For ellipsoids: k1 <= k0 / least.
static float LowerBound( const sculptSolid* solid, supVec3 p, float radius )
{
	supVec3 unused;
	if ( solid->kind == sculpt_cone )
	{
		return ConeDistance( solid, p, &unused ) - radius;
	}
	supVec3 q = supSub( p, solid->a );
	supVec3 u = { supDot( solid->rows[0], q ), supDot( solid->rows[1], q ), supDot( solid->rows[2], q ) };
	return ( supLength( u ) - 1.0f ) * solid->least - radius;
}

static sculptSolid MakeSolid( const sculptBlob* blob )
{
	sculptSolid solid = { .kind = blob->kind,
						  .use = blob->use,
						  .blend = blob->blend,
						  .a = blob->a,
						  .fineness = blob->fineness,
						  .joint = blob->joint,
						  .color = blob->color };
	if ( blob->kind == sculpt_cone )
	{
		supVec3 axis = supSub( blob->b, blob->a );
		float length = supLength( axis );
		float dr = blob->ra - blob->rb;
		solid.ra = blob->ra;
		solid.rb = blob->rb;
		solid.cosine = 1.0f;
		// one end may swallow the other: then it is a ball, with an axis of no length
		if ( length > ( dr < 0.0f ? -dr : dr ) )
		{
			solid.axis = supScale( 1.0f / length, axis );
			solid.length = length;
			solid.sine = dr / length;
			solid.cosine = sqrtf( 1.0f - solid.sine * solid.sine );
		}
		else if ( blob->rb > blob->ra )
		{
			solid.a = blob->b;
			solid.ra = blob->rb;
		}
		return solid;
	}
	supMat3 turn = supMakeMat3Quat( supConjugate( blob->rotation ) );
	supVec3 r = blob->radii;
	solid.inverse = supMakeVec3( 1.0f / r.x, 1.0f / r.y, 1.0f / r.z );
	solid.rows[0] = supScale( solid.inverse.x, supMakeVec3( turn.cx.x, turn.cy.x, turn.cz.x ) );
	solid.rows[1] = supScale( solid.inverse.y, supMakeVec3( turn.cx.y, turn.cy.y, turn.cz.y ) );
	solid.rows[2] = supScale( solid.inverse.z, supMakeVec3( turn.cx.z, turn.cy.z, turn.cz.z ) );
	solid.least = supMinFloat( r.x, supMinFloat( r.y, r.z ) );
	// the rim of a flat ellipsoid is as sharp as its curvature there
	float most = supMaxFloat( r.x, supMaxFloat( r.y, r.z ) );
	solid.thickness = sqrtf( solid.least * sqrtf( solid.least * most ) );
	return solid;
}

static float SolidThickness( const sculptSolid* solid, supVec3 p )
{
	if ( solid->kind == sculpt_ellipsoid )
	{
		return solid->thickness;
	}
	float t = supDot( supSub( p, solid->a ), solid->axis ) / supMaxFloat( solid->length, 1e-9f );
	return supLerpFloat( solid->ra, solid->rb, supClampFloat( t, 0.0f, 1.0f ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// The grid

static supBox ComputeBounds( const sculptBlob* blobs, int32_t blobCount )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < blobCount; ++i )
	{
		const sculptBlob* blob = blobs + i;
		if ( blob->use != sculpt_add )
		{
			continue;
		}
		bool isCone = blob->kind == sculpt_cone;
		float radii[2] = { blob->ra, blob->rb };
		supVec3 ends[2] = { blob->a, isCone ? blob->b : blob->a };
		for ( int k = 0; k < 2; ++k )
		{
			float widest = supMaxFloat( blob->radii.x, supMaxFloat( blob->radii.y, blob->radii.z ) );
			// melting swells the surface by up to a quarter of the blending width
			float r = ( isCone ? radii[k] : widest ) + 0.25f * blob->blend;
			box = supBox_Include( box, supAdd( ends[k], supMakeVec3( r, r, r ) ) );
			box = supBox_Include( box, supSub( ends[k], supMakeVec3( r, r, r ) ) );
		}
	}
	return box;
}

typedef struct Members
{
	int32_t count;
	const uint16_t* list;
} Members;

// The solids to ask about p; none outside the grid.
static Members FindMembers( const sculptGrid* grid, supVec3 p )
{
	supVec3 q = supScale( 1.0f / grid->cellSize, supSub( p, grid->origin ) );
	int32_t x = (int32_t)q.x, y = (int32_t)q.y, z = (int32_t)q.z;
	if ( q.x < 0.0f || q.y < 0.0f || q.z < 0.0f || x >= grid->size[0] || y >= grid->size[1] || z >= grid->size[2] )
	{
		return ( Members ){ 0, NULL };
	}
	int32_t cell = ( z * grid->size[1] + y ) * grid->size[0] + x;
	return ( Members ){ grid->start[cell + 1] - grid->start[cell], grid->members + grid->start[cell] };
}

// Lists the candidates that come nearer than `reach` to any point of a cell.
static int32_t FillCell( const sculptShape* shape, Members candidates, supVec3 middle, float radius, float reach,
						 uint16_t* members )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < candidates.count; ++i )
	{
		if ( LowerBound( shape->solids + candidates.list[i], middle, radius ) < reach )
		{
			if ( members != NULL )
			{
				members[count] = candidates.list[i];
			}
			count += 1;
		}
	}
	return count;
}

// A cell takes its members from those of the coarser grid around it; where that is NULL, from `all`. Bounds change by
// no more than the distance they are asked at, so nothing is lost but by rounding: hence the thousandth.
static bool FillGrid( const sculptShape* shape, sculptGrid* grid, const sculptGrid* coarser, Members all, float reach )
{
	int32_t cells = grid->size[0] * grid->size[1] * grid->size[2];
	float radius = ( coarser == NULL ? 1.001f : 1.0f ) * 0.8661f * grid->cellSize;
	grid->start = supAllocArray( (size_t)cells + 1, sizeof( int32_t ) );
	if ( grid->start == NULL )
	{
		return false;
	}
	// once to count, once to write
	for ( int pass = 0; pass < 2; ++pass )
	{
		int32_t total = 0;
		for ( int32_t cell = 0; cell < cells; ++cell )
		{
			int32_t x = cell % grid->size[0];
			int32_t y = cell / grid->size[0] % grid->size[1];
			int32_t z = cell / grid->size[0] / grid->size[1];
			supVec3 middle = supMulAdd( grid->origin, grid->cellSize,
										supMakeVec3( (float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f ) );
			Members candidates = coarser != NULL ? FindMembers( coarser, middle ) : all;
			uint16_t* members = pass == 0 ? NULL : grid->members + total;
			grid->start[cell] = total;
			total += FillCell( shape, candidates, middle, radius, reach, members );
		}
		grid->start[cells] = total;
		if ( pass == 0 )
		{
			grid->members = supAllocArray( (size_t)total + 1, sizeof( uint16_t ) );
			if ( grid->members == NULL )
			{
				return false;
			}
		}
	}
	return true;
}

static void DestroyGrid( sculptGrid* grid )
{
	supFree( grid->start );
	supFree( grid->members );
}

// A solid that stays farther off than the margin and every blending width changes no distance below the margin.
static bool CreateGrid( sculptShape* shape )
{
	sculptGrid coarse = { .origin = shape->grid.origin, .cellSize = COARSER * shape->grid.cellSize };
	for ( int k = 0; k < 3; ++k )
	{
		coarse.size[k] = shape->grid.size[k] / COARSER + 1;
	}
	uint16_t* all = supAllocArray( (size_t)shape->solidCount, sizeof( uint16_t ) );
	float reach = shape->margin;
	for ( int32_t i = 0; i < shape->solidCount && all != NULL; ++i )
	{
		all[i] = (uint16_t)i;
		reach = supMaxFloat( reach, shape->margin + shape->solids[i].blend );
	}
	Members list = { shape->solidCount, all };
	bool ok = all != NULL && FillGrid( shape, &coarse, NULL, list, reach ) &&
			  FillGrid( shape, &shape->grid, &coarse, list, reach );
	DestroyGrid( &coarse );
	supFree( all );
	return ok;
}

bool sculptShape_Create( sculptShape* shape, const sculptBlob* blobs, int32_t blobCount )
{
	*shape = ( sculptShape ){ .solidCount = blobCount };
	shape->solids = supAllocArray( (size_t)blobCount, sizeof( sculptSolid ) );
	if ( shape->solids == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < blobCount; ++i )
	{
		shape->solids[i] = MakeSolid( blobs + i );
	}
	shape->bounds = ComputeBounds( blobs, blobCount );
	supVec3 size = supBox_Size( shape->bounds );
	float longest = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
	shape->grid.cellSize = longest / CELLS;
	shape->margin = 0.5f * shape->grid.cellSize;
	shape->grid.origin = supSub( shape->bounds.lower, supMakeVec3( longest * 0.1f, longest * 0.1f, longest * 0.1f ) );
	float extents[3] = { size.x, size.y, size.z };
	for ( int k = 0; k < 3; ++k )
	{
		shape->grid.size[k] = (int32_t)( ( extents[k] + 0.2f * longest ) / shape->grid.cellSize ) + 1;
	}
	return CreateGrid( shape );
}

void sculptShape_Destroy( sculptShape* shape )
{
	supFree( shape->solids );
	DestroyGrid( &shape->grid );
	*shape = ( sculptShape ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// The whole

// Distance and gradient. Smooth minimum: min( a, b ) - h^2 / 4k with h = max( k - |a - b|, 0 ); its gradient takes
// h / 2k of the larger one's.
static float Evaluate( const sculptShape* shape, supVec3 p, supVec3* gradient )
{
	Members members = FindMembers( &shape->grid, p );
	float d = 1e9f;
	supVec3 g = supVec3_zero;
	for ( int32_t i = 0; i < members.count; ++i )
	{
		const sculptSolid* solid = shape->solids + members.list[i];
		if ( solid->use == sculpt_paint )
		{
			continue;
		}
		supVec3 e;
		float other = SolidDistance( solid, p, &e );
		// carving is adding to the outside
		float sign = solid->use == sculpt_carve ? -1.0f : 1.0f;
		float a = sign * d;
		float gap = a < other ? other - a : a - other;
		float k = solid->blend;
		float h = gap < k ? k - gap : 0.0f;
		float share = h > 0.0f ? 0.5f * h / k : 0.0f;
		float fraction = a < other ? share : 1.0f - share;
		d = sign * ( supMinFloat( a, other ) - 0.5f * h * share );
		g = supMulAdd( supScale( 1.0f - fraction, g ), sign * fraction, e );
	}
	*gradient = g;
	return d;
}

float sculptShape_Distance( const sculptShape* shape, supVec3 p )
{
	supVec3 unused;
	return Evaluate( shape, p, &unused );
}

supVec3 sculptShape_Normal( const sculptShape* shape, supVec3 p )
{
	supVec3 g;
	Evaluate( shape, p, &g );
	return supNormalize( g );
}

supVec3 sculptShape_Project( const sculptShape* shape, supVec3 p, float reach )
{
	supVec3 start = p;
	for ( int i = 0; i < 5; ++i )
	{
		supVec3 g;
		float d = Evaluate( shape, p, &g );
		float g2 = supDot( g, g );
		if ( g2 < 1e-3f )
		{
			break;
		}
		p = supMulAdd( p, -d / g2, g );
		if ( supDistance( p, start ) > reach )
		{
			return start;
		}
		if ( d * d < 1e-8f * reach * reach )
		{
			break;
		}
	}
	return p;
}

supVec3 sculptShape_Snap( const sculptShape* shape, supVec3 p, float reach )
{
	Members members = FindMembers( &shape->grid, p );
	float nearest = reach;
	supVec3 toEdge = supVec3_zero;
	for ( int32_t i = 0; i < members.count; ++i )
	{
		const sculptSolid* solid = shape->solids + members.list[i];
		supVec3 g;
		float d = solid->use == sculpt_paint && solid->blend < 2.0f * reach ? SolidDistance( solid, p, &g ) : reach;
		if ( d < nearest && -d < nearest )
		{
			supVec3 normal = sculptShape_Normal( shape, p );
			supVec3 along = supMulAdd( g, -supDot( g, normal ), normal );
			float length2 = supDot( along, along );
			// paint that lies flat on the skin has no edge to speak of
			if ( length2 > 0.1f )
			{
				toEdge = supScale( -d / length2, along );
				nearest = d < 0.0f ? -d : d;
			}
		}
	}
	return supLength( toEdge ) < reach ? sculptShape_Project( shape, supAdd( p, toEdge ), reach ) : p;
}

// The nearest added solid at p.
static const sculptSolid* FindOwner( const sculptShape* shape, supVec3 p, float* nearest )
{
	Members members = FindMembers( &shape->grid, p );
	const sculptSolid* owner = shape->solids;
	*nearest = 1e9f;
	for ( int32_t i = 0; i < members.count; ++i )
	{
		const sculptSolid* solid = shape->solids + members.list[i];
		supVec3 unused;
		float d = solid->use == sculpt_add ? SolidDistance( solid, p, &unused ) : 1e9f;
		if ( d < *nearest )
		{
			owner = solid;
			*nearest = d;
		}
	}
	return owner;
}

int32_t sculptShape_Joint( const sculptShape* shape, supVec3 p )
{
	float unused;
	return FindOwner( shape, p, &unused )->joint;
}

typedef struct Mixture
{
	supVec3 color;
	float thickness;
	float fineness;
} Mixture;

// What the added solids around p are like: each counts 1 where nearest, falling to 0 beyond. How far beyond is up to
// the later one of the pair, which was the one that melted in.
static Mixture Mix( const sculptShape* shape, supVec3 p )
{
	float nearest;
	const sculptSolid* owner = FindOwner( shape, p, &nearest );
	Members members = FindMembers( &shape->grid, p );
	Mixture sum = { supVec3_zero, 0.0f, 0.0f };
	float total = 0.0f;
	float carved = 0.0f;
	for ( int32_t i = 0; i < members.count; ++i )
	{
		const sculptSolid* solid = shape->solids + members.list[i];
		supVec3 unused;
		float distance = solid->use == sculpt_paint ? 1e9f : SolidDistance( solid, p, &unused );
		if ( solid->use != sculpt_add )
		{
			carved = distance < solid->blend ? supMaxFloat( carved, solid->fineness ) : carved;
			continue;
		}
		float beyond = distance - nearest;
		float blend = solid > owner ? solid->blend : owner->blend;
		float w = 1.0f - beyond / supMaxFloat( blend, 1e-4f );
		if ( w > 0.0f )
		{
			w *= w;
			sum.color = supMulAdd( sum.color, w, solid->color );
			sum.thickness += w * SolidThickness( solid, p );
			sum.fineness += w * solid->fineness;
			total += w;
		}
	}
	if ( total <= 0.0f )
	{
		return ( Mixture ){ supVec3_one, 1.0f, 1.0f };
	}
	float fineness = supMaxFloat( sum.fineness / total, carved );
	return ( Mixture ){ supScale( 1.0f / total, sum.color ), sum.thickness / total, fineness };
}

float sculptShape_Thickness( const sculptShape* shape, supVec3 p )
{
	return Mix( shape, p ).thickness;
}

float sculptShape_EdgeLength( const sculptShape* shape, supVec3 p, float detail )
{
	Mixture mixture = Mix( shape, p );
	return ( 1.0f - detail + detail * sqrtf( mixture.thickness ) ) / mixture.fineness;
}

supVec3 sculptShape_Color( const sculptShape* shape, supVec3 p )
{
	supVec3 color = Mix( shape, p ).color;
	Members members = FindMembers( &shape->grid, p );
	for ( int32_t i = 0; i < members.count; ++i )
	{
		const sculptSolid* solid = shape->solids + members.list[i];
		if ( solid->use != sculpt_add )
		{
			supVec3 unused;
			float edge = supMaxFloat( solid->blend, 1e-4f );
			float t = supClampFloat( 1.0f - SolidDistance( solid, p, &unused ) / edge, 0.0f, 1.0f );
			color = supLerp( color, solid->color, t * t * ( 3.0f - 2.0f * t ) );
		}
	}
	return color;
}
