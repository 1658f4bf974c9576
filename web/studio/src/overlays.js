// SPDX-License-Identifier: MIT
// What is drawn over and into the character: skeleton, simulation mesh, contacts.
import {
	BufferAttribute,
	BufferGeometry,
	Color,
	Group,
	LineBasicMaterial,
	LineSegments,
	Points,
	PointsMaterial,
} from 'three';
import { Elements } from './elements.js';
import { Skeleton } from './skeleton.js';
import { tieRow } from './ties.js';

const mostContacts = 4096;
const mostTies = 256;

/** Lines and dots of a colour that are seen through everything. */
function makeMarks(count, lineColour, dotColour, size) {
	const geometry = new BufferGeometry();
	geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * count), 3));
	geometry.setDrawRange(0, 0);
	const common = { depthTest: false, transparent: true };
	const lines = new LineSegments(geometry, new LineBasicMaterial({ color: lineColour, ...common }));
	const dots = new Points(geometry, new PointsMaterial({ color: dotColour, size, sizeAttenuation: false, ...common }));
	const group = new Group();
	group.add(lines, dots);
	for (const child of group.children) {
		child.frustumCulled = false;
		child.renderOrder = 11;
	}
	return { group, geometry, array: geometry.attributes.position.array };
}

/** Both ends of each tie, and the place that is picked for the next one. */
class TieMarks {
	constructor() {
		Object.assign(this, makeMarks(2 * mostTies + 2, '#6fd3ff', '#2a9df4', 7));
		this.picked = null;
		this.rows = new Float32Array(0);
	}

	setPicked(picked) {
		this.picked = picked;
		this.update(this.rows);
	}

	/** @param {Float32Array} rows of Stage.listTies */
	update(rows) {
		this.rows = rows;
		const count = Math.min(mostTies, rows.length / tieRow);
		for (let i = 0; i < count; ++i) {
			this.array.set(rows.subarray(tieRow * i + 3, tieRow * (i + 1)), 6 * i);
		}
		if (this.picked) {
			this.array.set([...this.picked.position, ...this.picked.position], 6 * count);
		}
		this.geometry.attributes.position.needsUpdate = true;
		this.geometry.setDrawRange(0, 2 * (count + (this.picked ? 1 : 0)));
	}
}

/** Pressed places with their normals, as long as the force is large. */
class Contacts {
	constructor() {
		Object.assign(this, makeMarks(2 * mostContacts, '#ffd24a', '#ff5a3c', 4));
		this.length = 0.05;
	}

	/** @param {Float32Array} rows place, normal, depth, force: eight numbers each */
	update(rows) {
		const count = Math.min(mostContacts, rows.length / 8);
		const { array } = this;
		let strongest = 1e-6;
		for (let i = 0; i < count; ++i) {
			strongest = Math.max(strongest, rows[8 * i + 7]);
		}
		for (let i = 0; i < count; ++i) {
			const length = this.length * (0.15 + 0.85 * Math.sqrt(Math.max(0, rows[8 * i + 7]) / strongest));
			for (let axis = 0; axis < 3; ++axis) {
				array[6 * i + axis] = rows[8 * i + axis];
				array[6 * i + 3 + axis] = rows[8 * i + axis] + length * rows[8 * i + 3 + axis];
			}
		}
		this.geometry.attributes.position.needsUpdate = true;
		this.geometry.setDrawRange(0, 2 * count);
	}
}

export class Overlays {
	constructor() {
		this.group = new Group();
		this.skeleton = null;
		this.elements = new Elements();
		this.contacts = new Contacts();
		this.ties = new TieMarks();
		this.group.add(this.elements.group, this.contacts.group, this.ties.group);
		this.accent = new Color('#ff8a5c');
		this.see = {};
		this.size = 1;
	}

	setTheme(accent) {
		this.accent = accent;
		this.skeleton?.dots.material.color.copy(accent);
	}

	setSkeleton(nodes) {
		this.skeleton?.dispose();
		this.skeleton = new Skeleton(nodes);
		this.skeleton.group.visible = Boolean(this.see.skeleton);
		this.skeleton.dots.material.color.copy(this.accent);
		this.group.add(this.skeleton.group);
	}

	setElements(elements) {
		this.elements.setMesh(elements);
		this.elements.setSee(this.see);
	}

	/** What is to be seen: the value `see` of the store. */
	setSee(see, size) {
		this.see = see;
		this.size = size;
		this.contacts.length = 0.08 * size;
		this.contacts.group.visible = see.contacts;
		if (this.skeleton) {
			this.skeleton.group.visible = see.skeleton;
		}
		this.elements.setSee(see);
	}

	/** @param {object} stage one stage of a frame */
	update(stage) {
		if (stage.nodes && this.skeleton) {
			this.skeleton.update(stage.nodes, this.size);
		}
		if (stage.elements) {
			this.elements.update(stage.elements);
		}
		if (stage.ties) {
			this.ties.update(stage.ties);
		}
		if (stage.contacts) {
			this.contacts.update(stage.contacts);
		}
	}
}
