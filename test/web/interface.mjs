// SPDX-License-Identifier: MIT
// supple.js: everything that docs/web.md promises.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSupple, distance, largestDifference, makeBvh, SuppleError } from './common.mjs';

const supple = await createSupple();
const tube = supple.loadBuiltin('tube');
// few elements, so that it is quick
const coarse = { position: { tets: 500 }, points: { tets: 500 } };
const flesh = Object.fromEntries(supple.methods.map(({ name }) =>
	[name, supple.buildFlesh(tube, { method: name, parameters: coarse[name] ?? {} })]));
const soft = supple.methods.map(({ name }) => name).filter((name) => name !== 'lbs' && name !== 'dqs');

// An actor in a scene of its own.
function stage(method, options) {
	const scene = supple.createScene(options);
	return { scene, actor: scene.addActor(flesh[method]) };
}

function steps(scene, count) {
	for (let i = 0; i < count; ++i) {
		scene.step(1 / 60);
	}
}

test('says what there is', () => {
	assert.match(supple.version, /^\d+\.\d+\.\d+$/);
	assert.equal(supple.threads, 1);
	assert.deepEqual(supple.methods.map(({ name }) => name), ['lbs', 'dqs', 'position', 'lattice', 'points', 'layered', 'fem', 'modes']);
	const all = supple.methods.flatMap(({ parameters }) => parameters);
	assert.ok(all.length > 30 && all.some(({ choices }) => choices?.length > 1));
	for (const { name, minimum, maximum, standard, summary } of all) {
		assert.ok(minimum <= standard && standard <= maximum && summary.length > 0, name);
	}
	for (const { parameters, presets } of supple.methods) {
		assert.deepEqual(presets.map(({ name }) => name), parameters.length > 0 ? ['firm', 'standard', 'jelly', 'heavy'] : []);
		assert.ok(presets.every((preset) => Object.keys(preset.parameters).every((name) => parameters.some((one) => one.name === name))));
		assert.ok(presets.every(({ name, parameters: changed }) => (Object.keys(changed).length === 0) === (name === 'standard')));
	}
	assert.ok(supple.builtins.some(({ name }) => name === 'bunny'));
});

test('motions that come along move any character', () => {
	assert.ok(supple.motions.some(({ name, summary }) => name === 'dance' && summary.length > 0));
	const character = supple.loadBuiltin('tube');
	const { motions, clips } = character.describe();
	assert.ok(motions.includes('shake') && !motions.includes('walk'));
	assert.equal(character.addBuiltinMotion('shake'), clips.length);
	assert.equal(character.describe().clips.at(-1).name, 'shake');
	assert.throws(() => character.addBuiltinMotion('walk'), /humanoid/);
	character.destroy();
});

test('a file in centimetres is read as one', () => {
	const glb = tube.write();
	const inCentimetres = supple.loadCharacter(glb, 'tube.glb', { unit: 0.01 });
	const height = ({ size: [lower, upper] }) => upper[1] - lower[1];
	assert.ok(Math.abs(height(inCentimetres.describe()) / height(tube.describe()) - 0.01) < 1e-6);
	assert.throws(() => supple.loadCharacter(glb, 'tube.glb', { unit: 0 }), /unit/);
	inCentimetres.destroy();
});

test('describes a character as something that can be posted', () => {
	const described = tube.describe();
	structuredClone(described, { transfer: [described.meshes[0].positions.buffer] });
	described.meshes[0].positions = tube.describe().meshes[0].positions;
	const [mesh] = described.meshes;
	assert.equal(mesh.indices.length % 3, 0);
	assert.ok(mesh.indices.every((index) => index < mesh.vertexCount));
	assert.equal(mesh.positions.length, 3 * mesh.vertexCount);
	assert.equal(mesh.primitives.reduce((sum, { count }) => sum + count, 0), mesh.indices.length);
	assert.ok(described.nodes.some(({ isJoint }) => isJoint) && described.clips.length > 0);
	const [lower, upper] = described.size;
	assert.ok(lower.every((value, i) => value < upper[i]));
	for (const { mesh: index, node } of described.instances) {
		assert.ok(described.meshes[index] && described.nodes[node]);
	}
});

