// SPDX-License-Identifier: MIT
// The library itself: from here come characters, flesh, scenes, bakes and rigs.
import { Bake } from './bake.js';
import { Character, Flesh } from './character.js';
import { buildCharacter } from './create.js';
import { fileName, removeFolder, unescapeUri, writeFile } from './files.js';
import { SuppleError } from './resource.js';
import { Rig } from './rig.js';
import { Scene } from './scene.js';
import { Show } from './show.js';

const errorCodes = [
	'none', 'memory', 'argument', 'not-found', 'read', 'write', 'format', 'unsupported', 'too-large',
];

export class Supple {
	constructor(module, threads) {
		this.module = module;
		this.threads = module._supWeb_Start(threads);
		this.version = this.text(module._supWeb_Version());
		this.methods = this.json(module._supWeb_Methods());
		// a build may have none
		this.builtins = module._supWeb_Builtins ? this.json(module._supWeb_Builtins()) : [];
		this.motions = module._supWeb_Motions ? this.json(module._supWeb_Motions()) : [];
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

	/** A character from arrays, as an engine has them in memory: see types.d.ts for the description. */
	createCharacter(description) {
		return new Character(this, buildCharacter(this, description));
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
			throw new SuppleError(`no clip "${clip}"`);
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

	/** A scene file (docs/scene.schema.json) as bytes; files that it names as { name: bytes }. */
	openShow(bytes, name = 'scene.json', { files = {} } = {}) {
		const plain = fileName(name);
		return this.withFiles({ ...files, [plain]: bytes }, (folder) => this.withText(`${folder}/${plain}`,
			(path) => new Show(this, this.module._supWeb_OpenShow(path) || this.failPlainly(folder))));
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
