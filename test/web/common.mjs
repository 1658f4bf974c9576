// SPDX-License-Identifier: MIT
// What the tests of supple.js share. CMake says where things are.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const web = process.env.SUPPLE_WEB;
export const source = process.env.SUPPLE_SOURCE;
export const native = process.env.SUPPLE_NATIVE;
export const { createSupple, SuppleError } = await import(pathToFileURL(join(web, 'supple.js')));

/** The command line of the build for this machine; ends the test, skipped, where there is none. */
export function requireNative(file) {
	const path = join(native, file);
	if (!existsSync(path)) {
		console.log(`skipped: ${path} is missing`);
		process.exit(77);
	}
	return path;
}

/** Calls with a folder that is gone afterwards. */
export function withFolder(call) {
	const folder = mkdtempSync(join(tmpdir(), 'supple-'));
	try {
		return call(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

export function distance(a, b) {
	return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** The largest difference between numbers of two arrays. */
export function largestDifference(a, b) {
	return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
}

/** A skeleton of two joints that nods, in the names of the tube's. */
export function makeBvh(names, frames) {
	const [root, ...others] = names;
	const channels = 'CHANNELS 3 Zrotation Xrotation Yrotation';
	let text = `HIERARCHY\nROOT ${root}\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n`;
	for (const name of others) {
		text += `JOINT ${name}\n{\nOFFSET 0 1 0\n${channels}\n`;
	}
	text += `End Site\n{\nOFFSET 0 1 0\n}\n${'}\n'.repeat(others.length)}}\nMOTION\nFrames: ${frames}\nFrame Time: 0.05\n`;
	for (let i = 0; i < frames; ++i) {
		text += `0 0 0 0 0 0${others.map((_, k) => ` ${k === 0 ? 3 * i : 0} 0 0`).join('')}\n`;
	}
	return new TextEncoder().encode(text);
}
