// SPDX-License-Identifier: MIT
// The frame around the view: bar, rail of tools, panels that close and become drawers in a narrow window,
// theme.
import { button, element, icon, middleCut } from './dom.js';
import { tools } from './tools.js';

const narrow = matchMedia('(max-width: 860px)');
const byId = (id) => document.getElementById(id);

export class Layout {
	/** @param {{name: string, label: string, symbol: string, node: HTMLElement}[]} tabs of the right panel */
	constructor(parts, tabs) {
		Object.assign(this, parts);
		this.makeBar();
		this.makeRail();
		this.makeTabs(tabs);
		byId('left').append(
			element(
				'div',
				{ class: 'panel-head' },
				element('h2', {}, 'Stage'),
				button('Close', {
					symbol: 'close',
					kind: 'only small drawer-only',
					press: () => this.store.patch('panels', { left: false }),
				}),
			),
			this.leftNode,
		);
		this.store.watch(['panels'], ({ panels }) => this.showPanels(panels));
		this.store.watch(['theme'], ({ theme }) => this.showTheme(theme));
		['left', 'right'].forEach((side) => this.makeSwipe(side));
		narrow.addEventListener('change', () => this.fitPanels());
		this.fitPanels();
	}

	makeBar() {
		const { store, history } = this;
		const undo = button('Undo', { symbol: 'undo', kind: 'only', key: 'Ctrl+Z', press: () => history.undo() });
		const redo = button('Redo', { symbol: 'redo', kind: 'only', key: 'Ctrl+Shift+Z', press: () => history.redo() });
		byId('top-left').append(undo, redo);
		store.watch(['canUndo', 'canRedo'], ({ canUndo, canRedo }) => {
			undo.disabled = !canUndo;
			redo.disabled = !canRedo;
		});
		this.split = button('Split view', {
			symbol: 'split',
			kind: 'only',
			key: 'V',
			press: () => store.patch('compare', { on: !store.values.compare.on }),
		});
		store.watch(['compare'], ({ compare }) => this.split.setAttribute('aria-pressed', compare.on));
		this.theme = button('Light or dark', {
			symbol: 'sun',
			kind: 'only',
			press: () => store.set({ theme: store.values.theme === 'dark' ? 'light' : 'dark' }),
		});
		this.leftToggle = button('Stage panel', {
			symbol: 'left',
			kind: 'only',
			key: '\\',
			press: () => this.togglePanel('left'),
		});
		this.rightToggle = button('Flesh panel', {
			symbol: 'right',
			kind: 'only',
			key: '\\',
			press: () => this.togglePanel('right'),
		});
		const open = button('Open file', {
			symbol: 'open',
			kind: 'only drawer-only',
			press: () => this.chooseFile(),
		});
		const help = button('Help', {
			symbol: 'help',
			kind: 'only',
			key: '?',
			press: () => this.help.show(),
		});
		const whole = button('Whole character into view', {
			symbol: 'frame',
			kind: 'only wide-only',
			key: '.',
			press: () => this.viewport.frameCharacter(),
		});
		byId('top-right').append(open, whole, this.split, help, this.theme, this.leftToggle, this.rightToggle);
		this.makeTitle();
	}

	/** What is open, cut in the middle where it is long. */
	makeTitle() {
		const title = byId('title');
		this.store.watch(['character'], ({ character }) => {
			const label = character?.label ?? '';
			title.textContent = middleCut(label, 34);
			title.dataset.tip = label;
		});
	}

	makeRail() {
		const { store } = this;
		const buttons = new Map(
			tools.map(({ name, label, key, tip }) => [
				name,
				element(
					'button',
					{
						type: 'button',
						role: 'radio',
						class: 'tool',
						'aria-label': label,
						'data-tip': `${label}. ${tip}`,
						'data-key': key,
						click: () => this.chooseTool(name),
					},
					icon(name),
					element('span', {}, label),
				),
			]),
		);
		byId('rail').append(...buttons.values());
		store.watch(['tool'], ({ tool }) =>
			buttons.forEach((node, name) => node.setAttribute('aria-checked', name === tool)),
		);
	}

