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
		await waitFor(
			(list) => {
				const now = window.studio.positions();
				return now.some((value, i) => Math.abs(value - list[i]) > 2e-3);
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
}
