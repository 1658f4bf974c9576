// SPDX-License-Identifier: MIT
#include "method/layered/links.h"

#include "core/tasks.h"
#include "volume/voxels/voxels.h"
#include "volume/weights/point_weights.h"

// Voxels along the longest axis: masses of limbs come out within a few percent.
#define RESOLUTION 48

// Part of all mass, and nodes of the skin, below both of which a bone has no link of its own.
#define LEAST_SHARE 2e-4
#define LEAST_NODES 1.0

// At least this part of what a bone moves stays with its link: the rest may be skin.
#define LEAST_RIGID 0.2

const int32_t supJointRows[sup_jointKindCount] = {
	[sup_jointFree] = 0, [sup_jointBall] = 3, [sup_jointHinge] = 5, [sup_jointUniversal] = 4, [sup_jointFixed] = 6,
};

// What a bone moves: mass, mass times place, and mass times products of places.
typedef struct Moments
{
	double mass;
	supVec3d first;
	double second[6]; // xx, yy, zz, xy, yz, zx
} Moments;

typedef struct Maker
{
	supArena scratch;
	const supLinksDef* def;
	supLinks* links;
	supError* error;
	supVoxels voxels;
	Moments* moments; // of each bone, then of each link
	double* nodes;    // of the skin that each bone moves, by weight
	int32_t* order;   // bones, parents first
	int32_t* depths;  // bones above each
	int32_t* roots;   // the topmost of these, or the bone itself
	bool* hasLink;
	int32_t* linkOfBone;
} Maker;

static void AddMoments( Moments* sum, double s, const Moments* part )
{
	sum->mass += s * part->mass;
	sum->first = supMulAddVec3d( sum->first, s, part->first );
	for ( int i = 0; i < 6; ++i )
	{
		sum->second[i] += s * part->second[i];
	}
}

// A cube of edge `size`.
static Moments MomentsOfCube( supVec3d p, double mass, double size )
{
	double own = mass * size * size / 12.0;
	return ( Moments ){ mass,
						supScaleVec3d( mass, p ),
						{ mass * p.x * p.x + own, mass * p.y * p.y + own, mass * p.z * p.z + own, mass * p.x * p.y,
						  mass * p.y * p.z, mass * p.z * p.x } };
}

// Inertia about a place.
static supMat3d InertiaOf( const Moments* moments, supVec3d about )
{
	double m = moments->mass;
	const double* s = moments->second;
	supVec3d f = moments->first;
	double xx = s[0] - 2.0 * f.x * about.x + m * about.x * about.x;
	double yy = s[1] - 2.0 * f.y * about.y + m * about.y * about.y;
	double zz = s[2] - 2.0 * f.z * about.z + m * about.z * about.z;
	double xy = s[3] - f.x * about.y - f.y * about.x + m * about.x * about.y;
	double yz = s[4] - f.y * about.z - f.z * about.y + m * about.y * about.z;
	double zx = s[5] - f.z * about.x - f.x * about.z + m * about.z * about.x;
	return ( supMat3d ){ { { yy + zz, -xy, -zx }, { -xy, zz + xx, -yz }, { -zx, -yz, xx + yy } } };
}

// ---------------------------------------------------------------------------------------------------------------------
// Masses

static bool MakeVoxels( Maker* maker )
{
	const supRestSurface* surface = maker->def->surface;
	supVoxelsDef def = { .resolution = RESOLUTION,
						 .vertexCount = surface->vertexCount,
						 .positions = surface->positions,
						 .triangleCount = surface->triangleCount,
						 .indices = surface->indices,
						 .tasks = maker->def->tasks };
	return supVoxels_Init( &maker->voxels, &def, maker->error );
}

