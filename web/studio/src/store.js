// SPDX-License-Identifier: MIT
// What the page knows. Values are replaced, never changed in place; who listens to a key is told when it was replaced.

export class Store {
	constructor(values) {
		this.values = values;
		this.listeners = [];
		/** Called after any change. */
		this.changed = () => {};
	}

	/** @param {Record<string, any>} values those that change */
	set(values) {
		const before = this.values;
		const keys = Object.keys(values).filter((key) => values[key] !== before[key]);
		if (keys.length === 0) {
			return;
		}
		this.values = { ...before, ...values };
		for (const { watched, listener } of this.listeners) {
			if (watched.some((key) => keys.includes(key))) {
				listener(this.values, before);
			}
		}
		this.changed();
	}

	/** Calls the listener with all values and those before, now once and after each change of one of the keys. */
	watch(keys, listener) {
		this.listeners.push({ watched: keys, listener });
		listener(this.values, this.values);
	}

	/** Changes some fields of a value that is an object. */
	patch(key, fields) {
		this.set({ [key]: { ...this.values[key], ...fields } });
	}
}
