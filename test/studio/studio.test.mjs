// SPDX-License-Identifier: MIT
// node --test studio.test.mjs: the studio in a real Chromium, served by `supple studio`. SUPPLE names the program, SUPPLE_STUDIO
// the folder of the page, SUPPLE_ASSETS that of real characters (tests that need them skip where it is missing),
// SCREENSHOTS a folder to leave pictures in.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { launchBrowser, serveStudio, settle as settleIn } from '../../web/browser.mjs';
import { compressGlb, cylinderObj } from './files.mjs';
import { gallery } from './gallery.mjs';
import { newcomer } from './newcomer.mjs';

const root = join(import.meta.dirname, '../..');
const validator = createRequire(join(root, 'test/readers/package.json'))('gltf-validator');
const supple = process.env.SUPPLE ?? join(root, 'build/supple');
const folder = resolve(process.env.SUPPLE_STUDIO ?? join(root, 'build/web/studio'));
const assets = process.env.SUPPLE_ASSETS ?? join(root, '../shared/assets');
const screenshots = process.env.SCREENSHOTS;
const work = mkdtempSync(join(tmpdir(), 'supple-studio-'));
const methods = ['lbs', 'dqs', 'position', 'lattice', 'points', 'layered', 'fem', 'modes'];
// machines without a graphics card draw on the processor, beside the solver
const patience = 60000;

let server, base, secret, browser, context, page;
let complaints = [];

before(async () => {
	server = await serveStudio(supple, folder);
	base = server.address;
	secret = server.secret;
	browser = await launchBrowser();
	context = await browser.newContext({ viewport: { width: 900, height: 600 } });
	// the tour has a test of its own
	await context.addInitScript(() => localStorage.setItem('supple.tour', localStorage.getItem('supple.tour') ?? 'seen'));
	page = await open(context, base);
});

after(async () => {
	await browser?.close();
	server?.close();
	rmSync(work, { recursive: true, force: true });
});

/** A tab in which whatever goes wrong is noted. */
async function open(from, address) {
	const tab = await from.newPage();
	tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
	tab.on('pageerror', (error) => complaints.push(String(error)));
	await tab.goto(address);
	await settle(tab);
	return tab;
}

const settle = (tab = page, frames = 3) => settleIn(tab, frames, patience);

async function look(name) {
	if (screenshots) {
		mkdirSync(screenshots, { recursive: true });
		await page.screenshot({ path: join(screenshots, `${name}.png`) });
	}
}

const positions = async (tab = page) => Float32Array.from(await tab.evaluate(() => window.studio.positions()));

