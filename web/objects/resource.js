// SPDX-License-Identifier: MIT
// What all objects of the library have in common: an owner, a pointer, and an end.

/** What the library has to say about a file or a number that it cannot use. */
export class SuppleError extends Error {
	constructor(message, where = '', code = 'argument') {
		super(where ? `${where}: ${message}` : message);
		this.name = 'SuppleError';
		this.where = where;
		this.code = code;
	}
}

// Something of the library: a pointer, what it needs, and who needs it.
export class Resource {
	#users = 1;
	#alive = true;

	constructor(supple, pointer, needs = []) {
		this.supple = supple;
		this.pointer = pointer;
		this.needs = needs;
		needs.forEach((one) => one.retain());
	}

	retain() {
		this.#users += 1;
	}

	drop() {
		this.#users -= 1;
		if (this.#users === 0) {
			this.release();
			this.pointer = 0;
			this.needs.forEach((one) => one.drop());
		}
	}

	/** Releases it, as soon as nothing needs it any more. Twice is fine. */
	destroy() {
		if (this.#alive) {
			this.#alive = false;
			this.drop();
		}
	}

	check() {
		if (!this.#alive) {
			throw new SuppleError(`this ${this.constructor.name.toLowerCase()} has been destroyed`);
		}
		return this.pointer;
	}
}

export function checkNumbers(what, ...numbers) {
	if (!numbers.every(Number.isFinite)) {
		throw new SuppleError(`${what}: ${numbers.join(', ')} are not all numbers`);
	}
}
