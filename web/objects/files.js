// SPDX-License-Identifier: MIT
// Files in emscripten's file system.

export function fileName(path) {
	return path.split(/[\\/]/).pop() || 'file';
}

export function unescapeUri(uri) {
	try {
		return decodeURIComponent(uri);
	} catch {
		return uri;
	}
}

// Nothing outside of the folder.
export function writeFile(fs, folder, path, bytes) {
	const parts = path.split('/').filter((part) => part !== '' && part !== '.');
	if (parts.length > 0 && !parts.includes('..')) {
		fs.mkdirTree(`${folder}/${parts.slice(0, -1).join('/')}`);
		fs.writeFile(`${folder}/${parts.join('/')}`, bytes);
	}
}

export function removeFolder(fs, folder) {
	for (const name of fs.readdir(folder)) {
		const path = `${folder}/${name}`;
		if (name === '.' || name === '..') {
			continue;
		}
		if (fs.isDir(fs.stat(path).mode)) {
			removeFolder(fs, path);
		} else {
			fs.unlink(path);
		}
	}
	fs.rmdir(folder);
}
