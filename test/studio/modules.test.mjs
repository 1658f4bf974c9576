// SPDX-License-Identifier: MIT
// modules.test.mjs: designs, their history, the brush, rays and weights of the studio, against what they must be.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Painting } from '../../web/studio/src/brush.js';
import {
	compareDesigns,
	emptyDesign,
	fromSettings,
	setParameter,
	setRegion,
	toSettings,
	toText,
} from '../../web/studio/src/design.js';
import { Feed } from '../../web/studio/src/feed.js';
import { sortFiles } from '../../web/studio/src/files.js';
import { History } from '../../web/studio/src/history.js';
import { castRay } from '../../web/studio/src/ray.js';
import { Store } from '../../web/studio/src/store.js';
import { weightsOf } from '../../web/studio/src/weights.js';

const table = {
	name: 'position',
	parameters: [
		{ name: 'frequency', standard: 4, live: true },
		{ name: 'tets', standard: 8000, live: false },
	],
};

test('a take of a tracker has rising times, whatever its clock does', () => {
	const feed = new Feed(() => {});
	feed.record(true);
	const pose = (value) => Float32Array.of(value, 0);
	// a repeated frame, one that comes late, and a clock that begins anew
	[[5, 1], [5.1, 2], [5.1, 3], [5.05, 4], [5.2, 5], [0.5, 6], [0.6, 7]].forEach(([time, value]) => feed.take.push([time, pose(value)]));
	const { times, poses } = feed.record(false);
	assert.deepEqual(Array.from(poses.filter((_, i) => i % 2 === 0)), [1, 2, 5, 6, 7]);
	const wanted = [0, 0.1, 0.2, 0.2 + 1 / 30, 0.3 + 1 / 30];
	wanted.forEach((time, i) => assert.ok(Math.abs(times[i] - time) < 1e-5, `${i}: ${times[i]} s`));
	feed.record(true);
	assert.equal(feed.record(false), null);
});

test('a scene file is told from settings', async () => {
	const bytes = (value) => new TextEncoder().encode(JSON.stringify(value));
	const sorted = await sortFiles([
		{ name: 'show/scene.json', bytes: bytes({ supple_scene: 1, name: 'Show', actors: [] }) },
		{ name: 'show/soft.json', bytes: bytes({ method: 'fem' }) },
	]);
	assert.equal(sorted.scene.label, 'Show');
	assert.deepEqual(Object.keys(sorted.scene.files).sort(), ['scene.json', 'soft.json']);
	assert.deepEqual(sorted.settings.map(({ value }) => value), [{ method: 'fem' }]);
});

test('a design becomes settings and comes back', () => {
	let design = emptyDesign('position');
	assert.deepEqual(toSettings(design), { method: 'position' });
	design = setParameter(design, 'position', 'frequency', 2, 4);
	design = setParameter(design, 'fem', 'stiffness', 3, 1);
	design = {
		...design,
		regions: [{ name: 'ears', shape: 'joint', joint: 'Ear', softness: 0.5 }],
		paint: [null, Float32Array.of(0, 0.25, 1)],
		tissues: { fat: { stiffness: 2000 } },
	};
	const settings = toSettings(design);
	assert.deepEqual(settings.parameters, { frequency: 2 });
	assert.deepEqual(toSettings(design, 'fem').parameters, { stiffness: 3 });
	assert.deepEqual(JSON.parse(toText(settings)), settings);
	// a line for all vertices, not one for each
	assert.ok(toText(settings).split('\n').length < 40);
	assert.deepEqual(fromSettings(JSON.parse(toText(settings)), emptyDesign('lbs')), {
		...design,
		parameters: { position: { frequency: 2 } },
	});
	assert.deepEqual(toSettings(setParameter(design, 'position', 'frequency', 4, 4)).parameters, undefined);
});

