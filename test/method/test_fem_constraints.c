// SPDX-License-Identifier: MIT
// Places of the flesh that are held: attachments give what QR and projected conjugate gradients give (section 4.3 of
// the paper), where constraints say the same and where they contradict each other as well.
#include "fem_stage.h"
#include "qr.h"

#include "linear/conjugate_gradients.h"
#include "scene/attachment_system.h"

#include <math.h>

#define HOOKS 4
#define MOST_ENTRIES ( HOOKS * SUP_MAX_ROW )

// ---------------------------------------------------------------------------------------------------------------------
// The oracle: the smallest change of motion that brings places where they are, d.A d / 2 with C d = a.

typedef struct Oracle
{
	const supFemFlesh* flesh;
	const supFemRegion* region;
	supBlockMatrix matrix; // M + h D + h^2 K of the region's unknowns
	int32_t nodeOf[512];
} Oracle;

static void MakeOracle( Oracle* oracle, const supFemFlesh* flesh, const supFemView* view, double h, double air )
{
	const supFemRegion* region = flesh->model.regions;
	oracle->flesh = flesh;
	oracle->region = region;
	oracle->matrix = region->matrix;
	oracle->matrix.values = calloc( 9 * (size_t)region->matrix.blockCount + SUP_BLOCK_PADDING, sizeof( double ) );
	for ( int32_t p = 0; p < region->partCount; ++p )
	{
		const supFemPart* part = region->parts + p;
		const supFemTuning* tuning = view->tunings + part->softRegion;
		for ( int32_t k = 0; k < part->stiffness.blockCount; ++k )
		{
			for ( size_t i = 0; part->blocks[k] >= 0 && i < 9; ++i )
			{
				double own = part->mass.values[k] * ( 1.0 + h * ( tuning->damping + air ) ) +
							 h * h * tuning->stiffness * part->hold.values[k];
				oracle->matrix.values[9 * (size_t)part->blocks[k] + i] +=
					h * h * tuning->stiffness * part->stiffness.values[9 * (size_t)k + i] + ( i % 4 == 0 ? own : 0.0 );
			}
		}
	}
	testLessEqual( flesh->model.functionCount, 512 );
	for ( int32_t i = 0; i < 512; ++i )
	{
		oracle->nodeOf[i] = -1;
	}
	for ( int32_t i = 0; i < region->unknownCount; ++i )
	{
		oracle->nodeOf[region->functions[i]] = i;
	}
}

// Constraints of all hooks, three each.
typedef struct Rows
{
	int32_t starts[3 * HOOKS + 1];
	int32_t unknowns[3 * MOST_ENTRIES];
	double values[3 * MOST_ENTRIES];
} Rows;

// The row of a hook.
typedef struct Anchor
{
	int32_t count;
	int32_t particles[SUP_MAX_ROW];
	float weights[SUP_MAX_ROW];
} Anchor;

static void MakeRows( const Oracle* oracle, int32_t count, const Anchor* anchors, Rows* rows )
{
	int32_t used = 0;
	for ( int32_t i = 0; i < 3 * count; ++i )
	{
		const Anchor* anchor = anchors + i / 3;
		rows->starts[i] = used;
		for ( int32_t k = 0; k < anchor->count; ++k )
		{
			int32_t node = oracle->nodeOf[anchor->particles[k]];
			if ( node >= 0 )
			{
				rows->unknowns[used] = 3 * node + i % 3;
				rows->values[used++] = (double)anchor->weights[k];
			}
		}
	}
	rows->starts[3 * count] = used;
}

