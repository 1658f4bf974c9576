// SPDX-License-Identifier: MIT
// A character that fingers pull, and a ball that presses into it.
import * as THREE from 'three';
import { enableDrag, soften } from 'supple/three';
import { createStage, explain, loadModel, perform, run } from './stage.js';

async function main() {
	const stage = createStage({ eye: [1.2, 1.3, 4.2], target: [0, 0.75, 0] });
	const gltf = await loadModel('bunny');
	perform(gltf);
	stage.scene.add(gltf.scene);

	const soft = await soften(gltf.scene, { method: 'position', parameters: { tets: 2000, softness: 0.7 } });
	enableDrag(soft, stage.camera, stage.renderer.domElement, { controls: stage.controls });

	const ball = new THREE.Mesh(new THREE.SphereGeometry(0.15), new THREE.MeshStandardMaterial({ color: 0xd8603c }));
	ball.castShadow = true;
	stage.scene.add(ball);
	const place = (time) => ball.position.set(0.55 + 0.2 * Math.cos(time), 0.5, 0);
	place(0);
	soft.addCollider({ shape: 'sphere', radius: 0.15, object: ball });
	let time = 0;
	run(stage, (delta) => {
		time += delta;
		place(time);
		soft.update(delta);
	});
	window.soft = soft;
}

main().catch(explain);
