// SPDX-License-Identifier: MIT
// compare.mjs DUMP_POSES FILE [TOLERANCE]: three.js and Supple read the same file and pose it with the same clips at the
// same times; every vertex must come out at the same place within TOLERANCE (1e-4) of the character's size.
//
// What both agree on, so that nothing is adjusted here: three.js binds skins to the identity and undoes the mesh's own
// node (the node's transform is ignored, as glTF asks), makes weights sum to one when it loads, and interpolates
// rotations along the great arc.
import { execFileSync } from 'node:child_process';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';
import { compare, makeUnitRotations, measureSize, pose, readDump, readWithoutPictures } from './shared.mjs';

const mostClips = 5;

// Rest, and for some clips spread over the file: before, at, between and after the keys.
function chooseCases( gltf ) {

	const cases = [ [ - 1, 0 ] ];
	const step = Math.max( 1, Math.ceil( gltf.animations.length / mostClips ) );
	for ( let clip = 0; clip < gltf.animations.length; clip += step ) {

		const end = gltf.animations[ clip ].duration;
		for ( const share of [ 0, 0.1234, 0.5, 0.777, 1 ] ) cases.push( [ clip, Math.fround( share * end ) ] );

	}

	return cases;

}

const [ dumpPoses, path, toleranceText = '1e-4' ] = process.argv.slice( 2 );
const tolerance = Number( toleranceText );
const { json, glb } = readWithoutPictures( path );
const gltf = await new GLTFLoader().setMeshoptDecoder( MeshoptDecoder ).parseAsync( glb, '' );
makeUnitRotations( gltf );
const cases = chooseCases( gltf );
const dump = execFileSync( dumpPoses, [ path, ...cases.flat().map( String ) ], { maxBuffer: 1 << 30 } );
const cursor = { at: 0 };
let failed = false;
const size = measureSize( pose( gltf, - 1, 0 ) );
if ( ! ( size > 0 ) ) throw new Error( 'no vertices: nothing was compared' );
for ( const [ clip, seconds ] of cases ) {

	const relative = compare( pose( gltf, clip, seconds ), readDump( dump, cursor ) ) / size;
	const name = clip < 0 ? 'rest' : json.animations[ clip ].name ?? `clip ${ clip }`;
	console.log( `${ name } at ${ seconds.toFixed( 4 ) } s: ${ relative.toExponential( 2 ) } of the size ${ size.toPrecision( 4 ) }` );
	failed ||= ! ( relative <= tolerance );

}

if ( cursor.at !== dump.length ) throw new Error( 'more output than expected' );
process.exit( failed ? 1 : 0 );
