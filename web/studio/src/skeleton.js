// SPDX-License-Identifier: MIT
// Joints and bones, drawn through the body.
import {
	Group,
	InstancedMesh,
	Matrix4,
	MeshLambertMaterial,
	OctahedronGeometry,
	Quaternion,
	SphereGeometry,
	Vector3,
} from 'three';

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
export class Skeleton {
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
		this.bones = new InstancedMesh(
			boneShape(),
			new MeshLambertMaterial({ color: '#f4f1ea', opacity: 0.82, ...look }),
			this.pairs.length,
		);
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