	/** On a narrow window a second tap on the tool in hand opens its options. */
	chooseTool(name) {
		if (narrow.matches && this.store.values.tool === name) {
			this.togglePanel('left');
		}
		this.store.set({ tool: name });
	}

	makeTabs(tabs) {
		const { store } = this;
		const heads = tabs.map(({ name, label, symbol }) =>
			element(
				'button',
				{
					type: 'button',
					role: 'tab',
					id: `tab-${name}`,
					'aria-controls': 'tab-body',
					click: () => store.set({ tab: name }),
				},
				icon(symbol),
				element('span', {}, label),
			),
		);
		const body = element('div', { id: 'tab-body', role: 'tabpanel', class: 'tab-body' });
		byId('right').append(
			element(
				'div',
				{ class: 'tabs', role: 'tablist', 'aria-label': 'Panels' },
				...heads,
				button('Close', {
					symbol: 'close',
					kind: 'only small drawer-only',
					press: () => store.patch('panels', { right: false }),
				}),
			),
			body,
		);
		store.watch(['tab'], ({ tab }) => {
			const index = tabs.findIndex(({ name }) => name === tab);
			heads.forEach((head, i) => {
				head.setAttribute('aria-selected', i === index);
				head.tabIndex = i === index ? 0 : -1;
			});
			body.setAttribute('aria-labelledby', `tab-${tab}`);
			body.replaceChildren(tabs[index].node);
		});
		heads[0].parentElement.addEventListener('keydown', (event) => {
			const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
			const at = heads.indexOf(document.activeElement);
			if (step && at >= 0) {
				const next = (at + step + heads.length) % heads.length;
				heads[next].focus();
				heads[next].click();
				event.stopPropagation();
			}
		});
	}

	/** Drawers of a narrow window. True where one was open. */
	closeDrawers() {
		const { left, right } = this.store.values.panels;
		const isOpen = narrow.matches && (left || right);
		if (isOpen) {
			this.store.set({ panels: { left: false, right: false } });
		}
		return isOpen;
	}

	/** A drawer goes down with a finger that pulls its head down. */
	makeSwipe(side) {
		let start = null;
		const head = byId(side);
		head.addEventListener('touchstart', ({ touches: [touch], target }) => {
			const body = target.closest('.panel-body, .tab-body');
			start = narrow.matches && !(body?.scrollTop > 0) && !target.closest('input, select') ? touch.clientY : null;
		}, { passive: true });
		head.addEventListener('touchend', ({ changedTouches: [touch] }) => {
			if (start !== null && touch.clientY - start > 60) {
				this.closeDrawers();
			}
			start = null;
		}, { passive: true });
	}

	/** Beside each other only one drawer is open in a narrow window. */
	togglePanel(side) {
		const { panels } = this.store.values;
		const other = side === 'left' ? 'right' : 'left';
		this.store.patch('panels', { [side]: !panels[side], ...(narrow.matches ? { [other]: false } : {}) });
	}

	toggleBoth() {
		const { left, right } = this.store.values.panels;
		const open = !(left || right);
		this.store.set({ panels: { left: open && !narrow.matches, right: open } });
	}

	fitPanels() {
		this.store.set({ panels: { left: !narrow.matches, right: !narrow.matches } });
	}

	showPanels(panels) {
		for (const side of ['left', 'right']) {
			document.body.classList.toggle(`no-${side}`, !panels[side]);
			byId(side).inert = !panels[side];
			this[`${side}Toggle`].setAttribute('aria-pressed', panels[side]);
		}
	}

	showTheme(theme) {
		document.documentElement.dataset.theme = theme;
		localStorage.setItem('supple.theme', theme);
		this.theme.replaceChildren(icon(theme === 'dark' ? 'sun' : 'moon'));
		this.viewport.setTheme();
	}
}
