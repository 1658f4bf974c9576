// SPDX-License-Identifier: MIT
// Ten characters in one world: flesh is built once, and those far away get by with less.
import { createWorld, soften } from 'supple/three';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import { createStage, explain, loadModel, perform, run } from './stage.js';

async function main() {
	const stage = createStage({ eye: [0, 3, 7], target: [0, 0.6, -1] });
	const gltf = await loadModel('bunny');
	const world = await createWorld({ method: 'position', lod: { camera: stage.camera, full: 9, reduced: 14 } });
	const mixers = [];
	const characters = [];
	for (let i = 0; i < 10; ++i) {
		const root = clone(gltf.scene);
		root.position.set(1.3 * (i % 5) - 2.6, 0, i < 5 ? 0 : -2.5);
		root.rotation.y = 0.6 * i;
		stage.scene.add(root);
		const mixer = perform(gltf, root);
		mixer.setTime(0.13 * i);
		mixers.push(mixer);
		characters.push(await soften(root, { world, parameters: { tets: 800 } }));
	}

	run(stage, (delta) => {
		mixers.forEach((mixer) => mixer.update(delta));
		world.update(delta);
	});
	window.world = world;
	window.characters = characters;
}

main().catch(explain);
