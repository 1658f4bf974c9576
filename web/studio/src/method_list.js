// SPDX-License-Identifier: MIT
// The methods, by names that say what one gets.
import { element } from './dom.js';

const names = {
	lbs: 'No flesh',
	dqs: 'No flesh, full twists',
	position: 'Flesh',
	lattice: 'Flesh in voxels',
	points: 'Soft points',
	layered: 'Skin over muscle',
	fem: 'Elastic body',
	modes: 'Light flesh',
};

const looks = {
	lbs: 'Moves exactly as animated (linear blend skinning)',
	dqs: 'Moves as animated, and twisted arms keep their thickness (dual quaternions)',
	position: 'Bellies, cheeks and tails swing and keep their volume. The one to start with',
	lattice: 'The same look from bone, muscle, fat and skin in a grid; steady with large bodies',
	points: 'A cloud of points. Also for things without a skeleton, such as a cushion',
	layered: 'Skin that slides and dents; can be pushed off its pose, or fall',
	fem: 'Real elasticity with stiffness in pascals: rubber, jelly, muscle',
	modes: 'Swings of the whole body at next to no cost: crowds and phones',
};

/** "Flesh (position)": the word a person understands first, then the one of the manual and the command line. */
export const methodLabel = (name) => (names[name] ? `${names[name]} (${name})` : name);

/** Without a skeleton there is nothing to hang flesh on; points need none. */
export function canUse(method, { isRigged }) {
	return isRigged || ['lbs', 'dqs', 'points'].includes(method);
}

/** What is soft by default: with a skeleton, and without. */
export const softMethod = ({ isRigged }) => (isRigged ? 'position' : 'points');

export class MethodList {
	constructor({ store, history }) {
		this.store = store;
		this.history = history;
		this.node = element('div', { class: 'methods', role: 'radiogroup', 'aria-label': 'Method' });
		store.watch(['library'], ({ library }) => this.fill(library?.methods ?? []));
		store.watch(['library', 'design', 'character'], ({ design, character }) => {
			for (const node of this.node.children) {
				const isOn = node.dataset.method === design.method;
				node.setAttribute('aria-checked', isOn);
				node.tabIndex = isOn ? 0 : -1;
				node.disabled = Boolean(character) && !canUse(node.dataset.method, character);
			}
		});
		this.node.addEventListener('keydown', (event) => this.step(event));
	}

	fill(methods) {
		this.node.replaceChildren(
			...methods.map(({ name, summary }, i) =>
				element(
					'button',
					{
						type: 'button',
						role: 'radio',
						'data-method': name,
						'data-tip': `${looks[name] ?? summary}.`,
						'data-key': String(i + 1),
						click: () => this.choose(name),
					},
					element('span', {}, names[name] ?? name),
					element('small', {}, name),
				),
			),
		);
	}

	choose(name) {
		const { design, character } = this.store.values;
		if (name !== design.method && character && canUse(name, character)) {
			this.history.edit(`method ${performance.now()}`, { ...design, method: name });
		}
	}

	step(event) {
		const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
		const usable = [...this.node.children].filter(({ disabled }) => !disabled);
		const at = usable.indexOf(document.activeElement);
		if (step && at >= 0) {
			const next = usable[(at + step + usable.length) % usable.length];
			next.focus();
			next.click();
			event.preventDefault();
			event.stopPropagation();
		}
	}
}
