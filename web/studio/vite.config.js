// SPDX-License-Identifier: MIT
// Relative addresses, so that the page works from any folder of any host. What the page needs beside its modules (the
// library as WebAssembly, ready-made flesh) is put together by scripts/studio.sh.
import { defineConfig } from 'vite';

const isolated = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

export default defineConfig({
	base: './',
	publicDir: '../../build/web/page',
	build: {
		outDir: '../../build/web/studio',
		emptyOutDir: true,
		target: 'es2022',
		assetsInlineLimit: 0,
		chunkSizeWarningLimit: 1200,
	},
	worker: { format: 'es' },
	server: { headers: isolated },
	preview: { headers: isolated },
});
