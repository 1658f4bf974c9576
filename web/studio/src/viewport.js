// SPDX-License-Identifier: MIT
// The 3D view: camera, light, floor, and one or two views side by side that share them.
import {
	CanvasTexture,
	Color,
	DirectionalLight,
	Group,
	HemisphereLight,
	Mesh,
	MeshStandardMaterial,
	NeutralToneMapping,
	PCFShadowMap,
	PerspectiveCamera,
	Raycaster,
	Scene,
	SphereGeometry,
	Spherical,
	SRGBColorSpace,
	Vector2,
	Vector3,
	WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { Body, loadTextures } from './body.js';
import { isDrawnInSoftware } from './graphics.js';
import { Ground } from './ground.js';
import { Overlays } from './overlays.js';

// Where the eye is, seen from the character, and the room around it for motion.
const viewDirection = new Vector3(0.42, 0.16, 0.9).normalize();
const frameMargin = 1.25;
// Slower than this over a while, the picture is made coarser.
const slowMilliseconds = 40;

function gradient(top, bottom) {
	const canvas = document.createElement('canvas');
	canvas.width = 2;
	canvas.height = 128;
	const context = canvas.getContext('2d');
	const fill = context.createLinearGradient(0, 0, 0, 128);
	fill.addColorStop(0, top);
	fill.addColorStop(1, bottom);
	context.fillStyle = fill;
	context.fillRect(0, 0, 2, 128);
	const texture = new CanvasTexture(canvas);
	texture.colorSpace = SRGBColorSpace;
	return texture;
}

/** The middle of some of the vertices. */
function middleOf(surface) {
	const half = surface.length / 2;
	const middle = new Vector3();
	const stride = 3 * Math.max(1, Math.floor(half / 3 / 200));
	let count = 0;
	for (let i = 0; i < half; i += stride, ++count) {
		middle.x += surface[i];
		middle.y += surface[i + 1];
		middle.z += surface[i + 2];
	}
	return middle.divideScalar(Math.max(1, count));
}

/** What is drawn of one stage. */
class View {
	constructor(scene) {
		this.group = new Group();
		this.overlays = new Overlays();
		this.balls = new Group();
		this.group.add(this.overlays.group, this.balls);
		this.body = null;
		scene.add(this.group);
	}

	setBody(body) {
		this.body?.dispose();
		this.body = body;
		if (body) {
			this.group.add(body.group);
		}
	}
}

const ballGeometry = new SphereGeometry(1, 32, 20);
const ballMaterial = new MeshStandardMaterial({ color: '#e8643c', roughness: 0.45 });
const pokerMaterial = new MeshStandardMaterial({ color: '#5aa2ff', roughness: 0.35, transparent: true, opacity: 0.75 });

export class Viewport {
	/**
	 * @param {HTMLCanvasElement} canvas
	 * @param {string|null} quality 'high' or 'low'; what the machine can do where it is neither
	 */
	constructor(canvas, quality) {
		this.canvas = canvas;
		// on the processor: no soft edges, no shadows, plain light
		this.isFine = quality === 'high' || (quality !== 'low' && !isDrawnInSoftware());
		this.renderer = new WebGLRenderer({
			canvas,
			antialias: this.isFine,
			preserveDrawingBuffer: true,
			powerPreference: 'high-performance',
		});
		this.renderer.shadowMap.enabled = this.isFine;
		this.renderer.shadowMap.type = PCFShadowMap;
		this.renderer.toneMapping = NeutralToneMapping;
		this.renderer.setScissorTest(true);
		this.renderer.localClippingEnabled = true;
		this.scene = new Scene();
		this.camera = new PerspectiveCamera(32, 1, 0.01, 100);
		this.camera.position.set(1.2, 1.2, 3.4);
		this.controls = new OrbitControls(this.camera, canvas);
		this.controls.enableDamping = true;
		this.controls.dampingFactor = 0.12;
		this.controls.zoomToCursor = true;
		this.addLights();
		this.ground = new Ground(this.isFine);
		this.scene.add(this.ground.group);
		this.poker = new Mesh(ballGeometry, pokerMaterial);
		this.poker.visible = false;
		this.scene.add(this.poker);
		this.views = [new View(this.scene), new View(this.scene)];
		this.viewCount = 1;
		this.textures = [];
		this.character = null;
		this.frameCount = 0;
		this.frameMilliseconds = 0;
		this.pixelRatio = Math.min(this.isFine ? 2 : 1, window.devicePixelRatio);
		this.raycaster = new Raycaster();
		this.size = 1;
		this.follow = true;
		/** The next frame is followed at once: none may come after it. */
		this.isCaughtUp = false;
		// a tool is at work: the view stays where it is
		this.isHeld = false;
		// something is to be drawn that is not on the screen yet
		this.isStale = true;
		this.controls.addEventListener('change', () => (this.isStale = true));
		new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
		this.resize();
	}

	addLights() {
		this.sky = new HemisphereLight('#ffffff', '#c9b8a8', 1.5);
		this.key = new DirectionalLight('#fff4e6', 2.3);
		this.key.castShadow = true;
		this.key.shadow.mapSize.set(1024, 1024);
		this.key.shadow.radius = 2.5;
		this.rim = new DirectionalLight('#cfe0ff', 1.1);
		this.scene.add(this.sky, this.key, this.key.target, this.rim, this.rim.target);
	}

	/** Colours of the theme, as the style sheet has them. */
	setTheme() {
		const style = getComputedStyle(document.documentElement);
		const colour = (name) => style.getPropertyValue(name).trim();
		this.scene.background?.dispose?.();
		this.scene.background = this.isFine
			? gradient(colour('--view-top'), colour('--view-bottom'))
			: new Color(colour('--view-bottom'));
		this.ground.setTheme(colour('--grid'), Number(colour('--grid-strength')), Number(colour('--shadow-strength')));
		this.views.forEach(({ overlays }) => overlays.setTheme(new Color(colour('--accent'))));
	}

	// Characters

	/** Puts a character on the screen as it is at rest. Its pictures follow when they are decoded. */
	setCharacter(character) {
		this.character = character;
		this.textures.forEach((texture) => texture?.dispose());
		this.textures = [];
		this.makeBodies();
		this.frameCharacter();
		if (character.description.images.length > 0) {
			loadTextures(character.description.images).then((textures) => {
				if (this.character === character) {
					this.textures = textures;
					this.makeBodies();
				}
			});
		}
	}

	/**
	 * Draws the empty stage, and on it a body that is a single point: to make the programs of a picture ready takes long the
	 * first time. As the first character is: with colours at its vertices and no pictures.
	 */
	warmUp() {
		const mesh = {
			vertexCount: 3,
			indices: Uint32Array.of(0, 1, 2),
			color: new Float32Array(12),
			primitives: [{ first: 0, count: 3, material: 0 }],
		};
		const description = { instances: [{ mesh: 0 }], meshes: [mesh], materials: [] };
		// with normals: without them it would be drawn in facets
		const surface = new Float32Array(18).fill(1, 9);
		const [view] = this.views;
		view.setBody(new Body(description, surface, [], this.isFine));
		this.render(performance.now());
		view.setBody(null);
	}

	makeBodies() {
		const { description, rest } = this.character;
		this.views.forEach((view, i) => {
			const before = view.body;
			const body = i < this.viewCount ? new Body(description, rest, this.textures, this.isFine) : null;
			if (before && body && before.length === body.length) {
				body.parts.forEach(({ drawn }, part) => {
					const { position, normal } = before.parts[part]?.drawn.geometry.attributes ?? {};
					if (
						position?.array.length === drawn.geometry.attributes.position.array.length &&
						this.framed === this.character
					) {
						drawn.geometry.attributes.position.array.set(position.array);
						drawn.geometry.attributes.normal.array.set(normal.array);
					}
				});
			}
			view.setBody(body);
			view.overlays.setSkeleton(description.nodes);
		});
		this.onBodies?.();
		this.isStale = true;
	}

	setViewCount(count) {
		if (count !== this.viewCount) {
			this.viewCount = count;
			if (this.character) {
				this.makeBodies();
				// half as wide: step back, and forth again
				this.turn(0, 0, count === 2 ? 1.25 : 0.8);
			}
			this.resize();
		}
	}

	/** Looks at the whole character from the front and a little from the side. */
	frameCharacter() {
		const [low, high] = this.character.description.size;
		const middle = low.map((value, i) => 0.5 * (value + high[i]));
		const size = Math.max(...high.map((value, i) => value - low[i]), 1e-4);
		this.framed = this.character;
		this.middle = middleOf(this.character.rest);
		this.ground.follow(middle[0], middle[2]);
		this.size = size;
		this.ground.fit(size, low[1]);
		const distance = this.findDistance(low, high);
		this.controls.target.set(...middle);
		this.camera.position.set(...middle).addScaledVector(viewDirection, distance);
		this.camera.near = 0.01 * size;
		this.camera.far = 60 * size;
		this.camera.updateProjectionMatrix();
		this.controls.minDistance = 0.2 * size;
		this.controls.maxDistance = 20 * size;
		this.aimLights(middle, size);
	}

	/** As near as all corners of the box allow, tails and wings that reach towards the eye too. */
	findDistance(low, high) {
		const half = Math.tan((0.5 * this.camera.fov * Math.PI) / 180);
		const right = new Vector3(0, 1, 0).cross(viewDirection).normalize();
		const up = viewDirection.clone().cross(right);
		const limits = [half * (this.aspect || 1), half];
		let distance = 0;
		for (let corner = 0; corner < 8; ++corner) {
			const place = new Vector3(
				...low.map((value, axis) => (0.5 - ((corner >> axis) & 1)) * (high[axis] - value)),
			);
			[right, up].forEach((axis, i) => {
				const needed = place.dot(viewDirection) + (frameMargin * Math.abs(place.dot(axis))) / limits[i];
				distance = Math.max(distance, needed);
			});
		}
		return Math.max(distance, 1e-4);
	}

	aimLights(middle, size) {
		const [x, y, z] = middle;
		this.key.position.set(x + 1.4 * size, y + 2.6 * size, z + 1.7 * size);
		this.key.target.position.set(x, y, z);
		this.rim.position.set(x - 2 * size, y + 1.2 * size, z - 2 * size);
		this.rim.target.position.set(x, y, z);
		this.key.shadow.normalBias = 0.015 * size;
		this.key.shadow.bias = -0.0005;
		const shadow = this.key.shadow.camera;
		Object.assign(shadow, {
			left: -1.3 * size,
			right: 1.3 * size,
			top: 1.3 * size,
			bottom: -1.3 * size,
			near: 0.1 * size,
			far: 8 * size,
		});
		shadow.updateProjectionMatrix();
	}

	/** Turns the camera about what it looks at (radians), and goes nearer (factor below 1). */
	turn(around, up, factor = 1) {
		const offset = this.camera.position.clone().sub(this.controls.target);
		const place = new Spherical().setFromVector3(offset);
		place.theta += around;
		place.phi += up;
		place.radius = Math.min(this.controls.maxDistance, Math.max(this.controls.minDistance, place.radius * factor));
		place.makeSafe();
		this.camera.position.copy(this.controls.target).add(offset.setFromSpherical(place));
	}

	// Frames

	/** The view goes along with a character that travels, slowly enough not to sway with each step. */
	followBody(surface) {
		const way = middleOf(surface).sub(this.middle);
		if (!Number.isFinite(way.length())) {
			return;
		}
		const isJump = this.isCaughtUp || way.length() > 1.5 * this.size;
		this.isCaughtUp = false;
		way.y = isJump ? way.y : 0;
		way.multiplyScalar(isJump ? 1 : 0.08);
		this.middle.add(way);
		for (const place of [
			this.camera.position,
			this.controls.target,
			this.key.position,
			this.key.target.position,
			this.rim.position,
			this.rim.target.position,
		]) {
			place.add(way);
		}
		this.ground.follow(this.ground.group.position.x + way.x, this.ground.group.position.z + way.z);
	}

	/** What the simulation sent. */
	show(frame) {
		this.isStale = true;
		if (this.follow && !this.isHeld && frame.stages.length > 0) {
			this.followBody(frame.stages[0].surface);
		}
		frame.stages.forEach((stage, i) => {
			const view = this.views[i];
			view.body?.setSurface(stage.surface);
			view.overlays.update(stage);
			this.showBalls(view.balls, stage.balls);
		});
	}

	showBalls(group, rows) {
		while (group.children.length < rows.length / 4) {
			const ball = new Mesh(ballGeometry, ballMaterial);
			ball.castShadow = true;
			group.add(ball);
		}
		group.children.forEach((ball, i) => {
			ball.visible = 4 * i < rows.length;
			if (ball.visible) {
				ball.position.fromArray(rows, 4 * i);
				ball.scale.setScalar(rows[4 * i + 3]);
			}
		});
	}

	/** The sphere that pokes; null hides it. */
	showPoker(position, radius) {
		this.isStale = true;
		this.poker.visible = Boolean(position);
		if (position) {
			this.poker.position.set(...position);
			this.poker.scale.setScalar(radius);
		}
	}

	resize() {
		const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
		if (width === 0 || height === 0) {
			return;
		}
		this.renderer.setPixelRatio(this.pixelRatio);
		this.renderer.setSize(width, height, false);
		this.aspect = width / this.viewCount / height;
		this.camera.aspect = this.aspect;
		this.camera.updateProjectionMatrix();
		// at once: a canvas of another size is empty
		if (this.character) {
			this.render(performance.now());
		}
	}

	/** Draws where there is something new. */
	refresh(now) {
		this.controls.update();
		if (this.isStale) {
			this.render(now);
		} else {
			this.lastFrame = now;
		}
	}

	render(now) {
		this.isStale = false;
		this.measureFrame(now);
		const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
		const share = width / this.viewCount;
		for (let i = 0; i < this.viewCount; ++i) {
			this.views.forEach(({ group }, other) => (group.visible = other === i));
			this.renderer.setViewport(i * share, 0, share, height);
			this.renderer.setScissor(i * share, 0, share, height);
			this.renderer.render(this.scene, this.camera);
		}
		++this.frameCount;
	}

	/** Keeps the view fluent on a slow machine: coarser pixels first, then no soft shadows. */
	measureFrame(now) {
		const elapsed = Math.min(200, now - (this.lastFrame ?? now));
		this.lastFrame = now;
		this.frameMilliseconds += 0.05 * (elapsed - this.frameMilliseconds);
		if (this.frameCount % 60 === 59 && this.frameMilliseconds > slowMilliseconds) {
			if (this.pixelRatio > 1) {
				this.pixelRatio = 1;
				this.resize();
			} else if (this.key.shadow.mapSize.x > 512) {
				this.key.shadow.mapSize.set(512, 512);
				this.key.shadow.map?.dispose();
				this.key.shadow.map = null;
			}
		}
	}

	// Rays

	/** The view under a place of the page, with the line of sight through it: { view, origin, direction }. */
	rayAt(clientX, clientY) {
		const bounds = this.canvas.getBoundingClientRect();
		const share = bounds.width / this.viewCount;
		const view = Math.min(this.viewCount - 1, Math.max(0, Math.floor((clientX - bounds.left) / share)));
		const x = ((clientX - bounds.left - view * share) / share) * 2 - 1;
		const y = 1 - ((clientY - bounds.top) / bounds.height) * 2;
		this.camera.updateMatrixWorld();
		this.raycaster.setFromCamera(new Vector2(x, y), this.camera);
		const { origin, direction } = this.raycaster.ray;
		return { view, origin: origin.toArray(), direction: direction.toArray() };
	}

	/** Where a place of the world is in a view: pixels of the canvas. */
	project(place, view = 0) {
		const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
		const share = width / this.viewCount;
		const point = new Vector3(...place).project(this.camera);
		return [view * share + 0.5 * (point.x + 1) * share, 0.5 * (1 - point.y) * height];
	}

	/** The direction that the camera looks in. */
	get forward() {
		return this.camera.getWorldDirection(new Vector3()).toArray();
	}
}
