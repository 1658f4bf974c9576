// SPDX-License-Identifier: MIT
// A page as a user writes it: the tube is loaded, becomes soft and swings for a while. window.result is what came of it; the part
// of the address behind # is what soften is asked for beside.
import { soften, SuppleError } from 'supple/three';
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

async function check() {
	const options = JSON.parse(decodeURIComponent(location.hash.slice(1) || '{}'));
	const renderer = new THREE.WebGLRenderer();
	renderer.setSize(200, 150);
	document.body.append(renderer.domElement);
	const scene = new THREE.Scene();
	const camera = new THREE.PerspectiveCamera(50, 4 / 3, 0.01, 50);
	camera.position.set(0, 0.5, 3);
	scene.add(new THREE.HemisphereLight());
	const gltf = await new GLTFLoader().loadAsync('models/tube.glb');
	scene.add(gltf.scene);
	const mixer = new THREE.AnimationMixer(gltf.scene);
	mixer.clipAction(gltf.animations[0]).play();
	const soft = await soften(gltf.scene, { method: 'position', parameters: { tets: 300 }, ...options });
	const [mesh] = soft.meshes;
	const skinned = mesh.geometry;
	const place = new THREE.Vector3();
	const rigid = new THREE.Vector3();
	let [most, finite] = [0, true];
	for (let frame = 0; frame < 12 || (mesh.geometry === skinned && frame < 600); ++frame) {
		mixer.update(1 / 60);
		soft.update(1 / 60);
		renderer.render(scene, camera);
		await nextFrame();
	}
	const drawn = mesh.geometry;
	for (let i = 0; i < drawn.attributes.position.count; ++i) {
		place.fromBufferAttribute(drawn.attributes.position, i);
		mesh.geometry = skinned;
		mesh.applyBoneTransform(i, rigid.fromBufferAttribute(skinned.attributes.position, i));
		mesh.geometry = drawn;
		most = Math.max(most, place.distanceTo(rigid));
		finite &&= place.toArray().every(Number.isFinite);
	}
	const { isInWorker, sharesMemory, threads } = soft.world;
	const wasReplaced = drawn !== skinned;
	soft.dispose();
	renderer.render(scene, camera);
	return { most, finite, isInWorker, sharesMemory, threads, wasReplaced, isRestored: mesh.geometry === skinned && mesh.isSkinnedMesh };
}

window.result = check().catch((error) => ({ error: error.message, isOurs: error instanceof SuppleError }));
