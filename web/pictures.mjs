// SPDX-License-Identifier: MIT
// pictures.mjs PAGE OUT: opens the studio that was built into the folder PAGE in Chromium and takes the pictures of
// docs/studio.md into the folder OUT. CHROMIUM names the browser where it is not /usr/bin/chromium.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { chromium } from 'playwright-core';

const [page, out] = process.argv.slice(2);
const types = {
	'.html': 'text/html',
	'.js': 'text/javascript',
	'.mjs': 'text/javascript',
	'.css': 'text/css',
	'.wasm': 'application/wasm',
};

const server = createServer(async (request, response) => {
	const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
	try {
		const file = path === '/' ? 'index.html' : path;
		const bytes = await readFile(join(page, file));
		response.writeHead(200, {
			'Content-Type': types[extname(file)] ?? 'application/octet-stream',
			'Cross-Origin-Opener-Policy': 'same-origin',
			'Cross-Origin-Embedder-Policy': 'require-corp',
		});
		response.end(bytes);
	} catch {
		response.writeHead(404);
		response.end();
	}
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const base = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
	args: [
		'--no-sandbox',
		'--use-gl=angle',
		'--use-angle=swiftshader',
		'--enable-unsafe-swiftshader',
		'--ignore-gpu-blocklist',
	],
});

/** Opens the page, lets `prepare` do something, and takes a picture. */
async function take(name, { width = 1400, height = 900, theme = 'dark', query = '' }, prepare = async () => {}) {
	const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
	const tab = await context.newPage();
	await tab.goto(base + query);
	const settle = () =>
		tab.waitForFunction(() => window.studio?.isSettled && window.studio.frame > 2, null, { timeout: 300000 });
	await settle();
	await prepare(tab, settle);
	await tab.waitForTimeout(1500);
	await tab.screenshot({ path: join(out, `studio-${name}.jpg`), type: 'jpeg', quality: 88 });
	await context.close();
	console.log(`studio-${name}.jpg`);
}

/** The middle of the view, and a place on the belly of whoever stands there. */
const belly = (tab) =>
	tab.evaluate(() => {
		const { left, top, width, height } = document.getElementById('canvas').getBoundingClientRect();
		return [left + 0.47 * width, top + 0.62 * height];
	});

await take('start', {});
await take('pull', { theme: 'light' }, async (tab) => {
	await tab.keyboard.press(' ');
	const [x, y] = await belly(tab);
	await tab.mouse.move(x, y);
	await tab.mouse.down();
	await tab.mouse.move(x - 150, y + 10, { steps: 6 });
});
await take('paint', {}, async (tab) => {
	await tab.keyboard.press('b');
	const [x, y] = await belly(tab);
	await tab.mouse.move(x, y);
	await tab.mouse.down();
	await tab.mouse.move(x + 40, y - 40, { steps: 4 });
});
await take('layers', { query: '?method=lattice' }, async (tab, settle) => {
	await tab.click('#tab-see');
	await tab.keyboard.press('x');
	await tab.waitForFunction(() => window.studio.state.elements[0]?.layerNames, null, { timeout: 300000 });
	await settle();
});
await take('compare', { theme: 'light' }, async (tab, settle) => {
	await tab.evaluate(() => window.studio.set({ tab: 'compare', clip: 3 }));
	await tab.keyboard.press('v');
	await settle();
	await tab.waitForTimeout(5000);
});
await take('narrow', { width: 420, height: 800 }, async (tab) => tab.click('[aria-label="Flesh panel"]'));

await browser.close();
server.close();
