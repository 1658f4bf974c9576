// SPDX-License-Identifier: MIT
// Poses of a tracker, as `supple live --studio` sends them: heard in the worker that simulates, so that nothing that the page
// draws delays them.

/** In place of the number of a clip: what the tracker sends. */
export const liveClip = -2;
// between the last pose of one clock and the first of the next
const newClockSeconds = 1 / 30;

const fromBase64 = (text) => new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);

export class Feed {
	constructor(post) {
		this.post = post;
		this.source = null;
		// of the character that the tracker moves, and of the one that is open
		this.names = null;
		this.nodes = [];
		this.unit = 1;
		this.take = null;
		/** Of the stream: delay, prediction, smoothing in seconds. */
		this.options = {};
	}

	/** @param {(numbers: Float32Array, time: number) => void} push */
	listen(address, push) {
		this.source?.close();
		this.source = new EventSource(address);
		this.source.addEventListener('options', ({ data }) => {
			const given = Object.entries(JSON.parse(data)).filter(([, value]) => value !== null);
			this.options = Object.fromEntries(given);
		});
		this.source.addEventListener('nodes', ({ data }) => (this.names = data.split('\n')));
		this.source.addEventListener('pose', ({ data }) => {
			const [time, numbers] = data.split(' ');
			if (this.isOurs) {
				const pose = this.read(numbers);
				this.take?.push([Number(time), pose]);
				push(pose, Number(time));
			}
		});
		this.source.addEventListener('status', ({ data }) => {
			const status = JSON.parse(data);
			this.post({ event: 'live', status: this.isOurs ? status : { ...status, state: 'other' } });
		});
		// the program was ended; the browser goes on trying, and hears it again where it is started anew
		this.source.addEventListener('error', () => this.post({ event: 'live', status: { state: 'gone' } }));
	}

	/** @param {string[]} names of the nodes of the character that is open; unit: metres */
	setNodes(names, unit = 1) {
		this.nodes = names;
		this.unit = unit;
	}

	/** The places of a pose in metres: it comes in the unit of the file. */
	read(text) {
		const numbers = fromBase64(text);
		for (let i = 0; this.unit !== 1 && i < this.nodes.length; ++i) {
			for (let axis = 0; axis < 3; ++axis) {
				numbers[10 * i + axis] *= this.unit;
			}
		}
		return numbers;
	}

	/** Does the tracker move the character that is open? */
	get isOurs() {
		return this.names?.length === this.nodes.length && this.names.every((name, i) => name === this.nodes[i]);
	}

	/** Begins to keep poses, or gives those that were kept: times from 0 in seconds, poses one after the other. */
	record(on) {
		const frames = this.take;
		this.take = on ? [] : null;
		if (on || !frames || frames.length === 0) {
			return null;
		}
		const kept = [];
		const times = [];
		let before = frames[0][0];
		for (const [time, numbers] of frames) {
			// senders repeat themselves, and some begin their clock anew
			const gap = time < before - 1 ? newClockSeconds : time - before;
			if (kept.length === 0 || gap > 0) {
				times.push(kept.length === 0 ? 0 : times.at(-1) + gap);
				kept.push(numbers);
				before = time;
			}
		}
		const width = kept[0].length;
		const poses = new Float32Array(width * kept.length);
		kept.forEach((numbers, i) => poses.set(numbers, i * width));
		return kept.length > 1 ? { times: Float32Array.from(times), poses } : null;
	}
}
