// SPDX-License-Identifier: MIT
// Files that are dropped, chosen or named in the address: sorted into a character, motions and settings. Formats that
// the library has no reader for in the browser are read by three.js and handed over as GLB.

const throughThree = { fbx: 'FBXLoader', dae: 'ColladaLoader', obj: 'OBJLoader', stl: 'STLLoader', ply: 'PLYLoader' };
export const accepted = '.glb,.gltf,.bin,.png,.jpg,.jpeg,.webp,.fbx,.dae,.obj,.stl,.ply,.bvh,.json';

export function extension(name) {
	return name.split('?')[0].split('.').pop().toLowerCase();
}

const loaders = {
	FBXLoader: () => import('three/addons/loaders/FBXLoader.js'),
	ColladaLoader: () => import('three/addons/loaders/ColladaLoader.js'),
	OBJLoader: () => import('three/addons/loaders/OBJLoader.js'),
	STLLoader: () => import('three/addons/loaders/STLLoader.js'),
	PLYLoader: () => import('three/addons/loaders/PLYLoader.js'),
};

/** Reads a format through three.js: an object with its clips. */
async function readThrough(kind, bytes, files) {
	const name = throughThree[kind];
	const { LoadingManager, Mesh, MeshStandardMaterial } = await import('three');
	const manager = new LoadingManager();
	const urls = new Map();
	// textures beside the file, by their names whatever folder the file says
	manager.setURLModifier((url) => {
		const file = files[decodeURIComponent(url).split(/[\\/]/).pop()];
		if (!file) {
			return url;
		}
		if (!urls.has(url)) {
			urls.set(url, URL.createObjectURL(new Blob([file])));
		}
		return urls.get(url);
	});
	const loader = new (await loaders[name]())[name](manager);
	const isText = kind === 'obj' || kind === 'dae';
	const text = isText ? new TextDecoder().decode(bytes) : '';
	const read = loader.parse(isText ? text : bytes.buffer, '');
	if (read.isBufferGeometry) {
		const geometry = await weld(read);
		return { scene: new Mesh(geometry, new MeshStandardMaterial({ vertexColors: Boolean(geometry.attributes.color) })), clips: [] };
	}
	const scene = read.scene ?? read;
	if (kind === 'obj' && !/^vn /m.test(text)) {
		await weldAll(scene);
	}
	return { scene, clips: read.animations ?? scene.animations ?? [] };
}

/** Corners at one place become one vertex, with a normal over its triangles: a list of triangles has neither. */
async function weld(geometry) {
	const { mergeVertices } = await import('three/addons/utils/BufferGeometryUtils.js');
	geometry.deleteAttribute('normal');
	const welded = mergeVertices(geometry, 1e-7);
	welded.computeVertexNormals();
	return welded;
}

async function weldAll(scene) {
	const meshes = [];
	scene.traverse((object) => object.isMesh && meshes.push(object));
	for (const mesh of meshes) {
		mesh.geometry = await weld(mesh.geometry);
	}
}

/** FBX files are in centimetres more often than not: what is taller than a house is taken to be. */
async function putIntoMetres(scene) {
	const { Box3, Group, Vector3 } = await import('three');
	const size = new Box3().setFromObject(scene).getSize(new Vector3());
	const largest = Math.max(size.x, size.y, size.z);
	if (largest < 30) {
		return scene;
	}
	const group = new Group();
	group.scale.setScalar(0.01);
	group.add(scene);
	return group;
}

async function toGlb(kind, bytes, files) {
	const { GLTFExporter } = await import('three/addons/exporters/GLTFExporter.js');
	const { scene, clips } = await readThrough(kind, bytes, files);
	await plainMaterials(scene);
	const written = await new GLTFExporter().parseAsync(await putIntoMetres(scene), { binary: true, animations: clips, onlyVisible: false });
	return new Uint8Array(written);
}

/** Materials that glTF has no words for become standard ones of the same colour and picture. */
async function plainMaterials(scene) {
	const { MeshStandardMaterial } = await import('three');
	const made = new Map();
	const convert = (material) => {
		if (!made.has(material)) {
			made.set(material, material.isMeshStandardMaterial ? material : new MeshStandardMaterial({
				name: material.name, color: material.color, map: usable(material.map), roughness: 0.8, metalness: 0,
				side: material.side, transparent: material.transparent, opacity: material.opacity, vertexColors: material.vertexColors,
			}));
		}
		return made.get(material);
	};
	scene.traverse((object) => {
		if (object.material) {
			object.material = Array.isArray(object.material) ? object.material.map(convert) : convert(object.material);
		}
	});
}

const usable = (texture) => (texture?.image?.width > 0 || texture?.image?.data ? texture : null);

/**
 * Sorts files into what they are for.
 * @param {{name: string, bytes: Uint8Array}[]} list
 * @returns {Promise<{character: object|null, motions: object[], settings: {name: string, value: object}[]}>}
 */
export async function sortFiles(list) {
	const files = Object.fromEntries(list.map(({ name, bytes }) => [name, bytes]));
	const sorted = { character: null, motions: [], settings: [] };
	for (const { name, bytes } of list) {
		const kind = extension(name);
		if (kind === 'glb' || kind === 'gltf') {
			sorted.character = { name, bytes, files };
		} else if (kind in throughThree) {
			sorted.character = { name: name.replace(/\.[^.]*$/, '.glb'), label: name, bytes: await readOther(kind, name, bytes, files) };
		} else if (kind === 'bvh') {
			sorted.motions.push({ name, bytes });
		} else if (kind === 'json') {
			sorted.settings.push({ name, value: parseJson(name, bytes) });
		}
	}
	if (!sorted.character && sorted.motions.length === 0 && sorted.settings.length === 0) {
		throw new Error(`${list.map(({ name }) => name).join(', ')}: not a file of a character (GLB, glTF, FBX, Collada, OBJ, PLY, STL), a motion (BVH) or settings (JSON)`);
	}
	return sorted;
}

async function readOther(kind, name, bytes, files) {
	try {
		return await toGlb(kind, bytes, files);
	} catch (error) {
		throw new Error(`${name}: ${error.message}`);
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
	return Promise.all(Array.from(fileList, async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
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