function farthest(a, b) {
	assert.equal(a.length, b.length);
	let most = 0;
	for (let i = 0; i < a.length; i += 3) {
		most = Math.max(most, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
	}
	return most;
}

function extent(values) {
	let [least, most] = [Infinity, -Infinity];
	for (let i = 1; i < values.length; i += 3) {
		assert.ok(Number.isFinite(values[i]), 'a position is not a number');
		least = Math.min(least, values[i]);
		most = Math.max(most, values[i]);
	}
	return most - least;
}

/** Drops files onto the page as a hand would. */
async function drop(...paths) {
	const files = paths.map((path) => ({ name: path.split('/').at(-1), bytes: readFileSync(path).toString('base64') }));
	await page.evaluate(async (list) => {
		const data = new DataTransfer();
		for (const { name, bytes } of list) {
			data.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
		}
		for (const type of ['dragenter', 'dragover', 'drop']) {
			window.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
		}
	}, files);
}

/** The bunny with flesh of so many tetrahedra that a step takes little, which it keeps from test to test. */
async function bunny(method = 'position') {
	if ((await page.evaluate(() => window.studio.state.character.label)) !== 'bunny') {
		// it comes with the method that is chosen: one that has nothing to build
		await page.evaluate(() => window.studio.edit({ method: 'dqs' }));
		await page.evaluate(() => window.studio.openBuiltin('bunny'));
	}
	const design = { method, parameters: { position: { tets: 1500 } }, regions: [], paint: [] };
	await page.evaluate((fields) => window.studio.edit(fields), design);
	await settle();
}

/** Stops it in a pose, at rest, and waits until that is what is seen. */
async function freeze(time = 0.3) {
	await page.evaluate(async (moment) => {
		const { studio } = window;
		studio.set({ playing: false });
		// not as it was played there
		await studio.simulation.request('seek', { time: moment, rest: true });
		for (let frame = -1; frame !== studio.frame; ) {
			frame = studio.frame;
			await new Promise((resolve) => setTimeout(resolve, 250));
		}
	}, time);
	return positions();
}

/** Waits until every vertex is as near as `bound` to where it was. */
async function goesBack(before, bound) {
	const isBack = ({ list, most }) => window.studio.positions().every((value, i) => Math.abs(value - list[i]) < most);
	await page.waitForFunction(isBack, { list: Array.from(before), most: bound }, { timeout: patience, polling: 100 });
}

/** The vertex of the middle of the belly: as far forward as it gets, a third up; and where it is on the page. */
async function belly(rest) {
	let vertex = 0;
	const half = extent(rest) * 0.35;
	for (let i = 0; i < rest.length / 3; ++i) {
		const score = (k) => rest[3 * k + 2] - 3 * Math.abs(rest[3 * k]) - 2 * Math.abs(rest[3 * k + 1] - half);
		vertex = score(i) > score(vertex) ? i : vertex;
	}
	const [x, y] = await page.evaluate((v) => window.studio.locate(v), vertex);
	return { vertex, x, y };
}

/** Presses a button of a panel: the bytes of the file that is saved. */
async function save(name) {
	const [saved] = await Promise.all([
		page.waitForEvent('download', { timeout: patience }),
		page.getByRole('button', { name }).click(),
	]);
	return { name: saved.suggestedFilename(), bytes: readFileSync(await saved.path()) };
}

/** The clip of the page, baked there: the bytes of the first file. */
async function bake(format) {
	const text = await page.evaluate(async (kind) => {
		const [file] = await window.studio.bake({ format: kind, rate: 12, loop: false });
		let bytes = '';
		new Uint8Array(file).forEach((byte) => (bytes += String.fromCharCode(byte)));
		return btoa(bytes);
	}, format);
	return Buffer.from(text, 'base64');
}

const asset = (path) => join(assets, path);
const needs = (...paths) => (paths.every((path) => existsSync(asset(path))) ? {} : { skip: 'no real characters here' });

test('the bunny walks and jiggles, on several threads', async () => {
	assert.equal(await page.evaluate(() => self.crossOriginIsolated), true);
	const { label, playing } = await page.evaluate(() => {
		const { character, playing } = window.studio.state;
		return { label: character.label, playing };
	});
	assert.match(String(label), /bunny/i);
	assert.equal(playing, true);
	const one = await positions();
	assert.ok(one.length > 3 * 9000);
	await settle(page, 5);
	assert.ok(farthest(one, await positions()) > 0.005, 'nothing moves');
	await look('start');
});

test('every method moves the bunny, and none tears it', async () => {
	for (const method of methods) {
		await page.keyboard.press(String(methods.indexOf(method) + 1));
		await settle();
		assert.equal(await page.evaluate(() => window.studio.state.design.method), method);
		const one = await positions();
		await settle(page, 4);
		const two = await positions();
		assert.ok(farthest(one, two) > 1e-4, `${method} stands still`);
		assert.ok(extent(two) > 0.5 && extent(two) < 3, `${method}: ${extent(two)} m high`);
		await look(`method-${method}`);
	}
});

test('flesh that is pulled comes along, and goes back', async () => {
	await bunny();
	// a pause stops flesh in the middle of a swing: at rest, that is what it goes back to
	const rest = await freeze();
	await page.keyboard.press('g');
	const { x, y } = await belly(rest);
	await page.mouse.move(x, y);
	await page.mouse.down();
	await page.mouse.move(x + 120, y - 40, { steps: 5 });
	await settle(page, 10);
	const pulled = farthest(rest, await positions());
	await look('pulled');
	await page.mouse.up();
	assert.ok(pulled > 0.02, `pulled by ${pulled} m`);
	await goesBack(rest, 0.1 * pulled);
});

test('two places are tied, show gap and force, and are cut', async () => {
	const rest = await freeze();
	await page.keyboard.press('n');
	const { x, y } = await belly(rest);
	await page.mouse.click(x - 12, y);
	await page.waitForFunction(() => window.studio.state.ties.picked, null, { timeout: patience });
	await page.mouse.click(x + 12, y);
	// the ends meet within the assembly time, and pull at the flesh
	await page.waitForFunction(
		() => {
			const [tie] = window.studio.state.ties.list;
			return tie && tie.gap < 1e-4 && tie.force > 0.01;
		},
		null,
		{ timeout: patience },
	);
	const tied = farthest(rest, await positions());
	await look('tied');
	assert.ok(tied > 0.01, `moved by ${tied} m`);
	assert.match(await page.locator('.row.tie').innerText(), /Tie 1\s+0\.\d+ mm\s+[\d.]+(e[+-]\d+)? N/);
	await page.getByRole('button', { name: 'Cut tie 1' }).click();
	await page.waitForFunction(() => window.studio.state.ties.list.length === 0, null, { timeout: patience });
	await goesBack(rest, 0.1 * tied);
	// one place, nailed to where it is
	await page.mouse.click(x, y);
	await page.getByRole('button', { name: 'Nail it here' }).click();
	await page.waitForFunction(() => window.studio.state.ties.list.length === 1, null, { timeout: patience });
	await page.getByRole('button', { name: 'Cut tie 2' }).click();
	await page.waitForFunction(() => window.studio.state.ties.list.length === 0, null, { timeout: patience });
});

test('a sphere that is pressed in dents the flesh', async () => {
	const rest = await freeze();
	await page.keyboard.press('p');
	const { vertex, x, y } = await belly(rest);
	await page.mouse.move(x, y);
	await page.mouse.down();
	// how deep, and how much of that is left
	const reaches = (share) =>
		page.waitForFunction(
			({ index, before, isIn, limit }) => before - window.studio.positions()[index] > limit === isIn,
			{ index: 3 * vertex + 2, before: rest[3 * vertex + 2], isIn: share === 1, limit: 0.03 * share },
			{ timeout: patience, polling: 50 },
		);
	await reaches(1);
	await look('poked');
	await page.mouse.up();
	await reaches(0.3);
});

test('balls that are thrown fly, hit, and are cleared away', async () => {
	const rest = await freeze();
	await page.keyboard.press('t');
	// heavy enough to be in touch for a while
	await page.evaluate(() => window.studio.set({ ball: { radius: 0.08, speed: 5, mass: 5 } }));
	const { vertex, x, y } = await belly(rest);
	await page.mouse.click(x, y);
	await page.waitForFunction(() => window.studio.balls().length === 1, null, { timeout: patience });
	// a ball is in touch for a few pictures only, so each is looked at
	const { flown, dent } = await page.evaluate(
		async ({ index, before }) => {
			const [start] = window.studio.balls();
			const end = performance.now() + 20000;
			let moved = 0;
			while (moved < 0.015 && performance.now() < end) {
				await new Promise(requestAnimationFrame);
				moved = before - window.studio.positions()[index];
			}
			const [ball] = window.studio.balls();
			return { flown: Math.hypot(...ball.map((value, i) => value - start[i])), dent: moved };
		},
		{ index: 3 * vertex + 2, before: rest[3 * vertex + 2] },
	);
	await look('thrown');
	assert.ok(flown > 0.5, `the ball flew ${flown} m`);
	assert.ok(dent > 0.015, `flesh moved ${dent} m`);
	await page.mouse.click(x, y - 60);
	await page.waitForFunction(() => window.studio.balls().length === 2, null, { timeout: patience });
	await page.keyboard.press('r');
	await page.waitForFunction(() => window.studio.balls().length === 0, null, { timeout: patience });
	await page.keyboard.press('o');
});

test('two methods side by side go in step, with curves of both', async () => {
	await page.evaluate(() => window.studio.set({ playing: true, tab: 'compare' }));
	await page.evaluate(() => window.studio.set({ compare: { on: true, method: 'dqs' } }));
	await settle(page, 8);
	const [left, right] = [await page.evaluate(() => window.studio.positions(0)), await page.evaluate(() => window.studio.positions(1))];
	assert.ok(farthest(left, right) > 0.001, 'both move as one');
	for (const [kind, unit] of [['Time of a step', 'ms'], ['Volume error', '%'], ['Energy', 'J']]) {
		const label = await page.locator(`canvas.plot[aria-label^="${kind}"]`).getAttribute('aria-label');
		// skinning has no flesh to measure
		assert.match(label, new RegExp(`: position -?[\\d.]+ ${unit}, dqs (-?[\\d.]+ ${unit}|–)`));
	}
	await look('compared');
	// one method twice: the same, wherever time goes
	await page.evaluate(() => window.studio.set({ compare: { on: true, method: 'position' } }));
	await settle();
	await freeze();
	const checksums = () => page.evaluate(() => [0, 1].map((view) => window.studio.checksum(view)));
	const [one, other] = await checksums();
	assert.equal(one, other);
	await page.evaluate(() => window.studio.simulation.request('step', {}));
	await page.waitForFunction((old) => window.studio.checksum(0) !== old, one, { timeout: patience });
	const [next, beside] = await checksums();
	assert.equal(next, beside);
	await page.keyboard.press('v');
	await page.evaluate(() => window.studio.set({ playing: true }));
	await settle();
});

test('a picture and a film are saved, and can be seen', async () => {
	await page.evaluate(() => window.studio.set({ tab: 'save' }));
	const picture = await save('Picture (PNG)');
	assert.equal(picture.name, 'bunny-position.png');
	assert.equal(picture.bytes.toString('latin1', 1, 4), 'PNG');
	assert.ok(picture.bytes.readUInt32BE(16) > 100, 'a small picture');
	await page.getByLabel('Length').selectOption('2');
	const film = await save('Film (WebM)');
	assert.equal(film.name, 'bunny-position.webm');
	const played = await page.evaluate(async (text) => {
		const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
		const video = document.createElement('video');
		video.muted = true;
		video.src = URL.createObjectURL(new Blob([bytes], { type: 'video/webm' }));
		await video.play();
		await new Promise((resolve, reject) => Object.assign(video, { onended: resolve, onerror: reject }));
		return { seconds: video.currentTime, width: video.videoWidth, height: video.videoHeight };
	}, film.bytes.toString('base64'));
	assert.ok(played.seconds > 1 && played.width > 100 && played.height > 100, JSON.stringify(played));
	await page.evaluate(() => window.studio.set({ tab: 'flesh' }));
});

test('softness is the first slider, and presets set it', async () => {
	await bunny();
	const first = () =>
		page.evaluate(() => {
			const panel = document.querySelector('[aria-label=Presets]').closest('.panel-body');
			return panel.querySelector('input[type=range]').getAttribute('aria-label');
		});
	for (const method of ['lattice', 'position']) {
		await page.evaluate((name) => window.studio.edit({ method: name }), method);
		await page.waitForFunction((name) => window.studio.settings.method === name, method, { timeout: patience });
		assert.equal(await first(), 'Softness', method);
	}
	await bunny();
	const before = await page.evaluate(() => JSON.stringify(window.studio.settings));
	await page.getByRole('group', { name: 'Presets' }).getByRole('button', { name: 'Jelly' }).click();
	await page.waitForFunction(() => window.studio.settings.parameters?.softness > 0.8, null, { timeout: patience });
	await page.keyboard.press('Control+z');
	await page.waitForFunction((old) => JSON.stringify(window.studio.settings) === old, before, { timeout: patience });
	await settle();
});

test('a stroke of the brush changes what swings, and can be undone', async () => {
	await bunny();
	const before = await page.evaluate(() => JSON.stringify(window.studio.settings));
	const motion = await bake('pc2');
	await page.keyboard.press('b');
	const vertex = await page.evaluate(() => {
		const p = window.studio.positions();
		let best = 0;
		for (let i = 0; i < p.length / 3; ++i) {
			best = p[3 * i + 2] - 3 * Math.abs(p[3 * i]) > p[3 * best + 2] - 3 * Math.abs(p[3 * best]) ? i : best;
		}
		return best;
	});
	const [x, y] = await page.evaluate((v) => window.studio.locate(v), vertex);
	await page.keyboard.down('Control');
	await page.mouse.move(x, y);
	await page.mouse.down();
	await page.mouse.move(x + 30, y + 30, { steps: 5 });
	await page.mouse.up();
	await page.keyboard.up('Control');
	await page.waitForFunction((old) => JSON.stringify(window.studio.settings) !== old, before, { timeout: patience });
	await settle();
	const { softness } = await page.evaluate(() => window.studio.settings);
	assert.ok(softness?.some(({ shape, values }) => shape === 'values' && values.some((v) => v === 0)), 'nothing was painted');
	await look('painted');
	const painted = await bake('pc2');
	assert.equal(painted.length, motion.length);
	assert.ok(!painted.equals(motion), 'it moves as before');
	await page.keyboard.press('Control+z');
	await page.waitForFunction((old) => JSON.stringify(window.studio.settings) === old, before, { timeout: patience });
	await page.keyboard.press('o');
	await settle();
});

test('what is baked here is what the command line bakes, and a valid file', async () => {
	await bunny();
	await page.evaluate(() => window.studio.edit({ parameters: { position: { frequency: 2.5 } } }));
	await settle();
	const settings = await page.evaluate(() => window.studio.settings);
	const cache = await bake('pc2');
	const clip = await page.evaluate(() => {
		const { clips, clip } = window.studio.state;
		return clips[clip].name;
	});
	writeFileSync(join(work, 'settings.json'), JSON.stringify(settings));
	const arguments_ = ['bake', 'builtin:bunny', '--clip', clip, '--fps', '12', '--settings', 'settings.json', '-q', '-o', 'a.pc2'];
	execFileSync(supple, arguments_, { cwd: work });
	const files = execFileSync('ls', { cwd: work, encoding: 'utf8' }).split('\n').filter((name) => name.endsWith('.pc2'));
	const native = files.map((name) => readFileSync(join(work, name)));
	assert.ok(
		native.some((bytes) => bytes.equals(cache)),
		`not the bytes of any of ${files} (${cache.length} bytes)`,
	);

	const glb = await bake('glb');
	const report = await validator.validateBytes(new Uint8Array(glb));
	assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages.slice(0, 3)));
	assert.ok(report.info.hasMorphTargets && report.info.animationCount > 0);
	const skinned = await bake('bones');
	const bones = await validator.validateBytes(new Uint8Array(skinned));
	assert.equal(bones.issues.numErrors, 0, JSON.stringify(bones.issues.messages.slice(0, 3)));
	assert.ok(bones.info.hasSkins && !bones.info.hasMorphTargets && bones.info.animationCount === 1);
	assert.ok(skinned.length < 0.5 * glb.length, `${skinned.length} bytes, and ${glb.length} as morph targets`);
});

