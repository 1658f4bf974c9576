// SPDX-License-Identifier: MIT
// A worker that owns the library. The page starts two from this file: one plays the scene, the other (the workshop)
// builds flesh, bakes and binds, so that what is on the screen goes on moving meanwhile.
//
// Requests are { id, type, data } and are answered by { id, result } or { id, error }; everything else that comes out is
// an event, { event, ... }.
import { lateDecoder } from './meshopt.js';
import { Simulation } from './simulation.js';
import { Workshop } from './workshop.js';

let owner = null;
// one after the other, also where one has to wait for something
let queue = Promise.resolve();

function post(message, transfer) {
	self.postMessage(message, transfer ?? []);
}

async function start({ role, base, threads }) {
	const { createSupple } = await import(/* @vite-ignore */ new URL('supple/supple.js', base).href);
	const supple = await createSupple({ threads, meshoptDecoder: lateDecoder });
	owner = role === 'simulation' ? new Simulation(supple, post) : new Workshop(supple, post);
	return {
		version: supple.version,
		threads: supple.threads,
		methods: supple.methods,
		builtins: supple.builtins,
		motions: supple.motions,
	};
}

async function handle(type, data) {
	if (type === 'start') {
		return start(data);
	}
	// where the library could not be started that was said once, and is enough
	return owner?.handlers[type].call(owner, data);
}

function describeError(error) {
	return { message: error?.message ?? String(error), where: error?.where ?? '', code: error?.code ?? '' };
}

async function answer({ id, type, data }) {
	try {
		const result = await handle(type, data ?? {});
		if (id !== undefined) {
			post({ id, result }, result?.transfer);
		}
	} catch (error) {
		post(id === undefined ? { event: 'error', error: describeError(error) } : { id, error: describeError(error) });
	}
}

self.onmessage = (event) => {
	queue = queue.then(() => answer(event.data));
};
