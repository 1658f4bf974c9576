// SPDX-License-Identifier: MIT
// What the library calls in JavaScript; linked in by emscripten.
mergeInto(LibraryManager.library, {
	// After each frame of a bake; 0 stops it.
	supWebProgress: function (done, total) {
		return Module.supProgress ? Module.supProgress(done, total) : 1;
	},

	// See meshoptimizer/meshoptimizer.c.
	supWebDecode: function (out, count, stride, bytes, byteCount, mode, filter) {
		const decoder = Module.supDecoder;
		if (!decoder) {
			return 2;
		}
		const modes = ['ATTRIBUTES', 'TRIANGLES', 'INDICES'];
		const filters = ['NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL'];
		const target = new Uint8Array(count * stride);
		try {
			decoder.decodeGltfBuffer(target, count, stride, HEAPU8.slice(bytes, bytes + byteCount), modes[mode], filters[filter]);
		} catch (error) {
			return 1;
		}
		HEAPU8.set(target, out);
		return 0;
	},
});
