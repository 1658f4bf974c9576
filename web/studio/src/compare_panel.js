// SPDX-License-Identifier: MIT
// Two methods side by side in step, and curves of both.
import { choice, element, section, toggle } from './dom.js';
import { methodLabel } from './method_list.js';
import { Plot, plotKinds } from './plots.js';

export class ComparePanel {
	constructor({ store }) {
		this.store = store;
		const on = toggle('Split view', {
			key: 'V',
			tip: 'Another method beside this one, in step',
			change: (value) => store.patch('compare', { on: value }),
		});
		const method = choice('With', { change: (value) => store.patch('compare', { method: value, on: true }) });
		this.plots = Object.keys(plotKinds).map((kind) => new Plot(kind));
		const key = element('ul', { class: 'swatches' });
		this.node = element(
			'div',
			{ class: 'panel-body' },
			section('Compare', {}, on.node, method.node, key).node,
			section('Over time', {}, ...this.plots.map(({ canvas }) => canvas)).node,
		);
		store.watch(['library'], ({ library }) => method.fill((library?.methods ?? []).map(({ name }) => [name, methodLabel(name)])));
		store.watch(['compare', 'design', 'character', 'library'], ({ compare, design, character }) => {
			on.set(compare.on);
			method.set(compare.method);
			const names = compare.on ? [design.method, compare.method] : [design.method];
			key.replaceChildren(
				...names.map((name, i) =>
					element('li', { class: i === 0 ? 'curve-a' : 'curve-b' }, element('i'), methodLabel(name)),
				),
			);
			const state = JSON.stringify([names, character?.generation]);
			if (state !== this.state) {
				this.state = state;
				this.plots.forEach((plot) => {
					plot.clear();
					plot.names = names;
				});
			}
		});
	}

	get isShown() {
		return this.node.isConnected && this.node.offsetParent !== null;
	}

	add(stages) {
		this.plots.forEach((plot) => plot.add(stages));
	}

	draw() {
		if (this.isShown) {
			this.plots.forEach((plot) => plot.draw());
		}
	}
}