test('only what flesh is made of builds it anew', () => {
	const before = { ...emptyDesign('position'), regions: [{ shape: 'all', softness: 1 }] };
	const live = compareDesigns(before, setParameter(before, 'position', 'frequency', 2, 4), 'position', table);
	assert.deepEqual(live, { build: false, parameters: [{ name: 'frequency', value: 2 }], regions: [] });
	assert.equal(
		compareDesigns(before, setParameter(before, 'position', 'tets', 100, 8000), 'position', table).build,
		true,
	);
	// of another method: nothing to do
	assert.equal(
		compareDesigns(before, setParameter(before, 'fem', 'tets', 100, 8000), 'position', table).build,
		false,
	);
	const swing = compareDesigns(before, setRegion(before, 0, { frequency: 3 }), 'position', table);
	assert.deepEqual(swing, { build: false, parameters: [], regions: [{ region: 0, frequency: 3, damping: 0 }] });
	assert.equal(compareDesigns(before, setRegion(before, 0, { softness: 0.5 }), 'position', table).build, true);
	assert.equal(compareDesigns(before, { ...before, paint: [Float32Array.of(1)] }, 'position', table).build, true);
});

test('history: what belongs together is one step, undo and redo are exact', () => {
	const store = new Store({ design: 0, canUndo: false, canRedo: false });
	const history = new History(store);
	[1, 2, 3].forEach((value) => history.edit('slider', value));
	history.edit('stroke', 4);
	history.undo();
	assert.equal(store.values.design, 3);
	history.undo();
	assert.deepEqual([store.values.design, store.values.canUndo, store.values.canRedo], [0, false, true]);
	history.redo();
	history.redo();
	history.redo();
	assert.deepEqual([store.values.design, store.values.canRedo], [4, false]);
	history.undo();
	history.edit('other', 9);
	assert.equal(store.values.canRedo, false);
	history.revert(3);
	assert.equal(store.values.design, 3);
	history.undo();
	assert.equal(store.values.design, 0);
});

/** A grid of (2 n + 1)² vertices over [-1, 1]², with a second copy of its middle row: a seam. */
function makeGrid(n) {
	const width = 2 * n + 1;
	const places = [];
	for (let y = -n; y <= n; ++y) {
		for (let x = -n; x <= n; ++x) {
			places.push(x / n, y / n, 0);
		}
	}
	const seam = places.length / 3;
	for (let x = 0; x < width; ++x) {
		places.push(...places.slice(3 * (n * width + x), 3 * (n * width + x) + 3));
	}
	// above the middle the copies are used
	const vertex = (x, y, isAbove) => (y === n && isAbove ? seam + x : y * width + x);
	const indices = [];
	for (let y = 0; y < 2 * n; ++y) {
		for (let x = 0; x < 2 * n; ++x) {
			const [a, b, c, d] = [
				vertex(x, y, y >= n),
				vertex(x + 1, y, y >= n),
				vertex(x + 1, y + 1, y >= n),
				vertex(x, y + 1, y >= n),
			];
			indices.push(a, b, c, a, c, d);
		}
	}
	const count = places.length / 3;
	const rest = Float32Array.from([...places, ...Array.from({ length: count }, () => [0, 0, 1]).flat()]);
	const mesh = { vertexCount: count, indices: Uint32Array.from(indices), softness: null };
	const description = {
		meshes: [mesh],
		instances: [{ mesh: 0 }],
		size: [
			[-1, -1, 0],
			[1, 1, 0],
		],
	};
	return { character: { description, rest }, seam, width, n };
}