for (const method of Object.keys(flesh)) {
	test(`${method}: plays, seeks, rests`, () => {
		const { scene, actor } = stage(method);
		const rest = actor.positions().slice();
		actor.play(0);
		steps(scene, 20);
		assert.ok(Math.abs(actor.time - 20 / 60) < 1e-4);
		assert.ok(largestDifference(rest, actor.positions()) > 1e-3);
		assert.ok(actor.positions().every(Number.isFinite) && actor.normals().every(Number.isFinite));
		const { volumeError, stretch } = actor.measure();
		assert.ok(Math.abs(volumeError) < 0.5 && stretch >= 0);
		assert.equal(actor.nodeMatrices().length, 12 * tube.describe().nodes.length);

		// the same moment twice is the same shape, whatever came between
		actor.seek(0.3);
		const moment = actor.positions().slice();
		steps(scene, 5);
		actor.seek(0.3);
		assert.equal(largestDifference(moment, actor.positions()), 0);
		actor.stop();
		actor.seek(0);
		assert.ok(largestDifference(rest, actor.positions()) < 1e-6);
		scene.destroy();
	});
}

for (const method of soft) {
	test(`${method}: is dragged and comes back`, () => {
		const { scene, actor } = stage(method, { gravity: [0, 0, 0] });
		const rest = actor.positions().slice();
		const { size: [lower, upper] } = tube.describe();
		const middle = lower.map((value, i) => (value + upper[i]) / 2);
		const hit = actor.castRay([middle[0], lower[1] + 0.7 * (upper[1] - lower[1]), upper[2] + 1], [0, 0, -1]);
		assert.ok(Math.abs(hit.weights.reduce((sum, weight) => sum + weight) - 1) < 1e-5);
		assert.equal(actor.castRay([100, 100, 100], [0, 0, -1]), null);
		const drag = actor.startDrag(hit);
		const pull = 0.2 * (upper[2] - lower[2]);
		actor.moveDrag(drag, [hit.position[0], hit.position[1], hit.position[2] + pull]);
		steps(scene, 30);
		const pulled = largestDifference(rest, actor.positions());
		assert.ok(pulled > 0.1 * pull, `${pulled} of ${pull}`);
		actor.endDrag(drag);
		steps(scene, 300);
		assert.ok(largestDifference(rest, actor.positions()) < 0.2 * pulled);
		scene.destroy();
	});

	test(`${method}: shows what it is made of`, () => {
		const { scene, actor } = stage(method);
		const { kind, points, lines, layer, layerNames, tets, cells } = flesh[method].elements();
		assert.equal(kind, { lattice: 'voxels', fem: 'lattice' }[method] ?? 'tets');
		assert.equal(flesh[method].report.points, points.length / 3);
		assert.ok(points.length > 0 && lines.length > 0 && lines.every((point) => point < points.length / 3));
		if (kind !== 'lattice') {
			const count = kind === 'tets' ? tets.length / 4 : cells.length;
			assert.equal(layer.length, count);
			assert.deepEqual(layerNames, ['bone', 'muscle', 'fat', 'skin']);
			assert.ok(layer.every((one) => one < 4));
		}
		assert.equal(largestDifference(points, actor.elementPositions()), 0);
		actor.play(0);
		steps(scene, 10);
		assert.ok(largestDifference(points, actor.elementPositions()) > 1e-4);
		scene.destroy();
	});

	test(`${method}: .flesh written and read gives the same bits`, () => {
		const copy = supple.readFlesh(tube, flesh[method].write());
		assert.equal(copy.method, method);
		const [there, here] = [copy, flesh[method]].map((one) => one.elements({ layers: false }));
		assert.equal(there.kind, here.kind);
		assert.deepEqual(there.points, here.points);
		assert.deepEqual(there.lines, here.lines);
		const { scene, actor } = stage(method);
		const second = supple.createScene();
		const other = second.addActor(copy);
		for (const [one, where] of [[actor, scene], [other, second]]) {
			one.play(0);
			steps(where, 10);
		}
		assert.equal(largestDifference(actor.positions(), other.positions()), 0);
		// the scene holds on to the flesh
		copy.destroy();
		second.step(1 / 60);
		second.destroy();
		scene.destroy();
	});
}

