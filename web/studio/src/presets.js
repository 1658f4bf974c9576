// SPDX-License-Identifier: MIT
// Starting points for each method: parameters that differ from their standard.

export const presets = {
	position: [
		{ name: 'Standard', parameters: {} },
		{ name: 'Firm', tip: 'Muscle: a short tremble', parameters: { frequency: 9, damping: 0.5 } },
		{ name: 'Jelly', tip: 'Swings long and wide', parameters: { frequency: 2.2, damping: 0.06, reach: 2.5 } },
		{ name: 'Heavy', tip: 'Slow, and hangs down', parameters: { frequency: 2, damping: 0.35, sag: 0.6, reach: 2 } },
		{ name: 'Real units', tip: 'Compliance of the tissues', parameters: { mode: 1 } },
	],
	lattice: [
		{ name: 'Standard', parameters: {} },
		{
			name: 'Firm',
			tip: 'Athletic',
			parameters: { 'muscle.frequency': 20, 'fat.frequency': 8, 'fat.damping': 0.6 },
		},
		{
			name: 'Jelly',
			tip: 'Swings long and wide',
			parameters: { 'muscle.frequency': 6, 'fat.frequency': 1.8, 'fat.damping': 0.1, 'fat.matching': 2 },
		},
		{ name: 'Fine', tip: 'More voxels', parameters: { resolution: 48 } },
	],
	points: [
		{ name: 'Standard', parameters: {} },
		{ name: 'Firm', tip: 'Five times as stiff', parameters: { stretch: 1e5, volume: 5e5 } },
		{ name: 'Jelly', tip: 'A quarter as stiff', parameters: { stretch: 5e3, volume: 5e4, damping: 0.001 } },
		{ name: 'Sagging', tip: 'Hangs by its own weight', parameters: { sag: 1 } },
	],
	layered: [
		{ name: 'Standard', parameters: {} },
		{ name: 'Gives way', tip: 'Follows the clip, but can be pushed', parameters: { strength: 0.3 } },
		{ name: 'Ragdoll', tip: 'Falls', parameters: { strength: 0, root: 0 } },
		{ name: 'Soft skin', tip: 'A third as stiff', parameters: { stiffness: 2000, drag: 0.3 } },
	],
	fem: [
		{ name: 'Standard', parameters: {} },
		{ name: 'Firm', tip: 'Four times as stiff', parameters: { stiffness: 4 } },
		{ name: 'Jelly', tip: 'Swings at 2 Hz, hardly damped', parameters: { frequency: 2, damping: 0.05 } },
		{ name: 'Sagging', tip: 'Hangs by its own weight', parameters: { sag: 1 } },
	],
};
