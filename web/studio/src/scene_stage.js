// SPDX-License-Identifier: MIT
// A scene file as a stage: many actors and colliders, moved by the scene's own clock. The same calls as of Stage.
import { Toys } from './toys.js';

export class SceneStage extends Toys {
	/** @param {import('../../objects/show.js').Show} show */
	constructor(show) {
		super(show.scene);
		this.show = show;
		this.duration = show.describe().duration;
		this.playing = true;
		this.loop = true;
		this.previous = null;
		this.hasSlipped = false;
		this.isHeld = false;
		// what plays and is measured, for those who know one actor only
		this.actor = {
			play: (clip, { speed, loop }) => Object.assign(this, { playing: speed > 0, loop }),
			stop: () => (this.playing = false),
			// there is no way back but to the beginning
			seek: (time) => time <= 0 && this.show.begin(),
			reset: () => this.show.begin(),
			measure: () => null,
			setParameter: () => {},
			setRegion: () => {},
		};
		Object.defineProperty(this.actor, 'time', { get: () => Math.min(this.show.time, this.duration) });
	}

	destroy() {
		this.show.destroy();
	}

	setWorld() {}

	step(seconds, interpolate) {
		if (interpolate) {
			this.previous = this.copySurface(this.previous);
		}
		if (this.playing && this.show.time >= this.duration && this.loop) {
			this.show.begin();
			this.previous = null;
		}
		if (this.playing && this.show.time < this.duration) {
			this.show.step(seconds);
		} else {
			// time stands still, flesh does not
			this.scene.step(seconds);
		}
	}

	get isAsleep() {
		return !this.isHeld && this.balls.length === 0;
	}

	startDrag({ origin, direction, radius, frequency }) {
		try {
			this.isHeld = this.show.startDrag(origin, direction, { radius, frequency });
			return this.isHeld ? { refusal: '' } : null;
		} catch (error) {
			return { refusal: error.message };
		}
	}

	moveDrag(target) {
		this.show.moveDrag(target);
	}

	endDrag() {
		this.show.endDrag();
		this.isHeld = false;
	}

	tie() {
		return 'scenes have their own attachments';
	}

	cut() {}

	listTies() {
		return new Float32Array(0);
	}

	copySurface(into) {
		const surface = this.show.surface();
		if (into?.length !== surface.length) {
			return surface.slice();
		}
		into.set(surface);
		return into;
	}

	findHeat() {
		return null;
	}
}
