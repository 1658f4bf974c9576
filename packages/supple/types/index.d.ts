// SPDX-License-Identifier: MIT
// Supple without an engine. Lengths are metres, times seconds, masses kilograms.

export type Vec3 = readonly [number, number, number] | [number, number, number];
/** x, y, z, w. */
export type Quat = readonly [number, number, number, number] | [number, number, number, number];
export type MethodName = 'lbs' | 'dqs' | 'position' | 'lattice' | 'points' | 'layered' | 'fem' | 'modes';
export type Detail = 'full' | 'reduced' | 'skinned' | 'posed';
export type ErrorCode = 'none' | 'memory' | 'argument' | 'not-found' | 'read' | 'write' | 'format' | 'unsupported' | 'too-large';

export class SuppleError extends Error {
	/** The place: an option, a key of a settings file, a file. */
	where: string;
	code: ErrorCode;
}

export interface SoftRegion {
	name?: string;
	shape: 'painted' | 'sphere' | 'joint' | 'vertices' | 'all' | 'values';
	center?: Vec3;
	radius?: number;
	border?: number;
	joint?: string;
	instance?: number;
	vertices?: number[];
	values?: number[];
	/** 0 to 1. */
	softness?: number;
	/** Hz. */
	frequency?: number;
	/** Part of critical damping. */
	damping?: number;
}

/** What a settings file has in it: docs/files.md. */
export interface Settings {
	method?: MethodName;
	parameters?: Record<string, number | string>;
	softness?: SoftRegion[];
	layers?: Record<string, unknown>;
	materials?: Record<string, Record<string, number>>;
	joints?: Record<string, unknown>[];
	bake?: Record<string, unknown>;
}

export interface Parameter {
	name: string;
	unit: string;
	summary: string;
	minimum: number;
	maximum: number;
	standard: number;
	/** Can be changed while it runs. */
	live: boolean;
	choices: string[] | null;
}

export interface Preset {
	name: string;
	summary: string;
	parameters: Record<string, number>;
}

export interface Method {
	name: MethodName;
	summary: string;
	parameters: Parameter[];
	presets: Preset[];
}

/** A character as arrays. Matrices are column by column, as in glTF, three.js and Babylon.js. */
export interface CharacterDescription {
	name?: string;
	/** local: translation, rotation (x, y, z, w) and scale at rest. */
	nodes: { name?: string; parent?: number; local: ArrayLike<number> }[];
	skins: { joints: number[]; inverseBinds: ArrayLike<number> }[];
	meshes: MeshDescription[];
	instances: { node: number; mesh: number; skin?: number; weights?: ArrayLike<number> }[];
}

export interface MeshDescription {
	name?: string;
	positions: Float32Array;
	normals?: Float32Array | null;
	indices: Uint32Array;
	/** Bones a vertex: 4 without. */
	influences?: number;
	joints?: Uint16Array;
	weights?: Float32Array;
	/** 0 stiff to 1 soft, a vertex. */
	softness?: Float32Array | null;
	/** First vertex, vertices, first index, indices. */
	primitives?: [number, number, number, number][];
	targets?: { name?: string; positions: Float32Array; normals?: Float32Array | null }[];
}

export interface Resource {
	/** Frees it as soon as nothing else needs it. Twice is fine. */
	destroy(): void;
}

export interface Character extends Resource {
	readonly summary: CharacterSummary;
	describe(): CharacterSummary;
	/** As .glb. */
	write(): Uint8Array;
	/** Adds a built-in motion as a clip and returns its number; `describe().motions` lists those that fit. */
	addBuiltinMotion(name: string): number;
	/** Adds poses as for Actor.setPose as a clip and returns its number; times in seconds, rising from 0. */
	addPoseClip(name: string, times: ArrayLike<number>, poses: ArrayLike<number>[]): number;
	/** Returns the numbers of the new clips. */
	addMotion(bytes: Uint8Array, name: string, options?: { inPlace?: boolean; files?: Record<string, Uint8Array> }): number[];
}

export interface CharacterSummary {
	name: string;
	size: [number, number, number][];
	nodes: { name: string; parent: number; isJoint: boolean }[];
	clips: { name: string; begin: number; end: number }[];
	/** Names of the built-in motions that fit; from `describe()` alone. */
	motions?: string[];
	notes: string[];
	meshes: {
		name: string;
		vertexCount: number;
		indexCount: number;
		influences: number;
		targetCount: number;
		primitives: { first: number; count: number; material: number }[];
		indices?: Uint32Array;
		positions?: Float32Array;
		uv?: Float32Array | null;
		color?: Float32Array | null;
		softness?: Float32Array | null;
		joints?: Uint16Array | null;
		weights?: Float32Array | null;
	}[];
	skins: { joints: number[] }[];
	instances: { mesh: number; node: number; skin: number; name: string }[];
	materials: Record<string, unknown>[];
	images: { name: string; mime: string; uri: string; byteCount: number; bytes?: Uint8Array | null }[];
}