test('maps of figures', () => {
	const { scene, actor } = stage('position');
	actor.play(0);
	steps(scene, 20);
	for (const kind of ['displacement', 'stretch', 'volume', 'softness']) {
		const values = actor.heat(kind);
		assert.equal(values.length, tube.describe().meshes[0].vertexCount);
		assert.ok(values.every(Number.isFinite) && values.some((value) => value !== 0), kind);
	}
	assert.throws(() => actor.heat('love'), SuppleError);
	scene.destroy();
});

test('a brush stroke changes where it is soft, and goes through settings', () => {
	const { vertexCount, positions } = tube.describe().meshes[0];
	const { size: [lower, upper] } = tube.describe();
	const values = Array.from({ length: vertexCount }, (_, i) =>
		(positions[3 * i + 1] > (lower[1] + upper[1]) / 2 ? 1 : 0));
	const settings = { method: 'position', softness: [{ shape: 'values', instance: 0, values }] };
	const painted = supple.buildFlesh(tube, settings);
	assert.deepEqual(painted.settings(), settings);
	const scene = supple.createScene();
	const actor = scene.addActor(painted);
	const heat = actor.positions().slice();
	actor.play(0);
	steps(scene, 30);
	const stiff = supple.buildFlesh(tube, { ...settings, softness: [{ shape: 'values', values: values.map(() => 0) }] });
	const other = supple.createScene();
	const twin = other.addActor(stiff);
	twin.play(0);
	steps(other, 30);
	assert.ok(largestDifference(actor.positions(), twin.positions()) > 1e-4);
	assert.equal(heat.length, 3 * vertexCount);
	assert.throws(() => supple.buildFlesh(tube, { softness: [{ shape: 'values', values: [1] }] }),
		{ name: 'SuppleError', where: 'settings: softness[0].values', code: 'format' });
	for (const one of [scene, other, painted, stiff]) {
		one.destroy();
	}
});

