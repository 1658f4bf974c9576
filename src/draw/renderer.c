// SPDX-License-Identifier: MIT
#include "draw/renderer.h"

#include "core/tasks.h"
#include "draw/color.h"
#include "draw/framing.h"

#include <embree3/rtcore.h>

#define SUBSAMPLES 4
#define DIRECTIONS 64
#define TILE 16
// a window of 8 x 8 pixels holds every direction four times
#define FILTER_BEGIN ( -4 )
#define FILTER_END 4
// how much darker the background is at half a picture's height from the middle, and at most in the corners
#define VIGNETTE 0.1f
#define MAX_CORNER_SHADE 0.42f

// What one pixel knows after tracing. Surface and ground are kept apart so that silhouettes stay clean.
typedef struct Pixel
{
	supVec3 albedo; // mean over the subsamples that hit a mesh
	supVec3 normal; // likewise, not normalised
	supVec3 emission;
	float depth;
	float roughness;
	float coverage; // share of subsamples that hit a mesh
	float sky, key; // visibility of sky and key light on the mesh, [0, 1]
	float groundSky, groundKey;
	float groundFade; // 0 where the ground has dissolved into the background
} Pixel;

struct supRenderer
{
	RTCDevice device;
	RTCScene scene;
	supShading shading;
	int32_t meshCount;
	supVec3 skyDirections[DIRECTIONS];
	supVec2 discPoints[DIRECTIONS];
};

// ---------------------------------------------------------------------------------------------------------------------
// Tables

static float RadicalInverse( uint32_t i )
{
	uint32_t bits = 0;
	for ( int k = 0; k < 32; ++k )
	{
		bits |= ( i >> k & 1u ) << ( 31 - k );
	}
	return (float)( bits >> 8 ) / 16777216.0f;
}

static void FillTables( supRenderer* r )
{
	for ( uint32_t i = 0; i < DIRECTIONS; ++i )
	{
		float u = ( (float)i + 0.5f ) / DIRECTIONS;
		supCosSin around = supComputeCosSin( 2.0f * SUP_PI * RadicalInverse( i ) );
		float radius = sqrtf( u );
		r->discPoints[i] = ( supVec2 ){ radius * around.cosine, radius * around.sine };
		r->skyDirections[i] = supMakeVec3( radius * around.cosine, radius * around.sine, sqrtf( 1.0f - u ) );
	}
	supFillLinearTable( r->shading.linear );
}

// ---------------------------------------------------------------------------------------------------------------------
// View

typedef struct Basis
{
	supVec3 right, up, forward;
} Basis;

static Basis ViewBasis( const supView* view )
{
	Basis b;
	b.forward = supNormalize( supSub( view->target, view->eye ) );
	b.right = supNormalize( supCross( b.forward, view->up ) );
	b.up = supCross( b.right, b.forward );
	return b;
}

supView supFrameView( supBox box, float azimuth, float elevation, float aspect )
{
	supVec3 corners[8];
	for ( int i = 0; i < 8; ++i )
	{
		corners[i] = supMakeVec3( i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
								  i & 4 ? box.upper.z : box.lower.z );
	}
	supFraming framing = supBeginFraming( azimuth, elevation, SUP_VIEW_TANGENT, aspect, SUP_VIEW_FILL );
	supVec3 middle = supLerp( box.lower, box.upper, 0.5f );
	supFraming_Include( &framing, corners, SUP_COUNT( corners ), middle );
	return supFraming_View( &framing, middle, 1.0f );
}

