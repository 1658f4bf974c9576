// SPDX-License-Identifier: MIT
// Plays the scene: fixed steps from an accumulator, slow motion between them, at most two pictures on their way to the
// page. All stages take the same steps, so that what is compared stays together.
import { Cast } from './cast.js';
import { SkinGraph } from './grip.js';
import { Feed, liveClip } from './feed.js';
import { Recording } from './recording.js';
import { SceneStage } from './scene_stage.js';
import { Stage } from './stage.js';

const stepSeconds = 1 / 60;
// More than this behind, time is lost rather than made up: a slow machine plays slowly and does not freeze.
const mostStepsAtOnce = 3;
const mostFramesUnderway = 2;
// Flesh goes on living for so long at most after it was touched while the clip is paused.
const wakeSeconds = 6;

export class Simulation {
	constructor(supple, post) {
		this.supple = supple;
		this.post = post;
		this.cast = new Cast(supple);
		this.stages = [];
		this.instanceCount = 0;
		this.ties = [];
		this.recording = new Recording(stepSeconds);
		// recorded surfaces that are shown in place of the actors' own
		this.recorded = null;
		this.feed = new Feed(post);
		this.clip = -1;
		this.playing = true;
		this.loop = true;
		this.speed = 1;
		this.world = { gravity: true, floor: true, floorHeight: 0, selfContact: false };
		this.wanted = { elements: false, heat: '', contacts: false, measure: false, nodes: false };
		this.accumulator = 0;
		this.awake = 0;
		this.changed = false;
		this.underway = 0;
		this.spare = [];
		this.timer = 0;
		this.last = 0;
		this.generation = 0;
		this.unit = 1;
		this.handlers = {
			open: this.open,
			motion: (data) => this.cast.addMotion(data),
			bind: this.bind,
			openScene: this.openScene,
			live: ({ address }) => this.feed.listen(address, (numbers, time) => this.pushPose(numbers, time)),
			take: ({ on }) => this.feed.record(on),
			write: this.write,
			flesh: this.setFlesh,
			closeStage: this.closeStage,
			play: this.setPlay,
			softness: () => this.stages[0].findHeat('softness'),
			seek: this.seek,
			step: this.stepOnce,
			reset: this.reset,
			parameter: this.setParameter,
			region: this.setRegion,
			world: this.setWorld,
			want: this.setWanted,
			dragStart: this.startDrag,
			dragMove: ({ target }) => this.touch((stage) => stage.moveDrag(target)),
			dragEnd: () => this.touch((stage) => stage.endDrag()),
			tie: this.tie,
			cut: this.cut,
			poke: (data) => this.touch((stage) => stage.poke(data)),
			throw: (data) => this.touch((stage) => stage.throwBall(data)),
			clearBalls: () => this.touch((stage) => stage.clearBalls()),
			drawn: this.recycle,
		};
	}

	// Characters

	/** What is there stays where the file cannot be read. */
	async open(source) {
		this.unit = source.unit ?? 1;
		return this.begin(await this.cast.open(source));
	}

	bind(data) {
		return this.begin(this.cast.bind(data));
	}

	/** A scene file: what is there stays where it cannot be played. */
	openScene({ name, bytes, files }) {
		const show = this.supple.openShow(bytes, name, { files });
		const parts = show.describe();
		this.closeAll();
		this.ties = [];
		this.graphs = new Map();
		const stage = new SceneStage(show);
		this.stages = [stage];
		this.clip = 0;
		this.feed.setNodes([]);
		const surface = stage.copySurface(null);
		this.rest = surface.slice(0, surface.length / 2);
		const description = {
			...parts,
			clips: [{ name: parts.name || name, begin: 0, end: parts.duration }],
			size: boundsOf(parts, this.rest),
		};
		this.description = description;
		this.playClips(0);
		this.wake();
		return { description, rest: surface, generation: this.generation };
	}

	/** The character as .glb. */
	write() {
		const bytes = this.cast.character.write();
		return { bytes, transfer: [bytes.buffer] };
	}

