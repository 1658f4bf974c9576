// SPDX-License-Identifier: MIT
#include "worst.h"

#include "core/core.h"
#include "report.h"
#include "scene/guard.h"
#include "terminal.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

// In parts of the size of the character: places nearer than this are one, and how much of it a close-up shows to each
// side.
#define SEPARATION_RATIO 0.08f
#define CLOSE_UP_RATIO 0.11f

// Seconds after which the same place counts again where there are too few others.
#define SEPARATION_S 0.5f

// In parts of the size: smaller differences are not worth a picture.
#define LEAST_EXCESS 1e-4f

// Close-ups are seen from so many sizes away, through a long lens.
#define DISTANCE_RATIO 2.0f

typedef struct WorstJob
{
	Stage* stage;
	const supCharacter* character;
	supGuardMesh* mesh; // the edges
	supVec3* rest;      // all vertices at rest
	supVec3* linear;    // and as linear blend skinning has them now
	float* excess;      // of each vertex now, of the worst edge that begins at it
	float* lengths;     // and how long that edge is at rest
	int32_t frameCount;
	float dt;
	int32_t candidateCount;
	WorstPlace* candidates;
	int32_t rows; // panels that have flesh
	int32_t panels[MOST_PANELS];
	int32_t most; // places
} WorstJob;

int CheckWorst( const Command* command, const Stage* stage, const Arguments* arguments )
{
	if ( arguments->fileCount > 1 )
	{
		return ReportUsage( command, "--worst is for one file" );
	}
	bool any = false;
	for ( int32_t i = 0; i < stage->fleshCount; ++i )
	{
		any = any || stage->fleshes[i].file != NULL || stage->fleshes[i].method != sup_methodLbs;
	}
	return any ? exit_ok : ReportUsage( command, "--worst compares with lbs; choose another method" );
}

static bool IsLinear( const Panel* panel )
{
	return strcmp( supFlesh_MethodName( panel->flesh ), supMethodName( sup_methodLbs ) ) == 0;
}

static void SkinAll( const WorstJob* job, supPose* pose, supVec3* positions )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( job->character ); ++i )
	{
		supSkinOutput output = { .positions = positions + job->mesh->vertexStarts[i] };
		supSkinInstance( pose, i, sup_skinningLinear, job->stage->tasks, &output );
	}
}

static int OpenJob( WorstJob* job, Stage* stage, int32_t most )
{
	*job = ( WorstJob ){ .stage = stage, .character = stage->sources[0].character, .most = most };
	job->mesh = supCreateGuardMesh( job->character, NULL, stage->tasks );
	supPose* pose = supCreatePose( job->character );
	bool ok = job->mesh != NULL && pose != NULL;
	if ( ok )
	{
		size_t count = (size_t)job->mesh->vertexCount + 1;
		job->dt = (float)( stage->settings->speed / stage->settings->fps );
		job->frameCount = (int32_t)( ( stage->to - stage->from ) / job->dt + 1e-3f ) + 1;
		job->rest = supAllocArray( count, sizeof( supVec3 ) );
		job->linear = supAllocArray( count, sizeof( supVec3 ) );
		job->excess = supAllocArray( count, sizeof( float ) );
		job->lengths = supAllocZeroed( count * sizeof( float ) );
		size_t candidates = (size_t)job->frameCount * (size_t)stage->panelCount * (size_t)most;
		job->candidates = supAllocArray( candidates, sizeof( WorstPlace ) );
		ok = job->rest != NULL && job->linear != NULL && job->excess != NULL && job->lengths != NULL &&
			 job->candidates != NULL;
	}
	if ( ok )
	{
		SkinAll( job, pose, job->rest );
	}
	supDestroyPose( pose );
	for ( int32_t i = 0; i < stage->panelCount; ++i )
	{
		if ( IsLinear( stage->panels + i ) == false )
		{
			job->panels[job->rows++] = i;
		}
	}
	return ok ? exit_ok : ReportMemory();
}

static void CloseJob( WorstJob* job )
{
	supGuardMesh_Release( job->mesh );
	supFree( job->rest );
	supFree( job->linear );
	supFree( job->excess );
	supFree( job->lengths );
	supFree( job->candidates );
}

// ---------------------------------------------------------------------------------------------------------------------
// Finding