bool supView_Project( const supView* view, int32_t width, int32_t height, supVec3 p, supVec2* pixel )
{
	Basis basis = ViewBasis( view );
	supVec3 d = supSub( p, view->eye );
	float z = supDot( d, basis.forward );
	if ( z <= 0.0f )
	{
		return false;
	}
	float scale = 0.5f * (float)height / ( view->tanHalf * z );
	pixel->x = 0.5f * (float)width + scale * supDot( d, basis.right );
	pixel->y = 0.5f * (float)height - scale * supDot( d, basis.up );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Creating

static bool AddMesh( supRenderer* r, int32_t index )
{
	const supDrawMesh* mesh = r->shading.meshes + index;
	int32_t triangleCount = mesh->indexCount / 3;
	int32_t* materials = supAllocArray( (size_t)triangleCount, sizeof( int32_t ) );
	r->shading.triangleMaterials[index] = materials;
	if ( materials == NULL )
	{
		return false;
	}
	memset( materials, 0xFF, (size_t)triangleCount * sizeof( int32_t ) );
	for ( int32_t p = 0; p < mesh->primitiveCount; ++p )
	{
		const supPrimitive* primitive = mesh->primitives + p;
		for ( int32_t t = primitive->indexStart / 3; t < ( primitive->indexStart + primitive->indexCount ) / 3; ++t )
		{
			materials[t] = primitive->material;
		}
	}
	RTCGeometry geometry = rtcNewGeometry( r->device, RTC_GEOMETRY_TYPE_TRIANGLE );
	rtcSetGeometryBuildQuality( geometry, RTC_BUILD_QUALITY_LOW );
	// Embree reads 16 bytes at the last vertex, so the positions are copied into a buffer of its own
	float* vertices = rtcSetNewGeometryBuffer( geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12,
											   (size_t)mesh->vertexCount );
	uint32_t* indices =
		rtcSetNewGeometryBuffer( geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, (size_t)triangleCount );
	bool ok = vertices != NULL && indices != NULL;
	if ( ok )
	{
		memcpy( vertices, mesh->positions, 12 * (size_t)mesh->vertexCount );
		memcpy( indices, mesh->indices, 12 * (size_t)triangleCount );
		rtcCommitGeometry( geometry );
		rtcAttachGeometryByID( r->scene, geometry, (unsigned int)index );
	}
	rtcReleaseGeometry( geometry );
	return ok;
}

supRenderer* supCreateRenderer( const supDrawMesh* meshes, int32_t meshCount, const supMaterial* materials,
								int32_t materialCount, const supPicture* pictures, int32_t pictureCount,
								supError* error )
{
	supRenderer* r = supAllocZeroed( sizeof( supRenderer ) );
	if ( r == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	r->shading.meshes = meshes;
	r->meshCount = meshCount;
	r->shading.materials = materials;
	r->shading.materialCount = materialCount;
	r->shading.pictures = pictures;
	r->shading.pictureCount = pictureCount;
	FillTables( r );
	r->shading.triangleMaterials = supAllocZeroed( sizeof( int32_t* ) * (size_t)meshCount );
	// our own threads trace; Embree builds its trees on one
	r->device = rtcNewDevice( "threads=1" );
	r->scene = r->device != NULL ? rtcNewScene( r->device ) : NULL;
	bool ok = r->shading.triangleMaterials != NULL && r->scene != NULL;
	if ( ok )
	{
		rtcSetSceneFlags( r->scene, RTC_SCENE_FLAG_DYNAMIC );
		for ( int32_t i = 0; ok && i < meshCount; ++i )
		{
			ok = meshes[i].indexCount < 3 || AddMesh( r, i );
		}
		rtcCommitScene( r->scene );
	}
	if ( ok == false )
	{
		supSetMemoryError( error );
		supDestroyRenderer( r );
		return NULL;
	}
	return r;
}

void supDestroyRenderer( supRenderer* r )
{
	if ( r == NULL )
	{
		return;
	}
	if ( r->scene != NULL )
	{
		rtcReleaseScene( r->scene );
	}
	if ( r->device != NULL )
	{
		rtcReleaseDevice( r->device );
	}
	for ( int32_t i = 0; r->shading.triangleMaterials != NULL && i < r->meshCount; ++i )
	{
		supFree( r->shading.triangleMaterials[i] );
	}
	supFree( r->shading.triangleMaterials );
	supFree( r );
}

void supRenderer_Update( supRenderer* r )
{
	for ( int32_t i = 0; i < r->meshCount; ++i )
	{
		if ( r->shading.meshes[i].indexCount < 3 )
		{
			continue;
		}
		RTCGeometry geometry = rtcGetGeometry( r->scene, (unsigned int)i );
		void* vertices = rtcGetGeometryBufferData( geometry, RTC_BUFFER_TYPE_VERTEX, 0 );
		memcpy( vertices, r->shading.meshes[i].positions, 12 * (size_t)r->shading.meshes[i].vertexCount );
		rtcUpdateGeometryBuffer( geometry, RTC_BUFFER_TYPE_VERTEX, 0 );
		rtcCommitGeometry( geometry );
	}
	rtcCommitScene( r->scene );
}

// ---------------------------------------------------------------------------------------------------------------------
// Rays

typedef struct Frame
{
	const supRenderer* renderer;
	const supRenderDef* def;
	Basis basis;
	supVec3 keyDirection;
	supVec3 keyRight, keyUp; // across the key light, scaled by its radius
	float epsilon;           // offset from surfaces
	float groundRadius;      // the ground dissolves beyond it
	supVec3 groundCenter;
	Pixel* pixels;
	supPicture* picture;
} Frame;

static struct RTCRayHit MakeRay( supVec3 origin, supVec3 direction, float start )
{
	struct RTCRayHit ray = { 0 };
	ray.ray.org_x = origin.x;
	ray.ray.org_y = origin.y;
	ray.ray.org_z = origin.z;
	ray.ray.dir_x = direction.x;
	ray.ray.dir_y = direction.y;
	ray.ray.dir_z = direction.z;
	ray.ray.tnear = start;
	ray.ray.tfar = 1e30f;
	ray.ray.mask = ~0u;
	ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
	return ray;
}

static bool IsOccluded( const Frame* frame, struct RTCIntersectContext* context, supVec3 origin, supVec3 direction )
{
	struct RTCRayHit ray = MakeRay( origin, direction, frame->epsilon );
	rtcOccluded1( frame->renderer->scene, context, &ray.ray );
	return ray.ray.tfar < 0.0f;
}

static supSurface LookUp( const Frame* frame, const struct RTCRayHit* ray )
{
	const supRenderDef* def = frame->def;
	supSurfaceHit hit = { .mesh = ray->hit.geomID,
						  .triangle = ray->hit.primID,
						  .u = ray->hit.u,
						  .v = ray->hit.v,
						  .facet = { ray->hit.Ng_x, ray->hit.Ng_y, ray->hit.Ng_z },
						  .origin = { ray->ray.org_x, ray->ray.org_y, ray->ray.org_z },
						  .direction = { ray->ray.dir_x, ray->ray.dir_y, ray->ray.dir_z },
						  .distance = ray->ray.tfar };
	hit.wireWidth = def->wireframe ? 2.0f * def->view.tanHalf * ray->ray.tfar / (float)def->height : 0.0f;
	return supFindSurface( &frame->renderer->shading, &hit );
}

// An orthonormal frame around a unit vector.
static supVec3 FromLocal( supVec3 n, supVec3 local )
{
	float sign = n.z >= 0.0f ? 1.0f : -1.0f;
	float a = -1.0f / ( sign + n.z );
	float b = n.x * n.y * a;
	supVec3 t = { 1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x };
	supVec3 u = { b, sign + n.y * n.y * a, -n.y };
	return supAdd( supMulAdd( supScale( local.x, t ), local.y, u ), supScale( local.z, n ) );
}

// How much of sky and key light reaches a point: one ray each.
static supVec2 TraceLight( const Frame* frame, struct RTCIntersectContext* context, supVec3 position, supVec3 normal,
						   supVec3 facet, uint32_t pattern )
{
	const supRenderer* r = frame->renderer;
	supVec3 origin = supMulAdd( position, frame->epsilon, facet );
	supVec3 sky = FromLocal( normal, r->skyDirections[pattern] );
	bool below = frame->def->showGround && sky.y < 0.0f;
	// what goes below the horizon meets the ground, which sends back part of the light
	float skyLight = below ? 0.35f : 1.0f;
	if ( supDot( sky, facet ) <= 0.0f || IsOccluded( frame, context, origin, sky ) )
	{
		skyLight = 0.0f;
	}
	supVec2 disc = r->discPoints[( pattern * 37u + 11u ) % DIRECTIONS];
	supVec3 key =
		supAdd( frame->keyDirection, supAdd( supScale( disc.x, frame->keyRight ), supScale( disc.y, frame->keyUp ) ) );
	key = supNormalize( key );
	float keyLight = 0.0f;
	if ( supDot( key, normal ) > 0.0f && supDot( key, facet ) > 0.0f )
	{
		keyLight = IsOccluded( frame, context, origin, key ) ? 0.0f : 1.0f;
	}
	else if ( supDot( key, normal ) > 0.0f )
	{
		// behind the facet but not behind the smooth surface: the terminator of coarse meshes would show
		keyLight = 1.0f;
	}
	return ( supVec2 ){ skyLight, keyLight };
}

static void TraceGround( const Frame* frame, struct RTCIntersectContext* context, supVec3 direction, uint32_t pattern,
						 Pixel* pixel, int* hits )
{
	const supRenderDef* def = frame->def;
	float t = direction.y < -1e-4f ? ( def->ground - def->view.eye.y ) / direction.y : -1.0f;
	if ( def->showGround == false || t <= 0.0f )
	{
		return;
	}
	supVec3 p = supMulAdd( def->view.eye, t, direction );
	float away = supDistance( p, frame->groundCenter ) / frame->groundRadius;
	float fade = supClampFloat( 2.0f - away, 0.0f, 1.0f );
	supVec2 light = { 1.0f, 1.0f };
	if ( fade > 0.0f )
	{
		supVec3 up = { 0.0f, 1.0f, 0.0f };
		light = TraceLight( frame, context, p, up, up, pattern );
	}
	pixel->groundSky += light.x;
	pixel->groundKey += light.y;
	pixel->groundFade += fade;
	*hits += 1;
}

// Adds what the first opaque surface along a ray gives. False if there is none.
static bool TraceMesh( const Frame* frame, struct RTCIntersectContext* context, supVec3 direction, float opaque,
					   uint32_t pattern, Pixel* pixel )
{
	float start = 0.0f;
	// glass is looked through a few times
	for ( int layer = 0; layer < 4; ++layer )
	{
		struct RTCRayHit ray = MakeRay( frame->def->view.eye, direction, start );
		rtcIntersect1( frame->renderer->scene, context, &ray );
		if ( ray.hit.geomID == RTC_INVALID_GEOMETRY_ID )
		{
			return false;
		}
		supSurface surface = LookUp( frame, &ray );
		start = ray.ray.tfar + frame->epsilon;
		if ( surface.alpha < opaque )
		{
			continue;
		}
		supVec2 light = TraceLight( frame, context, surface.position, surface.normal, surface.facet, pattern );
		pixel->albedo = supAdd( pixel->albedo, surface.albedo );
		pixel->emission = supAdd( pixel->emission, surface.emission );
		pixel->normal = supAdd( pixel->normal, surface.normal );
		pixel->depth += ray.ray.tfar;
		pixel->roughness += surface.roughness;
		pixel->sky += light.x;
		pixel->key += light.y;
		return true;
	}
	return false;
}

// Sums over samples become means.
static void Average( Pixel* pixel, int meshHits, int groundHits )
{
	if ( meshHits > 0 )
	{
		float w = 1.0f / (float)meshHits;
		pixel->albedo = supScale( w, pixel->albedo );
		pixel->emission = supScale( w, pixel->emission );
		pixel->depth *= w;
		pixel->roughness *= w;
		pixel->sky *= w;
		pixel->key *= w;
	}
	pixel->coverage = (float)meshHits / SUBSAMPLES;
	float w = groundHits > 0 ? 1.0f / (float)groundHits : 0.0f;
	pixel->groundSky = groundHits > 0 ? w * pixel->groundSky : 1.0f;
	pixel->groundKey = groundHits > 0 ? w * pixel->groundKey : 1.0f;
	pixel->groundFade *= w;
}

static void TracePixel( const Frame* frame, int32_t x, int32_t y )
{
	const supRenderDef* def = frame->def;
	Pixel pixel = { 0 };
	struct RTCIntersectContext context;
	rtcInitIntersectContext( &context );
	int groundHits = 0;
	int meshHits = 0;
	for ( int s = 0; s < SUBSAMPLES; ++s )
	{
		// a turned grid: no two samples share a row or a column
		static const float offsets[SUBSAMPLES][2] = {
			{ 0.375f, 0.125f }, { 0.875f, 0.375f }, { 0.125f, 0.625f }, { 0.625f, 0.875f }
		};
		float px = ( 2.0f * ( (float)x + offsets[s][0] ) - (float)def->width ) / (float)def->height;
		float py = ( (float)def->height - 2.0f * ( (float)y + offsets[s][1] ) ) / (float)def->height;
		supVec3 direction =
			supAdd( frame->basis.forward, supAdd( supScale( def->view.tanHalf * px, frame->basis.right ),
												  supScale( def->view.tanHalf * py, frame->basis.up ) ) );
		direction = supNormalize( direction );
		uint32_t cell = (uint32_t)( ( x & 3 ) + 4 * ( y & 3 ) );
		// neighbours take directions far from one another
		uint32_t pattern = ( cell * 27u + (uint32_t)s * 16u + cell / 4u ) % DIRECTIONS;
		if ( TraceMesh( frame, &context, direction, ( (float)s + 0.5f ) / SUBSAMPLES, pattern, &pixel ) )
		{
			meshHits += 1;
		}
		else
		{
			TraceGround( frame, &context, direction, pattern, &pixel, &groundHits );
		}
	}
	Average( &pixel, meshHits, groundHits );
	frame->pixels[(size_t)y * (size_t)def->width + (size_t)x] = pixel;
}

static int32_t TilesAcross( const supRenderDef* def )
{
	return ( def->width + TILE - 1 ) / TILE;
}

static void TraceTiles( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Frame* frame = context;
	int32_t across = TilesAcross( frame->def );
	for ( int32_t tile = begin; tile < end; ++tile )
	{
		int32_t x0 = tile % across * TILE, y0 = tile / across * TILE;
		for ( int32_t y = y0; y < y0 + TILE && y < frame->def->height; ++y )
		{
			for ( int32_t x = x0; x < x0 + TILE && x < frame->def->width; ++x )
			{
				TracePixel( frame, x, y );
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Light

typedef struct Light
{
	float sky, key, groundSky, groundKey;
} Light;

// The mean light of the pixels around that lie on the same smooth piece of surface.
static Light FilterLight( const Frame* frame, int32_t x, int32_t y )
{
	const supRenderDef* def = frame->def;
	const Pixel* here = frame->pixels + (size_t)y * (size_t)def->width + (size_t)x;
	supVec3 normal = supNormalize( here->normal );
	Light sum = { 0.0f, 0.0f, 0.0f, 0.0f };
	float total = 0.0f, groundTotal = 0.0f;
	for ( int32_t v = y + FILTER_BEGIN; v < y + FILTER_END; ++v )
	{
		for ( int32_t u = x + FILTER_BEGIN; u < x + FILTER_END; ++u )
		{
			if ( u < 0 || v < 0 || u >= def->width || v >= def->height )
			{
				continue;
			}
			const Pixel* p = frame->pixels + (size_t)v * (size_t)def->width + (size_t)u;
			if ( here->coverage > 0.0f && p->coverage > 0.0f )
			{
				float facing = supDot( supNormalize( p->normal ), normal );
				float step = ( p->depth - here->depth ) / ( 0.01f * here->depth );
				float w = facing > 0.0f ? facing * facing : 0.0f;
				w = w * w * w * p->coverage / ( 1.0f + step * step );
				sum.sky += w * p->sky;
				sum.key += w * p->key;
				total += w;
			}
			if ( here->coverage < 1.0f && p->coverage < 1.0f )
			{
				float w = 1.0f - p->coverage;
				sum.groundSky += w * p->groundSky;
				sum.groundKey += w * p->groundKey;
				groundTotal += w;
			}
		}
	}
	sum.sky = total > 0.0f ? sum.sky / total : here->sky;
	sum.key = total > 0.0f ? sum.key / total : here->key;
	sum.groundSky = groundTotal > 0.0f ? sum.groundSky / groundTotal : 1.0f;
	sum.groundKey = groundTotal > 0.0f ? sum.groundKey / groundTotal : 1.0f;
	return sum;
}

static supVec3 LightSurface( const Frame* frame, const Pixel* pixel, Light light, supVec3 toEye )
{
	supVec3 n = supNormalize( pixel->normal );
	const supVec3 skyColor = { 0.50f, 0.56f, 0.66f };
	const supVec3 bounceColor = { 0.40f, 0.36f, 0.33f };
	const supVec3 keyColor = { 1.45f, 1.34f, 1.20f };
	const supVec3 rimColor = { 0.25f, 0.28f, 0.34f };
	supVec3 ambient = supScale( light.sky, supLerp( bounceColor, skyColor, 0.5f + 0.5f * n.y ) );
	float facing = supMaxFloat( supDot( n, frame->keyDirection ), 0.0f );
	supVec3 direct = supScale( light.key * facing, keyColor );
	// from behind, opposite to the key light: lifts the character off the background
	supVec3 behind = supNormalize( supMakeVec3( -frame->keyDirection.x, 0.4f, -frame->keyDirection.z ) );
	float rim = supMaxFloat( supDot( n, behind ), 0.0f ) * light.sky;
	supVec3 diffuse = supMul( pixel->albedo, supAdd( supAdd( ambient, direct ), supScale( rim, rimColor ) ) );
	// highlight of the key light (GGX with the cheap visibility term of 1/4)
	supVec3 half = supNormalize( supAdd( frame->keyDirection, toEye ) );
	float a = pixel->roughness * pixel->roughness;
	float nh = supMaxFloat( supDot( n, half ), 0.0f );
	float d = nh * nh * ( a * a - 1.0f ) + 1.0f;
	float highlight = 0.04f * a * a / ( SUP_PI * d * d ) * facing * light.key * 0.25f * SUP_PI;
	return supAdd( supMulAdd( diffuse, supMinFloat( highlight, 4.0f ), keyColor ), pixel->emission );
}

static supVec3 ToneMap( supVec3 c )
{
	// leaves the dark and the middle alone and rolls off the highlights
	float peak = supMaxFloat( c.x, supMaxFloat( c.y, c.z ) );
	float knee = 0.7f;
	if ( peak <= knee )
	{
		return c;
	}
	float over = peak - knee;
	float rolled = knee + ( 1.0f - knee ) * over / ( over + ( 1.0f - knee ) );
	return supScale( rolled / peak, c );
}

static void LightRows( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Frame* frame = context;
	const supRenderDef* def = frame->def;
	float aspect = (float)def->width / (float)def->height;
	float vignette = supMinFloat( VIGNETTE, MAX_CORNER_SHADE / ( aspect * aspect + 1.0f ) );
	for ( int32_t y = begin; y < end; ++y )
	{
		for ( int32_t x = 0; x < def->width; ++x )
		{
			size_t index = (size_t)y * (size_t)def->width + (size_t)x;
			const Pixel* pixel = frame->pixels + index;
			Light light = FilterLight( frame, x, y );
			float px = ( 2.0f * ( (float)x + 0.5f ) - (float)def->width ) / (float)def->height;
			float py = ( (float)def->height - 2.0f * ( (float)y + 0.5f ) ) / (float)def->height;
			// a gentle vignette keeps the eye in the middle
			float edge = 1.0f - vignette * ( px * px + py * py );
			float shade = 0.55f * light.groundSky + 0.45f * light.groundKey;
			shade = supLerpFloat( 1.0f, shade, pixel->groundFade );
			supVec3 color = supScale( shade * edge, def->background );
			if ( pixel->coverage > 0.0f )
			{
				supVec3 toEye = supSub( supVec3_zero, frame->basis.forward );
				supVec3 surface = LightSurface( frame, pixel, light, toEye );
				color = supLerp( color, ToneMap( surface ), pixel->coverage );
			}
			uint8_t* out = frame->picture->pixels + 4 * index;
			float dither = supDitherOf( (uint32_t)x, (uint32_t)y );
			out[0] = supEncodeSrgb( frame->renderer->shading.linear, color.x, dither );
			out[1] = supEncodeSrgb( frame->renderer->shading.linear, color.y, dither );
			out[2] = supEncodeSrgb( frame->renderer->shading.linear, color.z, dither );
			out[3] = 255;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static supBox SceneBounds( const supRenderer* r )
{
	struct RTCBounds bounds;
	rtcGetSceneBounds( r->scene, &bounds );
	return ( supBox ){ { bounds.lower_x, bounds.lower_y, bounds.lower_z },
					   { bounds.upper_x, bounds.upper_y, bounds.upper_z } };
}

bool supRenderer_Draw( supRenderer* r, const supRenderDef* def, const supTasks* tasks, supPicture* picture,
					   supError* error )
{
	Frame frame = { .renderer = r, .def = def, .basis = ViewBasis( &def->view ), .picture = picture };
	size_t count = (size_t)def->width * (size_t)def->height;
	if ( supPicture_Create( picture, def->width, def->height ) == false ||
		 ( frame.pixels = supAllocArray( count, sizeof( Pixel ) ) ) == NULL )
	{
		supPicture_Destroy( picture );
		return supSetMemoryError( error );
	}
	supBox box = SceneBounds( r );
	float size = supLength( supBox_Size( box ) );
	size = supIsFinite( size ) && size > 0.0f ? size : 1.0f;
	frame.epsilon = 1e-4f * size;
	frame.groundRadius = 0.9f * size;
	frame.groundCenter = supBox_IsEmpty( box ) ? supVec3_zero : supLerp( box.lower, box.upper, 0.5f );
	frame.groundCenter.y = def->ground;
	// the key light stands over the viewer's left shoulder
	supVec3 key = supAdd( supScale( -0.6f, frame.basis.right ), supScale( -0.75f, frame.basis.forward ) );
	frame.keyDirection = supNormalize( supAdd( key, supMakeVec3( 0.0f, 0.85f, 0.0f ) ) );
	frame.keyRight = supScale( 0.14f, FromLocal( frame.keyDirection, supMakeVec3( 1.0f, 0.0f, 0.0f ) ) );
	frame.keyUp = supScale( 0.14f, FromLocal( frame.keyDirection, supMakeVec3( 0.0f, 1.0f, 0.0f ) ) );
	int32_t tiles = TilesAcross( def ) * ( ( def->height + TILE - 1 ) / TILE );
	supParallelFor( tasks, tiles, 1, TraceTiles, &frame );
	supParallelFor( tasks, def->height, 8, LightRows, &frame );
	supFree( frame.pixels );
	return true;
}
