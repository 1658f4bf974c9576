// SPDX-License-Identifier: MIT
// Stands between the page and a static host that cannot set headers: adds those that threads need, and keeps what was
// fetched, so that the page also works offline.
const cacheName = 'supple-studio';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

function isolated(response) {
	const headers = new Headers(response.headers);
	headers.set('Cross-Origin-Opener-Policy', 'same-origin');
	headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
	return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

/** The network first, so that a new version is seen at once; what was kept where there is none. */
async function answer(request) {
	const cache = await caches.open(cacheName);
	try {
		const response = await fetch(request);
		if (response.ok) {
			await cache.put(request, response.clone());
		}
		return response.status === 0 ? response : isolated(response);
	} catch (error) {
		const kept = await cache.match(request, { ignoreSearch: request.mode === 'navigate' });
		if (!kept) {
			throw error;
		}
		return isolated(kept);
	}
}

/** All files of this version, so that what was never opened is there offline too; those of older versions go. */
async function keepAll() {
	const cache = await caches.open(cacheName);
	const response = await fetch('./files.json');
	const files = (await response.json()).map((name) => new URL(name, self.registration.scope).href);
	for (const { url } of await cache.keys()) {
		const isPage = new URL(url).pathname.endsWith('/');
		if (!isPage && !files.includes(url)) {
			await cache.delete(url);
		}
	}
	for (const file of files) {
		if (!(await cache.match(file))) {
			await cache.add(file);
		}
	}
}

self.addEventListener('message', (event) => {
	if (event.data === 'keep all') {
		event.waitUntil(keepAll().catch((error) => console.debug('not all is kept', error)));
	}
});

self.addEventListener('fetch', (event) => {
	const { request } = event;
	// a stream has no end that could be kept
	const isStream = request.headers.get('accept')?.includes('text/event-stream');
	if (request.method === 'GET' && !isStream && new URL(request.url).origin === self.location.origin) {
		event.respondWith(answer(request));
	}
});
