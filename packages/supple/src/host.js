// SPDX-License-Identifier: MIT
// Where the simulation runs: in a worker, or on the page's own thread. Worlds with the same wishes share one.
import { canShareMemory, loadBinary, loadBuild } from './builds.js';
import { SuppleError } from './objects/resource.js';
import { startSupple } from './objects/start.js';
import { Simulation } from './simulation.js';

const mostThreads = 4;

class LocalHost {
	isWorker = false;
	sharesMemory = false;

	async open({ build, threads }) {
		const { start, options } = await loadBuild(build, threads > 1);
		this.supple = await startSupple(start, { threads, ...options });
		this.simulation = new Simulation(this.supple);
		this.threads = this.supple.threads;
	}

	/** Done when it returns. */
	call(name, data) {
		return this.simulation[name](data);
	}

	async request(name, data) {
		return this.simulation[name](data);
	}

	close() {
		this.supple.destroy();
	}
}

class WorkerHost {
	isWorker = true;
	#requests = new Map();
	#count = 0;

	async open({ build, threads }) {
		const [{ script }, { name, ...binary }] = await Promise.all([import('./builds/worker.js'), loadBinary(build, threads > 1)]);
		const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
		this.sharesMemory = canShareMemory();
		this.worker = new Worker(address, { type: 'module' });
		this.worker.onmessage = ({ data }) => this.#answer(data);
		const failed = new Promise((_, reject) => {
			this.worker.onerror = (event) => {
				event.preventDefault();
				reject(new SuppleError(event.message ?? 'the worker could not be started', 'worker', 'unsupported'));
			};
		});
		await Promise.race([failed, this.request('open', { binary, threads })]);
		URL.revokeObjectURL(address);
		this.threads = threads;
	}

	#answer({ id, result, error }) {
		const { resolve, reject } = this.#requests.get(id);
		this.#requests.delete(id);
		if (error) {
			reject(Object.assign(new SuppleError(error.message), { where: error.where, code: error.code }));
		} else {
			resolve(result);
		}
	}

	request(name, data, transfer = []) {
		return new Promise((resolve, reject) => {
			const id = ++this.#count;
			this.#requests.set(id, { resolve, reject });
			this.worker.postMessage({ id, name, data }, transfer);
		});
	}

	close() {
		this.worker.terminate();
	}
}

const hosts = new Map();

function chooseThreads(threads, isWorker) {
	if (threads !== 'auto') {
		return threads;
	}
	// one processor is the page's
	const processors = globalThis.navigator?.hardwareConcurrency ?? 1;
	return isWorker && canShareMemory() ? Math.min(Math.max(processors - 1, 1), mostThreads) : 1;
}

async function start(build, threads, worker) {
	const canHaveWorker = typeof Worker === 'function' && typeof document === 'object';
	if (worker === true && !canHaveWorker) {
		throw new SuppleError('workers are not to be had here; leave the option out, or set it to false', 'worker', 'unsupported');
	}
	if (worker !== false && canHaveWorker) {
		try {
			const host = new WorkerHost();
			await host.open({ build, threads: chooseThreads(threads, true) });
			return host;
		} catch (error) {
			if (worker === true || error.code === 'unsupported' && error.where !== 'worker') {
				throw error;
			}
			console.warn(`supple: runs on the page's own thread, because its worker did not start (${error.message}). ` +
				'A content security policy must allow "worker-src blob:".');
		}
	}
	const host = new LocalHost();
	await host.open({ build, threads: chooseThreads(threads, false) });
	return host;
}

/** Ends with as many calls of closeHost as there were of this. */
export async function openHost({ build, threads, worker }) {
	const key = `${build} ${threads} ${worker}`;
	if (!hosts.has(key)) {
		hosts.set(key, { key, users: 0, host: start(build, threads, worker) });
	}
	const entry = hosts.get(key);
	entry.users += 1;
	try {
		const host = await entry.host;
		host.entry = entry;
		return host;
	} catch (error) {
		hosts.delete(key);
		throw error;
	}
}

export function closeHost(host) {
	host.entry.users -= 1;
	if (host.entry.users === 0) {
		hosts.delete(host.entry.key);
		host.close();
	}
}