const characters = ['characters/Fox.glb', 'characters/RobotExpressive.glb', 'characters/fbx/maya_slime_7500_binary.fbx'];
test('real characters that are dropped come alive', needs(...characters), async () => {
	for (const path of characters) {
		await drop(asset(path));
		const name = path.split('/').at(-1).replace(/\.\w+$/, '');
		await page.waitForFunction((text) => window.studio.state.character.label.includes(text), name, { timeout: patience });
		await settle();
		const one = await positions();
		await settle(page, 4);
		const two = await positions();
		assert.ok(extent(two) > 0);
		assert.ok(farthest(one, two) > 0, `${name} stands still`);
		await look(`dropped-${name}`);
	}
});

const motion = 'motions/cmu_02_01_walk.bvh';
test('motion of another skeleton is put onto the character', needs(motion), async () => {
	await bunny('dqs');
	const count = await page.evaluate(() => window.studio.state.clips.length);
	await drop(asset(motion));
	await page.waitForFunction((n) => window.studio.state.clips.length > n, count, { timeout: patience });
	const one = await positions();
	await settle(page, 5);
	assert.ok(farthest(one, await positions()) > 0.005, 'nothing moves');
});

test('a file that cannot be read is told, and leaves everything as it is', async () => {
	writeFileSync(join(work, 'broken.glb'), 'glTF and then nothing that makes sense');
	await drop(join(work, 'broken.glb'));
	const alert = page.locator('.toast.error').last();
	await alert.waitFor({ timeout: patience });
	assert.match(await alert.innerText(), /broken\.glb/);
	assert.match(String(await page.evaluate(() => window.studio.state.character.label)), /bunny/i);
	await settle();
});

