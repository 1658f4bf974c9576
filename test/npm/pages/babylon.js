// SPDX-License-Identifier: MIT
// The same in Babylon.js.
import { FreeCamera } from '@babylonjs/core/Cameras/freeCamera.js';
import { Ray } from '@babylonjs/core/Culling/ray.js';
import { Engine } from '@babylonjs/core/Engines/engine.js';
import { HemisphericLight } from '@babylonjs/core/Lights/hemisphericLight.js';
import { ImportMeshAsync } from '@babylonjs/core/Loading/sceneLoader.js';
import { Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import { Scene } from '@babylonjs/core/scene.js';

import '@babylonjs/loaders/glTF/2.0/glTFLoader.js';
import { soften } from 'supple/babylon';

async function check() {
	const canvas = document.createElement('canvas');
	[canvas.width, canvas.height] = [200, 150];
	document.body.append(canvas);
	const engine = new Engine(canvas);
	const scene = new Scene(engine);
	const camera = new FreeCamera('camera', new Vector3(0, 0.5, -3), scene);
	camera.minZ = 0.01;
	new HemisphericLight('light', new Vector3(0, 1, 0), scene);
	const loaded = await ImportMeshAsync(new URL('models/tube.glb', location.href).href, scene);
	const soft = await soften(loaded, { method: 'position', parameters: { tets: 300 } });
	const [mesh] = soft.meshes;
	const { skeleton } = mesh;
	const rest = Float32Array.from(mesh.getVerticesData('position'));
	loaded.animationGroups[0].start(true);
	for (let frame = 0; frame < 15 || (mesh.skeleton !== null && frame < 600); ++frame) {
		scene.render();
		soft.update(1 / 60);
		await new Promise((resolve) => requestAnimationFrame(resolve));
	}
	const drawn = mesh.getVerticesData('position');
	loaded.animationGroups[0].pause();
	mesh.skeleton = skeleton;
	scene.render();
	const skinned = mesh.getPositionData(true, false, Float32Array.from(rest)) ?? rest;
	mesh.skeleton = null;
	const farthest = (a, b) => a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
	const { lower, upper } = { lower: mesh.getBoundingInfo().minimum.asArray(), upper: mesh.getBoundingInfo().maximum.asArray() };
	const isBounded = drawn.every((value, i) => value >= lower[i % 3] - 1e-5 && value <= upper[i % 3] + 1e-5);
	// at a vertex in the middle of the list
	const middle = 3 * (drawn.length / 6 | 0);
	const target = Vector3.TransformCoordinates(Vector3.FromArray(drawn, middle), mesh.getWorldMatrix());
	const pick = scene.pickWithRay(new Ray(camera.position, target.subtract(camera.position).normalize(), 100));
	let dragged = 0;
	if (pick?.hit) {
		const drag = soft.drag(pick);
		drag.move(pick.pickedPoint.add(new Vector3(0.3, 0, 0)));
		for (let frame = 0; frame < 30; ++frame) {
			soft.update(1 / 60);
			scene.render();
			await new Promise((resolve) => requestAnimationFrame(resolve));
		}
		dragged = farthest(mesh.getVerticesData('position'), drawn);
		drag.end();
	}
	soft.dispose();
	return {
		fromRest: farthest(drawn, rest), fromSkinned: farthest(drawn, skinned), finite: drawn.every(Number.isFinite), isBounded, dragged,
		isRestored: mesh.skeleton === skeleton && farthest(mesh.getVerticesData('position'), rest) === 0,
		isInWorker: soft.world.isInWorker,
	};
}

window.result = check().catch((error) => ({ error: error.stack }));
