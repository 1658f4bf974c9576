// SPDX-License-Identifier: MIT
// The decoder of compressed glTF, fetched when the first such file is opened. The library calls it in the middle of
// reading, so it has to be there before.
import { jsonEnd } from './glb.js';

let decoder = null;

/** What createSupple takes. */
export const lateDecoder = {
	decodeGltfBuffer: (...parameters) => decoder.decodeGltfBuffer(...parameters),
};

const word = 'EXT_meshopt_compression';

function mentions(bytes) {
	return new TextDecoder().decode(bytes.subarray(0, jsonEnd(bytes))).includes(word);
}

/** Waits for the decoder where a file asks for it. */
export async function prepare({ bytes, name = '' }) {
	if (!decoder && bytes && /\.(glb|gltf|vrm)$/i.test(name) && mentions(bytes)) {
		const { MeshoptDecoder } = await import('three/addons/libs/meshopt_decoder.module.js');
		await MeshoptDecoder.ready;
		decoder = MeshoptDecoder;
	}
}