	closeAll() {
		this.stages.forEach((stage) => stage?.destroy());
		this.stages = [];
		this.forgetRecording();
		++this.generation;
	}

	/** What the page draws from, with the surface at rest. The character moves as plain skinning until it has flesh. */
	begin(description) {
		this.closeAll();
		this.ties = [];
		this.instanceCount = description.instances.length;
		this.feed.setNodes(
			description.nodes.map(({ name }) => name),
			this.unit,
		);
		this.description = description;
		this.graphs = new Map();
		this.clip = description.clips.length > 0 ? 0 : -1;
		this.world.floorHeight = description.size[0]?.[1] ?? 0;
		const stage = this.makeStage(this.supple.buildFlesh(this.cast.character, { method: 'lbs' }));
		this.stages = [stage];
		const rest = stage.copySurface(null);
		this.rest = rest.slice(0, rest.length / 2);
		this.playClips(0);
		this.wake();
		return { description, rest, generation: this.generation };
	}

	makeStage(flesh) {
		const stage = new Stage(this.supple, flesh, this.world, this.instanceCount);
		this.ties.forEach((tie) => stage.tie(tie));
		return stage;
	}

	// Flesh

	/** Flesh for a stage: bytes from the workshop, or settings alone where building takes no time. */
	setFlesh({ index, bytes, settings, generation }) {
		if (generation !== this.generation) {
			return null;
		}
		const flesh = bytes
			? this.supple.readFlesh(this.cast.character, bytes)
			: this.supple.buildFlesh(this.cast.character, settings);
		const time = this.time;
		const old = this.stages[index];
		const stage = this.makeStage(flesh);
		this.stages[index] = stage;
		this.forgetRecording();
		old?.destroy();
		this.playClips(time);
		if (this.clip >= 0) {
			stage.actor.seek(time);
		}
		this.wake();
		return { elements: listPlain(flesh) };
	}

	closeStage({ index }) {
		this.forgetRecording();
		this.stages[index]?.destroy();
		this.stages.length = index;
		this.changed = true;
		this.schedule();
	}

	setParameter({ index, name, value }) {
		this.forgetRecording();
		this.stages[index]?.actor.setParameter(name, value);
		this.wake();
	}

	setRegion({ index, region, frequency, damping }) {
		this.stages[index]?.actor.setRegion(region, frequency, damping);
		this.wake();
	}

	// Time

	/** From the tracker; where it does not play, poses are passed over. */
	pushPose(numbers, time) {
		if (this.clip === liveClip && this.playing) {
			this.stages.forEach((stage) => stage.isStreaming && stage.actor.pushPose(numbers, time));
			this.awake = wakeSeconds;
			this.schedule();
		}
	}

	get time() {
		return this.stages[0]?.actor.time ?? 0;
	}

	playClips(time, fade = 0) {
		const speed = this.playing ? 1 : 0;
		for (const stage of this.stages) {
			if (stage.isStreaming !== (this.clip === liveClip)) {
				stage.isStreaming = this.clip === liveClip;
				if (stage.isStreaming) {
					stage.actor.openStream(this.feed.options);
				} else {
					stage.actor.closeStream?.();
				}
			}
			if (stage.isStreaming) {
				continue;
			}
			if (this.clip >= 0) {
				stage.actor.play(this.clip, { time, speed, loop: this.loop, fade });
			} else {
				stage.actor.stop();
			}
		}
	}

	/** Any of clip, playing, loop, speed. */
	setPlay({ clip = this.clip, playing = this.playing, loop = this.loop, speed = this.speed }) {
		const time = clip === this.clip ? this.time : undefined;
		const again = clip !== this.clip || playing !== this.playing || loop !== this.loop;
		Object.assign(this, { clip, playing, loop, speed });
		if (again) {
			if (time === undefined) {
				this.forgetRecording();
			}
			this.playClips(time, time === undefined ? 0.2 : 0);
			// a pause is one at once; another clip is gone to even in a pause
			this.awake = time === undefined ? wakeSeconds : 0;
			this.changed = true;
		}
		this.schedule();
	}

