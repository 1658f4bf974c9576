// SPDX-License-Identifier: MIT
// build.mjs BUILD: puts the npm package together in BUILD/package from what the web preset has compiled into BUILD, and packs it:
// BUILD/package/supple-VERSION.tgz.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = import.meta.dirname;
const root = join(here, '../..');
const compiled = resolve(process.argv[2] ?? join(root, 'build/web'));
const output = join(compiled, 'package');
const builds = {
	all: 'supple', all_threads: 'supple-threads',
	methods: 'supple-methods', methods_threads: 'supple-methods-threads',
	position: 'supple-position', position_threads: 'supple-position-threads',
};

function fail(message) {
	console.error(`package: ${message}`);
	process.exit(1);
}

/** Bundlers would look for the files that emscripten's code names; here they are never asked for. */
function unlink(text) {
	return text.replaceAll(/new URL\(("[^"]*"),\s*import\.meta\.url\)(\.toString\(\))?/g, '$1');
}

function readBuild(name) {
	const file = (extension) => join(compiled, `${name}.${extension}`);
	if (!existsSync(file('wasm'))) {
		fail(`${file('wasm')} is missing; build it first: cmake --preset web && cmake --build build/web`);
	}
	const glue = unlink(readFileSync(file('mjs'), 'utf8'));
	if (!glue.includes('_scriptDir=import.meta.url') && !glue.includes('_scriptDir = import.meta.url')) {
		fail(`${file('mjs')} is not what emscripten used to write`);
	}
	return {
		glue,
		wasm: gzipSync(readFileSync(file('wasm')), { level: 9 }).toString('base64'),
		thread: existsSync(file('worker.js')) ? readFileSync(file('worker.js'), 'utf8') : '',
	};
}

rmSync(output, { recursive: true, force: true });
mkdirSync(join(output, 'src/builds'), { recursive: true });
for (const part of ['src', 'types', 'README.md']) {
	cpSync(join(here, part), join(output, part), { recursive: true });
}
cpSync(join(root, 'LICENSE'), join(output, 'LICENSE'));
cpSync(join(root, 'web/objects'), join(output, 'src/objects'), { recursive: true });
const { devDependencies, overrides, prettier, ...about } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
about.version = readFileSync(join(root, 'CMakeLists.txt'), 'utf8').match(/VERSION (\d+\.\d+\.\d+)/)[1];
writeFileSync(join(output, 'package.json'), JSON.stringify(about, null, 2));

for (const [name, file] of Object.entries(builds)) {
	const { glue, wasm, thread } = readBuild(file);
	writeFileSync(join(output, `src/builds/${name}_glue.js`), glue);
	writeFileSync(join(output, `src/builds/${name}.js`),
		['wasm', 'glue', 'thread'].map((key) => `export const ${key} = ${JSON.stringify({ wasm, glue, thread }[key])};\n`).join(''));
}
// a worker starts from one script: its modules, bundled
const { outputFiles } = await build({
	entryPoints: [join(output, 'src/worker.js')], bundle: true, format: 'esm', minify: true, write: false, logLevel: 'error',
	// builds come from the page
	external: ['./builds/*', 'node:*'],
});
writeFileSync(join(output, 'src/builds/worker.js'), `export const script = ${JSON.stringify(outputFiles[0].text)};\n`);
rmSync(join(output, 'src/worker.js'));

const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts'], { cwd: output, encoding: 'utf8' }).trim().split('\n').at(-1);
renameSync(join(output, packed), join(compiled, 'supple.tgz'));
console.log(join(compiled, 'supple.tgz'));
