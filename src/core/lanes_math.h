// SPDX-License-Identifier: MIT
// Vector arithmetic on lanes that never mix. Compiles as C, one vertex or constraint per lane of a register, and as
// OpenCL C, one per work-item, so that both give the same bits. The includer defines Wide, WideInt, Vec3W, QuatW,
// Splat, Sqrt and Select.
#pragma once

SUP_WIDE Vec3W Add( Vec3W a, Vec3W b )
{
	return ( Vec3W ){ a.x + b.x, a.y + b.y, a.z + b.z };
}

SUP_WIDE Vec3W Sub( Vec3W a, Vec3W b )
{
	return ( Vec3W ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

SUP_WIDE Vec3W Cross( Vec3W a, Vec3W b )
{
	return ( Vec3W ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

SUP_WIDE Wide Dot( Vec3W a, Vec3W b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

SUP_WIDE Vec3W Scale( Wide s, Vec3W a )
{
	return ( Vec3W ){ s * a.x, s * a.y, s * a.z };
}

// cx v.x + cy v.y + cz v.z
SUP_WIDE Vec3W MulColumns( Vec3W cx, Vec3W cy, Vec3W cz, Vec3W v )
{
	return ( Vec3W ){ cx.x * v.x + cy.x * v.y + cz.x * v.z, cx.y * v.x + cy.y * v.y + cz.y * v.z,
					  cx.z * v.x + cy.z * v.y + cz.z * v.z };
}

// What has no direction any more (a bone scaled to nothing) falls back to `otherwise`; zero stays zero that way.
SUP_WIDE Vec3W NormalizeOr( Vec3W a, Vec3W otherwise )
{
	Wide squared = Dot( a, a );
	WideInt usable = ( squared > Splat( 1e-36f ) ) & ( squared < Splat( 1e37f ) );
	Wide inverse = Splat( 1.0f ) / Sqrt( Select( usable, squared, Splat( 1.0f ) ) );
	return ( Vec3W ){ Select( usable, a.x * inverse, otherwise.x ), Select( usable, a.y * inverse, otherwise.y ),
					  Select( usable, a.z * inverse, otherwise.z ) };
}

// The bind normal through the inverse transpose, up to a positive factor: sign(det) times the cofactor matrix. That
// is what a surface needs: cofactors carry area vectors, but a mirror also turns round the winding that an area vector
// comes from, and the sign takes that back, so that what pointed outward still does. Defined for singular matrices.
SUP_WIDE Vec3W MoveNormal( Vec3W cx, Vec3W cy, Vec3W cz, Vec3W normal )
{
	Vec3W kx = Cross( cy, cz );
	Vec3W ky = Cross( cz, cx );
	Vec3W kz = Cross( cx, cy );
	Wide determinant = Dot( cx, kx );
	Wide sign = Select( determinant < Splat( 0.0f ), Splat( -1.0f ), Splat( 1.0f ) );
	return Scale( sign, MulColumns( kx, ky, kz, normal ) );
}
