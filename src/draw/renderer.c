// SPDX-License-Identifier: MIT
#include "draw/renderer.h"

#include "core/tasks.h"

#include <embree3/rtcore.h>

#define SUBSAMPLES 4
#define DIRECTIONS 64
#define TILE 16
// a window of 8 x 8 pixels holds every direction four times
#define FILTER_BEGIN ( -4 )
#define FILTER_END 4

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
	const supDrawMesh* meshes;
	int32_t meshCount;
	const supMaterial* materials;
	int32_t materialCount;
	const supPicture* pictures;
	int32_t pictureCount;
	int32_t** triangleMaterials; // of each mesh: material of each triangle
	supVec3 skyDirections[DIRECTIONS];
	supVec2 discPoints[DIRECTIONS];
	float linear[256];
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

// x to the power of 2.4, for x in (0, 1]: the same on every machine, which pow is not.
static float PowerTwelveFifths( float x )
{
	// Newton's method for the fifth root of x squared, from above
	double target = (double)x * (double)x;
	double root = 1.0;
	for ( int i = 0; i < 64; ++i )
	{
		double fourth = root * root * root * root;
		root -= ( fourth * root - target ) / ( 5.0 * fourth );
	}
	return (float)( target * root );
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
	for ( int i = 0; i < 256; ++i )
	{
		float c = (float)i / 255.0f;
		r->linear[i] = c <= 0.04045f ? c / 12.92f : PowerTwelveFifths( ( c + 0.055f ) / 1.055f );
	}
}

// `dither` in [0, 1) decides where to round: gentle gradients would show steps otherwise.
static uint8_t EncodeSrgb( const supRenderer* r, float linear, float dither )
{
	if ( !( linear > 0.0f ) )
	{
		return 0;
	}
	// the largest code that is not brighter
	int code = 0;
	for ( int step = 128; step > 0; step /= 2 )
	{
		code += code + step < 256 && r->linear[code + step] <= linear ? step : 0;
	}
	bool up = code < 255 && linear - r->linear[code] > ( 1.0f - dither ) * ( r->linear[code + 1] - r->linear[code] );
	return (uint8_t)( code + up );
}

static float DitherOf( uint32_t x, uint32_t y )
{
	uint32_t h = x * 0x8DA6B343u ^ y * 0xD8163841u;
	h = ( h ^ h >> 13 ) * 0x85EBCA6Bu;
	return (float)( ( h ^ h >> 16 ) >> 8 ) / 16777216.0f;
}

supVec3 supHeatColor( float value )
{
	// along the viridis colour map, which is even to the eye and readable without colour vision
	float t = supClampFloat( value, 0.0f, 1.0f );
	static const supVec3 stops[9] = { { 0.267f, 0.005f, 0.329f }, { 0.279f, 0.175f, 0.483f },
									  { 0.230f, 0.322f, 0.546f }, { 0.173f, 0.449f, 0.558f },
									  { 0.128f, 0.567f, 0.551f }, { 0.158f, 0.684f, 0.502f },
									  { 0.369f, 0.789f, 0.383f }, { 0.678f, 0.864f, 0.190f },
									  { 0.993f, 0.906f, 0.144f } };
	float s = 8.0f * t;
	int i = (int)s < 7 ? (int)s : 7;
	return supLerp( stops[i], stops[i + 1], s - (float)i );
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
	const float tanHalf = 0.26f;
	const float margin = 0.90f;
	supCosSin a = supComputeCosSin( azimuth * SUP_PI / 180.0f );
	supCosSin e = supComputeCosSin( elevation * SUP_PI / 180.0f );
	supVec3 back = { e.cosine * a.sine, e.sine, e.cosine * a.cosine };
	supVec3 middle = supLerp( box.lower, box.upper, 0.5f );
	supView view = { supAdd( middle, back ), middle, supMakeVec3( 0.0f, 1.0f, 0.0f ), tanHalf };
	Basis basis = ViewBasis( &view );
	float distance = 1e-3f;
	for ( int i = 0; i < 8; ++i )
	{
		supVec3 corner = { i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
						   i & 4 ? box.upper.z : box.lower.z };
		supVec3 c = supSub( corner, middle );
		float x = supDot( c, basis.right ), y = supDot( c, basis.up ), z = supDot( c, back );
		x = x < 0.0f ? -x : x;
		y = y < 0.0f ? -y : y;
		distance = supMaxFloat( distance, z + x / ( tanHalf * aspect * margin ) );
		distance = supMaxFloat( distance, z + y / ( tanHalf * margin ) );
	}
	view.eye = supMulAdd( middle, distance, back );
	return view;
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
	const supDrawMesh* mesh = r->meshes + index;
	int32_t triangleCount = mesh->indexCount / 3;
	int32_t* materials = supAllocArray( (size_t)triangleCount, sizeof( int32_t ) );
	r->triangleMaterials[index] = materials;
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
	r->meshes = meshes;
	r->meshCount = meshCount;
	r->materials = materials;
	r->materialCount = materialCount;
	r->pictures = pictures;
	r->pictureCount = pictureCount;
	FillTables( r );
	r->triangleMaterials = supAllocZeroed( sizeof( int32_t* ) * (size_t)meshCount );
	// our own threads trace; Embree builds its trees on one
	r->device = rtcNewDevice( "threads=1" );
	r->scene = r->device != NULL ? rtcNewScene( r->device ) : NULL;
	bool ok = r->triangleMaterials != NULL && r->scene != NULL;
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
	for ( int32_t i = 0; r->triangleMaterials != NULL && i < r->meshCount; ++i )
	{
		supFree( r->triangleMaterials[i] );
	}
	supFree( r->triangleMaterials );
	supFree( r );
}

