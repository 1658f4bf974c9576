// SPDX-License-Identifier: MIT
// Presets of single methods, beside those of softness that the library has for all of them (supple.methods[].presets):
// parameters that differ from their standard.

export const presets = {
	position: [{ name: 'Real units', tip: 'Compliance of the tissues', parameters: { mode: 1 } }],
	lattice: [{ name: 'Fine', tip: 'More voxels', parameters: { resolution: 48 } }],
	points: [{ name: 'Sagging', tip: 'Hangs by its own weight', parameters: { sag: 1 } }],
	layered: [
		{ name: 'Gives way', tip: 'Follows the clip, but can be pushed', parameters: { strength: 0.3 } },
		{ name: 'Ragdoll', tip: 'Falls', parameters: { strength: 0, root: 0 } },
	],
	fem: [{ name: 'Sagging', tip: 'Hangs by its own weight', parameters: { sag: 1 } }],
	modes: [{ name: 'Sagging', tip: 'Hangs by its own weight', parameters: { sag: 1 } }],
};