test('the brush: inside its radius only, mirrored, seams closed, within 0 and 1', () => {
	const { character, seam, width, n } = makeGrid(10);
	const painting = new Painting(character, [], null);
	// on the seam, to the right of the middle
	const hit = { instance: 0, corners: [n * width + 15, 0, 1], weights: [1, 0, 0] };
	const brush = { radius: 0.3, strength: 0.8, mode: 'soften', mirror: true };
	painting.dab(hit, brush);
	const [values] = painting.finish();
	for (let i = 0; i < seam; ++i) {
		const [x, y] = [character.rest[3 * i], character.rest[3 * i + 1]];
		const distance = Math.hypot(Math.abs(x) - 0.5, y);
		// on its border either is right
		if (Math.abs(distance - 0.3) > 1e-5) {
			assert.equal(values[i] > 0, distance < 0.3, `vertex ${i} at ${x}, ${y}`);
		}
		const other = Math.floor(i / width) * width + (width - 1 - (i % width));
		assert.ok(Math.abs(values[i] - values[other]) < 1e-6);
	}
	for (let x = 0; x < width; ++x) {
		assert.equal(values[seam + x], values[n * width + x]);
	}
	for (let i = 0; i < 50; ++i) {
		painting.dab(hit, brush);
	}
	assert.ok(painting.flatten().every((value) => value >= 0 && value <= 1));
	const spread = (all) => Math.max(...all) - Math.min(...all);
	const before = spread(painting.flatten());
	for (let i = 0; i < 200; ++i) {
		painting.dab(hit, { ...brush, radius: 3, mode: 'smooth' });
	}
	assert.ok(spread(painting.flatten()) < 0.5 * before);
	for (let i = 0; i < 100; ++i) {
		painting.dab(hit, { ...brush, radius: 3, mode: 'erase' });
	}
	assert.ok(Math.max(...painting.flatten()) < 0.05);
});

test('rays: the nearest triangle that faces them, with its weights', () => {
	const quad = (z) => [-1, -1, z, 1, -1, z, 1, 1, z, -1, 1, z];
	const array = Float32Array.from([...quad(0), ...quad(-1)]);
	const indices = Uint32Array.of(4, 5, 6, 4, 6, 7, 0, 1, 2, 0, 2, 3);
	const body = { parts: [{ drawn: { geometry: { attributes: { position: { array } } } }, indices }] };
	const direction = [0.1, 0.05, -1];
	const hit = castRay(body, [0.2, -0.1, 5], direction);
	assert.equal(hit.instance, 0);
	assert.ok(Math.abs(hit.distance - 5) < 1e-6);
	const again = [0, 1, 2].map((axis) =>
		hit.corners.reduce((sum, corner, i) => sum + hit.weights[i] * array[3 * corner + axis], 0),
	);
	again.forEach((value, axis) => assert.ok(Math.abs(value - hit.position[axis]) < 1e-6));
	assert.equal(castRay(body, [0, 0, -5], [0, 0, 1]), null);
	assert.equal(castRay(body, [3, 0, 5], [0, 0, -1]), null);
});

test("weights of a joint, through the skin's own order of joints", () => {
	const description = {
		meshes: [
			{
				vertexCount: 2,
				influences: 2,
				joints: Uint16Array.of(0, 1, 1, 0),
				weights: Float32Array.of(0.75, 0.25, 1, 0),
			},
		],
		instances: [{ mesh: 0, skin: 0, node: 9 }],
		skins: [{ joints: [5, 3] }],
	};
	assert.deepEqual([...weightsOf(description, 5)], [0.75, 0]);
	assert.deepEqual([...weightsOf(description, 3)], [0.25, 1]);
	assert.deepEqual([...weightsOf(description, 4)], [0, 0]);
});

test('files are sorted by what they are for', async () => {
	const text = (value) => new TextEncoder().encode(value);
	const sorted = await sortFiles([
		{ name: 'Alien/Alien.gltf', bytes: text('{}') },
		{ name: 'Alien/textures/skin.png', bytes: text('p') },
		{ name: 'walk.bvh', bytes: text('HIERARCHY') },
		{ name: 'soft.json', bytes: text('{ "method": "fem" }') },
	]);
	assert.equal(sorted.character.name, 'Alien.gltf');
	assert.ok('textures/skin.png' in sorted.character.files);
	assert.equal(sorted.motions[0].name, 'walk.bvh');
	assert.deepEqual(sorted.settings[0].value, { method: 'fem' });
	await assert.rejects(sortFiles([{ name: 'a.txt', bytes: text('') }]), /a\.txt: not a file of a character/);
	await assert.rejects(sortFiles([{ name: 'b.json', bytes: text('{') }]), /^Error: b\.json: /);
});
