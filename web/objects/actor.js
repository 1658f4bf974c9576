// SPDX-License-Identifier: MIT
// Characters with flesh in a scene.
import { checkNumbers, Resource, SuppleError } from './resource.js';

// In the order of supDetail.
const details = ['full', 'reduced', 'skinned', 'posed'];

export class Actor extends Resource {
	#playing = null;
	#drags = new Set();
	#removed;
	#vertexCounts;
	#poseCount;
	#pose = 0;
	#hasPose = false;

	constructor(scene, pointer, flesh, removed) {
		super(scene.supple, pointer, [scene, flesh]);
		this.scene = scene;
		this.flesh = flesh;
		this.#removed = removed;
		const { meshes, instances, nodes } = flesh.character.summary;
		this.#vertexCounts = instances.map((instance) => meshes[instance.mesh].vertexCount);
		this.#poseCount = 10 * nodes.length + instances.reduce((sum, instance) => sum + meshes[instance.mesh].targetCount, 0);
	}

	release() {
		this.#removed();
		if (this.#pose !== 0) {
			this.supple.module._supWeb_Free(this.#pose);
		}
		this.supple.module._supWeb_RemoveActor(this.scene.pointer, this.pointer);
	}

	// ---- motion ----

	/** From the next step on. time: where it begins, in seconds of the clip; fade: seconds that the last clip takes to go. */
	play(clip, { time = NaN, speed = 1, loop = true, fade = 0 } = {}) {
		const m = this.supple.module;
		checkNumbers('speed and fade', speed, fade);
		this.supple.ok(m._supWeb_Play(this.check(), this.flesh.character.pointer, clip, time, speed, loop, fade));
		this.#playing = { clip, speed, loop };
	}

	/** At rest in the pose of this moment of the clip, as if it had been there for ever; what played plays on from there. */
	seek(time) {
		const m = this.supple.module;
		const clip = this.#playing?.clip ?? -1;
		checkNumbers('time', time);
		this.supple.ok(m._supWeb_Settle(this.check(), this.flesh.character.pointer, clip, time));
		if (this.#playing !== null) {
			this.play(clip, { ...this.#playing, time });
		}
	}

	/** The pose stays as it is. */
	stop() {
		this.supple.module._supWeb_StopPlaying(this.check());
		this.#playing = null;
	}

	/** Back to the rest pose, or to the begin of what plays. */
	reset() {
		const clip = this.#playing?.clip ?? -1;
		const begin = clip >= 0 ? this.flesh.character.summary.clips[clip].begin : 0;
		this.seek(begin);
	}

	// A pose in the memory of the library.
	#writePose(numbers) {
		if (numbers.length !== this.#poseCount) {
			throw new SuppleError(`a pose of this character has ${this.#poseCount} numbers, not ${numbers.length}`);
		}
		this.check();
		if (this.#pose === 0) {
			this.#pose = this.supple.ok(this.supple.module._supWeb_Allocate(4 * this.#poseCount));
		}
		this.supple.floats(this.#pose, this.#poseCount).set(numbers);
		return this.#pose;
	}

	/**
	 * The pose to be reached by the end of the next step, for an actor that plays nothing: for each node of the character its
	 * translation, rotation (x, y, z, w) and scale against its parent, then the morph weights of all instances.
	 */
	setPose(numbers) {
		const pose = this.#writePose(numbers);
		this.supple.module._supWeb_SetPose(this.pointer, pose);
	}

	/**
	 * From the next step on poses come from pushPose, as a tracker sends them: late, noisy, with gaps. Seconds; what is not
	 * given is as in supStreamDef.
	 */
	openStream({ delay = NaN, prediction = NaN, smoothing = NaN } = {}) {
		this.supple.ok(this.supple.module._supWeb_OpenStream(this.check(), delay, prediction, smoothing));
		this.#playing = null;
		this.#hasPose = false;
	}

	/** A pose as for setPose, and its time on the sender's clock. With the first one flesh is at rest. */
	pushPose(numbers, time) {
		checkNumbers('time', time);
		const pose = this.#writePose(numbers);
		this.supple.module._supWeb_PushPose(this.pointer, pose, time, !this.#hasPose);
		this.#hasPose = true;
	}

	closeStream() {
		this.supple.module._supWeb_CloseStream(this.check());
	}

	/** Of the open stream: poses that came and those that were dropped, steps that guessed and steps that held the last pose. */
	streamStats() {
		const [received, dropped, predicted, held] =
			this.supple.floats(this.supple.module._supWeb_StreamStats(this.check()), 4);
		return { received, dropped, predicted, held };
	}

	/** At rest in the pose it was given last, as if it had been there for ever. */
	settle() {
		this.supple.module._supWeb_Reset(this.check());
	}

	/** Seconds of the clip that plays. */
	get time() {
		return this.supple.module._supWeb_PlayTime(this.check());
	}

	get asleep() {
		return this.supple.module._supWeb_IsAsleep(this.check()) !== 0;
	}

	// ---- while it runs ----

	setParameter(name, value) {
		this.supple.ok(this.supple.withText(name, (text) => this.supple.module._supWeb_SetParameter(this.check(), text, value)));
	}

	parameter(name) {
		return this.supple.withText(name, (text) => this.supple.module._supWeb_GetParameter(this.check(), text));
	}

	setRegion(region, frequency, damping) {
		this.supple.ok(this.supple.module._supWeb_SetRegion(this.check(), region, frequency, damping));
	}

	/** The most that is computed: full, reduced (every second step), skinned (no flesh) or posed (no surface either). */
	setDetail(detail) {
		if (!details.includes(detail)) {
			throw new SuppleError(`detail is ${details.join(', ')}, not ${detail}`);
		}
		this.supple.ok(this.supple.module._supWeb_SetDetail(this.check(), details.indexOf(detail)));
	}

	/** What was computed in the last step; a viewer of the scene may ask for less. */
	get detail() {
		return details[this.supple.module._supWeb_GetDetail(this.check())];
	}

	// ---- looking; views into memory, until the next call that may make it grow ----

	#instance(instance) {
		if (!(instance >= 0 && instance < this.#vertexCounts.length)) {
			throw new SuppleError(`no instance ${instance}`);
		}
		return this.#vertexCounts[instance];
	}

	positions(instance = 0) {
		const count = this.#instance(instance);
		return this.supple.floats(this.supple.module._supWeb_Positions(this.check(), instance), 3 * count);
	}

	normals(instance = 0) {
		const count = this.#instance(instance);
		return this.supple.floats(this.supple.module._supWeb_Normals(this.check(), instance), 3 * count);
	}

	/** Twelve numbers a node: three columns and the place. */
	nodeMatrices() {
		const count = this.flesh.character.summary.nodes.length;
		return this.supple.floats(this.supple.module._supWeb_NodeMatrices(this.check()), 12 * count);
	}

	measure() {
		const [volumeError, stretch, energy, penetration] =
			this.supple.floats(this.supple.module._supWeb_Measure(this.check()), 4);
		return { volumeError, stretch, energy, penetration };
	}

	/** The points of flesh.elements() as they are now. */
	elementPositions() {
		const m = this.supple.module;
		const own = this.flesh.list();
		const pointer = this.supple.ok(m._supWeb_ReadElements(own, this.check()));
		return this.supple.floats(pointer, 3 * m._supWeb_ElementCount(own, 0));
	}

	/**
	 * One number a vertex: displacement (metres from linear blend skinning), stretch and volume (changes, as parts), or
	 * softness (0 to 1).
	 */
	heat(kind, instance = 0) {
		const m = this.supple.module;
		const count = this.#instance(instance);
		const pointer = this.supple.ok(this.supple.withText(kind, (text) => m._supWeb_FillHeat(this.check(), text, instance)));
		const values = this.supple.floats(pointer, count).slice();
		m._supWeb_Free(pointer);
		return values;
	}

	/** What is not given stays as it is. */
	setContact({ colliders, actors, self, friction, restitution, thickness } = {}) {
		const m = this.supple.module;
		const now = this.contact();
		const next = [colliders ?? now.colliders, actors ?? now.actors, self ?? now.self, friction ?? now.friction,
			restitution ?? now.restitution, thickness ?? now.thickness];
		checkNumbers('contact', ...next.slice(3));
		this.supple.ok(m._supWeb_SetContact(this.check(), ...next));
	}

	contact() {
		const [colliders, actors, self, friction, restitution, thickness] =
			this.supple.floats(this.supple.module._supWeb_GetContact(this.check()), 6);
		return { colliders: colliders !== 0, actors: actors !== 0, self: self !== 0, friction, restitution, thickness };
	}

	// ---- dragging ----

	castRay(origin, direction) {
		checkNumbers('ray', ...origin, ...direction);
		const hit = this.supple.module._supWeb_CastRay(this.check(), ...origin, ...direction);
		if (hit === 0) {
			return null;
		}
		const [instance, ...vertices] = this.supple.ints(hit, 4);
		const numbers = Array.from(this.supple.floats(hit + 16, 7));
		return { instance, vertices, weights: numbers.slice(0, 3), position: numbers.slice(3, 6), distance: numbers[6] };
	}

	// A hit in the memory of the library, until the next one.
	point(hit) {
		const point = this.supple.module._supWeb_DragPoint();
		this.supple.ints(point, 4).set([hit.instance, ...hit.vertices]);
		this.supple.floats(point + 16, 3).set(hit.weights);
		return point;
	}

	/** Takes hold of a place that castRay found. Returns the number of the drag. */
	startDrag(hit, { radius = 0, frequency = 0 } = {}) {
		const m = this.supple.module;
		const drag = m._supWeb_StartDrag(this.check(), this.point(hit), radius, frequency);
		if (drag < 0) {
			this.supple.fail();
		}
		this.#drags.add(drag);
		return drag;
	}

	moveDrag(drag, target) {
		checkNumbers('target', ...target);
		if (this.#drags.has(drag)) {
			this.supple.module._supWeb_MoveDrag(this.check(), drag, ...target);
		}
	}

	endDrag(drag) {
		if (this.#drags.delete(drag)) {
			this.supple.module._supWeb_EndDrag(this.check(), drag);
		}
	}
}
