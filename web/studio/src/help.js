// SPDX-License-Identifier: MIT
// Help: what to do first, what the words mean, the keys; and a tour of five steps for who is here for the first time.
import { button, element } from './dom.js';
import { keys } from './shortcuts.js';

const topics = [
	[
		'Start',
		'Choose a built-in character on the left, or drop your own: GLB, VRM, glTF with its files, FBX, Collada, OBJ, PLY or STL. A character without an animation gets one; choose another in the list beside Play, or drop a BVH file. Nothing leaves your computer.',
	],
	[
		'Softness',
		'One slider from stone to jelly. The presets set softness, speed and damping together: Firm for athletes, Jelly for slime, Heavy for bellies that lag behind.',
	],
	[
		'Where it is soft',
		'Flesh is soft where it is thick, unless you say otherwise: paint it with the brush (B), or add a region around a joint. Dark is firm, bright is soft.',
	],
	[
		'Touch',
		'Pull (G), poke (P) and throw balls (T) at it, or tie two places together (N). Touches itself keeps arms out of the belly, and costs time.',
	],
	[
		'Save',
		'A project holds everything and opens here again. Skinned (GLB) is small and plays in any engine; Animation (GLB) has morph targets; PC2 is for Blender, Maya and Houdini. The same numbers come out of the command line: supple bake project.glb.',
	],
	[
		'It looks wrong',
		'Flies apart or hardly moves: check the height on the left, the file may be in centimetres. Stands still: press Play, or choose a motion. No softness at all: Make it soft, in the panel Flesh.',
	],
];

/** The manual lies beside the page where it was put there, and is linked only then. */
async function findManual() {
	const response = await fetch('./manual/studio.md', { method: 'HEAD' }).catch(() => null);
	return response?.ok ? './manual/' : null;
}

export class Help {
	constructor({ startTour }) {
		const close = button('Close', { kind: 'primary', press: () => this.node.close() });
		const tour = button('Take the tour', {
			press: () => {
				this.node.close();
				startTour();
			},
		});
		this.links = element('p', { class: 'hint' });
		this.node = element(
			'dialog',
			{ class: 'help', 'aria-label': 'Help', click: (event) => event.target === this.node && this.node.close() },
			element(
				'div',
				{ class: 'help-body' },
				element('h2', {}, 'Help'),
				...topics.flatMap(([title, text]) => [element('h3', {}, title), element('p', {}, text)]),
				this.links,
				element('h3', {}, 'Keys'),
				element(
					'dl',
					{},
					...keys.flatMap(([key, text]) => [
						element('dt', {}, ...key.split(' ').map((part) => element('kbd', {}, part))),
						element('dd', {}, text),
					]),
				),
				element('div', { class: 'row fill' }, tour, close),
			),
		);
		document.body.append(this.node);
	}

	show() {
		this.node.showModal();
		this.node.scrollTop = 0;
		findManual().then((folder) => {
			if (folder) {
				const link = (page, text) => element('a', { href: `${folder}${page}`, target: '_blank' }, text);
				this.links.replaceChildren('The manual: ', link('studio.md', 'studio'), ' · ', link('cli.md', 'command line'), ' · ', link('motion.md', 'motions'));
			}
		});
	}
}

const steps = [
	['#left', 'Choose a character', 'Take a built-in one, or drop a file anywhere on the page.'],
	['#timeline', 'Let it move', 'Play its animation, or choose a motion from the list. Drop a BVH file for another.'],
	['#right', 'Make it soft', 'One slider, from stone to jelly. Below: where it is soft, and what it touches.'],
	['#rail', 'Touch it', 'Pull the flesh, poke it, throw balls, or paint where it is soft.'],
	['#tab-save', 'Take it with you', 'Save a project to go on later, or the animation for your engine.'],
];

/** Five steps, each beside what it is about. Once, and again from Help. */
export class Tour {
	constructor({ store }) {
		this.store = store;
		this.at = -1;
		this.text = element('div', {});
		this.next = button('Next', { kind: 'primary', press: () => this.go(this.at + 1) });
		this.node = element(
			'div',
			{ class: 'tour', role: 'dialog', 'aria-label': 'Tour', hidden: true },
			this.text,
			element('div', { class: 'row' }, button('Skip', { press: () => this.end() }), this.next),
		);
		document.body.append(this.node);
		this.node.addEventListener('keydown', (event) => {
			if (event.key === 'Escape') {
				this.end();
				event.stopPropagation();
			}
		});
	}

	start() {
		this.go(0);
	}

	go(index) {
		if (index >= steps.length) {
			this.end();
			return;
		}
		this.at = index;
		const [place, title, text] = steps[index];
		this.text.replaceChildren(
			element('small', {}, `${index + 1} of ${steps.length}`),
			element('strong', {}, title),
			element('p', {}, text),
		);
		this.next.lastChild.textContent = index + 1 < steps.length ? 'Next' : 'Done';
		this.node.hidden = false;
		document.querySelector('.tour-place')?.classList.remove('tour-place');
		const target = document.querySelector(place);
		target?.classList.add('tour-place');
		this.put(target?.getBoundingClientRect());
		this.next.focus({ preventScroll: true });
	}

	/** Beside the place, inside of the window; in the middle where the place is not shown. */
	put(at) {
		const { width, height } = this.node.getBoundingClientRect();
		const isShown = at && at.width > 0;
		const beside = isShown && at.left > innerWidth / 2 ? at.left - width - 14 : (at?.right ?? 0) + 14;
		const isWide = isShown && at.width > 0.6 * innerWidth;
		const x = !isShown || isWide ? (innerWidth - width) / 2 : beside;
		const y = !isShown ? (innerHeight - height) / 2 : isWide ? (at.top > innerHeight / 2 ? at.top - height - 14 : at.bottom + 14) : at.top + 14;
		this.node.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, x))}px`;
		this.node.style.top = `${Math.max(8, Math.min(innerHeight - height - 8, y))}px`;
	}

	end() {
		this.node.hidden = true;
		this.at = -1;
		document.querySelector('.tour-place')?.classList.remove('tour-place');
		localStorage.setItem('supple.tour', 'seen');
	}

	get isSeen() {
		return localStorage.getItem('supple.tour') === 'seen';
	}
}
