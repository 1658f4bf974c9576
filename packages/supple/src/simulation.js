// SPDX-License-Identifier: MIT
// Worlds and the bodies in them, on the thread that has the library: a worker, or the page's own. Handlers take plain objects
// and return them, so that both ways are the same.
import { SuppleError } from './objects/resource.js';

// Longer steps are cut, with poses in between, so that flesh swings the same at 30 frames a second as at 60.
const longestStep = 1 / 48;
const mostCuts = 4;

/** target := from previous (share 0) to next (share 1): ten numbers a node, then morph weights. */
function blendPose(target, previous, next, nodeCount, share) {
	for (let i = 0; i < next.length; ++i) {
		target[i] = previous[i] + share * (next[i] - previous[i]);
	}
	for (let node = 0; node < nodeCount; ++node) {
		const q = 10 * node + 3;
		let cosine = 0;
		for (let i = q; i < q + 4; ++i) {
			cosine += previous[i] * next[i];
		}
		const sign = cosine < 0 ? -1 : 1;
		let square = 0;
		for (let i = q; i < q + 4; ++i) {
			target[i] = (1 - share) * previous[i] + share * sign * next[i];
			square += target[i] * target[i];
		}
		const scale = 1 / Math.sqrt(square || 1);
		for (let i = q; i < q + 4; ++i) {
			target[i] *= scale;
		}
	}
}

class Body {
	constructor(actor, flesh, pose, nodeCount, counts, buffers) {
		this.actor = actor;
		this.flesh = flesh;
		this.nodeCount = nodeCount;
		this.counts = counts;
		this.buffers = buffers;
		this.previous = Float32Array.from(pose);
		this.between = new Float32Array(pose.length);
		this.drags = new Map();
	}

	setPose(next, share) {
		if (share < 1) {
			blendPose(this.between, this.previous, next, this.nodeCount, share);
			this.actor.setPose(this.between);
		} else {
			this.actor.setPose(next);
			this.previous.set(next);
		}
	}

	/** Positions and normals of each instance, one after another. */
	write(out) {
		let offset = 0;
		this.counts.forEach((count, instance) => {
			out.set(this.actor.positions(instance), offset);
			out.set(this.actor.normals(instance), offset + 3 * count);
			offset += 6 * count;
		});
	}
}

export class Simulation {
	constructor(supple) {
		this.supple = supple;
		this.worlds = new Map();
		// flesh that is in use, by what it was made of
		this.fleshes = new Map();
	}

	find(world, body) {
		const found = this.worlds.get(world)?.bodies.get(body);
		if (!found) {
			throw new SuppleError('this character has been disposed of');
		}
		return found;
	}

	methods() {
		return this.supple.methods;
	}

	openWorld({ world, gravity, sleeping }) {
		this.worlds.set(world, { scene: this.supple.createScene({ gravity, sleeping }), bodies: new Map(), colliders: new Map() });
	}

	closeWorld({ world }) {
		const { bodies, scene } = this.worlds.get(world);
		[...bodies.keys()].forEach((body) => this.removeBody({ world, body }));
		scene.destroy();
		this.worlds.delete(world);
	}