// Every voxel belongs to the bones that move the nearest skin. Those that the surface touches count half.
static bool ShareVoxels( Maker* maker )
{
	const supLinksDef* def = maker->def;
	size_t count = (size_t)maker->voxels.count, slots = SUP_MAX_INFLUENCES * count;
	supVec3* points = supArena_AllocArray( &maker->scratch, count, sizeof( supVec3 ) );
	uint16_t* bones = supArena_AllocArray( &maker->scratch, slots, sizeof( uint16_t ) );
	float* weights = supArena_AllocArray( &maker->scratch, slots, sizeof( float ) );
	if ( maker->scratch.failed )
	{
		return supSetMemoryError( maker->error );
	}
	for ( size_t i = 0; i < count; ++i )
	{
		points[i] = supVoxels_CellCenter( &maker->voxels, maker->voxels.cells[i] );
	}
	if ( supWeighPoints( def->character, def->surface, def->bones, points, maker->voxels.count, bones, weights,
						 def->tasks, maker->error ) == false )
	{
		return false;
	}
	double size = maker->voxels.size, whole = def->density * size * size * size;
	for ( size_t i = 0; i < count; ++i )
	{
		Moments cube =
			MomentsOfCube( supWidenVec3( points[i] ), maker->voxels.isSurface[i] ? 0.5 * whole : whole, size );
		for ( size_t k = SUP_MAX_INFLUENCES * i; k < SUP_MAX_INFLUENCES * ( i + 1 ); ++k )
		{
			AddMoments( maker->moments + bones[k], weights[k], &cube );
		}
	}
	return true;
}

