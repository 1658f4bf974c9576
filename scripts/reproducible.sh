#!/usr/bin/env bash
# Builds the command twice, in folders of different names, and compares: same source, same compiler, same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in one another-one; do
	mkdir "$work/$name"
	git ls-files -z | xargs -0 cp --parents -t "$work/$name"
	cmake -S "$work/$name" -B "$work/$name/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSUPPLE_BENCH=OFF -DSUPPLE_EXAMPLES=OFF > /dev/null
	cmake --build "$work/$name/build" --target supple_tool > "$work/log" || { tail "$work/log"; exit 1; }
	sha256sum "$work/$name/build/supple" | cut -d ' ' -f 1
done | tee "$work/hashes"
[ "$(sort -u "$work/hashes" | wc -l)" -eq 1 ] || { echo "the two builds differ"; exit 1; }
