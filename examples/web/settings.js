// SPDX-License-Identifier: MIT
// A settings file of the studio: method, parameters and softness as they were set there.
import { soften } from 'supple/three';
import { createStage, explain, loadModel, perform, run } from './stage.js';

async function main() {
	const stage = createStage();
	const gltf = await loadModel('bunny');
	const mixer = perform(gltf);
	stage.scene.add(gltf.scene);

	const soft = await soften(gltf.scene, { settings: new URL('settings/jelly.json', document.baseURI) });
	run(stage, (delta) => {
		mixer.update(delta);
		soft.update(delta);
	});
	window.soft = soft;
}

main().catch(explain);
