// SPDX-License-Identifier: MIT
// The studio as somebody meets it who has never heard of a tetrahedron. Shares the browser of studio.test.mjs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cylinderObj, withoutClips } from './files.mjs';

export function newcomer(studio) {
	const { work, patience, settle, positions, farthest, extent, drop, bunny, belly, freeze, goesBack, save, look } = studio;
	const page = () => studio.page();
	const state = (read) => page().evaluate(read);
	const label = (name) =>
		page().waitForFunction((text) => window.studio.state.character.label === text, name, { timeout: patience });
	const waitFor = (condition, argument) =>
		page().waitForFunction(condition, argument, { timeout: patience, polling: 100 });

	/** The tube with a skeleton and no clip, and a mesh without either: small, so that flesh is there at once. */
	const plainTube = () => {
		const path = join(work, 'stiff.glb');
		writeFileSync(path, withoutClips(readFileSync(join(studio.folder, 'data/tube.glb'))));
		return path;
	};
	const pillar = () => {
		const path = join(work, 'post.obj');
		writeFileSync(path, cylinderObj({ radius: 0.15, height: 1.2 }));
		return path;
	};

	test('a mesh without a skeleton is soft and moves, and the next character is as soft as before', async () => {
		await bunny();
		await drop(pillar());
		await label('post.obj');
		await settle();
		assert.equal(await state(() => window.studio.state.design.method), 'points');
		assert.equal(await state(() => window.studio.state.clips[window.studio.state.clip].name), 'shake');
		const one = await positions();
		await settle(page(), 4);
		assert.ok(farthest(one, await positions()) > 1e-3, 'it stands still');
		await drop(plainTube());
		await label('stiff.glb');
		await settle();
		assert.equal(await state(() => window.studio.state.design.method), 'position');
	});

	test('a character without a clip is given a motion, and others can be chosen', async () => {
		assert.equal(await state(() => window.studio.state.clips[window.studio.state.clip].name), 'shake');
		await page().getByLabel('Clip', { exact: true }).selectOption({ label: 'Hop' });
		await waitFor(() => window.studio.state.clips[window.studio.state.clip].name === 'hop');
		await settle();
		const one = await positions();
		await settle(page(), 6);
		assert.ok(farthest(one, await positions()) > 1e-3, 'it stands still');
		const options = await page().getByLabel('Clip', { exact: true }).innerText();
		assert.match(options, /BVH/);
		assert.doesNotMatch(options, /Dance/, 'a tube cannot dance');
	});

	test('softness comes first; methods and numbers are folded away', async () => {
		await state(() => window.studio.set({ tab: 'flesh' }));
		const titles = await page().locator('#tab-body > .panel-body > .section > summary').allInnerTexts();
		assert.deepEqual(
			titles.map((text) => text.trim().toLowerCase()),
			['softness', 'where it is soft', 'touch', 'advanced'],
		);
		const [first] = await page().locator('#tab-body .slider-label').allInnerTexts();
		assert.equal(first, 'Softness');
		const method = page().getByRole('radio', { name: /^Flesh position/ });
		assert.equal(await method.isVisible(), false);
		await page().locator('.advanced > summary').click();
		assert.equal(await method.getAttribute('aria-checked'), 'true');
		await page().locator('.advanced > summary').click();
		await page().getByRole('button', { name: 'Jelly' }).click();
		await waitFor(() => window.studio.settings.parameters?.softness > 0.5);
		await page().keyboard.press('Control+z');
		await settle();
	});

	test('a file in centimetres can be said to be one', async () => {
		const tall = async () => extent(await freeze(0));
		await state(() => window.studio.edit({ method: 'dqs' }));
		const before = await tall();
		await page().getByLabel('Unit of the file').selectOption('0.01');
		await waitFor(() => window.studio.state.character.source.unit === 0.01);
		await settle();
		assert.equal(await state(() => window.studio.state.design.method), 'dqs');
		assert.ok(Math.abs((await tall()) / before - 0.01) < 1e-3);
		assert.match(await page().locator('.size-line').innerText(), /is that right\?/);
		await page().getByLabel('Unit of the file').selectOption('1');
		await waitFor(() => window.studio.state.character.source.unit === 1);
		await settle();
	});

	test('a project holds character, settings and motion, for the page and the command line', async () => {
		await state(() => window.studio.edit({ method: 'position', parameters: { position: { tets: 500, softness: 0.8 } } }));
		await settle();
		await state(() => window.studio.set({ tab: 'save' }));
		const { name, bytes } = await save('Project (GLB)');
		assert.equal(name, 'stiff-project.glb');
		const path = join(work, name);
		writeFileSync(path, bytes);
		const wanted = await state(() => window.studio.settings);
		const text = execFileSync(studio.supple, ['bake', path, '--fps', '10', '-o', join(work, 'soft.glb'), '--json'], {
			encoding: 'utf8',
		});
		const report = JSON.parse(text);
		assert.equal(report.method, 'position');
		assert.ok(report.frames > 5, 'the motion of the project was not baked');
		await state(() => window.studio.openBuiltin('bunny'));
		await label('bunny');
		await drop(path);
		await label('stiff.glb');
		await settle();
		assert.deepEqual(await state(() => window.studio.settings), wanted);
		await state(() => window.studio.set({ tab: 'flesh' }));
	});

	test('work is there again after the page was closed', async () => {
		await waitFor(() => window.studio.isKept());
		const tab = await studio.open(page().context(), studio.base());
		assert.equal(await tab.evaluate(() => window.studio.state.character.label), 'stiff.glb');
		assert.deepEqual(await tab.evaluate(() => window.studio.settings.parameters), { tets: 500, softness: 0.8 });
		await tab.close();
		// an edit that is not kept yet is warned about
		const isWarned = await state(() => {
			window.studio.edit({ parameters: { position: { tets: 500 } } });
			const event = new Event('beforeunload', { cancelable: true });
			window.dispatchEvent(event);
			return event.defaultPrevented;
		});
		assert.equal(isWarned, true);
		await waitFor(() => window.studio.isKept());
	});

	test('flesh that is pulled too far slips out of the hand', async () => {
		await bunny();
		const rest = await freeze();
		await page().keyboard.press('g');
		const { x, y } = await belly(rest);
		await page().mouse.move(x, y);
		await page().mouse.down();
		await page().mouse.move(x + 330, y - 200, { steps: 4 });
		await page().locator('.toast', { hasText: 'slipped' }).waitFor({ timeout: patience });
		await look('slipped');
		// the button is still held
		await goesBack(rest, 0.05);
		await page().mouse.up();
		await page().keyboard.press('o');
	});

	test('scrubbing shows flesh as it was played', async () => {
		const resting = await freeze(0.5);
		await state(() => window.studio.set({ playing: true }));
		// once around
		await waitFor(() => {
			window.latest = Math.max(window.latest ?? 0, Number(document.querySelector('.scrubber').value));
			return window.latest > 0.95 && Number(document.querySelector('.scrubber').value) < 0.4;
		});
		await state(() => window.studio.set({ playing: false }));
		await page().evaluate(() => {
			const scrubber = document.querySelector('.scrubber');
			scrubber.value = 0.5;
			scrubber.dispatchEvent(new Event('input'));
		});
		// the same pose, and flesh that is on its way in it
		await waitFor(
			(list) => {
				const off = window.studio.positions().reduce((most, value, i) => Math.max(most, Math.abs(value - list[i])), 0);
				return off > 2e-3 && off < 0.2;
			},
			Array.from(resting),
		);
		// and stays so
		const shown = await positions();
		await settle(page(), 0);
		assert.equal(farthest(shown, await positions()), 0);
		const off = farthest(resting, shown);
		assert.ok(off > 2e-3 && off < 0.3, `${off} m from rest`);
		await state(() => window.studio.set({ playing: true }));
	});

	const compressed = ['characters/CesiumMan-Draco/CesiumMan.gltf', 'characters/CesiumMan.glb'];
	test('Draco is decoded: the same character', studio.needs(...compressed), async () => {
		const folder = studio.asset('characters/CesiumMan-Draco');
		const beside = JSON.parse(readFileSync(join(folder, 'CesiumMan.gltf'), 'utf8')).buffers.map(({ uri }) => join(folder, uri));
		assert.ok(beside.every((path) => existsSync(path)));
		const sizes = [];
		await state(() => window.studio.edit({ method: 'dqs' }));
		for (const paths of [[join(folder, 'CesiumMan.gltf'), ...beside], [studio.asset(compressed[1])]]) {
			await drop(...paths);
			await label(paths[0].split('/').at(-1));
			await settle(page(), 2);
			sizes.push(extent(await freeze(0.4)));
		}
		assert.ok(Math.abs(sizes[0] / sizes[1] - 1) < 0.01, String(sizes));
		await bunny();
		await state(() => window.studio.set({ playing: true }));
	});

	test('what another library says about a broken file is not shown', async () => {
		writeFileSync(join(work, 'odd.fbx'), 'Kaydara FBX Binary  and then nothing');
		await drop(join(work, 'odd.fbx'));
		const alert = page().locator('.toast.error', { hasText: 'odd.fbx' });
		await alert.waitFor({ timeout: patience });
		const text = await alert.innerText();
		assert.match(text, /supple convert "odd\.fbx"/);
		assert.doesNotMatch(text, /THREE|FBXLoader|undefined/);
	});

	test('painting stands still, has a legend, and does not turn the view when it just misses', async () => {
		await bunny();
		await state(() => window.studio.set({ playing: true, tool: 'pull' }));
		await page().keyboard.press('b');
		await waitFor(() => window.studio.state.playing === false);
		await freeze();
		await page().locator('.legend.soft').first().waitFor();
		const place = await state(() => {
			const p = window.studio.positions();
			let right = 0;
			for (let v = 0; v < p.length / 3; ++v) {
				right = window.studio.locate(v)[0] > window.studio.locate(right)[0] ? v : right;
			}
			return { vertex: right, at: window.studio.locate(right) };
		});
		const drag = async (x, y) => {
			await page().mouse.move(x, y);
			await page().mouse.down();
			await page().mouse.move(x + 60, y + 20, { steps: 3 });
			await page().mouse.up();
			return page().evaluate((v) => window.studio.locate(v), place.vertex);
		};
		const [x, y] = place.at;
		const near = await drag(x + 10, y);
		assert.ok(Math.hypot(near[0] - x, near[1] - y) < 1, 'a near miss turned the view');
		await page().keyboard.press('o');
		await waitFor(() => window.studio.state.playing);
		await settle();
	});

	test('a region starts where it can be felt', async () => {
		await state(() => window.studio.set({ tab: 'flesh' }));
		await page().getByLabel('Add a region').selectOption('all');
		await waitFor(() => window.studio.settings.softness?.length === 1);
		const [{ frequency, damping }] = await state(() => window.studio.settings.softness);
		assert.ok(frequency > 0.5 && damping > 0, `${frequency} Hz, ${damping}`);
		await page().keyboard.press('Control+z');
		await waitFor(() => !window.studio.settings.softness);
		await settle();
	});

	test('sizes of files are told before they are made, and a part of a clip can be saved', async () => {
		await bunny();
		await state(() => window.studio.set({ tab: 'save' }));
		const size = async () => (await page().locator('.size[data-format=pc2]').innerText()).match(/about ([\d.]+) (KB|MB)/);
		const bytesOf = ([, number, unit]) => Number(number) * (unit === 'MB' ? 1e6 : 1e3);
		const whole = bytesOf(await size());
		await page().getByLabel('To (s)').fill('0.2');
		await page().getByLabel('To (s)').blur();
		const part = bytesOf(await size());
		assert.ok(part < 0.5 * whole, `${part} of ${whole}`);
		const downloads = [];
		const listen = (download) => downloads.push(download);
		page().on('download', listen);
		await page().getByRole('button', { name: /^Point cache/ }).click();
		await page().locator('.toast', { hasText: 'Saved bunny' }).waitFor({ timeout: patience });
		page().off('download', listen);
		assert.equal(downloads.length, 2, 'a file for each mesh');
		let saved = 0;
		for (const download of downloads) {
			saved += readFileSync(await download.path()).length;
		}
		assert.ok(Math.abs(saved / part - 1) < 0.02, `${saved} bytes, ${part} were told`);
		await page().getByLabel('To (s)').fill('');
		await page().getByLabel('To (s)').blur();
	});

	test('a link holds the settings', async () => {
		await bunny('dqs');
		await state(() => window.studio.set({ tab: 'save' }));
		await page().context().grantPermissions(['clipboard-read', 'clipboard-write']);
		await page().getByRole('button', { name: 'Copy link' }).click();
		await page().locator('.toast', { hasText: 'Link copied' }).waitFor({ timeout: patience });
		const link = await state(() => navigator.clipboard.readText());
		const tab = await studio.open(page().context(), link);
		assert.deepEqual(
			await tab.evaluate(() => [window.studio.state.character.label, window.studio.settings]),
			['bunny', { method: 'dqs' }],
		);
		await tab.close();
		await state(() => window.studio.set({ tab: 'flesh' }));
	});

	test('Rig can be undone, and long names keep both ends', async () => {
		const name = 'a-very-long-name-of-a-character-that-does-not-fit.obj';
		writeFileSync(join(work, name), cylinderObj({ radius: 0.15, height: 1.2 }));
		await drop(join(work, name));
		await label(name);
		await settle();
		assert.match(await page().locator('#title').innerText(), /^a-very.*….*fit\.obj$/);
		await page().keyboard.press('j');
		await state(() => window.studio.rigger.addJoint([0, 0.1, 0]));
		await state(() => window.studio.rigger.addJoint([0, 0.6, 0]));
		await page().keyboard.press('Control+z');
		assert.equal(await state(() => window.studio.state.rig.joints.length), 1);
		await page().keyboard.press('Control+Shift+z');
		assert.equal(await state(() => window.studio.state.rig.joints.length), 2);
		await page().keyboard.press('o');
	});

	test('whatever reaches out is in the picture', async () => {
		const long = join(work, 'long.obj');
		writeFileSync(
			long,
			cylinderObj({ radius: 0.1, height: 3 }).replace(/^v (\S+) (\S+) (\S+)$/gm, (_, x, y, z) => `v ${x} ${z} ${y}`),
		);
		await drop(long);
		await label('long.obj');
		await settle(page(), 0);
		await state(() => window.studio.set({ tool: 'paint' }));
		await waitFor(() => window.studio.state.playing === false);
		const outside = await state(() => {
			const { left, right, top, bottom } = document.getElementById('canvas').getBoundingClientRect();
			const count = window.studio.positions().length / 3;
			return Array.from({ length: count }, (_, v) => window.studio.locate(v)).filter(
				([x, y]) => x < left || x > right || y < top || y > bottom,
			).length;
		});
		assert.equal(outside, 0, `${outside} vertices are cut off`);
		await state(() => window.studio.set({ tool: 'orbit' }));
	});

	test('a tour of five steps the first time, and a page of help', async () => {
		const context = await page().context().browser().newContext({ viewport: { width: 900, height: 600 } });
		const tab = await studio.open(context, studio.base());
		const steps = [];
		while (await tab.locator('.tour').isVisible()) {
			steps.push(await tab.locator('.tour strong').innerText());
			await tab.keyboard.press('Enter');
		}
		assert.equal(steps.length, 5, String(steps));
		await tab.keyboard.press('?');
		const help = tab.getByRole('dialog', { name: 'Help' });
		assert.match(await help.innerText(), /Softness[\s\S]*1\s*…\s*8/);
		await help.getByRole('link', { name: 'command line' }).waitFor({ timeout: patience });
		await tab.keyboard.press('Escape');
		// a phone: everything within reach of a finger
		await tab.setViewportSize({ width: 390, height: 780 });
		for (const name of ['Help', 'Split view', 'Open file', 'Flesh panel']) {
			const { width, height } = await tab.getByRole('button', { name, exact: true }).first().boundingBox();
			assert.ok(width >= 44 && height >= 44, `${name}: ${width} x ${height}`);
		}
		await tab.getByRole('button', { name: 'Flesh panel' }).click();
		await tab.locator('#right').waitFor();
		assert.equal(await tab.evaluate(() => window.studio.state.panels.right), true);
		await tab.keyboard.press('Escape');
		assert.equal(await tab.evaluate(() => window.studio.state.panels.right), false);
		await context.close();
	});

	test('axe finds nothing to say about contrast, names and roles', async () => {
		await bunny('dqs');
		await page().evaluate(readFileSync(studio.axe, 'utf8'));
		// colours that are on their way to those of the other theme are nobody's choice
		await page().emulateMedia({ reducedMotion: 'reduce' });
		for (const theme of ['dark', 'light']) {
			await state(`window.studio.set({ theme: '${theme}' })`);
			const found = await state(async () => {
				await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
				const changes = document.getAnimations().filter((one) => one instanceof CSSTransition);
				await Promise.allSettled(changes.map(({ finished }) => finished));
				const { violations } = await window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa'] });
				return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
			});
			assert.deepEqual(found, [], theme);
		}
	});
}
