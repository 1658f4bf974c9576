// SPDX-License-Identifier: MIT
// A control lattice out of a character.
//
//     joints, tips ─┐
//     bones, cut ───┼─▶ sites ──Delaunay──▶ rounds ──smooth──▶ cells that touch the body ──▶ lattice
//     outer, inner ─┘                       │  bones that are no edges are halved
//                                           │  surface outside of all tets gets a site in front of it
//                                           │  tets with all corners on bones get one in the middle
//
// The spacing of the sites is looked for so that the lattice has about as many vertices as asked for. Everything is
// done again for each spacing: a lattice of a few hundred vertices takes milliseconds.
#include "geometry/delaunay.h"
#include "volume/lattice/control_lattice_internal.h"

#include <float.h>

// Joints nearer than JOIN, in spacings, become one, and a bone so near to a joint goes through it; of bones from one
// joint to others, as in hands whose joints all hang on the wrist, the longer go through the others' ends within PASS.
#define JOIN 0.05f
#define PASS 0.15f

// Tets are smoothed where they are worse than MIN_ROUNDNESS; those below BAD that touch the body get a site in their
// middle.
#define MIN_ROUNDNESS 0.15
#define BAD 0.005
#define REPAIRS 6

// Pieces of bones shorter than this, in spacings, are not halved again: bones that cross, or meet at a sharp angle,
// would go on forever.
#define MIN_BONE_PIECE 0.08f

// A tet with an edge longer than this, in spacings, is long; sites that shorten it are so far from others at least.
// Beyond MAX_EDGE_LENGTH it gets one in any case, on its way from the surface to the far corner.
#define LONG_EDGE_LENGTH 2.0f
#define MAX_EDGE_LENGTH 3.0f
#define MIN_SITE_DISTANCE 0.6f
#define SURFACE_PLACES 16

#define ROUNDS 24
#define SEARCHES 8

// The count is near enough, relatively.
#define COUNT_TOLERANCE 0.04f

// A piece of a bone between two sites, from ta to tb of the way.
typedef struct Piece
{
	int32_t bone;
	int32_t a, b;
	float ta, tb;
} Piece;

typedef struct Builder
{
	const supLatticeBody* body;
	supLatticeSkeleton skeleton;
	supLatticeSites sites;
	supDelaunay delaunay;
	SUP_ARRAY( Piece ) pieces;
	// of each joint its site
	int32_t* jointSites;
	float spacing;
	// the tets between sites, and which of them touch the body
	supLatticeTets tets;
	uint8_t* isKept;
	int32_t usedCount;
	// every vertex of the surface lies between sites
	bool isCovered;
	int32_t coverRounds;
	int32_t rounds;
	int32_t splits;
} Builder;