export interface Elements {
	kind: 'none' | 'tets' | 'voxels' | 'lattice';
	points: Float32Array;
	tets?: Uint32Array;
	cells?: Uint32Array;
	lines: Uint32Array;
	colour: Uint16Array | null;
	layer: Uint8Array | null;
	layerNames: string[];
	size: number;
}

export interface Flesh extends Resource {
	readonly character: Character;
	readonly method: MethodName;
	readonly parameters: Record<string, number>;
	readonly regions: { name: string }[];
	readonly report: { points: number; elements: number; lines: number };
	settings(): Settings;
	/** The content of a .flesh file. */
	write(): Uint8Array;
	elements(options?: { layers?: boolean }): Elements;
}

export interface Hit {
	instance: number;
	vertices: [number, number, number];
	weights: [number, number, number];
	position: [number, number, number];
	distance: number;
}

export interface Contact {
	colliders?: boolean;
	actors?: boolean;
	self?: boolean;
	friction?: number;
	restitution?: number;
	thickness?: number;
}

export interface Measure {
	volumeError: number;
	stretch: number;
	energy: number;
	penetration: number;
}

/** A scene file: actors and colliders, moved by its own clock. */
export interface Show extends Resource {
	/** Seconds since it began. */
	readonly time: number;
	/** Everything where it begins. */
	begin(): void;
	step(dt: number): void;
	/** As Character.describe(), of everything in it. */
	describe(): CharacterSummary & { duration: number; parts: { name: string; method: string; instanceCount: number }[] };
	/** Positions of all instances, then as many normals; until the next call. */
	surface(): Float32Array;
	/** Takes hold of whom the ray meets first; false where it meets nobody. */
	startDrag(origin: Vec3, direction: Vec3, options?: { radius?: number; frequency?: number }): boolean;
	moveDrag(target: Vec3): void;
	endDrag(): void;
}

export interface Actor extends Resource {
	readonly flesh: Flesh;
	readonly time: number;
	readonly asleep: boolean;
	readonly detail: Detail;
	play(clip: number, options?: { time?: number; speed?: number; loop?: boolean; fade?: number }): void;
	seek(time: number): void;
	stop(): void;
	reset(): void;
	/** Ten numbers a node, then the morph weights of all instances. */
	setPose(numbers: ArrayLike<number>): void;
	/** At rest in the pose of now. */
	settle(): void;
	/** From the next step on poses come from pushPose: late, noisy, with gaps. Seconds. */
	openStream(options?: { delay?: number; prediction?: number; smoothing?: number }): void;
	/** A pose as for setPose, and its time on the sender's clock. */
	pushPose(numbers: ArrayLike<number>, time: number): void;
	closeStream(): void;
	/** Of the open stream. */
	streamStats(): { received: number; dropped: number; predicted: number; held: number };
	setDetail(detail: Detail): void;
	setParameter(name: string, value: number): void;
	parameter(name: string): number;
	setRegion(region: number, frequency: number, damping: number): void;
	/** Views into memory, valid until the next call. */
	positions(instance?: number): Float32Array;
	normals(instance?: number): Float32Array;
	/** Twelve numbers a node. */
	nodeMatrices(): Float32Array;
	measure(): Measure;
	elementPositions(): Float32Array;
	heat(kind: 'displacement' | 'stretch' | 'volume' | 'softness', instance?: number): Float32Array;
	setContact(contact: Contact): void;
	contact(): Required<Contact>;
	castRay(origin: Vec3, direction: Vec3): Hit | null;
	startDrag(hit: Pick<Hit, 'instance' | 'vertices' | 'weights'>, options?: { radius?: number; frequency?: number }): number;
	moveDrag(drag: number, target: Vec3): void;
	endDrag(drag: number): void;
}

export interface ColliderDefinition {
	shape?: 'sphere' | 'plane' | 'capsule' | 'box';
	motion?: 'still' | 'kinematic' | 'dynamic';
	radius?: number;
	halfHeight?: number;
	halfSize?: Vec3;
	position?: Vec3;
	rotation?: Quat;
	mass?: number;
	density?: number;
	velocity?: Vec3;
	spin?: Vec3;
	friction?: number;
	restitution?: number;
}

