// SPDX-License-Identifier: MIT
// Keeps the two workers in step with the store: opens characters, has flesh built when the design asks for it, passes
// live changes on at once.
import { expectedSeconds, learnSeconds } from './build_times.js';
import { compareDesigns, emptyDesign, fromSettings, toSettings } from './design.js';
import { Cancelled, Link } from './link.js';

// Time that a slider may still be moved in before flesh is built anew.
const buildDelay = 300;
// Skinning without flesh: nothing to build.
const plainMethods = ['lbs', 'dqs'];
// Tools that change a character: scenes hold them as their files say.
export const characterTools = ['tie', 'paint', 'rig'];
// In place of a list of elements: there is none.
const nothingInside = {
	kind: 'none',
	points: new Float32Array(0),
	tets: new Uint32Array(0),
	lines: new Uint32Array(0),
	colour: null,
	layer: null,
	layerNames: [],
};
// Flesh that needs no skeleton.
const propMethod = 'points';

export class Session {
	/** @param {{store: import('./store.js').Store, simulation: Link}} parts */
	constructor({ store, history, notices, simulation, threads }) {
		Object.assign(this, { store, history, notices, simulation, threads });
		simulation.on('error', ({ error }) => notices.error(error.message));
		simulation.on('slipped', () => notices.tell('The hand slipped off: this is as far as the flesh stretches.'));
		this.workshop = null;
		// what the workshop has to be told again when it is started anew
		this.past = [];
		this.prebuilt = null;
		this.wanted = new Set();
		// of stages, while a slider may still be moved
		this.timers = new Map();
		// of the flesh that is on the screen
		this.shown = null;
		this.active = null;
		this.isOpening = false;
		// a tracker moves what is opened
		this.isLive = false;
		// the method that somebody chose for a character with a skeleton; a mesh without one does not change it
		this.preferred = store.values.design.method;
	}

	async start() {
		const library = await this.simulation.started;
		this.store.set({ library });
		this.store.watch(['design'], (now, before) => this.follow(now.design, before.design));
		this.store.watch(['compare'], (now, before) => this.followCompare(now.compare, before.compare));
		this.store.watch(['world'], ({ world }) => this.simulation.tell('world', world));
		this.store.watch(['clip', 'playing', 'loop', 'speed'], ({ clip, playing, loop, speed }, before) => {
			if (clip !== before.clip || playing !== before.playing || loop !== before.loop || speed !== before.speed) {
				this.simulation.tell('play', { clip, playing, loop, speed });
			}
		});
	}

	/** Is there nothing to be built? */
	get isIdle() {
		return !this.active && this.wanted.size === 0 && this.timers.size === 0 && !this.isOpening;
	}

	table(method) {
		return this.store.values.library.methods.find(({ name }) => name === method);
	}

	// Characters

	/** Opens a character and begins to build its flesh. Throws with the library's words. */
	async open(source, { method = this.preferred, prebuilt = null, design = null, motion = true } = {}) {
		const label = source.label ?? source.builtin ?? source.name;
		const done = this.notices.busy(`Opening ${label}`);
		this.isOpening = true;
		try {
			const opened = await this.simulation.request('open', source);
			this.past = [['open', source]];
			this.prebuilt = prebuilt;
			this.show(opened, { label, source, method, design });
			if (motion) {
				await this.offerMotion();
			}
		} finally {
			done();
			this.isOpening = false;
		}
	}

	/** Nothing to see without motion: where the file has none, one of those that come along is played. */
	async offerMotion() {
		const { character, clips } = this.store.values;
		const { motions } = character.description;
		if (clips.length === 0 && motions.length > 0 && !this.isLive) {
			const builtin = motions.includes('walk') ? 'walk' : 'shake';
			await this.addMotion({ builtin });
			this.notices.tell(
				`${character.label} has no animation: playing “${builtin}”, which comes with Supple. Choose another below, or drop a BVH file.`,
			);
		}
	}

