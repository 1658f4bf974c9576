// SPDX-License-Identifier: MIT
// What flesh is like: how soft, where, what it touches; then, folded away, method, parameters and tissues, built from the
// library's tables.
import { setParameter, setRegion, setTissue } from './design.js';
import { button, choice, element, section, toggle } from './dom.js';
import { softMethod } from './method_list.js';
import { presets } from './presets.js';
import { slider } from './slider.js';

// docs/volume.md; what a tissue is where the design says nothing
const tissues = {
	muscle: { stiffness: 3e4, damping: 0.3 },
	fat: { stiffness: 3e3, damping: 0.2 },
	skin: { stiffness: 1.5e5, damping: 0.3 },
};
const methodsWithTissues = ['position', 'fem'];
// of critical damping, where a region starts
const regionDamping = 0.15;
// A method's parameters that nobody tunes by hand come last.
const isSpecial = (name) => name.startsWith('paper');

export class FleshPanel {
	constructor({ store, history, methods }) {
		this.store = store;
		this.history = history;
		this.methods = methods;
		this.isAdvanced = false;
		this.touch = this.makeTouch();
		this.node = element('div', { class: 'panel-body' });
		this.sliders = new Map();
		store.watch(['library', 'design', 'character', 'scene'], (now, before) => {
			if (!now.library || !now.character) {
				return;
			}
			if (now.scene) {
				this.shape = null;
				this.showScene(now.scene);
				return;
			}
			const shape = this.shapeOf(now);
			if (shape !== this.shape) {
				this.shape = shape;
				this.build(now);
			}
			this.update(now.design);
		});
	}

	/** Who is in it, and with which method: a scene's softness is in its file. */
	showScene({ parts }) {
		const actors = parts.filter(({ method }) => method);
		this.node.replaceChildren(
			element(
				'p',
				{ class: 'hint' },
				'This is a scene: its file says how soft everybody in it is. Pull, poke or throw something. To change softness, open one of the characters.',
			),
			element(
				'dl',
				{ class: 'facts' },
				...actors.flatMap(({ name, method }) => [element('dt', {}, name), element('dd', {}, method)]),
			),
		);
	}

	/** What the panel's structure depends on, as opposed to its values. */
	shapeOf({ design, character }) {
		return JSON.stringify([
			design.method,
			character.generation,
			design.regions.map(({ shape, name }) => [shape, name]),
			design.paint.length > 0,
		]);
	}

	edit(kind, design) {
		this.history.edit(kind, design);
	}

	build({ library, design, character }) {
		this.sliders.clear();
		const table = library.methods.find(({ name }) => name === design.method);
		this.node.replaceChildren(
			this.makeSoftness(table, character),
			...(table.parameters.length > 0 ? [this.makeRegions(design, character)] : []),
			this.touch,
			this.makeAdvanced(table),
			...(table.parameters.length > 0 ? [this.makeReset()] : []),
		);
	}

	/** The one slider that every method has, above everything else. */
	makeSoftness(table, character) {
		const softness = table.parameters.find(({ name }) => name === 'softness');
		const presetNode = this.makePresets(table);
		if (!softness) {
			return section(
				'Softness',
				{},
				element('p', { class: 'hint' }, 'No flesh: it moves exactly as it was animated.'),
				button('Make it soft', { kind: 'primary', press: () => this.methods.choose(softMethod(character)) }),
			).node;
		}
		return section(
			'Softness',
			{},
			...(character.isRigged
				? []
				: [
						element(
							'p',
							{ class: 'hint' },
							'This mesh has no skeleton: it is soft as a whole. With joints from the tool Rig (J) its parts can move.',
						),
					]),
			this.makeParameter(table.name, softness, 'Softness'),
			element('div', { class: 'ends', 'aria-hidden': 'true' }, element('span', {}, 'Stone'), element('span', {}, 'Jelly')),
			presetNode,
		).node;
	}

	/** What flesh meets. The same for every method, so it is made once. */
	makeTouch() {
		const change = (key) => (value) => this.store.patch('world', { [key]: value });
		const gravity = toggle('Gravity', { tip: 'Without it flesh is weightless', change: change('gravity') });
		const floor = toggle('Floor', { key: 'F', tip: 'Flesh and balls rest on it', change: change('floor') });
		const self = toggle('Touches itself', {
			tip: 'Parts of the body do not go through each other. Costs time',
			change: change('selfContact'),
		});
		this.store.watch(['world'], ({ world }) => {
			gravity.set(world.gravity);
			floor.set(world.floor);
			self.set(world.selfContact);
		});
		return section('Touch', {}, floor.node, self.node, gravity.node).node;
	}

