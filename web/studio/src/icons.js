// SPDX-License-Identifier: MIT
// Line drawings on a field of 24 by 24.

const line = (d) => `<path d="${d}"/>`;

export const paths = {
	play: '<path class="solid" d="M8 5.5v13l10.5-6.5z"/>',
	pause: '<path class="solid" d="M7 5.5h3.4v13H7zM13.6 5.5H17v13h-3.4z"/>',
	stepForward: '<path class="solid" d="M7 6v12l8-6z"/>' + line('M17.5 6v12'),
	stepBack: '<path class="solid" d="M17 6v12l-8-6z"/>' + line('M6.5 6v12'),
	toStart: '<path class="solid" d="M18.5 6v12l-7-6zM11.5 6v12l-7-6z"/>',
	loop: line('M17 3.5l3 3-3 3M4 11.5v-1a4 4 0 0 1 4-4h12M7 20.5l-3-3 3-3M20 12.5v1a4 4 0 0 1-4 4H4'),
	undo: line('M8 5L4 9l4 4M4.5 9H14a5.5 5.5 0 0 1 0 11h-3'),
	redo: line('M16 5l4 4-4 4M19.5 9H10a5.5 5.5 0 0 0 0 11h3'),
	reset: line('M4.5 12a7.5 7.5 0 1 0 2.4-5.5M4.5 4.5v4.2h4.2'),
	close: line('M6.5 6.5l11 11M17.5 6.5l-11 11'),
	chevron: line('M9 6l6 6-6 6'),
	warning: line('M12 4L2.8 20h18.4zM12 10v4.5M12 17.2v.3'),
	info: '<circle cx="12" cy="12" r="8.5"/>' + line('M12 11v5.5M12 7.6v.3'),
	open: line('M3.5 18.5v-13h6l2 2.5h8.5v3M3.5 18.5l3-7.5h15l-3 7.5z'),
	left: '<rect x="3.5" y="5" width="17" height="14" rx="2"/>' + line('M9.5 5v14'),
	right: '<rect x="3.5" y="5" width="17" height="14" rx="2"/>' + line('M14.5 5v14'),
	sun:
		'<circle cx="12" cy="12" r="3.8"/>' +
		line('M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6l1.4 1.4M17 17l1.4 1.4M18.4 5.6L17 7M7 17l-1.4 1.4'),
	moon: line('M20 14.5A8.2 8.2 0 0 1 9.5 4 8.2 8.2 0 1 0 20 14.5z'),
	help: '<circle cx="12" cy="12" r="8.5"/>' + line('M9.6 9.6a2.4 2.4 0 1 1 3.4 2.2c-.7.3-1 .8-1 1.7M12 16.4v.3'),
	orbit: '<ellipse cx="12" cy="12" rx="9" ry="3.8"/><ellipse cx="12" cy="12" rx="3.8" ry="9"/>',
	pull: line(
		'M8 13V6.5a1.5 1.5 0 0 1 3 0V11M11 10.5V5a1.5 1.5 0 0 1 3 0v6M14 6.5a1.5 1.5 0 0 1 3 0V14a6 6 0 0 1-6 6c-2.6 0-4-1.2-5.3-3.3L3.7 13.3a1.5 1.5 0 0 1 2.5-1.6L8 14',
	),
	tie:
		'<circle cx="5" cy="17" r="2.3"/><circle cx="19" cy="7" r="2.3"/>' +
		line('M6.8 15.4c2-2 1.2-5.4 3.7-6.4 2.7-1 3.7 2 2.2 3.8-1.6 1.8-4.2.4-3.2-2 1.2-2.8 4.8-3.6 7.3-3.6'),
	poke: '<circle cx="9" cy="12" r="4"/>' + line('M17 3.5c0 3.5-3 5-3 8.5s3 5 3 8.5M1.5 12h1M20 8v8'),
	throw: '<circle cx="16.5" cy="8" r="4"/>' + line('M4 20l5.5-5.5M3.5 14l3.5-3.5M10 20.5l3.5-3.5'),
	paint: line('M14.5 4.5l5 5-8 8-5-5zM6.5 12.5c-2.5.5-3 3-3 7 4 0 6.5-.5 7.8-2.2'),
	rig:
		'<circle cx="6" cy="18" r="2.3"/><circle cx="12" cy="9" r="2.3"/><circle cx="18.5" cy="5" r="1.8"/><circle cx="18" cy="16" r="1.8"/>' +
		line('M7.3 16.1l3.4-5.2M13.9 7.8l3-1.8M13.7 10.6l3 4'),
	save: line('M12 4v11M7.5 10.5L12 15l4.5-4.5M4.5 19.5h15'),
	picture:
		'<rect x="3.5" y="5" width="17" height="14" rx="2"/>' +
		line('M4 16.5l5-5 4 4 2.5-2.5 5 5') +
		'<circle cx="15.5" cy="9.5" r="1.3"/>',
	film: '<rect x="3.5" y="6" width="12" height="12" rx="2"/>' + line('M15.5 10.5l5-3v9l-5-3'),
	frame: line(
		'M4 9V5.5A1.5 1.5 0 0 1 5.5 4H9M15 4h3.5A1.5 1.5 0 0 1 20 5.5V9M20 15v3.5a1.5 1.5 0 0 1-1.5 1.5H15M9 20H5.5A1.5 1.5 0 0 1 4 18.5V15',
	),
	split: '<rect x="3.5" y="5" width="17" height="14" rx="2"/>' + line('M12 5v14'),
	trash: line('M5 7h14M9.5 7V4.5h5V7M7 7l.8 12.5h8.4L17 7'),
	flesh:
		line('M4 6h9M17 6h3M4 12h3M11 12h9M4 18h7M15 18h5') +
		'<circle cx="15" cy="6" r="2"/><circle cx="9" cy="12" r="2"/><circle cx="13" cy="18" r="2"/>',
	inside:
		line('M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z') + '<circle cx="12" cy="12" r="3"/>',
	plot: line('M4 4v16h16M7.5 15l3.5-5 3 3 5-7'),
};
