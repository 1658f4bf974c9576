// SPDX-License-Identifier: MIT
// glTF compressed with Draco, decoded by the decoder that comes with three.js into plain glTF. Fetched when the first such
// file is opened.
import wasmUrl from 'three/addons/libs/draco/gltf/draco_decoder.wasm?url';
import wrapperUrl from 'three/addons/libs/draco/gltf/draco_wasm_wrapper.js?url';
import { joinGlb, splitGlb } from './glb.js';

const extension = 'KHR_draco_mesh_compression';
const dataTypes = {
	5120: ['DT_INT8', Int8Array],
	5121: ['DT_UINT8', Uint8Array],
	5122: ['DT_INT16', Int16Array],
	5123: ['DT_UINT16', Uint16Array],
	5125: ['DT_UINT32', Uint32Array],
	5126: ['DT_FLOAT32', Float32Array],
};

let loading = null;

/** A classic script, which leaves its factory in the window. */
function loadDecoder() {
	loading ??= (async () => {
		const wasmBinary = await (await fetch(wasmUrl)).arrayBuffer();
		await new Promise((resolve, reject) => {
			const script = document.createElement('script');
			script.src = wrapperUrl;
			script.onload = resolve;
			script.onerror = () => reject(new Error('the Draco decoder could not be loaded; is the page still reachable?'));
			document.head.append(script);
		});
		return new Promise((resolve) => window.DracoDecoderModule({ wasmBinary, onModuleLoaded: resolve }));
	})();
	return loading;
}

function findBuffer({ uri }, binary, files) {
	if (!uri) {
		return binary;
	}
	if (uri.startsWith('data:')) {
		return Uint8Array.from(atob(uri.slice(uri.indexOf(',') + 1)), (c) => c.charCodeAt(0));
	}
	const file = files[uri] ?? files[decodeURIComponent(uri)];
	if (!file) {
		throw new Error(`${uri} is missing: drop it together with the .gltf`);
	}
	return file;
}

/** @param {{name: string, bytes: Uint8Array, files: Record<string, Uint8Array>}} source */
export async function withoutDraco({ name, bytes, files }) {
	const draco = await loadDecoder();
	const { document: gltf, binary } = splitGlb(bytes);
	const buffers = gltf.buffers.map((buffer) => findBuffer(buffer, binary, files));
	const pieces = [];
	let length = 0;
	const append = (data) => {
		const at = length;
		pieces.push([at, data]);
		length += (data.byteLength + 3) & ~3;
		return at;
	};
	// all buffers one after the other, then what was decoded
	const starts = buffers.map((buffer) => append(buffer));
	for (const view of gltf.bufferViews) {
		view.byteOffset = (view.byteOffset ?? 0) + starts[view.buffer];
		view.buffer = 0;
	}
	const addView = (data) =>
		gltf.bufferViews.push({ buffer: 0, byteOffset: append(data), byteLength: data.byteLength }) - 1;
	const decoder = new draco.Decoder();
	try {
		for (const primitive of gltf.meshes.flatMap(({ primitives }) => primitives)) {
			if (primitive.extensions?.[extension]) {
				const { byteOffset, byteLength } = gltf.bufferViews[primitive.extensions[extension].bufferView];
				const packed = findPiece(pieces, byteOffset, byteLength);
				decodePrimitive(draco, decoder, gltf, primitive, packed, addView, name);
			}
		}
	} finally {
		draco.destroy(decoder);
	}
	for (const key of ['extensionsUsed', 'extensionsRequired']) {
		gltf[key] = gltf[key]?.filter((word) => word !== extension);
		if (gltf[key]?.length === 0) {
			delete gltf[key];
		}
	}
	const all = new Uint8Array(length);
	for (const [at, data] of pieces) {
		all.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
	}
	gltf.buffers = [{ byteLength: length }];
	return { name: name.replace(/\.gltf$/i, '.glb'), label: name, bytes: joinGlb(gltf, all), files };
}

function findPiece(pieces, offset, length) {
	const [at, data] = pieces.findLast(([start]) => start <= offset);
	return data.subarray(offset - at, offset - at + length);
}

function decodePrimitive(draco, decoder, gltf, primitive, packed, addView, name) {
	const { attributes } = primitive.extensions[extension];
	const buffer = new draco.DecoderBuffer();
	const mesh = new draco.Mesh();
	try {
		buffer.Init(new Int8Array(packed.buffer, packed.byteOffset, packed.byteLength), packed.byteLength);
		const status = decoder.DecodeBufferToMesh(buffer, mesh);
		if (!status.ok() || mesh.ptr === 0) {
			throw new Error(`${name}: its Draco data is damaged; export the file again`);
		}
		const indices = readIndices(draco, decoder, mesh);
		const indexAccessor = gltf.accessors[primitive.indices];
		Object.assign(indexAccessor, { bufferView: addView(indices), byteOffset: 0, componentType: 5125, count: indices.length });
		for (const [key, id] of Object.entries(attributes)) {
			const accessor = gltf.accessors[primitive.attributes[key]];
			const values = readAttribute(draco, decoder, mesh, id, accessor.componentType);
			Object.assign(accessor, { bufferView: addView(values), byteOffset: 0, count: mesh.num_points() });
		}
		delete primitive.extensions[extension];
	} finally {
		draco.destroy(mesh);
		draco.destroy(buffer);
	}
}

function readIndices(draco, decoder, mesh) {
	const count = 3 * mesh.num_faces();
	const pointer = draco._malloc(4 * count);
	decoder.GetTrianglesUInt32Array(mesh, 4 * count, pointer);
	const indices = new Uint32Array(draco.HEAPF32.buffer, pointer, count).slice();
	draco._free(pointer);
	return indices;
}

function readAttribute(draco, decoder, mesh, id, componentType) {
	const [type, Values] = dataTypes[componentType];
	const attribute = decoder.GetAttributeByUniqueId(mesh, id);
	const count = mesh.num_points() * attribute.num_components();
	const size = count * Values.BYTES_PER_ELEMENT;
	const pointer = draco._malloc(size);
	decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, draco[type], size, pointer);
	const values = new Values(draco.HEAPF32.buffer, pointer, count).slice();
	draco._free(pointer);
	return values;
}
