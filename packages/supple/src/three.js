// SPDX-License-Identifier: MIT
// Soft characters in three.js. Skeleton, mixer and clips stay in charge: poses are read from the bones, and positions and normals
// are written to a geometry that takes the place of the mesh's own and shares everything else with it.
import {
	Box3, BufferAttribute, BufferGeometry, DynamicDrawUsage, Matrix4, Mesh, Plane, Quaternion, Raycaster, Sphere, Vector2, Vector3,
} from 'three';
import { Body, readPoint } from './body.js';
import { SuppleError } from './objects/resource.js';
import { chooseBuild, World } from './world.js';

export { SuppleError };

const position = new Vector3();
const rotation = new Quaternion();
const scale = new Vector3();
const inverse = new Matrix4();

/** Metres and axes are the same here as there. */
const engine = {
	toSimulation: (vector) => vector,
	toSimulationTransform: (place) => place,
	readPosition(object) {
		object.updateWorldMatrix(true, false);
		return position.setFromMatrixPosition(object.matrixWorld).toArray();
	},
	readTransform(object) {
		if (!object?.isObject3D) {
			throw new SuppleError('expected an Object3D to follow', 'object');
		}
		object.updateWorldMatrix(true, false);
		object.matrixWorld.decompose(position, rotation, scale);
		return { position: position.toArray(), rotation: rotation.toArray() };
	},
	writeTransform(object, place, turn) {
		object.position.fromArray(place);
		object.quaternion.fromArray(turn);
	},
};

function refuse(message, where = 'soften') {
	throw new SuppleError(message, where);
}

function nameOf(object) {
	return object.name ? `'${object.name}'` : `without a name (${object.type})`;
}

// As in the file, where settings have it from: three.js takes some letters out of names.
function fileName({ name, userData }) {
	return typeof userData.name === 'string' ? userData.name : name;
}

function isBelow(object, root) {
	let at = object;
	while (at && at !== root) {
		at = at.parent;
	}
	return at === root;
}

/** The object whose descendants all of these are: root, or one above it. */
function findCommonRoot(root, meshes) {
	const bones = meshes.flatMap((mesh) => mesh.skeleton.bones);
	let top = root;
	while (top && !bones.every((bone) => isBelow(bone, top))) {
		top = top.parent;
	}
	if (!top) {
		const bone = bones.find((one) => !isBelow(one, root));
		refuse(`bone ${nameOf(bone)} is not in the same hierarchy as ${nameOf(root)}: add the root bone to the scene next to its ` +
			'mesh, and clone characters with SkeletonUtils.clone, which clones bones too');
	}
	return top;
}

function checkMesh(mesh) {
	const { geometry, skeleton } = mesh;
	if (!skeleton || skeleton.bones.length === 0) {
		refuse(`mesh ${nameOf(mesh)} has no skeleton: call mesh.bind( skeleton ) first`);
	}
	const missing = skeleton.bones.findIndex((bone) => !bone);
	if (missing >= 0) {
		refuse(`mesh ${nameOf(mesh)}: bone ${missing} of its skeleton is not in the scene`);
	}
	for (const name of ['position', 'skinIndex', 'skinWeight']) {
		if (!geometry.attributes[name]) {
			refuse(`mesh ${nameOf(mesh)} has no attribute '${name}'`);
		}
	}
	if (mesh.bindMode === 'detached') {
		refuse(`mesh ${nameOf(mesh)} is bound in detached mode, which is not supported; set mesh.bindMode to 'attached'`);
	}
}

function findMeshes(root, wanted) {
	if (!root?.isObject3D) {
		refuse(root?.scene?.isObject3D ? 'expected an Object3D: pass gltf.scene, not gltf' : 'expected an Object3D, such as gltf.scene');
	}
	const meshes = [];
	let others = 0;
	root.traverse((object) => {
		if (object.isSkinnedMesh && (!wanted || wanted(object))) {
			meshes.push(object);
		} else if (object.isMesh) {
			others += 1;
			if (object.skeleton) {
				refuse(`mesh ${nameOf(object)} is soft already; dispose() the first one before it is made soft again`);
			}
		}
	});
	if (meshes.length === 0) {
		refuse(`there is no SkinnedMesh in ${nameOf(root)}${others > 0 ? ` (${others} meshes without a skin)` : ''}: flesh hangs on ` +
			'bones; the studio can rig a mesh that has none');
	}
	meshes.forEach(checkMesh);
	return meshes;
}

