// SPDX-License-Identifier: MIT
// Puts the page together.
import { shading } from './body.js';
import { asked, first, simulation, threads } from './boot.js';
import { ComparePanel } from './compare_panel.js';
import { emptyDesign } from './design.js';
import { element } from './dom.js';
import { accepted, fetchFiles, findBuiltin, findScene, readDropped, readFiles, sortFiles } from './files.js';
import { FleshPanel } from './flesh_panel.js';
import { History } from './history.js';
import { Layout } from './layout.js';
import { Live } from './live.js';
import { methodLabel, MethodList } from './method_list.js';
import { Notices } from './notices.js';
import { Painter } from './painter.js';
import { readLink } from './share.js';
import { Autosave, openProject } from './project.js';
import { Rigger } from './rigger.js';
import { SavePanel } from './save_panel.js';
import { SeePanel } from './see_panel.js';
import { Session } from './session.js';
import { Help, Tour } from './help.js';
import { listen } from './shortcuts.js';
import { Store } from './store.js';
import { exposeStudio } from './studio.js';
import { Timeline } from './timeline.js';
import { releaseFocus, startTips } from './tips.js';
import { Ties } from './ties.js';
import { ToolPanel } from './tool_panel.js';
import { tools as toolList, Tools } from './tools.js';
import { Viewport } from './viewport.js';
import { weightsOf } from './weights.js';

const byId = (id) => document.getElementById(id);

const store = new Store({
	library: null,
	character: null,
	// what is in the scene file that is open; null where it is a character
	scene: null,
	clips: [],
	clip: -1,
	playing: true,
	loop: true,
	speed: 1,
	design: emptyDesign(asked.method),
	elements: [],
	automatic: null,
	canUndo: false,
	canRedo: false,
	compare: { on: false, method: 'lbs' },
	see: {
		skin: 'solid',
		skeleton: false,
		elements: 'off',
		cut: true,
		cutAxis: 'x',
		cutPlace: 0.5,
		heat: 'off',
		heatRange: 0.2,
		joint: 0,
		contacts: false,
	},
	world: { gravity: true, floor: true, selfContact: false, follow: true },
	tool: 'pull',
	ties: { picked: null, list: [] },
	grip: { radius: 0.15, frequency: 20 },
	poker: { radius: 0.07, depth: 0.7 },
	ball: { radius: 0.08, speed: 5, mass: 1 },
	brush: { radius: 0.08, strength: 0.5, mode: 'soften', mirror: true },
	rig: { joints: [], bones: [], root: -1, selected: -1 },
	panels: { left: true, right: true },
	tab: 'flesh',
	theme: document.documentElement.dataset.theme,
});

const notices = new Notices(byId('toasts'), byId('work'));
const history = new History(store);
const session = new Session({ store, history, notices, simulation, threads });
const viewport = new Viewport(byId('canvas'), asked.quality);
store.changed = () => (viewport.isStale = true);
const painter = new Painter({ store, history, viewport });
const rigger = new Rigger({ store, session, viewport, notices });
const ties = new Ties({ store, session, viewport, notices });
const comparePanel = new ComparePanel({ store });
const savePanel = new SavePanel({ store, session, viewport, notices });
const setUnit = (unit) => attempt(() => session.setUnit(unit));
const toolPanel = new ToolPanel({ store, session, painter, rigger, ties, openBuiltin, openScene, chooseFile, setUnit });
const methods = new MethodList({ store, history });
const tour = new Tour({ store });
const help = new Help({ startTour: () => tour.start() });
const layout = new Layout({ store, history, viewport, help, chooseFile, leftNode: toolPanel.node }, [
	{ name: 'flesh', label: 'Flesh', symbol: 'flesh', node: new FleshPanel({ store, history, methods }).node },
	{ name: 'see', label: 'Inside', symbol: 'inside', node: new SeePanel({ store }).node },
	{ name: 'compare', label: 'Compare', symbol: 'plot', node: comparePanel.node },
	{ name: 'save', label: 'Save', symbol: 'save', node: savePanel.node },
]);
const live = new Live({ store, session, notices, root: byId('view') });
const timeline = new Timeline(byId('timeline'), { store, session, chooseFile, attempt });
new Tools({ store, session, viewport, notices, painter, rigger, ties, cursor: byId('ring') });
startTips();
releaseFocus();

