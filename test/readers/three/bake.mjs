// SPDX-License-Identifier: MIT
// bake.mjs SUPPLE DUMP_POSES FILE CLIP: Supple bakes a clip (given by its index) with linear blend skinning, three.js
// reads the result as GLB, as OBJ files and as USD (text and package), and every vertex must stand where Supple puts it when it poses the
// source itself, within 1e-4 of the character's size.
//
// three.js plays no points that change over time in USD: its loader shows the first sample, and the others are compared
// as its parser of USD text reads them.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { OBJLoader } from 'three/examples/jsm/loaders/OBJLoader.js';
import { USDLoader } from 'three/examples/jsm/loaders/USDLoader.js';
import { USDAParser } from 'three/examples/jsm/loaders/usd/USDAParser.js';
import { compare, measureSize, pose, readDump, readWithoutPictures } from './shared.mjs';

const tolerance = 1e-4;
const fps = 24;
const [ supple, dumpPoses, file, clipText ] = process.argv.slice( 2 );
const clip = Number( clipText );
const work = mkdtempSync( join( tmpdir(), 'supple-bake-' ) );
let failed = false;
let size;

function report( what, distance ) {

	const relative = distance / size;
	console.log( `${ what }: ${ relative.toExponential( 2 ) } of the size ${ size.toPrecision( 4 ) }` );
	failed ||= ! ( relative <= tolerance );

}

function bake( name, ...options ) {

	const path = join( work, name );
	execFileSync( supple, [ 'bake', source, '--clip', `#${ clip }`, '--method', 'lbs', '--fps', String( fps ), '--quiet', '-o', path, ...options ] );
	return path;

}

function findSource() {

	if ( ! file.startsWith( 'builtin:' ) ) return file;
	const name = file.slice( 'builtin:'.length );
	execFileSync( supple, [ 'models', name, '--export', work, '--quiet' ] );
	return join( work, `${ name }.glb` );

}

// Seconds of the first and last key, as the document says.
function findSpan( json ) {

	const inputs = json.animations[ clip ].samplers.map( ( sampler ) => json.accessors[ sampler.input ] );
	return [ Math.min( ...inputs.map( ( a ) => a.min[ 0 ] ) ), Math.max( ...inputs.map( ( a ) => a.max[ 0 ] ) ) ];

}

// What Supple makes of the source at these times: a map from "node/primitive" for each.
function poseSource( times ) {

	const dump = execFileSync( dumpPoses, [ source, ...times.flatMap( ( time ) => [ clip, time ] ).map( String ) ], { maxBuffer: 1 << 30 } );
	const cursor = { at: 0 };
	return times.map( () => readDump( dump, cursor ) );

}

const onlySkinned = ( json, meshes ) => new Map( [ ...meshes ].filter( ( [ key ] ) => json.nodes[ parseInt( key ) ].skin !== undefined ) );

function mean( a, b ) {

	return new Map( [ ...a ].map( ( [ key, positions ] ) => [ key, positions.map( ( x, i ) => 0.5 * ( x + b.get( key )[ i ] ) ) ] ) );

}

async function compareGlb( json, times, poses ) {

	const { json: baked, glb } = readWithoutPictures( bake( 'out.glb', '--tolerance', '0' ) );
	const gltf = await new GLTFLoader().parseAsync( glb, '' );
	const name = json.animations[ clip ].name;
	if ( baked.animations.length !== 1 ) throw new Error( `there are ${ baked.animations.length } clips, and one was baked` );
	if ( baked.animations[ 0 ].name !== name ) throw new Error( `the clip ${ name } has become ${ baked.animations[ 0 ].name }` );
	for ( const [ key ] of onlySkinned( json, poses[ 0 ] ) ) {

		if ( baked.nodes[ parseInt( key ) ].skin !== undefined ) throw new Error( `node ${ key } still has a skin` );

	}

	times.forEach( ( time, i ) => {

		const theirs = ( seconds ) => onlySkinned( json, pose( gltf, 0, seconds ) );
		report( `GLB, frame ${ i + 1 }`, compare( theirs( time ), onlySkinned( json, poses[ i ] ) ) );
		if ( i === 0 ) return;
		const between = mean( onlySkinned( json, poses[ i - 1 ] ), onlySkinned( json, poses[ i ] ) );
		report( `GLB, before frame ${ i + 1 }`, compare( theirs( 0.5 * ( times[ i - 1 ] + time ) ), between ) );

	} );

}