// The excess at every vertex of a panel as it is now.
static void MeasurePanel( WorstJob* job, const Panel* panel )
{
	const supGuardMesh* mesh = job->mesh;
	SkinAll( job, supActor_Pose( panel->actor ), job->linear );
	memset( job->excess, 0, (size_t)mesh->vertexCount * sizeof( float ) );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( job->character ); ++i )
	{
		const supVec3* now = supActor_Positions( panel->actor, i );
		const supVec3* linear = job->linear + mesh->vertexStarts[i];
		float* excess = job->excess + mesh->vertexStarts[i];
		for ( int32_t e = mesh->edgeStarts[i]; e < mesh->edgeStarts[i + 1]; ++e )
		{
			int32_t a = mesh->edges[2 * (ptrdiff_t)e], b = mesh->edges[2 * (ptrdiff_t)e + 1];
			float length = supDistance( now[a], now[b] ), skinned = supDistance( linear[a], linear[b] );
			float most = supMaxFloat( skinned, mesh->lengths[e] ), least = supMinFloat( skinned, mesh->lengths[e] );
			float over = length > most ? length - most : length < least ? length - least : 0.0f;
			over /= mesh->size;
			if ( fabsf( over ) > fabsf( excess[a] ) )
			{
				excess[a] = over;
				job->lengths[mesh->vertexStarts[i] + a] = mesh->lengths[e];
			}
		}
	}
}

static int32_t InstanceOf( const WorstJob* job, int32_t vertex )
{
	int32_t instance = 0;
	while ( job->mesh->vertexStarts[instance + 1] <= vertex )
	{
		instance += 1;
	}
	return instance;
}

// The joint that carries most of a vertex; of a rigid mesh, the node.
static const char* JointOf( const WorstJob* job, int32_t instance, int32_t vertex )
{
	const supInstance* it = supCharacter_Instance( job->character, instance );
	const supMesh* mesh = supCharacter_Mesh( job->character, it->mesh );
	int32_t node = it->node;
	if ( it->skin >= 0 && mesh->influences > 0 )
	{
		size_t at = (size_t)vertex * (size_t)mesh->influences;
		node = supCharacter_Skin( job->character, it->skin )->joints[mesh->joints[at]];
	}
	return supCharacter_Node( job->character, node )->name;
}

// The worst places of a panel at this moment, apart from each other.
static void CollectPlaces( WorstJob* job, int32_t panel, int32_t frame )
{
	const supGuardMesh* mesh = job->mesh;
	MeasurePanel( job, job->stage->panels + panel );
	for ( int32_t n = 0; n < job->most; ++n )
	{
		int32_t worst = 0;
		for ( int32_t v = 1; v < mesh->vertexCount; ++v )
		{
			worst = fabsf( job->excess[v] ) > fabsf( job->excess[worst] ) ? v : worst;
		}
		if ( mesh->vertexCount == 0 || job->excess[worst] == 0.0f )
		{
			return;
		}
		int32_t instance = InstanceOf( job, worst );
		// the edges around an edge of a coarse mesh are no other place
		float reach = supMaxFloat( SEPARATION_RATIO * mesh->size, 1.5f * job->lengths[worst] );
		WorstPlace* place = job->candidates + job->candidateCount++;
		*place = ( WorstPlace ){ .excess = job->excess[worst],
								 .time = job->stage->time,
								 .frame = frame,
								 .panel = panel,
								 .instance = instance,
								 .vertex = worst - mesh->vertexStarts[instance],
								 .reach = reach };
		supVec3 middle = job->rest[worst];
		for ( int32_t v = 0; v < mesh->vertexCount; ++v )
		{
			bool isNear = supDistance( job->rest[v], middle ) < reach;
			job->excess[v] = isNear ? 0.0f : job->excess[v];
		}
	}
}

static int ComparePlaces( const void* a, const void* b )
{
	const WorstPlace *x = a, *y = b;
	float first = fabsf( x->excess ), second = fabsf( y->excess );
	int order = ( first < second ) - ( first > second );
	order = order != 0 ? order : ( x->frame > y->frame ) - ( x->frame < y->frame );
	order = order != 0 ? order : x->panel - y->panel;
	order = order != 0 ? order : x->instance - y->instance;
	return order != 0 ? order : x->vertex - y->vertex;
}

static supVec3 RestOf( const WorstJob* job, const WorstPlace* place )
{
	return job->rest[job->mesh->vertexStarts[place->instance] + place->vertex];
}

static bool IsNew( const WorstJob* job, const WorstPlace* place, const WorstPlace* chosen, int32_t count, bool inTime )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		float away = supDistance( RestOf( job, place ), RestOf( job, chosen + i ) );
		bool later = inTime && fabsf( place->time - chosen[i].time ) > SEPARATION_S;
		if ( away < supMaxFloat( place->reach, chosen[i].reach ) && later == false )
		{
			return false;
		}
	}
	return true;
}

