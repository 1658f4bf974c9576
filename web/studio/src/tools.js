// SPDX-License-Identifier: MIT
// What the pointer does in the view: orbit, pull, tie, poke, throw, paint, rig. A press that misses the body orbits, whatever
// the tool.
import { castRay } from './ray.js';
import { characterTools } from './session.js';

// A stroke that misses the body by less was meant for it.
const nearPixels = 28;
// of the simulation, m/s²
const gravity = 9.81;

const add = (a, b, scale = 1) => a.map((value, i) => value + scale * b[i]);
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

export const tools = [
	{
		name: 'orbit',
		label: 'Orbit',
		key: 'O',
		tip: 'Turn the view. Right button or two fingers move it, the wheel zooms',
	},
	{ name: 'pull', label: 'Pull', key: 'G', tip: 'Take hold of the flesh and pull' },
	{ name: 'tie', label: 'Tie', key: 'N', tip: 'Tie two places of the flesh together, or nail one to where it is' },
	{ name: 'poke', label: 'Poke', key: 'P', tip: 'Press a sphere into the flesh' },
	{ name: 'throw', label: 'Throw', key: 'T', tip: 'Throw balls' },
	{ name: 'paint', label: 'Paint', key: 'B', tip: 'Paint where the flesh is soft' },
	{ name: 'rig', label: 'Rig', key: 'J', tip: 'Click joints into a mesh without a skeleton' },
];

export class Tools {
	constructor({ store, session, viewport, notices, painter, rigger, ties, cursor }) {
		Object.assign(this, { store, session, viewport, notices, painter, rigger, ties, cursor });
		this.action = null;
		const { canvas } = viewport;
		// before the orbit controls hear of it
		canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
		canvas.addEventListener('pointermove', (event) => this.move(event));
		canvas.addEventListener('pointerup', (event) => this.release(event));
		canvas.addEventListener('pointercancel', (event) => this.release(event));
		canvas.addEventListener('pointerleave', () => this.hideCursor());
		store.watch(['tool'], () => this.hideCursor());
		// without a pointer: Enter uses the tool in the middle of the view, for as long as it is held
		canvas.addEventListener('keydown', (event) => event.key === 'Enter' && !event.repeat && this.useInMiddle('pointerdown'));
		canvas.addEventListener('keyup', (event) => event.key === 'Enter' && this.useInMiddle('pointerup'));
		canvas.addEventListener('blur', () => this.action?.byKey && this.useInMiddle('pointerup'));
	}

	useInMiddle(type) {
		const { left, top, width, height } = this.viewport.canvas.getBoundingClientRect();
		const share = width / this.viewport.viewCount;
		const at = (x, y) => ({ button: 0, clientX: left + x, clientY: top + y, pointerType: 'key', stopImmediatePropagation() {} });
		const middle = at(0.5 * share, 0.5 * height);
		if (type === 'pointerup') {
			this.release(middle);
			return;
		}
		this.press(middle);
		if (this.action) {
			this.action.byKey = true;
			// a pull goes somewhere
			this.action.move(this.viewport.rayAt(middle.clientX + 0.12 * share, middle.clientY - 0.04 * height), middle);
		}
	}

	press(event) {
		if (event.button !== 0 || event.altKey || this.action) {
			return;
		}
		const { tool, scene } = this.store.values;
		if (scene && characterTools.includes(tool)) {
			this.notices.tell('A scene is as its file says. Open a character to tie, paint or rig it.');
			return;
		}
		const ray = this.viewport.rayAt(event.clientX, event.clientY);
		const body = this.viewport.views[ray.view].body;
		const hit = body && tool !== 'orbit' ? castRay(body, ray.origin, ray.direction) : null;
		const actions = { pull: Pull, tie: Tie, poke: Poke, throw: Throw, paint: Paint, rig: Rig };
		const Action = actions[tool];
		if (!Action || (!hit && !Action.needsNoHit)) {
			// a stroke that just misses the body is not meant to turn it
			if (Action?.ignoresNearMisses && this.isNear(event, body, ray)) {
				event.stopImmediatePropagation();
			}
			return;
		}
		event.stopImmediatePropagation();
		if (event.pointerId !== undefined) {
			this.viewport.canvas.setPointerCapture(event.pointerId);
		}
		this.viewport.isHeld = true;
		this.action = new Action(this, ray, hit, event);
	}

