// SPDX-License-Identifier: MIT
// The program in docs/web.md runs as it stands there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { source, web, withFolder } from './common.mjs';

const [, program] = readFileSync(join(source, 'docs/web.md'), 'utf8').match(/```js\n(.*?)```/s);
withFolder((folder) => {
	for (const file of ['supple.js', 'attachments.js', 'supple.mjs', 'supple.wasm']) {
		copyFileSync(join(web, file), join(folder, file));
	}
	writeFileSync(join(folder, 'program.mjs'), program);
	const output = execFileSync(process.execPath, ['--no-warnings', 'program.mjs'], { cwd: folder, encoding: 'utf8' });
	assert.match(output, /frame 60: .* vertices/);
	assert.ok(readFileSync(join(folder, 'walk.glb')).length > 10000);
});
