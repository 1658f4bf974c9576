// SPDX-License-Identifier: MIT
// Files that are dropped, chosen or named in the address: sorted into a character, motions and settings. Formats that
// the library has no reader for in the browser are read by the program that serves the page, or by three.js where there is
// none, and handed over as GLB.
import { isGlb, jsonEnd } from './glb.js';
import { convertAtHome } from './home.js';
import { readProject } from './project.js';

const throughThree = ['fbx', 'dae', 'obj', 'stl', 'ply'];
export const accepted = '.glb,.gltf,.vrm,.bin,.png,.jpg,.jpeg,.webp,.fbx,.dae,.obj,.stl,.ply,.bvh,.json';

function extension(name) {
	return name.split('?')[0].split('.').pop().toLowerCase();
}

/**
 * Sorts files into what they are for.
 * @param {{name: string, bytes: Uint8Array}[]} list
 * @returns {Promise<{character: object|null, project: object|null, scene: object|null, motions: object[], settings: {name: string, value: object}[]}>}
 */
export async function sortFiles(list) {
	const files = Object.fromEntries(list.map(({ name, bytes }) => [name, bytes]));
	const sorted = { character: null, project: null, scene: null, motions: [], settings: [] };
	for (const { name, bytes } of list) {
		const kind = extension(name);
		if (kind === 'glb' || kind === 'gltf' || kind === 'vrm') {
			const source = { name: name.split('/').pop(), bytes, files: relativeTo(name, files) };
			sorted.character = usesDraco(source) ? await (await import('./draco.js')).withoutDraco(source) : source;
			sorted.project = isGlb(bytes) && mentions(source, '"supple"') ? readProject(bytes) : null;
		} else if (throughThree.includes(kind)) {
			sorted.character = {
				name: name.replace(/\.[^.]*$/, '.glb'),
				label: name,
				bytes: await readOther(kind, name, bytes, files),
			};
		} else if (kind === 'bvh') {
			sorted.motions.push({ name, bytes });
		} else if (kind === 'json') {
			const value = parseJson(name, bytes);
			if (value?.supple_scene) {
				sorted.scene = { name: name.split('/').pop(), label: value.name, bytes, files: relativeTo(name, files) };
			} else {
				sorted.settings.push({ name, value });
			}
		}
	}
	if (!sorted.character && !sorted.scene && sorted.motions.length === 0 && sorted.settings.length === 0) {
		throw new Error(
			`${list.map(({ name }) => name).join(', ')}: not a file of a character (GLB, glTF, VRM, FBX, Collada, OBJ, PLY, STL), a motion (BVH), settings or a scene (JSON)`,
		);
	}
	return sorted;
}

/** Has the JSON of a glTF file this word in it? */
function mentions({ bytes }, word) {
	return new TextDecoder().decode(bytes.subarray(0, jsonEnd(bytes))).includes(word);
}

const usesDraco = (source) => mentions(source, 'KHR_draco_mesh_compression');

/** Files of a folder as they are called in a file of it. */
function relativeTo(name, files) {
	const folder = name.slice(0, name.lastIndexOf('/') + 1);
	return Object.fromEntries(
		Object.entries(files).map(([path, bytes]) => [
			path.startsWith(folder) ? path.slice(folder.length) : path,
			bytes,
		]),
	);
}

const formatNames = { fbx: 'FBX', dae: 'Collada', obj: 'OBJ', stl: 'STL', ply: 'PLY' };

/** What another library says about a file helps nobody: ours says what to do. */
async function readOther(kind, name, bytes, files) {
	const beside = Object.entries(files).filter(([path]) => path !== name);
	const converted = await convertAtHome([{ name, bytes }, ...beside.map(([path, file]) => ({ name: path, bytes: file }))]);
	if (converted) {
		return converted;
	}
	try {
		const { toGlb } = await import('./convert.js');
		return await toGlb(kind, bytes, files);
	} catch (error) {
		console.debug(name, error);
		const plain = name.split('/').pop();
		throw new Error(
			`${plain} could not be read as ${formatNames[kind]}. The command line reads more kinds of ${formatNames[kind]}: supple convert "${plain}" -o "${plain.replace(/\.[^.]*$/, '.glb')}", then drop the .glb here.`,
		);
	}
}

