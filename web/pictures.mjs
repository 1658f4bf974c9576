// SPDX-License-Identifier: MIT
// pictures.mjs SUPPLE PAGE OUT: opens the studio that was built into the folder PAGE in Chromium and takes the pictures of
// docs/studio.md into the folder OUT.
import { join } from 'node:path';
import { launchBrowser, serveStudio, settle as settleIn } from './browser.mjs';

const [supple, page, out] = process.argv.slice(2);
const server = await serveStudio(supple, page);
const browser = await launchBrowser();

/** Opens the page, lets `prepare` do something, and takes a picture. */
async function take(name, { width = 1400, height = 900, theme = 'dark', query = '' }, prepare = async () => {}) {
	const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
	const tab = await context.newPage();
	// as a graphics card would draw it
	await tab.goto(`${server.address}?quality=high${query}`);
	const settle = () => settleIn(tab, 3, 300000);
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
await take('layers', { query: '&method=lattice' }, async (tab, settle) => {
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