static int32_t ChoosePlaces( WorstJob* job, WorstPlace* chosen )
{
	int32_t count = 0;
	qsort( job->candidates, (size_t)job->candidateCount, sizeof( WorstPlace ), ComparePlaces );
	// different places first, then the same ones at other times
	for ( int pass = 0; pass < 2; ++pass )
	{
		for ( int32_t i = 0; i < job->candidateCount && count < job->most; ++i )
		{
			WorstPlace* place = job->candidates + i;
			bool counts = fabsf( place->excess ) > LEAST_EXCESS || count == 0;
			if ( counts && IsNew( job, place, chosen, count, pass == 1 ) )
			{
				CleanText( JointOf( job, place->instance, place->vertex ), 24, place->joint, sizeof( place->joint ) );
				snprintf( place->method, sizeof( place->method ), "%s",
						  supFlesh_MethodName( job->stage->panels[place->panel].flesh ) );
				chosen[count++] = *place;
			}
		}
	}
	return count;
}

// ---------------------------------------------------------------------------------------------------------------------
// Looking

static bool HitsTriangle( supVec3 from, supVec3 way, supVec3 a, supVec3 b, supVec3 c, float nearest )
{
	supVec3 ab = supSub( b, a ), ac = supSub( c, a ), p = supCross( way, ac );
	float det = supDot( ab, p );
	if ( fabsf( det ) < 1e-20f )
	{
		return false;
	}
	supVec3 s = supSub( from, a ), q = supCross( s, ab );
	float u = supDot( s, p ) / det, v = supDot( way, q ) / det, t = supDot( ac, q ) / det;
	return u >= 0.0f && v >= 0.0f && u + v <= 1.0f && t > nearest;
}

static bool IsHidden( const WorstJob* job, const Panel* panel, supVec3 from, supVec3 way )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( job->character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( job->character, supCharacter_Instance( job->character, i )->mesh );
		const supVec3* p = supActor_Positions( panel->actor, i );
		for ( int32_t k = 0; k + 2 < mesh->indexCount; k += 3 )
		{
			const uint32_t* corner = mesh->indices + k;
			if ( HitsTriangle( from, way, p[corner[0]], p[corner[1]], p[corner[2]], 0.01f * job->mesh->size ) )
			{
				return true;
			}
		}
	}
	return false;
}

typedef struct Direction
{
	supVec3 way;
	float facing; // cosine to the normal
} Direction;

static int CompareDirections( const void* a, const void* b )
{
	float x = ( (const Direction*)a )->facing, y = ( (const Direction*)b )->facing;
	return ( x < y ) - ( x > y );
}

// From where a place is seen best: along its normal as far as nothing is in front of it.
static supVec3 ChooseDirection( const WorstJob* job, const Panel* panel, supVec3 at, supVec3 normal )
{
	enum
	{
		around = 16,
		above = 4,
	};
	static const float elevations[above] = { 5.0f, -25.0f, 35.0f, 65.0f };
	Direction directions[around * above];
	for ( int i = 0; i < around * above; ++i )
	{
		supCosSin a = supComputeCosSin( 2.0f * SUP_PI * (float)( i % around ) / (float)around );
		supCosSin e = supComputeCosSin( elevations[i / around] * SUP_PI / 180.0f );
		supVec3 way = { e.cosine * a.sine, e.sine, e.cosine * a.cosine };
		directions[i] = ( Direction ){ way, supDot( way, normal ) };
	}
	qsort( directions, SUP_COUNT( directions ), sizeof( Direction ), CompareDirections );
	supVec3 from = supMulAdd( at, 1e-3f * job->mesh->size, normal );
	for ( int32_t i = 0; i < SUP_COUNT( directions ) && directions[i].facing > -0.1f; ++i )
	{
		if ( IsHidden( job, panel, from, directions[i].way ) == false )
		{
			return directions[i].way;
		}
	}
	return directions[0].way;
}

// Of the triangles around a vertex: not every mesh has normals.
static supVec3 NormalAt( const WorstJob* job, const supVec3* positions, const WorstPlace* place )
{
	int32_t index = supCharacter_Instance( job->character, place->instance )->mesh;
	const supMesh* mesh = supCharacter_Mesh( job->character, index );
	supVec3 sum = supVec3_zero;
	for ( int32_t k = 0; k + 2 < mesh->indexCount; k += 3 )
	{
		const uint32_t* corner = mesh->indices + k;
		uint32_t v = (uint32_t)place->vertex;
		if ( corner[0] == v || corner[1] == v || corner[2] == v )
		{
			supVec3 a = positions[corner[0]], b = positions[corner[1]], c = positions[corner[2]];
			sum = supAdd( sum, supCross( supSub( b, a ), supSub( c, a ) ) );
		}
	}
	float length = supLength( sum );
	return length > 0.0f ? supScale( 1.0f / length, sum ) : supVec3_zero;
}