function parseJson(name, bytes) {
	try {
		return JSON.parse(new TextDecoder().decode(bytes));
	} catch (error) {
		throw new Error(`${name}: ${error.message}`);
	}
}

export async function readFiles(fileList) {
	return Promise.all(
		Array.from(fileList, async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
	);
}

/** What was dropped: files, and folders with all that is in them, by their paths. */
export async function readDropped(transfer) {
	const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry?.()).filter(Boolean);
	if (entries.every(({ isFile }) => isFile)) {
		return readFiles(transfer.files);
	}
	const list = [];
	const read = async (entry, path) => {
		if (entry.isFile) {
			const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
			list.push({ name: path + entry.name, bytes: new Uint8Array(await file.arrayBuffer()) });
			return;
		}
		const reader = entry.createReader();
		for (;;) {
			// a reader gives a hundred at a time
			const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
			if (some.length === 0) {
				return;
			}
			for (const child of some) {
				await read(child, `${path}${entry.name}/`);
			}
		}
	};
	for (const entry of entries) {
		await read(entry, '');
	}
	return list;
}

/** A file beside the page; null where it is not there. */
export async function fetchBeside(path) {
	try {
		const response = await fetch(path);
		const isFile = response.ok && !response.headers.get('content-type')?.startsWith('text/html');
		return isFile ? new Uint8Array(await response.arrayBuffer()) : null;
	} catch {
		return null;
	}
}

/** A built-in character: from the file beside the page, which is faster than to make it. */
export async function findBuiltin(name) {
	const bytes = await fetchBeside(`./data/${encodeURIComponent(name)}.glb`);
	return bytes ? { builtin: name, name: `${name}.glb`, bytes } : { builtin: name };
}

let scenes = null;

/** The scenes that lie beside the page: [{ name, title }]. */
export async function listScenes() {
	scenes ??= fetchBeside('./data/scenes.json');
	const bytes = await scenes;
	return bytes ? parseJson('scenes.json', bytes) : [];
}

/** A scene that lies beside the page, by its name: "hug". */
export async function findScene(name) {
	const known = (await listScenes()).map((one) => one.name);
	const isKnown = known.includes(name);
	const bytes = isKnown ? await fetchBeside(`./data/scenes/${name}.json`) : null;
	if (isKnown && !bytes) {
		throw new Error(`The scene "${name}" could not be loaded. Check the connection and try again.`);
	}
	if (!bytes) {
		throw new Error(`There is no scene "${name}". ${known.length > 0 ? `There are: ${known.join(', ')}` : 'This page has none'}.`);
	}
	return { scene: name, name: `${name}.json`, label: parseJson(name, bytes).name ?? name, bytes };
}

/** A file from the address, with its own buffers and pictures where it is a glTF. */
export async function fetchFiles(address) {
	const fetchBytes = async (url) => {
		const response = await fetch(url);
		if (!response.ok) {
			throw new Error(`${url}: ${response.status} ${response.statusText}`);
		}
		return new Uint8Array(await response.arrayBuffer());
	};
	const url = new URL(address, document.baseURI);
	const name = decodeURIComponent(url.pathname.split('/').pop());
	const bytes = await fetchBytes(url.href);
	const list = [{ name, bytes }];
	if (extension(name) === 'gltf') {
		const { buffers = [], images = [] } = parseJson(name, bytes);
		const isFile = ({ uri }) => uri && !uri.startsWith('data:');
		for (const { uri } of buffers.filter(isFile)) {
			list.push({ name: decodeURIComponent(uri), bytes: await fetchBytes(new URL(uri, url).href) });
		}
		// without its pictures it is still worth a look
		for (const { uri } of images.filter(isFile)) {
			const picture = await fetchBeside(new URL(uri, url).href);
			if (picture) {
				list.push({ name: decodeURIComponent(uri), bytes: picture });
			}
		}
	}
	return list;
}