void supRenderer_Update( supRenderer* r )
{
	for ( int32_t i = 0; i < r->meshCount; ++i )
	{
		if ( r->meshes[i].indexCount < 3 )
		{
			continue;
		}
		RTCGeometry geometry = rtcGetGeometry( r->scene, (unsigned int)i );
		void* vertices = rtcGetGeometryBufferData( geometry, RTC_BUFFER_TYPE_VERTEX, 0 );
		memcpy( vertices, r->meshes[i].positions, 12 * (size_t)r->meshes[i].vertexCount );
		rtcUpdateGeometryBuffer( geometry, RTC_BUFFER_TYPE_VERTEX, 0 );
		rtcCommitGeometry( geometry );
	}
	rtcCommitScene( r->scene );
}

// ---------------------------------------------------------------------------------------------------------------------
// Surfaces

typedef struct Surface
{
	supVec3 position;
	supVec3 normal; // towards the viewer
	supVec3 facet;  // likewise, of the triangle
	supVec3 albedo;
	supVec3 emission;
	float alpha;
	float roughness;
} Surface;

static supVec4 FetchTexel( const supRenderer* r, const supPicture* picture, int32_t x, int32_t y )
{
	x = ( x % picture->width + picture->width ) % picture->width;
	y = ( y % picture->height + picture->height ) % picture->height;
	const uint8_t* p = picture->pixels + 4 * ( (size_t)y * (size_t)picture->width + (size_t)x );
	return ( supVec4 ){ r->linear[p[0]], r->linear[p[1]], r->linear[p[2]], (float)p[3] / 255.0f };
}

static supVec4 SampleTexture( const supRenderer* r, const supPicture* picture, supVec2 uv )
{
	// far coordinates lose their fraction; keep them near the origin
	float u = ( uv.x - floorf( uv.x ) ) * (float)picture->width - 0.5f;
	float v = ( uv.y - floorf( uv.y ) ) * (float)picture->height - 0.5f;
	if ( supIsFinite( u ) == false || supIsFinite( v ) == false )
	{
		return ( supVec4 ){ 1.0f, 1.0f, 1.0f, 1.0f };
	}
	int32_t x = (int32_t)floorf( u ), y = (int32_t)floorf( v );
	float fx = u - (float)x, fy = v - (float)y;
	supVec4 sum = { 0.0f, 0.0f, 0.0f, 0.0f };
	for ( int k = 0; k < 4; ++k )
	{
		float w = ( k & 1 ? fx : 1.0f - fx ) * ( k & 2 ? fy : 1.0f - fy );
		supVec4 t = FetchTexel( r, picture, x + ( k & 1 ), y + ( k >> 1 ) );
		sum = ( supVec4 ){ sum.x + w * t.x, sum.y + w * t.y, sum.z + w * t.z, sum.w + w * t.w };
	}
	return sum;
}