static supView LookAt( const WorstJob* job, const WorstPlace* place )
{
	const Panel* panel = job->stage->panels + place->panel;
	const supVec3* positions = supActor_Positions( panel->actor, place->instance );
	supVec3 at = positions[place->vertex];
	supVec3 way = ChooseDirection( job, panel, at, NormalAt( job, positions, place ) );
	float zoom = supMaxFloat( (float)job->stage->settings->zoom, 0.05f );
	return ( supView ){ .eye = supMulAdd( at, DISTANCE_RATIO * job->mesh->size, way ),
						.target = at,
						.up = { 0.0f, 1.0f, 0.0f },
						.tanHalf = CLOSE_UP_RATIO / DISTANCE_RATIO / zoom };
}

static void DrawRing( supPicture* picture, const supView* view, supVec3 at )
{
	enum
	{
		corners = 32
	};
	supVec2 middle;
	supPen* pen = supPen_Begin( picture );
	if ( pen != NULL && supView_Project( view, picture->width, picture->height, at, &middle ) )
	{
		float radius = 0.09f * (float)( picture->width < picture->height ? picture->width : picture->height );
		supVec2 last = { middle.x + radius, middle.y };
		for ( int i = 1; i <= corners; ++i )
		{
			supCosSin a = supComputeCosSin( 2.0f * SUP_PI * (float)i / (float)corners );
			supVec2 next = { middle.x + radius * a.cosine, middle.y + radius * a.sine };
			supPen_Line( pen, last, next, 1.5f, ( supVec4 ){ 0.85f, 0.1f, 0.1f, 0.9f } );
			last = next;
		}
	}
	if ( pen != NULL )
	{
		supPen_End( pen );
	}
}

