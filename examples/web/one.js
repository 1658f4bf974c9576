// SPDX-License-Identifier: MIT
// One character: a loaded glTF becomes soft.
import { soften } from 'supple/three';
import { createStage, explain, loadModel, perform, run } from './stage.js';

async function main() {
	const stage = createStage();
	const gltf = await loadModel('bunny');
	const mixer = perform(gltf);
	stage.scene.add(gltf.scene);

	const soft = await soften(gltf.scene, { method: 'position' });
	run(stage, (delta) => {
		mixer.update(delta);
		soft.update(delta);
	});
	window.soft = soft;
}

main().catch(explain);
