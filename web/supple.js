// SPDX-License-Identifier: MIT
// Supple for JavaScript, from files that lie beside this one: in a page, in a worker, in Node. docs/web.md says how to use it.
//
// Objects of the library live in the memory of WebAssembly and are released by destroy(). What is still in use by
// another object (the character of a flesh, the flesh of an actor) stays until that one is gone too.
import { SuppleError } from './objects/resource.js';
import { isNode, startSupple } from './objects/start.js';

export { SuppleError };

/**
 * Loads the library. threads: 0 or 1 for the build without threads; more for that many, the caller's included, where
 * memory can be shared (in a page: crossOriginIsolated). meshoptDecoder: three.js's MeshoptDecoder, for compressed files.
 * base: where supple.wasm and the rest lie; beside this file where not given.
 */
export async function createSupple({ threads = 0, meshoptDecoder = null, base = import.meta.url } = {}) {
	const name = threads > 1 ? 'supple-threads' : 'supple';
	const options = {
		locateFile: (file) => new URL(file, base).href,
		mainScriptUrlOrBlob: new URL(`${name}.mjs`, base).href,
	};
	if (isNode) {
		const { readFile } = await import('node:fs/promises');
		options.wasmBinary = await readFile(new URL(`${name}.wasm`, base));
	}
	const { default: start } = await import(/* @vite-ignore */ options.mainScriptUrlOrBlob);
	return startSupple(start, { threads, meshoptDecoder, ...options });
}
