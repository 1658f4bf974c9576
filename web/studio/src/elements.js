// SPDX-License-Identifier: MIT
// The simulation mesh: as wire, in the colours of its constraints, or as solid pieces in the colours of their layers, cut
// open by a plane. The plane cuts the mesh at rest, so that the cut goes along with the motion.
import {
	BoxGeometry,
	BufferAttribute,
	BufferGeometry,
	Color,
	DynamicDrawUsage,
	Group,
	InstancedMesh,
	LineBasicMaterial,
	LineSegments,
	Matrix4,
	Mesh,
	MeshStandardMaterial,
} from 'three';

// bone, muscle, fat, skin, and what else there may be
export const layerColours = ['#f3ead6', '#c8403f', '#f2c14e', '#e8a68a', '#7fb7be', '#8d7fc1', '#74a57f', '#b0b7c3'];
const tetFaces = [
	[0, 2, 1],
	[0, 1, 3],
	[1, 2, 3],
	[0, 3, 2],
];

export function constraintColour(index) {
	return new Color().setHSL((index * 0.381966) % 1, 0.75, 0.58);
}

export class Elements {
	constructor() {
		this.group = new Group();
		this.mesh = null;
		this.source = null;
		this.see = null;
	}

	setMesh(mesh) {
		if (mesh === this.source) {
			return;
		}
		this.source = mesh;
		this.clear();
		this.see = null;
		this.mesh = mesh?.kind && mesh.kind !== 'none' ? mesh : null;
		if (this.mesh) {
			this.places = this.mesh.points;
			this.middles = findMiddles(this.mesh);
			this.neighbours = null;
		}
	}

	clear() {
		for (const child of [...this.group.children]) {
			child.geometry.dispose();
			child.material.dispose();
			child.removeFromParent();
		}
		this.wire = this.solid = null;
	}

	/** What is to be seen: `elements` 'off', 'wire', 'colours' or 'layers'; `cut`, `cutAxis` and `cutPlace` 0 .. 1. */
	setSee(see) {
		if (see === this.see) {
			return;
		}
		this.clear();
		this.see = see;
		if (!this.mesh || !see.elements || see.elements === 'off') {
			return;
		}
		const isSolid = this.mesh.kind === 'voxels' || this.mesh.tets?.length > 0;
		if (see.elements === 'layers' && isSolid) {
			this.makeSolid(this.findKept());
		} else {
			this.makeWire(see.elements === 'colours' && Boolean(this.mesh.colour));
		}
		this.update(this.places);
	}

	/** Of each element: is it on the side of the plane that stays? */
	findKept() {
		const { cut, cutAxis, cutPlace } = this.see;
		const count = this.middles.length / 3;
		const kept = new Uint8Array(count).fill(1);
		if (!cut) {
			return kept;
		}
		const axis = { x: 0, y: 1, z: 2 }[cutAxis];
		let low = Infinity;
		let high = -Infinity;
		for (let i = 0; i < count; ++i) {
			low = Math.min(low, this.middles[3 * i + axis]);
			high = Math.max(high, this.middles[3 * i + axis]);
		}
		const at = low + cutPlace * (high - low);
		for (let i = 0; i < count; ++i) {
			kept[i] = this.middles[3 * i + axis] <= at ? 1 : 0;
		}
		return kept;
	}

	makeWire(inColours) {
		const { lines, colour } = this.mesh;
		const geometry = new BufferGeometry();
		const material = new LineBasicMaterial({ transparent: true, opacity: 0.7 });
		if (inColours) {
			const colours = new Float32Array(3 * lines.length);
			for (let i = 0; i < lines.length / 2; ++i) {
				const { r, g, b } = constraintColour(colour[i]);
				colours.set([r, g, b, r, g, b], 6 * i);
			}
			geometry.setAttribute('color', new BufferAttribute(colours, 3));
			geometry.setAttribute(
				'position',
				new BufferAttribute(new Float32Array(3 * lines.length), 3).setUsage(DynamicDrawUsage),
			);
			material.vertexColors = true;
			material.opacity = 0.95;
		} else {
			geometry.setAttribute(
				'position',
				new BufferAttribute(this.mesh.points.slice(), 3).setUsage(DynamicDrawUsage),
			);
			geometry.setIndex(new BufferAttribute(lines, 1));
			material.color.set('#7cc4ff');
		}
		this.wire = new LineSegments(geometry, material);
		this.wire.frustumCulled = false;
		this.wire.renderOrder = 2;
		this.group.add(this.wire);
	}

