// SPDX-License-Identifier: MIT
// The decoder of compressed glTF, fetched when the first such file is opened. The library calls it in the middle of
// reading, so it has to be there before.

let decoder = null;

/** What createSupple takes. */
export const lateDecoder = {
	decodeGltfBuffer: (...parameters) => decoder.decodeGltfBuffer(...parameters),
};

const word = 'EXT_meshopt_compression';

function mentions(bytes) {
	// the JSON comes first in a GLB, and says how long it is
	const isGlb = bytes.length > 20 && bytes[0] === 0x67 && bytes[1] === 0x6c && bytes[2] === 0x54 && bytes[3] === 0x46;
	const length = isGlb ? 20 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true) : bytes.length;
	return new TextDecoder().decode(bytes.subarray(0, length)).includes(word);
}

/** Waits for the decoder where a file asks for it. */
export async function prepare({ bytes, name = '' }) {
	if (!decoder && bytes && /\.(glb|gltf|vrm)$/i.test(name) && mentions(bytes)) {
		const { MeshoptDecoder } = await import('three/addons/libs/meshopt_decoder.module.js');
		await MeshoptDecoder.ready;
		decoder = MeshoptDecoder;
	}
}
