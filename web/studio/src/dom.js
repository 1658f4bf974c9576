// SPDX-License-Identifier: MIT
// Elements and controls. Every control has a name that a screen reader says, and a tip where there is more to know.
import { paths } from './icons.js';

/** An element with attributes (a function is a listener, true an empty attribute) and children. */
export function element(tag, attributes = {}, ...children) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (typeof value === 'function') {
			node.addEventListener(name, value);
		} else if (value !== undefined && value !== false && value !== null) {
			node.setAttribute(name, value === true ? '' : value);
		}
	}
	node.append(...children.filter((child) => child !== null && child !== undefined));
	return node;
}

/** "a-very-lo…ame.glb": both ends say more than the middle. */
export function middleCut(text, most) {
	const half = Math.floor((most - 1) / 2);
	return text.length <= most ? text : `${text.slice(0, half)}…${text.slice(text.length - half)}`;
}

export function icon(name) {
	const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
	svg.setAttribute('viewBox', '0 0 24 24');
	svg.setAttribute('aria-hidden', 'true');
	svg.classList.add('icon');
	svg.innerHTML = paths[name];
	return svg;
}

/** A button with a label, a symbol, or a symbol alone (kind 'only'), whose label is then its tip. */
export function button(label, { symbol, tip, press, kind = '', pressed, key } = {}) {
	const isOnly = kind.split(' ').includes('only');
	return element(
		'button',
		{
			type: 'button',
			class: `${isOnly ? 'icon-button' : 'button'} ${kind}`,
			'data-tip': tip ?? (isOnly ? label : undefined),
			'data-key': key,
			'aria-label': label,
			'aria-pressed': pressed === undefined ? undefined : String(pressed),
			click: press,
		},
		symbol ? icon(symbol) : null,
		isOnly ? null : label,
	);
}

/** A switch with a label: { node, set }. */
export function toggle(label, { tip, key, change }) {
	const input = element('input', { type: 'checkbox', role: 'switch', change: () => change(input.checked) });
	const node = element(
		'label',
		{ class: 'toggle', 'data-tip': tip, 'data-key': key },
		element('span', {}, label),
		input,
	);
	return { node, set: (value) => (input.checked = value) };
}

function makeOption(entry) {
	const [value, text] = Array.isArray(entry) ? entry : [entry, entry];
	return element('option', { value }, text);
}

/** A list to choose from: { node, set, fill }. Options are [value, text], a text that is both, or { group, options }. */
export function choice(label, { options = [], tip, change, bare = false }) {
	const select = element('select', { 'aria-label': label, change: () => change(select.value) });
	const fill = (entries) => {
		select.replaceChildren(
			...entries.map((entry) => {
				if (entry.group) {
					return element('optgroup', { label: entry.group }, ...entry.options.map(makeOption));
				}
				return makeOption(entry);
			}),
		);
	};
	fill(options);
	const node = bare
		? select
		: element('label', { class: 'choice', 'data-tip': tip }, element('span', {}, label), select);
	return { node, fill, set: (value) => (select.value = value) };
}

/** A row of buttons of which one is on: { node, set }. Options are [value, text, tip]. */
export function segments(label, { options, change }) {
	const buttons = new Map(
		options.map(([value, text, tip]) => [
			value,
			element('button', { type: 'button', role: 'radio', 'data-tip': tip, click: () => change(value) }, text),
		]),
	);
	const node = element('div', { class: 'segments', role: 'radiogroup', 'aria-label': label }, ...buttons.values());
	const set = (value) => {
		for (const [key, entry] of buttons) {
			entry.setAttribute('aria-checked', key === value);
			entry.tabIndex = key === value ? 0 : -1;
		}
	};
	node.addEventListener('keydown', (event) => {
		const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
		const all = [...buttons.values()];
		const at = all.indexOf(document.activeElement);
		if (step && at >= 0) {
			const next = all[(at + step + all.length) % all.length];
			next.focus();
			next.click();
			event.preventDefault();
			event.stopPropagation();
		}
	});
	return { node, set };
}

/** A part of a panel that opens and closes. */
export function section(title, { open = true, tip, kind = '' } = {}, ...children) {
	const body = element('div', { class: 'section-body' }, ...children);
	const node = element(
		'details',
		{ class: `section ${kind}`, open },
		element('summary', { 'data-tip': tip }, icon('chevron'), title),
		body,
	);
	return { node, body };
}
