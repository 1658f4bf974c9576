// SPDX-License-Identifier: MIT
// What the examples share and what has nothing to do with softness: a renderer, a camera, light, ground, and the loop.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

export const loadModel = (name) => new GLTFLoader().loadAsync(new URL(`models/${name}.glb`, document.baseURI).href);

export function createStage({ eye = [1.9, 1.5, 3.4], target = [0, 0.85, 0] } = {}) {
	const renderer = new THREE.WebGLRenderer({ antialias: true });
	renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
	renderer.shadowMap.enabled = true;
	document.body.append(renderer.domElement);
	const scene = new THREE.Scene();
	scene.background = new THREE.Color(0xdfe6ea);
	const camera = new THREE.PerspectiveCamera(40, 1, 0.05, 100);
	camera.position.set(...eye);
	const controls = new OrbitControls(camera, renderer.domElement);
	controls.target.set(...target);
	controls.update();

	const sun = new THREE.DirectionalLight(0xffffff, 2.5);
	sun.position.set(2, 5, 3);
	sun.castShadow = true;
	sun.shadow.mapSize.set(1024, 1024);
	Object.assign(sun.shadow.camera, { left: -5, right: 5, top: 5, bottom: -5 });
	sun.shadow.normalBias = 0.02;
	const ground = new THREE.Mesh(new THREE.PlaneGeometry(40, 40), new THREE.MeshStandardMaterial({ color: 0xc4ced4 }));
	ground.rotation.x = -Math.PI / 2;
	ground.receiveShadow = true;
	scene.add(sun, new THREE.HemisphereLight(0xffffff, 0x8a9298, 1.5), ground);

	const resize = () => {
		renderer.setSize(innerWidth, innerHeight);
		camera.aspect = innerWidth / innerHeight;
		camera.updateProjectionMatrix();
	};
	addEventListener('resize', resize);
	resize();
	return { renderer, scene, camera, controls };
}

/** A character that plays its first clip and casts a shadow. */
export function perform(gltf, root = gltf.scene) {
	const mixer = new THREE.AnimationMixer(root);
	mixer.clipAction(gltf.animations[0]).play();
	root.traverse((object) => (object.castShadow = object.isMesh));
	return mixer;
}

/** Calls before each picture with the seconds since the last one. Frames are counted for whoever waits for them. */
export function run({ renderer, scene, camera }, advance) {
	let last = performance.now();
	window.frames = 0;
	renderer.setAnimationLoop((now) => {
		advance(Math.max(now - last, 0) / 1000);
		last = now;
		renderer.render(scene, camera);
		window.frames += 1;
	});
}

/** Instead of an empty page. */
export function explain(error) {
	console.error(error);
	const box = document.createElement('pre');
	box.textContent = error.message;
	document.body.append(box);
}
