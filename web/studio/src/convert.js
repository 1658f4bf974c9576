// SPDX-License-Identifier: MIT
// Other formats to GLB, through three.js's loaders and exporter. Fetched when the first such file is opened.
import { Box3, Group, LoadingManager, Mesh, MeshStandardMaterial, Vector3 } from 'three';
import { GLTFExporter } from 'three/addons/exporters/GLTFExporter.js';
import { mergeVertices } from 'three/addons/utils/BufferGeometryUtils.js';

const loaders = {
	fbx: async () => (await import('three/addons/loaders/FBXLoader.js')).FBXLoader,
	dae: async () => (await import('three/addons/loaders/ColladaLoader.js')).ColladaLoader,
	obj: async () => (await import('three/addons/loaders/OBJLoader.js')).OBJLoader,
	stl: async () => (await import('three/addons/loaders/STLLoader.js')).STLLoader,
	ply: async () => (await import('three/addons/loaders/PLYLoader.js')).PLYLoader,
};

/** Reads a format through three.js: an object with its clips. */
async function readThrough(kind, bytes, files) {
	const Loader = await loaders[kind]();
	const manager = new LoadingManager();
	const urls = new Map();
	const byName = new Map(Object.entries(files).map(([path, file]) => [path.split('/').pop(), file]));
	// pictures beside the file, by their names whatever folder the file says; nothing is fetched from elsewhere
	manager.setURLModifier((url) => {
		const file = byName.get(decodeURIComponent(url).split(/[\\/]/).pop());
		if (!file) {
			return /^(blob|data):/.test(url) ? url : 'data:,';
		}
		if (!urls.has(url)) {
			urls.set(url, URL.createObjectURL(new Blob([file])));
		}
		return urls.get(url);
	});
	let isLoading = false;
	manager.onStart = () => (isLoading = true);
	const loaded = new Promise((resolve) => (manager.onLoad = resolve));
	const loader = new Loader(manager);
	const isText = kind === 'obj' || kind === 'dae';
	const text = isText ? new TextDecoder().decode(bytes) : '';
	const read = loader.parse(isText ? text : bytes.buffer, '');
	if (isLoading) {
		await loaded;
	}
	if (read.isBufferGeometry) {
		const geometry = weld(read);
		return {
			scene: new Mesh(geometry, new MeshStandardMaterial({ vertexColors: Boolean(geometry.attributes.color) })),
			clips: [],
		};
	}
	const scene = read.scene ?? read;
	if (kind === 'obj' && !/^vn /m.test(text)) {
		weldAll(scene);
	}
	return { scene, clips: read.animations ?? scene.animations ?? [] };
}

/** Corners at one place become one vertex, with a normal over its triangles: a list of triangles has neither. */
function weld(geometry) {
	geometry.deleteAttribute('normal');
	const welded = mergeVertices(geometry, 1e-7);
	welded.computeVertexNormals();
	return welded;
}

function weldAll(scene) {
	const meshes = [];
	scene.traverse((object) => object.isMesh && meshes.push(object));
	for (const mesh of meshes) {
		mesh.geometry = weld(mesh.geometry);
	}
}

/** FBX files are in centimetres more often than not: what is taller than a house is taken to be. */
function putIntoMetres(scene) {
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

/** The bytes of a GLB file. */
export async function toGlb(kind, bytes, files) {
	const { scene, clips } = await readThrough(kind, bytes, files);
	plainMaterials(scene);
	nameMorphTargets(scene);
	const written = await new GLTFExporter().parseAsync(putIntoMetres(scene), {
		binary: true,
		animations: clips.map((clip) => withoutLooseTracks(clip, scene)).filter(({ tracks }) => tracks.length > 0),
		onlyVisible: false,
	});
	return new Uint8Array(written);
}

/** Every morph target has a name, which the exporter looks it up by: "0" where the file gives none. */
function nameMorphTargets(scene) {
	scene.traverse((object) => {
		const targets = object.geometry?.morphAttributes.position ?? object.geometry?.morphAttributes.normal;
		if (object.isMesh && targets) {
			object.morphTargetInfluences ??= targets.map(() => 0);
			object.morphTargetDictionary ??= {};
			const named = new Set(Object.values(object.morphTargetDictionary));
			targets.forEach((_, i) => {
				if (!named.has(i)) {
					object.morphTargetDictionary[`${i}`] = i;
				}
			});
		}
	});
}

const morphTrack = /^(.*)\.morphTargetInfluences(?:\[(.*)\])?$/;

/** A clip without tracks of morph targets that no mesh has. */
function withoutLooseTracks(clip, scene) {
	const copy = clip.clone();
	copy.tracks = clip.tracks.filter(({ name }) => {
		const [, node, target] = name.match(morphTrack) ?? [];
		const object = node && (scene.getObjectByName(node) ?? scene.getObjectByProperty('uuid', node));
		return (
			node === undefined ||
			Boolean(object?.morphTargetDictionary && (target === undefined || target in object.morphTargetDictionary))
		);
	});
	return copy;
}

/** Materials that glTF has no words for become standard ones of the same colour and picture. */
function plainMaterials(scene) {
	const made = new Map();
	const convert = (material) => {
		if (!made.has(material)) {
			made.set(
				material,
				material.isMeshStandardMaterial
					? material
					: new MeshStandardMaterial({
							name: material.name,
							color: material.color,
							map: usable(material.map),
							roughness: 0.8,
							metalness: 0,
							side: material.side,
							transparent: material.transparent,
							opacity: material.opacity,
							vertexColors: material.vertexColors,
						}),
			);
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
