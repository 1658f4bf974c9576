#!/usr/bin/env bash
# scripts/studio.sh: builds the studio, a page for any static host, into build/web/studio. Needs the library for the
# browser (preset web, in build/web); built-in characters, and flesh of the first, are made ready where there is a
# build/supple.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
library=build/web
if [ ! -f $library/supple.wasm ]; then
	echo "studio: $library/supple.wasm is missing; build it first: cmake --preset web && cmake --build build/web" >&2
	exit 1
fi
scripts/npm.sh web

page=$library/page
rm -rf $page
mkdir -p $page/supple $page/data
cp web/studio/theme.js web/studio/sw.js $page/
mkdir -p $page/manual
cp docs/studio.md docs/cli.md docs/options.md docs/json.md docs/motion.md $page/manual/
cp -r $library/supple.js $library/objects $library/supple{,-threads}.{mjs,wasm} $page/supple/
# emscripten's program for a thread, where it is a file of its own
cp $library/supple-threads.worker.js $page/supple/ 2> /dev/null || true
# the gallery: scenes by their names
mkdir -p $page/data/scenes
cp scenes/*.json $page/data/scenes/
node --input-type=module -e '
	import { readdirSync, readFileSync, writeFileSync } from "node:fs";
	const [folder, list] = process.argv.slice(1);
	const names = readdirSync(folder).filter((name) => name.endsWith(".json")).sort();
	const read = (name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));
	const scenes = names.map((name) => ({ name: name.slice(0, -5), title: read(name).name ?? name.slice(0, -5) }));
	writeFileSync(list, JSON.stringify(scenes));
' $page/data/scenes $page/data/scenes.json
if [ -x build/supple ]; then
	build/supple models --export $page/data --quiet
	build/supple build builtin:bunny --quiet -o $page/data/bunny.flesh
fi
cd web
npx vite build studio --logLevel warn
# what the page keeps for offline
cd ../build/web/studio
find . -type f ! -name files.json ! -path './manual/*' | sed 's,^\./,,' | LC_ALL=C sort |
	node --input-type=module -e '
		import { readFileSync, writeFileSync } from "node:fs";
		writeFileSync("files.json", JSON.stringify(readFileSync(0, "utf8").trim().split("\n")));
	'
