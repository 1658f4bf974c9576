// SPDX-License-Identifier: MIT
// bench.mjs SUPPLE PAGE: the bunny in the studio with every method, in Chromium: milliseconds of a step of the simulation and
// between two pictures. Without a graphics card pictures are drawn by the processor, which the solver needs as well.
import { launchBrowser, serveStudio, settle } from './browser.mjs';

const [supple, folder] = process.argv.slice(2);
const server = await serveStudio(supple, folder);
const browser = await launchBrowser();
const tab = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage();
await tab.goto(server.address);
await settle(tab);
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
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
