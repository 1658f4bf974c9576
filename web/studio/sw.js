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

self.addEventListener('fetch', (event) => {
	const { request } = event;
	if (request.method === 'GET' && new URL(request.url).origin === self.location.origin) {
		event.respondWith(answer(request));
	}
});
