// SPDX-License-Identifier: MIT
// node --test package.test.mjs: the npm package, from its tarball (packages/supple/build.mjs), as users have it: in Node, by three
// bundlers and without one, in Chromium. SCREENSHOTS names a folder to leave pictures in.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
	bundleByEsbuild, bundleByVite, bundleByWebpack, createProject, importInstalled, project, requireTool, writeModels, writePlainPage,
} from './project.mjs';
import { serve } from './serve.mjs';

const patience = 90000;
const screenshots = process.env.SCREENSHOTS;
let server, browser;

before(async () => {
	createProject();
	const { createSupple } = await importInstalled('supple');
	const supple = await createSupple();
	await writeModels(supple, ['bunny', 'tube']);
	supple.destroy();
	server = await serve(project);
	browser = await requireTool('playwright-core').chromium.launch({
		executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--enable-unsafe-swiftshader'],
	});
});

after(async () => {
	await browser?.close();
	server?.close();
});

/** A tab at an address, and what it complains about. */
async function open(path, options = {}) {
	const context = await browser.newContext({ viewport: { width: 300, height: 220 }, ...options });
	const tab = await context.newPage();
	const complaints = [];
	tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
	tab.on('pageerror', (error) => complaints.push(String(error)));
	await tab.goto(`${server.address}/${path}`);
	return { tab, complaints, close: () => context.close() };
}

/** What the page has found out; a page that hangs is an error. */
async function resultOf(tab) {
	await tab.waitForFunction(() => window.result, null, { timeout: patience });
	const late = new Promise((_, reject) => setTimeout(reject, patience, new Error('the page does not come to an end')).unref());
	return Promise.race([tab.evaluate(() => window.result), late]);
}

async function check(path, options = {}) {
	const { tab, complaints, close } = await open(`${path}#${encodeURIComponent(JSON.stringify(options))}`);
	const result = await resultOf(tab);
	await close();
	return { ...result, complaints };
}

function isSoft({ error, most, finite, wasReplaced, isRestored }) {
	assert.equal(error, undefined);
	assert.ok(finite && wasReplaced && isRestored);
	// metres, on a tube of one metre
	assert.ok(most > 1e-4 && most < 0.5, `${most} m from skinning`);
}

test('is as small as it is said to be', () => {
	const builds = join(project, 'node_modules/supple/src/builds');
	const size = (...names) => names.reduce((sum, name) => sum + gzipSync(readFileSync(join(builds, name))).length, 0) / 1000;
	assert.ok(size('position.js') < 420, `position: ${size('position.js')} kB`);
	assert.ok(size('methods.js') < 740, `all methods: ${size('methods.js')} kB`);
	assert.deepEqual(readdirSync(join(project, 'node_modules/supple')).sort(), ['LICENSE', 'README.md', 'package.json', 'src', 'types']);
});

test('types are complete', () => {
	const compiler = requireTool.resolve('typescript/package.json').replace('package.json', 'bin/tsc');
	const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom'];
	execFileSync(process.execPath, [compiler, ...options, 'usage.ts'], { cwd: project, stdio: ['ignore', 'inherit', 'inherit'] });
});

test('webpack', async () => {
	await bundleByWebpack();
	const result = await check('plain/webpack/check.html');
	isSoft(result);
	assert.ok(result.isInWorker && !result.sharesMemory);
	assert.deepEqual(result.complaints, []);
});

test('esbuild, and threads where memory is shared', async () => {
	assert.deepEqual(await bundleByEsbuild(), []);
	const result = await check('isolated/esbuild/check.html', { threads: 2 });
	isSoft(result);
	assert.ok(result.isInWorker && result.sharesMemory);
	assert.equal(result.threads, 2);
	assert.deepEqual(result.complaints, []);
});

test('a page without a bundler, and without worker', async () => {
	writePlainPage();
	const result = await check('isolated/check.html', { worker: false });
	isSoft(result);
	assert.ok(!result.isInWorker);
	assert.deepEqual(result.complaints, []);
});

test('a policy without workers: it goes on without, and says why', async () => {
	const { complaints, ...result } = await check('strict/check.html');
	isSoft(result);
	assert.ok(!result.isInWorker);
	assert.match(complaints.join(), /Content Security Policy/);
});

test('threads without shared memory: the remedy is named', async () => {
	const { error, isOurs } = await check('plain/check.html', { threads: 2 });
	assert.ok(isOurs);
	assert.match(error, /not cross-origin isolated.*Cross-Origin-Opener-Policy: same-origin/);
});

