// SPDX-License-Identifier: MIT
// Soft characters in Babylon.js. Skeletons and animation groups stay in charge: poses are read from the bones, and positions and
// normals are written to the vertex buffers of the mesh, which is drawn without its skeleton meanwhile.
//
// Babylon's world is left-handed unless scene.useRightHandedSystem says otherwise; the simulation is right-handed. Between them
// lies a mirror: z changes its sign.
import { Matrix, Quaternion, Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import { VertexBuffer } from '@babylonjs/core/Buffers/buffer.js';
import { Body, readPoint } from './body.js';
import { SuppleError } from './objects/resource.js';
import { chooseBuild, World } from './world.js';

export { SuppleError };

const written = [VertexBuffer.PositionKind, VertexBuffer.NormalKind];
const mirror = Matrix.Scaling(1, 1, -1);

function refuse(message, where = 'soften') {
	throw new SuppleError(message, where);
}

function makeEngine(isMirrored) {
	const sign = isMirrored ? -1 : 1;
	return {
		isMirrored,
		toSimulation: ([x, y, z]) => [x, y, sign * z],
		toSimulationTransform: ({ position = [0, 0, 0], rotation = [0, 0, 0, 1] }) => ({
			position: [position[0], position[1], sign * position[2]],
			rotation: [sign * rotation[0], sign * rotation[1], rotation[2], rotation[3]],
		}),
		readPosition: (camera) => camera.globalPosition.asArray(),
		readTransform(node) {
			if (typeof node?.computeWorldMatrix !== 'function') {
				refuse('expected a TransformNode to follow', 'object');
			}
			const [scale, turn, place] = [new Vector3(), new Quaternion(), new Vector3()];
			node.computeWorldMatrix(true).decompose(scale, turn, place);
			return { position: place.asArray(), rotation: turn.asArray() };
		},
		writeTransform(node, place, turn) {
			node.position.fromArray(place);
			node.rotationQuaternion = Quaternion.FromArray(turn);
		},
	};
}

function nameOf(node) {
	return node.name ? `'${node.name}'` : 'without a name';
}

function findMeshes(input) {
	const list = input?.meshes ?? (Array.isArray(input) ? input : input?.getChildMeshes ? [input, ...input.getChildMeshes()] : null);
	if (!list) {
		refuse('expected the result of ImportMeshAsync, a node, or a list of meshes');
	}
	const meshes = list.filter((mesh) => mesh.skeleton && mesh.geometry);
	if (meshes.length === 0) {
		refuse(`none of ${list.length} meshes has a skeleton: flesh hangs on bones; the studio can rig a mesh that has none`);
	}
	for (const mesh of meshes) {
		for (const kind of [VertexBuffer.PositionKind, VertexBuffer.MatricesIndicesKind, VertexBuffer.MatricesWeightsKind]) {
			if (!mesh.isVerticesDataPresent(kind)) {
				refuse(`mesh ${nameOf(mesh)} has no vertex data '${kind}'`);
			}
		}
	}
	return meshes;
}

/** What moves a bone: the node that a loader has linked to it, or itself. */
function carrierOf(bone) {
	return bone.getTransformNode() ?? bone;
}

function readLocal(node, out, offset) {
	const turn = node.rotationQuaternion ?? Quaternion.FromEulerVector(node.rotation);
	node.position.toArray(out, offset);
	turn.toArray(out, offset + 3);
	node.scaling.toArray(out, offset + 7);
}

function readMatrix(matrix, out, offset) {
	const [scale, turn, place] = [new Vector3(), new Quaternion(), new Vector3()];
	matrix.decompose(scale, turn, place);
	place.toArray(out, offset);
	turn.toArray(out, offset + 3);
	scale.toArray(out, offset + 7);
}

/** What a mesh had before. */
class Surface {
	constructor(mesh, engine) {
		this.mesh = mesh;
		this.engine = engine;
		this.skeleton = mesh.skeleton;
		this.targets = mesh.morphTargetManager;
		this.count = mesh.getTotalVertices();
		this.rest = Object.fromEntries(written.map((kind) => [kind, Float32Array.from(mesh.getVerticesData(kind) ?? [])]));
		this.isShown = false;
	}

	show() {
		if (!this.isShown) {
			this.isShown = true;
			// a buffer of its own, that may be written to; clones share theirs
			this.mesh.makeGeometryUnique();
			written.forEach((kind) => this.mesh.setVerticesData(kind, new Float32Array(3 * this.count), true));
			this.mesh.skeleton = null;
			this.mesh.morphTargetManager = null;
		}
	}

	hide() {
		if (this.isShown) {
			this.isShown = false;
			written.filter((kind) => this.rest[kind].length > 0).forEach((kind) => this.mesh.setVerticesData(kind, this.rest[kind], false));
			this.mesh.skeleton = this.skeleton;
			this.mesh.morphTargetManager = this.targets;
			this.mesh.refreshBoundingInfo();
		}
	}

	write(positions, normals) {
		this.show();
		const world = this.mesh.computeWorldMatrix(true);
		const there = this.engine.isMirrored ? world.multiply(mirror) : world;
		const back = there.clone().invert();
		const place = new Float32Array(positions.length);
		const turned = new Float32Array(normals.length);
		const m = back.m;
		const w = there.m;
		for (let i = 0; i < place.length; i += 3) {
			const [x, y, z] = [positions[i], positions[i + 1], positions[i + 2]];
			const [u, v, n] = [normals[i], normals[i + 1], normals[i + 2]];
			for (let k = 0; k < 3; ++k) {
				place[i + k] = m[k] * x + m[4 + k] * y + m[8 + k] * z + m[12 + k];
				// normals go by the transposed inverse, here that of the inverse
				turned[i + k] = w[4 * k] * u + w[4 * k + 1] * v + w[4 * k + 2] * n;
			}
		}
		this.mesh.updateVerticesData(VertexBuffer.PositionKind, place, true);
		this.mesh.updateVerticesData(VertexBuffer.NormalKind, turned, false);
	}
}

export class SoftCharacter extends Body {
	#engine;
	#carriers;
	#parents;
	#top;
	#surfaces;
	#softness;

	constructor(input, { softness, meshes: wanted }) {
		super();
		this.meshes = findMeshes(input).filter((mesh) => !wanted || wanted(mesh));
		this.#engine = makeEngine(!this.meshes[0].getScene().useRightHandedSystem);
		this.toSimulation = this.#engine.toSimulation;
		this.#softness = softness;
		this.#listCarriers();
		this.#surfaces = this.meshes.map((mesh) => new Surface(mesh, this.#engine));
		this.key = [...this.meshes.map((mesh) => `${mesh.geometry.uniqueId} ${mesh.skeleton.bones.length}`), softness].join(' ');
		this.poseLength = 10 * (this.#carriers.length + 1) + this.#surfaces.reduce((sum, { targets }) => sum + (targets?.numTargets ?? 0), 0);
	}

	get engine() {
		return this.#engine;
	}

	// Bones of all skeletons and the nodes between them, parents first. What lies above is one transform.
	#listCarriers() {
		const bones = new Set(this.meshes.flatMap(({ skeleton }) => skeleton.bones).map(carrierOf));
		const needed = new Set(bones);
		for (const bone of bones) {
			const way = [];
			for (let at = bone.parent; at && !needed.has(at); at = at.parent) {
				way.push(at);
			}
			// only what lies between two bones
			if (way.length > 0 && way.at(-1).parent && needed.has(way.at(-1).parent)) {
				way.forEach((node) => needed.add(node));
			}
		}
		const depth = (node) => (node.parent ? 1 + depth(node.parent) : 0);
		this.#carriers = [...needed].sort((a, b) => depth(a) - depth(b));
		const numberOf = new Map(this.#carriers.map((node, i) => [node, i + 1]));
		this.#parents = this.#carriers.map((node) => numberOf.get(node.parent) ?? 0);
		const tops = new Set(this.#carriers.filter((node, i) => this.#parents[i] === 0).map(({ parent }) => parent ?? null));
		if (tops.size > 1) {
			refuse('its skeletons hang on different nodes; pass the meshes of one character at a time');
		}
		[this.#top] = tops;
		// bones that no node is linked to move in the space of the mesh
		this.#top ??= this.#carriers[0].getSkeleton ? this.meshes[0] : null;
	}

	describe() {
		const pose = new Float32Array(this.poseLength);
		this.readPose(pose);
		const local = (i) => pose.subarray(10 * i, 10 * i + 10);
		const numberOf = new Map(this.#carriers.map((node, i) => [node, i + 1]));
		return {
			name: this.meshes[0].name,
			nodes: [{ name: '', parent: -1, local: local(0) },
				...this.#carriers.map((node, i) => ({ name: node.name, parent: this.#parents[i], local: local(i + 1) }))],
			skins: this.meshes.map(({ skeleton }) => ({
				joints: skeleton.bones.map((bone) => numberOf.get(carrierOf(bone))),
				inverseBinds: Float32Array.from(skeleton.bones.flatMap((bone) => [...bone.getAbsoluteInverseBindMatrix().asArray()])),
			})),
			meshes: this.meshes.map((mesh) => this.#describeMesh(mesh)),
			instances: this.meshes.map(({ morphTargetManager: targets }, i) => ({ node: 0, mesh: i, skin: i,
				weights: Array.from({ length: targets?.numTargets ?? 0 }, (_, k) => targets.getTarget(k).influence) })),
		};
	}

	#describeMesh(mesh) {
		const read = (kind) => mesh.getVerticesData(kind);
		const positions = Float32Array.from(read(VertexBuffer.PositionKind));
		const target = (one) => ({
			name: one.name,
			positions: Float32Array.from(one.getPositions(), (value, i) => value - positions[i]),
			normals: null,
		});
		const softness = read(this.#softness ?? '_softness') ?? read('_SOFTNESS');
		return {
			name: mesh.name,
			positions,
			normals: read(VertexBuffer.NormalKind) && Float32Array.from(read(VertexBuffer.NormalKind)),
			indices: Uint32Array.from(mesh.getIndices()),
			influences: 4,
			joints: Uint16Array.from(read(VertexBuffer.MatricesIndicesKind)),
			weights: Float32Array.from(read(VertexBuffer.MatricesWeightsKind)),
			softness: softness ? Float32Array.from(softness) : null,
			targets: Array.from({ length: mesh.morphTargetManager?.numTargets ?? 0 }, (_, k) => target(mesh.morphTargetManager.getTarget(k))),
		};
	}

	readPose(out) {
		const above = this.#top ? this.#top.computeWorldMatrix(true) : Matrix.Identity();
		readMatrix(this.#engine.isMirrored ? above.multiply(mirror) : above, out, 0);
		let offset = 10;
		for (const node of this.#carriers) {
			if (node.getLocalMatrix) {
				readMatrix(node.getLocalMatrix(), out, offset);
			} else {
				readLocal(node, out, offset);
			}
			offset += 10;
		}
		for (const { targets } of this.#surfaces ?? []) {
			for (let k = 0; k < (targets?.numTargets ?? 0); ++k) {
				out[offset++] = targets.getTarget(k).influence;
			}
		}
	}

	draw(floats) {
		let offset = 0;
		for (const surface of this.#surfaces) {
			const length = 3 * surface.count;
			surface.write(floats.subarray(offset, offset + length), floats.subarray(offset + length, offset + 2 * length));
			offset += 2 * length;
		}
	}

	showSkinned(isSkinned) {
		if (isSkinned) {
			this.#surfaces.forEach((surface) => surface.hide());
		}
	}

	restore() {
		this.#surfaces.forEach((surface) => surface.hide());
	}

	/** Takes hold of the place that scene.pick has found. Returns what has move( point ) and end(). */
	drag(pick, options) {
		const instance = this.meshes.indexOf(pick?.pickedMesh);
		if (instance < 0 || !(pick.faceId >= 0)) {
			refuse('expected what scene.pick has found on a mesh of this character', 'drag');
		}
		readPoint(pick.pickedPoint, 'drag');
		const vertices = [...this.meshes[instance].getIndices().slice(3 * pick.faceId, 3 * pick.faceId + 3)];
		const clamp = (value) => Math.min(Math.max(value, 0), 1);
		// of the second and of the third corner
		const [second, third] = [clamp(pick.bu), clamp(pick.bv)];
		return this.grab({ instance, vertices, weights: [clamp(1 - second - third), second, third] }, options);
	}
}

/** Makes the skinned meshes of an imported character soft. */
export async function soften(input, options = {}) {
	Body.checkOptions(options);
	const soft = new SoftCharacter(input, options);
	await soft.begin(soft.engine, options);
	return soft;
}

/** A world for several characters that touch each other. scene: the one that they are in. */
export function createWorld(scene, { method, ...options } = {}) {
	if (typeof scene?.getEngine !== 'function') {
		refuse('expected the scene as the first argument', 'createWorld');
	}
	return World.open(makeEngine(!scene.useRightHandedSystem), { build: method === undefined ? 'methods' : chooseBuild(method), ...options });
}
