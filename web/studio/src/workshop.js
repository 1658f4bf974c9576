// SPDX-License-Identifier: MIT
// What takes long, in a worker of its own: building flesh, baking, finding joints in a mesh.
import { Cast } from './cast.js';

export class Workshop {
	constructor(supple, post) {
		this.supple = supple;
		this.post = post;
		this.cast = new Cast(supple);
		this.rig = null;
		// what was built last, for who asks more about it
		this.flesh = null;
		this.fleshKey = '';
		this.handlers = {
			open: this.open,
			motion: (data) => this.cast.addMotion(data),
			build: this.build,
			elements: this.listElements,
			bake: this.bake,
			rigJoint: this.findJoint,
			bind: this.bind,
		};
	}

	async open(source) {
		this.dropRig();
		this.dropFlesh();
		await this.cast.open(source);
		return {};
	}

	needFlesh(settings) {
		const key = JSON.stringify(settings);
		if (key !== this.fleshKey) {
			this.dropFlesh();
			this.flesh = this.supple.buildFlesh(this.cast.character, settings);
			this.fleshKey = key;
		}
		return this.flesh;
	}

	dropFlesh() {
		this.flesh?.destroy();
		this.flesh = null;
		this.fleshKey = '';
	}

	/** Flesh as bytes, which the simulation reads. */
	build({ settings }) {
		const bytes = this.needFlesh(settings).write();
		return { bytes, transfer: [bytes.buffer] };
	}

	listElements({ settings }) {
		return { elements: this.needFlesh(settings).elements() };
	}

	bake({ settings, clip, rate, loop, format, from, to, tolerance, helpers }) {
		const flesh = this.needFlesh(settings);
		const progress = (done, total) => this.post({ event: 'progress', done, total });
		const bake = this.supple.bake(flesh, { clip, rate, loop, from, to, tolerance, progress });
		try {
			const files = format === 'pc2' ? this.listCaches(bake) : [format === 'bones' ? bake.bonesGlb({ helpers, progress }) : bake.glb()];
			return { files, transfer: files.map((file) => file.buffer) };
		} finally {
			bake.destroy();
		}
	}

	listCaches(bake) {
		return this.cast.character.describe().instances.map((_, instance) => bake.pc2(instance));
	}

	findJoint({ origin, direction }) {
		this.rig ??= this.supple.createRig(this.cast.character);
		const joint = this.rig.addJoint('', origin, direction);
		return { place: this.rig.joints()[joint].position };
	}

	bind(data) {
		this.dropRig();
		this.dropFlesh();
		this.cast.bind(data);
		return {};
	}

	dropRig() {
		this.rig?.destroy();
		this.rig = null;
	}
}
