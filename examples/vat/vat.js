// SPDX-License-Identifier: MIT
// Vertex animation textures of `supple bake --as vat` in three.js: every vertex reads its position and normal from a
// texture, so that a crowd costs no bones and no morph targets.
//
//     const hero = await loadVat( 'hero.vat.json' );
//     scene.add( hero.scene );
//     hero.play( 'Walk', seconds );   // each frame
import { DataTexture, FloatType, NearestFilter, RGBAFormat, Vector3 } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

// Browsers decode pictures to 8 bits, so 16-bit PNG is read here: RGB, not interlaced, as Supple writes it.
export async function readDeepPng( bytes ) {

	const view = new DataView( bytes );
	const parts = [];
	let width = 0, height = 0;
	for ( let at = 8; at < bytes.byteLength; ) {

		const size = view.getUint32( at );
		const type = String.fromCharCode( ...new Uint8Array( bytes, at + 4, 4 ) );
		if ( type === 'IHDR' ) {

			width = view.getUint32( at + 8 );
			height = view.getUint32( at + 12 );
			const [ depth, color, , , interlace ] = new Uint8Array( bytes, at + 16, 5 );
			if ( depth !== 16 || color !== 2 || interlace !== 0 ) throw new Error( 'expected a 16-bit RGB PNG' );

		}

		if ( type === 'IDAT' ) parts.push( new Uint8Array( bytes, at + 8, size ) );
		at += size + 12;

	}

	const stream = new Blob( parts ).stream().pipeThrough( new DecompressionStream( 'deflate' ) );
	const rows = new Uint8Array( await new Response( stream ).arrayBuffer() );
	return { width, height, data: unfilter( rows, width, height ) };

}

// The filters of the PNG specification, section 9; RGBA floats from 0 to 1.
function unfilter( rows, width, height ) {

	const pixel = 6, stride = pixel * width;
	const data = new Float32Array( 4 * width * height );
	let above = new Uint8Array( stride );
	for ( let y = 0; y < height; ++ y ) {

		const filter = rows[ y * ( stride + 1 ) ];
		const row = rows.subarray( y * ( stride + 1 ) + 1, ( y + 1 ) * ( stride + 1 ) );
		for ( let i = 0; i < stride; ++ i ) {

			const a = i >= pixel ? row[ i - pixel ] : 0, b = above[ i ], c = i >= pixel ? above[ i - pixel ] : 0;
			if ( filter === 1 ) row[ i ] += a;
			else if ( filter === 2 ) row[ i ] += b;
			else if ( filter === 3 ) row[ i ] += ( a + b ) >> 1;
			else if ( filter === 4 ) {

				const pa = Math.abs( b - c ), pb = Math.abs( a - c ), pc = Math.abs( a + b - 2 * c );
				row[ i ] += pa <= pb && pa <= pc ? a : pb <= pc ? b : c;

			}

		}

		for ( let x = 0; x < width; ++ x ) {

			for ( let k = 0; k < 3; ++ k ) {

				data[ 4 * ( y * width + x ) + k ] = ( row[ pixel * x + 2 * k ] * 256 + row[ pixel * x + 2 * k + 1 ] ) / 65535;

			}

		}

		above = row;

	}

	return data;

}

async function loadTexture( url ) {

	const { width, height, data } = await readDeepPng( await ( await fetch( url ) ).arrayBuffer() );
	const texture = new DataTexture( data, width, height, RGBAFormat, FloatType );
	texture.minFilter = texture.magFilter = NearestFilter;
	texture.needsUpdate = true;
	return texture;

}

// Two frames, blended: straight lines in between, as in a file with morph targets.
const functions = /* glsl */`
	attribute vec2 vatTexel;
	uniform sampler2D vatPositions, vatNormals;
	uniform vec3 vatLow, vatHigh;
	uniform vec3 vatFrames; // row of the first frame, of the second, share of the second
	vec3 readVat( sampler2D map ) {
		ivec2 texel = ivec2( vatTexel * vec2( textureSize( map, 0 ) ) );
		vec3 a = texelFetch( map, texel + ivec2( 0, int( vatFrames.x ) ), 0 ).rgb;
		vec3 b = texelFetch( map, texel + ivec2( 0, int( vatFrames.y ) ), 0 ).rgb;
		return mix( a, b, vatFrames.z );
	}
`;

function patch( material, uniforms ) {

	const own = material.clone();
	own.onBeforeCompile = ( shader ) => {

		Object.assign( shader.uniforms, uniforms );
		shader.vertexShader = functions + shader.vertexShader
			.replace( '#include <beginnormal_vertex>', 'vec3 objectNormal = normalize( 2.0 * readVat( vatNormals ) - 1.0 );' )
			.replace( '#include <begin_vertex>', 'vec3 transformed = mix( vatLow, vatHigh, readVat( vatPositions ) );' );

	};

	own.customProgramCacheKey = () => 'vat';
	return own;

}

/** The character and a function that shows a clip of it at a time, in seconds; the last frame is held, loops go round. */
export async function loadVat( url ) {

	const base = new URL( url, document.baseURI );
	const vat = await ( await fetch( base ) ).json();
	const at = ( name ) => new URL( name, base ).href;
	const [ gltf, positions, normals ] = await Promise.all( [
		new GLTFLoader().loadAsync( at( vat.mesh ) ), loadTexture( at( vat.positions ) ), loadTexture( at( vat.normals ) ) ] );
	const uniforms = {
		vatPositions: { value: positions }, vatNormals: { value: normals }, vatFrames: { value: new Vector3() },
		vatLow: { value: new Vector3( ...vat.min ) }, vatHigh: { value: new Vector3( ...vat.max ) } };
	gltf.scene.traverse( ( object ) => {

		if ( ! object.isMesh ) return;
		object.geometry.setAttribute( 'vatTexel', object.geometry.getAttribute( 'uv1' ) );
		object.material = patch( object.material, uniforms );
		// the bounds are those of the first frame
		object.frustumCulled = false;

	} );
	return { scene: gltf.scene, description: vat, play( name, seconds ) {

		const clip = vat.clips.find( ( candidate ) => candidate.name === name ) ?? vat.clips[ 0 ];
		const last = clip.frames - 1;
		let frame = seconds * vat.fps;
		frame = clip.loop && last > 0 ? frame % last : Math.min( Math.max( frame, 0 ), last );
		const first = Math.floor( frame ), second = Math.min( first + 1, last );
		const row = ( index ) => ( clip.first_frame + index ) * vat.rows_per_frame;
		uniforms.vatFrames.value.set( row( first ), row( second ), frame - first );

	} };

}
