// SPDX-License-Identifier: MIT
// Scenes and their colliders.
import { Actor } from './actor.js';
import { Attachment, attachmentKinds } from './attachments.js';
import { checkNumbers, Resource, SuppleError } from './resource.js';

export class Scene extends Resource {
	#actors = new Set();
	#colliders = new Set();
	#attachments = new Set();

	release() {
		this.supple.module._supWeb_DestroyScene(this.pointer);
	}

	/** With all of its actors. */
	destroy() {
		for (const one of [...this.#actors, ...this.#colliders]) {
			one.destroy();
		}
		super.destroy();
	}

	// The library ends what holds an actor together with it.
	#forgetActor(actor) {
		this.#actors.delete(actor);
		[...this.#attachments].filter(({ places }) => places.some((place) => place.actor === actor)).forEach((one) => one.forget());
	}

	addActor(flesh) {
		flesh.check();
		const pointer = this.supple.ok(this.supple.module._supWeb_AddActor(this.check(), flesh.pointer));
		const actor = new Actor(this, pointer, flesh, () => this.#forgetActor(actor));
		this.#actors.add(actor);
		return actor;
	}

	#addPlace({ at, actor, node, offset = [0, 0, 0], near, inside, hit, radius = 0 }) {
		const { supple } = this;
		const m = supple.module;
		const numbers = at ?? near ?? inside ?? (hit ? hit.weights : offset);
		checkNumbers('place', ...numbers, radius);
		if (at) {
			return supple.ok(m._supWeb_AddWorldPlace(...at));
		}
		if (!this.#actors.has(actor)) {
			throw new SuppleError('a place is { at } in the world, or has an actor of this scene and near, inside, hit or node');
		}
		const own = actor.check();
		if (hit) {
			return supple.ok(m._supWeb_AddSurfacePlace(own, actor.point(hit), radius));
		}
		if (near) {
			return supple.ok(m._supWeb_AddNearPlace(own, ...near, radius));
		}
		return supple.ok(inside ? m._supWeb_AddInsidePlace(own, ...inside) : m._supWeb_AddNodePlace(own, node ?? -1, ...offset));
	}

	/**
	 * Holds places together from now on. kind: join (default), slide, velocity, line or triangle. A place is { at: [x, y, z] }
	 * in the world, or of an actor: { actor, hit } (of castRay), { actor, near }, { actor, inside } with a point, or
	 * { actor, node, offset }; radius spreads the force. Metres, m/s, seconds, newtons.
	 */
	attach({ kind = 'join', places = [], name = 'attachment', velocity = [0, 0, 0], slack = 0, assembly = 0,
		breakingForce = Infinity, active = true } = {}) {
		const m = this.supple.module;
		if (!attachmentKinds.includes(kind)) {
			throw new SuppleError(`an attachment is ${attachmentKinds.join(', ')}, not ${kind}`);
		}
		checkNumbers('attachment', ...velocity, slack, assembly);
		this.check();
		m._supWeb_BeginAttachment();
		places.forEach((place) => this.#addPlace(place));
		const pointer = this.supple.withText(name, (text) => m._supWeb_Attach(this.pointer, text, attachmentKinds.indexOf(kind),
			...velocity, slack, assembly, breakingForce, active));
		const attachment = new Attachment(this, this.supple.ok(pointer), [...places], () => this.#attachments.delete(attachment));
		this.#attachments.add(attachment);
		return attachment;
	}

	/**
	 * shape: sphere, plane (all below it), capsule (along y) or box; motion: still, kinematic or dynamic. Metres, kg, m/s.
	 */
	addCollider({ shape = 'sphere', motion = 'still', radius = 1, halfHeight = 0, halfSize = [1, 1, 1],
		position = [0, 0, 0], rotation = [0, 0, 0, 1], mass = 0, density = 1000, velocity = [0, 0, 0], spin = [0, 0, 0],
		friction = 0.5, restitution = 0 } = {}) {
		const m = this.supple.module;
		const kinds = [shapes.indexOf(shape), motions.indexOf(motion)];
		if (kinds.includes(-1)) {
			throw new SuppleError(`a collider is ${shapes.join(', ')} and ${motions.join(', ')}, not ${shape} and ${motion}`);
		}
		const numbers = [...kinds, radius, halfHeight, ...halfSize, ...position, ...rotation, mass, density, ...velocity,
			...spin, friction, restitution];
		checkNumbers('collider', ...numbers);
		this.supple.floats(m._supWeb_ColliderInput(), numbers.length).set(numbers);
		const pointer = this.supple.ok(m._supWeb_AddCollider(this.check()));
		const collider = new Collider(this, pointer, () => this.#colliders.delete(collider));
		this.#colliders.add(collider);
		return collider;
	}

	/** All below this height is solid. */
	addFloor(y = 0, { friction = 0.5 } = {}) {
		return this.addCollider({ shape: 'plane', position: [0, y, 0], friction });
	}

	/** Rows of place, normal, depth and force of the last substep. */
	contacts() {
		const m = this.supple.module;
		const count = m._supWeb_ContactCount(this.check());
		const pointer = this.supple.ok(m._supWeb_Allocate(32 * count + 4));
		m._supWeb_ReadContacts(this.pointer, pointer);
		const rows = this.supple.floats(pointer, 8 * count).slice();
		m._supWeb_Free(pointer);
		return rows;
	}

	stats() {
		return this.supple.json(this.supple.module._supWeb_Stats(this.check()));
	}

	step(dt) {
		checkNumbers('dt', dt);
		this.supple.module._supWeb_Step(this.check(), Math.max(dt, 0));
	}

	setGravity(v) {
		checkNumbers('gravity', ...v);
		this.supple.module._supWeb_SetGravity(this.check(), ...v);
	}

	setWind(v) {
		checkNumbers('wind', ...v);
		this.supple.module._supWeb_SetWind(this.check(), ...v);
	}

	/**
	 * Less detail for those far away, in metres: farther than full, flesh is computed every second step; farther than
	 * reduced there is none, and farther than skinned no surface. null: all in full again.
	 */
	setViewer(viewer) {
		const { position = [0, 0, 0], full = 0, reduced = full, skinned = 0 } = viewer ?? {};
		checkNumbers('viewer', ...position, full, reduced, skinned);
		if (viewer && !(full > 0 && reduced >= full && (skinned === 0 || skinned >= reduced))) {
			throw new SuppleError(`viewer: expected 0 < full <= reduced <= skinned (got ${full}, ${reduced}, ${skinned})`);
		}
		this.supple.ok(this.supple.module._supWeb_SetViewer(this.check(), ...position, full, reduced, skinned));
	}
}

const shapes = ['sphere', 'plane', 'capsule', 'box'];
const motions = ['still', 'kinematic', 'dynamic'];

export class Collider extends Resource {
	constructor(scene, pointer, removed) {
		super(scene.supple, pointer, [scene]);
		this.scene = scene;
		this.removed = removed;
	}

	release() {
		this.removed();
		this.supple.module._supWeb_RemoveCollider(this.scene.pointer, this.pointer);
	}

	remove() {
		this.destroy();
	}

	/** Where a kinematic one is to be by the end of the next step; others, and with atOnce all, are there at once. */
	setTransform(position, rotation = [0, 0, 0, 1], { atOnce = false } = {}) {
		checkNumbers('place', ...position, ...rotation);
		this.supple.ok(this.supple.module._supWeb_SetTransform(this.check(), ...position, ...rotation, atOnce));
	}

	setVelocity(velocity, spin = [0, 0, 0]) {
		checkNumbers('velocity', ...velocity, ...spin);
		this.supple.ok(this.supple.module._supWeb_SetVelocity(this.check(), ...velocity, ...spin));
	}

	transform() {
		const numbers = Array.from(this.supple.floats(this.supple.module._supWeb_Transform(this.check()), 13));
		return {
			position: numbers.slice(0, 3), rotation: numbers.slice(3, 7),
			velocity: numbers.slice(7, 10), spin: numbers.slice(10, 13),
		};
	}
}
