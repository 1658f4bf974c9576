// SPDX-License-Identifier: MIT
// A tracker: sends VMC (OSC over UDP) as the programs do that watch a webcam.
import { createSocket } from 'node:dgram';

function text(value) {
	const bytes = Buffer.from(`${value}\0`);
	return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

function float(value) {
	const bytes = Buffer.alloc(4);
	bytes.writeFloatBE(value);
	return bytes;
}

function message(path, name, ...numbers) {
	const types = `,${name === null ? '' : 's'}${'f'.repeat(numbers.length)}`;
	return Buffer.concat([text(path), text(types), ...(name === null ? [] : [text(name)]), ...numbers.map(float)]);
}

function bundle(messages) {
	const parts = messages.map((bytes) => {
		const length = Buffer.alloc(4);
		length.writeInt32BE(bytes.length);
		return Buffer.concat([length, bytes]);
	});
	return Buffer.concat([text('#bundle'), Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), ...parts]);
}

// Places of a person in T-pose, parent first, in Unity's space: metres.
const bones = {
	Hips: [0, 1, 0],
	Spine: [0, 0.12, 0],
	Chest: [0, 0.15, 0],
	Neck: [0, 0.25, 0],
	Head: [0, 0.1, 0],
	LeftUpperLeg: [-0.1, -0.05, 0],
	LeftLowerLeg: [0, -0.43, 0],
	LeftFoot: [0, -0.43, 0],
	RightUpperLeg: [0.1, -0.05, 0],
	RightLowerLeg: [0, -0.43, 0],
	RightFoot: [0, -0.43, 0],
	LeftShoulder: [-0.05, 0.2, 0],
	LeftUpperArm: [-0.12, 0, 0],
	LeftLowerArm: [-0.27, 0, 0],
	LeftHand: [-0.25, 0, 0],
	RightShoulder: [0.05, 0.2, 0],
	RightUpperArm: [0.12, 0, 0],
	RightLowerArm: [0.27, 0, 0],
	RightHand: [0.25, 0, 0],
};

/** A frame at a time: the arms go up and down, the hips stand at `place` and look `turn` radians away from ahead. */
export function frame(seconds, { place = [0, 0, 0], turn = 0 } = {}) {
	const swing = 0.5 * Math.sin(4 * seconds);
	const turns = {
		Hips: [0, Math.sin(turn / 2), 0, Math.cos(turn / 2)],
		LeftUpperArm: [0, 0, Math.sin(swing), Math.cos(swing)],
		RightUpperArm: [0, 0, -Math.sin(swing), Math.cos(swing)],
	};
	return bundle([
		message('/VMC/Ext/OK', null),
		message('/VMC/Ext/Root/Pos', 'root', 0, 0, 0, 0, 0, 0, 1),
		...Object.entries(bones).map(([name, at]) => {
			const where = name === 'Hips' ? at.map((value, axis) => value + place[axis]) : at;
			return message('/VMC/Ext/Bone/Pos', name, ...where, ...(turns[name] ?? [0, 0, 0, 1]));
		}),
		message('/VMC/Ext/T', null, seconds),
	]);
}

/** Sends frames to a port until it is stopped; what is in `pose` may change meanwhile. */
export function startTracker(port, pose = {}) {
	const socket = createSocket('udp4');
	const begin = performance.now();
	const timer = setInterval(() => socket.send(frame((performance.now() - begin) / 1000, pose), port, '127.0.0.1'), 33);
	return {
		pose,
		stop: () => {
			clearInterval(timer);
			socket.close();
		},
	};
}
