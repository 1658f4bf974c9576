// SPDX-License-Identifier: MIT
// How long flesh takes to build: what this browser saw, and before that what two cores of 2024 take.
const key = 'supple.build-times';
// microseconds a vertex
const first = { position: 150, lattice: 60, points: 400, layered: 250, fem: 250, modes: 400 };

function read() {
	try {
		return JSON.parse(localStorage.getItem(key)) ?? {};
	} catch {
		return {};
	}
}

const tetsOf = ({ parameters }) => Number(parameters?.tets ?? 0);

/** Seconds, from the number of vertices; of tetrahedra, where the settings say one. */
export function expectedSeconds(settings, vertices) {
	const rate = read()[settings.method] ?? first[settings.method] ?? 200;
	return 1e-6 * rate * Math.max(vertices, tetsOf(settings), 1000);
}

export function learnSeconds(settings, vertices, seconds) {
	const known = read();
	const rate = (1e6 * seconds) / Math.max(vertices, tetsOf(settings), 1000);
	const before = known[settings.method] ?? rate;
	known[settings.method] = Math.round(0.5 * (before + rate));
	try {
		localStorage.setItem(key, JSON.stringify(known));
	} catch {
		// a private window: guesses stay as they are
	}
}
