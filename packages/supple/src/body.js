// SPDX-License-Identifier: MIT
// A soft character, whatever engine draws it.
import { SuppleError } from './objects/resource.js';
import { chooseBuild, World } from './world.js';

let numbers = 0;

const details = ['full', 'reduced', 'skinned', 'posed'];
const knownOptions = ['method', 'parameters', 'settings', 'softness', 'meshes', 'world', 'threads', 'worker', 'build', 'gravity',
	'sleeping', 'lod', 'contact', 'weights'];

/** A place that is pulled. */
class Drag {
	#body;

	constructor(body, number) {
		this.#body = body;
		this.number = number;
	}

	/** Where it is to go, in the world: anything with x, y and z, or an array. */
	move(target) {
		this.#body.send('moveDrag', { drag: this.number, target: this.#body.toSimulation(readPoint(target, 'drag.move')) });
	}

	end() {
		this.#body.send('endDrag', { drag: this.number });
	}
}

export function readPoint(point, where) {
	const list = Array.isArray(point) || ArrayBuffer.isView(point) ? [...point].slice(0, 3) : [point?.x, point?.y, point?.z];
	if (list.length !== 3 || !list.every(Number.isFinite)) {
		throw new SuppleError('expected a point: { x, y, z } or [x, y, z]', where);
	}
	return list;
}

async function readSettings({ settings = {}, method, parameters }) {
	let plain = settings;
	if (typeof settings === 'string' || settings instanceof URL) {
		const answer = await fetch(settings);
		if (!answer.ok) {
			throw new SuppleError(`${settings}: the server answers ${answer.status} ${answer.statusText}`, 'settings', 'not-found');
		}
		plain = await answer.json().catch((error) => {
			throw new SuppleError(`${settings}: ${error.message}`, 'settings', 'format');
		});
	}
	if (plain === null || typeof plain !== 'object' || Array.isArray(plain)) {
		throw new SuppleError('expected the address of a settings file, or what is in it as an object', 'settings');
	}
	const all = { method: 'position', ...plain };
	if (method !== undefined) {
		all.method = method;
	}
	if (parameters !== undefined) {
		all.parameters = { ...all.parameters, ...parameters };
	}
	return all;
}

export class Body {
	#world;
	#ownsWorld = false;
	#detail = 'full';
	#isDisposed = false;

	constructor() {
		this.number = ++numbers;
		this.detailNow = 'full';
	}

	static checkOptions(options) {
		if (options === null || typeof options !== 'object') {
			throw new SuppleError('expected an object as the second argument', 'soften');
		}
		const unknown = Object.keys(options).find((key) => !knownOptions.includes(key));
		if (unknown !== undefined) {
			throw new SuppleError(`unknown option '${unknown}'; there are ${knownOptions.join(', ')}`, 'soften');
		}
	}

	/** Builds flesh; what is drawn changes with the first update. */
	async begin(engine, options) {
		const settings = await readSettings(options);
		const { world, contact } = options;
		if (world !== undefined && !(world instanceof World)) {
			throw new SuppleError('expected what createWorld returned', 'world');
		}
		this.#ownsWorld = !world;
		this.#world = world ?? await World.open(engine, { build: chooseBuild(settings.method), ...options });
		try {
			const about = await this.#world.add(this, settings);
			Object.assign(this, about);
			if (contact) {
				await this.#world.request('setContact', { body: this.number, contact });
			}
		} catch (error) {
			if (this.#ownsWorld) {
				this.#world.dispose();
			}
			throw error;
		}
	}

	get world() {
		return this.#world;
	}

	send(name, data) {
		if (this.#isDisposed) {
			throw new SuppleError('this character has been disposed of');
		}
		this.#world.send(name, { body: this.number, ...data });
	}

	/** Milliseconds of the last step. */
	get milliseconds() {
		return this.#world.milliseconds;
	}

	/** Once a frame, after the animation mixer: seconds since the last one. */
	update(delta) {
		if (!this.#ownsWorld) {
			throw new SuppleError('this character is in a world that createWorld made: call world.update( delta ) once a frame', 'update');
		}
		this.#world.update(delta);
	}

	/** Flesh at rest in the pose of now: after a leap to another place. */
	reset() {
		const pose = new Float32Array(this.poseLength);
		this.readPose(pose);
		this.send('reset', { pose });
	}

	setParameter(name, value) {
		if (typeof name !== 'string' || !Number.isFinite(value)) {
			throw new SuppleError(`expected a name and a number (got ${String(name)}, ${String(value)})`, 'setParameter');
		}
		return this.#world.request('setParameter', { body: this.number, name, value });
	}

	setRegion(region, { frequency = 0, damping = 0 } = {}) {
		return this.#world.request('setRegion', { body: this.number, region, frequency, damping });
	}

	/** { colliders, actors, self, friction, restitution, thickness } */
	setContact(contact) {
		return this.#world.request('setContact', { body: this.number, contact });
	}

	/** Volume error, stretch, energy, penetration. */
	measure() {
		return this.#world.request('measure', { body: this.number });
	}

	addCollider(definition) {
		return this.#world.addCollider(definition);
	}

	addFloor(height, options) {
		return this.#world.addFloor(height, options);
	}

	get detail() {
		return this.#detail;
	}

	/** The most that is computed: full, reduced, skinned, or posed, which the engine's own skinning draws. */
	set detail(detail) {
		if (!details.includes(detail)) {
			throw new SuppleError(`expected ${details.join(', ')} (got ${String(detail)})`, 'detail');
		}
		this.#detail = detail;
		this.send('setDetail', { detail });
	}

	/** Takes hold of a place of the surface, where hit is { instance, vertices, weights }. */
	grab(hit, { radius = 0, frequency = 0 } = {}) {
		const drag = new Drag(this, ++numbers);
		this.send('startDrag', { drag: drag.number, hit, radius, frequency });
		return drag;
	}

	/** Drawn as it was before; everything is freed. Twice is fine. */
	dispose() {
		if (!this.#isDisposed) {
			this.#isDisposed = true;
			this.restore();
			this.#world.remove(this);
			if (this.#ownsWorld) {
				this.#world.dispose();
			}
		}
	}
}
