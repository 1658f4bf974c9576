// SPDX-License-Identifier: MIT
// Surfaces of the clip as they were played last, one for each step, so that scrubbing shows flesh in motion.

const mostBytes = 192 << 20;

export class Recording {
	constructor(stepSeconds) {
		this.stepSeconds = stepSeconds;
		this.clear();
	}

	clear() {
		this.frames = new Map();
		this.bytes = 0;
	}

	keyOf(time) {
		return Math.round(time / this.stepSeconds);
	}

	/** @param {Float32Array[]} surfaces one for each stage; kept */
	add(time, surfaces) {
		const key = this.keyOf(time);
		const size = (list) => list.reduce((sum, { byteLength }) => sum + byteLength, 0);
		if (this.frames.has(key)) {
			this.bytes -= size(this.frames.get(key));
			this.frames.delete(key);
		}
		this.frames.set(key, surfaces);
		this.bytes += size(surfaces);
		// the oldest go first
		while (this.bytes > mostBytes) {
			const [oldest, list] = this.frames.entries().next().value;
			this.bytes -= size(list);
			this.frames.delete(oldest);
		}
	}

	/** The surfaces at a time of the clip, or null where it was not played. */
	find(time) {
		const key = this.keyOf(time);
		return this.frames.get(key) ?? this.frames.get(key - 1) ?? this.frames.get(key + 1) ?? null;
	}
}