// Behind the label: a close-up fills its cell to the edge.
static void DrawPlate( supPicture* picture )
{
	supPen* pen = supPen_Begin( picture );
	if ( pen != NULL )
	{
		float height = 2.0f * supMaxFloat( 0.034f * (float)picture->height, 11.0f );
		supPen_Rectangle( pen, ( supVec2 ){ 0.0f, 0.0f }, ( supVec2 ){ (float)picture->width, height },
						  ( supVec4 ){ 0.8f, 0.82f, 0.85f, 0.75f } );
		supPen_End( pen );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Drawing

// What a method does near a place at this moment.
static float ExcessAt( WorstJob* job, const Panel* panel, const WorstPlace* place )
{
	MeasurePanel( job, panel );
	float worst = 0.0f;
	supVec3 middle = RestOf( job, place );
	for ( int32_t v = 0; v < job->mesh->vertexCount; ++v )
	{
		if ( fabsf( job->excess[v] ) > fabsf( worst ) && supDistance( job->rest[v], middle ) < 0.5f * place->reach )
		{
			worst = job->excess[v];
		}
	}
	return worst;
}

typedef struct Cell
{
	int32_t left, top, width, height;
} Cell;

static Cell CellAt( const WorstJob* job, int32_t column, int32_t columns, int32_t row )
{
	const Stage* stage = job->stage;
	int32_t rows = job->rows + 1;
	int32_t left = stage->width * column / columns, right = stage->width * ( column + 1 ) / columns;
	int32_t top = stage->height * row / rows, bottom = stage->height * ( row + 1 ) / rows;
	return ( Cell ){ left, top, right - left, bottom - top };
}

static int DrawCell( WorstJob* job, const WorstPlace* place, const supView* view, int32_t row, Cell cell,
					 supPicture* sheet )
{
	Stage* stage = job->stage;
	bool linear = row == job->rows;
	Panel* panel = stage->panels + ( linear ? place->panel : job->panels[row] );
	supPicture picture = { 0 };
	int status = DrawPanel( stage, panel, view, linear, cell.width, cell.height, &picture );
	if ( status != exit_ok )
	{
		return status;
	}
	float excess = linear ? 0.0f : ExcessAt( job, panel, place );
	supVec3 at = linear ? job->linear[job->mesh->vertexStarts[place->instance] + place->vertex]
						: supActor_Positions( panel->actor, place->instance )[place->vertex];
	DrawRing( &picture, view, at );
	char words[300];
	if ( linear )
	{
		snprintf( words, sizeof( words ), "lbs  %.2f s", (double)place->time );
	}
	else
	{
		const char* label = panel->label[0] != 0 ? panel->label : supFlesh_MethodName( panel->flesh );
		snprintf( words, sizeof( words ), "%s  %.2f s  %s  %+.1f %%", label, (double)place->time, place->joint,
				  100.0 * (double)excess );
	}
	DrawPlate( &picture );
	supDrawLabel( &picture, words );
	supPicture_Paste( sheet, &picture, cell.left, cell.top );
	supPicture_Destroy( &picture );
	stage->framesDrawn += 1;
	return exit_ok;
}

static int DrawPlace( WorstJob* job, const WorstPlace* place, int32_t column, int32_t columns, supPicture* sheet )
{
	double start = GetSeconds();
	supView view = LookAt( job, place );
	int status = exit_ok;
	for ( int32_t row = 0; row <= job->rows && status == exit_ok; ++row )
	{
		status = DrawCell( job, place, &view, row, CellAt( job, column, columns, row ), sheet );
	}
	job->stage->drawSeconds += GetSeconds() - start;
	return status;
}

static void Step( WorstJob* job, int32_t frame )
{
	Stage* stage = job->stage;
	if ( frame == 0 )
	{
		BeginStage( stage, stage->from );
	}
	else
	{
		AdvanceStage( stage, stage->from + job->dt * (float)frame, job->dt );
	}
}

static int DrawPlaces( WorstJob* job, const WorstPlace* places, int32_t count, const char* output )
{
	supPicture sheet = { 0 };
	if ( supPicture_Create( &sheet, job->stage->width, job->stage->height ) == false )
	{
		return ReportMemory();
	}
	int32_t last = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		last = places[i].frame > last ? places[i].frame : last;
	}
	int status = exit_ok;
	Progress progress;
	BeginProgress( &progress, stderr, "Drawing" );
	for ( int32_t frame = 0; frame <= last && status == exit_ok; ++frame )
	{
		Step( job, frame );
		for ( int32_t i = 0; i < count && status == exit_ok; ++i )
		{
			status = places[i].frame == frame ? DrawPlace( job, places + i, i, count, &sheet ) : exit_ok;
		}
		UpdateProgress( &progress, frame + 1, last + 1, NULL );
	}
	EndProgress( &progress );
	supError error = { 0 };
	if ( status == exit_ok && supPicture_SavePng( &sheet, output, &error ) == false )
	{
		status = ReportError( output, &error );
	}
	supPicture_Destroy( &sheet );
	return status;
}

int DrawWorst( Stage* stage, const WorstDef* def, WorstPlace* places, int32_t* placeCount )
{
	WorstJob job;
	int status = OpenJob( &job, stage, def->count );
	Progress progress;
	BeginProgress( &progress, stderr, "Searching" );
	for ( int32_t frame = 0; frame < job.frameCount && status == exit_ok; ++frame )
	{
		Step( &job, frame );
		for ( int32_t i = 0; i < job.rows; ++i )
		{
			CollectPlaces( &job, job.panels[i], frame );
		}
		UpdateProgress( &progress, frame + 1, job.frameCount, NULL );
	}
	EndProgress( &progress );
	if ( status == exit_ok )
	{
		*placeCount = ChoosePlaces( &job, places );
		if ( *placeCount == 0 )
		{
			Report( stage->sources[0].path, "--worst: flesh equals linear blend skinning at every moment" );
			status = exit_data;
		}
	}
	status = status == exit_ok ? DrawPlaces( &job, places, *placeCount, def->output ) : status;
	CloseJob( &job );
	return status;
}

// ---------------------------------------------------------------------------------------------------------------------
// Reporting

void WriteWorstPlaces( JsonWriter* json, const WorstPlace* places, int32_t count )
{
	JsonOpenArray( json, "worst" );
	for ( int32_t i = 0; i < count; ++i )
	{
		JsonOpenObject( json, NULL );
		JsonText( json, "method", places[i].method );
		JsonFloat( json, "time", places[i].time );
		JsonText( json, "joint", places[i].joint );
		JsonInteger( json, "instance", places[i].instance );
		JsonInteger( json, "vertex", places[i].vertex );
		JsonFloat( json, "excess", places[i].excess );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
}

void PrintWorstPlaces( const WorstPlace* places, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		printf( "%8.2f s  %-12s %-24s %+.2f %% of the size\n", (double)places[i].time, places[i].method,
				places[i].joint, 100.0 * (double)places[i].excess );
	}
}
