// SPDX-License-Identifier: MIT
// Compiled, not run: the types are those of what docs/web.md promises.
import type { ISceneLoaderAsyncResult, Scene as BabylonScene } from '@babylonjs/core';
import { createSupple, SuppleError, type Settings } from 'supple';
import * as babylon from 'supple/babylon';
import { createWorld, enableDrag, soften, type SoftCharacter } from 'supple/three';
import { Mesh, PerspectiveCamera, Raycaster, type Object3D } from 'three';

export async function three(root: Object3D, camera: PerspectiveCamera, canvas: HTMLCanvasElement): Promise<SoftCharacter> {
	const settings: Settings = { method: 'position', softness: [{ shape: 'joint', joint: 'Tail' }] };
	const world = await createWorld({ method: 'position', lod: { camera, full: 5 } });
	const soft = await soften(root, { world, settings, parameters: { tets: 1000 }, softness: '_softness' });
	const ball = new Mesh();
	const collider = soft.addCollider({ shape: 'sphere', radius: 0.2, object: ball });
	const [hit] = new Raycaster().intersectObject(root);
	const drag = soft.drag(hit, { radius: 0.1 });
	drag.move({ x: 0, y: 1, z: 0 });
	drag.end();
	soft.detail = 'reduced';
	await soft.setParameter('softness', 0.7);
	const { volumeError } = await soft.measure();
	enableDrag(soft, camera, canvas)();
	world.update(1 / 60);
	collider.remove();
	// @ts-expect-error there is no such method
	await soften(root, { method: 'jelly' });
	// @ts-expect-error a number is wanted
	soft.update('fast');
	return volumeError > 0 ? soft : Promise.reject(new SuppleError('no'));
}

export async function inBabylon(scene: BabylonScene, result: ISceneLoaderAsyncResult): Promise<void> {
	const soft = await babylon.soften(result, { method: 'fem' });
	scene.onBeforeRenderObservable.add(() => soft.update(scene.getEngine().getDeltaTime() / 1000));
	const pick = scene.pick(1, 2);
	soft.drag(pick).end();
	soft.dispose();
}

export async function alone(): Promise<Float32Array> {
	const supple = await createSupple({ threads: 2, build: 'all' });
	const flesh = supple.buildFlesh(supple.loadBuiltin('bunny'), { method: 'lattice' });
	const actor = supple.createScene({ gravity: [0, 0, 0] }).addActor(flesh);
	return actor.positions(0);
}
