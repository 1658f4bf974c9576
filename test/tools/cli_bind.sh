#!/usr/bin/env bash
# supple bind: a mesh gets a skeleton.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run 0 bind builtin:tube --skeleton builtin:tube5 -o "$folder/a.glb" --json
json vertices=292 joints=5 clips=2
run 0 info "$folder/a.glb" --json
json counts.joints=5 counts.vertices=292 counts.clips=2 surface.watertight=true
run 0 bind builtin:tube --skeleton builtin:tube5 -o "$folder/b.glb" --threads 1 -q
cmp -s "$folder/a.glb" "$folder/b.glb" || fail "the result depends on the number of threads"
run 0 pose "$folder/a.glb" --clip bend --time 1 -o "$folder/a.obj"

# a plain mesh far from the skeleton needs --fit
"$SUPPLE" pose builtin:tube --rest -q -o "$folder/plain.obj"
awk '/^v / { print "v", 10 * $2 + 500, 10 * $3, 10 * $4; next } { print }' "$folder/plain.obj" > "$folder/far.obj"
run 1 bind "$folder/far.obj" --skeleton builtin:tube -o "$folder/x.glb"
run 1 bind builtin:tube --skeleton "$folder/plain.obj" -o "$folder/x.glb"
err "it has a mesh but no skeleton" "supple rig"
run 0 bind "$folder/far.obj" --skeleton builtin:tube --fit -o "$folder/c.glb" --influences 4
run 0 info "$folder/c.glb" --json
json counts.joints=2

# names bones that are too small for the voxels, and a resolution that separates them
run 0 bind builtin:tube5 --skeleton builtin:tube5 -o "$folder/e.glb" --resolution 4 --json
json notes.#=1
err "are too small for resolution 4 and share all their voxels" "separates them"
needed=$(grep -o 'resolution [0-9]* separates' "$folder/.stderr" | grep -o '[0-9]*')
run 0 bind builtin:tube5 --skeleton builtin:tube5 -o "$folder/e.glb" --resolution "$needed" --json
json notes.#=0
silent stderr

# the layer view shows what the settings ask for, joint by joint
run 0 render builtin:tube5 --rest --overlay layers --size 96x64 -q -o "$folder/layers.png"
cat > "$folder/layers.json" <<-JSON
	{ "layers": { "boneWidth": 0.02, "parts": [ { "joint": "bone2", "boneWidth": 0.1, "shares": { "muscle": 1, "fat": 9 } } ] } }
JSON
run 0 render builtin:tube5 --rest --overlay layers --size 96x64 -q --settings "$folder/layers.json" -o "$folder/wide.png"
cmp -s "$folder/layers.png" "$folder/wide.png" && fail "--settings does not change the layers"
sed -i 's/bone2/nobody/' "$folder/layers.json"
run 1 render builtin:tube5 --rest --overlay layers --size 96x64 -q --settings "$folder/layers.json" -o "$folder/x.png"
err "nobody"

# the nearest bone, and where weights differ from painted ones
run 0 bind builtin:tube --skeleton builtin:tube5 -o "$folder/d.glb" --weights heuristic
cmp -s "$folder/a.glb" "$folder/d.glb" && fail "--weights changes nothing"
run 2 bind builtin:tube --skeleton builtin:tube5 -o "$folder/x.glb" --weights best
err "geodesic|heuristic"
run 0 weights builtin:tube5 --json --worst 3 --resolution 48
json vertices=292 joints=5 weights=geodesic worst.2.vertex bones.0.own clips.0.max_distance mean_difference
cp "$folder/.stdout" "$folder/first"
run 0 weights builtin:tube5 --json --worst 3 --resolution 48 --threads 1 -o "$folder/weights.png"
cmp -s "$folder/first" "$folder/.stdout" || fail "the comparison depends on the number of threads"
[ -s "$folder/weights.png" ] || fail "no picture"
run 0 weights builtin:tube5 --weights heuristic
out "on other bones" "bone" "elsewhere"
run 1 weights "$folder/plain.obj"
err "no weights"
run 2 weights builtin:tube -o "$folder/x.obj"
run 2 weights

run 2 bind builtin:tube -o "$folder/x.glb"
err "--skeleton"
run 2 bind builtin:tube --skeleton builtin:tube -o "$folder/x.obj"
err "must end in one of"
run 2 bind builtin:tube --skeleton builtin:tube -o "$folder/x.glb" --resolution 1000
run 1 bind builtin:tube --skeleton "$folder/plain.obj.missing" -o "$folder/x.glb"
[ ! -e "$folder/x.glb" ] || fail "a failed command left a file"
finish
