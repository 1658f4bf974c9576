// SPDX-License-Identifier: MIT
// The character as it is drawn: geometry that the simulation moves, materials and pictures of the file, heat in place of
// them.
import {
	BufferAttribute,
	BufferGeometry,
	Color,
	DoubleSide,
	DynamicDrawUsage,
	FrontSide,
	Group,
	Mesh,
	MeshLambertMaterial,
	MeshStandardMaterial,
	RepeatWrapping,
	SRGBColorSpace,
	Texture,
} from 'three';

/** The pictures of a character as textures; decoded by the browser off the main thread. */
export async function loadTextures(images) {
	return Promise.all(
		images.map(async ({ mime, bytes }) => {
			try {
				const bitmap = await createImageBitmap(new Blob([bytes], { type: mime }), { imageOrientation: 'none' });
				const texture = new Texture(bitmap);
				texture.flipY = false;
				texture.colorSpace = SRGBColorSpace;
				texture.wrapS = texture.wrapT = RepeatWrapping;
				texture.anisotropy = 4;
				texture.needsUpdate = true;
				return texture;
			} catch {
				return null;
			}
		}),
	);
}

/** What all bodies share: how strongly heat covers the material, and the cut. */
export const shading = {
	heatShare: { value: 0 },
	ramp: { value: 0 },
};

// 0: dark blue over violet and orange to white; 1: softness, from slate to warm orange.
const heatChunk = `
uniform float heatShare;
uniform int ramp;
varying float vHeat;
vec3 heatColour( float t ) {
	t = clamp( t, 0.0, 1.0 );
	vec3 soft = mix( vec3( 0.10, 0.13, 0.19 ), mix( vec3( 0.82, 0.19, 0.10 ), vec3( 1.0, 0.62, 0.14 ), t * t ), smoothstep( 0.0, 0.75, t ) );
	vec3 fire = clamp( vec3( -0.05 + 2.4 * t - 1.3 * t * t, -0.10 + 0.1 * t + 1.0 * t * t, 0.12 + 2.4 * t - 5.4 * t * t + 3.2 * t * t * t ), 0.0, 1.0 );
	return ramp == 1 ? soft : fire;
}
`;

function addHeat(material) {
	material.onBeforeCompile = (shader) => {
		Object.assign(shader.uniforms, shading);
		shader.vertexShader = shader.vertexShader
			.replace('#include <common>', '#include <common>\nattribute float heat;\nvarying float vHeat;')
			.replace('#include <begin_vertex>', '#include <begin_vertex>\nvHeat = heat;');
		shader.fragmentShader = shader.fragmentShader
			.replace('#include <common>', `#include <common>\n${heatChunk}`)
			.replace(
				'#include <color_fragment>',
				`#include <color_fragment>
	diffuseColor.rgb = mix( diffuseColor.rgb, heatColour( vHeat ), heatShare );
	diffuseColor.a = mix( diffuseColor.a, 1.0, heatShare );`,
			);
	};
	return material;
}

function makeMaterial(source, textures, hasColours, isFine) {
	const material = isFine
		? new MeshStandardMaterial({ roughness: 0.75, metalness: 0, vertexColors: hasColours })
		: new MeshLambertMaterial({ vertexColors: hasColours });
	if (source) {
		const [r, g, b, a] = source.color;
		material.color = new Color(r, g, b);
		if (isFine) {
			material.metalness = Math.min(source.metallic ?? 0, 0.6);
			material.roughness = Math.max(source.roughness ?? 0.75, 0.35);
		}
		material.map = textures[source.image] ?? null;
		material.side = source.doubleSided ? DoubleSide : FrontSide;
		if (source.alpha === 'mask') {
			material.alphaTest = source.alphaCutoff ?? 0.5;
		} else if (source.alpha === 'blend') {
			material.transparent = true;
			material.opacity = a;
			material.depthWrite = a > 0.5;
		}
	}
	return addHeat(material);
}

