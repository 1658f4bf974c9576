// SPDX-License-Identifier: MIT
// What supple/three and supple/babylon have in common.
import type { ColliderDefinition, Contact, Detail, Measure, MethodName, Quat, Settings, Vec3 } from './index.js';

export interface WorldOptions<Camera> {
	/** The method that decides which build is loaded; all of them without. */
	method?: MethodName;
	build?: 'all' | 'methods' | 'position';
	/** 'auto': processors less one, at most 4, where the page is cross-origin isolated. */
	threads?: number | 'auto';
	/** 'auto': in a worker where there can be one. */
	worker?: boolean | 'auto';
	/** m/s². */
	gravity?: [number, number, number];
	/** Characters at rest are not computed. */
	sleeping?: boolean;
	lod?: Lod<Camera> | null;
}

/** Metres from the camera beyond which flesh is computed every second step, and beyond which there is none. */
export interface Lod<Camera> {
	camera: Camera;
	full?: number;
	reduced?: number;
}

export interface SoftenOptions<Camera, Mesh> extends WorldOptions<Camera> {
	/** The address of a settings file, or what is in it. */
	settings?: string | URL | Settings;
	parameters?: Record<string, number | string>;
	/** The vertex attribute that is 0 where it is stiff and 1 where it is soft; `_softness` without. */
	softness?: string;
	/** Which meshes become soft; all that have a skeleton without. */
	meshes?: (mesh: Mesh) => boolean;
	contact?: Contact;
	/** Of createWorld; one of its own without. */
	world?: World<Camera, any>;
}

export interface Collider<Object> {
	readonly object: Object | null;
	move(position: Vec3, rotation?: Quat): void;
	remove(): void;
}

export interface World<Camera, Object> {
	readonly isInWorker: boolean;
	readonly sharesMemory: boolean;
	readonly threads: number;
	/** Of the last step. */
	readonly milliseconds: number;
	/** Once a frame: seconds since the last. */
	update(delta: number): void;
	addCollider(definition?: ColliderDefinition & { object?: Object | null }): Collider<Object>;
	addFloor(height?: number, options?: { friction?: number }): Collider<Object>;
	setGravity(gravity: Vec3): void;
	setWind(wind: Vec3): void;
	setLod(lod: Lod<Camera> | null): void;
	dispose(): void;
}

export interface Drag<Point> {
	move(target: Point | Vec3): void;
	end(): void;
}

export interface Body<Camera, Object> {
	readonly world: World<Camera, Object>;
	readonly method: MethodName;
	/** Those that differ from their standard. */
	readonly parameters: Record<string, number>;
	readonly regions: { name: string }[];
	readonly milliseconds: number;
	/** The most that is computed. */
	detail: Detail;
	/** What is computed now. */
	readonly detailNow: Detail;
	/** Once a frame, after the animation: seconds since the last. */
	update(delta: number): void;
	/** At rest in the pose of now: after a leap to another place. */
	reset(): void;
	setParameter(name: string, value: number): Promise<void>;
	setRegion(region: number, tuning: { frequency?: number; damping?: number }): Promise<void>;
	setContact(contact: Contact): Promise<void>;
	measure(): Promise<Measure>;
	addCollider(definition?: ColliderDefinition & { object?: Object | null }): Collider<Object>;
	addFloor(height?: number, options?: { friction?: number }): Collider<Object>;
	/** Drawn as it was before; everything is freed. */
	dispose(): void;
}
