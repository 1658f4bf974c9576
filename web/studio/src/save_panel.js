// SPDX-License-Identifier: MIT
// Out of the page: settings, bakes, a picture, a short film.
import { toSettings, toText } from './design.js';
import { button, choice, element, section, toggle } from './dom.js';
import { liveClip } from './feed.js';
import { Cancelled } from './link.js';
import { writeProject } from './project.js';
import { makeLink } from './share.js';
import { slider } from './slider.js';

function download(name, content, type = 'application/octet-stream') {
	const link = element('a', {
		href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })),
		download: name,
	});
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** "840 KB", "12.4 MB" */
function formatBytes(bytes) {
	const [scale, unit] = bytes >= 1e6 ? [1e6, 'MB'] : [1e3, 'KB'];
	return `${Number((bytes / scale).toPrecision(3))} ${unit}`;
}

export class SavePanel {
	constructor({ store, session, viewport, notices }) {
		Object.assign(this, { store, session, viewport, notices });
		Object.assign(this, { rate: 30, loop: false, all: false, from: NaN, to: NaN, tolerance: 1e-4, helpers: 32 });
		this.filmSeconds = 4;
		const rate = choice('Frames a second', {
			options: ['24', '25', '30', '60'],
			change: (value) => {
				this.rate = Number(value);
				this.showSizes();
			},
		});
		rate.set('30');
		const loop = toggle('Seamless loop', {
			tip: 'Plays the clip until the flesh moves as cyclically as the clip does',
			change: (value) => (this.loop = value),
		});
		const length = choice('Length', {
			options: [
				['2', '2 s'],
				['4', '4 s'],
				['8', '8 s'],
				['16', '16 s'],
			],
			change: (value) => (this.filmSeconds = Number(value)),
		});
		length.set('4');
		this.filmButton = button('Film (WebM)', { symbol: 'film', press: () => this.saveFilm() });
		this.node = element(
			'div',
			{ class: 'panel-body' },
			element(
				'p',
				{ class: 'hint scene-note' },
				'A scene is saved by the command line, each actor into a file of its own: supple bake scene.json -o out/.glb. Pictures and films are saved here.',
			),
			section(
				'Project',
				{ kind: 'of-character' },
				element(
					'p',
					{ class: 'hint' },
					'Everything in one file: character, softness, paint, skeleton and motion. Drop it here to go on, or bake it: supple bake project.glb.',
				),
				element(
					'div',
					{ class: 'stack' },
					button('Project (GLB)', { symbol: 'save', key: 'Ctrl+S', press: () => this.saveProject() }),
					button('Settings (JSON)', {
						symbol: 'save',
						tip: 'Softness and numbers alone, for other characters: supple bake --settings',
						press: () => this.saveSettings(),
					}),
					button('Copy link', {
						symbol: 'open',
						tip: 'An address of this page with softness and numbers in it, and the built-in character',
						press: () => this.copyLink(),
					}),
				),
			).node,
			this.makeAnimation(rate, loop),
			section(
				'Pictures',
				{},
				element(
					'div',
					{ class: 'stack' },
					button('Picture (PNG)', { symbol: 'picture', press: () => this.savePicture() }),
					length.node,
					this.filmButton,
				),
			).node,
		);
	}

	get name() {
		const { character, design } = this.store.values;
		return `${character.label.replace(/\.[^.]*$/, '')}-${design.method}`;
	}

	settingsText() {
		return toText(toSettings(this.store.values.design));
	}

	async saveProject() {
		const name = this.store.values.character.label.replace(/(-project)?\.[^.]*$/, '');
		try {
			const bytes = await writeProject({ store: this.store, session: this.session });
			download(`${name}-project.glb`, bytes, 'model/gltf-binary');
		} catch (error) {
			this.notices.error(error.message);
		}
	}

	async copyLink() {
		try {
			this.link = makeLink(this.store.values);
			await navigator.clipboard.writeText(this.link);
			const isFile = !this.store.values.character.source.builtin;
			this.notices.tell(isFile ? 'Copied. The link holds the settings, not your character.' : 'Link copied.');
		} catch (error) {
			this.notices.error(this.link ? `The link could not be copied: ${this.link}` : error.message);
		}
	}

	saveSettings() {
		download(`${this.name}.json`, this.settingsText(), 'application/json');
	}

	makeAnimation(rate, loop) {
		const all = toggle('All clips', {
			tip: 'A file for each clip of the character, not only for the one that plays',
			change: (value) => {
				this.all = value;
				this.showSizes();
			},
		});
		const makeTime = (key, label) => {
			const input = element('input', {
				type: 'text',
				inputmode: 'decimal',
				class: 'number',
				'aria-label': label,
				placeholder: key === 'from' ? 'start' : 'end',
				change: () => {
					this[key] = input.value.trim() === '' ? NaN : Number(input.value.replace(',', '.'));
					this.showSizes();
				},
			});
			return element('label', { class: 'choice' }, element('span', {}, label), input);
		};
		const tolerance = slider(
			{
				name: 'tolerance',
				label: 'Tolerance',
				unit: '%',
				minimum: 0.001,
				maximum: 1,
				standard: 0.01,
				summary: "How far morph targets may be off, of the body's size. More makes smaller files.",
			},
			(value) => (this.tolerance = 0.01 * value),
		);
		const helpers = slider(
			{
				name: 'helpers',
				label: 'Helper bones',
				unit: 'count',
				minimum: 4,
				maximum: 128,
				standard: 32,
				summary: 'Bones that carry the flesh in a skinned file. More follow it more closely.',
			},
			(value) => {
				this.helpers = value;
				this.showSizes();
			},
		);
		const formats = [
			['bones', 'Skinned (GLB)', 'Helper bones and new skin weights: small, for any engine'],
			['glb', 'Animation (GLB)', 'Morph targets that any program plays'],
			['pc2', 'Point cache (PC2)', 'Places of all vertices, for Blender, Maya and Houdini; a file for each mesh'],
		];
		this.sizes = new Map(formats.map(([format]) => [format, element('small', { class: 'size', 'data-format': format })]));
		const { node } = section(
			'Animation with flesh',
			{ kind: 'of-character' },
			rate.node,
			loop.node,
			all.node,
			element('div', { class: 'row fill' }, makeTime('from', 'From (s)'), makeTime('to', 'To (s)')),
			element(
				'div',
				{ class: 'stack' },
				...formats.map(([format, label, tip]) => {
					const made = button(label, { symbol: 'save', tip, press: () => this.saveBake(format) });
					made.append(this.sizes.get(format));
					return made;
				}),
			),
			helpers.node,
			tolerance.node,
		);
		this.store.watch(['clip', 'clips', 'character'], () => this.showSizes());
		return node;
	}

