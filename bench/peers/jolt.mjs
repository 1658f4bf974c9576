// SPDX-License-Identifier: MIT
// node jolt.mjs WORK: the soft body of peers.work in Jolt, as WebAssembly; see README.md.
import { readFileSync } from 'node:fs';
import initJolt from 'jolt-physics/wasm-compat';

const step = 1 / 60;
const iterations = 12;
const warmUp = 20;
const bytes = readFileSync(process.argv[2]);
const numbers = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const [points, edgeCount, tetCount, frames] = new Int32Array(numbers, 0, 4);
let at = 16;
const take = (kind, count) => {
	const values = new kind(numbers, at, count);
	at += 4 * count;
	return values;
};
const rest = take(Float32Array, 3 * points);
const led = take(Int32Array, points);
const edges = take(Int32Array, 2 * edgeCount);
const tets = take(Int32Array, 4 * tetCount);
const skinned = take(Float32Array, 3 * points * frames);

function volume(p) {
	let sum = 0;
	for (let i = 0; i < tetCount; ++i) {
		const [a, b, c, d] = tets.subarray(4 * i, 4 * i + 4);
		const e = [b, c, d].map((k) => [0, 1, 2].map((axis) => p[3 * k + axis] - p[3 * a + axis]));
		sum +=
			e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
			e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
			e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
	}
	return sum / 6;
}

const length = (p, a, b) => Math.hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1], p[3 * a + 2] - p[3 * b + 2]);

function edgeError(p) {
	let [square, count] = [0, 0];
	for (let i = 0; i < edgeCount; ++i) {
		const [a, b] = [edges[2 * i], edges[2 * i + 1]];
		if (!led[a] && !led[b]) {
			square += (length(p, a, b) / length(rest, a, b) - 1) ** 2;
			++count;
		}
	}
	return Math.sqrt(square / Math.max(1, count));
}

const Jolt = await initJolt();
const settings = new Jolt.JoltSettings();
const filter = new Jolt.ObjectLayerPairFilterTable(1);
const layers = new Jolt.BroadPhaseLayerInterfaceTable(1, 1);
layers.MapObjectToBroadPhaseLayer(0, new Jolt.BroadPhaseLayer(0));
settings.mObjectLayerPairFilter = filter;
settings.mBroadPhaseLayerInterface = layers;
settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 1, filter, 1);
const world = new Jolt.JoltInterface(settings);
const system = world.GetPhysicsSystem();
system.SetGravity(new Jolt.Vec3(0, -9.81, 0));

const shared = new Jolt.SoftBodySharedSettings();
const vertex = new Jolt.SoftBodySharedSettingsVertex();
for (let i = 0; i < points; ++i) {
	vertex.mPosition = new Jolt.Float3(rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]);
	vertex.mInvMass = led[i] ? 0 : 1;
	shared.mVertices.push_back(vertex);
}
for (let i = 0; i < edgeCount; ++i) {
	shared.mEdgeConstraints.push_back(new Jolt.SoftBodySharedSettingsEdge(edges[2 * i], edges[2 * i + 1], 0));
}
for (let i = 0; i < tetCount; ++i) {
	shared.mVolumeConstraints.push_back(new Jolt.SoftBodySharedSettingsVolume(...tets.subarray(4 * i, 4 * i + 4), 0));
}
shared.CalculateEdgeLengths();
shared.CalculateVolumeConstraintVolumes();
shared.Optimize();
const creation = new Jolt.SoftBodyCreationSettings(shared, new Jolt.RVec3(0, 0, 0), Jolt.Quat.prototype.sIdentity(), 0);
creation.mNumIterations = iterations;
creation.mLinearDamping = 0;
creation.mUpdatePosition = false;
creation.mAllowSleeping = false;
const bodies = system.GetBodyInterface();
const body = bodies.CreateSoftBody(creation);
bodies.AddBody(body.GetID(), Jolt.EActivation_Activate);
const motion = Jolt.castObject(body.GetMotionProperties(), Jolt.SoftBodyMotionProperties);
const vertices = Array.from({ length: points }, (_, i) => motion.GetVertex(i));

const now = Float32Array.from(rest);
const sums = { milliseconds: 0, volume: 0, edges: 0, steps: 0 };
const restVolume = volume(rest);
for (let frame = 0; frame < frames; ++frame) {
	// those led along get the velocity that brings them to their place
	for (let i = 0; i < points; ++i) {
		if (led[i]) {
			const to = skinned.subarray(3 * (frame * points + i), 3 * (frame * points + i) + 3);
			const velocity = vertices[i].mVelocity;
			velocity.Set((to[0] - now[3 * i]) / step, (to[1] - now[3 * i + 1]) / step, (to[2] - now[3 * i + 2]) / step);
			vertices[i].mVelocity = velocity;
		}
	}
	const start = performance.now();
	world.Step(step, 1);
	const milliseconds = performance.now() - start;
	for (let i = 0; i < points; ++i) {
		const p = vertices[i].mPosition;
		now[3 * i] = p.GetX();
		now[3 * i + 1] = p.GetY();
		now[3 * i + 2] = p.GetZ();
	}
	if (frame >= warmUp) {
		sums.milliseconds += milliseconds;
		sums.volume += Math.abs(volume(now) / restVolume - 1);
		sums.edges += edgeError(now);
		++sums.steps;
	}
}
const n = sums.steps;
const cell = (value, digits) => value.toFixed(digits).padStart(9);
console.log(
	`${'Jolt, WebAssembly, 1 thread'.padEnd(28)} ${cell(sums.milliseconds / n, 3)} ms ` +
		`${cell((100 * sums.volume) / n, 3)} % ${cell((100 * sums.edges) / n, 2)} %`,
);
