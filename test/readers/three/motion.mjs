// SPDX-License-Identifier: MIT
// motion.mjs DUMP_JOINTS FILE.bvh: three.js and Supple read the same motion; every joint must be at the same place at the
// same time within 1e-4 of the skeleton's size. For files in which position channels are the root's alone and the root
// has no offset: three.js adds offset and channel elsewhere, which other programs do not.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as THREE from 'three';
import { BVHLoader } from 'three/examples/jsm/loaders/BVHLoader.js';

const tolerance = 1e-4;
const [ dumpJoints, path ] = process.argv.slice( 2 );
const { skeleton, clip } = new BVHLoader().parse( readFileSync( path, 'utf8' ) );
const root = skeleton.bones[ 0 ];
const times = [ 0, 0.1234, 0.5, 0.777, 1 ].map( ( share ) => Math.fround( share * clip.duration ) );
const blocks = execFileSync( dumpJoints, [ path, ...times.map( String ) ], { encoding: 'utf8', maxBuffer: 1 << 28 } )
	.split( '\n\n' ).slice( 0, times.length ).map( ( block ) => new Map( block.split( '\n' ).map( ( line ) => {

		const [ name, ...place ] = line.split( '\t' );
		return [ name, new THREE.Vector3( ...place.map( Number ) ) ];

	} ) ) );

const mixer = new THREE.AnimationMixer( root );
const action = mixer.clipAction( clip );
action.setLoop( THREE.LoopOnce );
action.clampWhenFinished = true;
action.play();

let failed = false;
const place = new THREE.Vector3();
times.forEach( ( seconds, index ) => {

	mixer.setTime( seconds );
	root.updateMatrixWorld( true );
	const box = new THREE.Box3();
	let worst = 0, compared = 0;
	for ( const bone of skeleton.bones ) {

		place.setFromMatrixPosition( bone.matrixWorld );
		box.expandByPoint( place );
		// ends have names of their own in each program
		if ( bone.name === 'ENDSITE' ) continue;
		const ours = blocks[ index ].get( bone.name );
		if ( ours === undefined ) throw new Error( `Supple has no joint "${ bone.name }"` );
		const distance = place.distanceTo( ours );
		if ( ! ( distance <= worst ) ) worst = distance;
		compared += 1;

	}

	const size = box.getSize( place );
	const relative = worst / Math.max( size.x, size.y, size.z );
	console.log( `${ seconds.toFixed( 4 ) } s: ${ compared } joints, ${ relative.toExponential( 2 ) } of the size` );
	failed ||= ! ( relative <= tolerance ) || compared === 0;

} );
process.exit( failed ? 1 : 0 );
