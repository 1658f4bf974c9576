// SPDX-License-Identifier: MIT
// What a user puts into a scene: the sphere that pokes, balls that are thrown. Every stage has them.
const still = [0, 0, 0, 1];
const mostBalls = 24;

export class Toys {
	constructor(scene) {
		this.scene = scene;
		this.poker = null;
		this.balls = [];
	}

	/** The sphere under the mouse: comes, follows, goes (position null). */
	poke({ position, radius }) {
		if (!position) {
			this.poker?.remove();
			this.poker = null;
		} else if (this.poker) {
			this.poker.setTransform(position, still);
		} else {
			this.poker = this.scene.addCollider({
				shape: 'sphere',
				radius,
				position,
				motion: 'kinematic',
				friction: 0.3,
			});
		}
	}

	throwBall({ position, velocity, radius, mass, restitution }) {
		if (this.balls.length >= mostBalls) {
			this.balls.shift().collider.remove();
		}
		const collider = this.scene.addCollider({
			shape: 'sphere',
			radius,
			position,
			motion: 'dynamic',
			mass,
			velocity,
			friction: 0.4,
			restitution,
		});
		this.balls.push({ collider, radius });
	}

	clearBalls() {
		for (const ball of this.balls) {
			ball.collider.remove();
		}
		this.balls = [];
	}

	/** Centre and radius of each ball, four numbers each; the poker is not among them. */
	listBalls() {
		const rows = new Float32Array(4 * this.balls.length);
		this.balls.forEach(({ collider, radius }, i) => rows.set([...collider.transform().position, radius], 4 * i));
		return rows;
	}

	/** The surface between the last step but one and the last: share 0 .. 1 of the way. */
	blendSurface(into, share) {
		const surface = this.copySurface(into);
		const previous = this.previous;
		if (share < 1 && previous?.length === surface.length) {
			for (let i = 0; i < surface.length; ++i) {
				surface[i] = previous[i] + share * (surface[i] - previous[i]);
			}
		}
		return surface;
	}
}
