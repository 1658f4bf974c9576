// SPDX-License-Identifier: MIT
// The npm package in Node, on meshes of three.js that were made here: what is drawn, what is restored, what is refused.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createProject, importInstalled, project, root } from './project.mjs';

createProject();
const THREE = await importInstalled('three');
const { createSupple, SuppleError } = await importInstalled('supple');
const { createWorld, soften } = await importInstalled('supple/three');
const small = { parameters: { tets: 200 } };

/** An upright cylinder of 1 m on two bones, with a morph target that swells it. */
function makeArm({ softness = false } = {}) {
	const geometry = new THREE.CylinderGeometry(0.1, 0.1, 1, 12, 10);
	const { position } = geometry.attributes;
	const upper = Float32Array.from({ length: position.count }, (_, i) => Math.min(Math.max(position.getY(i) / 0.4 + 0.5, 0), 1));
	geometry.setAttribute('skinIndex', new THREE.Uint16BufferAttribute([...upper].flatMap(() => [0, 1, 0, 0]), 4));
	geometry.setAttribute('skinWeight', new THREE.Float32BufferAttribute([...upper].flatMap((value) => [1 - value, value, 0, 0]), 4));
	const swell = Array.from(position.array, (value, i) => (i % 3 === 1 ? 0 : 0.3 * value));
	geometry.morphAttributes.position = [new THREE.Float32BufferAttribute(swell, 3)];
	geometry.morphTargetsRelative = true;
	if (softness) {
		geometry.setAttribute('flab', new THREE.Float32BufferAttribute(upper.map((value) => 1 - value), 1));
	}
	const bones = [new THREE.Bone(), new THREE.Bone()];
	bones.forEach((bone, i) => (bone.name = `bone.${i}`));
	bones[0].position.y = -0.5;
	bones[1].position.y = 0.5;
	bones[0].add(bones[1]);
	const mesh = new THREE.SkinnedMesh(geometry, new THREE.MeshStandardMaterial());
	mesh.name = 'arm';
	mesh.add(bones[0]);
	mesh.bind(new THREE.Skeleton(bones));
	const root3 = new THREE.Group();
	root3.add(mesh);
	return { root: root3, mesh, bones };
}

/** Where three.js draws a vertex, of the original geometry and with its own skinning. */
function skinnedPlaces(mesh, geometry) {
	const other = new THREE.SkinnedMesh(geometry, mesh.material);
	other.bind(mesh.skeleton, mesh.bindMatrix);
	other.matrixWorld.copy(mesh.matrixWorld);
	other.bindMatrixInverse.copy(mesh.matrixWorld).invert();
	other.morphTargetInfluences = mesh.morphTargetInfluences;
	return Array.from({ length: geometry.attributes.position.count }, (_, i) =>
		other.getVertexPosition(i, new THREE.Vector3()).applyMatrix4(mesh.matrixWorld));
}

const drawnPlaces = (mesh) => Array.from({ length: mesh.geometry.attributes.position.count }, (_, i) =>
	mesh.getVertexPosition(i, new THREE.Vector3()).applyMatrix4(mesh.matrixWorld));

const farthest = (a, b) => a.reduce((most, point, i) => Math.max(most, point.distanceTo(b[i])), 0);

test('plain skinning is that of three.js, wherever the mesh is, with morph targets', async () => {
	const { root: object, mesh, bones } = makeArm();
	const parent = new THREE.Group();
	parent.add(object);
	parent.position.set(3, 1, -2);
	parent.rotation.set(0.3, 1, 0.2);
	object.scale.setScalar(1.7);
	const { geometry } = mesh;
	const soft = await soften(object, { method: 'lbs' });
	for (let frame = 1; frame <= 5; ++frame) {
		bones[1].rotation.z = 0.2 * frame;
		bones[0].position.x = 0.05 * frame;
		mesh.morphTargetInfluences[0] = 0.15 * frame;
		parent.position.x += 0.1;
		parent.updateMatrixWorld(true);
		soft.update(1 / 60);
		assert.ok(farthest(drawnPlaces(mesh), skinnedPlaces(mesh, geometry)) < 1e-5);
	}
	// normals are those of the turned skin
	const normal = new THREE.Vector3().fromBufferAttribute(mesh.geometry.attributes.normal, 0).transformDirection(mesh.matrixWorld);
	assert.ok(Number.isFinite(normal.x) && Math.abs(normal.length() - 1) < 1e-5);
	soft.dispose();
});

