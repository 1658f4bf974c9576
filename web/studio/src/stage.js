// SPDX-License-Identifier: MIT
// One scene with one actor in it, and the things that touch it. The simulation has one stage, or two to compare.
import { Grip } from './grip.js';
import { Toys } from './toys.js';

export class Stage extends Toys {
	constructor(supple, flesh, world, instanceCount) {
		super(supple.createScene({ gravity: [0, world.gravity ? -9.81 : 0, 0] }));
		this.flesh = flesh;
		this.instanceCount = instanceCount;
		this.actor = this.scene.addActor(flesh);
		this.floor = null;
		this.drag = -1;
		this.grip = null;
		this.hasSlipped = false;
		this.ties = [];
		this.previous = null;
		this.setWorld(world);
	}

	destroy() {
		this.scene.destroy();
		this.flesh.destroy();
	}

	setWorld({ gravity, floor, floorHeight, selfContact }) {
		this.scene.setGravity([0, gravity ? -9.81 : 0, 0]);
		if (floor && !this.floor) {
			this.floor = this.scene.addFloor(floorHeight);
		} else if (!floor && this.floor) {
			this.floor.remove();
			this.floor = null;
		}
		this.actor.setContact({ self: selfContact });
	}

	/** Takes hold where the ray meets the flesh. Says why not where the method has none; null where it misses. */
	startDrag({ origin, direction, radius, frequency }, graphOf) {
		this.endDrag();
		const hit = this.actor.castRay(origin, direction);
		if (!hit) {
			return null;
		}
		try {
			this.drag = this.actor.startDrag(hit, { radius, frequency });
			this.grip = new Grip(graphOf(hit.instance), hit, radius, this.actor.positions(hit.instance));
			return { refusal: '' };
		} catch (error) {
			return { refusal: error.message };
		}
	}

	moveDrag(target) {
		if (this.drag >= 0) {
			this.grip.target = target;
			this.followHand();
		}
	}

	/** Flesh goes with the hand as far as it stretches; beyond, the hand slips off. */
	followHand() {
		if (this.drag < 0 || !this.grip.target) {
			return;
		}
		const target = this.grip.follow(this.actor.positions(this.grip.hit.instance));
		if (target) {
			this.actor.moveDrag(this.drag, target);
		} else {
			this.endDrag();
			this.hasSlipped = true;
		}
	}

	endDrag() {
		if (this.drag >= 0) {
			this.actor.endDrag(this.drag);
			this.drag = -1;
		}
	}

	/**
	 * Two places of the surface, or one and a place of the world, are held together. Returns why not, or nothing. What the
	 * method cannot hold may be held by the next one: it stays in the list of the simulation.
	 */
	tie({ id, hits, at, radius }) {
		const places = hits.map((hit) => ({ actor: this.actor, hit, radius }));
		try {
			const attachment = this.scene.attach({ places: at ? [...places, { at }] : places, assembly: 0.3 });
			this.ties.push({ id, hits, at, attachment });
			return '';
		} catch (error) {
			return error.message;
		}
	}

	/** All of them without a number. */
	cut(id) {
		this.ties = this.ties.filter((tie) => {
			const isCut = id === undefined || tie.id === id;
			if (isCut) {
				tie.attachment.cut();
			}
			return !isCut;
		});
	}

	placeOf({ instance, vertices, weights }) {
		const p = this.actor.positions(instance);
		return [0, 1, 2].map((axis) => vertices.reduce((sum, vertex, k) => sum + weights[k] * p[3 * vertex + axis], 0));
	}

	/** Number, gap, force and both ends of each tie: nine numbers each. */
	listTies() {
		return Float32Array.from(
			this.ties.flatMap(({ id, hits, at, attachment }) => [
				id,
				attachment.gap,
				Math.hypot(...attachment.force),
				...this.placeOf(hits[0]),
				...(at ?? this.placeOf(hits[1])),
			]),
		);
	}

	step(seconds, interpolate) {
		if (interpolate) {
			this.previous = this.copySurface(this.previous);
		}
		this.followHand();
		this.scene.step(seconds);
	}

	/** Does nothing move but what the clip moves? Balls may be on their way to flesh that sleeps. */
	get isAsleep() {
		return this.actor.asleep && this.balls.length === 0;
	}

	/** Positions of all instances one after the other, then their normals. */
	copySurface(into) {
		const instances = this.instanceCount;
		let total = 0;
		for (let i = 0; i < instances; ++i) {
			total += this.actor.positions(i).length;
		}
		const surface = into?.length === 2 * total ? into : new Float32Array(2 * total);
		let at = 0;
		for (let i = 0; i < instances; ++i) {
			const positions = this.actor.positions(i);
			surface.set(positions, at);
			surface.set(this.actor.normals(i), total + at);
			at += positions.length;
		}
		return surface;
	}

	/** One number for each vertex of all instances. */
	findHeat(kind) {
		const parts = Array.from({ length: this.instanceCount }, (_, i) => this.actor.heat(kind, i));
		const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
		let at = 0;
		for (const part of parts) {
			all.set(part, at);
			at += part.length;
		}
		return all;
	}
}