	/** Plays a scene file; throws with the library's words. Flesh of scenes is what their files say. */
	async openScene(source) {
		const done = this.notices.busy(`Opening ${source.label ?? source.name}`);
		this.isOpening = true;
		try {
			const opened = await this.simulation.request('openScene', source);
			this.past = [];
			this.prebuilt = null;
			this.show(opened, { label: source.label ?? source.name, source, scene: opened.description });
		} finally {
			done();
			this.isOpening = false;
		}
	}

	/** The same file, taken to be in another unit. */
	async setUnit(unit) {
		const { character, design } = this.store.values;
		const motions = this.past.filter(([type]) => type !== 'open');
		await this.open({ ...character.source, unit }, { design });
		for (const [type, data] of motions) {
			await (type === 'bind' ? this.bind(data, design) : this.addMotion(data));
		}
	}

	/** A character that the simulation holds is put on the screen. */
	show({ description, rest, generation }, { label, source, method, design = null, scene = null }) {
		const isRigged = Boolean(scene) || description.nodes.some(({ isJoint }) => isJoint);
		this.closeWorkshopWork();
		this.generation = generation;
		this.shown = null;
		this.silent = true;
		this.store.set({
			character: { description, rest, label, source, isRigged, generation },
			scene,
			design: scene
				? emptyDesign('lbs')
				: (design ?? emptyDesign(isRigged || plainMethods.includes(method) ? method : propMethod)),
			clip: description.clips.length > 0 ? 0 : -1,
			clips: description.clips,
			elements: scene ? [nothingInside] : [],
			compare: { ...this.store.values.compare, on: false },
			tool: isRigged && (scene ? characterTools : ['rig']).includes(this.store.values.tool) ? 'pull' : this.store.values.tool,
		});
		this.silent = false;
		this.history.clear();
		this.simulation.tell('play', { clip: this.store.values.clip });
		if (!scene) {
			this.want(0, 0);
		}
	}

	/** Motion of another skeleton for the character that is open, or { builtin } for one that comes along. */
	async addMotion(file) {
		const done = this.notices.busy(`Retargeting ${file.builtin ?? file.name}`);
		if (this.store.values.scene) {
			done();
			throw new Error('A scene has its own motion. Open a character, then drop the motion.');
		}
		try {
			const { added, clips } = await this.simulation.request('motion', file);
			this.past.push(['motion', file]);
			this.workshop?.request('motion', file).catch(() => {});
			this.store.set({ clips, clip: added[0], playing: true });
			if (!file.builtin && !file.take) {
				this.notices.tell(`${file.name}: ${added.length === 1 ? 'one clip' : `${added.length} clips`} added`);
			}
		} finally {
			done();
		}
	}

	/** A skeleton for the open mesh. */
	async bind(rig, design = null) {
		const done = this.notices.busy('Binding the mesh to its skeleton');
		try {
			const opened = await this.simulation.request('bind', rig);
			this.past.push(['bind', rig]);
			const workshop = this.workshop;
			workshop?.request('bind', rig).catch((error) => this.complain(error));
			const { label, source } = this.store.values.character;
			this.show(opened, { label, source, method: 'position', design });
		} finally {
			done();
		}
		await this.offerMotion();
	}

	async openSettings(settings, name) {
		const { design, library } = this.store.values;
		const table = library.methods.find((method) => method.name === (settings.method ?? design.method));
		if (!table) {
			throw new Error(`${name}: there is no method "${settings.method}"`);
		}
		const parameters = Object.entries(settings.parameters ?? {}).map(([key, value]) => {
			const choices = table.parameters.find((parameter) => parameter.name === key)?.choices;
			return [key, typeof value === 'string' && choices ? choices.indexOf(value) : value];
		});
		this.history.edit(
			'settings',
			fromSettings({ ...settings, parameters: Object.fromEntries(parameters) }, design),
		);
		this.notices.tell(`${name}: settings taken`);
	}

