// SPDX-License-Identifier: MIT
// The character that a worker holds: opened from a built-in name or from bytes, rigged, given motions.
import { prepare } from './meshopt.js';

/** @typedef {{builtin?: string, bytes?: Uint8Array, name?: string, files?: Record<string, Uint8Array>, unit?: number}} Source */

/** Poses that a tracker sent, one after the other in one array. */
function listPoses({ times, poses }) {
	const width = poses.length / times.length;
	return Array.from(times, (_, i) => poses.subarray(i * width, (i + 1) * width));
}

export class Cast {
	constructor(supple) {
		this.supple = supple;
		this.character = null;
	}

	/** @param {Source} source */
	async open(source) {
		await prepare(source);
		const next = source.bytes
			? this.supple.loadCharacter(source.bytes, source.name, { files: source.files ?? {}, unit: source.unit ?? 1 })
			: this.supple.loadBuiltin(source.builtin);
		const description = next.describe();
		if (description.instances.length === 0) {
			next.destroy();
			throw new Error(`${source.name}: there is no mesh in it. Its motion can be put onto a character as BVH`);
		}
		this.replace(next);
		return description;
	}

	replace(next) {
		this.character?.destroy();
		this.character = next;
	}

	/** Clips of another skeleton, a motion that comes along, or a take of the tracker. Returns the numbers of the new ones and all clips. */
	addMotion({ bytes, name, builtin, take }) {
		const added = builtin
			? [this.character.addBuiltinMotion(builtin)]
			: take
				? [this.character.addPoseClip(name, take.times, listPoses(take))]
				: this.character.addMotion(bytes, name);
		return { added, clips: this.character.describe().clips };
	}

	/** A skeleton for a mesh without one: joints at places, bones between them. */
	bind({ joints, bones, root }) {
		const rig = this.supple.createRig(this.character);
		try {
			for (const joint of joints) {
				rig.addJointAt(joint.name, joint.place);
			}
			for (const [a, b] of bones) {
				rig.addBone(a, b);
			}
			rig.setRoot(root);
			const bound = rig.bind({ method: 'geodesic' });
			this.replace(bound);
			return bound.describe();
		} finally {
			rig.destroy();
		}
	}
}
