// SPDX-License-Identifier: MIT
// bench.mjs SUPPLE PAGE: the bunny in the studio, in Chromium. First how long after the page was asked for it walks and then
// jiggles on the screen, in a browser that has seen nothing of it yet (the median of five); then for every method milliseconds
// of a step of the simulation and between two pictures. Without a graphics card pictures are drawn by the processor, which
// the solver needs as well.
import { launchBrowser, serveStudio, settle } from './browser.mjs';

const [supple, folder] = process.argv.slice(2);
const server = await serveStudio(supple, folder);
const viewport = { width: 1280, height: 720 };
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Notes when pictures are finished: of the first frame of the simulation, and of the first after flesh was there. */
function watchStart() {
	const times = [];
	let frame = 0;
	const look = () => {
		const { studio } = window;
		if (studio?.frame > frame) {
			// waits until what was asked for is drawn
			const context = document.getElementById('canvas').getContext('webgl2');
			context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, new Uint8Array(4));
			times.push(performance.now());
			frame = times.length === 1 ? studio.frame : Infinity;
		}
		if (times.length === 1 && !studio.isSettled) {
			frame = studio.frame;
		}
		if (times.length === 2) {
			window.startTimes = times;
		} else {
			requestAnimationFrame(look);
		}
	};
	requestAnimationFrame(look);
}

async function measureStart() {
	const browser = await launchBrowser();
	const tab = await (await browser.newContext({ viewport })).newPage();
	await tab.addInitScript(watchStart);
	await tab.goto(server.address, { waitUntil: 'commit' });
	const times = await tab.waitForFunction(() => window.startTimes, null, { polling: 250, timeout: 120000 });
	const result = await times.jsonValue();
	await browser.close();
	return result;
}

const starts = [];
for (let i = 0; i < 5; ++i) {
	starts.push(await measureStart());
}
const [walks, jiggles] = [0, 1].map((k) => median(starts.map((times) => times[k] / 1000)));
console.log(`walks after ${walks.toFixed(2)} s, jiggles after ${jiggles.toFixed(2)} s\n`);

const browser = await launchBrowser();
const tab = await (await browser.newContext({ viewport })).newPage();
await tab.goto(server.address);
await settle(tab);
console.log('method     step ms   frame ms');
for (const { name } of await tab.evaluate(() => window.studio.state.library.methods)) {
	await tab.evaluate((method) => window.studio.edit({ method }), name);
	// the first calls are compiled on the way
	await settle(tab, 20);
	const samples = await tab.evaluate(async () => {
		const list = [];
		let before = 0;
		while (list.length < 60) {
			const now = await new Promise((resolve) => requestAnimationFrame(resolve));
			if (before > 0) {
				list.push([window.studio.stepMilliseconds, now - before]);
			}
			before = now;
		}
		return list;
	});
	const [step, frame] = [0, 1].map((k) => median(samples.map((sample) => sample[k])));
	console.log(`${name.padEnd(9)} ${step.toFixed(2).padStart(8)} ${frame.toFixed(1).padStart(10)}`);
}
await browser.close();
server.close();
