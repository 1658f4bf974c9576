// SPDX-License-Identifier: MIT
// Strokes of the brush: shown as heat while they are made, taken into the design when they are done.
import { Painting } from './brush.js';

export class Painter {
	constructor({ store, history, viewport }) {
		this.store = store;
		this.history = history;
		this.viewport = viewport;
		this.painting = null;
		this.owner = null;
		store.watch(['character', 'design', 'automatic'], () => this.forget());
	}

	/** What was painted came from elsewhere (undo, a file): look again. */
	forget() {
		const { design, character, automatic } = this.store.values;
		const isOther = design.paint !== this.paint || character !== this.owner;
		if (isOther || (design.paint.length === 0 && automatic !== this.start)) {
			this.painting = null;
		}
	}

	need() {
		const { character, design, automatic } = this.store.values;
		if (!this.painting) {
			this.painting = new Painting(character, design.paint, automatic);
			this.owner = character;
			this.start = automatic;
			this.paint = design.paint;
		}
		return this.painting;
	}

	/** Softness of all vertices, one after the other. */
	values() {
		return this.need().flatten();
	}

	begin() {
		this.need();
	}

	dab(hit, brush) {
		this.need().dab(hit, brush);
		this.show();
	}

	show() {
		const values = this.values();
		this.viewport.views.forEach(({ body }) => body?.setHeat(values));
		this.viewport.isStale = true;
	}

	end() {
		this.commit('paint stroke');
	}

	commit(kind) {
		this.paint = this.painting.finish();
		const { design } = this.store.values;
		this.history.edit(`${kind} ${performance.now()}`, { ...design, paint: this.paint });
	}

	/** Everything as soft as this. */
	fill(value) {
		for (const { values } of this.need().instances) {
			values.fill(value);
		}
		this.show();
		this.commit('fill');
	}

	/** Back to what the character came with. */
	clear() {
		const { design } = this.store.values;
		this.history.edit('clear paint', { ...design, paint: [] });
	}
}
