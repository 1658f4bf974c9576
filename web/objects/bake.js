// SPDX-License-Identifier: MIT
// Results of a bake, and what they can be written as.
import { Resource } from './resource.js';

export class Bake extends Resource {
	constructor(supple, pointer, flesh, tolerance) {
		super(supple, pointer, [flesh]);
		this.tolerance = tolerance;
		this.report = supple.json(supple.module._supWeb_BakeReport(pointer));
	}

	release() {
		this.supple.module._supWeb_DestroyBake(this.pointer);
	}

	/** The character with its animation as morph targets. */
	glb({ tolerance = this.tolerance } = {}) {
		const m = this.supple.module;
		const pointer = m._supWeb_WriteBake(this.check(), tolerance);
		return this.supple.take(pointer, m._supWeb_BakeSize(this.pointer));
	}

	/**
	 * The character with helper bones under its joints and new skin weights: small, for any engine. progress( percent, 100 )
	 * ends the search where it returns false; what was found until then is written.
	 */
	bonesGlb({ helpers = 32, influences = 4, tolerance = 3e-4, progress = null } = {}) {
		const m = this.supple.module;
		m.supProgress = (done, total) => (progress?.(done, total) === false ? 0 : 1);
		const pointer = m._supWeb_WriteBones(this.check(), tolerance, helpers, influences);
		m.supProgress = null;
		return this.supple.take(pointer, m._supWeb_BakeSize(this.pointer));
	}

	/** One instance as a point cache. */
	pc2(instance = 0) {
		return this.#cache(instance, 'pc2');
	}

	mdd(instance = 0) {
		return this.#cache(instance, 'mdd');
	}

	#cache(instance, extension) {
		const supple = this.supple;
		return supple.withFiles({}, (folder) => supple.withText(`${folder}/cache.${extension}`, (path) => {
			if (!supple.module._supWeb_SaveCache(this.check(), instance, path)) {
				supple.failPlainly(folder);
			}
			return supple.module.FS.readFile(`${folder}/cache.${extension}`);
		}));
	}
}
