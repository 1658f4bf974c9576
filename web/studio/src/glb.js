// SPDX-License-Identifier: MIT
// Binary glTF taken apart and put together.

const magic = 0x46546c67;
const jsonType = 0x4e4f534a;
const binaryType = 0x004e4942;
const padded = (length) => (length + 3) & ~3;

const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export function isGlb(bytes) {
	return bytes.length > 20 && viewOf(bytes).getUint32(0, true) === magic;
}

/** Where the JSON ends: it comes first in a GLB, which says how long it is; a .gltf is nothing else. */
export function jsonEnd(bytes) {
	return isGlb(bytes) ? 20 + viewOf(bytes).getUint32(12, true) : bytes.length;
}

/** The document of a .glb or .gltf, and the binary chunk where it has one. */
export function splitGlb(bytes) {
	const end = jsonEnd(bytes);
	const document = JSON.parse(new TextDecoder().decode(bytes.subarray(isGlb(bytes) ? 20 : 0, end)));
	const hasBinary = isGlb(bytes) && bytes.length >= end + 8;
	return { document, binary: hasBinary ? bytes.subarray(end + 8, end + 8 + viewOf(bytes).getUint32(end, true)) : null };
}

/** @param {Uint8Array|null} binary */
export function joinGlb(document, binary) {
	const json = new TextEncoder().encode(JSON.stringify(document));
	const jsonLength = padded(json.length);
	const binaryLength = binary ? padded(binary.length) : 0;
	const total = 20 + jsonLength + (binary ? 8 + binaryLength : 0);
	const bytes = new Uint8Array(total);
	const view = viewOf(bytes);
	[magic, 2, total, jsonLength, jsonType].forEach((word, i) => view.setUint32(4 * i, word, true));
	bytes.fill(0x20, 20, 20 + jsonLength);
	bytes.set(json, 20);
	if (binary) {
		view.setUint32(20 + jsonLength, binaryLength, true);
		view.setUint32(24 + jsonLength, binaryType, true);
		bytes.set(binary, 28 + jsonLength);
	}
	return bytes;
}
