// SPDX-License-Identifier: MIT
// Out of the page: settings, bakes, a picture, a short film.
import { toSettings, toText } from './design.js';
import { button, choice, element, section, toggle } from './dom.js';
import { Cancelled } from './link.js';
import { writeProject } from './project.js';

function download(name, content, type = 'application/octet-stream') {
	const link = element('a', {
		href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })),
		download: name,
	});
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

export class SavePanel {
	constructor({ store, session, viewport, notices }) {
		Object.assign(this, { store, session, viewport, notices });
		this.rate = 30;
		this.loop = false;
		this.filmSeconds = 4;
		const rate = choice('Frames a second', {
			options: ['24', '25', '30', '60'],
			change: (value) => (this.rate = Number(value)),
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
			section(
				'Project',
				{},
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
				),
			).node,
			section(
				'Animation with flesh',
				{},
				rate.node,
				loop.node,
				element(
					'div',
					{ class: 'stack' },
					button('Skinned (GLB)', {
						symbol: 'save',
						tip: 'Helper bones and new skin weights: small, for any engine',
						press: () => this.saveBake('bones'),
					}),
					button('Animation (GLB)', {
						symbol: 'save',
						tip: 'Morph targets that any program plays',
						press: () => this.saveBake('glb'),
					}),
					button('Point cache (PC2)', {
						symbol: 'save',
						tip: 'Places of all vertices, for Blender, Maya and Houdini; a file for each mesh',
						press: () => this.saveBake('pc2'),
					}),
				),
			).node,
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

	saveSettings() {
		download(`${this.name}.json`, this.settingsText(), 'application/json');
	}

	async saveBake(format) {
		const { clips, clip, character } = this.store.values;
		try {
			const files = await this.session.bake({ format, rate: this.rate, loop: this.loop });
			const base = `${this.name}${clip >= 0 ? `-${clips[clip].name}` : ''}`;
			files.forEach((file, i) => {
				const part = files.length > 1 ? `-${character.description.instances[i].name || i}` : '';
				download(`${base}${part}${format === 'bones' ? '-bones.glb' : `.${format}`}`, file);
			});
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
