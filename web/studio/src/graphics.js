// SPDX-License-Identifier: MIT
// How much drawing costs here.

const software = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Does the processor draw, for want of a graphics card? It has the simulation to do as well. */
export function isDrawnInSoftware() {
	const context = document.createElement('canvas').getContext('webgl2');
	const names = context?.getExtension('WEBGL_debug_renderer_info');
	const name = context?.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER) ?? '';
	context?.getExtension('WEBGL_lose_context')?.loseContext();
	return software.test(name);
}
