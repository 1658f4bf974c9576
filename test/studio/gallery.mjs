// SPDX-License-Identifier: MIT
// Scenes by their names, a tracker that moves what is shown, files that the program reads for the page, and what a first
// visit needs without a mouse. Shares the browser of studio.test.mjs.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cylinderObj } from './files.mjs';
import { startTracker } from './vmc.mjs';

/** `supple live --studio` with nothing to open but its page: address, port of the tracker, and an end to it. */
async function startLive(supple, folder, file, ...options) {
	const words = ['live', file, '--vmc', '0', '--studio', '--no-open', '--page', folder, ...options];
	const program = spawn(supple, words, { stdio: ['ignore', 'pipe', 'pipe'] });
	let notes = '';
	program.stderr.on('data', (data) => (notes += data));
	const address = await new Promise((resolve, reject) => {
		program.stdout.once('data', (data) => resolve(String(data).split('\n')[0]));
		program.once('exit', () => reject(new Error(`supple live ended: ${notes}`)));
	});
	const port = Number(notes.match(/port (\d+)/)[1]);
	const close = () =>
		new Promise((resolve) => {
			program.once('exit', resolve);
			program.kill('SIGINT');
		});
	return { address, port, close };
}

export function gallery(studio) {
	const { work, patience, settle, positions, farthest, extent, drop, bunny, freeze, look } = studio;
	const page = () => studio.page();
	const state = (read) => page().evaluate(read);
	const label = (name, tab = page()) =>
		tab.waitForFunction((text) => window.studio.state.character?.label === text, name, { timeout: patience });

	test('a scene opens by its name, plays and can be pulled', async () => {
		const tab = await studio.open(page().context(), `${studio.base()}?scene=hug`);
		await label('Two bunnies hug', tab);
		const scene = await tab.evaluate(() => {
			const { scene, clips, character } = window.studio.state;
			return { actors: scene.parts.filter(({ method }) => method).map(({ name, method }) => [name, method]), clips, size: character.description.size };
		});
		assert.deepEqual(scene.actors, [['left', 'position'], ['right', 'lattice']]);
		assert.equal(scene.clips[0].end, 2);
		// one behind the other along z, and they come nearer
		const one = await positions(tab);
		await tab.waitForFunction(() => Number(document.querySelector('.scrubber').value) > 0.9, null, { timeout: patience });
		const two = await positions(tab);
		const depth = (list) => list.filter((_, i) => i % 3 === 2).reduce(([a, b], z) => [Math.min(a, z), Math.max(b, z)], [9, -9]);
		const [near, far] = [depth(one), depth(two)].map(([a, b]) => b - a);
		assert.ok(near - far > 0.1, `${near} m deep, then ${far}`);
		assert.ok(extent(two) > 1.5 && extent(two) < 2.5);
		// held still, it is pulled out of shape
		await tab.evaluate(() => window.studio.set({ playing: false, tool: 'pull' }));
		await settle(tab, 0);
		const before = await positions(tab);
		await tab.locator('#canvas').focus();
		await tab.keyboard.down('Enter');
		await tab.waitForFunction(
			(list) => window.studio.positions().some((value, i) => Math.abs(value - list[i]) > 0.02),
			Array.from(before),
			{ timeout: patience, polling: 100 },
		);
		await tab.keyboard.up('Enter');
		if (studio.screenshots) {
			await tab.screenshot({ path: join(studio.screenshots, 'scene-hug.png') });
		}
		// another one out of the list, and back to a character
		await tab.getByLabel('Character or scene').selectOption('scene:tail');
		await tab.waitForFunction(() => window.studio.state.character.source.scene === 'tail', null, { timeout: patience });
		await tab.getByLabel('Character or scene').selectOption('tube');
		await label('tube', tab);
		assert.equal(await tab.evaluate(() => window.studio.state.scene), null);
		await settle(tab);
		await tab.close();
	});

	test('a scene that is not there is told with those that are; one that is dropped plays', async () => {
		const tab = await studio.open(page().context(), `${studio.base()}?scene=unicorn`);
		const alert = tab.locator('.toast.error', { hasText: 'unicorn' });
		await alert.waitFor({ timeout: patience });
		assert.match(await alert.innerText(), /hug/);
		await tab.close();
		const scene = {
			supple_scene: 1,
			name: 'A tube alone',
			duration: 1,
			actors: [{ name: 'tube', file: 'builtin:tube', method: 'dqs' }],
		};
		writeFileSync(join(work, 'own.json'), JSON.stringify(scene));
		await drop(join(work, 'own.json'));
		await label('A tube alone');
		await settle();
		// settings for a character mean nothing here
		await page().getByRole('tab', { name: 'Save' }).click();
		assert.equal(await page().getByRole('button', { name: 'Project (GLB)' }).isVisible(), false);
		await page().getByRole('tab', { name: 'Flesh' }).click();
		writeFileSync(join(work, 'own.json'), JSON.stringify({ ...scene, duration: -1 }));
		await drop(join(work, 'own.json'));
		await page().locator('.toast.error', { hasText: 'duration' }).waitFor({ timeout: patience });
		await bunny();
	});

	test('a tracker moves the character: status, calibrate, record', async () => {
		const live = await startLive(studio.supple, studio.folder, 'builtin:bunny', '--method', 'dqs');
		const tab = await studio.open(page().context(), live.address);
		const bar = tab.getByRole('group', { name: 'Tracker' });
		await bar.getByText(`port ${live.port}`).waitFor({ timeout: patience });
		assert.equal(await bar.getByRole('button', { name: 'Calibrate' }).isDisabled(), true);
		const still = await positions(tab);
		await settle(tab, 0);
		assert.equal(farthest(still, await positions(tab)), 0, 'it moves without a tracker');
		const tracker = startTracker(live.port, { place: [0.6, 0, 0.4], turn: 1 });
		await bar.getByText(/Live · \d+ poses a second/).waitFor({ timeout: patience });
		const middle = async () => {
			const list = await positions(tab);
			return [0, 2].map((axis) => (3 * list.filter((_, i) => i % 3 === axis).reduce((sum, value) => sum + value, 0)) / list.length);
		};
		await tab.waitForFunction(
			(list) => window.studio.positions().some((value, i) => Math.abs(value - list[i]) > 0.2),
			Array.from(still),
			{ timeout: patience, polling: 100 },
		);
		const away = Math.hypot(...(await middle()));
		assert.ok(away > 0.3, `${away} m away from the middle`);
		await bar.getByRole('button', { name: 'Calibrate' }).click();
		await tab.locator('.toast', { hasText: 'Calibrated' }).waitFor({ timeout: patience });
		await tab.waitForFunction(
			() => {
				const list = window.studio.positions();
				const mean = (axis) => (3 * list.reduce((sum, value, i) => sum + (i % 3 === axis ? value : 0), 0)) / list.length;
				return Math.hypot(mean(0), mean(2)) < 0.15;
			},
			null,
			{ timeout: patience, polling: 100 },
		);
		await bar.getByRole('button', { name: 'Record' }).click();
		await bar.getByText(/recording [1-9]/).waitFor({ timeout: patience });
		await bar.getByRole('button', { name: 'Stop recording' }).click();
		await tab.locator('.toast', { hasText: 'kept as a clip' }).waitFor({ timeout: patience });
		const take = await tab.evaluate(() => window.studio.state.clips[window.studio.state.clip]);
		assert.equal(take.name, 'Take 1');
		assert.ok(take.end > 0.8, `${take.end} s`);
		// it plays, and the workshop has it too
		const one = await positions(tab);
		await tab.waitForFunction(
			(list) => window.studio.positions().some((value, i) => Math.abs(value - list[i]) > 0.02),
			Array.from(one),
			{ timeout: patience, polling: 100 },
		);
		const bytes = await tab.evaluate(async () => {
			const [file] = await window.studio.bake({ format: 'pc2', rate: 12, loop: false });
			return file.byteLength;
		});
		assert.ok(bytes > 32 + 12 * 9000 * 8, `${bytes} bytes`);
		if (studio.screenshots) {
			await tab.screenshot({ path: join(studio.screenshots, 'live.png') });
		}
		await bar.getByRole('button', { name: 'Show live' }).click();
		tracker.stop();
		await bar.getByText('stopped sending').waitFor({ timeout: patience });
		await live.close();
		await bar.getByText('supple live has ended').waitFor({ timeout: patience });
		await tab.close();
		// the browser says so too, and is not asked to be silent about it
		studio.forgive(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
	});

	test('the program reads what the page cannot, and nobody else may ask it to', async () => {
		const tab = await studio.open(page().context(), `${studio.base()}?model=tube${studio.secret()}`);
		const requests = [];
		tab.on('requestfinished', (request) => request.method() === 'POST' && requests.push(request.url()));
		const path = join(work, 'column.obj');
		writeFileSync(path, cylinderObj({ radius: 0.15, height: 1.2 }));
		const { meshes } = JSON.parse(execFileSync(studio.supple, ['info', path, '--json'], { encoding: 'utf8' }));
		await tab.evaluate(
			(text) => window.studio.openFiles([{ name: 'column.obj', bytes: new TextEncoder().encode(text) }]),
			readFileSync(path, 'utf8'),
		);
		await label('column.obj', tab);
		assert.match(requests.join(), /\/home\/[0-9a-f]{32}\/convert$/);
		const vertices = await tab.evaluate(() => window.studio.state.character.description.meshes.map(({ vertexCount }) => vertexCount));
		assert.deepEqual(vertices, meshes.map((mesh) => mesh.vertices));
		// without the name that only the page is told, and from a page of somebody else
		const ask = (name, headers = {}) => fetch(`${studio.base()}${name}`, { method: 'POST', body: 'x', headers }).then(({ status }) => status);
		const [token] = studio.secret().match(/[0-9a-f]{32}/);
		assert.equal(await ask('home/00000000000000000000000000000000/convert'), 405);
		assert.equal(await ask(`home/${token}/convert`, { Origin: 'https://evil.example' }), 403);
		assert.equal(await ask(`home/${token}/convert`), 400);
		assert.equal(await ask(`home/${token}/calibrate`), 404);
		await tab.close();
	});

	test('a long job says how far it is and how long it takes yet, and is stopped', async () => {
		await bunny();
		const before = await state(() => window.studio.settings);
		// so much to do that it is seen at it
		await state(() => window.studio.edit({ method: 'points', parameters: { points: { tets: 300000 } } }));
		const row = page().locator('.work', { hasText: 'Making it soft' });
		await row.getByText(/\d+ % · \d+ s left/).waitFor({ timeout: patience });
		assert.match(await row.getByRole('progressbar').getAttribute('aria-valuenow'), /^\d+$/);
		await look('building');
		// all of it is within the view, at every width
		for (const width of [900, 390]) {
			await page().setViewportSize({ width, height: 700 });
			const view = await page().locator('#view').boundingBox();
			const box = await row.getByRole('button', { name: /^Stop/ }).boundingBox();
			assert.ok(box.x >= view.x && box.x + box.width <= view.x + view.width, `${width}: the way to stop it is out of sight`);
		}
		await page().setViewportSize({ width: 900, height: 600 });
		await row.getByRole('button', { name: 'Stop: Making it soft' }).click();
		await page().locator('.toast', { hasText: 'back to the flesh from before' }).waitFor({ timeout: patience });
		await settle();
		assert.deepEqual(await state(() => window.studio.settings), before);
		// a bake counts frames
		await state(() => window.studio.set({ tab: 'save' }));
		await page().getByLabel('Frames a second').selectOption('60');
		await page().getByRole('switch', { name: 'All clips' }).check();
		await page().getByRole('button', { name: /^Animation \(GLB\)/ }).click();
		const baking = page().locator('.work', { hasText: 'Baking' });
		await baking.getByText(/\d+ %/).waitFor({ timeout: patience });
		await baking.getByRole('button', { name: /^Stop/ }).click();
		await baking.waitFor({ state: 'detached', timeout: patience });
		await page().getByLabel('Frames a second').selectOption('30');
		await page().getByRole('switch', { name: 'All clips' }).uncheck();
		// a film is stopped, and is as long as it got
		await page().getByLabel('Length').selectOption('16');
		const film = page().waitForEvent('download', { timeout: patience });
		await page().getByRole('button', { name: 'Film (WebM)' }).click();
		const recording = page().locator('.work', { hasText: 'Recording' });
		await recording.getByText(/\d+ % · \d+ s left/).waitFor({ timeout: patience });
		await recording.getByRole('button', { name: /^Stop/ }).click();
		assert.match((await film).suggestedFilename(), /webm$/);
		await state(() => window.studio.set({ tab: 'flesh' }));
		await settle();
	});

	test('what goes wrong is said beside the character, at every size of window', async () => {
		await bunny('dqs');
		await freeze();
		for (const [width, height] of [[1600, 900], [1280, 800], [900, 600], [390, 780]]) {
			await page().setViewportSize({ width, height });
			await settle(page(), 0);
			await page().keyboard.press('.');
			writeFileSync(join(work, 'broken.glb'), 'glTF and then nothing that makes sense');
			await drop(join(work, 'broken.glb'));
			const alert = page().locator('.toast.error').last();
			await alert.waitFor({ timeout: patience });
			await page().waitForTimeout(300);
			const toast = await alert.boundingBox();
			const covered = await page().evaluate(({ x, y, width: w, height: h }) => {
				const count = window.studio.positions().length / 3;
				const places = Array.from({ length: Math.floor(count / 7) }, (_, i) => window.studio.locate(7 * i));
				return places.filter(([a, b]) => a > x && a < x + w && b > y && b < y + h).length;
			}, toast);
			assert.equal(covered, 0, `${width} x ${height}: ${covered} vertices are behind the message`);
			await look(`error-${width}`);
			await alert.getByRole('button', { name: 'Close message' }).click();
		}
		await page().setViewportSize({ width: 900, height: 600 });
		await settle(page(), 0);
	});

	test('a heat map is there at once, also in a pause', async () => {
		await bunny();
		await freeze(0.4);
		for (const heat of ['softness', 'displacement', 'stretch', 'weights']) {
			const waited = await page().evaluate(async (kind) => {
				const heats = () => window.studio.heat();
				const before = heats().join();
				const begin = performance.now();
				window.studio.set({ see: { ...window.studio.state.see, heat: kind, joint: 3 } });
				while (heats().join() === before && performance.now() - begin < 10000) {
					await new Promise(requestAnimationFrame);
				}
				return performance.now() - begin;
			}, heat);
			// ten pictures of a machine that draws on the processor; it was a second step or never
			assert.ok(waited < 2000, `${heat}: ${Math.round(waited)} ms`);
		}
		await state(() => window.studio.set({ see: { ...window.studio.state.see, heat: 'off' }, playing: true }));
	});

	test('every kind of file that is read is named, where one is chosen and where one is dropped', async () => {
		const chooser = page().waitForEvent('filechooser', { timeout: patience });
		await page().keyboard.press('Control+o');
		const accept = await (await chooser).element().getAttribute('accept');
		const dropped = await page().locator('#drop').textContent();
		for (const kind of ['glb', 'vrm', 'gltf', 'fbx', 'bvh', 'json']) {
			assert.ok(accept.includes(`.${kind}`), `${kind} cannot be chosen`);
			assert.match(dropped.toLowerCase(), new RegExp(kind), `${kind} is not named`);
		}
	});

	test('all of it without a mouse', async () => {
		const context = await page().context().browser().newContext({ viewport: { width: 1280, height: 800 } });
		const tab = await studio.open(context, studio.base());
		const keys = tab.keyboard;
		const focused = () => tab.evaluate(() => {
			const one = document.activeElement;
			return one?.getAttribute('aria-label') ?? one?.textContent.trim() ?? '';
		});
		// the tour is left, then on to a control by its name: each one shows that it has the focus
		await keys.press('Escape');
		const reach = async (name, kind = '*') => {
			for (let i = 0; i < 120; ++i) {
				await keys.press('Tab');
				if (name.test(await focused()) && (await tab.evaluate((one) => document.activeElement.matches(one), kind))) {
					const ring = await tab.evaluate(() => {
						const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(document.activeElement);
						return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
					});
					assert.ok(ring, `${name}: nothing shows the focus`);
					return;
				}
			}
			assert.fail(`${name} is not reached`);
		};
		await reach(/^Character or scene$/);
		await keys.type('Torso');
		await tab.waitForFunction(() => window.studio.state.character.label === 'torso', null, { timeout: patience });
		await settle(tab);
		await reach(/^Softness$/, 'input[type=range]');
		const softness = () => tab.evaluate(() => window.studio.settings.parameters?.softness ?? 0.5);
		const before = await softness();
		for (let i = 0; i < 5; ++i) {
			await keys.press('ArrowRight');
		}
		assert.ok((await softness()) > before, 'the slider does not move');
		await settle(tab);
		await keys.press('Control+z');
		// a tool, and the tool at work
		await keys.press('g');
		await tab.evaluate(() => window.studio.set({ playing: false }));
		await settle(tab, 0);
		const rest = await positions(tab);
		await reach(/^The character/);
		await keys.down('Enter');
		await tab.waitForFunction(
			(list) => window.studio.positions().some((value, i) => Math.abs(value - list[i]) > 0.01),
			Array.from(rest),
			{ timeout: patience, polling: 100 },
		);
		await keys.up('Enter');
		// motion, help, and a project to take along
		await keys.press('Space');
		assert.equal(await tab.evaluate(() => window.studio.state.playing), true);
		await keys.press('?');
		const help = tab.getByRole('dialog', { name: 'Help' });
		await help.waitFor({ timeout: patience });
		const methods = await tab.evaluate(() => window.studio.state.library.methods.length);
		assert.match(await help.innerText(), new RegExp(`1\\s*…\\s*${methods}`));
		await keys.press('Escape');
		const saved = tab.waitForEvent('download', { timeout: patience });
		await keys.press('Control+s');
		assert.match((await saved).suggestedFilename(), /^torso.*-project\.glb$/);
		await context.close();
	});
}