	// Characters of one kind share their flesh.
	#shareFlesh(key, description, settings) {
		let shared = this.fleshes.get(key);
		if (!shared) {
			const character = this.supple.createCharacter(description);
			try {
				shared = { flesh: this.supple.buildFlesh(character, settings), users: 0 };
			} finally {
				character.destroy();
			}
			this.fleshes.set(key, shared);
		}
		shared.users += 1;
		return shared.flesh;
	}

	#dropFlesh(flesh) {
		for (const [key, shared] of this.fleshes) {
			if (shared.flesh === flesh && --shared.users === 0) {
				flesh.destroy();
				this.fleshes.delete(key);
			}
		}
	}

	addBody({ world, body, key, description, settings, pose, buffers }) {
		const { scene, bodies } = this.worlds.get(world);
		const flesh = this.#shareFlesh(key, description, settings);
		const actor = scene.addActor(flesh);
		const counts = description.instances.map((instance) => description.meshes[instance.mesh].positions.length / 3);
		const own = new Body(actor, flesh, pose, description.nodes.length, counts, buffers);
		bodies.set(body, own);
		actor.setPose(pose);
		actor.settle();
		return { method: flesh.method, parameters: flesh.parameters, regions: flesh.regions };
	}

	removeBody({ world, body }) {
		const own = this.find(world, body);
		own.actor.destroy();
		this.#dropFlesh(own.flesh);
		this.worlds.get(world).bodies.delete(body);
	}

	/** At rest in a pose, as after a leap to another place. */
	reset({ world, body, pose }) {
		const own = this.find(world, body);
		own.setPose(pose, 1);
		own.actor.settle();
	}

	/**
	 * dt: seconds; poses and colliders as they are at the end of it. buffers: where surfaces go, of each body, or which of the
	 * buffers that it shares with the page.
	 */
	step({ world, dt, poses, colliders = [], viewer, buffers }) {
		const begin = performance.now();
		const { scene, bodies, colliders: solids } = this.worlds.get(world);
		const cuts = Math.min(Math.max(Math.ceil(dt / longestStep), 1), mostCuts);
		colliders.forEach(({ collider, position, rotation }) => solids.get(collider)?.setTransform(position, rotation));
		if (viewer !== undefined) {
			scene.setViewer(viewer);
		}
		for (let cut = 1; cut <= cuts; ++cut) {
			poses.forEach(([body, pose]) => bodies.get(body)?.setPose(pose, cut / cuts));
			scene.step(dt / cuts);
		}
		const surfaces = buffers.map(([body, given]) => {
			const own = bodies.get(body);
			const buffer = typeof given === 'number' ? own?.buffers[given] : given;
			const detail = own?.actor.detail ?? 'posed';
			if (own && detail !== 'posed') {
				own.write(new Float32Array(buffer));
			}
			return { body, given, detail };
		});
		const moved = [...solids].filter(([, solid]) => solid.isDynamic)
			.map(([collider, solid]) => ({ collider, ...solid.transform() }));
		return { surfaces, moved, milliseconds: performance.now() - begin };
	}

	addCollider({ world, collider, definition }) {
		const { scene, colliders } = this.worlds.get(world);
		const solid = scene.addCollider(definition);
		solid.isDynamic = definition.motion === 'dynamic';
		colliders.set(collider, solid);
	}

	moveCollider({ world, collider, position, rotation }) {
		this.worlds.get(world)?.colliders.get(collider)?.setTransform(position, rotation);
	}

	removeCollider({ world, collider }) {
		const { colliders } = this.worlds.get(world);
		colliders.get(collider)?.destroy();
		colliders.delete(collider);
	}

	startDrag({ world, body, drag, hit, radius, frequency }) {
		const { actor, drags } = this.find(world, body);
		drags.set(drag, actor.startDrag(hit, { radius, frequency }));
	}

	moveDrag({ world, body, drag, target }) {
		const own = this.worlds.get(world)?.bodies.get(body);
		if (own?.drags.has(drag)) {
			own.actor.moveDrag(own.drags.get(drag), target);
		}
	}

	endDrag({ world, body, drag }) {
		const own = this.worlds.get(world)?.bodies.get(body);
		if (own?.drags.has(drag)) {
			own.actor.endDrag(own.drags.get(drag));
			own.drags.delete(drag);
		}
	}

	setParameter({ world, body, name, value }) {
		this.find(world, body).actor.setParameter(name, value);
	}

	setRegion({ world, body, region, frequency, damping }) {
		this.find(world, body).actor.setRegion(region, frequency, damping);
	}

	setDetail({ world, body, detail }) {
		this.find(world, body).actor.setDetail(detail);
	}

	setContact({ world, body, contact }) {
		this.find(world, body).actor.setContact(contact);
	}

	measure({ world, body }) {
		return this.find(world, body).actor.measure();
	}

	setForces({ world, gravity, wind }) {
		const { scene } = this.worlds.get(world);
		if (gravity) {
			scene.setGravity(gravity);
		}
		if (wind) {
			scene.setWind(wind);
		}
	}
}