	// The workshop

	/** The second worker, with the character that is open. Started when it is first needed. */
	async needWorkshop() {
		if (!this.workshop) {
			this.workshop = new Link('workshop', this.threads);
			this.toldCount = 0;
		}
		await this.workshop.started;
		while (this.toldCount < this.past.length) {
			const [type, data] = this.past[this.toldCount++];
			await this.workshop.request(type, data);
		}
		return this.workshop;
	}

	closeWorkshopWork() {
		[0, 1].forEach((index) => this.forget(index));
		if (this.active) {
			this.cancel();
		}
		this.toldCount = 0;
	}

	stopBuilding() {
		[0, 1].forEach((index) => this.forget(index));
		this.cancel();
		this.notices.tell('Stopped: back to the flesh from before.');
	}

	/** Stops what the workshop does. */
	cancel() {
		this.workshop?.restart();
		this.toldCount = 0;
	}

	// Following the design

	follow(design, before) {
		if (this.silent || design === before || this.store.values.scene) {
			return;
		}
		const { compare, character } = this.store.values;
		if (design.method !== before.method && character?.isRigged) {
			this.preferred = design.method;
		}
		const methods = [design.method, ...(compare.on ? [compare.method] : [])];
		methods.forEach((method, index) => this.followStage(index, method, design, before));
	}

	followStage(index, method, design, before) {
		const change = compareDesigns(before, design, method, this.table(method));
		const isOther = index === 0 && design.method !== before.method;
		if (isOther || (change.build && !plainMethods.includes(method))) {
			this.want(index, isOther || design.paint !== before.paint ? 0 : buildDelay);
			return;
		}
		for (const parameter of change.parameters) {
			this.simulation.tell('parameter', { index, ...parameter });
		}
		for (const region of change.regions) {
			this.simulation.tell('region', { index, ...region });
		}
	}

	followCompare(compare, before) {
		if (this.silent || compare === before) {
			return;
		}
		if (compare.on && this.store.values.scene) {
			this.store.patch('compare', { on: false });
			this.notices.tell('A scene plays with the methods of its file. Open a character to compare methods.');
			return;
		}
		if (!compare.on) {
			this.forget(1);
			if (before.on) {
				this.simulation.tell('closeStage', { index: 1 });
			}
		} else if (!before.on || compare.method !== before.method) {
			this.want(1, 0);
		}
	}

	/** Flesh of a stage is out of date. */
	want(index, delay) {
		clearTimeout(this.timers.get(index));
		const start = () => {
			this.timers.delete(index);
			this.wanted.add(index);
			this.active ??= this.buildAll().finally(() => (this.active = null));
		};
		this.timers.set(index, setTimeout(start, delay));
	}

	/** Flesh of a stage is not wanted any more. */
	forget(index) {
		clearTimeout(this.timers.get(index));
		this.timers.delete(index);
		this.wanted.delete(index);
	}

	async buildAll() {
		while (this.wanted.size > 0) {
			const index = Math.min(...this.wanted);
			this.wanted.delete(index);
			const { design } = this.store.values;
			try {
				await this.build(index);
				this.shown = index === 0 ? design : this.shown;
			} catch (error) {
				this.complain(error);
				this.goBack(index, design);
			}
		}
	}

	/** What could not be built is taken back, unless something else is wanted by now. */
	goBack(index, design) {
		if (index === 1) {
			this.store.patch('compare', { on: false });
		} else if (this.store.values.design === design && this.shown && this.shown !== design) {
			this.silent = true;
			this.history.revert(this.shown);
			this.silent = false;
		} else if (this.store.values.design === design && !this.shown && !plainMethods.includes(design.method)) {
			// nothing was built for this character yet: as it is in the file, without flesh
			this.store.set({ design: { ...design, method: 'lbs' } });
		}
	}