static void ShadeMaterial( const supRenderer* r, const supDrawMesh* mesh, int32_t material, const float b[3],
						   const uint32_t corners[3], Surface* surface )
{
	supVec4 color = { 0.62f, 0.60f, 0.58f, 1.0f };
	surface->roughness = 0.6f;
	surface->emission = supVec3_zero;
	if ( material >= 0 && material < r->materialCount )
	{
		const supMaterial* m = r->materials + material;
		color = m->baseColor;
		surface->roughness = supClampFloat( m->roughness, 0.08f, 1.0f );
		surface->emission = m->emissive;
		bool hasImage = m->baseColorImage >= 0 && m->baseColorImage < r->pictureCount &&
						r->pictures[m->baseColorImage].pixels != NULL;
		if ( hasImage && mesh->texcoords != NULL )
		{
			supVec2 uv = { 0.0f, 0.0f };
			for ( int k = 0; k < 3; ++k )
			{
				uv.x += b[k] * mesh->texcoords[corners[k]].x;
				uv.y += b[k] * mesh->texcoords[corners[k]].y;
			}
			supVec4 t = SampleTexture( r, r->pictures + m->baseColorImage, uv );
			color = ( supVec4 ){ color.x * t.x, color.y * t.y, color.z * t.z, color.w * t.w };
		}
		surface->alpha = m->alphaMode == sup_alphaOpaque ? 1.0f
						 : m->alphaMode == sup_alphaMask ? ( color.w < m->alphaCutoff ? 0.0f : 1.0f )
														 : color.w;
	}
	if ( mesh->colors != NULL )
	{
		supVec3 c = supVec3_zero;
		for ( int k = 0; k < 3; ++k )
		{
			const supVec4* v = mesh->colors + corners[k];
			c = supMulAdd( c, b[k], supMakeVec3( v->x, v->y, v->z ) );
		}
		color = ( supVec4 ){ color.x * c.x, color.y * c.y, color.z * c.z, color.w };
	}
	surface->albedo = supMakeVec3( color.x, color.y, color.z );
	if ( mesh->heat != NULL )
	{
		float heat = b[0] * mesh->heat[corners[0]] + b[1] * mesh->heat[corners[1]] + b[2] * mesh->heat[corners[2]];
		supVec3 c = supHeatColor( heat );
		surface->albedo = supMakeVec3( r->linear[(int)( 255.0f * c.x + 0.5f )], r->linear[(int)( 255.0f * c.y + 0.5f )],
									   r->linear[(int)( 255.0f * c.z + 0.5f )] );
		surface->alpha = 1.0f;
		surface->emission = supVec3_zero;
	}
}

// Darkens the rim of the triangle, one pixel wide: `footprint` is the size of a pixel at the hit.
static void ShadeWire( const supDrawMesh* mesh, const float b[3], const uint32_t corners[3], float footprint,
					   Surface* surface )
{
	supVec3 p[3] = { mesh->positions[corners[0]], mesh->positions[corners[1]], mesh->positions[corners[2]] };
	float area = supLength( supCross( supSub( p[1], p[0] ), supSub( p[2], p[0] ) ) );
	float nearest = 1e9f;
	for ( int k = 0; k < 3; ++k )
	{
		float edge = supDistance( p[( k + 1 ) % 3], p[( k + 2 ) % 3] );
		nearest = supMinFloat( nearest, b[k] * area / supMaxFloat( edge, 1e-20f ) );
	}
	float line = supClampFloat( 1.1f - nearest / footprint, 0.0f, 1.0f );
	surface->albedo = supLerp( surface->albedo, supMakeVec3( 0.02f, 0.03f, 0.06f ), 0.75f * line );
}

