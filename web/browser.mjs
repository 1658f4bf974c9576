// SPDX-License-Identifier: MIT
// The studio in a real Chromium, for tests, pictures and benchmarks: served by `supple studio`. CHROMIUM names the browser where
// it is not /usr/bin/chromium.
import { spawn } from 'node:child_process';
import { chromium } from 'playwright-core';

/** Serves the page in `folder` by the program `supple`: its address, what only the page is told, and an end to it. */
export async function serveStudio(supple, folder) {
	const server = spawn(supple, ['studio', '--no-open', '--quiet', '--page', folder], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const address = await new Promise((resolve, reject) => {
		server.stdout.once('data', (data) => resolve(String(data).trim()));
		server.once('exit', () => reject(new Error(`${supple} studio ended`)));
	});
	const [page, secret] = address.split('#');
	return { address: page, secret: `#${secret}`, close: () => server.kill('SIGINT') };
}

/** As it is where there is no graphics card: pages by the processor, and 3D in them by SwiftShader. */
export function launchBrowser() {
	return chromium.launch({
		executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
		args: ['--no-sandbox', '--enable-unsafe-swiftshader'],
	});
}

/** Waits until flesh of what was asked for is on the screen, and `frames` more were shown. */
export async function settle(tab, frames = 3, timeout = 120000) {
	await tab.waitForFunction(() => window.studio?.isSettled, null, { timeout });
	const now = await tab.evaluate(() => window.studio.frame);
	await tab.waitForFunction((least) => window.studio.frame >= least, now + frames, { timeout });
}