test('flesh swings behind the bones; raycasts and bounds are those of what is drawn; dispose restores it all', async () => {
	const { root: object, mesh, bones } = makeArm();
	const { geometry } = mesh;
	const before = { ...geometry.attributes };
	const soft = await soften(object, { method: 'position', ...small });
	let most = 0;
	for (let frame = 1; frame <= 20; ++frame) {
		bones[1].rotation.z = 0.06 * frame;
		object.updateMatrixWorld(true);
		soft.update(1 / 60);
		most = Math.max(most, farthest(drawnPlaces(mesh), skinnedPlaces(mesh, geometry)));
	}
	assert.ok(most > 2e-3 && most < 0.3, `${most} m`);
	const places = drawnPlaces(mesh);
	const { center, radius } = mesh.boundingSphere;
	assert.ok(places.every((place) => mesh.worldToLocal(place.clone()).distanceTo(center) <= radius + 1e-5));
	const [hit] = new THREE.Raycaster(places[40].clone().add(new THREE.Vector3(0, 0, 5)), new THREE.Vector3(0, 0, -1)).intersectObject(object, true);
	assert.equal(hit.object, mesh);
	assert.equal(mesh.geometry.attributes.uv, before.uv);
	assert.equal(mesh.geometry.index, geometry.index);
	const drag = soft.drag(hit);
	drag.move(hit.point.clone().add(new THREE.Vector3(0, 0, 0.2)));
	for (let frame = 0; frame < 30; ++frame) {
		soft.update(1 / 60);
	}
	assert.ok(farthest(drawnPlaces(mesh), places) > 0.05);
	drag.end();
	soft.dispose();
	soft.dispose();
	assert.ok(mesh.geometry === geometry && mesh.isSkinnedMesh && !Object.hasOwn(mesh, 'getVertexPosition'));
	assert.deepEqual({ ...geometry.attributes }, before);
	await assert.rejects(async () => soft.update(1 / 60), /disposed/);
});

test('colliders, softness by attribute, detail and parameters', async () => {
	const { root: object, mesh } = makeArm({ softness: true });
	const stiff = await soften(object, { softness: 'flab', ...small, gravity: [0, 0, 0] });
	const ball = new THREE.Object3D();
	ball.position.set(0.3, 0, 0);
	stiff.addCollider({ shape: 'sphere', radius: 0.1, object: ball });
	object.updateMatrixWorld(true);
	stiff.update(1 / 60);
	const rest = drawnPlaces(mesh);
	for (let frame = 1; frame <= 30; ++frame) {
		ball.position.x = 0.3 - 0.005 * frame;
		stiff.update(1 / 60);
	}
	assert.ok(farthest(drawnPlaces(mesh), rest) > 0.01, 'the ball leaves a dent');
	await stiff.setParameter('softness', 0.8);
	await assert.rejects(stiff.setParameter('softness', 7), /softness must be 0 to 1 \(got 7\)/);
	await assert.rejects(stiff.setParameter('love', 1), /no parameter "love"/);
	assert.ok(Math.abs((await stiff.measure()).volumeError) < 0.2);
	stiff.dispose();

	const far = makeArm();
	const camera = new THREE.PerspectiveCamera();
	camera.position.set(0, 0, 100);
	const soft = await soften(far.root, { ...small, lod: { camera, full: 5, reduced: 10 } });
	for (let frame = 0; frame < 90; ++frame) {
		soft.update(1 / 60);
	}
	assert.equal(soft.detailNow, 'posed');
	assert.ok(far.mesh.isSkinnedMesh, 'three.js skins it');
	camera.position.z = 1;
	for (let frame = 0; frame < 90; ++frame) {
		soft.update(1 / 60);
	}
	assert.equal(soft.detailNow, 'full');
	assert.ok(!far.mesh.isSkinnedMesh);
	soft.dispose();
});

