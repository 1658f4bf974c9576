// SPDX-License-Identifier: MIT
// Rig mode: joints are clicked into a mesh. A click puts a joint halfway between the skin in front and behind, hangs it
// on the joint that is selected and selects it; a click on a joint selects that one.
import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Points, PointsMaterial } from 'three';

const nearPixels = 12;

export class Rigger {
	constructor({ store, session, viewport, notices }) {
		Object.assign(this, { store, session, viewport, notices });
		this.group = new Group();
		this.lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: '#ffffff', depthTest: false, transparent: true }));
		this.dots = new Points(new BufferGeometry(), new PointsMaterial({ size: 11, sizeAttenuation: false, vertexColors: true, depthTest: false, transparent: true }));
		for (const child of [this.lines, this.dots]) {
			child.renderOrder = 20;
			child.frustumCulled = false;
			this.group.add(child);
		}
		viewport.scene.add(this.group);
		store.watch(['character'], () => store.set({ rig: emptyRig() }));
		store.watch(['rig', 'tool'], ({ rig, tool }) => this.draw(rig, tool));
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
		this.store.set({ rig: { ...rig, joints, bones, selected: index, root: rig.root < 0 ? index : rig.root } });
	}

	rename(name) {
		const { rig } = this.store.values;
		const joints = rig.joints.map((joint, i) => (i === rig.selected ? { ...joint, name } : joint));
		this.store.set({ rig: { ...rig, joints } });
	}

	setRoot() {
		const { rig } = this.store.values;
		this.store.set({ rig: { ...rig, root: rig.selected } });
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
		this.store.set({
			rig: {
				joints: rig.joints.filter((_, i) => i !== gone),
				bones: rig.bones.filter((bone) => !bone.includes(gone)).map((bone) => bone.map(renumber)),
				root: rig.root === gone ? -1 : renumber(rig.root),
				selected: parent >= 0 ? renumber(parent) : -1,
			},
		});
	}

	clear() {
		this.store.set({ rig: emptyRig() });
	}

	async bind() {
		const { joints, bones, root } = this.store.values.rig;
		try {
			await this.session.bind({ joints, bones, root });
			this.notices.tell('Bound. Drop a BVH file to make it move, or pull its flesh.');
		} catch (error) {
			this.notices.error(error.message);
		}
	}

	draw({ joints, bones, selected, root }, tool) {
		this.group.visible = tool === 'rig';
		const places = new Float32Array(joints.flatMap(({ place }) => [...place]));
		const colours = joints.flatMap((_, i) => (i === selected ? [1, 0.55, 0.3] : i === root ? [0.45, 0.8, 1] : [1, 1, 1]));
		replace(this.dots, { position: places, color: Float32Array.from(colours) });
		replace(this.lines, { position: Float32Array.from(bones.flatMap(([a, b]) => [...joints[a].place, ...joints[b].place])) });
	}
}

function emptyRig() {
	return { joints: [], bones: [], root: -1, selected: -1 };
}

function replace(object, attributes) {
	object.geometry.dispose();
	object.geometry = new BufferGeometry();
	for (const [name, array] of Object.entries(attributes)) {
		object.geometry.setAttribute(name, new BufferAttribute(array, 3));
	}
}
