// SPDX-License-Identifier: MIT
// Supple for JavaScript: in a page, in a worker, in Node. docs/web.md says how to use it.
//
// Objects of the library live in the memory of WebAssembly and are released by destroy(). What is still in use by
// another object (the character of a flesh, the flesh of an actor) stays until that one is gone too.
import { Attachment, attachmentKinds } from './attachments.js';

const errorCodes = [
	'none', 'memory', 'argument', 'not-found', 'read', 'write', 'format', 'unsupported', 'too-large',
];

/** What the library has to say about a file or a number that it cannot use. */
export class SuppleError extends Error {
	constructor(message, where = '', code = 'argument') {
		super(where ? `${where}: ${message}` : message);
		this.name = 'SuppleError';
		this.where = where;
		this.code = code;
	}
}

const isNode = typeof process === 'object' && process.versions?.node !== undefined;

// Emscripten's program for threads starts Workers as a page does; Node has them under another name. Returns what lets
// the program end while they live.
async function provideWorkers() {
	const { Worker: NodeWorker } = await import('node:worker_threads');
	const { availableParallelism } = await import('node:os');
	const started = [];
	globalThis.navigator ??= { hardwareConcurrency: availableParallelism() };
	globalThis.Worker = class extends NodeWorker {
		constructor(url) {
			const script = `
				import { parentPort } from 'node:worker_threads';
				globalThis.self = globalThis;
				globalThis.postMessage = (data, transfer) => parentPort.postMessage(data, transfer);
				await import(${JSON.stringify(String(url))});
				parentPort.on('message', (data) => globalThis.onmessage({ data }));`;
			super(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
			this.on('message', (data) => this.onmessage?.({ data }));
			this.on('error', (error) => this.onerror?.({ message: error.message, error }));
			started.push(this);
		}
	};
	return () => started.forEach((worker) => worker.unref());
}

/**
 * Loads the library. threads: 0 or 1 for the build without threads; more for that many, the caller's included, where
 * memory can be shared (in a page: crossOriginIsolated). meshoptDecoder: three.js's MeshoptDecoder, for compressed files.
 * base: where supple.wasm and the rest lie; beside this file where not given.
 */
export async function createSupple({ threads = 0, meshoptDecoder = null, base = import.meta.url } = {}) {
	const shared = threads > 1;
	const name = shared ? 'supple-threads' : 'supple';
	if (meshoptDecoder?.ready) {
		await meshoptDecoder.ready;
	}
	const options = {
		locateFile: (file) => new URL(file, base).href,
		supPoolSize: Math.max(threads - 1, 0),
		supDecoder: meshoptDecoder,
		print: (text) => console.log(text),
		printErr: (text) => {
			// in Node the main thread may wait
			if (!(isNode && text.startsWith('Blocking on the main thread'))) {
				console.warn(text);
			}
		},
	};
	let started = () => {};
	if (isNode) {
		const { readFile } = await import('node:fs/promises');
		options.wasmBinary = await readFile(new URL(`${name}.wasm`, base));
		if (shared) {
			started = await provideWorkers();
		}
	}
	options.mainScriptUrlOrBlob = new URL(`${name}.mjs`, base).href;
	const { default: start } = await import(/* @vite-ignore */ options.mainScriptUrlOrBlob);
	const supple = new Supple(await start(options), Math.max(threads, 1));
	started();
	return supple;
}

// ---------------------------------------------------------------------------------------------------------------------

// Something of the library: a pointer, what it needs, and who needs it.
class Resource {
	#users = 1;
	#alive = true;

	constructor(supple, pointer, needs = []) {
		this.supple = supple;
		this.pointer = pointer;
		this.needs = needs;
		needs.forEach((one) => one.retain());
	}

	retain() {
		this.#users += 1;
	}

	drop() {
		this.#users -= 1;
		if (this.#users === 0) {
			this.release();
			this.pointer = 0;
			this.needs.forEach((one) => one.drop());
		}
	}

	/** Releases it, as soon as nothing needs it any more. Twice is fine. */
	destroy() {
		if (this.#alive) {
			this.#alive = false;
			this.drop();
		}
	}

	check() {
		if (!this.#alive) {
			throw new SuppleError(`this ${this.constructor.name.toLowerCase()} has been destroyed`);
		}
		return this.pointer;
	}
}

class Supple {
	constructor(module, threads) {
		this.module = module;
		this.threads = module._supWeb_Start(threads);
		this.version = this.text(module._supWeb_Version());
		this.methods = this.json(module._supWeb_Methods());
		this.builtins = this.json(module._supWeb_Builtins());
		this.motions = this.json(module._supWeb_Motions());
		this.files = 0;
		this.SuppleError = SuppleError;
	}

	// ---- between the two languages ----

	text(pointer) {
		return this.module.UTF8ToString(pointer);
	}

	json(pointer) {
		const text = this.text(pointer);
		return text === '' ? this.fail() : JSON.parse(text);
	}

	// The error of the last call, thrown.
	fail() {
		const m = this.module;
		throw new SuppleError(this.text(m._supWeb_ErrorMessage()), this.text(m._supWeb_ErrorWhere()),
			errorCodes[m._supWeb_ErrorCode()]);
	}

	// What a call returned, unless it failed.
	ok(value) {
		return value ? value : this.fail();
	}

	// Memory may have grown since: views are made anew for each use.
	floats(pointer, count) {
		return new Float32Array(this.module.HEAPU8.buffer, pointer, count);
	}

	ints(pointer, count) {
		return new Int32Array(this.module.HEAPU8.buffer, pointer, count);
	}

	bytes(pointer, count) {
		return new Uint8Array(this.module.HEAPU8.buffer, pointer, count);
	}

	// A copy of bytes that the library handed over.
	take(pointer, count) {
		const bytes = this.bytes(this.ok(pointer), count).slice();
		this.module._supWeb_Free(pointer);
		return bytes;
	}

	// Calls with a text that lives as long as the call.
	withText(text, call) {
		const m = this.module;
		const size = m.lengthBytesUTF8(text) + 1;
		const pointer = this.ok(m._supWeb_Allocate(size));
		try {
			m.stringToUTF8(text, pointer, size);
			return call(pointer, size - 1);
		} finally {
			m._supWeb_Free(pointer);
		}
	}

	// Calls with the path of a folder of its own with these files in it: { name: bytes }.
	withFiles(files, call) {
		const fs = this.module.FS;
		const folder = `/tmp/${++this.files}`;
		fs.mkdirTree(folder);
		try {
			for (const [name, bytes] of Object.entries(files)) {
				// as it is written in the document, and as the file is called
				for (const path of new Set([name, unescapeUri(name)])) {
					writeFile(fs, folder, path, bytes);
				}
			}
			return call(folder);
		} finally {
			removeFolder(fs, folder);
		}
	}

	// ---- what there is ----

	loadBuiltin(name) {
		const pointer = this.withText(name, (text) => this.module._supWeb_LoadBuiltin(text));
		return new Character(this, this.ok(pointer));
	}

	/** A .glb, .gltf, .vrm or .bvh; files beside it as { uri: bytes }. unit: metres per unit of the file, where it is not in metres. */
	loadCharacter(bytes, name, { files = {}, unit = 1 } = {}) {
		const plain = fileName(name);
		if (!(unit >= 1e-6 && unit <= 1e6)) {
			throw new SuppleError(`unit must be 1e-6 to 1e6 metres (got ${unit})`);
		}
		return this.withFiles({ ...files, [plain]: bytes }, (folder) => this.withText(`${folder}/${plain}`, (path) => {
			const pointer = this.module._supWeb_LoadCharacter(path);
			const character = new Character(this, pointer || this.failPlainly(folder));
			if (unit !== 1) {
				this.module._supWeb_SetUnit(pointer, unit);
			}
			return character;
		}));
	}

	// Without the folder, which means nothing to anybody.
	failPlainly(folder) {
		try {
			return this.fail();
		} catch (error) {
			throw new SuppleError(this.text(this.module._supWeb_ErrorMessage()).replaceAll(`${folder}/`, ''),
				error.where.replaceAll(`${folder}/`, ''), error.code);
		}
	}

	/** Settings as in docs/files.md, as an object. */
	buildFlesh(character, settings = {}) {
		const own = character.check();
		const pointer = this.withText(JSON.stringify(settings),
			(text, length) => this.module._supWeb_BuildFlesh(own, text, length));
		return new Flesh(this, this.ok(pointer), character, structuredClone(settings), 0);
	}

	/** The content of a .flesh file, that was built here or by the command line. */
	readFlesh(character, bytes, name = 'flesh') {
		const m = this.module;
		const own = character.check();
		const memory = this.ok(m._supWeb_Allocate(bytes.length));
		this.bytes(memory, bytes.length).set(bytes);
		const pointer = this.withText(name, (text) => m._supWeb_ReadFlesh(own, memory, bytes.length, text));
		if (pointer === 0) {
			m._supWeb_Free(memory);
			this.fail();
		}
		return new Flesh(this, pointer, character, null, memory);
	}

	/**
	 * A clip with flesh, frame by frame, with the same numbers as `supple bake --settings`. clip: number or name, -1 for the
	 * rest pose; progress( done, total ) is called after each frame, and stops the bake where it returns false.
	 */
	bake(flesh, { clip = 0, fps = 30, rate = fps, from = NaN, to = NaN, substeps = 0, preroll = 0, loop = false,
		tolerance = 1e-4, progress = null } = {}) {
		const m = this.module;
		flesh.check();
		const { clips } = flesh.character.summary;
		const index = typeof clip === 'string' ? clips.findIndex((one) => one.name === clip) : clips.length > 0 ? clip : -1;
		if (typeof clip === 'string' && index < 0) {
			throw new SuppleError(`there is no clip "${clip}"`);
		}
		if (!(rate >= 0.1 && rate <= 10000 && substeps >= 0 && substeps <= 1000 && preroll >= 0 && preroll <= 3600)) {
			throw new SuppleError('rate lies between 0.1 and 10000, substeps between 0 (automatic) and 1000, preroll between 0 and 3600');
		}
		m.supProgress = (done, total) => (progress?.(done, total) === false ? 0 : 1);
		const path = `/tmp/${++this.files}.part`;
		const pointer = this.withText(path, (text) => m._supWeb_Bake(flesh.character.pointer, flesh.pointer, text, index, rate,
			from, to, Math.trunc(substeps), preroll, loop));
		m.supProgress = null;
		return new Bake(this, this.ok(pointer), flesh, tolerance);
	}

	/** Joints and bones for a mesh that has none. */
	createRig(character) {
		return new Rig(this, this.ok(this.module._supWeb_CreateRig(character.check())), character);
	}

	createScene({ substeps = 1, gravity = [0, -9.81, 0], sleeping = true } = {}) {
		return new Scene(this, this.ok(this.module._supWeb_CreateScene(substeps, ...gravity, sleeping)));
	}

	/** Ends its threads. Everything else must have been destroyed. */
	destroy() {
		this.module._supWeb_Stop();
		this.module.PThread?.terminateAllThreads();
	}
}

function fileName(path) {
	return path.split(/[\\/]/).pop() || 'file';
}

function unescapeUri(uri) {
	try {
		return decodeURIComponent(uri);
	} catch {
		return uri;
	}
}

// Nothing outside of the folder.
function writeFile(fs, folder, path, bytes) {
	const parts = path.split('/').filter((part) => part !== '' && part !== '.');
	if (parts.length > 0 && !parts.includes('..')) {
		fs.mkdirTree(`${folder}/${parts.slice(0, -1).join('/')}`);
		fs.writeFile(`${folder}/${parts.join('/')}`, bytes);
	}
}

function removeFolder(fs, folder) {
	for (const name of fs.readdir(folder)) {
		const path = `${folder}/${name}`;
		if (name === '.' || name === '..') {
			continue;
		}
		if (fs.isDir(fs.stat(path).mode)) {
			removeFolder(fs, path);
		} else {
			fs.unlink(path);
		}
	}
	fs.rmdir(folder);
}

// ---------------------------------------------------------------------------------------------------------------------

const meshArrays = { indices: 0, uv: 1, color: 2, softness: 3, normals: 4, joints: 5, weights: 6, positions: 7 };

class Character extends Resource {
	#summary = null;

	release() {
		this.supple.module._supWeb_DestroyCharacter(this.pointer);
	}

	// All that is in it but arrays.
	get summary() {
		this.#summary ??= this.supple.json(this.supple.module._supWeb_Describe(this.check()));
		return this.#summary;
	}

	/** All that is in it, as a plain object that can be posted to another thread. */
	describe() {
		const m = this.supple.module;
		const own = this.check();
		const root = structuredClone(this.summary);
		const copy = (mesh, which, count, type) => {
			const pointer = m._supWeb_MeshArray(own, mesh, meshArrays[which]);
			return pointer === 0 ? null : new type(m.HEAPU8.buffer, pointer, count).slice();
		};
		root.meshes.forEach((mesh, i) => {
			const count = mesh.vertexCount;
			mesh.indices = copy(i, 'indices', mesh.indexCount, Uint32Array);
			mesh.positions = copy(i, 'positions', 3 * count, Float32Array);
			mesh.uv = copy(i, 'uv', 2 * count, Float32Array);
			mesh.color = copy(i, 'color', 4 * count, Float32Array);
			mesh.softness = copy(i, 'softness', count, Float32Array);
			mesh.joints = mesh.influences > 0 ? copy(i, 'joints', mesh.influences * count, Uint16Array) : null;
			mesh.weights = mesh.influences > 0 ? copy(i, 'weights', mesh.influences * count, Float32Array) : null;
		});
		root.images.forEach((image, i) => {
			image.bytes = image.byteCount > 0 ? this.supple.bytes(m._supWeb_ImageBytes(own, i), image.byteCount).slice() : null;
		});
		return root;
	}

	/** As .glb. */
	write() {
		const m = this.supple.module;
		const size = this.supple.ok(m._supWeb_Allocate(4));
		const pointer = m._supWeb_WriteCharacter(this.check(), size);
		const [count] = this.supple.ints(size, 1);
		m._supWeb_Free(size);
		return this.supple.take(pointer, count);
	}

	/** Clips of another skeleton (.bvh, .glb), put onto this one. Returns the numbers of the new clips. */
	addMotion(bytes, name, { inPlace = false, files = {} } = {}) {
		const supple = this.supple;
		const own = this.check();
		const plain = fileName(name);
		const before = this.summary.clips.length;
		const count = supple.withFiles({ ...files, [plain]: bytes }, (folder) => supple.withText(`${folder}/${plain}`,
			(path) => supple.module._supWeb_AddMotion(own, path, inPlace) || supple.failPlainly(folder)));
		this.#summary = null;
		return Array.from({ length: count }, (_, i) => before + i);
	}

	/** A motion that comes with Supple (describe().motions lists those that suit it). Returns the number of the new clip. */
	addBuiltinMotion(name) {
		const own = this.check();
		const clip = this.summary.clips.length;
		this.supple.ok(this.supple.withText(name, (text) => this.supple.module._supWeb_AddBuiltinMotion(own, text)));
		this.#summary = null;
		return clip;
	}
}

class Flesh extends Resource {
	#settings;
	#memory;
	#elements = null;

	constructor(supple, pointer, character, settings, memory) {
		super(supple, pointer, [character]);
		this.character = character;
		this.#settings = settings;
		this.#memory = memory;
		const described = supple.json(supple.module._supWeb_DescribeFlesh(pointer));
		this.method = described.method;
		this.regions = described.regions;
		this.parameters = described.parameters;
	}

	release() {
		const m = this.supple.module;
		if (this.#elements !== null) {
			m._supWeb_DestroyElements(this.#elements);
		}
		m._supWeb_DestroyFlesh(this.pointer);
		if (this.#memory !== 0) {
			m._supWeb_Free(this.#memory);
		}
	}

	/** What it was built from. Of flesh that was read: method and parameters. */
	settings() {
		return this.#settings !== null ? structuredClone(this.#settings)
			: { method: this.method, parameters: { ...this.parameters } };
	}

	/** How much it is made of. */
	get report() {
		const m = this.supple.module;
		const own = this.list();
		const [points, elements, , lines] = [0, 1, 2, 3].map((which) => m._supWeb_ElementCount(own, which));
		return { points, elements, lines };
	}

	/** The content of a .flesh file. */
	write() {
		const m = this.supple.module;
		const pointer = m._supWeb_WriteFlesh(this.check());
		return this.supple.take(pointer, m._supWeb_WrittenSize());
	}

	// What it is made of; made when it is first asked for.
	list() {
		this.#elements ??= this.supple.ok(this.supple.module._supWeb_ListElements(this.check()));
		return this.#elements;
	}

	/**
	 * What it is made of, at rest. layers: which layer each element is of too, which takes a while for methods that do not
	 * know by themselves.
	 */
	elements({ layers = true } = {}) {
		const m = this.supple.module;
		const own = this.list();
		const [points, count, corners, lines] = [0, 1, 2, 3].map((which) => m._supWeb_ElementCount(own, which));
		const kind = ['none', 'tets', 'voxels', 'lattice'][m._supWeb_ElementKind(own)];
		let layerNames = [];
		if (layers && count > 0) {
			// without a skeleton there are none
			const found = this.supple.withText(JSON.stringify(this.settings()),
				(text, length) => m._supWeb_FindLayers(own, this.pointer, text, length));
			layerNames = found > 0 ? this.supple.text(m._supWeb_LayerNames(own)).split('\n') : [];
		}
		const copy = (which, length, type) => {
			const pointer = m._supWeb_ElementArray(own, which);
			return pointer === 0 ? null : new type(m.HEAPU8.buffer, pointer, length).slice();
		};
		return {
			kind,
			points: copy(0, 3 * points, Float32Array) ?? new Float32Array(0),
			[kind === 'voxels' ? 'cells' : 'tets']: copy(1, corners * count, Uint32Array) ?? new Uint32Array(0),
			lines: copy(2, 2 * lines, Uint32Array) ?? new Uint32Array(0),
			colour: copy(3, lines, Uint16Array),
			layer: layerNames.length > 0 ? copy(4, count, Uint8Array) : null,
			layerNames,
			size: m._supWeb_VoxelSize(own),
		};
	}
}

// ---------------------------------------------------------------------------------------------------------------------

function checkNumbers(what, ...numbers) {
	if (!numbers.every(Number.isFinite)) {
		throw new SuppleError(`${what}: ${numbers.join(', ')} are not all numbers`);
	}
}

class Scene extends Resource {
	#actors = new Set();
	#colliders = new Set();
	#attachments = new Set();

	release() {
		this.supple.module._supWeb_DestroyScene(this.pointer);
	}

	/** With all of its actors. */
	destroy() {
		for (const one of [...this.#actors, ...this.#colliders]) {
			one.destroy();
		}
		super.destroy();
	}

	// The library ends what holds an actor together with it.
	#forgetActor(actor) {
		this.#actors.delete(actor);
		[...this.#attachments].filter(({ places }) => places.some((place) => place.actor === actor)).forEach((one) => one.forget());
	}

	addActor(flesh) {
		flesh.check();
		const pointer = this.supple.ok(this.supple.module._supWeb_AddActor(this.check(), flesh.pointer));
		const actor = new Actor(this, pointer, flesh, () => this.#forgetActor(actor));
		this.#actors.add(actor);
		return actor;
	}

	#addPlace({ at, actor, node, offset = [0, 0, 0], near, inside, hit, radius = 0 }) {
		const { supple } = this;
		const m = supple.module;
		const numbers = at ?? near ?? inside ?? (hit ? hit.weights : offset);
		checkNumbers('place', ...numbers, radius);
		if (at) {
			return supple.ok(m._supWeb_AddWorldPlace(...at));
		}
		if (!this.#actors.has(actor)) {
			throw new SuppleError('a place is { at } in the world, or has an actor of this scene and near, inside, hit or node');
		}
		const own = actor.check();
		if (hit) {
			return supple.ok(m._supWeb_AddSurfacePlace(own, actor.point(hit), radius));
		}
		if (near) {
			return supple.ok(m._supWeb_AddNearPlace(own, ...near, radius));
		}
		return supple.ok(inside ? m._supWeb_AddInsidePlace(own, ...inside) : m._supWeb_AddNodePlace(own, node ?? -1, ...offset));
	}

	/**
	 * Holds places together from now on. kind: join (default), slide, velocity, line or triangle. A place is { at: [x, y, z] }
	 * in the world, or of an actor: { actor, hit } (of castRay), { actor, near }, { actor, inside } with a point, or
	 * { actor, node, offset }; radius spreads the force. Metres, m/s, seconds, newtons.
	 */
	attach({ kind = 'join', places = [], name = 'attachment', velocity = [0, 0, 0], slack = 0, assembly = 0,
		breakingForce = Infinity, active = true } = {}) {
		const m = this.supple.module;
		if (!attachmentKinds.includes(kind)) {
			throw new SuppleError(`an attachment is ${attachmentKinds.join(', ')}, not ${kind}`);
		}
		checkNumbers('attachment', ...velocity, slack, assembly);
		this.check();
		m._supWeb_BeginAttachment();
		places.forEach((place) => this.#addPlace(place));
		const pointer = this.supple.withText(name, (text) => m._supWeb_Attach(this.pointer, text, attachmentKinds.indexOf(kind),
			...velocity, slack, assembly, breakingForce, active));
		const attachment = new Attachment(this, this.supple.ok(pointer), [...places], () => this.#attachments.delete(attachment));
		this.#attachments.add(attachment);
		return attachment;
	}

	/**
	 * shape: sphere, plane (all below it), capsule (along y) or box; motion: still, kinematic or dynamic. Metres, kg, m/s.
	 */
	addCollider({ shape = 'sphere', motion = 'still', radius = 1, halfHeight = 0, halfSize = [1, 1, 1],
		position = [0, 0, 0], rotation = [0, 0, 0, 1], mass = 0, density = 1000, velocity = [0, 0, 0], spin = [0, 0, 0],
		friction = 0.5, restitution = 0 } = {}) {
		const m = this.supple.module;
		const kinds = [shapes.indexOf(shape), motions.indexOf(motion)];
		if (kinds.includes(-1)) {
			throw new SuppleError(`a collider is ${shapes.join(', ')} and ${motions.join(', ')}, not ${shape} and ${motion}`);
		}
		const numbers = [...kinds, radius, halfHeight, ...halfSize, ...position, ...rotation, mass, density, ...velocity,
			...spin, friction, restitution];
		checkNumbers('collider', ...numbers);
		this.supple.floats(m._supWeb_ColliderInput(), numbers.length).set(numbers);
		const pointer = this.supple.ok(m._supWeb_AddCollider(this.check()));
		const collider = new Collider(this, pointer, () => this.#colliders.delete(collider));
		this.#colliders.add(collider);
		return collider;
	}

	/** All below this height is solid. */
	addFloor(y = 0, { friction = 0.5 } = {}) {
		return this.addCollider({ shape: 'plane', position: [0, y, 0], friction });
	}

	/** Rows of place, normal, depth and force of the last substep. */
	contacts() {
		const m = this.supple.module;
		const count = m._supWeb_ContactCount(this.check());
		const pointer = this.supple.ok(m._supWeb_Allocate(32 * count + 4));
		m._supWeb_ReadContacts(this.pointer, pointer);
		const rows = this.supple.floats(pointer, 8 * count).slice();
		m._supWeb_Free(pointer);
		return rows;
	}

	stats() {
		return this.supple.json(this.supple.module._supWeb_Stats(this.check()));
	}

	step(dt) {
		checkNumbers('dt', dt);
		this.supple.module._supWeb_Step(this.check(), Math.max(dt, 0));
	}

	setGravity(v) {
		checkNumbers('gravity', ...v);
		this.supple.module._supWeb_SetGravity(this.check(), ...v);
	}

	setWind(v) {
		checkNumbers('wind', ...v);
		this.supple.module._supWeb_SetWind(this.check(), ...v);
	}
}

const shapes = ['sphere', 'plane', 'capsule', 'box'];
const motions = ['still', 'kinematic', 'dynamic'];

class Collider extends Resource {
	constructor(scene, pointer, removed) {
		super(scene.supple, pointer, [scene]);
		this.scene = scene;
		this.removed = removed;
	}

	release() {
		this.removed();
		this.supple.module._supWeb_RemoveCollider(this.scene.pointer, this.pointer);
	}

	remove() {
		this.destroy();
	}

	/** Where a kinematic one is to be by the end of the next step; others, and with atOnce all, are there at once. */
	setTransform(position, rotation = [0, 0, 0, 1], { atOnce = false } = {}) {
		checkNumbers('place', ...position, ...rotation);
		this.supple.ok(this.supple.module._supWeb_SetTransform(this.check(), ...position, ...rotation, atOnce));
	}

	setVelocity(velocity, spin = [0, 0, 0]) {
		checkNumbers('velocity', ...velocity, ...spin);
		this.supple.ok(this.supple.module._supWeb_SetVelocity(this.check(), ...velocity, ...spin));
	}

	transform() {
		const numbers = Array.from(this.supple.floats(this.supple.module._supWeb_Transform(this.check()), 13));
		return {
			position: numbers.slice(0, 3), rotation: numbers.slice(3, 7),
			velocity: numbers.slice(7, 10), spin: numbers.slice(10, 13),
		};
	}
}

class Bake extends Resource {
	constructor(supple, pointer, flesh, tolerance) {
		super(supple, pointer, [flesh]);
		this.tolerance = tolerance;
		this.report = supple.json(supple.module._supWeb_BakeReport(pointer));
	}

	release() {
		this.supple.module._supWeb_DestroyBake(this.pointer);
	}

	/** The character with its animation as morph targets. */
	glb({ tolerance = this.tolerance } = {}) {
		const m = this.supple.module;
		const pointer = m._supWeb_WriteBake(this.check(), tolerance);
		return this.supple.take(pointer, m._supWeb_BakeSize(this.pointer));
	}

	/**
	 * The character with helper bones under its joints and new skin weights: small, for any engine. progress( percent, 100 )
	 * ends the search where it returns false; what was found until then is written.
	 */
	bonesGlb({ helpers = 32, influences = 4, tolerance = 3e-4, progress = null } = {}) {
		const m = this.supple.module;
		m.supProgress = (done, total) => (progress?.(done, total) === false ? 0 : 1);
		const pointer = m._supWeb_WriteBones(this.check(), tolerance, helpers, influences);
		m.supProgress = null;
		return this.supple.take(pointer, m._supWeb_BakeSize(this.pointer));
	}

	/** One instance as a point cache. */
	pc2(instance = 0) {
		return this.#cache(instance, 'pc2');
	}

	mdd(instance = 0) {
		return this.#cache(instance, 'mdd');
	}

	#cache(instance, extension) {
		const supple = this.supple;
		return supple.withFiles({}, (folder) => supple.withText(`${folder}/cache.${extension}`, (path) => {
			if (!supple.module._supWeb_SaveCache(this.check(), instance, path)) {
				supple.failPlainly(folder);
			}
			return supple.module.FS.readFile(`${folder}/cache.${extension}`);
		}));
	}
}

class Rig extends Resource {
	constructor(supple, pointer, character) {
		super(supple, pointer, [character]);
		this.character = character;
	}

	release() {
		this.supple.module._supWeb_DestroyRig(this.pointer);
	}

	#joint(number) {
		return number < 0 ? this.supple.fail() : number;
	}

	/** Halfway between the first two places where the ray meets the skin. Returns the number of the joint. */
	addJoint(name, origin, direction) {
		checkNumbers('ray', ...origin, ...direction);
		return this.#joint(this.supple.withText(name ?? '',
			(text) => this.supple.module._supWeb_AddJoint(this.check(), text, ...origin, ...direction)));
	}

	addJointAt(name, place) {
		checkNumbers('place', ...place);
		return this.#joint(this.supple.withText(name ?? '',
			(text) => this.supple.module._supWeb_AddJointAt(this.check(), text, ...place)));
	}

	addBone(a, b) {
		this.supple.ok(this.supple.module._supWeb_AddBone(this.check(), a, b));
	}

	setRoot(joint) {
		this.supple.ok(this.supple.module._supWeb_SetRoot(this.check(), joint));
	}

	/** [{ name, position }] */
	joints() {
		return this.supple.json(this.supple.module._supWeb_Joints(this.check()));
	}

	/** The mesh with this skeleton and weights, as a new character. method: geodesic or heuristic. */
	bind({ method = 'geodesic', resolution = 0, influences = 0 } = {}) {
		const pointer = this.supple.module._supWeb_Bind(this.character.check(), this.check(), method === 'heuristic',
			resolution, influences);
		return new Character(this.supple, this.supple.ok(pointer));
	}
}

class Actor extends Resource {
	#playing = null;
	#drags = new Set();
	#removed;
	#vertexCounts;

	constructor(scene, pointer, flesh, removed) {
		super(scene.supple, pointer, [scene, flesh]);
		this.scene = scene;
		this.flesh = flesh;
		this.#removed = removed;
		const { meshes, instances } = flesh.character.summary;
		this.#vertexCounts = instances.map((instance) => meshes[instance.mesh].vertexCount);
	}

	release() {
		this.#removed();
		this.supple.module._supWeb_RemoveActor(this.scene.pointer, this.pointer);
	}

	// ---- motion ----

	/** From the next step on. time: where it begins, in seconds of the clip; fade: seconds that the last clip takes to go. */
	play(clip, { time = NaN, speed = 1, loop = true, fade = 0 } = {}) {
		const m = this.supple.module;
		checkNumbers('speed and fade', speed, fade);
		this.supple.ok(m._supWeb_Play(this.check(), this.flesh.character.pointer, clip, time, speed, loop, fade));
		this.#playing = { clip, speed, loop };
	}

	/** At rest in the pose of this moment of the clip, as if it had been there for ever; what played plays on from there. */
	seek(time) {
		const m = this.supple.module;
		const clip = this.#playing?.clip ?? -1;
		checkNumbers('time', time);
		this.supple.ok(m._supWeb_Settle(this.check(), this.flesh.character.pointer, clip, time));
		if (this.#playing !== null) {
			this.play(clip, { ...this.#playing, time });
		}
	}

	/** The pose stays as it is. */
	stop() {
		this.supple.module._supWeb_StopPlaying(this.check());
		this.#playing = null;
	}

	/** Back to the rest pose, or to the begin of what plays. */
	reset() {
		const clip = this.#playing?.clip ?? -1;
		const begin = clip >= 0 ? this.flesh.character.summary.clips[clip].begin : 0;
		this.seek(begin);
	}

	/** Seconds of the clip that plays. */
	get time() {
		return this.supple.module._supWeb_PlayTime(this.check());
	}

	get asleep() {
		return this.supple.module._supWeb_IsAsleep(this.check()) !== 0;
	}

	// ---- while it runs ----

	setParameter(name, value) {
		this.supple.ok(this.supple.withText(name, (text) => this.supple.module._supWeb_SetParameter(this.check(), text, value)));
	}

	parameter(name) {
		return this.supple.withText(name, (text) => this.supple.module._supWeb_GetParameter(this.check(), text));
	}

	setRegion(region, frequency, damping) {
		this.supple.ok(this.supple.module._supWeb_SetRegion(this.check(), region, frequency, damping));
	}

	// ---- looking; views into memory, until the next call that may make it grow ----

	#instance(instance) {
		if (!(instance >= 0 && instance < this.#vertexCounts.length)) {
			throw new SuppleError(`there is no instance ${instance}`);
		}
		return this.#vertexCounts[instance];
	}

	positions(instance = 0) {
		const count = this.#instance(instance);
		return this.supple.floats(this.supple.module._supWeb_Positions(this.check(), instance), 3 * count);
	}

	normals(instance = 0) {
		const count = this.#instance(instance);
		return this.supple.floats(this.supple.module._supWeb_Normals(this.check(), instance), 3 * count);
	}

	/** Twelve numbers a node: three columns and the place. */
	nodeMatrices() {
		const count = this.flesh.character.summary.nodes.length;
		return this.supple.floats(this.supple.module._supWeb_NodeMatrices(this.check()), 12 * count);
	}

	measure() {
		const [volumeError, stretch, energy, penetration] =
			this.supple.floats(this.supple.module._supWeb_Measure(this.check()), 4);
		return { volumeError, stretch, energy, penetration };
	}

	/** The points of flesh.elements() as they are now. */
	elementPositions() {
		const m = this.supple.module;
		const own = this.flesh.list();
		const pointer = this.supple.ok(m._supWeb_ReadElements(own, this.check()));
		return this.supple.floats(pointer, 3 * m._supWeb_ElementCount(own, 0));
	}

	/**
	 * One number a vertex: displacement (metres from linear blend skinning), stretch and volume (changes, as parts), or
	 * softness (0 to 1).
	 */
	heat(kind, instance = 0) {
		const m = this.supple.module;
		const count = this.#instance(instance);
		const pointer = this.supple.ok(this.supple.withText(kind, (text) => m._supWeb_FillHeat(this.check(), text, instance)));
		const values = this.supple.floats(pointer, count).slice();
		m._supWeb_Free(pointer);
		return values;
	}

	/** What is not given stays as it is. */
	setContact({ colliders, actors, self, friction, restitution, thickness } = {}) {
		const m = this.supple.module;
		const now = this.contact();
		const next = [colliders ?? now.colliders, actors ?? now.actors, self ?? now.self, friction ?? now.friction,
			restitution ?? now.restitution, thickness ?? now.thickness];
		checkNumbers('contact', ...next.slice(3));
		this.supple.ok(m._supWeb_SetContact(this.check(), ...next));
	}

	contact() {
		const [colliders, actors, self, friction, restitution, thickness] =
			this.supple.floats(this.supple.module._supWeb_GetContact(this.check()), 6);
		return { colliders: colliders !== 0, actors: actors !== 0, self: self !== 0, friction, restitution, thickness };
	}

	// ---- dragging ----

	castRay(origin, direction) {
		checkNumbers('ray', ...origin, ...direction);
		const hit = this.supple.module._supWeb_CastRay(this.check(), ...origin, ...direction);
		if (hit === 0) {
			return null;
		}
		const [instance, ...vertices] = this.supple.ints(hit, 4);
		const numbers = Array.from(this.supple.floats(hit + 16, 7));
		return { instance, vertices, weights: numbers.slice(0, 3), position: numbers.slice(3, 6), distance: numbers[6] };
	}

	// A hit in the memory of the library, until the next one.
	point(hit) {
		const point = this.supple.module._supWeb_DragPoint();
		this.supple.ints(point, 4).set([hit.instance, ...hit.vertices]);
		this.supple.floats(point + 16, 3).set(hit.weights);
		return point;
	}

	/** Takes hold of a place that castRay found. Returns the number of the drag. */
	startDrag(hit, { radius = 0, frequency = 0 } = {}) {
		const m = this.supple.module;
		const drag = m._supWeb_StartDrag(this.check(), this.point(hit), radius, frequency);
		if (drag < 0) {
			this.supple.fail();
		}
		this.#drags.add(drag);
		return drag;
	}

	moveDrag(drag, target) {
		checkNumbers('target', ...target);
		if (this.#drags.has(drag)) {
			this.supple.module._supWeb_MoveDrag(this.check(), drag, ...target);
		}
	}

	endDrag(drag) {
		if (this.#drags.delete(drag)) {
			this.supple.module._supWeb_EndDrag(this.check(), drag);
		}
	}
}