// Starts from what QR says fulfils the constraints, and goes down from there inside them. Returns how many contradict
// the others, and how many say what others say.
static int32_t SolveOracle( const Oracle* oracle, int32_t count, const Rows* rows, const double* goals, double* d,
							int32_t* dependent )
{
	int32_t n = oracle->matrix.unknownCount;
	supError error = { 0 };
	double* scratch = calloc( supGradientsScratchCount( n ) + 2 * (size_t)n, sizeof( double ) );
	double *b = scratch + supGradientsScratchCount( n ), *e = b + n;
	testQr qr;
	testRequire( testQr_Create( &qr, n, 3 * HOOKS, 3 * MOST_ENTRIES, &error ), &error );
	assert_true( testQr_Factor( &qr, 3 * count, rows->starts, rows->unknowns, rows->values, 1e-6 ) );
	memset( d, 0, (size_t)n * sizeof( double ) );
	int32_t conflicts = testQr_Fulfil( &qr, goals, 1e-3, d );
	*dependent = 3 * count - qr.rank - conflicts;
	supBlockMatrix_Multiply( &oracle->matrix, d, b, 1, NULL );
	for ( int32_t i = 0; i < n; ++i )
	{
		b[i] = -b[i];
	}
	supBlockJacobi jacobi = { 0 };
	testRequire( supBlockJacobi_Create( &jacobi, &oracle->matrix, &error ), &error );
	supBlockMatrix matrix = oracle->matrix;
	supGradientsDef def = { .unknownCount = n,
							.apply = supApplyMatrix,
							.applyContext = &matrix,
							.precondition = supApplyBlockJacobi,
							.preconditionContext = &jacobi,
							.project = testQr_Project,
							.projectContext = &qr,
							.tolerance = 1e-9,
							.maxIterations = 5000 };
	assert_true( supSolveGradients( &def, b, e, scratch ).converged );
	for ( int32_t i = 0; i < n; ++i )
	{
		d[i] += e[i];
	}
	supBlockJacobi_Destroy( &jacobi );
	testQr_Destroy( &qr );
	free( scratch );
	return conflicts;
}

// ---------------------------------------------------------------------------------------------------------------------
// Scenes

static int32_t s_warnings;
static char s_warning[256];

static void CountWarnings( supLogLevel level, const char* message, void* context )
{
	(void)context;
	if ( level == sup_logWarning )
	{
		s_warnings += 1;
		snprintf( s_warning, sizeof( s_warning ), "%s", message );
	}
}

typedef struct Hooks
{
	int32_t count;
	int32_t vertices[HOOKS];
	supVec3 shifts[HOOKS];
	supAttachment* attachments[HOOKS];
	float gaps[HOOKS];
	Anchor anchors[HOOKS];
} Hooks;

// A step of the tube at rest with its hooks pulled aside. Returns what each particle moved beyond the same step without
// hooks, three doubles each.
static double* PullAside( supFlesh* flesh, Hooks* hooks, Oracle* oracle )
{
	const supFemFlesh* fem = flesh->own;
	size_t n = (size_t)fem->model.functionCount;
	double* moves = calloc( 3 * n, sizeof( double ) );
	supError error = { 0 };
	s_warnings = 0;
	for ( int pulled = 0; pulled < 2; ++pulled )
	{
		Sample s = Start( flesh, NULL );
		Bend( &s, 0.2f );
		supScene_Step( s.scene, 1.0f / 60.0f );
		for ( int32_t i = 0; pulled && i < hooks->count; ++i )
		{
			static const char* const names[HOOKS] = { "first", "second", "third", "fourth" };
			int32_t v = hooks->vertices[i];
			supAttachmentDef def = supDefaultAttachmentDef();
			def.name = names[i];
			def.placeCount = 2;
			def.places[0] = ( supPlace ){ .kind = sup_placeSurface,
										  .actor = s.actor,
										  .point = { .vertices = { v, v, v }, .weights = { 1.0f, 0.0f, 0.0f } } };
			def.places[1] = ( supPlace ){ .kind = sup_placeWorld,
										  .position = supAdd( supActor_Positions( s.actor, 0 )[v], hooks->shifts[i] ) };
			hooks->attachments[i] = supScene_Attach( s.scene, &def, &error );
			testRequire( hooks->attachments[i] != NULL, &error );
		}
		supScene_Step( s.scene, 1.0f / 60.0f );
		supFemView view = supFemFlesh_View( fem, s.actor->state );
		for ( size_t i = 0; i < 3 * n; ++i )
		{
			moves[i] += ( pulled ? 1.0 : -1.0 ) * view.solver.x[i];
		}
		if ( pulled )
		{
			float air = supActor_GetParameter( s.actor, sup_femAir );
			MakeOracle( oracle, fem, &view, (double)( 1.0f / 60.0f ), (double)air );
			for ( int32_t i = 0; i < hooks->count; ++i )
			{
				hooks->gaps[i] = supAttachment_Gap( hooks->attachments[i] );
				const supAnchor* row = &hooks->attachments[i]->places[0].row;
				hooks->anchors[i].count = row->count;
				memcpy( hooks->anchors[i].particles, row->particles, (size_t)row->count * sizeof( int32_t ) );
				memcpy( hooks->anchors[i].weights, row->weights, (size_t)row->count * sizeof( float ) );
			}
		}
		supDestroyScene( s.scene );
	}
	return moves;
}

