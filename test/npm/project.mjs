// SPDX-License-Identifier: MIT
// A project of a user: the tarball installed by npm, engines beside it, models to load. Bundlers come from packages/supple.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export const root = join(import.meta.dirname, '../..');
export const web = resolve(process.env.SUPPLE_WEB ?? join(root, 'build/web'));
/** One for each file of tests, which run at the same time. */
export const project = join(web, 'npm', basename(process.argv[1], '.test.mjs'));
const tools = join(root, 'packages/supple');
export const requireTool = createRequire(join(tools, 'package.json'));
/** A module as a program of the project gets it. */
export const importInstalled = async (name) => (await import(pathToFileURL(join(project, 'load.mjs')))).load(name);

export function createProject() {
	rmSync(project, { recursive: true, force: true });
	mkdirSync(join(project, 'public/models'), { recursive: true });
	writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
	writeFileSync(join(project, 'load.mjs'), 'export const load = (name) => import(name);\n');
	execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', join(web, 'supple.tgz')], { cwd: project });
	for (const name of ['three', '@babylonjs', '@types']) {
		symlinkSync(join(tools, 'node_modules', name), join(project, 'node_modules', name));
	}
	cpSync(join(root, 'examples/web'), project, { recursive: true });
	cpSync(join(import.meta.dirname, 'pages'), project, { recursive: true });
	cpSync(join(import.meta.dirname, 'usage.ts'), join(project, 'usage.ts'));
}

/** Built-in characters as files. */
export async function writeModels(supple, names) {
	for (const name of names) {
		const character = supple.loadBuiltin(name);
		writeFileSync(join(project, `public/models/${name}.glb`), character.write());
		character.destroy();
	}
}

const page = (script, head = '') => `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">${head}<body><script type="module" src="${script}"></script>`;

function addPage(folder, name, script, head) {
	const output = join(project, folder);
	cpSync(join(project, 'public'), output, { recursive: true });
	writeFileSync(join(output, `${name}.html`), page(script, head));
}

export async function bundleByVite() {
	const { build } = await import(pathToFileURL(join(tools, 'node_modules/vite/dist/node/index.js')));
	const input = ['one', 'ten', 'pull', 'settings'].map((name) => join(project, `${name}.html`));
	// relative addresses, because the server of the tests has folders; nothing that Supple asks for
	await build({ root: project, configFile: false, base: './', logLevel: 'error',
		build: { outDir: 'vite', rollupOptions: { input }, chunkSizeWarningLimit: 5000, minify: false } });
}

export async function bundleByWebpack() {
	const webpack = requireTool('webpack');
	const stats = await new Promise((done, failed) => webpack({
		mode: 'production', context: project, entry: './check.js', output: { path: join(project, 'webpack'), filename: 'check.js' },
		optimization: { minimize: false }, performance: false,
	}, (error, result) => (error ? failed(error) : done(result))));
	if (stats.hasErrors() || stats.hasWarnings()) {
		throw new Error(stats.toString({ all: false, errors: true, warnings: true }));
	}
	addPage('webpack', 'check', './check.js');
}

export async function bundleByEsbuild() {
	const { build } = requireTool('esbuild');
	const { warnings } = await build({
		absWorkingDir: project, entryPoints: ['check.js', 'babylon.js'], bundle: true, format: 'esm', splitting: true, outdir: 'esbuild',
		logLevel: 'silent',
	});
	addPage('esbuild', 'check', './check.js');
	addPage('esbuild', 'babylon', './babylon.js');
	return warnings;
}

/** No bundler: modules as they lie in node_modules, found by an import map. */
export function writePlainPage() {
	const imports = {
		three: './node_modules/three/build/three.module.js',
		'three/addons/': './node_modules/three/examples/jsm/',
		supple: './node_modules/supple/src/index.js',
		'supple/three': './node_modules/supple/src/three.js',
	};
	writeFileSync(join(project, 'check.html'), page('./check.js', `<script type="importmap">${JSON.stringify({ imports })}</script>`));
	cpSync(join(project, 'public/models'), join(project, 'models'), { recursive: true });
}
