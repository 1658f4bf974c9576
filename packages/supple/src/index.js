// SPDX-License-Identifier: MIT
// Supple without an engine: characters from files or arrays, flesh, scenes and bakes. docs/web.md is the manual.
import { loadBuild } from './builds.js';
import { startSupple } from './objects/start.js';

export { SuppleError } from './objects/resource.js';

/**
 * Loads the library onto the calling thread. build: 'all'; 'methods' without files, bakes and rigs; or
 * 'position' for that method alone, without them too. threads: more than 1 for that many, the caller's included, where memory can be
 * shared. meshoptDecoder: three.js's, for compressed files.
 */
export async function createSupple({ threads = 0, build = 'all', meshoptDecoder = null } = {}) {
	const { start, options } = await loadBuild(build, threads > 1);
	return startSupple(start, { threads, meshoptDecoder, ...options });
}