test('parameters and regions while it runs', () => {
	const { scene, actor } = stage('position');
	const [live] = supple.methods.find(({ name }) => name === 'position').parameters.filter((one) => one.live && !one.choices);
	actor.setParameter(live.name, live.minimum);
	assert.ok(Math.abs(actor.parameter(live.name) - live.minimum) < 1e-6);
	assert.throws(() => actor.setParameter(live.name, live.maximum + 1), /must be .* to .* \(got/);
	assert.throws(() => actor.setParameter('nonsense', 1), /no parameter/);
	assert.throws(() => actor.setParameter(live.name, NaN), SuppleError);
	actor.setRegion(0, 2, 0.3);
	assert.throws(() => actor.setRegion(7, 2, 0.3), /no region/);
	scene.destroy();
});

test('falls on the floor, meets a ball', () => {
	const { scene, actor } = stage('layered');
	const { size: [lower, upper] } = tube.describe();
	const floor = scene.addFloor(lower[1] - 0.01);
	const radius = 0.2 * (upper[1] - lower[1]);
	const ball = scene.addCollider({ shape: 'sphere', radius, motion: 'dynamic', mass: 1, position: [0, upper[1] + radius + 0.3, 0] });
	const start = ball.transform().position[1];
	let most = 0;
	for (let i = 0; i < 60; ++i) {
		scene.step(1 / 60);
		most = Math.max(most, scene.contacts().length / 8);
	}
	assert.ok(ball.transform().position[1] < start - 0.1);
	assert.ok(most > 0);
	assert.ok(scene.stats().steps === 60 && scene.stats().contact.deepest >= 0);
	const hand = scene.addCollider({ shape: 'capsule', radius: 0.1, halfHeight: 0.2, motion: 'kinematic', position: [5, 0, 0] });
	hand.setTransform([5.01, 0, 0]);
	scene.step(1 / 60);
	assert.ok(distance(hand.transform().position, [5.01, 0, 0]) < 1e-5);
	ball.setVelocity([0, 1, 0]);
	assert.throws(() => floor.setVelocity([0, 1, 0]), SuppleError);
	assert.throws(() => scene.addCollider({ shape: 'sphere', radius: -1 }), SuppleError);
	assert.throws(() => scene.addCollider({ shape: 'teapot' }), /not teapot/);
	actor.setContact({ self: true, friction: 0.1 });
	assert.deepEqual([actor.contact().self, actor.contact().colliders], [true, true]);
	hand.remove();
	assert.throws(() => hand.transform(), /destroyed/);
	scene.step(1 / 60);
	scene.destroy();
});

test('motion of another skeleton', () => {
	const character = supple.loadBuiltin('tube');
	const joints = character.describe().nodes.filter(({ isJoint }) => isJoint).map(({ name }) => name);
	const before = character.describe().clips.length;
	const added = character.addMotion(makeBvh(joints, 30), 'nod.bvh');
	assert.deepEqual(added, [before]);
	assert.equal(character.describe().clips.length, before + 1);
	const built = supple.buildFlesh(character, { method: 'lbs' });
	const scene = supple.createScene();
	const actor = scene.addActor(built);
	const rest = actor.positions().slice();
	actor.play(added[0]);
	steps(scene, 60);
	assert.ok(largestDifference(rest, actor.positions()) > 0.05);
	assert.throws(() => actor.play(99), /no clip/);
	assert.throws(() => character.addMotion(new Uint8Array([1, 2, 3]), 'broken.bvh'), SuppleError);
	[scene, built, character].forEach((one) => one.destroy());
});

test('a skeleton by pointing', () => {
	const statue = supple.loadBuiltin('tube');
	const rig = supple.createRig(statue);
	const { size: [lower, upper] } = statue.describe();
	const height = (part) => lower[1] + part * (upper[1] - lower[1]);
	const [x, z] = [(lower[0] + upper[0]) / 2, upper[2] + 1];
	const names = ['low', 'middle', 'high'];
	const numbers = names.map((name, i) => rig.addJoint(name, [x + 0.001, height(0.2 + 0.3 * i), z], [0, 0, -1]));
	rig.addBone(numbers[0], numbers[1]);
	rig.addBone(numbers[1], numbers[2]);
	rig.setRoot(numbers[0]);
	assert.deepEqual(rig.joints().map(({ name }) => name), names);
	assert.ok(Math.abs(rig.joints()[0].position[2] - (lower[2] + upper[2]) / 2) < 0.1);
	assert.throws(() => rig.addJoint('air', [50, 0, 0], [0, 0, -1]), SuppleError);
	assert.throws(() => rig.addBone(0, 2), SuppleError);
	const bound = rig.bind();
	const { nodes, meshes: [mesh] } = bound.describe();
	assert.ok(names.every((name) => nodes.some((node) => node.name === name && node.isJoint)));
	for (let i = 0; i < mesh.vertexCount; ++i) {
		const sum = mesh.weights.subarray(i * mesh.influences, (i + 1) * mesh.influences).reduce((a, b) => a + b);
		assert.ok(Math.abs(sum - 1) < 1e-4);
	}
	// what was bound is a character like any other, also as a file
	const again = supple.loadCharacter(bound.write(), 'bound.glb');
	const built = supple.buildFlesh(again, { method: 'position' });
	[built, again, bound, rig, statue].forEach((one) => one.destroy());
});

test('bakes, tells how far it is, and stops when asked', () => {
	const seen = [];
	const bake = supple.bake(flesh.position, { rate: 10, progress: (done, total) => seen.push([done, total]) });
	assert.equal(bake.report.complete, true);
	assert.ok(bake.report.looks.torn === 0 && ['good', 'still'].includes(bake.report.looks.verdict), JSON.stringify(bake.report.looks));
	assert.equal(seen.length, bake.report.frameCount);
	const pc2 = bake.pc2();
	assert.equal(new TextDecoder().decode(pc2.subarray(0, 11)), 'POINTCACHE2');
	assert.equal(pc2.length, 32 + bake.report.frameCount * tube.describe().meshes[0].vertexCount * 12);
	const glb = bake.glb();
	const back = supple.loadCharacter(glb, 'baked.glb');
	assert.equal(back.describe().meshes[0].vertexCount, tube.describe().meshes[0].vertexCount);
	assert.equal(new TextDecoder().decode(bake.mdd().subarray(0, 0)), '');
	const shares = [];
	const skinned = supple.loadCharacter(bake.bonesGlb({ helpers: 4, progress: (done) => shares.push(done) }), 'bones.glb');
	const added = skinned.describe().nodes.length - tube.describe().nodes.length;
	assert.ok(added > 0 && added <= 4, `${added} helper bones`);
	assert.ok(shares.length > 3 && shares.at(-1) <= 100);
	assert.throws(() => bake.bonesGlb({ helpers: 5000 }), /0 to 1024/);
	skinned.destroy();
	const stopped = supple.bake(flesh.position, { rate: 10, progress: (done) => done < 3 });
	assert.deepEqual([stopped.report.complete, stopped.report.frameCount], [false, 3]);
	assert.throws(() => supple.bake(flesh.position, { clip: 'Nothing' }), /no clip/);
	assert.throws(() => supple.bake(flesh.position, { rate: 0 }), SuppleError);
	[bake, stopped, back].forEach((one) => one.destroy());
});

test('errors have the words of the library', () => {
	const refused = (call, message, code) => assert.throws(call, (error) => {
		assert.ok(error instanceof SuppleError && !error.message.includes('/tmp/'), error.message);
		assert.match(error.message, message);
		assert.equal(error.code, code);
		return true;
	});
	const bytes = (text) => new TextEncoder().encode(text);
	refused(() => supple.loadBuiltin('dragon'), /unknown built-in character "dragon"/, 'argument');
	refused(() => supple.loadCharacter(new Uint8Array(0), 'empty.glb'), /empty/, 'format');
	refused(() => supple.loadCharacter(bytes('{"asset":{"version":"2.0"},"buffers":[{"uri":"far.bin","byteLength":4}]}'), 'a.gltf'), /far\.bin/, 'not-found');
	refused(() => supple.loadCharacter(bytes('{ "asset": '), 'cut.gltf'), /line 1, column 11: .*invalid JSON/, 'format');
	refused(() => supple.loadCharacter(bytes('Kaydara FBX Binary  '), 'a.fbx'), /supple convert/, 'unsupported');
	refused(() => supple.buildFlesh(tube, { method: 'magic' }), /settings: method: is none of/, 'format');
	refused(() => supple.buildFlesh(tube, { parameters: { nonsense: 1 }, method: 'position' }), /no parameter/, 'format');
	refused(() => supple.readFlesh(tube, bytes('not a flesh file at all')), /./, 'format');
	const damaged = flesh.position.write();
	damaged[damaged.length >> 1] ^= 255;
	assert.throws(() => supple.readFlesh(tube, damaged), SuppleError);
	const ball = supple.loadBuiltin('tube5');
	assert.throws(() => supple.readFlesh(ball, flesh.position.write()), SuppleError);
	ball.destroy();
	const { scene } = stage('lbs');
	assert.throws(() => scene.step(NaN), SuppleError);
	scene.destroy();
	assert.throws(() => scene.step(0.1), /destroyed/);
	scene.destroy();
});

test('views after memory has grown', () => {
	const { scene, actor } = stage('position');
	const before = actor.positions();
	const first = before[0];
	const buffer = supple.module.HEAPU8.buffer;
	const blocks = [];
	while (supple.module.HEAPU8.buffer === buffer) {
		blocks.push(supple.module._supWeb_Allocate(16 << 20));
	}
	assert.equal(before.length, 0, 'an old view is gone');
	assert.equal(actor.positions()[0], first);
	blocks.forEach((block) => supple.module._supWeb_Free(block));
	scene.destroy();
});

test('out of memory is an error, and nothing is broken', () => {
	const blocks = [];
	for (let size = 256 << 20; size >= 1 << 16; ) {
		const block = supple.module._supWeb_Allocate(size);
		if (block === 0) {
			size >>= 1;
		} else {
			blocks.push(block);
		}
	}
	assert.throws(() => supple.buildFlesh(tube, { method: 'position' }), { name: 'SuppleError', code: 'memory' });
	blocks.forEach((block) => supple.module._supWeb_Free(block));
	supple.buildFlesh(tube, { method: 'position' }).destroy();
});

test('made and destroyed fifty times, nothing is left', () => {
	const round = (method) => {
		const character = supple.loadCharacter(tube.write(), 'tube.glb');
		const built = supple.buildFlesh(character, { method, parameters: coarse[method] ?? {} });
		built.elements({ layers: false });
		const scene = supple.createScene();
		scene.addFloor(-1);
		const actor = scene.addActor(built);
		actor.play(0);
		scene.step(1 / 60);
		actor.heat('stretch');
		const bake = supple.bake(built, { rate: 5, to: 0.4 });
		bake.pc2();
		[bake, scene, built, character].forEach((one) => one.destroy());
	};
	// once before it counts: what is kept for good is made then
	const names = Object.keys(flesh);
	names.forEach(round);
	const used = supple.module._supWeb_UsedMemory();
	const files = supple.module.FS.readdir('/tmp').length;
	for (let i = 0; i < 50; ++i) {
		round(i < names.length ? names[i] : 'lbs');
	}
	assert.equal(supple.module._supWeb_UsedMemory(), used);
	assert.equal(supple.module.FS.readdir('/tmp').length, files);
});

test('with threads: the same bits', async () => {
	const threaded = await createSupple({ threads: 2 });
	assert.equal(threaded.threads, 2);
	const other = threaded.loadBuiltin('tube');
	const built = threaded.buildFlesh(other, { method: 'position', parameters: coarse.position });
	const scene = threaded.createScene();
	const actor = scene.addActor(built);
	const { scene: plainScene, actor: plain } = stage('position');
	for (const [one, where] of [[actor, scene], [plain, plainScene]]) {
		one.play(0);
		steps(where, 10);
	}
	assert.equal(largestDifference(plain.positions(), actor.positions()), 0);
	[scene, built, other, plainScene].forEach((one) => one.destroy());
	threaded.destroy();
});

// Where a place that castRay found is now.
function drawn(actor, { instance, vertices, weights }) {
	const p = actor.positions(instance);
	return [0, 1, 2].map((axis) => vertices.reduce((sum, vertex, k) => sum + weights[k] * p[3 * vertex + axis], 0));
}

// The skin in front, a bit above the middle.
function front(actor) {
	const [low, high] = tube.describe().size;
	return actor.castRay([0, low[1] + 0.6 * (high[1] - low[1]), 3], [0, 0, -1]);
}

for (const method of soft) {
	test(`${method}: attachments hold the drawn skin, are made and cut while it runs`, () => {
		const { scene, actor } = stage(method);
		const hit = front(actor);
		steps(scene, 3);
		const at = drawn(actor, hit);
		const nail = scene.attach({ name: 'nail', places: [{ actor, hit }, { at }] });
		for (let i = 1; i <= 20; ++i) {
			const target = [at[0], at[1], at[2] + 0.001 * i];
			nail.movePlace(1, target);
			scene.step(1 / 60);
			const error = distance(drawn(actor, hit), target);
			assert.ok(error < 1e-5, `${error}`);
			assert.ok(Math.abs(nail.gap - error) < 1e-6);
		}
		assert.ok(nail.active && !nail.broken && Math.hypot(...nail.force) > 0);
		nail.active = false;
		steps(scene, 30);
		assert.ok(distance(drawn(actor, hit), at) < 0.019 && nail.gap === 0);
		nail.cut();
		nail.cut();
		assert.ok(!nail.exists);
		assert.throws(() => nail.gap, SuppleError);
		scene.destroy();
	});
}

test('attachments of every kind, and places of every kind', () => {
	const { scene, actor } = stage('position');
	const other = scene.addActor(flesh.points);
	const hit = front(actor);
	const at = hit.position;
	const inside = [at[0], at[1], at[2] - 0.1]; // deeper than the first attachment dents the skin
	const node = tube.describe().nodes.findIndex(({ isJoint }) => isJoint);
	const kinds = [
		{ places: [{ actor, near: at }, { actor: other, node }], slack: 0.5 },
		{ places: [{ actor, inside }, { at: inside }] },
		{ kind: 'slide', places: [{ actor: other, hit: front(other) }, { actor, hit }] },
		{ kind: 'velocity', places: [{ actor, hit, radius: 0.05 }], velocity: [0, 0.01, 0] },
		{ kind: 'line', places: [{ actor, hit }, { at }, { at: [at[0], at[1] + 0.1, at[2]] }] },
		{ kind: 'triangle', places: [{ actor, hit }, { at }, { at: [at[0] + 0.1, at[1], at[2]] }, { at: [at[0], at[1] + 0.1, at[2]] }] },
		{ places: [{ actor, hit }, { at }], assembly: 0.2, breakingForce: 1e-6 },
	];
	for (const def of kinds) {
		const one = scene.attach(def);
		steps(scene, 2);
		assert.ok(Number.isFinite(one.gap) && one.force.every(Number.isFinite), JSON.stringify(def.kind));
		one.cut();
	}
	const weak = scene.attach({ places: [{ actor, hit }, { at: [at[0], at[1], at[2] + 0.05] }], breakingForce: 1e-3 });
	steps(scene, 2);
	assert.ok(weak.broken && !weak.active);
	scene.destroy();
});

test('attachments refuse what cannot be held, and end with their actor', () => {
	const { scene, actor } = stage('position');
	const stranger = stage('position');
	const hit = front(actor);
	const place = { actor, hit };
	const world = { at: hit.position };
	const bad = [
		{ kind: 'glue', places: [place, world] },
		{ places: [place] },
		{ places: [place, place] },
		{ places: [world, { at: [0, 0, 0] }] },
		{ places: [place, { at: [NaN, 0, 0] }] },
		{ places: [place, { actor: stranger.actor, near: hit.position }] },
		{ places: [world, { actor, inside: [50, 50, 50] }] },
		{ places: [world, { actor, hit: { ...hit, vertices: [1e6, 0, 0] } }] },
		{ places: [place, { actor, node: 1000 }] },
		{ places: [place, world], breakingForce: 0 },
		{ places: [place, world], slack: NaN },
		{ kind: 'slide', places: [place, world] },
		{ places: Array.from({ length: 65 }, () => world) },
	];
	for (const def of bad) {
		assert.throws(() => scene.attach(def), SuppleError, JSON.stringify({ ...def, places: undefined }));
	}
	const nail = scene.attach({ places: [place, world] });
	assert.throws(() => nail.movePlace(0, [0, 0, 0]), SuppleError);
	assert.throws(() => nail.movePlace(1, [0, NaN, 0]), SuppleError);
	actor.destroy();
	assert.ok(!nail.exists);
	scene.step(1 / 60);
	scene.destroy();
	stranger.scene.destroy();
});
