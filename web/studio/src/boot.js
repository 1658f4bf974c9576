// SPDX-License-Identifier: MIT
// The first thing that runs: small, so that the library and the first character are on their way while the rest of the
// page is still being fetched.
import { fetchBeside, findBuiltin } from './files.js';
import { isLive } from './home.js';
import { Link } from './link.js';

const address = new URLSearchParams(location.search);
// one core is left to the page
const cores = Math.max(1, Math.min(8, (navigator.hardwareConcurrency ?? 2) - 1));

/**
 * A static host that sets no headers: the service worker adds them, from the second time on. ?isolate=no leaves it.
 * Everything works without, on one thread.
 */
async function isolate() {
	await navigator.serviceWorker.register('./sw.js');
	await navigator.serviceWorker.ready;
	if (!sessionStorage.getItem('supple.isolated')) {
		sessionStorage.setItem('supple.isolated', 'tried');
		location.reload();
	}
}

/** A page that is served from elsewhere is kept for offline, once it is at rest. */
async function keepForOffline() {
	const isHere = ['127.0.0.1', 'localhost'].includes(location.hostname);
	if (!navigator.serviceWorker || (self.crossOriginIsolated && !navigator.serviceWorker.controller && isHere)) {
		return;
	}
	await navigator.serviceWorker.register('./sw.js');
	const { active } = await navigator.serviceWorker.ready;
	active.postMessage('keep all');
}

if (!self.crossOriginIsolated && navigator.serviceWorker && address.get('isolate') !== 'no') {
	isolate().catch((error) => console.debug('no service worker', error));
}

/** Threads of each worker (?threads=N); 0 where memory cannot be shared. */
export const threads = self.crossOriginIsolated ? Number(address.get('threads') ?? cores) : 0;
export const simulation = new Link('simulation', threads);

/** What the address asks for: ?file=URL, ?scene=NAME or ?model=NAME, ?method=NAME, ?settings=… of a link, ?quality=high or low. */
export const asked = {
	file: address.get('file'),
	scene: address.get('scene'),
	/** Does a tracker move what is opened? */
	isLive,
	model: address.get('model') ?? 'bunny',
	method: address.get('method') ?? 'position',
	quality: address.get('quality'),
	settings: address.get('settings'),
	/** Something to open: otherwise it is what was open last. */
	isAnything: ['file', 'model', 'scene', 'method', 'settings'].some((key) => address.has(key)),
};

/** The first character, with flesh where that lies beside the page. */
export const first = asked.file || asked.scene
	? null
	: {
			source: findBuiltin(asked.model),
			prebuilt:
				asked.model === 'bunny' && asked.method === 'position'
					? { method: 'position', bytes: fetchBeside('./data/bunny.flesh') }
					: null,
		};

// after the first characters were seen: what is kept for later must not delay them
const settleSeconds = 5;
if (address.get('isolate') !== 'no') {
	setTimeout(() => keepForOffline().catch((error) => console.debug('not kept', error)), 1000 * settleSeconds);
}

import('./main.js').catch((error) => {
	document.getElementById('starting').replaceChildren(`The studio could not be started: ${error.message}`);
});
