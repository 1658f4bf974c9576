// SPDX-License-Identifier: MIT
// What is to be seen of the inside.
import { choice, element, section, segments, toggle } from './dom.js';
import { constraintColour, layerColours } from './elements.js';
import { slider } from './slider.js';

const heats = [
	['off', 'Off'],
	['softness', 'Softness'],
	['displacement', 'Displacement by flesh'],
	['stretch', 'Stretch'],
	['volume', 'Volume'],
	['weights', 'Weights of a joint'],
];

export class SeePanel {
	constructor({ store }) {
		const change = (key) => (value) => store.patch('see', { [key]: value });
		const skin = segments('Skin', {
			options: [
				['solid', 'Solid'],
				['ghost', 'Ghost'],
				['hidden', 'Hidden'],
			],
			change: change('skin'),
		});
		const skeleton = toggle('Skeleton', {
			key: 'K',
			tip: 'Joints and bones, seen through the body',
			change: change('skeleton'),
		});
		const contacts = toggle('Contacts', {
			key: 'C',
			tip: 'Places that are pressed, and how firmly',
			change: change('contacts'),
		});
		const elements = segments('Simulation mesh', {
			options: [
				['off', 'Off'],
				['wire', 'Wire'],
				['layers', 'Layers', 'Solid pieces in the colours of bone, muscle, fat and skin'],
				['colours', 'Colours', 'Constraints that are solved together have one colour'],
			],
			change: (value) =>
				store.patch('see', {
					elements: value,
					skin: value === 'off' ? 'solid' : value === 'layers' ? 'hidden' : 'ghost',
				}),
		});
		const cut = toggle('Cut open', {
			key: 'X',
			tip: 'A plane that goes along with the body',
			change: change('cut'),
		});
		const axis = segments('Direction of the cut', {
			options: [
				['x', 'Side'],
				['y', 'Above'],
				['z', 'Front'],
			],
			change: change('cutAxis'),
		});
		const place = slider(
			{ name: 'place', minimum: 0, maximum: 1, standard: 0.5, summary: 'Where the plane is.' },
			change('cutPlace'),
		);
		const heat = choice('Heat map', { options: heats, change: change('heat') });
		const joint = choice('Joint', { change: (value) => store.patch('see', { joint: Number(value) }) });
		const range = slider(
			{
				name: 'range',
				minimum: 0.01,
				maximum: 1,
				standard: 0.2,
				summary:
					"What is as hot as can be: a part of the body's size for displacement, a relative change otherwise.",
			},
			change('heatRange'),
		);
		const legend = element(
			'div',
			{ class: 'legend', role: 'img', 'aria-label': 'Colours of heat from little to much' },
			element('span', {}, 'little'),
			element('span', {}, 'much'),
		);
		const names = element('ul', { class: 'swatches' });
		const info = element('p', { class: 'hint' });
		const cutRows = element('div', { class: 'stack' }, cut.node, axis.node, place.node);
		this.node = element(
			'div',
			{ class: 'panel-body' },
			section('Skin', {}, skin.node, heat.node, joint.node, range.node, legend).node,
			section('Inside', {}, elements.node, cutRows, names, info).node,
			section('Also', {}, skeleton.node, contacts.node).node,
		);
		store.watch(['character'], ({ character, see }) => {
			const joints = (character?.description.nodes ?? [])
				.map(({ name, isJoint }, i) => [i, name, isJoint])
				.filter(([, , isJoint]) => isJoint);
			joint.fill(joints);
			if (joints.length > 0 && !joints.some(([i]) => i === see.joint)) {
				store.patch('see', { joint: joints[0][0] });
			}
		});
		store.watch(['see', 'elements'], ({ see, elements: meshes }) => {
			skin.set(see.skin);
			skeleton.set(see.skeleton);
			contacts.set(see.contacts);
			elements.set(see.elements);
			cut.set(see.cut);
			axis.set(see.cutAxis);
			place.set(see.cutPlace);
			heat.set(see.heat);
			joint.set(see.joint);
			range.set(see.heatRange);
			joint.node.hidden = see.heat !== 'weights';
			range.node.hidden = ['off', 'softness', 'weights'].includes(see.heat);
			legend.hidden = see.heat === 'off';
			legend.classList.toggle('soft', see.heat === 'softness');
			cutRows.hidden = see.elements !== 'layers';
			names.replaceChildren(...this.listColours(see, meshes[0]));
			info.textContent = describeMesh(meshes[0], see.elements);
		});
	}

	listColours({ elements }, mesh) {
		if (elements === 'layers') {
			return (mesh?.layerNames ?? []).map((name, i) => swatch(layerColours[i % layerColours.length], name));
		}
		if (elements === 'colours' && mesh?.colour) {
			const count = mesh.colour.reduce((most, colour) => Math.max(most, colour + 1), 0);
			return Array.from({ length: Math.min(count, 24) }, (_, i) =>
				swatch(constraintColour(i).getStyle(), String(i + 1)),
			);
		}
		return [];
	}
}

function swatch(colour, name) {
	const dot = element('i');
	dot.style.background = colour;
	return element('li', {}, dot, name);
}

function describeMesh(mesh, shown) {
	if (!mesh || mesh.kind === 'none') {
		return 'This method has no mesh of its own inside.';
	}
	const count = mesh.tets ? mesh.tets.length / 4 : mesh.points.length / 3;
	const kind = mesh.tets ? 'tetrahedra' : { voxels: 'voxels', lattice: 'lattice points', tets: 'points' }[mesh.kind];
	const groups = mesh.colour || shown !== 'colours' ? '' : ' This method has no constraints in colours.';
	return `${count.toLocaleString('en')} ${kind}.${groups}`;
}
