// SPDX-License-Identifier: MIT
import type { Camera, Intersection, Object3D, SkinnedMesh, Vector3Like } from 'three';
import type { Body, Drag, SoftenOptions as Options, World as AnyWorld, WorldOptions } from './world.js';

export { SuppleError } from './index.js';
export type World = AnyWorld<Camera, Object3D>;
export type SoftenOptions = Options<Camera, SkinnedMesh>;

export class SoftCharacter {
	private constructor();
	readonly root: Object3D;
	readonly meshes: SkinnedMesh[];
	/** Takes hold of a place that a Raycaster has found. */
	drag(intersection: Intersection, options?: { radius?: number; frequency?: number }): Drag<Vector3Like>;
}
export interface SoftCharacter extends Body<Camera, Object3D> {}

/** Makes the skinned meshes below an object soft. */
export function soften(root: Object3D, options?: SoftenOptions): Promise<SoftCharacter>;

/** A world for several characters that touch each other. */
export function createWorld(options?: WorldOptions<Camera>): Promise<World>;

/** Lets mouse, pen and fingers pull at characters. Returns a function that ends it. */
export function enableDrag(
	characters: SoftCharacter | SoftCharacter[],
	camera: Camera,
	element: HTMLElement,
	options?: { controls?: { enabled: boolean } | null; radius?: number; frequency?: number },
): () => void;