// The skin is simulated by itself: its part of the mass leaves the bones, evenly. A finger thinner than a voxel may
// have got none: what it moves is its skin.
static bool TakeOffSkin( Maker* maker )
{
	const supLinksDef* def = maker->def;
	Moments* skin = supArena_AllocZeroed( &maker->scratch, (size_t)def->bones->count * sizeof( Moments ) );
	if ( skin == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	for ( int64_t k = 0; k < (int64_t)SUP_MAX_INFLUENCES * def->skinCount; ++k )
	{
		int64_t node = k / SUP_MAX_INFLUENCES;
		Moments point = MomentsOfCube( supWidenVec3( def->skinPoints[node] ), def->skinMasses[node], 0.0 );
		AddMoments( skin + def->skinBones[k], (double)def->skinWeights[k], &point );
		maker->nodes[def->skinBones[k]] += (double)def->skinWeights[k];
	}
	for ( int32_t i = 0; i < def->bones->count; ++i )
	{
		Moments whole = maker->moments[i];
		bool isSkin = whole.mass < LEAST_RIGID * skin[i].mass;
		double left = isSkin ? 0.0 : 1.0 - skin[i].mass / ( whole.mass > 0.0 ? whole.mass : 1.0 );
		maker->moments[i] = ( Moments ){ 0 };
		AddMoments( maker->moments + i, left > LEAST_RIGID ? left : LEAST_RIGID, isSkin ? skin + i : &whole );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Which bones have links

static void OrderBones( Maker* maker )
{
	const supBones* bones = maker->def->bones;
	int32_t count = 0;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		maker->depths[i] = 0;
		maker->roots[i] = i;
		for ( int32_t k = bones->parents[i]; k >= 0; k = bones->parents[k] )
		{
			maker->depths[i] += 1;
			maker->roots[i] = k;
		}
	}
	// as deep as there are bones in the worst case, but depth by depth
	for ( int32_t depth = 0; count < bones->count; ++depth )
	{
		for ( int32_t i = 0; i < bones->count; ++i )
		{
			if ( maker->depths[i] == depth )
			{
				maker->order[count++] = i;
			}
		}
	}
}

static int32_t LinkedAncestor( const Maker* maker, int32_t bone )
{
	int32_t i = maker->def->bones->parents[bone];
	while ( i >= 0 && maker->hasLink[i] == false )
	{
		i = maker->def->bones->parents[i];
	}
	return i;
}

static bool IsAbove( const Maker* maker, int32_t above, int32_t bone )
{
	while ( bone >= 0 && bone != above )
	{
		bone = maker->def->bones->parents[bone];
	}
	return bone == above;
}

// Links without a link above them, in one tree of bones, need one: the lowest bone above all of them.
static void JoinTops( Maker* maker )
{
	const supBones* bones = maker->def->bones;
	for ( int32_t root = 0; root < bones->count; ++root )
	{
		int32_t common = -1, tops = 0;
		for ( int32_t i = 0; bones->parents[root] < 0 && i < bones->count; ++i )
		{
			if ( maker->hasLink[i] && maker->roots[i] == root && LinkedAncestor( maker, i ) < 0 )
			{
				tops += 1;
				common = tops == 1 ? i : common;
				while ( IsAbove( maker, common, i ) == false )
				{
					common = bones->parents[common];
				}
			}
		}
		if ( tops > 1 )
		{
			maker->hasLink[common] = true;
		}
	}
}

static bool ChooseLinks( Maker* maker )
{
	const supBones* bones = maker->def->bones;
	double total = 0.0;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		total += maker->moments[i].mass;
	}
	if ( !( total > 0.0 ) )
	{
		return supSetError( maker->error, sup_errorArgument, "layered", "the skeleton moves no volume" );
	}
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		maker->hasLink[i] = maker->moments[i].mass >= LEAST_SHARE * total || maker->nodes[i] >= LEAST_NODES;
	}
	JoinTops( maker );
	supLinks* links = maker->links;
	for ( int32_t k = 0; k < bones->count; ++k )
	{
		int32_t i = maker->order[k];
		int32_t above = LinkedAncestor( maker, i );
		maker->linkOfBone[i] = maker->hasLink[i] ? links->count++ : ( above >= 0 ? maker->linkOfBone[above] : -1 );
	}
	// what is above all links goes with the first of its tree, or simply the first
	for ( int32_t k = 0; k < bones->count; ++k )
	{
		int32_t i = maker->order[k], found = -1;
		for ( int32_t n = 0; maker->linkOfBone[i] < 0 && found < 0 && n < bones->count; ++n )
		{
			int32_t other = maker->order[n];
			found = maker->hasLink[other] && maker->roots[other] == maker->roots[i] ? maker->linkOfBone[other] : -1;
		}
		maker->linkOfBone[i] = maker->linkOfBone[i] >= 0 ? maker->linkOfBone[i] : ( found >= 0 ? found : 0 );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Links

// A link with no flesh of its own, or hardly any, weighs a thousandth of the whole and turns like a ball of a
// twentieth of its size.
static void FillLink( Maker* maker, int32_t bone, const Moments* moments, double total, double size )
{
	supLink* link = maker->links->links + maker->linkOfBone[bone];
	int32_t above = LinkedAncestor( maker, bone );
	supVec3d joint = supWidenVec3( maker->def->bones->joints[bone] );
	double least = 1e-3 * total, radius = 0.05 * size;
	link->node = maker->def->bones->nodes[bone];
	link->parent = above >= 0 ? maker->linkOfBone[above] : -1;
	link->kind = above >= 0 ? sup_jointBall : sup_jointFree;
	link->mass = moments->mass > least ? moments->mass : least;
	link->center = moments->mass > 1e-3 * least ? supScaleVec3d( 1.0 / moments->mass, moments->first ) : joint;
	link->inertia = InertiaOf( moments, link->center );
	supMat3d floor = supDiagonal3d( 0.4 * 1e-3 * total * radius * radius );
	link->inertia = supMulAddMat3d( &link->inertia, 1.0, &floor );
	link->anchor = above >= 0 ? joint : link->center;
}

static void FillLinks( Maker* maker )
{
	const supBones* bones = maker->def->bones;
	supBox bounds =
		supVoxels_Box( &maker->voxels, ( supVoxelCell ){ 0, 0, 0 },
					   ( supVoxelCell ){ (int16_t)( maker->voxels.nx - 1 ), (int16_t)( maker->voxels.ny - 1 ),
										 (int16_t)( maker->voxels.nz - 1 ) } );
	supVec3 extent = supBox_Size( bounds );
	double size = supMaxFloat( extent.x, supMaxFloat( extent.y, extent.z ) ), total = 0.0;
	Moments* sums = maker->moments + bones->count;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		AddMoments( sums + maker->linkOfBone[i], 1.0, maker->moments + i );
		total += maker->moments[i].mass;
	}
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		if ( maker->hasLink[i] )
		{
			FillLink( maker, i, sums + maker->linkOfBone[i], total, size );
		}
	}
}

