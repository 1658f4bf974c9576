// SPDX-License-Identifier: MIT
// What the comparisons with three.js share: files in, vertices of three.js and of Supple, distances.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as THREE from 'three';

// The loader runs outside a browser only without pictures; they do not move vertices.
export function readWithoutPictures( path ) {

	const bytes = readFileSync( path );
	let json, bin;
	if ( bytes.toString( 'latin1', 0, 4 ) === 'glTF' ) {

		const jsonLength = bytes.readUInt32LE( 12 );
		json = JSON.parse( bytes.toString( 'utf8', 20, 20 + jsonLength ) );
		bin = bytes.subarray( 28 + jsonLength );

	} else {

		json = JSON.parse( bytes.toString( 'utf8' ) );
		bin = mergeBuffers( json, dirname( path ) );

	}

	for ( const key of [ 'materials', 'textures', 'images', 'samplers' ] ) delete json[ key ];
	for ( const mesh of json.meshes ?? [] ) for ( const primitive of mesh.primitives ) delete primitive.material;
	return { json, glb: packGlb( json, bin ) };

}

// All buffers one after another, as the single one of a GLB.
export function mergeBuffers( json, folder ) {

	const parts = [];
	const starts = [];
	let length = 0;
	for ( const { uri } of json.buffers ) {

		const bytes = uri.startsWith( 'data:' )
			? Buffer.from( uri.slice( uri.indexOf( ',' ) + 1 ), 'base64' )
			: readFileSync( join( folder, decodeURIComponent( uri ) ) );
		starts.push( length );
		parts.push( bytes, Buffer.alloc( ( 4 - bytes.length % 4 ) % 4 ) );
		length += Math.ceil( bytes.length / 4 ) * 4;

	}

	for ( const view of json.bufferViews ) {

		view.byteOffset = ( view.byteOffset ?? 0 ) + starts[ view.buffer ];
		view.buffer = 0;

	}

	json.buffers = [ { byteLength: length } ];
	return Buffer.concat( parts );

}

export function packGlb( json, bin ) {

	const pad = ( buffer, filler ) => Buffer.concat( [ buffer, Buffer.alloc( ( 4 - buffer.length % 4 ) % 4, filler ) ] );
	const chunk = ( buffer, type ) => {

		const head = Buffer.alloc( 8 );
		head.writeUInt32LE( buffer.length, 0 );
		head.write( type, 4, 'latin1' );
		return Buffer.concat( [ head, buffer ] );

	};

	const body = Buffer.concat( [ chunk( pad( Buffer.from( JSON.stringify( json ) ), ' ' ), 'JSON' ), chunk( pad( bin, 0 ), 'BIN\0' ) ] );
	const head = Buffer.alloc( 12 );
	head.write( 'glTF', 0, 'latin1' );
	head.writeUInt32LE( 2, 4 );
	head.writeUInt32LE( 12 + body.length, 8 );
	const all = Buffer.concat( [ head, body ] );
	return all.buffer.slice( all.byteOffset, all.byteOffset + all.length );

}

// glTF asks for rotations of unit length. SimpleSkin writes 0.707 for the half of the square root of two; three.js takes
// that as it is, and so scales by 0.9998 between keys, where Supple has made it a rotation.
export function makeUnitRotations( gltf ) {

	for ( const track of gltf.animations.flatMap( ( clip ) => clip.tracks ) ) {

		if ( ! ( track instanceof THREE.QuaternionKeyframeTrack ) || track.values.length !== 4 * track.times.length ) continue;
		const rotation = new THREE.Quaternion();
		for ( let i = 0; i < track.values.length; i += 4 ) rotation.fromArray( track.values, i ).normalize().toArray( track.values, i );

	}

}

// Every primitive of every node: { key: "node/primitive", positions }.
export function pose( gltf, clip, seconds ) {

	const mixer = new THREE.AnimationMixer( gltf.scene );
	if ( clip >= 0 ) {

		const action = mixer.clipAction( gltf.animations[ clip ] );
		action.setLoop( THREE.LoopOnce );
		action.clampWhenFinished = true;
		action.play();
		mixer.setTime( seconds );

	}

	const meshes = new Map();
	const point = new THREE.Vector3();
	gltf.scene.updateMatrixWorld( true );
	gltf.scene.traverse( ( object ) => {

		if ( ! object.isMesh ) return;
		const own = gltf.parser.associations.get( object );
		const node = own.nodes ?? gltf.parser.associations.get( object.parent ).nodes;
		const count = object.geometry.attributes.position.count;
		const positions = new Float64Array( 3 * count );
		for ( let i = 0; i < count; ++ i ) {

			object.getVertexPosition( i, point ).applyMatrix4( object.matrixWorld ).toArray( positions, 3 * i );

		}

		meshes.set( `${ node }/${ own.primitives ?? 0 }`, positions );

	} );
	// back to rest, so that what one clip moves does not stay for the next
	mixer.stopAllAction();
	return meshes;

}

// The same from the output of dump_poses.
export function readDump( dump, cursor ) {

	const meshes = new Map();
	const next = () => { cursor.at += 4; return dump.readInt32LE( cursor.at - 4 ); };

	for ( let instances = next(); instances > 0; -- instances ) {

		const node = next();
		const counts = Array.from( { length: next() }, next );
		counts.forEach( ( count, primitive ) => {

			const positions = new Float64Array( 3 * count );
			for ( let i = 0; i < 3 * count; ++ i ) positions[ i ] = dump.readFloatLE( cursor.at + 4 * i );
			cursor.at += 12 * count;
			meshes.set( `${ node }/${ primitive }`, positions );

		} );

	}

	return meshes;

}

export function measureSize( meshes ) {

	const box = new THREE.Box3();
	const point = new THREE.Vector3();
	for ( const positions of meshes.values() ) {

		for ( let i = 0; i < positions.length; i += 3 ) box.expandByPoint( point.fromArray( positions, i ) );

	}

	const size = box.getSize( point );
	return Math.max( size.x, size.y, size.z );

}

// Largest distance between corresponding vertices. NaN anywhere gives NaN.
export function compare( theirs, ours ) {

	const keys = ( meshes ) => [ ...meshes.keys() ].sort().join( ' ' );
	if ( keys( theirs ) !== keys( ours ) ) throw new Error( `three.js has nodes ${ keys( theirs ) }; Supple ${ keys( ours ) }` );
	let worst = 0;
	for ( const [ key, a ] of theirs ) {

		const b = ours.get( key );
		if ( a.length !== b.length ) throw new Error( `${ key }: ${ a.length / 3 } vertices, Supple ${ b.length / 3 }` );
		for ( let i = 0; i < a.length; i += 3 ) {

			const distance = Math.hypot( a[ i ] - b[ i ], a[ i + 1 ] - b[ i + 1 ], a[ i + 2 ] - b[ i + 2 ] );
			if ( ! ( distance <= worst ) ) worst = distance;

		}

	}

	return worst;

}