// Files

async function attempt(action) {
	try {
		return await action();
	} catch (error) {
		notices.error(error.message);
		return null;
	}
}

function openBuiltin(name) {
	return attempt(async () => session.open(await findBuiltin(name)));
}

function openScene(name) {
	return attempt(async () => session.openScene(await findScene(name)));
}

/** A character, motions for it, settings for it: in this order, whatever came together. */
function openFiles(list) {
	return attempt(async () => {
		const { character, project, scene, motions, settings } = await sortFiles(list);
		if (scene) {
			await session.openScene(scene);
		} else if (project) {
			await openProject({ store, session }, character.bytes, project);
		} else if (character) {
			await session.open(character);
		}
		for (const motion of motions) {
			// a motion alone needs somebody to move
			if (!store.values.character?.isRigged) {
				await session.open(await findBuiltin('human'));
			}
			await session.addMotion(motion);
		}
		for (const { name, value } of settings) {
			await session.openSettings(value, name);
		}
	});
}

function chooseFile() {
	const input = element('input', {
		type: 'file',
		multiple: true,
		accept: accepted,
		change: async () => openFiles(await readFiles(input.files)),
	});
	input.click();
}

const drop = byId('drop');
let dragDepth = 0;
window.addEventListener('dragenter', (event) => {
	event.preventDefault();
	drop.hidden = ++dragDepth === 0;
});
window.addEventListener('dragover', (event) => event.preventDefault());
window.addEventListener('dragleave', () => (drop.hidden = --dragDepth <= 0));
window.addEventListener('drop', async (event) => {
	event.preventDefault();
	dragDepth = 0;
	drop.hidden = true;
	if (event.dataTransfer.items.length > 0) {
		openFiles(await readDropped(event.dataTransfer));
	}
});

// What is seen

const workerHeats = ['displacement', 'stretch', 'volume'];

function showSee({ see, tool, tab }) {
	const heat = tool === 'paint' ? 'softness' : see.heat;
	const { size } = viewport;
	shading.heatShare.value = heat === 'off' ? 0 : 1;
	shading.ramp.value = heat === 'softness' ? 1 : 0;
	for (const { body, overlays } of viewport.views) {
		body?.setGhost(see.skin === 'ghost' && heat === 'off');
		if (body) {
			body.group.visible = see.skin !== 'hidden' || tool === 'paint';
		}
		overlays.setSee(see, size);
	}
	if (heat === 'softness' && store.values.character) {
		painter.show();
		session.needSoftness();
	}
	if (see.elements === 'layers') {
		session.needLayers();
	}
	if (heat === 'weights' && store.values.character) {
		const weights = weightsOf(store.values.character.description, see.joint);
		viewport.views.forEach(({ body }) => weights && body?.setHeat(weights));
	}
	session.simulation.tell('want', {
		nodes: see.skeleton,
		elements: see.elements !== 'off',
		contacts: see.contacts,
		measure: tab === 'compare',
		heat: workerHeats.includes(heat) ? heat : '',
	});
}

let latest = null;

session.simulation.on('frame', (frame) => {
	if (latest) {
		give(latest);
	}
	latest = frame;
});

/** Arrays of a frame go back to the worker, which fills them again. */
function give(frame) {
	const surfaces = frame.stages.map(({ surface }) => surface);
	session.simulation.tell(
		'drawn',
		{ surfaces },
		surfaces.map(({ buffer }) => buffer),
	);
}

let stepMilliseconds = 0;