// The whole body as one region, in the frame of a bone that stays: what is solved is A as it is.
static supFlesh* BuildLinear( void )
{
	const supSetting settings[2] = { { "vertices", 60.0f }, { "mode", (float)sup_femLinear } };
	return Build( settings, 2, NULL );
}

typedef struct Finding
{
	int32_t conflicts, dependent;
	double error; // of what the flesh moved, as a part of the largest move
} Finding;

// What the hooks want classified, and what they got compared.
static Finding Compare( Hooks* hooks )
{
	supFlesh* flesh = BuildLinear();
	Oracle* oracle = malloc( sizeof( Oracle ) );
	Rows* rows = malloc( sizeof( Rows ) );
	double* moves = PullAside( flesh, hooks, oracle );
	MakeRows( oracle, hooks->count, hooks->anchors, rows );
	double wanted[3 * HOOKS], got[3 * HOOKS], largest = 0.0;
	for ( int32_t i = 0; i < 3 * hooks->count; ++i )
	{
		wanted[i] = (double)( &hooks->shifts[i / 3].x )[i % 3];
		got[i] = 0.0;
		for ( int32_t k = rows->starts[i]; k < rows->starts[i + 1]; ++k )
		{
			int32_t function = oracle->region->functions[rows->unknowns[k] / 3];
			got[i] += rows->values[k] * moves[3 * function + rows->unknowns[k] % 3];
		}
	}
	Finding finding = { 0 };
	int32_t n = oracle->matrix.unknownCount, unused;
	double* d = calloc( (size_t)n, sizeof( double ) );
	finding.conflicts = SolveOracle( oracle, hooks->count, rows, wanted, d, &finding.dependent );
	SolveOracle( oracle, hooks->count, rows, got, d, &unused );
	for ( int32_t i = 0; i < n; ++i )
	{
		double move = moves[3 * oracle->region->functions[i / 3] + i % 3];
		largest = fmax( largest, fabs( move ) );
		finding.error = fmax( finding.error, fabs( move - d[i] ) );
	}
	finding.error /= largest;
	print_message( "%d dependent, %d in conflict, off by %.2e of the largest move\n", finding.dependent,
				   finding.conflicts, finding.error );
	free( d );
	free( moves );
	free( rows );
	free( oracle->matrix.values );
	free( oracle );
	supDestroyFlesh( flesh );
	return finding;
}

