// SPDX-License-Identifier: MIT
import type { AbstractMesh, Camera, ISceneLoaderAsyncResult, Mesh, PickingInfo, Scene, TransformNode, Vector3 } from '@babylonjs/core';
import type { Body, Drag, SoftenOptions as Options, World as AnyWorld, WorldOptions } from './world.js';

export { SuppleError } from './index.js';
export type World = AnyWorld<Camera, TransformNode>;
export type SoftenOptions = Options<Camera, Mesh>;

export class SoftCharacter {
	private constructor();
	readonly meshes: Mesh[];
	/** Takes hold of a place that scene.pick has found. */
	drag(pick: PickingInfo, options?: { radius?: number; frequency?: number }): Drag<Vector3>;
}
export interface SoftCharacter extends Body<Camera, TransformNode> {}

/** Makes the skinned meshes of an imported character soft. */
export function soften(
	input: ISceneLoaderAsyncResult | AbstractMesh | AbstractMesh[],
	options?: SoftenOptions,
): Promise<SoftCharacter>;

/** A world for several characters that touch each other. */
export function createWorld(scene: Scene, options?: WorldOptions<Camera>): Promise<World>;
