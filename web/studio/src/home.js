// SPDX-License-Identifier: MIT
// The program that serves the page (`supple studio`, `supple live --studio`), where it is one: reached under a name that
// stands behind the "#" of the address. A static host has none.
const words = new URLSearchParams(globalThis.location?.hash.slice(1) ?? '');
const token = words.get('home');

/** Does a tracker move what is shown? */
export const isLive = token !== null && words.has('live');

/** The address of something that the program answers; null on a static host. */
export function homeAddress(name) {
	return token === null ? null : new URL(`home/${encodeURIComponent(token)}/${name}`, document.baseURI).href;
}

/** Length and text of a name, length and bytes of the file: as studio_convert.c takes them. */
function pack(files) {
	const parts = [];
	const add = (bytes) => parts.push(Uint32Array.of(bytes.length), bytes);
	for (const { name, bytes } of files) {
		add(new TextEncoder().encode(name.split('/').pop()));
		add(bytes);
	}
	return new Blob(parts);
}

/**
 * A file as GLB, read by the program's own importers; the first of the list, with those beside it. null where there is no
 * program or it cannot read it either.
 */
export async function convertAtHome(files) {
	const address = homeAddress('convert');
	if (!address) {
		return null;
	}
	try {
		const response = await fetch(address, { method: 'POST', body: pack(files) });
		return response.ok ? new Uint8Array(await response.arrayBuffer()) : null;
	} catch (error) {
		console.debug('the program is gone', error);
		return null;
	}
}
