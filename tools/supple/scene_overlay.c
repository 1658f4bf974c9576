// SPDX-License-Identifier: MIT
#include "scene_overlay.h"

#include "contact/hull.h"
#include "report.h"
#include "scene/proxy_view.h"
#include "stage.h"

// Of the diagonal of what is drawn: the longest line.
#define LONGEST_LINE 0.1f

static const supVec4 s_line = { 1.0f, 0.85f, 0.2f, 1.0f };
static const supVec4 s_dot = { 0.9f, 0.1f, 0.1f, 1.0f };
static const supVec4 s_torque = { 0.2f, 0.75f, 1.0f, 1.0f };
static const supVec4 s_kept = { 1.0f, 0.45f, 0.1f, 0.9f };
static const supVec4 s_pruned = { 0.1f, 0.15f, 0.2f, 0.35f };

int ReadSceneOverlays( const Command* command, const char* list, SceneOverlays* overlays )
{
	char word[32];
	while ( TakeOverlay( &list, word ) )
	{
		const struct
		{
			const char* name;
			bool* flag;
		} flags[] = { { "contacts", &overlays->contacts },
					  { "loads", &overlays->loads },
					  { "proxies", &overlays->proxies },
					  { "pairs", &overlays->pairs } };
		bool isFlag = false;
		for ( int32_t i = 0; i < SUP_COUNT( flags ); ++i )
		{
			if ( strcmp( word, flags[i].name ) == 0 )
			{
				*flags[i].flag = isFlag = true;
			}
		}
		if ( isFlag == false && ( overlays->heat = FindHeat( word ) ) == heat_none )
		{
			return ReportUsage(
				command,
				"unknown overlay '%s' for a scene; overlays: contacts, loads, proxies, pairs, displacement, "
				"stretch, volume, softness, functions, pressure",
				word );
		}
	}
	return exit_ok;
}

typedef struct Canvas
{
	const supView* view;
	const supPicture* picture;
	supPen* pen;
	float unit; // metres of the longest line
} Canvas;

static void DrawLine( const Canvas* canvas, supVec3 from, supVec3 to, float width, supVec4 color )
{
	supVec2 a, b;
	if ( supView_Project( canvas->view, canvas->picture->width, canvas->picture->height, from, &a ) &&
		 supView_Project( canvas->view, canvas->picture->width, canvas->picture->height, to, &b ) )
	{
		supPen_Line( canvas->pen, a, b, width, color );
	}
}

static void DrawDot( const Canvas* canvas, supVec3 at, float radius, supVec4 color )
{
	supVec2 a;
	if ( supView_Project( canvas->view, canvas->picture->width, canvas->picture->height, at, &a ) )
	{
		supPen_Disc( canvas->pen, a, radius, color );
	}
}

// Each contact as a dot where it is and a line out of what is pressed, the longer the harder.
static void DrawContacts( const Canvas* canvas, const Show* show )
{
	int32_t count = 0;
	const supContact* contacts = supScene_Contacts( show->scene, &count );
	float most = 1e-30f;
	for ( int32_t i = 0; i < count; ++i )
	{
		most = supMaxFloat( most, contacts[i].force );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		float length = canvas->unit * ( 0.1f + 0.9f * contacts[i].force / most );
		DrawLine( canvas, contacts[i].place, supMulAdd( contacts[i].place, length, contacts[i].normal ), 1.5f, s_line );
		DrawDot( canvas, contacts[i].place, 2.5f, s_dot );
	}
}

static supJointLoad LargestLoads( const Show* show )
{
	supJointLoad most = { { 1e-30f, 0.0f, 0.0f }, { 1e-30f, 0.0f, 0.0f } };
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		const supActor* actor = show->actors[i].actor;
		const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
		for ( int32_t n = 0; n < supCharacter_NodeCount( character ); ++n )
		{
			supJointLoad load;
			supActor_GetJointLoad( actor, n, &load );
			most.force.x = supMaxFloat( most.force.x, supLength( load.force ) );
			most.torque.x = supMaxFloat( most.torque.x, supLength( load.torque ) );
		}
	}
	return most;
}

