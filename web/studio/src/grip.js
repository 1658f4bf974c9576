// SPDX-License-Identifier: MIT
// How far flesh may be stretched by a hand: measured along the skin, from the place that is held to places around it.

// Paths along the skin are so long, in radii of the grip, and there are so many at most.
const reachRadii = 1.5;
const mostPaths = 24;
// A path may be so many times as long as at rest. Where the hand goes on for so many steps it slips off.
const mostStretch = 1.6;
const slipSteps = 30;

/** Neighbours of each place of a mesh, with vertices at one place (seams) taken as one. */
export class SkinGraph {
	constructor(indices, rest) {
		const places = new Map();
		this.rest = rest;
		this.place = Int32Array.from({ length: rest.length / 3 }, (_, v) => {
			const key = `${rest[3 * v]},${rest[3 * v + 1]},${rest[3 * v + 2]}`;
			if (!places.has(key)) {
				places.set(key, v);
			}
			return places.get(key);
		});
		this.neighbours = new Map();
		const join = (a, b) => this.neighbours.get(a)?.add(b) ?? this.neighbours.set(a, new Set([b]));
		for (let i = 0; i < indices.length; i += 3) {
			const [a, b, c] = [0, 1, 2].map((k) => this.place[indices[i + k]]);
			for (const [from, to] of [[a, b], [b, c], [c, a]]) {
				join(from, to);
				join(to, from);
			}
		}
	}

	distance(positions, a, b) {
		return Math.hypot(...[0, 1, 2].map((axis) => positions[3 * a + axis] - positions[3 * b + axis]));
	}

	/** Shortest ways along edges from a vertex to others about `reach` away: lists of vertices. */
	paths(start, reach) {
		const from = this.place[start];
		const length = new Map([[from, 0]]);
		const before = new Map();
		const open = new Set([from]);
		const ends = [];
		while (open.size > 0) {
			const here = [...open].reduce((best, v) => (length.get(v) < length.get(best) ? v : best));
			open.delete(here);
			if (length.get(here) >= reach) {
				ends.push(here);
				continue;
			}
			for (const next of this.neighbours.get(here) ?? []) {
				const way = length.get(here) + this.distance(this.rest, here, next);
				if (way < (length.get(next) ?? Infinity)) {
					length.set(next, way);
					before.set(next, here);
					open.add(next);
				}
			}
		}
		const every = Math.ceil(ends.length / mostPaths);
		return ends
			.filter((_, i) => i % every === 0)
			.map((end) => {
				const path = [end];
				while (path.at(-1) !== from) {
					path.push(before.get(path.at(-1)));
				}
				return path;
			});
	}
}

export class Grip {
	/** @param {Float32Array} positions as they are when the hand takes hold */
	constructor(graph, hit, radius, positions) {
		this.graph = graph;
		this.hit = hit;
		const start = hit.vertices[hit.weights.indexOf(Math.max(...hit.weights))];
		this.paths = graph.paths(start, reachRadii * radius);
		this.rest = this.measure(graph.rest);
		const middle = this.middle(positions);
		this.offset = [0, 1, 2].map((axis) => positions[3 * start + axis] - middle[axis]);
		this.allowed = Infinity;
		this.steps = 0;
		this.target = null;
	}

	measure(positions) {
		return this.paths.reduce(
			(sum, path) => sum + path.slice(1).reduce((way, v, i) => way + this.graph.distance(positions, v, path[i]), 0),
			0,
		);
	}

	middle(positions) {
		const ends = this.paths.map(([end]) => end);
		return [0, 1, 2].map((axis) => ends.reduce((sum, v) => sum + positions[3 * v + axis], 0) / Math.max(1, ends.length));
	}

	/** Where the flesh may be held now, given where the hand is; null where the hand slips off. */
	follow(positions) {
		if (this.paths.length === 0 || !this.target) {
			return this.target;
		}
		const middle = this.middle(positions);
		const anchor = this.offset.map((value, axis) => value + middle[axis]);
		const way = this.target.map((value, axis) => value - anchor[axis]);
		const wanted = Math.hypot(...way);
		const stretch = this.measure(positions) / this.rest;
		if (stretch > mostStretch) {
			this.allowed = 0.97 * Math.min(this.allowed, wanted);
		} else if (stretch < 0.95 * mostStretch) {
			this.allowed *= 1.01;
		}
		const isBeyond = wanted > 1.5 * this.allowed;
		this.steps = isBeyond ? this.steps + 1 : 0;
		if (this.steps > slipSteps) {
			return null;
		}
		const share = Math.min(1, this.allowed / Math.max(wanted, 1e-9));
		return anchor.map((value, axis) => value + share * way[axis]);
	}
}
