// SPDX-License-Identifier: MIT
// A slider with a number beside it. The standard value of a parameter lies in the middle of its way, so that ranges over
// many powers of ten can be set by hand; the number takes the whole range.
import { element, icon } from './dom.js';

const ticks = 1000;

/** Exponent that puts the standard value into the middle: value = minimum + range * way ^ exponent. */
function findExponent({ minimum, maximum, standard }) {
	const share = (standard - minimum) / (maximum - minimum);
	if (!(share > 0 && share < 1)) {
		return share === 0 && maximum > 2 ? 2 : 1;
	}
	return Math.min(12, Math.max(0.5, Math.log(share) / Math.log(0.5)));
}

function formatNumber(value, isCount) {
	if (isCount) {
		return String(Math.round(value));
	}
	const size = Math.abs(value);
	const isPlain = size === 0 || (size < 1e6 && size >= 1e-3);
	return isPlain ? String(Number(value.toPrecision(3))) : value.toExponential(1).replace('.0', '').replace('e+', 'e');
}

/**
 * @param {{name: string, label?: string, unit?: string, summary?: string, minimum: number, maximum: number, standard: number,
 *  live?: boolean}} parameter
 * @param {(value: number) => void} change
 * @returns {{node: HTMLElement, set: (value: number) => void}}
 */
export function slider(parameter, change) {
	const { name, label = name, unit = '', summary = '', minimum, maximum, standard, live = true } = parameter;
	const isCount = unit === 'count';
	const exponent = isCount && maximum - minimum <= 20 ? 1 : findExponent(parameter);
	const toValue = (way) => {
		const value = minimum + (maximum - minimum) * (way / ticks) ** exponent;
		return isCount ? Math.round(value) : Number(value.toPrecision(4));
	};
	const toWay = (value) =>
		Math.round(ticks * Math.min(1, Math.max(0, (value - minimum) / (maximum - minimum))) ** (1 / exponent));
	const shownUnit = isCount ? '' : unit;
	const range = element('input', {
		type: 'range',
		min: 0,
		max: ticks,
		step: 1,
		'aria-label': `${label}${shownUnit ? ` in ${shownUnit}` : ''}`,
	});
	const number = element('input', {
		type: 'text',
		inputmode: 'decimal',
		class: 'number',
		'aria-label': `${label}, number`,
	});
	const again = element(
		'button',
		{
			type: 'button',
			class: 'icon-button small',
			'aria-label': `Reset ${label}`,
			'data-tip': `Back to ${formatNumber(standard, isCount)}`,
		},
		icon('reset'),
	);
	const node = element(
		'div',
		{ class: 'slider', 'data-tip': summary || undefined, 'data-note': live ? undefined : 'Flesh is built anew' },
		element('span', { class: 'slider-label' }, label),
		again,
		number,
		element('span', { class: 'unit' }, shownUnit),
		range,
	);
	let shown = standard;
	const set = (value) => {
		shown = value;
		const way = Math.abs(value - standard) <= 1e-9 * Math.abs(standard) ? toWay(standard) : toWay(value);
		range.value = way;
		range.style.setProperty('--way', way / ticks);
		range.setAttribute('aria-valuetext', `${formatNumber(value, isCount)} ${shownUnit}`);
		if (document.activeElement !== number) {
			number.value = formatNumber(value, isCount);
		}
		node.classList.toggle('changed', value !== standard);
	};
	const give = (value) => {
		set(value);
		change(value);
	};
	range.addEventListener('input', () => {
		const value = toValue(Number(range.value));
		give(Number(range.value) === toWay(standard) ? standard : value);
	});
	range.addEventListener('dblclick', () => give(standard));
	again.addEventListener('click', () => give(standard));
	number.addEventListener('focus', () => number.select());
	number.addEventListener('change', () => {
		const value = Number(number.value.replace(',', '.'));
		give(
			Number.isFinite(value) ? Math.min(maximum, Math.max(minimum, isCount ? Math.round(value) : value)) : shown,
		);
		number.value = formatNumber(shown, isCount);
	});
	number.addEventListener('blur', () => (number.value = formatNumber(shown, isCount)));
	set(standard);
	return { node, set };
}
