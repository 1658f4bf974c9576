// SPDX-License-Identifier: MIT
// The left panel: the character, what the tool in hand can be told, and the view.
import { button, choice, element, middleCut, section, segments, toggle } from './dom.js';
import { listScenes } from './files.js';
import { slider } from './slider.js';

const hint = (text) => element('p', { class: 'hint' }, text);

/** "3.2 mm", "12 cm" */
const formatGap = (metres) => (metres < 0.1 ? `${(1000 * metres).toFixed(metres < 0.01 ? 2 : 0)} mm` : `${(100 * metres).toFixed(0)} cm`);

const choosingMilliseconds = 250;

// metres
const units = [
	[1, 'metres'],
	[0.01, 'centimetres'],
	[0.001, 'millimetres'],
	[0.0254, 'inches'],
	[0.3048, 'feet'],
];
// Characters smaller or larger than this are more often in another unit than as small or large.
const oddSizes = [0.1, 8];

/** "79 m", "12.5 cm", "3.2 mm" */
function formatLength(metres) {
	const [scale, unit] = metres >= 1 ? [1, 'm'] : metres >= 0.01 ? [100, 'cm'] : [1000, 'mm'];
	return `${Number((metres * scale).toPrecision(3))} ${unit}`;
}

export class ToolPanel {
	constructor(parts) {
		Object.assign(this, parts);
		this.node = element('div', { class: 'panel-body' });
		this.toolSection = section('Tool', {});
		this.choosing = 0;
		this.tieList = element('div', { class: 'ties' });
		this.node.append(this.makeCharacter(), this.toolSection.node, this.makeView());
		this.store.watch(['ties', 'tool'], ({ tool, ties }) => tool === 'tie' && this.tieList.replaceChildren(...this.makeTies(ties)));
		this.store.watch(['tool', 'rig', 'character'], ({ tool, rig, character }, before) => {
			if (tool !== this.tool || tool === 'rig') {
				this.tool = tool;
				this.showTool(tool, rig, character);
			}
		});
	}

	makeCharacter() {
		const builtin = choice('Character or scene', { bare: true, change: (name) => this.choose(name) });
		let scenes = [];
		listScenes().then((list) => {
			scenes = list;
			fill(this.store.values);
		});
		const fill = ({ library, character }) => {
			if (this.choosing) {
				return;
			}
			const isFile = character && !character.source.builtin && !character.source.scene;
			const named = (name) => name[0].toUpperCase() + name.slice(1);
			builtin.fill([
				...(isFile ? [['', middleCut(character.label, 26)]] : []),
				{ group: 'Characters', options: (library?.builtins ?? []).map(({ name }) => [name, named(name)]) },
				...(scenes.length > 0
					? [{ group: 'Scenes', options: scenes.map(({ name, title }) => [`scene:${name}`, title]) }]
					: []),
			]);
			builtin.set(character?.source.builtin ?? (character?.source.scene ? `scene:${character.source.scene}` : ''));
		};
		const facts = element('dl', { class: 'facts' });
		const notes = element('details', { class: 'notes' });
		this.store.watch(['library', 'character'], ({ library, character }) => {
			fill({ library, character });
			if (character) {
				facts.replaceChildren(
					...this.listFacts(character).flatMap(([name, value]) => [
						element('dt', {}, name),
						element('dd', {}, value),
					]),
				);
				const texts = character.description.notes;
				notes.hidden = texts.length === 0;
				notes.replaceChildren(
					element(
						'summary',
						{},
						texts.length === 1 ? 'One note on this file' : `${texts.length} notes on this file`,
					),
					element('ul', {}, ...texts.map((text) => element('li', {}, text))),
				);
			}
		});
		const open = button('Open file', {
			symbol: 'open',
			key: 'Ctrl+O',
			tip: 'GLB, VRM, glTF with its files, FBX, Collada, OBJ; BVH for motion; JSON for settings; a project. Or drop it anywhere',
			press: () => this.chooseFile(),
		});
		return section('Character', {}, element('div', { class: 'row fill' }, builtin.node, open), this.makeSize(), facts, notes).node;
	}

	/** Keys go through a list one by one: what is passed on the way is not opened. */
	choose(name) {
		clearTimeout(this.choosing);
		this.choosing = setTimeout(() => {
			this.choosing = 0;
			if (name.startsWith('scene:')) {
				this.openScene(name.slice(6));
			} else if (name) {
				this.openBuiltin(name);
			}
		}, choosingMilliseconds);
	}