	/** Method and solver numbers: not needed to make something soft. */
	makeAdvanced(table) {
		const { node } = section(
			'Advanced',
			{ open: this.isAdvanced, tip: 'The method that computes the flesh, and all of its numbers' },
			this.methods.node,
			...(this.ownPresets.children.length > 0 ? [this.ownPresets] : []),
			...this.makeParameters(table),
			...(methodsWithTissues.includes(table.name) ? [this.makeTissues()] : []),
		);
		node.classList.add('advanced');
		node.addEventListener('toggle', () => (this.isAdvanced = node.open));
		return node;
	}

	makePresets({ name: method, presets: common }) {
		const list = common.map(({ name, summary, parameters }) => ({
			name: capital(name),
			tip: sentence(summary),
			parameters,
		}));
		this.presetButtons = [];
		this.ownPresets = this.makeChips(method, presets[method] ?? [], 'Presets of the method');
		return this.makeChips(method, list, 'Presets');
	}

	makeChips(method, list, label) {
		const made = list.map((preset) => {
			const node = button(preset.name, {
				kind: 'chip',
				tip: preset.tip,
				press: () => this.usePreset(method, preset),
			});
			return { node, preset };
		});
		this.presetButtons.push(...made);
		return element('div', { class: 'chips', role: 'group', 'aria-label': label }, ...made.map(({ node }) => node));
	}

	usePreset(method, { name, parameters }) {
		const { design } = this.store.values;
		this.edit(`preset ${name} ${performance.now()}`, {
			...design,
			parameters: { ...design.parameters, [method]: { ...parameters } },
		});
	}

	/** Sliders, those of one group ("fat.frequency") together; those that change at once first. */
	makeParameters(table) {
		const groups = new Map([
			['Motion', []],
			['Shape', []],
		]);
		for (const parameter of table.parameters.filter(({ name }) => name !== 'softness')) {
			const dot = parameter.name.lastIndexOf('.');
			const group =
				dot >= 0
					? capital(parameter.name.slice(0, dot).replace('.', ' '))
					: parameter.live
						? 'Motion'
						: 'Shape';
			if (!groups.has(group)) {
				groups.set(group, []);
			}
			groups
				.get(group)
				.push(
					this.makeParameter(
						table.name,
						parameter,
						dot >= 0 ? parameter.name.slice(dot + 1) : parameter.name,
					),
				);
		}
		const entries = [...groups].filter(([, nodes]) => nodes.length > 0);
		entries.sort(([a], [b]) => Number(isSpecial(a.toLowerCase())) - Number(isSpecial(b.toLowerCase())));
		return entries.map(
			([title, nodes]) =>
				section(
					title,
					{
						open: !isSpecial(title.toLowerCase()),
						tip:
							title === 'Shape' ? 'What flesh is built with: it is built anew after a change' : undefined,
					},
					...nodes,
				).node,
		);
	}

	makeParameter(method, parameter, label) {
		const { name, standard, choices, summary } = parameter;
		const change = (value) =>
			this.edit(`${method}.${name}`, setParameter(this.store.values.design, method, name, value, standard));
		const control = choices
			? choice(label, {
					options: choices.map((text, i) => [i, text]),
					tip: sentence(summary),
					change: (value) => change(Number(value)),
				})
			: slider({ ...parameter, label, summary: sentence(summary) }, change);
		this.sliders.set(name, { control, standard });
		return control.node;
	}

	// Regions

	makeRegions(design, { description }) {
		const rows = design.regions.map((region, i) => this.makeRegion(region, i));
		const joints = description.nodes
			.map(({ name, isJoint }, i) => [i, name, isJoint])
			.filter(([, , isJoint]) => isJoint);
		const add = choice('Add a region', {
			bare: true,
			options: [
				['', 'Add a region …'],
				['all', 'Everything'],
				...joints.map(([, name]) => [`joint:${name}`, `Around ${name}`]),
			],
			change: (value) => {
				add.set('');
				this.addRegion(value);
			},
		});
		const state =
			design.paint.length > 0
				? 'Painted with the brush'
				: description.meshes.some(({ softness }) => softness)
					? 'Painted in the file'
					: 'Automatic: wherever flesh is thick';
		const standard =
			design.regions.length === 0 || design.paint.length > 0
				? [element('p', { class: 'hint' }, `${state}.`)]
				: [];
		return section(
			'Where it is soft',
			{ tip: 'Parts of the body that swing freely' },
			...standard,
			...rows,
			element(
				'div',
				{ class: 'row fill' },
				button('Paint', {
					symbol: 'paint',
					key: 'B',
					tip: 'Paint by hand where it is soft',
					press: () => this.store.set({ tool: 'paint' }),
				}),
				add.node,
			),
		).node;
	}

