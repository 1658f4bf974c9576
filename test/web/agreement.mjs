// SPDX-License-Identifier: MIT
// WebAssembly and this machine compute the same bits: the library alone, flesh files of one in the other, and a bake with
// settings through the command line.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSupple, requireNative, source, web, withFolder } from './common.mjs';

const tool = requireNative('supple');
const bits = requireNative('test/web_bits');
const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8' });
const supple = await createSupple();

test('every method: positions, normals and flesh', () => {
	const here = run(bits);
	// a surface and the flesh of several characters for each method
	for (const { name } of supple.methods) assert.match(here, new RegExp(`^${name} surface `, 'm'));
	for (const { name } of supple.methods) assert.match(here, new RegExp(`^bunny ${name} flesh `, 'm'));
	assert.equal(run(process.execPath, '--no-experimental-fetch', join(web, 'test/web/bits.js')), here);
});

const tube = supple.loadBuiltin('tube');
const values = Array.from({ length: tube.describe().meshes[0].vertexCount }, (_, i) => (i % 5) / 4);
const cases = [
	['position', { softness: [{ shape: 'values', values }], parameters: { tets: 500 } }],
	['lattice', {}],
	['points', { parameters: { tets: 500 } }],
	['layered', {}],
	['fem', {}],
	['modes', { parameters: { tets: 500 } }],
];

for (const [method, rest] of cases) {
	test(`${method}: a bake with settings`, () => withFolder((folder) => {
		const settings = { method, ...rest, bake: { fps: 12, to: 0.8, substeps: 2 } };
		const [file, output] = [join(folder, 'soft.json'), join(folder, 'out.pc2')];
		writeFileSync(file, JSON.stringify(settings));
		run(tool, 'bake', 'builtin:tube', '--quiet', '--settings', file, '-o', output);
		const flesh = supple.buildFlesh(tube, settings);
		const bake = supple.bake(flesh, settings.bake);
		assert.ok(readFileSync(output).equals(bake.pc2()), 'the point caches differ');
		bake.destroy();
		flesh.destroy();
	}));
}

test('flesh files go both ways', () => withFolder((folder) => {
	const [here, there] = [join(folder, 'here.flesh'), join(folder, 'there.flesh')];
	run(tool, 'build', 'builtin:tube', '--quiet', '--method', 'position', '-o', here);
	const bytes = new Uint8Array(readFileSync(here));
	const flesh = supple.readFlesh(tube, bytes);
	assert.ok(Buffer.from(flesh.write()).equals(Buffer.from(bytes)));
	const built = supple.buildFlesh(tube, { method: 'position' });
	assert.ok(Buffer.from(built.write()).equals(Buffer.from(bytes)), 'what is built here is the same file');
	writeFileSync(there, built.write());
	run(tool, 'bake', 'builtin:tube', '--quiet', '--flesh', there, '--to', '0.2', '-o', join(folder, 'out.pc2'));
	const bake = supple.bake(flesh, { to: 0.2 });
	assert.ok(readFileSync(join(folder, 'out.pc2')).equals(bake.pc2()));
}));

test('a baked .glb', () => withFolder((folder) => {
	const output = join(folder, 'out.glb');
	run(tool, 'bake', 'builtin:tube', '--quiet', '--method', 'dqs', '--fps', '10', '-o', output);
	const flesh = supple.buildFlesh(tube, { method: 'dqs' });
	assert.ok(readFileSync(output).equals(supple.bake(flesh, { fps: 10 }).glb()), 'the documents differ');
}));

test('a baked .glb with helper bones', () => withFolder((folder) => {
	const output = join(folder, 'out.glb');
	run(tool, 'bake', 'builtin:tube', '--quiet', '--method', 'dqs', '--fps', '10', '--as', 'bones:6', '-o', output);
	const flesh = supple.buildFlesh(tube, { method: 'dqs' });
	assert.ok(readFileSync(output).equals(supple.bake(flesh, { fps: 10 }).bonesGlb({ helpers: 6 })), 'the documents differ');
}));

const fox = join(source, '../shared/assets/characters/Fox.glb');

test('a real character, from its file to the baked one', { skip: !existsSync(fox) && 'no real characters here' }, () =>
	withFolder((folder) => {
		const output = join(folder, 'out.glb');
		run(tool, 'bake', fox, '--quiet', '--method', 'position', '--set', 'tets=800', '--to', '0.3', '-o', output);
		const character = supple.loadCharacter(new Uint8Array(readFileSync(fox)), 'Fox.glb');
		const flesh = supple.buildFlesh(character, { method: 'position', parameters: { tets: 800 } });
		const baked = supple.bake(flesh, { to: 0.3 }).glb();
		assert.ok(readFileSync(output).equals(Buffer.from(baked)), 'the documents differ');
	}));