/** Primitives that a loader has made meshes of: siblings in a group that have the same skeleton. */
function groupMeshes(meshes) {
	const groups = new Map();
	for (const mesh of meshes) {
		const key = mesh.parent?.isGroup && mesh.parent.parent ? `${mesh.parent.id} ${mesh.skeleton.uuid}` : `alone ${mesh.id}`;
		groups.set(key, [...(groups.get(key) ?? []), mesh]);
	}
	return [...groups.values()];
}

/** The first `width` numbers of all items, whatever they are stored as. */
function readAttribute(attribute, width, type) {
	const values = new type(width * attribute.count);
	for (let i = 0; i < attribute.count; ++i) {
		for (let k = 0; k < width; ++k) {
			values[width * i + k] = attribute.getComponent(i, k);
		}
	}
	return values;
}

function readIndices(geometry, first, out) {
	const { index, attributes } = geometry;
	const count = index ? index.count : attributes.position.count;
	for (let i = 0; i < count - (count % 3); ++i) {
		out.push(first + (index ? index.getX(i) : i));
	}
	return count - (count % 3);
}

/** Offsets of a morph target; three.js may store places instead. */
function readTarget(geometry, kind, index) {
	const values = readAttribute(geometry.morphAttributes[kind][index], 3, Float32Array);
	if (!geometry.morphTargetsRelative) {
		const base = readAttribute(geometry.attributes[kind], 3, Float32Array);
		values.forEach((value, i) => (values[i] = value - base[i]));
	}
	return values;
}

function join(arrays, type) {
	const all = new type(arrays.reduce((sum, { length }) => sum + length, 0));
	let offset = 0;
	for (const array of arrays) {
		all.set(array, offset);
		offset += array.length;
	}
	return all;
}

function findSoftness({ geometry }, name) {
	if (name !== undefined && !geometry.attributes[name]) {
		return null;
	}
	return geometry.attributes[name ?? '_softness'] ?? geometry.attributes[name ?? 'softness'] ?? null;
}

function describeSoftness(meshes, name) {
	const painted = meshes.map((mesh) => findSoftness(mesh, name));
	if (painted.every((one) => one === null)) {
		return null;
	}
	return join(painted.map((one, i) => (one ? readAttribute(one, 1, Float32Array)
		: new Float32Array(meshes[i].geometry.attributes.position.count))), Float32Array);
}

/** One mesh of the library: the primitives of a group, one after another. */
function describeMesh(meshes, softness) {
	const all = (name, width, type) => join(meshes.map(({ geometry }) => readAttribute(geometry.attributes[name], width, type)), type);
	const indices = [];
	const primitives = [];
	let first = 0;
	for (const { geometry } of meshes) {
		const start = indices.length;
		const { count } = geometry.attributes.position;
		primitives.push([first, count, start, readIndices(geometry, first, indices)]);
		first += count;
	}
	const targetCount = meshes[0].geometry.morphAttributes.position?.length ?? 0;
	if (meshes.some(({ geometry }) => (geometry.morphAttributes.position?.length ?? 0) !== targetCount)) {
		refuse(`the primitives of ${nameOf(meshes[0])} have different numbers of morph targets`);
	}
	const target = (i) => ({
		name: String(i),
		positions: join(meshes.map(({ geometry }) => readTarget(geometry, 'position', i)), Float32Array),
		normals: meshes.every(({ geometry }) => geometry.morphAttributes.normal?.[i] && geometry.attributes.normal)
			? join(meshes.map(({ geometry }) => readTarget(geometry, 'normal', i)), Float32Array) : null,
	});
	return {
		name: meshes[0].name,
		positions: all('position', 3, Float32Array),
		normals: meshes.every(({ geometry }) => geometry.attributes.normal) ? all('normal', 3, Float32Array) : null,
		indices: Uint32Array.from(indices),
		influences: 4,
		joints: all('skinIndex', 4, Uint16Array),
		weights: all('skinWeight', 4, Float32Array),
		softness: describeSoftness(meshes, softness),
		primitives,
		targets: Array.from({ length: targetCount }, (_, i) => target(i)),
	};
}