	/** Is the body within a few pixels? */
	isNear(event, body, ray) {
		const around = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => (i * Math.PI) / 4);
		return (
			body !== null &&
			around.some((angle) =>
				[0.5, 1].some((share) => {
					const near = this.viewport.rayAt(
						event.clientX + share * nearPixels * Math.cos(angle),
						event.clientY + share * nearPixels * Math.sin(angle),
					);
					return near.view === ray.view && castRay(body, near.origin, near.direction);
				}),
			)
		);
	}

	move(event) {
		const ray = this.viewport.rayAt(event.clientX, event.clientY);
		if (this.action) {
			this.action.move(ray, event);
		}
		this.showCursor(event, ray);
	}

	release(event) {
		this.action?.end(event);
		this.action = null;
		this.viewport.isHeld = false;
	}

	/** The ring of the brush, and a hand where there is something to take hold of. */
	showCursor(event, ray) {
		const { tool, brush } = this.store.values;
		if (tool === 'orbit' || tool === 'rig' || event.pointerType === 'touch') {
			this.viewport.canvas.style.cursor = tool === 'rig' ? 'crosshair' : '';
			return;
		}
		const body = this.viewport.views[ray.view].body;
		const hit = body && !this.action ? castRay(body, ray.origin, ray.direction) : null;
		if (tool === 'paint') {
			this.viewport.canvas.style.cursor = hit || this.action ? 'none' : '';
			this.drawRing(event, ray, hit ?? (this.action && this.action.hit), brush.radius * this.viewport.size);
		} else {
			this.viewport.canvas.style.cursor =
				tool === 'throw' || tool === 'tie' ? 'crosshair' : this.action ? 'grabbing' : hit ? 'grab' : '';
		}
	}

	drawRing(event, ray, hit, radius) {
		this.cursor.hidden = !hit;
		if (!hit) {
			return;
		}
		const bounds = this.viewport.canvas.getBoundingClientRect();
		const right = this.viewport.camera.matrixWorld.elements.slice(0, 3);
		const [x0] = this.viewport.project(hit.position, ray.view);
		const [x1] = this.viewport.project(add(hit.position, right, radius), ray.view);
		const pixels = Math.max(3, Math.abs(x1 - x0));
		this.cursor.style.width = this.cursor.style.height = `${2 * pixels}px`;
		this.cursor.style.left = `${event.clientX - bounds.left - pixels}px`;
		this.cursor.style.top = `${event.clientY - bounds.top - pixels}px`;
	}

	hideCursor() {
		this.cursor.hidden = true;
		this.viewport.canvas.style.cursor = '';
	}

	/** Where the ray passes the plane that faces the camera and goes through a place. */
	onPlane({ origin, direction }, place) {
		const normal = this.viewport.forward;
		const distance = dot(add(place, origin, -1), normal) / Math.max(1e-6, dot(direction, normal));
		return add(origin, direction, distance);
	}
}

class Pull {
	constructor(tools, ray, hit) {
		this.tools = tools;
		this.place = hit.position;
		const { radius, frequency } = tools.store.values.grip;
		const { simulation } = tools.session;
		const request = {
			origin: ray.origin,
			direction: ray.direction,
			radius: radius * tools.viewport.size,
			frequency,
		};
		simulation.request('dragStart', request).then(
			(hits) => {
				if (hits[ray.view]?.refusal) {
					tools.notices.tell(hits[ray.view].refusal);
				}
			},
			(error) => tools.notices.error(error.message),
		);
	}

