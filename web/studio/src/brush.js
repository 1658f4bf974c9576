// SPDX-License-Identifier: MIT
// Painting softness: a brush on the surface at rest, so that what is painted does not depend on the pose that it was
// painted in.

/** @typedef {{radius: number, strength: number, mode: 'soften'|'smooth'|'erase', mirror: boolean}} Brush */

/** One instance at rest: places, normals, and which vertices are neighbours across seams. */
class Canvas {
	constructor(places, normals, indices) {
		this.places = places;
		this.normals = normals;
		this.indices = indices;
		this.edges = null;
		this.weld();
	}

	/** Vertices at one place share a value. */
	weld() {
		const count = this.places.length / 3;
		const first = new Map();
		this.twin = new Uint32Array(count);
		for (let i = 0; i < count; ++i) {
			const key = `${this.places[3 * i]} ${this.places[3 * i + 1]} ${this.places[3 * i + 2]}`;
			if (!first.has(key)) {
				first.set(key, i);
			}
			this.twin[i] = first.get(key);
		}
	}

	/** Those along edges, by vertex; found when they are first needed. */
	get neighbours() {
		if (!this.edges) {
			this.edges = Array.from(this.twin, () => null);
			for (let i = 0; i < this.indices.length; i += 3) {
				for (let edge = 0; edge < 3; ++edge) {
					const a = this.twin[this.indices[i + edge]];
					const b = this.twin[this.indices[i + ((edge + 1) % 3)]];
					(this.edges[a] ??= new Set()).add(b);
					(this.edges[b] ??= new Set()).add(a);
				}
			}
		}
		return this.edges;
	}

	/** The place and normal at rest of a hit on the surface as it is now. */
	atRest({ corners, weights }) {
		const place = [0, 0, 0];
		const normal = [0, 0, 0];
		corners.forEach((corner, i) => {
			for (let axis = 0; axis < 3; ++axis) {
				place[axis] += weights[i] * this.places[3 * corner + axis];
				normal[axis] += weights[i] * this.normals[3 * corner + axis];
			}
		});
		return { place, normal };
	}

	/** Calls back with each vertex under the brush and how much of it (0 .. 1) the brush has. */
	eachUnder({ place, normal }, radius, visit) {
		const [x, y, z] = place;
		for (let i = 0; i < this.twin.length; ++i) {
			const dx = this.places[3 * i] - x;
			const dy = this.places[3 * i + 1] - y;
			const dz = this.places[3 * i + 2] - z;
			const square = (dx * dx + dy * dy + dz * dz) / (radius * radius);
			// not through the body to its other side
			const facing =
				normal[0] * this.normals[3 * i] +
				normal[1] * this.normals[3 * i + 1] +
				normal[2] * this.normals[3 * i + 2];
			if (square < 1 && facing > -0.2) {
				visit(i, (1 - square) * (1 - square));
			}
		}
	}
}

export class Painting {
	/**
	 * @param {object} character as in the store
	 * @param {(Float32Array|null)[]} values softness by instance, from before
	 * @param {Float32Array|null} start softness of all vertices that painting starts from where there is none
	 */
	constructor({ description, rest }, values, start) {
		const half = rest.length / 2;
		let first = 0;
		this.instances = description.instances.map(({ mesh: index }, i) => {
			const mesh = description.meshes[index];
			const length = 3 * mesh.vertexCount;
			const range = [first, first + length];
			first += length;
			const canvas = new Canvas(
				rest.subarray(...range),
				rest.subarray(half + range[0], half + range[1]),
				mesh.indices,
			);
			const begin = values[i] ?? mesh.softness ?? start?.subarray(range[0] / 3, range[1] / 3);
			return { canvas, values: begin ? Float32Array.from(begin) : new Float32Array(mesh.vertexCount) };
		});
		this.total = first / 3;
		const [low, high] = description.size;
		this.middle = 0.5 * (low[0] + high[0]);
	}

	/** One dab where the surface was hit. */
	dab({ instance, corners, weights }, brush) {
		const { canvas } = this.instances[instance];
		const spot = canvas.atRest({ corners, weights });
		this.dabAll(spot, brush);
		if (brush.mirror) {
			const [x, y, z] = spot.place;
			const [nx, ny, nz] = spot.normal;
			this.dabAll({ place: [2 * this.middle - x, y, z], normal: [-nx, ny, nz] }, brush);
		}
	}

	dabAll(spot, { radius, strength, mode }) {
		for (const { canvas, values } of this.instances) {
			const before = mode === 'smooth' ? values.slice() : values;
			canvas.eachUnder(spot, radius, (i, share) => {
				const amount = strength * share;
				if (mode === 'soften') {
					values[i] += amount * (1 - values[i]);
				} else if (mode === 'erase') {
					values[i] -= amount * values[i];
				} else {
					values[i] += amount * (average(before, canvas.neighbours[canvas.twin[i]]) - values[i]);
				}
			});
			// seams stay closed
			canvas.twin.forEach((twin, i) => (values[i] = values[twin]));
		}
	}

	/** All values one after the other, to be drawn. */
	flatten() {
		const all = new Float32Array(this.total);
		let at = 0;
		for (const { values } of this.instances) {
			all.set(values, at);
			at += values.length;
		}
		return all;
	}

	/** Copies for the design. */
	finish() {
		return this.instances.map(({ values }) => values.slice());
	}
}

function average(values, neighbours) {
	if (!neighbours) {
		return 0;
	}
	let sum = 0;
	for (const neighbour of neighbours) {
		sum += values[neighbour];
	}
	return sum / neighbours.size;
}