// Vertices of the skin a third and two thirds up the tube, on either side.
static void FindVertices( int32_t vertices[HOOKS] )
{
	const supMesh* mesh = supCharacter_Mesh( s_character, supCharacter_Instance( s_character, 0 )->mesh );
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		box = supBox_Include( box, mesh->positions[i] );
	}
	for ( int32_t k = 0; k < HOOKS; ++k )
	{
		float least = 1e30f, part = k < 2 ? 0.3f : 0.7f;
		supVec3 wanted = { k % 2 == 0 ? box.upper.x : box.lower.x, supLerpFloat( box.lower.y, box.upper.y, part ), 0 };
		for ( int32_t i = 0; i < mesh->vertexCount; ++i )
		{
			float distance = supDistance( mesh->positions[i], wanted );
			vertices[k] = distance < least ? i : vertices[k];
			least = supMinFloat( least, distance );
		}
	}
}

// Four places at once: all are met, and the flesh moves as the paper's method moves it.
static void SeveralPlacesAtOnce( void** state )
{
	(void)state;
	Hooks hooks = { .count = 4, .shifts = { { 0.02f, 0, 0 }, { 0, 0.01f, 0 }, { 0, 0, 0.03f }, { -0.01f, 0.01f, 0 } } };
	FindVertices( hooks.vertices );
	supSetLog( CountWarnings, NULL );
	Finding finding = Compare( &hooks );
	supSetLog( NULL, NULL );
	assert_true( finding.conflicts == 0 && finding.dependent == 0 );
	testLess( finding.error, 1e-3 );
	assert_int_equal( s_warnings, 0 );
	for ( int32_t i = 0; i < hooks.count; ++i )
	{
		testLess( hooks.gaps[i], 1e-5f );
	}
}

// One place three times with one goal: two of them follow from the first, and nothing is different.
static void SayingTheSameTwice( void** state )
{
	(void)state;
	Hooks hooks = { .count = 4,
					.shifts = { { 0.02f, 0, 0.01f }, { 0.02f, 0, 0.01f }, { 0.02f, 0, 0.01f }, { 0, 0.01f, 0 } } };
	FindVertices( hooks.vertices );
	hooks.vertices[1] = hooks.vertices[2] = hooks.vertices[0];
	supSetLog( CountWarnings, NULL );
	Finding finding = Compare( &hooks );
	supSetLog( NULL, NULL );
	assert_true( finding.conflicts == 0 && finding.dependent == 6 );
	testLess( finding.error, 1e-3 );
	assert_int_equal( s_warnings, 0 );
	for ( int32_t i = 0; i < hooks.count; ++i )
	{
		testLess( hooks.gaps[i], 1e-5f );
	}
}

// One place with two goals: QR finds it and so does the scene, which names both and no other. What can be met is met.
static void Contradictions( void** state )
{
	(void)state;
	Hooks hooks = { .count = 4, .shifts = { { 0.02f, 0, 0 }, { 0, 0.01f, 0 }, { -0.02f, 0, 0 }, { 0, 0, 0.01f } } };
	FindVertices( hooks.vertices );
	hooks.vertices[2] = hooks.vertices[0];
	supSetLog( CountWarnings, NULL );
	Finding finding = Compare( &hooks );
	supSetLog( NULL, NULL );
	print_message( "%d warnings, %s; gaps %g %g %g %g\n", s_warnings, s_warning, (double)hooks.gaps[0],
				   (double)hooks.gaps[1], (double)hooks.gaps[2], (double)hooks.gaps[3] );
	assert_true( finding.conflicts == 1 && finding.dependent == 2 );
	testLess( finding.error, 1e-3 );

	assert_int_equal( s_warnings, 1 );
	assert_non_null( strstr( s_warning, "'first'" ) );
	assert_non_null( strstr( s_warning, "'third'" ) );
	assert_null( strstr( s_warning, "others" ) );
	testLess( fabsf( hooks.gaps[0] - 0.02f ), 1e-4f );
	testLess( fabsf( hooks.gaps[2] - 0.02f ), 1e-4f );
	testLess( hooks.gaps[1], 1e-5f );
	testLess( hooks.gaps[3], 1e-5f );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( SeveralPlacesAtOnce ),
		cmocka_unit_test( SayingTheSameTwice ),
		cmocka_unit_test( Contradictions ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
