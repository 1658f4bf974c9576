// SPDX-License-Identifier: MIT
// Regions, their sums and their rotations, against the plainest way to get them.
#include "support.h"

#include "core/hash.h"
#include "core/kernel.h"
#include "method/lattice/lattice.h"
#include "models/models.h"
#include "supple/supple.h"

#include <math.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------------------------
// A character's flesh, and its voxels as a plain grid

typedef struct Body
{
	supCharacter* character;
	supFlesh* flesh;
	const supLatticeFlesh* own;
	void* state;
	supPose* pose;
	supLatticeArrays arrays;
	// of each voxel, moved so that none is negative; voxel of each cell, -1 without
	int32_t ( *cells )[3];
	int32_t size[3];
	int32_t* grid;
	double ( *positions )[3];
	// the last region that a voxel was found for
	int32_t* seen;
	int32_t regionCount;
} Body;

static int32_t* CellAt( const Body* body, int32_t x, int32_t y, int32_t z )
{
	static int32_t none = -1;
	bool inside = x >= 0 && y >= 0 && z >= 0 && x < body->size[0] && y < body->size[1] && z < body->size[2];
	return inside ? body->grid + ( z * body->size[1] + y ) * body->size[0] + x : &none;
}

static void MakeGrid( Body* body )
{
	const supLatticeFlesh* f = body->own;
	int32_t lower[3] = { INT32_MAX, INT32_MAX, INT32_MAX };
	body->cells = calloc( (size_t)f->voxelCount, sizeof( *body->cells ) );
	body->positions = calloc( (size_t)f->voxelCount, sizeof( *body->positions ) );
	body->seen = calloc( (size_t)f->voxelCount, sizeof( int32_t ) );
	for ( int32_t i = 0; i < f->voxelCount; ++i )
	{
		supVoxelCell c = f->brickCells[f->voxelSlots[i] / 8];
		int32_t cell[3] = { c.x + f->voxelSlots[i] % 8, c.y, c.z };
		for ( int k = 0; k < 3; ++k )
		{
			body->cells[i][k] = cell[k];
			lower[k] = cell[k] < lower[k] ? cell[k] : lower[k];
		}
	}
	for ( int32_t i = 0; i < f->voxelCount; ++i )
	{
		for ( int k = 0; k < 3; ++k )
		{
			body->cells[i][k] -= lower[k];
			body->size[k] = body->cells[i][k] + 1 > body->size[k] ? body->cells[i][k] + 1 : body->size[k];
		}
	}
	size_t count = (size_t)( body->size[0] * body->size[1] * body->size[2] );
	body->grid = malloc( count * sizeof( int32_t ) );
	memset( body->grid, 0xFF, count * sizeof( int32_t ) );
	for ( int32_t i = 0; i < f->voxelCount; ++i )
	{
		*CellAt( body, body->cells[i][0], body->cells[i][1], body->cells[i][2] ) = i;
	}
}

// Models take longer to make than all that is done with them: each once.
static supCharacter* s_characters[8];

static supCharacter* FindCharacter( const char* model )
{
	int i = 0;
	for ( ; s_characters[i] != NULL; ++i )
	{
		if ( strcmp( supCharacter_Name( s_characters[i] ), model ) == 0 )
		{
			return s_characters[i];
		}
	}
	supError error = { 0 };
	s_characters[i] = supFindModel( model )->create( &error );
	testRequire( s_characters[i] != NULL, &error );
	return s_characters[i];
}

static int DestroyCharacters( void** state )
{
	(void)state;
	for ( int i = 0; i < 8; ++i )
	{
		supDestroyCharacter( s_characters[i] );
	}
	return 0;
}

static Body MakeBody( const char* model, float resolution, float width )
{
	supError error = { 0 };
	Body body = { .character = FindCharacter( model ) };
	supSetting settings[] = { { "resolution", resolution }, { "width", width } };
	supFleshDef def = supDefaultFleshDef();
	def.settings = settings;
	def.settingCount = 2;
	body.flesh = supBuildFleshWith( body.character, &supMethod_lattice, &def, NULL, &error );
	testRequire( body.flesh != NULL, &error );
	body.own = body.flesh->own;
	body.state = aligned_alloc( 64, supLattice_StateSize( body.own ) );
	assert_non_null( body.state );
	body.pose = supCreatePose( body.character );
	assert_non_null( body.pose );
	supLattice_Reset( body.own, body.state, body.pose, NULL );
	body.arrays = supLattice_Arrays( body.own, body.state );
	MakeGrid( &body );
	return body;
}