// The corners of all triangles of all instances one after another, out of positions by "node/primitive".
function cornersOf( indices, meshes ) {

	const corners = [];
	for ( const [ key, positions ] of meshes ) {

		const index = indices.get( key ) ?? Array.from( { length: positions.length / 3 }, ( _, i ) => i );
		for ( const i of index ) corners.push( positions[ 3 * i ], positions[ 3 * i + 1 ], positions[ 3 * i + 2 ] );

	}

	return new Map( [ [ 'corners', Float64Array.from( corners ) ] ] );

}

function cornersOfObject( object ) {

	const corners = [];
	object.updateMatrixWorld( true );
	object.traverse( ( mesh ) => {

		if ( ! mesh.isMesh ) return;
		const { position } = mesh.geometry.attributes;
		const index = mesh.geometry.index?.array ?? Array.from( { length: position.count }, ( _, i ) => i );
		for ( const i of index ) corners.push( position.getX( i ), position.getY( i ), position.getZ( i ) );

	} );
	return new Map( [ [ 'corners', Float64Array.from( corners ) ] ] );

}

function compareObj( indices, poses ) {

	bake( 'out.obj' );
	poses.forEach( ( ours, i ) => {

		const text = readFileSync( join( work, `out.${ String( i + 1 ).padStart( 4, '0' ) }.obj` ), 'utf8' );
		report( `OBJ, frame ${ i + 1 }`, compare( cornersOfObject( new OBJLoader().parse( text ) ), cornersOf( indices, ours ) ) );

	} );

}

// All points of all meshes one after another.
const joined = ( arrays ) => new Map( [ [ 'points', Float64Array.from( arrays.flatMap( ( a ) => Array.from( a ) ) ) ] ] );

function compareUsd( indices, poses ) {

	const text = readFileSync( bake( 'out.usda' ), 'utf8' );
	report( 'USD, first sample', compare( cornersOfObject( new USDLoader().parse( text ) ), cornersOf( indices, poses[ 0 ] ) ) );
	const bytes = readFileSync( bake( 'out.usdz' ) );
	const packed = new USDLoader().parse( bytes.buffer.slice( bytes.byteOffset, bytes.byteOffset + bytes.byteLength ) );
	report( 'USD package, first sample', compare( cornersOfObject( packed ), cornersOf( indices, poses[ 0 ] ) ) );
	const { specsByPath } = new USDAParser().parseData( text );
	const meshes = Object.keys( specsByPath ).filter( ( path ) => path.endsWith( '.points' ) ).map( ( path ) => specsByPath[ path ].fields.timeSamples );
	poses.forEach( ( ours, i ) => {

		for ( const { times } of meshes ) if ( times[ i ] !== i || times.length !== poses.length ) throw new Error( `samples at ${ times }` );
		const theirs = joined( meshes.map( ( { values } ) => values[ i ].flat() ) );
		report( `USD, sample ${ i }`, compare( theirs, joined( [ ...ours.values() ] ) ) );

	} );

}

const source = findSource();
try {

	const { json, glb } = readWithoutPictures( source );
	const [ start, end ] = findSpan( json );
	const count = Math.floor( Math.fround( Math.fround( end - start ) * fps ) + 1e-3 ) + 1;
	const times = Array.from( { length: count }, ( _, i ) => Math.fround( Math.fround( start ) + Math.fround( i / fps ) ) );
	const poses = poseSource( times );
	size = measureSize( poses[ 0 ] );
	if ( ! ( size > 0 ) || count < 10 ) throw new Error( 'there is too little to compare' );
	const indices = new Map();
	const gltf = await new GLTFLoader().parseAsync( glb, '' );
	gltf.scene.traverse( ( object ) => {

		if ( ! object.isMesh || ! object.geometry.index ) return;
		const own = gltf.parser.associations.get( object );
		const node = own.nodes ?? gltf.parser.associations.get( object.parent ).nodes;
		indices.set( `${ node }/${ own.primitives ?? 0 }`, Array.from( object.geometry.index.array ) );

	} );
	await compareGlb( json, times, poses );
	compareObj( indices, poses );
	compareUsd( indices, poses );

} finally {

	rmSync( work, { recursive: true, force: true } );

}

process.exit( failed ? 1 : 0 );
