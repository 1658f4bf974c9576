// SPDX-License-Identifier: MIT
// A project: the character as GLB, with all that was done to it in the document's extras. Any viewer opens it as a
// character, the command line bakes it as it is set up here, and the page goes on with it. The same is kept in the browser
// while somebody works, so that closing the tab loses nothing.
import { emptyDesign, fromSettings, toSettings } from './design.js';
import { joinGlb, splitGlb } from './glb.js';

const saveDelay = 700;
const units = { 1: 'm', 0.01: 'cm', 0.001: 'mm', 0.0254: 'in', 0.3048: 'ft' };

function toBase64(bytes) {
	let text = '';
	for (let i = 0; i < bytes.length; i += 0x8000) {
		text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
	}
	return btoa(text);
}

const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

const bytesOf = (floats) => new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);

/** A built-in motion by its name, a take of the tracker and files as they are. */
function describeMotion({ builtin, name, bytes, take }) {
	if (take) {
		return { name, times: toBase64(bytesOf(take.times)), poses: toBase64(bytesOf(take.poses)) };
	}
	return builtin ? { builtin } : { name, data: toBase64(bytes) };
}

function readMotion({ builtin, name, data, times, poses }) {
	const floats = (text) => new Float32Array(fromBase64(text).buffer);
	if (times) {
		return { name, take: { times: floats(times), poses: floats(poses) } };
	}
	return builtin ? { builtin } : { name, bytes: fromBase64(data) };
}

/** What is set up on the page, without the character itself: plain values. */
export function describeProject({ store, session }) {
	const { design, character, clips, clip } = store.values;
	const motions = session.past.filter(([type]) => type === 'motion').map(([, data]) => data);
	const { unit = 1 } = character.source;
	const settings = toSettings(design);
	const bake = {};
	const added = clip - (clips.length - motions.length);
	if (added >= 0 && motions[added]?.builtin) {
		bake.motion = `builtin:${motions[added].builtin}`;
	} else if (clip >= 0 && added < 0 && clips[clip].name) {
		bake.clip = clips[clip].name;
	}
	if (unit !== 1) {
		bake.unit = units[unit] ?? String(unit);
	}
	return {
		version: 1,
		label: character.label,
		builtin: character.source.builtin,
		settings: Object.keys(bake).length > 0 ? { ...settings, bake } : settings,
		parameters: design.parameters,
		motions: motions.map(describeMotion),
		clip,
		unit,
	};
}

/** The bytes of the character that is open; a skeleton that was made here is in it. */
export async function writeCharacter({ session }) {
	const { bytes } = await session.simulation.request('write');
	return bytes;
}

export async function writeProject(parts) {
	const { document, binary } = splitGlb(await writeCharacter(parts));
	document.extras = { ...document.extras, supple: describeProject(parts) };
	return joinGlb(document, binary);
}

/** What a GLB says about itself, or null where it is not a project. */
export function readProject(bytes) {
	const { document } = splitGlb(bytes);
	return document.extras?.supple?.settings ? document.extras.supple : null;
}

export async function openProject({ store, session }, bytes, project) {
	const { settings, motions = [], clip = -1, unit = 1, label, builtin, parameters = {} } = project;
	const design = { ...fromSettings(settings, emptyDesign('position')), parameters };
	const source = { name: 'project.glb', label, bytes, unit, ...(builtin ? { builtin } : {}) };
	await session.open(source, { design, motion: motions.length === 0 });
	for (const motion of motions) {
		await session.addMotion(readMotion(motion));
	}
	if (clip >= 0 && clip < store.values.clips.length) {
		store.set({ clip });
	}
}

// ---- kept in the browser ----

function openDatabase() {
	return new Promise((resolve, reject) => {
		const request = indexedDB.open('supple-studio', 1);
		request.onupgradeneeded = () => request.result.createObjectStore('work');
		request.onsuccess = () => resolve(request.result);
		request.onerror = () => reject(request.error);
	});
}

function finish(request) {
	return new Promise((resolve, reject) => {
		request.onsuccess = () => resolve(request.result);
		request.onerror = () => reject(request.error);
	});
}

export class Autosave {
	constructor(parts) {
		this.parts = parts;
		this.generation = -1;
		this.isDirty = false;
		this.timer = 0;
		this.saving = Promise.resolve();
		window.addEventListener('beforeunload', (event) => {
			if (this.isDirty) {
				event.preventDefault();
			}
		});
	}

	/** From now on what is done is kept. */
	watch() {
		this.parts.store.watch(['design', 'clips', 'clip', 'character'], (now, before) => {
			if (now !== before && now.character && this.isWorth(now)) {
				this.isDirty = true;
				clearTimeout(this.timer);
				this.timer = setTimeout(() => (this.saving = this.saving.then(() => this.save())), saveDelay);
			}
		});
	}

	/** A built-in character as it comes is not. */
	isWorth({ character, canUndo, scene }) {
		if (scene) {
			return false;
		}
		return canUndo || !character.source.builtin || this.parts.session.past.length > 1 || this.generation >= 0;
	}

	async save() {
		const { store } = this.parts;
		const { generation } = store.values.character;
		try {
			const database = await openDatabase();
			const isOther = generation !== this.generation;
			const bytes = isOther ? await writeCharacter(this.parts) : null;
			const work = database.transaction('work', 'readwrite').objectStore('work');
			if (generation !== store.values.character.generation) {
				// another one was opened meanwhile, and is saved next
				return;
			}
			if (bytes) {
				work.put(bytes, 'character');
			}
			await finish(work.put(describeProject(this.parts), 'project'));
			database.close();
			this.generation = generation;
			this.isDirty = false;
		} catch (error) {
			// a private window, or a full disk: the page says so when it is closed
			console.debug('autosave', error);
		}
	}

	/** What was kept, or null. */
	async find() {
		try {
			const database = await openDatabase();
			const work = database.transaction('work').objectStore('work');
			const [bytes, project] = await Promise.all([finish(work.get('character')), finish(work.get('project'))]);
			database.close();
			return bytes && project ? { bytes, project } : null;
		} catch {
			return null;
		}
	}
}
