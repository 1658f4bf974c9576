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

const root = join(import.meta.dirname, '../..');
const validator = createRequire(join(root, 'test/readers/package.json'))('gltf-validator');
const supple = process.env.SUPPLE ?? join(root, 'build/supple');
const folder = resolve(process.env.SUPPLE_STUDIO ?? join(root, 'build/web/studio'));
const assets = process.env.SUPPLE_ASSETS ?? join(root, '../shared/assets');
const screenshots = process.env.SCREENSHOTS;
const work = mkdtempSync(join(tmpdir(), 'supple-studio-'));
const methods = ['lbs', 'dqs', 'position', 'lattice', 'points', 'layered', 'fem'];
// machines without a graphics card draw on the processor, beside the solver
const patience = 120000;

let server, base, browser, context, page;
const complaints = [];

before(async () => {
	server = await serveStudio(supple, folder);
	base = server.address;
	browser = await launchBrowser();
	context = await browser.newContext({ viewport: { width: 900, height: 600 } });
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

async function bunny(method = 'position') {
	await page.evaluate((name) => window.studio.openBuiltin(name), 'bunny');
	await page.evaluate((name) => window.studio.edit({ method: name, parameters: {}, regions: [], paint: [] }), method);
	await settle();
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
	await page.evaluate(() => window.studio.set({ playing: false }));
	// a pause stops flesh in the middle of a swing: at rest, that is what it goes back to
	await page.evaluate(() => window.studio.simulation.request('seek', { time: 0.3 }));
	await page.waitForTimeout(1500);
	const rest = await positions();
	await page.keyboard.press('g');
	// a vertex in the middle of the belly: as far forward as it gets, halfway up
	let vertex = 0;
	const half = extent(rest) * 0.35;
	for (let i = 0; i < rest.length / 3; ++i) {
		const score = (k) => rest[3 * k + 2] - 3 * Math.abs(rest[3 * k]) - 2 * Math.abs(rest[3 * k + 1] - half);
		vertex = score(i) > score(vertex) ? i : vertex;
	}
	const [x, y] = await page.evaluate((v) => window.studio.locate(v), vertex);
	await page.mouse.move(x, y);
	await page.mouse.down();
	await page.mouse.move(x + 120, y - 40, { steps: 5 });
	await settle(page, 10);
	const pulled = farthest(rest, await positions());
	await look('pulled');
	await page.mouse.up();
	await page.waitForFunction(
		({ before, bound }) => {
			const now = window.studio.positions();
			return before.every((value, i) => Math.abs(value - now[i]) < bound);
		},
		{ before: Array.from(rest), bound: 0.1 * pulled },
		{ timeout: patience },
	);
	assert.ok(pulled > 0.02, `pulled by ${pulled} m`);
	await page.keyboard.press('o');
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
	await bunny();
	writeFileSync(join(work, 'broken.glb'), 'glTF and then nothing that makes sense');
	await drop(join(work, 'broken.glb'));
	const alert = page.locator('.toast.error').last();
	await alert.waitFor({ timeout: patience });
	assert.match(await alert.innerText(), /broken\.glb/);
	assert.match(String(await page.evaluate(() => window.studio.state.character.label)), /bunny/i);
	await settle();
});

test('settings that are dropped are taken', async () => {
	await bunny();
	writeFileSync(join(work, 'soft.json'), JSON.stringify({ method: 'lattice', parameters: { 'fat.frequency': 2 } }));
	await drop(join(work, 'soft.json'));
	await page.waitForFunction(() => window.studio.settings.method === 'lattice', null, { timeout: patience });
	await settle();
	assert.deepEqual(await page.evaluate(() => window.studio.settings.parameters), { 'fat.frequency': 2 });
});

test('keys play and pause, and a narrow window has no sideways scroll', async () => {
	await bunny();
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

test('from a plain static host it runs on one thread', async () => {
	const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
	const plain = createServer((request, response) => {
		const path = new URL(request.url, 'http://x').pathname.replace('/sub/', '/');
		const file = join(folder, path === '/' ? 'index.html' : path);
		response.writeHead(existsSync(file) ? 200 : 404, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' });
		response.end(existsSync(file) ? readFileSync(file) : '');
	});
	await new Promise((resolve) => plain.listen(0, '127.0.0.1', resolve));
	const tab = await open(context, `http://127.0.0.1:${plain.address().port}/sub/?model=tube`);
	assert.equal(await tab.evaluate(() => self.crossOriginIsolated), false);
	assert.ok(extent(await positions(tab)) > 0);
	await tab.close();
	plain.close();
});

test('nothing was complained about', () => {
	assert.deepEqual(complaints, []);
});
