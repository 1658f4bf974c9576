// SPDX-License-Identifier: MIT
// The tie tool: two places of the body are picked and tied together, or one is nailed to where it is; ties are cut again.
// All stages have the same ties, and flesh that replaces another takes them over.

/** Numbers in a row of Stage.listTies. */
export const tieRow = 9;

// what a tie takes hold of around its ends, in parts of the body's size: a single point would be drawn out to a spike
const gripRadius = 0.06;

// the list in the panel is to be read, not to flicker
const tellMilliseconds = 200;

export class Ties {
	constructor({ store, session, viewport, notices }) {
		Object.assign(this, { store, session, viewport, notices });
		this.next = 1;
		this.told = 0;
		store.watch(['character'], () => store.set({ ties: { picked: null, list: [] } }));
	}

	/** The first place is remembered, the second one tied to it. */
	press({ instance, corners, weights, position }) {
		const hit = { instance, vertices: corners, weights, position };
		const { picked } = this.store.values.ties;
		if (picked) {
			this.#add([picked, hit]);
		} else {
			this.store.patch('ties', { picked: hit });
		}
	}

	/** The place that is picked stays where it is in the world. */
	nail() {
		this.#add([this.store.values.ties.picked]);
	}

	forget() {
		this.store.patch('ties', { picked: null });
	}

	#add(hits) {
		const id = this.next++;
		this.forget();
		this.session.simulation.request('tie', { id, hits, radius: gripRadius * this.viewport.size }).then(
			(refusals) => refusals.filter(Boolean).forEach((text) => this.notices.tell(text)),
			(error) => this.notices.error(error.message),
		);
	}

	/** One, or all. */
	cut(id) {
		this.session.simulation.tell('cut', { id });
	}

	/** Gap and force of all ties of the first stage, a few times a second and where their number changes. */
	show(rows, now) {
		const count = rows.length / tieRow;
		const { list } = this.store.values.ties;
		if (count !== list.length || (count > 0 && now - this.told > tellMilliseconds)) {
			this.told = now;
			this.store.patch('ties', {
				list: Array.from({ length: count }, (_, i) => {
					const [id, gap, force] = rows.subarray(tieRow * i);
					return { id, gap, force };
				}),
			});
		}
	}
}
