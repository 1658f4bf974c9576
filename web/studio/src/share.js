// SPDX-License-Identifier: MIT
// A link that holds settings: ?model=bunny&settings=… Numbers only; a character that was dropped does not fit into one.
import { toSettings } from './design.js';

const mostLength = 8000;

/** Text of any script to letters that an address takes as they are. */
function encode(text) {
	const bytes = new TextEncoder().encode(text);
	return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function decode(text) {
	const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
	return new TextDecoder().decode(bytes);
}

export function readLink(text) {
	try {
		return JSON.parse(decode(text));
	} catch {
		throw new Error('This link is damaged: its settings cannot be read. Ask for it again.');
	}
}

/** The address of the page with what is set up on it. Throws where it does not fit. */
export function makeLink({ character, design }) {
	const address = new URL(location.pathname, location.href);
	if (character.source.scene) {
		address.searchParams.set('scene', character.source.scene);
		return address.href;
	}
	if (character.source.builtin) {
		address.searchParams.set('model', character.source.builtin);
	}
	address.searchParams.set('settings', encode(JSON.stringify(toSettings(design))));
	if (address.href.length > mostLength) {
		throw new Error('What was painted does not fit into a link: save the project instead.');
	}
	return address.href;
}