	move(ray) {
		this.tools.session.simulation.tell('dragMove', { target: this.tools.onPlane(ray, this.place) });
	}

	end() {
		this.tools.session.simulation.tell('dragEnd');
	}
}

class Tie {
	constructor(tools, ray, hit) {
		tools.ties.press(hit);
	}

	move() {}

	end() {}
}

/** The sphere comes from the viewer's side and goes in deeper while the button is held. */
class Poke {
	constructor(tools, ray, hit) {
		this.tools = tools;
		this.place = hit.position;
		this.ray = ray;
		this.radius = tools.store.values.poker.radius * tools.viewport.size;
		this.depth = -0.2 * this.radius;
		this.timer = setInterval(() => this.press(), 16);
		this.press();
	}

	press() {
		this.depth += 0.06 * (this.tools.store.values.poker.depth * this.radius - this.depth);
		const target = this.tools.onPlane(this.ray, this.place);
		const position = add(target, this.ray.direction, this.depth - this.radius);
		this.tools.viewport.showPoker(position, this.radius);
		this.tools.session.simulation.tell('poke', { position, radius: this.radius });
	}

	move(ray) {
		this.ray = ray;
		const body = this.tools.viewport.views[ray.view].body;
		const hit = body && castRay(body, ray.origin, ray.direction);
		// follows the surface, but not to another limb behind
		if (hit && Math.abs(dot(add(hit.position, this.place, -1), this.tools.viewport.forward)) < 0.5 * this.radius) {
			this.place = add(this.place, add(hit.position, this.place, -1), 0.3);
		}
	}

	end() {
		clearInterval(this.timer);
		this.tools.viewport.showPoker(null);
		this.tools.session.simulation.tell('poke', { position: null });
	}
}

class Throw {
	static needsNoHit = true;

	constructor(tools, ray, hit) {
		const { viewport, store, session } = tools;
		const { radius, speed, mass } = store.values.ball;
		const reach = hit?.distance ?? viewport.camera.position.distanceTo(viewport.controls.target);
		const start = Math.max(0, reach - 1.6 * viewport.size);
		const rate = speed * Math.sqrt(viewport.size);
		const seconds = (reach - start) / rate;
		// so much upwards that it comes down to what was aimed at
		const lift = store.values.world.gravity ? 0.5 * gravity * seconds : 0;
		session.simulation.tell('throw', {
			position: add(ray.origin, ray.direction, start),
			velocity: add([0, lift, 0], ray.direction, rate),
			radius: radius * viewport.size,
			mass,
			restitution: 0.3,
		});
	}

	move() {}

	end() {}
}

class Paint {
	static ignoresNearMisses = true;

	constructor(tools, ray, hit, event) {
		this.tools = tools;
		this.hit = hit;
		tools.painter.begin();
		this.dab(hit, event);
	}

	dab(hit, event) {
		const brush = this.tools.store.values.brush;
		const pressure = event.pointerType === 'pen' ? Math.max(0.1, event.pressure) : 1;
		const mode = event.shiftKey ? 'smooth' : event.ctrlKey ? 'erase' : brush.mode;
		this.tools.painter.dab(hit, {
			...brush,
			mode,
			radius: brush.radius * this.tools.viewport.size,
			strength: 0.5 * brush.strength * pressure,
		});
	}

	move(ray, event) {
		const body = this.tools.viewport.views[ray.view].body;
		this.hit = body && castRay(body, ray.origin, ray.direction);
		if (this.hit) {
			this.dab(this.hit, event);
		}
	}

	end() {
		this.tools.painter.end();
	}
}

class Rig {
	static needsNoHit = true;

	constructor(tools, ray, hit, event) {
		tools.rigger.press(ray, hit, [event.clientX, event.clientY]);
	}

	move() {}

	end() {}
}