	makeSolid(kept) {
		const colours = layerColours.map((colour) => new Color(colour));
		const material = new MeshStandardMaterial({ roughness: 0.8, flatShading: true });
		if (this.mesh.kind === 'voxels') {
			this.solid = makeVoxels(this.mesh, kept, colours, material);
		} else {
			this.neighbours ??= findNeighbours(this.mesh);
			this.solid = makeTets(this.mesh, kept, colours, material, this.neighbours);
		}
		this.solid.frustumCulled = false;
		this.solid.castShadow = true;
		this.group.add(this.solid);
	}

	/** Places of the points as they are now. */
	update(places) {
		if (!this.mesh || places.length !== this.mesh.points.length) {
			return;
		}
		this.places = places;
		if (this.wire?.geometry.index) {
			copyInto(this.wire.geometry, places);
		} else if (this.wire) {
			gather(this.wire.geometry, places, this.mesh.lines);
		}
		if (this.solid?.isInstancedMesh) {
			moveVoxels(this.solid, places);
		} else if (this.solid) {
			gather(this.solid.geometry, places, this.solid.userData.corners);
		}
	}
}

function copyInto(geometry, places) {
	geometry.attributes.position.array.set(places);
	geometry.attributes.position.needsUpdate = true;
}

function gather(geometry, places, points) {
	const { array } = geometry.attributes.position;
	for (let i = 0; i < points.length; ++i) {
		const from = 3 * points[i];
		array[3 * i] = places[from];
		array[3 * i + 1] = places[from + 1];
		array[3 * i + 2] = places[from + 2];
	}
	geometry.attributes.position.needsUpdate = true;
}

function findMiddles({ kind, points, tets }) {
	if (kind === 'voxels' || !tets?.length) {
		return points;
	}
	const middles = new Float32Array((3 * tets.length) / 4);
	for (let i = 0; i < tets.length; ++i) {
		for (let axis = 0; axis < 3; ++axis) {
			middles[3 * (i >> 2) + axis] += 0.25 * points[3 * tets[i] + axis];
		}
	}
	return middles;
}

/** For each face of each tetrahedron the tetrahedron behind it, -1 where there is none. */
function findNeighbours({ tets, points }) {
	const count = points.length / 3;
	const neighbours = new Int32Array(tets.length).fill(-1);
	const open = new Map();
	for (let face = 0; face < tets.length; ++face) {
		const tet = face & ~3;
		const [a, b, c] = tetFaces[face & 3].map((corner) => tets[tet + corner]).sort((x, y) => x - y);
		const key = (a * count + b) * count + c;
		const other = open.get(key);
		if (other === undefined) {
			open.set(key, face);
		} else {
			neighbours[face] = other >> 2;
			neighbours[other] = tet >> 2;
			open.delete(key);
		}
	}
	return neighbours;
}

/** The border of the tetrahedra that are kept, each face in the colour of the layer that it belongs to. */
function makeTets({ tets, layer }, kept, colours, material, neighbours) {
	const corners = [];
	const shades = [];
	for (let face = 0; face < tets.length; ++face) {
		const tet = face >> 2;
		const other = neighbours[face];
		if (!kept[tet] || (other >= 0 && kept[other])) {
			continue;
		}
		const { r, g, b } = colours[(layer?.[tet] ?? 0) % colours.length];
		for (const corner of tetFaces[face & 3]) {
			corners.push(tets[4 * tet + corner]);
			shades.push(r, g, b);
		}
	}
	const geometry = new BufferGeometry();
	geometry.setAttribute(
		'position',
		new BufferAttribute(new Float32Array(3 * corners.length), 3).setUsage(DynamicDrawUsage),
	);
	geometry.setAttribute('color', new BufferAttribute(Float32Array.from(shades), 3));
	material.vertexColors = true;
	const mesh = new Mesh(geometry, material);
	mesh.userData.corners = Uint32Array.from(corners);
	return mesh;
}

function makeVoxels({ points, layer, size }, kept, colours, material) {
	const shown = [];
	for (let i = 0; i < points.length / 3; ++i) {
		if (kept[i]) {
			shown.push(i);
		}
	}
	const mesh = new InstancedMesh(new BoxGeometry(0.92 * size, 0.92 * size, 0.92 * size), material, shown.length);
	shown.forEach((voxel, i) => mesh.setColorAt(i, colours[(layer?.[voxel] ?? 0) % colours.length]));
	mesh.userData.shown = shown;
	return mesh;
}

function moveVoxels(mesh, places) {
	const matrix = new Matrix4();
	mesh.userData.shown.forEach((voxel, i) => {
		matrix.setPosition(places[3 * voxel], places[3 * voxel + 1], places[3 * voxel + 2]);
		mesh.setMatrixAt(i, matrix);
	});
	mesh.instanceMatrix.needsUpdate = true;
}
