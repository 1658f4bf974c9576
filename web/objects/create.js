// SPDX-License-Identifier: MIT
// Characters from arrays, as an engine has them in memory.
import { SuppleError } from './resource.js';

const types = { positions: Float32Array, normals: Float32Array, indices: Uint32Array, joints: Uint16Array,
	weights: Float32Array, softness: Float32Array };

function refuse(where, message) {
	throw new SuppleError(message, where, 'argument');
}

function checkArray(where, array, length) {
	if (array.length !== length) {
		refuse(where, `expected ${length} numbers (got ${array.length})`);
	}
}

// Lengths, here, where names are known. What the numbers mean is checked by the library.
function checkMesh(where, mesh) {
	if (!(mesh.positions?.length > 0) || mesh.positions.length % 3 !== 0) {
		refuse(`${where}.positions`, 'expected three numbers a vertex, of one vertex at least');
	}
	const count = mesh.positions.length / 3;
	if (!(mesh.indices?.length > 0) || mesh.indices.length % 3 !== 0) {
		refuse(`${where}.indices`, 'expected three indices a triangle, of one triangle at least');
	}
	const influences = mesh.influences ?? 4;
	checkArray(`${where}.joints`, mesh.joints ?? [], mesh.joints ? influences * count : 0);
	checkArray(`${where}.weights`, mesh.weights ?? [], mesh.joints ? influences * count : 0);
	for (const [name, width] of [['normals', 3], ['softness', 1]]) {
		if (mesh[name]) {
			checkArray(`${where}.${name}`, mesh[name], width * count);
		}
	}
	(mesh.targets ?? []).forEach(({ positions, normals }, i) => {
		checkArray(`${where}.targets[${i}].positions`, positions, 3 * count);
		if (normals) {
			checkArray(`${where}.targets[${i}].normals`, normals, 3 * count);
		}
	});
}

class Builder {
	constructor(supple) {
		this.supple = supple;
		this.m = supple.module;
		this.pointer = supple.ok(this.m._supWeb_BeginCharacter());
	}

	// A copy that lives as long as the builder; 0 for nothing.
	array(values, type) {
		if (!values) {
			return 0;
		}
		const pointer = this.m._supWeb_BuilderArray(this.pointer, Math.max(values.length, 1) * type.BYTES_PER_ELEMENT);
		if (pointer === 0) {
			throw new SuppleError('out of memory', '', 'memory');
		}
		new type(this.m.HEAPU8.buffer, pointer, values.length).set(values);
		return pointer;
	}

	name(text, call) {
		this.supple.withText(String(text ?? ''), call);
	}

	node({ name, parent = -1, local }, index) {
		checkArray(`nodes[${index}].local`, local, 10);
		const numbers = this.array(local, Float32Array);
		this.name(name, (text) => this.m._supWeb_AddNode(this.pointer, text, parent, numbers));
	}

	skin({ joints, inverseBinds }, index) {
		checkArray(`skins[${index}].inverseBinds`, inverseBinds, 16 * joints.length);
		this.m._supWeb_AddSkin(this.pointer, joints.length, this.array(joints, Int32Array), this.array(inverseBinds, Float32Array));
	}

	mesh(mesh, index) {
		checkMesh(`meshes[${index}]`, mesh);
		const count = mesh.positions.length / 3;
		const runs = mesh.primitives ?? [[0, count, 0, mesh.indices.length]];
		const [positions, normals, indices, joints, weights, softness] =
			['positions', 'normals', 'indices', 'joints', 'weights', 'softness'].map((key) => this.array(mesh[key], types[key]));
		const primitives = this.array(runs.flat(), Int32Array);
		this.name(mesh.name, (text) => this.m._supWeb_AddMesh(this.pointer, text, count, positions, normals, mesh.indices.length,
			indices, joints ? mesh.influences ?? 4 : 0, joints, weights, softness, runs.length, primitives));
		for (const target of mesh.targets ?? []) {
			const [offsets, turns] = [target.positions, target.normals].map((values) => this.array(values, Float32Array));
			this.name(target.name, (text) => this.m._supWeb_AddTarget(this.pointer, text, offsets, turns));
		}
	}

	instance({ node, mesh, skin = -1, weights }) {
		this.m._supWeb_AddInstance(this.pointer, node, mesh, skin, this.array(weights, Float32Array));
	}
}

/** The pointer of a character with these nodes, skins, meshes and instances. */
export function buildCharacter(supple, { name = 'character', nodes = [], skins = [], meshes = [], instances = [] }) {
	const builder = new Builder(supple);
	try {
		nodes.forEach((node, i) => builder.node(node, i));
		skins.forEach((skin, i) => builder.skin(skin, i));
		meshes.forEach((mesh, i) => builder.mesh(mesh, i));
		instances.forEach((instance) => builder.instance(instance));
	} catch (error) {
		builder.m._supWeb_DropCharacter(builder.pointer);
		throw error;
	}
	return supple.withText(name, (text) => supple.ok(builder.m._supWeb_FinishCharacter(builder.pointer, text)));
}