	complain(error) {
		if (!(error instanceof Cancelled)) {
			this.notices.error(error.message);
		}
	}

	async build(index) {
		const { design, compare } = this.store.values;
		const method = index === 0 ? design.method : compare.method;
		const settings = toSettings(design, method);
		const generation = this.generation;
		const made =
			(await this.takePrebuilt(index, settings, generation)) ??
			(await this.makeFlesh(index, settings, generation));
		if (made && generation === this.generation) {
			this.setElements(index, { ...made.elements, settings });
			if (index === 0) {
				this.store.set({ automatic: null });
			}
		}
	}

	/** Flesh that lies beside the page, where nothing was changed. One of another version is as good as none. */
	async takePrebuilt(index, settings, generation) {
		const prebuilt = this.prebuilt;
		this.prebuilt = null;
		if (prebuilt?.method !== settings.method || Object.keys(settings).length > 1) {
			return null;
		}
		const bytes = await prebuilt.bytes;
		return bytes && this.simulation.request('flesh', { index, bytes, settings, generation }).catch(() => null);
	}

	async makeFlesh(index, settings, generation) {
		const { method } = settings;
		let bytes = null;
		if (!plainMethods.includes(method)) {
			const done = this.notices.busy('Making it soft', () => this.stopBuilding());
			const { instances, meshes } = this.store.values.character.description;
			const vertices = instances.reduce((sum, { mesh }) => sum + meshes[mesh].vertexCount, 0);
			try {
				const workshop = await this.needWorkshop();
				done.expect(expectedSeconds(settings, vertices));
				const begin = performance.now();
				({ bytes } = await workshop.request('build', { settings }));
				learnSeconds(settings, vertices, (performance.now() - begin) / 1000);
			} finally {
				done();
			}
		}
		const transfer = bytes ? [bytes.buffer] : [];
		return this.simulation.request('flesh', { index, bytes, settings, generation }, transfer);
	}

	setElements(index, mesh) {
		const elements = [...this.store.values.elements];
		elements[index] = mesh;
		this.store.set({ elements });
	}

	/** The layer of each element, when somebody wants to see it: it takes a while to find. */
	async needLayers() {
		for (const [index, mesh] of this.store.values.elements.entries()) {
			if (mesh?.kind === 'none' || mesh?.layer !== undefined || mesh?.isAsked) {
				continue;
			}
			mesh.isAsked = true;
			const done = this.notices.busy('Finding layers');
			try {
				const workshop = await this.needWorkshop();
				const { elements } = await workshop.request('elements', { settings: mesh.settings });
				if (this.store.values.elements[index] === mesh) {
					this.setElements(index, { ...elements, settings: mesh.settings });
				}
			} catch (error) {
				this.complain(error);
			} finally {
				done();
			}
		}
	}

	/** How soft each vertex is where nothing was painted here, for the brush to start from. */
	async needSoftness() {
		if (this.store.values.automatic || !this.store.values.character || this.store.values.scene) {
			return;
		}
		const generation = this.generation;
		const automatic = await this.simulation.request('softness');
		if (generation === this.generation) {
			this.store.set({ automatic });
		}
	}

	/** The clip with flesh as files: 'glb' (morph targets), 'bones' (a skinned .glb) or 'pc2'. */
	async bake({ format, rate, loop, clip = this.store.values.clip, from, to, tolerance, helpers }) {
		const { design, clips } = this.store.values;
		const workshop = await this.needWorkshop();
		const done = this.notices.busy(`Baking ${clips[clip]?.name ?? 'the rest pose'}`, () => this.cancel());
		workshop.on('progress', ({ done: frames, total }) => done.progress(frames / total));
		try {
			const request = { settings: toSettings(design), clip, rate, loop, format, from, to, tolerance, helpers };
			return (await workshop.request('bake', request)).files;
		} finally {
			done();
		}
	}
}
