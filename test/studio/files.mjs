// SPDX-License-Identifier: MIT
// Files that the tests of the studio drop onto the page.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(import.meta.dirname, '../../web/package.json'));

/** A closed cylinder that stands at the origin, as OBJ: rings of corners, and a corner in the middle of each end. */
export function cylinderObj({ radius, height, around = 24, rings = 17 }) {
	const lines = [];
	for (let j = 0; j < rings; ++j) {
		for (let i = 0; i < around; ++i) {
			const angle = (2 * Math.PI * i) / around;
			lines.push(`v ${radius * Math.cos(angle)} ${(height * j) / (rings - 1)} ${radius * Math.sin(angle)}`);
		}
	}
	lines.push('v 0 0 0', `v 0 ${height} 0`);
	const corner = (i, j) => j * around + (i % around) + 1;
	const [bottom, top] = [rings * around + 1, rings * around + 2];
	for (let i = 0; i < around; ++i) {
		for (let j = 0; j + 1 < rings; ++j) {
			lines.push(`f ${corner(i, j)} ${corner(i, j + 1)} ${corner(i + 1, j + 1)} ${corner(i + 1, j)}`);
		}
		lines.push(`f ${bottom} ${corner(i, 0)} ${corner(i + 1, 0)}`);
		lines.push(`f ${top} ${corner(i + 1, rings - 1)} ${corner(i, rings - 1)}`);
	}
	return `${lines.join('\n')}\n`;
}

/** The same GLB with all of its animations taken out. */
export function withoutClips(bytes) {
	const jsonLength = bytes.readUInt32LE(12);
	const document = JSON.parse(bytes.toString('utf8', 20, 20 + jsonLength));
	delete document.animations;
	return writeGlb(document, bytes.subarray(28 + jsonLength));
}

const componentBytes = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const componentCounts = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };
const padded = (length) => (length + 3) & ~3;

/** A GLB whose accessors lie one to a view, with all that EXT_meshopt_compression has a mode for compressed without loss. */
export async function compressGlb(bytes) {
	const { MeshoptEncoder } = await import(pathToFileURL(require.resolve('meshoptimizer')));
	await MeshoptEncoder.ready;
	const jsonLength = bytes.readUInt32LE(12);
	const document = JSON.parse(bytes.toString('utf8', 20, 20 + jsonLength));
	const binary = bytes.subarray(28 + jsonLength);
	const indices = new Set(document.meshes.flatMap(({ primitives }) => primitives.map((primitive) => primitive.indices)));
	const pieces = [];
	let end = 0;
	const append = (piece) => {
		const at = end;
		pieces.push(piece, Buffer.alloc(padded(piece.length) - piece.length));
		end += padded(piece.length);
		return at;
	};
	let fallback = 0;
	document.bufferViews.forEach((view, index) => {
		const source = binary.subarray(view.byteOffset ?? 0, (view.byteOffset ?? 0) + view.byteLength);
		const owner = document.accessors.findIndex(({ bufferView }) => bufferView === index);
		const { componentType, type, count } = document.accessors[owner] ?? {};
		const stride = view.byteStride ?? componentBytes[componentType] * componentCounts[type];
		const isIndices = indices.has(owner);
		if (owner < 0 || (!isIndices && stride % 4 !== 0)) {
			view.byteOffset = append(source);
			return;
		}
		const mode = isIndices ? 'TRIANGLES' : 'ATTRIBUTES';
		const packed = MeshoptEncoder.encodeGltfBuffer(source.subarray(0, count * stride), count, stride, mode);
		const byteOffset = append(Buffer.from(packed));
		view.extensions = {
			EXT_meshopt_compression: { buffer: 0, byteOffset, byteLength: packed.length, byteStride: stride, count, mode },
		};
		Object.assign(view, { buffer: 1, byteOffset: fallback, byteLength: count * stride });
		fallback += padded(view.byteLength);
	});
	document.buffers = [
		{ byteLength: end },
		{ byteLength: fallback, extensions: { EXT_meshopt_compression: { fallback: true } } },
	];
	document.extensionsUsed = [...(document.extensionsUsed ?? []), 'EXT_meshopt_compression'];
	document.extensionsRequired = [...(document.extensionsRequired ?? []), 'EXT_meshopt_compression'];
	return writeGlb(document, Buffer.concat(pieces));
}

function writeGlb(document, binary) {
	const text = JSON.stringify(document);
	const json = Buffer.from(text.padEnd(text.length + padded(Buffer.byteLength(text)) - Buffer.byteLength(text)));
	const header = (...words) => Buffer.from(Uint32Array.from(words).buffer);
	const total = 28 + json.length + binary.length;
	const [magic, jsonType, binaryType] = [0x46546c67, 0x4e4f534a, 0x004e4942];
	return Buffer.concat([
		header(magic, 2, total),
		header(json.length, jsonType),
		json,
		header(binary.length, binaryType),
		binary,
	]);
}
