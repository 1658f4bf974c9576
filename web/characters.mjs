// SPDX-License-Identifier: MIT
// node characters.mjs SUPPLE STUDIO FOLDER: drops every character of a folder onto the page, as a table: whether it moves and
// is soft, after how long, and what the page says where it is not. Folders with a .gltf are one character.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { extname, join, relative, resolve } from 'node:path';
import { launchBrowser, serveStudio, settle } from './browser.mjs';

const [supple, studio, folder] = process.argv.slice(2);
const kinds = ['.glb', '.gltf', '.vrm', '.fbx', '.dae', '.obj'];
const patience = 120000;

/** Each character as the files that are dropped together. */
function listCharacters(root) {
	const found = [];
	for (const name of readdirSync(root).sort()) {
		const path = join(root, name);
		if (statSync(path).isDirectory()) {
			const files = readdirSync(path).map((file) => join(path, file)).filter((file) => statSync(file).isFile());
			const gltf = files.find((file) => file.endsWith('.gltf'));
			found.push(...(gltf ? [[gltf, ...files.filter((file) => !file.endsWith('.gltf'))]] : listCharacters(path)));
		} else if (kinds.includes(extname(name).toLowerCase())) {
			found.push([path]);
		}
	}
	return found;
}

function fileList(paths) {
	return paths.map((path) => ({ name: path.split('/').at(-1), text: readFileSync(path).toString('base64') }));
}

/** Milliseconds until its first frame, until its flesh is on the screen; and whether it moves in the second after that. */
async function measure(tab, paths) {
	return tab.evaluate(
		async ({ list, most }) => {
			const { studio: page } = window;
			const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
			const files = list.map(({ name, text }) => ({ name, bytes: Uint8Array.from(atob(text), (c) => c.charCodeAt(0)) }));
			const { generation } = page.state.character;
			const begin = performance.now();
			const elapsed = () => performance.now() - begin;
			let seen = Infinity;
			await page.openFiles(files);
			const isOpen = page.state.character.generation !== generation;
			while (isOpen && !(page.isSettled && page.generation === page.state.character.generation) && elapsed() < most) {
				await wait(0.01);
				seen = page.generation === page.state.character.generation ? Math.min(seen, elapsed()) : seen;
			}
			const soft = elapsed();
			const errors = Array.from(document.querySelectorAll('.toast.error p'), ({ textContent }) => textContent);
			document.querySelectorAll('.toast .icon-button').forEach((close) => close.click());
			if (!isOpen) {
				return { errors };
			}
			const one = page.positions();
			await wait(1);
			const two = page.positions();
			let [most_, size] = [0, 0];
			for (let i = 0; i < one.length; ++i) {
				most_ = Math.max(most_, Math.abs(two[i] - one[i]));
			}
			const [low, high] = page.state.character.description.size;
			size = Math.max(...high.map((value, axis) => value - low[axis]));
			const { design, clips, clip } = page.state;
			return { errors, seen: Math.min(seen, soft), soft, moved: most_ / size, method: design.method, clip: clips[clip]?.name, vertices: one.length / 3, step: page.stepMilliseconds };
		},
		{ list: fileList(paths), most: patience },
	);
}

const server = await serveStudio(resolve(supple), resolve(studio));
const browser = await launchBrowser();
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
await context.addInitScript(() => localStorage.setItem('supple.tour', 'seen'));
const secret = process.argv[5] === '--static' ? '' : server.secret;
console.log(`load ${loadavg()[0].toFixed(1)} at the beginning`);
console.log('| character | vertices | method | motion | on the screen (s) | soft (s) | |');
console.log('|---|---|---|---|---|---|---|');
for (const paths of listCharacters(resolve(folder)).filter(([path]) => existsSync(path))) {
	// a page of its own: what is open has no share in it
	const tab = await context.newPage();
	await tab.goto(`${server.address}?model=tube${secret}`);
	await settle(tab, 1, patience);
	const name = relative(resolve(folder), paths[0]);
	const one = await measure(tab, paths).catch((error) => ({ errors: [error.message] }));
	const seconds = (value) => (Number.isFinite(value) ? (value / 1000).toFixed(1) : '–');
	const remark = [...one.errors, ...(one.moved < 1e-4 ? ['stands still'] : [])].join('; ');
	console.log(`| ${name} | ${one.vertices ?? '–'} | ${one.method ?? '–'} | ${one.clip ?? '–'} | ${seconds(one.seen)} | ${seconds(one.soft)} | ${remark} |`);
	await tab.close();
}
console.log(`load ${loadavg()[0].toFixed(1)} at the end`);
await browser.close();
server.close();