static Surface FindSurface( const supRenderer* r, const struct RTCRayHit* hit, const supRenderDef* def )
{
	const supDrawMesh* mesh = r->meshes + hit->hit.geomID;
	const uint32_t* corners = mesh->indices + 3 * (size_t)hit->hit.primID;
	float b[3] = { 1.0f - hit->hit.u - hit->hit.v, hit->hit.u, hit->hit.v };
	supVec3 direction = { hit->ray.dir_x, hit->ray.dir_y, hit->ray.dir_z };
	supVec3 origin = { hit->ray.org_x, hit->ray.org_y, hit->ray.org_z };
	Surface s = { .alpha = 1.0f };
	s.position = supMulAdd( origin, hit->ray.tfar, direction );
	s.facet = supNormalize( supMakeVec3( hit->hit.Ng_x, hit->hit.Ng_y, hit->hit.Ng_z ) );
	s.facet = supDot( s.facet, direction ) > 0.0f ? supNeg( s.facet ) : s.facet;
	s.normal = s.facet;
	if ( mesh->normals != NULL )
	{
		supVec3 n = supVec3_zero;
		for ( int k = 0; k < 3; ++k )
		{
			n = supMulAdd( n, b[k], mesh->normals[corners[k]] );
		}
		if ( supDot( n, n ) > 1e-8f )
		{
			n = supNormalize( n );
			s.normal = supDot( n, s.facet ) < 0.0f ? supNeg( n ) : n;
		}
	}
	ShadeMaterial( r, mesh, r->triangleMaterials[hit->hit.geomID][hit->hit.primID], b, corners, &s );
	if ( def->wireframe )
	{
		float footprint = 2.0f * def->view.tanHalf * hit->ray.tfar / (float)def->height;
		ShadeWire( mesh, b, corners, footprint, &s );
	}
	return s;
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
		float start = 0.0f;
		bool done = false;
		// glass is looked through a few times
		for ( int layer = 0; layer < 4 && done == false; ++layer )
		{
			struct RTCRayHit ray = MakeRay( def->view.eye, direction, start );
			rtcIntersect1( frame->renderer->scene, &context, &ray );
			if ( ray.hit.geomID == RTC_INVALID_GEOMETRY_ID )
			{
				break;
			}
			Surface surface = FindSurface( frame->renderer, &ray, def );
			start = ray.ray.tfar + frame->epsilon;
			if ( surface.alpha < ( (float)s + 0.5f ) / SUBSAMPLES )
			{
				continue;
			}
			supVec2 light = TraceLight( frame, &context, surface.position, surface.normal, surface.facet, pattern );
			pixel.albedo = supAdd( pixel.albedo, surface.albedo );
			pixel.emission = supAdd( pixel.emission, surface.emission );
			pixel.normal = supAdd( pixel.normal, surface.normal );
			pixel.depth += ray.ray.tfar;
			pixel.roughness += surface.roughness;
			pixel.sky += light.x;
			pixel.key += light.y;
			meshHits += 1;
			done = true;
		}
		if ( done == false )
		{
			TraceGround( frame, &context, direction, pattern, &pixel, &groundHits );
		}
	}
	if ( meshHits > 0 )
	{
		float w = 1.0f / (float)meshHits;
		pixel.albedo = supScale( w, pixel.albedo );
		pixel.emission = supScale( w, pixel.emission );
		pixel.depth *= w;
		pixel.roughness *= w;
		pixel.sky *= w;
		pixel.key *= w;
	}
	pixel.coverage = (float)meshHits / SUBSAMPLES;
	float w = groundHits > 0 ? 1.0f / (float)groundHits : 0.0f;
	pixel.groundSky = groundHits > 0 ? w * pixel.groundSky : 1.0f;
	pixel.groundKey = groundHits > 0 ? w * pixel.groundKey : 1.0f;
	pixel.groundFade *= w;
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
			float edge = 1.0f - 0.10f * ( px * px + py * py );
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
			float dither = DitherOf( (uint32_t)x, (uint32_t)y );
			out[0] = EncodeSrgb( frame->renderer, color.x, dither );
			out[1] = EncodeSrgb( frame->renderer, color.y, dither );
			out[2] = EncodeSrgb( frame->renderer, color.z, dither );
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