	/** Shows what was played there last, unless `rest`; flesh itself comes to rest in the pose. */
	seek({ time = this.time, rest = false }) {
		if (this.clip >= 0) {
			this.playClips(time);
			this.stages.forEach((stage) => stage.actor.seek(time));
		}
		const recorded = rest ? null : this.recording.find(time);
		this.settle();
		this.recorded = recorded?.length === this.stages.length ? recorded : null;
	}

	/** What was recorded does not hold any more: flesh or clip is another one. */
	forgetRecording() {
		this.recording.clear();
		this.recorded = null;
	}

	reset() {
		for (const stage of this.stages) {
			stage.endDrag();
			stage.clearBalls();
			stage.actor.reset();
		}
		this.settle();
	}

	settle() {
		this.accumulator = 0;
		this.recorded = null;
		this.stages.forEach((stage) => (stage.previous = null));
		this.changed = true;
		this.schedule();
	}

	/** One step forward in a pause; backwards the flesh is put at rest in the pose before. */
	stepOnce({ back }) {
		if (back) {
			this.seek({ time: Math.max(0, this.time - stepSeconds) });
			return;
		}
		const held = this.playing;
		const time = this.time;
		this.playing = true;
		this.playClips(time);
		this.advance();
		this.playing = held;
		this.playClips(this.time);
		this.changed = true;
		this.schedule();
	}

	// Touching

	startDrag(data) {
		const hits = this.stages.map((stage) => stage.startDrag(data, (instance) => this.findGraph(instance)));
		this.wake();
		return hits;
	}

	/** Of an instance's skin at rest, made when it is first pulled at. */
	findGraph(instance) {
		if (!this.graphs.has(instance)) {
			const { meshes, instances } = this.description;
			const count = (i) => 3 * meshes[instances[i].mesh].vertexCount;
			let first = 0;
			for (let i = 0; i < instance; ++i) {
				first += count(i);
			}
			const rest = this.rest.slice(first, first + count(instance));
			this.graphs.set(instance, new SkinGraph(meshes[instances[instance].mesh].indices, rest));
		}
		return this.graphs.get(instance);
	}

	/** Two places, or one that is nailed to where it is now. Returns why each stage cannot hold it, or nothing. */
	tie({ id, hits, radius }) {
		const tie = { id, hits, radius, at: hits.length === 1 ? this.stages[0].placeOf(hits[0]) : null };
		this.ties.push(tie);
		this.wake();
		return this.stages.map((stage) => stage.tie(tie));
	}

	cut({ id }) {
		this.ties = this.ties.filter((tie) => id !== undefined && tie.id !== id);
		this.touch((stage) => stage.cut(id));
	}

	touch(action) {
		this.stages.forEach(action);
		this.wake();
	}

	setWorld(world) {
		Object.assign(this.world, world);
		this.touch((stage) => stage.setWorld(this.world));
	}

	setWanted(wanted) {
		const isOther = Object.entries(wanted).some(([name, value]) => this.wanted[name] !== value);
		Object.assign(this.wanted, wanted);
		if (isOther) {
			this.changed = true;
			this.schedule();
		}
	}

	wake(seconds = wakeSeconds) {
		this.recorded = null;
		this.awake = Math.max(this.awake, seconds);
		this.changed = true;
		this.schedule();
	}

	// The loop

	schedule(delay = 0) {
		if (!this.timer) {
			this.timer = setTimeout(() => this.tick(), delay);
		}
	}

	get running() {
		return this.stages.length > 0 && (this.playing || this.awake > 0);
	}

	tick() {
		this.timer = 0;
		const now = performance.now();
		const elapsed = Math.min((now - this.last) / 1000, 0.1);
		this.last = now;
		if (this.underway >= mostFramesUnderway) {
			return;
		}
		const moved = this.running && this.catchUp(elapsed);
		if (moved || this.changed) {
			this.sendFrame();
		}
		if (this.running) {
			this.schedule(Math.max(0, 1000 * (stepSeconds - this.accumulator) * Math.min(1, 1 / this.speed) - 1));
		}
	}

