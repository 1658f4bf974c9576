// SPDX-License-Identifier: MIT
// How much of each vertex hangs on one joint.

/** Of all instances one after the other; null where the character says nothing about its skins. */
export function weightsOf(description, node) {
	const { meshes, instances, skins } = description;
	if (!skins) {
		return null;
	}
	const total = instances.reduce((sum, { mesh }) => sum + meshes[mesh].vertexCount, 0);
	const values = new Float32Array(total);
	let first = 0;
	for (const { mesh: index, skin, node: carrier } of instances) {
		const mesh = meshes[index];
		const joint = skins[skin]?.joints.indexOf(node) ?? -1;
		if (skin < 0 && carrier === node) {
			values.fill(1, first, first + mesh.vertexCount);
		}
		if (mesh.joints && joint >= 0) {
			for (let i = 0; i < mesh.joints.length; ++i) {
				if (mesh.joints[i] === joint) {
					values[first + Math.floor(i / mesh.influences)] += mesh.weights[i];
				}
			}
		}
		first += mesh.vertexCount;
	}
	return values;
}