	/** The clips that are saved: numbers. */
	get chosen() {
		const { clips, clip } = this.store.values;
		return this.all && clips.length > 0 ? clips.map((_, i) => i) : [clip];
	}

	/** About how large the files are going to be, before anything is computed. */
	showSizes() {
		const { character, clips } = this.store.values;
		if (!character) {
			return;
		}
		const { instances, meshes } = character.description;
		const vertices = instances.reduce((sum, { mesh }) => sum + meshes[mesh].vertexCount, 0);
		const frames = this.chosen.reduce((sum, index) => {
			const { begin = 0, end = 0 } = clips[index] ?? {};
			const from = Math.max(begin, this.from || begin);
			const to = Math.min(end, Number.isFinite(this.to) ? this.to : end);
			return sum + Math.max(1, Math.round((to - from) * this.rate) + 1);
		}, 0);
		const base = character.source.bytes?.length ?? 60 * vertices;
		// twelve bytes for a place, as many for a normal; a bone has a turn, a place and a scale, and half of its keys go
		const bytes = {
			bones: base + 24 * vertices + 20 * this.helpers * frames,
			glb: base + 24 * vertices * frames,
			pc2: 32 * this.chosen.length + 12 * vertices * frames,
		};
		this.sizes.forEach((node, format) => (node.textContent = `${format === 'glb' ? 'up to' : 'about'} ${formatBytes(bytes[format])}`));
	}

	async saveBake(format) {
		const { clips, character, clip: shown } = this.store.values;
		if (shown === liveClip && !this.all) {
			this.notices.error('The tracker is not a clip. Press Record, and bake what was recorded.');
			return;
		}
		try {
			for (const clip of this.chosen) {
				const files = await this.session.bake({
					format,
					clip,
					rate: this.rate,
					loop: this.loop,
					from: this.from,
					to: this.to,
					tolerance: this.tolerance,
					helpers: this.helpers,
				});
				const base = `${this.name}${clip >= 0 ? `-${clips[clip].name}` : ''}`;
				files.forEach((file, i) => {
					const part = files.length > 1 ? `-${character.description.instances[i].name || i}` : '';
					download(`${base}${part}${format === 'bones' ? '-bones.glb' : `.${format}`}`, file);
				});
				this.notices.tell(`Saved ${base}: ${formatBytes(files.reduce((sum, { byteLength }) => sum + byteLength, 0))}`);
			}
		} catch (error) {
			if (!(error instanceof Cancelled)) {
				this.notices.error(error.message);
			}
		}
	}

	savePicture() {
		this.viewport.render(performance.now());
		this.viewport.canvas.toBlob((blob) => download(`${this.name}.png`, blob), 'image/png');
	}

	async saveFilm() {
		if (!window.MediaRecorder || !this.viewport.canvas.captureStream) {
			this.notices.error('This browser cannot record films.');
			return;
		}
		this.filmButton.disabled = true;
		try {
			const film = await this.record(this.filmSeconds);
			if (film.size > 0) {
				download(`${this.name}.webm`, film);
			} else {
				this.notices.error('The browser recorded nothing: try a longer film, or a smaller window.');
			}
		} finally {
			this.filmButton.disabled = false;
		}
	}

	record(seconds) {
		// the newer one wants a strong machine to keep up
		const isStrong = navigator.hardwareConcurrency >= 8;
		const types = [...(isStrong ? ['video/webm;codecs=vp9'] : []), 'video/webm;codecs=vp8', 'video/webm'];
		const type = types.find((kind) => MediaRecorder.isTypeSupported(kind));
		const recorder = new MediaRecorder(this.viewport.canvas.captureStream(30), {
			mimeType: type,
			videoBitsPerSecond: 12e6,
		});
		const pieces = [];
		const done = this.notices.busy('Recording', () => recorder.stop());
		const begin = performance.now();
		// also while nothing moves a film has pictures
		const timer = setInterval(() => {
			this.viewport.isStale = true;
			done.progress(Math.min(1, (performance.now() - begin) / 1000 / seconds));
		}, 33);
		return new Promise((resolve) => {
			recorder.ondataavailable = ({ data }) => pieces.push(data);
			recorder.onstop = () => {
				clearInterval(timer);
				done();
				resolve(new Blob(pieces, { type: 'video/webm' }));
			};
			recorder.start(500);
			setTimeout(() => recorder.state !== 'inactive' && recorder.stop(), 1000 * seconds);
		});
	}
}