	/** Takes the steps that are due; true where there is something new to show. */
	catchUp(elapsed) {
		this.accumulator += elapsed * this.speed;
		const isDue = this.accumulator >= stepSeconds;
		for (let i = 0; i < mostStepsAtOnce && this.accumulator >= stepSeconds; ++i) {
			this.accumulator -= stepSeconds;
			this.advance();
			this.awake = this.stages.every(({ isAsleep }) => isAsleep) ? 0 : Math.max(0, this.awake - stepSeconds);
		}
		if (this.accumulator >= stepSeconds) {
			this.accumulator = 0;
		}
		// in slow motion pictures lie between steps
		return isDue || this.speed < 1;
	}

	advance() {
		for (const stage of this.stages) {
			const begin = performance.now();
			stage.step(stepSeconds, this.speed < 1);
			stage.milliseconds = performance.now() - begin;
		}
		this.recorded = null;
		if (this.stages.some((stage) => stage.hasSlipped)) {
			this.stages.forEach((stage) => (stage.hasSlipped = false));
			this.post({ event: 'slipped' });
		}
		if (this.playing && this.clip >= 0) {
			this.recording.add(this.time, this.stages.map((stage) => stage.copySurface(null)));
		}
	}

	sendFrame() {
		this.changed = false;
		++this.underway;
		const share = this.speed < 1 && this.playing ? this.accumulator / stepSeconds : 1;
		const stages = this.stages.map((stage, i) => this.showStage(stage, share, this.recorded?.[i]));
		const transfer = stages.flatMap((stage) =>
			Object.values(stage)
				.filter((value) => value?.buffer)
				.map((value) => value.buffer),
		);
		this.post({ event: 'frame', generation: this.generation, time: this.time, stages }, transfer);
	}

	showStage(stage, share, recorded) {
		const { elements, heat, contacts, measure, nodes } = this.wanted;
		const frame = {
			surface: recorded ? recorded.slice() : stage.blendSurface(this.spare.pop(), share),
			balls: stage.listBalls(),
			ties: stage.listTies(),
			milliseconds: stage.milliseconds ?? 0,
		};
		if (nodes && stage.flesh) {
			frame.nodes = stage.actor.nodeMatrices().slice();
		}
		if (elements && stage.flesh) {
			frame.elements = stage.actor.elementPositions().slice();
		}
		if (heat) {
			frame.heat = stage.findHeat(heat);
		}
		if (contacts) {
			frame.contacts = stage.scene.contacts().slice();
		}
		if (measure) {
			frame.measure = stage.actor.measure();
		}
		return frame;
	}

	/** The page has drawn a frame and gives its arrays back. */
	recycle({ surfaces }) {
		this.spare = surfaces.slice(0, 4);
		this.underway = Math.max(0, this.underway - 1);
		if (this.running || this.changed) {
			this.schedule();
		}
	}
}

/** Of the actors; floors and walls reach farther. */
function boundsOf({ parts, instances, meshes }, rest) {
	const [low, high] = [
		[Infinity, Infinity, Infinity],
		[-Infinity, -Infinity, -Infinity],
	];
	let [instance, at] = [0, 0];
	for (const { method, instanceCount } of parts) {
		const own = instances.slice(instance, (instance += instanceCount));
		const end = at + own.reduce((sum, { mesh }) => sum + 3 * meshes[mesh].vertexCount, 0);
		for (; at < end; ++at) {
			if (method) {
				low[at % 3] = Math.min(low[at % 3], rest[at]);
				high[at % 3] = Math.max(high[at % 3], rest[at]);
			}
		}
	}
	return [low, high];
}

/** Elements without their layers, which take a while: the workshop finds them when they are wanted. */
function listPlain(flesh) {
	const { layer, layerNames, ...elements } = flesh.elements({ layers: false });
	return elements;
}