test('settings that are dropped are taken', async () => {
	writeFileSync(join(work, 'soft.json'), JSON.stringify({ method: 'lattice', parameters: { 'fat.frequency': 2 } }));
	await drop(join(work, 'soft.json'));
	await page.waitForFunction(() => window.studio.settings.method === 'lattice', null, { timeout: patience });
	await settle();
	assert.deepEqual(await page.evaluate(() => window.studio.settings.parameters), { 'fat.frequency': 2 });
});

test('compressed glTF is the same character', async () => {
	const plain = readFileSync(join(folder, 'data/tube.glb'));
	const packed = await compressGlb(plain);
	const places = [];
	for (const [name, bytes] of [['plain.glb', plain], ['packed.glb', packed]]) {
		writeFileSync(join(work, name), bytes);
		await drop(join(work, name));
		await page.waitForFunction((text) => window.studio.state.character.label === text, name, { timeout: patience });
		await page.evaluate(() => window.studio.edit({ method: 'dqs' }));
		await settle();
		places.push(await freeze(0.4));
	}
	assert.ok(extent(places[0]) > 0.1);
	assert.equal(farthest(...places), 0);
	await page.evaluate(() => window.studio.set({ playing: true }));
});

test('joints clicked into a mesh that has none become its skeleton', async () => {
	writeFileSync(join(work, 'pillar.obj'), cylinderObj({ radius: 0.15, height: 1.2 }));
	await drop(join(work, 'pillar.obj'));
	await page.waitForFunction(() => window.studio.state.character.label === 'pillar.obj', null, { timeout: patience });
	await settle(page, 0);
	assert.equal(await page.evaluate(() => window.studio.state.character.isRigged), false);
	await page.keyboard.press('j');
	// it stands still for that
	const isAtRest = () => {
		const { rest } = window.studio.state.character;
		return window.studio.positions().every((value, i) => Math.abs(value - rest[i]) < 2e-3);
	};
	await page.waitForFunction(isAtRest, null, { timeout: patience, polling: 100 });
	const surface = await positions();
	const heights = [0.22, 0.6, 1.05];
	for (const [i, height] of heights.entries()) {
		const score = (k) => surface[3 * k + 2] + 0.4 * surface[3 * k] - 9 * Math.abs(surface[3 * k + 1] - height);
		let vertex = 0;
		for (let k = 0; k < surface.length / 3; ++k) {
			vertex = score(k) > score(vertex) ? k : vertex;
		}
		await page.mouse.click(...(await page.evaluate((v) => window.studio.locate(v), vertex)));
		await page.waitForFunction((n) => window.studio.state.rig.joints.length === n, i + 1, { timeout: patience });
		const { place } = await page.evaluate((n) => window.studio.state.rig.joints[n], i);
		assert.ok(Math.hypot(place[0], place[2]) < 0.05, `joint ${i} is not in the middle: ${place}`);
		assert.ok(Math.abs(place[1] - height) < 0.1, `joint ${i} at height ${place[1]}`);
	}
	await look('joints');
	await page.getByRole('button', { name: 'Bind' }).click();
	await page.waitForFunction(() => window.studio.state.character.isRigged, null, { timeout: patience });
	await settle();
	const { joints, mesh } = await page.evaluate(() => {
		const { nodes, meshes, skins } = window.studio.state.character.description;
		const names = skins[0].joints.map((node) => nodes[node].name);
		const { influences, joints, weights } = meshes[0];
		return { joints: names, mesh: { influences, joints: Array.from(joints), weights: Array.from(weights) } };
	});
	assert.deepEqual(joints.toSorted(), ['joint0', 'joint1', 'joint2']);
	const last = joints.indexOf('joint2');
	for (let k = 0; k < surface.length / 3; ++k) {
		let [sum, top] = [0, 0];
		for (let i = k * mesh.influences; i < (k + 1) * mesh.influences; ++i) {
			sum += mesh.weights[i];
			top += mesh.joints[i] === last ? mesh.weights[i] : 0;
		}
		assert.ok(Math.abs(sum - 1) < 1e-5, `weights of vertex ${k} sum to ${sum}`);
		assert.ok(surface[3 * k + 1] > 0.3 || top < 0.5, `vertex ${k} at the bottom follows the top: ${top}`);
	}
	await page.evaluate((n) => window.studio.set({ see: { ...window.studio.state.see, heat: 'weights', joint: n } }), last);
	await look('weights');
	await page.evaluate(() => window.studio.set({ see: { ...window.studio.state.see, heat: 'off' } }));
});