	listFacts({ description, isRigged }) {
		const vertices = description.instances.reduce((sum, { mesh }) => sum + description.meshes[mesh].vertexCount, 0);
		const triangles = description.instances.reduce(
			(sum, { mesh }) => sum + description.meshes[mesh].indices.length / 3,
			0,
		);
		const { parts } = description;
		return [
			...(parts ? [['Actors', String(parts.filter(({ method }) => method).length)]] : []),
			['Vertices', vertices.toLocaleString('en')],
			['Triangles', triangles.toLocaleString('en')],
			...(parts ? [] : [['Joints', isRigged ? String(description.nodes.filter(({ isJoint }) => isJoint).length) : 'none']]),
		];
	}

	makeView() {
		const follow = toggle('Follow', {
			tip: 'The view goes along with a character that travels',
			change: (value) => this.store.patch('world', { follow: value }),
		});
		this.store.watch(['world'], ({ world }) => follow.set(world.follow));
		return section(
			'View',
			{},
			follow.node,
			button('Put at rest', {
				symbol: 'reset',
				key: 'R',
				tip: 'The flesh comes to rest; balls go',
				press: () => this.session.simulation.tell('reset'),
			}),
		).node;
	}

	/** "79 m tall – is that right?", and the unit of the file where it is not. */
	makeSize() {
		const text = element('span', {});
		const unit = choice('Unit of the file', {
			bare: true,
			options: units.map(([metres, name]) => [String(metres), name]),
			change: (value) => this.setUnit(Number(value)),
		});
		const node = element('div', { class: 'size-line' }, text, element('label', {}, 'File in ', unit.node));
		this.store.watch(['character'], ({ character }) => {
			if (!character) {
				return;
			}
			const [low, high] = character.description.size;
			const height = Math.max(high[1] - low[1], 0);
			const largest = Math.max(...high.map((value, axis) => value - low[axis]));
			const isOdd = largest > oddSizes[1] || largest < oddSizes[0];
			const isFile = !character.source.builtin && !this.store.values.scene;
			text.textContent = `${formatLength(height)} tall${isOdd && isFile ? ' – is that right?' : ''}`;
			node.classList.toggle('odd', isOdd && isFile);
			node.querySelector('label').hidden = !isFile;
			unit.set(String(character.source.unit ?? 1));
		});
		return node;
	}

	showTool(tool, rig, character) {
		const makers = {
			orbit: () => [
				hint(
					'Drag turns the view, the right button moves it, the wheel zooms. With any tool, drag beside the body to turn.',
				),
			],
			pull: () => [
				this.option('grip', 'radius', {
					minimum: 0.02,
					maximum: 0.5,
					standard: 0.15,
					unit: '× size',
					summary: "How much is taken hold of, in parts of the body's size.",
				}),
				this.option('grip', 'frequency', {
					label: 'firmness',
					unit: 'Hz',
					minimum: 1,
					maximum: 60,
					standard: 20,
					summary: 'How firmly it is held.',
				}),
			],
			tie: () => [this.tieList],
			poke: () => [
				this.option('poker', 'radius', {
					minimum: 0.02,
					maximum: 0.3,
					standard: 0.07,
					unit: '× size',
					summary: "Of the sphere, in parts of the body's size.",
				}),
				this.option('poker', 'depth', {
					minimum: 0,
					maximum: 2,
					standard: 0.7,
					unit: 'radii',
					summary: 'How deep it goes in, in radii.',
				}),
			],
			throw: () => [
				this.option('ball', 'radius', {
					minimum: 0.02,
					maximum: 0.3,
					standard: 0.08,
					unit: '× size',
					summary: "Of a ball, in parts of the body's size.",
				}),
				this.option('ball', 'speed', {
					unit: 'm/s',
					minimum: 1,
					maximum: 20,
					standard: 5,
					summary: 'How fast it is thrown.',
				}),
				this.option('ball', 'mass', {
					unit: 'kg',
					minimum: 0.05,
					maximum: 20,
					standard: 1,
					summary: 'Of a ball.',
				}),
				button('Clear balls', { symbol: 'trash', press: () => this.session.simulation.tell('clearBalls') }),
			],
			paint: () => this.makePaint(),
			rig: () => this.makeRig(rig, character),
		};
		this.toolSection.body.replaceChildren(...makers[tool]());
		this.toolSection.node.querySelector('summary').lastChild.textContent = {
			orbit: 'Orbit',
			pull: 'Pull',
			tie: 'Tie',
			poke: 'Poke',
			throw: 'Throw',
			paint: 'Paint softness',
			rig: 'Rig',
		}[tool];
	}

