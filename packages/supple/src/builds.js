// SPDX-License-Identifier: MIT
// The compiled library. It travels as text inside of modules, gzipped: every bundler can take a module along, and none needs to
// be told where a .wasm file lies. Each build is loaded when it is first asked for.
import { SuppleError } from './objects/resource.js';

const builds = {
	all: {
		glue: () => import('./builds/all_glue.js'),
		binary: () => import('./builds/all.js'),
	},
	'all-threads': {
		glue: () => import('./builds/all_threads_glue.js'),
		binary: () => import('./builds/all_threads.js'),
	},
	methods: {
		glue: () => import('./builds/methods_glue.js'),
		binary: () => import('./builds/methods.js'),
	},
	'methods-threads': {
		glue: () => import('./builds/methods_threads_glue.js'),
		binary: () => import('./builds/methods_threads.js'),
	},
	position: {
		glue: () => import('./builds/position_glue.js'),
		binary: () => import('./builds/position.js'),
	},
	'position-threads': {
		glue: () => import('./builds/position_threads_glue.js'),
		binary: () => import('./builds/position_threads.js'),
	},
};

// ( module ( func ( result v128 ) ( i8x16.splat ( i32.const 0 ) ) ) )
const simdProgram = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11];

function checkMachine(shared) {
	if (typeof WebAssembly !== 'object' || !WebAssembly.validate(new Uint8Array(simdProgram))) {
		throw new SuppleError(
			'this browser has no WebAssembly SIMD, which Supple needs; Chrome 91, Firefox 89 and Safari 16.4 are the first that have it',
			'', 'unsupported');
	}
	if (typeof DecompressionStream !== 'function') {
		throw new SuppleError(
			'this browser has no DecompressionStream, which Supple needs; Chrome 80, Firefox 113 and Safari 16.4 are the first that have it',
			'', 'unsupported');
	}
	if (shared && !canShareMemory()) {
		throw new SuppleError(
			'threads need memory that is shared, and this page is not cross-origin isolated: serve it with the headers ' +
			'"Cross-Origin-Opener-Policy: same-origin" and "Cross-Origin-Embedder-Policy: require-corp", or ask for one thread',
			'threads', 'unsupported');
	}
}

/** A page needs to be cross-origin isolated; Node always can. */
export function canShareMemory() {
	return typeof SharedArrayBuffer === 'function' && globalThis.crossOriginIsolated !== false;
}

async function compile(base64) {
	const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
	const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
	return WebAssembly.compile(await new Response(plain).arrayBuffer());
}

const binaries = new Map();

/** A compiled module that can be posted to a worker, with the text of its glue and of the worker of its threads. */
export function loadBinary(build, shared) {
	const name = shared ? `${build}-threads` : build;
	if (!Object.hasOwn(builds, name)) {
		throw new SuppleError(`build: expected 'all', 'methods' or 'position' (got '${build}')`);
	}
	checkMachine(shared);
	if (!binaries.has(name)) {
		const loading = builds[name].binary().then(async ({ wasm, glue, thread }) => ({ name, module: await compile(wasm), glue, thread }));
		// the next one may try again
		loading.catch(() => binaries.delete(name));
		binaries.set(name, loading);
	}
	return binaries.get(name);
}

// A script as an address, for workers: Node imports no blobs.
function makeAddress(text) {
	return typeof window === 'undefined' && typeof importScripts === 'undefined'
		? `data:text/javascript,${encodeURIComponent(text)}`
		: URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
}

/** Options of emscripten for a binary. */
export function makeOptions({ module, glue, thread }) {
	const options = {
		// a name is enough for what is never fetched
		locateFile: (file) => file,
		instantiateWasm: (imports, receive) => {
			WebAssembly.instantiate(module, imports).then((instance) => receive(instance, module));
			return {};
		},
	};
	if (thread) {
		const address = makeAddress(thread);
		options.mainScriptUrlOrBlob = makeAddress(glue);
		options.locateFile = () => address;
	}
	return options;
}

/** What startSupple needs, on this thread. */
export async function loadBuild(build, shared) {
	const binary = await loadBinary(build, shared);
	const { default: start } = await builds[binary.name].glue();
	return { start, options: makeOptions(binary) };
}

/** The same in a worker, which has only what was posted to it. */
export async function loadPosted(binary) {
	const { default: start } = await import(/* @vite-ignore */ /* webpackIgnore: true */ makeAddress(binary.glue));
	return { start, options: makeOptions(binary) };
}
