// SPDX-License-Identifier: MIT
// Characters, and flesh that was built of them.
import { fileName } from './files.js';
import { Resource, SuppleError } from './resource.js';

const meshArrays = { indices: 0, uv: 1, color: 2, softness: 3, normals: 4, joints: 5, weights: 6, positions: 7 };

export class Character extends Resource {
	#summary = null;

	release() {
		this.supple.module._supWeb_DestroyCharacter(this.pointer);
	}

	// All that is in it but arrays; flesh asks for it also after its character was destroyed.
	get summary() {
		this.#summary ??= this.supple.json(this.supple.module._supWeb_Describe(this.pointer || this.check()));
		return this.#summary;
	}

	/** All that is in it, as a plain object that can be posted to another thread. */
	describe() {
		const m = this.supple.module;
		const own = this.check();
		const root = structuredClone(this.summary);
		root.motions = m._supWeb_FittingMotions ? this.supple.json(m._supWeb_FittingMotions(own)) : [];
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

	/**
	 * A clip of poses as for Actor.setPose, linear between them; times in seconds, rising from 0. Returns the number of the
	 * new clip.
	 */
	addPoseClip(name, times, poses) {
		const { supple } = this;
		const m = supple.module;
		const own = this.check();
		const clip = this.summary.clips.length;
		const width = poses[0]?.length ?? 0;
		if (poses.length < 2 || times.length !== poses.length || poses.some(({ length }) => length !== width)) {
			throw new SuppleError('a clip needs two poses at least, of the same length, with a time each');
		}
		const memory = supple.ok(m._supWeb_Allocate(4 * poses.length * (width + 1)));
		try {
			supple.floats(memory, poses.length).set(times);
			poses.forEach((pose, i) => supple.floats(memory + 4 * (poses.length + i * width), width).set(pose));
			supple.ok(supple.withText(name, (text) => m._supWeb_AddPoseClip(own, text, poses.length, memory,
				memory + 4 * poses.length, width)));
		} finally {
			m._supWeb_Free(memory);
		}
		this.#summary = null;
		return clip;
	}
}

export class Flesh extends Resource {
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
