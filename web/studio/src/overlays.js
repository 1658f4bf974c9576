// SPDX-License-Identifier: MIT
// What is drawn over and into the character: skeleton, simulation mesh, contacts.
import {
	BufferAttribute, BufferGeometry, Color, Group, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshLambertMaterial, OctahedronGeometry,
	Points, PointsMaterial, Quaternion, SphereGeometry, Vector3,
} from 'three';
import { Elements } from './elements.js';

const mostContacts = 4096;

// Along y from 0 to 1, thickest near its beginning.
function boneShape() {
	const shape = new OctahedronGeometry(1, 0);
	const { array } = shape.attributes.position;
	for (let i = 0; i < array.length; i += 3) {
		array[i] *= 0.09;
		array[i + 1] = array[i + 1] > 0.5 ? 1 : array[i + 1] < -0.5 ? 0 : 0.16;
		array[i + 2] *= 0.09;
	}
	shape.computeVertexNormals();
	return shape;
}

/** Bones from joint to joint, seen through the body. */
class Skeleton {
	constructor(nodes) {
		this.pairs = [];
		this.joints = [];
		nodes.forEach(({ parent, isJoint }, i) => {
			if (isJoint) {
				this.joints.push(i);
				if (parent >= 0 && nodes[parent].isJoint) {
					this.pairs.push([parent, i]);
				}
			}
		});
		const look = { depthTest: false, transparent: true };
		this.bones = new InstancedMesh(boneShape(), new MeshLambertMaterial({ color: '#f4f1ea', opacity: 0.82, ...look }), this.pairs.length);
		this.dots = new InstancedMesh(new SphereGeometry(1, 16, 12), new MeshLambertMaterial(look), this.joints.length);
		this.group = new Group();
		this.group.add(this.bones, this.dots);
		this.bones.renderOrder = 10;
		this.dots.renderOrder = 11;
		this.bones.frustumCulled = this.dots.frustumCulled = false;
	}

	/**
	 * @param {Float32Array} nodes twelve numbers each: three columns and the place
	 * @param {number} size of the body
	 */
	update(nodes, size) {
		const matrix = new Matrix4();
		const turn = new Quaternion();
		const up = new Vector3(0, 1, 0);
		const way = new Vector3();
		const place = (node) => new Vector3().fromArray(nodes, 12 * node + 9);
		this.pairs.forEach(([a, b], i) => {
			const from = place(a);
			way.copy(place(b)).sub(from);
			const length = Math.max(way.length(), 1e-6 * size);
			turn.setFromUnitVectors(up, way.divideScalar(length));
			this.bones.setMatrixAt(i, matrix.compose(from, turn, new Vector3(length, length, length)));
		});
		const radius = 0.009 * size;
		this.joints.forEach((node, i) => {
			this.dots.setMatrixAt(i, matrix.compose(place(node), turn.identity(), new Vector3(radius, radius, radius)));
		});
		this.bones.instanceMatrix.needsUpdate = this.dots.instanceMatrix.needsUpdate = true;
	}

	dispose() {
		this.group.removeFromParent();
		for (const mesh of [this.bones, this.dots]) {
			mesh.geometry.dispose();
			mesh.material.dispose();
			mesh.dispose();
		}
	}
}

/** Pressed places with their normals, as long as the force is large. */
class Contacts {
	constructor() {
		const geometry = new BufferGeometry();
		geometry.setAttribute('position', new BufferAttribute(new Float32Array(6 * mostContacts), 3));
		geometry.setDrawRange(0, 0);
		this.lines = new LineSegments(geometry, new LineBasicMaterial({ color: '#ffd24a', depthTest: false, transparent: true }));
		this.dots = new Points(geometry, new PointsMaterial({ color: '#ff5a3c', size: 4, sizeAttenuation: false, depthTest: false, transparent: true }));
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