/** What is drawn in place of a mesh's own geometry. */
class Surface {
	constructor(mesh, first) {
		this.mesh = mesh;
		this.first = first;
		this.skinned = mesh.geometry;
		this.count = mesh.geometry.attributes.position.count;
		this.isShown = false;
		this.bounds = { sphere: mesh.boundingSphere, box: mesh.boundingBox };
		const { attributes, index, groups, drawRange, userData } = this.skinned;
		const soft = new BufferGeometry();
		soft.name = this.skinned.name;
		soft.index = index;
		soft.groups = groups;
		soft.drawRange = drawRange;
		soft.userData = userData;
		// tangents would have to turn with the skin; without them shaders find their own
		for (const name of Object.keys(attributes).filter((key) => !['position', 'normal', 'tangent', 'skinIndex', 'skinWeight'].includes(key))) {
			soft.setAttribute(name, attributes[name]);
		}
		for (const name of ['position', 'normal']) {
			soft.setAttribute(name, new BufferAttribute(new Float32Array(3 * this.count), 3).setUsage(DynamicDrawUsage));
		}
		soft.boundingSphere = new Sphere();
		soft.boundingBox = new Box3();
		this.soft = soft;
	}

	show() {
		if (!this.isShown) {
			const { mesh } = this;
			this.isShown = true;
			mesh.geometry = this.soft;
			// renderers skin and raycasts follow bones where these say so
			mesh.isSkinnedMesh = false;
			mesh.getVertexPosition = Mesh.prototype.getVertexPosition;
			mesh.computeBoundingSphere = () => {};
			mesh.computeBoundingBox = () => {};
			mesh.boundingSphere = this.soft.boundingSphere;
			mesh.boundingBox = this.soft.boundingBox;
		}
	}

	hide() {
		if (this.isShown) {
			const { mesh } = this;
			this.isShown = false;
			mesh.geometry = this.skinned;
			mesh.isSkinnedMesh = true;
			for (const key of ['getVertexPosition', 'computeBoundingSphere', 'computeBoundingBox']) {
				delete mesh[key];
			}
			// bones have moved since
			mesh.boundingSphere = this.bounds.sphere && null;
			mesh.boundingBox = this.bounds.box && null;
		}
	}

	/** Positions and normals of the world, into the space of the mesh. */
	write(positions, normals) {
		const { attributes, boundingBox, boundingSphere } = this.soft;
		this.mesh.updateWorldMatrix(true, false);
		const w = this.mesh.matrixWorld.elements;
		const m = inverse.copy(this.mesh.matrixWorld).invert().elements;
		const to = attributes.position.array;
		const turned = attributes.normal.array;
		const low = [Infinity, Infinity, Infinity];
		const high = [-Infinity, -Infinity, -Infinity];
		for (let i = 0; i < to.length; i += 3) {
			const [x, y, z] = [positions[i], positions[i + 1], positions[i + 2]];
			const [u, v, n] = [normals[i], normals[i + 1], normals[i + 2]];
			for (let k = 0; k < 3; ++k) {
				const value = m[k] * x + m[4 + k] * y + m[8 + k] * z + m[12 + k];
				to[i + k] = value;
				low[k] = value < low[k] ? value : low[k];
				high[k] = value > high[k] ? value : high[k];
				// normals go by the transposed inverse, here that of the inverse
				turned[i + k] = w[4 * k] * u + w[4 * k + 1] * v + w[4 * k + 2] * n;
			}
		}
		attributes.position.needsUpdate = true;
		attributes.normal.needsUpdate = true;
		boundingBox.min.fromArray(low);
		boundingBox.max.fromArray(high);
		boundingBox.getBoundingSphere(boundingSphere);
	}

	dispose() {
		this.hide();
		// what is shared belongs to the mesh's own geometry
		Object.keys(this.soft.attributes).filter((name) => name !== 'position' && name !== 'normal')
			.forEach((name) => this.soft.deleteAttribute(name));
		this.soft.index = null;
		this.soft.dispose();
	}
}

export class SoftCharacter extends Body {
	#top;
	#objects;
	#groups;
	#surfaces;
	#softness;
	toSimulation = engine.toSimulation;