static void DestroyBody( Body* body )
{
	supDestroyPose( body->pose );
	free( body->state );
	free( body->cells );
	free( body->grid );
	free( body->positions );
	free( body->seen );
	supDestroyFlesh( body->flesh );
}

// Turned, moved and shaken.
static void ShakeBody( Body* body, uint64_t seed, float shake )
{
	testRandom random = testMakeRandom( seed );
	supQuat turn = testRandomQuat( &random );
	supVec3 shift = testRandomVec3( &random, 5.0f );
	for ( int32_t i = 0; i < body->own->voxelCount; ++i )
	{
		int32_t slot = body->own->voxelSlots[i];
		supVec3 cell = { (float)( body->cells[i][0] - body->size[0] / 2 ),
						 (float)( body->cells[i][1] - body->size[1] / 2 ),
						 (float)( body->cells[i][2] - body->size[2] / 2 ) };
		supVec3 p = supAdd( supAdd( supRotate( turn, cell ), shift ), testRandomVec3( &random, shake ) );
		float place[3] = { p.x, p.y, p.z };
		for ( int k = 0; k < 3; ++k )
		{
			body->arrays.positions[( slot / 8 ) * 24 + 8 * k + slot % 8] = place[k];
			body->positions[i][k] = (double)place[k];
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Regions one by one

typedef struct Region
{
	int32_t count;
	int32_t voxels[729];
	// middle of the block
	double middle[3];
} Region;

static void Grow( Body* body, const int32_t lower[3], int32_t width, int32_t start, Region* region )
{
	int32_t stamp = ++body->regionCount;
	region->count = 1;
	region->voxels[0] = start;
	body->seen[start] = stamp;
	for ( int32_t i = 0; i < region->count; ++i )
	{
		const int32_t* c = body->cells[region->voxels[i]];
		for ( int side = 0; side < 6; ++side )
		{
			int32_t n[3] = { c[0], c[1], c[2] };
			n[side / 2] += side % 2 == 0 ? -1 : 1;
			bool inside = true;
			for ( int k = 0; k < 3; ++k )
			{
				inside = inside && n[k] >= lower[k] && n[k] < lower[k] + width;
			}
			// cells in the middles of the sides of the 27
			static const int sides[6] = { 12, 14, 10, 16, 4, 22 };
			int32_t slot = body->own->voxelSlots[region->voxels[i]];
			inside = inside && ( body->own->steps[27 * ( slot / 8 ) + sides[side]] >> slot % 8 & 1 ) != 0;
			int32_t voxel = inside ? *CellAt( body, n[0], n[1], n[2] ) : -1;
			if ( voxel >= 0 && body->seen[voxel] != stamp )
			{
				body->seen[voxel] = stamp;
				region->voxels[region->count++] = voxel;
			}
		}
	}
}

typedef void RegionFcn( const Body* body, const Region* region, void* context );

static void MakeBlock( Region* region, const int32_t lower[3], int32_t width )
{
	for ( int k = 0; k < 3; ++k )
	{
		region->middle[k] = lower[k] + 0.5 * ( width - 1 );
	}
}

static void EachCorner( Body* body, int32_t width, RegionFcn* function, void* context )
{
	int32_t at[3];
	for ( at[2] = 0; at[2] <= body->size[2]; ++at[2] )
	{
		for ( at[1] = 0; at[1] <= body->size[1]; ++at[1] )
		{
			for ( at[0] = 0; at[0] <= body->size[0]; ++at[0] )
			{
				bool done[8] = { false };
				for ( int k = 0; k < 8; ++k )
				{
					int32_t start =
						*CellAt( body, at[0] - 1 + ( k & 1 ), at[1] - 1 + ( k >> 1 & 1 ), at[2] - 1 + ( k >> 2 ) );
					if ( start < 0 || done[k] )
					{
						continue;
					}
					Region region;
					int32_t lower[3] = { at[0] - width / 2, at[1] - width / 2, at[2] - width / 2 };
					MakeBlock( &region, lower, width );
					Grow( body, lower, width, start, &region );
					for ( int32_t i = 0; i < region.count; ++i )
					{
						for ( int j = 0; j < 8; ++j )
						{
							done[j] = done[j] ||
									  region.voxels[i] == *CellAt( body, at[0] - 1 + ( j & 1 ),
																   at[1] - 1 + ( j >> 1 & 1 ), at[2] - 1 + ( j >> 2 ) );
						}
					}
					if ( region.count > 1 )
					{
						function( body, &region, context );
					}
				}
			}
		}
	}
}

static void EachRegion( Body* body, RegionFcn* function, void* context )
{
	int32_t width = body->own->window.width;
	if ( width % 2 == 0 )
	{
		EachCorner( body, width, function, context );
		return;
	}
	for ( int32_t i = 0; i < body->own->voxelCount; ++i )
	{
		Region region;
		int32_t lower[3];
		for ( int k = 0; k < 3; ++k )
		{
			lower[k] = body->cells[i][k] - width / 2;
		}
		MakeBlock( &region, lower, width );
		Grow( body, lower, width, i, &region );
		function( body, &region, context );
	}
}

typedef struct Goals
{
	double ( *sums )[3];
	int32_t* counts;
	int32_t regions;
	double mass;
} Goals;

static void CountRegion( const Body* body, const Region* region, void* context )
{
	(void)body;
	Goals* goals = context;
	goals->regions += 1;
	for ( int32_t i = 0; i < region->count; ++i )
	{
		goals->counts[region->voxels[i]] += 1;
	}
}

// The rotation of a region in double, with the skeleton's at rest (the identity) mixed in as the method does it.
static supMat3 FindRotation( double a[3][3], double trace, double mass )
{
	double skin = 0.03 / 3.0 * trace + 1.0e-3 * mass;
	supMat3 m;
	float* out = &m.cx.x;
	for ( int column = 0; column < 3; ++column )
	{
		for ( int row = 0; row < 3; ++row )
		{
			out[3 * column + row] = (float)( a[row][column] + ( row == column ? skin : 0.0 ) );
		}
	}
	return supMakeMat3Quat( supPolarRotation( m ) );
}

static void AddGoals( const Body* body, const Region* region, void* context )
{
	Goals* goals = context;
	double mass = 0.0, p[3] = { 0 }, q[3] = { 0 }, a[3][3] = { { 0 } }, trace = 0.0;
	for ( int32_t i = 0; i < region->count; ++i )
	{
		int32_t v = region->voxels[i];
		double m = 1.0 / goals->counts[v];
		mass += m;
		for ( int k = 0; k < 3; ++k )
		{
			p[k] += m * body->positions[v][k];
			q[k] += m * body->cells[v][k];
		}
	}
	for ( int32_t i = 0; i < region->count; ++i )
	{
		int32_t v = region->voxels[i];
		double m = 1.0 / goals->counts[v];
		for ( int row = 0; row < 3; ++row )
		{
			for ( int column = 0; column < 3; ++column )
			{
				a[row][column] +=
					m * ( body->positions[v][row] - p[row] / mass ) * ( body->cells[v][column] - q[column] / mass );
			}
			double d = body->cells[v][row] - q[row] / mass;
			trace += m * d * d;
		}
	}
	supMat3 r = FindRotation( a, trace, mass );
	for ( int32_t i = 0; i < region->count; ++i )
	{
		int32_t v = region->voxels[i];
		supVec3 d = { (float)( body->cells[v][0] - q[0] / mass ), (float)( body->cells[v][1] - q[1] / mass ),
					  (float)( body->cells[v][2] - q[2] / mass ) };
		supVec3 turned = supMulMV( r, d );
		goals->sums[v][0] += p[0] / mass + (double)turned.x;
		goals->sums[v][1] += p[1] / mass + (double)turned.y;
		goals->sums[v][2] += p[2] / mass + (double)turned.z;
	}
	goals->mass += mass;
}

// ---------------------------------------------------------------------------------------------------------------------

// What a region's sums are off those in double, as a part of the sizes of all that is added.
typedef struct Rounding
{
	double largest;
	const supLatticeFlesh* flesh;
	const float* sums;
} Rounding;

static void CompareSums( const Body* body, const Region* region, void* context )
{
	Rounding* rounding = context;
	const supLatticeFlesh* f = rounding->flesh;
	double sums[12] = { 0 }, sizes[12] = { 0 };
	for ( int32_t i = 0; i < region->count; ++i )
	{
		int32_t v = region->voxels[i];
		double m = (double)f->shares[f->voxelSlots[v]];
		for ( int k = 0; k < 12; ++k )
		{
			double at = k < 3 ? 1.0 : body->cells[v][k / 3 - 1] - region->middle[k / 3 - 1];
			double term = m * at * body->positions[v][k % 3];
			sums[k] += term;
			sizes[k] += fabs( m * ( k < 3 ? 1.0 : 0.5 * f->window.width ) * body->positions[v][k % 3] );
		}
	}
	// a region begins with the voxel that it is around
	int32_t slot = f->voxelRegions[8 * region->voxels[0]];
	for ( int k = 0; k < 12; ++k )
	{
		double off = fabs( (double)rounding->sums[( slot / 8 ) * 96 + 8 * k + slot % 8] - sums[k] );
		double part = off / ( sizes[k] + 1.0e-30 );
		rounding->largest = part <= rounding->largest ? rounding->largest : part;
	}
}

// For odd widths, where it is known which slot a region has.
static void CheckSums( Body* body )
{
	supLatticeJob job = { .flesh = body->own, .arrays = body->arrays, .leash = 1e6f, .from = body->arrays.positions };
	supLattice_SumRegions( &job, NULL );
	Rounding rounding = { .flesh = body->own, .sums = body->arrays.sums };
	EachRegion( body, CompareSums, &rounding );
	print_message( "width %d: sums of regions are off by at most %.1e of what is added\n", body->own->window.width,
				   rounding.largest );
	// a few roundings along each of three axes
	testLess( rounding.largest, 16.0 * 6.0e-8 );
}

static supTrouble s_trouble;

// Positions become their goals: one solve that does nothing but matching, all the way.
static void MatchWith( Body* body, const supTasks* tasks )
{
	float parameters[sup_latticeParameterCount];
	memcpy( parameters, body->own->parameters, sizeof( parameters ) );
	parameters[sup_latticeStretch] = 0.0f;
	parameters[sup_latticeVolume] = 0.0f;
	parameters[sup_latticeWholeVolume] = 0.0f;
	parameters[sup_latticeMuscleMatching] = 60.0f;
	parameters[sup_latticeFatMatching] = 60.0f;
	parameters[sup_latticeSkinMatching] = 60.0f;
	supSubstep step = { .dt = 1.0f / 60.0f, .trouble = &s_trouble, .parameters = parameters, .tasks = tasks };
	supLattice_Solve( body->own, body->state, &step );
}

static void MatchAllTheWay( Body* body )
{
	MatchWith( body, NULL );
}

static void CheckWidth( const char* model, float resolution, float width )
{
	Body body = MakeBody( model, resolution, width );
	const supLatticeFlesh* f = body.own;
	ShakeBody( &body, 7, 0.3f );
	Goals goals = { .sums = calloc( (size_t)f->voxelCount, sizeof( *goals.sums ) ),
					.counts = calloc( (size_t)f->voxelCount, sizeof( int32_t ) ) };
	EachRegion( &body, CountRegion, &goals );
	for ( int32_t i = 0; i < f->voxelCount; ++i )
	{
		float share = goals.counts[i] > 0 ? 1.0f / (float)goals.counts[i] : 0.0f;
		assert_float_equal( f->shares[f->voxelSlots[i]], share, 1.0e-7f );
	}
	EachRegion( &body, AddGoals, &goals );
	if ( f->window.width % 2 == 1 )
	{
		CheckSums( &body );
	}
	MatchAllTheWay( &body );
	for ( int32_t i = 0; i < f->voxelCount; ++i )
	{
		int32_t slot = f->voxelSlots[i];
		bool isBone = f->freedoms[slot] == 0.0f;
		for ( int k = 0; k < 3; ++k )
		{
			double got = (double)body.arrays.positions[( slot / 8 ) * 24 + 8 * k + slot % 8];
			bool stays = isBone || goals.counts[i] == 0;
			double want = stays ? body.positions[i][k] : goals.sums[i][k] / goals.counts[i];
			assert_float_equal( got, want, 6.0e-5 );
		}
	}
	free( goals.sums );
	free( goals.counts );
	DestroyBody( &body );
}

static void GoalsEqualTheNaiveOnes( void** state )
{
	(void)state;
	for ( int width = 2; width <= SUP_LATTICE_MAX_WIDTH; ++width )
	{
		// legs side by side
		CheckWidth( "horse", (float)testRounds( 22, 14 ), (float)width );
	}
	CheckWidth( "octopus", (float)testRounds( 32, 20 ), 2.0f );
	CheckWidth( "horse", (float)testRounds( 32, 20 ), 5.0f );
	CheckWidth( "tube", 9.0f, 3.0f );
}

// Some regions are not blocks here, so that both kinds of lists are at work in the test above.
static void ListsAreInUse( void** state )
{
	(void)state;
	testMeasuresOnly();
	Body body = MakeBody( "octopus", 32.0f, 2.0f );
	testGreater( body.own->extraBrickCount, 0 );
	DestroyBody( &body );
	body = MakeBody( "horse", 32.0f, 5.0f );
	testGreater( body.own->regionLists.count, 20 );
	assert_int_equal( body.own->regionLists.starts[body.own->regionLists.count],
					  body.own->voxelLists.starts[body.own->voxelLists.count] );
	DestroyBody( &body );
}

// Voxels to take off sums over blocks, or to add where that is less, if there were no sheets.
static void CountParted( const Body* body, const Region* region, void* context )
{
	double* count = context;
	int32_t width = body->own->window.width, others = -region->count;
	for ( int32_t i = 0; i < width * width * width; ++i )
	{
		int32_t at[3] = { i % width, i / width % width, i / width / width };
		for ( int k = 0; k < 3; ++k )
		{
			at[k] += (int32_t)floor( region->middle[k] - 0.5 * ( width - 1 ) );
		}
		others += *CellAt( body, at[0], at[1], at[2] ) >= 0;
	}
	*count += others < region->count ? others : region->count;
}

// Legs are close to each other: the wider regions are, the more of the other leg is in their blocks. On sheets of their
// own they are not in each other's sums.
static void LimbsAreOnSheets( void** state )
{
	(void)state;
	for ( int width = 7; width <= SUP_LATTICE_MAX_WIDTH; ++width )
	{
		Body body = MakeBody( "horse", 32.0f, (float)width );
		const supLatticeFlesh* f = body.own;
		double parted = 0.0, listed = 0.0;
		EachRegion( &body, CountParted, &parted );
		for ( int32_t i = 0; i < f->regionLists.starts[f->regionLists.count]; ++i )
		{
			listed += __builtin_popcount( f->regionLists.offsets[i].lanes );
		}
		print_message( "width %d: %.2f of %.2f voxels that regions have too much are left to lists, for each voxel\n",
					   width, listed / f->voxelCount, parted / f->voxelCount );
		testGreater( f->regionJoins.starts[f->regionJoins.count], 0 );
		testGreater( f->voxelJoins.starts[f->voxelJoins.count], 0 );
		testLess( listed, 0.2 * parted );
		DestroyBody( &body );
	}
}

static uint64_t HashOfMatching( Body* body, const supTasks* tasks )
{
	ShakeBody( body, 13, 0.3f );
	MatchWith( body, tasks );
	return supHashBytes( SUP_HASH_SEED, body->arrays.positions,
						 24 * sizeof( float ) * (size_t)body->own->voxelBrickCount );
}

// With sheets, lists and extra bricks at work.
static void SheetsGiveTheSameBits( void** state )
{
	(void)state;
	Body body = MakeBody( "horse", 22.0f, 8.0f );
	testGreater( body.own->voxelJoins.starts[body.own->voxelJoins.count], 0 );
	testGreater( body.own->extraBrickCount, 0 );
	uint64_t hash = HashOfMatching( &body, NULL );
	supThreadPool* pool = supCreateThreadPool( 3 );
	assert_non_null( pool );
	for ( int i = 0; i < 10; ++i )
	{
		supLattice_Reset( body.own, body.state, body.pose, supThreadPool_Tasks( pool ) );
		assert_true( HashOfMatching( &body, supThreadPool_Tasks( pool ) ) == hash );
	}
	supDestroyThreadPool( pool );
	supInstructionSet best = supGetInstructionSet();
	assert_true( supSetInstructionSet( sup_instructionsBaseline ) );
	supLattice_Reset( body.own, body.state, body.pose, NULL );
	assert_true( HashOfMatching( &body, NULL ) == hash );
	assert_true( supSetInstructionSet( best ) );
	// and out of a file
	supError error = { 0 };
	size_t size;
	uint8_t* bytes = supWriteFlesh( body.flesh, &size, &error );
	testRequire( bytes != NULL, &error );
	supFlesh* read = supReadFlesh( bytes, size, "test", body.character, &error );
	testRequire( read != NULL, &error );
	body.own = read->own;
	supLattice_Reset( body.own, body.state, body.pose, NULL );
	assert_true( HashOfMatching( &body, NULL ) == hash );
	supDestroyFlesh( read );
	supFree( bytes );
	DestroyBody( &body );
}

// The sum of m g is that of m p: masses shared out among the regions that a voxel is in, however these are cut.
static void MatchingKeepsMomentum( void** state )
{
	(void)state;
	for ( int width = 2; width <= 5; ++width )
	{
		Body body = MakeBody( "octopus", 32.0f, (float)width );
		const supLatticeFlesh* f = body.own;
		// bones would not keep it
		for ( int32_t i = 0; i < f->classCount; ++i )
		{
			f->classes[i].isBone = 0;
		}
		ShakeBody( &body, 11, 0.5f );
		MatchAllTheWay( &body );
		double before[3] = { 0 }, after[3] = { 0 };
		for ( int32_t i = 0; i < f->voxelCount; ++i )
		{
			int32_t slot = f->voxelSlots[i];
			for ( int k = 0; k < 3; ++k )
			{
				before[k] += body.positions[i][k];
				after[k] += (double)body.arrays.positions[( slot / 8 ) * 24 + 8 * k + slot % 8];
			}
		}
		for ( int k = 0; k < 3; ++k )
		{
			assert_float_equal( after[k] / f->voxelCount, before[k] / f->voxelCount, 2.0e-6 );
		}
		DestroyBody( &body );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Rotations

#define MATRICES 4096

static void SetMatrix( float* matrices, int32_t i, supMat3 m )
{
	const float* entries = &m.cx.x;
	for ( int k = 0; k < 9; ++k )
	{
		matrices[k * MATRICES + i] = entries[k];
	}
}

// u diag(s) v with the given singular values and sign.
static supMat3 MakeMatrix( testRandom* random, supVec3 s )
{
	supMat3 u = supMakeMat3Quat( testRandomQuat( random ) ), v = supMakeMat3Quat( testRandomQuat( random ) );
	supMat3 d = { { s.x, 0.0f, 0.0f }, { 0.0f, s.y, 0.0f }, { 0.0f, 0.0f, s.z } };
	return supMulMM( supMulMM( u, d ), v );
}

static supMat3 MakeCase( testRandom* random, int32_t i )
{
	float a = testRandomFloat( random, 0.1f, 1.0f ), b = testRandomFloat( random, 0.1f, 1.0f );
	float scale = powf( 10.0f, testRandomFloat( random, -8.0f, 8.0f ) );
	switch ( i % 8 )
	{
		case 0: // sound
			return MakeMatrix( random, supMakeVec3( 1.0f, a, b ) );
		case 1: // inside out
			return MakeMatrix( random, supMakeVec3( 1.0f, a, -b ) );
		case 2: // flat
			return MakeMatrix( random, supMakeVec3( 1.0f, a, 0.0f ) );
		case 3: // a line
			return MakeMatrix( random, supMakeVec3( 1.0f, 0.0f, 0.0f ) );
		case 4: // nothing
			return MakeMatrix( random, supVec3_zero );
		case 5: // inside out along two equally short axes: many answers
			return MakeMatrix( random, supMakeVec3( 1.0f, a, -a ) );
		case 6:
			return MakeMatrix( random, supMakeVec3( scale, scale * a, scale * b ) );
		default: // nearly flat, inside out
			return MakeMatrix( random, supMakeVec3( 1.0f, a, -1.0e-4f ) );
	}
}

static double TraceOf( const float* matrices, const float* rotations, int32_t i )
{
	supQuat q = { rotations[i], rotations[MATRICES + i], rotations[2 * MATRICES + i], rotations[3 * MATRICES + i] };
	assert_float_equal( supDotQuat( q, q ), 1.0f, 1.0e-5f );
	supMat3 r = supMakeMat3Quat( q );
	const float* entries = &r.cx.x;
	double trace = 0.0;
	for ( int k = 0; k < 9; ++k )
	{
		trace += (double)entries[k] * (double)matrices[k * MATRICES + i];
	}
	return trace;
}

// What the rotation maximises reaches the sum of the singular values, the last with the sign of the determinant.
static void RotationsAreTheNearest( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	float* matrices = calloc( 9 * MATRICES, sizeof( float ) );
	float* rotations = calloc( 4 * MATRICES, sizeof( float ) );
	for ( int32_t i = 0; i < MATRICES; ++i )
	{
		SetMatrix( matrices, i, MakeCase( &random, i ) );
		supQuat q = i % 3 == 0 ? supQuat_identity : testRandomQuat( &random );
		rotations[i] = q.x;
		rotations[MATRICES + i] = q.y;
		rotations[2 * MATRICES + i] = q.z;
		rotations[3 * MATRICES + i] = q.w;
	}
	SUP_CALL_KERNEL( supLatticePolar )( matrices, rotations, MATRICES );
	for ( int32_t i = 0; i < MATRICES; ++i )
	{
		supMat3 m;
		float* entries = &m.cx.x;
		for ( int k = 0; k < 9; ++k )
		{
			entries[k] = matrices[k * MATRICES + i];
		}
		supSvd svd = supComputeSvd( m );
		double best = (double)svd.s.x + (double)svd.s.y + (double)svd.s.z;
		testGreaterEqual( TraceOf( matrices, rotations, i ), best - 3.0e-6 * (double)svd.s.x );
	}
	free( matrices );
	free( rotations );
}

// The worst starts: half a turn away, where the slope is zero.
static void RotationsLeaveMinima( void** state )
{
	(void)state;
	float matrices[9 * 8] = { 0 }, rotations[4 * 8] = { 0 };
	for ( int i = 0; i < 8; ++i )
	{
		matrices[i] = 1.0f;
		matrices[4 * 8 + i] = 0.9f;
		matrices[8 * 8 + i] = 0.8f;
		rotations[( i % 3 ) * 8 + i] = 1.0f;
	}
	SUP_CALL_KERNEL( supLatticePolar )( matrices, rotations, 8 );
	for ( int i = 0; i < 8; ++i )
	{
		assert_float_equal( fabsf( rotations[24 + i] ), 1.0f, 1.0e-6f );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Tethers

// Against the solution with exp, cos and sin.
static void TethersAreExact( void** state )
{
	(void)state;
	static const double dampings[] = { 0.0, 0.1, 0.5, 0.99, 1.5 };
	for ( int i = 0; i < 5; ++i )
	{
		for ( int k = 0; k < 4; ++k )
		{
			double frequency = 0.3 * pow( 6.0, k ), z = dampings[i], h = 1.0 / 60.0;
			double w = 2.0 * 3.14159265358979323846 * frequency;
			float m[4];
			supSolveTether( (float)frequency, (float)z, (float)h, m );
			double e = exp( -z * w * h ), c, s, d;
			if ( z < 1.0 )
			{
				d = w * sqrt( 1.0 - z * z );
				c = cos( d * h );
				s = sin( d * h ) / d;
			}
			else
			{
				d = w * sqrt( z * z - 1.0 );
				c = cosh( d * h );
				s = sinh( d * h ) / d;
			}
			assert_float_equal( m[0], e * ( c + z * w * s ), 2.0e-6 );
			assert_float_equal( m[1], e * s, 2.0e-6 );
			assert_float_equal( m[2] / w, -e * w * s, 2.0e-6 );
			assert_float_equal( m[3], e * ( c - z * w * s ), 2.0e-6 );
		}
	}
	float m[4];
	supSolveTether( 0.0f, 0.0f, 0.01f, m );
	assert_true( m[0] == 1.0f && m[1] == 0.01f && m[2] == 0.0f && m[3] == 1.0f );
}

int main( void )
{
	// thin limbs at these resolutions are reported, and meant
	supSetLog( NULL, NULL );
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( GoalsEqualTheNaiveOnes ), cmocka_unit_test( ListsAreInUse ),
		cmocka_unit_test( LimbsAreOnSheets ),       cmocka_unit_test( SheetsGiveTheSameBits ),
		cmocka_unit_test( MatchingKeepsMomentum ),  cmocka_unit_test( RotationsAreTheNearest ),
		cmocka_unit_test( RotationsLeaveMinima ),   cmocka_unit_test( TethersAreExact ),
	};
	return cmocka_run_group_tests( tests, NULL, DestroyCharacters );
}
