#!/usr/bin/env bash
# supple rig: a skeleton by pointing at a mesh.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$SUPPLE" pose builtin:tube --rest -q -o "$folder/plain.obj"
cat > "$folder/clicks.json" <<-JSON
	{ "camera": { "eye": [0, 0, 5], "target": [0, 0, 0], "fov": 45, "size": [800, 600] },
	  "joints": [ { "name": "left", "ray": { "origin": [-0.8, 0, 3], "direction": [0, 0, -1] } },
	              { "name": "middle", "click": [400, 300] },
	              { "name": "right", "at": [0.8, 0, 0] } ],
	  "bones": [ ["left", "middle"], ["middle", "right"] ], "root": "left" }
JSON
run 0 rig "$folder/plain.obj" --clicks "$folder/clicks.json" -o "$folder/a.glb" --json
json joints.#=3 joints.0.name=left joints.2.parent=middle
silent stderr
run 0 info "$folder/a.glb" --json
json counts.joints=3 surface.watertight=true
run 0 rig "$folder/plain.obj" --clicks "$folder/clicks.json" -o "$folder/b.glb" --threads 1 -q
cmp -s "$folder/a.glb" "$folder/b.glb" || fail "the result depends on the number of threads"
# its weights are those of supple bind on the skeleton alone
run 0 rig "$folder/plain.obj" --clicks "$folder/clicks.json" -o "$folder/bones.glb" --weights none
out "3 joints without the mesh"
run 0 bind "$folder/plain.obj" --skeleton "$folder/bones.glb" -o "$folder/c.glb" -q
run 0 info "$folder/c.glb" --json
json counts.joints=3
run 0 rig "$folder/plain.obj" --clicks "$folder/clicks.json" -o "$folder/d.glb" --weights heuristic -q
cmp -s "$folder/a.glb" "$folder/d.glb" && fail "--weights changes nothing"

# what is wrong with which click
sed 's/"click": \[400, 300\]/"click": [5, 5]/' "$folder/clicks.json" > "$folder/missed.json"
run 1 rig "$folder/plain.obj" --clicks "$folder/missed.json" -o "$folder/x.glb"
err "missed.json: joints[1]" "middle: the ray misses the mesh"
sed 's/\[ \["left", "middle"\]/[ ["left", "right"]/' "$folder/clicks.json" > "$folder/cycle.json"
sed -i 's/\["middle", "right"\] \]/["middle", "right"], ["middle", "left"] ]/' "$folder/cycle.json"
run 1 rig "$folder/plain.obj" --clicks "$folder/cycle.json" -o "$folder/x.glb"
err "cycle.json: bones[2]" "close a cycle"
sed 's/, \["middle", "right"\]//' "$folder/clicks.json" > "$folder/two.json"
run 1 rig "$folder/plain.obj" --clicks "$folder/two.json" -o "$folder/x.glb"
err "right" "one root"
run 1 rig "$folder/plain.obj" --clicks "$folder/missing.json" -o "$folder/x.glb"
run 2 rig "$folder/plain.obj" -o "$folder/x.glb"
err "--clicks"
run 2 rig "$folder/plain.obj" --clicks "$folder/clicks.json" -o "$folder/x.obj"
err "must end in one of"
[ ! -e "$folder/x.glb" ] || fail "a failed command left a file"
run 0 help rig
out "--clicks" "halfway between the first two hits"
finish