	constructor(root, { meshes: wanted, softness }) {
		super();
		const meshes = findMeshes(root, wanted);
		this.root = root;
		this.meshes = meshes;
		this.#softness = softness;
		this.#top = findCommonRoot(root, meshes);
		this.#top.updateWorldMatrix(true, true);
		this.#listObjects();
		this.#groups = groupMeshes(meshes);
		if (softness !== undefined && !meshes.some(({ geometry }) => geometry.attributes[softness])) {
			refuse(`no mesh has an attribute '${softness}'`, 'softness');
		}
		this.#surfaces = this.#groups.map((group) => {
			let first = 0;
			return group.map((mesh) => {
				const surface = new Surface(mesh, first);
				first += surface.count;
				return surface;
			});
		});
		// one that was cloned has the same geometry and shares flesh; one of another size does not
		this.#top.matrixWorld.decompose(position, rotation, scale);
		this.key = [...meshes.map(({ geometry, skeleton }) => `${geometry.uuid} ${skeleton.boneInverses.length}`),
			softness, scale.toArray().map((value) => value.toPrecision(5)), this.#objects.map(({ name }) => name)].join(' ');
		this.poseLength = 10 * (this.#objects.length + 1) + this.#groups.reduce((sum, [mesh]) => sum + this.#targetCount(mesh), 0);
	}

	#targetCount(mesh) {
		return mesh.geometry.morphAttributes.position?.length ?? 0;
	}

	// All that carries a bone or a mesh, parents first.
	#listObjects() {
		const needed = new Set();
		for (const object of this.meshes.flatMap((mesh) => [mesh, ...mesh.skeleton.bones])) {
			for (let at = object; at && !needed.has(at); at = at === this.#top ? null : at.parent) {
				needed.add(at);
			}
		}
		this.#objects = [];
		this.#top.traverse((object) => needed.has(object) && this.#objects.push(object));
	}

	describe() {
		const pose = new Float32Array(this.poseLength);
		this.readPose(pose);
		const local = (i) => pose.subarray(10 * i, 10 * i + 10);
		const numberOf = new Map(this.#objects.map((object, i) => [object, i + 1]));
		// node 0 is whatever carries the topmost object
		const nodes = [{ name: '', parent: -1, local: local(0) }, ...this.#objects.map((object, i) => ({ name: fileName(object),
			parent: object === this.#top ? 0 : numberOf.get(object.parent), local: local(i + 1) }))];
		return {
			name: this.root.name || 'character',
			nodes,
			skins: this.#groups.map(([mesh]) => this.#describeSkin(mesh, numberOf)),
			meshes: this.#groups.map((group) => describeMesh(group, this.#softness)),
			instances: this.#groups.map(([mesh], i) => ({ node: numberOf.get(mesh), mesh: i, skin: i,
				weights: Array.from({ length: this.#targetCount(mesh) }, (_, k) => mesh.morphTargetInfluences?.[k] ?? 0) })),
		};
	}

	#describeSkin({ skeleton, bindMatrix }, numberOf) {
		const matrix = new Matrix4();
		return {
			joints: skeleton.bones.map((bone) => numberOf.get(bone)),
			inverseBinds: Float32Array.from(skeleton.boneInverses.flatMap((bind) => matrix.multiplyMatrices(bind, bindMatrix).toArray())),
		};
	}

	/** Ten numbers a node, then morph weights. */
	readPose(out) {
		const above = this.#top.parent;
		if (above) {
			above.updateWorldMatrix(true, false);
			above.matrixWorld.decompose(position, rotation, scale);
		} else {
			position.set(0, 0, 0);
			rotation.identity();
			scale.set(1, 1, 1);
		}
		let offset = 0;
		const write = (p, q, s) => {
			p.toArray(out, offset);
			q.toArray(out, offset + 3);
			s.toArray(out, offset + 7);
			offset += 10;
		};
		write(position, rotation, scale);
		for (const object of this.#objects) {
			if (object.matrixAutoUpdate) {
				write(object.position, object.quaternion, object.scale);
			} else {
				object.matrix.decompose(position, rotation, scale);
				write(position, rotation, scale);
			}
		}
		this.#groups.forEach(([mesh], i) => {
			const count = this.#surfaces[i][0].skinned.morphAttributes.position?.length ?? 0;
			for (let k = 0; k < count; ++k) {
				out[offset++] = mesh.morphTargetInfluences?.[k] ?? 0;
			}
		});
	}

	draw(floats) {
		let offset = 0;
		for (const group of this.#surfaces) {
			const count = group.reduce((sum, surface) => sum + surface.count, 0);
			for (const surface of group) {
				const from = offset + 3 * surface.first;
				surface.write(floats.subarray(from, from + 3 * surface.count),
					floats.subarray(from + 3 * count, from + 3 * (count + surface.count)));
				surface.show();
			}
			offset += 6 * count;
		}
	}

	showSkinned(isSkinned) {
		if (isSkinned) {
			this.#surfaces.flat().forEach((surface) => surface.hide());
		}
	}

	restore() {
		this.#surfaces.flat().forEach((surface) => surface.dispose());
	}

	/**
	 * Takes hold of the place that a Raycaster has found on one of its meshes. Returns what has move( point ) and end().
	 * radius: metres around it that are held (default 0.15 of the character's size).
	 */
	drag(intersection, options) {
		const { object, face, point } = intersection ?? {};
		const instance = this.#surfaces.findIndex((group) => group.some(({ mesh }) => mesh === object));
		if (instance < 0 || !face) {
			refuse('expected an intersection of a Raycaster with a mesh of this character', 'drag');
		}
		const { first } = this.#surfaces[instance].find(({ mesh }) => mesh === object);
		const corners = [face.a, face.b, face.c];
		const places = corners.map((vertex) => object.getVertexPosition(vertex, new Vector3()).applyMatrix4(object.matrixWorld));
		const weights = findWeights(readPoint(point, 'drag'), places.map((place) => place.toArray()));
		return this.grab({ instance, vertices: corners.map((vertex) => first + vertex), weights }, options);
	}
}

