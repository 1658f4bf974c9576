// SPDX-License-Identifier: MIT
// Keys. What is typed into a field stays there.
import { tools } from './tools.js';

/** Keys and what they do. */
export const keys = [
	['Space', 'Play, pause'],
	['← →', 'One step back, forward'],
	['Home', 'To the start'],
	['L', 'Loop'],
	['S', 'Slow motion'],
	['1 … 8', 'Method'],
	['Ctrl+Z', 'Undo'],
	['Ctrl+Shift+Z', 'Redo'],
	['R', 'Put at rest'],
	...tools.map(({ key, label }) => [key, label]),
	['[ ]', 'Brush smaller, larger'],
	['Shift, Ctrl', 'Brush smooths, erases'],
	['K', 'Skeleton'],
	['W', 'Wire of the simulation mesh'],
	['X', 'Layers, cut open'],
	['H', 'Heat of softness'],
	['C', 'Contacts'],
	['Shift + arrows', 'Turn the view'],
	['+ -', 'Zoom'],
	['V', 'Split view'],
	['F', 'Floor'],
	['.', 'Whole character into view'],
	['Tab', 'Next control'],
	['Enter', 'Tool in the middle of the view, while the view is chosen'],
	['\\', 'Panels'],
	['Ctrl+O', 'Open a file'],
	['Ctrl+S', 'Save the project'],
	['?', 'Help'],
];

/** @param {Record<string, (event: KeyboardEvent) => void>} actions by key, "ctrl+z" with modifiers */
export function listen(actions) {
	window.addEventListener('keydown', (event) => {
		const { target } = event;
		const isField =
			target.matches?.('input[type=text], select, textarea') || document.querySelector('dialog[open]');
		const name = [
			event.ctrlKey || event.metaKey ? 'ctrl+' : '',
			event.shiftKey && /^([a-z]|Arrow.*)$/i.test(event.key) ? 'shift+' : '',
			event.key.toLowerCase(),
		].join('');
		const isArrowOfSlider =
			target.matches?.('input[type=range]') &&
			event.key.startsWith('Arrow') &&
			!target.classList.contains('scrubber');
		const isPress = event.key === ' ' && target.matches?.('button, summary, input[type=checkbox]');
		const action = actions[name];
		if (!action || (isField && !name.startsWith('ctrl+')) || isArrowOfSlider || isPress || event.altKey) {
			return;
		}
		event.preventDefault();
		action(event);
	});
}
