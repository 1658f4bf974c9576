// SPDX-License-Identifier: MIT
// The worker: posts back what the simulation returns, under the number of the request.
import { loadPosted } from './builds.js';
import { startSupple } from './objects/start.js';
import { Simulation } from './simulation.js';

let simulation = null;

async function open({ binary, threads }) {
	const { start, options } = await loadPosted(binary);
	simulation = new Simulation(await startSupple(start, { threads, ...options }));
}

self.onmessage = async ({ data: { id, name, data } }) => {
	try {
		const result = name === 'open' ? await open(data) : simulation[name](data);
		const buffers = name === 'step' ? result.surfaces.map(({ given }) => given).filter((given) => given instanceof ArrayBuffer) : [];
		self.postMessage({ id, result }, buffers);
	} catch (error) {
		const { message, where = '', code = 'argument' } = error;
		self.postMessage({ id, error: { message, where, code } });
	}
};
