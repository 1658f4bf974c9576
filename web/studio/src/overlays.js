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

const mostContacts = 4096;

/** Pressed places with their normals, as long as the force is large. */
class Contacts {
	constructor() {
		const geometry = new BufferGeometry();
		geometry.setAttribute('position', new BufferAttribute(new Float32Array(6 * mostContacts), 3));
		geometry.setDrawRange(0, 0);
		this.lines = new LineSegments(
			geometry,
			new LineBasicMaterial({ color: '#ffd24a', depthTest: false, transparent: true }),
		);
		this.dots = new Points(
			geometry,
			new PointsMaterial({
				color: '#ff5a3c',
				size: 4,
				sizeAttenuation: false,
				depthTest: false,
				transparent: true,
			}),
		);
		this.group = new Group();
		this.group.add(this.lines, this.dots);
		for (const child of this.group.children) {
			child.frustumCulled = false;
			child.renderOrder = 11;
		}
		this.length = 0.05;
	}

	/** @param {Float32Array} rows place, normal, depth, force: eight numbers each */
	update(rows) {
		const count = Math.min(mostContacts, rows.length / 8);
		const { position } = this.lines.geometry.attributes;
		let strongest = 1e-6;
		for (let i = 0; i < count; ++i) {
			strongest = Math.max(strongest, rows[8 * i + 7]);
		}
		for (let i = 0; i < count; ++i) {
			const length = this.length * (0.15 + 0.85 * Math.sqrt(Math.max(0, rows[8 * i + 7]) / strongest));
			for (let axis = 0; axis < 3; ++axis) {
				position.array[6 * i + axis] = rows[8 * i + axis];
				position.array[6 * i + 3 + axis] = rows[8 * i + axis] + length * rows[8 * i + 3 + axis];
			}
		}
		position.needsUpdate = true;
		this.lines.geometry.setDrawRange(0, 2 * count);
	}
}

export class Overlays {
	constructor() {
		this.group = new Group();
		this.skeleton = null;
		this.elements = new Elements();
		this.contacts = new Contacts();
		this.group.add(this.elements.group, this.contacts.group);
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
		if (stage.contacts) {
			this.contacts.update(stage.contacts);
		}
	}
}