test('keys play and pause, and a narrow window has no sideways scroll', async () => {
	const playing = () => page.evaluate(() => window.studio.state.playing);
	const was = await playing();
	await page.keyboard.press(' ');
	assert.equal(await playing(), !was);
	await page.keyboard.press(' ');
	assert.equal(await playing(), was);
	await page.setViewportSize({ width: 380, height: 720 });
	await settle();
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
	await look('narrow');
	await page.setViewportSize({ width: 900, height: 600 });
});

test('from a plain static host it runs on one thread, then on several, then offline', async () => {
	const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
	const missed = [];
	const plain = createServer((request, response) => {
		const path = new URL(request.url, 'http://x').pathname;
		// in a folder of the host: an address that is not relative leads out of it
		const file = join(folder, path === '/sub/' ? 'index.html' : path.slice(5));
		const isThere = path.startsWith('/sub/') && existsSync(file);
		if (!isThere) {
			missed.push(path);
		}
		response.writeHead(isThere ? 200 : 404, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' });
		response.end(isThere ? readFileSync(file) : '');
	});
	await new Promise((resolve) => plain.listen(0, '127.0.0.1', resolve));
	const host = `http://127.0.0.1:${plain.address().port}/sub/`;
	const tab = await open(context, `${host}?model=tube&isolate=no`);
	assert.equal(await tab.evaluate(() => self.crossOriginIsolated), false);
	assert.ok(extent(await positions(tab)) > 0);
	// the service worker adds the headers, and keeps what was fetched
	await tab.goto(`${host}?model=tube`);
	await tab.waitForFunction(() => self.crossOriginIsolated && window.studio, null, { timeout: patience });
	await settle(tab);
	assert.ok(extent(await positions(tab)) > 0);
	assert.deepEqual(
		missed.filter((path) => path !== '/favicon.ico'),
		[],
		'asked for outside of its folder',
	);
	// all of it is kept, what was never opened too
	const missing = () =>
		tab.evaluate(async () => {
			const cache = await caches.open('supple-studio');
			const wanted = await (await fetch('./files.json')).json();
			const kept = new Set((await cache.keys()).map(({ url }) => url));
			return wanted.filter((name) => !kept.has(new URL(name, document.baseURI).href));
		});
	const end = performance.now() + patience;
	while ((await missing()).length > 0 && performance.now() < end) {
		await new Promise((resolve) => setTimeout(resolve, 500));
	}
	assert.deepEqual(await missing(), [], 'not kept');
	plain.close();
	plain.closeAllConnections();
	await tab.reload();
	await settle(tab);
	assert.ok(extent(await positions(tab)) > 0, 'nothing offline');
	await tab.goto(`${host}?scene=tail`);
	await tab.waitForFunction(() => window.studio?.state.character?.source.scene === 'tail', null, { timeout: patience });
	await settle(tab);
	await tab.close();
	// the search for a newer version finds nobody
	complaints = complaints.filter((text) => !/ERR_FAILED|ERR_CONNECTION_REFUSED/.test(text));
});

const shared = {
	page: () => page,
	base: () => base,
	folder,
	axe: createRequire(join(root, 'web/package.json')).resolve('axe-core/axe.min.js'),
	work,
	supple,
	patience,
	open,
	settle,
	positions,
	farthest,
	extent,
	drop,
	bunny,
	belly,
	freeze,
	goesBack,
	save,
	look,
	asset,
	needs,
	screenshots,
	secret: () => secret,
	// what a test brings about on purpose
	forgive: (pattern) => (complaints = complaints.filter((text) => !pattern.test(text))),
};
newcomer(shared);
gallery(shared);

test('nothing was complained about', () => {
	assert.deepEqual(complaints, []);
});
