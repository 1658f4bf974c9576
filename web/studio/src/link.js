// SPDX-License-Identifier: MIT
// The page's end of a worker: requests that are answered, orders that are not, events.

/** What the library said, with the place it names. */
class LibraryError extends Error {
	constructor({ message, where, code }) {
		super(where && !message.includes(where) ? `${where}: ${message}` : message);
		this.code = code;
	}
}

export class Link {
	constructor(role, threads) {
		this.role = role;
		this.threads = threads;
		this.listeners = new Map();
		this.launch();
	}

	launch() {
		this.next = 1;
		this.waiting = new Map();
		this.worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: this.role });
		this.worker.onmessage = ({ data }) => this.receive(data);
		this.worker.onerror = (event) => this.fail(event.message || 'the worker could not be started');
		const base = new URL('.', document.baseURI).href;
		this.started = this.request('start', { role: this.role, base, threads: this.threads });
	}

	/** Ends what it is doing, however long that would take, and begins anew. */
	restart() {
		this.worker.terminate();
		this.rejectAll(new Cancelled());
		this.launch();
		return this.started;
	}

	request(type, data, transfer = []) {
		return new Promise((resolve, reject) => {
			const id = this.next++;
			this.waiting.set(id, { resolve, reject });
			this.worker.postMessage({ id, type, data }, transfer);
		});
	}

	/** A request whose answer nobody waits for. */
	tell(type, data, transfer = []) {
		this.worker.postMessage({ type, data }, transfer);
	}

	on(event, listener) {
		this.listeners.set(event, listener);
	}

	receive(message) {
		if (message.event) {
			this.listeners.get(message.event)?.(message);
			return;
		}
		const { resolve, reject } = this.waiting.get(message.id);
		this.waiting.delete(message.id);
		if (message.error) {
			reject(new LibraryError(message.error));
		} else {
			resolve(message.result);
		}
	}

	fail(text) {
		this.rejectAll(new Error(text));
		this.listeners.get('error')?.({ error: { message: text, where: '' } });
	}

	rejectAll(error) {
		for (const { reject } of this.waiting.values()) {
			reject(error);
		}
		this.waiting.clear();
	}
}

/** The user stopped it: nothing to complain about. */
export class Cancelled extends Error {
	constructor() {
		super('cancelled');
	}
}
