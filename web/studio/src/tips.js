// SPDX-License-Identifier: MIT
// One tip for everything that has a data-tip: what it does, its key, and what else is to be known.
import { element } from './dom.js';

const delay = 450;

/** After the mouse has used a control the keys belong to the view again; who came by keyboard stays where they are. */
export function releaseFocus() {
	const release = () =>
		document.activeElement?.matches('button, summary, select, input[type=range], input[type=checkbox]') &&
		document.activeElement.blur();
	document.addEventListener('pointerup', (event) => !event.target.closest('select') && setTimeout(release));
	// who goes through a list by keys stays in it
	let isByPointer = false;
	document.addEventListener('pointerdown', () => (isByPointer = true), { capture: true });
	document.addEventListener('keydown', () => (isByPointer = false), { capture: true });
	document.addEventListener('change', (event) => isByPointer && event.target.matches('select') && event.target.blur());
}

export function startTips() {
	const tip = element('div', { class: 'tip', role: 'tooltip', id: 'tip', hidden: true });
	document.body.append(tip);
	let timer = 0;
	let owner = null;

	const hide = () => {
		clearTimeout(timer);
		owner?.removeAttribute('aria-describedby');
		owner = null;
		tip.hidden = true;
	};
	const show = (node) => {
		const { tip: text, key, note } = node.dataset;
		tip.replaceChildren(
			element('span', {}, text ?? node.getAttribute('aria-label') ?? ''),
			key ? element('kbd', {}, key) : '',
			note ? element('em', {}, note) : '',
		);
		tip.hidden = false;
		node.setAttribute('aria-describedby', 'tip');
		const at = node.getBoundingClientRect();
		const size = tip.getBoundingClientRect();
		const below = at.bottom + 8 + size.height < innerHeight;
		tip.style.left = `${Math.max(8, Math.min(innerWidth - size.width - 8, at.left + 0.5 * (at.width - size.width)))}px`;
		tip.style.top = `${below ? at.bottom + 6 : at.top - size.height - 6}px`;
	};
	const consider = (node) => {
		if (node === owner) {
			return;
		}
		hide();
		if (node) {
			owner = node;
			timer = setTimeout(() => node.isConnected && show(node), delay);
		}
	};
	const find = (event) => event.target.closest?.('[data-tip], [data-key]') ?? null;
	document.addEventListener('pointerover', (event) => event.pointerType === 'mouse' && consider(find(event)));
	document.addEventListener('focusin', (event) => event.target.matches(':focus-visible') && consider(find(event)));
	document.addEventListener('focusout', hide);
	document.addEventListener('pointerdown', hide);
	document.addEventListener('keydown', (event) => event.key === 'Escape' && hide());
}
