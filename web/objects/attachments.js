// SPDX-License-Identifier: MIT
// Attachments of a scene: scene.attach() in supple.js makes them.

/** In the order of supAttachmentKind. */
export const attachmentKinds = ['join', 'slide', 'velocity', 'line', 'triangle'];

/** Places that are held together. Ends by cut(), with its scene or with the first of its actors that is removed. */
export class Attachment {
	#pointer;
	#ended;

	constructor(scene, pointer, places, ended) {
		this.scene = scene;
		this.places = places;
		this.#pointer = pointer;
		this.#ended = ended;
	}

	/** False after cut(), or where its scene or an actor of it is gone. */
	get exists() {
		return this.#pointer !== 0;
	}

	#check() {
		if (!this.exists) {
			throw new this.scene.supple.SuppleError('this attachment has ended: it was cut, or an actor of it was removed');
		}
		return this.#pointer;
	}

	#state() {
		const { supple } = this.scene;
		return Array.from(supple.floats(supple.module._supWeb_AttachmentState(this.#check()), 6));
	}

	/** Ends it. Twice is fine. */
	cut() {
		if (this.exists) {
			this.scene.supple.module._supWeb_Detach(this.scene.check(), this.#pointer);
			this.forget();
		}
	}

	/** The library has ended it. */
	forget() {
		this.#pointer = 0;
		this.#ended();
	}

	get active() {
		return this.#state()[0] !== 0;
	}

	/** Lets go, or takes hold again. */
	set active(active) {
		this.scene.supple.module._supWeb_SetAttachmentActive(this.#check(), active);
	}

	/** It had to pull harder than its breaking force. */
	get broken() {
		return this.#state()[1] !== 0;
	}

	/** Metres between its places as they are drawn. */
	get gap() {
		return this.#state()[2];
	}

	/** Newtons, on the first place. */
	get force() {
		return this.#state().slice(3);
	}

	/** Moves a place of the world, by its number. */
	movePlace(index, [x, y, z]) {
		const { SuppleError, module } = this.scene.supple;
		if (!this.places[index]?.at || ![x, y, z].every(Number.isFinite)) {
			throw new SuppleError(`place ${index}: only a place of the world can be moved, to three numbers`);
		}
		this.scene.supple.ok(module._supWeb_MovePlace(this.#check(), index, x, y, z));
	}
}
