// SPDX-License-Identifier: MIT
// The bar below the view: clip, play, steps, scrubber, speed.
import { button, choice, element, icon, segments } from './dom.js';
import { liveClip } from './feed.js';
import { isLive } from './home.js';

const speeds = [
	[1, '1×'],
	[0.5, '½'],
	[0.25, '¼'],
	[0.1, '⅒'],
];

export class Timeline {
	constructor(root, { store, session, chooseFile, attempt }) {
		Object.assign(this, { store, session, chooseFile, attempt });
		this.clip = choice('Clip', {
			bare: true,
			change: (value) => this.choose(value),
		});
		this.play = button('Play', { symbol: 'play', kind: 'only large', key: 'Space', press: () => this.toggle() });
		this.loop = button('Loop', {
			symbol: 'loop',
			kind: 'only',
			key: 'L',
			pressed: true,
			press: () => store.set({ loop: !store.values.loop }),
		});
		this.scrubber = element('input', {
			type: 'range',
			class: 'scrubber',
			min: 0,
			max: 1,
			step: 'any',
			'aria-label': 'Time in the clip',
		});
		this.ticks = element('canvas', { class: 'ticks', 'aria-hidden': 'true' });
		this.readout = element('output', { class: 'readout', 'aria-label': 'Time' });
		this.speed = segments('Speed', {
			options: speeds.map(([value, text]) => [value, text, value === 1 ? 'Full speed' : 'Slow motion']),
			change: (value) => store.set({ speed: value }),
		});
		const back = button('One step back', {
			symbol: 'stepBack',
			kind: 'only',
			key: '←',
			press: () => this.step(true),
		});
		const forward = button('One step forward', {
			symbol: 'stepForward',
			kind: 'only',
			key: '→',
			press: () => this.step(false),
		});
		const toStart = button('To the start', {
			symbol: 'toStart',
			kind: 'only',
			key: 'Home',
			press: () => this.seek(this.range[0]),
		});
		root.append(
			element(
				'div',
				{ class: 'transport', role: 'group', 'aria-label': 'Play' },
				toStart,
				back,
				this.play,
				forward,
				this.loop,
			),
			this.clip.node,
			element('div', { class: 'track' }, this.ticks, this.scrubber),
			this.readout,
			this.speed.node,
		);
		this.scrubber.addEventListener('input', () => this.scrub());
		new ResizeObserver(() => this.drawTicks()).observe(this.ticks);
		store.watch(['clips', 'clip', 'character'], ({ clips, clip }) => this.showClips(clips, clip));
		store.watch(['playing'], ({ playing }) => {
			this.play.replaceChildren(icon(playing ? 'pause' : 'play'));
			this.play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
			this.play.setAttribute('data-tip', playing ? 'Pause' : 'Play');
		});
		store.watch(['loop'], ({ loop }) => this.loop.setAttribute('aria-pressed', loop));
		store.watch(['speed'], ({ speed }) => this.speed.set(speed));
		store.watch(['theme'], () => requestAnimationFrame(() => this.drawTicks()));
	}

	get range() {
		const { clips, clip } = this.store.values;
		return clip >= 0 && clips[clip] ? [clips[clip].begin, clips[clip].end] : [0, 0];
	}

	/** A clip, a motion that comes along ("motion:walk"), or a file with another one. */
	async choose(value) {
		if (value === 'file') {
			this.showClips(this.store.values.clips, this.store.values.clip);
			this.chooseFile();
		} else if (value.startsWith('motion:')) {
			await this.attempt(() => this.session.addMotion({ builtin: value.slice(7) }));
		} else {
			this.store.set({ clip: Number(value), playing: true });
		}
	}

	showClips(clips, clip) {
		const { character, library, scene } = this.store.values;
		const own = clips.map(({ name }, i) => [i, name || `Clip ${i + 1}`]);
		const more = (character?.description.motions ?? [])
			.filter((name) => !clips.some((one) => one.name === name))
			.map((name) => [`motion:${name}`, name[0].toUpperCase() + name.slice(1)]);
		this.clip.fill([
			...(isLive ? [[liveClip, 'Live: the tracker']] : []),
			...(own.length > 0 ? [{ group: 'Clips', options: own }] : isLive ? [] : [[-1, 'No clip']]),
			...(more.length > 0 ? [{ group: 'Motions that come with Supple', options: more }] : []),
			...(scene ? [] : [['file', 'Motion from a file (BVH) …']]),
		]);
		this.clip.set(clip);
		this.clip.node.disabled = !library;
		[this.scrubber.min, this.scrubber.max] = this.range;
		this.scrubber.disabled = clips.length === 0 || clip === liveClip;
		this.drawTicks();
	}

	toggle() {
		this.store.set({ playing: !this.store.values.playing });
	}

	step(back) {
		this.store.set({ playing: false });
		this.session.simulation.tell('step', { back });
	}

	seek(time) {
		this.session.simulation.tell('seek', { time });
		this.show(time);
	}

	scrub() {
		this.store.set({ playing: false });
		const time = Number(this.scrubber.value);
		this.scrubbing = performance.now();
		this.showReadout(time);
		// one seek on its way at a time, the newest next
		this.target = time;
		this.seeking ??= this.chase().finally(() => (this.seeking = null));
	}

	async chase() {
		while (this.target !== null) {
			const time = this.target;
			this.target = null;
			await this.session.simulation.request('seek', { time });
		}
	}

	/** @param {number} time seconds in the clip */
	show(time) {
		if (performance.now() - (this.scrubbing ?? -1e9) > 250) {
			this.scrubber.value = time;
			this.showReadout(time);
		}
	}

	showReadout(time) {
		const [begin, end] = this.range;
		const share = end > begin ? (time - begin) / (end - begin) : 0;
		this.scrubber.style.setProperty('--way', share);
		const isClip = end > begin;
		const text = isClip ? `${time.toFixed(2)} / ${end.toFixed(2)} s` : '–';
		if (this.readout.value !== text) {
			this.readout.value = text;
			this.scrubber.setAttribute('aria-valuetext', text);
		}
	}

	/** A line for each tenth of a second or what fits, longer ones at whole seconds. */
	drawTicks() {
		const { ticks } = this;
		const width = ticks.clientWidth;
		const height = ticks.clientHeight;
		if (width === 0) {
			return;
		}
		const ratio = window.devicePixelRatio;
		ticks.width = width * ratio;
		ticks.height = height * ratio;
		const context = ticks.getContext('2d');
		context.scale(ratio, ratio);
		const style = getComputedStyle(ticks);
		const [begin, end] = this.range;
		const span = end - begin;
		if (!(span > 0)) {
			return;
		}
		const inset = 7;
		const spacing = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60].find((step) => (step / span) * width > 9) ?? 120;
		const labelled = [0.5, 1, 2, 5, 10, 30, 60].find((step) => (step / span) * width > 46) ?? 120;
		context.fillStyle = style.getPropertyValue('--text-faint');
		context.font = `10px ${style.fontFamily}`;
		for (let i = Math.ceil(begin / spacing); i * spacing <= end + 1e-6; ++i) {
			const time = i * spacing;
			const x = Math.round(inset + ((time - begin) / span) * (width - 2 * inset));
			const isLabelled = Math.abs(time / labelled - Math.round(time / labelled)) < 1e-6;
			context.fillRect(x, height - (isLabelled ? 8 : 4), 1, isLabelled ? 8 : 4);
			if (isLabelled && x < width - 18) {
				context.fillText(`${Number(time.toFixed(2))}`, x + 3, 9);
			}
		}
	}
}