test('characters of one world share what they are built of', async () => {
	const { clone } = await importInstalled('three/addons/utils/SkeletonUtils.js');
	const first = makeArm();
	const second = clone(first.root);
	second.position.x = 1;
	const world = await createWorld({ method: 'position' });
	const softs = [await soften(first.root, { world, ...small }), await soften(second, { world, ...small })];
	world.update(1 / 60);
	const [a, b] = softs.map(({ meshes: [mesh] }) => drawnPlaces(mesh));
	b.forEach((place) => place.setX(place.x - 1));
	assert.ok(farthest(a, b) < 1e-4);
	assert.throws(() => softs[0].update(1 / 60), /world\.update/);
	world.dispose();
	assert.ok(first.mesh.isSkinnedMesh);
});

test('what cannot be made soft is refused, with the remedy', async () => {
	const { root: object, mesh, bones } = makeArm();
	const refused = (promise, pattern) => assert.rejects(promise, (error) => {
		assert.ok(error instanceof SuppleError, error.stack);
		assert.match(error.message, pattern);
		return true;
	});
	await refused(soften({ scene: object }), /pass gltf\.scene, not gltf/);
	await refused(soften(null), /expected an Object3D/);
	await refused(soften(new THREE.Group().add(new THREE.Mesh())), /no SkinnedMesh.*1 meshes without a skin/);
	await refused(soften(object, { metod: 'fem' }), /unknown option 'metod'; there are method/);
	await refused(soften(object, { method: 'jelly' }), /method/);
	await refused(soften(object, { method: 'fem', build: 'position' }), /this build of Supple has "position" alone/);
	await refused(soften(object, { parameters: { tets: 'many' } }), /tets/);
	await refused(soften(object, { settings: { softness: [{ shape: 'joint', joint: 'Tail' }] } }), /Tail/);
	await refused(soften(object, { settings: [] }), /settings: expected/);
	await refused(soften(object, { softness: 'flab' }), /no mesh has an attribute 'flab'/);
	await refused(soften(object, { threads: 0.5 }), /threads: expected 'auto' or a whole number/);
	await refused(soften(object, { worker: true }), /workers are not to be had/);
	await refused(soften(object, { world: {} }), /world: expected what createWorld returned/);
	mesh.remove(bones[0]);
	await refused(soften(object), /bone 'bone\.0' is not in the same hierarchy.*SkeletonUtils/);
	mesh.add(bones[0]);
	// settings may have names as in the file, or as three.js has them
	const soft = await soften(object, { settings: { softness: [{ shape: 'joint', joint: 'bone.1' }], ...small } });
	assert.throws(() => soft.update('fast'), /update: expected the seconds/);
	soft.update(1 / 60);
	await refused(soften(object), /'arm' is soft already/);
	soft.dispose();
});

test('arrays that do not fit are named', async () => {
	const supple = await createSupple({ build: 'position' });
	const nodes = [{ local: [0, 0, 0, 0, 0, 0, 1, 1, 1, 1] }];
	const mesh = { positions: new Float32Array(9), indices: Uint32Array.of(0, 1, 2) };
	assert.throws(() => supple.createCharacter({ nodes: [{ local: [1] }] }), /nodes\[0\]\.local: expected 10 numbers \(got 1\)/);
	assert.throws(() => supple.createCharacter({ nodes, meshes: [{ ...mesh, joints: new Uint16Array(3), weights: new Float32Array(3) }] }),
		/meshes\[0\]\.joints: expected 12 numbers/);
	assert.throws(() => supple.createCharacter({ nodes, meshes: [{ ...mesh, indices: Uint32Array.of(0, 1, 7) }], instances: [{ node: 0, mesh: 0 }] }),
		SuppleError);
	supple.destroy();
});

test('the program in docs/web.md runs as it is printed there', () => {
	const programs = readFileSync(join(root, 'docs/web.md'), 'utf8').match(/```js\n.*?```/gs);
	const program = programs.find((text) => text.includes('createSupple')).replaceAll(/```(js)?/g, '');
	writeFileSync(join(project, 'program.mjs'), program);
	const output = execFileSync(process.execPath, ['--no-warnings', 'program.mjs'], { cwd: project, encoding: 'utf8' });
	assert.match(output, /frame 60: .* vertices/);
	assert.ok(readFileSync(join(project, 'walk.glb')).length > 10000);
});