	/** What to do next, and a row for each tie: how far its ends are apart, and what it pulls with. */
	makeTies({ picked, list }) {
		const nail = button('Nail it here', { tip: 'The place stays where it is now', press: () => this.ties.nail() });
		const forget = button('Forget it', { press: () => this.ties.forget() });
		const rows = list.map(({ id, gap, force }) =>
			element(
				'div',
				{ class: 'row tie', 'data-tie': id },
				element('span', {}, `Tie ${id}`),
				element('span', { class: 'figure', 'data-tip': 'Distance between its ends as drawn' }, formatGap(gap)),
				element('span', { class: 'figure', 'data-tip': 'Force that it pulls with' }, `${force < 100 ? force.toPrecision(3) : Math.round(force)} N`),
				button(`Cut tie ${id}`, { symbol: 'close', kind: 'only', press: () => this.ties.cut(id) }),
			),
		);
		return [
			hint(picked ? 'Click the second place to tie the two together.' : 'Click a place on the body.'),
			...(picked ? [element('div', { class: 'row fill' }, nail, forget)] : []),
			...rows,
			...(list.length > 1 ? [button('Cut all', { symbol: 'trash', press: () => this.ties.cut() })] : []),
		];
	}

	/** A slider for a field of a value of the store. */
	option(key, name, parameter) {
		const control = slider({ name, ...parameter }, (value) => this.store.patch(key, { [name]: value }));
		control.set(this.store.values[key][name]);
		return control.node;
	}

	makePaint() {
		const { brush } = this.store.values;
		const mode = segments('Brush', {
			options: [
				['soften', 'Soften', 'Makes what is painted softer'],
				['smooth', 'Smooth', 'Evens out edges. Also with Shift'],
				['erase', 'Firm', 'Makes what is painted firm. Also with Ctrl'],
			],
			change: (value) => {
				mode.set(value);
				this.store.patch('brush', { mode: value });
			},
		});
		mode.set(brush.mode);
		const mirror = toggle('Mirror', {
			tip: 'Both sides at once',
			change: (value) => this.store.patch('brush', { mirror: value }),
		});
		mirror.set(brush.mirror);
		return [
			mode.node,
			this.option('brush', 'radius', {
				minimum: 0.01,
				maximum: 0.4,
				standard: 0.08,
				unit: '× size',
				summary: "In parts of the body's size. Also [ and ].",
			}),
			this.option('brush', 'strength', {
				minimum: 0.05,
				maximum: 1,
				standard: 0.5,
				summary: 'How much one dab adds.',
			}),
			mirror.node,
			element(
				'div',
				{ class: 'row fill' },
				button('All soft', { tip: 'Every part as soft as it gets', press: () => this.painter.fill(1) }),
				button('All firm', { tip: 'No part is soft: paint what should be', press: () => this.painter.fill(0) }),
			),
			button('Undo all paint', {
				symbol: 'reset',
				tip: 'Back to the softness that the character came with',
				press: () => this.painter.clear(),
			}),
			element(
				'div',
				{ class: 'legend soft', role: 'img', 'aria-label': 'Colours: from firm, dark, to soft, bright' },
				element('span', {}, 'Firm'),
				element('span', {}, 'Soft'),
			),
			hint('The motion pauses while you paint. Drag beside the body, or hold Alt, to turn it.'),
		];
	}

	makeRig({ joints, bones, root, selected }, character) {
		if (character?.isRigged) {
			return [
				hint(
					'This character has a skeleton already. Open a mesh without one, for example an OBJ file, to make it one here.',
				),
			];
		}
		const rows = [
			hint(
				joints.length === 0
					? 'Click into the body: each click is a joint, halfway through. The next one hangs on the one that is selected.'
					: `${joints.length} ${joints.length === 1 ? 'joint' : 'joints'}, ${bones.length} ${bones.length === 1 ? 'bone' : 'bones'}. Click a joint to select it; click beside the body to select none.`,
			),
		];
		if (selected >= 0) {
			const name = element('input', {
				type: 'text',
				class: 'text',
				value: joints[selected].name,
				'aria-label': 'Name of the joint',
				change: () => this.rigger.rename(name.value),
			});
			rows.push(
				name,
				element(
					'div',
					{ class: 'row fill' },
					button('Root', {
						pressed: root === selected,
						tip: 'All others hang on it',
						press: () => this.rigger.setRoot(),
					}),
					button('Remove', { symbol: 'trash', key: 'Del', press: () => this.rigger.remove() }),
				),
			);
		}
		const bind = button('Bind', {
			kind: 'primary',
			tip: 'Makes the skeleton and binds the mesh to it',
			press: () => this.rigger.bind(),
		});
		bind.disabled = joints.length < 2;
		rows.push(element('div', { class: 'row fill' }, button('Clear', { press: () => this.rigger.clear() }), bind));
		return rows;
	}
}