export interface SceneCollider extends Resource {
	remove(): void;
	setTransform(position: Vec3, rotation?: Quat, options?: { atOnce?: boolean }): void;
	setVelocity(velocity: Vec3, spin?: Vec3): void;
	transform(): { position: number[]; rotation: number[]; velocity: number[]; spin: number[] };
}

export type Place =
	| { at: Vec3 }
	| { actor: Actor; hit: Hit; radius?: number }
	| { actor: Actor; near: Vec3; radius?: number }
	| { actor: Actor; inside: Vec3 }
	| { actor: Actor; node: number; offset?: Vec3 };

export interface Attachment {
	readonly exists: boolean;
	readonly broken: boolean;
	readonly gap: number;
	readonly force: number[];
	active: boolean;
	movePlace(index: number, point: Vec3): void;
	cut(): void;
}

export interface Scene extends Resource {
	addActor(flesh: Flesh): Actor;
	addCollider(definition?: ColliderDefinition): SceneCollider;
	addFloor(y?: number, options?: { friction?: number }): SceneCollider;
	attach(definition: {
		kind?: 'join' | 'slide' | 'velocity' | 'line' | 'triangle';
		places: Place[];
		name?: string;
		velocity?: Vec3;
		slack?: number;
		assembly?: number;
		breakingForce?: number;
		active?: boolean;
	}): Attachment;
	/** Rows of place, normal, depth and force. */
	contacts(): Float32Array;
	stats(): Record<string, unknown>;
	step(dt: number): void;
	setGravity(gravity: Vec3): void;
	setWind(wind: Vec3): void;
	setViewer(viewer: { position: Vec3; full: number; reduced?: number; skinned?: number } | null): void;
}

export interface Bake extends Resource {
	readonly report: Record<string, unknown>;
	glb(options?: { tolerance?: number }): Uint8Array;
	bonesGlb(options?: {
		helpers?: number;
		influences?: number;
		tolerance?: number;
		progress?: (done: number, total: number) => boolean | void;
	}): Uint8Array;
	pc2(instance?: number): Uint8Array;
	mdd(instance?: number): Uint8Array;
}

export interface Rig extends Resource {
	addJoint(name: string | null, origin: Vec3, direction: Vec3): number;
	addJointAt(name: string | null, place: Vec3): number;
	addBone(a: number, b: number): void;
	setRoot(joint: number): void;
	joints(): { name: string; position: [number, number, number] }[];
	bind(options?: { method?: 'geodesic' | 'heuristic'; resolution?: number; influences?: number }): Character;
}

export interface Supple {
	readonly version: string;
	readonly threads: number;
	readonly methods: Method[];
	readonly builtins: { name: string; summary: string }[];
	readonly motions: { name: string; summary: string }[];
	loadBuiltin(name: string): Character;
	loadCharacter(bytes: Uint8Array, name: string, options?: { files?: Record<string, Uint8Array>; unit?: number }): Character;
	createCharacter(description: CharacterDescription): Character;
	buildFlesh(character: Character, settings?: Settings): Flesh;
	readFlesh(character: Character, bytes: Uint8Array, name?: string): Flesh;
	createScene(options?: { substeps?: number; gravity?: Vec3; sleeping?: boolean }): Scene;
	createRig(character: Character): Rig;
	/** A scene file, played as by `supple bake scene.json`. Not in the builds `methods` and `position`. */
	openShow(bytes: Uint8Array, name?: string, options?: { files?: Record<string, Uint8Array> }): Show;
	bake(
		flesh: Flesh,
		options?: {
			clip?: number | string;
			fps?: number;
			from?: number;
			to?: number;
			substeps?: number;
			preroll?: number;
			loop?: boolean;
			tolerance?: number;
			progress?: (done: number, total: number) => boolean | void;
		},
	): Bake;
	/** Ends its threads. Everything else must have been destroyed. */
	destroy(): void;
}

export interface LibraryOptions {
	/** More than 1 where memory can be shared. */
	threads?: number;
	/** 'methods': without files, bakes and rigs. 'position': that method alone, likewise. */
	build?: 'all' | 'methods' | 'position';
	/** Of three.js, for compressed glTF. */
	meshoptDecoder?: unknown;
}

/** Loads the library onto the calling thread. */
export function createSupple(options?: LibraryOptions): Promise<Supple>;
