#!/usr/bin/env bash
# supple live on every kind of input: the character outlives what it was read from. Runs under the address sanitizer too.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$folder" || exit 1
run 2 live builtin:bunny
grep -q "built without liblo" "$folder/.stderr" && skip "built without liblo"
"$VMC_SENDER" stream walk.vmc 0.3 || fail "no stream"
run 0 convert builtin:human -o human.glb -q
run 0 convert builtin:human -o human.gltf -q
inputs=(builtin:human human.glb human.gltf)
for file in characters/fbx/maya_kenney_character_7700_binary.fbx characters/dae/walk.dae; do
	[ -e "${SUPPLE_ASSETS:-}/$file" ] && inputs+=("$SUPPLE_ASSETS/$file")
done
for input in "${inputs[@]}"; do
	for output in take.glb take.pc2; do
		run 0 live "$input" --replay walk.vmc --seconds 0.1 --method dqs -o $output --json
		json trouble.not_finite=0
	done
	run 0 info take.glb -q
done
finish
