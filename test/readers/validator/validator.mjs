// Everything that Supple writes, judged by gltf-validator: node validator.mjs WRITE_FILES [CHARACTERS]
//
// Files edited may have the errors and warnings that the original has, since what we do not touch is kept as it is. New
// files and frozen ones must have no errors but for pictures that are missing beside the original too.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, relative } from 'node:path';
import validator from 'gltf-validator';

const SKIP = 77;
const REFUSED = 3;
const NOTHING_TO_BAKE = 4;
const refusals = ['CesiumMan-Draco/CesiumMan.gltf'];
const severities = ['errors', 'warnings'];

const [writeFiles, folder = join(process.env.SUPPLE_ASSETS ?? '', 'characters')] = process.argv.slice(2);

/** Issues of one file: { errors: Map of code to [pointer, ...], warnings: ... }. */
async function validate(path) {
	const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), {
		uri: basename(path),
		maxIssues: 0,
		externalResourceFunction: async (uri) => new Uint8Array(readFileSync(join(dirname(path), decodeURIComponent(uri)))),
	});
	const found = { errors: new Map(), warnings: new Map() };
	for (const issue of report.issues.messages) {
		const issues = found[severities[issue.severity]];
		issues?.set(issue.code, [...(issues.get(issue.code) ?? []), `${issue.pointer}: ${issue.message}`]);
	}
	return found;
}

/** What `issues` has more of than `before`, as lines to print. */
function worse(issues, before) {
	const lines = [];
	for (const [code, places] of issues) {
		const known = before?.get(code)?.length ?? 0;
		if (places.length > known) lines.push(`${places.length} ${code} (${known} in the original), such as ${places.at(-1)}`);
	}
	return lines;
}

function onlyMissingFiles(issues) {
	const missing = issues?.errors.get('IO_ERROR');
	return issues && { errors: new Map(missing ? [['IO_ERROR', missing]] : []), warnings: issues.warnings };
}

function write(...args) {
	try {
		execFileSync(writeFiles, args, { stdio: ['ignore', 'inherit', 'pipe'] });
		return 0;
	} catch (failure) {
		if ([REFUSED, NOTHING_TO_BAKE].includes(failure.status)) return failure.status;
		throw new Error(`write_files ${args.join(' ')}: ${failure.stderr ?? failure}`);
	}
}

function listFiles(path) {
	return readdirSync(path, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath ?? entry.path, entry.name))
		.sort();
}

const out = mkdtempSync(join(tmpdir(), 'supple-validator-'));
let failures = 0;
let checked = 0;

async function check(name, path, before) {
	const issues = await validate(path);
	const errors = worse(issues.errors, before?.errors);
	const warnings = worse(issues.warnings, before?.warnings);
	for (const line of errors) console.log(`error    ${name}: ${line}`);
	for (const line of warnings) console.log(`warning  ${name}: ${line}`);
	failures += errors.length;
	checked += 1;
}

try {
	const sample = join(out, 'sample.glb');
	write('sample', sample);
	await check('sample', sample);
	for (const kind of ['copy', 'clip', 'frozen', 'frozen-dual', 'baked', 'bones', 'compressed']) {
		const path = join(out, `sample-${kind}.glb`);
		write(kind, sample, path);
		await check(`sample ${kind}`, path);
	}

	const assets = existsSync(folder) ? listFiles(folder) : [];
	for (const asset of assets) {
		const type = extname(asset).toLowerCase();
		const isGltf = type === '.gltf' || type === '.glb';
		if (!isGltf && !['.fbx', '.dae'].includes(type)) continue;
		const name = relative(folder, asset);
		const before = isGltf ? await validate(asset) : undefined;
		for (const kind of isGltf ? ['created', 'copy', 'clip', 'frozen', 'frozen-dual', 'baked', 'bones', 'compressed'] : ['created']) {
			for (const ending of kind === 'copy' ? ['.glb', '.gltf'] : ['.glb']) {
				const path = join(out, `${basename(asset, extname(asset))}-${kind}${ending}`);
				const status = write(kind, asset, path);
				if (status === NOTHING_TO_BAKE) continue;
				if (status !== REFUSED) {
					const strict = kind === 'created' || kind.startsWith('frozen');
					await check(`${name} ${kind}${ending}`, path, strict ? onlyMissingFiles(before) : before);
				} else if (!refusals.includes(name)) {
					console.log(`error    ${name} ${kind}: Supple refuses to read it`);
					failures += 1;
				}
			}
		}
	}
	console.log(`${checked} files checked by gltf-validator ${validator.version()}, ${failures} kinds of errors`);
	if (failures > 0) process.exitCode = 1;
	else if (assets.length === 0) {
		console.log('skipped the real characters: no folder of assets (set SUPPLE_ASSETS)');
		process.exitCode = SKIP;
	}
} finally {
	rmSync(out, { recursive: true, force: true });
}