static void DestroyBuilder( Builder* b )
{
	supLatticeSkeleton_Destroy( &b->skeleton );
	supLatticeSites_Destroy( &b->sites );
	supDelaunay_Destroy( &b->delaunay );
	SUP_FREE_ARRAY( &b->pieces );
	supFree( b->jointSites );
	supFree( b->tets.corners );
	supFree( b->isKept );
	*b = ( Builder ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Sites

// Once there is a triangulation, into that as well.
static bool AddSite( Builder* b, supVec3 place, supLatticePin pin, supSiteKind kind )
{
	return supLatticeSites_Add( &b->sites, place, pin, kind ) &&
		   ( b->delaunay.sites.count == 0 || supDelaunay_Insert( &b->delaunay, place ) >= 0 );
}

static supVec3 PlaceOnBone( const Builder* b, int32_t bone, float t )
{
	const supLatticeBone* own = b->skeleton.bones.data + bone;
	return supLerp( b->skeleton.joints.data[own->a].rest, b->skeleton.joints.data[own->b].rest, t );
}

static bool AddOnBone( Builder* b, int32_t bone, float t )
{
	const supLatticeBone* own = b->skeleton.bones.data + bone;
	return AddSite( b, PlaceOnBone( b, bone, t ), ( supLatticePin ){ own->a, own->b, t }, sup_siteBone );
}

static bool AddBones( Builder* b )
{
	bool ok = true;
	for ( int32_t i = 0; i < b->skeleton.joints.count && ok; ++i )
	{
		b->jointSites[i] = b->sites.list.count;
		ok = AddSite( b, b->skeleton.joints.data[i].rest, ( supLatticePin ){ i, i, 0.0f }, sup_siteBone );
	}
	for ( int32_t i = 0; i < b->skeleton.bones.count && ok; ++i )
	{
		const supLatticeBone* bone = b->skeleton.bones.data + i;
		float length = supDistance( b->skeleton.joints.data[bone->a].rest, b->skeleton.joints.data[bone->b].rest );
		int32_t count = (int32_t)( length / b->spacing + 0.5f ), at = b->jointSites[bone->a];
		count = count < 1 ? 1 : count;
		for ( int32_t k = 1; k <= count && ok; ++k )
		{
			float from = (float)( k - 1 ) / (float)count, to = (float)k / (float)count;
			int32_t next = k < count ? b->sites.list.count : b->jointSites[bone->b];
			ok = ( k == count || AddOnBone( b, i, to ) ) && SUP_PUSH( &b->pieces, ( Piece ){ i, at, next, from, to } );
			at = next;
		}
	}
	return ok;
}

static bool Triangulate( Builder* b )
{
	supBox bounds = b->body->bounds;
	for ( int32_t i = 0; i < b->sites.list.count; ++i )
	{
		bounds = supBox_Include( bounds, b->sites.list.data[i].place );
	}
	// sites that come later lie in front of the surface
	float margin = 2.0f * b->spacing;
	supVec3 out = { margin, margin, margin };
	bounds = ( supBox ){ supSub( bounds.lower, out ), supAdd( bounds.upper, out ) };
	bool ok = supDelaunay_Init( &b->delaunay, bounds );
	for ( int32_t i = 0; i < b->sites.list.count && ok; ++i )
	{
		ok = supDelaunay_Insert( &b->delaunay, b->sites.list.data[i].place ) >= 0;
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Rounds

// Halves pieces of bones that are no edges.
static bool SplitBones( Builder* b, int32_t* added )
{
	int32_t count = b->pieces.count;
	bool ok = true;
	for ( int32_t i = 0; i < count && ok; ++i )
	{
		Piece piece = b->pieces.data[i];
		bool known = true;
		if ( supDelaunay_HasEdge( &b->delaunay, piece.a + SUP_DELAUNAY_FIRST, piece.b + SUP_DELAUNAY_FIRST, &known ) )
		{
			continue;
		}
		float middle = 0.5f * ( piece.ta + piece.tb );
		int32_t site = b->sites.list.count;
		supVec3 from = b->sites.list.data[piece.a].origin, to = b->sites.list.data[piece.b].origin;
		if ( supDistance( from, to ) < MIN_BONE_PIECE * b->spacing )
		{
			continue;
		}
		ok = known && AddOnBone( b, piece.bone, middle ) &&
			 SUP_PUSH( &b->pieces, ( Piece ){ piece.bone, site, piece.b, middle, piece.tb } );
		if ( ok )
		{
			b->pieces.data[i].b = site;
			b->pieces.data[i].tb = middle;
			*added += 1;
			b->splits += 1;
		}
	}
	return ok;
}

static bool IsOuterTet( const supDelaunayTet* tet )
{
	bool outer = false;
	for ( int32_t i = 0; i < 4; ++i )
	{
		outer = outer || tet->corners[i] < SUP_DELAUNAY_FIRST;
	}
	return outer;
}

// From the middle of an outer tet's sites.
static supVec3 AwayFrom( const Builder* b, int32_t tet, supVec3 p )
{
	supVec3 sum = supVec3_zero;
	int32_t count = 0;
	for ( int32_t i = 0; i < 4; ++i )
	{
		int32_t site = b->delaunay.tets.data[tet].corners[i] - SUP_DELAUNAY_FIRST;
		if ( site >= 0 )
		{
			sum = supAdd( sum, b->sites.list.data[site].origin );
			count += 1;
		}
	}
	return count > 0 ? supNormalize( supSub( p, supScale( 1.0f / (float)count, sum ) ) ) : supVec3_zero;
}

// A site in front of every vertex of the surface that no tet between sites holds, a little outside of it, unless one of
// this round is near; farther outside with each round. More sites only widen the hull: what is covered once stays so.
static bool CoverSurface( Builder* b, int32_t* added )
{
	const supLatticeBody* body = b->body;
	int32_t first = b->sites.list.count, tet = b->delaunay.sites.data[b->delaunay.sites.count - 1].tet;
	float offset = SUP_LATTICE_OFFSET * b->spacing;
	bool ok = true;
	for ( int32_t i = 0; i < body->surface->vertexCount && ok && b->isCovered == false; ++i )
	{
		supVec3 vertex = body->surface->positions[i];
		tet = supDelaunay_Locate( &b->delaunay, vertex, tet );
		bool isOut = IsOuterTet( b->delaunay.tets.data + tet );
		tet = supDelaunay_Locate( &b->delaunay, supMulAdd( vertex, 0.05f * offset, body->normals[i] ), tet );
		if ( isOut == false && IsOuterTet( b->delaunay.tets.data + tet ) == false )
		{
			continue;
		}
		bool near = false;
		for ( int32_t k = first; k < b->sites.list.count && near == false; ++k )
		{
			near = supDistance( b->sites.list.data[k].place, vertex ) < 1.2f * b->spacing;
		}
		if ( near == false )
		{
			supVec3 away = supNormalize( supAdd( body->normals[i], AwayFrom( b, tet, vertex ) ) );
			supVec3 place = supMulAdd( vertex, offset * ( 1.0f + 0.3f * (float)b->coverRounds ), away );
			ok = AddSite( b, place, ( supLatticePin ){ -1, -1, 0.0f }, sup_siteOuter );
			tet = b->delaunay.sites.data[b->delaunay.sites.count - 1].tet;
			*added += 1;
		}
	}
	b->isCovered = b->isCovered || b->sites.list.count == first;
	b->coverRounds += 1;
	return ok;
}

static supVec3 MiddleOf( const Builder* b, const int32_t corners[4] )
{
	const supLatticeSite* s = b->sites.list.data;
	return supScale( 0.25f, supAdd( supAdd( s[corners[0]].origin, s[corners[1]].origin ),
									supAdd( s[corners[2]].origin, s[corners[3]].origin ) ) );
}

static void SitesOf( const supDelaunayTet* tet, int32_t sites[4] )
{
	for ( int32_t i = 0; i < 4; ++i )
	{
		sites[i] = tet->corners[i] - SUP_DELAUNAY_FIRST;
	}
}

// A tet with all corners on bones would have no unknowns.
static bool FreeBoneTets( Builder* b, int32_t* added )
{
	bool ok = true;
	// sites that are added put tets behind the others or in the place of those that are gone: each is looked at as it
	// is when its turn comes, and the next round sees the rest
	for ( int32_t i = 0; i < b->delaunay.tets.count && ok; ++i )
	{
		const supDelaunayTet* tet = b->delaunay.tets.data + i;
		int32_t sites[4];
		if ( tet->corners[0] < 0 || IsOuterTet( tet ) )
		{
			continue;
		}
		SitesOf( tet, sites );
		int32_t onBones = 0;
		supVec3 corners[4];
		for ( int32_t k = 0; k < 4; ++k )
		{
			onBones += b->sites.list.data[sites[k]].kind == sup_siteBone;
			corners[k] = b->sites.list.data[sites[k]].origin;
		}
		if ( onBones == 4 && supLatticeBody_Touches( b->body, corners ) )
		{
			ok = AddSite( b, MiddleOf( b, sites ), ( supLatticePin ){ -1, -1, 0.0f }, sup_siteInner );
			*added += 1;
		}
	}
	return ok;
}

static float LongestEdge( const supVec3 corners[4] )
{
	float longest = 0.0f;
	for ( int32_t i = 0; i < 4; ++i )
	{
		for ( int32_t k = 0; k < i; ++k )
		{
			longest = supMaxFloat( longest, supDistance( corners[i], corners[k] ) );
		}
	}
	return longest;
}

// In front of the surface in a tet, away from other sites. False where there is no such place.
static bool FindInFront( const Builder* b, const supVec3 corners[4], float apart, supVec3* place )
{
	supSurfacePlace places[SURFACE_PLACES];
	int32_t count = supLatticeBody_FindSurface( b->body, corners, places, SURFACE_PLACES );
	for ( int32_t k = 0; k < count; ++k )
	{
		if ( supFindOutside( b->body, places[k].place, places[k].normal, b->spacing, place ) &&
			 supLatticeSites_HasNear( &b->sites, *place, apart ) == false )
		{
			return true;
		}
	}
	return false;
}

// One spacing from the surface in a tet towards the corner that is farthest from it, for where fingers leave no room in
// front of them. False where a tet has no surface, or something is there.
static bool FindOnTheWay( const Builder* b, const supVec3 corners[4], float apart, supVec3* place )
{
	supSurfacePlace places[SURFACE_PLACES];
	int32_t count = supLatticeBody_FindSurface( b->body, corners, places, SURFACE_PLACES );
	for ( int32_t k = 0; k < count; ++k )
	{
		supVec3 far = corners[0];
		for ( int32_t i = 1; i < 4; ++i )
		{
			bool isFarther = supDistance( corners[i], places[k].place ) > supDistance( far, places[k].place );
			far = isFarther ? corners[i] : far;
		}
		*place = supMulAdd( places[k].place, b->spacing, supNormalize( supSub( far, places[k].place ) ) );
		if ( supLatticeSites_HasNear( &b->sites, *place, apart ) == false &&
			 supLatticeBody_IsInside( b->body, *place ) == false )
		{
			return true;
		}
	}
	return false;
}

// Tets that hold a part of the body and reach far from it would tie it to another part: they get a site in front of the
// surface in them, if there is none near.
static bool ShortenTets( Builder* b, int32_t* added )
{
	bool ok = true;
	for ( int32_t i = 0; i < b->delaunay.tets.count && ok; ++i )
	{
		const supDelaunayTet* tet = b->delaunay.tets.data + i;
		if ( tet->corners[0] < 0 || IsOuterTet( tet ) )
		{
			continue;
		}
		int32_t sites[4];
		supVec3 corners[4], place;
		SitesOf( tet, sites );
		for ( int32_t k = 0; k < 4; ++k )
		{
			corners[k] = b->sites.list.data[sites[k]].origin;
		}
		float longest = LongestEdge( corners ) / b->spacing;
		float apart = ( longest > 2.0f * LONG_EDGE_LENGTH ? 0.5f * MIN_SITE_DISTANCE : MIN_SITE_DISTANCE ) * b->spacing;
		if ( ( longest > LONG_EDGE_LENGTH && FindInFront( b, corners, apart, &place ) ) ||
			 ( longest > MAX_EDGE_LENGTH && FindOnTheWay( b, corners, apart, &place ) ) )
		{
			ok = AddSite( b, place, ( supLatticePin ){ -1, -1, 0.0f }, sup_siteOuter );
			*added += 1;
		}
	}
	return ok;
}

static bool RunRounds( Builder* b )
{
	bool ok = true;
	int32_t added = 1;
	for ( int32_t round = 0; round < ROUNDS && added > 0 && ok; ++round )
	{
		added = 0;
		ok = SplitBones( b, &added ) && CoverSurface( b, &added ) && ( added > 0 || ShortenTets( b, &added ) ) &&
			 ( added > 0 || FreeBoneTets( b, &added ) );
		b->rounds += added > 0;
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Cells

static bool GatherTets( Builder* b )
{
	supFree( b->tets.corners );
	b->tets.count = 0;
	b->tets.corners = supAllocArray( (size_t)b->delaunay.tets.count, sizeof( int32_t[4] ) );
	for ( int32_t i = 0; i < b->delaunay.tets.count && b->tets.corners != NULL; ++i )
	{
		const supDelaunayTet* tet = b->delaunay.tets.data + i;
		if ( tet->corners[0] >= 0 && IsOuterTet( tet ) == false )
		{
			SitesOf( tet, b->tets.corners[b->tets.count++] );
		}
	}
	return b->tets.corners != NULL;
}

// How far a site may be moved: what is outside of the body stays there, and bones stay where they are.
static float RoomOf( const Builder* b, const supLatticeSite* site )
{
	supTreeHit hit;
	if ( site->kind != sup_siteOuter )
	{
		return site->kind == sup_siteInner ? 0.5f * b->spacing : 0.0f;
	}
	bool near = supTree_FindClosest( b->body->tree, site->origin, b->spacing, &hit );
	return 0.7f * ( near ? hit.distance : b->spacing );
}

// Sites on the hull stay, so that the union of all tets does.
static bool Smooth( Builder* b )
{
	float* rooms = supAllocArray( (size_t)b->sites.list.count, sizeof( float ) );
	if ( rooms == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < b->sites.list.count; ++i )
	{
		// from where the triangulation has it
		supLatticeSite* site = b->sites.list.data + i;
		site->place = site->origin;
		rooms[i] = RoomOf( b, site );
	}
	for ( int32_t i = 0; i < b->delaunay.tets.count; ++i )
	{
		const supDelaunayTet* tet = b->delaunay.tets.data + i;
		for ( int32_t k = 0; k < 4 && tet->corners[0] >= 0 && IsOuterTet( tet ); ++k )
		{
			if ( tet->corners[k] >= SUP_DELAUNAY_FIRST )
			{
				rooms[tet->corners[k] - SUP_DELAUNAY_FIRST] = 0.0f;
			}
		}
	}
	bool ok = supSmoothLattice( &b->sites, &b->tets, rooms, b->spacing, MIN_ROUNDNESS );
	supFree( rooms );
	return ok;
}

static void CornersOf( const Builder* b, int32_t tet, supVec3 corners[4] )
{
	for ( int32_t k = 0; k < 4; ++k )
	{
		corners[k] = b->sites.list.data[b->tets.corners[tet][k]].place;
	}
}

// What smoothing could not help gets a site: in its middle, or near the body where it is long. So does what smoothing
// has brought to the body from far away.
static bool Repair( Builder* b, int32_t* added )
{
	bool ok = true;
	for ( int32_t i = 0; i < b->tets.count && ok; ++i )
	{
		supVec3 corners[4], way;
		CornersOf( b, i, corners );
		if ( LongestEdge( corners ) > MAX_EDGE_LENGTH * b->spacing &&
			 FindOnTheWay( b, corners, 0.5f * MIN_SITE_DISTANCE * b->spacing, &way ) )
		{
			ok = AddSite( b, way, ( supLatticePin ){ -1, -1, 0.0f }, sup_siteOuter );
			*added += 1;
			continue;
		}
		if ( supTetRoundness( corners ) < BAD && supLatticeBody_Touches( b->body, corners ) )
		{
			supVec3 place;
			if ( LongestEdge( corners ) < LONG_EDGE_LENGTH * b->spacing ||
				 FindInFront( b, corners, 0.5f * MIN_SITE_DISTANCE * b->spacing, &place ) == false )
			{
				place = MiddleOf( b, b->tets.corners[i] );
			}
			ok = AddSite( b, place, ( supLatticePin ){ -1, -1, 0.0f }, sup_siteInner );
			*added += 1;
		}
	}
	return ok;
}

static bool KeepCells( Builder* b )
{
	supFree( b->isKept );
	b->isKept = supAllocZeroed( (size_t)b->tets.count );
	uint8_t* isUsed = supAllocZeroed( (size_t)b->sites.list.count );
	bool ok = b->isKept != NULL && isUsed != NULL;
	b->usedCount = 0;
	for ( int32_t i = 0; i < b->tets.count && ok; ++i )
	{
		supVec3 corners[4];
		CornersOf( b, i, corners );
		b->isKept[i] = supLatticeBody_Touches( b->body, corners );
		for ( int32_t k = 0; k < 4 && b->isKept[i] != 0; ++k )
		{
			int32_t site = b->tets.corners[i][k];
			b->usedCount += isUsed[site] == 0;
			isUsed[site] = 1;
		}
	}
	supFree( isUsed );
	return ok;
}

// One lattice of this spacing. False only when out of memory.
static bool Build( Builder* b, const supLatticeBody* body, const supLatticeSkeleton* skeleton, float spacing )
{
	b->body = body;
	b->spacing = spacing;
	double expected = body->area / ( (double)spacing * spacing );
	bool ok = supLatticeSkeleton_Join( skeleton, JOIN * spacing, PASS * spacing, &b->skeleton );
	b->jointSites = supAllocArray( (size_t)b->skeleton.joints.count, sizeof( int32_t ) );
	ok = ok && b->jointSites != NULL &&
		 supLatticeSites_Init( &b->sites, spacing, expected < 1e6 ? (int32_t)expected : 1000000 ) && AddBones( b ) &&
		 supLatticeSites_AddOuter( &b->sites, body, spacing ) && supLatticeSites_AddFar( &b->sites, body, spacing ) &&
		 supLatticeSites_AddInner( &b->sites, body, &b->skeleton, spacing ) && Triangulate( b );
	int32_t added = 1;
	for ( int32_t i = 0; i < REPAIRS && ok && added > 0; ++i )
	{
		added = 0;
		ok = RunRounds( b ) && GatherTets( b ) && Smooth( b ) && ( i + 1 == REPAIRS || Repair( b, &added ) );
	}
	return ok && KeepCells( b );
}

// ---------------------------------------------------------------------------------------------------------------------
// Out

typedef struct Output
{
	int32_t vertexCount;
	supVec3* vertices;
	supLatticePin* pins;
	int32_t cellCount;
	uint8_t* kinds;
	int32_t* corners;
	int32_t edgeCount;
	supBoneEdge* edges;
} Output;

static void GatherEdges( Builder* b, const int32_t* numbers, Output* out )
{
	for ( int32_t bone = 0; bone < b->skeleton.bones.count; ++bone )
	{
		float along = -1.0f;
		for ( ;; )
		{
			const Piece* next = NULL;
			for ( int32_t i = 0; i < b->pieces.count; ++i )
			{
				const Piece* piece = b->pieces.data + i;
				if ( piece->bone == bone && piece->ta > along && ( next == NULL || piece->ta < next->ta ) )
				{
					next = piece;
				}
			}
			if ( next == NULL )
			{
				break;
			}
			along = next->ta;
			if ( numbers[next->a] >= 0 && numbers[next->b] >= 0 )
			{
				out->edges[out->edgeCount++] = ( supBoneEdge ){ bone, { numbers[next->a], numbers[next->b] } };
			}
		}
	}
}

static bool FillOutput( Builder* b, supArena* arena, Output* out )
{
	size_t sites = (size_t)b->sites.list.count, tets = (size_t)b->tets.count;
	int32_t* numbers = supArena_AllocArray( arena, sites, sizeof( int32_t ) );
	out->vertices = supArena_AllocArray( arena, sites, sizeof( supVec3 ) );
	out->pins = supArena_AllocArray( arena, sites, sizeof( supLatticePin ) );
	out->kinds = supArena_AllocZeroed( arena, tets );
	out->corners = supArena_AllocArray( arena, 4 * tets, sizeof( int32_t ) );
	out->edges = supArena_AllocArray( arena, (size_t)b->pieces.count, sizeof( supBoneEdge ) );
	if ( arena->failed )
	{
		return false;
	}
	memset( numbers, 0xFF, sites * sizeof( int32_t ) );
	for ( int32_t i = 0; i < b->tets.count; ++i )
	{
		for ( int32_t k = 0; k < 4 && b->isKept[i] != 0; ++k )
		{
			numbers[b->tets.corners[i][k]] = 0;
		}
	}
	for ( int32_t i = 0; i < b->sites.list.count; ++i )
	{
		if ( numbers[i] == 0 )
		{
			numbers[i] = out->vertexCount;
			out->vertices[out->vertexCount] = b->sites.list.data[i].place;
			out->pins[out->vertexCount++] = b->sites.list.data[i].pin;
		}
	}
	for ( int32_t i = 0; i < b->tets.count; ++i )
	{
		for ( int32_t k = 0; k < 4 && b->isKept[i] != 0; ++k )
		{
			out->corners[4 * out->cellCount + k] = numbers[b->tets.corners[i][k]];
		}
		out->cellCount += b->isKept[i] != 0;
	}
	GatherEdges( b, numbers, out );
	return true;
}

static void FillReport( const Builder* b, supControlLatticeReport* report )
{
	*report = ( supControlLatticeReport ){ .spacing = b->spacing,
										   .rounds = b->rounds,
										   .splits = b->splits,
										   .joinedJoints = b->skeleton.joined,
										   .outsideBones = b->skeleton.outside,
										   .worstQuality = 1.0f };
	double sum = 0.0;
	int32_t count = 0;
	for ( int32_t i = 0; i < b->tets.count; ++i )
	{
		if ( b->isKept[i] != 0 )
		{
			supVec3 corners[4];
			CornersOf( b, i, corners );
			double ratio = supTetRoundness( corners );
			report->worstQuality = supMinFloat( report->worstQuality, (float)ratio );
			sum += ratio;
			count += 1;
		}
	}
	report->meanQuality = (float)( sum / ( count > 0 ? count : 1 ) );
}

static bool Finish( Builder* b, supControlLattice* lattice, const supControlLatticeDef* def, supError* error )
{
	supArena scratch = { 0 };
	Output out = { 0 };
	bool ok = FillOutput( b, &scratch, &out ) ? true : supSetMemoryError( error );
	supControlLatticeArrays arrays = { .name = supCharacter_Name( def->character ),
									   .vertexCount = out.vertexCount,
									   .vertices = out.vertices,
									   .cellCount = out.cellCount,
									   .kinds = out.kinds,
									   .corners = out.corners,
									   .jointCount = b->skeleton.joints.count,
									   .joints = b->skeleton.joints.data,
									   .boneCount = b->skeleton.bones.count,
									   .bones = b->skeleton.bones.data,
									   .pins = out.pins,
									   .edgeCount = out.edgeCount,
									   .edges = out.edges };
	ok = ok && supControlLattice_Fill( lattice, &arrays, false, error );
	if ( ok && def->report != NULL )
	{
		FillReport( b, def->report );
		def->report->openPieces = out.edgeCount - lattice->edgeCount;
		for ( int32_t i = 0; i < lattice->vertexCount; ++i )
		{
			bool outer = lattice->pins[i].a < 0 && supLatticeBody_IsInside( b->body, lattice->vertices[i] ) == false;
			def->report->boneVertices += lattice->pins[i].a >= 0;
			def->report->outerVertices += outer;
			def->report->innerVertices += lattice->pins[i].a < 0 && outer == false;
		}
	}
	supArena_Destroy( &scratch );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// The body

static void DestroyBody( supLatticeBody* body )
{
	supDestroyWinding( body->winding );
	supDestroyTree( body->tree );
	supFree( body->indices );
	supFree( body->normals );
}

static void FillNormals( supLatticeBody* body )
{
	const supVec3* p = body->surface->positions;
	for ( int32_t i = 0; i < body->surface->triangleCount; ++i )
	{
		const uint32_t* c = body->indices + 3 * (size_t)i;
		supVec3 cross = supCross( supSub( p[c[1]], p[c[0]] ), supSub( p[c[2]], p[c[0]] ) );
		for ( int32_t k = 0; k < 3; ++k )
		{
			body->normals[c[k]] = supAdd( body->normals[c[k]], cross );
		}
	}
	for ( int32_t i = 0; i < body->surface->vertexCount; ++i )
	{
		body->normals[i] = supNormalize( body->normals[i] );
	}
}

static bool InitBody( supLatticeBody* body, const supControlLatticeDef* def, supError* error )
{
	const supRestSurface* surface = body->surface;
	const char* name = supCharacter_Name( def->character );
	size_t cornerCount = 3 * (size_t)surface->triangleCount;
	if ( surface->triangleCount == 0 )
	{
		return supSetError( error, sup_errorArgument, name, "the character has no triangles" );
	}
	body->indices = supAllocArray( cornerCount, sizeof( uint32_t ) );
	body->normals = supAllocZeroed( (size_t)surface->vertexCount * sizeof( supVec3 ) );
	if ( body->indices == NULL || body->normals == NULL )
	{
		return supSetMemoryError( error );
	}
	memcpy( body->indices, surface->indices, cornerCount * sizeof( uint32_t ) );
	body->bounds = supBox_empty;
	double volume = 0.0;
	supVec3 origin = surface->positions[surface->indices[0]];
	for ( size_t i = 0; i < cornerCount; i += 3 )
	{
		supVec3 p[3];
		for ( size_t k = 0; k < 3; ++k )
		{
			p[k] = surface->positions[surface->indices[i + k]];
			body->bounds = supBox_Include( body->bounds, p[k] );
		}
		supVec3 cross = supCross( supSub( p[1], p[0] ), supSub( p[2], p[0] ) );
		volume += supDot( cross, supSub( p[0], origin ) );
		body->area += 0.5 * supLength( cross );
	}
	for ( size_t i = 0; i < cornerCount && volume < 0.0; i += 3 )
	{
		uint32_t corner = body->indices[i + 1];
		body->indices[i + 1] = body->indices[i + 2];
		body->indices[i + 2] = corner;
	}
	FillNormals( body );
	supVec3 size = supBox_Size( body->bounds );
	body->size = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
	if ( !( body->area > 1e-9 * (double)body->size * body->size ) )
	{
		return supSetError( error, sup_errorArgument, name, "the surface has no area to put cells around" );
	}
	body->tree =
		supCreateTree( surface->positions, surface->vertexCount, body->indices, surface->triangleCount, error );
	body->winding = body->tree != NULL ? supCreateWinding( body->tree, SUP_WINDING_BETA, def->tasks, error ) : NULL;
	return body->winding != NULL;
}

// ---------------------------------------------------------------------------------------------------------------------

supControlLatticeDef supDefaultControlLatticeDef( void )
{
	return ( supControlLatticeDef ){ .vertexCount = 200 };
}

// The spacing whose lattice has the count: twice as many vertices need about 1 / 1.4 of it.
static bool Search( Builder* best, const supLatticeBody* body, const supLatticeSkeleton* skeleton, int32_t count )
{
	float spacing = (float)sqrt( body->area / ( 0.6 * count ) ), most = 0.6f * body->size, nearest = FLT_MAX;
	for ( int32_t i = 0; i < SEARCHES; ++i )
	{
		Builder b = { 0 };
		spacing = supMinFloat( spacing, most );
		if ( Build( &b, body, skeleton, spacing ) == false )
		{
			DestroyBuilder( &b );
			return false;
		}
		float ratio = (float)b.usedCount / (float)count, miss = fabsf( ratio - 1.0f );
		bool atMost = spacing == most && ratio > 1.0f;
		if ( miss < nearest )
		{
			nearest = miss;
			DestroyBuilder( best );
			*best = b;
		}
		else
		{
			DestroyBuilder( &b );
		}
		if ( nearest <= COUNT_TOLERANCE || atMost )
		{
			break;
		}
		spacing *= sqrtf( supClampFloat( ratio, 0.3f, 3.0f ) );
	}
	return true;
}

bool supBuildControlLattice( supControlLattice* lattice, const supControlLatticeDef* def, supError* error )
{
	supClearError( error );
	const char* name = supCharacter_Name( def->character );
	if ( def->vertexCount < SUP_LEAST_LATTICE || def->vertexCount > SUP_MOST_LATTICE )
	{
		return supSetError( error, sup_errorArgument, name, "a control lattice has %d to %d vertices, not %d",
							SUP_LEAST_LATTICE, SUP_MOST_LATTICE, def->vertexCount );
	}
	supRestSurface surface = { 0 };
	if ( def->surface == NULL && supRestSurface_Init( &surface, def->character, def->tasks, error ) == false )
	{
		return false;
	}
	supLatticeBody body = { .character = def->character, .surface = def->surface != NULL ? def->surface : &surface };
	supLatticeSkeleton skeleton = { 0 };
	Builder best = { 0 };
	bool ok = InitBody( &body, def, error ) && supLatticeSkeleton_Find( &skeleton, &body, error );
	ok = ok && ( Search( &best, &body, &skeleton, def->vertexCount ) ? true : supSetMemoryError( error ) ) &&
		 Finish( &best, lattice, def, error );
	DestroyBuilder( &best );
	supLatticeSkeleton_Destroy( &skeleton );
	DestroyBody( &body );
	supRestSurface_Destroy( &surface );
	return ok;
}
