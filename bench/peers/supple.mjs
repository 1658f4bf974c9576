// SPDX-License-Identifier: MIT
// node supple.mjs WEB: our WebAssembly (in the folder WEB) at the work of jolt.mjs: whole steps of a scene, with the surface of the
// render mesh on top of what Jolt does.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { createSupple } = await import(pathToFileURL(resolve(process.argv[2], 'supple.js')));
const [warmUp, frames] = [20, 120];

/** Milliseconds of a step. */
async function measure(threads) {
	const supple = await createSupple({ threads });
	const character = supple.loadBuiltin('bunny');
	const flesh = supple.buildFlesh(character, { method: 'position', parameters: { tets: 14000 } });
	const scene = supple.createScene({});
	const actor = scene.addActor(flesh);
	actor.play(character.describe().clips.findIndex(({ name }) => name === 'Shake'));
	let milliseconds = 0;
	for (let frame = 0; frame < frames; ++frame) {
		const start = performance.now();
		scene.step(1 / 60);
		milliseconds += frame >= warmUp ? performance.now() - start : 0;
	}
	[scene, flesh, character].forEach((one) => one.destroy());
	supple.destroy();
	return milliseconds / (frames - warmUp);
}

for (const threads of [1, 2]) {
	const value = (await measure(threads)).toFixed(3).padStart(9);
	console.log(`${`Supple, WebAssembly, ${threads} thread${threads > 1 ? 's' : ''}`.padEnd(29)} ${value} ms  (with the render mesh)`);
}
process.exit(0);
