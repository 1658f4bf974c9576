// SPDX-License-Identifier: MIT
// window.studio: what tests and scripts may rely on.
import { toSettings } from './design.js';

export function exposeStudio({ store, session, history, viewport, openFiles, openBuiltin, openScene, painter, rigger, savePanel }) {
	const studio = {
		/** Frames of the simulation that were shown. */
		frame: 0,
		/** Of the character in the frame that was shown last. */
		generation: -1,
		/** Of the simulation, a running mean. */
		stepMilliseconds: 0,
		/** Everything the page knows, as it is now. */
		get state() {
			return store.values;
		},
		/** The settings file of now. */
		get settings() {
			return toSettings(store.values.design);
		},
		/** Is flesh of the design on the screen and nothing being built? */
		get isSettled() {
			const { character, elements } = store.values;
			return Boolean(character) && elements.length > 0 && session.isIdle;
		},
		set: (values) => store.set(values),
		/** @param {Partial<import('./design.js').Design>} fields */
		edit: (fields) => history.edit(`studio ${performance.now()}`, { ...store.values.design, ...fields }),
		undo: () => history.undo(),
		redo: () => history.redo(),
		openBuiltin,
		openScene,
		/** @param {{name: string, bytes: Uint8Array}[]} list */
		openFiles,
		bake: (options) => session.bake(options),
		record: (seconds) => savePanel.record(seconds),
		softness: () => painter.values(),
		/** Positions of all vertices as drawn, of a view. */
		positions(view = 0) {
			const { body } = viewport.views[view];
			return body.parts.flatMap(({ drawn }) => Array.from(drawn.geometry.attributes.position.array));
		},
		/** Heat of all vertices of a view, 0 to 1. */
		heat(view = 0) {
			return viewport.views[view].body.parts.flatMap(({ drawn }) => Array.from(drawn.geometry.attributes.heat.array));
		},
		/** A number that differs where positions do (FNV-1a over their bits). */
		checksum(view = 0) {
			let hash = 0x811c9dc5;
			for (const { drawn } of viewport.views[view].body.parts) {
				for (const word of new Uint32Array(drawn.geometry.attributes.position.array.buffer)) {
					hash = Math.imul(hash ^ word, 0x01000193) >>> 0;
				}
			}
			return hash;
		},
		/** Pixels of the page at which a vertex of the first view is drawn. */
		locate(vertex) {
			const { body } = viewport.views[0];
			const part = body.parts.find(({ first, length }) => 3 * vertex >= first && 3 * vertex < first + length);
			const at = 3 * vertex - part.first;
			const place = Array.from(part.drawn.geometry.attributes.position.array.slice(at, at + 3));
			const bounds = viewport.canvas.getBoundingClientRect();
			const [x, y] = viewport.project(place);
			return [x + bounds.left, y + bounds.top];
		},
		/** Centre and radius of the balls that are drawn. */
		balls(view = 0) {
			const shown = viewport.views[view].balls.children.filter(({ visible }) => visible);
			return shown.map(({ position, scale }) => [...position.toArray(), scale.x]);
		},
		simulation: session.simulation,
		rigger,
	};
	window.studio = studio;
	return studio;
}
