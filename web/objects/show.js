// SPDX-License-Identifier: MIT
// A scene file, played as `supple bake scene.json` plays it.
import { Character } from './character.js';
import { checkNumbers, Resource } from './resource.js';
import { Scene } from './scene.js';

// Parts of a show belong to it.
class Part extends Character {
	release() {}
}

class ShowScene extends Scene {
	release() {}
}

export class Show extends Resource {
	#description = null;

	constructor(supple, pointer) {
		super(supple, pointer);
		this.scene = new ShowScene(supple, supple.module._supWeb_ShowScene(pointer));
	}

	release() {
		this.scene.destroy();
		this.supple.module._supWeb_CloseShow(this.pointer);
	}

	/**
	 * As Character.describe(), of everything in it: instances of all actors and colliders in the order of surface(). Beside
	 * that duration, and parts: name, number of instances and method of each, "" where it is no actor.
	 */
	describe() {
		if (this.#description) {
			return this.#description;
		}
		const own = this.supple.json(this.supple.module._supWeb_DescribeShow(this.check()));
		const all = { ...own, nodes: [], skins: [], clips: [], motions: [], notes: [], meshes: [], instances: [], materials: [],
			images: [] };
		own.parts.forEach((_, i) => {
			const part = new Part(this.supple, this.supple.module._supWeb_ShowPart(this.pointer, i)).describe();
			const first = { mesh: all.meshes.length, material: all.materials.length, image: all.images.length };
			const shift = (index, by) => (index >= 0 ? index + by : index);
			all.images.push(...part.images);
			all.materials.push(...part.materials.map((one) => ({ ...one, image: shift(one.image, first.image) })));
			all.meshes.push(...part.meshes.map((mesh) => ({ ...mesh,
				primitives: mesh.primitives.map((one) => ({ ...one, material: shift(one.material, first.material) })) })));
			own.parts[i].instanceCount = part.instances.length;
			all.instances.push(...part.instances.map((one) => ({ ...one, mesh: one.mesh + first.mesh, skin: -1 })));
		});
		this.#description = all;
		return all;
	}

	/** Everything where it begins. */
	begin() {
		this.supple.ok(this.supple.module._supWeb_BeginShow(this.check()));
	}

	step(dt) {
		checkNumbers('dt', dt);
		this.supple.module._supWeb_AdvanceShow(this.check(), Math.max(dt, 0));
	}

	get time() {
		return this.supple.module._supWeb_ShowTime(this.check());
	}

	/** Positions of all instances, then as many normals; until the next call that may make memory grow. */
	surface() {
		const m = this.supple.module;
		const pointer = m._supWeb_ShowSurface(this.check());
		return this.supple.floats(pointer, 6 * m._supWeb_ShowVertexCount(this.pointer));
	}

	/** Takes hold of whom the ray meets first; false where it meets nobody. */
	startDrag(origin, direction, { radius = 0, frequency = 0 } = {}) {
		checkNumbers('ray', ...origin, ...direction);
		const held = this.supple.module._supWeb_StartShowDrag(this.check(), ...origin, ...direction, radius, frequency);
		return held < 0 ? this.supple.fail() : held > 0;
	}

	moveDrag(target) {
		checkNumbers('target', ...target);
		this.supple.module._supWeb_MoveShowDrag(this.check(), ...target);
	}

	endDrag() {
		this.supple.module._supWeb_EndShowDrag(this.check());
	}
}