function takeFrame() {
	const frame = latest;
	latest = null;
	if (frame.generation === store.values.character?.generation) {
		viewport.show(frame);
		showHeat(frame);
		ties.show(frame.stages[0].ties, performance.now());
		timeline.show(frame.time);
		comparePanel.add(frame.stages);
		stepMilliseconds +=
			0.1 * (frame.stages.reduce((sum, { milliseconds }) => sum + milliseconds, 0) - stepMilliseconds);
		studio.stepMilliseconds = stepMilliseconds;
		++studio.frame;
		studio.generation = frame.generation;
	}
	give(frame);
}

function showHeat({ stages }) {
	const { heat, heatRange } = store.values.see;
	const scale = 1 / (heat === 'displacement' ? heatRange * viewport.size : heatRange);
	stages.forEach((stage, i) => {
		if (stage.heat) {
			viewport.views[i].body?.setHeat(stage.heat, scale);
		}
	});
}

function animate(now) {
	requestAnimationFrame(animate);
	if (latest) {
		takeFrame();
	}
	viewport.refresh(now);
	comparePanel.draw();
	if (viewport.frameCount % 20 === 0) {
		byId('facts').textContent = store.values.character
			? `${Math.round(1000 / Math.max(1, viewport.frameMilliseconds))} fps · step ${stepMilliseconds.toFixed(1)} ms`
			: '';
	}
}

const studio = exposeStudio({ store, session, history, viewport, openFiles, openBuiltin, openScene, painter, rigger, savePanel });
studio.isKept = () => !autosave.isDirty;

store.watch(['character'], ({ character }) => {
	if (character) {
		viewport.setCharacter(character);
		document.title = `${character.label} – Supple Studio`;
	}
});
store.watch(['ties'], ({ ties: { picked } }) => viewport.views.forEach(({ overlays }) => overlays.ties.setPicked(picked)));
store.watch(['world'], ({ world }) => (viewport.follow = world.follow));
store.watch(['compare', 'elements'], ({ compare, elements }) => {
	viewport.setViewCount(compare.on ? 2 : 1);
	viewport.views.forEach(({ overlays }, i) => overlays.setElements(elements[i]));
});
store.watch(['see', 'tool', 'character', 'elements', 'design', 'automatic', 'tab', 'compare'], (values) =>
	showSee(values),
);
viewport.onBodies = () => showSee(store.values);
store.watch(['scene'], ({ scene }) => document.body.classList.toggle('in-scene', Boolean(scene)));
store.watch(['compare', 'design'], ({ compare, design }) => {
	const names = compare.on ? [design.method, compare.method] : [];
	byId('labels').replaceChildren(...names.map((name) => element('span', {}, methodLabel(name))));
});

// Keys