function makeGeometry(mesh, first, surface) {
	const geometry = new BufferGeometry();
	const length = 3 * mesh.vertexCount;
	const half = surface.length / 2;
	const dynamic = (array) => {
		const attribute = new BufferAttribute(array, 3);
		attribute.setUsage(DynamicDrawUsage);
		return attribute;
	};
	geometry.setAttribute('position', dynamic(surface.slice(first, first + length)));
	geometry.setAttribute('normal', dynamic(surface.slice(half + first, half + first + length)));
	geometry.setAttribute('heat', new BufferAttribute(new Float32Array(mesh.vertexCount), 1));
	if (mesh.uv) {
		geometry.setAttribute('uv', new BufferAttribute(mesh.uv, 2));
	}
	if (mesh.color) {
		geometry.setAttribute('color', new BufferAttribute(mesh.color, mesh.color.length / mesh.vertexCount));
	}
	geometry.setIndex(new BufferAttribute(mesh.indices, 1));
	mesh.primitives.forEach(({ first: begin, count }, i) => geometry.addGroup(begin, count, i));
	return geometry;
}

export class Body {
	/**
	 * @param {object} description what character.describe() gave
	 * @param {Float32Array} surface positions of all instances, then normals
	 * @param {Texture[]} textures
	 * @param {boolean} isFine false: what is quick to draw
	 */
	constructor(description, surface, textures, isFine) {
		this.group = new Group();
		this.parts = [];
		this.isGhost = false;
		let first = 0;
		for (const { mesh: index } of description.instances) {
			const mesh = description.meshes[index];
			const materials = mesh.primitives.map(({ material }) =>
				makeMaterial(description.materials[material], textures, Boolean(mesh.color), isFine),
			);
			const geometry = makeGeometry(mesh, first, surface);
			// a file without normals is drawn in facets, as glTF asks
			const isFaceted = geometry.attributes.normal.array.every((value) => value === 0);
			materials.forEach((material) => (material.flatShading = isFaceted));
			const drawn = new Mesh(geometry, materials);
			drawn.castShadow = drawn.receiveShadow = true;
			// places change each frame, and so would the bounds
			drawn.frustumCulled = false;
			this.group.add(drawn);
			this.parts.push({ drawn, first, length: 3 * mesh.vertexCount, indices: mesh.indices });
			first += 3 * mesh.vertexCount;
		}
		this.length = first;
	}

	/** Positions and normals as they came from the simulation; copied. */
	setSurface(surface) {
		if (surface.length !== 2 * this.length) {
			return;
		}
		for (const { drawn, first, length } of this.parts) {
			const { position, normal } = drawn.geometry.attributes;
			position.array.set(surface.subarray(first, first + length));
			normal.array.set(surface.subarray(this.length + first, this.length + first + length));
			position.needsUpdate = normal.needsUpdate = true;
		}
	}

	/** A number for each vertex of all instances, 0 .. 1 after scaling. */
	setHeat(values, scale = 1) {
		for (const { drawn, first, length } of this.parts) {
			const { heat } = drawn.geometry.attributes;
			const begin = first / 3;
			for (let i = 0; i < length / 3; ++i) {
				heat.array[i] = values[begin + i] * scale;
			}
			heat.needsUpdate = true;
		}
	}

	/** Skin that is seen through, so that what is inside can be seen. */
	setGhost(ghost) {
		if (ghost === this.isGhost) {
			return;
		}
		this.isGhost = ghost;
		for (const { drawn } of this.parts) {
			drawn.castShadow = !ghost;
			for (const material of drawn.material) {
				material.userData.plain ??= {
					transparent: material.transparent,
					opacity: material.opacity,
					depthWrite: material.depthWrite,
				};
				const plain = material.userData.plain;
				material.transparent = ghost || plain.transparent;
				material.opacity = ghost ? 0.16 : plain.opacity;
				material.depthWrite = ghost ? false : plain.depthWrite;
				material.needsUpdate = true;
			}
		}
	}

	dispose() {
		for (const { drawn } of this.parts) {
			drawn.geometry.dispose();
			drawn.material.forEach((material) => material.dispose());
		}
		this.group.removeFromParent();
	}
}
