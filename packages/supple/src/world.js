// SPDX-License-Identifier: MIT
// The page's side of a simulation: a world with characters and colliders, for any engine. What engines do differently is in
// three.js and babylon.js: reading poses and transforms, and drawing a surface.
import { closeHost, openHost } from './host.js';
import { SuppleError } from './objects/resource.js';

// More than this in one call is lost time, not motion: the page was in the background.
const longestUpdate = 0.1;

let numbers = 0;

function report(error) {
	console.error(error);
}

function checkChoice(name, value, choices) {
	if (!choices.includes(value)) {
		throw new SuppleError(`expected ${choices.map(String).join(', ')} (got ${String(value)})`, name);
	}
}

function checkOptions({ threads, worker, build, gravity }) {
	checkChoice('worker', worker, ['auto', true, false]);
	checkChoice('build', build, ['all', 'methods', 'position']);
	if (threads !== 'auto' && !(Number.isInteger(threads) && threads >= 1 && threads <= 16)) {
		throw new SuppleError(`expected 'auto' or a whole number from 1 to 16 (got ${String(threads)})`, 'threads');
	}
	if (!(Array.isArray(gravity) && gravity.length === 3 && gravity.every(Number.isFinite))) {
		throw new SuppleError('expected three numbers, in m/s²', 'gravity');
	}
}

/** Which build has this method. */
export function chooseBuild(method) {
	return ['position', 'lbs', 'dqs', undefined].includes(method) ? 'position' : 'methods';
}

class Collider {
	#world;

	constructor(world, number, object) {
		this.#world = world;
		this.number = number;
		this.object = object;
	}

	/** position: [x, y, z]; rotation: a quaternion [x, y, z, w]. */
	move(position, rotation = [0, 0, 0, 1]) {
		this.#world.send('moveCollider', { collider: this.number, position: [...position], rotation: [...rotation] });
	}

	remove() {
		this.#world.dropCollider(this);
	}
}

export class World {
	#host;
	#engine;
	#bodies = new Map();
	#colliders = new Map();
	#lod;
	#hasViewer = false;
	#isBusy = false;
	#isClosing = false;
	#isClosed = false;
	#seconds = 0;
	#frame = 0;

	constructor(host, engine, lod) {
		this.#host = host;
		this.#engine = engine;
		this.#lod = lod;
		this.number = ++numbers;
		/** Of the last step, in milliseconds. */
		this.milliseconds = 0;
	}

	/** engine: readTransform( object ), readPosition( object ), writeTransform( object, position, rotation ). */
	static async open(engine, { threads = 'auto', worker = 'auto', build = 'methods', gravity = [0, -9.81, 0], sleeping = true, lod = null }) {
		checkOptions({ threads, worker, build, gravity });
		const host = await openHost({ build, threads, worker });
		const world = new World(host, engine, lod);
		await world.request('openWorld', { gravity: engine.toSimulation(gravity), sleeping });
		return world;
	}

	get isInWorker() {
		return this.#host.isWorker;
	}

	get threads() {
		return this.#host.threads;
	}

	get sharesMemory() {
		return this.#host.sharesMemory;
	}

	request(name, data, transfer) {
		if (this.#isClosed) {
			return Promise.reject(new SuppleError('this world has been disposed of'));
		}
		return this.#host.request(name, { world: this.number, ...data }, transfer);
	}

	/** Without an answer; what goes wrong is printed. */
	send(name, data) {
		this.request(name, data).catch(report);
	}

	// ---- characters ----

