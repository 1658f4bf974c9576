// SPDX-License-Identifier: MIT
// docs.mjs SUPPLE PAGE: the program for three.js that baking.md shows, as it stands there, plays a bake: after half a
// second vertices are elsewhere than at the beginning, and the two morph targets around that moment alone have weights, of sum one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Scene, Vector3 } from 'three';

// what its loader has in a browser
globalThis.ProgressEvent ??= class extends Event {};
globalThis.self ??= globalThis;

const [ supple, page ] = process.argv.slice( 2 );
const program = readFileSync( page, 'utf8' ).match( /```js\n([^]*?)```/ )[ 1 ];
const work = mkdtempSync( join( tmpdir(), 'supple-docs-' ) );
// beside this file, so that it finds the same three.js
const copy = join( dirname( fileURLToPath( import.meta.url ) ), `docs-${ process.pid }.mjs` );

function findMorphed( scene ) {

	const meshes = [];
	scene.traverse( ( object ) => object.morphTargetInfluences && meshes.push( object ) );
	return meshes;

}

try {

	const file = join( work, 'soft.glb' );
	execFileSync( supple, [ 'bake', 'builtin:tube', '--clip', 'bend', '--quiet', '-o', file ] );
	writeFileSync( copy, program );
	const { play } = await import( copy );
	const scene = new Scene();
	const update = await play( `data:model/gltf-binary;base64,${ readFileSync( file ).toString( 'base64' ) }`, scene, 'bend' );
	const meshes = findMorphed( scene );
	if ( meshes.length === 0 ) throw new Error( 'no morph targets' );
	const place = () => meshes.flatMap( ( mesh ) => Array.from( { length: mesh.geometry.attributes.position.count }, ( _, i ) => mesh.getVertexPosition( i, new Vector3() ) ) );
	update( 0 );
	const before = place();
	update( 0.51 ); // between two frames
	const moved = Math.max( ...place().map( ( point, i ) => point.distanceTo( before[ i ] ) ) );
	const weights = meshes[ 0 ].morphTargetInfluences.filter( ( weight ) => weight !== 0 );
	const sum = weights.reduce( ( a, b ) => a + b, 0 );
	console.log( `moved by ${ moved.toFixed( 3 ) } m, weights ${ weights }` );
	if ( ! ( moved > 0.01 ) || weights.length !== 2 || Math.abs( sum - 1 ) > 1e-5 ) throw new Error( 'it does not play' );

} finally {

	rmSync( copy, { force: true } );
	rmSync( work, { recursive: true } );

}
