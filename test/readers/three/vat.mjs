// SPDX-License-Identifier: MIT
// vat.mjs SUPPLE EXAMPLES MODEL CLIP: bakes a clip as vertex animation textures and as morph targets, draws both in Chromium by
// three.js at several times, between frames too, the first with examples/vat/vat.js, and compares the pictures.
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [ supple, examples, model, clip ] = process.argv.slice( 2 );
const here = dirname( fileURLToPath( import.meta.url ) );
const work = mkdtempSync( join( tmpdir(), 'supple-vat-' ) );
const page = /* html */`<!doctype html><script type="importmap">
{ "imports": { "three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/" } }</script>
<script type="module" src="/page.js"></script>`;
const script = /* js */`
import { AmbientLight, AnimationMixer, Box3, DirectionalLight, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { loadVat } from '/vat/vat.js';

const size = 256;
const renderer = new WebGLRenderer( { antialias: false, preserveDrawingBuffer: true } );
renderer.setSize( size, size );

function makeScene( content ) {
	const scene = new Scene();
	const sun = new DirectionalLight( 0xffffff, 3 );
	sun.position.set( 1, 2, 3 );
	scene.add( content, sun, new AmbientLight( 0xffffff, 0.5 ) );
	return scene;
}

function draw( scene, camera ) {
	renderer.render( scene, camera );
	const gl = renderer.getContext();
	const pixels = new Uint8Array( 4 * size * size );
	gl.readPixels( 0, 0, size, size, gl.RGBA, gl.UNSIGNED_BYTE, pixels );
	return pixels;
}

async function run() {
	const gltf = await new GLTFLoader().loadAsync( '/baked/morph.glb' );
	gltf.scene.traverse( ( object ) => { object.frustumCulled = false; } );
	const vat = await loadVat( '/baked/vat.vat.json' );
	const clip = gltf.animations[ 0 ];
	const mixer = new AnimationMixer( gltf.scene );
	mixer.clipAction( clip ).play();
	const scenes = [ makeScene( gltf.scene ), makeScene( vat.scene ) ];
	const box = new Box3( new Vector3( ...vat.description.min ), new Vector3( ...vat.description.max ) );
	const middle = box.getCenter( new Vector3() ), reach = box.getSize( new Vector3() ).length();
	const camera = new PerspectiveCamera( 45, 1, 0.01 * reach, 10 * reach );
	camera.position.copy( middle ).add( new Vector3( 0.4, 0.3, 1 ).normalize().multiplyScalar( 1.3 * reach ) );
	camera.lookAt( middle );
	const rows = [];
	let first;
	for ( const share of [ 0, 0.21, 0.5, 0.77, 0.95 ] ) {
		const time = share * clip.duration;
		mixer.setTime( time );
		vat.play( clip.name, time );
		const [ a, b ] = scenes.map( ( scene ) => draw( scene, camera ) );
		first ??= b;
		let covered = 0, wrong = 0, moved = 0;
		for ( let i = 0; i < a.length; i += 4 ) {
			const distance = ( p, q ) => Math.max( ...[ 0, 1, 2 ].map( ( k ) => Math.abs( p[ i + k ] - q[ i + k ] ) ) );
			covered += a[ i ] + a[ i + 1 ] + a[ i + 2 ] > 0;
			wrong += distance( a, b ) > 8;
			moved += distance( first, b ) > 8;
		}
		rows.push( { time, covered, wrong, moved } );
	}
	return rows;
}

run().then( ( rows ) => ( { rows } ), ( error ) => ( { error: String( error.stack ) } ) )
	.then( ( result ) => fetch( '/result', { method: 'POST', body: JSON.stringify( result ) } ) );
`;

function find( path ) {

	if ( path === '/' ) return [ page, 'text/html' ];
	if ( path === '/page.js' ) return [ script, 'text/javascript' ];
	const [ , folder, ...rest ] = path.split( '/' );
	const roots = { three: join( here, '../node_modules/three' ), vat: join( examples, 'vat' ), baked: work };
	const file = roots[ folder ] && join( roots[ folder ], ...rest );
	if ( ! file || ! existsSync( file ) ) return [];
	return [ readFileSync( file ), file.endsWith( '.js' ) ? 'text/javascript' : 'application/octet-stream' ];

}

let browser;
const result = await new Promise( ( resolve, reject ) => {

	for ( const [ form, file ] of [ [ 'vat', 'vat.png' ], [ 'targets', 'morph.glb' ] ] ) {

		const options = form === 'targets' ? [ '--tolerance', '0' ] : [];
		execFileSync( supple, [ 'bake', model, '--clip', clip, '--method', 'dqs', '--fps', '12', '--quiet', '--as', form, ...options, '-o', join( work, file ) ] );

	}

	const server = createServer( ( request, response ) => {

		if ( request.method === 'POST' ) {

			let text = '';
			request.on( 'data', ( data ) => { text += data; } );
			request.on( 'end', () => { response.end(); server.close(); resolve( JSON.parse( text ) ); } );
			return;

		}

		const [ body, type ] = find( request.url );
		response.writeHead( body ? 200 : 404, { 'Content-Type': type ?? 'text/plain' } );
		response.end( body ?? '' );

	} );
	server.listen( 0, '127.0.0.1', () => {

		browser = spawn( process.env.CHROMIUM ?? '/usr/bin/chromium', [ '--headless', '--no-sandbox', '--enable-unsafe-swiftshader',
			`--user-data-dir=${ join( work, 'profile' ) }`, '--remote-debugging-port=0', `http://127.0.0.1:${ server.address().port }/` ], { stdio: 'ignore', detached: true } );
		browser.on( 'error', reject );

	} );
	setTimeout( () => reject( new Error( 'the page gave no answer within 90 s' ) ), 90000 ).unref();

} ).catch( ( error ) => ( { error: String( error ) } ) );
if ( browser?.pid ) {

	// all of its processes: the others outlive the first, and write into the profile while it is removed
	const exit = new Promise( ( resolve ) => browser.once( 'exit', resolve ) );
	process.kill( - browser.pid, 'SIGKILL' );
	await exit;

}

for ( let tries = 50; tries > 0; -- tries ) {

	try {

		rmSync( work, { recursive: true, force: true } );
		break;

	} catch ( error ) {

		if ( tries === 1 ) throw error;
		await new Promise( ( resolve ) => setTimeout( resolve, 100 ) );

	}

}

let failed = result.error !== undefined;
if ( failed ) console.log( result.error );
for ( const { time, covered, wrong, moved } of result.rows ?? [] ) {

	console.log( `at ${ time.toFixed( 3 ) } s: ${ wrong } of ${ covered } pixels differ, ${ moved } from the first picture` );
	// 16 bits move an edge by a hundredth of a pixel: some pixels of the outline at most
	failed ||= covered < 1000 || wrong > 0.005 * covered;

}

// and it plays
failed ||= Math.max( ...( result.rows ?? [] ).map( ( row ) => row.moved ), 0 ) < 200;
process.exit( failed ? 1 : 0 );