// Of each link with its subtree: children come after their parents.
static void MeasureLoads( supLinks* links )
{
	for ( int32_t i = 0; i < links->count; ++i )
	{
		links->links[i].carried = 0.0;
		links->links[i].turned = 0.0;
	}
	for ( int32_t i = 0; i < links->count; ++i )
	{
		const supLink* part = links->links + i;
		double trace = ( part->inertia.m[0][0] + part->inertia.m[1][1] + part->inertia.m[2][2] ) / 3.0;
		for ( int32_t k = i; k >= 0; k = links->links[k].parent )
		{
			supLink* link = links->links + k;
			supVec3d arm = supSubVec3d( part->center, link->anchor );
			link->carried += part->mass;
			link->turned += trace + part->mass * supDotVec3d( arm, arm ) * 2.0 / 3.0;
		}
	}
}

bool supLinks_Init( supLinks* links, const supLinksDef* def, supError* error )
{
	Maker maker = { .def = def, .links = links, .error = error };
	size_t count = (size_t)def->bones->count;
	maker.moments = supArena_AllocZeroed( &maker.scratch, 2 * count * sizeof( Moments ) );
	maker.nodes = supArena_AllocZeroed( &maker.scratch, count * sizeof( double ) );
	maker.order = supArena_AllocArray( &maker.scratch, count, sizeof( int32_t ) );
	maker.depths = supArena_AllocArray( &maker.scratch, count, sizeof( int32_t ) );
	maker.roots = supArena_AllocArray( &maker.scratch, count, sizeof( int32_t ) );
	maker.hasLink = supArena_AllocZeroed( &maker.scratch, count * sizeof( bool ) );
	maker.linkOfBone = supArena_AllocArray( &links->arena, count, sizeof( int32_t ) );
	links->links = supArena_AllocZeroed( &links->arena, count * sizeof( supLink ) );
	links->linkOfBone = maker.linkOfBone;
	links->boneCount = def->bones->count;
	bool ok = maker.scratch.failed == false && links->arena.failed == false;
	ok = ok || supSetMemoryError( error );
	ok = ok && MakeVoxels( &maker ) && ShareVoxels( &maker ) && TakeOffSkin( &maker );
	if ( ok )
	{
		OrderBones( &maker );
		ok = ChooseLinks( &maker );
	}
	if ( ok )
	{
		FillLinks( &maker );
		MeasureLoads( links );
		ok = supGuessJoints( links, def, error );
	}
	supVoxels_Destroy( &maker.voxels );
	supArena_Destroy( &maker.scratch );
	if ( ok == false )
	{
		supLinks_Destroy( links );
	}
	return ok;
}

void supLinks_Destroy( supLinks* links )
{
	supArena_Destroy( &links->arena );
	memset( links, 0, sizeof( *links ) );
}

supLinkPlace supPlaceLink( const supLink* link, supMat34 world, supMat34 restInverse )
{
	supMat34 motion = supMulMat34( world, restInverse );
	supQuat rotation = supPolarRotation( supLinearPart( motion ) );
	supVec3 center = supTransformPoint( motion, supNarrowVec3( link->center ) );
	supQuatd wide = { rotation.x, rotation.y, rotation.z, rotation.w };
	supVec3 joint = supTransformPoint( motion, supNarrowVec3( link->anchor ) );
	return ( supLinkPlace ){ supWidenVec3( center ), supNormalizeQuatd( wide ), supWidenVec3( joint ) };
}
