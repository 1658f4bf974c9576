// SPDX-License-Identifier: MIT
// Joints and bones for a mesh that has none.
import { Character } from './character.js';
import { checkNumbers, Resource } from './resource.js';

export class Rig extends Resource {
	constructor(supple, pointer, character) {
		super(supple, pointer, [character]);
		this.character = character;
	}

	release() {
		this.supple.module._supWeb_DestroyRig(this.pointer);
	}

	#joint(number) {
		return number < 0 ? this.supple.fail() : number;
	}

	/** Halfway between the first two places where the ray meets the skin. Returns the number of the joint. */
	addJoint(name, origin, direction) {
		checkNumbers('ray', ...origin, ...direction);
		return this.#joint(this.supple.withText(name ?? '',
			(text) => this.supple.module._supWeb_AddJoint(this.check(), text, ...origin, ...direction)));
	}

	addJointAt(name, place) {
		checkNumbers('place', ...place);
		return this.#joint(this.supple.withText(name ?? '',
			(text) => this.supple.module._supWeb_AddJointAt(this.check(), text, ...place)));
	}

	addBone(a, b) {
		this.supple.ok(this.supple.module._supWeb_AddBone(this.check(), a, b));
	}

	setRoot(joint) {
		this.supple.ok(this.supple.module._supWeb_SetRoot(this.check(), joint));
	}

	/** [{ name, position }] */
	joints() {
		return this.supple.json(this.supple.module._supWeb_Joints(this.check()));
	}

	/** The mesh with this skeleton and weights, as a new character. method: geodesic or heuristic. */
	bind({ method = 'geodesic', resolution = 0, influences = 0 } = {}) {
		const pointer = this.supple.module._supWeb_Bind(this.character.check(), this.check(), method === 'heuristic',
			resolution, influences);
		return new Character(this.supple, this.supple.ok(pointer));
	}
}
