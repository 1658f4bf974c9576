#!/usr/bin/env bash
# Sends every character and mesh of the folder of real assets through voxels, layers, weights, tetrahedra and bindings, and writes
# what became of them to docs/measured/real-files.md. Usage: scripts/proof.sh [FOLDER]    (default: ../shared/assets)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
assets=$(cd "${1:-../shared/assets}" && pwd)
make --no-print-directory all
cmake --build build --target supple_proof
supple=$PWD/build/supple
proof=$PWD/build/supple_proof
page=docs/measured/real-files.md
new=$(mktemp)
trap 'rm -f "$new"' EXIT

files() { (cd "$assets" && find "$@" -type f | LC_ALL=C sort); }

{
	cat <<'TEXT'
# Real files as volumes

Every character and mesh that Supple is tested with, sent through everything that is made from a skin. This page is written by
`scripts/proof.sh`. The files themselves are not part of the project.

- voxels: at resolution 64; how many, in how many parts.
- bones: how many; outside of the body; too small for this resolution, and the one that would hold them all.
- layers: voxels of bone / muscle / fat / skin.
- weights: geodesic; bones a vertex hangs on in the mean, and how far its sum is from 1 at most.
- tets: made of 10 000 asked for, in how many parts; smallest and largest dihedral angle in degrees; mean ratio (1 is regular) and
  inverted tets; volume against that of the surface, where that is closed and one piece.
- bindings of the skin to tets and to voxels: vertices inside + outside, how far out the farthest is, and how far any vertex is
  from its place while nothing moves; both in parts of the size.
- seconds: all of this together, on this machine with whatever else it was doing.

| file | vertices / triangles | voxels | bones | layers | weights | tets | dihedral | quality | volume | on tets | on voxels | s |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
TEXT
	files characters \( -name '*.glb' -o -name '*.gltf' -o -name '*.fbx' -o -name '*.dae' \) | grep -v allAnimations | while read -r file; do
		(cd "$assets" && "$proof" "$file" 2> /dev/null)
	done
	files meshes \( -name '*.obj' -o -name '*.ply' -o -name '*.stl' \) | while read -r file; do
		(cd "$assets" && "$proof" "$file" 2> /dev/null)
	done
	cat <<'TEXT'

## Weights beside those painted by hand

`supple weights FILE` at resolution 96: the share of the weight that is on other bones than in the file, and how far the skins are
apart over all clips, mean and most, in parts of the size of the character; a dash where the file has no clips.

| file | joints | geodesic: elsewhere | mean | most | heuristic: elsewhere | mean | most |
|---|---:|---:|---:|---:|---:|---:|---:|
TEXT
	files characters \( -name '*.glb' -o -name '*.gltf' -o -name '*.fbx' -o -name '*.dae' \) | grep -v -e allAnimations -e skin-cases | while read -r file; do
		row="| $file"
		for kind in geodesic heuristic; do
			(cd "$assets" && "$supple" weights "$file" --weights $kind --worst 0 --json 2> /dev/null) > "$new.json" || continue 2
			row="$row $(awk -F'": ' -v kind=$kind '
				/^  "[a-z_]*": [-0-9.e]*,?$/ { key = $1; gsub( /[ "]/, "", key ); sub( ",", "", $2 ); value[key] = $2 }
				/"clips": \[\]/ { still = 1 }
				END {
					if ( kind == "geodesic" ) printf "| %d ", value["joints"]
					printf "| %.1f %% ", 100 * value["mean_difference"]
					if ( still ) printf "| - | - "
					else printf "| %.2f %% | %.1f %% ", 100 * value["mean_distance"], 100 * value["max_distance"]
				}' "$new.json")"
		done
		rm -f "$new.json"
		echo "$row|"
	done
} > "$new"
cp "$new" $page
echo "$page"
