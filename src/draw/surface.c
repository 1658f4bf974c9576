// SPDX-License-Identifier: MIT
#include "draw/surface.h"

#include "draw/color.h"

static supVec4 FetchTexel( const supShading* r, const supPicture* picture, int32_t x, int32_t y )
{
	x = ( x % picture->width + picture->width ) % picture->width;
	y = ( y % picture->height + picture->height ) % picture->height;
	const uint8_t* p = picture->pixels + 4 * ( (size_t)y * (size_t)picture->width + (size_t)x );
	return ( supVec4 ){ r->linear[p[0]], r->linear[p[1]], r->linear[p[2]], (float)p[3] / 255.0f };
}

static supVec4 SampleTexture( const supShading* r, const supPicture* picture, supVec2 uv )
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

static void ShadeMaterial( const supShading* r, const supDrawMesh* mesh, int32_t material, const float b[3],
						   const uint32_t corners[3], supSurface* surface )
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
					   supSurface* surface )
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

supSurface supFindSurface( const supShading* r, const supSurfaceHit* hit )
{
	const supDrawMesh* mesh = r->meshes + hit->mesh;
	const uint32_t* corners = mesh->indices + 3 * (size_t)hit->triangle;
	float b[3] = { 1.0f - hit->u - hit->v, hit->u, hit->v };
	supSurface s = { .alpha = 1.0f };
	s.position = supMulAdd( hit->origin, hit->distance, hit->direction );
	s.facet = supNormalize( hit->facet );
	s.facet = supDot( s.facet, hit->direction ) > 0.0f ? supNeg( s.facet ) : s.facet;
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
	ShadeMaterial( r, mesh, r->triangleMaterials[hit->mesh][hit->triangle], b, corners, &s );
	if ( hit->wireWidth > 0.0f )
	{
		ShadeWire( mesh, b, corners, hit->wireWidth, &s );
	}
	return s;
}
