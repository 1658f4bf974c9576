// SPDX-License-Identifier: MIT
// A server of files for tests: the same folder with and without the headers that isolate a page.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const types = {
	'.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.json': 'application/json', '.glb': 'model/gltf-binary',
};

/** Addresses under /isolated/ are cross-origin isolated, those under /plain/ are not; /strict/ forbids workers from blobs. */
export async function serve(folder) {
	const server = createServer((request, response) => {
		const [, mode, ...rest] = decodeURIComponent(new URL(request.url, 'http://x').pathname).split('/');
		const path = join(folder, normalize(`/${rest.join('/')}`));
		if (!existsSync(path) || !statSync(path).isFile()) {
			response.writeHead(404).end();
			return;
		}
		const headers = { 'Content-Type': types[extname(path)] ?? 'application/octet-stream' };
		if (mode === 'isolated') {
			headers['Cross-Origin-Opener-Policy'] = 'same-origin';
			headers['Cross-Origin-Embedder-Policy'] = 'require-corp';
		}
		if (mode === 'strict') {
			headers['Content-Security-Policy'] = "worker-src 'self'";
		}
		response.writeHead(200, headers);
		createReadStream(path).pipe(response);
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