test('Babylon.js', async () => {
	const { tab, complaints, close } = await open('plain/esbuild/babylon.html');
	const result = await resultOf(tab);
	await close();
	assert.equal(result.error, undefined);
	assert.ok(result.finite && result.isRestored && result.isBounded && result.isInWorker);
	assert.ok(result.fromRest > 1e-3 && result.dragged > 0.02, JSON.stringify(result));
	assert.deepEqual(complaints, []);
});

// ---------------------------------------------------------------------------------------------------------------------
// The examples

/** Which pixels a character covers: those that differ from the picture without it. */
async function silhouette(tab) {
	const shoot = async () => (await tab.screenshot()).toString('base64');
	const setVisible = (visible) => tab.evaluate(async (value) => {
		const list = window.characters ?? [window.soft];
		list.forEach(({ root: object }) => (object.visible = value));
		const before = window.frames;
		while (window.frames < before + 2) {
			await new Promise((resolve) => requestAnimationFrame(resolve));
		}
	}, visible);
	await setVisible(true);
	const picture = await shoot();
	await setVisible(false);
	const empty = await shoot();
	await setVisible(true);
	return tab.evaluate(async (pair) => {
		const [a, b] = await Promise.all(pair.map(async (base64) => {
			const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
			const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
			context.drawImage(image, 0, 0);
			return context.getImageData(0, 0, image.width, image.height).data;
		}));
		let covered = 0;
		for (let i = 0; i < a.length; i += 4) {
			covered += Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 24 ? 1 : 0;
		}
		return covered / (a.length / 4);
	}, [picture, empty]);
}

const softNow = (tab) => tab.waitForFunction(() =>
	(window.characters?.length === 10 ? window.characters : [window.soft]).every((soft) => soft?.meshes[0].isSkinnedMesh === false) && window.frames > 12,
null, { timeout: patience });

async function look(tab, name) {
	if (screenshots) {
		mkdirSync(screenshots, { recursive: true });
		await tab.screenshot({ path: join(screenshots, `${name}.png`) });
	}
}

async function example(name, options, least) {
	const opened = await open(`isolated/vite/${name}.html`, options);
	await softNow(opened.tab);
	await look(opened.tab, name);
	const covered = await silhouette(opened.tab);
	assert.ok(covered > least && covered < 0.8, `${name}: the character covers ${covered} of the picture`);
	assert.deepEqual(opened.complaints, []);
	return opened;
}

test('Vite builds the examples', () => bundleByVite());

test('one character', async () => {
	const { close } = await example('one', {}, 0.05);
	await close();
});

test('ten characters share their flesh', async () => {
	const { tab, close } = await example('ten', {}, 0.05);
	assert.ok(await tab.evaluate(() => window.characters.every(({ detailNow }) => ['full', 'reduced'].includes(detailNow))));
	await close();
});

test('a settings file of the studio', async () => {
	const { tab, close } = await example('settings', {}, 0.05);
	const { names, softness } = await tab.evaluate(() => ({
		names: window.soft.regions.map(({ name }) => name), softness: window.soft.parameters.softness,
	}));
	assert.deepEqual(names, ['body', 'left ear', 'right ear']);
	assert.ok(Math.abs(softness - 0.85) < 1e-6);
	await close();
});

test('a finger pulls on a screen of the size of a phone', async () => {
	const { tab, close } = await example('pull', { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true }, 0.03);
	const session = await tab.context().newCDPSession(tab);
	const touch = (type, ...points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points });
	const positions = () => tab.evaluate(() => Array.from(window.soft.meshes[0].geometry.attributes.position.array));
	const frames = (count) => tab.evaluate(async (more) => {
		const before = window.frames;
		while (window.frames < before + more) {
			await new Promise((resolve) => requestAnimationFrame(resolve));
		}
	}, count);
	const farthest = (a, b) => a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
	const rest = await positions();
	await touch('touchStart', { x: 195, y: 380 });
	for (let i = 1; i <= 4; ++i) {
		await touch('touchMove', { x: 195 - 20 * i, y: 380 + 5 * i });
		await frames(6);
	}
	await frames(20);
	await look(tab, 'pulled');
	const pulled = farthest(await positions(), rest);
	assert.ok(pulled > 0.08, `pulled by ${pulled} m`);
	await touch('touchEnd');
	await frames(60);
	assert.ok(farthest(await positions(), rest) < 0.6 * pulled, 'it comes back');
	await close();
});