/** Barycentric weights of a point in a triangle. */
function findWeights(p, [a, b, c]) {
	const [u, v, w] = [b, c, p].map((corner) => new Vector3().fromArray(corner).sub(position.fromArray(a)));
	const [uu, uv, vv, wu, wv] = [u.dot(u), u.dot(v), v.dot(v), w.dot(u), w.dot(v)];
	const area = uu * vv - uv * uv;
	if (!(area > 0)) {
		return [1, 0, 0];
	}
	const second = Math.min(Math.max((vv * wu - uv * wv) / area, 0), 1);
	const third = Math.min(Math.max((uu * wv - uv * wu) / area, 0), 1 - second);
	return [1 - second - third, second, third];
}

/** Makes the skinned meshes below an object soft. */
export async function soften(root, options = {}) {
	Body.checkOptions(options);
	const soft = new SoftCharacter(root, options);
	await soft.begin(engine, options);
	return soft;
}

/** A world for several characters that touch each other. */
export function createWorld({ method, ...options } = {}) {
	return World.open(engine, { build: method === undefined ? 'methods' : chooseBuild(method), ...options });
}

/**
 * Lets pointers (mouse, pen, fingers) pull at characters. controls: camera controls to be held still meanwhile. Returns a
 * function that ends it.
 */
export function enableDrag(characters, camera, element, { controls = null, ...options } = {}) {
	const list = [characters].flat();
	if (!list.every((one) => one instanceof SoftCharacter) || !camera?.isCamera || !element?.addEventListener) {
		refuse('expected characters of soften, a camera and the element that the renderer draws to', 'enableDrag');
	}
	const raycaster = new Raycaster();
	const drags = new Map();
	const aim = ({ clientX, clientY }) => {
		const { left, top, width, height } = element.getBoundingClientRect();
		raycaster.setFromCamera(new Vector2((2 * (clientX - left)) / width - 1, 1 - (2 * (clientY - top)) / height), camera);
	};
	const start = (event) => {
		aim(event);
		const [hit] = raycaster.intersectObjects(list.flatMap(({ meshes }) => meshes), false);
		if (hit) {
			const soft = list.find(({ meshes }) => meshes.includes(hit.object));
			// the pointer moves what it holds in a plane that faces the camera
			const plane = new Plane().setFromNormalAndCoplanarPoint(camera.getWorldDirection(new Vector3()), hit.point);
			drags.set(event.pointerId, { drag: soft.drag(hit, options), plane });
			element.setPointerCapture?.(event.pointerId);
			event.stopImmediatePropagation();
			if (controls) {
				controls.enabled = false;
			}
		}
	};
	const move = (event) => {
		const held = drags.get(event.pointerId);
		if (held) {
			aim(event);
			const target = raycaster.ray.intersectPlane(held.plane, new Vector3());
			if (target) {
				held.drag.move(target);
			}
		}
	};
	const end = (event) => {
		drags.get(event.pointerId)?.drag.end();
		if (drags.delete(event.pointerId) && drags.size === 0 && controls) {
			controls.enabled = true;
		}
	};
	const before = element.style.touchAction;
	// a finger is to pull, not to scroll
	element.style.touchAction = 'none';
	const handlers = { pointerdown: start, pointermove: move, pointerup: end, pointercancel: end };
	Object.entries(handlers).forEach(([name, handler]) => element.addEventListener(name, handler, { capture: true }));
	return () => {
		Object.entries(handlers).forEach(([name, handler]) => element.removeEventListener(name, handler, { capture: true }));
		drags.forEach(({ drag }) => drag.end());
		element.style.touchAction = before;
	};
}