	/** A new region swings as the rest does, so that its sliders start where they can be felt. */
	addRegion(value) {
		const { design, library } = this.store.values;
		const table = library.methods.find(({ name }) => name === design.method);
		const standard = (name, otherwise) =>
			design.parameters[design.method]?.[name] ??
			table.parameters.find((one) => one.name === name || one.name === `fat.${name}`)?.standard ??
			otherwise;
		const region =
			value === 'all'
				? { name: 'everything', shape: 'all' }
				: { name: value.slice(6), shape: 'joint', joint: value.slice(6) };
		this.edit(`region ${performance.now()}`, {
			...design,
			regions: [
				...design.regions,
				{ ...region, softness: 1, frequency: standard('frequency', 2) || 2, damping: regionDamping },
			],
		});
	}

	makeRegion(region, index) {
		const change = (key) => (value) =>
			this.edit(`region ${index} ${key}`, setRegion(this.store.values.design, index, { [key]: value }));
		const remove = button(`Remove ${region.name}`, {
			symbol: 'trash',
			kind: 'only small',
			press: () => {
				const { design } = this.store.values;
				this.edit(`region ${performance.now()}`, {
					...design,
					regions: design.regions.filter((_, i) => i !== index),
				});
			},
		});
		const make = (key, parameter) => {
			const control = slider({ name: key, ...parameter }, change(key));
			this.sliders.set(`region ${index} ${key}`, {
				control,
				standard: parameter.standard,
				read: (design) => design.regions[index]?.[key],
			});
			return control.node;
		};
		return element(
			'div',
			{ class: 'region' },
			element('div', { class: 'row' }, element('strong', {}, region.name || region.shape), remove),
			make('softness', {
				minimum: 0,
				maximum: 1,
				standard: 1,
				summary: 'How soft its softest part is.',
				live: false,
			}),
			make('frequency', {
				unit: 'Hz',
				minimum: 0,
				maximum: 30,
				standard: 2,
				summary: 'Swings a second: less is softer and slower. 0 leaves it to the method.',
			}),
			make('damping', {
				minimum: 0,
				maximum: 2,
				standard: regionDamping,
				summary: 'How soon a swing dies away; 1 does not overshoot. 0 leaves it to the method.',
			}),
		);
	}

	makeTissues() {
		const make = (layer, key, parameter) => {
			const control = slider({ name: key, label: `${layer} ${key}`, ...parameter, live: false }, (value) =>
				this.edit(`tissue ${layer} ${key}`, setTissue(this.store.values.design, layer, key, value)),
			);
			this.sliders.set(`tissue ${layer} ${key}`, {
				control,
				standard: parameter.standard,
				read: (design) => design.tissues[layer]?.[key],
			});
			return control.node;
		};
		const rows = Object.entries(tissues).flatMap(([layer, { stiffness, damping }]) => [
			make(layer, 'stiffness', {
				unit: 'Pa',
				minimum: stiffness / 1000,
				maximum: stiffness * 1000,
				standard: stiffness,
				summary: `Young's modulus of ${layer}.`,
			}),
			make(layer, 'damping', {
				minimum: 0,
				maximum: 2,
				standard: damping,
				summary: `Part of critical damping of ${layer}.`,
			}),
		]);
		return section('Tissues', { open: false, tip: 'What the layers from bone to skin are made of' }, ...rows).node;
	}

	makeReset() {
		return button('Reset everything', {
			symbol: 'reset',
			tip: 'All parameters, regions, tissues and paint as they were',
			press: () => {
				const { design } = this.store.values;
				this.edit(`reset ${performance.now()}`, {
					...design,
					parameters: {},
					regions: [],
					paint: [],
					tissues: {},
					layers: {},
				});
			},
		});
	}

	/** Puts the design's values into the controls. */
	update(design) {
		const values = design.parameters[design.method] ?? {};
		for (const [name, { control, standard, read }] of this.sliders) {
			control.set((read ? read(design) : values[name]) ?? (read && name.startsWith('region') ? 0 : standard));
		}
		const now = JSON.stringify(Object.entries(values).sort());
		for (const { node, preset } of this.presetButtons) {
			node.setAttribute('aria-pressed', JSON.stringify(Object.entries(preset.parameters).sort()) === now);
		}
	}
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function sentence(text) {
	const full = capital(text);
	return /[.!?]$/.test(full) ? full : `${full}.`;
}
