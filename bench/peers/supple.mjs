// SPDX-License-Identifier: MIT
// node supple.mjs WEB: our WebAssembly (in the folder WEB) at the work of jolt.mjs: whole steps of a scene, with the surface of the
// render mesh on top of what Jolt does.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { createSupple } = await import(pathToFileURL(resolve(process.argv[2], 'supple.js')));
const supple = await createSupple({ threads: 0 });
const character = supple.loadBuiltin('bunny');
const flesh = supple.buildFlesh(character, { method: 'position', parameters: { tets: 14000 } });
const scene = supple.createScene({});
const actor = scene.addActor(flesh);
actor.play(character.describe().clips.findIndex(({ name }) => name === 'Shake'));
const [warmUp, frames] = [20, 120];
let milliseconds = 0;
for (let frame = 0; frame < frames; ++frame) {
	const start = performance.now();
	scene.step(1 / 60);
	milliseconds += frame >= warmUp ? performance.now() - start : 0;
}
const value = (milliseconds / (frames - warmUp)).toFixed(3).padStart(9);
console.log(`${'Supple, WebAssembly, 1 thread'.padEnd(28)} ${value} ms  (with the render mesh)`);
