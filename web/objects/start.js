// SPDX-License-Identifier: MIT
// Starts a compiled library, wherever its files come from.
import { Supple } from './supple.js';

export const isNode = typeof process === 'object' && process.versions?.node !== undefined;

// Named so that bundlers for pages do not look for it.
const importNode = (name) => import(/* @vite-ignore */ /* webpackIgnore: true */ ['node', name].join(':'));

// Emscripten's program for threads starts Workers as a page does; Node has them under another name. Returns what lets
// the program end while they live.
async function provideWorkers() {
	const { Worker: NodeWorker } = await importNode('worker_threads');
	const { availableParallelism } = await importNode('os');
	const started = [];
	globalThis.navigator ??= { hardwareConcurrency: availableParallelism() };
	globalThis.Worker = class extends NodeWorker {
		constructor(url) {
			const script = `
				import { parentPort } from 'node:worker_threads';
				globalThis.self = globalThis;
				globalThis.postMessage = (data, transfer) => parentPort.postMessage(data, transfer);
				await import(${JSON.stringify(String(url))});
				parentPort.on('message', (data) => globalThis.onmessage({ data }));`;
			super(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
			this.on('message', (data) => this.onmessage?.({ data }));
			this.on('error', (error) => this.onerror?.({ message: error.message, error }));
			started.push(this);
		}
	};
	return () => started.forEach((worker) => worker.unref());
}

/** start: what emscripten's module exports; options: its options beside those that are set here. */
export async function startSupple(start, { threads = 0, meshoptDecoder = null, ...options }) {
	if (meshoptDecoder?.ready) {
		await meshoptDecoder.ready;
	}
	const started = isNode && threads > 1 ? await provideWorkers() : () => {};
	const module = await start({
		supPoolSize: Math.max(threads - 1, 0),
		supDecoder: meshoptDecoder,
		print: (text) => console.log(text),
		printErr: (text) => {
			// in Node the main thread may wait
			if (!(isNode && text.startsWith('Blocking on the main thread'))) {
				console.warn(text);
			}
		},
		...options,
	});
	const supple = new Supple(module, Math.max(threads, 1));
	started();
	return supple;
}