// Force and torque of each joint as lines from it, each as a part of the largest in the scene.
static void DrawLoads( const Canvas* canvas, const Show* show )
{
	supJointLoad most = LargestLoads( show );
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		supActor* actor = show->actors[i].actor;
		const supMat34* worlds = supPose_Worlds( supActor_Pose( actor ) );
		const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
		for ( int32_t n = 0; n < supCharacter_NodeCount( character ); ++n )
		{
			supJointLoad load;
			if ( supActor_GetJointLoad( actor, n, &load ) )
			{
				supVec3 at = worlds[n].t;
				DrawLine( canvas, at, supMulAdd( at, canvas->unit / most.force.x, load.force ), 2.0f, s_line );
				DrawLine( canvas, at, supMulAdd( at, canvas->unit / most.torque.x, load.torque ), 2.0f, s_torque );
				DrawDot( canvas, at, 2.5f, s_dot );
			}
		}
	}
}

// Edges of a proxy's hull, each once.
static void DrawProxy( const Canvas* canvas, const supProxyView* proxy )
{
	supHull hull = { 0 };
	supError error = { 0 };
	// flat ones have no hull
	if ( proxy->pointCount < 4 || supHull_Init( &hull, proxy->points, proxy->pointCount, &error ) == false )
	{
		return;
	}
	for ( int32_t k = 0; k < 3 * hull.faceCount; ++k )
	{
		int32_t a = hull.indices[k], b = hull.indices[k % 3 == 2 ? k - 2 : k + 1];
		if ( a < b )
		{
			DrawLine( canvas, hull.vertices[a], hull.vertices[b], proxy->isKept ? 1.5f : 1.0f,
					  proxy->isKept ? s_kept : s_pruned );
		}
	}
	supHull_Destroy( &hull );
}

static supVec3 MiddleOf( const supProxyView* proxy )
{
	supVec3 sum = supVec3_zero;
	for ( int32_t i = 0; i < proxy->pointCount; ++i )
	{
		sum = supMulAdd( sum, 1.0f / (float)proxy->pointCount, proxy->points[i] );
	}
	return sum;
}

static bool DrawProxies( const Canvas* canvas, const SceneOverlays* overlays, const Show* show )
{
	supProxyViews views = { 0 };
	bool ok = supScene_ViewProxies( show->scene, &views );
	for ( int32_t i = 0; i < views.count && overlays->proxies; ++i )
	{
		DrawProxy( canvas, views.proxies + i );
	}
	for ( int32_t i = 0; i < views.pairCount && overlays->pairs; ++i )
	{
		supVec3 a = MiddleOf( views.proxies + views.pairs[i][0] ), b = MiddleOf( views.proxies + views.pairs[i][1] );
		DrawLine( canvas, a, b, 2.0f, s_kept );
		DrawDot( canvas, a, 3.0f, s_dot );
		DrawDot( canvas, b, 3.0f, s_dot );
	}
	supArena_Destroy( &views.arena );
	return ok;
}

bool DrawSceneOverlays( const SceneOverlays* overlays, const Show* show, supBox bounds, const supView* view,
						supPicture* picture )
{
	bool ok = true;
	Canvas canvas = { view, picture, supPen_Begin( picture ), LONGEST_LINE * supLength( supBox_Size( bounds ) ) };
	if ( canvas.pen == NULL )
	{
		return false;
	}
	if ( overlays->proxies || overlays->pairs )
	{
		ok = DrawProxies( &canvas, overlays, show );
	}
	if ( overlays->loads )
	{
		DrawLoads( &canvas, show );
	}
	if ( overlays->contacts )
	{
		DrawContacts( &canvas, show );
	}
	supPen_End( canvas.pen );
	if ( overlays->heat != heat_none )
	{
		DrawHeatLegend( overlays->heat, FindHeatScale( overlays->heat, bounds ), picture );
	}
	return ok;
}
