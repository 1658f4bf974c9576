// SPDX-License-Identifier: MIT
// Rig mode: joints are clicked into a mesh. A click puts a joint halfway between the skin in front and behind, hangs it
// on the joint that is selected and selects it; a click on a joint selects that one.
import { Color } from 'three';
import { Skeleton } from './skeleton.js';

const nearPixels = 12;
const colours = { selected: new Color('#ff7a45'), root: new Color('#4aa8ff'), other: new Color('#ffffff') };

export class Rigger {
	constructor({ store, session, viewport, notices }) {
		Object.assign(this, { store, session, viewport, notices });
		this.skeleton = null;
		this.past = [];
		this.future = [];
		store.watch(['character'], () => {
			this.past = [];
			this.future = [];
			store.set({ rig: emptyRig() });
		});
		store.watch(['rig', 'tool'], ({ rig, tool }) => this.draw(rig, tool));
	}

	/** Another rig, which can be taken back. */
	edit(rig) {
		this.past.push(this.store.values.rig);
		this.future = [];
		this.store.set({ rig });
	}

	/** True where there was something to take back. */
	undo() {
		return this.travel(this.past, this.future);
	}

	redo() {
		return this.travel(this.future, this.past);
	}

	travel(from, to) {
		const { tool, rig } = this.store.values;
		if (tool !== 'rig' || from.length === 0) {
			return false;
		}
		to.push(rig);
		this.store.set({ rig: from.pop() });
		return true;
	}

	async press({ origin, direction, view }, hit, [clientX, clientY]) {
		const near = this.findNear(clientX, clientY, view);
		const { rig } = this.store.values;
		if (near >= 0) {
			this.store.set({ rig: { ...rig, selected: near } });
			return;
		}
		if (!hit) {
			this.store.set({ rig: { ...rig, selected: -1 } });
			return;
		}
		try {
			const workshop = await this.session.needWorkshop();
			const { place } = await workshop.request('rigJoint', { origin, direction });
			this.addJoint(place);
		} catch (error) {
			this.notices.error(error.message);
		}
	}

	findNear(clientX, clientY, view) {
		const bounds = this.viewport.canvas.getBoundingClientRect();
		return this.store.values.rig.joints.findIndex(({ place }) => {
			const [x, y] = this.viewport.project(place, view);
			return Math.hypot(x - clientX + bounds.left, y - clientY + bounds.top) < nearPixels;
		});
	}

	addJoint(place) {
		const { rig } = this.store.values;
		const index = rig.joints.length;
		const joints = [...rig.joints, { name: `joint${index}`, place }];
		const bones = rig.selected >= 0 ? [...rig.bones, [rig.selected, index]] : rig.bones;
		this.edit({ ...rig, joints, bones, selected: index, root: rig.root < 0 ? index : rig.root });
	}

	rename(name) {
		const { rig } = this.store.values;
		const joints = rig.joints.map((joint, i) => (i === rig.selected ? { ...joint, name } : joint));
		this.edit({ ...rig, joints });
	}

	setRoot() {
		const { rig } = this.store.values;
		this.edit({ ...rig, root: rig.selected });
	}

	/** Takes the selected joint away; its bones go too. */
	remove() {
		const { rig } = this.store.values;
		const gone = rig.selected;
		if (gone < 0) {
			return;
		}
		const renumber = (index) => (index > gone ? index - 1 : index);
		const parent = rig.bones.find(([, b]) => b === gone)?.[0] ?? -1;
		this.edit({
			joints: rig.joints.filter((_, i) => i !== gone),
			bones: rig.bones.filter((bone) => !bone.includes(gone)).map((bone) => bone.map(renumber)),
			root: rig.root === gone ? -1 : renumber(rig.root),
			selected: parent >= 0 ? renumber(parent) : -1,
		});
	}

	clear() {
		this.edit(emptyRig());
	}

	async bind() {
		const { joints, bones, root } = this.store.values.rig;
		try {
			await this.session.bind({ joints, bones, root });
			this.store.set({ playing: true });
			this.notices.tell('Bound. Choose a motion below, drop a BVH file, or pull its flesh.');
		} catch (error) {
			this.notices.error(error.message);
		}
	}

	draw({ joints, bones, selected, root }, tool) {
		this.skeleton?.dispose();
		this.skeleton = null;
		if (tool !== 'rig' || joints.length === 0) {
			return;
		}
		const nodes = joints.map((_, i) => ({ parent: bones.find(([, b]) => b === i)?.[0] ?? -1, isJoint: true }));
		const matrices = new Float32Array(12 * joints.length);
		joints.forEach(({ place }, i) => matrices.set(place, 12 * i + 9));
		this.skeleton = new Skeleton(nodes);
		this.skeleton.update(matrices, 1.6 * this.viewport.size);
		joints.forEach((_, i) => {
			this.skeleton.dots.setColorAt(
				i,
				i === selected ? colours.selected : i === root ? colours.root : colours.other,
			);
		});
		this.viewport.scene.add(this.skeleton.group);
	}
}

function emptyRig() {
	return { joints: [], bones: [], root: -1, selected: -1 };
}
