// SPDX-License-Identifier: MIT
// Undo and redo of the design. Edits of one kind that follow each other quickly (a slider that is dragged) are one step.

const togetherMilliseconds = 800;
const mostSteps = 200;

export class History {
	/** @param {import('./store.js').Store} store with the keys design, canUndo, canRedo */
	constructor(store) {
		this.store = store;
		this.clear();
	}

	clear() {
		this.past = [];
		this.future = [];
		this.kind = null;
		this.publish();
	}

	/** Replaces the design. `kind` names what is edited ("position.frequency"). */
	edit(kind, design) {
		const now = performance.now();
		const together = kind === this.kind && now - this.moment < togetherMilliseconds;
		if (!together) {
			this.past.push(this.store.values.design);
			this.past.splice(0, this.past.length - mostSteps);
		}
		this.kind = kind;
		this.moment = now;
		this.future = [];
		this.store.set({ design });
		this.publish();
	}

	/** The last edit was no good: back to a design of before, with nothing to redo. */
	revert(design) {
		this.past.pop();
		this.kind = null;
		this.store.set({ design });
		this.publish();
	}

	undo() {
		this.move(this.past, this.future);
	}

	redo() {
		this.move(this.future, this.past);
	}

	move(from, to) {
		if (from.length === 0) {
			return;
		}
		to.push(this.store.values.design);
		this.kind = null;
		this.store.set({ design: from.pop() });
		this.publish();
	}

	publish() {
		this.store.set({ canUndo: this.past.length > 0, canRedo: this.future.length > 0 });
	}
}
