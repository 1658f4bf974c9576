#!/usr/bin/env bash
# same_bits.sh SUPPLE [SUPPLE]: hashes of what one program bakes and writes over a fixed list of characters, methods and scenes,
# one a line. With two programs: do both make the same bytes? Exit status 1 and the lines that differ where they do not.
# For changes that are to move code and no result: build before and after, then compare.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# hash SUPPLE NAME WORDS...: of all that the command writes into an empty folder; its words may name {out}
hash() {
	local supple=$1 name=$2 out=$work/out
	shift 2
	rm -rf "$out"
	mkdir "$out"
	local status=0
	"$supple" "${@//\{out\}/$out}" --threads 2 --quiet > "$out/printed" 2>&1 < /dev/null || status=$?
	# what is printed may name the folder, and times
	rm "$out/printed"
	printf '%s  %s  exit %d\n' "$(cd "$out" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum | sha256sum | cut -c 1-16)" "$name" $status
}

hashes() {
	local supple=$1 method character scene
	for character in builtin:bunny:Run builtin:deer:Walk builtin:snake:Slither builtin:human:Jump; do
		local file=${character%:*} clip=${character##*:}
		for method in lbs dqs position lattice points layered fem modes; do
			hash "$supple" "$file $clip $method" bake "$file" --clip "$clip" --method "$method" --to 0.5 -o "{out}/x.pc2"
		done
	done
	for scene in "$root"/scenes/*.json; do
		hash "$supple" "scenes/$(basename "$scene")" bake "$scene" --to 0.3 -o "{out}/x.glb"
	done
	for method in position lattice points layered fem modes; do
		hash "$supple" "bunny.flesh $method" build builtin:bunny --method "$method" -o "{out}/x.flesh"
	done
	if [ -d "$root/../shared/assets" ]; then
		for character in Fox.glb CesiumMan.glb fbx/huesitos.fbx dae/walk.dae; do
			hash "$supple" "convert $character" convert "$root/../shared/assets/characters/$character" -o "{out}/x.glb"
			hash "$supple" "$character position" bake "$root/../shared/assets/characters/$character" --to 0.3 -o "{out}/x.glb"
		done
	fi
}

if [ $# -eq 1 ]; then
	hashes "$1"
else
	hashes "$1" > "$work/before"
	hashes "$2" > "$work/after"
	diff "$work/before" "$work/after" && echo "the same bytes in $(wc -l < "$work/before") outputs"
fi