	#makeBuffers(byteCount) {
		return [0, 1].map(() => (this.#host.sharesMemory ? new SharedArrayBuffer(byteCount) : new ArrayBuffer(byteCount)));
	}

	/** body: describe(), readPose( numbers ), draw( floats ), showSkinned( is ) and poseLength. */
	async add(body, settings) {
		const description = body.describe();
		const pose = new Float32Array(body.poseLength);
		body.readPose(pose);
		const counts = description.instances.map(({ mesh }) => description.meshes[mesh].positions.length / 3);
		const buffers = this.#makeBuffers(24 * counts.reduce((sum, count) => sum + count, 0));
		const key = `${body.key} ${JSON.stringify(settings)}`;
		const about = await this.request('addBody', { body: body.number, key, description, settings, pose,
			buffers: this.#host.sharesMemory ? buffers : [] });
		this.#bodies.set(body.number, { body, buffers, pose, drawn: null });
		return about;
	}

	remove(body) {
		if (this.#bodies.delete(body.number)) {
			this.send('removeBody', { body: body.number });
		}
	}

	// ---- colliders ----

	/** Follows `object` of the engine where one is given; a dynamic one is followed by it. */
	addCollider({ object = null, ...definition } = {}) {
		const collider = new Collider(this, ++numbers, object);
		const motion = definition.motion ?? (object ? 'kinematic' : 'still');
		collider.isDynamic = motion === 'dynamic';
		const place = object ? this.#engine.readTransform(object) : {};
		this.#colliders.set(collider.number, collider);
		const { position, rotation } = this.#engine.toSimulationTransform({ position: definition.position ?? place.position,
			rotation: definition.rotation ?? place.rotation });
		this.send('addCollider', { collider: collider.number, definition: { ...definition, motion, position, rotation } });
		return collider;
	}

	/** All below this height is solid. */
	addFloor(height = 0, { friction = 0.5 } = {}) {
		return this.addCollider({ shape: 'plane', position: [0, height, 0], friction });
	}

	dropCollider(collider) {
		if (this.#colliders.delete(collider.number)) {
			this.send('removeCollider', { collider: collider.number });
		}
	}

	setGravity(gravity) {
		this.send('setForces', { gravity: this.#engine.toSimulation(gravity) });
	}

	setWind(wind) {
		this.send('setForces', { wind: this.#engine.toSimulation(wind) });
	}

	/** { camera, full, reduced }: metres beyond which flesh is computed every second step, and beyond which there is none. */
	setLod(lod) {
		this.#lod = lod;
	}

	// ---- time ----

	#viewer() {
		if (!this.#lod) {
			// nobody looks any longer; or nobody ever has
			const viewer = this.#hasViewer ? null : undefined;
			this.#hasViewer = false;
			return viewer;
		}
		this.#hasViewer = true;
		const { camera, full = 8, reduced = 2 * full } = this.#lod;
		// flesh fades out while the surface is still computed; after that the engine's own skinning draws it
		return { position: this.#engine.toSimulation(this.#engine.readPosition(camera)), full, reduced, skinned: 1.2 * reduced };
	}

	/**
	 * Moves flesh forward, to the poses that skeletons have now, and draws it. On the page's thread at once; by a worker what
	 * it has finished since the last call is drawn, and it goes on with the poses of now.
	 */
	update(delta) {
		if (typeof delta !== 'number' || !(delta >= 0)) {
			throw new SuppleError(`expected the seconds since the last call (got ${String(delta)})`, 'update');
		}
		if (this.#isClosed) {
			throw new SuppleError('this world has been disposed of');
		}
		this.#seconds = Math.min(this.#seconds + delta, longestUpdate);
		if (this.#isBusy || this.#bodies.size === 0) {
			return;
		}
		const finished = [...this.#bodies.values()].filter(({ ready }) => ready);
		const step = this.#prepare();
		if (this.#host.isWorker) {
			this.#isBusy = true;
			const transfer = this.#host.sharesMemory ? [] : step.buffers.map(([, buffer]) => buffer);
			this.request('step', step, transfer).then((result) => this.#receive(result), report).finally(() => (this.#isBusy = false));
		} else {
			this.#receive(this.#host.call('step', { world: this.number, ...step }));
			finished.push(...[...this.#bodies.values()].filter((entry) => entry.ready && !finished.includes(entry)));
		}
		finished.forEach((entry) => this.#draw(entry));
	}

	#prepare() {
		const dt = this.#seconds;
		this.#seconds = 0;
		this.#frame += 1;
		const entries = [...this.#bodies.values()];
		const poses = entries.map(({ body, pose }) => {
			body.readPose(pose);
			return [body.number, pose];
		});
		const colliders = [...this.#colliders.values()].filter(({ object, isDynamic }) => object && !isDynamic)
			.map(({ number, object }) => ({ collider: number,
				...this.#engine.toSimulationTransform(this.#engine.readTransform(object)) }));
		const which = this.#frame & 1;
		const buffers = entries.map(({ body, buffers: own }) => [body.number, this.#host.sharesMemory ? which : own[which]]);
		return { dt, poses, colliders, viewer: this.#viewer(), buffers };
	}

	#receive({ surfaces, moved, milliseconds }) {
		this.milliseconds = milliseconds;
		const which = this.#frame & 1;
		for (const { body, given, detail } of surfaces) {
			const entry = this.#bodies.get(body);
			if (entry) {
				if (typeof given !== 'number') {
					entry.buffers[which] = given;
				}
				entry.ready = { floats: new Float32Array(entry.buffers[which]), detail };
			}
		}
		for (const { collider, ...place } of moved) {
			const { object } = this.#colliders.get(collider) ?? {};
			if (object) {
				const { position, rotation } = this.#engine.toSimulationTransform(place);
				this.#engine.writeTransform(object, position, rotation);
			}
		}
	}

	#draw(entry) {
		const { floats, detail } = entry.ready;
		entry.ready = null;
		entry.body.detailNow = detail;
		entry.body.showSkinned(detail === 'posed');
		if (detail !== 'posed') {
			entry.body.draw(floats);
		}
	}

	/** Draws its characters as they were before, and frees everything. */
	dispose() {
		if (!this.#isClosing) {
			this.#isClosing = true;
			[...this.#bodies.values()].forEach(({ body }) => body.dispose());
			this.send('closeWorld', {});
			this.#isClosed = true;
			closeHost(this.#host);
		}
	}
}