const see = (fields) => store.patch('see', fields);
const values = () => store.values;
listen({
	' ': () => timeline.toggle(),
	arrowright: () => timeline.step(false),
	arrowleft: () => timeline.step(true),
	home: () => timeline.seek(timeline.range[0]),
	l: () => store.set({ loop: !values().loop }),
	s: () => store.set({ speed: values().speed === 1 ? 0.25 : 1 }),
	r: () => session.simulation.tell('reset'),
	k: () => see({ skeleton: !values().see.skeleton }),
	c: () => see({ contacts: !values().see.contacts }),
	w: () =>
		see(
			values().see.elements === 'wire' ? { elements: 'off', skin: 'solid' } : { elements: 'wire', skin: 'ghost' },
		),
	x: () =>
		see(
			values().see.elements === 'layers'
				? { elements: 'off', skin: 'solid' }
				: { elements: 'layers', skin: 'hidden', cut: true },
		),
	h: () => see({ heat: values().see.heat === 'off' ? 'softness' : 'off' }),
	v: () => store.patch('compare', { on: !values().compare.on }),
	f: () => store.patch('world', { floor: !values().world.floor }),
	'.': () => viewport.frameCharacter(),
	'[': () => store.patch('brush', { radius: Math.max(0.01, values().brush.radius / 1.2) }),
	']': () => store.patch('brush', { radius: Math.min(0.4, values().brush.radius * 1.2) }),
	'shift+arrowleft': () => viewport.turn(-0.1, 0),
	'shift+arrowright': () => viewport.turn(0.1, 0),
	'shift+arrowup': () => viewport.turn(0, -0.1),
	'shift+arrowdown': () => viewport.turn(0, 0.1),
	'+': () => viewport.turn(0, 0, 0.9),
	'-': () => viewport.turn(0, 0, 1.1),
	'\\': () => layout.toggleBoth(),
	'?': () => help.show(),
	delete: () => values().tool === 'rig' && rigger.remove(),
	escape: () => layout.closeDrawers() || ties.forget(),
	'ctrl+z': () => rigger.undo() || history.undo(),
	'ctrl+shift+z': () => rigger.redo() || history.redo(),
	'ctrl+y': () => rigger.redo() || history.redo(),
	'ctrl+o': () => chooseFile(),
	'ctrl+s': () => savePanel.saveProject(),
	...Object.fromEntries(toolList.map(({ key, name }) => [key.toLowerCase(), () => store.set({ tool: name })])),
	...Object.fromEntries(
		Array.from({ length: 9 }, (_, i) => [
			String(i + 1),
			() => {
				const method = values().library?.methods[i];
				if (method) {
					methods.choose(method.name);
				}
			},
		]),
	),
});

// Painting and rigging want a body that stands still; it goes on afterwards.
let isPaused = false;
store.watch(['tool', 'character', 'clips'], ({ tool, character, playing, clip, clips }, before) => {
	const isStill = tool === 'paint' || (tool === 'rig' && character && !character.isRigged);
	if (isStill && playing) {
		isPaused = true;
		viewport.isCaughtUp = true;
		store.set({ playing: false });
		session.simulation.tell('seek', { time: tool === 'rig' ? clips[clip]?.begin : undefined, rest: true });
	} else if (!isStill && isPaused && tool !== before.tool) {
		isPaused = false;
		store.set({ playing: true });
	}
});

// The first thing to try goes away when something was tried.
const invitation = byId('invitation');
for (const event of ['pointerdown', 'keydown']) {
	window.addEventListener(event, () => invitation.remove(), { once: true, capture: true });
}
store.watch(['tool', 'character'], ({ tool, character }) => {
	invitation.hidden = tool !== 'pull' || !character;
	if (character && !character.source.builtin) {
		invitation.remove();
	}
});

// Start

const workshopDelay = 2500;

const autosave = new Autosave({ store, session });

async function start() {
	// while the library is being compiled in its worker
	viewport.warmUp();
	await session.start();
	session.isLive = asked.isLive;
	const kept = asked.isAnything || asked.isLive ? null : await autosave.find();
	if (kept) {
		await attempt(() => openProject({ store, session }, kept.bytes, kept.project));
		notices.tell('Here is what you had open. Choose a character on the left to begin anew.');
	} else if (asked.scene) {
		await openScene(asked.scene);
	} else if (asked.file) {
		await attempt(async () => openFiles(await fetchFiles(asked.file)));
	} else {
		await attempt(async () => session.open(await first.source, { prebuilt: first.prebuilt }));
	}
	if (!store.values.character) {
		await openBuiltin('bunny');
	}
	if (asked.settings) {
		await attempt(() => session.openSettings(readLink(asked.settings), 'This link'));
	}
	live.start();
	autosave.watch();
	// the next change needs it, and should not wait for it; but the first seconds belong to what is seen
	setTimeout(() => session.needWorkshop().catch((error) => console.debug('no workshop yet', error)), workshopDelay);
	if (!tour.isSeen && !asked.isAnything && !kept) {
		tour.start();
	}
}

start().then(
	() => byId('starting').remove(),
	(error) => {
		byId('starting').remove();
		notices.error(`The studio could not be started: ${error.message}`);
	},
);
requestAnimationFrame(animate);
