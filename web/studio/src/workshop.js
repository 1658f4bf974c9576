// SPDX-License-Identifier: MIT
// What takes long, in a worker of its own: building flesh, baking, finding joints in a mesh.
import { Cast } from './cast.js';

export class Workshop {
	constructor(supple, post) {
		this.supple = supple;
		this.post = post;
		this.cast = new Cast(supple);
		this.rig = null;
		this.handlers = {
			open: this.open,
			motion: (data) => this.cast.addMotion(data),
			build: this.build,
			bake: this.bake,
			rigJoint: this.findJoint,
			bind: this.bind,
		};
	}

	open(source) {
		this.dropRig();
		this.cast.open(source);
		return {};
	}

	/** Flesh as bytes, which the simulation reads. */
	build({ settings }) {
		const begin = performance.now();
		const flesh = this.supple.buildFlesh(this.cast.character, settings);
		try {
			const bytes = flesh.write();
			return { bytes, milliseconds: performance.now() - begin, transfer: [bytes.buffer] };
		} finally {
			flesh.destroy();
		}
	}

	bake({ settings, clip, rate, loop, format }) {
		const flesh = this.supple.buildFlesh(this.cast.character, settings);
		let bake = null;
		try {
			const progress = (done, total) => this.post({ event: 'progress', done, total });
			bake = this.supple.bake(flesh, { clip, rate, loop, progress });
			const files = format === 'glb' ? [bake.glb()] : this.listCaches(bake);
			return { files, transfer: files.map((file) => file.buffer) };
		} finally {
			bake?.destroy();
			flesh.destroy();
		}
	}

	listCaches(bake) {
		return this.cast.character.describe().instances.map((_, instance) => bake.pc2(instance));
	}

	findJoint({ origin, direction }) {
		this.rig ??= this.supple.createRig(this.cast.character);
		const joint = this.rig.addJoint('', origin, direction);
		return { place: this.rig.joints()[joint].place };
	}

	bind(data) {
		this.dropRig();
		this.cast.bind(data);
		return {};
	}

	dropRig() {
		this.rig?.destroy();
		this.rig = null;
	}
}
